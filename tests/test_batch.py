"""Files of hands answered by ``capsa batch``: rows, errors, interruptions, and what is refused."""

import csv
import errno
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from solver import advice
from solver.answers import Request
from solver.batches import job as batch
from solver.batches import journal, rows, streams
from solver.batches.job import Job
from solver.cards import DECK, card_name
from solver.cli import main
from solver.engines import LocalEngine
from solver.errors import OutputError, RequestError
from solver.rules import load_rules
from tests.stub_batch import Stub

ROOT = Path(__file__).parent.parent
RULES = load_rules("2-4")
COLUMNS = ["hand", "front", "middle", "back", "units", "stderr", "deals", "error"]
HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"


def deal(number: int, seed: int = 0) -> list[str]:
    drawn = np.argsort(np.random.default_rng(seed).random((number, 52)), axis=1)[:, :13]
    names = np.array([card_name(card) for card in DECK])
    return [" ".join(hand) for hand in names[drawn].tolist()]


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "Answerer", Stub)
    monkeypatch.setattr(rows, "_KEPT", [])


def run(*words: object, **settings: Any) -> Result:
    return CliRunner().invoke(main, ["batch", *map(str, words), "--quick"], **settings)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def folder(path: Path) -> list[str]:
    return sorted(file.name for file in path.iterdir())


def test_a_single_hand_is_counted_as_one(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(deal(1)[0])
    words = ["batch", str(tmp_path / "in.txt"), "-o", str(tmp_path / "out.csv"), "--quick"]
    assert "1 hand in" in CliRunner().invoke(main, words).stderr


@pytest.mark.parametrize("quick", [True, False])
def test_rows_say_what_best_says(quick: bool, tmp_path: Path) -> None:
    hands = deal(3)
    (tmp_path / "in.txt").write_text("\n".join(hands))
    words = ["--quick"] if quick else ["--deals", "500", "--precision", "0"]
    words += ["--rules", "mainland", "--players", "3", "--seed", "5"]
    done = CliRunner().invoke(main, ["batch", str(tmp_path / "in.txt"), "-o", str(tmp_path / "out.jsonl"), *words])
    assert done.exit_code == 0 and "3 hands in" in done.stderr and done.stdout == ""
    for hand, row in zip(hands, read(tmp_path / "out.jsonl"), strict=True):
        assert list(row) == COLUMNS and row["hand"] == hand and row["error"] is None
        cards = [row[name].split() for name in ("front", "middle", "back")]
        assert list(map(len, cards)) == [3, 5, 5] and sorted(card for laid in cards for card in laid) == sorted(
            hand.split()
        )
        best = advice.best(hand, rules="mainland", players=3, seed=5, deals=500, precision=0, quick=quick).best
        assert abs(row["units"] - best.units) < (2e-6 if quick else 5 * best.stderr)
        assert row["deals"] == 0 and row["stderr"] is None if quick else row["deals"] >= 100 and row["stderr"] > 0
    assert folder(tmp_path) == ["in.txt", "out.jsonl"]


@pytest.mark.usefixtures("stub")
def test_all_formats_say_the_same(tmp_path: Path) -> None:
    lines = [*deal(40), "nonsense", "", deal(1)[0].replace(" ", ""), HAND.replace("3d", "2d"), "A♠ é"]
    (tmp_path / "in.txt").write_text("\n".join(lines), encoding="utf-8")
    for suffix in ("jsonl", "csv", "parquet"):
        done = run(tmp_path / "in.txt", "-o", tmp_path / f"out.{suffix}", "--deals", "500")
        assert done.exit_code == 1
        assert "3 of 44 hands failed, first" in done.stderr and "in.txt, line 41: card 1 of 3: unknown" in done.stderr
    found = read(tmp_path / "out.jsonl")
    assert [row["hand"] for row in found] == [line for line in lines if line]
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist() == found
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            COLUMNS, *(["" if value is None else str(value) for value in row.values()] for row in found)
        ]  # fmt: skip
    assert found[-2]["error"] == "card 13 of 13: 2d is already card 1" and found[-2]["units"] is None


@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize("source", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("target", ["csv", "jsonl", "parquet"])
def test_the_output_depends_on_neither_threads_nor_chunks(source: str, target: str, tmp_path: Path) -> None:
    hands = [*deal(200), "bad"]
    table = pyarrow.table({"place": list(range(201)), "hand": hands, "name": [f"n{k}" for k in range(201)]})
    path = tmp_path / f"in.{source}"
    if source == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=77)
    elif source == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        path.write_text("place,hand,name\n" + "".join(f"{k},{hand},n{k}\n" for k, hand in enumerate(hands)))
    found = set()
    for jobs, chunk in ((1, 1), (1, 7), (2, 1000), (3, 10)):
        done = run(path, "-o", tmp_path / f"out.{target}", "--jobs", jobs, "--chunk", chunk, "--force")
        assert done.exit_code == 1
        found.add((tmp_path / f"out.{target}").read_bytes())
    assert len(found) == 1
    last = streamed(path)[-1]
    assert last["hand"] == "bad" and last["name"] == "n200" and last["place"] == ("200" if source == "csv" else 200)


def streamed(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(path, "-o", "-").stdout.splitlines()]


@pytest.mark.usefixtures("stub")
def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text(HAND)
    target.write_text("precious")
    for words in ([], ["--resume"]):
        done = run(source, "-o", target, *words)
        assert done.exit_code == 2 and "exists already" in done.stderr and target.read_text() == "precious"
    assert run(source, "-o", target, "--force").exit_code == 0
    assert len(read(target)) == 1 and folder(tmp_path) == ["in.txt", "out.jsonl"]
    for words, message in (
        (["-o", tmp_path / "out.txt"], "ends in .csv, .jsonl or .parquet"),
        (["-o", tmp_path / "no" / "out.csv"], "no such folder"),
        (["-o", tmp_path / "x.csv", "--resume", "--force"], "exclude each other"),
        (["-o", "-", "--resume"], "cannot be resumed"),
        (["-o", tmp_path / "x.csv", "--opponents", "nobody"], "unknown strategy"),
        (["-o", tmp_path / "x.csv", "--players", "7"], "seats"),
        (["-o", tmp_path / "x.csv", "--dead", "As"], "quick"),
    ):
        done = run(source, *words)
        assert done.exit_code == 2 and message in done.stderr and "Traceback" not in done.stderr
    done = run(tmp_path / "missing.txt", "-o", tmp_path / "x.csv")
    assert done.exit_code == 2 and "No such file" in done.stderr
    same = tmp_path / "same.csv"
    same.write_text("hand\n")
    assert "is the input, too" in run(same, "-o", same, "--force").stderr
    assert folder(tmp_path) == ["in.txt", "out.jsonl", "same.csv"]


@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize("name", ["in.txt", "in.jsonl"])
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_an_empty_file_has_no_rows(name: str, suffix: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"")
    target = tmp_path / f"out.{suffix}"
    target.write_text("old")
    assert run(tmp_path / name, "-o", target, "--force").exit_code == 0
    if suffix == "parquet":
        assert pyarrow.parquet.read_table(target).column_names == COLUMNS
    else:
        assert target.read_text() == ("" if suffix == "jsonl" else ",".join(COLUMNS) + "\n")
    assert folder(tmp_path) == [name, target.name]


@pytest.mark.usefixtures("stub")
def test_dead_cards_are_a_fault_of_the_hands_that_hold_them(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"{HAND}\n{HAND.replace('As', 'Ac')}\n")
    words = ["batch", str(tmp_path / "in.txt"), "-o", "-", "--dead", "Kc As"]
    done = CliRunner().invoke(main, words)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1
    assert [row["error"] for row in found] == ["dead card 2 of 2: As is in the hand", None]
    assert found[1]["deals"] > 0 and found[1]["stderr"] > 0


@pytest.mark.usefixtures("stub")
def test_strict_stops_at_the_first_bad_line_and_goes_on_when_it_is_mended(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    hands = deal(100)
    source.write_text("\n".join(hands))
    assert run(source, "-o", target).exit_code == 0
    whole = target.read_bytes()
    target.unlink()
    source.write_text("\n".join([*hands[:60], "", "As Kd", *hands[61:]]))
    words = (source, "-o", target, "--strict", "--chunk", "8", "--jobs", "2")
    done = run(*words)
    assert done.exit_code == 2 and "line 62: a hand has 13 cards, got 2" in done.stderr
    assert folder(tmp_path) == ["in.txt", "out.jsonl.part", "out.jsonl.part.journal"]
    assert len(read(tmp_path / "out.jsonl.part")) == 56
    assert run(*words).exit_code == 2 and run(*words, "--resume").exit_code == 2
    source.write_text("\n".join(hands))
    assert run(*words, "--resume").exit_code == 0 and target.read_bytes() == whole
    done = run("-", "-o", "-", "--strict", input=f"{HAND}\nbad\n{HAND}\n")
    assert done.exit_code == 2 and len(done.stdout.splitlines()) == 1 and "stdin, line 2" in done.stderr


@pytest.mark.usefixtures("stub")
def test_a_run_that_hardly_began_is_no_reason_to_overwrite(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text(HAND)
    journal.journal_of(target).write_text('{"format":1,')
    assert "an interrupted run is there" in run(source, "-o", target).stderr
    target.write_text("precious")
    assert "exists already" in run(source, "-o", target, "--resume").stderr and target.read_text() == "precious"
    target.unlink()
    assert run(source, "-o", target, "--resume").exit_code == 0 and len(read(target)) == 1


@pytest.mark.usefixtures("stub")
def test_a_disk_that_is_full_from_the_start_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.txt").write_text(HAND)

    def full(*arguments: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        done = run(tmp_path / "in.txt", "-o", tmp_path / "out.csv")
    assert done.exit_code == 1 and "No space left on device" in done.stderr and folder(tmp_path) == ["in.txt"]


class Crash(BaseException):
    """What kill -9 is to the process: nothing is tidied up."""


def crashing(monkeypatch: pytest.MonkeyPatch, at: int, torn: bool) -> Callable[[], int]:
    """Crash at the given call to the system, a write half way where it is torn, and return how many came."""
    calls = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def replacement(*arguments: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls != at:
                return call(*arguments)
            if call is write and torn:
                write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            raise Crash

        return replacement

    write = os.write
    for name in ("write", "fsync", "replace", "ftruncate"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    unlink = counted(os.unlink)
    monkeypatch.setattr(Path, "unlink", lambda self, missing_ok=False: unlink(self) if self.exists() else None)

    def close(part: journal.Part) -> None:
        part.close_rows()
        os.close(part._journal)

    monkeypatch.setattr(journal.Part, "close", close)
    return lambda: calls


@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_a_crash_at_any_call_to_the_system_loses_nothing(suffix: str, torn: bool, tmp_path: Path) -> None:
    source, whole, target = tmp_path / "in.csv", tmp_path / f"whole.{suffix}", tmp_path / f"out.{suffix}"
    source.write_text("hand,name\n" + "".join(f"{hand},n{k}\n" for k, hand in enumerate([*deal(20), "bad"])))
    ask = Job(str(source), str(whole), Request(RULES, quick=True), chunk=4)
    standing = batch.run(ask, LocalEngine(1))
    assert (standing.rows, standing.failed) == (21, 1)
    at, begun = 0, 1
    while begun > at:  # until there is no such call any more
        at += 1
        for file in tmp_path.glob("out.*"):
            file.unlink()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batch, "SECONDS_BETWEEN_COMMITS", 0.0)
            calls = crashing(patch, at, torn)
            try:
                batch.run(Job(str(source), str(target), ask.request, chunk=4), LocalEngine(1))
            except Crash:
                begun = at + 1
            else:
                begun = calls()
        if begun > at:
            again = batch.run(Job(str(source), str(target), ask.request, chunk=3, resume=True), LocalEngine(2))
            assert (again.rows, again.failed) == (21, 1) and "line 22" in again.first
        assert target.read_bytes() == whole.read_bytes()
        assert folder(tmp_path) == ["in.csv", target.name, whole.name]
    assert at > 25


def spawn(*words: object, commits: float = 0, pause: float = 0, **settings: Any) -> "subprocess.Popen[bytes]":
    environment = os.environ | {"BATCH_COMMITS": str(commits), "BATCH_PAUSE": str(pause)}
    command = [sys.executable, "-m", "tests.stub_batch", "batch", *map(str, words), "--quick"]
    return subprocess.Popen(command, cwd=ROOT, env=environment, **settings)


def kill_and_resume(tmp_path: Path, suffix: str, kills: int) -> None:
    source, target = tmp_path / "in.txt", tmp_path / f"out.{suffix}"
    source.write_text("\n".join([*deal(400 * kills), "bad"]))
    assert run(source, "-o", tmp_path / f"whole.{suffix}").exit_code == 1
    rng, kept, sizes = random.Random(kills), journal.journal_of(target), []
    for _ in range(kills):
        before = kept.stat().st_size if kept.exists() else 700
        with spawn(source, "-o", target, "--chunk", rng.randint(1, 4), "--resume", "-q", pause=0.01) as process:
            while not kept.exists() or kept.stat().st_size <= before:
                assert process.poll() is None
                time.sleep(0.005)
            time.sleep(rng.random() * 0.1)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL and not target.exists()
        sizes.append(kept.stat().st_size)
    assert sizes == sorted(set(sizes))
    with spawn(source, "-o", target, "--resume", "-q") as process:
        assert process.wait(60) == 1
    assert target.read_bytes() == (tmp_path / f"whole.{suffix}").read_bytes()
    assert folder(tmp_path) == ["in.txt", f"out.{suffix}", f"whole.{suffix}"]


@pytest.mark.usefixtures("stub")
def test_a_killed_run_is_resumed_to_the_same_bytes(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, "jsonl", 3)


@pytest.mark.slow
@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_a_run_killed_ten_times_is_resumed_to_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    kill_and_resume(tmp_path, suffix, 10)


@pytest.mark.usefixtures("stub")
def test_two_runs_do_not_write_one_output(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("\n".join(deal(50)))
    with spawn(source, "-o", target, "--chunk", "1", "-q", pause=0.2) as process:
        while not journal.journal_of(target).exists():
            time.sleep(0.01)
        time.sleep(0.1)
        for word in ("--resume", "--force"):
            done = run(source, "-o", target, word)
            assert done.exit_code == 2 and "another run is writing it" in done.stderr
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


@pytest.mark.usefixtures("stub")
def test_a_full_disk_ends_with_a_clear_error_and_can_be_resumed(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("\n".join(deal(400)))
    assert run(source, "-o", tmp_path / "whole.jsonl").exit_code == 0
    size = (tmp_path / "whole.jsonl").stat().st_size // 2

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    words = (source, "-o", target, "--chunk", "10", "--resume")
    with spawn(*words, stderr=subprocess.PIPE, preexec_fn=limit) as process:
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 1
    assert "out.jsonl.part: cannot be written (File too large); once" in said and "Traceback" not in said
    assert len(said.strip().splitlines()) == 1
    assert not target.exists() and journal.part_of(target).stat().st_size == size
    assert run(*words).exit_code == 0
    assert target.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.usefixtures("stub")
def test_a_disk_that_is_full_at_the_end_keeps_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.csv"
    source.write_text("\n".join(deal(10)))

    def full(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    job = Job(str(source), str(target), Request(RULES, quick=True))
    with monkeypatch.context() as patch, pytest.raises(OutputError, match="No space left on device"):
        patch.setattr(batch, "write_rows", full)
        batch.run(job, LocalEngine(1))
    assert folder(tmp_path) == ["in.txt", "out.csv.part", "out.csv.part.journal"]
    with monkeypatch.context() as patch:
        patch.setattr(batch, "answer_rows", full)  # nothing is answered again
        batch.run(replace(job, resume=True), LocalEngine(1))
    assert folder(tmp_path) == ["in.txt", "out.csv"] and len(target.read_text().splitlines()) == 11


@pytest.fixture
def interrupted(stub: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """A run that was interrupted half way: its input and its output."""
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("\n".join(deal(30)))
    monkeypatch.setattr(batch, "SECONDS_BETWEEN_COMMITS", 0.0)

    def stop(standing: batch.Standing) -> None:
        if standing.rows == 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.run(Job(str(source), str(target), Request(RULES, quick=True), chunk=5), LocalEngine(1), stop)
    assert len(read(journal.part_of(target))) == 15
    yield source, target


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "1"], "seed 0, now 1; ask the same"),
        (["--rules", "1-6"], "rules '2-4' ("),
        (["--players", "3"], "players 2, now 3"),
        (["--opponents", "balanced", "--deals", "300"], "deals 20000, now 300"),
        (["--set", "rows.back=2"], "rules '2-4' ("),
    ],
)
def test_another_question_is_no_way_to_resume(words: list[str], message: str, interrupted: tuple[Path, Path]) -> None:
    done = run(interrupted[0], "-o", interrupted[1], "--resume", *words)
    assert done.exit_code == 2 and message in done.stderr
    assert run(interrupted[0], "-o", interrupted[1]).exit_code == 2
    assert run(interrupted[0], "-o", interrupted[1], "--resume", "--chunk", "7").exit_code == 0


def test_input_that_has_changed_where_it_was_read_is_no_way_to_resume(interrupted: tuple[Path, Path]) -> None:
    source, target = interrupted
    hands = source.read_text().splitlines()
    source.write_text("\n".join([hands[1], hands[0], *hands[2:]]))
    done = run(source, "-o", target, "--resume")
    assert done.exit_code == 2 and "has changed within the first 585 bytes" in done.stderr
    source.write_text("\n".join(hands[:10]))
    assert run(source, "-o", target, "--resume").exit_code == 2
    source.write_text("\n".join([*hands, "more"]))
    os.utime(source, (0, 0))
    assert run(source, "-o", target, "--resume").exit_code == 1
    assert [row["hand"] for row in read(target)] == [*hands, "more"]


def written_up_to_its_format(source: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a batch that is interrupted when all is answered and OUT is being made."""

    def stop(*paths: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(batch, "write_rows", stop)
        batch.run(Job(str(source), str(target), Request(RULES, quick=True), chunk=5), LocalEngine(1))
    assert not target.exists() and journal.part_of(target).exists()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("change", ["order", "fewer", "another column"])
@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_input_that_has_changed_since_all_was_answered_is_not_joined_to_the_rows(
    target: str, change: str, suffix: str, stub: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out, hands = tmp_path / f"in.{suffix}", tmp_path / f"out.{target}", deal(30)

    def fill(hands: list[str], column: str = "x") -> None:
        table = pyarrow.table({"hand": hands, column: [hand[:5] for hand in hands]})
        if suffix == "parquet":
            pyarrow.parquet.write_table(table, source)
        else:
            lines = [f"hand,{column}", *(f"{hand},{hand[:5]}" for hand in hands)]
            source.write_text("\n".join(lines) + "\n")

    fill(hands)
    written_up_to_its_format(source, out, monkeypatch)
    fill({"order": hands[::-1], "fewer": hands[:9]}.get(change, hands), "y" if "column" in change else "x")
    done = run(source, "-o", out, "--resume")
    assert done.exit_code == 2 and "start over (--force)" in done.stderr and journal.part_of(out).exists()
    fill(hands)
    os.utime(source, (0, 0))
    assert run(source, "-o", out, "--resume").exit_code == 0 and out.exists()


def test_what_was_added_since_all_was_answered_is_answered_too(
    stub: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, hands = tmp_path / "in.txt", tmp_path / "out.csv", deal(30)
    source.write_text("\n".join(hands[:20]) + "\n")
    written_up_to_its_format(source, target, monkeypatch)
    source.write_text("\n".join(hands))
    assert run(source, "-o", target, "--resume").exit_code == 0
    assert [row["hand"] for row in csv.DictReader(target.read_text().splitlines())] == hands


def test_a_last_line_that_has_become_longer_is_no_way_to_resume(
    stub: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, hands = tmp_path / "in.txt", tmp_path / "out.csv", deal(3)
    source.write_text("\n".join(hands)[:-10])
    written_up_to_its_format(source, target, monkeypatch)
    source.write_text("\n".join(hands))
    done = run(source, "-o", target, "--resume")
    assert done.exit_code == 2 and "has changed within" in done.stderr


def test_input_may_be_another_where_nothing_is_answered_yet(stub: None, tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.csv"
    pyarrow.parquet.write_table(pyarrow.table({"hand": deal(3)}), source)
    asked = batch._asked(request := Request(RULES, quick=True), batch.find_strategy("equilibrium", RULES, 2))
    journal.part_of(target).touch()
    header = journal.Header(journal.FORMAT, asked, {"format": "parquet"}, replaces=True)
    journal.journal_of(target).write_bytes(msgspec.json.encode(header) + b"\n")
    seen = []
    job = Job(str(source), str(target), request, resume=True)
    batch.run(job, LocalEngine(1), lambda standing: seen.append(read(journal.journal_of(target))[0]))
    assert "crc" in seen[0]["source"] and seen[0]["replaces"] and target.exists()


@pytest.mark.parametrize("name", ["out.csv", "out.csv.part", "out.csv.part.journal", "out.csv.part.csv"])
def test_no_file_that_is_written_is_the_input(name: str, stub: None, tmp_path: Path) -> None:
    source = tmp_path / name
    source.write_text("\n".join(["hand", *deal(3)]))
    (tmp_path / "link.csv").symlink_to(source)
    before = source.read_bytes()
    for path in (source, tmp_path / "link.csv"):
        done = run(path, "-o", tmp_path / "out.csv", "--force")
        assert done.exit_code == 2 and f"{name}: is the input, too" in done.stderr and source.read_bytes() == before


def test_a_journal_that_is_deleted_while_it_is_opened_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    target, lock = tmp_path / "out.jsonl", fcntl.flock

    def late(file: int, how: int) -> None:
        journal.journal_of(target).unlink()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(RequestError, match="another run has just ended"):
        journal.Part(target)
    assert folder(tmp_path) == []


def test_stdin_is_resumed_by_reading_it_again(interrupted: tuple[Path, Path]) -> None:
    source, target = interrupted
    text = source.read_text()
    assert "has changed" in run("-", "-o", target, "--resume", input="other\n" * 500).stderr
    assert run("-", "-o", target, "--resume", input=text).exit_code == 0
    assert [row["hand"] for row in read(target)] == text.splitlines()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda part, kept: kept.write_bytes(b"hello\n"), "damaged, or no journal"),
        (lambda part, kept: kept.write_bytes(b""), "not the journal of these rows"),
        (lambda part, kept: kept.unlink(), "not the journal of these rows"),
        (lambda part, kept: kept.write_bytes(os.urandom(3000) + b"\n"), "damaged, or no journal"),
        (lambda part, kept: kept.write_text(kept.read_text().replace('"rows":10', '"rows":"x"')), "damaged"),
        (lambda part, kept: kept.write_text(kept.read_text().replace('"format":1', '"format":9')), "another version"),
        (lambda part, kept: part.write_bytes(part.read_bytes().replace(b"null", b"NULL")), "not what its journal says"),
    ],
)
def test_a_damaged_run_is_not_resumed(
    damage: Callable[[Path, Path], Any], message: str, interrupted: tuple[Path, Path]
) -> None:
    source, target = interrupted
    damage(journal.part_of(target), journal.journal_of(target))
    done = run(source, "-o", target, "--resume")
    assert done.exit_code == 2 and message in done.stderr and "--force" in done.stderr
    assert run(source, "-o", target, "--force").exit_code == 0 and len(read(target)) == 30


def test_rows_that_a_crash_of_the_machine_has_lost_are_answered_again(interrupted: tuple[Path, Path]) -> None:
    source, target = interrupted
    part = journal.part_of(target)
    part.write_bytes(part.read_bytes()[:-100])
    assert run(source, "-o", target, "--resume").exit_code == 0
    assert [row["hand"] for row in read(target)] == source.read_text().splitlines()


def test_several_batches_in_one_process_keep_what_they_have_made(stub: None, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(request: Request, threads: int, say: Any) -> Stub:
        made.append(request.seed)
        return Stub(request)

    monkeypatch.setattr(rows, "Answerer", make)
    for seed in (0, 1, 0, 1, 0, 1, 2, 0, 3, 4, 0, 1):
        rows.answerer(Request(RULES, seed=seed), 1)
    assert made == [0, 1, 2, 3, 4, 1] and len(rows._KEPT) == rows.MOST_KEPT


def test_each_line_is_answered_as_it_comes() -> None:
    with spawn("-", "-o", "-", "-q", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        hands = [*deal(20), "", "bad", HAND]
        for hand in hands:
            process.stdin.write(hand.encode() + b"\n")
            process.stdin.flush()
            row = json.loads(process.stdout.readline())
            assert row["hand"] == hand and (row["error"] is None) == (len(hand) == 38)
        process.stdin.write(b"\n".join(hand.encode() for hand in hands))  # all at once, and no end of the last line
        process.stdin.close()
        assert [json.loads(line)["hand"] for line in process.stdout] == hands
        assert process.wait(30) == 1


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("\n".join(deal(3000)))
    with spawn(tmp_path / "in.txt", "-o", "-", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 0 and b"rror" not in process.stderr.read()


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), [("txt", "jsonl"), ("parquet", "parquet"), ("txt", "parquet")])
def test_memory_stays_flat_for_a_million_hands(
    source: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BATCH_MEMORY", str(tmp_path / "memory"))
    hands, path = deal(100_000) * 10, tmp_path / f"in.{source}"
    if source == "txt":
        path.write_text("\n".join(hands))
    else:
        pyarrow.parquet.write_table(pyarrow.table({"hand": hands, "place": list(range(len(hands)))}), path)
    with spawn(path, "-o", tmp_path / f"out.{target}", "-q", commits=0.5) as process:
        assert process.wait(120) == 0
    assert int((tmp_path / "memory").read_text()) < 300 * 1024
    if target == "parquet":
        assert pyarrow.parquet.ParquetFile(tmp_path / "out.parquet").metadata.num_rows == 1_000_000


def test_the_format_is_said_by_the_suffix() -> None:
    names = {
        "a.csv": "csv",
        "a.JSONL": "jsonl",
        "a.parquet": "parquet",
        "a.txt": "txt",
        "hands": "txt",
        "a.json": "txt",
    }
    assert {name: streams.format_of(name) for name in names} == names


def test_options_come_from_the_environment(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(HAND)
    done = run(tmp_path / "in.txt", env={"CAPSA_OUTPUT": str(tmp_path / "x.jsonl"), "CAPSA_RULES": "nothing"})
    assert done.exit_code == 2 and "'nothing'" in done.stderr
    with pytest.raises(RequestError, match="ends in"):
        batch.run(Job(str(tmp_path / "in.txt"), "x.json", Request(RULES)), LocalEngine(1))


@pytest.mark.usefixtures("stub")
def test_the_environment_gives_way_to_the_command_line(stub: None, tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.csv"
    source.write_text(HAND)
    assert run("-", "-o", "-", input=HAND, env={"CAPSA_RESUME": "1"}).exit_code == 0
    assert run(source, "-o", target, "--resume", env={"CAPSA_FORCE": "1"}).exit_code == 0
    assert run(source, "-o", target, "--resume", env={"CAPSA_FORCE": "1"}).exit_code == 2
    assert run(source, "-o", target, "--force", env={"CAPSA_RESUME": "1"}).exit_code == 0
    done = run(source, "-o", target, env={"CAPSA_RESUME": "1", "CAPSA_FORCE": "1"})
    assert done.exit_code == 2 and "exclude each other" in done.stderr


def test_a_batch_says_how_far_it_has_come(tmp_path: Path) -> None:
    source, seen = tmp_path / "in.txt", []
    source.write_text("\n".join([*deal(40), "bad"]))
    job = Job(str(source), str(tmp_path / "out.jsonl"), Request(RULES, quick=True), chunk=10)
    done = batch.run(job, LocalEngine(2), seen.append)
    assert [(one.rows, one.failed) for one in seen] == [(10, 0), (20, 0), (30, 0), (40, 0), (41, 1)]
    assert all(one.left is not None and one.rate > 0 for one in seen) and seen[-1].left == 0
    assert done.first.endswith("line 41: card 1 of 1: unknown rank in 'bad' (use 2-9, T or 10, J, Q, K, A)")
    assert done.rows == 41 and done.elapsed >= seen[-1].elapsed


@pytest.mark.usefixtures("stub")
def test_progress_is_drawn_at_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from solver.commands import batch as command

    monkeypatch.setattr(command, "SECONDS_BETWEEN_DRAWINGS", 0)
    for shown in (False, True):
        drawing = command._Drawing(shown)
        drawing.draw(batch.Standing(rows=1500, failed=2, resumed=500, elapsed=2.0, left=7.4))
        drawing.draw(batch.Standing(rows=1500, elapsed=2.0))
        drawing.clear()
        said = capsys.readouterr().err
        assert said == "" if not shown else "1,500 hands, 500 a second, 2 failed, about 7 s left" in said
    monkeypatch.setattr("solver.terminal.progress_width", lambda: 40)
    command._Drawing(True).draw(batch.Standing(rows=1500, failed=2, resumed=500, elapsed=2.0, left=7.4))
    assert capsys.readouterr().err == "\r1,500 hands, 2 failed, about 7 s left"
