"""Tangents of buffers that hold complex numbers, made of what is real: they are complex, as stores into them may be."""

from __future__ import annotations

import importlib.util
import inspect
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mode_pairs import load

from s2sad import grad, jvp
from s2sad.cli import main
from s2sad.errors import UnsupportedSyntaxError
from s2sad.testing import check_grads

X, V = np.array([0.8, 1.2, 0.7, 1.4]), np.array([0.7, -0.4, 0.5, 0.2])


def difference(x):
    a = x - 1j
    a[0] = a[1] * a[2]
    return np.sum(np.abs(a) ** 4)


def chosen(x):
    a = np.where(x > 0.9, x, 1j)
    a[1] = 1j * x[0] ** 2
    return np.sum(np.imag(a * a) + np.real(a * a))


def beside_a_constant(x):
    c = np.full(4, 1j)
    a = x + c
    a[1] = a[0] * a[2]
    return np.sum(np.imag(a * a) + np.real(a * a))


def through_a_loop(x):
    z = x + 0j
    for _ in range(2):
        z = z * 1.5
    a = z * 1.0
    a[0] = 1j * a[1]
    return np.sum(a.imag**2)


def in_a_helper(x):
    def turned(a):
        b = a * 1.0
        b[0] = 1j * b[1] ** 2
        return b

    return np.sum(np.abs(turned(x + 0j)) ** 4 + turned(x + 0j).imag)


def transform(x):
    def go(a):
        n = len(a)
        if n == 1:
            return
        even, odd = a[::2].copy(), a[1::2].copy()
        go(even)
        go(odd)
        w = np.exp(-2j * np.pi * np.arange(n // 2) / n)
        a[: n // 2] = even + w * odd
        a[n // 2 :] = even - w * odd

    a = x + 0j
    go(a)
    return np.sum(np.abs(a) ** 4)


PROGRAMS = (difference, chosen, beside_a_constant, through_a_loop, in_a_helper, transform)


def of_a_list(x):
    a = np.array([x[0], x[1] * 1.0, 1j])
    a[0] = a[1] * 1j * x[1]
    return np.sum(a.imag)


def of_nested_lists(x):
    a = np.array([[x[0], 1j], [x[1], x[2]]])
    a[0, 0] = a[1, 1] * 1j
    a[1] += a[0]
    return np.sum(np.abs(a) ** 2) + np.sum(a.imag)


def slope(function: Callable[..., Any]) -> Any:
    h = 1e-5
    return (function(X + h * V) - function(X - h * V)) / (2 * h)


@pytest.mark.parametrize("function", [*PROGRAMS, of_a_list, of_nested_lists], ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("error")
def test_forward_mode(function: Callable[..., Any]) -> None:
    assert jvp(function, (X,), (V,))[1] == pytest.approx(slope(function), abs=1e-8)
    assert grad(function)(X) @ V == pytest.approx(slope(function), abs=1e-8)
    second = jvp(lambda x: jvp(function, (x,), (V,))[1], (X,), (V,))[1]
    assert second == pytest.approx(jvp(grad(function), (X,), (V,))[1] @ V, abs=1e-8)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_modules_of_the_command_line(function: Callable[..., Any], tmp_path: Path) -> None:
    """Without annotations nothing tells which arrays are complex."""
    path = tmp_path / "program.py"
    path.write_text("import numpy as np\n\n\n" + inspect.getsource(function))
    done = CliRunner().invoke(main, ["transform", str(path), "--mode", "tangent", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    name = f"program_{function.__name__}_tangent"
    spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    _, found = getattr(module, f"{function.__name__}_tangent")(X.copy(), V.copy())
    assert found == pytest.approx(slope(function), abs=1e-8)


@pytest.mark.parametrize("call", ["math.log(z[0])", "math.tanh(z[0])", "math.hypot(z[0], 2.0)", "math.hypot(*z)",
                                  "math.pow(z[0], z[1])", "math.fabs(z[0])", "math.fsum([z[0], z[1]])",
                                  "math.dist(z, [1.0, 2.0])", "math.frexp(z[0])[0]"])  # fmt: skip
def test_math_takes_the_real_part_of_numpys_complex_numbers(call):
    function = load(f"import math\n\n\ndef f(z):\n    return {call}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, that the imaginary part is left out
        check_grads(function, (np.array([0.3 + 0.2j, 0.7 - 0.1j]),))


def test_math_of_a_list_of_complex_numbers_is_refused():
    with pytest.raises(UnsupportedSyntaxError, match="list of complex numbers"):
        grad(lambda z: math.dist([z[0]], [z[1]]))(np.array([0.3 + 0.2j, 0.7 - 0.1j]))
