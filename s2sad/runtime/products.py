"""Adjoints of products of arrays of any rank: ``x`` and ``y`` are the factors, ``bar`` is the product's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast


def _swap(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _is_foreign(x: Any) -> bool:
    """Test for a matrix of another library, which knows how to multiply by it."""
    return hasattr(x, "T") and not isinstance(x, np.ndarray | np.generic)


def matmul_adjoint_x(bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of ``x`` in ``x @ y``, where ``y`` may be a sparse matrix."""
    if _is_foreign(y):
        return unbroadcast(bar @ y.T, x)
    if np.ndim(y) == 1:
        return unbroadcast(np.expand_dims(bar, -1) * y, x)
    if np.ndim(x) == 1:
        return unbroadcast(np.tensordot(np.moveaxis(y, -2, 0), bar, np.ndim(bar)), x)
    return _summed_matmul(bar, _swap(y), x)


def matmul_adjoint_y(bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of ``y`` in ``x @ y``, where ``x`` may be a sparse matrix."""
    if _is_foreign(x):
        return unbroadcast(x.T @ bar, y)
    if np.ndim(y) == 1:
        return unbroadcast(np.tensordot(bar, x, np.ndim(bar)), y)
    if np.ndim(x) == 1:
        return unbroadcast(x[:, None] * np.expand_dims(bar, -2), y)
    return _summed_matmul(_swap(x), bar, y)


def _summed_matmul(left: Any, right: Any, like: Any) -> Any:
    """``unbroadcast(left @ right, like)``, where axes of the stack that ``like`` lacks are contracted with the product's own.

    Where a stack of matrices is multiplied by one matrix, its adjoint is one product and never a stack to be summed.
    """
    depth = max(left.ndim, right.ndim) - 2
    left, right = (m.reshape((1,) * (depth + 2 - m.ndim) + m.shape) for m in (left, right))
    own = (1,) * (depth + 2 - np.ndim(like)) + np.shape(like)
    summed = [k for k in range(depth) if own[k] == 1 and left.shape[k] == right.shape[k] != 1]
    if not summed:
        return unbroadcast(left @ right, like)
    kept = [k for k in range(depth) if k not in summed]
    terms = math.prod(left.shape[k] for k in [*summed, -1])
    left, right = left.transpose([*kept, -2, *summed, -1]), right.transpose([*kept, *summed, -2, -1])
    product = left.reshape(*left.shape[: len(kept) + 1], terms) @ right.reshape(
        *right.shape[: len(kept)], terms, right.shape[-1]
    )
    return unbroadcast(np.expand_dims(product, summed) if np.ndim(like) > 2 else product, like)


def dot_axes(x: Any, y: Any) -> Any:
    """The axes over which ``numpy.dot`` sums, as ``numpy.tensordot`` takes them."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return 0
    return ([np.ndim(x) - 1], [max(0, np.ndim(y) - 2)])


def inner_axes(x: Any, y: Any) -> Any:
    """The axes over which ``numpy.inner`` sums, as ``numpy.tensordot`` takes them."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return 0
    return ([np.ndim(x) - 1], [np.ndim(y) - 1])


def _summed_axes(x: Any, y: Any, axes: Any) -> tuple[list[int], list[int]]:
    if isinstance(axes, int | np.integer):
        count = int(axes)
        return list(range(np.ndim(x) - count, np.ndim(x))), list(range(count))
    of_x, of_y = ([int(a)] if isinstance(a, int | np.integer) else list(a) for a in axes)
    return [a % np.ndim(x) for a in of_x], [a % np.ndim(y) for a in of_y]


def tensordot_adjoint_x(bar: Any, x: Any, y: Any, axes: Any = 2) -> Any:
    """The adjoint of ``x`` in ``tensordot(x, y, axes)``."""
    of_x, of_y = _summed_axes(x, y, axes)
    free_x = [k for k in range(np.ndim(x)) if k not in of_x]
    free_y = [k for k in range(np.ndim(y)) if k not in of_y]
    kept = np.tensordot(bar, y, (list(range(len(free_x), np.ndim(bar))), free_y))
    # the axes of kept: those of x that were free, then those of y that were summed, in their order in y
    summed = [of_x[of_y.index(k)] for k in sorted(of_y)]
    return unbroadcast(np.transpose(kept, np.argsort(free_x + summed)), x)


def tensordot_adjoint_y(bar: Any, x: Any, y: Any, axes: Any = 2) -> Any:
    """The adjoint of ``y`` in ``tensordot(x, y, axes)``."""
    of_x, of_y = _summed_axes(x, y, axes)
    free_x = [k for k in range(np.ndim(x)) if k not in of_x]
    free_y = [k for k in range(np.ndim(y)) if k not in of_y]
    kept = np.tensordot(x, bar, (free_x, list(range(len(free_x)))))
    summed = [of_y[of_x.index(k)] for k in sorted(of_x)]
    return unbroadcast(np.transpose(kept, np.argsort(summed + free_y)), y)


def _kron_blocks(bar: Any, x: Any, y: Any) -> tuple[Any, Any, Any, int]:
    """``bar`` with the axes of ``x`` and ``y`` interleaved, and both factors with equally many axes."""
    rank = max(np.ndim(x), np.ndim(y))
    x = np.reshape(x, (1,) * (rank - np.ndim(x)) + np.shape(x))
    y = np.reshape(y, (1,) * (rank - np.ndim(y)) + np.shape(y))
    sizes = [n for pair in zip(x.shape, y.shape, strict=True) for n in pair]
    return np.reshape(bar, sizes), x, y, rank


def kron_adjoint_x(bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of ``x`` in ``kron(x, y)``."""
    blocks, _, wide, rank = _kron_blocks(bar, x, y)
    found = np.tensordot(blocks, wide, (list(range(1, 2 * rank, 2)), list(range(rank))))
    return unbroadcast(np.reshape(found, np.shape(x)), x)


def kron_adjoint_y(bar: Any, x: Any, y: Any) -> Any:
    """The adjoint of ``y`` in ``kron(x, y)``."""
    blocks, wide, _, rank = _kron_blocks(bar, x, y)
    found = np.tensordot(wide, blocks, (list(range(rank)), list(range(0, 2 * rank, 2))))
    return unbroadcast(np.reshape(found, np.shape(y)), y)


def convolve_adjoint_x(bar: Any, x: Any, y: Any, mode: str = "full") -> Any:
    """The adjoint of ``x`` in ``convolve(x, y, mode)``; for that of ``y`` exchange ``x`` and ``y``."""
    y = np.atleast_1d(y)
    n, m = np.size(x), np.size(y)
    total = n + m - 1
    size = {"full": total, "same": max(n, m), "valid": max(n, m) - min(n, m) + 1}[mode]
    full = np.zeros(total, dtype=np.result_type(bar, y))
    start = (total - size) // 2
    full[start : start + size] = bar
    # np.correlate conjugates its second argument, and the plain transpose has no conjugate
    return unbroadcast(np.convolve(full, y[::-1], "full")[m - 1 : m - 1 + n], x)


def cross_adjoint(bar: Any, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """The adjoint of ``a`` in ``numpy.cross(a, b, axisa, axisb, axisc, axis)``: of vectors of two components, of three, or mixed.

    The third component of two such vectors is 0; of two of them the product is a number.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    due = np.moveaxis(bar, axisc, -1) if first.shape[-1] == 3 or second.shape[-1] == 3 else np.multiply.outer(bar, (0, 0, 1))
    rest = np.zeros((*second.shape[:-1], 3 - second.shape[-1]), dtype=second.dtype)
    found = np.cross(np.concatenate((second, rest), axis=-1), due)[..., : first.shape[-1]]
    return np.moveaxis(unbroadcast(found, first), -1, axisa)
