"""A rule set in a player's words, as plain data: what pays what, and which choices the rules make.

The words follow from the record alone and cover every key of it; how they are laid out is left to whoever prints them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from solver.rules import RuleSet

Line = tuple[str, str]


@dataclass(frozen=True)
class Section:
    """A heading with its lines, each what happens and what then."""

    title: str
    lines: list[Line]


def explain(rules: RuleSet) -> list[Section]:
    """Explain a rule set that ``solver.rules`` has checked.

    Returns
    -------
    list[Section]
        In the order in which a player meets them: the table, the strength of hands, rows, royalties, scoop, home run,
        naturals, fouls, surrender.
    """
    parts = {
        "Table": _table,
        "Strength": _strength,
        "Rows": _rows,
        "Royalties": _royalties,
        "Scoop": _scoop,
        "Home run": _home_run,
        "Naturals": _naturals,
        "Fouls": _fouls,
        "Surrender": _surrender,
    }
    return [Section(title, list(part(rules))) for title, part in parts.items()]


def _amount(units: float) -> str:
    """Write units as players say them."""
    if units == 0:
        return "nothing"
    return "1 unit" if units == 1 else f"{units:.12g} units"


def _bonus(units: float) -> str:
    return f"{_amount(units)} more" if units else "nothing more"


def _multiplied(units: float, rules: RuleSet) -> str:
    """Write units after the scoop multiplier."""
    factor = rules.scoop.multiplier
    if factor == "players" and units:
        return f"{_amount(units)} times the number of players"
    return _amount(units if factor == "players" else units * factor)


def _any_royalties(rules: RuleSet) -> bool:
    return bool(rules.royalties.front or rules.royalties.middle or rules.royalties.back)


def _naturals_played(rules: RuleSet) -> bool:
    return rules.naturals.enabled and bool(rules.naturals.kinds)


_SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


def _suit_order(suits: str) -> str:
    return ", ".join(_SUITS[suit] for suit in suits) + " from lowest to highest"


def _table(rules: RuleSet) -> Iterator[Line]:
    yield "rules", rules.name if rules.title in ("", rules.name) else f"{rules.name} ({rules.title})"
    yield "source", rules.source or "not stated"
    fewest, most = rules.players
    yield "players", str(most) if fewest == most else f"{fewest} to {most}"
    if not rules.table.banker:
        yield "who plays whom", "everybody against everybody; what one wins the other pays"
        return
    yield "who plays whom", "everybody against the banker only; what one wins the other pays"
    if rules.table.banker_wins_ties:
        text = "the banker's, for rows, royalties, the overall bonus and scoops; equal naturals still pay nothing"
        yield "a tied row", text
    else:
        yield "a tied row", "nobody's, the banker has no advantage"


def _strength(rules: RuleSet) -> Iterator[Line]:
    ranking = rules.ranking
    low_middle = ranking.middle == "deuce-to-seven"
    if ranking.wheel == "lowest":
        wheel = "the lowest straight, under 2-3-4-5-6"
    else:
        wheel = "the second-highest straight, just under T-J-Q-K-A"
    yield "A-2-3-4-5", f"{wheel}, and likewise as a straight flush{'; in the back only' if low_middle else ''}"
    if low_middle:
        yield "middle", "deuce-to-seven: the weakest five cards win; 7-5-4-3-2 is best, of several suits"
        yield "middle, aces", "high only: A-5-4-3-2 is no straight there but ace high"
        yield "middle, straights and flushes", "count against the player"
        yield "order of the rows", "the back at least as strong as the front; equal is legal, the middle is free"
    else:
        yield "middle", "the strongest five cards win, as in the back"
        text = "the back at least as strong as the middle, the middle at least as strong as the front; equal is legal"
        yield "order of the rows", text
    yield "front", "three cards, where straights and flushes do not count"
    if not ranking.suits:
        yield "equal hands", "tie; suits never count"
        return
    yield "equal hands", f"suits decide, {_suit_order(ranking.suits)}; they never make an arrangement legal or a foul"
    yield "whose suit counts", "the highest among the cards of the most important rank (trips, higher pair, top card)"
    yield "suit of A-2-3-4-5", "its five's" if ranking.wheel == "lowest" else "its ace's"


def _rows(rules: RuleSet) -> Iterator[Line]:
    rows, overall = rules.rows, rules.overall
    if rows.front == rows.middle == rows.back:
        yield "win a row", _amount(rows.back)
    else:
        for name in ("front", "middle", "back"):
            yield f"win the {name}", _amount(getattr(rows, name))
    if rules.table.banker_wins_ties:
        yield "tie a row", "the banker wins it"
    elif rules.ranking.suits:
        yield "tie a row", "cannot be, suits decide"
    else:
        yield "tie a row", "nothing"
    if not overall.two_rows and not overall.three_rows:
        yield "overall bonus", "none, only the rows count"
    elif overall.basis == "rows":
        yield "overall bonus, exactly two rows won", _bonus(overall.two_rows)
    elif overall.basis == "net":
        yield "overall bonus, more rows won than lost but not all three", _bonus(overall.two_rows)
    else:
        text = "higher total of rows and royalties" if _any_royalties(rules) else "higher total of the rows"
        yield f"overall bonus, {text} without winning all three rows", _bonus(overall.two_rows)
    if overall.two_rows or overall.three_rows:
        yield "overall bonus, all three rows won", _bonus(overall.three_rows)
    yield from _outcomes(rules)


def _outcomes(rules: RuleSet) -> Iterator[Line]:
    """Add up the results of three rows, where that follows from how many are won and lost."""
    rows, overall = rules.rows, rules.overall
    if not rows.front == rows.middle == rows.back:
        return
    ties = not (rules.table.banker_wins_ties or rules.ranking.suits)
    suffix = ", before royalties" if _any_royalties(rules) else ""
    for label, won, lost in (
        ("win one row and tie two (WTT)", 1, 0),
        ("win two rows and lose one (WWL)", 2, 1),
        ("win two rows and tie one (WWT)", 2, 0),
        ("win all three (WWW, scoop)", 3, 0),
    ):
        if won + lost < 3 and not ties:
            continue
        units = rows.back * (won - lost)
        if won == 3:
            units += overall.three_rows
        elif overall.basis == "net" or (overall.basis == "rows" and won == 2):
            units += overall.two_rows
        elif overall.basis == "total" and overall.two_rows:
            # Royalties, or rows that pay nothing, leave open who has the higher total.
            if suffix or not units:
                continue
            units += overall.two_rows
        scooped = won == 3 or (rules.scoop.when == "none-lost" and lost == 0)
        yield label, f"{_multiplied(units, rules) if scooped else _amount(units)} in all{suffix}"


_RANKS = {
    **{"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine"},
    **{"T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"},
}
_CATEGORIES = {
    "pair": "pair",
    "two-pair": "two pairs",
    "trips": "three of a kind",
    "straight": "straight",
    "flush": "flush",
    "full-house": "full house",
    "quads": "four of a kind",
    "straight-flush": "straight flush",
    "royal-flush": "royal flush",
    "steel-wheel": "steel wheel (A-2-3-4-5 in one suit)",
}


def _royalty_words(key: str) -> str:
    category, _, rank = key.partition(":")
    if not rank:
        return _CATEGORIES[category]
    one = _RANKS[rank]
    many = "sixes" if one == "six" else f"{one}s"
    article = "an" if one[0] in "ae" else "a"
    return {
        "pair": f"pair of {many}",
        "two-pair": f"two pairs, the higher of {many}",
        "trips": f"three {many}",
        "straight": f"straight up to {article} {one}",
        "flush": f"flush with {article} {one} as its top card",
        "full-house": f"full house of three {many} and a pair",
        "quads": f"four {many}",
        "straight-flush": f"straight flush up to {article} {one}",
    }[category]


def _royalties(rules: RuleSet) -> Iterator[Line]:
    royalties = rules.royalties
    if not _any_royalties(rules):
        yield "royalties", "none"
        return
    several = False
    for row, where in (("front", "in front"), ("middle", "in the middle"), ("back", "in the back")):
        table: dict[str, float] = getattr(royalties, row)
        several |= len({_category(key) for key in table}) < len(table)
        for key, units in table.items():
            row_units = f"instead of the row's {getattr(rules.rows, row):.12g}"
            value = f"{_amount(units)} {row_units}" if royalties.style == "replace" else _bonus(units)
            yield f"{_royalty_words(key)} {where}", value
    if several:
        text = "the most special one: a named rank, then royal flush or steel wheel, then the kind of hand"
        yield "a hand that fits several", text
    yield "paid", _royalties_paid(rules)
    if royalties.style == "extra":
        yield from _royalty_options(rules)
    yield "announced", "before hands are shown; what is not announced is not paid"


def _category(key: str) -> str:
    category = key.partition(":")[0]
    return "straight-flush" if category in ("royal-flush", "steel-wheel") else category


def _royalties_paid(rules: RuleSet) -> str:
    if rules.royalties.style == "replace":
        return "to the winner of the row, in place of the row's units"
    return {
        "winner": "to the winner of the row they are in, on top of its units",
        "both": "to each player who holds one, whatever the row's result, so that two of them net",
        "cancel": "to the winner of the row they are in, but nothing in a row where both hold one",
    }[rules.royalties.paid]


def _royalty_options(rules: RuleSet) -> Iterator[Line]:
    if rules.royalties.per_hand == "one":
        yield "several royalties in a hand", "only the largest that can be paid counts"
    else:
        yield "several royalties in a hand", "each counts"
    if rules.royalties.split:
        text = (
            "still paid once, as the best of them would be in the back, whatever the rows' results; never after a foul"
        )
        yield "four of a kind or a straight flush dealt, but no row of that strength set", text
    else:
        yield "a strong hand dealt but broken up", "nothing"


def _scoop_words(rules: RuleSet) -> str:
    return "win all three rows" if rules.scoop.when == "all-won" else "win at least one row and lose none"


def _scoop(rules: RuleSet) -> Iterator[Line]:
    multiplier = rules.scoop.multiplier
    yield "scoop", f"{_scoop_words(rules)} against an opponent"
    if multiplier == 1:
        yield "multiplies", "nothing"
        return
    factor = "the number of players" if multiplier == "players" else str(multiplier)
    royalties = ", the royalties of both included" if _any_royalties(rules) else ""
    yield "multiplies", f"all that is paid between the two{royalties}, by {factor}"


def _home_run(rules: RuleSet) -> Iterator[Line]:
    run = rules.home_run
    if run.multiplier == 1 and not run.extra:
        yield "home run", "pays nothing more"
        return
    who = "the banker scoops" if rules.table.banker else "scoop"
    least = f"{run.min_opponents} of them" if run.min_opponents > 1 else "one"
    yield "home run", f"{who} every opponent at the table, at least {least}"
    if run.multiplier != 1:
        again = " again" if rules.scoop.multiplier != 1 else ""
        yield "multiplies", f"what each opponent pays{again}, by {run.multiplier}"
    if run.extra:
        yield "from each opponent", _bonus(run.extra)
    yield "an opponent who fouls", "counts as scooped"
    if rules.surrender.allowed:
        yield "an opponent who surrenders", "prevents it"
    if _naturals_played(rules):
        if rules.naturals.as_scoop:
            yield "an opponent who declares a natural", "prevents it, unless he pays for a higher one"
            yield "a natural that is paid", "counts as a scoop of that opponent, though the scoop does not multiply it"
        else:
            yield "an opponent who declares a natural", "prevents it"
            yield "a natural that is paid", "does not count as a scoop"


_BEST_ROWS = "the best back, then middle, then front"
_NATURALS = {
    "three-flushes": ("each row of one suit", _BEST_ROWS),
    "three-straights": ("each row a straight, A-2-3 in front and A-2-3-4-5 included", _BEST_ROWS),
    "six-pairs": (
        "six pairs and one card; four of a kind is two pairs, three of a kind may lend one",
        "the highest pair, then the next and so on; if all are equal nothing is paid",
    ),
    "five-pairs-trips": ("three of a kind and five pairs", "the three of a kind, then the pairs"),
    "four-trips": ("four times three of a kind and one card", "the highest three of a kind, then the next and so on"),
    "three-quads": ("three times four of a kind and one card", "the highest four of a kind, then the next and so on"),
    "dragon": ("one card of each rank, two to ace", ""),
    "suited-dragon": ("one card of each rank, two to ace, all of one suit", ""),
    "three-straight-flushes": ("each row a straight in one suit, A-2-3 and A-2-3-4-5 included", _BEST_ROWS),
    "all-low": ("no card above an eight", ""),
    "all-high": ("no card below an eight", ""),
    "twelve-colour": ("at least twelve cards red, or at least twelve black", ""),
    "thirteen-colour": ("all cards red, or all black", ""),
    "twelve-royals": ("at least {count} cards of jack to ace", ""),
}


def _naturals(rules: RuleSet) -> Iterator[Line]:
    naturals = rules.naturals
    if not _naturals_played(rules):
        yield "naturals", "not played"
        return
    for natural in naturals.kinds:
        meaning, between = _NATURALS[natural.kind]
        if natural.kind == "twelve-royals":
            meaning = "all cards jack to ace" if natural.count == 13 else meaning.format(count="twelve")
        if natural.kind == "five-pairs-trips":
            meaning += "; four of a kind may be two of the pairs" if natural.quads else ", all of different ranks"
        name = natural.kind.replace("-", " ")
        tie = f"; between two: {between or 'equal'}" if naturals.paid == "higher" else ""
        yield name, f"{_amount(natural.units)}: {meaning}{tie}"
    yield "order", "weakest first, as listed; a player's natural is the highest that his hand holds"
    text = "its units are paid and nothing else: no rows, royalties, fouls, scoop or surrender"
    if naturals.as_scoop and (rules.home_run.multiplier != 1 or rules.home_run.extra):
        text += "; only a home run may add to them"
    yield "against a hand without one", text
    yield "two naturals", _two_naturals(rules)
    if naturals.paid == "higher":
        if naturals.suits:
            text = f"suits decide, {_suit_order(naturals.suits)}, except between two called equal"
            yield "what remains tied", text
        else:
            yield "what remains tied", "pays nothing; suits do not count"
    yield "declaring", "the player's choice" if naturals.may_decline else "a natural must be declared"


def _two_naturals(rules: RuleSet) -> str:
    return {
        "higher": "the higher in this order is paid in full; of the same kind, the better one",
        "higher-value": "the one worth more units is paid in full; nothing if they are worth the same",
        "difference": "the difference of their units is paid",
        "none": "nothing is paid",
    }[rules.naturals.paid]


def _fouls(rules: RuleSet) -> Iterator[Line]:
    foul, rows, run = rules.foul, rules.rows, rules.home_run
    yield "foul", "an arrangement whose rows are not in order, see Strength; it gets no royalties"
    if foul.pays == "scoop":
        units = rows.front + rows.middle + rows.back + rules.overall.three_rows
        text = f"as if all three rows were lost: {_multiplied(units, rules)}"
        if _any_royalties(rules):
            if rules.royalties.style == "replace":
                text += ", with the winner's royalties in place of his rows' units"
            elif foul.royalties:
                royalties = "multiplied too" if rules.scoop.multiplier != 1 else "added"
                text += f", with the winner's royalties {royalties}"
            else:
                text += ", without royalties"
        yield "pays each legal opponent", text
    else:
        text = _amount(foul.units)
        if rules.scoop.multiplier != 1 or run.multiplier != 1:
            text += ", never multiplied"
        if run.extra:
            text += f"; a home run's {run.extra:.12g} more are still added"
        if _any_royalties(rules):
            text += "; the winner's royalties are added" if foul.royalties else "; no royalties are paid"
        yield "pays each legal opponent", text
    yield "two fouls", "pay each other nothing"
    if _naturals_played(rules):
        yield "against a natural", "the natural's units are paid instead"


def _surrender(rules: RuleSet) -> Iterator[Line]:
    if not rules.surrender.allowed:
        yield "surrender", "not allowed"
        return
    yield "surrender", f"pays {_amount(rules.surrender.units)} to each opponent, one who then fouls included"
    yield "two who surrender", "pay each other nothing"
    if _naturals_played(rules):
        yield "against a natural", "the natural's units are paid instead"
