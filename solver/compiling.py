"""Compiling with Numba: how, and where compiled code is kept."""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from solver.errors import CapsaError
from solver.files import user_cache


@contextmanager
def _explained() -> Iterator[None]:
    """Say which variables may be at fault where Numba does not start: it takes its settings from the environment."""
    try:
        yield
    except Exception as error:
        found = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
        cause = f" (the environment sets {', '.join(found)})" if found else ""
        said = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise CapsaError(f"numba cannot be used: {said}{cause}") from error


with _explained():
    import numba


def _writable(folder: Path) -> bool:
    """Whether a file can be made in a folder, which is made first where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path | None:
    """Return where compiled code is kept, or None where nothing can be written.

    That is ``NUMBA_CACHE_DIR`` where it is set and can be written, ``__pycache__`` beside this file where that can be
    written, else a folder of the user's.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen and _writable(Path(chosen)):
        return Path(chosen)
    beside = Path(__file__).parent / "__pycache__"
    if _writable(beside):
        return beside
    home = user_cache() / "kernels"
    if _writable(home):
        setattr(numba.config, "CACHE_DIR", str(home))  # noqa: B010 (numba does not declare it)
        return home
    return None


CACHE = cache_folder()
if CACHE is None:
    warnings.warn(
        "no folder for compiled code can be written, so every run compiles anew (set NUMBA_CACHE_DIR)", stacklevel=2
    )


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a kernel on first use, keep it on disk where possible, and let other threads run meanwhile."""
    with _explained():
        kernel = numba.njit(nogil=True, cache=CACHE is not None)(function)
    files = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if files is not None:
        files.save = _alone(files.save)
    return kernel


def _alone(save: Callable[..., None]) -> Callable[..., None]:
    """Let one process at a time save compiled code.

    Numba reads an index, takes a file name that is free there, and writes the index: two processes that compile the
    same kernel for other types would give both the same name.
    """

    def saved(*arguments: Any) -> None:
        assert CACHE is not None
        with suppress(ImportError, OSError), open(CACHE / "kernels.lock", "w") as lock:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
            save(*arguments)
            return
        save(*arguments)  # no such locks here

    return saved


inlined = numba.njit(inline="always")
"""For what is put into the kernels that call it: calling it for every deal would cost more than its work."""


def is_cached(kernel: str) -> bool:
    """Whether the compiled code of a kernel, ``module.name``, is on disk."""
    return CACHE is not None and any(CACHE.rglob(f"{kernel}-*.nbc"))
