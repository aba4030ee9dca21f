"""Trees as vectors, and the way back in differentiated functions."""

from __future__ import annotations

import pickle
from collections import OrderedDict, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import (
    ActivityError,
    S2sadError,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    ravel,
    value_and_grad,
    vjp,
    vmap,
)
from s2sad.testing import check_grads

Layer = namedtuple("Layer", "w b")


@dataclass
class Net:
    w: object
    b: object
    name: str = "net"


@dataclass(frozen=True)
class Frozen:
    w: object
    b: object


class Plain:
    def __init__(self, w):
        self.w, self.b, self.calls = w, np.zeros(2), 3


@dataclass(frozen=True)
class Counting:
    w: object
    b: object

    def __post_init__(self):
        object.__setattr__(self, "w", self.w)


W, B = np.array([[0.3, -0.2], [0.5, 0.1]]), np.array([0.2, -0.4])
INPUTS = np.array([[1.0, 0.5], [-0.3, 2.0], [0.7, 0.7]])


def by_attributes(p):
    return np.sum(np.tanh(INPUTS @ p.w + p.b) ** 2)


def by_items(p):
    return np.sum(np.tanh(INPUTS @ p[0] + p[1]) ** 2)


def by_keys(p):
    return np.sum(np.tanh(INPUTS @ p["w"] + p["b"]) ** 2)


def deep(p):
    h = INPUTS
    for layer in p["layers"]:
        h = np.tanh(h @ layer.w + layer.b)
    return np.sum(h * p["scale"]) ** 2


TREES = [
    (by_keys, {"w": W, "b": B}), (by_keys, OrderedDict(w=W, b=B)), (by_items, [W, B]), (by_items, (W, 0.5)),
    (by_keys, {"b": 0.5, "w": W, "n": 3, "t": "text", "none": None}), (by_attributes, Layer(W, B)),
    (by_attributes, Net(W, B)), (by_attributes, Frozen(W, B)), (by_attributes, Plain(W)),
    (deep, {"layers": [Layer(W, B), Net(W.T, 0.1)], "scale": 1.5}),
    (deep, {"scale": 0.5, "layers": (Frozen(W, B), Plain(W))}),
]  # fmt: skip


@pytest.mark.parametrize(("loss", "tree"), TREES)
def test_losses_of_vectors(loss, tree):
    v, unravel = ravel(tree)

    def of_vector(x):
        return loss(unravel(x))

    assert np.isclose(of_vector(v), loss(tree))
    value, gradient = value_and_grad(of_vector)(v)
    assert np.isclose(value, loss(tree))
    assert gradient.shape == v.shape
    check_grads(of_vector, (v,), order=2 if loss is by_keys else 1)
    assert np.allclose(grad(lambda x: loss(unravel(x)))(v), gradient)
    d = np.linspace(-1, 1, v.size)
    assert np.isclose(jvp(of_vector, (v,), (d,))[1], gradient @ d)
    second = hessian(of_vector)(v)
    assert np.allclose(second, second.T, atol=1e-12)
    for mode in ("fwd", "rev"):
        assert np.allclose(hvp(of_vector, (v,), (d,), mode=mode)[1], second @ d)


@pytest.mark.parametrize(("loss", "tree"), TREES)
def test_there_and_back(loss, tree):
    v, unravel = ravel(tree)
    again = unravel(v)
    assert type(again) is type(tree) or isinstance(tree, OrderedDict)
    assert np.array_equal(ravel(again)[0], v)
    assert np.array_equal(ravel(pickle.loads(pickle.dumps(unravel))(2 * v))[0], 2 * v)
    v += 1.0  # what was made of it is its own
    assert np.isclose(loss(again), loss(tree))


def test_items_of_dicts_come_by_their_keys():
    first = ravel({"b": 1.0, "a": {"z": 2.0, "y": np.array([3.0])}})
    second = ravel({"a": {"y": np.array([3.0]), "z": 2.0}, "b": 1.0})
    assert first[0].tolist() == second[0].tolist() == [3.0, 2.0, 1.0]
    assert list(first[1](first[0])) == ["b", "a"]
    assert ravel({2: 1.0, "a": 2.0, (1, 2): 3.0})[0].tolist() == [1.0, 2.0, 3.0]  # no order: as they were entered
    assert ravel({10: 1.0, 9: 2.0})[0].tolist() == [2.0, 1.0]


def test_steps_of_descent_between_trees():
    @np.vectorize
    def never(x):
        return x

    tree = {"layers": [Layer(W, B)], "scale": 1.0, "kind": never}
    before = deep(tree)
    for _ in range(20):
        v, unravel = ravel(tree)
        tree = unravel(v - 0.01 * grad(lambda x, back=unravel: deep(back(x)))(v))
    assert deep(tree) < before
    assert tree["kind"] is never


def test_inside_of_a_program_that_is_differentiated():
    v, unravel = ravel({"w": W, "b": B})

    def after_a_step(x, rate):
        g = grad(lambda y: by_keys(unravel(y)))(x)
        return by_keys(unravel(x - rate * g))

    check_grads(after_a_step, (v, 0.1), order=1)
    assert vmap(lambda x: by_keys(unravel(x)))(np.stack([v, 2 * v])).shape == (2,)
    assert jacobian(lambda x: unravel(x)["w"])(v).shape == (2, 2, 6)
    value, pullback = vjp(unravel, v)
    assert np.allclose(pullback({"w": np.ones((2, 2)), "b": np.zeros(2)})[0], [0, 0, 1, 1, 1, 1])
    assert np.array_equal(value["w"], W)


def test_dtypes_and_kinds():
    tree = {"half": np.ones(2, np.float32), "z": np.array([1 + 2j]), "x": np.float32(2.0), "r": 1.5}
    v, unravel = ravel(tree)
    assert v.dtype == complex
    again = unravel(v)
    assert {key: (type(item), getattr(item, "dtype", None)) for key, item in again.items()} == {
        key: (type(item), getattr(item, "dtype", None)) for key, item in tree.items()
    }
    with pytest.raises(ValueError, match="imaginary"):
        unravel(v + 1j)
    real, back = ravel([W, 0.5])
    assert np.array_equal(back(real + 0j)[0], W)
    with pytest.raises(ValueError, match="imaginary"):
        back(real + 1j)
    with pytest.raises(ValueError, match="imaginary"):
        grad(lambda x: np.sum(back(x)[0]))(real + 1j)
    with pytest.raises(ValueError, match="5 numbers"):
        grad(lambda x: np.sum(back(x)[0]))(real[:4])
    gradient = grad(lambda x: unravel(x)["r"] ** 2 + np.abs(unravel(x)["z"][0]) ** 2)(v)
    assert np.allclose(gradient, [0, 0, 3.0, 0, 2 - 4j])
    assert grad(lambda x: np.sum(back(x)[0]))(real.astype(np.float32)).dtype == np.float32


def test_objects_that_no_copy_makes_are_refused():
    v, unravel = ravel(Counting(W, B))
    assert isinstance(unravel(v), Counting)
    with pytest.raises(S2sadError, match="object") as refusal:
        grad(lambda x: by_attributes(unravel(x)))(v)
    assert not isinstance(refusal.value, ActivityError)


Parts = namedtuple("Parts", "w b")


def of_two(x):
    v, back = ravel({"b": x, "a": [x[1:] ** 2, 3]})  # items by their keys: v[:3] is x[1:]**2
    t = back(v * 2)
    return np.sum(t["b"] ** 2) * t["a"][1] + t["a"][0] @ x[1:] + np.sum(v * np.arange(7.0))


def of_what_is_written_later(x):
    p = Net(np.outer(x, x), Parts(x[:2], x[0]))
    v, back = ravel(p)
    p.w[0] = 0.0
    q = back(v**2)
    v[:] = 1.0
    return np.sum(q.w**2) + np.sum(q.b.w) * q.b.b


def of_several_types(x):
    v, back = ravel([x + 1j * x, x * 1j])
    a, b = back(v**2)
    return np.sum(np.abs(a) ** 2) + np.sum(b.real)


def by_clipped_steps(x):
    p = {"w": np.outer(x, x) * 0.1, "b": x[1]}

    def residual(p):
        return np.sum((p["w"] @ x - p["b"]) ** 2)

    for _ in range(2):
        g, back = ravel(grad(residual)(p))
        step = back(g / np.sqrt(np.sum(g**2)))
        p = {"w": p["w"] - 0.1 * step["w"], "b": p["b"] - 0.1 * step["b"]}
    return residual(p)


def by_newtons_step(x):
    v, back = ravel({"a": x[:2], "b": x[2:]})

    def f(y):
        return np.sum(np.cosh(back(y)["a"] * 0.3)) + np.sum(back(y)["b"] ** 4) + 0.5 * y @ y

    return np.sum(back(v - np.linalg.solve(hessian(f)(v), grad(f)(v)))["b"] * x[:2])


@pytest.mark.parametrize("f", [of_two, of_what_is_written_later, of_several_types, by_clipped_steps, by_newtons_step])
def test_vectors_are_made_in_programs(f):
    check_grads(f, (np.array([0.9, 0.4, 1.2, 0.7]),), order=2)


def test_numbers_that_do_not_fit_are_said_to_in_programs():
    def shorter(x):
        v, back = ravel((x, 2.0))
        return back(v[1:])[0][0]

    def complex_in_place_of_real(x):
        v, back = ravel(x)
        return np.sum(np.abs(back(v * 1j)))

    def of_unknown_length(x):
        return np.sum(ravel([x[k] for k in range(len(x))])[0])

    x = np.arange(1.0, 4.0)
    with pytest.raises(S2sadError, match="a vector of 4 numbers is expected, and one of shape"):  # as the call says it
        grad(shorter)(x)
    with pytest.raises(S2sadError, match="imaginary parts"):
        grad(complex_in_place_of_real)(x)
    with pytest.raises(S2sadError, match="which numbers of a"):
        grad(of_unknown_length)(np.arange(100.0))
    assert np.array_equal(grad(of_unknown_length)(x), np.ones(3))


def test_derivatives_are_in_the_machines_byte_order():
    x = np.arange(3.0).astype(">f8" if np.little_endian else "<f8")
    found = (grad(lambda x: np.sum(x**2))(x), jvp(lambda x: x * 2, (x,), (x,))[1], jacobian(lambda x: x * 2)(x))
    assert all(part.dtype.isnative for part in found)
    assert np.array_equal(found[0], 2 * x)
