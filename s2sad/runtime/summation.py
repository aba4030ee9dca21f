"""The adjoint of ``numpy.einsum`` where another ``einsum`` alone does not do.

An index that is summed in one operand only (``ij->i``) is repeated in the adjoint, a repeated index
(``ii->i``) becomes a diagonal, and an axis of size 1 that was stretched is summed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast


def einsum_adjoint(bar: Any, subscripts: str, k: int, like: Any, *operands: Any) -> Any:
    """The adjoint of operand ``k`` in ``einsum``, in the shape of ``like``; the other operands follow in their order."""
    ranks = [np.ndim(x) for x in operands]
    ranks.insert(k, np.ndim(like))
    labels, result = _explicit(subscripts, ranks)
    own = "".join(dict.fromkeys(labels[k]))
    others = list(zip([label for j, label in enumerate(labels) if j != k], operands, strict=True))
    known = "".join(c for c in own if c in result or any(c in label for label, _ in others))
    terms = ",".join([result, *(label for label, _ in others)])
    found = np.einsum(f"{terms}->{known}", bar, *(x for _, x in others))
    found = np.reshape(found, [found.shape[known.index(c)] if c in known else 1 for c in own])
    if not own:
        return unbroadcast(found, like)
    whole = np.zeros(np.shape(like), dtype=found.dtype)
    window = np.einsum(f"{labels[k]}->{own}", whole)  # a view: the diagonal of a repeated index
    stretched = tuple(axis for axis, n in enumerate(window.shape) if n == 1)
    window[...] = np.sum(found, axis=stretched, keepdims=True)
    return unbroadcast(whole, like)


def _explicit(subscripts: str, ranks: list[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, with the ellipsis written out."""
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    labels = left.split(",")
    if not arrow:
        once = sorted(c for c in set(left) - set(",.") if left.count(c) == 1)
        result = ("..." if "..." in left else "") + "".join(once)
    spare = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in subscripts]
    widths = [rank - len(label.replace("...", "")) for label, rank in zip(labels, ranks, strict=True)]
    widest = max((w for label, w in zip(labels, widths, strict=True) if "..." in label), default=0)
    letters = "".join(spare[:widest])
    written = [label.replace("...", letters[widest - w :]) for label, w in zip(labels, widths, strict=True)]
    return written, result.replace("...", letters)
