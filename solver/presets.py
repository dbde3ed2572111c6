"""What comes with capsa, by name: rule sets and strategies. Nothing is loaded, so that names complete at once."""

from pathlib import Path

DEFAULT_RULES = "2-4"

RULESETS = Path(__file__).parent / "rulesets"

_ORDER = (
    *(DEFAULT_RULES, "1-6", "1-4", "2-4-royalties", "1-6-royalties", "equal-royalties", "club", "eastern"),
    *("hong-kong", "taiwan", "mainland", "quanzhou", "fuzhou", "mau-binh", "pusoy", "capsa-susun", "malayan"),
    *("thai", "deuce-to-seven"),
)


def preset_names() -> list[str]:
    """Names of the rule sets that come with the package, the default first."""
    found = {path.stem for path in RULESETS.glob("*.toml")}
    return [name for name in _ORDER if name in found] + sorted(found.difference(_ORDER))


def strategy_names() -> list[str]:
    """Names of the strategies that come with capsa, beside the equilibria of its rule sets."""
    return ["equilibrium", "balanced", "greedy"]
