"""Strategies that cannot be exploited: fictitious play over the bins of front, middle and back strength.

Between two players the game is symmetric and zero-sum, so in equilibrium every hand is set for the most units against
the population of arrangements that equilibrium itself produces. What an arrangement wins from a random opponent
depends on its three strengths; it is worked out for all bins at once from the population's histogram. Each round sets
many random hands by the worth of the average population so far and averages what they become into it; rounds count in
proportion to their number, since the first ones are the worst.

What the hand's own cards change is added by row: the population's histograms, weighted by the cards that its hands
hold, say how each card that an opponent cannot hold changes the worth of a bin.

The last step is always a table of :mod:`solver.strategies`. Methods: Brown (1951), "Iterative solution of games by
fictitious play", in Activity Analysis of Production and Allocation; linear averaging as in Tammelin et al. (2015),
"Solving heads-up limit Texas hold'em".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from solver import kernels
from solver.deals import in_parallel
from solver.ranks import FIVE_CLASSES, THREE_CLASSES
from solver.strategies import (
    FEATURES,
    FINEST,
    MEAN_SPREAD,
    Strategy,
    bins_of,
    legal_cells,
    plain_fine,
    quantile_edges,
    ranking_name,
)
from solver.tables import Array, Game

ROWS = ("front", "middle", "back")
SIZES = {"front": THREE_CLASSES, "middle": FIVE_CLASSES, "back": FIVE_CLASSES}
BINS = {"front": 48, "middle": 116, "back": 116}

HANDS_PER_CHUNK = 10_000

# A hand is dealt from the 39 cards that another leaves. Given an opponent's hand, the expected number of a rank's cards
# in the player's is (4 - n) / 3; the covariance of the numbers of two ranks, 12/13 * 39/51 on the diagonal and -1/12 of
# it elsewhere, turns that into the change of an opponent's chance for each further card: 51/117 times 1 - n.
RANK_EFFECT = 51 / 117
# The same for the sum of squared suit lengths q: its mean given the opponent's is (1/9 - 13/2223) q and a constant, and
# over all 560 splits of a hand into suits its mean is 49.7059 and its variance 33.9580.
SPREAD_EFFECT = (1 / 9 - 26 / (38 * 117)) / 33.958008615211384
SPREAD_MEAN = 845 / 17


def share(number: int) -> float:
    """Return how much of the average a round makes, counted from 0: rounds weigh in proportion to their number."""
    return 2 / (number + 2)


@dataclass(frozen=True, eq=False)
class Grid:
    """Bins of front, middle and back strength.

    Attributes
    ----------
    edges : mapping of row name to (bins,) int16
        The least strength of each bin.
    ties : mapping of row name to (bins,) float64
        The chance that two rows of a bin are equally strong.
    centres : mapping of row name to (bins,) float64
        The share of rows that a row in the middle of a bin beats.
    shares : mapping of row name to (strengths,) float64
        The share of rows that a strength beats, half of the equal ones counted in.
    """

    edges: Mapping[str, Array]
    ties: Mapping[str, Array]
    centres: Mapping[str, Array]
    shares: Mapping[str, Array]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Bins of back, middle and front."""
        return len(self.edges["back"]), len(self.edges["middle"]), len(self.edges["front"])

    @classmethod
    def of(cls, edges: Mapping[str, Array], mass: Mapping[str, Array]) -> "Grid":
        """Measure bins by how often each strength is met."""
        ties, centres, shares = {}, {}, {}
        for row in ROWS:
            held = mass[row] / mass[row].sum()
            inside = np.add.reduceat(held, edges[row])
            shares[row] = np.cumsum(held) - held / 2
            ties[row] = np.divide(
                np.add.reduceat(held**2, edges[row]), inside**2, out=np.ones(len(inside)), where=inside > 0
            )
            centres[row] = np.cumsum(inside) - inside / 2
        return cls(edges, ties, centres, shares)


def cut(mass: Mapping[str, Array], game: Game) -> dict[str, Array]:
    """Return the least strengths of bins that hold about equal mass and never straddle a change of royalty."""
    edges = {}
    for row in ROWS:
        royalty: Array = getattr(game.pay, row)
        changes = np.flatnonzero(np.diff(royalty)) + 1 if row != "middle" or not game.contest.low else np.empty(0, int)
        # A little of every strength, so that hands which are never met are still told apart.
        smooth = mass[row] + 1e-6 * mass[row].sum() / len(mass[row])
        edges[row] = np.unique(np.concatenate((quantile_edges(smooth, BINS[row]), changes))).astype(np.int16)
    return edges


@dataclass(frozen=True, eq=False)
class Population:
    """Random hands as a strategy sets them, by bin.

    Attributes
    ----------
    counts : (backs, middles, fronts) float64
        Share of all hands in each bin; those that declare a natural are in none.
    moments : (14, backs, middles, fronts) float64
        The same, weighted by what the correction for a hand's own cards goes by.
    mass : mapping of row name to (strengths,) float64
        Share of hands by the strength of a row.
    naturals : (n,) float64
        Share of hands that declare each natural of the list.
    """

    counts: Array
    moments: Array
    mass: Mapping[str, Array]
    naturals: Array

    def mixed(self, other: "Population", weight: float) -> "Population":
        """Return the average with another population, which gets the weight."""

        def mix(mine: Array, theirs: Array) -> Array:
            return np.asarray((1 - weight) * mine + weight * theirs)

        return Population(
            mix(self.counts, other.counts),
            mix(self.moments, other.moments),
            {row: mix(self.mass[row], other.mass[row]) for row in ROWS},
            mix(self.naturals, other.naturals),
        )


@dataclass(frozen=True)
class Gain:
    """What the strategy that set a round's hands expects to win, in units a hand, with its standard error."""

    units: float
    stderr: float


def play_hands(
    game: Game, strategy: Strategy, edges: Mapping[str, Array], number: int, words: tuple[int, ...], jobs: int
) -> tuple[Population, Gain]:
    """Set random hands by a strategy and count them in bins.

    Parameters
    ----------
    edges
        The least strength of each bin, by row.
    words
        Seed of the hands; with it, the result is the same for any number of jobs.
    """
    front, middle, back = (bins_of(edges[row], SIZES[row]) for row in ROWS)
    bins = front, middle[game.contest.middle], back
    shape = len(edges["back"]), len(edges["middle"]), len(edges["front"])
    arguments = (*strategy.kernel_arguments(game), game.naturals.kernel_arguments(), bins)
    chunks = -(-number // HANDS_PER_CHUNK)

    def work(job: int) -> tuple[Any, ...]:
        counts, moments = np.zeros(shape, np.int32), np.zeros((FEATURES, *shape), np.int32)
        rows = [np.zeros(size, np.int64) for size in (THREE_CLASSES, FIVE_CLASSES, FIVE_CLASSES)]
        places, worth = np.zeros(len(game.naturals.facts) + 1, np.int64), np.zeros((chunks, 2))
        for chunk in range(job, chunks, jobs):
            rng = np.random.default_rng(np.random.SeedSequence(words[0], spawn_key=(*words[1:], chunk)))
            size = min(HANDS_PER_CHUNK, number - chunk * HANDS_PER_CHUNK)
            kernels.tally(rng, size, *arguments, counts, moments, *rows, places, worth[chunk])
        return counts, moments, *rows, places, worth

    jobs = min(jobs, chunks)
    parts = [
        sum(part[1:], part[0]) for part in zip(*in_parallel(jobs, [partial(work, k) for k in range(jobs)]), strict=True)
    ]
    counts, moments, fronts, middles, backs, places, worth = parts
    middles_by_order = np.zeros(FIVE_CLASSES)
    middles_by_order[game.contest.middle] = middles
    mass = {"front": fronts / number, "middle": middles_by_order / number, "back": backs / number}
    found = Population(counts / number, moments / number, mass, places[:-1] / number)
    return found, _gain(found.naturals, worth.sum(0), number, strategy, game)


def _gain(naturals: Array, worth: Array, number: int, strategy: Strategy, game: Game) -> Gain:
    """Return what all hands expect to win, naturals included."""
    units = strategy.units[0] + strategy.units[1] * worth[0] / number / (1 - naturals.sum())
    won = np.array([kind.units for kind in game.rules.naturals.kinds[: len(naturals)]])
    mean = (1 - naturals.sum()) * (units + float(naturals @ won))
    squares = strategy.units[1] ** 2 * worth[1] / number
    return Gain(float(mean), float(np.sqrt(max(squares - units * units, 0.0) / number)))


# --- From a population to the worth of every bin ---


def _results(mass: Array, ties: Array, axis: int) -> dict[int, Array]:
    """Return, by an own bin along an axis, the mass that it beats (1), ties (0) and loses to (-1)."""
    shape = [1] * mass.ndim
    shape[axis] = -1
    tied = mass * ties.reshape(shape)
    below = np.cumsum(mass, axis=axis) - mass
    won = below + (mass - tied) / 2
    total = mass.sum(axis=axis, keepdims=True)
    return {1: won, 0: tied, -1: total - won - tied}


def worth_of(mass: Array, grid: Grid, game: Game) -> Array:
    """Return what every bin wins from a population, shape (backs, middles, fronts).

    Parameters
    ----------
    mass : (backs, middles, fronts) float64
        Share of opponents in each bin, of any sign; the result is linear in it.
    """
    rows = [getattr(game.pay, row)[grid.edges[row]] for row in ROWS]
    if game.contest.low:
        rows[1] = np.full(len(grid.edges["middle"]), -1.0)
    levels = [np.unique(row, return_inverse=True) for row in rows]
    sizes = [len(level) for level, _ in levels]
    profiles = np.array([[*(levels[k][0][at[k]] for k in range(3)), 0.0] for at in np.ndindex(*sizes)])
    units, royalties = np.empty((2, len(profiles), len(profiles), 27))
    status = np.zeros(len(profiles), np.uint8)
    kernels.pair_outcomes(profiles, profiles, status, game.pay.kernel_arguments(), units, royalties)
    own = np.ravel_multi_index(
        (levels[0][1][None, None, :], levels[1][1][None, :, None], levels[2][1][:, None, None]), tuple(sizes)
    )
    out = np.zeros(grid.shape)
    for profile, at in enumerate(np.ndindex(*sizes)):
        inside = [levels[k][1] == at[k] for k in range(3)]
        part = mass * inside[2][:, None, None] * inside[1][None, :, None] * inside[0][None, None, :]
        if not part.any():
            continue
        for back, by_back in _results(part, grid.ties["back"], 0).items():
            for middle, by_middle in _results(by_back, grid.ties["middle"], 1).items():
                for front, held in _results(by_middle, grid.ties["front"], 2).items():
                    paid = units[:, profile, 9 * (front + 1) + 3 * (middle + 1) + back + 1]
                    out += held * (paid[own] if len(profiles) > 1 else paid[0])
    return out


def by_row(change: Array, weight: Array) -> list[Array]:
    """Return the terms of back, middle and front whose sum is nearest to a change, by weighted least squares."""
    terms = [np.zeros(size) for size in change.shape]
    for _ in range(8):
        for axis in range(3):
            rest = change.copy()
            for other in range(3):
                if other != axis:
                    shape = [1, 1, 1]
                    shape[other] = -1
                    rest -= terms[other].reshape(shape)
            over = tuple(other for other in range(3) if other != axis)
            terms[axis] = (rest * weight).sum(over) / weight.sum(over)
    return terms


def _fine(worth: Array, weight: Array, grid: Grid, game: Game, step: float) -> dict[str, Array]:
    """Return what to add for a strength within its bin: its lead over the bin's centre times the slope of worth."""
    fine = {}
    for axis, row in ((2, "front"), (1, "middle"), (0, "back")):
        over = tuple(other for other in range(3) if other != axis)
        centres = grid.centres[row]
        slope = np.zeros(len(centres))
        # A royalty jumps between bins; it is no slope within them.
        royalty = getattr(game.pay, row)[grid.edges[row]] * (row != "middle" or not game.contest.low)
        for part in np.split(np.arange(len(centres)), np.flatnonzero(np.diff(royalty)) + 1):
            if len(part) > 1:
                moved, held = np.gradient(worth.take(part, axis), axis=axis), weight.take(part, axis)
                moved = (moved * held).sum(over) / held.sum(over)
                slope[part] = np.maximum(moved, 0) / np.maximum(np.gradient(centres[part]), 1e-12)
        lead = grid.shares[row] - centres[bins_of(grid.edges[row], SIZES[row])]
        inside = slope[bins_of(grid.edges[row], SIZES[row])] * lead
        fine[row] = np.rint(inside / step * FINEST).astype(np.int32) + plain_fine()[row]
    return fine


def removal_of(population: Population, grid: Grid, game: Game) -> Array:
    """Return what each card of a hand's own changes for each bin of its rows, in units, shape (14, bins)."""
    weight = _weight(population, grid, game)
    worth = worth_of(population.counts, grid, game)
    rows = []
    for feature in range(FEATURES):
        change = worth_of(population.moments[feature], grid, game)
        if feature < 13:
            change *= -RANK_EFFECT
        else:
            change = SPREAD_EFFECT * (change - (SPREAD_MEAN - MEAN_SPREAD) * worth)
        back, middle, front = by_row(change, weight)
        rows.append(np.concatenate((front, middle, back)))
    return np.array(rows)


def _weight(population: Population, grid: Grid, game: Game) -> Array:
    """Return how much each bin counts where something is fitted: as often as it is met, legal ones a little anyway."""
    share = population.counts / population.counts.sum()
    return np.asarray(share + 1e-9 * legal_cells(grid.edges, game.contest.low))


def strategy_of(population: Population, grid: Grid, game: Game, removal: Array | None) -> Strategy:
    """Return the best response to a population, as a table."""
    worth = worth_of(population.counts, grid, game)
    kinds = game.rules.naturals.kinds
    worth -= sum(share * kind.units for share, kind in zip(population.naturals, kinds, strict=False))
    legal = legal_cells(grid.edges, game.contest.low)
    step = float(np.abs(worth[legal]).max()) / 32_700
    return Strategy(
        name="equilibrium",
        ranking=ranking_name(game.rules),
        rules=game.rules.fingerprint(),
        edges=grid.edges,
        values=np.where(legal, np.rint(worth / step), -32768).astype(np.int16),
        units=(0.0, step),
        fine=_fine(worth, _weight(population, grid, game), grid, game, step),
        removal=None if removal is None else np.rint(removal / step * FINEST).astype(np.int32),
    )
