"""``a @= b``: right where the product fills the array, NumPy's exception where it would be stretched into it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import grad, hvp, jvp
from s2sad.cli import main

X, V = np.array([0.5, 0.6, 0.7]), np.array([0.3, -0.7, 0.5])


def column(x: Any) -> Any:
    a = np.outer(x, x) + 1.0
    a @= x.reshape(3, 1)
    return np.sum(a * a)


def vector(x: Any) -> Any:
    a = np.outer(x, x) + 1.0
    a @= x
    return np.sum(a * a)


def unread(x: Any) -> Any:
    a = np.outer(x, x) + 1.0
    a @= x[:, None]
    return np.sum(x * x)


@pytest.mark.parametrize("function", [column, vector, unread], ids=lambda f: f.__name__)
@pytest.mark.parametrize("derive", [
    lambda f: grad(f)(X), lambda f: jvp(f, (X,), (V,)), lambda f: hvp(f, (X,), (V,)), lambda f: grad(lambda x: f(x) * 2.0)(X),
], ids=["grad", "jvp", "hvp", "helper"])  # fmt: skip
def test_what_numpy_raises_comes(function: Callable[[Any], Any], derive: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="matmul|matrix"):
        function(X.copy())
    with pytest.raises(ValueError, match="matmul|matrix"):
        derive(function)


def square(x: Any) -> Any:
    a = np.outer(x, x) + np.eye(3)
    a @= np.outer(x, x**2)
    return np.sum(np.sin(a))


def row(x: Any) -> Any:
    a = x * 1.0
    for _ in range(2):
        a @= np.outer(x, x**2) + 1.0
    return np.sum(np.sin(a))


def stack(x: Any) -> Any:
    a = x * 1.0
    a @= np.outer(x, x)[None]
    return np.sum(a)


@pytest.mark.parametrize("function", [square, row, stack], ids=lambda f: f.__name__)
def test_what_fills_is_right(function: Callable[[Any], Any]) -> None:
    def slope(f: Callable[[Any], Any]) -> Any:
        return (f(X + 1e-6 * V) - f(X - 1e-6 * V)) / 2e-6

    assert grad(function)(X) @ V == pytest.approx(slope(function), rel=1e-6)
    assert jvp(function, (X,), (V,))[1] == pytest.approx(slope(function), rel=1e-6)
    assert hvp(function, (X,), (V,))[1] == pytest.approx(slope(grad(function)), rel=1e-5, abs=1e-6)


def test_modules_without_annotations_ask(tmp_path: Path) -> None:
    source = tmp_path / "products.py"
    source.write_text("def f(a, v):\n    b = a * 1.0\n    b @= v\n    return (b * b).sum()\n")
    result = CliRunner().invoke(main, ["transform", str(source), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    (file,) = (tmp_path / "out").glob("*adjoint.py")
    spec = importlib.util.spec_from_file_location("products_adjoint", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.pop("products_adjoint", None)
    spec.loader.exec_module(module)
    a = np.outer(X, X) + 1.0
    assert module.f_adjoint(a, a + 1.0)[0] == pytest.approx(np.sum((a @ (a + 1.0)) ** 2))
    for wrong in (X, X[:, None], np.ones((3, 2)), np.ones((2, 3, 3))):
        with pytest.raises(ValueError, match="does not fill|broadcast"):
            module.f_adjoint(a, wrong)
