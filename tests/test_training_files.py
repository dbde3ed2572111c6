"""Training into a file: stopped, resumed, refused; and the commands around it, in real processes."""

import io
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from solver import equilibrium
from solver.cli import main
from solver.errors import RequestError, StrategyError
from solver.plots import check_plot
from solver.rules import load_rules
from solver.strategies import load_strategy, read_strategy
from solver.tables import lower
from solver.training import Progress, read_progress, train_into, write_progress

TINY = {"rounds": 9, "hands": 3000, "jobs": 2}
RULES = load_rules("2-4")


@pytest.fixture(scope="module", autouse=True)
def few_bins() -> Iterator[None]:
    """Bins so coarse that a round takes no time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equilibrium, "BINS", {"front": 10, "middle": 20, "back": 20})
        yield


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "table.npz"
    train_into(str(path), RULES, **TINY)  # type: ignore[arg-type]
    return path.read_bytes()


@pytest.mark.parametrize("stop", [1, 2, 6, 7, 8])
def test_an_interrupted_training_goes_on_without_loss(stop: int, undisturbed: bytes, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"

    def interrupt(state: Progress) -> None:
        if state.number == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_into(str(path), RULES, **TINY, each=interrupt)  # type: ignore[arg-type]
    assert [file.name for file in tmp_path.iterdir()] == ["table.npz.training"]
    gains = train_into(str(path), RULES, **TINY | {"jobs": 1}, resume=True)  # type: ignore[arg-type]
    assert path.read_bytes() == undisturbed and len(gains) == TINY["rounds"] - 1
    assert [file.name for file in tmp_path.iterdir()] == ["table.npz"]


def test_what_cannot_be_resumed_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "table.npz")
    with pytest.raises(StrategyError, match="no interrupted training"):
        train_into(path, RULES, **TINY, resume=True)  # type: ignore[arg-type]

    def interrupt(state: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_into(path, RULES, **TINY, each=interrupt)  # type: ignore[arg-type]
    copy = Path(path + ".training")
    with pytest.raises(StrategyError, match="has seed 0, not 1"):
        train_into(path, RULES, **TINY, seed=1, resume=True)  # type: ignore[arg-type]
    with pytest.raises(StrategyError, match="has rules "):
        train_into(path, load_rules("1-6"), **TINY, resume=True)  # type: ignore[arg-type]
    whole = copy.read_bytes()
    with pytest.raises(StrategyError, match="an interrupted training is there; go on with it"):
        train_into(path, load_rules("1-6"), **TINY)  # type: ignore[arg-type]
    assert copy.read_bytes() == whole
    settings = {"rules": RULES.fingerprint(), "seed": 0, "hands": TINY["hands"]}
    write_progress(copy, read_progress(copy, settings, lower(RULES)), settings)
    assert copy.read_bytes() == whole
    for cut in (0, 100, len(whole) // 2):
        copy.write_bytes(whole[:cut])
        with pytest.raises(StrategyError, match="damaged"):
            train_into(path, RULES, **TINY, resume=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", np.array(-5)),
        ("number", np.array(10**18)),
        ("edges_front", np.arange(10, dtype=np.int16)[::-1].copy()),
        ("edges_back", np.linspace(0, 30000, 20).astype(np.int16)),
        ("mass_front_0", np.ones(10)),
        ("naturals_0", np.ones(4)),
        ("counts_0", np.full((1, 1, 1), np.nan)),
        ("counts_0", np.full((1, 1, 1), -1.0)),
        ("surrendered_0", np.array(-0.5)),
        ("surrendered_0", np.array(0.5)),
        ("surrendered_0", np.array(np.nan)),
        ("gains", np.full((1, 2), np.nan)),
        ("removals", np.ones((2, 2, 2))),
        ("moments_0", np.ones(3, complex)),
    ],
)
def test_a_copy_that_makes_no_sense_is_refused(name: str, value: np.ndarray, tmp_path: Path) -> None:
    path = str(tmp_path / "table.npz")

    def interrupt(state: Progress) -> None:
        if state.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_into(path, RULES, **TINY, each=interrupt)  # type: ignore[arg-type]
    copy = Path(path + ".training")
    with np.load(io.BytesIO(copy.read_bytes())) as archive:
        parts = dict(archive.items())
    if value.ndim == parts[name].ndim and value.ndim > 1:  # of the right shape, but with values that cannot be
        value = np.full(parts[name].shape, value.flat[0])
    with copy.open("wb") as file:
        np.savez(file, **(parts | {name: value}))
    with pytest.raises(StrategyError, match="damaged"):
        train_into(path, RULES, **TINY, resume=True)  # type: ignore[arg-type]


def test_an_interrupted_training_of_a_banker_goes_on_with_all_its_parts(tmp_path: Path) -> None:
    rules, whole, path = load_rules("malayan"), tmp_path / "whole.npz", tmp_path / "table.npz"
    few: dict[str, int] = {"rounds": 8, "hands": 2000, "jobs": 2}
    train_into(str(whole), rules, **few)  # type: ignore[arg-type]

    def interrupt(state: Progress) -> None:
        if state.number == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_into(str(path), rules, **few, each=interrupt)  # type: ignore[arg-type]
    copy = Path(f"{path}.training")
    kept = copy.read_bytes()
    with np.load(io.BytesIO(kept)) as archive:
        parts = dict(archive.items())
    with copy.open("wb") as file:
        np.savez(file, **{name: value for name, value in parts.items() if name != "counts_1"})
    with pytest.raises(StrategyError, match="damaged"):
        train_into(str(path), rules, **few, resume=True)  # type: ignore[arg-type]
    copy.write_bytes(kept)
    train_into(str(path), rules, **few, resume=True)  # type: ignore[arg-type]
    assert path.read_bytes() == whole.read_bytes()


def test_a_training_is_for_a_table_of_so_many(tmp_path: Path) -> None:
    """A table of three plays a home run that two cannot make."""
    path, rules = str(tmp_path / "table.npz"), load_rules("mainland")
    done = run("train", "mainland", "-o", path, "--players", "3", "--rounds", "2", "--hands", "1000")
    assert done.exit_code == 0, done.output
    assert load_strategy(path, rules, 3).rules == rules.fingerprint() + "-3"
    for seats in (2, 4):
        with pytest.raises(StrategyError, match=f"a table for other rules than 'mainland' at a table of {seats}"):
            load_strategy(path, rules, seats)


def test_what_cannot_be_written_is_found_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(StrategyError, match="is a folder"):
        train_into(str(tmp_path / "folder.npz"), RULES, **TINY)  # type: ignore[arg-type]
    with pytest.raises(StrategyError, match="cannot be written"):
        train_into("/proc/table.npz", RULES, **TINY)  # type: ignore[arg-type]
    done = run("train", "2-4", "-o", str(tmp_path / "t.npz"), "--plot", "")
    assert done.exit_code == 2 and "plot" in done.stderr


def test_training_goes_on_where_nobody_reads_its_progress(tmp_path: Path) -> None:
    table = tmp_path / "table.npz"
    words = f'"{sys.executable}" -m solver train 2-4 -o "{table}" --rounds 3 --hands 1000 2>&1 | head -1'
    subprocess.run(["bash", "-c", words], capture_output=True, check=False)
    assert read_strategy(table).name == str(table)


def test_a_table_needs_a_folder_and_its_ending(tmp_path: Path) -> None:
    for path, message in (("table", "ends in .npz"), (str(tmp_path / "no" / "table.npz"), "no such folder")):
        with pytest.raises(StrategyError, match=message):
            train_into(path, RULES, **TINY)  # type: ignore[arg-type]
        assert run("train", "2-4", "-o", path).exit_code == 2


def test_the_commands_train_draw_and_measure(tmp_path: Path) -> None:
    table, plot = str(tmp_path / "table.npz"), str(tmp_path / "gains.svg")
    done = run("train", "2-4", "-o", table, "--rounds", "4", "--hands", "2000", "--plot", plot)
    assert done.exit_code == 0, done.output
    assert "round   4 of 4: a best response wins" in done.stderr and " s left" in done.stderr
    assert Path(plot).read_text(encoding="utf-8").startswith("<?xml")
    done = run("exploit", table, "--hands", "20", "--deals", "500", "--json")
    record = json.loads(done.stdout)
    assert set(record) == {
        "strategy", "rules", "lower", "lower_stderr", "upper", "upper_stderr", "hands", "deals", "sd"
    }  # fmt: skip
    assert record["strategy"] == table and record["hands"] == 20
    text = run("exploit", "balanced", "--hands", "20", "--deals", "500", "--ascii").stdout
    assert text.isascii() and "units per hand and opponent" in text
    hand = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
    quick = run("best", hand, "--opponents", table, "--quick", "--json", "-q")
    answer = json.loads(quick.stdout)
    assert answer["deals"] == 0 and answer["best"]["stderr"] is None
    assert "by the table alone" in run("best", hand, "--opponents", table, "--quick").stdout
    assert run("match", table, "greedy", "--hands", "100", "-q").exit_code == 0
    wrong = run("best", hand, "--opponents", table, "--rules", "1-6")
    assert wrong.exit_code == 2 and "a table for other rules" in wrong.stderr


def test_ctrl_c_keeps_what_was_done_and_says_how_to_go_on(tmp_path: Path) -> None:
    table = tmp_path / "table.npz"
    words = ["train", "2-4", "-o", str(table), "--rounds", "5000", "--hands", "5000"]
    with subprocess.Popen([sys.executable, "-m", "solver", *words], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("round   4"):
                break
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(60) == 130 and "the same command with --resume goes on" in rest
    assert not table.exists() and Path(f"{table}.training").exists()


def test_a_plot_that_cannot_be_drawn_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, message in (("gains.txt", "ends in .svg"), (str(tmp_path / "no" / "x.svg"), "no such folder")):
        with pytest.raises(RequestError, match=message):
            check_plot(path)
    monkeypatch.setattr("solver.plots.find_spec", lambda name: None)
    with pytest.raises(RequestError, match="needs matplotlib"):
        check_plot("x.svg")


@pytest.mark.parametrize("preset", ["2-4-royalties", "hong-kong", "thai", "deuce-to-seven", "capsa-susun", "malayan"])
def test_any_rule_set_can_be_trained(preset: str, tmp_path: Path) -> None:
    path, rules = str(tmp_path / "table.npz"), load_rules(preset)
    gains = train_into(path, rules, rounds=8, hands=3000, jobs=2)
    table = load_strategy(path, rules)
    assert table.rules == lower(rules).key and len(table.population) > 10_000
    assert np.isfinite([gain.units for gain in gains]).all() and gains[-1].units < gains[0].units
    assert read_strategy(path).removal is not None
