"""``scipy.linalg``: triangular systems, factorisations, and the systems of equations that are solved with them.

They are of single matrices; where one triangle of a matrix is read, only that has a derivative. Formulas follow Giles,
"Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic Differentiation" (2008), and Walter & Lehmann,
"Algorithmic Differentiation of Linear Algebra Functions" (2012).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, dtype_of
from s2sad.rules import kind_linalg
from s2sad.rules.adapted import only
from s2sad.rules.application import Application
from s2sad.rules.choices import Written, field_of, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, inverse, literal_of, strong_dtype
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.language import Partial, Primitive
from s2sad.rules.registry import add, general
from s2sad.rules.scipy_linalg import FINITE, LINALG
from s2sad.rules.several import results

# --- triangular systems


def _vector(app: Application) -> bool:
    """Whether the right-hand side is a vector, of a single matrix."""
    if app.rank("b") not in (1, 2):
        refuse(app, "with a right-hand side of unknown rank, or a stack", "vectors and matrices are treated differently",
               "an annotation of its shape, or numpy.linalg.solve")  # fmt: skip
    return app.rank("b") == 1


def _product(app: Application, x: str, y: str) -> str:
    """``x @ y.T``, of vectors their outer product."""
    return f"outer({x}, {y})" if _vector(app) else f"{x} @ {y}.T"


class Triangle:
    """A call of ``solve_triangular``: what is read of the matrix, and the call with the transposed one."""

    def __init__(self, app: Application) -> None:
        only(app, lower={True, False}, unit_diagonal={True, False}, trans={0, 1, 2, "N", "T", "C"})
        self.turned = literal(app, "trans") not in (0, "N")
        if literal(app, "trans") in (2, "C") and field_of(app, "a") != "real":
            refuse(app, "with trans='C'", "conjugates are not written", "trans='T'")
        lower, unit = literal(app, "lower"), literal(app, "unit_diagonal")
        offset = "" if not unit else ", -1" if lower else ", 1"
        self.part = f"{'tril' if lower else 'triu'}({{}}{offset})"
        self.flags = (", lower=True" if lower else "") + (", unit_diagonal=True" if unit else "")

    def solve(self, b: str, back: bool = False) -> str:
        """The solution for another right-hand side, or that of the transposed system."""
        trans = ", trans=1" if self.turned != back else ""
        return f"solve_triangular(a, {b}{trans}{self.flags})"

    def read(self, x: str) -> str:
        """The items of a matrix that the call reads."""
        return self.part.format(x)


def _triangular(write: Callable[[Application, Triangle], str]) -> Written:
    return written(lambda app: write(app, Triangle(app)))


def _triangular_push(app: Application, t: Triangle) -> str:
    return "-" + t.solve(f"{t.read('g')}{'.T' if t.turned else ''} @ out")


def _triangular_pull(app: Application, t: Triangle) -> str:
    pair = (t.solve("g", back=True), "out")
    return "-" + t.read(_product(app, *(reversed(pair) if t.turned else pair)))


def _like_b(*solvers: str) -> Callable[[Bound], Kind]:
    """The shape of ``b``, in the dtype of all arguments."""

    def rule(bound: Bound) -> Kind:
        dtype = strong_dtype([array_kind(bound[p].kind) for p in (*solvers, "b")])
        return Array(None if dtype is None else float_dtype(dtype), shape_of(array_kind(bound["b"].kind)))

    return rule


general(
    f"scipy.linalg.solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, {FINITE})",
    push={"a": _triangular(_triangular_push), "b": _triangular(lambda _, t: t.solve("g"))},
    pull={"a": _triangular(_triangular_pull), "b": _triangular(lambda _, t: t.solve("g", back=True))},
    kind=_like_b("a"),
    facts=LINALG,
)


def declare(
    head: str,
    push: Mapping[str, tuple[Partial | None, ...]],
    pull: Mapping[str, tuple[Partial | None, ...]],
    kind: Any,
) -> None:
    """A function of ``scipy.linalg`` with several results."""
    name, _, rest = head.partition("(")
    add(
        Primitive(
            name=f"scipy.linalg.{name}",
            signature=rest[:-1],
            effects="fresh",
            kind=kind,
            derivative=results(push, pull),
            **LINALG,
        )
    )


# --- Cholesky factors; beside the factor, ``cho_factor`` leaves the other triangle of a as it was


def _lower(app: Application) -> bool:
    only(app, lower={True, False})
    if field_of(app, "a") == "complex":
        refuse(app, "of complex matrices", "no rule is written for them", "numpy.linalg.cholesky")
    return bool(literal(app, "lower"))


def _cho_push(app: Application) -> str:
    if _lower(app):
        inner = (
            "solve_triangular(out[0], solve_triangular(out[0], mirror_lower(g), lower=True).T, lower=True)"
        )
        return f"tril(out[0]) @ half_tril({inner}) + triu(g, 1)"
    inner = "solve_triangular(out[0], solve_triangular(out[0], mirror_upper(g), trans=1).T, trans=1)"
    return f"half_tril({inner}).T @ triu(out[0]) + tril(g, -1)"


def _cho_pull(app: Application) -> str:
    if _lower(app):
        once = "solve_triangular(out[0], half_tril(tril(out[0]).T @ tril(g)), trans=1, lower=True)"
        return f"fold_upper(solve_triangular(out[0], {once}.T, trans=1, lower=True).T) + triu(g, 1)"
    once = "solve_triangular(out[0], half_tril(triu(out[0]) @ triu(g).T))"
    return f"fold_upper(solve_triangular(out[0], {once}.T).T).T + tril(g, -1)"


def _with(item: Kind) -> Callable[[Bound], Kind]:
    def rule(bound: Bound) -> Kind:
        return Tuple((inverse(bound), item))

    return rule


declare(
    f"cho_factor(a, lower=False, overwrite_a=False, {FINITE})",
    push={"a": (written(_cho_push), None)},
    pull={"a": (written(_cho_pull), None)},
    kind=_with(Scalar("bool")),
)

_C = "c_and_lower[0]"


def _cho_solve_push(app: Application) -> str:
    _vector(app)
    halves = f"where(c_and_lower[1], tril(g[0]) @ tril({_C}).T, triu(g[0]).T @ triu({_C}))"
    return f"-cho_solve(c_and_lower, ({halves} + {halves}.T) @ out)"


def _cho_solve_pull(app: Application) -> str:
    back = "cho_solve(c_and_lower, g)"
    both = f"({_product(app, back, 'out')} + {_product(app, 'out', back)})"
    return f"(-where(c_and_lower[1], tril({both} @ tril({_C})), triu(triu({_C}) @ {both})), 0.0)"


def _factored(param: str) -> Callable[[Bound], Kind]:
    """The shape of ``b``, in the dtype of the factor and itself."""

    def rule(bound: Bound) -> Kind:
        pair = bound[param].kind
        dtype = dtype_of(pair.items[0]) if isinstance(pair, Tuple) else None
        both = None if dtype is None else strong_dtype([Array(dtype, None), array_kind(bound["b"].kind)])
        return Array(None if both is None else float_dtype(both), shape_of(array_kind(bound["b"].kind)))

    return rule


general(
    f"scipy.linalg.cho_solve(c_and_lower, b, overwrite_b=False, {FINITE})",
    push={"c_and_lower": written(_cho_solve_push), "b": "cho_solve(c_and_lower, g)"},
    pull={"c_and_lower": written(_cho_solve_pull), "b": "cho_solve(c_and_lower, g)"},
    kind=_factored("c_and_lower"),
    facts=LINALG,
)

# --- triangular factors of general matrices: rows(a) = l @ u, both in one array, or a = p @ l @ u


def _over(x: str, lu: str, upper: str) -> str:
    """``inv(l) @ x @ inv(u)``."""
    left = f"solve_triangular({lu}, {x}, lower=True, unit_diagonal=True)"
    return f"solve_triangular({upper}, {left}.T, trans=1).T"


def _over_transposed(x: str, lu: str, upper: str) -> str:
    """``inv(l.T) @ x @ inv(u.T)``."""
    left = f"solve_triangular({lu}, {x}, trans=1, lower=True, unit_diagonal=True)"
    return f"solve_triangular({upper}, {left}.T).T"


_LU = "square_matrix(out[0])"
_INNER = _over("g[pivoted(out[1])]", _LU, _LU)
_L_PART = f"tril({_LU}, -1) @ tril({_INNER}, -1) + tril({_INNER}, -1)"
_L_BAR = f"tril(tril({_LU}, -1).T @ tril(g, -1) + tril(g, -1), -1)"
declare(
    f"lu_factor(a, overwrite_a=False, {FINITE})",
    push={"a": (f"{_L_PART} + triu({_INNER}) @ triu({_LU})", None)},
    pull={
        "a": (
            _over_transposed(f"({_L_BAR} + triu(triu(g) @ triu({_LU}).T))", _LU, _LU)
            + "[argsort(pivoted(out[1]))]",
            None,
        )
    },
    kind=lambda bound: Tuple(
        (inverse(bound), Array("int32", None if (s := shape_of(inverse(bound))) is None else s[:-1]))
    ),
)


def _plain_lu(formula: str) -> Written:
    def write(app: Application) -> str:
        only(app, permute_l=False, p_indices=False)
        return formula

    return written(write)


def _lu_kind(bound: Bound) -> Kind:
    if literal_of(bound["permute_l"]) is not False or literal_of(bound["p_indices"]) is not False:
        return Kind()
    a = kind_linalg.Source(bound)
    return Tuple((a.reals(a.rows, a.rows), a.array(a.rows, a.least), a.array(a.least, a.columns)))


_INNER = _over("(out[0].T @ g)", "square_matrix(out[1])", "square_matrix(out[2])")
declare(
    f"lu(a, permute_l=False, overwrite_a=False, {FINITE}, p_indices=False)",
    push={"a": (None, _plain_lu(f"square_matrix(out[1]) @ tril({_INNER}, -1)"), _plain_lu(f"triu({_INNER}) @ out[2]"))},
    pull={
        "a": (
            None,
            _plain_lu("out[0] @ " + _over_transposed("tril(out[1].T @ g, -1)", "square_matrix(out[1])", "square_matrix(out[2])")),
            _plain_lu("out[0] @ " + _over_transposed("triu(g @ out[2].T)", "square_matrix(out[1])", "square_matrix(out[2])")),
        )
    },
    kind=_lu_kind,
)

_P = "lu_and_piv"


def _turned(app: Application) -> bool:
    """Whether the transposed system is solved."""
    only(app, trans={0, 1})
    return bool(literal(app, "trans"))


def _lu_solve(app: Application, b: str, back: bool = False) -> str:
    return f"lu_solve({_P}, {b}{', trans=1' if _turned(app) != back else ''})"


def _lu_solve_push(app: Application) -> str:
    _vector(app)
    lower = f"(tril({_P}[0], -1) @ triu(g[0]) + triu(g[0]))"
    change = f"(tril(g[0], -1) @ triu({_P}[0]) + {lower})[argsort(pivoted({_P}[1]))]"
    return "-" + _lu_solve(app, f"{change}{'.T' if _turned(app) else ''} @ out")


def _lu_solve_pull(app: Application) -> str:
    pair = (_lu_solve(app, "g", back=True), "out")
    bar = f"({_product(app, *(reversed(pair) if _turned(app) else pair))})[pivoted({_P}[1])]"
    of_l = f"tril({bar} @ triu({_P}[0]).T, -1)"
    return f"(-({of_l} + triu(tril({_P}[0], -1).T @ {bar} + {bar})), zeros({_P}[1]))"


general(
    f"scipy.linalg.lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, {FINITE})",
    push={_P: written(_lu_solve_push), "b": written(lambda app: _lu_solve(app, "g"))},
    pull={_P: written(_lu_solve_pull), "b": written(lambda app: _lu_solve(app, "g", back=True))},
    kind=_factored(_P),
    facts=LINALG,
)
