"""Calls as one-line programs, and what holds of every call that is differentiated.

A program mentions VALUES by name; statements before the result are set apart by semicolons.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.sparse.linalg
import scipy.spatial
import scipy.special
from sampling import arr, loaded
from scipy import integrate, interpolate, ndimage, optimize, signal, sparse, spatial, stats

from s2sad import jvp, vjp
from s2sad.errors import CompilerError, S2sadError
from s2sad.trees import leaves, mapped

SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
SQUARE = arr(3, 3) + 2 * np.eye(3)
HERMITIAN = arr(3, 3, dtype="complex128")
VALUES: dict[str, Any] = {
    **{name: arr(5, seed=k) for k, name in enumerate("xy")},
    **{name: arr(3, seed=k) for k, name in enumerate("vw")},
    "p": arr(5, low=0.2, high=1.2, seed=2),
    "s": 0.7,
    "t": -0.4,
    "q": np.float64(0.3),
    "q32": np.float32(0.3),
    "o": np.array(0.6),
    "u": np.sort(arr(6, seed=5)),
    "e": np.zeros(0),
    "one": arr(1),
    "A": arr(3, 4),
    "B": arr(4, 3, seed=1),
    "S": SQUARE,
    "P": SPD,
    "BS": np.stack([SPD, SPD + 1]),
    "T": arr(2, 3, 4),
    "f": arr(5, dtype="float32"),
    "F": arr(3, 4, dtype="float32"),
    "hf": arr(5, dtype="float16"),
    "z": arr(5, dtype="complex128"),
    "c": arr(5, dtype="complex64"),
    "C": arr(3, 4, seed=2, dtype="complex128"),
    "Z": arr(3, 3, dtype="complex128") + 2 * np.eye(3),
    "H": (HERMITIAN + HERMITIAN.conj().T) / 2 + 3 * np.eye(3),
    "zs": 0.3 + 0.4j,
    "nc": arr(10)[::2],
    "K": arr(4, 3, seed=7).T,
    "S32": SQUARE.astype("float32"),
    "I6": arr(6, 7),
    "k3": arr(3, 3, seed=4),
    "v64": np.array([1.0, 2.0, 3.0]),
}
MODULES: dict[str, Any] = {
    "np": np, "math": math, "sl": scipy.linalg, "sp": scipy.special, "sfft": scipy.fft, "signal": signal, "ndimage": ndimage,
    "stats": stats, "sparse": sparse, "integrate": integrate, "interpolate": interpolate, "optimize": optimize,
    "spatial": spatial,
}  # fmt: skip
NARROW = {"float16": (1e-1, 5e-2), "float32": (2e-2, 1e-2), "complex64": (2e-2, 1e-2)}
_count = itertools.count()


def program(line: str) -> tuple[Callable[..., Any], list[str]]:
    """The function that a line stands for, and its parameters."""
    *statements, result = [part.strip() for part in line.split(";")]
    nodes = list(ast.walk(ast.parse("\n".join([*statements, result]))))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {a.arg for node in nodes if isinstance(node, ast.Lambda) for a in node.args.args}
    names = sorted({node.id for node in nodes if isinstance(node, ast.Name)} & VALUES.keys() - bound)
    source = f"def f({', '.join(names)}):\n" + "".join(f"    {part}\n" for part in (*statements, f"return {result}"))
    return loaded(f"<call {next(_count)}>", source, **MODULES)["f"], names


def differentiable(value: Any) -> bool:
    """Whether a number or an array holds real or complex numbers."""
    return np.asarray(value).dtype.kind in "fc"


def direction(value: Any, rng: np.random.Generator) -> Any:
    """A random direction, of the type of the value."""
    if not differentiable(value):
        return value
    found = rng.uniform(0.5, 1.5, np.shape(value)) * rng.choice([-1.0, 1.0], np.shape(value))
    if np.iscomplexobj(value):
        found = found + 1j * rng.uniform(-1.0, 1.0, np.shape(value))
    return np.asarray(found, value.dtype) if isinstance(value, np.ndarray) else type(value)(found)


def seed(value: Any, rng: np.random.Generator) -> Any:
    """A random adjoint of a result, zero where that is not finite."""
    return direction(value, rng) * np.isfinite(value) if differentiable(value) else value


def shifted(value: Any, step: Any) -> Any:
    """A leaf moved by a step, in its dtype."""
    if not differentiable(value):
        return value
    moved = value + step
    return np.asarray(moved, value.dtype) if isinstance(moved, np.ndarray) else moved


def parts(value: Any) -> list[Any]:
    """The numbers and arrays of a structure, as arrays."""
    return [np.asarray(leaf) for leaf in leaves(value)]


def trial(line: str) -> Trial:
    """The trial of a line."""
    function, names = program(line)
    return Trial(function, {name: VALUES[name] for name in names})


class Trial:
    """One program at the values of its parameters: what holds of both modes; ``problems`` says what does not."""

    def __init__(self, function: Callable[..., Any], values: dict[str, Any]) -> None:
        self.function, self.values, self.names = function, values, list(values)
        self.rng = np.random.default_rng(0)
        self.active = [name for name in self.names if differentiable(values[name])]
        self.directions = {name: mapped(lambda leaf: direction(leaf, self.rng), values[name]) for name in self.active}
        self.refused: dict[str, set[str]] = {"tangent": set(), "adjoint": set()}

    def arguments(self) -> list[Any]:
        """Fresh arguments."""
        return [copy.deepcopy(self.values[name]) for name in self.names]

    def problems(self, alone: bool = True) -> Iterator[str]:
        """All that is wrong, one after the other; the primal's own exceptions pass.

        ``alone``: by each argument in a program of its own; otherwise in one program for all of them, unless that is refused.
        """
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = self.function(*self.arguments())
            bars = mapped(lambda leaf: seed(leaf, self.rng), value)
            if not alone and len(self.active) > 1:
                found = list(self._of(tuple(self.active), value, bars))
                if not any(self.refused.values()):
                    yield from found
                    return
                self.refused = {"tangent": set(), "adjoint": set()}
            for name in self.active:
                yield from self._of((name,), value, bars)
        if self.refused["tangent"] != self.refused["adjoint"]:
            yield f"one mode refuses what the other accepts: {self.refused}"

    def _of(self, names: tuple[str, ...], value: Any, bars: Any) -> Iterator[str]:
        """What is wrong with the derivatives by these arguments, each moved on its own."""
        expected = {name: self._differences(name, value) for name in names}
        still = {name: mapped(lambda d: 0 * d, self.directions[name]) for name in names}
        for name in names:
            moved = tuple((still | {name: self.directions[name]}).values())
            try:
                found, dot = jvp(self.function, tuple(self.arguments()), moved, wrt=names)
            except CompilerError:
                raise
            except S2sadError:
                self.refused["tangent"].add(name)
                continue
            slopes, tolerance = expected[name]
            yield from same_values("the value in forward mode", found, value)
            yield from same_types(f"the tangent by {name}", dot, value)
            for ours, theirs in zip(parts(dot), slopes, strict=True):
                ours = np.where(np.isnan(theirs), np.nan, ours) if theirs is not None else None
                if theirs is not None and not np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True):
                    yield f"the tangent by {name} is {ours}, differences give {theirs}"
        try:
            found, pullback = vjp(self.function, *self.arguments(), wrt=names)
            gradient = pullback(bars)
        except CompilerError:
            raise
        except S2sadError:
            self.refused["adjoint"].update(names)
            return
        yield from same_values("the value in reverse mode", found, value)
        for name, bar in zip(names, gradient, strict=True):
            slopes, tolerance = expected[name]
            yield from same_types(f"the gradient by {name}", bar, self.values[name])
            ours = sum(np.sum(np.real(b * d)) for b, d in zip(parts(bar), parts(self.directions[name]), strict=True))
            theirs = sum(np.nansum(np.real(b * d)) for b, d in zip(parts(bars), slopes, strict=True) if d is not None)
            if not np.isclose(ours, theirs, rtol=3 * tolerance, atol=3 * tolerance):
                yield f"the gradient by {name} gives {ours} along the direction, differences {theirs}"

    def _differences(self, name: str, value: Any) -> tuple[list[Any], float]:
        """Central differences by one argument, and how exact they are: by the narrowest type that takes part."""
        types = {part.dtype.name for part in (*parts(value), *(np.asarray(x) for x in self.values.values()))}
        tolerance, step = max((NARROW[t] for t in types & NARROW.keys()), default=(3e-6, 1e-5))
        sides = []
        for sign in (1, -1):
            arguments = self.arguments()
            place = self.names.index(name)
            arguments[place] = mapped(lambda x, d: shifted(x, sign * step * d), arguments[place], self.directions[name])
            sides.append(parts(self.function(*arguments)))
        return [
            np.where(np.isfinite(v), (a * 1.0 - b * 1.0) / (2 * step), np.nan) if differentiable(a) else None
            for v, a, b in zip(parts(value), *sides, strict=True)
        ], tolerance


def same_values(what: str, found: Any, expected: Any) -> Iterator[str]:
    """What differs from what is expected but for rounding."""
    problems = list(same_types(what, found, expected))
    yield from problems
    for a, b in zip(parts(found), parts(expected), strict=True) if not problems else ():
        if b.dtype.kind in "fc" and not np.allclose(a, b, rtol=20 * np.finfo(b.dtype).eps ** 0.7, atol=1e-7, equal_nan=True):
            yield f"{what} is {a}, not {b}"


def same_types(what: str, found: Any, expected: Any) -> Iterator[str]:
    """What differs in number, dtype and shape from what is expected; whole numbers have any tangent."""
    if len(parts(found)) != len(parts(expected)):
        yield f"{what} has {len(parts(found))} parts, not {len(parts(expected))}"
        return
    for a, b in zip(parts(found), parts(expected), strict=True):
        if b.dtype.kind in "fc" and (a.dtype != b.dtype or a.shape != b.shape):
            yield f"{what} is {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
