"""Expected units of every candidate arrangement against the same deals, of which there are more from stage to stage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from solver import pair_kernels
from solver.candidates import Candidates
from solver.deals import NO_ROWS, Deals, in_parallel
from solver.tables import Array

CANDIDATES_PER_TASK = 4

SURE = 3.0
"""How many standard errors of a difference make it certain."""

HOPELESS = 5.0
"""By how many standard errors a candidate must be behind the last that is shown to be dropped.

That happens by chance 3 times in ten million. Even where a thousand candidates were as good as the last that is shown,
and were looked at after five stages, at most one answer in 600 would lack one of them.
"""

FIRST_STAGES = 1000, 2000, 5000
"""After how many deals candidates are looked at first; then after 10,000, and whenever the deals have doubled."""


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
    totals : (deals,) float64
        The best candidate's units in each deal.
    table : Table
        The candidates against the opponents.
    measured : bool
        Whether the means come from the deals; else from a strategy's table, and they have no standard errors.
    """

    mean: Array
    sd: Array
    behind: Array
    behind_stderr: Array
    best: int
    totals: Array
    table: "Table"
    measured: bool = True

    def stderr(self, at: int) -> float | None:
        """Return the standard error of a candidate's mean, None where it is not measured."""
        return float(self.sd[at] / np.sqrt(len(self.totals))) if self.measured else None

    def decided(self, precision: float) -> bool:
        """Whether no other candidate can be better by more than ``precision``, up to three standard errors.

        Without deals nothing is known of that.
        """
        others = np.arange(len(self.mean)) != self.best
        return self.measured and bool((SURE * self._errors() - self.behind <= precision)[others].all())

    def contenders(self, shown: int, graded: int | None = None) -> Array:
        """Return the candidates that can still be among the best ``shown``, or better than a graded one, ascending.

        The standard error of the difference between two candidates is at most the sum of theirs to the best.
        """
        if len(self.mean) <= shown:
            return np.arange(len(self.mean))
        errors, ranked = self._errors(), self.ranked()
        last = ranked[max(shown - 1, 0 if graded is None else ranked.index(graded))]
        ahead = self.behind - self.behind[last] <= HOPELESS * (errors + errors[last])
        return np.flatnonzero(ahead)

    def ranked(self) -> list[int]:
        """Return the candidates, best first."""
        order = np.argsort(self.behind, kind="stable").tolist()
        return [self.best, *(at for at in order if at != self.best)]

    def _errors(self) -> Array:
        """Return standard errors of the differences to the best, for decisions.

        Where candidates differ in few deals, or in none so far, these do not tell by how much they can differ: one more
        deal is counted, in which they are as far apart as the units of a hand spread.
        """
        return np.asarray(np.hypot(self.behind_stderr, self.sd[self.best] / len(self.totals)))


def mean_and_error(units: Array) -> tuple[float, float]:
    """Return the mean of one number a deal, and its standard error."""
    return float(units.mean()), float(units.std(ddof=1) / np.sqrt(len(units)))


def _moments(sums: Array, deals: int) -> tuple[Array, Array]:
    """Return means and standard deviations from sums and sums of squares."""
    mean = sums[:, 0] / deals
    variance = (sums[:, 1] - deals * mean * mean) / (deals - 1)
    return mean, np.sqrt(np.maximum(variance, 0))


@dataclass(frozen=True, eq=False)
class Table:
    """All candidates against all dealt opponents, as the kernels read them.

    Attributes
    ----------
    strengths : (n, 3) uint16
        What the candidates' rows are compared by.
    own : (n,) int64
        Which row of the pairs a candidate is; there are few different ones.
    units, royalties : (k, m, 27) float64
        What a pair pays, and the net royalties in it, by candidate, by the opponent's profile and by row results, as
        :func:`solver.pair_kernels.pair_outcomes` writes them.
    scoops : (m, 27) int8
        1 where row results scoop an opponent of a profile, -1 where they are scooped by him.
    options : Candidates
    deals : Deals
    """

    strengths: Array
    own: Array
    units: Array
    royalties: Array
    scoops: Array
    options: Candidates
    deals: Deals

    @classmethod
    def of(cls, options: Candidates, deals: Deals) -> "Table":
        """Work out the pairs of all candidates with all opponents of a number of deals."""
        profiles, pay = deals.profiles, deals.game.pay
        mine, own = np.unique(options.royalties, axis=0, return_inverse=True)
        units, royalties = np.empty((2, len(mine), len(profiles.status), 27))
        pair_kernels.pair_outcomes(mine, profiles.royalties, profiles.status, pay.kernel_arguments(), units, royalties)
        scoops = ((profiles.status & NO_ROWS) == 0)[:, None] * pay.scoops
        return cls(deals.contested(options.strengths), own.reshape(-1), units, royalties, scoops, options, deals)

    def _against(self) -> tuple[Any, ...]:
        pay = self.deals.game.pay
        home = (self.deals.can_run, pay.home_multiplier, pay.home_extra)
        return self.scoops > 0, home, self.deals.settled

    def totals(self, at: int) -> Array:
        """Return a candidate's units in every deal, shape (deals,)."""
        out, opponents = np.empty(len(self.deals)), (self.deals.strengths, self.deals.profiles.of)
        pair_kernels.deal_totals(self.strengths[at], *opponents, self.units[self.own[at]], *self._against(), out)
        return out

    def accumulate(self, part: slice, baseline: Array) -> Array:
        """Return the sums, and sums of squares, of what some candidates win over a baseline, shape (n, 2)."""
        strengths, own = self.strengths[part], self.own[part]
        out, opponents = np.empty((len(own), 2)), (self.deals.strengths, self.deals.profiles.of)
        pair_kernels.accumulate(strengths, own, *opponents, self.units, *self._against(), baseline, out)
        return out


def value(options: Candidates, deals: Deals, jobs: int) -> Valuation:
    """Value every candidate against the same deals."""
    number, table = len(deals), Table.of(options, deals)
    size = CANDIDATES_PER_TASK if jobs > 1 else len(options)  # other hands may be on other threads: few calls then
    parts = [slice(at, at + size) for at in range(0, len(options), size)]

    def sums(baseline: Array) -> Array:
        return np.concatenate(in_parallel(jobs, [partial(table.accumulate, part, baseline) for part in parts]))

    mean, sd = _moments(sums(np.zeros(number)), number)
    best = int(np.argmax(mean))
    totals = table.totals(best)
    behind, spread = _moments(sums(totals), number)
    return Valuation(mean, sd, 0.0 - behind, spread / np.sqrt(number), best, totals, table)


class Source(Protocol):
    """Where deals come from: a :class:`solver.deals.Dealer`, or what a hand finds in a pool."""

    most: int

    def first(self, number: int, jobs: int = 1) -> Deals:
        """Return the first of the deals, of which there are at most ``most``; fewer where there are no more."""


def stages(
    options: Candidates, source: Source, shown: int, jobs: int, graded: tuple[int, int] | None = None
) -> Iterator[Valuation]:
    """Value candidates on more and more deals, each time all that are left on all deals so far.

    Candidates that are surely not among the best ``shown`` are dropped on the way; those that are left are chosen and
    valued as if none had been. One that is graded, given by its subsets of front and back, stays, as do all that can be
    better. What is yielded depends on no other number of deals than those before.
    """
    ends = [*FIRST_STAGES]
    while ends[-1] < source.most:
        ends.append(2 * ends[-1])
    for number in [*(end for end in ends if end < source.most), source.most]:
        valuation = value(options, source.first(number, jobs), jobs)
        yield valuation
        if len(valuation.totals) < number:
            break
        at = None if graded is None else options.find(*graded)
        options = options.select(valuation.contenders(shown, at))


def by_table(options: Candidates, units: Array, deals: Deals, shown: Sequence[int]) -> Valuation:
    """Value candidates by what a strategy's table expects of each, shape (n,), in total against all opponents.

    Only of those that are shown is the standard deviation worked out, on the strategy's population.
    """
    table, best = Table.of(options, deals), int(np.argmax(units))
    sd = np.full(len(options), np.nan)
    for at in shown:
        sd[at] = table.totals(at).std()
    behind = units[best] - units
    return Valuation(units, sd, behind, np.zeros(len(options)), best, table.totals(best), table, measured=False)


@dataclass(frozen=True)
class Outcomes:
    """How an arrangement fares.

    Attributes
    ----------
    rows : (3, 3) float64
        Shares won, tied and lost of fronts, middles and backs, over the pairs that come to compare rows.
    scoop, scooped : float
        Shares of scoops and of times scooped in those pairs.
    royalties : float
        Net in total, a deal.
    """

    rows: Array
    scoop: float
    scooped: float
    royalties: float


def outcomes(table: Table, at: int) -> Outcomes:
    """Return how a candidate fares."""
    deals, profiles = table.deals, table.deals.profiles
    counts = np.zeros((len(profiles.status), 27), np.int64)
    pair_kernels.count_results(table.strengths[at], deals.strengths, profiles.of, counts)
    counts[(profiles.status & NO_ROWS) != 0] = 0
    compared = max(counts.sum(), 1)
    by_result = counts.sum(0).reshape(3, 3, 3)[::-1, ::-1, ::-1] / compared
    rows = np.array([by_result.sum(tuple(axis for axis in range(3) if axis != row)) for row in range(3)])
    scoop, scooped = ((counts * (table.scoops == sign)).sum() / compared for sign in (1, -1))
    royalties = (counts * table.royalties[table.own[at]]).sum() / len(deals)
    return Outcomes(rows, float(scoop), float(scooped), float(royalties))
