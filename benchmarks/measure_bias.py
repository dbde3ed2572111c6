"""By how much the units of `best` lean high, since the best is valued on the deals that it was chosen on.

They are compared with the units of the same arrangement on a pool of hands of its own, plainly and by the margin over
the arrangement that a table chooses without deals: there the luck of the deals, far greater than the bias, cancels.

Usage: python benchmarks/measure_bias.py [RULES [HANDS [DEALS]]]
"""

import sys

import numpy as np
from bench_strength import places

from solver.advice import best
from solver.candidates import candidates
from solver.cards import Hand
from solver.expectation import value
from solver.exploit import random_hands
from solver.pool import make_pool
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import STEPS_OF_ORDER, lower

CASES = {"as soon as decided": 0.01, "after all 20,000 deals": 0.0}


def main(name: str = "2-4", hands: str = "240", deals: str = "50000") -> None:
    rules = load_rules(name)
    game, table = lower(rules), load_strategy("equilibrium", rules)
    pool = make_pool(table, game, int(deals), seed=1, jobs=2)
    found: dict[str, list[list[float]]] = {label: [] for label in CASES}
    for hand in random_hands(int(hands), seed=2).tolist():
        options = candidates(tuple(hand), game)
        apart = pool.hands[:, 0] & np.uint64(sum(1 << card for card in hand)) == 0
        truth = value(options, pool.select(np.flatnonzero(apart)), 2).mean
        reference = int(np.argmax(table.worth(tuple(hand), options.strengths // STEPS_OF_ORDER)))
        for label, precision in CASES.items():
            answer = best(Hand(tuple(hand)), rules=rules, precision=precision, top=len(options))
            shown = (answer.best, *answer.alternatives)
            lean = {at: one.units - truth[at] for one in shown for at in [options.find(*places(hand, one.arrangement))]}
            plain, stderr = next(iter(lean.values())), answer.best.stderr
            margin = plain - lean[reference]
            found[label].append([plain, margin, plain / stderr, margin / stderr, answer.decided, answer.deals])
    for label, rows in found.items():
        numbers = np.array(rows)
        mean, stderr = numbers.mean(0), numbers.std(0, ddof=1) / np.sqrt(len(rows))
        print(f"{name}, {label} ({mean[4]:.1%} are; {mean[5]:,.0f} deals): units lean high by")
        for column, what in enumerate(("plainly", "by the margin")):
            units, scaled = (f"{mean[k]:+.5f} +- {stderr[k]:.5f}" for k in (column, column + 2))
            print(f"  {units}, {scaled} of the standard error that is printed, {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])
