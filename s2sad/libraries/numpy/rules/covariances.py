"""Covariances and correlations.

X holds a variable in each row, C is X less the (weighted) mean of each row, and ``cov`` is ``(C * w) @ C^H / divisor``. As
the rows of ``C * w`` sum to 0, the mean of a tangent of X does not count. ``corrcoef`` is U U^T, where U has the rows of
C, each divided by its norm.
"""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, is_many, promote
from s2sad.libraries.numpy.rules.statistics_helpers import own_variables
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import field_of, is_literal, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, literal_of
from s2sad.rules.kind_rules import Bound, make, shape_of
from s2sad.rules.language import Partial
from s2sad.rules.registry import general

# --- X


def _first(app: Application) -> str:
    return next(iter(app.bound))


def _rows(app: Application, first: str, second: str) -> str:
    """The variables of both arguments below each other."""
    if app.given("y"):
        return f"all_variables({first}, {second}, rowvar)"
    return f"variables({first}, rowvar)"


def _moved_rows(app: Application, param: str) -> str:
    """The tangent of the rows: those of the other argument do not move."""
    if param == "y":
        return _rows(app, f"zeros_like({_first(app)})", "g")
    return _rows(app, "g", "zeros_like(y)")


def _own_rows(app: Application, param: str, text: str) -> str:
    """Those rows of an adjoint that belong to an argument, in its shape."""
    return own_variables(text, _first(app), param) if app.given("y") else f"variables_adjoint({text}, {param}, rowvar)"


def _weights(app: Application) -> str:
    """The weights of the observations, nothing where they have none."""
    return " * ".join(p for p in ("fweights", "aweights") if p in app.bound and app.given(p))


def _centred(app: Application) -> str:
    """C."""
    rows, weights = _rows(app, _first(app), "y"), _weights(app)
    if not weights:
        return f"({rows} - mean({rows}, axis=1, keepdims=True))"
    return f"({rows} - sum({rows} * ({weights}), axis=1, keepdims=True) / sum({weights}))"


_BAR = "atleast_2d(g)"

# --- cov


def _real(app: Application) -> bool:
    return all(field_of(app, p) == "real" for p in ("m", "y") if app.given(p))


def _conjugate(app: Application, text: str) -> str:
    return text if _real(app) else f"conj({text})"


def _lost(app: Application) -> str:
    """The number of degrees of freedom that are lost."""
    if not (is_literal(app, "ddof") and literal(app, "ddof") is None):
        return "ddof"
    return f"{0 if literal(app, 'bias') else 1}" if is_literal(app, "bias") else "(1 - bias)"


def _divisor(app: Application) -> str:
    lost = _lost(app)
    weights = _weights(app)
    if not weights:
        return f"(size({_rows(app, 'm', 'y')}, 1) - {lost})"
    if not app.given("aweights"):
        return f"(sum({weights}) - {lost})"
    return f"(sum({weights}) - {lost} * sum({weights} * aweights) / sum({weights}))"


def _weighted(app: Application) -> str:
    """The conjugate of C * w / divisor."""
    weights = f" * ({_weights(app)})" if _weights(app) else ""
    return f"({_conjugate(app, _centred(app))}{weights} / {_divisor(app)})"


def _cov_push(param: str) -> Partial:
    def write(app: Application) -> str:
        cross = f"({_moved_rows(app, param)} @ {_weighted(app)}.T)"
        moved = f"squeeze({cross} + {_conjugate(app, cross)}.T)"
        return moved if _real(app) else f"unbroadcast({moved}, out)"  # NumPy's is real where there are no variables

    return written(write)


def _cov_pull(param: str) -> Partial:
    def write(app: Application) -> str:
        return _own_rows(app, param, f"({_BAR} + {_conjugate(app, _BAR)}.T) @ {_weighted(app)}")

    return written(write)


def _divided(app: Application) -> tuple[str, str]:
    """The slope of the divisor by a weight, over the other weight of the observation, and that other weight."""
    other = "fweights" if app.given("fweights") else "1.0"
    whole = f"sum({_weights(app)})"
    mean = f"sum({_weights(app)} * aweights) / {whole}"
    return f"(1 - {_lost(app)} * (2 * aweights - {mean}) / {whole})", other


def _weights_push(app: Application) -> str:
    slope, other = _divided(app)
    centred = _centred(app)
    cross = f"({centred} * ({other} * g)) @ {_conjugate(app, centred)}.T"
    return f"squeeze(({cross} - atleast_2d(out) * sum({other} * g * {slope})) / {_divisor(app)})"


def _weights_pull(app: Application) -> str:
    slope, other = _divided(app)
    centred = _centred(app)
    due = f"sum({centred} * ({_BAR} @ {_conjugate(app, centred)}), axis=0)"
    return f"{other} * ({due} - sum(g * out) * {slope}) / {_divisor(app)}"


def _matrix_kind(bound: Bound) -> Kind:
    """A row and a column for each variable; without axes where there is one."""
    (first, *_), rowvar = list(bound), literal_of(bound["rowvar"])
    given = [p for p in (first, "y") if literal_of(bound[p], bound[p]) is not None]
    kinds = [array_kind(bound[p].kind) for p in given]
    known = all(isinstance(kind, Scalar | Array) for kind in kinds)
    dtype = promote(*kinds, Scalar("float64", weak=False)) if known else None
    shape = shape_of(kinds[0])
    if len(kinds) > 1:
        return Array(dtype, None)
    if shape is None or rowvar is None:
        return UNKNOWN
    if len(shape) < 2:
        return make(dtype, ()) if first == "x" else Array(dtype, ())
    count = shape[0 if rowvar else 1]
    return Array(dtype, (count, count)) if is_many(count) else UNKNOWN


general(
    "numpy.cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None)",
    push={"m": _cov_push("m"), "y": _cov_push("y"), "aweights": written(_weights_push)},
    pull={"m": _cov_pull("m"), "y": _cov_pull("y"), "aweights": written(_weights_pull)},
    kind=_matrix_kind,
)

# --- corrcoef


def _norms(app: Application) -> str:
    return f"sqrt(sum({_centred(app)} ** 2, axis=1, keepdims=True))"


def _units(app: Application) -> str:
    """U."""
    for param in ("x", "y"):
        if app.given(param) and field_of(app, param) == "complex":
            refuse(app, "of complex numbers", "its derivative is not written", "np.cov, and a division")
    return f"({_centred(app)} / {_norms(app)})"


def _turned(app: Application, rows: str) -> str:
    """The movement of U where X moves by ``rows``: across its rows, as they keep their length."""
    units = _units(app)
    return f"(({rows} - {units} * sum({units} * {rows}, axis=1, keepdims=True)) / {_norms(app)})"


def _corrcoef_push(param: str) -> Partial:
    def write(app: Application) -> str:
        turned = _turned(app, _moved_rows(app, param))
        return f"squeeze({turned} @ {_units(app)}.T + {_units(app)} @ {turned}.T)"

    return written(write)


def _corrcoef_pull(param: str) -> Partial:
    def write(app: Application) -> str:
        return _own_rows(app, param, _turned(app, f"(({_BAR} + {_BAR}.T) @ {_units(app)})"))

    return written(write)


general(
    "numpy.corrcoef(x, y=None, rowvar=True)",
    push={p: _corrcoef_push(p) for p in ("x", "y")},
    pull={p: _corrcoef_pull(p) for p in ("x", "y")},
    kind=_matrix_kind,
)
