"""The answer to a player's question: the best arrangement of a hand, and what the alternatives give up."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from solver.arrangements import ROWS, Arrangement, as_laid, row_names
from solver.candidates import Candidates, candidates
from solver.cards import DECK, Hand, card_name, parse_cards
from solver.deals import Banker, Dealer, Deals, sample
from solver.errors import CardError, RequestError
from solver.expectation import SURE, Valuation, by_table, mean_and_error, outcomes, stages
from solver.naturals import HeldNatural, natural_of, natural_units, share_that_pays
from solver.opponents import find_strategy, say_on_stderr
from solver.rules import RuleSet, load_rules
from solver.strategies import Strategy
from solver.tables import STEPS_OF_ORDER, Game, lower

DEFAULT_OPPONENTS = "equilibrium"
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
        Expected units in total against all opponents, its standard error (None where a table says them), and the
        deviation of one hand's units.
    rows : dict of str to RowOutlook
        By row, averaged over the pairs that come to compare rows.
    scoop, scooped : float
        How often it scoops and is scooped in those pairs.
    royalties : float
        Expected net royalties in total, before any scoop multiplier.
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
            "interrupted": self.interrupted,
            "best": self.best.to_dict(),
            "alternatives": [candidate.to_dict() for candidate in self.alternatives],
            "natural": self.natural and self.natural.to_dict(),
            "surrender": self.surrender and self.surrender.to_dict(),
            "graded": None,
            "candidates": self.candidates,
            "legal": self.legal,
        } | ({"banker": self.banker} if self.banker else {})


@dataclass(frozen=True)
class Standing:
    """How far an answer has come.

    Attributes
    ----------
    deals, most : int
        Deals so far, and at most.
    units, stderr : float
        Expected units of the best so far, and their standard error.
    elapsed, left : float
        Seconds taken, and those that it will take at most.
    answer : callable
        Returns the answer that rests on the deals so far.
    """

    deals: int
    most: int
    units: float
    stderr: float
    elapsed: float
    left: float
    answer: Callable[[], Advice]


def best(
    hand: Hand | str,
    *,
    rules: RuleSet | str = "2-4",
    players: int = 2,
    banker: Banker | None = None,
    opponents: str = DEFAULT_OPPONENTS,
    dead: tuple[int, ...] | str = (),
    seed: int = 0,
    jobs: int | None = None,
    top: int = 5,
    deals: int = 20_000,
    precision: float = 0.01,
    quick: bool = False,
    overrides: Mapping[str, Any] | None = None,
    progress: Callable[[Standing], None] | None = None,
    say: Callable[[str], None] = say_on_stderr,
) -> Advice:
    """Return the arrangement of a hand that wins the most units, and whether to play it at all.

    Parameters
    ----------
    hand, dead
        Thirteen cards, and the cards known to be out of play.
    rules, players
        A rule set, or the name of a preset or a rule file; and the seats at the table, the player's own included.
    banker
        Who banks in rules with a banker: ``"me"`` or ``"other"``, which is what None means there.
    opponents
        The strategy by which opponents set their hands, a name or the path of a table; they declare their naturals,
        and surrender where the strategy says so.
    seed, jobs
        The answer depends on the seed, never on how many threads work on it (default: all cores).
    top, deals, precision
        How many alternatives to report, how many deals to value the candidates on at most, and to how many units the
        answer must be certain to be called ``decided``, with which dealing ends. That is asked after 1,000, 2,000,
        5,000 and 10,000 deals and then whenever they have doubled, so the answer depends on nothing else. With a
        precision of 0 all deals are dealt.
    quick
        Answer by the opponents' table alone, without deals.
    overrides
        What was changed of the rule set, for the record only.
    progress
        Called with every standing of the answer, the last one included. After an interrupt, which is passed on, the
        latest still has the answer so far.
    say
        Called with lines about the training of opponents, where rules need one of their own.

    Notes
    -----
    The best is valued on the deals that it was chosen on. By how much its units lean high for that is measured by
    ``benchmarks/measure_bias.py``; it is too little beside their standard error to pay for deals of its own.

    Raises
    ------
    CapsaError
        If anything of this cannot be served.
    """
    hand = Hand.parse(hand) if isinstance(hand, str) else hand
    dead = parse_cards(dead, "dead card") if isinstance(dead, str) else tuple(dead)
    rules = load_rules(rules) if isinstance(rules, str) else rules
    _check(hand, rules, players, dead, deals, precision, top, seed)
    banker, threads = _banker(banker, rules), _threads(jobs)
    if quick and dead:
        raise RequestError("quick: a table knows nothing of dead cards; leave out one of the two")
    game, strategy = lower(rules, players), find_strategy(opponents, rules, players, jobs=threads, say=say)
    options = candidates(hand.cards, game)
    question = _Question(hand, rules, players, strategy, seed, top, overrides or {}, banker, options)
    if quick:
        return question.answer(_quick(options, strategy, game, banker, top), decided=False)
    dealer = Dealer(game, hand.cards, dead, deals, strategy, banker, seed)
    return _in_stages(question, dealer, precision, threads, progress)


@dataclass(frozen=True)
class _Question:
    """What was asked, for the answer."""

    hand: Hand
    rules: RuleSet
    players: int
    strategy: Strategy
    seed: int
    top: int
    overrides: Mapping[str, Any]
    banker: Banker | None
    options: Candidates

    def answer(self, valuation: Valuation, decided: bool) -> Advice:
        """Return the answer that rests on a valuation."""
        found = [_candidate(at, valuation) for at in valuation.ranked()[: self.top + 1]]
        deals = len(valuation.totals) if valuation.measured else 0
        return Advice(
            *(self.hand, self.rules, self.players, self.strategy.name, self.seed, deals, decided),
            *(found[0], tuple(found[1:]), len(self.options), self.options.legal, self.overrides, self.banker),
            *_instead(self.hand, valuation, self.strategy),
        )


def _in_stages(
    question: _Question,
    dealer: Dealer,
    precision: float,
    threads: int,
    progress: Callable[[Standing], None] | None,
) -> Advice:
    """Value the candidates on more and more deals until the answer is certain enough, or all are dealt."""
    start, most = time.monotonic(), dealer.most
    for valuation in stages(question.options, dealer, question.top + 1, threads):
        choices = _instead(question.hand, valuation, question.strategy)
        decided = valuation.decided(precision) and _clear(choices, question.rules, precision)
        answer = partial(question.answer, valuation, decided)
        if progress is not None:
            number, elapsed, at = len(valuation.totals), time.monotonic() - start, valuation.best
            units, stderr = float(valuation.mean[at]), float(valuation.sd[at] / np.sqrt(number))
            progress(Standing(number, most, units, stderr, elapsed, elapsed * (most / number - 1), answer))
        if decided and precision:
            break
    return answer()


def _clear(choices: tuple[Choice | None, Choice | None], rules: RuleSet, precision: float) -> bool:
    """Whether it is certain that a natural and surrender are better than the rows, or not, to the precision."""
    if choices[0] is not None and not rules.naturals.may_decline:
        return True
    return all(choice is None or choice.decided(precision) for choice in choices)


def _quick(options: Candidates, strategy: Strategy, game: Game, banker: Banker | None, top: int) -> Valuation:
    """Value candidates by a table, and the chances of their rows by the population that it keeps."""
    rules = game.rules
    kinds = rules.naturals.kinds if rules.naturals.enabled else ()
    own, theirs = strategy.of(banker == "me"), strategy.of(banker == "other")
    if not len(theirs.population) or len(theirs.naturals) != len(kinds):
        raise RequestError(f"quick: '{strategy.name}' has no table of expected units; train one with `capsa train`")
    played = sample(strategy, game, banker)
    each = own.worth(tuple(options.cards.tolist()), options.strengths // STEPS_OF_ORDER) + options.royalties[:, 3]
    units = each * played.paired.sum()
    return by_table(options, units, played, top)


def _banker(banker: Banker | None, rules: RuleSet) -> Banker | None:
    """Return who banks."""
    if banker not in (None, "me", "other"):
        raise RequestError(f"banker: 'me' or 'other', got {banker!r}")
    if banker is not None and not rules.table.banker:
        raise RequestError(f"banker: the rules '{rules.name}' have none")
    return banker or ("other" if rules.table.banker else None)


def _threads(jobs: int | None) -> int:
    """Return how many threads to work with."""
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise RequestError(f"jobs: from 1 to {MOST_JOBS} threads, got {jobs}")
    return jobs or os.cpu_count() or 1


def _instead(hand: Hand, valuation: Valuation, strategy: Strategy) -> tuple[Choice | None, Choice | None]:
    """Value a natural and surrender against playing the best arrangement, in the same deals."""
    rules = valuation.table.deals.game.rules
    held = natural_of(hand.cards, rules)
    natural = surrender = None
    best_units = float(valuation.mean[valuation.best])
    must = held is not None and not rules.naturals.may_decline
    if held is not None:
        natural = _choice(held.kind, held, valuation, strategy)
        natural = replace(natural, advised=must or natural.margin >= 0)
        best_units = max(best_units, natural.units)
    if rules.surrender.allowed:
        surrender = _choice("", None, valuation, strategy)
        surrender = replace(surrender, advised=not must and surrender.units > best_units)
    if natural is not None and surrender is not None and surrender.advised:
        natural = replace(natural, advised=False)
    return natural, surrender


def _choice(kind: str, held: HeldNatural | None, valuation: Valuation, strategy: Strategy) -> Choice:
    """Value declaring a natural, or surrendering where there is none."""
    played = valuation.table.deals
    rules = played.game.rules
    price = rules.surrender.units
    if valuation.measured:
        units = played.surrendering(price) if held is None else played.declaring(held)
        return Choice(*mean_and_error(units), *mean_and_error(units - valuation.totals), advised=False, kind=kind)
    total = _by_shares(held, strategy.of(played.banker == "other"), played)
    return Choice(total, None, total - float(valuation.mean[valuation.best]), None, advised=False, kind=kind)


def _by_shares(held: HeldNatural | None, theirs: Strategy, played: Deals) -> float:
    """Return the units in total of declaring a natural, or of surrendering, by how often opponents do such things.

    Opponents are taken for independent, as in the tables, and of two naturals of a kind each wins as often.
    """
    rules, pay, shares = played.game.rules, played.game.pay, theirs.naturals.tolist()
    mine = None if held is None else replace(held, tiebreak=())
    kinds = [HeldNatural(place, one.kind, one.units, ()) for place, one in enumerate(rules.naturals.kinds)]
    met = [(share, natural_units(mine, other, rules)) for share, other in zip(shares, kinds, strict=False)]
    met.append((1 - sum(shares) - theirs.surrendered, -rules.surrender.units if held is None else held.units))
    # Who surrenders pays a natural all the same, and nothing to somebody who surrenders, too.
    met.append((theirs.surrendered, 0.0 if held is None else held.units))
    number, others, more = float(played.paired.sum()), played.game.players - 2, pay.home_multiplier - 1
    total = float(number * sum(share * units for share, units in met))
    if pay.home_run and rules.naturals.as_scoop:
        if held is not None and played.can_run:
            paid = sum(share for share, units in met if units > 0)
            won = sum(share * units for share, units in met if units > 0)
            total += number * paid ** (number - 1) * (more * won + pay.home_extra * paid)
        if played.banker != "me":
            for place, (share, units) in enumerate(met[: len(shares)]):
                if units < 0:
                    runs = share_that_pays(place, shares, rules) ** others
                    total += number * share * runs * (more * units - pay.home_extra)
    return float(total)


def _check(
    hand: Hand, rules: RuleSet, players: int, dead: tuple[int, ...], deals: int, precision: float, top: int, seed: int
) -> None:
    """Refuse what cannot be served."""
    for place, card in enumerate(dead, start=1):
        if type(card) is not int or card not in DECK:
            raise CardError(f"dead card {place} of {len(dead)}: a card id is an integer from 0 to 51, got {card!r}")
        if card in dead[: place - 1]:
            raise CardError(f"dead card {place} of {len(dead)}: {card_name(card)} stands twice")
    twice = [card for card in dead if card in hand.cards]
    if twice:
        names = ", ".join(map(card_name, twice))
        raise CardError(f"dead card {dead.index(twice[0]) + 1} of {len(dead)}: {names} is in the hand")
    rules.check_players(players)
    left = 52 - 13 - len(dead)
    if 13 * (players - 1) > left:
        raise RequestError(f"players: a table of {players} needs {13 * (players - 1)} unseen cards, {left} are left")
    if not FEWEST_DEALS <= deals <= MOST_DEALS:
        raise RequestError(f"deals: from {FEWEST_DEALS} to {MOST_DEALS:,}, got {deals}")
    if not (np.isfinite(precision) and precision >= 0):
        raise RequestError(f"precision: zero or a positive number of units, got {precision}")
    if top < 0:
        raise RequestError(f"top: zero or more alternatives, got {top}")
    if seed < 0:
        raise RequestError(f"seed: zero or a positive integer, got {seed}")


def _candidate(at: int, valuation: Valuation) -> Candidate:
    """Return the record of one candidate."""
    rules = valuation.table.deals.game.rules
    arrangement = as_laid(Arrangement(*valuation.table.options.rows(at)), rules)
    fared = outcomes(valuation.table, at)
    names = row_names(arrangement, rules)
    rows = {row: RowOutlook(names[k], *fared.rows[k].tolist()) for k, row in enumerate(ROWS)}
    is_best = at == valuation.best
    return Candidate(
        arrangement=arrangement,
        units=float(valuation.mean[at]),
        stderr=valuation.stderr(at),
        sd=float(valuation.sd[at]),
        rows=rows,
        scoop=fared.scoop,
        scooped=fared.scooped,
        royalties=fared.royalties,
        behind=None if is_best else float(valuation.behind[at]),
        behind_stderr=None if is_best or not valuation.measured else float(valuation.behind_stderr[at]),
    )
