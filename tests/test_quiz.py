"""The quiz: what is dealt, typed, judged and kept, and the conversation at a terminal."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from solver import files
from solver.advice import best, grade
from solver.arrangements import Arrangement
from solver.cards import Hand, format_cards
from solver.cli import main
from solver.errors import ArrangementError, CapsaError, CardError, RequestError
from solver.history import History, Played, Progress, Tally
from solver.quiz import AFTER_NEXT, LEAST, NEXT, TRAP, Quiz, Verdict, in_order, parse_answer
from solver.reports.quiz import render_hand, render_help, render_progress, render_score, render_verdict
from solver.reports.text import PLAIN, Page
from solver.rules import load_rules

HAND = Hand.parse("2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d")
ROOT = Path(__file__).parent.parent
NARROW = Page(width=40)
FIRST = "2s 3h 5h 5s 6c 7h 7s 8c 8s 9h 9s Ts Js"
"""The first hand of seed 1, as `capsa deal 1 --seed 1` deals it, sorted."""

SIX_PAIRS = "2c 2d 5c 5h 7d 7s 8c 8h Jd Js Kc Kh 9s"


def run(*words: str, **settings: Any) -> Result:
    return CliRunner().invoke(main, ["quiz", *words], **settings)


# --- What is typed ---

BEST = "Qc 8d 2h | 6h 5c 4h 3d 2d | As Ks Qs 8s 6s"


def test_a_hand_is_sorted_as_a_player_sorts_it_and_numbered() -> None:
    assert format_cards(in_order(HAND)) == "As Ks Qs Qc 8s 8d 6s 6h 5c 4h 3d 2h 2d"
    wide, narrow = render_hand(in_order(HAND)).split("\n"), render_hand(in_order(HAND), NARROW).split("\n")
    assert wide[0].split() == [str(number) for number in range(1, 14)]
    assert wide[1].split()[:4] == ["A♠", "K♠", "Q♠", "Q♣"] and wide[2].split() == [
        "♠",
        "AKQ86",
        "♥",
        "642",
        "♦",
        "832",
        "♣",
        "Q5",
    ]
    assert len(wide) == 3 and len(narrow) == 5 and max(map(len, narrow)) <= 40


@pytest.mark.parametrize(
    "text",
    [
        BEST,
        BEST.replace(" ", "").replace("|", "/"),
        BEST.replace("s", "♠").replace("|", "｜"),  # noqa: RUF001
        BEST.replace(" | ", "\n"),
        "4 6 12 | 8 9 10 11 13 | 1 2 3 5 7",
        "4,6,12/8,9,10,11,13",
        "4 6 12 8 9 10 11 13",
        "4 6 12 8 9 10 11 13 1 2 3 5 7",
        "Qc 8d 2h | 6h 5c 4h 3d 2d",
        "Qc8d2h 6h5c4h3d2d",
        "8 9 10 11 13 | 1 2 3 5 7",
        "| 8 9 10 11 13 | 1 2 3 5 7",
        "4 6 12 | | 1 2 3 5 7",
        "4 6 12 | 8 9 10 11 13 |",
        "back: 1 2 3 5 7 | top: 4 6 12",
        "back: As Ks Qs 8s 6s; middle: 6h 5c 4h 3d 2d",
        "tengah: 8 9 10 11 13 / depan: 4 6 12 / belakang: 1 2 3 5 7",
    ],
)
def test_a_hand_can_be_set_in_many_ways(text: str) -> None:
    found = parse_answer(text, HAND)
    assert [set(found.row(row)) for row in ("front", "middle", "back")] == [
        set(Arrangement.parse(BEST).row(row)) for row in ("front", "middle", "back")
    ]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("4 6 14 | 8 9 10 11 13", CardError, "numbered from 1 to 13, got 14"),
        ("0 6 12 | 8 9 10 11 13", CardError, "numbered from 1 to 13, got 0"),
        (f"{'9' * 500} 1 2", CardError, "numbered from 1 to 13, got 99999"),
        ("4 6 12 | 8 9 10 11 4", CardError, r"number 4 stands twice \(Qc\)"),
        ("Qc 6 12 | 8 9 10 11 13", CardError, "all by number or all as cards, got '6'"),
        ("back: 1 2 3 5 6s | top: 4 6 12", CardError, "all by number or all as cards, got '1'"),
        ("Qc 8d Ah | 6h 5c 4h 3d 2d", CardError, "Ah is not in your hand"),
        ("Qc 8d 2h | 6h 5c 4h 3d 2h", CardError, "2h stands in the front and in the middle"),
        ("Qc 8d 2h | 6h 5c 4h 3d 2x | As Ks Qs 8s 6s", CardError, "middle card 5 of 5: unknown suit in '2x'"),
        ("4 6 12 | 8 9 10 11", ArrangementError, r"got 3 \| 4"),
        ("8 9 10 11 13 | 4 6 12", ArrangementError, r"got 5 \| 3"),
        ("4 6 12", ArrangementError, "got 3"),
        ("4 6 12 | |", ArrangementError, "one row can be left out, got the front alone"),
        ("back: 1 2 3 5 7", ArrangementError, "one row can be left out, got the back alone"),
        ("| |", ArrangementError, "one row can be left out, got no cards"),
        ("front:", ArrangementError, "one row can be left out, got no cards"),
        ("4 6 | 8 9 10 11 13 |", ArrangementError, "the front has 3 cards, got 2: Qc 8d"),
        ("back: 1 2 3 5 | top: 4 6 12", ArrangementError, "the back has 5 cards, got 4"),
        ("rear: 1 2 3 5 7 | top: 4 6 12", ArrangementError, "expected front:, middle: or back:"),
        ("1 2 3 5 7 | 8 9 10 11 13 | 4 6 12", ArrangementError, "write the front of three first"),
        ("hello", CardError, "card 1 of"),
        ("1|2|3|4", ArrangementError, r"got 1 \| 1 \| 1 \| 1"),
        ("1" * 1_000_000, ArrangementError, "at most 1,000 characters, got 1,000,000"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, error: type[CapsaError], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_answer(text, HAND)


# --- What is judged ---


def verdict(answer: Arrangement | str, advice: Any) -> Verdict:
    return Verdict.of(answer, advice)


def test_an_answer_gives_up_what_the_grade_says() -> None:
    table = Quiz(load_rules("2-4"), deals=1000)
    own = parse_answer("Qs Qc Ks | 8s 8d 6s 6h 2d", HAND)
    judged, graded = table.judge(own, HAND), grade(own, deals=1000, precision=0).graded
    assert graded is not None
    assert (judged.units, judged.behind, judged.stderr) == (graded.units, graded.behind, graded.behind_stderr)
    assert not judged.right and judged.behind > 0.2
    right = table.judge(Arrangement.parse(BEST), HAND)
    assert right.right and right.behind == 0 == right.stderr and right.answer == right.best
    assert "Best!" in render_verdict(right) and "The next gives up" in render_verdict(right)
    for page in (PLAIN, NARROW, Page(ascii=True), Page(width=30)):
        shown = render_verdict(judged, page)
        assert "You give up 0." in shown and "yours" in shown and "best" in shown
        assert max(map(len, shown.split("\n"))) <= page.width and shown.isascii() == page.ascii


def test_a_foul_counts_by_what_it_costs() -> None:
    table = Quiz(load_rules("2-4"), deals=1000)
    judged = table.judge(parse_answer("Qs Qc Ks | 5c 4h 3d 2h 8d | As 8s 6s 6h 2d", HAND), HAND)
    assert judged.foul and not judged.right and judged.behind > 2
    assert "Foul: the front (pair of queens, king) beats the middle" in " ".join(render_verdict(judged).split())


def test_what_is_nothing_or_within_the_error_counts_as_best() -> None:
    advice = best(HAND, deals=1000)
    assert Verdict("natural", "surrender", 0.0, 0.01, 0.0, advice).right
    assert not Verdict("natural", "surrender", 0.0, 0.02, 0.0, advice).right
    close = Verdict("natural", "surrender", 0.0, 0.02, 0.01, advice)
    assert close.right and "Too close to call: 0.020 ± 0.010 units behind." in render_verdict(close)
    nothing = Verdict("natural", "surrender", 0.0, 0.01, 0.0, advice)
    assert "As good as the best: 0.010 ± 0.000 units behind." in render_verdict(nothing)


def test_naturals_and_surrender_are_answers() -> None:
    pairs = Hand.parse(SIX_PAIRS)
    table = Quiz(load_rules("1-4"), deals=1000)
    declared, given = table.judge("natural", pairs), table.judge("surrender", pairs)
    assert declared.right and declared.behind == 0 and declared.best == "natural"
    assert given.best == "natural" and given.behind == pytest.approx(declared.units - given.units)
    rows = table.judge(Arrangement.parse("Kc Kh 9s | 8c 8h 7d 7s 2c | Jd Js 5c 5h 2d"), pairs)
    assert rows.best == "natural" and rows.behind == pytest.approx(declared.units - rows.units)
    assert "Declare your six pairs" in render_verdict(rows)
    played = best(HAND, rules="1-4", deals=1000, precision=0)
    kept = table.judge("surrender", HAND)
    assert kept.best == played.best.arrangement and played.surrender is not None
    assert kept.behind == pytest.approx(played.best.units - played.surrender.units)
    assert "Surrender brings" in render_verdict(kept)


# --- What is dealt ---


def test_seeds_deal_the_hands_of_capsa_deal_again() -> None:
    dealt = [one.hand for _, one in zip(range(3), Quiz(load_rules("2-4"), seed=1).dealt(), strict=False)]
    again = [one.hand for _, one in zip(range(3), Quiz(load_rules("1-6"), seed=1).dealt(), strict=False)]
    lines = CliRunner().invoke(main, ["deal", "3", "--seed", "1"]).stdout.splitlines()
    assert [str(hand) for hand in dealt] == lines and again == dealt
    assert sorted(dealt[0].cards) == list(Hand.parse(FIRST).cards)


@pytest.mark.parametrize(("filter", "rules"), [("close", "2-4"), ("trap", "2-4"), ("hard", "1-4")])
def test_hard_hands_are_what_they_are_called(filter: str, rules: str) -> None:
    """Looked at anew with other deals, they are so within three standard errors."""
    table = Quiz(load_rules(rules), seed=2, filter=filter)
    for _, dealt in zip(range(2), table.dealt(), strict=False):
        thumb = table.rule_of_thumb(dealt.hand)
        advice = best(dealt.hand, rules=rules, deals=20_000, precision=0, seed=7, graded=thumb)
        spread, graded = advice.best.sd, advice.graded
        assert graded is not None and graded.behind is not None and graded.behind_stderr is not None
        first, second = advice.alternatives[:2]
        error = 6 * max(first.behind_stderr or 0, second.behind_stderr or 0)  # of both looks
        close = (
            LEAST * spread - error <= (first.behind or 0) <= NEXT * spread + error
            and (second.behind or 0) <= AFTER_NEXT * spread + error
        )
        trap = graded.behind >= TRAP * spread - 6 * graded.behind_stderr
        assert {"close": close, "trap": trap, "hard": close or trap}[filter]
        assert not (advice.surrender and advice.surrender.advised)


def test_hard_hands_are_found_against_opponents_without_a_table_of_units() -> None:
    table = Quiz(load_rules("2-4"), opponents="balanced", filter="hard", deals=1000)
    assert next(table.dealt()).number == 1


def test_hands_that_leave_no_choice_are_not_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = [Hand.parse(SIX_PAIRS), HAND]
    monkeypatch.setattr("solver.quiz.hands", lambda seed: iter(hands))
    rules = load_rules("2-4", ["naturals.may_decline=false"])
    assert [one.hand for one in Quiz(rules, opponents="balanced").dealt()] == [HAND]
    assert [one.natural for one in Quiz(load_rules("2-4")).dealt()] == [True, False]


def test_a_search_without_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.quiz.MOST_DEALT", 3)
    monkeypatch.setattr(Quiz, "passes", lambda self, hand: False)
    seen: list[int] = []
    with pytest.raises(RequestError, match="no hand is 'trap' among 3"):
        next(Quiz(load_rules("2-4"), filter="trap").dealt(seen.append))
    assert seen == [1, 2, 3]


# --- What is kept ---

DAY = datetime(2025, 3, 3, 12, tzinfo=UTC)  # a Monday


def played(behind: float, day: int = 0, **changes: Any) -> Played:
    one = Played(
        time=DAY + timedelta(days=day), version="0", rules="2-4", fingerprint="f", players=2, banker=None,
        opponents="equilibrium", filter="all", seed=1, number=1, hand=str(HAND), arrangement=BEST, foul=False,
        units=0.0, best=BEST, behind=behind, stderr=0.01, right=behind <= 0.01,
    )  # fmt: skip
    return replace(one, **changes)


def test_the_score_is_a_mean_with_its_standard_error() -> None:
    tally = Tally.of([played(0.0), played(0.1), played(0.5, foul=True)])
    assert (tally.hands, tally.right, tally.fouls) == (3, 1, 1)
    assert tally.behind == pytest.approx(0.2)
    assert tally.stderr == pytest.approx(math.sqrt((0.04 + 0.01 + 0.09) / 2 / 3))
    assert render_score(tally) == "3 hands: 0.200 ± 0.153 units given up a hand, 1 best, 1 foul."
    assert Tally.of([]).behind is None and Tally.of([played(0.3)]).stderr is None
    assert render_score(Tally.of([played(0.3)])) == "1 hand: 0.300 units given up a hand, 0 best."


def test_progress_is_told_by_table_and_time() -> None:
    losses = [0.4, 0.2] * 5 + [0.1, 0.0] * 10
    hands = [played(loss, day) for day, loss in enumerate(losses)]
    other = [played(1.0, rules="1-6", fingerprint="g"), played(2.0, filter="hard"), played(3.0, players=3)]
    progress = Progress.of([*other, *reversed(hands)])
    assert progress.hands == 33 and len(progress.records) == 4
    record = progress.records[0]
    assert record.all.hands == 30 and record.all.behind == pytest.approx(sum(losses) / 30)
    assert record.all.right == 10 and record.latest.hands == 20 and record.latest.behind == pytest.approx(0.05)
    assert record.before.behind == pytest.approx(0.3) and record.change == pytest.approx(-0.25)
    # Squares of 0.1 over 9 and over 10 hands' mean; of 0.05 over 19 and 20.
    assert record.change_stderr == pytest.approx(math.sqrt(0.01 / 9 + 0.0025 / 19))
    assert record.step == "week" and [start for start, _ in record.periods][:2] == ["2025-03-03", "2025-03-10"]
    assert [tally.hands for _, tally in record.periods] == [7, 7, 7, 7, 2]
    assert [one.behind for one in record.worst] == [0.4] * 5
    shown = progress.to_dict()
    assert shown["tables"][0]["periods"][0]["hands"] == 7 and shown["tables"][0]["worst"][0]["rules"] == "2-4"
    json.dumps(shown, allow_nan=False)
    for page in (PLAIN, NARROW, Page(width=40, ascii=True)):
        text = render_progress(progress, page)
        assert max(map(len, text.split("\n"))) <= page.width
        assert text.isascii() == page.ascii and "0.250" in text and "less than before" in " ".join(text.split())


def test_few_days_are_told_one_by_one() -> None:
    record = Progress.of([played(0.2), played(0.0), played(0.3, 1)]).records[0]
    assert record.step == "day" and [(start, tally.hands) for start, tally in record.periods] == [
        ("2025-03-03", 2),
        ("2025-03-04", 1),
    ]
    assert record.change is None and [one.behind for one in record.worst] == [0.3, 0.2]


def test_a_record_survives_its_line() -> None:
    one = played(0.25, arrangement="natural", banker="me", hints=2)
    assert json.loads(one.line())["time"] == "2025-03-03T12:00:00Z"
    assert one.to_dict()["behind"] == 0.25


def test_damaged_and_foreign_lines_are_skipped_and_stay(tmp_path: Path) -> None:
    history = History(tmp_path / "new" / "quiz.jsonl")
    assert history.read(pytest.fail) == []
    history.add(played(0.1))
    bad = [
        b"{",
        b'{"some": "thing"}',
        b"\xff\xfe",
        played(0.1).line().replace(b"Qc 8d 2h", b"Qc 8d 2x", 1).replace(b"Qc 8d 2h", b"Qc 8d 2x"),
        played(0.1).line().replace(b"12:00:00Z", b"12:00:00"),
        b"[1]",
        b"",
        played(0.1).line()[:-20],
    ]
    with history.path.open("ab") as file:
        file.write(b"\n".join(bad))
    history.add(played(0.2))  # after a line that was left unfinished
    before, notes = history.path.read_bytes(), []
    assert [one.behind for one in history.read(notes.append)] == [0.1, 0.2]
    assert history.path.read_bytes() == before
    assert len(notes) == 7
    for note, line in zip(notes, (2, 3, 4, 5, 6, 7, 9), strict=True):
        assert f"quiz.jsonl, line {line}: skipped" in note


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":' * 100_000,
        played(0.1).line().replace(b'"behind":0.1', b'"behind":1e308'),
        played(0.1).line().replace(b'"behind":0.1', b'"behind":-5'),
        played(0.1).line().replace(b'"players":2', b'"players":-3'),
        played(0.1).line().replace(b"2025-", b"9999-"),
        played(0.1).line().replace(b"2025-03-03", b"0001-01-01"),
    ],
    ids=["deep", "huge", "negative", "seats", "late", "early"],
)
def test_lines_that_nothing_can_be_reckoned_with_are_skipped(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "quiz.jsonl"
    path.write_bytes(b"\n".join([played(0.1).line(), line, played(-1e-12).line()]))
    done = run("--stats", "--history", str(path))
    assert done.exit_code == 0 and "hands     2" in done.stdout
    assert "line 2: skipped, not a hand of a quiz" in done.stderr


def test_two_quizzes_at_a_time_do_not_tear_lines(tmp_path: Path) -> None:
    script = (
        "import msgspec, sys\nfrom dataclasses import replace\nfrom solver.history import History, Played\n"
        "one = msgspec.json.decode(sys.argv[2], type=Played)\n"
        "for at in range(200):\n    History(sys.argv[1]).add(replace(one, behind=float(at)))\n"
    )
    path = tmp_path / "quiz.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", script, str(path), played(0.0).line()], cwd=ROOT) for _ in range(3)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert sorted(one.behind for one in History(path).read(pytest.fail)) == sorted([*map(float, range(200))] * 3)


def test_the_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert files.user_data() == tmp_path / "capsa" and History().path == tmp_path / "capsa" / "quiz.jsonl"
    monkeypatch.setattr("platformdirs.user_data_path", lambda *words, **settings: Path("~/nobody"))
    with pytest.raises(OSError):
        History().add(played(0.0))


# --- The command ---


def test_a_piped_answer_is_judged_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    words = ["--seed", "1", "--hands", "1", "--deals", "1000", "--history", str(path)]
    done = run(*words, input="nothing\n4 6 13 | 8 9 10 11 12\nmore\n")
    assert done.exit_code == 0
    assert "rows (?" not in done.output and "\x1b" not in done.output
    assert "Error: card 1 of" in done.stderr and "Error" not in done.stdout
    assert "You give up 2." in done.stdout and "1 hand: 2." in done.stdout and "seed 1." in done.stdout
    assert "--seed 1" in done.stderr
    kept = History(path).read(pytest.fail)
    assert len(kept) == 1 and sorted(Hand.parse(kept[0].hand).cards) == list(Hand.parse(FIRST).cards)
    assert kept[0].arrangement == "9h 8c 2s | 5s 5h 7h 6c 3h | Js Ts 9s 8s 7s" and kept[0].seed == 1
    shown = run("--stats", "--history", str(path))
    assert shown.exit_code == 0 and "yours 9♥8♣2♠ 5♠5♥7♥6♣3♥ J♠T♠9♠8♠7♠" in shown.stdout
    record = json.loads(run("--stats", "--json", env={"CAPSA_HISTORY": str(path)}).stdout)
    assert record["hands"] == 1 and record["tables"][0]["all"]["behind"] == kept[0].behind
    assert record["file"] == str(path)


def test_json_is_a_record_a_line(tmp_path: Path) -> None:
    words = ["--seed", "1", "--hands", "2", "--deals", "100", "--json", "--history", str(tmp_path / "kept.jsonl")]
    done = run(*words, input="4 6 13 8 9 10 11 12\n1 2 3 4 5 6 7 8\n")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["number"] for record in records] == [1, 2] and "Hand 2" in done.stderr
    assert records == [one.to_dict() for one in History(tmp_path / "kept.jsonl").read(pytest.fail)]


def test_words_are_read_as_keyboards_and_files_write_them(tmp_path: Path) -> None:
    words = ["--seed", "1", "--deals", "100", "--history", str(tmp_path / "quiz.jsonl")]
    done = run(*words, input="\ufeff？\r\nｓ\r\nｑ\r\n")  # noqa: RUF001
    assert done.exit_code == 0 and "Error" not in done.stderr and "Hand 2" in done.stdout
    assert "rows by name" in done.stderr


def test_a_history_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    words = ["--seed", "1", "--hands", "2", "--deals", "100", "--history", str(tmp_path)]
    done = run(*words, input="1 2 3 4 5 6 7 8\n" * 2)
    assert done.exit_code == 0 and done.stderr.count("are not kept") == 1 and "2 hands: " in done.stdout
    done = run("--stats", "--history", str(tmp_path))
    assert done.exit_code == 2 and "cannot be read" in done.stderr
    empty = run("--stats", "--history", str(tmp_path / "none"))
    assert empty.exit_code == 0 and empty.stdout == "No hands yet: capsa quiz deals some.\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hard", "soft"], "'soft' is not one of"),
        (["--hands", "0"], "--hands"),
        (["--players", "9"], "seats 2 to 4"),
        (["--opponents", "nobody"], "unknown strategy 'nobody'"),
        (["--deals", "1"], "deals: from 100"),
        (["--deals", "10000001"], "deals: from 100"),
        (["--precision", "nan"], "precision"),
        (["--banker", "me"], "the rules '2-4' have none"),
    ],
)
def test_wrong_usage_ends_with_2_before_a_hand_is_dealt(words: list[str], message: str) -> None:
    done = run(*words, input="q\n")
    assert done.exit_code == 2 and done.stdout == "" and message in done.stderr


def test_commands_that_the_rules_do_not_know_are_errors_and_a_hand_of_bytes_too() -> None:
    words = ["--seed", "1", "--deals", "100", "--rules", "2-4"]
    done = run(*words, input=b"n\nsurrender\n\xff\xfe\nmore\n\nq\n")
    assert done.exit_code == 0
    assert "holds no natural" in done.stderr and "do not allow surrender" in done.stderr
    assert done.stderr.count("Error: ") == 3 and "no hand before" in done.stderr and "units" not in done.stdout
    assert "skip" in done.stderr and "give the hand up" not in done.stderr
    assert "give the hand up" in render_help(load_rules("1-4"), NARROW)


def test_letters_are_dealt_where_symbols_cannot_be() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "solver", "quiz", "--seed", "1", "--deals", "100", "--hands", "1"],
        input=b"4 6 13 8 9 10 11 12\n", capture_output=True, cwd=ROOT, check=False,
        env=os.environ | {"PYTHONIOENCODING": "cp1252:strict"},
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.isascii() and b"Js  Ts  9s" in done.stdout, done.stderr


# --- A conversation at a terminal ---

ASK = r"rows \(\? for help\): "


@contextmanager
def terminal(*words: str, columns: int = 80, **env: str) -> Iterator[Any]:
    pexpect = pytest.importorskip("pexpect")
    if not hasattr(pexpect, "spawn"):
        pytest.skip("needs a pseudo-terminal")
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    child = pexpect.spawn(
        sys.executable, ["-m", "solver", "quiz", "--deals", "1000", *words], cwd=str(ROOT), encoding="utf-8",
        dimensions=(40, columns), timeout=60, env=inherited | {"NO_COLOR": "1", "TERM": "dumb"} | env,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.close(force=True)


def ends(child: Any) -> int:
    import pexpect

    child.expect(pexpect.EOF)
    child.wait()
    return int(child.exitstatus)


def test_a_game_at_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    with terminal("--seed", "1", "--history", str(path)) as child:
        child.expect(ASK)
        assert "J♠  T♠  9♠" in child.before
        for typed, answer in (
            ("Js Ts", "Error: expected front"),
            ("", "front and middle by number"),
            ("hint", "The best back: jack-high straight flush"),
            ("9h 8c 2s | 5s 5h 7h 6c 3h", r"You give up 2\.\d+ ± 0\.\d+ units: place"),
            ("more", "Alternatives "),
            ("s", "Hand 3"),
            ("1 2 3 | 9 10 11 12 13", "Foul: "),
            ("q", r"2 hands: \d\.\d+ ± \d\.\d+ units given up a hand, \d best, 1 foul\."),
        ):
            child.sendline(typed)
            child.expect(answer)
            if typed != "q":
                child.expect(ASK)
        assert ends(child) == 0
    kept = History(path).read(pytest.fail)
    assert [(one.number, one.foul, one.hints) for one in kept] == [(1, False, 1), (3, True, 0)]


def test_ctrl_c_shows_the_score_on_a_narrow_terminal(tmp_path: Path) -> None:
    with terminal("--seed", "1", "--history", str(tmp_path / "kept"), columns=40, NO_COLOR="") as child:
        child.expect(ASK)
        child.sendline("4 6 13 | 8 9 10 11 12")
        child.expect(ASK)
        lines = child.before.split("\n")
        child.sendintr()
        child.expect("1 hand: 2")
        assert ends(child) == 130 and "Interrupted" in child.before and "Traceback" not in child.before
    assert "\x1b[31m" in "".join(lines)
    import click

    assert max(len(click.unstyle(line).strip()) for line in lines) <= 40


def test_ctrl_d_and_the_number_of_hands_end_a_game(tmp_path: Path) -> None:
    with terminal("--seed", "1", "--history", str(tmp_path / "kept")) as child:
        child.expect(ASK)
        child.sendeof()
        assert ends(child) == 0 and "given up" not in child.before
    with terminal("--seed", "1", "--hands", "1", "--history", str(tmp_path / "kept")) as child:
        child.expect(ASK)
        child.sendline("4 6 13 8 9 10 11 12")
        assert ends(child) == 0 and child.before.count("given up a hand") == 1
