"""Files that are replaced in one step or not at all, and where the user's are kept."""

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from solver.errors import CapsaError


def user_cache() -> Path:
    """Return the folder of the user's that holds what can be made again; it need not exist.

    Where there is no home, it is one that cannot be made.
    """
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(chosen):  # others are to be ignored, says the XDG base directory specification
        return Path(chosen) / "capsa"
    home = os.path.expanduser("~")
    return Path(home, ".cache", "capsa") if os.path.isabs(home) else Path(os.devnull) / "capsa"


def user_data() -> Path:
    """Return the folder of the user's that holds what cannot be made again; it need not exist.

    Where there is no home, it is one that cannot be made.
    """
    from platformdirs import user_data_path  # here, since help and answers need no such folder

    found = user_data_path("capsa", appauthor=False)
    return found if found.is_absolute() else Path(os.devnull) / "capsa"


def append_line(path: str | os.PathLike[str], line: bytes) -> None:
    """Append a line to a file, which is made with its folder where it is missing.

    It is written at once, to the end as that is by then: several programs can append to one file, and none loses what
    it has written when it is killed. Where the last line was left unfinished, the new one does not go on with it.

    Raises
    ------
    OSError
        If it cannot be written, or not all of it.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    data = line + b"\n"
    with open(target, "ab+", buffering=0) as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            data = data if file.read(1) == b"\n" else b"\n" + data
        if file.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _places(target: Path) -> tuple[Path, Path]:
    """Return where a file is to stand, links followed so that they stay, and beside it where it is made."""
    place = Path(os.path.realpath(target))
    return place, place.with_name(f"{place.name}.{os.getpid()}.part")


def check_writable(path: str | os.PathLike[str], error: type[CapsaError]) -> None:
    """Refuse a file that could not be written, before any work is done for it.

    Raises
    ------
    CapsaError
        Of the kind given, naming the file and why.
    """
    target = Path(path)
    try:
        _, part = _places(target)
        folder = part.parent
        if not folder.is_dir():
            raise error(f"{target}: no such folder")
        with suppress(FileNotFoundError):
            kind = os.stat(target).st_mode
            if stat.S_ISDIR(kind):
                raise error(f"{target}: is a folder, expected a file")
            if not stat.S_ISREG(kind):
                raise error(f"{target}: is a device or a pipe, expected a file")
        with suppress(FileNotFoundError):
            os.stat(part)  # a name that is too long
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise error(f"{target}: cannot be written ({problem.strerror})") from None


def write_whole(path: str | os.PathLike[str], data: bytes | memoryview, error: type[CapsaError]) -> None:
    """Write a file in one step or not at all.

    Raises
    ------
    CapsaError
        Of the kind given, naming the file and why.
    """
    target = Path(path)
    place, part = _places(target)
    try:
        part.write_bytes(data)
        os.replace(part, place)
    except OSError as problem:
        raise error(f"{target}: cannot be written ({problem.strerror})") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
