"""Which object an argument is: derivatives work on copies, which are others."""

import collections
import datetime
from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad, hvp, jacobian, jvp, linearize, value_and_grad, vjp


@dataclass(frozen=True)
class Body:
    name: str
    k: float


@dataclass(eq=False)
class Scale:
    k: float


EARTH, UNIT = Body("Earth", 3.0), Scale(3.0)


def of_a_constant(x, body):
    return x**2 * body.k * (1.0 if body is EARTH else 5.0)


def of_what_changes(x, scale):
    return x**2 * scale.k * (1.0 if scale is UNIT else 5.0)


def _factor(x, scale):
    return x * (2.0 if scale is not UNIT else 3.0)


def by_a_helper(x, scale):
    return _factor(x, scale) ** 2


def in_a_list(x, scales):
    return sum(x**2 * (2.0 if scale is UNIT else 3.0) for scale in scales)


PROGRAMS = [(of_a_constant, EARTH), (of_what_changes, UNIT), (by_a_helper, UNIT), (in_a_list, [UNIT, Scale(1.0)])]
MODES = [
    lambda f, x, o: value_and_grad(f)(x, o),
    lambda f, x, o: jvp(f, (x, o), (1.0, None)),
    lambda f, x, o: (vjp(f, x, o)[0], vjp(f, x, o, wrt=0)[1](1.0)),
    lambda f, x, o: (linearize(f, x, o, wrt=0)[0], linearize(f, x, o, wrt=0)[1](1.0)),
    lambda f, x, o: (f(x, o), jacobian(f)(x, o)),
]


@pytest.mark.parametrize(("function", "thing"), PROGRAMS)
@pytest.mark.parametrize("mode", MODES)
def test_first_derivatives_ask_the_object_itself(function, thing, mode):
    value = function(2.0, thing)
    assert mode(function, 2.0, thing) == pytest.approx((value, value))  # of squares at 2


@pytest.mark.parametrize(("function", "thing"), PROGRAMS)
def test_second_derivatives_ask_the_object_that_is_given(function, thing):
    """The gradient that is differentiated hands the function what the object holds, and which one it is, is known."""
    value = function(2.0, thing)
    (gradient, _), (product, _) = hvp(function, (2.0, thing), (1.0, None))
    assert (gradient, product) == pytest.approx((value, value / 2))
    assert jvp(grad(function), (2.0, thing), (1.0, None)) == pytest.approx((value, value / 2))


def through_a_new_list(x, scale):
    made = [scale, Scale(x)]
    return sum(grad(lambda y, s=s: of_what_changes(y, s))(x) for s in made)


def test_objects_of_a_list_that_the_function_makes():
    found = grad(through_a_new_list)(2.0, UNIT)
    assert found == pytest.approx((through_a_new_list(2.0 + 1e-6, UNIT) - through_a_new_list(2.0 - 1e-6, UNIT)) / 2e-6)


@pytest.mark.parametrize("x", [2.0, 0.5])
def test_one_of_two_objects_is_asked_for_itself(x):
    def either(x, one, other):
        return grad(of_what_changes)(x, one if x > 1.0 else other)

    for given in ((UNIT, Scale(1.5)), (Scale(1.5), UNIT), (UNIT, UNIT)):
        slope = (either(x + 1e-6, *given) - either(x - 1e-6, *given)) / 2e-6
        assert (grad(either)(x, *given), jvp(either, (x, *given), (1.0, None, None))[1]) == pytest.approx((slope, slope))


def test_the_pullback_is_of_the_moment():
    scale = Scale(2.0)

    def product(x, scale):
        return x * scale.k * (1.0 if scale is not UNIT else 7.0)

    _, pull = vjp(product, 3.0, scale, wrt=0)
    scale.k = 100.0
    assert pull(1.0) == 2.0
    assert scale.k == 100.0


class Hundredfold(list):
    def __getitem__(self, k):
        return 100 * list.__getitem__(self, k)


@pytest.mark.parametrize("thing", [Hundredfold([1.0, 2.0])])
def test_classes_of_lists_are_no_lists(thing):
    def first(x, items):
        return x * items[0]

    for derive in (lambda: vjp(first, 2.0, thing), lambda: linearize(first, 2.0, thing), lambda: jacobian(first)(2.0, thing)):
        with pytest.raises(S2sadError, match="subclass of list"):
            derive()


def test_classes_of_dicts_stay_what_they_are():
    def ordered(x, table):
        return x * table["a"] * (2.0 if isinstance(table, collections.OrderedDict) else 1.0)

    def missing(x, table):
        return x * (1.0 + table["z"])

    for function, table, value in (
        (ordered, collections.OrderedDict(a=3.0), 12.0),
        (missing, collections.defaultdict(float, a=1.0), 2.0),
        (missing, collections.Counter(a=1), 2.0),
    ):
        assert vjp(function, 2.0, table)[0] == linearize(function, 2.0, table)[0] == value
        assert jacobian(function)(2.0, table) == value / 2


class Day(datetime.date):
    rate = 3.0


def test_objects_on_top_of_a_built_in_type_are_refused():
    for derive in (vjp, linearize, lambda f, x, o: hvp(f, (x, o), (1.0, None)), lambda f, x, o: grad(f)(x, o)):
        with pytest.raises(S2sadError):
            derive(lambda x, o: x**2 * o.rate, 2.0, Day(2020, 1, 1))


class Written:
    def __init__(self, a, b):
        self.a, self.b = a, b


def asks(o, p):
    return o.a**2 if o is p else o.a**3


def writes(o, p):
    p.a = p.a * 3
    p.b[0] = o.a
    return o.a**2 * p.a


@pytest.mark.parametrize(
    "derive",
    [
        grad,
        jacobian,
        lambda f: lambda o, p: vjp(f, o, p),
        lambda f: lambda o, p: linearize(f, o, p),
        lambda f: lambda o, p: check_grads(f, (o, p)),
    ],
)
def test_arguments_stay_as_they_are(derive):
    """Objects of a class of which some program asks which they are, are not copied: what a call writes into them is put back."""
    o, p = Written(0.7, np.array([1.0, 2.0])), Written(0.9, np.array([1.0, 2.0]))
    grad(asks)(o, p)
    derive(writes)(o, p)
    assert (o.a, p.a) == (0.7, 0.9)
    assert np.array_equal(p.b, [1.0, 2.0])


@pytest.mark.parametrize("thing", [[2.0, 3.0], {"a": 2.0, "b": 3.0}])
def test_a_container_that_is_given_twice_is_one(thing):
    def product(a, b):
        p, q = (0, 1) if isinstance(a, list) else ("a", "b")
        return a[p] ** 2 * b[q] if a is b else a[p] ** 3 * b[q]

    assert vjp(product, thing, thing)[0] == linearize(product, thing, thing)[0] == 12.0
    assert value_and_grad(product)(thing, thing)[0] == 12.0
