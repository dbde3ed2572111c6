"""What a report of a fault should say: versions of capsa, of Python and of what it uses, and the machine."""

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

import solver

NEEDED = ("numpy", "numba", "llvmlite", "click", "msgspec", "platformdirs")
OPTIONAL = ("matplotlib", "resvg-py", "pyarrow", "distributed")


def versions() -> Iterator[str]:
    """Yield lines: capsa, Python, what it needs, what of the extras is installed, the platform, and the cores."""
    yield f"capsa {solver.__version__}"
    yield f"{platform.python_implementation()} {platform.python_version()}"
    for name in (*NEEDED, *OPTIONAL):
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            if name in NEEDED:
                yield f"{name} is not installed"
    yield platform.platform()
    cores = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    yield f"{usable if usable == cores else f'{usable} of {cores}'} core{'' if cores == 1 else 's'}"
