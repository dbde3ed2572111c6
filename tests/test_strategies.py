"""Strategy tables: files that round-trip, and files that are refused."""

import io
import math
import os
import pickle
import zipfile
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import StrategyError
from solver.rules import load_rules
from solver.strategies import Strategy, legal_cells, load_strategy, quantile_edges, read_strategy
from solver.tables import Game, lower

SIZES = {"front": 455, "middle": 7462, "back": 7462}


@pytest.fixture
def balanced() -> Strategy:
    return load_strategy("balanced", load_rules("2-4"))


def test_a_saved_table_reads_back_the_same(balanced: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    balanced.save(path)
    again = read_strategy(path)
    assert (
        (again.values == balanced.values).all()
        and again.units == balanced.units
        and (again.ranking, again.rules) == ("lowest", "")
    )
    assert all((again.edges[row] == balanced.edges[row]).all() for row in ("front", "middle", "back"))
    assert [file.name for file in tmp_path.iterdir()] == ["table.npz"]


def whole(table: Strategy) -> Strategy:
    """Return a table with every optional part."""
    rng = np.random.default_rng(5)
    edges = {row: np.unique([0, *rng.choice(size, 9)]).astype(np.int16) for row, size in SIZES.items()}
    shape = tuple(len(edges[row]) for row in ("back", "middle", "front"))
    legal = legal_cells(edges, False)
    return Strategy(
        *(table.name, table.ranking, "some rules", edges),
        values=np.where(legal, rng.integers(-32767, 32768, shape), -32768).astype(np.int16),
        units=(0.25, 1e-3),
        fine={row: rng.integers(-(1 << 30), 1 << 30, size).astype(np.int32) for row, size in SIZES.items()},
        removal=rng.integers(-(1 << 30), 1 << 30, (14, sum(map(len, edges.values())))).astype(np.int32),
        population=rng.integers(400, size=(300, 3)).astype(np.uint16),
        naturals=np.array([0.01, 0.02]),
        surrender=-2.75,
        surrendered=0.125,
    )


def test_every_part_of_a_table_and_of_its_banker_reads_back_the_same(balanced: Strategy, tmp_path: Path) -> None:
    """Values and fine terms are stored as differences, which wrap around."""
    table = whole(balanced)
    banker = replace(whole(balanced), values=table.values[:4, :5, :3], surrender=-1.5, surrendered=0.5, removal=None)
    banker = replace(
        banker, edges={row: table.edges[row][:n] for row, n in {"front": 3, "middle": 5, "back": 4}.items()}
    )
    banker = replace(banker, values=np.where(legal_cells(banker.edges, False), 7, -32768).astype(np.int16))
    for found in (replace(table, banker=banker), table, replace(table, surrender=-math.inf, surrendered=0.0)):
        found.save(tmp_path / "table.npz")
        again = read_strategy(tmp_path / "table.npz", balanced.name)
        assert (again.banker is None) == (found.banker is None)
        pairs = [(found, again)]
        if found.banker is not None and again.banker is not None:
            pairs.append((found.banker, again.banker))
            assert again.of(True) is again.banker and again.of(False) is again
        else:
            assert again.of(True) is again.of(False) is again
        for one, two in pairs:
            assert (one.values == two.values).all() and (one.population == two.population).all()
            assert (one.naturals == two.naturals).all() and (one.removal is None) == (two.removal is None)
            assert one.removal is None or two.removal is None or (one.removal == two.removal).all()
            for row in SIZES:
                assert (one.edges[row] == two.edges[row]).all() and (one.fine[row] == two.fine[row]).all()
            for name in ("name", "ranking", "rules", "units", "surrender", "surrendered"):
                assert getattr(one, name) == getattr(two, name)


@pytest.mark.parametrize("banker", ["", "banker_"])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("surrender", np.array([1.0]), "'surrender' must be units, and a share"),
        ("surrender", np.array([np.nan, 0.5]), "'surrender' must be units, and a share"),
        ("surrender", np.array([-1.0, 1.0]), "'surrender' must be units, and a share"),
        ("surrender", np.array([-1.0, -0.1]), "'surrender' must be units, and a share"),
        ("surrender", np.array([-1e300, 0.1]), "'surrender' must be units, and a share"),
        ("removal", np.full((14, 1), -(1 << 63)), "'removal' must be 14 x"),
        ("front_fine", np.array([-(1 << 63)] + [0] * 454), "'front_fine' must be 455 numbers"),
        ("surrender", np.array([1, 2]), "surrender' is missing or malformed"),
        ("values", np.zeros(5, np.int16), "5 values for"),
        ("values", np.zeros((1, 1)), "values' is missing or malformed"),
        ("units", np.array([0.0, -1.0]), "'units' must be two numbers"),
        ("front", np.array([0, 3, 3], np.int16), "'front' must ascend"),
        ("front_fine", np.zeros(3, np.int32), "'front_fine' must be 455 numbers"),
        ("back_fine", np.full(7462, 1 << 29, np.int32), "'back_fine' must be 7,462 numbers up to"),
        ("removal", np.zeros((13, 20), np.int32), "'removal' must be 14 x"),
        ("naturals", np.array([0.9, 0.2]), "'naturals' must be shares"),
        ("population", np.full((300, 3), 500, np.uint16), "'population' must be strengths"),
    ],
)
def test_a_damaged_part_of_either_table_is_named(
    banker: str, name: str, value: np.ndarray, message: str, balanced: Strategy, tmp_path: Path
) -> None:
    path = tmp_path / "table.npz"
    replace(whole(balanced), banker=whole(balanced)).save(path)
    assert read_strategy(path).banker is not None
    with np.load(path) as archive:
        parts = {key: archive[key] for key in archive.files}
    assert f"{banker}{name}" in parts
    np.savez(path, **(parts | {f"{banker}{name}": value}))
    with pytest.raises(StrategyError, match=message):
        read_strategy(path)


@pytest.mark.parametrize(
    ("preset", "changes", "lacking"),
    [
        ("malayan", {"banker": None}, "the banker's table"),
        ("1-6-royalties", {"surrender": -math.inf}, "'surrender'"),
        ("2-4", {"surrender": -1.0}, "'surrender'"),
    ],
)
def test_a_table_has_the_parts_that_its_rules_ask_for(
    preset: str, changes: dict[str, Any], lacking: str, tmp_path: Path
) -> None:
    rules, path = load_rules(preset), tmp_path / "table.npz"
    whole = load_strategy("equilibrium", rules)
    whole.save(path)
    assert load_strategy(str(path), rules).units == whole.units
    replace(whole, **changes).save(path)
    with pytest.raises(StrategyError, match=f"damaged: {lacking} is missing, or too much"):
        load_strategy(str(path), rules)


@pytest.mark.parametrize("missing", ["units", "values", "front", "middle", "back", "front_fine", "naturals"])
def test_a_banker_has_a_whole_table(missing: str, balanced: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    replace(whole(balanced), banker=whole(balanced)).save(path)
    with np.load(path) as archive:
        parts = {key: archive[key] for key in archive.files if key != f"banker_{missing}"}
    np.savez(path, **parts)
    with pytest.raises(StrategyError, match=f"{missing}' is missing or malformed"):
        read_strategy(path)


def test_what_is_lent_plays_without_expecting_anything(balanced: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    """The equilibrium of other rules knows neither what these pay nor when to surrender."""
    asked: list[str] = []

    def shipped(game: Game) -> Strategy | None:
        asked.append(f"{game.rules.name} {game.players}")
        return None if game.players == 3 else replace(whole(balanced), banker=whole(balanced))

    monkeypatch.setattr("solver.strategies.shipped_equilibrium", shipped)
    found = load_strategy("1-6-royalties", load_rules("1-4"), 3)
    assert asked == ["1-6-royalties 3", "1-6-royalties 2"]
    for table in (found, found.banker):
        assert table is not None and table.surrender == -math.inf and table.surrendered == 0
        assert not len(table.population) and not len(table.naturals) and table.fits(lower(load_rules("1-4"), 3))
        assert (table.values == whole(balanced).values).all() and table.name == "1-6-royalties"
    monkeypatch.setattr("solver.strategies.shipped_equilibrium", lambda game: None)
    with pytest.raises(StrategyError, match="cannot play '1-6' under the rules '1-4': no table of them comes with"):
        load_strategy("1-6", load_rules("1-4"))


def test_a_threshold_is_exact_to_the_key(balanced: Strategy) -> None:
    """Who is worth exactly the threshold plays; the least bit below surrenders."""
    game, table = lower(load_rules("1-4")), whole(balanced)
    table = replace(table, removal=None, fine={row: np.zeros(size, np.int32) for row, size in SIZES.items()})
    for value in (-3000, 0, 17):
        for below, key in ((0.0, value << 15), (1e-9, value << 15), (-1e-9, (value << 15) + 1)):
            units = 0.25 + 1e-3 * value - below
            threshold = replace(table, surrender=units).kernel_arguments(game)[2][-1]
            assert abs(threshold - key) <= 1
    assert replace(table, surrender=-math.inf).kernel_arguments(game)[2][-1] < -(1 << 44)


@pytest.mark.parametrize("wheel", ["lowest", "second"])
@pytest.mark.parametrize("middle", ["high", "deuce-to-seven"])
def test_balanced_ships_for_every_ranking_and_grows_with_strength(wheel: str, middle: str) -> None:
    table = load_strategy("balanced", load_rules("2-4", [f"ranking.wheel={wheel}", f"ranking.middle={middle}"]))
    assert (table._bound >= table.values).all()
    assert (table._bound[table.values > -32768] == table.values[table.values > -32768]).all()


def test_a_table_for_other_rules_is_refused(balanced: Strategy, tmp_path: Path) -> None:
    path = str(tmp_path / "table.npz")
    balanced.save(path)
    with pytest.raises(StrategyError, match="a table for other rules than 'mainland'"):
        load_strategy(path, load_rules("mainland"))
    own = Strategy("own", "lowest", load_rules("1-6").fingerprint(), balanced.edges, balanced.values, balanced.units)
    own.save(path)
    assert load_strategy(path, load_rules("1-6")).rules == own.rules
    with pytest.raises(StrategyError, match="other rules"):
        load_strategy(path, load_rules("2-4"))


def test_every_cut_or_changed_file_is_refused_or_unharmed(balanced: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    balanced.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for cut in [0, 1, 10, 100, len(whole) // 2, len(whole) - 30, len(whole) - 1]:
        path.write_bytes(whole[:cut])
        with pytest.raises(StrategyError, match=r"table\.npz"):
            read_strategy(path)
    for _ in range(60):
        changed = bytearray(whole)
        changed[int(rng.integers(len(whole)))] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(changed))
        try:
            again = read_strategy(path)
        except StrategyError:
            continue
        assert (again.values == balanced.values).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": np.int64(1)}, "format 1"),
        ({"values": np.zeros(5, np.int16)}, "5 values for"),
        ({"values": np.zeros(401_061, np.int32)}, "'values' are int32, expected int16"),
        ({"front": np.array([0, 455], np.int16)}, "'front' must ascend"),
        ({"middle": np.array([1, 2], np.int16)}, "'middle' must ascend"),
        ({"back": np.array([0, 7, 7], np.int16)}, "'back' must ascend"),
        ({"units": np.array([np.nan, 1.0])}, "'units' must be"),
        ({"units": np.array([0, 1e308])}, "'units' must be"),
        ({"population": np.zeros((1, 3), np.uint16)}, "'population' must be"),
        ({"ranking": np.array([1])}, "'ranking' is missing or malformed"),
        ({"ranking": np.array("highest")}, "'ranking' must be one of lowest, second.*got 'highest'"),
        ({"rules": np.array(1)}, "'rules' is missing or malformed"),
        ({"values": np.array([{}], dtype=object)}, "not a strategy table"),
    ],
)
def test_a_malformed_part_is_named(change: dict, message: str, balanced: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    balanced.save(path)
    with np.load(path) as archive:
        parts = {key: archive[key] for key in archive.files} | change
    np.savez(path, **parts)
    with pytest.raises(StrategyError, match=message):
        read_strategy(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"front_values": np.zeros(3, np.int16)}, "one value is needed for each bin"),
        ({"back_values": np.full(1000, 32767, np.int16)}, "one value is needed for each bin"),
        ({"front_values": None}, "do not fit into int16"),
        ({"middle_values": np.zeros(115)}, "'middle_values' is missing or malformed"),
    ],
)
def test_a_malformed_sum_is_named(change: dict, message: str, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    with np.load(str(resources.files("solver") / "strategies" / "balanced-lowest.npz")) as archive:
        parts = {key: archive[key] for key in archive.files}
    np.savez(path, **parts)
    assert read_strategy(path).ranking == "lowest"
    if change.get("front_values", 0) is None:
        change = {"front_values": np.full_like(parts["front_values"], 32767)}
    np.savez(path, **(parts | change))
    with pytest.raises(StrategyError, match=message):
        read_strategy(path)


def test_devices_and_pipes_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    for path in ("/dev/zero", tmp_path / "pipe.npz", tmp_path):
        with pytest.raises(StrategyError, match="not a file"):
            read_strategy(path)


def test_unknown_names_and_missing_files_are_clear() -> None:
    with pytest.raises(StrategyError, match="unknown strategy 'nobody'"):
        load_strategy("nobody", load_rules("2-4"))
    with pytest.raises(StrategyError, match="no such file"):
        load_strategy("missing.npz", load_rules("2-4"))


def test_quantile_edges_split_mass_evenly() -> None:
    edges = quantile_edges(np.ones(100), 4)
    assert edges.tolist() == [0, 25, 50, 75]
    assert quantile_edges(np.array([0, 0, 10, 0, 1.0]), 3).tolist() == [0, 3]


def test_archives_that_are_no_tables_are_refused(balanced: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    balanced.save(path)
    whole = path.read_bytes()
    plain = io.BytesIO()
    np.save(plain, balanced.values)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i2", "fortran_order": False, "shape": (2**70,)})
    archives: list[bytes] = [plain.getvalue(), pickle.dumps({"values": 1})]
    for name, content in (("values", b"text"), ("values.npy", pickle.dumps([1])), ("values.npy", header.getvalue())):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(name, content)
        archives.append(packed.getvalue())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("junk.npy", bytes(100_000_000))
    archives.append(packed.getvalue())
    for place in (4, 6, 8):  # version needed, flags (encrypted), compression method, in both headers
        changed = bytearray(whole)
        for header_at in (0, whole.rindex(b"PK\x01\x02") + 2):
            changed[header_at + place] = 99
        archives.append(bytes(changed))
    for content in archives:
        path.write_bytes(content)
        with pytest.raises(StrategyError, match=r"table\.npz"):
            read_strategy(path)
    with pytest.raises(StrategyError, match="cannot be read"):
        read_strategy(tmp_path)
