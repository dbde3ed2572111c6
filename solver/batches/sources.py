"""Text files of hands, read record by record from any place.

Text is UTF-8, with or without a byte order mark. A record of CSV and of JSON lines has its hand in the column ``hand``,
and its other columns are kept; any other text has a hand a line.
"""

import codecs
import csv
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from solver.batches.rows import COLUMNS, Chunk, Position
from solver.errors import RequestError

LONGEST_LINE = 1 << 20
SHOWN_OF_LONGEST = 100
CUT = b" ...\n\n"
"""Ends what is left of a line that is too long, as no other line does."""

TOO_LONG = f"longer than {LONGEST_LINE:,} bytes, so no hand"
CHUNK_BYTES = 4 << 20
"""Input that a chunk does not go beyond, whatever its number of records."""

NO_UTF8 = "no UTF-8 text: save the file as UTF-8"

Record = tuple[int, str | None, str, str]
"""The line of a record, its hand, its other columns as they end a row, and why it cannot be answered."""


def json_text(value: Any) -> str:
    """Return a value as JSON."""
    return msgspec.json.encode(value).decode()


class Source:
    """A file of hands.

    Attributes
    ----------
    name : str
        What errors call it.
    columns : tuple of str
        Those beside the hand, as far as they are known before the records are read.
    identity : dict
        What tells it from another file; without a size where it is a stream.
    """

    name: str
    columns: tuple[str, ...] = ()
    identity: dict[str, Any]

    def begin(self) -> None:
        """Read what stands before the records.

        Raises
        ------
        RequestError
            If they cannot be records of hands.
        """

    def records(self) -> Iterator[Record]:
        """Read one record after the other."""
        raise NotImplementedError

    def position(self) -> Position:
        """Return where the next record begins."""
        raise NotImplementedError

    def go_to(self, position: Position, identity: dict[str, Any]) -> None:
        """Go on where a run ended that began with a file of such an identity.

        Raises
        ------
        RequestError
            If what it has read was other input.
        """
        raise NotImplementedError

    def share(self, position: Position) -> float | None:
        """Return which part of the file is before a position, None where nobody knows."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the file."""
        raise NotImplementedError

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Read the records in chunks of so many at most; before an error those that stand before it."""
        records, problem = self.records(), None
        while problem is None:
            chunk, start = Chunk(), self.taken()
            numbers: list[int] = []
            try:
                for number, hand, kept, fault in records:
                    if fault:
                        chunk.faults[len(numbers)] = fault
                    numbers.append(number)
                    chunk.hands.append(hand)
                    chunk.kept.append(kept)
                    if len(numbers) >= rows or self.taken() - start >= CHUNK_BYTES:
                        break
            except RequestError as error:
                problem = error
            if not numbers:
                break
            yield Chunk(chunk.hands, chunk.kept, chunk.faults, numbers, self.position())
        if problem is not None:
            raise problem

    def taken(self) -> int:
        """Return how many bytes are read, be it as they stand in the file or as they go on."""
        raise NotImplementedError


class Text(Source):
    """Text, read line by line: each line is a hand."""

    format = "txt"

    def __init__(self, path: str) -> None:
        self.name = "stdin" if path == "-" else path
        try:
            self.stream: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
            found = os.fstat(self.stream.fileno()) if path != "-" else None
        except OSError as error:
            raise RequestError(f"cannot read '{path}': {error.strerror}") from None
        self.size = found.st_size if found is not None and stat.S_ISREG(found.st_mode) else None
        self.identity = {"format": self.format}
        if found is not None and self.size is not None:
            self.identity |= {"size": self.size, "changed": found.st_mtime_ns}
        self.offset, self.line, self.crc = 0, 1, 0

    def begin(self) -> None:
        """Skip a byte order mark."""
        ahead = self._ahead(3)
        if ahead == codecs.BOM_UTF8:
            self._count(self.stream.read(3))
        elif ahead[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise RequestError(f"{self.name}: UTF-16 text, save it as UTF-8")

    def _ahead(self, size: int) -> bytes:
        """Return what comes next, nothing where the stream cannot tell."""
        return bytes(self.stream.peek(size)[:size]) if hasattr(self.stream, "peek") else b""

    def _count(self, data: bytes) -> None:
        self.offset += len(data)
        self.crc = zlib.crc32(data, self.crc)

    def take(self) -> bytes:
        """Return the next line, nothing at the end; of one that is too long only the beginning, with :data:`CUT`."""
        line = self._read_line()
        self._count(line)
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = self._read_line()
                self._count(rest)
            line = line[:SHOWN_OF_LONGEST] + CUT
        self.line += 1
        return line

    def _read_line(self) -> bytes:
        try:
            return bytes(self.stream.readline(LONGEST_LINE + 1))
        except OSError as error:
            raise RequestError(f"cannot read '{self.name}': {error.strerror}") from None

    def records(self) -> Iterator[Record]:
        """Read a hand a line, without those that are blank."""
        while line := self.take():
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if line.endswith(CUT):
                yield self.line - 1, text, "", TOO_LONG
            elif text and not text.isspace():
                yield self.line - 1, text, "", ""

    def position(self) -> Position:
        """Return where the next line begins."""
        return Position(self.offset, self.line, self.crc)

    def go_to(self, position: Position, identity: dict[str, Any]) -> None:
        """Go on; a file that has changed, and a stream, are read to there and must have the same bytes."""
        if identity == self.identity and self.size is not None:
            self.stream.seek(position.offset)
            self.offset, self.line, self.crc = position.offset, position.line, position.crc
            return
        if identity.get("format") != self.format:
            raise RequestError(f"{self.name}: {self.format} now, was {identity.get('format')} when the run began")
        data = b"\n"
        while self.offset < position.offset:
            data = self.stream.read(min(position.offset - self.offset, 1 << 20))
            if not data:
                break
            self._count(data)
        # What was read as the last line, without an end, can have become another one since then.
        longer = data[-1:] != b"\n" and bool(self._ahead(1))
        if longer or (self.offset, self.crc) != (position.offset, position.crc):
            raise RequestError(
                f"{self.name}: has changed within the first {position.offset:,} bytes, which are answered already; "
                "start over (--force)"
            )
        self.line = position.line

    def taken(self) -> int:
        """Return how many bytes are read."""
        return self.offset

    def share(self, position: Position) -> float | None:
        """Return which part of the bytes is before a position."""
        return position.offset / self.size if self.size else None

    def close(self) -> None:
        """Let go of the file, but not of stdin."""
        if self.stream is not sys.stdin.buffer:
            self.stream.close()


class Csv(Text):
    """CSV with a header, read with the rules of RFC 4180."""

    format = "csv"

    damaged = False

    def begin(self) -> None:
        """Read the header."""
        super().begin()
        try:
            header = next(csv.reader(self._decoded(), strict=True), [])
        except csv.Error as error:
            raise RequestError(f"{self.name}: the header is not valid CSV ({error})") from None
        check_columns(self.name, header)
        self.width, self.at = len(header), header.index("hand")
        self.columns = tuple(name for name in header if name != "hand")
        self._keys = [(k, f", {json_text(name)}: ") for k, name in enumerate(header) if name != "hand"]

    def _decoded(self) -> Iterator[str]:
        while line := self.take():
            if line.endswith(CUT):  # where a record ends after it, nobody can tell
                raise RequestError(f"{self.name}, line {self.line - 1}: {TOO_LONG}")
            try:
                yield line.decode()
            except UnicodeDecodeError:
                self.damaged = True
                yield line.decode("utf-8", "replace")

    def records(self) -> Iterator[Record]:
        """Read a record, which can be several lines; what is not valid is a record with a fault."""
        reader = csv.reader(self._decoded(), strict=True)
        while True:
            number, before, self.damaged = self.line, (self.offset, self.line, self.crc), False
            try:
                fields = next(reader, None)
            except csv.Error as error:
                if "unexpected end" in str(error) or "limit" in str(error):  # what follows is lost in it
                    self.offset, self.line, self.crc = before
                    longest = f"more than {csv.field_size_limit():,} characters in it"
                    raise RequestError(
                        f"{self.name}, line {number}: a quote that is never closed, or {longest}"
                    ) from None
                yield number, None, self._kept([""] * self.width), f"not valid CSV: {error}"
                continue
            if fields is None:
                return
            if not fields:
                continue
            fault = NO_UTF8 if self.damaged else ""
            if len(fields) != self.width:
                fault = fault or f"expected {self.width} columns, as in the header, got {len(fields)}"
                fields = (fields + [""] * self.width)[: self.width]
            yield number, fields[self.at], self._kept(fields), fault

    def _kept(self, fields: list[str]) -> str:
        return "".join([key + json_text(fields[k]) for k, key in self._keys])


class JsonLines(Text):
    """A JSON object a line; the values of its other keys are kept as they are written."""

    format = "jsonl"

    def records(self) -> Iterator[Record]:
        """Read an object a line, without blank lines; what is none is a record with a fault."""
        decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
        while line := self.take():
            text = line.decode("utf-8", "replace").strip()
            if not text:
                continue
            number = self.line - 1
            if line.endswith(CUT):
                yield number, text, "", TOO_LONG
                continue
            try:
                line.decode()
                record = decode(line)
            except UnicodeDecodeError:
                yield number, text, "", NO_UTF8
                continue
            except (msgspec.MsgspecError, RecursionError):  # the latter of thousands of brackets
                yield number, text, "", 'expected a JSON object such as {"hand": "As Kd ..."}'
                continue
            hand, fault = _hand_of(record.pop("hand", None))
            kept = [name for name in record if name not in COLUMNS]
            if len(kept) < len(record):
                name = next(name for name in record if name in COLUMNS)
                fault = f"'{name}' is a column of the answers: rename it"
            shown = "".join([f", {json_text(name)}: {bytes(record[name]).decode().strip()}" for name in kept])
            yield number, hand, shown, fault


def _hand_of(raw: Any) -> tuple[str | None, str]:
    """Return the hand of a JSON object, and what is wrong with it."""
    if raw is None:
        return None, "no 'hand' in the object"
    text = bytes(raw).decode().strip()
    if text.startswith('"'):
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(text, type=str), ""
    return None, f"expected the hand as text, got {text if len(text) <= 40 else text[:37] + '...'}"


def check_columns(name: str, columns: list[str]) -> None:
    """Refuse a header without a hand, and columns that the rows could not tell apart."""
    if "hand" not in columns:
        found = ", ".join(map(repr, columns[:10])) or "nothing"
        raise RequestError(f"{name}: expected a column 'hand' in the header, got {found}")
    for column in columns:
        if columns.count(column) > 1:
            raise RequestError(f"{name}: two columns are called '{column}'")
        if column in COLUMNS[1:]:
            raise RequestError(f"{name}: '{column}' is a column of the answers, too: rename it")


def live_chunks(stream: Any, rows: int) -> Iterator[Chunk]:
    """Read hands from a stream as they come: all lines that are there, in chunks of so many at most.

    Blank lines count, so that a program gets a row for each of its lines.
    """
    number, rest, too_long = 1, b"", False
    while True:
        data = stream.read1(1 << 16)
        if too_long:  # the rest of such a line is not kept
            end = data.find(b"\n") if data else 0
            data = data[end:] if end >= 0 else b" "
            if end < 0:
                continue
        lines = (rest + data).split(b"\n")
        rest = lines.pop() if data else b""
        if not data and not lines[-1]:
            lines.pop()
        if lines and len(lines[0]) > LONGEST_LINE:  # its end came with what made it too long
            lines[0], too_long = lines[0][:SHOWN_OF_LONGEST] + b" ...", True
        for start in range(0, len(lines), rows):
            part = [line.decode("utf-8", "replace").rstrip("\r") for line in lines[start : start + rows]]
            if number == 1:
                part[0] = part[0].removeprefix("\ufeff")
            faults = {0: TOO_LONG} if too_long else {}
            yield Chunk([*part], [""] * len(part), faults, range(number, number + len(part)))
            number, too_long = number + len(part), False
        if not data:
            return
        if len(rest) > LONGEST_LINE:
            rest, too_long = rest[:SHOWN_OF_LONGEST] + b" ...", True
