"""Commands beside the game: random hands, speed, and what is kept on this machine."""

import sys
from functools import partial

import click

from solver.completion import SHELLS, script
from solver.errors import printable
from solver.terminal import Output, examples, note, note_compiling, option, output_options, show, show_json


@click.command(
    short_help="Deal random hands.",
    epilog=examples(
        "capsa deal 1000 --seed 7 > hands.txt",
    ),
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


@click.command(
    short_help="Measure the speed on this machine.",
    epilog=examples(
        "capsa bench",
        "capsa bench --peers --json",
    ),
)
@option("--peers", is_flag=True, help="Measure the Python evaluators that are installed, too.")
@output_options
def bench(peers: bool, output: Output) -> None:
    """Measure ranking, arranging, a whole answer and whole commands on this machine, in about a minute."""
    note_compiling(output.quiet)
    from solver import bench as measure
    from solver.reports.tools import render_bench

    rows = measure.run(peers, partial(note, quiet=not output.drawn))
    output.print(lambda: rows, partial(render_bench, rows))


@click.command(
    short_help="Show where compiled code and trained tables are kept.",
    epilog=examples("capsa cache", "capsa cache --clear"),
)
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


@click.command(
    short_help="Print the script that completes commands in a shell.",
    epilog=examples("capsa completion bash", "capsa completion fish > ~/.config/fish/completions/capsa.fish"),
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete commands, options, rule sets, strategies and files.

    One line installs it; in bash and zsh it goes into the file that the shell reads first:

    \b
      bash 4.4+  eval "$(capsa completion bash)"    in ~/.bashrc
      zsh        eval "$(capsa completion zsh)"     in ~/.zshrc, after compinit
      fish       capsa completion fish > ~/.config/fish/completions/capsa.fish
    """  # noqa: D301 (click asks for the backspace, which keeps the lines below it)
    click.echo(script(context.find_root().command, shell))
