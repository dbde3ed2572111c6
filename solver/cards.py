"""Cards, and the text that people write for them.

A card is the integer ``4 * rank + suit`` with ranks 0 (deuce) to 12 (ace) and suits 0 (clubs), 1 (diamonds), 2 (hearts)
and 3 (spades). This module reads and prints cards and checks that thirteen of them are a hand; it knows no poker.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from solver.errors import CardError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = range(52)
RANK_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")

_RANK_OF = {name: rank for rank, name in enumerate(RANKS)} | {"10": 8}
_SYMBOLS = ("♣♧", "♦♢", "♥♡", "♠♤")
_SUIT_OF = {name: suit for suit, name in enumerate(SUITS)} | {
    symbol: suit for suit, both in enumerate(_SYMBOLS) for symbol in both
}
# Variation selectors, the marks of direction and of joining that keyboards and chats put around text, and that of byte
# order with which files begin.
_UNSEEN = dict.fromkeys(
    (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), *range(0xFE00, 0xFE10), 0x061C, 0xFEFF)
)
_SUIT_CLASS = "cdhsCDHS" + "".join(_SYMBOLS)
_BETWEEN = r"\s,、"
_TOKEN = re.compile(rf"[^{_BETWEEN}{_SUIT_CLASS}]*[{_SUIT_CLASS}]|[^{_BETWEEN}{_SUIT_CLASS}]+")

_RANK_HELP = "use 2-9, T or 10, J, Q, K, A"
_SUIT_HELP = "use c, d, h, s or ♣ ♦ ♥ ♠"


def plain(text: str) -> str:
    """Return text as it is read: what Chinese and Japanese keyboards write in full width is narrow, nothing is unseen.

    Examples
    --------
    >>> plain("\u200fＡ♠\ufe0f，　１０ｈ")
    'A♠, 10h'
    """  # noqa: RUF002 (that is the example)
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_UNSEEN)


def parse_card(text: str) -> int:
    """Return the card that ``text`` names, as in ``As``, ``10h`` or ``Q♦``.

    Raises
    ------
    CardError
        If the rank or the suit is missing or unknown.

    Examples
    --------
    >>> parse_card("As"), parse_card("10♥"), parse_card("2C")
    (51, 34, 0)
    """
    clean = plain(text)
    shown = repr(text if len(text) <= 20 else text[:20] + "...")
    suit = _SUIT_OF.get(clean[-1:].lower())
    if suit is None:
        problem = "no suit" if clean.upper() in _RANK_OF else "unknown suit"
        raise CardError(f"{problem} in {shown} ({_SUIT_HELP})")
    rank = _RANK_OF.get(clean[:-1].upper())
    if rank is None:
        problem = "unknown rank" if clean[:-1] else "no rank"
        raise CardError(f"{problem} in {shown} ({_RANK_HELP})")
    return 4 * rank + suit


def card_name(card: int) -> str:
    """Return the two characters that print a card.

    Examples
    --------
    >>> card_name(51)
    'As'
    """
    return RANKS[card >> 2] + SUITS[card & 3]


def card_words(card: int) -> str:
    """Return a card in words.

    Examples
    --------
    >>> card_words(51)
    'ace of spades'
    """
    return f"{RANK_WORDS[card >> 2]} of {SUIT_WORDS[card & 3]}"


def format_cards(cards: Iterable[int]) -> str:
    """Return cards as text, separated by spaces."""
    return " ".join(map(card_name, cards))


def parse_cards(text: str, what: str = "card") -> tuple[int, ...]:
    """Return the distinct cards in ``text``, separated by spaces, commas or nothing, in the order written.

    Parameters
    ----------
    text
        The cards; upper or lower case, suits as letters or symbols.
    what
        What the errors call one of them.

    Raises
    ------
    CardError
        If something is no card, or a card stands twice; the message names its position.

    Examples
    --------
    >>> format_cards(parse_cards("AsKd, 10h 2♣"))
    'As Kd Th 2c'
    """
    tokens = _TOKEN.findall(plain(text))
    cards: list[int] = []
    for place, token in enumerate(tokens, start=1):
        try:
            card = parse_card(token)
        except CardError as error:
            raise CardError(f"{what} {place} of {len(tokens)}: {error}") from None
        if card in cards:
            raise CardError(
                f"{what} {place} of {len(tokens)}: {card_name(card)} is already {what} {cards.index(card) + 1}"
            )
        cards.append(card)
    return tuple(cards)


@dataclass(frozen=True, slots=True)
class Hand:
    """Thirteen distinct cards, in the order in which they were given.

    Raises
    ------
    CardError
        If they are not thirteen distinct card ids.

    Examples
    --------
    >>> str(Hand.parse("2c3c4c5c6c7c8c9cTcJcQcKcAc"))
    '2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac'
    >>> Hand.parse("As Kd")
    Traceback (most recent call last):
    solver.errors.CardError: a hand has 13 cards, got 2: As Kd
    """

    cards: tuple[int, ...]

    def __post_init__(self) -> None:
        for place, card in enumerate(self.cards, start=1):
            if type(card) is not int or card not in DECK:
                raise CardError(
                    f"card {place} of {len(self.cards)}: a card id is an integer from 0 to 51, got {card!r}"
                )
        if len(self.cards) != 13:
            raise CardError(f"a hand has 13 cards, got {len(self.cards)}: {format_cards(self.cards) or 'nothing'}")
        if len(set(self.cards)) != 13:
            twice = next(card for card in self.cards if self.cards.count(card) > 1)
            raise CardError(f"{card_name(twice)} stands twice in the hand: {format_cards(self.cards)}")

    @classmethod
    def parse(cls, text: str) -> "Hand":
        """Read a hand from text, as :func:`parse_cards` does."""
        return cls(parse_cards(text))

    def __str__(self) -> str:
        return format_cards(self.cards)

    def _repr_svg_(self) -> str:
        """Return the cards as notebooks show them."""
        from solver.card_pictures import cards_row
        from solver.svg import document

        drawn, width, height = cards_row(self.cards)
        return document(drawn, width, height, ", ".join(map(card_words, self.cards)))
