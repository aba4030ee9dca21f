"""``scipy.sparse``: systems of equations with a constant sparse matrix, and the iterative solvers, also of dense ones.

Products with a sparse matrix are Python's ``@``: of an operand that is no array the rule knows nothing but its transpose.
Matrices whose items vary are written by their items (``prelude/sparse.py``), with the helpers below. Derivatives of
what an iterative solver finds are those of the exact solution, found by the same solver to the same tolerance.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import INT, Array, Kind, Other, Tuple
from s2sad.ir.nodes import Const
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.names import HELPERS, no_slope, scope
from s2sad.rules.application import Application
from s2sad.rules.by_result import results
from s2sad.rules.call_formulas import Written, field_of, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, strong_dtype
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.language import Primitive
from s2sad.rules.registry import add, general, linear, multilinear, nothing

SPARSE = scope("scipy.sparse.linalg")
STRUCTURE = "the adjoint of a sparse matrix would have to have its structure"
ITEMS = no_slope("A", STRUCTURE, "a constant matrix")


def _solution(bound: Bound) -> Kind:
    """A vector for a vector, in a dtype that depends on the matrix."""
    shape = shape_of(array_kind(bound["b"].kind))
    return Array(None, shape) if shape is not None and len(shape) == 1 else Kind()


general(
    "scipy.sparse.linalg.spsolve(A, b, permc_spec=None, use_umfpack=True)",
    push={"A": ITEMS, "b": "spsolve(A, g)"},
    pull={"A": ITEMS, "b": "spsolve(A.T, g)"},
    kind=_solution,
    facts=SPARSE,
)

# --- iterative solvers, which give the solution and whether it was found


def _found(bound: Bound) -> Kind:
    """A vector, in the dtype of both where the matrix is dense and that is in double precision: some know no other."""
    b = array_kind(bound["b"].kind)
    matrix = array_kind(bound["A"].kind)
    dtype = strong_dtype([matrix, b]) if isinstance(matrix, Array) else None
    return Tuple((Array(dtype if dtype in ("float64", "complex128") else None, shape_of(b)), INT))


def _dense(app: Application) -> None:
    if not isinstance(app.kind("A"), Array) or app.rank("A") != 2:
        refuse(app, "with respect to A", STRUCTURE, "a constant matrix, or a dense one")
    if field_of(app, "A") == "complex":
        refuse(app, "of a complex matrix", "no rule is written for it", "a real matrix")


def _iterative(name: str, options: str, same: bool = False) -> None:
    """A solver by its options; ``same``: of symmetric matrices, with which the transposed system is the same."""
    given = ", ".join(f"{o}={o}" for o in ("rtol", "atol", "maxiter", "shift") if f"{o}=" in options)

    def solved(b: str, back: bool = False) -> str:
        return f"{name}(A{'' if same or not back else '.T'}, {b}, {given})[0]"

    def of_items(formula: str) -> Written:
        def write(app: Application) -> str:
            _dense(app)
            return formula

        return written(write)

    add(
        Primitive(
            name=f"scipy.sparse.linalg.{name}",
            signature=f"A, b, x0=None, {options}",
            effects="fresh",
            kind=_found,
            derivative=results(
                push={"A": (of_items(f"-{solved('g @ out[0]')}"), None), "b": (solved("g"), None)},
                pull={
                    "A": (of_items(f"-outer({solved('g', back=True)}, out[0])"), None),
                    "b": (solved("g", back=True), None),
                },
            ),
            **SPARSE,
        )
    )


_CALLED = "M=None, callback=None"
_iterative("cg", f"*, rtol=1e-05, atol=0.0, maxiter=None, {_CALLED}", same=True)
_iterative("minres", f"*, rtol=1e-05, shift=0.0, maxiter=None, {_CALLED}, show=False, check=False", same=True)
_iterative("bicg", f"*, rtol=1e-05, atol=0.0, maxiter=None, {_CALLED}")
_iterative("bicgstab", f"*, rtol=1e-05, atol=0.0, maxiter=None, {_CALLED}")
_iterative("cgs", f"*, rtol=1e-05, atol=0.0, maxiter=None, {_CALLED}")
_iterative("gmres", f"*, rtol=1e-05, atol=0.0, restart=None, maxiter=None, {_CALLED}, callback_type=None")
_iterative(
    "lgmres",
    f"*, rtol=1e-05, atol=0.0, maxiter=1000, {_CALLED}, inner_m=30, outer_k=3, outer_v=None, "
    "store_outer_Av=True, prepend_outer_v=False",
)

# --- the exponential of a matrix times a vector or a matrix


def _exponential(formula: str) -> Callable[[Application], str]:
    def write(app: Application) -> str:
        only(app, start=None, stop=None, num=None)
        return formula

    return write


general(
    "scipy.sparse.linalg.expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None)",
    push={"A": ITEMS, "B": written(_exponential("expm_multiply(A, g)"))},
    pull={"A": ITEMS, "B": written(_exponential("expm_multiply(A.T, g)"))},
    kind=lambda bound: Array(None, shape_of(array_kind(bound["B"].kind))),
    facts=SPARSE,
)

# --- factors that are kept

_PLACES = Array("int64", (None,))
nothing([f"{HELPERS}factors(A)"], kind=lambda _: Other("factors"), zero=True)


def _turned(app: Application, back: bool) -> str:
    turned = bool(literal(app, "transposed")) is not back
    return f"factored_solution(lu, g{', True' if turned else ''})"


linear(
    f"{HELPERS}factored_solution(lu, b, transposed=False)",
    b=written(lambda app: _turned(app, back=True)),
    kind=lambda bound: Array(None, shape_of(array_kind(bound["b"].kind))),  # the factors may be complex
    facts=SPARSE,
)

# --- matrices whose items vary, by the vectors of their values and places


def _product_of_items(bound: Bound) -> Kind:
    """The rows of the matrix, the further axes of ``x``."""
    x, count = array_kind(bound["x"].kind), bound["count"]
    shape = shape_of(x)
    size = count.payload if isinstance(count, Const) else getattr(count.kind, "size", None)
    return Array(strong_dtype([array_kind(bound["data"].kind), x]), None if shape is None else (size, *shape[1:]))


def _paired(bound: Bound) -> Kind:
    dtype = strong_dtype([array_kind(bound[p].kind) for p in ("left", "right")])
    return Array(dtype, shape_of(array_kind(bound["rows"].kind)) or (None,))


_ITEMS = Tuple((Array(None, (None,)), _PLACES, _PLACES, Tuple((INT, INT))))
nothing([f"{HELPERS}entries(matrix)"], kind=lambda _: _ITEMS, zero=True)
nothing([f"{HELPERS}unrolled(indptr)"], kind=lambda _: _PLACES, zero=True)
nothing([f"{HELPERS}slots(lines, places)"], kind=lambda _: _PLACES, zero=True)
nothing([f"{HELPERS}matches(columns, rows)"], kind=lambda _: Tuple((_PLACES, _PLACES)), zero=True)
multilinear(
    f"{HELPERS}sparse_product(data, rows, columns, count, x)",
    data="paired_sums(g, rows, x, columns)",
    x="sparse_product(data, columns, rows, x.shape[0], g)",
    kind=_product_of_items,
    facts=SPARSE,
)
multilinear(
    f"{HELPERS}paired_sums(left, rows, right, columns)",
    left="sparse_product(g, rows, columns, left.shape[0], right)",
    right="sparse_product(g, columns, rows, right.shape[0], left)",
    kind=_paired,
    facts=SPARSE,
)
_BACK = "sparse_solution(data, columns, rows, g)"
general(
    f"{HELPERS}sparse_solution(data, rows, columns, b)",
    push={
        "data": "-sparse_solution(data, rows, columns, sparse_product(g, rows, columns, out.shape[0], out))",
        "b": "sparse_solution(data, rows, columns, g)",
    },
    pull={"data": f"-paired_sums({_BACK}, rows, out, columns)", "b": _BACK},
    kind=lambda bound: Array(None, shape_of(array_kind(bound["b"].kind))),
    facts=SPARSE,
)


def _again(places: str, b: str) -> str:
    return f"iterated(name, data, {places}, {b}, None, rtol, atol, maxiter)[0]"


_FORTH, _TURNED = "rows, columns", _again("columns, rows", "g")
add(
    Primitive(
        name=f"{HELPERS}iterated",
        signature="name, data, rows, columns, b, x0=None, rtol=1e-05, atol=0.0, maxiter=None",
        effects="fresh",
        kind=lambda bound: Tuple((Array(None, shape_of(array_kind(bound["b"].kind))), INT)),
        derivative=results(
            push={
                "data": ("-" + _again(_FORTH, "sparse_product(g, rows, columns, out[0].shape[0], out[0])"), None),
                "b": (_again(_FORTH, "g"), None),
            },
            pull={"data": (f"-paired_sums({_TURNED}, rows, out[0], columns)", None), "b": (_TURNED, None)},
        ),
        **SPARSE,
    )
)
