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

from solver.deals import PLAYS, deal
from solver.engines import Engine, LocalEngine
from solver.equilibrium import (
    ROWS,
    SIZES,
    Gain,
    Meeting,
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

HANDS = 150_000
ROUNDS = 20
WARM_UP = 6
"""Rounds on bins by the simple strategy's quantiles, before the bins are cut anew by those of what came of it."""

REMOVAL_EVERY = 4
"""Rounds between two workings out of what the hand's own cards change."""

POPULATION = 12_000
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
    averages : tuple of Population
        Of all rounds since the bins were cut; one, or that of the banker's opponents and that of the banker.
    removals : (sides, 14, bins) float64, or None
        In units, as of the last round that worked it out.
    gains : tuple of Gain
        What each round's best response wins from the average before it, the first round apart: an estimate of how far
        that can be exploited.
    """

    number: int
    edges: Mapping[str, Array]
    averages: tuple[Population, ...]
    removals: Array | None
    gains: tuple[Gain, ...]


def _table(state: Progress, game: Game, removals: Array | None, jobs: int) -> Strategy:
    """Return the best response to where a training stands, the banker's beside the others'."""
    meetings = Meeting.all(state.averages, state.edges, game)
    tables = [
        strategy_of(meeting, None if removals is None else removals[k], jobs) for k, meeting in enumerate(meetings)
    ]
    return replace(tables[0], banker=tables[1]) if len(tables) > 1 else tables[0]


def _removals(state: Progress, game: Game, jobs: int) -> Array:
    meetings = Meeting.all(state.averages, state.edges, game)
    return np.array([removal_of(meeting, jobs) for meeting in meetings])


def _advanced(
    state: Progress,
    game: Game,
    bins: Mapping[str, int] | None,
    hands: int,
    seed: int,
    jobs: int,
    engine: Engine,
) -> Progress:
    """Play one round."""
    strategy = _table(state, game, state.removals, jobs)
    number, edges, removals = state.number, state.edges, state.removals
    first = number - WARM_UP if number >= WARM_UP else number
    if number == WARM_UP:
        edges, removals = cut(_together(state.averages), game, bins), None
    found = [
        play_hands(game, strategy.of(bool(banks)), edges, hands, (seed, number, k), engine)
        for k, banks in enumerate(game.sides)
    ]
    averages = tuple(
        new if first == 0 else old.mixed(new, share(first)) for old, (new, _) in zip(state.averages, found, strict=True)
    )
    gains = [gain for _, gain in found]
    mean = sum(gain.units for gain in gains) / len(gains)
    gain = Gain(mean, float(np.sqrt(sum(one.stderr**2 for one in gains))) / len(gains))
    state = Progress(number + 1, edges, averages, removals, (*state.gains, gain))
    return (
        replace(state, removals=_removals(state, game, jobs)) if first % REMOVAL_EVERY == REMOVAL_EVERY - 1 else state
    )


def _together(averages: tuple[Population, ...]) -> dict[str, Array]:
    """Return how often each strength is met, whoever holds it."""
    return {row: np.asarray(sum(average.mass[row] for average in averages)) for row in ROWS}


def train(
    rules: RuleSet,
    *,
    players: int = 2,
    rounds: int = ROUNDS,
    hands: int = HANDS,
    seed: int = 0,
    jobs: int = 1,
    bins: Mapping[str, int] | None = None,
    resume: Progress | None = None,
    engine: Engine | None = None,
    each: Callable[[Progress], None] = lambda state: None,
) -> Strategy:
    """Compute an equilibrium strategy by fictitious play.

    Parameters
    ----------
    players
        Seats at the table, which matter where a home run or the multiplier of a scoop depends on them.
    rounds, hands
        Rounds of best responses, and random hands in each.
    seed, jobs
        The table depends on the seed, never on the number of threads.
    bins
        About how many of each row, :data:`solver.equilibrium.BINS` unless given; fewer are quicker.
    resume
        Where to go on.
    engine
        Where hands are set, which is most of the work: on as many threads here unless given. The table does not depend
        on it.
    each
        Called after every round.
    """
    game, engine = lower(rules, players), engine or LocalEngine(1, at_once=jobs)
    state = resume
    if state is None:
        simple = load_strategy("balanced", rules)
        first, _ = play_hands(game, simple, simple.edges, hands, (seed, 0, 0), engine)
        edges = cut(first.mass, game, bins)
        average, _ = play_hands(game, simple, edges, hands, (seed, 0, 1), engine)
        state = Progress(1, edges, (average,) * len(game.sides), None, ())
        each(state)
    while state.number < rounds:
        state = _advanced(state, game, bins, hands, seed, jobs, engine)
        each(state)
    return _with_population(_table(state, game, _removals(state, game, jobs), jobs), state.averages, game, seed, jobs)


def _with_population(table: Strategy, averages: tuple[Population, ...], game: Game, seed: int, jobs: int) -> Strategy:
    """Return a table with random hands that it sets, so that it can say more than what it expects."""
    found = []
    for own, average in zip((table, table.banker), averages, strict=False):
        assert own is not None
        kept = deal(game, (), (), POPULATION + POPULATION // 4, replace(own, banker=None), seed=seed, jobs=jobs)
        doubled = 2 if game.rules.table.banker_wins_ties else 1
        orders = kept.strengths[kept.places[:, 0] == PLAYS, 0] // (STEPS_OF_ORDER * doubled)
        found.append(
            replace(own, population=orders[:POPULATION], naturals=average.naturals, surrendered=average.surrendered)
        )
    return replace(found[0], banker=found[1]) if len(found) > 1 else found[0]


def running(gains: tuple[Gain, ...]) -> Gain:
    """Return the mean gain of the last rounds, which says how far the average can be exploited, with its error."""
    last = gains[-GAINS_AVERAGED:]
    spread = np.sqrt(sum(gain.stderr**2 for gain in last)) / len(last)
    return Gain(sum(gain.units for gain in last) / len(last), float(spread))


def train_into(
    path: str,
    rules: RuleSet,
    *,
    players: int = 2,
    rounds: int = ROUNDS,
    hands: int = HANDS,
    seed: int = 0,
    jobs: int | None = None,
    resume: bool = False,
    engine: Engine | None = None,
    each: Callable[[Progress], None] = lambda state: None,
) -> tuple[Gain, ...]:
    """Train a strategy into a file, keeping a copy of where it stands beside it until it is done.

    Parameters
    ----------
    path
        Of the table.
    resume
        Whether to go on from the copy that an interrupted training left.
    engine
        Where hands are set, as in :func:`train`.

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
    if copy.exists() and not resume:
        raise StrategyError(f"{copy}: an interrupted training is there; go on with it (--resume), or delete it")
    settings = {"rules": lower(rules, players).key, "seed": seed, "hands": hands}
    state = read_progress(copy, settings, lower(rules, players)) if resume else None
    if state is not None and state.number > rounds:
        raise StrategyError(f"{copy}: the interrupted training has {state.number} rounds already, more than {rounds}")
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
        how: dict[str, Any] = {"players": players, "rounds": rounds, "hands": hands, "seed": seed, "resume": state}
        train(rules, jobs=jobs or os.cpu_count() or 1, engine=engine, each=keep, **how).save(path)
    except BaseException:
        if latest is not None:
            with suppress(StrategyError):  # or it would hide what happened
                write_progress(copy, latest, settings)
        raise
    copy.unlink(missing_ok=True)
    return latest.gains if latest else ()


_KEPT = ("counts", "moments", "naturals", "surrendered", "split")


def write_progress(path: Path, state: Progress, settings: Mapping[str, Any]) -> None:
    """Write where a training stands, in one step or not at all."""
    packed = io.BytesIO()
    parts: dict[str, Any] = {f"edges_{row}": np.asarray(state.edges[row]) for row in ROWS}
    parts |= {name: np.array(value) for name, value in settings.items()}
    parts |= {"number": np.array(state.number)}
    for k, average in enumerate(state.averages):
        parts |= {f"mass_{row}_{k}": average.mass[row] for row in ROWS}
        parts |= {f"{name}_{k}": np.asarray(getattr(average, name)) for name in _KEPT}
    parts["removals"] = np.empty(0) if state.removals is None else state.removals
    parts["gains"] = np.array([(gain.units, gain.stderr) for gain in state.gains]).reshape(-1, 2)
    np.savez(packed, **parts)
    write_whole(path, packed.getbuffer(), StrategyError)


def read_progress(path: Path, settings: Mapping[str, Any], game: Game) -> Progress:
    """Read where a training stands, which must have the same settings."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            parts: dict[str, Array] = dict(archive.items())
        for name, value in settings.items():
            if parts[name].item() != value:
                found = parts[name].item()
                raise StrategyError(f"{path}: the interrupted training has {name} {found}, not {value}")
        return _checked(parts, game)
    except FileNotFoundError:
        raise StrategyError(f"{path}: no interrupted training to go on from") from None
    except StrategyError:
        raise
    except Exception:  # a damaged archive fails in many ways, all of which say no more than this
        raise StrategyError(f"{path}: damaged, start again without --resume") from None


def _checked(parts: Mapping[str, Array], game: Game) -> Progress:
    """Return where a training stands, or raise any error where that makes no sense."""
    edges = {row: parts[f"edges_{row}"] for row in ROWS}
    shape = tuple(len(edges[row]) for row in reversed(ROWS))
    number, removals, sides = int(parts["number"]), parts["removals"], len(game.sides)
    floats: dict[str, tuple[int, ...]] = {"gains": (number - 1, 2)}
    floats |= {"removals": removals.shape if not removals.size else (sides, FEATURES, sum(shape))}
    for k in range(sides):
        floats |= {f"mass_{row}_{k}": (SIZES[row],) for row in ROWS}
        floats |= {f"counts_{k}": shape, f"moments_{k}": (FEATURES, *shape), f"surrendered_{k}": (), f"split_{k}": ()}
        floats |= {f"naturals_{k}": (len(game.naturals.facts),)}
    for name, wanted in floats.items():
        if parts[name].dtype != np.float64 or parts[name].shape != wanted or not np.isfinite(parts[name]).all():
            raise ValueError(name)
    for row in ROWS:
        ascending = edges[row].dtype == np.int16 and edges[row][0] == 0 and (np.diff(edges[row]) > 0).all()
        if not ascending or edges[row][-1] >= SIZES[row]:
            raise ValueError(row)
    if number < 1:
        raise ValueError("number")
    averages = []
    for k in range(sides):
        kept = [parts[f"{name}_{k}"] for name in _KEPT]
        mass = {row: parts[f"mass_{row}_{k}"] for row in ROWS}
        average = Population(kept[0], kept[1], mass, kept[2], float(kept[3]), float(kept[4]))
        if not 0 < kept[0].sum() + kept[2].sum() + kept[3] < 1 + 1e-6 or min(kept[0].min(), kept[3]) < 0:
            raise ValueError("counts")
        averages.append(average)
    gains = tuple(Gain(float(units), float(stderr)) for units, stderr in parts["gains"])
    found = removals if removals.size else None
    return Progress(number, edges, tuple(averages), found, gains)
