"""The answer to a hand as text: the best arrangement as a player lays it, and the alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.arrangements import ROWS
from solver.errors import printable
from solver.reports.text import PLAIN, Page, error_text, percent, shorter, units_text

if TYPE_CHECKING:
    from solver.records import Advice, Candidate


def render_advice(advice: Advice, page: Page = PLAIN) -> str:
    """Return an answer as text: the best arrangement as a player lays it, what to expect, and the alternatives."""
    best = advice.best
    instead, declined = _instead(advice, page)
    lines = [page.strong("Interrupted; until then:")] if advice.interrupted else []
    lines += [*(page.strong(line) for line in page.wrap(instead)), *([""] if instead else [])]
    lines += [*_rows(best, page), ""]
    others = 1 if advice.banker == "other" else advice.players - 1
    against = "against 1 opponent" if others == 1 else f"in total against {others} opponents"
    if advice.banker:
        against = "against the banker" if advice.banker == "other" else f"as the banker, {against}"
    units = f"{units_text(best.units)}{error_text(best.stderr, page)} units"
    lines.append(f"{page.strong(units)} {against}")
    each = "" if others == 1 else " (per opponent)"
    lines.append(f"scoop {percent(best.scoop)}, scooped {percent(best.scooped)}{each}")
    royalties = advice.rules.royalties
    if royalties.front or royalties.middle or royalties.back:
        scaled = advice.rules.scoop.multiplier != 1
        before = ", before a scoop multiplies them" if scaled else ""
        lines.append(f"royalties {units_text(best.royalties)} units net{before}")
    lines += page.wrap(_certainty(advice, page))
    lines += [part for line in declined for part in page.wrap(line)]
    if advice.alternatives:
        lines += ["", "Alternatives that are not beaten row by row, and the units they give up:"]
        lines += [_alternative(candidate, page) for candidate in advice.alternatives]
    lines += ["", *page.wrap(_conditions(advice))]
    text = "\n".join(lines)
    return page.finish(text)


def _instead(advice: Advice, page: Page) -> tuple[str, list[str]]:
    """Say what the player should do instead of playing the rows, if anything, and what he should rather not do."""
    advised, declined = "", []
    must = advice.natural is not None and not advice.rules.naturals.may_decline
    for choice in (advice.natural, advice.surrender):
        if choice is None:
            continue
        name = f"your {choice.kind.replace('-', ' ')}" if choice.kind else ""
        units = f"{units_text(choice.units)}{error_text(choice.stderr, page)} units"
        lead = f"{abs(choice.margin):.3f}{error_text(choice.margin_stderr, page)}"
        margin = f"{lead} {'more' if choice.margin > 0 else 'less'}"
        if choice.advised:
            verb = "You must declare" if must else "Declare" if name else "Surrender"
            advised = f"{' '.join(filter(None, (verb, name)))}: {units}, {margin} than playing the best rows."
        elif name:
            declined.append(f"Declaring {name} would win {units}, {margin} than playing on.")
        else:
            declined.append(f"Surrender would bring {units}, {margin} than playing on.")
    return advised, declined


def _rows(best: Candidate, page: Page) -> list[str]:
    """Return the three rows with their names in words, without the kickers that do not fit, and their chances."""
    room = max(page.width, 70) - 44
    lines = [f"{'':<{room + 23}}{'win':>7}{'tie':>7}{'lose':>7}"]
    for row in ROWS:
        look = best.rows[row]
        cards = best.arrangement.row(row)
        words = shorter(look.hand, room)
        padded = page.cards(cards) + " " * (17 - 3 * len(cards))
        chances = "".join(f"{percent(share):>7}" for share in (look.win, look.tie, look.lose))
        lines.append(f"{row:<7}{padded}{words:<{room}}{chances}")
    return lines


def _certainty(advice: Advice, page: Page) -> str:
    """Say in words how sure it is that the best is the best."""
    if not advice.alternatives:
        return "No other arrangement of the hand is worth considering." if advice.candidates == 1 else ""
    following = advice.alternatives[0]
    assert following.behind is not None
    if following.behind_stderr is None:
        return f"Best by {following.behind:.3f} units over the next, by the table alone."
    if following.behind == 0 and following.behind_stderr == 0:
        return "The next is worth the same in every deal: either will do."
    lead = f"{abs(following.behind):.3f} {page.sign} {following.behind_stderr:.3f} units"
    if following.behind > 3 * following.behind_stderr:
        return f"Best by {lead} over the next."
    if advice.decided:
        return f"As good as the next within the precision asked for: ahead by {lead}."
    return f"Too close to call: ahead of the next by {lead}; more --deals would tell."


def _alternative(candidate: Candidate, page: Page) -> str:
    rows = " | ".join(page.cards(candidate.arrangement.row(row)) for row in ROWS)
    assert candidate.behind is not None
    return f"  {rows}  {abs(candidate.behind):.3f}{error_text(candidate.behind_stderr, page)}"


def _conditions(advice: Advice) -> str:
    """Say what the answer rests on."""
    changed = f" with {len(advice.overrides)} changed" if advice.overrides else ""
    ties = " Tied rows count as the banker's." if advice.rules.table.banker_wins_ties else ""
    by = f"{advice.deals:,} deals, seed {advice.seed}" if advice.deals else "by their table alone"
    return (
        f"Rules {advice.rules.name}{changed}, opponents {printable(advice.opponents)}, {by}; "
        f"{advice.candidates:,} candidates of {advice.legal:,} legal arrangements.{ties}"
    )
