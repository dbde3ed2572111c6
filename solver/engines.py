"""Where work runs: on threads of this process."""

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

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the results of all items in their order; items are taken as they are needed, a few ahead.

        The function stands in a module, and takes and returns plain data, since it may be sent elsewhere. An error in
        the items is raised after the results of those before it.
        """


class LocalEngine:
    """Runs tasks here."""

    here = True

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result, None, None]:
        """Yield the results of all items in their order; an interrupt waits for tasks that have begun."""
        if self.threads == 1:
            yield from map(function, items)
            return
        pool, source = ThreadPoolExecutor(AT_ONCE), iter(items)
        pending: deque[Future[Result]] = deque()
        problem: Exception | None = None
        try:
            while problem is None or pending:
                try:
                    while problem is None and len(pending) < AT_ONCE + WAITING:
                        pending.append(pool.submit(function, next(source)))
                except Exception as error:
                    problem = error
                if pending:
                    yield pending.popleft().result()
            if not isinstance(problem, StopIteration):
                raise problem
        finally:
            pool.shutdown(cancel_futures=True)
