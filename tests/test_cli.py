"""The command line as users and programs see it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from solver.cards import parse_cards
from solver.cli import main
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy
from solver.tables import ranking

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
ROOT = Path(__file__).parent.parent


def run(*words: str, **settings: object) -> Result:
    return CliRunner().invoke(main, list(words), **settings)  # type: ignore[arg-type]


def process(*words: str, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "solver", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        check=False,
        timeout=240,
        **settings,  # type: ignore[call-overload]
    )


def test_best_prints_the_json_of_the_contract() -> None:
    done = run("best", HAND, "--json", "--deals", "1000", "--set", "rows.back=2", "--players", "3")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert set(record) == {
        "schema", "hand", "rules", "overrides", "players", "opponents", "seed", "deals", "decided", "best",
        "alternatives", "natural", "surrender", "graded", "candidates", "legal",
    }  # fmt: skip
    fields = {"front", "middle", "back", "units", "stderr", "sd", "rows", "scoop", "scooped", "royalties"}
    assert set(record["best"]) == fields
    assert all(set(one) == fields | {"behind", "behind_stderr"} for one in record["alternatives"])
    assert record["overrides"] == {"rows.back": 2} and record["players"] == 3 and record["deals"] == 1000
    assert record["hand"] == HAND.split() and len(record["alternatives"]) == 5
    best = record["best"]
    assert sorted(best["front"] + best["middle"] + best["back"]) == sorted(HAND.split())
    assert [len(best[row]) for row in ("front", "middle", "back")] == [3, 5, 5]


@pytest.mark.parametrize(
    "hand",
    [
        HAND,
        HAND.replace(" ", ""),
        HAND.replace(" ", ", ").upper(),
        HAND.replace("s", "♠").replace("d", "♦\ufe0f").replace("h", "♡").replace("c", "♣"),
    ],
)
def test_a_hand_can_be_written_in_many_ways(hand: str) -> None:
    record = json.loads(run("best", hand, "--json", "--deals", "100").stdout)
    assert record["hand"] == HAND.split()


def test_a_hand_can_come_unquoted_or_on_stdin() -> None:
    first = run("best", *HAND.split(), "--json", "--deals", "100").stdout
    assert first == run("best", "-", "--json", "--deals", "100", input=HAND + "\n").stdout


def test_the_text_fits_80_columns_and_is_plain_when_piped() -> None:
    for rules in ("2-4", "mainland"):
        done = run("best", HAND, "--deals", "500", "--rules", rules, "--players", "4")
        assert done.exit_code == 0
        lines = done.stdout.splitlines()
        assert max(map(len, lines)) <= 80 and "\x1b" not in done.stdout
        assert all(line == line.rstrip() for line in lines)
    assert run("best", HAND, "--deals", "500", "--ascii").stdout.isascii()


def test_colour_is_decided_by_option_then_environment() -> None:
    def colored(*words: str, **env: str) -> bool:
        return "\x1b[" in run("best", HAND, "--deals", "100", *words, env=env).stdout

    assert not colored() and colored("--color", "always") and colored(FORCE_COLOR="1")
    assert not colored(NO_COLOR="1", FORCE_COLOR="1") and colored("--color", "always", NO_COLOR="1")
    assert not colored("--color", "never", FORCE_COLOR="1")


def test_options_come_from_the_environment() -> None:
    env = {"CAPSA_RULES": "1-6", "CAPSA_PLAYERS": "3", "CAPSA_DEALS": "200"}
    record = json.loads(run("best", HAND, "--json", env=env).stdout)
    assert (record["rules"], record["players"], record["deals"]) == ("1-6", 3, 200)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["best", HAND[:-3]], "a hand has 13 cards, got 12"),
        (["best", HAND + " 7c"], "a hand has 13 cards, got 14"),
        (["best", HAND.replace("3d", "2d")], "card 13 of 13: 2d is already card 1"),
        (["best", HAND.replace("3d", "1d")], "card 13 of 13: unknown rank in '1d'"),
        (["best", HAND.replace("3d", "3x")], "card 13 of 13: unknown suit in '3x'"),
        (["best", ""], "a hand has 13 cards, got 0"),
        (["best", HAND, "--dead", "As"], "dead card 1 of 1: As is in the hand"),
        (["best", HAND, "--dead", "Ac Ac"], "dead card 2 of 2: Ac is already"),
        (["best", HAND, "--rules", "2-5"], "'2-5'"),
        (["best", HAND, "--rules", "missing.toml"], "missing.toml"),
        (["best", HAND, "--set", "rows.frnt=1"], "rows.frnt"),
        (["best", HAND, "--set", "surrender.allowed=true"], "surrender.allowed: not scored yet"),
        (["best", HAND, "--players", "5"], "seats 2 to 4, got 5"),
        (["best", HAND, "--players", "4", "--dead", "Ac"], "39 unseen cards, 38 are left"),
        (["best", HAND, "--opponents", "nobody"], "unknown strategy 'nobody'"),
        (["best", HAND, "--opponents", "missing.npz"], "no such file"),
        (["best", HAND, "--deals", "1"], "deals"),
        (["best", HAND, "--precision", "nan"], "precision"),
        (["best", HAND, "--seed", "-1"], "seed"),
        (["rules", "show", "nothing"], "'nothing'"),
    ],
)
def test_bad_input_is_one_clear_sentence(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert done.stdout == "" and message in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "x"\n[rows]\nfrnt = 1\n', "rows.frnt: unknown key"),
        ('name = "x"\n[rows]\nfront = "one"\n', "rows.front"),
        ('name = "x"\n[ranking]\nwheel = "high"\n', "ranking.wheel"),
        ("name = ", "not valid TOML"),
    ],
)
def test_a_wrong_rule_file_is_named_with_its_key(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    done = run("best", HAND, "--rules", str(path))
    assert done.exit_code == 2 and message in done.stderr and done.stdout == ""
    done = run("rules", "check", str(path))
    assert done.exit_code == 1 and message in done.stdout


def test_tables_for_other_rules_or_damaged_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    base = load_strategy("balanced", load_rules("2-4"))
    own = Strategy("own", f"rules:{load_rules('1-6').fingerprint()}", base.edges, base.values, base.units)
    own.save(path, ranking("lowest"))
    assert run("best", HAND, "--opponents", str(path), "--rules", "1-6", "--deals", "100").exit_code == 0
    done = run("best", HAND, "--opponents", str(path))
    assert done.exit_code == 2 and "for other rules than '2-4'" in done.stderr
    path.write_bytes(path.read_bytes()[:1000])
    done = run("best", HAND, "--opponents", str(path))
    assert done.exit_code == 2 and "damaged" in done.stderr


def test_rules_are_listed_shown_and_checked(tmp_path: Path) -> None:
    listed = run("rules", "list").stdout
    for name in ("2-4", "1-6", "1-4", "2-4-royalties", "1-6-royalties", "hong-kong", "mainland"):
        assert name in listed
        shown = run("rules", "show", name)
        assert shown.exit_code == 0 and max(map(len, shown.stdout.splitlines())) <= 80
        path = tmp_path / f"{name}.toml"
        path.write_text(run("rules", "show", name, "--toml").stdout, encoding="utf-8")
        assert run("rules", "check", str(path)).exit_code == 0
        assert load_rules(path).fingerprint() == load_rules(name).fingerprint()


def test_deal_gives_hands_that_best_reads() -> None:
    lines = run("deal", "50", "--seed", "3").stdout.splitlines()
    assert len(lines) == 50 and lines == run("deal", "50", "--seed", "3").stdout.splitlines()
    assert all(len(parse_cards(line)) == 13 for line in lines) and lines != run("deal", "50").stdout.splitlines()


def commands(
    group: click.Group = main, prefix: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        yield (*prefix, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))


@pytest.mark.parametrize(
    ("words", "command"), list(commands()), ids=lambda value: " ".join(value) if type(value) is tuple else ""
)
def test_help_shows_examples_on_lines_of_their_own(words: tuple[str, ...], command: click.Command) -> None:
    lines = run(*words, "-h").stdout.splitlines()
    examples = [line.strip() for line in lines[lines.index("  Examples:") + 1 :]]
    assert any(line.startswith(f"capsa {' '.join(words)}") for line in examples)
    assert all(line.startswith("capsa ") for line in examples) and not any("\\b" in line for line in lines)


def test_every_option_has_the_environment_variable_of_its_name() -> None:
    for words, command in commands():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                name = next(name for name in parameter.opts if name.startswith("--"))
                assert parameter.envvar == "CAPSA_" + name[2:].upper() and parameter.show_envvar, (words, name)


def test_every_command_has_help_with_an_example() -> None:
    for words in (["best"], ["rules"], ["rules", "list"], ["rules", "show"], ["rules", "check"], ["deal"], ["bench"]):
        done = run(*words, "-h")
        assert done.exit_code == 0 and f"capsa {' '.join(words)}" in done.stdout


def test_help_imports_nothing_that_computes() -> None:
    script = (
        "import sys\nfrom solver.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'rich', 'msgspec', 'dask', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_a_broken_pipe_is_quiet() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "solver", "deal", "100000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as dealing:
        assert dealing.stdout is not None and dealing.stderr is not None
        assert len(dealing.stdout.readline().split()) == 13
        dealing.stdout.close()
        assert dealing.wait(60) == 0 and dealing.stderr.read() == b""


def test_ctrl_c_ends_with_130_and_no_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "solver", "deal", "100000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as dealing:
        assert dealing.stdout is not None
        dealing.stdout.readline()
        dealing.send_signal(signal.SIGINT)
        _, error = dealing.communicate(timeout=60)
    assert dealing.returncode == 130 and b"Traceback" not in error


def test_the_time_taken_is_on_stderr_unless_quiet() -> None:
    done = run("best", HAND, "--deals", "1000")
    assert "1,000 deals in " in done.stderr and "1,000 deals in" not in done.stdout
    assert run("best", HAND, "--deals", "1000", "-q").stderr == ""
    assert run("best", HAND, "--deals", "1000", env={"CAPSA_QUIET": "1"}).stderr == ""


def test_a_piped_json_record_is_one_line() -> None:
    assert run("best", HAND, "--json", "--deals", "100").stdout.count("\n") == 1


def test_usage_errors_end_with_2() -> None:
    for words in (["best"], ["best", HAND, "--jobs", "0"], ["best", HAND, "--nothing"], ["nothing"], ["deal", "0"]):
        done = run(*words)
        assert done.exit_code == 2 and done.stdout == "" and "Traceback" not in done.stderr
    done = run("rules", "show", "2-4", "--toml", "--set", "scoop.multiplier=2")
    assert done.exit_code == 2 and "cannot be used with --set" in done.stderr


def test_bytes_that_are_no_text_are_a_bad_hand() -> None:
    done = run("best", "-", input=b"As Kd \xff\xfe")
    assert done.exit_code == 2 and "Traceback" not in done.stderr and "card 3 of 3" in done.stderr


def test_ascii_holds_for_rule_sets_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "Mậu Binh"\ntitle = "十三张 ♠"\n', encoding="utf-8")
    shown = run("rules", "show", str(path), "--ascii").stdout
    assert shown.isascii() and "Mau Binh" in shown
    assert "Mậu Binh" in run("rules", "show", str(path)).stdout
    assert run("rules", "list", "--ascii").stdout.isascii()
    done = process("rules", "show", str(path), env=os.environ | {"PYTHONIOENCODING": "cp437:strict"})
    assert done.returncode == 0, done.stderr


def test_letters_are_printed_where_symbols_cannot_be() -> None:
    done = process("best", HAND, "--deals", "100", env=os.environ | {"PYTHONIOENCODING": "cp1252:strict"})
    assert done.returncode == 0 and done.stdout.isascii() and "Ks" in done.stdout


def test_answers_do_not_depend_on_jobs() -> None:
    answers = {run("best", HAND, "--json", "--deals", "2500", "--jobs", jobs).stdout for jobs in ("1", "2", "3")}
    assert len(answers) == 1


def test_a_read_only_installation_uses_a_folder_of_the_users(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    script = (
        "import pathlib, solver\npathlib.Path(solver.__file__).parent\n"
        "from solver import kernels\nkernels._writable = lambda folder: '__pycache__' not in str(folder)\n"
        "print(kernels.cache_folder())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False, env=env
    )
    assert done.stdout.strip() == str(tmp_path / "cache" / "capsa" / "kernels"), done.stderr


def test_bench_reports_every_part() -> None:
    done = run("bench", "--json", "--peers")
    assert done.exit_code == 0
    rows = json.loads(done.stdout)
    assert all(set(row) == {"name", "value", "unit", "relative_to", "ratio"} for row in rows)
    names = " ".join(row["name"] for row in rows)
    assert all(part in names for part in ("evaluator", "arranger", "whole answer", "compil", "phevaluator", "treys"))


@pytest.mark.parametrize("command", [f'best "{HAND}" --deals 100', "rules list", "deal 3", "rules show 2-4 --toml"])
@pytest.mark.parametrize(("stream", "code"), [(">/dev/full", 1), (">&-", 0), ("<&-", 0)])
def test_streams_that_cannot_be_used_give_no_traceback(command: str, stream: str, code: int) -> None:
    done = subprocess.run(
        f"{sys.executable} -m solver {command} {stream}", shell=True, capture_output=True, cwd=ROOT, check=False
    )
    assert done.returncode == code and b"Traceback" not in done.stderr and b"Exception" not in done.stderr


def test_a_closed_stdin_is_an_empty_hand() -> None:
    done = subprocess.run(
        f"{sys.executable} -m solver best - <&-", shell=True, capture_output=True, cwd=ROOT, check=False
    )
    assert done.returncode == 2 and b"got 0: nothing" in done.stderr
