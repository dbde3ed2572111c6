"""A finished round as people write it down, one player a line, and what it comes to in units and in money.

:mod:`solver.scoring` settles; this module reads the text, knows players by their names and turns units into stakes.
"""

import math
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from solver.arrangements import ROWS, Arrangement
from solver.cards import Hand, parse_cards, plain
from solver.errors import ArrangementError, CapsaError, RequestError
from solver.rules import RuleSet, load_rules
from solver.scoring import Player, Settlement, settle

MOST_PLAYERS = 4
HIGHEST_STAKE = 1e12  # far beyond any table; it keeps every sum finite

_EXPECTED = "front | middle | back, 'natural' and thirteen cards, or 'surrender'"
_WORD = re.compile(r"(surrender|natural)\b\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class ScoredRound:
    """A settled round.

    Attributes
    ----------
    rules : RuleSet
    players : tuple of Player
        By seat, each with a name of his own.
    settlement : Settlement
        Units, with everything that led to them.
    stakes : dict of (str, str) to float
        Money a unit between two players, where something else than 1 was agreed.
    money : tuple of float
        What each player receives in all; it adds up to zero.
    banker : str or None
    """

    rules: RuleSet
    players: tuple[Player, ...]
    settlement: Settlement
    stakes: Mapping[tuple[str, str], float]
    money: tuple[float, ...]
    banker: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the round as ``capsa score --json`` prints it."""
        settled, names = self.settlement, [player.name for player in self.players]
        players = [
            {
                "name": player.name,
                "foul": settled.fouls[seat] is not None,
                "why": settled.fouls[seat],
                "natural": natural.kind if (natural := settled.naturals[seat]) else None,
                "surrender": player.surrender,
                "total": settled.totals[seat] + 0.0,  # no negative zero, here and below
                "money": self.money[seat],
            }
            for seat, player in enumerate(self.players)
        ]
        rows = [
            {
                "a": names[pair.a],
                "b": names[pair.b],
                **dict(zip(ROWS, pair.results, strict=True)),
                "royalties": list(pair.royalties),
                "scoop": pair.scoop,
                "home_run": pair.home_run,
            }
            for pair in settled.pairs
            if pair.results is not None
        ]
        pairs = [[units + 0.0 for units in line] for line in settled.matrix]
        return {"rules": self.rules.name, "banker": self.banker, "players": players, "pairs": pairs, "rows": rows}


def score(
    players: str | Sequence[Player],
    *,
    rules: RuleSet | str | os.PathLike[str] = "2-4",
    stakes: Mapping[tuple[str, str], float] | None = None,
    banker: str | None = None,
) -> ScoredRound:
    """Settle a finished round.

    Parameters
    ----------
    players
        The round as text, which :func:`read_round` reads, or the players.
    rules
        A rule set, or the name of a preset or a rule file.
    stakes
        Money a unit between two players, by their names; 1 for pairs that are not in it.
    banker
        The name of the banker, in rules with a banker.

    Raises
    ------
    CapsaError
        If the round cannot be read or settled; the message says what is wrong and where.

    Examples
    --------
    >>> text = '''Ann: 7c7d7h | 4c4d4h4sKd | 9sTsJsQsKs
    ... Bob: AcKc2d | AdQdTd6d5d | 8c8d8h3s3c'''
    >>> scored = score(text, rules="2-4-royalties", stakes={("Ann", "Bob"): 0.5})
    >>> scored.settlement.totals, scored.money
    ((20.0, -20.0), (10.0, -10.0))
    """
    rules = rules if isinstance(rules, RuleSet) else load_rules(rules)
    seated = read_round(players) if isinstance(players, str) else players
    seated = [replace(one, name=one.name or f"player {number}") for number, one in enumerate(seated, start=1)]
    names = [player.name for player in seated]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RequestError(f"two players have the name '{twice}'")
    fewest, most = rules.players
    if not fewest <= len(seated) <= most:
        raise RequestError(f"the rules '{rules.name}' seat {fewest} to {most} players, got {len(seated)}")
    agreed = {_pair_of(*pair, names): _stake(money, pair) for pair, money in (stakes or {}).items()}
    if stakes and len(agreed) < len(stakes):
        raise RequestError("stakes: the same two players are given twice")
    seat = _banker_seat(rules, banker, names)
    settled = settle(rules, seated, seat)
    money = [0.0] * len(seated)
    for pair in settled.pairs:
        amount = pair.units * agreed.get((names[pair.a], names[pair.b]), 1.0)
        money[pair.a] += amount
        money[pair.b] -= amount
    return ScoredRound(rules, tuple(seated), settled, agreed, tuple(money), None if seat is None else names[seat])


def _banker_seat(rules: RuleSet, banker: str | None, names: Sequence[str]) -> int | None:
    """Return the banker's seat, where the rules have one."""
    if banker is None and rules.table.banker:
        raise RequestError(f"the rules '{rules.name}' have a banker: say who it is ({_listed(names)})")
    if banker is None:
        return None
    if not rules.table.banker:
        raise RequestError(f"the rules '{rules.name}' have no banker, got {banker!r}")
    name = _name(banker)
    if name not in names:
        raise RequestError(f"banker: no player has the name {name!r} ({_listed(names)})")
    return names.index(name)


def _listed(names: Sequence[str]) -> str:
    return f"the players are {', '.join(names)}"


# --- Stakes ---


def parse_stakes(texts: Iterable[str], names: Sequence[str]) -> dict[tuple[str, str], float]:
    """Read what is played for, each as ``a-b=100``: money a unit between the players a and b.

    Parameters
    ----------
    texts
        Stakes, one pair of players each.
    names
        The players at the table; their names may themselves contain a dash.

    Raises
    ------
    RequestError
        If a name is unknown, a text can be split into two names in several ways, the money is no number of zero or
        more, or a pair stands twice.

    Examples
    --------
    >>> parse_stakes(["Bob-Jean-Luc=2.5"], ["Jean-Luc", "Bob"])
    {('Jean-Luc', 'Bob'): 2.5}
    """
    found: dict[tuple[str, str], float] = {}
    for text in texts:
        pair, equals, money = text.rpartition("=")
        if not equals:
            raise RequestError(f"stakes: expected a-b=100 with the names of two players, got {text!r}")
        first, second = _pair_of(*_split_pair(pair, names, text), names)
        try:
            value = float(money)
        except ValueError:
            raise RequestError(f"stakes: expected a number after '=' in {text!r}, got {money!r}") from None
        if (first, second) in found:
            raise RequestError(f"stakes: those of {first} and {second} are given twice, the second time as {text!r}")
        found[first, second] = _stake(value, (first, second))
    return found


def _split_pair(pair: str, names: Sequence[str], text: str) -> tuple[str, str]:
    """Return the two names around a dash."""
    dashes = [at for at, character in enumerate(pair) if character == "-"]
    splits = [(_name(pair[:at]), _name(pair[at + 1 :])) for at in dashes]
    if not splits:
        raise RequestError(f"stakes: expected two names with a dash between them before '=', got {text!r}")
    known = [split for split in splits if set(split) <= set(names)]
    if len({frozenset(split) for split in known}) > 1:
        ways = " or ".join(f"'{first}' and '{second}'" for first, second in known)
        raise RequestError(f"stakes: {text!r} can be read as {ways}; rename a player")
    if known:
        return known[0]
    unknown = min(([name for name in split if name not in names] for split in splits), key=len)
    raise RequestError(
        f"stakes: no player has the name {' or '.join(map(repr, unknown))} in {text!r}: {_listed(names)}"
    )


def _pair_of(first: str, second: str, names: Sequence[str]) -> tuple[str, str]:
    """Return two different players in the order of their seats."""
    for name in (first, second):
        if name not in names:
            raise RequestError(f"stakes: no player has the name {name!r}: {_listed(names)}")
    if first == second:
        raise RequestError(f"stakes: they are between two players, got {first!r} twice")
    return (first, second) if names.index(first) < names.index(second) else (second, first)


def _stake(money: float, pair: tuple[str, str]) -> float:
    if not 0 <= money <= HIGHEST_STAKE or math.isnan(money):
        raise RequestError(f"stakes of {pair[0]} and {pair[1]}: a number from 0 to {HIGHEST_STAKE:,.0f}, got {money:g}")
    return money + 0.0


# --- The text of a round ---


def read_round(text: str) -> list[Player]:
    r"""Read a round, one player a line: his name, a colon, and how he set his hand.

    That is ``front | middle | back`` (``/`` separates, too), ``natural`` and thirteen cards, or ``surrender``. A line
    that ends in ``; undeclared`` gives up its royalties. Blank lines and lines that begin with ``#`` are skipped.

    Raises
    ------
    CapsaError
        Naming the line and its player.

    Examples
    --------
    >>> ann, bob = read_round("Ann: QhQd7c / QcQs9d8d2c / KsKcKd3s3h; undeclared\nBob: surrender")
    >>> ann.name, ann.undeclared, bob.surrender
    ('Ann', True, True)
    """
    players: list[Player] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, rest = _split_line(line)
        if not colon:
            raise RequestError(f"line {number}: expected a name, a colon and {_EXPECTED}; no colon in {_brief(line)}")
        if not name:
            raise RequestError(f"line {number}: no name before the colon in {_brief(line)}")
        where = f"line {number} ({name})"
        if len(name) > LONGEST_NAME or not name.translate(_JOINERS).isprintable() or not name.translate(_JOINERS):
            raise RequestError(
                f"line {number}: a name has at most {LONGEST_NAME} printable letters, got {_brief(name)}"
            )
        if name in lines:
            raise RequestError(f"{where}: line {lines[name]} has the same name; every player needs one of his own")
        if len(players) == MOST_PLAYERS:
            raise RequestError(f"{where}: a round has 2 to {MOST_PLAYERS} players, this would be one more")
        try:
            players.append(_read_player(name, rest))
        except CapsaError as error:
            raise type(error)(f"{where}: {error}") from None
        lines[name] = number
    if len(players) < 2:
        found = f"only {players[0].name}" if players else "nobody"
        raise RequestError(
            f"a round has 2 to {MOST_PLAYERS} players, one a line: a name, a colon and {_EXPECTED}; found {found}"
        )
    return players


LONGEST_NAME = 100
_JOINERS = dict.fromkeys((0x200C, 0x200D))  # Persian and Indian names need them


def _split_line(line: str) -> tuple[str, bool, str]:
    """Return what stands before the first colon, whether there is one, and what follows it."""
    colon = re.search(r"[:：]", line)  # noqa: RUF001
    if colon is None:
        return "", False, line
    return _name(line[: colon.start()]), True, plain(line[colon.end() :]).strip()


def _name(text: str) -> str:
    """Return a name as it is compared: trimmed, and accented letters in one way of writing them."""
    return unicodedata.normalize("NFC", text.strip())


def _brief(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _read_player(name: str, text: str) -> Player:
    """Read what follows the colon."""
    held, semicolon, note = (part.strip() for part in text.partition(";"))
    undeclared = bool(semicolon)
    if undeclared and note.lower() != "undeclared":
        raise RequestError(f"after ';' only 'undeclared' can stand, got {_brief(note)}")
    if not held:
        raise RequestError(f"expected {_EXPECTED} after the colon, got nothing")
    word = _WORD.fullmatch(held)
    if word is None:
        if not re.search(r"[|/]", held):
            raise ArrangementError(f"expected {_EXPECTED}, got {_brief(held)}")
        return Player(name, Arrangement.parse(held), undeclared=undeclared)
    kind, rest = word[1].lower(), word[2]
    if undeclared:
        what = "a natural" if kind == "natural" else "a player who surrenders"
        raise RequestError(f"{what} has no royalties, so 'undeclared' cannot stand there")
    if kind == "surrender":
        if rest:
            raise RequestError(f"'surrender' stands alone, without cards, got {_brief(rest)} after it")
        return Player(name, surrender=True)
    cards = parse_cards(re.sub(r"[|/]", " ", rest), "natural's card")  # rows mean nothing to it, but may be written
    if len(cards) != 13:
        raise RequestError(f"a natural has all 13 cards of the hand, got {len(cards)}: {_brief(rest)}")
    return Player(name, natural=Hand(cards))
