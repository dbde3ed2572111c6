"""Settled rounds: the worked cases of the rules, every sentence about scoring, and mistakes that others make."""

import msgspec
import pytest

from solver.arrangements import Arrangement, foul_reason
from solver.cards import Hand, parse_cards
from solver.errors import CardError, RequestError
from solver.ranks import five_key, three_key
from solver.rules import RuleSet, load_rules
from solver.scoring import Player, Settlement, royalty, settle
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


# --- The steps of a round, sentence by sentence ---

# In every row the first ties with the second and beats the third, which beats the fourth.
HIGH = ("Kh Qd 4c", "9h 9d 7s 5h 2h", "Ah Ad Ts 6h 4h")
TWIN = ("Kc Qs 4d", "9c 9s 7c 5c 2c", "Ac As Tc 6c 4s")
LOW = ("Jh Td 3c", "8h 8d 6s 3h 2s", "Qh Qc 7d 5d 3s")
UNDER = "Js 9c 3d | 8c 8s 5c 4d 2d | Jc Jd Ks 7c 6d"
FOUL = "Ac As Kc | Kd Qs Th 7h 2c | Tc 9s 6c 5s 4s"
FOULED_LOW = "Qh Qc 7d | 8h 8d 6s 3h 2s | Jh Td 3c 5d 3s"
FLUSHES, PAIRS = "2d5d6d3h4h7hKhAh2c7cTcKcAc", "3s3c4s4d5s5h8s8d9s9dJsJdQs"
HOLDS_PAIRS = "3s3cQs | 4s4d5s5h8s | 8d9s9dJsJd"  # the same six pairs in rows
PLAIN, PLAIN_FOUL = "2h3d4c | 9c9h7d6c5c | AdAsKs8c6h", "AdAsKs | 9c9h7d6c5c | 2h3d4c8c6h"
DRAGON, SUITED = "2c3d4h5s6c7d8h9sTcJdQhKsAh", "2s3s4s5s6s7s8s9sTsJsQsKsAs"
SPLIT = ("4h4dKh | AhAd9s7d2c | QhQd4s4c3h", "JhTd3c | 8h8d6s3d2s | KcKdJcJs5h")  # four fours, WWL


def contest(results: str) -> list[str]:
    """Return two arrangements whose rows give these results, such as ``WTL``."""
    first = [{"W": HIGH, "T": HIGH, "L": LOW}[result][row] for row, result in enumerate(results)]
    second = [{"W": LOW, "T": TWIN, "L": TWIN}[result][row] for row, result in enumerate(results)]
    return [" | ".join(first), " | ".join(second)]


def seat(text: str) -> Player:
    """Read a player: an arrangement, a natural's thirteen cards, "surrender", or "undeclared" and an arrangement."""
    if text == "surrender":
        return Player(surrender=True)
    if "|" not in text:
        return Player(natural=Hand.parse(text))
    return Player(arrangement=Arrangement.parse(text.removeprefix("undeclared ")), undeclared="undeclared" in text)


def plays(overrides: str, players: list[str], banker: int | None = None) -> tuple[float, ...]:
    """Return the totals of a round, from rules that pay a unit a row and nothing else but what is set."""
    changes = ["overall.two_rows=0", "overall.three_rows=0", *filter(None, overrides.split("; "))]
    return settle(load_rules("2-4", changes), list(map(seat, players)), banker).totals


NATURALS = "naturals.list=[{ kind = 'three-flushes', units = 4 }, { kind = 'six-pairs', units = 7 }]"
SURRENDER = f"surrender.allowed=true; surrender.units=3; {NATURALS}"
RUN = "home_run.min_opponents=1; home_run.multiplier=3; home_run.extra=2"
TABLE = [" | ".join(HIGH), " | ".join(LOW), UNDER]


@pytest.mark.parametrize(
    ("overrides", "players", "totals"),
    [
        # 1. A pair with one natural pays its units; rows, overall, royalties, fouls and scoop play no part in it.
        ("", [FLUSHES, PLAIN], (4, -4)),
        ("rows.front=9; scoop.multiplier=5; overall.three_rows=5", [FLUSHES, PLAIN], (4, -4)),
        ("foul.pays=units; foul.units=9", [FLUSHES, PLAIN_FOUL], (4, -4)),
        # Two: the one later in the list in full, the higher units, the difference or nothing.
        ("", [FLUSHES, PAIRS], (-7, 7)),
        ("naturals.paid=higher-value", [FLUSHES, PAIRS], (-7, 7)),
        ("naturals.paid=difference", [FLUSHES, PAIRS], (-3, 3)),
        ("naturals.paid=none", [FLUSHES, PAIRS], (0, 0)),
        # Declared always where that may not be declined; else the hand is played.
        ("naturals.may_decline=false", [HOLDS_PAIRS, PLAIN], (7, -7)),
        ("", [HOLDS_PAIRS, PLAIN], (3, -3)),
        ("naturals.may_decline=false; naturals.enabled=false", [HOLDS_PAIRS, PLAIN], (3, -3)),
        ("naturals.may_decline=false", ["9s9dJd | 3s3c5s8sQs | 4s4d5h8dJs", PLAIN], (7, -7)),  # though it is a foul
        # 2. To every opponent who has not surrendered, those who foul included; a natural's units to a natural.
        ("foul.pays=units; foul.units=5", ["surrender", TABLE[1], FOUL], (-6, 3 + 5, 3 - 5)),
        ("", ["surrender", "surrender", FOUL], (-3, -3, 6)),
        ("", ["surrender", FLUSHES, PAIRS], (-11, 4 - 7, 7 + 7)),
        # 3. Each row's units, the overall bonus and the multiplier; or fixed units, which neither multiplies.
        ("rows.middle=3; overall.three_rows=4; scoop.multiplier=2", [TABLE[1], FOUL], (18, -18)),
        ("foul.pays=units; foul.units=5; scoop.multiplier=2; overall.three_rows=4", [TABLE[1], FOUL], (5, -5)),
        (f"foul.pays=units; foul.units=5; {RUN}", [TABLE[1], FOUL], (7, -7)),
        (RUN, [TABLE[1], FOUL], (11, -11)),  # a fouled opponent counts as scooped
        ("", [FOULED_LOW, FOUL], (0, 0)),  # two foulers
        ("royalties.style=replace; royalties.middle.pair:8=6", [TABLE[1], FOUL], (8, -8)),
        ("foul.royalties=true; royalties.middle.pair:8=6; royalties.front.pair:A=9", [TABLE[1], FOUL], (9, -9)),
        ("foul.royalties=true; royalties.middle.pair:8=6", [f"undeclared {TABLE[1]}", FOUL], (3, -3)),
    ],
)  # fmt: skip
def test_naturals_surrender_and_fouls(overrides: str, players: list[str], totals: tuple[float, ...]) -> None:
    assert plays(f"{SURRENDER}; {overrides}", players) == totals


def test_dragons_are_equal_and_the_suited_one_is_a_higher_kind() -> None:
    kinds = "naturals.list=[{ kind = 'dragon', units = 13 }, { kind = 'suited-dragon', units = 26 }]"
    assert plays(kinds, [DRAGON, "2d3h4s5c6d7h8s9cTdJhQsKcAd"]) == (0, 0)
    assert plays("", [DRAGON, "2d3h4s5c6d7h8s9cTdJhQsKcAd"]) == (0, 0)
    assert plays(kinds, [SUITED, "2d3h4h5c6d7h8c9cTdJhQcKcAd"]) == (26, -26)


NINES, EIGHTS = "royalties.middle.pair:9=4; royalties.middle.pair:8=1", "royalties.middle.pair:8=5"
OVERALL = "overall.two_rows=2; overall.three_rows=5"


@pytest.mark.parametrize(
    ("overrides", "results", "units"),
    [
        # 4. A won row pays its units, a tied row nothing; with "replace" the winner's royalty stands in for them.
        ("rows.front=2; rows.middle=0.5; rows.back=4", "WWL", -1.5),
        ("rows.front=2; rows.middle=0.5; rows.back=4", "TTL", -4),
        (f"royalties.style=replace; {NINES}", "LWL", 2),
        (f"royalties.style=replace; {EIGHTS}", "WWW", 3),  # the loser's does nothing
        (f"royalties.style=replace; {NINES}", "TTT", 0),
        (f"royalties.style=replace; {NINES}", "TLT", -4),
        # 5. With the row won, or both whatever the row's result, or nothing where both hold one.
        (NINES, "LWL", -1 + 4),
        (NINES, "LLL", -3 - 4),
        (NINES, "WTL", 0),
        (f"royalties.paid=both; {NINES}", "LWL", -1 + 4 - 1),
        (f"royalties.paid=both; {NINES}", "WTL", 0),
        (f"royalties.paid=both; {EIGHTS}", "WWW", 3 - 5),
        (f"royalties.paid=cancel; {NINES}", "LWL", -1),
        ("royalties.paid=cancel; royalties.middle.pair:9=4", "LWL", -1 + 4),
        (f"royalties.per_hand=one; {NINES}; royalties.back.pair:A=3", "LWW", 1 + 4),
        (f"royalties.per_hand=one; {NINES}; royalties.back.pair:A=3", "LLW", -1 - 4 + 3),  # each his own
        ("royalties.per_hand=one; royalties.middle={ pair = 4 }; royalties.back={ pair = 4 }", "LWW", 1 + 4),
        # What is not payable is not the largest.
        (f"royalties.per_hand=one; royalties.paid=cancel; {NINES}; royalties.back.pair:A=3", "LWW", 1 + 3),
        # 6. "rows": exactly two rows, or three.
        (OVERALL, "WWL", 1 + 2),
        (OVERALL, "WWT", 2 + 2),
        (OVERALL, "WWW", 3 + 5),
        (OVERALL, "WTT", 1),
        (OVERALL, "WTL", 0),
        (OVERALL, "LLW", -1 - 2),
        # "net": more rows than he loses.
        (f"{OVERALL}; overall.basis=net", "WTT", 1 + 2),
        (f"{OVERALL}; overall.basis=net", "WTL", 0),
        (f"{OVERALL}; overall.basis=net; rows.back=4", "WWL", -2 + 2),
        (f"{OVERALL}; overall.basis=net", "LLL", -3 - 5),
        # "total": three rows, otherwise the higher total of rows and royalties.
        (f"{OVERALL}; overall.basis=total", "WTL", 0),
        (f"{OVERALL}; overall.basis=total; rows.back=4", "WWL", -2 - 2),
        (f"{OVERALL}; overall.basis=total; {NINES}", "LWL", -1 + 4 + 2),
        (f"{OVERALL}; overall.basis=total; royalties.paid=both; {EIGHTS}", "WWW", 3 - 5 + 5),
        (f"{OVERALL}; overall.basis=total", "TTT", 0),
        # 7. All three rows, or with "none-lost" at least one and none lost: the pair's whole total is multiplied.
        ("scoop.multiplier=3", "WWW", 9),
        ("scoop.multiplier=3", "WWT", 2),
        ("scoop.multiplier=3; scoop.when=none-lost", "WWT", 6),
        ("scoop.multiplier=3; scoop.when=none-lost", "TLT", -3),
        ("scoop.multiplier=3; scoop.when=none-lost", "WWL", 1),
        ("scoop.multiplier=3; scoop.when=none-lost", "TTT", 0),
        (f"scoop.multiplier=3; royalties.paid=both; {NINES}; {OVERALL}", "WWW", 3 * (3 + 5 + 4 - 1)),
        (f"scoop.multiplier=3; royalties.paid=both; {EIGHTS}", "WWW", 3 * (3 - 5)),
        ("scoop.multiplier=players", "WWW", 2 * 3),
        # Suits decide what is equal: the king of hearts, the nine of spades, the ace of spades.
        ("ranking.suits=cdhs", "TTT", 1 - 1 - 1),
        ("ranking.suits=shcd", "TTT", -1 + 1 + 1),
        ("ranking.suits=cdhs; ranking.middle=deuce-to-seven", "TTT", 1 + 1 - 1),  # the lower suit is the better one
        ("ranking.middle=deuce-to-seven", "TWT", -1),
        (f"ranking.middle=deuce-to-seven; royalties.paid=both; {OVERALL}", "WLW", 3 + 5),
    ],
)  # fmt: skip
def test_rows_royalties_overall_and_scoop(overrides: str, results: str, units: float) -> None:
    assert plays(overrides, contest(results)) == (units, -units)
    assert plays(overrides, contest(results)[::-1]) == (-units, units)


@pytest.mark.parametrize(
    ("overrides", "units"),
    [
        ("", 1 + 4),
        ("royalties.per_hand=one", 1 + 4),
        ("royalties.per_hand=one; royalties.middle.pair:A=6", 1 + 6),
        ("royalties.paid=cancel", 1 + 4),
        ("royalties.split=false", 1),
        ("royalties.back.quads:4=9", 1 + 9),
        ("royalties.back={ straight-flush = 5 }", 1),
    ],
)
def test_quads_split_over_rows_are_paid_as_in_the_back(overrides: str, units: float) -> None:
    back = "" if "royalties.back={" in overrides else "royalties.back.quads=4; royalties.back.straight-flush=5; "
    changes = f"royalties.split=true; {back}{overrides}"
    assert plays(changes, list(SPLIT)) == (units, -units)
    assert plays(changes, [f"undeclared {SPLIT[0]}", SPLIT[1]]) == (1, -1)
    assert plays(changes, ["AhAdKh | 4h4d9s7d2c | QhQd4s4c3h", SPLIT[1]]) == (-3, 3)  # never a fouler


def test_quads_that_are_set_are_paid_once() -> None:
    quads = ["KhQh3h | AhAd9s7d2c | 4h4d4s4cQd", SPLIT[1]]
    assert plays("royalties.split=true; royalties.back.quads=4", quads) == (3 + 4, -7)
    # The best of what was dealt counts: the straight flush, not the quads.
    dealt = ["7s6s5s | 4h4d9c8s2h | AcAhAd4s4c", "QhQd2c | KsKdJcJd9h | 5c5d5h3c3d"]
    units = "royalties.split=true; royalties.back.quads=4; royalties.back.straight-flush=5; royalties.back.full-house=1"
    assert plays(units, dealt) == (-1 + 1 + 5, -5)


def test_undeclared_royalties_are_not_paid_and_cancel_nothing() -> None:
    first, second = contest("LWL")
    assert plays(NINES, [f"undeclared {first}", second]) == (-1, 1)
    assert plays(f"royalties.paid=cancel; {NINES}", [first, f"undeclared {second}"]) == (3, -3)
    assert plays(f"royalties.style=replace; {NINES}", [f"undeclared {first}", second]) == (-1, 1)


@pytest.mark.parametrize(
    ("overrides", "players", "totals"),
    [
        # 8. Everybody scooped, at least so many: each pair again multiplied, and the extra from each.
        ("home_run.multiplier=3; home_run.extra=2", TABLE, (22, -11 + 3, -11 - 3)),
        ("scoop.multiplier=2; home_run.multiplier=3", TABLE, (36, -18 + 6, -18 - 6)),
        ("home_run.multiplier=3; home_run.min_opponents=3", TABLE, (6, 0, -6)),
        ("home_run.multiplier=3", TABLE[:2], (3, -3)),
        (RUN, TABLE[:2], (11, -11)),
        ("home_run.multiplier=3", [*TABLE[:2], FOUL], (18, -9 + 3, -9 - 3)),
        # Who surrendered or declared a natural prevents it.
        (f"home_run.multiplier=3; {SURRENDER}", [*TABLE[:2], "surrender"], (6, 0, -6)),
        # A paid natural is a scoop for the home run only, where so said.
        (f"{RUN}; scoop.multiplier=2; {NATURALS}", [FLUSHES, PLAIN], (4, -4)),
        (f"{RUN}; scoop.multiplier=2; {NATURALS}; naturals.as_scoop=true", [FLUSHES, PLAIN], (14, -14)),
        (f"{RUN}; {NATURALS}; naturals.as_scoop=true; naturals.paid=none", [FLUSHES, PAIRS], (0, 0)),
        (f"{RUN}; {NATURALS}; naturals.as_scoop=true; naturals.paid=difference", [FLUSHES, PAIRS], (-11, 11)),
    ],
)  # fmt: skip
def test_home_runs(overrides: str, players: list[str], totals: tuple[float, ...]) -> None:
    assert plays(overrides, players) == totals


@pytest.mark.parametrize(
    ("overrides", "results", "banker", "units"),
    [
        ("", "TTT", 0, 0),
        ("table.banker_wins_ties=true", "TTT", 0, 3),
        ("table.banker_wins_ties=true", "TTT", 1, -3),
        (f"table.banker_wins_ties=true; {NINES}", "LTL", 0, -2 + 1 + 4),
        (f"table.banker_wins_ties=true; {NINES}", "LTL", 1, -3 - 4),
        (f"table.banker_wins_ties=true; {OVERALL}; scoop.multiplier=2", "WTT", 0, 2 * (3 + 5)),
        (f"table.banker_wins_ties=true; {OVERALL}; scoop.multiplier=2", "WTT", 1, 1 - 2 - 2),
    ],
)
def test_a_banker_may_win_ties(overrides: str, results: str, banker: int, units: float) -> None:
    assert plays(f"table.banker=true; {overrides}", contest(results), banker) == (units, -units)


def test_only_pairs_with_the_banker_count() -> None:
    assert plays("table.banker=true", TABLE, 1) == (3, 0, -3)
    assert plays("table.banker=true; home_run.multiplier=2", TABLE, 0) == (12, -6, -6)
    assert plays("table.banker=true; home_run.multiplier=2; home_run.min_opponents=1", TABLE, 2) == (3, 3, -6)
    equal = [DRAGON, "2d3h4s5c6d7h8s9cTdJhQsKcAd"]
    assert plays("table.banker=true; table.banker_wins_ties=true", equal, 0) == (0, 0)


@pytest.mark.parametrize(
    ("overrides", "players", "banker", "message"),
    [
        ("", [FLUSHES.replace("Ac", "Ts"), PLAIN], None, "player 1: no natural of the rules '2-4' in"),
        ("naturals.enabled=false", [FLUSHES, PAIRS], None, "player 1: no natural of the rules '2-4' in"),
        ("", [TABLE[1], "surrender"], None, "player 2: the rules '2-4' do not allow surrender"),
        ("table.banker=true", TABLE, None, "the rules '2-4' have a banker: say who it is"),
        ("", TABLE, 1, "the rules '2-4' have no banker"),
        ("table.banker=true", TABLE, 3, "banker: a seat from 0 to 2, got 3"),
    ],
)
def test_what_cannot_be_settled(overrides: str, players: list[str], banker: int | None, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        plays(overrides, players, banker)


# --- Mistakes that others make ---


@pytest.mark.parametrize(
    ("front", "middle", "back", "results"),
    [  # rows of A v rows of B
        ("Kh9d4c Qh8d3c", "5c5dAh3h2h 6c6d4h3d2s", "AcAdQs7d8h QcQd9s7h4s", (1, -1, 1)),  # sixes over fives
        (
            "4c4d2h 5c5h3h",
            "KcKdQcQd2c KhKs3c3dAd",
            "AhAsQhQs3s 9c9d9h9s7d",
            (-1, 1, -1),
        ),  # the second pair, not the ace
        ("Kc7d4c Kh7c4d", "2h3d4h4s5h 2s5c8s9hAh", "AcAdQs7h8h QcQd9s6d6s", (0, 1, -1)),  # 2-3-4-4-5 is but a pair
        ("2c2d3h 2h2s4h", "7c7d7hAcAd 8c8d8h3c3d", "QcQdQh4c4d JcJdJhAhAs", (-1, -1, 1)),  # trips, then the pair
        ("8c7d3h 8d7h4c", "Ac2d3c4h5s 2c3d4d5h6s", "TcTdTh9c9d KcKdKh9h9s", (-1, -1, -1)),  # the wheel is the lowest
    ],
)
def test_known_mistakes_in_comparing_rows(front: str, middle: str, back: str, results: tuple[int, ...]) -> None:
    first, second = (" | ".join(rows) for rows in zip(front.split(), middle.split(), back.split(), strict=True))
    settled = settle(load_rules("2-4"), table(first, second))
    assert settled.fouls == (None, None) and settled.pairs[0].results == results


@pytest.mark.parametrize(("wheel", "result"), [("lowest", -1), ("second", 1)])
@pytest.mark.parametrize("middles", ["Ac2d3c4h5c 9dTcJdQcKd", "Ac2c3c4c5c 9dTdJdQdKd"])
def test_a_wheel_loses_to_the_king_high_straight_or_beats_it(middles: str, wheel: str, result: int) -> None:
    first, second = middles.split()
    rows = [f"8s7d3h | {first} | TsJsQsKsAs", f"8h7c4d | {second} | ThJhQhKhAh"]
    settled = settle(load_rules("2-4", [f"ranking.wheel={wheel}"]), table(*rows))
    assert settled.pairs[0].results == (-1, result, 0) and settled.fouls == (None, None)


def test_known_mistakes_about_fouls_and_scoops() -> None:
    rules = load_rules("2-4")
    assert foul_reason(Arrangement.parse("AhAdKc | 2h2d7c6s5h | QhQdQsJcJh"), rules)
    assert foul_reason(Arrangement.parse("AhKdQc | 2c3d4h5s6c | 2h3s4c5d6h"), rules) is None  # equal straights
    assert foul_reason(Arrangement.parse("9hKdQc | 2c3d4h4s5c | AhAd8s7c2h"), rules) is None  # a pair of fours
    assert settle(load_rules("2-4"), table(*contest("WWW"))).totals == (4, -4)  # not 12, a unit for each pair of rows
    assert settle(load_rules("1-6"), table(*contest("WWW"))).totals == (6, -6)  # not 18
