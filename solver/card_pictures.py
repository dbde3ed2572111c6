"""Playing cards as SVG: white cards with a rank and a suit, in full and small.

Suits are shapes of their own, so that they look alike wherever they are shown. This module knows cards as integers and
nothing of hands and rows; what a picture is called is said by those that use it.
"""

from collections.abc import Sequence
from typing import Any

from solver.svg import element, group, text

CARD_WIDTH, CARD_HEIGHT = 60.0, 84.0
SMALL_WIDTH, SMALL_HEIGHT = 21.0, 32.0

_MARKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
_NAMES = "23456789TJQKA"
_LETTERS = "cdhs"
_SPADE = (
    "M50 4C60 26 94 42 94 65C94 77 85 85 74 85C65 85 58 80 54 73C55 83 59 91 68 96L32 96"
    "C41 91 45 83 46 73C42 80 35 85 26 85C15 85 6 77 6 65C6 42 40 26 50 4Z"
)
_HEART = "M50 93C40 72 6 52 6 28C6 15 16 7 28 7C38 7 46 13 50 23C54 13 62 7 72 7C84 7 94 15 94 28C94 52 60 72 50 93Z"
_DIAMOND = "M50 3C58 22 71 38 87 50C71 62 58 78 50 97C42 78 29 62 13 50C29 38 42 22 50 3Z"
_CLUB = (
    "M71 27A21 21 0 1 1 29 27A21 21 0 1 1 71 27Z M48 61A21 21 0 1 1 6 61A21 21 0 1 1 48 61Z "
    "M94 61A21 21 0 1 1 52 61A21 21 0 1 1 94 61Z M40 40L60 40L60 60L40 60Z "
    "M54 55C54 78 58 90 68 96L32 96C42 90 46 78 46 55Z"
)
_SHAPES = (_CLUB, _DIAMOND, _HEART, _SPADE)
TWO_COLORS = ("#1b1f24", "#c8102e", "#c8102e", "#1b1f24")
FOUR_COLORS = ("#177a34", "#1f5fbf", "#c8102e", "#1b1f24")


def _suit(suit: int, x: float, y: float, size: float) -> str:
    """Return a suit's shape in a square."""
    return element("path", d=_SHAPES[suit], transform=f"translate({x:g} {y:g}) scale({size / 100:g})")


def _paper(width: float, height: float, radius: float) -> str:
    """Return the white of a card; its edge shows on white and on black."""
    return element(
        *("rect", ""), x=0.5, y=0.5, width=width - 1, height=height - 1, rx=radius, fill="#ffffff", stroke="#8a94a0"
    )


def card_svg(card: int, x: float = 0, y: float = 0, four_color: bool = False) -> str:
    """Return a card of CARD_WIDTH by CARD_HEIGHT as a group: its rank above, its suit large below."""
    rank, suit = card >> 2, card & 3
    parts = (
        _paper(CARD_WIDTH, CARD_HEIGHT, 6),
        text(_MARKS[rank], 21 if rank == 8 else 18, 32, 26 if rank == 8 else 29, **_set(rank, 3)),
        _suit(suit, 19, 40, 35),
    )
    return _colored(card, parts, x, y, four_color)


def small_card_svg(card: int, x: float = 0, y: float = 0, four_color: bool = False) -> str:
    """Return a card of SMALL_WIDTH by SMALL_HEIGHT as a group."""
    rank, suit = card >> 2, card & 3
    mark = text(_MARKS[rank], SMALL_WIDTH / 2, 15, 12.5 if rank == 8 else 14, **_set(rank, 1.5))
    return _colored(card, (_paper(SMALL_WIDTH, SMALL_HEIGHT, 3), mark, _suit(suit, 5, 17.5, 11)), x, y, four_color)


def _colored(card: int, parts: Sequence[str], x: float, y: float, four_color: bool) -> str:
    """Return the parts of a card in its suit's colour, and which card it is for programs that read the picture."""
    ink = (FOUR_COLORS if four_color else TWO_COLORS)[card & 3]
    name = _NAMES[card >> 2] + _LETTERS[card & 3]
    return group(parts, x, y, data_card=name, color=ink, fill=ink)


def _set(rank: int, amount: float) -> dict[str, Any]:
    """Return how a rank is set: in the middle and bold, the two digits of a ten close together."""
    close = {"letter_spacing": -amount, "dx": -amount / 2} if rank == 8 else {}
    return {"bold": True, "text_anchor": "middle"} | close


def laid(rows: Sequence[Sequence[int]], gap: float = 8, four_color: bool = False) -> tuple[str, float, float]:
    """Return rows of cards one over the other, each centred, their width and their height."""
    drawn = [cards_row(row, four_color=four_color) for row in rows]
    width, step = max(row[1] for row in drawn), CARD_HEIGHT + gap
    parts = [group([row[0]], (width - row[1]) / 2, place * step) for place, row in enumerate(drawn)]
    return "".join(parts), width, len(rows) * step - gap


def cards_row(cards: Sequence[int], gap: float = 6, four_color: bool = False) -> tuple[str, float, float]:
    """Return cards side by side, their width and their height."""
    step = CARD_WIDTH + gap
    drawn = [card_svg(card, place * step, four_color=four_color) for place, card in enumerate(cards)]
    return "".join(drawn), len(cards) * step - gap, CARD_HEIGHT


def small_rows(rows: Sequence[Sequence[int]], four_color: bool = False) -> tuple[str, float, float]:
    """Return rows of small cards in one line, parted by a wider gap, their width and their height."""
    parts, x = [], 0.0
    for row in rows:
        for card in row:
            parts.append(small_card_svg(card, x, four_color=four_color))
            x += SMALL_WIDTH + 1
        x += 8
    return "".join(parts), x - 9, SMALL_HEIGHT
