"""What a shell offers to complete: rule sets, strategies, files, and keys of rules; the scripts are click's own.

Files that a command reads are offered by their ending, beside names. All others, and what has to be quoted, are left to
the shell, which knows how.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from solver.presets import preset_names, strategy_names

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_CAPSA_COMPLETE"

_UNQUOTED = re.compile(r"[\w./+@%][\w./+@%-]*")


def script(command: click.Command, shell: str) -> str:
    """Return the script by which a shell completes the command ``capsa``."""
    found = get_completion_class(shell)
    assert found is not None
    return found(command, {}, "capsa", VARIABLE).source()


@add_completion_class
class Bash(BashComplete):
    """Bash, which takes the "=" of ``--rules=2-4`` for a word of its own, as click does not expect."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the incomplete one, and that."""
        words, incomplete = super().get_completion_args()
        return words[:-1] if words[-1:] == ["="] else words, incomplete


class _WholeWords(ShellComplete):
    """A shell that replaces the whole word ``--rules=2-4``, where click returns its value alone."""

    def get_completions(self, args: list[str], incomplete: str) -> "list[CompletionItem[str]]":
        """Return what completes the last word."""
        found = super().get_completions(args, incomplete)
        name, equals, _ = incomplete.partition("=")
        if name.startswith("--") and equals:
            for item in found:
                item.value = f"{name}={item.value}"
        return found


@add_completion_class
class Zsh(_WholeWords, ZshComplete):
    """Zsh."""


@add_completion_class
class Fish(_WholeWords, FishComplete):
    """Fish."""


def files(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
    """Let the shell complete files."""
    return [CompletionItem(incomplete, type="file")]


def rule_sets(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
    """Complete the name of a rule set, or a rule file."""
    return _names_or_files(preset_names(), ".toml", incomplete)


def strategies(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
    """Complete the name of a strategy, that of a rule set whose equilibrium it is, or the file of a table."""
    return _names_or_files([*strategy_names(), *preset_names()], ".npz", incomplete)


def keys(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
    """Complete the key of a rule, up to its value."""
    return [CompletionItem(f"{key}=") for key in rule_keys() if key.startswith(incomplete)]


def rule_keys() -> Iterator[str]:
    """Yield the path of every key that an override can change."""
    from msgspec import Struct
    from msgspec.structs import fields

    from solver.rules import IDENTITY, RuleSet

    def within(table: type[Struct], path: str) -> Iterator[str]:
        for entry in fields(table):
            key = path + entry.encode_name
            if isinstance(entry.type, type) and issubclass(entry.type, Struct):
                yield from within(entry.type, f"{key}.")
            elif key not in IDENTITY:
                yield key

    return within(RuleSet, "")


def completer(metavar: str) -> Completer | None:
    """Return what completes an option whose help shows this for its value, or None."""
    known = {"NAME|FILE.toml": rule_sets, "NAME|FILE.npz": strategies, "KEY=VALUE": keys, "OUT": files}
    return known.get(metavar) or (files if metavar.startswith("FILE") else None)


def _names_or_files(names: Iterable[str], ending: str, incomplete: str) -> "list[CompletionItem[str]]":
    """Complete a name, or a file by its ending.

    Shells add a space after what alone is offered, and Bash looks for no files where anything is. So folders are
    offered beside other things only, and where there is nothing but folders the shell completes them.
    """
    named = [name for name in names if name.startswith(incomplete)]
    folders, read = _entries(incomplete, ending)
    plain = [path for path in (*read, *folders) if _UNQUOTED.fullmatch(path)]
    if named or (read and len(plain) == len(read) + len(folders)):
        return [CompletionItem(text) for text in (*named, *plain)]
    return [CompletionItem(incomplete, type="file")]


def _entries(incomplete: str, ending: str) -> tuple[list[str], list[str]]:
    """Return the folders that begin as a path does, and the files that end as they should."""
    folder, start = os.path.split(incomplete)
    before = incomplete.removesuffix(start)
    try:
        with os.scandir(folder or os.curdir) as found:
            entries = sorted((entry.name, entry.is_dir()) for entry in found if entry.name.startswith(start))
    except OSError:
        return [], []
    shown = [(before + name, is_folder) for name, is_folder in entries if start or not name.startswith(".")]
    folders = [path + os.sep for path, is_folder in shown if is_folder]
    return folders, [path for path, is_folder in shown if not is_folder and path.lower().endswith(ending)]
