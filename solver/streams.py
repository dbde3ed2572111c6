"""Files of hands, read record by record from any place, and finished rows as CSV or Parquet.

Text is UTF-8, with or without a byte order mark. A record of ``.csv``, ``.jsonl`` and ``.parquet`` has its hand in the
column ``hand``, and its other columns are kept; any other file has a hand a line. Only this module imports PyArrow.
"""

import codecs
import csv
import math
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from solver.errors import RequestError
from solver.rows import COLUMNS, Chunk, Position

LONGEST_LINE = 1 << 20
CHUNK_BYTES = 4 << 20
"""Input that a chunk does not go beyond, whatever its number of records."""

FORMATS = ("csv", "jsonl", "parquet")
NO_UTF8 = "no UTF-8 text: save the file as UTF-8"

Record = tuple[int, str | None, str, str]
"""The line of a record, its hand, its other columns as they end a row, and why it cannot be answered."""


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that the name of a file says, ``txt`` for all that are not known."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    return suffix if suffix in FORMATS else "txt"


def need_pyarrow(path: str | os.PathLike[str]) -> None:
    """Refuse a Parquet file where PyArrow is not installed."""
    if find_spec("pyarrow") is None:
        raise RequestError(f"{path}: needs pyarrow, which is not installed: pip install 'capsa-solver[parquet]'")


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
            chunk, start = Chunk(), self.position().offset
            numbers: list[int] = []
            try:
                for number, hand, kept, fault in records:
                    if fault:
                        chunk.faults[len(numbers)] = fault
                    numbers.append(number)
                    chunk.hands.append(hand)
                    chunk.kept.append(kept)
                    if len(numbers) >= rows or self._size(start) >= CHUNK_BYTES:
                        break
            except RequestError as error:
                problem = error
            if not numbers:
                break
            yield Chunk(chunk.hands, chunk.kept, chunk.faults, numbers, self.position())
        if problem is not None:
            raise problem

    def _size(self, start: int) -> int:
        """Return how many bytes are read since a position."""
        raise NotImplementedError


class _Text(Source):
    """Text, read line by line: each line is a hand."""

    format = "txt"

    def __init__(self, path: str) -> None:
        self.name = "stdin" if path == "-" else path
        try:
            self.stream: BinaryIO = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
            found = os.fstat(self.stream.fileno()) if path != "-" else None
        except OSError as error:
            raise RequestError(f"cannot read '{path}': {error.strerror}") from None
        self.size = found.st_size if found is not None and stat.S_ISREG(found.st_mode) else None
        self.identity = {"format": self.format}
        if found is not None and self.size is not None:
            self.identity |= {"size": self.size, "changed": found.st_mtime_ns}
        self.offset, self.line, self.crc = 0, 1, 0
        self._skip_mark()

    def _skip_mark(self) -> None:
        """Skip a byte order mark."""
        ahead = getattr(self.stream, "peek", lambda size: b"")(3)[:3]
        if ahead == codecs.BOM_UTF8:
            self._count(self.stream.read(3))
        elif ahead[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise RequestError(f"{self.name}: UTF-16 text, save it as UTF-8")

    def _count(self, data: bytes) -> None:
        self.offset += len(data)
        self.crc = zlib.crc32(data, self.crc)

    def take(self) -> bytes:
        """Return the next line, nothing at the end."""
        try:
            line = self.stream.readline(LONGEST_LINE + 1)
        except OSError as error:
            raise RequestError(f"cannot read '{self.name}': {error.strerror}") from None
        if len(line) > LONGEST_LINE:
            raise RequestError(f"{self.name}, line {self.line}: longer than {LONGEST_LINE:,} bytes, so no line of text")
        self.offset += len(line)
        self.crc = zlib.crc32(line, self.crc)
        self.line += 1
        return line

    def records(self) -> Iterator[Record]:
        """Read a hand a line, without those that are blank."""
        while line := self.take():
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if text and not text.isspace():
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
        while self.offset < position.offset:
            data = self.stream.read(min(position.offset - self.offset, 1 << 20))
            if not data:
                break
            self._count(data)
        if (self.offset, self.crc) != (position.offset, position.crc):
            raise RequestError(
                f"{self.name}: has changed within the first {position.offset:,} bytes, which are answered already; "
                "start over (--force)"
            )
        self.line = position.line

    def _size(self, start: int) -> int:
        return self.offset - start

    def share(self, position: Position) -> float | None:
        """Return which part of the bytes is before a position."""
        return position.offset / self.size if self.size else None

    def close(self) -> None:
        """Let go of the file, but not of stdin."""
        if self.stream is not sys.stdin.buffer:
            self.stream.close()


class _Csv(_Text):
    """CSV with a header, read with the rules of RFC 4180."""

    format = "csv"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.damaged = False
        try:
            header = next(csv.reader(self._decoded(), strict=True), [])
        except csv.Error as error:
            raise RequestError(f"{self.name}: the header is not valid CSV ({error})") from None
        _check_columns(self.name, header)
        self.width, self.at = len(header), header.index("hand")
        self.columns = tuple(name for name in header if name != "hand")
        self._keys = [(k, f", {json_text(name)}: ") for k, name in enumerate(header) if name != "hand"]

    def _decoded(self) -> Iterator[str]:
        while line := self.take():
            try:
                yield line.decode()
            except UnicodeDecodeError:
                self.damaged = True
                yield line.decode("utf-8", "replace")

    def records(self) -> Iterator[Record]:
        """Read a record, which can be several lines; what is not valid is a record with a fault."""
        reader = csv.reader(self._decoded(), strict=True)
        while True:
            number, self.damaged = self.line, False
            try:
                fields = next(reader, None)
            except csv.Error as error:
                if "unexpected end" in str(error) or "limit" in str(error):  # what follows is lost in it
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


class _JsonLines(_Text):
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
            try:
                line.decode()
                record = decode(line)
            except UnicodeDecodeError:
                yield number, text, "", NO_UTF8
                continue
            except msgspec.MsgspecError:
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


def _check_columns(name: str, columns: list[str]) -> None:
    """Refuse a header without a hand, and columns that the rows could not tell apart."""
    if "hand" not in columns:
        found = ", ".join(map(repr, columns[:10])) or "nothing"
        raise RequestError(f"{name}: expected a column 'hand' in the header, got {found}")
    for column in columns:
        if columns.count(column) > 1:
            raise RequestError(f"{name}: two columns are called '{column}'")
        if column in COLUMNS[1:]:
            raise RequestError(f"{name}: '{column}' is a column of the answers, too: rename it")


class _Parquet(Source):
    """A Parquet file, read a few rows at a time.

    Parameters
    ----------
    as_text
        Whether the other columns are needed in rows of text; a Parquet output takes them from the file itself.
    """

    def __init__(self, path: str, as_text: bool) -> None:
        need_pyarrow(path)
        import pyarrow
        import pyarrow.parquet

        self.name, self.row, self.as_text, self.path = path, 0, as_text, path
        try:
            self.file = pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16)
            self.identity = {"format": "parquet", **_footer(path)}
        except OSError as error:
            raise RequestError(f"cannot read '{path}': {error.strerror or 'no Parquet file'}") from None
        except pyarrow.ArrowException as error:
            raise RequestError(f"{path}: no Parquet file ({str(error).splitlines()[0]})") from None
        self.schema = self.file.schema_arrow
        _check_columns(path, self.schema.names)
        kind = self.schema.field("hand").type
        if not _is_text(kind):
            raise RequestError(f"{path}: expected text in the column 'hand', got {kind}")
        self.columns = tuple(name for name in self.schema.names if name != "hand")
        self.converters = {name: _converter(path, self.schema.field(name)) for name in self.columns if as_text}

    def records(self) -> Iterator[Record]:
        """Read row by row."""
        keys = [f", {json_text(name)}: " for name in self.converters]
        for batch in self.batches(["hand", *self.converters], self.row):
            hands = _as_string(batch.column("hand")).to_pylist()
            values = [convert(batch.column(name)) for name, convert in self.converters.items()]
            for k, hand in enumerate(hands):
                kept = "".join([key + json_text(column[k]) for key, column in zip(keys, values, strict=True)])
                self.row += 1
                yield self.row, hand, kept, ""

    def batches(self, columns: list[str], start: int = 0) -> Iterator[Any]:
        """Read some columns in batches of Arrow, from a row on."""
        groups = self.file.metadata.num_row_groups
        first = 0
        while first < groups and start >= self.file.metadata.row_group(first).num_rows:
            start -= self.file.metadata.row_group(first).num_rows
            first += 1
        kept = range(first, groups)
        for batch in self.file.iter_batches(1024, row_groups=kept, columns=columns, use_threads=False):
            if start >= batch.num_rows:
                start -= batch.num_rows
                continue
            yield batch.slice(start)
            start = 0

    def position(self) -> Position:
        """Return the next row."""
        return Position(self.row, self.row + 1)

    def _size(self, start: int) -> int:
        return 0

    def go_to(self, position: Position, identity: dict[str, Any]) -> None:
        """Go on in the same file."""
        if identity != self.identity:
            raise RequestError(f"{self.name}: another file than when the run began; start over (--force)")
        self.row = position.offset

    def share(self, position: Position) -> float | None:
        """Return which part of the rows is before a position."""
        rows: int = self.file.metadata.num_rows
        return position.offset / max(rows, 1)

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()


def _footer(path: str) -> dict[str, int]:
    """Return the size of a Parquet file, and the CRC-32 of its end, which tells where and what all its columns are."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 8, 0))
        length = int.from_bytes(file.read(4), "little") + 8
        file.seek(max(size - length, 0))
        return {"size": size, "footer": zlib.crc32(file.read(length))}


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _as_string(column: Any) -> Any:
    import pyarrow

    return column.cast(pyarrow.string())


def _is_plain(kind: Any) -> bool:
    """Whether values of a type are JSON as they stand."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_plain(kind.value_type)
    if types.is_struct(kind):
        return all(_is_plain(kind.field(k).type) for k in range(kind.num_fields))
    numbers = types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)
    return bool(numbers or types.is_null(kind) or _is_text(kind))


def _converter(path: str, field: Any) -> Callable[[Any], list[Any]]:
    """Return what makes values of JSON of a column: plain ones as they are, dates and the like as text."""
    import pyarrow
    from pyarrow import types

    if _is_plain(field.type):
        return lambda column: column.to_pylist()
    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if types.is_temporal(kind) or types.is_decimal(kind):
        try:
            pyarrow.array([], kind).cast(pyarrow.string())
            return lambda column: _as_string(column.cast(kind)).to_pylist()
        except pyarrow.ArrowException:
            pass
    raise RequestError(
        f"{path}: '{field.name}' ({field.type}) cannot be written as text: leave it out, or write .parquet"
    )


def open_source(path: str, as_text: bool) -> Source:
    """Open a file of hands, or stdin for ``-``.

    Parameters
    ----------
    as_text
        Whether rows must have the other columns of a Parquet file, too.

    Raises
    ------
    RequestError
        If it cannot be read, or has no hands.
    """
    found = "txt" if path == "-" else format_of(path)
    if found == "parquet":
        return _Parquet(path, as_text)
    return {"txt": _Text, "csv": _Csv, "jsonl": _JsonLines}[found](path)


def live_chunks(stream: Any, rows: int) -> Iterator[Chunk]:
    """Read hands from a stream as they come: all lines that are there, in chunks of so many at most.

    Blank lines count, so that a program gets a row for each of its lines.
    """
    number, rest = 1, b""
    while True:
        data = stream.read1(1 << 16)
        lines = (rest + data).split(b"\n")
        rest = lines.pop() if data else b""
        if not data and not lines[-1]:
            lines.pop()
        if len(rest) > LONGEST_LINE:
            raise RequestError(f"stdin, line {number}: longer than {LONGEST_LINE:,} bytes, so no line of text")
        for start in range(0, len(lines), rows):
            part = [line.decode("utf-8", "replace").rstrip("\r") for line in lines[start : start + rows]]
            if number == 1:
                part[0] = part[0].removeprefix("\ufeff")
            yield Chunk([*part], [""] * len(part), {}, range(number, number + len(part)))
            number += len(part)
        if not data:
            return


ROWS_OF_GROUP = 1 << 16
BYTES_OF_GROUP = 32 << 20
"""A row group of Parquet ends with whichever comes first."""

_AT_ONCE = 1024
_EXACT = 1 << 53
_Values = dict[str, msgspec.Raw]


def _values(part: Path) -> Iterator[_Values]:
    """Read finished rows, the JSON of each value by its column."""
    decode = msgspec.json.Decoder(_Values).decode
    with part.open("rb") as file:
        yield from map(decode, file)


def _kind(raw: bytes) -> str:
    """Return what kind of value a piece of JSON is."""
    first = raw[:1]
    named = {b'"': "text", b"t": "yes or no", b"f": "yes or no", b"n": "null", b"[": "nested", b"{": "nested"}.get(
        first
    )
    if named:
        return named
    if raw.lstrip(b"-").isdigit():
        return "integer" if abs(int(raw)) <= _EXACT else "large" if -(2**63) <= int(raw) < 2**63 else "nested"
    return "number" if math.isfinite(float(raw)) else "nested"


def _kinds(part: Path) -> dict[str, set[str]]:
    """Return the columns that were kept of JSON objects, in the order in which they appear, and all that is in them."""
    found: dict[str, set[str]] = {}
    for values in _values(part):
        for name in list(values)[len(COLUMNS) :]:
            found.setdefault(name, set()).add(_kind(bytes(values[name])))
    return found


def _text(raw: bytes) -> str:
    """Return the text that a value is written as: strings without their quotes, all else as in JSON."""
    if raw[:1] == b'"':
        if b"\\" not in raw:
            return raw[1:-1].decode()
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(raw, type=str)
    return raw.decode()


def _converted(values: _Values, name: str, convert: Callable[[bytes], Any]) -> Any:
    """Return a value of a row, None where it is null or the row has none."""
    raw = values.get(name)
    return None if raw is None or (shown := bytes(raw)) == b"null" else convert(shown)


def write_rows(part: Path, target: Path, source: Source) -> None:
    """Write finished rows as CSV or Parquet, by the suffix of the target's name, into a file of another name.

    Parameters
    ----------
    part
        The rows, as JSON lines.
    target
        What to write; ``.csv`` or ``.parquet``.
    source
        Where the rows came from, for the names and types of the columns that were kept.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    (_write_csv if format_of(target) == "csv" else _write_parquet)(part, target, source)


def _write_csv(part: Path, target: Path, source: Source) -> None:
    kept = tuple(_kinds(part)) if isinstance(source, _JsonLines) else source.columns
    columns = COLUMNS + kept
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for values in _values(part):
            writer.writerow([_converted(values, name, _text) for name in columns])
        file.flush()
        os.fsync(file.fileno())


def _write_parquet(part: Path, target: Path, source: Source) -> None:
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    columns, beside = _columns(part, source), []
    if isinstance(source, _Parquet):
        beside = [source.schema.field(name) for name in source.columns]
    schema = pyarrow.schema([*(pyarrow.field(name, kind) for name, (kind, _) in columns.items()), *beside])
    with target.open("wb") as file:
        with ParquetWriter(file, schema) as writer:
            for table in _groups(_batches(part, source, columns, schema), schema):
                writer.write_table(table, row_group_size=table.num_rows)
        file.flush()
        os.fsync(file.fileno())


_Columns = dict[str, tuple[Any, Callable[[bytes], Any]]]
"""The type of Arrow of each column, and how its values are made from JSON."""


def _columns(part: Path, source: Source) -> _Columns:
    """Return the columns of a Parquet file that are in the rows."""
    import pyarrow

    text, number = (pyarrow.string(), _text), (pyarrow.float64(), float)
    found: _Columns = dict.fromkeys(COLUMNS, text) | {
        "units": number,
        "stderr": number,
        "deals": (pyarrow.int64(), int),
    }
    if isinstance(source, _JsonLines):
        for name, kinds in _kinds(part).items():
            kinds = kinds - {"null"}
            if kinds and kinds <= {"integer", "large"}:
                found[name] = pyarrow.int64(), int
            elif kinds and kinds <= {"integer", "number"}:
                found[name] = number
            elif kinds == {"yes or no"}:
                found[name] = pyarrow.bool_(), b"true".__eq__
            else:  # nested or mixed: their JSON, so that they can be told apart
                found[name] = text if kinds <= {"text"} else (pyarrow.string(), bytes.decode)
    elif not isinstance(source, _Parquet):
        found |= dict.fromkeys(source.columns, text)
    return found


def _batches(part: Path, source: Source, columns: _Columns, schema: Any) -> Iterator[Any]:
    """Yield batches of Arrow: finished rows, and beside them the other columns of a Parquet file."""
    import pyarrow

    def arrays(rows: list[_Values]) -> list[Any]:
        return [
            pyarrow.array([_converted(values, name, convert) for values in rows], kind)
            for name, (kind, convert) in columns.items()
        ]

    rows = _values(part)
    if isinstance(source, _Parquet):
        for batch in source.batches(list(source.columns) or ["hand"]):
            beside = [batch.column(name) for name in source.columns]
            yield pyarrow.record_batch([*arrays(list(islice(rows, batch.num_rows))), *beside], schema)
        return
    while found := list(islice(rows, _AT_ONCE)):
        yield pyarrow.record_batch(arrays(found), schema)


def _groups(batches: Iterator[Any], schema: Any) -> Iterator[Any]:
    """Join batches to row groups, whose sizes depend on nothing but the rows."""
    import pyarrow

    group: list[Any] = []
    for batch in batches:
        group.append(batch)
        if sum(one.num_rows for one in group) >= ROWS_OF_GROUP or sum(one.nbytes for one in group) >= BYTES_OF_GROUP:
            yield pyarrow.Table.from_batches(group, schema)
            group = []
    if group:
        yield pyarrow.Table.from_batches(group, schema)
