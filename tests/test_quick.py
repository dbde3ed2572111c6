"""Answers by the table alone, greedy opponents, and which strategy a rule set gets."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from solver import kernels
from solver.advice import best
from solver.arrangements import Arrangement, contest_keys, legal_arrangements, row_keys
from solver.bench import random_hands
from solver.cards import Hand
from solver.cli import main
from solver.errors import RequestError
from solver.report import render_advice
from solver.rules import load_rules
from solver.strategies import load_strategy
from solver.tables import lower, subsets

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


def test_quick_needs_a_table_of_units() -> None:
    for name in ("balanced", "greedy"):
        with pytest.raises(RequestError, match=f"quick: '{name}' has no table"):
            best(HAND, quick=True, opponents=name)
    with pytest.raises(RequestError, match="quick: no equilibrium table for the rules 'mainland' yet"):
        best(HAND, quick=True, rules="mainland")


@pytest.mark.parametrize(
    ("change", "players", "beside"),
    [
        ("home_run.extra=6", 3, "home runs"),
        ("royalties.split=true", 2, "royalties of split hands"),
        ("ranking.suits=dchs", 2, "suits"),
        ("scoop.multiplier=players", 3, "a scoop times the players"),
        ("table.banker=true", 2, "ties that the banker wins"),
    ],
)
def test_units_that_a_table_does_not_know_are_not_told(change: str, players: int, beside: str, tmp_path: Path) -> None:
    more = {"royalties.split=true": ["royalties.back.quads=1"], "table.banker=true": ["table.banker_wins_ties=true"]}
    rules = load_rules("2-4", [change, *more.get(change, [])])
    own = replace(load_strategy("equilibrium", load_rules("2-4")), rules=rules.fingerprint())
    path = str(tmp_path / "own.npz")
    own.save(path)
    with pytest.raises(RequestError, match=f"without what these rules have beside: {beside}"):
        best(HAND, rules=rules, players=players, opponents=path, quick=True)


def test_a_table_knows_nothing_of_dead_cards() -> None:
    with pytest.raises(RequestError, match="quick: a table knows nothing of dead cards"):
        best(HAND, quick=True, dead="Ac")


@pytest.mark.parametrize(
    "words", [["best", HAND, "--deals", "100"], ["match", "equilibrium", "greedy", "--hands", "20"]]
)
def test_a_strategy_that_stands_in_is_named(words: list[str]) -> None:
    done = CliRunner().invoke(main, [*words, "--rules", "mainland", "--json"])
    assert "no equilibrium table for these rules yet, so balanced stands in" in done.stderr
    record = json.loads(done.stdout)
    assert record.get("opponents", record.get("a")) == "balanced"
    assert "stands in" not in CliRunner().invoke(main, [*words, "-q", "--rules", "mainland", "--json"]).stderr
    assert "stands in" not in CliRunner().invoke(main, words).stderr


def test_rules_without_a_table_of_their_own_get_balanced() -> None:
    assert load_strategy("equilibrium", load_rules("mainland")).name == "balanced"
    assert best(HAND, rules="mainland", deals=200).opponents == "balanced"
    # Neither the seats nor what a foul costs matter for play.
    changed = load_rules("2-4", ["players=[2, 3]", "foul.pays=units"])
    assert load_strategy("equilibrium", changed).name == "equilibrium"
    assert load_strategy("equilibrium", load_rules("2-4", ["rows.back=2"])).name == "balanced"


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
