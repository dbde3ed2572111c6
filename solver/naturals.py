"""Naturals: which hands win at once, and how two of them compare.

Plain Python, for the hand that is asked about and for settling a round; :mod:`solver.kernels` finds those of dealt
hands. Suits and rows are free: a natural needs no legal arrangement, only a partition into rows of 3, 5 and 5 where
its kind says so.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any

from solver.arrangements import highest_suit, row_key
from solver.ranks import lead_rank
from solver.rules import Natural, RuleSet

FLUSH_SHAPES = frozenset({(13,), (10, 3), (8, 5), (5, 5, 3)})
"""Cards by suit, most first, of the hands that can be split into suited rows of 3, 5 and 5."""

RED = (1, 2)


@dataclass(frozen=True)
class HeldNatural:
    """A natural that a hand holds.

    Attributes
    ----------
    place : int
        In the rule set's list, which ranks the kinds.
    kind : str
    units : float
    tiebreak : tuple
        Compares with that of another of the same place; the greater wins, and equal ones pay nothing.
    """

    place: int
    kind: str
    units: float
    tiebreak: tuple[Any, ...]


def natural_of(cards: Sequence[int], rules: RuleSet) -> HeldNatural | None:
    """Return the highest natural of thirteen cards by the list's order, or None.

    Examples
    --------
    >>> from solver.cards import parse_cards
    >>> from solver.rules import load_rules
    >>> natural_of(parse_cards("2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"), load_rules("2-4")) is None
    True
    >>> natural_of([5 * rank % 4 + 4 * rank for rank in range(13)], load_rules("2-4")).kind
    'dragon'
    """
    if not rules.naturals.enabled:
        return None
    for place in range(len(rules.naturals.kinds) - 1, -1, -1):
        natural = rules.naturals.kinds[place]
        if holds(cards, natural):
            return HeldNatural(place, natural.kind, natural.units, tiebreak(cards, natural.kind, rules))
    return None


def natural_units(first: HeldNatural | None, second: HeldNatural | None, rules: RuleSet) -> float:
    """Return what the holder of the first natural receives from the holder of the second; None holds none."""
    if first is None or second is None:
        return (first.units if first else 0.0) - (second.units if second else 0.0)
    match rules.naturals.paid:
        case "none":
            return 0.0
        case "difference":
            return first.units - second.units
        case "higher-value":
            better = (first.units > second.units) - (first.units < second.units)
        case _:
            mine, theirs = (first.place, first.tiebreak), (second.place, second.tiebreak)
            better = (mine > theirs) - (mine < theirs)
    return (0.0, first.units, -second.units)[better]


def share_that_pays(place: int, shares: Sequence[float], rules: RuleSet) -> float:
    """Return how many hands pay the natural at a place of the list, given the shares that declare each; ties do not."""
    held = [HeldNatural(at, one.kind, one.units, ()) for at, one in enumerate(rules.naturals.kinds)]
    return 1 - sum(
        share for share, other in zip(shares, held, strict=False) if natural_units(held[place], other, rules) <= 0
    )


def holds(cards: Sequence[int], natural: Natural) -> bool:
    """Whether thirteen cards hold a natural of a list's entry."""
    ranks = Counter(card >> 2 for card in cards)
    shape = Counter(ranks.values())
    suits = tuple(sorted(Counter(card & 3 for card in cards).values(), reverse=True))
    red = sum(card & 3 in RED for card in cards)
    match natural.kind:
        case "three-flushes":
            return suits in FLUSH_SHAPES
        case "three-straights":
            return tuple(ranks[rank] for rank in range(13)) in run_shapes()
        case "three-straight-flushes":
            shapes = suits in FLUSH_SHAPES and tuple(ranks[rank] for rank in range(13)) in run_shapes()
            return shapes and any(_partitions(cards, runs=True, suited=True))
        case "six-pairs":
            return sum(count // 2 for count in ranks.values()) == 6
        case "five-pairs-trips":
            return shape[3] == 1 and not shape[1] and (natural.quads or not shape[4])
        case "four-trips":
            return shape[3] == 4
        case "three-quads":
            return shape[4] == 3
        case "dragon":
            return len(ranks) == 13
        case "suited-dragon":
            return len(suits) == 1
        case "all-low":
            return max(ranks) <= 6
        case "all-high":
            return min(ranks) >= 6
        case "twelve-colour":
            return red <= 1 or red >= 12
        case "thirteen-colour":
            return red in (0, 13)
        case "twelve-royals":
            return sum(ranks[rank] for rank in range(9, 13)) >= natural.count


def tiebreak(cards: Sequence[int], kind: str, rules: RuleSet) -> tuple[Any, ...]:
    """Return what decides between two naturals of a kind; empty where they are equal."""
    suits = rules.naturals.suits
    ranks = Counter(card >> 2 for card in cards)
    grouped = {size: sorted((r for r in ranks if ranks[r] == size), reverse=True) for size in (1, 2, 3, 4)}
    match kind:
        case "three-flushes":
            return _best_partition(cards, rules, runs=False, suited=True)
        case "three-straights":
            return _best_partition(cards, rules, runs=True, suited=False)
        case "three-straight-flushes":
            return _best_partition(cards, rules, runs=True, suited=True)
        case "six-pairs":
            pairs = tuple(rank for rank in sorted(ranks, reverse=True) for _ in range(ranks[rank] // 2))
            return (*pairs, highest_suit(tuple(cards), pairs[0], suits)) if suits else pairs
        case "five-pairs-trips":
            rest = [rank for rank in sorted(ranks, reverse=True) for _ in range(ranks[rank] // 2) if ranks[rank] != 3]
            return (grouped[3][0], *rest)
        case "four-trips":
            return tuple(grouped[3])
        case "three-quads":
            return tuple(grouped[4])
        case _:
            return ()


# --- Partitions into rows ---


def runs(size: int) -> list[tuple[int, ...]]:
    """Return the ranks of all runs of a size, the ace low in the first."""
    return [(12, *range(size - 1)), *(tuple(range(low, low + size)) for low in range(14 - size))]


@cache
def run_shapes() -> frozenset[tuple[int, ...]]:
    """Return how many cards of each rank the hands have that can be split into runs of 3, 5 and 5."""
    shapes = set()
    for (back, middle), front in product(combinations_with_replacement(runs(5), 2), runs(3)):
        count = Counter((*front, *middle, *back))
        shapes.add(tuple(count[rank] for rank in range(13)))
    return frozenset(shapes)


def _rows(cards: Sequence[int], size: int, runs_only: bool, suited: bool) -> Iterator[tuple[int, ...]]:
    """Yield the rows of a size that are runs, or of one suit, or both."""
    suits = [[card for card in cards if card & 3 == suit] for suit in range(4)]
    if not runs_only:
        for own in suits:
            yield from combinations(own, size)
        return
    for held in suits if suited else [list(cards)]:
        for ranks in runs(size):
            yield from product(*([card for card in held if card >> 2 == rank] for rank in ranks))


Partition = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _partitions(cards: Sequence[int], runs: bool, suited: bool) -> Iterator[Partition]:
    """Yield every front, middle and back whose rows are all runs, or of one suit, or both."""

    def masked(size: int) -> dict[int, tuple[int, ...]]:
        return {sum(1 << card for card in row): row for row in _rows(cards, size, runs, suited)}

    fives, threes = masked(5), masked(3)
    everything = sum(1 << card for card in cards)
    for back, middle in product(fives, repeat=2):
        front = everything ^ back ^ middle
        if not back & middle and front in threes:
            yield threes[front], fives[middle], fives[back]


def _best_partition(cards: Sequence[int], rules: RuleSet, *, runs: bool, suited: bool) -> tuple[Any, ...]:
    """Return the tie-break of the best partition by back, then middle, then front, and by their suits where played.

    Backs and middles compare at their usual strength, so that a straight flush beats a straight.
    """
    wheel, suits = rules.ranking.wheel, rules.naturals.suits
    rows: dict[tuple[int, ...], tuple[Any, int]] = {}

    def ranked(row: tuple[int, ...]) -> tuple[Any, int]:
        if row not in rows:
            ranks = sorted((card >> 2 for card in row), reverse=True)
            if len(row) == 5:
                key: Any = row_key(row, wheel)
                lead = lead_rank(key, wheel)
            elif runs and ranks == [12, 1, 0] and wheel == "lowest":
                key, lead = (1, 0, -1), 1  # the ace is a one in the lowest run
            else:
                key, lead = tuple(ranks), ranks[0]
            rows[row] = key, highest_suit(row, lead, suits) if suits else 0
        return rows[row]

    def place(partition: Partition) -> tuple[Any, ...]:
        front, middle, back = map(ranked, partition)
        return back[0], middle[0], front[0], back[1], middle[1], front[1]

    return max(map(place, _partitions(cards, runs, suited)))
