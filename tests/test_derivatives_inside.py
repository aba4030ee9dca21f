"""Derivatives that are taken inside of differentiated programs, in both modes, against differences of the program."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import (
    S2sadError,
    check_grads,
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    value_and_jacobian,
    vjp,
    vmap,
)

X = np.array([0.3, 0.7, 1.1])


def cube(w):
    return np.sum(np.sin(w) ** 3)


def product(a, b, power=2):
    return np.sum(a**power * np.cos(b))


def vector(w):
    return np.array([w[0] * w[1], np.exp(w[2]) * w[0]])


def heat(u, alpha):
    u[1:] += alpha * u[:-1]


@differentiate
def decorated(w):
    return np.sum(w**3)


class Model:
    def __init__(self, scale):
        self.scale = scale

    def loss(self, w):
        return np.sum(self.scale * w**3)


GRADIENT, JACOBIAN, MODEL = grad(cube), jacobian(vector), Model(2.0)


def descent(x):
    def inner(w):
        return np.sum((w - x) ** 2 * np.exp(w * x))

    w, k = np.zeros(3), 0
    while k < 5:
        w = w - 0.1 * grad(inner)(w)
        k += 1
    return np.sum(w**3)


def descent_until(x):
    w = 2.0 * x
    while np.sum(w**2) > 0.5:
        value, slope = value_and_grad(lambda v: np.sum(v**2 * x) + 0.1 * np.sum(v**4))(w)
        w = w - 0.05 * slope * (1.0 + 0.1 * value)
    return np.sum(w * x)


def pulled(x):
    y, pull = vjp(vector, x)
    (b,) = pull(y * 2.0)
    return np.sum(b * x)


def pulled_twice(x):
    y, pull = vjp(product, x, x**2)
    return np.sum(pull(y)[0] * pull(1.0)[1])


def pulled_by_name(x):
    _, pull = vjp(product, x, x**2, wrt="b")
    return np.sum(pull(2.0) * x)


def pulled_contents(x):
    b = x.copy()
    value, pull = vjp(heat, b, 2.0, of="u")
    return np.sum(value * b) + np.sum(pull(x)[0])


def pulled_after_a_store(x):
    c = x * 2.0
    _, pull = vjp(lambda w: np.sum(w**3), c)
    c[0] = 7.0
    return np.sum(pull(1.0)[0] * x)


def pulled_tuple(x):
    def pair(w):
        return w * 2.0, {"s": np.sum(w**2)}

    (double, record), pull = vjp(pair, x)
    return np.sum(pull((x, {"s": record["s"]}))[0] * double)


A = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])


def newton(x):
    def energy(w):
        return np.sum(w**4) + 0.5 * w @ A @ w - x @ w

    w = np.zeros(3)
    for _ in range(4):
        w = w - np.linalg.solve(hessian(energy)(w), grad(energy)(w))
    return np.sum(w**2)


def of_a_new_object(x):
    model = Model(x * 2.0)
    return np.sum(grad(model.loss)(x)) + np.sum(grad(lambda m: m.loss(x))(model).scale * x)


def pullback_of_the_step_before(x):
    total = 0.0
    _, pull = vjp(cube, x)
    for k in range(3):
        total = total + np.sum(pull(1.0 + k)[0])
        _, pull = vjp(cube, x * total)
    return total


def in_place(u):
    u[0] = u[1] * 2.0
    return np.sum(u**2)


def gradient_is_written(x):
    c = x * 2.0
    g = grad(lambda w: np.sum(w * c))(x)
    g *= 3.0
    return np.sum(g * c)


def nested(x):
    return grad(lambda t: grad(lambda s: s**2 * t**3 * np.sum(x))(x[1]))(x[0])


def pulled_back_in_a_loop(x):
    total = 0.0
    for k in range(2):
        shift = x[k] * k
        value, pullback = vjp(lambda p: p["w"] ** 2 * (k + shift), {"w": x[0] * x[1]})
        tangent = linearize(lambda p: p["w"] ** 3 * shift, {"w": x[1]})[1]
        total += value + pullback(1.0)[0]["w"] + tangent({"w": x[0]})
    return total


def perturbations(x):
    return grad(lambda t: t * grad(lambda s: t + s)(1.0) + jvp(lambda s: t * s, (x[0],), (1.0,))[1])(x[1]) * x[2]


def with_aux(x):
    slope, aux = grad(lambda w: (np.sum(w**2 * x), w * 3.0), has_aux=True)(x)
    return np.sum(slope * aux)


def of_objects(x):
    def energy(p):
        return np.sum(p["w"] ** 2 * p["b"])

    slope = grad(energy)({"w": x, "b": x * 2.0})
    return np.sum(slope["w"] * slope["b"])


def in_a_branch(x):
    derivative = grad(cube) if x[0] > 0.5 else grad(decorated)
    return np.sum(derivative(x) * x)


def through_a_call(x):
    return np.sum(slope_of(cube, x) * slope_of(lambda w: np.sum(w * x), x))


def slope_of(f, x):
    return grad(f)(x)


def jacobian_of_dicts(x):
    J = jacobian(lambda p: {"s": p["a"] @ p["b"], "v": p["a"] * p["b"][0] ** p["n"]})({"a": x, "b": x**2, "n": 3})
    return np.sum(J["s"]["a"] * J["v"]["b"][0]) + np.sum(J["v"]["a"] @ x) + J["s"]["n"]


def jacobian_of_an_object(x):
    J = jacobian(lambda m: m.scale * x**2)(Model(x[0]))
    return J.scale @ x


def jacobian_by_two(x):
    v, J = value_and_jacobian(lambda a, b: (a * b, a @ b), wrt=("a", 1), mode="rev")(x, x[0] * x)
    return np.sum(v[0]) * np.sum(J[0][0] @ x) + v[1] * np.sum(J[1][1])


def jacobian_with_aux(x):
    J, aux = jacobian(lambda y, power: (y**power * x, np.sum(y)), has_aux=True)(x, power=3)
    return np.sum(J) * aux


def jacobian_of_what_writes(x):
    def scaled(a, b):
        a[1:] *= b[:-1]
        return a, a @ b

    J, contents = jacobian(scaled, (0, 1))(x, x**2), jacobian(scaled, "b", of="a")(x, x * 2)
    return np.sum(J[0][0] @ x) + np.sum(J[1][1] * x) + np.sum(contents**2)


def hessian_by_two(x):
    H = hessian(lambda a, p: np.sum(a * p["b"] ** 2) * a[0], (0, 1))(x, {"b": x + 1})
    return np.sum(H[0][1]["b"] @ x) + np.sum(H[1]["b"][1]["b"] ** 2)


def samples_of_trees(x):
    p, inputs = {"w": x[:2], "b": x[2]}, np.outer(x, x[:2])
    g = vmap(grad(lambda p, a, y: (np.tanh(p["w"] @ a) + p["b"] - y) ** 2), (None, 0, 0))(p, inputs, x)
    squares, pairs = vmap(lambda t: (t**2, {"by": [t, np.outer(t, x)]}), in_axes=0)(inputs[:, 1])
    return np.sum(g["w"] ** 2) + g["b"] @ x + np.sum(squares * pairs["by"][0]) + np.sum(pairs["by"][1][:, 0, 1] * x)


def newton_of_a_system(x):
    z = np.ones(2) * 0.7
    for _ in range(3):

        def residual(q):
            return np.array([q[0] ** 2 + q[1] - x[0], q[1] ** 2 - q[0] * x[1]])

        z = z - np.linalg.solve(jacobian(residual)(z), residual(z))
    return z[0] * z[1]


def gauss_newton(x):
    t = np.linspace(0.0, 1.0, 5)

    def residual(p):
        return p[0] * np.exp(-p[1] * t) - x[0] * t - x[1]

    p = np.array([0.5, 0.5])
    for _ in range(2):
        J = jacfwd(residual)(p)
        p = p - np.linalg.solve(J.T @ J, J.T @ residual(p))
    return np.sum(p**2)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a system by Newton's method": newton_of_a_system,
    "the Gauss-Newton method": gauss_newton,
    "grad": lambda x: np.sum(grad(cube)(x) * x),
    "grad by a keyword": lambda x: np.sum(grad(product, "b")(x, b=x * x)),
    "grad by two": lambda x: np.sum(grad(product, (0, 1))(x, x * x)[1] * x),
    "grad, a default": lambda x: np.sum(grad(product)(x, x, power=3)),
    "grad of a global": lambda x: np.sum(GRADIENT(x) * x),
    "grad of a method": lambda x: np.sum(grad(MODEL.loss)(x) * x),
    "grad of a gradient": lambda x: grad(grad(lambda t: t**3 * np.sum(x)))(x[0]),
    "grad of a vector's part": lambda x: grad(lambda w: vector(w)[0])(x)[1],
    "value_and_grad": lambda x: value_and_grad(cube)(x)[0] * np.sum(value_and_grad(cube)(x)[1]),
    "jvp": lambda x: np.sum(jvp(cube, (x,), (x * 2,))[1] * x),
    "jvp, some directions": lambda x: jvp(product, (x, x * x, 3), (None, x, None))[1],
    "jvp by a name": lambda x: jvp(product, (x, x * x), (x,), wrt="b")[1],
    "jvp of a vector": lambda x: np.sum(jvp(vector, (x,), (x,))[1] ** 2),
    "vjp": pulled,
    "vjp, twice": pulled_twice,
    "vjp by a name": pulled_by_name,
    "vjp of contents": pulled_contents,
    "vjp before a store": pulled_after_a_store,
    "vjp of a tuple": pulled_tuple,
    "hvp": lambda x: np.sum(hvp(cube, (x,), (x,))[1] * x),
    "hvp, reverse": lambda x: np.sum(hvp(cube, (x,), (x,), mode="rev")[1] * x),
    "hvp of two": lambda x: np.sum(hvp(product, (x, x * 2), (x, None))[1][1] * x),
    "hvp by a name": lambda x: np.sum(hvp(product, (x, x * 2), (x,), wrt="b")[1] * x),
    "jacobian": lambda x: np.sum(jacobian(vector)(x) ** 2),
    "jacobian of a global": lambda x: np.sum(JACOBIAN(x) ** 2),
    "jacobian of a matrix": lambda x: np.sum(jacobian(lambda a: a @ a.T)(np.outer(x, x)[:2]) ** 2),
    "jacfwd": lambda x: np.sum(jacfwd(vector)(x) ** 2),
    "jacrev": lambda x: np.sum(jacrev(vector)(x) ** 2),
    "jacobian of numbers": lambda x: jacrev(lambda t: t**3)(x[0]) * jacfwd(lambda t: t**2)(x[1]),
    "jacobian by a number": lambda x: np.sum(jacrev(lambda t: x * t**3)(x[0]) * jacfwd(lambda t: x * t**2)(x[1])),
    "jacobian of a number": lambda x: np.sum(jacrev(cube)(x) * jacfwd(cube)(x)),
    "value_and_jacobian": lambda x: np.sum(value_and_jacobian(vector)(x)[0] @ value_and_jacobian(vector)(x)[1]),
    "hessian": lambda x: np.sum(hessian(cube)(x) @ x),
    "samples of trees": samples_of_trees,
    "jacobian of dicts": jacobian_of_dicts,
    "jacobian of an object": jacobian_of_an_object,
    "jacobian by two": jacobian_by_two,
    "jacobian with aux": jacobian_with_aux,
    "jacobian of what writes": jacobian_of_what_writes,
    "hessian by two": hessian_by_two,
    "of an object": lambda x: np.sum(decorated.grad(x) * x),
    "hvp of an object": lambda x: np.sum(decorated.hvp((x,), (x,))[1]),
    "hessian of an object": lambda x: np.sum(decorated.hessian(x) @ x),
    "descent": descent,
    "descent until": descent_until,
    "newton": newton,
    "of a new object": of_a_new_object,
    "pullback of the step before": pullback_of_the_step_before,
    "in place": lambda x: np.sum(grad(in_place)(x * 1.0) * x),
    "in a comprehension": lambda x: sum([jvp(lambda t: t**3 * x[0], (v,), (1.0,))[1] for v in x]),
    "a gradient is written": gradient_is_written,
    "nested": nested,
    "pulled back in a loop": pulled_back_in_a_loop,
    "perturbations": perturbations,
    "aux": with_aux,
    "objects": of_objects,
    "in a branch": in_a_branch,
    "through a call": through_a_call,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_order(name: str) -> None:
    check_grads(PROGRAMS[name], (X,))


def test_second_order() -> None:
    for name in ("hvp", "vjp", "descent", "nested", "jacobian with aux"):
        check_grads(PROGRAMS[name], (X,), order=2)


WIDE = np.ones(len(X))
OF_SINGLES: dict[str, Callable[[Any], Any]] = {
    "jvp": lambda x: np.sum(jvp(cube, (x,), (WIDE,))[1] * x),
    "jvp along integers": lambda x: np.sum(jvp(vector, (x,), (np.arange(len(X)),))[1] ** 2),
    "jvp of contents": lambda x: np.sum(jvp(in_place, (x * 1,), (WIDE,), of="u")[1] ** 2),
    "jvp of a dict": lambda x: np.sum(jvp(lambda d: d["a"] ** 2 * d["b"], ({"a": x, "b": x},), ({"a": WIDE, "b": WIDE},))[1]),
    "vjp": lambda x: np.sum(vjp(vector, x)[1](2 * np.ones_like(vector(x), float))[0] ** 2),
    "vjp of a tuple": lambda x: np.sum(vjp(lambda t: (t**2, t**3), x)[1]((WIDE, x))[0] ** 2),
    "linearize": lambda x: np.sum(linearize(vector, x)[1](WIDE) ** 2),
    "hvp": lambda x: np.sum(hvp(cube, (x,), (WIDE,))[1]),
    "hvp, reverse": lambda x: np.sum(hvp(cube, (x,), (WIDE,), mode="rev")[1]),
    "hvp of two": lambda x: np.sum(hvp(product, (x**2, x), (x, 0 * WIDE))[1][0]),
}


@pytest.mark.parametrize("name", OF_SINGLES)
def test_derivatives_along_doubles_have_the_dtype_of_their_arguments(name: str) -> None:
    f, x = OF_SINGLES[name], X.astype(np.float32)
    check_grads(f, (X,))
    value, gradient = value_and_grad(f)(x)
    assert (value.dtype, gradient.dtype) == (f(x).dtype, np.float32) == (np.float32, np.float32)
    assert jvp(f, (x,), (WIDE,))[1].dtype == hvp(f, (x,), (WIDE,))[1].dtype == np.float32
    np.testing.assert_allclose(gradient, grad(f)(X), rtol=1e-4)


TAKEN: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: lambda t: grad(f)(t),
    "jvp": lambda f: lambda t: jvp(f, (t,), (1.0,))[1],
    "vjp": lambda f: lambda t: vjp(f, t)[1](1.0)[0],
}
Z = complex(0.5, 1.0)


@pytest.mark.parametrize("modes", [*itertools.product(TAKEN, repeat=2), *itertools.product(("jvp", "vjp"), repeat=4)])
def test_all_pairs_of_modes_to_fourth_order(modes: tuple[str, ...]) -> None:
    def wave(t):
        return np.sin(t) * np.exp(0.5 * t)

    for mode in modes:
        wave = TAKEN[mode](wave)
    assert np.isclose(wave(0.7), (Z ** len(modes) * np.exp(Z * 0.7)).imag, rtol=1e-12)


def powers(n):
    if n == 0:
        return lambda w: np.sum(w**3)
    return lambda w: np.sum(grad(powers(n - 1))(w) * w)


def chained(n):
    if n == 0:
        return lambda w: np.sum(w**3)
    before = chained(n - 1)
    return lambda w: np.sum(grad(before)(w) * w)


def test_gradients_of_functions_that_are_made_before() -> None:
    np.testing.assert_allclose(grad(chained(2))(X), 27 * X**2)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "of what is made in its own recursion": (powers(1), "within whose recursion"),
    "a vector": (lambda x: np.sum(grad(lambda w: w * 2)(x)), "number"),
    "a free variable": (lambda x: grad(product, "x")(x, x), "'x'"),
    "an integer": (lambda x: grad(lambda n: n * x[0])(3), "derivative"),
    "too few directions": (lambda x: jvp(product, (x, x), (x,))[1], "tangents"),
    "text for a number": (lambda x: grad(product, "a", of="c")(x, x), "'c'"),
}


def _write(x, t):
    x[0] = t
    return t * x[0] * x[1]


def test_a_captured_array_that_is_written():
    check_grads(lambda x: grad(lambda t: _write(x, t))(x[0] ** 2) * np.sum(x), (np.array([1.5, 0.5]),))


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    program, message = REFUSED[name]
    with pytest.raises(S2sadError, match=message):
        jvp(program, (X,), (X,))


def weighted(items, x):
    a = np.asarray(items)
    return np.sum(a * x**2) + a[0] ** 3


def test_lists_are_handed_over_as_they_are() -> None:
    def outer(items, x):
        value, pullback = vjp(weighted, items, x)
        items[0] = 2 * items[0]  # the inner derivative is that of the list as it was
        bars, x_bar = pullback(1.0)
        return value + 2 * bars[0] + 3 * bars[1] + np.sum(x_bar**2) + items[0]

    check_grads(outer, [[0.3, -0.2, 0.5], X], order=1)
