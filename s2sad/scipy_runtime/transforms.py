"""Adjoints of cosine and sine transforms: plain transposes.

Those of type 1 and 4 are symmetric up to the weights of the ends, those of type 2 and 3 each other's transposes up to the
weight of one item; with ``norm="ortho"`` all are orthogonal (Strang, "The Discrete Cosine Transform", 1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from s2sad.runtime.spectra import fitted

_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}
_INVERSE_NORM = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def trigonometric_adjoint(
    bar: Any, x: Any, name: str, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None
) -> Any:
    """The adjoint of ``x`` in ``scipy.fft.dctn(x, type, s, axes, norm)``, where ``name`` is ``dct``; likewise of ``dst``
    and the inverse transforms, ``idct`` and ``idst``. The result has the shape and the dtype of ``x``."""
    if name.startswith("i"):  # the transform of the inverse type, scaled the other way
        return trigonometric_adjoint(bar, x, name[1:], _INVERSE_TYPE[type], s, axes, _INVERSE_NORM[norm])
    if axes is None:
        axes = range(np.ndim(x)) if s is None else range(np.ndim(x) - len(s), np.ndim(x))
    found = np.array(bar)
    for axis in axes:
        found = np.moveaxis(_transposed(np.moveaxis(found, axis, -1), name, type, norm), -1, axis)
    return fitted(found, x)


def _transposed(bar: Any, name: str, type: int, norm: Any) -> Any:
    """The transposed transform along the last axis."""
    transform, end = getattr(fft, name), 0 if name == "dct" else -1
    if norm == "ortho":
        return getattr(fft, f"i{name}")(bar, type, norm=norm)
    if type == 1 and name == "dct":
        weights = np.full(bar.shape[-1], 2.0)
        weights[[0, -1]] = 1.0
        return weights * transform(bar / weights, 1, norm=norm)
    if type == 2:
        bar = bar.copy()
        bar[..., end] *= 2
    found = transform(bar, _INVERSE_TYPE[type], norm=norm)
    if type == 3:
        found[..., end] /= 2
    return found
