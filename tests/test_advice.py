"""Advice beyond the rows: naturals, surrender, the banker and home runs."""

import json

import pytest

from solver.advice import best
from solver.arrangements import Arrangement, as_laid, row_names
from solver.cards import Hand
from solver.errors import RequestError
from solver.naturals import natural_of
from solver.records import Advice
from solver.reports.answers import render_advice
from solver.rules import load_rules

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
SIX_PAIRS = "2c 2d 5c 5h 7d 7s 8c 8h Jd Js Kc Kh 9s"
DRAGON = "2c 3d 5h 4c 6d 7h 9c 8d Th Jc Qd Kh As"
BAD = "2c 2d 3h 4c 6d 7h 9c 8d Th Jc Qd Kh 3s"


def advise(hand: str, *overrides: str, preset: str = "2-4", **options: object) -> Advice:
    options = {"opponents": "balanced", "deals": 2000, **options}
    return best(hand, rules=load_rules(preset, overrides), **options)  # type: ignore[arg-type]


def test_a_hand_without_a_natural_where_surrender_is_not_allowed_has_no_other_choice() -> None:
    advice = advise(HAND)
    assert advice.natural is None and advice.surrender is None


def test_a_natural_worth_more_than_the_rows_is_declared() -> None:
    advice = advise(SIX_PAIRS)
    natural = advice.natural
    assert natural is not None and natural.kind == "six-pairs" and natural.advised
    # Four units from an opponent; less where he holds a natural too, which one in sixty does.
    assert 3.8 < natural.units <= 4 and natural.margin == pytest.approx(natural.units - advice.best.units)
    assert natural.margin > 10 * natural.margin_stderr
    assert advice.to_dict()["natural"] == {
        "kind": "six-pairs",
        "units": natural.units,
        "declare": True,
        "stderr": natural.stderr,
        "margin": natural.margin,
        "margin_stderr": natural.margin_stderr,
    }
    assert render_advice(advice).startswith("Declare your six pairs: +")


def test_a_natural_worth_less_than_the_rows_is_not_declared_unless_it_must_be() -> None:
    cheap = ["naturals.list=[{ kind = 'six-pairs', units = 0.1 }]", "rows.back=9"]
    strong = "Ac Ad Kc Kd Qc Qd Jc Jd Tc Td 9c 9d 2h"
    declined = advise(strong, *cheap)
    assert declined.natural is not None and not declined.natural.advised and declined.natural.margin < 0
    assert "Declaring your six pairs would win +0.1" in render_advice(declined)
    forced = advise(strong, *cheap, "naturals.may_decline=false", "surrender.allowed=true", "surrender.units=0")
    assert forced.natural is not None and forced.natural.advised
    assert forced.surrender is not None and not forced.surrender.advised
    assert render_advice(forced).startswith("You must declare your six pairs")


def test_the_best_natural_is_the_highest_of_the_list() -> None:
    assert natural_of(Hand.parse(DRAGON).cards, load_rules("2-4")).kind == "dragon"  # type: ignore[union-attr]
    advice = advise(DRAGON, preset="mainland", players=3)
    assert advice.natural is not None and advice.natural.kind == "dragon"
    assert advice.natural.units == pytest.approx(78, abs=0.3)


def test_surrender_is_weighed_against_playing_on() -> None:
    kept = advise(HAND, preset="1-6-royalties", players=4)
    assert kept.surrender is not None and not kept.surrender.advised
    # Three units to each of three opponents, six to one who holds a natural.
    assert -9.5 < kept.surrender.units <= -9 and kept.surrender.margin < 0
    assert kept.to_dict()["surrender"]["advised"] is False
    cheap = advise(BAD, "surrender.units=0.1", preset="1-6-royalties")
    assert cheap.surrender is not None and cheap.surrender.advised and cheap.best.units < cheap.surrender.units < 0
    assert render_advice(cheap).startswith("Surrender: -0.")


def test_only_the_banker_is_scored_and_the_banker_wins_ties() -> None:
    other = advise(HAND, preset="malayan", players=4)
    assert other.banker == "other" == other.to_dict()["banker"]
    mine = advise(HAND, preset="malayan", players=4, banker="me")
    assert all(look.tie == 0 for advice in (other, mine) for look in advice.best.rows.values())
    alone = advise(HAND, "table.banker_wins_ties=false", preset="malayan", banker="me")
    assert any(look.tie > 0 for look in alone.best.rows.values())
    # Against one opponent it is the ties that make a banker of the player.
    first, second = (advise(HAND, preset="malayan", banker=banker).best.units for banker in ("me", "other"))
    assert first > second
    assert "against the banker" in render_advice(other) and "as the banker, in total" in render_advice(mine)


def test_the_banker_is_one_of_two() -> None:
    with pytest.raises(RequestError, match="banker: 'me' or 'other', got 'you'"):
        advise(HAND, preset="pusoy", banker="you")
    with pytest.raises(RequestError, match="banker: the rules '2-4' have none"):
        advise(HAND, banker="me")


def test_a_home_run_is_worth_its_units() -> None:
    """A hand that scoops nearly always: with three opponents 6 more from each, where all three are scooped."""
    royal = "Ac Ad Kc Kd Qc Qd Jc Jd Tc Td 9c 9d 2h"
    rules = {name: load_rules("taiwan", [f"home_run.extra={extra}"]) for name, extra in (("with", 6), ("without", 0))}
    found = {
        name: best(royal, rules=one, players=4, deals=3000, opponents="balanced").best for name, one in rules.items()
    }
    assert found["with"].arrangement == found["without"].arrangement
    gained = found["with"].units - found["without"].units
    assert 18 * found["with"].scoop ** 4 < gained < 18 * found["with"].scoop
    three = best(royal, rules=rules["with"], players=3, deals=1000, opponents="balanced").best.units
    assert three == best(royal, rules=rules["without"], players=3, deals=1000, opponents="balanced").best.units


def test_a_home_run_changes_the_best_arrangement() -> None:
    hand = "5h 5s 6h 7c 9c Qc Kc Kd Ks Ac Ad Ah As"
    one = best(hand, rules="taiwan", deals=5000)
    three = best(hand, rules="taiwan", players=4, deals=5000)
    rules = load_rules("taiwan", ["home_run.extra=0"])
    without = best(hand, rules=rules, players=4, deals=5000, opponents="taiwan")
    assert str(one.best.arrangement).split(" | ")[2].startswith("As Ah Ad Ac")
    assert str(without.best.arrangement).split(" | ")[2].startswith("As Ah Ad Ac")
    assert str(three.best.arrangement).startswith("Ks Kd") and three.alternatives[0].behind > 5


@pytest.mark.parametrize("preset", ["fuzhou", "deuce-to-seven", "malayan", "capsa-susun", "club", "thai"])
def test_answers_do_not_depend_on_the_number_of_jobs(preset: str) -> None:
    first, second = (advise(SIX_PAIRS, preset=preset, players=3, jobs=jobs).to_dict() for jobs in (1, 3))
    assert json.dumps(first) == json.dumps(second)


def test_a_deuce_to_seven_middle_is_named_and_laid_as_such() -> None:
    rules = load_rules("deuce-to-seven")
    arrangement = as_laid(Arrangement.parse("Jc Tc 8h | 2s 3h 4d 5c As | Kc Kd Kh 9s 9d"), rules)
    assert row_names(arrangement, rules)[1] == "ace high, five, four, three, two"
    assert str(arrangement).split(" | ")[1] == "As 5c 4d 3h 2s"
    assert row_names(arrangement, load_rules("2-4"))[1] == "five-high straight"
    assert "straight" not in advise(HAND, preset="deuce-to-seven").best.rows["middle"].hand
