"""Settling a round in plain Python: the readable truth that the kernels are tested against.

The steps follow the order in which a round is scored: naturals, surrender, fouls, rows, royalties, the overall bonus,
the scoop, the home run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from solver.arrangements import ROWS, Arrangement, contest_keys, foul_reason, row_key, row_keys
from solver.cards import RANKS, Hand, card_name
from solver.errors import CardError, RequestError
from solver.naturals import HeldNatural, natural_of, natural_units
from solver.ranks import Category, Key, straight_top
from solver.rules import RuleSet

Triple = tuple[int, int, int]
ALL_WON = (1, 1, 1)


@dataclass(frozen=True)
class Player:
    """What a player brings to a round: an arrangement, a natural that he declares, or his surrender.

    Attributes
    ----------
    name : str
        For messages; "player 1" and so on where it is empty.
    arrangement : Arrangement, or None
    natural : Hand, or None
        The thirteen cards of a declared natural.
    surrender : bool
    undeclared : bool
        Whether he gave up his royalties by not declaring them.
    """

    name: str = ""
    arrangement: Arrangement | None = None
    natural: Hand | None = None
    surrender: bool = False
    undeclared: bool = False

    def __post_init__(self) -> None:
        if (self.arrangement is not None) + (self.natural is not None) + self.surrender != 1:
            who = self.name or "a player"
            raise RequestError(f"{who} brings an arrangement, a natural or his surrender, exactly one of them")


@dataclass(frozen=True)
class Pair:
    """What two players settle between them, seen from the first.

    Attributes
    ----------
    a, b : int
        The players, by seat.
    results : tuple of 3 int, or None
        Front, middle and back: 1 won, 0 tied, -1 lost; None where no rows were compared. A tied row that goes to the
        banker counts as won by him.
    royalties : (float, float)
        Paid to either, before the scoop multiplier.
    scoop : int
        1 where the first scooped the second, -1 where the second did the first, else 0. A foul is a scoop.
    home_run : int
        1 where the pair is part of the first player's home run, -1 of the second's, else 0.
    units : float
        What the first receives from the second.
    """

    a: int
    b: int
    results: Triple | None = None
    royalties: tuple[float, float] = (0.0, 0.0)
    scoop: int = 0
    home_run: int = 0
    units: float = 0.0


@dataclass(frozen=True)
class Settlement:
    """A settled round.

    Attributes
    ----------
    pairs : tuple of Pair
        Every two players, or with a banker those that he takes part in.
    matrix : tuple of tuples
        ``matrix[i][j]`` is what player i receives from player j.
    totals : tuple of float
        A player's sum over all others; they add up to zero.
    fouls : tuple of str or None
        Why a player's arrangement is a foul.
    naturals : tuple of HeldNatural or None
        What each player declared.
    """

    pairs: tuple[Pair, ...]
    matrix: tuple[tuple[float, ...], ...]
    totals: tuple[float, ...]
    fouls: tuple[str | None, ...]
    naturals: tuple[HeldNatural | None, ...]


@dataclass(frozen=True)
class _Side:
    """A player as the pairs see him; royalties by row (None for none), then the one for a split hand."""

    natural: HeldNatural | None
    surrender: bool
    foul: str | None
    keys: tuple[tuple[Key, int], ...] = ()
    royalties: tuple[float | None, ...] = (None, None, None)
    split: float = 0.0


def settle(rules: RuleSet, players: Sequence[Player | Arrangement], banker: int | None = None) -> Settlement:
    """Settle a round between two to four players.

    Parameters
    ----------
    rules
        What is played.
    players
        Arrangements, or players who may also declare a natural or surrender.
    banker
        The banker's seat, counted from 0, in rules with a banker.

    Raises
    ------
    RequestError
        If there are fewer than two or more than four players, the banker is missing or not played, or somebody
        declares a natural that he does not hold or surrenders where that is not allowed.
    CardError
        If a card stands twice at the table.

    Examples
    --------
    >>> from solver.rules import load_rules
    >>> ann = Arrangement.parse("Kh Jh 5s | Kc Jc 4c 3c 2c | Ah Th 9h 6h 2h")
    >>> bob = Arrangement.parse("As Qs Ts | 9c 9d 8c 3h 2d | 4s 4h 4d 7c 7h")
    >>> settled = settle(load_rules("2-4"), [ann, bob])
    >>> settled.totals, settled.pairs[0].results
    ((-2.0, 2.0), (-1, 1, -1))
    """
    seats = [one if isinstance(one, Player) else Player(arrangement=one) for one in players]
    number = len(seats)
    if not 2 <= number <= 4:
        raise RequestError(f"a round has 2 to 4 players, got {number}")
    if rules.table.banker and banker is None:
        raise RequestError(f"the rules '{rules.name}' have a banker: say who it is")
    if banker is not None and not rules.table.banker:
        raise RequestError(f"the rules '{rules.name}' have no banker")
    if banker is not None and not 0 <= banker < number:
        raise RequestError(f"banker: a seat from 0 to {number - 1}, got {banker}")
    names = [player.name or f"player {seat}" for seat, player in enumerate(seats, start=1)]
    _check_cards(seats, names)
    sides = [_side(player, name, rules) for player, name in zip(seats, names, strict=True)]
    pairs = {
        (a, b): _pair(rules, number, a, b, sides, banker)
        for a, b in combinations(range(number), 2)
        if banker is None or banker in (a, b)
    }
    for seat in range(number):
        if banker in (None, seat):
            _home_run(rules, seat, pairs, sides)
    matrix = [[0.0] * number for _ in sides]
    for (a, b), pair in pairs.items():
        matrix[a][b] = pair.units
        matrix[b][a] = 0.0 - pair.units
    return Settlement(
        pairs=tuple(pairs.values()),
        matrix=tuple(map(tuple, matrix)),
        totals=tuple(map(sum, matrix)),
        fouls=tuple(side.foul for side in sides),
        naturals=tuple(side.natural for side in sides),
    )


def _check_cards(players: Sequence[Player], names: Sequence[str]) -> None:
    """Refuse a card that stands twice at the table."""
    places: dict[int, str] = {}
    for player, name in zip(players, names, strict=True):
        held = {"natural": player.natural.cards} if player.natural else {}
        if player.arrangement:
            held = {row: player.arrangement.row(row) for row in ROWS}
        for part, cards in held.items():
            for card in cards:
                here = f"{name}'s {part}"
                if card in places:
                    raise CardError(f"{card_name(card)} is in {places[card]} and in {here}")
                places[card] = here


def _side(player: Player, name: str, rules: RuleSet) -> _Side:
    """Find a player's natural, his foul and the royalties that he can be paid."""
    if player.surrender:
        if not rules.surrender.allowed:
            raise RequestError(f"{name}: the rules '{rules.name}' do not allow surrender")
        return _Side(None, True, None)
    if player.natural:
        natural = natural_of(player.natural.cards, rules)
        if natural is None:
            raise RequestError(f"{name}: no natural of the rules '{rules.name}' in {player.natural}")
        return _Side(natural, False, None)
    arrangement = player.arrangement
    assert arrangement is not None
    if not rules.naturals.may_decline and (natural := natural_of(arrangement.hand.cards, rules)):
        return _Side(natural, False, None)
    foul = foul_reason(arrangement, rules)
    keys = contest_keys(arrangement, rules)
    if foul or player.undeclared:
        return _Side(None, False, foul, keys)
    own = row_keys(arrangement, rules.ranking.wheel)
    royalties = tuple(royalty(row, key, rules) for row, key in zip(ROWS, own, strict=True))
    return _Side(None, False, None, keys, royalties, split_royalty(arrangement, rules))


def royalty(row: str, key: Key, rules: RuleSet) -> float | None:
    """Return the royalty that a hand earns in a row, or None; a royalty of no units still counts as one."""
    if row == "middle" and rules.ranking.middle == "deuce-to-seven":
        return None
    units: dict[str, float] = getattr(rules.royalties, row)
    category, order = Category(key[0]), key[1]
    name = category.name.lower().replace("_", "-")
    rank = straight_top(key) if category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH) else order[0]
    special = {12: "royal-flush", 3: "steel-wheel"}.get(rank, "") if category is Category.STRAIGHT_FLUSH else ""
    for found in (f"{name}:{RANKS[rank]}", special, name):
        if found in units:
            return units[found]
    return None


def split_royalty(arrangement: Arrangement, rules: RuleSet) -> float:
    """Return the royalty for quads or a straight flush dealt but set in no row: that of the strongest, in the back."""
    wheel = rules.ranking.wheel
    if not rules.royalties.split or rules.royalties.style != "extra":
        return 0.0
    if max(key[0] for key in row_keys(arrangement, wheel)[1:]) >= Category.QUADS:
        return 0.0
    cards = arrangement.hand.cards
    fives = [five for suit in range(4) for five in combinations([card for card in cards if card & 3 == suit], 5)]
    for rank in range(13):
        four = tuple(card for card in cards if card >> 2 == rank)
        fives += [(*four, kicker) for kicker in cards if len(four) == 4 and kicker not in four]
    strongest = max((row_key(five, wheel) for five in fives), default=(0, ()))
    return royalty("back", strongest, rules) or 0.0 if strongest[0] >= Category.QUADS else 0.0


def _pair(rules: RuleSet, seats: int, a: int, b: int, sides: Sequence[_Side], banker: int | None) -> Pair:
    """Settle one pair up to its home run."""
    first, second = sides[a], sides[b]
    if first.natural or second.natural:
        return Pair(a, b, units=natural_units(first.natural, second.natural, rules))
    if first.surrender or second.surrender:
        return Pair(a, b, units=rules.surrender.units * (second.surrender - first.surrender))
    if first.foul and second.foul:
        return Pair(a, b)
    if second.foul:
        royalties, units = _foul(rules, seats, first)
        return Pair(a, b, None, (royalties, 0.0), 1, 0, units)
    if first.foul:
        royalties, units = _foul(rules, seats, second)
        return Pair(a, b, None, (0.0, royalties), -1, 0, 0.0 - units)
    ties = 0
    if rules.table.banker_wins_ties:
        ties = 1 if a == banker else -1
    front, middle, back = ((x > y) - (x < y) or ties for x, y in zip(first.keys, second.keys, strict=True))
    results, mirrored = (front, middle, back), (-front, -middle, -back)
    ours = _royalties(rules, results, first, second)
    theirs = _royalties(rules, mirrored, second, first)
    units = _rows(rules, results, first) - _rows(rules, mirrored, second) + ours - theirs
    units += _overall(rules, results, units)
    scoop = _scoops(rules, results) - _scoops(rules, mirrored)
    return Pair(a, b, results, (ours, theirs), scoop, 0, units * (_multiplier(rules, seats) if scoop else 1))


def _multiplier(rules: RuleSet, seats: int) -> int:
    return seats if rules.scoop.multiplier == "players" else int(rules.scoop.multiplier)


def _scoops(rules: RuleSet, results: Triple) -> bool:
    """Whether these results scoop the other player."""
    if rules.scoop.when == "none-lost":
        return 1 in results and -1 not in results
    return results == ALL_WON


def _foul(rules: RuleSet, seats: int, winner: _Side) -> tuple[float, float]:
    """Return the royalties and the units that a legal player is paid for a foul."""
    replace = rules.royalties.style == "replace"
    royalties = 0.0
    if replace and rules.foul.pays == "scoop":
        royalties = _royalties(rules, ALL_WON, winner, _Side(None, False, None))
    elif rules.foul.royalties and not replace:
        royalties = _largest_or_all(rules, [worth for worth in winner.royalties if worth is not None], winner)
    if rules.foul.pays == "units":
        return royalties, rules.foul.units + royalties
    units = _rows(rules, ALL_WON, winner) + royalties + rules.overall.three_rows
    return royalties, units * _multiplier(rules, seats)


def foul_price(rules: RuleSet, seats: int, royalties: tuple[float | None, ...], split: float, run: bool) -> float:
    """Return what a foul costs against a legal player.

    Parameters
    ----------
    royalties, split
        Of that player's rows, None for none, and for a split hand.
    run
        Whether he has scooped all others, too, so that this makes a home run.
    """
    units = _foul(rules, seats, _Side(None, False, None, (), royalties, split))[1]
    return _run_units(rules, units, 1, rules.foul.pays == "units") if run else units


def _run_units(rules: RuleSet, units: float, sign: int, fixed: bool) -> float:
    """Return what a pair comes to in a home run, multiplied unless its units are fixed."""
    return units * (1 if fixed else rules.home_run.multiplier) + sign * rules.home_run.extra


def _rows(rules: RuleSet, results: Triple, side: _Side) -> float:
    """Return the units of the rows that a side won; with style "replace" a royalty stands in for them elsewhere."""
    replace = rules.royalties.style == "replace"
    row_units = (rules.rows.front, rules.rows.middle, rules.rows.back)
    return sum(
        units
        for result, units, worth in zip(results, row_units, side.royalties, strict=True)
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
    return _largest_or_all(rules, paid, side)


def _largest_or_all(rules: RuleSet, paid: list[float], side: _Side) -> float:
    """Return what payable royalties, with that for a split hand, come to."""
    paid = [*paid, side.split]
    one = rules.royalties.style == "extra" and rules.royalties.per_hand == "one"
    return max(paid) if one else sum(paid)


def _overall(rules: RuleSet, results: Triple, total: float) -> float:
    """Return the overall bonus to the first player; ``total`` is that of rows and royalties."""
    won, lost, bonus = results.count(1), results.count(-1), rules.overall
    if 3 in (won, lost):
        return bonus.three_rows if won == 3 else 0.0 - bonus.three_rows
    match bonus.basis:
        case "rows":
            better = (won == 2) - (lost == 2)
        case "net":
            better = (won > lost) - (won < lost)
        case "total":
            better = (total > 0) - (total < 0)
    return bonus.two_rows * better


def _home_run(rules: RuleSet, seat: int, pairs: dict[tuple[int, int], Pair], sides: Sequence[_Side]) -> None:
    """Multiply and add to what a player wins who scooped every opponent."""
    run = rules.home_run
    own = {key: 1 if pair.a == seat else -1 for key, pair in pairs.items() if seat in key}
    if len(own) < run.min_opponents or (run.multiplier == 1 and not run.extra):
        return
    for key, sign in own.items():
        pair = pairs[key]
        paid_natural = rules.naturals.as_scoop and sides[seat].natural is not None and sign * pair.units > 0
        if pair.scoop != sign and not paid_natural:
            return
    for key, sign in own.items():
        pair = pairs[key]
        fixed = pair.results is None and pair.scoop != 0 and rules.foul.pays == "units"
        units = _run_units(rules, pair.units, sign, fixed)
        pairs[key] = Pair(pair.a, pair.b, pair.results, pair.royalties, pair.scoop, sign, units)
