"""What a player can do instead of playing his rows: declare a natural, or surrender."""

from dataclasses import replace

from solver.deals import Deals
from solver.expectation import Valuation, mean_and_error
from solver.naturals import HeldNatural, natural_units, share_that_pays
from solver.records import Choice
from solver.rules import RuleSet
from solver.strategies import Strategy


def is_decided(valuation: Valuation, held: HeldNatural | None, strategy: Strategy, precision: float) -> bool:
    """Whether neither another candidate, nor a natural or surrender, can be better by more than ``precision``."""
    return valuation.decided(precision) and _clear(
        instead(held, valuation, strategy), valuation.table.deals.game.rules, precision
    )


def _clear(choices: tuple[Choice | None, Choice | None], rules: RuleSet, precision: float) -> bool:
    """Whether it is certain that a natural and surrender are better than the rows, or not, to the precision."""
    if choices[0] is not None and not rules.naturals.may_decline:
        return True
    return all(choice is None or choice.decided(precision) for choice in choices)


def instead(held: HeldNatural | None, valuation: Valuation, strategy: Strategy) -> tuple[Choice | None, Choice | None]:
    """Value declaring a natural that a hand holds, and surrender, against its best arrangement in the same deals."""
    rules = valuation.table.deals.game.rules
    natural = surrender = None
    best_units = float(valuation.mean[valuation.best])
    must = held is not None and not rules.naturals.may_decline
    if held is not None:
        natural = _choice(held.kind, held, valuation, strategy)
        natural = replace(natural, advised=must or natural.margin >= 0)
        best_units = max(best_units, natural.units)
    if rules.surrender.allowed:
        surrender = _choice("", None, valuation, strategy)
        surrender = replace(surrender, advised=not must and surrender.units > best_units)
    if natural is not None and surrender is not None and surrender.advised:
        natural = replace(natural, advised=False)
    return natural, surrender


def _choice(kind: str, held: HeldNatural | None, valuation: Valuation, strategy: Strategy) -> Choice:
    """Value declaring a natural, or surrendering where there is none."""
    played = valuation.table.deals
    rules = played.game.rules
    price = rules.surrender.units
    if valuation.measured:
        units = played.surrendering(price) if held is None else played.declaring(held)
        return Choice(*mean_and_error(units), *mean_and_error(units - valuation.totals), advised=False, kind=kind)
    total = _by_shares(held, strategy.of(played.banker == "other"), played)
    return Choice(total, None, total - float(valuation.mean[valuation.best]), None, advised=False, kind=kind)


def _by_shares(held: HeldNatural | None, theirs: Strategy, played: Deals) -> float:
    """Return the units in total of declaring a natural, or of surrendering, by how often opponents do such things.

    Opponents are taken for independent, as in the tables, and of two naturals of a kind each wins as often.
    """
    rules, pay, shares = played.game.rules, played.game.pay, theirs.naturals.tolist()
    mine = None if held is None else replace(held, tiebreak=())
    kinds = [HeldNatural(place, one.kind, one.units, ()) for place, one in enumerate(rules.naturals.kinds)]
    met = [(share, natural_units(mine, other, rules)) for share, other in zip(shares, kinds, strict=False)]
    met.append((1 - sum(shares) - theirs.surrendered, -rules.surrender.units if held is None else held.units))
    # Who surrenders pays a natural all the same, and nothing to somebody who surrenders, too.
    met.append((theirs.surrendered, 0.0 if held is None else held.units))
    number, others, more = float(played.paired.sum()), played.game.players - 2, pay.home_multiplier - 1
    total = float(number * sum(share * units for share, units in met))
    if pay.home_run and rules.naturals.as_scoop:
        if held is not None and played.can_run:
            paid = sum(share for share, units in met if units > 0)
            won = sum(share * units for share, units in met if units > 0)
            total += number * paid ** (number - 1) * (more * won + pay.home_extra * paid)
        if played.banker != "me":
            for place, (share, units) in enumerate(met[: len(shares)]):
                if units < 0:
                    runs = share_that_pays(place, shares, rules) ** others
                    total += number * share * runs * (more * units - pay.home_extra)
    return float(total)
