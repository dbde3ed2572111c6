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

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from solver import bin_kernels, kernels, pair_kernels
from solver.deals import in_parallel
from solver.engines import Engine
from solver.errors import StrategyError
from solver.naturals import share_that_pays
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

MOST_PROFILES = 500
"""Combinations of royalties; what pairs pay takes the square of it."""

LEVELS = 4000
"""Steps from nothing to the worth that is farthest from it; what is left within a step is far below the noise."""

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


def cut(mass: Mapping[str, Array], game: Game, bins: Mapping[str, int] | None = None) -> dict[str, Array]:
    """Return the least strengths of bins that hold about equal mass and never straddle a change of royalty."""
    edges = {}
    for row in ROWS:
        royalty: Array = getattr(game.pay, row)
        changes = np.flatnonzero(np.diff(royalty)) + 1 if row != "middle" or not game.contest.low else np.empty(0, int)
        # A little of every strength, so that hands which are never met are still told apart.
        smooth = mass[row] + 1e-6 * mass[row].sum() / len(mass[row])
        edges[row] = np.unique(np.concatenate((quantile_edges(smooth, (bins or BINS)[row]), changes))).astype(np.int16)
    return edges


@dataclass(frozen=True, eq=False)
class Population:
    """Random hands as a strategy sets them, by bin.

    Attributes
    ----------
    counts : (backs, middles, fronts) float64
        Share of all hands in each bin; those that declare a natural or surrender are in none.
    moments : (14, backs, middles, fronts) float64
        The same, weighted by what the correction for a hand's own cards goes by.
    mass : mapping of row name to (strengths,) float64
        Share of hands by the strength of a row.
    naturals : (n,) float64
        Share of hands that declare each natural of the list.
    surrendered : float
        Share of hands that are surrendered.
    split : float
        Units of royalties for split hands, over all hands.
    """

    counts: Array
    moments: Array
    mass: Mapping[str, Array]
    naturals: Array
    surrendered: float = 0.0
    split: float = 0.0

    def mixed(self, other: "Population", weight: float) -> "Population":
        """Return the average with another population, which gets the weight."""

        def mix(mine: Array, theirs: Array) -> Array:
            return np.asarray((1 - weight) * mine + weight * theirs)

        return Population(
            mix(self.counts, other.counts),
            mix(self.moments, other.moments),
            {row: mix(self.mass[row], other.mass[row]) for row in ROWS},
            mix(self.naturals, other.naturals),
            float(mix(np.array(self.surrendered), np.array(other.surrendered))),
            float(mix(np.array(self.split), np.array(other.split))),
        )


@dataclass(frozen=True)
class Gain:
    """What the strategy that set a round's hands expects to win, in units a hand, with its standard error."""

    units: float
    stderr: float


@dataclass(frozen=True, eq=False)
class Tally:
    """What is to be counted: plain data, so that it can be sent to other processes.

    Attributes
    ----------
    shape : (int, int, int)
        Bins of back, middle and front.
    places : int
        How many ways there are to play a hand.
    arguments : tuple
        What :func:`solver.kernels.tally` takes after the number of hands.
    number : int
        Hands.
    words : tuple of int
        Their seed.
    """

    shape: tuple[int, int, int]
    places: int
    arguments: tuple[Any, ...]
    number: int
    words: tuple[int, ...]

    @property
    def chunks(self) -> int:
        """Chunks of hands; each has a seed of its own."""
        return -(-self.number // HANDS_PER_CHUNK)


@dataclass(frozen=True, eq=False)
class Counted:
    """What came of some chunks of hands. Few bins are met, so only these are kept.

    Attributes
    ----------
    bins : (n,) int32
    counts, moments : (n,) and (14, n) of the least integers that hold them
        Of those bins.
    rows : tuple of three int64 arrays
        How often each strength was met in front, middle and back.
    places : (ways,) int64
    worth : (chunks, 3) float64
    """

    bins: Array
    counts: Array
    moments: Array
    rows: tuple[Array, Array, Array]
    places: Array
    worth: Array


def count_hands(tally: Tally, chunks: range) -> Counted:
    """Set the hands of some chunks and count them in bins."""
    counts, moments = np.zeros(tally.shape, np.int32), np.zeros((FEATURES, *tally.shape), np.int32)
    rows = np.zeros(THREE_CLASSES, np.int64), np.zeros(FIVE_CLASSES, np.int64), np.zeros(FIVE_CLASSES, np.int64)
    places, worth = np.zeros(tally.places, np.int64), np.zeros((len(chunks), 3))
    for k, chunk in enumerate(chunks):
        rng = np.random.default_rng(np.random.SeedSequence(tally.words[0], spawn_key=(*tally.words[1:], chunk)))
        size = min(HANDS_PER_CHUNK, tally.number - chunk * HANDS_PER_CHUNK)
        kernels.tally(rng, size, *tally.arguments, counts, moments, *rows, places, worth[k])
    bins = np.flatnonzero(counts).astype(np.int32)
    met, sums = counts.ravel()[bins], moments.reshape(FEATURES, -1)[:, bins]
    return Counted(bins, _smallest(met), _smallest(sums), rows, places, worth)


def _smallest(values: Array) -> Array:
    """Return integers in the type that takes the least room."""
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    return values.astype(np.min_scalar_type(most if least == 0 else min(least, -most - 1)))


def play_hands(
    game: Game,
    strategy: Strategy,
    edges: Mapping[str, Array],
    number: int,
    words: tuple[int, ...],
    engine: Engine,
) -> tuple[Population, Gain]:
    """Set random hands by a strategy and count them in bins.

    Parameters
    ----------
    edges
        The least strength of each bin, by row.
    words
        Seed of the hands; with it, the result is the same from any engine.
    """
    front, middle, back = (bins_of(edges[row], SIZES[row]) for row in ROWS)
    bins = front, middle[game.contest.middle], back
    shape = len(edges["back"]), len(edges["middle"]), len(edges["front"])
    arguments = (*strategy.kernel_arguments(game), game.naturals.kernel_arguments(), bins, game.split_royalty)
    tally = Tally(shape, len(game.naturals.facts) + 2, arguments, number, words)
    counts, moments = np.zeros(math.prod(shape), np.int64), np.zeros((FEATURES, math.prod(shape)), np.int64)
    rows = [np.zeros(SIZES[row], np.int64) for row in ROWS]
    places, worth = np.zeros(tally.places, np.int64), np.zeros((tally.chunks, 3))
    tasks = min(engine.at_once, tally.chunks)
    parts = [range(k, tally.chunks, tasks) for k in range(tasks)]
    for part, found in zip(parts, engine.map(partial(count_hands, tally), parts), strict=True):
        counts[found.bins] += found.counts
        moments[:, found.bins] += found.moments
        for total, one in zip(rows, found.rows, strict=True):
            total += one
        places += found.places
        worth[part] = found.worth
    middles = np.zeros(FIVE_CLASSES)
    middles[game.contest.middle] = rows[1]
    mass = {"front": rows[0] / number, "middle": middles / number, "back": rows[2] / number}
    shares, split = places / number, float(worth[:, 2].sum() / number)
    counted, summed = counts.reshape(shape) / number, moments.reshape(FEATURES, *shape) / number
    found_in = Population(counted, summed, mass, shares[:-2], float(shares[-2]), split)
    return found_in, _gain(shares, worth.sum(0), number, strategy, game)


def _gain(shares: Array, worth: Array, number: int, strategy: Strategy, game: Game) -> Gain:
    """Return what all hands expect to win: those played, those surrendered and those that declare a natural."""
    naturals, surrendered, played = shares[:-2], shares[-2], shares[-1]
    offset, step = strategy.units
    mean = offset * played + step * worth[0] / number
    squares = (offset**2 * played) + (2 * offset * step * worth[0] + step**2 * worth[1]) / number
    if surrendered:
        mean += strategy.surrender * surrendered
        squares += strategy.surrender**2 * surrendered
    # Of two naturals each wins as often as the other.
    mean += (1 - naturals.sum()) * _lost_to_naturals(naturals, game, game.pay.home_run)
    return Gain(float(mean), float(np.sqrt(max(squares - mean * mean, 0.0) / number)))


def _lost_to_naturals(shares: Array, game: Game, runs: bool) -> float:
    """Return what a hand without a natural loses to an opponent who may hold one, and may make a home run with it."""
    rules, held, total = game.rules, shares.tolist(), 0.0
    for place, (share, kind) in enumerate(zip(held, rules.naturals.kinds, strict=False)):
        total += share * kind.units
        if runs and rules.naturals.as_scoop:
            chance = share_that_pays(place, held, rules) ** (game.players - 2)
            total += share * chance * ((game.pay.home_multiplier - 1) * kind.units + game.pay.home_extra)
    return total


# --- From a population to the worth of every bin ---


@dataclass(frozen=True, eq=False)
class Part:
    """A part of what pairs pay, by the royalties of both sides.

    Attributes
    ----------
    levels : tuple of three int64 arrays
        By back, middle and front, which royalty a bin holds, counted from 0.
    sizes : tuple of three int
        How many there are.
    units : (p, p, 27) float64
        Units by own profile, opponent's profile and row results; profiles count front, middle and back levels.
    """

    levels: tuple[Array, ...]
    sizes: tuple[int, ...]
    units: Array


def _parts(grid: Grid, game: Game) -> tuple[Part, ...]:
    """Return parts whose sum is what pairs pay between the bins of a grid.

    Where rows pay their royalties each on its own, there is one without royalties and one for each row, so that few
    royalties meet few; else one for all rows together.
    """
    pay = game.pay
    rows = [getattr(pay, row)[grid.edges[row]] for row in ROWS]
    if game.contest.low:
        rows[1] = np.full(len(grid.edges["middle"]), -1.0)
    found = [np.unique(row, return_inverse=True) for row in rows]

    def part(of: tuple[int, ...]) -> Part:
        """Return what is paid where only some rows hold royalties."""
        levels = [at if k in of else np.zeros(len(at), np.int64) for k, (_, at) in enumerate(found)]
        held = [level if k in of else np.array([-1.0]) for k, (level, _) in enumerate(found)]
        sizes = tuple(map(len, held))
        if (number := int(np.prod(sizes))) > MOST_PROFILES:
            raise StrategyError(
                f"the rules '{game.rules.name}' pay {number:,} different combinations of royalties, and one depends on "
                f"the others; an equilibrium is computed for at most {MOST_PROFILES:,} (use other --opponents)"
            )
        profiles = np.array([[*(held[k][at[k]] for k in range(3)), 0.0] for at in np.ndindex(*sizes)])
        units, royalties = np.empty((2, len(profiles), len(profiles), 27))
        status = np.zeros(len(profiles), np.uint8)
        pair_kernels.pair_outcomes(profiles, profiles, status, pay.kernel_arguments(), units, royalties)
        return Part(tuple(at.astype(np.int64) for at in reversed(levels)), tuple(reversed(sizes)), units)

    if pay.one or pay.by_total:
        return (part((0, 1, 2)),)
    base = part(())
    own = [part((k,)) for k in range(3) if len(found[k][0]) > 1 or found[k][0][0] >= 0]
    return (base, *(replace(one, units=one.units - base.units) for one in own))


@dataclass(frozen=True, eq=False)
class Payoffs:
    """What pairs pay between bins, seen from one side.

    Attributes
    ----------
    shape : (int, int, int)
        Bins of back, middle and front.
    legal : (backs, middles, fronts) bool
        Bins that some legal arrangement falls into.
    won, tied : tuples of three float64 arrays
        By back, middle and front, the shares of a bin that a row in the same bin beats and ties.
    parts : tuple of Part
        Whose sum is what pairs pay; the first is what they pay without royalties, or all.
    scoops : (27,) int8
    runs, run_against : bool
        Whether the own side can make a home run, and the opponent.
    multiplier, extra, opponents : float, float, int
        What a home run multiplies by and adds from each opponent, and how many must be scooped.
    """

    shape: tuple[int, int, int]
    legal: Array
    won: tuple[Array, ...]
    tied: tuple[Array, ...]
    parts: tuple[Part, ...]
    scoops: Array
    runs: bool
    run_against: bool
    multiplier: float
    extra: float
    opponents: int

    @classmethod
    def of(cls, grid: Grid, game: Game, banks: bool | None) -> "Payoffs":
        """Work out what pairs pay between the bins of a grid."""
        pay, won, tied = game.pay, [], []
        for row in reversed(ROWS):
            ties = grid.ties[row]
            if game.contest.suits.any():  # they decide one way as often as the other
                ties = np.zeros(len(ties))
            won.append((1 - ties) / 2)
            tied.append(ties)
            if game.rules.table.banker_wins_ties and banks is not None:
                won[-1] = (1 - ties) / 2 + ties * banks
                tied[-1] = np.zeros(len(ties))
        return cls(
            *(grid.shape, legal_cells(grid.edges, game.contest.low), tuple(won), tuple(tied), _parts(grid, game)),
            scoops=pay.scoops,
            runs=pay.home_run and banks is not False,
            run_against=pay.home_run and banks is not True,
            multiplier=pay.home_multiplier,
            extra=pay.home_extra,
            opponents=game.players - 1,
        )

    def _sum(self, mass: Array, by_results: Array, extra: Array | float, jobs: int) -> Array:
        """Add up what pairs pay, multiplied by row results, and something by row results besides."""
        total, mass = np.zeros(self.shape), np.ascontiguousarray(mass)
        cuts = np.linspace(0, self.shape[0], jobs + 1).astype(int).tolist()
        for number, part in enumerate(self.parts):
            units = part.units * by_results + (extra if number == 0 else 0.0)
            if not units.any():
                continue
            out = np.zeros(self.shape)
            work = partial(bin_kernels.bin_worth, mass, self.won, self.tied, part.levels, part.sizes, units, self.legal)
            in_parallel(jobs, [partial(work, begin, end, out) for begin, end in pairwise(cuts)])
            total += out
        return total

    def scooping(self, mass: Array, jobs: int = 1) -> Array:
        """Return how often each bin scoops a hand of a population, all hands together making ``mass``."""
        return self._sum(mass, np.zeros(27), (self.scoops > 0).astype(np.float64), jobs)

    def worth(self, mass: Array, scooping: Array | None = None, jobs: int = 1) -> Array:
        """Return what every bin wins from each opponent of a population, shape (backs, middles, fronts).

        Without a home run the result is linear in ``mass``. With one, opponents are taken for independent, which is
        nearly so: see ``benchmarks/measure_coupling.py``.

        Parameters
        ----------
        mass : (backs, middles, fronts) float64
            Share of opponents in each bin, of any sign.
        scooping : (backs, middles, fronts) float64
            How often an opponent in each bin scoops one of his own opponents; needed where he can make a home run.
        """
        found, others, more = self._sum(mass, np.ones(27), 0.0, jobs), self.opponents - 1, self.multiplier - 1
        if self.runs:
            gain = self._sum(mass, more * (self.scoops > 0), self.extra * (self.scoops > 0), jobs)
            found += self.scooping(mass, jobs) ** others * gain
        if self.run_against:
            assert scooping is not None
            lost = self.scoops < 0
            found += self._sum(mass * scooping**others, more * lost, -self.extra * lost, jobs)
        return found


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


@dataclass(frozen=True, eq=False)
class Meeting:
    """A side of the game and the population that it meets.

    Attributes
    ----------
    payoffs : Payoffs
    theirs, ours : Population
        Opponents, and who plays as oneself does: the same where both sides are alike.
    back : Payoffs
        What pairs pay seen from the opponent.
    """

    game: Game
    grid: Grid
    payoffs: Payoffs
    back: Payoffs
    theirs: Population
    ours: Population

    @classmethod
    def all(cls, populations: tuple[Population, ...], edges: Mapping[str, Array], game: Game) -> list["Meeting"]:
        """Return every side's meeting; a population stands for each of the game's sides."""
        sides = game.sides
        grids = [Grid.of(edges, population.mass) for population in populations]
        against = [len(sides) - 1 - at for at in range(len(sides))]
        payoffs = [Payoffs.of(grids[other], game, banks) for banks, other in zip(sides, against, strict=True)]
        return [
            cls(game, grids[other], payoffs[at], payoffs[other], populations[other], populations[at])
            for at, other in enumerate(against)
        ]

    def worth(self, effect: Array | None = None, jobs: int = 1) -> Array:
        """Return what every bin wins from an opponent who plays his rows, the population moved by an effect."""
        theirs, ours = self.theirs.counts, self.ours.counts
        if effect is not None:
            theirs = theirs + effect
            ours = theirs if self.ours is self.theirs else ours
        scooping = self.back.scooping(ours, jobs) if self.payoffs.run_against else None
        return self.payoffs.worth(theirs, scooping, jobs)

    @property
    def weight(self) -> Array:
        """How much each bin counts where something is fitted: as often as it is met, legal ones a little anyway."""
        share = self.ours.counts / self.ours.counts.sum()
        return np.asarray(share + 1e-9 * self.payoffs.legal)


def removal_of(meeting: Meeting, jobs: int = 1) -> Array:
    """Return what each card of a hand's own changes for each bin of its rows, in units, shape (14, bins)."""
    worth, weight, theirs = meeting.worth(), meeting.weight, meeting.theirs

    def terms(feature: int) -> Array:
        if feature < 13:
            effect = -RANK_EFFECT * theirs.moments[feature]
        else:
            effect = SPREAD_EFFECT * (theirs.moments[feature] - (SPREAD_MEAN - MEAN_SPREAD) * theirs.counts)
        back, middle, front = by_row(meeting.worth(effect) - worth, weight)
        return np.concatenate((front, middle, back))

    return np.array(in_parallel(jobs, [partial(terms, feature) for feature in range(FEATURES)]))


def strategy_of(meeting: Meeting, removal: Array | None, jobs: int = 1) -> Strategy:
    """Return the best response to a population, as a table."""
    game, grid, theirs, price = meeting.game, meeting.grid, meeting.theirs, meeting.game.rules.surrender.units
    rows = meeting.worth(jobs=jobs)
    lost = _lost_to_naturals(theirs.naturals, game, meeting.payoffs.run_against)
    worth = rows - lost + price * theirs.surrendered - theirs.split
    surrender = -math.inf
    if game.rules.surrender.allowed:
        surrender = -lost - price * (1 - theirs.surrendered - float(theirs.naturals.sum()))
    legal = meeting.payoffs.legal
    step = float(np.abs(worth[legal]).max()) / LEVELS
    return Strategy(
        name="equilibrium",
        ranking=ranking_name(game.rules),
        rules=game.key,
        edges=grid.edges,
        values=np.where(legal, np.rint(worth / step), -32768).astype(np.int16),
        units=(0.0, step),
        fine=_fine(rows, meeting.weight, grid, game, step),
        removal=None if removal is None else np.rint(removal / step * FINEST).astype(np.int32),
        surrender=surrender,
    )
