"""What was bound before an exception was raised holds where it is caught, and what would have come later does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import s2sad


def bound_in_the_try(x: float) -> float:
    try:
        b = x * x
        a = math.sqrt(-x)
    except ValueError:
        a = 2.0
    return a * b


def bound_again_in_the_try(x: float) -> float:
    n = x
    try:
        n = n * x
        m = math.sqrt(x - 3.0)
        n = n * m
    except ValueError:
        n = n + 1.0
    return n * x


def the_later_of_two(x: float) -> float:
    n = x
    try:
        n = 2.0 * n
        math.sqrt(x)
        n = n * n
        math.sqrt(-x)
        n = 7.0
    except ValueError:
        pass
    return n


def one_is_used_by_the_next(x: float) -> float:
    s = 1.0
    try:
        t = math.sqrt(1.0 - x)
        s = 2.0 * x
        s = s * t
    except ValueError:
        s = s * x
    return s * s


def augmented(x: float) -> float:
    n = x
    try:
        n *= x
        n += math.sqrt(-n)
    except ValueError:
        n *= 3.0
    return n


def nonlocal_and_raise(x: float) -> float:
    n = x

    def g() -> None:
        nonlocal n
        n = n * 2.0
        raise KeyError

    try:
        g()
    except KeyError:
        n = n + 1.0
    return n * x


def nonlocal_and_a_failure(x: float) -> float:
    n = x

    def g() -> None:
        nonlocal n
        n = n * 3.0
        n = math.sqrt(-n)

    try:
        g()
    except ValueError:
        pass
    return n


def nonlocal_two_calls_deep(x: float) -> float:
    n = x

    def a() -> None:
        nonlocal n
        n = n * x
        b()
        n = 100.0

    def b() -> None:
        nonlocal n
        n = n + x
        raise RuntimeError

    try:
        a()
    except RuntimeError:
        n = n**2
    return n


def in_an_operand(x: float) -> float:
    n = x

    def g() -> float:
        nonlocal n
        n = n * 2.0
        return n

    s = 1.0
    try:
        s = n * g() + g()
        s = s + n * math.sqrt(-g())
    except ValueError:
        s = s * n
    return s


def an_argument_that_fails(x: float) -> float:
    n = x

    def g(v: float) -> float:
        nonlocal n
        n = n * v
        return n

    try:
        g(2.0)
        g(math.sqrt(-x))
    except ValueError:
        pass
    return n * n


def a_call_in_a_call(x: float) -> float:
    n = x

    def outer() -> None:
        nonlocal n

        def inner() -> None:
            nonlocal n
            n = n * n
            if n > 2.0:
                raise KeyError

        n = n + 0.5
        inner()
        n = n * 10.0

    try:
        outer()
    except KeyError:
        pass
    finally:
        n = n * 2.0
    return n


def none_first(x: float) -> float:
    n = None
    try:
        n = x * x
        math.sqrt(-x)
    except ValueError:
        if n is None:
            n = 1.0
    return n * x


def lists_bound_anew(x: float) -> float:
    items: list[float] = []
    try:
        items = [*items, x]
        items = items + [x * x]
        items = items + [math.sqrt(-x)]
    except ValueError:
        pass
    return sum(items) * len(items)


def some_calls_raise(x: float) -> float:
    s, n = 0.0, x

    def g(i: int) -> float:
        nonlocal n
        n = n + x
        if i % 2:
            raise ValueError
        return n

    for i in range(4):
        try:
            s += g(i)
        except ValueError:
            s -= n
    return s * n


def finally_in_a_callee(x: float) -> float:
    n = x

    def g() -> float:
        nonlocal n
        try:
            return math.sqrt(-x)
        finally:
            n = n * 5.0

    try:
        a = g()
    except ValueError:
        a = 2.0
    return a * n


def finally_inside(x: float) -> float:
    try:
        try:
            a = math.sqrt(-x)
        finally:
            b = x * x
    except ValueError:
        a = 2.0
    return a * b


def finally_that_fails(x: float) -> float:
    n = x
    try:
        try:
            n = n * x
        finally:
            n = n * 2.0
            n = n * math.sqrt(-x)
    except ValueError:
        pass
    return n


def nested_finally(x: float) -> float:
    n = x
    try:
        try:
            try:
                n = n * x
                raise KeyError
            finally:
                n = n + x
        finally:
            n = n * n
    except KeyError:
        n = n * 3.0
    return n


def index_in_a_loop(x: float) -> float:
    items = [x, x * x]
    try:
        for i in range(9):
            s = items[i]
    except IndexError:
        pass
    return s * i


def loop_over_an_array(x: np.ndarray) -> float:
    n = 1.0
    try:
        for v in x:
            n = n * v
            if v > 2.0:
                raise ValueError
            n = n + v
    except ValueError:
        n = n * v
    return n


def while_loop(x: float) -> float:
    n, k = x, 0
    try:
        while True:
            n = n * x
            k += 1
            n = n + math.sqrt(2.5 - k)
    except ValueError:
        n = n * k
    return n


def loop_with_break_and_continue(x: np.ndarray) -> float:
    n = x[0]
    for k in range(3):
        try:
            for i in range(k + 2):
                if i == 1:
                    continue
                n = n + x[i]
                if i == 3:
                    break
                n = n * math.sqrt(1.5 - i)
        except ValueError:
            n = n * 0.5
    return n


def condition(x: float) -> float:
    n = x
    try:
        n = n * 2.0
        if math.sqrt(n - 4.0) > 0.0:
            n = 5.0
    except ValueError:
        n = n + x * x
    return n


def arms(x: np.ndarray) -> float:
    s = 0.0
    for v in x:
        n = v
        try:
            if v > 1.0:
                n = v * v
                math.sqrt(1.0 - v)
            else:
                n = v * v * v
                n = n + math.sqrt(v)
            n = n * 2.0
        except ValueError:
            n = n * 5.0
        s = s + n
    return s


def handler_reads_the_error_too(x: float) -> float:
    n = x
    try:
        n = n * x
        raise ValueError("no")
    except (KeyError, ValueError) as error:
        n = n * len(str(error))
    return n


def second_handler(x: float) -> float:
    n, items = x, [x, 2.0]
    try:
        for i in range(4):
            n = n * items[i]
    except ValueError:
        n = 0.0
    except (KeyError, IndexError):
        n = n + 1.0
    return n * x


def division(x: float) -> float:
    n, k = x, 3
    try:
        while True:
            k -= 1
            n = n * x
            n = n + x / int(k)
    except ZeroDivisionError:
        pass
    return n


def assertion(x: float) -> float:
    n = x
    try:
        n = n * x
        assert n < 1.0
        n = 0.0
    except AssertionError:
        n = n * 2.0
    return n


def iterator(x: np.ndarray) -> float:
    it, s, n = iter(x), 0.0, 1.0
    try:
        while True:
            n = n * 2.0
            s = s * 0.5 + next(it)
    except StopIteration:
        pass
    return s * n


class Walker:
    def __init__(self, v: float) -> None:
        self.v = v

    def bump(self, k: float) -> float:
        self.v = self.v * k
        if k < 1.0:
            raise ValueError
        self.v = self.v + 1.0
        return self.v


def fields_of_an_object(x: np.ndarray) -> float:
    o = Walker(x[1])
    for v in x:
        try:
            o.bump(v)
        except ValueError:
            o.v = o.v * 2.0
    return o.v


def items_of_a_dict(x: float) -> float:
    d = {"a": x, "b": 1.0}
    try:
        d["a"] = d["a"] * x
        d["b"] = math.sqrt(-x)
    except ValueError:
        d["b"] = d["a"] * 2.0
    return d["a"] * d["b"]


def passes_through_a_handler(x: float) -> float:
    n = x
    try:
        try:
            n = n * x
            math.sqrt(-x)
        except KeyError:
            n = 0.0
    except ValueError:
        n = 3.0 * x
    return n


def raised_again(x: float) -> float:
    n = x

    def g() -> float:
        try:
            return math.sqrt(-x)
        except ValueError:
            raise KeyError from None

    try:
        n = n * x
        n = n + g()
    except KeyError:
        n = n * 2.0
    return n


def an_else_is_not_protected(x: float) -> float:
    n = x
    try:
        n = n * x
        n = n + math.sqrt(x)
    except ValueError:
        n = 0.0
    else:
        n = n * 2.0
    return n


def another_function(x: float) -> float:
    f = math.sin
    try:
        f = math.cos
        math.sqrt(-x)
    except ValueError:
        pass
    return f(x)


def known_at_once(x: float) -> float:
    f = math.sin
    try:
        f = math.exp
        raise KeyError
    except KeyError:
        return f(x)


def array_fails(x: np.ndarray) -> float:
    y = x
    try:
        y = y * y
        y = np.linalg.solve(np.zeros((3, 3)), y)
    except np.linalg.LinAlgError:
        y = y * x
    return np.sum(y)


def comes_all_the_way(x: float) -> float:
    n = x

    def g(v: float) -> float:
        nonlocal n
        n = n * v
        return math.sqrt(n)

    try:
        a = g(x)
        b = a * g(2.0)
    except ValueError:
        a, b = 1.0, n
    return a + b * n


def recursive(x: float) -> float:
    n = x

    def g(k: int) -> float:
        nonlocal n
        n = n * 2.0
        if k == 2:
            raise StopIteration
        return g(k + 1)

    try:
        g(0)
    except StopIteration:
        pass
    return n * n


def text(x: float) -> float:
    n = x
    try:
        n = n * int("3")
        n = n * int("x")
    except ValueError:
        n = n * x
    return n


def store_in_a_helper(x: np.ndarray) -> float:
    b = x.copy()

    def g() -> None:
        b[0] = 5.0 * x[1]
        raise KeyError

    try:
        g()
    except KeyError:
        pass
    return np.sum(b * b)


def append_in_a_loop(x: np.ndarray) -> float:
    items: list[float] = []
    try:
        for v in x:
            items.append(v * v)
            if v < 1.0:
                raise KeyError
    except KeyError:
        pass
    return sum(items)


def new_key(x: float) -> float:
    d = {"a": x}
    try:
        d["b"] = x * x
        math.sqrt(-x)
    except ValueError:
        pass
    return d["a"]


def an_inner_handler_fails(x: float) -> float:
    n = x
    try:
        try:
            math.sqrt(-x)
        except ValueError:
            n = n * x
            n = n + math.sqrt(-n)
    except ValueError:
        pass
    return n


def a_finally_that_fails_on_the_way(x: float) -> float:
    try:
        try:
            a = math.sqrt(1.0 - x)
        finally:
            b = x / (x - 1.5)
    except ValueError:
        return x
    except ZeroDivisionError:
        return x * x
    return a * b


def last(v: float) -> float:
    try:
        return math.sqrt(1.0 - v)
    finally:
        v / (v - 1.5)


def a_callee_whose_finally_fails(x: float) -> float:
    try:
        a = last(x)
    except ValueError:
        a = x
    except ZeroDivisionError:
        a = x * x
    return a


class Doubling:
    def __init__(self, v: float) -> None:
        self.v = v

    def __enter__(self) -> None:
        self.v = self.v * 3.0

    def __exit__(self, *_: object) -> None:
        self.v = self.v * 2.0


def a_context_is_left(x: float) -> float:
    o = Doubling(x)
    try:
        with o:
            math.sqrt(-x)
    except ValueError:
        pass
    return o.v


def a_call_in_a_comprehension(x: np.ndarray) -> float:
    n = x[0]

    def g(v: float) -> float:
        nonlocal n
        n = n * v
        return math.sqrt(v - 1.0)

    try:
        s = sum([g(v) for v in x])
    except ValueError:
        s = 1.0
    return n * s


A = np.array([1.2, 0.7, 2.3])
LONG = np.append(A, np.linspace(0.6, 1.4, 40))
PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (f, A if f.__annotations__["x"] == "np.ndarray" else 1.5)
    for f in (
        bound_in_the_try, bound_again_in_the_try, the_later_of_two, one_is_used_by_the_next, augmented, nonlocal_and_raise,
        nonlocal_and_a_failure, nonlocal_two_calls_deep, in_an_operand, an_argument_that_fails, a_call_in_a_call, none_first,
        lists_bound_anew, some_calls_raise,
        finally_in_a_callee, finally_inside, finally_that_fails, nested_finally, index_in_a_loop, loop_over_an_array, while_loop,
        loop_with_break_and_continue, condition, arms, handler_reads_the_error_too, second_handler, division, assertion, iterator,
        fields_of_an_object, items_of_a_dict, passes_through_a_handler, raised_again, an_else_is_not_protected,
        another_function, known_at_once, array_fails, comes_all_the_way, an_inner_handler_fails, recursive,
        store_in_a_helper, append_in_a_loop, new_key, text,
    )
]  # fmt: skip


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_the_state_at_the_raise(f: Callable[..., Any], x: Any) -> None:
    direction = np.array([0.3, -1.1, 0.8]) if isinstance(x, np.ndarray) else 1.0
    h = 1e-6
    expected = (f(x + h * direction) - f(x - h * direction)) / (2 * h)
    assert expected != 0.0
    value, gradient = s2sad.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    assert np.sum(gradient * direction) == pytest.approx(expected, rel=1e-6)
    value, tangent = s2sad.jvp(f, (x,), (direction,))
    assert value == pytest.approx(f(x), rel=1e-12)
    assert tangent == pytest.approx(expected, rel=1e-6)


REFUSED = [
    a_context_is_left, a_call_in_a_comprehension, a_finally_that_fails_on_the_way,
    a_callee_whose_finally_fails,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_what_cannot_be_known_is_refused(f: Callable[..., Any]) -> None:
    x = LONG if f.__annotations__["x"] == "np.ndarray" else 1.5
    assert np.isfinite(f(x))
    for derive in (lambda: s2sad.grad(f)(x), lambda: s2sad.jvp(f, (x,), (x,))):
        with pytest.raises(s2sad.UnsupportedSyntaxError):
            derive()


@pytest.mark.parametrize("f", [a_context_is_left, a_call_in_a_comprehension])
def test_what_is_refused_says_why(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntaxError, match="may (have failed before or after it was bound|fail after that)"):
        s2sad.grad(f)(LONG if f.__annotations__["x"] == "np.ndarray" else 1.5)


seen = SimpleNamespace(count=0, log=[])


def counted_before_it_leaves(x):
    try:
        seen.count += 1
        y = math.log(-x)
    except KeyError:
        seen.count += 10
        y = 2.0 * x
    return y * x


def told_in_a_loop(x):
    y = x
    for k in range(3):
        try:
            print("step", k)
            seen.count += 1
            y = y * math.log(1.4 - k - x)
            seen.count += 1
        except KeyError:
            y = 2.0 * x
    return y


def left_by_a_helper(x):
    seen.count += 100
    return counted_before_it_leaves(x) * 2.0


def of_two_the_inner_one_lets_it_pass(x):
    try:
        return counted_before_it_leaves(x)
    except ValueError:
        return x * seen.count


def left_for_another(x):
    try:
        print("once")
        y = math.log(-x)
    except (KeyError, ValueError) as error:
        raise RuntimeError("other") from error
    return y


LEAVING = [
    counted_before_it_leaves, told_in_a_loop, left_by_a_helper, of_two_the_inner_one_lets_it_pass, left_for_another,
]  # fmt: skip


def _outcome(run: Callable[[], Any], capsys: pytest.CaptureFixture[str]) -> tuple[Any, ...]:
    seen.count = 0
    try:
        run()
        raised: Any = None
    except Exception as error:
        raised = type(error), str(error)
    return raised, seen.count, capsys.readouterr().out


@pytest.mark.parametrize("x", [0.5, -0.5])
@pytest.mark.parametrize("mode", ["grad", "jvp", "hessian", "jvp of grad"])
@pytest.mark.parametrize("program", LEAVING)
def test_what_leaves_a_try_statement_leaves_what_was_done(
    program: Callable[[float], float], mode: str, x: float, capsys: pytest.CaptureFixture[str]
) -> None:
    run = {
        "grad": lambda: s2sad.grad(program)(x),
        "jvp": lambda: s2sad.jvp(program, (x,), (1.0,)),
        "hessian": lambda: s2sad.hessian(program)(x),
        "jvp of grad": lambda: s2sad.jvp(s2sad.grad(program), (x,), (1.0,)),
    }[mode]
    assert _outcome(run, capsys) == _outcome(lambda: program(x), capsys)
