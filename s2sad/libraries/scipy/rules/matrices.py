"""``scipy.linalg``: functions of matrices, matrix equations, and matrices of a given structure.

The derivative of an analytic function ``f`` of a matrix ``a`` in the direction ``e`` is a block of its value at
``[[a, e], [0, a]]`` (Higham, "Functions of Matrices", 2008, section 3.2), and the adjoint is the same with ``a.T``; matrix
equations are linear, so that their derivatives are solutions of the same equation.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind, Size, dtype_of
from s2sad.ir.nodes import Const
from s2sad.libraries.numpy.rules.decompositions import text
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.linalg import ARRANGING, LINALG, single
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, field_of, refuse, written
from s2sad.rules.kind_arrays import (
    array_kind,
    float_dtype,
    if_double,
    literal_of,
    product_size,
    strong_dtype,
    sum_of_sizes,
)
from s2sad.rules.kind_rules import Bound, KindRule, shape_of
from s2sad.rules.registry import general, linear, multilinear

# --- functions of matrices

BLOCK = "[:A.shape[-1], A.shape[-1]:]"


def _function(formula: str, real: bool = False) -> Written:
    """A formula for one matrix; ``real``: the function of a real matrix may be complex, its adjoint is not."""

    def write(app: Application) -> str:
        return f"unbroadcast({formula}, A)" if real and field_of(app, "A") != "complex" else formula

    return written(write)


def _exponential(app: Application, m: Matrices, back: bool = False) -> str:
    """Of one matrix by SciPy's own derivative, of a stack by blocks."""
    a = m.t("A") if back else "A"
    blocks = f"expm(bordered({a}, g))[..., :A.shape[-1], A.shape[-1]:]"
    return f"expm_frechet({a}, g, compute_expm=False)" if m.flat else blocks


def _kept(bound: Bound) -> Kind:
    kind = array_kind(bound["A"].kind)
    dtype = dtype_of(kind)
    return Array(None if dtype is None else float_dtype(dtype), shape_of(kind))


def _maybe_complex(bound: Bound) -> Kind:
    kind = _kept(bound)
    dtype = dtype_of(kind)
    return kind if dtype is not None and dtype.startswith("complex") else Array(None, shape_of(kind))


for name in ("cosm", "sinm", "coshm", "sinhm", "signm"):
    general(
        f"scipy.linalg.{name}(A)",
        push={"A": _function(f"unbroadcast({name}(bordered(A, g)){BLOCK}, out)")},
        pull={"A": _function(f"unbroadcast({name}(bordered(A.T, g)){BLOCK}, A)")},
        kind=if_double(_kept) if name == "signm" else _kept,
        facts=single(A=2),
    )
general(
    "scipy.linalg.logm(A)",
    push={"A": _function(f"logm(bordered(A, g)){BLOCK}")},
    pull={"A": _function(f"logm(bordered(A.T, g)){BLOCK}", real=True)},
    kind=if_double(_maybe_complex),
    facts=single(A=2),
)
general(  # out @ out = A
    "scipy.linalg.sqrtm(A)",
    push={"A": _function("solve_sylvester(out, out, g)")},
    pull={"A": _function("solve_sylvester(out.T, out.T, g)", real=True)},
    kind=if_double(_maybe_complex),
    facts=single(A=2),
)
general(
    "scipy.linalg.expm(A)",
    push={"A": text(_exponential, "A")},
    pull={"A": text(lambda app, m: _exponential(app, m, back=True), "A")},
    kind=_kept,
    facts=LINALG,
)


def _in_double(bound: Bound) -> Kind:
    """SciPy's derivative of the exponential is in double precision always."""
    kinds = [_kept({"A": bound[p]}) for p in "AE"]
    dtypes = [dtype_of(kind) for kind in kinds]
    if None in dtypes:
        return Array(None, shape_of(kinds[0]))
    return Array("complex128" if any(str(d).startswith("complex") for d in dtypes) else "float64", shape_of(kinds[0]))


def _frechet(formula: str) -> Written:
    def write(app: Application) -> str:
        only(app, compute_expm=False)
        return formula

    return written(write)


general(
    "scipy.linalg.expm_frechet(A, E, method=None, compute_expm=True, check_finite=True)",
    push={
        "A": _frechet(f"expm_frechet(bordered(A, E), bordered(g, zeros_like(g)), compute_expm=False){BLOCK}"),
        "E": _frechet("expm_frechet(A, g, compute_expm=False)"),
    },
    pull={
        "A": _frechet(
            f"expm_frechet(bordered(A.T, E.T), bordered(g, zeros_like(g)), compute_expm=False){BLOCK}"
        ),
        "E": _frechet("expm_frechet(A.T, g, compute_expm=False)"),
    },
    kind=_in_double,
    facts=single(A=2, E=2),
)

# --- matrix equations


def _equation_kind(*params: str) -> KindRule:
    def rule(bound: Bound) -> Kind:
        dtype = strong_dtype([array_kind(bound[p].kind) for p in params])
        return Array(None if dtype is None else float_dtype(dtype), shape_of(array_kind(bound["q"].kind)))

    return rule


def _discrete_kind(bound: Bound) -> Kind:
    """In single or double precision, as the method has it."""
    kind = _equation_kind("a", "q")(bound)
    return kind if dtype_of(kind) in ("float64", "complex128") else Array(None, shape_of(kind))


def _lyapunov(write: Callable[[Matrices], str]) -> Written:
    """A formula for matrices, of which the first, or both, may be complex."""

    def formula(app: Application) -> str:
        m = Matrices(app, "a")
        if m.real and field_of(app, "q") != "real":
            refuse(app, "of a real and a complex matrix", "SciPy's result solves another equation", "two complex matrices")
        return write(m)

    return written(formula)


general(  # a @ out + out @ b = q
    "scipy.linalg.solve_sylvester(a, b, q)",
    push={
        "a": "-solve_sylvester(a, b, g @ out)",
        "b": "-solve_sylvester(a, b, out @ g)",
        "q": "solve_sylvester(a, b, g)",
    },
    pull={
        "a": "-solve_sylvester(a.T, b.T, g) @ out.T",
        "b": "-out.T @ solve_sylvester(a.T, b.T, g)",
        "q": "solve_sylvester(a.T, b.T, g)",
    },
    kind=_equation_kind("a", "b", "q"),
    facts=single(a=2, b=2, q=2),
)
_CONTINUOUS, _DISCRETE = (f"solve_{time}_lyapunov(a.T, g)" for time in ("continuous", "discrete"))
general(  # a @ out + out @ a.H = q
    "scipy.linalg.solve_continuous_lyapunov(a, q)",
    push={
        "a": _lyapunov(lambda m: f"-solve_continuous_lyapunov(a, g @ out + out @ {m.h('g')})"),
        "q": _lyapunov(lambda _: "solve_continuous_lyapunov(a, g)"),
    },
    pull={
        "a": _lyapunov(lambda m: f"-({_CONTINUOUS} @ out.T + {m.h(_CONTINUOUS)} @ {m.conj('out')})"),
        "q": _lyapunov(lambda _: _CONTINUOUS),
    },
    kind=_equation_kind("a", "q"),
    facts=single(a=2, q=2),
)
general(  # a @ out @ a.H - out + q = 0
    "scipy.linalg.solve_discrete_lyapunov(a, q, method=None)",
    push={
        "a": _lyapunov(lambda m: f"solve_discrete_lyapunov(a, g @ out @ {m.h('a')} + a @ out @ {m.h('g')})"),
        "q": _lyapunov(lambda _: "solve_discrete_lyapunov(a, g)"),
    },
    pull={
        "a": _lyapunov(
            lambda m: f"{_DISCRETE} @ {m.conj('a')} @ out.T + {m.h(_DISCRETE)} @ {m.conj('a')} @ {m.conj('out')}"
        ),
        "q": _lyapunov(lambda _: _DISCRETE),
    },
    kind=_discrete_kind,
    facts=single(a=2, q=2),
)

# --- matrices of a given structure: their adjoints are sums of diagonals, from the upper right corner on


def _sizes(bound: Bound, *params: str) -> tuple[Size, ...]:
    return tuple(product_size(shape_of(array_kind(bound[p].kind))) for p in params)


def _structured(bound: Bound) -> Kind:
    c = array_kind(bound["c"].kind)
    r = bound.get("r", Const(None))
    given = [c] if literal_of(r, r) is None else [c, array_kind(r.kind)]
    if any((shape := shape_of(kind)) is None or len(shape) > 1 for kind in given):
        return Array(None, None)  # there may be no r, and SciPy makes stacks of matrices, one for each row
    return Array(strong_dtype(given), (_sizes(bound, "c", "r") if len(given) > 1 else _sizes(bound, "c") * 2))


def _toeplitz_c(app: Application) -> str:
    """Without a first row that is the conjugate of the first column."""
    if app.given("r"):
        return "diagonal_sums(g)[g.shape[1] - 1:]"
    row = "pad(diagonal_sums(g)[:g.shape[1] - 1][::-1], (1, 0))"
    return f"diagonal_sums(g)[g.shape[1] - 1:] + {row if field_of(app, 'c') == 'real' else f'conj({row})'}"


linear(
    "scipy.linalg.toeplitz(c, r=None)",
    c=written(_toeplitz_c),
    r="pad(diagonal_sums(g)[:g.shape[1] - 1][::-1], (1, 0))",
    kind=_structured,
    facts=single(ARRANGING, c=1, r=1),
)
linear(
    "scipy.linalg.hankel(c, r=None)",
    c="diagonal_sums(g[:, ::-1])[:g.shape[0]]",
    r="pad(diagonal_sums(g[:, ::-1])[g.shape[0]:], (1, 0))",
    kind=_structured,
    facts=single(ARRANGING, c=1, r=1),
)
linear(
    "scipy.linalg.circulant(c)",
    c="diagonal_sums(g)[g.shape[1] - 1:] + pad(diagonal_sums(g)[:g.shape[1] - 1], (1, 0))",
    kind=_structured,
    facts=single(ARRANGING, c=1),
)


def _block_adjoint(k: int) -> Written:
    def write(app: Application) -> str:
        count = sum(name.startswith("arrs") for name in app.bound)
        ranks = [rank for j in range(count) if (rank := app.rank(f"arrs{j}")) is not None and rank < 3]
        if len(ranks) < count:
            refuse(app, "of what is not known to be numbers, rows or matrices", "each has a place of its own", "matrices")
        parts = []
        for axis in (0, 1):  # a vector is a row, a number a matrix of one item
            sizes = [f"arrs{j}.shape[{axis + rank - 2}]" if rank + axis > 1 else "1" for j, rank in enumerate(ranks)]
            parts.append(f"{' + '.join(sizes[:k])}:{' + '.join(sizes[: k + 1])}")
        block = f"g[{', '.join(parts)}]"
        return block if ranks[k] == 2 else f"{block}[0]" if ranks[k] == 1 else f"sum({block})"

    return written(write)


def _block_kind(bound: Bound) -> Kind:
    kinds = [array_kind(v.kind) for v in bound.values()]
    shapes = [shape_of(kind) for kind in kinds]
    if any(shape is None or len(shape) > 2 for shape in shapes):
        return Array(strong_dtype(kinds), None)
    whole = [(1,) * (2 - len(shape)) + shape for shape in shapes if shape is not None]
    sizes = [[shape[axis] for shape in whole] for axis in (0, 1)]
    return Array(strong_dtype(kinds), tuple(sum_of_sizes(part) for part in sizes))


linear(
    "scipy.linalg.block_diag(*arrs)",
    kind=_block_kind,
    facts=ARRANGING,
    **{f"arrs{k}": _block_adjoint(k) for k in range(8)},
)

_CUBE = "reshape(g, (a.shape[0], b.shape[0], a.shape[1]))"


def _khatri_rao_kind(bound: Bound) -> Kind:
    a, b = (array_kind(bound[p].kind) for p in "ab")
    m, n = shape_of(a), shape_of(b)
    return Array(strong_dtype([a, b]), None if not m or not n else (product_size((m[0], n[0])), m[-1]))


multilinear(
    "scipy.linalg.khatri_rao(a, b)",
    a=f"einsum('ikj,kj->ij', {_CUBE}, b)",
    b=f"einsum('ikj,ij->kj', {_CUBE}, a)",
    kind=_khatri_rao_kind,
    facts=single(ARRANGING, a=2, b=2),
)

# --- banded matrices, stored by diagonals


def _banded_kind(bound: Bound) -> Kind:
    a, b = (array_kind(bound[p].kind) for p in ("ab", "b"))
    dtype = strong_dtype([a, b])
    return Array(None if dtype is None else float_dtype(dtype), shape_of(b))


_BACK = "solve_banded(l_and_u[::-1], banded_transpose(l_and_u, ab), g)"
general(
    "scipy.linalg.solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True)",
    push={
        "ab": "-solve_banded(l_and_u, ab, banded_product(l_and_u, g, out))",
        "b": "solve_banded(l_and_u, ab, g)",
    },
    pull={"ab": f"-banded_outer(l_and_u, {_BACK}, out)", "b": _BACK},
    kind=_banded_kind,
    facts=single(ab=2, b=2),
)
