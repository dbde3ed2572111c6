"""Strategies sent to other processes, which may have none of the files of this one.

A table that does not come with capsa is sent as the bytes of its file. Both sides name it by its fingerprint, so that
no process answers by another table than the one that asked.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from threading import Lock
from typing import Any

import numpy as np

from solver.errors import ClusterError
from solver.opponents import find_strategy, is_lent, lend
from solver.presets import preset_names, strategy_names
from solver.rules import RuleSet
from solver.strategies import Strategy, packed, read_packed, shipped_equilibrium
from solver.tables import lower


def fingerprint(strategy: Strategy) -> str:
    """Identify a strategy by all that it does: 16 hex digits."""
    digest = hashlib.sha256()

    def add(value: Any) -> None:
        if isinstance(value, Strategy):
            for one in fields(value):
                if one.name != "name":
                    add(one.name)
                    add(getattr(value, one.name))
        elif isinstance(value, Mapping):
            for key in sorted(value):
                add(key)
                add(value[key])
        elif isinstance(value, np.ndarray):
            add(f"{value.dtype.str} {value.shape}")
            digest.update(np.ascontiguousarray(value).data)
        else:
            digest.update(f"{value!r};".encode())

    add(strategy)
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Parcel:
    """A strategy under the rules that it is for.

    Attributes
    ----------
    source : str
        What users call it.
    rules : RuleSet
    players : int
    fingerprint : str
    table : bytes or None
        A file of it; None where it comes with capsa.
    """

    source: str
    rules: RuleSet
    players: int
    fingerprint: str
    table: bytes | None

    @classmethod
    def of(cls, source: str, rules: RuleSet, players: int, strategy: Strategy) -> "Parcel":
        """Make a parcel of what this process has found under a name."""
        shipped = {*strategy_names(), *preset_names()}
        if source == "equilibrium" and shipped_equilibrium(lower(rules, players)) is None:
            shipped.remove(source)
        table = None if source in shipped else packed(strategy)
        found = strategy if table is None else read_packed(table, source)
        return cls(source, rules, players, fingerprint(found), table)

    def open(self) -> str:
        """Let this process find the strategy, and return under which name.

        Raises
        ------
        ClusterError
            If it is not what was sent.
        """
        game = lower(self.rules, self.players)
        # Another table can come under the same name later.
        name = self.source if self.table is None else f"{self.source} ({self.fingerprint})"
        with _OPENING:
            if self.table is None:
                if (key := (name, game.key, self.fingerprint)) not in _CHECKED:
                    self._check(find_strategy(name, self.rules, self.players, jobs=1))
                    _CHECKED.add(key)
            elif not is_lent(name, game):
                found = read_packed(self.table, self.source)
                self._check(found)
                lend(name, game, found)
        return name

    def _check(self, found: Strategy) -> None:
        if (own := fingerprint(found)) != self.fingerprint:
            raise ClusterError(
                f"opponents '{self.source}': a worker has table {own}, here {self.fingerprint}; "
                "install the same version of capsa there and here"
            )


_CHECKED: set[tuple[str, str, str]] = set()
_OPENING = Lock()
