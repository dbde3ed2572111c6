"""What capsa keeps on disk to be quicker the next time: compiled kernels, and equilibria trained on first use.

Both can be deleted at any time; they are made again when they are needed.
"""

from dataclasses import dataclass
from pathlib import Path

from solver import compiling
from solver.errors import CapsaError, printable
from solver.opponents import kept_folder


@dataclass(frozen=True)
class Cache:
    """Files of a kind.

    Attributes
    ----------
    what : str
        What they are.
    folder : Path or None
        Where they are kept; None where no folder can be written.
    files : tuple of Path
    """

    what: str
    folder: Path | None
    files: tuple[Path, ...]

    @property
    def size(self) -> int:
        """Bytes that they take."""
        return sum(file.lstat().st_size for file in self.files if file.is_symlink() or file.exists())

    def clear(self) -> None:
        """Delete them.

        Raises
        ------
        CapsaError
            If one cannot be deleted.
        """
        for file in self.files:
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                raise CapsaError(f"{printable(str(file))}: cannot be deleted ({error.strerror})") from None


def caches() -> list[Cache]:
    """Return what is kept."""
    compiled, kept = compiling.CACHE, kept_folder()
    # A folder for everything that Numba compiles may hold the kernels of others.
    own = compiling.__name__.partition(".")[0] + "_"
    # Beside what is whole there may be parts that an interrupted write has left, of Numba's and of ours.
    code = [file for ending in ("", ".tmp.*") for file in _found(compiled, f"*kernels.*.nb[ic]{ending}")]
    code = [file for file in code if file.parent == compiled or file.parent.name.startswith(own)]
    tables = [file for ending in ("", ".*.part") for file in _found(kept, f"equilibrium-*.npz{ending}")]
    return [
        Cache("compiled kernels", compiled, tuple(sorted(code))),
        Cache("equilibria trained on first use", kept, tuple(sorted(tables))),
    ]


def _found(folder: Path | None, pattern: str) -> list[Path]:
    """Return the files in a folder; none where it cannot be read."""
    try:
        return [] if folder is None else list(folder.rglob(pattern))
    except OSError:
        return []
