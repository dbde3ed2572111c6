"""What limits the hot loops: instructions, memory reads, cache misses and branches of each, counted by valgrind.

Counts do not depend on what else runs on the machine. A child process does each piece of work N and 3 N times, and half
of the difference is what N cost, so that starting up and calling cancel. Valgrind knows no AVX-512: for the counts the
kernels are compiled for an older processor (x86-64-v3, AVX2), in a cache folder of their own; they are timed as
compiled for both. Caches are simulated with the sizes of a Zen 4 core (32 KB, then 1 MB), and branches with valgrind's
own plain predictor, which is worse than a real one.

Usage: python benchmarks/count_instructions.py [HANDS] (needs valgrind)
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

CPU = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
VALGRIND = (
    *("valgrind", "-q", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", "--dump-line=no"),
    *("--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,8,64", "--dump-before=getppid"),
)
TURNS, ROUNDS, AGAIN = 5, 7, 20


class Work(NamedTuple):
    name: str
    unit: str
    size: int
    run: Callable[[int], Any]
    """Does ``size`` times its argument of the units."""


def coarse(table: Any) -> Any:
    """Return a table of half as many bins of each row: an eighth of the memory, which fits the second cache easily."""
    import numpy as np

    edges, values = {row: held[::2] for row, held in table.edges.items()}, table.values
    for axis in range(3):
        values = np.maximum.reduceat(values, np.arange(0, values.shape[axis], 2), axis=axis)
    parts, at = [], 0
    for row in ("front", "middle", "back"):
        parts.append(table.removal[:, at : at + len(table.edges[row]) : 2])
        at += len(table.edges[row])
    return replace(table, edges=edges, values=values, removal=np.ascontiguousarray(np.concatenate(parts, axis=1)))


def pieces(number: int) -> list[Work]:
    """Return what is counted and timed, on hands that are always the same."""
    import numpy as np

    from solver import kernels
    from solver.bench import random_hands
    from solver.candidates import candidates
    from solver.deals import deal
    from solver.expectation import Table
    from solver.rules import load_rules
    from solver.strategies import load_strategy
    from solver.tables import lower, subsets

    hands, rules, splits = random_hands(3 * number, seed=1), load_rules("2-4"), subsets()
    game, out = lower(rules), np.empty((3 * number, 3), np.int64)
    table, balanced = load_strategy("equilibrium", rules), load_strategy("balanced", rules)
    ranks, places, cells = table.kernel_arguments(game)
    few, own = max(number // 5, 1), tuple(hands[0].tolist())
    works = [
        Work("ranking 1,573 subsets", "hand", number, lambda k: kernels.rank_hands(hands[: k * number], ranks, places))
    ]
    for name, held in (("equilibrium", table), ("equilibrium, half the bins", coarse(table)), ("balanced", balanced)):
        arguments = held.kernel_arguments(game)
        works.append(
            Work(
                f"ranking and arranging, {name}",
                *("hand", number),
                lambda k, arguments=arguments: kernels.arrange_hands(hands[: k * number], *arguments, out),
            )
        )
    works.append(
        Work(
            "ranking and the plain loop",
            *("hand", few),
            lambda k: kernels.arrange_hands_plain(
                hands[: k * few], ranks, places, cells, splits.pair_a, splits.pair_b, out
            ),
        )
    )
    works.append(Work("an opponent dealt and set", "hand", number, lambda k: deal(game, own, (), k * number, table)))
    for players in (2, 4):
        seats, deals = lower(rules, players), 10 * number
        options = candidates(own, seats)
        played = deal(seats, own, (), number, table)  # taken many times: valuing knows no branches that could tell
        tables = {k: Table.of(options, played.select(np.arange(k * deals) % number)) for k in (1, 3)}
        works.append(
            Work(
                f"a pair's units, {players} seats",
                *("pair", deals * (players - 1) * len(options)),
                lambda k, tables=tables, deals=deals: tables[k].accumulate(slice(None), np.zeros(k * deals)),
            )
        )
    return works


def child(task: str, number: int) -> None:
    """Count, by a system call at which valgrind writes what it has counted, or print the seconds of both."""
    works = pieces(number)
    for work in works:
        work.run(1)
    if task == "count":
        for work in works:
            work.run(3)  # so that both are counted on caches that are as full
            for times in (1, 3):
                os.getppid()
                work.run(times)
                os.getppid()
    if task == "time":
        found = least([partial(work.run, times) for work in works for times in (1, 3)])
        print("\n".join(map(str, found)))
    if task == "order":
        order(number)


def least(tasks: list[Callable[[], Any]]) -> list[float]:
    """Return the least seconds of each task in some rounds: other processes can only add to them."""
    taken = [float("inf")] * len(tasks)
    for _ in range(ROUNDS):
        for k, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            taken[k] = min(taken[k], time.perf_counter() - start)
    return taken


def order(number: int) -> None:
    """Time the same work in two orders: each hand again and again, and all hands in turn."""
    import numpy as np

    from solver import kernels
    from solver.bench import random_hands
    from solver.rules import load_rules
    from solver.strategies import load_strategy
    from solver.tables import lower

    hands, rules = random_hands(number, seed=1), load_rules("2-4")
    orders = np.repeat(hands, AGAIN, axis=0), np.tile(hands, (AGAIN, 1))
    out = np.empty((len(orders[0]), 3), np.int64)
    for name in ("equilibrium", "balanced"):
        arguments = load_strategy(name, rules).kernel_arguments(lower(rules))
        tasks: list[Callable[[], Any]] = [partial(kernels.arrange_hands, hands, *arguments, out) for hands in orders]
        tasks += [partial(kernels.rank_hands, hands, *arguments[:2]) for hands in orders]
        print(name, *(taken / len(out) * 1e9 for taken in least(tasks)), sep="\t")


def run(task: str, number: int, settings: dict[str, str], under: tuple[str, ...] = ()) -> str:
    """Run a child and return what it prints."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **settings}
    words = (*under, sys.executable, __file__, "--child", task, str(number))
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout


def counted(number: int, folder: Path, settings: dict[str, str]) -> list[dict[str, int]]:
    """Return the events between every two marks, in order."""
    run("count", number, settings, (*VALGRIND, f"--callgrind-out-file={folder}/out"))
    found = []
    for part in sorted(folder.glob("out.*"), key=lambda path: int(path.suffix[1:])):
        lines = dict(
            line.split(":", 1) for line in part.read_text().splitlines() if line.startswith(("events:", "totals:"))
        )
        found.append(dict(zip(lines["events"].split(), map(int, lines["totals"].split()), strict=False)))
    return found[1::2]  # what lies between the end of a piece and the next one is nothing


def main(hands: str = "150") -> None:
    number = int(hands)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = {**CPU, "NUMBA_CACHE_DIR": str(folder / "compiled")}
        taken: list[list[list[float]]] = [[], []]
        for settings in (old, {}):
            run("compile", number, settings)
        for _ in range(TURNS):  # in turns, so that noise falls on both
            for found, settings in zip(taken, (old, {}), strict=True):
                found.append([float(line) for line in run("time", number, settings).split()])
        times = [[min(each) for each in zip(*found, strict=True)] for found in taken]
        orders = [run("order", number, {}) for _ in range(TURNS)]
        events = counted(number, folder, old)
    works = pieces(number)
    print(f"counted by valgrind on kernels compiled for {CPU['NUMBA_CPU_NAME']}, {2 * number} hands; L1 32 KB, L2 1 MB")
    print("times are the least of many rounds: of those kernels, and as compiled for this processor\n")
    print(
        f"{'a unit':<50} {'instr.':>9} {'reads':>9} {'L1 miss':>8} {'L2 miss':>8} {'branches':>9} {'mispred.':>8}",
        end="",
    )
    print(f" {'ns':>9} {'instr/ns':>8} {'ns here':>9}")
    for at, work in enumerate(works):
        once, thrice = events[2 * at : 2 * at + 2]
        each = {event: (thrice[event] - once[event]) / 2 / work.size for event in once}
        values = (
            *(each["Ir"], each["Dr"], each["D1mr"] + each["D1mw"], each["DLmr"] + each["DLmw"]),
            *(each["Bc"] + each["Bi"], each["Bcm"] + each["Bim"]),
        )
        before, here = ((found[2 * at + 1] - found[2 * at]) / 2 / work.size * 1e9 for found in times)
        digits = 0 if work.unit == "hand" else 2
        print(f"{work.name + ', a ' + work.unit:<50}", end="")
        for value, width in zip(values, (9, 9, 8, 8, 9, 8), strict=True):
            print(f" {value:>{width},.{digits}f}", end="")
        print(f" {before:>9,.{digits}f} {each['Ir'] / before:>8.1f} {here:>9,.{digits}f}")
    print("\nthe same instructions in two orders, ranking taken off, ns a hand: each hand again and again, all in turn")
    for k in range(2):
        rows = [text.splitlines()[k].split("\t") for text in orders]
        again, turn, rank_again, rank_turn = (min(float(row[at]) for row in rows) for at in range(1, 5))
        print(f"arranging, {rows[0][0]:<39} {again - rank_again:>9,.0f} {turn - rank_turn:>9,.0f}")
    print(f"ranking{'':<43} {rank_again:>9,.0f} {rank_turn:>9,.0f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
