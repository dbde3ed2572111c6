"""What answers, rule sets and measurements look like, on records built by hand."""

from dataclasses import replace

import click
import pytest

from solver import expectation, words
from solver.arrangements import Arrangement
from solver.cards import Hand
from solver.match import MatchResult
from solver.records import Advice, Candidate, RowOutlook
from solver.reports.answers import render_advice
from solver.reports.rounds import render_score
from solver.reports.rules import render_rules, render_rules_list
from solver.reports.strategies import render_match
from solver.reports.text import Page, to_ascii
from solver.reports.tools import render_bench
from solver.rounds import score
from solver.rulebook import Section, explain
from solver.rules import load_rules, preset_names
from solver.scoring import Player

BEST = Candidate(
    arrangement=Arrangement.parse("Qs Qc Ks | 8s 8d 6s 6h 2d | As 5c 4h 3d 2h"),
    units=0.412,
    stderr=0.017,
    sd=2.41,
    rows={
        "front": RowOutlook("pair of queens, king", 0.71, 0.004, 0.286),
        "middle": RowOutlook("eights and sixes, deuce", 0.5, 0.0, 0.5),
        "back": RowOutlook("five-high straight", 1.0, 0.0, 0.0),
    },
    scoop=0.31,
    scooped=0.12,
    royalties=-0.25,
)
NEXT = replace(
    BEST,
    arrangement=Arrangement.parse("Qs Qc 2h | 8s 8d 6s 6h Ks | As 5c 4h 3d 2d"),
    units=0.377,
    rows={
        "front": RowOutlook("pair of queens, deuce", 0.67, 0.0, 0.33),
        "middle": RowOutlook("eights and sixes, king", 0.525, 0.0, 0.475),
        "back": RowOutlook("five-high straight", 1.0, 0.0, 0.0),
    },
    scoop=0.29,
    scooped=0.125,
    behind=0.035,
    behind_stderr=0.002,
)
ADVICE = Advice(
    hand=Hand.parse("2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"),
    rules=load_rules("2-4"),
    players=2,
    opponents="balanced",
    seed=0,
    deals=20_000,
    decided=True,
    best=BEST,
    alternatives=(NEXT,),
    candidates=118,
    legal=22_190,
)

GOLDEN = """\
                                                               win    tie   lose
front  Q♠ Q♣ K♠        pair of queens, king      ━━━━━━━───  71.0%   0.4%  28.6%
middle 8♠ 8♦ 6♠ 6♥ 2♦  eights and sixes, deuce   ━━━━━─────  50.0%   0.0%  50.0%
back   A♠ 5♣ 4♥ 3♦ 2♥  five-high straight        ━━━━━━━━━━ 100.0%   0.0%   0.0%

+0.412 ± 0.017 units against 1 opponent
Best by 0.035 ± 0.002 units over the next.
scoop 31.0%, scooped 12.0%

Alternatives                                       gives up  front middle   back
Q♠ Q♣ 2♥ | 8♠ 8♦ 6♠ 6♥ K♠ | A♠ 5♣ 4♥ 3♦ 2♦    0.035 ± 0.002   -4.2   +2.5

Points: of 100 pairs, how many more or fewer a row wins than the best's; a tie
counts half.
Rules 2-4, opponents balanced, 20,000 deals, seed 0; 118 candidates of 22,190
legal arrangements."""


def test_an_answer_is_printed_as_a_player_lays_it() -> None:
    assert render_advice(ADVICE) == GOLDEN


def test_words_call_sure_what_decides_an_answer() -> None:
    """They stand apart, so that words load no kernels."""
    assert words.SURE == expectation.SURE


def test_an_interrupted_answer_says_so_first() -> None:
    shown = render_advice(replace(ADVICE, interrupted=True))
    body, _, rest = shown.partition("Rules ")
    assert body == f"Interrupted; until then:\n{GOLDEN.partition('Rules ')[0]}"
    assert "deals until it was interrupted, seed" in " ".join(rest.split())


def test_ascii_is_the_same_text_in_letters() -> None:
    text = render_advice(ADVICE, Page(ascii=True))
    assert text.isascii() and "front  Qs Qc Ks  " in text and "+0.412 +- 0.017 units" in text
    assert text == GOLDEN.translate(
        str.maketrans(dict(zip("♣♦♥♠", "cdhs", strict=True)) | {"±": "+-", "━": "=", "─": "-"})
    ).replace("    0.035 +- ", "   0.035 +- ").replace("    gives up", "    gives up")


def test_colours_mark_red_suits_and_change_nothing_else() -> None:
    text = render_advice(ADVICE, Page(color=True))
    assert click.unstyle(text) == GOLDEN
    assert click.style("6♥", fg="red", bold=True) in text and click.style("Q♣", bold=True) in text


def test_several_opponents_royalties_and_changes_are_said() -> None:
    rules = load_rules("2-4-royalties")
    text = render_advice(replace(ADVICE, rules=rules, players=4, overrides={"rows.back": 2}))
    assert "+0.412 ± 0.017 units in total against 3 opponents\n" in text
    assert "scoop 31.0%, scooped 12.0% (per opponent)\nroyalties -0.250 units net\n" in text
    assert "Rules 2-4-royalties with 1 changed" in text


@pytest.mark.parametrize(
    ("behind", "stderr", "decided", "words", "given_up"),
    [
        (0.035, 0.002, True, "Best by 0.035 ± 0.002 units over the next.", "  0.035 ± 0.002"),
        (0.035, 0.002, False, "Best by 0.035 ± 0.002 units over the next.", "  0.035 ± 0.002"),
        (0.003, 0.002, True, "At least as good as the next, to the precision asked for: ahead", "  0.003 ± 0.002"),
        (0.03, 0.02, False, "Too close to call: ahead of the next by 0.030 ± 0.020 units", "  0.030 ± 0.020"),
        (-0.0, 0.0, False, "The next is worth the same in every deal: either will do.", "  0.000 ± 0.000"),
        (-1e-12, 0.001, False, "ahead of the next by 0.000 ± 0.001 units", "  0.000 ± 0.001"),
    ],
)
def test_how_sure_the_best_is(behind: float, stderr: float, decided: bool, words: str, given_up: str) -> None:
    following = replace(NEXT, behind=behind, behind_stderr=stderr)
    text = render_advice(replace(ADVICE, alternatives=(following,), decided=decided))
    assert words in text.replace("\n", " ")
    assert given_up in text and "-0.000" not in text and "--" not in text.replace("--deals", "")


def test_without_alternatives_there_is_no_list_of_them() -> None:
    assert "Alternatives" not in render_advice(replace(ADVICE, alternatives=()))
    assert "No other arrangement" in render_advice(replace(ADVICE, alternatives=(), candidates=1))


@pytest.mark.parametrize("width", [45, 69, 80])
def test_kickers_give_way_to_chances(width: int) -> None:
    long = BEST.rows | {"middle": RowOutlook("queen-high flush, ten, eight, seven, three", 1.0, 0.0, 0.0)}
    lines = render_advice(replace(ADVICE, best=replace(BEST, rows=long)), Page(width=width)).splitlines()
    middle = next(at for at, line in enumerate(lines) if line.startswith("middle"))
    assert lines[middle].endswith(" 100.0%   0.0%   0.0%")
    assert "queen-high flush, ten" in lines[middle + (width < 69)]


def test_rule_sets_fit_80_columns() -> None:
    for name in preset_names():
        lines = render_rules(explain(load_rules(name))).splitlines()
        assert all(line == line.rstrip() and len(line) <= 80 for line in lines)


def test_sections_are_headings_with_two_columns() -> None:
    sections = [Section("Rows", [("win a row", "1 unit"), ("tie", "nothing")]), Section("Fouls", [("foul", "6 units")])]
    assert render_rules(sections) == "Rows\n  win a row  1 unit\n  tie        nothing\n\nFouls\n  foul  6 units"
    assert click.unstyle(render_rules(sections, Page(color=True))) == render_rules(sections)


def test_rule_sets_are_listed_with_their_titles() -> None:
    rules = [load_rules("2-4"), load_rules("hong-kong")]
    assert render_rules_list(rules) == f"2-4        {rules[0].title}\nhong-kong  {rules[1].title}"
    assert click.unstyle(render_rules_list(rules, Page(color=True))) == render_rules_list(rules)


def test_measurements_are_aligned_and_compared() -> None:
    rows = [
        {"name": "arranger", "value": 18.081, "unit": "us a hand", "relative_to": None, "ratio": None},
        {"name": "plain loop", "value": 97.06, "unit": "us a hand", "relative_to": "arranger", "ratio": 5.37},
    ]
    assert render_bench(rows) == (
        f"{'arranger':<10} {'18.08':>12} us a hand\n{'plain loop':<10} {'97.06':>12} us a hand\n  5.37 x arranger"
    )


def test_to_ascii_keeps_what_it_can() -> None:
    assert to_ascii("Mậu ♠♦ ±1 十") == "Mau sd +-1 ?"


# --- A settled round ---

ROUND = """\
Ann: 7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs
Jean-Luc: AcKc2d | AdQdTd6d5d | 8c8d8h3s3c
李先生: AsAhKh | 2c2h8s6s5h | QcQhJh5c3d
Dee: surrender
"""
SURRENDER = ["surrender.allowed=true", "surrender.units=3"]
HOME_RUN = ["home_run.min_opponents=1", "home_run.multiplier=2"]
GOLDEN_ROUND = """\
Ann
  front  7♥ 7♦ 7♣        three sevens
  middle 4♠ 4♥ 4♦ 4♣ K♦  four fours, king
  back   K♠ Q♠ J♠ T♠ 9♠  king-high straight flush

Jean-Luc
  front  A♣ K♣ 2♦        ace high, king, two
  middle A♦ Q♦ T♦ 6♦ 5♦  ace-high flush, queen, ten, six, five
  back   8♥ 8♦ 8♣ 3♠ 3♣  eights full of threes

李先生
  foul: the front (pair of aces, king) beats the middle (pair of twos, eight,
  six, five)
  front  A♠ A♥ K♥        pair of aces, king
  middle 2♥ 2♣ 8♠ 6♠ 5♥  pair of twos, eight, six, five
  back   Q♥ Q♣ J♥ 5♣ 3♦  pair of queens, jack, five, three

Dee  surrenders

                   F M B  royalties  units  money
Ann v Jean-Luc     W W W     16 : 0    +32    +80  Ann scoops
Ann v 李先生       - - -     16 : 0    +32    +32  李先生 fouls
Ann v Dee          - - -      0 : 0     +3     +3  Dee surrenders
Jean-Luc v 李先生  - - -      0 : 0     +6     +6  李先生 fouls
Jean-Luc v Dee     - - -      0 : 0     +3     +3  Dee surrenders
李先生 v Dee       - - -      0 : 0     +3     +3  Dee surrenders

gets from  Ann  Jean-Luc  李先生  Dee  total  money
Ann                  +32     +32   +3    +67   +115
Jean-Luc   -32                +6   +3    -23    -71
李先生     -32        -6           +3    -35    -35
Dee         -3        -3      -3          -9     -9

Rules mainland. Front, middle and back (F M B) are the first player's: W won, T
tied, L lost. Royalties: to the first : to the second."""
NATURALS_LIST = 'naturals.list=[{ kind = "three-flushes", units = 4 }, { kind = "six-pairs", units = 4 }]'
NATURALS = """\
Ann  natural: three flushes (4 units)
  front  6d 5d 2d        six high, five, two
  middle Ah Kh 7h 4h 3h  ace-high flush, king, seven, four, three
  back   Ac Kc Tc 7c 2c  ace-high flush, king, ten, seven, two

Bob  banker, natural: six pairs (4 units)
  Qs Js Jd 9s 9d 8s 8d 5s 5h 4s 4d 3s 3c

           units
Ann v Bob     -4  two naturals

gets from  Ann  Bob  total
Ann              -4     -4
Bob         +4          +4

Rules 2-4."""
LONG = "Maximilian Alexander von und zu Hohenstein"
HANDS = [
    "KhJh5s | KcJc4c3c2c | AhTh9h6h2h",
    "AsQsTs | 9c9d8c3h2d | 4s4h4d7c7h",
    "KdQc5d | 9s8d7s6d5c | AdQdJd7d3d",
    "Tc6c6s | 8s8h5h3s2s | AcKsQhJsTd",
]


def test_a_round_shows_hands_pairs_and_totals() -> None:
    scored = score(ROUND, rules=load_rules("mainland", SURRENDER), stakes={("Ann", "Jean-Luc"): 2.5})
    assert render_score(scored) == GOLDEN_ROUND
    colored = render_score(scored, Page(color=True))
    assert click.unstyle(colored) == GOLDEN_ROUND
    assert click.style("7♥", fg="red", bold=True) in colored and click.style("+32", fg="green") in colored


def test_a_round_of_naturals_in_ascii() -> None:
    lines = "Ann: 2d5d6d|3h4h7hKhAh|2c7cTcKcAc\nBob: natural 3s3c4s4d5s5h8s8d9s9dJsJdQs"
    rules = load_rules("2-4", [NATURALS_LIST, "naturals.may_decline=false", "table.banker=true"])
    assert render_score(score(lines, rules=rules, banker="Bob"), Page(ascii=True)) == NATURALS


@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize("width", [50, 64, 80])
@pytest.mark.parametrize("names", [[f"{LONG} {seat}" for seat in "abcd"], ["王" * 30, "李" * 30, "Ann", "Bo"]])
def test_rounds_fit_the_width_and_keep_players_apart(names: list[str], width: int, ascii: bool) -> None:
    lines = "\n".join(f"{name}: {rows}; undeclared" for name, rows in zip(names, HANDS, strict=True))
    stakes = {(names[0], names[1]): 50_000.0}
    text = render_score(score(lines, rules="mainland", stakes=stakes), Page(width=width, ascii=ascii))
    for line in text.splitlines():
        assert len(line) + sum(sign in "王李" for sign in line) <= width and line == line.rstrip()
    assert "\x1b" not in text and text.isascii() == ascii
    table = text[text.index("gets from") :].splitlines()[1:5]
    assert len({line.partition("  ")[0] for line in table}) == 4


def test_names_cannot_move_the_cursor() -> None:
    rows = [Arrangement.parse(text) for text in HANDS[:2]]
    players = [Player("\x1b[31mred\r", rows[0]), Player("Bob", rows[1])]
    text = render_score(score(players, rules="2-4"))
    assert "\x1b" not in text and "\r" not in text and "?[31mred?" in text


@pytest.mark.parametrize(
    ("overrides", "units"), [([], "+3"), (["rows.middle=0.25"], "+2.25"), (["rows.middle=0.12345"], "+2.123")]
)
def test_units_are_short_and_a_low_middle_is_named_as_it_counts(overrides: list[str], units: str) -> None:
    lines = "A: 9c5c2d | Ac2h3d4s5h | AhAdQcQs6h\nB: 9h5d2s | JcJd8s7d3c | KhKsQdQh4d; undeclared"
    rules = load_rules("2-4", ["ranking.middle=deuce-to-seven", *overrides])
    text = render_score(score(lines, rules=rules))
    assert "middle A♣ 5♥ 4♠ 3♦ 2♥  ace high, five, four, three, two\n" in text
    assert "B  royalties not declared\n" in text and f"A v B  T W W  {units.rjust(5)}\n" in text


@pytest.mark.parametrize(
    ("lines", "overrides", "course"),
    [
        (("surrender", "surrender"), [], "A v B      0  both surrender\n"),
        ((HANDS[0], HANDS[1]), [], "A v B  L W L     -1\n"),
        (("AsAdKh | 2c3d4h5c7s | 8c9cTsJdQh", "AcAhKs | 2d3c4s5d7h | 8d9dTcJhQs"), [], "     0  both foul\n"),
        (
            ("7c7d7h|4c4d4h4sKd|9sTsJsQsKs", "AcKc2d|AdQdTd6d5d|8c8d8h3s3c"),
            [],
            "W W W     16 : 0    +64  A scoops, home",
        ),
        (
            ("AcKc2d|AdQdTd6d5d|8c8d8h3s3c", "7c7d7h|4c4d4h4sKd|9sTsJsQsKs"),
            [],
            "L L L     0 : 16    -64  B scoops, home",
        ),
        ((HANDS[0], "surrender"), ["surrender.units=0"], "A v B      0  B surrenders\n"),
    ],
)
def test_what_decided_a_pair_is_said(lines: tuple[str, str], overrides: list[str], course: str) -> None:
    rules = load_rules("mainland", [*SURRENDER, *HOME_RUN, *overrides])
    text = render_score(score(f"A: {lines[0]}\nB: {lines[1]}", rules=rules))
    assert course in text and "+0" not in text and "-0" not in text


# --- A match ---

MATCH = MatchResult(
    a="balanced",
    b="cmd:python3 bot.py",
    rules=load_rules("2-4"),
    players=2,
    seed=0,
    deals=20_000,
    hands=40_000,
    units=1.0204,
    stderr=0.0101,
    identical=0.61,
    scoops=(0.2, 0.1),
    fouls=(0, 1234),
)
MATCH_GOLDEN = """\
+1.020 ± 0.010 units a hand to balanced
balanced is the better one.

        balanced  cmd:python3 bot.py
scoops     20.0%               10.0%
fouls          0               1,234

61.0% of the hands set alike. Rules 2-4, 2 players, 20,000 deals, each played 2
times, seed 0."""


def test_a_match_is_printed_with_its_error_and_terms() -> None:
    assert render_match(MATCH) == MATCH_GOLDEN
    assert render_match(MATCH, Page(ascii=True)) == MATCH_GOLDEN.replace("±", "+-")
    assert click.unstyle(render_match(MATCH, Page(color=True))) == MATCH_GOLDEN != render_match(MATCH, Page(color=True))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"units": -1.0204}, "-1.020 ± 0.010 units a hand to balanced\ncmd:python3 bot.py is the better one."),
        ({"units": 0.02}, "Too close to call: more --hands and a smaller --precision would tell."),
        ({"units": 0.0, "stderr": 0.0}, "0.000 ± 0.000 units a hand to balanced\nNeither won anything from the other."),
        ({"players": 4, "hands": 80_000}, "to balanced, from all 3 others together\n"),
        ({"players": 4, "hands": 80_000}, "20,000 deals, each played 4 times"),
        ({"interrupted": True}, "Interrupted; until then:\n+1.020"),
        ({"overrides": {"rows.back": 2}}, "Rules 2-4 with 1 changed, 2 players"),
    ],
)
def test_what_a_match_says(changes: dict[str, object], words: str) -> None:
    text = render_match(replace(MATCH, **changes))  # type: ignore[arg-type]
    assert words in text or words in text.replace("\n", " ")


def test_names_are_cut_only_where_they_do_not_fit() -> None:
    named = replace(MATCH, a="equilibrium", b="greedy")
    assert "equilibrium is the better one." in render_match(named, Page(width=40)).replace("\n", " ")
    assert "        equilibrium  greedy" in render_match(named, Page(width=40))
    assert "balanced  cmd:pyth" in render_match(MATCH, Page(width=40)) and "…" in render_match(MATCH, Page(width=40))
    assert max(map(len, render_match(MATCH, Page(width=40)).splitlines())) <= 40


def test_long_names_give_way() -> None:
    text = render_match(replace(MATCH, a="cmd:" + "x" * 200, b="陈" * 80), Page(width=60))
    assert max(map(len, text.splitlines())) <= 60 and "…" in text
