"""The library as programs use it: its public names, their examples, and what is raised for what a caller gets wrong."""

import doctest
import importlib
import inspect
import pkgutil
import tomllib
from pathlib import Path
from typing import get_type_hints

import msgspec
import pytest

import solver
from solver.advice import Options

ROOT = Path(__file__).parent.parent
HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
SET = "Qc 8d 2h | 6h 5c 4h 3d 2d | As Ks Qs 8s 6s"
MODULES = [module.name for module in pkgutil.walk_packages(solver.__path__, "solver.")]


@pytest.mark.parametrize("name", ["solver", *MODULES])
def test_examples_in_docstrings_hold(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("name", ["best", "grade", "load_rules", "score", "settle"])
def test_every_public_function_has_an_example(name: str) -> None:
    found = getattr(solver, name)
    assert ">>> " in found.__doc__ and "Raises\n" in found.__doc__ and "Parameters\n" in found.__doc__


def test_public_names_are_listed_loaded_and_explained() -> None:
    assert solver.__all__ == sorted(solver.__all__) == sorted(solver._HOMES)
    assert [name for name in dir(solver) if not name.startswith("__")] == solver.__all__
    for name in solver.__all__:
        found = getattr(solver, name)
        assert found.__module__ == solver._HOMES[name] and inspect.getdoc(found)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        solver.nothing  # noqa: B018
    assert (Path(solver.__file__).parent / "py.typed").is_file()


def test_a_grade_takes_what_an_answer_does() -> None:
    taken = get_type_hints(solver.best)
    assert get_type_hints(Options) == {
        name: kind for name, kind in taken.items() if name not in ("hand", "keep", "graded", "return")
    }


def test_rules_go_round_through_files_and_overrides(tmp_path: Path) -> None:
    rules = solver.load_rules("2-4", ["scoop.multiplier=2", "royalties.front={ trips = 3 }"])
    assert (rules.scoop.multiplier, rules.royalties.front, rules.name) == (2, {"trips": 3}, "2-4")
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nextends = "2-4"\n[scoop]\nmultiplier = 2\n[royalties]\nfront = { trips = 3 }\n')
    read = solver.load_rules(path)
    assert read.fingerprint() == rules.fingerprint() and read.name == "mine"
    assert msgspec.convert(msgspec.to_builtins(rules), solver.RuleSet) == rules
    assert tomllib.loads(path.read_text())["extends"] == "2-4"


def test_programs_can_make_rules_of_their_own() -> None:
    preset = solver.load_rules("2-4")
    double = msgspec.structs.replace(preset, name="double", rows=type(preset.rows)(front=2, middle=2, back=2))
    assert solver.score(f"a: {SET}\nb: 3s 3h 9c | Th Jh Kh 4d 4c | Ts Jd Qd Kd Ac", rules=double).rules is double
    assert solver.best(HAND, rules=double, quick=True, opponents="equilibrium").rules == double


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: solver.best("As Kd"), solver.CardError),
        (lambda: solver.best(HAND.split()), solver.RequestError),  # type: ignore[arg-type]
        (lambda: solver.grade(SET.split("|")), solver.RequestError),  # type: ignore[arg-type]
        (lambda: solver.best(HAND, rules="2-5"), solver.RulesError),
        (lambda: solver.best(HAND, opponents="nobody"), solver.StrategyError),
        (lambda: solver.best(HAND, deals=1), solver.RequestError),
        (lambda: solver.grade(HAND), solver.ArrangementError),
        (lambda: solver.grade(SET, keep="back: As"), solver.RequestError),  # type: ignore[call-arg]
        (lambda: solver.score("Ann: surrender\nBob: surrender"), solver.RequestError),
        (lambda: solver.settle(solver.load_rules("2-4"), []), solver.RequestError),
        (lambda: solver.load_rules("2-4", ["rows.frnt=1"]), solver.RulesError),
        (lambda: solver.Hand((1, 2)), solver.CardError),
        (lambda: solver.Player("Ann"), solver.RequestError),
    ],
)
def test_what_a_caller_can_mend_is_an_error_of_its_kind(call: object, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert isinstance(caught.value, solver.CapsaError) and isinstance(caught.value, ValueError)
