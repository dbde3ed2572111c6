"""The compiled kernels against slow twins: tests/naive.py, plain loops and the package's own plain Python."""

import random
from itertools import combinations, pairwise

import numpy as np
import pytest

from solver import kernels
from solver.cards import card_name, parse_cards
from solver.expectation import candidates, royalties_of
from solver.ranks import five_order, three_order
from solver.rules import load_rules, preset_names
from solver.scoring import settle
from solver.strategies import Strategy, load_strategy
from solver.tables import pair_tables, ranking, subsets
from tests import naive

SPECIAL = {
    "thirteen of a suit": "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As",
    "pairs of four quads": "2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c",
    "dragon": "2c 3d 4h 5s 6c 7d 8h 9s Tc Jd Qh Ks Ac",
    "wheels everywhere": "Ac 2d 3h 4s 5c Ad 2h 3s 4c 5d Ah 2s 3c",
    "six pairs": "2c 2d 4c 4d 6c 6d 8c 8d Tc Td Qc Qd As",
    "two flushes and trips": "2s 4s 6s 8s Ts 3h 5h 7h 9h Jh Kc Kd Kh",
    "full houses": "2c 2d 2h 3c 3d 3h 4c 4d 4h 5c 5d 5h 6s",
}


def hands(number: int, seed: int) -> list[tuple[int, ...]]:
    rng = random.Random(seed)
    return [tuple(sorted(rng.sample(range(52), 13))) for _ in range(number)]


def ranked(hand: tuple[int, ...], wheel: str) -> tuple[np.ndarray, np.ndarray]:
    order = ranking(wheel)
    five, three = np.empty(1287, np.uint16), np.empty(286, np.uint16)
    kernels.rank_subsets(
        np.array(hand, np.int64), order.five, order.three, order.flush, order.colex, subsets().five_at, five, three
    )
    return five, three


def naive_five(cards: tuple[int, ...], wheel: str) -> tuple[int, tuple[int, ...]]:
    return naive.five_key(tuple(card_name(card) for card in cards), wheel)


@pytest.mark.parametrize("wheel", ["lowest", "second"])
@pytest.mark.parametrize("name", SPECIAL)
def test_every_subset_is_ordered_as_by_the_slow_twin(name: str, wheel: str) -> None:
    hand = tuple(sorted(parse_cards(SPECIAL[name])))
    five, three = ranked(hand, wheel)
    fives = sorted(zip(five.tolist(), (naive_five(c, wheel) for c in combinations(hand, 5)), strict=True))
    for (a, key_a), (b, key_b) in pairwise(fives):
        assert (a == b) == (key_a == key_b) and (a < b) == (key_a < key_b)
    threes = sorted(
        zip(three.tolist(), (naive.three_key(tuple(map(card_name, c))) for c in combinations(hand, 3)), strict=True)
    )
    for (a, key_a), (b, key_b) in pairwise(threes):
        assert (a == b) == (key_a == key_b) and (a < b) == (key_a < key_b)


def test_the_floor_is_the_legality_of_a_front_over_a_middle() -> None:
    floor, fives = ranking("lowest").floor, five_order("lowest")
    rng = random.Random(5)
    for _ in range(3000):
        cards = rng.sample([rank + suit for rank in naive.RANKS for suit in "cdhs"], 8)
        front, middle = tuple(cards[:3]), tuple(cards[3:])
        ids = [parse_cards(" ".join(row)) for row in (front, middle)]
        t = three_order().index(naive_front(ids[0]))
        five = fives.index(plain_five(ids[1]))
        assert (floor[t] <= five) == naive.front_le_middle(front, middle)


def naive_front(cards: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    from solver.ranks import three_key

    return three_key([card >> 2 for card in cards])


def plain_five(cards: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    from solver.ranks import five_key

    return five_key([card >> 2 for card in cards], len({card & 3 for card in cards}) == 1, "lowest")


@pytest.mark.parametrize("preset", ["2-4", "2-4-royalties", "mainland"])
def test_candidates_agree_with_the_slow_twin(preset: str) -> None:
    rules = load_rules(preset)
    plain = naive.complete(rules_dict(rules))
    for text in [*SPECIAL.values(), *(" ".join(map(card_name, hand)) for hand in hands(2, seed=3))]:
        hand = parse_cards(text)
        found = candidates(hand, rules.ranking.wheel, pair_tables(rules))
        names = tuple(map(card_name, hand))
        assert found.legal == len(naive.legal(names, plain)), text
        expected = naive.undominated(names, plain)
        keys = {
            tuple(
                naive.row_key(row, tuple(map(card_name, cards)), plain)
                for row, cards in zip(naive.ROWS, rows, strict=True)
            )
            for rows in (found.rows(at) for at in range(len(found)))
        }
        assert len(keys) == len(found) and keys == expected, text


def rules_dict(rules: object) -> dict:
    import msgspec

    return msgspec.to_builtins(rules)


def arranged(cards: np.ndarray, strategy: Strategy, wheel: str) -> tuple[np.ndarray, np.ndarray]:
    fast, plain = np.empty((len(cards), 3), np.int64), np.empty((len(cards), 3), np.int64)
    order, splits, table = strategy.kernel_arguments(wheel)
    kernels.arrange_hands(cards, order, splits, table, fast)
    kernels.arrange_hands_plain(cards, order, splits, table, subsets().pair_a, subsets().pair_b, plain)
    return fast, plain


@pytest.mark.parametrize("preset", ["2-4", "mainland"])
def test_the_arranger_finds_the_exact_maximum(preset: str) -> None:
    rules = load_rules(preset)
    special = [sorted(parse_cards(text)) for text in SPECIAL.values()]
    cards = np.array([*special, *hands(3000, seed=7)], np.int64)
    fast, plain = arranged(cards, load_strategy("balanced", rules), rules.ranking.wheel)
    assert (fast[:, 0] == plain[:, 0]).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_arranger_is_exact_on_adversarial_tables(seed: int) -> None:
    """Tables that are noise, flat, falling or extreme: bounds may not lean on a table being well behaved."""
    base = load_strategy("balanced", load_rules("2-4"))
    rng = np.random.default_rng(seed)
    legal = base.values > -32768
    noise = rng.integers(-32767, 32768, base.values.shape)
    kinds = [noise, np.zeros_like(noise), -base.values.astype(np.int64), np.where(noise > 32000, 32767, -32767)]
    kinds += [base.values + rng.integers(-300, 300, base.values.shape), rng.integers(0, 2, base.values.shape)]
    values = np.where(legal, np.clip(kinds[seed], -32767, 32767), -32768).astype(np.int16)
    table = Strategy("adversarial", base.target, base.edges, values, base.units)
    special = [sorted(parse_cards(text)) for text in SPECIAL.values()]
    cards = np.array([*special, *hands(400, seed=seed)], np.int64)
    fast, plain = arranged(cards, table, "lowest")
    assert (fast[:, 0] == plain[:, 0]).all()


ROYALTIES = [
    'royalties.front={ trips = 3, "trips:A" = 12, pair = 0.5 }',
    'royalties.middle={ two-pair = 1, full-house = 2, quads = 8, straight-flush = 10, "flush:K" = 7 }',
    'royalties.back={ full-house = 0, quads = 4, "quads:A" = 2, straight-flush = 5, royal-flush = 9, steel-wheel = 6 }',
]
VARIANTS = [
    [f"royalties.style={style}", f"royalties.paid={paid}", f"royalties.per_hand={per_hand}", *ROYALTIES, *scoop]
    for style, paid, per_hand in [
        ("extra", "winner", "all"),
        ("extra", "winner", "one"),
        ("extra", "both", "all"),
        ("extra", "both", "one"),
        ("extra", "cancel", "all"),
        ("extra", "cancel", "one"),
        ("replace", "winner", "all"),
    ]
    for scoop in ([], ["scoop.multiplier=3", "rows.back=4", "rows.front=2"])
]


@pytest.mark.parametrize(
    ("preset", "overrides"), [*((name, []) for name in preset_names()), *(("2-4", changes) for changes in VARIANTS)]
)
def test_pair_units_agree_with_plain_scoring(preset: str, overrides: list[str]) -> None:
    """The kernels' units of random candidates against each other, and what settle says of the same two arrangements."""
    from solver.arrangements import Arrangement

    rules = load_rules(preset, overrides)
    pay = pair_tables(rules)
    rng = random.Random(11)
    for _ in range(150):
        cards = rng.sample(range(52), 26) if rng.random() < 0.4 else lumpy(rng)
        options = [
            candidates(tuple(cards[:13]), rules.ranking.wheel, pay),
            candidates(tuple(cards[13:]), rules.ranking.wheel, pay),
        ]
        picks = [rng.randrange(len(option)) for option in options]
        strengths = [option.strengths[pick] for option, pick in zip(options, picks, strict=True)]
        theirs = strengths[1].reshape(1, 1, 3)
        out = np.empty(1)
        kernels.deal_totals(
            strengths[0], theirs, pay.base(), pay.kernel_arguments(),
            royalties_of(strengths[0].reshape(1, 3), pay)[0], royalties_of(theirs, pay), out,
        )  # fmt: skip
        settled = settle(rules, [Arrangement(*option.rows(pick)) for option, pick in zip(options, picks, strict=True)])
        assert out[0] == pytest.approx(settled.matrix[0][1], abs=1e-9)


def lumpy(rng: random.Random) -> list[int]:
    """Return 26 cards of few ranks, so that strong rows, royalties and ties are common."""
    ranks = rng.sample(range(13), 7)
    return rng.sample([4 * rank + suit for rank in ranks for suit in range(4)], 26)
