"""What workers of the tests load: hands set without thinking, as slowly as BATCH_PAUSE says (seconds a chunk)."""

import os
import time
from typing import Any

from solver.batches import rows
from tests.stub_batch import Stub

answer = rows.answer_rows


def paused(*arguments: Any) -> rows.Rows:
    time.sleep(float(os.environ.get("BATCH_PAUSE", "0")))
    return answer(*arguments)


def where(item: int) -> tuple[int, int]:
    """Return an item, and the process that had it."""
    time.sleep(0.05)
    return item, os.getpid()


def full(item: int) -> int:
    raise OSError(28, "No space left on device")


def dask_setup(worker: Any) -> None:
    rows.Answerer = Stub  # type: ignore[assignment, misc]
    rows.answer_rows = paused
