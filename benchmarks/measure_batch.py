"""How fast many hands are answered at once, and how far answers from a pool agree with those of single hands.

Usage: python benchmarks/measure_batch.py [RULES [DEALT [COMPARED]]]
       python benchmarks/measure_batch.py files [QUICK [DEALT]]

The first measures what answers, the second whole files by the command: time, peak memory, what is left to do where a
run was killed in the middle, and a line at a time.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from solver.advice import best
from solver.answers import Answerer, Answers, Request
from solver.arrangements import Arrangement
from solver.cards import Hand
from solver.exploit import random_hands
from solver.rules import RuleSet, load_rules

QUICK = 50_000
THREADS = 1, 2


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def by_table(rules: RuleSet) -> None:
    """Print how fast hands are answered by the table alone."""
    hands = random_hands(QUICK, seed=1)
    for jobs in THREADS:
        answerer = Answerer(Request(rules, quick=True), jobs)
        answerer.answer(hands[:1])
        taken = min(seconds(lambda answerer=answerer: answerer.answer(hands)) for _ in range(5))  # type: ignore[misc]
        print(f"quick, {jobs} threads                 {QUICK / taken:12,.0f} hands a second")


def by_deals(rules: RuleSet, number: int) -> None:
    """Print how long a pool takes, and how fast hands are answered from it."""
    hands = random_hands(number, seed=2)
    for jobs in THREADS:
        answerer = Answerer(Request(rules), jobs)
        answerer.answer(hands[:1])
        pool = answerer._pool
        if pool is not None:
            size, start = len(pool.beyond(0)), time.perf_counter()
            while len(pool.beyond(size)) > size:
                size = len(pool.beyond(size))
            print(f"pool of {size:,}, {jobs} threads    {time.perf_counter() - start:12.2f} s")
        found: list[Answers] = []
        taken = seconds(lambda answerer=answerer, found=found: found.append(answerer.answer(hands)))  # type: ignore[misc]
        mean = found[0].deals.mean()
        print(f"{mean:7,.0f} deals a hand, {jobs} threads    {number / taken:12,.1f} hands a second")


def agreement(rules: RuleSet, number: int) -> None:
    """Print how answers from a pool compare with 20,000 deals of each hand's own."""
    hands = random_hands(number, seed=3)
    found = Answerer(Request(rules), jobs=2).answer(hands)
    same, given_up, z = 0, [], []
    for at, hand in enumerate(hands.tolist()):
        known = best(Hand(tuple(hand)), rules=rules, precision=0, top=30, jobs=2, seed=1)
        row = tuple(found.cards[at].tolist())
        mine = Arrangement(row[:3], row[3:8], row[8:])
        same += mine == known.best.arrangement
        one = next(one for one in (known.best, *known.alternatives) if one.arrangement == mine)
        given_up.append(one.behind or 0.0)
        z.append((found.units[at] - one.units) / np.hypot(found.stderr[at], one.stderr or 0.0))
    print(f"{number} hands against 20,000 deals of their own: {same} alike, {np.mean(given_up):.4f} units given up")
    print(f"units differ by {np.mean(z):+.2f} standard errors on average, {np.sqrt(np.mean(np.square(z))):.2f} rms")


def capsa(*words: object) -> list[str]:
    return [sys.executable, "-m", "solver", *map(str, words)]


def run(*words: object) -> tuple[float, float]:
    """Run a command; return its seconds and the most memory that it held, in MB."""
    start = time.perf_counter()
    with subprocess.Popen(capsa(*words), stderr=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return time.perf_counter() - start, used.ru_maxrss / 1024


def whole_files(quick: int, dealt: int) -> None:
    with TemporaryDirectory() as folder:
        hands = Path(folder, "hands.txt")
        with hands.open("wb") as out:
            subprocess.run(capsa("deal", quick, "--seed", 6), stdout=out, check=True)
        for suffix in ("jsonl", "csv", "parquet"):
            taken, memory = run("batch", hands, "-o", Path(folder, f"quick.{suffix}"), "--quick")
            print(f"{quick:,} hands, --quick, to {suffix:<8}{taken:8.1f} s {quick / taken:10,.0f}/s {memory:6.0f} MB")
        few = Path(folder, "few.txt")
        few.write_bytes(b"".join(hands.open("rb").readlines()[:dealt]))
        for jobs in (1, 2):
            taken, memory = run("batch", few, "-o", Path(folder, f"{jobs}.jsonl"), "--jobs", jobs)
            print(f"{dealt:,} hands, default deals, {jobs} threads {taken:8.1f} s {memory:24.0f} MB")
        resume(hands, Path(folder, "killed.jsonl"), Path(folder, "quick.jsonl"))
        line_by_line(hands)


def resume(hands: Path, target: Path, whole: Path) -> None:
    """Kill a run in the middle, and time what is left."""
    with subprocess.Popen(capsa("batch", hands, "-o", target, "--quick"), stderr=subprocess.DEVNULL) as process:
        part = Path(f"{target}.part")
        while not part.exists() or part.stat().st_size < whole.stat().st_size * 0.9:
            time.sleep(0.01)
        process.kill()
    done = part.stat().st_size / whole.stat().st_size
    taken, _ = run("batch", hands, "-o", target, "--quick", "--resume")
    assert target.read_bytes() == whole.read_bytes()
    print(f"killed with {done:.0%} written; --resume took {taken:.2f} s with its start, and made the same bytes")


def line_by_line(hands: Path) -> None:
    """Time answers to lines that come one after another."""
    lines = hands.open("rb").readlines()[:3000]
    for words, number in ((["--quick"], 2000), (["--opponents", "balanced"], 300), ([], 300)):
        with subprocess.Popen(
            capsa("batch", "-", "-o", "-", *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        ) as process:
            assert process.stdin and process.stdout
            times = []
            for line in lines[: number + 500]:
                start = time.perf_counter()
                process.stdin.write(line)
                process.stdout.readline()
                times.append(time.perf_counter() - start)
            process.stdin.close()
        median, slowest = np.median(times[500:]) * 1e3, np.quantile(times[500:], 0.99) * 1e3
        print(
            f"a line at a time {' '.join(words):<24} first {times[0]:5.1f} s, then {median:.2f} ms, 99 % {slowest:.1f}"
        )


def main(name: str = "2-4", dealt: str = "1000", compared: str = "100") -> None:
    rules = load_rules(name)
    by_table(rules)
    by_deals(rules, int(dealt))
    agreement(rules, int(compared))


if __name__ == "__main__":
    if sys.argv[1:2] == ["files"]:
        whole_files(*(int(number) for number in [*sys.argv[2:], *("1000000", "10000")[len(sys.argv) - 2 :]]))
    else:
        main(*sys.argv[1:])
