"""``isinstance`` and ``type`` of numbers whose type control flow, or a list, has joined: asked when the program runs."""

import functools
import itertools
import math

import numpy as np
import pytest

import s2sad
from s2sad import check_grads, differentiate, grad
from s2sad.ir.kinds import dtypes_of_items


def _scale(y):
    return 3.0 if isinstance(y, float) else 5.0


def branch(x):
    y = 1 if x > 0 else 2.0
    return x if isinstance(y, float) else x * x


def exact_type(x):
    y = 1 if x > 0 else 2.0
    return x if type(y) is int else x * x


def mixed_list(x):
    s = 0.0
    for v in [1.0, 2]:
        s += x if isinstance(v, float) else x * x
    return s


def carried(x):
    s = 0
    for _ in range(3):
        s = s + x if isinstance(s, float) else s + x * x
    return s


def while_loop(x):
    n = 3
    while n > 0:
        n = n - 1 if x > 0 else n - 1.0
    return x if isinstance(n, int) else x**3


def computed_from(x):
    y = 1 if x > 0 else 2.0
    return x if isinstance(-abs(y * 3) // 2, float) else x * x


def larger(x):
    return x if isinstance(max(x, 1), float) else x * x


def argument(x):
    return x if isinstance(x, float) else x * x


def either_class(x):
    y = 1 if x > 0 else 2.0
    return x if isinstance(y, (int, float)) else x * x


def truth_or_int(x):
    y = True if x > 0 else 2
    return x if isinstance(y, bool) else x**3


def of_numpy_or_python(x):
    y = np.float64(x) if x > 0 else x
    return x if isinstance(y, np.float64) else x**3


def items_of_dict(x):
    s, d = 0.0, {"a": 1, "b": 2.0}
    for v in d.values():
        s += x if isinstance(v, int) else x**3
    return s


def chosen_item(x):
    m = [x, 1][0 if x < 0 else 1]
    return x if isinstance(m, int) else x**3


def sum_of_mixed(x):
    y = 2 if x > 0 else 2.0
    return x if isinstance(sum([y, 1]), int) else x**3


def callee(x):
    return _scale(1 if x > 0 else 2.0) * x + _scale(x) * x


PROGRAMS = (
    branch, exact_type, mixed_list, carried, while_loop, computed_from, larger, argument,
    either_class, truth_or_int, of_numpy_or_python, items_of_dict, chosen_item, sum_of_mixed, callee,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.7, -0.7])
def test_the_class_of_a_joined_number_is_not_guessed(f, x):
    value, gradient = s2sad.value_and_grad(f)(x)
    difference = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert math.isclose(value, f(x)) and math.isclose(gradient, difference, rel_tol=1e-6)
    assert math.isclose(s2sad.jvp(f, (x,), (1.0,))[1], difference, rel_tol=1e-6)


def test_what_only_one_of_the_classes_has_is_refused():
    def f(x):
        y = 2 if x > 0 else 2.0
        return x if hasattr(y, "hex") else x**3

    with pytest.raises(s2sad.S2sadError) as found:
        s2sad.grad(f)(0.7)
    assert not isinstance(found.value, s2sad.CompilerError)


def clipped(x, w):
    parts = np.array([max(v, 0) for v in x])
    kept = parts.copy()
    total = 0.0
    for i in range(len(parts) - 1):
        total += w * parts[i] * kept[i + 1] + np.asarray(kept[1:])[i] ** 2
    for part in kept:
        total += part**3
    return total


def test_items_of_an_array_of_floats_and_integers_are_numbers() -> None:
    for x in ([0.5, -0.3, 1.2], [0.5, 0.3], [-0.5, -0.3], [0.5, 0.3, 1.2]):
        check_grads(clipped, (x, 0.7))
    text = differentiate(clipped, wrt=("x", "w")).source("adjoint", [0.5, -0.3, 1.2], 0.7)
    assert "shadow_of" not in text and "may_share_memory" not in text and "unbroadcast" not in text


def test_what_an_array_may_be_of_is_what_numpy_makes_of_lists() -> None:
    numbers = {("bool", True): True, ("int64", True): 2, ("float64", True): 0.5, ("float32", False): np.float32(0.5)}
    for count in (1, 2, 3):
        for types in itertools.combinations(numbers, count):
            some = [[numbers[k] for k in chosen] for n in range(1, count + 1) for chosen in itertools.combinations(types, n)]
            assert dtypes_of_items(frozenset(types)) == {str(np.array(items).dtype) for items in some}


def chained(xs):
    folded = functools.reduce(lambda a, b: a * np.sin(b) + b, xs)
    return np.sum(folded * folded) + sum(np.sum(p / (i + 1)) for i, p in enumerate(itertools.accumulate(xs, lambda a, b: a * b)))


def test_what_is_put_together_item_by_item_is_of_the_kind_of_the_items() -> None:
    xs = np.linspace(0.5, 1.5, 6)
    for some in (xs, xs[:1], xs.reshape(2, 3), xs.reshape(3, 2), list(xs)):
        check_grads(chained, (some,))
    assert "unbroadcast" not in differentiate(chained).source("adjoint", xs)
    for way in (chained, grad(chained)):
        with pytest.raises(TypeError, match="reduce.. of empty"):
            way(xs[:0])


def in_brackets(x, w):
    for bound in (0.5, 1.5):
        if x < bound:
            return w * (x - bound) ** 2 + w
    return None


def test_what_is_a_number_on_one_path_has_a_number_as_its_adjoint_there() -> None:
    for x in (0.3, 1.2):
        check_grads(in_brackets, (x, 0.7))
    assert "unbroadcast" not in differentiate(in_brackets, wrt=("x", "w")).source("adjoint", 0.3, 0.7)


def waves(x, w):
    power = 0.0
    for k in range(3):
        total = sum(v * complex(w, 0.5 * k) ** k for v in x[:k])
        power += (total * total.conjugate()).real + total.real * total.imag + abs(total - 0.3) + abs(np.conj(total) + w)
    return power


def bounds(x, w):
    total = 0.0
    for v in x:
        low = max(v, 0)
        total += abs(low - w) * np.arcsin(low) + np.conj(low) ** 2 + np.real(low) * w
    return total


def test_a_number_that_may_be_whole_is_of_the_field_of_what_has_a_derivative() -> None:
    for function in (waves, bounds):
        for x in ([0.5, -0.3], [0.2, 0.7], [-0.3]):
            check_grads(function, (x, 0.7))
        text = differentiate(function, wrt=("x", "w")).source("adjoint", [0.5, -0.3], 0.7)
        assert "unbroadcast" not in text and "zeros_like" not in text
