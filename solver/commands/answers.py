"""The commands that answer a hand."""

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from solver.terminal import (
    Output,
    clear_progress,
    examples,
    note_compiling,
    option,
    output_options,
    recorded,
    rules_options,
    show_progress,
)


@click.command(
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
    output: Output,
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

    note_compiling(output.quiet)
    from solver import advice
    from solver.reports.answers import render_advice

    ask = partial(advice.best, parsed, rules=table, dead=out_of_play, overrides=changes, **options)
    start = time.perf_counter()
    trained: list[str] = []

    def say(text: str) -> None:
        trained.append(text)
        output.note(text)

    answer = answer_so_far(partial(ask, say=say), output)
    taken = time.perf_counter() - start
    output.print(answer.to_dict, partial(render_advice, answer))
    work = f"{answer.deals:,} deals in {taken:.2f} s" if answer.deals else f"{taken:.2f} s"
    output.note(work + (", training included" if trained else ""))
    if answer.interrupted:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(130)


def answer_so_far(ask: Callable[..., Any], output: Output) -> Any:
    """Ask for an answer, show at a terminal how far it has come, and when interrupted take that by the deals so far."""
    reached: list[Any] = []

    def keep(standing: Any) -> None:
        reached[:] = [standing]
        if output.drawn:
            show_progress(standing, f"at most {standing.left:,.0f} s left")

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
