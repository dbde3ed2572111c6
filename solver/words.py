"""An answer in words, as plain text: what to do, how sure that is, what an own arrangement gives up, what it rests on.

Reports in a terminal, pages and pictures say the same sentences; how they are laid out is left to them.
"""

from typing import TYPE_CHECKING

from solver.arrangements import ROWS, Arrangement
from solver.cards import format_cards
from solver.errors import printable

if TYPE_CHECKING:
    from solver.records import Advice, Candidate, Choice, Grade

SURE = 3.0
"""Standard errors by which something must be ahead to be called better."""


def percent(share: float) -> str:
    """Return a share in hundredths."""
    return f"{100 * share:.1f}%"


def units_text(units: float) -> str:
    """Return units with their sign and three decimals; zero has none."""
    shown = f"{units:+.3f}"
    return "0.000" if float(shown) == 0 else shown


def with_error(amount: str, stderr: float | None) -> str:
    """Return an amount with its standard error, where there is one."""
    return amount if stderr is None else f"{amount} ± {stderr:.3f}"


def shorter(words: str, room: int) -> str:
    """Return the name of a hand without the kickers that do not fit."""
    while len(words) > room and ", " in words:
        words = words.rpartition(", ")[0]
    return words


def given_up(behind: float, stderr: float | None) -> str:
    """Return units that are given up."""
    return with_error(f"{abs(behind):.3f}", stderr)


def opponents(advice: "Advice") -> int:
    """Return how many players settle with the one who asks."""
    return 1 if advice.banker == "other" else advice.players - 1


def against(advice: "Advice") -> str:
    """Say against whom the units are expected."""
    others = opponents(advice)
    if advice.banker == "other":
        return "against the banker"
    many = "against 1 opponent" if others == 1 else f"in total against {others} opponents"
    return f"as the banker, {many}" if advice.banker else many


def _margin(choice: "Choice") -> str:
    return f"{given_up(choice.margin, choice.margin_stderr)} {'more' if choice.margin > 0 else 'less'}"


def _advised(advice: "Advice") -> "Choice | None":
    """Return what to do instead of playing the rows."""
    return next(
        (choice for choice in (advice.natural, advice.surrender) if choice is not None and choice.advised), None
    )


def action(advice: "Advice") -> str:
    """Say in a few words what to do instead of playing the rows; nothing where they are to be played."""
    choice = _advised(advice)
    if choice is None or not choice.kind:
        return "Surrender" if choice else ""
    verb = "Declare" if advice.rules.naturals.may_decline else "You must declare"
    return f"{verb} your {choice.kind.replace('-', ' ')}"


def worth(advice: "Advice") -> str:
    """Say how much better that is; nothing where the rows are to be played."""
    choice = _advised(advice)
    if choice is None:
        return ""
    units = with_error(units_text(choice.units), choice.stderr)
    return f"{units} units, {_margin(choice)} than playing the best rows."


def instead(advice: "Advice") -> str:
    """Say both in one sentence."""
    do = action(advice)
    return f"{do}: {worth(advice)}" if do else ""


def declined(advice: "Advice") -> list[str]:
    """Say what else could be done but should not, and what that would cost."""
    found = []
    for choice in (advice.natural, advice.surrender):
        if choice is not None and not choice.advised:
            units = with_error(units_text(choice.units), choice.stderr)
            named = f"Declaring your {choice.kind.replace('-', ' ')} would win" if choice.kind else ""
            found.append(f"{named or 'Surrender would bring'} {units} units, {_margin(choice)} than playing on.")
    return found


def certainty(advice: "Advice") -> str:
    """Say how sure it is that the best arrangement is the best."""
    if not advice.alternatives:
        return "No other arrangement of the hand is worth considering." if advice.candidates == 1 else ""
    following = advice.alternatives[0]
    behind, stderr = following.behind or 0.0, following.behind_stderr
    if stderr is None:
        return f"Best by {behind:.3f} units over the next, by the table alone."
    if behind == 0 and stderr == 0:
        return "The next is worth the same in every deal: either will do."
    lead = f"{given_up(behind, stderr)} units"
    if behind > SURE * stderr:
        return f"Best by {lead} over the next."
    if advice.decided:
        return f"As good as the next within the precision asked for: ahead by {lead}."
    return f"Too close to call: ahead of the next by {lead}; more deals would tell."


def pays_royalties(advice: "Advice") -> bool:
    """Whether the rules pay any."""
    royalties = advice.rules.royalties
    return bool(royalties.front or royalties.middle or royalties.back)


def verdict(advice: "Advice", graded: "Grade") -> list[str]:
    """Say what the player's own arrangement gives up, a sentence each."""
    behind, stderr = graded.behind, graded.behind_stderr
    if graded.foul:
        cost = "" if behind is None else f"It gives up {given_up(behind, stderr)} units against the best arrangement."
        return [f"Your arrangement is a foul: {graded.foul}.", *filter(None, [cost])]
    if graded.arrangement == advice.best.arrangement:
        return ["Your arrangement is the best."]
    assert behind is not None
    if behind == 0 and not stderr:
        return ["Your arrangement is worth the same as the best in every deal."]
    place = f"place {graded.rank:,} of {advice.candidates:,} candidates"
    if graded.beaten is not None and graded.rank is not None:  # it is no candidate itself
        place = f"{graded.rank - 1:,} of {advice.candidates:,} candidates are worth more"
    said = [f"Your arrangement gives up {given_up(behind, stderr)} units: {place}."]
    if graded.beaten is not None:
        said.append(f"{format_cards_of(graded.beaten)} is as strong or stronger in every row.")
    elif stderr is not None and behind <= SURE * stderr:
        said.append("That is too little to call: it may be as good as the best.")
    return said


def format_cards_of(arrangement: Arrangement) -> str:
    """Return an arrangement's cards, with symbols for suits."""
    symbols = str.maketrans("cdhs", "♣♦♥♠")
    return " | ".join(format_cards(arrangement.row(row)).translate(symbols) for row in ROWS)


def differences(found: "Candidate", best: "Candidate") -> str:
    """Say in which rows an arrangement wins more or less often than the best."""
    parts = []
    for row in ROWS:
        mine, theirs = found.rows[row], best.rows[row]
        if percent(mine.win) != percent(theirs.win):
            word = "more" if mine.win > theirs.win else "less"
            parts.append(f"the {row} {word} often ({percent(mine.win)} against {percent(theirs.win)})")
    if not parts:
        return "Wins every row as often as the best."
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"Wins {listed}."


def kept(advice: "Advice") -> str:
    """Return the cards that had to stay in a row; nothing where there were none."""
    return ", ".join(f"{row} {format_cards(cards)}" for row, cards in advice.keep.items())


def rests_on(advice: "Advice") -> str:
    """Return what the figures come from."""
    stopped = " until it was interrupted" if advice.interrupted else ""
    return f"{advice.deals:,} deals{stopped}, seed {advice.seed}" if advice.deals else "by their table alone"


def conditions(advice: "Advice") -> str:
    """Say what the answer rests on."""
    changed = f" with {len(advice.overrides)} changed" if advice.overrides else ""
    ties = " Tied rows count as the banker's." if advice.rules.table.banker_wins_ties else ""
    stay = f"; kept: {kept(advice)}" if advice.keep else ""
    gone = f"; out of play: {format_cards(advice.dead)}" if advice.dead else ""
    return (
        f"Rules {printable(advice.rules.name)}{changed}, opponents {printable(advice.opponents)}, {rests_on(advice)}; "
        f"{advice.candidates:,} candidates of {advice.legal:,} legal arrangements{gone}{stay}.{ties}"
    )
