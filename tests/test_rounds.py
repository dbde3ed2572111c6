"""Rounds as people write them: reading, names, stakes, bankers, and what everybody receives."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.arrangements import Arrangement
from solver.cards import DECK, format_cards
from solver.errors import ArrangementError, CapsaError, CardError, RequestError
from solver.rounds import ScoredRound, parse_stakes, read_round, score
from solver.rules import load_rules
from solver.scoring import Player

ROOT = Path(__file__).parent.parent
ROWS = [  # the four players of section 4 of the rules
    "KhJh5s | KcJc4c3c2c | AhTh9h6h2h",
    "AsQsTs | 9c9d8c3h2d | 4s4h4d7c7h",
    "KdQc5d | 9s8d7s6d5c | AdQdJd7d3d",
    "Tc6c6s | 8s8h5h3s2s | AcKsQhJsTd",
]
A, B = "7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs", "AcKc2d | AdQdTd6d5d | 8c8d8h3s3c"
NATURALS = 'naturals.list=[{ kind = "three-flushes", units = 4 }, { kind = "six-pairs", units = 4 }]'
FLUSHES = "2d5d6d 3h4h7hKhAh 2c7cTcKcAc"


def text(*lines: str, names: tuple[str, ...] = ("Ann", "Bob", "Cy", "Dee")) -> str:
    return "\n".join(f"{name}: {line}" for name, line in zip(names, lines, strict=False))


def test_a_round_is_read_line_by_line() -> None:
    players = read_round(
        "\ufeff# Friday\r\n\r\n"
        f"  Ann Lee : {ROWS[0]}\r\n"
        f"Jean-Luc：{ROWS[1].replace('|', '｜')} ； Undeclared\n"  # noqa: RUF001
        f"   # a comment\n陈: {ROWS[2].replace('|', '/')}\rDee:SURRENDER"
    )
    assert [player.name for player in players] == ["Ann Lee", "Jean-Luc", "陈", "Dee"]
    assert [player.undeclared for player in players] == [False, True, False, False]
    assert [player.arrangement for player in players[:3]] == [Arrangement.parse(rows) for rows in ROWS[:3]]
    assert players[3].surrender and not players[0].surrender


def test_a_natural_is_thirteen_cards_with_or_without_rows() -> None:
    plain, laid = read_round(text(f"natural {FLUSHES}", f"Natural {FLUSHES.replace(' ', ' | ')}"))
    assert plain.natural is not None and laid.natural is not None
    assert plain.natural.cards == laid.natural.cards and plain.arrangement is None


def test_names_are_compared_as_they_look() -> None:
    names = [player.name for player in read_round(text(*ROWS[:2], names=("Đu\u031b\u0301c ", "ann")))]
    assert names == ["Đ\u1ee9c", "ann"]
    with pytest.raises(RequestError, match=r"line 2 \(Zoë\): line 1 has the same name"):
        read_round(text(*ROWS[:2], names=("Zoë", "Zoe\u0308")))
    assert [player.name for player in read_round(text(*ROWS[:2], names=("Ann", "ann")))] == ["Ann", "ann"]


@pytest.mark.parametrize(
    ("lines", "kind", "message"),
    [
        ("", RequestError, "a round has 2 to 4 players, one a line: a name, a colon and front | middle | back"),
        ("# nobody\n\n", RequestError, "found nobody"),
        (text(ROWS[0]), RequestError, "found only Ann"),
        (text(*ROWS) + "\nEve: surrender", RequestError, "line 5 (Eve): a round has 2 to 4 players"),
        (
            text(ROWS[0]) + f"\n\n{ROWS[1]}",
            RequestError,
            "line 3: expected a name, a colon and front | middle | back, 'natural'",
        ),
        (f" : {ROWS[0]}", RequestError, "line 1: no name before the colon"),
        ("Ann:", RequestError, "line 1 (Ann): expected front | middle | back, 'natural' and thirteen cards"),
        ("Ann: ; undeclared", RequestError, "after the colon, got nothing"),
        ("Ann: gives up", ArrangementError, "line 1 (Ann): expected front | middle | back"),
        ("Ann: surrendered", ArrangementError, "got 'surrendered'"),
        (text(ROWS[0], ROWS[1], names=("Ann", "Ann")), RequestError, "line 2 (Ann): line 1 has the same name"),
        (f"Ann: {ROWS[0]}; declared", RequestError, "line 1 (Ann): after ';' only 'undeclared' can stand, got 'declar"),
        (f"Ann: {ROWS[0]};", RequestError, "after ';' only 'undeclared' can stand, got ''"),
        (f"Ann: {ROWS[0]}; undeclared; undeclared", RequestError, "after ';' only 'undeclared' can stand"),
        (f"Ann: natural {FLUSHES}; undeclared", RequestError, "line 1 (Ann): a natural has no royalties"),
        ("Ann: surrender; undeclared", RequestError, "line 1 (Ann): a player who surrenders has no royalties"),
        ("Ann: surrender AsKd", RequestError, "line 1 (Ann): 'surrender' stands alone, without cards, got 'AsKd'"),
        ("Ann: natural", RequestError, "line 1 (Ann): a natural has all 13 cards of the hand, got 0"),
        (f"Ann: natural {FLUSHES[:-2]}", RequestError, "a natural has all 13 cards of the hand, got 12"),
        (f"Ann: natural {FLUSHES} 9s", RequestError, "a natural has all 13 cards of the hand, got 14"),
        (f"Ann: natural {FLUSHES[:-2]}2d", CardError, "line 1 (Ann): natural's card 13 of 13: 2d is already"),
        (f"Ann: {ROWS[0]} | As", ArrangementError, "line 1 (Ann): expected three rows as front | middle | back"),
        ("Ann: AsKs | 9c9d8c3h2d | 4s4h4d7c7h", ArrangementError, "line 1 (Ann): the front has 3 cards, got 2: As Ks"),
        ("Ann: AsKsQx | 9c9d8c3h2d | 4s4h4d7c7h", CardError, "line 1 (Ann): front card 3 of 3: unknown suit in 'Qx'"),
        ("Ann: AsKs4d | 9c9d8c3h2d | 4s4h4d7c7h", CardError, "line 1 (Ann): 4d stands in the front and in the back"),
        (f"# c\nAnn: {ROWS[0][::-1]}", CapsaError, "line 2 (Ann): front card 1 of"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(lines: str, kind: type[CapsaError], message: str) -> None:
    with pytest.raises(kind) as caught:
        read_round(lines)
    assert message in str(caught.value)


def test_a_card_at_two_players_names_both_places() -> None:
    with pytest.raises(CardError, match=r"^As is in Ann's front and in Bob's back$"):
        score(text("AsQsTs | 9c9d8c3h2d | 4s4h4d7c7h", "KdQc5d | 9s8d7s6d5c | AsQdJd7d3d"))
    with pytest.raises(CardError, match=r"^2d is in Ann's middle and in Bob's natural$"):
        score(text(ROWS[1], f"natural {FLUSHES}"))


NAMES = ["Ann", "Jean-Luc", "a", "b-c", "a-b", "c", "x=y"]


@pytest.mark.parametrize(
    ("stake", "expected"),
    [
        ("Ann-a=100", {("Ann", "a"): 100}),
        (" a - Ann = 2.5 ", {("Ann", "a"): 2.5}),
        ("Jean-Luc-Ann=0", {("Ann", "Jean-Luc"): 0}),
        ("Ann-Jean-Luc=-0", {("Ann", "Jean-Luc"): 0}),
        ("x=y-Ann=1e3", {("Ann", "x=y"): 1000}),
        ("a-a-b=1", {("a", "a-b"): 1}),
    ],
)
def test_stakes_are_read_with_any_names(stake: str, expected: dict[tuple[str, str], float]) -> None:
    found = parse_stakes([stake], NAMES)
    assert found == expected and "-0.0" not in str(found)


@pytest.mark.parametrize(
    ("stakes", "message"),
    [
        (["Ann-a"], "expected a-b=100 with the names of two players, got 'Ann-a'"),
        (["Ann=100"], "two names with a dash between them before '=', got 'Ann=100'"),
        (["=100"], "two names with a dash between them"),
        (["Ann-Zed=100"], "no player has the name 'Zed' in 'Ann-Zed=100': the players are Ann, Jean-Luc"),
        (["Yan-Zed=100"], "no player has the name 'Yan' or 'Zed'"),
        (["ann-a=100"], "no player has the name 'ann'"),
        (["Jean-Luc=100"], "no player has the name 'Jean' or 'Luc'"),
        (["a-b-c=1"], "'a-b-c=1' can be read as 'a' and 'b-c' or 'a-b' and 'c'; rename a player"),
        (["Ann-Ann=1"], "between two players, got 'Ann' twice"),
        (["Ann-a=1", "a-Ann=1"], "those of Ann and a are given twice, the second time as 'a-Ann=1'"),
        (["Ann-a=ten"], "expected a number after '=' in 'Ann-a=ten', got 'ten'"),
        (["Ann-a="], "expected a number after '='"),
        (["Ann-a=-1"], "stakes of Ann and a: a number from 0 to 1,000,000,000,000, got -1"),
        (["Ann-a=nan"], "a number from 0 to 1,000,000,000,000, got nan"),
        (["Ann-a=inf"], "a number from 0 to 1,000,000,000,000, got inf"),
        (["Ann-a=1e13"], "a number from 0 to 1,000,000,000,000, got 1e+13"),
    ],
)
def test_wrong_stakes_are_explained(stakes: list[str], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_stakes(stakes, NAMES)
    assert str(caught.value).startswith("stakes") and message in str(caught.value)


def test_the_library_takes_stakes_by_names() -> None:
    four = text(*ROWS)
    scored = score(four, stakes={("Bob", "Ann"): 100, ("Cy", "Dee"): 0})
    assert scored.settlement.totals == (-2, 6, 2, -6)
    assert scored.money == (-200 - 2 + 2, 200 + 2 + 2, 2 - 2, -2 - 2)
    assert scored.stakes == {("Ann", "Bob"): 100, ("Cy", "Dee"): 0}
    for stakes, message in (
        ({("Ann", "Zed"): 1}, "no player has the name 'Zed'"),
        ({("Ann", "Ann"): 1}, "between two players"),
        ({("Ann", "Bob"): -1}, "stakes of Ann and Bob: a number from 0"),
        ({("Ann", "Bob"): float("nan")}, "a number from 0"),
        ({("Ann", "Bob"): 1, ("Bob", "Ann"): 1}, "the same two players are given twice"),
    ):
        with pytest.raises(RequestError, match=message):
            score(four, stakes=stakes)


def test_the_library_takes_players_and_names_those_without() -> None:
    scored = score([Player(arrangement=Arrangement.parse(A)), Player("Bob", Arrangement.parse(B))], rules="hong-kong")
    assert [player.name for player in scored.players] == ["player 1", "Bob"] and scored.money == (16, -16)
    with pytest.raises(RequestError, match="two players have the name 'Bob'"):
        score([Player("Bob", surrender=True), Player("Bob", Arrangement.parse(B))], rules="1-6-royalties")


def test_the_seats_of_the_rules_are_kept() -> None:
    rules = load_rules("2-4", ["players=[3, 3]"])
    with pytest.raises(RequestError, match="the rules '2-4' seat 3 to 3 players, got 4"):
        score(text(*ROWS), rules=rules)


def test_only_pairs_with_the_banker_are_settled() -> None:
    rules = load_rules("2-4", ["table.banker=true"])
    scored = score(text(*ROWS), rules=rules, banker=" Bob ", stakes={("Bob", "Cy"): 10})
    assert scored.banker == "Bob" and scored.settlement.totals == (-2, 6, -2, -2)
    assert scored.money == (-2, 24, -20, -2)
    with pytest.raises(RequestError, match=r"the rules '2-4' have a banker: say who it is \(the players are Ann, Bob"):
        score(text(*ROWS), rules=rules)
    with pytest.raises(RequestError, match=r"banker: no player has the name 'bob' \(the players are Ann, Bob"):
        score(text(*ROWS), rules=rules, banker="bob")
    with pytest.raises(RequestError, match="the rules '2-4' have no banker, got 'Bob'"):
        score(text(*ROWS), banker="Bob")


def test_undeclared_royalties_are_not_paid() -> None:
    assert score(text(A, B), rules="2-4-royalties").settlement.totals == (20, -20)
    assert score(text(f"{A} ;UNDECLARED", B), rules="2-4-royalties").settlement.totals == (4, -4)


def test_the_record_is_the_json_of_the_contract() -> None:
    legal, foul = A, "AcAdKh | 2c2d8h6s5h | QcQdJh5c3d"
    rules = load_rules("1-6-royalties", ["table.banker=true", "surrender.allowed=true", "surrender.units=3"])
    record = score(text(legal, foul, "surrender"), rules=rules, banker="Ann", stakes={("Ann", "Cy"): 5}).to_dict()
    assert set(record) == {"rules", "banker", "players", "pairs", "rows"}
    assert record["players"] == [
        {
            **{"name": "Ann", "foul": False, "why": None, "natural": None, "surrender": False},
            **{"total": 9.0, "money": 21.0},
        },
        {
            **{"name": "Bob", "foul": True, "natural": None, "surrender": False, "total": -6.0, "money": -6.0},
            "why": "the front (pair of aces, king) beats the middle (pair of twos, eight, six, five)",
        },
        {
            **{"name": "Cy", "foul": False, "why": None, "natural": None, "surrender": True},
            **{"total": -3.0, "money": -15.0},
        },
    ]
    assert record["pairs"] == [[0, 6, 3], [-6, 0, 0], [-3, 0, 0]] and record["rows"] == []
    assert (record["rules"], record["banker"]) == ("1-6-royalties", "Ann")

    record = score(text(A, B), rules="mainland").to_dict()
    row = {"a": "Ann", "b": "Bob", "front": 1, "middle": 1, "back": 1, "royalties": [16, 0], "scoop": 1, "home_run": 0}
    assert record["rows"] == [row] and record["banker"] is None

    rules = load_rules("2-4", [NATURALS])
    record = score(text(f"natural {FLUSHES}", "natural 3s3c4s4d5s5h8s8d9s9dJsJdQs"), rules=rules).to_dict()
    assert [player["natural"] for player in record["players"]] == ["three-flushes", "six-pairs"]
    assert record["pairs"] == [[0, -4], [4, 0]]


def test_no_negative_zero_leaves_the_record() -> None:
    rules = load_rules("2-4", ["surrender.allowed=true", "surrender.units=0", "rows.front=0"])
    for lines in (("surrender", ROWS[0]), (ROWS[0], "surrender"), ("surrender", "surrender"), (ROWS[0], ROWS[1])):
        record = score(text(*lines), rules=rules, stakes={("Ann", "Bob"): 0}).to_dict()
        assert "-0.0" not in json.dumps(record)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[ScoredRound, int]:
    deck = list(DECK)
    random.Random(draw(st.integers(0, 2**32))).shuffle(deck)
    lines = []
    for seat in range(draw(st.integers(2, 4))):
        cards = sorted(deck[13 * seat : 13 * seat + 13])  # in this order most hands are legal
        rows = " | ".join(map(format_cards, (cards[:3], cards[3:8], cards[8:])))
        lines.append(draw(st.sampled_from([rows, rows, rows + "; undeclared", "surrender"])))
    names = tuple(draw(st.permutations(["a", "b-c", "d e", "陈", "=", "Đức"])))
    played = draw(st.sampled_from(["2-4", "1-6-royalties", "mainland"]))
    bank = draw(st.booleans())
    overrides = ["surrender.allowed=true", f"table.banker={str(bank).lower()}", "royalties.paid=winner"]
    money = st.floats(0, 1e6, allow_subnormal=False)
    pairs = [(names[i], names[j]) for i in range(len(lines)) for j in range(i)]
    texts = [f"{one}-{two}={draw(money)!r}" for one, two in pairs if draw(st.booleans())]
    stakes = parse_stakes(texts, names[: len(lines)])
    assert len(stakes) == len(texts)
    rules = load_rules(played, overrides)
    return score(text(*lines, names=names), rules=rules, stakes=stakes, banker=names[0] if bank else None), len(texts)


@settings(max_examples=150, deadline=None)
@given(rounds())
def test_units_and_money_add_up_to_nothing(found: tuple[ScoredRound, int]) -> None:
    scored, staked = found
    assert sum(scored.settlement.totals) == pytest.approx(0, abs=1e-9)
    assert sum(scored.money) == pytest.approx(0, abs=1e-9 * (1 + max(map(abs, scored.money))))
    if not staked:
        assert scored.money == pytest.approx(scored.settlement.totals)
    json.dumps(scored.to_dict(), allow_nan=False)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40) | st.text(alphabet="Ab: |/;#\n2sd", max_size=60))
def test_any_text_is_read_or_refused_as_a_users_error(lines: str) -> None:
    try:
        score(lines)
    except CapsaError as error:
        assert str(error)


def test_scoring_loads_nothing_that_computes() -> None:
    script = (
        "import sys, solver.rounds\n"
        "heavy = {'numpy', 'numba', 'rich', 'click'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
