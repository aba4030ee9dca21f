"""The tables of CONVENTIONS.md, each line of them executed in both modes."""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2sad
from s2sad import jvp, vjp

TEXT = (Path(s2sad.__file__).parent / "rules" / "CONVENTIONS.md").read_text()


class Line(NamedTuple):
    """One line of a table: an expression, where it is differentiated, and its slopes in the two modes."""

    expression: str
    point: dict[str, Any]
    reverse: dict[str, Any]
    forward: dict[str, Any]


def values(text: str) -> dict[str, Any]:
    """The names and values of ``x = 0.0, y = [1.0]``; a value without a name belongs to the first one."""
    parts = re.split(r",\s*(?=\w+ = )", text)
    pairs = [part.split(" = ") if " = " in part else ("", part) for part in parts]
    found = {name: eval(value, {"np": np}) for name, value in pairs}
    return {name: np.array(value) if isinstance(value, list) else value for name, value in found.items()}


def lines() -> Iterator[Line]:
    for row in re.findall(r"^\| (`.*`) \|$", TEXT, flags=re.MULTILINE):
        expression, point, *slopes = [cell.strip().strip("`") for cell in row.split(" | ")]
        at = values(point)
        reverse, forward = (
            {name or next(iter(at)): slope for name, slope in values(text).items()}
            for text in (slopes[0], slopes[-1])
        )
        yield Line(expression, at, reverse, forward)


LINES = list(lines())


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> list[Callable[..., Any]]:
    """A function for each line, in a module of their own, as users write them."""
    path = tmp_path_factory.mktemp("conventions") / "conventions_written_out.py"
    bodies = [
        f"def f{k}({', '.join(line.point)}):\n    return {line.expression}\n" for k, line in enumerate(LINES)
    ]
    path.write_text("import math\n\nimport numpy as np\n\n\n" + "\n\n".join(bodies))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return [getattr(module, f"f{k}") for k in range(len(LINES))]


NUMBERED = [pytest.param(k, id=f"{line.expression} at {line.point}") for k, line in enumerate(LINES)]


def test_the_tables_were_found() -> None:
    assert len(LINES) > 60
    assert {len(line.point) for line in LINES} == {1, 2}


@pytest.mark.parametrize("k", NUMBERED)
def test_reverse_mode(functions: list[Callable[..., Any]], k: int) -> None:
    line = LINES[k]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out, pullback = vjp(functions[k], *line.point.values())
        bars = pullback(np.ones_like(out) if isinstance(out, np.ndarray) else 1.0)
    for bar, name in zip(bars, line.point, strict=True):
        np.testing.assert_allclose(bar, line.reverse[name], atol=1e-12)


@pytest.mark.parametrize("k", NUMBERED)
def test_forward_mode(functions: list[Callable[..., Any]], k: int) -> None:
    """Along each axis; a point of several items moves as a whole where a slope is infinite, as 0 times that is NaN."""
    line = LINES[k]
    for name, slope in line.forward.items():
        for place in np.ndindex(np.shape(slope)):
            np.testing.assert_allclose(
                forward(functions[k], line.point, name, place), slope[place] if place else slope, atol=1e-12
            )


def forward(function: Callable[..., Any], point: dict[str, Any], name: str, place: tuple[int, ...]) -> Any:
    """The sum of the tangents of the result along one axis."""
    dots = {n: np.zeros_like(x) if isinstance(x, np.ndarray) else 0.0 for n, x in point.items()}
    if place:
        dots[name][place] = 1.0
    else:
        dots[name] = 1.0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.sum(jvp(function, tuple(point.values()), tuple(dots.values()))[1])


def test_an_infinite_slope_of_a_python_number_is_infinite_as_numpy_has_it() -> None:
    def logarithm(x: float) -> Any:
        return np.log(x)

    with np.errstate(all="ignore"):
        assert s2sad.grad(logarithm)(0.0) == np.inf


def test_a_tangent_that_does_not_move_times_an_infinite_slope() -> None:
    def root(x: Any) -> Any:
        return np.sqrt(x)

    with np.errstate(all="ignore"):
        _, tangent = jvp(root, (np.array([0.0, 4.0]),), (np.array([0.0, 1.0]),))
    np.testing.assert_array_equal(tangent, [0.0, 0.25])


@pytest.mark.parametrize("name", ["log", "sqrt", "arcsin", "arccos", "arcsinh", "arccosh", "arctanh"])
def test_the_derivative_on_a_branch_cut_is_that_of_the_side_of_the_value(name: str) -> None:
    function = getattr(np, name)

    def f(z: Any) -> Any:
        return function(z)

    for z in (2.0, -2.0, 2.0j, -2.0j):
        across = 1j if np.imag(z) == 0 else 1.0
        for side in (1, -1):
            signed = side * 0.0
            at = complex(z.real, signed) if across == 1j else complex(signed, z.imag)
            along, near = (1.0 if across == 1j else 1j), at + side * 1e-9 * across
            expected = (function(near + 1e-6 * along) - function(near - 1e-6 * along)) / 2e-6
            found = jvp(f, (np.array([at]),), (np.array([along]),))[1]
            np.testing.assert_allclose(found, [expected], atol=1e-6)
