"""The order of hands: class counts, the slow twin's order, and mistakes that others make."""

import random

import pytest

from solver.arrangements import row_key
from solver.cards import card_name, parse_cards
from solver.ranks import FIVE_CLASSES, THREE_CLASSES, Category, describe, five_order, three_order
from tests import naive


def key(text: str, wheel: str = "lowest") -> tuple[int, tuple[int, ...]]:
    return row_key(parse_cards(text), wheel)


def test_class_counts() -> None:
    """7,462 classes by category and 455 fronts: 13 trips, 156 pairs, 286 high cards."""
    for wheel in ("lowest", "second"):
        order = five_order(wheel)
        counts = [sum(found[0] == category for found in order) for category in Category]
        assert counts == [1277, 2860, 858, 858, 10, 1277, 156, 156, 10] and len(order) == FIVE_CLASSES
    assert [sum(found[0] == category for found in three_order()) for category in (0, 1, 3)] == [286, 156, 13]
    assert len(three_order()) == THREE_CLASSES


@pytest.mark.parametrize("wheel", ["lowest", "second"])
def test_the_order_is_the_slow_twins(wheel: str) -> None:
    rng = random.Random(4)
    for _ in range(4000):
        deck = rng.sample(range(52), 10) if rng.random() < 0.7 else rng.sample(range(0, 52, 4), 10)
        rows = [tuple(deck[:5]), tuple(deck[5:])]
        if rng.random() < 0.3:
            rows = [row[:3] for row in rows]
        names = [tuple(map(card_name, row)) for row in rows]
        ours = [row_key(row, wheel) for row in rows]
        twins = [naive.five_key(row, wheel) if len(row) == 5 else naive.three_key(row) for row in names]
        assert (ours[0] < ours[1], ours[0] == ours[1]) == (twins[0] < twins[1], twins[0] == twins[1])


def test_mistakes_of_others_are_not_made() -> None:
    assert key("5c 5d Ac 3d 2h") < key("6c 6d 4c 3d 2h")
    assert key("Kc Kd Qc Qd 2h") > key("Kc Kd 3c 3d Ah")
    assert Category(key("2c 3d 4h 4s 5c")[0]) is Category.PAIR
    assert key("3c 3d 3h 2c 2d") < key("4c 4d 4h 2c 2d") and key("3c 3d 3h 2c 2d") < key("3c 3d 3h 4c 4d")
    assert Category(key("Qc Kd Ah 2s 3c")[0]) is Category.HIGH_CARD
    for suits in ("cdhsc", "ccccc"):
        wheel, six, king, ace = (
            " ".join(map("".join, zip(ranks, suits, strict=True))) for ranks in ("A2345", "23456", "9TJQK", "AKQJT")
        )
        assert key(wheel) < key(six)
        assert key(king, "second") < key(wheel, "second") < key(ace, "second")
    assert key("2c 3c 4c") < key("2c 3d 5c")  # straights and flushes do not count in front


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("As Ah Kd", "pair of aces, king"),
        ("6s 6h 6d", "three sixes"),
        ("9c 5c 2d", "nine high, five, two"),
        ("Kc Kd Qc Qd 2h", "kings and queens, two"),
        ("Ac 2d 3h 4s 5c", "five-high straight"),
        ("Ac Kc Qc Jc Tc", "royal flush"),
        ("Kc Qc Jc Tc 9c", "king-high straight flush"),
        ("Ac Qc Jc Tc 9c", "ace-high flush, queen, jack, ten, nine"),
        ("3c 3d 3h 2c 2d", "threes full of twos"),
        ("9c 9d 9h 9s Ah", "four nines, ace"),
        ("9c 9d 9h As Kh", "three nines, ace, king"),
        ("Ac Kd 9h 5s 2c", "ace high, king, nine, five, two"),
    ],
)
def test_hands_are_named_in_words(text: str, words: str) -> None:
    assert describe(key(text)) == words
    assert describe(key(text, "second"), "second") == words
