"""Determinants, the Cholesky factor, powers and chains of matrices, and the products that ``numpy.linalg`` names again.

Pullbacks are plain transposes: complex items are not conjugated.
"""

from __future__ import annotations

from s2sad.ir.kinds import Kind, Tuple
from s2sad.libraries.numpy.rules import (  # noqa: F401  the products that get other names stand in their table by then
    kind_linalg,
    kind_products,
    products,
)
from s2sad.libraries.numpy.rules.decompositions import text
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.rules.application import Application
from s2sad.rules.by_result import declare, results
from s2sad.rules.call_formulas import Written, field_of, is_literal, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, inexact_dtype, inverse, literal_of, same, shaped
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import alias, general, linear, multilinear

# --- determinants

general(
    "numpy.linalg.det(a)",
    push={"a": text(lambda app, m: f"sum(cofactor(a) * g{'' if m.flat else ', axis=(-2, -1)'})")},
    pull={"a": text(lambda app, m: f"{m.cell('g')} * cofactor(a)")},
    kind=kind_products.determinant,
)


def _growth(m: Matrices) -> str:
    """The logarithmic derivative of the determinant."""
    return m.trace("linalg.solve(nonsingular(a, out[0]), g)")


def _sign_push(app: Application, m: Matrices) -> str:
    return "0.0" if m.real else f"out[0] * imaginary({_growth(m)})"


def _sign_pull(app: Application, m: Matrices) -> str:
    return "0.0" if m.real else f"{m.cell('imaginary(g * out[0])')} * {m.t('linalg.inv(nonsingular(a, out[0]))')}"


declare(
    "numpy.linalg.slogdet(a)",
    results(
        push={"a": (text(_sign_push), text(lambda app, m: m.real_part(_growth(m))))},
        pull={"a": (text(_sign_pull), text(lambda app, m: f"{m.cell('g')} * {m.t('linalg.inv(nonsingular(a, out[0]))')}"))},
    ),
    kind_linalg.slogdet,
)

# --- the Cholesky factor, of one triangle: only that has a derivative


def _upper(app: Application) -> bool:
    if not is_literal(app, "upper"):
        refuse(
            app, "with a computed upper", "which triangle is read must be known", "a literal True or False"
        )
    return bool(literal(app, "upper"))


def _factor_push(m: Matrices, factor: str, g: str) -> str:
    """``factor @ half`` of ``inv(factor) @ g @ inv(factor).H``."""
    once = f"linalg.solve({factor}, mirror_lower({g}))"
    return f"{factor} @ half_tril(linalg.solve({factor}, {m.h(once)}))"


def _factor_pull(m: Matrices, factor: str, g: str) -> str:
    """The triangle of ``inv(factor).T @ half @ inv(factor.conj())``, where half is that of ``factor.T @ g``."""
    once = f"linalg.solve({m.t(factor)}, half_tril({m.t(factor)} @ {g}))"
    return f"fold_upper({m.t(f'linalg.solve({m.h(factor)}, {m.t(once)})')})"


def _cholesky_push(app: Application, m: Matrices) -> str:
    return m.h(f"({_factor_push(m, m.h('out'), m.h('g'))})") if _upper(app) else _factor_push(m, "out", "g")


def _cholesky_pull(app: Application, m: Matrices) -> str:
    return m.h(_factor_pull(m, m.h("out"), m.h("g"))) if _upper(app) else _factor_pull(m, "out", "g")


general(
    "numpy.linalg.cholesky(a, *, upper=False)",
    push={"a": text(_cholesky_push)},
    pull={"a": text(_cholesky_pull)},
    kind=inverse,
)

# --- powers: the derivative is a block of the power of a block matrix


def _power(app: Application, a: str) -> str:
    n = literal(app, "n")
    if n == 0:
        return "zeros_like(a)"
    if n == 1:
        return "g"
    return f"linalg.matrix_power(bordered({a}, g), n)[..., :a.shape[-1], a.shape[-1]:]"


def _power_kind(bound: Bound) -> Kind:
    """Integers to a negative power are floats."""
    n = literal_of(bound["n"])
    return same(inexact_dtype if n is None else float_dtype if n < 0 else lambda dtype: dtype)(bound)


general(
    "numpy.linalg.matrix_power(a, n) -> same(a) if n == 1 else fresh",
    push={"a": written(lambda app: _power(app, "a"))},
    pull={"a": text(lambda app, m: _power(app, m.t("a")))},
    kind=_power_kind,
)

# --- chains


def _chain(app: Application) -> tuple[list[str], list[int | None]]:
    """The factors and their ranks."""
    kind = app.kind("arrays")
    if not isinstance(kind, Tuple):
        refuse(app, "of a list", "how many matrices there are must be known", "a tuple, or a list literal")
    assert isinstance(kind, Tuple)
    shapes = [shape_of(array_kind(item)) for item in kind.items]
    if any(shape is None for shape in shapes):
        refuse(
            app, "of arrays of unknown rank", "vectors and matrices are treated differently", "an annotation"
        )
    return [f"arrays[{k}]" for k in range(len(shapes))], [len(shape or ()) for shape in shapes]


def _chain_push(app: Application) -> str:
    names, _ = _chain(app)
    terms = [
        ", ".join(f"g[{k}]" if j == k else name for j, name in enumerate(names)) for k in range(len(names))
    ]
    return " + ".join(f"linalg.multi_dot(({term}))" for term in terms)


def _chain_pull(app: Application) -> str:
    """The product of the transposed factors, with the adjoint in the place of one of them."""
    names, ranks = _chain(app)
    vectors = ranks[0] == 1, ranks[-1] == 1
    back = [f"{name}.T" for name in names]
    bar = {
        (False, False): "g",
        (True, False): "g[None, :]",
        (False, True): "g[:, None]",
        (True, True): "reshape(g, (1, 1))",
    }
    if vectors[0]:
        back[0] = f"{names[0]}[:, None]"
    if vectors[1]:
        back[-1] = f"{names[-1]}[None, :]"
    items = []
    for k in range(len(names)):
        factors = [*back[:k][::-1], bar[vectors], *back[k + 1 :][::-1]]
        product = f"linalg.multi_dot(({', '.join(factors)}))"
        items.append(
            f"{product}[0]" if k == 0 and vectors[0] else f"{product}[:, 0]" if ranks[k] == 1 else product
        )
    return f"({', '.join(items)})"


general(
    "numpy.linalg.multi_dot(arrays)",
    push={"arrays": written(_chain_push)},
    pull={"arrays": written(_chain_pull)},
    kind=kind_linalg.multi_dot,
)

# --- products along the last axes; vecdot and vecmat conjugate the first factor


def _conj(app: Application, param: str, x: str) -> str:
    return x if field_of(app, param) == "real" else f"conj({x})"


def _both_real(app: Application) -> bool:
    return field_of(app, "x1") == field_of(app, "x2") == "real"


def _conjugating(first: str, second: str, factor: str) -> dict[str, Written]:
    """The adjoints of both factors of a product that conjugates the first one; ``factor`` shapes it for the second."""
    return {
        "x1": written(lambda app: f"unbroadcast({first if _both_real(app) else f'conj({first})'}, x1)"),
        "x2": written(lambda app: f"unbroadcast({second.format(_conj(app, 'x1', factor))}, x2)"),
    }


VECDOT = _conjugating("expand_dims(g, axis) * x2", "expand_dims(g, axis) * {}", "x1")
multilinear("numpy.vecdot(x1, x2, axis=-1)", kind=kind_linalg.vecdot, **VECDOT)  # type: ignore[arg-type]
multilinear("numpy.linalg.vecdot(x1, x2, *, axis=-1)", kind=kind_linalg.vecdot, **VECDOT)  # type: ignore[arg-type]
multilinear(
    "numpy.vecmat(x1, x2)",
    kind=kind_linalg.vecmat,
    **_conjugating("(x2 @ g[..., :, None])[..., 0]", "{} * g[..., None, :]", "x1[..., :, None]"),  # type: ignore[arg-type]
)
multilinear(
    "numpy.matvec(x1, x2)",
    x1="unbroadcast(g[..., :, None] * x2[..., None, :], x1)",
    x2="unbroadcast((g[..., None, :] @ x1)[..., 0, :], x2)",
    kind=kind_linalg.matvec,
)

# --- the names of the array API

alias("numpy.matmul", "numpy.linalg.matmul")
alias("numpy.outer", "numpy.linalg.outer")
alias("numpy.tensordot", "numpy.linalg.tensordot")
multilinear(
    "numpy.linalg.cross(x1, x2, *, axis=-1)",
    x1="unbroadcast(linalg.cross(x2, g, axis=axis), x1)",
    x2="unbroadcast(linalg.cross(g, x1, axis=axis), x2)",
    kind=kind_linalg.cross,
)
linear(
    "numpy.linalg.diagonal(x, *, offset=0)",
    x="diagonal_adjoint(g, x, offset, -2, -1)",
    kind=shaped(kind_linalg.last_diagonal),
    facts={"effects": "view(x); frozen", "cheap": True},
)
linear(
    "numpy.linalg.trace(x, *, offset=0, dtype=None)",
    x="diagonal_adjoint(expand_dims(g, -1), x, offset, -2, -1)",
    kind=lambda bound: kind_linalg.trace(bound) if literal_of(bound["dtype"], bound) is None else Kind(),
)
for name in ("numpy.matrix_transpose", "numpy.linalg.matrix_transpose"):
    linear(
        f"{name}(x)",
        x="swapaxes(g, -1, -2)",
        kind=shaped(kind_linalg.transposed),
        facts={"effects": "view(x)", "cheap": True},
    )
