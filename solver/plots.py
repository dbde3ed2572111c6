"""Drawings, with matplotlib where it is installed (the extra ``plots``)."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from solver.equilibrium import Gain
from solver.errors import RequestError
from solver.files import check_writable


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
        raise RequestError("plot: needs matplotlib (pip install 'capsa-solver[plots]')")


def draw_training(path: str, gains: Sequence[Gain], rules: str) -> None:
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
