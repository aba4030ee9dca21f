"""Eigenvalues, singular values and triangular factors: functions of ``numpy.linalg`` with several results.

Formulas follow Giles, "Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic Differentiation"
(2008), Townsend, "Differentiating the Singular Value Decomposition" (2016) and Walter & Lehmann, "Algorithmic
Differentiation of Linear Algebra Functions" (2012), transposed without a conjugate. What is arbitrary about a result
(phases of complex eigenvectors and singular vectors, a completed basis) has no derivative: a reverse sweep refuses a
result that depends on it. A tangent cannot know: that of a complex vector has no component along the vector (singular
vectors: half of the turn that the product of both fixes), that of a vector which completes a basis is NaN.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.libraries.numpy.rules import kind_linalg
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.rules.application import Application
from s2sad.rules.by_result import declare, one, results, switched
from s2sad.rules.call_formulas import Written, field_of, literal, refuse, written

Writer = Callable[[Application, Matrices], str]


def text(write: Writer, param: str = "a") -> Written:
    """A formula that is written in terms of the matrices of the call."""
    return written(lambda app: write(app, Matrices(app, param)))


# --- Hermitian matrices, of which one triangle is read: only that has a derivative


def _triangle(app: Application) -> tuple[str, str]:
    """The functions that complete the triangle that is read, and that fold an adjoint onto it."""
    side = literal(app, "UPLO")
    if not isinstance(side, str):
        refuse(app, "with a computed UPLO", "which triangle is read must be known", "UPLO='L' or UPLO='U'")
    return ("mirror_upper", "fold_lower") if str(side).upper() == "U" else ("mirror_lower", "fold_upper")


def _values_push(v: str) -> Writer:
    def write(app: Application, m: Matrices) -> str:
        return m.real_part(m.sum_rows(f"{m.conj(v)} * ({_triangle(app)[0]}(g) @ {v})"))

    return write


def _values_pull(v: str) -> Writer:
    def write(app: Application, m: Matrices) -> str:
        return f"{_triangle(app)[1]}(({m.conj(v)} * {m.row('g')}) @ {m.t(v)})"

    return write


def _vectors_push(app: Application, m: Matrices) -> str:
    turned = f"{m.h('out[1]')} @ {_triangle(app)[0]}(g) @ out[1]"
    return f"out[1] @ divide_gaps({turned}, out[0])"


def _vectors_pull(app: Application, m: Matrices) -> str:
    inner = f"divide_gaps({m.t('out[1]')} @ g, out[0])"
    return f"{_triangle(app)[1]}({m.conj('out[1]')} @ {inner} @ {m.t('out[1]')})"


def _phase_check(app: Application, due: frozenset[int]) -> str | None:
    m = Matrices(app, "a")
    return None if m.real or 1 not in due else f"assert_phase_free({m.t('out[1]')} @ g[1])"


declare(
    "numpy.linalg.eigh(a, UPLO='L')",
    results(
        push={"a": (text(_values_push("out[1]")), text(_vectors_push))},
        pull={"a": (text(_values_pull("out[1]")), text(_vectors_pull))},
        guard=_phase_check,
    ),
    kind_linalg.eigh,
)
VECTORS = "linalg.eigh(a, UPLO)[1]"
declare(
    "numpy.linalg.eigvalsh(a, UPLO='L')",
    one(push={"a": text(_values_push(VECTORS))}, pull={"a": text(_values_pull(VECTORS))}),
    kind_linalg.eigvalsh,
)

# --- general matrices; eigenvectors have norm 1, and their largest item is real


def _real_or_complex(app: Application, adjoint: str) -> str:
    """The adjoint of a real matrix is real, whatever its eigenvalues are."""
    return adjoint if field_of(app, "a") == "complex" else f"unbroadcast({adjoint}, a)"


def eig_values_push(v: str) -> Writer:
    """The diagonal of inv(v) @ g @ v."""

    def write(app: Application, m: Matrices) -> str:
        inner = f"linalg.solve({v}, g @ {v})"
        return f"diagonal({inner})" if m.flat else f"diagonal({inner}, axis1=-2, axis2=-1)"

    return write


def eig_values_pull(v: str) -> Writer:
    def write(app: Application, m: Matrices) -> str:
        return _real_or_complex(app, f"linalg.solve({m.t(v)}, {m.column('g')} * {m.t(v)})")

    return write


def eig_vectors_push(w: str, v: str) -> Writer:
    def write(app: Application, m: Matrices) -> str:
        return f"in_gauge({v} @ divide_gaps(linalg.solve({v}, g @ {v}), {w}), {v})"

    return write


def eig_vectors_pull(w: str, v: str) -> Writer:
    def write(app: Application, m: Matrices) -> str:
        inner = f"divide_gaps({m.t(v)} @ in_gauge_adjoint(g, {v}), {w})"
        return _real_or_complex(app, f"linalg.solve({m.t(v)}, {inner} @ {m.t(v)})")

    return write


declare(
    "numpy.linalg.eig(a)",
    results(
        push={"a": (text(eig_values_push("out[1]")), text(eig_vectors_push("out[0]", "out[1]")))},
        pull={"a": (text(eig_values_pull("out[1]")), text(eig_vectors_pull("out[0]", "out[1]")))},
    ),
    kind_linalg.eig,
)
MATCHING = "eigenvectors(a, out)"
declare(
    "numpy.linalg.eigvals(a)",
    one(push={"a": text(eig_values_push(MATCHING))}, pull={"a": text(eig_values_pull(MATCHING))}),
    kind_linalg.eigvals,
)

# --- singular values: a = u @ diag(s) @ vh


class Svd:
    """The factors as formulas name them; with ``full_matrices`` those that only complete a basis are left out."""

    def __init__(self, app: Application, m: Matrices, found: str = "out") -> None:
        self.u, self.s, self.vh = f"{found}[0]", f"{found}[1]", f"{found}[2]"
        self.whole = found == "out" and literal(app, "full_matrices") is not False
        if found == "out" and literal(app, "hermitian") is not False:
            refuse(app, "with hermitian=True", "the signs of eigenvalues decide", "numpy.linalg.eigh")
        if self.whole:
            self.u += f"[..., :{self.s}.shape[-1]]"
            self.vh += f"[..., :{self.s}.shape[-1], :]"
        self.sums = f"({m.row(self.s)} + {m.column(self.s)})"
        self.inner = f"{m.h(self.u)} @ g @ {m.h(self.vh)}"  # the tangent, in the bases of singular vectors

    def divided(self, x: str) -> str:
        """``x[i, j] / (s[j] ** 2 - s[i] ** 2)``."""
        return f"divide_gaps(quotient({x}, {self.sums}), {self.s})"

    def pushed(self, part: str, axis: int) -> str:
        """The tangent of all vectors from that of the singular ones."""
        return f"without_rest({part}, out[{0 if axis == -1 else 2}], {axis})" if self.whole else part

    def pulled(self, axis: int) -> str:
        """The adjoint of the singular vectors from that of all."""
        return f"leading(g, {self.s}.shape[-1], {axis})" if self.whole else "g"


def _phases(m: Matrices, x: str, s: str, sign: str) -> str:
    """The term of the phases, which only complex numbers have."""
    return "" if m.real else f" {sign} phase_slope({x}, {s})"


def singular_push(found: str = "out") -> Writer:
    def write(app: Application, m: Matrices) -> str:
        f = Svd(app, m, found)
        return m.real_part(m.sum_rows(f"{m.conj(f.u)} * (g @ {m.h(f.vh)})"))

    return write


def singular_pull(found: str = "out") -> Writer:
    def write(app: Application, m: Matrices) -> str:
        f = Svd(app, m, found)
        return f"({m.conj(f.u)} * {m.row('g')}) @ {m.conj(f.vh)}"

    return write


def _left_push(app: Application, m: Matrices) -> str:
    f = Svd(app, m)
    turned = f.divided(f"with_dagger({f.inner} * {m.row(f.s)})") + _phases(m, f.inner, f.s, "+")
    outside = f"quotient(unless_square(g @ {m.h(f.vh)} - {f.u} @ ({f.inner})), {m.row(f.s)})"
    return f.pushed(f"{f.u} @ ({turned}) + {outside}", -1)


def _right_push(app: Application, m: Matrices) -> str:
    f = Svd(app, m)
    turned = "-" + f.divided(f"with_dagger({m.column(f.s)} * ({f.inner}))") + _phases(m, f.inner, f.s, "+")
    outside = f"quotient(unless_square({m.h(f.u)} @ g - {f.inner} @ {f.vh}), {m.column(f.s)})"
    return f.pushed(f"({turned}) @ {f.vh} + {outside}", -2)


def _left_pull(app: Application, m: Matrices) -> str:
    f = Svd(app, m)
    g, s = f.pulled(-1), m.row(f.s)
    c = f"{m.t(f.u)} @ {g}"
    inner = f"with_dagger({f.divided(c)}) * {s}" + _phases(m, c, f.s, "+")
    outside = f"quotient(unless_square({g} - {m.conj(f.u)} @ ({c})), {s})"
    return f"({outside} + {m.conj(f.u)} @ ({inner})) @ {m.conj(f.vh)}"


def _right_pull(app: Application, m: Matrices) -> str:
    f = Svd(app, m)
    g, s = f.pulled(-2), m.column(f.s)
    e = f"{g} @ {m.t(f.vh)}"
    inner = f"-{s} * with_dagger({f.divided(e)})" + _phases(m, e, f.s, "+")
    outside = f"quotient(unless_square({g} - ({e}) @ {m.conj(f.vh)}), {s})"
    return f"{m.conj(f.u)} @ ({outside} + ({inner}) @ {m.conj(f.vh)})"


def _svd_phase_check(app: Application, due: frozenset[int]) -> str | None:
    """The phases of the left and right vectors may change together."""
    m = Matrices(app, "a")
    if m.real or not due & {0, 2}:
        return None
    count = "out[1].shape[-1]"
    left = f"{m.t(f'out[0][..., :{count}]')} @ g[0][..., :{count}]"
    return f"assert_phase_free({left}, g[2][..., :{count}, :] @ {m.t(f'out[2][..., :{count}, :]')})"


def _refuse_options(app: Application) -> None:
    refuse(
        app,
        "with a computed compute_uv",
        "how many results there are must be known",
        "a literal True or False",
    )


ALONE = "linalg.svd({}, full_matrices=False)"
_factors = results(
    push={"a": (text(_left_push), text(singular_push()), text(_right_push))},
    pull={"a": (text(_left_pull), text(singular_pull()), text(_right_pull))},
    guard=_svd_phase_check,
)
_values = one(
    push={"a": text(singular_push(ALONE.format("a")))}, pull={"a": text(singular_pull(ALONE.format("a")))}
)
declare(
    "numpy.linalg.svd(a, full_matrices=True, compute_uv=True, hermitian=False)",
    switched("compute_uv", {True: _factors, False: _values}, _refuse_options),
    kind_linalg.svd,
)
declare(
    "numpy.linalg.svdvals(x)",
    one(
        push={"x": text(singular_push(ALONE.format("x")), "x")},
        pull={"x": text(singular_pull(ALONE.format("x")), "x")},
    ),
    kind_linalg.svdvals,
)

# --- a = q @ r, of which min(m, n) columns of q and rows of r are made, or all of them
#
# Householder's reflections make all columns of q: the first ones, q1, are e1 - v @ w with v lower, w upper triangular, and
# the whole is e - v @ t @ v.H. So, with f = e1 - q1 and its upper square f1, the others are e2 - f @ (f2 @ inv(f1)).H.


class Qr:
    """The factors as formulas name them: their first columns and rows, the square part of r, and how more columns are made."""

    def __init__(self, app: Application, found: str = "out") -> None:
        self.q, self.r = f"{found}[0]", f"{found}[1]"
        self.whole = found == "out" and literal(app, "mode") == "complete"
        self.count = "minimum(a.shape[-2], a.shape[-1])" if self.whole else f"{self.q}.shape[-1]"
        if self.whole:
            self.q += f"[..., :{self.count}]"
            self.r += f"[..., :{self.count}, :]"
        self.square = f"regular({self.r}[..., :{self.count}], True)"
        self.f = f"(eye({self.q}.shape[-2], {self.q}.shape[-1]) - {self.q})"
        self.top = f"top_square({self.f})"

    def slope(self, m: Matrices) -> str:
        """``f2 @ inv(f1)``."""
        return m.divided(f"({self.f}[..., {self.count}:, :])", self.top)

    def all_columns(self, m: Matrices, moved: str) -> str:
        """The tangent of all columns from that of the first ones."""
        lower, upper = f"({moved})[..., {self.count}:, :]", f"({moved})[..., :{self.count}, :]"
        turned = m.divided(f"({lower} - {self.slope(m)} @ {upper})", self.top)
        return f"concatenate(({moved}, ({moved}) @ {m.h(self.slope(m))} + {self.f} @ {m.h(turned)}), axis=-1)"

    def to_first(self, m: Matrices, g: str) -> str:
        """The share of the first columns in the adjoint ``g`` of all of them."""
        rest = f"{g}[..., {self.count}:]"
        due = m.divided_by_transpose(m.conj(f"({m.t(rest)} @ {self.f})"), self.top)
        turned = f"concatenate((-{m.t(self.slope(m))} @ {due}, {due}), axis=-2)"
        return f"({g}[..., :{self.count}] + {rest} @ {m.conj(self.slope(m))} + {turned})"

    def inner(self, m: Matrices) -> tuple[str, str]:
        """The tangents of the first columns over r, outside and in the basis of q."""
        over = m.divided(f"g[..., :{self.count}]", self.square)
        return over, f"{m.h(self.q)} @ {over}"


def _q_push(app: Application, m: Matrices) -> str:
    f = Qr(app)
    over, inner = f.inner(m)
    found = f"{over} - {f.q} @ fold_lower({inner})"
    return f.all_columns(m, found) if f.whole else found


def _r_push(found: str) -> Writer:
    def write(app: Application, m: Matrices) -> str:
        f = Qr(app, found)
        _, inner = f.inner(m)
        moved = f"{m.h(f.q)} @ g - ({inner} - fold_lower({inner})) @ {f.r}"
        return f"fitted({moved}, out[1])" if f.whole else moved

    return write


def _q_pull(app: Application, m: Matrices) -> str:
    f = Qr(app)
    g = f.to_first(m, "g") if f.whole else "g"
    inner = f"{g} - {m.conj(f.q)} @ mirror_upper({m.t(f.q)} @ {g})"
    return f"fitted({m.divided_by_transpose(f'({inner})', f.square)}, a)"


def _r_pull(found: str) -> Writer:
    def write(app: Application, m: Matrices) -> str:
        f = Qr(app, found)
        g = f"g[..., :{f.count}, :]" if f.whole else "g"
        c = f"{g} @ {m.t(f.r)}"
        inner = f"{m.conj(f.q)} @ (mirror_upper({c}) - {c})"
        return f"{m.conj(f.q)} @ {g} + fitted({m.divided_by_transpose(f'({inner})', f.square)}, a)"

    return write


def _refuse_mode(app: Application) -> None:
    mode = literal(app, "mode")
    what = f"with mode={mode!r}" if isinstance(mode, str) else "with a computed mode"
    refuse(app, what, "only 'reduced', 'complete' and 'r' have one", "np.linalg.qr(a, 'reduced')")


_both = results(
    push={"a": (text(_q_push), text(_r_push("out")))},
    pull={"a": (text(_q_pull), text(_r_pull("out")))},
)
AGAIN = "(linalg.qr(a)[0], out)"
declare(
    "numpy.linalg.qr(a, mode='reduced')",
    switched(
        "mode",
        {"reduced": _both, "complete": _both, "r": one(push={"a": text(_r_push(AGAIN))}, pull={"a": text(_r_pull(AGAIN))})},
        _refuse_mode,
    ),
    kind_linalg.qr,
)
