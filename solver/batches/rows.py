"""Chunks of hands as text, and the rows that answer them as JSON lines.

A row is an object with the keys of :data:`COLUMNS`, and then what was kept of the input. Units are rounded to six
decimals and printed as the shortest number that reads back the same, so rows do not depend on the last bits of a
machine's arithmetic. What cannot be answered has an error, and null elsewhere.

Chunks and results are plain data, and :func:`answer_rows` is a plain function: they can be sent to other processes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import msgspec
import numpy as np

from solver.answers import Answerer, Answers, Request
from solver.cards import RANKS, SUITS, Hand
from solver.errors import CardError
from solver.opponents import say_on_stderr
from solver.parcels import Parcel
from solver.questions import check_apart
from solver.tables import Array

COLUMNS = ("hand", "front", "middle", "back", "units", "stderr", "deals", "error")
DECIMALS = 6


class Position(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where in the input the next record begins.

    Attributes
    ----------
    offset : int
        Bytes before it, or rows of a parquet file.
    line : int
        The number of its line, or row, from 1.
    crc : int
        CRC-32 of all bytes before it; 0 in a parquet file.
    """

    offset: int = 0
    line: int = 1
    crc: int = 0


@dataclass(frozen=True)
class Chunk:
    """Some records of the input in their order.

    Attributes
    ----------
    hands : list of str or None
        As they were written; None where there is none.
    kept : list of str
        The other columns of each record as they end a row: ``, "name": value`` for each.
    faults : dict of int to str
        Records that cannot be answered, whatever their hand, and why.
    numbers : list of int
        The lines on which they begin.
    end : Position
        Of what follows.
    """

    hands: list[str | None] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)
    numbers: Sequence[int] = ()
    end: Position = field(default_factory=Position)


@dataclass(frozen=True)
class Rows:
    """The rows of a chunk, encoded.

    Attributes
    ----------
    data : bytes
    number, failed : int
        How many, and how many of them have an error.
    first : (int, str) or None
        The line of the first that has one, and its error.
    before : int
        Bytes before that row.
    end : Position
        Where the input goes on.
    """

    data: bytes
    number: int
    failed: int
    first: tuple[int, str] | None
    before: int
    end: Position


def _codes(names: str) -> Array:
    """Return the place of each character in ``names``, in either case, by its byte; 255 for all others."""
    found = np.full(256, 255, np.uint8)
    for place, name in enumerate(names):
        found[[ord(name.lower()), ord(name.upper())]] = place
    return found


_RANK_CODES, _SUIT_CODES = _codes(RANKS), _codes(SUITS)
_RANK_BYTES, _SUIT_BYTES = (np.frombuffer(names.encode(), np.uint8) for names in (RANKS, SUITS))
_WIDTHS = {38: 3, 26: 2}
"""Characters of a hand with and without spaces, and of a card in each."""

_ROWS_TEXT = ', "front": "@@ @@ @@", "middle": "@@ @@ @@ @@ @@", "back": "@@ @@ @@ @@ @@", "units": '
_TEMPLATE = np.frombuffer(_ROWS_TEXT.encode(), np.uint8)
_PLACES = np.flatnonzero(np.isin(_TEMPLATE, ord("@")))[::2]


def _read_plain(texts: list[str], cards: Array) -> Array:
    """Read the hands that are written plainly, as ``As Kd ...`` or ``AsKd...``, all at once.

    Returns
    -------
    (n,) bool
        Which hands those are; their cards are written into ``cards``.
    """
    read = np.zeros(len(texts), bool)
    for width, step in _WIDTHS.items():
        at = np.array([k for k, text in enumerate(texts) if len(text) == width], np.intp)
        if not len(at):
            continue
        text = "".join([texts[k] for k in at.tolist()])
        block = np.frombuffer(text.encode("ascii", "replace"), np.uint8).reshape(-1, width)
        ranks, suits = _RANK_CODES[block[:, ::step]], _SUIT_CODES[block[:, 1::step]]
        good = ((ranks < 13) & (suits < 4)).all(axis=1)
        if step == 3:
            good &= (block[:, 2::3] == ord(" ")).all(axis=1)
        found = (ranks & 15) * 4 + (suits & 3)
        masks = np.bitwise_or.reduce(np.uint64(1) << found.astype(np.uint64), axis=1)
        good &= np.bitwise_count(masks) == 13
        cards[at[good]] = found[good]
        read[at[good]] = True
    return read


def read_hands(hands: list[str | None], faults: dict[int, str]) -> tuple[Array, Array]:
    """Read hands, and say in ``faults`` what is wrong with those that are none.

    Returns
    -------
    (n, 13) uint8
        Their cards, as they are written.
    (n,) bool
        Which hands are written plainly.
    """
    cards = np.zeros((len(hands), 13), np.uint8)
    plain = _read_plain([hand or "" for hand in hands], cards)
    for k in np.flatnonzero(~plain).tolist():
        hand = hands[k]
        if k in faults:
            continue
        if hand is None:
            faults[k] = "no hand"
            continue
        try:
            cards[k] = Hand.parse(hand).cards
        except CardError as error:
            faults[k] = str(error)
    return cards, plain


def _find_dead(cards: Array, dead: tuple[int, ...], faults: dict[int, str]) -> None:
    """Say in ``faults`` which hands hold cards that are out of play."""
    for k in np.flatnonzero(np.isin(cards, dead).any(axis=1)).tolist():
        try:
            check_apart(dead, cards[k].tolist())
        except CardError as error:
            faults.setdefault(k, str(error))


def _quoted(text: str | None) -> str:
    return msgspec.json.encode(text).decode()


def _numbers(values: Array) -> list[str]:
    """Return numbers as JSON prints them, null for nan."""
    rounded = (np.round(values, DECIMALS) + 0.0).tolist()  # no negative zero
    return [repr(value) if value == value else "null" for value in rounded]


def _encoded(chunk: Chunk, plain: Array, faults: dict[int, str], at: Array, answers: Answers) -> list[str]:
    """Return the rows of a chunk, whose hands ``at`` are answered."""
    rows = [""] * len(chunk.hands)
    for k, error in faults.items():
        nothing = "".join([f', "{name}": null' for name in COLUMNS[1:-1]])
        rows[k] = f'{{"hand": {_quoted(chunk.hands[k])}{nothing}, "error": {_quoted(error)}{chunk.kept[k]}}}\n'
    block = np.tile(_TEMPLATE, (len(at), 1))
    block[:, _PLACES] = _RANK_BYTES[answers.cards >> 2]
    block[:, _PLACES + 1] = _SUIT_BYTES[answers.cards & 3]
    text, width, start = block.tobytes().decode(), len(_TEMPLATE), 0
    numbers = zip(_numbers(answers.units), _numbers(answers.stderr), answers.deals.tolist(), strict=True)
    for k, is_plain, (units, stderr, deals) in zip(at.tolist(), plain[at].tolist(), numbers, strict=True):
        hand = chunk.hands[k]
        shown = f'"{hand}"' if is_plain else _quoted(hand)
        laid, start = text[start : start + width], start + width
        rows[k] = (
            f'{{"hand": {shown}{laid}{units}, "stderr": {stderr}, "deals": {deals}, "error": null{chunk.kept[k]}}}\n'
        )
    return rows


def answer_rows(request: Request, threads: int, chunk: Chunk) -> Rows:
    """Answer a chunk of hands."""
    faults = dict(chunk.faults)
    cards, plain = read_hands(chunk.hands, faults)
    if request.dead:
        _find_dead(cards, request.dead, faults)
    answered = np.ones(len(cards), bool)
    answered[list(faults)] = False
    at = np.flatnonzero(answered)
    answers = answerer(request, threads).answer(cards[at].astype(np.int64))
    rows = _encoded(chunk, plain, faults, at, answers)
    first = min(faults) if faults else len(rows)
    return Rows(
        data="".join(rows).encode(),
        number=len(rows),
        failed=len(faults),
        first=(chunk.numbers[first], faults[first]) if faults else None,
        before=len("".join(rows[:first]).encode()) if faults else 0,
        end=chunk.end,
    )


def answer_elsewhere(parcel: Parcel, request: Request, threads: int, chunk: Chunk) -> Rows:
    """Answer a chunk of hands in a process that needs to be sent the opponents' strategy."""
    return answer_rows(replace(request, opponents=parcel.open()), threads, chunk)


MOST_KEPT = 4
"""Answerers that a process keeps: a worker can serve several batches at a time, and pools of hands take long to set."""

_KEPT: list[tuple[Request, int, Answerer]] = []
_MAKING = Lock()


def answerer(request: Request, threads: int, say: Callable[[str], None] = say_on_stderr) -> Answerer:
    """Return who answers a request, made once in a process: its tables and pool of hands serve all chunks."""
    with _MAKING:
        for kept in _KEPT:
            asked, jobs, found = kept
            if asked == request and jobs == threads:
                break
        else:
            found = Answerer(request, threads, say)
            kept = request, threads, found
        _KEPT[:] = [kept, *(one for one in _KEPT if one is not kept)][:MOST_KEPT]
        return found
