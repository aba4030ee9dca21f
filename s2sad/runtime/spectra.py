"""Adjoints of Fourier transforms: plain transposes, without a conjugate.

The matrix of a discrete Fourier transform is symmetric, so that ``fft`` is its own transpose. What the transforms
of real signals leave out (the redundant half of a spectrum), and what ``n`` and ``s`` crop or fill with zeros, is
put back here. Axes may be named once only. (Van Loan, "Computational Frameworks for the Fast Fourier Transform",
SIAM 1992, sections 1.1 and 4.3.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast

_INVERSE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def inverse_norm(norm: str | None) -> str:
    """The ``norm`` with which a transform is scaled as its inverse is with ``norm``."""
    return _INVERSE[norm]


def _axes(a: Any, s: Any, axes: Any) -> tuple[int, ...]:
    """The transformed axes of ``a``, counted from the front. Raises ValueError where one is named twice."""
    rank = np.ndim(a)
    if axes is None:
        axes = range(rank) if s is None else range(rank - len(s), rank)
    found = tuple(int(axis) % rank for axis in axes)
    if len(set(found)) < len(found):
        raise ValueError(f"the derivative of a Fourier transform along the axes {found}: one is named twice")
    return found


def _sizes(a: Any, s: Any, axes: tuple[int, ...]) -> list[int]:
    """The sizes of the transform, those of ``a`` where ``s`` does not say."""
    given = [None] * len(axes) if s is None else list(s)
    return [np.shape(a)[k] if n is None or n == -1 else int(n) for n, k in zip(given, axes, strict=True)]


def fitted(x: Any, like: Any) -> Any:
    """``x`` cropped, or filled with zeros at the ends, to the shape of ``like``, in the dtype of ``like``."""
    shape = np.shape(like)
    if np.shape(x) != shape:
        common = tuple(slice(min(m, n)) for m, n in zip(np.shape(x), shape, strict=True))
        whole = np.zeros(shape, dtype=x.dtype)
        whole[common] = x[common]
        x = whole
    return unbroadcast(x, like)


def fftn_adjoint(bar: Any, a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """The adjoint of ``a`` in ``fft.fftn(a, s, axes, norm)``; its shape and dtype are those of ``a``."""
    return fitted(np.fft.fftn(bar, axes=_axes(a, s, axes), norm=norm), a)  # type: ignore[arg-type]


def ifftn_adjoint(bar: Any, a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """The adjoint of ``a`` in ``fft.ifftn(a, s, axes, norm)``; its shape and dtype are those of ``a``."""
    return fitted(np.fft.ifftn(bar, axes=_axes(a, s, axes), norm=norm), a)  # type: ignore[arg-type]


def rfftn_adjoint(bar: Any, a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """The adjoint of the real ``a`` in ``fft.rfftn(a, s, axes, norm)``: the missing half of ``bar`` is zero."""
    places = _axes(a, s, axes)
    whole = np.fft.fftn(bar, s=_sizes(a, s, places), axes=places, norm=norm)  # type: ignore[arg-type]
    return fitted(np.real(whole), a)


def irfftn_adjoint(bar: Any, a: Any, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    """The adjoint of ``a`` in ``fft.irfftn(a, s, axes, norm)``: inner frequencies stand for two of the spectrum."""
    places = _axes(a, s, axes)
    half = np.conj(np.fft.rfftn(np.real(bar), axes=places, norm=inverse_norm(norm)))  # type: ignore[arg-type]
    size = np.shape(bar)[places[-1]]
    inner = [slice(None)] * half.ndim
    inner[places[-1]] = slice(1, (size + 1) // 2)
    half[tuple(inner)] *= 2
    return fitted(half, a)
