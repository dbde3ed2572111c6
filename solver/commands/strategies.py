"""The commands about strategies: matches between them, training, and how far they can be exploited."""

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import click

from solver.completion import rule_sets, strategies
from solver.errors import ClusterError
from solver.terminal import (
    Output,
    clear_progress,
    duration,
    ended_by_signals,
    examples,
    jobs_option,
    note,
    note_compiling,
    option,
    output_options,
    recorded,
    rules_options,
    scheduler_option,
    set_option,
    show_progress,
    working_on,
)


def show_standing(standing: Any) -> None:
    """Draw how a match stands."""
    show_progress(standing, f"about {duration(standing.left)} left")


@click.command(
    "match",
    epilog=examples(
        "capsa match balanced mine.npz",
        "capsa match balanced mine.npz --rules 1-6 --players 4 --precision 0.05",
        'capsa match balanced "cmd:python3 bot.py --fast" --timeout 2 --json',
    ),
)
@click.argument("a", shell_complete=strategies)
@click.argument("b", shell_complete=strategies)
@rules_options
@option("--players", default=2, show_default=True, help="Seats: A's, and B's in all others.")
@option("--hands", default=40_000, show_default=True, help="Hands that A plays at most, replays included.")
@option("--precision", default=0.02, show_default=True, help="Standard error in units at which the match ends.")
@option("--seed", default=0, show_default=True, help="Seed of the deals.")
@jobs_option
@option("--timeout", default=10.0, show_default=True, help="Seconds a hand that a program has.")
@output_options
def match_command(
    a: str,
    b: str,
    rules: str,
    overrides: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Let strategies A and B play each other over duplicate deals.

    A strategy is equilibrium, balanced, greedy, the FILE.npz of a table, or "cmd:" and a program. Every deal is
    replayed with A in each seat in turn, and B in all others; with two players every hand is so played from both
    sides. Naturals are declared.

    A program reads a hand a line, "As Kd ...", and writes "front | middle | back" a line, flushed. Whatever is
    illegal, malformed, late or missing is a foul. A program that dies is started again, three times at most.
    """
    from solver.rules import load_rules

    table = load_rules(rules, overrides)
    changes = recorded(overrides)
    note_compiling(output.quiet)
    from solver.match import match
    from solver.reports.strategies import render_match

    shown: dict[str, Any] = {
        "quiet": output.quiet,
        "progress": show_standing if output.drawn else None,
        "say": output.note,
    }
    try:
        with ended_by_signals():
            result = match(a, b, rules=table, overrides=changes, **shown, **options)
    finally:
        if output.drawn:
            clear_progress()
    for name, fouls, fault in zip((a, b), result.fouls, result.faults, strict=True):
        if fault:
            output.note(f"Warning: {name} fouled {fouls:,} hand{'' if fouls == 1 else 's'}, first {fault}")
    output.print(result.to_dict, partial(render_match, result))
    if result.interrupted:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(130)


@click.command(
    short_help="Compute an equilibrium table for rules of your own.",
    epilog=examples(
        "capsa train 2-4 -o mine.npz",
        "capsa train mine.toml -o mine.npz --plot mine.svg",
        "capsa train 2-4 -o mine.npz --resume",
        "capsa train 2-4 -o mine.npz --hands 10000000 --scheduler 10.0.0.1:8786",
    ),
)
@click.argument("rules", metavar="RULES", shell_complete=rule_sets)
@set_option
@option("--players", default=2, show_default=True, help="Seats, where a home run or a scoop depends on them.")
@option("-o", "--output", required=True, metavar="FILE.npz", help="Where to write the table.")
@option("--rounds", type=click.IntRange(2, 10_000), default=20, show_default=True, help="Rounds of best responses.")
@option("--hands", type=click.IntRange(1000, 10**8), default=150_000, show_default=True, help="Hands in each round.")
@option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the hands.")
@jobs_option
@option(
    "--resume",
    is_flag=True,
    help="Go on from FILE.npz.training, which an interrupted training with the same seed, hands and rules left.",
)
@scheduler_option
@option("--plot", metavar="FILE.svg|png", help="Draw how exploitability falls, round by round.")
@option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
def train(
    rules: str,
    overrides: tuple[str, ...],
    output: str,
    resume: bool,
    scheduler: str | None,
    plot: str | None,
    **options: Any,
) -> None:
    """Compute an equilibrium strategy for RULES, a name or a file, by fictitious play.

    More --rounds and --hands make it harder to exploit.
    """
    from solver.rules import load_rules

    table, quiet = load_rules(rules, overrides), options.pop("quiet")
    table.check_players(options["players"])
    if plot is not None:
        from solver.plots import check_plot

        check_plot(plot)
    note_compiling(quiet)
    from solver import training

    start, begun = time.perf_counter(), 0

    def progress(state: Any) -> None:
        nonlocal begun
        begun = begun or state.number
        if not quiet and state.gains:
            left = (time.perf_counter() - start) / max(state.number - begun, 1) * (options["rounds"] - state.number)
            latest, running = state.gains[-1], training.running(state.gains)
            note(
                f"round {state.number:>3} of {options['rounds']}: a best response wins {latest.units:+.4f}, "
                f"lately {running.units:.4f} +- {running.stderr:.4f}, {duration(left)} left"
            )

    try:
        with ended_by_signals(), working_on(scheduler, quiet) as cluster:
            found = training.train_into(output, table, resume=resume, each=progress, engine=cluster, **options)
    except (ClusterError, KeyboardInterrupt, SystemExit):
        if Path(f"{output}.training").exists():
            note("Stopped; the same command with --resume goes on.", quiet)
        raise
    if plot is not None:
        from solver.plots import draw_training

        draw_training(plot, found, table.name)
    note(f"{output} written in {time.perf_counter() - start:.0f} s", quiet)


@click.command(
    short_help="Measure by how much a strategy can be exploited.",
    epilog=examples(
        "capsa exploit equilibrium --hands 500 --deals 20000",
        "capsa exploit mine.npz --rules mine.toml --json",
    ),
)
@click.argument("strategy", metavar="STRATEGY", shell_complete=strategies)
@rules_options
@option("--players", default=2, show_default=True, help="Seats, where a home run or a scoop depends on them.")
@option("--hands", type=click.IntRange(2, 10**7), default=2000, show_default=True, help="Hands to respond with.")
@option(
    "--deals",
    type=click.IntRange(100, 300_000),
    help="Deals to value each on: 100,000 from a pool, or 10,000 dealt anew where home runs count, unless given.",
)
@option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of hands and deals.")
@jobs_option
@output_options
def exploit(
    strategy: str,
    rules: str,
    overrides: tuple[str, ...],
    players: int,
    jobs: int | None,
    output: Output,
    **options: Any,
) -> None:
    """Measure by how much STRATEGY can be exploited, in units per hand and opponent.

    A strategy is equilibrium, balanced, greedy, a rule set whose equilibrium to play, or the FILE.npz of a table. A
    banker's and the others' play are measured both, where these differ.
    """
    from solver.rules import load_rules

    table = load_rules(rules, overrides)
    table.check_players(players)
    note_compiling(output.quiet)
    from solver import exploit as measure
    from solver.opponents import find_strategy
    from solver.reports.strategies import render_exploit
    from solver.tables import lower

    game, threads = lower(table, players), jobs or os.cpu_count() or 1
    found = find_strategy(strategy, table, players, jobs=threads, say=output.note)
    start = time.perf_counter()

    def progress(done: int) -> None:
        if output.drawn and done * 10 // options["hands"] > (done - 20) * 10 // options["hands"]:
            left = (time.perf_counter() - start) / done * (options["hands"] - done)
            note(f"{done:,} of {options['hands']:,} hands, {left:.0f} s left")

    if output.drawn and not game.pay.home_run:
        note(f"setting a pool of {round((options['deals'] or measure.POOLED) / measure.POOL_SHARE):,} hands ...")
    result = measure.exploitability(found, game, jobs=threads, progress=progress, **options)
    output.print(result.to_dict, partial(render_exploit, result))
