"""Speed of what rules add: naturals, and the units of a pair in every rule set, each asserting its result.

Run: pytest -o python_files="bench_*.py" -o python_functions="bench_*" benchmarks
"""

import numpy as np
import pytest

from solver import kernels
from solver.bench import random_hands
from solver.candidates import candidates
from solver.deals import deal
from solver.expectation import Table
from solver.naturals import natural_of
from solver.presets import preset_names
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import lower

HAND = tuple(random_hands(1, seed=3)[0].tolist())


def bench_naturals_of_20000_hands(benchmark):
    rules = load_rules("fuzhou")
    hands, tables = random_hands(20_000, seed=2), lower(rules).naturals.kernel_arguments()
    out = np.empty(len(hands), np.int8)
    kernels.natural_places(hands[:1], *tables, out)
    benchmark(kernels.natural_places, hands, *tables, out)
    for hand, place in zip(hands[:1000].tolist(), out[:1000].tolist(), strict=True):
        held = natural_of(hand, rules)
        assert place == (-1 if held is None else held.place)


@pytest.mark.parametrize("name", preset_names())
def bench_units_of_all_pairs_in_2000_deals(benchmark, name):
    rules = load_rules(name)
    game = lower(rules, rules.players[1])
    banker = "me" if rules.table.banker else None
    played = deal(game, HAND, (), 2000, load_strategy("balanced", rules), banker=banker)
    table = Table.of(candidates(HAND, game), played)
    sums = benchmark(table.accumulate, slice(None), np.zeros(len(played)))
    assert sums[0, 0] == pytest.approx(table.totals(0).sum())
