"""Samples of the runtime helpers."""

from __future__ import annotations

import numpy as np
from sampling import Sample, arr, binary, call, unary

from s2sad.runtime.schedules import Plan

G = arr(2, 3, seed=9)
HELD = arr(5, seed=4)
RUNTIME: dict[str, list[Sample]] = {
    f"s2sad.runtime.{name}": samples
    for name, samples in {
        "unbroadcast": [
            call(G, arr(3), fixed="like"),
            call(G, 0.5, fixed="like"),
            call(G, arr(2, 1), fixed="like"),
            call(G, G, fixed="like"),
            call(arr(2, 3, dtype="complex128"), arr(3), fixed="like"),
            call(G, arr(1, 3, dtype="float32"), fixed="like"),
            call(G, arr(1, 1, 2, 3), fixed="like"),
            call(G, arr(1, 2, 1), fixed="like"),
        ],
        "significant": [call(arr(3)), call(0.7), call(np.array([1.5, 0.0, -0.5]))],
        "seed": [call(arr(3), arr(3, seed=2), fixed="out"), call(0.5, 0.7, fixed="out")],
        "buffered": [call(0.7), call(arr(3))],
        "last_written": [
            call(arr(4), np.array([1, 3, 1]), fixed="index"),
            call(arr(3, 2), np.array([[0, 2], [2, 2]]), fixed="index"),
            call(arr(3, 2), 1, fixed="index"),
        ],
        "last_written_adjoint": [
            call(arr(3), arr(4, seed=2), np.array([1, 3, 1]), fixed="bar index"),
            call(arr(2, 2, 2), arr(3, 2, seed=2), np.array([[0, 2], [2, 2]]), fixed="bar index"),
        ],
        "strong_zero": [call(arr(3), arr(3, seed=2), fixed="seed"), call(0.5, 0.7, fixed="seed")],
        "strong_slope": [
            call(arr(3), arr(3, seed=2), arr(3, seed=3), fixed="x seed"),
            call(arr(2), np.array([np.nan, 1.0]), np.array([0.0, 1.0]), fixed="x seed"),
        ],
        "twin": [call(arr(3)), call(0.5), call(G), call(G[:, ::2])],
        "twin_as": [call(arr(3), arr(3)), call(0.5, 1.5), call(G, 2.0 * G), call(G, G[::-1])],
        "copy_of": [call(arr(3)), call(0.5), call(G)],
        "wide": [call(arr(3), arr(3, seed=2), fixed="x"), call(G, 2.0 * G, fixed="x")],
        "typed": [call(1.5, np.float64(0.7), fixed="x"), call(arr(3), arr(3, seed=2), fixed="x")],
        "unboxed": [call(arr(), 0.7, fixed="x"), call(arr(3), arr(3, seed=2), fixed="x")],
        "window_as": [call(arr(3), HELD[1:4], HELD, fixed="item base"), call(arr(3), arr(3, seed=2), HELD, fixed="item base")],
        "shadow_of": [call(arr(3), HELD[1:4], HELD, fixed="item base"), call(arr(3), arr(3, seed=2), HELD, fixed="item base")],
        "add": [call(arr(3), arr(3, seed=2)), call(0.5, 0.7), call(arr(2, 3), arr(2, 3, seed=2))],
        "broadcast_like": [
            call(arr(3), G, fixed="like"),
            call(0.5, G, fixed="like"),
            call(G, G, fixed="like"),
            call(arr(1, 1, 3), arr(3, seed=2), fixed="like"),
            call(arr(1, 3), G, fixed="like"),
            call(arr(1, 2, 1), G, fixed="like"),
        ],
        "as_a_row_of": [call(arr(3), arr(2, 3, seed=2), fixed="like"), call(G, arr(2, 3, seed=2), fixed="like")],
        "as_long_as": [call(G, arr(2, 3, seed=2), fixed="like"), call(arr(3), arr(3, seed=2), fixed="like")],
        "as_number": [call(0.5), call(np.float64(0.7))],
        "in_place": [
            call(0.5, G, fixed="old"),
            call(G[::-1], G, fixed="old"),
            call(arr(3), arr(3, seed=2), fixed="old"),
        ],
        "spread": [
            call(0.5, G, fixed="x"),
            call(arr(2), G, 1, fixed="x"),
            call(arr(2, 1), G, 1, True, fixed="x"),
            call(arr(3), arr(2, 3, 2), (0, -1), fixed="x"),
        ],
        "weights_along": [
            call(arr(3), G, 1, fixed="x"),
            call(G, G, None, fixed="x"),
            call(arr(3, 4), arr(4, 2, 3), (2, 0), fixed="x"),
        ],
        "weights_along_adjoint": [
            call(arr(1, 3), arr(3), G, 1, fixed="weights x"),
            call(arr(4, 1, 3), arr(3, 4), arr(4, 2, 3), (2, 0), fixed="weights x"),
        ],
        "columns": [call(arr(3), arr(3), fixed="b"), call(arr(2, 3), arr(3), fixed="b"), call(arr(2, 3), G, fixed="b")],
        "without_columns": [call(arr(3, 1), arr(3), fixed="b"), call(arr(2, 3), G, fixed="b")],
        "ratio": [call(0.7, 2.0), call(-0.3, 0.4)],
        "safe_divide": [*binary(0.5, 2.0), call(np.array([0.0, 1.0]), np.array([0.0, 2.0]), fixed="y")],
        "power_dx": [
            *binary(0.5, 2.0, complex=False),
            call(np.array([0.0, 1.0]), np.array([3.0, 2.0]), fixed="y"),
        ],
        "power_dy": binary(0.5, 2.0, complex=False),
        "sech2": [*unary(-2.0, 2.0), call(np.array([-400.0, 0.0, 400.0]))],
        "sinc_derivative": [call(arr(4, low=-3, high=3), n) for n in (1, 2, 3)]
        + [call(0.7, 1), call(np.array([0.0, 1e-3]), 1), call(np.array([0.0, 1e-3]), 2)],
        "bessel_i": [call(1, arr(3, low=-3, high=3)), call(0, 0.7), call(2, arr(2, 2))],
        "digamma": [call(0.7), call(4.3), call(-1.3)],
        "polygamma": [call(1, 0.7), call(2, 3.7), call(1, -1.3)],
        "before": [
            call(arr(4)),
            call(G, 1),
            call(G),
            call(arr(2, 3, 2), (0, 2)),
            call(np.array([2.0, 0.0, 3.0])),
        ],
        "after": [
            call(arr(4)),
            call(G, 1),
            call(G),
            call(arr(2, 3, 2), (0, 2)),
            call(np.array([2.0, 0.0, 3.0])),
        ],
        "prod_of_others": [
            call(arr(4)),
            call(G, 1),
            call(G),
            call(arr(2, 3, 2), (0, 2)),
            call(np.array([2.0, 0.0, 3.0])),
        ],
        "scan": [call(arr(4, seed=1), arr(4)), call(G, G + 0.1, 0), call(G, G + 0.1)],
        "scan_back": [call(arr(4, seed=1), arr(4)), call(G, G + 0.1, 0), call(G, G + 0.1)],
        "unconcatenate": [
            call(arr(5), (arr(3), arr(2)), fixed="arrays"),
            call(arr(2, 3), (arr(2, 1), arr(2, 2)), 1, fixed="arrays"),
            call(arr(5), (arr(2, 2), 0.5), None, fixed="arrays"),
            call(arr(3, 3), (arr(3), arr(2, 3)), 0, fixed="arrays"),
            call(arr(5), (arr(3), arr(2)), 1, fixed="arrays"),
        ],
        "reconcatenate": [
            call((arr(3), arr(2)), arr(5), fixed="like"),
            call((arr(3), arr(2, 3)), arr(3, 3), 0, fixed="like"),
            call((arr(2, 2), 0.5), arr(5), None, fixed="like"),
        ],
        "untile": [call(arr(6), arr(3), 2, fixed="x"), call(arr(2, 6), arr(2, 3), (1, 2), fixed="x")],
        "unrepeat": [
            call(arr(6), arr(3), 2, fixed="x"),
            call(arr(2, 3), arr(2, 3), np.array([1, 0, 2]), 1, fixed="x"),
        ],
        "take_adjoint": [
            call(arr(3), arr(5), np.array([0, 2, 2]), fixed="x"),
            call(arr(2, 3), arr(2, 4), np.array([0, 1, 1]), 1, fixed="x"),
        ],
        "take_along_adjoint": [call(arr(2, 2), arr(2, 3), np.array([[0, 2], [1, 1]]), 1, fixed="x")],
        "diagonal_window": [call(arr(3, 3)), call(arr(2, 3), 1), call(arr(2, 3, 2), 0, 0, 2)],
        "diagonal_adjoint": [
            call(arr(2), arr(2, 3), 0, fixed="x"),
            call(arr(2, 1), arr(2, 3, 3), 0, 1, 2, fixed="x"),
        ],
        "diag_adjoint": [call(arr(3, 3), arr(3), fixed="v"), call(arr(2), arr(2, 3), 1, fixed="v")],
        "pad_adjoint": [call(arr(5), arr(3), 1, fixed="x"), call(arr(4, 5), arr(2, 3), 1, "edge", fixed="x")],
        "diff_adjoint": [call(arr(4)), call(arr(2, 3), 1, 0), call(arr(2, 3), 2, -1)],
        "matmul_adjoint_x": [
            call(arr(4, 2, 2), arr(2, 3), arr(4, 3, 2), fixed="x"),
            call(arr(4, 2), arr(4, 2, 3), arr(3), fixed="x"),
            call(arr(4, 2), arr(3), arr(4, 3, 2), fixed="x"),
            call(arr(3, 4, 2, 2), arr(4, 2, 3), arr(3, 1, 3, 2), fixed="x"),
            call(arr(3, 4, 2, 2), arr(3, 1, 2, 3), arr(1, 4, 3, 2), fixed="x"),
            call(arr(2, 2), arr(2, 3), arr(3, 2), fixed="x"),
            call(0.3, arr(3), arr(3, seed=1), fixed="x"),
        ],
        "matmul_adjoint_y": [
            call(arr(4, 2, 2), arr(2, 3), arr(4, 3, 2), fixed="y"),
            call(arr(4, 2), arr(4, 2, 3), arr(3), fixed="y"),
            call(arr(4, 2), arr(3), arr(4, 3, 2), fixed="y"),
            call(arr(4, 2, 2), arr(4, 2, 3), arr(3, 2), fixed="y"),
            call(arr(3, 4, 2, 2), arr(3, 1, 2, 3), arr(1, 4, 3, 2), fixed="y"),
            call(arr(2, 2), arr(2, 3), arr(3, 2), fixed="y"),
        ],
        "tensordot_adjoint_x": [
            call(arr(2, 5), arr(2, 3, 4), arr(4, 5, 3), ([2, 1], [0, 2]), fixed="x"),
            call(arr(2, 4), arr(2, 3), arr(3, 4), 1, fixed="x"),
        ],
        "tensordot_adjoint_y": [
            call(arr(2, 5), arr(2, 3, 4), arr(4, 5, 3), ([2, 1], [0, 2]), fixed="y"),
            call(arr(2, 4), arr(2, 3), arr(3, 4), 1, fixed="y"),
        ],
        "kron_adjoint_x": [
            call(arr(6), arr(2), arr(3), fixed="x"),
            call(arr(4, 3), arr(2, 1), arr(2, 3), fixed="x"),
        ],
        "kron_adjoint_y": [
            call(arr(6), arr(2), arr(3), fixed="y"),
            call(arr(4, 3), arr(2, 1), arr(2, 3), fixed="y"),
        ],
        "cross_adjoint": [
            call(arr(3), arr(3, seed=1), arr(3, seed=2), fixed="a"),
            call(arr(4, 3), arr(4, 2, seed=1), arr(4, 3, seed=2), fixed="a"),
            call(arr(4), arr(4, 2, seed=1), arr(4, 2, seed=2), fixed="a"),
            call(arr(3, 4), arr(3, 4, seed=1), arr(3, seed=2), 0, 0, 0, fixed="a"),
        ],
        "convolve_adjoint_x": [
            call(arr(6), arr(4), arr(3), fixed="x"),
            call(arr(4), arr(4), arr(3), "same", fixed="x"),
        ],
        "placed": [call(arr(2, 3), Plan({}), 2, 1), call(arr(2, 3), Plan({2: {1: "DISK"}}), 2, 1)],
        "einsum_adjoint": [
            call(arr(2, 4), "ij,jk->ik", 0, arr(2, 3), arr(3, 4), fixed="like"),
            call(arr(3), "ij,jk->i", 1, arr(2, 4), arr(3, 2), fixed="like"),
            call(arr(3), "ii->i", 0, arr(3, 3), fixed="like"),
            call(arr(2), "ij,jk,kl->i", 1, arr(3, 4), arr(2, 3), arr(4, 5), fixed="like"),
        ],
    }.items()
}
