"""Methods of ufuncs: ``reduce``, ``accumulate``, ``reduceat``.

Those that NumPy has under another name too (``numpy.sum`` is ``numpy.add.reduce`` along all axes) share its rule; their
default axis is the first. ``outer`` is broadcasting (``libraries.numpy.calls.ufuncs``), and ``at`` a store (``rules.buffers``).
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind
from s2sad.libraries.numpy.rules.reductions import CUMPROD_PULL, CUMPROD_PUSH, CUMSUM_PULL
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import broadcastable, options_text, written
from s2sad.rules.kind_arrays import first, if_taken, literal_of, reduced, sum_dtype, ufunc_dtype
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import alias, general, linear

# --- reduce

for name, method in (
    ("sum", "add"),
    ("prod", "multiply"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("any", "logical_or"),
    ("all", "logical_and"),
):
    dtype = ", dtype=None" if name == "sum" else ""
    initial = "" if name in ("any", "all") else ", initial=None"
    alias(
        f"numpy.{name}",
        f"numpy.{method}.reduce",
        signature=f"a, axis=0{dtype}, *, keepdims=False{initial}, where=True",
    )


def _log_weights(app: Application) -> str:
    """The share of each item in the sum of all exponentials."""
    return f"exp(a - {broadcastable(app, 'a', 'out')})"


general(
    "numpy.logaddexp.reduce(a, axis=0, *, keepdims=False)",
    push={"a": written(lambda app: f"sum({_log_weights(app)} * g{options_text(app)})")},
    pull={"a": written(lambda app: f"{broadcastable(app, 'a', 'g')} * {_log_weights(app)}")},
    kind=reduced(ufunc_dtype),
)

# --- accumulate


def _along_axis(bound: Bound, promoted: Callable[[str], str | None] = sum_dtype) -> Kind:
    """The shape of the argument; small integers are added up as the platform's."""
    source = first(bound)
    dtype = getattr(source, "dtype", None)
    return Array(None if dtype is None else promoted(dtype), shape_of(source))


linear("numpy.add.accumulate(a, axis=0)", a=CUMSUM_PULL, kind=_along_axis)
general(
    "numpy.multiply.accumulate(a, axis=0)",
    push={"a": CUMPROD_PUSH},
    pull={"a": CUMPROD_PULL},
    kind=_along_axis,
)

# Each step of log(exp(out[n - 1]) + exp(a[n])) passes the share ``_NEW`` to the new item, and what is left to those before.
_NEW, _KEPT = "exp(a - out)", "-expm1(a - out)"
general(
    "numpy.logaddexp.accumulate(a, axis=0)",
    push={"a": f"{_NEW} * g + {_KEPT} * scan({_NEW} * g, {_KEPT}, axis)"},
    pull={"a": f"{_NEW} * (g + scan_back({_KEPT} * g, {_KEPT}, axis))"},
    kind=lambda bound: _along_axis(bound, ufunc_dtype),
)

# Each running maximum is an item; of several equal ones the first and the last share it.
_FIRST, _LAST = "running_place(a, out, axis)", "running_place(a, out, axis, True)"
for name in ("maximum", "minimum"):
    general(
        f"numpy.{name}.accumulate(a, axis=0)",
        push={"a": f"0.5 * (take_along_axis(g, {_FIRST}, axis) + take_along_axis(g, {_LAST}, axis))"},
        pull={
            "a": f"0.5 * (take_along_adjoint(g, a, {_FIRST}, axis) + take_along_adjoint(g, a, {_LAST}, axis))"
        },
        kind=lambda bound: Array(getattr(first(bound), "dtype", None), shape_of(first(bound))),
    )

# --- reduceat


@if_taken
def _pieces_kind(bound: Bound) -> Kind:
    kind, places = _along_axis(bound), shape_of(first({"indices": bound["indices"]}))
    axis = literal_of(bound["axis"])
    assert isinstance(kind, Array)
    if kind.shape is None or places is None or axis is None:
        return Array(kind.dtype, None)
    shape = list(kind.shape)
    shape[axis] = places[0]
    return Array(kind.dtype, tuple(shape))


linear("numpy.add.reduceat(a, indices, axis=0)", a="reduceat_adjoint(g, a, indices, axis)", kind=_pieces_kind)
