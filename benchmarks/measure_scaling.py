"""How time and memory grow: with threads, with hands and with deals.

One thread and two take turns, and the least time of each counts: other processes can only add to it. On a machine that
is never idle two threads get no two cores, so the gain is also worked out from processor time: what the main thread
does alone, and half of what the two do. Memory is the most that a child process ever held, as Linux counts it
(``getrusage`` would count the parent's, too).

Usage: python benchmarks/measure_scaling.py [RULES]
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from solver import kernels
from solver.advice import best
from solver.bench import random_hands
from solver.cards import Hand
from solver.engines import LocalEngine
from solver.equilibrium import play_hands
from solver.match import match
from solver.rules import RuleSet, load_rules
from solver.strategies import load_strategy
from solver.tables import Array, lower
from solver.training import HANDS as TRAINED
from solver.training import Progress, train

HAND = Hand.parse("2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d")
DEALS = 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000
HANDS = 100, 1_000, 10_000, 50_000
PLAYED, TURNS, TRAININGS, ROUNDS = 20_000, 25, 2, 4
REPEATS = 5
MEMORY = {
    "training, 4 rounds, hands a round": ("train", (20_000, 80_000, 160_000)),
    "match, hands": ("match", (4_000, 16_000, 40_000)),
    "best, deals": ("best", (1_000, 20_000, 200_000, 500_000)),
    "best at four seats, deals": ("four", (1_000, 20_000, 200_000)),
}


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(tasks: list[Callable[[], Any]], turns: int) -> list[float]:
    """Return the least time of each task."""
    return [min(times) for times in zip(*([seconds(task) for task in tasks] for _ in range(turns)), strict=True)]


class Done(Exception):
    """Enough rounds are timed; what ends a training is not wanted."""


def clocks() -> Array:
    """Return the time, that of all threads on processors, and that of this one."""
    return np.array([time.perf_counter(), time.process_time(), time.thread_time()])


def setting(work: Callable[[], Any]) -> Array:
    before = clocks()
    work()
    return clocks() - before


def rounds(rules: RuleSet, state: Progress, jobs: int) -> Array:
    """Return the clocks of each of some rounds of a training; one in four works out what the own cards change."""
    marks = [clocks()]

    def each(now: Progress) -> None:
        marks.append(clocks())
        if len(marks) > ROUNDS:
            raise Done

    with suppress(Done):
        train(rules, jobs=jobs, resume=state, each=each)
    return np.diff(marks, axis=0)


def show_gain(label: str, hands: int, one: Array, two: Array) -> None:
    """Print hands a second, the gain, and the gain that two free cores would bring."""
    free = two[2] + (two[1] - two[2]) / 2
    print(
        f"{label:<40} {hands / one[0]:>10,.0f} {hands / two[0]:>10,.0f} {one[0] / two[0]:>8.2f}"
        f" {hands / one[1]:>10,.0f} {hands / free:>10,.0f} {one[1] / free:>8.2f}",
        flush=True,
    )


def threads(rules: RuleSet) -> None:
    """Print how fast training is on one thread and on two."""
    game, table = lower(rules), load_strategy("equilibrium", rules)
    engines = [LocalEngine(1, at_once=jobs) for jobs in (1, 2)]
    tasks = [partial(play_hands, game, table, table.edges, PLAYED, (1, 2), engine) for engine in engines]
    one, two = np.array([[setting(task) for task in tasks] for _ in range(TURNS)]).min(0)
    show_gain("setting hands", PLAYED, one, two)
    begun: list[Progress] = []
    train(rules, rounds=2, jobs=2, each=begun.append)
    found = np.array([[rounds(rules, begun[-1], jobs) for jobs in (1, 2)] for _ in range(TRAININGS)])
    one, two = found.min(0).sum(1)
    show_gain(f"whole rounds of {TRAINED:,} hands", ROUNDS * TRAINED, one, two)


def growth(rules: RuleSet) -> None:
    """Print how the time of an answer grows with the deals, and that of arranging with the hands."""
    print(f"\n{'deals of an answer':<20} {'ms':>10} {'us a deal':>10}")
    for deals in DEALS:
        work = partial(best, HAND, rules=rules, deals=deals, precision=0, jobs=1)
        taken = in_turns([work], REPEATS if deals <= 20_000 else 3)[0]
        print(f"{deals:<20,} {taken * 1e3:>10.1f} {taken / deals * 1e6:>10.2f}")
    arguments = load_strategy("equilibrium", rules).kernel_arguments(lower(rules))
    print(f"\n{'hands arranged':<20} {'ms':>10} {'us a hand':>10}")
    for number in HANDS:
        hands, out = random_hands(number, seed=1), np.empty((number, 3), np.int64)
        taken = in_turns([partial(kernels.arrange_hands, hands, *arguments, out)], REPEATS)[0]
        print(f"{number:<20,} {taken * 1e3:>10.2f} {taken / number * 1e6:>10.2f}")


def child(task: str, number: int, name: str) -> None:
    """Do a piece of work and print the most memory that this process held, in bytes."""
    rules = load_rules(name)
    if task == "train":
        train(rules, hands=number, rounds=4, jobs=2)
    elif task == "match":
        match("equilibrium", "greedy", rules=rules, hands=number, precision=1e-9, jobs=2)
    else:
        best(HAND, rules=rules, players=4 if task == "four" else 2, deals=number, precision=0, jobs=2)
    held = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    print(1024 * int(held.split()[1]))


def memory(name: str) -> None:
    """Print how memory grows."""
    print(f"\n{'most memory':<36} {'MB':>8} {'bytes more for each more':>26}")
    for label, (task, numbers) in MEMORY.items():
        before = None
        for number in numbers:
            words = (sys.executable, __file__, "--child", task, str(number), name)
            held = int(subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ).stdout)
            more = "" if before is None else f"{(held - before[1]) / (number - before[0]):26.1f}"
            print(f"{label + f' {number:,}':<36} {held / 1e6:>8.0f} {more}", flush=True)
            before = number, held


def main(name: str = "2-4") -> None:
    rules = load_rules(name)
    train(rules, hands=1_000, rounds=2)  # compiled before anything is timed
    best(HAND, rules=rules, deals=100)
    print(
        f"rules {name}, on {os.cpu_count()} cores with other work on them: {os.getloadavg()[0]:.1f} waiting before this"
    )
    print(f"{'':<40} {'measured':>30} {'by processor time':>30}")
    print(f"{'hands a second of a training':<40} " + " ".join([f"{'1 thread':>10} {'2 threads':>10} {'x':>8}"] * 2))
    threads(rules)
    growth(rules)
    memory(name)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        main(*sys.argv[1:])
