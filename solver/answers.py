"""Answers to many hands at once: what :func:`solver.advice.best` says of one, without its alternatives, and faster.

Most hands are valued against a pool of opponents' hands that is set once (:mod:`solver.pool`); where home runs couple
opponents, each hand has deals of its own. Reading hands and writing answers is left to others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from solver import answer_kernels, kernels
from solver.candidates import candidates
from solver.cards import Hand
from solver.choices import is_decided
from solver.deals import Banker, Dealer, in_parallel
from solver.errors import RequestError
from solver.expectation import Source, stages
from solver.naturals import natural_of
from solver.opponents import find_strategy, say_on_stderr
from solver.pool import Finder, Pool, size_for
from solver.questions import check_apart, check_request, check_units, threads, who_banks
from solver.rules import RuleSet
from solver.strategies import FINEST
from solver.tables import LOW, Array, lower, subsets

MOST_ENTRIES = 5_000_000
"""Entries of the largest pool, 35 bytes each; without dead cards they are 62,000 deals for a hand."""

HANDS_PER_TASK = 500
"""Hands that a thread sets by a table at once."""


@dataclass(frozen=True)
class Request:
    """What is asked of every hand: as :func:`solver.advice.best` takes it, and checked as it does.

    Attributes
    ----------
    rules : RuleSet
    players : int
    banker : "me", "other" or None
        As given, and "other" where the rules have a banker and none is given.
    opponents : str
    dead : tuple of int
    seed, deals : int
    precision : float
    quick : bool

    Raises
    ------
    CapsaError
        If it cannot be served, whatever the hand.
    """

    rules: RuleSet
    players: int = 2
    banker: Banker | None = None
    opponents: str = "equilibrium"
    dead: tuple[int, ...] = ()
    seed: int = 0
    deals: int = 20_000
    precision: float = 0.01
    quick: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "dead", tuple(self.dead))
        check_request(self.rules, self.players, self.dead, self.deals, self.precision, self.seed, self.quick)
        object.__setattr__(self, "banker", who_banks(self.banker, self.rules))

    def __hash__(self) -> int:
        # A rule set holds dictionaries, so its fingerprint stands for it.
        asked = self.opponents, self.dead, self.seed, self.deals, self.precision, self.quick
        return hash((self.rules.fingerprint(), self.players, self.banker, *asked))


@dataclass(frozen=True, eq=False)
class Answers:
    """The best arrangements of hands.

    Attributes
    ----------
    cards : (n, 13) uint8
        Front, middle and back as a player lays them.
    units, stderr : (n,) float64
        Expected units in total against all opponents, and their standard errors; nan where a table says the units.
    deals : (n,) int64
        How many deals were needed; 0 where a table says everything.
    """

    cards: Array
    units: Array
    stderr: Array
    deals: Array

    def __len__(self) -> int:
        return len(self.cards)


class Answerer:
    """Answers a request for any number of hands.

    A hand's answer depends on the request and the hand alone: neither on the other hands nor on the threads.

    Parameters
    ----------
    request
    jobs
        Threads to work with; None for all cores.
    say
        Called with lines about the training of opponents, where rules need one of their own.

    Raises
    ------
    CapsaError
        If opponents are unknown, have no table for quick answers, or if more deals are asked for than a pool can have.

    Notes
    -----
    Deals are asked for, and end, as in :func:`solver.advice.best`. From a pool each has a single opponent, who stands
    for all whom the player is scored against: their units add up, so the mean is the same, but with three opponents the
    standard error is 1.7 times as large as where three are dealt. Two hands have one deal in eighty in common
    (:data:`solver.pool.POOL_SHARE`), so that their errors are nearly independent; that of a mean over thousands
    of hands is not, and is larger than their number suggests. The best is valued on the deals that it was chosen on.

    Examples
    --------
    >>> from solver.rules import load_rules
    >>> answerer = Answerer(Request(load_rules("2-4"), quick=True))
    >>> answerer.answer(np.arange(13)[None]).cards[0].tolist()
    [7, 6, 5, 3, 2, 1, 0, 4, 11, 10, 9, 8, 12]
    """

    def __init__(self, request: Request, jobs: int | None = 1, say: Callable[[str], None] = say_on_stderr) -> None:
        self.request, self._jobs = request, threads(jobs)
        self._game = lower(request.rules, request.players)
        # Only with several opponents does a home run depend on what the others hold.
        self._pooled = not (self._game.pay.home_run and request.players > 2)
        if self._pooled and not request.quick and size_for(request.deals, len(request.dead)) > MOST_ENTRIES:
            most, dead = MOST_ENTRIES, len(request.dead)
            beside = f" with {dead} dead cards" if dead else ""
            raise RequestError(
                f"deals: many hands share a pool of at most {most:,} opponents' hands, which is too small for "
                f"{request.deals:,} deals a hand{beside}; ask for fewer, or ask `capsa best` hand by hand"
            )
        self._strategy = find_strategy(request.opponents, request.rules, request.players, jobs=self._jobs, say=say)
        if request.quick:
            check_units(self._strategy, self._game, request.banker)
        self._arguments = self._strategy.of(request.banker == "me").kernel_arguments(self._game)
        self._pool: Pool | None = None
        if self._pooled and not request.quick:
            asked = request.dead, request.deals, self._strategy, request.banker, request.seed
            self._pool = Pool(self._game, *asked, self._jobs)

    def answer(self, hands: Array) -> Answers:
        """Return the best arrangement of every hand.

        Parameters
        ----------
        hands : (n, 13) integers
            Card ids, in any order.

        Raises
        ------
        CardError
            If one is no hand, or holds a dead card.
        """
        hands = np.sort(np.asarray(hands, np.int64).reshape(-1, 13), axis=1)
        self._check(hands)
        chosen, units, stderr, deals = self._by_table(hands) if self.request.quick else self._by_deals(hands)
        return Answers(self._laid(hands, chosen), units, stderr, deals)

    def _check(self, hands: Array) -> None:
        """Refuse what is no hand, and hands with dead cards."""
        held = np.isin(hands, self.request.dead)
        wrong = (hands < 0) | (hands > 51) | held
        wrong[:, 1:] |= hands[:, 1:] == hands[:, :-1]
        for hand in hands[wrong.any(1)][:1].tolist():
            check_apart(self.request.dead, Hand(tuple(hand)).cards)

    def _laid(self, hands: Array, chosen: Array) -> Array:
        """Return arrangements as players lay them, given the subsets of front and back, shape (n, 2)."""
        ranking, out = self.request.rules.ranking, np.empty(hands.shape, np.uint8)
        low = ranking.wheel == "lowest"
        front, back = chosen[:, 0], chosen[:, 1]
        answer_kernels.lay_hands(hands, front, back, self._arguments[1], low and ranking.middle != LOW, low, out)
        return out

    def _by_table(self, hands: Array) -> tuple[Array, ...]:
        """Return the subsets of front and back that the table values highest, and its units."""
        game, number = self._game, len(hands)
        pay, splits = game.pay, subsets()
        # Royalties that grow with strength decide nothing that strength does not.
        rows = [np.zeros(len(row)) if pay.monotone() else row for row in pay.worth()]
        beside = splits.pair_a, splits.pair_b
        facts = beside, game.contest.kernel_arguments(), (*rows, *game.split_royalty), pay.rewards_strength()
        out, paid = np.empty((number, 3), np.int64), np.empty(number)

        def choose(part: slice) -> None:
            kernels.choose_hands(hands[part], *self._arguments, *facts, out[part], paid[part])

        parts = [slice(at, at + HANDS_PER_TASK) for at in range(0, number, HANDS_PER_TASK)]
        in_parallel(self._jobs, [partial(choose, part) for part in parts])
        least, step = self._strategy.of(self.request.banker == "me").units
        units = (least + step * out[:, 0] / FINEST + paid) * self._opponents
        return out[:, 1:], units, np.full(number, np.nan), np.zeros(number, np.int64)

    @property
    def _opponents(self) -> int:
        """How many opponents the player is scored against."""
        return 1 if self.request.banker == "other" else self.request.players - 1

    def _by_deals(self, hands: Array) -> tuple[Array, ...]:
        """Return the subsets of front and back that win the most, their units, standard errors, and the deals."""
        places = np.empty(len(hands), np.int64)
        kernels.natural_places(hands, *self._game.naturals.kernel_arguments(), places)
        asked = zip(hands.tolist(), (places >= 0).tolist(), strict=True)
        found = in_parallel(self._jobs, [partial(self._valued, tuple(hand), natural) for hand, natural in asked])
        columns = np.array(found, np.float64).reshape(-1, 5)
        return columns[:, :2].astype(np.int64), columns[:, 2], columns[:, 3], columns[:, 4].astype(np.int64)

    def _valued(self, cards: tuple[int, ...], natural: bool) -> Sequence[float]:
        """Return the best arrangement of a hand, as a row of what :meth:`_by_deals` returns."""
        request, alike = self.request, 1
        source: Source
        if self._pool is None:
            source = Dealer(
                self._game, cards, request.dead, request.deals, self._strategy, request.banker, request.seed
            )
        else:  # each deal of a pool has one opponent, who stands for all
            source, alike = Finder(self._pool, cards, request.deals), self._opponents
        # What is certain to the precision in units against one is so in the units against all.
        precision, held = request.precision / alike, natural_of(cards, request.rules) if natural else None
        for valuation in stages(candidates(cards, self._game), source, 1, 1):
            if precision and is_decided(valuation, held, self._strategy, precision):
                break
        best, options = valuation.best, valuation.table.options
        stderr = valuation.stderr(best)
        assert stderr is not None
        units = float(valuation.mean[best])
        return options.front[best], options.back[best], alike * units, alike * stderr, len(valuation.totals)
