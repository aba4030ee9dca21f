"""Inverses, and systems of equations.

Pullbacks are plain transposes: complex items are not conjugated. Formulas follow Giles, "Collected Matrix Derivative
Results for Forward and Reverse Mode Algorithmic Differentiation" (2008). The rest of ``numpy.linalg`` is in
``decompositions``, ``matrix_functions`` and ``norms``.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.libraries.numpy.rules import kind_linalg, kind_products
from s2sad.libraries.numpy.rules.decompositions import singular_pull, singular_push, text
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.rules import kind_arrays
from s2sad.rules.application import Application
from s2sad.rules.by_result import declare, results
from s2sad.rules.call_formulas import Written, field_of, is_literal, literal, refuse, written
from s2sad.rules.registry import general

# --- inverses


def _inverse_pull(app: Application) -> str:
    back = Matrices(app, "a").t("out")
    return f"-{back} @ g @ {back}"


general(
    "numpy.linalg.inv(a)",
    push={"a": "-out @ g @ out"},
    pull={"a": written(_inverse_pull)},
    kind=kind_arrays.inverse,
)


def _hermitian(app: Application) -> bool:
    """Test for a matrix of which one triangle is read. The rank is assumed to stay as it is."""
    if not is_literal(app, "hermitian"):
        refuse(
            app, "with a computed hermitian", "which items are read must be known", "a literal True or False"
        )
    return bool(literal(app, "hermitian"))


def pinv_push(p: str, a: str, g: str = "g") -> Callable[[Application, Matrices], str]:
    """The derivative of the pseudo-inverse ``p`` of ``a`` (Golub & Pereyra 1973, theorem 4.3)."""

    def write(app: Application, m: Matrices) -> str:
        first = f"{p} @ {m.h(p)} @ ({m.h(g)} - {m.h(g)} @ {a} @ {p})"
        second = f"({m.h(g)} - {p} @ {a} @ {m.h(g)}) @ {m.h(p)} @ {p}"
        return f"{first} + {second} - {p} @ {g} @ {p}"

    return write


def pinv_pull(p: str, a: str) -> Callable[[Application, Matrices], str]:
    """The transpose of ``pinv_push``."""

    def write(app: Application, m: Matrices) -> str:
        left, bar = m.conj(f"({a} @ {p})"), m.h("g")
        first = f"({bar} - {left} @ {bar}) @ {m.conj(p)} @ {m.t(p)}"
        right = m.conj(f"({p} @ {a})")
        second = f"{m.t(p)} @ {m.conj(p)} @ ({bar} - {bar} @ {right})"
        return f"{first} + {second} - {m.t(p)} @ g @ {m.t(p)}"

    return write


def _pinv_push(app: Application, m: Matrices) -> str:
    if _hermitian(app):
        return pinv_push("out", "of_whole_rank(mirror_lower(a), out)", "mirror_lower(g)")(app, m)
    return pinv_push("out", "of_whole_rank(a, out)")(app, m)


def _pinv_pull(app: Application, m: Matrices) -> str:
    if _hermitian(app):
        return f"fold_upper({pinv_pull('out', 'of_whole_rank(mirror_lower(a), out)')(app, m)})"
    return pinv_pull("out", "of_whole_rank(a, out)")(app, m)


general(
    "numpy.linalg.pinv(a, rcond=None, hermitian=False, *, rtol=None)",
    push={"a": text(_pinv_push)},
    pull={"a": text(_pinv_pull)},
    kind=kind_linalg.inverse,
)


def _tensorinv_axes(app: Application) -> tuple[int, int]:
    rank, ind = app.rank("a"), literal(app, "ind")
    if rank is None or not isinstance(ind, int):
        refuse(
            app,
            "of unknown rank, or with a computed ind",
            "which axes are inverted must be known",
            "a literal ind",
        )
    assert rank is not None
    return rank, int(ind)


def _tensorinv_pull(app: Application) -> str:
    rank, ind = _tensorinv_axes(app)
    back = f"transpose(out, {(*range(rank - ind, rank), *range(rank - ind))})"
    return f"-tensordot(tensordot({back}, g, {rank - ind}), {back}, {ind})"


def _tensorinv_push(app: Application) -> str:
    rank, ind = _tensorinv_axes(app)
    return f"-tensordot(tensordot(out, g, {ind}), out, {rank - ind})"


general(
    "numpy.linalg.tensorinv(a, ind=2)",
    push={"a": written(_tensorinv_push)},
    pull={"a": written(_tensorinv_pull)},
    kind=kind_linalg.tensorinv,
)

# --- systems of equations


def _solve_pull_b(app: Application) -> str:
    back = Matrices(app, "a").t("a")
    if app.rank("a") == 2 and app.rank("b") in (1, 2):
        return f"linalg.solve({back}, g)"
    if app.rank("b") == 1:
        return f"unbroadcast(linalg.solve({back}, g[..., None])[..., 0], b)"
    if app.rank("b") is None:
        return f"unbroadcast(without_columns(linalg.solve({back}, columns(g, b)), b), b)"
    return f"unbroadcast(linalg.solve({back}, g), b)"


def _solve_pull_a(app: Application) -> str:
    back = Matrices(app, "a").t("a")
    if app.rank("b") == 1:
        if app.rank("a") == 2:
            return f"-outer(linalg.solve({back}, g), out)"
        return f"-linalg.solve({back}, g[..., None]) * out[..., None, :]"
    if app.rank("b") is None:
        return f"unbroadcast(-linalg.solve({back}, columns(g, b)) @ swapaxes(columns(out, b), -1, -2), a)"
    transposed = "out.T" if app.rank("out") == 2 else "swapaxes(out, -1, -2)"
    product = f"-linalg.solve({back}, g) @ {transposed}"
    return product if app.rank("a") == app.rank("b") == 2 else f"unbroadcast({product}, a)"


def _solve_push_a(app: Application) -> str:
    if app.rank("b") == 1 and app.rank("a") != 2:
        return "-linalg.solve(a, g @ out[..., None])[..., 0]"
    if app.rank("b") is None:
        return "-without_columns(linalg.solve(a, g @ columns(out, b)), b)"
    return "-linalg.solve(a, g @ out)"


general(
    "numpy.linalg.solve(a, b)",
    push={"a": written(_solve_push_a), "b": "linalg.solve(a, g)"},
    pull={"a": written(_solve_pull_a), "b": written(_solve_pull_b)},
    kind=kind_products.solved,
)


def _tensorsolve(write: Callable[[str], str]) -> Written:
    """Formulas that name the solution of the transposed system."""

    def formula(app: Application) -> str:
        if literal(app, "axes") is not None:
            refuse(app, "with axes", "no rule moves them", "np.moveaxis first")
        return write("reshape(linalg.solve(reshape(a, (size(b), size(b))).T, ravel(g)), shape(b))")

    return written(formula)


general(
    "numpy.linalg.tensorsolve(a, b, axes=None)",
    push={
        "a": _tensorsolve(lambda _: "-linalg.tensorsolve(a, tensordot(g, out, ndim(out)))"),
        "b": _tensorsolve(lambda _: "linalg.tensorsolve(a, g)"),
    },
    pull={
        "a": _tensorsolve(lambda back: f"-tensordot({back}, out, 0)"),
        "b": _tensorsolve(lambda back: back),
    },
    kind=kind_linalg.tensorsolve,
)


class LeastSquares:
    """The pieces of ``lstsq``, with vectors written as matrices of one column."""

    def __init__(self, app: Application) -> None:
        self.rank = app.rank("b")
        self.m = Matrices(app, "a")
        self.real = self.m.real and field_of(app, "b") == "real"
        self.p = "inverse_of_rank(a, out[2])"
        self.x = self.wide("out[0]")
        self.rest = f"({self.wide('b')} - a @ {self.x})"
        self.g = self.wide("g")

    def wide(self, x: str) -> str:
        """A matrix for a vector."""
        if self.rank is None:
            return f"columns({x}, b)"
        return f"{x}[:, None]" if self.rank == 1 else x

    def narrow(self, x: str) -> str:
        """The vector again."""
        if self.rank is None:
            return f"without_columns({x}, b)"
        return f"({x})[:, 0]" if self.rank == 1 else x

    def conj(self, x: str) -> str:
        """The conjugate."""
        return x if self.real else f"conj({x})"

    def h(self, x: str) -> str:
        """The conjugate transpose."""
        return f"{self.conj(x)}.T"

    def due(self) -> str:
        """The adjoint of the residuals, which are missing unless a has more rows than columns and full rank."""
        return f"fitted(g, reshape({self.x}[0], -1))"

    def residuals(self, change: str) -> str:
        """The tangent of the residuals from that of ``b - a @ x`` with fixed x."""
        product = f"{self.conj(self.rest)} * ({change})"
        return f"2 * sum({product if self.real else f'real({product})'}, axis=0)[:size(out[1])]"


def _least(write: Callable[[LeastSquares], str]) -> Written:
    return written(lambda app: write(LeastSquares(app)))


def _solution_push(f: LeastSquares) -> str:
    """By the derivative of the pseudo-inverse, applied to b."""
    z = f"{f.h(f.p)} @ {f.x}"
    terms = (
        f"{f.p} @ {f.h(f.p)} @ ({f.h('g')} @ {f.rest})",
        f"({f.h('g')} @ ({z}) - {f.p} @ (a @ ({f.h('g')} @ ({z}))))",
    )
    return f.narrow(f"{terms[0]} + {terms[1]} - {f.p} @ (g @ {f.x})")


def _solution_pull(f: LeastSquares) -> str:
    p, bar = f.p, f.h(f.g)
    z = f"{f.h(p)} @ {f.x}"
    terms = (
        f"{f.conj(f.rest)} @ ({bar} @ {f.conj(p)} @ {p}.T)",
        f"{f.conj(f'({z})')} @ ({bar} - {bar} @ {f.conj(f'({p} @ a)')})",
    )
    return f"{terms[0]} + {terms[1]} - {p}.T @ {f.g} @ {f.x}.T"


_lstsq = results(
    push={
        "a": (
            _least(_solution_push),
            _least(lambda f: f.residuals(f"-g @ {f.x}")),
            None,
            text(singular_push("linalg.svd(a, full_matrices=False)")),
        ),
        "b": (_least(lambda f: f"{f.p} @ g"), _least(lambda f: f.residuals(f.g)), None, None),
    },
    pull={
        "a": (
            _least(_solution_pull),
            _least(lambda f: f"-2 * ({f.conj(f.rest)} * {f.due()}) @ {f.x}.T"),
            None,
            text(singular_pull("linalg.svd(a, full_matrices=False)")),
        ),
        "b": (
            _least(lambda f: f"{f.p}.T @ g"),
            _least(lambda f: f.narrow(f"2 * {f.conj(f.rest)} * {f.due()}")),
            None,
            None,
        ),
    },
)
declare("numpy.linalg.lstsq(a, b, rcond=None)", _lstsq, kind_linalg.lstsq)
