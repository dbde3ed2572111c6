"""Pictures of hands, arrangements and whole answers, as SVG with the standard library only."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from solver import words
from solver.arrangements import ROWS, Arrangement, arrangement_words
from solver.card_pictures import cards_row, laid, small_rows
from solver.cards import card_words
from solver.distributions import EVEN, LOST, PLOT_HEIGHT, PLOT_WIDTH, WON, Scale, histogram, outlook, units_mark
from solver.svg import PAPER, document, element, group, lines_of, text

if TYPE_CHECKING:
    from solver.records import Advice, Candidate, RowOutlook

MOST_ALTERNATIVES = 11
"""Alternatives in one picture; more would make it longer than anybody looks at."""

_GAP = 8.0
_MARGIN = 24.0
_WIDTH = 2 * PLOT_WIDTH + 3 * _MARGIN
_BAR_HEIGHT = 13.0


def hand_svg(cards: Iterable[int], four_color: bool = False) -> str:
    """Return cards side by side, in the order given."""
    found = tuple(cards)
    drawn, width, height = cards_row(found, four_color=four_color)
    return document(drawn, width, height, ", ".join(map(card_words, found)))


def arrangement_svg(arrangement: Arrangement, four_color: bool = False) -> str:
    """Return an arrangement as a player lays it: the front centred over the middle and the back."""
    return document(*laid(rows_of(arrangement), _GAP, four_color), arrangement_words(arrangement))


def rows_of(arrangement: Arrangement) -> list[tuple[int, ...]]:
    """Return the rows of an arrangement, the front first."""
    return [arrangement.row(row) for row in ROWS]


def chances_bar(look: "RowOutlook", width: float, height: float) -> str:
    """Return a bar of what a row wins, ties and loses."""
    parts, x = [], 0.0
    for share, fill in ((look.win, WON), (look.tie, EVEN), (look.lose, LOST)):
        if share > 0:
            parts.append(element("rect", x=x, y=0, width=share * width, height=height, fill=fill))
        x += share * width
    return "".join(parts)


def chances_words(look: "RowOutlook") -> str:
    """Return what a row wins, ties and loses in words."""
    return f"win {words.percent(look.win)}, tie {words.percent(look.tie)}, lose {words.percent(look.lose)}"


def shown(advice: "Advice") -> list[tuple[str, "Candidate"]]:
    """Return what is worth a histogram, with its caption: the best, the player's own, and the alternatives."""
    found = [("Best", advice.best)]
    own = advice.graded.candidate if advice.graded else None
    if own is not None and own.arrangement != advice.best.arrangement:
        found.append((f"Yours: gives up {words.given_up(own.behind or 0, own.behind_stderr)}", own))
    for one in advice.alternatives:
        if own is None or one.arrangement != own.arrangement:
            found.append((f"Gives up {words.given_up(one.behind or 0, one.behind_stderr)}", one))
    return [(caption, one) for caption, one in found if one.distribution]


def scale_of(advice: "Advice") -> Scale:
    """Return the axes on which all histograms of an answer are drawn."""
    return Scale.of([one.distribution for _, one in shown(advice)])


def outlook_words(candidate: "Candidate") -> str:
    """Say how often one hand is won, even and lost in all."""
    won, even, lost = map(words.percent, outlook(candidate.distribution))
    return f"won {won}, even {even}, lost {lost}"


def advice_svg(advice: "Advice", four_color: bool = False) -> str:
    """Return a whole answer: the best arrangement with each row's chances, what it brings, and the alternatives.

    At most MOST_ALTERNATIVES of these are drawn. The background is the picture's own, so that it looks the same
    wherever it is shown.
    """
    parts: list[str] = []
    y = _MARGIN + 20
    do = words.action(advice)
    if do:
        parts.append(text(do, _MARGIN, y, 24, bold=True))
        y = _paragraph(parts, words.worth(advice), y + 6, 15) + 40
    parts.append(text("If you play the rows" if do else "Best arrangement", _MARGIN, y, 18 if do else 24, bold=True))
    y = _rows(parts, advice.best, y + 20, four_color)
    y = _expected(parts, advice, y + 16)
    if advice.graded:
        y = _own(parts, advice, y + 22, four_color)
    if advice.best.distribution:
        y = _panels(parts, advice, y + 36, four_color)
    y = _paragraph(parts, words.conditions(advice), y + 10, 12.5)
    return document("".join(parts), _WIDTH, y + _MARGIN, *_alt(advice), PAPER)


def _alt(advice: "Advice") -> tuple[str, str]:
    """Return the answer for somebody who cannot see the picture: what it shows, and what that says."""
    best = advice.best
    title = f"{words.action(advice) or 'Best arrangement'}. {arrangement_words(best.arrangement).capitalize()}"
    rows = "; ".join(f"{row}: {best.rows[row].hand}, {chances_words(best.rows[row])}" for row in ROWS)
    units = words.with_error(words.units_text(best.units), best.stderr)
    said = [words.instead(advice), f"{rows}.", f"{units} units {words.against(advice)}.", words.certainty(advice)]
    if advice.graded:
        said += words.verdict(advice, advice.graded)
    return title, " ".join([*filter(None, said), words.conditions(advice)])


def _paragraph(parts: list[str], said: str, y: float, size: float, room: float = _WIDTH - 2 * _MARGIN) -> float:
    """Add lines of text under ``y`` and return where the last one stands."""
    for line in lines_of(said, room, size) if said else []:
        y += 1.4 * size
        parts.append(text(line, _MARGIN, y, size))
    return y


def _rows(parts: list[str], best: "Candidate", y: float, four_color: bool) -> float:
    """Add the best arrangement, each row beside its name and chances, and return where it ends."""
    drawn, width, height = laid(rows_of(best.arrangement), _GAP, four_color)
    parts.append(group([drawn], _MARGIN, y))
    left, step = _MARGIN + width + _MARGIN, (height + _GAP) / 3
    room = _WIDTH - _MARGIN - left
    for place, row in enumerate(ROWS):
        look = best.rows[row]
        inside = [
            text(row.capitalize(), 0, 16, 13),
            text(words.shorter(look.hand, int(room / (0.66 * 15.5))), 0, 36, 15.5, bold=True),
            group([chances_bar(look, room, _BAR_HEIGHT)], 0, 46),
            text(f"win {words.percent(look.win)}", 0, 76, 13),
            text(f"tie {words.percent(look.tie)}", room / 2, 76, 13, text_anchor="middle"),
            text(f"lose {words.percent(look.lose)}", room, 76, 13, text_anchor="end"),
        ]
        parts.append(group(inside, left, y + place * step))
    return y + height


def _expected(parts: list[str], advice: "Advice", y: float) -> float:
    """Add what the best arrangement brings and how sure that is, and return where that ends."""
    best = advice.best
    units = words.with_error(words.units_text(best.units), best.stderr)
    parts.append(text(f"{units} units", _MARGIN, y + 24, 22, bold=True))
    facts = " ".join(f"{said.capitalize()}." for said in words.fares(advice))
    y = _paragraph(parts, f"{words.against(advice).capitalize()}. {facts}", y + 30, 15)
    return _paragraph(parts, " ".join(filter(None, [words.certainty(advice), *words.declined(advice)])), y, 15)


def _own(parts: list[str], advice: "Advice", y: float, four_color: bool) -> float:
    """Add the player's own arrangement and what it gives up, and return where that ends."""
    assert advice.graded is not None
    parts.append(text("Your arrangement", _MARGIN, y + 18, 18, bold=True))
    drawn, _, height = small_rows(rows_of(advice.graded.arrangement), four_color)
    parts.append(group([drawn], _MARGIN, y + 30))
    return _paragraph(parts, " ".join(words.verdict(advice, advice.graded)), y + 34 + height, 15)


def _panels(parts: list[str], advice: "Advice", y: float, four_color: bool) -> float:
    """Add the histograms, all on the same axes, and return where they end."""
    scale, found = scale_of(advice), shown(advice)
    left_out = len(found) - 1 - MOST_ALTERNATIVES
    found = found[: 1 + MOST_ALTERNATIVES]
    parts.append(text("Units that one hand brings", _MARGIN, y, 18, bold=True))
    y += 14
    parts.append(group([legend(scale, outline=len(found) > 1)], _MARGIN, y))
    y += 34
    for place, (caption, one) in enumerate(found):
        x = _MARGIN + place % 2 * (PLOT_WIDTH + _MARGIN)
        other: Sequence[tuple[float, float]] = advice.best.distribution if place else ()
        drawn, _, height = small_rows(rows_of(one.arrangement), four_color)
        panel = [
            drawn,
            text(caption if place else f"Best: {words.with_error(words.units_text(one.units), one.stderr)}",
                 0, height + 19, 14, bold=True),
            text(outlook_words(one), 0, height + 37, 12.5),
            group([histogram(one.distribution, scale, one.units, other)], 0, height + 42),
        ]  # fmt: skip
        parts.append(group(panel, x, y))
        if place % 2 or place == len(found) - 1:
            y += height + 42 + PLOT_HEIGHT + 20
    if left_out > 0:
        y = _paragraph(parts, f"{left_out} more alternatives are not drawn.", y - 14, 13)
    return y


def legend(scale: Scale, outline: bool) -> str:
    """Return what the colours and marks of histograms mean, in one line."""
    parts, x = [], 0.0
    for fill, word in ((LOST, "lost"), (EVEN, "even"), (WON, "won")):
        parts += [element("rect", x=x, y=2, width=13, height=11, fill=fill), text(word, x + 18, 12, 13)]
        x += 62
    parts += [element("path", d=f"M{x + 6:.1f} 3l5 8h-10z", fill="currentColor"), text("expected", x + 17, 12, 13)]
    x += 94
    if outline:
        step = f"M{x:.1f} 12v-5h7v-4h7v9"
        parts += [element("path", d=step, fill="none", stroke="currentColor", stroke_width=1.5)]
        parts += [text("outline: the best", x + 20, 12, 13)]
        x += 148
    if not scale.exact:
        parts.append(text(f"bars of {units_mark(scale.step).lstrip('+')} units", x, 12, 13))
    return "".join(parts)
