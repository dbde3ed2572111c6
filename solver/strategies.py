"""Strategies: how an opponent sets thirteen cards, as a table of values over bins of front, middle and back strength.

A strategy sets a hand to the legal arrangement of the highest value in its table (:func:`solver.kernels.arrange`). This
module reads and writes such tables and prepares them for the kernels. A file is an ``.npz`` of plain arrays:

``format``
    1.
``target``
    What it plays: ``rules:`` and a rule set's fingerprint, or ``ranking:`` and the place of the wheel where it fits
    every rule set of that ranking.
``front``, ``middle``, ``back``
    The least strength of each bin, ascending from 0.
``values``
    int16, the legal cells only, in the order back, middle, front.
``units``
    Two floats: a cell is worth ``units[0] + units[1] * value``.
"""

import io
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from solver.errors import StrategyError
from solver.ranks import FIVE_CLASSES, THREE_CLASSES
from solver.rules import RuleSet
from solver.tables import Array, Ranking, ranking, subsets

FORMAT = 1
MOST_CELLS = 20_000_000
MOST_BYTES = 3 * MOST_CELLS
_SIZES = {"front": THREE_CLASSES, "middle": FIVE_CLASSES, "back": FIVE_CLASSES}
_PARTS = ("format", "target", "units", "values", *_SIZES)
_LEAST = np.int16(-32768)


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
    target : str
        The rules it is made for, as in the file.
    edges : mapping of row name to (bins,) int16
        The least strength of each bin.
    values : (backs, middles, fronts) int16
        Worth of a cell; cells that no legal arrangement can reach hold -32768.
    units : (float, float)
        A cell is worth ``units[0] + units[1] * value``.
    """

    name: str
    target: str
    edges: Mapping[str, Array]
    values: Array
    units: tuple[float, float]

    def fits(self, rules: RuleSet) -> bool:
        """Whether the table is made for these rules."""
        return self.target in (f"rules:{rules.fingerprint()}", f"ranking:{rules.ranking.wheel}")

    @cached_property
    def _bound(self) -> Array:
        """The least table that is nowhere below the values and grows along every axis."""
        cover = self.values
        for axis in range(3):
            cover = np.maximum.accumulate(cover, axis=axis)
        return np.ascontiguousarray(cover)

    def kernel_arguments(self, wheel: str) -> tuple[tuple[Array, ...], tuple[Array, ...], tuple[Array, ...]]:
        """Return the arrays that :func:`solver.kernels.deal_opponents` takes for ranking, subsets and strategy."""
        order, splits = ranking(wheel), subsets()
        front, middle, back = (bins_of(self.edges[row], size) for row, size in _SIZES.items())
        front_cap, middle_cap = _caps(self.edges, order)
        return (
            (order.five, order.three, order.flush, order.floor, order.colex, order.category),
            (splits.five_at, splits.five_mask, splits.three_mask, splits.front_of_back, splits.middle_of_back),
            (front, middle, back, front_cap, middle_cap, self.values, self._bound),
        )

    def save(self, path: str | os.PathLike[str], order: Ranking) -> None:
        """Write the table to a file, which is replaced in one step or not at all."""
        packed = io.BytesIO()
        parts: dict[str, Any] = {row: np.asarray(self.edges[row], np.int16) for row in _SIZES}
        parts |= {
            "format": np.int64(FORMAT),
            "target": np.array(self.target),
            "units": np.array(self.units, np.float64),
        }
        np.savez_compressed(packed, **parts, values=self.values[legal_cells(self.edges, order)])
        target = Path(path)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            part.write_bytes(packed.getvalue())
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)


def _last(edges: Array, size: int) -> Array:
    """Return the greatest strength of each bin."""
    return np.append(edges[1:], size).astype(np.int64) - 1


def _caps(edges: Mapping[str, Array], order: Ranking) -> tuple[Array, Array]:
    """Return the highest front bin that a middle bin allows, and the highest middle bin that a back bin allows."""
    middle_last = _last(edges["middle"], FIVE_CLASSES)
    front_cap = np.searchsorted(order.floor[edges["front"]], middle_last, side="right") - 1
    middle_cap = np.searchsorted(edges["middle"], _last(edges["back"], FIVE_CLASSES), side="right") - 1
    return front_cap.astype(np.uint16), middle_cap.astype(np.uint16)


def legal_cells(edges: Mapping[str, Array], order: Ranking) -> Array:
    """Return which (back, middle, front) cells some strengths of a legal arrangement fall into."""
    front_cap, middle_cap = _caps(edges, order)
    fronts, middles = (np.arange(len(edges[row])) for row in ("front", "middle"))
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
        packed = io.BytesIO(Path(path).read_bytes())
    except FileNotFoundError:
        raise StrategyError(f"{shown}: no such file") from None
    except OSError as error:
        raise StrategyError(f"{shown}: cannot be read ({error.strerror})") from None
    try:
        with zipfile.ZipFile(packed) as members:
            size = sum(member.file_size for member in members.infolist())
        if size > MOST_BYTES:
            raise StrategyError(f"{shown}: {size:,} bytes unpacked; a strategy table has at most {MOST_BYTES:,}")
        with np.load(packed, allow_pickle=False) as archive:
            parts: dict[str, Any] = {key: archive[key] for key in _PARTS if key in archive.files}
    except StrategyError:
        raise
    except Exception:  # a damaged archive fails in many ways, all of which say no more than this
        raise StrategyError(f"{shown}: damaged, or not a strategy table (an .npz file written by capsa)") from None
    return _checked(shown, parts)


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
    target = str(part("target", "U", 0))
    units = part("units", "f", 1)
    if len(units) != 2 or not np.isfinite(units).all():
        raise StrategyError(f"{name}: damaged: 'units' must be two finite numbers")
    edges = {row: part(row, "i", 1) for row in _SIZES}
    for row, size in _SIZES.items():
        edge = edges[row]
        if not (len(edge) and edge[0] == 0 and (np.diff(edge.astype(np.int64)) > 0).all() and edge[-1] < size):
            raise StrategyError(f"{name}: damaged: '{row}' must ascend from 0 and stay below {size}")
    shape = tuple(len(edges[row]) for row in ("back", "middle", "front"))
    if np.prod(shape) > MOST_CELLS:
        raise StrategyError(f"{name}: {shape[0]} x {shape[1]} x {shape[2]} bins are more than {MOST_CELLS:,} cells")
    edges = {row: edge.astype(np.int16) for row, edge in edges.items()}
    # Which cells are legal does not depend on where the wheel ranks: straights are never a front's category.
    legal = legal_cells(edges, ranking("lowest"))
    cells = part("values", "i", 1)
    if cells.dtype != np.int16:
        raise StrategyError(f"{name}: damaged: 'values' are {cells.dtype}, expected int16")
    if len(cells) != legal.sum():
        raise StrategyError(f"{name}: damaged: {len(cells):,} values for {int(legal.sum()):,} legal cells")
    values = np.full(shape, _LEAST)
    values[legal] = cells
    return Strategy(name, target, edges, values, (float(units[0]), float(units[1])))


def strategy_names() -> list[str]:
    """Return the names of the strategies that come with capsa."""
    return ["balanced"]


def load_strategy(source: str, rules: RuleSet) -> Strategy:
    """Return a strategy by name, or from a file, for a rule set.

    ``balanced`` sets every hand for the greatest sum of the rows' strength quantiles.

    Raises
    ------
    StrategyError
        If it is unknown or damaged, or made for other rules.
    """
    if source in strategy_names():
        found = resources.files("solver") / "strategies" / f"{source}-{rules.ranking.wheel}.npz"
        with resources.as_file(found) as path:
            return read_strategy(path, source)
    if not (source.endswith(".npz") or os.sep in source):
        names = ", ".join(strategy_names())
        raise StrategyError(f"unknown strategy {source!r} (use {names}, or the path of a table FILE.npz)")
    strategy = read_strategy(source)
    if not strategy.fits(rules):
        raise StrategyError(f"{source}: a table for other rules than '{rules.name}'")
    return strategy
