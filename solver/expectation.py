"""Expected units of every candidate arrangement against the same deals.

Opponents' cards come from the cards that nobody has seen, all opponents of a deal from one deck, and are set by a
strategy. What is dealt depends on the seed, the player's cards and the dead cards alone: chunks of deals have seeds of
their own, so neither threads nor the number of deals asked for change the ones before.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from solver import kernels
from solver.cards import DECK
from solver.strategies import Strategy
from solver.tables import SUBSETS_3, SUBSETS_5, Array, PairTables, ranking, subsets

DEALS_PER_CHUNK = 1000

SURE = 3.0
"""How many standard errors of a difference make it certain."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The arrangements of a hand that no other beats or equals in all rows and royalties.

    Attributes
    ----------
    cards : (13,) int64
        The hand, ascending.
    strengths : (n, 3) uint16
        Of front, middle and back.
    front, back : (n,) uint16
        The subsets of positions that are set there.
    legal : int
        How many of the 72,072 splits are legal.
    """

    cards: Array
    strengths: Array
    front: Array
    back: Array
    legal: int

    def __len__(self) -> int:
        return len(self.strengths)

    def rows(self, at: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the cards of front, middle and back of a candidate."""
        front = subsets().three[self.front[at]]
        back = subsets().five[self.back[at]]
        middle = np.setdiff1d(np.arange(13), np.concatenate((front, back)))
        first, second, third = (tuple(int(card) for card in self.cards[row]) for row in (front, middle, back))
        return first, second, third


def candidates(cards: tuple[int, ...], wheel: str, pay: PairTables) -> Candidates:
    """Return the undominated legal arrangements of thirteen cards, strongest front first."""
    order, splits = ranking(wheel), subsets()
    hand = np.array(sorted(cards), np.int64)
    five, three = np.empty(SUBSETS_5, np.uint16), np.empty(SUBSETS_3, np.uint16)
    kernels.rank_subsets(hand, order.five, order.three, order.flush, order.colex, splits.five_at, five, three)
    rows = np.empty((splits.pair_a.size, 5), np.uint16)
    n, legal = kernels.legal_strengths(five, three, order.floor, splits.pair_a, splits.pair_b, rows)
    rows = rows[:n]
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))[::-1]]
    keep = np.empty(n, np.bool_)
    kernels.undominated(rows, *pay.worth(), pay.monotone(), keep)
    rows = rows[keep]
    return Candidates(hand, np.ascontiguousarray(rows[:, :3]), rows[:, 3], rows[:, 4], int(legal))


@dataclass(frozen=True, eq=False)
class Deals:
    """What opponents hold in a number of deals.

    Attributes
    ----------
    strengths : (deals, opponents, 3) uint16
        Of their rows.
    royalties : (deals, opponents, 3) float64
        Their royalties, -1 for none; empty where the rules have none.
    """

    strengths: Array
    royalties: Array


def in_parallel(jobs: int, tasks: list[Callable[[], Any]]) -> list[Any]:
    """Run tasks on threads and return their results in order."""
    if jobs <= 1 or len(tasks) <= 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(jobs) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]


def _mask(cards: tuple[int, ...]) -> int:
    return sum(1 << card for card in cards)


def deal(
    cards: tuple[int, ...],
    dead: tuple[int, ...],
    opponents: int,
    number: int,
    strategy: Strategy,
    wheel: str,
    pay: PairTables,
    seed: int,
    jobs: int,
) -> Deals:
    """Deal hands to opponents from the cards that are neither in hand nor dead, and set them by a strategy."""
    seen = {*cards, *dead}
    unseen = np.array([card for card in DECK if card not in seen], np.int64)
    strengths = np.empty((number, opponents, 3), np.uint16)
    arguments = strategy.kernel_arguments(wheel)
    words = [_mask(cards) & 0xFFFFFFFF, _mask(cards) >> 32, _mask(dead) & 0xFFFFFFFF, _mask(dead) >> 32]

    def chunk(at: int) -> None:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*words, at)))
        out = strengths[at * DEALS_PER_CHUNK : (at + 1) * DEALS_PER_CHUNK]
        kernels.deal_opponents(rng, unseen, *arguments, out)

    in_parallel(jobs, [lambda at=at: chunk(at) for at in range(-(-number // DEALS_PER_CHUNK))])  # type: ignore[misc]
    royalties = np.empty((0, 0, 3)) if pay.mode == 0 else royalties_of(strengths, pay)
    return Deals(strengths, royalties)


def royalties_of(strengths: Array, pay: PairTables) -> Array:
    """Return the royalties of arrangements by strength, shape (..., 3) in and out, -1 for none."""
    out = np.empty(strengths.shape)
    kernels.royalties_of(strengths.reshape(-1, 3), pay.front, pay.middle, pay.back, out.reshape(-1, 3))
    return out


@dataclass(frozen=True, eq=False)
class Valuation:
    """Units of all candidates against the same deals, in total against all opponents.

    Attributes
    ----------
    mean, sd : (n,) float64
        Expected units, and the standard deviation of one hand's units.
    behind, behind_stderr : (n,) float64
        Mean units that each gives up against the best in the same deals, and the standard error of that difference.
    best : int
        The candidate of the highest mean.
    deals : int
    """

    mean: Array
    sd: Array
    behind: Array
    behind_stderr: Array
    best: int
    deals: int

    def stderr(self, at: int) -> float:
        """Return the standard error of a candidate's mean."""
        return float(self.sd[at] / np.sqrt(self.deals))

    def decided(self, precision: float) -> bool:
        """Whether no other candidate can be better by more than ``precision``, up to three standard errors."""
        return bool((SURE * self.behind_stderr - self.behind <= precision).all())


def _moments(sums: Array, deals: int) -> tuple[Array, Array]:
    """Return means and standard deviations from sums and sums of squares."""
    mean = sums[:, 0] / deals
    variance = (sums[:, 1] - deals * mean * mean) / (deals - 1)
    return mean, np.sqrt(np.maximum(variance, 0))


def value(options: Candidates, deals: Deals, pay: PairTables, jobs: int) -> Valuation:
    """Value every candidate against the same deals."""
    number = len(deals.strengths)
    mine = royalties_of(options.strengths, pay)
    base, units = pay.base(), pay.kernel_arguments()

    def sums(baseline: Array) -> Array:
        out = np.empty((len(options), 2))

        def block(at: int) -> None:
            part = slice(at * len(options) // jobs, (at + 1) * len(options) // jobs)
            kernels.accumulate(
                options.strengths[part], deals.strengths, base, units, mine[part], deals.royalties, baseline, out[part]
            )

        in_parallel(jobs, [lambda at=at: block(at) for at in range(jobs)])  # type: ignore[misc]
        return out

    mean, sd = _moments(sums(np.zeros(number)), number)
    best = int(np.argmax(mean))
    baseline = np.empty(number)
    kernels.deal_totals(options.strengths[best], deals.strengths, base, units, mine[best], deals.royalties, baseline)
    behind, spread = _moments(sums(baseline), number)
    return Valuation(mean, sd, 0.0 - behind, spread / np.sqrt(number), best, number)


def outcomes(options: Candidates, at: int, deals: Deals, pay: PairTables) -> Array:
    """Return how a candidate fares, in twelve numbers.

    They are won, tied and lost fronts, middles and backs, scoops, times scooped, and royalties.
    Shares are per opponent; royalties are net, in total, a deal.
    """
    out = np.zeros(12)
    mine = royalties_of(options.strengths[at : at + 1], pay)[0]
    kernels.count_outcomes(options.strengths[at], deals.strengths, pay.kernel_arguments(), mine, deals.royalties, out)
    number, opponents = deals.strengths.shape[:2]
    out[:11] /= number * opponents
    out[11] /= number
    return out
