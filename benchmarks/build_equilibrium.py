"""Train the equilibrium tables that come with the package, each from nothing with seed 0.

Where units depend on the seats, there is one for every number of them.
Usage: python benchmarks/build_equilibrium.py [RULES ...]
"""

import resource
import sys
import time
from importlib import resources
from pathlib import Path

from solver.presets import preset_names
from solver.rules import load_rules
from solver.tables import Game, lower
from solver.training import running, train_into


def games(names: list[str]) -> list[Game]:
    """Return one game for each table, those of two players first."""
    found: dict[str, Game] = {}
    for players in (2, 4, 3):
        for name in names:
            rules = load_rules(name)
            if rules.players[0] <= players <= rules.players[1]:
                game = lower(rules, players)
                found.setdefault(game.key, game)
    return list(found.values())


def main(names: list[str]) -> None:
    with resources.as_file(resources.files("solver") / "strategies") as folder:
        for game in games(names or preset_names()):
            path, start = Path(folder) / f"equilibrium-{game.key}.npz", time.perf_counter()
            gain = running(train_into(str(path), game.rules, players=game.players))
            taken = time.perf_counter() - start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{game.rules.name}, {game.players} seats: {path.name}, {path.stat().st_size:,} bytes, {taken:.0f} s, "
                f"{memory:,.0f} MB at most, best response {gain.units:.4f} +- {gain.stderr:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
