"""The quiz: which hands it deals, what a player may answer, and what his answer gives up.

Nothing here talks to anybody; :mod:`solver.commands.quiz` does.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot
from typing import Any

import numpy as np

from solver import __version__, history
from solver.advice import best
from solver.arrangements import ROWS, SIZES, Arrangement, parse_rows
from solver.cards import Hand, card_name, format_cards, parse_cards, plain
from solver.deals import Banker
from solver.errors import ArrangementError, CardError, RequestError
from solver.expectation import SURE
from solver.history import NATURAL, SURRENDER, Played
from solver.naturals import natural_of
from solver.opponents import find_strategy, say_on_stderr
from solver.records import Advice, Choice
from solver.rules import RuleSet
from solver.setters import Setter, setter
from solver.tables import lower

NOTHING = 0.01
"""Units given up that are none: to so many an answer is certain."""

NEXT, AFTER_NEXT, LEAST = 0.10, 0.15, 0.02
"""A close hand: by how much the next is behind at most, the one after it at most, and the next at least.

In the spread of the units of the best, so that it means the same under all rules and at all tables.
"""

TRAP = 0.05
"""A trap: what the rule of thumb gives up at least, in the same measure."""

RULE_OF_THUMB = "balanced"
MOST_DEALT = 5000
SCREENED, CONFIRMED = 1000, 5000
"""Deals that hands are looked at with: first, where opponents have no table of units, and then; at most."""

ANY = 1e9
"""A precision in units that the first deals reach."""

LONGEST_ANSWER = 1000
"""Characters that an answer can have: far more than anybody types, few enough to be read at once."""

SHOWN = 5
"""Alternatives in an answer."""

FILTERS: dict[str, tuple[str, ...]] = {
    "all": (),
    "close": ("close",),
    "trap": ("trap",),
    "hard": ("close", "trap"),
}

_ALONE = re.compile(r"(?<![^\s,|:])\d+(?![^\s,|])")
_NAMES = re.compile(r"[^|:\n]*:")


def in_order(hand: Hand) -> tuple[int, ...]:
    """Return the cards of a hand as a player sorts them: high to low, spades first."""
    return tuple(sorted(hand.cards, reverse=True))


def hands(seed: int) -> Iterator[Hand]:
    """Deal hands without end, those of ``capsa deal`` with the same seed."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    while True:
        yield Hand(tuple(rng.permutation(52)[:13].tolist()))


def parse_answer(text: str, hand: Hand) -> Arrangement:
    """Read how a player sets a hand.

    Parameters
    ----------
    text
        ``front | middle | back`` in any of the ways of :meth:`solver.arrangements.Arrangement.parse`, with the cards
        themselves or by their numbers in :func:`in_order`, from 1. One row may be left out or empty: it is the rest of
        the hand. Of two rows without names, three cards and five are front and middle, five and five are middle and
        back. Eight or thirteen cards need no separators.

    Raises
    ------
    ArrangementError, CardError
        If it cannot be read, or is no arrangement of this hand.

    Examples
    --------
    >>> hand = Hand.parse("As Ks Qs Qc 8s 8d 6s 6h 5c 4h 3d 2h 2d")
    >>> print(parse_answer("4 6 13 | 8 9 10 11 12", hand))
    Qc 8d 2d | 6h 5c 4h 3d 2h | As Ks Qs 8s 6s
    """
    if len(text) > LONGEST_ANSWER:
        raise ArrangementError(f"an answer has at most {LONGEST_ANSWER:,} characters, got {len(text):,}")
    clean = plain(text).replace("/", "|").replace(";", "|").strip()
    if "|" not in clean:
        clean = "|".join(line for line in clean.splitlines() if line.strip())
    clean = _by_cards(clean, in_order(hand))
    rows = parse_rows(clean) if ":" in clean else _in_turn(clean)
    _check_cards(rows, hand)
    missing = [row for row in ROWS if not rows.get(row)]
    if len(missing) > 1:
        alone = [f"the {row} alone" for row in ROWS if row not in missing]
        raise ArrangementError(f"one row can be left out, got {alone[0] if alone else 'no cards'}")
    for row, size in zip(ROWS, SIZES, strict=True):
        if missing and row not in missing and len(rows[row]) != size:
            raise ArrangementError(f"the {row} has {size} cards, got {len(rows[row])}: {format_cards(rows[row])}")
    if missing:
        given = {card for cards in rows.values() for card in cards}
        rows |= {missing[0]: tuple(card for card in in_order(hand) if card not in given)}
    return Arrangement(**rows)


def _by_cards(text: str, cards: tuple[int, ...]) -> str:
    """Return text with the cards in the place of their numbers."""
    words = [word for word in re.split(r"[\s,|]+", _NAMES.sub(" ", text)) if word]
    numbers = [word for word in words if word.isdecimal()]
    if not numbers:
        return text
    if len(numbers) < len(words):
        raise CardError(f"all by number or all as cards, got '{numbers[0]}' beside others (a card has a suit: 9h)")
    for word in numbers:
        if len(word) > 4 or not 1 <= int(word) <= len(cards):
            raise CardError(f"cards are numbered from 1 to {len(cards)}, got {word[:20]}")
        if numbers.count(word) > 1:
            raise CardError(f"number {word} stands twice ({card_name(cards[int(word) - 1])})")
    return _ALONE.sub(lambda found: card_name(cards[int(found[0]) - 1]), text)


def _in_turn(text: str) -> dict[str, tuple[int, ...]]:
    """Read rows without names."""
    parts = text.split("|")
    if len(parts) == 3:
        return {row: parse_cards(part, f"{row} card") for row, part in zip(ROWS, parts, strict=True)}
    found = [parse_cards(part) for part in parts]
    sizes = [len(cards) for cards in found]
    if sizes in ([8], [13]):
        cards = found[0]
        return {"front": cards[:3], "middle": cards[3:8], "back": cards[8:]}
    if sizes == [3, 5]:
        return dict(zip(ROWS[:2], found, strict=True))
    if sizes == [5, 5]:
        return dict(zip(ROWS[1:], found, strict=True))
    expected = "front | middle | back, or 3 | 5 cards, or 5 | 5, and the rest is implied"
    raise ArrangementError(f"expected {expected}, got {' | '.join(map(str, sizes))}")


def _check_cards(rows: dict[str, tuple[int, ...]], hand: Hand) -> None:
    """Refuse cards that are not in the hand, or stand in two rows."""
    places: dict[int, str] = {}
    for row, cards in rows.items():
        for card in cards:
            if card not in hand.cards:
                raise CardError(f"{card_name(card)} is not in your hand")
            if card in places:
                raise CardError(f"{card_name(card)} stands in the {places[card]} and in the {row}")
            places[card] = row


@dataclass(frozen=True)
class Verdict:
    """What an answer gives up.

    Attributes
    ----------
    answer : Arrangement or str
        As it was laid; or ``natural``, or ``surrender``.
    best : Arrangement or str
        What would have been best.
    units, behind, stderr : float
        Expected units in total against all opponents, what is given up against the best, and the standard error of
        that.
    advice : Advice
        All that was found out, with the grade where rows were played.
    """

    answer: Arrangement | str
    best: Arrangement | str
    units: float
    behind: float
    stderr: float
    advice: Advice

    @property
    def foul(self) -> str | None:
        """Why the rows are a foul."""
        return self.advice.graded.foul if self.advice.graded else None

    @property
    def right(self) -> bool:
        """Whether nothing is known to be better: what is given up is next to nothing, or within three errors of it."""
        return self.foul is None and self.behind <= max(NOTHING, SURE * self.stderr)

    @classmethod
    def of(cls, answer: Arrangement | str, advice: Advice) -> "Verdict":
        """Judge an answer by an advice, which grades it where it is an arrangement.

        A natural and surrender are measured against the best rows, as the grade is; so are these by what they give up
        against each other.
        """
        choices: dict[str, Choice | None] = {NATURAL: advice.natural, SURRENDER: advice.surrender}
        advised = next((name for name, choice in choices.items() if choice and choice.advised), None)
        target: Arrangement | str = advised or advice.best.arrangement
        reference = choices[advised] if advised else None
        lead, lead_error = (reference.margin, reference.margin_stderr or 0.0) if reference else (0.0, 0.0)
        if isinstance(answer, str):
            own = choices[answer]
            assert own is not None, "only what the hand and the rules allow is answered"
            units, margin, error = own.units, own.margin, own.margin_stderr or 0.0
        else:
            grade = advice.graded
            assert grade is not None and grade.units is not None and grade.behind is not None
            answer = grade.arrangement
            units, margin, error = grade.units, -grade.behind, grade.behind_stderr or 0.0
        if answer == target:
            return cls(answer, target, units, 0.0, 0.0, advice)
        return cls(answer, target, units, lead - margin, hypot(lead_error, error), advice)


@dataclass(frozen=True)
class Dealt:
    """A hand to set.

    Attributes
    ----------
    number : int
        Which hand of the seed's that is shown.
    hand : Hand
    natural : bool
        Whether it holds one that can be declared.
    """

    number: int
    hand: Hand
    natural: bool


@dataclass
class Quiz:
    """Deals hands at a table and judges how they are set.

    Attributes
    ----------
    rules, players, banker, opponents, deals, precision, jobs, overrides
        As :func:`solver.advice.best` takes them.
    seed : int
        Of the hands; those of the deals that value them are :func:`solver.advice.best`'s own.
    filter : str
        Which hands are dealt: ``all``; ``close`` ones, where several arrangements are nearly as good as the best; a
        ``trap``, where the rule of thumb, the strategy ``balanced``, gives up much; or ``hard`` ones, which are
        either.
    """

    rules: RuleSet
    players: int = 2
    banker: Banker | None = None
    opponents: str = "equilibrium"
    deals: int = 20_000
    precision: float = 0.0
    jobs: int | None = None
    seed: int = 0
    filter: str = "all"
    overrides: dict[str, Any] = field(default_factory=dict)
    say: Callable[[str], None] = say_on_stderr

    def __post_init__(self) -> None:
        if self.filter not in FILTERS:
            raise RequestError(f"filter: {', '.join(FILTERS)}, got {self.filter!r}")
        if self.seed < 0:
            raise RequestError(f"seed: zero or a positive integer, got {self.seed}")
        self.rules.check_players(self.players)
        strategy = find_strategy(self.opponents, self.rules, self.players, jobs=self.jobs, say=self.say)
        self._has_table = len(strategy.population) > 0

    @cached_property
    def _thumb(self) -> Setter:
        """Who sets hands by the rule of thumb."""
        return setter(RULE_OF_THUMB, lower(self.rules, self.players), 1, 1.0, True, self.say)

    def advise(self, hand: Hand, graded: Arrangement | None = None, **options: Any) -> Advice:
        """Return the best arrangement of a hand at this table."""
        asked: dict[str, Any] = {
            "rules": self.rules,
            "players": self.players,
            "banker": self.banker,
            "opponents": self.opponents,
            "deals": self.deals,
            "precision": self.precision,
            "jobs": self.jobs,
            "top": SHOWN,
            "overrides": self.overrides,
            "say": self.say,
        }
        return best(hand, graded=graded, **asked | options)

    def judge(self, answer: Arrangement | str, hand: Hand, **options: Any) -> Verdict:
        """Return what an answer gives up."""
        rows = answer if isinstance(answer, Arrangement) else None
        return Verdict.of(answer, self.advise(hand, rows, **options))

    def warm_up(self) -> None:
        """Load and compile all that an answer needs, and refuse what no answer can be asked with."""
        self.advise(next(hands(self.seed)), precision=self.precision + ANY)

    def dealt(self, looked_at: Callable[[int], None] = lambda number: None) -> Iterator[Dealt]:
        """Deal hands that pass the filter.

        Hands that hold a natural which must be declared leave no choice and are not dealt.

        Parameters
        ----------
        looked_at
            Called with the number of hands that were looked at since the last one was dealt.

        Raises
        ------
        RequestError
            If none passes for too long.
        """
        number = passed_over = 0
        for hand in hands(self.seed):
            natural = natural_of(hand.cards, self.rules) is not None
            if (natural and not self.rules.naturals.may_decline) or not self.passes(hand):
                passed_over += 1
                looked_at(passed_over)
                if passed_over >= MOST_DEALT:
                    raise RequestError(f"filter: no hand is '{self.filter}' among {MOST_DEALT:,} at this table")
                continue
            number, passed_over = number + 1, 0
            yield Dealt(number, hand, natural)

    def passes(self, hand: Hand) -> bool:
        """Whether a hand is one of those that the filter asks for: by a quick look first, then by deals."""
        if self.filter == "all":
            return True
        first = {"quick": True} if self._has_table else {"deals": min(SCREENED, self.deals)}
        return self._is_hard(hand, first) and self._is_hard(hand, {"deals": min(CONFIRMED, self.deals)})

    def _is_hard(self, hand: Hand, options: dict[str, Any]) -> bool:
        tests = FILTERS[self.filter]
        advice = self.advise(hand, self.rule_of_thumb(hand) if "trap" in tests else None, top=2, **options)
        if any(choice is not None and choice.advised for choice in (advice.natural, advice.surrender)):
            return False
        return ("close" in tests and is_close(advice)) or ("trap" in tests and is_trap(advice))

    def rule_of_thumb(self, hand: Hand) -> Arrangement | None:
        """Return how the rule of thumb sets a hand; None where it would surrender it."""
        setting = next(self._thumb.settings(np.array([sorted(hand.cards)])))
        return setting.player.arrangement

    def record(self, dealt: Dealt, verdict: Verdict, hints: int = 0) -> Played:
        """Return what the history keeps of a hand."""
        return Played(
            time=history.now(),
            version=__version__,
            rules=self.rules.name,
            fingerprint=self.rules.fingerprint(),
            players=self.players,
            banker=verdict.advice.banker,
            opponents=self.opponents,
            filter=self.filter,
            seed=self.seed,
            number=dealt.number,
            hand=format_cards(in_order(dealt.hand)),
            arrangement=str(verdict.answer),
            foul=verdict.foul is not None,
            units=verdict.units,
            best=str(verdict.best),
            behind=verdict.behind,
            stderr=verdict.stderr,
            right=verdict.right,
            hints=hints,
        )


def is_close(advice: Advice) -> bool:
    """Whether the best is ahead, but several others are near: less than a tenth of a hand's spread behind."""
    behind = [(one.behind or 0.0) / advice.best.sd for one in advice.alternatives[:2]] if advice.best.sd else []
    return len(behind) == 2 and LEAST <= behind[0] <= NEXT and behind[1] <= AFTER_NEXT


def is_trap(advice: Advice) -> bool:
    """Whether the arrangement that is graded, as the rule of thumb sets the hand, gives up much."""
    grade = advice.graded
    return grade is not None and grade.behind is not None and grade.behind >= TRAP * advice.best.sd > 0
