"""Whether a single answer would rather take its opponents from a pool of hands that were set before than deal anew.

A pool is dealt from the whole deck; those of its hands that share no card with the player's are what an opponent can
hold. That suits rules in which opponents count one by one: those of one deal share cards, which home runs depend on.

Usage: python benchmarks/measure_pool.py [RULES [HANDS]]
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from solver.advice import best
from solver.cards import Hand
from solver.deals import Deals, deal
from solver.exploit import random_hands
from solver.pool import POOL_SHARE, make_pool
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import Array, lower

ENTRIES, DEALS, JOBS = 2_000_000, 20_000, 2


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def from_pool(pool: Deals, hand: tuple[int, ...]) -> Deals:
    """Return the part of a pool that a player with this hand can meet, ready to value candidates against."""
    apart = pool.hands[:, 0] & np.uint64(sum(1 << card for card in hand)) == 0
    return pool.select(np.flatnonzero(apart))


def stored(pool: Deals, folder: Path) -> tuple[float, int]:
    """Return the seconds to read a pool, its profiles left to be worked out, and its bytes."""
    path = folder / "pool.npz"
    np.savez(path, hands=pool.hands, classes=pool.classes, strengths=pool.strengths, places=pool.places)

    def read() -> dict[str, Array]:
        with np.load(path) as file:
            return dict(file)

    return min(seconds(read) for _ in range(5)), path.stat().st_size


def main(name: str = "2-4", hands: str = "30") -> None:
    rules = load_rules(name)
    game, table = lower(rules), load_strategy("equilibrium", rules)
    dealt = [tuple(hand) for hand in random_hands(int(hands), seed=3).tolist()]
    deal(game, dealt[0], (), 100, table)  # compiled before anything is timed
    start = time.perf_counter()
    pool = make_pool(table, game, round(ENTRIES * POOL_SHARE), seed=1, jobs=JOBS)
    _ = pool.profiles, pool.settled
    making = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        reading, size = stored(pool, Path(folder))

    best(Hand(dealt[0]), rules=rules, deals=100, jobs=JOBS)
    anew, taken, found, answers = [], [], [], []
    for hand in dealt:  # in turns, so that noise falls on both
        taken.append(seconds(lambda hand=hand: found.append(len(from_pool(pool, hand)))))  # type: ignore[misc]
        anew.append(seconds(lambda hand=hand: deal(game, hand, (), DEALS, table, jobs=JOBS).profiles))  # type: ignore[misc]
        answers.append(seconds(lambda hand=hand: best(Hand(hand), rules=rules, jobs=JOBS)))  # type: ignore[misc]
    scan, fresh, answer = (statistics.median(times) for times in (taken, anew, answers))
    pays, pays_best = (making / (other - scan) if other > scan else float("inf") for other in (fresh, answer))
    print(f"rules {name}, {JOBS} threads, medians of {hands} hands")
    print(f"making a pool of {len(pool):,} hands        {making:10.2f} s")
    print(f"reading it, {size / 1e6:.0f} MB                  {1e3 * reading:10.2f} ms")
    print(f"scanning it for one hand, {np.mean(found):,.0f} deals {1e3 * scan:10.2f} ms")
    print(f"dealing {DEALS:,} anew                    {1e3 * fresh:10.2f} ms")
    print(f"a whole answer, dealing in stages        {1e3 * answer:10.2f} ms")
    print(f"a pool that must be made pays after      {pays:10.0f} answers of {DEALS:,} deals")
    print(f"                                 or      {pays_best:10.0f} answers in stages")


if __name__ == "__main__":
    main(*sys.argv[1:])
