"""How many of the 635,013,559,600 hands hold each natural, counted exactly with the compiled detector.

Ranks and suits are counted apart: a kind that depends on the number of cards by rank is asked of one hand for each of
the 3,598,180 possible numbers, a kind that depends on suits of one hand for each of 560, and each stands for as many
hands as there are ways to choose its cards. The counts come from an independent computation.
"""

import random
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

from solver import kernels
from solver.naturals import holds, runs
from solver.ranks import Category
from solver.rules import Natural
from solver.tables import NATURAL_FACTS, _run_shapes, ranking

ALL = comb(52, 13)


def facts(hands: np.ndarray, *kinds: str) -> np.ndarray:
    """Return which hands hold each kind, shape (kinds, n)."""
    found = np.empty((len(kinds), len(hands)), bool)
    for at, kind in enumerate(kinds):
        out = np.empty(len(hands), np.int8)
        kernels.natural_places(hands, np.array([1 << NATURAL_FACTS.index(kind)], np.uint32), _run_shapes(), out)
        found[at] = out == 0
    return found


def numbers(places: int, most: int, total: int) -> np.ndarray:
    """Return every way to put a total into so many places, up to ``most`` in each, shape (n, places)."""
    parts = [np.zeros((1, 0), np.int8)] + [None] * total
    for place in range(places):
        grown = []
        for held in range(total + 1):
            below = [
                np.column_stack((parts[held - own], np.full(len(parts[held - own]), own, np.int8)))
                for own in range(min(most, held) + 1)
                if parts[held - own] is not None
            ]
            grown.append(np.concatenate(below) if below else None)
        left = (places - place - 1) * most
        parts = [part if held + left >= total else None for held, part in enumerate(grown)]
    return parts[total]


def hands_of(counts: np.ndarray, card: np.ndarray) -> np.ndarray:
    """Return a hand for each row of numbers; ``card[place, k]`` is the k-th card of a place."""
    which = np.arange(card.shape[1]) < counts[:, :, None]
    return np.sort(np.broadcast_to(card, which.shape)[which].reshape(-1, 13), axis=1)


RANKED = {
    "dragon": 67_108_864,
    "three-straights": 2_029_579_776,
    "six-pairs": 2_856_863_152,
    "five-pairs-trips": 320_246_784,
    "four-trips": 6_589_440,
    "three-quads": 11_440,
    "all-high": 37_442_160,
    "thirteen-royals": 560,
    "twelve-royals": 65_520 + 560,
}
SUITED = {"three-flushes": 5_705_516_392, "thirteen-colour": 20_801_200, "twelve-colour": 523_001_600}


@pytest.mark.slow
def test_kinds_by_rank_are_found_in_exactly_as_many_hands_as_there_are() -> None:
    counts = numbers(13, 4, 13)
    assert len(counts) == 3_598_180
    ways = np.array([comb(4, n) for n in range(5)], np.int64)
    card = 4 * np.arange(13)[:, None] + np.arange(4)
    everything, found = 0, dict.fromkeys([*RANKED, "all-low"], 0)
    shapes = {"2-2-2-2-2-2-1": 0, "quads and four pairs": 0, "quads": 0}
    for at in range(0, len(counts), 100_000):
        part = counts[at : at + 100_000]
        weight = ways[part].prod(1)
        everything += int(weight.sum())
        held = facts(hands_of(part, card), *found)
        for kind, hits in zip(found, held, strict=True):
            found[kind] += int(weight[hits].sum())
        sizes = [(part == size).sum(1) for size in range(5)]
        pairs = held[list(found).index("six-pairs")]
        shapes["2-2-2-2-2-2-1"] += int(weight[pairs & (sizes[2] == 6)].sum())
        four = pairs & (sizes[4] == 1) & (sizes[2] == 4) & (sizes[1] == 1)
        shapes["quads and four pairs"] += int(weight[four].sum())
        shapes["quads"] += int(weight[sizes[4] > 0].sum())
    assert everything == ALL
    assert found == RANKED | {"all-low": comb(28, 13)}
    assert shapes == {
        "2-2-2-2-2-2-1": 2_241_727_488,
        "quads and four pairs": 266_872_320,
        "quads": 21_717_689_136,
    }


def test_kinds_by_suit_are_found_in_exactly_as_many_hands_as_there_are() -> None:
    counts = numbers(4, 13, 13)
    assert len(counts) == 560
    weight = np.array([comb(13, n) for n in range(14)], np.int64)[counts].prod(1)
    assert weight.sum() == ALL
    hands = hands_of(counts, np.arange(4)[:, None] + 4 * np.arange(13))
    held = facts(hands, *SUITED)
    assert {kind: int(weight[hits].sum()) for kind, hits in zip(SUITED, held, strict=True)} == SUITED


@cache
def suited_runs() -> frozenset[frozenset[int]]:
    """All hands of three straight flushes, built row by row."""
    rows = {
        size: [frozenset(4 * r + suit for r in ranks) for ranks in runs(size) for suit in range(4)] for size in (3, 5)
    }
    found = set()
    for back, middle in combinations(rows[5], 2):
        if not back & middle:
            found |= {back | middle | front for front in rows[3] if not front & (back | middle)}
    return frozenset(found)


def test_three_straight_flushes_are_found_in_all_hands_that_are_and_in_none_beside() -> None:
    hands = np.array([sorted(hand) for hand in suited_runs()])
    assert facts(hands, "three-straight-flushes").all()
    assert facts(hands, "three-straights", "three-flushes").all()
    rng = random.Random(3)
    near = []
    for hand in hands[:: len(hands) // 3000].tolist():
        hand[rng.randrange(13)] = rng.choice([card for card in range(52) if card not in hand])
        near.append(sorted(hand))
    expected = [frozenset(hand) in suited_runs() for hand in near]
    assert facts(np.array(near), "three-straight-flushes")[0].tolist() == expected


def test_a_suited_dragon_is_four_hands() -> None:
    suited = np.array([[4 * rank + suit for rank in range(13)] for suit in range(4)])
    assert facts(suited, "suited-dragon", "dragon", "three-straight-flushes", "thirteen-colour").all()
    near = suited.copy()
    near[:, 4] ^= 1
    assert not facts(near, "suited-dragon").any() and facts(near, "dragon").all()


def test_hands_with_a_straight_flush_are_as_many_as_there_are() -> None:
    """Split hands are paid for them; the flush table says which masks of a suit hold one."""
    order = ranking("lowest")
    straight = [mask for mask in range(1 << 13) if mask.bit_count() == 5]
    straight = [mask for mask in straight if order.category[order.flush[mask]] == Category.STRAIGHT_FLUSH]
    assert len(straight) == 10
    without = np.zeros(14, object)
    for mask in range(1 << 13):
        if not any(mask & run == run for run in straight):
            without[mask.bit_count()] += 1
    hands = np.ones(1, object)
    for _ in range(4):
        hands = np.convolve(hands, without)
    assert ALL - hands[13] == 10_644_616_240


def test_the_compiled_detector_agrees_with_the_plain_one() -> None:
    rng = np.random.default_rng(7)

    def dealt(deck: np.ndarray, number: int) -> np.ndarray:
        return np.sort(deck[np.argsort(rng.random((number, len(deck))), axis=1)[:, :13]], axis=1)

    deck = np.arange(52)
    decks = [deck, deck[:28], deck[24:], deck[36:], deck[(deck & 3) % 3 > 0], deck[(deck & 3) < 2], deck[::5]]
    hands = np.concatenate([dealt(part, 1500) for part in decks if len(part) >= 13])
    for kind in NATURAL_FACTS:
        plain = Natural(
            kind="twelve-royals" if "royals" in kind else kind.removesuffix(" with quads"),
            units=1.0,
            quads=kind.endswith("with quads"),
            count=13 if kind == "thirteen-royals" else 12,
        )
        found = facts(hands, kind)[0]
        assert found.tolist() == [holds(hand, plain) for hand in hands.tolist()], kind
