"""Who sets hands in a match: a strategy by its table, or a program that is asked hand by hand."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

import numpy as np

from solver import kernels
from solver.arrangements import ROWS, Arrangement, foul_reason
from solver.cards import format_cards
from solver.deals import in_parallel
from solver.errors import CapsaError, StrategyError
from solver.opponents import find_strategy
from solver.presets import preset_names, strategy_names
from solver.rules import RuleSet
from solver.scoring import Player
from solver.tables import Array, Game, subsets

HANDS_PER_TASK = 250
RESTARTS = 3
LONGEST_ANSWER = 1000
PATIENCE = 1.0
"""Seconds that a program is given to end by itself."""

PROGRAM = "cmd:"


@dataclass(frozen=True)
class Setting:
    """How a hand is played: each row in ascending order, or surrendered.

    Attributes
    ----------
    player : Player
    banking : Player or None
        How the banker plays it, where that is another way.
    fault : str
        What was wrong with it where it is a foul.
    """

    player: Player
    banking: Player | None = None
    fault: str = ""


class Setter(Protocol):
    """Who sets hands."""

    name: str

    def settings(self, hands: Array) -> Iterator[Setting]:
        """Set hands, an array of shape (n, 13) with ascending card ids, one after the other."""

    def open(self) -> None:
        """Start what is needed; it is closed afterwards even where this fails or is interrupted."""

    def close(self) -> None:
        """End what was started."""


def setter(source: str, game: Game, jobs: int, timeout: float, quiet: bool, say: Callable[[str], None]) -> Setter:
    """Return who sets hands by the name of a strategy, the path of a table or a program."""
    if source.startswith(PROGRAM):
        return _Program(source, game.rules, timeout, quiet)
    try:
        return _Table(source, game, jobs, say)
    except StrategyError as error:
        if source.endswith(".npz") or source in {*strategy_names(), *preset_names()}:
            raise
        raise StrategyError(f"{error}; the command of a program begins with '{PROGRAM}'") from None


class _Table:
    """Sets hands by a strategy's table."""

    def __init__(self, source: str, game: Game, jobs: int, say: Callable[[str], None]) -> None:
        strategy = find_strategy(source, game.rules, game.players, jobs=jobs, say=say)
        self.name, self.rules, self.jobs = source, game.rules, jobs
        self.ways = [strategy.of(banks).kernel_arguments(game) for banks in (False, True)[: len(game.sides)]]

    def open(self) -> None:
        """Do nothing: a table needs nothing started."""

    def close(self) -> None:
        """Do nothing: nothing was started."""

    def settings(self, hands: Array) -> Iterator[Setting]:
        """Set all hands at once, and hand them out one by one."""
        for players in zip(*(self._set(hands, way) for way in self.ways), strict=True):
            yield Setting(*players)

    def _set(self, hands: Array, arguments: tuple[Any, ...]) -> Iterator[Player]:
        found = np.empty((len(hands), 3), np.int64)
        tasks = []
        for start in range(0, len(hands), HANDS_PER_TASK):
            part = slice(start, start + HANDS_PER_TASK)
            tasks.append(partial(kernels.arrange_hands, hands[part], *arguments, found[part]))
        in_parallel(self.jobs, list(tasks))
        splits = subsets()
        fronts, backs = splits.three_mask[found[:, 1]], splits.five_mask[found[:, 2]]
        middles = splits.five_at[np.uint16((1 << 13) - 1) ^ fronts ^ backs]
        places = splits.three[found[:, 1]], splits.five[middles], splits.five[found[:, 2]]
        rows = [np.take_along_axis(hands, place.astype(np.intp), axis=1).tolist() for place in places]
        given_up = (found[:, 0] < arguments[2][-1]).tolist()
        for surrender, front, middle, back in zip(given_up, *rows, strict=True):
            if surrender:
                yield Player(surrender=True)
            else:
                yield Player(arrangement=Arrangement(tuple(front), tuple(middle), tuple(back)))


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
        self.launcher: Thread | None = None
        self.questions: SimpleQueue[bytes | None] = SimpleQueue()
        self.answers: SimpleQueue[bytes] = SimpleQueue()

    def open(self) -> None:
        """Start the program, and the thread that talks to it."""
        problems: list[OSError | ValueError] = []

        def launch() -> None:
            try:
                # A session of its own, so that Ctrl-C does not reach it and its children can be ended with it.
                self.process = subprocess.Popen(
                    self.words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self.stderr,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                problems.append(error)

        # In a thread of its own, which no signal interrupts: else a program might be running that nobody knows of.
        self.launcher = Thread(target=launch)
        self.launcher.start()
        self.launcher.join()
        for error in problems:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise StrategyError(f"{self.name}: '{self.words[0]}' cannot be started ({reason})") from None
        self.starts += 1
        self.questions, self.answers = SimpleQueue(), SimpleQueue()
        Thread(target=_converse, args=(self.process, self.questions, self.answers), daemon=True).start()

    def close(self) -> None:
        """Let the program end, or end it."""
        if self.launcher is not None:
            self.launcher.join()
        self._end(PATIENCE)

    def _end(self, patience: float) -> int:
        """Close the program's input, kill it and its children unless it ends in time, and return its exit code."""
        process = self.process
        if process is None:
            return 0
        try:
            self.questions.put(None)
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            return 0
        finally:
            if process.returncode is None:
                _kill(process)
            self.process = None

    def settings(self, hands: Array) -> Iterator[Setting]:
        """Ask for one hand after the other."""
        for hand in hands.tolist():
            yield self._setting(hand)

    def _setting(self, hand: list[int]) -> Setting:
        """Return the answer for a hand, or a foul."""
        try:
            found = Arrangement.parse(self._ask(format_cards(reversed(hand))))
        except CapsaError as error:
            return Setting(Player(arrangement=illegal(hand, self.rules)), fault=str(error))
        if sorted(found.hand.cards) != hand:
            return Setting(Player(arrangement=illegal(hand, self.rules)), fault=f"other cards than dealt: {found}")
        laid = Arrangement(*(tuple(sorted(found.row(row))) for row in ROWS))
        why = foul_reason(laid, self.rules)
        return Setting(Player(arrangement=laid), fault=f"{why}: {found}" if why else "")

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
            self.open()
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
