"""The versions that a report of a fault should say."""

import os
import platform
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from click.testing import CliRunner

import solver
from solver import versions
from solver.cli import main

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_versions_are_shown(option: str) -> None:
    done = CliRunner().invoke(main, [option])
    lines = done.stdout.splitlines()
    assert done.exit_code == 0 and lines[0] == f"capsa {solver.__version__}"
    assert lines[1] == f"{platform.python_implementation()} {platform.python_version()}"
    assert {f"{name} {version(name)}" for name in versions.NEEDED} <= set(lines)
    assert lines[-2] == platform.platform() and re.fullmatch(r"\d+( of \d+)? cores?", lines[-1])


def test_every_dependency_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [
        one for name, some in project["optional-dependencies"].items() if name not in ("test", "dev") for one in some
    ]
    for listed, named in ((project["dependencies"], versions.NEEDED), (extras, versions.OPTIONAL)):
        names = {re.split(r"[<>=!~;\[ ]", one)[0] for one in listed}
        assert names <= {*named, "dask"}


def test_what_is_not_installed_is_said_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(versions, "version", missing)
    lines = list(versions.versions())
    assert lines[0] == f"capsa {solver.__version__}"
    assert "numba is not installed" in lines and not any("pyarrow" in line for line in lines)


def test_the_number_of_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"] and "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "solver/__init__.py"
    found = re.search(r'^__version__ = "(\d+\.\d+\.\d+)"$', (ROOT / "solver" / "__init__.py").read_text(), re.M)
    assert found and found[1] == solver.__version__


def test_versions_load_nothing_heavy() -> None:
    script = (
        "import sys\nfrom solver.cli import main\ntry:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'rich', 'msgspec', 'dask', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=os.environ)
    assert done.returncode == 0 and done.stdout.startswith("capsa "), done.stderr
