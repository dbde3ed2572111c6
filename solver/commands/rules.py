"""The commands about rule sets."""

from functools import partial

import click

from solver.completion import rule_sets
from solver.errors import printable
from solver.terminal import Output, examples, option, output_options, set_option, show


@click.group(
    short_help="Show and check rule sets.",
    epilog=examples(
        "capsa rules list",
        "capsa rules show mainland",
        "capsa rules check mine.toml",
    ),
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
def rules_list(output: Output) -> None:
    """List the rule sets that come with capsa."""
    from solver.presets import preset_names
    from solver.reports.rules import render_rules_list
    from solver.rules import load_rules

    found = [load_rules(name) for name in preset_names()]
    records = [{"name": one.name, "title": one.title, "source": one.source} for one in found]
    output.print(lambda: records, partial(render_rules_list, found))


@rules.command(
    "show",
    epilog=examples(
        "capsa rules show mainland",
        "capsa rules show 1-6 --set scoop.multiplier=2",
        "capsa rules show 2-4-royalties --toml > mine.toml",
    ),
)
@click.argument("name", metavar="NAME|FILE.toml", shell_complete=rule_sets)
@set_option
@option("--toml", is_flag=True, help="Print the file instead, a start for your own.")
@output_options
def rules_show(name: str, overrides: tuple[str, ...], toml: bool, output: Output) -> None:
    """Explain what pays what in a rule set."""
    import msgspec

    from solver.reports.rules import render_rules
    from solver.rulebook import explain
    from solver.rules import load_rules, rules_text

    if toml and overrides:
        raise click.UsageError("--toml prints the file as it stands, so it cannot be used with --set")
    found = load_rules(name, overrides)
    if toml:
        click.echo(rules_text(name).encode("utf-8"), nl=False)  # TOML is UTF-8, whatever the terminal uses
    else:
        output.print(partial(msgspec.to_builtins, found), partial(render_rules, explain(found)))


@rules.command(
    "check",
    short_help="Say every problem in a rule file at once.",
    epilog=examples(
        "capsa rules check mine.toml",
    ),
)
@click.argument("file", metavar="FILE.toml|NAME", shell_complete=rule_sets)
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
