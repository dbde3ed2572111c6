"""Which strategy opponents play: by name, from a file, or an equilibrium trained on first use and kept.

The equilibria of all presets come with the package. One of other rules is trained when it is first asked for, quickly:
with fewer hands and rounds than the shipped ones, so that it takes less than a minute. :func:`solver.training.train`
makes better ones.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from solver.errors import StrategyError
from solver.files import check_writable, user_cache
from solver.rules import RuleSet
from solver.strategies import Strategy, load_strategy, read_strategy, shipped_equilibrium
from solver.tables import Game, lower
from solver.training import Progress, train

QUICK_ROUNDS, QUICK_HANDS = 14, 60_000
QUICK_BINS = {"front": 32, "middle": 64, "back": 64}
MOST_LENT = 8


def kept_folder() -> Path:
    """Return where equilibria trained on first use are kept."""
    return user_cache() / "strategies"


def say_on_stderr(text: str) -> None:
    """Say something to whoever waits."""
    print(text, file=sys.stderr, flush=True)


def find_strategy(
    source: str,
    rules: RuleSet,
    players: int = 2,
    *,
    jobs: int | None = None,
    say: Callable[[str], None] = say_on_stderr,
) -> Strategy:
    """Return a strategy as :func:`solver.strategies.load_strategy` does, and train the equilibrium where none is kept.

    Parameters
    ----------
    jobs
        Threads to train with; the table does not depend on them.
    say
        Called with lines about a training, for whoever waits for it.

    Raises
    ------
    StrategyError
        If the strategy is unknown or damaged, or made for other rules.
    """
    game = lower(rules, players)
    if lent := _LENT.get((source, game.key)):
        return lent
    if source != "equilibrium":
        return load_strategy(source, rules, players)
    return shipped_equilibrium(game) or _kept(game, say) or _trained(game, jobs or os.cpu_count() or 1, say)


_LENT: dict[tuple[str, str], Strategy] = {}


def lend(source: str, game: Game, strategy: Strategy) -> None:
    """Let :func:`find_strategy` find a strategy that another process has sent, whatever the files here.

    Only the last few are kept, since a process may serve many runs.
    """
    while len(_LENT) >= MOST_LENT:
        del _LENT[next(iter(_LENT))]
    _LENT[source, game.key] = strategy


def is_lent(source: str, game: Game) -> bool:
    """Whether a strategy has been sent here."""
    return (source, game.key) in _LENT


def _path(game: Game) -> Path:
    return kept_folder() / f"equilibrium-{game.key}.npz"


def _kept(game: Game, say: Callable[[str], None]) -> Strategy | None:
    """Return the equilibrium that was trained before, or None; a damaged one is trained anew."""
    path = _path(game)
    if not os.path.lexists(path):
        return None
    try:
        found = read_strategy(path, "equilibrium")
    except StrategyError as error:
        say(f"{path} cannot be used ({str(error).removeprefix('equilibrium: ')})")
        return None
    if not found.fits(game) or found.lacks(game):
        say(f"{path} cannot be used (a table for other rules)")
        return None
    return found


def _trained(game: Game, jobs: int, say: Callable[[str], None]) -> Strategy:
    """Train a quick equilibrium and keep it."""
    path, last = _path(game), time.monotonic()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_writable(path, StrategyError)
        where = f"once, kept in {path}"
    except (OSError, StrategyError) as error:
        where = f"as in every run, since it cannot be kept ({error})"
    say(f"no equilibrium of these rules yet: training a quick one, {where} ...")

    def each(state: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        left = f", about {(now - last) * (QUICK_ROUNDS - state.number):.0f} s left"
        # The first rounds may have compiled kernels, too.
        say(f"  round {state.number} of {QUICK_ROUNDS}{left if state.number > 2 else ''}")
        last = now

    found = train(
        game.rules,
        players=game.players,
        rounds=QUICK_ROUNDS,
        hands=QUICK_HANDS,
        bins=QUICK_BINS,
        jobs=jobs,
        each=each,
    )
    try:
        found.save(path)
    except StrategyError as error:
        say(f"it is not kept: {error}")
    return found
