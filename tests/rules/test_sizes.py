"""What is known of the sizes of arrays: of slices by every size that an axis may have, of calls by calls with several sizes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import differentiate, grad
from s2sad.facts.assumptions import Assumptions
from s2sad.ir.kinds import Dim, Slice, floor_of, is_many, least_of
from s2sad.rules.kind_rules import slice_size
from s2sad.testing import check_grads

PARTS = (None, -9, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8)


def test_what_is_said_of_slices_holds_for_every_axis() -> None:
    known = 0
    for floor, start, stop, step in itertools.product((0, 1, 4, 8), PARTS, PARTS, (None, 1, 2, 3, -1, -2)):
        sizes = [n for n in range(14) if floor_of(n) == floor]
        axis = 1 if floor == 1 else Dim(("axis", ("x",), 0), many=True, least=floor)
        found = slice_size(axis, Slice(start, stop, step))
        real = [len(range(n)[start:stop:step]) for n in sizes]
        if isinstance(found, int):
            assert set(real) == {found}, (floor, start, stop, step)
        for n, m in zip(sizes, real, strict=True):
            assert found is None or Assumptions(lambda _, n=n: n).value(found) == m
        assert all(n >= least_of(found) and not (n == 1 and isinstance(found, Dim) and is_many(found)) for n in real)
        known += isinstance(found, Dim) and is_many(found)
    assert known > 150


@pytest.mark.parametrize("parts", [("1:-3:2", "2:-2:2", "3:-1:2"), ("::3", "0::3"), ("1::2", "2:")])
def test_slices_with_as_many_items_of_every_axis_are_of_one_size(parts: tuple[str, ...]) -> None:
    n = Dim(("axis", ("x",), 0))
    cut = [slice(*(int(end) if end else None for end in part.split(":"))) for part in parts]
    found = {slice_size(n, Slice(part.start, part.stop, part.step)) for part in cut}
    assert len(found) == len({tuple(len(range(n)[part]) for n in range(20)) for part in cut})


@pytest.mark.parametrize("stop", [1, 2, 5])
def test_slices_up_to_a_size_that_is_not_1(stop: int) -> None:
    found = slice_size(Dim("n", many=True), Slice(None, Dim("m", many=True), None))
    assert isinstance(found, Dim) and is_many(found)
    assert not is_many(slice_size(Dim("n", many=True, least=8), Slice(None, Dim("k"), None)))
    assert slice_size(Dim("n", least=stop), Slice(None, stop, None)) == stop


def stencil(u, c):
    v = np.sin(u)
    v[1:-1] += c[1:-1] * (v[2:] - 2 * v[1:-1] + v[:-2])
    return np.sum(v**2 * u[0])


def test_one_function_serves_axes_of_all_sizes() -> None:
    rng = np.random.default_rng(0)
    sizes = [(3, 3), (8, 8), (9, 3), (4, 4), (30, 30), (2, 5), (5, 3), (1, 1), (8, 3), (3, 8)]
    for n, m in sizes * 2:
        args = (rng.normal(size=n), rng.normal(size=m))
        try:
            stencil(*args)
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                grad(stencil, (0, 1))(*args)
        else:
            check_grads(stencil, args, wrt=(0, 1))


def inner(u):
    v = np.sin(u)
    for _ in range(2):
        v = v * u
    w = np.tanh(v + np.cos(u)) / (1.0 + v * v)
    return w[1:-1] * 2.0 + np.sin(w[2:]) * w[:-2]


def of_several_sizes(x, y):
    return np.sum(inner(x) * inner(y)) + np.sum(inner(2.0 * y) - inner(x)) + np.sum(inner(3.0 * y))


def test_results_of_two_calls_need_not_be_equally_long() -> None:
    for n, m in ((3, 9), (9, 3)):
        check_grads(of_several_sizes, (np.linspace(0.1, 0.9, n), np.linspace(-1.0, 1.0, m)))


def padded(x):
    h = np.zeros(len(x) + 2)
    h[1:-1] = x
    d = np.zeros(len(x) - 1)
    d[:] = x[1:] * h[1 : len(x)]
    return np.sum(h[1:] * h[:-1]) + np.sum(d)


def test_sizes_that_are_computed() -> None:
    for n in (2, 3, 4, 5, 9):
        check_grads(padded, (np.linspace(0.1, 0.9, n),))
    text = differentiate(padded).source("adjoint", np.ones(9))
    assert "unbroadcast" not in text and "_tape" not in text


def network(weights, biases, x):
    for w, b in zip(weights, biases, strict=True):
        x = np.tanh(x @ w + b)
    return np.mean(x**2)


def test_items_of_lists_have_sizes_of_their_own() -> None:
    rng = np.random.default_rng(1)
    for inner_size in (3, 1, 9):
        weights = [rng.normal(size=(4, inner_size)), rng.normal(size=(inner_size, 2))]
        biases = [rng.normal(size=inner_size), rng.normal(size=2)]
        check_grads(network, (weights, biases, rng.normal(size=(5, 4))), wrt=(0, 1))
    assert "unbroadcast" not in differentiate(network).source("adjoint", weights, biases, rng.normal(size=(5, 4)))


def at_its_end(x, y, z):
    return np.sum(np.concatenate((x[len(x) :], y)) * z)


def from_before_its_beginning(x, y):
    n = len(x)
    return np.sum(x[n - 3 :] * x[-3:] * y)


def up_to_before_its_beginning(x, y):
    n = len(x)
    return np.sum(x[: n - 3] * y) + np.sum(x[: n - 1])


@pytest.mark.parametrize(
    ("program", "sizes"),
    [
        (at_its_end, (5, 1, 4)), (at_its_end, (5, 4, 4)),
        (from_before_its_beginning, (2, 2)), (from_before_its_beginning, (9, 3)),
        (up_to_before_its_beginning, (2, 4)), (up_to_before_its_beginning, (9, 6)),
    ],
)  # fmt: skip
def test_ends_that_are_computed(program: Callable[..., Any], sizes: tuple[int, ...]) -> None:
    args = [np.linspace(0.3, 1.2, n) for n in sizes]
    check_grads(program, args, wrt=tuple(range(len(args))))


def with_one_axis_more(x):
    s = np.shape(x) + (1,)
    return np.sum(np.linalg.solve(np.eye(4), (np.reshape(x, s) * x) @ x))


def with_axes_twice(x):
    return np.sum(np.linalg.solve(np.eye(4), (np.zeros(np.shape(x) * 2) + x * x) @ x))


def with_axes_of_one_more(x):
    s = (1,) + x.shape
    return np.sum((x.reshape(s) * np.ones((2,) * x.ndim + s[1:])) ** 2)


def with_axes_in_one(x):
    a = np.zeros((2,) + x.shape)
    a[0], a[1] = x, x**2
    return np.sum(np.linalg.solve(np.eye(8), a.reshape((a.shape[0] * a.shape[1],) + a.shape[2:])) ** 2)


@pytest.mark.parametrize("program", [with_one_axis_more, with_axes_twice, with_axes_of_one_more, with_axes_in_one])
def test_shapes_that_are_sums_of_shapes_have_a_length(program: Callable[..., Any]) -> None:
    check_grads(program, (np.array([0.9, 0.4, 1.2, 0.7]),))


def filled(A, d):
    np.fill_diagonal(A, d * 2.0)
    np.fill_diagonal(A[1:], np.diag(A) ** 2, wrap=True)
    return np.sum(A**3)


@pytest.mark.parametrize("shape", [(2, 4), (4, 2), (3, 4), (3, 3), (1, 3), (3, 1), (4, 5)])
def test_a_diagonal_is_as_long_as_the_shorter_axis(shape: tuple[int, int]) -> None:
    check_grads(filled, (np.linspace(0.3, 1.2, 20)[: shape[0] * shape[1]].reshape(shape), np.array([0.7, 1.1, 0.4])), wrt=(0, 1))


def diagonal_of(A, d):
    np.fill_diagonal(A, d * 2.0)
    return np.sum((np.diag(A) * A[0, 0]) ** 2)


@pytest.mark.parametrize("shape", [(2, 4), (4, 2), (3, 3)])
def test_nothing_is_summed_to_the_shape_of_a_diagonal(shape: tuple[int, int]) -> None:
    args = (np.linspace(0.3, 1.2, shape[0] * shape[1]).reshape(shape), np.array([0.7, 1.1, 0.4]))
    check_grads(diagonal_of, args, wrt=(0, 1))
    assert "unbroadcast(" not in differentiate(diagonal_of, wrt=(0, 1)).source("adjoint", *args)
