"""Expected units against a Monte Carlo of tests/naive.py's parts, and what must not depend on anything."""

import random

import numpy as np
import pytest

from solver.advice import best
from solver.arrangements import Arrangement
from solver.candidates import candidates
from solver.cards import DECK, Hand, card_name
from solver.deals import deal
from solver.errors import CapsaError
from solver.expectation import value
from solver.naturals import natural_of
from solver.rules import load_rules
from solver.scoring import Player, settle
from solver.strategies import load_strategy
from solver.tables import lower, ranking, subsets

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"


def test_the_answer_is_the_same_for_any_number_of_jobs() -> None:
    answers = [best(HAND, deals=3500, precision=0, jobs=jobs).to_dict() for jobs in (1, 2, 5)]
    assert answers[0] == answers[1] == answers[2]


def test_the_answer_does_not_depend_on_the_order_of_the_cards() -> None:
    shuffled = HAND.split()
    random.Random(2).shuffle(shuffled)
    first, second = best(HAND, deals=1000).to_dict(), best(" ".join(shuffled), deals=1000).to_dict()
    assert first["best"] == second["best"] and first["hand"] != second["hand"]


def test_other_seeds_and_dead_cards_give_other_deals() -> None:
    units = {best(HAND, deals=1000, seed=seed).best.units for seed in range(3)}
    units.add(best(HAND, deals=1000, dead="Ac Ad").best.units)
    assert len(units) == 4


def test_more_deals_begin_with_the_same_ones() -> None:
    cards, rules = Hand.parse(HAND).cards, load_rules("2-4")
    game, table = lower(rules, 3), load_strategy("balanced", rules)
    few = deal(game, cards, (), 1500, table, seed=3, jobs=2).strengths
    many = deal(game, cards, (), 4000, table, seed=3, jobs=1).strengths
    assert (few == many[:1500]).all()


@pytest.mark.parametrize("preset", ["2-4", "1-6", "2-4-royalties", "mainland", "thai", "fuzhou", "malayan"])
@pytest.mark.parametrize("players", [2, 4])
def test_units_agree_with_a_plain_simulation(preset: str, players: int) -> None:
    """Opponents dealt by the standard library, set by a full scan of all splits, and settled in plain Python."""
    rules = load_rules(preset)
    advice = best(HAND, rules=rules, players=players, deals=20_000, precision=0)
    table = load_strategy(advice.opponents, rules)
    order, splits, strategy = table.kernel_arguments(lower(rules))
    from solver import kernels

    rng = random.Random(preset + str(players))
    unseen = [card for card in DECK if card not in advice.hand.cards]
    totals = []
    for _ in range(2500):
        dealt = rng.sample(unseen, 13 * (players - 1))
        opponents: list[Player] = []
        for k in range(players - 1):
            cards = np.array(sorted(dealt[13 * k : 13 * k + 13]), np.int64)
            out = np.empty((1, 3), np.int64)
            kernels.arrange_hands_plain(cards[None], order, splits, strategy, subsets().pair_a, subsets().pair_b, out)
            front, back = subsets().three[out[0, 1]].tolist(), subsets().five[out[0, 2]].tolist()
            middle = [at for at in range(13) if at not in (*front, *back)]
            hand = tuple(cards.tolist())
            if natural_of(hand, rules):
                opponents.append(Player(natural=Hand(hand)))
            else:
                rows = (tuple(cards[row].tolist()) for row in (front, middle, back))
                opponents.append(Player(arrangement=Arrangement(*rows)))
        mine = Player(arrangement=advice.best.arrangement)
        totals.append(settle(rules, [mine, *opponents], 1 if rules.table.banker else None).totals[0])
    assert not advice.rules.naturals.kinds or natural_of(advice.hand.cards, rules) is None
    spread = np.hypot(advice.best.stderr, np.std(totals) / np.sqrt(len(totals)))
    assert abs(np.mean(totals) - advice.best.units) < 4 * spread


def test_differences_are_those_of_the_same_deals() -> None:
    rules = load_rules("1-6", ["naturals.enabled=false"])
    game, cards = lower(rules), Hand.parse(HAND).cards
    options = candidates(cards, game)
    played = deal(game, cards, (), 2000, load_strategy("balanced", rules), jobs=2)
    found = value(options, played, 2)
    ours, theirs = options.strengths, played.strengths[:, 0]
    results = np.sign(ours[:, None, :].astype(int) - theirs[None, :, :])
    units = game.pay.base()[9 * results[..., 0] + 3 * results[..., 1] + results[..., 2] + 13]
    assert np.allclose(found.mean, units.mean(1)) and np.allclose(found.sd, units.std(1, ddof=1))
    behind = units[found.best] - units
    assert found.best == units.mean(1).argmax() and np.allclose(found.behind, behind.mean(1))
    assert np.allclose(found.behind_stderr, behind.std(1, ddof=1) / np.sqrt(2000))


def test_shares_add_up() -> None:
    advice = best(HAND, rules="2-4-royalties", players=3, deals=2000)
    for candidate in (advice.best, *advice.alternatives):
        for row in candidate.rows.values():
            assert row.win + row.tie + row.lose == pytest.approx(1)
        assert 0 <= candidate.scoop <= min(row.win for row in candidate.rows.values())
    behind = [candidate.behind for candidate in advice.alternatives]
    assert behind == sorted(behind) and behind[0] >= 0


@pytest.mark.parametrize("text", ["2c 3d 4h 5s 6c 7d 8h 9s Tc Jd Qh Ks Ac", "As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd Qc Js"])
def test_special_hands_are_answered(text: str) -> None:
    advice = best(text, deals=1000)
    assert sorted(advice.best.arrangement.hand.cards) == sorted(Hand.parse(text).cards)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 5}, "seats 2 to 4, got 5"),
        ({"players": 1}, "seats 2 to 4, got 1"),
        ({"dead": "As"}, "dead card 1 of 1: As is in the hand"),
        ({"dead": "Ac Ac"}, "dead card 2 of 2: Ac is already"),
        ({"players": 4, "dead": "Ac"}, "needs 39 unseen cards, 38 are left"),
        ({"deals": 1}, "deals: from 100"),
        ({"precision": -0.1}, "precision: zero or a positive number"),
        ({"seed": -1}, "seed"),
        ({"jobs": 257}, "jobs: from 1 to 256"),
        ({"opponents": "nobody"}, "unknown strategy 'nobody'"),
    ],
)
def test_what_cannot_be_served_is_refused(options: dict, message: str) -> None:
    with pytest.raises(CapsaError, match=message):
        best(HAND, **options)


def test_random_deals_come_from_all_unseen_cards() -> None:
    """Ranks of dealt fronts and backs must span what is unseen, and equal strengths must not depend on deck order."""
    cards, rules = Hand.parse(HAND).cards, load_rules("2-4")
    strengths = deal(lower(rules, 4), cards, (), 2000, load_strategy("balanced", rules)).classes
    seats = strengths.astype(float).mean(0)
    spread = strengths.astype(float).std(0) / np.sqrt(len(strengths))
    assert (abs(seats - seats.mean(0)) < 4 * spread).all()
    assert strengths.min() >= 0 and (ranking("lowest").floor[strengths[..., 0]] <= strengths[..., 1]).all()
    assert (strengths[..., 1] <= strengths[..., 2]).all()
    assert card_name(cards[0]) == "2d"
