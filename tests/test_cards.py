"""Cards and hands: every spelling that is read, every mistake that is named, and round trips."""

import doctest
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import arrangements, ranks
from solver import cards as cards_module
from solver.cards import DECK, RANKS, SUITS, Hand, card_name, format_cards, parse_card, parse_cards
from solver.errors import CardError

SPELLINGS = {"c": "cC♣♧", "d": "dD♦♢", "h": "hH♥♡", "s": "sS♠♤"}
DRAGON = "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac"


@pytest.mark.parametrize("card", DECK)
def test_every_spelling_of_a_card_is_read(card: int) -> None:
    rank, suit = RANKS[card // 4], SUITS[card % 4]
    assert card_name(card) == rank + suit
    ranks = {rank, rank.lower()} | ({"10"} if rank == "T" else set())
    for spelling in [each + mark for each in ranks for mark in SPELLINGS[suit]]:
        assert parse_card(spelling) == card
        assert parse_card(f"{spelling}\ufe0f") == card  # as phones write suits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1h", "unknown rank in '1h' (use 2-9, T or 10, J, Q, K, A)"),
        ("11h", "unknown rank in '11h'"),
        ("Bs", "unknown rank in 'Bs'"),
        ("h", "no rank in 'h'"),
        ("A", "no suit in 'A' (use c, d, h, s or ♣ ♦ ♥ ♠)"),
        ("10", "no suit in '10'"),
        ("Ax", "unknown suit in 'Ax'"),
        ("", "unknown suit in ''"),
        ("sA", "unknown suit in 'sA'"),
        ("A s", "unknown rank in 'A s'"),
    ],
)
def test_what_is_no_card_is_refused_with_what_is_accepted(text: str, message: str) -> None:
    with pytest.raises(CardError) as error:
        parse_card(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        *("As Kd Th 2c", "AsKdTh2c", "as,kd,10h,2c", "A♠ K♦ 10♥ 2♣", "A♠️K♦️T♥️2♣️", " As\tKd,\n10h  ,2C "),
        *("ＡｓＫｄ　１０ｈ，２ｃ", "A♠、K♦、10♥、2♣"),  # noqa: RUF001 (as Chinese and Japanese keyboards write)
        *("\ufeffAs Kd Th 2c\u200f", "\u202bA♠\u200c K♦\u2069 10♥\u200b 2♣"),  # as chats and Persian keyboards do
    ],
)
def test_cards_are_separated_by_spaces_commas_or_nothing(text: str) -> None:
    assert format_cards(parse_cards(text)) == "As Kd Th 2c"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("As 1h Kd", "card 2 of 3: unknown rank in '1h'"),
        ("As Kd As", "card 3 of 3: As is already card 1"),
        ("As K♠ a♠", "card 3 of 3: As is already card 1"),
        ("As K", "card 2 of 2: no suit in 'K'"),
    ],
)
def test_a_mistake_among_cards_is_named_by_its_place(text: str, message: str) -> None:
    with pytest.raises(CardError) as error:
        parse_cards(text)
    assert message in str(error.value)


def test_nothing_reads_as_no_cards() -> None:
    assert parse_cards("") == parse_cards(" , ") == ()


@given(st.lists(st.sampled_from(DECK), unique=True), st.sampled_from([" ", ",", ", ", "", "\n"]), st.booleans())
def test_cards_round_trip(cards: list[int], separator: str, lower: bool) -> None:
    text = separator.join(map(card_name, cards))
    assert parse_cards(text.lower() if lower else text) == tuple(cards)


@given(st.lists(st.sampled_from(DECK), unique=True, min_size=13, max_size=13))
def test_hands_round_trip_in_the_order_given(cards: list[int]) -> None:
    hand = Hand(tuple(cards))
    assert Hand.parse(str(hand)) == hand and hand.cards == tuple(cards)


@given(st.text(alphabet="AKQJT9832105cdhs♠♥x, \n", max_size=40))
def test_any_text_is_read_or_refused_and_never_halfway(text: str) -> None:
    try:
        cards = parse_cards(text)
    except CardError:
        return
    assert parse_cards(format_cards(cards)) == cards


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (tuple(range(12)), "a hand has 13 cards, got 12: 2c 2d"),
        (tuple(range(14)), "a hand has 13 cards, got 14"),
        ((*range(12), 0), "2c stands twice in the hand"),
        ((*range(12), 52), "card 13 of 13: a card id is an integer from 0 to 51, got 52"),
        ((-1, *range(12)), "card 1 of 13: a card id is an integer from 0 to 51, got -1"),
        ((*range(12), "As"), "got 'As'"),
    ],
)
def test_a_hand_is_thirteen_cards(cards: tuple[int, ...], message: str) -> None:
    with pytest.raises(CardError) as error:
        Hand(cards)
    assert message in str(error.value)


def test_a_hand_reads_with_and_without_spaces() -> None:
    assert Hand.parse(DRAGON) == Hand.parse(DRAGON.replace(" ", "")) == Hand(tuple(range(0, 52, 4)))


@pytest.mark.parametrize("module", [cards_module, ranks, arrangements])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
