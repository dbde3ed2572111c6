"""The command line: parse, call, show; nothing else.

Modules that compute are imported inside the commands, so that help and completion answer at once.
"""

import io
import json
import os
import shlex
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from solver.errors import CapsaError, RequestError

Command = TypeVar("Command", bound=Callable[..., Any])

ROUND_HINT = (
    "Type a player a line, 'name: front | middle | back', 'name: natural CARDS' or 'name: surrender'; "
    "then Ctrl-D on a line of its own."
)
COMPILE_NOTE = "compiling the kernels, once after installation ..."
NO_CACHE_NOTE = (
    "compiling the kernels, as in every run: no folder can be written to keep them (set NUMBA_CACHE_DIR) ..."
)


def _discard_stdout() -> None:
    """Let stdout go nowhere: Python flushes it at exit and would complain of the same fault once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Put streams that go nowhere in the place of those that the caller closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (open until the program ends)


def printable(text: str) -> str:
    """Return a message without what could move the cursor or change colours: such characters are written out."""
    return "".join(c if c.isprintable() or c in "\n\u200c\u200d" else ascii(c)[1:-1] for c in text)


class Main(click.Group):
    """The group of all commands; turns errors of the library into one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a user's error ends with code 2, without a traceback, and nothing is said to a closed pipe."""
        try:
            return super().invoke(ctx)
        except CapsaError as error:
            click.echo(f"Error: {printable(str(error))}", err=True)
            ctx.exit(2)
        except BrokenPipeError:
            _discard_stdout()
            ctx.exit(0)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run and exit, with 130 when interrupted."""
        _open_closed_streams()
        try:
            code = super().main(*args, **kwargs | {"standalone_mode": False})
            sys.stdout.flush()
            sys.exit(code if isinstance(code, int) else 0)
        except SystemExit:
            if not isinstance(sys.stdout, io.IOBase):  # click's own stand-in: the pipe closed under its help
                sys.exit(0)
            raise
        except OSError as error:
            _discard_stdout()
            click.echo(f"Error: cannot write the output: {error.strerror}", err=True)
            sys.exit(1)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            sys.exit(130)


def examples(*lines: str) -> str:
    """Return lines for the end of a command's help, kept as they are (the backspace asks click for that)."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


class Option(click.Option):
    """An option whose environment variable holds several values as a shell would split them."""

    def value_from_envvar(self, ctx: click.Context) -> Any:
        """Read the environment variable."""
        if not self.multiple or (text := self.resolve_envvar_value(ctx)) is None:
            return super().value_from_envvar(ctx)
        try:
            return shlex.split(text)
        except ValueError as error:
            raise click.BadParameter(f"${self.envvar}: {error}", ctx, self) from None


def option(*names: str, variable: str = "", **settings: Any) -> Callable[[Command], Command]:
    """Declare an option that can be set by an environment variable, CAPSA_ and its name."""
    name = next(name for name in names if name.startswith("--"))
    variable = variable or "CAPSA_" + name[2:].upper().replace("-", "_")
    return click.option(*names, cls=Option, envvar=variable, show_envvar=True, **settings)


set_option = option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key of the rule set, e.g. scoop.multiplier=2 (repeatable; a royalty row is replaced whole).",
)


def rules_options(command: Command) -> Command:
    """Add the options that choose a rule set."""
    choose = option("--rules", default="2-4", show_default=True, metavar="NAME|FILE.toml", help="The rules played.")
    return choose(set_option(command))


def output_options(command: Command) -> Command:
    """Add the options that say how results are printed."""
    for add in (
        option("--ascii", "plain", is_flag=True, help="Letters instead of suit symbols, and plain ASCII throughout."),
        option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours; auto asks NO_COLOR, FORCE_COLOR, then whether stdout is a terminal.",
        ),
        option("-q", "--quiet", is_flag=True, help="No notes and timings on stderr."),
        option("--json", "as_json", is_flag=True, help="Print JSON for programs."),
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


def show(text: str, color: bool = False) -> None:
    """Print text, with its colours or without; what stdout cannot encode becomes a question mark."""
    encoding = sys.stdout.encoding or "ascii"
    click.echo(text.encode(encoding, "replace").decode(encoding), color=color)


def page_width() -> int:
    """Return the columns to fill: 80, or fewer where the terminal is narrower."""
    return max(50, min(80, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else 80


def note_compiling(quiet: bool) -> None:
    """Say on stderr that an answer takes longer because kernels are compiled, where that is so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note below says it for people
        from solver import kernels

    if not (quiet or kernels.is_cached()):
        click.echo(COMPILE_NOTE if kernels.CACHE else NO_CACHE_NOTE, err=True)


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


@main.command(
    epilog=examples(
        'capsa best "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"',
        "capsa best As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c --rules mainland --players 4",
        'capsa best AsKdQhJsTc9d8h7s6c5d4h3s2c --dead "Ac Ad" --json',
        "capsa deal 1 | capsa best -",
    )
)
@click.argument("hand", nargs=-1, required=True)
@rules_options
@option("--players", default=2, show_default=True, help="Seats at the table, yours included.")
@option("--banker", type=click.Choice(["me", "other"]), help="Who banks, in rules with a banker (other unless given).")
@option("--opponents", default="balanced", show_default=True, metavar="NAME|FILE.npz", help="How opponents play.")
@option("--dead", default="", metavar="CARDS", help="Cards known to be out of play.")
@option("--seed", default=0, show_default=True, help="Seed of the deals.")
@option("--jobs", type=click.IntRange(min=1), metavar="N", help="Threads to work with (all cores unless given).")
@option("--top", type=click.IntRange(min=0), default=5, show_default=True, help="Alternatives to show.")
@option("--deals", default=20_000, show_default=True, help="Deals to value the arrangements on, at most 10,000,000.")
@option("--precision", default=0.01, show_default=True, help="Units to which the best must be certain to be decided.")
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
    from solver.rules import load_rules, override_parts, override_value

    text = sys.stdin.buffer.read().decode("utf-8", "replace") if hand == ("-",) else " ".join(hand)
    parsed = Hand.parse(text)
    out_of_play = parse_cards(dead, "dead card")
    table = load_rules(rules, overrides)
    parts = [override_parts(override) for override in overrides]
    changes = {".".join(path): override_value(value) for path, _, value in parts}
    source = click.get_current_context().get_parameter_source("banker")
    if not table.table.banker and source is ParameterSource.ENVIRONMENT:
        options["banker"] = None  # what the environment says is for tables that have one

    note_compiling(quiet)
    from solver import advice

    start = time.perf_counter()
    answer = advice.best(parsed, rules=table, dead=out_of_play, overrides=changes, **options)
    taken = time.perf_counter() - start
    if as_json:
        show_json(answer.to_dict())
    else:
        from solver.report import render_advice

        colored = wants_color(color)
        show(render_advice(answer, width=page_width(), color=colored, ascii=wants_ascii(plain)), colored)
    if not quiet:
        click.echo(f"{answer.deals:,} deals in {taken:.2f} s", err=True)


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
    """Measure ranking, arranging and a whole answer on this machine."""
    note_compiling(quiet)
    from solver import bench as measure
    from solver.report import render_bench

    rows = measure.run(peers)
    if as_json:
        show_json(rows)
    else:
        show(render_bench(rows, ascii=wants_ascii(plain)), wants_color(color))
