"""Every compiled function: arrays in, arrays out, nothing checked and nothing allocated that a caller could see.

They stand in one module because a cached function is recompiled when its own file changes, not when a callee in another
file does. All release the GIL, so threads run them side by side. Strengths are as in :mod:`solver.ranks`, lookup arrays
as in :mod:`solver.tables`; a hand is thirteen card ids in ascending order.
"""

import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np


def _writable(folder: Path) -> bool:
    """Whether a file can be made in a folder, which is made first where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path | None:
    """Return where compiled code is kept, or None where nothing can be written.

    That is ``NUMBA_CACHE_DIR`` where it is set and can be written, ``__pycache__`` beside this file where that can be
    written, else a folder of the user's.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen and _writable(Path(chosen)):
        return Path(chosen)
    beside = Path(__file__).parent / "__pycache__"
    if _writable(beside):
        return beside
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "capsa" / "kernels"
    if _writable(home):
        setattr(numba.config, "CACHE_DIR", str(home))  # noqa: B010 (numba does not declare it)
        return home
    return None


CACHE = cache_folder()
if CACHE is None:
    warnings.warn(
        "no folder for compiled code can be written, so every run compiles anew (set NUMBA_CACHE_DIR)", stacklevel=2
    )


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a kernel on first use, keep it on disk where possible, and let other threads run meanwhile."""
    return numba.njit(nogil=True, cache=CACHE is not None)(function)


def is_cached() -> bool:
    """Whether compiled code of this module is on disk, so that nothing will be compiled."""
    return CACHE is not None and any(CACHE.rglob("kernels.deal_opponents-*.nbc"))


@compiled
def rank_subsets(cards, five_table, three_table, flush_table, colex, five_at, out_five, out_three):  # type: ignore[no-untyped-def]
    """Rank all 1,287 fives and 286 threes of a hand, in lexicographic order of positions.

    Suits are ignored in the loop; afterwards the subsets of every suit with five cards or more are overwritten.

    Parameters
    ----------
    cards : (13,) int64
        Card ids, ascending.
    out_five : (1287,) uint16
        Strengths of five cards, written.
    out_three : (286,) uint16
        Strengths of three cards, written.
    """
    # Unsigned indices spare the check for negative ones, which count from the end.
    one = np.uint64(1)
    term = np.empty((3, 13), np.uint64)
    for k in range(3):
        for i in range(13):
            term[k, i] = colex[k, cards[i] >> 2]
    # The sums of the last two cards in lexicographic order: those above any card are the end of the list, so that the
    # inner loop is as long and as plain as can be.
    pairs = np.empty(78, np.uint64)
    first_pair = np.empty(13, np.uint64)
    n_pairs = np.uint64(0)
    for d in range(12):
        first_pair[d] = n_pairs
        for e in range(d + 1, 13):
            pairs[n_pairs] = colex[3, cards[d] >> 2] + colex[4, cards[e] >> 2]
            n_pairs += one
    first_pair[12] = n_pairs
    at = np.uint64(0)
    at_three = np.uint64(0)
    for a in range(11):
        for b in range(a + 1, 12):
            sum_b = term[0, a] + term[1, b]
            for c in range(b + 1, 13):
                total = sum_b + term[2, c]
                out_three[at_three] = three_table[total]
                at_three += one
                if c < 12:
                    for pair in range(first_pair[c + 1], n_pairs):
                        out_five[at] = five_table[total + pairs[pair]]
                        at += one
    places = np.empty(13, np.int64)
    for suit in range(4):
        n = 0
        for i in range(13):
            if cards[i] & 3 == suit:
                places[n] = i
                n += 1
        for a in range(n - 4):
            for b in range(a + 1, n - 3):
                for c in range(b + 1, n - 2):
                    for d in range(c + 1, n - 1):
                        for e in range(d + 1, n):
                            mask = 1 << places[a] | 1 << places[b] | 1 << places[c] | 1 << places[d] | 1 << places[e]
                            ranks = 0
                            for one_of_five in (a, b, c, d, e):
                                ranks |= 1 << (cards[places[one_of_five]] >> 2)
                            out_five[five_at[mask]] = flush_table[ranks]


@compiled
def arrange(  # type: ignore[no-untyped-def]
    five, three, floor, five_mask, three_mask, front_of_back, middle_of_back,
    front_bin, middle_bin, back_bin, front_cap, middle_cap, category, values, bound, ordered,
):  # fmt: skip
    """Return the legal arrangement of the highest value in a strategy's table, found exactly.

    Of equal values the one with the greater ``16 * front + middle + back`` strength is taken, so that no arrangement is
    ever preferred to one that beats it. ``bound`` grows along every axis and is nowhere below ``values``; a back is
    looked into only if the bound at the best front and middle that it could leave reaches the best value found.

    Parameters
    ----------
    five, three : uint16
        Strengths of the subsets, from :func:`rank_subsets`.
    front_bin, middle_bin, back_bin : uint16
        A strength's place on the table's axes.
    front_cap, middle_cap : uint16
        The highest front bin that a middle bin allows, and the highest middle bin that a back bin allows.
    category : (7462,) uint8
        A strength's hand category.
    values, bound : (backs, middles, fronts) int16
        The table, and its monotone cover.
    ordered : (286,) uint16
        Scratch.

    Returns
    -------
    (int, int, int)
        ``value * 2**15 + tie-break``, the back's subset, and which of its 56 splits.
    """
    fronts = values.shape[2]
    count = np.zeros(fronts + 1, np.int64)
    for t in range(286):
        count[front_bin[three[t]]] += 1
    start = 0
    best_front = -1
    for f in range(fronts - 1, -1, -1):
        n = count[f]
        if n > 0 and best_front < 0:
            best_front = f
        count[f] = start
        start += n
    for t in range(286):
        f = front_bin[three[t]]
        ordered[count[f]] = t
        count[f] += 1

    champion = np.full(9, -1, np.int64)
    for i in range(1287):
        c = category[five[i]]
        if champion[c] < 0 or five[i] > five[champion[c]]:
            champion[c] = i
    backs = values.shape[0]
    crude = np.empty(backs, np.int64)
    for b in range(backs):
        m = middle_cap[b]
        crude[b] = (np.int64(bound[b, m, min(best_front, front_cap[m])]) << 15) + 32767

    best = np.int64(-(1 << 40))
    best_back = -1
    best_split = -1
    for step in range(-9, 1287):
        if step < 0:
            i = champion[-1 - step]
            if i < 0:
                continue
        else:
            i = step
        s = five[i]
        b = back_bin[s]
        if crude[b] <= best:
            continue
        m = middle_bin[s]
        at = 0
        while three_mask[ordered[at]] & five_mask[i]:
            at += 1
        f = min(front_bin[three[ordered[at]]], front_cap[m])
        if (np.int64(bound[b, m, f]) << 15) + 32767 <= best:
            continue
        for j in range(56):
            middle = five[middle_of_back[i, j]]
            front = three[front_of_back[i, j]]
            if middle > s or floor[front] > middle:
                continue
            key = np.int64(values[b, middle_bin[middle], front_bin[front]]) << 15
            key += 16 * np.int64(front) + np.int64(middle) + np.int64(s)
            if key > best:
                best = key
                best_back = i
                best_split = j
    return best, best_back, best_split


@compiled
def arrange_plain(five, three, floor, pair_a, pair_b, front_bin, middle_bin, back_bin, values):  # type: ignore[no-untyped-def]
    """Return what :func:`arrange` does, by a plain loop over the 36,036 unordered pairs of fives.

    It is the yardstick for tests and benchmarks.

    Returns
    -------
    (int, int, int, int)
        ``value * 2**15 + tie-break`` and the subsets of front, middle and back.
    """
    best = np.int64(-(1 << 40))
    best_front = best_middle = best_back = -1
    for t in range(286):
        front = three[t]
        least = floor[front]
        f = front_bin[front]
        for j in range(126):
            i, k = pair_a[t, j], pair_b[t, j]
            if five[i] > five[k]:
                i, k = k, i
            middle, back = five[i], five[k]
            if middle < least:
                continue
            key = np.int64(values[back_bin[back], middle_bin[middle], f]) << 15
            key += 16 * np.int64(front) + np.int64(middle) + np.int64(back)
            if key > best:
                best = key
                best_front, best_middle, best_back = t, i, k
    return best, best_front, best_middle, best_back


@compiled
def deal_opponents(rng, unseen, ranking, subsets, strategy, out):  # type: ignore[no-untyped-def]
    """Deal hands to opponents from one deck and set each by a strategy's table.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness, used by nobody else.
    unseen : (n,) int64
        The cards that can be dealt; not changed.
    ranking, subsets, strategy : tuples of arrays
        From :func:`solver.strategies.Strategy.kernel_arguments`.
    out : (deals, opponents, 3) uint16
        Strengths of front, middle and back, written.
    """
    five_table, three_table, flush_table, floor, colex, category = ranking
    five_at, five_mask, three_mask, front_of_back, middle_of_back = subsets
    front_bin, middle_bin, back_bin, front_cap, middle_cap, values, bound = strategy
    deck = unseen.copy()
    n = deck.shape[0]
    hand = np.empty(13, np.int64)
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    ordered = np.empty(286, np.uint16)
    for deal in range(out.shape[0]):
        dealt = 0
        for opponent in range(out.shape[1]):
            for k in range(13):
                j = dealt + int(rng.random() * (n - dealt))
                deck[dealt], deck[j] = deck[j], deck[dealt]
                card = deck[dealt]
                dealt += 1
                place = k
                while place > 0 and hand[place - 1] > card:
                    hand[place] = hand[place - 1]
                    place -= 1
                hand[place] = card
            rank_subsets(hand, five_table, three_table, flush_table, colex, five_at, five, three)
            _, i, j = arrange(
                five, three, floor, five_mask, three_mask, front_of_back, middle_of_back,
                front_bin, middle_bin, back_bin, front_cap, middle_cap, category, values, bound, ordered,
            )  # fmt: skip
            out[deal, opponent, 0] = three[front_of_back[i, j]]
            out[deal, opponent, 1] = five[middle_of_back[i, j]]
            out[deal, opponent, 2] = five[i]


@compiled
def legal_strengths(five, three, floor, pair_a, pair_b, out):  # type: ignore[no-untyped-def]
    """List the legal arrangements among the 36,036 unordered pairs, and count the legal splits.

    Where two fives are equally strong both orders are legal; they are one row of the list and two splits of the count.

    Parameters
    ----------
    out : (36036, 5) uint16
        Strengths of front, middle and back, the front's subset and the back's subset, written.

    Returns
    -------
    (int, int)
        Rows written, and the number of legal splits among the 72,072.
    """
    n = 0
    legal = 0
    for t in range(286):
        front = three[t]
        least = floor[front]
        for j in range(126):
            i, k = pair_a[t, j], pair_b[t, j]
            if five[i] > five[k]:
                i, k = k, i
            if five[i] < least:
                continue
            legal += 2 if five[i] == five[k] else 1
            out[n, 0] = front
            out[n, 1] = five[i]
            out[n, 2] = five[k]
            out[n, 3] = t
            out[n, 4] = k
            n += 1
    return n, legal


@compiled
def undominated(rows, worth_front, worth_middle, worth_back, monotone, keep):  # type: ignore[no-untyped-def]
    """Mark the arrangements that no other beats or equals in all rows and royalties; of equal ones the first stays.

    Parameters
    ----------
    rows : (n, 5) uint16
        From :func:`legal_strengths`, sorted by descending front, then middle, then back strength.
    worth_front, worth_middle, worth_back : float64
        What a royalty is worth, by strength.
    monotone : bool
        Whether worth never falls as strength rises, so that strength alone decides.
    keep : (n,) bool
        Written.

    Returns
    -------
    int
        How many are kept.
    """
    n = rows.shape[0]
    kept = np.empty(n, np.int64)
    total = 0
    for i in range(n):
        f, m, b = rows[i, 0], rows[i, 1], rows[i, 2]
        keep[i] = True
        # The latest kept are the likeliest to dominate: they are nearest in the front.
        for at in range(total - 1, -1, -1):
            k = kept[at]
            if (
                rows[k, 1] >= m
                and rows[k, 2] >= b
                and (
                    monotone
                    or (
                        worth_front[rows[k, 0]] >= worth_front[f]
                        and worth_middle[rows[k, 1]] >= worth_middle[m]
                        and worth_back[rows[k, 2]] >= worth_back[b]
                    )
                )
            ):
                keep[i] = False
                break
        if keep[i]:
            kept[total] = i
            total += 1
    return total


@compiled
def pay_royalties(won, mine, theirs, sign, one, cancel):  # type: ignore[no-untyped-def]
    """Return one side's payable royalties where they go to the winner of a row and are cut down.

    Parameters
    ----------
    won, mine, theirs : tuples of 3
        Row results seen from the first player, and both sides' royalties (-1 for none) seen from the side paid.
    sign : int
        1 for the first player, -1 for the second.
    one, cancel : bool
        Only the largest counts; nothing where both hold one.
    """
    total = 0.0
    for row in range(3):
        if won[row] == sign and mine[row] > 0 and not (cancel and theirs[row] >= 0):
            total = max(total, mine[row]) if one else total + mine[row]
    return total


@compiled
def pair_outcome(r, mine, theirs, units):  # type: ignore[no-untyped-def]
    """Return the units and the net royalties of a pair of legal arrangements, seen from the first player.

    Parameters
    ----------
    r : tuple of 3 int
        Results of front, middle and back: 1 won, 0 tied, -1 lost.
    mine, theirs : tuples of 3 float
        Royalty units of the rows, -1 for none.
    units : tuple
        ``(row units, overall, multiplier, mode, replace, cancel, one)`` as in :class:`solver.tables.PairTables`.

    Returns
    -------
    (float, float)
        Units with everything in them; royalties alone, before the scoop multiplier.
    """
    row_units, overall, multiplier, mode, replace, cancel, one = units
    index = 9 * r[0] + 3 * r[1] + r[2] + 13
    total = overall[index]
    royalties = 0.0
    if mode == 2:
        a = b = 0.0
        for row in range(3):
            if mine[row] > 0:
                a = max(a, mine[row]) if one else a + mine[row]
            if theirs[row] > 0:
                b = max(b, theirs[row]) if one else b + theirs[row]
        royalties = a - b
    elif mode == 3:
        royalties = pay_royalties(r, mine, theirs, 1, one, cancel) - pay_royalties(r, theirs, mine, -1, one, cancel)
    for row in range(3):
        worth = mine[row] if r[row] > 0 else theirs[row]
        if mode == 1 and r[row] != 0 and worth >= 0:
            royalties += r[row] * worth
            if replace:
                continue
        total += r[row] * row_units[row]
    return (total + royalties) * multiplier[index], royalties


@compiled
def deal_totals(candidate, opponents, base, units, mine, theirs, out):  # type: ignore[no-untyped-def]
    """Write a candidate's units in every deal, against all opponents together.

    Parameters
    ----------
    candidate : (3,) uint16
        Strengths of front, middle and back.
    opponents : (deals, opponents, 3) uint16
        Their strengths.
    base : (27,) float64
        A pair's units by row results where no royalties are played.
    units : tuple
        What :func:`pair_outcome` takes.
    mine : (3,) float64
        The candidate's royalties.
    theirs : (deals, opponents, 3) float64
        The opponents' royalties; empty where no royalties are played.
    out : (deals,) float64
        Written.
    """
    f, m, b = candidate[0], candidate[1], candidate[2]
    own = (mine[0], mine[1], mine[2])
    mode = units[3]
    for deal in range(opponents.shape[0]):
        total = 0.0
        for o in range(opponents.shape[1]):
            x, y, z = opponents[deal, o, 0], opponents[deal, o, 1], opponents[deal, o, 2]
            front = int(f > x) - int(f < x)
            middle = int(m > y) - int(m < y)
            back = int(b > z) - int(b < z)
            if mode == 0:
                total += base[9 * front + 3 * middle + back + 13]
            else:
                other = (theirs[deal, o, 0], theirs[deal, o, 1], theirs[deal, o, 2])
                total += pair_outcome((front, middle, back), own, other, units)[0]
        out[deal] = total


@compiled
def royalties_of(strengths, front, middle, back, out):  # type: ignore[no-untyped-def]
    """Write the royalty units of the three rows of many arrangements, shape (n, 3) both, -1 for none."""
    for i in range(strengths.shape[0]):
        out[i, 0] = front[strengths[i, 0]]
        out[i, 1] = middle[strengths[i, 1]]
        out[i, 2] = back[strengths[i, 2]]


@compiled
def accumulate(candidates, opponents, base, units, mine, theirs, baseline, out):  # type: ignore[no-untyped-def]
    """Write the sum and the sum of squares of what every candidate wins over a baseline, deal by deal.

    Parameters
    ----------
    candidates : (n, 3) uint16
        Strengths.
    baseline : (deals,) float64
        Units to compare with in the same deals.
    out : (n, 2) float64
        Written; the other arguments are as in :func:`deal_totals`.
    """
    totals = np.empty(opponents.shape[0])
    for c in range(candidates.shape[0]):
        deal_totals(candidates[c], opponents, base, units, mine[c], theirs, totals)
        first = 0.0
        second = 0.0
        for deal in range(totals.shape[0]):
            x = totals[deal] - baseline[deal]
            first += x
            second += x * x
        out[c, 0] = first
        out[c, 1] = second


@compiled
def count_outcomes(candidate, opponents, units, mine, theirs, out):  # type: ignore[no-untyped-def]
    """Write how often a candidate wins, ties and loses each row, scoops and is scooped, and its net royalties.

    Parameters
    ----------
    out : (12,) float64
        Added to: won, tied, lost for front, middle and back; scoops; times scooped; net royalties.
    """
    own = (mine[0], mine[1], mine[2])
    for deal in range(opponents.shape[0]):
        for o in range(opponents.shape[1]):
            won = 0
            lost = 0
            results = (
                int(candidate[0] > opponents[deal, o, 0]) - int(candidate[0] < opponents[deal, o, 0]),
                int(candidate[1] > opponents[deal, o, 1]) - int(candidate[1] < opponents[deal, o, 1]),
                int(candidate[2] > opponents[deal, o, 2]) - int(candidate[2] < opponents[deal, o, 2]),
            )
            for row in range(3):
                out[3 * row + 1 - results[row]] += 1
                won += int(results[row] > 0)
                lost += int(results[row] < 0)
            out[9] += int(won == 3)
            out[10] += int(lost == 3)
            if units[3] != 0:
                other = (theirs[deal, o, 0], theirs[deal, o, 1], theirs[deal, o, 2])
                out[11] += pair_outcome(results, own, other, units)[1]


@compiled
def rank_hands(hands, ranking, subsets):  # type: ignore[no-untyped-def]
    """Rank the subsets of many hands and return the sum of one strength of each, for benchmarks."""
    five_table, three_table, flush_table, _, colex, _ = ranking
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    total = 0
    for n in range(hands.shape[0]):
        rank_subsets(hands[n], five_table, three_table, flush_table, colex, subsets[0], five, three)
        total += five[n % 1287] + three[n % 286]
    return total


@compiled
def arrange_hands(hands, ranking, subsets, strategy, out):  # type: ignore[no-untyped-def]
    """Set many hands by a strategy's table.

    Parameters
    ----------
    hands : (n, 13) int64
        Card ids, each hand ascending; the other arguments are as in :func:`deal_opponents`.
    out : (n, 3) int64
        The key of the arrangement as :func:`arrange` returns it, and the subsets of front and back, written.
    """
    five_table, three_table, flush_table, floor, colex, category = ranking
    five_at, five_mask, three_mask, front_of_back, middle_of_back = subsets
    front_bin, middle_bin, back_bin, front_cap, middle_cap, values, bound = strategy
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    ordered = np.empty(286, np.uint16)
    for n in range(hands.shape[0]):
        rank_subsets(hands[n], five_table, three_table, flush_table, colex, five_at, five, three)
        key, back, split = arrange(
            five, three, floor, five_mask, three_mask, front_of_back, middle_of_back,
            front_bin, middle_bin, back_bin, front_cap, middle_cap, category, values, bound, ordered,
        )  # fmt: skip
        out[n, 0] = key
        out[n, 1] = front_of_back[back, split]
        out[n, 2] = back


@compiled
def arrange_hands_plain(hands, ranking, subsets, strategy, pair_a, pair_b, out):  # type: ignore[no-untyped-def]
    """Do what :func:`arrange_hands` does, by the plain loop."""
    five_table, three_table, flush_table, floor, colex, _ = ranking
    front_bin, middle_bin, back_bin, _, _, values, _ = strategy
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    for n in range(hands.shape[0]):
        rank_subsets(hands[n], five_table, three_table, flush_table, colex, subsets[0], five, three)
        key, front, _, back = arrange_plain(five, three, floor, pair_a, pair_b, front_bin, middle_bin, back_bin, values)
        out[n, 0] = key
        out[n, 1] = front
        out[n, 2] = back
