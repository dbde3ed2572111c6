"""SVG as text, with the standard library only: elements, text that stays inside its room, and whole documents.

Everything is drawn in ``currentColor`` unless it says otherwise, so that a drawing inside a page takes on the page's
colours; a document of its own brings its own background. No ids are used: several drawings can stand in one page.
"""

import re
import unicodedata
from collections.abc import Iterable
from textwrap import wrap
from xml.sax.saxutils import escape, quoteattr

from solver.errors import printable

NAMESPACE = "http://www.w3.org/2000/svg"
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
_NEGATIVE = re.compile(r"(?<!\S)-(?=[\d.])")
INK, PAPER = "#1b2530", "#ffffff"


def number(amount: float) -> str:
    """Return a length with at most two decimals.

    Examples
    --------
    >>> number(3.0), number(0.125), number(-0.001)
    ('3', '0.12', '0')
    """
    shown = f"{amount:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def clean(words: str) -> str:
    """Return text without markup and without characters that XML forbids or that turn the direction of reading."""
    return escape(printable(words).replace("\n", " "))


def with_minus(words: str) -> str:
    """Return text whose negative numbers have a minus as wide as a plus."""
    return _NEGATIVE.sub("\N{MINUS SIGN}", words)


def element(name: str, content: str = "", **attributes: float | str | None) -> str:
    """Return an element; attributes that are None are left out, and ``stroke_width`` is written ``stroke-width``.

    Examples
    --------
    >>> element("rect", x=1.5, stroke_width=2, class_="card")
    '<rect x="1.5" stroke-width="2" class="card"/>'
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            shown = value if isinstance(value, str) else number(value)
            parts.append(f"{key.rstrip('_').replace('_', '-')}={quoteattr(printable(shown))}")
    opened = " ".join(parts)
    return f"<{opened}>{content}</{name}>" if content else f"<{opened}/>"


def text(words: str, x: float, y: float, size: float, bold: bool = False, **attributes: float | str | None) -> str:
    """Return a line of text whose baseline starts at ``x, y``."""
    weight = "bold" if bold else None
    return element(
        "text",
        clean(with_minus(words)),
        x=x,
        y=y,
        font_size=size,
        font_weight=weight,
        fill="currentColor",
        **attributes,
    )


def without_wide(words: str) -> str:
    """Return text without the characters that are as wide as they are high, such as Chinese ones."""
    return "".join(character for character in words if unicodedata.east_asian_width(character) not in "WF")


def width_of(words: str, size: float, bold: bool = False) -> float:
    """Return about the width that a text takes in DejaVu Sans, the widest of the usual fonts."""
    narrow = len(without_wide(words))
    return size * (len(words) - narrow + (0.65 if bold else 0.57) * narrow)


def lines_of(words: str, room: float, size: float) -> list[str]:
    """Return a text in lines that fit into a room."""
    each = width_of("n" if words == without_wide(words) else "\N{CJK UNIFIED IDEOGRAPH-4E00}", size)
    return wrap(printable(words), max(int(room / each), 8), break_on_hyphens=False)


def group(parts: Iterable[str], x: float = 0, y: float = 0, **attributes: float | str | None) -> str:
    """Return parts as one, moved to ``x, y``."""
    moved = f"translate({number(x)} {number(y)})" if x or y else None
    return element("g", "".join(parts), transform=moved, **attributes)


def document(
    content: str, width: float, height: float, title: str, description: str = "", paper: str | None = None
) -> str:
    """Return a drawing as a file of its own.

    Parameters
    ----------
    content
        The drawing, inside ``width`` and ``height``.
    title, description
        What somebody who cannot see it is told.
    paper
        The background; without one it is transparent.
    """
    alt = element("title", clean(with_minus(title)))
    if description:
        alt += element("desc", clean(with_minus(description)))
    ground = element("rect", width=width, height=height, rx=12, fill=paper) if paper else ""
    return element(
        "svg",
        f"{alt}{ground}{content}\n",
        xmlns=NAMESPACE,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="img",
        font_family=FONT,
        color=INK,
    )


def inline(
    content: str, width: float, height: float, label: str = "", class_: str | None = None, stretched: bool = False
) -> str:
    """Return a drawing as a part of a page: it takes the page's font and colours, and the width that styles give it.

    Parameters
    ----------
    content
        The drawing, inside ``width`` and ``height``.
    label
        What somebody who cannot see it is told; without one, assistive technology passes it over.
    class_
        For the page's styles.
    stretched
        Whether it fills its room in both directions whatever its shape.
    """
    return element(
        "svg",
        content,
        class_=class_,
        viewBox=f"0 0 {number(width)} {number(height)}",
        preserveAspectRatio="none" if stretched else None,
        role="img" if label else None,
        aria_label=label.replace("\n", " ") or None,
        aria_hidden=None if label else "true",
    )
