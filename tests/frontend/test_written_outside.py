"""Objects outside that a program writes into: counters, caches, flags and models that learn."""

import dataclasses
import functools
import pickle
import types

import numpy as np
import pytest

from s2sad import (
    AliasError,
    CompilerError,
    S2sadError,
    differentiate,
    grad,
    hvp,
    jacobian,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from s2sad.derivatives import Derivatives
from s2sad.testing import check_grads


class Counter:
    def __init__(self):
        self.nfev = 0
        self.last = None
        self.best = None

    def count(self, by=1):
        self.nfev += by

    def __repr__(self):
        return repr(vars(self))


class Model:
    def __init__(self):
        self.weight = 2.0
        self.counter = Counter()
        self.layers = [Counter(), Counter()]
        self.ready = False

    def _init(self):
        self.scale = 3.0
        self.ready = True

    def __call__(self, s):
        if not self.ready:
            self._init()
        self.counter.count()
        for layer in self.layers:
            layer.nfev += 2
        return self.scale * self.weight * s * s

    def momentum(self, x):
        self.velocity = 0.9 * self.velocity + x * x
        return np.sum(self.velocity * x)


COUNTER, MODEL, COUNTS = Counter(), Model(), {"f": 0, "value": 0.0}


@pytest.fixture(autouse=True)
def fresh():
    """The objects as they are at first; they stay the same objects."""
    reset()


def reset():
    for thing in (COUNTER, MODEL):
        vars(thing).clear()
        thing.__init__()
    COUNTS.update(f=0, value=0.0)
    COUNTS.setdefault("f", 0)


def counts(s):
    COUNTER.nfev += 1
    return s * s * s


def counts_in_a_dict(s):
    COUNTS["f"] += 1
    COUNTS["value"] = s * s
    return COUNTS["value"] * s


COUNTING, KEPT = functools.partial(COUNTER.count, by=2), types.SimpleNamespace(call=COUNTER.count, n=0)


def counts_by_a_partial(s):
    COUNTING()
    KEPT.call()
    KEPT.n += 1
    return s * s * COUNTER.nfev


def helper(s):
    COUNTER.nfev += 1
    return s * COUNTER.nfev


def counts_in_a_callee(s):
    return helper(s) * helper(s)


def counts_in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 1.0:
            COUNTER.nfev += 1
        total += v * v * COUNTER.nfev
    return total


def keeps_what_carries_a_derivative(s):
    COUNTER.last = s * s
    return COUNTER.last * s


def keeps_an_array(x):
    COUNTER.last = x * 2.0
    COUNTER.best = (COUNTER.last, 1)
    return np.sum(COUNTER.last**2)


def keeps_a_copy(x):
    u = x * 1.0
    u *= x
    COUNTER.last = u.copy()
    return np.sum(u * u)


def keeps_the_best(s):
    if COUNTER.best is None or s < 100.0:
        COUNTER.best = s * s
    return COUNTER.best * s


def initialises(s):
    return MODEL(s)


def learns(x):
    if not hasattr(MODEL, "velocity"):
        MODEL.velocity = np.ones(3)
    return MODEL.momentum(x)


def through_a_nested_function(s):
    def inner(v):
        MODEL.counter.nfev += 1
        return v * MODEL.counter.nfev

    return inner(s) * inner(s)


NUMBERS = [counts, counts_in_a_dict, counts_by_a_partial, counts_in_a_callee,
           keeps_what_carries_a_derivative, keeps_the_best, initialises,
           through_a_nested_function]  # fmt: skip
ARRAYS = [counts_in_a_loop, keeps_an_array, keeps_a_copy, learns]


def state():
    """What the objects hold, as text."""
    return repr([COUNTER, vars(MODEL), COUNTS])


@pytest.mark.parametrize("function", NUMBERS + ARRAYS, ids=lambda f: f.__name__)
def test_the_derivative_is_right_and_the_objects_hold_what_a_call_leaves(function):
    x = np.array([0.5, 1.3, 2.1]) if function in ARRAYS else 1.7
    function(x)
    expected = state()
    one = np.ones(3) if function in ARRAYS else 1.0
    value, slopes = None, []
    for run in (lambda: value_and_grad(function)(x), lambda: jvp(function, (x,), (one,)), lambda: vjp(function, x)):
        reset()
        value, found = run()
        assert state() == expected
        if callable(found):
            found = [found(1.0)[0] for _ in range(2)][1]
            assert state() == expected  # a pullback has no effect of its own
        slopes.append(float(np.sum(found)))
    step = 1e-6
    sides = []
    for sign in (1, -1):
        reset()
        sides.append(function(x + sign * step * one))
    assert slopes == pytest.approx([(sides[0] - sides[1]) / (2 * step)] * 3, rel=1e-6)


def test_a_counter_is_an_input_and_no_new_program(monkeypatch):
    def f(s):
        return helper(s) * helper(s)

    made = []
    generate = Derivatives.generate
    monkeypatch.setattr(Derivatives, "generate", lambda self, *a, **k: made.append(a) or generate(self, *a, **k))
    gradient = grad(f)
    found = [gradient(2.0) for _ in range(4)]
    assert found == [2 * 2.0 * (2 * k + 1) * (2 * k + 2) for k in range(4)]
    assert COUNTER.nfev == 8
    assert len(made) == 1


def test_another_object_under_the_name_is_another_world(monkeypatch):
    gradient, kept, other = grad(counts), COUNTER, Counter()
    assert gradient(2.0) == 12.0
    monkeypatch.setitem(globals(), "COUNTER", other)
    assert gradient(2.0) == 12.0
    assert (kept.nfev, other.nfev) == (1, 1)


def test_closures_over_objects():
    def make():
        counter = Counter()

        def f(s):
            counter.count()
            return s * s

        return f, counter

    (f, a), (g, b) = make(), make()
    assert [grad(f)(2.0), grad(f)(3.0), grad(g)(2.0)] == [4.0, 6.0, 4.0]
    assert (a.nfev, b.nfev) == (2, 1)


def test_two_names_for_one_object():
    other = COUNTER

    def f(s):
        other.nfev += 1
        COUNTER.nfev += 1
        return s * other.nfev

    assert grad(f)(1.0) == 2.0
    assert COUNTER.nfev == 2


def test_the_text_shows_what_is_left():
    text = differentiate(counts).source("adjoint", 2.0)
    assert "COUNTER.nfev = nfev" in text
    assert ".last" not in text  # nothing else is read


def test_an_argument_that_is_the_object_is_refused():
    def f(counter, s):
        COUNTER.nfev += 1
        return counter.nfev * s

    with pytest.raises(AliasError, match="counter and .*COUNTER"):
        grad(f, 1)(COUNTER, 2.0)
    assert grad(f, 1)(Counter(), 2.0) == 0.0


def leaves_what_it_writes(x):
    u = x * 1.0
    COUNTER.last = u
    u *= x
    return np.sum(u * u)


def leaves_a_list(x):
    COUNTER.last = [x, x]
    return np.sum(x)


def removes(x):
    COUNTS.pop("f")
    return np.sum(x)


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int = 0


FROZEN = Frozen()


def writes_into_a_frozen_object(x):
    object.__setattr__(FROZEN, "n", 1)
    return np.sum(x)


def recursive(x, n):
    COUNTER.nfev += 1
    return np.sum(x) if n == 0 else recursive(x * 2.0, n - 1)


@pytest.mark.parametrize(("function", "slope"), [
    (leaves_what_it_writes, [4.0, 32.0]), (leaves_a_list, [1.0, 1.0]), (removes, [1.0, 1.0]),
])  # fmt: skip
def test_what_cannot_be_left_on_the_way_is_left_by_a_call(function, slope):
    x, before = np.array([1.0, 2.0]), (COUNTER.last, dict(COUNTS))

    def restored():
        COUNTER.last = before[0]
        COUNTS.update(before[1])

    function(x)
    wanted = state()
    restored()
    assert grad(function)(x).tolist() == slope
    assert state() == wanted
    restored()


@pytest.mark.parametrize("function", [
    writes_into_a_frozen_object, lambda x: recursive(x, int(x[0])),
    lambda x: vjp(counts, x[0])[1](1.0)[0] * x[1],
])  # fmt: skip
def test_what_is_refused_changes_nothing(function):
    before = state()
    with pytest.raises(S2sadError) as caught:
        grad(function)(np.array([1.0, 2.0]))
    assert not isinstance(caught.value, CompilerError)
    assert state() == before


def test_what_runs_it_more_than_once_counts_one_call():
    assert jacobian(counts)(2.0) == 12.0
    _, push = linearize(counts, 2.0)
    assert (push(1.0), push.T(1.0)) == (12.0, (12.0,))
    assert COUNTER.nfev == 2
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(vjp(counts, 2.0)[1])


def test_methods_count_on_the_object_of_another():
    def f(s):
        return MODEL(s) + MODEL(s)

    check_grads(f, (1.3,), modes=("tangent", "adjoint"))
    assert MODEL.counter.nfev == 2


def test_a_pullback_sees_what_a_partial_outside_held():
    weights = np.array([1.0, 2.0, 3.0])
    weigh = functools.partial(lambda w, x: np.sum(w * x), weights)
    _, pullback = vjp(lambda x: weigh(x), np.ones(3))
    weights *= 2.0
    assert pullback(1.0)[0].tolist() == [1.0, 2.0, 3.0]
    assert weights.tolist() == [2.0, 4.0, 6.0]


def slope_of_counts(s):
    before = COUNTER.nfev
    slope = grad(counts)(s) * grad(counts)(s * s)
    return slope * (COUNTER.nfev - before)


def keeps_the_value_inside(s):
    return grad(keeps_what_carries_a_derivative)(s)


def test_derivatives_of_derivatives_count_as_often_as_the_original():
    slope_of_counts(1.5)
    assert COUNTER.nfev == 2
    for run in (lambda: grad(slope_of_counts)(1.5), lambda: jvp(slope_of_counts, (1.5,), (1.0,))):
        COUNTER.nfev = 0
        run()
        assert COUNTER.nfev == 2
    COUNTER.nfev = 0
    assert grad(grad(counts))(1.5) == 9.0
    assert hvp(counts, (1.5,), (2.0,)) == (6.75, 18.0)
    assert COUNTER.nfev == 2
    check_grads(slope_of_counts, (1.5,))


def test_what_carries_a_derivative_is_left_by_a_derivative_inside():
    COUNTER.last = None
    keeps_the_value_inside(1.5)
    left, COUNTER.last = COUNTER.last, None
    check_grads(keeps_the_value_inside, (1.5,))
    assert COUNTER.last == left
    COUNTER.last = None
