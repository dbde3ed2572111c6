"""Measurements as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solver.reports.text import PLAIN, Page


def render_bench(rows: Sequence[dict[str, Any]], page: Page = PLAIN) -> str:
    """Return measurements as text, each with its ratio where it is compared with another."""
    lines, room = [], max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        lines.append(f"{row['name']:<{room}} {row['value']:>12,.2f} {row['unit']}")
        if row["ratio"] is not None:
            digits = 1 if row["ratio"] >= 10 else 2
            lines.append(f"  {row['ratio']:,.{digits}f} x {row['relative_to']}")
    text = "\n".join(lines)
    return page.finish(text)
