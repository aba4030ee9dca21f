"""What an argument is known to be or to hold, in second derivatives and in modules: members, functions, text, which object."""

import enum
import importlib.util

import numpy as np
import pytest

from s2sad import UnsupportedSyntaxError, check_grads, differentiate, grad, hessian, hvp, jvp, linearize, vjp

MISSING = object()
X, ALONG = np.array([0.5, 1.2]), np.array([1.0, -0.3])


class Count(enum.Enum):
    ONE = 1
    TWO = 2


class Unit:
    """A class whose objects tell nothing but which one they are."""


METRE, FOOT = Unit(), Unit()


class Model:
    def __init__(self, weight, act=np.sin, count=Count.TWO, name="square", flag=True, n=3, unit=METRE):
        self.weight, self.act, self.count, self.name, self.flag, self.n = weight, act, count, name, flag, n
        self.unit = unit

    def square(self, x):
        return x * x

    def cube(self, x):
        return x**3

    def value(self, x):
        scale = self.weight**3 * self.count.value * (2.0 if self.flag else 3.0) * self.n
        return np.sum(getattr(self, self.name)(self.act(x))) * scale * (1.0 if self.unit is METRE else 0.3)


def value(x, model):
    return model.value(x)


def one_or_two(x, first, second):
    return np.sum(x**2) * first.weight if first is second else np.sum(x**3)


def in_a_unit(x, unit=METRE):
    return np.sum(x**2) if unit is METRE else np.sum(x**3)


def given_or_not(x, factor=MISSING):
    return np.sum(x**2) if factor is MISSING else np.sum(x**3) * factor


ONE, OTHER = Model(2.0), Model(3.0)
CASES = {
    "members": (value, (Model(2.0),)),
    "other members": (value, (Model(2.0, np.cos, Count.ONE, "cube", False, 2, FOOT),)),
    "one object": (one_or_two, (ONE, ONE)),
    "two objects": (one_or_two, (ONE, OTHER)),
    "a unit": (in_a_unit, (METRE,)),
    "another unit": (in_a_unit, (FOOT,)),
    "no unit": (in_a_unit, ()),
    "a number": (in_a_unit, (2.5,)),
    "a sentinel": (given_or_not, (MISSING,)),
    "no sentinel": (given_or_not, (1.5,)),
    "left out": (given_or_not, ()),
}


@pytest.mark.parametrize("name", CASES)
def test_all_modes(name):
    f, rest = CASES[name]
    nothing = (None,) * len(rest)
    slope = (f(X + 1e-6 * ALONG, *rest) - f(X - 1e-6 * ALONG, *rest)) / 2e-6
    bent = (grad(f)(X + 1e-6 * ALONG, *rest) - grad(f)(X - 1e-6 * ALONG, *rest)) / 2e-6
    first = [
        grad(f)(X, *rest) @ ALONG, jvp(f, (X, *rest), (ALONG, *nothing))[1], linearize(f, X, *rest)[1](ALONG, *nothing),
        np.ravel(vjp(f, X, *rest)[1](1.0)[0] if rest else vjp(f, X)[1](1.0)) @ ALONG,
    ]  # fmt: skip
    assert np.allclose(first, slope, rtol=1e-6)
    product = hvp(f, (X, *rest), (ALONG, *nothing))[1]
    second = [
        hessian(f)(X, *rest) @ ALONG, jvp(grad(f), (X, *rest), (ALONG, *nothing))[1], product[0] if rest else product,
        grad(lambda y: grad(f)(y, *rest) @ ALONG)(X), grad(lambda y: jvp(lambda z: f(z, *rest), (y,), (ALONG,))[1])(X),
    ]  # fmt: skip
    for found in second:
        assert np.allclose(found, bent, rtol=1e-6)


def test_gradients_have_nothing_for_what_is_known():
    model, along = Model(2.0), Model(1.0, None, None, None, None, None, None)
    wanted = vars(grad(value, 1)(X, model))
    for found in hvp(lambda m: m.value(X), (model,), (along,)):
        assert {k: v for k, v in vars(found).items() if k not in ("weight", "unit")} == {
            k: v for k, v in wanted.items() if k not in ("weight", "unit")
        }


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("other", [Model(2.0, np.cos), Model(2.0, count=Count.ONE), Model(2.0, name="cube")])
def test_a_module_is_for_what_it_was_made_for(other, tmp_path):
    f = differentiate(value, wrt="x")
    path = f.write("adjoint", tmp_path / "made.py", X, Model(2.0, unit=None))
    adjoint = loaded(path).value_adjoint
    model = Model(2.5, unit=None)
    assert np.allclose(adjoint(X, model)[1], grad(value)(X, model))
    other.unit = None
    with pytest.raises(ValueError, match="is made for"):
        adjoint(X, other)


def test_a_result_that_is_one_thing_or_another_is_refused():
    def either(x):
        return MISSING if x < 0 else x * x

    with pytest.raises(UnsupportedSyntaxError, match="what it consists of"):
        grad(lambda y: jvp(either, (y,), (1.0,))[1])(1.0)


class Sum:
    """An object without operators."""

    def __init__(self, a):
        self.a = a


def beside_an_array(x, other):
    return np.sum(x * other) if x[0] > 0.7 else np.sum(x**2)


def beside_a_number(x, other):
    return other - x[0] if x[0] > 0.7 else np.sum(x**2)


def beside_another(x, other):
    return np.sum(x) * (other @ other) if x[0] > 0.7 else np.sum(x**2)


def token_beside_a_number(x, other=MISSING):
    return other * x[0] if x[0] > 0.7 else np.sum(x**2)


@pytest.mark.parametrize("f", [beside_an_array, beside_a_number, beside_another, token_beside_a_number])
def test_operators_that_objects_lack_raise_as_in_python(f):
    rest = (Sum(1.0),) if f is not token_beside_a_number else ()
    assert np.allclose(grad(f)(X, *rest), 2 * X)
    assert np.allclose(hessian(f)(X, *rest), 2 * np.eye(2))
    with pytest.raises(TypeError) as plain:
        f(2 * X, *rest)
    for way in (lambda: grad(f)(2 * X, *rest), lambda: hessian(f)(2 * X, *rest), lambda: vjp(f, 2 * X, *rest)):
        with pytest.raises(TypeError) as ours:
            way()
        assert str(ours.value) == str(plain.value)


def windows(x, w, bias):
    out = np.zeros((x.shape[0], 2, w.shape[2]))
    for i in range(2):
        out[:, i, :] = np.tensordot(x[:, i : i + 2, :], w, axes=([1, 2], [0, 1])) + np.tensordot(bias, w, ([0], [2]))[0, 0]
    return out


def changed_lists(x, w):
    axes = ([0], [0])
    axes[0][0] += 1
    axes[1].append(1)
    axes[0].insert(0, 0)
    return np.tensordot(x, w, axes=axes) + np.sum(np.tensordot(x, w, axes=([0], [0])))


def test_lists_of_axes_that_are_written_down_are_known() -> None:
    x, w, bias = np.linspace(0.1, 0.9, 12).reshape(2, 3, 2), np.linspace(-0.5, 0.5, 12).reshape(2, 2, 3), np.ones(3) * 0.3
    check_grads(windows, (x, w, bias))
    text = differentiate(windows, wrt=("x", "w", "bias")).source("adjoint", x, w, bias)
    assert "axes=((1, 2), (0, 1))" in text and "unbroadcast" not in text
    check_grads(changed_lists, (x[:, :2, 0], w[:, :, 0]))
