"""Lists that are changed in place: what they hold, how they move, and what is refused rather than guessed."""

from __future__ import annotations

import bisect
import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, errors, grad, value_and_grad
from s2sad.libraries.python.prelude import bisect as our_bisect
from s2sad.libraries.python.prelude import heapq as our_heapq

XS = [1.0, 3.0, 2.0, 0.5]


@dataclass
class Point:
    x: float
    v: float


# --- what a list holds is known only after all of the function


def floats_after_ints(x: float) -> float:
    xs, s = [0] * 3, 0.0
    for i in range(3):
        s += xs[i - 1] * x
        xs[i] = x + s
    return s


def floats_after_ints_deeper(x: float) -> float:
    table, s = [[0] * 3 for _ in range(2)], 0.0
    for i in range(3):
        s += table[0][i - 1] * x
        row = table[0]
        row[i] = x + s
    return s


def floats_after_ints_in_tuples(x: float) -> float:
    pairs = []
    for i in range(3):
        pairs.append((0, i))
    s = 0.0
    for i in range(3):
        a, k = pairs[i - 1]
        s += a * x + k
        pairs[i] = (x * s, k)
    return s


def fill(items: Any, x: float) -> None:
    for k in range(len(items)):
        items[k] = x * (k + 1)


def floats_through_a_call(x: float) -> float:
    xs = [0] * 3
    before = xs[0] + 1.0
    fill(xs, x)
    return before * xs[0] * xs[2]


def floats_into_an_argument(x: float, xs: list[int]) -> float:
    s = 0.0
    for i in range(len(xs)):
        s += xs[i - 1] * x
        xs[i] = x + s
    return s


def none_until_filled(x: float) -> float:
    memo = [None] * 4
    memo[0] = x
    for i in range(1, 4):
        if memo[i] is None:
            memo[i] = memo[i - 1] * x
    return sum(memo)


def rows_before_there_are_any(x: float) -> float:
    basis = []
    for k in range(3):
        v = [x + k, x * k, 1.0]
        for q in basis:
            along = sum(a * b for a, b in zip(v, q))
            v = [a - 0.1 * along * b for a, b in zip(v, q)]
        basis.append(v)
    return basis[2][0] * basis[1][1]


def tuple_found_in_a_list(xs: list[float]) -> float:
    best, last = (0.0, 1.0), None
    for p in [(x, x * x) for x in xs]:
        if p[1] > best[1]:
            best = p
        if p[0] > 1:
            last = p
    return best[0] * best[1] + last[0]


def numbers_then_arrays(x: float) -> float:
    xs = [0.0, x]
    s = xs[0] + x
    xs[0] = np.array([x, x])
    return s * xs[0].sum()


# --- moves


def pops_and_inserts(xs: list[float], k: int) -> float:
    ys = xs[:]
    v = ys.pop(k)
    ys.insert(k, v * v)
    ys.insert(-1, 2 * v)
    ys.insert(100, 3 * v)
    ys.insert(-100, ys.pop(1) * v)
    return sum(y * (i + 1) for i, y in enumerate(ys))


def moved_rows(xs: list[float]) -> float:
    rows = [[x, 2 * x] for x in xs]
    r = rows.pop(0)
    r[0] = r[1] * 3
    rows.insert(1, r)
    r[1] += 1.0
    rows[0].append(r[0])
    return sum(sum(q) * sum(q) for q in rows)


def moved_arrays(xs: list[float]) -> float:
    arrays = []
    for x in xs:
        arrays.append(np.array([x, x * x]))
    a = arrays.pop(0)
    a[0] *= 3.0
    arrays.insert(1, a)
    a += arrays[0]
    arrays[2][1] = a[0]
    return sum(float((q * q).sum()) for q in arrays)


def computed_slices(xs: list[float], a: int, b: int) -> float:
    ys = [x * x for x in xs]
    ys[a:b] = [ys[0] * 2, ys[1]]
    ys[a : a + 1] = ys
    del ys[a : a + 1]
    ys[b:] = []
    ys[:0] = xs
    del ys[::2]
    ys *= 2
    return sum((i + 1) * y for i, y in enumerate(ys))


def bounded(xs: list[float]) -> float:
    d = deque(xs, maxlen=3)
    d.appendleft(xs[0] * xs[1])
    d.extend([xs[2], 2 * xs[2]])
    d.extendleft(list(d))
    e = d.copy()
    e.append(7.0 * xs[1])
    d.rotate(2)
    return sum((i + 1) * v for i, v in enumerate(d)) + sum((i + 1) * v * v for i, v in enumerate(e)) + len(d)


def inserted(xs: list[float]) -> float:
    items = sorted(xs)
    bisect.insort(items, xs[0] * xs[1], 0, 2)
    bisect.insort_left(items, xs[1] * xs[1], key=lambda x: x)
    low, middle = heapq.nsmallest(2, items)
    return heapq.nlargest(1, items, key=lambda x: -x)[0] * low + middle * items[2]


def heaps_of_pairs(xs: list[float]) -> float:
    h = [(x * x, i) for i, x in enumerate(xs)]
    heapq.heapify(h)
    v, i = heapq.heapreplace(h, (xs[0] + xs[1], 9))
    w, j = heapq.heappushpop(h, (0.01 * xs[2], 8))
    return v * 2 + w * 3 + sum((k + 1) * q[0] for k, q in enumerate(h)) + i * j


def array_of_tuples(xs: list[float]) -> float:
    rows = []
    for x in xs:
        rows.append((x, x**3))
    table = np.array(rows)
    return (table[:, 0] * table[:, 1]).sum()


def objects_in_order(xs: list[float]) -> float:
    points = []
    for x in xs:
        points.append(Point(x, x * x))
    points.sort(key=lambda p: p.x)
    last = points.pop()
    return last.x * points[0].v + max(points, key=lambda p: p.v).x + sum(p.x * p.v for p in points)


def tuples_with_written_lists(x: float) -> float:
    pairs = []
    for k in range(2):
        pairs.append((k, [x, x * x]))
    for k, row in pairs:
        row.append(row[0] * k)
    return sum(sum(row) for _, row in pairs)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (tuples_with_written_lists, (1.5,)),
    *[(f, (1.1,)) for f in (floats_after_ints, floats_after_ints_deeper, floats_after_ints_in_tuples)],
    *[(f, (1.1,)) for f in (floats_through_a_call, none_until_filled, rows_before_there_are_any)],
    *[(f, (XS,)) for f in (tuple_found_in_a_list, moved_rows, moved_arrays, bounded, heaps_of_pairs, inserted)],
    *[(f, (XS,)) for f in (array_of_tuples, objects_in_order)],
    (floats_into_an_argument, (1.1, [0, 0, 0])),
    (numbers_then_arrays, (1.1,)),
    (pops_and_inserts, (XS, 1)),
    (pops_and_inserts, (XS, -2)),
    (computed_slices, (XS, 1, 3)),
    (computed_slices, (XS, 0, 4)),
]


def grown_by_itself(xs: list[float]) -> float:
    d = deque(xs, maxlen=3)
    d.extendleft(d)
    return d[0] * d[2]


def strict_while_rows_come(xs: list[float]) -> float:
    basis = []
    for k in range(3):
        v = [xs[0] + k, xs[1] * k]
        for q in basis:
            v = [a - 0.1 * b for a, b in zip(v, q, strict=True)]
        basis.append(v)
    return basis[2][0]


def test_a_list_that_grows_between_loops() -> None:
    check_grads(strict_while_rows_come, (XS,), order=2)


@pytest.mark.parametrize("function", [grown_by_itself])
def test_what_is_run_over_while_it_changes_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(errors.UnsupportedSyntaxError, match="grow or shrink|grows or shrinks"):
        value_and_grad(function)(XS)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_both_modes(function: Callable[..., Any], args: tuple[Any, ...], mode: str) -> None:
    check_grads(function, args, modes=(mode,), rtol=1e-5)
    assert value_and_grad(function)(*args)[0] == pytest.approx(function(*args))


# --- the heaps of CPython


@pytest.mark.parametrize("seed", range(20))
def test_heaps_are_laid_out_as_those_of_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = [list(map(int, rng.integers(9, size=7)))] * 2
    ours, theirs = ours[:], theirs[:]
    our_heapq.heapify(ours)
    heapq.heapify(theirs)
    for item in map(int, rng.integers(9, size=12)):
        step = rng.integers(4) if ours else 0
        if step == 0:
            our_heapq.heappush(ours, item), heapq.heappush(theirs, item)
        elif step == 1:
            assert our_heapq.heappop(ours) == heapq.heappop(theirs)
        elif step == 2:
            assert our_heapq.heapreplace(ours, item) == heapq.heapreplace(theirs, item)
        else:
            assert our_heapq.heappushpop(ours, item) == heapq.heappushpop(theirs, item)
        assert ours == theirs
    rows = sorted((k, "old") for k in ours)
    for name in ("insort_left", "insort_right"):
        for options in ({}, {"lo": 1}, {"lo": 1, "hi": max(1, len(rows) - 1)}, {"key": lambda row: -row[0]}):
            given, expected = rows[::-1] if "key" in options else rows[:], rows[::-1] if "key" in options else rows[:]
            vars(our_bisect)[name](given, (4, "new"), **options)
            vars(bisect)[name](expected, (4, "new"), **options)
            assert given == expected


# --- errors are Python's, where the program makes one


def empty_pop(x: float) -> float:
    xs = [x]
    xs.pop()
    return xs.pop(0)


def far_delete(x: float) -> float:
    xs = [x, x]
    del xs[5]
    return xs[0]


def absent(x: float) -> float:
    xs = [x]
    xs.remove(2 * x)
    return xs[0]


def uneven(x: float) -> float:
    xs = [x, x, x]
    xs[::2] = [x]
    return xs[0]


@pytest.mark.parametrize(
    ("function", "error"),
    [(empty_pop, IndexError), (far_delete, IndexError), (absent, ValueError), (uneven, ValueError)],
)
def test_errors_of_python(function: Callable[..., Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        function(1.5)
    with pytest.raises(error):
        grad(function)(1.5)


# --- what is refused


def object_changed_in_a_list(x: float) -> float:
    points = []
    for k in range(int(x) + 1):
        points.append(Point(x * k, x))
    for p in points:
        p.x += p.v
    return points[0].x


def object_changed_behind_a_list(x: float) -> float:
    points = [Point(x, x)]
    moved = []
    moved.extend(points)
    points[0].x = 2 * x
    return sum(p.x for p in moved)


def two_classes(x: float) -> float:
    items = []
    for _ in range(2):
        items.append(Point(x, x))
        items.append({"x": x})
    return items[0].x


def dict_changed_after(x: float) -> float:
    rows = []
    for k in range(2):
        row = {"v": x}
        rows.append(row)
        row["v"] = k * x
    return sum(r["v"] for r in rows)


@pytest.mark.parametrize("function", [object_changed_behind_a_list, dict_changed_after])
def test_objects_in_lists_that_are_known_item_by_item(function: Callable[..., Any]) -> None:
    check_grads(function, (1.5,), order=2)


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (object_changed_in_a_list, errors.UnsupportedSyntaxError, "known only at run time"),
    ],
)
def test_refused(function: Callable[..., Any], error: type[Exception], text: str) -> None:
    function(1.5)
    with pytest.raises(error, match=text) as caught:
        grad(function)(1.5)
    assert "test_lists.py" in str(caught.value)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_a_list_of_several_classes_that_is_written_out(mode: str) -> None:
    check_grads(two_classes, (0.7,), modes=(mode,))
