"""Training: the same table from any number of threads and from anywhere that it is resumed, saved whole."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from solver import equilibrium, kernels
from solver.deals import deal
from solver.engines import LocalEngine
from solver.equilibrium import ROWS, Meeting, play_hands, strategy_of
from solver.exploit import given_up, random_hands
from solver.presets import preset_names
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy, read_strategy
from solver.tables import lower
from solver.training import Progress, read_progress, train, write_progress


@pytest.fixture
def few_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    for row, bins in {"front": 10, "middle": 16, "back": 16}.items():
        monkeypatch.setitem(equilibrium.BINS, row, bins)


def equal(one: Strategy, two: Strategy) -> bool:
    assert one.removal is not None and two.removal is not None and (one.banker is None) == (two.banker is None)
    assert one.banker is None or two.banker is None or equal(one.banker, two.banker)
    return (
        (one.values == two.values).all()
        and (one.removal == two.removal).all()
        and all((one.edges[row] == two.edges[row]).all() for row in ROWS)
        and all((one.fine[row] == two.fine[row]).all() for row in ROWS)
        and (one.population == two.population).all()
        and (one.naturals == two.naturals).all()
        and (one.units, one.ranking, one.rules) == (two.units, two.ranking, two.rules)
        and (one.surrender, one.surrendered) == (two.surrender, two.surrendered)
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


@pytest.mark.parametrize("preset", ["2-4", "malayan", pytest.param("mainland", marks=pytest.mark.slow)])
def test_training_resumes_from_anywhere_as_if_undisturbed(preset: str, short: None, tmp_path: Path) -> None:
    states: list[Progress] = []
    game, table = lower(load_rules(preset)), trained(preset, each=states.append)
    assert [state.number for state in states] == [1, 2, 3, 4, 5] and [len(state.gains) for state in states] == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    for state in states:
        later: list[Progress] = []
        assert equal(table, trained(preset, resume=state, each=later.append))
        assert [one.number for one in later] == list(range(state.number + 1, 6))
        assert all(one.gains == states[one.number - 1].gains for one in later)
        write_progress(tmp_path / "copy", state, {"seed": 9})
        assert equal(table, trained(preset, resume=read_progress(tmp_path / "copy", {"seed": 9}, game)))


TRAINED = [("2-4", 2), ("thai", 3), ("malayan", 2), ("capsa-susun", 4), ("deuce-to-seven", 2), ("1-6-royalties", 2)]


@pytest.mark.parametrize(
    ("preset", "players"),
    [
        *TRAINED,
        *(pytest.param(name, 4, marks=pytest.mark.slow) for name in preset_names() if (name, 4) not in TRAINED),
    ],
)
def test_a_trained_table_is_saved_whole_and_fits_its_rules_only(
    preset: str, players: int, short: None, tmp_path: Path
) -> None:
    rules = load_rules(preset)
    table = train(rules, players=players, rounds=2, hands=2000)
    table.save(tmp_path / "table.npz")
    again = read_strategy(tmp_path / "table.npz")
    assert equal(table, again)
    for name in preset_names():
        for seats in range(2, 5):
            # The seats matter where a home run or the multiplier of a scoop depends on them.
            alike = seats == players or preset not in ("thai", "capsa-susun", "mainland", "quanzhou", "mau-binh")
            if preset in ("taiwan", "fuzhou"):
                alike = (seats == 4) == (players == 4)
            assert again.fits(lower(load_rules(name), seats)) == (name == preset and alike)
    game = lower(rules, players)
    assert (table.banker is not None) == rules.table.banker_wins_ties
    for one in (table, table.banker):
        if one is None:
            continue
        assert (one.values > -32768).any() and one.units[1] > 0 and len(one.population) == 400
        floor = game.order.floor[one.population[:, 0]]
        middle = np.argsort(game.contest.middle)[one.population[:, 1]]
        back = one.population[:, 2]
        assert (floor <= back).all() if game.contest.low else ((floor <= middle) & (middle <= back)).all()
        # Surrender costs as much as is said, less where the others give up, too, more where they hold naturals.
        price = rules.surrender.units if rules.surrender.allowed else np.inf
        assert one.surrender == -np.inf if price == np.inf else -2 * price < one.surrender < 0
        assert 0 <= one.surrendered < 1 and (one.surrendered == 0 or rules.surrender.allowed)


def test_the_average_is_that_of_all_rounds_since_bins_were_cut(short: None) -> None:
    states: list[Progress] = []
    trained("2-4", rounds=6, each=states.append)
    game, total = lower(load_rules("2-4")), 0
    for weight, (before, after) in enumerate(pairwise(states[1:]), start=1):  # bins are cut after the second round
        removal = None if before.removals is None else before.removals[0]
        table = strategy_of(Meeting.all(before.averages, before.edges, game)[0], removal)
        found, gain = play_hands(game, table, after.edges, 3000, (9, before.number, 0), LocalEngine(1))
        assert gain == after.gains[-1]
        total = total + weight * found.counts
        assert after.averages[0].counts == pytest.approx(total / (weight * (weight + 1) / 2))


def test_the_banker_and_the_others_respond_to_each_other(short: None) -> None:
    """Each side's round is played by the best response to the average of the other."""
    states: list[Progress] = []
    trained("malayan", rounds=4, each=states.append)
    game = lower(load_rules("malayan"))
    before, after = states[2:4]
    assert len(before.averages) == 2
    tables = [strategy_of(meeting, None) for meeting in Meeting.all(before.averages, before.edges, game)]
    assert before.removals is None and (tables[0].values != tables[1].values).any()
    assert tables[1].values[tables[1].values > -32768].mean() > tables[0].values[tables[0].values > -32768].mean()
    gains = []
    for side, table in enumerate(tables):
        found, gain = play_hands(game, table, after.edges, 3000, (9, before.number, side), LocalEngine(1))
        mixed = before.averages[side].counts / 3 + 2 * found.counts / 3  # the second of the rounds averaged
        assert after.averages[side].counts == pytest.approx(mixed)
        gains.append(gain)
    assert after.gains[-1].units == pytest.approx(sum(gain.units for gain in gains) / 2)
    assert after.gains[-1].stderr == pytest.approx(np.hypot(gains[0].stderr, gains[1].stderr) / 2)


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
