"""What answers look like to the letter, in the files of tests/golden.

A change that is meant is written there by ``CAPSA_GOLDEN=write python -m pytest tests/test_golden.py``; look at what
git shows of it before it is committed. ``cat`` shows the files with escape codes as a terminal would.
"""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from solver.arrangements import Arrangement
from solver.cards import Hand, parse_cards
from solver.cli import main
from solver.records import Advice, Candidate, Choice, Grade
from solver.reports.answers import render_advice
from solver.reports.text import Page
from solver.rules import load_rules
from tests.test_report import ADVICE, BEST, NEXT

GOLDEN = Path(__file__).parent / "golden"
WEAK = "5c 3d 2d | 8s 8d 4h 2h 6h | Qs Qc 6s Ks As"
REAL = ["--deals", "1000", "--opponents", "balanced", "-q"]


def by_table(one: Candidate) -> Candidate:
    return replace(one, stderr=None, behind_stderr=None)


OWN = replace(NEXT, scoop=0.2, scooped=0.25, royalties=0.1)
RECORDS: dict[str, Advice] = {
    "best": ADVICE,
    "interrupted": replace(ADVICE, interrupted=True, decided=False),
    "quick": replace(ADVICE, deals=0, decided=False, best=by_table(BEST), alternatives=(by_table(NEXT),)),
    "kept": replace(ADVICE, keep={"back": parse_cards("As"), "front": parse_cards("Qs Qc")}, candidates=2),
    "natural": replace(
        ADVICE,
        hand=Hand.parse("2c 2d 5c 5h 7d 7s 8c 8h Jd Js Kc Kh 9s"),
        natural=Choice(3.981, 0.004, 3.569, 0.018, True, "six-pairs"),
    ),
    "banker": replace(
        ADVICE,
        rules=load_rules("malayan"),
        players=4,
        banker="me",
        natural=Choice(1.25, 0.01, -2.5, 0.02, False, "six-pairs"),
    ),
    "surrender": replace(
        ADVICE,
        rules=load_rules("1-6-royalties"),
        players=4,
        best=replace(BEST, units=-9.5),
        surrender=Choice(-9.02, 0.005, 0.48, 0.05, True),
        overrides={"surrender.units": 3},
    ),
    "grade": replace(
        ADVICE,
        rules=load_rules("mainland"),
        graded=Grade(NEXT.arrangement, None, OWN.units, OWN.stderr, OWN.behind, OWN.behind_stderr, OWN, 2),
    ),
    "grade-beaten": replace(
        ADVICE,
        graded=Grade(
            *(NEXT.arrangement, None, OWN.units, OWN.stderr, 1.035, 0.06, OWN, 119, BEST.arrangement),
        ),
    ),
    "grade-equal": replace(ADVICE, graded=Grade(NEXT.arrangement, None, 0.412, 0.017, 0.0, 0.0, NEXT, 1)),
    "grade-close": replace(
        ADVICE, decided=False, graded=Grade(NEXT.arrangement, None, 0.402, 0.017, 0.01, 0.009, NEXT, 2)
    ),
    "grade-quick": replace(
        ADVICE, deals=0, graded=Grade(NEXT.arrangement, None, 0.377, None, 0.035, None, by_table(NEXT), 2)
    ),
    "grade-best": replace(ADVICE, graded=Grade(BEST.arrangement, None, 0.412, 0.017, 0.0, 0.0, BEST, 1)),
    "grade-foul": replace(
        ADVICE,
        graded=Grade(
            Arrangement.parse("Qs Qc 2h | As 5c 4h 3d 2d | 8s 8d 6s 6h Ks"),
            "the middle (five-high straight) beats the back (eights and sixes, king)",
            *(-4.009, 0.004, 4.421, 0.017),
        ),
    ),
}
PAGES = {
    "80": Page(color=True),
    "40": Page(40, color=True, four_color=True),
    "ascii": Page(ascii=True),
}
ARGUMENTS = {
    "real-best": ["best", str(ADVICE.hand), *REAL],
    "real-grade": ["grade", WEAK, "--rules", "mainland", "--players", "4", "--narrow", "--ascii", *REAL],
}


def compare(name: str, text: Callable[[], str]) -> None:
    """Compare a text with the file that has it, or write that where it is asked for."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("CAPSA_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text() + "\n", encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == text() + "\n"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", RECORDS)
def test_answers_on_pages(name: str, page: str) -> None:
    compare(f"{name}-{page}", lambda: render_advice(RECORDS[name], PAGES[page]))


@pytest.mark.parametrize("name", ["best", "quick", "natural", "kept", "grade", "grade-foul"])
def test_answers_as_json(name: str) -> None:
    compare(f"{name}-json", lambda: json.dumps(RECORDS[name].to_dict(), indent=1))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_real_answers(name: str) -> None:
    def answer() -> str:
        done = CliRunner().invoke(main, ARGUMENTS[name])
        assert done.exit_code == 0 and done.stderr == ""
        return done.stdout.removesuffix("\n")

    compare(name, answer)


def test_no_file_is_left_over() -> None:
    names = {f"{name}-{page}" for name in RECORDS for page in PAGES} | set(ARGUMENTS)
    names |= {f"{name}-json" for name in ("best", "quick", "natural", "kept", "grade", "grade-foul")}
    assert {path.stem for path in GOLDEN.iterdir()} == names
