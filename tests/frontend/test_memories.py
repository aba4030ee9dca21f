"""Objects that remember earlier calls: a cache that outlasts the call is refused by its name, never used with a slope of zero."""

from __future__ import annotations

import functools

import numpy as np
import pytest

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
    "by_key": r"self\.kept, a dict that outlasts the call \(a cache\)", "by_history": "MEMORY_history_f, a list outside",
    "by_buffer": r"writes into MEMORY\.buffer",
}  # fmt: skip


CALLS = {
    "by_equality": lambda x: MEMORY.by_equality(x),
    "by_array_equal": lambda x: MEMORY.by_array_equal(x),
    "by_identity": lambda x: MEMORY.by_identity(x),
    "by_pair": lambda x: MEMORY.by_pair(x),
    "by_key": lambda x: MEMORY.by_key(x),
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
