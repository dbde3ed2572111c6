"""Answers in stages: when they end, what is dropped on the way, and that nothing of this changes an answer."""

import json
from dataclasses import replace

import numpy as np
import pytest

from solver.advice import Standing, best
from solver.candidates import candidates
from solver.cards import Hand
from solver.deals import Dealer, deal
from solver.expectation import HOPELESS, Valuation, stages
from solver.exploit import random_hands
from solver.records import Advice, Choice
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import lower

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"


def hands(number: int, seed: int) -> list[Hand]:
    return [Hand(tuple(hand)) for hand in random_hands(number, seed).tolist()]


def text(advice: Advice) -> str:
    return json.dumps(advice.to_dict())


@pytest.mark.parametrize(("preset", "banker"), [("taiwan", None), ("malayan", "other")])
def test_deals_that_are_dealt_bit_by_bit_are_those_dealt_at_once(preset: str, banker: str | None) -> None:
    rules = load_rules(preset)
    game, cards = lower(rules, 4), Hand.parse(HAND).cards
    arguments = game, cards, (), 4000, load_strategy("balanced", rules)
    dealer = Dealer(*arguments, banker, seed=5)  # type: ignore[arg-type]
    parts = [dealer.first(number, jobs) for number, jobs in ((700, 1), (1500, 3), (1600, 1), (4000, 2), (900, 1))]
    whole = deal(*arguments, banker=banker, seed=5, jobs=2)  # type: ignore[arg-type]
    assert [len(part) for part in parts] == [700, 1500, 1600, 4000, 900] and dealer.dealt == 4000
    for part in parts:
        for name in ("classes", "strengths", "places", "hands", "strongest"):
            assert (getattr(part, name) == getattr(whole, name)[: len(part)]).all()


def test_an_answer_ends_when_it_is_decided() -> None:
    advice = best(HAND, rules="2-4")
    assert advice.decided and advice.deals < 20_000
    assert text(advice) == text(best(HAND, deals=advice.deals)) == text(best(HAND, deals=10_000_000))
    assert text(advice) != text(all_of_them := best(HAND, precision=0, deals=6000)) and all_of_them.deals == 6000


@pytest.mark.parametrize("limit", [100, 999, 1000, 1001, 5000])
def test_the_limit_of_deals_is_kept(limit: int) -> None:
    seen: list[Standing] = []
    advice = best(HAND, deals=limit, precision=0, progress=seen.append)
    assert advice.deals == limit
    assert [one.deals for one in seen] == [*(end for end in (1000, 2000) if end < limit), limit]


def test_a_standing_has_the_answer_so_far() -> None:
    seen: list[Standing] = []
    advice = best(HAND, rules="1-6-royalties", players=3, deals=2500, precision=0, progress=seen.append)
    assert [(one.deals, one.most) for one in seen] == [(1000, 2500), (2000, 2500), (2500, 2500)]
    assert (
        seen[0].left > 0 and seen[-1].left == 0 and [one.elapsed for one in seen] == sorted(one.elapsed for one in seen)
    )
    for one in seen:
        same = best(HAND, rules="1-6-royalties", players=3, deals=one.deals, precision=0)
        assert text(one.answer()) == text(same) and (one.units, one.stderr) == (same.best.units, same.best.stderr)
    assert text(seen[-1].answer()) == text(advice)


@pytest.mark.parametrize(
    ("preset", "players", "top"),
    [("2-4", 2, 5), ("2-4", 2, 0), ("1-6", 3, 5), ("mainland", 4, 5), ("taiwan", 4, 3), ("malayan", 3, 5)],
)
def test_dropping_candidates_changes_nothing_that_is_shown(
    preset: str, players: int, top: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for keep_all in (False, True):
        if keep_all:
            monkeypatch.setattr(
                Valuation, "contenders", lambda valuation, shown, graded: np.arange(len(valuation.mean))
            )
        settings = {"rules": preset, "players": players, "top": top, "deals": 5000, "seed": 3}
        answers.append([text(best(hand, precision=0, **settings)) for hand in hands(4, seed=9)])  # type: ignore[arg-type]
    assert answers[0] == answers[1]


def test_candidates_that_are_surely_behind_are_dropped() -> None:
    rules = load_rules("2-4")
    cards, game = hands(1, seed=9)[0].cards, lower(rules)
    options, dealer = candidates(cards, game), Dealer(game, cards, (), 5000, load_strategy("balanced", rules))
    left = [valuation.table.options for valuation in stages(options, dealer, 3, 2)]
    sizes = [len(one) for one in left]
    assert sizes[0] == len(options) > 2 * sizes[1] and sizes[1] >= sizes[2] >= 3
    for one in left:  # what is left stands in the same order
        rows = [one.rows(at) for at in range(len(one))]
        assert rows == [options.rows(at) for at in range(len(options)) if options.rows(at) in rows]


def valuation(behind: list[float], errors: list[float], deals: int, sd: float = 2.5) -> Valuation:
    numbers = np.array(behind)
    spread = np.full(len(behind), sd)
    best = int(np.argmin(numbers))
    return Valuation(-numbers, spread, numbers, np.array(errors), best, np.zeros(deals), table=None)  # type: ignore[arg-type]


def test_a_candidate_is_dropped_when_it_is_surely_behind_the_last_that_is_shown() -> None:
    far = 0.1 + HOPELESS * (0.01 + 0.02) + 0.01
    found = valuation([0.3, 0.0, far, 0.1, far - 0.02, 0.1], [0.01, 0.0, 0.02, 0.01, 0.02, 0.01], 1_000_000)
    assert found.ranked() == [1, 3, 5, 4, 2, 0]
    assert found.contenders(3).tolist() == [1, 3, 4, 5]
    assert found.contenders(1).tolist() == [1]
    assert found.contenders(6).tolist() == found.contenders(9).tolist() == [0, 1, 2, 3, 4, 5]


def test_few_deals_do_not_tell_that_two_candidates_never_differ() -> None:
    assert not valuation([0.0, 0.0], [0.0, 0.0], 500).decided(0.01)
    assert valuation([0.0, 0.0], [0.0, 0.0], 1000).decided(0.01)
    assert valuation([0.0], [0.0], 100).decided(0)
    assert not valuation([0.0, 0.1], [0.0, 0.04], 20_000).decided(0.01)
    assert valuation([0.0, 0.1], [0.0, 0.03], 20_000).decided(0.01)


def test_a_natural_or_surrender_must_be_clear_too() -> None:
    close = Choice(1.0, 0.02, -0.03, 0.02, advised=False)
    assert not close.decided(0.01) and close.decided(0.04)
    assert replace(close, margin=0.2).decided(0.01) and replace(close, margin=-0.2).decided(0.01)
    assert not replace(close, margin_stderr=None).decided(0.01)
    bad = "2c 2h 3c 3d 4h 5s 6c 6d 7s 8c Th Qd Kh"
    clear = best(bad, opponents="balanced", deals=2000)
    price = f"surrender.units={-clear.best.units:.2f}"
    asked = best(bad, rules=load_rules("2-4", ["surrender.allowed=true", price]), opponents="balanced", deals=2000)
    assert clear.decided and clear.deals == 1000
    assert not asked.decided and asked.deals == 2000 and asked.best.arrangement == clear.best.arrangement
    assert asked.surrender is not None and abs(asked.surrender.margin) < 0.1
