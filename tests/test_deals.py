"""Dealt opponents and units in every deal against plain scoring: all keys of the rules, on rounds of chosen cards."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from solver import deals as deals_module
from solver import kernels
from solver.arrangements import Arrangement
from solver.candidates import Candidates, LegalSplits, candidates, legal_splits, royalties_of
from solver.cards import DECK, Hand
from solver.deals import PLAYS, SURRENDERS, Banker, Deals, deal
from solver.expectation import Table, value
from solver.exploit import random_hands
from solver.naturals import natural_of
from solver.presets import preset_names
from solver.rules import RuleSet, load_rules
from solver.scoring import Player, settle
from solver.strategies import FINEST, Strategy, load_strategy
from solver.tables import Game, lower, subsets
from tests.test_naturals import natural_hand
from tests.test_scoring_random import both, random_rules


def arrangement_of(legal: LegalSplits, at: int) -> Arrangement:
    front, middle, back = (
        subsets().three[legal.rows[at, 3]], subsets().five[legal.rows[at, 4]], subsets().five[legal.rows[at, 5]]
    )  # fmt: skip
    return Arrangement(*(tuple(legal.cards[places].tolist()) for places in (front, middle, back)))


def opponent(played: Deals, at: int, seat: int, strategy: Strategy | None = None) -> Player:
    """Return what an opponent brings: his natural, or an arrangement of the strengths that the kernels report.

    With a strategy it is also made sure that he surrenders where it says so.
    """
    game, mask = played.game, int(played.hands[at, seat])
    cards = tuple(card for card in DECK if mask >> card & 1)
    assert len(cards) == 13
    held = natural_of(cards, game.rules)
    assert played.places[at, seat] == held.place if held is not None else played.places[at, seat] in (PLAYS, SURRENDERS)
    if held is not None:
        return Player(natural=Hand(cards))
    legal = legal_splits(cards, game)
    if strategy is not None:
        own = strategy.of(played.banker == "other" and seat == 0)
        best = own.worth(cards, legal.rows[:, :3] // 4).max()
        assert (best < own.surrender) == (played.places[at, seat] == SURRENDERS)
    if played.places[at, seat] == SURRENDERS:
        return Player(surrender=True)
    assert played.strongest[at, seat] == (legal.strongest if game.pay.split else 0)
    strengths = played.strengths[at, seat]
    if game.rules.table.banker_wins_ties:
        assert (strengths % 2 == (played.banker == "other" and seat == 0)).all()
        strengths = strengths // 2
    same = (legal.rows[:, :3] == strengths).all(1) & (legal.classes == played.classes[at, seat]).all(1)
    return (
        Player(arrangement=arrangement_of(legal, int(np.argmax(same)))) if same.any() else pytest.fail("no such rows")
    )


def chosen_cards(rng: random.Random, rules: RuleSet, players: int) -> tuple[list[int], list[int]]:
    """Return a hand and a deck for the others in which naturals, strong rows and ties are common."""
    luck, kinds = rng.random(), [natural.kind for natural in rules.naturals.kinds]
    deck = list(DECK)
    if luck < 0.5 and kinds:
        kind, hands = rng.choice(kinds), []
        for _ in range(players):
            wanted = kind if rng.random() < 0.6 else rng.choice(kinds)
            hands.append(natural_hand(rng, wanted, deck, 30) if rng.random() < 0.8 else rng.sample(deck, 13))
            deck = [card for card in deck if card not in hands[-1]]
        return list(hands[0]), [card for hand in hands[1:] for card in hand]
    if luck < 0.7:
        ranks = rng.sample(range(13), {2: 7, 3: 10, 4: 13}[players])
        deck = [4 * rank + suit for rank in ranks for suit in range(4)]
    cards = rng.sample(deck, 13 * players)
    return cards[:13], cards[13:]


def check(rng: random.Random, rules: RuleSet, players: int, banker: Banker | None, seen: Counter[str]) -> None:
    """Compare every way to play a hand with plain scoring of the same rounds."""
    game = lower(rules, players)
    hand, others = chosen_cards(rng, rules, players)
    dead = tuple(card for card in DECK if card not in hand and card not in others)
    strategy = load_strategy("balanced", rules)
    luck = random.Random(sum(hand))  # leaves the others' as they are
    if rules.surrender.allowed and luck.random() < 0.7:
        strategy = replace(strategy, surrender=threshold(strategy, game, luck.choice([0.2, 0.5, 0.9])))
    played = deal(game, tuple(hand), dead, 5, strategy, banker=banker, seed=rng.randrange(99))
    options = candidates(tuple(hand), game)
    valuation = value(options, played, 1)
    held = natural_of(hand, rules)
    seat = {"me": 0, "other": 1, None: None}[banker]
    declaring = None if held is None else played.declaring(held)
    surrendering = played.surrendering(rules.surrender.units)
    pick = rng.choice([valuation.best, rng.randrange(len(options))])
    picked = value(options.select(np.array([pick])), played, 1)
    for at in range(len(played)):
        dealt = [opponent(played, at, seat, strategy) for seat in range(played.places.shape[1])]
        # Where the banker is another, and home runs are not played, those who are scored apart are not dealt.
        missing = players - 1 - len(dealt)
        left = [card for card in DECK if card not in hand and card not in hands_of(played, at)]
        for number in range(missing):
            spare = tuple(left[13 * number : 13 * number + 13])
            dealt.append(Player(arrangement=Arrangement(spare[:3], spare[3:8], spare[8:])))
        mine = Player(arrangement=Arrangement(*options.rows(pick)))
        free = rules if rules.naturals.may_decline or held is None else None
        if free is not None:
            settled = settle(free, [mine, *dealt], seat)
            assert picked.totals[at] == pytest.approx(settled.totals[0], abs=1e-9), (rules, mine, dealt, banker)
            seen["home run"] += any(pair.home_run == 1 and pair.a == 0 for pair in settled.pairs)
            seen["home run against"] += any(pair.home_run == -1 and pair.a == 0 for pair in settled.pairs)
            seen["split"] += bool(options.royalties[pick, 3])
        if declaring is not None:
            declared = settle(rules, [Player(natural=Hand(tuple(hand))), *dealt], seat)
            assert declaring[at] == pytest.approx(declared.totals[0], abs=1e-9), (rules, hand, dealt, banker)
            seen["two naturals"] += any(natural is not None for natural in declared.naturals[1:])
            seen["same natural"] += any(other and held and other.place == held.place for other in declared.naturals[1:])
            seen["natural home run"] += any(pair.home_run and pair.results is None for pair in declared.pairs)
        if rules.surrender.allowed and free is not None:
            given_up = settle(rules, [Player(surrender=True), *dealt], seat)
            assert surrendering[at] == pytest.approx(given_up.totals[0], abs=1e-9)
            seen["surrender"] += 1
        seen["natural against"] += any(each.natural for each in dealt)
        seen["surrender against"] += any(each.surrender for each in dealt)
        if game.pay.home_run and banker != "me" and players > 2:
            free_of = [each.natural or each.surrender for each in dealt]
            seen["home run prevented"] += sum(map(bool, free_of)) == 1 and any(each.surrender for each in dealt)
        seen["deals"] += 1


def threshold(strategy: Strategy, game: Game, share: float) -> float:
    """Return what about so many hands are worth less than."""
    out, hands = np.empty((400, 3), np.int64), random_hands(400, 1)
    kernels.arrange_hands(hands, *strategy.kernel_arguments(game), out)
    return strategy.units[0] + strategy.units[1] * float(np.quantile(out[:, 0], share)) / FINEST


def hands_of(played: Deals, at: int) -> set[int]:
    return {card for card in DECK if any(int(mask) >> card & 1 for mask in played.hands[at])}


def rounds(number: int, seed: int) -> Counter[str]:
    rng, seen = random.Random(seed), Counter[str]()
    for _ in range(number):
        raw = random_rules(rng)
        raw["royalties"]["split"] |= rng.random() < 0.3 and raw["royalties"]["style"] == "extra"
        rules, _ = both(raw)
        banker: Banker | None = rng.choice(["me", "other"]) if rules.table.banker else None
        check(rng, rules, rng.choice([2, 3, 4]), banker, seen)
    return seen


def test_no_better_arrangement_is_left_out() -> None:
    """In every single deal the best candidate wins as much as the best of all legal ones, whatever the rules."""
    rng, odd = random.Random(8), 0
    for _ in range(20):
        rules, _ = both(random_rules(rng))
        banker: Banker | None = rng.choice(["me", "other"]) if rules.table.banker else None
        players = rng.choice([2, 3, 4])
        game = lower(rules, players)
        odd += not game.pay.rewards_strength()
        hand, others = chosen_cards(rng, rules, players)
        dead = tuple(card for card in DECK if card not in hand and card not in others)
        played = deal(game, tuple(hand), dead, 4, load_strategy("balanced", rules), banker=banker)
        legal = legal_splits(tuple(hand), game)
        royalties = royalties_of(legal.classes, np.full(len(legal.rows), legal.strongest, np.uint16), game)
        everything = Candidates(
            legal.cards,
            legal.rows[:, :3].copy(),
            legal.classes,
            royalties,
            legal.rows[:, 3],
            legal.rows[:, 5],
            np.zeros(len(legal.rows), np.bool_),
            legal.number,
        )
        found = []
        for options in (candidates(tuple(hand), game), everything):
            table = Table.of(options, played)
            found.append(np.max([table.totals(at) for at in range(len(options))], axis=0))
        assert found[0] == pytest.approx(found[1]), (rules, hand)
    assert 2 < odd < 18


def test_profiles_found_by_sorting_are_those_found_by_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules("club")
    cards = tuple(range(0, 52, 4))
    arguments = lower(rules, 4), cards, (), 500, load_strategy("balanced", rules)
    counted = deal(*arguments).profiles
    monkeypatch.setattr(deals_module, "MOST_COUNTED", 0)
    found = deal(*arguments).profiles
    assert len(found.status) > 3 and (found.of == counted.of).all()
    assert (found.royalties == counted.royalties).all() and (found.status == counted.status).all()


FEATURES = [
    *("home run", "home run against", "split", "two naturals", "same natural", "natural home run", "surrender"),
    *("natural against", "surrender against", "home run prevented"),
]


def test_units_of_every_deal_agree_with_plain_scoring() -> None:
    seen = rounds(60, seed=3)
    assert all(seen[feature] >= 2 for feature in FEATURES), seen


@pytest.mark.slow
def test_units_of_many_more_deals_agree_with_plain_scoring() -> None:
    seen = rounds(200, seed=4)
    assert all(seen[feature] >= 10 for feature in FEATURES), seen


@pytest.mark.parametrize("preset", preset_names())
def test_units_of_every_preset_agree_with_plain_scoring(preset: str) -> None:
    rules, rng, seen = load_rules(preset), random.Random(preset), Counter[str]()
    for players in [*range(rules.players[0], rules.players[1] + 1)] * 2:
        for banker in ("me", "other") if rules.table.banker else (None,):
            check(rng, rules, players, banker, seen)


def other_way(strategy: Strategy) -> Strategy:
    """Return a table that sets most hands otherwise."""
    noise = np.random.default_rng(2).integers(-900, 900, strategy.values.shape)
    values = np.where(strategy.values > -32768, np.clip(strategy.values + noise, -32000, 32000), -32768)
    return replace(strategy, values=values.astype(np.int16))


@pytest.mark.parametrize("banker", ["me", "other"])
@pytest.mark.parametrize("overrides", [(), ("home_run.extra=1", "surrender.allowed=true")])
def test_the_banker_plays_his_own_table(banker: Banker, overrides: tuple[str, ...]) -> None:
    rules = load_rules("malayan", overrides)
    game, plain = lower(rules, 4), load_strategy("balanced", rules)
    own = other_way(plain)
    if rules.surrender.allowed:
        plain = replace(plain, surrender=threshold(plain, game, 0.3))
        own = replace(own, surrender=threshold(own, game, 0.6))
    played = deal(game, tuple(range(13)), (), 60, replace(plain, banker=own), banker=banker, seed=4)
    apart = 0
    assert played.places.shape == (60, 1 if banker == "other" and not game.pay.home_run else 3)
    for seat in range(played.places.shape[1]):
        banks = banker == "other" and seat == 0
        assert (played.strengths[:, seat] % 2 == banks).all()
        hands = np.array([[card for card in DECK if int(mask) >> card & 1] for mask in played.hands[:, seat]])
        found = []
        for table in (plain, own):
            out = np.empty((len(hands), 3), np.int64)
            kernels.arrange_hands(hands, *table.kernel_arguments(game), out)
            found.append(out)
        mine = found[banks]
        legal = [legal_splits(tuple(hand), game) for hand in hands.tolist()]
        for at, (_, front, back) in enumerate(mine.tolist()):
            row = np.flatnonzero((legal[at].rows[:, 3] == front) & (legal[at].rows[:, 5] == back))[0]
            assert (played.classes[at, seat] == legal[at].classes[row]).all()
            if played.places[at, seat] < 0:
                table = own if banks else plain
                worth = table.worth(tuple(hands[at].tolist()), legal[at].rows[:, :3] // 4).max()
                assert (played.places[at, seat] == SURRENDERS) == (worth < table.surrender)
        apart += int((found[0][:, 1:] != found[1][:, 1:]).any(1).sum())
    assert apart > 10 * played.places.shape[1]
    if rules.surrender.allowed:
        share = (played.places == SURRENDERS).mean(0)
        assert (share[0] > share[1:].max() + 0.1) == (banker == "other")
