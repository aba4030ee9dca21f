"""Programs that cut, join, sort, choose, place, interpolate, and use polynomials: both modes against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, errors, grad, jvp, value_and_grad

A, B = np.array([0.3, -0.7, 1.1, 0.5, -0.2, 0.9]), np.array([0.4, 0.8, -0.6])
M = np.arange(6.0).reshape(2, 3) * 0.3 - 0.5
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def program(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES[function.__name__] = (function, args)
        return function

    return enter


@program(A)
def splits(x: Any) -> Any:
    a, b, c = np.split(x, 3)
    parts = np.split(x, [1, 4])
    total = np.sum(a * b) + np.sum(np.sin(c)) + np.sum(parts[0]) * np.sum(parts[1] ** 2) + parts[2][0]
    for part in np.array_split(x, 4):
        total += np.sum(part) ** 2
    return total


@program(M)
def rows_and_columns(x: Any) -> Any:
    a, b, c = np.hsplit(x, 3)
    u, v = np.vsplit(x, 2)
    d, e = np.dsplit(np.dstack((x, x * x)), 2)
    return np.sum(a * b * c) + np.sum(u * v) + np.sum(d * np.sin(e))


@program(A)
def writes_through_pieces(x: Any) -> Any:
    y = x.copy()
    a, b = np.split(y, 2)
    a[:] = b * b
    return np.sum(y**2 * np.arange(6))


@program(A, M, B)
def appends(x: Any, m: Any, y: Any) -> Any:
    flat = np.append(x, y) ** 2 * np.arange(9)
    return np.sum(flat) + np.sum(np.append(x, 3.0) ** 2) + np.sum(np.append(m, y[None, :], axis=0) ** 3)


@program(M, B, 0.5)
def blocks(x: Any, y: Any, z: Any) -> Any:
    whole = np.block([[x, x**2], [y, np.sin(y)]])
    return np.sum(whole**2 * np.arange(18).reshape(3, 6)) + np.sum(np.block([y, z]) ** 2)


@program(B, A)
def grids(x: Any, y: Any) -> Any:
    gx, gy = np.meshgrid(x, y)
    hx, hy = np.meshgrid(x, y, indexing="ij")
    sx, sy = np.meshgrid(x, y, sparse=True)
    a, b = np.broadcast_arrays(x, y[:, None])
    return np.sum(np.sin(gx) * gy**2) + np.sum(hx * np.cos(hy)) + np.sum(sx * sy**2) + np.sum(a * b**2)


@program(np.arange(24.0).reshape(2, 3, 4) * 0.1, 0.4)
def axes(x: Any, z: Any) -> Any:
    u, v = np.atleast_1d(z, x[0, 0])
    turned = np.rollaxis(x, 2)[0] ** 2 * np.rollaxis(x, 1, 3)[:, 0, :2, None][:, 0]
    deep = np.diagflat(x[0, 0], 1) @ np.arange(5.0)
    return (
        np.sum(turned)
        + np.sum(deep**2)
        + np.sum(x.mT[0] ** 3)
        + np.sum(u * v**2)
        + np.sum(np.atleast_3d(v) ** 2)
    )


@program(A)
def cases(x: Any) -> Any:
    chosen = np.select([x < 0, x < 0.6], [x**2, np.sin(x)], 3.0 * x)
    pieces = np.piecewise(x, [x < 0, x > 0.6], [lambda t: t**2, np.sin, lambda t: np.exp(t)])
    steps = np.piecewise(x, [x < 0], [2.0, np.cos])
    return np.sum(chosen * pieces) + np.sum(steps * x)


@program(A, B)
def placed(x: Any, v: Any) -> Any:
    y = x * 1.0
    np.put(y, [0, -1, 2, 1], v)
    y.put([1], v[0] ** 2)
    z = x * x
    np.place(z, x > 0, v)
    w = x * 1.0
    np.putmask(w, x > 0, v)
    return np.sum(y**2) + np.sum(z**3) + np.sum(w**3)


@program(M, np.array([[1.5], [2.5]]), B)
def placed_along(x: Any, v: Any, d: Any) -> Any:
    y = x * 1.0
    np.put_along_axis(y, np.array([[1], [2]]), v, 1)
    z = x.T @ x
    np.fill_diagonal(z, d)
    w = z @ z
    np.fill_diagonal(w, d[0])
    return np.sum(y**3) + np.sum(w**2)


@program(A)
def orders(x: Any) -> Any:
    y = x * 1.0
    y.sort()
    z = x * x
    z.partition(2)
    smallest = np.partition(x, 2)[:3]
    return np.sum(y**2 * np.arange(6)) + np.sum(z[:2]) ** 2 + z[2] ** 3 + np.sum(smallest**2)


@program(A, np.array([0.0, 0.3, 0.5, 0.0]))
def inserted(x: Any, z: Any) -> Any:
    longer = np.insert(x, [1, 3], x[:2] ** 2)
    kept = np.delete(x, [0, 2])
    some = np.compress(x > 0, x) ** 2
    other = x.compress([True, False, True]) ** 3
    return (
        np.sum(longer**2 * np.arange(8))
        + np.sum(kept**3)
        + np.sum(some)
        + np.sum(other)
        + np.sum(np.extract(x < 0.4, x) ** 2)
        + np.sum(np.resize(x, (3, 5)) ** 2)
        + np.sum(np.trim_zeros(z) ** 2)
        + np.sum(np.choose(np.array([0, 1, 0]), [x[:3], z[:3] * x[3:]]) ** 2)
    )


@program(np.array([0.1, 0.7, 1.3, 7.0]), np.array([0.2, 0.5, 2.0]), np.array([1.0, 3.0, 2.0]))
def interpolated(x: Any, xp: Any, fp: Any) -> Any:
    around = np.interp(x, [0.0, 0.5, 2.0], fp, period=2 * np.pi)
    return (
        np.sum(np.interp(x, xp, fp) ** 2)
        + np.sum(around**2)
        + np.sum(np.interp(x, xp, fp, fp[0] * 2, 0.0) ** 3)
    )


@program(B, A)
def polynomials(p: Any, x: Any) -> Any:
    product = np.polymul(p, x)
    return (
        np.sum(np.polyval(p, x) ** 2)
        + np.sum(product**2)
        + np.sum(np.polysub(np.polyadd(p, x), product) ** 2)
        + np.sum(np.polyder(x, 2) ** 2)
        + np.sum(np.polyint(p, k=x[0]) ** 2)
        + np.sum(np.polynomial.polynomial.polyval(x, p))
        + np.sum(np.vander(p, 4) ** 2)
    )


@program(np.array([1.0, -3.5, 1.5]), np.array([1.0, 0.2, 1.5]))
def zeros_of_polynomials(p: Any, q: Any) -> Any:
    return np.sum(np.roots(p) ** 3) + np.sum(np.abs(np.roots(q) + 0.3) ** 2)


@program(np.linspace(0, 2, 6), A, np.linspace(0.5, 1, 6))
def fits(x: Any, y: Any, w: Any) -> Any:
    c = np.polyfit(x, y, 2)
    return np.polyval(c, 0.7) + np.sum(np.polyfit(x, y, 1, w=w) ** 2)


@program(A, B)
def correlations(a: Any, v: Any) -> Any:
    return np.sum(np.correlate(a, v) ** 2) + np.sum(np.correlate(v, a, "full") ** 3)


@program(M)
def places(x: Any) -> Any:
    total = 0.0
    for (i, j), v in np.ndenumerate(x):
        total += v**2 * np.sin(x[i - 1, j]) + i * v
    y = x * x
    for k in np.ndindex(2, 3):
        y[k] *= x[k] + k[0]
    for i, j in np.ndindex(*x.shape):
        total += y[i, j] ** (j + 1)
    for place in np.ndindex(x.shape):
        total += y[place] * place[1]
    return total + np.sum(y)


@program(B, 0.7)
def brackets(x: Any, c: Any) -> Any:
    i, j = np.mgrid[0:2, 1:4]
    u, v = np.ogrid[0:1:3j, 0:2]
    rows = np.r_[x, c, x * x]
    columns = np.c_[x, x * c]
    span = np.mgrid[: len(x)]
    framed = np.pad(x, 1, constant_values=c)
    return (
        np.sum(rows**2 * np.arange(7))
        + np.sum(columns @ (i * j)[:, :2] ** 2)
        + c * np.sum(u * v)
        + x @ span
        + framed @ framed
    )


@program(0.5, 3.0)
def ranges(a: Any, b: Any) -> Any:
    found = np.sum(np.arange(a, b, 0.7) ** 2) + np.sum(np.float64(a) * np.arange(3))
    return found + np.sum(np.geomspace(a, b, 4) ** 2) + np.sum(np.logspace(a, b, 4, base=b) ** 0.5)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_agree_with_differences(name: str) -> None:
    function, args = CASES[name]
    check_grads(function, args)
    np.testing.assert_allclose(value_and_grad(function)(*args)[0], function(*args), rtol=1e-12)


@pytest.mark.parametrize("name", ["interpolated", "polynomials"])
def test_derivatives_of_gradients_agree_with_differences(name: str) -> None:
    function, args = CASES[name]
    check_grads(function, args, modes=("adjoint",), order=2, jointly=True)


def test_an_uneven_split_is_refused_as_numpy_refuses_it() -> None:
    def thirds(x: Any) -> Any:
        a, b, c = np.split(x, 3)
        return np.sum(a * b * c)

    with pytest.raises(ValueError, match="equal division"):
        grad(thirds)(A[:5])


def resized(x: Any) -> Any:
    x.resize((2,))
    return np.sum(x)


def joined(x: Any) -> Any:
    return np.sum(np.r_["0,2", x, x])


def turning(x: Any) -> Any:
    return np.sum(np.interp(x, [0.0, 1.0], [1.0, 2.0], period=x[0] + 3.0))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (resized, "resizing"),
        (joined, "directive"),
        (turning, "period"),
    ],
)
def test_what_is_not_written_is_refused_by_name_in_both_modes(
    function: Callable[..., Any], words: str
) -> None:
    for derivative in (lambda: grad(function)(B), lambda: jvp(function, (B,), (B,))):
        with pytest.raises(errors.S2sadError, match=words):
            derivative()
