"""Adjoints of cosine and sine transforms: plain transposes.

Those of type 1 and 4 are symmetric up to the weights of the ends, those of type 2 and 3 each other's transposes up to the
weight of one item; what makes them orthogonal scales these items (Strang, "The Discrete Cosine Transform", 1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from s2sad.runtime.spectra import fitted

_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}
_INVERSE_NORM = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def trigonometric_adjoint(
    bar: Any, x: Any, name: str, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, orthogonalize: Any = None
) -> Any:
    """The adjoint of ``x`` in ``scipy.fft.dctn(x, type, s, axes, norm)``, where ``name`` is ``dct``; likewise of ``dst``
    and the inverse transforms, ``idct`` and ``idst``. The result has the shape and the dtype of ``x``."""
    if orthogonalize is None or np.iscomplexobj(x):  # which SciPy does not ask for it
        orthogonalize = norm == "ortho"
    if name.startswith("i"):  # the transform of the inverse type, scaled the other way
        return trigonometric_adjoint(bar, x, name[1:], _INVERSE_TYPE[type], s, axes, _INVERSE_NORM[norm], orthogonalize)
    if axes is None:
        axes = range(np.ndim(x)) if s is None else range(np.ndim(x) - len(s), np.ndim(x))
    found = np.array(bar)
    for axis in axes:
        found = np.moveaxis(_transposed(np.moveaxis(found, axis, -1), name, type, norm, orthogonalize), -1, axis)
    return fitted(found, x)


def _of_parts(transform: Any, x: Any, **options: Any) -> Any:
    """A real transform of both parts of complex numbers, with its options."""
    if np.iscomplexobj(x):
        return transform(x.real, **options) + 1j * transform(x.imag, **options)
    return transform(x, **options)


def _transposed(bar: Any, name: str, type: int, norm: Any, orthogonal: bool) -> Any:
    """The transposed transform along the last axis.

    The items at the ends count twice in transforms of type 1 and 2, or rather not in what they transform: what is orthogonal
    divides these results by the root of 2, and multiplies the items of type 1 and 3 by it.
    """
    ends = [0, -1] if type == 1 else [0] if name == "dct" else [-1]
    weighted = type in (2, 3) or (type == 1 and name == "dct")
    root = np.sqrt(2.0) if orthogonal else 1.0
    if weighted and type != 3:
        bar = bar.copy()
        bar[..., ends] *= 2 / root
    found = _of_parts(getattr(fft, name), bar, type=_INVERSE_TYPE[type], norm=norm, orthogonalize=False)
    if weighted and type != 2:
        found[..., ends] *= root / 2
    return found
