"""The compiled kernels against slow twins: tests/naive.py, plain loops and the package's own plain Python."""

import random
from itertools import combinations, pairwise

import numpy as np
import pytest

from solver import kernels
from solver.candidates import candidates
from solver.cards import card_name, parse_cards
from solver.ranks import five_order, three_order
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy
from solver.tables import Game, lower, ranking, subsets
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


@pytest.mark.parametrize("preset", ["2-4", "mainland", "capsa-susun", "thai", "deuce-to-seven", "club"])
def test_candidates_agree_with_the_slow_twin(preset: str) -> None:
    rules = load_rules(preset)
    plain = naive.complete(rules_dict(rules))
    texts = [*SPECIAL.values(), *(" ".join(map(card_name, hand)) for hand in hands(2, seed=3))]
    if rules.royalties.split:
        texts.remove(SPECIAL["thirteen of a suit"])  # 35,500 candidates once split, too many for the slow twin
    for text in texts if preset in ("2-4", "club") else texts[1::2]:
        hand = parse_cards(text)
        found = candidates(hand, lower(rules))
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


def arranged(cards: np.ndarray, strategy: Strategy, game: Game) -> tuple[np.ndarray, np.ndarray]:
    fast, plain = np.empty((len(cards), 3), np.int64), np.empty((len(cards), 3), np.int64)
    order, splits, table = strategy.kernel_arguments(game)
    kernels.arrange_hands(cards, order, splits, table, fast)
    kernels.arrange_hands_plain(cards, order, splits, table, subsets().pair_a, subsets().pair_b, plain)
    return fast, plain


@pytest.mark.parametrize("wheel", ["lowest", "second"])
@pytest.mark.parametrize("preset", ["2-4", "deuce-to-seven"])
def test_the_arranger_finds_the_exact_maximum(preset: str, wheel: str) -> None:
    rules = load_rules(preset, [f"ranking.wheel={wheel}"])
    special = [sorted(parse_cards(text)) for text in SPECIAL.values()]
    cards = np.array([*special, *hands(3000, seed=7)], np.int64)
    fast, plain = arranged(cards, load_strategy("balanced", rules), lower(rules))
    assert (fast[:, 0] == plain[:, 0]).all()


@pytest.mark.parametrize("preset", ["2-4", "deuce-to-seven"])
@pytest.mark.parametrize("seed", range(6))
def test_the_arranger_is_exact_on_adversarial_tables(seed: int, preset: str) -> None:
    """Tables that are noise, flat, falling or extreme: bounds may not lean on a table being well behaved."""
    base = load_strategy("balanced", load_rules(preset))
    rng = np.random.default_rng(seed)
    legal = base.values > -32768
    noise = rng.integers(-32767, 32768, base.values.shape)
    kinds = [noise, np.zeros_like(noise), -base.values.astype(np.int64), np.where(noise > 32000, 32767, -32767)]
    kinds += [base.values + rng.integers(-300, 300, base.values.shape), rng.integers(0, 2, base.values.shape)]
    values = np.where(legal, np.clip(kinds[seed], -32767, 32767), -32768).astype(np.int16)
    table = Strategy("adversarial", base.ranking, "", base.edges, values, base.units)
    special = [sorted(parse_cards(text)) for text in SPECIAL.values()]
    cards = np.array([*special, *hands(400, seed=seed)], np.int64)
    fast, plain = arranged(cards, table, lower(load_rules(preset)))
    assert (fast[:, 0] == plain[:, 0]).all()


def fine_noise(base: Strategy, values: np.ndarray, rng: np.random.Generator, steps: int) -> Strategy:
    """Return a table with fine terms and a correction for held cards that outweigh ``steps`` of its values."""
    fine = {row: rng.integers(-steps << 15, steps << 15, len(term), np.int32) for row, term in base.fine.items()}
    bins = sum(map(len, base.edges.values()))
    removal = rng.integers(-(steps << 13), steps << 13, (14, bins), np.int32)
    return Strategy("noise", base.ranking, "", base.edges, values, base.units, fine, removal)


@pytest.mark.parametrize("preset", ["2-4", "1-6"])
def test_the_arranger_is_exact_by_the_tables_of_equilibria(preset: str) -> None:
    rules = load_rules(preset)
    special = [sorted(parse_cards(text)) for text in SPECIAL.values()]
    cards = np.array([*special, *hands(4000, seed=8)], np.int64)
    table = load_strategy("equilibrium", rules)
    assert table.name == "equilibrium"
    fast, plain = arranged(cards, table, lower(rules))
    assert (fast[:, 0] == plain[:, 0]).all()


@pytest.mark.parametrize("preset", ["2-4", "deuce-to-seven"])
@pytest.mark.parametrize("kind", ["rising", "noise", "flat", "few bins"])
def test_the_arranger_is_exact_where_fine_terms_and_corrections_outweigh_the_table(kind: str, preset: str) -> None:
    rules = load_rules(preset)
    base = load_strategy("balanced", rules)
    rng = np.random.default_rng(len(kind))
    if kind == "few bins":
        edges = {row: edge[:: len(edge) // (2 + at)] for at, (row, edge) in enumerate(base.edges.items())}
        values = rng.integers(-50, 50, [len(edges[row]) for row in ("back", "middle", "front")]).astype(np.int16)
        base = Strategy("few", base.ranking, "", edges, values, base.units)
    noise = rng.integers(-100, 100, base.values.shape).astype(np.int16)
    values = {"rising": base.values, "noise": noise, "flat": 0 * noise, "few bins": base.values}[kind]
    special = [sorted(parse_cards(text)) for text in SPECIAL.values()]
    # Hands of few ranks and of few suits hold many backs that are alike but for an exchange of cards.
    few = random.Random(1)
    alike = [sorted(few.sample(range(few.choice([0, 20, 36]), 52), 13)) for _ in range(100)]
    alike += [sorted(few.sample([card for card in range(52) if card & 3 < 2], 13)) for _ in range(100)]
    cards = np.array([*special, *alike, *hands(300, seed=9)], np.int64)
    for steps in (1, 300, 8000):
        fast, plain = arranged(cards, fine_noise(base, values, rng, steps), lower(rules))
        assert (fast[:, 0] == plain[:, 0]).all(), steps


def test_the_fronts_looked_at_hold_the_strongest_that_a_back_leaves() -> None:
    splits = subsets()
    for hand in [*(tuple(sorted(parse_cards(text))) for text in SPECIAL.values()), *hands(200, seed=10)]:
        _, three = ranked(hand, "lowest")
        assert (three[splits.top_fronts].max(1) == three[splits.front_of_back].max(1)).all()
