"""The quiz at the terminal: deals a hand, listens, and says what the answer gives up."""

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import click

from solver.errors import CapsaError, printable
from solver.terminal import (
    Output,
    banker_of,
    clear_progress,
    draw_progress,
    duration,
    examples,
    jobs_option,
    note_compiling,
    option,
    output_options,
    recorded,
    show,
    show_json,
    show_progress,
    table_options,
)

PROMPT = "rows (? for help): "
COMMANDS = {
    "help": ("", "?", "h", "help"),
    "hint": ("hint",),
    "more": ("m", "more"),
    "natural": ("n", "natural", "declare"),
    "surrender": ("surrender",),
    "skip": ("s", "skip"),
    "quit": ("q", "quit", "exit"),
}
_COMMAND_OF = {word: name for name, words in COMMANDS.items() for word in words}
SEEDS = 1_000_000
"""A fresh seed is below this: short enough to be typed again."""


@click.command(
    short_help="Practise: set hands and see what you gave up.",
    epilog=examples(
        "capsa quiz",
        "capsa quiz --hard --hands 10",
        "capsa quiz --rules mainland --players 4 --seed 7",
        "capsa quiz --stats",
    ),
)
@table_options
@option(
    "--hard",
    is_flag=False,
    flag_value="any",
    type=click.Choice(["any", "close", "trap"]),
    help="Hard hands only: close ones, where several arrangements are nearly as good as the best, traps, where the "
    "most balanced one gives up much, or any of these, which is what --hard alone asks for.",
)
@option("--hands", type=click.IntRange(min=1), metavar="N", help="End after N hands.")
@option("--seed", type=click.IntRange(min=0), metavar="N", help="Deal the same hands each time (others unless given).")
@option("--deals", default=20_000, show_default=True, help="Deals that a hand is valued on, at most.")
@option(
    "--precision",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="End when certain to so many units; 0 deals all.",
)
@jobs_option
@option("--history", metavar="FILE", help="Where your hands are kept (a folder of yours unless given).")
@option("--stats", is_flag=True, help="Show how you did in all quizzes so far, by rules, instead of dealing.")
@output_options
def quiz(history: str | None, stats: bool, hands: int | None, output: Output, **options: Any) -> None:
    """Set hands and see what you gave up: a hand is dealt, you type how you set it.

    Rows are typed as cards or by the numbers above them, "1 4 7 | 2 3 5 6 8", and the row that is left out is the rest.
    Enter alone shows what else can be typed. --json prints a record of every hand, a line each.
    """
    from solver.history import History, Progress
    from solver.reports.quiz import render_progress

    kept = History(history)
    if stats:
        progress = Progress.of(kept.read(output.note))
        output.print(lambda: {"file": str(kept.path)} | progress.to_dict(), partial(render_progress, progress))
        return
    _Table(_quiz(output, **options), kept, hands, output).play()


def _quiz(output: Output, hard: str | None, seed: int | None, **options: Any) -> Any:
    """Return the quiz that was asked for."""
    from solver.rules import load_rules

    overrides = options.pop("overrides")
    rules = load_rules(options.pop("rules"), overrides)
    options["banker"] = banker_of(rules, options["banker"])
    note_compiling(output.quiet)
    import secrets

    from solver.quiz import Quiz

    seed = secrets.randbelow(SEEDS) if seed is None else seed
    dealt = {None: "all", "any": "hard"}.get(hard) or str(hard)
    return Quiz(rules, seed=seed, filter=dealt, overrides=recorded(overrides), say=output.note, **options)


class _Table:
    """A player at the quiz: hands and verdicts go to stdout, all that is said around them to stderr."""

    def __init__(self, quiz: Any, history: Any, most: int | None, output: Output) -> None:
        self.quiz, self.history, self.most, self.output = quiz, history, most, output
        self.page, self.keeping = output.page, True
        self.played: list[Any] = []
        self.last: Any = None

    def play(self) -> None:
        """Deal hand after hand until the player has had enough."""
        from solver.quiz import in_order
        from solver.reports.quiz import render_hand

        interrupted = False
        try:
            self.quiz.warm_up()
            self._print(self._opening())
            for dealt in self._dealt():
                self._print(f"\n{self.page.strong(f'Hand {dealt.number}')}")
                self._print(render_hand(in_order(dealt.hand), self.page))
                if not self._set(dealt) or (self.most is not None and dealt.number >= self.most):
                    break
        except KeyboardInterrupt:
            interrupted = True
            click.echo(err=True)
        self._end()
        if interrupted:
            click.echo("Interrupted.", err=True)
            raise click.exceptions.Exit(130)

    def _opening(self) -> str:
        seats = f"{self.quiz.players} players, opponents {printable(self.quiz.opponents)}"
        kind = {"all": "", "hard": ", hard hands", "close": ", close hands", "trap": ", traps"}[self.quiz.filter]
        changed = f" with {len(self.quiz.overrides)} changed" if self.quiz.overrides else ""
        text = f"Rules {self.quiz.rules.name}{changed}, {seats}{kind}, seed {self.quiz.seed}."
        return "\n".join(self.page.wrap(text))

    def _dealt(self) -> Iterator[Any]:
        """Deal, and show at a terminal that a search takes long."""
        start = time.monotonic()
        drawn = False

        def looked_at(number: int) -> None:
            nonlocal drawn
            if self.output.drawn and time.monotonic() - start > 1:
                drawn = True
                draw_progress(f"looking for a hard hand: {number:,} looked at", f"{number:,} looked at")

        for dealt in self.quiz.dealt(looked_at):
            if drawn:
                clear_progress()
            yield dealt
            start, drawn = time.monotonic(), False

    def _set(self, dealt: Any) -> bool:
        """Let the player set a hand; return whether he goes on."""
        from solver.cards import plain

        hints = 0
        while (text := self._asked()) is not None:
            command = _COMMAND_OF.get(plain(text).strip().casefold())
            try:
                match command:
                    case "quit":
                        return False
                    case "skip":
                        return self._skip(dealt)
                    case "help" | "more":
                        self._tell(command)
                    case "hint":
                        hints += 1
                        self._hint(dealt, hints)
                    case _:
                        self._judge(dealt, self._answer(text, command, dealt), hints)
                        return True
            except CapsaError as error:
                self._say("\n".join(self.page.wrap(f"Error: {printable(str(error))}")))
        return False

    def _asked(self) -> str | None:
        """Return what the player types; None at the end."""
        if sys.stdin.isatty() and sys.stdout.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401 (lets a line be edited and called back)
            try:
                return input(PROMPT)
            except EOFError:
                click.echo()
                return None
            except UnicodeDecodeError:
                return "\ufffd"
        if sys.stdin.isatty():
            click.echo(PROMPT, err=True, nl=False)
        line = sys.stdin.buffer.readline()
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def _answer(self, text: str, command: str | None, dealt: Any) -> Any:
        """Return what the player answers."""
        from solver.errors import RequestError
        from solver.quiz import parse_answer

        if command is None:
            return parse_answer(text, dealt.hand)
        if command == "natural" and not dealt.natural:
            raise RequestError(f"the hand holds no natural of the rules '{self.quiz.rules.name}'")
        if command == "surrender" and not self.quiz.rules.surrender.allowed:
            raise RequestError(f"the rules '{self.quiz.rules.name}' do not allow surrender")
        return command

    def _judge(self, dealt: Any, answer: Any, hints: int) -> None:
        """Say what an answer gives up, and keep it."""
        from solver.history import Tally
        from solver.reports.quiz import render_score, render_verdict

        verdict = self._with_progress(self.quiz.judge, answer, dealt.hand)
        record = self.quiz.record(dealt, verdict, hints)
        self.played.append(record)
        self.last = verdict.advice
        if self.output.as_json:
            show_json(record.to_dict())
        else:
            self._print(f"\n{render_verdict(verdict, self.page)}\n")
            if self.most != dealt.number:  # else the same is said at the end
                self._print(self.page.faint(render_score(Tally.of(self.played), self.page)))
        if self.keeping:
            try:
                self.history.add(record)
            except OSError as error:
                self.keeping = False
                where = f"{self.history.path}: cannot be written ({error.strerror or error})"
                self._note(f"Your hands are not kept: {where}")

    def _with_progress(self, ask: Any, *about: Any) -> Any:
        """Ask for an answer, and show at a terminal how far it has come where it takes long."""
        if not self.output.drawn:
            return ask(*about)
        try:
            return ask(
                *about, progress=lambda standing: show_progress(standing, f"at most {duration(standing.left)} left")
            )
        finally:
            clear_progress()

    def _skip(self, dealt: Any) -> bool:
        from solver.reports.quiz import render_answer

        self.last = self._with_progress(self.quiz.advise, dealt.hand)
        self._print(f"\n{render_answer(self.last, self.page)}")
        return True

    def _hint(self, dealt: Any, number: int) -> None:
        """Tell one row of the best, or that it is not to play the rows."""
        advice = self._with_progress(self.quiz.advise, dealt.hand)
        if any(choice is not None and choice.advised for choice in (advice.natural, advice.surrender)):
            self._say("The best is not to play the rows.")
            return
        row = "back" if number == 1 else "middle"
        self._say(f"The best {row}: {advice.best.rows[row].hand}.")

    def _tell(self, command: str) -> None:
        """Show help, or all about the hand before."""
        from solver.reports.answers import render_advice
        from solver.reports.quiz import render_help

        if command == "help":
            self._say(render_help(self.quiz.rules, self.page))
        elif self.last is None:
            self._say("There was no hand before.")
        else:
            self._print(f"\n{render_advice(self.last, self.page)}\n")

    def _end(self) -> None:
        from solver.history import Tally
        from solver.reports.quiz import render_score

        if self.played:
            self._print(f"\n{self.page.strong(render_score(Tally.of(self.played), self.page))}")
            self._note(f"The same hands: --seed {self.quiz.seed}. How you do over time: capsa quiz --stats")

    def _print(self, text: str) -> None:
        """Print text for people; where JSON was asked for, on stderr."""
        if self.output.as_json:
            self._say(text)
        else:
            show(text, self.page.color)

    def _note(self, text: str) -> None:
        """Say in lines what need not be known, unless asked not to."""
        for line in self.page.wrap(text):
            self.output.note(line)

    def _say(self, text: str) -> None:
        """Say something that belongs to the conversation."""
        with suppress(OSError):
            click.echo(text if self.page.color else click.unstyle(text), err=True)
