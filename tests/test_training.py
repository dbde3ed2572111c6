"""Training: the same table from any number of threads and from anywhere that it is resumed, saved whole."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from solver import equilibrium, kernels
from solver.deals import deal
from solver.equilibrium import ROWS, Grid, play_hands, strategy_of
from solver.exploit import given_up, random_hands
from solver.rules import load_rules, preset_names
from solver.strategies import Strategy, load_strategy, read_strategy
from solver.tables import lower
from solver.training import Progress, read_progress, train, write_progress


@pytest.fixture
def few_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    for row, bins in {"front": 10, "middle": 16, "back": 16}.items():
        monkeypatch.setitem(equilibrium.BINS, row, bins)


def equal(one: Strategy, two: Strategy) -> bool:
    assert one.removal is not None and two.removal is not None
    return (
        (one.values == two.values).all()
        and (one.removal == two.removal).all()
        and all((one.edges[row] == two.edges[row]).all() for row in ROWS)
        and all((one.fine[row] == two.fine[row]).all() for row in ROWS)
        and (one.population == two.population).all()
        and (one.naturals == two.naturals).all()
        and (one.units, one.ranking, one.rules) == (two.units, two.ranking, two.rules)
    )


def trained(preset: str, **settings: object) -> Strategy:
    return train(load_rules(preset), **{"rounds": 5, "hands": 3000, "seed": 9, **settings})  # type: ignore[arg-type]


@pytest.fixture
def short(few_bins: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every stage of a training come within five rounds."""
    for name, value in {"WARM_UP": 2, "REMOVAL_EVERY": 2, "POPULATION": 400}.items():
        monkeypatch.setattr(f"solver.training.{name}", value)


def test_training_depends_on_the_seed_alone(short: None) -> None:
    table = trained("2-4")
    assert equal(table, trained("2-4", jobs=2)) and equal(table, trained("2-4", jobs=3))
    assert not (table.population == trained("2-4", seed=10).population).all()


@pytest.mark.parametrize("preset", ["2-4", pytest.param("mainland", marks=pytest.mark.slow)])
def test_training_resumes_from_anywhere_as_if_undisturbed(preset: str, short: None, tmp_path: Path) -> None:
    states: list[Progress] = []
    table = trained(preset, each=states.append)
    assert [state.number for state in states] == [1, 2, 3, 4, 5] and [len(state.gains) for state in states] == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    for state in states:
        later: list[Progress] = []
        assert equal(table, trained(preset, resume=state, each=later.append))
        assert [one.number for one in later] == list(range(state.number + 1, 6))
        assert all(one.gains == states[one.number - 1].gains for one in later)
        write_progress(tmp_path / "copy", state, {"seed": 9})
        assert equal(table, trained(preset, resume=read_progress(tmp_path / "copy", {"seed": 9})))


TRAINED = ["2-4", "thai", "malayan", "capsa-susun", "deuce-to-seven", "pusoy"]


@pytest.mark.parametrize(
    "preset",
    [*TRAINED, *(pytest.param(name, marks=pytest.mark.slow) for name in preset_names() if name not in TRAINED)],
)
def test_a_trained_table_is_saved_whole_and_fits_its_rules_only(preset: str, short: None, tmp_path: Path) -> None:
    rules = load_rules(preset)
    table = train(rules, rounds=2, hands=2000)
    table.save(tmp_path / "table.npz")
    again = read_strategy(tmp_path / "table.npz")
    assert equal(table, again)
    for name in preset_names():
        other = load_rules(name)
        assert again.fits(other) == (other.fingerprint() == rules.fingerprint())
    game = lower(rules)
    assert (table.values > -32768).any() and table.units[1] > 0 and len(table.population) == 400
    floor = game.order.floor[table.population[:, 0]]
    middle = np.argsort(game.contest.middle)[table.population[:, 1]]
    back = table.population[:, 2]
    assert (floor <= back).all() if game.contest.low else ((floor <= middle) & (middle <= back)).all()


def test_the_average_is_that_of_all_rounds_since_bins_were_cut(short: None) -> None:
    states: list[Progress] = []
    trained("2-4", rounds=6, each=states.append)
    game, total = lower(load_rules("2-4")), 0
    for weight, (before, after) in enumerate(pairwise(states[1:]), start=1):  # bins are cut after the second round
        grid = Grid.of(before.edges, before.average.mass)
        table = strategy_of(before.average, grid, game, before.removal)
        found, gain = play_hands(game, table, after.edges, 3000, (9, before.number), 1)
        assert gain == after.gains[-1]
        total = total + weight * found.counts
        assert after.average.counts == pytest.approx(total / (weight * (weight + 1) / 2))


@pytest.mark.slow
def test_training_is_hard_to_exploit(few_bins: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even few bins and hands give up far less than the simple strategy that training starts from."""
    monkeypatch.setattr("solver.training.WARM_UP", 3)
    rules = load_rules("2-4")
    game, simple = lower(rules), load_strategy("balanced", rules)
    table = train(rules, rounds=12, hands=30_000)
    hands = random_hands(200, 61)
    given = []
    for strategy in (simple, table):
        pool = deal(game, (), (), 60_000, strategy, seed=62)
        out = np.empty((len(hands), 3), np.int64)
        kernels.arrange_hands(hands, *strategy.kernel_arguments(game), out)
        given.append([
            given_up(pool, tuple(hand), [(front, back)])[0, 0]
            for hand, (_, front, back) in zip(hands.tolist(), out.tolist(), strict=True)
        ])  # fmt: skip
    difference = np.subtract(*given)
    assert difference.mean() > 3 * difference.std() / np.sqrt(len(hands)) and np.mean(given[1]) < 0.05
