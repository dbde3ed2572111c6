"""The commands that answer a hand."""

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from solver.terminal import (
    Command,
    Output,
    banker_of,
    clear_progress,
    duration,
    examples,
    jobs_option,
    note_compiling,
    option,
    output_options,
    recorded,
    show_progress,
    table_options,
)

HAND_HINT = "Type thirteen cards, as in 'As Kd 10h ...'; then Ctrl-D on a line of its own."
ARRANGEMENT_HINT = "Type 'front | middle | back', or each row on a line of its own; then Ctrl-D on a line of its own."


def question_options(command: Command) -> Command:
    """Add the options that say what is asked about a hand, and how answers are printed."""
    for add in reversed(
        (
            table_options,
            option("--quick", is_flag=True, help="Answer by the opponents' table alone, without deals."),
            option("--dead", default="", metavar="CARDS", help="Cards known to be out of play."),
            option("--seed", default=0, show_default=True, help="Seed of the deals."),
            jobs_option,
            option("--top", type=click.IntRange(min=0), default=5, show_default=True, help="Alternatives to show."),
            option("--deals", default=20_000, show_default=True, help="Deals at most, up to 10,000,000."),
            option(
                "--precision", default=0.01, show_default=True, help="End when certain to so many units; 0 deals all."
            ),
            option("--plot", metavar="FILE.svg|png", help="Draw the answer: cards, chances, what a hand brings."),
            option("--html", metavar="FILE.html", help="Write the answer as a page, for phone and desktop."),
            output_options,
        )
    ):
        command = add(command)
    return command


@click.command(
    short_help="Find the best arrangement of a hand.",
    epilog=examples(
        'capsa best "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"',
        "capsa best As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c --rules thai --players 4",
        'capsa best AsKdQhJsTc9d8h7s6c5d4h3s2c --dead "Ac Ad" --json',
        'capsa best AsKdQhJsTc9d8h7s6c5d4h3s2c --keep "back: As" --keep "front: Kd Qh"',
        "capsa best AsKdQhJsTc9d8h7s6c5d4h3s2c --plot answer.png --html answer.html",
        "capsa deal 1 | capsa best -",
    ),
)
@click.argument("hand", nargs=-1, required=True)
@option("--keep", multiple=True, metavar='"ROW: CARDS"', help="Cards that must stay in a row (repeatable).")
@question_options
def best(hand: tuple[str, ...], keep: tuple[str, ...], output: Output, **options: Any) -> None:
    """Find the best arrangement of HAND, thirteen cards ("-" reads them from stdin).

    It also says whether to declare a natural or to surrender instead, where the rules have that.
    """
    from solver.cards import Hand
    from solver.errors import CardError

    words = read_words(hand, HAND_HINT, output)
    if not {"|", "/"}.isdisjoint(words):
        raise CardError("a hand is thirteen cards without rows; `capsa grade` takes an arrangement, and shows the best")
    parsed = Hand.parse(words)
    ask_and_print(lambda advice: partial(advice.best, parsed, keep="; ".join(keep)), output, **options)


@click.command(
    short_help="Say what your own arrangement gives up and why.",
    epilog=examples(
        'capsa grade "Qs Qc Ks | 8s 8d 6s 6h 2d | As 5c 4h 3d 2h"',
        "capsa grade QsQcKs / 8s8d6s6h2d / As5c4h3d2h --rules mainland --players 4",
        'capsa grade "back: As5c4h3d2h; front: QsQcKs; middle: 8s8d6s6h2d" --json',
    ),
)
@click.argument("arrangement", nargs=-1, required=True)
@question_options
def grade(arrangement: tuple[str, ...], output: Output, **options: Any) -> None:
    """Say what ARRANGEMENT, "front | middle | back", gives up against the best of the same hand, and why.

    "/" separates rows, too, and needs no quotes; "-" reads them from stdin. Rows may also be named, in any order. A
    foul is explained, and what it costs.
    """
    from solver.arrangements import Arrangement

    parsed = Arrangement.parse(read_words(arrangement, ARRANGEMENT_HINT, output))
    ask_and_print(lambda advice: partial(advice.grade, parsed), output, **options)


def read_words(words: tuple[str, ...], hint: str, output: Output) -> str:
    """Return the words of a command line as one text; "-" stands for stdin, with a hint where that is a terminal."""
    if words != ("-",):
        return " ".join(words)
    if sys.stdin.isatty():
        output.note(hint)
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def ask_and_print(
    question: Callable[[Any], Callable[..., Any]],
    output: Output,
    rules: str,
    overrides: tuple[str, ...],
    dead: str,
    plot: str | None,
    html: str | None,
    **options: Any,
) -> None:
    """Ask a question, given by what it is made of the module that answers, and print the answer.

    The module is loaded once rules and dead cards are known to be fit, since that takes a while.
    """
    from solver.cards import parse_cards
    from solver.rules import load_rules

    out_of_play = parse_cards(dead, "dead card")
    table = load_rules(rules, overrides)
    changes = recorded(overrides)
    options["banker"] = banker_of(table, options["banker"])
    files = files_wanted(plot, html)
    note_compiling(output.quiet)
    from solver import advice
    from solver.reports.answers import render_advice

    ask = partial(question(advice), rules=table, dead=out_of_play, overrides=changes, **options)
    start = time.perf_counter()
    trained: list[str] = []

    def say(text: str) -> None:
        trained.append(text)
        output.note(text)

    answer = answer_so_far(partial(ask, say=say), output)
    taken = time.perf_counter() - start
    try:
        output.print(answer.to_dict, partial(render_advice, answer))
        work = f"{answer.deals:,} deals in {taken:.2f} s" if answer.deals else f"{taken:.2f} s"
        output.note(work + (", training included" if trained else ""))
    finally:  # also where nobody reads on: they were asked for
        for path, save in files:
            save(path, answer, output.four_color)
            output.note(f"{path} written")
    if answer.interrupted:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(130)


def files_wanted(plot: str | None, html: str | None) -> list[tuple[str, Callable[[str, Any, bool], None]]]:
    """Return the files that an answer is to be written to, each with what writes it; what cannot be, is refused now."""
    files: list[tuple[str, Callable[[str, Any, bool], None]]] = []
    if plot is not None:
        from solver.plots import check_picture, save_picture

        check_picture(plot)
        files.append((plot, save_picture))
    if html is not None:
        from solver.pages import check_page, save_page

        check_page(html)
        files.append((html, save_page))
    return files


def answer_so_far(ask: Callable[..., Any], output: Output) -> Any:
    """Ask for an answer, show at a terminal how far it has come, and when interrupted take that by the deals so far."""
    reached: list[Any] = []

    def keep(standing: Any) -> None:
        reached[:] = [standing]
        if output.drawn:
            show_progress(standing, f"at most {duration(standing.left)} left")

    try:
        return ask(progress=keep)
    except KeyboardInterrupt:
        if not reached:
            raise
        from dataclasses import replace

        return replace(reached[0].answer(), interrupted=True)
    finally:
        if output.drawn:
            clear_progress()
