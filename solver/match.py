"""Duplicate matches: two strategies play each other over the same deals, every hand from both sides.

Dealing and the statistics are here; :mod:`solver.setters` sets the hands and :mod:`solver.scoring` settles the rounds.
"""

import os
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from solver import kernels
from solver.cards import Hand, format_cards
from solver.errors import RequestError
from solver.opponents import say_on_stderr
from solver.rules import RuleSet, load_rules
from solver.scoring import Player, settle
from solver.setters import Setter, Setting, setter
from solver.tables import Array, Game, lower

DEALS_PER_CHUNK = 1000
DEFAULT_HANDS, MOST_HANDS = 40_000, 10_000_000
MOST_JOBS, MOST_SECONDS = 256, 86_400.0
PROGRESS_EVERY = 0.2


@dataclass(frozen=True)
class MatchResult:
    """How a match between two strategies ended.

    Attributes
    ----------
    a, b : str
        The strategies, as they were named.
    players : int
        Seats: one is A's, all others are B's.
    deals : int
        Deals played, each with A in every seat in turn and, in rules with a banker, with everybody banking in turn.
    hands : int
        Hands that A played, replays included: ``players`` a deal, and as many times more in rules with a banker.
    units, stderr : float
        What A wins a hand from all others together, the mean over all its hands, and the standard error of that. The
        replays of a deal depend on each other, so a deal counts as one observation.
    identical : float
        How many of the hands both set alike, row by row the same cards; naturals, which are declared, left out.
    scoops : (float, float)
        In how many of A's pairs A scooped the other, and was scooped. A foul is a scoop.
    fouls : (int, int)
        Hands that A and B fouled; both set every hand of a deal once, however often it is replayed.
    faults : (str or None, str or None)
        The first foul of each: the hand, and what was wrong.
    decided : bool
        Whether the standard error is at most the precision asked for.
    interrupted : bool
        Whether the match was broken off, so that this is what had been played.
    overrides : mapping
        What was changed of the rule set.
    """

    a: str
    b: str
    rules: RuleSet
    players: int
    seed: int
    deals: int
    hands: int
    units: float
    stderr: float
    identical: float
    scoops: tuple[float, float]
    fouls: tuple[int, int]
    faults: tuple[str | None, str | None] = (None, None)
    decided: bool = True
    interrupted: bool = False
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``capsa match --json`` prints it."""
        return {
            "a": self.a,
            "b": self.b,
            "rules": self.rules.name,
            "overrides": dict(self.overrides),
            "players": self.players,
            "seed": self.seed,
            "units": self.units,
            "stderr": self.stderr,
            "hands": self.hands,
            "deals": self.deals,
            "decided": self.decided,
            "interrupted": self.interrupted,
            "identical": self.identical,
            "scoops": list(self.scoops),
            "fouls": list(self.fouls),
            "faults": list(self.faults),
        }


@dataclass(frozen=True)
class Standing:
    """How a match stands while it is played.

    Attributes
    ----------
    deals : int
    units, stderr : float
        As in the result.
    elapsed, left : float
        Seconds played, and those it will about take.
    """

    deals: int
    units: float
    stderr: float
    elapsed: float
    left: float


def match(
    a: str,
    b: str,
    *,
    rules: RuleSet | str | os.PathLike[str] = "2-4",
    players: int = 2,
    hands: int = DEFAULT_HANDS,
    precision: float = 0.02,
    seed: int = 0,
    jobs: int | None = None,
    timeout: float = 10.0,
    overrides: Mapping[str, Any] | None = None,
    quiet: bool = False,
    progress: Callable[[Standing], None] | None = None,
    say: Callable[[str], None] = say_on_stderr,
) -> MatchResult:
    """Let two strategies play each other over duplicate deals.

    A sits in one seat and B in all others, and every deal is played with A in each seat in turn, so with two players
    every hand is played from both sides. Units per hand are A's mean over all seats, and over all bankers in rules
    with one, of what it wins from all others together. Who holds a natural declares it; strategies surrender where
    they hold that best, programs never do.

    Parameters
    ----------
    a, b
        Strategies: names, paths of tables, or ``cmd:`` and a program that reads a hand a line and writes
        ``front | middle | back`` a line. An illegal, malformed, late or missing answer is a foul.
    rules, players, overrides
        A rule set, or the name of a preset or a rule file; the seats; and what was changed, for the record only.
    hands, precision
        The match ends before A would play more hands, replays included, or when the standard error is at most so many
        units after any number of thousands of deals.
    seed, jobs
        Deals depend on the seed alone, and longer matches begin with the deals of shorter ones; ``jobs`` is the number
        of threads (default: all cores).
    timeout, quiet
        Seconds that a program has for a hand, and whether what it writes to stderr is dropped.
    progress
        Called now and then.
    say
        Called with lines about the training of a strategy, where rules need one of their own.

    Raises
    ------
    CapsaError
        If anything of this cannot be served, such as a program that cannot be started.
    KeyboardInterrupt
        If the match is interrupted before two deals are played; later it returns what there is.
    """
    rules = rules if isinstance(rules, RuleSet) else load_rules(rules)
    replays = players * (players if rules.table.banker else 1)
    _check(rules, players, 2 * replays, hands, precision, seed, jobs, timeout)
    game, tally = lower(rules, players), _Tally(replays)
    watch = _Watch(progress, hands // replays, precision)
    with ExitStack() as opened:
        setters = [
            opened.enter_context(closing(setter(source, game, jobs or os.cpu_count() or 1, timeout, quiet, say)))
            for source in (a, b)
        ]
        for one in setters:
            one.open()
        interrupted = _play_all(setters, game, seed, tally, watch)
    found, changes = tally.figures(), overrides or {}
    decided = found["stderr"] <= precision
    names = (setters[0].name, setters[1].name)
    return MatchResult(
        *names, rules, players, seed, **found, decided=decided, interrupted=interrupted, overrides=changes
    )


def _check(
    rules: RuleSet,
    players: int,
    fewest_hands: int,
    hands: int,
    precision: float,
    seed: int,
    jobs: int | None,
    timeout: float,
) -> None:
    """Refuse what cannot be served."""
    rules.check_players(players)
    if not fewest_hands <= hands <= MOST_HANDS:
        raise RequestError(f"hands: from {fewest_hands} (two deals) to {MOST_HANDS:,}, got {hands}")
    if not (np.isfinite(precision) and precision > 0):
        raise RequestError(f"precision: a positive number of units, got {precision}")
    if seed < 0:
        raise RequestError(f"seed: zero or a positive integer, got {seed}")
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise RequestError(f"jobs: from 1 to {MOST_JOBS} threads, got {jobs}")
    if not 0 < timeout <= MOST_SECONDS:
        raise RequestError(f"timeout: more than 0 and at most {MOST_SECONDS:,.0f} seconds a hand, got {timeout}")


# --- Playing ---


class _Tally:
    """What has been played, a record a deal, which is added in one step so that an interrupt leaves none by halves."""

    FIELDS = ("units", "set", "alike", "pairs", "scoops_a", "scoops_b", "fouls_a", "fouls_b")

    def __init__(self, replays: int) -> None:
        self.replays = replays
        self.records = array("d")
        self.faults: list[str | None] = [None, None]

    @property
    def deals(self) -> int:
        """How many deals have been played."""
        return len(self.records) // len(self.FIELDS)

    def _columns(self) -> Array:
        return np.array(self.records, np.float64).reshape(-1, len(self.FIELDS))

    def mean_and_error(self) -> tuple[float, float]:
        """Return A's units per hand and their standard error."""
        units = self._columns()[:, 0] / self.replays
        return float(units.mean()) + 0.0, float(units.std(ddof=1) / np.sqrt(len(units)))

    def figures(self) -> dict[str, Any]:
        """Return the part of a result that is counted."""
        units, stderr = self.mean_and_error()
        found = dict(zip(self.FIELDS, self._columns().sum(0).tolist(), strict=True))
        return {
            "deals": self.deals,
            "hands": self.deals * self.replays,
            "units": units,
            "stderr": stderr,
            "identical": found["alike"] / found["set"] if found["set"] else 1.0,
            "scoops": (found["scoops_a"] / found["pairs"], found["scoops_b"] / found["pairs"]),
            "fouls": (int(found["fouls_a"]), int(found["fouls_b"])),
            "faults": (self.faults[0], self.faults[1]),
        }


class _Watch:
    """Knows when a match ends, and tells now and then how it stands."""

    def __init__(self, tell: Callable[[Standing], None] | None, most: int, precision: float) -> None:
        self.tell, self.most, self.precision = tell, most, precision
        self.start = self.last = time.monotonic()

    def look(self, tally: _Tally) -> None:
        """Tell how the match stands if it is time to."""
        now = time.monotonic()
        if self.tell is None or tally.deals < 2 or now - self.last < PROGRESS_EVERY:
            return
        self.last = now
        units, stderr = tally.mean_and_error()
        chunks = np.ceil(tally.deals * max((stderr / self.precision) ** 2, 1) / DEALS_PER_CHUNK)
        needed = min(self.most, chunks * DEALS_PER_CHUNK)
        elapsed = now - self.start
        self.tell(Standing(tally.deals, units, stderr, elapsed, elapsed * (needed / tally.deals - 1)))


def deal_chunk(seed: int, chunk: int, players: int) -> Array:
    """Return the hands of a thousand deals, shape (1000, players, 13), each ascending; more players see no others."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(chunk,)))
    decks = rng.permuted(np.tile(np.arange(52), (DEALS_PER_CHUNK, 1)), axis=1)
    return np.sort(decks[:, : 13 * players].reshape(DEALS_PER_CHUNK, players, 13), axis=-1)


def _play_all(setters: Sequence[Setter], game: Game, seed: int, tally: _Tally, watch: _Watch) -> bool:
    """Play until all deals are played or the error is small enough, and return whether that was interrupted."""
    try:
        for chunk in count():
            number = min(DEALS_PER_CHUNK, watch.most - tally.deals)
            if number == 0 or (tally.deals and tally.mean_and_error()[1] <= watch.precision):
                return False
            _play(deal_chunk(seed, chunk, game.players)[:number], setters, game, tally, watch)
    except KeyboardInterrupt:
        if tally.deals < 2:
            raise
    return True


def _play(deals: Array, setters: Sequence[Setter], game: Game, tally: _Tally, watch: _Watch) -> None:
    """Play a number of deals."""
    places = np.empty(deals.shape[:2], np.int8)
    for seat in range(deals.shape[1]):
        held = np.empty(len(deals), np.int8)
        kernels.natural_places(np.ascontiguousarray(deals[:, seat]), *game.naturals.kernel_arguments(), held)
        places[:, seat] = held
    asked = deals[places < 0]
    answers = [setter.settings(asked) for setter in setters]
    for hands, natural in zip(deals.tolist(), (places >= 0).tolist(), strict=True):
        sides: tuple[list[Player], list[Player]] = ([], [])
        banking: tuple[list[Player], list[Player]] = ([], [])
        fouls = [0, 0]
        for hand, declared in zip(hands, natural, strict=True):
            for side, settings in enumerate(answers):
                setting = Setting(Player(natural=Hand(tuple(hand)))) if declared else next(settings)
                sides[side].append(setting.player)
                banking[side].append(setting.banking or setting.player)
                if setting.fault:
                    fouls[side] += 1
                    tally.faults[side] = tally.faults[side] or f"{format_cards(reversed(hand))}: {setting.fault}"
        both = (list(zip(side, other, strict=True)) for side, other in zip(sides, banking, strict=True))
        alike = sum(one == other for one, other in zip(*both, strict=True)) - sum(natural)
        units, *scored = replay(game.rules, *sides, banking)
        tally.records.extend((units, len(hands) - sum(natural), alike, *scored, *fouls))
        watch.look(tally)


def replay(
    rules: RuleSet,
    a: Sequence[Player],
    b: Sequence[Player],
    banking: tuple[Sequence[Player], Sequence[Player]] | None = None,
) -> tuple[float, int, int, int]:
    """Settle a deal with A in each seat in turn, and with everybody banking where there is a banker.

    Parameters
    ----------
    a, b
        How A and B play each seat's hand.
    banking
        How they play it as the banker, where that is another way.

    Returns
    -------
    (float, int, int, int)
        A's units in all rounds together, and of all pairs that A was in their number and how many A scooped and was
        scooped in.
    """
    seats = range(len(a))
    units, pairs, won, lost, differ = 0.0, 0, 0, 0, False
    for banker in seats if rules.table.banker else (None,):
        mine, theirs = list(a), list(b)
        if banker is not None and banking is not None:
            mine[banker], theirs[banker] = banking[0][banker], banking[1][banker]
        differ = differ or mine != theirs
        # Rounds in which A sets its hand as B would are one and the same.
        settled = {}
        for seat in seats:
            changed = seat if mine[seat] != theirs[seat] else None
            if changed not in settled:
                settled[changed] = settle(rules, [*theirs[:seat], mine[seat], *theirs[seat + 1 :]], banker)
            units += settled[changed].totals[seat]
            for pair in settled[changed].pairs:
                if seat in (pair.a, pair.b):
                    scoop = pair.scoop if pair.a == seat else -pair.scoop
                    pairs, won, lost = pairs + 1, won + (scoop > 0), lost + (scoop < 0)
    # Where all seats are played alike, A wins in every round the total of another seat, and totals add up to nothing.
    return units if differ else 0.0, pairs, won, lost
