"""Derivatives as linear maps, and functions over batches."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, gmres

from s2sad import (
    ActivityError,
    as_linear_operator,
    check_grads,
    differentiate,
    grad,
    jacobian,
    jvp,
    linearize,
    stop_gradient,
    value_and_grad,
    vmap,
)

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 4)


def vector(x):
    return np.array([x[0] * x[1], np.sin(x[2]) * x[3], np.sum(x**2)])


def of_tree(p, k, s):
    return {"a": p["w"] @ p["b"] * s, "n": k, "t": (np.sum(p["w"]) * s,)}


P = {"w": RNG.normal(size=(2, 3)), "b": RNG.normal(size=3)}


def test_a_map_is_the_jacobian() -> None:
    value, push = linearize(vector, X)
    np.testing.assert_array_equal(value, vector(X))
    dense = jacobian(vector)(X)
    for _ in range(3):
        v, w = RNG.normal(size=4), RNG.normal(size=3)
        np.testing.assert_allclose(push(v), dense @ v)
        np.testing.assert_allclose(push.T(w)[0], w @ dense)


def test_a_map_keeps_its_point() -> None:
    x = X.copy()
    _, push = linearize(vector, x)
    before = push(np.ones(4))
    x[:] = 7.0
    np.testing.assert_array_equal(push(np.ones(4)), before)
    again = pickle.loads(pickle.dumps(push))
    np.testing.assert_array_equal(again(np.ones(4)), before)
    np.testing.assert_array_equal(again.T(np.ones(3))[0], push.T(np.ones(3))[0])


def heat(u, alpha):
    u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])


def test_maps_by_name_and_of_contents() -> None:
    value, push = linearize(heat, X, 0.1, wrt="alpha", of="u")
    assert value.shape == (4,)
    np.testing.assert_allclose(push(1.0), jacobian(heat, "alpha", of="u")(X, 0.1))
    _, both = linearize(heat, X, 0.1, of="u")
    np.testing.assert_allclose(both(X, None), jacobian(heat, of="u")(X, 0.1) @ X)


def test_operators() -> None:
    _, push = linearize(vector, X)
    operator, dense = as_linear_operator(push), jacobian(vector)(X)
    assert isinstance(operator, LinearOperator)
    assert operator.shape == (3, 4)
    np.testing.assert_allclose(operator @ np.eye(4), dense)
    np.testing.assert_allclose(operator.T @ np.eye(3), dense.T)
    square = as_linear_operator(linearize(lambda x: x**3 + np.sum(x), X)[1])
    solution, failed = gmres(square, np.ones(4), rtol=1e-12)
    assert failed == 0
    np.testing.assert_allclose(jacobian(lambda x: x**3 + np.sum(x))(X) @ solution, np.ones(4), rtol=1e-8)


def test_operators_of_trees() -> None:
    value, push = linearize(of_tree, P, 3, 2.0)
    operator = as_linear_operator(push)
    assert operator.shape == (3, 10)
    np.testing.assert_allclose((operator @ np.eye(10)).T, operator.T @ np.eye(3))
    assert value["n"] == 3


def test_operators_of_complex_functions() -> None:
    z = np.array([1.0 + 2.0j, 0.5 - 1.0j])
    operator = as_linear_operator(linearize(lambda z: z**2, z)[1])
    np.testing.assert_allclose(operator @ np.eye(2), np.diag(2 * z))
    np.testing.assert_allclose(operator.H @ np.eye(2), np.diag(2 * z).conj())
    with pytest.raises(ActivityError, match="linear"):
        as_linear_operator(linearize(lambda x: x * 1j, X)[1])


# --- batches


def loss(w, x, y):
    total = 0.0
    for k in range(2):
        total += (w @ x - y) ** 2 * (k + 1.0) if y > 0 else np.sin(w @ x)
    return total


XS, YS = RNG.normal(size=(5, 4)), RNG.normal(size=5)


def test_gradients_of_samples() -> None:
    found = vmap(grad(loss), (None, 0, 0))(X, XS, YS)
    assert found.shape == (5, 4)
    for row, x, y in zip(found, XS, YS, strict=True):
        np.testing.assert_array_equal(row, grad(loss)(X, x, float(y)))
    values, slopes = vmap(value_and_grad(loss, (0, 1)), (None, 0, 0))(X, XS, YS)
    assert values.shape == (5,)
    assert slopes[1].shape == (5, 4)


def test_axes() -> None:
    np.testing.assert_array_equal(vmap(lambda a: a * 2, 1, 1)(XS), XS * 2)
    np.testing.assert_array_equal(vmap(lambda a: a * 2, 1)(XS), XS.T * 2)
    np.testing.assert_array_equal(vmap(lambda a: a * 2, -1, -1)(XS), XS * 2)
    pair = vmap(lambda p: {"s": p["a"] @ p["b"], "b": p["b"]}, ({"a": 0, "b": None},), {"s": 0, "b": None})({"a": XS, "b": X})
    np.testing.assert_allclose(pair["s"], XS @ X)
    assert pair["b"].shape == (4,)
    np.testing.assert_array_equal(vmap(lambda x, y: x * y, (0,))(XS, y=YS), XS * YS[:, None])
    assert vmap(lambda x: x, None, 0, axis_size=3)(X).shape == (3, 4)
    assert vmap(vmap(lambda t: t**2))(XS).shape == (5, 4)
    assert vmap(jacobian(vector))(XS).shape == (5, 3, 4)
    assert vmap(lambda x: (x, 7))(YS)[1].tolist() == [7] * 5
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(vmap(grad(loss), (None, 0, 0))))(X, XS, YS), vmap(
        grad(loss), (None, 0, 0))(X, XS, YS))  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vmap(loss, (None, 0, 0))(X, XS, YS[:3]), "5 .argument 1., 3 .argument 2."),
        (lambda: vmap(loss, (None, 0))(X, XS, YS), "in_axes for 2"),
        (lambda: vmap(lambda x: x)(3.0), "0 axes"),
        (lambda: vmap(lambda x: x, None)(3.0), "nothing is mapped"),
        (lambda: vmap(lambda x: x, 0, None)(XS), "out_axes is None"),
        (lambda: vmap(lambda x: x)(np.zeros((0, 3))), "no samples"),
        (lambda: vmap(lambda x: "text")(XS), "stacked"),
        (lambda: vmap(lambda p: p["a"], ({"b": 0},))({"a": XS}), "structure"),
    ],
)
def test_mistakes(call: Any, message: str) -> None:
    with pytest.raises(ActivityError, match=message):
        call()


def test_a_batch_inside_of_a_program() -> None:
    np.testing.assert_allclose(grad(lambda x: np.sum(vmap(lambda t: t**2)(x)))(X), 2.0 * X)


# --- all orders, all modes


def test_checks_of_third_order() -> None:
    check_grads(lambda x, t: np.sin(x) * t**2 * x, (X[:2], 0.7), order=3, modes=("fwd", "rev"))
    check_grads(heat, (X, 0.1), of="u", order=2)
    with pytest.raises(AssertionError, match="tangent"):
        check_grads(lambda x: np.sum(x**2 * stop_gradient(x)), (X,), order=1)


def test_stop_gradient_in_every_mode() -> None:
    def stopped(x):
        return np.sum(x**2 * stop_gradient(np.sin(x)))

    np.testing.assert_allclose(grad(stopped)(X), 2 * X * np.sin(X))
    np.testing.assert_allclose(jvp(stopped, (X,), (X,))[1], np.sum(2 * X**2 * np.sin(X)))
    np.testing.assert_allclose(jacobian(lambda x: x * stop_gradient(x))(X), np.diag(X))
    np.testing.assert_allclose(jacobian(lambda x: x * stop_gradient(x), mode="rev")(X), np.diag(X))
    for mode in ("fwd", "rev"):
        np.testing.assert_allclose(jacobian(grad(stopped), mode=mode)(X), np.diag(2 * np.sin(X)))


# --- differentiated functions: of, write, messages


@differentiate(wrt="u", of="u")
def heated(u, alpha):
    u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])


def test_contents_by_the_decorator(tmp_path: Path) -> None:
    np.testing.assert_allclose(heated.jacobian(X, 0.1), jacobian(heat, of="u")(X, 0.1))
    np.testing.assert_allclose(heated.jvp((X, 0.1), (X, None))[1], heated.jacobian(X, 0.1) @ X)
    np.testing.assert_allclose(heated.vjp(X, 0.1)[1](X)[0], X @ heated.jacobian(X, 0.1))
    assert "final contents of u" in heated.source("adjoint", X, 0.1)
    again = pickle.loads(pickle.dumps(heated.grad))
    assert again.__self__.of == "u"


class Model:
    def __init__(self, w: Any) -> None:
        self.w = w

    @differentiate
    def energy(self, x: Any) -> Any:
        return np.sum(self.w * x**3)


def test_differentiated_methods_travel() -> None:
    np.testing.assert_allclose(pickle.loads(pickle.dumps(Model(2.0).energy)).grad(X), 6 * X**2)


def test_programs_are_written(tmp_path: Path) -> None:
    square = differentiate(lambda x: np.sum(np.mean(x, axis=0) ** 2))
    path = square.write("adjoint", tmp_path / "square.py", XS, standalone=True)
    text = path.read_text()
    line = test_programs_are_written.__code__.co_firstlineno + 1
    assert text.splitlines()[2] == f"# Made from <lambda> in 'test_linear.py', line {line}."
    assert "s2sad" not in "".join(line for line in text.splitlines() if "import" in line)
    scope: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), scope)
    np.testing.assert_allclose(scope["lambda__adjoint"](XS)[1], square.grad(XS))
    with pytest.raises(FileExistsError):
        square.write("adjoint", path, XS)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: differentiate(vector, wrt="xx"), ActivityError, "'xx'"),
        (lambda: differentiate(vector, of="y"), ActivityError, "'y'"),
        (lambda: differentiate(vector, wrt=("x", "y")), ActivityError, "'y'"),
        (lambda: differentiate(vector, styl="ssa"), TypeError, "did you mean 'style'"),
        (lambda: grad(vector, chunksize=3), TypeError, "did you mean 'chunk_size'"),
        (lambda: jacobian(vector, hasaux=True), TypeError, "did you mean 'has_aux'"),
        (lambda: grad(vector, zzz=1), TypeError, "backend, style, cache_dir"),
        (lambda: grad(heat)(X, 0.1), ActivityError, "returns nothing.*\n.*of='u'"),
        (lambda: jvp(heat, (X, 0.1), (X, None)), ActivityError, "returns nothing"),
        (lambda: grad(lambda x: None)(2.0), ActivityError, "return the result"),
    ],
)
def test_messages(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
