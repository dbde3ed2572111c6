"""The errors that capsa raises for bad input; every message says what was expected, where, and what was found."""

from collections.abc import Iterable


class CapsaError(ValueError):
    """Base of all errors that a user can cause and can mend."""


class CardError(CapsaError):
    """A card, or a set of cards, that cannot be read or is not a hand."""


class ArrangementError(CapsaError):
    """Thirteen cards that are not split into rows of 3, 5 and 5."""


class RulesError(CapsaError):
    """A rule set that is unknown, malformed, contradictory or not fit for the request."""


class StrategyError(CapsaError):
    """A strategy that is unknown, damaged, or made for other rules."""


class RequestError(CapsaError):
    """An option whose value cannot be served, such as more players than the deck can deal to."""


class OutputError(CapsaError):
    """Results that cannot be written where they were asked for, such as on a full disk."""


class ClusterError(CapsaError):
    """A cluster that cannot be reached, has lost what it worked on, or works with other versions."""


def printable(text: str) -> str:
    """Return text without what could move a cursor or change colours: such characters are written out."""
    return "".join(c if c.isprintable() or c in "\n\u200c\u200d" else ascii(c)[1:-1] for c in text)


def listed(names: list[str], word: str) -> str:
    """Return names with commas between them, and a word such as "or" before the last."""
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return a hint at the names that are most like a word, or nothing."""
    import difflib  # only where something is wrong

    close = difflib.get_close_matches(word, list(names), n=2)
    return f" (did you mean {listed([repr(name) for name in close], 'or')}?)" if close else ""
