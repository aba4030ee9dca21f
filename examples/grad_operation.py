"""MindSpore's ``GradOperation``, row by row: chosen inputs, all of them, free variables, seeds, rules, control flow, orders.

Run it::

    python examples/grad_operation.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import grad, rule, vjp


def product(x: float, y: float) -> float:
    """x^2 y: derivatives 2 x y and x^2."""
    return x * x * y


def with_free_variable(scale: float) -> Callable[[float], float]:
    """A closure over ``scale``."""

    def scaled(x: float) -> float:
        return scale * np.sin(x)

    return scaled


class Dense:
    """An object that holds parameters."""

    def __init__(self, w: np.ndarray, b: float) -> None:
        self.w = w
        self.b = b

    def loss(self, x: np.ndarray) -> float:
        """The sum of squares of what comes out."""
        return np.sum((self.w @ x + self.b) ** 2)


def nested(x: float) -> float:
    """cos(sin(x))."""
    return np.cos(np.sin(x))


def controlled(x: float, n: int) -> float:
    """Loops, branches and a nested function."""

    def grow(v: float) -> float:
        return v * x

    total = x
    for k in range(n):
        total = grow(total) if k % 2 == 0 else total + x
    return total


@rule(x="g * where(abs(x) > 1, 0.0, 3 * x**2)")
def clipped(x: float) -> float:
    """A primitive whose derivative the user states (``bprop``): beyond 1 it is taken for zero."""
    return x**3


def forward_by_two_reverses(f: Callable[[Any], Any], x: Any, v: Any) -> Any:
    """The tangent J v from two passes in reverse mode: w -> J' w is linear, and its own pullback is J."""
    value, _ = vjp(f, x)
    _, second = vjp(lambda w: vjp(f, x)[1](w)[0], np.ones_like(value))
    return second(v)[0]


def table() -> list[tuple[str, Any, Any]]:
    """What is asked, what comes out, and what is right."""
    x = 0.7
    layer, point = Dense(np.array([[1.0, 2.0], [3.0, 4.0]]), 0.5), np.array([0.1, -0.2])
    out = layer.w @ point + layer.b
    _, pullback = vjp(product, 3.0, 4.0)
    by_parameters = grad(Dense.loss, ("self.w", "self.b"))(layer, point)
    tangent = forward_by_two_reverses(np_tanh, point, np.array([1.0, 2.0]))
    return [
        ("by one input", grad(product, 1)(3.0, 4.0), 9.0),
        ("by all inputs", grad(product, (0, 1))(3.0, 4.0), (24.0, 9.0)),
        ("by a free variable", grad(with_free_variable(2.0), "scale")(x), np.sin(x)),
        ("by an object's parameters", by_parameters, (2 * np.outer(out, point), 2 * out.sum())),
        ("with a seed", pullback(10.0), (240.0, 90.0)),
        ("a rule of one's own", (grad(clipped)(0.5), grad(clipped)(2.0)), (0.75, 0.0)),
        ("branches, loops, closures", grad(controlled)(x, 3), 3 * x**2 + 2 * x),
        ("cos(sin(x))", grad(nested)(x), -np.sin(np.sin(x)) * np.cos(x)),
        ("its second derivative", grad(grad(nested))(x), -np.cos(np.sin(x)) * np.cos(x) ** 2 + np.sin(np.sin(x)) * np.sin(x)),
        ("forward mode by two reverses", tangent, (1 - np.tanh(point) ** 2) * np.array([1.0, 2.0])),
    ]


def np_tanh(x: np.ndarray) -> np.ndarray:
    """A function of arrays."""
    return np.tanh(x)


def main() -> None:
    """Print the table."""
    for asked, found, _ in table():
        parts = found if isinstance(found, tuple) else (found,)
        print(f"{asked:30} {', '.join(np.array2string(np.asarray(p), precision=6) for p in parts)}".replace("\n", ""))


if __name__ == "__main__":
    main()
