"""Build the tables of the `balanced` strategy: each row's strength quantile among hands set so, summed.

The quantiles are those of the population that sets its own hands by them, found by repeated play from even quantiles.
Usage: python benchmarks/build_balanced.py
"""

from importlib import resources
from pathlib import Path

import numpy as np

from solver import kernels
from solver.cards import DECK
from solver.ranks import FIVE_CLASSES, THREE_CLASSES
from solver.rules import load_rules
from solver.strategies import RANKINGS, Strategy, bins_of, legal_cells, quantile_edges, write_parts
from solver.tables import Game, lower

SEED = 13
ROUNDS = 8
HANDS = 60_000
BINS = {"front": 48, "middle": 115, "back": 114}
SIZES = {"front": THREE_CLASSES, "middle": FIVE_CLASSES, "back": FIVE_CLASSES}


def table(name: str, mass: dict[str, np.ndarray]) -> tuple[Strategy, dict[str, np.ndarray]]:
    edges = {row: quantile_edges(mass[row], BINS[row]) for row in BINS}
    quantile = {}
    for row, size in SIZES.items():
        share = np.bincount(bins_of(edges[row], size), weights=mass[row]) / mass[row].sum()
        quantile[row] = np.rint(10_000 * (np.cumsum(share) - share / 2)).astype(np.int16)
    total = quantile["back"][:, None, None] + quantile["middle"][None, :, None] + quantile["front"][None, None, :]
    values = np.where(legal_cells(edges, "deuce" in name), total, -32768).astype(np.int16)
    return Strategy("balanced", name, "", edges, values, (0.0, 1e-4)), quantile


def population(game: Game, strategy: Strategy, seed: int) -> np.ndarray:
    """Return the orders of front, middle and back of random hands set by a strategy, shape (HANDS, 3)."""
    classes, strengths = np.empty((2, HANDS, 1, 3), np.uint16)
    places, hands, strongest = (np.empty((HANDS, 1), kind) for kind in (np.int8, np.uint64, np.uint16))
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(seed,)))
    ranks, splits, own = strategy.kernel_arguments(game)
    arguments = (
        *(ranks, splits, own, own),
        game.contest.kernel_arguments(),
        game.naturals.kernel_arguments(),
        False,
    )
    kernels.deal_opponents(rng, np.array(DECK), *arguments, classes, strengths, places, hands, strongest)
    return strengths[:, 0] // 4


def main() -> None:
    for name in RANKINGS:
        wheel, _, middle = name.partition("+")
        game = lower(load_rules("2-4", [f"ranking.wheel={wheel}", f"ranking.middle={middle or 'high'}"]))
        mass = {row: np.ones(size) for row, size in SIZES.items()}
        for number in range(ROUNDS):
            found = population(game, table(name, mass)[0], number)
            for k, (row, size) in enumerate(SIZES.items()):
                mass[row] = np.bincount(found[:, k], minlength=size).astype(np.float64) + 1e-9
        with resources.as_file(resources.files("solver") / "strategies") as folder:
            path = Path(folder) / f"balanced-{name}.npz"
            strategy, quantile = table(name, mass)
            write_parts(path, strategy, **{f"{row}_values": values for row, values in quantile.items()})
            print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
