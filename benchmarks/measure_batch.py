"""How fast many hands are answered at once, and how far answers from a pool agree with those of single hands.

Usage: python benchmarks/measure_batch.py [RULES [DEALT [COMPARED]]]
"""

import sys
import time
from collections.abc import Callable
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


def main(name: str = "2-4", dealt: str = "1000", compared: str = "100") -> None:
    rules = load_rules(name)
    by_table(rules)
    by_deals(rules, int(dealt))
    agreement(rules, int(compared))


if __name__ == "__main__":
    main(*sys.argv[1:])
