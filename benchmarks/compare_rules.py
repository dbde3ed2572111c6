"""How the best arrangement of a few telling hands differs between rule sets, and what the other's gives up.

Usage: python benchmarks/compare_rules.py
"""

from solver.advice import best
from solver.records import Advice

HANDS = [
    ("3h 4s 5s 7s 8s 9h Jd Js Qc Qd Qh Kd Ks", "2-4", "1-6"),
    ("2d 4c 4h 8c 8d 8h 9h 9s Th Qd Kd Kh Ks", "hong-kong", "mainland"),
    ("2h 5s 6c 6h 6s 8c 8s 9h Jd Ac Ad Ah As", "2-4-royalties", "taiwan"),
]
DEALS = 20_000


def answer(hand: str, rules: str) -> Advice:
    return best(hand, rules=rules, deals=DEALS, precision=0, top=3000)


def main() -> None:
    for hand, *names in HANDS:
        answers = {name: answer(hand, name) for name in names}
        print(hand)
        for name, other in (names, names[::-1]):
            laid = str(answers[other].best.arrangement)
            lost = [one for one in answers[name].alternatives if str(one.arrangement) == laid]
            behind = f"{lost[0].behind:.3f} +- {lost[0].behind_stderr:.3f}" if lost else "nothing: it is the same"
            print(f"  {name}: {answers[name].best.arrangement}; that of {other} gives up {behind}")


if __name__ == "__main__":
    main()
