"""Compiled functions: arrays in, arrays out, nothing checked and nothing allocated that a caller could see.

All that call each other stand in one module because a cached function is recompiled when its own file changes, not when
a callee in another file does. All release the GIL, so threads run them side by side. Strengths are as in
:mod:`solver.ranks`, lookup arrays as in :mod:`solver.tables`; a hand is thirteen card ids in ascending order.
"""

import numpy as np

from solver.compiling import compiled


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
def own_cards(hand, mean_spread):  # type: ignore[no-untyped-def]
    """Return how many cards of each rank a hand holds beyond one, and its suit spread beyond a mean one."""
    ranks = np.full(13, -1, np.int64)
    suits = np.zeros(4, np.int64)
    for i in range(13):
        ranks[hand[i] >> 2] += 1
        suits[hand[i] & 3] += 1
    return ranks, suits[0] ** 2 + suits[1] ** 2 + suits[2] ** 2 + suits[3] ** 2 - mean_spread


@compiled
def hand_terms(hand, five, removal, mean_spread, fine_top, split, terms, reach):  # type: ignore[no-untyped-def]
    """Write what a hand's own cards change in the worth of each bin of its rows, and the most that a bin can add.

    Parameters
    ----------
    hand, five : (13,) int64, (1287,) uint16
        Card ids, and the strengths of its subsets.
    removal : (14, bins) int32
        Change of a bin's worth for each card of a rank beyond one, and for each unit of suit spread beyond
        ``mean_spread``; no rows where a strategy has no correction. Bins of front, middle and back follow each other.
    mean_spread : int
        A hand's mean sum of squared suit lengths.
    fine_top : (bins,) int32
        The greatest fine term of a strength in each bin.
    split : tuple
        Worth of the royalty for a split hand by the strength of its strongest five cards, no numbers where there is
        none, and the bins, from and to, of backs with which it is paid.
    terms, reach : (bins,) int64
        Written; ``reach`` is the sum of the term and the greatest fine term.
    """
    terms[:] = 0
    if removal.shape[0] > 0:
        ranks, spread = own_cards(hand, mean_spread)
        for rank in range(13):
            if ranks[rank] != 0:
                for k in range(terms.shape[0]):
                    terms[k] += ranks[rank] * removal[rank, k]
        for k in range(terms.shape[0]):
            terms[k] += spread * removal[13, k]
    royalty, begin, end = split
    if royalty.shape[0] > 0:
        for k in range(begin, end):
            terms[k] += royalty[five.max()]
    for k in range(terms.shape[0]):
        reach[k] = terms[k] + fine_top[k]


@compiled
def work_space(bins):  # type: ignore[no-untyped-def]
    """Return the arrays that :func:`arrange` writes to, given the number of a strategy's bins."""
    return np.empty(1288, np.uint16), np.empty(1287, np.uint16), np.empty(bins, np.int64), np.empty(bins, np.int64)


@compiled
def champion(five, below):  # type: ignore[no-untyped-def]
    """Return the strongest five of a hand below a strength, and the first subset that holds it."""
    limit = np.uint32(np.uint32(below) << np.uint32(16))
    best = np.uint32(0)
    # Strength and place in one number of 32 bits: the loop becomes vector instructions.
    place = np.uint32(65535)
    for i in range(1287):
        packed = np.uint32(np.uint32(np.uint32(five[i]) << np.uint32(16)) | place)
        place = np.uint32(place - np.uint32(1))
        best = max(best, packed if packed < limit else np.uint32(0))
    return np.uint16(best >> np.uint32(16)), np.uint64(65535) - np.uint64(best & np.uint32(65535))


@compiled
def first_of_twins(hand, five_mask, waiting, n):  # type: ignore[no-untyped-def]
    """Strike the backs that become an earlier one when cards of one rank are exchanged; return how many are left.

    Where both cards' suits are too short for a flush no strength changes, so the earlier back leads to the same worth.
    ``waiting`` holds ``n`` subsets and is changed.
    """
    suits, behind = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for i in range(13):
        suits[hand[i] & 3] += 1
    for i in range(12):  # which cards have a twin behind them, by its distance; those of one rank are neighbours
        for k in range(i + 1, min(i + 4, 13)):
            if hand[k] >> 2 == hand[i] >> 2 and suits[hand[i] & 3] < 5 and suits[hand[k] & 3] < 5:
                behind[k - i] |= 1 << i
                break
    first, second, third = behind[1], behind[2], behind[3]
    kept = np.uint64(0)
    for k in range(n):
        cards = np.int64(five_mask[waiting[k]])
        twins = (cards >> 1) & first | (cards >> 2) & second | (cards >> 3) & third
        waiting[kept] = waiting[k]
        kept += np.uint64((twins & ~cards) == 0)  # without a branch, which would be mispredicted
    return kept


@compiled
def arrange(hand, five, three, ranking, subsets, strategy, scratch):  # type: ignore[no-untyped-def]
    """Return the legal arrangement that a strategy values highest, found exactly.

    An arrangement is worth its cell of the table, a fine term for the strength of each row, and what the hand's own
    cards change for the bin of each row. ``bound`` grows along every axis and is nowhere below the table. The strongest
    back of each category is looked into first, then every back that can still be better: by the bound at the best
    front of the hand and the best middle that the back allows, then at the best front that it leaves. What remains of
    the bound says from which middle on a split of the other eight cards can be better. Of equal worths the first is
    kept; a back in an equal place is never better, so what is left out changes no result.

    Parameters
    ----------
    hand : (13,) int64
        Card ids, ascending.
    five, three : uint16
        Strengths of its subsets, from :func:`rank_subsets`.
    ranking, subsets, strategy : tuples
        From :meth:`solver.strategies.Strategy.kernel_arguments`.
    scratch : tuple
        From :func:`work_space`.

    Returns
    -------
    (int, int, int)
        The worth in units of ``2**-15`` of a step of the table, the back's subset, and which of its 56 splits.
    """
    floor, weakest = ranking[3], ranking[5]
    _, five_mask, top_fronts, front_of_back, middle_of_back, _, _ = subsets
    front_bin, middle_bin, _, front_cap, slots, order, low, values, bound = strategy[:9]
    front_fine, middle_fine, back_fine, fine_top, removal, mean_spread, middle_edge, split, _ = strategy[9:]
    slot_edge, slot_of, slot_back, slot_middle, slot_front = slots
    waiting, low_order, terms, reach = scratch
    # All indices are unsigned, as in rank_subsets.
    one = np.uint64(1)
    fronts = np.uint64(values.shape[2])
    behind = fronts + np.uint64(values.shape[1])
    hand_terms(hand, five, removal, mean_spread, fine_top, split, terms, reach)
    front_terms, middle_terms, back_terms = terms[:fronts], terms[fronts:behind], terms[behind:]
    front_reach, middle_reach, back_reach = reach[:fronts], reach[fronts:behind], reach[behind:]
    for row in (front_reach, middle_reach, back_reach):
        for i in range(1, row.shape[0]):  # what is reached by a bin or those below it
            row[i] = max(row[i], row[i - 1])
    highest = np.uint64(values.shape[1]) - one  # bin of a middle
    middle_order = five
    if low:
        middle_order = low_order
        strongest = np.uint16(0)
        for i in range(1287):
            middle_order[i] = order[five[i]]
            strongest = max(strongest, middle_order[i])
        while middle_edge[highest] > strongest:
            highest -= one

    best = np.int64(-(1 << 60))
    best_back = best_split = n = np.uint64(0)
    for turn in range(2):
        if turn == 0:  # strongest first, until the category that starts at 0
            below = np.uint16(65535)
            while below > 0:
                s, back = champion(five, below)
                if back == np.uint64(65535):
                    break
                waiting[n] = back
                n += one
                below = weakest[s]
        else:
            t = front_bin[three.max()]
            top_slot = np.uint64(slot_of[five[waiting[0]]])
            least_slot = top_slot + one
            while least_slot > np.uint64(0):
                k = least_slot - one
                b, m = np.uint64(slot_back[k]), min(np.uint64(slot_middle[k]), highest)
                f = np.uint64(min(t, slot_front[k]))
                if (np.int64(bound[b, m, f]) << 15) + front_reach[f] + middle_reach[m] + back_reach[b] <= best:
                    break
                least_slot = k
            if least_slot > top_slot:
                break
            least = slot_edge[least_slot]
            n = np.uint64(0)
            for i in range(1287):
                waiting[n] = i
                n += np.uint64(five[i] >= least)
            n = first_of_twins(hand, five_mask, waiting, n)

        for p in range(n):
            back = np.uint64(waiting[p])
            s = five[back]
            front = np.uint16(0)
            for j in range(11):
                front = max(front, three[top_fronts[back, j]])
            slot = np.uint64(slot_of[s])
            t = min(front_bin[front], slot_front[slot])
            b, m, f = np.uint64(slot_back[slot]), min(np.uint64(slot_middle[slot]), highest), np.uint64(t)
            own = np.int64(back_fine[s]) + back_terms[b]
            if (np.int64(bound[b, m, f]) << 15) + front_reach[f] + middle_reach[m] + own <= best:
                continue
            for stride in (np.uint64(4), one):
                while m >= stride:
                    k = m - stride
                    f = np.uint64(min(t, front_cap[k]))
                    if (np.int64(bound[b, k, f]) << 15) + front_reach[f] + middle_reach[k] + own <= best:
                        break
                    m = k
            least = middle_edge[m]
            span = np.uint16((np.uint16(65535) if low else s) - least)
            for j in range(56):
                at = middle_of_back[back, j]
                if np.uint16(middle_order[at] - least) > span:  # below ``least``, wrapped around, or above the back
                    continue
                middle, front = five[at], three[front_of_back[back, j]]
                f, m = np.uint64(front_bin[front]), np.uint64(middle_bin[middle])
                key = (np.int64(values[b, m, f]) << 15) + own
                key += front_fine[front] + front_terms[f] + middle_fine[middle] + middle_terms[m]
                if key > best and floor[front] <= (s if low else middle):
                    best = key
                    best_back = back
                    best_split = np.uint64(j)
    return best, np.int64(best_back), np.int64(best_split)


@compiled
def arrange_greedy(five, three, ranking, subsets, strategy):  # type: ignore[no-untyped-def]
    """Return the legal arrangement with the strongest back, of those the strongest middle, of those the best front.

    Returns
    -------
    (int, int, int)
        The three orders packed into one number, the back's subset, and which of its 56 splits.
    """
    floor = ranking[3]
    front_of_back, middle_of_back = subsets[3], subsets[4]
    middle_order, low = strategy[5], strategy[6]
    best = np.int64(-1)
    best_back = best_split = -1
    for i in range(1287):
        s = five[i]
        if np.int64(s) < best >> 26:
            continue
        for j in range(56):
            middle, front = five[middle_of_back[i, j]], three[front_of_back[i, j]]
            if low:
                if floor[front] > s:
                    continue
            elif middle > s or floor[front] > middle:
                continue
            key = np.int64(s) << 26 | np.int64(middle_order[middle]) << 13 | np.int64(front)
            if key > best:
                best = key
                best_back = i
                best_split = j
    return best, best_back, best_split


@compiled
def set_hand(hand, five, three, ranking, subsets, strategy, scratch):  # type: ignore[no-untyped-def]
    """Set a hand by a strategy: by its table as :func:`arrange` does, or greedily where the table is empty."""
    if strategy[7].shape[0] == 0:
        return arrange_greedy(five, three, ranking, subsets, strategy)
    return arrange(hand, five, three, ranking, subsets, strategy, scratch)


@compiled
def arrange_plain(hand, five, three, ranking, strategy, pair_a, pair_b, terms, reach):  # type: ignore[no-untyped-def]
    """Return what :func:`arrange` does, by a plain loop over the 36,036 unordered pairs of fives.

    It is the yardstick for tests and benchmarks.

    Returns
    -------
    (int, int, int, int)
        The worth as in :func:`arrange`, and the subsets of front, middle and back.
    """
    floor = ranking[3]
    front_bin, middle_bin, back_bin, _, _, _, low, values, _ = strategy[:9]
    front_fine, middle_fine, back_fine, fine_top, removal, mean_spread, _, split, _ = strategy[9:]
    _, middles, fronts = values.shape
    hand_terms(hand, five, removal, mean_spread, fine_top, split, terms, reach)
    best = np.int64(-(1 << 60))
    best_front = best_middle = best_back = -1
    for t in range(286):
        front = three[t]
        least = floor[front]
        f = np.int64(front_bin[front])
        ours = np.int64(front_fine[front]) + terms[f]
        for j in range(126):
            i, k = pair_a[t, j], pair_b[t, j]
            for _ in range(2 if low else 1):
                i, k = k, i
                if five[i] > five[k] and not low:
                    i, k = k, i
                middle, back = five[i], five[k]
                if (back if low else middle) < least:
                    continue
                b, m = np.int64(back_bin[back]), np.int64(middle_bin[middle])
                key = (np.int64(values[b, m, f]) << 15) + ours
                key += middle_fine[middle] + terms[fronts + m] + back_fine[back] + terms[fronts + middles + b]
                if key > best:
                    best = key
                    best_front, best_middle, best_back = t, i, k
    return best, best_front, best_middle, best_back


@compiled
def natural_facts(hand, run_shapes):  # type: ignore[no-untyped-def]
    """Return which kinds of naturals thirteen cards hold, a bit each in the order of ``tables.NATURAL_FACTS``.

    Three flushes depend on the number of cards by suit only, three straights on the number by rank only, which is
    looked up; nothing is partitioned but hands that hold both.

    Parameters
    ----------
    hand : (13,) int64
        Card ids.
    run_shapes : (m,) uint64
        From :class:`solver.tables.NaturalTables`.
    """
    ranks = np.uint64(0)
    suits = np.uint64(0)
    one = np.uint64(1)
    for i in range(13):
        ranks += one << np.uint64(3 * (hand[i] >> 2))
        suits += one << np.uint64(4 * (hand[i] & 3))
    by_size = np.uint64(0)
    for rank in range(13):
        by_size += one << (np.uint64(4) * ((ranks >> np.uint64(3 * rank)) & np.uint64(7)))
    singles = (by_size >> np.uint64(4)) & np.uint64(15)
    trips = (by_size >> np.uint64(12)) & np.uint64(15)
    quads = (by_size >> np.uint64(16)) & np.uint64(15)
    pairs = ((by_size >> np.uint64(8)) & np.uint64(15)) + trips + np.uint64(2) * quads
    most = np.uint64(0)
    least = np.uint64(13)
    second = np.uint64(0)
    red = np.uint64(0)
    for suit in range(4):
        held = (suits >> np.uint64(4 * suit)) & np.uint64(15)
        if suit == 1 or suit == 2:
            red += held
        second = max(second, min(most, held))
        most = max(most, held)
        least = min(least, held)
    facts = 0
    # 5 + 5 + 3 with an empty suit, or 8 + 5, 10 + 3 and 13: two of the rows, or all, in one suit.
    flushes = (most + second == 13 and (most == 8 or most == 10 or most == 13)) or (
        most == 5 and second == 5 and least == 0
    )
    straights = False
    if quads == 0:
        at = np.searchsorted(run_shapes, ranks)
        straights = at < run_shapes.shape[0] and run_shapes[at] == ranks
    if flushes:
        facts |= 1
    if straights:
        facts |= 2
        if flushes and three_straight_flushes(hand):
            facts |= 4
    if pairs == 6:
        facts |= 8
    if trips == 1 and singles == 0:
        facts |= 32 if quads > 0 else 16 | 32
    if trips == 4:
        facts |= 64
    if quads == 3:
        facts |= 128
    if singles == 13:
        facts |= 256
    if most == 13:
        facts |= 512
    low_cards = np.int64(0)
    high_cards = np.int64(0)
    royals = np.int64(0)
    for rank in range(13):
        n = np.int64((ranks >> np.uint64(3 * rank)) & np.uint64(7))
        low_cards += n if rank <= 6 else 0
        high_cards += n if rank >= 6 else 0
        royals += n if rank >= 9 else 0
    if low_cards == 13:
        facts |= 1 << 10
    if high_cards == 13:
        facts |= 1 << 11
    if red <= 1 or red >= 12:
        facts |= 1 << 12
    if red == 0 or red == 13:
        facts |= 1 << 13
    if royals >= 12:
        facts |= 1 << 14
    if royals == 13:
        facts |= 1 << 15
    return facts


@compiled
def run_of(size, number):  # type: ignore[no-untyped-def]
    """Return the ranks of a run as a mask, the one with the ace low first."""
    if number == 0:
        return 1 << 12 | ((1 << (size - 1)) - 1)
    return ((1 << size) - 1) << (number - 1)


@compiled
def three_straight_flushes(hand):  # type: ignore[no-untyped-def]
    """Whether thirteen cards split into suited runs of 3, 5 and 5."""
    held = np.zeros(4, np.int64)
    for i in range(13):
        held[hand[i] & 3] |= 1 << (hand[i] >> 2)
    for back in range(4):
        for first in range(10):
            one = run_of(5, first)
            if held[back] & one != one:
                continue
            held[back] ^= one
            for middle in range(4):
                for second in range(10):
                    two = run_of(5, second)
                    if held[middle] & two != two:
                        continue
                    held[middle] ^= two
                    for front in range(4):
                        for third in range(12):
                            # All other cards are set, so three that fit are all that is left.
                            if held[front] == run_of(3, third):
                                return True
                    held[middle] ^= two
            held[back] ^= one
    return False


@compiled
def natural_place(hand, facts, run_shapes):  # type: ignore[no-untyped-def]
    """Return the place in a rule set's list of the highest natural that a hand holds, or -1."""
    if facts.shape[0] == 0:
        return -1
    held = natural_facts(hand, run_shapes)
    for place in range(facts.shape[0] - 1, -1, -1):
        if held & facts[place]:
            return place
    return -1


@compiled
def natural_places(hands, facts, run_shapes, out):  # type: ignore[no-untyped-def]
    """Write :func:`natural_place` of many hands, shape (n, 13)."""
    for n in range(hands.shape[0]):
        out[n] = natural_place(hands[n], facts, run_shapes)


@compiled
def row_suit(hand, places, lead, suits):  # type: ignore[no-untyped-def]
    """Return the place of the highest suit among the cards of a row's most important rank.

    Parameters
    ----------
    places : (3,) or (5,) uint8
        Positions of the row's cards in the hand.
    lead : int
        The most important rank.
    suits : (4,) uint16
        Places of the suits.
    """
    highest = 0
    for k in range(places.shape[0]):
        card = hand[places[k]]
        if card >> 2 == lead:
            highest = max(highest, int(suits[card & 3]))
    return highest


@compiled
def contest_rows(hand, five, three, splits, contest, fronts, middles, backs):  # type: ignore[no-untyped-def]
    """Write what every subset of a hand is compared by as a front, a middle and a back.

    Parameters
    ----------
    five, three : uint16
        From :func:`rank_subsets`.
    splits : ((1287, 5), (286, 3)) uint8
        Positions of the subsets.
    contest : tuple
        From :meth:`solver.tables.Contest.kernel_arguments`.
    fronts, middles, backs : (286,), (1287,), (1287,) uint16
        Written.
    """
    front, middle, back, front_lead, middle_lead, back_lead, suits, suited, low = contest
    for t in range(286):
        fronts[t] = 4 * front[three[t]]
        if suited:
            fronts[t] += row_suit(hand, splits[1][t], front_lead[three[t]], suits)
    for i in range(1287):
        backs[i] = 4 * back[five[i]]
        middles[i] = 4 * middle[five[i]]
        if suited:
            backs[i] += row_suit(hand, splits[0][i], back_lead[five[i]], suits)
            suit = row_suit(hand, splits[0][i], middle_lead[five[i]], suits)
            middles[i] += 3 - suit if low else suit


@compiled
def deal_hand(rng, deck, dealt, hand):  # type: ignore[no-untyped-def]
    """Deal thirteen cards from what a deck has beyond those dealt, moving them there, and sort them into a hand."""
    n = deck.shape[0]
    for k in range(13):
        at = dealt + k
        j = at + int(rng.random() * (n - at))
        deck[at], deck[j] = deck[j], deck[at]
        card = deck[at]
        place = k
        while place > 0 and hand[place - 1] > card:
            hand[place] = hand[place - 1]
            place -= 1
        hand[place] = card


@compiled
def deal_opponents(  # type: ignore[no-untyped-def]
    rng, unseen, ranking, subsets, first, others, contest, naturals, split, classes, strengths, places, hands, strongest
):
    """Deal hands to opponents from one deck and set each by a strategy's table.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness, used by nobody else.
    unseen : (n,) int64
        The cards that can be dealt; not changed.
    ranking, subsets, first, others : tuples of arrays
        From :func:`solver.strategies.Strategy.kernel_arguments`; the strategies of the first opponent and of all
        others.
    contest, naturals : tuples
        From :class:`solver.tables.Contest` and :class:`solver.tables.NaturalTables`.
    split : bool
        Whether ``strongest`` is wanted, for the royalty of split hands.
    classes : (deals, opponents, 3) uint16
        Strengths of front, middle and back, written.
    strengths : (deals, opponents, 3) uint16
        What the rows are compared by, written.
    places : (deals, opponents) int8
        Place of the natural that a hand holds, -1 for none, -2 where it is surrendered instead, written.
    hands : (deals, opponents) uint64
        The cards, a bit each, written.
    strongest : (deals, opponents) uint16
        Strength of the strongest five cards of the hand, written, or 0 where it is not wanted.
    """
    five_table, three_table, flush_table, _, colex, _ = ranking
    five_at, _, _, front_of_back, middle_of_back, fives, threes = subsets
    middle_order, low = first[5], first[6]
    front_order, _, back_order, front_lead, middle_lead, back_lead, suits, suited, _ = contest
    facts, run_shapes = naturals
    deck = unseen.copy()
    hand = np.empty(13, np.int64)
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    scratch = work_space(max(first[12].shape[0], others[12].shape[0]))
    for deal in range(classes.shape[0]):
        dealt = 0
        for opponent in range(classes.shape[1]):
            deal_hand(rng, deck, dealt, hand)
            dealt += 13
            cards = np.uint64(0)
            for k in range(13):
                cards |= np.uint64(1) << np.uint64(hand[k])
            rank_subsets(hand, five_table, three_table, flush_table, colex, five_at, five, three)
            strategy = first if opponent == 0 else others
            key, i, j = set_hand(hand, five, three, ranking, subsets, strategy, scratch)
            t, m = front_of_back[i, j], middle_of_back[i, j]
            front, middle, back = three[t], five[m], five[i]
            classes[deal, opponent, 0] = front
            classes[deal, opponent, 1] = middle
            classes[deal, opponent, 2] = back
            strengths[deal, opponent, 0] = 4 * front_order[front]
            strengths[deal, opponent, 1] = 4 * middle_order[middle]
            strengths[deal, opponent, 2] = 4 * back_order[back]
            if suited:
                suit = row_suit(hand, fives[m], middle_lead[middle], suits)
                strengths[deal, opponent, 0] += row_suit(hand, threes[t], front_lead[front], suits)
                strengths[deal, opponent, 1] += 3 - suit if low else suit
                strengths[deal, opponent, 2] += row_suit(hand, fives[i], back_lead[back], suits)
            places[deal, opponent] = natural_place(hand, facts, run_shapes)
            if places[deal, opponent] < 0 and key < strategy[-1]:
                places[deal, opponent] = -2
            hands[deal, opponent] = cards
            strongest[deal, opponent] = five.max() if split else 0


@compiled
def tally(  # type: ignore[no-untyped-def]
    rng,
    number,
    ranking,
    subsets,
    strategy,
    naturals,
    bins,
    split,
    counts,
    moments,
    fronts,
    middles,
    backs,
    places,
    worth,
):
    """Deal random hands, set each by a strategy, and count what they become.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness, used by nobody else.
    number : int
        Hands to deal.
    ranking, subsets, strategy, naturals : tuples
        As in :func:`deal_opponents`.
    bins : tuple of three uint16 arrays
        The bin to count a front, a middle and a back in, by strength.
    split : tuple
        Units of the royalty for a split hand by the strength of its strongest five cards, no numbers where there is
        none, and the least strength of a back with which it is not paid.
    counts : (backs, middles, fronts) int32
        Hands by bin, added to.
    moments : (14, backs, middles, fronts) int32
        By bin, the sums of what :func:`hand_terms` goes by: cards of a rank beyond one, and suit spread; added to.
    fronts, middles, backs : (455,), (7462,), (7462,) int64
        Rows by strength, added to.
    places : (n + 2,) int64
        Hands by the place of the natural that they declare, then those that surrender and those that play their rows,
        added to.
    worth : (3,) float64
        The sum of what the strategy holds the played arrangements worth, of its squares, and of the royalties for
        split hands in units, added to.
    """
    five_table, three_table, flush_table, _, colex, _ = ranking
    five_at, _, _, front_of_back, middle_of_back, _, _ = subsets
    mean_spread = strategy[14]
    paid, kept = split
    facts, run_shapes = naturals
    deck = np.arange(52)
    hand = np.empty(13, np.int64)
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    scratch = work_space(strategy[12].shape[0])
    for _ in range(number):
        deal_hand(rng, deck, 0, hand)
        place = natural_place(hand, facts, run_shapes)
        if place >= 0:
            places[place] += 1
            continue
        rank_subsets(hand, five_table, three_table, flush_table, colex, five_at, five, three)
        key, i, j = set_hand(hand, five, three, ranking, subsets, strategy, scratch)
        if key < strategy[-1]:
            places[-2] += 1
            continue
        places[-1] += 1
        front, middle, back = three[front_of_back[i, j]], five[middle_of_back[i, j]], five[i]
        fronts[front] += 1
        middles[middle] += 1
        backs[back] += 1
        f, m, b = bins[0][front], bins[1][middle], bins[2][back]
        counts[b, m, f] += 1
        ranks, spread = own_cards(hand, mean_spread)
        for rank in range(13):
            if ranks[rank] != 0:
                moments[rank, b, m, f] += ranks[rank]
        moments[13, b, m, f] += spread
        steps = key / 32768.0
        worth[0] += steps
        worth[1] += steps * steps
        if paid.shape[0] > 0 and back < kept:
            worth[2] += paid[five.max()]


@compiled
def legal_rows(five, three, floor, pair_a, pair_b, fronts, middles, backs, low, out):  # type: ignore[no-untyped-def]
    """List the legal arrangements among the 36,036 unordered pairs, and count the legal splits.

    Where two fives are equally strong both orders are legal. They are one row of the list where they also compare
    alike with other players' rows, and two splits of the count.

    Parameters
    ----------
    fronts, middles, backs : uint16
        From :func:`contest_rows`.
    low : bool
        Whether only the back must reach the front.
    out : (72072, 6) uint16
        What front, middle and back are compared by, and their subsets, written.

    Returns
    -------
    (int, int)
        Rows written, and the number of legal splits among the 72,072.
    """
    n = 0
    legal = 0
    for t in range(286):
        least = floor[three[t]]
        for j in range(126):
            i, k = pair_a[t, j], pair_b[t, j]
            for turn in range(2):
                i, k = k, i
                if five[k if low else i] < least or (five[i] > five[k] and not low):
                    continue
                legal += 1
                if turn == 1 and middles[i] == middles[k] and backs[i] == backs[k]:
                    continue  # listed in the other order already
                out[n, 0] = fronts[t]
                out[n, 1] = middles[i]
                out[n, 2] = backs[k]
                out[n, 3] = t
                out[n, 4] = i
                out[n, 5] = k
                n += 1
    return n, legal


@compiled
def undominated(rows, worth, keep):  # type: ignore[no-untyped-def]
    """Mark the arrangements that no other beats or equals in all rows and in worth; of equal ones the first stays.

    Parameters
    ----------
    rows : (n, 6) uint16
        From :func:`legal_rows`, sorted by descending front, then middle, then back.
    worth : (n, k) float64
        What else counts, more being never worse; no columns where nothing does.
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
        m, b = rows[i, 1], rows[i, 2]
        keep[i] = True
        # The latest kept are the likeliest to dominate: they are nearest in the front.
        for at in range(total - 1, -1, -1):
            k = kept[at]
            if rows[k, 1] >= m and rows[k, 2] >= b:
                keep[i] = False
                for column in range(worth.shape[1]):
                    if worth[k, column] < worth[i, column]:
                        keep[i] = True
                        break
                if not keep[i]:
                    break
        if keep[i]:
            kept[total] = i
            total += 1
    return total


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
    five_table, three_table, flush_table, _, colex, _ = ranking
    front_of_back = subsets[3]
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    scratch = work_space(strategy[12].shape[0])
    for n in range(hands.shape[0]):
        rank_subsets(hands[n], five_table, three_table, flush_table, colex, subsets[0], five, three)
        key, back, split = set_hand(hands[n], five, three, ranking, subsets, strategy, scratch)
        out[n, 0] = key
        out[n, 1] = front_of_back[back, split]
        out[n, 2] = back


@compiled
def beater(hand, five, three, chosen, ranking, subsets, contest, worth):  # type: ignore[no-untyped-def]
    """Return a legal arrangement that beats or equals one in all rows and royalties, as in :func:`undominated`.

    Those of the same strengths are not asked.

    Parameters
    ----------
    chosen : tuple of 3 int
        The subsets of front, middle and back.
    contest : tuple
        From :meth:`solver.tables.Contest.kernel_arguments`.
    worth : tuple
        What fronts, middles and backs are worth beside their strength, by strength; units for a split hand by its
        strongest five cards, no numbers where there are none; and the least strength that leaves no hand split.

    Returns
    -------
    tuple of 3 int
        Its subsets, as those of ``chosen``; -1 where there is none.
    """
    floor = ranking[3]
    _, _, top_fronts, front_of_back, middle_of_back, fives, threes = subsets
    _, order, _, front_lead, middle_lead, back_lead, suits, suited, low = contest
    front_worth, middle_worth, back_worth, split, whole = worth
    t, m, b = chosen
    front, middle, back = three[t], five[m], five[b]
    paid = split.shape[0] > 0 and max(middle, back) < whole and split[five.max()] > 0
    for i in range(1287):
        z = five[i]
        if z < back or back_worth[z] < back_worth[back]:
            continue
        most = np.uint16(0)
        for j in range(11):
            most = max(most, three[top_fronts[i, j]])
        if most < front:
            continue
        for j in range(56):
            k, n = front_of_back[i, j], middle_of_back[i, j]
            x, y = three[k], five[n]
            if x < front or order[y] < order[middle] or floor[x] > (z if low else y) or (y > z and not low):
                continue
            if x == front and y == middle and z == back:
                continue
            if front_worth[x] < front_worth[front] or middle_worth[y] < middle_worth[middle]:
                continue
            if paid and max(y, z) >= whole:
                continue
            if suited:
                lead = front_lead[x]
                if x == front and row_suit(hand, threes[k], lead, suits) < row_suit(hand, threes[t], lead, suits):
                    continue
                lead = middle_lead[y]
                ours, theirs = row_suit(hand, fives[m], lead, suits), row_suit(hand, fives[n], lead, suits)
                if y == middle and (theirs > ours if low else theirs < ours):
                    continue
                lead = back_lead[z]
                if z == back and row_suit(hand, fives[i], lead, suits) < row_suit(hand, fives[b], lead, suits):
                    continue
            return np.int64(k), np.int64(n), np.int64(i)
    return np.int64(-1), np.int64(-1), np.int64(-1)


@compiled
def table_key(front, middle, back, strategy, terms):  # type: ignore[no-untyped-def]
    """Return what a table and a hand's own cards hold rows of these strengths worth, as :func:`arrange` does."""
    front_bin, middle_bin, back_bin, values = strategy[0], strategy[1], strategy[2], strategy[7]
    _, middles, fronts = values.shape
    f, m, b = np.int64(front_bin[front]), np.int64(middle_bin[middle]), np.int64(back_bin[back])
    key = (np.int64(values[b, m, f]) << 15) + terms[f] + terms[fronts + m] + terms[fronts + middles + b]
    return key + strategy[9][front] + strategy[10][middle] + strategy[11][back]


@compiled
def best_unbeaten(hand, five, three, found, ranking, subsets, strategy, pairs, contest, worth, terms):  # type: ignore[no-untyped-def]
    """Return what a strategy values highest among the arrangements that no other beats.

    It is for the few hands where what the table holds of their own cards makes it prefer one that is beaten. What beats
    that in the end is nearly as good by the table, so that few others need be looked at.

    Parameters
    ----------
    found : tuple of 3 int
        What it prefers, by its subsets.
    terms : (bins,) int64
        From :func:`hand_terms`; the other arguments are as in :func:`choose_hands`.

    Returns
    -------
    (int, (int, int, int))
        The worth as in :func:`arrange`, and the subsets of front, middle and back.
    """
    floor, low = ranking[3], contest[8]
    pair_a, pair_b = pairs
    better = found
    while better[0] >= 0:
        found = better
        better = beater(hand, five, three, found, ranking, subsets, contest, worth)
    best = table_key(three[found[0]], five[found[1]], five[found[2]], strategy, terms)
    for t in range(286):
        x = three[t]
        for j in range(252):
            i, k = np.int64(pair_a[t, j >> 1]), np.int64(pair_b[t, j >> 1])
            if j & 1:
                i, k = k, i
            y, z = five[i], five[k]
            if floor[x] > (z if low else y) or (y > z and not low):
                continue
            key, one = table_key(x, y, z, strategy, terms), (np.int64(t), i, k)
            if key > best and beater(hand, five, three, one, ranking, subsets, contest, worth)[0] < 0:
                best, found = key, one
    return best, found


@compiled
def first_listed(hand, five, three, like, ranking, subsets, pairs, contest, worth, unbeaten):  # type: ignore[no-untyped-def]
    """Return of the arrangements of equal strengths the one that stands first in :mod:`solver.candidates`.

    That is the one of the best suits where they break ties, and else the last in the order of :func:`legal_rows`.

    Parameters
    ----------
    like : tuple of 3 int
        The subsets of front, middle and back of one of them.
    unbeaten : bool
        Whether to leave out those that others beat.
    """
    _, _, _, _, _, fives, threes = subsets
    _, _, _, front_lead, middle_lead, back_lead, suits, suited, low = contest
    pair_a, pair_b = pairs
    front, middle, back = three[like[0]], five[like[1]], five[like[2]]
    best = -1
    found = (np.int64(like[0]), np.int64(like[1]), np.int64(like[2]))
    for t in range(285, -1, -1):
        if three[t] != front:
            continue
        for j in range(251, -1, -1):
            i, k = np.int64(pair_a[t, j >> 1]), np.int64(pair_b[t, j >> 1])
            if not j & 1:
                i, k = k, i
            if five[i] != middle or five[k] != back:
                continue
            place = 0
            if suited:
                lead, behind = middle_lead[middle], back_lead[back]
                m, b = row_suit(hand, fives[i], lead, suits), row_suit(hand, fives[k], behind, suits)
                place = 16 * row_suit(hand, threes[t], front_lead[front], suits) + 4 * (3 - m if low else m) + b
            # Two fives that are alike in everything are listed in one order only.
            twins = middle == back
            if twins and suited:
                twins = m == row_suit(hand, fives[k], lead, suits) and b == row_suit(hand, fives[i], behind, suits)
            if place <= best or (j & 1 and twins):
                continue
            if unbeaten and beater(hand, five, three, (np.int64(t), i, k), ranking, subsets, contest, worth)[0] >= 0:
                continue
            best, found = place, (np.int64(t), i, k)
            if not suited:
                return found
    return found


@compiled
def choose_hands(hands, ranking, subsets, strategy, pairs, contest, worth, prunes, out, paid):  # type: ignore[no-untyped-def]
    """Choose what a strategy's table values highest among the candidates of many hands.

    Parameters
    ----------
    hands : (n, 13) int64
        Card ids, each hand ascending.
    ranking, subsets, strategy : tuples
        As in :func:`arrange`.
    pairs : tuple
        ``pair_a`` and ``pair_b`` of :class:`solver.tables.Subsets`.
    contest, worth : tuples
        As in :func:`beater`.
    prunes : bool
        Whether candidates are only those that no other arrangement beats.
    out : (n, 3) int64
        What the table holds it worth, as :func:`arrange` returns it but without royalties for a split hand, and the
        subsets of front and back, written.
    paid : (n,) float64
        Units of the royalty for a split hand, written.
    """
    five_table, three_table, flush_table, _, colex, _ = ranking
    five_at, _, _, front_of_back, middle_of_back, _, _ = subsets
    back_bin, values, (terms, begin, end) = strategy[2], strategy[7], strategy[16]
    split, whole = worth[3:]
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    scratch = work_space(strategy[12].shape[0])
    for n in range(hands.shape[0]):
        hand = hands[n]
        rank_subsets(hand, five_table, three_table, flush_table, colex, five_at, five, three)
        key, i, j = arrange(hand, five, three, ranking, subsets, strategy, scratch)
        like = np.int64(front_of_back[i, j]), np.int64(middle_of_back[i, j]), i
        found = first_listed(hand, five, three, like, ranking, subsets, pairs, contest, worth, False)
        if prunes and beater(hand, five, three, found, ranking, subsets, contest, worth)[0] >= 0:
            key, like = best_unbeaten(
                hand, five, three, found, ranking, subsets, strategy, pairs, contest, worth, scratch[2]
            )
            found = first_listed(hand, five, three, like, ranking, subsets, pairs, contest, worth, True)
        t, m, b = found
        at = values.shape[2] + values.shape[1] + np.int64(back_bin[five[b]])
        if terms.shape[0] > 0 and begin <= at and at < end:
            key -= terms[five.max()]
        broken = split.shape[0] > 0 and max(five[m], five[b]) < whole
        paid[n] = split[five.max()] if broken else 0.0
        out[n, 0], out[n, 1], out[n, 2] = key, t, b


@compiled
def arrange_hands_plain(hands, ranking, subsets, strategy, pair_a, pair_b, out):  # type: ignore[no-untyped-def]
    """Do what :func:`arrange_hands` does, by the plain loop."""
    five_table, three_table, flush_table, _, colex, _ = ranking
    five = np.empty(1287, np.uint16)
    three = np.empty(286, np.uint16)
    terms, reach = np.empty(strategy[12].shape[0], np.int64), np.empty(strategy[12].shape[0], np.int64)
    for n in range(hands.shape[0]):
        rank_subsets(hands[n], five_table, three_table, flush_table, colex, subsets[0], five, three)
        key, front, _, back = arrange_plain(hands[n], five, three, ranking, strategy, pair_a, pair_b, terms, reach)
        out[n, 0] = key
        out[n, 1] = front
        out[n, 2] = back
