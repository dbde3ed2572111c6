"""Train the equilibrium tables that come with the package, each from nothing with seed 0.

Usage: python benchmarks/build_equilibrium.py [RULES ...]
"""

import resource
import sys
import time
from importlib import resources
from pathlib import Path

from solver.rules import load_rules
from solver.training import running, train_into

SHIPPED = ("2-4", "1-6")


def main(names: list[str]) -> None:
    with resources.as_file(resources.files("solver") / "strategies") as folder:
        for name in names or SHIPPED:
            rules = load_rules(name)
            path, start = Path(folder) / f"equilibrium-{rules.fingerprint()}.npz", time.perf_counter()
            gain = running(train_into(str(path), rules))
            taken = time.perf_counter() - start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{name}: {path.name}, {path.stat().st_size:,} bytes, {taken:.0f} s, {memory:,.0f} MB at most, "
                f"best response {gain.units:.4f} +- {gain.stderr:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
