"""Settled rounds: the worked cases of the rules, every key in turn, the slow twin, and sums of zero."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.arrangements import ROWS, Arrangement
from solver.cards import DECK, card_name, parse_cards
from solver.errors import CardError, RequestError
from solver.ranks import five_key, three_key
from solver.rules import RuleSet, load_rules, preset_names
from solver.scoring import Settlement, royalty, settle
from tests import naive

# Section 4 of the rules: A, B, and the rows from A's side.
CASES = {
    "H": ("JsJd9h | QhQs8c3c2h | AsKs6s5s3s", "Th9s7s | Kd6d5d4d3d | KcQc6c5c4c", "WLW"),
    "G1": ("7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs", "AcKc2d | AdQdTd6d5d | 8c8d8h3s3c", "WWW"),
    "G2": ("2c2d2h | 9c8d7h6s5c | AsJsTs8s4s", "3c3d3h | 8c7d6h5s4c | KhQhJh9h4h", "LWW"),
    "G3": ("9c5c2d | KcKd8h7s3c | AcAdQcQs6h", "9h5h2s | JcJd8s7d3d | KhKsQdQh4s", "TWW"),
    "G4": ("9c5c2d | KcKd8h7s3c | AcAdQcQs6h", "9h5h2s | JcJd8s7d3d | 4c4d4hAsTs", "TWL"),
    "G5": ("7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs", "AcAdKh | 2c2d8h6s5h | QcQdJh5c3d", None),
    "G7": ("QcJd9h | Ac2d3h4s5c | 8c8d8h6s6h", "QdJh7c | 6d5h4d3c2s | 9s9d9c4h4c", "WLL"),
}
SECOND = ["ranking.wheel=second"]
BOTH = ["royalties.paid=both"]
TAIWAN = [  # its rows, overall unit and royalties, without the home run
    *("overall.three_rows=3", "royalties.paid=both", "royalties.front={ trips = 3 }"),
    *("royalties.middle={ quads = 4, straight-flush = 5 }", "royalties.back={ quads = 4, straight-flush = 5 }"),
    "overall.two_rows=0",
]
MAU_BINH_FOUL = ["foul.pays=units", "foul.units=6"]


def table(*texts: str) -> list[Arrangement]:
    return [Arrangement.parse(text) for text in texts]


def case(name: str, preset: str, overrides: list[str]) -> Settlement:
    return settle(load_rules(preset, overrides), table(*CASES[name][:2]))


@pytest.mark.parametrize(
    ("name", "preset", "overrides", "units"),
    [
        ("H", "2-4", [], 2),
        ("H", "1-6", [], 1),
        ("G1", "2-4", [], 4),
        ("G1", "1-6", [], 6),
        ("G2", "2-4", [], 2),
        ("G2", "1-6", [], 1),
        ("G3", "2-4", [], 3),
        ("G3", "1-6", [], 2),
        ("G4", "2-4", [], 0),
        ("G4", "1-6", [], 0),
        ("G5", "2-4", [], 4),
        ("G5", "1-6", [], 6),
        ("G7", "2-4", [], -2),
        ("G7", "2-4", SECOND, 2),
        ("G7", "1-6", [], -1),
        ("G7", "1-6", SECOND, 1),
        ("G1", "2-4-royalties", [], 20),
        ("G1", "1-6-royalties", [], 22),
        ("G1", "hong-kong", [], 16),
        ("G1", "mainland", [], 32),
        ("G1", "2-4", TAIWAN, 18),
        ("G1", "1-6-royalties", BOTH, 22),  # pusoy's units
        ("G2", "2-4-royalties", [], -1),
        ("G2", "2-4-royalties", BOTH, 2),
        ("G2", "hong-kong", [], -1),
        ("G2", "mainland", [], -1),
        ("G2", "2-4", TAIWAN, 1),
        ("G5", "2-4-royalties", [], 4),
        ("G5", "1-6-royalties", [], 6),
        ("G5", "mainland", [], 32),
        ("G5", "mainland", MAU_BINH_FOUL, 6),
    ],
)
def test_worked_cases(name: str, preset: str, overrides: list[str], units: float) -> None:
    settled = case(name, preset, overrides)
    assert settled.totals == (units, -units) and settled.matrix == ((0, units), (-units, 0))
    first, second, _ = CASES[name]
    turned = settle(load_rules(preset, overrides), table(second, first))
    assert turned.totals == (-units, units)
    pair, back = settled.pairs[0], turned.pairs[0]
    assert (back.royalties, back.scoop, back.units) == (pair.royalties[::-1], -pair.scoop, -pair.units)


@pytest.mark.parametrize("name", CASES)
def test_the_rows_of_the_worked_cases(name: str) -> None:
    settled, rows = case(name, "2-4", []), CASES[name][2]
    assert settled.pairs[0].results == (None if rows is None else tuple("LTW".index(row) - 1 for row in rows))
    if name == "G7":
        assert case(name, "2-4", SECOND).pairs[0].results == (1, 1, -1)


FOUR = [
    "KhJh5s | KcJc4c3c2c | AhTh9h6h2h",
    "AsQsTs | 9c9d8c3h2d | 4s4h4d7c7h",
    "KdQc5d | 9s8d7s6d5c | AdQdJd7d3d",
    "Tc6c6s | 8s8h5h3s2s | AcKsQhJsTd",
]


@pytest.mark.parametrize(("preset", "totals"), [("2-4", (-2, 6, 2, -6)), ("1-6", (-1, 3, 1, -3))])
def test_four_players(preset: str, totals: tuple[float, ...]) -> None:
    settled = settle(load_rules(preset), table(*FOUR))
    assert settled.totals == totals and settled.fouls == (None, None, None, None)
    assert [(pair.a, pair.b) for pair in settled.pairs] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_two_fouls_pay_each_other_nothing_and_the_third_is_paid_by_both() -> None:
    legal, foul = CASES["G5"][:2]
    other = "TcTdTh | 9c9d7s6c4h | 8c8d5d3h2h".replace("4h", "3c")
    settled = settle(load_rules("1-6"), table(legal, foul, other))
    assert settled.totals == (12, -6, -6) and settled.matrix[1][2] == settled.matrix[2][1] == 0
    assert settled.fouls[0] is None
    assert settled.fouls[1] == "the front (pair of aces, king) beats the middle (pair of twos, eight, six, five)"
    assert settled.fouls[2] is not None and settled.fouls[2].startswith("the front (three tens) beats the middle")
    assert [pair.results for pair in settled.pairs] == [None, None, None]
    assert [pair.scoop for pair in settled.pairs] == [1, 1, 0]


@pytest.mark.parametrize(
    ("overrides", "units"),
    [
        (["foul.royalties=true"], 4 + 3 + 8 + 5),
        (["foul.royalties=true", "scoop.multiplier=3"], 3 * (4 + 3 + 8 + 5)),  # before the multiplier
        (["foul.royalties=true", *MAU_BINH_FOUL, "scoop.multiplier=3"], 6 + 3 + 8 + 5),  # after it
        (["foul.royalties=true", "royalties.per_hand=one"], 4 + 8),
        (["rows.front=2", "rows.back=5", "scoop.multiplier=2"], 2 * (2 + 1 + 5 + 1)),
        ([*MAU_BINH_FOUL, "foul.units=2.5", "scoop.multiplier=2"], 2.5),
    ],
)
def test_what_a_foul_pays(overrides: list[str], units: float) -> None:
    settled = case("G5", "2-4-royalties", overrides)
    assert settled.totals == (units, -units) and settled.pairs[0].scoop == 1


# Trips 7 v trips 3 in front, 4444 v a full house in the middle, a straight flush v quads in the back.
RICH = ("7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs", "3c3d3h | 6c6d6hAdAc | 8c8d8h8s2c")
ROYALTIES = [
    *("royalties.front={ trips = 3 }", "royalties.middle={ full-house = 2, quads = 8 }"),
    "royalties.back={ quads = 4, straight-flush = 5 }",
]


@pytest.mark.parametrize(
    ("overrides", "royalties"),
    [
        (["royalties.paid=winner"], (16, 0)),
        (["royalties.paid=both"], (16, 9)),
        (["royalties.paid=cancel"], (0, 0)),  # both hold one in every row
        (["royalties.paid=winner", "royalties.per_hand=one"], (8, 0)),
        (["royalties.paid=both", "royalties.per_hand=one"], (8, 4)),
        (["royalties.paid=cancel", "royalties.per_hand=one", "royalties.middle={ quads = 8 }"], (8, 0)),
        (["royalties.paid=cancel", "royalties.middle={ quads = 8, full-house = 0 }"], (0, 0)),  # 0 is one too
        (["royalties.style=replace"], (16, 0)),
    ],
)
def test_who_is_paid_royalties(overrides: list[str], royalties: tuple[float, float]) -> None:
    changes = [change for change in ROYALTIES if change.split("=")[0] not in {text.split("=")[0] for text in overrides}]
    settled = settle(load_rules("2-4", [*changes, *overrides]), table(*RICH))
    pair = settled.pairs[0]
    assert pair.results == (1, 1, 1) and pair.scoop == 1 and pair.royalties == royalties
    rows = 0 if "royalties.style=replace" in overrides else 3
    assert pair.units == rows + 1 + royalties[0] - royalties[1]


def test_a_royalty_of_nothing_still_stands_in_for_the_row() -> None:
    rules = load_rules("hong-kong", ["royalties.front={ trips = 0 }", "royalties.middle={}", "royalties.back={}"])
    assert settle(rules, table(*CASES["G1"][:2])).totals == (2, -2)


def test_the_scoop_multiplies_the_royalties_of_both() -> None:
    rules = load_rules("2-4", [*ROYALTIES, "royalties.paid=both", "scoop.multiplier=3"])
    assert settle(rules, table(*RICH)).totals == (3 * (4 + 16 - 9), -3 * (4 + 16 - 9))


def test_no_scoop_where_a_row_is_tied() -> None:
    assert case("G3", "2-4", ["scoop.multiplier=5"]).totals == (3, -3)
    assert case("G3", "2-4", []).pairs[0].scoop == 0


def test_one_row_and_two_ties_earn_no_overall_unit() -> None:
    rows = ("9c5c2d | KcKd8h7s3c | AcAdQcQs6h", "9h5h2s | KhKs8d7d3d | 4c4d4hAsTs")
    settled = settle(load_rules("2-4", ["overall.two_rows=7"]), table(*rows))
    assert settled.pairs[0].results == (0, 0, -1) and settled.totals == (-1, 1)


STRONG = {"straight-flush": 5, "royal-flush": 9, "steel-wheel": 7, "quads": 4, "quads:A": 6, "flush:K": 2}
STRONG |= {"straight": 1, "straight:5": 3, "two-pair:K": 0, "full-house:2": 8}
PLAIN = {"straight-flush": 5, "straight-flush:K": 11, "straight-flush:A": 12}


@pytest.mark.parametrize("wheel", ["lowest", "second"])
@pytest.mark.parametrize(
    ("cards", "back", "units"),
    [
        ("Tc Jc Qc Kc Ac", STRONG, 9),
        ("Ac 2c 3c 4c 5c", STRONG, 7),
        ("2c 3c 4c 5c 6c", STRONG, 5),
        ("9c Tc Jc Qc Kc", PLAIN, 11),
        ("Tc Jc Qc Kc Ac", PLAIN, 12),
        ("Ac 2c 3c 4c 5c", PLAIN, 5),
        ("Ac Ad Ah As 2c", STRONG, 6),
        ("Kc Kd Kh Ks Ac", STRONG, 4),
        ("Kc 9c 4c 3c 2c", STRONG, 2),
        ("Ac Kc 4c 3c 2c", STRONG, None),
        ("Ac 2d 3c 4c 5c", STRONG, 3),
        ("Tc Jd Qc Kc Ac", STRONG, 1),
        ("Kc Kd 2c 2d 3c", STRONG, 0),
        ("Ac Ad Kc Kd 3c", STRONG, None),
        ("2c 2d 2h Ac Ad", STRONG, 8),
        ("Ac Ad Ah 2c 2d", STRONG, None),
        ("Ac Kd 9c 3c 2c", STRONG, None),
    ],
)
def test_the_most_special_royalty_counts(cards: str, back: dict[str, float], units: float | None, wheel: str) -> None:
    rules = msgspec.convert({"royalties": {"back": back}}, RuleSet)
    ids = parse_cards(cards)
    key = five_key([card >> 2 for card in ids], len({card & 3 for card in ids}) == 1, wheel)
    assert royalty("back", key, rules) == units
    assert royalty("middle", key, rules) is None


def test_royalties_of_a_front() -> None:
    rules = msgspec.convert({"royalties": {"front": {"trips": 5, "trips:A": 10, "pair:A": 2}}}, RuleSet)
    ranks = {"AAA": 10, "KKK": 5, "AAK": 2, "KKA": None, "AKQ": None}
    for text, units in ranks.items():
        assert royalty("front", three_key([naive.RANKS.index(rank) for rank in text]), rules) == units


def test_a_card_used_twice_is_refused_by_both_places() -> None:
    first, second, _ = CASES["G1"]
    with pytest.raises(CardError) as error:
        settle(load_rules("2-4"), table(first, second, CASES["H"][1]))
    assert str(error.value) == "9s is in player 1's back and in player 3's front"


@pytest.mark.parametrize("players", [0, 1, 5])
def test_a_round_has_two_to_four_players(players: int) -> None:
    with pytest.raises(RequestError, match=f"2 to 4 players, got {players}"):
        settle(load_rules("2-4"), table(*[FOUR[0]] * players))


AMOUNTS = [0, 1, 1, 2, 3, 0.5, 6]
BY_ROW = {
    "front": ["pair", "pair:A", "pair:2", "trips", "trips:A", "trips:3"],
    "middle": ["two-pair", "trips", "straight", "straight:5", "flush", "flush:A", "full-house", "quads", "quads:4"],
    "back": [
        "straight",
        "flush",
        "full-house",
        "full-house:A",
        "quads",
        "straight-flush",
        "royal-flush",
        "steel-wheel",
    ],
}


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Return a rule set over the keys that are scored, all of them mixed."""
    replace = rng.random() < 0.3
    royalties = {row: {key: rng.choice(AMOUNTS) for key in keys if rng.random() < 0.5} for row, keys in BY_ROW.items()}
    return {
        "ranking": {"wheel": rng.choice(["lowest", "second"])},
        "rows": {row: rng.choice(AMOUNTS) for row in ROWS},
        "overall": {"two_rows": rng.choice(AMOUNTS), "three_rows": rng.choice(AMOUNTS)},
        "royalties": {
            "style": "replace" if replace else "extra",
            "paid": "winner" if replace else rng.choice(["winner", "both", "cancel"]),
            "per_hand": "all" if replace else rng.choice(["all", "one"]),
            **royalties,
        },
        "scoop": {"multiplier": rng.choice([1, 2, 3])},
        "foul": {
            "pays": rng.choice(["scoop", "units"]),
            "units": rng.choice(AMOUNTS),
            "royalties": not replace and rng.random() < 0.5,
        },
    }


def strength(arrangement: tuple[naive.Row, ...]) -> tuple[int, ...]:
    return tuple(naive.five_key(row)[0] for row in arrangement[1:])


def random_table(rng: random.Random, plain: naive.Rules) -> list[naive.Player]:
    """Return two to four players, about one in six of them fouled; few ranks make strong rows and ties common."""
    players = rng.choice([2, 3, 4])
    ranks = rng.sample(
        naive.RANKS, 13 if players == 4 else rng.choice([7, 13]) if players == 2 else rng.choice([10, 13])
    )
    cards = rng.sample([rank + suit for rank in ranks for suit in "cdhs"], 13 * players)
    seated = []
    for at in range(players):
        hand = cards[13 * at : 13 * at + 13]
        splits = []
        for _ in range(rng.choice([20, 100])):
            rng.shuffle(hand)
            splits.append((tuple(hand[:3]), tuple(hand[3:8]), tuple(hand[8:])))
        legal = [rows for rows in splits if naive.is_legal(*rows, plain)]
        wanted = legal if legal and rng.random() < 0.85 else splits
        seated.append(naive.Player(*max(wanted, key=strength) if wanted is legal else rng.choice(wanted)))
    return seated


def test_random_rounds_agree_with_the_slow_twin() -> None:
    rng = random.Random(6)
    fouled = scooped = paid = 0
    for _ in range(250):
        raw = random_rules(rng)
        plain = naive.complete(raw)
        players = random_table(rng, plain)
        expected = naive.settle(plain, players)
        texts = [" | ".join(" ".join(row) for row in (each.front, each.middle, each.back)) for each in players]
        settled = settle(msgspec.convert(raw, RuleSet), table(*texts))
        for mine, other in zip(settled.matrix, expected.pairs, strict=True):
            assert mine == pytest.approx(other), (raw, texts)
        assert settled.totals == pytest.approx(expected.totals)
        for player, reason in zip(players, settled.fouls, strict=True):
            assert (reason is None) == naive.is_legal(player.front, player.middle, player.back, plain)
        for pair in settled.pairs:
            rows = expected.rows.get((pair.a, pair.b))
            fouled += rows is None
            assert (rows is None) == (pair.results is None)
            if rows is not None:
                assert (pair.results, pair.scoop) == (rows.results, rows.scoop)
                assert pair.royalties == pytest.approx(rows.royalties)
                scooped += pair.scoop != 0
                paid += any(pair.royalties)
    assert min(fouled, scooped, paid) > 100  # or the rounds would prove little


@settings(max_examples=60, deadline=None)
@given(st.permutations(DECK), st.integers(2, 4), st.randoms(use_true_random=False))
def test_every_round_sums_to_zero(deck: list[int], players: int, rng: random.Random) -> None:
    seats = [deck[13 * at : 13 * at + 13] for at in range(players)]
    texts = [" ".join(map(card_name, cards)) for cards in seats]
    arrangements = [Arrangement(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:])) for cards in seats]
    settled = settle(msgspec.convert(random_rules(rng), RuleSet), arrangements)
    assert sum(settled.totals) == pytest.approx(0, abs=1e-9), texts
    for i in range(players):
        assert settled.matrix[i][i] == 0 and settled.totals[i] == pytest.approx(sum(settled.matrix[i]))
        assert all(settled.matrix[i][j] == -settled.matrix[j][i] for j in range(players))


@settings(max_examples=60, deadline=None)
@given(st.permutations(DECK), st.permutations(range(4)), st.sampled_from(preset_names()))
def test_suits_relabelled_and_players_swapped_change_nothing(deck: list[int], suits: list[int], preset: str) -> None:
    rules = load_rules(preset)
    hands = [sorted(deck[13 * at : 13 * at + 13]) for at in range(3)]
    players = [Arrangement(tuple(hand[:3]), tuple(hand[3:8]), tuple(hand[8:])) for hand in hands]
    relabelled = [
        Arrangement(*(tuple(card & ~3 | suits[card & 3] for card in one.row(row)) for row in ROWS)) for one in players
    ]
    found = settle(rules, players)
    assert settle(rules, relabelled).totals == found.totals
    assert settle(rules, players[::-1]).totals == found.totals[::-1]
