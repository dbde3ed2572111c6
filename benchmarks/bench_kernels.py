"""Speed of ranking, arranging and a whole answer, each asserting its result.

Run: pytest -o python_files="bench_*.py" -o python_functions="bench_*" benchmarks
"""

import numpy as np
import pytest

from solver import kernels
from solver.advice import best
from solver.bench import random_hands
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import lower, subsets

HANDS = random_hands(500, seed=1)
ORDER, SPLITS, TABLE = load_strategy("balanced", load_rules("2-4")).kernel_arguments(lower(load_rules("2-4")))


def bench_ranking_500_hands(benchmark):
    kernels.rank_hands(HANDS, ORDER, SPLITS)
    assert benchmark(kernels.rank_hands, HANDS, ORDER, SPLITS) > 0


def bench_arranging_500_hands(benchmark):
    fast, plain = np.empty((500, 3), np.int64), np.empty((500, 3), np.int64)
    kernels.arrange_hands(HANDS, ORDER, SPLITS, TABLE, fast)
    benchmark(kernels.arrange_hands, HANDS, ORDER, SPLITS, TABLE, fast)
    kernels.arrange_hands_plain(HANDS, ORDER, SPLITS, TABLE, subsets().pair_a, subsets().pair_b, plain)
    assert (fast[:, 0] == plain[:, 0]).all()


def bench_arranging_500_hands_by_the_plain_loop(benchmark):
    plain = np.empty((500, 3), np.int64)
    arguments = (HANDS, ORDER, SPLITS, TABLE, subsets().pair_a, subsets().pair_b, plain)
    kernels.arrange_hands_plain(*arguments)
    benchmark(kernels.arrange_hands_plain, *arguments)
    assert (plain[:, 0] > 0).all()


@pytest.mark.parametrize("rules", ["2-4", "mainland"])
def bench_answer_of_10000_deals(benchmark, rules):
    text = "As Kd Qh Js Tc 9d 8h 7s 6c 5d 4h 3s 2c"
    best(text, rules=rules, deals=100)
    assert benchmark(best, text, rules=rules, deals=10_000, precision=0).deals == 10_000
