"""The command line with hands that are set without thinking, and as slowly as BATCH_PAUSE says (seconds a chunk)."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from solver.answers import Answers, Request
from solver.batches import job as batch
from solver.batches import rows
from solver.tables import Array


class Stub:
    """Sets hands as they are written, for units that depend on the cards alone."""

    def __init__(self, request: Request, jobs: int = 1, say: Callable[[str], None] = print) -> None:
        self.quick = request.quick

    def answer(self, hands: Array) -> Answers:
        units = (hands * np.arange(1, 14)).sum(axis=1) / 7 - 150.0
        if self.quick:
            return Answers(hands.astype(np.uint8), units, np.full(len(hands), np.nan), np.zeros(len(hands), np.int64))
        return Answers(hands.astype(np.uint8), units, abs(units) / 99, hands[:, 0].astype(np.int64) + 100)


def paused(request: Request, threads: int, chunk: rows.Chunk) -> rows.Rows:
    time.sleep(float(os.environ.get("BATCH_PAUSE", "0")))
    return rows.answer_rows(request, threads, chunk)


if __name__ == "__main__":
    rows.Answerer = Stub  # type: ignore[assignment, misc]
    batch.answer_rows = paused  # type: ignore[assignment]
    batch.SECONDS_BETWEEN_COMMITS = float(os.environ.get("BATCH_COMMITS", "0.25"))
    from solver.cli import main

    try:
        main(prog_name="capsa")
    finally:
        if "BATCH_MEMORY" in os.environ:  # the most that it used, which the system knows of a whole process only
            status = Path("/proc/self/status").read_text()
            Path(os.environ["BATCH_MEMORY"]).write_text(status.partition("VmHWM:")[2].split()[0])
