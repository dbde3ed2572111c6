"""All 2,598,960 five-card hands and all 22,100 fronts: counts, and a checksum of the whole order."""

import hashlib
from itertools import combinations

import numpy as np
import pytest

from solver.tables import Ranking, ranking
from tests import naive

CATEGORY_COUNTS = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]
"""High card to straight flush; Wikipedia, "Poker probability"."""


def all_fives() -> np.ndarray:
    return np.array(list(combinations(range(52), 5)), np.int8)


def strengths(fives: np.ndarray, order: Ranking) -> np.ndarray:
    """Rank all hands from the lookup tables alone."""
    ranks, suits = fives >> 2, fives & 3
    index = sum(order.colex[k, ranks[:, k]].astype(np.int64) for k in range(5))
    flush = (suits == suits[:, :1]).all(1)
    masks = (1 << ranks.astype(np.int64)).sum(1)
    return np.where(flush, order.flush[masks % 8192], order.five[index])


@pytest.mark.slow
@pytest.mark.parametrize("wheel", ["lowest", "second"])
def test_all_hands_are_in_the_order_of_plain_python(wheel: str) -> None:
    fives = all_fives()
    found = strengths(fives, ranking(wheel))
    assert np.bincount(ranking(wheel).category[found]).tolist() == CATEGORY_COUNTS
    assert len(np.unique(found)) == 7462
    names = [rank + suit for rank in naive.RANKS for suit in "cdhs"]
    keys = [naive.five_key.__wrapped__(tuple(names[card] for card in five), wheel) for five in fives.tolist()]
    place = {key: at for at, key in enumerate(sorted(set(keys)))}
    expected = np.array([place[key] for key in keys], np.int16)
    assert hashlib.sha256(found.astype(np.int16).tobytes()).digest() == hashlib.sha256(expected.tobytes()).digest()


def test_fronts_are_counted_right() -> None:
    ranks = np.array(list(combinations(range(52), 3))) >> 2
    order = ranking("lowest")
    found = order.three[sum(order.colex[k, ranks[:, k]].astype(np.int64) for k in range(3))]
    by_class = np.bincount(found)
    assert len(by_class) == 455 and by_class.min() > 0
    high, pairs, trips = by_class[:286].sum(), by_class[286:442].sum(), by_class[442:].sum()
    assert (high, pairs, trips) == (286 * 64, 13 * 12 * 6 * 4, 13 * 4)


@pytest.mark.slow
def test_all_hands_are_in_the_order_of_phevaluator() -> None:
    from phevaluator.evaluator import evaluate_5cards

    fives = all_fives()
    theirs = np.array([evaluate_5cards(*five) for five in fives.tolist()])
    # phevaluator counts from 1, the royal flush, to 7462.
    assert (strengths(fives, ranking("lowest")) == 7462 - theirs).all()


def test_random_hands_are_in_the_order_of_phevaluator_and_treys() -> None:
    from phevaluator.evaluator import evaluate_5cards
    from treys import Card, Evaluator

    rng = np.random.default_rng(3)
    fives = np.sort(rng.permuted(np.tile(np.arange(52), (40_000, 1)), axis=1)[:, :5], axis=1)
    found = strengths(fives, ranking("lowest"))
    assert (found == 7462 - np.array([evaluate_5cards(*five) for five in fives.tolist()])).all()
    cards = [Card.new(rank + suit) for rank in naive.RANKS for suit in "cdhs"]
    evaluator = Evaluator()
    some = fives[:5_000]
    theirs = np.array([evaluator._five([cards[card] for card in five]) for five in some.tolist()])
    assert (found[:5_000] == 7462 - theirs).all()
