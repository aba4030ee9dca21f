"""What a program calls its things says nothing about what they are."""

import types

import numpy as jnp
import numpy as np
import pytest
from numpy import tanh as exp

from s2sad import grad, value_and_grad
from s2sad.testing import check_grads

scipy = types.SimpleNamespace()
scipy.e = 5.0


def with_theta_dot(s):
    theta_dot = s * 2.0
    theta_dot = theta_dot * theta_dot - 0.0 * s
    x_bar = np.sin(theta_dot)
    return x_bar * theta_dot


def with_x_bar(x):
    x_bar = np.zeros(3)
    for i in range(3):
        x_bar[i] = x[i] ** 2
    x_tape = [x_bar[0], x_bar[1]]
    out_bar = x_bar * x
    x_dot = out_bar + x_bar
    return np.sum(x_dot) * x_tape[1]


def with_np(s):
    import numpy

    np = s * s
    return numpy.sin(np) * np


def with_helpers(s):
    zeros = s * 2
    unbroadcast = s * 3
    return zeros * unbroadcast


def with_parameter(x_bar):
    return x_bar * x_bar


def with_tape(s):
    v_tape = []
    for i in range(3):
        v_tape.append(s**i)
    t = 0.0
    while v_tape:
        t += np.sin(v_tape.pop()) * s
    return t


def f_adjoint(s):
    return np.sin(s) * s


def with_adjoint(s):
    return f_adjoint(s) * f_adjoint(2 * s)


def with_alias(s):
    return exp(s) * jnp.sin(s) * jnp.pi


def with_scipy(s):
    return s * scipy.e


@pytest.mark.parametrize(
    "function",
    [with_theta_dot, with_x_bar, with_np, with_helpers, with_parameter, with_tape, with_adjoint, with_alias, with_scipy],
    ids=lambda f: f.__name__,
)
def test_is_right(function):
    args = (np.array([1.3, 0.7, 2.1]),) if function is with_x_bar else (1.7,)
    check_grads(function, args, modes=("tangent", "adjoint"))


def cancelled(s):
    x_bar = s * 1e308 * 10.0
    return s if x_bar - x_bar != 0.0 else 3.0 * s


def multiplied(s):
    x_dot = s * 1e308 * 10.0
    return s if 0.0 * x_dot != 0.0 else 3.0 * s


@pytest.mark.parametrize("function", [cancelled, multiplied], ids=lambda f: f.__name__)
def test_what_is_exact_in_a_derivative_alone_is_not_done_to_a_users_x_bar(function):
    with np.errstate(all="ignore"):
        assert value_and_grad(function)(1.7) == (function(1.7), 1.0)


def test_a_parameter_may_be_called_as_a_seed_is():
    def f(x, out_bar=2.0):
        return x * x * out_bar

    assert grad(f)(1.5) == 6.0
    assert grad(f)(1.5, out_bar=3.0) == 9.0
    assert value_and_grad(f, 1)(1.5, 3.0) == (6.75, 2.25)
