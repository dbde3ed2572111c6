"""The answer to a player's question: the best arrangement of a hand, what the alternatives give up, and his own one."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypedDict, Unpack

import numpy as np

from solver.arrangements import ROWS, SIZES, Arrangement, as_laid, foul_reason, parse_rows, row_names
from solver.candidates import Candidates, candidates, subsets_of
from solver.cards import Hand, card_name, parse_cards
from solver.choices import instead, is_decided
from solver.deals import Banker, Dealer, sample
from solver.errors import ArrangementError, RequestError
from solver.expectation import Valuation, by_table, mean_and_error, outcomes, stages
from solver.naturals import natural_of
from solver.opponents import find_strategy, say_on_stderr
from solver.questions import check_apart, check_request, check_units, threads, who_banks
from solver.records import Advice, Candidate, Grade, RowOutlook
from solver.rules import RuleSet, load_rules
from solver.strategies import Strategy
from solver.tables import STEPS_OF_ORDER, Game, lower

DEFAULT_OPPONENTS = "equilibrium"


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
    rules: RuleSet | str | os.PathLike[str] = "2-4",
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
    keep: Mapping[str, tuple[int, ...] | str] | str | None = None,
    graded: Arrangement | None = None,
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
    keep
        Cards of the hand that must stay in a row, by row; or as text, ``"back: As Ks; front: Qd"``.
    graded
        An arrangement of the hand whose grade is asked for, too; see :func:`grade`.
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

    Examples
    --------
    >>> advice = best("2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d", rules="1-6", players=3, deals=1000, precision=0)
    >>> print(advice.best.arrangement, len(advice.alternatives), advice.deals)
    Qc 8d 2h | 6h 5c 4h 3d 2d | As Ks Qs 8s 6s 5 1000
    >>> best("2d 8s Qs")
    Traceback (most recent call last):
    solver.errors.CardError: a hand has 13 cards, got 3: 2d 8s Qs
    """
    hand = Hand.parse(hand) if isinstance(hand, str) else hand
    if not isinstance(hand, Hand):
        raise RequestError(f"hand: expected text, as in 'As Kd 10h ...', or a Hand, got {type(hand).__name__}")
    dead = parse_cards(dead, "dead card") if isinstance(dead, str) else tuple(dead)
    rules = rules if isinstance(rules, RuleSet) else load_rules(rules)
    check_request(rules, players, dead, deals, precision, seed, quick)
    check_apart(dead, hand.cards)
    if top < 0:
        raise RequestError(f"top: zero or more alternatives, got {top}")
    banker, jobs = who_banks(banker, rules), threads(jobs)
    kept = _kept(keep, hand, graded)
    foul = foul_reason(graded, rules) if graded else None
    own = subsets_of(graded) if graded and not foul else None
    game, strategy = lower(rules, players), find_strategy(opponents, rules, players, jobs=jobs, say=say)
    options = candidates(hand.cards, game, [own] if own else [], kept)
    mine = _Own(graded, foul, own) if graded else None
    question = _Question(
        *(hand, rules, players, strategy, seed, top, overrides or {}, banker, dead, options), own=mine, keep=kept
    )
    if quick:
        return question.answer(_quick(question, game), decided=False)
    dealer = Dealer(game, hand.cards, dead, deals, strategy, banker, seed)
    return _in_stages(question, dealer, precision, jobs, progress)


class Options(TypedDict, total=False):
    """What :func:`grade` takes beside the arrangement; the same as of :func:`best`, which tells what it means."""

    rules: RuleSet | str | os.PathLike[str]
    players: int
    banker: Banker | None
    opponents: str
    dead: tuple[int, ...] | str
    seed: int
    jobs: int | None
    top: int
    deals: int
    precision: float
    quick: bool
    overrides: Mapping[str, Any] | None
    progress: Callable[[Standing], None] | None
    say: Callable[[str], None]


def grade(arrangement: Arrangement | str, **options: Unpack[Options]) -> Advice:
    """Return the best arrangement of a hand, and what the player's own one gives up against it.

    Parameters
    ----------
    arrangement
        How the player sets the hand, legal or not.
    options
        As :func:`best` takes them, all but ``keep``.

    Returns
    -------
    Advice
        With ``graded``. The own arrangement is valued on the same deals as the best, however far behind it is; a foul
        by what it costs in them.

    Raises
    ------
    CapsaError
        If anything of this cannot be served.

    Examples
    --------
    >>> advice = grade("Kc Kd 9s | 8c 8h Jd Js 2d | 5c 5h 7d 7s 2c", rules="1-4")
    >>> advice.graded.foul
    'the middle (jacks and eights, two) beats the back (sevens and fives, two)'
    """
    own = Arrangement.parse(arrangement) if isinstance(arrangement, str) else arrangement
    if not isinstance(own, Arrangement):
        given = type(own).__name__
        raise RequestError(f"arrangement: expected text 'front | middle | back', or an Arrangement, got {given}")
    return best(own.hand, graded=own, **options)


@dataclass(frozen=True)
class _Own:
    """The player's own arrangement, why it is a foul, or else its subsets of front and back."""

    arrangement: Arrangement
    foul: str | None
    subsets: tuple[int, int] | None


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
    dead: tuple[int, ...]
    options: Candidates
    own: _Own | None = None
    keep: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def answer(self, valuation: Valuation, decided: bool) -> Advice:
        """Return the answer that rests on a valuation."""
        beaten = valuation.table.options.beaten
        found = [at for at in valuation.ranked() if not beaten[at]][: self.top + 1]
        shown = [_candidate(at, valuation) for at in found]
        deals = len(valuation.totals) if valuation.measured else 0
        return Advice(
            *(self.hand, self.rules, self.players, self.strategy.name, self.seed, deals, decided),
            *(shown[0], tuple(shown[1:]), int((~self.options.beaten).sum()), self.options.legal),
            *(self.overrides, self.banker),
            *instead(natural_of(self.hand.cards, self.rules), valuation, self.strategy),
            graded=_graded(self.own, valuation) if self.own else None,
            keep=self.keep,
            dead=self.dead,
        )


def _in_stages(
    question: _Question,
    dealer: Dealer,
    precision: float,
    jobs: int,
    progress: Callable[[Standing], None] | None,
) -> Advice:
    """Value the candidates on more and more deals until the answer is certain enough, or all are dealt."""
    start, most, natural = time.monotonic(), dealer.most, natural_of(question.hand.cards, question.rules)
    own = question.own.subsets if question.own else None
    for valuation in stages(question.options, dealer, question.top + 1, jobs, own):
        decided = is_decided(valuation, natural, question.strategy, precision)
        answer = partial(question.answer, valuation, decided)
        if progress is not None:
            number, elapsed, at = len(valuation.totals), time.monotonic() - start, valuation.best
            units, stderr = float(valuation.mean[at]), float(valuation.sd[at] / np.sqrt(number))
            progress(Standing(number, most, units, stderr, elapsed, elapsed * (most / number - 1), answer))
        if decided and precision:
            break
    return answer()


def _quick(question: _Question, game: Game) -> Valuation:
    """Value candidates by a table, and the chances of their rows by the population that it keeps."""
    options, strategy, banker = question.options, question.strategy, question.banker
    check_units(strategy, game, banker)
    own, played = strategy.of(banker == "me"), sample(strategy, game, banker)
    each = own.worth(tuple(options.cards.tolist()), options.strengths // STEPS_OF_ORDER) + options.royalties[:, 3]
    units = each * played.paired.sum()
    shown = np.argsort(-units, kind="stable")[: question.top + 2].tolist()
    if question.own and question.own.subsets:
        shown.append(options.find(*question.own.subsets))
    return by_table(options, units, played, shown)


def _kept(
    keep: Mapping[str, tuple[int, ...] | str] | str | None, hand: Hand, graded: Arrangement | None
) -> dict[str, tuple[int, ...]]:
    """Return the cards that must stay in a row, by row."""
    if not keep:
        return {}
    if graded is not None:
        raise RequestError("keep: is for asking what is best, and cannot be used where an arrangement is graded")
    try:
        found = parse_rows(keep) if isinstance(keep, str) else dict(keep)
    except ArrangementError as error:
        raise RequestError(f"keep: {error}") from None
    kept = {row: parse_cards(cards, f"{row} card") if isinstance(cards, str) else cards for row, cards in found.items()}
    for row, cards in kept.items():
        if row not in ROWS:
            raise RequestError(f"keep: a row is front, middle or back, got {row!r}")
        if not cards:
            raise RequestError(f"keep: no cards are named for the {row}")
        if len(cards) > SIZES[ROWS.index(row)]:
            raise RequestError(f"keep: the {row} has {SIZES[ROWS.index(row)]} cards, got {len(cards)}")
        for card in cards:
            if card not in hand.cards:
                raise RequestError(f"keep: {card_name(card)} is not in the hand")
            if sum(list(other).count(card) for other in kept.values()) > 1:
                raise RequestError(f"keep: {card_name(card)} is named twice")
    return kept


def _graded(own: _Own, valuation: Valuation) -> Grade:
    """Return what the player's own arrangement gives up."""
    rules = valuation.table.deals.game.rules
    arrangement = as_laid(own.arrangement, rules)
    if own.subsets is None:
        if not valuation.measured:
            return Grade(arrangement, own.foul)
        units = valuation.table.deals.fouling()
        return Grade(arrangement, own.foul, *mean_and_error(units), *mean_and_error(valuation.totals - units))
    options = valuation.table.options
    at = options.find(*own.subsets)
    better = (valuation.mean > valuation.mean[at]) & ~options.beaten
    stronger = options.matches(at).tolist() if options.beaten[at] else []
    beaten = min(stronger, key=valuation.behind.__getitem__, default=None)
    found = replace(_candidate(at, valuation), arrangement=arrangement)
    return Grade(
        *(arrangement, None, found.units, found.stderr, found.behind or 0.0),
        behind_stderr=0.0 if at == valuation.best and valuation.measured else found.behind_stderr,
        candidate=found,
        rank=int(better.sum()) + 1,
        beaten=None if beaten is None else as_laid(Arrangement(*options.rows(beaten)), rules),
    )


def _candidate(at: int, valuation: Valuation) -> Candidate:
    """Return the record of one candidate."""
    rules = valuation.table.deals.game.rules
    arrangement = as_laid(Arrangement(*valuation.table.options.rows(at)), rules)
    fared = outcomes(valuation.table, at)
    names = row_names(arrangement, rules)
    rows = {row: RowOutlook(names[k], *fared.rows[k].tolist()) for k, row in enumerate(ROWS)}
    is_best = at == valuation.best
    values, counts = np.unique(valuation.table.totals(at), return_counts=True)
    return Candidate(
        arrangement=arrangement,
        units=float(valuation.mean[at]),
        stderr=valuation.stderr(at),
        sd=float(valuation.sd[at]),
        rows=rows,
        scoop=fared.scoop,
        scooped=fared.scooped,
        royalties=fared.royalties,
        distribution=tuple(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True)),
        behind=None if is_best else float(valuation.behind[at]),
        behind_stderr=None if is_best or not valuation.measured else float(valuation.behind_stderr[at]),
    )
