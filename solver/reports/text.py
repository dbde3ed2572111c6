"""What all reports are made of: a page and its looks, cards, numbers, columns, and text without what a page lacks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import click

from solver.cards import RANKS, SUITS

_SYMBOLS = "♣♦♥♠"
_TWO_COLORS = (None, "red", "red", None)
_FOUR_COLORS = ("green", "blue", "red", None)
_LETTERS = str.maketrans(
    dict(zip(_SYMBOLS, SUITS, strict=True))
    | {"±": "+-", "\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-", "\N{RIGHT SINGLE QUOTATION MARK}": "'"}
    | {"━": "=", "─": "-"}
)


@dataclass(frozen=True)
class Page:
    """What text is laid out for.

    Attributes
    ----------
    width : int
        Columns.
    color : bool
        Whether it can be coloured.
    four_color : bool
        Whether each suit has a colour of its own, with clubs green and diamonds blue, instead of two in red.
    ascii : bool
        Whether it knows ASCII only: suits are letters then.
    """

    width: int = 80
    color: bool = False
    four_color: bool = False
    ascii: bool = False

    @property
    def sign(self) -> str:
        """What stands between a number and its standard error."""
        return "+-" if self.ascii else "±"

    def strong(self, text: str) -> str:
        """Return text in bold, where there are colours."""
        return click.style(text, bold=True) if self.color and text else text

    def faint(self, text: str) -> str:
        """Return text that is read last, where there are colours."""
        return click.style(text, dim=True) if self.color and text else text

    def signed(self, text: str, amount: float) -> str:
        """Return the text of an amount in green where it is won and in red where it is lost."""
        return click.style(text, fg="green" if amount > 0 else "red") if self.color and amount and text else text

    def card(self, card: int) -> str:
        """Return a card in two characters."""
        suit = card & 3
        text = RANKS[card >> 2] + (SUITS if self.ascii else _SYMBOLS)[suit]
        if not self.color:
            return text
        return click.style(text, fg=(_FOUR_COLORS if self.four_color else _TWO_COLORS)[suit], bold=True)

    def cards(self, cards: Iterable[int]) -> str:
        """Return cards separated by spaces."""
        return " ".join(map(self.card, cards))

    def bar(self, share: float, room: int) -> str:
        """Return a share as a bar of so many columns, whose rest is read last."""
        filled = round(share * room)
        return "━" * filled + self.faint("─" * (room - filled))

    def wrap(self, text: str, indent: str = "", hanging: str | None = None) -> list[str]:
        """Return text in lines that fit the page, whatever it is made of; ``hanging`` indents all but the first."""
        text = to_ascii(text) if self.ascii else text
        return wrapped(text, self.width, indent, indent if hanging is None else hanging)

    def finish(self, text: str) -> str:
        """Return text as the page can show it: no spaces at the ends of lines, and in ASCII where it knows no more."""
        text = "\n".join(line.rstrip() for line in text.split("\n"))
        return to_ascii(text) if self.ascii else text


_ERROR = re.compile(r" (±|\+-) (?=\d)")

PLAIN = Page()

TWO_COLUMNS = 60
"""Columns from which a page has room for text in two of them."""


def to_ascii(text: str) -> str:
    """Return text in ASCII: accents dropped, and what has no likeness as a question mark."""
    parts = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(part for part in parts if not unicodedata.combining(part)).encode("ascii", "replace").decode()


def error_text(stderr: float | None, page: Page) -> str:
    """Return a standard error as it follows a number; nothing where there is none."""
    return "" if stderr is None else f" {page.sign} {stderr:.3f}"


def number(amount: float, sign: str = "+") -> str:
    """Return units or money with at most three decimals; ``sign`` as in format strings."""
    text = f"{amount:{sign},.3f}".rstrip("0").rstrip(".")
    return "0" if text.strip("+-") == "0" else text


def wrapped(text: str, width: int, indent: str = "", hanging: str = "") -> list[str]:
    """Return text in lines of a number of columns; a word is broken only where it alone takes more than a line.

    A number stays with its standard error.
    """
    lines, line, empty = [], indent, True
    for word in _ERROR.sub("\0\\1\0", text).split():
        if not empty and columns_of(line) + 1 + columns_of(word) > width:
            lines.append(line)
            line, empty = hanging, True
        line += "" if empty else " "
        while columns_of(line) + columns_of(word) > width:
            room, at = width - columns_of(line), 0
            while columns_of(word[: at + 1]) <= room:
                at += 1
            lines.append(line + word[:at])
            line, word = hanging, word[at:]
        line, empty = line + word, False
    lines += [] if empty else [line]
    return [one.replace("\0", " ") for one in lines]


def table(rows: Sequence[tuple[str, str]], page: Page, indent: int = 0, strong: bool = False) -> str:
    """Return two columns as text, both wrapped; on a narrow page what is long in the second stands under the first."""
    emphasis = page.strong if strong else str
    if page.ascii:
        rows = [(to_ascii(first), to_ascii(second)) for first, second in rows]
    start, width, lines = " " * indent, page.width - indent, []
    left = min(max((columns_of(first) for first, _ in rows), default=0), page.width // 2 + 4)
    for first, second in rows:
        if page.width >= TWO_COLUMNS:
            heads, tails = wrapped(first, left) or [""], wrapped(second, max(width - left - 2, 8)) or [""]
            for head, tail in zip_longest(heads, tails, fillvalue=""):
                lines.append(f"{start}{emphasis(head)}{' ' * (left - columns_of(head))}  {tail}".rstrip())
        elif columns_of(first) + 2 + columns_of(second) <= width:
            lines.append(f"{start}{emphasis(first)}  {second}".rstrip())
        else:
            lines += [start + emphasis(head) for head in wrapped(first, width)]
            lines += wrapped(second, page.width, start + "  ", start + "  ")
    return "\n".join(lines)


def columns_of(text: str) -> int:
    """Return the terminal columns that a text takes: two for a Chinese sign, none for a combining accent."""
    if text.isascii() and "\x1b" not in text:
        return len(text)
    text = click.unstyle(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    none = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    return len(text) + wide - none


def pad(text: str, room: int, right: bool = False) -> str:
    """Fill a text, which may be styled, with spaces up to a number of columns."""
    spaces = " " * (room - columns_of(text))
    return spaces + text if right else text + spaces


def fit(name: str, room: int, ascii: bool) -> str:
    """Return a name as it is shown: nothing that moves the cursor, and cut to a number of columns."""
    name = "".join("?" if unicodedata.category(character) == "Cc" else character for character in name)
    name, mark = (to_ascii(name), "..") if ascii else (name, "\N{HORIZONTAL ELLIPSIS}")
    if columns_of(name) <= room:
        return name
    name = name[: 4 * room]
    while columns_of(name) > room - len(mark):
        name = name[:-1]
    return name.rstrip() + mark


def beside(columns: Sequence[Sequence[str]], page: Page) -> list[str]:
    """Return columns side by side, the first to the left and the others to the right, their titles strong."""
    lines = [""] * len(columns[0])
    for place, column in enumerate(columns):
        room = max(columns_of(text) for text in column)
        gap = "  " if place else ""
        lines = [f"{line}{gap}{pad(cell, room, place > 0)}" for line, cell in zip(lines, column, strict=True)]
    return [page.strong(lines[0]), *lines[1:]]
