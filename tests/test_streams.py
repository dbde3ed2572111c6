"""What is read from files of hands, and what becomes of their other columns in each format."""

import csv
import datetime
import decimal
import io
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from solver.batches import outputs, parquet, rows, sources
from solver.batches.rows import COLUMNS, read_hands
from solver.batches.sources import live_chunks
from solver.batches.streams import open_source
from solver.cards import Hand
from solver.cli import main
from solver.errors import CardError, RequestError
from tests.stub_batch import Stub
from tests.test_batch import HAND, deal

PACKED = HAND.replace(" ", "")


@pytest.fixture(autouse=True)
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "Answerer", Stub)
    monkeypatch.setattr(rows, "_KEPT", [])


def batch(source: Path, target: object) -> Result:
    return CliRunner().invoke(main, ["batch", str(source), "-o", str(target), "--quick", "--force"])


def answered(path: Path) -> list[dict[str, Any]]:
    done = batch(path, "-")
    assert done.exit_code in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def texts(path: Path) -> list[Any]:
    return [row["hand"] for row in answered(path)]


def test_hands_are_read_as_one_by_one() -> None:
    plain = deal(50)
    hands = [
        *plain,
        *(hand.replace(" ", "").upper() for hand in plain[:5]),
        *(hand.lower() for hand in plain[:5]),
        *(hand.replace(" ", ",") for hand in plain[:5]),
        *(hand[:-2] + hand[:2] for hand in plain[:5]),
        *(hand[:-1] + "x" for hand in plain[:5]),
        *(hand.replace(" ", "")[:-1] + "é" for hand in plain[:5]),
        *(hand.replace("T", "10") for hand in plain[:9]),
        *("", " ", "A", "x" * 38, "é" * 26, "♠" * 38, "A♠ K♥ Q♦"),
    ]
    faults: dict[int, str] = {}
    cards, read = read_hands([*hands, None], faults)
    assert faults.pop(len(hands)) == "no hand" and not cards[-1].any()
    for k, hand in enumerate(hands):
        if k in faults:
            with pytest.raises(CardError) as error:
                Hand.parse(hand)
            assert str(error.value) == faults[k]
        else:
            assert tuple(cards[k].tolist()) == Hand.parse(hand).cards
    assert read[:60].all() and len(faults) == 22


def test_numbers_are_the_shortest_that_read_back() -> None:
    shown = rows._numbers(np.array([0.1 + 0.2, -1e-9, np.nan, 2.0, 1 / 3, -123.4567891, 1e-6]))
    assert shown == ["0.3", "0.0", "null", "2.0", "0.333333", "-123.456789", "1e-06"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", [True, False])
def test_text_may_come_from_any_editor(end: bytes, mark: bytes, last: bool, tmp_path: Path) -> None:
    path = tmp_path / "hands"
    lines = [HAND.encode(), b"", b"  ", "A♠ ü".encode(), PACKED.encode(), b"caf\xe9"]
    path.write_bytes(mark + end.join(lines) + (end if last else b""))
    found = answered(path)
    assert [row["hand"] for row in found] == [HAND, "A♠ ü", PACKED, "caf\ufffd"]
    assert [row["error"] is None for row in found] == [True, False, True, False]
    record = tmp_path / "x.csv"
    lines = [b'name,"hand"', f'"Zo\u00eb, ""Z""",{HAND}'.encode(), b"", f'"two\nlines","{PACKED}"'.encode()]
    record.write_bytes(mark + end.join(lines) + (end if last else b""))
    assert [(row["name"], row["hand"]) for row in answered(record)] == [('Zoë, "Z"', HAND), ("two\nlines", PACKED)]
    objects = tmp_path / "x.jsonl"
    lines = [json.dumps({"hand": HAND, "n": 1}).encode(), b"", '{"né":"ü","hand":"x"}'.encode()]
    objects.write_bytes(mark + end.join(lines) + (end if last else b""))
    found = answered(objects)
    assert found[0]["n"] == 1 and found[1]["né"] == "ü" and found[1]["hand"] == "x" and len(found) == 2


def test_bad_records_of_csv_do_not_stop_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(
        f'a,hand,b\n1,{HAND},2\n1,{HAND}\n1,{HAND},2,3\n\xff,{HAND},2\n1,"{HAND}"x,2\n,,\n1,{HAND},'.encode("latin-1")
    )
    found = answered(path)
    assert [row["error"] for row in found] == [
        None,
        "expected 3 columns, as in the header, got 2",
        "expected 3 columns, as in the header, got 4",
        "no UTF-8 text: save the file as UTF-8",
        "not valid CSV: ',' expected after '\"'",
        "a hand has 13 cards, got 0: nothing",
        None,
    ]
    assert [list(row) for row in found] == [[*COLUMNS, "a", "b"]] * 7
    assert found[1]["a"] == "1" and found[1]["b"] == "" and found[3]["a"] == "\ufffd" and found[4]["hand"] is None


def test_bad_records_of_json_lines_do_not_stop_the_rest(tmp_path: Path) -> None:
    path, hand = tmp_path / "x.jsonl", json.dumps({"hand": HAND})
    lines = [hand, "{", "[1]", '{"x": 1}', '{"hand": 5, "x": 1}', '{"hand": null}', '{"hand": "\\ud800"}', hand + "x"]
    lines += ['{"hand": "As", "units": 3}', '{"hand": "' + HAND + '", "error": 3, "x": 1.10}', '{"a": NaN}', hand]
    path.write_bytes("\n".join(lines).encode() + b'\n{"hand": "\xff"}')
    found = answered(path)
    wanted = 'expected a JSON object such as {"hand": "As Kd ..."}'
    assert [row["error"] for row in found] == [
        None, wanted, wanted, "no 'hand' in the object", "expected the hand as text, got 5",
        "expected the hand as text, got null", wanted, wanted, "'units' is a column of the answers: rename it",
        "'error' is a column of the answers: rename it", wanted, None, "no UTF-8 text: save the file as UTF-8",
    ]  # fmt: skip
    assert [row["hand"] for row in found[1:5]] == ["{", "[1]", None, None]
    assert found[4]["x"] == 1 and found[9]["x"] == 1.1 and found[9]["units"] is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "", "expected a column 'hand' in the header, got nothing"),
        ("x.csv", "Hand,name\n", "got 'Hand', 'name'"),
        ("x.csv", "hand,a,a\n", "two columns are called 'a'"),
        ("x.csv", "hand,units\n", "'units' is a column of the answers, too"),
        ("x.csv", 'hand\n"As', "line 2: a quote that is never closed"),
        ("x.csv", 'hand\nAs\n"' + "x\n" * 70_000, "line 3: a quote that is never closed"),
        ("x.csv", "hand\n" + "x" * (1 << 20) + "x", "line 2: longer than 1,048,576 bytes"),
        ("x.txt", "\ufeffAs".encode("utf-16-le").decode("latin-1"), "UTF-16 text"),
        ("x.parquet", "", "no Parquet file"),
        ("x.parquet", "PAR1 and more that is none PAR1", "no Parquet file"),
    ],
)
def test_what_is_no_file_of_hands_is_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    for target in (tmp_path / "out.jsonl", "-"):
        done = batch(path, target)
        assert done.exit_code == 2 and message in done.stderr, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out.jsonl").exists()


def test_a_file_that_breaks_off_can_be_resumed_when_it_is_mended(tmp_path: Path) -> None:
    path, out = tmp_path / "x.csv", tmp_path / "out.csv"
    path.write_text(f'hand,a\n{HAND},1\n{HAND},"2\n')
    assert batch(path, out).exit_code == 2
    path.write_text(f'hand,a\n{HAND},1\n{HAND},"2"\n')
    assert CliRunner().invoke(main, ["batch", str(path), "-o", str(out), "--quick", "--resume"]).exit_code == 0
    assert [line.rsplit(",", 1)[1] for line in out.read_text().splitlines()] == ["a", "1", "2"]


VALUES: list[dict[str, Any]] = [
    {"int": 1, "float": 1.5, "mixed": 1, "flag": True, "text": "a,\"b\"\nü", "nest": {"a": [1, None]}, "wide": 2**60},
    {"int": -(2**40), "float": 2, "mixed": "x", "flag": False, "text": "", "nest": [], "none": None, "wide": 0.5},
    {"int": None, "float": None, "mixed": None, "late": 1e300, "text": None},
]  # fmt: skip


def test_values_of_json_keep_their_types(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"hand": HAND} | value, ensure_ascii=False) + "\n" for value in VALUES))
    for row, value in zip(answered(path), VALUES, strict=True):
        assert {name: row[name] for name in row if name not in COLUMNS} == value
    assert batch(path, tmp_path / "out.parquet").exit_code == 0
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    kinds = {name: str(table.schema.field(name).type) for name in table.column_names[len(COLUMNS) :]}
    assert kinds == {
        "int": "int64", "float": "double", "mixed": "string", "flag": "bool", "text": "string", "nest": "string",
        "wide": "string", "none": "string", "late": "double",
    }  # fmt: skip
    found = table.to_pylist()
    assert found[0]["int"] == 1 and found[1]["float"] == 2.0 and found[0]["text"] == VALUES[0]["text"]
    assert [row["mixed"] for row in found] == ["1", '"x"', None] and found[2]["late"] == 1e300
    assert json.loads(found[0]["nest"]) == {"a": [1, None]} and found[0]["wide"] == str(2**60)
    assert batch(path, tmp_path / "out.csv").exit_code == 0
    lines = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"), newline="")))
    assert [line["mixed"] for line in lines] == ["1", "x", ""] and lines[0]["text"] == VALUES[0]["text"]
    assert lines[0]["flag"] == "true" and lines[0]["late"] == "" and lines[2]["late"] == "1e+300"


def test_a_value_of_json_is_kept_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"price" : 1.10, "hand":"{HAND}","id":123456789012345678901234567890}}\n')
    assert batch(path, "-").stdout.endswith('"error": null, "price": 1.10, "id": 123456789012345678901234567890}\n')


def table_of_types() -> pyarrow.Table:
    when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=datetime.timezone.utc)  # noqa: UP017
    columns = {
        "hand": pyarrow.array([HAND, None, "x"] * 50, pyarrow.large_string()),
        "small": pyarrow.array([1, None, 3] * 50, pyarrow.int8()),
        "float": pyarrow.array([1.5, float("inf"), None] * 50, pyarrow.float32()),
        "when": pyarrow.array([when, None, when] * 50, pyarrow.timestamp("ns", "UTC")),
        "day": pyarrow.array([when.date()] * 150, pyarrow.date32()),
        "money": pyarrow.array([decimal.Decimal("1.10"), None, None] * 50, pyarrow.decimal128(10, 2)),
        "kind": pyarrow.array(["ü", None, "b"] * 50).dictionary_encode(),
        "list": pyarrow.array([[1, 2], [], None] * 50),
        "pair": pyarrow.array([{"a": 1, "b": "x"}] * 150),
    }
    return pyarrow.table(columns)


@pytest.mark.parametrize("group", [7, 1000])
def test_columns_of_parquet_keep_their_types(group: int, tmp_path: Path) -> None:
    path, out, table = tmp_path / "x.parquet", tmp_path / "out.parquet", table_of_types()
    table = table.append_column("bytes", pyarrow.array([b"\xff"] * 150))
    pyarrow.parquet.write_table(table, path, row_group_size=group)
    done = batch(path, out)
    assert done.exit_code == 1 and "row 2: no hand" in done.stderr
    found = pyarrow.parquet.read_table(out)
    assert found.column_names == [*COLUMNS, *table.column_names[1:]]
    assert found.select(table.column_names[1:]).equals(table.select(table.column_names[1:]))
    assert found["hand"].to_pylist() == table["hand"].to_pylist()
    assert pyarrow.parquet.ParquetFile(out).metadata.num_row_groups == 1
    done = batch(path, tmp_path / "out.csv")
    assert done.exit_code == 2 and "'bytes' (binary) cannot be written as text" in done.stderr


def test_columns_of_parquet_as_text(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(table_of_types(), path)
    first, second, _ = answered(path)[:3]
    assert first["small"] == 1 and first["float"] == 1.5 and first["day"] == "2026-01-02" and first["money"] == "1.10"
    assert first["when"] == "2026-01-02 03:04:05.000678000Z" and first["kind"] == "ü" and first["list"] == [1, 2]
    assert first["pair"] == {"a": 1, "b": "x"} and second["float"] is None and second["when"] is None


def test_row_groups_have_fixed_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_OF_GROUP", 2048)
    path = tmp_path / "x.txt"
    path.write_text("\n".join(deal(5000)))
    assert batch(path, tmp_path / "out.parquet").exit_code == 0
    found = pyarrow.parquet.ParquetFile(tmp_path / "out.parquet").metadata
    assert [found.row_group(k).num_rows for k in range(found.num_row_groups)] == [2048, 2048, 904]


@pytest.mark.parametrize("format_", ["txt", "csv", "jsonl", "parquet"])
def test_reading_goes_on_from_any_record(format_: str, tmp_path: Path) -> None:
    path, hands = tmp_path / f"x.{format_}", deal(60)
    table = pyarrow.table({"hand": hands, "name": [f'a"\n{k}' for k in range(60)]})
    if format_ == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=13)
    elif format_ == "csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([table.column_names, *map(dict.values, table.to_pylist())])
    else:
        path.write_text("\n\n".join(hands if format_ == "txt" else map(json.dumps, table.to_pylist())))
    first = open_source(str(path), as_text=True)
    whole = list(first.records())
    assert [record[1] for record in whole] == hands
    for start in range(0, 60, 7):
        source = open_source(str(path), as_text=True)
        if start:
            before = next(source.chunks(start))
            source.close()
            source = open_source(str(path), as_text=True)
            source.go_to(before.end, source.identity)
        assert list(source.records()) == whole[start:] and source.position() == first.position()
        assert source.share(source.position()) == 1
        source.close()
    first.close()


def test_a_parquet_file_is_known_by_its_content(tmp_path: Path) -> None:
    path, hands = tmp_path / "x.parquet", deal(10)

    def opened(hands: list[str]) -> Any:
        # Plain and in another order: the size and the footer, with its least and greatest values, stay the same.
        table = pyarrow.table({"hand": hands})
        pyarrow.parquet.write_table(table, path, use_dictionary=False, compression="none")
        return open_source(str(path), as_text=True)

    old, new = opened(hands), opened(hands[::-1])
    with pytest.raises(RequestError, match="another file"):
        new.go_to(old.position(), old.identity)
    new.close()
    new = opened(hands)
    new.go_to(old.position(), old.identity)
    old.close()
    new.close()


def no_utf8(values: list[bytes], kind: Any) -> Any:
    """Return text that was not checked when it was written."""
    raw = pyarrow.array(values, pyarrow.large_binary() if kind == pyarrow.large_string() else pyarrow.binary())
    return pyarrow.Array.from_buffers(kind, len(values), raw.buffers())


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string()])
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_text_of_parquet_that_is_no_utf8_is_a_fault_of_its_row(suffix: str, kind: Any, tmp_path: Path) -> None:
    path, target, hands = tmp_path / "x.parquet", tmp_path / f"out.{suffix}", deal(4)
    raw = [hand.encode() for hand in hands]
    columns = {
        "hand": no_utf8([raw[0], b"\xff As", *raw[2:]], kind),
        "name": no_utf8([b"a", b"b", b"\xe9", b"d"], kind),
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    done = batch(path, target)
    assert done.exit_code == 1 and "row 2: no UTF-8 text" in done.stderr
    if suffix == "jsonl":
        rows_of = [json.loads(line) for line in target.read_text().splitlines()]
        assert [row["name"] for row in rows_of] == ["a", "b", "\ufffd", "d"]
        assert [row["error"] is None for row in rows_of] == [True, False, False, True]
    else:  # where columns are copied as they are, only the hand is read
        errors = pyarrow.parquet.read_table(target, columns=["error"])["error"].to_pylist()
        assert [error is None for error in errors] == [True, False, True, True]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
@pytest.mark.parametrize("compression", ["none", "snappy"])
def test_a_damaged_parquet_file_is_told(compression: str, suffix: str, tmp_path: Path) -> None:
    path, hands = tmp_path / "x.parquet", deal(500)
    table = pyarrow.table({"hand": hands, "x": [hand[::-1] for hand in hands]})
    pyarrow.parquet.write_table(table, path, compression=compression, use_dictionary=False, row_group_size=100)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle - 4000 : middle + 4000] = b"\xff" * 8000
    path.write_bytes(data)
    done = batch(path, tmp_path / f"out.{suffix}")
    assert done.exit_code == 2 and "x.parquet: damaged, or cannot be read" in done.stderr


def test_values_of_parquet_that_are_no_text_are_told(tmp_path: Path) -> None:
    path, hands = tmp_path / "x.parquet", deal(2)
    twice = pyarrow.StructArray.from_arrays([pyarrow.array([1, 2])] * 2, names=["a", "a"])
    for values in (pyarrow.array([1, 2], pyarrow.timestamp("us", "No/Where")), twice):
        pyarrow.parquet.write_table(pyarrow.table({"hand": hands, "x": values}), path)
        done = batch(path, tmp_path / "out.csv")
        assert done.exit_code == 2 and "'x' cannot be written as text (" in done.stderr
        assert batch(path, tmp_path / "out.parquet").exit_code == 0


@pytest.mark.parametrize("target", ["jsonl", "csv", "parquet"])
def test_json_beyond_what_python_reads_does_not_stop_the_rest(target: str, tmp_path: Path) -> None:
    path, out, hands = tmp_path / "x.jsonl", tmp_path / f"out.{target}", deal(3)
    values = ["7" * 6000, "[" * 100_000 + "]" * 100_000, "1"]
    path.write_text("".join(f'{{"hand": "{hand}", "x": {x}}}\n' for hand, x in zip(hands, values, strict=True)))
    done = batch(path, out)
    assert done.exit_code == 1 and "1 of 3 hands failed, first" in done.stderr and "line 2: expected" in done.stderr
    if target == "parquet":
        assert pyarrow.parquet.read_table(out)["x"].to_pylist() == ["7" * 6000, None, "1"]


def test_without_pyarrow_parquet_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    (tmp_path / "x.txt").write_text(HAND)
    for words in ((tmp_path / "x.txt", tmp_path / "out.parquet"), (tmp_path / "x.parquet", tmp_path / "out.csv")):
        done = batch(*words)
        assert done.exit_code == 2 and "pip install 'capsa-solver[parquet]'" in done.stderr


def test_wide_records_make_small_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "CHUNK_BYTES", 1000)
    path = tmp_path / "x.txt"
    path.write_text("\n".join(deal(100)))
    source = open_source(str(path), as_text=True)
    sizes = [len(chunk.hands) for chunk in source.chunks(1000)]
    source.close()
    assert sizes == [26, 26, 26, 22]


@pytest.mark.parametrize("stored", ["plain", "dictionary"])
def test_wide_columns_of_parquet_are_read_and_written_in_pieces(
    stored: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "CHUNK_BYTES", 10_000)
    monkeypatch.setattr(parquet, "_BYTES_AT_ONCE", 10_000)
    path, hands = tmp_path / "x.parquet", deal(500)
    wide = pyarrow.array([f"{'y' * 1000}{k if stored == 'plain' else ''}" for k in range(500)])
    table = pyarrow.table({"hand": hands, "x": wide if stored == "plain" else wide.dictionary_encode()})
    pyarrow.parquet.write_table(table, path)
    source = open_source(str(path), as_text=True)
    chunks = list(source.chunks(1000))
    assert isinstance(source, parquet.ParquetSource)
    if stored == "plain":
        assert max(found.num_rows for found in source.batches(["hand", "x"])) < 12
    source.close()
    assert [hand for chunk in chunks for hand in chunk.hands] == hands
    assert max(len(chunk.hands) for chunk in chunks) <= 12
    assert batch(path, tmp_path / "out.jsonl").exit_code == 0
    groups = list(outputs.values_in_groups(tmp_path / "out.jsonl", 1000, 10_000))
    assert sum(map(len, groups)) == 500 and max(map(len, groups)) <= 10


class Slow:
    """A stream that gives what it is told, piece by piece."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)

    def read1(self, size: int) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


def test_lines_come_as_they_are_complete() -> None:
    pieces = (b"\xef\xbb\xbfa", b"b\nc\r\n\n", b"d", b"e\n", b"f")
    found = [(chunk.hands, list(chunk.numbers)) for chunk in live_chunks(Slow(*pieces), 2)]
    assert found == [(["ab", "c"], [1, 2]), ([""], [3]), (["de"], [4]), (["f"], [5])]
    long = b"x" * (1 << 20)
    for last in ((b"x\nb\n",), (b"x", b"y\nb", b"\n"), (b"x", b"y")):
        chunks = list(live_chunks(Slow(b"a\n", long, *last), 2))
        found = [(hand, chunk.faults.get(k, "")[:11]) for chunk in chunks for k, hand in enumerate(chunk.hands)]
        assert found[:2] == [("a", ""), ("x" * 100 + " ...", "longer than")], last
        assert found[2:] == ([("b", "")] if b"b" in b"".join(last) else [])


@pytest.mark.parametrize("name", ["x.txt", "x.jsonl"])
def test_a_line_that_is_far_too_long_is_one_bad_line(name: str, tmp_path: Path) -> None:
    path, out = tmp_path / name, tmp_path / "out.jsonl"
    good = HAND if name == "x.txt" else json.dumps({"hand": HAND})
    for huge in ("x" * (5 << 20), "é" * (1 << 20)):
        path.write_text(f"{good}\n{huge}\n{good}\n{huge}", encoding="utf-8")
        out.unlink(missing_ok=True)
        done = batch(path, out)
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert done.exit_code == 1 and f"2 of 4 hands failed, first {path}, line 2" in done.stderr
        assert [row["error"] is None for row in rows] == [True, False, True, False]
        assert rows[1]["hand"].endswith(" ...") and len(rows[1]["hand"]) < 120 and "longer than" in rows[3]["error"]


def test_chunks_and_rows_can_be_sent_to_other_processes(tmp_path: Path) -> None:
    import pickle

    path = tmp_path / "x.csv"
    path.write_text(f"hand,a\n{HAND},1\nx,2\n")
    source = open_source(str(path), as_text=True)
    (chunk,) = source.chunks(10)
    source.close()
    assert pickle.loads(pickle.dumps(chunk)) == chunk
    assert msgspec.json.decode(msgspec.json.encode(chunk.end), type=rows.Position) == chunk.end
