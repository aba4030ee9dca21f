"""``scipy.linalg``: what NumPy has too, which shares NumPy's rules (``adapted``).

``scipy_factors`` has factorisations and the solvers that use them, ``scipy_matrices`` functions of matrices, equations and
structures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2sad.ir.kinds import Array, Kind, Tuple, dtype_of
from s2sad.rules import (  # noqa: F401  the rules that are shared stand in their tables by then
    kind_linalg,
    kind_products,
    numpy_decompositions,
    numpy_linalg,
    numpy_matrix_functions,
    numpy_norms,
)
from s2sad.rules.adapted import adapted, only
from s2sad.rules.application import Application
from s2sad.rules.choices import literal
from s2sad.rules.kind_arrays import inverse, literal_of
from s2sad.rules.kind_rules import Bound, make, shape_of
from s2sad.rules.scipy_names import scope

LINALG = scope("scipy.linalg")
FINITE = "check_finite=True"

# --- what NumPy has too


def _general(app: Application) -> Mapping[str, Any]:
    """Solvers for matrices of some structure read a part of them."""
    only(app, assume_a={None, "gen", "general"})
    if "transposed" in app.bound:
        only(app, transposed=False)
    return {}


adapted(
    f"scipy.linalg.inv(a, overwrite_a=False, {FINITE}, *, assume_a=None, lower=False)",
    "numpy.linalg.inv",
    options=_general,
)
adapted(
    f"scipy.linalg.solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, {FINITE}, assume_a=None, transposed=False)",
    "numpy.linalg.solve",
    options=_general,
)


def _determinant(bound: Bound) -> Kind:
    """In double precision always."""
    kind = kind_products.determinant(bound)
    dtype = dtype_of(kind)
    double = None if dtype is None else "complex128" if dtype.startswith("complex") else "float64"
    return kind if double is None else make(double, shape_of(kind))


adapted(f"scipy.linalg.det(a, overwrite_a=False, {FINITE})", "numpy.linalg.det", kind=_determinant)
adapted(f"scipy.linalg.norm(a, ord=None, axis=None, keepdims=False, {FINITE})", "numpy.linalg.norm", a="x")


def _cholesky_options(app: Application) -> Mapping[str, Any]:
    only(app, lower={True, False})
    return {"upper": not literal(app, "lower")}


adapted(
    f"scipy.linalg.cholesky(a, lower=False, overwrite_a=False, {FINITE})",
    "numpy.linalg.cholesky",
    options=_cholesky_options,
    kind=inverse,
)


def _pinv_options(app: Application) -> Mapping[str, Any]:
    only(app, return_rank=False)
    return {"hermitian": False}


adapted(
    f"scipy.linalg.pinv(a, *, atol=None, rtol=None, return_rank=False, {FINITE})",
    "numpy.linalg.pinv",
    options=_pinv_options,
)


def _svd_options(_: Application) -> Mapping[str, Any]:
    return {"hermitian": False}


adapted(
    f"scipy.linalg.svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, {FINITE}, lapack_driver='gesdd')",
    "numpy.linalg.svd",
    options=_svd_options,
)
adapted(f"scipy.linalg.svdvals(a, overwrite_a=False, {FINITE})", "numpy.linalg.svdvals", a="x")


def _qr_options(app: Application) -> Mapping[str, Any]:
    only(app, mode="economic", pivoting=False)
    return {"mode": "reduced"}


def _qr_kind(bound: Bound) -> Kind:
    if literal_of(bound["mode"]) != "economic" or literal_of(bound["pivoting"]) is not False:
        return Kind()
    a = kind_linalg.Source(bound)
    return Tuple((a.array(a.rows, a.least), a.array(a.least, a.columns)))


adapted(
    f"scipy.linalg.qr(a, overwrite_a=False, lwork=None, mode='full', pivoting=False, {FINITE})",
    "numpy.linalg.qr",
    options=_qr_options,
    kind=_qr_kind,
)

# --- eigenvalues of general matrices


def _eig_options(app: Application) -> Mapping[str, Any]:
    only(app, b=None, homogeneous_eigvals=False)
    if "left" in app.bound:
        only(app, left=False, right=True)
    return {}


def _eig_kind(bound: Bound) -> Kind:
    both = literal_of(bound["left"]) is False and literal_of(bound["right"]) is True
    return _complex(kind_linalg.eig(bound)) if both else Kind()


def _complex(kind: Kind) -> Kind:
    """SciPy's eigenvalues are complex always, its eigenvectors where the eigenvalues are."""
    if isinstance(kind, Tuple):
        return Tuple((_complex(kind.items[0]), Array(None, shape_of(kind.items[1]))))
    return Array("complex128", shape_of(kind))


adapted(
    f"scipy.linalg.eigvals(a, b=None, overwrite_a=False, {FINITE}, homogeneous_eigvals=False)",
    "numpy.linalg.eigvals",
    options=_eig_options,
    kind=lambda bound: _complex(kind_linalg.eigvals(bound)),
)
adapted(
    f"scipy.linalg.eig(a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, {FINITE}, "
    "homogeneous_eigvals=False)",
    "numpy.linalg.eig",
    options=_eig_options,
    kind=_eig_kind,
)

# --- Hermitian eigenvalue problems, a @ v = w * b @ v with b constant

EIGH = (
    "a, b=None, *, lower=True, {alone}overwrite_a=False, overwrite_b=False, type=1, check_finite=True, "
    "subset_by_index=None, subset_by_value=None, driver=None"
)


def _eigh_options(app: Application) -> Mapping[str, Any]:
    only(app, lower={True, False}, type=1, subset_by_index=None, subset_by_value=None, b=None)
    return {"UPLO": "L" if literal(app, "lower") else "U"}


def _vectors_options(app: Application) -> Mapping[str, Any]:
    only(app, eigvals_only=False)
    return _eigh_options(app)


def _vectors_and_values(bound: Bound) -> Kind:
    alone = literal_of(bound["eigvals_only"])
    if alone is None:
        return Kind()
    return kind_linalg.eigvalsh(bound) if alone else Tuple(kind_linalg.eigh(bound).items)  # type: ignore[attr-defined]


adapted(f"scipy.linalg.eigvalsh({EIGH.format(alone='')})", "numpy.linalg.eigvalsh", options=_eigh_options)
adapted(
    f"scipy.linalg.eigh({EIGH.format(alone='eigvals_only=False, ')})",
    "numpy.linalg.eigh",
    options=_vectors_options,
    kind=_vectors_and_values,
)
