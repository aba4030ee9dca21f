"""What is called in ways that it does not know says so, as an error of ours; what was mistaken for a crash works."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

X = np.array([0.7, 1.3])
C = (1.0, 2.0)


@pytest.mark.parametrize(("args", "named"), [((), {}), ((1, 2), {}), ((1,), {"foo": 1}), ((), {"y": 1})])
def test_stop_gradient_says_how_it_is_called(args: Any, named: Any) -> None:
    with pytest.raises(s2sad.S2sadError, match=r"stop_gradient\(\): .*; it is stop_gradient\(x\)") as caught:
        s2sad.stop_gradient(*args, **named)
    assert isinstance(caught.value, TypeError)


def test_stop_gradient_is_known_in_programs_by_every_way() -> None:
    stopped = functools.partial(s2sad.stop_gradient)
    assert s2sad.grad(lambda x: x * s2sad.stop_gradient(x))(3.0) == 3.0
    assert s2sad.grad(lambda x: x * s2sad.stop_gradient(x=x))(3.0) == 3.0
    assert s2sad.grad(lambda x: sum(map(s2sad.stop_gradient, [x, x])) * x)(3.0) == 6.0
    assert s2sad.grad(lambda x: x * stopped(x))(3.0) == 3.0


def still(x: np.ndarray) -> Any:
    return x.shape


STILL: list[tuple[Callable[..., Any], Any]] = [
    (still, (0.0,)),
    (lambda x: (x.size, 2.0), (0.0, 0.0)),
    (lambda x: C, (0.0, 0.0)),
    (lambda x: np.nonzero(x > 1.0), (np.zeros(1),)),
    (lambda x: np.unravel_index(1, (2, 2)), (0.0, 0.0)),
    (lambda x: np.argsort(x), np.zeros(2)),
    (lambda x: [(x.shape, x)][0], ((0.0,), X)),
]


@pytest.mark.parametrize(("f", "expected"), STILL)
def test_tangents_of_constants_have_their_structure(f: Any, expected: Any) -> None:
    value, tangent = s2sad.jvp(f, (X,), (X,))
    assert str(value) == str(f(X))
    assert type(tangent) is type(expected)
    assert repr(tangent) == repr(expected)
    rows = s2sad.jvp(f, (X,), (np.stack([X, X]),), batched=True)[1]
    assert type(rows) is type(expected)


@pytest.mark.parametrize("f", [lambda x: "a", lambda x: f"{x.size}", lambda x: ("a", "b" if x[0] > 1.0 else "c")])
def test_text_has_no_derivative_in_either_mode(f: Callable[..., Any]) -> None:
    for run in (lambda: s2sad.jvp(f, (X,), (X,)), lambda: s2sad.vjp(f, X)):
        with pytest.raises(s2sad.ActivityError, match="carries no derivative"):
            run()


def wrapped(f: Any) -> Any:
    @functools.wraps(f)
    def call(*args: Any, **named: Any) -> Any:
        return 2.0 * f(*args, **named)

    return call


def behind(f: Any) -> Any:
    @functools.wraps(f)
    def call(x: Any, y: Any = 2.0) -> Any:
        return 2.0 * f(x, y)

    return call


@s2sad.differentiate
@wrapped
def gathered(x: float, y: float = 2.0) -> float:
    return x * x * y


@s2sad.differentiate
@behind
def named(x: float, y: float = 2.0) -> float:
    return x * x * y


@pytest.mark.parametrize("f", [gathered, named])
def test_a_wrapper_has_the_name_of_what_it_wraps_and_is_another_function(f: Any) -> None:
    assert f.cost(3.0).primal.operations == 3
    assert f.cost(3.0, y=3.0).adjoint.operations > 3
    assert f.tape(3.0) is not None
    assert s2sad.vmap(f)(np.array([1.0, 3.0])).tolist() == [4.0, 36.0]
    space: dict[str, Any] = {}
    exec(f.source("primal", 3.0), space)
    assert len({name for name in space if name.startswith(f.__name__)}) == 2


def test_text_is_not_mapped_over() -> None:
    with pytest.raises(s2sad.ActivityError, match="holds no numbers"):
        s2sad.vmap(lambda s: len(s))(np.array(["ab", "c"]))


@pytest.mark.parametrize("other", [0, 1j, "a"])
def test_vectorize_of_several_types_is_refused_as_it_runs(other: Any) -> None:
    def f(x: np.ndarray) -> Any:
        return np.vectorize(lambda v: v if v > 1.0 else other)(x)[0]

    with pytest.raises(s2sad.UnsupportedSyntaxError, match="return numbers of one type"):
        s2sad.jvp(f, (X if other == 0 else X[::-1].copy(),), (X,))


def test_coefficients_in_a_matrix() -> None:
    def f(p: np.ndarray, m: int) -> float:
        return np.sum(np.polyder(p, m) ** 2) + np.sum(np.polyint(p, 0))

    square, tall = np.array([[1.0, 2.0], [3.0, 4.0]]), np.arange(6.0).reshape(3, 2)
    assert s2sad.grad(f)(square, 0).tolist() == (2.0 * square + 1.0).tolist()
    assert math.isfinite(f(tall, 1))
    with pytest.raises(s2sad.UnsupportedSyntaxError, match="matrix of coefficients"):
        s2sad.grad(f)(tall, 1)


def test_a_truth_is_a_number_of_differences() -> None:
    def f(x: np.ndarray, n: int) -> float:
        return np.sum(np.diff(x, n=n) ** 2)

    assert s2sad.grad(f)(X, True).tolist() == s2sad.grad(f)(X, 1).tolist()


@pytest.mark.parametrize("way", ["tape", "cost", "trace", "grad"])
def test_what_is_refused_as_it_runs_is_an_error_of_ours_in_every_way(way: str) -> None:
    @s2sad.differentiate
    def f(x: np.ndarray) -> float:
        return np.sum(np.vectorize(lambda v: v if v > 1.0 else 0)(x))

    with pytest.raises(s2sad.S2sadError, match="return numbers of one type"):
        getattr(f, way)(X)


MASKED = np.ma.masked_array([1.0, 2.0], [False, True])


def squares(x: np.ndarray) -> np.ndarray:
    return x * x


def total(x: np.ndarray) -> float:
    return np.sum(np.sin(x))


WAYS: dict[str, Callable[[Any], Any]] = {
    "jvp": lambda m: s2sad.jvp(total, (X,), (m,)),
    "vjp": lambda m: s2sad.vjp(squares, X)[1](m),
    "hvp": lambda m: s2sad.hvp(total, (X,), (m,)),
    "linearize": lambda m: s2sad.linearize(squares, X)[1](m),
    "transpose": lambda m: s2sad.linearize(squares, X)[1].T(m),
    "batched": lambda m: s2sad.jvp(total, (X,), (np.ma.stack([m, m]) if np.ma.isMA(m) else np.stack([m, m]),), batched=True),
    "tree": lambda m: s2sad.jvp(lambda d: total(d["a"]), ({"a": X},), ({"a": m},)),
    "primal": lambda m: s2sad.grad(total)(m),
    "vmap": lambda m: s2sad.vmap(math.sin)(m),
    "ravel": lambda m: s2sad.ravel({"a": m}),
}


@pytest.mark.parametrize("way", WAYS)
def test_masked_arrays_are_not_taken_for_arrays(way: str) -> None:
    for _ in range(2):  # the second call of a kind may take a shorter way
        WAYS[way](np.array([1.0, 2.0]))
        with pytest.raises(s2sad.KindError, match="MaskedArray"):
            WAYS[way](MASKED)


@pytest.mark.parametrize(
    "options", [{"rtol": -1.0}, {"atol": -1e-9}, {"rtol": math.nan}, {"atol": math.nan}, {"rtol": math.inf}, {"modes": ()}]
)
def test_checks_that_cannot_fail_are_refused(options: Any) -> None:
    with pytest.raises(s2sad.S2sadError, match="is expected|are expected"):
        s2sad.check_grads(total, (X,), **options)


@pytest.mark.parametrize("start", [0.5, np.array([0.5, 0.2])])
@pytest.mark.parametrize("solve", [s2sad.fixed_point, s2sad.root])
def test_complex_solutions_do_not_lose_their_imaginary_part(solve: Any, start: Any) -> None:
    def step(x: Any, a: Any) -> Any:
        return np.cos(x) * a - (0.0 if solve is s2sad.fixed_point else x)

    a = (0.3 + 0.4j) * np.ones_like(start)
    with pytest.raises(s2sad.ActivityError, match="complex"):
        solve(step, start, a)
    with pytest.raises(s2sad.S2sadError, match="complex"):
        s2sad.jvp(lambda a: solve(step, start, a), (a,), (a,))
    with pytest.raises(s2sad.S2sadError, match="complex"):
        s2sad.jvp(lambda b: solve(lambda x, b: step(x, a * b), start, b), (1.0,), (1.0,))
    assert np.all(np.isfinite(s2sad.jvp(lambda a: solve(step, start, a), (a.real,), (a.real,))[1]))


def test_the_tangent_of_an_object_of_a_library_is_not_left_out():
    def norm(p):
        return np.sum(p.c**2)

    p = np.poly1d([1.0, 2.0])
    for derive in (lambda: s2sad.jvp(norm, (p,), (p,)), lambda: s2sad.linearize(norm, p)[1](p)):
        with pytest.raises(s2sad.S2sadError):
            derive()
    assert s2sad.jvp(lambda x, f: f(x) ** 2, (2.0, np.sin), (1.0, None))[1] == pytest.approx(2 * np.sin(2.0) * np.cos(2.0))


def test_any_number_of_directions_at_a_time():
    assert np.allclose(s2sad.jacobian(lambda x: x**2, chunk_size=10**20)(np.ones(3)), 2 * np.eye(3))


def test_a_decorator_without_a_function_has_no_derivatives() -> None:
    for decorator in (s2sad.differentiate(None), s2sad.differentiate(wrt="y"), s2sad.differentiate()(None)):
        with pytest.raises(s2sad.S2sadError, match="not given a function") as caught:
            _ = decorator.grad
        assert isinstance(caught.value, AttributeError)
        assert not hasattr(decorator, "__wrapped__")
    assert s2sad.differentiate(wrt="y")(lambda x, y: x * y * y).grad(2.0, 3.0) == 12.0


@pytest.mark.parametrize("transformation", [s2sad.grad, s2sad.jacobian, s2sad.jvp, s2sad.vjp, s2sad.vmap, s2sad.check_grads])
def test_transformations_themselves_have_no_derivative(transformation: Any) -> None:
    for derive in (lambda: s2sad.grad(transformation)(2.0), lambda: s2sad.jvp(transformation, (2.0,), (1.0,))):
        with pytest.raises(s2sad.S2sadError, match=f"{transformation.__name__} itself has no derivative"):
            derive()


def test_refusals_have_documented_classes() -> None:
    def fails(x: float) -> float:
        return x * len(3)  # type: ignore[arg-type]

    def asks(x: float) -> float:
        return x * len(vars())

    for f in (fails, asks):
        for derive in (lambda: s2sad.grad(f)(2.0), lambda: s2sad.jvp(f, (2.0,), (1.0,))):
            with pytest.raises(s2sad.S2sadError) as caught:
                derive()
            assert type(caught.value) is s2sad.UnsupportedSyntaxError
