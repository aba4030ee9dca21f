"""Sample arguments for every differentiable primitive: data that the tests of formulas and of the compiler share.

``SAMPLES[name]`` lists calls. Arguments that are Python numbers, tuples and strings stand for literals where they are
not differentiated; arrays, and numbers made by ``num``, for values.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np


class Sample(NamedTuple):
    """One call. ``fixed`` names parameters that are not differentiated though they hold real numbers."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    fixed: frozenset[str]

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, copied, as a test may write into them."""
        return copy.deepcopy(self.args), copy.deepcopy(self.kwargs)


def call(*args: Any, fixed: str = "", **kwargs: Any) -> Sample:
    """A sample."""
    return Sample(args, kwargs, frozenset(fixed.split()))


def arr(*shape: int, low: float = -1.0, high: float = 1.0, seed: int = 0, dtype: str = "float64") -> Any:
    """Distinct numbers between ``low`` and ``high``, none of them near the ends or 0."""
    rng = np.random.default_rng(seed + 17 * len(shape) + sum(shape))
    count = int(np.prod(shape))
    steps = (rng.permutation(count) + rng.uniform(0.35, 0.65, count)) / max(1, count)
    values = low + (high - low) * steps
    values = np.where(np.abs(values) < 0.05, values + 0.1, values)
    if dtype.startswith("complex"):
        values = values + 1j * (low + (high - low) * rng.permutation(steps))
    return values.reshape(shape).astype(dtype)


def unary(low: float = -1.0, high: float = 1.0, complex: bool = True) -> list[Sample]:
    """A number, arrays of all ranks, an empty one, single precision, complex numbers."""
    found = [
        call(0.3 * low + 0.7 * high),
        call(np.float64(0.4 * low + 0.6 * high)),
        call(arr(4, low=low, high=high)),
        call(arr(2, 3, low=low, high=high)),
        call(np.zeros((0, 2)) + 0.5 * (low + high)),
        call(np.array(0.35 * low + 0.65 * high)),
        call(arr(5, low=low, high=high, dtype="float32")),
    ]
    return [*found, call(arr(3, low=low, high=high, dtype="complex128"))] if complex else found


def binary(low: float = -1.0, high: float = 1.0, complex: bool = True, second: tuple[float, float] | None = None) -> list[Sample]:
    """Pairs of all shapes that broadcast against each other."""
    low_2, high_2 = second or (low, high)
    shapes = [((), ()), ((3,), ()), ((), (3,)), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((1,), (4,)), ((2, 3), (2, 1)), ((0, 3), (3,))]
    found = [call(_one(s, low, high, 1), _one(t, low_2, high_2, 5)) for s, t in shapes]
    found.append(call(arr(3, low=low, high=high, dtype="float32"), arr(2, 3, low=low_2, high=high_2, seed=3, dtype="float32")))
    found.append(call(arr(3, low=low, high=high, dtype="float32"), 0.5 * (low_2 + high_2) + 0.1))
    if complex:
        found.append(call(arr(3, low=low, high=high, dtype="complex128"), arr(2, 3, low=low_2, high=high_2, seed=3, dtype="complex128")))
        found.append(call(arr(3, low=low, high=high), arr(3, low=low_2, high=high_2, seed=4, dtype="complex128")))
    return found


def _one(shape: tuple[int, ...], low: float, high: float, seed: int) -> Any:
    return arr(*shape, low=low, high=high, seed=seed) if shape else float(0.5 * (low + high) + 0.21 * (high - low) * (seed - 2) / 3)


def reductions(low: float = -1.0, high: float = 1.0, complex: bool = True, **options: Any) -> list[Sample]:
    """Every kind of axis, with and without keepdims."""
    x, y = arr(2, 3, 4, low=low, high=high), arr(3, 4, low=low, high=high)
    found = [
        call(arr(5, low=low, high=high), **options),
        call(y, **options),
        call(y, 0, **options),
        call(y, axis=1, **options),
        call(y, axis=-1, keepdims=True, **options),
        call(y, axis=None, keepdims=True, **options),
        call(x, axis=1, **options),
        call(x, axis=(0, 2), **options),
        call(x, axis=(-1, 0), keepdims=True, **options),
        call(x, axis=(1, 2), **options),
        call(arr(3, 1, low=low, high=high), axis=1, **options),
        call(arr(2, 3, low=low, high=high, dtype="float32"), axis=1, **options),
        call(arr(1, 3, low=low, high=high), axis=0, keepdims=True, **options),
    ]
    return [*found, call(arr(2, 3, low=low, high=high, dtype="complex128"), axis=0, **options)] if complex else found


SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
SQUARE = np.array([[2.0, -1.0, 0.3], [0.5, 1.5, -0.7], [0.1, 0.9, 1.2]])
BATCH = np.stack([SQUARE, SQUARE.T + 0.1])

ELEMENTWISE: dict[str, list[Sample]] = {
    "numpy.add": binary(),
    "numpy.subtract": binary(),
    "numpy.multiply": binary(),
    "numpy.divide": binary(0.5, 2.0),
    "numpy.negative": unary(),
    "numpy.positive": unary(),
    "numpy.power": [*binary(0.5, 2.0), call(arr(3), 2), call(arr(3), 3), call(arr(3), -1), call(arr(3, low=0.3), 0.5),
                    call(arr(3), 0), call(arr(3, low=0.1), 2.5), call(arr(2, 2), np.array([2.0, 3.0]), fixed="y"),
                    call(np.array([0.0, 1.0, 2.0]), np.array([2.0, 3.0, 1.0]), fixed="y"),
                    call(0.0, 3.0, fixed="y"), call(2.0, np.array([1.5, 0.5]))],
    "numpy.float_power": [*binary(0.5, 2.0), call(arr(3), 2)],
    "numpy.square": unary(),
    "numpy.reciprocal": unary(0.5, 2.0),
    "numpy.sqrt": unary(0.5, 2.0),
    "numpy.cbrt": unary(0.5, 2.0, complex=False),
    "numpy.remainder": binary(3.1, 7.7, complex=False, second=(1.3, 1.9)),
    "numpy.fmod": binary(3.1, 7.7, complex=False, second=(1.3, 1.9)),
    "numpy.ldexp": [call(arr(3), 2), call(arr(3), np.array([1, 2, 3])), call(0.7, 3)],
    "numpy.hypot": binary(complex=False),
    "numpy.exp": unary(),
    "numpy.exp2": unary(),
    "numpy.expm1": unary(),
    "numpy.log": unary(0.5, 2.0),
    "numpy.log2": unary(0.5, 2.0),
    "numpy.log10": unary(0.5, 2.0),
    "numpy.log1p": unary(0.5, 2.0),
    "numpy.logaddexp": binary(complex=False),
    "numpy.logaddexp2": binary(complex=False),
    "numpy.sin": unary(),
    "numpy.cos": unary(),
    "numpy.tan": unary(),
    "numpy.arcsin": unary(-0.8, 0.8),
    "numpy.arccos": unary(-0.8, 0.8),
    "numpy.arctan": unary(-0.8, 0.8),
    "numpy.arctan2": [*binary(complex=False), call(arr(3, low=-2), -0.7)],
    "numpy.deg2rad": unary(complex=False),
    "numpy.rad2deg": unary(complex=False),
    "numpy.radians": unary(complex=False),
    "numpy.degrees": unary(complex=False),
    "numpy.sinc": [*unary(-3.0, 3.0, complex=False), call(np.array([0.0, 1e-9, 1.0]))],
    "numpy.sinh": unary(),
    "numpy.cosh": unary(),
    "numpy.tanh": unary(),
    "numpy.arcsinh": unary(),
    "numpy.arccosh": unary(1.5, 3.0),
    "numpy.arctanh": unary(-0.8, 0.8),
    "numpy.i0": unary(-3.0, 9.0, complex=False),
    "numpy.absolute": unary(),
    "numpy.fabs": unary(complex=False),
    "numpy.maximum": binary(complex=False),
    "numpy.minimum": binary(complex=False),
    "numpy.fmax": [*binary(complex=False), call(arr(3), np.array([np.nan, 0.3, -0.3]), fixed="y")],
    "numpy.fmin": [*binary(complex=False), call(arr(3), np.array([np.nan, 0.3, -0.3]), fixed="y")],
    "numpy.copysign": binary(complex=False),
    "numpy.heaviside": [call(np.array([-1.0, 0.0, 2.0]), 0.5, fixed="x"), call(np.array([-1.0, 0.0, 2.0]), arr(2, 3), fixed="x")],
    "numpy.clip": [call(arr(5), -0.4, 0.5), call(arr(2, 3), arr(3, low=-0.9, high=-0.2), 0.3), call(arr(3), 0.1, None),
                   call(arr(3), None, 0.1), call(arr(3), min=-0.2, max=0.7), call(0.7, 0.1, 0.5), call(arr(4, dtype="float32"), -0.5, 0.5),
                   call(arr(3), max=0.1)],
    "numpy.nan_to_num": [call(arr(3)), call(0.3), call(arr(2, 2), nan=1.0), call(arr(3), copy=True),
                         call(np.array([0.3, np.nan, np.inf, -np.inf]), True, 0.4, 0.5, 0.6, fixed="x")],
    "numpy.where": [call(np.array([True, False, True]), arr(3), arr(3, seed=2)), call(np.array([True, False, True]), arr(2, 3), 0.5),
                    call(np.array([[True], [False]]), 0.3, arr(3)), call(True, 0.3, 0.4),
                    call(np.array([True, False, True]), arr(3, dtype="float32"), 0.5),
                    call(np.array([True, False]), arr(2, dtype="complex128"), arr(3, 2, dtype="complex128"))],
    "numpy.real": unary(),
    "numpy.imag": unary(),
    "ndarray.real": [call(arr(3)), call(arr(2, 3, dtype="complex128")), call(arr(2, dtype="float32"))],
    "ndarray.imag": [call(arr(3)), call(arr(2, 3, dtype="complex128")), call(arr(2, dtype="float32"))],
    "numpy.conjugate": unary(),
    "numpy.angle": unary(0.2, 1.0),
}  # fmt: skip

REDUCTIONS: dict[str, list[Sample]] = {
    "numpy.sum": [*reductions(), call(0.7), call(np.zeros((0, 3)), axis=0), call(arr(3, dtype="float32"), dtype="float64"),
                  call([0.1, 0.2, 0.3]), call(arr(2, 3, 2), axis=(0, 1))],
    "numpy.mean": [*reductions(), call(0.7), call([0.1, 0.2, 0.3])],
    "numpy.nansum": [*reductions(), call(np.array([1.0, np.nan, 2.0])), call(np.array([[1.0, np.nan], [2.0, 3.0]]), axis=0)],
    "numpy.max": [*reductions(complex=False), call(0.7)],
    "numpy.min": [*reductions(complex=False), call(0.7)],
    "numpy.var": [*reductions(), call(arr(5), ddof=1), call(arr(3, 4), axis=0, ddof=2)],
    "numpy.std": [*[s for s in reductions() if (np.shape(s.args[0]), s.kwargs) not in
                    [((3, 1), {"axis": 1}), ((1, 3), {"axis": 0, "keepdims": True})]], call(arr(5), ddof=1)],
    "numpy.prod": [*reductions(), call(0.7), call(np.array([2.0, 0.0, 3.0])), call(np.array([0.0, 0.0, 3.0]))],
    "numpy.cumsum": [call(arr(4)), call(arr(2, 3)), call(arr(2, 3), axis=0), call(arr(2, 3), axis=-1), call(arr(3), 0),
                     call(arr(3, dtype="float32"))],
    "numpy.cumprod": [call(arr(4)), call(arr(2, 3)), call(arr(2, 3), axis=0), call(arr(2, 3, 2), axis=-2), call(arr(3), 0),
                      call(np.array([2.0, 0.0, 3.0, 0.0]))],
    "numpy.average": [*reductions(), call(arr(4), weights=arr(4, low=0.2, seed=3)), call(arr(2, 3), weights=arr(2, 3, low=0.2, seed=3)),
                      call(arr(2, 3), axis=1, weights=arr(3, low=0.2)), call(arr(2, 3), axis=0, weights=arr(2, low=0.2)),
                      call(arr(2, 3), 1, arr(3, low=0.2), keepdims=True), call(arr(2, 3), axis=1, weights=arr(2, 3, low=0.2, seed=5)),
                      call(arr(4, 2, 3), axis=(2, 0), weights=arr(3, 4, low=0.2)), call(arr(3), axis=0, weights=arr(3, low=0.2))],
}  # fmt: skip

SHAPES: dict[str, list[Sample]] = {
    "numpy.reshape": [call(arr(6), (2, 3)), call(arr(2, 3), -1), call(arr(2, 3), (3, -1)), call(arr(2, 3), (3, 2), order="F"),
                      call(0.7, (1, 1)), call(arr(2, 3, 4), (2, -1)), call(arr(1), ()), call(arr(2, 3), 6), call([0.1, 0.2], (2, 1))],
    "numpy.ravel": [call(arr(2, 3)), call(arr(3)), call(arr(2, 3), "F"), call(0.7), call(arr(2, 3).T)],
    "ndarray.flatten": [call(arr(2, 3)), call(arr(2, 3), "F")],
    "numpy.squeeze": [call(arr(1, 3, 1)), call(arr(1, 3, 1), axis=0), call(arr(1, 3, 1), axis=(0, -1)), call(arr(2, 3))],
    "numpy.expand_dims": [call(arr(3), 0), call(arr(2, 3), axis=(0, -1)), call(0.7, 0), call(arr(2, 3), 1)],
    "numpy.atleast_1d": [call(0.7), call(arr(2, 3))],
    "numpy.atleast_2d": [call(0.7), call(arr(3)), call(arr(2, 3, 2))],
    "numpy.transpose": [call(arr(2, 3)), call(arr(3)), call(arr(2, 3, 4)), call(arr(2, 3, 4), (2, 0, 1)), call(arr(2, 3), axes=(1, 0)),
                        call(arr(2, 3, 4), (-1, 0, 1))],
    "ndarray.T": [call(arr(2, 3)), call(arr(3)), call(arr(2, 3, 4))],
    "numpy.swapaxes": [call(arr(2, 3, 4), 0, 2), call(arr(2, 3), -1, 0)],
    "numpy.moveaxis": [call(arr(2, 3, 4), 0, -1), call(arr(2, 3, 4), (0, 1), (-1, 0))],
    "numpy.flip": [call(arr(3)), call(arr(2, 3)), call(arr(2, 3), 0), call(arr(2, 3), axis=(0, 1))],
    "numpy.fliplr": [call(arr(2, 3))],
    "numpy.flipud": [call(arr(2, 3)), call(arr(3))],
    "numpy.rot90": [call(arr(2, 3)), call(arr(2, 3), 2), call(arr(2, 3, 4), -1, (1, 2))],
    "numpy.roll": [call(arr(4), 1), call(arr(2, 3), -1), call(arr(2, 3), 2, axis=1), call(arr(2, 3), (1, 2), axis=(0, 1)),
                   call(arr(2, 3), 1, axis=(0, 1))],
    "numpy.broadcast_to": [call(0.7, (2, 3)), call(arr(3), (2, 3)), call(arr(2, 1), (4, 2, 3)), call(arr(3), (3,)), call(arr(3), 3)],
    "numpy.tile": [call(arr(3), 2), call(arr(2, 3), (2, 1)), call(arr(3), (2, 2)), call(0.7, 3), call(arr(2, 2, 2), 2)],
    "numpy.repeat": [call(arr(3), 2), call(arr(2, 3), 2, axis=0), call(arr(2, 3), np.array([1, 0, 2]), axis=1), call(arr(2, 3), 2),
                     call(0.7, 3), call(arr(2, 3), 2, axis=-1)],
    "numpy.pad": [call(arr(3), 1), call(arr(2, 3), ((1, 0), (0, 2))), call(arr(2, 3), 1, mode="edge"), call(arr(4), (2, 1), mode="reflect"),
                  call(arr(3), 1, constant_values=5), call(arr(4), 3, "wrap"), call(arr(3), (2, 2), "symmetric"), call(arr(2, 2), (1, 2))],
    "numpy.concatenate": [call((arr(3), arr(2))), call((arr(2, 3), arr(1, 3)), 0), call((arr(2, 3), arr(2, 1)), axis=1),
                          call((arr(2, 3), arr(2, 1), arr(2, 2)), axis=-1), call((arr(2, 3), arr(2)), axis=None), call([arr(3), arr(2), arr(0)]),
                          call((arr(2, dtype="float32"), arr(3, dtype="float32"))), call(arr(2, 3, 4)), call((arr(2, 2), arr(2, 2)), axis=-1)],
    "numpy.stack": [call((arr(3), arr(3, seed=1))), call((arr(2, 3), arr(2, 3, seed=1)), axis=1), call([arr(2), arr(2, seed=1)], axis=-1),
                    call((0.1, 0.2)), call(arr(2, 3), axis=1)],
    "numpy.vstack": [call((arr(3), arr(3, seed=1))), call((arr(2, 3), arr(1, 3))), call((arr(3), arr(2, 3)))],
    "numpy.hstack": [call((arr(3), arr(2))), call((arr(2, 3), arr(2, 1))), call((0.1, arr(2))), call((arr(2, 2, 3), arr(2, 1, 3)))],
    "numpy.column_stack": [call((arr(3), arr(3, seed=1))), call((arr(3), arr(3, 2))), call((arr(3, 1), arr(3, 2)))],
    "numpy.diag": [call(arr(3)), call(arr(3), 1), call(arr(3, 3)), call(arr(2, 3), 1), call(arr(3, 3), -1), call(arr(2), -2)],
    "numpy.diagonal": [call(arr(3, 3)), call(arr(2, 3), 1), call(arr(2, 3, 3), -1, 1, 2), call(arr(3, 2, 3), axis1=0, axis2=2),
                       call(arr(3, 2), -1)],
    "numpy.trace": [call(arr(3, 3)), call(arr(2, 3), 1), call(arr(2, 3, 3), axis1=1, axis2=2), call(arr(3, 3, dtype="float32")),
                    call(arr(3, 3), -1)],
    "numpy.tril": [call(arr(3, 3)), call(arr(2, 3), -1), call(arr(2, 3, 3)), call(arr(3))],
    "numpy.triu": [call(arr(3, 3)), call(arr(2, 3), 1), call(arr(2, 3, 3)), call(arr(3))],
    "numpy.take": [call(arr(5), np.array([0, 2, 2, -1])), call(arr(3, 4), np.array([[0, 1], [1, 1]]), axis=1), call(arr(3, 4), 1, axis=0),
                   call(arr(3, 4), 5), call(arr(5), np.array([0, 7]), mode="wrap"), call(arr(5), np.array([-3, 7]), mode="clip"),
                   call(arr(2, 3), np.array([0, 2]), axis=-1), call(arr(3), 1)],
    "numpy.take_along_axis": [call(arr(2, 3), np.array([[0, 2], [1, 1]]), axis=1), call(arr(2, 3), np.array([[0, 1, 1]]), axis=0),
                              call(arr(4), np.array([1, 1, 3]), axis=0), call(arr(2, 3), np.array([0, 5, 5]), axis=None)],
    "numpy.sort": [call(arr(5)), call(arr(2, 4)), call(arr(3, 2), axis=0), call(arr(2, 3), axis=None)],
    "numpy.diff": [call(arr(5)), call(arr(5), 2), call(arr(2, 4)), call(arr(4, 2), 2, axis=0), call(arr(2, 4), axis=-1), call(arr(5), n=3)],
    "numpy.array": [call(arr(3)), call([0.1, 0.2, 0.3]), call([[0.1, 0.2], [0.3, 0.4]]), call(0.7), call(arr(3), dtype="float32"),
                    call(arr(3, dtype="float32"), dtype="float64"), call(arr(3), ndmin=2), call([arr(2), arr(2, seed=1)]),
                    call([np.float64(0.1), 0.2])],
    "numpy.asarray": [call(arr(3)), call([0.1, 0.2, 0.3]), call(0.7), call(arr(3), "float32")],
    "numpy.asanyarray": [call(arr(3)), call([0.1, 0.2, 0.3])],
    "numpy.ascontiguousarray": [call(arr(3)), call(arr(2, 3).T)],
    "numpy.asfortranarray": [call(arr(3)), call(arr(2, 3))],
    "numpy.copy": [call(arr(3)), call(arr(2, 3))],
    "ndarray.copy": [call(arr(3)), call(arr(2, 3))],
    "ndarray.astype": [call(arr(3), "float32"), call(arr(3, dtype="float32"), "float64"), call(arr(2, 3), "float64")],
    "numpy.full": [call((2, 3), 0.7), call(3, 0.7), call((2, 3), arr(3)), call((2, 3), 0.7, dtype="float32")],
    "numpy.full_like": [call(np.ones((2, 3)), 0.7, fixed="a"), call(np.ones((2, 3)), arr(3), fixed="a"),
                        call(np.ones((2, 3), dtype="float32"), arr(2, 1, dtype="float32"), fixed="a")],
    "numpy.linspace": [call(0.1, 0.9, 5), call(0.1, 0.9, num=4, endpoint=False), call(0.3, 2.0), call(arr(2), arr(2, seed=1), 4),
                       call(arr(2), 1.0, 3, axis=-1), call(0.1, 0.9, 1)],
}  # fmt: skip

PRODUCTS: dict[str, list[Sample]] = {
    "numpy.matmul": [call(arr(3), arr(3, seed=1)), call(arr(2, 3), arr(3)), call(arr(2), arr(2, 3)), call(arr(2, 3), arr(3, 2)),
                     call(arr(4, 2, 3), arr(4, 3, 2)), call(arr(4, 2, 3), arr(3, 2)), call(arr(2, 3), arr(4, 3, 2)),
                     call(arr(3), arr(4, 3, 2)), call(arr(4, 2, 3), arr(3)), call(arr(1, 2, 3), arr(4, 3, 2)),
                     call(arr(5, 1, 2, 3), arr(4, 3, 2)), call(arr(2, 3, dtype="float32"), arr(3, 2, dtype="float32")),
                     call(arr(2, 3, dtype="complex128"), arr(3, dtype="complex128"))],
    "numpy.dot": [call(0.3, 0.7), call(0.3, arr(3)), call(arr(2, 3), 0.3), call(arr(3), arr(3, seed=1)), call(arr(2, 3), arr(3)),
                  call(arr(2), arr(2, 3)), call(arr(2, 3), arr(3, 2)), call(arr(4, 2, 3), arr(3)), call(arr(2, 3), arr(4, 3, 2)),
                  call(arr(3), arr(4, 3, 2)), call(arr(4, 2, 3), arr(5, 3, 2)), call(arr(2, 2, 2), 0.4),
                  call(arr(2, 3, dtype="complex128"), arr(3, dtype="complex128"))],
    "numpy.inner": [call(arr(3), arr(3, seed=1)), call(arr(2, 3), arr(3)), call(arr(3), arr(2, 3)), call(arr(2, 3), arr(4, 3)),
                    call(arr(2, 2, 3), arr(4, 3)), call(0.3, 0.7), call(0.3, arr(3)), call(arr(2, 3), 0.3)],
    "numpy.outer": [call(arr(3), arr(2)), call(arr(2, 2), arr(3)), call(arr(2), 0.7), call(0.3, arr(2)), call(arr(2, dtype="complex128"), arr(3))],
    "numpy.vdot": [call(arr(3), arr(3, seed=1)), call(arr(2, 3), arr(2, 3, seed=1)), call(arr(2, 3), arr(6)), call(0.3, 0.7),
                   call(arr(3, dtype="complex128"), arr(3, seed=1, dtype="complex128")), call(arr(3), arr(3, seed=1, dtype="complex128"))],
    "numpy.tensordot": [call(arr(2, 3), arr(2, 3, seed=1)), call(arr(2, 3), arr(3, 4), 1), call(arr(2, 3), arr(4, 5), axes=0),
                        call(arr(2, 3, 4), arr(4, 5, 2), axes=([0, 2], [2, 0])), call(arr(2, 3), arr(4, 3), axes=(1, 1)),
                        call(arr(3, 4, 2), arr(4, 3), axes=((0, 1), (1, 0))), call(arr(3), 0.7, 0), call(arr(3, 4, 2), arr(2, 4, 5), axes=([-1, 1], [0, 1]))],
    "numpy.kron": [call(arr(2), arr(3)), call(arr(2, 2), arr(1, 3)), call(arr(2), arr(2, 3)), call(arr(2, 3), arr(2)), call(arr(2), 0.7)],
    "numpy.cross": [call(arr(3), arr(3, seed=1)), call(arr(4, 3), arr(3)), call(arr(3, 4), arr(3, 4, seed=1), axis=0),
                    call(arr(3, 4), arr(4, 3), axisa=0), call(arr(3, 4), arr(4, 3), 0, 1, 0), call(arr(2, 1, 3), arr(4, 3))],
    "numpy.convolve": [call(arr(5), arr(3)), call(arr(3), arr(5), "same"), call(arr(5), arr(3), mode="valid"), call(arr(5), arr(4), "same"),
                       call(arr(2), arr(6), "valid"), call(arr(4), arr(4, seed=1), "same")],
    "numpy.einsum": [call("ij,jk->ik", arr(2, 3), arr(3, 4)), call("ij,jk", arr(2, 3), arr(3, 4)), call("ii->i", arr(3, 3)), call("ii", arr(3, 3)),
                     call("ij->j", arr(2, 3)), call("ij->", arr(2, 3)), call("i,i->", arr(3), arr(3, seed=1)), call("i,j->ij", arr(3), arr(2)),
                     call("...ij,...j->...i", arr(4, 2, 3), arr(3)), call("bij,bjk,k->bi", arr(2, 3, 4), arr(2, 4, 5), arr(5)),
                     call("ij,ij->ij", arr(1, 3), arr(2, 3)), call("iij,j->i", arr(3, 3, 2), arr(2)), call("ij->ji", arr(2, 3)),
                     call("ij,kl->k", arr(2, 3), arr(4, 5)), call("i...->...", arr(2, 3)), call("ij , j -> i", arr(2, 3), arr(3)),
                     call("ij,jk->ik", arr(2, 3, dtype="complex128"), arr(3, 4, dtype="complex128")), call("ji", arr(2, 3)),
                     call("ij,jk->ik", arr(2, 3, dtype="float32"), arr(3, 4, dtype="float32")), call("ij,jk,kl->il", arr(2, 3), arr(3, 4), arr(4, 2), optimize=True)],
    "numpy.linalg.inv": [call(SQUARE), call(BATCH), call(SQUARE.astype("float32")), call(SQUARE + 0.3j * SPD)],
    "numpy.linalg.solve": [call(SQUARE, arr(3)), call(SQUARE, arr(3, 2)), call(BATCH, arr(2, 3, 2)), call(BATCH, arr(3, 2)), call(BATCH, arr(3)),
                           call(SQUARE, arr(2, 3, 1)), call(SQUARE + 0.3j * SPD, arr(3, dtype="complex128"))],
    "numpy.linalg.det": [call(SQUARE), call(BATCH), call(SQUARE + 0.3j * SPD)],
    "numpy.linalg.cholesky": [call(SPD), call(np.stack([SPD, 2 * SPD]))],
    "numpy.linalg.norm": [call(arr(4)), call(arr(2, 3)), call(arr(2, 3), axis=1), call(arr(2, 3), 2, -1), call(arr(2, 3), "fro"),
                          call(arr(2, 3), axis=0, keepdims=True), call(arr(2, 3, 4), axis=(1, 2)), call(arr(3, dtype="complex128")),
                          call(arr(3, dtype="float32")), call(arr(4), 2), call(arr(2, 3), None, None, True)],
}  # fmt: skip

MATH: dict[str, list[Sample]] = {
    **{f"math.{name}": [call(0.37), call(-0.6)] for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
                                                         "atanh", "exp", "exp2", "expm1", "erf", "erfc", "radians", "degrees", "fabs")},
    **{f"math.{name}": [call(1.37), call(4.2)] for name in ("sqrt", "cbrt", "log2", "log10", "log1p", "acosh", "gamma", "lgamma")},
    "math.log": [call(1.7), call(1.7, 3.0), call(1.7, 10)],
    "math.pow": [call(1.7, 2.0), call(1.7, 2.3), call(1.7, 2), call(0.7, -1)],
    "math.atan2": [call(0.3, -0.7), call(-0.3, 0.7)],
    "math.copysign": [call(0.3, -0.7), call(-0.3, 0.7)],
    "math.fmod": [call(5.3, 1.7), call(-5.3, 1.7)],
    "math.remainder": [call(5.3, 1.7), call(5.9, 1.7)],
    "math.ldexp": [call(0.7, 3)],
    "math.hypot": [call(0.3, -0.7), call(0.3, 0.4, 0.5), call(0.3)],
    "math.dist": [call((0.3, 0.4), (0.1, -0.2)), call(arr(3), arr(3, seed=1))],
    "math.fsum": [call([0.1, 0.2, 0.3]), call(arr(3))],
    "math.gamma": [call(1.37), call(4.2), call(-1.3), call(0.2)],
    "math.lgamma": [call(1.37), call(-1.3), call(20.5)],
}  # fmt: skip

G = arr(2, 3, seed=9)
RUNTIME: dict[str, list[Sample]] = {
    f"s2sad.runtime.{name}": samples
    for name, samples in {
        "unbroadcast": [call(G, arr(3), fixed="like"), call(G, 0.5, fixed="like"), call(G, arr(2, 1), fixed="like"), call(G, G, fixed="like"),
                        call(arr(2, 3, dtype="complex128"), arr(3), fixed="like"), call(G, arr(1, 3, dtype="float32"), fixed="like")],
        "broadcast_like": [call(arr(3), G, fixed="like"), call(0.5, G, fixed="like"), call(G, G, fixed="like")],
        "spread": [call(0.5, G, fixed="x"), call(arr(2), G, 1, fixed="x"), call(arr(2, 1), G, 1, True, fixed="x"), call(arr(3), arr(2, 3, 2), (0, -1), fixed="x")],
        "weights_along": [call(arr(3), G, 1, fixed="x"), call(G, G, None, fixed="x"), call(arr(3, 4), arr(4, 2, 3), (2, 0), fixed="x")],
        "weights_along_adjoint": [call(arr(1, 3), arr(3), G, 1, fixed="weights x"), call(arr(4, 1, 3), arr(3, 4), arr(4, 2, 3), (2, 0), fixed="weights x")],
        "safe_divide": [*binary(0.5, 2.0), call(np.array([0.0, 1.0]), np.array([0.0, 2.0]), fixed="y")],
        "power_dx": [*binary(0.5, 2.0, complex=False), call(np.array([0.0, 1.0]), np.array([3.0, 2.0]), fixed="y")],
        "power_dy": binary(0.5, 2.0, complex=False),
        "sinc_derivative": [call(arr(4, low=-3, high=3), n) for n in (1, 2, 3)] + [call(0.7, 1), call(np.array([0.0, 1e-3]), 1), call(np.array([0.0, 1e-3]), 2)],
        "bessel_i": [call(1, arr(3, low=-3, high=3)), call(0, 0.7), call(2, arr(2, 2))],
        "digamma": [call(0.7), call(4.3), call(-1.3)],
        "polygamma": [call(1, 0.7), call(2, 3.7), call(1, -1.3)],
        "before": [call(arr(4)), call(G, 1), call(G), call(arr(2, 3, 2), (0, 2)), call(np.array([2.0, 0.0, 3.0]))],
        "after": [call(arr(4)), call(G, 1), call(G), call(arr(2, 3, 2), (0, 2)), call(np.array([2.0, 0.0, 3.0]))],
        "prod_of_others": [call(arr(4)), call(G, 1), call(G), call(arr(2, 3, 2), (0, 2)), call(np.array([2.0, 0.0, 3.0]))],
        "scan": [call(arr(4, seed=1), arr(4)), call(G, G + 0.1, 0), call(G, G + 0.1)],
        "scan_back": [call(arr(4, seed=1), arr(4)), call(G, G + 0.1, 0), call(G, G + 0.1)],
        "unconcatenate": [call(arr(5), (arr(3), arr(2)), fixed="arrays"), call(arr(2, 3), (arr(2, 1), arr(2, 2)), 1, fixed="arrays"),
                          call(arr(5), (arr(2, 2), 0.5), None, fixed="arrays"), call(arr(3, 3), (arr(3), arr(2, 3)), 0, fixed="arrays"),
                          call(arr(5), (arr(3), arr(2)), 1, fixed="arrays")],
        "reconcatenate": [call((arr(3), arr(2)), arr(5), fixed="like"), call((arr(3), arr(2, 3)), arr(3, 3), 0, fixed="like"),
                          call((arr(2, 2), 0.5), arr(5), None, fixed="like")],
        "untile": [call(arr(6), arr(3), 2, fixed="x"), call(arr(2, 6), arr(2, 3), (1, 2), fixed="x")],
        "unrepeat": [call(arr(6), arr(3), 2, fixed="x"), call(arr(2, 3), arr(2, 3), np.array([1, 0, 2]), 1, fixed="x")],
        "take_adjoint": [call(arr(3), arr(5), np.array([0, 2, 2]), fixed="x"), call(arr(2, 3), arr(2, 4), np.array([0, 1, 1]), 1, fixed="x")],
        "take_along_adjoint": [call(arr(2, 2), arr(2, 3), np.array([[0, 2], [1, 1]]), 1, fixed="x")],
        "diagonal_adjoint": [call(arr(2), arr(2, 3), 0, fixed="x"), call(arr(2, 1), arr(2, 3, 3), 0, 1, 2, fixed="x")],
        "diag_adjoint": [call(arr(3, 3), arr(3), fixed="v"), call(arr(2), arr(2, 3), 1, fixed="v")],
        "pad_adjoint": [call(arr(5), arr(3), 1, fixed="x"), call(arr(4, 5), arr(2, 3), 1, "edge", fixed="x")],
        "diff_adjoint": [call(arr(4)), call(arr(2, 3), 1, 0), call(arr(2, 3), 2, -1)],
        "matmul_adjoint_x": [call(arr(4, 2, 2), arr(2, 3), arr(4, 3, 2), fixed="x"), call(arr(4, 2), arr(4, 2, 3), arr(3), fixed="x"),
                             call(arr(4, 2), arr(3), arr(4, 3, 2), fixed="x"), call(arr(2, 2), arr(2, 3), arr(3, 2), fixed="x"), call(0.3, arr(3), arr(3, seed=1), fixed="x")],
        "matmul_adjoint_y": [call(arr(4, 2, 2), arr(2, 3), arr(4, 3, 2), fixed="y"), call(arr(4, 2), arr(4, 2, 3), arr(3), fixed="y"),
                             call(arr(4, 2), arr(3), arr(4, 3, 2), fixed="y"), call(arr(2, 2), arr(2, 3), arr(3, 2), fixed="y")],
        "tensordot_adjoint_x": [call(arr(2, 5), arr(2, 3, 4), arr(4, 5, 3), ([2, 1], [0, 2]), fixed="x"), call(arr(2, 4), arr(2, 3), arr(3, 4), 1, fixed="x")],
        "tensordot_adjoint_y": [call(arr(2, 5), arr(2, 3, 4), arr(4, 5, 3), ([2, 1], [0, 2]), fixed="y"), call(arr(2, 4), arr(2, 3), arr(3, 4), 1, fixed="y")],
        "kron_adjoint_x": [call(arr(6), arr(2), arr(3), fixed="x"), call(arr(4, 3), arr(2, 1), arr(2, 3), fixed="x")],
        "kron_adjoint_y": [call(arr(6), arr(2), arr(3), fixed="y"), call(arr(4, 3), arr(2, 1), arr(2, 3), fixed="y")],
        "convolve_adjoint_x": [call(arr(6), arr(4), arr(3), fixed="x"), call(arr(4), arr(4), arr(3), "same", fixed="x")],
        "einsum_adjoint": [call(arr(2, 4), "ij,jk->ik", 0, arr(2, 3), arr(3, 4), fixed="operands0"),
                           call(arr(3), "ij,jk->i", 1, arr(3, 2), arr(2, 4), fixed="operands1"), call(arr(3), "ii->i", 0, arr(3, 3), fixed="operands0")],
        "half_tril": [call(arr(3, 3)), call(arr(2, 3, 3))],
        "mirror_lower": [call(arr(3, 3)), call(arr(2, 3, 3))],
        "fold_upper": [call(arr(3, 3)), call(arr(2, 3, 3))],
    }.items()
}  # fmt: skip

SAMPLES: dict[str, list[Sample]] = {**ELEMENTWISE, **REDUCTIONS, **SHAPES, **PRODUCTS, **MATH, **RUNTIME}

# --- functions without a derivative: only their kinds are tested

INTS, BOOLS = np.array([3, 1, 2]), np.array([True, False, True])
STEPS: dict[str, list[Sample]] = {
    **{f"numpy.{name}": [call(arr(2, 3)), call(0.7), call(arr(3, dtype="float32")), call(np.float32(0.3))]
       for name in ("floor", "ceil", "trunc", "rint", "sign", "signbit", "spacing", "isnan", "isinf", "isfinite", "logical_not", "round", "around",
                    "fix", "isreal", "iscomplex", "isposinf", "isneginf")},
    **{f"numpy.{name}": [call(arr(2, 3), arr(3)), call(0.7, arr(3, dtype="float32")), call(0.7, 0.3), call(INTS, 2)]
       for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor",
                    "floor_divide", "nextafter")},
    **{f"numpy.{name}": [call(INTS, INTS), call(INTS, 2), call(3, 2)] for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift",
                                                                                  "right_shift", "gcd", "lcm")},
    "numpy.invert": [call(INTS), call(BOOLS)],
    "numpy.any": [call(BOOLS), call(arr(2, 3), axis=0)],
    "numpy.all": [call(BOOLS), call(arr(2, 3), axis=0, keepdims=True)],
    "numpy.count_nonzero": [call(arr(2, 3), axis=1), call(BOOLS)],
    **{f"numpy.{name}": [call(arr(4)), call(arr(2, 3)), call(arr(2, 3), axis=1), call(arr(2, 3), axis=0, keepdims=True)] for name in ("argmax", "argmin")},
    "numpy.sum": [call(INTS), call(BOOLS), call(np.array([1, 2], dtype="int32")), call(np.array([1, 2], dtype="uint8"))],
    "numpy.mean": [call(INTS), call(BOOLS)],
    "numpy.var": [call(INTS)],
    "numpy.max": [call(INTS), call(BOOLS)],
    "numpy.cumsum": [call(BOOLS)],
    "numpy.sqrt": [call(INTS), call(BOOLS), call(4), call(np.array([1, 4], dtype="int8")), call(True)],
    "numpy.add": [call(INTS, 1), call(INTS, 0.5), call(BOOLS, BOOLS), call(1, 2), call(np.float32(1), 2.0), call(np.int32(1), INTS)],
    "numpy.divide": [call(INTS, 2), call(1, 2)],
    "numpy.power": [call(INTS, 2), call(INTS, 0.5)],
    "numpy.absolute": [call(INTS), call(-2)],
    "numpy.clip": [call(INTS, 1, 2)],
    "numpy.where": [call(BOOLS, 1, 0), call(BOOLS, INTS, 0.5), call(BOOLS), call(arr(2, 3))],
    "numpy.eye": [call(3), call(2, 3), call(3, dtype="float32")],
    "numpy.identity": [call(3)],
    "numpy.tri": [call(3), call(2, 3, -1)],
    "numpy.arange": [call(5), call(1, 7), call(0, 1, 0.25), call(5, dtype="float32"), call(2.5)],
    "numpy.array": [call([1, 2]), call([True]), call([[1, 2], [3, 4]]), call([1, 2], "float64"), call([1, 2.5])],
    "numpy.full": [call(3, 2), call((2, 2), True)],
    "numpy.stack": [call((INTS, INTS)), call((INTS, np.array([0.5, 1.0, 2.0])))],
    "numpy.concatenate": [call((INTS, BOOLS)), call((INTS, np.array([0.5])))],
    "numpy.shape": [call(arr(2, 3)), call(0.5)],
    "numpy.ndim": [call(arr(2, 3)), call(0.5)],
    "numpy.size": [call(arr(2, 3)), call(arr(2, 3), 1)],
    "ndarray.shape": [call(arr(2, 3))],
    "ndarray.ndim": [call(arr(2, 3))],
    "ndarray.size": [call(arr(2, 3)), call(arr(3))],
    "ndarray.astype": [call(arr(2, 3), "int64"), call(INTS, "float32"), call(BOOLS, "float64")],
    "numpy.argsort": [call(arr(5)), call(arr(2, 3), axis=0), call(arr(2, 3), axis=None)],
    "numpy.argpartition": [call(arr(5), 2)],
    "numpy.nonzero": [call(arr(2, 3)), call(BOOLS)],
    "numpy.flatnonzero": [call(arr(2, 3))],
    "numpy.argwhere": [call(arr(2, 3))],
    "numpy.searchsorted": [call(arr(5), 0.5), call(arr(5), arr(2, 3))],
    "numpy.digitize": [call(arr(2, 3), np.array([0.0, 0.5]))],
    "numpy.allclose": [call(arr(3), arr(3))],
    "numpy.array_equal": [call(arr(3), arr(3))],
    "numpy.isclose": [call(arr(2, 3), arr(3)), call(0.5, 0.25)],
    "numpy.isin": [call(INTS, [1, 2])],
    "numpy.tril_indices": [call(3)],
    "numpy.sort": [call(INTS), call(BOOLS)],
    "numpy.linspace": [call(0, 1, 5), call(0, 1)],
    "numpy.dot": [call(INTS, INTS), call(INTS, arr(3))],
    "numpy.trace": [call(np.eye(3, dtype=int))],
    "numpy.linalg.norm": [call(INTS)],
    **{f"math.{name}": [call(2.7)] for name in ("floor", "ceil", "trunc", "isnan", "isfinite", "ulp")},
    "math.gcd": [call(12, 18)],
    "math.comb": [call(5, 2)],
    "math.isclose": [call(0.1, 0.2)],
    "s2sad.runtime.size_along": [call(arr(2, 3), 1)],
    "s2sad.runtime.sign": [call(0.3), call(arr(3))],
    "s2sad.runtime.ge_share": [call(0.3, 0.4), call(arr(3, dtype="float32"), 0.5), call(arr(2, 3), arr(3))],
    "s2sad.runtime.ties": [call(arr(2, 3), np.array([0.5, 0.6]), 1), call(arr(3, dtype="float32"), 0.5)],
    "s2sad.runtime.zeros": [call(arr(3)), call(0.5), call(3), call(INTS), call((arr(2), 0.5))],
    "s2sad.runtime.stop_gradient": [call(arr(3)), call(0.5)],
}  # fmt: skip
