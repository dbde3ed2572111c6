"""The command line: the commands in their order; what they do stands in :mod:`solver.commands`.

Modules that compute are imported inside the commands, so that help and completion answer at once.
"""

import click

from solver.commands import answers, batch, quiz, rounds, rules, strategies, tools
from solver.terminal import Main, examples, show


def show_versions(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Print what a report of a fault should say, and end."""
    if wanted and not context.resilient_parsing:
        from solver.versions import versions

        show("\n".join(versions()))
        context.exit()


@click.group(
    cls=Main,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        'capsa best "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"',
        "capsa rules list",
    ),
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_versions,
    help="Show the versions to name in a report of a fault, and exit.",
)
def main() -> None:
    """Set 13-card Chinese poker hands for the most units."""


for command in (
    answers.best,
    answers.grade,
    quiz.quiz,
    rules.rules,
    rounds.score,
    batch.batch,
    strategies.match_command,
    strategies.train,
    strategies.exploit,
    tools.deal,
    tools.bench,
    tools.cache,
    tools.completion,
):
    main.add_command(command)
