"""How far work on a cluster scales: what is measured on this machine, and what follows for a large one.

Measured are the hands that 1 and 2 processes answer in a second, what a task costs the scheduler and the run that
hands it out, by the bytes that it carries, and what reading and writing a hand costs that run. The rest is arithmetic:
the work of a hand is spread over all cores, the scheduler and the run are one process each.

Run: python benchmarks/measure_cluster.py [--cores 1000] [--hands 1e10] [--seconds 20]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil

from solver.answers import Request
from solver.batches import job as batch
from solver.batches.job import CHUNK, CHUNK_QUICK, Job
from solver.batches.rows import Chunk, Rows, answer_elsewhere
from solver.cards import DECK, card_name
from solver.clusters import Cluster, connect
from solver.opponents import find_strategy
from solver.parcels import Parcel
from solver.rules import load_rules

ROUNDS = 3
TASKS = 400
SIZES = (1, 100, 500, 1000, 5000, 50_000)
"""Hands of a task whose overhead is measured."""

BYTES_OF_TASKS = 200_000_000
FREE = 0.5
"""Share of its time that the scheduler may be busy: above, workers wait for it now and then."""


def deal(number: int, seed: int = 0) -> list[str | None]:
    drawn = np.argsort(np.random.default_rng(seed).random((number, 52)), axis=1)[:, :13]
    names = np.array([card_name(card) for card in DECK])
    return [" ".join(hand) for hand in names[drawn].tolist()]


def chunk_of(hands: list[str | None]) -> Chunk:
    return Chunk(hands, [""] * len(hands), {}, range(1, len(hands) + 1))


def canned(rows: bytes, chunk: Chunk) -> Rows:
    """Return as many bytes as the rows of a chunk have, without any work."""
    return Rows(rows * len(chunk.hands), len(chunk.hands), 0, None, 0, chunk.end)


def throughput(
    engines: dict[int, Cluster], request: Request, seconds: float
) -> tuple[dict[int, float], dict[int, float]]:
    """Return the hands a second by the number of processes, and the seconds until each was ready."""
    strategy = find_strategy(request.opponents, request.rules)
    function = partial(answer_elsewhere, Parcel.of(request.opponents, request.rules, 2, strategy), request, 1)
    ready, rates = {}, {number: [] for number in engines}  # type: ignore[var-annotated]
    size = 20
    for number, engine in engines.items():
        start = time.perf_counter()
        list(engine.map(function, [chunk_of(deal(20, k)) for k in range(3 * number)]))
        ready[number] = time.perf_counter() - start
        start = time.perf_counter()
        list(engine.map(function, [chunk_of(deal(20, k)) for k in range(number)]))
        size = max(20, int(20 * seconds / 8 / (time.perf_counter() - start)))
    for at in range(ROUNDS):
        for number, engine in engines.items():
            chunks = [chunk_of(deal(size, 99 + 16 * at + k)) for k in range(8 * number)]
            start = time.perf_counter()
            list(engine.map(function, chunks))
            rates[number].append(8 * number * size / (time.perf_counter() - start))
    return {number: float(np.median(found)) for number, found in rates.items()}, ready


@contextmanager
def separate() -> Iterator[tuple[Cluster, psutil.Process]]:
    """Start a scheduler and two workers in processes of their own, whose time can be measured apart."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:

        def start(*words: object) -> subprocess.Popen[bytes]:
            here = f"{Path(__file__).parent}{os.pathsep}{Path(__file__).parent.parent}"
            command = [sys.executable, "-m", "dask", *map(str, words), "--no-dashboard", "--host", "127.0.0.1"]
            process = subprocess.Popen(
                command, env=os.environ | {"PYTHONPATH": here}, stderr=subprocess.DEVNULL, cwd=folder
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            return process

        file = Path(folder, "scheduler.json")
        scheduler = start("scheduler", "--port", 0, "--scheduler-file", file)
        while not (file.exists() and file.stat().st_size):
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        for _ in range(2):
            start("worker", address, "--nthreads", 1, "--nworkers", 1, "--no-nanny", "--local-directory", folder)
        with connect(address) as engine:
            yield engine, psutil.Process(scheduler.pid)


def overhead(rows: bytes) -> dict[int, tuple[float, float, float]]:
    """Return by the hands of a task its seconds from end to end, of the scheduler, and of the run."""
    import measure_cluster as this  # by the name that workers know

    found = {}
    hands = deal(max(SIZES))
    with separate() as (engine, scheduler):
        function: Callable[[Chunk], Rows] = partial(this.canned, rows)
        list(engine.map(function, [chunk_of(hands[:1])] * 20))
        for size in SIZES:
            tasks = max(20, min(TASKS, BYTES_OF_TASKS // (size * (len(rows) + 40))))
            chunk = chunk_of(hands[:size])
            start, own, its = time.perf_counter(), time.process_time(), sum(scheduler.cpu_times()[:2])
            list(engine.map(function, [chunk] * tasks))
            now = time.perf_counter(), sum(scheduler.cpu_times()[:2]), time.process_time()
            found[size] = tuple(x / tasks for x in (now[0] - start, now[1] - its, now[2] - own))
    return found  # type: ignore[return-value]


class Here:
    """An engine that answers with canned rows at once: what is left is reading and writing."""

    threads, here, at_once, scale = 1, True, 1, 1

    def __init__(self, rows: bytes) -> None:
        self.rows = rows

    def map(self, function: Any, items: Iterable[Any]) -> Generator[Any, None, None]:
        yield from map(partial(canned, self.rows), items)


def reading_and_writing(rows: bytes, number: int) -> float:
    """Return the seconds that a run needs for a hand of a file, apart from what cluster and workers do."""
    with TemporaryDirectory() as folder:
        source = Path(folder, "in.txt")
        source.write_text("\n".join([str(hand) for hand in deal(number)]))
        job = Job(str(source), str(Path(folder, "out.jsonl")), Request(load_rules("2-4"), quick=True))
        start = time.process_time()
        batch.run(job, Here(rows))
        return (time.process_time() - start) / number


def line(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return intercept and slope of a line through points, each weighted by its own size."""
    slope, intercept = np.polyfit(x, y, 1, w=1 / np.maximum(y, 1e-6))
    return max(float(intercept), 0.0), max(float(slope), 0.0)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cores", type=int, default=1000)
    options.add_argument("--hands", type=float, default=1e10)
    options.add_argument("--seconds", type=float, default=20, help="of each measurement of throughput")
    options.add_argument("--rules", default="2-4")
    asked = options.parse_args()
    rules = load_rules(asked.rules)

    print("hands a second by processes of this machine (median of three rounds that take turns)")
    costs = {}
    with connect("local:1") as one, connect("local:2") as two:
        for name, quick in (("default deals", False), ("--quick", True)):
            rates, ready = throughput({1: one, 2: two}, Request(rules, quick=quick), asked.seconds)
            costs[name] = 1 / rates[1]
            print(
                f"  {name:<14} 1: {rates[1]:>10,.0f}   2: {rates[2]:>10,.0f}   ratio {rates[2] / rates[1]:.2f}   "
                f"ready after {ready[1]:.1f} and {ready[2]:.1f} s"
            )

    row = b'{"hand": "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d", "front": "As Ks 5c", "middle": "2d 2h 8s 8d 3d", '
    row += b'"back": "Qs Qc 6h 6s 4h", "units": 0.123456, "stderr": 0.012345, "deals": 20000, "error": null}\n'
    found = overhead(row)
    print(f"\na task without work ({len(row)} bytes a hand out, 39 in), in milliseconds")
    print(f"  {'hands':>8} {'in all':>9} {'scheduler':>10} {'run':>9} {'tasks/s':>9}")
    for size, (whole, its, own) in found.items():
        print(f"  {size:>8,} {whole * 1e3:>9.2f} {its * 1e3:>10.2f} {own * 1e3:>9.2f} {1 / whole:>9,.0f}")
    sizes = np.array(list(found), float)
    scheduler = line(sizes, np.array([its for _, its, _ in found.values()]))
    client = line(sizes, np.array([own for _, _, own in found.values()]))
    disk = reading_and_writing(row, 200_000)
    print(
        f"  scheduler {scheduler[0] * 1e3:.2f} ms a task and {scheduler[1] * 1e6:.3f} us a hand; run "
        f"{client[0] * 1e3:.2f} ms a task and {client[1] * 1e6:.3f} us a hand, {disk * 1e6:.2f} us more for files"
    )

    print(f"\n{asked.hands:,.0f} hands on {asked.cores:,} cores")
    for name, cost in costs.items():
        base = CHUNK_QUICK if "quick" in name else CHUNK
        model(name, asked.hands, asked.cores, cost, scheduler, (client[0], client[1] + disk), base, len(row))


def model(
    name: str,
    hands: float,
    cores: int,
    cost: float,
    scheduler: tuple[float, float],
    client: tuple[float, float],
    base: int,
    row: int,
) -> None:
    """Print what saturates first, and the size of tasks that follows."""
    work = cost / cores

    def share(task: tuple[float, float], size: float) -> float:
        """Return which part of the work's time a process is busy that handles all tasks."""
        return (task[0] / size + task[1]) / work

    print(f"  {name}: {cost * 1e3:.3f} ms a hand, so {hands * work / 3600:,.1f} h of work")
    print(f"    {'hands a task':>14} {'seconds':>8} {'tasks/s':>9} {'scheduler':>10} {'run':>7} {'hours':>8}")
    for size in (base, 5 * base, 10 * base, 20 * base):
        busy = share(scheduler, size), share(client, size)
        slowest = max(1.0, *busy)
        print(
            f"    {size:>14,} {size * cost:>8.2f} {1 / (size * work * slowest):>9,.0f} {busy[0]:>10.0%} "
            f"{busy[1]:>7.0%} {hands * work * slowest / 3600:>8,.1f}"
        )
    for who, task in (("scheduler", scheduler), ("run", client)):
        left = FREE * work - task[1]
        if left > 0:
            least = max(task[0] / left, 1)
            print(f"    {who}: busy {FREE:.0%} of the time with {least:,.0f} hands a task")
        else:
            print(
                f"    {who}: keeps up with {cost / task[1] * FREE:,.0f} cores at {FREE:.0%} of its time, whatever the "
                "size of tasks: split the file into several runs"
            )
    print(f"    bytes: {hands * 39 / 1e12:.2f} TB in, {hands * row / 1e12:.2f} TB out, {row / work / 1e6:,.0f} MB/s")


if __name__ == "__main__":
    main()
