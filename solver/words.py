"""An answer in words, as plain text: what to do, how sure that is, what an own arrangement gives up, what it rests on.

Reports in a terminal, pages and pictures say the same sentences; how they are laid out is left to them.
"""

from typing import TYPE_CHECKING

from solver.arrangements import ROWS, Arrangement, foul_reason
from solver.cards import format_cards
from solver.errors import printable

if TYPE_CHECKING:
    from solver.records import Advice, Candidate, Choice, Grade, RowOutlook

SURE = 3.0
"""Standard errors by which something must be ahead to be called better."""

TELLING = 0.5
"""Percentage points from which a difference is put into words."""

POINTS_NOTE = "Points: of 100 pairs, how many more or fewer a row wins than the best's; a tie counts half."


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
        kept = " that keeps these cards" if advice.keep else ""
        return f"No other arrangement of the hand{kept} is worth considering." if advice.candidates == 1 else ""
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
        return f"At least as good as the next, to the precision asked for: ahead by {lead}."
    return f"Too close to call: ahead of the next by {lead}; more deals would tell."


def pays_royalties(advice: "Advice") -> bool:
    """Whether the rules pay any."""
    royalties = advice.rules.royalties
    return bool(royalties.front or royalties.middle or royalties.back)


def fares(advice: "Advice") -> list[str]:
    """Say how often the best arrangement scoops and is scooped, and what royalties it brings where there are any."""
    best, scaled = advice.best, advice.rules.scoop.multiplier != 1
    each = "" if opponents(advice) == 1 else " (per opponent)"
    said = [f"scoop {percent(best.scoop)}, scooped {percent(best.scooped)}{each}"]
    if pays_royalties(advice):
        before = ", before a scoop multiplies them" if scaled else ""
        said.append(f"royalties {units_text(best.royalties)} units net{before}")
    return said


def verdict(advice: "Advice", graded: "Grade") -> list[str]:
    """Say what the player's own arrangement gives up, in the first sentence; in others its place, and why it is so."""
    if graded.foul:
        return [f"Yours is a foul: {graded.foul}.", *_foul(advice, graded)]
    own, behind, error = graded.candidate, graded.behind or 0.0, graded.behind_stderr
    assert own is not None
    place = f"{ordinal(graded.rank or 1)} of {advice.candidates:,} worth considering."
    if advice.candidates == 1:
        place = "No other arrangement of the hand is worth considering."
    if graded.beaten is not None:
        place = f"Not worth considering: {format_cards_of(graded.beaten)} beats or equals it in every row."
    if is_same(own.arrangement, advice.best.arrangement):
        return ["Yours is the best arrangement.", *([place] if advice.candidates == 1 else [])]
    reasons = [place, why(own, advice.best, advice)]
    if error is None:
        return [f"Yours gives up {behind:.3f} units, by the table alone.", *reasons]
    if behind == 0 and error == 0:
        return ["Yours is as good as the best: it is worth the same in every deal.", *reasons]
    cost = f"{given_up(behind, error)} units"
    if behind > SURE * error:
        return [f"Yours gives up {cost}.", *reasons]
    more = "" if advice.decided else "; more deals would tell"
    return [f"Too close to call: yours gives up {cost}{more}.", *reasons]


def _foul(advice: "Advice", graded: "Grade") -> list[str]:
    """Say which rule a foul breaks, how it would be legal, and what it costs."""
    own, rules = graded.arrangement, advice.rules
    low = rules.ranking.middle == "deuce-to-seven"
    order = "the front may not beat the back" if low else "no row may beat the one below it"
    said = [f"By these rules {order}."]
    if not low and foul_reason(Arrangement(own.front, own.back, own.middle), rules) is None:
        said.append("With middle and back exchanged it would be legal.")
    if graded.units is None or graded.behind is None:
        return [*said, "The table alone does not tell what that costs."]
    cost = given_up(graded.behind, graded.behind_stderr)
    instead = f"{units_text(graded.units)} instead of {units_text(advice.best.units)}"
    return [*said, f"It costs {cost} units against the best rows: {instead}."]


def is_same(one: Arrangement, other: Arrangement) -> bool:
    """Whether two arrangements have the same cards in each row."""
    return all(sorted(one.row(row)) == sorted(other.row(row)) for row in ROWS)


def ordinal(place: int) -> str:
    """Return a place in a ranking.

    Examples
    --------
    >>> ordinal(1), ordinal(12), ordinal(1023)
    ('1st', '12th', '1,023rd')
    """
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{ending}"


def win_share(look: "RowOutlook") -> float:
    """Return how much of a row is won, a tie counting half."""
    return look.win + look.tie / 2


def why(own: "Candidate", best: "Candidate", advice: "Advice") -> str:
    """Say how rows, scoops and royalties differ from those of the best, first the row that differs most."""
    points = {row: 100 * (win_share(own.rows[row]) - win_share(best.rows[row])) for row in ROWS}
    telling = sorted((row for row in ROWS if abs(points[row]) >= TELLING), key=lambda row: -abs(points[row]))
    sentences = []
    if telling:
        lead = points[telling[0]] > 0
        first = [row for row in telling if (points[row] > 0) == lead]
        second = [row for row in telling if row not in first]
        one, *others = [f"{row} {abs(points[row]):.1f}" for row in first]
        row, number = one.split()
        text = f"Your {row} wins {number} points {'more' if lead else 'less'} often"
        text += {0: "", 1: " and the {}", 2: ", the {} and the {}"}[len(others)].format(*others)
        if second:
            rest = " and the ".join(f"{row} {abs(points[row]):.1f}" for row in second)
            text += f", but the {rest} {'less' if lead else 'more'}"
        sentences.append(f"{text}.")
    else:
        sentences.append("Its rows win as often as the best's.")
    if scoops := _scoops(own, best):
        sentences.append(scoops)
    if pays_royalties(advice) and abs(own.royalties - best.royalties) >= 0.0005:
        differ = own.royalties - best.royalties
        sentences.append(f"Royalties bring {abs(differ):.3f} units {'more' if differ > 0 else 'less'}.")
    return " ".join(sentences)


def _scoops(own: "Candidate", best: "Candidate") -> str:
    """Say how much more or less often an arrangement scoops and is scooped, where that is telling."""
    parts: list[str] = []
    for verb, differ in (("scoops", own.scoop - best.scoop), ("is scooped", own.scooped - best.scooped)):
        if abs(100 * differ) >= TELLING:
            points = f"{abs(100 * differ):.1f}{'' if parts else ' points'}"
            parts.append(f"{verb} {points} {'more' if differ > 0 else 'less'} often")
    return f"It {' and '.join(parts)}." if parts else ""


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
    return ", ".join(f"{format_cards(cards)} in the {row}" for row, cards in advice.keep.items())


def rests_on(advice: "Advice") -> str:
    """Return what the figures come from."""
    stopped = " until it was interrupted" if advice.interrupted else ""
    return f"{advice.deals:,} deals{stopped}, seed {advice.seed}" if advice.deals else "by their table alone"


def conditions(advice: "Advice") -> str:
    """Say what the answer rests on."""
    changed = f" with {len(advice.overrides)} changed" if advice.overrides else ""
    ties = " Tied rows count as the banker's." if advice.rules.table.banker_wins_ties else ""
    stay = "".join(f", {format_cards(cards)} kept in the {row}" for row, cards in advice.keep.items())
    gone = f", {format_cards(advice.dead)} out of play" if advice.dead else ""
    many = f"{advice.candidates:,} candidate{'' if advice.candidates == 1 else 's'}"
    return (
        f"Rules {printable(advice.rules.name)}{changed}, opponents {printable(advice.opponents)}, {rests_on(advice)}; "
        f"{many} of {advice.legal:,} legal arrangements{gone}{stay}.{ties}"
    )
