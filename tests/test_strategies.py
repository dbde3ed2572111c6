"""Strategy tables: files that round-trip, and files that are refused."""

import io
import os
import pickle
import zipfile
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from solver.errors import StrategyError
from solver.rules import load_rules
from solver.strategies import Strategy, load_strategy, quantile_edges, read_strategy


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
