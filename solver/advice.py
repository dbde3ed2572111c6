"""The answer to a player's question: the best arrangement of a hand, and what the alternatives give up."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solver.arrangements import ROWS, Arrangement, ordered, row_keys
from solver.cards import Hand, card_name, parse_cards
from solver.errors import CardError, RequestError
from solver.expectation import Candidates, Deals, Valuation, candidates, deal, outcomes, value
from solver.ranks import describe
from solver.rules import RuleSet, load_rules
from solver.strategies import load_strategy
from solver.tables import PairTables, pair_tables

DEFAULT_OPPONENTS = "balanced"
FEWEST_DEALS, MOST_DEALS = 100, 10_000_000
MOST_JOBS = 256


@dataclass(frozen=True)
class RowOutlook:
    """A row in words, and how often it wins, ties and loses against one opponent."""

    hand: str
    win: float
    tie: float
    lose: float


@dataclass(frozen=True)
class Candidate:
    """An arrangement and what is expected of it.

    Attributes
    ----------
    arrangement : Arrangement
    units, stderr, sd : float
        Expected units in total against all opponents, its standard error, and the deviation of one hand's units.
    rows : dict of str to RowOutlook
        By row, averaged over opponents.
    scoop, scooped : float
        How often all three rows are won, and lost, per opponent.
    royalties : float
        Expected net royalties in total, before any scoop multiplier.
    behind, behind_stderr : float or None
        Units given up against the best in the same deals, and its standard error; None for the best itself.
    """

    arrangement: Arrangement
    units: float
    stderr: float
    sd: float
    rows: dict[str, RowOutlook]
    scoop: float
    scooped: float
    royalties: float
    behind: float | None = None
    behind_stderr: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the JSON shows it."""
        shown: dict[str, Any] = {row: [card_name(card) for card in self.arrangement.row(row)] for row in ROWS}
        shown |= {"units": self.units, "stderr": self.stderr, "sd": self.sd}
        shown["rows"] = {
            row: {"hand": look.hand, "win": look.win, "tie": look.tie, "lose": look.lose}
            for row, look in self.rows.items()
        }
        shown |= {"scoop": self.scoop, "scooped": self.scooped, "royalties": self.royalties}
        if self.behind is not None:
            shown |= {"behind": self.behind, "behind_stderr": self.behind_stderr}
        return shown


@dataclass(frozen=True)
class Advice:
    """The best arrangement of a hand against opponents, and the alternatives, best first.

    Attributes
    ----------
    decided : bool
        Whether no other candidate can be better by more than the requested precision, up to three standard errors.
    candidates, legal : int
        Arrangements that were valued, and legal ones among the 72,072.
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
    natural: None = None
    surrender: None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as ``capsa best --json`` prints it."""
        return {
            "schema": 1,
            "hand": [card_name(card) for card in self.hand.cards],
            "rules": self.rules.name,
            "overrides": dict(self.overrides),
            "players": self.players,
            "opponents": self.opponents,
            "seed": self.seed,
            "deals": self.deals,
            "decided": self.decided,
            "best": self.best.to_dict(),
            "alternatives": [candidate.to_dict() for candidate in self.alternatives],
            "natural": self.natural,
            "surrender": self.surrender,
            "graded": None,
            "candidates": self.candidates,
            "legal": self.legal,
        }


def best(
    hand: Hand | str,
    *,
    rules: RuleSet | str = "2-4",
    players: int = 2,
    opponents: str = DEFAULT_OPPONENTS,
    dead: tuple[int, ...] | str = (),
    seed: int = 0,
    jobs: int | None = None,
    top: int = 5,
    deals: int = 20_000,
    precision: float = 0.01,
    overrides: Mapping[str, Any] | None = None,
) -> Advice:
    """Return the arrangement of a hand that wins the most units.

    Parameters
    ----------
    hand, dead
        Thirteen cards, and the cards known to be out of play.
    rules, players
        A rule set, or the name of a preset or a rule file; and the seats at the table, the player's own included.
    opponents
        The strategy by which opponents set their hands: a name, or the path of a table.
    seed, jobs
        The answer depends on the seed, never on how many threads work on it (default: all cores).
    top, deals, precision
        How many alternatives to report, how many deals to value the candidates on, and to how many units the answer
        must be certain to be called ``decided``.
    overrides
        What was changed of the rule set, for the record only.

    Raises
    ------
    CapsaError
        If anything of this cannot be served; the message says what.
    """
    hand = Hand.parse(hand) if isinstance(hand, str) else hand
    dead = parse_cards(dead, "dead card") if isinstance(dead, str) else tuple(dead)
    rules = load_rules(rules) if isinstance(rules, str) else rules
    _check(hand, rules, players, dead, deals, precision, top, seed)
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise RequestError(f"jobs: from 1 to {MOST_JOBS} threads, got {jobs}")
    threads = jobs or os.cpu_count() or 1
    wheel, pay = rules.ranking.wheel, pair_tables(rules)
    options = candidates(hand.cards, wheel, pay)
    strategy = load_strategy(opponents, rules)
    played = deal(hand.cards, dead, players - 1, deals, strategy, wheel, pay, seed, threads)
    valuation = value(options, played, pay, threads)
    order = _ranked(valuation)[: top + 1]
    found = [_candidate(at, options, valuation, played, pay, rules) for at in order]
    decided = valuation.decided(precision)
    record = (hand, rules, players, opponents, seed, deals, decided, found[0], tuple(found[1:]))
    return Advice(*record, candidates=len(options), legal=options.legal, overrides=overrides or {})


def _ranked(valuation: Valuation) -> list[int]:
    """Return the candidates, best first."""
    order = np.argsort(valuation.behind, kind="stable").tolist()
    return [valuation.best, *(at for at in order if at != valuation.best)]


def _check(
    hand: Hand, rules: RuleSet, players: int, dead: tuple[int, ...], deals: int, precision: float, top: int, seed: int
) -> None:
    """Refuse what cannot be served."""
    twice = [card for card in dead if card in hand.cards]
    if twice:
        names = ", ".join(map(card_name, twice))
        raise CardError(f"dead card {dead.index(twice[0]) + 1} of {len(dead)}: {names} is in the hand")
    fewest, most = rules.players
    if not fewest <= players <= most:
        raise RequestError(f"players: the rule set '{rules.name}' seats {fewest} to {most}, got {players}")
    left = 52 - 13 - len(dead)
    if 13 * (players - 1) > left:
        raise RequestError(f"players: a table of {players} needs {13 * (players - 1)} unseen cards, {left} are left")
    if not FEWEST_DEALS <= deals <= MOST_DEALS:
        raise RequestError(f"deals: from {FEWEST_DEALS} to {MOST_DEALS:,}, got {deals}")
    if not (np.isfinite(precision) and precision > 0):
        raise RequestError(f"precision: a positive number of units, got {precision}")
    if top < 0:
        raise RequestError(f"top: zero or more alternatives, got {top}")
    if seed < 0:
        raise RequestError(f"seed: zero or a positive integer, got {seed}")


def _candidate(
    at: int, options: Candidates, valuation: Valuation, played: Deals, pay: PairTables, rules: RuleSet
) -> Candidate:
    """Return the record of one candidate."""
    wheel = rules.ranking.wheel
    front, middle, back = (ordered(cards, wheel) for cards in options.rows(at))
    arrangement = Arrangement(front, middle, back)
    shares = outcomes(options, at, played, pay).tolist()
    keys = row_keys(arrangement, wheel)
    rows = {row: RowOutlook(describe(keys[k], wheel), *shares[3 * k : 3 * k + 3]) for k, row in enumerate(ROWS)}
    is_best = at == valuation.best
    return Candidate(
        arrangement=arrangement,
        units=float(valuation.mean[at]),
        stderr=valuation.stderr(at),
        sd=float(valuation.sd[at]),
        rows=rows,
        scoop=shares[9],
        scooped=shares[10],
        royalties=shares[11],
        behind=None if is_best else float(valuation.behind[at]),
        behind_stderr=None if is_best else float(valuation.behind_stderr[at]),
    )
