"""Samples of functions that choose, order, insert, interpolate, and of polynomials."""

from __future__ import annotations

import numpy as np
from sampling import Sample, arr, call

MASK = np.array([True, False, True, True])
X, XP, FP = arr(5, low=0.1, high=1.9), np.array([0.0, 0.5, 1.2, 2.0]), arr(4, seed=2)
BEYOND = np.array([-0.5, 0.3, 1.0, 2.5])
ANGLES = np.array([-1.0, 0.2, 3.3, 7.0])
P, Q = arr(4), arr(3, seed=5)

PIECES: dict[str, list[Sample]] = {
    "numpy.pad": [
        call(arr(3), 1, constant_values=0.5),
        call(arr(2, 3), ((1, 0), (0, 2)), constant_values=0.5),
    ],
    "numpy.atleast_3d": [call(0.7), call(arr(3)), call(arr(2, 3)), call(arr(2, 3, 2))],
    "ndarray.mT": [call(arr(2, 3)), call(arr(2, 3, 4))],
    "numpy.resize": [
        call(arr(3), 7),
        call(arr(2, 3), (2, 2)),
        call(arr(3, dtype="float32"), (2, 3)),
        call(0.7, 3),
    ],
    "numpy.sort": [call(arr(5), kind="stable"), call(arr(3, dtype="float32"))],
    "numpy.partition": [
        call(arr(7), 3),
        call(arr(2, 5), 2),
        call(arr(4, 2), 1, axis=0),
        call(arr(2, 3), 2, axis=None),
        call(arr(6), (1, 4)),
    ],
    "numpy.compress": [
        call(MASK, arr(4)),
        call(MASK, arr(2, 4), axis=1),
        call(MASK[:3], arr(4)),
        call(MASK, arr(2, 3)),
        call(MASK, arr(4, dtype="float32"), axis=0),
    ],
    "ndarray.compress": [call(arr(4), MASK), call(arr(2, 4), MASK, axis=1)],
    "numpy.extract": [call(MASK, arr(4)), call(MASK.reshape(2, 2), arr(2, 2))],
    "numpy.delete": [
        call(arr(4), 1),
        call(arr(4), np.array([0, 2])),
        call(arr(2, 4), -1, axis=1),
        call(arr(2, 3), 2),
        call(arr(4), slice(0, 2)),
        call(arr(4), MASK),
    ],
    "numpy.insert": [
        call(arr(4), 1, 0.5),
        call(arr(4), np.array([0, 2]), arr(2, seed=3)),
        call(arr(2, 4), 1, arr(2, seed=3), axis=1),
        call(arr(2, 4), 1, 0.5, axis=0),
        call(arr(2, 3), np.array([1, 1]), arr(2, 2, seed=3), axis=1),
        call(arr(2, 3), 2, arr(1, seed=3)),
        call(arr(4), -1, arr(3, seed=2)),
    ],
    "numpy.trim_zeros": [
        call(arr(3, dtype="float32"), "f"),
        call(arr(3)),
    ],
    "numpy.choose": [
        call(np.array([0, 1, 1]), (arr(3), arr(3, seed=2))),
        call(np.array([0, 2, 1]), (arr(3), 0.5, arr(1, seed=2))),
        call(np.array([[0, 3], [1, 0]]), (arr(2), arr(2, 1)), mode="wrap"),
        call(np.array([0, 5]), [arr(2), arr(2, seed=3)], mode="clip"),
        call(np.array([0, 1, 1]), arr(2, 3)),
    ],
    "ndarray.choose": [call(np.array([0, 1, 1]), (arr(3), arr(3, seed=2)))],
    "numpy.interp": [
        call(X, XP, FP),
        call(0.7, XP, FP),
        call(BEYOND, XP, FP),
        call(BEYOND, XP, FP, -1.5, 2.5),
        call(BEYOND, XP, FP, right=0.5),
        call(arr(2, 3, low=0.1, high=1.9), XP, FP),
        call(ANGLES, np.array([0.5, 2.0, 4.0, 5.5]), FP, period=6),
        call(ANGLES, np.array([0.5, 2.0, 4.0, 5.5]), FP, period=6.0, fixed="period"),
        call(X, XP, arr(4, dtype="complex128")),
        call(0.7, [0.0, 1.0], [0.2, 0.9]),
    ],
    "numpy.arange": [
        call(0.5, 3.2),
        call(0.5, 3.2, 0.6),
        call(3.2),
        call(0, 3.2, 0.6),
        call(0.5, 3),
    ],
    "numpy.geomspace": [
        call(0.5, 8.0, 5),
        call(0.5, 8.0, num=4, endpoint=False),
        call(-0.5, -3.0, 4),
        call(arr(2, low=0.5), 3.0, 4),
    ],
    "numpy.logspace": [
        call(0.1, 0.9, 5),
        call(0.1, 0.9, 4, False),
        call(0.1, 0.9, num=4, base=2.5),
        call(arr(2), arr(2, seed=3), 3),
    ],
    "numpy.asarray_chkfinite": [call(arr(3)), call([0.1, 0.2])],
    "numpy.require": [call(arr(3)), call(arr(2, 3).T, requirements="C")],
    "numpy.float64": [call(0.7), call(arr(3)), call(np.float32(0.5)), call(arr(2, dtype="float32"))],
    "numpy.float32": [call(arr(3, dtype="float32"))],
    "numpy.float16": [call(arr(3, dtype="float16"))],
    "numpy.complex64": [call(arr(3, dtype="complex64"))],
    "numpy.complex128": [call(arr(3)), call(arr(3, dtype="complex128")), call(0.3)],
    "numpy.polyval": [
        call(P, arr(3)),
        call(P, 0.7),
        call(P, arr(2, 2)),
        call([0.3, -0.2, 0.5], arr(3)),
        call(arr(1), arr(2)),
        call(arr(3, dtype="float32"), arr(2, dtype="float32")),
        call(arr(3), arr(2, dtype="complex128")),
        call(arr(3, dtype="complex128"), arr(2)),
    ],
    "numpy.roots": [
        call(np.array([1.0, -3.5, 1.5])),
        call(np.array([2.0, 0.3, 1.0, 0.0])),
        call(np.array([1.0, 2j, 3.0 - 1j])),
    ],
    "numpy.polyder": [call(P), call(P, 2), call(arr(2), 3), call(arr(3), 0), call([0.3, 0.5, 0.7])],
    "numpy.polyint": [call(P), call(P, 2), call(P, 1, 0.7), call(P, 3, arr(3, seed=1)), call(P, 2, k=0.4)],
    "numpy.polyadd": [call(P, Q), call(Q, P), call(P, arr(4, seed=3)), call(P, 0.5)],
    "numpy.polysub": [call(P, Q), call(Q, P), call(0.5, P)],
    "numpy.polymul": [call(P, Q), call(Q, P), call(np.array([0.5]), P), call([0.3, 0.2], [0.4, 0.1, 0.7])],
}

G = arr(5, seed=9)
PIECES_HELPERS: dict[str, list[Sample]] = {
    f"s2sad.runtime.{name}": samples
    for name, samples in {
        "choose_adjoint": [
            call(arr(3), np.array([0, 1, 1]), (arr(3), arr(3, seed=2)), fixed="choices"),
            call(arr(3), np.array([0, 4, 1]), (arr(3), 0.5), "wrap", fixed="choices"),
            call(arr(3), np.array([0, 4, 1]), [arr(1), 0.5], "clip", fixed="choices"),
        ],
        "insert_adjoint": [
            call(arr(6), arr(4), np.array([0, 2]), arr(2), None, 0, fixed="arr values"),
            call(arr(6), arr(4), np.array([0, 2]), arr(2), None, 1, fixed="arr values"),
            call(arr(2, 5), arr(2, 4), 1, 0.5, 1, 1, fixed="arr values"),
            call(arr(2, 5), arr(2, 4), 1, 0.5, 1, 0, fixed="arr values"),
        ],
        "trim_adjoint": [call(arr(2), np.array([0.0, 0.5, 0.7, 0.0]), fixed="filt")],
        "trimmed": [
            call(arr(4), np.array([0.0, 0.5, 0.7, 0.0]), fixed="filt"),
            call(arr(4), np.array([0.0, 0.5, 0.7, 0.0]), "b", fixed="filt"),
        ],
        "interp_slope": [
            call(X, XP, FP, fixed="x"),
            call(0.7, XP, FP, fixed="x"),
            call(ANGLES, np.array([0.5, 2.0, 4.0, 5.5]), FP, 6.0, fixed="x"),
            call(BEYOND, XP, FP, fixed="x"),
        ],
        "interp_slope_adjoint": [
            call(G, X, XP, FP, fixed="x fp"),
            call(arr(4), ANGLES, np.array([0.5, 2.0, 4.0, 5.5]), FP, 6.0, fixed="x fp"),
        ],
        "interp_adjoint": [
            call(G, X, XP, FP, fixed="fp"),
            call(0.5, 0.7, XP, FP, fixed="fp"),
            call(arr(4), BEYOND, XP, FP, 0, 0, fixed="fp"),
            call(arr(4), ANGLES, np.array([0.5, 2.0, 4.0, 5.5]), FP, None, None, 6.0, fixed="fp"),
        ],
        "polyval_adjoint": [
            call(arr(3), P, arr(3, seed=4), fixed="p"),
            call(0.5, P, 0.7, fixed="p"),
            call(arr(2, dtype="complex128"), P, arr(2), fixed="p"),
        ],
        "polyder_adjoint": [call(arr(3), P, fixed="p"), call(arr(2), P, 2, fixed="p")],
        "polyint_adjoint": [call(arr(5), P, fixed="p"), call(arr(6), P, 2, fixed="p")],
        "polyint_adjoint_k": [
            call(arr(5), 0.5, fixed="k"),
            call(arr(6), arr(2), 2, fixed="k"),
            call(arr(6), 0.5, 2, fixed="k"),
        ],
        "lowest": [call(P, Q, fixed="p"), call(P, 0.5, fixed="p"), call(P, P, fixed="p")],
        "lowest_adjoint": [call(Q, P, fixed="bar"), call(0.5, P, fixed="bar")],
    }.items()
}
INDICES = np.array([0, 2, 1])
PIECES_STEPS: dict[str, list[Sample]] = {
    "s2sad.runtime.section_bounds": [call(arr(6), 3), call(arr(2, 7), 3, 1, False)],
    "s2sad.runtime.flat_places": [
        call(arr(2, 3), INDICES),
        call(arr(2, 3), 4),
        call(arr(4), np.array([7, -9]), "wrap"),
    ],
    "s2sad.runtime.flat_cells": [
        call(arr(2, 3), [0, -1]),
        call(arr(2, 3), slice(1, 5, 2)),
        call(arr(2, 2), MASK),
        call(arr(2, 3), 4),
    ],
    "s2sad.runtime.mask_places": [call(arr(4), MASK), call(arr(2, 2), MASK)],
    "s2sad.runtime.diagonal_places": [call(arr(3, 3)), call(arr(5, 2), True), call(arr(2, 2, 2))],
    "s2sad.runtime.places_along": [call(arr(2, 3), np.array([[0, 2], [1, 1]]), 1)],
    "s2sad.runtime.placement": [call(arr(4), np.sort(arr(4)))],
    "s2sad.runtime.interp_outside": [call(BEYOND, XP, "left"), call(0.5, XP, "right")],
    "numpy.unravel_index": [call(4, (2, 3)), call(INDICES, (2, 3))],
    "ndarray.nbytes": [call(arr(3))],
    "ndarray.itemsize": [call(arr(3))],
}
