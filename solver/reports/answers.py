"""The answer to a hand as text: the player's own arrangement, the best as he lays it, and the alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver import words
from solver.arrangements import ROWS
from solver.reports.grades import render_grade
from solver.reports.rows import alternatives, laid, share_text
from solver.reports.text import PLAIN, Page, error_text
from solver.words import POINTS_NOTE, win_share

if TYPE_CHECKING:
    from solver.records import Advice, Candidate


def render_advice(advice: Advice, page: Page = PLAIN) -> str:
    """Return an answer as text.

    What is to be done instead of playing rows stands first, then what the player's own arrangement gives up, the best
    one with what to expect of it, the alternatives, and what all that rests on.
    """
    lines = [page.strong("Interrupted; until then:")] if advice.interrupted else []
    compared, graded = False, advice.graded
    if graded is not None:
        lines += [*render_grade(advice, page), ""]
        compared = graded.candidate is not None and graded.candidate.arrangement != advice.best.arrangement
    elif action := words.instead(advice):
        lines += [*(page.strong(line) for line in page.wrap(action)), ""]
    lines += [*_best(advice.best, "The best" if graded is not None else "", page), ""]
    lines += _expected(advice, page)
    lines += [part for line in words.declined(advice) for part in page.wrap(line)]
    if advice.alternatives:
        lines += ["", *alternatives(advice.alternatives, advice.best, page)]
    notes = [POINTS_NOTE] if advice.alternatives or compared else []
    notes.append(words.conditions(advice))
    lines += ["", *(page.faint(line) for note in notes for line in page.wrap(note))]
    return page.finish("\n".join(lines))


def _best(best: Candidate, title: str, page: Page) -> list[str]:
    """Return the rows of the best arrangement with their chances."""
    looks = best.rows
    figures = {
        row: [share_text(share, page) for share in (looks[row].win, looks[row].tie, looks[row].lose)] for row in ROWS
    }
    names = {row: looks[row].hand for row in ROWS}
    shares = {row: win_share(looks[row]) for row in ROWS}
    return laid(best.arrangement, names, title, ("win", "tie", "lose"), figures, page, shares)


def _expected(advice: Advice, page: Page) -> list[str]:
    """Say what to expect of the best arrangement, and how sure it is that it is the best."""
    best = advice.best
    units = f"{words.units_text(best.units)}{error_text(best.stderr, page)} units"
    first, *rest = page.wrap(f"{units} {words.against(advice)}")
    lines = [first.replace(units, page.strong(units)), *rest, *page.wrap(words.certainty(advice))]
    lines += [line for said in words.fares(advice) for line in page.wrap(said)]
    return lines
