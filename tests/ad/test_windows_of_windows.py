"""What is made of a window of an array that is written later: of a diagonal, a column, a broadcast, items from the end.

NumPy makes a window where the strides allow it, and else a copy, which keeps what was there.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import S2sadError, grad, hvp, jvp
from s2sad.errors import CompilerError

WINDOWS = {
    "diagonal": "np.diagonal(y)",
    "beside_it": "y.diagonal(1)",
    "diag": "np.diag(y)",
    "by_einsum": "np.einsum('ii->i', y)",
    "of_planes": "np.diagonal(y.reshape(3, 3, 1))",
    "one_item": "np.diagonal(y[:1, :1])",
    "column": "y[:, 0]",
    "from_the_end": "y[::-1, 1]",
    "every_other": "y[0, ::2]",
    "stretched": "np.broadcast_to(y[1], (2, 3))",
}
MADE = (
    "np.ascontiguousarray(w)", "np.asfortranarray(w)", "np.asarray(w, order='C')", "np.asarray(w)", "np.asanyarray(w, float)",
    "np.require(w, float, ['C'])", "w.ravel()", "np.ravel(w, order='F')", "w.reshape(-1)", "w.ravel()[1:]",
    "np.atleast_2d(w)", "np.flip(w)", "np.split(w.ravel(), 1)[0]", "np.asarray(w).reshape(-1)", "w.astype(float, copy=False)",
    "np.squeeze(w)", "w.flat[:]",
)  # fmt: skip
TEXT = """
def f(y):
    w = {window}
    v = {made}
    y[0, 0] *= 5.0
    y[1, 0] = y[0, 1] * 3.0
    y[1] *= 2.0
    return np.sum(v**2) + np.sum(y**3)
"""
WRITTEN = """
def f(y):
    w = {window}
    v = {made}
    v[0] *= y[0, 1]
    y[0, 0] *= 5.0
    return np.sum(v**2) + np.sum(y**3)
"""
IN_A_LOOP = """
def _of(w):
    return {made}

def f(y):
    s = 0.0
    z = y
    for k in range(3):
        w = {window}
        v = _of(w)
        y[0, 0] *= 0.5 + 0.1 * np.sum(v[-1]) + k
        y[1] *= 0.9
        s += np.sum(v**2)
        if k == 1:
            y = y * z + 0.1
    return s + np.sum(y**3)
"""
Y = 0.3 * np.arange(1.0, 10.0).reshape(3, 3)
V = np.cos(Y * 7)


def program(text: str, name: str) -> Callable[..., Any]:
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), scope)
    function: Callable[..., Any] = scope["f"]
    return function


def differences(function: Callable[..., Any]) -> Any:
    units = np.eye(Y.size).reshape(Y.size, *Y.shape) * 1e-6
    return np.array([(function(Y + d) - function(Y - d)) / 2e-6 for d in units]).reshape(Y.shape)


def check(window: str, text: str) -> None:
    refused = []
    for k, made in enumerate(MADE):
        function = program(text.format(window=WINDOWS[window], made=made), f"<{window} {k} {len(text)}>")
        try:
            expected = differences(function)
        except ValueError:  # NumPy says that it cannot be written
            continue
        try:
            assert np.allclose(grad(function)(Y), expected, rtol=1e-5), made
            assert np.isclose(jvp(function, (Y,), (V,))[1], np.sum(expected * V), rtol=1e-5), made
        except S2sadError as error:
            assert not isinstance(error, CompilerError)
            refused.append(made)
    assert not refused, refused


@pytest.mark.parametrize("window", thinned(WINDOWS, 3))
def test_the_array_is_written(window: str) -> None:
    check(window, TEXT)


@pytest.mark.parametrize("window", ["diagonal", "by_einsum", "column"])
def test_what_is_made_is_written(window: str) -> None:
    check(window, WRITTEN)


@pytest.mark.parametrize("window", thinned(["diagonal", "column", "stretched"], 2))
def test_in_a_loop(window: str) -> None:
    check(window, IN_A_LOOP)


@pytest.mark.parametrize("made", ["np.ascontiguousarray(w)", "w.ravel()", "w.reshape(-1)"])
@pytest.mark.parametrize("window", ["diagonal", "diag"])
def test_second_order(window: str, made: str) -> None:
    function = program(TEXT.format(window=WINDOWS[window], made=made), f"<{window} {made}>")
    expected = (grad(function)(Y + 1e-6 * V) - grad(function)(Y - 1e-6 * V)) / 2e-6
    assert np.allclose(hvp(function, (Y,), (V,))[1], expected, rtol=1e-5)
