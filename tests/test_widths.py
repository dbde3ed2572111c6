"""Every report keeps to the width of its page, whatever it has to say, and says the same with colours and without."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import best, grade
from solver.arrangements import Arrangement
from solver.cards import DECK, Hand
from solver.exploit import Exploitability
from solver.presets import preset_names
from solver.ranks import describe, five_key, three_key
from solver.records import Advice, Choice, Grade
from solver.reports.answers import render_advice
from solver.reports.rounds import render_score
from solver.reports.rows import NAME
from solver.reports.rules import render_rules, render_rules_list
from solver.reports.strategies import render_exploit, render_match
from solver.reports.text import Page, columns_of, wrapped
from solver.reports.tools import render_bench
from solver.rounds import score
from solver.rulebook import explain
from solver.rules import load_rules
from solver.words import shorter
from tests.test_report import ADVICE, BEST, HANDS, LONG, MATCH, NEXT, ROUND, SURRENDER

NARROWEST = 30
SIX_PAIRS = "2c 2d 5c 5h 7d 7s 8c 8h Jd Js Kc Kh 9s"


def check(render: Callable[[Page], str], width: int) -> None:
    """Make sure that text fits on every kind of page, and that neither colours nor letters change what it says."""
    plain = render(Page(width=width))
    assert "\x1b" not in plain
    for page in (Page(width, color=True), Page(width, color=True, four_color=True, ascii=True), Page(width)):
        text = render(page)
        for line in click.unstyle(text).split("\n"):
            assert columns_of(line) <= width and line == line.rstrip(), (width, line)
        if page.ascii:
            assert text.isascii()
        else:
            assert click.unstyle(text) == plain


@cache
def real_answers() -> list[Advice]:
    """Return quick answers and grades of random hands under all rules, with naturals, fouls and bankers among them."""
    rng, found = random.Random(3), []
    for name in preset_names():
        rules = load_rules(name)
        for players, banker in ((rules.players[0], "me"), (rules.players[1], "other")):
            cards = rng.sample(DECK, 13)
            options = {"rules": rules, "players": players, "quick": True}
            if rules.table.banker:
                options["banker"] = banker
            found.append(best(Hand(tuple(cards)), **options))  # type: ignore[arg-type]
            found.append(best(SIX_PAIRS, **options))  # type: ignore[arg-type]
            laid = Arrangement(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:]))
            found.append(grade(laid, **options))
            found.append(grade(rng.choice(found[-1].alternatives or (found[-1].best,)).arrangement, **options))
    return found


@pytest.mark.parametrize("width", [30, 34, 35, 40, 41, 42, 59, 67, 68, 69, 79, 80, 100])
def test_answers_fit_any_page(width: int) -> None:
    for advice in real_answers():
        check(lambda page, advice=advice: render_advice(advice, page), width)  # type: ignore[misc]


AMOUNTS = st.sampled_from([0.0, -0.0, 1e-9, 0.0004, 0.5, 12.3456, 123.4, 12345.678, 1234567.891])
UNITS = st.builds(lambda sign, amount: sign * amount, st.sampled_from([-1, 1]), AMOUNTS)
SHARES = st.sampled_from([0.0, 0.0004, 0.5, 0.999, 1.0])
ERRORS = st.one_of(st.none(), AMOUNTS)
CHOICES = st.one_of(
    st.none(),
    st.builds(
        Choice,
        UNITS,
        ERRORS,
        UNITS,
        ERRORS,
        st.booleans(),
        st.sampled_from(["", "six-pairs", "three-straight-flushes"]),
    ),
)


def candidates(behind: bool) -> st.SearchStrategy[object]:
    """Return records of the same arrangement with any numbers and names."""

    def build(units: float, error: float | None, win: float, given: float, scoop: float, names: list[str]) -> object:
        rows = {
            row: replace(look, hand=name, win=win, tie=0.0, lose=1 - win)
            for (row, look), name in zip(BEST.rows.items(), names, strict=True)
        }
        return replace(
            NEXT if behind else BEST,
            units=units,
            stderr=error,
            rows=rows,
            scoop=scoop,
            scooped=1 - scoop,
            royalties=-units,
            behind=given if behind else None,
            behind_stderr=error if behind else None,
        )

    names = st.sampled_from(
        [
            "king-high straight flush",
            "queen-high flush, ten, eight, seven, three",
            "pair of queens, king",
            "royal flush",
        ]
    )
    return st.builds(build, UNITS, ERRORS, SHARES, AMOUNTS, SHARES, st.lists(names, min_size=3, max_size=3))


@st.composite
def graded(draw: st.DrawFn) -> Grade | None:
    """Return a grade of any kind."""
    kind = draw(st.sampled_from(["none", "foul", "legal", "best"]))
    if kind == "none":
        return None
    if kind == "foul":
        error = draw(ERRORS)
        units = None if error is None else draw(UNITS)
        cost = None if error is None else draw(AMOUNTS)
        why = "the front (pair of aces, king) beats the middle (pair of twos, eight, six, five)"
        return Grade(NEXT.arrangement, why, units, error, cost, error)
    own = draw(candidates(behind=True))
    laid = BEST.arrangement if kind == "best" else NEXT.arrangement
    own = replace(own, arrangement=laid)  # type: ignore[type-var]
    beaten = draw(st.sampled_from([None, BEST.arrangement]))
    return Grade(
        laid, None, own.units, own.stderr, own.behind, own.behind_stderr, own,  # type: ignore[attr-defined]
        draw(st.sampled_from([1, 2, 1022])), beaten,
    )  # fmt: skip


PATHS = ["balanced", "/home/player/tables/" + "long-name-" * 9 + ".npz", "牌" * 50 + ".npz", "a b\n c", "x" * 200]


@settings(max_examples=150, deadline=None)
@given(data=st.data(), width=st.integers(NARROWEST, 100))
def test_whatever_an_answer_says_fits(data: st.DataObject, width: int) -> None:
    rules = load_rules(data.draw(st.sampled_from(["2-4", "mainland", "malayan", "1-6-royalties", "deuce-to-seven"])))
    natural = data.draw(CHOICES)
    advice = replace(
        ADVICE,
        rules=rules,
        players=data.draw(st.sampled_from([2, 4])),
        opponents=data.draw(st.sampled_from(PATHS)),
        deals=data.draw(st.sampled_from([0, 1000, 10_000_000])),
        decided=data.draw(st.booleans()),
        best=data.draw(candidates(behind=False)),
        alternatives=tuple(data.draw(st.lists(candidates(behind=True), max_size=3))),
        candidates=data.draw(st.sampled_from([1, 118, 20_000])),
        overrides=data.draw(st.sampled_from([{}, {"rows.back": 2}])),
        banker=data.draw(st.sampled_from(["me", "other"])) if rules.table.banker else None,
        natural=natural if natural and natural.kind else None,
        surrender=natural if natural and not natural.kind else None,
        interrupted=data.draw(st.booleans()),
        graded=data.draw(graded()),
        keep=data.draw(st.sampled_from([{}, {"back": BEST.arrangement.back, "front": BEST.arrangement.front}])),
    )
    check(lambda page: render_advice(advice, page), width)


def test_names_without_their_kickers_fit() -> None:
    ranks = range(13)
    fives = {
        describe(five_key(found, False, "lowest"))
        for one, two, three in product(ranks, repeat=3)
        for found in ([one] * 3 + [two, three], [one, one, two, two, three])
        if max(map(found.count, found)) < 5
    }
    straights = {
        describe(five_key([top - k for k in range(5)], suited, "lowest"))
        for top in range(4, 13)
        for suited in (False, True)
    }
    flushes = {describe(five_key([top, 0, 1, 2, 3 if top == 5 else 4], True, "lowest")) for top in range(5, 13)}
    threes = {describe(three_key(list(found))) for found in product(ranks, repeat=3)}
    longest = max((shorter(name, 1) for name in fives | straights | flushes | threes), key=len)
    assert len(longest) == NAME, longest


@pytest.mark.parametrize("width", [40, 41, 59, 60, 80])
def test_other_reports_fit_down_to_a_phone(width: int) -> None:
    for name in preset_names():
        check(lambda page, name=name: render_rules(explain(load_rules(name)), page), width)  # type: ignore[misc]
    check(lambda page: render_rules_list([load_rules(name) for name in preset_names()], page), width)
    check(lambda page: render_match(replace(MATCH, a="cmd:" + "x" * 90, b="陈" * 50, players=4), page), width)
    found = Exploitability("牌" * 30 + "/long" * 20, "2-4", 0.0031, 0.0002, 0.0047, 0.0002, 4000, 2000, 2.5)
    check(lambda page: render_exploit(found, page), width)
    name = "whole answer, warm, in a process of its own"
    rows = [
        {"name": name, "value": 1e6, "unit": "us a hand", "relative_to": None, "ratio": None},
        {"name": "treys", "value": 97.06, "unit": "million a second", "relative_to": name, "ratio": 5.37},
    ]
    check(lambda page: render_bench(rows, page), width)
    lines = "\n".join(f"{LONG} {seat}: {rows}; undeclared" for seat, rows in zip("abcd", HANDS, strict=True))
    for text, rules in ((ROUND, load_rules("mainland", SURRENDER)), (lines, load_rules("mainland"))):
        settled = score(text, rules=rules)
        check(lambda page, settled=settled: render_score(settled, page), width)  # type: ignore[misc]


def test_words_are_broken_only_where_they_must_be() -> None:
    assert wrapped("one two three", 8) == ["one two", "three"]
    assert wrapped("+0.1 ± 0.2 units or 牌牌牌牌牌", 11, "", "  ") == ["+0.1 ± 0.2", "  units or", "  牌牌牌牌", "  牌"]
    assert wrapped("", 8) == [] and wrapped("abcdefgh", 3) == ["abc", "def", "gh"]
