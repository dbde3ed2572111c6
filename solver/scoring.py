"""Settling a round in plain Python: the readable truth that the kernels are tested against.

The steps follow the order in which a round is scored: fouls, rows, royalties, the overall bonus, the scoop.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from solver.arrangements import ROWS, Arrangement, foul_reason, row_keys
from solver.cards import RANKS, card_name
from solver.errors import CardError, RequestError
from solver.ranks import Category, Key, straight_top
from solver.rules import RuleSet

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Pair:
    """What two players settle between them, seen from the first.

    Attributes
    ----------
    a, b : int
        The players, by seat.
    results : tuple of 3 int, or None
        Front, middle and back: 1 won, 0 tied, -1 lost; None where a foul left nothing to compare.
    royalties : (float, float)
        Paid to either, before the scoop multiplier.
    scoop : int
        1 where the first won all three rows, -1 where the second did, else 0.
    units : float
        What the first receives from the second.
    """

    a: int
    b: int
    results: Triple | None
    royalties: tuple[float, float]
    scoop: int
    units: float


@dataclass(frozen=True)
class Settlement:
    """A settled round.

    Attributes
    ----------
    pairs : tuple of Pair
        Every two players.
    matrix : tuple of tuples
        ``matrix[i][j]`` is what player i receives from player j.
    totals : tuple of float
        A player's sum over all others; they add up to zero.
    fouls : tuple of str or None
        Why a player's arrangement is a foul.
    """

    pairs: tuple[Pair, ...]
    matrix: tuple[tuple[float, ...], ...]
    totals: tuple[float, ...]
    fouls: tuple[str | None, ...]


@dataclass(frozen=True)
class _Side:
    """A player as the pairs see him: row keys, royalties by row (None for none), and whether he fouled."""

    keys: tuple[Key, Key, Key]
    royalties: tuple[float | None, float | None, float | None]
    fouled: bool


def settle(rules: RuleSet, arrangements: Sequence[Arrangement]) -> Settlement:
    """Settle a round between two to four players.

    Raises
    ------
    RequestError
        If there are fewer than two or more than four players.
    CardError
        If a card stands twice at the table.
    """
    if not 2 <= len(arrangements) <= 4:
        raise RequestError(f"a round has 2 to 4 players, got {len(arrangements)}")
    _check_cards(arrangements)
    fouls = tuple(foul_reason(arrangement, rules) for arrangement in arrangements)
    sides = [_side(arrangement, rules, foul is not None) for arrangement, foul in zip(arrangements, fouls, strict=True)]
    number = len(sides)
    pairs = tuple(_pair(rules, a, b, sides[a], sides[b]) for a in range(number) for b in range(a + 1, number))
    matrix = [[0.0] * number for _ in sides]
    for pair in pairs:
        matrix[pair.a][pair.b] = pair.units
        matrix[pair.b][pair.a] = 0.0 - pair.units
    return Settlement(pairs, tuple(map(tuple, matrix)), tuple(map(sum, matrix)), fouls)


def _check_cards(arrangements: Sequence[Arrangement]) -> None:
    """Refuse a card that two players hold."""
    places: dict[int, str] = {}
    for player, arrangement in enumerate(arrangements, start=1):
        for row in ROWS:
            for card in arrangement.row(row):
                here = f"player {player}'s {row}"
                if card in places:
                    raise CardError(f"{card_name(card)} is in {places[card]} and in {here}")
                places[card] = here


def royalty(row: str, key: Key, rules: RuleSet) -> float | None:
    """Return the royalty that a hand earns in a row, or None; a royalty of no units still counts as one."""
    units: dict[str, float] = getattr(rules.royalties, row)
    category, order = Category(key[0]), key[1]
    name = category.name.lower().replace("_", "-")
    rank = straight_top(key) if category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH) else order[0]
    special = {12: "royal-flush", 3: "steel-wheel"}.get(rank, "") if category is Category.STRAIGHT_FLUSH else ""
    for found in (f"{name}:{RANKS[rank]}", special, name):
        if found in units:
            return units[found]
    return None


def _side(arrangement: Arrangement, rules: RuleSet, fouled: bool) -> _Side:
    keys = row_keys(arrangement, rules.ranking.wheel)
    front, middle, back = (royalty(row, key, rules) for row, key in zip(ROWS, keys, strict=True))
    return _Side(keys, (front, middle, back), fouled)


def _pair(rules: RuleSet, a: int, b: int, first: _Side, second: _Side) -> Pair:
    """Settle one pair."""
    if first.fouled or second.fouled:
        if first.fouled and second.fouled:
            return Pair(a, b, None, (0.0, 0.0), 0, 0.0)
        royalties, units = _foul(rules, second if first.fouled else first)
        if first.fouled:
            return Pair(a, b, None, (0.0, royalties), -1, 0.0 - units)
        return Pair(a, b, None, (royalties, 0.0), 1, units)
    front, middle, back = ((x > y) - (x < y) for x, y in zip(first.keys, second.keys, strict=True))
    results = (front, middle, back)
    mirrored = (-front, -middle, -back)
    rows = _rows(rules, results, first) - _rows(rules, mirrored, second)
    ours = _royalties(rules, results, first, second)
    theirs = _royalties(rules, mirrored, second, first)
    overall = _overall(rules, results) - _overall(rules, mirrored)
    scoop = (results == (1, 1, 1)) - (mirrored == (1, 1, 1))
    multiplier = int(rules.scoop.multiplier) if scoop else 1
    return Pair(a, b, results, (ours, theirs), scoop, (rows + ours - theirs + overall) * multiplier)


def _row_units(rules: RuleSet) -> tuple[float, float, float]:
    return rules.rows.front, rules.rows.middle, rules.rows.back


def _foul(rules: RuleSet, winner: _Side) -> tuple[float, float]:
    """Return the royalties and the units that a legal player is paid for a foul."""
    won = (1, 1, 1)
    replace = rules.royalties.style == "replace"
    paid = [worth for worth in winner.royalties if worth is not None and (replace or rules.foul.royalties)]
    one = not replace and rules.royalties.per_hand == "one"
    royalties = max(paid, default=0.0) if one else sum(paid, 0.0)
    if rules.foul.pays == "units":
        royalties = 0.0 if replace else royalties
        return royalties, rules.foul.units + royalties
    units = _rows(rules, won, winner) + royalties + _overall(rules, won)
    return royalties, units * int(rules.scoop.multiplier)


def _rows(rules: RuleSet, results: Triple, side: _Side) -> float:
    """Return the units of the rows that a side won; with style "replace" a royalty stands in for them elsewhere."""
    replace = rules.royalties.style == "replace"
    return sum(
        units
        for result, units, worth in zip(results, _row_units(rules), side.royalties, strict=True)
        if result == 1 and not (replace and worth is not None)
    )


def _royalties(rules: RuleSet, results: Triple, side: _Side, other: _Side) -> float:
    """Return the royalties that a side is paid."""
    paid = []
    for result, worth, against in zip(results, side.royalties, other.royalties, strict=True):
        if worth is None or (rules.royalties.paid != "both" and result != 1):
            continue
        if rules.royalties.paid == "cancel" and against is not None:
            continue
        paid.append(worth)
    if rules.royalties.style == "extra" and rules.royalties.per_hand == "one":
        return max(paid, default=0.0)
    return sum(paid, 0.0)


def _overall(rules: RuleSet, results: Triple) -> float:
    """Return the bonus for two or three rows won."""
    won = results.count(1)
    return rules.overall.three_rows if won == 3 else rules.overall.two_rows if won == 2 else 0.0
