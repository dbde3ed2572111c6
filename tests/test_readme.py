"""What the README shows runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"^```console\n(.*?)^```", TEXT, re.M | re.S) for line in block.splitlines()]

SHOWN = [
    (command, shown.rstrip("\n"))
    for block in re.findall(r"^```text\n(\$ capsa .*?)^```", TEXT, re.M | re.S)
    for command, shown in re.findall(r"^\$ (capsa (?:best|grade)[^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.M | re.S)
]
"""Commands that the README shows with what they print, or with how that begins."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which `capsa` is this checkout's."""
    command = tmp_path / "capsa"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m solver "$@"\n')
    command.chmod(0o755)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONIOENCODING": "utf-8",
    }


@pytest.mark.parametrize("command", [line for line in COMMANDS if line != "capsa bench"])
def test_every_command_runs(command: str, environment: dict[str, str], tmp_path: Path) -> None:
    written = set(tmp_path.iterdir())
    assert output(command, environment, tmp_path) or set(tmp_path.iterdir()) - written


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_what_is_shown_is_what_is_printed(
    command: str, shown: str, environment: dict[str, str], tmp_path: Path
) -> None:
    assert output(f"{command} -q", environment, tmp_path).startswith(shown)


def test_the_picture_is_a_real_answer(environment: dict[str, str], tmp_path: Path) -> None:
    command = next(one for one in COMMANDS if "--plot answer.svg" in one)
    output(f"{command} --top 3", environment, tmp_path)
    assert (tmp_path / "answer.svg").read_bytes() == (ROOT / "docs" / "answer.svg").read_bytes()


def output(command: str, environment: dict[str, str], folder: Path) -> str:
    """Return what a command prints that a reader pastes into a shell."""
    words = ["bash", "-euo", "pipefail", "-c", command]
    done = subprocess.run(words, capture_output=True, cwd=folder, env=environment, timeout=240, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.parametrize("block", re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S))
def test_every_python_example_runs(block: str, environment: dict[str, str], tmp_path: Path) -> None:
    hand = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d\n" if "sys.stdin" in block else None
    words = [sys.executable, "-c", block]
    done = subprocess.run(
        *(words,), input=hand, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=240, check=False
    )
    assert done.returncode == 0 and done.stdout, done.stderr


def test_the_two_first_blocks_install_and_test() -> None:
    first, second = re.findall(r"^```sh\n(.*?)^```", TEXT, re.M | re.S)
    assert "pip install -q . && .venv/bin/capsa best" in first
    assert ".[test]" in second and "pytest" in second
