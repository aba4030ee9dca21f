"""What only the running program knows, or what a class decides for itself, is never decided when a program is compiled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from s2sad import CompilerError, S2sadError, grad, jvp

HELD = np.arange(12.0).reshape(3, 4)
FLAG = [True]


class Deciding(type):
    def __instancecheck__(cls, _):
        return FLAG[0]

    def __bool__(cls):
        return FLAG[0]


class Equal(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return 1


class P(metaclass=Deciding):
    pass


class X1:
    pass


class X2(metaclass=Equal):
    pass


class Renamed:
    pass


class Target:
    def __init__(self, k):
        self.k = k


class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "target", target)

    @property
    def __class__(self):
        return type(self.target)


THING, PROXY = Renamed(), Proxy(Target(2.0))


def helper(w):
    return np.sum(w**2) if w.flags.c_contiguous else np.sum(w**3)


LAYOUTS = {
    "base": lambda x: np.sum(x**2) if x.base is None else np.sum(x**3),
    "base by getattr": lambda x: np.sum(x**2) if getattr(x, "base", None) is None else np.sum(x**3),
    "contiguous": lambda x: np.sum(x**2) if x.flags.c_contiguous else np.sum(x**3),
    "of a transpose": lambda x: np.sum(x**2) if np.outer(x, x).T.flags.c_contiguous else np.sum(x**3),
    "writeable": lambda x: np.sum(x**2) if np.broadcast_to(x, (2, 3)).flags.writeable else np.sum(x**3),
    "owndata": lambda x: np.sum(x**2) if x[1:].flags.owndata else np.sum(x**3),
    "buffer": lambda x: np.sum(x**2) if x.data.contiguous else np.sum(x**3),
    "dtype": lambda x: np.sum(x**2) if x.dtype.isnative else np.sum(x**3),
    "in a helper": lambda x: helper(x[::-1]),
    "of a global": lambda x: np.sum(x**2) if HELD.flags.c_contiguous else np.sum(x**3),
    "base of a global": lambda x: np.sum(x**2) if HELD.base is not None else np.sum(x**3),
}
CLASSES = {
    "isinstance of a metaclass": lambda x: x**2 if isinstance(3, P) else x**3,
    "truth of a metaclass": lambda x: x**2 if P else x**3,
    "equality of a metaclass": lambda x: x**2 if X2 == X1 else x**3,
    "a class that is told": lambda x: x**2 if isinstance(PROXY, Target) else x**3,
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("points", [np.array([0.7, 0.4, 1.3]), np.arange(6.0)[::2] + 0.5], ids=["own", "strided"])
def test_how_an_array_lies_in_memory_is_right_or_refused(name, points) -> None:
    f = LAYOUTS[name]
    try:
        found = grad(f)(points)
    except S2sadError as refusal:
        assert "flags" in str(refusal) or "base" in str(refusal) or "isnative" in str(refusal) or "data" in str(refusal)
        with pytest.raises(S2sadError):
            jvp(f, (points,), (np.ones(3),))
        return
    steps = [f(points + 1e-6 * e) - f(points - 1e-6 * e) for e in np.eye(3)]
    assert_allclose(found, np.array(steps) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("name", CLASSES)
def test_what_a_class_decides_for_itself_is_refused(name) -> None:
    with pytest.raises(S2sadError) as refused:
        grad(CLASSES[name])(0.7)
    assert not isinstance(refused.value, CompilerError)


def test_a_class_that_gets_another_name_makes_another_program() -> None:
    f = grad(lambda x: x**2 if type(THING).__name__ == "Renamed" else x**3)
    assert_allclose(f(0.7), 1.4)
    Renamed.__name__ = "Other"
    try:
        assert_allclose(f(0.7), 1.47)
    finally:
        Renamed.__name__ = "Renamed"
    assert_allclose(f(0.7), 1.4)


def test_methods_and_known_attributes_are_as_before() -> None:
    f = grad(lambda x: np.sum(x.T**2) * x.ndim * x.shape[0] + x.sum() * x.size + float(x.dtype == np.float64))
    assert_allclose(f(np.ones(3)), [9.0, 9.0, 9.0])
