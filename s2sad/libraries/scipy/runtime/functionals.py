"""The common part of derivatives of functions of functions: parts of a result as one vector, and back.

An adjoint function takes the arguments of a function and the adjoint of its value, and returns the value, and the adjoints
of the arguments of interest: one alone, or a tuple of them. Each is a number, an array, or a list, tuple or dict of such.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def parts_of(adjoints: Any) -> tuple[Any, ...]:
    """The adjoints that an adjoint function returns, as a tuple."""
    return adjoints if isinstance(adjoints, tuple) else (adjoints,)


def flattened(part: Any) -> Any:
    """All numbers of a structure as one vector of float64; a complex number is two of them."""
    if isinstance(part, dict):
        part = tuple(part.values())
    if isinstance(part, tuple | list):
        return np.concatenate([np.zeros(0), *map(flattened, part)])
    return np.ravel(np.asarray(part, dtype=_precise(part))).view(np.float64)


def shaped_as(vector: Any, parts: tuple[Any, ...]) -> Any:
    """A vector in the structure of ``parts``: a tuple of the same shapes and dtypes, or the only part; numbers are floats."""
    found = _shaped_as(vector, parts)[0]
    return found[0] if len(found) == 1 else found


def _shaped_as(vector: Any, part: Any) -> tuple[Any, Any]:
    """The structure, and the rest of the vector."""
    if isinstance(part, dict):
        found, vector = _shaped_as(vector, tuple(part.values()))
        return dict(zip(part, found, strict=True)), vector
    if isinstance(part, tuple | list):
        items = []
        for inner in part:
            item, vector = _shaped_as(vector, inner)
            items.append(item)
        return (items if isinstance(part, list) else tuple(items)), vector
    dtype = _precise(part)
    size = np.size(part) * dtype.itemsize // 8
    piece = vector[:size].view(dtype).reshape(np.shape(part))
    own = part.dtype if isinstance(part, np.ndarray | np.inexact) and part.dtype.kind in "fc" else dtype
    return (piece.astype(own) if isinstance(part, np.ndarray) else own.type(piece).item()), vector[size:]


def _precise(part: Any) -> Any:
    """The dtype in which a part is computed."""
    return np.dtype(np.complex128 if np.iscomplexobj(part) else np.float64)


def pulled(adjoint: Any, own: tuple[Any, ...], args: tuple[Any, ...], bar: Any) -> tuple[Any, ...]:
    """The adjoints of the arguments of interest at one place, as a tuple."""
    return parts_of(adjoint(*own, *args, bar.copy() if isinstance(bar, np.ndarray) else bar)[1])
