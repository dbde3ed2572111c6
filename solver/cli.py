"""The command line: parse, call, show; nothing else.

Modules that compute are imported inside the commands, so that help and completion answer at once.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from solver.errors import CapsaError

Command = TypeVar("Command", bound=Callable[..., Any])

COMPILE_NOTE = "compiling the kernels, once after installation (about 15 seconds) ..."


class Main(click.Group):
    """The group of all commands; turns errors of the library into one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a user's error ends with code 2, without a traceback."""
        try:
            return super().invoke(ctx)
        except CapsaError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(2)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run and exit: 130 when interrupted, quietly when nobody reads on."""
        try:
            code = super().main(*args, **kwargs | {"standalone_mode": False})
            sys.exit(code if isinstance(code, int) else 0)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            sys.exit(130)
        except BrokenPipeError:
            # Python flushes stdout at exit and would complain of the same pipe once more.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)


def option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """Declare an option that can be set by an environment variable, CAPSA_ and its name."""
    variable = "CAPSA_" + names[-1].lstrip("-").upper().replace("-", "_")
    return click.option(*names, envvar=variable, show_envvar=True, **settings)


def rules_options(command: Command) -> Command:
    """Add the options that choose a rule set."""
    change = click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change a key of the rule set, e.g. scoop.multiplier=2 (repeatable; a royalty row is replaced whole).",
    )
    return option("--rules", default="2-4", show_default=True, metavar="NAME|FILE.toml", help="The rules played.")(
        change(command)
    )


def output_options(command: Command) -> Command:
    """Add the options that say how results are printed."""
    for add in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON for programs."),
        click.option("-q", "--quiet", is_flag=True, help="No notes and timings on stderr."),
        option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours (else NO_COLOR, FORCE_COLOR, and whether stdout is a terminal decide).",
        ),
        option("--ascii", "plain", is_flag=True, help="Letters instead of suit symbols."),
    ):
        command = add(command)
    return command


def wants_color(color: str) -> bool:
    """Decide on colours: the option, then NO_COLOR, then FORCE_COLOR, then whether stdout is a terminal."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def wants_ascii(plain: bool) -> bool:
    """Whether suit symbols must be avoided, by request or because stdout cannot encode them."""
    try:
        "♣♦♥♠±".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return plain


def show_json(record: Any) -> None:
    """Print a record, indented for people at a terminal."""
    click.echo(json.dumps(record, indent=2 if sys.stdout.isatty() else None, allow_nan=False))


def show(text: str, color: bool) -> None:
    """Print text, with its colours or without."""
    click.echo(text, color=color)


def note_compiling(quiet: bool) -> None:
    """Say on stderr that the first answer takes longer, where it does."""
    from solver import kernels

    if not (quiet or kernels.is_cached()):
        click.echo(COMPILE_NOTE, err=True)


@click.group(cls=Main, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="capsa-solver", prog_name="capsa", message="%(prog)s %(version)s")
def main() -> None:
    r"""Set 13-card Chinese poker hands for the most units.

    \b
    capsa best "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"
    capsa rules list
    """


@main.command()
@click.argument("hand", nargs=-1, required=True)
@rules_options
@option("--players", default=2, show_default=True, help="Seats at the table, yours included.")
@option("--opponents", default="balanced", show_default=True, metavar="NAME|FILE.npz", help="How opponents play.")
@click.option("--dead", default="", metavar="CARDS", help="Cards known to be out of play.")
@option("--seed", default=0, show_default=True, help="Seed of the deals.")
@option("--jobs", type=click.IntRange(min=1), help="Threads to work with.  [default: all cores]")
@option("--top", type=click.IntRange(min=0), default=5, show_default=True, help="Alternatives to show.")
@option("--deals", default=20_000, show_default=True, help="Deals to value the arrangements on.")
@option("--precision", default=0.01, show_default=True, help="In units; whether the best is certain to it is said.")
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
    r"""Find the best arrangement of HAND, thirteen cards ("-" reads them from stdin).

    \b
    capsa best "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"
    capsa best AsKdQhJsTc9d8h7s6c5d4h3s2c --rules mainland --players 4
    capsa best "A♠ K♦ Q♥ J♠ 10♣ 9♦ 8♥ 7♠ 6♣ 5♦ 4♥ 3♠ 2♣" --dead "Ac Ad" --json
    """
    from solver.cards import Hand, parse_cards
    from solver.rules import load_rules, override_value

    text = sys.stdin.read() if hand == ("-",) else " ".join(hand)
    parsed = Hand.parse(text)
    out_of_play = parse_cards(dead, "dead card")
    table = load_rules(rules, overrides)
    changes = {key.strip(): override_value(value) for key, _, value in (text.partition("=") for text in overrides)}

    from solver import advice

    note_compiling(quiet)
    start = time.perf_counter()
    answer = advice.best(parsed, rules=table, dead=out_of_play, overrides=changes, **options)
    taken = time.perf_counter() - start
    if as_json:
        show_json(answer.to_dict())
    else:
        from solver.report import render_advice

        colored = wants_color(color)
        show(render_advice(answer, color=colored, ascii=wants_ascii(plain)), colored)
    if not quiet:
        click.echo(f"{answer.deals:,} deals in {taken:.2f} s", err=True)


@main.group()
def rules() -> None:
    r"""List, explain and check rule sets.

    \b
    capsa rules list
    capsa rules show mainland
    capsa rules check mine.toml
    """


@rules.command("list")
@output_options
def rules_list(as_json: bool, quiet: bool, color: str, plain: bool) -> None:
    r"""List the rule sets that come with capsa.

    \b
    capsa rules list
    """
    from solver.report import render_table
    from solver.rules import load_rules, preset_names

    found = [load_rules(name) for name in preset_names()]
    if as_json:
        show_json([{"name": one.name, "title": one.title, "source": one.source} for one in found])
    else:
        show(render_table([(one.name, one.title) for one in found]), wants_color(color))


@rules.command("show")
@click.argument("name", metavar="NAME|FILE.toml")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a key first (repeatable).")
@click.option("--toml", is_flag=True, help="Print the file instead, a start for your own.")
@output_options
def rules_show(
    name: str, overrides: tuple[str, ...], toml: bool, as_json: bool, quiet: bool, color: str, plain: bool
) -> None:
    r"""Explain what pays what in a rule set.

    \b
    capsa rules show mainland
    capsa rules show 2-4-royalties --toml > mine.toml
    """
    from solver.report import render_rules
    from solver.rulebook import explain
    from solver.rules import load_rules, rules_text

    found = load_rules(name, overrides)
    if toml:
        click.echo(rules_text(name), nl=False)
    elif as_json:
        import msgspec

        show_json(msgspec.to_builtins(found))
    else:
        colored = wants_color(color)
        show(render_rules(found, explain(found), color=colored), colored)


@rules.command("check")
@click.argument("file", metavar="FILE.toml|NAME")
def rules_check(file: str) -> None:
    r"""Say every problem in a rule file at once; exit code 1 if there are any.

    \b
    capsa rules check mine.toml
    """
    from solver.rules import check_rules

    problems = check_rules(file)
    for problem in problems:
        click.echo(problem)
    if problems:
        raise click.exceptions.Exit(1)
    click.echo(f"{file}: no problems")


@main.command()
@click.argument("number", type=click.IntRange(min=1))
@option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the deals.")
def deal(number: int, seed: int) -> None:
    r"""Deal NUMBER random hands, one a line.

    \b
    capsa deal 1000 --seed 7 > hands.txt
    """
    import numpy as np

    from solver.cards import format_cards

    rng = np.random.default_rng(np.random.SeedSequence(seed))
    for _ in range(number):
        click.echo(format_cards(rng.permutation(52)[:13].tolist()))


@main.command()
@click.option("--peers", is_flag=True, help="Measure the Python evaluators that are installed, too.")
@output_options
def bench(peers: bool, as_json: bool, quiet: bool, color: str, plain: bool) -> None:
    r"""Measure ranking, arranging and a whole answer on this machine.

    \b
    capsa bench
    capsa bench --peers --json
    """
    from solver import bench as measure
    from solver.report import render_bench

    note_compiling(quiet)
    rows = measure.run(peers)
    if as_json:
        show_json(rows)
    else:
        show(render_bench(rows), wants_color(color))
