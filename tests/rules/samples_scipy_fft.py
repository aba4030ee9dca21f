"""Samples of scipy.fft."""

from __future__ import annotations

import numpy as np
import scipy.fft  # noqa: F401  rules find the functions of modules that have been imported
from sampling import Sample, arr, call

NORMS = (None, "ortho", "forward")
REAL, COMPLEX = arr(5), arr(4, dtype="complex128")

FFT: dict[str, list[Sample]] = {
    **{
        f"scipy.fft.{n}": [
            *(call(x, norm=norm) for x in (REAL, COMPLEX) for norm in NORMS),
            call(arr(3, 4), 6, 0),
        ]
        for n in ("fft", "ifft")
    },
    **{
        f"scipy.fft.{n}": [*(call(REAL, norm=norm) for norm in NORMS), call(arr(3, 4), 5, axis=0)]
        for n in ("rfft", "ihfft")
    },
    **{
        f"scipy.fft.{n}": [*(call(COMPLEX, norm=norm) for norm in NORMS), call(COMPLEX, 5)]
        for n in ("irfft", "hfft")
    },
    **{
        f"scipy.fft.{n}{d}": [
            call(arr(3, 4), norm="ortho"),
            call(arr(2, 3, 4), axes=(0, 2)),
            call(arr(3, 4), (4, 4)),
        ]
        for n in ("fft", "ifft", "rfft")
        for d in ("2", "n")
    },
    **{
        f"scipy.fft.irfft{d}": [call(arr(3, 4, dtype="complex128")), call(arr(3, 4), (4, 4))]
        for d in ("2", "n")
    },
    **{
        f"scipy.fft.{n}": [
            call(x, kind, norm=norm) for x in (REAL, arr(4)) for kind in (1, 2, 3, 4) for norm in NORMS
        ]
        + [call(arr(3, 4), 2, 6, 0), call(arr(3, 4), n=3), call(arr(5, dtype="float32"))]
        for n in ("dct", "idct", "dst", "idst")
    },
    **{
        f"scipy.fft.{n}n": [
            call(arr(3, 4)),
            call(arr(3, 4), 3, norm="ortho"),
            call(arr(3, 4), 2, (4, 3)),
            call(arr(3, 4), axes=(0,)),
        ]
        for n in ("dct", "idct", "dst", "idst")
    },
    "s2sad.libraries.scipy.runtime.trigonometric_adjoint": [
        call(arr(4), arr(4, seed=1), "dct", 3),
        call(arr(3, 5), arr(3, 4), "idst", 2, (5,), (1,), "forward"),
        call(np.array([0.3, 0.4]), arr(3), "dct", 2, (2,)),
    ],
}
