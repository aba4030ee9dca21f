"""Objects that remember earlier calls: a cache that outlasts the call is refused by its name, never used with a slope of zero."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from verdicts import FIRST, TAKEN, assert_as_called

from s2sad import CompilerError, S2sadError, check_grads, grad, jvp


class Memory:
    """A cache of one value, of several, and what is no cache."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.x, self.pair, self.value, self.best, self.seen = None, None, 0.0, np.inf, {}
        self.kept, self.history, self.buffer = {}, {"f": []}, np.zeros(3)

    def by_equality(self, x):
        if self.x is None or not np.all(x == self.x):
            self.x, self.value = np.asarray(x).copy(), np.sum(x**2)
        return self.value

    def by_array_equal(self, x):
        if self.x is not None and np.array_equal(self.x, x):
            return self.value
        self.x, self.value = x.copy(), np.sum(x**2)
        return self.value

    def by_identity(self, x):
        if self.x is x:
            return self.value
        self.x, self.value = x, np.sum(x**2)
        return self.value

    def by_pair(self, x):
        if self.pair is None or self.pair[0] != x[0]:
            self.pair = (x[0], x[0] ** 2)
        return self.pair[1]

    def by_key(self, x):
        if x[0] not in self.kept:
            self.kept[x[0]] = x[0] ** 2
        return self.kept[x[0]]

    @functools.lru_cache
    def by_lru_cache(self, n):
        return n * 2.0

    def by_history(self, x):
        self.history["f"].append(np.sum(x**2))
        return self.history["f"][-1]

    def by_buffer(self, x):
        self.buffer[:] = x**2
        return np.sum(self.buffer)

    def by_text(self, x, kind):
        if kind not in self.seen:
            self.seen[kind] = 1
        return np.sum(x**2)

    def lowest(self, x):
        value = np.sum(x**2)
        if value < self.best:
            self.best, self.x = value, x.copy()
        return value


MEMORY = Memory()
X = np.array([0.3, 0.7, 1.1])
REFUSED = {
    "by_equality": r"MEMORY\.x, which remembers", "by_array_equal": r"MEMORY\.x, which remembers",
    "by_identity": r"MEMORY\.x, which remembers", "by_pair": r"MEMORY\.pair, which remembers",
    "by_key": r"self\.kept, a dict that outlasts the call \(a cache\)",
}  # fmt: skip


CALLS = {
    "by_equality": lambda x: MEMORY.by_equality(x),
    "by_array_equal": lambda x: MEMORY.by_array_equal(x),
    "by_identity": lambda x: MEMORY.by_identity(x),
    "by_pair": lambda x: MEMORY.by_pair(x),
    "by_key": lambda x: MEMORY.by_key(x),
}
NO_MEMORIES = {
    "by_history": lambda x: MEMORY.by_history(x),
    "by_buffer": lambda x: MEMORY.by_buffer(x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_memory_of_what_is_differentiated_by_is_refused_by_name(name):
    f = CALLS[name]
    MEMORY.reset()
    f(X)
    for run in (lambda: grad(f)(X), lambda: jvp(f, (X,), (X,))):
        with pytest.raises(S2sadError, match=REFUSED[name]) as caught:
            run()
        assert not isinstance(caught.value, CompilerError)


class Contents:
    """Memories in arrays and lists, which the object holds, and what is none."""

    def __init__(self):
        self.array, self.kept, self.value = np.full(4, np.nan), np.zeros(3), 0.0
        self.items, self.history, self.nested = [0.0, 0.0], [], [[0.0], [0.0]]
        self.inner, self.calls = {"x": [0.0], "value": [0.0], "key": None}, np.zeros(1)

    def __repr__(self):
        return repr(vars(self))

    def in_an_array(self, x):
        if self.array[0] != x[0]:
            self.array[0], self.array[1] = x[0], x[0] ** 2
        return self.array[1]

    def beside_an_array(self, x):
        if np.all(self.kept == x):
            return self.value
        self.kept[:] = x
        self.value = np.sum(x**2)
        return self.value

    def in_a_list(self, x):
        if self.items[0] == x[0]:
            return self.items[1]
        value = x[0] ** 2
        self.items[0], self.items[1] = x[0], value
        return value

    def in_a_history(self, x):
        for k in range(0, len(self.history), 2):
            if self.history[k] == x[0]:
                return self.history[k + 1]
        value = x[0] ** 2
        self.history.append(x[0])
        self.history.append(value)
        return value

    def by_membership(self, x):
        if x[0] in self.history:
            return self.items[self.history.index(x[0])]
        self.history.append(x[0])
        self.items.append(x[0] ** 2)
        return x[0] ** 2

    def in_lists_of_a_list(self, x):
        if self.nested[0][0] == x[0]:
            return self.nested[1][0]
        value = x[0] ** 2
        self.nested[0][0], self.nested[1][0] = x[0], value
        return value

    def in_lists_of_a_dict(self, x):
        if self.inner["x"][0] != x[0]:
            self.inner["x"][0], self.inner["value"][0] = x[0], x[0] ** 2
        return self.inner["value"][0]

    def in_fields_beside_a_count(self, x):
        self.calls[0] += 1.0
        if self.inner["key"] is None or self.inner["key"] != x[0]:
            self.inner["key"], self.value = x[0], x[0] ** 2
        return self.value

    def by_a_distance(self, x):
        if abs(x[0] - self.array[0]) < 1e-9:
            return self.array[1]
        self.array[0], self.array[1] = x[0], x[0] ** 2
        return self.array[1]

    def by_a_distance_early(self, x):
        if np.sum((x - self.kept) ** 2) <= 0:
            return self.value * x[0]
        self.kept[:], self.value = x, np.sum(x**2)
        return self.value * x[0]

    def by_a_distance_in_place(self, x):
        apart = x - self.kept
        apart **= 2
        if np.sum(apart) > 0:
            self.kept[:], self.value = x, np.sum(x**2)
        return self.value

    def by_a_product(self, x):
        if (x[0] - self.array[0]) * (x[0] - self.array[0]) > 0:
            self.array[0], self.array[1] = x[0], x[0] ** 2
        return self.array[1]

    def by_two_halves(self, x):
        if x[0] - self.array[0] > 0 or x[0] - self.array[0] < 0:
            self.array[0], self.array[1] = x[0], x[0] ** 2
        return self.array[1]

    def by_the_larger_of_both(self, x):
        if max(x[0] - self.array[0], self.array[0] - x[0]) > 0:
            self.array[0], self.array[1] = x[0], x[0] ** 2
        return self.array[1]

    def by_a_flag(self, x):
        self.calls[0] = 1.0 if x[0] == self.array[0] else 0.0
        if self.calls[0] < 0.5:
            self.array[0], self.array[1] = x[0], x[0] ** 2
        return self.array[1]

    def by_items(self, x):
        found = np.sum(np.where(self.kept == x, self.array[:3], x**2))
        self.kept[:] = x
        self.array[:3] = x**2
        return found

    def difference(self, x):
        found = np.sum((x - self.kept) ** 2)
        self.kept[:] = x
        return found

    def mean(self, x):
        self.history.append(np.sum(x**2))
        return sum(self.history) / len(self.history)


CONTENTS = [n for n, f in vars(Contents).items() if not n.startswith("__") and n not in ("difference", "mean")]
WAYS = {
    "method": lambda m, name: getattr(m, name),
    "closure": lambda m, name: lambda x: getattr(m, name)(x),
    "partial": lambda m, name: functools.partial(getattr(Contents, name), m),
}


@pytest.mark.parametrize("name", ["grad", "jvp", "vjp", "jacobian"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", CONTENTS)
def test_a_memory_in_arrays_and_lists_is_refused_once_it_holds_something(method, way, name):
    def make():
        contents = Contents()
        getattr(contents, method)(X)
        return WAYS[way](contents, method), contents

    assert_as_called(make, X, name, refused=True)


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", ["difference", "mean"])
def test_what_is_only_part_of_what_is_computed_is_no_memory(method, way, name):
    def make():
        contents = Contents()
        getattr(contents, method)(2.0 * X)
        return WAYS[way](contents, method), contents

    assert_as_called(make, X, name)


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("function", NO_MEMORIES.values(), ids=NO_MEMORIES)
def test_what_is_written_and_read_in_one_call_is_no_memory(function, name):
    def make():
        MEMORY.reset()
        return function, (MEMORY.history, MEMORY.buffer)

    assert_as_called(make, X, name, False if name in FIRST else None)


@pytest.mark.parametrize("name", ["by_equality", "by_array_equal", "by_identity", "by_pair"])
def test_an_empty_memory_makes_no_difference(name):
    MEMORY.reset()
    gradient = grad(CALLS[name])(X)
    assert np.allclose(gradient, 2.0 * X if name != "by_pair" else [2.0 * X[0], 0.0, 0.0])
    with pytest.raises(S2sadError, match="which remembers"):
        grad(CALLS[name])(X)


def test_a_method_with_a_cache_is_refused_by_name():
    with pytest.raises(S2sadError, match="by_lru_cache, a method whose results lru_cache keeps"):
        grad(lambda x: np.sum(x) * MEMORY.by_lru_cache(3))(X)


def follows_the_best(x):
    return MEMORY.lowest(x) + MEMORY.lowest(0.5 * x)


def remembers_within_the_call(x):
    memory = Memory()
    return memory.by_equality(x) * memory.by_equality(x) + memory.by_equality(2.0 * x)


def of_a_kind(x):
    return MEMORY.by_text(x, "a")


@pytest.mark.parametrize("f", [follows_the_best, remembers_within_the_call, of_a_kind])
def test_what_is_no_such_memory_is_followed(f):
    MEMORY.reset()
    for _ in range(2):
        check_grads(f, (X,))


class Integers:
    """A memory whose numbers are integers at first, as they are written down."""

    def __init__(self):
        self.x, self.value = 1.0, 1

    def alone(self, x):
        if abs(x - self.x) > 1e-9:
            self.x, self.value = x, x**2
        return self.value

    def times(self, x):
        if abs(x - self.x) > 1e-9:
            self.x, self.value = x, x**2
        return self.value * x

    def early(self, x):
        if abs(x - self.x) > 1e-9:
            self.x, self.value = x, x**2
            return x**3
        return self.value * x


@pytest.mark.parametrize("name", ["alone", "times", "early"])
def test_an_integer_stands_for_the_number_that_takes_its_place(name):
    memory = Integers()
    for f in (lambda x: getattr(memory, name)(x), getattr(memory, name)):
        with pytest.raises(S2sadError, match=r"\.x, which remembers"):
            grad(f)(1.0)
