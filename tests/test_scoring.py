"""Settling rounds: worked cases of the rules, and the independent oracle on random rounds."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.arrangements import ROWS, Arrangement, legal_arrangements
from solver.cards import Hand, card_name
from solver.errors import CardError, RequestError
from solver.rules import RuleSet, load_rules, preset_names
from solver.scoring import settle
from tests import naive
from tests.test_kernels import VARIANTS

H = "JsJd9h | QhQs8c3c2h | AsKs6s5s3s", "Th9s7s | Kd6d5d4d3d | KcQc6c5c4c"
G1 = "7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs", "AcKc2d | AdQdTd6d5d | 8c8d8h3s3c"
G2 = "2c2d2h | 9c8d7h6s5c | AsJsTs8s4s", "3c3d3h | 8c7d6h5s4c | KhQhJh9h4h"
G3 = "9c5c2d | KcKd8h7s3c | AcAdQcQs6h", "9h5h2s | JcJd8s7d3d | KhKsQdQh4s"
G4 = G3[0], "9h5h2s | JcJd8s7d3d | 4c4d4hAsTs"
G5 = G1[0], "AcAdKh | 2c2d8h6s5h | QcQdJh5c3d"
G7 = "QcJd9h | Ac2d3h4s5c | 8c8d8h6s6h", "QdJh7c | 6d5h4d3c2s | 9s9d9c4h4c"

CASES = [
    (H, "WLW", {"2-4": 2, "1-6": 1}),
    (G1, "WWW", {"2-4": 4, "1-6": 6, "2-4-royalties": 20, "1-6-royalties": 22, "hong-kong": 16, "mainland": 32}),
    (G2, "LWW", {"2-4": 2, "1-6": 1, "2-4-royalties": -1, "mainland": -1, "hong-kong": -1}),
    (G3, "TWW", {"2-4": 3, "1-6": 2}),
    (G4, "TWL", {"2-4": 0, "1-6": 0}),
    (G5, None, {"2-4": 4, "1-6": 6, "2-4-royalties": 4, "mainland": 32}),
    (G7, "WLL", {"2-4": -2, "1-6": -1}),
]


@pytest.mark.parametrize(("round_", "rows", "units"), CASES)
def test_worked_cases(round_: tuple[str, str], rows: str | None, units: dict[str, int]) -> None:
    a, b = map(Arrangement.parse, round_)
    for name, expected in units.items():
        found = settle(load_rules(name), [a, b])
        mirrored = settle(load_rules(name), [b, a])
        assert found.totals == (expected, -expected) and mirrored.totals == (-expected, expected), name
        results = found.pairs[0].results
        assert rows == (None if results is None else "".join("TWL"[result] for result in results))


def test_worked_cases_with_other_keys() -> None:
    a, b = map(Arrangement.parse, G2)
    both = load_rules("2-4-royalties", ["royalties.paid=both"])
    assert settle(both, [a, b]).totals == (2, -2)
    a, b = map(Arrangement.parse, G7)
    for name, expected in (("2-4", 2), ("1-6", 1)):
        assert settle(load_rules(name, ["ranking.wheel=second"]), [a, b]).totals[0] == expected
    a, b = map(Arrangement.parse, G5)
    assert settle(load_rules("mainland", ["foul.pays=units", "foul.units=6"]), [a, b]).totals == (6, -6)
    foul = "AcAdKh | 2c2d8h6s5h | QcQdJh5c3d", "AsAhKd | 2h2s8d6c4h | QsQhJd5d3c"
    fouls = settle(load_rules("1-6"), list(map(Arrangement.parse, foul)))
    assert fouls.totals == (0, 0) and all(fouls.fouls)


def test_four_players() -> None:
    table = [
        "KhJh5s | KcJc4c3c2c | AhTh9h6h2h",
        "AsQsTs | 9c9d8c3h2d | 4s4h4d7c7h",
        "KdQc5d | 9s8d7s6d5c | AdQdJd7d3d",
        "Tc6c6s | 8s8h5h3s2s | AcKsQhJsTd",
    ]
    players = list(map(Arrangement.parse, table))
    assert settle(load_rules("2-4"), players).totals == (-2, 6, 2, -6)
    assert settle(load_rules("1-6"), players).totals == (-1, 3, 1, -3)


def deal(rng: random.Random, number: int, rules: RuleSet) -> list[Arrangement]:
    """Deal players who foul now and then, from lumpy decks so that royalties and ties are common."""
    ranks = rng.sample(range(13), 13 if number > 3 or rng.random() < 0.5 else 10 if number == 3 else 7)
    deck = rng.sample([4 * rank + suit for rank in ranks for suit in range(4)], 13 * number)
    players = []
    for seat in range(number):
        cards = sorted(deck[13 * seat : 13 * seat + 13], key=lambda card: (card >> 2, card))
        if rng.random() < 0.4:
            rng.shuffle(cards)
        players.append(Arrangement(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:])))
    return players


def oracle(rules: RuleSet, players: list[Arrangement]) -> naive.Result:
    named = [naive.Player(*(tuple(map(card_name, one.row(row))) for row in ROWS)) for one in players]
    return naive.settle(naive.complete(msgspec.to_builtins(rules)), named)


FOULS = [["foul.pays=units", "foul.units=7"], ["foul.pays=units", "foul.royalties=true"], ["foul.royalties=true"]]


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        *((name, []) for name in preset_names()),
        *(("2-4", changes) for changes in VARIANTS),
        *(("2-4-royalties", changes) for changes in FOULS),
        ("1-6-royalties", ["foul.royalties=true", "royalties.per_hand=one", "scoop.multiplier=2"]),
        ("mainland", FOULS[0]),
    ],
)
def test_random_rounds_agree_with_the_oracle(preset: str, changes: list[str]) -> None:
    rules = load_rules(preset, changes)
    rng = random.Random(preset + str(changes))
    fouls = 0
    for _ in range(120):
        players = deal(rng, rng.choice([2, 2, 3, 4]), rules)
        found, expected = settle(rules, players), oracle(rules, players)
        assert found.matrix == tuple(map(tuple, expected.pairs)) and found.totals == tuple(expected.totals)
        assert sum(found.totals) == pytest.approx(0, abs=1e-9)
        fouls += sum(foul is not None for foul in found.fouls)
        for pair in found.pairs:
            twin = expected.rows.get((pair.a, pair.b))
            if pair.results is not None and twin is not None:
                assert (pair.results, pair.scoop) == (tuple(twin.results), twin.scoop)
    assert fouls > 0


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(52)), st.permutations(range(4)), st.sampled_from(preset_names()))
def test_suits_relabelled_and_players_swapped_change_nothing(deck: list[int], suits: list[int], preset: str) -> None:
    rules = load_rules(preset)

    def seat(cards: list[int]) -> Arrangement:
        ordered = sorted(cards)
        return Arrangement(tuple(ordered[:3]), tuple(ordered[3:8]), tuple(ordered[8:]))

    players = [seat(deck[:13]), seat(deck[13:26]), seat(deck[26:39])]
    other = [
        Arrangement(*(tuple(card & ~3 | suits[card & 3] for card in one.row(row)) for row in ROWS)) for one in players
    ]
    found = settle(rules, players)
    assert settle(rules, other).totals == found.totals
    assert settle(rules, players[::-1]).totals == found.totals[::-1]
    assert sum(found.totals) == 0


def test_a_card_used_twice_at_the_table_is_named_with_both_places() -> None:
    a, b = Arrangement.parse(H[0]), Arrangement.parse(H[1].replace("Kd", "As"))
    with pytest.raises(CardError, match="As is in player 1's back and in player 2's middle"):
        settle(load_rules("2-4"), [a, b])
    with pytest.raises(RequestError, match="2 to 4 players, got 1"):
        settle(load_rules("2-4"), [a])


def test_plain_enumeration_gives_arrangements_that_never_foul() -> None:
    hand = Hand(tuple(range(0, 52, 4)))
    first = next(iter(legal_arrangements(hand, load_rules("2-4"))))
    assert sorted(first.hand.cards) == sorted(hand.cards)
