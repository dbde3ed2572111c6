"""What answers, rule sets and measurements look like, on records built by hand."""

from dataclasses import replace

import click
import pytest

from solver.advice import Advice, Candidate, RowOutlook
from solver.arrangements import Arrangement
from solver.cards import Hand
from solver.report import render_advice, render_bench, render_rules, render_rules_list, to_ascii
from solver.rulebook import Section, explain
from solver.rules import load_rules, preset_names

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
front  Q♠ Q♣ K♠        pair of queens, king                  71.0%   0.4%  28.6%
middle 8♠ 8♦ 6♠ 6♥ 2♦  eights and sixes, deuce               50.0%   0.0%  50.0%
back   A♠ 5♣ 4♥ 3♦ 2♥  five-high straight                   100.0%   0.0%   0.0%

+0.412 ± 0.017 units against 1 opponent
scoop 31.0%, scooped 12.0%
Best by 0.035 ± 0.002 units over the next.

Alternatives, and the units they give up:
  Q♠ Q♣ 2♥ | 8♠ 8♦ 6♠ 6♥ K♠ | A♠ 5♣ 4♥ 3♦ 2♦  0.035 ± 0.002

Rules 2-4, opponents balanced, 20,000 deals, seed 0; 118 candidates of 22,190
legal arrangements."""


def test_an_answer_is_printed_as_a_player_lays_it() -> None:
    assert render_advice(ADVICE) == GOLDEN


def test_ascii_is_the_same_text_in_letters() -> None:
    text = render_advice(ADVICE, ascii=True)
    assert text.isascii() and "front  Qs Qc Ks  " in text and "+0.412 +- 0.017 units" in text
    assert text == GOLDEN.translate(str.maketrans(dict(zip("♣♦♥♠", "cdhs", strict=True)) | {"±": "+-"}))


def test_colours_mark_red_suits_and_change_nothing_else() -> None:
    text = render_advice(ADVICE, color=True)
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
        (0.003, 0.002, True, "As good as the next within the precision asked for", "  0.003 ± 0.002"),
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


@pytest.mark.parametrize("width", [50, 70, 80])
def test_lines_stay_within_80_columns_without_trailing_spaces(width: int) -> None:
    long = BEST.rows | {"middle": RowOutlook("queen-high flush, ten, eight, seven, three", 1.0, 1.0, 1.0)}
    lines = render_advice(replace(ADVICE, best=replace(BEST, rows=long)), width=width).splitlines()
    assert all(line == line.rstrip() and len(line) <= 80 for line in lines)
    middle = next(line for line in lines if line.startswith("middle"))
    assert "queen-high flush, ten" in middle and middle.endswith(" 100.0% 100.0% 100.0%")


def test_rule_sets_fit_80_columns() -> None:
    for name in preset_names():
        lines = render_rules(explain(load_rules(name))).splitlines()
        assert all(line == line.rstrip() and len(line) <= 80 for line in lines)


def test_sections_are_headings_with_two_columns() -> None:
    sections = [Section("Rows", [("win a row", "1 unit"), ("tie", "nothing")]), Section("Fouls", [("foul", "6 units")])]
    assert render_rules(sections) == "Rows\n  win a row  1 unit\n  tie        nothing\n\nFouls\n  foul  6 units"
    assert click.unstyle(render_rules(sections, color=True)) == render_rules(sections)


def test_rule_sets_are_listed_with_their_titles() -> None:
    rules = [load_rules("2-4"), load_rules("hong-kong")]
    assert render_rules_list(rules) == f"2-4        {rules[0].title}\nhong-kong  {rules[1].title}"
    assert click.unstyle(render_rules_list(rules, color=True)) == render_rules_list(rules)


def test_measurements_are_aligned_and_compared() -> None:
    rows = [
        {"name": "arranger", "value": 18.081, "unit": "us a hand", "relative_to": None, "ratio": None},
        {"name": "plain loop", "value": 97.06, "unit": "us a hand", "relative_to": "arranger", "ratio": 5.37},
    ]
    assert render_bench(rows) == (
        f"{'arranger':<40} {'18.08':>12} us a hand\n{'plain loop':<40} {'97.06':>12} us a hand\n  5.4 x arranger"
    )


def test_to_ascii_keeps_what_it_can() -> None:
    assert to_ascii("Mậu ♠♦ ±1 十") == "Mau sd +-1 ?"
