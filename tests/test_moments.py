"""A value and its derivative belong to one evaluation, whatever becomes of the world between them."""

from __future__ import annotations

import collections
import functools
import pickle
import random
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.random import standard_normal

import s2sad
from s2sad import (
    ActivityError,
    UnsupportedSyntaxError,
    check_grads,
    differentiate,
    linearize,
    value_and_grad,
    vjp,
)

K = 1.5
W = V = np.ones(2)
TABLE: dict[str, Any] = {}
SOURCES: dict[str, Any] = {}
ITEMS: list[Any] = []
PAIR: tuple[Any, ...] = ()
module = types.ModuleType("settings_of_test_moments")
rng = np.random.default_rng(0)
old = np.random.RandomState(0)


class Box:
    scale = 2.0

    def __init__(self) -> None:
        self.w, self.array, self.items, self.rng = 2.0, np.array([1.0, 3.0]), [2.0], np.random.default_rng(4)

    def weighted(self, x):
        return np.sum(self.array * self.w * x**2)

    def noisy(self, x):
        return np.sum(x**2 * self.rng.standard_normal(2))


class Slots:
    __slots__ = ("w",)

    def __init__(self):
        self.w = 2.0


@dataclass(frozen=True)
class Frozen:
    array: Any


box, slots, frozen = Box(), Slots(), Frozen(np.ones(2))


def number(x):
    return np.sum(K * x**2)


def array(x):
    return np.sum(W * x**2)


def window(x):
    return np.sum(V * x**2)


def items(x):
    return np.sum(ITEMS[0] * x**2) + len(ITEMS) * x[0]


def entry(x):
    return np.sum(TABLE["a"] * TABLE["b"] * x**2)


def pair(x):
    return np.sum(PAIR[1] * x**2)


def attribute(x):
    return np.sum(box.w * box.array * x**2)


def slot(x):
    return np.sum(slots.w * x**2)


def field(x):
    return np.sum(frozen.array * x**2)


def of_class(x):
    return np.sum(Box.scale * x**2)


def of_module(x):
    return np.sum(module.rate * module.weights * x**2)


def inner(x):
    return K * x**2


def caller(x):
    return np.sum(inner(x) * W)


def legacy(x):
    return np.sum(x**2 * np.random.standard_normal(2))


def imported(x):
    return np.sum(x**2 * standard_normal(2))


def by_callee(x):
    return legacy(x) + legacy(x)


def by_generator(x):
    return np.sum(rng.normal(x, 0.5) * x)


def by_state(x):
    return np.sum(x**2 * old.rand(2))


def in_table(x):
    return np.sum(x**2 * SOURCES["rng"].standard_normal(2))


def by_argument(x, source):
    return np.sum(x**2 * source.standard_normal(2))


def in_loop(x):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(x**2 * rng.random(2))
    return total


def seeded(x):
    return np.sum(x**2 * np.random.default_rng(5).standard_normal(2))


def closure(change: str) -> World:
    k, w, held = 2.0, np.array([1.0, 3.0]), [2.0]

    def f(x):
        return np.sum(k * w * held[0] * x**2)

    def act() -> None:
        nonlocal k, w
        if change == "number":
            k = 7.0
        elif change == "array":
            w = np.array([5.0, 5.0])
        elif change == "contents":
            w[0] = 9.0
        else:
            held[0] = 5.0

    return World(f, act)


def closed_generator() -> World:
    source = np.random.default_rng(8)
    return World(lambda x: np.sum(x**2 * source.standard_normal(2)), lambda: source.standard_normal(3))


def default() -> World:
    kept = np.array([1.0, 2.0])

    def f(x, w=kept):
        return np.sum(w * x**2)

    return World(f, lambda: kept.__setitem__(0, 5.0))


def sparse() -> World:
    sparse_arrays = pytest.importorskip("scipy.sparse")
    matrix = sparse_arrays.csr_array(np.array([[1.0, 2.0], [3.0, 4.0]]))
    return World(lambda x: np.sum((matrix @ x) ** 2), lambda: matrix.data.__setitem__(0, 50.0))


def sparse_argument() -> World:
    sparse_arrays = pytest.importorskip("scipy.sparse")
    matrix = sparse_arrays.csr_array(np.array([[1.0, 2.0], [3.0, 4.0]]))

    def f(x, a):
        return np.sum((a @ x) ** 2)

    return World(f, lambda: setattr(matrix, "data", np.zeros(4)), (matrix,))


def deque_argument() -> World:
    kept = collections.deque([2.0, 3.0])

    def f(x, items):
        return np.sum(x**2) * items[0]

    return World(f, lambda: kept.appendleft(9.0), (kept,))


def of_distribution() -> World:
    stats = pytest.importorskip("scipy.stats")
    return World(lambda x: np.sum(x**2 * stats.norm.rvs(size=2)), lambda: np.random.rand(3))


def captured_set() -> World:
    kept = {2.0}

    def f(x):
        return np.sum(x**2) * (3.0 if 2.0 in kept else 1.0)

    return World(f, kept.clear)


@dataclass
class World:
    f: Callable[..., Any]
    change: Callable[[], Any]
    args: tuple[Any, ...] = ()


def setting(**values: Any) -> Callable[[], Any]:
    return lambda: globals().update(values)


def held(name: str) -> Any:
    return globals()[name]


def fresh() -> None:
    """The world as it is in the beginning."""
    base = np.array([1.0, 3.0, 5.0])
    globals().update(
        K=1.5, W=np.array([1.0, 3.0]), V=base[1:], base=base,
        TABLE={"a": 2.0, "b": np.array([1.0, 3.0])}, SOURCES={"rng": np.random.default_rng(6)},
        ITEMS=[np.array([1.0, 3.0]), 1.0], PAIR=(1.0, np.array([1.0, 3.0])),
        rng=np.random.default_rng(1), old=np.random.RandomState(2),
        box=Box(), slots=Slots(), frozen=Frozen(np.array([1.0, 3.0])),
    )  # fmt: skip
    module.rate, module.weights = 2.0, np.array([1.0, 3.0])
    Box.scale = 2.0
    np.random.seed(3)
    inner.__code__ = first_code


first_code = inner.__code__


def method(name: str, change: Callable[[Box], Any]) -> World:
    own = Box()
    return World(getattr(own, name), lambda: change(own))


def argument() -> World:
    source = np.random.default_rng(11)
    return World(by_argument, lambda: source.random(3), (source,))


WORLDS: dict[str, Callable[[], World]] = {
    "a number": lambda: World(number, setting(K=5.0)),
    "an array in place": lambda: World(array, lambda: held("W").__setitem__(0, 100.0)),
    "an array in place, minus zero": lambda: World(array, lambda: held("W").__imul__(-0.0)),
    "another array": lambda: World(array, setting(W=np.array([9.0, 9.0]))),
    "an array by its base": lambda: World(window, lambda: held("base").__setitem__(1, 100.0)),
    "an array in a list": lambda: World(items, lambda: held("ITEMS")[0].__setitem__(0, 50.0)),
    "a list grows": lambda: World(items, lambda: held("ITEMS").append(1.0)),
    "a list's item": lambda: World(items, lambda: held("ITEMS").__setitem__(0, np.zeros(2))),
    "a dict's item": lambda: World(entry, lambda: held("TABLE").__setitem__("a", 5.0)),
    "a dict's item goes": lambda: World(entry, lambda: held("TABLE").update(a=5.0, c=1.0, b=held("TABLE").pop("b"))),
    "an array in a dict": lambda: World(entry, lambda: held("TABLE")["b"].__setitem__(0, 5.0)),
    "an array in a tuple": lambda: World(pair, lambda: held("PAIR")[1].__setitem__(0, 5.0)),
    "an attribute": lambda: World(attribute, lambda: setattr(held("box"), "w", 5.0)),
    "an attribute more": lambda: World(attribute, lambda: setattr(held("box"), "more", 5.0)),
    "an attribute's array": lambda: World(attribute, lambda: held("box").array.__setitem__(0, 5.0)),
    "another object": lambda: World(attribute, lambda: setting(box=Box())() or setattr(held("box"), "w", 9.0)),
    "a slot": lambda: World(slot, lambda: setattr(held("slots"), "w", 5.0)),
    "a frozen object's array": lambda: World(field, lambda: held("frozen").array.__setitem__(0, 5.0)),
    "a frozen object's field": lambda: World(field, lambda: object.__setattr__(held("frozen"), "array", np.zeros(2))),
    "a class's attribute": lambda: World(of_class, lambda: setattr(Box, "scale", 5.0)),
    "a module's number": lambda: World(of_module, lambda: setattr(module, "rate", 5.0)),
    "a module's array": lambda: World(of_module, lambda: module.weights.__setitem__(0, 5.0)),
    "a callee's number": lambda: World(caller, setting(K=5.0)),
    "a callee's code": lambda: World(caller, lambda: setattr(inner, "__code__", (lambda x: x**2).__code__)),
    "a captured number": lambda: closure("number"),
    "a captured array": lambda: closure("array"),
    "a captured array in place": lambda: closure("contents"),
    "a captured list": lambda: closure("list"),
    "a default": default,
    "a method's object": lambda: method("weighted", lambda own: setattr(own, "w", 5.0)),
    "a method's array": lambda: method("weighted", lambda own: own.array.__setitem__(0, 5.0)),
    "a sparse matrix": sparse,
    "a sparse matrix as argument": sparse_argument,
    "a deque as argument": deque_argument,
    "a set": captured_set,
    "numpy.random": lambda: World(legacy, lambda: np.random.rand(3)),
    "numpy.random, seeded": lambda: World(legacy, lambda: np.random.seed(9)),
    "numpy.random, imported": lambda: World(imported, lambda: np.random.seed(9)),
    "numpy.random, by scipy.stats": of_distribution,
    "numpy.random, in calls": lambda: World(by_callee, lambda: None),
    "a generator": lambda: World(by_generator, lambda: held("rng").random(3)),
    "another generator": lambda: World(by_generator, setting(rng=np.random.default_rng(77))),
    "a generator in a loop": lambda: World(in_loop, lambda: None),
    "a generator in a dict": lambda: World(in_table, lambda: held("SOURCES")["rng"].random()),
    "a captured generator": closed_generator,
    "a RandomState": lambda: World(by_state, lambda: held("old").rand()),
    "a method's generator": lambda: method("noisy", lambda own: own.rng.random()),
    "a generator as argument": argument,
    "a generator with a seed": lambda: World(seeded, lambda: None),
}  # fmt: skip
DRAWING = [name for name in WORLDS if "rand" in name or "generator" in name or "Random" in name]
X, D = np.array([0.7, -1.2]), np.array([0.3, 0.5])


def made(name: str) -> World:
    fresh()
    return WORLDS[name]()


def value(name: str, x: Any) -> Any:
    """What the function of a fresh world gives."""
    world = made(name)
    return world.f(x, *world.args)


def slope(name: str) -> float:
    """The derivative along D by differences, each value of a world of its own."""
    return float((value(name, X + 1e-6 * D) - value(name, X - 1e-6 * D)) / 2e-6)


@pytest.fixture(autouse=True)
def _as_it_was():
    state = np.random.get_state()
    yield
    fresh()
    np.random.set_state(state)


@pytest.mark.parametrize("name", WORLDS)
def test_pullbacks_belong_to_their_value(name):
    expected = slope(name)
    world = made(name)
    world.f(X, *world.args)
    world.change()
    afterwards = [world.f(X, *world.args), world.f(X, *world.args)]
    world = made(name)
    found, pullback = s2sad.vjp(world.f, X, *world.args, wrt=(0,))
    assert found == value_of_first(name)
    np.testing.assert_allclose(pullback(1.0)[0] @ D, expected, rtol=1e-6)
    world = made(name)
    found, pullback = s2sad.vjp(world.f, X, *world.args, wrt=(0,))
    world.change()
    np.testing.assert_allclose([pullback(1.0)[0] @ D, pullback(2.0)[0] @ D], [expected, 2 * expected], rtol=1e-6)
    assert [world.f(X, *world.args), world.f(X, *world.args)] == afterwards  # and nothing is left of these calls


def value_of_first(name: str) -> Any:
    state, kept = np.random.get_state(), dict(globals())
    try:
        return value(name, X)
    finally:
        globals().update(kept)
        np.random.set_state(state)


@pytest.mark.parametrize("name", WORLDS)
def test_pullbacks_of_several_seeds(name):
    expected = slope(name)
    world = made(name)
    _, pullback = s2sad.vjp(world.f, X, *world.args, wrt=(0,))
    world.change()
    try:
        rows = pullback(np.array([1.0, -2.0]), batched=True)[0]
    except ActivityError as error:
        assert ("would draw others for each direction" if "scipy" in name else "has changed since its value") in str(error)
        return
    np.testing.assert_allclose(rows @ D, [expected, -2 * expected], rtol=1e-6)


@pytest.mark.parametrize("name", WORLDS)
def test_linear_maps_belong_to_their_value(name):
    expected = slope(name)
    world = made(name)
    _, push = s2sad.linearize(world.f, X, *world.args, wrt=(0,))
    world.change()
    np.testing.assert_allclose([push(D), push(D), push.T(1.0)[0] @ D], expected, rtol=1e-6)


@pytest.mark.parametrize("mode", ["fwd", "rev", None])
@pytest.mark.parametrize("name", DRAWING)
def test_values_and_jacobians_are_of_one_evaluation(name, mode):
    world = made(name)
    found, rows = s2sad.value_and_jacobian(world.f, mode=mode, chunk_size=1)(X, *world.args)
    if name != "a generator" and name != "another generator":
        np.testing.assert_allclose(rows @ X, 2 * found, rtol=1e-9)  # of homogeneous functions (Euler)
    if mode is not None or "numpy" in name or "argument" in name or "method" in name:
        assert found == value(name, X)
        world = made(name)
        np.testing.assert_allclose(rows @ D, slope(name), rtol=1e-6)


@pytest.mark.parametrize("name", DRAWING)
def test_hessians_are_of_one_evaluation(name):
    world = made(name)
    found = s2sad.hessian(world.f, chunk_size=1)(X, *world.args)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)


def rows_of(x):
    return np.random.standard_normal((3, 3)) @ x


def energy(x):
    return np.sum(np.random.standard_normal((3, 3)) @ x**2)


@pytest.mark.parametrize("mode", ["fwd", "rev", None])
def test_random_matrices(mode):
    x = np.array([1.0, 2.0, 3.0])
    np.random.seed(0)
    expected, after = rows_of(x), np.random.rand()
    np.random.seed(0)
    found, jacobian = s2sad.value_and_jacobian(rows_of, mode=mode, chunk_size=1)(x)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(jacobian @ x, expected)
    assert np.random.rand() == after  # one evaluation has been drawn
    found, push = s2sad.linearize(rows_of, x)
    np.testing.assert_allclose(push(x), found)
    np.testing.assert_allclose([push.T(row)[0] @ x for row in np.eye(3)], found)
    found, pullback = s2sad.vjp(rows_of, x)
    np.testing.assert_allclose(pullback(np.eye(3), batched=True)[0] @ x, found)


def test_checks_draw_the_same():
    s2sad.check_grads(energy, (np.array([1.0, 2.0, 3.0]),))
    s2sad.check_grads(by_argument, (X, np.random.default_rng(0)), wrt=(0,))


def test_sparse_matrices_are_of_one_evaluation():
    pytest.importorskip("scipy")
    np.random.seed(0)
    expected, after = rows_of(np.ones(3)), np.random.rand()
    np.random.seed(0)
    found = s2sad.sparse_jacobian(rows_of, np.ones((3, 3)), chunk_size=1)(np.ones(3))
    np.testing.assert_allclose(found @ np.ones(3), expected)
    assert np.random.rand() == after


def without_seed(x):
    return np.sum(x * np.random.default_rng().standard_normal(2))


def reseeded(x):
    np.random.seed()
    return np.sum(x * np.random.rand(2))


def with_none(x, seed=None):
    return np.sum(x * np.random.RandomState(seed).rand(2))


def by_sequence(x):
    return np.sum(x * np.random.default_rng(np.random.SeedSequence()).random(2))


def by_bits(x):
    return np.sum(x * np.random.Generator(np.random.PCG64()).random(2))


def maybe_seeded(x):
    return np.sum(x * np.random.default_rng(3 if x[0] > 9.0 else None).random(2))


@pytest.mark.parametrize("f", [without_seed, reseeded, with_none, by_sequence, by_bits, maybe_seeded])
@pytest.mark.parametrize("way", [
    lambda f: s2sad.vjp(f, X),
    lambda f: s2sad.linearize(f, X),
    lambda f: s2sad.value_and_jacobian(f)(X),
    lambda f: s2sad.check_grads(f, (X,)),
])  # fmt: skip
def test_draws_without_a_seed_are_refused(f, way):
    with pytest.raises(ActivityError, match="draws other random numbers each time it runs"):
        way(f)
    found, gradient = s2sad.value_and_grad(f)(X)
    np.testing.assert_allclose(gradient @ X, found)


def test_an_array_that_cannot_be_put_back():
    fresh()
    _, pullback = s2sad.vjp(array, X)
    W.resize(4, refcheck=False)
    with pytest.raises(ActivityError, match="has been changed since its value was computed"):
        pullback(1.0)
    fresh()
    base = np.array([1.0, 3.0])
    view = base[:]
    view.flags.writeable = False
    globals()["W"] = view
    _, pullback = s2sad.vjp(array, X)
    base[0] = 7.0
    with pytest.raises(ActivityError, match="has been changed since its value was computed"):
        pullback(1.0)


def test_what_is_put_back_is_taken_away_after_an_error():
    fresh()
    _, pullback = s2sad.vjp(array, X)
    W[0] = 9.0
    with pytest.raises(ActivityError, match="the adjoint of the value has shape"):
        s2sad.vjp(lambda x: W * x, X)[1](np.ones(3))
    with pytest.raises(ActivityError, match="a str"):
        pullback("text")
    assert W[0] == 9.0
    fresh()
    with np.errstate(divide="ignore"):
        _, fails = s2sad.vjp(lambda x: np.sum(W * np.log(x)), np.zeros(2))
    W[0] = 9.0
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        fails(1.0)
    assert W[0] == 9.0


def test_captured_variables_that_are_differentiated():
    w, k = np.array([1.0, 3.0]), 2.0

    def f(x):
        return np.sum(k * w * x**2)

    def change():
        nonlocal w, k
        w[0] = 50.0
        w = np.zeros(2)
        k = 9.0

    _, pullback = s2sad.vjp(f, X, wrt=("x", "w", "k"))
    _, push = s2sad.linearize(f, X, wrt=("w",))
    change()
    x_bar, w_bar, k_bar = pullback(1.0)
    np.testing.assert_allclose(x_bar, 2 * 2.0 * np.array([1.0, 3.0]) * X)
    np.testing.assert_allclose(w_bar, 2.0 * X**2)
    np.testing.assert_allclose(k_bar, np.sum(np.array([1.0, 3.0]) * X**2))
    np.testing.assert_allclose(push(D), np.sum(2.0 * D * X**2))
    assert k == 9.0
    assert not w.any()


PICKLED = ["a number", "an array in place", "an attribute", "a dict's item", "numpy.random", "a generator"]


@pytest.mark.parametrize("name", PICKLED)
@pytest.mark.parametrize("what", [0, 1])
def test_pickled_ones_are_of_the_same_world_or_none(name, what):
    expected = slope(name)
    world = made(name)
    thing = (s2sad.vjp, s2sad.linearize)[what](world.f, X)[1]
    data = pickle.dumps(thing)
    if name in DRAWING:  # what has been drawn since then is another sample
        with pytest.raises((ActivityError, pickle.PicklingError)):
            pickle.loads(data)
        return
    again = pickle.loads(data)
    np.testing.assert_allclose(again(1.0)[0] @ D if what == 0 else again(D), expected, rtol=1e-6)
    world.change()
    with pytest.raises((ActivityError, pickle.PicklingError)):
        pickle.loads(data)
    with pytest.raises(ActivityError, match="is not what it saw"):
        pickle.loads(pickle.dumps(thing))  # this world is that of its function, and not its own


def test_pullbacks_in_threads():
    fresh()
    ready = [s2sad.vjp(legacy, X) for _ in range(8)]
    wrong: list[Any] = []

    def work(found: Any, pullback: Any) -> None:
        for _ in range(20):
            if not np.isclose(pullback(1.0)[0] @ X, 2 * found):
                wrong.append(found)

    threads = [threading.Thread(target=work, args=pair) for pair in ready]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("inside", [
    lambda x: np.sum(s2sad.vjp(rows_of, x)[1](x)[0]),
    lambda x: np.sum(s2sad.jacobian(rows_of)(x)),
])  # fmt: skip
def test_pullbacks_of_draws_in_programs_are_refused(inside):
    with pytest.raises(UnsupportedSyntaxError, match="a pullback of rows_of"):
        s2sad.grad(inside)(np.ones(3))


def test_derivatives_of_decorated_functions_and_of_derivatives():
    fresh()
    _, pullback = differentiate(legacy).vjp(X)
    value_then, other = s2sad.vjp(s2sad.grad(legacy), X)
    np.testing.assert_allclose(pullback(1.0)[0], pullback(1.0)[0])
    np.testing.assert_allclose(other(X)[0], value_then)  # the gradient is linear


# --- pullbacks and maps inside of programs


def _rebound(x):
    a = 2.0
    pullback = vjp(lambda y: a * y**2, x)[1]
    a = 100.0
    return pullback(1.0)[0] + a * x


def _written(x):
    a = np.array([2.0, 3.0]) * x
    b = a[1:]
    pullback = vjp(lambda y: np.sum(a * y**2) + np.sum(b) * y, x)[1]
    a[:] = 100.0
    return pullback(1.0)[0] * x


def _rebound_behind(x):
    a = 2.0 * x

    def inner(y):
        return a * y

    def outer(y, n=2):
        return y if n == 0 else inner(y) * outer(y, n - 1)

    value, pullback = vjp(lambda y: outer(y), x)
    a = 100.0 * x
    return pullback(1.0)[0] + value + a


def _in_a_loop(x):
    s, a = 0.0, 1.0
    for k in range(3):
        pullback = vjp(lambda y: a * np.sin(y) * k, x)[1]
        a = a + x
        s += pullback(1.0)[0]
    return s


def _map_and_field(x):
    p = {"a": 2.0 * x}
    push = linearize(lambda y: p["a"] * y**3, x)[1]
    p["a"] = 100.0
    return push(1.0) + push.T(2.0)[0]


@pytest.mark.parametrize("function", [_rebound, _written, _rebound_behind, _in_a_loop, _map_and_field], ids=lambda f: f.__name__)
def test_what_a_program_captures_is_that_of_the_moment(function):
    assert value_and_grad(function)(1.3)[0] == pytest.approx(function(1.3), rel=1e-12)  # which calls vjp itself
    check_grads(function, (1.3,), modes=("tangent", "adjoint"))


# --- functions of which no derivative is taken, and those with a rule: what they read and change besides

count = 0
log: list[int] = []


class Counter:
    count = 0

    def __init__(self) -> None:
        self.inner = {"random": random.Random(3)}

    def draw(self) -> float:
        return self.inner["random"].random()


counter = Counter()


@s2sad.nondifferentiable
def noise(x):
    return rng.normal()


@s2sad.nondifferentiable
def noise_of_numpy(x):
    return np.random.normal()


def helper():
    return counter.draw()


@s2sad.nondifferentiable
def noise_of_an_object(x):
    return helper()


@s2sad.nondifferentiable
def counted(x):
    global count  # noqa: PLW0603  (that is what is tested)
    count += 1
    return float(count)


@s2sad.nondifferentiable
def logged(x):
    log.append(1)
    return float(len(log))


@s2sad.nondifferentiable
def counted_by_a_class(x):
    Counter.count += 1
    return float(Counter.count)


def in_a_cell() -> Callable[..., Any]:
    seen = 0

    def step(x):
        nonlocal seen
        seen += 1
        return float(seen)

    return s2sad.nondifferentiable(step)


def counting(function: Callable[..., Any]) -> Callable[..., Any]:
    seen = [0]

    @functools.wraps(function)
    def wrapper(x):
        seen[0] += 1
        return function(x) * seen[0]

    return s2sad.nondifferentiable(wrapper)


@counting
def decorated(x):
    return 0.5


@s2sad.nondifferentiable
def counted_by_a_module(x):
    module.count += 1
    return float(module.count)


module.count = 0


def scaled(x):
    log.append(1)
    return x * len(log)


def scaled_jvp(out, args, dots):
    return out / args[0] * dots[0]


def scaled_vjp(out_bar, out, x):
    return (out_bar * out / x,)


s2sad.rule(scaled, vjp=scaled_vjp, jvp=scaled_jvp)
STATES = [
    noise, noise_of_numpy, noise_of_an_object, counted, logged, counted_by_a_class, counted_by_a_module, in_a_cell(), decorated,
    lambda x: scaled(x) / x,
]  # fmt: skip


@pytest.mark.parametrize("state", STATES, ids=lambda f: f.__name__)
def test_state_of_functions_that_are_called_as_they_are(state: Callable[..., Any]) -> None:
    def f(x):
        return state(x[0]) * x

    x, tangent = np.array([0.5, 1.5, 2.0]), np.array([1.0, -2.0, 3.0])
    value, pullback = vjp(f, x)
    for _ in range(2):
        np.testing.assert_allclose(pullback(tangent)[0] * x, value * tangent)
    value, line = linearize(f, x)
    np.testing.assert_allclose(line(tangent) * x, value * tangent)
    value, rows = s2sad.value_and_jacobian(f)(x)
    np.testing.assert_allclose(rows, np.diag(value / x))
    _, pullback = vjp(f, x)
    seeds = np.eye(3)
    np.testing.assert_allclose(pullback(seeds, batched=True)[0], [pullback(seed)[0] for seed in seeds])


def test_a_call_leaves_what_one_evaluation_leaves() -> None:
    def f(x):
        return counted(x) * x

    before = count
    _, pullback = vjp(f, 2.0)
    pullback(1.0)
    s2sad.jacobian(f)(np.ones(2))
    assert count == before + 2


def test_objects_that_are_bound_later_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return noise(x) * x

    for k in range(2):
        monkeypatch.setitem(globals(), "rng", np.random.default_rng(k))
        value, pullback = vjp(f, 2.0)
        assert pullback(1.0) == (value / 2.0,)


@s2sad.nondifferentiable
def of_a_number(x):
    return float(count)


def test_numbers_that_are_bound_anew_are_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return of_a_number(x) * x

    monkeypatch.setitem(globals(), "count", 3)
    value, pullback = vjp(f, 2.0)
    monkeypatch.setitem(globals(), "count", 5)
    assert (value, pullback(1.0)) == (6.0, (3.0,))
    assert count == 5
