"""What the environment tells Numba, and what is said where Numba cannot be used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solver import compiling

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
ROOT = Path(__file__).parent.parent


def started(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, *words)
    return subprocess.run(words, env=os.environ | env, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.parametrize("words", [["best", HAND], ["bench"], ["cache"], ["match", "greedy", "greedy"]])
def test_a_variable_that_numba_refuses_is_named(words: list[str]) -> None:
    done = started("-m", "solver", *words, NUMBA_NUM_THREADS="0")
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("Error: numba cannot be used: ") and "NUMBA_NUM_THREADS=0" in done.stderr


def test_numba_that_does_not_fit_is_said(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 2.2 or less. Got NumPy 2.4.')\n")
    done = started("-m", "solver", "best", HAND, PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert done.returncode == 2
    assert done.stderr == "Error: numba cannot be used: Numba needs NumPy 2.2 or less. Got NumPy 2.4\n"


def test_programs_get_an_error_of_the_library() -> None:
    script = "import solver\ntry:\n    solver.best\nexcept solver.CapsaError as error:\n    print(error)\n"
    done = started("-c", script, NUMBA_NUM_THREADS="0")
    assert done.returncode == 0 and "NUMBA_NUM_THREADS=0" in done.stdout, done.stderr


def test_each_kernel_is_looked_for_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "CACHE", tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "answer_kernels.apart-34.py311.1.nbc").touch()
    assert compiling.is_cached("answer_kernels.apart") and not compiling.is_cached("answer_kernels.lay_hands")
    monkeypatch.setattr(compiling, "CACHE", None)
    assert not compiling.is_cached("answer_kernels.apart")
