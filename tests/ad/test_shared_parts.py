"""Objects whose parts share an array: one that is only read may be shared, also while another one is written."""

import numpy as np
import pytest

from s2sad import AliasError, grad, hvp, jvp, vjp


class Points:
    def __init__(self, weights):
        self.weights = weights


class Filter:
    def __init__(self, points, state):
        self.points, self.weights, self.state = points, points.weights, state

    def run(self, z):
        for k in range(3):
            self.state[k] = z * k + self.points.weights[k]
        return self.weights @ self.state * z

    def add(self, z):
        self.state += z * self.weights
        return np.sum(self.state**2)


def run(z, found):
    return found.run(z)


def fresh():
    return Filter(Points(np.array([0.3, 0.5, 0.2])), np.zeros(3))


MODES = {
    "grad": lambda f, z: grad(f)(z), "jvp": lambda f, z: jvp(f, (z,), (1.0,))[1], "vjp": lambda f, z: vjp(f, z)[1](1.0)[0],
    "hvp": lambda f, z: hvp(f, (z,), (1.0,))[0], "tangent of a gradient": lambda f, z: jvp(grad(f), (z,), (1.0,))[0],
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["run", "add"])
def test_what_is_only_read_may_be_shared(name, mode):
    slope = (getattr(fresh(), name)(0.5 + 1e-6) - getattr(fresh(), name)(0.5 - 1e-6)) / 2e-6
    found, plain = fresh(), fresh()
    getattr(plain, name)(0.5)
    assert MODES[mode](getattr(found, name), 0.5) == pytest.approx(slope)
    assert found.state.tolist() == plain.state.tolist()
    assert found.weights is found.points.weights
    assert found.weights.tolist() == plain.weights.tolist()


def test_arguments_may_share_what_is_only_read():
    found = fresh()
    slope = (run(0.5 + 1e-6, fresh()) - run(0.5 - 1e-6, fresh())) / 2e-6
    assert grad(run)(0.5, found) == pytest.approx(slope)
    assert jvp(run, (0.5, found), (1.0, None))[1] == pytest.approx(slope)
    assert hvp(run, (0.5, found), (1.0, None))[0][0] == pytest.approx(slope)
    assert not found.state.any()


WEIGHTS = np.array([0.3, 0.5, 0.2, 0.1])
SHARED = {
    "the array itself": lambda: Filter(Points(w := WEIGHTS[:3].copy()), w),
    "a window of it": lambda: Filter(Points((w := WEIGHTS.copy())[:3]), w[1:]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shared", SHARED)
def test_what_is_written_may_not(shared, mode):
    found = SHARED[shared]()
    before = found.state.tolist()
    with pytest.raises(AliasError, match="share memory"):
        MODES[mode](found.add, 0.5)
    assert found.state.tolist() == before


def test_a_list_that_is_written_may_not_be_shared():
    class Holder:
        def __init__(self, items):
            self.items, self.inner = items, Points(items)

        def push(self, z):
            self.items[0] = z * z
            return self.items[0] * self.inner.weights[1] * z

    with pytest.raises(AliasError, match="share memory"):
        grad(Holder([1.0, 2.0]).push)(0.5)
