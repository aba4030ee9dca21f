"""Tuples with named items that Python makes in C: ``sys.float_info``, ``sys.version_info``."""

import math
import sys
import time
from sys import float_info

import numpy as np
import pytest

from s2sad import S2sadError, grad, hvp, jvp


class Filter:
    def __init__(self, x):
        self.x = x
        self.log = math.log(sys.float_info.min)

    def update(self, z):
        self.x = self.x + 0.5 * (z - self.x)
        self.log = math.log(max(self.x**2, sys.float_info.min))


def with_state(x):
    state = Filter(x)
    for z in (1.0, 2.0):
        state.update(z)
    return state.log


def by_name(x):
    return x**2 * sys.float_info.radix + float_info.epsilon


def by_default(x, info=float_info):
    return x**2 * info.mant_dig + info[8]


def by_version(x):
    if sys.version_info >= (3, 8) and sys.version_info[:2] > (3, 5):
        return x**2 * sys.version_info.major
    return x


def taken_apart(x):
    _, exponent, *_ = sys.float_info
    return x**2 * exponent * len(sys.float_info)


def in_a_loop(x):
    for info in (sys.float_info, float_info):
        x = x * info.radix
    return x


@pytest.mark.parametrize("f", [with_state, by_name, by_version, taken_apart, in_a_loop], ids=lambda f: f.__name__)
def test_items_are_numbers(f):
    slope = (f(1.5 + 1e-5) - f(1.5 - 1e-5)) / 2e-5
    assert np.isclose(grad(f)(1.5), slope) and np.isclose(jvp(f, (1.5,), (2.0,))[1], 2 * slope)
    assert np.isclose(hvp(f, (1.5,), (1.0,))[1], (grad(f)(1.5 + 1e-5) - grad(f)(1.5 - 1e-5)) / 2e-5, atol=1e-8)


def test_as_an_argument():
    assert grad(by_default)(1.5) == jvp(by_default, (1.5,), (1.0,))[1] == 3.0 * float_info.mant_dig
    assert grad(lambda x, info: x * info.radix)(1.5, sys.float_info) == 2.0


def test_classes_that_may_be_changed_are_refused():
    with pytest.raises(S2sadError, match="struct_time cannot be followed"):
        grad(lambda x, when: x * when.tm_year)(1.5, time.gmtime(0))
