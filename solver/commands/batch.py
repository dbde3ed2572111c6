"""``capsa batch``: files of hands in, files of answers out."""

import os
import sys
import time
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from solver.completion import files
from solver.errors import ClusterError, OutputError, RequestError
from solver.terminal import (
    banker_of,
    clear_progress,
    draw_progress,
    duration,
    ended_by_signals,
    examples,
    jobs_option,
    note,
    note_compiling,
    option,
    scheduler_option,
    table_options,
    working_on,
)

SECONDS_BETWEEN_DRAWINGS = 0.2


@click.command(
    short_help="Answer files of hands with files of arrangements.",
    epilog=examples(
        "capsa batch hands.txt -o answers.jsonl --quick",
        "capsa batch games.csv -o answers.csv --rules mainland --players 4",
        "capsa batch hands.parquet -o answers.parquet --resume",
        "capsa batch hands.parquet -o answers.parquet --scheduler 10.0.0.1:8786",
        "capsa deal 100 | capsa batch - -o -",
    ),
)
@click.argument("source", metavar="IN", shell_complete=files)
@option(
    "-o", "--output", required=True, metavar="OUT", help="The file to write: .csv, .jsonl or .parquet; - is stdout."
)
@table_options
@option("--quick", is_flag=True, help="Answer by the opponents' table alone, without deals.")
@option("--dead", default="", metavar="CARDS", help="Cards known to be out of play, in every hand.")
@option("--seed", default=0, show_default=True, help="Seed of the deals.")
@jobs_option
@option(
    "--deals",
    default=20_000,
    show_default=True,
    help="Deals at most a hand; about 60,000 can be had, or 10,000,000 where home runs count.",
)
@option("--precision", default=0.01, show_default=True, help="End a hand when certain to so many units; 0 deals all.")
@option("--chunk", type=click.IntRange(1, 10**6), metavar="N", help="Hands at a time (100, or 5,000 with --quick).")
@option("--resume", is_flag=True, help="Go on where an interrupted run with the same options ended, if there is one.")
@option("--force", is_flag=True, help="Replace OUT, and start over whatever an interrupted run has left.")
@option("--strict", is_flag=True, help="Stop at the first hand that cannot be answered, with exit code 2.")
@scheduler_option
@option("-q", "--quiet", is_flag=True, help="No progress and notes on stderr.")
def batch(
    source: str,
    output: str,
    rules: str,
    overrides: tuple[str, ...],
    dead: str,
    jobs: int | None,
    scheduler: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Answer all hands of IN, and write a row for each into OUT.

    IN is a .csv, .jsonl or .parquet file with a column "hand", or any other file with a hand a line; "-" is stdin, a
    hand a line. Blank lines are skipped. A row has the columns hand, front, middle, back, units, stderr, deals and
    error, and then the other columns of IN. A hand that cannot be read gets a row with its error, and exit code 1.

    Unless home runs count, all hands share a pool of opponents, dealt as it is needed: a few hands can take as long
    as hundreds, and units are not to the digit those of "capsa best", which deals to every hand anew.

    OUT appears when it is complete. Until then rows are in OUT.part; whatever ends the run, the same command with
    --resume goes on and makes the same bytes.

    With "-o -" rows go to stdout as JSON lines; those of "batch - -o -" come as soon as each line does, a blank one
    included, so that a program in any language can keep one process that answers.
    """
    from solver.cards import parse_cards
    from solver.rules import load_rules

    table = load_rules(rules, overrides)
    options["banker"] = banker_of(table, options["banker"])
    said_by = click.get_current_context().get_parameter_source
    for name, other in (("resume", "force"), ("force", "resume")):
        overruled = output == "-" or (options[other] and said_by(other) is not ParameterSource.ENVIRONMENT)
        if overruled and said_by(name) is ParameterSource.ENVIRONMENT:
            options[name] = False
    if scheduler and (source, output) == ("-", "-"):
        if said_by("scheduler") is not ParameterSource.ENVIRONMENT:
            raise RequestError("scheduler: lines that are answered as they come are answered here; name a file")
        scheduler = None
    out_of_play = parse_cards(dead, "dead card")
    if not scheduler:
        note_compiling(quiet, f"answer_kernels.{'lay_hands' if options['quick'] else 'apart'}")
    from solver.answers import Request
    from solver.batches.job import Job
    from solver.engines import LocalEngine

    how = {name: options.pop(name) for name in ("chunk", "resume", "force", "strict")}
    job = Job(source, output, Request(table, dead=out_of_play, **options), **how)
    with ended_by_signals(), working_on(scheduler, quiet) as cluster:
        _run(job, cluster or LocalEngine(jobs or os.cpu_count() or 1), quiet)


def _run(job: Any, engine: Any, quiet: bool) -> None:
    """Run a batch, and end with the exit code that it deserves."""
    from solver.batches import job as work

    drawing = _Drawing(not quiet and sys.stderr.isatty())
    begun: list[Any] = []
    if drawing.shown and not job.request.quick:
        note("dealing opponents for all hands, in which the first answers take a while ...")

    def progress(standing: Any) -> None:
        begun[:] = [standing]
        drawing.draw(standing)

    say = partial(note, quiet=quiet)

    def write(data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    try:
        if job.target == work.STREAM:
            found = work.stream(job, engine, write, sys.stdin.buffer, progress, say)
        else:
            found = work.run(job, engine, progress, say)
    except OutputError as error:
        drawing.clear()
        note(f"Error: {error}")
        raise click.exceptions.Exit(1) from None
    except ClusterError as error:
        if not begun or job.target == work.STREAM:
            raise
        raise ClusterError(f"{error}; the same command with --resume goes on") from None
    except (KeyboardInterrupt, SystemExit):
        if begun and job.target != work.STREAM:
            drawing.clear()
            note("the same command with --resume goes on", quiet)
        raise
    finally:
        drawing.clear()
    if job.target != work.STREAM:
        resumed = f", {found.resumed:,} of them before" if found.resumed else ""
        hands = "hand" if found.rows == 1 else "hands"
        note(f"{found.rows:,} {hands} in {found.elapsed:.1f} s{resumed}: {job.target}", quiet)
    if found.failed:
        note(f"{found.failed:,} of {found.rows:,} hands failed, first {found.first}", quiet)
        raise click.exceptions.Exit(1)


class _Drawing:
    """A line at a terminal that tells how far a batch has come."""

    def __init__(self, shown: bool) -> None:
        self.shown, self.drawn, self.last = shown, False, time.monotonic()

    def draw(self, standing: Any) -> None:
        """Draw it over the last one, now and then."""
        now = time.monotonic()
        if not self.shown or now - self.last < SECONDS_BETWEEN_DRAWINGS:
            return
        self.last, self.drawn = now, True
        hands, rate = f"{standing.rows:,} hands", f", {standing.rate:,.0f} a second"
        failed = f", {standing.failed:,} failed" if standing.failed else ""
        left = ""
        if standing.left is not None:
            left = f", about {duration(standing.left)} left" if standing.left >= 1 else ", nearly done"
        draw_progress(hands + rate + failed + left, hands + failed + left, hands)

    def clear(self) -> None:
        """Clear it."""
        if self.drawn:
            self.drawn = False
            clear_progress()
