"""Capsa: the best arrangement of a 13-card Chinese poker hand.

The names of the library are loaded when they are first used, so that a command which computes nothing starts without
NumPy and Numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.advice import best, grade
    from solver.arrangements import Arrangement
    from solver.cards import Hand
    from solver.errors import CapsaError
    from solver.records import Advice, Grade
    from solver.rounds import ScoredRound, score
    from solver.rules import RuleSet, load_rules
    from solver.scoring import Player, settle

__version__ = "0.1.0"

_HOMES = {
    "Advice": "solver.records",
    "Arrangement": "solver.arrangements",
    "CapsaError": "solver.errors",
    "Grade": "solver.records",
    "Hand": "solver.cards",
    "Player": "solver.scoring",
    "RuleSet": "solver.rules",
    "ScoredRound": "solver.rounds",
    "best": "solver.advice",
    "grade": "solver.advice",
    "load_rules": "solver.rules",
    "score": "solver.rounds",
    "settle": "solver.scoring",
}

__all__ = [
    "Advice",
    "Arrangement",
    "CapsaError",
    "Grade",
    "Hand",
    "Player",
    "RuleSet",
    "ScoredRound",
    "best",
    "grade",
    "load_rules",
    "score",
    "settle",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'solver' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted([*globals(), *_HOMES])
