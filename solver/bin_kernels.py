"""The compiled function behind the worth of bins, apart from :mod:`solver.kernels` since it calls none of them."""

import numpy as np

from solver.compiling import compiled


@compiled
def compare(mass, below, total, won, tied, out):  # type: ignore[no-untyped-def]
    """Write what an own bin loses to, ties and beats of opponents' bins along an axis.

    Parameters
    ----------
    mass, below, total : (n, fronts) float64
        Share of opponents in the same bin, in those below it, and in all.
    won, tied : float
        Shares of the same bin that are beaten and tied.
    out : (3, n, fronts) float64
        Written.
    """
    for m in range(mass.shape[0]):
        for f in range(mass.shape[1]):
            x = mass[m, f]
            out[2, m, f] = below[m, f] + x * won
            out[1, m, f] = x * tied
            out[0, m, f] = total[m, f] - below[m, f] - x * (won + tied)


@compiled
def add_fronts(  # type: ignore[no-untyped-def]
    mass, won, tied, level, levels, legal, units, index, own, theirs, profiles, out
):
    """Add what fronts win from opponents whose middles and backs have been compared.

    Parameters
    ----------
    mass : (fronts,) float64
        Share of these opponents by their front.
    won, tied, level, levels
        Of fronts, as in :func:`bin_worth`.
    legal : (fronts,) bool
    units : (p, p, 27) float64
        As in :func:`bin_worth`; ``index`` are the results of middle and back, ``own`` and ``theirs`` the profiles of
        the first front level, and ``profiles`` is how many there are of each front level.
    out : (fronts,) float64
        Added to.
    """
    totals, below = np.zeros(levels), np.zeros(levels)
    for f in range(mass.shape[0]):
        totals[level[f]] += mass[f]
    for f in range(mass.shape[0]):
        i = level[f]
        if legal[f]:
            total = 0.0
            for h in range(levels):
                x = mass[f] if h == i else 0.0
                win, tie = below[h] + x * won[f], x * tied[f]
                paid = units[i * profiles + own, h * profiles + theirs]
                total += paid[18 + index] * win + paid[9 + index] * tie + paid[index] * (totals[h] - win - tie)
            out[f] += total
        below[i] += mass[f]


@compiled
def add_middles(by_back, won, tied, levels, sizes, units, own_back, legal, out):  # type: ignore[no-untyped-def]
    """Write what middles and fronts win with one back, against opponents whose backs have been compared with it.

    Parameters
    ----------
    by_back : (levels of backs, 3, middles, fronts) float64
        Share of opponents by their back's level and the own back's result.
    own_back : int
        Level of the own back.
    legal, out : (middles, fronts)
        As in :func:`bin_worth`, as are the other arguments.
    """
    n_back, n_middle, n_front = sizes
    level = levels[1]
    totals = np.zeros((n_back, 3, n_middle, out.shape[1]))
    below = np.zeros((n_back, 3, n_middle, out.shape[1]))
    results = np.empty((3, 1, out.shape[1]))
    for m in range(out.shape[0]):
        totals[:, :, level[m]] += by_back[:, :, m]
    for m in range(out.shape[0]):
        out[m] = 0.0
        if legal[m].any():
            for k in range(n_back):
                for back in range(3):
                    for j in range(n_middle):
                        inside, at = j == level[m], slice(j, j + 1)
                        mass, beaten, level_with = by_back[k, back, m : m + 1], inside * won[1][m], inside * tied[1][m]
                        compare(mass, below[k, back, at], totals[k, back, at], beaten, level_with, results)
                        for middle in range(3):
                            if results[middle, 0].any():
                                own, theirs, index = level[m] * n_back + own_back, j * n_back + k, 3 * middle + back
                                add_fronts(
                                    *(results[middle, 0], won[2], tied[2], levels[2], n_front, legal[m], units),
                                    *(index, own, theirs, n_middle * n_back, out[m]),
                                )
        below[:, :, level[m]] += by_back[:, :, m]


@compiled
def bin_worth(mass, won, tied, levels, sizes, units, legal, begin, end, out):  # type: ignore[no-untyped-def]
    """Add up what arrangements in every bin win from a population, for some of the backs.

    Opponents are summed by what each row of theirs is to the own one, axis by axis: those in lower bins are beaten,
    those in higher ones win, and of those in the same bin shares of them do; and all that by their royalties.

    Parameters
    ----------
    mass : (backs, middles, fronts) float64
        Share of opponents in each bin, of any sign.
    won, tied : tuples of three float64 arrays
        Shares of a bin of back, middle and front that a row in the same bin beats and ties.
    levels : tuple of three int64 arrays
        Which royalty a bin of back, middle and front holds, counted from 0.
    sizes : tuple of three int
        How many there are.
    units : (p, p, 27) float64
        What a pair pays by own profile, opponent's profile and row results, as in :func:`pair_outcomes`; profiles
        count front, middle and back levels, the back's fastest.
    legal : (backs, middles, fronts) bool
        Bins to work out.
    begin, end : int
        The backs to work out.
    out : (backs, middles, fronts) float64
        Written.
    """
    backs, middles, fronts = mass.shape
    back_won, back_tied, back_level, n_back = won[0], tied[0], levels[0], sizes[0]
    # By the opponents' level and the own result, lost, tied or won: what remains of the mass after each axis.
    totals = np.zeros((n_back, middles, fronts))
    below = np.zeros((n_back, middles, fronts))
    for b in range(backs):
        totals[back_level[b]] += mass[b]
        if b < begin:
            below[back_level[b]] += mass[b]
    by_back = np.empty((n_back, 3, middles, fronts))
    for b in range(begin, end):
        for k in range(n_back):
            inside = k == back_level[b]
            compare(mass[b], below[k], totals[k], inside * back_won[b], inside * back_tied[b], by_back[k])
        below[back_level[b]] += mass[b]
        add_middles(by_back, won, tied, levels, sizes, units, back_level[b], legal[b], out[b])
