"""Rule files: presets, extension, overrides, and an error for everything that cannot be meant."""

import pickle
import string
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver import rules as rules_module
from solver.errors import RulesError
from solver.presets import DEFAULT_RULES, preset_names
from solver.rulebook import explain
from solver.rules import RuleSet, check_rules, load_rules, preset_text

S_FRONT = {"trips": 3.0}
S_MIDDLE = {"full-house": 2.0, "quads": 8.0, "straight-flush": 10.0}
S_BACK = {"quads": 4.0, "straight-flush": 5.0}

# One value per key that differs from the default and is valid beside the defaults, as TOML.
CHANGES = {
    "players": "[2, 3]",
    "ranking.wheel": '"second"',
    "ranking.suits": '"dchs"',
    "ranking.middle": '"deuce-to-seven"',
    "rows.front": "2",
    "rows.middle": "0.5",
    "rows.back": "3.0",
    "overall.two_rows": "1",
    "overall.three_rows": "4",
    "overall.basis": '"net"',
    "royalties.style": '"replace"',
    "royalties.paid": '"both"',
    "royalties.per_hand": '"one"',
    "royalties.split": "true",
    "royalties.front": "{ trips = 5, 'trips:A' = 9, pair = 1 }",
    "royalties.middle": "{ full-house = 3 }",
    "royalties.back": "{ quads = 2, royal-flush = 9 }",
    "scoop.multiplier": "2",
    "scoop.when": '"none-lost"',
    "home_run.min_opponents": "3",
    "home_run.multiplier": "2",
    "home_run.extra": "6",
    "naturals.enabled": "false",
    "naturals.paid": '"difference"',
    "naturals.suits": '"cdhs"',
    "naturals.as_scoop": "true",
    "naturals.may_decline": "false",
    "naturals.list": "[{ kind = 'six-pairs', units = 4 }, { kind = 'twelve-royals', units = 9, count = 13 }]",
    "foul.pays": '"units"',
    "foul.units": "3",
    "foul.royalties": "true",
    "surrender.allowed": "true",
    "surrender.units": "2",
    "table.banker": "true",
    "table.banker_wins_ties": "true",
}


def leaf_paths() -> set[str]:
    paths = set()
    for entry in msgspec.structs.fields(RuleSet):
        if isinstance(entry.type, type) and issubclass(entry.type, msgspec.Struct):
            paths |= {f"{entry.encode_name}.{leaf.encode_name}" for leaf in msgspec.structs.fields(entry.type)}
        else:
            paths.add(entry.encode_name)
    return paths


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(text: str, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


# Presets


@pytest.mark.parametrize("name", preset_names())
def test_preset_is_sound_and_explained(name: str) -> None:
    rules = load_rules(name)
    assert check_rules(name) == []
    assert (rules.name, rules.players) == (name, (2, 4))
    assert rules.title and rules.source
    assert "# " in preset_text(name)
    assert all(section.lines for section in explain(rules))


def test_default_comes_first() -> None:
    assert preset_names()[0] == DEFAULT_RULES == "2-4"
    assert len(set(preset_names())) == len(preset_names())


def test_unknown_preset_suggests() -> None:
    with pytest.raises(RulesError, match=r"unknown rule set 'Hong-Kon' \(did you mean 'hong-kong'\?\).*rules list"):
        load_rules("Hong-Kon")
    with pytest.raises(RulesError, match=r"unknown rule set '\.\./2-4'"):
        preset_text("../2-4")


# Files


def test_defaults_are_those_of_an_empty_file(write: Any) -> None:
    path = write("")
    rules = load_rules(path)
    assert rules == RuleSet(name="mine", title="mine")
    assert load_rules(str(path)) == rules
    assert rules.overall == rules_module.Overall(two_rows=0, three_rows=0)
    assert (rules.foul.units, rules.surrender.units, rules.home_run.min_opponents) == (6, 3, 2)


def test_every_key_of_the_schema_is_read(write: Any) -> None:
    assert set(CHANGES) | {"name", "title", "source"} == leaf_paths()
    # Each contradicts another change.
    left_out = {"royalties.style", "royalties.middle", "players"}
    text = "\n".join(f"{key} = {value}" for key, value in CHANGES.items() if key not in left_out)
    rules = load_rules(write(text))
    plain = RuleSet()
    for key in CHANGES.keys() - left_out:
        section, _, leaf = key.replace("naturals.list", "naturals.kinds").partition(".")
        assert getattr(getattr(rules, section), leaf) != getattr(getattr(plain, section), leaf), key
    assert rules.royalties.front == {"trips": 5, "trips:A": 9, "pair": 1}
    assert [(natural.kind, natural.count) for natural in rules.naturals.kinds] == [
        ("six-pairs", 12),
        ("twelve-royals", 13),
    ]


def test_extends_merges_tables_and_replaces_rows_and_lists(write: Any) -> None:
    write("extends = '2-4-royalties'\ntitle = 'Base'\nsource = 'b'\nplayers = [2, 3]\nfoul.units = 4", "base.toml")
    path = write("extends = 'base.toml'\nrows.back = 2\n[royalties]\nmiddle = { quads = 7 }", "top.toml")
    rules = load_rules(path)
    assert (rules.rows.front, rules.rows.back) == (1, 2)
    assert rules.royalties.middle == {"quads": 7}
    assert (rules.royalties.front, rules.royalties.back) == (S_FRONT, S_BACK)
    assert (rules.players, rules.foul.units, rules.overall.two_rows) == ((2, 3), 4, 1)
    assert (rules.name, rules.title, rules.source) == ("top", "top", "")  # not those of the base


def test_extends_is_beside_the_extending_file(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    write("extends = 'base.toml'", "sub/top.toml")
    write("rows.back = 5", "sub/base.toml")
    monkeypatch.chdir(tmp_path)
    assert load_rules("sub/top.toml").rows.back == 5


def test_extends_in_a_circle(write: Any) -> None:
    write("extends = 'b.toml'", "a.toml")
    path = write("extends = './a.toml'", "b.toml")
    (problem,) = check_rules(path)
    assert problem.startswith("extends: goes round in a circle: ")
    assert problem.count(" -> ") == 2
    (problem,) = check_rules(write("extends = 'self.toml'", "self.toml"))
    assert problem.startswith("extends: goes round in a circle")


def test_extends_at_fault_does_not_hide_the_rest(write: Any) -> None:
    problems = check_rules(write("extends = '2-5'\nrows.front = -1"))
    assert [problem.split(":")[0] for problem in problems] == ["extends", "rows.front"]
    assert "did you mean '2-4'" in problems[0]
    assert check_rules(write("extends = 3")) == ["extends: expected the name of a rule set or a file, got 3"]
    (problem,) = check_rules(write("extends = 'gone.toml'"))
    assert problem.startswith("extends: cannot read")


def test_files_that_cannot_be_read(write: Any, tmp_path: Path) -> None:
    for source, message in (
        (tmp_path, "cannot read .*: Is a directory"),
        (tmp_path / "gone.toml", "cannot read .*gone.toml': No such file"),
        ("gone/2-4.toml", "the rule set that comes with capsa is '2-4', without .toml"),
        ("nul\0.toml", "cannot read .*null"),
        (write("rows = "), "mine.toml' is not valid TOML: Invalid value"),
        (write("a = 1\na = = 2", "two.toml"), r"not valid TOML: .*line 2, column 5"),
        (write("a = " + "[" * 5000, "deep.toml"), "not valid TOML"),
    ):
        with pytest.raises(RulesError, match=message):
            load_rules(source)
        assert len(check_rules(source)) == 1
    latin = tmp_path / "latin.toml"
    latin.write_bytes("title = 'Café'".encode("latin-1"))
    with pytest.raises(RulesError, match=r"latin.toml' is not UTF-8 text \(byte 13\)"):
        load_rules(latin)


def test_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "notepad.toml"
    path.write_bytes(b"\xef\xbb\xbfrows.front = 2\r\n")
    assert load_rules(path).rows.front == 2


# Overrides


@pytest.mark.parametrize("key", CHANGES)
def test_override_equals_the_same_in_a_file(key: str, write: Any) -> None:
    value = CHANGES[key]
    base = "name = 'x'\n" + ("table.banker = true\n" if key == "table.banker_wins_ties" else "")
    base += "royalties.back.quads = 4\n" if key == "royalties.split" else ""
    top = write(f"extends = 'base.toml'\nname = 'x'\n{key} = {value}", "top.toml")
    changed = load_rules(write(base, "base.toml"), [f"{key}={value}"])
    assert changed == load_rules(top)
    # How many may sit down, and what a foul costs, do not matter for play.
    same = changed.fingerprint() == load_rules(write(base, "base.toml")).fingerprint()
    assert same == (key == "players" or key.startswith("foul."))
    if value.startswith('"'):  # as a bare string
        assert load_rules(write(base, "base.toml"), [f" {key} = {value[1:-1]} "]) == changed


@settings(deadline=None)
@given(st.floats(0, 1e6), st.sampled_from(["rows.front", "overall.two_rows", "foul.units", "surrender.units"]))
def test_override_units(units: float, key: str) -> None:
    section, leaf = key.split(".")
    assert getattr(getattr(load_rules("2-4", [f"{key}={units!r}"]), section), leaf) == units


def test_overrides_together_act_as_one_outermost_layer() -> None:
    sets = ["royalties.back.quads=9", "royalties.back.quads:A=11", 'royalties.back."quads:K"=10', "rows.front=2"]
    rules = load_rules("2-4-royalties", sets)
    assert rules.royalties.back == {"quads": 9, "quads:A": 11, "quads:K": 10}
    assert rules.royalties.middle == S_MIDDLE
    assert load_rules("2-4", ["rows.front=2", "rows.front=3"]).rows.front == 3
    assert load_rules("2-4", "rows.front=2").rows.front == 2
    assert load_rules("2-4", ["ranking.suits="]).ranking.suits == ""


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("rows", "--set rows: expected KEY=VALUE, such as --set scoop.multiplier=2"),
        ("=2", "--set =2: expected KEY=VALUE, such as --set scoop.multiplier=2"),
        ("rows..front=2", "--set rows..front=2: expected KEY=VALUE, such as --set scoop.multiplier=2"),
        ("name=mine", "name: cannot be overridden, only written in a file (from --set name=mine)"),
        ("title=x", "title: cannot be overridden, only written in a file (from --set title=x)"),
        ("source=x", "source: cannot be overridden, only written in a file (from --set source=x)"),
        ("extends=1-6", "extends: cannot be overridden, only written in a file (from --set extends=1-6)"),
        ("rows=3", "rows: expected a table, got 3 (from --set rows=3)"),
        ("foul.royalties=yes", "foul.royalties: expected true or false, got 'yes' (from --set foul.royalties=yes)"),
        ("players=4", "players: expected two whole numbers from 2 to 4, fewest first, got 4 (from --set players=4)"),
        ("rows.front=1\nx=2", "rows.front: expected a number from 0 to 1,000,000, got '1\\nx=2'"),
    ],
)
def test_override_errors(override: str, problem: str) -> None:
    (found,) = check_rules("2-4", [override])
    assert found.startswith(problem)
    with pytest.raises(RulesError) as caught:
        load_rules("2-4", [override])
    assert str(caught.value) == f"rules '2-4': {found}"


# Errors


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ranking.wheel = 'low'", "ranking.wheel: expected 'lowest' or 'second', got 'low'"),
        ("rows.frnt = 1", "rows.frnt: unknown key (did you mean 'front'?)"),
        ("rows.q = 1", "rows.q: unknown key (use front, middle or back)"),
        ("royaltys.front = {}", "royaltys: unknown key (did you mean 'royalties'?)"),
        ("'' = 1", "'': unknown key (use name, "),
        ("rows.front = true", "rows.front: expected a number from 0 to 1,000,000, got true"),
        ("rows.front = nan", "rows.front: expected a number from 0 to 1,000,000, got nan"),
        ("rows.front = inf", "rows.front: expected a number from 0 to 1,000,000, got inf"),
        ("rows.front = -0.5", "rows.front: expected a number from 0 to 1,000,000, got -0.5"),
        ("rows.front = 1" + "0" * 400, "rows.front: expected a number from 0 to 1,000,000, got a huge number"),
        ("rows.front = '1'", "rows.front: expected a number from 0 to 1,000,000, got '1'"),
        ("rows.front = 2020-01-01", "rows.front: expected a number from 0 to 1,000,000, got 2020-01-01"),
        ("rows = [1, 2]", "rows: expected a table, got [1, 2]"),
        ("name = ''", "name: expected a text that is not empty, got ''"),
        ("title = {}", "title: expected a text, got a table"),
        ("players = [2, 5]", "players: expected two whole numbers from 2 to 4, fewest first, got [2, 5]"),
        ("players = [4, 2]", "players: expected the fewest first, got [4, 2]"),
        ("ranking.suits = 'cdh'", "ranking.suits: expected '' or the letters c, d, h, s, lowest suit first, got 'cdh'"),
        ("ranking.suits = 'cdhh'", "ranking.suits: expected"),
        ('ranking.suits = "cdhs\\n"', "ranking.suits: expected"),
        ("scoop.multiplier = 0", "scoop.multiplier: expected a whole number from 1 to 1000, or 'players', got 0"),
        ("scoop.multiplier = 1.5", "scoop.multiplier: expected a whole number from 1 to 1000, or 'players', got 1.5"),
        ("scoop.multiplier = true", "scoop.multiplier: expected a whole number"),
        ("scoop.multiplier = 'player'", "scoop.multiplier: expected a whole number"),
        ("home_run.min_opponents = 4", "home_run.min_opponents: expected a whole number from 1 to 3, got 4"),
        ("royalties.front = 3", "royalties.front: expected a table such as { trips = 3 }, got 3"),
        ("royalties.front.trips = -1", "royalties.front.trips: expected a number"),
        ("royalties.front.flush = 1", "royalties.front.flush: does not occur in front, where only pair and trips do"),
        ("royalties.front.'two-pair' = 1", "royalties.front.two-pair: does not occur in front"),
        ("royalties.back.full_house = 1", "royalties.back.full_house: unknown category (did you mean 'full-house'?)"),
        ("royalties.back.x = 1", "royalties.back.x: unknown category (use pair, two-pair, trips"),
        ("royalties.back.'royal-flush:A' = 1", "royalties.back.royal-flush:A: royal-flush takes no rank"),
        ("royalties.back.'quads:' = 1", "royalties.back.quads:: unknown rank '' (use one of 23456789TJQKA)"),
        ("royalties.back.'quads:10' = 1", "royalties.back.quads:10: unknown rank '10'"),
        ("royalties.back.'straight:4' = 1", "royalties.back.straight:4: no such hand, the lowest is straight:5"),
        ("royalties.back.'flush:6' = 1", "royalties.back.flush:6: no such hand, the lowest is flush:7"),
        ("royalties.back.'two-pair:2' = 1", "royalties.back.two-pair:2: no such hand, the lowest is two-pair:3"),
        ("royalties.back.'straight-flush:4' = 1", "royalties.back.straight-flush:4: no such hand"),
        ("royalties.back = { 'straight-flush:5' = 9, steel-wheel = 8 }", "royalties.back.steel-wheel: the same hands"),
        (
            "royalties = { style = 'replace', paid = 'both' }",
            "royalties.paid: expected 'winner' where royalties.style = 'replace', got 'both'",
        ),
        ("royalties = { style = 'replace', per_hand = 'one' }", "royalties.per_hand: expected 'all' where"),
        ("royalties.style = 'replace'\nfoul.royalties = true", "foul.royalties: expected false where"),
        ("royalties.split = true", "royalties.split: needs a quads or straight-flush royalty in the back"),
        (
            "ranking.middle = 'deuce-to-seven'\nroyalties.middle.quads = 8",
            "royalties.middle: a deuce-to-seven middle carries no royalties",
        ),
        ("table.banker_wins_ties = true", "table.banker_wins_ties: needs table.banker = true"),
        (
            "players = [2, 3]\nhome_run = { min_opponents = 3, extra = 6 }",
            "home_run.min_opponents: nobody has 3 opponents where at most 3 play (players)",
        ),
        ("naturals.list = 3", "naturals.list: expected a list of tables, got 3"),
        ("naturals.list = [3]", "naturals.list entry 1: expected a table, got 3"),
        ("naturals.list = [{ kind = 'dragon' }]", "naturals.list entry 1.units: is missing, expected a number"),
        ("naturals.list = [{ units = 3 }]", "naturals.list entry 1.kind: is missing, expected 'three-flushes', "),
        (
            "naturals.list = [{ kind = 'dragon', units = 1, quads = false }]",
            "naturals.list entry 1.quads: only 'five-pairs-trips' takes it, not 'dragon'",
        ),
        (
            "naturals.list = [{ kind = 'twelve-royals', units = 1, count = 11 }]",
            "naturals.list entry 1.count: expected 12 or 13, got 11",
        ),
        (
            "naturals.list = [{ kind = 'dragon', units = 1 }, { kind = 'dragon', units = 2 }]",
            "naturals.list entry 2.kind: 'dragon' is entry 1 already",
        ),
        (
            "naturals.list = [{ kind = 'five-pairs-trips', units = 5 }, { kind = 'six-pairs', units = 3 }]",
            "naturals.list entry 1.kind: 'five-pairs-trips' could never be declared: it is always a 'six-pairs' too",
        ),
        (
            "naturals.list = [{ kind = 'twelve-royals', count = 13, units = 5 }, { kind = 'all-high', units = 3 }]",
            "naturals.list entry 1.kind: 'twelve-royals' could never be declared",
        ),
    ],
)
def test_one_problem(text: str, problem: str, write: Any) -> None:
    (found,) = check_rules(write(text))
    assert found.startswith(problem)


def test_unknown_natural_lists_and_suggests(write: Any) -> None:
    (found,) = check_rules(write("naturals.list = [{ kind = 'six-pair', units = 1 }]"))
    assert "got 'six-pair' (did you mean 'six-pairs'?)" in found
    assert "'twelve-royals'" in found


@pytest.mark.parametrize(
    "text",
    [
        "players = [3, 3]",
        "home_run.min_opponents = 3\nplayers = [2, 2]",  # pays nothing more, so it does not matter
        "royalties.back = { 'straight:5' = 1, 'flush:7' = 1, 'two-pair:3' = 1, 'straight-flush:5' = 1, 'quads:2' = 1 }",
        "royalties.middle = { pair = 1, 'pair:2' = 2, royal-flush = 3, steel-wheel = 4, straight-flush = 5 }",
        "royalties = { split = true, back = { 'quads:A' = 3 } }",
        "naturals.list = [{ kind = 'all-high', units = 5 }, { kind = 'twelve-royals', count = 13, units = 3 }]",
        "naturals.list = [{ kind = 'twelve-royals', units = 5 }, { kind = 'all-high', units = 3 }]",
        "naturals.list = [{ kind = 'five-pairs-trips', units = 5, quads = true }]",
        "table = { banker = true, banker_wins_ties = true }",
        "scoop.multiplier = 'players'",
        "rows = { front = 0, middle = 0.25, back = 1_000_000 }",
    ],
)
def test_allowed(text: str, write: Any) -> None:
    assert check_rules(write(text)) == []


def test_all_problems_at_once(write: Any) -> None:
    path = write(
        """players = [4, 2]
        rows = { front = -1, bakc = 2 }
        ranking.wheel = "x"
        surender.allowed = true
        royalties.front.trip = 3
        table.banker_wins_ties = true
        naturals.list = [{ kind = "six-pair", units = 4 }, { kind = "dragon" }]
        """
    )
    problems = check_rules(path)
    assert [problem.split(":")[0] for problem in problems] == [
        *("rows.front", "rows.bakc", "ranking.wheel", "surender", "naturals.list entry 1.kind"),
        *("naturals.list entry 2.units", "players", "table.banker_wins_ties", "royalties.front.trip"),
    ]
    meant = {"rows.bakc": "back", "surender": "surrender", "royalties.front.trip": "trips", "entry 1.kind": "six-pairs"}
    for key, likely in meant.items():
        (problem,) = [problem for problem in problems if problem.split(":")[0].endswith(key)]
        assert f"did you mean '{likely}'?" in problem
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    assert str(caught.value) == f"rules '{path}': 9 problems: {'; '.join(problems)}"


def test_a_fault_does_not_cause_another(write: Any) -> None:
    problems = check_rules(write("table = { banker = 'yes', banker_wins_ties = true }\nroyalties.style = 'replac'"))
    assert [problem.split(":")[0] for problem in problems] == ["table.banker", "royalties.style"]


# The record


def test_fingerprint() -> None:
    plain = load_rules("2-4")
    renamed = msgspec.structs.replace(plain, name="x", title="y", source="z")
    by_hand = RuleSet(overall=rules_module.Overall(two_rows=1, three_rows=1), naturals=plain.naturals)
    assert plain.fingerprint() == renamed.fingerprint() == by_hand.fingerprint()
    assert load_rules("2-4", ["rows.front=-0.0"]).fingerprint() == load_rules("2-4", ["rows.front=0"]).fingerprint()
    assert len({load_rules(name).fingerprint() for name in preset_names()}) == len(preset_names())
    assert set(plain.fingerprint()) <= set(string.hexdigits) and len(plain.fingerprint()) == 16
    ordered = [load_rules("2-4", [f"royalties.back={{{row}}}"]) for row in ("quads=1,flush=2", "flush=2,quads=1")]
    assert ordered[0].fingerprint() == ordered[1].fingerprint()


def test_record_is_frozen_and_pickles() -> None:
    rules = load_rules("mainland")
    with pytest.raises(AttributeError):
        rules.name = "x"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(rules)) == rules


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates())
known = st.sampled_from(
    sorted({part for path in leaf_paths() for part in path.split(".")} | {"kind", "units", "quads"})
)
garbage = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(known | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(known | st.text(max_size=4), garbage, max_size=5))
def test_garbage_is_reported_not_raised(raw: dict[str, Any]) -> None:
    problems: list[Any] = []
    rules = rules_module._build(raw, problems)
    assert isinstance(rules, RuleSet)
    assert all(problem.keys and problem.text for problem in problems)
    assert problems or set(raw) <= {entry.encode_name for entry in msgspec.structs.fields(RuleSet)}
    if not problems:
        assert explain(rules)


@settings(deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_override_is_reported_not_raised(key: str, value: str) -> None:
    assert isinstance(check_rules("2-4", [f"{key}={value}"]), list)


# The rulebook


def words(rules: RuleSet) -> dict[str, list[tuple[str, str]]]:
    return {section.title: section.lines for section in explain(rules)}


def test_rows_in_words() -> None:
    lines = dict(words(load_rules("2-4"))["Rows"])
    assert lines["win a row"] == "1 unit"
    assert lines["win one row and tie two (WTT)"] == "1 unit in all"
    assert lines["win two rows and lose one (WWL)"] == "2 units in all"
    assert lines["win two rows and tie one (WWT)"] == "3 units in all"
    assert lines["win all three (WWW, scoop)"] == "4 units in all"
    lines = dict(words(load_rules("mainland"))["Rows"])
    assert lines["win all three (WWW, scoop)"] == "6 units in all, without royalties"


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (["overall.basis=net"], ("2 units", "2 units", "3 units", "4 units")),
        (["overall.basis=total"], ("2 units", "2 units", "3 units", "4 units")),
        (["scoop.when=none-lost", "scoop.multiplier=2"], ("2 units", "2 units", "6 units", "8 units")),
        (
            ["scoop.multiplier=players"],
            ("1 unit", "2 units", "3 units", "4 units times the number of players (8, 12 or 16)"),
        ),
        (["rows.front=0", "rows.middle=0", "rows.back=0"], ("nothing", "1 unit", "1 unit", "1 unit")),
    ],
)
def test_outcomes_in_words(sets: list[str], expected: tuple[str, ...]) -> None:
    lines = [text for label, text in words(load_rules("2-4", sets))["Rows"] if "(W" in label]
    assert lines == [f"{text} in all" for text in expected]


def test_no_outcomes_where_they_do_not_follow() -> None:
    def outcomes(name: str, *sets: str) -> list[str]:
        return [label[-5:] for label, _ in words(load_rules(name, sets))["Rows"] if "(W" in label]

    assert outcomes("2-4", "rows.front=2") == []
    assert outcomes("2-4-royalties", "overall.basis=total") == ["coop)"]
    assert outcomes("2-4", "ranking.suits=cdhs") == ["(WWL)", "coop)"]
    assert outcomes("2-4", "table.banker=true", "table.banker_wins_ties=true") == ["(WWL)", "coop)"]


def test_royalties_in_words() -> None:
    lines = dict(words(load_rules("hong-kong"))["Royalties"])
    assert lines["three of a kind in front"] == "3 units instead of the row's 1"
    lines = dict(words(load_rules("2-4", ["royalties.back={'quads:6'=5,quads=4,'flush:A'=1}"]))["Royalties"])
    assert lines["four sixes in the back"] == "5 units more"
    assert lines["flush with an ace as its top card in the back"] == "1 unit more"
    assert "named rank" in lines["a hand that fits several"]


SIX_PAIRS = "naturals.list=[{kind='six-pairs',units=3}]"

# For each key, what else must hold for it to make a difference at the table.
EFFECTIVE = {
    "royalties.split": ["royalties.back.quads=4"],
    "royalties.paid": ["royalties.front.trips=3"],
    "royalties.per_hand": ["royalties.front.trips=3"],
    "royalties.style": ["royalties.front.trips=3"],
    "foul.royalties": ["royalties.front.trips=3"],
    "foul.units": ["foul.pays=units"],
    "home_run.min_opponents": ["home_run.extra=3"],
    "overall.basis": ["overall.two_rows=1"],
    "surrender.units": ["surrender.allowed=true"],
    "table.banker_wins_ties": ["table.banker=true"],
    "naturals.enabled": [SIX_PAIRS],
    "naturals.paid": [SIX_PAIRS],
    "naturals.suits": [SIX_PAIRS],
    "naturals.may_decline": [SIX_PAIRS],
    "naturals.as_scoop": [SIX_PAIRS, "home_run.extra=6"],
}


@pytest.mark.parametrize("key", CHANGES)
def test_words_tell_every_key(key: str, write: Any) -> None:
    path = write("")
    around = EFFECTIVE.get(key, [])
    before, after = load_rules(path, around), load_rules(path, [*around, f"{key}={CHANGES[key]}"])
    assert explain(before) != explain(after)


@settings(deadline=None)
@given(st.lists(st.sampled_from(sorted(CHANGES)), unique=True, max_size=12))
def test_words_for_every_combination(keys: list[str]) -> None:
    problems: list[Any] = []
    raw: dict[str, Any] = {}
    changes, _ = rules_module._read_overrides([f"{key}={CHANGES[key]}" for key in keys], problems)
    rules = rules_module._build(rules_module._merge(raw, changes), problems)
    for section in explain(rules):
        assert section.lines
        for label, text in section.lines:
            assert label.strip() == label != ""
            assert text.strip() == text != ""
            assert "{" not in text and "1 units" not in text.split(": ")[0]


def test_a_changed_copy_does_not_pass_for_the_preset(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(preset_text("1-6").replace('title = "', 'title = "My '), encoding="utf-8")
    assert load_rules(path).name == "1-6" and load_rules(path, ["rows.front=2"]).name == "1-6"
    for extra in ("[rows]\nfront = 2\n", "[foul]\nroyalties = true\n"):
        path.write_text(f'name = "2-4"\nextends = "2-4"\n{extra}', encoding="utf-8")
        assert load_rules(path).name == "2-4 (mine.toml)"
        assert load_rules(str(path), ["surrender.allowed=true"]).name == "2-4 (mine.toml)"
    path.write_text('name = "own"\n', encoding="utf-8")
    assert load_rules(path).name == "own"
