"""``scipy.linalg``: systems of equations of a structure, factorisations, and the systems that are solved with them.

They are of single matrices; where one triangle of a matrix is read, only that has a derivative. Formulas follow Giles,
"Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic Differentiation" (2008), and Walter & Lehmann,
"Algorithmic Differentiation of Linear Algebra Functions" (2012).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, dtype_of
from s2sad.libraries.numpy.rules import kind_linalg
from s2sad.libraries.numpy.rules.decompositions import text
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.libraries.scipy.rules.adapted import Adapted, only
from s2sad.libraries.scipy.rules.linalg import FINITE, LINALG, single
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.by_result import Picked, one, results
from s2sad.rules.call_formulas import Written, field_of, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, if_taken, inverse, literal_of, strong_dtype
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.language import Derivative, Partial, Primitive
from s2sad.rules.registry import add, general

# --- right-hand sides


def _product(app: Application, x: str, y: str) -> str:
    """``x @ y.T``, of vectors their outer product; which it is is seen as the program runs where nothing tells the rank."""
    if app.rank("b") is None:
        return f"columns({x}, b) @ columns({y}, b).T"
    return f"outer({x}, {y})" if app.rank("b") == 1 else f"{x} @ {y}.T"


def _single(app: Application) -> None:
    """Raise NoRuleError unless the call is of one matrix, and a vector or a matrix: nothing guards it."""
    if app.rank("a") != 2 or app.rank("b") not in (1, 2):
        instead = "an annotation of its shape, or numpy.linalg.solve"
        refuse(app, "of stacks, or of unknown rank", "its rule is that of one matrix", instead)


# --- systems and inverses of matrices that are assumed to be of a kind: only what is read of them has a derivative

_GENERAL = {None, "gen", "general"}
_SYMMETRIC, _HERMITIAN = {"sym", "symmetric"}, {"her", "hermitian", "pos", "positive definite"}
_READ = {
    "banded": "{}",
    "diagonal": "tril(triu({}))",
    "tridiagonal": "tril(triu({}, -1), 1)",
    "upper triangular": "triu({})",
    "lower triangular": "tril({})",
}
_TURNED = {"upper triangular": "lower triangular", "lower triangular": "upper triangular"}


class Assumed:
    """A call of ``solve`` or ``inv``: what is read of the matrix, and the call with the transposed one."""

    def __init__(self, app: Application) -> None:
        only(app, assume_a=_GENERAL | _SYMMETRIC | _HERMITIAN | _READ.keys(), lower={True, False})
        self.kind, self.lower = literal(app, "assume_a"), literal(app, "lower")
        self.m = Matrices(app, "a")
        if self.kind in _SYMMETRIC and not self.m.real:
            refuse(app, f"with assume_a={self.kind!r} of complex numbers", "no rule is written for it", "a general matrix")
        self.turned = "transposed" in app.bound and self._transposed(app)

    def _transposed(self, app: Application) -> bool:
        only(app, transposed={True, False})
        return bool(literal(app, "transposed"))

    def read(self, x: str) -> str:
        """The items of a matrix that the call reads, where it takes them to stand."""
        if self.kind in _SYMMETRIC | _HERMITIAN:
            return f"{'mirror_lower' if self.lower else 'mirror_upper'}({x})"
        return x if self.kind in _GENERAL else _READ[self.kind].format(x)

    def folded(self, x: str) -> str:
        """The adjoint of ``read``."""
        if self.kind in _SYMMETRIC | _HERMITIAN:
            return f"{'fold_upper' if self.lower else 'fold_lower'}({x})"
        return self.read(x)

    def solve(self, b: str, back: bool = False) -> str:
        """The solution for another right-hand side, or that of the transposed system."""
        turned = self.turned != back
        lower, kind = self.lower != turned, _TURNED.get(self.kind, self.kind) if turned else self.kind
        options = ", lower=True" if lower and kind in _SYMMETRIC | _HERMITIAN else ""
        options += f", assume_a={kind!r}" if kind is not None else ""
        return f"scipy.linalg.solve({self.m.t('a') if turned else 'a'}, {b}{options})"


def _solve_push(app: Application) -> str:
    s = Assumed(app)
    _single(app)
    return "-" + s.solve(f"{s.m.t(s.read('g')) if s.turned else s.read('g')} @ out")


def _solve_pull(app: Application) -> str:
    s = Assumed(app)
    _single(app)
    pair = (s.solve("g", back=True), "out")
    return "-" + s.folded(_product(app, *(reversed(pair) if s.turned else pair)))


def _by_right_side(back: bool) -> Written:
    def write(app: Application) -> str:
        _single(app)
        return Assumed(app).solve("g", back)

    return written(write)


def _plain(app: Application) -> bool:
    """Test for a call that assumes nothing, as NumPy's function."""
    only(app, assume_a=_GENERAL | _SYMMETRIC | _HERMITIAN | _READ.keys())
    return literal(app, "assume_a") in _GENERAL and ("transposed" not in app.bound or literal(app, "transposed") is False)


def _assumed(head: str, existing: str, derivative: Derivative) -> None:
    """A function of NumPy that has other derivatives where something is assumed."""
    name, _, rest = head.partition("(")
    known = registry.lookup(existing)
    assert known is not None and isinstance(known.derivative, Derivative)
    plain = Adapted(known.derivative)
    picked = Picked(plain.params, lambda app: plain if _plain(app) else derivative)
    path = f"scipy.linalg.{name}"
    add(Primitive(name=path, signature=rest[:-1], effects="fresh", kind=known.kind, derivative=picked, **LINALG))


_assumed(
    f"solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, {FINITE}, assume_a=None, transposed=False)",
    "numpy.linalg.solve",
    one(
        push={"a": written(_solve_push), "b": _by_right_side(back=False)},
        pull={"a": written(_solve_pull), "b": _by_right_side(back=True)},
    ),
)


def _inverted(app: Application) -> Assumed:
    if literal(app, "assume_a") == "diagonal":
        refuse(app, "with assume_a='diagonal'", "SciPy's result depends on items that it should not read", "1 / np.diagonal(a)")
    return Assumed(app)


def _inverse_push(app: Application) -> str:
    return f"-out @ {_inverted(app).read('g')} @ out"


def _inverse_pull(app: Application) -> str:
    s = _inverted(app)
    out = s.m.t("out")
    return f"-{s.folded(f'{out} @ g @ {out}')}"


_assumed(
    f"inv(a, overwrite_a=False, {FINITE}, *, assume_a=None, lower=False)",
    "numpy.linalg.inv",
    one(push={"a": written(_inverse_push)}, pull={"a": written(_inverse_pull)}),
)


# --- triangular systems


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
    facts=single(a=2, b=2),
)


def declare(
    head: str,
    push: Mapping[str, tuple[Partial | None, ...]],
    pull: Mapping[str, tuple[Partial | None, ...]],
    kind: Any,
    facts: Mapping[str, Any] = LINALG,
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
            **facts,
        )
    )


# --- Cholesky factors; beside the factor, ``cho_factor`` leaves the other triangle of a as it was


def _lower(app: Application) -> bool:
    only(app, lower={True, False})
    return bool(literal(app, "lower"))


def _cho_push(app: Application, m: Matrices) -> str:
    if _lower(app):
        once = "solve_triangular(out[0], mirror_lower(g), lower=True)"
        return f"tril(out[0]) @ half_tril(solve_triangular(out[0], {m.h(once)}, lower=True)) + triu(g, 1)"
    back = f"trans={1 if m.real else 2}"
    once = f"solve_triangular(out[0], mirror_upper(g), {back})"
    return f"{m.h(f'half_tril(solve_triangular(out[0], {m.h(once)}, {back}))')} @ triu(out[0]) + tril(g, -1)"


def _cho_pull(app: Application, m: Matrices) -> str:
    if _lower(app):
        once = "solve_triangular(out[0], half_tril(tril(out[0]).T @ tril(g)), trans=1, lower=True)"
        twice = f"solve_triangular(out[0], {once}.T, trans={1 if m.real else 2}, lower=True).T"
        return f"fold_upper({twice}) + triu(g, 1)"
    once = m.conj("solve_triangular(out[0], half_tril(triu(out[0]) @ triu(g).T)).T")
    return f"{m.h(f'fold_upper(solve_triangular(out[0], {once}).T)')} + tril(g, -1)"


def _with(item: Kind) -> Callable[[Bound], Kind]:
    def rule(bound: Bound) -> Kind:
        return Tuple((inverse(bound), item))

    return rule


declare(
    f"cho_factor(a, lower=False, overwrite_a=False, {FINITE})",
    push={"a": (text(_cho_push), None)},
    pull={"a": (text(_cho_pull), None)},
    kind=_with(Scalar("bool")),
    facts=single(a=2),
)

_C = "c_and_lower[0]"


def _conj(app: Application) -> str:
    """The function by which formulas write conjugates, which real factors do not need."""
    pair = app.kind("c_and_lower")
    dtype = dtype_of(pair.items[0]) if isinstance(pair, Tuple) else None
    return "conj" if dtype is None or dtype.startswith("complex") or field_of(app, "b") != "real" else ""


def _cho_solve_push(app: Application) -> str:
    conj = _conj(app)
    halves = f"where(c_and_lower[1], tril(g[0]) @ {conj}(tril({_C})).T, {conj}(triu(g[0])).T @ triu({_C}))"
    return f"-cho_solve(c_and_lower, ({halves} + {conj}({halves}).T) @ out)"


def _cho_solve_back(app: Application) -> str:
    """The solution of the transposed system."""
    return "conj(cho_solve(c_and_lower, conj(g)))" if _conj(app) else "cho_solve(c_and_lower, g)"


def _cho_solve_pull(app: Application) -> str:
    back, conj = _cho_solve_back(app), _conj(app)
    both = f"({_product(app, back, 'out')} + {conj}({_product(app, 'out', back)}))"
    return f"(-where(c_and_lower[1], tril({both} @ {conj}(tril({_C}))), triu({conj}(triu({_C})) @ {both})), 0.0)"


def _factored(param: str) -> Callable[[Bound], Kind]:
    """The shape of ``b``, in the dtype of the factor and itself."""

    @if_taken
    def rule(bound: Bound) -> Kind:
        pair = bound[param].kind
        dtype = dtype_of(pair.items[0]) if isinstance(pair, Tuple) else None
        both = None if dtype is None else strong_dtype([Array(dtype, None), array_kind(bound["b"].kind)])
        return Array(None if both is None else float_dtype(both), shape_of(array_kind(bound["b"].kind)))

    return rule


general(
    f"scipy.linalg.cho_solve(c_and_lower, b, overwrite_b=False, {FINITE})",
    push={"c_and_lower": written(_cho_solve_push), "b": "cho_solve(c_and_lower, g)"},
    pull={"c_and_lower": written(_cho_solve_pull), "b": written(_cho_solve_back)},
    kind=_factored("c_and_lower"),
    facts=single(c_and_lower=2, b=2),
)

# --- triangular factors of general matrices: rows(a) = l @ u, both in one array, or a = p @ l @ u
#
# With s the square part of u, t that of l, and x = rows(da)[:, :k] / s: dl = x - l @ triu(t \ x[:k]), and
# du = t \ rows(da)[:k] - tril(t \ x[:k], -1) @ u, of matrices of all shapes.


class Lu:
    """The factors as formulas name them, their square parts, and the order of rows; of single matrices and stacks."""

    def __init__(self, app: Application, m: Matrices) -> None:
        packed = app.primitive.name == "scipy.linalg.lu_factor"
        if not packed:
            only(app, permute_l=False, p_indices={True, False})
        self.m, self.indexed = m, packed or bool(literal(app, "p_indices"))
        self.count = "minimum(a.shape[-2], a.shape[-1])"
        self.l, self.u = ("unit_lower(out[0])", f"triu(out[0])[..., :{self.count}, :]") if packed else ("out[1]", "out[2]")
        self.moved = "row_order(out[0], a)"
        self.order = "pivoted(out[1], a.shape[-2])" if packed else f"argsort({self.moved})"  # of the rows of a
        self.back = f"argsort({self.order})" if packed else self.moved
        self.square = f"regular({self.u}[..., :{self.count}], True)"
        self.top = f"{self.l}[..., :{self.count}, :]"

    def rows(self, x: str) -> str:
        """The rows of a matrix in the order of the factors."""
        return self._taken(x, self.order) if self.indexed else f"{self.m.t(self.moved)} @ {x}"

    def rows_back(self, x: str) -> str:
        """The adjoint of the rows, in the order of the argument."""
        return self._taken(x, self.back) if self.indexed else f"{self.moved} @ {x}"

    def _taken(self, x: str, order: str) -> str:
        return f"{x}[{order}]" if self.m.flat else f"take_along_axis({x}, {order}[..., None], -2)"

    def under(self, x: str, transposed: bool = False) -> str:
        """``inv(t) @ x``, or with the transpose of t."""
        if self.m.flat:
            return f"solve_triangular({self.top}, {x}, {'trans=1, ' if transposed else ''}lower=True, unit_diagonal=True)"
        return f"linalg.solve({self.m.t(self.top) if transposed else self.top}, {x})"

    def over(self, x: str, transposed: bool = False) -> str:
        """``x @ inv(s)``, or with the transpose of s."""
        if self.m.flat:
            return f"solve_triangular({self.square}, ({x}).T{'' if transposed else ', trans=1'}).T"
        return (self.m.divided_by_transpose if transposed else self.m.divided)(f"({x})", self.square)

    def inner(self) -> str:
        """The common middle that both factors' tangents are made of."""
        return self.under(self.over(f"({self.rows('g')})[..., :{self.count}, :{self.count}]"))

    def lower_push(self) -> str:
        """The tangent of l."""
        moved = f"({self.rows('g')})[..., :{self.count}]"
        return f"{self.over(moved)} - {self.l} @ triu({self.inner()})"

    def upper_push(self) -> str:
        """The tangent of u."""
        moved = f"({self.rows('g')})[..., :{self.count}, :]"
        return f"{self.under(moved)} - tril({self.inner()}, -1) @ {self.u}"

    def lower_pull(self, g: str) -> str:
        """The share of the adjoint ``g`` of l in that of the matrix."""
        inner = self.under(f"triu({self.m.t(self.l)} @ {g})", transposed=True)
        return self.rows_back(f"fitted({self.over(f'{g} - fitted({inner}, {g})', transposed=True)}, a)")

    def upper_pull(self, g: str) -> str:
        """The share of the adjoint ``g`` of u in that of the matrix."""
        inner = self.over(f"tril({g} @ {self.m.t(self.u)}, -1)", transposed=True)
        return self.rows_back(f"fitted({self.under(f'({g} - fitted({inner}, {g}))', transposed=True)}, a)")


def _lu(write: Callable[[Lu], str]) -> Written:
    return text(lambda app, m: write(Lu(app, m)))


def _packed_kind(bound: Bound) -> Kind:
    a = kind_linalg.Source(bound)
    return Tuple((a.array(a.rows, a.columns), Array("int32", a.array(a.least).shape)))


_STRICT, _UPPER = "tril(g, -1)", "triu(g)"
declare(
    f"lu_factor(a, overwrite_a=False, {FINITE})",
    push={"a": (_lu(lambda f: f"fitted({f.lower_push()}, a) + fitted({f.upper_push()}, a)"), None)},
    pull={
        "a": (
            _lu(
                lambda f: f"{f.lower_pull(f'{_STRICT}[..., :{f.count}]')} + {f.upper_pull(f'{_UPPER}[..., :{f.count}, :]')}"
            ),
            None,
        )
    },
    kind=_packed_kind,
)


def _lu_kind(bound: Bound) -> Kind:
    indexed = literal_of(bound["p_indices"])
    if literal_of(bound["permute_l"]) is not False or indexed is None:
        return Kind()
    a = kind_linalg.Source(bound)
    order = Array(None, (a.array(a.rows) if indexed else a.reals(a.rows, a.rows)).shape)
    return Tuple((order, a.array(a.rows, a.least), a.array(a.least, a.columns)))


declare(
    f"lu(a, permute_l=False, overwrite_a=False, {FINITE}, p_indices=False)",
    push={"a": (None, _lu(Lu.lower_push), _lu(Lu.upper_push))},
    pull={"a": (None, _lu(lambda f: f.lower_pull("g")), _lu(lambda f: f.upper_pull("g")))},
    kind=_lu_kind,
)

_P = "lu_and_piv"


def _turned(app: Application) -> bool:
    """Test for a call that solves the transposed system."""
    only(app, trans={0, 1})
    return bool(literal(app, "trans"))


def _lu_solve(app: Application, b: str, back: bool = False) -> str:
    return f"lu_solve({_P}, {b}{', trans=1' if _turned(app) != back else ''})"


def _lu_solve_push(app: Application) -> str:
    lower = f"(tril({_P}[0], -1) @ triu(g[0]) + triu(g[0]))"
    change = f"(tril(g[0], -1) @ triu({_P}[0]) + {lower})[argsort(pivoted({_P}[1], {_P}[0].shape[0]))]"
    return "-" + _lu_solve(app, f"{change}{'.T' if _turned(app) else ''} @ out")


def _lu_solve_pull(app: Application) -> str:
    pair = (_lu_solve(app, "g", back=True), "out")
    bar = f"({_product(app, *(reversed(pair) if _turned(app) else pair))})[pivoted({_P}[1], {_P}[0].shape[0])]"
    of_l = f"tril({bar} @ triu({_P}[0]).T, -1)"
    return f"(-({of_l} + triu(tril({_P}[0], -1).T @ {bar} + {bar})), zeros({_P}[1]))"


general(
    f"scipy.linalg.lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, {FINITE})",
    push={_P: written(_lu_solve_push), "b": written(lambda app: _lu_solve(app, "g"))},
    pull={_P: written(_lu_solve_pull), "b": written(lambda app: _lu_solve(app, "g", back=True))},
    kind=_factored(_P),
    facts=single(lu_and_piv=2, b=2),
)
