"""The evaluation trace of y = ln(x1) + x1 x2 - sin(x2): values, tangents and adjoints, statement by statement.

The textbook's table has three columns, and so has this script's: the rows are the statements of the tangent and of the
adjoint program of ``y`` in the order in which they are executed, with a tangent and an adjoint for every intermediate value
(Baydin, Pearlmutter, Radul & Siskind 2018, tables 2 and 3). The same on the command line::

    s2sad trace examples/evaluation_trace.py:y --at x1=2,x2=5

Run it::

    python examples/evaluation_trace.py
"""

from __future__ import annotations

import numpy as np

from s2sad import differentiate


@differentiate(wrt=("x1", "x2"))
def y(x1: float, x2: float) -> float:
    """ln(x1) + x1 x2 - sin(x2)."""
    v3 = np.log(x1)
    v4 = x1 * x2
    v5 = np.sin(x2)
    v6 = v3 + v4
    y = v6 - v5
    return y


def main() -> None:
    """Print the table at (2, 5)."""
    print(y.trace(2.0, 5.0))
    for name, direction in (("x1", (1.0, 0.0)), ("x2", (0.0, 1.0))):
        print(f"\ntangents along {name}")
        for row in y.trace(2.0, 5.0, mode="tangent", tangents=direction).column("tangent"):
            print(f"  {row.name:6} = {row.formula:28} {row.value:9.3f}")
    value, (x1_bar, x2_bar) = y.value_and_grad(2.0, 5.0)
    print(f"\ny = {value:.3f}, dy/dx1 = {x1_bar:.3f}, dy/dx2 = {x2_bar:.3f}")


if __name__ == "__main__":
    main()
