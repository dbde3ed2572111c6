"""The arrangements of a hand that are worth considering: legal, and not beaten or equalled by another in everything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from solver import kernels
from solver.arrangements import ROWS, Arrangement
from solver.cards import format_cards
from solver.errors import RequestError
from solver.ranks import Category
from solver.tables import SUBSETS_3, SUBSETS_5, Array, Game, subsets

_COLUMNS = "strengths", "classes", "royalties", "front", "back", "beaten"


@dataclass(frozen=True, eq=False)
class Candidates:
    """The arrangements of a hand that no other beats or equals in all rows and royalties.

    Attributes
    ----------
    cards : (13,) int64
        The hand, ascending.
    strengths : (n, 3) uint16
        What front, middle and back are compared by with other players' rows.
    classes : (n, 3) uint16
        Their strengths in the usual order, which royalties go by.
    royalties : (n, 4) float64
        Royalties of the rows, -1 for none, and for a split hand, 0 for none.
    front, back : (n,) uint16
        The subsets of positions that are set there.
    beaten : (n,) bool
        Whether it was only kept by request: another one beats or equals it. Such stand last.
    legal : int
        How many of the 72,072 splits are legal.
    """

    cards: Array
    strengths: Array
    classes: Array
    royalties: Array
    front: Array
    back: Array
    beaten: Array
    legal: int

    def __len__(self) -> int:
        return len(self.strengths)

    def select(self, at: Array) -> "Candidates":
        """Return some of the candidates."""
        arrays = {name: getattr(self, name)[at] for name in _COLUMNS}
        return replace(self, **arrays)

    def find(self, front: int, back: int) -> int:
        """Return the place of an arrangement by its subsets of front and back."""
        masks, threes = subsets().five_mask, subsets().three_mask
        middle = subsets().five_at[((1 << 13) - 1) ^ masks[self.back] ^ threes[self.front]]
        # Where both fives are equal in everything they may be listed the other way round only.
        same = np.flatnonzero((self.front == front) & ((self.back == back) | (middle == back)))
        return int(same[np.argmax(self.back[same] == back)])

    def matches(self, at: int) -> Array:
        """Return the candidates, others than one, that beat or equal it in every row and royalty, ascending."""
        as_good = (self.strengths >= self.strengths[at]).all(1) & (self.royalties >= self.royalties[at]).all(1)
        as_good[at] = False
        return np.flatnonzero(as_good)

    def rows(self, at: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the cards of front, middle and back of a candidate."""
        front = subsets().three[self.front[at]]
        back = subsets().five[self.back[at]]
        middle = np.setdiff1d(np.arange(13), np.concatenate((front, back)))
        first, second, third = (tuple(int(card) for card in self.cards[row]) for row in (front, middle, back))
        return first, second, third


@dataclass(frozen=True, eq=False)
class LegalSplits:
    """The legal arrangements of a hand.

    Attributes
    ----------
    cards : (13,) int64
        The hand, ascending.
    rows : (n, 6) uint16
        What front, middle and back are compared by, and their subsets, strongest front first; those that are equal in
        this are listed once or twice.
    classes : (n, 3) uint16
        Strengths of front, middle and back in the usual order.
    strongest : int
        The strength of the strongest five cards.
    number : int
        How many of the 72,072 splits are legal.
    """

    cards: Array
    rows: Array
    classes: Array
    strongest: int
    number: int


def legal_splits(cards: tuple[int, ...], game: Game) -> LegalSplits:
    """List the legal arrangements of thirteen cards."""
    order, splits = game.order, subsets()
    hand = np.array(sorted(cards), np.int64)
    five, three = np.empty(SUBSETS_5, np.uint16), np.empty(SUBSETS_3, np.uint16)
    kernels.rank_subsets(hand, order.five, order.three, order.flush, order.colex, splits.five_at, five, three)
    compared = np.empty_like(three), np.empty_like(five), np.empty_like(five)
    positions = splits.five, splits.three
    kernels.contest_rows(hand, five, three, positions, game.contest.kernel_arguments(), *compared)
    rows = np.empty((2 * splits.pair_a.size, 6), np.uint16)
    n, number = kernels.legal_rows(
        five, three, order.floor, splits.pair_a, splits.pair_b, *compared, game.contest.low, rows
    )
    rows = rows[:n]
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))[::-1]]
    classes = np.stack((three[rows[:, 3]], five[rows[:, 4]], five[rows[:, 5]]), axis=-1)
    return LegalSplits(hand, rows, classes, int(five.max()), int(number))


def candidates(
    cards: tuple[int, ...],
    game: Game,
    also: Sequence[tuple[int, int]] = (),
    keep: Mapping[str, tuple[int, ...]] | None = None,
) -> Candidates:
    """Return the undominated legal arrangements of thirteen cards, strongest front first.

    Parameters
    ----------
    also
        Subsets of front and back of legal arrangements that are kept whatever beats them.
    keep
        Cards of the hand that must be set in a row, by row; all is compared among such arrangements only.

    Raises
    ------
    RequestError
        If no legal arrangement has these cards there.
    """
    legal = legal_splits(cards, game)
    if keep:
        legal = _keeping(legal, keep, game)
    royalties = royalties_of(legal.classes, np.full(len(legal.rows), legal.strongest, np.uint16), game)
    unbeaten = _kept(legal.rows, legal.classes, royalties[:, 3], game)
    rows, beaten = legal.rows, np.zeros(len(legal.rows), np.bool_)
    for front, back in also:  # where both fives are equal in everything they may be listed the other way round only
        same = np.flatnonzero((rows[:, 3] == front) & ((rows[:, 5] == back) | (rows[:, 4] == back)))
        beaten[same[np.argmax(rows[same, 5] == back)]] = True
    beaten &= ~unbeaten
    found = np.concatenate((np.flatnonzero(unbeaten), np.flatnonzero(beaten)))
    rows = rows[found]
    return Candidates(
        cards=legal.cards,
        strengths=np.ascontiguousarray(rows[:, :3]),
        classes=legal.classes[found],
        royalties=royalties[found],
        front=rows[:, 3],
        back=rows[:, 5],
        beaten=beaten[found],
        legal=legal.number,
    )


def subsets_of(arrangement: Arrangement) -> tuple[int, int]:
    """Return the subsets of positions, in the ascending hand, that an arrangement sets in front and back."""
    order = sorted(arrangement.hand.cards)
    front, back = (sum(1 << order.index(card) for card in row) for row in (arrangement.front, arrangement.back))
    return int(np.flatnonzero(subsets().three_mask == front)[0]), int(np.flatnonzero(subsets().five_mask == back)[0])


def _keeping(legal: LegalSplits, keep: Mapping[str, tuple[int, ...]], game: Game) -> LegalSplits:
    """Return the arrangements that have certain cards in certain rows."""
    masks, order = subsets(), legal.cards.tolist()
    needed = {row: sum(1 << order.index(card) for card in cards) for row, cards in keep.items()}
    front, one, two = (needed.get(row, 0) for row in ROWS)

    def have(middle: int, back: int) -> Array:
        fronts = masks.three_mask[legal.rows[:, 3]] & front == front
        middles, backs = (masks.five_mask[legal.rows[:, at]] for at in (middle, back))
        return np.asarray(fronts & (middles & one == one) & (backs & two == two))

    right = have(4, 5)
    rows = legal.rows.copy()
    if not game.rules.ranking.suits:  # fives that are equal in everything are listed in one order only
        turned = ~right & (legal.classes[:, 1] == legal.classes[:, 2]) & have(5, 4)
        rows[turned, 4:] = rows[turned, :3:-1]
        right |= turned
    if not right.any():
        wanted = ", ".join(f"{format_cards(cards)} in the {row}" for row, cards in keep.items())
        raise RequestError(f"keep: no legal arrangement has {wanted}")
    return replace(legal, rows=rows[right], classes=legal.classes[right])


def royalties_of(classes: Array, strongest: Array, game: Game) -> Array:
    """Return the royalties of arrangements.

    Parameters
    ----------
    classes : (..., 3) uint16
        Strengths of front, middle and back.
    strongest : (...) uint16
        The strength of the strongest five cards of each hand.

    Returns
    -------
    (..., 4) float64
        Of front, middle and back, -1 for none; and what is paid for quads or a straight flush that the hand was dealt
        and does not set, 0 for none.
    """
    out = np.zeros((*classes.shape[:-1], 4))
    out[..., :3] = game.pay.royalties(classes)
    if game.pay.split:
        category = game.order.category
        dealt = category[strongest] >= Category.QUADS
        broken = category[classes[..., 1:]].max(-1) < Category.QUADS
        out[..., 3] = np.where(dealt & broken, np.maximum(game.pay.back[strongest], 0), 0.0)
    return out


def _kept(rows: Array, classes: Array, split: Array, game: Game) -> Array:
    """Return which arrangements stay: of those that are alike the first, and none that another beats or equals.

    Where strength may cost units, only those are left out that are alike in everything.
    """
    pay = game.pay
    worth = np.stack([row[classes[:, k]] for k, row in enumerate(pay.worth())], axis=-1)
    worth = np.column_stack((worth, split))
    keep = np.zeros(len(rows), np.bool_)
    if not pay.rewards_strength():
        everything = np.column_stack((rows[:, :3], worth))
        keep[np.unique(everything, axis=0, return_index=True)[1]] = True
        return keep
    counts = [] if pay.monotone() else [0, 1, 2]
    counts += [3] if split.any() else []
    kernels.undominated(rows, np.ascontiguousarray(worth[:, counts]), keep)
    return keep
