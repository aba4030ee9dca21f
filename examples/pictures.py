"""Where the examples' pictures go: ``examples/figures/``, as SVG that is the same each time for the same data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "figures"


def axes(title: str, across: str, up: str, **scales: str) -> Any:
    """The axes of a new plot (with Matplotlib, of the extra ``examples``)."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "s2sad"
    mpl.rcParams["svg.fonttype"] = "none"
    import matplotlib.pyplot as plt

    _, found = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
    found.set(title=title, xlabel=across, ylabel=up, **{f"{axis}scale": scale for axis, scale in scales.items()})
    found.grid(alpha=0.3)
    return found


def save(plot: Any, name: str) -> Path:
    """Write a plot."""
    import matplotlib.pyplot as plt

    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.svg"
    if plot.get_legend_handles_labels()[0]:
        plot.legend()
    plot.figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(plot.figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()) + "\n", encoding="utf-8")
    return path
