"""What programs change outside of themselves: a derivative leaves what one plain call leaves, or is refused and leaves nothing.

Every program runs through every entry point, as a bound method, an object that is called, a partial, and a method that
``@differentiate`` decorates; what is left behind, and printed, is compared with a plain call of a twin.
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import (
    S2sadError,
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jvp,
    linearize,
    sparse_hessian,
    sparse_jacobian,
    value_and_grad,
    value_and_jacobian,
    vjp,
    vmap,
)
from s2sad.testing import check_grads

X = np.array([1.0, 2.0])


class Leaf:
    def __init__(self):
        self.n, self.v = 0, np.zeros(2)


def bump(thing):
    thing.n += 1


class Base:
    made = 0

    def __init__(self):
        self.n, self.scale, self.ready = 0, 2.0, False
        self.w, self.history, self.cache, self.counts, self.numbers = np.ones(2), [1.0], {}, {"n": 0}, [0, 0]
        self.queue, self.rng, self.seen = collections.deque(), np.random.default_rng(0), set()
        self.leaf, self.leaves = Leaf(), [Leaf(), Leaf()]

    def __call__(self, x):
        return self.loss(x)

    def fill(self):
        self.k, self.ready = 3.0, True


class Reads(Base):
    def loss(self, x):
        return np.sum(x**2 * self.w) * self.scale


class Counts(Base):
    def loss(self, x):
        self.n += 1
        return np.sum(x**2 * self.w)


class Appends(Base):
    def loss(self, x):
        self.history.append(float(self.scale))
        return np.sum(x**2)


class AppendsTheValue(Base):
    def loss(self, x):
        value = np.sum(x**2)
        self.history.append(value)
        return value


class Learns(Base):
    def loss(self, x):
        self.w -= 0.1 * x
        return np.sum(x**2 * self.w)


class Rebinds(Base):
    def loss(self, x):
        self.w = self.w - 0.1 * x
        return np.sum(x**2 * self.w)


class IsLazy(Base):
    def loss(self, x):
        if not self.ready:
            self.fill()
        return np.sum(x**2) * self.k


class Caches(Base):
    def loss(self, x):
        key = len(x)
        if key not in self.cache:
            self.cache[key] = 2.0 * self.scale
        return np.sum(x**2) * self.cache[key]


class CountsInADict(Base):
    def loss(self, x):
        self.counts["n"] += 1
        return np.sum(x**2)


class CountsInAList(Base):
    def loss(self, x):
        self.numbers[0] += 1
        return np.sum(x**2)


class Queues(Base):
    def loss(self, x):
        self.queue.append(1)
        return np.sum(x**2)


class Adds(Base):
    def loss(self, x):
        self.seen.add(1)
        return np.sum(x**2)


class ChangesParts(Base):
    def loss(self, x):
        self.leaf.n += 1
        self.leaf.v[0] = 4.0
        for leaf in self.leaves:
            leaf.n += 1
        return np.sum(x**2)


class KeepsAPart(Base):
    def loss(self, x):
        self.leaves.append(self.leaf)
        return np.sum(x**2)


class Swaps(Base):
    def loss(self, x):
        self.w, self.leaf.v = self.leaf.v, self.w
        return np.sum(x**2 * self.w)


class WritesByAnotherName(Base):
    def loss(self, x):
        w = self.w
        w[0] = 5.0
        np.multiply(self.w, 2.0, out=self.w)
        return np.sum(x**2 * w)


class Loops(Base):
    def loss(self, x):
        for i in range(3):
            self.n += 1
            self.w[i % 2] += 1.0
        return np.sum(x**2 * self.w)


class CallsAHelper(Base):
    def loss(self, x):
        bump(self)
        return np.sum(x**2 * self.n)


class SetsByName(Base):
    def loss(self, x):
        setattr(self, "n", 5)
        return np.sum(x**2 * self.n)


class Removes(Base):
    def loss(self, x):
        del self.scale
        return np.sum(x**2)


class Draws(Base):
    def loss(self, x):
        return np.sum(x**2) * self.rng.normal()


class CountsAndDraws(Base):
    def loss(self, x):
        self.n += 1
        return np.sum(x**2) * self.rng.normal()


class Tells(Base):
    def loss(self, x):
        print("loss", self.n)
        self.n += 1
        return np.sum(x**2)


class Raises(Base):
    def loss(self, x):
        self.n += 1
        if self.n > 0:
            raise ValueError("too many")
        return np.sum(x**2)


class Recovers(Base):
    def loss(self, x):
        try:
            self.n += 1
            self.w[5] = 1.0
        except IndexError:
            self.n += 10
        return np.sum(x**2)


class CountsForTheClass(Base):
    made = 0

    def loss(self, x):
        CountsForTheClass.made += 1
        return np.sum(x**2)


CLASSES = [
    Reads, Counts, Appends, AppendsTheValue, Learns, Rebinds, IsLazy, Caches, CountsInADict, CountsInAList, Queues, Adds,
    ChangesParts, KeepsAPart, Swaps, WritesByAnotherName, Loops, CallsAHelper, SetsByName, Removes, Draws, CountsAndDraws, Tells,
    Raises, Recovers, CountsForTheClass,
]  # fmt: skip


def linear(f: Any) -> Any:
    push = linearize(f, X)[1]
    return push(X), push.T(1.0), push(X)


def pulled(f: Any) -> Any:
    pullback = vjp(f, X)[1]
    return pullback(1.0), pullback(1.0), pullback(np.ones(3), batched=True)


ENTRIES: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(X),
    "value_and_grad": lambda f: value_and_grad(f)(X)[1],
    "jvp": lambda f: jvp(f, (X,), (X,)),
    "jvp in directions": lambda f: jvp(f, (X,), (np.eye(2),), batched=True),
    "vjp": pulled,
    "linearize": linear,
    "jacobian": lambda f: jacobian(f)(X),
    "jacfwd": lambda f: jacfwd(f, chunk_size=1)(X),
    "value_and_jacobian": lambda f: value_and_jacobian(f)(X),
    "jacobian of grad": lambda f: jacobian(grad(f))(X),
    "hessian": lambda f: hessian(f)(X),
    "hvp": lambda f: hvp(f, (X,), (X,)),
    "hvp, reverse": lambda f: hvp(f, (X,), (X,), mode="rev"),
    "jvp of grad": lambda f: jvp(grad(f), (X,), (X,)),
    "inside": lambda f: grad(lambda x: np.sum(grad(f)(x)))(X),
    "sparse_jacobian": lambda f: sparse_jacobian(f)(X),
    "sparse_hessian": lambda f: sparse_hessian(f)(X),
    "check_grads": lambda f: check_grads(f, (X,)),
    "vmap": lambda f: vmap(f)(np.stack([X, X])),
    "vmap of grad": lambda f: vmap(grad(f))(np.stack([X, X])),
}

OF_ALL_WAYS = ("grad", "jacobian", "hvp", "vmap of grad")  # the others are tried of methods

WAYS: dict[str, Callable[[Any], Any]] = {
    "method": lambda m: m.loss,
    "called": lambda m: m,
    "partial": lambda m: functools.partial(m.loss),
    "decorated": lambda m: differentiate(type(m).loss).__get__(m),
    "closed over": lambda m: lambda x: m.loss(x),
}


def shown(thing: Any) -> Any:
    """All that can be told of an object."""
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    if isinstance(thing, np.random.Generator):
        return thing.bit_generator.state
    if isinstance(thing, dict):
        return {key: shown(item) for key, item in thing.items()}
    if isinstance(thing, list | tuple | collections.deque):
        return [shown(item) for item in thing]
    return shown(vars(thing)) if isinstance(thing, Base | Leaf) else thing


def named(case: tuple[Any, str]) -> str:
    return f"{case[0].__name__}-{case[1]}"


def left_by(act: Callable[[Any], Any], cls: type, way: str, capsys: Any) -> tuple[Any, Any]:
    """What is left by an act on what is made of a new object, and the exception that it raises."""
    cls.made = 0
    thing, found = cls(), None
    capsys.readouterr()
    try:
        act(WAYS[way](thing))
    except Exception as error:
        found = error
    return (shown(thing), cls.made, capsys.readouterr().out), found


@pytest.mark.parametrize(("cls", "way"), thinned(itertools.product(CLASSES, WAYS), 4, named))
def test_what_is_left_is_what_a_call_leaves(cls: type, way: str, capsys: Any) -> None:
    for name, entry in ENTRIES.items() if way == "method" else ((name, ENTRIES[name]) for name in OF_ALL_WAYS):
        calls = 2 if name.startswith("vmap") else 1
        wanted, raised = left_by(lambda f, calls=calls: [f(X.copy()) for _ in range(calls)], cls, way, capsys)
        untouched, _ = left_by(lambda f: None, cls, way, capsys)
        found, error = left_by(entry, cls, way, capsys)
        if cls is Tells and name == "check_grads":  # the differences are calls, too
            wanted, found = wanted[:2], found[:2]
        if isinstance(error, S2sadError):
            assert found == untouched, f"{name} is refused, and has changed something: {error}"
            assert cls is not Counts, f"{name}: {error}"
        else:
            assert type(error) is type(raised), f"{name}: {error!r}"
            assert found == wanted, name


WORKING = [c for c in CLASSES if c not in (Queues, Adds, KeepsAPart, Removes, Raises)]


@pytest.mark.parametrize("cls", WORKING)
def test_methods_that_change_their_object_have_right_derivatives(cls: type) -> None:
    def value(x: Any) -> Any:
        return cls().loss(x)

    thing = cls()
    twin = copy.deepcopy(thing)
    eps = 1e-6
    wanted = [(value(X + eps * e) - value(X - eps * e)) / (2 * eps) for e in np.eye(2)]
    np.testing.assert_allclose(grad(thing.loss)(X), wanted, rtol=1e-6)
    for entry in (
        lambda f: value_and_grad(f)(X)[1], lambda f: vjp(f, X)[1](1.0)[0], lambda f: jacobian(f)(X),
        lambda f: jacfwd(f, chunk_size=1)(X), lambda f: hvp(f, (X,), (X,))[0], lambda f: linearize(f, X)[1].T(1.0)[0],
        lambda f: jvp(f, (X,), (np.eye(2),), batched=True)[1], lambda f: sparse_jacobian(f)(X).toarray()[0],
    ):  # fmt: skip
        np.testing.assert_allclose(entry(copy.deepcopy(twin).loss), wanted, rtol=1e-6)
    second = [
        (grad(copy.deepcopy(twin).loss)(X + eps * e) - grad(copy.deepcopy(twin).loss)(X - eps * e)) / (2 * eps) for e in np.eye(2)
    ]
    np.testing.assert_allclose(hessian(copy.deepcopy(twin).loss)(X), second, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(hvp(copy.deepcopy(twin).loss, (X,), (X,))[1], second @ X, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("cls", "way"), thinned(itertools.product(WORKING, WAYS), 4, named))
def test_whatever_calls_a_method_has_its_derivative(cls: type, way: str) -> None:
    wanted = grad(cls().loss)(X)
    for name in ("grad", "jacobian", "vjp", "linearize"):
        found = ENTRIES[name](WAYS[way](cls()))
        found = found[0][0] if name == "vjp" else found[1][0] if name == "linearize" else found
        np.testing.assert_allclose(found, wanted)


class AppendsToNothing(AppendsTheValue):
    def __init__(self):
        super().__init__()
        self.history = []


def adds_to_an_array():
    weights = np.ones(2)

    def f(x):
        weights[0] += x[0]
        return np.sum(x**2 * weights)

    return f, weights, [5.0, 4.0]


def counts_in_a_list():
    counts = [0, 0]

    def f(x):
        counts[1] += 1
        return np.sum(x**2)

    return f, counts, [2.0, 4.0]


def appends_and_reads():
    values: list[Any] = []

    def f(x):
        values.append(x[0])
        return np.sum(x**2) * values[-1]

    return f, values, [7.0, 4.0]


def counts_in_lists_of_a_list():
    counts = [[0], [1]]

    def f(x):
        counts[0].append(3)
        counts[1][0] += 1
        return np.sum(x**2)

    return f, counts, [2.0, 4.0]


def changes_what_a_list_holds():
    things = [Leaf(), np.ones(2)]

    def f(x):
        things[0].v[1] = x[0]
        things[1] *= 2.0
        return np.sum(x * things[0].v * things[1])

    return f, things, [4.0, 2.0]


def counts_in_a_function():
    def counted(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            wrapper.calls += 1
            return f(*args, **kwargs)

        wrapper.calls = 0
        return wrapper

    f = counted(lambda x: np.sum(x**2))
    return f, f, [2.0, 4.0]


def method_of_what_starts_empty():
    model = AppendsToNothing()
    return model.loss, model, [2.0, 4.0]


def removes_what_is_known():
    cache = {2: 3.0, 4: 1.0}

    def f(x):
        scale = cache.pop(2)
        return np.sum(x**2) * scale

    return f, cache, [6.0, 12.0]


def told(thing: Any) -> Any:
    return thing.calls if callable(thing) and not isinstance(thing, Base) else shown(thing)


MAKERS = [
    adds_to_an_array, counts_in_a_list, appends_and_reads, counts_in_lists_of_a_list, changes_what_a_list_holds,
    counts_in_a_function, method_of_what_starts_empty, removes_what_is_known,
]  # fmt: skip
SINGLE = [name for name in ENTRIES if not name.startswith("vmap")]


@pytest.mark.parametrize(("make", "name"), thinned(itertools.product(MAKERS, SINGLE), 4, named))
def test_what_is_changed_outside_is_as_one_call_leaves_it(make: Callable[[], Any], name: str) -> None:
    twin, wanted, _ = make()
    twin(X.copy())
    f, found, slope = make()
    untouched = told(found)
    try:
        ENTRIES[name](f)
    except S2sadError:
        assert told(found) == untouched
        assert name not in ("grad", "value_and_grad", "jacobian", "linearize", "vjp", "jvp")
    else:
        assert told(found) == told(wanted)
    np.testing.assert_allclose(grad(make()[0])(X), slope)


def test_memory_that_is_shared_with_what_is_written_outside() -> None:
    weights = np.ones(3)
    window = weights[1:]

    def f(x):
        weights[1] = x[0]
        return np.sum(x * window)

    with pytest.raises(S2sadError, match="weights"):
        grad(f)(X)
    assert weights.tolist() == [1.0, 1.0, 1.0]

    def g(x):
        weights[0] = x[0]
        return np.sum(x * x)

    with pytest.raises(S2sadError, match="share"):
        grad(g)(weights)


def test_threads_wait_for_each_other() -> None:
    model, places = Base(), []

    def f(x):
        model.w[0] += 1.0
        model.n += 1
        return np.sum(x**2)

    gradient = grad(f)
    gradient(X)

    def run():
        places.extend(gradient(X).tolist() for _ in range(50))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places == [[2.0, 4.0]] * 200
    assert (model.n, model.w.tolist()) == (201, [202.0, 1.0])


def test_an_exception_in_the_middle_leaves_what_a_call_leaves() -> None:
    made = [Base(), Base()]

    def failing(model):
        def f(x):
            model.w[0] = 7.0
            if x[0] > 0:
                raise ValueError("no")
            model.w[1] = 8.0
            return np.sum(x)

        return f

    for act, model in zip((lambda f: f(X), lambda f: grad(f)(X)), made, strict=True):
        with pytest.raises(ValueError, match="no"):
            act(failing(model))
    assert shown(made[0]) == shown(made[1])


class Trains(Base):
    def inner(self, x):
        self.n += 1
        return np.sum(x**2 * self.w)

    def loss(self, x):
        self.w[0] = 3.0
        return np.sum(grad(self.inner)(x) * x)


def test_a_method_that_differentiates_another_of_its_object() -> None:
    for way, made in WAYS.items():
        plain, model = Trains(), Trains()
        plain.loss(X)
        try:
            found = grad(made(model))(X)
        except S2sadError:
            assert shown(model) == shown(Trains()), way
        else:
            np.testing.assert_allclose(found, [12.0, 8.0], err_msg=way)
            assert shown(model) == shown(plain), way


def test_calls_one_after_the_other_find_what_those_before_have_left() -> None:
    model, plain = Learns(), Learns()
    gradient = grad(model.loss)
    for _ in range(3):
        weight = plain.w - 0.1 * X
        plain.loss(X)
        np.testing.assert_allclose(gradient(X), 2 * X * weight - 0.1 * X**2)
        assert model.w.tolist() == plain.w.tolist()


def test_an_object_that_is_an_argument_stays_as_it_is() -> None:
    model = Counts()
    assert grad(Counts.loss, wrt=1)(model, X).tolist() == [2.0, 4.0]
    assert grad(Counts.loss, wrt="self.w")(model, X).tolist() == [1.0, 4.0]
    assert model.n == 0


def test_fields_of_the_object_of_a_method() -> None:
    model = Counts()
    assert grad(model.loss, wrt="self.w")(X).tolist() == [1.0, 4.0]
    assert model.n == 1


def test_a_program_from_the_cache_counts_too(tmp_path: Any) -> None:
    for expected in (1, 1):
        model = Counts()
        grad(model.loss, cache_dir=tmp_path)(X)
        assert model.n == expected


def test_a_source_of_random_numbers_outside_is_drawn_from_once() -> None:
    source, twin = np.random.default_rng(0), np.random.default_rng(0)
    found = jacobian(lambda x: x * source.normal())(X)
    np.testing.assert_allclose(np.diag(found), twin.normal())
    assert source.bit_generator.state == twin.bit_generator.state


def test_pullbacks_belong_to_the_state_before() -> None:
    model = Learns()
    _, pullback = vjp(model.loss, X)
    before = pullback(1.0)[0]
    model.loss(X)
    np.testing.assert_array_equal(pullback(1.0)[0], before)


def test_pullbacks_of_what_has_changed_do_not_travel() -> None:
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(vjp(Learns().loss, X)[1])
    pickle.dumps(vjp(Reads().loss, X)[1])


class Small:
    def __init__(self):
        self.n, self.w = 0, np.ones(2)

    def loss(self, x):
        self.n += 1
        return np.sum(x**2 * self.w)


def test_the_function_as_machine_code_counts() -> None:
    pytest.importorskip("numba")
    model = Small()
    assert differentiate(model.loss).compiled(X) == 5.0
    assert differentiate(Small.loss).compiled(model, X) == 5.0
    assert model.n == 2
    assert differentiate(model.loss, backend="numba").grad(X).tolist() == [2.0, 4.0]
    assert model.n == 3


class Mesh:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def steps(self):
        return np.diff(self.x)

    @functools.cached_property
    def mass(self):
        return np.diag(self.steps)


class Field:
    def __init__(self, mesh):
        self.mesh = mesh

    def energy(self, u):
        return u @ self.mesh.mass @ u


@pytest.mark.parametrize(
    "derive",
    [value_and_grad, lambda f: lambda u: jvp(f, (u,), (u,)), lambda f: lambda u: hvp(f, (u,), (u,)), grad, lambda f: f],
)
def test_cached_properties_of_objects_outside_are_filled(derive):
    mesh, field = Mesh(np.array([0.0, 0.3, 1.0])), Field(Mesh(np.array([0.0, 0.3, 1.0])))
    u = np.ones(2)

    def product(u):
        return np.sum(u * mesh.steps)

    def energy(u):
        return field.energy(u)

    derive(product)(u), derive(energy)(u)
    mesh.x, field.mesh.x = mesh.x * 10, field.mesh.x * 10
    assert product(u) == pytest.approx(1.0)
    assert energy(u) == pytest.approx(1.0)
    assert grad(product)(u) == pytest.approx([0.3, 0.7])
    assert grad(energy)(u) == pytest.approx([0.6, 1.4])
    assert sorted(vars(field.mesh)) == ["mass", "steps", "x"]


class Layer:
    def forward(self, x):
        self.x, self.tail = x, x[1:]
        return np.sum(x**2)

    def scaled(self, x):
        x *= 2.0
        self.x, self.tail = x, x[1:]
        return np.sum(x**2)


@pytest.mark.parametrize(
    "derive",
    [grad, value_and_grad, lambda f: lambda x: jvp(f, (x,), (x,)), lambda f: lambda x: vjp(f, x)],
)
def test_what_is_stored_of_an_argument_is_the_argument(derive):
    layer, x = Layer(), np.array([1.0, 2.0])
    derive(layer.forward)(x)
    x -= 1.0
    assert layer.x is x and np.shares_memory(layer.tail, x)
    assert layer.forward(x) == 1.0


def test_what_is_written_of_an_argument_is_a_copy():
    layer, x = Layer(), np.array([1.0, 2.0])
    grad(layer.scaled)(x)
    assert np.array_equal(x, [1.0, 2.0]) and np.array_equal(layer.x, [2.0, 4.0]) and np.array_equal(layer.tail, [4.0])


class Trained:
    def __init__(self):
        self.history, self.steps = [], 0

    def loss(self, x):
        self.steps += 1
        self.history.append((self.steps, float(np.sum(x))))
        return x @ x

    def loss_of_the_first(self, x):
        self.history.append((1.0, np.sum(x)))
        return x @ x * self.history[0][0]


def test_a_history_of_tuples_grows():
    model, x = Trained(), np.array([1.0, 2.0])
    for _ in range(4):
        x = x - 0.1 * grad(model.loss)(x)
    assert [step for step, _ in model.history] == [1, 2, 3, 4]
    with pytest.raises(S2sadError, match="list of tuples and other items"):
        grad(Trained().loss_of_the_first)(x)
