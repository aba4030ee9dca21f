"""``numpy.linalg``, where an option makes a call one of other functions."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

__all__ = ["svd"]


def svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Annotated[Any, "true"] = False
) -> Any:
    """Eigenvalues by their size, and eigenvectors in that order."""
    if not compute_uv:
        return np.sort(np.abs(np.linalg.eigvalsh(a)))[..., ::-1]
    w, v = np.linalg.eigh(a)
    order = np.argsort(np.abs(w))[..., ::-1]
    w = np.take_along_axis(w, order, axis=-1)
    u = np.take_along_axis(v, order[..., None, :], axis=-1)
    turned = np.swapaxes(u * np.sign(w)[..., None, :], -1, -2)
    return u, np.abs(w), np.conjugate(turned) if np.iscomplexobj(turned) else turned
