"""Lookup arrays of a ranking convention and of a rule set's units, as plain NumPy.

The kernels read nothing else; :func:`lower` makes all that they need of a rule set. A multiset of ranks r_0 <= r_1 <=
... is addressed by the combinatorial number system (colex order): the index is the sum of C(r_k + k, k + 1) over k, an
additive minimal perfect hash with 6,188 places for five ranks and exactly 455 for three (Knuth, The Art of Computer
Programming 4A, section 7.2.1.3).
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, groupby
from math import comb
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.cards import RANKS, SUITS
from solver.ranks import (
    FIVE_CLASSES,
    THREE_CLASSES,
    Category,
    Key,
    five_order,
    lead_rank,
    low_order,
    shape_of,
    straight_top,
    three_order,
)
from solver.rules import Natural, RuleSet

Array = NDArray[Any]

SUBSETS_5 = comb(13, 5)
SUBSETS_3 = comb(13, 3)
SPLITS_OF_BACK = comb(8, 5)
PAIRS_OF_FRONT = comb(10, 5) // 2
LOW = "deuce-to-seven"
STEPS_OF_ORDER = 4
"""What rows are compared by is four times their order, and the place of a suit."""


@dataclass(frozen=True)
class Ranking:
    """Everything the kernels need to rank the subsets of a hand.

    Attributes
    ----------
    five : (6188,) uint16
        Strength of five unsuited ranks by colex index.
    three : (455,) uint16
        Strength of three ranks by colex index.
    flush : (8192,) uint16
        Strength of five suited cards by the mask of their ranks.
    floor : (455,) uint16
        The least strength of a middle that is not weaker than a front of this strength.
    colex : (5, 13) uint16
        ``colex[k, r] = C(r + k, k + 1)``.
    category : (7462,) uint8
        The hand category of a strength of five cards.
    weakest : (7462,) uint16
        The least strength of its category.
    """

    five: Array
    three: Array
    flush: Array
    floor: Array
    colex: Array
    category: Array
    weakest: Array


def _ranks_of(keys: tuple[Key, ...], cards: int) -> Array:
    """Return the ranks of hands of so many cards by their keys in order, ascending, shape (keys, cards)."""
    parts = []
    for category, group in groupby(keys, itemgetter(0)):
        orders = np.array([order for _, order in group])
        if category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
            tops = [straight_top((category, (order,))) for order in orders[:, 0].tolist()]
            ranks = np.array([(0, 1, 2, 3, 12) if top == 3 else range(top - 4, top + 1) for top in tops])
        else:
            ranks = np.repeat(orders, shape_of(category, cards), axis=1)
        parts.append(ranks)
    return np.sort(np.concatenate(parts), axis=1)


@cache
def ranking(wheel: str) -> Ranking:
    """Build the lookup arrays of a ranking convention."""
    fives, threes = five_order(wheel), three_order()
    colex = np.array([[comb(r + k, k + 1) for r in range(13)] for k in range(5)], np.uint16)
    category = np.array([key[0] for key in fives], np.uint8)
    ranks, strength = _ranks_of(fives, 5), np.arange(FIVE_CLASSES)
    suited = (category == Category.FLUSH) | (category == Category.STRAIGHT_FLUSH)
    five, flush, three = np.zeros(comb(17, 5), np.uint16), np.zeros(1 << 13, np.uint16), np.empty(455, np.uint16)
    five[colex[np.arange(5), ranks[~suited]].sum(1)] = strength[~suited]
    flush[(1 << ranks[suited]).sum(1)] = strength[suited]
    three[colex[np.arange(3), _ranks_of(threes, 3)].sum(1)] = np.arange(THREE_CLASSES)
    # Fives of the front's category have all its ranks in their keys, so keys compare as the rows do.
    floor = np.array([bisect_left(fives, front) for front in threes], np.uint16)
    weakest = np.searchsorted(category, category).astype(np.uint16)
    return Ranking(five, three, flush, floor, colex, category, weakest)


@dataclass(frozen=True)
class Subsets:
    """The subsets of thirteen positions, in lexicographic order, and how they fit together.

    Attributes
    ----------
    five : (1287, 5) uint8
        Positions of each five-card subset, ascending.
    three : (286, 3) uint8
        Positions of each three-card subset, ascending.
    five_mask, three_mask : uint16
        The same as masks of 13 bits.
    five_at : (8192,) uint16
        A five-card subset's number by its mask.
    front_of_back : (1287, 56) uint16
        The fronts that the other eight cards allow when a five-card subset is the back.
    top_fronts : (1287, 11) uint16
        Those among them that one is the strongest of, whatever the hand: three neighbours, or two and the highest card,
        as positions ascend with rank.
    middle_of_back : (1287, 56) uint16
        The middle that each of those fronts leaves.
    pair_a, pair_b : (286, 126) uint16
        The 126 ways to split the ten cards that a front leaves into two fives, each way once.
    """

    five: Array
    three: Array
    five_mask: Array
    three_mask: Array
    five_at: Array
    front_of_back: Array
    top_fronts: Array
    middle_of_back: Array
    pair_a: Array
    pair_b: Array


@cache
def subsets() -> Subsets:
    """Build the subset tables of thirteen positions."""
    five = np.array(list(combinations(range(13), 5)), np.uint8)
    three = np.array(list(combinations(range(13), 3)), np.uint8)
    five_mask = (1 << five.astype(np.uint16)).sum(1, dtype=np.uint16)
    three_mask = (1 << three.astype(np.uint16)).sum(1, dtype=np.uint16)
    five_at = np.zeros(1 << 13, np.uint16)
    five_at[five_mask] = np.arange(SUBSETS_5)
    everything = np.uint16((1 << 13) - 1)
    disjoint = (five_mask[:, None] & three_mask[None, :]) == 0
    front_of_back = np.nonzero(disjoint)[1].reshape(SUBSETS_5, SPLITS_OF_BACK).astype(np.uint16)
    places = list(combinations(range(8), 3))
    tops = {(k, k + 1, k + 2) for k in range(6)} | {(k, k + 1, 7) for k in range(6)}
    top_fronts = np.ascontiguousarray(front_of_back[:, [places.index(top) for top in sorted(tops)]])
    middle_of_back = five_at[everything ^ five_mask[:, None] ^ three_mask[front_of_back]]
    fives = np.nonzero(disjoint.T)[1].reshape(SUBSETS_3, 2 * PAIRS_OF_FRONT).astype(np.uint16)
    other = five_at[everything ^ three_mask[:, None] ^ five_mask[fives]]
    once = fives < other
    pair_a = np.ascontiguousarray(fives[once].reshape(SUBSETS_3, PAIRS_OF_FRONT))
    pair_b = np.ascontiguousarray(other[once].reshape(SUBSETS_3, PAIRS_OF_FRONT))
    splits = front_of_back, top_fronts, middle_of_back
    return Subsets(five, three, five_mask, three_mask, five_at, *splits, pair_a, pair_b)


@dataclass(frozen=True)
class Contest:
    """How a row compares with the same row of another player, and which order makes an arrangement legal.

    A row is worth ``4 * order[strength]`` and the place of its suit, 0 where suits break no ties.

    Attributes
    ----------
    front, middle, back : (455,), (7462,), (7462,) uint16
        Order of a row by strength: the strength itself, but the deuce-to-seven strength of a middle played so.
    front_lead, middle_lead, back_lead : uint8
        The most important rank of a strength, whose highest suit breaks ties.
    suits : (4,) uint16
        Place of each suit; all 0 where suits break no ties.
    low : bool
        A deuce-to-seven middle: the lower suit is the better one there, and only the back must reach the front.
    """

    front: Array
    middle: Array
    back: Array
    front_lead: Array
    middle_lead: Array
    back_lead: Array
    suits: Array
    low: bool

    def kernel_arguments(self) -> tuple[Any, ...]:
        """Return the arrays as :func:`solver.kernels.contest_rows` takes them."""
        rows = (self.front, self.middle, self.back)
        suited = bool(self.suits.any())
        return (*rows, self.front_lead, self.middle_lead, self.back_lead, self.suits, suited, self.low)


def contest(rules: RuleSet) -> Contest:
    """Return how rows compare between players under a rule set."""
    wheel, low = rules.ranking.wheel, rules.ranking.middle == LOW
    fives = five_order(wheel)
    category = ranking(wheel).category
    straights = np.flatnonzero((category == Category.STRAIGHT) | (category == Category.STRAIGHT_FLUSH)).tolist()
    lead = np.array([key[1][0] for key in fives], np.uint8)
    lead[straights] = [lead_rank(fives[at], wheel) for at in straights]
    middle_lead = lead.copy()
    if low:  # aces are high there, so the wheel's suit is its ace's
        middle_lead[[at for at in straights if straight_top(fives[at]) == 3]] = 12
    order = np.arange(FIVE_CLASSES, dtype=np.uint16)
    places = [rules.ranking.suits.index(suit) if rules.ranking.suits else 0 for suit in SUITS]
    return Contest(
        front=np.arange(THREE_CLASSES, dtype=np.uint16),
        middle=np.array(low_order(wheel), np.uint16) if low else order,
        back=order,
        front_lead=np.array([lead_rank(key, wheel) for key in three_order()], np.uint8),
        middle_lead=middle_lead,
        back_lead=lead,
        suits=np.array(places, np.uint16),
        low=low,
    )


@dataclass(frozen=True)
class PairTables:
    """A rule set's units between two players at a table, as the kernels read them.

    The 27 entries are by row results, ``9 * (front + 1) + 3 * (middle + 1) + (back + 1)`` seen from the first player.

    Attributes
    ----------
    row_units : (3,) float64
        Units of a won row, without royalties.
    overall : (27,) float64
        Units on top of the rows.
    multiplier : (27,) float64
        What the pair's total is multiplied with.
    scoops : (27,) int8
        1 where the first player scoops the second, -1 where he is scooped, else 0.
    front, middle, back : float64
        Units of a royalty by strength; -1 where the row holds none.
    by_total : float
        Units for the higher total where no one wins all rows (``overall.basis = "total"``), else 0.
    replace, both, cancel, one, split : bool
        ``style = "replace"``, ``paid = "both"`` and ``"cancel"``, ``per_hand = "one"``, and ``split``.
    home_run : bool
        Whether scooping every opponent pays anything at this table.
    home_multiplier, home_extra : float
        What it multiplies each pair's total by and adds to it.
    """

    row_units: Array
    overall: Array
    multiplier: Array
    scoops: Array
    front: Array
    middle: Array
    back: Array
    by_total: float
    replace: bool
    both: bool
    cancel: bool
    one: bool
    split: bool
    home_run: bool
    home_multiplier: float
    home_extra: float

    def royalties(self, classes: Array) -> Array:
        """Return the royalties of front, middle and back by strength, shape (..., 3) in and out, -1 for none."""
        rows = (self.front, self.middle, self.back)
        return np.stack([row[classes[..., k]] for k, row in enumerate(rows)], axis=-1)

    def worth(self) -> list[Array]:
        """Return by row and strength what a row is worth beside its strength; more is never worse.

        It is the royalty, with "replace" what the row pays, and with "cancel" a royalty of nothing is more than none.
        """
        rows = []
        for row, units in zip((self.front, self.middle, self.back), self.row_units, strict=True):
            rows.append(np.where(row >= 0, row, units) if self.replace else row if self.cancel else np.maximum(row, 0))
        return rows

    def monotone(self) -> bool:
        """Whether a stronger row never has a lower worth, so that strength alone decides what dominates."""
        return all(bool((np.diff(row) >= 0).all()) for row in self.worth())

    def rewards_strength(self) -> bool:
        """Whether a stronger row, or a higher royalty, never costs units.

        It may where winning a third row forfeits a higher bonus for two, or where a scoop multiplies a total that the
        loser's royalties make negative. A weaker arrangement cannot be left out then.
        """
        least = np.array([row.min() for row in self.worth()]) if self.replace else self.row_units
        cube = self.base(np.minimum(least, self.row_units)).reshape(3, 3, 3)
        if any((np.diff(cube, axis=axis) < 0).any() for axis in range(3)):
            return False
        multiplied = self.multiplier.max() > 1 or (self.home_run and self.home_multiplier > 1)
        return not multiplied or not (self.split or (self.both and not self.monotone()))

    def base(self, row_units: Array | None = None) -> Array:
        """Return a pair's units by row results where no royalties are played."""
        index = np.arange(27)
        results = np.stack((index // 9 - 1, index // 3 % 3 - 1, index % 3 - 1))
        total = (self.row_units if row_units is None else row_units) @ results
        if self.by_total:
            total = total + np.where(abs(results.sum(0)) == 3, 0, self.by_total * np.sign(total))
        return np.asarray((total + self.overall) * self.multiplier)

    def kernel_arguments(self) -> tuple[Any, ...]:
        """Return the units as :func:`solver.pair_kernels.pair_outcome` takes them."""
        arrays = (self.row_units, self.overall, self.multiplier, self.scoops)
        options = (self.by_total, self.replace, self.both, self.cancel, self.one)
        return (*arrays, *options, self.home_multiplier, self.home_extra)


def royalty_units(row: dict[str, float], key: Key) -> float:
    """Return the royalty of a hand, -1 for none; the most special key of the row counts."""
    category, order = Category(key[0]), key[1]
    top = order[0]
    name = category.name.lower().replace("_", "-")
    names = []
    if category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
        top = straight_top(key)
        if category is Category.STRAIGHT_FLUSH:
            names += ["royal-flush"] * (top == 12) + ["steel-wheel"] * (top == 3)
    names = [f"{name}:{RANKS[top]}", *names, name]
    return next((float(row[name]) for name in names if name in row), -1.0)


def pair_tables(rules: RuleSet, players: int = 2) -> PairTables:
    """Lower a rule set to the arrays of units that the kernels read, for a table of so many players."""
    royalties, overall, scoop, run = rules.royalties, rules.overall, rules.scoop, rules.home_run
    bonus, multiplier, scoops = np.zeros(27), np.ones(27), np.zeros(27, np.int8)
    for index in range(27):
        results = (index // 9 - 1, index // 3 % 3 - 1, index % 3 - 1)
        won, lost = results.count(1), results.count(-1)
        if 3 in (won, lost):
            bonus[index] = overall.three_rows if won else -overall.three_rows
        elif overall.basis == "rows":
            bonus[index] = overall.two_rows * ((won == 2) - (lost == 2))
        elif overall.basis == "net":
            bonus[index] = overall.two_rows * ((won > lost) - (won < lost))
        if 3 in (won, lost) or (scoop.when == "none-lost" and 0 in (won, lost) and won != lost):
            scoops[index] = 1 if won else -1
            multiplier[index] = players if scoop.multiplier == "players" else int(scoop.multiplier)
    fives = five_order(rules.ranking.wheel)
    middle = {} if rules.ranking.middle == LOW else royalties.middle
    front_units, middle_units, back_units = (
        np.array([royalty_units(row, key) for key in keys]) if row else np.full(len(keys), -1.0)
        for row, keys in ((royalties.front, three_order()), (middle, fives), (royalties.back, fives))
    )
    replace, one = royalties.style == "replace", royalties.per_hand == "one" and royalties.style == "extra"
    by_total = overall.two_rows if overall.basis == "total" else 0.0
    both, cancel = royalties.paid == "both", royalties.paid == "cancel"
    return PairTables(
        row_units=np.array([rules.rows.front, rules.rows.middle, rules.rows.back], np.float64),
        overall=bonus,
        multiplier=multiplier,
        scoops=scoops,
        front=front_units,
        middle=middle_units,
        back=back_units,
        by_total=by_total,
        replace=replace,
        both=both,
        cancel=cancel,
        one=one,
        split=royalties.split and not replace,
        home_run=players - 1 >= run.min_opponents and (run.multiplier != 1 or run.extra != 0),
        home_multiplier=float(run.multiplier),
        home_extra=run.extra,
    )


NATURAL_FACTS = (
    *("three-flushes", "three-straights", "three-straight-flushes", "six-pairs", "five-pairs-trips"),
    *("five-pairs-trips with quads", "four-trips", "three-quads", "dragon", "suited-dragon", "all-low", "all-high"),
    *("twelve-colour", "thirteen-colour", "twelve-royals", "thirteen-royals"),
)
"""What :func:`solver.kernels.natural_facts` finds, in the order of its bits."""


@dataclass(frozen=True)
class NaturalTables:
    """The naturals that a rule set plays, as the kernels read them.

    Attributes
    ----------
    facts : (n,) uint32
        The bit of :data:`NATURAL_FACTS` that each entry of the list asks for, weakest first.
    run_shapes : (m,) uint64
        Ascending; the ranks of hands that split into runs of 3, 5 and 5, three bits a rank.
    """

    facts: Array
    run_shapes: Array

    def kernel_arguments(self) -> tuple[Array, Array]:
        """Return the arrays as :func:`solver.kernels.natural_place` takes them."""
        return self.facts, self.run_shapes


def _fact(natural: Natural) -> str:
    if natural.kind == "five-pairs-trips" and natural.quads:
        return "five-pairs-trips with quads"
    if natural.kind == "twelve-royals" and natural.count == 13:
        return "thirteen-royals"
    return natural.kind


def natural_tables(rules: RuleSet) -> NaturalTables:
    """Return the naturals that a rule set plays, as the kernels read them."""
    played = rules.naturals.kinds if rules.naturals.enabled else ()
    facts = np.array([1 << NATURAL_FACTS.index(_fact(natural)) for natural in played], np.uint32)
    return NaturalTables(facts, _run_shapes())


@cache
def _run_shapes() -> Array:
    three, five = (
        np.array(
            [sum(1 << 3 * rank for rank in (12, *range(n - 1)))]
            + [sum(1 << 3 * (low + k) for k in range(n)) for low in range(14 - n)],
            np.uint64,
        )
        for n in (3, 5)
    )
    return np.unique(five[:, None, None] + five[:, None] + three)


@dataclass(frozen=True)
class Game:
    """A rule set at a table of so many players, as the kernels read it."""

    rules: RuleSet
    players: int
    order: Ranking
    contest: Contest
    pay: PairTables
    naturals: NaturalTables

    @property
    def sides(self) -> tuple[bool | None, ...]:
        """The sides that a pair has: whether one banks, or None alone where both sides are alike."""
        table = self.rules.table
        return (False, True) if table.banker and (table.banker_wins_ties or self.pay.home_run) else (None,)

    @cached_property
    def split_royalty(self) -> tuple[Array, int]:
        """Units of the royalty for a split hand, shape (7462,) float64, and from which back on it is not paid.

        They are by the strength of the hand's strongest five cards; no numbers where the rules have none.
        """
        least = int(np.searchsorted(self.order.category, Category.QUADS))
        if not self.pay.split:
            return np.empty(0), least
        return np.where(np.arange(FIVE_CLASSES) < least, 0, np.maximum(self.pay.back, 0)), least

    @property
    def key(self) -> str:
        """Identify what matters for play: the rules' fingerprint, and the seats where units depend on them."""
        seats = self.pay.home_run or self.rules.scoop.multiplier == "players"
        return self.rules.fingerprint() + (f"-{self.players}" if seats else "")


def lower(rules: RuleSet, players: int = 2) -> Game:
    """Make the lookup arrays of a rule set for a table of so many players."""
    order = ranking(rules.ranking.wheel)
    return Game(rules, players, order, contest(rules), pair_tables(rules, players), natural_tables(rules))
