"""Matches: fairness, statistics, and programs that answer well, badly or not at all."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from solver import kernels
from solver import match as module
from solver.arrangements import ROWS, Arrangement, foul_reason, legal_arrangements
from solver.cards import Hand, card_name, format_cards
from solver.errors import CapsaError, StrategyError
from solver.match import MatchResult, Standing, deal_chunk, match, replay
from solver.naturals import natural_of
from solver.rules import RuleSet, load_rules
from solver.scoring import Player
from solver.setters import Setting, _Table, illegal
from solver.strategies import FINEST, Strategy, load_strategy
from solver.tables import lower
from tests import naive

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a table that sets about a third of all hands otherwise than the balanced one."""
    path = tmp_path_factory.mktemp("tables") / "other.npz"
    base = load_strategy("balanced", load_rules("2-4"))
    values = base.values.astype(np.float64)
    legal = base.values > -32768
    values[legal] += np.random.default_rng(1).normal(0, 0.04 * values[legal].std(), legal.sum())
    noisy = np.where(legal, np.clip(values, -32000, 32000), -32768).astype(np.int16)
    Strategy("other", base.ranking, "", base.edges, noisy, base.units).save(path)
    return str(path)


def short(a: str, b: str, **settings: Any) -> MatchResult:
    return match(a, b, **{"hands": 400, "precision": 1e-9, **settings})


def table_settings(source: str, rules: RuleSet, hands: Any) -> list[Arrangement]:
    return [one.player.arrangement for one in settings(source, rules, 2, hands)]  # type: ignore[misc]


def settings(source: str, rules: RuleSet, players: int, hands: Any) -> list[Setting]:
    asked = np.asarray(hands, np.int64).reshape(-1, 13)
    return list(_Table(source, lower(rules, players), 1, print).settings(asked))


# --- Fairness and statistics ---


@pytest.mark.parametrize(
    ("rules", "players"), [("2-4", 2), ("malayan", 2), ("mainland", 3), ("thai", 4), ("pusoy", 4), ("fuzhou", 3)]
)
def test_a_strategy_against_itself_wins_nothing(rules: str, players: int) -> None:
    found = short("balanced", "balanced", rules=rules, players=players, hands=320)
    assert found.units == 0 and found.stderr == 0 and found.identical == 1 and found.decided
    assert found.scoops[0] == pytest.approx(found.scoops[1]) and found.fouls == (0, 0)


@pytest.mark.parametrize("rules", ["2-4", "1-6-royalties", "capsa-susun"])
def test_sides_can_be_swapped(rules: str, other: str) -> None:
    there, back = (short(*pair, rules=rules) for pair in (("balanced", other), (other, "balanced")))
    assert there.units == -back.units != 0 and there.stderr == back.stderr
    assert there.scoops == back.scoops[::-1] and there.identical == back.identical
    assert 0.4 < there.identical < 0.9


def test_results_do_not_depend_on_jobs(other: str) -> None:
    assert len({repr(short("balanced", other, hands=1600, jobs=jobs)) for jobs in (1, 2, 3)}) == 1


def test_longer_matches_begin_with_the_deals_of_shorter_ones(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[list[float]] = []

    class Tally(module._Tally):
        def figures(self) -> dict[str, Any]:
            played.append(self._columns().ravel().tolist())
            return super().figures()

    monkeypatch.setattr(module, "_Tally", Tally)
    for deals in (300, 1000, 1200):
        short("balanced", other, hands=2 * deals)
    assert played[1][: len(played[0])] == played[0] and played[2][: len(played[1])] == played[1]
    assert len(played[2]) == 4 * len(played[0])
    assert (deal_chunk(0, 1, 4)[:, :2] == deal_chunk(0, 1, 2)).all()
    assert (deal_chunk(0, 1, 2) != deal_chunk(0, 0, 2)).any() and (deal_chunk(1, 0, 2) != deal_chunk(0, 0, 2)).any()


def test_deals_are_ascending_hands_of_one_deck() -> None:
    deals = deal_chunk(5, 0, 4)
    assert deals.shape == (1000, 4, 13) and (np.diff(deals, axis=-1) > 0).all()
    assert (np.sort(deals.reshape(1000, 52)) == np.arange(52)).all()
    counts = np.bincount(deals[:, 0].ravel(), minlength=52)
    assert ((counts - 250) ** 2 / 250).sum() < 100  # chi-square with 51 degrees of freedom


def test_a_match_stops_at_its_precision_after_whole_thousands(other: str) -> None:
    wide = match("balanced", other, precision=0.5)
    assert wide.deals == 1000 and wide.hands == 2000 and wide.decided and 0 < wide.stderr <= 0.5
    closer = match("balanced", other, precision=wide.stderr * 0.8)
    assert closer.deals in (2000, 3000) and closer.decided
    stopped = match("balanced", other, precision=wide.stderr / 10, hands=3001)
    assert stopped.deals == 1500 and stopped.hands == 3000 and not stopped.decided


@pytest.mark.parametrize(
    ("rules", "players", "changes"),
    [
        ("2-4", 2, ()),
        ("mainland", 3, ()),
        ("taiwan", 4, ()),
        ("capsa-susun", 2, ()),
        ("malayan", 2, ()),
        ("pusoy", 3, ("home_run.extra=2",)),
        ("2-4-royalties", 4, ("naturals.may_decline=false",)),
        ("deuce-to-seven", 2, ()),
    ],
)
def test_units_are_those_of_the_slow_twin(rules: str, players: int, changes: tuple[str, ...], other: str) -> None:
    played, deals = load_rules(rules, changes), 30
    if rules in ("mainland", "malayan", "pusoy", "deuce-to-seven"):
        strategies = "balanced", "balanced"
    else:
        strategies = "balanced", other
    banks = played.table.banker
    replays = players * (players if banks else 1)
    found = short(*strategies, rules=played, players=players, hands=deals * replays)

    plain = naive.complete(msgspec.to_builtins(played))
    hands = deal_chunk(0, 0, players)[:deals]
    laid = [[seated(rows, played) for rows in table_settings(name, played, hands)] for name in strategies]
    by_deal, pairs, scoops = [], 0, [0, 0]
    for at in range(deals):
        a, b = (side[at * players : (at + 1) * players] for side in laid)
        total = 0.0
        for seat, banker in product(range(players), range(players) if banks else (None,)):
            settled = naive.settle(plain, [*b[:seat], a[seat], *b[seat + 1 :]], banker=banker)
            assert sum(settled.totals) == pytest.approx(0)
            total += settled.totals[seat]
            others = [i for i in range(players) if i != seat and (banker is None or banker in (i, seat))]
            pairs += len(others)
            for one, rows in settled.rows.items():
                if seat in one:
                    scoop = rows.scoop if one[0] == seat else -rows.scoop
                    scoops[0] += scoop > 0
                    scoops[1] += scoop < 0
        by_deal.append(total / replays)
    assert found.deals == deals and found.units == pytest.approx(np.mean(by_deal), abs=1e-12)
    assert found.stderr == pytest.approx(np.std(by_deal, ddof=1) / np.sqrt(deals), abs=1e-12)
    assert found.scoops == pytest.approx((scoops[0] / pairs, scoops[1] / pairs))


@pytest.fixture(scope="module")
def timid(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a table that surrenders two hands of five, as the banker one of five, and sets them otherwise then."""
    path, rules = tmp_path_factory.mktemp("tables") / "timid.npz", load_rules("2-4")
    base, out = load_strategy("balanced", rules), np.empty((1000, 3), np.int64)
    kernels.arrange_hands(deal_chunk(7, 0, 1)[:, 0], *base.kernel_arguments(lower(rules)), out)
    often, seldom = (base.units[0] + base.units[1] * np.quantile(out[:, 0], part) / FINEST for part in (0.4, 0.2))
    noise = np.random.default_rng(3).normal(0, 300, base.values.shape)
    other = np.where(base.values > -32768, np.clip(base.values + noise, -32000, 32000), -32768).astype(np.int16)
    banker = replace(base, values=other, surrender=float(seldom), surrendered=0.2)
    replace(base, surrender=float(often), surrendered=0.4, banker=banker).save(path)
    return str(path)


@pytest.mark.parametrize(
    ("rules", "players", "changes"),
    [
        ("1-4", 2, ()),
        ("1-6-royalties", 3, ()),
        ("taiwan", 4, ("surrender.allowed=true", "naturals.as_scoop=true")),
        ("malayan", 3, ("surrender.allowed=true", "surrender.units=1")),
        ("malayan", 2, ("surrender.allowed=true", "home_run.min_opponents=1", "home_run.extra=2")),
    ],
)
def test_tables_that_surrender_or_bank_play_as_the_slow_twin(
    rules: str, players: int, changes: tuple[str, ...], timid: str
) -> None:
    played, deals = load_rules(rules, changes), 40
    banks = played.table.banker
    replays = players * (players if banks else 1)
    found = short(timid, "balanced", rules=played, players=players, hands=deals * replays)
    back = short("balanced", timid, rules=played, players=players, hands=deals * replays)
    plain = naive.complete(msgspec.to_builtins(played))
    hands = deal_chunk(0, 0, players)[:deals]
    a, b = (settings(name, played, players, hands) for name in (timid, "balanced"))
    assert 0.25 < np.mean([one.player.surrender for one in a]) < 0.55 and not any(one.player.surrender for one in b)
    if banks:
        banking = [one.banking for one in a]
        assert all(banking) and 0.05 < np.mean([one.surrender for one in banking if one]) < 0.35
        assert any(one.player != one.banking for one in a)

    def seat(ways: list[Setting], at: int, seat: int, banker: int | None) -> naive.Player:
        cards, setting = tuple(hands[at, seat].tolist()), ways[at * players + seat]
        player = setting.banking or setting.player if banker == seat else setting.player
        if natural_of(cards, played):
            return naive.Player(natural=tuple(map(card_name, cards)))
        if player.surrender:
            return naive.Player(surrender=True)
        return naive.Player(*(tuple(map(card_name, player.arrangement.row(row))) for row in ROWS))  # type: ignore[union-attr]

    for result, ours, theirs in ((found, a, b), (back, b, a)):
        by_deal = []
        for at in range(deals):
            total = 0.0
            for place, banker in product(range(players), range(players) if banks else (None,)):
                line = [seat(ours if k == place else theirs, at, k, banker) for k in range(players)]
                total += naive.settle(plain, line, banker=banker).totals[place]
            by_deal.append(total / replays)
        assert result.units == pytest.approx(np.mean(by_deal), abs=1e-12) and np.std(by_deal) > 0
        assert result.stderr == pytest.approx(np.std(by_deal, ddof=1) / np.sqrt(deals), abs=1e-12)


def test_a_table_that_banks_otherwise_wins_nothing_from_itself(timid: str) -> None:
    rules = load_rules("malayan", ["surrender.allowed=true"])
    found = short(timid, timid, rules=rules, players=3, hands=360)
    assert found.units == found.stderr == 0 and found.identical == 1


def seated(rows: Arrangement, rules: RuleSet) -> naive.Player:
    named = [tuple(map(card_name, rows.row(row))) for row in ROWS]
    if natural_of(rows.hand.cards, rules):
        return naive.Player(natural=named[0] + named[1] + named[2])
    return naive.Player(*named)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", ["2-4", "mainland", "malayan"])
def test_what_a_wins_in_a_seat_the_others_lose(rules: str, players: int) -> None:
    """With A and B exchanged in two seats the totals are exchanged, so a deal is as good for either."""
    played = load_rules(rules)
    for hands in deal_chunk(3, 0, players)[:5].tolist():
        ways = [[Player(arrangement=illegal(hand, played)) for hand in hands]]
        ways.append([Player(arrangement=rows) for rows in table_settings("balanced", played, hands)])
        for a, b in product(ways, ways):
            units, pairs, won, lost = replay(played, a, b)
            assert pairs == players * (players - 1) * (2 if played.table.banker else 1)
            if players == 2:
                assert replay(played, b, a) == (-units, pairs, lost, won)
            if a is b:
                assert units == 0 and won == lost
            elif a is ways[1]:
                assert units > 0 and won == pairs and lost == 0


def test_naturals_are_declared_by_everybody(other: str) -> None:
    nothing = [f"rows.{row}=0" for row in ROWS] + ["overall.two_rows=0", "overall.three_rows=0"]
    found = short("balanced", other, rules=load_rules("2-4", nothing), hands=2000)
    assert found.units == found.stderr == 0 and found.identical < 0.9  # they are paid to and fro between the replays


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"players": 5}, "players: the rule set '2-4' seats 2 to 4, got 5"),
        ({"players": 1}, "players"),
        ({"hands": 3}, "hands: from 4 "),
        ({"hands": 10**9}, "hands"),
        ({"hands": 17, "rules": "malayan", "players": 3}, "hands: from 18 "),
        ({"precision": 0.0}, "precision"),
        ({"precision": float("nan")}, "precision"),
        ({"seed": -1}, "seed"),
        ({"jobs": 0}, "jobs"),
        ({"timeout": 0.0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"b": "nobody"}, "unknown strategy 'nobody'"),
        ({"b": "bot.py"}, "table FILE.npz); the command of a program begins with 'cmd:'"),
        ({"b": "./bot.py"}, "no such file; the command of a program begins with 'cmd:'"),
        ({"b": "missing.npz"}, "no such file"),
        ({"b": "cmd:"}, "expected the command of a program after 'cmd:'"),
        ({"b": "cmd:''"}, "expected the command"),
        ({"b": "cmd:bot 'x"}, "not the command of a program"),
        ({"b": "cmd:no-such-bot --fast"}, "'no-such-bot' cannot be started (No such file or directory)"),
        ({"b": "cmd:/"}, "'/' cannot be started (Permission denied)"),
    ],
)
def test_what_cannot_be_served_is_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(CapsaError) as caught:
        short(**{"a": "balanced", "b": "balanced", **settings})
    assert message in str(caught.value)


def test_the_record_is_that_of_the_contract(other: str) -> None:
    record = short("balanced", other, overrides={"rows.back": 2}).to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert set(record) >= {"a", "b", "rules", "units", "stderr", "hands", "identical", "scoops", "fouls"}
    assert record["hands"] == 400 and record["deals"] == 200 and record["fouls"] == [0, 0]
    assert record["a"] == "balanced" and record["rules"] == "2-4" and record["overrides"] == {"rows.back": 2}


def test_progress_tells_how_the_match_stands(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROGRESS_EVERY", 0.0)
    seen: list[Standing] = []
    found = short("balanced", other, hands=100, progress=seen.append)
    assert [one.deals for one in seen] == list(range(2, 51))
    assert (seen[-1].units, seen[-1].stderr, seen[-1].left) == (found.units, found.stderr, 0)
    assert all(one.left >= 0 for one in seen) and seen[0].left > 0


# --- Programs ---

START = """
import json, os, sys, time
from pathlib import Path
here = Path(__file__).parent
with open(here / "pids", "a") as file:
    file.write(f"{os.getpid()}\\n")
print("something on stderr", file=sys.stderr, flush=True)
def low_to_high(line):
    cards = sorted(line.split(), key=lambda card: "23456789TJQKA".index(card[0]))
    return " | ".join(" ".join(row) for row in (cards[:3], cards[3:8], cards[8:]))
def high_to_low(line):
    cards = sorted(line.split(), key=lambda card: "AKQJT98765432".index(card[0]))
    return " | ".join(" ".join(row) for row in (cards[:3], cards[3:8], cards[8:]))
"""


def each(answer: str) -> str:
    """Return a program that answers every line with an expression."""
    return START + f"for line in sys.stdin:\n    print({answer}, flush=True)\n"


def program(folder: Path, text: str) -> str:
    (folder / "bot.py").write_text(text, encoding="utf-8")
    return f"cmd:{sys.executable} '{folder / 'bot.py'}'"


def alive(folder: Path) -> list[int]:
    """Return which of a program's processes still run, and how often it was started."""
    running = []
    pids = (folder / "pids").read_text().split()
    for pid in map(int, pids):
        try:
            os.kill(pid, 0)
            running.append(pid)
        except ProcessLookupError:
            pass
    return [len(running), len(pids)]


def test_a_program_that_answers_as_a_table_does_is_that_table(tmp_path: Path) -> None:
    rules = load_rules("2-4")
    hands = deal_chunk(0, 0, 2)[:200].reshape(-1, 13)
    answers = {}
    for hand, laid in zip(hands.tolist(), table_settings("balanced", rules, hands), strict=True):
        rows = [format_cards(laid.row(row)[::-1]).lower() for row in ROWS]
        answers[format_cards(reversed(hand))] = " / ".join(rows)
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    bot = program(tmp_path, each("answers[line.strip()]").replace("def low", READ + "def low", 1))
    found = short("balanced", bot)
    assert (found.units, found.identical, found.fouls, found.deals) == (0, 1, (0, 0), 200)
    assert found.a == "balanced" and found.b == bot and found.faults == (None, None)
    assert alive(tmp_path) == [0, 1]


READ = "answers = json.loads((here / 'answers.json').read_text())\n"


def test_a_program_plays_either_side_and_each_hand_is_asked_once(tmp_path: Path) -> None:
    text = each("low_to_high(line)").replace("    print", "    (here / 'log').open('a').write(line)\n    print", 1)
    bot = program(tmp_path, text)
    there, back = short("balanced", bot, hands=120), short(bot, "balanced", hands=120)
    assert there.units == -back.units and there.fouls == back.fouls[::-1] and there.fouls[1] > 0
    asked = (tmp_path / "log").read_text().splitlines()
    dealt = deal_chunk(0, 0, 2)[:60].reshape(-1, 13).tolist()
    to_set = [format_cards(reversed(hand)) for hand in dealt if natural_of(hand, load_rules("2-4")) is None]
    assert asked == 2 * to_set and len(to_set) < len(dealt)
    many = short("balanced", bot, hands=120, players=3)
    assert many.deals == 40 and many.fouls[1] > 0 and many.units > 0


FAULTS = [
    ("high_to_low(line)", "beats the", 1),
    ("'hello'", "expected three rows", 1),
    ("''", "expected three rows", 1),
    ("low_to_high(line).replace('|', '')", "expected three rows", 1),
    ("'As Kd Qh | 2c 3c 4c 5c 6c | 7d 8d 9d Td Jd'", "other cards than dealt", 1),
    ("'As Ks Qs | Js Ts 9s 8s 7s | 6s 5s 4s 3s 1s'", "unknown rank in '1s'", 1),
    ("low_to_high(line).replace(' |', '', 1)", "expected three rows", 1),
    ("low_to_high(line)[:-3]", "the back has 5 cards, got 4", 1),
    ("'x' * 5000", "an answer of more than 1,000 characters", 4),
    ("'\\u2660' * 300", "expected three rows", 1),
    ("sys.exit(3)", "the program ended before it answered (exit code 3)", 4),
    ("os._exit(os.getpid() % 1)", "exit code 0", 4),
    ("time.sleep(60)", "no answer within 0.4 s", 4),
    ("os.kill(os.getpid(), 9)", "exit code -9", 4),
]


@pytest.mark.parametrize(("answer", "reason", "starts"), FAULTS)
def test_whatever_is_no_legal_answer_is_a_foul(answer: str, reason: str, starts: int, tmp_path: Path) -> None:
    bot = program(tmp_path, each(answer))
    found = short("balanced", bot, hands=60, timeout=0.4 if "sleep" in answer else 20, quiet=True)
    assert found.fouls[0] == 0 and found.fouls[1] > 40 and alive(tmp_path) == [0, starts]
    fault = found.faults[1]
    assert fault is not None and reason in fault and found.faults[0] is None
    dealt = deal_chunk(0, 0, 2)[:30].reshape(-1, 13).tolist()
    assert fault.split(":")[0] in [format_cards(reversed(hand)) for hand in dealt[: 60 if "high" in answer else 1]]
    if answer != "high_to_low(line)":
        naturals = sum(natural_of(hand, load_rules("2-4")) is not None for hand in dealt)
        assert found.fouls[1] == 60 - naturals and found.units == pytest.approx(4 * (60 - naturals) / 60, abs=0.3)
        assert found.scoops[0] > 0.9 and found.scoops[1] == 0


def test_a_program_that_recovers_goes_on(tmp_path: Path) -> None:
    once = "low_to_high(line) if len((here / 'pids').read_text().split()) > 1 else sys.exit(1)"
    found = short("balanced", program(tmp_path, each(once)), hands=60)
    assert found.faults[1] is not None and "exit code 1" in found.faults[1]
    assert 1 < found.fouls[1] < 45 and alive(tmp_path) == [0, 2]


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("while True: print('As Kd | x | y')", 60),
        ("while True: sys.stdout.write('x' * 100_000)", 60),
        ("while True: print('')", 3600),  # its input, which it never reads, is full after about 1,600 hands
    ],
)
def test_a_program_that_floods_its_output_does_not_stop_the_match(text: str, hands: int, tmp_path: Path) -> None:
    start = time.monotonic()
    found = short("balanced", program(tmp_path, START + text), hands=hands, timeout=1.0)
    assert found.fouls[1] > 0.9 * hands and time.monotonic() - start < 60
    assert alive(tmp_path)[0] == 0


def test_the_children_of_a_program_are_ended_with_it(tmp_path: Path) -> None:
    program(tmp_path, START + "time.sleep(60)\n")
    bot = f"cmd:sh -c '{sys.executable} {tmp_path / 'bot.py'}; true'"
    found = short("balanced", bot, hands=4, timeout=0.5)
    assert found.fouls[1] == 4
    deadline = time.monotonic() + 5
    while alive(tmp_path)[0] and time.monotonic() < deadline:
        time.sleep(0.05)  # whoever adopts them may take a moment to reap them
    assert alive(tmp_path)[0] == 0


def test_two_programs_can_play_and_what_they_say_is_passed_on_or_dropped(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bot = program(tmp_path, each("low_to_high(line)"))
    found = short(bot, bot, hands=40)
    assert found.units == 0 and found.identical == 1 and found.fouls[0] == found.fouls[1]
    assert capfd.readouterr().err.count("something on stderr") == 2
    short(bot, bot, hands=4, quiet=True)
    assert capfd.readouterr().err == "" and alive(tmp_path) == [0, 4]


def test_an_error_ends_the_program_that_was_started(tmp_path: Path) -> None:
    with pytest.raises(StrategyError):
        short(program(tmp_path, each("low_to_high(line)")), "nobody")
    deadline = time.monotonic() + 5
    while not (tmp_path / "pids").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not (tmp_path / "pids").exists() or alive(tmp_path)[0] == 0


@pytest.mark.parametrize("name", ["2-4", "mainland", "deuce-to-seven"])
def test_every_hand_can_be_laid_illegally(name: str) -> None:
    rules = load_rules(name)
    odd = ["Ac3c4c5c6c7c8c9cTcJcQcKc2d", "2c2d2h2s3c3d3h3s4c4d4h4s5c", "AcAdAhAsKcKdKhKsQcQdQhQsJc"]
    for hand in [*deal_chunk(9, 0, 4)[:50].reshape(-1, 13).tolist(), *(Hand.parse(text).cards for text in odd)]:
        laid = illegal(hand, rules)
        assert foul_reason(laid, rules) and sorted(laid.hand.cards) == sorted(hand)


def test_where_nothing_is_illegal_the_cards_are_laid_all_the_same() -> None:
    suit, rules = range(3, 52, 4), load_rules("deuce-to-seven")
    assert sum(1 for _ in legal_arrangements(Hand(tuple(suit)), rules)) == 72_072
    assert sorted(illegal(suit, rules).hand.cards) == list(suit)
    assert foul_reason(illegal(suit, load_rules("2-4")), load_rules("2-4"))


# --- Interrupts ---


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("answered", [100, 1])
def test_ctrl_c_prints_the_result_so_far(answered: int, tmp_path: Path) -> None:
    text = START + (
        "for number, line in enumerate(sys.stdin):\n"
        f"    if number == {answered}:\n        (here / 'stuck').touch()\n        time.sleep(60)\n"
        "    print(low_to_high(line), flush=True)\n"
    )
    words = ["match", "balanced", program(tmp_path, text), "--json", "--timeout", "60"]
    with subprocess.Popen(
        [sys.executable, "-m", "solver", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as playing:
        deadline = time.monotonic() + 120
        while not (tmp_path / "stuck").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        playing.send_signal(signal.SIGINT)
        shown, said = playing.communicate(timeout=60)
    assert playing.returncode == 130 and b"Interrupted." in said and b"Traceback" not in said
    assert alive(tmp_path) == [0, 1]
    if answered == 1:
        assert shown == b""
        return
    record = json.loads(shown)
    assert record["interrupted"] is True and 50 <= record["deals"] < 60 and record["hands"] == 2 * record["deals"]


def test_programs_are_ended_when_the_match_is(tmp_path: Path) -> None:
    program = tmp_path / "hang.py"
    program.write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)\n")
    words = [sys.executable, "-m", "solver", "match", f"cmd:{sys.executable} {program}", "balanced", "-q"]
    with subprocess.Popen(words, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}) as process:
        deadline = time.monotonic() + 60
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{pid}").exists()
