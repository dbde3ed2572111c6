"""Compiled functions for answers to many hands, apart from :mod:`solver.kernels` since neither calls the other."""

import numpy as np

from solver.compiling import compiled


@compiled
def apart(hands, cards, start, out):  # type: ignore[no-untyped-def]
    """Write which hands share no card with some cards, from a place on and until there are as many as ``out`` holds.

    Parameters
    ----------
    hands : (n, 1) uint64
    cards : uint64
        A bit each.
    out : (m,) int64
        Written, ascending.

    Returns
    -------
    (int, int)
        How many are written, and the place after the last hand that was looked at.
    """
    found = 0
    at = start
    while at < hands.shape[0] and found < out.shape[0]:
        out[found] = at
        found += int(hands[at, 0] & cards == 0)  # without a branch, which would be mispredicted
        at += 1
    return found, at


@compiled
def lay_hands(hands, fronts, backs, subsets, low_middle, low_back, out):  # type: ignore[no-untyped-def]
    """Write arrangements as players lay them, which :func:`solver.arrangements.ordered` describes.

    Parameters
    ----------
    hands : (n, 13) int64
        Card ids, each hand ascending.
    fronts, backs : (n,) int64
        Subsets of positions.
    low_middle, low_back : bool
        Whether the ace of A-2-3-4-5 stands last in these rows.
    out : (n, 13) uint8
        Front, middle and back, written.
    """
    five_mask, fives, threes = subsets[1], subsets[5], subsets[6]
    row = np.empty(13, np.int64)
    keys = np.empty(13, np.int64)
    for n in range(hands.shape[0]):
        taken = np.int64(five_mask[backs[n]])
        for k in range(3):
            row[k] = hands[n, threes[fronts[n], k]]
            taken |= 1 << threes[fronts[n], k]
        for k in range(5):
            row[8 + k] = hands[n, fives[backs[n], k]]
        at = 3
        for k in range(13):
            if not taken >> k & 1:
                row[at] = hands[n, k]
                at += 1
        for begin, end, low in ((0, 3, False), (3, 8, low_middle), (8, 13, low_back)):
            ranks = 0
            for k in range(begin, end):
                ranks |= 1 << (row[k] >> 2)
            low_ace = low and ranks == 0b1000000001111
            for k in range(begin, end):
                same = 0
                for i in range(begin, end):
                    same += int(row[i] >> 2 == row[k] >> 2)
                keys[k] = 64 * same + row[k] - (52 if low_ace and row[k] >> 2 == 12 else 0)
            for k in range(begin, end):
                place = begin
                for i in range(begin, end):
                    place += int(keys[i] > keys[k])
                out[n, place] = row[k]
