"""How often a hand scoops all opponents dealt from its own deck, by how often it scoops as many of decks apart.

Tables take opponents for independent where home runs count; this says by how much they are not.
Usage: python benchmarks/measure_coupling.py [DEALS]
"""

import os
import sys
from dataclasses import replace

import numpy as np

from solver.deals import PLAYS, deal
from solver.presets import preset_names
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import Array, Game, lower


def scooped(game: Game, mine: Array, theirs: Array) -> Array:
    """Return whether the first rows scoop the others, shape (deals,)."""
    results = np.sign(mine.astype(np.int32) - theirs.astype(np.int32)) @ np.array([9, 3, 1]) + 13
    return np.asarray(game.pay.scoops[results] > 0)


def coupling(name: str, players: int, deals: int) -> tuple[float, float]:
    """Return the ratio and its standard error."""
    rules = load_rules(name)
    game, table = lower(rules, players), load_strategy("equilibrium", rules, players)
    # One opponent more, who is the hand that scoops.
    found = deal(replace(game, players=players + 1), (), (), deals, table, seed=1, jobs=os.cpu_count() or 1)
    rows, plays = found.strengths, found.places == PLAYS
    together, apart = plays[:, 0].copy(), plays[:, 0].copy()
    for seat in range(1, players):
        together &= scooped(game, rows[:, 0], rows[:, seat]) & plays[:, seat]
        other = np.roll(np.arange(deals), seat)
        apart &= scooped(game, rows[:, 0], rows[other, seat]) & plays[other, seat]
    ratio = together.mean() / apart.mean()
    return float(ratio), float(ratio * np.sqrt(1 / together.sum() + 1 / apart.sum()))


def main(deals: str = "300000") -> None:
    for name in preset_names():
        rules = load_rules(name)
        for players in range(3, rules.players[1] + 1):
            if lower(rules, players).pay.home_run:
                ratio, error = coupling(name, players, int(deals))
                print(f"{name}, {players} seats: {ratio:.3f} +- {error:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
