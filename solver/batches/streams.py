"""The formats of hands and rows, by the names of files."""

import os
from pathlib import Path

from solver.batches.outputs import write_csv
from solver.batches.sources import Csv, JsonLines, Source, Text

FORMATS = ("csv", "jsonl", "parquet")


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that the name of a file says, ``txt`` for all that are not known."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    return suffix if suffix in FORMATS else "txt"


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
        from solver.batches.parquet import ParquetSource

        source: Source = ParquetSource(path, as_text)
    else:
        source = {"txt": Text, "csv": Csv, "jsonl": JsonLines}[found](path)
    try:
        source.begin()
    except BaseException:
        source.close()
        raise
    return source


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
    if format_of(target) == "csv":
        write_csv(part, target, source)
    else:
        from solver.batches.parquet import write_parquet

        write_parquet(part, target, source)
