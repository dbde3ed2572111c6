"""Naturals: which hands hold them and how two of a kind compare, against the slow twin and case by case."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, permutations
from typing import Any, get_args

import msgspec
import pytest

from solver.cards import DECK, card_name, parse_cards
from solver.naturals import FLUSH_SHAPES, HeldNatural, holds, natural_of, natural_units, run_shapes, runs, tiebreak
from solver.rules import Natural, NaturalKind, RuleSet
from tests import naive

KINDS: tuple[str, ...] = get_args(NaturalKind)
EQUAL = ("dragon", "suited-dragon", "all-low", "all-high", "twelve-colour", "thirteen-colour", "twelve-royals")
RUNS3 = [[12, 0, 1], *([low, low + 1, low + 2] for low in range(11))]
RUNS5 = [[12, 0, 1, 2, 3], *(list(range(low, low + 5)) for low in range(9))]


# --- Hands built to hold a natural, from the cards that are left in a deck ---


def take(rng: random.Random, deck: Sequence[int], wanted: Sequence[int]) -> list[int] | None:
    """Return a card of each wanted rank, a rank as often as it is wanted."""
    cards: list[int] = []
    for rank, count in Counter(wanted).items():
        left = [card for card in deck if card >> 2 == rank]
        if len(left) < count:
            return None
        cards += rng.sample(left, count)
    return cards


def grouped(rng: random.Random, deck: Sequence[int], *shapes: Sequence[int]) -> list[int] | None:
    """Return cards of distinct ranks in groups of the sizes of one of the shapes."""
    shape = rng.choice(shapes)
    ranks = rng.sample(range(13), len(shape))
    return take(rng, deck, [rank for rank, size in zip(ranks, shape, strict=True) for _ in range(size)])


def suited(rng: random.Random, deck: Sequence[int], rows: Sequence[Sequence[int]]) -> list[int] | None:
    """Return cards of these ranks, each row in one suit."""
    cards = [4 * rank + suit for row in rows for suit in [rng.randrange(4)] for rank in row]
    return cards if len(set(cards)) == 13 and set(cards) <= set(deck) else None


def flushes(rng: random.Random, deck: Sequence[int]) -> list[int] | None:
    # The twin needs seconds for a hand of one suit.
    (sizes,) = rng.choices([[5, 5, 3], [8, 5], [10, 3], [13]], weights=[16, 6, 2, 1])
    cards: list[int] = []
    for size, suit in zip(sizes, rng.sample(range(4), len(sizes)), strict=True):
        left = [card for card in deck if card & 3 == suit]
        if len(left) < size:
            return None
        cards += rng.sample(left, size)
    return cards


def among(rng: random.Random, deck: Sequence[int], fits: Callable[[int], bool], count: int) -> list[int] | None:
    """Return ``count`` cards that fit and others up to thirteen."""
    good, bad = [card for card in deck if fits(card)], [card for card in deck if not fits(card)]
    if len(good) < count or len(bad) < 13 - count:
        return None
    return rng.sample(good, count) + rng.sample(bad, 13 - count)


def three_runs(rng: random.Random) -> list[list[int]]:
    return [rng.choice(RUNS3[:2] + RUNS3), *rng.choices(RUNS5[:1] + RUNS5, k=2)]


def build(rng: random.Random, kind: str, deck: Sequence[int]) -> list[int] | None:
    """Return thirteen cards that hold a natural, or None where the deck, or the luck, does not give them."""
    red = rng.random() < 0.5
    match kind:
        case "three-flushes":
            return flushes(rng, deck)
        case "three-straights":
            return take(rng, deck, [rank for run in three_runs(rng) for rank in run])
        case "three-straight-flushes":
            return suited(rng, deck, three_runs(rng))
        case "six-pairs":
            six = [[2] * 6 + [1], [3, *[2] * 5], [4, *[2] * 4, 1], [4, 4, 2, 2, 1], [4, 3, 2, 2, 2], [4, 4, 3, 2]]
            return grouped(rng, deck, *six, [4, 4, 4, 1])
        case "five-pairs-trips":
            return grouped(rng, deck, [3, *[2] * 5], [3, *[2] * 5], [4, 3, 2, 2, 2], [4, 4, 3, 2])
        case "four-trips":
            return grouped(rng, deck, [3, 3, 3, 3, 1])
        case "three-quads":
            return grouped(rng, deck, [4, 4, 4, 1])
        case "dragon":
            return take(rng, deck, range(13))
        case "suited-dragon":
            return suited(rng, deck, [range(13)])
        case "all-low":
            return among(rng, deck, lambda card: card >> 2 <= 6, 13)
        case "all-high":
            return among(rng, deck, lambda card: card >> 2 >= 6, 13)
        case "twelve-colour":
            return among(rng, deck, lambda card: (card & 3 in (1, 2)) == red, rng.choice([12, 13]))
        case "thirteen-colour":
            return among(rng, deck, lambda card: (card & 3 in (1, 2)) == red, 13)
        case _:
            return among(rng, deck, lambda card: card >> 2 >= 9, rng.choice([12, 13]))


def natural_hand(rng: random.Random, kind: str, deck: Sequence[int] = DECK, tries: int = 200) -> list[int]:
    """Return a hand that holds the kind, or another one where the deck does not give it."""
    for _ in range(tries):
        hand = build(rng, kind, deck)
        if hand is not None:
            return hand
    return rng.sample(deck, 13)


def listed(*kinds: str, **keys: Any) -> dict[str, Any]:
    """Return a rule set that plays these kinds, weakest first; a kind may be followed by its key, as count=13."""
    entries = []
    for at, text in enumerate(kinds):
        kind, _, extra = text.partition(" ")
        extras = {"quads": {"quads": True}, "count": {"count": 13}, "": {}}[extra]
        entries.append({"kind": kind, "units": at + 1, **extras})
    ranking = {"wheel": keys.pop("wheel", "lowest")}
    return {"ranking": ranking, "naturals": {"list": entries, **keys}}


def records(raw: dict[str, Any]) -> tuple[RuleSet, naive.Rules]:
    return msgspec.convert(raw, RuleSet), naive.complete(raw)


def named(cards: Sequence[int]) -> naive.Row:
    return tuple(map(card_name, cards))


ENTRIES = [*KINDS, "five-pairs-trips quads", "twelve-royals count"]
ALONE = {text: records(listed(text)) for text in ENTRIES}


def check_holds(cards: Sequence[int], entries: Sequence[str] = ENTRIES) -> set[str]:
    """Hold every entry against the slow twin and return those that the hand holds."""
    found = set()
    for text in entries:
        rules, plain = ALONE[text]
        expected = naive.naturals_held(named(cards), plain) != []
        assert holds(cards, rules.naturals.kinds[0]) == expected, (text, named(cards))
        if expected:
            found.add(text)
    return found


# --- Which hands hold them ---


@pytest.mark.parametrize("text", ENTRIES)
def test_hands_built_for_a_natural_hold_it_and_near_misses_as_the_slow_twin_says(text: str) -> None:
    rng = random.Random(text)
    kind, missed = text.split()[0], 0
    for _ in range(3 if kind == "suited-dragon" else 12):
        hand = natural_hand(rng, kind, tries=10_000)
        held = check_holds(hand)
        assert kind in held or kind == "five-pairs-trips"
        near = hand.copy()
        near[rng.randrange(13)] = rng.choice([card for card in DECK if card not in hand])
        missed += text not in check_holds(near, [text])
    assert missed > 1


def test_random_hands_hold_what_the_slow_twin_says() -> None:
    rng = random.Random(8)
    held: Counter[str] = Counter()
    for _ in range(100):
        suits = rng.sample(range(4), rng.choice([2, 3, 4]))
        ranks = rng.sample(range(13), rng.choice([8, 10, 13]))
        held.update(check_holds(rng.sample([4 * rank + suit for rank in ranks for suit in suits], 13)))
    assert min(held[kind] for kind in ("three-flushes", "six-pairs", "thirteen-colour")) > 2


@pytest.mark.slow
def test_thousands_of_hands_hold_what_the_slow_twin_says() -> None:
    rng = random.Random(9)
    for _ in range(400):
        hand = natural_hand(rng, rng.choice(KINDS))
        check_holds(hand)
        hand[rng.randrange(13)] = rng.choice([card for card in DECK if card not in hand])
        check_holds(hand)


HOLD = {  # the exact meaning of every kind, by hand; what a kind does not take stands under its name and "no"
    "three-flushes": ["2d5d6d 3h4h7hKhAh 2c7cTcKcAc", "2c3c4c5c6c7c8c9cTcJcQcKcAc", "2d5d6d 2c3c5c6c7c9cTcJcQcAc"],
    "three-flushes no": [
        *("2d5d6d7d 3h4h7hKh 2c7cTcKcAc", "2d5d 3h4h7hKhAhQh 2c7cTcKcAc", "2s5d6d 3h4h7hKhAh 2c7cTcKcAc"),
    ],
    "three-straights": [
        *("Ac2d3h 4c5d6h7s8c 9cTdJhQsKc", "2c3d4h 5c6d7h8s9c TcJdQhKsAc", "Ac2d3h Ad2h3s4c5d Ah2s3c4d5h"),
        *("QcKdAh Ad2h3s4c5d 9cTdJhQsKc", "6c7d8h 6d7h8s9cTd 6h7s8c9dTh"),
    ],
    "three-straights no": [
        *("KcAd2h 4c5d6h7s8c 9cTdJhQsKs", "2c3d4h 5c6d7h8s9c JdQhKsAc2d", "Ac2d4h 4c5d6h7s8c 9cTdJhQsKc"),
    ],
    "six-pairs": [
        *("3s3c4s4d5s5h8s8d9s9dJsJdQs", "3s3c3d4s4d5s5h8s8d9s9dJsJd", "3s3c3d3h5s5h8s8d9s9dJsJdQs"),
        *("3s3c3d3h5s5h5d8s8d9s9dJsJd", "3s3c3d3h5s5h5d5c8s8d8h8cQs"),
    ],
    "six-pairs no": ["3s3c4s4d5s5h8s8d9s9dJsKdQs", "3s3c3d5s5h5d8s8d8cJsJdJcQs", "3s3c3d4s4d5s5h8s8d9s9d9hQs"],
    "five-pairs-trips": ["3s3c3d4s4d5s5h8s8d9s9dJsJd"],
    "five-pairs-trips no": ["3s3c4s4d5s5h8s8d9s9dJsJdQs", "3s3c3d3h5s5h5d8s8d9s9dJsJd", "3s3c3d3h5s5h5d5c8s8d8h8cQs"],
    "five-pairs-trips quads": [
        *("3s3c3d4s4d5s5h8s8d9s9dJsJd", "3s3c3d3h5s5h5d8s8d9s9dJsJd", "3s3c3d3h5s5h5d5c8s8d8h9s9d"),
    ],
    "five-pairs-trips quads no": ["3s3c3d3h5s5h8s8d9s9dJsJdQs", "3s3c3d3h5s5h5d5c8s8d8h8cQs"],
    "four-trips": ["3s3c3d5s5h5d8s8d8cJsJdJcQs"],
    "four-trips no": ["3s3c3d3h5s5h5d8s8d8cJsJdJc", "3s3c3d5s5h5d8s8d8cJsJd2c2d"],
    "three-quads": ["3s3c3d3h5s5h5d5c8s8d8h8cQs"],
    "three-quads no": ["3s3c3d3h5s5h5d5c8s8d8h9c9s"],
    "dragon": ["2c3d4h5s6c7d8h9sTcJdQhKsAc", "2c3c4c5c6c7c8c9cTcJcQcKcAc"],
    "dragon no": ["2c3d4h5s6c7d8h9sTcJdQhKsKc"],
    "suited-dragon": ["2c3c4c5c6c7c8c9cTcJcQcKcAc"],
    "suited-dragon no": ["2c3c4c5c6c7c8c9cTcJcQcKcAd"],
    "three-straight-flushes": [
        *("Ac2c3c 4c5c6c7c8c 9cTcJcQcKc", "QdKdAd Ac2c3c4c5c 9sTsJsQsKs", "2c3c4c 2d3d4d5d6d 2h3h4h5h6h"),
    ],
    "three-straight-flushes no": [
        *("Ac2c3c 4c5c6c7c8c 9cTcJcQcKd", "2c3s4c 2d3d4d5d6d 2h3h4h5h6h", "2c3c4c 5c6c8c9cTc JdQdKdAd9d"),
    ],
    "all-low": ["2c3d4h5s6c7d8h2s3c4d5h6s8c"],
    "all-low no": ["2c3d4h5s6c7d8h2s3c4d5h6s9c"],
    "all-high": ["8c9dThJsQcKdAh8s9cTdJhQsAc"],
    "all-high no": ["7c9dThJsQcKdAh8s9cTdJhQsAc"],
    "twelve-colour": ["2d3d4h5h6d7d8h9hTdJdQhKhAc", "2c3c4s5s6c7c8s9sTcJcQsKsAd", "2d3d4h5h6d7d8h9hTdJdQhKhAh"],
    "twelve-colour no": ["2d3d4h5h6d7d8h9hTdJdQhKsAc", "2c3c4s5s6c7c8s9sTcJcQsKhAd"],
    "thirteen-colour": ["2d3d4h5h6d7d8h9hTdJdQhKhAh", "2c3c4s5s6c7c8s9sTcJcQsKsAs"],
    "thirteen-colour no": ["2d3d4h5h6d7d8h9hTdJdQhKhAc"],
    "twelve-royals": ["JcJdJhQcQdQhKcKdKhAcAdAh2c", "JcJdJhQcQdQhKcKdKhAcAdAhAs"],
    "twelve-royals no": ["JcJdJhQcQdQhKcKdKhAcAdTh2c"],
    "twelve-royals count": ["JcJdJhQcQdQhKcKdKhAcAdAhAs"],
    "twelve-royals count no": ["JcJdJhQcQdQhKcKdKhAcAdAh2c"],
}  # fmt: skip


@pytest.mark.parametrize("text", HOLD)
def test_what_each_kind_takes(text: str) -> None:
    entry = text.removesuffix(" no")
    rules, _ = ALONE[entry]
    for hand in HOLD[text]:
        cards = parse_cards(hand)
        assert len(cards) == 13 and holds(cards, rules.naturals.kinds[0]) != text.endswith(" no"), hand
        assert (natural_of(cards, rules) is None) == text.endswith(" no")
        check_holds(cards, [entry])


def test_runs_are_those_of_the_table() -> None:
    assert [sorted(run) for run in runs(3)] == [sorted(run) for run in RUNS3]
    assert [sorted(run) for run in runs(5)] == [sorted(run) for run in RUNS5]
    assert all(sum(shape) == 13 and max(shape) <= 3 for shape in run_shapes())


def test_flush_shapes_are_all_the_ways_to_deal_three_rows_to_suits() -> None:
    shapes = set()
    for suits in [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]:
        count = Counter[int]()
        for suit, size in zip(suits, (3, 5, 5), strict=True):
            count[suit] += size
        shapes.add(tuple(sorted(count.values(), reverse=True)))
    assert shapes == FLUSH_SHAPES


# --- Which one is declared ---


def test_the_highest_by_the_lists_order_is_declared() -> None:
    hand = parse_cards("2c3c4c5c6c7c8c9cTcJcQcKcAc")  # holds seven kinds
    kinds = ["three-flushes", "three-straights", "dragon", "suited-dragon", "three-straight-flushes", "twelve-colour"]
    for shift in range(len(kinds)):
        order = kinds[shift:] + kinds[:shift]
        natural = natural_of(hand, records(listed("six-pairs", *order, "four-trips"))[0])
        assert natural is not None and (natural.kind, natural.place) == (order[-1], 6) and natural.units == 7
    assert natural_of(hand, records(listed(*kinds, enabled=False))[0]) is None
    assert natural_of(hand, records(listed("six-pairs", "four-trips"))[0]) is None


def test_declared_naturals_agree_with_the_slow_twin() -> None:
    rng = random.Random(10)
    several = 0
    for _ in range(100):
        kinds = rng.sample(KINDS, rng.randint(2, 8))
        rules, plain = records(listed(*kinds))
        hand = natural_hand(rng, rng.choice([kind for kind in kinds if kind != "suited-dragon"]))
        mine, other = natural_of(hand, rules), naive.declared(named(hand), plain)
        assert (mine is None) == (other is None)
        several += len(naive.naturals_held(named(hand), plain)) > 1
        if mine is not None and other is not None:
            assert (mine.place, mine.kind, mine.units) == (other.place, other.kind, other.units)
    assert several > 15


# --- Ties between two of a kind ---


def check_order(hands: Sequence[Sequence[int]], kind: str, keys: dict[str, Any]) -> int:
    """Compare all pairs of hands by their tie-breaks with the slow twin; return how many are not equal."""
    rules, plain = records(listed(kind, **keys))
    entry = plain["naturals"]["list"][0]
    placed = [(tiebreak(hand, kind, rules), naive.natural_tiebreak(named(hand), entry, plain)) for hand in hands]
    decided = 0
    for (mine, other), (next_mine, next_other) in combinations(placed, 2):
        assert other is not None and next_other is not None
        assert (mine < next_mine, mine == next_mine) == (other < next_other, other == next_other), (kind, keys)
        decided += mine != next_mine
    return decided


@pytest.mark.parametrize("keys", [{}, {"wheel": "second"}, {"suits": "cdhs"}, {"suits": "dchs", "wheel": "second"}])
@pytest.mark.parametrize("kind", KINDS)
def test_ties_are_broken_in_the_slow_twins_order(kind: str, keys: dict[str, Any]) -> None:
    rng = random.Random(f"{kind} {keys}")
    hands: list[Sequence[int]] = []
    while len(hands) < 12:
        hand = natural_hand(rng, kind, tries=10_000)
        turned = rng.choice([[1, 0, 3, 2], [3, 2, 1, 0]] if "colour" in kind else list(permutations(range(4))))
        if kind != "five-pairs-trips" or sorted(Counter(card >> 2 for card in hand).values()) == [2, 2, 2, 2, 2, 3]:
            hands += [hand, [card & ~3 | turned[card & 3] for card in hand]]
    decided = check_order(hands, kind, keys)
    assert (decided == 0) == (kind in EQUAL)


STRAIGHTS = {  # weakest first
    "lowest": [
        *("Ac2d3h Ad2h3s4c5d Ah2s3c4d5h", "2c3d4h Ad2h3s4c5d Ah2s3c4d5h", "Ac2d3h 2h3s4c5d6h 2s3c4d5h6s"),
        *("QcKdAh 9d8h7s6c5d ThJsQhKs9c", "Ac2d3h 4h5s6c7d8h TsJcQdKhAs", "QcKdAh 4h5s6c7d8h TsJcQdKhAs"),
    ],
    "second": [
        *("2c3d4h 2h3s4c5d6h 2s3c4d5h6s", "QcKdAh 9d8h7s6c5d ThJsQhKs9c", "2c3d4h Ad2h3s4c5d Ah2s3c4d5h"),
        *("Ac2d3h Ad2h3s4c5d Ah2s3c4d5h", "QcKdAc Ad2h3s4c5d Ah2s3c4d5h", "3c4d5h Ah2s4h3s5c TsJcQdKhAs"),
    ],
}


@pytest.mark.parametrize("wheel", STRAIGHTS)
def test_three_straights_compare_back_then_middle_then_front(wheel: str) -> None:
    rules, plain = records(listed("three-straights", wheel=wheel))
    hands = [parse_cards(text) for text in STRAIGHTS[wheel]]
    for low, high in pairwise(hands):
        assert tiebreak(low, "three-straights", rules) < tiebreak(high, "three-straights", rules)
    assert check_order(hands, "three-straights", {"wheel": wheel}) == len(hands) * (len(hands) - 1) // 2
    for hand in hands:
        assert (natural_of(hand, rules) is None) == (naive.declared(named(hand), plain) is None) is False


@pytest.mark.parametrize(
    ("kind", "low", "high", "suits", "better"),
    [
        # Equal in ranks: nothing, or the suit where suits count; the suit of the back is asked before the middle's.
        ("three-flushes", "2d5d6d 3h4h7hKhAh 2c7cTcKcAc", "2s5s6s 3d4d7dKdAd 2h7hThKhAh", "", 0),
        ("three-flushes", "2d5d6d 3h4h7hKhAh 2c7cTcKcAc", "2s5s6s 3d4d7dKdAd 2h7hThKhAh", "cdhs", 1),
        ("three-flushes", "2d5d6d 3h4h7hKhAh 2c7cTcKcAc", "2s5s6s 3d4d7dKdAd 2h7hThKhAh", "hsdc", -1),
        # The eight cards of one suit make the best back first, then the best middle.
        ("three-flushes", "2d3d4d5d7d8d9dKd 2c7cTcJcQc", "2h3h4h5h7h8h9hKh 2s7sTsJsAs", "", 1),
        # Six pairs: the highest pair, then the next; then the suit of the highest pair.
        ("six-pairs", "3s3c4s4d5s5h8s8d9s9dJsJdQs", "3d3h4c4h5c5d8c8h9c9hJcJhAd", "", 0),
        ("six-pairs", "3s3c4s4d5s5h8s8d9s9dJsJdQs", "3d3h4c4h5c5d8c8h9c9hJcJhAd", "cdhs", -1),
        ("six-pairs", "3s3c4s4d5s5h8s8d9s9dJsJdQs", "3d3h4c4h5c5d8c8h9c9hJcJhAd", "dshc", 1),
        ("six-pairs", "2s2c4s4d5s5h8s8d9s9dJsJdQs", "3d3h4c4h5c5d8c8h9c9hJcJhAd", "", 1),
        ("six-pairs", "AsAc2s2d3s3h4s4d5s5d6s6dQs", "KdKhQcQhJcJdTcTh9c9h8c8h7d", "", -1),
        ("six-pairs", "AsAcAdAh3s3h4s4d5s5d6s6dQs", "KdKhQcQhJcJdTcTh9c9h8c8h7d", "", -1),
        # Trips before pairs, and never equal; the same of trips and of quads.
        ("five-pairs-trips", "3s3c3dAsAdKsKhQsQdJsJdTsTd", "4s4c4d5s5d6s6h7s7d8s8d9s9d", "", 1),
        ("four-trips", "2s2c2d3s3c3d4s4c4dAsAcAdKd", "8s8c8d9s9c9dTsTcTdKsKcKh2h", "", -1),
        ("four-trips", "2s2c2d3s3c3dQsQcQdAsAcAdKd", "8s8c8d9s9c9dJsJcJdKsKcKh2h", "", -1),
        ("three-quads", "2s2c2d2h3s3c3d3h4s4c4d4hAs", "5s5c5d5h6s6c6d6h7s7c7d7hKs", "", 1),
        # Straight flushes among three straights count as such: they beat any straight.
        ("three-straights", "4c5c6c 2d3d4d5d6d Ah2h3h4h5h", "QcKdAs 9c8h7s6c5s TsJcQdKhAc", "", -1),
    ],
)  # fmt: skip
def test_two_of_a_kind(kind: str, low: str, high: str, suits: str, better: int) -> None:
    """``better`` is 1 where the second is paid, -1 where the first is."""
    rules, plain = records(listed(kind, suits=suits))
    first, second = natural_of(parse_cards(low), rules), natural_of(parse_cards(high), rules)
    assert natural_units(second, first, rules) == better == -natural_units(first, second, rules)
    mine = [naive.declared(named(parse_cards(text)), plain) for text in (high, low)]
    assert mine[0] is not None and mine[1] is not None
    assert naive.compare_naturals(mine[0], mine[1], plain) == better


# --- What is paid ---

WEAK, STRONG = HeldNatural(0, "three-flushes", 6.0, (1,)), HeldNatural(2, "dragon", 4.0, ())
BETTER, LIKE = HeldNatural(0, "three-flushes", 6.0, (2,)), HeldNatural(1, "six-pairs", 6.0, ())


@pytest.mark.parametrize(
    ("paid", "expected"),
    [  # strong v weak, better v weak, weak v weak, like v weak
        ("higher", (4, 6, 0, 6)),
        ("higher-value", (-6, 0, 0, 0)),
        ("difference", (-2, 0, 0, 0)),
        ("none", (0, 0, 0, 0)),
    ],
)
def test_what_two_naturals_pay(paid: str, expected: tuple[float, ...]) -> None:
    rules = msgspec.convert({"naturals": {"paid": paid}}, RuleSet)
    for natural, units in zip((STRONG, BETTER, WEAK, LIKE), expected, strict=True):
        assert natural_units(natural, WEAK, rules) == units == -natural_units(WEAK, natural, rules)
        assert natural_units(natural, None, rules) == natural.units == -natural_units(None, natural, rules)
    assert natural_units(None, None, rules) == 0


def test_payments_agree_with_the_slow_twin() -> None:
    rng = random.Random(12)
    same = paid = 0
    for _ in range(150):
        kinds = rng.sample(KINDS, rng.randint(1, 4))
        raw = listed(*kinds, paid=rng.choice(["higher", "higher-value", "difference", "none"]))
        raw["naturals"]["suits"] = rng.choice(["", "cdhs", "shdc"])
        for entry in raw["naturals"]["list"]:
            entry["units"] = rng.choice([0, 3, 3, 6, 0.5])
        rules, plain = records(raw)
        hand = natural_hand(rng, rng.choice(kinds), tries=20)
        other = natural_hand(rng, rng.choice(kinds), [card for card in DECK if card not in hand])
        mine = [natural_of(cards, rules) for cards in (hand, other)]
        theirs = [naive.declared(named(cards), plain) for cards in (hand, other)]
        assert [natural is None for natural in mine] == [natural is None for natural in theirs]
        if theirs[0] is not None and theirs[1] is not None:
            assert natural_units(mine[0], mine[1], rules) == naive.compare_naturals(theirs[0], theirs[1], plain)
            same += theirs[0].place == theirs[1].place
            paid += natural_units(mine[0], mine[1], rules) != 0
    assert same > 25 and paid > 25


def test_an_entry_of_its_own_has_the_defaults_of_the_file() -> None:
    assert Natural(kind="twelve-royals", units=1).count == 12 and not Natural(kind="six-pairs", units=1).quads
