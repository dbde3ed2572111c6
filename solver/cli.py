"""The command line: parse, call, show; nothing else.

Modules that compute are imported inside the commands, so that help and completion answer at once.
"""

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from solver.commands.batch import batch
from solver.errors import ClusterError, RequestError, printable
from solver.terminal import (
    Main,
    ended_by_signals,
    examples,
    note,
    note_compiling,
    option,
    output_options,
    page_width,
    recorded,
    rules_options,
    scheduler_option,
    set_option,
    show,
    show_json,
    wants_ascii,
    wants_color,
    working_on,
)

ROUND_HINT = (
    "Type a player a line, 'name: front | middle | back', 'name: natural CARDS' or 'name: surrender'; "
    "then Ctrl-D on a line of its own."
)


@click.group(
    cls=Main,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        'capsa best "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"',
        "capsa rules list",
    ),
)
@click.version_option(package_name="capsa-solver", prog_name="capsa", message="%(prog)s %(version)s")
def main() -> None:
    """Set 13-card Chinese poker hands for the most units."""


main.add_command(batch)


@main.command(
    epilog=examples(
        'capsa best "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"',
        "capsa best As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c --rules thai --players 4",
        'capsa best AsKdQhJsTc9d8h7s6c5d4h3s2c --dead "Ac Ad" --json',
        "capsa deal 1 | capsa best -",
    )
)
@click.argument("hand", nargs=-1, required=True)
@rules_options
@option("--players", default=2, show_default=True, help="Seats at the table, yours included.")
@option("--banker", type=click.Choice(["me", "other"]), help="Who banks, in rules with a banker (other unless given).")
@option("--opponents", default="equilibrium", show_default=True, metavar="NAME|FILE.npz", help="How opponents play.")
@option("--quick", is_flag=True, help="Answer by the opponents' table alone, without deals.")
@option("--dead", default="", metavar="CARDS", help="Cards known to be out of play.")
@option("--seed", default=0, show_default=True, help="Seed of the deals.")
@option("--jobs", type=click.IntRange(min=1), metavar="N", help="Threads to work with (all cores unless given).")
@option("--top", type=click.IntRange(min=0), default=5, show_default=True, help="Alternatives to show.")
@option("--deals", default=20_000, show_default=True, help="Deals at most, up to 10,000,000.")
@option("--precision", default=0.01, show_default=True, help="End when certain to so many units; 0 deals all.")
@output_options
def best(
    hand: tuple[str, ...],
    rules: str,
    overrides: tuple[str, ...],
    dead: str,
    as_json: bool,
    quiet: bool,
    color: str,
    plain: bool,
    **options: Any,
) -> None:
    """Find the best arrangement of HAND, thirteen cards ("-" reads them from stdin).

    It also says whether to declare a natural or to surrender instead, where the rules have that.
    """
    from solver.cards import Hand, parse_cards
    from solver.rules import load_rules

    text = sys.stdin.buffer.read().decode("utf-8", "replace") if hand == ("-",) else " ".join(hand)
    parsed = Hand.parse(text)
    out_of_play = parse_cards(dead, "dead card")
    table = load_rules(rules, overrides)
    changes = recorded(overrides)
    source = click.get_current_context().get_parameter_source("banker")
    if not table.table.banker and source is ParameterSource.ENVIRONMENT:
        options["banker"] = None  # what the environment says is for tables that have one

    note_compiling(quiet)
    from solver import advice

    ask = partial(advice.best, parsed, rules=table, dead=out_of_play, overrides=changes, **options)
    start = time.perf_counter()
    trained: list[str] = []

    def say(text: str) -> None:
        trained.append(text)
        note(text, quiet)

    answer = answer_so_far(partial(ask, say=say), quiet)
    taken = time.perf_counter() - start
    if as_json:
        show_json(answer.to_dict())
    else:
        from solver.report import render_advice

        colored = wants_color(color)
        show(render_advice(answer, width=page_width(), color=colored, ascii=wants_ascii(plain)), colored)
    if not quiet:
        work = f"{answer.deals:,} deals in {taken:.2f} s" if answer.deals else f"{taken:.2f} s"
        click.echo(work + (", training included" if trained else ""), err=True)
    if answer.interrupted:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(130)


def answer_so_far(ask: Callable[..., Any], quiet: bool) -> Any:
    """Ask for an answer, show at a terminal how far it has come, and when interrupted take that by the deals so far."""
    drawn = not quiet and sys.stderr.isatty()
    reached: list[Any] = []

    def keep(standing: Any) -> None:
        reached[:] = [standing]
        if drawn:
            show_progress(standing, f"at most {standing.left:,.0f} s left")

    try:
        return ask(progress=keep)
    except KeyboardInterrupt:
        if not reached:
            raise
        from dataclasses import replace

        return replace(reached[0].answer(), interrupted=True)
    finally:
        if drawn:
            click.echo("\r\x1b[K", err=True, nl=False)


def read_text(file: str, hint: str) -> str:
    """Read UTF-8 text from a file, or from stdin for "-", with a hint on stderr where that is a terminal."""
    if file == "-" and hint and sys.stdin.isatty():
        click.echo(hint, err=True)
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise RequestError(f"cannot read '{file}': {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        where = "stdin" if file == "-" else f"'{file}'"
        raise RequestError(f"{where} is no UTF-8 text, from line {line} on: save it as UTF-8") from None


@main.command(
    epilog=examples(
        "capsa score round.txt --rules mainland",
        "capsa score round.txt --stakes Ann-Bob=100 --stakes Ann-Cy=50",
        "capsa score round.txt --set table.banker=true --banker Ann --json",
        "capsa score < round.txt",
    )
)
@click.argument("file", default="-")
@rules_options
@option("--stakes", multiple=True, metavar="A-B=MONEY", help="Money a unit between two players, 1 if not given.")
@option("--banker", variable="CAPSA_BANKER_NAME", metavar="NAME", help="The player who banks, in rules with a banker.")
@output_options
def score(
    file: str,
    rules: str,
    overrides: tuple[str, ...],
    stakes: tuple[str, ...],
    banker: str | None,
    as_json: bool,
    quiet: bool,
    color: str,
    plain: bool,
) -> None:
    """Settle a finished round that FILE, or stdin, tells one player a line.

    A line is a name, a colon, and "front | middle | back", or "surrender", or "natural" and thirteen cards. One that
    ends in "; undeclared" gives up its royalties. Lines that begin with "#" are skipped.

    \b
      Ann: Kh Jh 5s | Kc Jc 4c 3c 2c | Ah Th 9h 6h 2h
      Bob: As Qs Ts / 9c 9d 8c 3h 2d / 4s 4h 4d 7c 7h; undeclared
      Cy:  surrender
    """  # noqa: D301 (click asks for the backspace, which keeps the lines below it)
    from solver import rounds
    from solver.rules import load_rules

    table = load_rules(rules, overrides)
    players = rounds.read_round(read_text(file, "" if quiet else ROUND_HINT))
    agreed = rounds.parse_stakes(stakes, [player.name for player in players])
    settled = rounds.score(players, rules=table, stakes=agreed, banker=banker)
    if as_json:
        show_json(settled.to_dict())
    else:
        from solver.report import render_score

        colored = wants_color(color)
        show(render_score(settled, width=page_width(), color=colored, ascii=wants_ascii(plain)), colored)


def show_progress(standing: Any, left: str) -> None:
    """Draw how a match or an answer stands over the last line of a terminal, once it has taken a second."""
    if standing.elapsed > 1:
        left = left if standing.left >= 1 else "nearly done"
        text = f"{standing.deals:,} deals, {standing.units:+.3f} +- {standing.stderr:.3f} units, {left}"
        click.echo(f"\r\x1b[K{text}", err=True, nl=False)


def show_standing(standing: Any) -> None:
    """Draw how a match stands."""
    show_progress(standing, f"about {standing.left:,.0f} s left")


@main.command(
    "match",
    epilog=examples(
        "capsa match balanced mine.npz",
        "capsa match balanced mine.npz --rules 1-6 --players 4 --precision 0.05",
        'capsa match balanced "cmd:python3 bot.py --fast" --timeout 2 --json',
    ),
)
@click.argument("a")
@click.argument("b")
@rules_options
@option("--players", default=2, show_default=True, help="Seats: A's, and B's in all others.")
@option("--hands", default=40_000, show_default=True, help="Hands that A plays at most, replays included.")
@option("--precision", default=0.02, show_default=True, help="Standard error in units at which the match ends.")
@option("--seed", default=0, show_default=True, help="Seed of the deals.")
@option("--jobs", type=click.IntRange(min=1), metavar="N", help="Threads to work with (all cores unless given).")
@option("--timeout", default=10.0, show_default=True, help="Seconds a hand that a program has.")
@output_options
def match_command(
    a: str,
    b: str,
    rules: str,
    overrides: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    color: str,
    plain: bool,
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
    note_compiling(quiet)
    from solver.match import match

    drawn = not quiet and sys.stderr.isatty()
    progress = show_standing if drawn else None
    try:
        with ended_by_signals():
            say = partial(note, quiet=quiet)
            result = match(a, b, rules=table, overrides=changes, quiet=quiet, progress=progress, say=say, **options)
    finally:
        if drawn:
            click.echo("\r\x1b[K", err=True, nl=False)
    for name, fouls, fault in zip((a, b), result.fouls, result.faults, strict=True):
        if fault and not quiet:
            many = f"{fouls:,} hand{'' if fouls == 1 else 's'}"
            note(f"Warning: {name} fouled {many}, first {fault}")
    if as_json:
        show_json(result.to_dict())
    else:
        from solver.report import render_match

        colored = wants_color(color)
        show(render_match(result, width=page_width(), color=colored, ascii=wants_ascii(plain)), colored)
    if result.interrupted:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(130)


@main.group(
    epilog=examples(
        "capsa rules list",
        "capsa rules show mainland",
        "capsa rules check mine.toml",
    )
)
def rules() -> None:
    """List, explain and check rule sets."""


@rules.command(
    "list",
    epilog=examples(
        "capsa rules list",
        "capsa rules list --json",
    ),
)
@output_options
def rules_list(as_json: bool, quiet: bool, color: str, plain: bool) -> None:
    """List the rule sets that come with capsa."""
    from solver.report import render_rules_list
    from solver.rules import load_rules, preset_names

    found = [load_rules(name) for name in preset_names()]
    if as_json:
        show_json([{"name": one.name, "title": one.title, "source": one.source} for one in found])
    else:
        colored = wants_color(color)
        show(render_rules_list(found, width=page_width(), color=colored, ascii=wants_ascii(plain)), colored)


@rules.command(
    "show",
    epilog=examples(
        "capsa rules show mainland",
        "capsa rules show 1-6 --set scoop.multiplier=2",
        "capsa rules show 2-4-royalties --toml > mine.toml",
    ),
)
@click.argument("name", metavar="NAME|FILE.toml")
@set_option
@option("--toml", is_flag=True, help="Print the file instead, a start for your own.")
@output_options
def rules_show(
    name: str, overrides: tuple[str, ...], toml: bool, as_json: bool, quiet: bool, color: str, plain: bool
) -> None:
    """Explain what pays what in a rule set."""
    from solver.report import render_rules
    from solver.rulebook import explain
    from solver.rules import load_rules, rules_text

    if toml and overrides:
        raise click.UsageError("--toml prints the file as it stands, so it cannot be used with --set")
    found = load_rules(name, overrides)
    if toml:
        click.echo(rules_text(name).encode("utf-8"), nl=False)  # TOML is UTF-8, whatever the terminal uses
    elif as_json:
        import msgspec

        show_json(msgspec.to_builtins(found))
    else:
        colored = wants_color(color)
        show(render_rules(explain(found), width=page_width(), color=colored, ascii=wants_ascii(plain)), colored)


@rules.command(
    "check",
    epilog=examples(
        "capsa rules check mine.toml",
    ),
)
@click.argument("file", metavar="FILE.toml|NAME")
def rules_check(file: str) -> None:
    """Say every problem in a rule file at once; exit code 1 if there are any."""
    from solver.rules import check_rules, rules_text

    rules_text(file)  # what cannot be read at all is no fault in a file
    problems = check_rules(file)
    for problem in problems:
        show(printable(problem))
    if problems:
        raise click.exceptions.Exit(1)
    show(f"{file}: no problems")


@main.command(
    epilog=examples(
        "capsa deal 1000 --seed 7 > hands.txt",
    )
)
@click.argument("number", type=click.IntRange(min=1))
@option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the deals.")
def deal(number: int, seed: int) -> None:
    """Deal NUMBER random hands, one a line."""
    import numpy as np

    from solver.cards import format_cards

    rng = np.random.default_rng(np.random.SeedSequence(seed))
    for _ in range(number):
        sys.stdout.write(format_cards(rng.permutation(52)[:13].tolist()) + "\n")
    sys.stdout.flush()


@main.command(
    epilog=examples(
        "capsa bench",
        "capsa bench --peers --json",
    )
)
@option("--peers", is_flag=True, help="Measure the Python evaluators that are installed, too.")
@output_options
def bench(peers: bool, as_json: bool, quiet: bool, color: str, plain: bool) -> None:
    """Measure ranking, arranging, a whole answer and whole commands on this machine, in about a minute."""
    note_compiling(quiet)
    from solver import bench as measure
    from solver.report import render_bench

    rows = measure.run(peers, partial(note, quiet=quiet or not sys.stderr.isatty()))
    if as_json:
        show_json(rows)
    else:
        show(render_bench(rows, ascii=wants_ascii(plain)), wants_color(color))


@main.command(
    epilog=examples(
        "capsa train 2-4 -o mine.npz",
        "capsa train mine.toml -o mine.npz --plot mine.svg",
        "capsa train 2-4 -o mine.npz --resume",
        "capsa train 2-4 -o mine.npz --hands 10000000 --scheduler 10.0.0.1:8786",
    )
)
@click.argument("rules", metavar="RULES")
@set_option
@option("--players", default=2, show_default=True, help="Seats, where a home run or a scoop depends on them.")
@option("-o", "--output", required=True, metavar="FILE.npz", help="Where to write the table.")
@option("--rounds", type=click.IntRange(2, 10_000), default=20, show_default=True, help="Rounds of best responses.")
@option("--hands", type=click.IntRange(1000, 10**8), default=150_000, show_default=True, help="Hands in each round.")
@option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the hands.")
@option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Threads to work with (all cores unless given).")
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
                f"round {state.number:>3} of {options['rounds']}: best response {latest.units:+.4f} +- "
                f"{latest.stderr:.4f}, exploitable by {running.units:.4f} +- {running.stderr:.4f}, "
                f"{left / 60:.1f} min left"
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


@main.command(
    epilog=examples(
        "capsa exploit equilibrium --hands 500 --deals 20000",
        "capsa exploit mine.npz --rules mine.toml --json",
    )
)
@click.argument("strategy", metavar="STRATEGY")
@rules_options
@option("--players", default=2, show_default=True, help="Seats, where a home run or a scoop depends on them.")
@option("--hands", type=click.IntRange(2, 10**7), default=2000, show_default=True, help="Hands to respond with.")
@option(
    "--deals",
    type=click.IntRange(100, 300_000),
    help="Deals to value each on: 100,000 from a pool, or 10,000 dealt anew where home runs count, unless given.",
)
@option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of hands and deals.")
@option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Threads to work with (all cores unless given).")
@output_options
def exploit(
    strategy: str,
    rules: str,
    overrides: tuple[str, ...],
    players: int,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    color: str,
    plain: bool,
    **options: Any,
) -> None:
    """Measure by how much STRATEGY can be exploited, in units per hand and opponent.

    A strategy is equilibrium, balanced, greedy, a rule set whose equilibrium to play, or the FILE.npz of a table. A
    banker's and the others' play are measured both, where these differ.
    """
    from solver.rules import load_rules

    table = load_rules(rules, overrides)
    table.check_players(players)
    note_compiling(quiet)
    from solver import exploit as measure
    from solver.opponents import find_strategy
    from solver.tables import lower

    game, threads = lower(table, players), jobs or os.cpu_count() or 1
    found = find_strategy(strategy, table, players, jobs=threads, say=partial(note, quiet=quiet))
    start, talk = time.perf_counter(), not quiet and sys.stderr.isatty()

    def progress(done: int) -> None:
        if talk and done * 10 // options["hands"] > (done - 20) * 10 // options["hands"]:
            left = (time.perf_counter() - start) / done * (options["hands"] - done)
            note(f"{done:,} of {options['hands']:,} hands, {left:.0f} s left")

    if talk and not game.pay.home_run:
        note(f"setting a pool of {round((options['deals'] or measure.POOLED) / measure.POOL_SHARE):,} hands ...")
    result = measure.exploitability(found, game, jobs=threads, progress=progress, **options)
    if as_json:
        show_json(result.to_dict())
    else:
        from solver.report import render_exploit

        show(render_exploit(result, ascii=wants_ascii(plain)), wants_color(color))


@main.command(epilog=examples("capsa cache", "capsa cache --clear"))
@option("--clear", is_flag=True, help="Delete what is kept; it is made again when it is needed.")
@option("--json", "as_json", is_flag=True, help="Print JSON.")
def cache(clear: bool, as_json: bool) -> None:
    """Show where compiled code and equilibria of your own rules are kept, and how big they are."""
    from solver.caches import caches

    kept = [(one, one.size) for one in caches()]
    if clear:
        for one, _ in kept:
            one.clear()
    if as_json:
        records = [{"what": one.what, "folder": one.folder and str(one.folder)} for one, _ in kept]
        sizes = [{"files": len(one.files), "bytes": size, "cleared": clear} for one, size in kept]
        show_json([record | found for record, found in zip(records, sizes, strict=True)])
        return
    for one, size in kept:
        many = f"{len(one.files):,} file{'' if len(one.files) == 1 else 's'}, {size / 1e6:.1f} MB"
        where = printable(str(one.folder)) if one.folder else "no folder can be written"
        show(f"{one.what}\n  {where}\n  {many}{', deleted' if clear else ''}")
