"""Samples of scipy.ndimage, and of the helpers that are adjoints of its filters."""

from __future__ import annotations

import scipy.ndimage  # noqa: F401  rules find the functions of modules that have been imported
from sampling import Sample, arr, call

WEIGHTS = [arr(3, 3), arr(2, 3), arr(2, 4)]
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")
SYMMETRIC = ("reflect", "constant", "wrap", "grid-mirror")
LINES = [call(arr(5, 6), arr(n), 0, mode=mode) for n in (3, 4) for mode in MODES] + [
    call(arr(2, 6), arr(4), mode="nearest", origin=1, fixed="cval"),
    call(arr(6), arr(3), origin=-1),
    call(arr(3), arr(5), mode="wrap"),
]
HELPERS = "s2sad.libraries.scipy.runtime."

IMAGES: dict[str, list[Sample]] = {
    **{
        f"scipy.ndimage.{name}": [call(arr(5, 6), w, mode=mode) for w in WEIGHTS for mode in MODES]
        + [call(arr(6), arr(4)), call(arr(6, dtype="float32"), arr(3, dtype="float32"), mode="wrap")]
        for name in ("convolve", "correlate")
    },
    "scipy.ndimage.gaussian_filter": [
        call(arr(6, 5), 0.8, mode=mode, fixed="sigma") for mode in (*SYMMETRIC, "nearest", "mirror")
    ]
    + [call(arr(7), 1.3, truncate=2.0, fixed="sigma"), call(arr(6, 5), (0.8, 1.3), fixed="sigma")]
    + [call(arr(6, 5), 0.7, (1, 2), mode=mode, fixed="sigma") for mode in MODES]
    + [
        call(arr(6, 5), 0.7, radius=1, mode="nearest", fixed="sigma"),
        call(arr(3, 4), 1.5, mode="mirror", fixed="sigma"),
    ],
    "scipy.ndimage.gaussian_filter1d": [
        call(arr(6, 5), 0.8, axis, mode=mode, fixed="sigma") for axis in (0, -1) for mode in MODES
    ]
    + [call(arr(7), 0.9, order=order, mode="reflect", fixed="sigma") for order in (1, 2)],
    "scipy.ndimage.uniform_filter": [
        call(arr(6, 5), 3, mode=mode) for mode in (*SYMMETRIC, "nearest", "mirror")
    ]
    + [
        call(arr(7), 5),
        call(arr(6, 5), 4),
        call(arr(6, 5), (2, 3), mode="constant"),
        call(arr(6, 5), 3, origin=1),
    ],
    "scipy.ndimage.correlate1d": [*LINES, call(arr(6), arr(3), -1, None, "constant", 0.7, fixed="cval")],
    "scipy.ndimage.spline_filter1d": [call(arr(6)), call(arr(5, 6), 2, 0), call(arr(6), mode="reflect")],
    f"{HELPERS}gaussian_filter_adjoint": [
        call(arr(6, 5), arr(6, 5, seed=1), 0.7, (1, 0), "nearest", fixed="sigma")
    ],
    f"{HELPERS}gaussian_filter1d_adjoint": [
        call(arr(6, 5), arr(6, 5, seed=1), 0.7, 0, 1, "mirror", fixed="sigma")
    ],
    f"{HELPERS}uniform_filter_adjoint": [call(arr(6, 5), arr(6, 5, seed=1), 4, "nearest")],
    f"{HELPERS}correlate1d_adjoint": [call(arr(6, 5), arr(6, 5, seed=1), arr(4), 0, "nearest", 1)],
    f"{HELPERS}correlate1d_adjoint_weights": [
        call(arr(6, 5), arr(6, 5, seed=1), arr(4), 0, "nearest", 0.0, 1, fixed="cval"),
        call(arr(6), arr(6, seed=1), arr(3), -1, "constant", 0.7, fixed="cval"),
    ],
    f"{HELPERS}spline_filter1d_adjoint": [call(arr(6, 5), arr(6, 5, seed=1), 3, 0)],
}
