"""How fast the parts are on this machine, measured side by side in one process, and whole commands, as processes."""

import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import numpy as np

from solver import compiling, kernels, startup
from solver.advice import best
from solver.candidates import candidates
from solver.cards import Hand, card_name, format_cards
from solver.deals import Banker, deal
from solver.expectation import Table
from solver.presets import preset_names
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import SUBSETS_5, Array, lower, subsets

HANDS = 200
REPEATS = 5

Row = dict[str, Any]


def random_hands(number: int, seed: int) -> Array:
    """Return random hands of ascending card ids, shape (number, 13)."""
    rng = np.random.default_rng(seed)
    return np.sort(rng.permuted(np.tile(np.arange(52), (number, 1)), axis=1)[:, :13], axis=1)


def seconds(work: Callable[[], Any]) -> float:
    """Return the median time of a piece of work."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _row(name: str, value: float, unit: str, relative_to: str | None = None, ratio: float | None = None) -> Row:
    return {"name": name, "value": value, "unit": unit, "relative_to": relative_to, "ratio": ratio}


def _nothing(text: str) -> None:
    """Say nothing."""


def run(peers: bool = False, say: Callable[[str], None] = _nothing) -> list[Row]:
    """Measure ranking, arranging, a whole answer and whole commands.

    Parameters
    ----------
    peers
        Whether to measure the Python evaluators that are installed, too.
    say
        Called with what begins.

    Returns
    -------
    list of dict
        ``name``, ``value``, ``unit``; ``relative_to`` and ``ratio`` where something is compared.
    """
    say("ranking, arranging and answering ...")
    hands = random_hands(HANDS, seed=1)
    splits = subsets()
    rules = load_rules("2-4")
    order_tables, split_tables, strategy = load_strategy("balanced", rules).kernel_arguments(lower(rules))

    many = np.tile(hands, (20, 1))
    out = np.empty((len(many), 3), np.int64)
    start = time.perf_counter()
    kernels.rank_hands(hands[:1], order_tables, split_tables)
    kernels.arrange_hands(hands[:1], order_tables, split_tables, strategy, out)
    kernels.arrange_hands_plain(hands[:1], order_tables, split_tables, strategy, splits.pair_a, splits.pair_b, out)
    best(Hand(tuple(hands[0].tolist())), deals=100)
    compile_time = time.perf_counter() - start

    every = seconds(lambda: kernels.rank_hands(many, order_tables, split_tables)) / len(many)
    fast = seconds(lambda: kernels.arrange_hands(many, order_tables, split_tables, strategy, out)) / len(many)
    plain = seconds(
        lambda: kernels.arrange_hands_plain(
            hands, order_tables, split_tables, strategy, splits.pair_a, splits.pair_b, out
        )
    ) / len(hands)
    answer = seconds(lambda: best(Hand(tuple(hands[1].tolist())), deals=10_000, precision=0))
    rows = [
        _row("evaluator: five-card evaluations", SUBSETS_5 / every / 1e6, "million a second"),
        _row("evaluator: all 1,573 fives and threes", every * 1e6, "us a hand"),
        _row("arranger, ranking included", fast * 1e6, "us a hand"),
        _row("arranger, ranking included", 1 / fast, "hands a second"),
        _row("plain loop over 36,036 pairs", plain * 1e6, "us a hand", "arranger, ranking included", plain / fast),
        _row("whole answer, 10,000 deals", answer * 1e3, "ms"),
        _row("compiling, or loading compiled code", compile_time, "s"),
    ]
    say("units of a pair, in every rule set ...")
    rows += [_naturals(), *_pair_units(hands[2])]
    if peers:
        say("the evaluators that are installed ...")
        rows += _peers(hands, every)
    return rows + _commands(hands, say)


def _commands(hands: Array, say: Callable[[str], None]) -> list[Row]:
    """Measure commands from their start to their end: those whose code is compiled, and one that compiles it."""
    texts, rows = [format_cards(hand) for hand in hands.tolist()], []
    if compiling.CACHE is not None:  # else every run is a first one
        say(f"whole commands, {startup.ROUNDS} times each ...")
        taken = startup.warm(texts)
        base = taken[startup.IMPORT]
        rows.append(_row(startup.IMPORT, base * 1e3, "ms"))
        rows += [
            _row(name, whole * 1e3, "ms", startup.IMPORT, whole / base)
            for name, whole in taken.items()
            if name != startup.IMPORT
        ]
    say("a first run, which compiles ...")
    return [*rows, _row("first run, compiling all it needs", startup.first(texts[0]), "s")]


def _naturals() -> Row:
    """Measure how long it takes to see whether a hand holds a natural, by the rule set with most kinds."""
    hands, game = random_hands(20_000, seed=2), lower(load_rules("fuzhou"))
    out = np.empty(len(hands), np.int8)
    kernels.natural_places(hands[:1], *game.naturals.kernel_arguments(), out)
    taken = seconds(lambda: kernels.natural_places(hands, *game.naturals.kernel_arguments(), out))
    return _row("naturals of a hand, thirteen kinds", taken / len(hands) * 1e6, "us")


def _pair_units(hand: Array) -> list[Row]:
    """Measure what a candidate wins from an opponent in a deal: in ``2-4``, and in the preset where that takes longest.

    The presets take turns, so that noise falls on all of them.
    """
    work: dict[str, tuple[Callable[[], Any], int]] = {}
    for name in preset_names():
        rules = load_rules(name)
        game = lower(rules, rules.players[1])
        banker: Banker | None = "me" if rules.table.banker else None
        played = deal(game, tuple(hand.tolist()), (), 2000, load_strategy("balanced", rules), banker=banker)
        options = candidates(tuple(hand.tolist()), game)
        number = len(options) * played.places.size
        table = Table.of(options, played)
        work[name] = partial(table.accumulate, slice(None), np.zeros(len(played))), number
    taken = dict.fromkeys(work, float("inf"))
    for _ in range(2 * REPEATS):
        for name, (once, number) in work.items():
            start = time.perf_counter()
            once()
            taken[name] = min(taken[name], (time.perf_counter() - start) / number)
    dearest = max(taken, key=lambda name: taken[name])
    base = _row("units of a pair, 2-4", taken["2-4"] * 1e9, "ns")
    ratio = taken[dearest] / taken["2-4"]
    return [base, _row(f"units of a pair, {dearest} (the dearest)", taken[dearest] * 1e9, "ns", base["name"], ratio)]


def _peers(hands: Array, ours: float) -> list[Row]:
    """Measure the installed evaluators on the 1,287 fives of some hands, in one call a five."""
    rows = []
    for name, prepare in (("phevaluator", _phevaluator), ("treys", _treys), ("eval7", _eval7), ("pokerkit", _pokerkit)):
        if find_spec(name) is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # theirs, of what they import
            function, fives, starred = prepare(hands[0].tolist())

        def work(function: Any = function, fives: list[Any] = fives, starred: bool = starred) -> None:
            if starred:
                for five in fives:
                    function(*five)
            else:
                for five in fives:
                    function(five)

        theirs = seconds(work)
        rows.append(
            _row(
                f"{name}: the 1,287 fives of a hand",
                theirs * 1e6,
                "us a hand",
                "evaluator: all 1,573 fives and threes",
                theirs / ours,
            )
        )
    return rows


Peer = tuple[Any, list[Any], bool]


def _phevaluator(hand: list[int]) -> Peer:
    from phevaluator import _pheval  # its C call, three times as fast as the public one around it

    return _pheval.evaluate_5cards, list(combinations(hand, 5)), True


def _treys(hand: list[int]) -> Peer:
    from treys import Card
    from treys.evaluator import Evaluator

    fives: list[Any] = [([], list(five)) for five in combinations([Card.new(card_name(c)) for c in hand], 5)]
    return Evaluator().evaluate, fives, True


def _eval7(hand: list[int]) -> Peer:
    import eval7

    return eval7.evaluate, [list(five) for five in combinations([eval7.Card(card_name(c)) for c in hand], 5)], False


def _pokerkit(hand: list[int]) -> Peer:
    from pokerkit import StandardHighHand

    return StandardHighHand, ["".join(map(card_name, five)) for five in combinations(hand, 5)], False
