"""Samples of functions without a derivative, of which only the kinds are tested."""

from __future__ import annotations

import numpy as np
from sampling import Sample, arr, call

INTS, BOOLS = np.array([3, 1, 2]), np.array([True, False, True])
STEPS: dict[str, list[Sample]] = {
    **{
        f"numpy.{name}": [call(arr(2, 3)), call(0.7), call(arr(3, dtype="float32")), call(np.float32(0.3))]
        for name in (
            "floor",
            "ceil",
            "trunc",
            "rint",
            "sign",
            "signbit",
            "spacing",
            "isnan",
            "isinf",
            "isfinite",
            "logical_not",
            "round",
            "around",
            "fix",
            "isreal",
            "iscomplex",
            "isposinf",
            "isneginf",
        )
    },
    **{
        f"numpy.{name}": [
            call(arr(2, 3), arr(3)),
            call(0.7, arr(3, dtype="float32")),
            call(0.7, 0.3),
            call(INTS, 2),
        ]
        for name in (
            "equal",
            "not_equal",
            "less",
            "less_equal",
            "greater",
            "greater_equal",
            "logical_and",
            "logical_or",
            "logical_xor",
            "floor_divide",
            "nextafter",
        )
    },
    **{
        f"numpy.{name}": [call(INTS, INTS), call(INTS, 2), call(3, 2)]
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm")
    },
    "numpy.invert": [call(INTS), call(BOOLS)],
    "numpy.any": [call(BOOLS), call(arr(2, 3), axis=0)],
    "numpy.all": [call(BOOLS), call(arr(2, 3), axis=0, keepdims=True)],
    "numpy.count_nonzero": [call(arr(2, 3), axis=1), call(BOOLS)],
    **{
        f"numpy.{name}": [
            call(arr(4)),
            call(arr(2, 3)),
            call(arr(2, 3), axis=1),
            call(arr(2, 3), axis=0, keepdims=True),
        ]
        for name in ("argmax", "argmin")
    },
    "numpy.sum": [
        call(INTS),
        call(BOOLS),
        call(np.array([1, 2], dtype="int32")),
        call(np.array([1, 2], dtype="uint8")),
    ],
    "numpy.mean": [call(INTS), call(BOOLS)],
    "numpy.var": [call(INTS)],
    "numpy.max": [call(INTS), call(BOOLS)],
    "numpy.cumsum": [call(BOOLS)],
    "numpy.sqrt": [call(INTS), call(BOOLS), call(4), call(np.array([1, 4], dtype="int8")), call(True)],
    "numpy.add": [
        call(INTS, 1),
        call(INTS, 0.5),
        call(BOOLS, BOOLS),
        call(1, 2),
        call(np.float32(1), 2.0),
        call(np.int32(1), INTS),
    ],
    "numpy.divide": [call(INTS, 2), call(1, 2)],
    "numpy.power": [call(INTS, 2), call(INTS, 0.5)],
    "numpy.absolute": [call(INTS), call(-2)],
    "numpy.clip": [call(INTS, 1, 2)],
    "numpy.where": [call(BOOLS, 1, 0), call(BOOLS, INTS, 0.5), call(BOOLS), call(arr(2, 3))],
    "numpy.eye": [call(3), call(2, 3), call(3, dtype="float32")],
    "numpy.identity": [call(3)],
    "numpy.tri": [call(3), call(2, 3, -1)],
    "numpy.arange": [call(5), call(1, 7), call(0, 1, 0.25), call(5, dtype="float32"), call(2.5)],
    "numpy.array": [
        call([1, 2]),
        call([True]),
        call([[1, 2], [3, 4]]),
        call([1, 2], "float64"),
        call([1, 2.5]),
    ],
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
    "numpy.argsort": [call(arr(5)), call(arr(2, 3), axis=0), call(arr(2, 3), axis=None), call(arr(5), kind="stable"),
                      call(arr(5), stable=True), call(arr(5), order=None)],
    "numpy.argpartition": [call(arr(5), 2), call(arr(5), 2, kind="introselect"), call(arr(5), 2, order=None)],
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
    "s2sad.runtime.ties": [
        call(arr(2, 3), arr(2, 3).max(axis=1), 1),
        call(arr(3, dtype="float32"), arr(3, dtype="float32").max()),
    ],
    "s2sad.runtime.zero_twin": [call(arr(3)), call(0.5), call(arr(2, 3)), call(arr(2, 3)[:, ::2])],
    "s2sad.runtime.stand_in": [call(arr(3)), call(0.5), call(arr(2, 3)[:, ::2]), call(arr(2, 0)), call(INTS)],
    "s2sad.runtime.zeros": [call(arr(3)), call(0.5), call(3), call(INTS), call((arr(2), 0.5))],
    "s2sad.runtime.stop_gradient": [call(arr(3)), call(0.5)],
}
