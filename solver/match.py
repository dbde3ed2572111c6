"""Duplicate matches: two strategies play each other over the same deals, every hand from both sides.

Setting the hands, by a table or by a program, and the statistics are here; rounds are settled by :mod:`solver.scoring`.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, count
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

import numpy as np

from solver import kernels
from solver.arrangements import ROWS, Arrangement, foul_reason
from solver.cards import Hand, format_cards
from solver.deals import in_parallel
from solver.errors import CapsaError, RequestError, StrategyError
from solver.rules import RuleSet, load_rules
from solver.scoring import Player, settle
from solver.strategies import load_strategy
from solver.tables import Array, Game, lower, subsets

DEALS_PER_CHUNK = 1000
DEFAULT_HANDS, MOST_HANDS = 40_000, 10_000_000
MOST_JOBS, MOST_SECONDS = 256, 86_400.0
HANDS_PER_TASK = 250
RESTARTS = 3
LONGEST_ANSWER = 1000
PATIENCE = 1.0
"""Seconds that a program is given to end by itself."""

PROGRESS_EVERY = 0.2
PROGRAM = "cmd:"


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


@dataclass(frozen=True)
class Setting:
    """How a hand is set, each row in ascending order, and what was wrong with it where it is a foul."""

    arrangement: Arrangement
    fault: str = ""


class Setter(Protocol):
    """Who sets hands."""

    name: str

    def settings(self, hands: Array) -> Iterator[Setting]:
        """Set hands, an array of shape (n, 13) with ascending card ids, one after the other."""

    def close(self) -> None:
        """End what was started."""


def match(
    a: str,
    b: str,
    *,
    rules: RuleSet | str = "2-4",
    players: int = 2,
    hands: int = DEFAULT_HANDS,
    precision: float = 0.02,
    seed: int = 0,
    jobs: int | None = None,
    timeout: float = 10.0,
    overrides: Mapping[str, Any] | None = None,
    quiet: bool = False,
    progress: Callable[[Standing], None] | None = None,
) -> MatchResult:
    """Let two strategies play each other over duplicate deals.

    A sits in one seat and B in all others, and every deal is played with A in each seat in turn, so with two players
    every hand is played from both sides. Units per hand are A's mean over all seats, and over all bankers in rules
    with one, of what it wins from all others together. Who holds a natural declares it, and nobody surrenders.

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

    Raises
    ------
    CapsaError
        If anything of this cannot be served, such as a program that cannot be started.
    KeyboardInterrupt
        If the match is interrupted before two deals are played; later it returns what there is.
    """
    rules = load_rules(rules) if isinstance(rules, str) else rules
    replays = players * (players if rules.table.banker else 1)
    _check(rules, players, 2 * replays, hands, precision, seed, jobs, timeout)
    game, tally = lower(rules, players), _Tally(replays)
    watch = _Watch(progress, hands // replays, precision)
    with ExitStack() as opened:
        setters = [
            opened.enter_context(closing(_setter(source, game, jobs or os.cpu_count() or 1, timeout, quiet)))
            for source in (a, b)
        ]
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
    fewest, most = rules.players
    if not fewest <= players <= most:
        raise RequestError(f"players: the rule set '{rules.name}' seats {fewest} to {most}, got {players}")
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
        fouls = [0, 0]
        for hand, declared in zip(hands, natural, strict=True):
            for side, settings in enumerate(answers):
                if declared:
                    sides[side].append(Player(natural=Hand(tuple(hand))))
                    continue
                setting = next(settings)
                sides[side].append(Player(arrangement=setting.arrangement))
                if setting.fault:
                    fouls[side] += 1
                    tally.faults[side] = tally.faults[side] or f"{format_cards(reversed(hand))}: {setting.fault}"
        alike = sum(one == other for one, other in zip(*sides, strict=True)) - sum(natural)
        units, *scored = replay(game.rules, *sides)
        tally.records.extend((units, len(hands) - sum(natural), alike, *scored, *fouls))
        watch.look(tally)


def replay(rules: RuleSet, a: Sequence[Player], b: Sequence[Player]) -> tuple[float, int, int, int]:
    """Settle a deal with A in each seat in turn, and with everybody banking where there is a banker.

    Parameters
    ----------
    a, b
        How A and B play each seat's hand.

    Returns
    -------
    (float, int, int, int)
        A's units in all rounds together, and of all pairs that A was in their number and how many A scooped and was
        scooped in.
    """
    seats = range(len(a))
    units, pairs, won, lost = 0.0, 0, 0, 0
    for banker in seats if rules.table.banker else (None,):
        # Rounds in which A sets its hand as B would are one and the same.
        settled = {}
        for seat in seats:
            changed = seat if a[seat] != b[seat] else None
            if changed not in settled:
                settled[changed] = settle(rules, [*b[:seat], a[seat], *b[seat + 1 :]], banker)
            units += settled[changed].totals[seat]
            for pair in settled[changed].pairs:
                if seat in (pair.a, pair.b):
                    scoop = pair.scoop if pair.a == seat else -pair.scoop
                    pairs, won, lost = pairs + 1, won + (scoop > 0), lost + (scoop < 0)
    # Where all seats are played alike, A wins in every round the total of another seat, and totals add up to nothing.
    return units if list(a) != list(b) else 0.0, pairs, won, lost


# --- Who sets the hands ---


def _setter(source: str, game: Game, jobs: int, timeout: float, quiet: bool) -> Setter:
    """Return who sets hands by the name of a strategy, the path of a table or a program."""
    if source.startswith(PROGRAM):
        return _Program(source, game.rules, timeout, quiet)
    return _Table(source, game, jobs)


class _Table:
    """Sets hands by a strategy's table."""

    def __init__(self, source: str, game: Game, jobs: int) -> None:
        strategy = load_strategy(source, game.rules)
        self.name = strategy.name if source == "equilibrium" else source  # rules without a table have another one
        self.arguments = strategy.kernel_arguments(game)
        self.jobs = jobs

    def close(self) -> None:
        """Do nothing: nothing was started."""

    def settings(self, hands: Array) -> Iterator[Setting]:
        """Set all hands at once, and hand them out one by one."""
        found = np.empty((len(hands), 3), np.int64)
        tasks = []
        for start in range(0, len(hands), HANDS_PER_TASK):
            part = slice(start, start + HANDS_PER_TASK)
            tasks.append(partial(kernels.arrange_hands, hands[part], *self.arguments, found[part]))
        in_parallel(self.jobs, list(tasks))
        splits = subsets()
        fronts, backs = splits.three_mask[found[:, 1]], splits.five_mask[found[:, 2]]
        middles = splits.five_at[np.uint16((1 << 13) - 1) ^ fronts ^ backs]
        places = splits.three[found[:, 1]], splits.five[middles], splits.five[found[:, 2]]
        rows = [np.take_along_axis(hands, place.astype(np.intp), axis=1).tolist() for place in places]
        for front, middle, back in zip(*rows, strict=True):
            yield Setting(Arrangement(tuple(front), tuple(middle), tuple(back)))


def illegal(hand: Sequence[int], rules: RuleSet) -> Arrangement:
    """Return an illegal arrangement of thirteen cards, high cards first where they should come last.

    What a foul costs does not depend on how it is laid. There is one for every hand, except that with a deuce-to-seven
    middle some hands of twelve or thirteen cards in one suit cannot be laid but legally: those are played so.
    """
    cards = sorted(hand, reverse=True)
    for front in combinations(cards, 3):
        left = [card for card in cards if card not in front]
        for middle in combinations(left, 5):
            back = [card for card in left if card not in middle]
            found = Arrangement(*(tuple(sorted(row)) for row in (front, middle, back)))
            if foul_reason(found, rules):
                return found
    return found


class _Program:
    """Sets hands by asking a program, which is started once, and a few times more if it dies or does not answer."""

    def __init__(self, source: str, rules: RuleSet, timeout: float, quiet: bool) -> None:
        self.name, self.rules, self.timeout = source, rules, timeout
        self.stderr = subprocess.DEVNULL if quiet else None
        try:
            self.words = shlex.split(source.removeprefix(PROGRAM))
        except ValueError as error:
            raise StrategyError(f"{source}: not the command of a program ({str(error).lower()})") from None
        if not self.words or not self.words[0]:
            raise StrategyError(f"{source}: expected the command of a program after '{PROGRAM}'")
        self.starts = 0
        self.process: subprocess.Popen[bytes] | None = None
        self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        """Start the program, and the thread that talks to it."""
        try:
            # A session of its own, so that Ctrl-C does not reach it and its children can be ended with it.
            process = subprocess.Popen(
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, start_new_session=True
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise StrategyError(f"{self.name}: '{self.words[0]}' cannot be started ({reason})") from None
        self.starts += 1
        self.process = process
        self.questions: SimpleQueue[bytes | None] = SimpleQueue()
        self.answers: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=_converse, args=(process, self.questions, self.answers), daemon=True).start()
        return process

    def close(self) -> None:
        """Let the program end, or end it."""
        self._end(PATIENCE)

    def _end(self, patience: float) -> int:
        """Close the program's input, kill it and its children unless it ends in time, and return its exit code."""
        process, self.process = self.process, None
        if process is None:
            return 0
        self.questions.put(None)
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            return 0
        finally:
            if process.returncode is None:
                _kill(process)

    def settings(self, hands: Array) -> Iterator[Setting]:
        """Ask for one hand after the other."""
        for hand in hands.tolist():
            yield self._setting(hand)

    def _setting(self, hand: list[int]) -> Setting:
        """Return the answer for a hand, or a foul."""
        try:
            found = Arrangement.parse(self._ask(format_cards(reversed(hand))))
        except CapsaError as error:
            return Setting(illegal(hand, self.rules), str(error))
        if sorted(found.hand.cards) != hand:
            return Setting(illegal(hand, self.rules), f"other cards than dealt: {found}")
        laid = Arrangement(*(tuple(sorted(found.row(row))) for row in ROWS))
        why = foul_reason(laid, self.rules)
        return Setting(laid, f"{why}: {found}" if why else "")

    def _ask(self, question: str) -> str:
        """Return the line that a program answers.

        Raises
        ------
        StrategyError
            If there is none, and why.
        """
        if self.process is None:
            if self.starts > RESTARTS:
                raise StrategyError(f"not asked any more after {RESTARTS} restarts")
            self._start()
        self.questions.put(question.encode() + b"\n")
        try:
            line = self.answers.get(timeout=self.timeout)
        except Empty:
            self._end(0)
            raise StrategyError(f"no answer within {self.timeout:g} s") from None
        if not line:
            code = self._end(PATIENCE)
            raise StrategyError(f"the program ended before it answered (exit code {code})")
        if len(line) > LONGEST_ANSWER:
            self._end(0)
            raise StrategyError(f"an answer of more than {LONGEST_ANSWER:,} characters")
        return line.decode("utf-8", "replace")


def _converse(
    process: subprocess.Popen[bytes], questions: "SimpleQueue[bytes | None]", answers: "SimpleQueue[bytes]"
) -> None:
    """Hand a program line after line and take a line for each, empty where it has ended: only this thread can block."""
    assert process.stdin is not None and process.stdout is not None
    line = b"anything"
    while line and (question := questions.get()) is not None:
        with suppress(OSError):  # it does not read any more, but what it wrote before is still its answer
            process.stdin.write(question)
            process.stdin.flush()
        line = process.stdout.readline(LONGEST_ANSWER + 1)
        answers.put(line)
    with suppress(OSError):
        process.stdin.close()
    process.stdout.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that runs, with the children that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
