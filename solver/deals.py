"""What opponents hold: dealt from the cards that nobody has seen, all of a deal from one deck, set by a strategy.

What is dealt depends on the seed, the player's cards and the dead cards alone: chunks of deals have seeds of their own,
so neither threads nor the number of deals asked for change the ones before.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from solver import kernels, pair_kernels
from solver.candidates import royalties_of
from solver.cards import DECK
from solver.naturals import HeldNatural, natural_of, natural_units
from solver.scoring import foul_price
from solver.strategies import Strategy
from solver.tables import STEPS_OF_ORDER, Array, Game

DEALS_PER_CHUNK = 1000

Banker = Literal["me", "other"]
"""Who banks where there is a banker: the player, or the first of his opponents."""

NO_ROWS, SCOOPED_OTHERS = 1, 2
"""The bits of a status, as :func:`solver.pair_kernels.pair_outcomes` reads them."""

PLAYS, SURRENDERS = -1, -2
"""In the place of a natural, that a hand declares none and plays its rows, or surrenders."""

MOST_COUNTED = 1 << 20
"""Combinations of royalties up to which they are told apart by counting."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """The opponents of all deals by what a pair with them can pay: their royalties, and whether and how they count.

    Attributes
    ----------
    of : (deals, opponents) uint32
        The profile of each.
    royalties : (m, 4) float64
        Of a profile's rows, -1 for none, and for a split hand, 0 for none.
    status : (m,) uint8
        Of a profile, :data:`NO_ROWS` and :data:`SCOOPED_OTHERS`.
    """

    of: Array
    royalties: Array
    status: Array


@dataclass(frozen=True, eq=False)
class Deals:
    """What opponents hold in a number of deals.

    Attributes
    ----------
    game : Game
    banker : "me", "other" or None
    classes : (deals, opponents, 3) uint16
        Strengths of their rows in the usual order, which royalties go by.
    strengths : (deals, opponents, 3) uint16
        What their rows are compared by; where the banker wins ties doubled, and one more for him.
    places : (deals, opponents) int8
        The place of the natural that each declares, -1 for none, -2 where he surrenders instead.
    hands : (deals, opponents) uint64
        Their cards, a bit each.
    strongest : (deals, opponents) uint16
        The strength of their strongest five cards, 0 where split hands are not paid.
    """

    game: Game
    banker: Banker | None
    classes: Array
    strengths: Array
    places: Array
    hands: Array
    strongest: Array

    def __len__(self) -> int:
        return len(self.classes)

    def select(self, at: Array) -> "Deals":
        """Return some of the deals; what has been worked out of all of them is not worked out again."""
        found = replace(
            self,
            classes=self.classes[at],
            strengths=self.strengths[at],
            places=self.places[at],
            hands=self.hands[at],
            strongest=self.strongest[at],
        )
        profiles = self.profiles
        known = {"profiles": replace(profiles, of=profiles.of[at]), "settled": self.settled[at]}
        found.__dict__.update(known)  # where cached_property keeps them
        return found

    def contested(self, strengths: Array) -> Array:
        """Return what the player's own rows are compared by in these deals."""
        if not self.game.rules.table.banker_wins_ties:
            return strengths
        return np.asarray(2 * strengths + (self.banker == "me"), np.uint16)

    @cached_property
    def paired(self) -> Array:
        """Whether the player is scored against an opponent at all, shape (opponents,)."""
        return np.arange(self.places.shape[1]) == 0 if self.banker == "other" else np.ones(self.places.shape[1], bool)

    @cached_property
    def profiles(self) -> Profiles:
        """What a pair with each opponent can pay; there are few different ones."""
        status = np.where(self.scooped_others, np.uint8(SCOOPED_OTHERS), np.uint8(0))
        status[(self.places != PLAYS) | ~self.paired] = NO_ROWS
        pay = self.game.pay
        split = royalties_of(self.classes, self.strongest, self.game)[..., 3] if pay.split else np.zeros(1)
        found = [np.unique(row, return_inverse=True) for row in (pay.front, pay.middle, pay.back)]
        levels = [*(level for level, _ in found), np.unique(split), np.arange(4.0)]
        shape = tuple(len(level) for level in levels)
        code, size = np.zeros(status.shape, np.int64), int(np.prod(shape))
        for k, (_, at) in enumerate(found):  # one after the other, since each part is as long as the deals
            code = code * shape[k] + at[self.classes[..., k]]
        code = (code * shape[3] + np.searchsorted(levels[3], split)) * shape[4] + status
        if size <= MOST_COUNTED:  # counting beats sorting
            held = np.flatnonzero(np.bincount(code.ravel(), minlength=size))
            at = np.zeros(size, np.int64)
            at[held] = np.arange(len(held))
            of = at[code]
        else:
            held, of = np.unique(code, return_inverse=True)
        columns = np.stack([level[k] for level, k in zip(levels, np.unravel_index(held, shape), strict=True)], axis=-1)
        of = of.reshape(status.shape).astype(np.uint32)
        return Profiles(of, np.ascontiguousarray(columns[:, :4]), columns[:, 4].astype(np.uint8))

    @property
    def can_run(self) -> bool:
        """Whether the player can make a home run."""
        return self.game.pay.home_run and self.banker != "other"

    @cached_property
    def scooped_others(self) -> Array:
        """Whether an opponent has scooped all others, so that only the player is left, shape (deals, opponents)."""
        out = np.zeros(self.places.shape, np.bool_)
        if not self.game.pay.home_run or self.banker == "me":
            return out
        declared = self.places >= 0
        pair_kernels.scoops_of_others(
            self.strengths, self.places != PLAYS, self.game.pay.scoops, self.banker == "other", out
        )
        if self.game.rules.naturals.as_scoop:
            # A natural that is paid counts as a scoop; deals with one are few.
            for deal, j in np.argwhere(declared[:, : 1 if self.banker else None]).tolist():
                others = [i for i in range(self.places.shape[1]) if i != j]
                out[deal, j] = all(self._paid(deal, j, i) for i in others)
        return out

    @cached_property
    def _kinds(self) -> list[HeldNatural | None]:
        """The naturals of the list by place, without tie-breaks, and at the end (places -2 and -1) none."""
        kinds = enumerate(self.game.rules.naturals.kinds)
        return [*(HeldNatural(place, kind.kind, kind.units, ()) for place, kind in kinds), None, None]

    def _natural(self, deal: int, opponent: int) -> HeldNatural | None:
        """Return the natural of an opponent, with the tie-break that the kernels leave out."""
        hand = int(self.hands[deal, opponent])
        return natural_of([card for card in DECK if hand >> card & 1], self.game.rules)

    def _paid(self, deal: int, one: int, other: int) -> bool:
        """Whether the natural of one opponent is paid by another."""
        mine, theirs = self.places[deal, one], self.places[deal, other]
        if mine == theirs:
            return natural_units(self._natural(deal, one), self._natural(deal, other), self.game.rules) > 0
        return natural_units(self._kinds[mine], self._kinds[theirs], self.game.rules) > 0

    @cached_property
    def settled(self) -> Array:
        """Units of the player's pairs without rows to compare, where he plays his, shape (deals,)."""
        given = self.game.rules.surrender.units * ((self.places == SURRENDERS) & self.paired).sum(1)
        return np.asarray(self._settled_pairs(None) + given)

    def declaring(self, natural: HeldNatural) -> Array:
        """Return the player's units in every deal where he declares a natural, shape (deals,)."""
        return self._settled_pairs(natural)

    def surrendering(self, price: float) -> Array:
        """Return the player's units in every deal where he surrenders, shape (deals,)."""
        playing = (self.places == PLAYS) & self.paired
        return np.asarray(self._settled_pairs(None) - price * playing.sum(1))

    def fouling(self) -> Array:
        """Return the player's units in every deal where he fouls, shape (deals,)."""
        rules, profiles = self.game.rules, self.profiles
        prices = [
            0.0
            if status & NO_ROWS
            else foul_price(
                rules,
                self.game.players,
                tuple(None if units < 0 else units for units in royalties[:3]),
                royalties[3],
                bool(status & SCOOPED_OTHERS),
            )
            for royalties, status in zip(profiles.royalties.tolist(), profiles.status.tolist(), strict=True)
        ]
        return np.asarray(self.settled - np.array(prices)[profiles.of].sum(1))

    def _settled_pairs(self, mine: HeldNatural | None) -> Array:
        """Add up the pairs in which a natural decides, seen from the player."""
        pay, rules = self.game.pay, self.game.rules
        untied = None if mine is None else self._kinds[mine.place]
        units = np.array([natural_units(untied, other, rules) for other in self._kinds])[self.places]
        if mine is not None and mine.tiebreak:
            for deal, opponent in np.argwhere(self.places == mine.place).tolist():
                units[deal, opponent] = natural_units(mine, self._natural(deal, opponent), rules)
        if pay.home_run and rules.naturals.as_scoop:
            against = self.scooped_others & (self.places >= 0) & (units < 0)
            units = np.where(against, units * pay.home_multiplier - pay.home_extra, units)
            if mine is not None and self.can_run:
                everybody = (units > 0).all(1, keepdims=True)
                units = np.where(everybody, units * pay.home_multiplier + pay.home_extra, units)
        return np.asarray((units * self.paired).sum(1))


def sample(strategy: Strategy, game: Game, banker: Banker | None = None) -> Deals:
    """Return the population that a strategy keeps as deals: opponents of random hands, all of whom play their rows."""
    opponents = _opponents(game, banker)
    kept = [strategy.of(banks).population for banks in _who_banks(opponents, banker)]
    number = min(map(len, kept)) // opponents
    # Each opponent has a part of his own, so that no hand stands twice in a deal.
    orders = np.stack([kept[k][k * number : (k + 1) * number] for k in range(opponents)], axis=1)
    classes = orders.copy()
    classes[..., 1] = np.argsort(game.contest.middle)[orders[..., 1]]
    places = np.full((number, opponents), PLAYS, np.int8)
    hands, strongest = np.zeros((number, opponents), np.uint64), np.zeros((number, opponents), np.uint16)
    return Deals(game, banker, classes, _banked(STEPS_OF_ORDER * orders, game, banker), places, hands, strongest)


def _who_banks(opponents: int, banker: Banker | None) -> list[bool]:
    """Return of each opponent whether he banks."""
    return [banker == "other" and at == 0 for at in range(opponents)]


def _opponents(game: Game, banker: Banker | None) -> int:
    """Return how many opponents to deal to.

    Of those who neither pair with the player nor take part in a home run against him, nothing is needed.
    """
    return 1 if banker == "other" and not game.pay.home_run else game.players - 1


def _banked(strengths: Array, game: Game, banker: Banker | None) -> Array:
    """Return what opponents' rows are compared by, where the banker may win ties."""
    if not game.rules.table.banker_wins_ties:
        return strengths
    strengths = 2 * strengths
    if banker == "other":
        strengths[:, 0] += 1
    return strengths


def in_parallel(jobs: int, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run tasks on threads and return their results in order; an interrupt waits for those that have begun only."""
    if jobs <= 1 or len(tasks) <= 1:
        return [task() for task in tasks]
    pool = ThreadPoolExecutor(jobs)
    try:
        return [future.result() for future in [pool.submit(task) for task in tasks]]
    finally:
        pool.shutdown(cancel_futures=True)


def _mask(cards: tuple[int, ...]) -> int:
    return sum(1 << card for card in cards)


class Dealer:
    """Deals hands to opponents from the cards that are neither in hand nor dead, and sets them by a strategy.

    It keeps what it has dealt, so more deals cost only those that are new.
    """

    def __init__(
        self,
        game: Game,
        cards: tuple[int, ...],
        dead: tuple[int, ...],
        most: int,
        strategy: Strategy,
        banker: Banker | None = None,
        seed: int = 0,
    ) -> None:
        self.game, self.banker, self.seed, self.most, self.dealt = game, banker, seed, most, 0
        self._unseen = np.array([card for card in DECK if card not in {*cards, *dead}], np.int64)
        shape = most, _opponents(game, banker)  # the system gives memory when it is written to
        self._outputs = (
            *(np.empty((*shape, 3), np.uint16) for _ in range(2)),
            *(np.empty(shape, kind) for kind in (np.int8, np.uint64, np.uint16)),
        )
        ranks, splits, others = strategy.of(False).kernel_arguments(game)
        first = strategy.of(_who_banks(shape[1], banker)[0]).kernel_arguments(game)[2]
        self._arguments = (
            *(ranks, splits, first, others),
            *(game.contest.kernel_arguments(), game.naturals.kernel_arguments(), game.pay.split),
        )
        self._words = [_mask(cards) & 0xFFFFFFFF, _mask(cards) >> 32, _mask(dead) & 0xFFFFFFFF, _mask(dead) >> 32]

    def first(self, number: int, jobs: int = 1) -> Deals:
        """Return the first of the deals, at most ``most``; those that are new are dealt on ``jobs`` threads."""
        if number > self.dealt:
            chunks = range(self.dealt // DEALS_PER_CHUNK, -(-number // DEALS_PER_CHUNK))
            in_parallel(jobs, [partial(self._chunk, at, number) for at in chunks])
            self.dealt = number
        classes, strengths, places, hands, strongest = (out[:number] for out in self._outputs)
        compared = _banked(strengths, self.game, self.banker)
        return Deals(self.game, self.banker, classes, compared, places, hands, strongest)

    def _chunk(self, at: int, end: int) -> None:
        """Deal a chunk, from its beginning and up to ``end``."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(*self._words, at)))
        part = slice(at * DEALS_PER_CHUNK, min((at + 1) * DEALS_PER_CHUNK, end))
        kernels.deal_opponents(rng, self._unseen, *self._arguments, *(out[part] for out in self._outputs))


def deal(
    game: Game,
    cards: tuple[int, ...],
    dead: tuple[int, ...],
    number: int,
    strategy: Strategy,
    *,
    banker: Banker | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> Deals:
    """Deal hands to opponents, and set them by a strategy, as a :class:`Dealer` does."""
    return Dealer(game, cards, dead, number, strategy, banker, seed).first(number, jobs)
