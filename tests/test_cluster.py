"""Work on a cluster, with the processes that users start: schedulers, workers, and runs of the command line."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from solver import clusters, equilibrium, opponents
from solver.batches import journal
from solver.cli import main
from solver.clusters import connect
from solver.errors import ClusterError, RequestError
from solver.opponents import find_strategy
from solver.parcels import Parcel, fingerprint
from solver.rules import load_rules
from solver.strategies import read_strategy
from solver.training import train
from tests.stub_worker import full, where
from tests.test_batch import HAND, ROOT, deal, folder, run, stub  # noqa: F401 (a fixture)
from tests.test_training import equal, few_bins, short  # noqa: F401 (fixtures)

pytest.importorskip("distributed", reason="dask.distributed is not installed (the extra 'cluster')")


class Processes:
    """A scheduler and its workers, ended with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stack = folder, ExitStack()
        self.workers: list[subprocess.Popen[bytes]] = []
        (folder / "elsewhere").mkdir()  # nothing of the client's is there
        file = folder / "scheduler.json"
        self.scheduler = self.start("scheduler", "--port", "0", "--scheduler-file", file)
        while not (file.exists() and file.stat().st_size):
            assert self.scheduler.poll() is None, (folder / "log").read_text()
            time.sleep(0.02)
        time.sleep(0.1)
        self.address = json.loads(file.read_text())["address"]

    def start(self, *words: object, path: Path = ROOT, pause: float = 0.0) -> "subprocess.Popen[bytes]":
        """Start a process of dask, which leads those that it starts."""
        environment = os.environ | {"PYTHONPATH": str(path), "BATCH_PAUSE": str(pause)}
        environment["XDG_CACHE_HOME"] = str(self.folder / "elsewhere")
        command = [sys.executable, "-m", "dask", *map(str, words), "--no-dashboard", "--host", "127.0.0.1"]
        log = self.stack.enter_context((self.folder / "log").open("ab"))
        process = subprocess.Popen(
            command, cwd=self.folder / "elsewhere", env=environment, stderr=log, start_new_session=True
        )
        self.stack.callback(process.wait, 30)
        self.stack.callback(end, process)
        return process

    def work(self, *words: object, fast: bool = True, **settings: Any) -> "subprocess.Popen[bytes]":
        preload = ["--preload", ROOT / "tests" / "stub_worker.py"] if fast else []
        found = self.start(
            *("worker", self.address, "--nthreads", 1, "--nworkers", 1, "--local-directory", self.folder / "space"),
            *(*preload, *words),
            **settings,
        )
        self.workers.append(found)
        return found


def end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler that waits for workers."""
    found = Processes(tmp_path_factory.mktemp("cluster"))
    with found.stack:
        yield found


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and two workers."""
    found = Processes(tmp_path_factory.mktemp("two"))
    with found.stack:
        found.work()
        found.work()
        yield found


def capsa(*words: object, **settings: Any) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "solver", *map(str, words)]
    return subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **{"cwd": ROOT} | settings
    )


def batch(scheduler: str, source: Path, target: Path, *words: object, **settings: Any) -> "subprocess.Popen[str]":
    return capsa("batch", source, "-o", target, "--scheduler", scheduler, "--quick", *words, **settings)


def outcome(process: "subprocess.Popen[str]", seconds: float = 120) -> tuple[int, str]:
    """Wait for a process, and return its exit code and what it said on stderr."""
    try:
        _, said = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return process.returncode, said


def until(condition: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Wait for something that comes before a process ends."""
    begun = time.monotonic()
    while not condition():
        if process.poll() is not None or time.monotonic() > begun + 120:
            raise AssertionError(outcome(process))
        time.sleep(0.01)


def committed(target: Path) -> Callable[[], bool]:
    """Return whether rows of an output are written."""
    kept = journal.journal_of(target)
    return lambda: kept.exists() and len(kept.read_bytes().splitlines()) > 2


@pytest.fixture
def whole(stub: None, tmp_path: Path) -> Path:  # noqa: F811
    """An output that was made without a cluster, beside its input."""
    (tmp_path / "in.txt").write_text("\n".join([*deal(400), "bad"]))
    assert run(tmp_path / "in.txt", "-o", tmp_path / "whole.jsonl").exit_code == 1
    return tmp_path / "whole.jsonl"


def test_a_cluster_writes_the_bytes_of_one_process(two: Processes, whole: Path) -> None:
    target = whole.with_name("out.jsonl")
    code, said = outcome(batch(two.address, whole.with_name("in.txt"), target, "--chunk", 7))
    assert code == 1 and "working on" in said and "401 hands in" in said and "1 of 401 hands failed" in said
    assert target.read_bytes() == whole.read_bytes()
    assert folder(whole.parent) == ["in.txt", "out.jsonl", "whole.jsonl"]


def test_results_come_in_order_and_few_are_on_their_way(two: Processes) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(60):
            taken.append(item)
            yield item

    with connect(two.address) as engine:
        done = 0
        for item, _ in engine.map(where, items()):
            assert item == done and len(taken) - done <= clusters.WAITING * 2 + 1
            done += 1
    assert done == 60


def test_a_worker_that_fails_is_not_taken_for_a_lost_scheduler(two: Processes) -> None:
    with (
        connect(two.address) as engine,
        pytest.raises(ClusterError, match=r"the worker at tcp://127.* failed: .*No space left"),
    ):
        list(engine.map(full, [1]))


def test_errors_of_items_and_of_tasks_come_in_their_place(two: Processes) -> None:
    def items() -> Iterator[str]:
        yield from ["1", "2", "3"]
        raise RequestError("no more")

    with connect(two.address) as engine:
        found: list[int] = []
        with pytest.raises(RequestError, match="no more"):
            found.extend(engine.map(int, items()))
        assert found == [1, 2, 3]
        results = engine.map(int, ["1", "2", "x", "4"])
        assert [next(results), next(results)] == [1, 2]
        with pytest.raises(ValueError, match="'x'"):
            next(results)
        results = engine.map(load_rules, ["2-4", "nothing"])
        assert next(results).name == "2-4"
        with pytest.raises(RequestError.__base__, match="nothing"):
            next(results)


def test_training_with_a_cluster_makes_the_same_table(two: Processes, short: None) -> None:  # noqa: F811
    rules, settings = load_rules("2-4"), {"rounds": 4, "hands": 25_000, "seed": 3}
    with connect(two.address) as engine:
        found = train(rules, engine=engine, **settings)  # type: ignore[arg-type]
    assert equal(found, train(rules, **settings))  # type: ignore[arg-type]


def test_hands_are_counted_compactly() -> None:
    for least, most, kind in ((0, 3, "u1"), (-3, 100, "i1"), (-3, 200, "i2"), (0, 70_000, "u4")):
        values = np.array([least, most], np.int32)
        assert equilibrium._smallest(values).dtype == kind and (equilibrium._smallest(values) == values).all()
    assert equilibrium._smallest(np.empty(0, np.int32)).dtype == "u1"


@pytest.mark.parametrize(
    ("address", "code", "message"),
    [
        ("nowhere", 2, "expected the ADDRESS:PORT"),
        ("127.0.0.1:99999", 2, "expected the ADDRESS:PORT"),
        ("local:0", 2, "local:N with N from 1 to 256"),
        ("local:", 2, "local:N with N from 1 to 256"),
        ("127.0.0.1:1", 1, "no scheduler at 127.0.0.1:1 within"),
        ("smoke://127.0.0.1:1", 1, "no scheduler at smoke://127.0.0.1:1 within"),
    ],
)
def test_addresses_that_lead_nowhere(
    address: str, code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "SECONDS_TO_CONNECT", 0.3)
    (tmp_path / "in.txt").write_text(HAND)
    done = run(tmp_path / "in.txt", "-o", tmp_path / "out.csv", env={"CAPSA_SCHEDULER": address})
    assert done.exit_code == code and message in done.stderr and len(done.stderr.splitlines()) == 1
    assert folder(tmp_path) == ["in.txt"]


def test_what_a_cluster_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.txt").write_text(HAND)
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run(tmp_path / "in.txt", "-o", tmp_path / "out.csv", "--scheduler", "local:2")
    assert done.exit_code == 2 and "capsa-solver[cluster]" in done.stderr


@pytest.mark.usefixtures("stub")
def test_lines_are_answered_here_as_they_come() -> None:
    assert run("-", "-o", "-", input=HAND, env={"CAPSA_SCHEDULER": "127.0.0.1:1"}).exit_code == 0
    done = run("-", "-o", "-", "--scheduler", "127.0.0.1:1", input=HAND)
    assert done.exit_code == 2 and "name a file" in done.stderr


def test_a_parcel_brings_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules("2-4")
    shipped = find_strategy("equilibrium", rules)
    assert Parcel.of("equilibrium", rules, 2, shipped).table is None
    shipped.save(tmp_path / "mine.npz")
    mine = read_strategy(tmp_path / "mine.npz")
    parcel = Parcel.of("mine.npz", rules, 2, mine)
    assert parcel.table is not None and parcel.fingerprint == fingerprint(shipped) == fingerprint(mine)
    assert fingerprint(find_strategy(parcel.open(), rules)) == parcel.fingerprint
    other = Parcel("equilibrium", rules, 2, "0123456789abcdef", None)
    with pytest.raises(ClusterError, match="here 0123456789abcdef"):
        other.open()
    monkeypatch.setattr(opponents, "_LENT", {})
    with pytest.raises(ClusterError, match="here 0123456789abcdef"):
        Parcel("mine.npz", rules, 2, "0123456789abcdef", parcel.table).open()


def test_equilibria_of_own_rules_are_the_same_once_sent() -> None:
    for rules in (load_rules("2-4", ["rows.back=2"]), load_rules("malayan", ["rows.back=3"])):
        found = find_strategy("equilibrium", rules, say=lambda text: None)
        parcel = Parcel.of("equilibrium", rules, 2, found)
        assert parcel.table is not None and parcel.fingerprint == fingerprint(found)
        assert fingerprint(find_strategy("equilibrium", rules)) == fingerprint(found)


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(cluster: Processes, whole: Path) -> None:
    cluster.work(pause=0.2)
    cluster.work(pause=0.2)
    target = whole.with_name("out.jsonl")
    process = batch(cluster.address, whole.with_name("in.txt"), target, "--chunk", 5)
    until(committed(target), process)
    end(cluster.workers[0])
    code, said = outcome(process)
    assert code == 1 and "1 of 401" in said and "Traceback" not in said
    assert target.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_a_lost_scheduler_is_told_and_the_run_resumed_here(cluster: Processes, whole: Path) -> None:
    cluster.work(pause=0.2)
    target = whole.with_name("out.jsonl")
    process = batch(cluster.address, whole.with_name("in.txt"), target, "--chunk", 5)
    until(committed(target), process)
    end(cluster.scheduler)
    code, said = outcome(process)
    assert code == 1 and said.splitlines()[1:] == [
        f"Error: the scheduler at {cluster.address} is gone; the same command with --resume goes on"
    ]
    assert run(whole.with_name("in.txt"), "-o", target, "--resume").exit_code == 1
    assert target.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_workers_that_join_later_work_too(cluster: Processes) -> None:
    cluster.work()
    with connect(cluster.address) as engine:
        seen: set[int] = set()
        for item, process in engine.map(where, iter(range(2000))):
            seen.add(process)
            if item == 10:
                cluster.work()
            if len(seen) == 2:
                break
        assert len(seen) == 2


@pytest.mark.slow
def test_another_version_is_refused(cluster: Processes, whole: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    shadow = tmp_path_factory.mktemp("shadow")
    shutil.copytree(ROOT / "solver", shadow / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    text = (shadow / "solver" / "__init__.py").read_text()
    (shadow / "solver" / "__init__.py").write_text(text.replace(f'"{clusters.__version__}"', '"0.0.9"'))
    cluster.work(pause=0.3)
    source, target = whole.with_name("in.txt"), whole.with_name("out.jsonl")
    process = batch(cluster.address, source, target, "--chunk", 2)
    until(committed(target), process)
    cluster.work(fast=False, path=shadow)
    code, said = outcome(process)
    assert code == 1 and "Traceback" not in said
    assert f"has capsa 0.0.9, here {clusters.__version__} and capsa's code" in said and "the worker at tcp://" in said
    assert journal.part_of(target).exists()


@pytest.mark.slow
def test_a_cluster_without_workers_is_not_waited_for(cluster: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "SECONDS_WITHOUT_WORKERS", 1.0)
    with connect(cluster.address) as engine, pytest.raises(ClusterError, match="dask worker tcp://"):
        list(engine.map(abs, [1]))


@pytest.mark.slow
def test_a_task_that_kills_workers_is_not_tried_forever(cluster: Processes) -> None:
    cluster.work()  # its nanny starts it again
    with connect(cluster.address) as engine, pytest.raises(ClusterError, match="4 workers died"):
        list(engine.map(os._exit, [1]))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_processes(number: int, tmp_path: Path) -> None:
    source, target, temporary = tmp_path / "in.txt", tmp_path / "out.jsonl", tmp_path / "temporary"
    source.write_text("\n".join(deal(20_000)))
    temporary.mkdir()
    environment = os.environ | {"TMPDIR": str(temporary)}
    process = batch("local:2", source, target, "--chunk", 10, env=environment, start_new_session=True)
    until(committed(target), process)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.terminate()
    code, said = outcome(process)
    assert code == (130 if number == signal.SIGINT else 143)
    assert "--resume goes on" in said and "Traceback" not in said and len(said.splitlines()) <= 4
    assert not list(temporary.iterdir())
    for _ in range(100):  # the last of Python's own helpers ends a moment after those that it served
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("processes are left running")


@pytest.mark.slow
def test_own_tables_and_rules_are_sent(cluster: Processes, tmp_path: Path) -> None:
    """Answer as one process does, on workers that have neither the table, the rules nor the trained equilibrium."""
    cluster.work(fast=False)
    (tmp_path / "mine.toml").write_text('extends = "2-4"\nname = "mine"\n[rows]\nback = 2\n')
    (tmp_path / "in.txt").write_text("\n".join(deal(40)))
    words = ["batch", "in.txt", "--rules", "mine.toml", "--deals", "200", "--precision", "0", "--chunk", "9"]
    train_words = ["train", "mine.toml", "-o", "mine.npz", "--rounds", "2", "--hands", "2000"]
    settings: dict[str, Any] = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    assert outcome(capsa(*train_words, **settings))[0] == 0
    for name, table in (("table", ["--opponents", "mine.npz"]), ("borrowed", ["--opponents", "1-6"])):
        sent = capsa(*words, *table, "-o", f"{name}.csv", "--scheduler", cluster.address, **settings)
        code, said = outcome(sent)
        assert code == 0, said
        assert outcome(capsa(*words, *table, "-o", "here.csv", "--force", **settings))[0] == 0
        assert (tmp_path / "here.csv").read_bytes() == (tmp_path / f"{name}.csv").read_bytes()


@pytest.mark.slow
def test_the_command_trains_on_processes_of_this_machine(tmp_path: Path) -> None:
    words = ["train", "2-4", "--rounds", "3", "--hands", "25000"]
    done = CliRunner().invoke(main, [*words, "-o", str(tmp_path / "here.npz")])
    assert done.exit_code == 0
    code, said = outcome(capsa(*words, "-o", tmp_path / "there.npz", "--scheduler", "local:2"))
    assert code == 0 and "working on 2 threads of local:2" in said
    assert equal(read_strategy(tmp_path / "here.npz"), read_strategy(tmp_path / "there.npz"))
