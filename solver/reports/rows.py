"""Rows of cards as a player lays them, with what is said of each beside it or, on a narrow page, below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.arrangements import ROWS, Arrangement
from solver.reports.text import Page, columns_of, pad
from solver.words import shorter, win_share

if TYPE_CHECKING:
    from solver.records import Candidate

LABEL, CARDS, GAP, FIGURES, BAR = 7, 14, 2, 7, 10
"""Columns of a row's name, of five cards, between them and what follows, of one of three figures, and of a bar."""

NAME = 25
"""Columns that the longest name of a hand takes without its kickers."""


def points_text(points: float, decimals: int = 1) -> str:
    """Return percentage points with their sign; nothing where they round to zero."""
    shown = f"{points:+.{decimals}f}"
    return "" if float(shown) == 0 else shown


def laid(
    arrangement: Arrangement,
    names: Mapping[str, str],
    title: str,
    headings: Sequence[str],
    figures: Mapping[str, Sequence[str]],
    page: Page,
    bars: Mapping[str, float] | None = None,
) -> list[str]:
    """Return the three rows, each named in words with three figures to the right, under their headings.

    Names lose the kickers that do not fit. ``bars`` are shares, drawn where there is room for them.
    """
    whole = FIGURES if page.width >= CARDS + 3 * FIGURES else FIGURES - 2
    beside, wide = LABEL + CARDS + GAP, page.width >= LABEL + CARDS + GAP + NAME + 3 * FIGURES
    barred = bars is not None and page.width >= beside + NAME + 1 + BAR + 3 * FIGURES
    lines = [figures_line(page.strong(title), headings, page, whole)]
    for row in ROWS:
        cards, words = page.cards(arrangement.row(row)), names[row]
        if wide:
            left = f"{row:<{LABEL}}{pad(cards, CARDS + GAP)}"
            room = page.width - beside - 3 * FIGURES - (BAR + 1 if barred else 0)
            left += f"{shorter(words, room):<{room}}"
            left += f" {page.bar(bars[row], BAR)}" if barred and bars else ""
            lines.append(figures_line(left, figures[row], page, whole))
        elif page.width >= LABEL + CARDS + 3 * FIGURES:
            lines.append(figures_line(f"{row:<{LABEL}}{cards}", figures[row], page, whole))
            lines.append(" " * LABEL + shorter(words, page.width - LABEL))
        else:
            lines.append(figures_line(cards, figures[row], page, whole))
            name = shorter(words, page.width - len(row) - 4)
            lines += page.wrap(f"{row}: {name}", "  ", "    ")
    return lines


def figures_line(left: str, figures: Sequence[str], page: Page, whole: int = 0) -> str:
    """Return a line with three figures at its right end, each in so many columns; short ones where there are few."""
    whole = whole or (FIGURES if page.width >= CARDS + 3 * FIGURES else FIGURES - 2)
    return pad(left, page.width - 3 * whole) + "".join(pad(figure, whole, right=True) for figure in figures)


def share_text(share: float, page: Page) -> str:
    """Return a share in hundredths, with a decimal where the page has room for it."""
    return f"{100 * share:.1f}%" if page.width >= CARDS + 3 * FIGURES else f"{100 * share:.0f}%"


@dataclass(frozen=True)
class _Points:
    """How the points of three rows stand beside each other: what is above them, their columns and decimals."""

    headings: tuple[str, str, str]
    rooms: tuple[int, int, int]
    decimals: int

    def line(self, figures: Sequence[str]) -> str:
        return "".join(pad(figure, room, right=True) for figure, room in zip(figures, self.rooms, strict=True))


_SPREADS = (
    _Points(ROWS, (7, 7, 7), 1),
    _Points(ROWS, (6, 7, 5), 0),
    _Points(("F", "M", "B"), (5, 5, 5), 0),
)


def alternatives(found: Sequence[Candidate], best: Candidate, page: Page) -> list[str]:
    """Return arrangements with the units that each gives up, and how much more or less each of its rows wins."""
    given = _given_up(found, page)
    room = max(columns_of(text) for text in given)
    arrangement = 2 * CARDS + 8 + 6
    for spread in _SPREADS[:2]:
        if arrangement + 2 + room + sum(spread.rooms) <= page.width:
            units = pad("gives up", room, right=True)
            heading = f"{units}{spread.line(spread.headings)}"
            indent = page.width - columns_of(heading)
            lines = [f"{pad(page.strong('Alternatives'), indent)}{page.faint(heading)}"]
            for candidate, text in zip(found, given, strict=True):
                rows = pad(in_line(candidate.arrangement, page), indent)
                lines.append(f"{rows}{pad(text, room)}{_points(candidate, best, spread, page)}")
            return lines
    return _stacked(found, best, given, page)


def _stacked(found: Sequence[Candidate], best: Candidate, given: Sequence[str], page: Page) -> list[str]:
    """Return alternatives in two lines or three."""
    room = max(*(columns_of(text) for text in given), len("gives up"))
    indent = min(2, max(page.width - room, 0))
    fitting = [spread for spread in _SPREADS if indent + room + sum(spread.rooms) <= page.width]
    spread = fitting[0] if fitting else _SPREADS[-1]
    heading = " " * indent + pad("gives up", room, right=True)
    lines = [page.strong("Alternatives"), page.faint(heading + (spread.line(spread.headings) if fitting else ""))]
    for candidate, text in zip(found, given, strict=True):
        points = _points(candidate, best, spread, page)
        lines.append(in_line(candidate.arrangement, page))
        lines.append(" " * indent + pad(text, room, right=True) + (points if fitting else ""))
        if not fitting and points.strip():
            lines.append(points)
    return lines


def in_line(arrangement: Arrangement, page: Page) -> str:
    """Return an arrangement in a line, its cards close together where the page is narrow."""
    rows = [arrangement.row(row) for row in ROWS]
    if page.width >= 2 * CARDS + 8 + 6:
        return page.faint(" | ").join(page.cards(row) for row in rows)
    close = ["".join(map(page.card, row)) for row in rows]
    return page.faint(" | " if page.width >= 2 * 13 + 6 else "|").join(close)


def _given_up(found: Sequence[Candidate], page: Page) -> list[str]:
    """Return the units that arrangements give up, with their errors, aligned at the decimal points."""
    units = [f"{abs(one.behind or 0.0):.3f}" for one in found]
    errors = ["" if one.behind_stderr is None else f"{one.behind_stderr:.3f}" for one in found]
    first, second = max(map(len, units)), max(map(len, errors))
    if not second:
        return [f"{text:>{first}}" for text in units]
    return [f"{text:>{first}} {page.sign} {error:>{second}}" for text, error in zip(units, errors, strict=True)]


def _points(candidate: Candidate, best: Candidate, spread: _Points, page: Page) -> str:
    """Return by how many points more or less the rows of an arrangement win; nothing for those that do not differ."""
    found = []
    for row in ROWS:
        points = 100 * (win_share(candidate.rows[row]) - win_share(best.rows[row]))
        found.append(page.signed(points_text(points, spread.decimals), points))
    return spread.line(found)
