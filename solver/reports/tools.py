"""Measurements as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solver.reports.text import PLAIN, Page, columns_of, pad, wrapped


def render_bench(rows: Sequence[dict[str, Any]], page: Page = PLAIN) -> str:
    """Return measurements as text, each with its ratio where it is compared with another."""
    lines = []
    room = min(
        max((columns_of(row["name"]) for row in rows), default=0),
        page.width - 14 - max((len(row["unit"]) for row in rows), default=0),
    )
    for row in rows:
        *before, name = wrapped(row["name"], max(room, 8)) or [""]
        lines += [*before, f"{pad(name, room)} {row['value']:>12,.2f} {row['unit']}"]
        if row["ratio"] is not None:
            digits = 1 if row["ratio"] >= 10 else 2
            lines += page.wrap(f"{row['ratio']:,.{digits}f} x {row['relative_to']}", "  ")
    return page.finish("\n".join(lines))
