"""Many hands at once: what is asked of each, and the answers as arrays.

It asks :func:`solver.advice.best` for one hand after the other.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver.advice import DEFAULT_OPPONENTS, FEWEST_DEALS, MOST_DEALS, best
from solver.arrangements import ROWS
from solver.cards import Hand
from solver.deals import Banker
from solver.errors import RequestError
from solver.opponents import find_strategy, say_on_stderr
from solver.rules import RuleSet
from solver.tables import Array


@dataclass(frozen=True)
class Request:
    """What is asked of every hand: plain values, so that it can be sent to other processes."""

    rules: RuleSet
    players: int = 2
    banker: Banker | None = None
    opponents: str = DEFAULT_OPPONENTS
    dead: tuple[int, ...] = ()
    seed: int = 0
    deals: int = 20_000
    precision: float = 0.01
    quick: bool = False

    def __post_init__(self) -> None:
        self.rules.check_players(self.players)
        if self.quick and self.dead:
            raise RequestError("quick: a table knows nothing of dead cards; leave out one of the two")
        if not FEWEST_DEALS <= self.deals <= MOST_DEALS:
            raise RequestError(f"deals: from {FEWEST_DEALS} to {MOST_DEALS:,}, got {self.deals}")
        if not (np.isfinite(self.precision) and self.precision >= 0):
            raise RequestError(f"precision: zero or a positive number of units, got {self.precision}")
        if self.seed < 0:
            raise RequestError(f"seed: zero or a positive integer, got {self.seed}")


@dataclass(frozen=True, eq=False)
class Answers:
    """The best arrangement of each of n hands.

    Attributes
    ----------
    cards : (n, 13) uint8
        Front, middle and back as a player lays them.
    units, stderr : (n,) float64
        Expected units against all opponents together, and their standard error: nan where a table says them.
    deals : (n,) int64
        How many they rest on; 0 where a table says them.
    """

    cards: Array
    units: Array
    stderr: Array
    deals: Array


class Answerer:
    """Answers hands by one request."""

    def __init__(self, request: Request, jobs: int = 1, say: Callable[[str], None] = say_on_stderr) -> None:
        self.request, self.jobs = request, jobs
        find_strategy(request.opponents, request.rules, request.players, jobs=jobs, say=say)

    def answer(self, hands: Array) -> Answers:
        """Return the answers to hands, an array of card ids of shape (n, 13)."""
        asked, found = self.request, []
        for hand in hands.tolist():
            advice = best(
                Hand(tuple(hand)),
                rules=asked.rules,
                players=asked.players,
                banker=asked.banker,
                opponents=asked.opponents,
                dead=asked.dead,
                seed=asked.seed,
                jobs=self.jobs,
                top=0,
                deals=asked.deals,
                precision=asked.precision,
                quick=asked.quick,
            )
            rows = [card for row in ROWS for card in advice.best.arrangement.row(row)]
            stderr = np.nan if advice.best.stderr is None else advice.best.stderr
            found.append((rows, advice.best.units, stderr, advice.deals))
        return Answers(
            np.array([one[0] for one in found], np.uint8).reshape(-1, 13),
            np.array([one[1] for one in found], np.float64),
            np.array([one[2] for one in found], np.float64),
            np.array([one[3] for one in found], np.int64),
        )
