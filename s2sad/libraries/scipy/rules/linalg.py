"""``scipy.linalg``: what NumPy has too, which shares NumPy's rules (``adapted``).

``scipy_factors`` has factorisations and the solvers that use them, ``scipy_matrices`` functions of matrices, equations and
structures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, dtype_of
from s2sad.ir.nodes import Value
from s2sad.libraries.numpy.rules import (  # noqa: F401  the rules that are shared stand in their tables by then
    decompositions,
    kind_linalg,
    kind_products,
    linalg,
    matrix_functions,
    norms,
)
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.libraries.scipy.rules import adapted as shared
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.names import scope
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.by_result import one, results, switched
from s2sad.rules.call_formulas import Written, field_of, literal, refuse, written
from s2sad.rules.kind_arrays import (
    array_kind,
    if_double,
    inverse,
    literal_of,
    real_float,
    reduced,
    strong_dtype,
)
from s2sad.rules.kind_rules import Bound, make, shape_of
from s2sad.rules.language import Primitive


def matrices(app: Application) -> None:
    """Refuse numbers in the place of matrices, and half precision, which SciPy takes and formulas do not."""
    half = [p for p, v in app.bound.items() if dtype_of(v.kind) == "float16"]
    if half:
        refuse(app, f"with {half[0]} in half precision", "its formulas have none", "single precision")
    numbers = [p for p in ("a", "b", "A", "E", "q") if p in app.bound and app.given(p) and app.rank(p) == 0]
    if numbers and app.primitive.name != "scipy.linalg.norm":
        refuse(app, "of a number", f"{numbers[0]} is a matrix in its formulas", "a matrix with one item")


LINALG = scope("scipy.linalg", refuses=matrices, widens=True)
ARRANGING = scope("scipy.linalg", refuses=matrices)  # of what keeps the precision of its arguments


def single(facts: dict[str, Any] = LINALG, **axes: int) -> dict[str, Any]:
    """The facts of a function whose formulas hold for one matrix or system: how many axes its arguments may have at most.

    SciPy applies it to stacks of them, too, item by item. What has no known rank is guarded as the program runs.
    """

    def refuses(app: Application) -> None:
        matrices(app)
        for param, most in axes.items():
            if param not in app.bound or not app.given(param):
                continue
            kind = app.kind(param)
            shape = shape_of(array_kind(kind.items[0] if isinstance(kind, Tuple) and kind.items else kind))
            if shape == ():
                refuse(app, f"of a number ({param})", "its rule is that of a matrix", "an array")
            if shape is not None and len(shape) > most:
                refuse(app, f"of a stack ({param})", "its rule is that of one matrix or system", "a loop over the stack")

    return {**facts, "refuses": refuses, "axes": axes}


FINITE = "check_finite=True"

# --- what NumPy has too

adapted = partial(shared.adapted, refuses=matrices, widens=True)


def _determinant(bound: Bound) -> Kind:
    """In double precision always."""
    kind = kind_products.determinant(bound)
    dtype = dtype_of(kind)
    double = None if dtype is None else "complex128" if dtype.startswith("complex") else "float64"
    return kind if double is None else make(double, shape_of(kind))


adapted(f"scipy.linalg.det(a, overwrite_a=False, {FINITE})", "numpy.linalg.det", kind=_determinant)


@if_double
def _norm(bound: Bound) -> Kind:
    """In double precision, or as NumPy's: where LAPACK computes it, it gives one of Python's numbers."""
    kind = reduced(real_float)({"x": bound["a"], **{p: bound[p] for p in ("axis", "keepdims")}})
    if not isinstance(kind, Scalar) or kind.dtype is None:
        return kind
    return Scalar(types=frozenset(((kind.dtype, True), (kind.dtype, False))))


_norm_head = f"scipy.linalg.norm(a, ord=None, axis=None, keepdims=False, {FINITE})"
adapted(_norm_head, "numpy.linalg.norm", a="x", kind=_norm, widens=False)


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
    """SciPy's eigenvalues are complex always, in either precision, its eigenvectors where the eigenvalues are."""
    if isinstance(kind, Tuple):
        return Tuple((_complex(kind.items[0]), Array(None, shape_of(kind.items[1]))))
    return Array(None, shape_of(kind))


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

# --- Hermitian eigenvalue problems, a @ v = w * b @ v, where v.H @ b @ v is the identity; one triangle of each is read


class Pencil(Matrices):
    """The matrices of a call, its eigenvalues ``w`` and eigenvectors ``v`` as formulas name them."""

    def __init__(self, app: Application) -> None:
        super().__init__(app, "a")
        only(app, lower={True, False}, type=1)
        chosen = "".join(f", {p}={p}" for p in ("subset_by_index", "subset_by_value") if app.given(p))
        self.real = self.real and (not app.given("b") or field_of(app, "b") == "real")
        lower = literal(app, "lower")
        self.mirror, self.fold = ("mirror_lower", "fold_upper") if lower else ("mirror_upper", "fold_lower")
        alone = "eigvals_only" not in app.bound or literal(app, "eigvals_only")
        pencil = "a, b" if app.given("b") else "a"
        again = f"scipy.linalg.eigh({pencil}, lower=lower{{}})"
        self.w, self.v = ("out", f"{again.format(chosen)}[1]") if alone else ("out[0]", "out[1]")
        self.all_w, self.all_v = (f"{again.format('')}[0]", f"{again.format('')}[1]") if chosen else (self.w, self.v)
        self.turned = f"{self.h(self.all_v)} @ {self.mirror}(g) @ {self.v}"  # a matrix's tangent, in the basis of eigenvectors
        self.own = self.turned if not chosen else f"{self.h(self.v)} @ {self.mirror}(g) @ {self.v}"

    def by_gaps(self, x: str) -> str:
        """Divided by the gaps between eigenvalues: the chosen ones of the columns, and all of them."""
        return f"divide_gaps({x}, {self.w})" if self.all_w == self.w else f"divide_chosen_gaps({x}, {self.all_w}, {self.w})"

    def folded(self, inner: str) -> str:
        """The adjoint of a matrix from that of what it is in the basis of eigenvectors."""
        return f"{self.fold}({self.conj(self.all_v)} @ ({inner}) @ {self.t(self.v)})"


def _values_push(m: Pencil, by_b: bool) -> str:
    moved = m.real_part(m.sum_rows(f"{m.conj(m.v)} * ({m.mirror}(g) @ {m.v})"))
    return f"-{m.w} * {moved}" if by_b else moved


def _values_pull(m: Pencil, by_b: bool) -> str:
    due = f"({m.conj(m.v)} * {m.row(f'(-g * {m.w})' if by_b else 'g')}) @ {m.t(m.v)}"
    return f"{m.fold}({due})"


def _vectors_push(m: Pencil, by_b: bool) -> str:
    if not by_b:
        return f"{m.all_v} @ {m.by_gaps(m.turned)}"
    return f"-({m.all_v} @ {m.by_gaps(f'({m.turned}) * {m.row(m.w)}')} + 0.5 * {m.v} @ tril(triu({m.own})))"


def _vectors_pull(m: Pencil, by_b: bool) -> str:
    moved = m.by_gaps(f"{m.t(m.all_v)} @ g")
    if not by_b:
        return m.folded(moved)
    own = f"{m.conj(m.v)} @ (0.5 * tril(triu({m.t(m.v)} @ g))) @ {m.t(m.v)}"
    return f"-{m.fold}({m.conj(m.all_v)} @ ({moved} * {m.row(m.w)}) @ {m.t(m.v)} + {own})"


def _pencil(write: Callable[[Pencil, bool], str]) -> dict[str, Written]:
    """A formula by each of the two matrices."""
    return {"a": written(lambda app: write(Pencil(app), False)), "b": written(lambda app: write(Pencil(app), True))}


def _phase_check(app: Application, due: frozenset[int]) -> str | None:
    m = Pencil(app)
    return None if m.real or 1 not in due else f"assert_phase_free({m.t('out[1]')} @ g[1])"


def _eigh_kind(bound: Bound) -> Kind:
    """That of both matrices together."""
    alone = literal_of(bound["eigvals_only"]) if "eigvals_only" in bound else True
    if alone is None:
        return Kind()
    given = [array_kind(bound[p].kind) for p in "ab" if literal_of(bound[p], bound[p]) is not None]
    both = {"a": Value(Array(strong_dtype(given), shape_of(given[0])))}
    if any(literal_of(bound[p], bound[p]) is not None for p in ("subset_by_index", "subset_by_value")):
        some = kind_linalg.unsized("w")({"w": Value(kind_linalg.eigvalsh(both))})
        return some if alone else Tuple((some, kind_linalg.unsized("a")(both)))
    return kind_linalg.eigvalsh(both) if alone else Tuple(kind_linalg.eigh(both).items)  # type: ignore[attr-defined]


_values = one(push=_pencil(_values_push), pull=_pencil(_values_pull))
_push, _pull = (
    {p: (values[p], vectors[p]) for p in "ab"}
    for values, vectors in (
        (_pencil(_values_push), _pencil(_vectors_push)), (_pencil(_values_pull), _pencil(_vectors_pull)),
    )
)  # fmt: skip


def _computed(app: Application) -> None:
    refuse(app, "with a computed eigvals_only", "how many results there are must be known", "a literal True or False")


for _head, _derivative in (
    ("eigvalsh(a, b=None, *, lower=True, ", _values),
    (
        "eigh(a, b=None, *, lower=True, eigvals_only=False, ",
        switched("eigvals_only", {True: _values, False: results(_push, _pull, _phase_check)}, _computed),
    ),
):
    _name, _, _rest = _head.partition("(")
    registry.add(
        Primitive(
            name=f"scipy.linalg.{_name}",
            signature=f"{_rest}overwrite_a=False, overwrite_b=False, type=1, {FINITE}, subset_by_index=None, "
            "subset_by_value=None, driver=None",
            effects="fresh",
            kind=_eigh_kind,
            derivative=_derivative,
            **LINALG,
        )
    )
