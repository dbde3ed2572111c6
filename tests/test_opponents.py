"""Opponents: equilibria trained on first use, kept for later, and what is said of that."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from solver import equilibrium
from solver.advice import best
from solver.caches import caches
from solver.cli import main
from solver.errors import StrategyError
from solver.files import user_cache
from solver.opponents import find_strategy, kept_folder
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy, read_strategy
from solver.tables import lower

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
CHANGE = "rows.back=2"
RULES = load_rules("2-4", [CHANGE])


@pytest.fixture(scope="module", autouse=True)
def tiny() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equilibrium, "BINS", {"front": 8, "middle": 12, "back": 12})
        patch.setattr("solver.opponents.QUICK_ROUNDS", 3)
        patch.setattr("solver.opponents.QUICK_HANDS", 1000)
        yield


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the equilibrium of the rules is kept, in a fresh folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = kept_folder() / f"equilibrium-{lower(RULES).key}.npz"
    assert path.is_relative_to(tmp_path) and not path.parent.exists()
    return path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def silent(text: str) -> None:
    pytest.fail(f"nothing is to be said, but was: {text}")


def test_an_equilibrium_is_trained_once_and_kept(kept: Path) -> None:
    said: list[str] = []
    found = find_strategy("equilibrium", RULES, say=said.append, jobs=2)
    assert said[0] == f"no equilibrium of these rules yet: training a quick one, once, kept in {kept} ..."
    assert [line.split(",")[0] for line in said[1:]] == [f"  round {k} of 3" for k in (1, 2, 3)]
    assert said[-1].endswith("about 0 s left") and [file.name for file in kept.parent.iterdir()] == [kept.name]
    whole = kept.read_bytes()
    again = find_strategy("equilibrium", RULES, say=silent)
    assert (again.values == found.values).all() and again.name == found.name == "equilibrium"
    assert again.rules == lower(RULES).key and kept.read_bytes() == whole
    # What it does not depend on: the name of the rules, and what a foul costs.
    renamed = load_rules("2-4", [CHANGE, "foul.pays=units", "players=[2, 3]"])
    assert (find_strategy("equilibrium", renamed, 3, say=silent).values == found.values).all()


def test_what_is_trained_does_not_depend_on_the_threads(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for jobs in (1, 3):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / str(jobs)))
        find_strategy("equilibrium", RULES, jobs=jobs, say=lambda text: None)
        files.append((kept_folder() / kept.name).read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("damage", ["cut", "junk", "other rules"])
def test_what_is_damaged_is_trained_anew(damage: str, kept: Path) -> None:
    said: list[str] = []
    find_strategy("equilibrium", RULES, say=said.append)
    whole, number = kept.read_bytes(), len(said)
    if damage == "other rules":
        load_strategy("equilibrium", load_rules("2-4")).save(kept)
    else:
        kept.write_bytes(whole[:500] if damage == "cut" else b"junk")
    find_strategy("equilibrium", RULES, say=said.append)
    assert len(said) == 2 * number + 1 and kept.read_bytes() == whole
    wrong = "a table for other rules" if damage == "other rules" else "damaged, or not a strategy table"
    assert said[number].startswith(f"{kept} cannot be used ({wrong}")
    find_strategy("equilibrium", RULES, say=silent)


@pytest.mark.parametrize("place", ["a file", "a folder in its place"])
def test_where_nothing_can_be_kept_there_is_an_answer_all_the_same(
    place: str, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place == "a file":
        (tmp_path / "file").write_text("no folder", encoding="utf-8")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    else:
        kept.mkdir(parents=True)
    for _ in range(2):
        said: list[str] = []
        found = find_strategy("equilibrium", RULES, say=said.append)
        training = next(text for text in said if "training a quick one" in text)
        assert "as in every run, since it cannot be kept" in training
        assert found.rules == lower(RULES).key and len(found.population) > 100


def test_the_seats_count_where_units_depend_on_them(kept: Path) -> None:
    rules = load_rules("mainland", [CHANGE])
    for players, ending in ((2, ""), (3, "-3")):
        said: list[str] = []
        assert find_strategy("equilibrium", rules, players, say=said.append).rules == rules.fingerprint() + ending
        assert len(said) == 4 and f"{rules.fingerprint()}{ending}.npz" in said[0]


def test_shipped_and_named_strategies_are_not_trained(kept: Path) -> None:
    rules = load_rules("2-4")
    assert find_strategy("equilibrium", rules, say=silent).name == "equilibrium"
    for name in ("balanced", "greedy", "2-4"):
        assert find_strategy(name, RULES, say=silent).name == name
    assert not kept.parent.exists()


def test_the_commands_say_on_stderr_that_they_train_unless_quiet(kept: Path) -> None:
    words = ["best", HAND, "--set", CHANGE, "--deals", "100", "--json"]
    loud = run(*words)
    assert loud.exit_code == 0 and "training a quick one" in loud.stderr and "round 3 of 3" in loud.stderr
    assert "training" not in run(*words).stderr  # it is kept
    kept.unlink()
    quiet = run(*words, "-q")
    assert quiet.stderr == "" and quiet.stdout == loud.stdout and kept.exists()
    assert json.loads(loud.stdout)["opponents"] == "equilibrium"
    kept.unlink()
    played = ["match", "equilibrium", "greedy", "--set", CHANGE, "--hands", "20", "--json"]
    assert "training a quick one" in run(*played).stderr
    kept.unlink()
    done = run(*played, "-q")
    assert done.stderr == "" and json.loads(done.stdout)["a"] == "equilibrium"


def test_python_hears_of_it_as_it_asks_to(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    first = best(HAND, rules=RULES, deals=100, say=said.append)
    assert len(said) == 4 and capsys.readouterr().err == ""
    kept.unlink()
    second = best(HAND, rules=RULES, deals=100)
    assert capsys.readouterr().err.startswith("no equilibrium of these rules yet") and second == first
    assert read_strategy(kept).rules == lower(RULES).key


def test_a_quick_answer_comes_from_what_was_trained(kept: Path) -> None:
    answer = best(HAND, rules=RULES, quick=True, say=lambda text: None)
    assert answer.deals == 0 and answer.opponents == "equilibrium" and answer.best.stderr is None


def test_a_table_that_cannot_be_kept_after_all_is_said_to_be(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Strategy, path: Path) -> None:
        raise StrategyError(f"{path}: cannot be written (No space left on device)")

    monkeypatch.setattr(Strategy, "save", full)
    said: list[str] = []
    assert find_strategy("equilibrium", RULES, say=said.append).rules == lower(RULES).key
    assert said[-1] == f"it is not kept: {kept}: cannot be written (No space left on device)"


def test_without_a_home_there_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert user_cache() == Path(os.devnull) / "capsa"
    monkeypatch.setattr("os.path.expanduser", lambda path: "/home/somebody")
    assert user_cache() == Path("/home/somebody/.cache/capsa")


def test_caches_that_cannot_be_read_are_empty_and_dangling_links_are_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    link = kept_folder() / "equilibrium-gone.npz"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "nowhere")
    kept = caches()[1]
    assert kept.files == (link,) and kept.size < 1000
    kept.clear()
    assert not link.is_symlink() and not caches()[1].files


def test_what_interrupted_writes_have_left_is_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("solver.compiling.CACHE", tmp_path / "kernels")
    ours = [kept_folder() / "equilibrium-0a.npz.123.part", kept_folder() / "equilibrium-0a.npz"]
    ours += [tmp_path / "kernels" / f"kernels.arrange-1.py311.{name}" for name in ("1.nbc", "1.nbc.tmp.4f", "nbi")]
    others = [kept_folder() / "mine.npz.123.part", tmp_path / "kernels" / "notes.tmp.1"]
    for path in (*ours, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for one in caches():
        one.clear()
    assert not any(path.exists() for path in ours) and all(path.exists() for path in others)
