"""Modules in which sums to the shape of an operand are made once: right, however arguments are stretched, in all dtypes.

The judge is the function itself: derivatives are its differences, taken along one direction of all arguments at once.
"""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad.cli import main

PROGRAMS = """
import numpy as np

def chain(a, b, c):
    return np.sum(np.tanh(a * b) * c)

def quotient(a, b, c):
    return np.sum((a / b - c) ** 2 * a)

def shared(a, b, c):
    y = a * b
    return np.sum(y * c) + np.sum(np.exp(y / 3))

def windows(a, b, c):
    y = np.sin(a[..., 1:] * b[..., :1]) * c[..., :1]
    return np.sum(y * a[..., :-1])

def powers(a, b, c):
    return np.sum(c * (a + b) ** 3 / (1.5 + (b * b) ** 2))
"""
SUMS = {"chain": 4, "quotient": 4, "shared": 7, "windows": 4, "powers": 5}  # in the module of each
SHAPES = [(), (1,), (3,), (2, 1), (2, 3)]


def modules(tmp_path: Path) -> dict[str, Any]:
    """The functions of PROGRAMS and their adjoints, and how many sums each module has."""
    file = tmp_path / "programs.py"
    file.write_text(PROGRAMS)
    result = CliRunner().invoke(main, ["transform", str(file), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = {}
    for path in (file, *(tmp_path / "out").iterdir()):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= {name: f for name, f in vars(module).items() if name.partition("_")[0] in SUMS}
        found[path.stem] = path.read_text().count("unbroadcast(")
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Made once for all tests."""
    return modules(tmp_path_factory.mktemp("unstretch"))


@pytest.mark.parametrize("name", SUMS)
def test_sums_are_made_once(made: dict[str, Any], name: str) -> None:
    assert made[f"programs_{name}_adjoint"] == SUMS[name]


@pytest.mark.parametrize("dtypes", ["fff", "fcf", "cff", "ffc", "sfs", "fsc"])
@pytest.mark.parametrize("name", SUMS)
def test_arguments_that_are_stretched(made: dict[str, Any], name: str, dtypes: str) -> None:
    rng = np.random.default_rng(7)
    f, adjoint = made[name], made[f"{name}_adjoint"]
    for shapes in itertools.product(SHAPES[1:] if name == "windows" else SHAPES, repeat=3):
        if name == "windows" and shapes[0][-1] == 1:
            continue
        args, directions = zip(*(_drawn(rng, dtype, shape) for dtype, shape in zip(dtypes, shapes, strict=True)), strict=True)
        value, bars = adjoint(*args)
        up, down = (f(*(_wide(x) + h * d for x, d in zip(args, directions, strict=True))) for h in (1e-6, -1e-6))
        expected = np.real((up - down) / 2e-6)  # the seed is 1
        found = sum(np.sum(np.real(bar * d)) for bar, d in zip(bars, directions, strict=True))
        assert [np.shape(bar) for bar in bars] == [*shapes]
        assert [np.asarray(bar).dtype for bar in bars] == [np.asarray(x).dtype for x in args]
        np.testing.assert_allclose(found, expected, rtol=2e-4 if "s" in dtypes else 1e-6, atol=1e-5)


def _drawn(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """An argument and a direction."""
    x, d = rng.uniform(0.5, 1.5, shape), rng.normal(size=shape)
    if dtype == "c":
        x, d = x + 0.3j * rng.normal(size=shape), d + 1j * rng.normal(size=shape)
    x, d = np.asarray(x), np.asarray(d)
    return (x.astype(np.float32) if dtype == "s" else x)[()], d[()]


def _wide(x: Any) -> Any:
    return x.astype(float) if x.dtype == np.float32 else x
