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
    if factor != "players":
        return _amount(units * factor)
    fewest, most = rules.players
    if fewest == most or not units:
        return _amount(units * most)
    *few, last = [f"{units * seats:.12g}" for seats in range(fewest, most + 1)]
    return f"{_amount(units)} times the number of players ({', '.join(few)} or {last})"


def _any_royalties(rules: RuleSet) -> bool:
    return bool(rules.royalties.front or rules.royalties.middle or rules.royalties.back)


def _home_run_pays(rules: RuleSet) -> bool:
    return rules.home_run.multiplier != 1 or rules.home_run.extra > 0


def _naturals_played(rules: RuleSet) -> bool:
    return rules.naturals.enabled and bool(rules.naturals.kinds)


_SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


def _suit_order(suits: str) -> str:
    return ", ".join(_SUITS[suit] for suit in suits) + " from lowest to highest"


def _table(rules: RuleSet) -> Iterator[Line]:
    titled = rules.title.casefold().replace(" ", "-") not in ("", rules.name.casefold())
    yield "rules", f"{rules.name} ({rules.title})" if titled else rules.name
    yield "source", rules.source or "not stated"
    fewest, most = rules.players
    yield "players", str(most) if fewest == most else f"{fewest} to {most}"
    if not rules.table.banker:
        yield "who plays whom", "everybody against everybody; what one wins, the other pays"
        return
    yield "who plays whom", "everybody against the banker only; what one wins, the other pays"
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
        yield "middle", "deuce-to-seven: the weakest five cards win; 7-5-4-3-2 of several suits is best"
        yield "middle, aces", "high only: A-5-4-3-2 is not a straight there but ace high"
        yield "middle, straights and flushes", "count against the player"
        yield "order of the rows", "the back at least as strong as the front; equal is legal, the middle is free"
    else:
        yield "middle", "the strongest five cards win, as in the back"
        text = "the back at least as strong as the middle, the middle at least as strong as the front; equal is legal"
        yield "order of the rows", text
    yield "front", "three cards, where straights and flushes do not count"
    if not ranking.suits:
        between = _naturals_played(rules) and rules.naturals.paid == "higher" and rules.naturals.suits
        yield "equal hands", "tie; suits count between naturals only" if between else "tie; suits never count"
        return
    yield "equal hands", f"suits decide, {_suit_order(ranking.suits)}; they never make an arrangement legal or a foul"
    yield "whose suit counts", "the highest among the cards of the most important rank (trips, higher pair, top card)"
    suit = "its five's" if ranking.wheel == "lowest" else "its ace's"
    if low_middle:
        yield "equal middles", "the lower suit wins"
        suit = f"{suit}; in the middle its ace's"
    yield "suit of A-2-3-4-5", suit


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
    if overall.two_rows:
        total = "rows and royalties" if _any_royalties(rules) else "the rows"
        when = {
            "rows": "exactly two rows won",
            "net": "more rows won than lost but not all three",
            "total": f"higher total of {total} without winning all three rows",
        }[overall.basis]
        yield f"overall bonus, {when}", _bonus(overall.two_rows)
    if overall.two_rows or overall.three_rows:
        yield "overall bonus, all three rows won", _bonus(overall.three_rows)
    yield from _outcomes(rules)


def _outcomes(rules: RuleSet) -> Iterator[Line]:
    """Add up the results of three rows, where that follows from how many are won and lost."""
    rows, overall = rules.rows, rules.overall
    if not rows.front == rows.middle == rows.back:
        return
    ties = not (rules.table.banker_wins_ties or rules.ranking.suits)
    suffix = ", without royalties" if _any_royalties(rules) else ""
    for label, won, lost in (
        ("win one row and tie two (WTT", 1, 0),
        ("win two rows and lose one (WWL", 2, 1),
        ("win two rows and tie one (WWT", 2, 0),
        ("win all three (WWW", 3, 0),
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
        label += ", scoop)" if scooped else ")"
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
    text = "before hands are shown; one that is not announced is not paid"
    if royalties.style == "replace":
        text += ", but the row's units are"
    yield "announced", text


def _category(key: str) -> str:
    category = key.partition(":")[0]
    return "straight-flush" if category in ("royal-flush", "steel-wheel") else category


def _royalties_paid(rules: RuleSet) -> str:
    if rules.royalties.style == "replace":
        return "to the winner of the row"
    return {
        "winner": "to the winner of the row they are in, on top of its units",
        "both": "to each player who holds one, whether he wins the row or not",
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
        yield "four of a kind or a straight flush dealt, but no row set with either", text
    else:
        yield "a strong hand dealt but broken up", "nothing"


def _scoop(rules: RuleSet) -> Iterator[Line]:
    multiplier = rules.scoop.multiplier
    rows = "win all three rows" if rules.scoop.when == "all-won" else "win at least one row and lose none"
    yield "scoop", f"{rows} against an opponent"
    parts = ["the rows"]
    if rules.overall.two_rows or rules.overall.three_rows:
        parts.append("the overall bonus")
    if _any_royalties(rules):
        both = rules.royalties.paid == "both" or rules.royalties.split
        parts.append("the royalties of both" if both else "the royalties")
    all_of_it = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    if multiplier == 1:
        yield "pays", f"{all_of_it}, as they stand"
        return
    yield "pays", f"{all_of_it}, times {'the number of players' if multiplier == 'players' else multiplier}"


def _home_run(rules: RuleSet) -> Iterator[Line]:
    run = rules.home_run
    if not _home_run_pays(rules):
        yield "home run", "scooping every opponent pays nothing more"
        return
    who = "the banker, and nobody else, scoops" if rules.table.banker else "scoop"
    yield "home run", f"{who} every opponent at the table"
    yield "opponents needed", f"{run.min_opponents} or more" if run.min_opponents < 3 else "3"
    pays = []
    if run.multiplier != 1:
        scooped = ", the scoop counted in" if rules.scoop.multiplier != 1 else ""
        pays.append(f"{run.multiplier} times what he otherwise owes{scooped}")
    if run.extra:
        pays.append(_bonus(run.extra))
    yield "each opponent pays", ", and ".join(pays)
    fixed = rules.foul.pays == "units" and run.multiplier != 1
    yield "an opponent who fouls", f"counts as scooped{', but what he owes is not multiplied' if fixed else ''}"
    yield from _home_run_exceptions(rules)


def _home_run_exceptions(rules: RuleSet) -> Iterator[Line]:
    """Say what becomes of a home run where somebody surrenders or declares a natural."""
    naturals = rules.naturals
    counts = _naturals_played(rules) and naturals.as_scoop
    if rules.surrender.allowed:
        yield "an opponent who surrenders", f"prevents it{', unless he pays a natural' if counts else ''}"
    if not _naturals_played(rules):
        return
    lower = counts and naturals.paid != "none"
    yield "an opponent who declares a natural", f"prevents it{', unless he pays a higher one' if lower else ''}"
    if counts:
        scoop = "; the scoop itself does not multiply it" if rules.scoop.multiplier != 1 else ""
        yield "a natural that is paid", f"counts as a scoop of the one who pays it{scoop}"
    else:
        yield "a natural that is paid", "does not count as a scoop"


_NATURALS = {
    "three-flushes": ("three flushes", "each row of one suit"),
    "three-straights": ("three straights", "each row a straight, A-2-3 in front and A-2-3-4-5 included"),
    "six-pairs": ("six pairs", "six pairs and one card; four of a kind is two pairs, three of a kind may lend one"),
    "five-pairs-trips": ("five pairs and trips", "three of a kind and five pairs"),
    "four-trips": ("four trips", "four times three of a kind and one card"),
    "three-quads": ("three quads", "three times four of a kind and one card"),
    "dragon": ("dragon", "one card of each rank, two to ace"),
    "suited-dragon": ("suited dragon", "one card of each rank, two to ace, all of one suit"),
    "three-straight-flushes": (
        "three straight flushes",
        "each row a straight in one suit, A-2-3 in front and A-2-3-4-5 included",
    ),
    "all-low": ("all low", "no card above an eight"),
    "all-high": ("all high", "no card below an eight"),
    "twelve-colour": ("twelve of a colour", "at least twelve cards red, or at least twelve black"),
    "thirteen-colour": ("thirteen of a colour", "all cards red, or all black"),
    "twelve-royals": ("twelve royals", "at least twelve cards of jack to ace"),
}
_BY_ROWS = "the better back wins, then the middle, then the front"
_TIE_BREAKS = {
    "three-flushes": _BY_ROWS,
    "three-straights": _BY_ROWS,
    "three-straight-flushes": _BY_ROWS,
    "six-pairs": "the higher pair wins, then the next and so on",
    "five-pairs-trips": "the higher three of a kind wins",
    "four-trips": "the highest three of a kind wins",
    "three-quads": "the highest four of a kind wins",
}


def _naturals(rules: RuleSet) -> Iterator[Line]:
    naturals = rules.naturals
    if not _naturals_played(rules):
        yield "naturals", "not played"
        return
    for natural in naturals.kinds:
        name, meaning = _NATURALS[natural.kind]
        if natural.kind == "twelve-royals" and natural.count == 13:
            name, meaning = "thirteen royals", "all cards jack to ace"
        if natural.kind == "five-pairs-trips":
            meaning += "; four of a kind may be two of the pairs" if natural.quads else ", all of different ranks"
        yield name, f"{_amount(natural.units)}: {meaning}"
    if len(naturals.kinds) > 1:
        yield "order", "weakest first, as listed; a player's natural is the highest that his hand holds"
    text = "its units are paid and nothing else: no rows, royalties, fouls, scoop or surrender"
    if naturals.as_scoop and _home_run_pays(rules):
        text += "; only a home run may raise them"
    yield "against a hand without one", text
    if len(naturals.kinds) > 1 or naturals.paid != "higher":
        yield "two naturals", _two_naturals(rules)
    if naturals.paid == "higher":
        yield from _same_natural(rules)
    declining = "the player's choice; he may play the hand instead"
    yield "declaring", declining if naturals.may_decline else "a natural must be declared"


def _two_naturals(rules: RuleSet) -> str:
    return {
        "higher": "the one later in this list is paid in full",
        "higher-value": "the one worth more units is paid in full; nothing if they are worth the same",
        "difference": "the difference of their units is paid, nothing where they are worth the same",
        "none": "nothing is paid",
    }[rules.naturals.paid]


def _same_natural(rules: RuleSet) -> Iterator[Line]:
    """Say how two naturals of the same kind compare."""
    kinds = [natural.kind for natural in rules.naturals.kinds]
    by_tie_break: dict[str, list[str]] = {}
    for kind in kinds:
        by_tie_break.setdefault(_TIE_BREAKS.get(kind, ""), []).append(_NATURALS[kind][0])
    others = by_tie_break.pop("", [])
    parts = [f"{', '.join(names)}: {tie_break}" for tie_break, names in by_tie_break.items()]
    if others:
        parts.append("others: equal, nothing is paid" if parts else "equal, nothing is paid")
    yield "two of the same kind", "; ".join(parts)
    counted = [
        *(["of the back, then the middle, then the front"] if _BY_ROWS in by_tie_break else []),
        *(["of the highest pair"] if "six-pairs" in kinds else []),
    ]
    if not counted:
        return
    if rules.naturals.suits:
        text = f"suits decide, {_suit_order(rules.naturals.suits)}: those {', or '.join(counted)}"
        yield "what remains tied", text
    else:
        yield "what remains tied", "pays nothing; suits do not count"


def _fouls(rules: RuleSet) -> Iterator[Line]:
    foul, rows, run = rules.foul, rules.rows, rules.home_run
    royalties = "largest royalty is" if rules.royalties.per_hand == "one" else "royalties are"
    multiplied = ", multiplied too" if rules.scoop.multiplier != 1 else ""
    yield "foul", "an arrangement whose rows are not in order, see Strength; it gets no royalties"
    if foul.pays == "scoop":
        units = rows.front + rows.middle + rows.back + rules.overall.three_rows
        text = f"as if all three rows were lost: {_multiplied(units, rules)}"
        if _any_royalties(rules):
            if rules.royalties.style == "replace":
                text += f"; the winner's royalties are paid instead of his rows' units{multiplied}"
            elif foul.royalties:
                text += f"; the winner's {royalties} added{multiplied}"
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
            text += f"; the winner's {royalties} added" if foul.royalties else ", without royalties"
        yield "pays each legal opponent", text
    yield "two fouls", "pay each other nothing"
    if _naturals_played(rules):
        yield "against a natural", "the natural's units are paid instead"


def _surrender(rules: RuleSet) -> Iterator[Line]:
    if not rules.surrender.allowed:
        yield "surrender", "not allowed"
        return
    yield "surrender", f"pays {_amount(rules.surrender.units)} to each opponent, one who then fouls included"
    yield "when", "after naturals are declared, all who do at the same time"
    yield "two who surrender", "pay each other nothing"
    if _naturals_played(rules):
        yield "against a natural", "the natural's units are paid instead"
