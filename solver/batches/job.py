"""Files of hands answered: records in, rows out, resumed without loss wherever a run has ended.

Chunks of records go to an engine, and their rows are appended to ``OUT.part``, as JSON lines whatever the output's
format is. When all are there, CSV and Parquet are made of them in one pass, and the output gets its name. So it depends
neither on the chunks nor on where a run was resumed.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from solver import __version__
from solver.answers import Request
from solver.batches.journal import FORMAT, Header, Part, differences, journal_of, part_of, sync_folder
from solver.batches.parquet import need_pyarrow
from solver.batches.rows import Chunk, Position, Rows, answer_elsewhere, answer_rows, answerer
from solver.batches.sources import Source, live_chunks
from solver.batches.streams import format_of, open_source, write_rows
from solver.cards import format_cards
from solver.engines import Engine
from solver.errors import ClusterError, OutputError, RequestError
from solver.files import check_writable
from solver.opponents import find_strategy, say_on_stderr
from solver.parcels import Parcel, fingerprint
from solver.strategies import Strategy

CHUNK, CHUNK_QUICK, LIVE_QUICK = 100, 5_000, 500
SECONDS_BETWEEN_COMMITS = 0.5
STREAM = "-"


@dataclass(frozen=True)
class Job:
    """What a batch is to do.

    Attributes
    ----------
    source, target : str
        Paths of input and output; ``-`` is stdin and stdout.
    request : Request
        What is asked of each hand.
    chunk : int or None
        Records at a time.
    resume, force : bool
        Whether to go on with an interrupted run, or to start over and replace what is there.
    strict : bool
        Whether to stop at the first hand that cannot be answered.
    """

    source: str
    target: str
    request: Request
    chunk: int | None = None
    resume: bool = False
    force: bool = False
    strict: bool = False

    def rows(self, engine: Engine) -> int:
        """Return how many records a task has."""
        return self.chunk or (CHUNK_QUICK if self.request.quick else CHUNK) * engine.scale


@dataclass(frozen=True)
class Standing:
    """How far a batch has come.

    Attributes
    ----------
    rows, failed : int
        Hands done, and those of them that failed.
    first : str
        The first failure, and where it is.
    resumed : int
        Hands that were done before.
    elapsed : float
        Seconds since then.
    left : float or None
        Seconds that it will take; None where nobody knows.
    """

    rows: int = 0
    failed: int = 0
    first: str = ""
    resumed: int = 0
    elapsed: float = 0.0
    left: float | None = None

    @property
    def rate(self) -> float:
        """Hands a second."""
        return (self.rows - self.resumed) / max(self.elapsed, 1e-9)


Progress = Callable[[Standing], None]


def run(
    job: Job,
    engine: Engine,
    progress: Progress = lambda standing: None,
    say: Callable[[str], None] = say_on_stderr,
) -> Standing:
    """Answer a file of hands into another.

    Raises
    ------
    OutputError
        If the output cannot be written, as on a full disk; what is done is kept, and can be resumed.
    ClusterError
        If those who work are lost; what is done is kept, too.
    RequestError
        If something of the job cannot be served, if there are files that it must not replace, or, where it is strict,
        for the first hand that cannot be answered.
    """
    target, start = Path(job.target), time.monotonic()
    _check(job, target)
    with closing(open_source(job.source, as_text=format_of(target) != "parquet")) as source:
        threads = engine.threads if engine.here else None
        strategy = find_strategy(job.request.opponents, job.request.rules, job.request.players, jobs=threads, say=say)
        asked = _asked(job.request, strategy)
        function = _function(job, engine, say, strategy)
        with closing(Part(target)) as part:
            standing = _begin(job, target, part, source, asked)
            if not part.finished:
                standing = _answer(job, engine, function, part, source, standing, progress)
                _finish(target, part, source)
            part.remove()
    return replace(standing, elapsed=time.monotonic() - start)


def stream(
    job: Job,
    engine: Engine,
    write: Callable[[bytes], None],
    stdin: Any,
    progress: Progress = lambda standing: None,
    say: Callable[[str], None] = say_on_stderr,
) -> Standing:
    """Answer hands into a stream, as JSON lines: those of stdin as they come.

    Parameters
    ----------
    write
        Called with the rows; it flushes them.
    stdin
        A binary stream.
    """
    if job.resume:
        raise RequestError("resume: what goes to stdout cannot be resumed; name a file (-o FILE)")
    source = None if job.source == STREAM else open_source(job.source, as_text=True)
    function = _function(job, engine, say)
    results: Iterator[Rows]
    if source is None:
        size = job.chunk or (LIVE_QUICK if job.request.quick else engine.threads)
        results = map(function, live_chunks(stdin, size))
    else:
        results = engine.map(function, source.chunks(job.rows(engine)))
    standing, start = Standing(), time.monotonic()
    try:
        for rows in results:
            write(rows.data[: rows.before] if job.strict and rows.first else rows.data)
            standing = _counted(job, source, standing, rows, time.monotonic() - start)
            progress(standing)
    finally:
        if source is not None:
            source.close()
    return standing


def _check(job: Job, target: Path) -> None:
    """Refuse what cannot be written, before any work."""
    kind = format_of(target)
    if kind == "txt":
        raise RequestError(f"{target}: the name of an output ends in .csv, .jsonl or .parquet")
    if kind == "parquet":
        need_pyarrow(target)
    if job.resume and job.force:
        raise RequestError("resume, force: going on and starting over exclude each other; leave out one of the two")
    check_writable(target, RequestError)
    for path in (target, part_of(target), journal_of(target), _made(target)):
        with suppress(OSError):
            if job.source != STREAM and os.path.samefile(job.source, path):
                raise RequestError(f"{path}: is the input, too, and would be written; name another output")
    begun = part_of(target).exists() or journal_of(target).exists()
    if begun and not (job.resume or job.force):
        raise RequestError(
            f"{part_of(target)}: an interrupted run is there; go on with it (--resume), or start over (--force)"
        )
    if target.exists() and not (job.force or (job.resume and begun)):
        raise RequestError(f"{target}: exists already; replace it (--force)")


def _asked(request: Request, strategy: Strategy) -> dict[str, Any]:
    """Return what rows depend on, by the names of the options."""
    return {
        "version": __version__,
        "rules": f"'{request.rules.name}' ({request.rules.fingerprint()})",
        "players": request.players,
        "banker": request.banker or "",
        "opponents": f"'{request.opponents}' ({fingerprint(strategy)})",
        "dead": format_cards(sorted(request.dead)),
        "quick": request.quick,
        "seed": request.seed,
        "deals": request.deals,
        "precision": request.precision,
    }


def _begin(job: Job, target: Path, part: Part, source: Source, asked: dict[str, Any]) -> Standing:
    """Begin or resume, and return what is done already."""
    if not (job.resume and part.resume()):
        if target.exists() and not job.force:
            raise RequestError(f"{target}: exists already; replace it (--force)")
        part.begin(Header(FORMAT, asked, source.identity, replaces=job.force))
        return Standing()
    last, changed = part.last, differences(part.header.asked, asked)
    if changed:
        raise RequestError(f"{part.path}: the interrupted run has {changed}; ask the same, or start over (--force)")
    if part.finished and not target.exists():
        raise RequestError(f"{part.path}: is gone, and so is {target}; start over (--force)")
    if target.exists() and not (part.header.replaces or last.done):
        raise RequestError(f"{target}: exists already; replace it (--force)")
    if not (last.rows or last.done):  # nothing is lost, and the input may be another one
        part.begin(Header(FORMAT, asked, source.identity, part.header.replaces))
    elif not part.finished:  # else its columns could be those of other rows
        source.go_to(last.source, part.header.source)
    return Standing(last.rows, last.failed, last.first, resumed=last.rows)


def _function(
    job: Job, engine: Engine, say: Callable[[str], None], strategy: Strategy | None = None
) -> Callable[[Chunk], Rows]:
    """Return what answers a chunk; what it cannot do it says now, before any file is made."""
    request, threads = job.request, engine.threads
    if engine.here:
        answerer(request, threads, say)
        return partial(answer_rows, request, threads)
    found = strategy or find_strategy(request.opponents, request.rules, request.players, say=say)
    parcel = Parcel.of(request.opponents, request.rules, request.players, found)
    return partial(answer_elsewhere, parcel, request, threads)


def _answer(
    job: Job,
    engine: Engine,
    function: Callable[[Chunk], Rows],
    part: Part,
    source: Source,
    standing: Standing,
    progress: Progress,
) -> Standing:
    """Answer all that is left of the input."""
    begun = source.position()
    start = committed = time.monotonic()
    with closing(engine.map(function, source.chunks(job.rows(engine)))) as results:
        end = begun
        try:
            for rows in results:
                now = time.monotonic()
                counted = _counted(job, source, standing, rows, now - start, begun)
                part.write(rows.data)
                standing, end = counted, rows.end
                if now - committed >= SECONDS_BETWEEN_COMMITS:
                    part.commit(standing.rows, standing.failed, standing.first, end)
                    committed = now
                progress(standing)
        except OutputError:
            raise
        except (RequestError, ClusterError):  # of the input, or of those who work: what stands before that is good
            if standing.rows > part.last.rows:
                part.commit(standing.rows, standing.failed, standing.first, end)
            raise
    part.commit(standing.rows, standing.failed, standing.first, source.position(), done=True)
    return standing


def _counted(
    job: Job, source: Source | None, before: Standing, rows: Rows, elapsed: float, begun: Position | None = None
) -> Standing:
    """Return where a batch stands after more rows, or raise where one of them must not have failed."""
    first = ""
    if rows.first is not None:
        what = "row" if format_of(job.source) == "parquet" else "line"
        first = f"{job.source if job.source != STREAM else 'stdin'}, {what} {rows.first[0]:,}: {rows.first[1]}"
        if job.strict:
            raise RequestError(first)
    share = source and source.share(rows.end)
    left = None
    if source is not None and share:
        done = share - ((source.share(begun) if begun else 0) or 0)
        left = elapsed / done * (1 - share) if done > 0 else None
    return replace(
        before,
        rows=before.rows + rows.number,
        failed=before.failed + rows.failed,
        first=before.first or first,
        elapsed=elapsed,
        left=left,
    )


def _made(target: Path) -> Path:
    """Return where rows become CSV or Parquet."""
    return target.with_name(f"{target.name}.part.{format_of(target)}")


def _finish(target: Path, part: Part, source: Source) -> None:
    """Give the rows the format and the name of the output."""
    kind = format_of(target)
    part.close_rows()
    try:
        if kind == "jsonl":
            os.replace(part.path, target)
        else:
            made = _made(target)
            try:
                write_rows(part.path, made, source)
                os.replace(made, target)
            finally:
                with suppress(OSError):
                    made.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"{target}: cannot be written ({error.strerror or error}); "
            "once that is mended, the same command with --resume goes on"
        ) from None
    sync_folder(target)
