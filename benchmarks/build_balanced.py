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
from solver.strategies import Strategy, bins_of, legal_cells, quantile_edges
from solver.tables import ranking

SEED = 13
ROUNDS = 8
HANDS = 60_000
BINS = {"front": 48, "middle": 115, "back": 114}
SIZES = {"front": THREE_CLASSES, "middle": FIVE_CLASSES, "back": FIVE_CLASSES}


def table(wheel: str, mass: dict[str, np.ndarray]) -> Strategy:
    edges = {row: quantile_edges(mass[row], BINS[row]) for row in BINS}
    quantile = {}
    for row, size in SIZES.items():
        share = np.bincount(bins_of(edges[row], size), weights=mass[row]) / mass[row].sum()
        quantile[row] = np.cumsum(share) - share / 2
    total = quantile["back"][:, None, None] + quantile["middle"][None, :, None] + quantile["front"][None, None, :]
    values = np.where(legal_cells(edges, ranking(wheel)), np.rint(10_000 * total), -32768).astype(np.int16)
    return Strategy("balanced", f"ranking:{wheel}", edges, values, (0.0, 1e-4))


def main() -> None:
    for wheel in ("lowest", "second"):
        mass = {row: np.ones(size) for row, size in SIZES.items()}
        for number in range(ROUNDS):
            out = np.empty((HANDS, 1, 3), np.uint16)
            rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(number,)))
            deck = np.array(DECK, np.int64)
            kernels.deal_opponents(rng, deck, *table(wheel, mass).kernel_arguments(wheel), out)
            for k, (row, size) in enumerate(SIZES.items()):
                mass[row] = np.bincount(out[:, 0, k], minlength=size).astype(np.float64) + 1e-9
        with resources.as_file(resources.files("solver") / "strategies") as folder:
            path = Path(folder) / f"balanced-{wheel}.npz"
            table(wheel, mass).save(path, ranking(wheel))
            print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
