"""Compiled functions for what pairs of players pay: units by row results, and their sums over deals.

Apart from :mod:`solver.kernels` since neither calls the other; what is said there holds here.
"""

import numpy as np

from solver.compiling import compiled, inlined


@compiled
def payable(own, other, won, sign, both, cancel, one):  # type: ignore[no-untyped-def]
    """Return one side's payable royalties.

    Parameters
    ----------
    own, other : (4,) float64
        Royalties of the rows (-1 for none) and of a split hand, of the side paid and of the other.
    won : tuple of 3 int
        Row results seen from the first player.
    sign : int
        1 for the first player, -1 for the second.
    both, cancel, one : bool
        Paid whatever the row's result; nothing where both hold one; only the largest counts.
    """
    total = max(own[3], 0.0)
    for row in range(3):
        if (both or won[row] == sign) and own[row] > 0 and not (cancel and other[row] >= 0):
            total = max(total, own[row]) if one else total + own[row]
    return total


@compiled
def pair_outcome(r, mine, theirs, units):  # type: ignore[no-untyped-def]
    """Return the units and the net royalties of a pair of legal arrangements, seen from the first player.

    Parameters
    ----------
    r : tuple of 3 int
        Results of front, middle and back: 1 won, 0 tied, -1 lost.
    mine, theirs : (4,) float64
        Royalties of the rows, -1 for none, and of a split hand.
    units : tuple
        From :meth:`solver.tables.PairTables.kernel_arguments`.

    Returns
    -------
    (float, float)
        Units without a home run; royalties alone, before the scoop multiplier.
    """
    row_units, overall, multiplier, _, by_total, replace, both, cancel, one, _, _ = units
    index = 9 * r[0] + 3 * r[1] + r[2] + 13
    royalties = payable(mine, theirs, r, 1, both, cancel, one) - payable(theirs, mine, r, -1, both, cancel, one)
    total = royalties
    for row in range(3):
        if not (replace and (mine[row] if r[row] > 0 else theirs[row]) >= 0):
            total += r[row] * row_units[row]
    if by_total != 0 and abs(r[0] + r[1] + r[2]) != 3:
        total += by_total * (int(total > 0) - int(total < 0))
    return (total + overall[index]) * multiplier[index], royalties


@compiled
def pair_outcomes(mine, theirs, status, units, totals, royalties):  # type: ignore[no-untyped-def]
    """Write what a pair pays for every pairing of royalties and all 27 row results.

    Parameters
    ----------
    mine, theirs : (n, 4), (m, 4) float64
        Royalties of the rows, -1 for none, and of a split hand.
    status : (m,) uint8
        Bits: 1 where there are no rows to compare with this opponent; 2 where he has scooped all others, so that
        scooping the player too makes his home run.
    units : tuple
        From :meth:`solver.tables.PairTables.kernel_arguments`.
    totals, royalties : (n, m, 27) float64
        Units with the opponent's home run in them, and net royalties alone, written; by row results
        ``9 * (front + 1) + 3 * (middle + 1) + (back + 1)``.
    """
    scoops, home_multiplier, home_extra = units[3], units[9], units[10]
    for i in range(mine.shape[0]):
        for j in range(theirs.shape[0]):
            for index in range(27):
                totals[i, j, index] = royalties[i, j, index] = 0.0
                if not status[j] & 1:
                    r = (index // 9 - 1, index // 3 % 3 - 1, index % 3 - 1)
                    total, net = pair_outcome(r, mine[i], theirs[j], units)
                    if status[j] & 2 and scoops[index] < 0:
                        total = total * home_multiplier - home_extra
                    totals[i, j, index] = total
                    royalties[i, j, index] = net


@inlined
def deal_total(deal, rows, opponents, profiles, pairs, scoops, home):  # type: ignore[no-untyped-def]
    """Return what a candidate wins in one deal in the pairs with rows to compare; arguments as in :func:`deal_totals`.

    Results are counted without branches, which nobody could predict.
    """
    f, m, b = rows
    home_run, multiplier, extra = home
    total = 0.0
    scooped = 0
    everybody = opponents.shape[1]
    for o in range(everybody):
        x, y, z = opponents[deal, o, 0], opponents[deal, o, 1], opponents[deal, o, 2]
        front, middle, back = int(f > x) + int(f >= x), int(m > y) + int(m >= y), int(b > z) + int(b >= z)
        index, profile = np.uint64(9 * front + 3 * middle + back), np.uint64(profiles[deal, o])
        total += pairs[profile, index]
        if home_run:
            scooped += scoops[profile, index]
    if home_run and scooped == everybody:
        total = total * multiplier + extra * everybody
    return total


@compiled
def deal_totals(candidate, opponents, profiles, pairs, scoops, home, settled, out):  # type: ignore[no-untyped-def]
    """Write a candidate's units in every deal, against all opponents together.

    Parameters
    ----------
    candidate : (3,) uint16
        What its rows are compared by.
    opponents : (deals, opponents, 3) uint16
        The same of theirs.
    profiles : (deals, opponents) uint32
        Which of the pairings in ``pairs`` an opponent is.
    pairs : (m, 27) float64
        Units of a pair, from :func:`pair_outcomes`.
    scoops : (m, 27) bool
        Whether row results scoop an opponent of this profile.
    home : (bool, float, float)
        Whether the candidate can make a home run, what that multiplies by, and what it adds for each opponent.
    settled : (deals,) float64
        Units of the pairs without rows to compare.
    out : (deals,) float64
        Written.
    """
    rows = candidate[0], candidate[1], candidate[2]
    for deal in range(opponents.shape[0]):
        out[deal] = deal_total(deal, rows, opponents, profiles, pairs, scoops, home) + settled[deal]


@compiled
def scoops_of_others(opponents, declared, scoops, banker, out):  # type: ignore[no-untyped-def]
    """Mark the opponents who scoop every other opponent, among those who compare rows.

    Parameters
    ----------
    opponents : (deals, opponents, 3) uint16
        What their rows are compared by.
    declared : (deals, opponents) bool
        Whether an opponent declares a natural.
    scoops : (27,) int8
        1 where row results scoop.
    banker : bool
        Whether only the first opponent can make a home run.
    out : (deals, opponents) bool
        Written.
    """
    for deal in range(opponents.shape[0]):
        for j in range(opponents.shape[1]):
            out[deal, j] = not declared[deal, j] and (j == 0 or not banker)
            for i in range(opponents.shape[1]):
                if i != j and out[deal, j]:
                    index = 13
                    for row in range(3):
                        x, y = opponents[deal, j, row], opponents[deal, i, row]
                        index += (int(x > y) - int(x < y)) * (9, 3, 1)[row]
                    out[deal, j] = not declared[deal, i] and scoops[index] > 0


@compiled
def accumulate(  # type: ignore[no-untyped-def]
    candidates, own, opponents, profiles, pairs, scoops, home, settled, baseline, out
):
    """Write the sum and the sum of squares of what every candidate wins over a baseline, deal by deal.

    Parameters
    ----------
    candidates : (n, 3) uint16
        What their rows are compared by.
    own : (n,) int64
        Which of the pairings in ``pairs`` each candidate is.
    pairs : (k, m, 27) float64
        From :func:`pair_outcomes`.
    baseline : (deals,) float64
        Units to compare with in the same deals.
    out : (n, 2) float64
        Written; the other arguments are as in :func:`deal_totals`.
    """
    for c in range(candidates.shape[0]):
        rows, paid = (candidates[c, 0], candidates[c, 1], candidates[c, 2]), pairs[own[c]]
        first = 0.0
        second = 0.0
        for deal in range(opponents.shape[0]):
            total = deal_total(deal, rows, opponents, profiles, paid, scoops, home)
            x = total + settled[deal] - baseline[deal]
            first += x
            second += x * x
        out[c, 0] = first
        out[c, 1] = second


@compiled
def count_results(candidate, opponents, profiles, out):  # type: ignore[no-untyped-def]
    """Count the row results of a candidate by the opponent's profile.

    Parameters
    ----------
    out : (m, 27) int64
        Added to, by row results as in :func:`pair_outcomes`; the other arguments are as in :func:`deal_totals`.
    """
    for deal in range(opponents.shape[0]):
        for o in range(opponents.shape[1]):
            index = 13
            for row in range(3):
                x, y = candidate[row], opponents[deal, o, row]
                index += (int(x > y) - int(x < y)) * (9, 3, 1)[row]
            out[profiles[deal, o], index] += 1
