"""What shells complete: asked of click, and in the real shells where they are installed."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from solver import strategies
from solver.cli import main
from solver.completion import SHELLS, VARIABLE, rule_keys
from solver.presets import preset_names, strategy_names
from solver.rules import load_rules
from tests.test_cli import commands

ROOT = Path(__file__).parent.parent
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell at a pseudo-terminal")
DEADLINE = 60


def installed(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to complete files in."""
    for name in ("mine.toml", "my rules.toml", "table.npz", "inner/house.toml", "inner/other.txt", "mainly/x.toml"):
        path = tmp_path / "here" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def offered(*words: str) -> list[str]:
    """Return what is offered for the last word, and "FILES" where the shell is to look for files."""
    found = ShellComplete(main, {}, "capsa", VARIABLE).get_completions(list(words[:-1]), words[-1])
    return ["FILES" if item.type == "file" else item.value for item in found]


def test_commands_and_options_are_offered() -> None:
    assert offered("ex") == ["exploit"] and offered("rules", "sh") == ["show"]
    assert offered("best", "--col") == ["--color"] and offered("best", "--color", "al") == ["always"]
    assert offered("completion", "") == list(SHELLS)


@pytest.mark.parametrize("words", ["best --rules", "score --rules", "rules show", "rules check", "train"])
def test_rule_sets_and_their_files_are_offered(words: str, folder: Path) -> None:
    before = words.split()
    assert offered(*before, "") == [*preset_names(), "mine.toml", "inner/", "mainly/"]
    assert offered(*before, "ma") == ["mainland", "mau-binh", "malayan", "mainly/"]
    assert offered(*before, "min") == ["mine.toml"]
    assert offered(*before, "inner/") == ["inner/house.toml"]


@pytest.mark.parametrize("words", ["best --opponents", "match", "match balanced", "exploit"])
def test_strategies_and_their_files_are_offered(words: str, folder: Path) -> None:
    before = words.split()
    assert offered(*before, "") == [*strategy_names(), *preset_names(), "table.npz", "inner/", "mainly/"]
    assert offered(*before, "ta") == ["taiwan", "table.npz"]


def test_names_of_strategies_are_those_that_load() -> None:
    for name in strategy_names():
        assert strategies.load_strategy(name, load_rules("2-4")).name == name


@pytest.mark.parametrize(
    "words",
    ["best --rules my", "best --rules inn", "best --rules ~/", "best --rules no/such/", "train 2-4 --plot ", "score i"],
)
def test_what_the_shell_does_better_is_left_to_it(words: str, folder: Path) -> None:
    assert offered(*words.split(" ")) == ["FILES"]


def test_every_option_that_takes_a_file_completes_files(folder: Path) -> None:
    for words, command in commands():
        for parameter in command.params:
            metavar = parameter.metavar or ""
            if "FILE" in metavar:
                found = parameter.shell_complete(click.Context(command), "inner/no-such-file")
                assert [item.type for item in found] == ["file"], (words, metavar)


def test_keys_of_rules_are_offered() -> None:
    assert offered("best", "--set", "scoop.") == ["scoop.multiplier=", "scoop.when="]
    keys = list(rule_keys())
    assert {"rows.front", "naturals.list", "royalties.back", "players"} <= set(keys)
    assert not {"name", "title", "source"} & set(keys) and len(keys) == len(set(keys))


def test_completing_imports_nothing_that_computes() -> None:
    script = (
        "import atexit, sys\nfrom solver.__main__ import run\n"
        "heavy = lambda: {'numpy', 'numba', 'rich', 'msgspec', 'matplotlib'} & set(sys.modules)\n"
        "atexit.register(lambda: print('imported', sorted(heavy())))\nrun()\n"
    )
    for words in ("capsa best --rules ma", "capsa match ", "capsa "):
        env = os.environ | {VARIABLE: "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0 and "plain," in done.stdout and "imported []" in done.stdout, done.stderr


def test_other_shells_are_wrong_usage() -> None:
    done = CliRunner().invoke(main, ["completion", "tcsh"])
    assert done.exit_code == 2 and "'bash', 'zsh', 'fish'" in done.stderr


# --- In real shells ---


@pytest.fixture
def typed(tmp_path: Path, folder: Path) -> Path:
    """Return a folder for PATH: its `capsa` completes as this checkout's, else it notes the words that it was given."""
    path = tmp_path / "bin" / "capsa"
    path.parent.mkdir()
    real = f'PYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m solver "$@"'
    path.write_text(
        f'#!/bin/sh\nif [ "${VARIABLE}" ] || [ "$1" = completion ]; then\n  {real}\nfi\n'
        'for word in "$@"; do printf "<%s>" "$word"; done > ../noted.part\nmv ../noted.part ../noted\n'
    )
    path.chmod(0o755)
    return path.parent


STARTED = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(capsa completion bash)"'),
    "zsh": (["-f", "-i"], 'autoload -Uz compinit; compinit -D -u; eval "$(capsa completion zsh)"'),
}


@pytest.fixture(params=["bash", "zsh"])
def terminal(request: pytest.FixtureRequest, typed: Path) -> Iterator[int]:
    """Start a shell that completes, and return its terminal."""
    import pty

    path = installed(request.param)
    words, first = STARTED[request.param]
    env = os.environ | {"PATH": f"{typed}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb", "HOME": str(typed)}
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [path, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True
    ) as shell:
        os.close(theirs)
        os.set_blocking(ours, False)
        os.write(ours, f"{first}\n".encode())
        yield ours
        shell.kill()
    os.close(ours)


def noted(terminal: int, line: str, folder: Path) -> str:
    """Type a line with its tabs, press Enter, and return the words that the command was given."""
    path = folder.parent / "noted"
    path.unlink(missing_ok=True)
    os.write(terminal, f"capsa {line}\n".encode())
    end, shown = time.monotonic() + DEADLINE, b""
    while not path.exists():
        with suppress(BlockingIOError):
            shown += os.read(terminal, 100_000)  # a terminal that nobody reads fills up
        assert time.monotonic() < end, shown.decode(errors="replace")
        time.sleep(0.02)
    return path.read_text()


@POSIX
def test_tab_completes_in_bash_and_zsh(terminal: int, folder: Path) -> None:
    for line, words in {
        "expl\tbal\t": "<exploit><balanced>",
        "rules sh\tmainla\t--to\t": "<rules><show><mainland><--toml>",
        "best --rules min\t--oppo\ttab\t": "<best><--rules><mine.toml><--opponents><table.npz>",
        "best --rules=mainla\t": "<best><--rules=mainland>",
        "best --rules my\t": "<best><--rules><my rules.toml>",
        "best --rules inn\tho\t": "<best><--rules><inner/house.toml>",
        "score inner/o\t": "<score><inner/other.txt>",
        "train taiw\t--plot mainl\tp.svg": "<train><taiwan><--plot><mainly/p.svg>",
    }.items():
        assert noted(terminal, line, folder) == words, line


@POSIX
def test_tab_completes_in_fish(typed: Path, folder: Path) -> None:
    path = installed("fish")
    env = os.environ | {"PATH": f"{typed}{os.pathsep}{os.environ['PATH']}", "HOME": str(typed)}
    lines = {
        "expl": ["exploit"],
        "best --rules mainl": ["mainland", "mainly/"],
        "best --rules=mainlan": ["--rules=mainland"],
        "best --rules my": ["my rules.toml"],
        "best --rules inn": ["inner/"],
        "best --rules inner/": ["inner/house.toml"],
        "match balanced tab": ["table.npz"],
        "score inner/o": ["inner/other.txt"],
    }
    asked = "\n".join(f"complete -C 'capsa {line}' | string split -f1 \\t; echo END" for line in lines)
    done = subprocess.run(
        [path, "-c", f"capsa completion fish | source\n{asked}"],
        env=env, capture_output=True, text=True, timeout=DEADLINE, check=True,
    )  # fmt: skip
    answers = [part.split("\n") for part in done.stdout.split("END\n")[:-1]]
    assert [sorted(filter(None, part)) for part in answers] == list(lines.values()), done.stderr
