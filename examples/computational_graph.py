"""The computational graph of y = ln(x1) + x1 x2 - sin(x2) as a picture, and the adjoint graph that extends it.

The nodes are operations and the edges carry values; the adjoint program adds the nodes of the reverse sweep below those of
the forward sweep. Both are drawn from the function's own source. Run it::

    python examples/computational_graph.py
"""

from __future__ import annotations

from pathlib import Path

import pictures
from evaluation_trace import y

from s2sad.graph import Graph

POINT = (2.0, 5.0)


def graphs() -> tuple[Graph, Graph]:
    """The graph of the function, and that of its adjoint program, with the values at (2, 5)."""
    return y.graph(*POINT), y.graph(*POINT, mode="adjoint")


def picture() -> Path:
    """Write both pictures; the path of the second."""
    pictures.FOLDER.mkdir(exist_ok=True)
    for graph, name in zip(graphs(), ("computational_graph", "adjoint_graph"), strict=True):
        graph.save(pictures.FOLDER / f"{name}.svg")
    return pictures.FOLDER / "adjoint_graph.svg"


def main() -> None:
    """Print what the pictures hold."""
    print(f"y = ln(x1) + x1 x2 - sin(x2) at {POINT}")
    for graph, what in zip(graphs(), ("primal", "adjoint"), strict=True):
        counts = ", ".join(f"{graph.count(role)} {role}s" for role in ("input", "operation", "adjoint", "output"))
        print(f"{what:8} graph: {counts}, {len(graph.edges)} edges")


if __name__ == "__main__":
    main()
