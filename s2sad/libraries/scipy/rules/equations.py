"""``scipy.linalg``: Riccati's equations, polar factors, tridiagonal eigenvalue problems, and Toeplitz systems.

Solutions of equations are differentiated by the implicit function theorem: each derivative solves a linear equation. Of
Riccati's the gain is at an optimum, so that its change counts for nothing (Kao & Hennequin, "Automatic differentiation of
Sylvester, Lyapunov, and algebraic Riccati equations", 2020).
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind, Tuple, dtype_of
from s2sad.libraries.numpy.rules import kind_linalg
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.factors import declare
from s2sad.libraries.scipy.rules.linalg import single
from s2sad.rules.application import Application
from s2sad.rules.by_result import one, results, switched
from s2sad.rules.call_formulas import Written, field_of, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, if_double, literal_of, strong_dtype
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.language import Primitive
from s2sad.rules.registry import add, general

# --- Riccati's equations, with out as the cost to go, K the gain and C the matrix of the closed loop


def _checked(formula: str, *reals: str, **options: object) -> Written:
    """A formula for real matrices and no other options."""

    def write(app: Application) -> str:
        if any(field_of(app, p) == "complex" for p in reals):
            refuse(app, "of complex matrices", "no rule is written for them", "real matrices")
        only(app, **options)
        return formula

    return written(write)


def _solution(*params: str):  # type: ignore[no-untyped-def]
    def rule(bound: Bound) -> Kind:
        dtype = strong_dtype([array_kind(bound[p].kind) for p in params])
        return Array(
            None if dtype is None else float_dtype(dtype), shape_of(array_kind(bound[params[0]].kind))
        )

    return rule


def _riccati(name: str, gain: str, back: str, forth: str, by_a: str) -> None:
    """``back`` and ``forth`` solve for the adjoint and the tangent of the cost; ``by_a``: the adjoint of a, from the former."""
    closed = f"(a - b @ {gain})"
    cost = (
        "({change}.T @ out @ {c} + {c}.T @ out @ {change})"
        if "discrete" in name
        else "({change}.T @ out + out @ {change})"
    )
    changes = {
        "a": cost.format(change="g", c=closed),
        "b": "-" + cost.format(change=f"(g @ {gain})", c=closed),
        "q": "g",
        "r": f"({gain}.T @ g @ {gain})",
    }
    due = back.format(c=closed)
    a_bar = by_a.format(c=closed, m=f"({due} + {due}.T)")
    bars = {
        "a": a_bar,
        "b": f"-({a_bar}) @ {gain}.T",
        "q": due,
        "r": f"{gain} @ {due} @ {gain}.T",
    }

    def checked(formula: str) -> Written:
        return _checked(formula, "a", "b", "q", "r", e=None, s=None)

    general(
        f"scipy.linalg.{name}(a, b, q, r, e=None, s=None, balanced=True)",
        push={p: checked(forth.format(c=closed, x=change)) for p, change in changes.items()},
        pull={p: checked(bar) for p, bar in bars.items()},
        kind=if_double(_solution("a", "b", "q", "r")),
        facts=single(a=2, b=2, q=2, r=2),
    )


_riccati(
    "solve_continuous_are",
    "linalg.solve(r, b.T @ out)",
    "solve_continuous_lyapunov({c}, -g)",
    "solve_continuous_lyapunov({c}.T, -({x}))",
    "out @ {m}",
)
_riccati(
    "solve_discrete_are",
    "linalg.solve(r + b.T @ out @ b, b.T @ out @ a)",
    "solve_discrete_lyapunov({c}, g)",
    "solve_discrete_lyapunov({c}.T, {x})",
    "out @ {c} @ {m}",
)

# --- a = u @ p with orthonormal columns u and p Hermitian


def _polar(write: Callable[[Matrices], str]) -> Written:
    def formula(app: Application) -> str:
        only(app, side="right")
        return write(Matrices(app, "a"))

    return written(formula)


def _polar_kind(bound: Bound) -> Kind:
    if literal_of(bound["side"]) != "right":
        return Kind()
    a = kind_linalg.Source(bound)
    return Tuple((a.array(a.rows, a.columns), a.array(a.columns, a.columns)))


_P = "regular(out[1])"


def _unitary_push(m: Matrices) -> str:
    turn = f"solve_sylvester({_P}, out[1], {m.h('out[0]')} @ g - {m.h('g')} @ out[0])"
    outside = f"(g - out[0] @ ({m.h('out[0]')} @ g))"
    return f"out[0] @ {turn} + {m.divided(outside, 'out[1]')}"


def _unitary_pull(m: Matrices) -> str:
    u = m.conj("out[0]")
    due = f"solve_sylvester({m.t(_P)}, {m.t('out[1]')}, out[0].T @ g)"
    return f"{u} @ ({due} - {m.h(due)}) + {m.divided_by_transpose(f'(g - {u} @ (out[0].T @ g))', 'out[1]')}"


declare(
    "polar(a, side='right')",
    push={
        "a": (
            _polar(_unitary_push),
            _polar(lambda m: f"solve_sylvester({_P}, out[1], {m.h('g')} @ a + {m.h('a')} @ g)"),
        )
    },
    pull={
        "a": (
            _polar(_unitary_pull),
            _polar(lambda m: f"{m.conj('a')} @ with_dagger(solve_sylvester({m.t(_P)}, {m.t('out[1]')}, g))"),
        )
    },
    kind=_polar_kind,
    facts=single(a=2),
)

# --- symmetric tridiagonal matrices, given by their diagonals


def _whole(vectors: str) -> tuple[dict[str, Written], dict[str, Written]]:
    """The slopes of the eigenvalues, by both diagonals."""
    push = {"d": f"{vectors}.T ** 2 @ g", "e": f"2 * ({vectors}[:-1] * {vectors}[1:]).T @ g"}
    pull = {"d": f"{vectors} ** 2 @ g", "e": f"2 * ({vectors}[:-1] * {vectors}[1:]) @ g"}
    return {p: _plain(f) for p, f in push.items()}, {p: _plain(f) for p, f in pull.items()}


def _plain(formula: str) -> Written:
    def write(app: Application) -> str:
        only(
            app,
            select={"a", "all"},
            select_range=None,
            lapack_driver={"auto", "stev", "stebz", "stemr", "stevd"},
        )
        return formula

    return written(write)


_OPTIONS = "select='a', select_range=None, check_finite=True, tol=0.0, lapack_driver='auto'"
_AGAIN = "eigh_tridiagonal(d, e)[1]"
_PUSHED, _PULLED = _whole(_AGAIN)
general(
    f"scipy.linalg.eigvalsh_tridiagonal(d, e, {_OPTIONS})",
    push=_PUSHED,
    pull=_PULLED,
    kind=_solution("d", "e"),
    facts=single(d=1, e=1),
)
_VALUES_PUSHED, _VALUES_PULLED = _whole("out[1]")
_V = "out[1]"
_CHANGES = {
    "d": f"{_V}.T @ (g[:, None] * {_V})",
    "e": f"{_V}[:-1].T @ (g[:, None] * {_V}[1:]) + {_V}[1:].T @ (g[:, None] * {_V}[:-1])",
}
_BAR = f"({_V} @ divide_gaps({_V}.T @ g, out[0]) @ {_V}.T)"  # of the whole matrix
_BARS = {"d": f"diagonal({_BAR})", "e": f"diagonal({_BAR}, 1) + diagonal({_BAR}, -1)"}


def _pair_kind(bound: Bound) -> Kind:
    alone = literal_of(bound["eigvals_only"])
    values = _solution("d", "e")(bound)
    size = shape_of(values)
    vectors = Array(dtype_of(values), None if size is None else size * 2)
    return Kind() if alone is None else values if alone else Tuple((values, vectors))


def _refuse_computed(app: Application) -> None:
    refuse(app, "with a computed eigvals_only", "it says how many results there are", "True or False")


add(
    Primitive(
        name="scipy.linalg.eigh_tridiagonal",
        signature=f"d, e, eigvals_only=False, {_OPTIONS}",
        effects="fresh",
        kind=_pair_kind,
        derivative=switched(
            "eigvals_only",
            {
                False: results(
                    push={
                        p: (_VALUES_PUSHED[p], _plain(f"{_V} @ divide_gaps({_CHANGES[p]}, out[0])"))
                        for p in "de"
                    },
                    pull={p: (_VALUES_PULLED[p], _plain(_BARS[p])) for p in "de"},
                ),
                True: one(push=_PUSHED, pull=_PULLED),
            },
            _refuse_computed,
        ),
        **single(d=1, e=1),
    )
)
