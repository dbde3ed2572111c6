"""Strategies: how an opponent sets thirteen cards, as a table of values over bins of front, middle and back strength.

A strategy sets a hand to the legal arrangement of the highest value in its table (:func:`solver.kernels.arrange`). This
module reads and writes such tables and prepares them for the kernels. A file is an ``.npz`` of plain arrays:

``format``
    3.
``ranking``
    How hands rank where it fits: the place of the wheel, followed by ``+deuce-to-seven`` for a middle played so.
``rules``
    The key of the game that it is made for (:attr:`solver.tables.Game.key`); empty where it fits every rule set of its
    ranking.
``front``, ``middle``, ``back``
    The least strength of each bin, ascending from 0; a deuce-to-seven middle in its own order.
``values``
    int16, the legal cells only, in the order back, middle, front, each as its difference to the one before, which packs
    into half the space. Or, where a cell's value is the sum of one value for each row, ``front_values``,
    ``middle_values`` and ``back_values``.
``front_fine``, ``middle_fine``, ``back_fine``
    int32, by strength: what to add to a cell's value within its bin, in ``2**-15`` of a value, each as its difference
    to the one before. Optional.
``removal``
    int32, 14 by all bins of front, middle and back, in the same unit: what to add for each card of a rank that the hand
    holds beyond one, and for each unit of its sum of squared suit lengths beyond 50. Optional.
``naturals``
    float64: the share of hands that declare each natural of the rules' list. Optional.
``population``
    uint16, any number by 3: strengths of front, middle and back, in the orders by which they compare, of random hands
    set by it that declare no natural. Optional.
``surrender``
    Two floats: the units below which a hand is surrendered, and the share of hands that are. Optional.
``units``
    Two floats: a cell is worth ``units[0] + units[1] * value``.

Where the banker plays by a table of his own, its parts stand beside the others' with ``banker_`` before their names.
"""

import io
import math
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from solver.errors import StrategyError
from solver.files import write_whole
from solver.presets import preset_names, strategy_names
from solver.ranks import FIVE_CLASSES, THREE_CLASSES
from solver.rules import RuleSet, load_rules
from solver.tables import LOW, Array, Game, lower, ranking, subsets

FORMAT = 3
MOST_CELLS = 20_000_000
MOST_BYTES = 3 * MOST_CELLS
_SIZES = {"front": THREE_CLASSES, "middle": FIVE_CLASSES, "back": FIVE_CLASSES}
_SUMS = tuple(f"{row}_values" for row in _SIZES)
_FINE = tuple(f"{row}_fine" for row in _SIZES)
_SHARED = ("format", "ranking", "rules")
_PARTS = ("units", "values", "removal", "naturals", "population", "surrender", *_SIZES, *_SUMS, *_FINE)
_BANKER = "banker_"
FEATURES = 14
MEAN_SPREAD = 50
"""What a hand's sum of squared suit lengths is counted from; its mean is 49.7."""

FINEST = 1 << 15
"""Steps of a fine term to one of a table's value."""

MOST_FINE = 1 << 30
MOST_UNITS = 1e6
FEWEST_KEPT = 100
_LEAST = np.int16(-32768)


def ranking_name(rules: RuleSet) -> str:
    """Return how hands rank under a rule set, as table files name it."""
    return rules.ranking.wheel + (f"+{LOW}" if rules.ranking.middle == LOW else "")


RANKINGS = ("lowest", "second", f"lowest+{LOW}", f"second+{LOW}")


def bins_of(edges: Array, size: int) -> Array:
    """Return the bin of every strength below ``size``, given the least strength of each bin."""
    return np.asarray(np.searchsorted(edges, np.arange(size), side="right") - 1, np.uint16)


def quantile_edges(mass: Array, bins: int) -> Array:
    """Return the least strengths of at most ``bins`` bins that hold about equal mass each.

    Parameters
    ----------
    mass : (n,) float64
        How often each strength is met.
    """
    share = np.cumsum(mass) / mass.sum()
    cuts = np.searchsorted(share, np.arange(1, bins) / bins, side="left") + 1
    return np.unique(np.concatenate(([0], cuts[cuts < len(mass)]))).astype(np.int16)


@dataclass(frozen=True, eq=False)
class Strategy:
    """A table of values by strength bins.

    Attributes
    ----------
    name : str
        What users call it.
    ranking, rules : str
        What it is made for, as in the file.
    edges : mapping of row name to (bins,) int16
        The least strength of each bin.
    values : (backs, middles, fronts) int16
        Worth of a cell; cells that no legal arrangement can reach hold -32768.
    units : (float, float)
        A cell is worth ``units[0] + units[1] * value``.
    fine : mapping of row name to (strengths,) int32
        Added within a bin, in :data:`FINEST` parts of a value; decides between rows of one bin.
    removal : (14, bins) or (0, bins) int32
        Change of a bin's worth with the hand's own cards, in the same unit: for each card of a rank beyond one, and
        for each unit of suit spread beyond :data:`MEAN_SPREAD`.
    population : (n, 3) uint16
        Orders of the rows of random hands set by it; empty where none are kept.
    naturals : (n,) float64
        The share of hands that declare each natural of the rules' list; empty where it is not kept.
    surrender, surrendered : float
        The units below which it surrenders a hand, and the share of hands that are below.
    banker : Strategy or None
        How the banker plays, where that is another table.
    """

    name: str
    ranking: str
    rules: str
    edges: Mapping[str, Array]
    values: Array
    units: tuple[float, float]
    fine: Mapping[str, Array] = field(default_factory=lambda: plain_fine())
    removal: Array | None = None
    population: Array = field(default_factory=lambda: np.empty((0, 3), np.uint16))
    naturals: Array = field(default_factory=lambda: np.empty(0))
    surrender: float = -math.inf
    surrendered: float = 0.0
    banker: "Strategy | None" = None

    def fits(self, game: Game) -> bool:
        """Whether the table is made for this game."""
        return self.ranking == ranking_name(game.rules) and self.rules in ("", game.key)

    def lacks(self, game: Game) -> str:
        """Return which part is missing or too much in a table made for this game; nothing where it is whole."""
        if self.rules and (self.banker is not None) != (len(game.sides) > 1):
            return "the banker's table"
        tables = [self] if self.banker is None else [self, self.banker]
        if self.rules and any((one.surrender > -math.inf) != game.rules.surrender.allowed for one in tables):
            return "'surrender'"
        return ""

    def of(self, banks: bool) -> "Strategy":
        """Return how the banker plays, or another player."""
        return self.banker if banks and self.banker is not None else self

    @cached_property
    def _bound(self) -> Array:
        """The least table that is nowhere below the values and grows along every axis."""
        cover = self.values
        for axis in range(3):
            cover = np.maximum.accumulate(cover, axis=axis)
        return np.ascontiguousarray(cover)

    @cached_property
    def _cells(self) -> Array:
        """The values, but the bound itself where it is the same in all legal cells: two tables crowd the cache."""
        if not self.values.size:
            return self.values
        legal = legal_cells(self.edges, LOW in self.ranking)
        return self._bound if (self.values[legal] == self._bound[legal]).all() else self.values

    def kernel_arguments(self, game: Game) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """Return the arrays that :func:`solver.kernels.deal_opponents` takes for ranking, subsets and strategy."""
        order, splits, contest = game.order, subsets(), game.contest
        front, middle, back = (bins_of(self.edges[row], size) for row, size in _SIZES.items())
        front_cap, _ = _caps(self.edges, contest.low)
        fine = [np.asarray(self.fine[row], np.int32) for row in _SIZES]
        tops = [np.maximum.reduceat(fine[k], self.edges[row]) for k, row in enumerate(_SIZES)]
        bins = sum(map(len, tops))
        removal = np.empty((0, bins), np.int32) if self.removal is None else self.removal
        least = self.surrender if game.rules.surrender.allowed else -math.inf
        surrender = max(math.ceil(max((least - self.units[0]) / self.units[1], -1e9) * FINEST), -(1 << 62))
        return (
            (order.five, order.three, order.flush, order.floor, order.colex, order.weakest),
            (
                *(splits.five_at, splits.five_mask, splits.top_fronts, splits.front_of_back, splits.middle_of_back),
                *(splits.five, splits.three),
            ),
            (
                *(front, middle[contest.middle], back, front_cap, _slots(self.edges, contest.low)),
                *(contest.middle, contest.low, self._cells, self._bound),
                *(fine[0], fine[1][contest.middle], fine[2], np.concatenate(tops), removal, MEAN_SPREAD),
                *(self.edges["middle"].astype(np.uint16), self._split(game), surrender),
            ),
        )

    def _split(self, game: Game) -> tuple[Array, int, int]:
        """Return what the royalty for a split hand adds to the worth of backs, and the bins of those, from and to."""
        royalty, least = game.split_royalty
        if not self.rules or not len(royalty):  # balanced sums know no units
            return np.empty(0, np.int64), 0, 0
        before = len(self.edges["front"]) + len(self.edges["middle"])
        paid = np.rint(royalty / self.units[1] * FINEST).astype(np.int64)
        return paid, before, before + int(np.searchsorted(self.edges["back"], least))

    def worth(self, cards: tuple[int, ...], orders: Array) -> Array:
        """Return the units that the table expects of arrangements of a hand.

        Parameters
        ----------
        cards : tuple of 13 int
        orders : (n, 3) int
            Orders of front, middle and back: strengths, for a deuce-to-seven middle those of its own order.
        """
        total = np.zeros(len(orders), np.int64)
        bins = [np.searchsorted(self.edges[row], orders[:, k], side="right") - 1 for k, row in enumerate(_SIZES)]
        total += self.values[bins[2], bins[1], bins[0]].astype(np.int64) * FINEST
        features, start = self.features(cards), 0
        for k, row in enumerate(_SIZES):
            total += self.fine[row][orders[:, k]]
            if self.removal is not None:
                total += (features @ self.removal[:, start : start + len(self.edges[row])].astype(np.int64))[bins[k]]
            start += len(self.edges[row])
        return np.asarray(self.units[0] + self.units[1] * total / FINEST)

    @staticmethod
    def features(cards: tuple[int, ...]) -> Array:
        """Return what the correction for a hand's own cards goes by, shape (14,)."""
        ranks = np.bincount([card >> 2 for card in cards], minlength=13) - 1
        suits = np.bincount([card & 3 for card in cards], minlength=4)
        return np.append(ranks, (suits**2).sum() - MEAN_SPREAD)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file, which is replaced in one step or not at all."""
        write_whole(path, packed(self), StrategyError)

    def _stored(self) -> dict[str, Any]:
        """Return the parts of its file."""

        def parts(table: "Strategy") -> dict[str, Any]:
            cells = table.values[legal_cells(table.edges, LOW in table.ranking)]
            found = {"values": np.diff(cells, prepend=np.int16(0))}
            found |= {f"{row}_fine": np.diff(np.asarray(table.fine[row], np.int32), prepend=0) for row in _SIZES}
            found |= {} if table.removal is None else {"removal": table.removal.astype(np.int32)}
            found |= {"population": table.population, "naturals": table.naturals} if len(table.population) else {}
            if table.surrender > -math.inf:
                found["surrender"] = np.array([table.surrender, table.surrendered])
            return found

        beside = {}
        if self.banker is not None:
            own = {**_edges_and_units(self.banker), **parts(self.banker)}
            beside = {f"{_BANKER}{name}": value for name, value in own.items()}
        return parts(self) | beside


def plain_fine() -> dict[str, Array]:
    """Return fine terms that only break ties between equal cells: the stronger rows first, the front above all."""
    return {row: (16 if row == "front" else 1) * np.arange(size, dtype=np.int32) for row, size in _SIZES.items()}


def _edges_and_units(table: Strategy) -> dict[str, Any]:
    edges = {row: np.asarray(table.edges[row], np.int16) for row in _SIZES}
    return {**edges, "units": np.array(table.units, np.float64)}


def write_parts(path: str | os.PathLike[str], table: Strategy, **values: Any) -> None:
    """Write a table's file with the values given, all in one step or not at all."""
    write_whole(path, _zipped(table, values), StrategyError)


def packed(table: Strategy) -> bytes:
    """Return the bytes of a table's file."""
    return _zipped(table, table._stored())


def _zipped(table: Strategy, values: Mapping[str, Any]) -> bytes:
    file = io.BytesIO()
    parts = {"format": np.int64(FORMAT), "ranking": np.array(table.ranking), "rules": np.array(table.rules)}
    parts |= _edges_and_units(table)
    np.savez_compressed(file, **(parts | dict(values)))
    return file.getvalue()


def _last(edges: Array, size: int) -> Array:
    """Return the greatest strength of each bin."""
    return np.append(edges[1:], size).astype(np.int64) - 1


def _caps(edges: Mapping[str, Array], low: bool) -> tuple[Array, Array]:
    """Return the highest front bin that a middle bin allows, and the highest middle bin that a back bin allows."""
    fronts, middles, backs = (len(edges[row]) for row in _SIZES)
    if low:
        return np.full(middles, fronts - 1, np.uint16), np.full(backs, middles - 1, np.uint16)
    front_cap = _front_cap(edges, "middle")
    middle_cap = np.searchsorted(edges["middle"], _last(edges["back"], FIVE_CLASSES), side="right") - 1
    return front_cap, middle_cap.astype(np.uint16)


def _slots(edges: Mapping[str, Array], low: bool) -> tuple[Array, ...]:
    """Divide the strengths of a back where its own bin ends or the highest bin that it leaves to a middle.

    Returns
    -------
    tuple of uint16 arrays
        The least strength of each slot, the slot of each strength, and by slot the bin of the back and the highest
        bins of middle and front that are legal with it.
    """
    edge = edges["back"] if low else np.union1d(edges["back"], edges["middle"])
    back = bins_of(edges["back"], FIVE_CLASSES)[edge]
    if low:
        middle = np.full(len(edge), len(edges["middle"]) - 1, np.uint16)
        front = _front_cap(edges, "back")[back]
    else:
        middle = bins_of(edges["middle"], FIVE_CLASSES)[edge]
        front = _front_cap(edges, "middle")[middle]
    return edge.astype(np.uint16), bins_of(edge, FIVE_CLASSES), back, middle, front


def _front_cap(edges: Mapping[str, Array], row: str) -> Array:
    """Return the highest front bin that each bin of another row allows."""
    # What a front may not beat does not depend on where the wheel ranks: straights are never a front's category.
    floor = ranking("lowest").floor[edges["front"]]
    return (np.searchsorted(floor, _last(edges[row], FIVE_CLASSES), side="right") - 1).astype(np.uint16)


def legal_cells(edges: Mapping[str, Array], low: bool) -> Array:
    """Return which (back, middle, front) cells some strengths of a legal arrangement fall into.

    With ``low``, a deuce-to-seven middle, only the back must reach the front.
    """
    fronts, middles = (np.arange(len(edges[row])) for row in ("front", "middle"))
    if low:
        below = fronts[None, :] <= _front_cap(edges, "back")[:, None]
        return np.repeat(below[:, None, :], len(middles), axis=1)
    front_cap, middle_cap = _caps(edges, low)
    below = middles[None, :, None] <= middle_cap[:, None, None]
    return np.asarray(below & (fronts[None, None, :] <= front_cap[None, :, None]))


def read_strategy(path: str | os.PathLike[str], name: str | None = None) -> Strategy:
    """Read and check a table.

    Raises
    ------
    StrategyError
        If the file cannot be read, is damaged, or is of another format.
    """
    shown = name or os.fspath(path)
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise StrategyError(f"{shown}: cannot be read (not a file)")
        if Path(path).stat().st_size > MOST_BYTES:
            raise StrategyError(f"{shown}: a strategy table has at most {MOST_BYTES:,} bytes")
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise StrategyError(f"{shown}: no such file") from None
    except OSError as error:
        raise StrategyError(f"{shown}: cannot be read ({error.strerror})") from None
    return read_packed(data, shown)


def read_packed(data: bytes, shown: str) -> Strategy:
    """Read and check the bytes of a table's file, which errors call ``shown``.

    Raises
    ------
    StrategyError
        If they are damaged, or of another format.
    """
    file = io.BytesIO(data)
    try:
        with zipfile.ZipFile(file) as members:
            size = sum(member.file_size for member in members.infolist())
        if size > MOST_BYTES:
            raise StrategyError(f"{shown}: {size:,} bytes unpacked; a strategy table has at most {MOST_BYTES:,}")
        with np.load(file, allow_pickle=False) as archive:
            names = [*_SHARED, *_PARTS, *(_BANKER + part for part in _PARTS)]
            parts: dict[str, Any] = {key: archive[key] for key in names if key in archive.files}
    except StrategyError:
        raise
    except Exception:  # a damaged archive fails in many ways, all of which say no more than this
        raise StrategyError(f"{shown}: damaged, or not a strategy table (an .npz file written by capsa)") from None
    found = _checked(shown, parts)
    banked = {key.removeprefix(_BANKER): value for key, value in parts.items() if key.startswith(_BANKER)}
    if banked:
        found = replace(found, banker=_checked(shown, {key: parts[key] for key in _SHARED} | banked))
    return found


def _checked(name: str, parts: dict[str, Any]) -> Strategy:
    """Check the arrays of a file and lay out the table."""

    def part(key: str, kind: str, dims: int) -> Any:
        found = parts.get(key)
        if not isinstance(found, np.ndarray) or found.dtype.kind != kind or found.ndim != dims:
            raise StrategyError(f"{name}: not a strategy table, or a damaged one ('{key}' is missing or malformed)")
        return found

    version = int(part("format", "i", 0))
    if version != FORMAT:
        raise StrategyError(f"{name}: a table of format {version}; this version of capsa reads format {FORMAT}")
    made_for, rules = str(part("ranking", "U", 0)), str(part("rules", "U", 0))
    if made_for not in RANKINGS:
        raise StrategyError(f"{name}: damaged: 'ranking' must be one of {', '.join(RANKINGS)}, got {made_for[:40]!r}")
    units = part("units", "f", 1)
    if len(units) != 2 or not (np.isfinite(units).all() and abs(units).max() <= MOST_UNITS and units[1] > 0):
        raise StrategyError(f"{name}: damaged: 'units' must be two numbers up to {MOST_UNITS:,.0f}, the second above 0")
    edges = {row: part(row, "i", 1) for row in _SIZES}
    for row, size in _SIZES.items():
        edge = edges[row]
        if not (len(edge) and edge[0] == 0 and (np.diff(edge.astype(np.int64)) > 0).all() and edge[-1] < size):
            raise StrategyError(f"{name}: damaged: '{row}' must ascend from 0 and stay below {size}")
    shape = tuple(len(edges[row]) for row in ("back", "middle", "front"))
    if np.prod(shape) > MOST_CELLS:
        raise StrategyError(f"{name}: {shape[0]} x {shape[1]} x {shape[2]} bins are more than {MOST_CELLS:,} cells")
    edges = {row: edge.astype(np.int16) for row, edge in edges.items()}
    legal = legal_cells(edges, LOW in made_for)
    values = np.full(shape, _LEAST)
    if "values" not in parts and all(key in parts for key in _SUMS):
        front, middle, back = (part(key, "i", 1).astype(np.int64) for key in _SUMS)
        if (len(back), len(middle), len(front)) != shape:
            raise StrategyError(f"{name}: damaged: one value is needed for each bin of each row")
        sums = back[:, None, None] + middle[None, :, None] + front[None, None, :]
        if abs(sums).max() >= -int(_LEAST):
            raise StrategyError(f"{name}: damaged: the sums of the rows' values do not fit into int16")
        values[legal] = sums[legal]
    else:
        cells = part("values", "i", 1)
        if cells.dtype != np.int16:
            raise StrategyError(f"{name}: damaged: 'values' are {cells.dtype}, expected int16")
        if len(cells) != legal.sum():
            raise StrategyError(f"{name}: damaged: {len(cells):,} values for {int(legal.sum()):,} legal cells")
        values[legal] = np.cumsum(cells, dtype=np.int16)  # it wraps around as the differences did
    return Strategy(
        name, made_for, rules, edges, values, (float(units[0]), float(units[1])), **_terms(name, parts, part)
    )


def _greatest(values: Array) -> int:
    """Return the greatest absolute value, of the least integer, too."""
    return max(int(values.max()), -int(values.min()))


def _terms(name: str, parts: dict[str, Any], part: Callable[[str, str, int], Any]) -> dict[str, Any]:
    """Check the optional parts of a file."""
    found: dict[str, Any] = {}
    if any(key in parts for key in _FINE):
        fine = {row: part(f"{row}_fine", "i", 1) for row in _SIZES}
        for row, size in _SIZES.items():
            fine[row] = np.cumsum(fine[row], dtype=np.int64)
            if len(fine[row]) != size or _greatest(fine[row]) > MOST_FINE:
                raise StrategyError(f"{name}: damaged: '{row}_fine' must be {size:,} numbers up to {MOST_FINE:,}")
        found["fine"] = {row: terms.astype(np.int32) for row, terms in fine.items()}
    if "removal" in parts:
        bins, removal = sum(len(parts[row]) for row in _SIZES), part("removal", "i", 2)
        if removal.shape != (FEATURES, bins) or _greatest(removal) > MOST_FINE:
            raise StrategyError(f"{name}: damaged: 'removal' must be {FEATURES} x {bins} numbers up to {MOST_FINE:,}")
        found["removal"] = removal.astype(np.int32)
    if "population" in parts:
        population = part("population", "u", 2)
        if population.shape[1] != 3 or len(population) < FEWEST_KEPT or (population.max(0) >= [*_SIZES.values()]).any():
            raise StrategyError(f"{name}: damaged: 'population' must be strengths of front, middle and back")
        found["population"] = population.astype(np.uint16)
        naturals = part("naturals", "f", 1)
        if not (np.isfinite(naturals).all() and (naturals >= 0).all() and naturals.sum() < 1):
            raise StrategyError(f"{name}: damaged: 'naturals' must be shares of all hands")
        found["naturals"] = naturals
    if "surrender" in parts:
        surrender = part("surrender", "f", 1)
        share = surrender[-1:].sum() + found.get("naturals", np.empty(0)).sum()
        if len(surrender) != 2 or not (abs(surrender[0]) <= MOST_UNITS and surrender[1] >= 0 and share < 1):
            raise StrategyError(f"{name}: damaged: 'surrender' must be units, and a share of all hands")
        found |= {"surrender": float(surrender[0]), "surrendered": float(surrender[1])}
    return found


def load_strategy(source: str, rules: RuleSet, players: int = 2) -> Strategy:
    """Return a strategy by name, or from a file, for a rule set at a table of so many players.

    ``equilibrium`` cannot be exploited by much; it comes with capsa for all presets, and :mod:`solver.opponents` trains
    it for other rules. ``balanced`` sets every hand for the greatest sum of the rows' strength quantiles, ``greedy``
    for the strongest back, then the strongest middle. The name of a preset is the equilibrium of that.

    Raises
    ------
    StrategyError
        If it is unknown or damaged, or made for other rules.
    """
    game = lower(rules, players)
    if source == "equilibrium":
        found = shipped_equilibrium(game)
        if found is None:
            raise StrategyError(f"no equilibrium table for the rules '{rules.name}' comes with capsa")
        return found
    if source == "balanced":
        found = _shipped(source, f"{source}-{ranking_name(rules)}")
        assert found is not None
        return found
    if source == "greedy":
        # No table: the kernels set hands greedily where it is empty.
        edges = {row: np.zeros(1, np.int16) for row in _SIZES}
        return Strategy(source, ranking_name(rules), "", edges, np.empty((0, 0, 0), np.int16), (0.0, 1.0))
    if source in preset_names():
        return _borrowed(source, game)
    if not (source.endswith(".npz") or os.sep in source):
        names = ", ".join(strategy_names())
        raise StrategyError(
            f"unknown strategy {source!r} (use {names}, a rule set whose equilibrium to play, or the path of a table "
            "FILE.npz)"
        )
    strategy = read_strategy(source)
    if not strategy.fits(game):
        seats = f" at a table of {players}" if strategy.rules.startswith(rules.fingerprint()) else ""
        raise StrategyError(f"{source}: a table for other rules than '{rules.name}'{seats}")
    if part := strategy.lacks(game):
        raise StrategyError(f"{source}: damaged: {part} is missing, or too much under the rules '{rules.name}'")
    return strategy


def shipped_equilibrium(game: Game) -> Strategy | None:
    """Return the equilibrium table that comes with capsa, or None."""
    return _shipped("equilibrium", f"equilibrium-{game.key}")


def _borrowed(preset: str, game: Game) -> Strategy:
    """Return the equilibrium of another rule set: how it sets hands, without what it expects to win."""
    theirs = load_rules(preset)
    players = min(max(game.players, theirs.players[0]), theirs.players[1])
    if lower(theirs, players).key == game.key and (own := shipped_equilibrium(game)):
        return replace(own, name=preset)
    found = shipped_equilibrium(lower(theirs, players)) or shipped_equilibrium(lower(theirs, theirs.players[0]))
    if found is None or found.ranking != ranking_name(game.rules):
        how = "hands rank otherwise there" if found else "no table of them comes with capsa"
        raise StrategyError(f"opponents cannot play '{preset}' under the rules '{game.rules.name}': {how}")

    def lent(table: Strategy) -> Strategy:
        nothing = np.empty((0, 3), np.uint16), np.empty(0)
        return replace(
            table, name=preset, rules="", population=nothing[0], naturals=nothing[1], surrender=-math.inf,
            surrendered=0.0, banker=table.banker and lent(table.banker),
        )  # fmt: skip

    return lent(found)


def _shipped(name: str, stem: str) -> Strategy | None:
    """Return a table that comes with capsa, or None."""
    found = resources.files("solver") / "strategies" / f"{stem}.npz"
    if not found.is_file():
        return None
    with resources.as_file(found) as path:
        return read_strategy(path, name)
