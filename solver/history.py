"""The hands of quizzes as a file keeps them, a JSON record a line, and what they say about a player's progress."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import msgspec

from solver.arrangements import Arrangement
from solver.cards import Hand
from solver.errors import CapsaError, RequestError
from solver.files import append_line, user_data

LATEST = 20
"""How many hands are compared with those before them."""

DAYS = 14
"""Over how many days progress is shown by the day; over more by the week."""

MOST_UNITS = 1e9
"""Far more than any rules can pay."""

ROUNDING = 1e-6
"""By how much an arrangement that is as good as the best can be found better."""

EARLIEST, LATEST_YEAR = 1970, 9998
"""Years of which there is a date in every time zone."""

WORST = 5
NATURAL, SURRENDER = "natural", "surrender"


@dataclass(frozen=True, kw_only=True)
class Played:
    """A hand of a quiz, how the player set it, and what that gave up.

    Attributes
    ----------
    time : datetime
        When it was graded, in UTC.
    version : str
        Of capsa.
    rules, fingerprint : str
        Name of the rule set, and what identifies all of it that matters for play.
    players, banker, opponents
        As the answer was asked for.
    filter : str
        Which hands were dealt.
    seed, number : int
        The quiz, and which of its hands; skipped ones count.
    hand, arrangement, best : str
        Cards; ``natural`` and ``surrender`` stand for declaring and surrendering.
    foul : bool
    units, behind, stderr : float
        Expected units, what was given up against the best, and the standard error of that.
    right : bool
        Whether nothing is known to be better.
    hints : int
        How many the player asked for.
    """

    time: datetime
    version: str
    rules: str
    fingerprint: str
    players: int
    banker: str | None
    opponents: str
    filter: str
    seed: int
    number: int
    hand: str
    arrangement: str
    foul: bool
    units: float
    best: str
    behind: float
    stderr: float
    right: bool
    hints: int = 0

    def __post_init__(self) -> None:
        Hand.parse(self.hand)
        for text in (self.arrangement, self.best):
            if text not in (NATURAL, SURRENDER):
                Arrangement.parse(text)
        if self.time.tzinfo is None:
            raise ValueError("time: no time zone")
        if not all(abs(number) <= MOST_UNITS for number in (self.units, self.behind, self.stderr)):
            raise ValueError(f"units: more than {MOST_UNITS:,.0f}")
        if min(self.behind + ROUNDING, self.stderr, self.hints) < 0 or self.players < 2:
            raise ValueError("a number is less than it can be")
        if not EARLIEST <= self.time.year <= LATEST_YEAR:
            raise ValueError(f"time: the year {self.time.year}")

    def line(self) -> bytes:
        """Return the record as a line of JSON, without its end."""
        return msgspec.json.encode(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the JSON shows it."""
        shown: dict[str, Any] = msgspec.json.decode(self.line())
        return shown


@dataclass(frozen=True)
class Tally:
    """What a number of hands gave up.

    Attributes
    ----------
    hands, right, fouls : int
    behind : float or None
        Units that were given up a hand, on average; None where there are no hands.
    stderr : float or None
        The standard error of that; None where there are fewer than two.
    """

    hands: int = 0
    right: int = 0
    fouls: int = 0
    behind: float | None = None
    stderr: float | None = None

    @classmethod
    def of(cls, played: Sequence[Played]) -> "Tally":
        """Count hands."""
        number, lost = len(played), [one.behind for one in played]
        mean = sum(lost) / number if number else None
        spread = sum((one - mean) ** 2 for one in lost) if mean is not None else 0.0
        stderr = sqrt(spread / (number - 1) / number) if number > 1 else None
        return cls(number, sum(one.right for one in played), sum(one.foul for one in played), mean, stderr)


@dataclass(frozen=True)
class Record:
    """A player's hands at tables of one kind, whose units can be compared.

    Attributes
    ----------
    rules, fingerprint, players, banker, opponents, filter
        The kind of table, and which hands were dealt.
    all, latest, before : Tally
        All hands; the latest of them, :data:`LATEST` at most; and those before the latest.
    change, change_stderr : float or None
        How much more the latest gave up a hand than those before; None where there are none before.
    step : str
        What a period is: ``day`` or ``week``.
    periods : tuple of (str, Tally)
        By the date at which each begins, in local time.
    worst : tuple of Played
        The hands that gave up most, :data:`WORST` at most.
    """

    rules: str
    fingerprint: str
    players: int
    banker: str | None
    opponents: str
    filter: str
    all: Tally
    latest: Tally
    before: Tally
    change: float | None
    change_stderr: float | None
    step: str
    periods: tuple[tuple[str, Tally], ...]
    worst: tuple[Played, ...]

    @classmethod
    def of(cls, played: Sequence[Played]) -> "Record":
        """Sum up hands of one kind, oldest first."""
        last, latest, before = played[-1], Tally.of(played[-LATEST:]), Tally.of(played[:-LATEST])
        change = error = None
        if latest.behind is not None and before.behind is not None:
            change = latest.behind - before.behind
            if latest.stderr is not None and before.stderr is not None:
                error = hypot(latest.stderr, before.stderr)
        dates = [one.time.astimezone().date() for one in played]
        weekly = (dates[-1] - dates[0]).days >= DAYS
        grouped = defaultdict(list)
        for one, date in zip(played, dates, strict=True):
            grouped[date - timedelta(date.weekday()) if weekly else date].append(one)
        lost = sorted((one for one in played if not one.right), key=lambda one: -one.behind)
        return cls(
            *(last.rules, last.fingerprint, last.players, last.banker, last.opponents, last.filter),
            *(Tally.of(played), latest, before, change, error, "week" if weekly else "day"),
            tuple((date.isoformat(), Tally.of(part)) for date, part in sorted(grouped.items())),
            tuple(lost[:WORST]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the JSON shows it."""
        shown = asdict(self)
        shown["periods"] = [{"from": start, **asdict(tally)} for start, tally in self.periods]
        shown["worst"] = [one.to_dict() for one in self.worst]
        return shown


@dataclass(frozen=True)
class Progress:
    """All that a history says.

    Attributes
    ----------
    hands : int
    records : tuple of Record
        By kind of table, the one with the most hands first.
    """

    hands: int
    records: tuple[Record, ...]

    @classmethod
    def of(cls, played: Iterable[Played]) -> "Progress":
        """Sum up hands in any order."""
        groups: dict[tuple[Any, ...], list[Played]] = defaultdict(list)
        for one in sorted(played, key=lambda one: one.time):
            groups[one.fingerprint, one.players, one.banker, one.opponents, one.filter].append(one)
        ranked = sorted(groups.values(), key=lambda group: (-len(group), group[-1].rules))
        return cls(sum(map(len, ranked)), tuple(map(Record.of, ranked)))

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``capsa quiz --stats --json`` prints it."""
        return {"schema": 1, "hands": self.hands, "tables": [record.to_dict() for record in self.records]}


class History:
    """A file that keeps hands."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else user_data() / "quiz.jsonl"

    def add(self, played: Played) -> None:
        """Append a hand.

        Raises
        ------
        OSError
            If that is not possible.
        """
        append_line(self.path, played.line())

    def read(self, note: Callable[[str], None]) -> list[Played]:
        """Return all hands that can be read, and say of each line that cannot where it stands; there may be no file.

        Raises
        ------
        RequestError
            If the file cannot be read.
        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise RequestError(f"{self.path}: cannot be read ({error.strerror})") from None
        found = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                found.append(msgspec.json.decode(line, type=Played))
            except (msgspec.DecodeError, CapsaError, UnicodeDecodeError, RecursionError) as error:
                note(f"{self.path}, line {number}: skipped, not a hand of a quiz ({error})")
        return found


def now() -> datetime:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)
