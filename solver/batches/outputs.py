"""Finished rows, as JSON lines, read again for another format; and CSV made of them."""

import csv
import math
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from solver.batches.rows import COLUMNS
from solver.batches.sources import JsonLines, Source

_EXACT = 1 << 53
_LONGEST = len("-9223372036854775808")
Values = dict[str, msgspec.Raw]
"""The JSON of each value of a row, by its column."""


def values_of(part: Path) -> Iterator[Values]:
    """Read finished rows, the JSON of each value by its column."""
    decode = msgspec.json.Decoder(Values).decode
    with part.open("rb") as file:
        yield from map(decode, file)


def values_in_groups(part: Path, rows: int, size: int) -> Iterator[list[Values]]:
    """Read finished rows, so many at a time, or fewer that have so many bytes."""
    decode, group, bytes_read = msgspec.json.Decoder(Values).decode, list[Values](), 0
    with part.open("rb") as file:
        for line in file:
            group.append(decode(line))
            bytes_read += len(line)
            if len(group) >= rows or bytes_read >= size:
                yield group
                group, bytes_read = [], 0
    if group:
        yield group


def _kind(raw: bytes) -> str:
    """Return what kind of value a piece of JSON is."""
    first = raw[:1]
    named = {b'"': "text", b"t": "yes or no", b"f": "yes or no", b"n": "null", b"[": "nested", b"{": "nested"}.get(
        first
    )
    if named:
        return named
    if raw.lstrip(b"-").isdigit():
        if len(raw) > _LONGEST:  # Python does not read thousands of digits
            return "nested"
        return "integer" if abs(int(raw)) <= _EXACT else "large" if -(2**63) <= int(raw) < 2**63 else "nested"
    return "number" if math.isfinite(float(raw)) else "nested"


def kinds_of(part: Path) -> dict[str, set[str]]:
    """Return the columns that were kept of JSON objects, in the order in which they appear, and all that is in them."""
    found: dict[str, set[str]] = {}
    for values in values_of(part):
        for name in list(values)[len(COLUMNS) :]:
            found.setdefault(name, set()).add(_kind(bytes(values[name])))
    return found


def text_of(raw: bytes) -> str:
    """Return the text that a value is written as: strings without their quotes, all else as in JSON."""
    if raw[:1] == b'"':
        if b"\\" not in raw:
            return raw[1:-1].decode()
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(raw, type=str)
    return raw.decode()


def converted(values: Values, name: str, convert: Callable[[bytes], Any]) -> Any:
    """Return a value of a row, None where it is null or the row has none."""
    raw = values.get(name)
    return None if raw is None or (shown := bytes(raw)) == b"null" else convert(shown)


def write_csv(part: Path, target: Path, source: Source) -> None:
    """Write finished rows as CSV."""
    kept = tuple(kinds_of(part)) if isinstance(source, JsonLines) else source.columns
    columns = COLUMNS + kept
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for values in values_of(part):
            writer.writerow([converted(values, name, text_of) for name in columns])
        file.flush()
        os.fsync(file.fileno())
