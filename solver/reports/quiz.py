"""The quiz as text: a hand to set, what an answer gives up and why, the score, and a player's progress over time."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from solver.arrangements import ROWS, Arrangement
from solver.cards import RANKS
from solver.errors import printable
from solver.reports.text import PLAIN, Page, columns_of, error_text, pad, table
from solver.words import POINTS_NOTE, SURE, instead, percent, units_text, why

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.history import Played, Progress, Record, Tally
    from solver.quiz import Verdict
    from solver.records import Advice, Candidate
    from solver.rules import RuleSet

NATURAL, SURRENDER = "natural", "surrender"
MOST_PERIODS = 12
_BLOCK, _GAP = 28, 4


def render_hand(cards: Sequence[int], page: Page = PLAIN) -> str:
    """Return a hand, sorted as it is numbered, with the numbers above it and once more by suits."""
    line = len(cards) if 4 * len(cards) <= page.width else (len(cards) + 1) // 2
    lines = []
    for start in range(0, len(cards), line):
        part = range(start, min(start + line, len(cards)))
        lines.append("".join(page.faint(f"{at + 1:>3} ") for at in part))
        lines.append("".join(f" {page.card(cards[at])} " for at in part))
    suits = []
    for suit in (3, 2, 1, 0):
        ranks = "".join(RANKS[card >> 2] for card in cards if card & 3 == suit)
        if ranks:  # the symbol is the second character of any card of the suit, coloured as that is
            suits.append(page.card(suit).replace(RANKS[0], "", 1) + " " + ranks)
    lines.append(" " + "  ".join(suits))
    return page.finish("\n".join(lines))


def render_help(rules: RuleSet, page: Page = PLAIN) -> str:
    """Return what can be typed."""
    ways = [
        ("1 4 7 | 2 3 5 6 8", "front and middle by number; the rest is the back"),
        ("| 1 4 7 9 10 | 2 3 5 6 8", "middle and back; the rest is the front"),
        ("AsKdQh | 9c9d8c3h2d", "the cards themselves"),
        ("back: ... / front: ...", "rows by name"),
    ]
    commands = [("hint", "what the best back is, then its middle"), ("more", "all about the hand before")]
    if rules.naturals.enabled:
        commands.append(("natural", "declare one"))
    if rules.surrender.allowed:
        commands.append(("surrender", "give the hand up"))
    commands += [("s, skip", "show the answer; the hand does not count"), ("q, quit", "end; so does Ctrl-D")]
    if page.width < 60:
        shown = "\n".join("\n".join([f"  {way}", *page.wrap(meaning, "    ")]) for way, meaning in ways)
    else:
        shown = table(ways, page, 2)
    return page.finish("\n".join([shown, table(commands, page, 2), *page.wrap(POINTS_NOTE, "  ")]))


def render_verdict(verdict: Verdict, page: Page = PLAIN) -> str:
    """Return what an answer gives up, beside what would have been best, and why."""
    lines = [_headline(verdict, page), ""]
    best = _block("best", verdict.advice.best, page)
    graded = verdict.advice.graded
    if graded is None or verdict.answer == verdict.best:
        lines += best
    elif graded.candidate is None:
        units = f"{'units':<7}{units_text(verdict.units)}"
        lines += _together([*_cards("yours", graded.arrangement, page), units], best, page)
    else:
        lines += _together(_block("yours", graded.candidate, page), best, page)
    why = _why(verdict, page)
    lines += ["", *page.wrap(why)] if why else []
    return page.finish("\n".join(lines))


def render_answer(advice: Advice, page: Page = PLAIN) -> str:
    """Return the best arrangement of a hand that nobody has set."""
    said = instead(advice)
    return page.finish("\n".join([*page.wrap(said), *_block("best", advice.best, page)]))


def render_score(tally: Tally, page: Page = PLAIN) -> str:
    """Return the score so far in a sentence."""
    if tally.behind is None:
        return "No hand was played."
    hands = f"{tally.hands:,} hand{'' if tally.hands == 1 else 's'}"
    fouls = f", {tally.fouls:,} foul{'' if tally.fouls == 1 else 's'}" if tally.fouls else ""
    lost = f"{tally.behind:.3f}{error_text(tally.stderr, page)}"
    return page.finish("\n".join(page.wrap(f"{hands}: {lost} units given up a hand, {tally.right:,} best{fouls}.")))


def _headline(verdict: Verdict, page: Page) -> str:
    """Say how good an answer is."""
    lost = f"{verdict.behind:.3f}{error_text(verdict.stderr, page)} units"
    graded = verdict.advice.graded
    if verdict.foul:
        text = f"Foul: {verdict.foul}. It gives up {lost}."
    elif verdict.answer == verdict.best:
        text = "Best!"
    elif verdict.right:
        lead = "Too close to call" if verdict.behind <= SURE * verdict.stderr else "As good as the best"
        text = f"{lead}: {lost} behind." if verdict.behind > 0 else "As good as the best!"
    else:
        place = graded is not None and not graded.beaten and verdict.advice.best.arrangement == verdict.best
        text = f"You give up {lost}."
        if graded is not None and place:
            text = f"{text[:-1]}: place {graded.rank} of {verdict.advice.candidates:,}."
    text = "\n".join(page.wrap(text))
    return click.style(text, fg="green" if verdict.right else "red", bold=True) if page.color else text


def _cards(title: str, arrangement: Arrangement, page: Page) -> list[str]:
    """Return an arrangement, row by row, under a title."""
    return [page.strong(title), *(f"{row:<7}{page.cards(arrangement.row(row))}" for row in ROWS)]


def _block(title: str, one: Candidate, page: Page) -> list[str]:
    """Return an arrangement, row by row, with how often it wins them and what it brings."""
    head, *rows = _cards(title, one.arrangement, page)
    wins = [percent(one.rows[row].win) for row in ROWS]
    lines = [pad(head, _BLOCK - 7) + f"{'win':>7}"]
    lines += [pad(row, _BLOCK - 7) + f"{share:>7}" for row, share in zip(rows, wins, strict=True)]
    lines.append(f"{'units':<7}{units_text(one.units)}{error_text(one.stderr, page)}")
    return [*lines, f"{'scoop':<7}{percent(one.scoop)}, scooped {percent(one.scooped)}"]


def _together(left: list[str], right: list[str], page: Page) -> list[str]:
    """Return two blocks side by side where there is room, else one under the other."""
    if page.width < 2 * _BLOCK + _GAP + 3:
        return [*left, "", *right]
    room = max(_BLOCK, *map(columns_of, left)) + _GAP
    return [pad(first, room) + second for first, second in zip_longest(left, right, fillvalue="")]


def _why(verdict: Verdict, page: Page) -> str:
    """Say in words what makes the difference."""
    advice, graded = verdict.advice, verdict.advice.graded
    parts = [instead(advice)] if isinstance(verdict.best, str) else []
    if isinstance(verdict.answer, str) and verdict.answer != verdict.best:
        done = "Declaring it" if verdict.answer == NATURAL else "Surrender"
        parts.append(f"{done} brings {units_text(verdict.units)} units.")
    if graded is None or graded.candidate is None:
        return " ".join(parts)
    if verdict.answer == verdict.best:
        following = advice.alternatives[0] if advice.alternatives else None
        if following is not None and following.behind:
            parts.append(f"The next gives up {following.behind:.3f}{error_text(following.behind_stderr, page)}.")
    elif graded.beaten is not None:
        rows = " | ".join(page.cards(graded.beaten.row(row)) for row in ROWS)
        parts.append(f"{rows} is nowhere weaker than yours.")
    elif not verdict.right:
        parts.append(why(graded.candidate, advice.best, advice))
    return " ".join(parts)


def render_progress(progress: Progress, page: Page = PLAIN) -> str:
    """Return what a history says about a player."""
    if not progress.records:
        return "No hands yet: capsa quiz deals some."
    return page.finish("\n\n".join("\n".join(_record(record, page)) for record in progress.records))


def _record(record: Record, page: Page) -> list[str]:
    """Return how a player does at one kind of table."""
    parts = [f"{record.rules}, {record.players} players"]
    if record.banker:
        parts.append(f"banker {record.banker}")
    if record.opponents != "equilibrium":
        parts.append(f"opponents {record.opponents}")
    if record.filter != "all":
        parts.append({"hard": "hard hands", "close": "close hands", "trap": "traps"}.get(record.filter, record.filter))
    lines = [page.strong(line) for line in page.wrap(printable(", ".join(parts)))]
    everything = record.all
    counted = [
        ("hands", f"{everything.hands:,}"),
        ("given up", f"{_lost(everything, page)} units a hand"),
        ("best", f"{everything.right:,} ({percent(everything.right / everything.hands)})"),
        ("fouls", f"{everything.fouls:,} ({percent(everything.fouls / everything.hands)})"),
    ]
    if record.change is not None:
        change = f"{abs(record.change):.3f}{error_text(record.change_stderr, page)}"
        how = "less" if record.change < 0 else "more"
        counted.append((f"last {record.latest.hands}", f"{_lost(record.latest, page)}, {change} {how} than before"))
    lines += table(counted, page, 2).split("\n")
    if len(record.periods) > 1:
        step = "week from" if record.step == "week" else "day"
        lines += ["", f"  {step:<10}{'hands':>6} {'best':>4}  given up"]
        for start, tally in record.periods[-MOST_PERIODS:]:
            share = f"{100 * tally.right / tally.hands:.0f}%"
            lines.append(f"  {start}{tally.hands:>6} {share:>4}  {_lost(tally, page)}")
    if record.worst:
        lines += ["", "  The hands that gave up most:"]
        lines += [line for one in record.worst for line in _worst(one, page)]
    return lines


def _lost(tally: Tally, page: Page) -> str:
    return f"{tally.behind or 0.0:.3f}{error_text(tally.stderr, page)}"


def _worst(one: Played, page: Page) -> list[str]:
    """Return a hand that gave up much: what was played, and what would have been best."""
    foul = ", foul" if one.foul else ""
    date = one.time.astimezone().date().isoformat()
    return [
        f"  {one.behind:.3f}{error_text(one.stderr, page)}  {page.faint(date)}{foul}",
        f"    yours {_short(one.arrangement, page)}",
        f"    best  {_short(one.best, page)}",
    ]


def _short(answer: str, page: Page) -> str:
    """Return an arrangement as narrow as it can be read."""
    if answer in (NATURAL, SURRENDER):
        return answer
    arrangement = Arrangement.parse(answer)
    return " ".join("".join(map(page.card, arrangement.row(row))) for row in ROWS)
