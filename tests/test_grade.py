"""What a player's own arrangement gives up, and the best that keeps cards in rows, against slow twins."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from solver.advice import best, grade
from solver.arrangements import (
    ROWS,
    Arrangement,
    as_laid,
    contest_keys,
    foul_reason,
    legal_arrangements,
    parse_rows,
    row_keys,
)
from solver.candidates import candidates, subsets_of
from solver.cards import DECK, Hand, parse_cards
from solver.deals import Banker, deal
from solver.errors import ArrangementError, CapsaError, CardError, RequestError
from solver.expectation import value
from solver.rules import RuleSet, load_rules, preset_names
from solver.scoring import Player, settle
from solver.strategies import load_strategy
from solver.tables import lower
from tests.test_deals import chosen_cards, hands_of, opponent
from tests.test_scoring_random import both, random_rules

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
SIX_PAIRS = "2c 2d 5c 5h 7d 7s 8c 8h Jd Js Kc Kh 9s"
QUICK: dict[str, Any] = {"opponents": "balanced", "deals": 1000, "precision": 0}


def rows_of(arrangement: Arrangement) -> list[list[int]]:
    return [sorted(arrangement.row(row)) for row in ROWS]


# --- A legal arrangement ---


@pytest.mark.parametrize("preset", ["2-4", "mainland", "malayan", "deuce-to-seven", "capsa-susun"])
def test_the_best_gives_up_nothing(preset: str) -> None:
    found = best(HAND, rules=preset, **QUICK)
    advice = grade(found.best.arrangement, rules=preset, **QUICK)
    graded = advice.graded
    assert graded is not None and graded.foul is None and graded.beaten is None
    assert (graded.behind, graded.behind_stderr, graded.rank) == (0, 0, 1)
    assert advice.best == found.best and advice.alternatives == found.alternatives
    assert graded.units == found.best.units and graded.arrangement == found.best.arrangement


@pytest.mark.parametrize("preset", ["2-4", "mainland", "pusoy", "deuce-to-seven"])
def test_a_grade_is_that_of_the_alternative(preset: str) -> None:
    found = best(HAND, rules=preset, top=10**4, **QUICK)
    assert len(found.alternatives) == found.candidates - 1
    units = [one.units for one in (found.best, *found.alternatives)]
    for place in (1, len(found.alternatives) // 2, len(found.alternatives) - 1):
        other = found.alternatives[place]
        graded = grade(other.arrangement, rules=preset, **QUICK).graded
        assert graded is not None and graded.candidate is not None and graded.beaten is None
        assert (graded.units, graded.stderr) == (other.units, other.stderr)
        assert (graded.behind, graded.behind_stderr) == (other.behind, other.behind_stderr)
        assert graded.candidate == other
        assert graded.rank == 1 + sum(one > other.units for one in units)


def test_a_grade_in_stages_is_valued_on_all_deals_however_bad_it_is() -> None:
    options: dict[str, Any] = {"opponents": "balanced", "deals": 6000, "precision": 0}
    last = best(HAND, top=10**4, **options).alternatives[-1]
    graded = grade(last.arrangement, top=0, **options).graded
    assert graded is not None and (graded.units, graded.behind) == (last.units, last.behind)


@pytest.mark.parametrize("preset", ["2-4", "mainland", "1-6-royalties", "capsa-susun", "deuce-to-seven"])
def test_what_is_beaten_is_valued_on_the_same_deals_and_told_by_what(preset: str) -> None:
    rules, rng = load_rules(preset), random.Random(preset)
    game, strategy = lower(rules, 3), load_strategy("balanced", rules)
    hand = Hand.parse(HAND)
    legal = rng.sample(list(legal_arrangements(hand, rules)), 6)
    played = deal(game, hand.cards, (), 1000, strategy, seed=0)
    beaten = 0
    for own in legal:
        advice = grade(own, rules=rules, players=3, **QUICK)
        graded = advice.graded
        assert graded is not None and graded.candidate is not None and graded.behind is not None
        options = candidates(hand.cards, game, [subsets_of(own)])
        slow = value(options, played, 1)
        at = options.find(*subsets_of(own))
        assert graded.units == slow.mean[at] and graded.behind == pytest.approx(slow.behind[at])
        assert rows_of(graded.arrangement) == rows_of(own)
        if graded.beaten is None:
            continue
        beaten += 1
        theirs, mine = contest_keys(graded.beaten, rules), contest_keys(own, rules)
        assert all(one >= other for one, other in zip(theirs, mine, strict=True)) and graded.behind >= 0
        assert foul_reason(graded.beaten, rules) is None
    assert beaten > 2


def test_a_beaten_arrangement_is_no_alternative_and_no_candidate() -> None:
    own = "5c 3d 2d | 8s 8d 4h 2h 6h | Qs Qc 6s Ks As"
    plain, graded = best(HAND, **QUICK), grade(own, top=10**4, **QUICK)
    assert graded.candidates == plain.candidates and graded.best == plain.best
    assert graded.graded is not None and graded.graded.beaten is not None
    assert len(graded.alternatives) == plain.candidates - 1
    assert rows_of(Arrangement.parse(own)) not in [rows_of(one.arrangement) for one in graded.alternatives]


def test_a_quick_grade_is_that_of_the_table() -> None:
    found = best(HAND, quick=True, top=10**4)
    for other in (found.best, found.alternatives[0], found.alternatives[-1]):
        graded = grade(other.arrangement, quick=True).graded
        assert graded is not None and graded.stderr is None and graded.behind_stderr is None
        assert (graded.units, graded.behind) == (other.units, other.behind or 0.0)


def test_twins_are_found_whichever_five_is_called_the_back() -> None:
    """Middle and back of the same strength: both ways are legal and worth the same."""
    text = "2c 3d 4h | As Ks 9s 7s 5s | Ah Kh 9h 7h 5h"
    first = Arrangement.parse(text)
    second = Arrangement(first.front, first.back, first.middle)
    one, two = (grade(own, **QUICK).graded for own in (first, second))
    assert one is not None and two is not None and one.units == two.units and one.behind == two.behind
    assert rows_of(one.arrangement) == rows_of(first) and rows_of(two.arrangement) == rows_of(second)
    suits = load_rules("capsa-susun")
    one, two = (grade(own, rules=suits, **QUICK).graded for own in (first, second))
    assert one is not None and two is not None and (one.foul is None) == (two.foul is None)
    assert rows_of(one.arrangement) == rows_of(first) and rows_of(two.arrangement) == rows_of(second)


# --- A foul ---


def fouled(rng: random.Random, cards: list[int], rules: RuleSet) -> Arrangement | None:
    """Return a foul of thirteen cards, where one is found soon."""
    for _ in range(50):
        mixed = rng.sample(cards, 13)
        found = Arrangement(tuple(mixed[:3]), tuple(mixed[3:8]), tuple(mixed[8:]))
        if foul_reason(found, rules):
            return found
    return None


def check_foul(rng: random.Random, rules: RuleSet, players: int, banker: Banker | None, seen: Counter[str]) -> None:
    """Compare what a foul costs in every deal with plain scoring of the same rounds."""
    game = lower(rules, players)
    cards, others = chosen_cards(rng, rules, players)
    own = fouled(rng, cards, rules)
    if own is None:
        return
    dead = tuple(card for card in DECK if card not in cards and card not in others)
    strategy = load_strategy("balanced", rules)
    played = deal(game, tuple(cards), dead, 5, strategy, banker=banker, seed=rng.randrange(99))
    units, seat = played.fouling(), {"me": 0, "other": 1, None: None}[banker]
    if not rules.naturals.may_decline and settle_natural(own, rules):
        return
    for at in range(len(played)):
        dealt = [opponent(played, at, one, strategy) for one in range(played.places.shape[1])]
        left = [card for card in DECK if card not in cards and card not in hands_of(played, at)]
        for number in range(players - 1 - len(dealt)):
            spare = tuple(left[13 * number : 13 * number + 13])
            dealt.append(Player(arrangement=Arrangement(spare[:3], spare[3:8], spare[8:])))
        settled = settle(rules, [Player(arrangement=own), *dealt], seat)
        assert units[at] == pytest.approx(settled.totals[0], abs=1e-9), (rules, own, dealt, banker)
        seen["fouls"] += 1
        seen["home run"] += any(pair.home_run for pair in settled.pairs if 0 in (pair.a, pair.b))
        seen["royalties"] += any(pair.royalties[1] for pair in settled.pairs if pair.a == 0)
        seen["natural"] += any(one.natural is not None for one in dealt)
        seen["surrender"] += any(one.surrender for one in dealt)


def settle_natural(own: Arrangement, rules: RuleSet) -> bool:
    """Whether the hand holds a natural that must be declared, so that nothing can be fouled."""
    from solver.naturals import natural_of

    return natural_of(own.hand.cards, rules) is not None


def test_what_a_foul_costs_agrees_with_plain_scoring() -> None:
    rng, seen = random.Random(6), Counter[str]()
    for _ in range(60):
        rules, _ = both(random_rules(rng))
        banker: Banker | None = rng.choice(["me", "other"]) if rules.table.banker else None
        check_foul(rng, rules, rng.choice([2, 3, 4]), banker, seen)
    assert seen["fouls"] > 150 and all(seen[key] >= 3 for key in ("home run", "royalties", "natural")), seen


@pytest.mark.parametrize("preset", preset_names())
def test_what_a_foul_costs_by_presets(preset: str) -> None:
    rules, rng, seen = load_rules(preset), random.Random(preset), Counter[str]()
    for players in rules.players:
        for banker in ("me", "other") if rules.table.banker else (None,):
            check_foul(rng, rules, players, banker, seen)
    assert seen["fouls"]


def test_a_foul_is_explained_and_costs_what_it_pays_less() -> None:
    advice = grade("5c 3d 4h | 8s 8d 6s 6h 2d | Qs Qc Ks 2h As", **QUICK)
    graded = advice.graded
    assert graded is not None and graded.candidate is None and graded.rank is None and graded.beaten is None
    assert graded.foul == "the middle (eights and sixes, two) beats the back (pair of queens, ace, king, two)"
    assert graded.units == pytest.approx(-4, abs=0.2) and graded.behind is not None
    assert graded.behind == pytest.approx(advice.best.units - (graded.units or 0))
    record = advice.to_dict()["graded"]
    assert record["foul"] is True and record["why"] == graded.foul and "rank" not in record
    assert record["front"] == ["5c", "4h", "3d"]
    table = grade(advice.graded.arrangement, quick=True).graded  # type: ignore[union-attr]
    assert table is not None and table.units is None and table.behind is None and table.foul == graded.foul


def test_naturals_and_surrender_are_weighed_whatever_is_graded() -> None:
    own = "Kc Kh 9s | 8c 8h Jd Js 2d | 5c 5h 7d 7s 2c"
    advice = grade(own, **QUICK)
    assert advice.graded is not None and advice.graded.foul
    assert advice.natural == best(SIX_PAIRS, **QUICK).natural and advice.natural is not None
    assert advice.natural.advised


# --- Kept cards ---


def kept_by_enumeration(hand: Hand, rules: RuleSet, keep: dict[str, tuple[int, ...]]) -> list[Arrangement]:
    return [
        one
        for one in legal_arrangements(hand, rules)
        if all(set(cards) <= set(one.row(row)) for row, cards in keep.items())
    ]


@pytest.mark.parametrize(
    ("preset", "hand", "text"),
    [
        ("2-4", HAND, "back: As 5c; front: 8d"),
        ("2-4", HAND, "middle: As"),
        ("mainland", HAND, "front: Qs"),
        ("1-6-royalties", HAND, "front: 2d 2h 8s"),
        ("deuce-to-seven", HAND, "middle: 2d 3d; back: Qs"),
        ("2-4", "2c 3d 4h As Ks 9s 7s 5s Ah Kh 9h 7h 5h", "middle: Ah; back: As"),
        ("capsa-susun", "2c 3d 4h As Ks 9s 7s 5s Ah Kh 9h 7h 5h", "back: As"),
        ("capsa-susun", "2c 3d 4h As Ks 9s 7s 5s Ah Kh 9h 7h 5h", "middle: Ah"),
    ],
)
def test_the_best_that_keeps_cards_is_the_best_of_all_that_do(preset: str, hand: str, text: str) -> None:
    rules, keep = load_rules(preset), parse_rows(text)
    game, strategy, cards = lower(rules, 2), load_strategy("balanced", rules), Hand.parse(hand).cards
    advice = best(hand, rules=rules, keep=text, top=10**4, **QUICK)
    assert advice.keep == keep
    found = [advice.best, *advice.alternatives]
    for one in found:
        assert all(set(keep[row]) <= set(one.arrangement.row(row)) for row in keep), one.arrangement
    everything = kept_by_enumeration(advice.hand, rules, keep)
    different = {(contest_keys(one, rules), row_keys(one, rules.ranking.wheel)): one for one in everything}
    options = candidates(cards, game, [subsets_of(one) for one in different.values()])
    valuation = value(options, deal(game, cards, (), 1000, strategy, seed=0), 1)
    units = [valuation.mean[options.find(*subsets_of(one))] for one in different.values()]
    assert advice.best.units == pytest.approx(max(units))
    # None that no other such arrangement beats is left out.
    keys = [contest_keys(one, rules) for one in different.values()]
    unbeaten = {
        key
        for key in keys
        if not any(other != key and all(a >= b for a, b in zip(other, key, strict=True)) for other in keys)
    }
    assert {contest_keys(one.arrangement, rules) for one in found} >= unbeaten


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ("As", "keep: expected front:, middle: or back: before the cards, got 'As'"),
        ("behind: As", "keep: expected front:, middle: or back: before the cards"),
        ("back: Ac", "keep: Ac is not in the hand"),
        ("back: Ax", "back card 1 of 1: unknown suit in 'Ax'"),
        ("back: As As", "back card 2 of 2: As is already back card 1"),
        ("back:", "keep: no cards are named for the back"),
        ("back: As; tail: Ks", "keep: the back is named twice"),
        ("front: As Ks Qs Qc", "keep: the front has 3 cards, got 4"),
        ("front: As; back: As", "keep: As is named twice"),
        ("front: As Ks Qs; middle: 2d 3d 4h 8s 6h", "keep: no legal arrangement has As Ks Qs in the front, 2d 3d"),
        ({"rear": "As"}, "keep: a row is front, middle or back, got 'rear'"),
        ({"back": parse_cards("As") * 2}, "keep: As is named twice"),
    ],
)
def test_what_cannot_be_kept_is_said(keep: Any, message: str) -> None:
    with pytest.raises(CapsaError) as error:
        best(HAND, keep=keep, **QUICK)
    assert str(error.value).startswith(message)


def test_cards_are_kept_in_text_or_in_a_mapping_but_not_for_a_grade() -> None:
    texts = ["back: As Ks; front: Qc", "belakang: Ks As | depan: Q♣", "尾道：As，Ks；头道：Qc"]  # noqa: RUF001
    found = [best(HAND, keep=text, **QUICK).best for text in texts]
    found.append(best(HAND, keep={"back": "As Ks", "front": parse_cards("Qc")}, **QUICK).best)
    assert all(one == found[0] for one in found)
    with pytest.raises(RequestError, match="keep: is for asking what is best"):
        grade("Qs Qc Ks | 8s 8d 6s 6h 2d | As 5c 4h 3d 2h", keep="back: As", **QUICK)


# --- How rows are written ---

LAID = "Qs Qc Ks | 8s 8d 6s 6h 2d | As 5c 4h 3d 2h"


@pytest.mark.parametrize(
    "text",
    [
        "Qs Qc Ks / 8s 8d 6s 6h 2d / As 5c 4h 3d 2h",
        "QsQcKs\n8s8d6s6h2d\nAs5c4h3d2h\n",
        "back: As5c4h3d2h | front: QsQcKs | middle: 8s8d6s6h2d",
        "Bottom: As5c4h3d2h; TOP: QsQcKs; middle: 8s8d6s6h2d",
        "middle: 8s8d6s6h2d\ntail: As5c4h3d2h\nhead: QsQcKs",
        "belakang: As5c4h3d2h / depan: QsQcKs / tengah: 8s8d6s6h2d",
        "头道：Qs，Qc，Ks；中道：8s、8d、6s、6h、2d；尾道：As5c4h3d2h",  # noqa: RUF001
        "Qs Qc Ks｜8s 8d 6s 6h 2d／As 5c 4h 3d 2h",  # noqa: RUF001
        "chi đầu: QsQcKs | chi cuối: As5c4h3d2h | chi giữa: 8s8d6s6h2d",
        "\ufeffＱｓＱｃＫｓ　｜８ｓ８ｄ６ｓ６ｈ２ｄ／Ａｓ５ｃ４ｈ３ｄ２ｈ",  # noqa: RUF001
        "\u202bجلو\u202c: QsQcKs; \u200fپشت\u200f: As5c4h3d2h; وسط: 8s8d6s6h2d",
        "フロント: QsQcKs | バック: As5c4h3d2h | ミドル: 8s8d6s6h2d",
    ],
)
def test_rows_are_read_as_players_write_them(text: str) -> None:
    assert rows_of(Arrangement.parse(text)) == rows_of(Arrangement.parse(LAID))


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("front: QsQcKs; back: As5c4h3d2h", ArrangementError, "the middle is missing"),
        ("front: QsQcKs", ArrangementError, "the middle and the back are missing"),
        ("QsQcKs | back: As5c4h3d2h | 8s8d6s6h2d", ArrangementError, "expected front:, middle: or back:"),
        ("front: QsQcKs; top: 8s8d6s6h2d; back: As5c4h3d2h", ArrangementError, "the front is named twice"),
        ("As5c4h3d2h | 8s8d6s6h2d | QsQcKs", ArrangementError, "the rows have 5, 5 and 3 cards"),
        ("QsQcKs | 8s8d6s6h2d | As5c4h3d", ArrangementError, "the back has 5 cards, got 4"),
        ("QsQcKs | 8s8d6s6h2d | As5c4h3dKs", CardError, "Ks stands in the front and in the back"),
        ("QsQcKs | 8s8d6s6h2d | As5c4h3d1h", CardError, "back card 5 of 5: unknown rank in '1h'"),
        ("", ArrangementError, "expected three rows as front | middle | back"),
        ("front: | middle: | back:", ArrangementError, "the front has 3 cards, got 0: nothing"),
    ],
)
def test_what_is_wrong_with_rows_is_said(text: str, kind: type[CapsaError], message: str) -> None:
    with pytest.raises(kind) as error:
        Arrangement.parse(text)
    assert str(error.value).startswith(message)
    with pytest.raises(kind):
        grade(text, **QUICK)


def test_a_graded_arrangement_is_laid_as_the_best_is() -> None:
    own = Arrangement.parse("Ks Qc Qs | 2d 6s 8d 6h 8s | 2h As 3d 4h 5c")
    graded = grade(own, **QUICK).graded
    assert graded is not None and graded.arrangement == as_laid(own, load_rules("2-4"))
    assert np.isclose(graded.units or 0, grade(LAID, **QUICK).graded.units)  # type: ignore[union-attr, arg-type]
