"""Answers of every kind, for what shows them."""

from dataclasses import replace
from functools import cache

from msgspec.structs import replace as changed

from solver import Advice, best, grade

HAND = "2d 8s Qs 6h 4h 2h 8d 6s Ks 5c Qc As 3d"
PAIRS = "2c 2d 5c 5h 7d 7s 8c 8h Jd Js Kc Kh 9s"
DRAGON = "2c 3d 4c 5c 6h 7c 8c 9c Ts Jc Qc Kc Ac"
POOR = "2c 3d 4s 5h 7c 8d 9s Jh Tc 3h 2s 7d 8h"
HOSTILE = "\x1b[31m</title><script>alert(1)</script>\" onload='x' \u202e& 十三水"

KINDS = {
    "plain": lambda: best(HAND, deals=1000),
    "alone": lambda: best(HAND, top=0, deals=200, rules="deuce-to-seven", players=4),
    "many": lambda: best(HAND, top=30, deals=200, rules="thai", players=4),
    "royalties": lambda: best(HAND, deals=500, rules="mainland", players=4),
    "quick": lambda: best(HAND, quick=True, rules="mainland", players=4),
    "natural": lambda: best(PAIRS, deals=500, rules="1-4"),
    "dragon": lambda: best(DRAGON, deals=500, rules="capsa-susun", players=3),
    "surrender": lambda: best(POOR, deals=500, rules="1-4", players=4),
    "banker": lambda: best(HAND, deals=500, rules="malayan", players=4, banker="me"),
    "bank's guest": lambda: best(HAND, deals=500, rules="malayan", players=4),
    "kept": lambda: best(HAND, deals=500, keep="back: As"),
    "graded": lambda: grade("Qs Qc 2h | 8s 8d 6s 6h Ks | 5c 4h 3d 2d As", deals=1000),
    "graded best": lambda: grade("Qc 8d 2h | 6h 5c 4h 3d 2d | As Ks Qs 8s 6s", deals=1000),
    "graded beaten": lambda: grade("2d 3d 4h | 5c 6h 8s 8d Ks | Qs Qc 6s 2h As", deals=500),
    "foul": lambda: grade("Kc Kd 9s | 8c 8h Jd Js 2d | 5c 5h 7d 7s 2c", deals=500, rules="1-4"),
    "quick foul": lambda: grade("Kc Kd 9s | 8c 8h Jd Js 2d | 5c 5h 7d 7s 2c", quick=True, rules="1-4"),
    "interrupted": lambda: replace(answer("plain"), interrupted=True),
    "hostile": lambda: hostile(answer("graded")),
}


@cache
def answer(kind: str) -> Advice:
    """Return an answer of a kind."""
    return KINDS[kind]()


def hostile(advice: Advice) -> Advice:
    """Return an answer with names that try to be markup."""
    rules = changed(advice.rules, name=HOSTILE, title=HOSTILE)
    return replace(advice, rules=rules, opponents=f"{HOSTILE}.npz", overrides={"<b>": HOSTILE})
