"""The equilibria that come with the package: their number and size, and whether what they expect is what is won."""

from importlib import resources

import numpy as np
import pytest

from solver import kernels
from solver.arrangements import Arrangement
from solver.candidates import candidates
from solver.cards import Hand
from solver.exploit import random_hands, set_by
from solver.naturals import natural_of, natural_units
from solver.presets import preset_names
from solver.rules import RuleSet, load_rules
from solver.scoring import Player, settle
from solver.strategies import Strategy, load_strategy
from solver.tables import STEPS_OF_ORDER, Game, lower, subsets

TABLES = [(name, players) for name in preset_names() for players in range(2, load_rules(name).players[1] + 1)]
ROUNDS = 700


def test_every_preset_has_a_table_for_every_number_of_seats_and_all_are_small() -> None:
    folder = resources.files("solver") / "strategies"
    sizes = {file.name: len(file.read_bytes()) for file in folder.iterdir() if file.name.endswith(".npz")}
    wanted = {f"equilibrium-{lower(load_rules(name), players).key}.npz" for name, players in TABLES}
    assert wanted == {name for name in sizes if name.startswith("equilibrium-")}
    assert max(sizes.values()) < 1_000_000 and sum(sizes.values()) < 12_000_000


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_hands_are_set_as_by_the_plain_loop(name: str, players: int) -> None:
    rules = load_rules(name)
    game, table, splits = lower(rules, players), load_strategy("equilibrium", rules, players), subsets()
    hands, fast, plain = random_hands(80, seed=players), *np.empty((2, 80, 3), np.int64)
    for banks in (False, True)[: len(game.sides)]:
        arguments = table.of(banks).kernel_arguments(game)
        kernels.arrange_hands(hands, *arguments, fast)
        kernels.arrange_hands_plain(hands, *arguments, splits.pair_a, splits.pair_b, plain)
        assert (fast[:, 0] == plain[:, 0]).all()


def play(hand: tuple[int, ...], chosen: tuple[int, int], game: Game) -> Player:
    """Return how a table plays a hand."""
    if natural_of(hand, game.rules) is not None:
        return Player(natural=Hand(hand))
    if min(chosen) < 0:
        return Player(surrender=True)
    splits, cards = subsets(), set(hand)
    front = tuple(hand[k] for k in splits.three[chosen[0]])
    back = tuple(hand[k] for k in splits.five[chosen[1]])
    return Player(arrangement=Arrangement(front, tuple(sorted(cards - {*front, *back})), back))


def expected(hand: tuple[int, ...], chosen: tuple[int, int], own: Strategy, theirs: Strategy, game: Game) -> float:
    """Return what a table says that a hand wins from an opponent."""
    rules, held = game.rules, natural_of(hand, game.rules)
    if held is None and min(chosen) < 0:
        return own.surrender
    if held is None:
        options = candidates(hand, game, [chosen])
        at = options.find(*chosen)
        return float(own.worth(hand, options.strengths[at : at + 1] // STEPS_OF_ORDER)[0] + options.royalties[at, 3])
    # Of two naturals of a kind each wins as often as the other.
    met = sum(
        share * (natural_units(held, other, rules) if other.place != held.place else 0.0)
        for share, other in zip(theirs.naturals, naturals_of(rules), strict=True)
    )
    return float(met + (1 - theirs.naturals.sum()) * held.units)


def naturals_of(rules: RuleSet) -> list:  # type: ignore[type-arg]
    from solver.naturals import HeldNatural

    kinds = rules.naturals.kinds if rules.naturals.enabled else ()
    return [HeldNatural(place, kind.kind, kind.units, ()) for place, kind in enumerate(kinds)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "players"), [one for one in TABLES if one[1] == 2 or lower(load_rules(one[0]), one[1]).pay.home_run]
)
def test_a_shipped_table_expects_what_is_won_by_plain_scoring(name: str, players: int) -> None:
    rules = load_rules(name)
    game, table = lower(rules, players), load_strategy("equilibrium", rules, players)
    rng = np.random.default_rng(players)
    decks = rng.permuted(np.tile(np.arange(52), (ROUNDS, 1)), axis=1)[:, : 13 * players]
    hands = np.sort(decks.reshape(ROUNDS, players, 13), axis=-1)
    sides = (False, True)[: len(game.sides)]
    ways = [
        np.stack(
            [set_by(table.of(banks), game, np.ascontiguousarray(hands[:, seat])) for seat in range(players)], axis=1
        )
        for banks in sides
    ]
    for banks in sides:
        banker = None
        if rules.table.banker:
            banker = 0 if banks or len(sides) == 1 else 1
        differences = []
        for at in range(ROUNDS):
            held = [tuple(hand) for hand in hands[at].tolist()]
            chosen = [tuple(ways[len(sides) == 2 and seat == banker][at, seat].tolist()) for seat in range(players)]
            seats = [play(hand, way, game) for hand, way in zip(held, chosen, strict=True)]
            opponents = players - 1 if banker in (None, 0) else 1
            won = settle(rules, seats, banker).totals[0] / opponents
            own, theirs = table.of(banks), table.of(not banks and banker is not None)
            differences.append(won - expected(held[0], chosen[0], own, theirs, game))
        error = np.std(differences, ddof=1) / np.sqrt(ROUNDS)
        assert abs(np.mean(differences)) < 3 * error, (np.mean(differences), error)
