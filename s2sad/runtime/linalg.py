"""Helpers of derivatives of ``numpy.linalg`` besides products: triangles, divided gaps, gauges of eigenvectors.

Arguments are matrices, or stacks of matrices in the last two axes. Sources: Giles, "Collected Matrix Derivative
Results for Forward and Reverse Mode Algorithmic Differentiation", 2008; Higham, "Functions of Matrices", SIAM 2008.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.guards import SeedError
from s2sad.runtime.reductions import prod_of_others


def _swap(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _dagger(x: Any) -> Any:
    return _swap(np.conj(x))


def _diagonal(x: Any) -> Any:
    return np.tril(np.triu(x))


# --- triangles


def half_tril(x: Any) -> Any:
    """The lower triangle of ``x`` with its diagonal halved, in a new array."""
    return np.tril(x) - 0.5 * _diagonal(x)


def mirror_lower(x: Any) -> Any:
    """The Hermitian matrix that has the lower triangle of ``x``, in a new array."""
    return np.tril(x, -1) + _dagger(np.tril(x, -1)) + np.real(_diagonal(x))


def mirror_upper(x: Any) -> Any:
    """The Hermitian matrix that has the upper triangle of ``x``, in a new array."""
    return np.triu(x, 1) + _dagger(np.triu(x, 1)) + np.real(_diagonal(x))


def fold_upper(x: Any) -> Any:
    """The lower triangle of ``x`` with the upper one added: the adjoint of ``mirror_lower``."""
    return np.tril(x, -1) + _dagger(np.triu(x, 1)) + np.real(_diagonal(x))


def fold_lower(x: Any) -> Any:
    """The upper triangle of ``x`` with the lower one added: the adjoint of ``mirror_upper``."""
    return np.triu(x, 1) + _dagger(np.tril(x, -1)) + np.real(_diagonal(x))


def with_dagger(x: Any) -> Any:
    """The sum of ``x`` and its conjugate transpose."""
    return x + _dagger(x)


# --- right-hand sides: a vector is a matrix of one column, which ``b`` tells where ranks are not known


def columns(x: Any, b: Any) -> Any:
    """``x[..., None]`` where ``b`` is a vector, else ``x`` itself."""
    return x[..., None] if np.ndim(b) == 1 else x


def without_columns(x: Any, b: Any) -> Any:
    """``x[..., 0]`` where ``b`` is a vector, else ``x`` itself: of one column, the way back of ``columns``."""
    return x[..., 0] if np.ndim(b) == 1 else x


# --- quotients


def quotient(x: Any, y: Any) -> Any:
    """``x / y``, and 0 where ``x`` is 0: nothing is due, however it is divided."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(x, 0), 0, np.divide(x, y))[()]


def gaps(w: Any) -> Any:
    """The matrix of the differences ``w[j] - w[i]``."""
    return w[..., None, :] - w[..., :, None]


def divide_gaps(x: Any, w: Any) -> Any:
    """``x[i, j] / (w[j] - w[i])``, and 0 on the diagonal and where ``x`` is 0.

    Infinite where eigenvalues coincide, as far as rounding lets them be told apart: eigenvectors have no derivative
    there, and the quotient would be noise.
    """
    gap = gaps(w)
    size = np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
    alike = np.abs(gap) <= w.shape[-1] * np.finfo(gap.dtype).eps * size
    return quotient(x - _diagonal(x), np.where(alike, 0, gap))


def divide_chosen_gaps(x: Any, w: Any, chosen: Any) -> Any:
    """``x[i, j] / (chosen[j] - w[i])``, and 0 where both are the same eigenvalue; ``chosen`` are some in a row of ``w``.

    Infinite as ``divide_gaps`` is. All may be stacks.
    """
    gap = chosen[..., None, :] - w[..., :, None]
    first = np.argmin(np.abs(w - chosen[..., :1]), axis=-1)[..., None, None] if chosen.shape[-1] else 0
    own = np.arange(w.shape[-1])[:, None] == first + np.arange(chosen.shape[-1])
    alike = np.abs(gap) <= w.shape[-1] * np.finfo(gap.dtype).eps * np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
    return quotient(np.where(own, 0, x), np.where(alike, 0, gap))


def one_less(order: Any) -> Any:
    """``order - 1``, the exponent in the derivative of a norm. Raises SeedError for 0, which only counts items."""
    if order == 0:
        raise SeedError("the derivative of a norm of computed order 0: write the order as a literal")
    return order - 1


# --- gauges: what is arbitrary about eigenvectors and singular vectors


def phase_slope(x: Any, s: Any) -> Any:
    """The diagonal matrix of ``1j * imag(x[i, i]) / (2 * s[i])``, of zeros for a real ``x``."""
    return quotient(0.5 * imaginary(_diagonal(x)), s[..., None, :])


def assert_phase_free(x: Any, y: Any = 0.0) -> None:
    """Raise SeedError if the diagonal of ``x - y`` has an imaginary part, beyond rounding.

    ``x`` is the product of eigenvectors and their adjoints, ``y`` that of the right singular vectors that turn with
    them. The diagonal says how the result depends on the phases of the vectors, which are arbitrary: no derivative
    exists of a result that depends on them.
    """
    if not np.iscomplexobj(x) or np.size(x) == 0:
        return
    phases = np.abs(np.imag(np.diagonal(x - y, axis1=-2, axis2=-1)))
    size = max(np.max(np.abs(x)), np.max(np.abs(y)))
    if np.any(phases > np.finfo(x.dtype).eps ** 0.25 * size):
        raise SeedError(
            "the result depends on the phases of complex eigenvectors or singular vectors, which are arbitrary; "
            "use what does not, as abs(v) or the projectors v[:, k, None] * v[:, k].conj()"
        )


def imaginary(x: Any) -> Any:
    """``1j * imag(x)``, for a real ``x`` a real zero."""
    return x - np.real(x)


def largest(v: Any) -> Any:
    """The place of the largest item of each column, as ``take_along_axis`` takes it along the axis -2."""
    return np.expand_dims(np.argmax(np.abs(v), axis=-2), -2)


def in_gauge(x: Any, v: Any) -> Any:
    """The tangent ``x`` of eigenvectors ``v``, less what changes their norms and phases.

    ``numpy.linalg.eig`` gives vectors of norm 1 whose largest item is real (LAPACK's geev).
    """
    k = largest(v)
    along = np.real(np.sum(np.conj(v) * x, axis=-2, keepdims=True))
    return x - v * (along + imaginary(np.take_along_axis(x, k, -2) / np.take_along_axis(v, k, -2)))


def in_gauge_adjoint(bar: Any, v: Any) -> Any:
    """The adjoint of ``x`` in ``in_gauge(x, v)``."""
    k = largest(v)
    along = np.sum(bar * v, axis=-2, keepdims=True)
    found = np.asarray(bar - np.conj(v) * np.real(along))
    turn = imaginary(along) / np.take_along_axis(v, k, -2)
    np.put_along_axis(found, k, np.take_along_axis(found, k, -2) - turn, -2)
    return found


def eigenvectors(a: Any, w: Any) -> Any:
    """The eigenvectors of ``a``, in the order of its eigenvalues ``w``. Raises SeedError if they can't be told apart.

    ``numpy.linalg.eigvals`` need not find them in the order in which ``numpy.linalg.eig`` does.
    """
    values, vectors = np.linalg.eig(a)
    distance = np.abs(values[..., None, :] - w[..., :, None])
    order = np.argmin(distance, axis=-1)
    if np.any(np.sort(order, axis=-1) != np.arange(order.shape[-1])):
        raise SeedError("eigenvalues coincide: they have no derivative")
    return np.take_along_axis(vectors, order[..., None, :], axis=-1)


def leading(x: Any, count: int, axis: int = -1) -> Any:
    """The first ``count`` items of an adjoint along an axis. Raises SeedError unless the others are 0.

    The others belong to vectors that only complete a basis, which have no derivative.
    """
    first, rest = np.split(x, [count], axis=axis)
    if np.any(rest):
        raise SeedError(
            "the result depends on vectors that only complete a basis, which are arbitrary; use full_matrices=False"
        )
    return first


def without_rest(x: Any, like: Any, axis: int = -1) -> Any:
    """``x`` continued to the shape of ``like`` along an axis by NaN: the rest has no derivative."""
    shape = list(np.shape(x))
    shape[axis] = np.shape(like)[axis] - shape[axis]
    return np.concatenate((x, np.full(shape, np.nan, dtype=x.dtype)), axis=axis) if shape[axis] else x


def unless_square(x: Any) -> Any:
    """``x``, the part outside of the span of as many vectors as it has columns or rows: 0 where they span all.

    It would be rounding there, which is no longer small when it is divided by a singular value that is.
    """
    return np.zeros_like(x) if x.shape[-1] == x.shape[-2] else x


# --- blocks and minors


def bordered(a: Any, x: Any) -> Any:
    """The block matrix ``[[a, x], [0, a]]``.

    The upper right block of a function of it is the derivative of this function at ``a`` in the direction ``x``
    (Higham, theorem 3.6).
    """
    upper = np.concatenate(np.broadcast_arrays(a, x), axis=-1)
    lower = np.concatenate(
        (np.zeros_like(upper[..., : np.shape(a)[-1]]), np.broadcast_to(a, np.shape(x))), axis=-1
    )
    return np.concatenate((upper, lower), axis=-2)


WELL_CONDITIONED = 1e3  # as much larger than rounding errors are those of an inverse, at most


def cofactor(a: Any) -> Any:
    """The matrix of cofactors, ``det(a) * inv(a).T``, also of singular matrices: by singular values, unless the inverse has
    as many digits. NaN where ``a`` is not finite."""
    inverse, determinant = _accurate_inverse(a)
    if inverse is not None:
        return determinant * inverse.T
    u, s, vh, unit = _singular_values(a)
    return unit * (np.conj(u) * prod_of_others(s, -1)[..., None, :] @ np.conj(vh))


def cofactor_slope(a: Any, x: Any) -> Any:
    """The derivative of ``cofactor(a)`` in the direction ``x``, also at singular matrices; it is its own transpose.

    Of a diagonal matrix ``s`` the minors without two rows and columns, ``q[i, j]``, say it all: ``q[i, j] * x[j, j]`` is added
    to item ``[i, i]``, and ``-q[i, j] * x[j, i]`` to item ``[i, j]``. The factors of the singular value decomposition do the
    rest, as the cofactors of a product are the product of the cofactors.
    """
    inverse, determinant = _accurate_inverse(a)
    if inverse is not None:
        x = inverse @ x
        return determinant * _swap(np.trace(x, axis1=-2, axis2=-1)[..., None, None] * inverse - x @ inverse)
    u, s, vh, unit = _singular_values(a)
    x = _dagger(u) @ x @ _dagger(vh)
    different = ~np.eye(s.shape[-1], dtype=bool)
    minors = prod_of_others(np.where(different, s[..., None, :], 1), -1) * different
    along = minors @ np.diagonal(x, axis1=-2, axis2=-1)[..., None]
    turned = along * ~different - minors * _swap(x)
    return unit * (np.conj(u) @ turned @ np.conj(vh))


def _accurate_inverse(a: Any) -> Any:
    """The inverse and the determinant of a matrix that is far from singular, of others ``(None, None)``."""
    if np.ndim(a) == 2 and np.size(a):
        determinant = np.linalg.det(a)
        if determinant != 0 and np.isfinite(determinant):
            inverse = np.linalg.inv(a)
            norms = [np.max(np.sum(np.abs(m), axis=0)) for m in (a, inverse)]
            if norms[0] * norms[1] < WELL_CONDITIONED:
                return inverse, determinant
    return None, None


def _singular_values(a: Any) -> Any:
    """``u``, ``s``, ``vh`` of ``a``, and the determinant of ``u @ vh``, which is NaN where ``a`` is not finite."""
    finite = np.all(np.isfinite(a), axis=(-2, -1))[..., None, None]
    u, s, vh = np.linalg.svd(np.where(finite, a, 0))
    return u, s, vh, np.where(finite, (np.linalg.det(u) * np.linalg.det(vh))[..., None, None], s.dtype.type(np.nan))


def inverse_of_rank(a: Any, rank: Any) -> Any:
    """The pseudo-inverse of ``a`` with its ``rank`` largest singular values; others count as 0.

    Raises SeedError where one of the others is more than rounding.
    """
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    _assert_rounding(s, np.arange(s.shape[-1]) >= rank, max(np.shape(a)))
    return _dagger(vh[:rank]) @ (_dagger(u[:, :rank]) / s[:rank, None])


def of_whole_rank(a: Any, inverse: Any) -> Any:
    """``a`` itself. Raises SeedError where its pseudo-inverse counts a singular value as 0 that is more than rounding.

    Formulas of the pseudo-inverse hold where the rank stays as it is: what was cut off must be 0.
    """
    if np.size(a):
        s = np.linalg.svd(a, compute_uv=False)
        kept = np.linalg.svd(inverse, compute_uv=False) * s[..., :1] > 0.5  # 1 at least, or rounding
        _assert_rounding(s, np.arange(s.shape[-1]) >= np.count_nonzero(kept, axis=-1)[..., None], max(np.shape(a)[-2:]))
    return a


def regular(a: Any, triangular: bool = False) -> Any:
    """``a`` itself. Raises SeedError where it is singular to working precision: what is divided by it is noise.

    Of a triangular factor the diagonal tells.
    """
    if np.size(a):
        s = np.abs(np.diagonal(a, axis1=-2, axis2=-1)) if triangular else np.linalg.svd(a, compute_uv=False)
        if np.any(np.min(s, axis=-1) <= np.shape(a)[-1] * np.finfo(s.dtype).eps * np.max(s, axis=-1)):
            raise SeedError("the factors of a matrix without full rank have no derivative")
    return a


def top_square(f: Any) -> Any:
    """The upper square of a matrix that is taller than wide; of a square one, below which nothing is, the identity.

    Raises SeedError where it is singular to working precision. ``f`` may be a stack; it is not wider than tall.
    """
    rows, columns = np.shape(f)[-2:]
    if rows > columns:
        return regular(f[..., :columns, :])
    return np.broadcast_to(np.eye(columns, dtype=f.dtype), np.shape(f))


def nonsingular(a: Any, sign: Any) -> Any:
    """``a`` itself. Raises SeedError where the sign of its determinant is 0: no inverse exists."""
    if not np.all(sign):
        raise SeedError("the matrix is singular: it has no inverse, which this derivative is made of")
    return a


def _assert_rounding(s: Any, cut: Any, count: int) -> None:
    """Raise SeedError unless the singular values that were cut off are rounding errors of the largest."""
    if s.size and np.any(np.where(cut, s, 0.0) > 10 * count * np.finfo(s.dtype).eps * s[..., :1]):
        raise SeedError(
            "a tolerance (rcond, rtol, cond) cut off singular values that are not 0, and no rule is written for that; "
            "use numpy.linalg.svd, and leave them out"
        )
