"""The command line as users and programs see it."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from solver import startup
from solver.advice import Standing
from solver.cards import parse_cards
from solver.cli import main
from solver.deals import Dealer, Deals
from solver.errors import RequestError
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy
from solver.terminal import show_progress

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
ROOT = Path(__file__).parent.parent
ROUND = "Ann: KhJh5s | KcJc4c3c2c | AhTh9h6h2h\nBob: AsQsTs | 9c9d8c3h2d | 4s4h4d7c7h\n"


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
    done = run(
        "best", HAND, "--json", "--deals", "1000", "--set", "rows.back=2", "--players", "3", "--opponents", "balanced"
    )
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert set(record) == {
        "schema", "hand", "rules", "overrides", "players", "opponents", "seed", "deals", "decided",
        "interrupted", "best", "alternatives", "natural", "surrender", "graded", "candidates", "legal",
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


def test_the_list_of_commands_begins_with_the_answer_and_cuts_no_sentence() -> None:
    for words in ([], ["rules"]):
        listed = CliRunner().invoke(main, [*words, "-h"], terminal_width=80).stdout.split("Commands:\n")[1]
        listed = listed.split("\n\n")[0]
        assert "..." not in listed
        assert "," not in listed  # where click's script for fish ends a description
        assert words or listed.split()[0] == "best"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["best", HAND[:-3]], "a hand has 13 cards, got 12"),
        (["best", HAND + " 7c"], "a hand has 13 cards, got 14"),
        (["best", HAND.replace("3d", "2d")], "card 13 of 13: 2d is already card 1"),
        (["best", HAND.replace("3d", "1d")], "card 13 of 13: unknown rank in '1d'"),
        (["best", HAND.replace("3d", "3x")], "card 13 of 13: unknown suit in '3x'"),
        (["best", ""], "a hand has 13 cards, got 0"),
        (["best", "Qs Qc Ks | 8s 8d 6s 6h 2d | As 5c 4h 3d 2h"], "`capsa grade` takes an arrangement"),
        (["best", HAND, "--dead", "As"], "dead card 1 of 1: As is in the hand"),
        (["best", HAND, "--dead", "Ac Ac"], "dead card 2 of 2: Ac is already"),
        (["best", HAND, "--rules", "2-5"], "'2-5'"),
        (["best", HAND, "--rules", "missing.toml"], "missing.toml"),
        (["best", HAND, "--set", "rows.frnt=1"], "rows.frnt"),
        (["best", HAND, "--banker", "me"], "banker: the rules '2-4' have none"),
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
    own = Strategy("own", "lowest", load_rules("1-6").fingerprint(), base.edges, base.values, base.units)
    own.save(path)
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
                variable = "CAPSA_" + name[2:].upper().replace("-", "_")
                if words == ("score",) and name == "--banker":
                    variable += "_NAME"  # that of `best` says which side banks
                assert parameter.envvar == variable and parameter.show_envvar, (words, name)


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
    answers = {
        run("best", HAND, "--json", "--deals", "2500", "--precision", "0", "--jobs", jobs).stdout
        for jobs in ("1", "2", "3")
    }
    assert len(answers) == 1


def test_a_read_only_installation_uses_a_folder_of_the_users(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    script = (
        "import pathlib, solver\npathlib.Path(solver.__file__).parent\n"
        "from solver import compiling\ncompiling._writable = lambda folder: '__pycache__' not in str(folder)\n"
        "print(compiling.cache_folder())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False, env=env
    )
    assert done.stdout.strip() == str(tmp_path / "cache" / "capsa" / "kernels"), done.stderr


def test_bench_reports_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr("solver.startup.ROUNDS", 1)
    monkeypatch.setattr("solver.startup.first", lambda hand: compiled.append(hand) or 14.0)
    done = run("bench", "--json", "--peers")
    assert done.exit_code == 0, done.output
    assert len(compiled) == 1 and len(parse_cards(compiled[0])) == 13
    rows = json.loads(done.stdout)
    assert all(set(row) == {"name", "value", "unit", "relative_to", "ratio"} for row in rows)
    names = " ".join(row["name"] for row in rows)
    assert all(part in names for part in ("evaluator", "arranger", "whole answer", "compil", "phevaluator", "treys"))
    commands = {row["name"]: row for row in rows if row["relative_to"] == "import numba"}
    assert set(commands) == {"capsa --help", "capsa best --quick", "capsa best, 20,000 deals"}
    base = next(row["value"] for row in rows if row["name"] == "import numba")
    assert all(row["ratio"] == pytest.approx(row["value"] / base) for row in commands.values())
    assert rows[-1]["value"] == 14 and rows[-1]["unit"] == "s"


def test_a_first_run_is_measured_on_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    monkeypatch.setenv("CAPSA_PLAYERS", "4")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "kept")
    monkeypatch.setattr("solver.startup._seconds", lambda words, environment: seen.append(environment) or 1.0)
    assert startup.first(HAND) == 1
    assert "CAPSA_PLAYERS" not in seen[0] and not Path(seen[0]["NUMBA_CACHE_DIR"]).exists()


def test_a_command_that_fails_is_not_measured() -> None:
    with pytest.raises(RequestError, match=r"'-m solver best --quick As' ended with 2: Error: .*got 1"):
        startup.warm(["As", HAND])


# --- How a process starts and ends ---


@pytest.mark.parametrize("words", [["--quick"], ["--deals", "100"]])
def test_a_second_run_compiles_nothing(words: list[str]) -> None:
    assert process("best", HAND, *words).returncode == 0
    again = process("best", HAND, *words, env=os.environ | {"NUMBA_DEBUG_CACHE": "1"})
    assert "[cache] data loaded" in again.stdout and "[cache] data saved" not in again.stdout


def test_a_command_loads_no_scipy_and_a_library_hides_none() -> None:
    script = (
        "import atexit, sys\n"
        f"sys.argv = ['capsa', 'best', '--quick', '{HAND}']\n"
        "atexit.register(lambda: print('loaded', any(name.startswith('scipy.linalg') for name in sys.modules)))\n"
        "from solver.__main__ import run\nrun()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("loaded False\n")
    run("best", HAND, "--quick")
    assert sys.modules.get("scipy", "not hidden") is not None and gc.get_threshold()[0] < 100_000


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


# --- score ---

FOUR = """Ann: KhJh5s | KcJc4c3c2c | AhTh9h6h2h
Jean-Luc: AsQsTs | 9c9d8c3h2d | 4s4h4d7c7h
陈: KdQc5d | 9s8d7s6d5c | AdQdJd7d3d
Dee Dee: Tc6c6s | 8s8h5h3s2s | AcKsQhJsTd
"""
H = ("JsJd9h|QhQs8c3c2h|AsKs6s5s3s", "Th9s7s|Kd6d5d4d3d|KcQc6c5c4c")
G1 = ("7c7d7h|4c4d4h4sKd|9sTsJsQsKs", "AcKc2d|AdQdTd6d5d|8c8d8h3s3c")
G2 = ("2c2d2h|9c8d7h6s5c|AsJsTs8s4s", "3c3d3h|8c7d6h5s4c|KhQhJh9h4h")
G3 = ("9c5c2d|KcKd8h7s3c|AcAdQcQs6h", "9h5h2s|JcJd8s7d3d|KhKsQdQh4s")
G4 = (G3[0], "9h5h2s|JcJd8s7d3d|4c4d4hAsTs")
G5 = (G1[0], "AcAdKh|2c2d8h6s5h|QcQdJh5c3d")
G7 = ("QcJd9h|Ac2d3h4s5c|8c8d8h6s6h", "QdJh7c|6d5h4d3c2s|9s9d9c4h4c")


def score(lines: str, *words: str) -> dict[str, object]:
    done = run("score", "--json", *words, input=lines)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    record = json.loads(done.stdout)
    assert isinstance(record, dict)
    return record


@pytest.mark.parametrize(
    ("case", "rows", "words", "units"),
    [
        (H, [1, -1, 1], "", 2),
        (H, [1, -1, 1], "--rules 1-6", 1),
        (G1, [1, 1, 1], "", 4),
        (G1, [1, 1, 1], "--rules 1-6", 6),
        (G1, [1, 1, 1], "--rules 2-4-royalties", 20),
        (G1, [1, 1, 1], "--rules 1-6-royalties", 22),
        (G1, [1, 1, 1], "--rules hong-kong", 16),
        (G1, [1, 1, 1], "--rules mainland", 32),
        (G1, [1, 1, 1], "--rules mainland --set home_run.min_opponents=1 --set home_run.multiplier=2", 64),
        (G2, [-1, 1, 1], "", 2),
        (G2, [-1, 1, 1], "--rules 1-6", 1),
        (G2, [-1, 1, 1], "--rules 2-4-royalties", -1),
        (G2, [-1, 1, 1], "--rules 2-4-royalties --set royalties.paid=both", 2),
        (G3, [0, 1, 1], "", 3),
        (G3, [0, 1, 1], "--rules 1-6", 2),
        (G4, [0, 1, -1], "", 0),
        (G4, [0, 1, -1], "--rules 1-6", 0),
        (G5, None, "", 4),
        (G5, None, "--rules 1-6", 6),
        (G5, None, "--rules mainland", 32),
        (G5, None, "--rules mainland --set foul.pays=units --set foul.units=6", 6),
        (G7, [1, -1, -1], "", -2),
        (G7, [1, 1, -1], "--set ranking.wheel=second", 2),
    ],
)
def test_score_settles_the_worked_cases(case: tuple[str, str], rows: list[int] | None, words: str, units: int) -> None:
    record = score(f"A: {case[0]}\nB: {case[1]}\n", *words.split())
    assert [player["total"] for player in record["players"]] == [units, -units]  # type: ignore[attr-defined]
    assert record["pairs"] == [[0, units], [-units, 0]]
    found = [[row["front"], row["middle"], row["back"]] for row in record["rows"]]  # type: ignore[attr-defined]
    assert found == ([] if rows is None else [rows])


@pytest.mark.parametrize(("rules", "totals"), [("2-4", [-2, 6, 2, -6]), ("1-6", [-1, 3, 1, -3])])
def test_score_settles_four_players_from_a_file_or_stdin(rules: str, totals: list[int], tmp_path: Path) -> None:
    path = tmp_path / "round.txt"
    path.write_bytes(b"\xef\xbb\xbf" + FOUR.replace("\n", "\r\n").replace("|", "｜").encode())  # noqa: RUF001
    records = [json.loads(run("score", str(path), "--json", "--rules", rules).stdout)]
    records += [score(FOUR, "--rules", rules), score(FOUR, "-", "--rules", rules)]
    assert records[0] == records[1] == records[2]
    record = records[0]
    assert [player["name"] for player in record["players"]] == ["Ann", "Jean-Luc", "陈", "Dee Dee"]
    assert [player["total"] for player in record["players"]] == totals
    assert set(record) >= {"rules", "players", "pairs", "rows"} and len(record["rows"]) == 6


def test_score_turns_units_into_money() -> None:
    stakes = ["--stakes", "Jean-Luc-Ann=50000", "--stakes", "陈-Dee Dee=0.5"]
    record = score(FOUR, *stakes)
    money = [player["money"] for player in record["players"]]  # type: ignore[attr-defined]
    assert money == [-100_000, 100_004, 1, -5] and sum(money) == 0
    shown = run("score", *stakes, input=FOUR).stdout
    assert "-100,000" in shown and "+100,004" in shown


def test_score_knows_naturals_surrender_and_bankers() -> None:
    lines = "Ann: natural 2d5d6d 3h4h7hKhAh 2c7cTcKcAc\nBob: surrender\nCy: 3s3c4s|9s9d8s8dQs|JsJd6s6c2s\n"
    naturals = 'naturals.list=[{ kind = "three-flushes", units = 4 }, { kind = "six-pairs", units = 5 }]'
    words = ["--set", naturals, "--set", "surrender.allowed=true", "--set", "surrender.units=3"]
    assert score(lines, *words)["pairs"] == [[0, 4, 4], [-4, 0, -3], [-4, 3, 0]]
    assert score(lines, *words, "--set", "table.banker=true", "--banker", "Bob")["pairs"] == [
        [0, 4, 0],
        [-4, 0, -3],
        [0, 3, 0],
    ]


def test_score_prints_plain_text_that_fits() -> None:
    done = run("score", "--rules", "mainland", "--stakes", "Ann-Jean-Luc=10", input=FOUR)
    assert done.exit_code == 0 and done.stderr == "" and "\x1b" not in done.stdout
    assert "Ann v Jean-Luc" in done.stdout and "A♥ T♥ 9♥ 6♥ 2♥" in done.stdout and "陈" in done.stdout
    assert all(line == line.rstrip() and len(line) <= 80 for line in done.stdout.splitlines())
    assert run("score", "--ascii", input=FOUR).stdout.isascii()
    assert "\x1b[" in run("score", "--color", "always", input=FOUR).stdout


@pytest.mark.parametrize(
    ("lines", "words", "message"),
    [
        ("", "", "a round has 2 to 4 players"),
        (FOUR + "Eve: surrender", "", "line 5 (Eve): a round has 2 to 4 players"),
        (FOUR.replace("Dee Dee", "Ann"), "", "line 4 (Ann): line 1 has the same name"),
        (FOUR.replace("5s ", "5x "), "", "line 1 (Ann): front card 3 of 3: unknown suit in '5x'"),
        (FOUR.replace("KdQc", "AsQc"), "", "As is in Jean-Luc's front and in 陈's front"),
        (FOUR.replace("Dee Dee: ", "Dee Dee "), "", "line 4: expected a name, a colon and front"),
        (FOUR.replace("2h", "2h; declared"), "", "line 1 (Ann): after ';' only 'undeclared' can stand, got 'declared'"),
        ("Ann: surrender\nBob: surrender", "", "Ann: the rules '2-4' do not allow surrender"),
        ("A: surrender 2c\nB: surrender", "", "line 1 (A): 'surrender' stands alone"),
        (f"A: natural {G1[0]}\nB: {G1[1]}", "", "A: no natural of the rules '2-4' in 7c 7d 7h"),
        (FOUR, "--stakes Ann-Zed=1", "no player has the name 'Zed'"),
        (FOUR, "--stakes Ann-Jean-Luc=1 --stakes Jean-Luc-Ann=1", "given twice"),
        (FOUR, "--stakes Ann-陈=-1", "a number from 0"),
        (FOUR, "--banker Ann", "the rules '2-4' have no banker"),
        (FOUR, "--set table.banker=true", "say who it is (the players are Ann, Jean-Luc, 陈, Dee Dee)"),
        (FOUR, "--set table.banker=true --banker Zed", "banker: no player has the name 'Zed'"),
        (FOUR, "--rules 2-5", "'2-5'"),
        (FOUR, "--set players=[2,2]", "seat 2 to 2 players, got 4"),
        (FOUR, "missing.txt", "cannot read 'missing.txt': No such file or directory"),
        (FOUR, "tests", "cannot read 'tests': Is a directory"),
    ],
)
def test_score_explains_what_is_wrong(lines: str, words: str, message: str) -> None:
    done = run("score", *words.split(), input=lines)
    assert done.exit_code == 2 and done.stdout == ""
    assert message in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_score_says_where_bytes_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "round.txt"
    path.write_bytes(FOUR.encode() + b"Zo\xeb: surrender\n")
    done = run("score", str(path))
    assert done.exit_code == 2 and "is no UTF-8 text, from line 5 on: save it as UTF-8" in done.stderr
    path.write_text(FOUR, encoding="utf-16")
    assert "is no UTF-8 text, from line 1 on" in run("score", str(path)).stderr


def test_score_reports_a_foul_and_settles() -> None:
    done = run("score", "--rules", "1-6", input=f"Ann: {G5[0]}\nBob: {G5[1]}")
    assert done.exit_code == 0 and "Bob fouls" in done.stdout
    assert "foul: the front (pair of aces, king) beats the middle (pair of twos" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("words", "hinted"), [([], True), (["-"], True), (["-q"], False)])
def test_score_says_what_to_type_at_a_terminal(words: list[str], hinted: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "solver", "score", *words],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    ) as scoring:  # fmt: skip
        os.write(ours, FOUR.encode() + b"\x04")
        shown, said = scoring.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert scoring.returncode == 0 and b"total" in shown
    assert (b"Ctrl-D" in said) == hinted and (said == b"") != hinted


def test_score_loads_neither_numpy_nor_numba() -> None:
    script = (
        "import sys\nfrom solver.cli import main\ntry:\n    main(['score', '-'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=FOUR.encode(), capture_output=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0 and b"total" in done.stdout, done.stderr


def test_variables_of_repeatable_options_are_split_as_a_shell_does() -> None:
    env = {"CAPSA_SET": "rows.front=2 'naturals.list=[{ kind = \"dragon\", units = 1 }]'"}
    record = json.loads(run("rules", "show", "2-4", "--json", env=env).stdout)
    assert record["rows"]["front"] == 2 and [kind["kind"] for kind in record["naturals"]["list"]] == ["dragon"]
    done = run("rules", "show", "2-4", env={"CAPSA_SET": "'rows.front=2"})
    assert done.exit_code == 2 and "CAPSA_SET" in done.stderr


def test_a_banker_from_the_environment_is_for_tables_that_have_one() -> None:
    env = {"CAPSA_BANKER": "me"}
    assert run("best", HAND, "--deals", "100", env=env).exit_code == 0
    record = json.loads(
        run("best", HAND, "--deals", "100", "--rules", "pusoy", "--opponents", "balanced", "--json", env=env).stdout
    )
    assert record["banker"] == "me"
    assert run("score", "-", input=ROUND, env=env).exit_code == 0


def test_messages_cannot_move_the_cursor_or_change_colours() -> None:
    done = run("score", "-", input=ROUND.replace("Ann", "A\x1b[31mnn"))
    assert done.exit_code == 2 and "\x1b" not in done.stderr and "printable" in done.stderr
    done = run("best", HAND.replace("3d", "\x1b[2Jd"))
    assert done.exit_code == 2 and "\x1b" not in done.stderr
    assert run("score", "-", input=ROUND.replace("Ann", "\u200b")).exit_code == 2
    assert run("score", "-", input=ROUND.replace("Ann", "\u0646\u200c\u0646")).exit_code == 0


@pytest.mark.parametrize(
    ("first", "second"), [("rows=1", "rows.front=2"), ("rows.front=2", "rows={ middle = 5 }")]
)  # fmt: skip
def test_overrides_that_overlap_are_refused(first: str, second: str) -> None:
    done = run("rules", "show", "2-4", "--set", first, "--set", second)
    assert done.exit_code == 2 and f"--set {first} and --set {second} set the same key" in done.stderr


def test_the_keys_of_overrides_are_recorded_as_they_are_read() -> None:
    record = json.loads(
        run("best", HAND, "--deals", "100", "--set", " rows . front = 2", "--json", "--opponents", "balanced").stdout
    )
    assert record["overrides"] == {"rows.front": 2}


@pytest.mark.parametrize("name", ["nofile.toml", "nope", "/", ""])
def test_checking_what_cannot_be_read_is_wrong_usage(name: str) -> None:
    done = run("rules", "check", name)
    assert done.exit_code == 2 and done.stderr.startswith("Error: ") and not done.stdout


def test_help_into_a_closed_pipe_is_quiet() -> None:
    command = f'"{sys.executable}" -m solver -h | true; exit "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0 and not done.stderr


def test_an_interrupt_stops_threads_at_work_soon() -> None:
    words = [sys.executable, "-m", "solver", "best", HAND, "--deals", "2000000", "--precision", "0", "-q"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.wait(60) == 130
        assert time.monotonic() - start < 20


@pytest.mark.parametrize("stage", [1, 3])
def test_an_interrupted_answer_rests_on_the_deals_so_far(stage: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["best", HAND, "--json", "--precision", "0"]
    so_far = json.loads(run(*words, "--deals", "2000").stdout)
    first, calls = Dealer.first, []

    def interrupted(dealer: Dealer, number: int, jobs: int = 1) -> Deals:
        calls.append(number)
        if len(calls) == stage:
            raise KeyboardInterrupt
        return first(dealer, number, jobs)

    monkeypatch.setattr(Dealer, "first", interrupted)
    done = run(*words)
    assert done.exit_code == 130 and done.stderr.endswith("Interrupted.\n")
    if stage == 1:
        assert done.stdout == ""
    else:
        assert json.loads(done.stdout) == so_far | {"interrupted": True}
        calls.clear()
        assert run("best", HAND, "--precision", "0").stdout.startswith("Interrupted; until then:\n")


def test_progress_is_drawn_once_it_takes_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(click, "echo", lambda text, **settings: written.append(text))
    for elapsed, left in ((0.9, 5.0), (1.5, 4.4), (2.5, 0.2)):
        standing = Standing(5000, 20_000, 0.4, 0.03, elapsed, left, answer=lambda: pytest.fail("not wanted"))
        show_progress(standing, f"at most {left:.0f} s left")
    assert written == [
        "\r\x1b[K5,000 deals, +0.400 +- 0.030 units, at most 4 s left",
        "\r\x1b[K5,000 deals, +0.400 +- 0.030 units, nearly done",
    ]


# --- match ---


def test_match_prints_the_json_of_the_contract() -> None:
    done = run("match", "balanced", "balanced", "--json", "--hands", "200", "--set", "rows.back=2", "-q")
    assert done.exit_code == 0 and done.stderr == ""
    record = json.loads(done.stdout)
    assert set(record) == {
        "a", "b", "rules", "overrides", "players", "seed", "units", "stderr", "hands", "deals", "decided",
        "interrupted", "identical", "scoops", "fouls", "faults",
    }  # fmt: skip
    assert (record["units"], record["identical"], record["hands"], record["deals"]) == (0, 1, 200, 100)
    assert record["overrides"] == {"rows.back": 2} and record["decided"] is True


def test_match_prints_plain_text_that_fits() -> None:
    done = run("match", "balanced", "cmd:echo hello", "--hands", "40", "--players", "3", "-q")
    assert done.exit_code == 0 and done.stderr == "" and "\x1b" not in done.stdout
    assert all(line == line.rstrip() and len(line) <= 80 for line in done.stdout.splitlines())
    assert run("match", "balanced", "cmd:echo", "--hands", "40", "--ascii", "-q").stdout.isascii()


def test_match_reports_fouls_on_stderr() -> None:
    done = run("match", "balanced", "cmd:echo hello", "--hands", "40", "--json")
    fouls = json.loads(done.stdout)["fouls"]
    assert fouls[0] == 0 and f"Warning: cmd:echo hello fouled {fouls[1]} hands, first " in done.stderr
    assert "expected three rows" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("balanced nobody", "unknown strategy 'nobody'"),
        ("balanced missing.npz", "missing.npz: no such file"),
        ("balanced cmd:no-such-program", "'no-such-program' cannot be started (No such file or directory)"),
        ("balanced balanced --players 5", "seats 2 to 4, got 5"),
        ("balanced balanced --hands 3", "hands: from 4"),
        ("balanced balanced --timeout 0", "timeout"),
        ("balanced balanced --precision 0", "precision"),
    ],
)
def test_match_explains_what_is_wrong(words: str, message: str) -> None:
    done = run("match", *words.split(), "-q")
    assert done.exit_code == 2 and done.stdout == "" and message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("words", "drawn"), [([], True), (["-q"], False)])
def test_match_shows_progress_at_a_terminal(words: list[str], drawn: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    slow = (
        f"cmd:{sys.executable} -c 'import time; [(time.sleep(0.01), print(input(), flush=True)) for _ in range(200)]'"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "solver", "match", "balanced", slow, "--hands", "200", *words],
        stdout=subprocess.PIPE, stderr=theirs, cwd=ROOT,
    ) as playing:  # fmt: skip
        os.close(theirs)
        shown, _ = playing.communicate(timeout=120)
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert playing.returncode == 0 and b"units a hand" in shown
    assert (b" deals, +" in said) == drawn
