"""Control flow beyond branches and loops: contexts, failures, declarations, deletions; and what is refused of them.

PYTEST_DONT_REWRITE: the programs below contain assertions of their own.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mode_pairs import load

from s2sad import S2sadError, differentiate, grad, value_and_grad
from s2sad.errors import UnsupportedSyntaxError
from s2sad.testing import check_grads

LOCK = threading.Lock()
DEFINITE = np.array([[2.0, 0.3], [0.3, 1.0]])
INDEFINITE = np.array([[1.0, 2.0], [2.0, 1.0]])
VECTOR = np.array([0.3, 1.9, 2.4, 0.8])


class Scaled:
    """A user's context manager."""

    def __init__(self, k: Any) -> None:
        self.k = k

    def __enter__(self) -> Scaled:
        self.k = self.k * 2
        return self

    def __exit__(self, *_: Any) -> bool:
        self.k = 0.0
        return False


def quiet(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x) / (x - x.mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = y + np.sqrt(x)
    return y.sum()


def quiet_loop(x):
    s = 0.0
    for i in range(3):
        with np.errstate(over="ignore"), LOCK, contextlib.nullcontext(2.0) as two:
            s = s + two * np.exp(x * i)
            x = x * s
    return s * x


def own_context(x):
    with Scaled(x) as scaled:
        y = scaled.k * x
    return y + scaled.k


def leaves_context(x):
    for i in range(4):
        with np.errstate(all="ignore"):
            if x > 3:
                return x * i
            x = x * 2
    return x


def factor_or_none(a):
    try:
        low = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return 0.0 * a.sum()
    return np.sum(np.log(np.diag(low)))


def factor_or_shift(a):
    try:
        low = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        low = np.linalg.cholesky(a + 10 * np.eye(2))
    else:
        low = low * 2
    finally:
        k = 2.0
    return np.sum(low) * k


def failing_steps(x):
    s = x
    for i in range(4):
        try:
            d = math.log(s - i)
            s = s + d
        except ValueError:
            s = s * 1.5
        except (ZeroDivisionError, OverflowError) as error:
            raise RuntimeError("bad") from error
    return s * s


def helper_fails(x):
    def root(v):
        if v < 0:
            raise ValueError(f"no root of {v}")
        return math.sqrt(v)

    try:
        y = root(x) + root(x - 2)
    except ValueError as error:
        y = x * x if "root" in str(error) else x
    return y * x


def nested_tries(x):
    try:
        try:
            y = math.log(x)
        except ValueError:
            y = math.sqrt(x)
    except ValueError:
        y = x * x
    return y


def fails_in_a_loop(xs):
    s = 0.0
    for x in xs:
        try:
            t = 0.0
            for k in range(3):
                t += math.log(x - k) * t + x
            s += t * s + t
        except ValueError:
            s += x * x * s + x
    return s


def root_or_product(x, y):
    try:
        z = math.sqrt(x) * y
    except ValueError:
        return x * y
    return z * z * y


def fails_in_a_callee(xs):
    s = 1.0
    for x in xs:
        s = s + root_or_product(x, s) * 0.1
    return s


def factors_in_a_loop(a, xs):
    out = np.zeros(3)
    for i in range(3):
        try:
            low = np.linalg.cholesky(a - i * 0.9 * np.eye(2))
            d = np.log(np.diag(low)).sum()
        except np.linalg.LinAlgError:
            out[i] = xs[i] ** 2
        else:
            out[i] = d * xs[i]
    return out.sum() * out[0]


def raised_by_numpy(x):
    with np.errstate(all="raise"):
        try:
            y = np.exp(x) * np.array([1.0, 2.0])
        except FloatingPointError:
            y = x * np.array([1.0, 3.0])
        return y.sum() * x


def listed_logarithms(x, n):
    k = 3.0
    try:
        v = [math.log(x - j) for j in range(n)]
        d = {"s": sum(v)}
    except ValueError:
        return x * k
    return d["s"] * k * x


def parsed(x, text):
    try:
        k = float(text)
    except ValueError:
        k = 2.0
    return x * k * x


def known_failures(x):
    table, items = {"a": x}, (x, 2.0)
    try:
        y = table["b"]
    except KeyError as missing:
        y = x * 3 if str(missing) == "'b'" else x
    try:
        z = items[5]
    except (IndexError, KeyError):
        z = x * x
    try:
        k = int("zwei")
    except ValueError:
        k = 2
    return y * z * k


def countdown(x, a):
    n = 5
    while (n := n - 1) and (x := 0.5 * (x + a / x)) > 0:
        if (gap := x - math.sqrt(a)) < 1e-3:
            return x + gap
    else:  # noqa: PLW0120
        x = x * 2
    return x


def chained_walrus(x):
    while 0.1 < (x := x / 2) < 5.0:
        if x > 1.0:
            continue
        x = x * 0.9
    return x * x + sum(y * y for v in (x, 2 * x, -x) if (y := math.tanh(v)) > 0)


def counter(x):
    total, calls = 0.0, 0

    def add(value):
        nonlocal total, calls
        total += value * value
        calls += 1

    for k in range(4):
        if k != 2:
            add(x * k)
    return total * calls


def decorated(x):
    def twice(function):
        @functools.wraps(function)
        def inner(*args):
            return 2 * function(*args)

        return inner

    @twice
    def square(y):
        return y * y

    @functools.lru_cache(maxsize=8)
    def wave(y):
        return math.sin(y)

    return square(x) + wave(x)


def njit(*args, **options):
    """Stands for numba's: nothing of it may be followed."""
    return eval("args[0] if args else njit")


njit.__module__ = "numba.core.stand_in"
sys.modules.setdefault(njit.__module__, types.SimpleNamespace(njit=njit))  # what it says of itself is not enough


def compiled(x):
    @njit
    def cube(v):
        return v**3

    @njit(cache=True)
    def power(v, n=2):
        return v if n == 0 else v * power(v, n - 1)

    return cube(x) + power(x, 3)


def chosen_by_a_set(x):
    def among(value, options):
        return 2.0 * x if value in options else x

    return among(2, {1, 2}) * among(x, {3.0, 4.0}) * (x if {1, 2} == {2, 1} else 1.0)


def imports(x):
    from math import sin

    import numpy.linalg as la

    assert x > 0, f"bad {x}"
    return sin(x) + la.norm(np.array([x, 1.0]))


def deletes(x):
    items = [x, x * x, x**3, 2 * x]
    del items[1], items[-1]
    table = {"a": x, "b": 2 * x}
    del table["a"]
    return sum(items) * len(items) + table["b"] * len(table)


def suppressed(x, y):
    z = x
    with contextlib.suppress(ZeroDivisionError):
        z = x / y
    return z * x


def suppressed_in_a_loop(x, k):
    total = 0.0
    for i in range(-1, 3):
        with contextlib.suppress(ZeroDivisionError, ValueError), np.errstate(all="ignore"):
            total += x / (i * k)
    return total


PROGRAMS: tuple[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]], ...] = (
    (quiet, (VECTOR,), (0,)),
    (quiet_loop, (0.3,), (0,)),
    (own_context, (1.3,), (0,)),
    (leaves_context, (0.7,), (0,)),
    (leaves_context, (0.1,), (0,)),
    (factor_or_none, (DEFINITE,), (0,)),
    (factor_or_none, (INDEFINITE,), (0,)),
    (factor_or_shift, (DEFINITE,), (0,)),
    (factor_or_shift, (INDEFINITE,), (0,)),
    (failing_steps, (1.7,), (0,)),
    (failing_steps, (-3.0,), (0,)),
    (helper_fails, (3.0,), (0,)),
    (helper_fails, (1.0,), (0,)),
    (fails_in_a_loop, ([3.5, 1.2, 2.9],), (0,)),
    (fails_in_a_callee, ([0.5, -0.7, 1.1],), (0,)),
    (factors_in_a_loop, (DEFINITE, np.array([1.0, 2.0, 3.0])), (0, 1)),
    (raised_by_numpy, (np.array(0.3),), (0,)),
    (raised_by_numpy, (1000.0,), (0,)),
    (listed_logarithms, (3.4, 3), (0,)),
    (listed_logarithms, (1.4, 3), (0,)),
    (nested_tries, (2.0,), (0,)),
    (nested_tries, (-2.0,), (0,)),
    (parsed, (0.7, "3.5"), (0,)),
    (parsed, (0.7, "x"), (0,)),
    (known_failures, (0.7,), (0,)),
    (countdown, (4.0, 2.3), (0, 1)),
    (countdown, (400.0, 2.3), (0, 1)),
    (chained_walrus, (9.0,), (0,)),
    (counter, (0.7,), (0,)),
    (decorated, (0.7,), (0,)),
    (compiled, (0.7,), (0,)),
    (chosen_by_a_set, (0.7,), (0,)),
    (imports, (0.7,), (0,)),
    (deletes, (0.7,), (0,)),
    (suppressed, (1.3, 2.0), (0, 1)),
    (suppressed, (1.3, 0.0), (0,)),
    (suppressed_in_a_loop, (1.3, 2), (0,)),
)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize(("program", "args", "wrt"), PROGRAMS, ids=lambda p: getattr(p, "__name__", None))
def test_programs(
    program: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...], mode: str
) -> None:
    check_grads(program, args, wrt=wrt, modes=(mode,))


def test_the_reverse_sweep_enters_errstate_again_and_nothing_else() -> None:
    derived = differentiate(quiet)
    derived.grad(VECTOR)
    text = derived.source("adjoint")
    assert text.count("np.errstate(") == 2
    assert text.count("catch_warnings()") == 1


def test_exceptions_come_out_as_they_were() -> None:
    def fails(x):
        try:
            y = 1 / x
        except ZeroDivisionError as error:
            raise KeyError("none") from error
        return y

    def again(x):
        try:
            y = 1 / x
        except ZeroDivisionError:
            raise
        return y

    with pytest.raises(KeyError, match="none") as caught:
        grad(fails)(0.0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):
        grad(again)(0.0)
    assert grad(again)(2.0) == -0.25


def test_second_derivatives() -> None:
    def slope(x):
        return grad(listed_logarithms)(x, 3)

    check_grads(slope, (3.4,))


def test_other_exceptions_pass_through() -> None:
    def f(x):
        try:
            y = 1 / x
        except ValueError:
            y = x
        return y

    with pytest.raises(ZeroDivisionError):
        value_and_grad(f)(0.0)


def test_assertions_show_their_message() -> None:
    def f(x):
        assert x > 0, f"{x} is not positive"
        return x * x

    with pytest.raises(AssertionError, match=r"-1\.0 is not positive"):
        grad(f)(-1.0)


def test_deleted_items_out_of_range() -> None:
    def f(x, k):
        items = [x, 2 * x]
        del items[k]
        return items[0]

    assert grad(f)(1.0, -1) == 1.0
    with pytest.raises(IndexError):
        grad(f)(1.0, 2)


# --- refusals


def stores(a, x):
    try:
        a[0] = x
        y = 1 / x
    except ZeroDivisionError:
        y = a[0]
    return y


def prints(x):
    try:
        print(x)
        y = 1 / x
    except ZeroDivisionError:
        y = x
    return y


def draws(x):
    try:
        y = x * np.random.normal()
    except ValueError:
        y = x
    return y


def new_key(x):
    table = {}
    try:
        table["a"] = 1 / x
    except ZeroDivisionError:
        return x
    return table["a"]


def loud_finally(x):
    try:
        y = 1 / x
    finally:
        print("done")
    return y


def swallows(x):
    class_ = Swallowing()
    with class_:
        x = 1 / x
    return x


class Swallowing:
    """A context manager that says that it swallows exceptions."""

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, *_: Any) -> bool:
        return True


def reads_deleted(x):
    try:
        y = 1 / x
    except ZeroDivisionError as error:  # noqa: F841
        y = x
    return y if error else x  # noqa: F821


def recorded(x):
    with warnings.catch_warnings(record=True) as found:
        y = x * len(found)
    return y


def bare_raise(x):
    if x > 100:
        raise  # noqa: PLE0704
    return x


def own_import(x):
    import program_of_mine

    return program_of_mine.f(x)


REFUSED = {
    draws: "calling generator.normal in the body of a try statement",
    loud_finally: "calling print in a finally block",
    swallows: "this context manager",
    reads_deleted: "the name 'error'",
    recorded: "recording warnings",
    bare_raise: "a bare raise here",
    own_import: "importing this inside a function",
}


@pytest.mark.parametrize(("program", "before"), [(stores, (np.ones(2),)), (prints, ()), (new_key, ())])
def test_bodies_that_write_and_print(program: Callable[..., Any], before: tuple[Any, ...]) -> None:
    assert grad(program, wrt=len(before))(*before, 2.0) == -0.25
    assert grad(program, wrt=len(before))(*before, 0.0) == 1.0


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refusals(program: Callable[..., Any]) -> None:
    with pytest.raises(S2sadError) as caught:
        grad(program)(2.0)
    assert isinstance(caught.value, UnsupportedSyntaxError)
    assert REFUSED[program] in str(caught.value)
    assert caught.value.location is not None and caught.value.why and caught.value.instead


def left_in_a_loop_whose_test_makes_a_dict(x, n):
    s = x
    for k in range(n):
        while s < {"k": k * x}["k"]:
            if x > 1.0:
                break
            s = s + x * x
        s = s * 0.5
    return s


@pytest.mark.parametrize("x", [0.3, 1.3])
def test_a_loop_may_end_before_anything_says_whether_it_was_left(x):
    check_grads(left_in_a_loop_whose_test_makes_a_dict, (x, 4), wrt=0)


@pytest.mark.parametrize("call", ["p.fill(3.0)", "p.put(0, 3.0)"])
def test_what_numpy_does_to_numbers_in_a_loop_is_refused(call):
    function = load(f"def f(x, n):\n    for k in range(n):\n        p = x[k] * 2.0\n        {call}\n    return p * x[1]\n")
    with pytest.raises(UnsupportedSyntaxError, match="of a number"):
        grad(function)(np.array([0.7, 1.3]), 2)
