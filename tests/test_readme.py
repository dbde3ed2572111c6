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


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which `capsa` is this checkout's."""
    command = tmp_path / "capsa"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m solver "$@"\n')
    command.chmod(0o755)
    return os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("command", [line for line in COMMANDS if line != "capsa bench"])
def test_every_command_runs(command: str, environment: dict[str, str]) -> None:
    words = ["bash", "-euo", "pipefail", "-c", command]
    done = subprocess.run(words, capture_output=True, cwd=ROOT, env=environment, timeout=240, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout


def test_every_python_example_runs() -> None:
    for block in re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S):
        done = subprocess.run([sys.executable, "-c", block], capture_output=True, cwd=ROOT, timeout=240, check=False)
        assert done.returncode == 0 and done.stdout, done.stderr.decode()


def test_the_two_first_blocks_install_and_test() -> None:
    first, second = re.findall(r"^```sh\n(.*?)^```", TEXT, re.M | re.S)
    assert "pip install -q . && .venv/bin/capsa best" in first
    assert ".[test]" in second and "pytest" in second
