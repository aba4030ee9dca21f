"""The worked graph L(w1, w2) = w2 log(w1) + sqrt(w2 log(w1)): forward once per input, in reverse once for all.

``v2`` feeds both ``v3`` and ``L``: its adjoint is the sum over both edges. Run it::

    python examples/worked_graph.py
"""

from __future__ import annotations

import numpy as np

from s2sad import differentiate


@differentiate(wrt=("w1", "w2"))
def loss(w1: float, w2: float) -> float:
    """w2 log(w1) + sqrt(w2 log(w1))."""
    v1 = np.log(w1)
    v2 = w2 * v1
    v3 = np.sqrt(v2)
    return v2 + v3


def by_hand(w1: float, w2: float) -> tuple[float, float]:
    """The two derivatives as the textbook has them."""
    fan_out = 1.0 + 1.0 / (2.0 * np.sqrt(w2 * np.log(w1)))
    return w2 / w1 * fan_out, np.log(w1) * fan_out


def main() -> None:
    """Print both programs, and their results at (3, 2) beside the formulas."""
    w1, w2 = 3.0, 2.0
    print(loss.source("tangent"))
    print(loss.source("adjoint"))
    _, along_w1 = loss.jvp((w1, w2), (1.0, 0.0))
    _, along_w2 = loss.jvp((w1, w2), (0.0, 1.0))
    value, gradient = loss.value_and_grad(w1, w2)
    print(f"L({w1}, {w2}) = {value:.6f}")
    print("                  dL/dw1    dL/dw2")
    print(f"forward, twice  {along_w1:8.6f}  {along_w2:8.6f}")
    print(f"reverse, once   {gradient[0]:8.6f}  {gradient[1]:8.6f}")
    print("by hand         {:8.6f}  {:8.6f}".format(*by_hand(w1, w2)))


if __name__ == "__main__":
    main()
