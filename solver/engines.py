"""Where work runs: on threads of this process, or wherever else an engine sends it (:mod:`solver.clusters`)."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 2
"""Tasks at a time: while one is written out or read in by Python, the threads of the other compute."""

WAITING = 1


class Engine(Protocol):
    """Where work runs.

    Attributes
    ----------
    threads : int
        Threads that each task may use.
    here : bool
        Whether tasks run in this process.
    """

    threads: int
    here: bool

    @property
    def at_once(self) -> int:
        """Return how many tasks run at a time."""

    @property
    def scale(self) -> int:
        """Return how many times as large tasks should be than those of one machine.

        Handing them out must not become what takes longest.
        """

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the results of all items in their order; items are taken as they are needed, a few ahead.

        The function stands in a module, and takes and returns plain data, since it may be sent elsewhere. An error in
        the items is raised after the results of those before it.
        """


class LocalEngine:
    """Runs tasks here: two at a time where they have several threads each, or as many as are asked for."""

    here = True
    scale = 1

    def __init__(self, threads: int, at_once: int | None = None) -> None:
        self.threads, self.at_once = threads, at_once or (1 if threads == 1 else AT_ONCE)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the results of all items in their order; an interrupt waits for tasks that have begun."""
        if self.at_once == 1:
            yield from map(function, items)
            return
        pool, source = ThreadPoolExecutor(self.at_once), iter(items)
        pending: deque[Future[Result]] = deque()
        problem: Exception | None = None
        try:
            while problem is None or pending:
                try:
                    while problem is None and len(pending) < self.at_once + WAITING:
                        pending.append(pool.submit(function, next(source)))
                except Exception as error:
                    problem = error
                if pending:
                    yield pending.popleft().result()
            if not isinstance(problem, StopIteration):
                raise problem
        finally:
            pool.shutdown(cancel_futures=True)
