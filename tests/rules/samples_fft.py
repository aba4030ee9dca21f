"""Samples of Fourier transforms."""

from __future__ import annotations

from typing import Any

from sampling import Sample, arr, call


def spectrum(*shape: int) -> Any:
    """Complex numbers, also where a transform to real numbers reads the real part only."""
    return arr(*shape, dtype="complex128")


LINES = [arr(5), arr(2, 6), spectrum(4), spectrum(3, 2), arr(4, dtype="float32")]
PLANES = [arr(3, 4), arr(2, 3, 4), spectrum(4, 3), arr(4, 3, dtype="float32")]


def along_one(*values: Any) -> list[Sample]:
    """All lengths, axes and scalings."""
    found = [call(x) for x in values]
    x = values[1]
    found += [call(x, 4), call(x, 9), call(x, n=5, axis=0), call(x, None, 0), call(x, axis=-2)]
    found += [call(x, norm=norm) for norm in ("backward", "ortho", "forward")]
    return [*found, call(x, 4, norm="ortho"), call(x, n=7, norm="forward")]


def along_two(*values: Any) -> list[Sample]:
    """All shapes, pairs of axes and scalings."""
    found = [call(x) for x in values]
    x = values[1]
    found += [call(x, (2, 5)), call(x, axes=(0, 1)), call(x, s=(3, 4), axes=(2, 0)), call(x, axes=(1,))]
    return found + [call(x, norm=norm) for norm in ("ortho", "forward")]


HALVES = [spectrum(4), spectrum(2, 4), spectrum(3, 3), arr(4), arr(4, dtype="float32")]
HALF_PLANES = [spectrum(3, 4), spectrum(2, 3, 4), spectrum(3, 3), arr(4, 3)]
REAL_LINES = [x for x in LINES if x.dtype.kind == "f"]
REAL_PLANES = [x for x in PLANES if x.dtype.kind == "f"]

FFT: dict[str, list[Sample]] = {
    f"numpy.fft.{name}": samples
    for name, samples in {
        "fft": along_one(*LINES),
        "ifft": along_one(*LINES),
        "rfft": along_one(*REAL_LINES),
        "ihfft": along_one(*REAL_LINES),
        "irfft": along_one(*HALVES),
        "hfft": along_one(*HALVES),
        "fft2": along_two(*PLANES),
        "ifft2": along_two(*PLANES),
        "rfft2": along_two(*REAL_PLANES),
        "irfft2": along_two(*HALF_PLANES),
        "fftn": along_two(*PLANES),
        "ifftn": along_two(*PLANES),
        "rfftn": along_two(*REAL_PLANES),
        "irfftn": along_two(*HALF_PLANES),
        "fftshift": [call(arr(5)), call(arr(2, 3)), call(arr(2, 3), 1), call(spectrum(4, 3), axes=(0,))],
        "ifftshift": [call(arr(5)), call(arr(2, 3)), call(arr(2, 3), 1), call(spectrum(4, 3), axes=(0,))],
        "fftfreq": [call(5, 0.3), call(4, d=0.7)],
        "rfftfreq": [call(5, 0.3), call(4, d=0.7)],
    }.items()
}
FFT |= {
    f"s2sad.runtime.{name}": samples
    for name, samples in {
        "fitted": [call(arr(2, 5), arr(3, 4), fixed="like"), call(spectrum(3), arr(5), fixed="like")],
        "fftn_adjoint": [
            call(spectrum(2, 4), spectrum(2, 4), None, (-1,), fixed="a"),
            call(spectrum(2, 3), arr(2, 4), (3,), (-1,), fixed="a"),
        ],
        "ifftn_adjoint": [
            call(spectrum(2, 4), spectrum(2, 4), fixed="a"),
            call(spectrum(2, 5), arr(2, 4), (5,), (1,), "ortho", fixed="a"),
        ],
        "rfftn_adjoint": [
            call(spectrum(2, 3), arr(2, 4), None, (-1,), fixed="a"),
            call(spectrum(3, 3), arr(2, 4), (3, 5), None, "forward", fixed="a"),
        ],
        "irfftn_adjoint": [
            call(arr(2, 6), spectrum(2, 4), None, (-1,), fixed="a"),
            call(arr(3, 5), arr(2, 4), (3, 5), None, "ortho", fixed="a"),
        ],
    }.items()
}
