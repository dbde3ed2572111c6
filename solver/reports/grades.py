"""What a player's own arrangement gives up and why, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.arrangements import ROWS
from solver.reports.rows import figures_line, laid, points_text, share_text
from solver.reports.text import Page, error_text
from solver.words import instead, is_same, pays_royalties, units_text, verdict, win_share

if TYPE_CHECKING:
    from solver.records import Advice, Candidate


def render_grade(advice: Advice, page: Page) -> list[str]:
    """Return what a player's own arrangement gives up, how sure that is, and why."""
    graded, best = advice.graded, advice.best
    assert graded is not None
    said, *reasons = verdict(advice, graded)
    lines = [page.strong(line) for line in (*page.wrap(said), *page.wrap(instead(advice)))]
    lines += [line for reason in reasons for line in page.wrap(reason)]
    if graded.candidate is None or is_same(graded.candidate.arrangement, best.arrangement):
        return lines
    return [*lines, "", *_compared(graded.candidate, advice, page)]


def _compared(own: Candidate, advice: Advice, page: Page) -> list[str]:
    """Return the player's rows with how often they win, how often the best's do, and the difference."""
    best = advice.best
    decimals = 1 if share_text(0, page) == "0.0%" else 0

    def figures(mine: float, theirs: float, sign: int = 1) -> list[str]:
        differ = 100 * (mine - theirs)
        shown = page.signed(points_text(differ, decimals), sign * differ)
        return [share_text(mine, page), share_text(theirs, page), shown]

    shares = {row: figures(win_share(own.rows[row]), win_share(best.rows[row])) for row in ROWS}
    names = {row: own.rows[row].hand for row in ROWS}
    headings = ("yours", "best", "points") if decimals else ("you", "best", "")
    lines = laid(own.arrangement, names, "Yours", headings, shares, page)
    lines.append(figures_line("scoops", figures(own.scoop, best.scoop), page))
    lines.append(figures_line("is scooped", figures(own.scooped, best.scooped, -1), page))
    units = f"{units_text(own.units)}{error_text(own.stderr, page)} units, the best {units_text(best.units)}"
    if pays_royalties(advice):
        units += f"; royalties {units_text(own.royalties)}, the best's {units_text(best.royalties)}"
    return [*lines, *page.wrap(units)]
