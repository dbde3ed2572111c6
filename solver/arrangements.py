"""Arrangements of thirteen cards into front, middle and back, and which of them are legal."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from solver.cards import DECK, SUITS, Hand, card_name, card_words, format_cards, parse_cards, plain
from solver.errors import ArrangementError, CardError
from solver.ranks import Key, describe, five_key, lead_rank, low_key, three_key
from solver.rules import RuleSet

ROWS = ("front", "middle", "back")
SIZES = (3, 5, 5)

_WORDS = {
    "front": "front top head depan جلو سامنے フロント 头道 頭道 chi-đầu",
    "middle": "middle tengah وسط درمیانی ミドル 中道 chi-giữa",
    "back": "back bottom tail belakang پشت پیچھے バック 尾道 chi-cuối",
}
_ROW_OF = {word.replace("-", " "): row for row, words in _WORDS.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Thirteen cards in rows of 3, 5 and 5, legal or not.

    Raises
    ------
    ArrangementError
        If a row has another number of cards.
    CardError
        If a card stands twice.

    Examples
    --------
    >>> print(Arrangement.parse("QhQd7c / QcQs9d8d2c / KsKcKd3s3h"))
    Qh Qd 7c | Qc Qs 9d 8d 2c | Ks Kc Kd 3s 3h
    """

    front: tuple[int, ...]
    middle: tuple[int, ...]
    back: tuple[int, ...]

    def __post_init__(self) -> None:
        for row in ROWS:
            object.__setattr__(self, row, tuple(self.row(row)))
            for card in self.row(row):
                if type(card) is not int or card not in DECK:
                    raise CardError(f"the {row}: a card id is an integer from 0 to 51, got {card!r}")
        sizes = tuple(len(self.row(row)) for row in ROWS)
        if sizes == SIZES[::-1]:
            raise ArrangementError(f"the rows have 5, 5 and 3 cards: write the front of three first ({self})")
        for row, size, found in zip(ROWS, SIZES, sizes, strict=True):
            if found != size:
                raise ArrangementError(
                    f"the {row} has {size} cards, got {found}: {format_cards(self.row(row)) or 'nothing'}"
                )
        places: dict[int, str] = {}
        for row in ROWS:
            for card in self.row(row):
                if card in places:
                    raise CardError(f"{card_name(card)} stands in the {places[card]} and in the {row}: {self}")
                places[card] = row

    @classmethod
    def parse(cls, text: str) -> "Arrangement":
        """Read ``front | middle | back``; ``/`` separates too, and so do line breaks where neither is used.

        Rows may also be named, in any order: ``back: ... | front: ... | middle: ...``, and by the words that players
        use for them, as in ``top: ...``; then ``;`` separates, too.
        """
        if ":" in plain(text):
            rows = parse_rows(text)
            if missing := [row for row in ROWS if row not in rows]:
                raise ArrangementError(
                    f"the {' and the '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: {_shown(text)}"
                )
            return cls(**rows)
        parts = _parts(text)
        if len(parts) != 3:
            expected = "three rows as front | middle | back (/ or line breaks separate too)"
            raise ArrangementError(f"expected {expected}, got {len(parts)}: {_shown(text)}")
        return cls(*(parse_cards(part, f"{row} card") for row, part in zip(ROWS, parts, strict=True)))

    def row(self, name: str) -> tuple[int, ...]:
        """Return the cards of a row by its name."""
        cards: tuple[int, ...] = getattr(self, name)
        return cards

    @property
    def hand(self) -> Hand:
        """The thirteen cards."""
        return Hand(self.front + self.middle + self.back)

    def __str__(self) -> str:
        return " | ".join(format_cards(self.row(row)) for row in ROWS)

    def _repr_svg_(self) -> str:
        """Return the rows as notebooks show them: as a player lays them."""
        from solver.card_pictures import laid
        from solver.svg import document

        return document(*laid([self.row(row) for row in ROWS]), arrangement_words(self))


def arrangement_words(arrangement: Arrangement) -> str:
    """Return an arrangement as it is read aloud."""
    return "; ".join(f"{row}: {', '.join(map(card_words, arrangement.row(row)))}" for row in ROWS)


def parse_rows(text: str) -> dict[str, tuple[int, ...]]:
    """Read rows, or some cards of them, by their names: ``back: As Ks | front: Qd``; ``;`` separates, too.

    Raises
    ------
    ArrangementError
        If a name is unknown or missing, or a row is named twice.
    CardError
        If something is no card.
    """
    rows: dict[str, tuple[int, ...]] = {}
    for part in _parts(plain(text).replace(";", "|")):
        name, colon, cards = part.partition(":")
        row = _ROW_OF.get(" ".join(name.split()).casefold())
        if not colon or row is None:
            raise ArrangementError(f"expected front:, middle: or back: before the cards, got {_shown(part)}")
        if row in rows:
            raise ArrangementError(f"the {row} is named twice: {_shown(text)}")
        rows[row] = parse_cards(cards, f"{row} card")
    return rows


def _parts(text: str) -> list[str]:
    """Split text where rows are separated."""
    parts = plain(text).replace("/", "|").split("|")
    return parts if len(parts) > 1 else [line for line in parts[0].splitlines() if line.strip()]


def _shown(text: str) -> str:
    """Return text as an error shows it."""
    return repr(text.strip() if len(text) <= 80 else text[:77].strip() + "...")


def row_key(cards: tuple[int, ...], wheel: str) -> Key:
    """Return the key of a row of three or five cards, which orders rows of its size by strength."""
    ranks = [card >> 2 for card in cards]
    if len(cards) == 3:
        return three_key(ranks)
    return five_key(ranks, len({card & 3 for card in cards}) == 1, wheel)


def row_keys(arrangement: Arrangement, wheel: str) -> tuple[Key, Key, Key]:
    """Return the keys of front, middle and back."""
    return row_key(arrangement.front, wheel), row_key(arrangement.middle, wheel), row_key(arrangement.back, wheel)


def highest_suit(cards: tuple[int, ...], rank: int, suits: str) -> int:
    """Return the place in ``suits``, lowest first, of the highest suit among the cards of a rank."""
    return max(suits.index(SUITS[card & 3]) for card in cards if card >> 2 == rank)


def contest_keys(arrangement: Arrangement, rules: RuleSet) -> tuple[tuple[Key, int], ...]:
    """Return what front, middle and back are compared by with the rows of another player; the greater wins.

    That is the row's key, the deuce-to-seven one for a middle played so, and the place of its suit where suits break
    ties (the lower suit is the better one in a deuce-to-seven middle, as the lower hand is).
    """
    suits = rules.ranking.suits
    found = []
    for row in ROWS:
        cards = arrangement.row(row)
        low = row == "middle" and rules.ranking.middle == "deuce-to-seven"
        wheel = _wheel(row, rules)
        key, sign = row_key(cards, wheel), 1
        lead = lead_rank(key, wheel)
        if low:
            key, sign = low_key([card >> 2 for card in cards], len({card & 3 for card in cards}) == 1), -1
        found.append((key, sign * highest_suit(cards, lead, suits) if suits else 0))
    return tuple(found)


def _wheel(row: str, rules: RuleSet) -> str:
    """Return where A-2-3-4-5 ranks in a row; in a deuce-to-seven middle the ace is high."""
    return "second" if row == "middle" and rules.ranking.middle == "deuce-to-seven" else rules.ranking.wheel


def row_names(arrangement: Arrangement, rules: RuleSet) -> tuple[str, str, str]:
    """Return the hands of front, middle and back in words."""
    front, middle, back = row_keys(arrangement, rules.ranking.wheel)
    if rules.ranking.middle == "deuce-to-seven":
        suited = len({card & 3 for card in arrangement.middle}) == 1
        category, ranks = low_key([card >> 2 for card in arrangement.middle], suited)
        middle = -category, tuple(-rank for rank in ranks)
    return describe(front), describe(middle), describe(back)


def ordered(cards: tuple[int, ...], wheel: str) -> tuple[int, ...]:
    """Return cards as a player lays them: pairs and better first, then high to low; a low wheel's ace last."""
    ranks = [card >> 2 for card in cards]
    low_ace = wheel == "lowest" and set(ranks) == {12, 0, 1, 2, 3}

    def place(card: int) -> tuple[int, int, int]:
        rank = card >> 2
        return -ranks.count(rank), 1 if low_ace and rank == 12 else -rank, -(card & 3)

    return tuple(sorted(cards, key=place))


def as_laid(arrangement: Arrangement, rules: RuleSet) -> Arrangement:
    """Return an arrangement with the cards of each row as a player lays them."""
    return Arrangement(*(ordered(arrangement.row(row), _wheel(row, rules)) for row in ROWS))


def foul_reason(arrangement: Arrangement, rules: RuleSet) -> str | None:
    """Return why an arrangement is a foul, naming both rows, or None where it is legal.

    A front beats a middle by category, then by its ranks in order of importance; where the three cards tie, the
    middle's two further cards make it at least as strong. With a deuce-to-seven middle only the front and the back
    have an order.
    """
    wheel = rules.ranking.wheel
    front, middle, back = row_keys(arrangement, wheel)
    if rules.ranking.middle == "deuce-to-seven":
        if front > (back[0], back[1][: len(front[1])]):
            return f"the front ({describe(front, wheel)}) beats the back ({describe(back, wheel)})"
        return None
    if front > (middle[0], middle[1][: len(front[1])]):
        return f"the front ({describe(front, wheel)}) beats the middle ({describe(middle, wheel)})"
    if middle > back:
        return f"the middle ({describe(middle, wheel)}) beats the back ({describe(back, wheel)})"
    return None


def legal_arrangements(hand: Hand, rules: RuleSet) -> Iterator[Arrangement]:
    """Yield the legal ones among all 72,072 splits of a hand, by plain enumeration."""
    cards = tuple(sorted(hand.cards))
    for front in combinations(cards, 3):
        left = [card for card in cards if card not in front]
        for middle in combinations(left, 5):
            found = Arrangement(front, middle, tuple(card for card in left if card not in middle))
            if foul_reason(found, rules) is None:
                yield found
