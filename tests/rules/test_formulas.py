"""Every formula of the tables against finite differences of the primal, in both modes."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from interpreter import Machine, described, fits, function_named, prepared
from samples import SAMPLES, Sample
from samples_scipy import SCIPY_NAMES, SCIPY_RANKS
from sampling import spread, with_options

from s2sad.errors import NoRuleError
from s2sad.ir.kinds import UNKNOWN, is_differentiable
from s2sad.ir.nodes import Call, Const, Value
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.functionals import Functional
from s2sad.rules.language import Derivative, Nothing

MEMORY = {"operator.getitem"}  # the machinery differentiates memory operations


class Trial:
    """One sample of one primitive: its derivatives by rules, and by differences."""

    def __init__(self, name: str, sample: Sample, described: bool = True) -> None:
        primitive = registry.lookup(name)
        assert primitive is not None and isinstance(primitive.derivative, Derivative)
        self.primitive, self.derivative = primitive, primitive.derivative
        self.machine = Machine(described)
        args, kwargs = prepared(self.machine, sample)
        self.function = function_named(name)
        self.call = Call(target=name, args=args, kwargs=kwargs)
        self.machine.run(args[0])
        self.call.results = [Value(registry.infer(self.call) if described else UNKNOWN)]
        self.out = self.evaluate({})
        self.machine.actual[self.call.result] = self.out
        self.app = Application(self.call, primitive, self.machine.builder, lambda value: value)
        self.active = [
            p
            for p in self.derivative.params
            if p in self.app.bound and p not in sample.fixed and self.differentiable(p)
        ]
        assert self.active

    def differentiable(self, param: str) -> bool:
        value = self.app.bound[param]  # a literal is no variable
        return not isinstance(value, Const) and has_reals(self.machine.read(value))

    def evaluate(self, changed: dict[Value, Any]) -> Any:
        def read(value: Value) -> Any:
            return changed[value] if value in changed else self.machine.read(value)

        return self.function(*map(read, self.call.args), **{k: read(v) for k, v in self.call.kwargs.items()})

    def push(self, directions: dict[str, Any]) -> Any:
        dots = {p: self.machine.value(d) for p, d in directions.items()}
        return self.machine.run(self.derivative.pushforward(self.app, dots))

    def pull(self, bar: Any, param: str) -> Any:
        return self.machine.run(self.derivative.pullback(self.app, self.machine.value(bar), param))

    def argument(self, param: str) -> Any:
        return self.machine.read(self.app.bound[param])

    def difference(self, param: str, direction: Any, step: float) -> Any:
        value = self.app.bound[param]
        plus = self.evaluate({value: add(self.argument(param), direction, step)})
        minus = self.evaluate({value: add(self.argument(param), direction, -step)})
        return scaled_difference(plus, minus, 2 * step)


def has_reals(actual: Any) -> bool:
    if isinstance(actual, tuple | list):
        return any(map(has_reals, actual))
    return isinstance(actual, float | complex | np.inexact) or (
        isinstance(actual, np.ndarray) and actual.dtype.kind in "fc"
    )


def sequence(like: Any, items: Iterable[Any]) -> Any:
    """A list for a list, a tuple for tuples of all kinds."""
    return list(items) if isinstance(like, list) else tuple(items)


def add(x: Any, direction: Any, step: float) -> Any:
    if isinstance(x, tuple | list):
        return sequence(x, (add(a, d, step) for a, d in zip(x, direction, strict=True)))
    return x + step * direction if has_reals(x) else x


def scaled_difference(plus: Any, minus: Any, width: float) -> Any:
    if isinstance(plus, tuple | list):
        return sequence(plus, (scaled_difference(a, b, width) for a, b in zip(plus, minus, strict=True)))
    return (np.asarray(plus) * 1.0 - np.asarray(minus) * 1.0) / width


def random_like(x: Any, rng: np.random.Generator) -> Any:
    if isinstance(x, tuple | list):
        return sequence(x, (random_like(item, rng) for item in x))
    values = rng.uniform(0.5, 1.5, np.shape(x)) * rng.choice([-1.0, 1.0], np.shape(x))
    dtype = np.asarray(x).dtype
    if dtype.kind == "c":
        values = values + 1j * rng.uniform(-1, 1, np.shape(x))
    if isinstance(x, np.ndarray):
        return np.asarray(values, dtype=dtype)
    return type(x)(values)


def pairing(bar: Any, dot: Any) -> float:
    """The product of an adjoint and a tangent: for complex numbers the real part of the plain product."""
    if isinstance(dot, tuple | list):
        return sum(pairing(b, d) for b, d in zip(bar, dot, strict=True))
    return float(np.sum(np.real(np.asarray(bar) * np.asarray(dot))))


def precision(item: Any) -> tuple[float, float]:
    """The tolerance and the step of differences in the least precision that takes part."""
    if isinstance(item, Sample):
        return precision([*item.args, *item.kwargs.values()])
    if isinstance(item, tuple | list):
        return max(map(precision, item), default=(1e-6, 1e-5))
    named = {item if isinstance(item, str) else str(getattr(item, "dtype", None))}
    if "float16" in named:
        return 1e-1, 1e-1
    return (2e-2, 1e-2) if named & {"float32", "complex64"} else (1e-6, 1e-5)


def failures(samples: Iterable[tuple[int, Sample]], tried: Callable[[Sample], None]) -> dict[str, str]:
    """What fails of numbered samples, and how."""
    found = {}
    for k, sample in samples:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tried(sample)
        except Exception as error:  # whatever it is: all samples are tried, and none may raise
            found[f"sample {k}"] = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
    return found


def of_both_modes(name: str, samples: Iterable[tuple[int, Sample]]) -> dict[str, str]:
    """What fails of numbered samples.

    What is told of kinds is true of all steps of the derivatives, which can be differentiated again.
    """
    joint = False

    def tried(sample: Sample) -> None:
        trial = Trial(name, sample)
        kind = trial.call.result.kind
        assert fits(kind, trial.out), f"{kind!r} but {described(trial.out)}"
        assert is_differentiable(kind)
        nonlocal joint
        check(trial, sample, jointly=not joint)
        joint |= len(trial.active) > 1
        for op in trial.machine.block.ops:
            primitive = registry.lookup(op.target)  # type: ignore[attr-defined]
            assert primitive is not None
            assert isinstance(primitive.derivative, Derivative | Nothing) or primitive.name in MEMORY, primitive.name

    return failures(samples, tried)


@pytest.mark.parametrize("name", SAMPLES)
def test_both_modes_agree_with_differences(name: str) -> None:
    """Samples of all parts, and one for each option that there is in any."""
    assert of_both_modes(name, with_options(registry.lookup(name), SAMPLES[name], 3)) == {}


@pytest.mark.deep
@pytest.mark.parametrize("name", SAMPLES)
def test_both_modes_agree_with_differences_at_all_samples(name: str) -> None:
    assert of_both_modes(name, enumerate(SAMPLES[name])) == {}


def of_unknown_kinds(name: str, samples: Iterable[tuple[int, Sample]]) -> dict[str, str]:
    """What fails where nothing is known of the arguments but their values."""

    def tried(sample: Sample) -> None:
        try:
            check(Trial(name, sample, described=False), sample)
        except NoRuleError:
            assert name in REFUSE_UNKNOWN_RANKS

    return failures(samples, tried)


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_needs_to_be_known_of_the_arguments(name: str) -> None:
    assert of_unknown_kinds(name, spread(SAMPLES[name], 1)) == {}


@pytest.mark.deep
@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_needs_to_be_known_of_the_arguments_of_any_sample(name: str) -> None:
    assert of_unknown_kinds(name, enumerate(SAMPLES[name])) == {}


REFUSE_UNKNOWN_RANKS = SCIPY_RANKS | {
    *(f"numpy.linalg.{name}" for name in ("solve", "norm", "lstsq", "multi_dot", "tensorinv")),
    "numpy.pad",
}


def check(trial: Trial, sample: Sample, jointly: bool = True) -> None:
    rng = np.random.default_rng(1)
    tolerance, step = precision(sample)
    bar = random_like(trial.out, rng)
    for param in trial.active:
        direction = random_like(trial.argument(param), rng)
        expected = trial.difference(param, direction, step)
        tangent = trial.push({param: direction})
        same_shapes(tangent, trial.out)
        close(tangent, expected, tolerance)
        adjoint = trial.pull(bar, param)
        same_shapes(adjoint, trial.argument(param))
        same_precision(adjoint, trial.argument(param))
        np.testing.assert_allclose(
            pairing(adjoint, direction), pairing(bar, expected), rtol=tolerance, atol=tolerance
        )
    if len(trial.active) > 1 and jointly:
        check_jointly(trial, rng, tolerance, step)


def check_jointly(trial: Trial, rng: np.random.Generator, tolerance: float, step: float) -> None:
    directions = {p: random_like(trial.argument(p), rng) for p in trial.active}
    parts = [trial.difference(p, d, step) for p, d in directions.items()]
    close(trial.push(directions), total(parts), tolerance)


def total(parts: list[Any]) -> Any:
    """The sum of values, item by item where they are tuples."""
    if isinstance(parts[0], tuple | list):
        return sequence(parts[0], (total(list(items)) for items in zip(*parts, strict=True)))
    return sum(parts[1:], parts[0])


def close(actual: Any, expected: Any, tolerance: float) -> None:
    if isinstance(expected, tuple | list):
        for a, e in zip(actual, expected, strict=True):
            close(a, e, tolerance)
    else:
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def same_precision(adjoint: Any, argument: Any) -> None:
    """The adjoint of an array has its dtype; imaginary parts are dropped by the machinery."""
    if isinstance(argument, np.ndarray):
        assert np.asarray(adjoint).real.dtype == argument.real.dtype


def same_shapes(derivative: Any, value: Any) -> None:
    """Tangents and adjoints have the shapes of the values that they belong to."""
    if isinstance(value, tuple | list):
        for d, x in zip(derivative, value, strict=True):
            same_shapes(d, x)
    else:
        assert np.shape(derivative) == np.shape(value)


def tables() -> dict[str, Any]:
    return {
        n: p
        for n, p in registry.all_primitives().items()
        if n.startswith(("numpy.", "math.", "ndarray.", "s2sad.runtime.", *SCIPY_NAMES))
    }


def test_every_differentiable_primitive_has_a_sample() -> None:
    """Functions of functions have programs instead, in ``test_functionals``."""
    by_rule = {id(p.derivative): name for name, p in tables().items() if name in SAMPLES}
    missing = [
        n
        for n, p in tables().items()
        if isinstance(p.derivative, Derivative) and not isinstance(p.derivative, Functional) and id(p.derivative) not in by_rule
    ]
    assert missing == []


def test_every_registered_name_exists() -> None:
    for name in tables():
        found = (
            getattr(np.ndarray, name.removeprefix("ndarray."), None)
            if name.startswith("ndarray.")
            else registry.find_object(name)
        )
        assert found is not None, name
