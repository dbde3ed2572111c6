"""Arrangements: legality as in the rules' first section, and text that round-trips."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.arrangements import ROWS, Arrangement, foul_reason, legal_arrangements, ordered
from solver.cards import Hand, card_name, parse_cards
from solver.errors import ArrangementError, CardError
from solver.rules import load_rules
from tests import naive

RULES = load_rules("2-4")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("QhQd7c | QcQs9d8d2c | KsKcKd3s3h", None),
        ("AhAdKc | 2h2d7c6s5h | KsKdKhQc3s", "the front (pair of aces, king) beats the middle (pair of twos"),
        ("AhAdKc | 2h2d2c6s5h | QhQdQsJcJh", None),
        ("AhKdQc | KhJdTc8s7h | QhQdQsJcJh", "the front (ace high, king, queen) beats the middle (king high"),
        ("AhAdAc | KhKdKc2s3h | QhQdQsJcJh", "the front (three aces) beats the middle (three kings"),
        ("AhAdAc | 2h3d4c5s6h | QhQdQsJcJh", None),
        ("2c2d2h | 9c8d7h6s5c | 9s8h7c6d5s", None),
        (
            "7c5d2h | QhQdQsJcJh | 9s8h7c6d5s".replace("7c5d", "8c4d"),
            "the middle (queens full of jacks) beats the back",
        ),
        (
            "Ac Ad Kh | As Ah 3c 4d 5h | QhQdQsJcJh",
            "the front (pair of aces, king) beats the middle (pair of aces, five",
        ),
        ("Ac Ad Kh | As Ah Kd 4d 5h | QhQdQsJcJh", None),
    ],
)
def test_fouls_are_found_and_explained(text: str, reason: str | None) -> None:
    found = foul_reason(Arrangement.parse(text), RULES)
    assert found is None if reason is None else found is not None and found.startswith(reason)


def test_the_wheel_moves_with_the_ranking() -> None:
    text = "QcJd9h | Ac2d3h4s5c | 6d5h4d3c2s"
    assert foul_reason(Arrangement.parse(text), RULES) is None
    second = load_rules("2-4", ["ranking.wheel=second"])
    assert foul_reason(Arrangement.parse(text), second) is not None


@pytest.mark.parametrize(
    "hand", ["2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac", "2c 2d 2h 3c 3d 3h 4c 4d 4h 5c 5d 5h 6s", None]
)
def test_plain_enumeration_agrees_with_the_slow_twin(hand: str | None) -> None:
    cards = parse_cards(hand) if hand else tuple(random.Random(9).sample(range(52), 13))
    names = tuple(card_name(card) for card in sorted(cards))
    ours = {
        tuple(tuple(map(card_name, one.row(row))) for row in ROWS) for one in legal_arrangements(Hand(cards), RULES)
    }
    theirs = {tuple(map(tuple, one)) for one in naive.legal(names, naive.complete({}))}
    assert {tuple(tuple(sorted(row)) for row in one) for one in ours} == {
        tuple(tuple(sorted(row)) for row in one) for one in theirs
    }


@given(st.permutations(range(52)), st.sampled_from([" | ", "|", " / ", "\n"]))
def test_arrangements_round_trip(deck: list[int], separator: str) -> None:
    one = Arrangement(tuple(deck[:3]), tuple(deck[3:8]), tuple(deck[8:13]))
    assert Arrangement.parse(str(one).replace(" | ", separator)) == one
    assert sorted(one.hand.cards) == sorted(deck[:13])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AsKdQc", "expected three rows as front | middle | back, got 1"),
        ("AsKdQc | 2c3c4c5c6c", "got 2"),
        ("AsKd | 2c3c4c5c7d | 2d3d4d5d6d", "the front has 3 cards, got 2: As Kd"),
        ("AsKdQc | 2c3c4c5c | 2d3d4d5d6d", "the middle has 5 cards, got 4"),
        ("2c3c4c5c7d | 2d3d4d5d6d | AsKdQc", "write the front of three first"),
        ("AsKd1c | 2c3c4c5c7d | 2d3d4d5d6d", "front card 3 of 3: unknown rank in '1c'"),
        ("AsKdQc | 2c3c4c5cAs | 2d3d4d5d6d", "As stands in the front and in the middle"),
    ],
)
def test_malformed_arrangements_are_explained(text: str, message: str) -> None:
    with pytest.raises((ArrangementError, CardError), match=re.escape(message)):
        Arrangement.parse(text)


def test_rows_are_laid_as_players_lay_them() -> None:
    def laid(text: str, wheel: str = "lowest") -> str:
        return " ".join(map(card_name, ordered(parse_cards(text), wheel)))

    assert laid("2c Ks 2d Kd 5h") == "Ks Kd 2d 2c 5h"
    assert laid("Ac 2d 3h 4s 5c") == "5c 4s 3h 2d Ac" and laid("Ac 2d 3h 4s 5c", "second") == "Ac 5c 4s 3h 2d"
