"""Answers by the table alone, greedy opponents, and which strategy a rule set gets."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from solver import equilibrium, kernels
from solver.advice import best
from solver.arrangements import Arrangement, contest_keys, legal_arrangements, row_keys
from solver.bench import random_hands
from solver.cards import Hand
from solver.deals import Banker
from solver.errors import RequestError, StrategyError
from solver.reports.answers import render_advice
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy
from solver.tables import lower, subsets
from solver.training import train

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"


@pytest.mark.parametrize("rules", ["2-4", "1-6"])
def test_quick_answers_agree_with_dealt_ones(rules: str) -> None:
    differences, given_up = [], []
    for cards in random_hands(12, seed=5).tolist():
        hand = Hand(tuple(cards))
        quick, dealt = best(hand, rules=rules, quick=True), best(hand, rules=rules, deals=3000, top=20)
        differences.append(quick.best.units - dealt.best.units)
        found = {str(one.arrangement): one.behind or 0.0 for one in (dealt.best, *dealt.alternatives)}
        given_up.append(found.get(str(quick.best.arrangement), 1.0))
        for row in ("front", "middle", "back"):
            ours, theirs = quick.best.rows[row], dealt.best.rows[row]
            if quick.best.arrangement == dealt.best.arrangement:
                assert abs(ours.win - theirs.win) < 0.1
    assert abs(np.mean(differences)) < 0.05 and np.std(differences) < 0.25
    assert np.mean(given_up) < 0.06  # the dealt answers are noisy themselves, by about 0.05 units a hand


def test_a_quick_answer_says_that_it_is_one() -> None:
    answer = best(HAND, quick=True, players=3)
    record = answer.to_dict()
    assert record["deals"] == 0 and record["opponents"] == "equilibrium" and record["decided"] is False
    assert record["best"]["stderr"] is None and record["alternatives"][0]["behind_stderr"] is None
    assert record["best"]["units"] == pytest.approx(2 * best(HAND, quick=True).best.units)
    assert 0 < record["best"]["scoop"] < 1 and record["best"]["sd"] > 1
    text = render_advice(answer)
    assert "±" not in text and "by the table alone" in text and "by their table alone" in text


def test_a_quick_answer_weighs_naturals_and_surrender() -> None:
    natural = best("2c 2d 5c 5h 7d 7s 8c 8h Jd Js Kc Kh 9s", quick=True).natural
    assert natural is not None and natural.advised and natural.stderr is None and 3.8 < natural.units < 4


def test_a_quick_answer_knows_naturals_that_count_as_scoops() -> None:
    quick, dealt = (
        best("6c 6d 6h 6s 2s 2h 7s 7c Th Tc 9c 9s Js", rules="fuzhou", players=4, quick=how, deals=4000, precision=0)
        for how in (True, False)
    )
    assert quick.natural is not None and dealt.natural is not None and quick.natural.advised
    assert quick.natural.units == pytest.approx(dealt.natural.units, abs=0.6)


def test_quick_needs_a_table_of_units() -> None:
    for name in ("balanced", "greedy", "2-4"):
        with pytest.raises(RequestError, match=f"quick: '{name}' has no table"):
            best(HAND, quick=True, opponents=name, rules="1-6")


@cache
def trained(preset: str, overrides: tuple[str, ...], players: int) -> Strategy:
    """Return a table of few bins, which is trained in no time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equilibrium, "BINS", {"front": 12, "middle": 20, "back": 20})
        patch.setattr("solver.training.WARM_UP", 2)
        return train(load_rules(preset, overrides), players=players, rounds=6, hands=5000, jobs=2)


@pytest.mark.parametrize(
    ("preset", "overrides", "players", "banker"),
    [
        ("1-6-royalties", ("surrender.units=2",), 3, None),
        ("malayan", (), 3, "me"),
        ("malayan", (), 3, "other"),
        ("mainland", (), 3, None),
        pytest.param("thai", (), 3, None, marks=pytest.mark.slow),
        pytest.param("capsa-susun", ("home_run.multiplier=1",), 2, None, marks=pytest.mark.slow),
    ],
)
def test_quick_answers_know_what_the_rules_have_beside_the_rows(
    preset: str, overrides: tuple[str, ...], players: int, banker: Banker | None, tmp_path: Path
) -> None:
    """Surrender, banker, home runs, scoops by seats and suits: the table's units against dealt ones, on average."""
    rules = load_rules(preset, overrides)
    path = str(tmp_path / "own.npz")
    trained(preset, overrides, players).save(path)
    units, given = [], []
    for cards in random_hands(16, seed=6).tolist():
        found = [
            best(Hand(tuple(cards)), rules=rules, players=players, banker=banker, opponents=path, deals=1000, quick=how)
            for how in (True, False)
        ]
        table, dealt = found
        units.append((table.best.units - dealt.best.units) / (1 if banker == "other" else players - 1))
        assert (table.surrender is None) == (dealt.surrender is None)
        if table.surrender is not None and dealt.surrender is not None and dealt.surrender.stderr is not None:
            given.append(table.surrender.units - dealt.surrender.units)
    assert abs(np.mean(units)) < 0.1 + 3 * np.std(units) / 4
    if given:
        assert np.abs(given).max() < 0.4 and abs(np.mean(given)) < 0.03 + 3 * np.std(given) / 4


def test_a_table_knows_nothing_of_dead_cards() -> None:
    with pytest.raises(RequestError, match="quick: a table knows nothing of dead cards"):
        best(HAND, quick=True, dead="Ac")


def test_another_equilibrium_can_be_played() -> None:
    answer = best(HAND, rules="1-6", opponents="2-4", deals=200)
    assert answer.opponents == "2-4" and answer.surrender is None
    own, lent = load_strategy("equilibrium", load_rules("2-4")), load_strategy("2-4", load_rules("1-6"))
    assert (own.values == lent.values).all() and lent.name == "2-4" and not len(lent.population)
    itself = load_strategy("1-6-royalties", load_rules("1-6-royalties"))
    assert len(itself.population) and itself.surrender < 0 and itself.name == "1-6-royalties"
    with pytest.raises(StrategyError, match="opponents cannot play '2-4' under the rules 'mainland': hands rank other"):
        best(HAND, rules="mainland", opponents="2-4", deals=200)


def test_neither_seats_nor_what_a_foul_costs_matter_for_play() -> None:
    changed = load_rules("2-4", ["players=[2, 3]", "foul.pays=units"])
    assert load_strategy("equilibrium", changed, 3).name == "equilibrium"
    with pytest.raises(StrategyError, match="no equilibrium table for the rules '2-4' comes with capsa"):
        load_strategy("equilibrium", load_rules("2-4", ["rows.back=2"]))


@pytest.mark.parametrize("preset", ["2-4", "mainland", "deuce-to-seven"])
def test_greedy_takes_the_strongest_back_then_middle_then_front(preset: str) -> None:
    rules = load_rules(preset)
    hands = random_hands(2, seed=8)
    out = np.empty((2, 3), np.int64)
    kernels.arrange_hands(hands, *load_strategy("greedy", rules).kernel_arguments(lower(rules)), out)
    for hand, (_, front, back) in zip(hands, out.tolist(), strict=True):
        places = subsets().three[front], subsets().five[back]
        middle = np.setdiff1d(np.arange(13), np.concatenate(places))
        rows = (tuple(hand[at].tolist()) for at in (places[0], middle, places[1]))
        found = Arrangement(*rows)

        def order(one: Arrangement) -> tuple[object, ...]:
            keys = contest_keys(one, rules)
            return row_keys(one, rules.ranking.wheel)[2], keys[1], keys[0]

        assert order(found) == max(map(order, legal_arrangements(Hand(tuple(hand.tolist())), rules)))
