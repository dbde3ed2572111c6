"""Cards and hands: everything that prints reads back, and what cannot be read is named with its place."""

import doctest
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import arrangements, cards, ranks
from solver.cards import SUITS, Hand, card_name, format_cards, parse_card, parse_cards
from solver.errors import CardError

SYMBOLS = dict(zip(SUITS, ("♣♧", "♦♢", "♥♡", "♠♤"), strict=True))


def test_every_card_round_trips_in_every_spelling() -> None:
    seen = set()
    for card in range(52):
        name = card_name(card)
        seen.add(name)
        ranks_ = [name[0], name[0].lower()] + ["10"] * (name[0] == "T")
        suits = [
            name[1],
            name[1].upper(),
            *SYMBOLS[name[1]],
            SYMBOLS[name[1]][0] + "\ufe0f",
            SYMBOLS[name[1]][0] + "\ufe0e",
        ]
        assert {parse_card(rank + suit) for rank in ranks_ for suit in suits} == {card}
    assert len(seen) == 52 and parse_card("As") == 51 and parse_card("2c") == 0


@given(st.permutations(range(52)), st.sampled_from([" ", ",", ", ", "", "  ", "\n", "\t"]))
def test_cards_round_trip_with_any_separator(deck: list[int], separator: str) -> None:
    dealt = tuple(deck[:13])
    assert parse_cards(separator.join(map(card_name, dealt))) == dealt
    assert Hand.parse(str(Hand(dealt))) == Hand(dealt)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_card_error(text: str) -> None:
    try:
        found = parse_cards(text)
    except CardError as error:
        assert str(error)
    else:
        assert parse_cards(format_cards(found)) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1h", "card 1 of 1: unknown rank in '1h' (use 2-9, T or 10, J, Q, K, A)"),
        ("As Xd", "card 2 of 2: unknown rank in 'Xd'"),
        ("As 7", "card 2 of 2: no suit in '7' (use c, d, h, s"),
        ("As 10", "card 2 of 2: no suit in '10'"),
        ("As 7x", "card 2 of 2: unknown suit in '7x'"),
        ("As d", "card 2 of 2: no rank in 'd'"),
        ("As 11d", "card 2 of 2: unknown rank in '11d'"),
        ("AsKdAs", "card 3 of 3: As is already card 1"),
    ],
)
def test_errors_name_the_place_and_what_is_accepted(text: str, message: str) -> None:
    with pytest.raises(CardError, match=re.escape(message)):
        parse_cards(text)


def test_a_hand_has_thirteen_distinct_cards() -> None:
    for number in (0, 12, 14):
        with pytest.raises(CardError, match=f"a hand has 13 cards, got {number}"):
            Hand(tuple(range(number)))
    with pytest.raises(CardError, match="2c stands twice"):
        Hand((0, *range(12)))
    with pytest.raises(CardError, match="an integer from 0 to 51, got 52"):
        Hand((*range(12), 52))


@pytest.mark.parametrize("module", [cards, ranks, arrangements])
def test_examples_in_docstrings_hold(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0 and result.failed == 0
