"""Training a strategy: rounds of fictitious play that can be stopped, kept on disk and resumed without loss."""

import io
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from solver.deals import deal
from solver.equilibrium import (
    ROWS,
    SIZES,
    Gain,
    Grid,
    Population,
    cut,
    play_hands,
    removal_of,
    share,
    strategy_of,
)
from solver.errors import StrategyError
from solver.files import check_writable, write_whole
from solver.rules import RuleSet
from solver.strategies import FEATURES, Strategy, load_strategy
from solver.tables import STEPS_OF_ORDER, Array, Game, lower

HANDS = 400_000
ROUNDS = 48
WARM_UP = 6
"""Rounds on bins by the simple strategy's quantiles, before the bins are cut anew by those of what came of it."""

REMOVAL_EVERY = 3
"""Rounds between two workings out of what the hand's own cards change."""

POPULATION = 20_000
SECONDS_BETWEEN_COPIES = 30.0
GAINS_AVERAGED = 6


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a training stands: what it needs to go on, and what it has found.

    Attributes
    ----------
    number : int
        Rounds done.
    edges : mapping of row name to (bins,) int16
    average : Population
        Of all rounds since the bins were cut.
    removal : (14, bins) float64, or None
        In units, as of the last round that worked it out.
    gains : tuple of Gain
        What each round's best response wins from the average before it, the first round apart: an estimate of how far
        that can be exploited.
    """

    number: int
    edges: Mapping[str, Array]
    average: Population
    removal: Array | None
    gains: tuple[Gain, ...]


def _advanced(state: Progress, game: Game, hands: int, seed: int, jobs: int) -> Progress:
    """Play one round."""
    edges, average, removal = state.edges, state.average, state.removal
    grid = Grid.of(edges, average.mass)
    strategy = strategy_of(average, grid, game, removal)
    first = state.number - WARM_UP if state.number >= WARM_UP else state.number
    if state.number == WARM_UP:
        edges, removal = cut(average.mass, game), None
    found, gain = play_hands(game, strategy, edges, hands, (seed, state.number), jobs)
    average = found if first == 0 else average.mixed(found, share(first))
    if first % REMOVAL_EVERY == REMOVAL_EVERY - 1:
        removal = removal_of(average, Grid.of(edges, average.mass), game)
    return Progress(state.number + 1, edges, average, removal, (*state.gains, gain))


def train(
    rules: RuleSet,
    *,
    rounds: int = ROUNDS,
    hands: int = HANDS,
    seed: int = 0,
    jobs: int = 1,
    resume: Progress | None = None,
    each: Callable[[Progress], None] = lambda state: None,
) -> Strategy:
    """Compute an equilibrium strategy by fictitious play.

    Parameters
    ----------
    rounds, hands
        Rounds of best responses, and random hands in each.
    seed, jobs
        The table depends on the seed, never on the number of threads.
    resume
        Where to go on.
    each
        Called after every round.
    """
    game = lower(rules)
    state = resume
    if state is None:
        simple = load_strategy("balanced", rules)
        average, _ = play_hands(game, simple, simple.edges, hands, (seed, 0, 0), jobs)
        edges = cut(average.mass, game)
        average, _ = play_hands(game, simple, edges, hands, (seed, 0, 1), jobs)
        state = Progress(1, edges, average, None, ())
        each(state)
    while state.number < rounds:
        state = _advanced(state, game, hands, seed, jobs)
        each(state)
    grid = Grid.of(state.edges, state.average.mass)
    found = strategy_of(state.average, grid, game, removal_of(state.average, grid, game))
    kept = deal(game, (), (), POPULATION + POPULATION // 4, found, seed=seed, jobs=jobs)
    doubled = 2 if rules.table.banker_wins_ties else 1
    orders = kept.strengths[kept.places[:, 0] < 0, 0] // (STEPS_OF_ORDER * doubled)
    return replace(found, population=orders[:POPULATION], naturals=state.average.naturals)


def running(gains: tuple[Gain, ...]) -> Gain:
    """Return the mean gain of the last rounds, which says how far the average can be exploited, with its error."""
    last = gains[-GAINS_AVERAGED:]
    spread = np.sqrt(sum(gain.stderr**2 for gain in last)) / len(last)
    return Gain(sum(gain.units for gain in last) / len(last), float(spread))


def train_into(
    path: str,
    rules: RuleSet,
    *,
    rounds: int = ROUNDS,
    hands: int = HANDS,
    seed: int = 0,
    jobs: int | None = None,
    resume: bool = False,
    each: Callable[[Progress], None] = lambda state: None,
) -> tuple[Gain, ...]:
    """Train a strategy into a file, keeping a copy of where it stands beside it until it is done.

    Parameters
    ----------
    path
        Of the table.
    resume
        Whether to go on from the copy that an interrupted training left.

    Returns
    -------
    tuple of Gain
        Of all rounds.

    Raises
    ------
    StrategyError
        If nothing can be written there, or there is nothing to go on from, or it belongs to another training.
    """
    if not path.endswith(".npz"):
        raise StrategyError(f"{path}: the name of a table ends in .npz")
    check_writable(path, StrategyError)
    copy = Path(f"{path}.training")
    settings = {"rules": rules.fingerprint(), "seed": seed, "hands": hands}
    state = read_progress(copy, settings) if resume else None
    latest, saved = state, float("-inf")

    def keep(now: Progress) -> None:
        nonlocal latest, saved
        latest = now
        if time.monotonic() - saved > SECONDS_BETWEEN_COPIES:
            with suppress(StrategyError):  # a copy that cannot be kept is no reason to stop
                write_progress(copy, now, settings)
            saved = time.monotonic()
        each(now)

    try:
        threads = jobs or os.cpu_count() or 1
        found = train(rules, rounds=rounds, hands=hands, seed=seed, jobs=threads, resume=state, each=keep)
        found.save(path)
    except BaseException:
        if latest is not None:
            with suppress(StrategyError):  # or it would hide what happened
                write_progress(copy, latest, settings)
        raise
    copy.unlink(missing_ok=True)
    return latest.gains if latest else ()


def write_progress(path: Path, state: Progress, settings: Mapping[str, Any]) -> None:
    """Write where a training stands, in one step or not at all."""
    packed = io.BytesIO()
    parts: dict[str, Any] = {f"edges_{row}": np.asarray(state.edges[row]) for row in ROWS}
    parts |= {f"mass_{row}": state.average.mass[row] for row in ROWS}
    parts |= {name: np.array(value) for name, value in settings.items()}
    parts |= {"number": np.array(state.number), "counts": state.average.counts, "moments": state.average.moments}
    parts |= {"naturals": state.average.naturals, "removal": np.empty(0) if state.removal is None else state.removal}
    parts["gains"] = np.array([(gain.units, gain.stderr) for gain in state.gains]).reshape(-1, 2)
    np.savez(packed, **parts)
    write_whole(path, packed.getbuffer(), StrategyError)


def read_progress(path: Path, settings: Mapping[str, Any]) -> Progress:
    """Read where a training stands, which must have the same settings."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            parts: dict[str, Array] = dict(archive.items())
        for name, value in settings.items():
            if parts[name].item() != value:
                found = parts[name].item()
                raise StrategyError(f"{path}: the interrupted training has {name} {found}, not {value}")
        return _checked(parts)
    except FileNotFoundError:
        raise StrategyError(f"{path}: no interrupted training to go on from") from None
    except StrategyError:
        raise
    except Exception:  # a damaged archive fails in many ways, all of which say no more than this
        raise StrategyError(f"{path}: damaged, start again without --resume") from None


def _checked(parts: Mapping[str, Array]) -> Progress:
    """Return where a training stands, or raise any error where that makes no sense."""
    edges = {row: parts[f"edges_{row}"] for row in ROWS}
    shape = tuple(len(edges[row]) for row in reversed(ROWS))
    number, removal = int(parts["number"]), parts["removal"]
    floats = {
        **{f"mass_{row}": (SIZES[row],) for row in ROWS},
        **{"counts": shape, "moments": (FEATURES, *shape), "naturals": (len(parts["naturals"]),)},
        **{"gains": (number - 1, 2), "removal": removal.shape if not removal.size else (FEATURES, sum(shape))},
    }
    for name, wanted in floats.items():
        if parts[name].dtype != np.float64 or parts[name].shape != wanted or not np.isfinite(parts[name]).all():
            raise ValueError(name)
    for row in ROWS:
        ascending = edges[row].dtype == np.int16 and edges[row][0] == 0 and (np.diff(edges[row]) > 0).all()
        if not ascending or edges[row][-1] >= SIZES[row]:
            raise ValueError(row)
    if number < 1 or not 0 < parts["counts"].sum() + parts["naturals"].sum() < 1 + 1e-6 or parts["counts"].min() < 0:
        raise ValueError("counts")
    mass = {row: parts[f"mass_{row}"] for row in ROWS}
    average = Population(parts["counts"], parts["moments"], mass, parts["naturals"])
    gains = tuple(Gain(float(units), float(stderr)) for units, stderr in parts["gains"])
    return Progress(number, edges, average, removal if removal.size else None, gains)
