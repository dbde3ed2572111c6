"""Answers and rule sets as text for a terminal: at most 80 columns, plain and stable where colours are off."""

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Any

import click

from solver.advice import Advice, Candidate
from solver.arrangements import ROWS
from solver.cards import RANKS, SUITS
from solver.rulebook import Section
from solver.rules import RuleSet

WIDTH = 80
_SYMBOLS = "♣♦♥♠"
_COLORS = (None, "red", "red", None)
_LETTERS = str.maketrans(
    dict(zip(_SYMBOLS, SUITS, strict=True))
    | {"±": "+-", "\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-", "\N{RIGHT SINGLE QUOTATION MARK}": "'"}
)


def card_text(card: int, color: bool, ascii: bool) -> str:
    """Return a card in two characters, its suit as a symbol unless ``ascii``, red suits in red where ``color``."""
    suit = card & 3
    text = RANKS[card >> 2] + (SUITS if ascii else _SYMBOLS)[suit]
    return click.style(text, fg=_COLORS[suit], bold=True) if color else text


def cards_text(cards: Iterable[int], color: bool, ascii: bool) -> str:
    """Return cards separated by spaces."""
    return " ".join(card_text(card, color, ascii) for card in cards)


def to_ascii(text: str) -> str:
    """Return text in ASCII: accents dropped, and what has no likeness as a question mark."""
    parts = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(part for part in parts if not unicodedata.combining(part)).encode("ascii", "replace").decode()


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _signed(units: float) -> str:
    shown = f"{units:+.3f}"
    return " 0.000" if float(shown) == 0 else shown


def _strong(text: str, color: bool) -> str:
    return click.style(text, bold=True) if color else text


def render_advice(advice: Advice, *, width: int = WIDTH, color: bool = False, ascii: bool = False) -> str:
    """Return an answer as text: the best arrangement as a player lays it, what to expect, and the alternatives."""
    sign = "+-" if ascii else "±"
    best = advice.best
    lines = [*_rows(best, width, color, ascii), ""]
    others = advice.players - 1
    against = "against 1 opponent" if others == 1 else f"in total against {others} opponents"
    lines.append(f"{_strong(f'{_signed(best.units).strip()} {sign} {best.stderr:.3f} units', color)} {against}")
    each = "" if others == 1 else " (per opponent)"
    lines.append(f"scoop {_percent(best.scoop)}, scooped {_percent(best.scooped)}{each}")
    royalties = advice.rules.royalties
    if royalties.front or royalties.middle or royalties.back:
        lines.append(f"royalties {_signed(best.royalties).strip()} units net")
    lines += wrap(_certainty(advice, sign), width)
    if advice.alternatives:
        lines += ["", "Alternatives, and the units they give up:"]
        lines += [_alternative(candidate, sign, color, ascii) for candidate in advice.alternatives]
    lines += ["", *wrap(_conditions(advice), width)]
    text = "\n".join(lines)
    return to_ascii(text) if ascii else text


def _rows(best: Candidate, width: int, color: bool, ascii: bool) -> list[str]:
    """Return the three rows with their names in words, without the kickers that do not fit, and their chances."""
    room = max(width, 70) - 44
    lines = [f"{'':<{room + 23}}{'win':>7}{'tie':>7}{'lose':>7}"]
    for row in ROWS:
        look = best.rows[row]
        cards = best.arrangement.row(row)
        words = look.hand
        while len(words) > room and ", " in words:
            words = words.rpartition(", ")[0]
        padded = cards_text(cards, color, ascii) + " " * (17 - 3 * len(cards))
        chances = "".join(f"{_percent(share):>7}" for share in (look.win, look.tie, look.lose))
        lines.append(f"{row:<7}{padded}{words:<{room}}{chances}")
    return lines


def _certainty(advice: Advice, sign: str) -> str:
    """Say in words how sure it is that the best is the best."""
    if not advice.alternatives:
        return "No other arrangement of the hand is worth considering." if advice.candidates == 1 else ""
    following = advice.alternatives[0]
    assert following.behind is not None and following.behind_stderr is not None
    if following.behind == 0 and following.behind_stderr == 0:
        return "The next is worth the same in every deal: either will do."
    lead = f"{abs(following.behind):.3f} {sign} {following.behind_stderr:.3f} units"
    if following.behind > 3 * following.behind_stderr:
        return f"Best by {lead} over the next."
    if advice.decided:
        return f"As good as the next within the precision asked for: ahead by {lead}."
    return f"Too close to call: ahead of the next by {lead}; more --deals would tell."


def _alternative(candidate: Candidate, sign: str, color: bool, ascii: bool) -> str:
    rows = " | ".join(cards_text(candidate.arrangement.row(row), color, ascii) for row in ROWS)
    assert candidate.behind is not None
    return f"  {rows}  {abs(candidate.behind):.3f} {sign} {candidate.behind_stderr:.3f}"


def _conditions(advice: Advice) -> str:
    """Say what the answer rests on."""
    changed = f" with {len(advice.overrides)} changed" if advice.overrides else ""
    return (
        f"Rules {advice.rules.name}{changed}, opponents {advice.opponents}, {advice.deals:,} deals, "
        f"seed {advice.seed}; "
        f"{advice.candidates:,} candidates of {advice.legal:,} legal arrangements."
    )


def _table(rows: Sequence[tuple[str, str]], width: int, indent: int = 0) -> str:
    """Return two columns as text, both wrapped to the width."""
    left = min(max((len(first) for first, _ in rows), default=0), width // 2 + 4)
    lines = []
    for first, second in rows:
        heads = wrap(first, left) or [""]
        tails = wrap(second, width - left - 2 - indent) or [""]
        for head, tail in zip_longest(heads, tails, fillvalue=""):
            lines.append(f"{'':<{indent}}{head:<{left}}  {tail}".rstrip())
    return "\n".join(lines)


def render_rules(sections: Sequence[Section], *, width: int = WIDTH, color: bool = False, ascii: bool = False) -> str:
    """Return a rule set in words."""
    parts = [f"{_strong(section.title, color)}\n{_table(section.lines, width, indent=2)}" for section in sections]
    text = "\n\n".join(parts)
    return to_ascii(text) if ascii else text


def render_rules_list(rules: Sequence[RuleSet], *, width: int = WIDTH, color: bool = False, ascii: bool = False) -> str:
    """Return the names of rule sets, each with its title."""
    left = max((len(one.name) for one in rules), default=0)
    text = _table([(one.name, one.title) for one in rules], width)
    if color:
        text = "\n".join(_strong(line[:left], color) + line[left:] for line in text.splitlines())
    return to_ascii(text) if ascii else text


def render_bench(rows: Sequence[dict[str, Any]], *, ascii: bool = False) -> str:
    """Return measurements as text, each with its ratio where it is compared with another."""
    lines = []
    for row in rows:
        lines.append(f"{row['name']:<40} {row['value']:>12,.2f} {row['unit']}")
        if row["ratio"] is not None:
            lines.append(f"  {row['ratio']:,.1f} x {row['relative_to']}")
    text = "\n".join(lines)
    return to_ascii(text) if ascii else text
