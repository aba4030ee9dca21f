"""Memories of earlier calls: refused where they stand in for what is computed, and followed where they take part in it."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from s2sad import NonDifferentiableError, grad, jvp


class Memory:
    """What calls leave behind."""

    def __init__(self):
        self.x = self.t = self.key = self.matrix = self.previous = self.buffer = None
        self.value = self.base = self.total = self.last = self.integral = self.offset = self.state = self.largest = 0.0
        self.root, self.best, self.low = 1.0, np.inf, 0.0
        self.count = self.waited = 0
        self.stale = self.stopped = False
        self.items, self.hidden = np.zeros(2), np.zeros(2)


MEMORY = Memory()
HERE, THERE = np.array([0.5, 0.7]), np.array([0.6, 0.4])


def cost(x):
    return np.sum(x**2)


def keep(x):
    MEMORY.x, MEMORY.value = x.copy(), cost(x)


def by_distance(x):
    if MEMORY.x is None or abs(MEMORY.x[0] - x[0]) + abs(MEMORY.x[1] - x[1]) > 0:
        keep(x)
    return MEMORY.value


def by_tolerance(x):
    if MEMORY.x is not None and np.linalg.norm(x - MEMORY.x) < 1e-12:
        return MEMORY.value
    keep(x)
    return MEMORY.value


def by_product(x):
    if MEMORY.x is not None:
        step = x - MEMORY.x
        if float(step @ step) <= 1e-20:
            return MEMORY.value
    keep(x)
    return MEMORY.value


def by_selection(x):
    if MEMORY.x is None:
        keep(x)
        return MEMORY.value
    chosen = np.where(np.sum(abs(x - MEMORY.x)) > 0, cost(x), MEMORY.value)
    keep(x)
    return chosen


def by_weight(x):
    if MEMORY.x is None:
        keep(x)
        return MEMORY.value
    weight = 1.0 if np.max(np.abs(x - MEMORY.x)) > 0 else 0.0
    mixed = weight * cost(x) + (1 - weight) * MEMORY.value
    keep(x)
    return mixed


def by_mask(x):
    y = x**2
    if MEMORY.x is not None:
        same = np.abs(x - MEMORY.x) == 0
        y[same] = MEMORY.items[same]
    MEMORY.x, MEMORY.items = x.copy(), y.copy()
    return np.sum(y)


def by_whole_number(x):
    key = int(np.floor(x[0] * 1e6))
    if MEMORY.key == key:
        return MEMORY.value
    MEMORY.key, MEMORY.value = key, cost(x)
    return MEMORY.value


def by_text(x):
    key = str(x[0])
    if MEMORY.key == key:
        return MEMORY.value
    MEMORY.key, MEMORY.value = key, cost(x)
    return MEMORY.value


def by_flag(x):
    if MEMORY.x is None or not np.array_equal(x, MEMORY.x):
        MEMORY.x, MEMORY.stale = x.copy(), True
    if MEMORY.stale:
        MEMORY.value, MEMORY.stale = cost(x), False
    return MEMORY.value


def as_a_factor(x):
    if MEMORY.x is None or not (abs(x - MEMORY.x) < 1e-14).all():
        MEMORY.x, MEMORY.base = x.copy(), cost(x)
    return MEMORY.base * x[0]


def as_a_factor_of_either(x):
    if MEMORY.x is not None and np.allclose(x, MEMORY.x, atol=0):
        return MEMORY.base * x[0]
    MEMORY.x, MEMORY.base = x.copy(), cost(x)
    return MEMORY.base * x[0]


def warm_start(x):
    root = MEMORY.root
    while abs(root * root - x[0]) > 1e-10:
        root = root - (root * root - x[0]) / (2 * root)
    MEMORY.root = root
    return root * x[1]


def warm_start_tested_first(x):
    root = MEMORY.root
    for _ in range(50):
        if abs(root * root - x[0]) < 1e-10:
            break
        root = root - (root * root - x[0]) / (2 * root)
    MEMORY.root = root
    return root * x[1]


def between_halves(x):
    if MEMORY.low <= x[0] <= MEMORY.low:
        return MEMORY.value
    MEMORY.low, MEMORY.value = x[0], cost(x)
    return MEMORY.value


def picked(x, known, value):
    if known is None or abs(x[0] - known[0]) + abs(x[1] - known[1]) > 0:
        return cost(x)
    return value


def by_a_helper(x):
    value = picked(x, MEMORY.x, MEMORY.value)
    MEMORY.x, MEMORY.value = x.copy(), value
    return value


def by_square(x):
    if MEMORY.t is not None and (x[0] - MEMORY.t) ** 2 == 0:
        return MEMORY.value * x[1]
    MEMORY.t, MEMORY.value = x[0], math.exp(x[0])
    return MEMORY.value * x[1]


def in_place(x):
    items = MEMORY.items.copy()
    if MEMORY.x is None or np.sum(np.abs(x - MEMORY.x)) > 0:
        items[:] = x**2
        MEMORY.x, MEMORY.items = x.copy(), items.copy()
    return np.sum(items)


def by_count(x):
    if MEMORY.x is not None and np.count_nonzero(x != MEMORY.x) == 0:
        return MEMORY.value
    keep(x)
    return MEMORY.value


def by_an_exception(x):
    if MEMORY.x is None:
        MEMORY.x = np.zeros(2)
    try:
        assert (x == MEMORY.x).all()
    except AssertionError:
        keep(x)
    return MEMORY.value


def demand(known, x):
    if np.any(known != x):
        raise ValueError("another point")


def by_an_exception_of_a_helper(x):
    try:
        demand(MEMORY.items, x)
    except ValueError:
        MEMORY.items, MEMORY.value = x.copy(), cost(x)
    return MEMORY.value


def by_length(x):
    if len(np.where(x != MEMORY.items)[0]):
        MEMORY.items, MEMORY.value = x.copy(), cost(x)
    return MEMORY.value


def by_size_of_a_part(x):
    if x[x != MEMORY.items].size:
        MEMORY.items, MEMORY.value = x.copy(), cost(x)
    return MEMORY.value


def by_truth_of_a_number(x):
    if math.fsum((x - MEMORY.items) ** 2):
        MEMORY.items, MEMORY.value = x.copy(), cost(x)
    return MEMORY.value


def by_nonzero(x):
    if np.nonzero(x - MEMORY.items)[0].size:
        MEMORY.items, MEMORY.value = x.copy(), cost(x)
    return MEMORY.value


def neither_below_nor_above(x):
    if MEMORY.t is not None and not (x[0] < MEMORY.t or x[0] > MEMORY.t):
        return MEMORY.value
    MEMORY.t, MEMORY.value = x[0], cost(x)
    return MEMORY.value


STANDING_IN = [
    by_distance, by_tolerance, by_product, by_selection, by_weight, by_mask, by_whole_number, by_text, by_flag, as_a_factor,
    as_a_factor_of_either, warm_start, warm_start_tested_first, between_halves, by_a_helper, by_square, in_place, by_count,
    neither_below_nor_above, by_an_exception, by_an_exception_of_a_helper, by_length, by_size_of_a_part, by_truth_of_a_number,
    by_nonzero,
]  # fmt: skip


@pytest.mark.parametrize("f", STANDING_IN)
def test_a_memory_that_stands_in_for_what_is_computed_is_refused(f):
    MEMORY.__init__()
    f(HERE)
    for run in (lambda: grad(f)(HERE), lambda: jvp(f, (HERE,), (HERE,))):
        with pytest.raises(NonDifferentiableError, match=r"MEMORY\.\w+, which remembers"):
            run()


class Model:
    """What remembers its own last argument."""

    def __init__(self):
        self.x, self.value = None, 0.0

    def __call__(self, x):
        if self.x is None or not np.array_equal(self.x, x):
            self.x, self.value = x.copy(), cost(x)
        return self.value

    def method(self, x):
        return self(x)


def of_a_model(model, x):
    return model.method(x)


def of_a_dict(cache, x):
    if "x" not in cache or np.abs(cache["x"] - x).max() > 0:
        cache["x"], cache["value"] = x.copy(), cost(x)
    return cache["value"]


def test_so_are_memories_in_what_functions_are_bound_to_or_given():
    model, cache = Model(), {}
    model(HERE)
    of_a_dict(cache, HERE)
    calls = {
        "self": lambda: grad(model.method)(HERE), "original": lambda: grad(model)(HERE),
        "model": lambda: grad(of_a_model, 1)(model, HERE),
        "cache": lambda: jvp(of_a_dict, (cache, HERE), (None, HERE)),
    }  # fmt: skip
    for name, run in calls.items():
        with pytest.raises(NonDifferentiableError, match=rf"{name}(\.x|\['x'\]), which remembers"):
            run()


def accumulated(x):
    MEMORY.total += x[0]
    if MEMORY.total > 3:
        MEMORY.total = 0.0
    return MEMORY.total * x[1]


def wrapped(x):
    MEMORY.total += x[0]
    while MEMORY.total > 0.9:
        MEMORY.total -= 0.9
    while MEMORY.total < -0.9:
        MEMORY.total += 0.9
    return MEMORY.total * x[1]


def controlled(x):
    error = x[0] - x[1]
    slope = (error - MEMORY.last) / 0.1
    if slope > 1.5:
        slope = 1.5
    elif slope < -1.5:
        slope = -1.5
    MEMORY.last = error
    MEMORY.integral += error * 0.1
    return 2 * error + 0.1 * slope + MEMORY.integral


def unwrapped(x):
    step = x[0] - MEMORY.last
    if step > math.pi:
        MEMORY.offset -= 2 * math.pi
    elif step < -math.pi:
        MEMORY.offset += 2 * math.pi
    MEMORY.last = x[0]
    return (x[0] + MEMORY.offset) * x[1]


def beside_the_best(x):
    value = cost(x)
    if value < MEMORY.best:
        MEMORY.best, MEMORY.x = value, x.copy()
    return value + MEMORY.best + np.sum(MEMORY.x)


def with_patience(x):
    value = cost(x)
    if MEMORY.best - value > 1e-3:
        MEMORY.best, MEMORY.waited = value, 0
    else:
        MEMORY.waited += 1
    if MEMORY.waited > 2:
        MEMORY.stopped = True
    return value


def recurrent(x):
    MEMORY.hidden = 0.5 * MEMORY.hidden + x
    return np.sum(np.where(MEMORY.hidden > 0, MEMORY.hidden, 0.0))


def spiking(x):
    for _ in range(5):
        MEMORY.state += 0.3 * (x[0] - MEMORY.state)
        if MEMORY.state > 0.45:
            MEMORY.state = 0.0
    return MEMORY.state * x[1]


def counted(x):
    if MEMORY.last == x[0]:
        MEMORY.count += 1
    MEMORY.last = x[0]
    return cost(x)


def largest(x):
    MEMORY.largest = max(MEMORY.largest, x[0])
    return x[1] * MEMORY.largest


def warm_start_of_steps(x):
    root = MEMORY.root
    for _ in range(50):
        step = (root * root - x[0]) / (2 * root)
        root = root - step
        if abs(step) < 1e-12:
            break
    MEMORY.root = root
    return root * x[1]


TAKING_PART = [
    accumulated, wrapped, controlled, unwrapped, beside_the_best, with_patience, recurrent, spiking, counted, largest,
    warm_start_of_steps,
]  # fmt: skip


def from_a_state(f, x, state):
    MEMORY.__dict__.update(copy.deepcopy(state))
    return f(x)


@pytest.mark.parametrize("f", TAKING_PART)
def test_a_memory_that_takes_part_is_followed(f):
    MEMORY.__init__()
    f(HERE)
    for x in (1.1 * HERE, THERE, 0.9 * THERE):
        state = copy.deepcopy(MEMORY.__dict__)
        steps = 1e-6 * np.eye(2)
        expected = [(from_a_state(f, x + h, state) - from_a_state(f, x - h, state)) / 2e-6 for h in steps]
        assert np.allclose(from_a_state(grad(f), x, state), expected, rtol=1e-5, atol=1e-7)
        assert np.isclose(from_a_state(lambda z: jvp(f, (z,), (THERE,))[1], x, state), THERE @ expected, rtol=1e-5, atol=1e-7)


def written_in_a_dict(a):
    a["x"][1:] += a["s"] * a["x"][:-1]
    a["y"][a["y"] > 0.2] = a["s"]
    return np.sum(a["x"] ** 2) + np.sum(a["y"])


def _core(x, y, s):
    x[0] = s * x[1]
    y *= s
    return np.sum(x) if y[0] > 0.0 else np.sum(x**2)


def through_a_helper(a):
    return _core(a["x"], a["y"], a["s"]) + _core(a["y"], a["x"], a["s"])


@pytest.mark.parametrize("function", [written_in_a_dict, through_a_helper])
def test_nothing_is_remembered_in_what_the_derivative_is_by(function):
    given = {"x": np.linspace(-1.0, 1.0, 4), "y": np.linspace(-0.9, 1.0, 5), "s": 0.37}
    way = {"x": np.cos(given["x"] * 7), "y": np.sin(given["y"] * 5), "s": 0.6}

    def moved(h):
        return function({key: given[key] + h * way[key] for key in given})

    expected = (moved(1e-6) - moved(-1e-6)) / 2e-6
    found = grad(function)(given)
    assert sum(np.sum(found[key] * way[key]) for key in given) == pytest.approx(expected, rel=1e-6)
    assert jvp(function, (given,), (way,))[1] == pytest.approx(expected, rel=1e-6)
