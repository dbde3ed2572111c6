"""Parquet files of hands, and Parquet made of finished rows. Only this module imports PyArrow."""

import os
import zlib
from collections.abc import Callable, Collection, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from solver.batches.outputs import Values, converted, kinds_of, text_of, values_in_groups, values_of
from solver.batches.rows import COLUMNS, Position
from solver.batches.sources import NO_UTF8, JsonLines, Record, Source, check_columns, json_text
from solver.errors import RequestError

ROWS_OF_GROUP = 1 << 16
BYTES_OF_GROUP = 32 << 20
"""A row group of Parquet ends with whichever comes first."""

_AT_ONCE, _BYTES_AT_ONCE = 1024, 4 << 20
"""Rows that are held at a time, or fewer of so many bytes."""

_FEW = 16
"""Rows that are made text first, until it is known how much of it they are."""

_Texts = tuple[list[Any], Collection[int]]
"""Values as they are made JSON, and which of them are no UTF-8."""


def need_pyarrow(path: str | os.PathLike[str]) -> None:
    """Refuse a Parquet file where PyArrow is not installed."""
    if find_spec("pyarrow") is None:
        raise RequestError(f"{path}: needs pyarrow, which is not installed: pip install 'capsa-solver[parquet]'")


class ParquetSource(Source):
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

        self.name, self.row, self.as_text = path, 0, as_text
        self._taken = 0
        try:
            self.file = pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16)
            self.identity = {"format": "parquet", **_content(path)}
        except OSError as error:
            raise RequestError(f"cannot read '{path}': {error.strerror or 'no Parquet file'}") from None
        except pyarrow.ArrowException as error:
            raise RequestError(f"{path}: no Parquet file ({str(error).splitlines()[0]})") from None
        self.schema = self.file.schema_arrow
        groups = [self.file.metadata.row_group(k) for k in range(self.file.metadata.num_row_groups)]
        width = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
        self._at_once = max(min(_AT_ONCE, _BYTES_AT_ONCE // (width + 1)), 1)

    def begin(self) -> None:
        """Check the columns."""
        path = self.name
        check_columns(path, self.schema.names)
        kind = self.schema.field("hand").type
        if not _is_text(kind):
            raise RequestError(f"{path}: expected text in the column 'hand', got {kind}")
        self.columns = tuple(name for name in self.schema.names if name != "hand")
        self.converters = {name: _converter(path, self.schema.field(name)) for name in self.columns if self.as_text}

    def records(self) -> Iterator[Record]:
        """Read row by row; text that is no UTF-8 is a fault of its row."""
        few = _FEW
        for batch in self.batches(["hand", *self.converters], self.row):
            start = 0
            while start < batch.num_rows:
                read = self._read(batch.slice(start, few))
                before = self._taken
                for hand, kept, fault in read:
                    self.row += 1
                    self._taken += len(hand or "") + len(kept)
                    yield self.row, hand, kept, fault
                start += len(read)
                # A value of a dictionary is stored once, and yet becomes text in each row that has it.
                width = (self._taken - before) // len(read)
                few = max(min(_AT_ONCE, _BYTES_AT_ONCE // (width + 1)), 1)

    def _read(self, batch: Any) -> list[tuple[str | None, str, str]]:
        """Return the hands of some rows, their other columns as text, and their faults."""
        hands, damaged = _texts(batch.column("hand"))
        columns, wrong = [], set(damaged)
        for name, convert in self.converters.items():
            values, damaged = self._as_text(name, convert, batch.column(name))
            columns.append((f", {json_text(name)}: ", values))
            wrong.update(damaged)
        return [
            (hand, "".join([key + json_text(column[k]) for key, column in columns]), NO_UTF8 if k in wrong else "")
            for k, hand in enumerate(hands)
        ]

    def _as_text(self, name: str, convert: Callable[[Any], _Texts], column: Any) -> _Texts:
        """Return the values of a column; RequestError where there are some that cannot be text."""
        import pyarrow

        try:
            return convert(column)
        except (pyarrow.ArrowException, ValueError) as error:  # found in the values only, such as an unknown time zone
            raise RequestError(
                f"{self.name}: '{name}' cannot be written as text ({_line(error)}): leave it out, or write .parquet"
            ) from None

    def batches(self, columns: list[str], start: int = 0) -> Iterator[Any]:
        """Read some columns in batches of Arrow, from a row on."""
        groups = self.file.metadata.num_row_groups
        first = 0
        while first < groups and start >= self.file.metadata.row_group(first).num_rows:
            start -= self.file.metadata.row_group(first).num_rows
            first += 1
        kept = range(first, groups)
        read = self.file.iter_batches(self._at_once, row_groups=kept, columns=columns, use_threads=False)
        while (batch := self._next(read)) is not None:
            if start >= batch.num_rows:
                start -= batch.num_rows
                continue
            yield batch.slice(start)
            start = 0

    def _next(self, batches: Iterator[Any]) -> Any:
        """Return the next batch, None at the end."""
        import pyarrow

        try:
            return next(batches, None)
        except (pyarrow.ArrowException, OSError) as error:
            raise RequestError(f"{self.name}: damaged, or cannot be read ({_line(error)})") from None

    def position(self) -> Position:
        """Return the next row."""
        return Position(self.row, self.row + 1)

    def taken(self) -> int:
        """Return how much text the rows that were read have become."""
        return self._taken

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


def _content(path: str) -> dict[str, int]:
    """Return the size and the CRC-32 of a file: answers are joined to its columns, so that these must be the same."""
    size = crc = 0
    with open(path, "rb") as file:
        while data := file.read(1 << 20):
            size, crc = size + len(data), zlib.crc32(data, crc)
    return {"size": size, "crc": crc}


def _line(error: BaseException) -> str:
    """Return the first line of what an error says."""
    return str(error).partition("\n")[0]


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _as_string(column: Any) -> Any:
    import pyarrow

    return column.cast(pyarrow.string())


def _texts(column: Any) -> _Texts:
    """Return text, and which of it is no UTF-8, as nothing checks that is written."""
    import pyarrow

    found = _as_string(column)
    try:
        return found.to_pylist(), ()
    except UnicodeDecodeError:
        raw = found.cast(pyarrow.binary()).to_pylist()
    texts = [value if value is None else value.decode("utf-8", "replace") for value in raw]
    damaged = [k for k, text in enumerate(texts) if text is not None and text.encode() != raw[k]]
    return texts, damaged


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


def _converter(path: str, field: Any) -> Callable[[Any], _Texts]:
    """Return what makes values of JSON of a column: plain ones as they are, dates and the like as text."""
    import pyarrow
    from pyarrow import types

    if _is_text(field.type):
        return _texts
    if _is_plain(field.type):
        return lambda column: (column.to_pylist(), ())
    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if types.is_temporal(kind) or types.is_decimal(kind):
        try:
            pyarrow.array([], kind).cast(pyarrow.string())
            return lambda column: (_as_string(column.cast(kind)).to_pylist(), ())
        except pyarrow.ArrowException:
            pass
    raise RequestError(
        f"{path}: '{field.name}' ({field.type}) cannot be written as text: leave it out, or write .parquet"
    )


def write_parquet(part: Path, target: Path, source: Source) -> None:
    """Write finished rows as Parquet, with the other columns of a Parquet file in their own types."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    columns, beside = _columns(part, source), []
    if isinstance(source, ParquetSource):
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

    text, number = (pyarrow.string(), text_of), (pyarrow.float64(), float)
    found: _Columns = dict.fromkeys(COLUMNS, text) | {
        "units": number,
        "stderr": number,
        "deals": (pyarrow.int64(), int),
    }
    if isinstance(source, JsonLines):
        for name, kinds in kinds_of(part).items():
            kinds = kinds - {"null"}
            if kinds and kinds <= {"integer", "large"}:
                found[name] = pyarrow.int64(), int
            elif kinds and kinds <= {"integer", "number"}:
                found[name] = number
            elif kinds == {"yes or no"}:
                found[name] = pyarrow.bool_(), b"true".__eq__
            else:  # nested or mixed: their JSON, so that they can be told apart
                found[name] = text if kinds <= {"text"} else (pyarrow.string(), bytes.decode)
    elif not isinstance(source, ParquetSource):
        found |= dict.fromkeys(source.columns, text)
    return found


def _batches(part: Path, source: Source, columns: _Columns, schema: Any) -> Iterator[Any]:
    """Yield batches of Arrow: finished rows, and beside them the other columns of a Parquet file."""
    import pyarrow

    def arrays(rows: list[Values]) -> list[Any]:
        return [
            pyarrow.array([converted(values, name, convert) for values in rows], kind)
            for name, (kind, convert) in columns.items()
        ]

    if isinstance(source, ParquetSource):
        rows = values_of(part)
        for batch in source.batches(list(source.columns) or ["hand"]):
            beside = [batch.column(name) for name in source.columns]
            yield pyarrow.record_batch([*arrays(list(islice(rows, batch.num_rows))), *beside], schema)
        return
    for found in values_in_groups(part, _AT_ONCE, _BYTES_AT_ONCE):
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
