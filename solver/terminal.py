"""What all commands share: options, errors and exit codes, and how text leaves the program."""

import io
import json
import os
import shlex
import shutil
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from solver.completion import completer
from solver.errors import CapsaError, ClusterError, printable
from solver.reports.text import Page

Command = TypeVar("Command", bound=Callable[..., Any])

WIDTH, NARROW = 80, 40
"""Columns of a page, and of a phone's."""

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


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Send a signal again whose exception fell into a callback of native code, where Python drops it.

    Compiling and loading kernels calls back all the time, and an interrupt that comes then must not be lost.
    """
    before = sys.unraisablehook

    def raise_again(lost: Any) -> None:
        error = lost.exc_value
        if isinstance(error, KeyboardInterrupt):
            number = int(signal.SIGINT)
        elif isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > 128:
            number = error.code - 128
        else:
            before(lost)
            return
        main, send = threading.main_thread().ident, getattr(signal, "pthread_kill", None)
        again = threading.Timer(0.05, *((send, (main, number)) if send else (signal.raise_signal, (number,))))
        again.daemon = True
        again.start()

    sys.unraisablehook = raise_again
    try:
        yield
    finally:
        sys.unraisablehook = before


class Main(click.Group):
    """The group of all commands; turns errors of the library into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in their order, so that help begins with what most people want."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a user's error ends with code 2, without a traceback, and nothing is said to a closed pipe.

        A cluster's ends with code 1.
        """
        try:
            return super().invoke(ctx)
        except CapsaError as error:
            click.echo(f"Error: {printable(str(error))}", err=True)
            ctx.exit(1 if isinstance(error, ClusterError) else 2)  # what was asked could have been served
        except BrokenPipeError:
            _discard_stdout()
            ctx.exit(0)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run and exit, with 130 when interrupted."""
        _open_closed_streams()
        try:
            with _interrupts_kept():
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
    """Declare an option that can be set by an environment variable, CAPSA_ and its name.

    A shell completes its value by the ``metavar``, which says what is expected there.
    """
    name = next(name for name in names if name.startswith("--"))
    variable = variable or "CAPSA_" + name[2:].upper().replace("-", "_")
    settings.setdefault("shell_complete", completer(settings.get("metavar", "")))
    return click.option(*names, cls=Option, envvar=variable, show_envvar=True, **settings)


set_option = option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key of the rule set, e.g. scoop.multiplier=2 (repeatable; a royalty row is replaced whole).",
)


scheduler_option = option(
    "--scheduler",
    metavar="ADDRESS|local:N",
    help="Work on the dask.distributed cluster of this scheduler, or on N processes of this machine.",
)


def rules_options(command: Command) -> Command:
    """Add the options that choose a rule set."""
    choose = option("--rules", default="2-4", show_default=True, metavar="NAME|FILE.toml", help="The rules played.")
    return choose(set_option(command))


jobs_option = option(
    "--jobs", type=click.IntRange(1, 256), metavar="N", help="Threads to work with (all cores unless given)."
)


def table_options(command: Command) -> Command:
    """Add the options that say what is played, by how many, and how opponents play."""
    for add in (
        option(
            "--opponents", default="equilibrium", show_default=True, metavar="NAME|FILE.npz", help="How opponents play."
        ),
        option(
            "--banker",
            type=click.Choice(["me", "other"]),
            help="Who banks, where there is a banker (other unless given).",
        ),
        option("--players", default=2, show_default=True, help="Seats at the table, yours included."),
        rules_options,
    ):
        command = add(command)
    return command


def banker_of(rules: Any, banker: str | None) -> str | None:
    """Return who banks as a command was told; what the environment says is for rules that have a banker."""
    source = click.get_current_context().get_parameter_source("banker")
    return None if source is ParameterSource.ENVIRONMENT and not rules.table.banker else banker


def output_options(command: Command) -> Command:
    """Add the options that say how results are printed; the command gets them as one :class:`Output`, ``output``."""

    @wraps(command)
    def with_output(*args: Any, **kwargs: Any) -> Any:
        chosen = {name: kwargs.pop(name) for name in ("as_json", "quiet", "color", "four_color", "plain", "narrow")}
        return command(*args, output=Output(**chosen), **kwargs)

    found: Any = with_output
    for add in (
        option("--narrow", is_flag=True, help="At most 40 columns, as on a phone."),
        option("--ascii", "plain", is_flag=True, help="Letters instead of suit symbols, and plain ASCII throughout."),
        option("--four-color", is_flag=True, help="Clubs green and diamonds blue, where there are colours."),
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
        found = add(found)
    return cast(Command, found)


@dataclass(frozen=True)
class Output:
    """How a command is to print its results, as its options say."""

    as_json: bool = False
    quiet: bool = False
    color: str = "auto"
    four_color: bool = False
    plain: bool = False
    narrow: bool = False

    @property
    def page(self) -> Page:
        """The page to lay text out for."""
        width = min(page_width(), NARROW if self.narrow else WIDTH)
        return Page(width, wants_color(self.color), self.four_color, wants_ascii(self.plain))

    @property
    def drawn(self) -> bool:
        """Whether progress is drawn: stderr is a terminal, and nobody asked for silence."""
        return not self.quiet and sys.stderr.isatty()

    def note(self, text: str) -> None:
        """Say something on stderr, unless asked not to."""
        note(text, self.quiet)

    def print(self, record: Callable[[], Any], text: Callable[[Page], str]) -> None:
        """Print a record as JSON or as text, whichever was asked for."""
        if self.as_json:
            show_json(record())
        else:
            page = self.page
            show(text(page), page.color)


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
        "♣♦♥♠±━─".encode(sys.stdout.encoding or "ascii")
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
    return max(30, min(WIDTH, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else WIDTH


def note_compiling(quiet: bool, kernel: str = "kernels.deal_opponents") -> None:
    """Say on stderr that an answer takes longer because kernels are compiled, where one that it needs is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note below says it for people
        from solver import compiling

    if not (quiet or compiling.is_cached(kernel)):
        click.echo(COMPILE_NOTE if compiling.CACHE else NO_CACHE_NOTE, err=True)


def recorded(overrides: tuple[str, ...]) -> dict[str, Any]:
    """Return overrides of rules as an answer records them."""
    from solver.rules import override_parts, override_value

    parts = [override_parts(override) for override in overrides]
    return {".".join(path): override_value(value) for path, _, value in parts}


def note(text: str, quiet: bool = False) -> None:
    """Say something on stderr; where nobody reads that, work goes on."""
    if not quiet:
        with suppress(OSError):
            click.echo(printable(text), err=True)


def clear_progress() -> None:
    """Take away what :func:`show_progress` has drawn."""
    click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let what was started be ended when this program is: by a signal, as when its terminal closes."""

    def end(number: int, frame: Any) -> None:
        sys.exit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def progress_width() -> int:
    """Return the columns of the terminal that progress is drawn at, 80 where it does not say."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH
    except (OSError, ValueError, AttributeError):
        return WIDTH


def show_progress(standing: Any, left: str) -> None:
    """Draw how a match or an answer stands over the last line of a terminal, once it has taken a second.

    A line that took two could not be drawn over, so on a narrow terminal it says less.
    """
    if standing.elapsed > 1:
        left = left if standing.left >= 1 else "nearly done"
        units = f"{standing.units:+.3f} +- {standing.stderr:.3f} units"
        draw_progress(f"{standing.deals:,} deals, {units}, {left}", f"{standing.deals:,} deals, {left}", left)


def draw_progress(*texts: str) -> None:
    """Draw the first text that fits over the last line of a terminal; the last one, cut, where none does."""
    room = max(progress_width() - 1, 0)
    text = next((text for text in texts if len(text) <= room), texts[-1][:room])
    click.echo(f"\r\x1b[K{text}", err=True, nl=False)


def duration(seconds: float) -> str:
    """Return how long something takes, in seconds or minutes."""
    return f"{seconds:,.0f} s" if seconds < 100 else f"{seconds / 60:,.0f} min"


@contextmanager
def working_on(scheduler: str | None, quiet: bool) -> Iterator[Any]:
    """Connect to a cluster where one is asked for, and say how large it is; None where work is to run here."""
    if scheduler is None:
        yield None
        return
    from solver.clusters import connect

    with connect(scheduler) as cluster:
        threads = cluster.at_once
        note(f"working on {threads:,} thread{'' if threads == 1 else 's'} of {cluster.address}", quiet)
        yield cluster
