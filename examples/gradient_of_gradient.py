"""The gradient of a gradient: reverse mode extends the graph, and what comes out is a program that can be differentiated again.

Run it::

    python examples/gradient_of_gradient.py
"""

from __future__ import annotations

import numpy as np

from s2sad import differentiate, grad


def f(x: float) -> float:
    """x^2 sin(x)."""
    return x**2 * np.sin(x)


first = grad(f)
second = grad(first)
third = grad(second)


@differentiate
def slope(x: float) -> float:
    """The gradient of f, as a program in which it is called."""
    return grad(f)(x)


def by_hand(x: float) -> tuple[float, float, float]:
    """The three derivatives by their formulas."""
    s, c = np.sin(x), np.cos(x)
    return 2 * x * s + x**2 * c, (2 - x**2) * s + 4 * x * c, (6 - x**2) * c - 6 * x * s


def sizes() -> list[int]:
    """The number of operations in the graphs of f, of its gradient, and of the gradient of that."""
    whole = differentiate(f)
    graphs = [whole.graph(1.3), whole.graph(1.3, mode="adjoint"), slope.graph(1.3, mode="adjoint")]
    return [graph.count("operation") + graph.count("adjoint") for graph in graphs]


def main() -> None:
    """Print the derivatives beside the formulas, and the program of the second."""
    for name, derivative, exact in zip(("f'", "f''", "f'''"), (first, second, third), by_hand(1.3), strict=True):
        print(f"{name:4} at 1.3: {derivative(1.3):.15f}, by hand {exact:.15f}")
    print("operations of f, of its adjoint, and of the adjoint of that:", ", ".join(map(str, sizes())))
    print(slope.source("adjoint", 1.3))


if __name__ == "__main__":
    main()
