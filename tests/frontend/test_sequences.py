"""Builtins, comprehensions, iterators and strings in differentiated programs."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from itertools import (
    accumulate,
    chain,
    combinations,
    count,
    islice,
    pairwise,
    permutations,
    product,
    repeat,
    starmap,
)
from typing import Any

import numpy as np
import pytest
from mode_pairs import load

from s2sad import S2sadError, grad, value_and_grad
from s2sad.testing import check_grads

LIST = [0.3, -1.4, 2.8, 0.9]
ARRAY = np.array(LIST)
MATRIX = np.array([[1.0, 2.0], [3.0, 4.5]])


def median_and_largest(x, y, z):
    return sorted([x, y, z])[1] * x + sorted((x, y, z), reverse=True)[0] ** 2


def ordered(xs):
    return sum((k + 1) * v for k, v in enumerate(sorted(xs, key=lambda v: -v)))


def ordered_records(xs):
    points = [("a", xs[0], 2.0), ("b", xs[1], xs[0]), ("c", xs[2], 1.0)]
    total = 0.0
    for k, (_, u, v) in enumerate(sorted(points, key=lambda p: p[1], reverse=True), start=1):
        total += k * u * v
    return total


def ordered_indices(xs):
    order = sorted(range(len(xs)), key=lambda i: xs[i])
    return sum(xs[i] * w for w, i in enumerate(order))


def extremes(xs):
    known = max(xs, key=lambda v: v * v) * 2 + min([xs[0], xs[1]], key=abs) + max([], default=3.0)
    return sum(filter(lambda v: v > 0, xs)) + known + min((v * v for v in xs if v > 100), default=xs[0])


def quantified(xs):
    if any(v > 2 for v in xs) and not all(v > 0 for v in xs if v):
        return sum(xs, 1.0) ** 2
    return sum(xs)


def stops_early(x):
    return x * x if any(v is None or 1 / v > 5 for v in (None, 0.0, x)) else x


def pairs(xs):
    return sum(a * b for a, b in combinations(xs, 2)) + sum(a * b * c for a, b, c in combinations(xs, 3))


def grid(xs):
    return sum(math.exp(-a * b) for a, b in product(xs, repeat=2) if a + b < 3.0)


def running(xs):
    steps = sum((b - a) ** 2 for a, b in pairwise(xs))
    return steps + list(accumulate(xs, lambda a, b: a * b))[-1] + sum(accumulate(xs, initial=1.0))


def chained(xs):
    total = sum(chain(xs, [xs[0] * 2], (1.0, xs[1]))) + sum(islice(xs, 1, None, 2))
    return total + sum(starmap(lambda a, b: a * b, zip(xs, xs[1:], strict=False)))  # noqa: RUF007


def counted(xs):
    total = sum(k * v for k, v in zip(count(1), xs)) + sum(c * v for c, v in zip(repeat(2.0), xs))
    return total + sum(w * v for w, v in zip(itertools.cycle((1.0, -1.0)), xs))


def zipped(xs):
    return sum(a * b for a, b in zip(xs, xs[::-1], strict=True)) + sum(map(lambda a, b: a * b, xs, xs[1:]))


def columns(a):
    return sum(sum(p * q for p, q in zip(row, col)) for row in a for col in zip(*a))


def texts(x, name="scale_x"):
    if name.startswith("scale"):
        x = x * 2
    for letter in "abc":
        x = x * x if letter == "b" else x + 0.1
    if "x" in {"x", "y"} and len(f"{name!r:>20}{3:.2f}") == 24:
        x = x * 3
    if "a b c".split()[1] == "b":
        x = x + 1.0
    if name.upper().lower() == name:
        x = x * x
    return x * len(name.replace("_", "").split("e"))


def tables(x):
    powers = {k: x**k for k in range(4) if k != 2}
    other = {n.upper(): v * x for n, v in {"a": 1.0, "b": x}.items()}
    crossed = {(i, j): i * x + j for i in (0, 1) for j in (2, 3) if i + j != 3}
    return sum(powers.values()) + powers[3] * other["A"] + other["B"] * len(crossed) + crossed[1, 3]


def iterators(x):
    first = iter([x, x * x, x**3])
    a, b = next(first), next(first)
    second = iter((1.0, x))
    q = next(second)
    rest = sum(first)
    return a * b + rest * q + next(v for v in [x, 2 * x] if v > 0) + next(second, 0.0) + next(second, 2.0)


def numbers(x):
    q, r = divmod(x, 0.7)
    product_ = functools.reduce(lambda a, b: a * b, [x, 2 * x, 3.0])
    half = functools.partial(lambda a, b: a / b, b=2)
    return r * x + round(x, 1) * x + q * abs(-x) + product_ + pow(x, 3) + half(x) + int(3.7) * x + bool(x) * x


def functions(x, n):
    fs = [lambda v, k=k: v * x + k for k in range(3)]
    return sum(f(x) for f in fs) + math.prod(x + k for k in range(4)) if n else x


def scopes(x):
    k, total = 5.0, 0.0
    values = [k * x for k in range(3)]
    total += sum(k * k * x for k in (1, 2)) + len({k for k in (1, 2)}) + {k: k * x for k in (3, 4)}[4]
    if any(k > 1 for k in values):
        total += k * x
    if all((last := k) > -1 for k in values):
        total += last * x
    scaled = [lambda v, k=k: v * x + k for k in range(3)]
    for function in scaled:
        total = function(total)
    late = [lambda: k * x for k in (7.0, 8.0)]

    def added(v, by=total):
        return v + by

    total = added(total)
    return total * k + late[0]()


def tuples(xs):
    squares = tuple(x * x for x in xs)
    doubled = list(2 * x for x in xs)  # noqa: C400
    return squares[0] * squares[-1] + sum(doubled) + len(tuple(zip(xs, squares)))


def parts_of_results(x):
    found = np.linalg.qr(x)
    q, r = found[0:]
    (s,) = np.linalg.svd(x)[1:2]
    return np.sum(found[-1] * r) + np.sum(found[1] ** 3) + np.sum(found[-2] * q * x) + np.sum(s**3)


def stacked(xs):
    a, b = xs[0] * 2, xs[1]
    total = np.stack([v * xs for v in (a, b)]).sum() + np.fromiter((v * v for v in xs), float).sum()
    return total + np.array(list(map(lambda v: v * 2, xs))).sum()  # noqa: C417


def permuted(x):
    total = 0.0
    for _ in range(3):
        for j, k in permutations((x, 2 * x, x * x), 2):
            total += j * k * k
    longest = sum(a * (b or 1.0) for a, b in itertools.zip_longest((x, x * x), (x,)))
    return total + longest + sum(itertools.chain.from_iterable([(x, x), (2.0 * x,)]))


PROGRAMS: tuple[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]], ...] = (
    (median_and_largest, (1.2, 0.4, 0.9), (0, 1, 2)),
    *((f, (xs,), (0,)) for xs in (LIST, ARRAY) for f in (
        ordered, ordered_records, ordered_indices, extremes, quantified, pairs, grid, running, chained, counted, zipped,
    )),
    (stops_early, (0.1,), (0,)),
    (columns, (MATRIX,), (0,)),
    (texts, (0.7,), (0,)),
    (texts, (0.7, "other"), (0,)),
    (tables, (0.7,), (0,)),
    (iterators, (0.7,), (0,)),
    (numbers, (1.72,), (0,)),
    (functions, (0.7, 1), (0,)),
    (scopes, (1.3,), (0,)),
    (tuples, (LIST,), (0,)),
    (parts_of_results, (ARRAY.reshape(2, 2),), (0,)),
    (stacked, (ARRAY,), (0,)),
    (permuted, (0.7,), (0,)),
)  # fmt: skip


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize(("program", "args", "wrt"), PROGRAMS, ids=lambda p: getattr(p, "__name__", None))
def test_programs(
    program: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...], mode: str
) -> None:
    check_grads(program, args, wrt=wrt, modes=(mode,))


def test_lengths_that_differ() -> None:
    def f(xs, ys):
        return sum(x * y for x, y in zip(xs, ys, strict=True))

    def g(xs, ys):
        return sum(map(lambda x, y: x * y, xs, ys))

    assert grad(f)([1.0, 2.0], [3.0, 4.0]) == [3.0, 4.0]
    with pytest.raises(ValueError, match="argument 2 is shorter than argument 1"):
        grad(f)([1.0, 2.0], [3.0])
    assert grad(g)([1.0, 2.0], [3.0]) == [3.0, 0.0]


def test_an_iterator_that_ends_at_run_time() -> None:
    def f(xs):
        it = iter(xs)
        return next(it) * next(it)

    assert value_and_grad(f)([2.0, 3.0]) == (6.0, [3.0, 2.0])
    with pytest.raises(StopIteration):
        grad(f)([2.0])


def first_power(x):
    for k in count(1):
        x = x * 1.5
        if x > 20:
            break
    return x * k


def test_a_loop_that_only_a_break_ends() -> None:
    check_grads(first_power, (0.9,))


def rebound(xs):
    squares = (x * x for x in xs)
    xs = xs[1:]
    return sum(squares) * xs[0]


def test_a_generator_runs_over_what_its_name_stood_for() -> None:
    check_grads(rebound, (list(LIST),))


def twice(xs):
    rows = zip(xs, xs)
    return sum(a * b for a, b in rows) + sum(a + b for a, b in rows)


def in_a_loop(xs):
    squares = (x * x for x in xs)
    total = 0.0
    for _ in range(2):
        total += sum(squares)
    return total


def modular(xs):
    return xs[0] * pow(2, 3, 5)


def endless(xs):
    return sum(k * xs[0] for k in count(1))


def objects_in_order(xs):
    return sorted([(xs[0], 1.0), xs[1]], key=lambda p: xs[0])[1]


REFUSED = {
    twice: "a second use of this iterator",
    in_a_loop: "a second use of this iterator",
    modular: "pow with a modulus",
    endless: "this endless iterator here",
    objects_in_order: "ordering these items",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refusals(program: Callable[..., Any]) -> None:
    with pytest.raises(S2sadError) as caught:
        grad(program)(list(LIST))
    assert REFUSED[program] in str(caught.value)
    assert caught.value.location is not None and caught.value.why and caught.value.instead


@pytest.mark.parametrize("added", ["x + tuple(y)", "tuple(v for v in y) + x", "x + rows[0]", "list(zip(y, y))[0] + (y[1],) + x"])
def test_tuples_beside_arrays_are_arrays_and_join_tuples(added):
    function = load(
        "import numpy as np\n\n\ndef f(x):\n    y = x * x\n    rows = []\n    rows.append(tuple(np.sin(x)))\n"
        "    rows.append(tuple(y))\n"
        f"    z = {added}\n    return np.max(z) * z[0]\n"
    )
    check_grads(function, (np.array([0.7, 1.3, 2.1]),))
