"""What `best` with its defaults gives up, in units a hand, against best responses on pools of their own.

Usage: python benchmarks/measure_given_up.py [RULES [HANDS [DEALS]]]
"""

import sys

import numpy as np

from solver.advice import best
from solver.arrangements import Arrangement
from solver.cards import Hand
from solver.exploit import given_up, make_pool, random_hands, set_by
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import lower, subsets


def places(hand: list[int], arrangement: Arrangement) -> tuple[int, int]:
    """Return the subsets of front and back of an arrangement."""
    front, back = (sorted(hand.index(card) for card in row) for row in (arrangement.front, arrangement.back))
    return subsets().three.tolist().index(front), subsets().five.tolist().index(back)


def main(name: str = "2-4", hands: str = "500", deals: str = "100000") -> None:
    rules = load_rules(name)
    game, table = lower(rules), load_strategy("equilibrium", rules)
    pool = make_pool(table, game, int(deals), seed=1, jobs=2)
    dealt = random_hands(int(hands), seed=2)
    own = set_by(table, game, dealt)
    found = []
    for hand, quick in zip(dealt.tolist(), own.tolist(), strict=True):
        answer = best(Hand(tuple(hand)), rules=rules)
        found.append(given_up(pool, tuple(hand), [places(hand, answer.best.arrangement), tuple(quick)])[:, :2])
    bounds = np.array(found)
    for label, part in (("best", bounds[:, 0]), ("the table alone", bounds[:, 1])):
        mean, stderr = part.mean(0), part.std(0, ddof=1) / np.sqrt(len(part))
        print(f"{name}, {label}: gives up {mean[0]:.5f} +- {stderr[0]:.5f} to {mean[1]:.5f} +- {stderr[1]:.5f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
