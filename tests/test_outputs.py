"""The commands that answer a hand, as terminals, pipes and consoles show them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from solver.advice import Standing
from solver.cli import main
from solver.reports.text import columns_of
from solver.terminal import show_progress

ROOT = Path(__file__).parent.parent
HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
LAID = "Qs Qc 2h | 8s 8d 6s 6h Ks | As 5c 4h 3d 2d"
FOUL = "Qs Qc 2h | As 5c 4h 3d 2d | 8s 8d 6s 6h Ks"
QUICK = ["--deals", "1000", "--opponents", "balanced"]
windows = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


def run(*words: str, **settings: object) -> Result:
    return CliRunner().invoke(main, list(words), **settings)  # type: ignore[arg-type]


def test_grade_prints_the_json_of_the_contract() -> None:
    done = run("grade", LAID, "--json", *QUICK, "-q")
    assert done.exit_code == 0 and done.stderr == ""
    record = json.loads(done.stdout)
    alternative = set(record["alternatives"][0])
    assert set(record["graded"]) == alternative | {"rank", "foul", "beaten"} and record["graded"]["foul"] is False
    assert record["hand"] == LAID.replace("| ", "").split()
    plain = json.loads(run("best", HAND, "--json", *QUICK).stdout)
    assert {key: plain[key] for key in ("best", "alternatives", "candidates")} == {
        key: record[key] for key in ("best", "alternatives", "candidates")
    }
    foul = json.loads(run("grade", FOUL, "--json", *QUICK).stdout)["graded"]
    assert foul["foul"] is True and foul["why"].startswith("the middle (five-high straight) beats the back")
    assert set(foul) == {"front", "middle", "back", "units", "stderr", "behind", "behind_stderr", "foul", "why"}


def test_an_arrangement_can_come_unquoted_or_on_stdin_in_many_ways() -> None:
    first = run("grade", LAID, *QUICK, "-q").stdout
    assert first == run("grade", *LAID.replace("|", "/").split(), *QUICK, "-q").stdout
    for text in (LAID, LAID.replace(" | ", "\n") + "\n", "back: As5c4h3d2d; top: QsQc2h; middle: 8s8d6s6hKs"):
        assert first == run("grade", "-", *QUICK, "-q", input=text).stdout


def test_keep_is_repeatable_and_shown() -> None:
    done = run("best", HAND, "--keep", "back: As 5c", "--keep", "front: 8d", *QUICK)
    assert done.exit_code == 0
    assert "As 5c kept in the back, 8d kept in the front" in " ".join(done.stdout.split())
    record = json.loads(run("best", HAND, "--keep", "back: As 5c; front: 8d", "--json", *QUICK).stdout)
    assert record["keep"] == {"back": ["As", "5c"], "front": ["8d"]}
    assert "8d" in record["best"]["front"] and {"As", "5c"} <= set(record["best"]["back"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["grade", "Qs Qc Ks | 8s 8d 6s 6h 2d | As 5c 4h 3d"], "the back has 5 cards, got 4: As 5c 4h 3d"),
        (["grade", "Qs Qc Ks | 8s 8d 6s 6h 2d | As 5c 4h 3d Ks"], "Ks stands in the front and in the back"),
        (["grade", "As 5c 4h 3d 2d | 8s 8d 6s 6h Ks | Qs Qc 2h"], "write the front of three first"),
        (["grade", HAND], "expected three rows as front | middle | back"),
        (["grade", "front: Qs Qc 2h; back: As 5c 4h 3d 2d"], "the middle is missing"),
        (["grade", LAID.replace("As", "1s")], "back card 1 of 5: unknown rank in '1s'"),
        (["grade", LAID, "--dead", "As"], "dead card 1 of 1: As is in the hand"),
        (["best", HAND, "--keep", "Ac"], "keep: expected front:, middle: or back: before the cards"),
        (["best", HAND, "--keep", "back: Ac"], "keep: Ac is not in the hand"),
    ],
)
def test_bad_input_names_what_is_wrong(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.exit_code == 2 and done.stdout == "" and message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_grade_keeps_nothing() -> None:
    done = run("grade", LAID, "--keep", "back: As")
    assert done.exit_code == 2 and "No such option" in done.stderr


# --- Pipes, consoles and terminals ---


def process(words: list[str], **environment: str) -> subprocess.CompletedProcess[bytes]:
    hidden = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING"}
    kept = {key: text for key, text in os.environ.items() if key not in hidden}
    return subprocess.run(
        [sys.executable, "-m", "solver", *words],
        capture_output=True, cwd=ROOT, env=kept | environment, check=False, timeout=240,
    )  # fmt: skip


def test_a_pipe_gets_the_same_plain_text_whatever_the_terminal() -> None:
    words = ["grade", LAID, *QUICK, "-q"]
    plain = process(words, PYTHONIOENCODING="utf-8")
    assert plain.returncode == 0 and plain.stderr == b"" and b"\x1b" not in plain.stdout
    assert process(words, PYTHONIOENCODING="utf-8", COLUMNS="40", NO_COLOR="1").stdout == plain.stdout
    colored = process(words, PYTHONIOENCODING="utf-8", FORCE_COLOR="1").stdout.decode()
    assert "\x1b" in colored and click.unstyle(colored) == plain.stdout.decode()


@windows
def test_files_are_written_though_nobody_reads_the_answer(tmp_path: Path) -> None:
    files = tmp_path / "answer.svg", tmp_path / "answer.html"
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-m", "solver", "best", HAND, *QUICK, "--plot", str(files[0]), "--html", str(files[1])]
    done = subprocess.run(words, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert done.returncode == 0 and b"Traceback" not in done.stderr
    assert all(file.is_file() for file in files)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437", "latin-1"])
def test_a_console_without_suits_gets_letters(encoding: str) -> None:
    done = process(["grade", FOUL, *QUICK], PYTHONIOENCODING=encoding)
    assert done.returncode == 0 and done.stdout.isascii() and b"?" not in done.stdout
    assert b"Qs Qc" in done.stdout and b"+-" in done.stdout


def at_terminal(words: list[str], columns: int, typed: bytes = b"", interrupt_after: float = 0.0) -> tuple[int, str]:
    """Run a command at a terminal of so many columns, and return its exit code and all that is written there."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {key: text for key, text in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
    started = subprocess.Popen(
        [sys.executable, "-m", "solver", *words],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=kept | {"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    os.close(theirs)
    if typed:
        os.write(ours, typed)
    written, start = b"", time.monotonic()
    os.set_blocking(ours, False)
    while time.monotonic() < start + 120:
        try:
            if part := os.read(ours, 65536):
                written += part
                continue
        except BlockingIOError:
            if started.poll() is not None:
                break
        except OSError:  # the other end is closed
            break
        if interrupt_after and b"\x1b[K" in written:
            time.sleep(interrupt_after)
            started.send_signal(signal.SIGINT)
            interrupt_after = 0.0
        time.sleep(0.05)
    try:
        code = started.wait(30)
    finally:
        started.kill()
        os.close(ours)
    return code, written.decode().replace("\r\n", "\n")


def shown_of(written: str) -> list[str]:
    """Return the lines that stay on the screen, without colours."""
    return [click.unstyle(line.rpartition("\x1b[K")[2]) for line in written.split("\n")]


@windows
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_a_terminal_is_filled_and_never_overrun(columns: int) -> None:
    code, written = at_terminal(["grade", LAID, *QUICK], columns)
    lines = shown_of(written)
    assert code == 0 and "\x1b[1m" in written
    assert max(columns_of(line) for line in lines) == min(columns, 80) or columns == 40
    assert all(columns_of(line) <= min(columns, 80) for line in lines)


@windows
@pytest.mark.parametrize("command", ["best", "grade"])
def test_what_to_type_is_said_at_a_terminal(command: str) -> None:
    typed = (HAND if command == "best" else LAID).encode() + b"\n\x04"
    code, written = at_terminal([command, "-", "--quick"], 80, typed)
    assert code == 0 and "Ctrl-D" in written and "win    tie   lose" in written
    code, written = at_terminal([command, "-", "--quick", "-q"], 80, typed)
    assert code == 0 and "Ctrl-D" not in written


@windows
@pytest.mark.parametrize(("command", "columns"), [("best", 40), ("grade", 80), ("grade", 30)])
def test_progress_is_drawn_cleared_and_interrupted(command: str, columns: int) -> None:
    text = HAND if command == "best" else LAID
    words = [command, text, "--deals", "10000000", "--precision", "0", "--players", "4", "--opponents", "balanced"]
    code, written = at_terminal(words, columns, interrupt_after=0.2)
    assert code == 130
    drawn = [part for part in written.split("\r\x1b[K") if " left" in part and "\n" not in part]
    assert drawn and all(len(part) < columns for part in drawn)
    lines = shown_of(written)
    assert lines[-2:] == ["Interrupted.", ""] and "Interrupted; until then:" in lines
    assert all(columns_of(line) <= columns for line in lines[lines.index("Interrupted; until then:") :])


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (80, "5,000 deals, +0.400 +- 0.030 units, at most 4 s left"),
        (53, "5,000 deals, +0.400 +- 0.030 units, at most 4 s left"),
        (52, "5,000 deals, at most 4 s left"),
        (20, "at most 4 s left"),
        (8, "at most"),
    ],
)
def test_progress_says_less_on_a_narrow_terminal(columns: int, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(click, "echo", lambda text, **settings: written.append(text))
    monkeypatch.setattr("solver.terminal.progress_width", lambda: columns)
    standing = Standing(5000, 20_000, 0.4, 0.03, 1.5, 4.4, answer=lambda: pytest.fail("not wanted"))
    show_progress(standing, "at most 4 s left")
    assert written == [f"\r\x1b[K{text}"]
