"""Adjoints that take the place of what is read for the last time: what is overwritten, what is not, and derivatives after it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optimize.ir_text import parse_function, plain_text

from s2sad import check_grads, differentiate, grad, hvp
from s2sad.ir.verifier import verify
from s2sad.storage import in_place

RNG = np.random.default_rng(3)

HEAD = "def f(x: float64[N, m], w: float64[N, m], c: float, t: list[float64[N, m]]):\n  y = numpy.sin(x)\n  reverse\n"

SCALED = "y_bar = operator.mul(x, c)"
TWICE = "v2 = numpy.hypot(v1, v1)"

# What follows the forward sweep, and how often it becomes a store.
REVERSE = {
    "a matrix that another one is made of": ([SCALED, "v1 = operator.mul(y_bar, w)", TWICE], 1),
    "on the right": ([SCALED, "v1 = operator.mul(w, y_bar)", TWICE], 1),
    "of the user": (["y_bar = operator.mul(w, y)", "v2 = numpy.hypot(y_bar, y_bar)"], 1),
    "that is read later": ([SCALED, "v1 = operator.mul(y_bar, w)", TWICE, "v3 = operator.add(y_bar, v2)"], 0),
    "of which a window is read later": (
        [SCALED, "v3 = operator.getitem(y_bar, 0)", "v1 = operator.mul(y_bar, w)", TWICE, "v4 = operator.mul(v3, v2)"], 0,
    ),
    "that something holds": ([SCALED, "list.append(t, y_bar)", "v1 = operator.mul(y_bar, w)", TWICE], 0),
    "an argument": (["v1 = operator.mul(x, w)", TWICE], 0),
    "what is subtracted": ([SCALED, "v1 = operator.sub(w, y_bar)", TWICE], 0),
    "a part of the line that reads it": ([SCALED, "v1 = operator.mul(y_bar, w)", "v2 = numpy.sin(v1)"], 0),
    "a vector that is stretched": (["y_bar = numpy.sum(x, axis=0)", "v1 = operator.mul(y_bar, w)", TWICE], 0),
    "that becomes complex": ([SCALED, "v1 = operator.mul(y_bar, 1j)", TWICE], 0),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "stores"), REVERSE.values(), ids=REVERSE)
def test_what_is_overwritten(lines: list[str], stores: int) -> None:
    function = parse_function(HEAD + "\n".join(f"  {line}" for line in [*lines, "return v2"]))
    assert in_place.run(function) == bool(stores)
    verify(function, "in_place")
    assert plain_text(function).count("operator.setitem") == stores


def carried(x, w, n):
    for _ in range(n):
        x = np.tanh(w * x) + x
    return np.sum(x**2)


def layers(w1, w2, x):
    return np.sum(np.tanh(np.tanh(x @ w1) @ w2) ** 2)


def nearest(points, centres):
    apart = points[:, None, :] - centres[None, :, :]
    return np.sum(np.min(np.sum(apart**2, axis=2), axis=1))


def read_twice(x, w):
    y = x * w
    z = y * y
    return np.sum(np.tanh(z) * np.sin(y))


def kept_in_a_list(x, w):
    found = [x * w]
    for k in range(3):
        found.append(np.tanh(found[k] @ w))
    return np.sum(found[1] * found[3]) + np.sum(found[0] ** 3)


PROGRAMS = {
    carried: (RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2)), 3),
    layers: (RNG.normal(size=(2, 3)), RNG.normal(size=(3, 2)), RNG.normal(size=(4, 2))),
    nearest: (RNG.normal(size=(4, 2)), RNG.normal(size=(3, 2))),
    read_twice: (RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))),
    kept_in_a_list: (RNG.normal(size=(2, 2)), RNG.normal(size=(2, 2))),
}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(function: Callable[..., Any]) -> None:
    args = PROGRAMS[function]
    wrt = (0, 1)
    check_grads(function, args, wrt=wrt)
    tangents = tuple(RNG.normal(size=a.shape) for a in args[:2])

    step = 1e-6
    ends = [grad(function, wrt)(*(a + s * t for a, t in zip(args[:2], tangents, strict=True)), *args[2:]) for s in (step, -step)]
    expected = (ends[0][0] - ends[1][0]) / (2 * step)
    np.testing.assert_allclose(hvp(function, args, tangents, wrt=wrt)[1][0], expected, rtol=1e-5, atol=1e-7)

    def along(x, w):
        return np.sum(grad(function)(x, w, *args[2:]) * tangents[0])

    twice = grad(along)(*args[:2])
    ends = [grad(function)(args[0] + s * step * tangents[0], *args[1:]) for s in (1, -1)]
    np.testing.assert_allclose(twice, (ends[0] - ends[1]) / (2 * step), rtol=1e-5, atol=1e-7)


def held(call: Callable[[], object]) -> int:
    """The most bytes that a call holds at once."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_matrix_less() -> None:
    x, w1, w2 = RNG.normal(size=(400, 3)), RNG.normal(size=(3, 100)), RNG.normal(size=(100, 1))
    gradient = differentiate(layers, wrt="w1").grad
    # the argument of the inner tanh, its result, the adjoint, and the slope; not the product of the last two besides
    assert held(lambda: gradient(w1, w2, x)) < 4.5 * 8 * 400 * 100


def test_the_text() -> None:
    args = PROGRAMS[nearest]
    source = differentiate(nearest, wrt=("points", "centres")).source("adjoint", *args)
    assert "apart_bar = apart  " in source and "apart_bar *= 2 * " in source
