"""Samples of scipy.signal, scipy.integrate and scipy.interpolate."""

from __future__ import annotations

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.signal
from sampling import Sample, arr, call

FACTORS = [(arr(5), arr(3)), (arr(3), arr(4)), (arr(4, 5), arr(2, 3))]
PRODUCTS = [call(x, y, mode) for x, y in FACTORS for mode in ("full", "same", "valid")]
PRODUCTS += [call(arr(5, dtype="float32"), arr(3, dtype="float32"))]
IMAGES = [call(x, y, mode, "auto") for x, y in FACTORS[2:] for mode in ("full", "same", "valid")]
COMPLEX = call(arr(4, dtype="complex128"), arr(3, dtype="complex128"), "same")
X = np.array([0.0, 0.3, 0.7, 1.5, 1.9])
SPLINE = scipy.interpolate.CubicSpline(X, np.sin(3 * X))
TCK = scipy.interpolate.splrep(X, np.sin(3 * X))
KNOTS = (np.array([0.0, 0.0, 0.0, 0.6, 1.0, 1.0, 1.0]), np.array([0.0, 0.0, 2.0, 2.0]))
SURFACE = (*KNOTS, np.array([0.3, 1.2, -0.4, 0.9, 2.0, 0.1, -1.3, 0.7]), 2, 1)

SIGNAL: dict[str, list[Sample]] = {
    "scipy.signal.convolve": [*PRODUCTS, *IMAGES, COMPLEX, call(arr(5), arr(3), method="fft")],
    "scipy.signal.fftconvolve": [*PRODUCTS, COMPLEX],
    "scipy.signal.correlate": [*PRODUCTS, *IMAGES, call(arr(2), arr(5), "valid")],
    "scipy.signal.convolve2d": [call(arr(4, 5), arr(2, 3), mode) for mode in ("full", "same", "valid")],
    "scipy.signal.correlate2d": [call(arr(4, 5), arr(2, 3), mode) for mode in ("full", "valid")],
    "scipy.signal.lfilter": [
        call(arr(3), np.array([1.0, -0.5, 0.2]), arr(6)),
        call(arr(2), np.array([2.0, 0.5]), arr(2, 5)),
        call(arr(2), np.array([2.0, 0.5]), arr(5, 2), axis=0),
        call(arr(3), np.array([1.5]), arr(2)),
        call(arr(2, dtype="float32"), np.array([2.0, 0.5], "float32"), arr(5, dtype="float32")),
    ],
    "scipy.integrate.trapezoid": [call(arr(5)), call(arr(2, 5), X), call(arr(5, 2), dx=0.3, axis=0)],
    "scipy.integrate.simpson": [
        *(call(arr(n)) for n in (1, 2, 3, 4, 5, 6)),
        call(arr(2, 4), dx=0.3),
        call(arr(4, 2), dx=0.3, axis=0),
    ],
    "scipy.integrate.cumulative_trapezoid": [
        call(arr(5)),
        call(arr(5), initial=0),
        call(arr(5, 2), dx=0.3, axis=0),
        call(arr(5, 2), dx=0.3, axis=0, initial=0),
    ],
    "s2sad.libraries.scipy.runtime.spline_value": [
        call(SPLINE, 0.4),
        call(SPLINE, arr(2, 3, low=0.1, high=1.8)),
        call(SPLINE, arr(3, low=0.1, high=1.8), 1),
        call(SPLINE, arr(3, low=0.1, high=1.8, dtype="float32")),
    ],
    "s2sad.libraries.scipy.runtime.tck_value": [
        *(call(0.4, TCK, der, fixed="tck") for der in range(4)),
        call(arr(2, 3, low=0.1, high=1.8), TCK, fixed="tck"),
        *(call(np.array([-0.7, 0.4, 2.6]), TCK, 0, ext, fixed="tck") for ext in (0, 1, 3)),
        call(arr(3, low=0.1, high=1.8), TCK, der=1, fixed="tck"),
    ],
    "s2sad.libraries.scipy.runtime.tck_slope": [
        *(call(arr(3, low=0.1, high=1.8), TCK, der, fixed="tck") for der in (1, 2, 3, 4)),
        *(call(np.array([-0.7, 0.4, 2.6]), TCK, 1, ext, fixed="tck") for ext in (0, 1, 3)),
    ],
    "s2sad.libraries.scipy.runtime.surface_value": [
        *(call(x, y, SURFACE, fixed="tck") for x, y in ((0.4, 0.7), (0.8, -1.0), (1.7, 1.3), (-1.0, 3.0))),
    ],
    "s2sad.libraries.scipy.runtime.surface_slope": [
        *(call(0.4, 0.7, SURFACE, dx, dy, fixed="tck") for dx, dy in ((1, 0), (0, 1), (1, 1), (2, 1), (3, 0), (0, 2))),
        call(0.8, -1.0, SURFACE, 1, 0, fixed="tck"),
        call(0.8, -1.0, SURFACE, 0, 1, fixed="tck"),
    ],
    "s2sad.libraries.scipy.runtime.convolve_adjoint_1": [
        call(arr(4), arr(4, seed=1), arr(3), "same"),
        call(arr(6), arr(4), arr(3)),
    ],
    "s2sad.libraries.scipy.runtime.fftconvolve_adjoint_1": [
        call(arr(3, 6), arr(3, 4), arr(3, 3, seed=1), fixed="in1"),
        call(arr(1, 4), arr(1, 4), arr(3, 3, seed=1), "same", [1], fixed="in1"),
        call(arr(3, 2), arr(3, 4), arr(1, 3, seed=1), "valid", 1, fixed="in1"),
    ],
    "s2sad.libraries.scipy.runtime.fftconvolve_adjoint_2": [
        call(arr(3, 6), arr(3, 4), arr(1, 3, seed=1), fixed="in2"),
        call(arr(3, 2), arr(3, 4), arr(3, 3, seed=1), "valid", (1,), fixed="in2"),
    ],
    "s2sad.libraries.scipy.runtime.convolve_adjoint_2": [
        call(arr(4), arr(4, seed=1), arr(3), "same"),
        call(arr(6), arr(4), arr(3)),
    ],
    "s2sad.libraries.scipy.runtime.lag_products": [
        call(arr(5), arr(5, seed=1), 3),
        call(arr(5, 2), arr(5, 2, seed=1), 2, 0),
    ],
    "s2sad.libraries.scipy.runtime.simpson_adjoint": [
        call(0.7, arr(4), dx=0.3, axis=-1),
        call(arr(2), arr(2, 5)),
    ],
    "s2sad.libraries.scipy.runtime.cumulative_trapezoid_adjoint": [
        call(arr(4), arr(5), dx=0.3, axis=-1),
        call(arr(2, 5), arr(2, 5, seed=1), initial=0),
    ],
}
SIGNAL_STEPS: dict[str, list[Sample]] = {"s2sad.libraries.scipy.runtime.margins": [call(arr(2, 3), 1)]}
