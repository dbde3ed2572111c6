"""A settled round as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from solver.arrangements import ROWS, Arrangement, as_laid, row_names
from solver.reports.text import PLAIN, TWO_COLUMNS, Page, beside, columns_of, fit, number, pad
from solver.rules import RuleSet
from solver.words import shorter

if TYPE_CHECKING:  # so that commands which value nothing do not load NumPy and Numba
    from solver.rounds import ScoredRound
    from solver.scoring import Pair


ROOMS = [
    (room, narrow, sums) for narrow, sums in ((False, False), (True, False), (True, True)) for room in range(20, 3, -1)
]
"""What gives way until the tables fit: first names; then what decided a pair stands below it; then who got from whom.

Each is the columns of a name, and whether the other two are so.
"""


def render_score(scored: ScoredRound, page: Page = PLAIN) -> str:
    """Return a settled round as text: what each player held, how each pair came out, and what everybody receives."""
    seats = range(len(scored.players))
    blocks = ["\n".join(_player(scored, seat, page)) for seat in seats]
    for room, narrow, sums_only in ROOMS:
        names = _labels(scored, room, page)
        tables = [*_pairs(scored, names, narrow, page), "", *_matrix(scored, names, sums_only, page)]
        if max(columns_of(line) for line in tables) <= page.width:
            break
    text = "\n\n".join([*blocks, "\n".join(tables), "\n".join(page.wrap(_terms(scored)))])
    return page.finish(text)


def _labels(scored: ScoredRound, room: int, page: Page) -> list[str]:
    """Return the players' names for tables, with the numbers of their seats where they would look the same."""
    names = [player.name for player in scored.players]
    labels = [fit(name, room, page.ascii) for name in names]
    if len(set(labels)) < len(labels):
        labels = [fit(f"{seat} {name}", room, page.ascii) for seat, name in enumerate(names, start=1)]
    return labels


def _player(scored: ScoredRound, seat: int, page: Page) -> list[str]:
    """Return what a player held and declared."""
    player, settled = scored.players[seat], scored.settlement
    marks = []
    if player.name == scored.banker:
        marks.append("banker")
    if player.surrender:
        marks.append("surrenders")
    if natural := settled.naturals[seat]:
        worth = f"{number(natural.units, '')} unit{'' if natural.units == 1 else 's'}"
        marks.append(f"natural: {natural.kind.replace('-', ' ')} ({worth})")
    if player.undeclared:
        marks.append("royalties not declared")
    if why := settled.fouls[seat]:
        marks.append(f"foul: {why}")
    mark, name = ", ".join(marks), fit(player.name, page.width, page.ascii)
    lines = [page.strong(name) + (f"  {mark}" if mark else "")]
    if columns_of(name) + 2 + len(mark) > page.width:
        lines = [page.strong(name), *page.wrap(mark, "  ")]
    if player.natural:
        lines.append(f"  {page.cards(sorted(player.natural.cards, reverse=True))}")
    if player.arrangement:
        lines += _laid_rows(player.arrangement, scored.rules, page)
    return lines


def _laid_rows(arrangement: Arrangement, rules: RuleSet, page: Page) -> list[str]:
    """Return three rows with their names in words, without the kickers that do not fit."""
    lines, laid = [], as_laid(arrangement, rules)
    for row, words in zip(ROWS, row_names(arrangement, rules), strict=True):
        cards = f"  {row:<7}{page.cards(laid.row(row))}"
        if page.width >= TWO_COLUMNS:
            lines.append(f"{pad(cards, 25)}{shorter(words, page.width - 25)}")
        else:
            lines += [cards, f"{'':<9}{shorter(words, page.width - 9)}"]
    return lines


def _colored(amount: float, page: Page) -> str:
    """Return an amount in the colour of winning or losing."""
    shown = number(amount)
    return page.signed(shown, 0 if shown == "0" else amount)


def _pairs(scored: ScoredRound, names: Sequence[str], narrow: bool, page: Page) -> list[str]:
    """Return a line for each pair, or two: row results, royalties and units from the first player's side."""
    pairs = scored.settlement.pairs
    columns = [["", *(f"{names[pair.a]} v {names[pair.b]}" for pair in pairs)]]
    if any(pair.results for pair in pairs):
        results = (" ".join("TWL"[row] for row in pair.results) if pair.results else "- - -" for pair in pairs)
        columns.append(["F M B", *results])
    if any(any(pair.royalties) for pair in pairs) and not narrow:
        columns.append(["royalties", *map(_royalties, pairs)])
    columns.append(["units", *(_colored(pair.units, page) for pair in pairs)])
    if scored.stakes:
        stakes = [scored.stakes.get((scored.players[pair.a].name, scored.players[pair.b].name), 1.0) for pair in pairs]
        money = (pair.units * stake for pair, stake in zip(pairs, stakes, strict=True))
        columns.append(["money", *(_colored(amount, page) for amount in money)])
    title, *lines = beside(columns, page)
    if not narrow:
        return [title, *(f"{line}  {_course(scored, pair, names)}" for line, pair in zip(lines, pairs, strict=True))]
    found = [title]
    for line, pair in zip(lines, pairs, strict=True):
        royalties = f"royalties {_royalties(pair)}" if any(pair.royalties) else ""
        found += [line, *page.wrap(", ".join(filter(None, (royalties, _course(scored, pair, names)))), "  ")]
    return found


def _royalties(pair: Pair) -> str:
    return " : ".join(number(paid, "") for paid in pair.royalties)


def _course(scored: ScoredRound, pair: Pair, names: Sequence[str]) -> str:
    """Say what decided a pair, where its rows alone did not."""
    settled, both = scored.settlement, (pair.a, pair.b)
    text = ""
    for held, one, two in (
        ([settled.naturals[seat] is not None for seat in both], "{}'s natural", "two naturals"),
        ([scored.players[seat].surrender for seat in both], "{} surrenders", "both surrender"),
        ([settled.fouls[seat] is not None for seat in both], "{} fouls", "both foul"),
        ([pair.scoop > 0, pair.scoop < 0], "{} scoops", ""),
    ):
        if any(held):
            text = two if all(held) else one.format(names[pair.a] if held[0] else names[pair.b])
            break
    return f"{text}, home run" if pair.home_run else text


def _matrix(scored: ScoredRound, names: Sequence[str], sums_only: bool, page: Page) -> list[str]:
    """Return what each player receives from each other, in all, and in money where stakes are given."""
    settled = scored.settlement
    columns = [["" if sums_only else "gets from", *names]]
    for seat, name in enumerate([] if sums_only else names):
        columns.append(
            [name, *("" if at == seat else _colored(settled.matrix[at][seat], page) for at in range(len(names)))]
        )
    columns.append(["total", *(page.strong(_colored(total, page)) for total in settled.totals)])
    if scored.stakes:
        columns.append(["money", *(page.strong(_colored(money, page)) for money in scored.money)])
    return beside(columns, page)


def _terms(scored: ScoredRound) -> str:
    """Say by which rules the round was settled, and how to read the pairs."""
    pairs = scored.settlement.pairs
    parts = [f"Rules {scored.rules.name}."]
    if any(pair.results for pair in pairs):
        parts.append("Front, middle and back (F M B) are the first player's: W won, T tied, L lost.")
    if scored.rules.ranking.suits:
        parts.append("Between equal hands suits decide.")
    if scored.rules.table.banker_wins_ties:
        parts.append("The banker wins tied rows.")
    if scored.rules.scoop.when == "none-lost":
        parts.append("To scoop is to win a row and lose none.")
    if any(any(pair.royalties) for pair in pairs):
        parts.append("Royalties: to the first : to the second.")
    return " ".join(parts)
