"""Rows that are appended to a file, and a journal of how far they are good, so that any interruption can be mended.

``OUT.part`` holds rows. ``OUT.part.journal`` holds JSON lines: a :class:`Header`, which says what was asked, and an
:class:`Entry` for each time that rows were written safely. They are on the disk before the journal says so; what stands
behind the last entry is cut off on resuming. Nothing here knows what a row is.
"""

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from solver.batches.rows import Position
from solver.errors import OutputError, RequestError

FORMAT = 1
_BLOCK = 1 << 20


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a journal begins with.

    Attributes
    ----------
    format : int
        Of the journal.
    asked : dict
        What the rows depend on, by the names that users know.
    source : dict
        What identifies the input.
    replaces : bool
        Whether the output may replace a file.
    """

    format: int
    asked: dict[str, Any]
    source: dict[str, Any]
    replaces: bool = False


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a run has come.

    Attributes
    ----------
    rows, failed : int
        Rows written, and those of them that have an error.
    first : str
        The first error, and where it is.
    source : Position
        Where the input goes on.
    size : int
        Bytes of the rows.
    crc : int
        CRC-32 of those since the entry before.
    done : bool
        Whether the input has ended.
    """

    rows: int = 0
    failed: int = 0
    first: str = ""
    source: Position = Position()
    size: int = 0
    crc: int = 0
    done: bool = False


class Part:
    """The unfinished rows of an output and their journal, held by one process at a time.

    Attributes
    ----------
    header : Header
        As the run began, be it this or the one that is resumed.
    last : Entry
        What is written safely.
    finished : bool
        Whether the run has ended, and only its journal was left.
    """

    def __init__(self, target: Path) -> None:
        self.path, self.journal_path = part_of(target), journal_of(target)
        self.last, self.header = Entry(), Header(FORMAT, {}, {})
        self.finished, self._found = False, self.path.exists()
        self._size, self._crc, self._begun = 0, 0, False
        self._journal = self._open(self.journal_path)
        try:
            _lock(self._journal, self.journal_path)
            self._rows = self._open(self.path)
        except BaseException:
            os.close(self._journal)
            raise

    @staticmethod
    def _open(path: Path) -> int:
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written ({error.strerror})") from None

    def begin(self, header: Header) -> None:
        """Start over, whatever is there."""
        self.header, self.last, self._size, self._crc, self._begun = header, Entry(), 0, 0, True
        for file in (self._journal, self._rows):
            self._guarded(os.ftruncate, file, 0)
            os.lseek(file, 0, os.SEEK_SET)
        self._append(self._journal, msgspec.json.encode(header) + b"\n")
        self._sync(self._journal)
        sync_folder(self.path)

    def resume(self) -> bool:
        """Go on where the journal says, or return False where no run has begun.

        Raises
        ------
        RequestError
            If the journal, or the rows, are not what a run has left.
        """
        data = _read(self._journal, os.fstat(self._journal).st_size)
        header, ended, rest = data.partition(b"\n")
        if not ended:  # ended while it began
            if os.fstat(self._rows).st_size:
                raise RequestError(f"{self.journal_path}: not the journal of these rows; start over (--force)")
            return False
        try:
            self.header = msgspec.json.decode(header, type=Header)
            lines = rest.split(b"\n")[:-1]  # the last may be torn
            entries = [msgspec.json.decode(line, type=Entry) for line in lines]
        except msgspec.MsgspecError:
            raise RequestError(f"{self.journal_path}: damaged, or no journal; start over (--force)") from None
        if self.header.format != FORMAT:
            raise RequestError(f"{self.journal_path}: of another version of capsa; start over (--force)")
        if not self._found and entries and entries[-1].done:
            self.last, self.finished = entries[-1], True
            return True
        kept = self._kept(entries)
        self.last = entries[kept - 1] if kept else Entry()
        self._size, self._crc = self.last.size, 0
        self._guarded(os.ftruncate, self._rows, self._size)
        self._guarded(os.ftruncate, self._journal, len(header) + 1 + sum(len(line) + 1 for line in lines[:kept]))
        os.lseek(self._rows, 0, os.SEEK_END)
        os.lseek(self._journal, 0, os.SEEK_END)
        self._begun = True
        return True

    def _kept(self, entries: list[Entry]) -> int:
        """Return how many entries hold: where a crash of the machine has lost rows, not those that tell of them."""
        size = os.fstat(self._rows).st_size
        for kept in range(len(entries), 0, -1):
            entry, before = entries[kept - 1], entries[kept - 2].size if kept > 1 else 0
            if entry.size > size:
                continue
            if not 0 <= before <= entry.size or entry.rows < 0 or entry.source.offset < 0:
                break
            os.lseek(self._rows, before, os.SEEK_SET)
            if zlib.crc32(_read(self._rows, entry.size - before)) != entry.crc:
                break
            return kept
        else:
            return 0
        raise RequestError(f"{self.path}: not what its journal says; start over (--force)")

    def write(self, data: bytes) -> None:
        """Append rows, which count from the next :meth:`commit` on."""
        self._append(self._rows, data)
        self._size += len(data)
        self._crc = zlib.crc32(data, self._crc)

    def commit(self, rows: int, failed: int, first: str, source: Position, done: bool = False) -> None:
        """Record that what was written is good."""
        self._sync(self._rows)
        entry = Entry(rows, failed, first, source, self._size, self._crc, done)
        self._append(self._journal, msgspec.json.encode(entry) + b"\n")
        self._sync(self._journal)
        self.last, self._crc = entry, 0

    def close_rows(self) -> None:
        """Let go of the rows, so that they can be moved."""
        if self._rows >= 0:
            os.close(self._rows)
            self._rows = -1

    def close(self) -> None:
        """Let go of both files, and delete them where there is nothing to resume."""
        self.close_rows()
        os.close(self._journal)
        if self._begun and self.last == Entry():
            self.remove()

    def remove(self) -> None:
        """Delete both files, the journal last: it tells what the other is."""
        for path in (self.path, self.journal_path):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _append(self, file: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._guarded(os.write, file, view) :]

    def _sync(self, file: int) -> None:
        self._guarded(os.fsync, file)

    def _guarded(self, call: Any, *arguments: Any) -> Any:
        """Call the system, and say in full what fails."""
        try:
            return call(*arguments)
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be written ({error.strerror}); "
                "once that is mended, the same command with --resume goes on"
            ) from None


def part_of(target: Path) -> Path:
    """Return where the rows of an output are until it is complete."""
    return target.with_name(f"{target.name}.part")


def journal_of(target: Path) -> Path:
    """Return where the journal of an output is until it is complete."""
    return target.with_name(f"{target.name}.part.journal")


def differences(asked: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words what was asked otherwise than it is now; nothing where all is the same."""
    names = [name for name in {**asked, **now} if asked.get(name) != now.get(name)]
    return ", ".join(f"{name} {_shown(asked.get(name))}, now {_shown(now.get(name))}" for name in names)


def _shown(value: Any) -> str:
    return "none" if value is None or value == "" else str(value)


def sync_folder(path: Path) -> None:
    """Let a file's name be on the disk, too, where the system can do that."""
    with suppress(OSError):
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _read(file: int, size: int) -> bytes:
    """Read so many bytes, fewer at the end of the file."""
    parts = []
    while size > 0 and (part := os.read(file, min(size, _BLOCK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _lock(file: int, path: Path) -> None:
    """Refuse a journal that another process writes; where the system has no such locks, trust the user."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(file), os.stat(path)):
            raise FileNotFoundError
    except BlockingIOError:
        raise RequestError(f"{path}: another run is writing it") from None
    except FileNotFoundError:  # deleted between opening and locking it
        raise RequestError(f"{path}: another run has just ended; see what it has left") from None
    except OSError:  # not on this file system
        return
