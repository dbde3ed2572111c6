"""Lookup arrays of a ranking convention and of a rule set's units, as plain NumPy.

The kernels read nothing else. A multiset of ranks r_0 <= r_1 <= ... is addressed by the combinatorial number system
(colex order): the index is the sum of C(r_k + k, k + 1) over k, an additive minimal perfect hash with 6,188 places for
five ranks and exactly 455 for three (Knuth, The Art of Computer Programming 4A, section 7.2.1.3).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.cards import RANKS
from solver.ranks import THREE_CLASSES, Category, Key, five_key, five_order, straight_top, three_key, three_order
from solver.rules import RuleSet

Array = NDArray[Any]

SUBSETS_5 = comb(13, 5)
SUBSETS_3 = comb(13, 3)
SPLITS_OF_BACK = comb(8, 5)
PAIRS_OF_FRONT = comb(10, 5) // 2


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
    """

    five: Array
    three: Array
    flush: Array
    floor: Array
    colex: Array
    category: Array


def colex_index(ranks: Iterable[int]) -> int:
    """Return the colex index of ranks in ascending order."""
    return sum(comb(rank + k, k + 1) for k, rank in enumerate(ranks))


@cache
def ranking(wheel: str) -> Ranking:
    """Build the lookup arrays of a ranking convention."""
    strength = {key: index for index, key in enumerate(five_order(wheel))}
    five = np.zeros(comb(17, 5), np.uint16)
    flush = np.zeros(1 << 13, np.uint16)
    for ranks in combinations_with_replacement(range(13), 5):
        if ranks[0] != ranks[4]:
            five[colex_index(ranks)] = strength[five_key(ranks, False, wheel)]
        if len(set(ranks)) == 5:
            flush[sum(1 << rank for rank in ranks)] = strength[five_key(ranks, True, wheel)]
    fronts = {key: index for index, key in enumerate(three_order())}
    three = np.empty(THREE_CLASSES, np.uint16)
    for trio in combinations_with_replacement(range(13), 3):
        three[colex_index(trio)] = fronts[three_key(trio)]
    floor = np.array([_floor(key, five_order(wheel)) for key in three_order()], np.uint16)
    colex = np.array([[comb(r + k, k + 1) for r in range(13)] for k in range(5)], np.uint16)
    category = np.array([key[0] for key in five_order(wheel)], np.uint8)
    return Ranking(five, three, flush, floor, colex, category)


def _floor(front: Key, order: tuple[Key, ...]) -> int:
    """Return the least strength of five cards that a front of three does not beat (binary search on the order)."""
    low, high = 0, len(order)
    while low < high:
        at = (low + high) // 2
        category, ranks = order[at]
        if (category, ranks[: len(front[1])]) < front:
            low = at + 1
        else:
            high = at
    return low


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
    middle_of_back = five_at[everything ^ five_mask[:, None] ^ three_mask[front_of_back]]
    fives = np.nonzero(disjoint.T)[1].reshape(SUBSETS_3, 2 * PAIRS_OF_FRONT).astype(np.uint16)
    other = five_at[everything ^ three_mask[:, None] ^ five_mask[fives]]
    once = fives < other
    pair_a = np.ascontiguousarray(fives[once].reshape(SUBSETS_3, PAIRS_OF_FRONT))
    pair_b = np.ascontiguousarray(other[once].reshape(SUBSETS_3, PAIRS_OF_FRONT))
    return Subsets(five, three, five_mask, three_mask, five_at, front_of_back, middle_of_back, pair_a, pair_b)


@dataclass(frozen=True)
class PairTables:
    """A rule set's units between two players, as the kernels read them.

    Attributes
    ----------
    row_units : (3,) float64
        Units of a won row, without royalties.
    overall : (27,) float64
        Units on top of the rows by ``9 * (front + 1) + 3 * (middle + 1) + (back + 1)``, seen from the first player.
    multiplier : (27,) float64
        What the pair's total is multiplied with, by the same index.
    front, middle, back : float64
        Units of a royalty by strength; -1 where the row holds none.
    mode : int
        How royalties are paid: 0 none, 1 with the row won (replace too), 2 to both, 3 the general case.
    replace, cancel, one : bool
        ``style = "replace"``, ``paid = "cancel"`` and ``per_hand = "one"``.
    """

    row_units: Array
    overall: Array
    multiplier: Array
    front: Array
    middle: Array
    back: Array
    mode: int
    replace: bool
    cancel: bool
    one: bool

    def worth(self) -> tuple[Array, Array, Array]:
        """Return what a row's royalty is worth by strength: none is 0, or with "replace" the row's units."""
        front, middle, back = (
            np.where(row < 0, units if self.replace else 0.0, row)
            for row, units in zip((self.front, self.middle, self.back), self.row_units, strict=True)
        )
        return front, middle, back

    def monotone(self) -> bool:
        """Whether a stronger row never earns a lower royalty, so that strength alone decides what dominates."""
        return all(bool((np.diff(row) >= 0).all()) for row in self.worth())

    def base(self) -> Array:
        """Return a pair's units by row results, in the order of ``overall``, where no royalties are played."""
        index = np.arange(27)
        results = np.stack((index // 9 - 1, index // 3 % 3 - 1, index % 3 - 1))
        return np.asarray((self.row_units @ results + self.overall) * self.multiplier)

    def kernel_arguments(self) -> tuple[Array, Array, Array, int, bool, bool, bool]:
        """Return the units as :func:`solver.kernels.pair_outcome` takes them."""
        return self.row_units, self.overall, self.multiplier, self.mode, self.replace, self.cancel, self.one


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


def pair_tables(rules: RuleSet) -> PairTables:
    """Lower a rule set to the arrays of units that the kernels read."""
    wheel, royalties = rules.ranking.wheel, rules.royalties
    units = np.array([rules.rows.front, rules.rows.middle, rules.rows.back], np.float64)
    overall, multiplier = np.zeros(27), np.ones(27)
    for index in range(27):
        results = (index // 9 - 1, index // 3 % 3 - 1, index % 3 - 1)
        won, lost = results.count(1), results.count(-1)
        for sign, rows in ((1, won), (-1, lost)):
            overall[index] += sign * (
                rules.overall.three_rows if rows == 3 else rules.overall.two_rows if rows == 2 else 0
            )
        if 3 in (won, lost):
            multiplier[index] = float(rules.scoop.multiplier)
    fives = five_order(wheel)
    front, middle, back = (
        np.array([royalty_units(row, key) for key in keys]) if row else np.full(len(keys), -1.0)
        for row, keys in ((royalties.front, three_order()), (royalties.middle, fives), (royalties.back, fives))
    )
    replace, cancel, one = royalties.style == "replace", royalties.paid == "cancel", royalties.per_hand == "one"
    if max(front.max(), middle.max(), back.max()) < 0:
        mode = 0
    elif replace:
        mode = 1
    elif royalties.paid == "both":
        mode = 2
    else:
        mode = 3 if cancel or one else 1
    return PairTables(units, overall, multiplier, front, middle, back, mode, replace, cancel, one)
