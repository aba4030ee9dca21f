"""Jacobians, Hessians and products with them: shapes as JAX's, numbers against differences of the function itself."""

from __future__ import annotations

import collections
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import (
    ActivityError,
    S2sadError,
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    linearize,
    ravel,
    sparse_jacobian,
    value_and_jacobian,
)
from s2sad.trees import leaves

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 4)
A = RNG.uniform(0.5, 1.5, (2, 3))
MODES = [None, "fwd", "rev"]


def differences(function: Any, *args: Any, at: int = 0, step: float = 1e-6) -> Any:
    """The Jacobian of an array by an array, by central differences."""
    point = np.asarray(args[at], float)

    def moved(k: int, h: float) -> Any:
        changed = point.copy()
        changed.flat[k] += h
        given = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
        given[at] = changed if point.shape else float(changed)
        return np.array(function(*given))

    found = [(moved(k, step) - moved(k, -step)) / (2 * step) for k in range(point.size)]
    return np.stack(found, -1).reshape(np.shape(found[0]) + point.shape)


def vector(x):
    return np.array([x[0] * x[1], np.sin(x[2]) * x[3]])


def matrix(a):
    return a.T @ a * np.sum(a)


def number(x):
    return np.sum(np.sin(x) * x**2) * x[0]


def looped(x):
    out = np.zeros(6)
    for i in range(3):
        out[i] = x[i] * x[i + 1]
        out[i + 3] = np.exp(out[i]) if x[i] > 1.0 else out[i] ** 2
    return out


def of_number(t):
    return np.array([t, t**2, np.cos(t)])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("function", "x"), [(vector, X), (matrix, A), (number, X), (looped, X), (of_number, 0.7), (lambda t: t**3, 0.7)]
)
def test_arrays(function: Any, x: Any, mode: str | None) -> None:
    found = jacobian(function, mode=mode)(x)
    assert np.shape(found) == np.shape(function(x)) + np.shape(x)
    np.testing.assert_allclose(found, differences(function, x), rtol=1e-6, atol=1e-8)


def tree(p, scale):
    return {"a": p["w"] @ p["b"] * scale, "s": np.sum(p["w"] ** 2)}


P = {"w": A, "b": X[:3]}


@pytest.mark.parametrize("mode", MODES)
def test_trees_have_the_structure_of_the_result_outside(mode: str | None) -> None:
    found = jacobian(tree, (0, "scale"), mode=mode)(P, 2.0)
    shapes = {k: ({q: np.shape(v) for q, v in pair[0].items()}, np.shape(pair[1])) for k, pair in found.items()}
    assert shapes == {"a": ({"w": (2, 2, 3), "b": (2, 3)}, (2,)), "s": ({"w": (2, 3), "b": (3,)}, ())}
    flat, unravel = ravel(P)
    for key in ("a", "s"):
        expected = differences(lambda v, key=key: tree(unravel(v), 2.0)[key], flat)
        got = np.concatenate([found[key][0][n].reshape(*np.shape(tree(P, 2.0)[key]), -1) for n in ("b", "w")], -1)
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8)


class Pair(NamedTuple):
    a: Any
    n: int


def with_integers(p):
    return (p.a * p.n, p.n, [p.a[0]])


@pytest.mark.parametrize("mode", MODES)
def test_what_has_no_derivative_is_zero(mode: str | None) -> None:
    found = jacobian(with_integers, mode=mode)(Pair(X, 3))
    assert type(found[0]) is Pair
    np.testing.assert_array_equal(found[0].a, 3 * np.eye(4))
    assert found[0].n == 0.0
    np.testing.assert_array_equal(found[1].a, np.zeros(4))
    np.testing.assert_array_equal(found[2][0].a, np.eye(4)[0])
    with pytest.raises(ActivityError, match="no derivative"):
        jacobian(vector, mode=mode)(np.arange(4))


def heat(u, alpha):
    for _ in range(2):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])


def heated(u, alpha):
    u = u.copy()
    heat(u, alpha)
    return u


@pytest.mark.parametrize("mode", MODES)
def test_contents(mode: str | None) -> None:
    before = X.copy()
    found = jacobian(heat, ("u", "alpha"), of="u", mode=mode)(X, 0.1)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_allclose(found[0], differences(heated, X, 0.1), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found[1], differences(heated, X, 0.1, at=1), rtol=1e-6, atol=1e-9)


def aux(x, k):
    return x**k, {"text": "as it is", "k": k}


@pytest.mark.parametrize("mode", MODES)
def test_value_and_aux(mode: str | None) -> None:
    value, found = value_and_jacobian(vector, mode=mode)(X)
    np.testing.assert_array_equal(value, vector(X))
    np.testing.assert_array_equal(found, jacobian(vector, mode=mode)(X))
    found, passed = jacobian(aux, mode=mode, has_aux=True)(X, k=2)
    np.testing.assert_allclose(found, np.diag(2 * X))
    assert passed == {"text": "as it is", "k": 2}
    (value, passed), found = value_and_jacobian(aux, mode=mode, has_aux=True)(X, 2)
    np.testing.assert_allclose(value, X**2)
    assert passed["k"] == 2
    np.testing.assert_allclose(found, np.diag(2 * X))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
@pytest.mark.parametrize("function", [vector, looped, number, matrix])
def test_chunks_of_directions(function: Any, mode: str) -> None:
    x = A if function is matrix else X
    whole = jacobian(function, mode=mode)(x)
    for size in (1, 3):
        np.testing.assert_allclose(jacobian(function, mode=mode, chunk_size=size)(x), whole, rtol=1e-14)


def test_lists_of_arguments_and_results() -> None:
    for mode in ("fwd", "rev"):
        found = jacobian(lambda v: [v[0] * v[1], v[1] ** 2], mode=mode)([2.0, 3.0])
        np.testing.assert_allclose(found, [[3.0, 2.0], [0.0, 6.0]])


def test_the_mode_is_chosen_by_the_sizes() -> None:
    assert jacobian(vector).why(X) == "reverse, by rows: 4 numbers in x, 2 in the result (the fewer sweeps)"
    assert jacobian(looped).why(X) == "forward, by columns: 4 numbers in x, 6 in the result (the fewer sweeps)"
    assert "as was asked" in jacrev(looped).why(X)
    assert "forward" in jacfwd(vector).why(X)
    with pytest.raises(ActivityError, match="mode 'sideways'"):
        jacobian(vector, mode="sideways")
    with pytest.raises(ActivityError, match="chunk_size"):
        jacobian(vector, chunk_size=0)


Z = np.array([1.0 + 2.0j, 0.5 - 1.0j])


@pytest.mark.parametrize("mode", MODES)
def test_complex_numbers(mode: str | None) -> None:
    square = jacobian(lambda z: z**2 * np.exp(z), mode=mode)(Z)
    np.testing.assert_allclose(square, np.diag((2 * Z + Z**2) * np.exp(Z)))
    size = jacobian(lambda z: np.abs(z) ** 2, mode=mode)(Z)
    np.testing.assert_allclose(size, np.diag(2 * np.conj(Z)))  # du/dx - i du/dy, as grad's
    np.testing.assert_allclose(np.sum(size, 0), grad(lambda z: np.sum(np.abs(z) ** 2))(Z))
    turned = jacobian(lambda x: x**2 * (1 + 2j), mode=mode)(X)
    np.testing.assert_allclose(turned, np.diag(2 * X * (1 + 2j)))
    for function in (np.conj, lambda z: np.abs(z) + 0j, lambda z: z * np.real(z)):
        with pytest.raises(ActivityError, match="holomorphic"):
            jacobian(lambda z, function=function: function(z), mode=mode)(Z)


@pytest.mark.parametrize("mode", MODES)
def test_dtypes_sizes_and_layouts(mode: str | None) -> None:
    single = jacobian(lambda x: x * x, mode=mode)(X.astype(np.float32))
    assert single.dtype == np.float32
    empty = jacobian(lambda x: np.concatenate([x, x]), mode=mode)(np.zeros(0))
    assert empty.shape == (0, 0)
    fortran = np.asfortranarray(A)
    np.testing.assert_allclose(jacobian(matrix, mode=mode)(fortran), jacobian(matrix, mode=mode)(A))
    same = jacobian(lambda x: x, mode=mode)(X)
    same[0, 0] = 7.0
    np.testing.assert_array_equal(jacobian(lambda x: x, mode=mode)(X), np.eye(4))


# --- second order


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_hessians(mode: str) -> None:
    found = hessian(number, mode=mode)(X)
    np.testing.assert_allclose(found, differences(grad(number), X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    of_tree = hessian(lambda p: np.sum(p["w"] @ p["b"]) ** 2, mode=mode)(P)
    shapes = {k: {q: v.shape for q, v in row.items()} for k, row in of_tree.items()}
    assert shapes == {"w": {"w": (2, 3, 2, 3), "b": (2, 3, 3)}, "b": {"w": (3, 2, 3), "b": (3, 3)}}
    both = hessian(lambda a, b: np.sum(a * b**2), (0, 1), mode=mode)(X, X)
    np.testing.assert_allclose(both[0][1], np.diag(2 * X))
    np.testing.assert_allclose(both[1][0], np.diag(2 * X))
    np.testing.assert_allclose(both[1][1], np.diag(2 * X))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_products_with_hessians(mode: str) -> None:
    v = RNG.normal(size=4)
    gradient, product = hvp(number, (X,), (v,), mode=mode)
    np.testing.assert_allclose(gradient, grad(number)(X))
    np.testing.assert_allclose(product, hessian(number)(X) @ v, rtol=1e-12)

    def several(a, k, b):
        return np.sum(a**k * b**2)

    gradient, product = hvp(several, (X, 3, X), (v, None, None), mode=mode)
    assert gradient[1] is None
    assert product[1] is None
    np.testing.assert_allclose(product[0], 6 * X**3 * v)
    np.testing.assert_allclose(product[2], 6 * X**3 * v)
    gradient, product = hvp(several, (X, 3, X), (v,), wrt="b", mode=mode)
    np.testing.assert_allclose(product, 2 * X**3 * v)
    gradient, product = hvp(several, (X, 3, X), (None, None), wrt=("a", "b"), mode=mode)
    np.testing.assert_array_equal(product[0], np.zeros(4))
    direction = {"w": np.ones((2, 3)), "b": np.ones(3)}
    gradient, product = hvp(lambda p: np.sum(p["w"] @ p["b"]) ** 2, (P,), (direction,), mode=mode)
    assert gradient["w"].shape == (2, 3)
    np.testing.assert_allclose(
        product["b"], differences(lambda h: grad(lambda p: np.sum(p["w"] @ p["b"]) ** 2)(
            {k: P[k] + h * direction[k] for k in P})["b"], 0.0), rtol=1e-6)  # fmt: skip


def test_mistakes() -> None:
    with pytest.raises(ActivityError, match="two tuples"):
        hvp(number, X, X)
    with pytest.raises(ActivityError, match="1 primals and 2 tangents"):
        hvp(number, (X,), (X, X))
    with pytest.raises(ActivityError, match="needs a number"):
        hessian(vector)(X)


def test_second_derivatives_by_free_variables_are_refused_by_name() -> None:
    w = X.copy()

    def closed(z: Any) -> Any:
        return np.sum(w * z * w)

    np.testing.assert_allclose(jacobian(closed, "w")(X), 2 * X * X)
    for asked in (
        lambda: hessian(closed, "w"), lambda: hessian(closed, ("z", "w")), lambda: hessian(hessian(closed), "w"),
        lambda: hvp(closed, (X,), (X,), wrt="w"), lambda: jacobian(jacobian(closed, "w"), "w"),
    ):  # fmt: skip
        with pytest.raises(ActivityError, match="cannot be differentiated by 'w', a free variable of closed"):
            asked()
    with pytest.raises(ActivityError, match="closed_grad has no parameter or free variable 'v'"):
        jacobian(grad(closed), "v")


class Model:
    def __init__(self, w: Any) -> None:
        self.w = w

    def f(self, x: Any) -> Any:
        return self.w * x**2

    def plain(self, x: Any) -> Any:
        return np.sum(self.w * x**3)

    @differentiate
    def energy(self, x: Any) -> Any:
        return np.sum(self.w * x**3)


def test_methods() -> None:
    np.testing.assert_allclose(jacobian(Model(3.0).f)(X), np.diag(6 * X))
    np.testing.assert_allclose(jacobian(Model(X).f, "self.w", mode="rev")(X), np.diag(X**2))
    model = Model(3.0)
    np.testing.assert_allclose(model.energy.jacobian(X), 9 * X**2)
    second = hessian(model.plain)
    for scale in (3.0, X):
        model.w = scale
        expected = np.diag(6 * scale * X)
        np.testing.assert_allclose(second(X), expected)
        np.testing.assert_allclose(pickle.loads(pickle.dumps(second))(X), expected)
        np.testing.assert_allclose(model.energy.hessian(X), expected)
        for mode in ("fwd", "rev"):
            np.testing.assert_allclose(hvp(model.plain, (X,), (X,), mode=mode)[1], expected @ X)
            np.testing.assert_allclose(hvp(model.plain, (X,), (X,), wrt="x", mode=mode)[1], expected @ X)


@differentiate
def cubes(x: Any) -> Any:
    return np.sum(x**3)


def test_differentiated_functions_have_them() -> None:
    np.testing.assert_allclose(cubes.jacobian(X), 3 * X**2)
    np.testing.assert_allclose(cubes.hessian(X), np.diag(6 * X))
    np.testing.assert_allclose(cubes.hvp((X,), (X,))[1], 6 * X**2)


def test_they_travel() -> None:
    for derivative in (jacobian(cubes), jacrev(vector), value_and_jacobian(vector, mode="fwd"), hessian(cubes)):
        again = pickle.loads(pickle.dumps(derivative))
        assert type(again) is type(derivative)
        assert repr(again(X)) == repr(derivative(X))


# --- trees as vectors


def test_ravel() -> None:
    value = {"a": A, "n": 3, "t": (X.astype(np.float32), 2.5, "text"), "p": Pair(1.0, 2)}
    flat, unravel = ravel(value)
    assert flat.dtype == float
    assert flat.size == 6 + 4 + 1 + 1
    again = pickle.loads(pickle.dumps(unravel))(flat)
    assert again["t"][0].dtype == np.float32
    assert repr(again) == repr(value)
    flat[0] = 7.0
    assert value["a"][0, 0] != 7.0
    with pytest.raises(ValueError, match="12 numbers"):
        unravel(np.zeros(11))
    mixed, back = ravel((X, Z))
    assert mixed.dtype == complex
    assert back(mixed)[0].dtype == float
    with pytest.raises(ValueError, match="imaginary"):
        back(mixed + 1j)
    assert ravel((1, 2))[0].size == 0


class Counter:
    n = 0


COUNTER = Counter()


def counting(x):
    COUNTER.n += 1
    return np.sum(x**2)


def counting_vector(x):
    COUNTER.n += 1
    return x**2 * x[0]


@pytest.mark.parametrize(
    "ask",
    [
        *(lambda mode=mode: jacobian(counting_vector, mode=mode)(X) for mode in MODES), lambda: hessian(counting)(X),
        lambda: hessian(counting, mode="rev")(X), lambda: value_and_jacobian(counting_vector)(X),
        lambda: linearize(counting_vector, X), lambda: sparse_jacobian(counting_vector, np.ones((X.size, X.size), bool))(X),
    ],
)  # fmt: skip
def test_functions_that_count_count_one_call(ask: Callable[[], Any]) -> None:
    COUNTER.n = 0
    ask()
    ask()
    assert COUNTER.n == 2


def by_keyword(y, *zs, k=2, **named):
    return y**k * (zs[0] if zs else 1.0) + named.get("c", 0.0)


@pytest.mark.parametrize("mode", MODES)
def test_arguments_by_name(mode: str | None) -> None:
    np.testing.assert_allclose(jacobian(by_keyword, mode=mode)(X), np.diag(2 * X))
    value, found = value_and_jacobian(by_keyword, mode=mode)(y=X, k=3)
    np.testing.assert_allclose(value, X**3)
    np.testing.assert_allclose(found, np.diag(3 * X**2))
    first, second, third = jacobian(by_keyword, (0, "zs[0]", "c"), mode=mode)(X, 2.0, k=2, c=A[0, 0] * X)
    np.testing.assert_allclose(first, np.diag(4 * X))
    np.testing.assert_allclose(second, X**2)
    np.testing.assert_allclose(third, np.eye(4))
    np.testing.assert_allclose(hessian(lambda y, *, k: np.sum(y**k), mode=mode or "fwd")(X, k=3), np.diag(6 * X), rtol=1e-12)


def filled(scale, *, u):
    u[1:] *= u[:-1] * scale


@pytest.mark.parametrize("mode", MODES)
def test_contents_of_what_is_given_by_name(mode: str | None) -> None:
    def contents(scale: Any, u: Any) -> Any:
        filled(scale, u=u)
        return u

    by_scale, by_u = (jacobian(filled, wrt, of="u", mode=mode)(2.0, u=X) for wrt in ("scale", "u"))
    np.testing.assert_allclose(by_scale, differences(contents, 2.0, X), rtol=1e-6)
    np.testing.assert_allclose(by_u, differences(contents, 2.0, X, at=1), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
@pytest.mark.parametrize("wrap", [lambda y: {"a": y}, lambda y: [y], lambda y: (y,)], ids=["dict", "list", "tuple"])
def test_one_array_in_a_container(wrap, mode):
    x = np.array([0.3, 0.7, 1.1])
    for _ in range(2):
        (block,) = leaves(jacobian(lambda x: wrap(x * x), mode=mode)(x))
        np.testing.assert_allclose(block, np.diag(2.0 * x))


def refused_after_it_printed(v):
    print("printed")
    print(np.array2string(v, precision=3))
    return v @ v


@pytest.mark.parametrize("many", [False, True])
def test_what_is_refused_has_told_nothing(many: bool, capsys: pytest.CaptureFixture[str]) -> None:
    def several(v):
        return refused_after_it_printed(v) * np.ones(5)

    with pytest.raises(S2sadError):
        jacobian(several if many else refused_after_it_printed)(np.array([0.3, 0.4]))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("mode", ["fwd", "rev", None])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: collections.deque([x[0] * x[1], x[1] ** 2]),
        lambda x: [collections.deque([x[0] * x[1]])],
        lambda x: {"a": x[0], "b": collections.deque([x[1] ** 2])},
    ],
)
def test_a_deque_has_no_jacobian_of_zeros(function: Callable[..., Any], mode: str | None) -> None:
    with pytest.raises(ActivityError, match="a deque"):
        jacobian(function, mode=mode)(np.array([1.0, 2.0]))
