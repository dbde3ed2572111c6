"""Pools: random hands that a strategy has set once, which serve as opponents against any of many hands.

Those of a pool that share no card with a player's hand are what an opponent can hold, each as likely as another. They
are opponents one by one; where home runs couple opponents, these must be dealt together, as :mod:`solver.deals` does.
"""

import threading
from dataclasses import replace
from math import ceil, comb, sqrt

import numpy as np

from solver import answer_kernels
from solver.deals import DEALS_PER_CHUNK, Banker, Dealer, Deals, deal
from solver.strategies import Strategy
from solver.tables import Array, Game

POOL_SHARE = comb(39, 13) / comb(52, 13)
"""How many of all hands share no card with a given one."""

FIRST_SIZE = 100_000
"""Entries of a pool that grows, at first; about 1,280 deals for a hand."""


def make_pool(strategy: Strategy, game: Game, deals: int, seed: int, jobs: int, banker: Banker | None = None) -> Deals:
    """Set a pool of random hands, so many that about ``deals`` of them share no card with a given hand."""
    return deal(_alone(game), (), (), round(deals / POOL_SHARE), strategy, banker=banker, seed=seed, jobs=jobs)


def _alone(game: Game) -> Game:
    """Return the game against a single opponent; what a pair pays stays that of the table."""
    return replace(game, players=2)


def size_for(deals: int, dead: int = 0) -> int:
    """Return how large a pool must be for nearly every hand to find so many deals in it.

    How many it finds is binomial; by 4.5 standard deviations more are expected than are wanted, so that three hands in
    a million find fewer. The pool holds no dead cards, of which there are so many.
    """
    return ceil((deals + 4.5 * sqrt(deals) + 10) * comb(52 - dead, 13) / comb(39 - dead, 13))


class Pool:
    """A pool that grows as far as is looked into it.

    What it holds depends on the seed, the dead cards, the game and the strategy, never on who looks when: a larger one
    begins with the smaller one. Threads may share it.

    Parameters
    ----------
    deals
        How many a hand may want to find.
    dead
        Cards that nobody holds.
    jobs
        Threads that set new entries.
    """

    def __init__(
        self,
        game: Game,
        dead: tuple[int, ...],
        deals: int,
        strategy: Strategy,
        banker: Banker | None = None,
        seed: int = 0,
        jobs: int = 1,
    ) -> None:
        self.most, self._jobs, self._lock = size_for(deals, len(dead)), jobs, threading.Lock()
        self._dealer = Dealer(_alone(game), (), dead, self.most, strategy, banker, seed)
        self._grown = self._dealer.first(0)

    def beyond(self, size: int) -> Deals:
        """Return the pool with more entries than ``size``, unless it has no more."""
        with self._lock:
            if len(self._grown) <= size and size < self.most:
                # In whole chunks, since one that is dealt again is written to while others read it.
                wanted = -(-max(2 * len(self._grown), FIRST_SIZE) // DEALS_PER_CHUNK) * DEALS_PER_CHUNK
                grown = self._dealer.first(min(wanted, self.most), self._jobs)
                _ = grown.profiles, grown.settled  # worked out once, for all hands
                self._grown = grown
            return self._grown


class Finder:
    """Finds in a pool what opponents of one hand can hold, and gives it as a :class:`solver.deals.Dealer` gives deals.

    It looks no further than it must, and keeps what it has found.
    """

    def __init__(self, pool: Pool, cards: tuple[int, ...], most: int) -> None:
        self.most, self._pool, self._cards = most, pool, np.uint64(sum(1 << card for card in cards))
        self._found: Array = np.empty(most, np.int64)
        self._number = self._looked = 0

    def first(self, number: int, jobs: int = 1) -> Deals:
        """Return the first of the deals; fewer where the pool has no more. ``jobs`` is the pool's own matter."""
        pool = self._pool.beyond(self._looked)
        while self._number < number and self._looked < len(pool):
            out = self._found[self._number : number]
            found, self._looked = answer_kernels.apart(pool.hands, self._cards, self._looked, out)
            self._number += found
            if self._number < number:
                pool = self._pool.beyond(self._looked)
        return pool.select(self._found[: min(number, self._number)])
