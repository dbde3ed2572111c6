"""Fictitious play against games with known answers, worth by bins against plain scoring, tables against deals."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from math import comb, inf, prod
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy.optimize import linprog

from solver import bin_kernels, equilibrium, kernels, pair_kernels
from solver.candidates import legal_splits
from solver.deals import PLAYS, SURRENDERS, Deals, deal
from solver.engines import LocalEngine
from solver.equilibrium import ROWS, SIZES, Grid, Meeting, Payoffs, Population, play_hands, share, strategy_of
from solver.errors import StrategyError
from solver.exploit import random_hands
from solver.presets import preset_names
from solver.ranks import five_key, five_order, three_key, three_order
from solver.rules import RuleSet, load_rules
from solver.strategies import FINEST, Strategy, bins_of, load_strategy
from solver.tables import Game, lower
from tests import naive

# --- The algorithm on games with known answers ---


def test_an_uneven_rock_paper_scissors_is_played_in_its_known_mix() -> None:
    pays = np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])  # rock that wins is paid double
    average = np.array([1.0, 0.0, 0.0])
    for number in range(1, 20_000):
        best = np.eye(3)[np.argmax(pays @ average)]
        average += share(number) * (best - average)
    assert average == pytest.approx([1 / 4, 1 / 2, 1 / 4], abs=0.01)
    assert 0 <= (pays @ average).max() < 0.02  # the value of a symmetric game is 0


def test_rounds_weigh_in_proportion_to_their_number() -> None:
    weights = np.zeros(30)
    for number in range(30):
        weights *= 1 - share(number)
        weights[number] = share(number)
    assert weights == pytest.approx(np.arange(1, 31) / np.arange(1, 31).sum())


RANKS, COPIES = 6, 2
"""A toy deck: six ranks in two suits that matter no further."""


@cache
def toy() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Chinese poker with five cards in rows of one, two and two: 2-4 scoring, two players, twelve cards.

    The hand of each arrangement, units between arrangements, and chances of two hands together.
    """
    hands = [h for h in combinations_with_replacement(range(RANKS), 5) if max(map(h.count, h)) <= COPIES]
    of, rows = [], []
    for number, hand in enumerate(hands):
        found = set()
        for places in permutations(range(5)):
            front, *others = (hand[k] for k in places)
            middle, back = ((a == b, max(a, b), min(a, b)) for a, b in (others[:2], others[2:]))
            if (False, front, -1) <= middle <= back:
                found.add((front, middle, back))
        of += [number] * len(found)
        rows += sorted(found)
    units = np.zeros((len(rows), len(rows)))
    for i, mine in enumerate(rows):
        for j, theirs in enumerate(rows):
            results = [(a > b) - (a < b) for a, b in zip(mine, theirs, strict=True)]
            won, lost = results.count(1), results.count(-1)
            units[i, j] = won - lost + (won >= 2) - (lost >= 2)
    joint = np.array([
        [
            prod(comb(COPIES, a.count(r)) * comb(COPIES - a.count(r), b.count(r)) for r in range(RANKS)) for b in hands
        ] for a in hands
    ])  # fmt: skip
    joint = joint / joint.sum()
    return np.array(of), units, joint


def test_fictitious_play_solves_a_toy_chinese_poker_as_linear_programming_does() -> None:
    of, units, joint = toy()
    size, hands = len(of), len(joint)
    assert joint == pytest.approx(joint.T) and (joint == 0).any()  # cards removed matter
    against = joint[np.ix_(of, of)] * units  # what a pure choice contributes against another
    assert np.bincount(of).max() == 8 and size == 693
    # The most that can be guaranteed: sum of v, where v of a hand is at most what each of its answers leaves us.
    bound = np.concatenate((-against.T, np.eye(hands)[of]), axis=1)
    mixes = np.concatenate((np.eye(hands)[of].T, np.zeros((hands, hands))), axis=1)
    cost = np.concatenate((np.zeros(size), -np.ones(hands)))
    limits = [(0, 1)] * size + [(None, None)] * hands
    solved = linprog(cost, A_ub=bound, b_ub=np.zeros(size), A_eq=mixes, b_eq=np.ones(hands), bounds=limits)
    value = -solved.fun
    assert value == pytest.approx(0, abs=1e-9)
    exact = solved.x[:size]
    assert ((exact > 0.01) & (exact < 0.99)).any()  # no pure strategy will do

    starts = np.flatnonzero(np.diff(of, prepend=-1))

    def response(average: np.ndarray) -> tuple[np.ndarray, float]:
        worth = against @ average
        best = np.maximum.reduceat(worth, starts)
        chosen = np.zeros(size)
        at = np.flatnonzero(worth == best[of])
        chosen[at[np.diff(of[at], prepend=-1) > 0]] = 1  # of equal ones the first
        return chosen, float(best.sum())

    average, _ = response(np.ones(size) / np.bincount(of)[of])
    won = [response(average)[1]]
    for number in range(1, 700):
        best, gain = response(average)
        average += share(number) * (best - average)
        won.append(gain)
    assert np.bincount(of, average) == pytest.approx(np.ones(hands))
    exploited = response(average)[1]
    assert won[0] > 0.05 and -1e-12 < exploited < 0.001
    guaranteed = np.minimum.reduceat(average @ against, starts).sum()
    assert guaranteed == pytest.approx(value, abs=0.001)
    assert average @ against @ exact == pytest.approx(value, abs=0.001)
    # Plain repeated best response does not get there: averaging is what does it.
    pure, gains = response(np.ones(size) / np.bincount(of)[of])[0], []
    for _ in range(50):
        pure, gain = response(pure)
        gains.append(gain)
    assert min(gains) > 0.01


# --- What a bin is worth ---

PAYMENTS = [
    ("2-4", []),
    ("1-6", []),
    ("2-4-royalties", []),
    ("hong-kong", []),
    ("mainland", []),
    ("thai", []),
    ("taiwan", []),
    ("equal-royalties", []),
    ("fuzhou", []),
    ("club", ["royalties.split=false"]),
    ("eastern", []),
    ("deuce-to-seven", []),
    ("2-4", ["overall.basis=net"]),
    ("2-4-royalties", ["overall.basis=total"]),
    ("2-4-royalties", ["rows.front=2", "rows.back=0.5"]),
    ("capsa-susun", []),
    ("deuce-to-seven", ["ranking.suits=dchs"]),
    ("pusoy", []),
    ("malayan", []),
    ("mainland", ["table.banker=true", "table.banker_wins_ties=true"]),
]


def plain(rules: RuleSet) -> naive.Rules:
    return naive.complete(msgspec.to_builtins(rules))


@cache
def examples(wheel: str) -> tuple[dict[int, naive.Row], dict[int, naive.Row]]:
    """Return cards of each strength of a front, and of five cards."""
    fronts = {key: at for at, key in enumerate(three_order())}
    fives = {key: at for at, key in enumerate(five_order(wheel))}
    three: dict[int, naive.Row] = {}
    five: dict[int, naive.Row] = {}
    for ranks in combinations_with_replacement(range(13), 3):
        three[fronts[three_key(list(ranks))]] = tuple(naive.RANKS[r] + s for r, s in zip(ranks, "cdh", strict=True))
    for ranks in combinations_with_replacement(range(13), 5):
        if max(map(ranks.count, ranks)) > 4:
            continue
        mixed = [(rank, "cdhs"[ranks[:at].count(rank)]) for at, rank in enumerate(ranks)]
        if len(set(ranks)) == 5:
            mixed[0] = (ranks[0], "d")
            five[fives[five_key(list(ranks), True, wheel)]] = tuple(naive.RANKS[r] + "s" for r in ranks)
        five[fives[five_key(list(ranks), False, wheel)]] = tuple(naive.RANKS[r] + s for r, s in mixed)
    assert len(three) == len(fronts) and len(five) == len(fives)
    return three, five


def seat(strengths: np.ndarray, rules: naive.Rules) -> naive.Seat:
    """Return what the slow twin scores, whatever the order of the rows."""
    three, five = examples(rules["ranking"]["wheel"])
    rows = three[int(strengths[0])], five[int(strengths[1])], five[int(strengths[2])]
    royalties = {row: naive.royalty(row, cards, rules) for row, cards in zip(naive.ROWS, rows, strict=True)}
    return naive.Seat(naive.Player(*rows), None, False, royalties, None)


def arrangements(rng: np.random.Generator, game: Game, number: int) -> np.ndarray:
    """Return strengths of three rows in which royalties of every kind are common, and so are ties."""
    out = np.empty((number, 3), np.int64)
    for k, row in enumerate(ROWS):
        royalty = getattr(game.pay, row)
        for at in range(number):
            like = np.flatnonzero(royalty == rng.choice(np.unique(royalty)))
            out[at, k] = out[rng.integers(at), k] if at and rng.random() < 0.2 else rng.choice(like)
    return out


def counted(orders: np.ndarray, edges: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return the places of arrangements in a grid, their histogram, and how often each order is met by row."""
    places = np.stack([bins_of(edges[row], SIZES[row])[orders[:, k]] for k, row in enumerate(ROWS)], axis=-1)[:, ::-1]
    counts = np.zeros([len(edges[row]) for row in reversed(ROWS)])
    np.add.at(counts, tuple(places.T), 1 / len(orders))
    mass = {row: np.bincount(orders[:, k], minlength=SIZES[row]) / len(orders) for k, row in enumerate(ROWS)}
    return places, counts, mass


def fine_edges(orders: np.ndarray) -> dict[str, np.ndarray]:
    """Return bins of a single strength for all that are met."""
    edges = {}
    for k, row in enumerate(ROWS):
        edges[row] = np.unique([0, *orders[:, k], *np.minimum(orders[:, k] + 1, SIZES[row] - 1)]).astype(np.int16)
    return edges


def ordered(strengths: np.ndarray, game: Game) -> np.ndarray:
    """Return what rows are compared by, suits aside."""
    orders = strengths.copy()
    orders[:, 1] = game.contest.middle[strengths[:, 1]]
    return orders


def everywhere(payoffs: Payoffs) -> Payoffs:
    """Return payoffs that are worked out for illegal arrangements, too."""
    return replace(payoffs, legal=np.ones(payoffs.shape, bool))


def pays(a: naive.Seat, b: naive.Seat, rules: naive.Rules, seats: int, banks: bool | None) -> float:
    """Return what a pair pays on average, where suits decide a tie one way as often as the other."""
    if not rules["ranking"]["suits"]:
        ties_to = {None: 0, True: 1, False: -1}[banks if rules["table"]["banker_wins_ties"] else None]
        return naive.play_rows(a, b, rules, seats, ties_to).units
    unsuited = rules | {"ranking": rules["ranking"] | {"suits": ""}}
    keys = [[naive.row_key(row, getattr(one.player, row), unsuited) for row in naive.ROWS] for one in (a, b)]
    ways = product(*([(x > y) - (x < y)] if x != y else [-1, 1] for x, y in zip(*keys, strict=True)))
    return float(np.mean([naive.play_results(a, b, list(way), unsuited, seats).units for way in ways]))


@pytest.mark.parametrize(("preset", "overrides"), PAYMENTS)
def test_worth_is_the_mean_of_plainly_scored_pairs(preset: str, overrides: list[str]) -> None:
    rules = load_rules(preset, overrides)
    game, slow, rng = lower(rules), plain(rules), np.random.default_rng(len(preset))
    strengths = arrangements(rng, game, 30)
    orders = ordered(strengths, game)
    edges = fine_edges(orders)  # a bin for every strength that is met
    places, counts, mass = counted(orders, edges)
    seats = [seat(one, slow) for one in strengths]
    assert len(game.sides) == 1 + rules.table.banker_wins_ties
    for banks in game.sides:
        found = everywhere(Payoffs.of(Grid.of(edges, mass), game, banks)).worth(counts)[tuple(places.T)]
        exact = [np.mean([pays(a, b, slow, 2, banks) for b in seats]) for a in seats]
        assert found == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("multiplier", ["3", "players"])
def test_a_scoop_times_the_players_is_worth_it(multiplier: str) -> None:
    rules = load_rules("2-4-royalties", [f"scoop.multiplier={multiplier}"])
    game, slow, rng = lower(rules, 4), plain(rules), np.random.default_rng(1)
    strengths = arrangements(rng, game, 20)
    edges = fine_edges(strengths)
    places, counts, mass = counted(strengths, edges)
    found = everywhere(Payoffs.of(Grid.of(edges, mass), game, None)).worth(counts)[tuple(places.T)]
    seats = [seat(one, slow) for one in strengths]
    assert found == pytest.approx([np.mean([pays(a, b, slow, 4, None) for b in seats]) for a in seats], abs=1e-9)


RUNS = [
    ("mainland", [], 3),
    ("mainland", [], 4),
    ("taiwan", [], 4),
    ("fuzhou", [], 4),
    ("quanzhou", ["home_run.extra=0.5", "home_run.multiplier=3"], 3),
    ("mainland", ["table.banker=true"], 3),
    ("taiwan", ["table.banker=true", "table.banker_wins_ties=true"], 4),
    ("pusoy", ["home_run.multiplier=2", "home_run.extra=1"], 4),
]


def run_exactly(pairs: dict[str, Any], weights: dict[str, np.ndarray], rules: naive.Rules, banks: bool | None) -> Any:
    """Return what each arrangement wins from an opponent, the mean over all tuples of opponents, by rules.md step 8.

    ``pairs`` holds units and scoops of a player's arrangement against an opponent's, ``back`` those of an opponent's
    against another player's; ``weights`` the chances of an opponent's arrangements and of another player's, the last of
    which stands for who does not play his rows.
    """
    units, scoops = pairs["units"], pairs["scoops"]
    multiplier, extra, others = rules["home_run"]["multiplier"], rules["home_run"]["extra"], pairs["opponents"] - 1
    own, theirs = len(units), weights["theirs"]
    total = np.zeros(own)
    # The opponents of a banker's opponent are the banker and people whom he does not pair with.
    beside = weights["ours"] if banks is False else theirs
    for mine, at in product(range(own), np.ndindex(len(theirs), *[len(beside)] * others)):
        chance = theirs[at[0]] * np.prod([beside[k] for k in at[1:]])
        j, rest = at[0], at[1:]
        if j == len(theirs) - 1:
            continue  # nothing from who does not play his rows
        won = units[mine, j]
        scooped = [scoops[mine, k] > 0 if k < own else False for k in at]
        if banks is not False and all(scooped):
            won = won * multiplier + extra
        against = [pairs["back"][j, k] > 0 if k < own else False for k in rest]
        if banks is not True and scoops[mine, j] < 0 and all(against):
            won = won * multiplier - extra
        total[mine] += chance * won
    return total


@pytest.mark.parametrize(("preset", "overrides", "players"), RUNS)
def test_home_runs_are_worth_the_exact_mean_over_all_opponents(preset: str, overrides: list[str], players: int) -> None:
    rules = load_rules(preset, overrides)
    game, slow, rng = lower(rules, players), plain(rules), np.random.default_rng(len(preset) + players)
    assert game.pay.home_run and game.sides == ((False, True) if rules.table.banker else (None,))
    strengths = arrangements(rng, game, 7)
    strengths[0] = [0, 3, 5]  # scooped by all
    strengths[1] = [SIZES[row] - 2 for row in ROWS]  # scoops all
    edges = fine_edges(strengths)
    places = counted(strengths, edges)[0]
    seats = [seat(one, slow) for one in strengths]
    shares = [np.append(0.85 * part / part.sum(), 0.15) for part in rng.random((len(game.sides), 7)) + 0.2]
    populations = []
    for part in shares:
        counts = np.zeros([len(edges[row]) for row in reversed(ROWS)])
        np.add.at(counts, tuple(places.T), part[:-1])
        mass = {row: np.bincount(strengths[:, k], part[:-1], SIZES[row]) for k, row in enumerate(ROWS)}
        populations.append(Population(counts, np.zeros((14, *counts.shape)), mass, np.zeros(0), 0.15))
    for side, (banks, meeting) in enumerate(zip(game.sides, Meeting.all(tuple(populations), edges, game), strict=True)):
        ties_to = {None: 0, True: 1, False: -1}[banks if rules.table.banker_wins_ties else None]
        scored = [[naive.play_rows(a, b, slow, players, ties_to) for b in seats] for a in seats]
        back = [[naive.play_rows(a, b, slow, players, -ties_to) for b in seats] for a in seats]
        pairs = {
            "units": np.array([[one.units for one in row] for row in scored]),
            "scoops": np.array([[one.scoop for one in row] for row in scored]),
            "back": np.array([[one.scoop for one in row] for row in back]),
            "opponents": players - 1,
        }
        assert (pairs["scoops"][1] > 0).sum() > 2 and (pairs["scoops"][0, 1:] <= 0).all()
        weights = {"theirs": shares[len(shares) - 1 - side], "ours": shares[side]}
        exact = run_exactly(pairs, weights, slow, banks)
        meeting = replace(meeting, payoffs=everywhere(meeting.payoffs), back=everywhere(meeting.back))
        found = meeting.worth(jobs=2)[tuple(places.T)]
        assert found == pytest.approx(exact, abs=1e-9)
        without = pairs["units"] @ weights["theirs"][:-1]
        assert np.abs(exact - without).max() > 0.02


def test_royalties_that_depend_on_each_other_are_limited_and_others_are_not() -> None:
    ranks = "23456789TJQKA"
    rows = {"front": ("pair", "trips"), "middle": ("full-house", "quads"), "back": ("full-house", "quads")}
    many = [
        f"royalties.{row}.{kind}:{rank}={at + k / 2 + 1}"
        for row, kinds in rows.items()
        for k, kind in enumerate(kinds)
        for at, rank in enumerate(ranks)
    ]
    edges = {row: np.arange(0, SIZES[row], 7).astype(np.int16) for row in ROWS}
    mass = {row: np.ones(SIZES[row]) for row in ROWS}
    payoffs = Payoffs.of(Grid.of(edges, mass), lower(load_rules("2-4", many)), None)
    assert len(payoffs.parts) == 4 and max(len(part.units) for part in payoffs.parts) < 30
    with pytest.raises(StrategyError, match="different combinations of royalties"):
        Payoffs.of(Grid.of(edges, mass), lower(load_rules("2-4", [*many, "royalties.per_hand=one"])), None)


def coarse(game: Game, rng: np.random.Generator, bins: int = 7) -> dict[str, np.ndarray]:
    edges = {}
    for row in ROWS:
        royalty = getattr(game.pay, row)
        changes = [] if row == "middle" and game.contest.low else np.flatnonzero(np.diff(royalty)) + 1
        edges[row] = np.unique([0, *changes, *rng.choice(SIZES[row], bins, replace=False)]).astype(np.int16)
    return edges


@pytest.mark.parametrize(("preset", "overrides"), PAYMENTS)
def test_worth_by_coarse_bins_is_fair_and_linear(preset: str, overrides: list[str]) -> None:
    """What one side wins the other loses, whatever the populations."""
    game, rng = lower(load_rules(preset, overrides)), np.random.default_rng(3)
    edges = coarse(game, rng)
    orders = ordered(arrangements(rng, game, 800), game)
    _, counts, mass = counted(orders, edges)
    ours = [everywhere(Payoffs.of(Grid.of(edges, mass), game, banks)) for banks in game.sides]
    for side, payoffs in enumerate(ours):
        back = ours[len(ours) - 1 - side]
        shape = counts.shape
        one, two = counts * rng.random(shape), counts * rng.normal(size=shape)
        first, second = payoffs.worth(one), back.worth(two)
        assert (counts * payoffs.worth(counts)).sum() == pytest.approx(-(counts * back.worth(counts)).sum(), abs=1e-9)
        assert (two * first).sum() == pytest.approx(-(one * second).sum(), abs=1e-9)
        if len(ours) == 1:
            assert (one * first).sum() == pytest.approx(0, abs=1e-9)
        assert payoffs.worth(2 * one - 3 * two) == pytest.approx(2 * first - 3 * payoffs.worth(two), abs=1e-9)
        assert not payoffs.worth(np.zeros(shape)).any()
        assert payoffs.worth(one, jobs=3) == pytest.approx(first, abs=1e-12)


def test_bin_worth_is_the_sum_over_all_pairs_of_bins() -> None:
    """Against plain loops, with any units, in one piece and in several."""
    rng = np.random.default_rng(4)
    shape, sizes = (6, 5, 4), (3, 2, 2)
    won, tied = [], []
    for n in shape:
        parts = rng.dirichlet([1, 1, 1], n)
        parts[rng.integers(n)] = [0, 1, 0]
        won.append(parts[:, 0].copy())
        tied.append(parts[:, 1].copy())
    levels = tuple(rng.integers(size, size=n) for n, size in zip(shape, sizes, strict=True))
    profiles = int(np.prod(sizes))
    units, mass, legal = rng.normal(size=(profiles, profiles, 27)), rng.normal(size=shape), rng.random(shape) < 0.7
    mass[2], mass[:, 1] = 0, 0
    exact = np.zeros(shape)
    for mine, theirs in product(np.ndindex(*shape), np.ndindex(*shape)):
        chances = []  # of losing, tying and winning by back, middle and front
        for axis in range(3):
            if mine[axis] == theirs[axis]:
                win, tie = won[axis][mine[axis]], tied[axis][mine[axis]]
                chances.append((1 - win - tie, tie, win))
            else:
                chances.append((1, 0, 0) if mine[axis] < theirs[axis] else (0, 0, 1))
        own, other = (
            (levels[2][at[2]] * sizes[1] + levels[1][at[1]]) * sizes[0] + levels[0][at[0]] for at in (mine, theirs)
        )
        for back, middle, front in product(range(3), repeat=3):
            chance = chances[0][back] * chances[1][middle] * chances[2][front]
            exact[mine] += mass[theirs] * chance * units[own, other, 9 * front + 3 * middle + back]
    arguments = mass, tuple(won), tuple(tied), levels, sizes, units, legal
    whole, pieces = np.zeros(shape), np.full(shape, np.nan)
    bin_kernels.bin_worth(*arguments, 0, 6, whole)
    for begin, end in ((3, 6), (0, 1), (1, 3), (2, 2)):
        bin_kernels.bin_worth(*arguments, begin, end, pieces)
    assert whole[legal] == pytest.approx(exact[legal], abs=1e-12) and not whole[~legal].any()
    assert pieces == pytest.approx(whole, abs=1e-12)


def test_a_grid_knows_its_ties_centres_and_shares() -> None:
    rng = np.random.default_rng(6)
    mass = {row: np.floor(rng.random(SIZES[row]) * 4) / 7 for row in ROWS}
    edges = {row: np.unique([0, 1, 2, *rng.choice(SIZES[row], 20)]).astype(np.int16) for row in ROWS}
    grid = Grid.of(edges, mass)
    assert grid.shape == tuple(len(edges[row]) for row in ("back", "middle", "front"))
    for row in ROWS:
        held = mass[row] / mass[row].sum()
        ends = [*edges[row][1:].tolist(), SIZES[row]]
        for at, (start, end) in enumerate(zip(edges[row].tolist(), ends, strict=True)):
            part = held[start:end]
            if part.sum() == 0:
                assert grid.ties[row][at] == 1
                continue
            inside = part / part.sum()
            assert grid.ties[row][at] == pytest.approx(np.outer(inside, inside).trace())
            assert grid.ties[row][at] == pytest.approx(1) or np.count_nonzero(part) > 1
            assert grid.centres[row][at] == pytest.approx(held[:start].sum() + part.sum() / 2)
        below = np.array([held[:at].sum() + held[at] / 2 for at in range(SIZES[row])])
        assert grid.shares[row] == pytest.approx(below)
        assert (held * grid.shares[row]).sum() == pytest.approx(0.5)


def test_bins_that_no_hand_falls_into_raise_no_warning() -> None:
    mass = {row: np.zeros(SIZES[row]) for row in ROWS}
    for row in ROWS:
        mass[row][5:9] = 1
    grid = Grid.of({row: np.array([0, 3, 7, 100], np.int16) for row in ROWS}, mass)
    for row in ROWS:
        assert grid.ties[row] == pytest.approx([1, 0.5, 0.5, 1])


@pytest.mark.parametrize("preset", preset_names())
def test_no_bin_straddles_a_change_of_royalty(preset: str) -> None:
    game, rng = lower(load_rules(preset)), np.random.default_rng(7)
    mass = {row: rng.random(SIZES[row]) ** 8 * (rng.random(SIZES[row]) < 0.5) for row in ROWS}
    edges = equilibrium.cut(mass, game)
    for row in ROWS:
        edge = edges[row].astype(int)
        assert edge[0] == 0 and (np.diff(edge) > 0).all() and edge[-1] < SIZES[row]
        royalty = getattr(game.pay, row)
        if not (row == "middle" and game.contest.low):
            assert all(len(set(part)) == 1 for part in np.split(royalty, edge[1:]))
        share = np.add.reduceat(mass[row], edges[row]) / mass[row].sum()
        heaviest = mass[row].max() / mass[row].sum()
        assert len(edge) >= equilibrium.BINS[row] / 2 and share.max() <= 1 / equilibrium.BINS[row] + heaviest + 1e-6


# --- What a hand's own cards change ---


def test_the_effect_of_ranks_is_exact() -> None:
    """The chance of an opponent's hand given one's own, as the linear function of one's own cards that is nearest.

    Least squares: the coefficients c solve C c = d, where C is the covariance of one's own numbers of cards m by rank,
    and d how their expectation moves with the opponent's, E[m | n] - 1 = (4 - n) / 3 - 1 = (1 - n) / 3.
    """
    chances = [Fraction(comb(4, k) * comb(48, 13 - k), comb(52, 13)) for k in range(5)]
    variance = sum(k * k * chance for k, chance in enumerate(chances)) - 1
    assert variance == Fraction(12, 13) * Fraction(39, 51)
    both = sum(  # E[m_r m_s] of two ranks
        Fraction(j * k * comb(4, j) * comb(4, k) * comb(44, 13 - j - k), comb(52, 13))
        for j, k in product(range(5), repeat=2)
    )
    assert both - 1 == -variance / 12
    for n in range(5):  # dealt from the 39 cards that the opponent leaves, 4 - n of this rank
        mean = sum(Fraction(k * comb(4 - n, k) * comb(35 + n, 13 - k), comb(39, 13)) for k in range(5 - n))
        assert mean - 1 == Fraction(1 - n, 3)
    covariance = np.full((13, 13), float(both - 1))
    np.fill_diagonal(covariance, float(variance))
    for seed in range(5):
        hand = np.random.default_rng(seed).permutation(52)[:13] // 4
        ours = 1 - np.bincount(hand, minlength=13)
        wanted = np.linalg.lstsq(covariance, ours / 3, rcond=None)[0]
        assert wanted == pytest.approx(equilibrium.RANK_EFFECT * ours, abs=1e-12)


def splits() -> Iterator[tuple[int, ...]]:
    return (s for s in product(range(14), repeat=4) if sum(s) == 13)


def test_the_effect_of_suits_is_exact() -> None:
    """The same by the sum of squared suit lengths q: slope of E[q | the opponent's q] over the variance of q.

    It does not vary together with any rank's number of cards, so that both effects simply add up.
    """
    ways = {s: prod(comb(13, k) for k in s) for s in splits()}
    assert len(ways) == 560 and sum(ways.values()) == comb(52, 13)
    q = {s: sum(k * k for k in s) for s in ways}
    mean = Fraction(sum(ways[s] * q[s] for s in ways), comb(52, 13))
    variance = Fraction(sum(ways[s] * q[s] ** 2 for s in ways), comb(52, 13)) - mean**2
    assert mean == Fraction(845, 17) and float(mean) == equilibrium.SPREAD_MEAN
    given = {  # E[q | theirs], dealt from what they leave
        q[t]: Fraction(sum(prod(comb(13 - a, b) for a, b in zip(t, s, strict=True)) * q[s] for s in ways), comb(39, 13))
        for t in ways
        if t == tuple(sorted(t))
    }
    slope = Fraction(1, 9) - Fraction(13, 2223)
    assert all(known - mean == slope * (theirs - mean) for theirs, known in given.items())
    assert pytest.approx(float(slope / variance), rel=1e-12) == equilibrium.SPREAD_EFFECT


def test_the_linear_prediction_of_opponents_by_own_aces_agrees_with_deals() -> None:
    rules = load_rules("2-4")
    game = lower(rules, 3)  # two other players dealt from one deck: the one is "I", the other the opponent
    played = deal(game, (), (), 60_000, load_strategy("balanced", rules), seed=21)
    aces = sum((played.hands >> np.uint64(48 + suit)) & np.uint64(1) for suit in range(4)).astype(int)
    strong = played.classes[:, 1, 0] >= next(
        at for at, key in enumerate(three_order()) if key[0] == 1 and key[1][0] > 7
    )
    mine, theirs = aces[:, 0], aces[:, 1]
    # Among the other ranks one's cards are spread evenly, (13 - m) / 12 each, so their effects add a twelfth.
    slope = -equilibrium.RANK_EFFECT * 13 / 12 * ((theirs - 1) * strong).mean()
    assert slope < -0.01
    moved = np.polyfit(mine, strong.astype(float), 1)[0]
    error = strong.std() / mine.std() / np.sqrt(len(mine))
    assert abs(moved - slope) < 4 * error and abs(moved) > 6 * error
    for m in range(3):
        part = strong[mine == m]
        expected = strong.mean() + slope * (m - 1)
        assert part.mean() == pytest.approx(expected, abs=0.006 + 4 * part.std() / np.sqrt(len(part)))


def test_terms_by_row_are_the_weighted_least_squares_fit() -> None:
    rng = np.random.default_rng(8)
    parts = [rng.normal(size=n) for n in (4, 5, 6)]
    additive = parts[0][:, None, None] + parts[1][None, :, None] + parts[2][None, None, :]
    for weight in (np.ones((4, 5, 6)), rng.random((4, 5, 6)) + 0.1):
        back, middle, front = equilibrium.by_row(additive, weight)
        fitted = back[:, None, None] + middle[None, :, None] + front[None, None, :]
        assert fitted == pytest.approx(additive, abs=1e-6)
        change = additive + rng.normal(size=additive.shape)
        back, middle, front = equilibrium.by_row(change, weight)
        fitted = back[:, None, None] + middle[None, :, None] + front[None, None, :]
        places = zip((4, 5, 6), np.indices((4, 5, 6)), strict=True)
        columns = np.concatenate([np.eye(n)[at.ravel()] for n, at in places], axis=1)
        root = np.sqrt(weight.ravel())
        wanted = np.linalg.lstsq(columns * root[:, None], change.ravel() * root, rcond=None)[0]
        assert fitted.ravel() == pytest.approx(columns @ wanted, abs=1e-6)


# --- Setting many hands ---


@pytest.fixture
def few_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    for row, bins in {"front": 10, "middle": 16, "back": 16}.items():
        monkeypatch.setitem(equilibrium.BINS, row, bins)


def some_edges(game: Game) -> dict[str, np.ndarray]:
    return coarse(game, np.random.default_rng(11), 12)


def same(one: Population, two: Population) -> bool:
    return (
        (one.counts == two.counts).all()
        and (one.moments == two.moments).all()
        and all((one.mass[row] == two.mass[row]).all() for row in ROWS)
        and (one.naturals == two.naturals).all()
        and one.surrendered == two.surrendered
    )


def timid(strategy: Strategy, game: Game, share: float) -> Strategy:
    """Return a strategy that surrenders about so many hands: those that it holds worth least."""
    out, hands = np.empty((2000, 3), np.int64), random_hands(2000, 77)
    kernels.arrange_hands(hands, *strategy.kernel_arguments(game), out)
    offset, step = strategy.units
    return replace(strategy, surrender=offset + step * float(np.quantile(out[:, 0], share)) / FINEST)


@pytest.mark.parametrize("preset", ["2-4", "1-4", "deuce-to-seven"])
def test_hands_are_counted_alike_for_any_number_of_jobs(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilibrium, "HANDS_PER_CHUNK", 700)
    rules = load_rules(preset)
    game, strategy = lower(rules), load_strategy("balanced", rules)
    strategy = timid(strategy, game, 0.2) if rules.surrender.allowed else strategy
    edges = some_edges(game)
    found, gain = play_hands(game, strategy, edges, 3000, (5, 1), LocalEngine(1))
    assert (0.15 < found.surrendered < 0.25) if rules.surrender.allowed else found.surrendered == 0
    for jobs in (2, 3, 9):
        again, again_gain = play_hands(game, strategy, edges, 3000, (5, 1), LocalEngine(1, at_once=jobs))
        assert same(found, again) and gain == again_gain
    assert found.counts.sum() == pytest.approx(1 - found.naturals.sum() - found.surrendered)
    for row in ROWS:
        assert found.mass[row].sum() == pytest.approx(found.counts.sum())
        axis = ROWS.index(row)
        by_bin = found.counts.sum(tuple(2 - k for k in range(3) if k != axis))
        assert by_bin == pytest.approx(np.add.reduceat(found.mass[row], edges[row]))
    for words in ((5, 2), (6, 1), (5, 1, 0)):
        assert not same(found, play_hands(game, strategy, edges, 3000, words, LocalEngine(1))[0])


@pytest.mark.parametrize("preset", ["2-4", "1-4", "quanzhou", "deuce-to-seven"])
def test_hands_are_counted_as_by_hand(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilibrium, "HANDS_PER_CHUNK", 90)
    rules, number, words = load_rules(preset), 200, (3, 4)
    game = lower(rules)
    edges = some_edges(game)
    values = np.random.default_rng(1).integers(-999, 999, [len(edges[row]) for row in reversed(ROWS)]).astype(np.int16)
    strategy = replace(load_strategy("balanced", rules), edges=edges, values=values, units=(0.0, 1e-3))
    strategy = timid(strategy, game, 0.3) if rules.surrender.allowed else strategy
    found, gain = play_hands(game, strategy, edges, number, words, LocalEngine(1, at_once=2))
    counts, moments = np.zeros(found.counts.shape), np.zeros(found.moments.shape)
    naturals, units, surrendered = np.zeros(len(rules.naturals.kinds) if rules.naturals.enabled else 0), [], 0
    for chunk in range(3):
        rng, deck = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(4, chunk))), list(range(52))
        for _ in range((90, 90, 20)[chunk]):
            for at in range(13):
                other = at + int(rng.random() * (52 - at))
                deck[at], deck[other] = deck[other], deck[at]
            hand = tuple(sorted(deck[:13]))
            held = naive.declared(tuple(naive.RANKS[c >> 2] + "cdhs"[c & 3] for c in hand), plain(rules))
            if held is not None:
                naturals[held.place] += 1
                continue
            orders = legal_splits(hand, game).rows[:, :3] // 4
            worth = strategy.worth(hand, orders)
            if worth.max() < strategy.surrender:
                surrendered += 1
                continue
            units.append(worth.max())
            best = orders[np.argmax(worth)]
            cell = tuple(int(np.searchsorted(edges[ROWS[k]], best[k], side="right") - 1) for k in (2, 1, 0))
            counts[cell] += 1
            for rank in range(13):
                moments[(rank, *cell)] += sum(card >> 2 == rank for card in hand) - 1
            moments[(13, *cell)] += sum(sum(card & 3 == suit for card in hand) ** 2 for suit in range(4)) - 50
    assert found.naturals == pytest.approx(naturals / number)
    assert found.counts == pytest.approx(counts / number) and found.moments == pytest.approx(moments / number)
    assert found.surrendered == pytest.approx(surrendered / number)
    assert (surrendered > 20) == rules.surrender.allowed
    # Of two naturals each wins as often as the other; what it pays others is in what the table expects.
    own = sum(share * kind.units for share, kind in zip(found.naturals, rules.naturals.kinds, strict=False))
    given = strategy.surrender * surrendered if surrendered else 0
    assert gain.units == pytest.approx((sum(units) + given) / number + (len(units) + surrendered) / number * own)


# --- What the table expects against what is won ---


class Against:
    """What arrangements win from dealt hands, deal by deal; cards may stand in both."""

    def __init__(self, game: Game, theirs: Deals) -> None:
        self.game, self.strengths, self.places = game, theirs.strengths[:, 0].astype(np.int16), theirs.places[:, 0]
        self.table, self.of = self.profiles(theirs.classes[:, 0])
        self.kinds = np.array([kind.units for kind in game.rules.naturals.kinds] + [0.0, 0.0])
        self.price = game.rules.surrender.units

    def profiles(self, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the different royalties, and which of them each has."""
        royalties = self.game.pay.royalties(classes)
        _, first, of = np.unique(royalties @ [1e6, 1e3, 1.0], return_index=True, return_inverse=True)
        return np.column_stack((royalties[first], np.zeros(len(first)))), of

    def units(self, classes: np.ndarray, strengths: np.ndarray, at: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return what one arrangement wins from each of the hands, or each of many from one hand."""
        table, of = self.profiles(classes.reshape(-1, 3))
        units = np.empty((len(table), len(self.table), 27))
        status = np.zeros(len(self.table), np.uint8)
        pair_kernels.pair_outcomes(
            table, self.table, status, self.game.pay.kernel_arguments(), units, np.empty_like(units)
        )
        results = np.sign(strengths.astype(np.int16) - self.strengths[at]) @ np.array([9, 3, 1], np.int16) + 13
        units = np.where(self.places[at] == SURRENDERS, self.price, units[of, self.of[at], results])
        return np.where(self.places[at] < 0, units, -self.kinds[self.places[at]])

    def units_of(self, mine: Deals) -> np.ndarray:
        """Return what each of as many dealt hands wins from one of the hands, naturals included."""
        ours = mine.places[:, 0]
        declared = np.where(self.places < 0, self.kinds[ours], 0.0)  # two naturals: as often one way as the other
        played = self.units(mine.classes[:, 0], mine.strengths[:, 0])
        return np.select([ours == SURRENDERS, ours == PLAYS], [self.given(), played], declared)

    def given(self) -> np.ndarray:
        """Return what surrendering wins from each of the hands."""
        return np.select(
            [self.places == SURRENDERS, self.places == PLAYS], [0.0, -self.price], -self.kinds[self.places]
        )


def dealt(game: Game, strategy: Strategy, number: int, seed: int) -> Deals:
    return deal(game, (), (), number, strategy, seed=seed)


TIMID = ("surrender.allowed=true", "surrender.units=0.4")


@cache
def response_to(
    preset: str, overrides: tuple[str, ...] = (), hands: int = 100_000, correct: bool = False
) -> tuple[Game, Strategy, Strategy]:
    """Return a game, its simple strategy, and the best response to that as a table."""
    rules = load_rules(preset, overrides)
    game, simple = lower(rules), load_strategy("balanced", rules)
    if rules.surrender.allowed:
        simple, hands = timid(simple, game, 0.2), hands // 2
    first, _ = play_hands(game, simple, simple.edges, hands // 4, (1,), LocalEngine(1, at_once=2))
    edges = equilibrium.cut(first.mass, game)
    found, _ = play_hands(game, simple, edges, hands, (2,), LocalEngine(1, at_once=2))
    meeting = Meeting.all((found,), edges, game)[0]
    removal = equilibrium.removal_of(meeting) if correct else None
    return game, simple, strategy_of(meeting, removal)


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        ("2-4", ()),
        ("2-4-royalties", TIMID),
        *(pytest.param(n, (), marks=pytest.mark.slow) for n in ("thai", "quanzhou", "deuce-to-seven", "2-4-royalties")),
    ],
)
def test_a_table_expects_of_each_arrangement_what_it_wins(preset: str, overrides: tuple[str, ...]) -> None:
    """Opponents are dealt whatever the player holds; plain scoring of some pairs, and what it says of many."""
    game, simple, table = response_to(preset, overrides)
    slow, theirs = plain(game.rules), dealt(game, simple, 40_000, seed=31)
    mine, against = dealt(game, table, 150, seed=32), Against(game, theirs)
    errors = []
    for at in np.flatnonzero(mine.places[:, 0] == PLAYS).tolist():
        units = against.units(mine.classes[at, 0], mine.strengths[at, 0])
        errors.append(table.worth(tuple(range(13)), mine.strengths[at] // 4)[0] - units.mean())
        ours = seat(mine.classes[at, 0], slow)
        for other in range(at, at + 10):
            if theirs.places[other, 0] == PLAYS:
                exact = naive.play_rows(ours, seat(theirs.classes[other, 0], slow), slow, 2, 0).units
                assert exact == pytest.approx(units[other])
    deviation = units.std() / np.sqrt(len(theirs))
    # Bins tell a little less than strengths; all errors share the chance of the deals.
    assert np.sqrt(np.mean(np.square(errors))) < 0.02 + 4 * deviation
    assert abs(np.median(errors)) < 0.01 + 4 * deviation
    assert np.abs(errors).max() < 0.1 + 4 * deviation


def test_who_surrenders_loses_less_than_by_playing() -> None:
    """What a hand is surrendered for is what surrendering costs against these opponents, exactly and in deals."""
    game, simple, table = response_to("2-4-royalties", TIMID)
    theirs = dealt(game, simple, 40_000, seed=33)
    shares = {place: float((theirs.places == place).mean()) for place in (SURRENDERS, PLAYS)}
    assert 0.15 < shares[SURRENDERS] < 0.25
    given = Against(game, theirs).given()
    assert table.surrender == pytest.approx(given.mean(), abs=4 * given.std() / np.sqrt(len(given)) + 1e-3)
    mine, against = dealt(game, table, 400, seed=34), Against(game, theirs)
    ours, lost = mine.places[:, 0], []
    assert 0.05 < (ours == SURRENDERS).mean() < 0.9
    for at in np.flatnonzero(ours < 0).tolist():
        worth = table.worth(tuple(range(13)), mine.strengths[at] // 4)[0]
        assert (worth < table.surrender) == (ours[at] == SURRENDERS)
        if ours[at] == SURRENDERS:
            lost.append(float(against.units(mine.classes[at, 0], mine.strengths[at, 0]).mean() - given.mean()))
    assert max(lost) < 0.05 and np.mean(lost) < -0.1
    assert response_to("2-4")[2].surrender == -inf


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [("2-4", ()), ("2-4-royalties", TIMID), pytest.param("quanzhou", (), marks=pytest.mark.slow)],
)
def test_the_gain_of_a_best_response_is_what_it_wins(preset: str, overrides: tuple[str, ...]) -> None:
    game, simple, table = response_to(preset, overrides)
    _, gain = play_hands(game, table, table.edges, 60_000, (3,), LocalEngine(1, at_once=2))
    units = Against(game, dealt(game, simple, 80_000, seed=42)).units_of(dealt(game, table, 80_000, seed=41))
    error = np.hypot(gain.stderr, units.std() / np.sqrt(len(units)))
    assert gain.units > 0.05 and gain.units == pytest.approx(units.mean(), abs=4 * error)


@pytest.mark.parametrize("preset", ["2-4", "quanzhou"])
def test_a_gain_knows_its_error(preset: str, few_bins: None) -> None:
    """That of the hands, naturals included."""
    game, _, table = response_to.__wrapped__(preset, (), 20_000)
    again = [play_hands(game, table, table.edges, 500, (4, k), LocalEngine(1))[1] for k in range(60)]
    spread = np.std([one.units for one in again], ddof=1)
    assert 0.75 * spread < np.mean([one.stderr for one in again]) < 1.4 * spread


def test_a_table_that_knows_its_own_cards_is_nearer_to_what_is_won() -> None:
    game, simple, table = response_to("2-4", (), correct=True)
    blind = replace(table, removal=None)
    pool = dealt(game, simple, 200_000, seed=51)
    hands, against = random_hands(250, 52), Against(game, pool)
    plainly, corrected, won = [], [], []
    out = np.empty((len(hands), 3), np.int64)
    kernels.arrange_hands(hands, *blind.kernel_arguments(game), out)
    for hand, (_, front, back) in zip(hands.tolist(), out.tolist(), strict=True):
        legal = legal_splits(tuple(hand), game)
        found = np.flatnonzero((legal.rows[:, 3] == front) & (legal.rows[:, 5] == back))[0]
        orders = legal.rows[found : found + 1, :3] // 4
        apart = np.flatnonzero((pool.hands[:, 0] & np.uint64(sum(1 << card for card in hand))) == 0)
        won.append(against.units(legal.classes[found], legal.rows[found, :3], apart).mean())
        plainly.append(blind.worth(tuple(hand), orders)[0])
        corrected.append(table.worth(tuple(hand), orders)[0])
    moved, wanted = np.array(corrected) - plainly, np.array(won) - plainly
    slope = (moved * wanted).sum() / (moved**2).sum()
    error = np.sqrt(((wanted - slope * moved) ** 2).mean() / (moved**2).sum())
    assert slope > 6 * error and 0.6 - 3 * error < slope < 1.3 + 3 * error
    better = wanted**2 - (wanted - moved) ** 2
    assert better.mean() > 4 * better.std() / np.sqrt(len(better))
