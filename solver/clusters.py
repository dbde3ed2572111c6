"""Work on a cluster of dask.distributed: the engine whose tasks run in other processes, on this machine or others.

This is the one module that imports dask, and only where a cluster is asked for. The cluster gets a few tasks for each
of its threads at a time, so neither it nor this process ever holds a whole file. What all tasks of a run share is sent
once to each worker, as the result of a task of its own, which the cluster makes again where it is lost. Every task
checks that its worker runs the same code, those of workers that join later, too.
"""

import hashlib
import logging
import pickle
import re
import signal
import sys
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from solver import __version__
from solver.errors import CapsaError, ClusterError, RequestError

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS_TO_CONNECT = 10.0
SECONDS_WITHOUT_WORKERS = 30.0
SECONDS_BETWEEN_CHECKS = 1.0

WAITING = 3
"""Tasks for each thread: one that runs, one that is there already, and one whose result is on its way."""

WORKERS_BY_SCALE, LARGEST_SCALE = 50, 10
MOST_LOCAL = 256
MOST_TOGETHER = 64
"""Results that are fetched at a time."""

ADDRESS = re.compile(r"(?:[a-z]+://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})")
EXPECTED = "the ADDRESS:PORT that 'dask scheduler' prints, or local:N for N processes on this machine"

_SILENT = dict.fromkeys(("distributed", "distributed.client", "tornado", "tornado.application", "bokeh"), "critical")


@cache
def versions() -> dict[str, str]:
    """Return what must be the same wherever tasks run, for these to give the same results."""
    digest = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    found = {"capsa": __version__, "Python": "{}.{}".format(*sys.version_info)}
    for package in ("numpy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found | {"capsa's code": digest.hexdigest()[:12]}


def run_task(expected: dict[str, str], digest: str, shared: bytes, item: bytes) -> Any:
    """Run a task, on a worker."""
    if expected != versions():
        found = versions()
        differing = [
            f"{name} {found.get(name)}, here {wanted}" for name, wanted in expected.items() if found.get(name) != wanted
        ]
        what = " and ".join(differing)
        raise ClusterError(f"the worker at {_here()} has {what}; install the same there and here")
    try:
        return _function(digest, shared)(pickle.loads(item))
    except OSError as error:  # which is not one of the way to the scheduler, as it would look there
        raise ClusterError(f"the worker at {_here()} failed: {error}") from None


def _here() -> str:
    """Return the address of the worker that runs this task."""
    return str(_distributed().get_worker().address)


_FUNCTIONS: dict[str, Callable[[Any], Any]] = {}
_UNPACKING = threading.Lock()


def _function(digest: str, shared: bytes) -> Callable[[Any], Any]:
    """Return the function of a run, unpacked once in a process."""
    with _UNPACKING:
        if digest not in _FUNCTIONS:
            found = pickle.loads(shared)
            _FUNCTIONS.clear()
            _FUNCTIONS[digest] = found
        return _FUNCTIONS[digest]


class Cluster:
    """Runs tasks on the workers of a scheduler.

    Attributes
    ----------
    address : str
        What errors call it.
    client : distributed.Client
    """

    threads, here = 1, False

    def __init__(self, address: str, client: Any) -> None:
        self.address, self.client = address, client
        self._workers, self._checked, self._seen = 0, float("-inf"), time.monotonic()

    @property
    def at_once(self) -> int:
        """Threads of all workers."""
        self._count()
        return max(self._workers, 1)

    @property
    def scale(self) -> int:
        """How many times as large tasks should be than those of one machine."""
        return min(max(self.at_once // WORKERS_BY_SCALE, 1), LARGEST_SCALE)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the results of all items in their order.

        Raises
        ------
        ClusterError
            If the scheduler or all workers are lost, a task ends the processes that run it, or these run other code.
        """
        shared = pickle.dumps(function)
        digest, run = hashlib.sha256(shared).hexdigest(), uuid.uuid4().hex[:12]
        source, pending, number = iter(items), deque[Any](), 0
        problem: Exception | None = None
        with self._explained():
            sent = self.client.submit(bytes, shared, key=f"capsa-shared-{run}")
        task = partial(run_task, versions(), digest)
        try:
            while problem is None or pending:
                while problem is None and len(pending) < WAITING * self.at_once:
                    try:
                        item = pickle.dumps(next(source))
                    except Exception as error:
                        problem = error
                        break
                    with self._explained():
                        pending.append(
                            self.client.submit(task, sent, item, key=f"capsa-{run}-{number}", priority=-number)
                        )
                    number += 1
                if pending:
                    yield from self._results(pending)
            if not isinstance(problem, StopIteration):
                raise problem
        finally:
            with suppress(Exception):  # whatever is lost need not be let go of
                pending.clear()
                del sent

    def _results(self, pending: "deque[Any]") -> list[Any]:
        """Wait for the first result, and return it with those behind it that are there."""
        while not pending[0].done():
            with self._explained(), suppress(TimeoutError):
                pending[0].exception(timeout=SECONDS_BETWEEN_CHECKS)
            self._count()
        ready = [pending.popleft()]
        if ready[0].status == "finished":
            while pending and pending[0].status == "finished" and len(ready) < MOST_TOGETHER:
                ready.append(pending.popleft())
        with self._explained():
            return list(self.client.gather(ready))

    def _count(self) -> None:
        """Count the threads of the workers, now and then; where there are none for long, do not wait forever.

        Raises
        ------
        ClusterError
            If the scheduler is gone, or no worker is there.
        """
        while (now := time.monotonic()) - self._checked >= SECONDS_BETWEEN_CHECKS:
            with self._explained():
                self._workers = sum(self.client.nthreads().values())
            self._checked = time.monotonic()
            if self._workers:
                self._seen = self._checked
                return
            if now - self._seen > SECONDS_WITHOUT_WORKERS:
                raise ClusterError(
                    f"no workers at {self.address} for {SECONDS_WITHOUT_WORKERS:.0f} s; start some on each machine: "
                    f"dask worker {self.address} --nworkers auto --nthreads 1"
                )
            time.sleep(SECONDS_BETWEEN_CHECKS)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say in a user's words what goes wrong with a cluster; what a task raises is its own."""
        lost = (CancelledError, _distributed().CancelledError, OSError)
        try:
            yield
        except CapsaError:
            raise
        except _distributed().KilledWorker as error:
            raise ClusterError(
                f"{error.allowed_failures + 1} workers died, each while it ran the same task, the last at "
                f"{error.last_worker.address}; is there too little memory?"
            ) from None
        except lost:
            raise ClusterError(f"the scheduler at {self.address} is gone") from None
        except (ImportError, AttributeError, RuntimeError) as error:
            cause = error.__cause__ or error
            if "solver" in str(cause):
                raise ClusterError(
                    f"the cluster at {self.address} cannot load capsa {__version__} ({cause}): install the same "
                    "version for its scheduler and workers"
                ) from None
            if self.client.status not in ("running", "connecting"):
                raise ClusterError(f"the scheduler at {self.address} is gone") from None
            raise


def _distributed() -> Any:
    """Return the package, whose functions are not typed, or raise where it is not installed."""
    try:
        import distributed
    except ImportError:
        raise RequestError(
            "scheduler: work on a cluster needs dask.distributed: pip install 'capsa-solver[cluster]'"
        ) from None
    return distributed


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Work on the cluster of a scheduler, or on one of this machine that lasts as long as the work.

    Parameters
    ----------
    address
        Of a scheduler, such as ``tcp://10.0.0.1:8786``, or ``local:N``.

    Raises
    ------
    RequestError
        If that is no address, or dask.distributed is not installed.
    ClusterError
        If nobody answers there.
    """
    number = _local_number(address)
    if number is None and not ((found := ADDRESS.fullmatch(address)) and int(found[1]) < 1 << 16):
        raise RequestError(f"scheduler: expected {EXPECTED}, got '{address}'")
    _distributed()
    import dask

    settings = {
        "logging": _SILENT,
        "distributed.admin.large-graph-warning-threshold": "1GB",
    }
    with dask.config.set(settings):
        for name in _SILENT:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        if number is None:
            with _client(address, address) as cluster:
                yield cluster
        else:
            with _processes(number) as started, _client(address, started) as cluster:
                yield cluster


def _local_number(address: str) -> int | None:
    """Return how many processes of this machine are asked for, or None where it is an address."""
    name, _, number = address.partition(":")
    if name != "local":
        return None
    if not (number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= MOST_LOCAL):
        raise RequestError(f"scheduler: expected local:N with N from 1 to {MOST_LOCAL}, got '{address}'")
    return int(number)


@contextmanager
def _client(shown: str, address: str) -> Iterator[Cluster]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other versions of what is not used here
            client = _distributed().Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False, name="capsa")
    except Exception as error:  # whoever listens there can answer anything
        said = str(error).partition("\n")[0] or type(error).__name__
        raise ClusterError(f"no scheduler at {shown} within {SECONDS_TO_CONNECT:.0f} s ({said})") from None
    try:
        yield Cluster(shown, client)
    finally:
        with suppress(Exception):
            client.close(timeout=2)


@contextmanager
def _processes(number: int) -> Iterator[str]:
    """Start a cluster of so many processes on this machine, and end it."""
    import dask

    with (
        TemporaryDirectory(prefix="capsa-", ignore_cleanup_errors=True) as folder,
        dask.config.set({"temporary-directory": folder}),
    ):
        cluster = None
        try:
            with _signals_kept():
                cluster = _distributed().LocalCluster(
                    n_workers=number,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    local_directory=folder,
                    memory_limit=0,
                    silence_logs=logging.CRITICAL,
                )
            yield cluster.scheduler_address
        finally:
            if cluster is not None:
                with _signals_kept(), suppress(Exception):
                    cluster.close(timeout=10)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Let signals wait until processes are started, or ended, in full.

    Those that are started never see an interrupt, which a terminal sends to all: this process ends them. They inherit
    what the thread blocks that starts them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []
    numbers = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    before = {number: signal.signal(number, lambda caught_one, frame: caught.append(caught_one)) for number in numbers}
    mask = getattr(signal, "pthread_sigmask", None)  # not on Windows
    if mask:
        resource_tracker.ensure_running()  # else started later, by a thread that would block interrupts no more
    blocked = mask(signal.SIG_BLOCK, {signal.SIGINT}) if mask else None
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, blocked)
        for number, handler in before.items():
            signal.signal(number, handler)
        if caught:
            signal.raise_signal(caught[0])
