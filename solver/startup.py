"""How long whole commands take, measured as processes: what they cost beside the answer, and the first of all."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from tempfile import TemporaryDirectory

from solver.errors import RequestError

ROUNDS = 15
IMPORT = "import numba"


def _environment() -> dict[str, str]:
    """Return the caller's environment without what changes a command, and with bytecode kept as installations do."""
    ours = {name for name in os.environ if name.startswith("CAPSA_")} | {"PYTHONDONTWRITEBYTECODE"}
    return {name: value for name, value in os.environ.items() if name not in ours}


def _seconds(words: Sequence[str], environment: dict[str, str]) -> float:
    """Return how long Python takes from its start to its end."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, check=False)
    taken = time.perf_counter() - start
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise RequestError(f"'{' '.join(words)}' ended with {done.returncode}: {said}")
    return taken


def warm(hands: Sequence[str]) -> dict[str, float]:
    """Return the median seconds of ``import numba`` and of commands whose kernels are compiled already.

    The commands take turns, so that noise falls on all of them; every round answers another hand, after one round more
    that leaves bytecode and kernels behind.
    """
    environment = _environment()
    times: dict[str, list[float]] = {}
    for at in range(min(ROUNDS, len(hands) - 1) + 1):
        commands = {
            IMPORT: ("-c", IMPORT),
            "capsa --help": ("-m", "solver", "--help"),
            "capsa best --quick": ("-m", "solver", "best", "--quick", hands[at]),
            "capsa best, 20,000 deals": ("-m", "solver", "best", hands[at]),
        }
        for name, words in commands.items():
            taken = _seconds(words, environment)
            if at:
                times.setdefault(name, []).append(taken)
    return {name: statistics.median(taken) for name, taken in times.items()}


def first(hand: str) -> float:
    """Return how many seconds the first answer takes after installation, which compiles all that it needs."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return _seconds(("-m", "solver", "best", "--deals", "100", hand), _environment() | {"NUMBA_CACHE_DIR": folder})
