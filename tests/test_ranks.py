"""The order of hands: counts of classes, the slow twin, and the mistakes that evaluators are known for."""

import random
from collections import Counter
from itertools import combinations_with_replacement, pairwise
from math import comb, prod

import pytest

from solver.cards import RANKS, SUITS, card_name, parse_cards
from solver.ranks import (
    FIVE_CLASSES,
    THREE_CLASSES,
    Category,
    Key,
    describe,
    five_key,
    five_order,
    lead_rank,
    low_key,
    low_order,
    straight_top,
    three_key,
    three_order,
)
from tests import naive

WHEELS = ["lowest", "second"]


def five(text: str, wheel: str = "lowest") -> Key:
    cards = parse_cards(text)
    return five_key([card >> 2 for card in cards], len({card & 3 for card in cards}) == 1, wheel)


def three(text: str) -> Key:
    return three_key([card >> 2 for card in parse_cards(text)])


@pytest.mark.parametrize("wheel", WHEELS)
def test_there_are_7462_classes_of_five(wheel: str) -> None:
    # The usual poker ranking: 1277 + 2860 + 858 + 858 + 10 + 1277 + 156 + 156 + 10.
    counts = Counter(key[0] for key in five_order(wheel))
    assert [counts[category] for category in Category] == [1277, 2860, 858, 858, 10, 1277, 156, 156, 10]
    assert len(set(five_order(wheel))) == FIVE_CLASSES and list(five_order(wheel)) == sorted(five_order(wheel))


@pytest.mark.parametrize("wheel", WHEELS)
def test_the_orders_hold_the_key_of_every_hand_and_no_other(wheel: str) -> None:
    fives = [ranks for ranks in combinations_with_replacement(range(13), 5) if ranks[0] != ranks[4]]
    keys = {five_key(ranks, False, wheel) for ranks in fives}
    keys |= {five_key(ranks, True, wheel) for ranks in fives if len(set(ranks)) == 5}
    assert five_order(wheel) == tuple(sorted(keys))
    assert three_order() == tuple(sorted({three_key(ranks) for ranks in combinations_with_replacement(range(13), 3)}))


def test_there_are_455_classes_of_three() -> None:
    counts = Counter(key[0] for key in three_order())
    assert counts == {Category.HIGH_CARD: comb(13, 3), Category.PAIR: 13 * 12, Category.TRIPS: 13}
    assert len(set(three_order())) == THREE_CLASSES and list(three_order()) == sorted(three_order())


@pytest.mark.parametrize("wheel", WHEELS)
def test_all_2598960_hands_fall_into_categories_as_they_should(wheel: str) -> None:
    # Frequencies of the nine categories among C(52, 5) hands, royal flushes among the straight flushes.
    counts: Counter[int] = Counter()
    for ranks in combinations_with_replacement(range(13), 5):
        groups = Counter(ranks).values()
        suited = 4 if len(groups) == 5 else 0
        if max(groups) < 5:
            counts[five_key(ranks, False, wheel)[0]] += prod(comb(4, size) for size in groups) - suited
        if suited:
            counts[five_key(ranks, True, wheel)[0]] += suited
    expected = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert [counts[category] for category in Category] == expected and sum(expected) == comb(52, 5)


def sample(rng: random.Random, size: int) -> tuple[int, ...]:
    """Return cards of few ranks or few suits about as often as of all, so that every category comes up."""
    ranks = rng.sample(range(13), rng.choice([4, 6, 13]))
    suits = rng.sample(range(4), rng.choice([1, 4, 4]))
    cards = [4 * rank + suit for rank in ranks for suit in suits]
    return tuple(rng.sample(cards, size)) if len(cards) >= size else sample(rng, size)


@pytest.mark.parametrize("wheel", WHEELS)
def test_fives_are_ordered_as_by_the_slow_twin(wheel: str) -> None:
    rng = random.Random(1)
    hands = [sample(rng, 5) for _ in range(4000)]
    hands += [tuple(4 * (low + step) + rng.randrange(4) for step in range(5)) for low in range(9) for _ in range(5)]
    hands += [tuple(4 * rank + rng.randrange(4) for rank in (12, 0, 1, 2, 3)) for _ in range(10)]
    names = [" ".join(map(card_name, hand)) for hand in hands]
    keyed = sorted((five(text, wheel), naive.five_key(tuple(text.split()), wheel)) for text in names)
    assert {key[0] for key, _ in keyed} == set(Category)
    for (mine, other), (next_mine, next_other) in pairwise(keyed):
        assert (mine < next_mine, mine == next_mine) == (other < next_other, other == next_other)


def test_threes_are_ordered_as_by_the_slow_twin() -> None:
    rng = random.Random(2)
    names = [" ".join(map(card_name, sample(rng, 3))) for _ in range(3000)]
    keyed = sorted((three(text), naive.three_key(tuple(text.split()))) for text in names)
    for (mine, other), (next_mine, next_other) in pairwise(keyed):
        assert (mine < next_mine, mine == next_mine) == (other < next_other, other == next_other)


LADDER = [  # weakest first; neighbours differ in one thing that evaluators have got wrong
    "7c 5d 4h 3s 2c",
    "Ac 9d 5h 4s 3c",  # no wheel without the deuce
    "Kc Ad 2h 3s 4c",  # runs do not go round the corner
    "Qc Kd Ah 2s 3c",
    "Qc Kd Ah Ts 9c",
    "Ac Kd Qh Js 8c",
    "Ac Kd Qh Js 9c",  # the fifth card counts
    "2c 2d 5h 4s 3c",
    "2c 2d Ah Ks Qc",
    "3c 3d 5h 4s 2c",  # the pair before its kickers
    "Ac Ad Kh Qs Tc",
    "Ac Ad Kh Qs Jc",  # the third kicker counts
    "3c 3d 2h 2s 4c",
    "3c 3d 2h 2s Ac",
    "4c 4d 2h 2s 3c",  # the higher pair first
    "4c 4d 3h 3s 2c",  # then the lower one
    "Ac Ad Kh Ks Qc",
    "2c 2d 2h 4s 3c",
    "2c 2d 2h As Kc",
    "3c 3d 3h 4s 2c",
    "Ac Ad Ah Ks Qc",
    "Ac 2d 3h 4s 5c",  # where the wheel is the lowest straight
    "2c 3d 4h 5s 6c",
    "9c Td Jh Qs Kc",
    "Tc Jd Qh Ks Ac",
    "7c 5c 4c 3c 2c",
    "Kc Qc Jc 9c 2c",
    "Ac 6c 4c 3c 2c",
    "Ac Kc Qc Jc 8c",
    "Ac Kc Qc Jc 9c",  # all five cards of a flush count
    "2c 2d 2h 3s 3c",
    "2c 2d 2h As Ac",
    "3c 3d 3h 2s 2c",  # the trips before the pair
    "Ac Ad Ah Ks Kc",
    "2c 2d 2h 2s 3c",
    "2c 2d 2h 2s Ac",  # the card beside quads counts
    "3c 3d 3h 3s 2c",
    "Ac Ad Ah As Kc",
    "Ac 2c 3c 4c 5c",
    "2c 3c 4c 5c 6c",
    "9c Tc Jc Qc Kc",
    "Tc Jc Qc Kc Ac",
]


def test_the_ladder_of_known_mistakes() -> None:
    keys = [five(text) for text in LADDER]
    for (low, high), (below, above) in zip(pairwise(keys), pairwise(LADDER), strict=True):
        assert low < high, f"{below} is not under {above}"


@pytest.mark.parametrize("suits", ["c d h s c", "c c c c c"])
def test_a_wheel_is_the_lowest_straight_or_just_under_the_ace_high(suits: str) -> None:
    def run(ranks: str, wheel: str) -> Key:
        return five(" ".join(rank + suit for rank, suit in zip(ranks, suits.split(), strict=True)), wheel)

    assert run("A2345", "lowest") < run("23456", "lowest") < run("9TJQK", "lowest") < run("TJQKA", "lowest")
    assert run("23456", "second") < run("9TJQK", "second") < run("A2345", "second") < run("TJQKA", "second")


def test_the_order_of_cards_and_the_suits_do_not_matter() -> None:
    rng = random.Random(3)
    for text in LADDER:
        cards = text.split()
        turned = str.maketrans(SUITS, "".join(rng.sample(SUITS, 4)))
        shuffled = " ".join(card[0] + card[1].translate(turned) for card in rng.sample(cards, 5))
        assert five(shuffled) == five(text)


def test_a_front_knows_no_straights_and_no_flushes() -> None:
    assert three("Ac 2c 3c") == three("Ad 2h 3s") and three("Ac 2c 3c")[0] == Category.HIGH_CARD
    ladder = ["4c 3d 2h", "Qc Kc Jc", "Kc Qd Js", "Ac 3d 2h", "Ac Kd Qh", "2c 2d 3h", "2c 2d Ah", "3c 3d 2h"]
    ladder += ["Ac Ad Kh", "2c 2d 2h", "Ac Ad Ah"]
    keys = [three(text) for text in ladder]
    assert keys == sorted(keys) and keys[1] == keys[2] and len(set(keys)) == len(keys) - 1


@pytest.mark.parametrize("wheel", WHEELS)
def test_the_top_of_a_straight(wheel: str) -> None:
    tops = {"A2345": "5", "23456": "6", "9TJQK": "K", "TJQKA": "A"}
    for ranks, top in tops.items():
        for suited in (False, True):
            key = five_key([RANKS.index(rank) for rank in ranks], suited, wheel)
            assert RANKS[straight_top(key)] == top


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Kc Qd 7h 5s 2c", "king high, queen, seven, five, two"),
        ("6c 6d Ah Ks 2c", "pair of sixes, ace, king, two"),
        ("Kc Kd 6h 6s 2c", "kings and sixes, two"),
        ("4c 4d 4h As 2c", "three fours, ace, two"),
        ("Ac 2d 3h 4s 5c", "five-high straight"),
        ("Tc Jd Qh Ks Ac", "ace-high straight"),
        ("Ac Jc 9c 3c 2c", "ace-high flush, jack, nine, three, two"),
        ("9c 9d 9h 6s 6c", "nines full of sixes"),
        ("6c 6d 6h 6s 2c", "four sixes, two"),
        ("Ac 2c 3c 4c 5c", "five-high straight flush"),
        ("9c Tc Jc Qc Kc", "king-high straight flush"),
        ("Tc Jc Qc Kc Ac", "royal flush"),
    ],
)
def test_hands_in_words(text: str, words: str) -> None:
    assert [describe(five(text, wheel), wheel) for wheel in WHEELS] == [words, words]


@pytest.mark.parametrize(
    ("text", "words"),
    [("Kc 7d 2h", "king high, seven, two"), ("Qc Qd Kh", "pair of queens, king"), ("6c 6d 6h", "three sixes")],
)
def test_fronts_in_words(text: str, words: str) -> None:
    assert describe(three(text)) == words


# --- The deuce-to-seven middle and the rank by which suits compare ---


def classes() -> list[tuple[list[int], bool]]:
    """Return the ranks of all 7,462 classes of five cards, suited where they can be and are."""
    found = [(list(ranks), False) for ranks in combinations_with_replacement(range(13), 5) if ranks[0] != ranks[4]]
    return found + [(ranks, True) for ranks, _ in found if len(set(ranks)) == 5]


def as_cards(ranks: list[int], flush: bool) -> naive.Row:
    """Return cards of these ranks, of one suit or of several."""
    return tuple(RANKS[rank] + ("c" if flush else SUITS[at % 4]) for at, rank in enumerate(ranks))


def test_the_deuce_to_seven_order_of_all_classes_is_the_slow_twins() -> None:
    keyed = sorted((low_key(ranks, flush), naive.low_key(as_cards(ranks, flush))) for ranks, flush in classes())
    assert len({mine for mine, _ in keyed}) == len({other for _, other in keyed}) == FIVE_CLASSES
    assert all(other < next_other for (_, other), (_, next_other) in pairwise(keyed))


@pytest.mark.parametrize("wheel", WHEELS)
def test_deuce_to_seven_strengths_belong_to_the_usual_ones(wheel: str) -> None:
    place = {key: at for at, key in enumerate(sorted(low_key(ranks, flush) for ranks, flush in classes()))}
    usual = {key: at for at, key in enumerate(five_order(wheel))}
    order = low_order(wheel)
    assert sorted(order) == list(range(FIVE_CLASSES))
    for ranks, flush in classes():
        assert order[usual[five_key(ranks, flush, wheel)]] == place[low_key(ranks, flush)]


LOW_LADDER = [  # best first
    *("7c 5d 4h 3s 2c", "7c 6d 4h 3s 2c", "7c 6d 5h 3s 2c", "7c 6d 5h 4s 2c", "8c 5d 4h 3s 2c", "Kc Qd Jh Ts 8c"),
    *("Ac 5d 4h 3s 2c", "Ac 6d 4h 3s 2c", "Ac Kd Qh Js 9c", "2c 2d 5h 4s 3c", "2c 2d 6h 4s 3c", "Ac Ad Kh Qs Jc"),
    *("3c 3d 2h 2s 4c", "2c 2d 2h 4s 3c", "6c 5d 4h 3s 2c", "7c 6d 5h 4s 3c", "Ac Kd Qh Js Tc", "7c 5c 4c 3c 2c"),
    *("Ac 5c 4c 3c 2c", "Ac Kc Qc Jc 9c", "2c 2d 2h 3s 3c", "2c 2d 2h 2s 3c", "6c 5c 4c 3c 2c", "Ac Kc Qc Jc Tc"),
]


def test_the_ladder_of_deuce_to_seven() -> None:
    keys = [
        low_key([card >> 2 for card in cards], len({card & 3 for card in cards}) == 1)
        for cards in map(parse_cards, LOW_LADDER)
    ]
    for (high, low), texts in zip(pairwise(keys), pairwise(LOW_LADDER), strict=True):
        assert high > low, texts
    assert keys[0] == max(low_key(ranks, flush) for ranks, flush in classes())
    assert keys[-1] == min(low_key(ranks, flush) for ranks, flush in classes())


@pytest.mark.parametrize("wheel", WHEELS)
def test_the_most_important_rank_is_the_slow_twins(wheel: str) -> None:
    for ranks, flush in classes():
        _, order = naive.five_key(as_cards(ranks, flush), wheel)
        assert lead_rank(five_key(ranks, flush, wheel), wheel) == order[0] - 2
    for key in three_order():
        assert lead_rank(key, wheel) == key[1][0]


@pytest.mark.parametrize(
    ("ranks", "lowest", "second"),
    [
        *(("A2345", "5", "A"), ("TJQKA", "A", "A"), ("23456", "6", "6"), ("2222A", "2", "2"), ("222AA", "2", "2")),
        *(("22AA3", "A", "A"), ("22345", "2", "2"), ("A2346", "A", "A")),
    ],
)
def test_the_most_important_rank(ranks: str, lowest: str, second: str) -> None:
    for wheel, lead in (("lowest", lowest), ("second", second)):
        for flush in (False, True) if len(set(ranks)) == 5 else (False,):
            assert RANKS[lead_rank(five_key([RANKS.index(rank) for rank in ranks], flush, wheel), wheel)] == lead
