"""Modules of functions without annotations, called with arguments of many kinds: right, or refused, and never silently wrong.

The judge is the function itself: what its module returns first is what it returns, and derivatives are its differences, taken in
floats. Where integers lose fractions, so that floats give another value, only a refusal is right.
"""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad.cli import main
from s2sad.runtime.guards import FractionError, Refusal

FILE = Path(__file__).with_name("unannotated.py")
BASE = np.array([1.3, 2.7, 0.6])
ARGUMENTS: dict[str, Any] = {
    "float": BASE, "float32": BASE.astype(np.float32), "int": np.array([3, 7, 5]), "int8": np.array([3, 7, 5], np.int8),
    "bool": np.array([True, False, True]), "complex": BASE + 1j * np.array([0.3, -0.2, 0.5]), "list": BASE.tolist(),
    "list of integers": [3, 7, 5], "tuple": tuple(BASE.tolist()), "number": 1.5, "integer": 3, "0-d": np.array(1.5),
    "strided": np.repeat(BASE, 2)[::2], "reversed": BASE[::-1], "Fortran": np.asfortranarray(np.array([BASE, BASE + 1])),
    "empty": np.zeros(0), "size 1": np.array([1.5]), "matrix": np.array([BASE, BASE * 1.1, BASE * 0.7]),
    "matrix of integers": np.array([[1, 2, 3], [3, 4, 5], [7, 8, 9]]),
}  # fmt: skip


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAMS = {name: f for name, f in vars(loaded(FILE)).items() if name[-2:].isdigit()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The derivatives of all functions by x, written by the command line."""
    out = tmp_path_factory.mktemp("out")
    result = CliRunner().invoke(main, ["transform", str(FILE), "--wrt", "x", "--mode", "both", "-o", str(out), *(
        part for name in PROGRAMS for part in ("--function", name))])  # fmt: skip
    assert result.exit_code == 0, result.output
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FILE.parent))
        for path in out.iterdir():
            name = path.stem.removeprefix("unannotated_")
            found[name] = getattr(loaded(path), name)
    return found


def fresh(x: Any) -> Any:
    """A copy with the same strides."""
    if not isinstance(x, np.ndarray):
        return copy.deepcopy(x)
    if x.ndim == 1 and x.size > 1 and x.strides[0] != x.itemsize:
        return np.repeat(x, 2)[::2] if x.strides[0] > 0 else x[::-1].copy()[::-1]
    return x.copy("K")


def moved(x: Any, d: Any, step: float) -> Any:
    """``x + step * d``, in floats."""
    if isinstance(x, list | tuple):
        return type(x)(float(v + step * w) for v, w in zip(x, d, strict=True))
    d = np.real(d)
    result = fresh(x.astype(float) if x.dtype.kind in "biu" or x.dtype == np.float32 else x) if isinstance(x, np.ndarray) else x
    result += step * d
    return result


def reference(f: Callable[..., Any], x: Any, d: Any, *rest: Any) -> Any:
    """The directional derivative of the function in floats; None where its value in floats is another one."""
    if not np.allclose(f(moved(x, d, 0.0), *rest), f(fresh(x), *rest), rtol=1e-4):
        return None
    return (f(moved(x, d, 1e-6), *rest) - f(moved(x, d, -1e-6), *rest)) / 2e-6


def check(f: Callable[..., Any], made: dict[str, Any], x: Any, *rest: Any) -> int:
    """Whether both modes agree with differences (2), or refuse (0)."""
    try:
        value = f(fresh(x), *rest)
    except Exception:
        return 2  # which is no program
    if np.ndim(value):
        return 2
    d = np.random.default_rng(0).normal(size=np.shape(x))
    given = d if isinstance(x, np.ndarray) else type(x)(d.tolist()) if isinstance(x, list | tuple) else float(d)
    agreed = 0
    for mode in ("adjoint", "tangent"):
        argument = fresh(x)
        try:
            out, found = made[f"{f.__name__}_{mode}"](argument, *rest, **({"x_dot": given} if mode == "tangent" else {}))
        except Refusal:
            continue
        assert np.array_equal(argument, x), "the caller's array has changed"
        np.testing.assert_allclose(out, value, rtol=1e-4)
        expected = reference(f, x, d, *rest)
        assert expected is not None, f"{mode}: integers have lost fractions, and the derivative is {found}"
        found = np.sum(np.asarray(found) * np.real(d)) if mode == "adjoint" else found
        np.testing.assert_allclose(np.real(found), np.real(expected), rtol=2e-3, atol=1e-3)
        agreed += 1
    return agreed


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n[0] != "n"])
def test_modules_are_right_or_refuse(made: dict[str, Any], name: str) -> None:
    agreed = {kind: check(PROGRAMS[name], made, x) for kind, x in ARGUMENTS.items()}
    sure = ("float", "strided", "reversed", "float32", "complex", "number")
    assert all(agreed[kind] == 2 for kind in sure), agreed


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n[0] == "n"])
def test_what_varies_is_not_made_an_integer(made: dict[str, Any], name: str) -> None:
    integers = np.array([2, 0, 1])
    harmless = name in ("n11", "n12")
    agreed = check(PROGRAMS[name], made, BASE, integers)
    assert agreed == (2 if harmless else 0)
    if name != "n11":  # where they are places
        assert check(PROGRAMS[name], made, BASE, integers.astype(float)) == 2


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
def test_directions_are_floats(made: dict[str, Any], dtype: str) -> None:
    with pytest.raises(FractionError, match="x_dot is an array"):
        made["f08_tangent"](BASE, np.array([1, 0, 0], dtype))


IN_PLACE = """
import numpy as np
def loop(a, b):
    c = a * 1.0
    for _ in range(2):
        c {op} b
    return c
def like(a, b):
    c = np.ones_like(a)
    c {op} b
    return c
def constant(a, b):
    c = a * b[0] * 0.5
    c {op} 1.5
    return c
"""


@pytest.mark.parametrize("op", ["+=", "-=", "*=", "/=", "**="])
def test_what_is_changed_in_place_keeps_its_dtype(op: str, tmp_path: Path) -> None:
    file = tmp_path / "narrow.py"
    file.write_text(IN_PLACE.format(op=op))
    result = CliRunner().invoke(main, ["transform", str(file), "--mode", "both", "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    a, b = np.array([0.3, 0.7, 1.1], np.float32), np.array([1 / 7, 0.6, 0.9])
    for name in ("loop", "like", "constant"):
        expected = getattr(loaded(file), name)(a, b)
        modules = {mode: loaded(tmp_path / "out" / f"narrow_{name}_{mode}.py") for mode in ("tangent", "adjoint")}
        value, tangent = getattr(modules["tangent"], f"{name}_tangent")(a, b, a, b)
        again, (a_bar, b_bar) = getattr(modules["adjoint"], f"{name}_adjoint")(a, b, np.ones_like(expected))
        assert value.dtype == again.dtype == tangent.dtype == expected.dtype
        assert np.array_equal(value, expected) and np.array_equal(again, expected)
        assert (a_bar.dtype, b_bar.dtype) == (a.dtype, b.dtype)
        assert np.sum(tangent) == pytest.approx(np.sum(a_bar * a) + np.sum(b_bar * b), rel=1e-5)
