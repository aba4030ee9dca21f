"""What was written before an exception passed through a try statement holds where one around it catches the exception."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import try_programs
from click.testing import CliRunner
from thinning import thinned
from verdicts import assert_right

from s2sad import grad, hvp, jvp, value_and_grad, vjp
from s2sad.cli.transform import transform

PROGRAMS = [f for name, f in vars(try_programs).items() if callable(f) and not name.startswith("_")]
X, V = np.array([1.3, 0.7, 2.1]), np.array([0.3, -0.5, 0.9])


def difference(function: Callable[[Any], Any]) -> Any:
    return (function(X + 1e-6 * V) - function(X - 1e-6 * V)) / 2e-6


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    value, found = value_and_grad(function)(X)
    assert value == pytest.approx(function(X.copy()), rel=1e-12)
    assert found @ V == pytest.approx(difference(function), rel=1e-6)
    assert_right(function)


@pytest.mark.parametrize("function", thinned(PROGRAMS, 3, lambda f: f.__name__))
def test_second_order(function: Callable[..., Any]) -> None:
    expected = difference(grad(function))
    for found in (hvp(function, (X,), (V,))[1], vjp(grad(function), X)[1](V), jvp(grad(function), (X,), (V,))[1]):
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_modules(tmp_path: Path) -> None:
    text = Path(try_programs.__file__).read_text().replace("x: np.ndarray", 'x: Float[np.ndarray, "n"]')
    (tmp_path / "programs.py").write_text(text)
    CliRunner().invoke(transform, [str(tmp_path / "programs.py"), "--mode", "adjoint", "-o", str(tmp_path)])
    for function in PROGRAMS:
        path = tmp_path / f"programs_{function.__name__}_adjoint.py"
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        value, x_bar = getattr(module, f"{function.__name__}_adjoint")(X)
        assert value == pytest.approx(function(X.copy()), rel=1e-12)
        assert x_bar @ V == pytest.approx(difference(function), rel=1e-6)
