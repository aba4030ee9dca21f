"""Every rule in every form of its arguments: sample calls as programs, and what is done to their arguments.

A sample of ``numpy.dot`` becomes ``def f(a0, a1): return numpy.dot(a0, a1)``. Real and complex numbers and arrays are
parameters, all else stands in the call as it is. Differences are taken in double precision, whatever the form is.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy
from calls import MODULES, differentiable, direction, parts, same_types
from interpreter import function_named
from samples import SAMPLES, STEPS, Sample
from sampling import loaded, spread, with_options
from test_layouts import strided

from s2sad import jvp, vjp
from s2sad.errors import CompilerError, S2sadError
from s2sad.rules import registry
from s2sad.rules.functionals import Functional
from s2sad.rules.language import Derivative, Nothing
from s2sad.trees import mapped

NARROW = {"float16": 6e-2, "float32": 3e-3, "complex64": 3e-3}
NUMBERS = (float, complex, np.inexact)
Form = Callable[[Any, int], Any]


def typed(dtype: str, only: Callable[[int], bool] = lambda _: True) -> Form:
    """Arrays and NumPy's numbers in another precision; complex numbers keep their imaginary parts."""
    narrow = {"complex128": "complex64", "complex64": "complex64"}

    def change(x: Any, k: int) -> Any:
        if not isinstance(x, np.ndarray | np.inexact) or not only(k):
            return x
        wanted = narrow.get(x.dtype.name, dtype) if dtype != "float16" or x.dtype.kind == "f" else x.dtype.name
        return np.asarray(x).astype(wanted)[()] if np.ndim(x) == 0 else x.astype(wanted)

    return change


def turned(x: Any, k: int) -> Any:
    """Complex numbers of single precision in the place of real arrays."""
    return (x * (1 + 0.25j)).astype("complex64") if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


def read_only(x: Any, k: int) -> Any:
    """An array that cannot be written."""
    if isinstance(x, np.ndarray):
        x.flags.writeable = False
    return x


def of_arrays(change: Callable[[Any], Any]) -> Form:
    """A change of arrays with axes."""
    return lambda x, k: change(x) if isinstance(x, np.ndarray) and x.ndim else x


def of_numbers(change: Callable[[Any], Any]) -> Form:
    """A change of numbers of Python."""
    return lambda x, k: change(x) if type(x) in (float, complex) else x


def first(x: Any) -> Any:
    """The first item, a number of NumPy's; of an empty array the array."""
    return x.ravel()[0] if x.size else x


FORMS: dict[str, Form] = {
    "as it is": lambda x, k: x,
    "strided": of_arrays(strided),
    "Fortran": of_arrays(np.asfortranarray),
    "read-only": read_only,
    "length 1": of_arrays(lambda x: x[(slice(0, 1),) * x.ndim]),
    "empty": of_arrays(lambda x: x[:0]),
    "NumPy number": of_numbers(lambda x: np.asarray(x)[()]),
    "no axes": of_numbers(np.asarray),
    "number": of_arrays(lambda x: first(x).item() if x.size else x),
    "NumPy number for array": of_arrays(first),
    "single number": of_arrays(lambda x: first(x).astype("complex64" if x.dtype.kind == "c" else "float32")),
    "single": typed("float32"),
    "half": typed("float16"),
    "first single": typed("float32", lambda k: k == 0),
    "others single": typed("float32", lambda k: k > 0),
    "complex": turned,
}
COMPUTED = "computed number"  # an item of an array in the place of each number


class Program:
    """A sample as a program: its function, and the values of its parameters, of which some are differentiated."""

    def __init__(self, name: str, sample: Sample, computed: bool = False) -> None:
        primitive = registry.lookup(name)
        assert primitive is not None
        self.values: list[Any] = []
        self.active: list[int] = []
        self.computed = computed
        places = [p for p, _, _ in primitive.parameters if p not in primitive.keyword_only]
        places += [places[-1]] * len(sample.args) if places and places[-1].startswith("*") else []
        texts = [self._text(v, p not in sample.fixed) for v, p in zip(sample.args, places, strict=False)]
        named = {p: self._text(v, p not in sample.fixed) for p, v in sample.kwargs.items()}
        options = [f"{p}={text}" for p, text in named.items()]
        if name.startswith("ndarray."):
            given = "" if primitive.spelling == "attribute" else f"({', '.join([*texts[1:], *options])})"
            call = f"{texts[0]}.{name.removeprefix('ndarray.')}{given}"
        else:
            call = f"{name}({', '.join([*texts, *options])})"
        self.text = call
        self.names = [f"a{k}" for k in range(len(self.values))]
        source = f"def f({', '.join(self.names)}):\n    return {call}\n"
        file = f"<product {id(self)} {call}>"
        self.function = loaded(file, source, numpy=np, scipy=scipy, **MODULES)["f"]

    def _text(self, value: Any, active: bool) -> str:
        """How an argument is written; what is no literal becomes a parameter."""
        if isinstance(value, tuple | list) and any(isinstance(v, np.ndarray | float | complex) for v in value):
            items = ", ".join(self._text(v, active) for v in value)
            return f"[{items}]" if isinstance(value, list) else f"({items},)"
        if value is None or isinstance(value, bool | int | str | tuple | slice) and not isinstance(value, np.generic):
            return repr(value)
        if differentiable_value(value) and active:
            self.active.append(len(self.values))
        indexed = self.computed and isinstance(value, NUMBERS)
        self.values.append(np.array([value]) if indexed else value)
        return f"a{len(self.values) - 1}" + ("[0]" if indexed else "")


def differentiable_value(value: Any) -> bool:
    """Whether a leaf holds real or complex numbers."""
    return isinstance(value, NUMBERS) or (isinstance(value, np.ndarray) and differentiable(value))


def wide(value: Any) -> Any:
    """A value in double precision."""
    if isinstance(value, np.ndarray | np.inexact) and value.dtype.name in NARROW:
        return value.astype("complex128" if value.dtype.kind == "c" else "float64")
    return value


class Case:
    """One program in one form: ``problems`` says what is wrong with its derivatives."""

    def __init__(self, program: Program, form: Form) -> None:
        self.program, self.rng = program, np.random.default_rng(3)
        order = {k: n for n, k in enumerate(program.active)}
        fresh = copy.deepcopy(program.values)
        self.values = [form(v, order.get(k, -1)) if k in order else v for k, v in enumerate(fresh)]
        self.active = [k for k in program.active if differentiable(self.values[k])]
        self.refused: dict[str, str] = {}
        self.undetermined = False  # the tangent is NaN: what it is of is arbitrary (bases that are completed)

    def problems(self) -> Iterator[str]:
        """All that is wrong; where the primal refuses, or is not finite, nothing is."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                value = self.program.function(*copy.deepcopy(self.values))
                slopes = self._differences()
            except Exception:  # whatever the library raises: there is nothing to differentiate
                return
            if not all(differentiable(part) and np.isfinite(part).all() for part in parts(value)) or not self.active:
                return
            directions = {k: direction(self.values[k], self.rng) for k in self.active}
            bars = mapped(lambda leaf: direction(leaf, self.rng), value)
            yield from self._tangent(value, directions, slopes)
            yield from self._gradient(value, directions, bars, slopes)
            if len(self.refused) == 1 and not self.undetermined:
                yield f"one mode refuses what the other accepts: {self.refused}"

    def _tangent(self, value: Any, directions: dict[int, Any], slopes: Any) -> Iterator[str]:
        names = tuple(self.program.names[k] for k in self.active)
        try:
            found, dot = jvp(self.program.function, tuple(copy.deepcopy(self.values)), tuple(directions.values()), wrt=names)
        except CompilerError:
            raise
        except S2sadError as error:
            self.refused["tangent"] = str(error).splitlines()[0]
            return
        yield from same_types("the value in forward mode", found, value)
        yield from same_types("the tangent", dot, value)
        expected = slopes(directions)
        self.undetermined = any(part.size and np.isnan(part).all() for part in parts(dot))
        for ours, theirs in zip(parts(dot), expected, strict=True):
            if np.shape(ours) == np.shape(theirs) and not self._close(ours, theirs):
                yield f"the tangent is {ours}, differences give {theirs}"

    def _gradient(self, value: Any, directions: dict[int, Any], bars: Any, slopes: Any) -> Iterator[str]:
        try:
            names = tuple(self.program.names[k] for k in self.active)
            found, pullback = vjp(self.program.function, *copy.deepcopy(self.values), wrt=names)
            gradient = pullback(bars)
        except CompilerError:
            raise
        except S2sadError as error:
            self.refused["adjoint"] = str(error).splitlines()[0]
            return
        yield from same_types("the value in reverse mode", found, value)
        for k, bar in zip(self.active, gradient, strict=True):
            yield from same_types(f"the gradient by a{k}", bar, self.values[k])
            if np.shape(bar) != np.shape(self.values[k]):
                continue
            expected = slopes({k: directions[k]})
            if not all(np.isfinite(e).all() for e in expected):
                continue
            terms = [np.sum(np.real(wide(np.asarray(b)) * e)) for b, e in zip(parts(bars), expected, strict=True)]
            ours = np.sum(np.real(wide(np.asarray(bar)) * wide(np.asarray(directions[k]))))
            size = sum(np.sum(np.abs(b) * np.abs(e)) for b, e in zip(parts(bars), expected, strict=True))
            if not self._close(ours, sum(terms), size):
                yield f"the gradient by a{k} gives {ours} along the direction, differences {sum(terms)}"

    def _close(self, ours: Any, theirs: Any, size: float = 0.0) -> bool:
        """As exact as the narrowest type that takes part; where differences say nothing, anything is."""
        types = {np.asarray(v).dtype.name for v in self.values}
        tolerance = max((NARROW[t] for t in types & NARROW.keys()), default=2e-5)
        known = np.isfinite(theirs)
        bound = tolerance * (1 + np.abs(theirs) + size)
        return self.undetermined or bool(np.all(np.where(known, np.abs(np.where(known, ours - theirs, 0.0)) <= bound, True)))

    def _differences(self) -> Callable[[dict[int, Any]], list[Any]]:
        """Central differences in double precision, along directions by parameters."""
        base = [wide(v) for v in self.values]
        self.program.function(*copy.deepcopy(base))

        def moved(directions: dict[int, Any], step: float) -> list[Any]:
            values = copy.deepcopy(base)
            for k, d in directions.items():
                values[k] = values[k] + step * wide(d)
            return parts(self.program.function(*values))

        def along(directions: dict[int, Any]) -> list[Any]:
            pairs = [zip(moved(directions, h), moved(directions, -h), strict=True) for h in (1e-6, 3e-6)]
            found, again = ([(a - b) / (2 * h) for a, b in pair] for pair, h in zip(pairs, (1e-6, 3e-6), strict=True))
            agree = [np.abs(a - b) <= 1e-4 * (1 + np.abs(a)) for a, b in zip(found, again, strict=True)]
            return [np.where(same & (a.dtype.name not in NARROW), a, np.nan) for a, same in zip(found, agree, strict=True)]

        return along


NARROWING = ("single", "half", "first single", "others single", "single number", "complex")


# Complex eigenvectors and singular vectors turn by arbitrary phases, and real ones by signs that depend on the precision:
# programs without them are in test_linalg_programs.
TURNING = ("complex", "single", "first single", "half")
PHASES = {f"numpy.linalg.{name}" for name in ("eig", "eigh", "svd")} | {f"scipy.linalg.{name}" for name in ("eig", "eigh", "svd")}
EMPTY = {
    "numpy.linalg.pinv": "NumPy takes hermitian=True of empty arrays that are not square; others are among the calls",
    "numpy.polymul": "NumPy's product of no coefficients is that of zeros, which no formula gives",
    **dict.fromkeys(("scipy.linalg.lu_solve", "scipy.linalg.solve_sylvester"), "SciPy takes empty arrays that do not fit"),
}


def cases(samples: int = 1, options: bool = False) -> Iterator[tuple[str, Sample, str]]:
    """Rule, sample and form: of each rule so many samples that hold arrays, and the first that holds numbers.

    ``options``: also a sample for each option that is given in any.
    """
    for name, given in SAMPLES.items():
        primitive = registry.lookup(name)
        known = primitive is not None and isinstance(primitive.derivative, Derivative)
        if not known or isinstance(primitive.derivative, Functional) or not name.startswith(("numpy.", "ndarray.", "scipy.")):
            continue
        of_arrays = [s for s in given if _has(s, np.ndarray)]
        of_numbers = [s for s in given if _has(s, float | complex) and not _has(s, np.ndarray)]
        for _, sample in with_options(primitive, of_arrays, samples) if options else spread(of_arrays, samples):
            left_out = {"NumPy number", "no axes", "empty" if name in EMPTY else "", *(TURNING if name in PHASES else ())}
            yield from ((name, sample, form) for form in FORMS if form not in left_out)
        for sample in of_numbers[:1]:
            yield from ((name, sample, form) for form in ("as it is", "NumPy number", "no axes", COMPUTED))


def flat_cases() -> Iterator[tuple[str, Sample, str]]:
    """The same of functions whose derivative is zero, and whose results are real or complex."""
    for name, given in STEPS.items():
        primitive = registry.lookup(name)
        if primitive is None or not isinstance(primitive.derivative, Nothing) or not primitive.derivative.zero:
            continue
        for sample in given:
            args, kwargs = sample.fresh()
            if name.startswith("numpy.") and _has(sample, float | np.ndarray):
                found = parts(function_named(name)(*args, **kwargs))
                if found and all(map(differentiable, found)):
                    yield from ((name, sample, form) for form in ("as it is", "empty", "number", *NARROWING))


def _leaves(sample: Sample) -> Iterator[Any]:
    for value in (*sample.args, *sample.kwargs.values()):
        yield from value if isinstance(value, tuple | list) else (value,)


def _has(sample: Sample, types: Any) -> bool:
    """Whether a number or an array with several items of these types is among the arguments."""
    return any(isinstance(v, types) and (not isinstance(v, np.ndarray) or v.size > 1) for v in _leaves(sample))
