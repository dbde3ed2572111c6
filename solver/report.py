"""Answers and rule sets as text for a terminal: at most 80 columns, plain and stable where colours are off."""

from collections.abc import Iterable, Sequence
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


def card_text(card: int, color: bool, ascii: bool) -> str:
    """Return a card in two characters, its suit as a symbol unless ``ascii``, red suits in red where ``color``."""
    suit = card & 3
    text = RANKS[card >> 2] + (SUITS if ascii else _SYMBOLS)[suit]
    return click.style(text, fg=_COLORS[suit], bold=True) if color else text


def cards_text(cards: Iterable[int], color: bool, ascii: bool) -> str:
    """Return cards separated by spaces."""
    return " ".join(card_text(card, color, ascii) for card in cards)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _strong(text: str, color: bool) -> str:
    return click.style(text, bold=True) if color else text


def render_advice(advice: Advice, *, color: bool, ascii: bool) -> str:
    """Return an answer as text: the best arrangement as a player lays it, what to expect, and the alternatives."""
    sign = "+-" if ascii else "±"
    best = advice.best
    lines = [*_rows(best, color, ascii), ""]
    others = advice.players - 1
    against = "against 1 opponent" if others == 1 else f"in total against {others} opponents"
    lines.append(f"{_strong(f'{best.units:+.3f} {sign} {best.stderr:.3f} units', color)} {against}")
    each = "" if others == 1 else " (per opponent)"
    lines.append(f"scoop {_percent(best.scoop)}, scooped {_percent(best.scooped)}{each}")
    royalties = advice.rules.royalties
    if royalties.front or royalties.middle or royalties.back:
        lines.append(f"royalties {best.royalties:+.3f} units net")
    lines += wrap(_certainty(advice, sign), WIDTH)
    if advice.alternatives:
        lines += ["", "Alternatives, and what they give up:"]
        lines += [_alternative(candidate, sign, color, ascii) for candidate in advice.alternatives]
    lines += ["", *wrap(_conditions(advice), WIDTH)]
    return "\n".join(lines)


def _rows(best: Candidate, color: bool, ascii: bool) -> list[str]:
    """Return the three rows with their names in words and their chances, the words cut to what fits."""
    lines = [f"{'':<42}{'':<10}{'win':>8}{'tie':>8}{'lose':>8}".rstrip()]
    for row in ROWS:
        look = best.rows[row]
        cards = best.arrangement.row(row)
        words = look.hand if len(look.hand) <= 29 else look.hand.split(",")[0]
        padded = cards_text(cards, color, ascii) + " " * (16 - 3 * len(cards) + 1)
        chances = "".join(f"{_percent(share):>8}" for share in (look.win, look.tie, look.lose))
        lines.append(f"{row:<8}{padded}{words:<30}{chances}")
    lines[0] = f"{'':<55}{'win':>8}{'tie':>8}{'lose':>8}"
    return lines


def _certainty(advice: Advice, sign: str) -> str:
    """Say in words how sure it is that the best is the best."""
    if not advice.alternatives:
        return "No other arrangement of the hand is worth considering." if advice.candidates == 1 else ""
    following = advice.alternatives[0]
    assert following.behind is not None and following.behind_stderr is not None
    lead = f"{following.behind:.3f} {sign} {following.behind_stderr:.3f} units"
    if following.behind > 3 * following.behind_stderr:
        return f"Best by {lead} over the next."
    if advice.decided:
        return f"As good as the next within the precision asked for: ahead by {lead}."
    return f"Too close to call: ahead of the next by {lead}; more --deals would tell."


def _alternative(candidate: Candidate, sign: str, color: bool, ascii: bool) -> str:
    rows = " | ".join(cards_text(candidate.arrangement.row(row), color, ascii) for row in ROWS)
    return f"  {rows}  -{candidate.behind:.3f} {sign} {candidate.behind_stderr:.3f}"


def _conditions(advice: Advice) -> str:
    """Say what the answer rests on."""
    changed = f" with {len(advice.overrides)} changed" if advice.overrides else ""
    return (
        f"Rules {advice.rules.name}{changed}, opponents {advice.opponents}, {advice.deals:,} deals, "
        f"seed {advice.seed}; "
        f"{advice.candidates:,} candidates of {advice.legal:,} legal arrangements."
    )


def render_table(rows: Sequence[tuple[str, str]], indent: int = 0) -> str:
    """Return two columns as text, the second wrapped to the width."""
    left = min(max((len(first) for first, _ in rows), default=0), 44)
    lines = []
    for first, second in rows:
        heads = wrap(first, left) or [""]
        tails = wrap(second, WIDTH - left - 2 - indent) or [""]
        for k in range(max(len(heads), len(tails))):
            head = heads[k] if k < len(heads) else ""
            tail = tails[k] if k < len(tails) else ""
            lines.append(f"{'':<{indent}}{head:<{left}}  {tail}".rstrip())
    return "\n".join(lines)


def render_rules(rules: RuleSet, sections: Sequence[Section], *, color: bool) -> str:
    """Return a rule set in words."""
    parts = [_strong(f"{rules.name}: {rules.title}", color)]
    if rules.source:
        parts.append("\n".join(wrap(f"Source: {rules.source}", WIDTH)))
    for section in sections:
        parts.append(f"{_strong(section.title, color)}\n{render_table(section.lines, indent=2)}")
    return "\n\n".join(parts)


def render_bench(rows: Sequence[dict[str, Any]]) -> str:
    """Return measurements as text, each with its ratio where it is compared with another."""
    lines = []
    for row in rows:
        ratio = f"  {row['ratio']:,.1f} x {row['relative_to']}" if row["ratio"] is not None else ""
        lines.append(f"{row['name']:<40} {row['value']:>12,.2f} {row['unit']:<17}{ratio}".rstrip())
    return "\n".join(lines)
