"""What the parts of an equilibrium table bring: exploitability with each left out.

Usage: python benchmarks/ablate_equilibrium.py [RULES [HANDS [DEALS]]]
"""

import sys
from dataclasses import replace

import numpy as np

from solver.exploit import exploitability
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy, plain_fine
from solver.tables import lower


def variants(table: Strategy) -> dict[str, Strategy]:
    assert table.removal is not None
    ranks_only = table.removal.copy()
    ranks_only[13] = 0
    suits_only = np.zeros_like(table.removal)
    suits_only[13] = table.removal[13]
    return {
        "all parts": table,
        "no correction for suit spread": replace(table, removal=ranks_only),
        "no correction for ranks": replace(table, removal=suits_only),
        "no correction for the hand's own cards": replace(table, removal=None),
        "no fine terms within bins": replace(table, fine=plain_fine()),
        "neither": replace(table, removal=None, fine=plain_fine()),
    }


def main(name: str = "2-4", hands: str = "1000", deals: str = "50000") -> None:
    rules = load_rules(name)
    for label, table in variants(load_strategy("equilibrium", rules)).items():
        found = exploitability(table, lower(rules), hands=int(hands), deals=int(deals), jobs=2)
        print(
            f"{name}, {label:<40} {found.lower:.4f} +- {found.lower_stderr:.4f} to "
            f"{found.upper:.4f} +- {found.upper_stderr:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
