"""What an answer says, as records: arrangements and what is expected of them, other choices, and a player's own grade.

They show themselves as JSON, and in notebooks as a page or a picture. How they come about is left to
:mod:`solver.advice`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from solver import words
from solver.arrangements import ROWS, Arrangement
from solver.cards import Hand, card_name
from solver.deals import Banker
from solver.expectation import SURE
from solver.rules import RuleSet


@dataclass(frozen=True)
class RowOutlook:
    """A row in words, and how often it wins, ties and loses against one opponent."""

    hand: str
    win: float
    tie: float
    lose: float


def _named(arrangement: Arrangement) -> dict[str, list[str]]:
    """Return the cards of each row as the JSON names them."""
    return {row: [card_name(card) for card in arrangement.row(row)] for row in ROWS}


@dataclass(frozen=True)
class Candidate:
    """An arrangement and what is expected of it.

    Attributes
    ----------
    arrangement : Arrangement
    units, stderr, sd : float
        Expected units in total against all opponents, its standard error (None where a table says them), and the
        deviation of one hand's units.
    rows : dict of str to RowOutlook
        By row, averaged over the pairs that come to compare rows.
    scoop, scooped : float
        How often it scoops and is scooped in those pairs.
    royalties : float
        Expected net royalties in total, before any scoop multiplier.
    distribution : tuple of (float, float)
        What the units of one hand can come to, ascending, and how often they do.
    behind, behind_stderr : float or None
        Units given up against the best in the same deals, and its standard error; None for the best itself.
    """

    arrangement: Arrangement
    units: float
    stderr: float | None
    sd: float
    rows: dict[str, RowOutlook]
    scoop: float
    scooped: float
    royalties: float
    distribution: tuple[tuple[float, float], ...] = ()
    behind: float | None = None
    behind_stderr: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the JSON shows it."""
        shown: dict[str, Any] = _named(self.arrangement) | {"units": self.units, "stderr": self.stderr, "sd": self.sd}
        shown["rows"] = {
            row: {"hand": look.hand, "win": look.win, "tie": look.tie, "lose": look.lose}
            for row, look in self.rows.items()
        }
        shown |= {"scoop": self.scoop, "scooped": self.scooped, "royalties": self.royalties}
        if self.behind is not None:
            shown |= {"behind": self.behind, "behind_stderr": self.behind_stderr}
        return shown

    def _repr_svg_(self) -> str:
        """Return the arrangement as notebooks show it."""
        return self.arrangement._repr_svg_()


@dataclass(frozen=True)
class Choice:
    """What a player can do instead of playing his rows, and what is expected of it in the same deals.

    Attributes
    ----------
    units, stderr : float
        Expected units in total against all opponents; no standard error where a table says them.
    margin, margin_stderr : float
        How much more that is than the best arrangement wins.
    advised : bool
        Whether it is the best that the player can do, or he must.
    kind : str
        The natural to declare; empty for surrender.
    """

    units: float
    stderr: float | None
    margin: float
    margin_stderr: float | None
    advised: bool
    kind: str = ""

    def decided(self, precision: float) -> bool:
        """Whether choosing by the margin cannot be wrong by more than ``precision``, up to three standard errors."""
        return self.margin_stderr is not None and SURE * self.margin_stderr - abs(self.margin) <= precision

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the JSON shows it."""
        shown: dict[str, Any] = {"kind": self.kind} if self.kind else {}
        shown |= {"units": self.units, ("declare" if self.kind else "advised"): self.advised}
        return shown | {"stderr": self.stderr, "margin": self.margin, "margin_stderr": self.margin_stderr}


@dataclass(frozen=True)
class Grade:
    """What a player's own arrangement gives up.

    Attributes
    ----------
    arrangement : Arrangement
    foul : str or None
        Why it is a foul, naming both rows; None where it is legal.
    units, stderr : float or None
        Expected units in total against all opponents; None for a foul where a table says them.
    behind, behind_stderr : float or None
        What it gives up against the best arrangement in the same deals.
    candidate : Candidate or None
        All that is expected of it, where it is legal.
    rank : int or None
        Its place among the candidates, 1 being the best; None for a foul.
    beaten : Arrangement or None
        One that beats or equals it in every row and royalty, where there is one.
    """

    arrangement: Arrangement
    foul: str | None = None
    units: float | None = None
    stderr: float | None = None
    behind: float | None = None
    behind_stderr: float | None = None
    candidate: Candidate | None = None
    rank: int | None = None
    beaten: Arrangement | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the JSON shows it."""
        cost = {"behind": self.behind, "behind_stderr": self.behind_stderr}
        if self.candidate is None:
            return (
                _named(self.arrangement)
                | {"units": self.units, "stderr": self.stderr}
                | cost
                | {"foul": True, "why": self.foul}
            )
        beaten = None if self.beaten is None else _named(self.beaten)
        return self.candidate.to_dict() | cost | {"foul": False, "rank": self.rank, "beaten": beaten}


@dataclass(frozen=True)
class Advice:
    """The best arrangement of a hand against opponents, and the alternatives, best first.

    Attributes
    ----------
    deals : int
        How many were needed, at most those asked for; 0 where a table says everything.
    decided : bool
        Whether nothing else, be it another candidate, a natural or surrender, can be better by more than the requested
        precision, up to three standard errors.
    candidates, legal : int
        Arrangements that were valued, and legal ones among the 72,072.
    banker : "me", "other" or None
        Who banks, where there is a banker.
    natural, surrender : Choice or None
        Declaring the hand's highest natural, where it holds one, and surrendering, where that is allowed.
    interrupted : bool
        Whether more deals would have been dealt, had nobody interrupted.
    graded : Grade or None
        What the player's own arrangement gives up, where he asked that.
    keep : dict of str to tuple of int
        Cards that had to stay in a row, by row.
    dead : tuple of int
        Cards that were known to be out of play.
    """

    hand: Hand
    rules: RuleSet
    players: int
    opponents: str
    seed: int
    deals: int
    decided: bool
    best: Candidate
    alternatives: tuple[Candidate, ...]
    candidates: int
    legal: int
    overrides: Mapping[str, Any] = field(default_factory=dict)
    banker: Banker | None = None
    natural: Choice | None = None
    surrender: Choice | None = None
    interrupted: bool = False
    graded: Grade | None = None
    keep: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    dead: tuple[int, ...] = ()

    def __str__(self) -> str:
        units = words.with_error(words.units_text(self.best.units), self.best.stderr)
        said = f"{self.best.arrangement}: {units} units {words.against(self)}."
        return " ".join(filter(None, [words.instead(self), said, words.certainty(self)]))

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as ``capsa best --json`` prints it.

        Examples
        --------
        >>> from solver import grade
        >>> shown = grade("8s 8d Ks | Qs Qc 6s 6h 2d | 5c 4h 3d 2h As", quick=True).to_dict()
        >>> shown["best"]["front"], shown["graded"]["front"], shown["graded"]["rank"], shown["deals"]
        (['Qc', '8d', '2h'], ['8s', '8d', 'Ks'], 3, 0)
        """
        shown = {
            "schema": 1,
            "hand": [card_name(card) for card in self.hand.cards],
            "rules": self.rules.name,
            "overrides": dict(self.overrides),
            "players": self.players,
            "opponents": self.opponents,
            "seed": self.seed,
            "deals": self.deals,
            "decided": self.decided,
            "interrupted": self.interrupted,
            "best": self.best.to_dict(),
            "alternatives": [candidate.to_dict() for candidate in self.alternatives],
            "natural": self.natural and self.natural.to_dict(),
            "surrender": self.surrender and self.surrender.to_dict(),
            "graded": self.graded and self.graded.to_dict(),
            "candidates": self.candidates,
            "legal": self.legal,
        }
        if self.banker:
            shown["banker"] = self.banker
        if self.dead:
            shown["dead"] = [card_name(card) for card in self.dead]
        if self.keep:
            shown["keep"] = {row: [card_name(card) for card in cards] for row, cards in self.keep.items()}
        return shown

    def _repr_html_(self) -> str:
        """Return the answer as notebooks show it."""
        from solver.pages import fragment

        return fragment(self)
