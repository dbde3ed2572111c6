"""A slow and obvious reading of the rules of 13-card Chinese poker, to test the solver against.

It shares no code with the solver and is written sentence by sentence from the rules: section 1 (legal arrangements),
section 2 (the keys of a rule set, the ten steps of a round) and the table of naturals at its end. A card is a string
such as "As", a row or a hand a tuple of cards, a rule set the nested dict that tomllib gives, filled in by `complete`.
Nothing is validated but what the ten steps themselves call an error.

Choices where the rules are silent:

- Deuce-to-seven middle with suits: a higher suit makes the row stronger, so the lower suit wins the middle.
- A suited A-5-4-3-2 in that middle is an ace-high flush; an unsuited one is ace-high, so its suit is its ace's.
- An undeclared royalty counts as not held: it cancels nothing, and with style "replace" the row's units are paid.
- Split royalty: "the best of them" is the strongest by poker strength. It belongs to style "extra" only. It is of no
  row, so never cancelled; it is one of the royalties among which `per_hand = "one"` leaves the largest; a fouler pays
  it along with the others when `foul.royalties` is true.
- `per_hand = "one"` also limits the royalties that a fouler pays. Style "replace" knows neither it nor `split`.
- A foul paid by "units" with royalties: the home run multiplies neither.
- `as_scoop`: whoever pays a natural counts as scooped, even when he surrendered or lost with a lower natural himself;
  a natural that is not paid (equal, or `paid = "none"`) prevents the home run.
- Who declares a natural does not surrender.
- "higher-value" pays nothing between equal units, the same kind included; "difference" goes to the higher units.
- Three straights are compared with five-card rows at their ordinary strength, so a straight flush beats a straight.
  The front A23 is the lowest run when the wheel is the lowest straight, just under AKQ when it is the second.
- `naturals.suits`: after all ranks tie, the suits of back, middle and front in turn; between six pairs, the highest
  suit among the cards of the highest pair.
- four-trips and three-quads mean exactly 3-3-3-3-1 and 4-4-4-1: the given counts leave no room for 4-3-3-3.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, permutations
from typing import Any

Row = tuple[str, ...]
Key = tuple[int, tuple[int, ...]]
Rules = dict[str, Any]

ROWS = ("front", "middle", "back")
RANKS = "23456789TJQKA"
ACE = 14
CATEGORIES = ["high-card", "pair", "two-pair", "trips", "straight", "flush", "full-house", "quads", "straight-flush"]
HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)
SHAPES = {(4, 1): QUADS, (3, 2): FULL_HOUSE, (3, 1, 1): TRIPS, (2, 2, 1): TWO_PAIR, (2, 1, 1, 1): PAIR}

# Section 2: "missing keys take the values in this sample, except: overall 0 and 0, the royalty rows and naturals.list
# empty".
DEFAULTS: Rules = {
    "name": "sample",
    "title": "Every key",
    "source": "where the numbers come from",
    "players": [2, 4],
    "ranking": {"wheel": "lowest", "suits": "", "middle": "high"},
    "rows": {"front": 1, "middle": 1, "back": 1},
    "overall": {"two_rows": 0, "three_rows": 0, "basis": "rows"},
    "royalties": {"style": "extra", "paid": "winner", "per_hand": "all", "split": False}
    | {"front": {}, "middle": {}, "back": {}},
    "scoop": {"multiplier": 1, "when": "all-won"},
    "home_run": {"min_opponents": 2, "multiplier": 1, "extra": 0},
    "naturals": {"enabled": True, "paid": "higher", "suits": "", "as_scoop": False, "may_decline": True, "list": []},
    "foul": {"pays": "scoop", "units": 6, "royalties": False},
    "surrender": {"allowed": False, "units": 3},
    "table": {"banker": False, "banker_wins_ties": False},
}


def complete(rules: Rules) -> Rules:
    """Return the rule set with every missing key filled in; no key nests deeper than a royalty row."""
    full = deepcopy(DEFAULTS)
    for name, value in rules.items():
        if isinstance(value, dict):
            full[name].update(deepcopy(value))
        else:
            full[name] = deepcopy(value)
    return full


# --- Ranking (section 1, and ranking.* of section 2) ---


def rank_of(card: str) -> int:
    """Return 2 to 14."""
    return RANKS.index(card[0]) + 2


def ranks_of(cards: Row) -> list[int]:
    """Return the ranks, highest first."""
    return sorted((rank_of(card) for card in cards), reverse=True)


def by_importance(cards: Row) -> list[int]:
    """Return the distinct ranks, those with most cards first, then the highest first."""
    ranks = ranks_of(cards)
    return sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)


def run_ranks(cards: Row, wheel: str) -> tuple[int, ...] | None:
    """Return the ranks of a run of three or five cards so that tuples order runs, or None when it is no run."""
    ranks = ranks_of(cards)
    size = len(ranks)
    if ranks == [ACE, *range(size, 1, -1)]:
        # A2345, and A23 in the front of three straights: the ace is a one, or it ranks just under AKQJT.
        return tuple(range(size, 0, -1)) if wheel == "lowest" else tuple(ranks)
    if all(high - low == 1 for high, low in pairwise(ranks)):
        return tuple(ranks)
    return None


def is_flush(cards: Row) -> bool:
    return len({card[1] for card in cards}) == 1


@lru_cache(maxsize=4096)  # a hand has 1,287 rows of five, met 72,072 times
def five_key(cards: Row, wheel: str = "lowest") -> Key:
    """Return the category and the ranks in order of importance; the greater key is the stronger hand."""
    run = run_ranks(cards, wheel)
    if run is not None:
        return (STRAIGHT_FLUSH if is_flush(cards) else STRAIGHT), run
    order = by_importance(cards)
    shape = tuple(ranks_of(cards).count(rank) for rank in order)
    return (FLUSH if is_flush(cards) else SHAPES.get(shape, HIGH)), tuple(order)


@lru_cache(maxsize=4096)
def three_key(cards: Row) -> Key:
    """Return the key of a front, in the categories of `five_key`: straights and flushes do not count."""
    order = by_importance(cards)
    category = {1: TRIPS, 2: PAIR, 3: HIGH}[len(order)]
    return category, tuple(order)


def low_key(cards: Row) -> Key:
    """Return the key of a deuce-to-seven middle: the greater key is the weaker poker hand, and so the better one."""
    # "Aces are high (A-5-4-3-2 is ace-high, no straight), straights and flushes count against."
    category, ranks = five_key(cards, "second")
    if ranks == (ACE, 5, 4, 3, 2):
        category = FLUSH if is_flush(cards) else HIGH
    return -category, tuple(-rank for rank in ranks)


def highest_suit(cards: Row, rank: int, order: str) -> int:
    """Return the place in `order` of the highest suit among the cards of one rank."""
    return max(order.index(card[1]) for card in cards if rank_of(card) == rank)


def tiebreak_suit(cards: Row, order: str, wheel: str = "lowest") -> int:
    """Return the place in `order` (lowest first) of the suit by which equal hands compare."""
    # The most important rank leads the key: the trips, the quads, the higher pair, the top card; of a wheel the five
    # when it ranks lowest, the ace when second.
    _, ranks = three_key(cards) if len(cards) == 3 else five_key(cards, wheel)
    return highest_suit(cards, ranks[0], order)


def category_name(cards: Row) -> str:
    """Return the category as in royalty keys, or "high-card"; royal flush and steel wheel are "straight-flush"."""
    category, _ = three_key(cards) if len(cards) == 3 else five_key(cards)
    return CATEGORIES[category]


def row_key(row: str, cards: Row, rules: Rules) -> tuple[Any, ...]:
    """Return the strength of a row against the same row of another player: the greater key wins."""
    wheel, suits = rules["ranking"]["wheel"], rules["ranking"]["suits"]
    low = row == "middle" and rules["ranking"]["middle"] == "deuce-to-seven"
    if low:
        key, wheel = low_key(cards), "second"
    else:
        key = three_key(cards) if row == "front" else five_key(cards, wheel)
    if not suits:
        return key
    suit = tiebreak_suit(cards, suits, wheel)
    return (*key, -suit if low else suit)


# --- Arrangements (section 1) ---


def front_le_middle(front: Row, middle: Row) -> bool:
    """Whether a three-card row is at most as strong as a five-card row."""
    # Category, then ranks. Where the three cards tie, the five have more ranks left and the longer tuple is greater.
    return three_key(front) <= five_key(middle)


def is_legal(front: Row, middle: Row, back: Row, rules: Rules) -> bool:
    """Whether back >= middle >= front, equal being legal; suits never decide it."""
    if rules["ranking"]["middle"] == "deuce-to-seven":
        return front_le_middle(front, back)  # "only back >= front is required"
    wheel = rules["ranking"]["wheel"]
    return front_le_middle(front, middle) and five_key(middle, wheel) <= five_key(back, wheel)


def splits(hand: Row) -> Iterator[tuple[Row, Row, Row]]:
    """Yield the 72,072 ways to split 13 cards into front, middle and back."""
    for front in combinations(hand, 3):
        rest = tuple(card for card in hand if card not in front)
        for middle in combinations(rest, 5):
            yield front, middle, tuple(card for card in rest if card not in middle)


def legal(hand: Row, rules: Rules) -> list[tuple[Row, Row, Row]]:
    """Return every legal arrangement of 13 cards."""
    return [rows for rows in splits(hand) if is_legal(*rows, rules)]


def undominated(hand: Row, rules: Rules) -> set[tuple[Any, Any, Any]]:
    """Return the row keys of the legal arrangements that no other one equals or beats in rows and royalties alike."""
    replace = rules["royalties"]["style"] == "replace"
    dealt = dealt_royalty(hand, rules) or 0
    points = set()
    for rows in legal(hand, rules):
        point: list[Any] = [row_key(row, cards, rules) for row, cards in zip(ROWS, rows, strict=True)]
        for row, cards in zip(ROWS, rows, strict=True):
            units = royalty(row, cards, rules)
            point.append(row_units(row, units, rules) if replace else units or 0)
        point.append(0 if sets_quads(rows[1], rows[2]) else dealt)
        points.add(tuple(point))
    kept: list[tuple[Any, ...]] = []
    for found in sorted(points, reverse=True):  # whatever dominates a point sorts before it
        if not any(all(a >= b for a, b in zip(other, found, strict=True)) for other in kept):
            kept.append(found)
    return {(found[0], found[1], found[2]) for found in kept}


# --- Royalties (section 2, "Royalty keys are ...", and step 5) ---


def royalty(row_name: str, cards: Row, rules: Rules) -> float | None:
    """Return the units of the row's royalty, or None when it earns none."""
    if row_name == "middle" and rules["ranking"]["middle"] == "deuce-to-seven":
        return None  # "the middle carries no royalties"
    table: dict[str, float] = rules["royalties"][row_name]
    _, ranks = three_key(cards) if row_name == "front" else five_key(cards, "lowest")
    category = category_name(cards)
    special = ""
    if category == "straight-flush" and ranks[0] == ACE:
        special = "royal-flush"
    if category == "straight-flush" and ranks[0] == 5:
        special = "steel-wheel"
    # "The most special one counts: category:rank, then royal-flush or steel-wheel, then the category."
    for key in (f"{category}:{RANKS[ranks[0] - 2]}", special, category):
        if key in table:
            return table[key]
    return None


def row_units(row: str, units: float | None, rules: Rules) -> float:
    """Return what a won row pays: with style "replace" the winner's royalty, if he has one, instead of its units."""
    own: float = rules["rows"][row]
    return units if units is not None and rules["royalties"]["style"] == "replace" else own


def sets_quads(middle: Row, back: Row) -> bool:
    """Whether a row is set with quads or better."""
    return max(five_key(middle), five_key(back))[0] >= QUADS


def dealt_royalty(hand: Row, rules: Rules) -> float | None:
    """Return the back's royalty, where `split` is on, for the best quads or straight flush dealt, or None."""
    if not rules["royalties"]["split"] or rules["royalties"]["style"] != "extra":
        return None
    wheel = rules["ranking"]["wheel"]
    strongest = max(combinations(hand, 5), key=lambda cards: five_key(cards, wheel))
    return royalty("back", strongest, rules) if five_key(strongest)[0] >= QUADS else None


# --- Naturals (the table at the end of section 2) ---


@dataclass(frozen=True)
class Natural:
    """A natural that a hand holds; the greater tie-break wins between two of the same place in the list."""

    place: int
    kind: str
    units: float
    tiebreak: tuple[Any, ...]


def is_run(cards: Row) -> bool:
    return run_ranks(cards, "lowest") is not None


def best_partition(hand: Row, rules: Rules, *, runs: bool = False, suited: bool = False) -> tuple[Any, ...] | None:
    """Return the tie-break of the best partition by back, then middle, then front, or None without a partition."""

    def is_row(cards: Row) -> bool:
        return (is_flush(cards) or not suited) and (is_run(cards) or not runs)

    wheel, suits = rules["ranking"]["wheel"], rules["naturals"]["suits"]
    found = []
    for front in filter(is_row, combinations(hand, 3)):
        front_ranks = (run_ranks(front, wheel) if runs else None) or tuple(ranks_of(front))
        rest = tuple(card for card in hand if card not in front)
        for middle in filter(is_row, combinations(rest, 5)):
            back = tuple(card for card in rest if card not in middle)
            if not is_row(back):
                continue
            tiebreak: tuple[Any, ...] = (five_key(back, wheel), five_key(middle, wheel), front_ranks)
            if suits:
                front_suit = highest_suit(front, front_ranks[0], suits)
                tiebreak += (tiebreak_suit(back, suits, wheel), tiebreak_suit(middle, suits, wheel), front_suit)
            found.append(tiebreak)
    return max(found, default=None)


def holds_equal_kind(hand: Row, entry: Rules) -> bool:
    """Whether the hand holds a natural of a kind whose tie-break is "equal"."""
    ranks = ranks_of(hand)
    red = sum(card[1] in "dh" for card in hand)
    facts: dict[str, bool] = {
        "dragon": len(set(ranks)) == 13,
        "suited-dragon": len(set(ranks)) == 13 and is_flush(hand),
        "all-low": max(ranks) <= 8,
        "all-high": min(ranks) >= 8,
        "twelve-colour": red >= 12 or red <= 1,
        "thirteen-colour": red in (0, 13),
        "twelve-royals": sum(rank >= 11 for rank in ranks) >= entry.get("count", 12),
    }
    return facts[entry["kind"]]


def group_tiebreak(hand: Row, entry: Rules, rules: Rules) -> tuple[Any, ...] | None:
    """Return the tie-break of a natural made of pairs, trips or quads, or None when the hand does not hold it."""
    kind, suits = entry["kind"], rules["naturals"]["suits"]
    count = {rank: ranks_of(hand).count(rank) for rank in sorted(set(ranks_of(hand)), reverse=True)}
    pairs = [rank for rank in count for _ in range(count[rank] // 2)]  # trips lend one, quads are two
    singles, trips, quads = ([rank for rank in count if count[rank] == size] for size in (1, 3, 4))
    if kind == "six-pairs" and len(pairs) == 6:
        return (*pairs, highest_suit(hand, pairs[0], suits)) if suits else tuple(pairs)
    if kind == "five-pairs-trips" and len(trips) == 1 and not singles and (not quads or entry.get("quads", False)):
        return (trips[0], *(rank for rank in pairs if rank != trips[0]))  # 3-2-2-2-2-2, or 4-3-2-2-2, 4-4-3-2
    if kind == "four-trips" and len(trips) == 4 and singles:
        return tuple(trips)
    if kind == "three-quads" and len(quads) == 3:
        return tuple(quads)
    return None


def natural_tiebreak(hand: Row, entry: Rules, rules: Rules) -> tuple[Any, ...] | None:
    """Return the best tie-break with which the hand holds this entry of naturals.list, or None."""
    kind = entry["kind"]
    if kind == "three-flushes":
        return best_partition(hand, rules, suited=True)
    if kind == "three-straights":
        return best_partition(hand, rules, runs=True)
    if kind == "three-straight-flushes":
        return best_partition(hand, rules, runs=True, suited=True)
    if kind in ("six-pairs", "five-pairs-trips", "four-trips", "three-quads"):
        return group_tiebreak(hand, entry, rules)
    return () if holds_equal_kind(hand, entry) else None


def naturals_held(hand: Row, rules: Rules) -> list[Natural]:
    """Return every listed natural that the hand holds, in the list's order; none when naturals are switched off."""
    held = []
    if rules["naturals"]["enabled"]:
        for place, entry in enumerate(rules["naturals"]["list"]):
            tiebreak = natural_tiebreak(hand, entry, rules)
            if tiebreak is not None:
                held.append(Natural(place, entry["kind"], entry["units"], tiebreak))
    return held


def declared(hand: Row, rules: Rules) -> Natural | None:
    """Return the natural that the hand declares: the highest by the list's order, weakest first."""
    held = naturals_held(hand, rules)
    return held[-1] if held else None


def compare_naturals(a: Natural, b: Natural, rules: Rules) -> float:
    """Return the units that the first of two naturals receives from the second."""
    paid = rules["naturals"]["paid"]
    if paid == "none":
        return 0
    if paid == "difference":
        return a.units - b.units
    if paid == "higher-value":
        won = (a.units > b.units) - (a.units < b.units)
    else:
        first, second = (a.place, a.tiebreak), (b.place, b.tiebreak)
        won = (first > second) - (first < second)
    return (0, a.units, -b.units)[won]


# --- A round (section 2, "How a round is scored, in this order") ---


@dataclass(frozen=True)
class Player:
    """What a player brings to a round; `natural` holds his 13 cards when he declares his highest natural."""

    front: Row = ()
    middle: Row = ()
    back: Row = ()
    surrender: bool = False
    natural: Row | None = None
    undeclared: bool = False


@dataclass(frozen=True)
class PairRows:
    """The rows of a pair, from its first player's side.

    A result is 1 won, 0 tied, -1 lost, a tie already turned for a banker who wins ties. The royalties are the sums paid
    to each before any multiplier, with style "replace" those that stand in for a row's units. Scoop is 1, 0 or -1.
    """

    results: tuple[int, int, int]
    royalties: tuple[float, float]
    scoop: int


@dataclass(frozen=True)
class Result:
    """The units that i receives from j, their sum per player, and the pairs i < j that compared rows."""

    pairs: list[list[float]]
    totals: list[float]
    rows: dict[tuple[int, int], PairRows]


@dataclass(frozen=True)
class Seat:
    """A player after naturals, surrender and fouls: his own row values do not depend on the opponent."""

    player: Player
    natural: Natural | None
    fouled: bool
    royalties: dict[str, float | None]
    split: float | None


@dataclass(frozen=True)
class Pair:
    """A scored pair before the home run: units to the first, who scooped whom (1, 0, -1), fixed foul units or not."""

    units: float
    scoop: int = 0
    fixed: bool = False
    rows: PairRows | None = None


def take_seat(player: Player, rules: Rules) -> Seat:
    """Find the player's natural (step 1), his foul (step 3) and the royalties he can be paid."""
    royalties: dict[str, float | None] = dict.fromkeys(ROWS)
    rows = (player.front, player.middle, player.back)
    hand = player.front + player.middle + player.back
    natural = None
    if player.natural is not None:
        natural = declared(player.natural, rules)
        if natural is None:
            raise ValueError(f"no natural in {' '.join(player.natural)}")  # "a false declaration is an input error"
    elif not rules["naturals"]["may_decline"]:
        natural = declared(hand, rules) if len(hand) == 13 else None
    if player.surrender and not rules["surrender"]["allowed"]:
        raise ValueError("the rules do not allow surrender")
    plays = natural is None and not player.surrender
    fouled = plays and not is_legal(*rows, rules)
    if not plays or fouled or player.undeclared:
        return Seat(player, natural, fouled, royalties, None)
    royalties = {row: royalty(row, cards, rules) for row, cards in zip(ROWS, rows, strict=True)}
    return Seat(
        player, None, False, royalties, None if sets_quads(player.middle, player.back) else dealt_royalty(hand, rules)
    )


def scoop_multiplier(rules: Rules, seats: int) -> float:
    """Return the factor of step 7; "players" is the number of seats."""
    multiplier: float | str = rules["scoop"]["multiplier"]
    return seats if isinstance(multiplier, str) else multiplier


def kept_royalties(units: list[float], split: float | None, rules: Rules) -> float:
    """Return the sum of one player's payable royalties, or the largest with `per_hand = "one"` (step 5)."""
    payable = [*units, split or 0]
    one = rules["royalties"]["per_hand"] == "one" and rules["royalties"]["style"] == "extra"
    return max(payable) if one else sum(payable)


def foul_units(winner: Seat, rules: Rules, seats: int) -> float:
    """Return what a fouler pays this legal opponent (step 3)."""
    royalties: float = 0
    if rules["foul"]["royalties"] and rules["royalties"]["style"] == "extra":
        royalties = kept_royalties([winner.royalties[row] or 0 for row in ROWS], winner.split, rules)
    if rules["foul"]["pays"] == "units":
        return royalties + float(rules["foul"]["units"])
    total: float = rules["overall"]["three_rows"] + sum(row_units(row, winner.royalties[row], rules) for row in ROWS)
    return (total + royalties) * scoop_multiplier(rules, seats)


def paid_royalties(mine: Seat, other: Seat, results: list[int], rules: Rules) -> float:
    """Return the royalties paid to `mine`, whose row results these are (step 5)."""
    paid = rules["royalties"]["paid"]
    units: list[float] = []
    for row, result in zip(ROWS, results, strict=True):
        won = paid == "both" or result == 1
        cancelled = paid == "cancel" and other.royalties[row] is not None
        if won and not cancelled:
            units.append(mine.royalties[row] or 0)
    return kept_royalties(units, mine.split, rules)


def overall_units(results: list[int], total: float, rules: Rules) -> float:
    """Return the overall bonus to the first player; `total` is that of steps 4 and 5 (step 6)."""
    won, lost = results.count(1), results.count(-1)
    two: float = rules["overall"]["two_rows"]
    three: float = rules["overall"]["three_rows"]
    if won == 3 or lost == 3:
        return three if won == 3 else -three
    if rules["overall"]["basis"] == "rows":
        return two * ((won == 2) - (lost == 2))
    if rules["overall"]["basis"] == "net":
        return two * ((won > lost) - (won < lost))
    return two * ((total > 0) - (total < 0))  # "total"


def scooper(results: list[int], rules: Rules) -> int:
    """Return 1 when the first player scooped, -1 when the second did, else 0 (step 7)."""
    won, lost = results.count(1), results.count(-1)
    if rules["scoop"]["when"] == "none-lost":
        return (won > 0 and lost == 0) - (lost > 0 and won == 0)
    return (won == 3) - (lost == 3)


def play_rows(a: Seat, b: Seat, rules: Rules, seats: int, ties_to: int) -> Pair:
    """Score a pair of legal arrangements (steps 4 to 7, 9); a tied row counts as the result `ties_to`."""
    results = []
    for row in ROWS:
        first = row_key(row, getattr(a.player, row), rules)
        second = row_key(row, getattr(b.player, row), rules)
        results.append((first > second) - (first < second) or ties_to)
    return play_results(a, b, results, rules, seats)


def play_results(a: Seat, b: Seat, results: list[int], rules: Rules, seats: int) -> Pair:
    """Score a pair whose rows came out like this (steps 4 to 7)."""
    total: float = 0
    for row, result in zip(ROWS, results, strict=True):
        total += result * row_units(row, (b if result == -1 else a).royalties[row], rules)
    turned = [-result for result in results]
    royalties = (paid_royalties(a, b, results, rules), paid_royalties(b, a, turned, rules))
    if rules["royalties"]["style"] == "extra":  # with "replace" they are in the row's units already
        total += royalties[0] - royalties[1]
    total += overall_units(results, total, rules)
    scoop = scooper(results, rules)
    if scoop != 0:
        total *= scoop_multiplier(rules, seats)
    return Pair(total, scoop, rows=PairRows((results[0], results[1], results[2]), royalties, scoop))


def play_pair(a: Seat, b: Seat, rules: Rules, seats: int, ties_to: int) -> Pair:
    """Score a pair up to its home run."""
    # 1. Naturals: nothing else plays a part in a pair with one.
    if a.natural is not None or b.natural is not None:
        units = (a.natural.units if a.natural else 0) - (b.natural.units if b.natural else 0)
        if a.natural and b.natural:
            units = compare_naturals(a.natural, b.natural, rules)
        return Pair(units, (units > 0) - (units < 0) if rules["naturals"]["as_scoop"] else 0)
    # 2. Surrender: to those who later foul too; two who surrender pay each other nothing.
    if a.player.surrender or b.player.surrender:
        return Pair(rules["surrender"]["units"] * (b.player.surrender - a.player.surrender))
    # 3. Fouls: two foulers pay each other nothing.
    if a.fouled and b.fouled:
        return Pair(0)
    fixed = rules["foul"]["pays"] == "units"
    if b.fouled:
        return Pair(foul_units(a, rules, seats), 1, fixed)
    if a.fouled:
        return Pair(-foul_units(b, rules, seats), -1, fixed)
    return play_rows(a, b, rules, seats, ties_to)


def settle(rules: Rules, players: list[Player], *, banker: int | None = None) -> Result:
    """Score a round of two to four players; `banker` is his index in a banker game."""
    seats = len(players)
    if not 2 <= seats <= 4:
        raise ValueError(f"{seats} players")
    if rules["table"]["banker"] != (banker is not None):
        raise ValueError("a banker game needs a banker, another game has none")
    taken = [take_seat(player, rules) for player in players]
    pairs: list[list[float]] = [[0] * seats for _ in players]
    scored: dict[tuple[int, int], Pair] = {}
    for i, j in permutations(range(seats), 2):  # each pair twice, from either side
        if banker not in (None, i, j):
            continue  # 9. Only pairs with the banker count.
        ties_to = 0
        if rules["table"]["banker_wins_ties"] and banker is not None:
            ties_to = 1 if i == banker else -1
        scored[i, j] = play_pair(taken[i], taken[j], rules, seats, ties_to)
        pairs[i][j] = scored[i, j].units
    # 8. Home run: everybody at the table scooped, in a banker game by the banker only.
    for i in range(seats):
        opponents = [j for j in range(seats) if j != i]
        if len(opponents) < rules["home_run"]["min_opponents"] or banker not in (None, i):
            continue
        if all(scored[i, j].scoop == 1 for j in opponents):
            for j in opponents:
                multiplier = 1 if scored[i, j].fixed else rules["home_run"]["multiplier"]
                pairs[i][j] = pairs[i][j] * multiplier + rules["home_run"]["extra"]
                pairs[j][i] = -pairs[i][j]
    rows = {(i, j): pair.rows for (i, j), pair in scored.items() if i < j and pair.rows is not None}
    return Result(pairs, [sum(row) for row in pairs], rows)
