"""A program for every construct that is accepted: `test_grammar` looks for constructs in them, and differentiates each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

SCALE = 1.5


class Point:
    """Something to match."""

    def __init__(self, x: Any, y: Any) -> None:
        self.x = x
        self.y = y


def statements(x: float) -> Any:
    total: float = 0.0
    items = [x, 2 * x, x * x]
    del items[1]
    for index, item in enumerate(items):
        if index > 5:
            break
        if item is None:
            continue
        total += item
    else:
        pass
    n = 3
    while n > 0:
        total = total + n * x
        n -= 1
    print("", end="")
    assert total is not None, "no total"
    return total * x


def failures(x: float) -> Any:
    if x > 1e9:
        raise ValueError("too large")
    try:
        y = math.log(x)
    except (ValueError, ZeroDivisionError) as error:
        raise RuntimeError("no logarithm") from error
    with np.errstate(divide="ignore"):
        y = y + x
    return y


def names(x: float) -> Any:
    global SCALE  # noqa: PLW0602
    import math as m
    from math import sin

    count = 0.0

    def add(value: float) -> None:
        nonlocal count
        count += value

    add(x * SCALE)
    add(sin(x))
    return count * m.cos(x)


def matching(x: float) -> Any:
    total = 0.0
    for shape in (("square", x), ("box", x, 2.0, 3.0), {"side": x}, Point(x, 1.0), None, 3, "end"):
        match shape:
            case ("square", side):
                total += side * side
            case ("box", width, *others) if len(others) == 2:
                total += width * others[0]
            case {"side": side, **rest}:
                total += side + len(rest)
            case Point(x=across):
                total += across**3
            case None | True:
                total += 1.0
            case 3 as three:
                total += three * x
            case _:
                total *= 2.0
    return total


def expressions(x: float) -> Any:
    square = lambda v, k=2: v**k
    table = {"a": x, "b": (x, 2.0)}
    pair = (x, *table["b"])
    powers = {k: x**k for k in range(3)}
    odd = {k for k in (1, 2, 3) if k % 2} | {5}
    values = [v * w for v in pair for w in pair if v is not None]
    text = f"{x:.2f}{'a'!r}"
    first = values[0] if len(text) > 0 and 5 in odd or not odd else x
    if (half := x / 2) > 0 and 0 < half <= 10:
        first = first + half
    return sum(v for v in values) + square(first, k=3) + powers[2] + np.array([x, 1.0, 2.0])[:2].sum()


def operators(x: float) -> Any:
    n, m = 6, 3
    k = ((n << 1) >> 2 | m) & ~1 ^ 5
    a = np.array([x, 2.0])
    flags = n == 6, n != m, n < m, n <= m, n > m, n >= m, n is m, n is not m, n in (m,), n not in (m,)
    return (+x - -x * k) / 2 + a @ a + x**2 + x % 0.7 + x // 0.7 + sum(flags) + (1.0 if not flags[0] else 0.0)


def parameters(x: float) -> Any:
    def mixed(a: float, /, b: float, *rest: float, c: float = 2.0, **options: float) -> float:
        return a * b + sum(rest) * c + options["d"]

    options = {"d": x}
    return mixed(x, 2.0, x, x, c=x, **options)


def generators(x: float) -> Any:
    def powers(y: float) -> Iterator[float]:
        yield y
        yield from [y**2, y**3]

    return sum(power * k for k, power in enumerate(powers(x)))


PROGRAMS: tuple[Callable[[float], Any], ...] = (
    statements,
    failures,
    names,
    matching,
    expressions,
    operators,
    parameters,
    generators,
)
