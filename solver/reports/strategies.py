"""How strategies fare, as text: a match, and how much can be won from one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from solver.errors import printable
from solver.reports.text import PLAIN, Page, beside, columns_of, fit
from solver.words import percent, units_text

if TYPE_CHECKING:  # so that commands which value nothing do not load NumPy and Numba
    from solver.exploit import Exploitability
    from solver.match import MatchResult


def render_match(result: MatchResult, page: Page = PLAIN) -> str:
    """Return how a match between two strategies ended."""
    names = [fit(name, page.width - 1, page.ascii) for name in (result.a, result.b)]  # before a comma
    lines = [page.strong(line) for line in page.wrap("Interrupted; until then:" if result.interrupted else "")]
    margin = f"{units_text(result.units)} {page.sign} {result.stderr:.3f} units a hand"
    others = f", from all {result.players - 1} others together" if result.players > 2 else ""
    first, *rest = page.wrap(f"{margin} to {names[0]}{others}")
    lines += [first.replace(margin, page.strong(margin)), *rest]
    lines += [*page.wrap(_better(result, names)), ""]
    columns = [["", "scoops", "fouls"]]
    for name, scoops, fouls in zip(_titles(result, page), result.scoops, result.fouls, strict=True):
        columns.append([name, percent(scoops), f"{fouls:,}"])
    lines += beside(columns, page)
    changed = f" with {len(result.overrides)} changed" if result.overrides else ""
    terms = (
        f"{percent(result.identical)} of the hands set alike. Rules {result.rules.name}{changed}, "
        f"{result.players} players, {result.deals:,} deals, each played {result.hands // result.deals} times, "
        f"seed {result.seed}."
    )
    text = "\n".join([*lines, "", *page.wrap(terms)])
    return page.finish(text)


def _titles(result: MatchResult, page: Page) -> list[str]:
    """Return the names as titles of columns; what does not fit beside the other's is cut, the longer one first."""
    room = page.width - 20
    taken = [columns_of(printable(name)) for name in (result.a, result.b)]
    rooms = [max(room // 2, room - other) for other in reversed(taken)]
    return [fit(name, own, page.ascii) for name, own in zip((result.a, result.b), rooms, strict=True)]


def _better(result: MatchResult, names: Sequence[str]) -> str:
    """Say in words which strategy is the better one, where that is sure."""
    if not result.stderr:
        return "Every deal came out the same." if result.units else "Neither won anything from the other."
    if abs(result.units) > 3 * result.stderr:
        return f"{names[result.units < 0]} is the better one."
    return "Too close to call: more --hands and a smaller --precision would tell."


def render_exploit(found: Exploitability, page: Page = PLAIN) -> str:
    """Return by how much a strategy can be exploited, as text."""
    lines = [
        *page.wrap(
            f"{printable(found.strategy)} under {found.rules} can be exploited, in units per hand and opponent, by"
        ),
        *page.wrap(f"{found.lower:.4f} {page.sign} {found.lower_stderr:.4f} (lower bound) to", "  "),
        *page.wrap(f"{found.upper:.4f} {page.sign} {found.upper_stderr:.4f} (upper bound)", "  "),
        *page.wrap(
            f"({found.hands:,} hands, each against {found.deals:,} deals; best responses chosen on one half of these "
            "and valued on the other, and both on all)"
        ),
    ]
    return page.finish("\n".join(lines))
