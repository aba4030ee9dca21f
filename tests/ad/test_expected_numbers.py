"""Items of trees and results of recursive calls are expected to be numbers, and looked at; for arrays another program runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import differentiate, grad
from s2sad.errors import S2sadError
from s2sad.testing import check_grads


def gains(tree, gain):
    if tree is None:
        return 0.0
    value, children = tree
    total = value * gain
    for child in children:
        total = total + gains(child, gain * 0.5) * value
    return total


def deepest(tree, rate):
    """Numbers that are compared, and functions of numbers."""
    if tree is None:
        return 0.0
    value, children = tree
    best = math.exp(-rate * value)
    for child in children:
        other = deepest(child, rate) + rate * value
        if other > best:
            best = other
    return best


def written(tree, gain, places):
    """What must not run twice expects nothing."""
    if tree is None:
        return 0.0
    value, children = tree
    places.append(value)
    total = value * gain
    for child in children:
        total = total + written(child, gain * 0.5, places) * value
    return total


NUMBERS = (0.5, [(1.5, []), None, (0.25, [(2.0, [None]), (-1.0, [])])])
WHOLE = (1, [(2, []), None, (3, [(2.0, [None]), (-1, [])])])
ARRAYS = (0.5, [(np.array([1.5, 0.3]), []), None, (np.array(0.25), [(np.array([[2.0], [1.0]]), [None]), (-1.0, [])])])
LATE = (0.5, [(1.5, []), (0.25, [(2.0, [None]), (np.array([0.5]), [])])])


@pytest.mark.parametrize("tree", [NUMBERS, WHOLE, ARRAYS, LATE])
@pytest.mark.parametrize("order", [1, -1])
def test_gradients_are_right_for_whatever_stands_there(tree, order):
    def summed(gain, tree):
        return np.sum(gains(tree, gain))

    for given in [NUMBERS, tree][::order]:
        check_grads(summed, (0.7, given), wrt=(0,))
        check_grads(gains, (NUMBERS, 0.7), wrt=(1,))


def test_numbers_are_compared():
    check_grads(deepest, (NUMBERS, 0.7), wrt=(1,))
    check_grads(deepest, (WHOLE, 0.2), wrt=(1,))


@pytest.mark.parametrize("function", [gains, deepest])
def test_nothing_is_summed(function):
    text = differentiate(function, wrt=(1,)).source("adjoint", NUMBERS, 0.7)
    assert "as_number(" in text and "unbroadcast(" not in text, text


@pytest.mark.parametrize(("function", "args"), [(written, (0.7, []))])
def test_others_expect_nothing(function, args):
    try:
        text = differentiate(function, wrt=(1,)).source("adjoint", NUMBERS, *args)
    except S2sadError:
        return
    assert "as_number(" not in text


def test_an_error_of_the_function_is_the_function_s():
    with pytest.raises(ValueError, match="not enough values to unpack"):
        grad(gains, wrt=(1,))((0.5, [(1.0,)]), 0.7)
