"""Needle's operators in the spelling of NumPy, each with its adjoint: broadcasting and batch dimensions included.

Every operator is a plain function. The table that is printed shows that the adjoints have the shape of their argument
and agree with finite differences. Run it::

    python examples/needle_operators.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import vjp

Array = np.ndarray


def ewise_add(a: Array, b: Array) -> Array:
    """EWiseAdd."""
    return a + b


def ewise_mul(a: Array, b: Array) -> Array:
    """EWiseMul."""
    return a * b


def ewise_pow(a: Array, b: Array) -> Array:
    """EWisePow."""
    return a**b


def ewise_div(a: Array, b: Array) -> Array:
    """EWiseDiv."""
    return a / b


def add_scalar(a: Array, c: float) -> Array:
    """AddScalar."""
    return a + c


def mul_scalar(a: Array, c: float) -> Array:
    """MulScalar."""
    return a * c


def power_scalar(a: Array, c: float) -> Array:
    """PowerScalar."""
    return a**c


def div_scalar(a: Array, c: float) -> Array:
    """DivScalar."""
    return a / c


def transpose(a: Array) -> Array:
    """Transpose: two axes change places, by default the last two."""
    return np.swapaxes(a, -1, -2)


def transpose_axes(a: Array) -> Array:
    """Transpose of two named axes."""
    return np.swapaxes(a, 0, 2)


def reshape(a: Array) -> Array:
    """Reshape."""
    return a.reshape(-1, 2)


def broadcast_to(a: Array) -> Array:
    """BroadcastTo: a new axis in front, and a stretched one."""
    return np.broadcast_to(a, (2, 3, 4))


def summation(a: Array) -> Array:
    """Summation over all axes."""
    return np.sum(a)


def summation_axes(a: Array) -> Array:
    """Summation over two axes."""
    return np.sum(a, axis=(0, 2))


def matmul(a: Array, b: Array) -> Array:
    """MatMul; leading dimensions are a batch, and are broadcast."""
    return a @ b


def negate(a: Array) -> Array:
    """Negate."""
    return -a


def log(a: Array) -> Array:
    """Log."""
    return np.log(a)


def exp(a: Array) -> Array:
    """Exp."""
    return np.exp(a)


def relu(a: Array) -> Array:
    """ReLU."""
    return np.maximum(a, 0.0)


def cases(seed: int = 0) -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Every operator with arguments: of equal shapes, broadcast against each other, with batches."""
    rng = np.random.default_rng(seed)

    def positive(*shape: int) -> Array:
        return rng.uniform(0.5, 2.0, size=shape)

    shapes = [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)), ((1,), (5, 2))]
    products = [
        ((3, 4), (4, 2)), ((5, 3, 4), (5, 4, 2)), ((5, 3, 4), (4, 2)), ((3, 4), (5, 4, 2)), ((5, 1, 3, 4), (6, 4, 2)),
    ]  # fmt: skip
    found: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    for operator in (ewise_add, ewise_mul, ewise_pow, ewise_div):
        found += [(operator, (positive(*left), positive(*right))) for left, right in shapes]
    found += [(operator, (positive(3, 4), 2.5)) for operator in (add_scalar, mul_scalar, power_scalar, div_scalar)]
    found += [(operator, (positive(2, 3, 4),)) for operator in (transpose, transpose_axes, reshape, summation)]
    found += [(summation_axes, (positive(2, 3, 4),)), (broadcast_to, (positive(3, 1),))]
    found += [(matmul, (positive(*left), positive(*right))) for left, right in products]
    found += [(operator, (positive(2, 3, 4),)) for operator in (negate, log, exp)]
    signs = np.where(rng.uniform(size=(3, 4)) < 0.5, -1.0, 1.0)
    return [*found, (relu, (signs * positive(3, 4),))]


def adjoints(operator: Callable[..., Any], args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    """The adjoints of all arguments for one random seed, and that seed."""
    value, pullback = vjp(operator, *args)
    out_bar = np.random.default_rng(1).normal(size=np.shape(value))
    return pullback(float(out_bar) if np.shape(value) == () else out_bar), out_bar


def differences(operator: Callable[..., Any], args: tuple[Any, ...], k: int, out_bar: Any) -> Array:
    """The adjoint of argument ``k`` by central differences, entry by entry."""
    step = 1e-6
    entries = np.zeros(np.shape(args[k]))
    for index in np.ndindex(entries.shape):
        sides = []
        for sign in (1.0, -1.0):
            moved = np.array(args[k], dtype=float)
            moved[index] += sign * step
            sides.append(np.sum(out_bar * operator(*args[:k], moved, *args[k + 1 :])))
        entries[index] = (sides[0] - sides[1]) / (2.0 * step)
    return entries


def main() -> None:
    """Print the table of operators."""
    print(f"{'operator':16}{'shapes of arguments':28}{'of adjoints':28}error")
    for operator, args in cases():
        bars, out_bar = adjoints(operator, args)
        error = max(float(np.max(np.abs(bar - differences(operator, args, k, out_bar)))) for k, bar in enumerate(bars))
        given, found = (" ".join(str(np.shape(v)).replace(" ", "") for v in values) for values in (args, bars))
        print(f"{operator.__name__:16}{given:28}{found:28}{error:.1e}")


if __name__ == "__main__":
    main()
