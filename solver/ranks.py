"""Hand categories, the order of all hands of five and three cards, and their names in words.

A *strength* is a small integer, bigger is stronger: 0 to 7461 for five cards, 0 to 454 for three. Within one ranking
convention equal strength means a tie. The three-card order knows no straights and no flushes. This is the plain Python
truth: the lookup tables in :mod:`solver.tables` are built from it, and kernels read those.

Counts of classes (7,462 and 455) are those of the usual poker ranking: 1277 high cards and as many flushes, 2860
pairs, 858 two pairs and as many trips, 10 straights and straight flushes, 156 full houses and as many quads.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache
from itertools import combinations

from solver.cards import RANK_WORDS


class Category(IntEnum):
    """The nine categories, weakest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    TRIPS = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    QUADS = 7
    STRAIGHT_FLUSH = 8


FIVE_CLASSES = 7462
THREE_CLASSES = 455

Key = tuple[int, tuple[int, ...]]
"""A category and the ranks (0 to 12) in the order of their importance; keys compare as hands do."""

_WHEEL = (12, 3, 2, 1, 0)
_WHEEL_SECOND = 2 * 12 - 1  # a straight's key is twice its top rank, which leaves room for the wheel under the ace-high


def _by_importance(ranks: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how often the distinct ranks stand (most first), and those ranks in the same order, high before low."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    return tuple(count for count, _ in groups), tuple(rank for _, rank in groups)


_SHAPES = {
    (1, 1, 1, 1, 1): Category.HIGH_CARD,
    (2, 1, 1, 1): Category.PAIR,
    (2, 2, 1): Category.TWO_PAIR,
    (3, 1, 1): Category.TRIPS,
    (3, 2): Category.FULL_HOUSE,
    (4, 1): Category.QUADS,
    (1, 1, 1): Category.HIGH_CARD,
    (2, 1): Category.PAIR,
    (3,): Category.TRIPS,
}


def three_key(ranks: Sequence[int]) -> Key:
    """Return the key of a front of three ranks."""
    shape, order = _by_importance(ranks)
    return _SHAPES[shape], order


def five_key(ranks: Sequence[int], flush: bool, wheel: str) -> Key:
    """Return the key of five ranks.

    Parameters
    ----------
    ranks
        Five ranks, 0 to 12.
    flush
        Whether the five cards are of one suit.
    wheel
        Where A-2-3-4-5 ranks among straights: ``"lowest"`` or ``"second"``, just under A-K-Q-J-T.

    Examples
    --------
    >>> five_key([12, 0, 1, 2, 3], False, "lowest") < five_key([0, 1, 2, 3, 4], False, "lowest")
    True
    >>> five_key([12, 0, 1, 2, 3], False, "second") > five_key([7, 8, 9, 10, 11], False, "second")
    True
    """
    shape, order = _by_importance(ranks)
    category = _SHAPES[shape]
    if category is Category.HIGH_CARD:
        if order == _WHEEL:
            straight = Category.STRAIGHT_FLUSH if flush else Category.STRAIGHT
            return straight, (2 * 3 if wheel == "lowest" else _WHEEL_SECOND,)
        if order[0] - order[4] == 4:
            return (Category.STRAIGHT_FLUSH if flush else Category.STRAIGHT), (2 * order[0],)
        if flush:
            return Category.FLUSH, order
    return category, order


def _by_shape(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the distinct ranks that a shape can have, by importance: those that stand equally often high before low."""
    high_first, first = range(12, -1, -1), shape.count(shape[0])
    for most in combinations(high_first, first):
        for rest in combinations([rank for rank in high_first if rank not in most], len(shape) - first):
            yield most + rest


@cache
def three_order() -> tuple[Key, ...]:
    """Return the keys of all 455 fronts; the index of a key is its strength."""
    shapes = [(shape, category) for shape, category in _SHAPES.items() if sum(shape) == 3]
    return tuple(sorted((category, order) for shape, category in shapes for order in _by_shape(shape)))


@cache
def five_order(wheel: str) -> tuple[Key, ...]:
    """Return the keys of all 7,462 classes of five cards; the index of a key is its strength.

    They are those of :func:`five_key`, listed by shape, which takes a tenth of the time: every command waits for it.
    """
    keys: list[Key] = []
    for shape, category in _SHAPES.items():
        if sum(shape) != 5:
            continue
        orders = list(_by_shape(shape))
        if category is Category.HIGH_CARD:
            runs = [order for order in orders if order == _WHEEL or order[0] - order[4] == 4]
            keys += [five_key(order, flush, wheel) for order in runs for flush in (False, True)]
            orders = [order for order in orders if order not in runs]
            keys += [(Category.FLUSH, order) for order in orders]
        keys += [(category, order) for order in orders]
    return tuple(sorted(keys))


def low_key(ranks: Sequence[int], flush: bool) -> Key:
    """Return the key of five ranks in a deuce-to-seven middle, where the weakest hand wins: keys compare as rows do.

    Aces are high, so A-5-4-3-2 is no straight; straights and flushes count against.

    Examples
    --------
    >>> best = low_key([5, 3, 2, 1, 0], False)
    >>> best > low_key([6, 3, 2, 1, 0], False) > low_key([12, 3, 2, 1, 0], False) > low_key([4, 3, 2, 1, 0], False)
    True
    """
    category, order = five_key(ranks, flush, "second")
    if order == (_WHEEL_SECOND,):
        category, order = (Category.FLUSH if flush else Category.HIGH_CARD), _WHEEL
    return -category, tuple(-rank for rank in order)


@cache
def low_order(wheel: str) -> tuple[int, ...]:
    """Return the deuce-to-seven strength, 0 to 7461 and bigger is better, of every strength in the usual order."""
    keys = []
    for category, order in five_order(wheel):
        straight = category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH)
        top = straight_top((category, order)) if straight else 0
        ranks = [12, 0, 1, 2, 3] if top == 3 else [*range(top - 4, top + 1)] if straight else _spread(category, order)
        keys.append(low_key(ranks, category in (Category.FLUSH, Category.STRAIGHT_FLUSH)))
    place = {key: at for at, key in enumerate(sorted(keys))}
    return tuple(place[key] for key in keys)


def shape_of(category: int, cards: int) -> tuple[int, ...]:
    """Return how often the ranks of a key stand in a hand of a category, but of straights, whose keys have only one."""
    shapes = (shape for shape, found in _SHAPES.items() if found == category and sum(shape) == cards)
    return next(shapes, (1,) * cards)


def _spread(category: int, order: tuple[int, ...]) -> list[int]:
    """Return the five ranks of a key that is no straight."""
    return [rank for count, rank in zip(shape_of(category, 5), order, strict=True) for _ in range(count)]


def lead_rank(key: Key, wheel: str) -> int:
    """Return the most important rank of a hand, by which suits break ties.

    It is that of the quads, the trips, the higher pair or the top card; of a wheel the five where it ranks lowest and
    the ace where it ranks second.
    """
    if key[0] not in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
        return key[1][0]
    return 12 if key[1][0] == _WHEEL_SECOND and wheel == "second" else straight_top(key)


def straight_top(key: Key) -> int:
    """Return the rank of a straight's top card from its key: the five's for a wheel."""
    return 3 if key[1][0] % 2 else key[1][0] // 2


def plural(rank: int) -> str:
    """Return the plural of a rank's name, as in ``sixes``."""
    return RANK_WORDS[rank] + ("es" if RANK_WORDS[rank] == "six" else "s")


def describe(key: Key, wheel: str = "lowest") -> str:
    """Return a hand's name in words.

    Examples
    --------
    >>> describe(three_key([10, 10, 11]))
    'pair of queens, king'
    >>> describe(five_key([12, 0, 1, 2, 3], True, "second"), "second")
    'five-high straight flush'
    """
    category, order = Category(key[0]), key[1]
    if category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
        top = straight_top(key)
        if category is Category.STRAIGHT_FLUSH and top == 12:
            return "royal flush"
        return f"{RANK_WORDS[top]}-high {'straight flush' if category is Category.STRAIGHT_FLUSH else 'straight'}"
    names = [RANK_WORDS[rank] for rank in order]
    match category:
        case Category.HIGH_CARD:
            return f"{names[0]} high, {', '.join(names[1:])}"
        case Category.PAIR:
            return f"pair of {plural(order[0])}, {', '.join(names[1:])}"
        case Category.TWO_PAIR:
            return f"{plural(order[0])} and {plural(order[1])}, {names[2]}"
        case Category.TRIPS:
            return ", ".join([f"three {plural(order[0])}", *names[1:]])
        case Category.FLUSH:
            return f"{names[0]}-high flush, {', '.join(names[1:])}"
        case Category.FULL_HOUSE:
            return f"{plural(order[0])} full of {plural(order[1])}"
        case _:
            return f"four {plural(order[0])}, {names[1]}"
