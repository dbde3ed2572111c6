"""Rule sets: what a table plays, read from TOML and checked key by key.

A rule set is a frozen record whose attributes carry the names of the TOML keys. This module finds the file or preset,
follows ``extends``, applies ``--set`` overrides and reports every fault at once, by the path of its key. What the rules
mean for a hand is left to the scoring code; what they mean in words, to ``solver.rulebook``.
"""

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct, field

from solver.cards import RANKS
from solver.errors import RequestError, RulesError, did_you_mean, listed, printable
from solver.presets import RULESETS, preset_names

# The limits are far beyond any table; they keep sums finite and products within 64 bits. A description says what is
# accepted and ends up in error messages.
Name = Annotated[str, Meta(min_length=1, description="a text that is not empty")]
Units = Annotated[float, Meta(ge=0, le=1e6, description="a number from 0 to 1,000,000")]
Factor = Annotated[int, Meta(ge=1, le=1000, description="a whole number from 1 to 1000")]
Multiplier = Annotated[Factor | Literal["players"], Meta(description="a whole number from 1 to 1000, or 'players'")]
Opponents = Annotated[int, Meta(ge=1, le=3, description="a whole number from 1 to 3")]
Seats = Annotated[int, Meta(ge=2, le=4)]
SeatRange = Annotated[tuple[Seats, Seats], Meta(description="two whole numbers from 2 to 4, fewest first")]
_PERMUTATION = r"\A(?:(?!.*(.).*\1)[cdhs]{4})?\Z"
SuitOrder = Annotated[str, Meta(pattern=_PERMUTATION, description="'' or the letters c, d, h, s, lowest suit first")]
NaturalKind = Literal[
    "three-flushes", "three-straights", "six-pairs", "five-pairs-trips", "four-trips", "three-quads",
    "dragon", "suited-dragon", "three-straight-flushes", "all-low", "all-high",
    "twelve-colour", "thirteen-colour", "twelve-royals",
]  # fmt: skip


class Ranking(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How hands compare."""

    wheel: Literal["lowest", "second"] = "lowest"
    suits: SuitOrder = ""
    middle: Literal["high", "deuce-to-seven"] = "high"


class Rows(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Units for winning each row."""

    front: Units = 1.0
    middle: Units = 1.0
    back: Units = 1.0


class Overall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Units on top of the rows, per opponent."""

    two_rows: Units = 0.0
    three_rows: Units = 0.0
    basis: Literal["rows", "net", "total"] = "rows"


class Royalties(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Units for strong hands; a row maps ``category`` or ``category:rank`` to units."""

    style: Literal["extra", "replace"] = "extra"
    paid: Literal["winner", "both", "cancel"] = "winner"
    per_hand: Literal["all", "one"] = "all"
    split: bool = False
    front: dict[str, Units] = {}
    middle: dict[str, Units] = {}
    back: dict[str, Units] = {}


class Scoop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What winning all three rows from an opponent multiplies."""

    multiplier: Multiplier = 1
    when: Literal["all-won", "none-lost"] = "all-won"


class HomeRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What scooping every opponent pays."""

    min_opponents: Opponents = 2
    multiplier: Factor = 1
    extra: Units = 0.0


class Natural(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of natural and its units.

    ``quads`` matters to ``five-pairs-trips`` only, ``count`` to ``twelve-royals`` only.
    """

    kind: NaturalKind
    units: Units
    quads: bool = False
    count: Literal[12, 13] = 12


class Naturals(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The naturals that are played, weakest first; ``kinds`` is the key ``list`` of the file."""

    enabled: bool = True
    paid: Literal["higher", "higher-value", "difference", "none"] = "higher"
    suits: SuitOrder = ""
    as_scoop: bool = False
    may_decline: bool = True
    kinds: tuple[Natural, ...] = field(default=(), name="list")


class Foul(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an illegal arrangement pays each legal opponent."""

    pays: Literal["scoop", "units"] = "scoop"
    units: Units = 6.0
    royalties: bool = False


class Surrender(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether a hand may be given up unplayed, and what that pays each opponent."""

    allowed: bool = False
    units: Units = 3.0


class Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether one player banks."""

    banker: bool = False
    banker_wins_ties: bool = False


class RuleSet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A complete rule set.

    ``load_rules`` makes and checks one; a record built by hand has the defaults of the file format but is not checked.
    """

    name: Name = "unnamed"
    title: str = ""
    source: str = ""
    players: SeatRange = (2, 4)
    ranking: Ranking = Ranking()
    rows: Rows = Rows()
    overall: Overall = Overall()
    royalties: Royalties = field(default_factory=Royalties)
    scoop: Scoop = Scoop()
    home_run: HomeRun = HomeRun()
    naturals: Naturals = Naturals()
    foul: Foul = Foul()
    surrender: Surrender = Surrender()
    table: Table = Table()

    def check_players(self, players: int) -> None:
        """Raise RequestError for a number of seats that the rules do not allow."""
        fewest, most = self.players
        if not isinstance(players, Integral) or not fewest <= players <= most:
            raise RequestError(f"players: the rule set '{self.name}' seats {fewest} to {most}, got {players!r}")

    def fingerprint(self) -> str:
        """Identify what matters for play: 16 hex digits.

        They ignore ``name``, ``title`` and ``source``, how many may sit at the table, and what a foul costs.
        """
        # Through convert, so that a record built with 1 and one read as 1.0 agree.
        data = msgspec.to_builtins(msgspec.convert(msgspec.to_builtins(self), RuleSet))
        played = {key: value for key, value in data.items() if key not in (*IDENTITY, "players", "foul")}
        text = json.dumps(played, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


IDENTITY = ("name", "title", "source")  # they describe one file, so they are neither inherited nor overridden


def preset_text(name: str) -> str:
    """Return the TOML text of a preset.

    Raises
    ------
    RulesError
        If there is no such preset; close names are suggested.
    """
    names = preset_names()
    if name not in names:
        raise RulesError(
            f"unknown rule set {_found(name)}{did_you_mean(name.lower(), names)}; "
            "`capsa rules list` names them all, and a file of your own must end in .toml"
        )
    return (RULESETS / f"{name}.toml").read_text(encoding="utf-8")


def load_rules(source: str | os.PathLike[str], overrides: Iterable[str] = ()) -> RuleSet:
    """Read a rule set and check it.

    Parameters
    ----------
    source
        A preset's name, or a path: a text that ends in ``.toml`` or contains a path separator, or any path object.
    overrides
        ``KEY=VALUE`` texts such as ``"scoop.multiplier=2"``. The value is read as TOML, or else taken as it stands.
        Together they act as a file that extends ``source``: a royalty row or list they name is replaced whole.

    Returns
    -------
    RuleSet
        A file that has the name of a preset but other rules is called ``2-4 (mine.toml)``.

    Raises
    ------
    RulesError
        If the source cannot be found or read, or with everything that is wrong in it.

    Examples
    --------
    >>> load_rules("2-4", ["scoop.multiplier=2"]).scoop.multiplier
    2
    >>> load_rules("2-4", ["scoop.multiplyer=2"])
    Traceback (most recent call last):
    solver.errors.RulesError: rules '2-4': scoop.multiplyer: unknown key (did you mean 'multiplier'?) (from --set ...)
    """
    label = os.fsdecode(source)
    rules, problems = _assemble(source, overrides)
    if problems:
        count = f"{len(problems)} problems: " if len(problems) > 1 else ""
        raise RulesError(f"rules '{label}': {count}{'; '.join(problems)}")
    return rules


def check_rules(source: str | os.PathLike[str], overrides: Iterable[str] = ()) -> list[str]:
    """List everything that is wrong with a rule set, each fault after the path of its key; empty if it is sound.

    A source that cannot be found, read or parsed is one fault. Takes what ``load_rules`` takes and raises nothing.
    """
    try:
        return _assemble(source, overrides)[1]
    except RulesError as error:
        return [str(error)]


def _is_path(source: str | os.PathLike[str]) -> bool:
    return not isinstance(source, str) or source.lower().endswith(".toml") or os.sep in source or "/" in source


def rules_text(source: str) -> str:
    """Return the TOML of a preset or a file as it is written."""
    return _file_text(Path(source)) if _is_path(source) else preset_text(source)


def _file_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # editors on Windows put a byte order mark in front
    except UnicodeDecodeError as error:
        raise RulesError(f"'{path}' is not UTF-8 text (byte {error.start + 1})") from None
    except (OSError, ValueError) as error:  # a path with a NUL character is a ValueError
        preset = path.stem in preset_names()
        hint = f" (the rule set that comes with capsa is '{path.stem}', without .toml)" if preset else ""
        raise RulesError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}{hint}") from None


class _Problem(NamedTuple):
    """A fault; ``keys`` are the paths that take part in it, the one to report first."""

    keys: tuple[str, ...]
    text: str


class _Layer(NamedTuple):
    label: str
    identity: str
    folder: Path
    raw: dict[str, Any]


def _read_layer(source: str | os.PathLike[str], folder: Path) -> _Layer:
    if not _is_path(source):
        label = identity = str(source)
        text = preset_text(label)
    else:
        path = folder / os.fsdecode(source)
        text = _file_text(path)
        label, identity, folder = str(path), os.path.realpath(path), path.parent
    try:
        return _Layer(label, identity, folder, tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise RulesError(f"'{label}' is not valid TOML: {error}") from None


def _read_layers(source: str | os.PathLike[str], problems: list[_Problem]) -> list[_Layer]:
    """Read the outermost layer, which must be readable, and what it extends as far as that can be followed."""
    layers = [_read_layer(source, Path())]
    while (base := layers[-1].raw.pop("extends", None)) is not None:
        try:
            if not isinstance(base, str):
                raise RulesError(f"expected the name of a rule set or a file, got {_found(base)}")
            layer = _read_layer(base, layers[-1].folder)
            if layer.identity in [earlier.identity for earlier in layers]:
                chain = " -> ".join(earlier.label for earlier in (*layers, layer))
                raise RulesError(f"goes round in a circle: {chain}")
        except RulesError as error:
            problems.append(_Problem(("extends",), str(error)))
            break
        layers.append(layer)
    return layers


def _merge(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """Lay ``top`` over ``base``: sections merge; what is in a section, royalty rows included, is replaced."""
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        merged[key] = {**below, **value} if isinstance(value, dict) and isinstance(below, dict) else value
    return merged


def _read_overrides(overrides: Iterable[str], problems: list[_Problem]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the overrides as one layer, and the text that set each key's path."""
    layer: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for text in [overrides] if isinstance(overrides, str) else overrides:
        path, equals, value = override_parts(text)
        *sections, last = path
        overlap = [other for key, other in texts.items() if key != ".".join(path) and _touches(key, ".".join(path))]
        if overlap:
            problems.append(_Problem((".".join(path),), f"--set {overlap[0]} and --set {text} set the same key"))
            continue
        if not equals or not all(path):
            problems.append(_Problem((), f"--set {text}: expected KEY=VALUE, such as --set scoop.multiplier=2"))
            continue
        table = layer
        for section in sections:
            if not isinstance(table.get(section), dict):
                table[section] = {}
            table = table[section]
        table[last] = override_value(value)
        texts[".".join(path)] = text
    for key in (*IDENTITY, "extends"):
        if layer.pop(key, None) is not None:
            problems.append(_Problem((key,), "cannot be overridden, only written in a file"))
    return layer, texts


def override_parts(text: str) -> tuple[list[str], bool, str]:
    """Return the parts of the key of ``--set KEY=VALUE``, whether there is an equals sign, and the value's text."""
    key, equals, value = text.partition("=")
    # A rank such as trips:A has to be quoted in TOML; here it need not be.
    return [part.strip().strip("'\"") for part in key.split(".")], bool(equals), value.strip()


def override_value(text: str) -> Any:
    """Return the value of ``--set KEY=VALUE``: TOML, else the bare text."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 else text  # more than one: the text went on to another line


def _assemble(source: str | os.PathLike[str], overrides: Iterable[str]) -> tuple[RuleSet, list[str]]:
    problems: list[_Problem] = []
    layers = _read_layers(source, problems)
    raw: dict[str, Any] = {}
    for layer in reversed(layers):
        raw = _merge({key: value for key, value in raw.items() if key not in IDENTITY}, layer.raw)
    raw.setdefault("name", Path(layers[0].label).stem if _is_path(source) else layers[0].label)
    changes, texts = _read_overrides(overrides, problems)
    rules = _build(_merge(raw, changes), problems)
    if _is_path(source) and rules.name in preset_names() and _differ(_build(raw, []), _assemble(rules.name, ())[0]):
        # A changed copy that kept the preset's name would pass for the preset in every answer.
        rules = msgspec.structs.replace(rules, name=f"{rules.name} ({printable(Path(layers[0].label).name)})")
    return rules, [_attributed(problem, texts) for problem in problems]


def _differ(rules: RuleSet, other: RuleSet) -> bool:
    return any(getattr(rules, key) != getattr(other, key) for key in rules.__struct_fields__ if key not in IDENTITY)


def _touches(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other} ")) or other.startswith((f"{path}.", f"{path} "))


def _attributed(problem: _Problem, texts: Mapping[str, str]) -> str:
    causes = [text for path, text in texts.items() if any(_touches(path, key) for key in problem.keys)]
    cause = f" (from {', '.join(f'--set {text}' for text in causes)})" if causes else ""
    return f"{problem.keys[0]}: {problem.text}{cause}" if problem.keys else problem.text


def _build(raw: Mapping[str, Any], problems: list[_Problem]) -> RuleSet:
    """Make the record, adding every fault to ``problems``; what cannot be used is left at its default."""
    rules: RuleSet = _convert(raw, RuleSet, "", problems)
    if not rules.title:
        rules = msgspec.structs.replace(rules, title=rules.name)
    # A fault that involves a key already at fault would only confuse: its value there is not the one in the file.
    faulty = [key for problem in problems for key in problem.keys]
    if "extends" not in faulty:
        problems += [
            problem
            for problem in _contradictions(rules)
            if not any(_touches(key, other) for key in problem.keys for other in faulty)
        ]
    return rules


def _convert(value: Any, kind: Any, path: str, problems: list[_Problem]) -> Any:
    """Return the value as ``kind``, or ``UNSET`` after reporting what is wrong with it."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _convert_table(value, kind, path, problems)
    if kind == tuple[Natural, ...]:
        return _convert_naturals(value, path, problems)
    if get_origin(kind) is dict:
        return _convert_royalties(value, path, problems)
    try:
        converted = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        options = [str(option) for option in get_args(kind)] if get_origin(kind) is Literal else []
        hint = did_you_mean(value, options) if isinstance(value, str) and len(options) > 4 else ""
        problems.append(_Problem((path,), f"expected {_accepted(kind)}, got {_found(value)}{hint}"))
        return UNSET
    return converted + 0.0 if isinstance(converted, float) else converted  # no negative zero


def _convert_table(value: Any, kind: type[Struct], path: str, problems: list[_Problem]) -> Any:
    if not isinstance(value, Mapping):
        problems.append(_Problem((path,), f"expected a table, got {_found(value)}"))
        return UNSET
    fields = {entry.encode_name: entry for entry in msgspec.structs.fields(kind)}
    values = {}
    for key, item in value.items():
        where = _join(path, key)
        if key not in fields:
            hint = did_you_mean(key, fields) or f" (use {listed(list(fields), 'or')})"
            problems.append(_Problem((where,), f"unknown key{hint}"))
        elif (converted := _convert(item, fields[key].type, where, problems)) is not UNSET:
            values[fields[key].name] = converted
    missing = [key for key, entry in fields.items() if entry.required and entry.name not in values]
    for key in [key for key in missing if key not in value]:
        problems.append(_Problem((_join(path, key),), f"is missing, expected {_accepted(fields[key].type)}"))
    return UNSET if missing else kind(**values)


def _convert_royalties(value: Any, path: str, problems: list[_Problem]) -> Any:
    if not isinstance(value, dict):
        problems.append(_Problem((path,), f"expected a table such as {{ trips = 3 }}, got {_found(value)}"))
        return UNSET
    converted = {key: _convert(units, Units, _join(path, key), problems) for key, units in value.items()}
    return {key: units for key, units in converted.items() if units is not UNSET}


def _convert_naturals(value: Any, path: str, problems: list[_Problem]) -> Any:
    if not isinstance(value, list):
        problems.append(_Problem((path,), f"expected a list of tables, got {_found(value)}"))
        return UNSET
    kinds = []
    for number, item in enumerate(value, start=1):
        where = f"{path} entry {number}"
        natural = _convert_table(item, Natural, where, problems)
        if natural is UNSET:
            continue
        kinds.append(natural)
        # Whether a key was written can only be seen here; in the record it has its default.
        for key, kind in (("quads", "five-pairs-trips"), ("count", "twelve-royals")):
            if key in item and natural.kind != kind:
                problems.append(_Problem((_join(where, key),), f"only '{kind}' takes it, not '{natural.kind}'"))
    return tuple(kinds)


def _join(path: str, key: str) -> str:
    shown = key if key.isprintable() and key.strip() == key != "" else repr(key)
    return f"{path}.{shown}" if path else shown


def _accepted(kind: Any) -> str:
    """Say what a type takes."""
    if get_origin(kind) is Literal:
        return listed([repr(option) for option in get_args(kind)], "or")
    for meta in getattr(kind, "__metadata__", ()):
        return str(meta.description)
    return "true or false" if kind is bool else "a text"


def _found(value: Any) -> str:
    """Show a value as TOML would write it, in brief."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        scalars = all(isinstance(item, bool | int | float | str) for item in value)
        return f"[{', '.join(_found(item) for item in value)}]" if scalars and len(value) <= 4 else "a list"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a huge number"
    text = repr(value) if isinstance(value, str | float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# The lowest rank that a category can be led by; six-high suited cards, for one, are always a straight flush.
_LOWEST_RANK = {
    **{"pair": "2", "two-pair": "3", "trips": "2", "straight": "5", "flush": "7"},
    **{"full-house": "2", "quads": "2", "straight-flush": "5"},
}
ROYALTY_CATEGORIES = (*_LOWEST_RANK, "royal-flush", "steel-wheel")
_FRONT_CATEGORIES = ("pair", "trips")

# Every hand of the first kind is one of the others too.
_ALSO = {
    "dragon": "three-straights",
    "suited-dragon": "dragon three-straights three-flushes three-straight-flushes thirteen-colour twelve-colour",
    "three-straight-flushes": "three-straights three-flushes",
    "five-pairs-trips": "six-pairs",
    "three-quads": "six-pairs",
    "thirteen-colour": "twelve-colour",
}


def _contradictions(rules: RuleSet) -> Iterator[_Problem]:
    for key in IDENTITY:
        if not getattr(rules, key).isprintable():
            yield _Problem((key,), "expected one line of printable text")
    fewest, most = rules.players
    if fewest > most:
        yield _Problem(("players",), f"expected the fewest first, got [{fewest}, {most}]")
    run = rules.home_run
    if (run.multiplier != 1 or run.extra) and run.min_opponents > most - 1:
        keys = ("home_run.min_opponents", "players", "home_run.multiplier", "home_run.extra")
        yield _Problem(keys, f"nobody has {run.min_opponents} opponents where at most {most} play (players)")
    if rules.table.banker_wins_ties and not rules.table.banker:
        yield _Problem(("table.banker_wins_ties", "table.banker"), "needs table.banker = true")
    yield from _royalty_contradictions(rules)
    yield from _natural_contradictions(rules.naturals)


def _royalty_contradictions(rules: RuleSet) -> Iterator[_Problem]:
    royalties = rules.royalties
    if royalties.style == "replace":
        # What stands in for a row's units goes with the row; these keys are about royalties beside the rows.
        for key, value, fits in (
            ("royalties.paid", royalties.paid, "winner"),
            ("royalties.per_hand", royalties.per_hand, "all"),
            ("royalties.split", royalties.split, False),
            ("foul.royalties", rules.foul.royalties, False),
        ):
            if value != fits:
                text = f"expected {_found(fits)} where royalties.style = 'replace', got {_found(value)}"
                yield _Problem((key, "royalties.style"), text)
    elif royalties.split and not any(key.startswith(("quads", "straight-flush")) for key in royalties.back):
        yield _Problem(("royalties.split", "royalties.back"), "needs a quads or straight-flush royalty in the back")
    if royalties.middle and rules.ranking.middle == "deuce-to-seven":
        yield _Problem(("royalties.middle", "ranking.middle"), "a deuce-to-seven middle carries no royalties")
    for row, table in (("front", royalties.front), ("middle", royalties.middle), ("back", royalties.back)):
        for key in table:
            if fault := _royalty_key_fault(row, key):
                yield _Problem((_join(f"royalties.{row}", key),), fault)
        for ranked, named in (("straight-flush:A", "royal-flush"), ("straight-flush:5", "steel-wheel")):
            if ranked in table and named in table:
                paths = (f"royalties.{row}.{named}", f"royalties.{row}.{ranked}")
                yield _Problem(paths, f"the same hands as {ranked}; keep one of the two")


def _royalty_key_fault(row: str, key: str) -> str:
    category, colon, rank = key.partition(":")
    allowed = _FRONT_CATEGORIES if row == "front" else ROYALTY_CATEGORIES
    if category not in ROYALTY_CATEGORIES:
        return "unknown category" + (did_you_mean(category, allowed) or f" (use {listed(list(allowed), 'or')})")
    if category not in allowed:
        return "does not occur in front, where only pair and trips do"
    if not colon:
        return ""
    if category not in _LOWEST_RANK:
        return f"{category} takes no rank"
    if len(rank) != 1 or rank not in RANKS:
        return f"unknown rank {rank!r} (use one of {RANKS})"
    lowest = _LOWEST_RANK[category]
    return f"no such hand, the lowest is {category}:{lowest}" if RANKS.index(rank) < RANKS.index(lowest) else ""


def _natural_contradictions(naturals: Naturals) -> Iterator[_Problem]:
    kinds = [natural.kind for natural in naturals.kinds]
    for index, natural in enumerate(naturals.kinds):
        path = f"naturals.list entry {index + 1}"
        if natural.kind in kinds[:index]:
            first = kinds.index(natural.kind) + 1
            yield _Problem((f"{path}.kind",), f"'{natural.kind}' is entry {first} already")
            continue
        royals = natural.kind == "twelve-royals" and natural.count == 13
        also = "all-high" if royals else _ALSO.get(natural.kind, "")
        if hidden := [kind for kind in kinds[index + 1 :] if kind in also.split()]:
            text = f"'{natural.kind}' could never be declared: it is always a '{hidden[0]}' too, listed later"
            yield _Problem((f"{path}.kind",), f"{text} (weakest first)")
