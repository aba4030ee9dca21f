"""Programs of try statements within others, whose exceptions pass through some of them after something was written."""

from __future__ import annotations

import contextlib
import math

import numpy as np


def inner_does_not_match(x: np.ndarray) -> float:
    try:
        try:
            x[0] *= 3.0
            raise ZeroDivisionError
        except KeyError:
            x[1] = 0.0
    except ZeroDivisionError:
        pass
    return np.sum(x**2)


def _check(x: np.ndarray) -> None:
    try:
        x[0] = 3.0 * x[0]
        if x[0] > 0:
            raise ValueError("positive")
    except IndexError:
        x[1] = 0.0


def within_a_helper(x: np.ndarray) -> float:
    for _ in range(2):
        try:
            _check(x)
        except ValueError:
            x[1] += x[0]
    return np.sum(x**2)


def only_the_last_iteration_raises(x: np.ndarray) -> float:
    for k in range(4):
        try:
            try:
                x[0] *= x[1]
                x[k] *= 2.0
            except KeyError:
                x[1] = 0.0
        except IndexError:
            x[2] *= x[0]
    return np.sum(x**2)


def loop_around_the_inner_one(x: np.ndarray) -> float:
    kept = [x[0]]
    try:
        for k in range(4):
            try:
                kept.append(x[k] ** 2)
            except KeyError:
                kept.append(3.0)
            else:
                kept.append(x[k] * kept[-1])
    except IndexError:
        kept.append(kept[-1] * x[1])
    return sum(kept) * len(kept)


def raised_again(x: np.ndarray) -> float:
    try:
        try:
            x[1] *= 2.0
            raise ValueError
        except ValueError:
            x[0] *= x[1]
            raise
    except ValueError:
        x[2] *= x[1]
    return np.sum(x**2)


def raised_as_another(x: np.ndarray) -> float:
    try:
        try:
            x[1] *= 2.0
            raise ValueError
        except ValueError:
            x[0] *= x[1]
            raise KeyError from None
    except KeyError:
        x[2] *= x[1]
    return np.sum(x**2)


def a_handler_that_fails(x: np.ndarray) -> float:
    try:
        try:
            x[0] *= x[1]
            x[7] = 0.0
        except IndexError:
            x[1] *= x[2]
            x[8] = 0.0
            x[2] = 0.0
    except IndexError:
        x[2] *= x[0]
    return np.sum(x**2)


def _inner(x: np.ndarray, k: int) -> float:
    try:
        x[0] *= 3.0
        if k:
            raise ZeroDivisionError
        x[2] *= x[0]
    except KeyError:
        x[1] = 0.0
    else:
        x[1] *= x[2]
        math.sqrt(1 - x[1])
    return x[0]


def _middle(x: np.ndarray, k: int) -> None:
    x[2] *= x[1]
    y = _inner(x, k)
    x[2] *= y


def else_and_two_helpers(x: np.ndarray) -> float:
    for k in range(2):
        try:
            _middle(x, k)
        except ZeroDivisionError:
            x[1] *= x[0]
        except ValueError:
            x[1] *= x[2]
    return np.sum(x**2)


def bound_within_the_inner_one(x: np.ndarray) -> float:
    b = x[0]
    try:
        try:
            b = b * x[1]
            math.sqrt(-b)
            b = 0.0
        except KeyError:
            b = 1.0
    except ValueError:
        b = b * b
    return b


def within_errstate(x: np.ndarray) -> float:
    for i in range(3):
        try:
            with np.errstate(divide="raise"):
                x[i] *= x[0]
                x[1] = np.float64(x[2]) / np.float64(i)
        except FloatingPointError:
            x[2] = x[1] ** 2
        finally:
            x[0] += x[1]
    return np.sum(x**2)


def raised_within_errstate(x: np.ndarray) -> float:
    try:
        with np.errstate(all="ignore"):
            x[1] *= x[0]
            raise ValueError
    except ValueError:
        x[2] = x[1]
    return np.sum(x**2)


def _raises(x: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        x[1] *= x[0]
        raise ValueError


def within_errstate_of_a_helper(x: np.ndarray) -> float:
    n = x[0]
    try:
        n = n * 0.5
        n += _raises(x)
    except ValueError:
        x[2] += x[0]
    return np.sum(x**2) + n


def within_suppress(x: np.ndarray) -> float:
    try:
        with contextlib.suppress(KeyError):
            x[1] *= 2.0
            raise ValueError
    except ValueError:
        x[2] = x[1]
    return np.sum(x**2)


def _sum_of_tries(a: np.ndarray, k: int) -> float:
    try:
        if k == 0:
            raise ValueError("the end")
        return _sum_of_tries(a, k - 1) + a[k]
    except ValueError:
        a[0] *= 1.1
        return a[0]


def a_recursion_in_a_try(x: np.ndarray) -> float:
    a = x.copy()
    return _sum_of_tries(a, 2) * a[0] + np.sum(a * x)
