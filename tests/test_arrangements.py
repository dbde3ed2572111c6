"""Arrangements: how they are read, and which are legal."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.arrangements import ROWS, Arrangement, contest_keys, foul_reason, legal_arrangements, ordered, row_keys
from solver.cards import DECK, Hand, card_name, format_cards, parse_cards
from solver.errors import ArrangementError, CapsaError, CardError
from solver.rules import load_rules
from tests import naive

RULES = load_rules("2-4")
SECOND = load_rules("2-4", ["ranking.wheel=second"])
TEXT = "Qh Qd 7c | Qc Qs 9d 8d 2c | Ks Kc Kd 3s 3h"


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("|", "/"),
        TEXT.replace(" | ", "\n"),
        "\n" + TEXT.replace(" | ", "\n\n") + "\n",
        TEXT.replace(" | ", "|\n"),
        TEXT.replace(" ", "").lower(),
        "Q♥ Q♦ 7♣ | Q♣ Q♠ 9♦ 8♦ 2♣ | K♠ K♣ K♦ 3♠ 3♥",
    ],
)
def test_rows_are_separated_by_bars_slashes_or_lines(text: str) -> None:
    arrangement = Arrangement.parse(text)
    assert str(arrangement) == TEXT
    assert arrangement.hand == Hand.parse(TEXT.replace("|", ""))
    assert " | ".join(format_cards(arrangement.row(row)) for row in ROWS) == TEXT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Ks Kc Kd 3s 3h | Qc Qs 9d 8d 2c | Qh Qd 7c",
            "the rows have 5, 5 and 3 cards: write the front of three first",
        ),
        ("Qh Qd | Qc Qs 9d 8d 2c | Ks Kc Kd 3s 3h", "the front has 3 cards, got 2: Qh Qd"),
        ("Qh Qd 7c | Qc Qs 9d 8d | Ks Kc Kd 3s 3h", "the middle has 5 cards, got 4: Qc Qs 9d 8d"),
        ("Qh Qd 7c | Qc Qs 9d 8d 2c | Ks Kc Kd 3s 3h 4c", "the back has 5 cards, got 6: Ks Kc Kd 3s 3h 4c"),
        ("Qh Qd 7c | | Ks Kc Kd 3s 3h", "the middle has 5 cards, got 0"),
        (
            "Qh Qd 7c | Qc Qs 9d 8d 2c",
            "expected three rows as front | middle | back (/ or line breaks separate too), got 2",
        ),
        (TEXT.replace("|", ""), "expected three rows as front | middle | back (/ or line breaks separate too), got 1"),
        (TEXT + " | 4c", "expected three rows as front | middle | back (/ or line breaks separate too), got 4"),
        (
            TEXT.replace(" | ", "\n") + "\n4c",
            "expected three rows as front | middle | back (/ or line breaks separate too), got 4",
        ),
        ("", "expected three rows as front | middle | back (/ or line breaks separate too), got 0"),
    ],
)
def test_rows_of_other_sizes_are_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(ArrangementError) as error:
        Arrangement.parse(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Qh 1d 7c | Qc Qs 9d 8d 2c | Ks Kc Kd 3s 3h", "front card 2 of 3: unknown rank in '1d' (use 2-9, T or 10"),
        ("Qh Qd 7c | Qc Qs 9d 8d 2c | Ks Kc K 3s 3h", "back card 3 of 5: no suit in 'K' (use c, d, h, s"),
        ("Qh Qd 7c | Qc Qs 9d 9d 2c | Ks Kc Kd 3s 3h", "middle card 4 of 5: 9d is already middle card 3"),
        ("Qh Qd 7c | Qc Qs 9d 8d 2c | Ks Kc Kd 3s Qd", "Qd stands in the front and in the back"),
    ],
)
def test_a_wrong_card_is_named_by_its_row(text: str, message: str) -> None:
    with pytest.raises(CardError) as error:
        Arrangement.parse(text)
    assert message in str(error.value)


@given(st.lists(st.sampled_from(DECK), unique=True, min_size=13, max_size=13), st.sampled_from([" | ", "/", "\n"]))
def test_arrangements_round_trip(cards: list[int], separator: str) -> None:
    arrangement = Arrangement(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:]))
    assert Arrangement.parse(str(arrangement).replace(" | ", separator)) == arrangement
    assert arrangement.hand.cards == tuple(cards)


@given(st.text(alphabet="AKQT92cdhs|/ \n", max_size=50))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        arrangement = Arrangement.parse(text)
    except CapsaError:
        return
    assert Arrangement.parse(str(arrangement)) == arrangement


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TEXT, None),  # the cases of the reference, section 1: Q-Q-7 is under Q-Q-9
        (
            "Ah Ad Kc | 2h 2d 7c 6s 5h | Qh Qd Qs Jc Jh",
            "the front (pair of aces, king) beats the middle (pair of twos, seven, six, five)",
        ),
        (
            "Ah Kd Qc | Kh Jd Tc 8s 7h | 5h 5d 5s 4c 4h",
            "the front (ace high, king, queen) beats the middle (king high, jack, ten, eight, seven)",
        ),
        (
            "Ah Ad Ac | Kh Kd Kc 8s 7h | 5h 5d 5s 4c 4h",
            "the front (three aces) beats the middle (three kings, eight, seven)",
        ),
        ("Ah Ad Ac | 2h 3d 4c 5s 6h | 5h 5d 5c 4s 4h", None),  # trips over nothing below a straight
        ("2h 2d 2c | 3h 3d 3c 8s 7h | 5h 5d 5s 4c 4h", None),
        ("Qh Qd 9c | Qc Qs 9d 8d 2c | Ks Kc Kd 3s 3h", None),  # the three cards tie
        (
            "Qh Qd Tc | Qc Qs 9d 8d 7c | Ks Kc Kd 3s 3h",
            "the front (pair of queens, ten) beats the middle (pair of queens, nine, eight, seven)",
        ),
        ("Ah Kd Qc | Ac Ks Qh 3d 2c | 5h 5d 5s 4c 4h", None),
        ("Ah Kh Qh | 2c 2d 5s 4s 3h | 6h 6d 7s 8c 9h", None),  # suited and in a row, still ace high
        (
            "2h 3d 4c | Kh Kd Ks 8s 8h | Ah Td 9s 7c 5h",
            "the middle (kings full of eights) beats the back (ace high, ten, nine, seven, five)",
        ),
        ("2h 3d 5c | Ah Kd Js 8s 7h | Ad Kc Jc 8h 7c", None),  # middle and back are equal
        ("2h 3d 5c | Ac Kc Jc 8c 7c | Ad Kd Jd 8d 7d", None),  # in suits too: they decide nothing
        ("2h 3d 5c | Ad Kd Jd 8d 7d | Ac Kc Jc 8c 7c", None),
    ],
)
def test_legal_or_why_not(text: str, reason: str | None) -> None:
    arrangement = Arrangement.parse(text)
    assert foul_reason(arrangement, RULES) == reason
    rows = [tuple(map(card_name, arrangement.row(row))) for row in ROWS]
    assert naive.is_legal(rows[0], rows[1], rows[2], naive.complete({})) == (reason is None)


def test_the_wheel_decides_which_straight_may_stand_in_the_middle() -> None:
    wheel_first = Arrangement.parse("2h 3d 8c | Ac 2d 3h 4s 5c | 9s 5d 6h 7s 8s")
    wheel_last = Arrangement.parse("2h 3d 8c | 9s 5d 6h 7s 8s | Ac 2d 3h 4s 5c")
    assert foul_reason(wheel_first, RULES) is None and foul_reason(wheel_last, SECOND) is None
    assert foul_reason(wheel_last, RULES) == ("the middle (nine-high straight) beats the back (five-high straight)")
    assert foul_reason(wheel_first, SECOND) == ("the middle (five-high straight) beats the back (nine-high straight)")


def test_row_keys_are_ordered_by_importance() -> None:
    arrangement = Arrangement.parse("7c Qh Qd | 9d Qc 2c Qs 8d | 3s Ks Kc 3h Kd")
    assert row_keys(arrangement, "lowest") == ((1, (10, 5)), (1, (10, 7, 6, 0)), (6, (11, 1)))


@pytest.mark.parametrize(
    ("cards", "wheel", "shown"),
    [
        ("7c Qh Qd", "lowest", "Qh Qd 7c"),
        ("2c As Kd 3h 3s", "lowest", "3s 3h As Kd 2c"),
        ("2c Ac 2d Ad Ks", "lowest", "Ad Ac 2d 2c Ks"),
        ("3c 2c 3d 2d 3s", "lowest", "3s 3d 3c 2d 2c"),
        ("Ac 2d 3h 4s 5c", "lowest", "5c 4s 3h 2d Ac"),
        ("2d Ac 3h 4s 5c", "second", "Ac 5c 4s 3h 2d"),
        ("Tc Jd Ac Ks Qh", "lowest", "Ac Ks Qh Jd Tc"),
        ("2c 3d Ah", "lowest", "Ah 3d 2c"),
    ],
)
def test_cards_are_shown_by_importance(cards: str, wheel: str, shown: str) -> None:
    assert format_cards(ordered(parse_cards(cards), wheel)) == shown


@pytest.mark.parametrize(
    ("hand", "wheel"),
    [
        ("Kh Qs Jd Jc 9h 8c 7d 7s 5h 4c 3d 2s 2c", "lowest"),
        ("Ac Ad 2h 2c 3h 3s 4s 4d 5c 5s 6c 7d Kd", "second"),  # straights and wheels
        ("2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As", "lowest"),  # everything is a flush
    ],
)
def test_legal_arrangements_agree_with_the_slow_twin(hand: str, wheel: str) -> None:
    rules = load_rules("2-4", [f"ranking.wheel={wheel}"])
    expected = {
        tuple(frozenset(row) for row in rows)
        for rows in naive.legal(tuple(hand.split()), naive.complete({"ranking": {"wheel": wheel}}))
    }
    found = [
        tuple(frozenset(map(card_name, each.row(row))) for row in ROWS)
        for each in legal_arrangements(Hand.parse(hand), rules)
    ]
    assert len(found) == len(set(found)) and set(found) == expected


def test_foul_reason_agrees_with_the_slow_twin_on_random_splits() -> None:
    rng = random.Random(4)
    for wheel in ("lowest", "second"):
        rules, plain = load_rules("2-4", [f"ranking.wheel={wheel}"]), naive.complete({"ranking": {"wheel": wheel}})
        for _ in range(1500):
            cards = rng.sample(DECK, 13) if rng.random() < 0.5 else rng.sample([*DECK[:16], *DECK[48:]], 13)
            arrangement = Arrangement(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:]))
            front, middle, back = (tuple(map(card_name, arrangement.row(row))) for row in ROWS)
            assert (foul_reason(arrangement, rules) is None) == naive.is_legal(front, middle, back, plain)


@pytest.mark.parametrize("card", [52, -1, "As", 1.0, None, True])
def test_a_card_that_is_no_card_id_is_refused(card: object) -> None:
    with pytest.raises(CardError, match="the front: a card id is an integer from 0 to 51"):
        Arrangement((0, 1, card), tuple(range(10, 15)), tuple(range(20, 25)))  # type: ignore[arg-type]


# --- What rows of two players are compared by, and a deuce-to-seven middle ---

RANKINGS = [
    {"wheel": wheel, "suits": suits, "middle": middle}
    for wheel in ("lowest", "second")
    for suits in ("", "dchs", "cdhs", "shdc")
    for middle in ("high", "deuce-to-seven")
]


def random_arrangement(rng: random.Random) -> Arrangement:
    """Return thirteen cards in rows, often of few ranks, of one suit or in a run."""
    cards = rng.sample(DECK, 13) if rng.random() < 0.4 else rng.sample([*DECK[:16], *DECK[48:]], 13)
    if rng.random() < 0.4:
        run = [4 * rank + rng.randrange(4) for rank in rng.choice([(12, 0, 1, 2, 3), (8, 9, 10, 11, 12)])]
        if rng.random() < 0.4:
            run = [card & ~3 | run[0] & 3 for card in run]
        rest = [card for card in cards if card not in run][:8]
        cards = [*rest[:3], *run, *rest[3:]] if rng.random() < 0.5 else [*rest, *run]
    return Arrangement(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:]))


def names(arrangement: Arrangement) -> list[naive.Row]:
    return [tuple(map(card_name, arrangement.row(row))) for row in ROWS]


@pytest.mark.parametrize("ranking", RANKINGS, ids=lambda ranking: " ".join(ranking.values()))
def test_rows_of_two_players_compare_as_by_the_slow_twin(ranking: dict[str, str]) -> None:
    rng = random.Random(str(ranking))
    rules = load_rules("2-4", [f"ranking.{key}={value}" for key, value in ranking.items() if value])
    plain = naive.complete({"ranking": ranking})
    arrangements = [random_arrangement(rng) for _ in range(400)]
    for at, row in enumerate(ROWS):
        keyed = [(contest_keys(one, rules)[at], naive.row_key(row, names(one)[at], plain)) for one in arrangements]
        for (mine, other), (next_mine, next_other) in pairwise(sorted(keyed)):
            assert (mine < next_mine, mine == next_mine) == (other < next_other, other == next_other)


@pytest.mark.parametrize("wheel", ["lowest", "second"])
def test_foul_reason_with_a_deuce_to_seven_middle_agrees_with_the_slow_twin(wheel: str) -> None:
    rng, fouls = random.Random(7), 0
    ranking = {"wheel": wheel, "middle": "deuce-to-seven"}
    rules = load_rules("2-4", [f"ranking.{key}={value}" for key, value in ranking.items()])
    for _ in range(1500):
        arrangement = random_arrangement(rng)
        front, middle, back = names(arrangement)
        legal = naive.is_legal(front, middle, back, naive.complete({"ranking": ranking}))
        assert (foul_reason(arrangement, rules) is None) == legal
        fouls += not legal
    assert 100 < fouls < 1400


@pytest.mark.parametrize(
    ("text", "reason"),
    [  # only back >= front is required
        ("Kh 9d 8c | Ah Ad Ac As Kd | Kc 9h 8d 3c 2d", None),
        ("Qh Qd 9c | 7h 5d 4c 3s 2h | Qc Qs 9d 8d 3c", None),
        (
            "Qh Qd Tc | 7h 5d 4c 3s 2h | Qc Qs 9d 8d 3c",
            "the front (pair of queens, ten) beats the back (pair of queens, nine, eight, three)",
        ),
        ("2h 2d 2c | 7h 5d 4c 3s 8h | Ac Kd Qh Js Tc", None),
        (
            "2h 2d 2c | 7h 5d 4c 3s 8h | Ac Ad Kh Ks Tc",
            "the front (three twos) beats the back (aces and kings, ten)",
        ),
    ],
)
def test_legal_with_a_deuce_to_seven_middle_or_why_not(text: str, reason: str | None) -> None:
    rules = load_rules("2-4", ["ranking.middle=deuce-to-seven"])
    assert foul_reason(Arrangement.parse(text), rules) == reason


@pytest.mark.parametrize(
    ("text", "suits", "wheel", "places"),
    [  # the highest suit among the cards of the most important rank, by its place in the order
        ("Kh Kd Qs | 9c 9d 8s 8h 2s | Ac Ad 3s 2c 5h", "cdhs", "lowest", (2, 1, 1)),
        ("Kh Qd Js | Ac 2d 3s 4h 5h | 9h 9c 9d 8s 8h", "cdhs", "lowest", (2, 2, 2)),  # a wheel's is its five
        ("Kh Qd Js | Ac 2d 3s 4h 5h | 9h 9c 9d 8s 8h", "cdhs", "second", (2, 0, 2)),  # or its ace
        ("Kh Qd Js | Ac 2d 3s 4h 5h | 9h 9c 9d 8s 8h", "shdc", "second", (1, 3, 3)),
        ("Kh Qd Js | Ac 2d 3s 4h 5h | 9h 9c 9d 8s 8h", "", "lowest", (0, 0, 0)),
    ],
)
def test_the_suit_that_breaks_a_tie(text: str, suits: str, wheel: str, places: tuple[int, ...]) -> None:
    rules = load_rules("2-4", [f"ranking.suits={suits}", f"ranking.wheel={wheel}"])
    assert tuple(place for _, place in contest_keys(Arrangement.parse(text), rules)) == places
