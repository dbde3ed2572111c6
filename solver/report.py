"""Answers and rule sets as text for a terminal: at most 80 columns, plain and stable where colours are off."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from solver.arrangements import ROWS, Arrangement, as_laid, row_names
from solver.cards import RANKS, SUITS
from solver.errors import printable
from solver.rulebook import Section
from solver.rules import RuleSet

if TYPE_CHECKING:  # so that commands which value nothing do not load NumPy and Numba
    from solver.advice import Advice, Candidate
    from solver.exploit import Exploitability
    from solver.match import MatchResult
    from solver.rounds import ScoredRound
    from solver.scoring import Pair

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


def _error(stderr: float | None, sign: str) -> str:
    """Return a standard error as it follows a number; nothing where there is none."""
    return "" if stderr is None else f" {sign} {stderr:.3f}"


def _strong(text: str, color: bool) -> str:
    return click.style(text, bold=True) if color else text


def render_advice(advice: Advice, *, width: int = WIDTH, color: bool = False, ascii: bool = False) -> str:
    """Return an answer as text: the best arrangement as a player lays it, what to expect, and the alternatives."""
    sign = "+-" if ascii else "±"
    best = advice.best
    instead, declined = _instead(advice, sign)
    lines = [_strong("Interrupted; until then:", color)] if advice.interrupted else []
    lines += [*(_strong(line, color) for line in wrap(instead, width)), *([""] if instead else [])]
    lines += [*_rows(best, width, color, ascii), ""]
    others = 1 if advice.banker == "other" else advice.players - 1
    against = "against 1 opponent" if others == 1 else f"in total against {others} opponents"
    if advice.banker:
        against = "against the banker" if advice.banker == "other" else f"as the banker, {against}"
    units = f"{_signed(best.units).strip()}{_error(best.stderr, sign)} units"
    lines.append(f"{_strong(units, color)} {against}")
    each = "" if others == 1 else " (per opponent)"
    lines.append(f"scoop {_percent(best.scoop)}, scooped {_percent(best.scooped)}{each}")
    royalties = advice.rules.royalties
    if royalties.front or royalties.middle or royalties.back:
        scaled = advice.rules.scoop.multiplier != 1
        before = ", before a scoop multiplies them" if scaled else ""
        lines.append(f"royalties {_signed(best.royalties).strip()} units net{before}")
    lines += wrap(_certainty(advice, sign), width)
    lines += [part for line in declined for part in wrap(line, width)]
    if advice.alternatives:
        lines += ["", "Alternatives that are not beaten row by row, and the units they give up:"]
        lines += [_alternative(candidate, sign, color, ascii) for candidate in advice.alternatives]
    lines += ["", *wrap(_conditions(advice), width)]
    text = "\n".join(lines)
    return to_ascii(text) if ascii else text


def _instead(advice: Advice, sign: str) -> tuple[str, list[str]]:
    """Say what the player should do instead of playing the rows, if anything, and what he should rather not do."""
    advised, declined = "", []
    must = advice.natural is not None and not advice.rules.naturals.may_decline
    for choice in (advice.natural, advice.surrender):
        if choice is None:
            continue
        name = f"your {choice.kind.replace('-', ' ')}" if choice.kind else ""
        units = f"{_signed(choice.units).strip()}{_error(choice.stderr, sign)} units"
        lead = f"{abs(choice.margin):.3f}{_error(choice.margin_stderr, sign)}"
        margin = f"{lead} {'more' if choice.margin > 0 else 'less'}"
        if choice.advised:
            verb = "You must declare" if must else "Declare" if name else "Surrender"
            advised = f"{' '.join(filter(None, (verb, name)))}: {units}, {margin} than playing the best rows."
        elif name:
            declined.append(f"Declaring {name} would win {units}, {margin} than playing on.")
        else:
            declined.append(f"Surrender would bring {units}, {margin} than playing on.")
    return advised, declined


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
    assert following.behind is not None
    if following.behind_stderr is None:
        return f"Best by {following.behind:.3f} units over the next, by the table alone."
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
    return f"  {rows}  {abs(candidate.behind):.3f}{_error(candidate.behind_stderr, sign)}"


def _conditions(advice: Advice) -> str:
    """Say what the answer rests on."""
    changed = f" with {len(advice.overrides)} changed" if advice.overrides else ""
    ties = " Tied rows count as the banker's." if advice.rules.table.banker_wins_ties else ""
    by = f"{advice.deals:,} deals, seed {advice.seed}" if advice.deals else "by their table alone"
    return (
        f"Rules {advice.rules.name}{changed}, opponents {printable(advice.opponents)}, {by}; "
        f"{advice.candidates:,} candidates of {advice.legal:,} legal arrangements.{ties}"
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
            digits = 1 if row["ratio"] >= 10 else 2
            lines.append(f"  {row['ratio']:,.{digits}f} x {row['relative_to']}")
    text = "\n".join(lines)
    return to_ascii(text) if ascii else text


# --- A settled round ---


def render_score(scored: ScoredRound, *, width: int = WIDTH, color: bool = False, ascii: bool = False) -> str:
    """Return a settled round as text: what each player held, how each pair came out, and what everybody receives."""
    seats = range(len(scored.players))
    blocks = ["\n".join(_player(scored, seat, width, color, ascii)) for seat in seats]
    for room in range(20, 3, -1):  # names give way until the tables fit
        names = _labels(scored, room, ascii)
        tables = [*_pairs(scored, names, color), "", *_matrix(scored, names, color)]
        if max(_columns(click.unstyle(line)) for line in tables) <= width:
            break
    tables = [line.rstrip() for line in tables]
    text = "\n\n".join([*blocks, "\n".join(tables), "\n".join(wrap(_terms(scored), width))])
    return to_ascii(text) if ascii else text


def _columns(text: str) -> int:
    """Return the terminal columns that a text takes: two for a Chinese sign, none for a combining accent."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    none = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    return len(text) + wide - none


def _pad(text: str, room: int, right: bool = False) -> str:
    """Fill a text, which may be styled, with spaces up to a number of columns."""
    spaces = " " * (room - _columns(click.unstyle(text)))
    return spaces + text if right else text + spaces


def _fit(name: str, room: int, ascii: bool) -> str:
    """Return a name as it is shown: nothing that moves the cursor, and cut to a number of columns."""
    name = "".join("?" if unicodedata.category(character) == "Cc" else character for character in name)
    name, mark = (to_ascii(name), "..") if ascii else (name, "\N{HORIZONTAL ELLIPSIS}")
    if _columns(name) <= room:
        return name
    name = name[: 4 * room]
    while _columns(name) > room - len(mark):
        name = name[:-1]
    return name.rstrip() + mark


def _labels(scored: ScoredRound, room: int, ascii: bool) -> list[str]:
    """Return the players' names for tables, with the numbers of their seats where they would look the same."""
    names = [player.name for player in scored.players]
    labels = [_fit(name, room, ascii) for name in names]
    if len(set(labels)) < len(labels):
        labels = [_fit(f"{seat} {name}", room, ascii) for seat, name in enumerate(names, start=1)]
    return labels


def _number(amount: float, sign: str = "+") -> str:
    """Return units or money with at most three decimals; ``sign`` as in format strings."""
    text = f"{amount:{sign},.3f}".rstrip("0").rstrip(".")
    return "0" if text.strip("+-") == "0" else text


def _colored(amount: float, color: bool) -> str:
    shown = _number(amount)
    return click.style(shown, fg="green" if amount > 0 else "red") if color and shown != "0" else shown


def _player(scored: ScoredRound, seat: int, width: int, color: bool, ascii: bool) -> list[str]:
    """Return what a player held and declared."""
    player, settled = scored.players[seat], scored.settlement
    marks = []
    if player.name == scored.banker:
        marks.append("banker")
    if player.surrender:
        marks.append("surrenders")
    if natural := settled.naturals[seat]:
        worth = f"{_number(natural.units, '')} unit{'' if natural.units == 1 else 's'}"
        marks.append(f"natural: {natural.kind.replace('-', ' ')} ({worth})")
    if player.undeclared:
        marks.append("royalties not declared")
    if why := settled.fouls[seat]:
        marks.append(f"foul: {why}")
    mark, name = ", ".join(marks), _fit(player.name, width, ascii)
    lines = [_strong(name, color) + (f"  {mark}" if mark else "")]
    if _columns(name) + 2 + len(mark) > width:
        lines = [_strong(name, color), *wrap(mark, width, initial_indent="  ", subsequent_indent="  ")]
    if player.natural:
        lines.append(f"  {cards_text(sorted(player.natural.cards, reverse=True), color, ascii)}")
    if player.arrangement:
        lines += _laid_rows(player.arrangement, scored.rules, width, color, ascii)
    return lines


def _laid_rows(arrangement: Arrangement, rules: RuleSet, width: int, color: bool, ascii: bool) -> list[str]:
    """Return three rows with their names in words, without the kickers that do not fit."""
    lines, laid = [], as_laid(arrangement, rules)
    for row, words in zip(ROWS, row_names(arrangement, rules), strict=True):
        while len(words) > width - 25 and ", " in words:
            words = words.rpartition(", ")[0]
        lines.append(f"  {row:<7}{_pad(cards_text(laid.row(row), color, ascii), 16)}{words}")
    return lines


def _pairs(scored: ScoredRound, names: Sequence[str], color: bool) -> list[str]:
    """Return a line for each pair: row results, royalties and units from the first player's side."""
    pairs = scored.settlement.pairs
    columns = [["", *(f"{names[pair.a]} v {names[pair.b]}" for pair in pairs)]]
    if any(pair.results for pair in pairs):
        results = (" ".join("TWL"[row] for row in pair.results) if pair.results else "- - -" for pair in pairs)
        columns.append(["F M B", *results])
    if any(any(pair.royalties) for pair in pairs):
        columns.append(["royalties", *(" : ".join(_number(paid, "") for paid in pair.royalties) for pair in pairs)])
    columns.append(["units", *(_colored(pair.units, color) for pair in pairs)])
    if scored.stakes:
        stakes = [scored.stakes.get((scored.players[pair.a].name, scored.players[pair.b].name), 1.0) for pair in pairs]
        money = (pair.units * stake for pair, stake in zip(pairs, stakes, strict=True))
        columns.append(["money", *(_colored(amount, color) for amount in money)])
    lines = _beside(columns, color)
    return [lines[0], *(f"{line}  {_course(scored, pair, names)}" for line, pair in zip(lines[1:], pairs, strict=True))]


def _beside(columns: Sequence[Sequence[str]], color: bool) -> list[str]:
    """Return columns side by side, the first to the left and the others to the right, their titles strong."""
    lines = [""] * len(columns[0])
    for place, column in enumerate(columns):
        room = max(_columns(click.unstyle(text)) for text in column)
        gap = "  " if place else ""
        lines = [f"{line}{gap}{_pad(cell, room, place > 0)}" for line, cell in zip(lines, column, strict=True)]
    return [_strong(lines[0], color), *lines[1:]]


def _course(scored: ScoredRound, pair: Pair, names: Sequence[str]) -> str:
    """Say what decided a pair, where its rows alone did not."""
    settled, both = scored.settlement, (pair.a, pair.b)
    text = ""
    for held, one, two in (
        ([settled.naturals[seat] is not None for seat in both], "{}'s natural", "two naturals"),
        ([scored.players[seat].surrender for seat in both], "{} surrenders", "both surrender"),
        ([settled.fouls[seat] is not None for seat in both], "{} fouls", "both foul"),
        ([pair.scoop > 0, pair.scoop < 0], "{} scoops", ""),
    ):
        if any(held):
            text = two if all(held) else one.format(names[pair.a] if held[0] else names[pair.b])
            break
    return f"{text}, home run" if pair.home_run else text


def _matrix(scored: ScoredRound, names: Sequence[str], color: bool) -> list[str]:
    """Return what each player receives from each other, in all, and in money where stakes are given."""
    settled = scored.settlement
    columns = [["gets from", *names]]
    for seat, name in enumerate(names):
        columns.append(
            [name, *("" if at == seat else _colored(settled.matrix[at][seat], color) for at in range(len(names)))]
        )
    columns.append(["total", *(_strong(_colored(total, color), color) for total in settled.totals)])
    if scored.stakes:
        columns.append(["money", *(_strong(_colored(money, color), color) for money in scored.money)])
    return _beside(columns, color)


def _terms(scored: ScoredRound) -> str:
    """Say by which rules the round was settled, and how to read the pairs."""
    pairs = scored.settlement.pairs
    parts = [f"Rules {scored.rules.name}."]
    if any(pair.results for pair in pairs):
        parts.append("Front, middle and back (F M B) are the first player's: W won, T tied, L lost.")
    if scored.rules.ranking.suits:
        parts.append("Between equal hands suits decide.")
    if scored.rules.table.banker_wins_ties:
        parts.append("The banker wins tied rows.")
    if scored.rules.scoop.when == "none-lost":
        parts.append("To scoop is to win a row and lose none.")
    if any(any(pair.royalties) for pair in pairs):
        parts.append("Royalties: to the first : to the second.")
    return " ".join(parts)


# --- A match ---


def render_match(result: MatchResult, *, width: int = WIDTH, color: bool = False, ascii: bool = False) -> str:
    """Return how a match between two strategies ended."""
    sign = "+-" if ascii else "±"
    names = [_fit(name, (width - 20) // 2, ascii) for name in (result.a, result.b)]
    lines = [_strong(line, color) for line in wrap("Interrupted; until then:" if result.interrupted else "", width)]
    margin = f"{_signed(result.units).strip()} {sign} {result.stderr:.3f} units a hand"
    lines.append(f"{_strong(margin, color)} to {names[0]}")
    if result.players > 2:
        lines[-1] += f", from all {result.players - 1} others together"
    lines += [*wrap(_better(result, names), width), ""]
    columns = [["", "scoops", "fouls"]]
    for name, scoops, fouls in zip(names, result.scoops, result.fouls, strict=True):
        columns.append([name, _percent(scoops), f"{fouls:,}"])
    lines += [line.rstrip() for line in _beside(columns, color)]
    changed = f" with {len(result.overrides)} changed" if result.overrides else ""
    terms = (
        f"{_percent(result.identical)} of the hands set alike. Rules {result.rules.name}{changed}, "
        f"{result.players} players, {result.deals:,} deals, each played {result.hands // result.deals} times, "
        f"seed {result.seed}."
    )
    text = "\n".join([*lines, "", *wrap(terms, width)])
    return to_ascii(text) if ascii else text


def _better(result: MatchResult, names: Sequence[str]) -> str:
    """Say in words which strategy is the better one, where that is sure."""
    if not result.stderr:
        return "Every deal came out the same." if result.units else "Neither won anything from the other."
    if abs(result.units) > 3 * result.stderr:
        return f"{names[result.units < 0]} is the better one."
    return "Too close to call: more --hands and a smaller --precision would tell."


def render_exploit(found: Exploitability, *, ascii: bool = False) -> str:
    """Return by how much a strategy can be exploited, as text."""
    text = (
        f"{printable(found.strategy)} under {found.rules} can be exploited, in units per hand and opponent, by\n"
        f"  {found.lower:.4f} ± {found.lower_stderr:.4f} (lower bound) to\n"
        f"  {found.upper:.4f} ± {found.upper_stderr:.4f} (upper bound)\n"
        f"({found.hands:,} hands, each against {found.deals:,} of an opponent's; best responses chosen on one half of\n"
        "these and valued on the other, and both on all)"
    )
    return to_ascii(text) if ascii else text
