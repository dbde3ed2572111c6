"""Rule sets as text."""

from __future__ import annotations

from collections.abc import Sequence

from solver.reports.text import PLAIN, Page, table
from solver.rulebook import Section
from solver.rules import RuleSet


def render_rules(sections: Sequence[Section], page: Page = PLAIN) -> str:
    """Return a rule set in words."""
    parts = [f"{page.strong(section.title)}\n{table(section.lines, page, indent=2)}" for section in sections]
    text = "\n\n".join(parts)
    return page.finish(text)


def render_rules_list(rules: Sequence[RuleSet], page: Page = PLAIN) -> str:
    """Return the names of rule sets, each with its title."""
    return page.finish(table([(one.name, one.title) for one in rules], page, strong=True))
