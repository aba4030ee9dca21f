"""What the name of a dtype tells is known where the dtype is; what numbers and arrays do not have is an AttributeError."""

import numpy as np
import pytest

from s2sad import S2sadError, grad, hvp, jvp

X = np.array([0.5, 2.0])


def by_kind(x):
    return np.sum(x**2) if x.dtype.kind in "fc" else np.sum(x)


def by_name(x):
    if x.dtype.name != "float64":
        raise TypeError(f"got {x.dtype.name}")
    return np.sum(x**2)


def by_size_and_letter(x):
    return x.dtype.itemsize * np.sum(x**2) / 8 if x.dtype.char == "d" else 0.0


def by_class(x):
    return np.sum(x.astype(x.dtype.type) ** 2) if issubclass(x.dtype.type, np.floating) else 0.0


def by_limits(x):
    return np.sum(x**2) + np.finfo(x.dtype.type).eps - np.finfo(np.float64).eps


def in_a_helper(x):
    return by_kind(x[::-1])


def no_such_attribute(x, least=None):
    norm = np.sum(x**2)
    if least is None:
        try:
            least = np.finfo(norm.type).eps
        except (AttributeError, ValueError):
            least = 0.25
    return norm if norm > least else 3.0 * norm


@pytest.mark.parametrize(
    "f", [by_kind, by_name, by_size_and_letter, by_class, by_limits, in_a_helper, no_such_attribute], ids=lambda f: f.__name__
)
def test_the_branch_is_the_one_python_takes(f):
    assert np.allclose(f(X), 4.25) and np.allclose(grad(f)(X), 2 * X)
    assert np.isclose(jvp(f, (X,), (np.ones(2),))[1], 5.0) and np.allclose(hvp(f, (X,), (np.ones(2),))[1], 2.0)


def test_another_dtype_takes_another_branch():
    assert np.allclose(grad(by_name)(X), 2 * X)
    with pytest.raises(TypeError, match="got float32"):
        grad(by_name)(X.astype("f4"))
    assert np.allclose(grad(lambda x: np.sum(x) if x.dtype.kind == "f" else np.sum(x.real))(X), 1.0)


def test_arrays_are_all_on_one_device():
    assert np.allclose(grad(lambda x: np.sum(x**2) if x.device == "cpu" else np.sum(x))(X), 2 * X)


def test_an_attribute_of_dtypes_that_an_array_has_not_is_named():
    with pytest.raises(S2sadError, match="the attribute 'kind' of a number or an array"):
        grad(lambda x: np.sum(x) * len(x.kind))(X)
