"""The command that settles a finished round."""

import sys
from functools import partial
from pathlib import Path

import click

from solver.completion import files
from solver.errors import RequestError
from solver.terminal import Output, examples, option, output_options, rules_options

ROUND_HINT = (
    "Type a player a line, 'name: front | middle | back', 'name: natural CARDS' or 'name: surrender'; "
    "then Ctrl-D on a line of its own."
)


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


@click.command(
    short_help="Settle a finished round.",
    epilog=examples(
        "capsa score round.txt --rules mainland",
        "capsa score round.txt --stakes Ann-Bob=100 --stakes Ann-Cy=50",
        "capsa score round.txt --set table.banker=true --banker Ann --json",
        "capsa score < round.txt",
    ),
)
@click.argument("file", default="-", shell_complete=files)
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
    output: Output,
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
    from solver.reports.rounds import render_score
    from solver.rules import load_rules

    table = load_rules(rules, overrides)
    players = rounds.read_round(read_text(file, "" if output.quiet else ROUND_HINT))
    agreed = rounds.parse_stakes(stakes, [player.name for player in players])
    settled = rounds.score(players, rules=table, stakes=agreed, banker=banker)
    output.print(settled.to_dict, partial(render_score, settled))
