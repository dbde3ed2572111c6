"""What programs give up against a best response, in units a hand and opponent: ours, and others that are public.

Usage: python benchmarks/bench_strength.py [--hands N] [--deals N] [--seed N] [--jobs N] [--no-best] [--json]
       python benchmarks/bench_strength.py --rules NAME [--players N] [...]

The first form plays `2-4` heads-up on the hands whose answers by other programs are kept in benchmarks/peers; most of
the time goes to `capsa best` on 2,120 hands, which `--no-best` leaves out. The second measures ours alone, on random
hands, in any rules.

How it is measured
    Opponents set random hands by our equilibrium table. Of a large pool of them, a hand meets those that share no card
    with it: that is what an opponent can hold. Where home runs count, opponents are dealt together for each hand
    instead. Everybody is valued against the same. The best response is chosen on one half of them and valued on the
    other for the lower bound, and chosen and valued on all for the upper one; see `solver.exploit`. `capsa best` deals
    opponents of its own, with another seed, so that it is not valued on what it chose by. Tables are sorted by the
    lower bound. The difference to `--quick` is the same for both bounds, since the best response cancels out.
Standard errors
    Over the hands; those of differences are of the paired differences, hand by hand. All hands meet one pool; what that
    adds is not in them, and small for pools of millions of hands.
Naturals
    A hand that holds one is declared for every program and every table, for other programs answer arrangements only.
    In `2-4` that is the best that can be done with it, so such hands count 0 for everybody and never as fouls. In
    other rules `capsa best` may advise not to declare, with `--quick` or not, and is then valued by what it advises.
Fouls
    An illegal or missing answer loses a scoop to whoever plays rows, and to a natural what that is worth. All but those
    of poker-trainer come of taking A-2-3-4-5 for the second straight, which other rules do; so what a program gives up
    on the hands that it set legally is shown as well. Those are other hands for each.
Times
    Ours: in process, warm, one thread, the median of up to 20 hands; of `greedy` and `balanced`, the mean in one call
    for all hands, the median of 5 calls. Those of other programs are quoted from benchmarks/peers/README.md, from
    another time and perhaps machine.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solver.advice import best
from solver.arrangements import Arrangement, foul_reason
from solver.candidates import candidates
from solver.cards import Hand
from solver.deals import Banker, Deals, deal, in_parallel
from solver.errors import CapsaError
from solver.expectation import Table, mean_and_error
from solver.exploit import DEALT, given_up, random_hands, set_by
from solver.naturals import natural_of
from solver.opponents import find_strategy
from solver.pool import make_pool
from solver.presets import preset_names
from solver.records import Advice
from solver.rules import RuleSet, load_rules
from solver.strategies import Strategy
from solver.tables import Array, Game, lower, subsets

PEERS = Path(__file__).parent / "peers"
SETS = ("answers-120.jsonl", "answers-2000.jsonl")
QUOTED = {
    "cpoker": 0.0037,
    "c3lew": 0.7,
    "thirteen-rules": 0.023,
    "thirteen-net": 0.022,
    "vc0489": 1.3,
    "yilinershi": 0.0001,
    "hiiwave": 0.26,
    "maubinh-bot": 0.0002,
    "poker-trainer": 7.9,
    "pypusoy": 0.0007,
}
"""Median seconds a hand of other programs, as benchmarks/peers/README.md has them."""

QUICK, BEST = "capsa best --quick", "capsa best"
HANDS, POOLED = 300, 50_000
TIMED, CALLS = 20, 5
HANDS_PER_STEP = 20


class Play(NamedTuple):
    """How a hand is played: its subsets of front and back, or -1 and -1 to surrender."""

    front: int
    back: int
    declines: bool = False
    """Whether a natural that the hand holds is not declared."""


FOUL = Play(-2, -2)


@dataclass(frozen=True)
class Program:
    """How a program plays hands.

    Attributes
    ----------
    plays : list of Play
        By hand.
    seconds : float
        A hand.
    quoted : bool
        Whether the time was not measured here.
    """

    name: str
    plays: list[Play]
    seconds: float
    quoted: bool = False


@dataclass(frozen=True)
class Result:
    """What a program gives up, in units a hand and opponent.

    Attributes
    ----------
    lower, lower_stderr, upper, upper_stderr : float
        Bounds and their standard errors.
    lower_share, lower_share_stderr, upper_share, upper_share_stderr : float
        The same, as shares of the standard deviation of a hand's units.
    behind, behind_stderr : float
        How much more than by the reference, on the same hands.
    fouls : float
        The share of the hands that are illegal or not answered.
    legal, legal_stderr : float
        The lower bound on the other hands only.
    seconds, quoted
        As :class:`Program` has them.
    """

    name: str
    lower: float
    lower_stderr: float
    upper: float
    upper_stderr: float
    lower_share: float
    lower_share_stderr: float
    upper_share: float
    upper_share_stderr: float
    behind: float
    behind_stderr: float
    fouls: float
    legal: float
    legal_stderr: float
    seconds: float
    quoted: bool


@dataclass(frozen=True)
class Measured:
    """A table of programs on the same hands, the one that gives up least first.

    Attributes
    ----------
    hands, naturals : int
        Hands, and those among them that hold a natural.
    deals : int
        Opponents, or deals of them, that a hand was valued against, on average.
    sd : float
        The standard deviation of a hand's units, as the reference plays it.
    reference : str
        What differences are to.
    """

    title: str
    rules: str
    players: int
    hands: int
    naturals: int
    deals: int
    seed: int
    sd: float
    reference: str
    results: list[Result]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as ``--json`` prints it."""
        return {**vars(self), "results": [vars(one) for one in self.results]}


def say(text: str) -> None:
    """Say something to whoever waits."""
    print(text, file=sys.stderr, flush=True)


# --- How programs play ---


def places(hand: list[int], arrangement: Arrangement) -> tuple[int, int]:
    """Return the subsets of front and back of an arrangement of a hand."""
    front, back = (sorted(hand.index(card) for card in row) for row in (arrangement.front, arrangement.back))
    return subsets().three.tolist().index(front), subsets().five.tolist().index(back)


def read_play(hand: list[int], answer: str, rules: RuleSet) -> Play:
    """Read a program's answer; it is a foul unless it is a legal arrangement of the hand."""
    try:
        arrangement = Arrangement.parse(answer)
    except CapsaError:
        return FOUL
    if sorted(arrangement.hand.cards) != hand or foul_reason(arrangement, rules):
        return FOUL
    return Play(*places(hand, arrangement))


def read_peers(path: Path, rules: RuleSet, hands: int | None) -> tuple[Array, list[Program]]:
    """Return the first hands of a file, and how other programs play them."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:hands]]
    dealt = [sorted(Hand.parse(record["hand"]).cards) for record in records]
    found = []
    for name in records[0]["answers"]:
        answers = (record["answers"][name] for record in records)
        plays = [read_play(hand, answer, rules) for hand, answer in zip(dealt, answers, strict=True)]
        found.append(Program(name, plays, QUOTED[name], quoted=True))
    return np.array(dealt, np.int64), found


def advised(hand: list[int], advice: Advice) -> Play:
    """Return what an advice says to do."""
    declines = advice.natural is not None and not advice.natural.advised
    if advice.surrender is not None and advice.surrender.advised:
        return Play(-1, -1, declines)
    return Play(*places(hand, advice.best.arrangement), declines)


def by_advice(name: str, dealt: Array, ask: Callable[[Hand], Advice], jobs: int) -> Program:
    """Ask for every hand: the first few alone, which are timed, then as many at once as there are jobs."""

    def one(hand: list[int]) -> Play:
        return advised(hand, ask(Hand(tuple(hand))))

    hands, plays, times = dealt.tolist(), [], []
    one(hands[0])  # warms up
    for hand in hands[:TIMED]:
        start = time.perf_counter()
        plays.append(one(hand))
        times.append(time.perf_counter() - start)
    plays += in_parallel(jobs, [partial(one, hand) for hand in hands[TIMED:]])
    return Program(name, plays, statistics.median(times))


def by_table(name: str, dealt: Array, table: Strategy, game: Game) -> Program:
    """Set all hands by a strategy's table."""
    set_by(table, game, dealt[:1])  # warms up
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        found = set_by(table, game, dealt)
        times.append(time.perf_counter() - start)
    return Program(name, [Play(*one) for one in found.tolist()], statistics.median(times) / len(dealt))


def ours(dealt: Array, game: Game, banker: Banker | None, jobs: int, asked: bool = True) -> list[Program]:
    """Play hands by what capsa has, the reference first: the table alone, with `--quick` where it can be asked so.

    Parameters
    ----------
    asked
        Whether to ask for the answer by deals, too, which takes most of the time.
    """
    rules, players, banks = game.rules, game.players, banker == "me"
    ask = partial(best, rules=rules, players=players, banker=banker, jobs=1)
    equilibrium, balanced, greedy = (
        find_strategy(name, rules, players, jobs=jobs).of(banks) for name in ("equilibrium", "balanced", "greedy")
    )
    if game.pay.split:  # of royalties for split hands the table knows nothing, and `--quick` refuses
        found = [by_table("equilibrium", dealt, equilibrium, game)]
    else:
        found = [by_advice(QUICK, dealt, partial(ask, quick=True), jobs)]
    if asked:
        say(f"  {BEST} on {len(dealt)} hands ...")
        found.append(by_advice(BEST, dealt, ask, jobs))
    return [*found, by_table("balanced", dealt, balanced, game), by_table("greedy", dealt, greedy, game)]


# --- What they give up ---


def foul_price(rules: RuleSet) -> float:
    """Return what a foul pays whoever plays rows, in rules that have no royalties: a scoop."""
    return rules.rows.front + rules.rows.middle + rules.rows.back + rules.overall.three_rows


def without_declaring(played: Deals, hand: tuple[int, ...], play: Play) -> float:
    """Return the expected units per opponent of a foul, or of playing or surrendering a hand that holds a natural."""
    apart = np.flatnonzero(((played.hands & np.uint64(sum(1 << card for card in hand))) == 0).all(1))
    game, found = played.game, played.select(apart)
    if play == FOUL:  # it pays naturals as rows do, and a scoop to all others: what a surrender of that price does
        units = found.surrendering(foul_price(game.rules))
    elif play.front < 0:
        units = found.surrendering(game.rules.surrender.units)
    else:
        options = candidates(hand, game, [play[:2]])
        units = Table.of(options, found).totals(options.find(*play[:2]))
    return float(units.mean() / found.paired.sum())


def bounds(played: Deals, hand: tuple[int, ...], plays: list[Play]) -> Array:
    """Return what ways to play a hand give up, as :func:`solver.exploit.given_up` does; also fouls and declining.

    What follows the bounds is of what stands for such a one, and serves for the spread of hands only.
    """
    natural = natural_of(hand, played.game.rules) is not None
    # What is not valued there stands for any other arrangement first; a natural is declared whatever stands there.
    legal = next(play[:2] for play in plays if play != FOUL)
    found = given_up(played, hand, [legal if play == FOUL else play[:2] for play in plays])
    for at, play in enumerate(plays):
        if play.declines if natural else play == FOUL:
            units = without_declaring(played, hand, play)
            found[at, :2] += found[at, 3] - units
    return np.asarray(found)


def opponents(
    game: Game, strategy: Strategy, deals: int, seed: int, banker: Banker | None, jobs: int
) -> Callable[[tuple[int, ...]], Deals]:
    """Return what gives the opponents that a hand is valued against."""
    seed += 1  # from 1 on, for `best` deals with seed 0
    if game.pay.home_run:
        return lambda hand: deal(game, hand, (), deals, strategy, banker=banker, seed=seed)
    say(f"a pool of opponents, about {deals:,} for each hand ...")
    pool = make_pool(strategy, game, deals, seed, jobs, banker)
    _ = pool.profiles, pool.settled  # worked out once, for all hands
    return lambda hand: pool


def value(dealt: Array, programs: list[Program], played: Callable[[tuple[int, ...]], Deals], jobs: int) -> Array:
    """Return what all programs give up on all hands, shape (hands, programs, 5)."""
    plays = list(zip(*(program.plays for program in programs), strict=True))

    def one(at: int) -> Array:
        hand = tuple(dealt[at].tolist())
        return bounds(played(hand), hand, list(plays[at]))

    found: list[Array] = []
    for start in range(0, len(dealt), HANDS_PER_STEP * jobs):
        part = range(start, min(start + HANDS_PER_STEP * jobs, len(dealt)))
        found += in_parallel(jobs, [partial(one, at) for at in part])
    return np.array(found)


def compare(title: str, game: Game, seed: int, dealt: Array, sides: list[tuple[list[Program], Array]]) -> Measured:
    """Sum up what programs give up; where there is a banker, over playing every hand as he and as another.

    Parameters
    ----------
    sides
        The programs, the reference first, and what they give up, as :func:`value` has it.
    """
    programs, rules = sides[0][0], game.rules
    found = np.mean([values for _, values in sides], axis=0)
    spread = found[:, 0, 4].mean() - np.mean([values[:, 0, 3].mean() ** 2 for _, values in sides])
    naturals = np.array([natural_of(hand, rules) is not None for hand in dealt.tolist()])
    sd, results = float(np.sqrt(spread)), []
    for at, program in enumerate(programs):
        below, above = mean_and_error(found[:, at, 0]), mean_and_error(found[:, at, 1])
        fouls = np.array([play == FOUL for play in program.plays]) & ~naturals
        behind = mean_and_error(found[:, at, 0] - found[:, 0, 0])
        legal = mean_and_error(found[~fouls, at, 0])
        shares = below[0] / sd, below[1] / sd, above[0] / sd, above[1] / sd
        rest = float(fouls.mean()), *legal, program.seconds
        results.append(Result(program.name, *below, *above, *shares, *behind, *rest, program.quoted))
    results.sort(key=lambda one: one.lower)
    deals = int(found[:, 0, 2].mean())
    counts = len(dealt), int(naturals.sum()), deals
    return Measured(title, rules.name, game.players, *counts, seed, sd, programs[0].name, results)


def measure_peers(
    names: Iterable[str] = SETS,
    *,
    hands: int | None = None,
    deals: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    asked: bool = True,
) -> list[Measured]:
    """Measure ours and other programs in `2-4` on the hands that those have answered, all against one pool.

    Parameters
    ----------
    names
        Files of answers.
    hands
        How many hands of each, from the first; default all.
    """
    rules = load_rules("2-4")
    game = lower(rules)
    played = opponents(game, find_strategy("equilibrium", rules), deals or POOLED, seed, None, jobs)
    tables = []
    for name in names:
        dealt, peers = read_peers(PEERS / name, rules, hands)
        say(f"{name}: {len(dealt)} hands ...")
        programs = [*ours(dealt, game, None, jobs, asked), *peers]
        sides = [(programs, value(dealt, programs, played, jobs))]
        tables.append(compare(f"peers/{name}", game, seed, dealt, sides))
    return tables


def measure_ours(
    name: str,
    *,
    players: int = 2,
    hands: int | None = None,
    deals: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    asked: bool = True,
) -> Measured:
    """Measure ours on random hands in any rules."""
    rules = load_rules(name)
    rules.check_players(players)
    game, dealt = lower(rules, players), random_hands(hands or HANDS, seed)
    strategy = find_strategy("equilibrium", rules, players, jobs=jobs)
    bankers: list[Banker | None] = ["other", "me"] if rules.table.banker else [None]
    sides = []
    for banker in bankers[: len(game.sides)]:
        played = opponents(game, strategy, deals or (DEALT if game.pay.home_run else POOLED), seed, banker, jobs)
        programs = ours(dealt, game, banker, jobs, asked)
        say("  valuing ...")
        sides.append((programs, value(dealt, programs, played, jobs)))
    return compare("random hands", game, seed, dealt, sides)


# --- Showing it ---


def seconds_text(one: Result) -> str:
    """Return a time a hand; a quoted one is marked."""
    size = one.seconds
    text = f"{size:.2g} s" if size >= 1 else f"{size * 1e3:.3g} ms" if size >= 1e-3 else f"{size * 1e6:.3g} us"
    return text + ("*" if one.quoted else " ")


def table_text(table: Measured) -> str:
    """Return a table as text."""
    peers = any(one.quoted for one in table.results)
    head = ["program", "gives up at least", "at most", f"more than {table.reference}"]
    head += ["fouls", "where legal, at least"] if peers else ["share of sd, at least", "at most"]
    lines = [[*head, "a hand"]]
    for one in table.results:
        reference = one.name == table.reference
        line = [one.name, f"{one.lower:.5f} ± {one.lower_stderr:.5f}", f"{one.upper:.5f} ± {one.upper_stderr:.5f}"]
        line.append("" if reference else f"{one.behind:+.5f} ± {one.behind_stderr:.5f}")
        if peers:
            line += [f"{one.fouls:.1%}", f"{one.legal:.5f} ± {one.legal_stderr:.5f}"]
        else:
            line += [f"{one.lower_share:.5f} ± {one.lower_share_stderr:.5f}"]
            line += [f"{one.upper_share:.5f} ± {one.upper_share_stderr:.5f}"]
        lines.append([*line, seconds_text(one)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            f"{cell:<{w}}" if at == 0 else f"{cell:>{w}}" for at, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    title = (
        f"{table.rules}, {table.players} players, {table.title}: {table.hands:,} hands, {table.naturals} of "
        f"them naturals, which everybody declares, each against {table.deals:,} deals; units a hand and opponent "
        f"(sd {table.sd:.3f})"
    )
    return "\n".join([title, *shown, *(["* quoted, not measured here"] if peers else [])])


def main() -> None:
    """Measure what the command line asks for."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rules", help="measure ours alone in these rules, a preset or a file (" + ", ".join(preset_names()) + ")"
    )
    parser.add_argument("--players", type=int, default=2, help="seats at the table, with --rules")
    parser.add_argument("--hands", type=int, help=f"hands: of each file its first (default all); with --rules, {HANDS}")
    parser.add_argument("--deals", type=int, help=f"deals a hand is valued on (default {POOLED}; dealt anew, {DEALT})")
    parser.add_argument("--seed", type=int, default=0, help="of the opponents, and of random hands")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="threads; results do not depend on them")
    parser.add_argument("--no-best", action="store_true", help="leave out `capsa best`, which takes most of the time")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    if given.players != 2 and not given.rules:
        parser.error("--players: the other programs' hands are of two players; name --rules")
    for name, fewest in (("hands", 20), ("deals", 100), ("jobs", 1), ("seed", 0)):
        if getattr(given, name) is not None and getattr(given, name) < fewest:
            parser.error(f"--{name}: at least {fewest}")
    wanted = {"hands": given.hands, "deals": given.deals, "seed": given.seed, "jobs": given.jobs}
    try:
        if given.rules:
            tables = [measure_ours(given.rules, players=given.players, asked=not given.no_best, **wanted)]
        else:
            tables = measure_peers(asked=not given.no_best, **wanted)
    except CapsaError as error:
        sys.exit(f"error: {error}")
    if given.json:
        print(json.dumps([table.to_dict() for table in tables], indent=1))
    else:
        print("\n\n".join(map(table_text, tables)))


def bench_strength_of_all_programs_on_40_hands(benchmark: Any) -> None:
    (table,) = benchmark.pedantic(
        measure_peers, (SETS[:1],), {"hands": 40, "deals": 300, "asked": False}, rounds=1, iterations=1
    )
    found = {one.name: one for one in table.results}
    assert set(found) == {QUICK, "balanced", "greedy", *QUOTED}
    assert found["greedy"].behind > 3 * found["greedy"].behind_stderr  # than the table alone
    assert found["cpoker"].lower < found["maubinh-bot"].lower < found["pypusoy"].lower
    assert found["poker-trainer"].fouls > 0 == found["cpoker"].fouls
    assert all(one.lower <= one.upper + 1e-12 for one in table.results)


if __name__ == "__main__":
    main()
