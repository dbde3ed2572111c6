"""What can be asked about a hand, or about many: the checks that all answers share."""

import os
from collections.abc import Sequence

import numpy as np

from solver.cards import DECK, card_name
from solver.deals import Banker
from solver.errors import CardError, RequestError
from solver.rules import RuleSet
from solver.strategies import Strategy
from solver.tables import Game

FEWEST_DEALS, MOST_DEALS = 100, 10_000_000
MOST_JOBS = 256


def check_request(
    rules: RuleSet, players: int, dead: tuple[int, ...], deals: int, precision: float, seed: int, quick: bool
) -> None:
    """Refuse what cannot be served, whatever the hand.

    Raises
    ------
    CardError, RequestError
    """
    for place, card in enumerate(dead, start=1):
        if type(card) is not int or card not in DECK:
            raise CardError(f"dead card {place} of {len(dead)}: a card id is an integer from 0 to 51, got {card!r}")
        if card in dead[: place - 1]:
            raise CardError(f"dead card {place} of {len(dead)}: {card_name(card)} stands twice")
    rules.check_players(players)
    left = 52 - 13 - len(dead)
    if 13 * (players - 1) > left:
        raise RequestError(f"players: a table of {players} needs {13 * (players - 1)} unseen cards, {left} are left")
    if not FEWEST_DEALS <= deals <= MOST_DEALS:
        raise RequestError(f"deals: from {FEWEST_DEALS} to {MOST_DEALS:,}, got {deals}")
    if not (np.isfinite(precision) and precision >= 0):
        raise RequestError(f"precision: zero or a positive number of units, got {precision}")
    if seed < 0:
        raise RequestError(f"seed: zero or a positive integer, got {seed}")
    if quick and dead:
        raise RequestError("quick: a table knows nothing of dead cards; leave out one of the two")


def check_apart(dead: tuple[int, ...], cards: Sequence[int]) -> None:
    """Raise CardError where a hand holds cards that are out of play."""
    twice = [card for card in dead if card in cards]
    if twice:
        names = ", ".join(map(card_name, twice))
        raise CardError(f"dead card {dead.index(twice[0]) + 1} of {len(dead)}: {names} is in the hand")


def who_banks(banker: Banker | None, rules: RuleSet) -> Banker | None:
    """Return who banks; RequestError where that cannot be."""
    if banker not in (None, "me", "other"):
        raise RequestError(f"banker: 'me' or 'other', got {banker!r}")
    if banker is not None and not rules.table.banker:
        raise RequestError(f"banker: the rules '{rules.name}' have none")
    return banker or ("other" if rules.table.banker else None)


def check_units(strategy: Strategy, game: Game, banker: Banker | None) -> None:
    """Raise RequestError where a strategy does not say what is expected of arrangements."""
    kinds = game.rules.naturals.kinds if game.rules.naturals.enabled else ()
    theirs = strategy.of(banker == "other")
    if not len(theirs.population) or len(theirs.naturals) != len(kinds):
        raise RequestError(f"quick: '{strategy.name}' has no table of expected units; train one with `capsa train`")


def threads(jobs: int | None) -> int:
    """Return how many threads to work with."""
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise RequestError(f"jobs: from 1 to {MOST_JOBS} threads, got {jobs}")
    return jobs or os.cpu_count() or 1
