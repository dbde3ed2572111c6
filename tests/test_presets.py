"""The rule sets that come with the package: their values, what they pay for known rounds, and their words."""

import json
import re
from typing import Any

import msgspec
import pytest

from solver.arrangements import Arrangement
from solver.cards import Hand
from solver.errors import RequestError
from solver.presets import preset_names
from solver.rulebook import explain
from solver.rules import RuleSet, load_rules, preset_text
from solver.scoring import Player, settle
from tests import naive


def listed(*entries: tuple[str, float]) -> list[dict[str, Any]]:
    """Return a list of naturals from kinds, separated by spaces, and their units; kind+quads sets that key."""
    found = []
    for kinds, units in entries:
        for kind in kinds.split():
            name, _, quads = kind.partition("+")
            found.append({"kind": name, "units": units, "quads": bool(quads), "count": 12})
    return found


THREE = "three-flushes three-straights six-pairs"
S = {
    "front": {"trips": 3},
    "middle": {"full-house": 2, "quads": 8, "straight-flush": 10},
    "back": {"quads": 4, "straight-flush": 5},
}
REPLACE = {**S, "style": "replace"}
NATURALS_24 = {"list": listed((THREE, 4), ("dragon", 13))}
NATURALS_16 = {"list": listed((THREE, 6), ("dragon", 13))}
TWO_FOUR = {"overall": {"two_rows": 1, "three_rows": 1}, "naturals": NATURALS_24}
ONE_SIX = {"overall": {"three_rows": 3}, "naturals": NATURALS_16}
DOUBLE = {"scoop": {"multiplier": 2}, "home_run": {"multiplier": 2}, "ranking": {"wheel": "second"}}

# Section 3 of the rules, row by row; what is not here has its default.
EXPECTED: dict[str, dict[str, Any]] = {
    "2-4": TWO_FOUR,
    "1-6": ONE_SIX,
    "1-4": {"overall": {"three_rows": 1}, "naturals": NATURALS_24, "surrender": {"allowed": True, "units": 2}},
    "2-4-royalties": {**TWO_FOUR, "royalties": S},
    "1-6-royalties": {**ONE_SIX, "royalties": S, "surrender": {"allowed": True, "units": 3}},
    "equal-royalties": {
        **TWO_FOUR,
        "royalties": {**{row: dict.fromkeys(table, 1) for row, table in S.items()}, "per_hand": "one"},
    },
    "club": {
        **TWO_FOUR,
        "royalties": {
            "front": {"trips": 1},
            "middle": {"full-house": 1, "quads": 2, "straight-flush": 4},
            "back": {"quads": 1, "straight-flush": 2},
            "paid": "cancel",
            "split": True,
        },
        "surrender": {"allowed": True, "units": 2},
    },
    "eastern": {
        "overall": {"three_rows": 3},
        "royalties": {
            "front": S["front"],
            "middle": {**S["middle"], "royal-flush": 14},
            "back": {**S["back"], "royal-flush": 7},
        },
        "naturals": {
            "suits": "cdhs",
            "list": listed(
                *(("three-flushes six-pairs", 3), ("three-straights five-pairs-trips+quads", 4)),
                *(("twelve-colour", 8), ("dragon thirteen-colour", 13)),
            ),
        },
    },
    "hong-kong": {
        "royalties": REPLACE,
        "naturals": {"list": listed(("three-straights three-flushes six-pairs all-low all-high", 3), ("dragon", 13))},
    },
    "taiwan": {
        "overall": {"three_rows": 3},
        "royalties": {
            "front": {"trips": 3},
            "middle": {"quads": 4, "straight-flush": 5},
            "back": {"quads": 4, "straight-flush": 5},
            "paid": "both",
        },
        "home_run": {"extra": 6, "min_opponents": 3},
        "naturals": {"list": listed(("dragon", 36))},
    },
    "mainland": {
        **DOUBLE,
        "royalties": REPLACE,
        "naturals": {
            "list": listed(
                *((THREE, 9), ("five-pairs-trips", 18), ("twelve-colour", 24)),
                *(("thirteen-colour", 30), ("dragon", 39), ("suited-dragon", 78)),
            )
        },
    },
    "quanzhou": {
        **DOUBLE,
        "royalties": REPLACE,
        "naturals": {
            "paid": "higher-value",
            "list": listed(
                (f"{THREE} five-pairs-trips thirteen-colour all-low all-high", 6),
                ("three-straight-flushes twelve-royals", 26),
                *(("four-trips three-quads dragon", 52), ("suited-dragon", 104)),
            ),
        },
    },
    "fuzhou": {
        "royalties": {**REPLACE, "front": {"trips": 1}},
        "scoop": {"multiplier": 2, "when": "none-lost"},
        "home_run": {"multiplier": 2, "min_opponents": 3},
        "naturals": {
            "as_scoop": True,
            "list": listed(
                *(("three-flushes three-straights", 3), ("six-pairs", 4), ("five-pairs-trips", 5), ("four-trips", 6)),
                *(("thirteen-colour", 10), ("all-low", 12), ("all-high", 15), ("three-quads", 20)),
                *(("three-straight-flushes", 22), ("twelve-royals", 24), ("dragon", 26), ("suited-dragon", 52)),
            ),
        },
    },
    "mau-binh": {
        **DOUBLE,
        "royalties": REPLACE,
        "naturals": {
            "list": listed(
                ("three-straights three-flushes six-pairs five-pairs-trips", 3), ("dragon", 12), ("suited-dragon", 24)
            )
        },
        "foul": {"pays": "units", "units": 6},
    },
    "pusoy": {
        "ranking": {"wheel": "second"},
        "overall": {"three_rows": 3},
        "royalties": {**S, "paid": "both"},
        "naturals": {"enabled": False},
        "table": {"banker": True},
    },
    "capsa-susun": {
        "ranking": {"suits": "dchs"},
        "royalties": {
            "style": "replace",
            "front": {"trips": 6},
            "middle": {"full-house": 4, "quads": 16, "straight-flush": 20},
            "back": {"quads": 8, "straight-flush": 10},
        },
        "scoop": {"multiplier": 2},
        "home_run": {"multiplier": 2},
        "naturals": {"list": listed((THREE, 6), ("dragon", 26))},
        "foul": {"pays": "units", "units": 3},
    },
    "malayan": {
        "royalties": {
            "front": {"trips": 2},
            "middle": {"full-house": 2, "quads": 6, "straight-flush": 8},
            "back": {"quads": 4, "straight-flush": 6},
            "paid": "both",
        },
        "naturals": {
            "paid": "difference",
            "list": listed(
                *(("three-flushes", 3), ("three-straights six-pairs", 4), ("five-pairs-trips", 5), ("four-trips", 6)),
                *(("all-low all-high thirteen-colour", 10), ("three-quads", 16)),
                *(("three-straight-flushes twelve-royals", 18), ("suited-dragon", 26)),
            ),
        },
        "table": {"banker": True, "banker_wins_ties": True},
    },
    "thai": {
        "royalties": {
            "front": {"trips": 5, "trips:A": 10, "pair:A": 2},
            "middle": {"full-house:A": 4, "quads": 12, "quads:A": 14, "straight-flush": 14, "royal-flush": 20},
            "back": {"full-house:A": 2, "quads": 6, "quads:A": 7, "straight-flush": 7, "royal-flush": 10},
            "paid": "both",
        },
        "scoop": {"multiplier": "players"},
        "naturals": {"list": listed(("dragon", 40))},
        "foul": {"pays": "units", "units": 6, "royalties": True},
    },
    "deuce-to-seven": {
        **TWO_FOUR,
        "ranking": {"middle": "deuce-to-seven"},
        "naturals": {**NATURALS_24, "enabled": False},  # the list counts for nothing
    },
}


def as_dict(rules: RuleSet) -> dict[str, Any]:
    """Return a rule set as the dict that its file would give with every key in it."""
    found: dict[str, Any] = json.loads(json.dumps(msgspec.to_builtins(rules)))
    return found


def test_every_preset_is_expected() -> None:
    assert preset_names() == list(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_values(name: str) -> None:
    rules = load_rules(name)
    own = {"name": name, "title": rules.title, "source": rules.source}
    assert as_dict(rules) == naive.complete(EXPECTED[name] | own)


# Rounds. A player is "front | middle | back", "natural" and 13 cards, or "surrender".


def cards_of(text: str) -> naive.Row:
    return tuple(re.findall(r"\w\w", text))


def plain_player(text: str) -> naive.Player:
    if text == "surrender":
        return naive.Player(surrender=True)
    if text.startswith("natural "):
        return naive.Player(natural=cards_of(text.removeprefix("natural ")))
    return naive.Player(*map(cards_of, text.split("|")))


def player(text: str) -> Player:
    if text == "surrender":
        return Player(surrender=True)
    if text.startswith("natural "):
        return Player(natural=Hand.parse(text.removeprefix("natural ")))
    return Player(arrangement=Arrangement.parse(text))


def play(preset: str, *players: str, banker: int | None = None) -> list[list[float]]:
    """Return what each receives from each, on which the engine and the slow reading of the rules agree."""
    rules = load_rules(preset)
    settled = settle(rules, [player(text) for text in players], banker=banker)
    expected = naive.settle(as_dict(rules), [plain_player(text) for text in players], banker=banker)
    assert settled.totals == tuple(expected.totals)
    matrix = [list(row) for row in settled.matrix]
    assert matrix == expected.pairs
    return matrix


def units(preset: str, first: str, second: str) -> float:
    """Return what the first receives from the second; where there is a banker, he is the banker."""
    return play(preset, first, second, banker=0 if load_rules(preset).table.banker else None)[0][1]


H = "JsJd9h | QhQs8c3c2h | AsKs6s5s3s", "Th9s7s | Kd6d5d4d3d | KcQc6c5c4c"
G1 = "7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs", "AcKc2d | AdQdTd6d5d | 8c8d8h3s3c"
G2 = "2c2d2h | 9c8d7h6s5c | AsJsTs8s4s", "3c3d3h | 8c7d6h5s4c | KhQhJh9h4h"
G3 = "9c5c2d | KcKd8h7s3c | AcAdQcQs6h", "9h5h2s | JcJd8s7d3d | KhKsQdQh4s"
G4 = G3[0], "9h5h2s | JcJd8s7d3d | 4c4d4hAsTs"
G5 = G1[0], "AcAdKh | 2c2d8h6s5h | QcQdJh5c3d"
G7 = "QcJd9h | Ac2d3h4s5c | 8c8d8h6s6h", "QdJh7c | 6d5h4d3c2s | 9s9d9c4h4c"
CASES = {"H": H, "G1": G1, "G2": G2, "G3": G3, "G4": G4, "G5": G5, "G7": G7}
# Section 4 where it says, else by hand from sections 2 and 3.
PAID = {
    "2-4": {"H": 2, "G1": 4, "G2": 2, "G3": 3, "G4": 0, "G5": 4, "G7": -2},
    "1-6": {"H": 1, "G1": 6, "G2": 1, "G3": 2, "G4": 0, "G5": 6, "G7": -1},
    "1-4": {"H": 1, "G1": 4, "G2": 1, "G3": 2, "G4": 0, "G5": 4, "G7": -1},
    "2-4-royalties": {"H": 2, "G1": 20, "G2": -1, "G3": 3, "G4": 0, "G5": 4, "G7": -2},
    "1-6-royalties": {"H": 1, "G1": 22, "G2": -2, "G3": 2, "G4": 0, "G5": 6, "G7": -1},
    "equal-royalties": {"H": 2, "G1": 5, "G2": 1, "G3": 3, "G4": 0, "G5": 4, "G7": -2},
    "club": {"H": 2, "G1": 9, "G2": 2, "G3": 3, "G4": 0, "G5": 4, "G7": -2},
    "eastern": {"H": 1, "G1": 22, "G2": -2, "G3": 2, "G4": 0, "G5": 6, "G7": -1},
    "hong-kong": {"H": 1, "G1": 16, "G2": -1, "G3": 2, "G4": 0, "G5": 16, "G7": -1},
    "taiwan": {"H": 1, "G1": 18, "G2": 1, "G3": 2, "G4": 0, "G5": 6, "G7": -1},
    "mainland": {"H": 1, "G1": 32, "G2": -1, "G3": 2, "G4": 0, "G5": 32, "G7": 1},
    "quanzhou": {"H": 1, "G1": 32, "G2": -1, "G3": 2, "G4": 0, "G5": 32, "G7": 1},
    "fuzhou": {"H": 1, "G1": 28, "G2": 1, "G3": 4, "G4": 0, "G5": 28, "G7": -1},  # G3: no row lost, a scoop
    "mau-binh": {"H": 1, "G1": 32, "G2": -1, "G3": 2, "G4": 0, "G5": 6, "G7": 1},
    "pusoy": {"H": 1, "G1": 22, "G2": 1, "G3": 2, "G4": 0, "G5": 6, "G7": 1},
    # G3, G4: nine of hearts over nine of clubs. G7: queen of clubs, of diamonds.
    "capsa-susun": {"H": 1, "G1": 64, "G2": -4, "G3": 1, "G4": -1, "G5": 3, "G7": -1},
    "malayan": {"H": 1, "G1": 17, "G2": 1, "G3": 3, "G4": 1, "G5": 3, "G7": -1},  # G3, G4: the banker wins the tie
    "thai": {"H": 1, "G1": 54, "G2": 1, "G3": 2, "G4": 0, "G5": 30, "G7": -1},
    # H: pair of queens v flush wins; G1: quads lose to a flush; G2: 9-high loses to 8-high; G3: kings lose to jacks;
    # G4: the same; G5: no foul, since A-A-K is under no row but the back; G7: ace high wins against a straight.
    "deuce-to-seven": {"H": 4, "G1": 2, "G2": -2, "G3": 0, "G4": -3, "G5": 4, "G7": 2},
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("case", CASES)
def test_worked_cases(name: str, case: str) -> None:
    assert units(name, *CASES[case]) == PAID[name][case]


# G1 at a full table: the first scoops all the others, who hold no royalty.
TABLE = [*G1, "Kh9h2c | 5c5hQhJh3d | 6c6h6sAhAs", "8s7s3h | 9c9d2h2s5s | JcJdTcThQc"]


@pytest.mark.parametrize(
    ("preset", "of_two", "of_three"),
    [
        ("1-6-royalties", 22, 22),
        ("hong-kong", 16, 16),
        ("taiwan", 18, 24),  # three opponents
        ("mainland", 64, 64),
        ("quanzhou", 64, 64),
        ("mau-binh", 64, 64),
        ("capsa-susun", 128, 128),
        ("fuzhou", 28, 56),  # three opponents
        ("pusoy", 22, 22),
        ("thai", 81, 108),
    ],
)
def test_home_runs_and_the_number_of_players(preset: str, of_two: float, of_three: float) -> None:
    banker = 0 if load_rules(preset).table.banker else None
    assert play(preset, *TABLE[:3], banker=banker)[0] == [0, of_two, of_two]
    assert play(preset, *TABLE, banker=banker)[0] == [0, of_three, of_three, of_three]


def test_a_foul_in_a_home_run() -> None:
    foul = "5c5hQh | KhJh9h3d2c | 6c6h6sAhAs"
    assert play("mainland", TABLE[0], foul, TABLE[3])[0] == [0, 64, 64]
    assert play("mau-binh", TABLE[0], TABLE[1], foul)[0] == [0, 64, 6]  # its units are never multiplied
    assert play("capsa-susun", TABLE[0], TABLE[1], foul)[0] == [0, 128, 3]


# Naturals

FLUSHES = "natural 2d5d6d 3h4h7hKhAh 2c7cTcKcAc"
PAIRS = "natural 3s3c4s4d5s5h8s8d9s9dJsJdQs"
DRAGONS = [
    f"natural {' '.join(rank + 'cdhs'[(at + turn) % 4] for at, rank in enumerate(naive.RANKS))}" for turn in (0, 1)
]
SUITED = f"natural {' '.join(f'{rank}s' for rank in naive.RANKS)}"
RED = f"natural {' '.join(rank + 'chd'[at % 3] for at, rank in enumerate(naive.RANKS))}"
WITH_NATURALS = [name for name, keys in EXPECTED.items() if keys["naturals"].get("enabled", True)]


@pytest.mark.parametrize(
    ("preset", "paid"),
    [
        *(("2-4", -4), ("1-6", -6), ("1-4", -4), ("2-4-royalties", -4), ("1-6-royalties", -6), ("club", -4)),
        *(("equal-royalties", -4), ("eastern", -3), ("hong-kong", -3), ("mainland", -9), ("quanzhou", 0)),
        *(("fuzhou", -4), ("mau-binh", -3), ("capsa-susun", -6), ("malayan", -1)),
    ],
)
def test_three_flushes_against_six_pairs(preset: str, paid: float) -> None:
    assert units(preset, FLUSHES, PAIRS) == paid
    assert units(preset, PAIRS, FLUSHES) == -paid


@pytest.mark.parametrize("preset", WITH_NATURALS)
def test_two_dragons_pay_nothing(preset: str) -> None:
    assert units(preset, *DRAGONS) == 0


@pytest.mark.parametrize("preset", ["pusoy", "deuce-to-seven"])
def test_without_naturals_dragons_play_their_rows(preset: str) -> None:
    assert preset not in WITH_NATURALS
    with pytest.raises(RequestError, match="no natural of the rules"):
        units(preset, *DRAGONS)
    dragon = "4s3h2c | 9d8c7c6h5d | AdKcQhJsTd"
    assert units(preset, dragon, "4c3s2d | 9h8d7d6s5h | AcKsQdJcTh") == 0
    # The front is lost and the back won; the middle is a straight against ace high.
    assert units(preset, dragon, "JcTh9h | AcKsQd3s2d | 8d7d6s5h4c") == {"pusoy": 1, "deuce-to-seven": -2}[preset]


@pytest.mark.parametrize(
    ("preset", "paid"),
    [
        *(("2-4", 0), ("taiwan", 0), ("hong-kong", 0), ("mainland", 78), ("quanzhou", 104), ("fuzhou", 52)),
        *(("mau-binh", 24), ("capsa-susun", 0), ("thai", 0), ("malayan", 26 - 4), ("eastern", 13)),
    ],
)
def test_a_suited_dragon_against_a_dragon(preset: str, paid: float) -> None:
    # Where a suited dragon is no kind of its own both are dragons; in eastern it is thirteen of one colour.
    assert units(preset, SUITED, RED) == paid


def test_eastern_suits_decide_between_equal_naturals() -> None:
    pairs = [f"natural {' '.join(rank + suit for rank in '234568' for suit in suits)}" for suits in ("cd", "hs")]
    hands = [f"{pairs[0]} Kc", f"{pairs[1]} Kd"]
    assert [units(preset, *hands) for preset in ("eastern", "2-4", "mainland")] == [-3, 0, 0]


def test_eastern_five_pairs_may_count_four_of_a_kind_twice() -> None:
    hand = "natural 2c2d2h2s 3c3d3h 5c5d 9c9d JcJd"
    others = "7c7d6h | 9h9s8c4d4h | AcAdQcQs6s"
    assert [units(preset, hand, others) for preset in ("eastern", "mainland")] == [4, 9]  # there only six pairs


# A dragon against six pairs and two hands, of which it does not matter what they are.
LOWER = "natural 2d2h 3c3h 4c4d 5c5d 6d6h 7c7h 9c"


def left_over() -> list[str]:
    used = {*cards_of(DRAGONS[0].removeprefix("natural ")), *cards_of(LOWER.removeprefix("natural "))}
    cards = [rank + suit for rank in naive.RANKS for suit in "cdhs" if rank + suit not in used]
    hands = cards[::2], cards[1::2]
    return [" | ".join(map("".join, (hand[:3], hand[3:8], hand[8:]))) for hand in hands]


def test_fuzhou_takes_a_paid_natural_for_a_scoop() -> None:
    first, second = left_over()
    assert play("fuzhou", DRAGONS[0], LOWER, first, second)[0] == [0, 52, 52, 52]
    assert play("fuzhou", DRAGONS[0], LOWER, first)[0] == [0, 26, 26]
    assert play("mainland", DRAGONS[0], LOWER, first, second)[0] == [0, 39, 39, 39]
    assert play("taiwan", DRAGONS[0], first, second)[0] == [0, 36, 36]


# Surrender

THREE_UNITS = "5c4d2h | 9c9d9h3c3d | TcTdThJsJd", "AsKsQs | 7c7d8h6h2s | KcKdAhQhJh"  # LWW and a full house


def test_surrender_of_one_in_three() -> None:
    assert play("1-6-royalties", "surrender", *THREE_UNITS) == [[0, -3, -3], [3, 0, 3], [3, -3, 0]]
    matrix = play("1-6-royalties", "surrender", FLUSHES, "QcQd9h | JcJdJs4c4s | 8c8h8s6c6s")
    assert matrix == [[0, -6, -3], [6, 0, 6], [3, -6, 0]]


@pytest.mark.parametrize("preset", EXPECTED)
def test_what_surrender_pays(preset: str) -> None:
    paid = {"1-4": 2, "club": 2, "1-6-royalties": 3}.get(preset)
    if paid is None:
        with pytest.raises(RequestError, match="do not allow surrender"):
            units(preset, "surrender", G1[0])
    else:
        assert units(preset, "surrender", G1[0]) == -paid
        assert units(preset, "surrender", G5[1]) == -paid  # a foul is paid too
        assert units(preset, "surrender", "surrender") == 0


# Fouls, bankers, ties, split hands


def test_fouls() -> None:
    other = "TcTdTh | 9c9d7s6c3c | 8c8d5d3h2h"
    assert play("1-6", *G5, other) == [[0, 6, 6], [-6, 0, 0], [-6, 0, 0]]
    assert play("thai", *G5, other)[0] == [0, 6 + 5 + 12 + 7, 6 + 5 + 12 + 7]  # not by the number of players


def test_ties_and_who_banks() -> None:
    tied = "Kc9c2c | QcQd8c5c3c | AcAdJc7c4c", "Kd9d2d | QhQs8d5d3d | AhAsJd7d4d"
    assert play("malayan", *tied, banker=0)[0][1] == 3
    assert play("malayan", *tied, banker=1)[0][1] == -3
    assert play("pusoy", *tied, banker=1)[0][1] == 0
    assert play("capsa-susun", *tied)[0][1] == -1  # the king of clubs, but not queens and aces
    assert play("malayan", *G3, banker=1)[0][1] == 1
    assert play("malayan", *TABLE, banker=3)[0] == [0, 0, 0, 17]
    with pytest.raises(RequestError, match="have a banker"):
        play("malayan", *tied)


def test_club_pays_four_of_a_kind_that_are_broken_up() -> None:
    split = "KcKd2h | KhKsQcJd9h | 8c8d3c3d4h"
    assert units("club", split, "AsQs7s | 9s9c6s5s4s | AhAdJsTs7d") == 4 + 1
    assert units("club", split, "AsAhQs | 6s6h5s5d4s | 7s7d7h9s9c") == -4 + 1
    assert units("2-4-royalties", split, "AsQs7s | 9s9c6s5s4s | AhAdJsTs7d") == 4


# In a player's words


@pytest.mark.parametrize("name", EXPECTED)
def test_file_says_what_it_is_and_where_it_is_from(name: str) -> None:
    lines = preset_text(name).splitlines()
    head = [line for line in lines[: lines.index(f'name = "{name}"')]]
    assert head and all(line.startswith("# ") for line in head)
    assert len(lines) <= 60 and max(map(len, lines)) <= 120
    rules = load_rules(name)
    assert len(rules.source) > 8 and 3 < len(rules.title) <= 60
    assert rules.players == (2, 4)


KEYS = {leaf for section in naive.DEFAULTS.values() if isinstance(section, dict) for leaf in section if "_" in leaf}
NOT_A_PLAYERS_WORD = re.compile(
    r"\b(?:None|true|false|True|False|nan|inf|toml|TOML|key|dict|tuple|multiplier|extra)\b"
    rf"|\b(?:{'|'.join(sorted(KEYS))})\b|[\[\]{{}}=_\"]"
    r"|all-won|none-lost|higher-value|three-flushes|three-straights|six-pairs|-pairs|-trips|-quads|-colour|-royals"
)


@pytest.mark.parametrize("name", EXPECTED)
def test_words_are_a_players(name: str) -> None:
    sections = explain(load_rules(name))
    titles = ["Table", "Strength", "Rows", "Royalties", "Scoop", "Home run", "Naturals", "Fouls", "Surrender"]
    assert [section.title for section in sections] == titles
    for section in sections:
        assert section.lines and len(dict(section.lines)) == len(section.lines)  # no two lines of the same label
        for label, text in section.lines:
            if label not in ("rules", "source"):
                assert not NOT_A_PLAYERS_WORD.search(f"{label}: {text}"), (label, text)


@pytest.mark.parametrize("name", EXPECTED)
def test_words_give_every_amount(name: str) -> None:
    rules, said = load_rules(name), {section.title: dict(section.lines) for section in explain(load_rules(name))}
    amounts = [text.split(" unit")[0] for text in said["Royalties"].values()]
    for row in (rules.royalties.front, rules.royalties.middle, rules.royalties.back):
        assert all(f"{paid:g}" in amounts for paid in row.values())
    if name in WITH_NATURALS:
        paid = [text.split(" unit")[0] for text in said["Naturals"].values()]
        assert paid[: len(rules.naturals.kinds)] == [f"{natural.units:g}" for natural in rules.naturals.kinds]
    if rules.surrender.allowed:
        assert f"{rules.surrender.units:g} units" in said["Surrender"]["surrender"]


def test_words_of_a_few_presets() -> None:
    def line(name: str, section: str, label: str) -> str:
        return {each.title: dict(each.lines) for each in explain(load_rules(name))}[section][label]

    assert line("thai", "Rows", "win all three (WWW, scoop)") == (
        "3 units times the number of players (6, 9 or 12) in all, without royalties"
    )
    assert (
        line("thai", "Fouls", "pays each legal opponent")
        == "6 units, never multiplied; the winner's royalties are added"
    )
    assert line("fuzhou", "Rows", "win one row and tie two (WTT, scoop)") == "2 units in all, without royalties"
    assert line("fuzhou", "Home run", "a natural that is paid") == (
        "counts as a scoop of the one who pays it; the scoop itself does not multiply it"
    )
    assert line("taiwan", "Home run", "opponents needed") == "3"
    assert line("malayan", "Rows", "tie a row") == "the banker wins it"
    assert line("capsa-susun", "Rows", "tie a row") == "cannot be, suits decide"
    assert line("quanzhou", "Naturals", "two naturals").endswith("nothing if they are worth the same")


RUN = "home_run.extra=6"
LOW = "ranking.middle=deuce-to-seven"
SENTENCES = [
    (f"{RUN} surrender.allowed=true", "Home run", "an opponent who surrenders", "prevents it"),
    (
        f"{RUN} surrender.allowed=true naturals.as_scoop=true",
        *("Home run", "an opponent who surrenders", "prevents it, unless he pays a natural"),
    ),
    (RUN, "Home run", "an opponent who declares a natural", "prevents it"),
    (
        f"{RUN} naturals.as_scoop=true",
        *("Home run", "an opponent who declares a natural", "prevents it, unless he pays a higher one"),
    ),
    (
        f"{RUN} naturals.as_scoop=true naturals.paid=none",
        *("Home run", "an opponent who declares a natural", "prevents it"),
    ),
    (RUN, "Home run", "a natural that is paid", "does not count as a scoop"),
    (
        f"{RUN} naturals.as_scoop=true",
        *("Home run", "a natural that is paid", "counts as a scoop of the one who pays it"),
    ),
    (
        f"{RUN} home_run.multiplier=3 scoop.multiplier=2",
        *("Home run", "each opponent pays", "3 times what he otherwise owes, the scoop counted in, and 6 units more"),
    ),
    (
        "home_run.multiplier=3 foul.pays=units",
        *("Home run", "an opponent who fouls", "counts as scooped, but what he owes is not multiplied"),
    ),
    (
        f"{RUN} table.banker=true",
        *("Home run", "home run", "the banker, and nobody else, scoops every opponent at the table"),
    ),
    ("scoop.multiplier=2", "Fouls", "pays each legal opponent", "as if all three rows were lost: 8 units"),
    (
        f"{RUN} foul.pays=units foul.units=4",
        *("Fouls", "pays each legal opponent", "4 units; a home run's 6 more are still added"),
    ),
    (
        "royalties.front.trips=3 foul.royalties=true scoop.multiplier=2 royalties.per_hand=one",
        *("Fouls", "pays each legal opponent"),
        "as if all three rows were lost: 8 units; the winner's largest royalty is added, multiplied too",
    ),
    (
        "royalties.front.trips=3 royalties.style=replace",
        *("Fouls", "pays each legal opponent"),
        "as if all three rows were lost: 4 units; the winner's royalties are paid instead of his rows' units",
    ),
    (
        "royalties.front.trips=3 royalties.style=replace",
        *("Royalties", "announced"),
        "before hands are shown; one that is not announced is not paid, but the row's units are",
    ),
    (f"{LOW} ranking.suits=cdhs", "Strength", "equal middles", "the lower suit wins"),
    (f"{LOW} ranking.suits=cdhs", "Strength", "suit of A-2-3-4-5", "its five's; in the middle its ace's"),
    (
        *(LOW, "Strength", "order of the rows"),
        "the back at least as strong as the front; equal is legal, the middle is free",
    ),
    ("naturals.suits=cdhs", "Strength", "equal hands", "tie; suits count between naturals only"),
    ("naturals.suits=", "Naturals", "what remains tied", "pays nothing; suits do not count"),
    ("naturals.may_decline=false", "Naturals", "declaring", "a natural must be declared"),
]


@pytest.mark.parametrize(("sets", "section", "label", "expected"), SENTENCES)
def test_sentences(sets: str, section: str, label: str, expected: str) -> None:
    said = {each.title: dict(each.lines) for each in explain(load_rules("2-4", sets.split()))}
    assert said[section][label] == expected
