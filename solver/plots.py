"""Drawings as files: training with matplotlib, answers as SVG, or as PNG with resvg (the extra ``plots`` has both)."""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from solver.errors import RequestError
from solver.files import check_writable, write_whole
from solver.pictures import advice_svg
from solver.svg import without_wide

if TYPE_CHECKING:
    from solver.equilibrium import Gain
    from solver.records import Advice

_NEEDS = "needs {} (pip install 'capsa-solver[plots]')"
_PIXELS = 2  # to a unit of SVG, so that the picture is sharp on a phone


def check_plot(path: str) -> None:
    """Refuse a drawing that could not be made, before anything is computed for it.

    Raises
    ------
    RequestError
        If matplotlib is missing, or the file's ending is not of a picture.
    """
    if Path(path).suffix.lower() not in (".svg", ".png", ".pdf"):
        raise RequestError(f"plot: a file that ends in .svg, .png or .pdf, got {path!r}")
    check_writable(path, RequestError)
    if find_spec("matplotlib") is None:
        raise RequestError(f"plot: {_NEEDS.format('matplotlib')}")


def draw_training(path: str, gains: "Sequence[Gain]", rules: str) -> None:
    """Draw what each round's best response won from the average, with two standard errors."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    rounds = range(2, len(gains) + 2)
    units = [gain.units for gain in gains]
    axes.errorbar(rounds, units, yerr=[2 * gain.stderr for gain in gains], fmt=".", color="tab:blue", elinewidth=0.8)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="round", ylabel="units a hand", title=f"{rules}: what a best response wins from the average")
    axes.set_yscale("symlog", linthresh=0.01)
    figure.savefig(path)


def check_picture(path: str | os.PathLike[str]) -> None:
    """Refuse a picture of an answer that could not be made, before anything is computed for it.

    Raises
    ------
    RequestError
        If the file's ending is not of a picture, it cannot be written, or it is a PNG and the extra is missing.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".svg", ".png"):
        raise RequestError(f"plot: a file that ends in .svg or .png, got {os.fspath(path)!r}")
    check_writable(path, RequestError)
    missing = [name for name in ("resvg_py", "matplotlib") if find_spec(name) is None]
    if suffix == ".png" and missing:
        raise RequestError(f"plot: a .png {_NEEDS.format(' and '.join(missing))}; .svg needs nothing")


def save_picture(path: str | os.PathLike[str], advice: "Advice", four_color: bool = False) -> None:
    """Write an answer as a picture, SVG or PNG by the file's ending, in one step or not at all.

    Raises
    ------
    RequestError
        If it cannot be written.
    """
    drawn = advice_svg(advice, four_color)
    png = Path(path).suffix.lower() == ".png"
    write_whole(path, _png(drawn) if png else drawn.encode(), RequestError)


def _png(drawn: str) -> bytes:
    """Return an SVG as PNG, in the font that comes with matplotlib, so that it looks alike on every machine.

    That font has no Chinese characters, as a rule set of one's own may have in its name: the system's fonts are then
    looked at, too.
    """
    import matplotlib
    import resvg_py

    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    fonts = [str(folder / f"DejaVuSans{weight}.ttf") for weight in ("", "-Bold")]
    family = "DejaVu Sans"
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=drawn,
            zoom=_PIXELS,
            skip_system_fonts=drawn == without_wide(drawn),
            font_files=fonts,
            font_family=family,
            sans_serif_family=family,
        )
    )
