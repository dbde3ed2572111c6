"""Capsa: the best arrangement of a 13-card Chinese poker hand.

:func:`best` answers a hand and :func:`grade` a player's own arrangement of one, both with an :class:`Advice`.
:func:`score` settles a round as people write it down, in units and money, and :func:`settle` arrangements. Rules are
named, or read by :func:`load_rules`. What a caller can mend is a :class:`CapsaError`, which is a ValueError.

>>> from solver import best
>>> print(best("2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d", quick=True).best.arrangement)
Qc 8d 2h | 6h 5c 4h 3d 2d | As Ks Qs 8s 6s
"""

# Names are loaded when they are first used, so that a command which computes nothing starts without NumPy and Numba.

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.advice import Standing, best, grade
    from solver.arrangements import Arrangement
    from solver.cards import Hand
    from solver.errors import ArrangementError, CapsaError, CardError, RequestError, RulesError, StrategyError
    from solver.records import Advice, Candidate, Choice, Grade
    from solver.rounds import ScoredRound, score
    from solver.rules import RuleSet, load_rules
    from solver.scoring import Player, Settlement, settle

__version__ = "0.1.0"

_HOMES = {
    "Advice": "solver.records",
    "Arrangement": "solver.arrangements",
    "ArrangementError": "solver.errors",
    "Candidate": "solver.records",
    "CapsaError": "solver.errors",
    "CardError": "solver.errors",
    "Choice": "solver.records",
    "Grade": "solver.records",
    "Hand": "solver.cards",
    "Player": "solver.scoring",
    "RequestError": "solver.errors",
    "RuleSet": "solver.rules",
    "RulesError": "solver.errors",
    "ScoredRound": "solver.rounds",
    "Settlement": "solver.scoring",
    "Standing": "solver.advice",
    "StrategyError": "solver.errors",
    "best": "solver.advice",
    "grade": "solver.advice",
    "load_rules": "solver.rules",
    "score": "solver.rounds",
    "settle": "solver.scoring",
}

__all__ = [
    "Advice",
    "Arrangement",
    "ArrangementError",
    "Candidate",
    "CapsaError",
    "CardError",
    "Choice",
    "Grade",
    "Hand",
    "Player",
    "RequestError",
    "RuleSet",
    "RulesError",
    "ScoredRound",
    "Settlement",
    "Standing",
    "StrategyError",
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
    """List the public names, loaded or not, and what every module has."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
