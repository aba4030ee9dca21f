"""``scipy.signal``: convolutions and filters. Pullbacks are plain transposes, without conjugates."""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind, Size
from s2sad.rules.adapted import only
from s2sad.rules.application import Application
from s2sad.rules.choices import Written, field_of, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, literal_of, strong_dtype
from s2sad.rules.kind_rules import Bound, KindRule, shape_of
from s2sad.rules.registry import alias, general, multilinear
from s2sad.rules.scipy_names import scope

SIGNAL = scope("scipy.signal")

# --- convolutions of arrays of any rank


def _convolved(first: str, second: str) -> KindRule:
    """As many axes as the factors; the sizes of literal modes where they are known."""

    def rule(bound: Bound) -> Kind:
        a, b = (array_kind(bound[p].kind) for p in (first, second))
        m, n = shape_of(a), shape_of(b)
        dtype = strong_dtype([a, b])
        if m is None or n is None or len(m) != len(n):
            return Array(dtype, None)
        if literal_of(bound["mode"]) == "same":
            return Array(dtype, m)
        full = literal_of(bound["mode"]) == "full"
        sizes = (
            p + q - 1 if full and isinstance(p, int) and isinstance(q, int) else None
            for p, q in zip(m, n, strict=True)
        )
        shape: tuple[Size, ...] = tuple(sizes)
        return Array(dtype, shape)

    return rule


def _plain(formula: str, check: Callable[[Application], None]) -> Written:
    def write(app: Application) -> str:
        check(app)
        return formula

    return written(write)


def _convolution(head: str, method: str, check: Callable[[Application], None]) -> None:
    """A product of two arrays, with the helpers that are its adjoints."""
    multilinear(
        f"scipy.signal.{head}",
        in1=_plain(f"convolve_adjoint_1(g, in1, in2, mode, {method})", check),
        in2=_plain(f"convolve_adjoint_2(g, in1, in2, mode, {method})", check),
        kind=_convolved("in1", "in2"),
        facts=SIGNAL,
    )


def _all_axes(app: Application) -> None:
    only(app, axes=None)


def _zeros_outside(app: Application) -> None:
    only(app, boundary={"fill"}, fillvalue=0)


_convolution("convolve(in1, in2, mode='full', method='auto')", "method", lambda app: None)
_convolution("fftconvolve(in1, in2, mode='full', axes=None)", "'fft'", _all_axes)
alias("scipy.signal.fftconvolve", "scipy.signal.oaconvolve")
_convolution("convolve2d(in1, in2, mode='full', boundary='fill', fillvalue=0)", "'auto'", _zeros_outside)


def _correlation(head: str, method: str, check: Callable[[Application], None]) -> None:
    """A convolution with the other factor turned round."""

    def real(formula: str) -> Written:
        def write(app: Application) -> str:
            check(app)
            if "complex" in (field_of(app, "in1"), field_of(app, "in2")):
                refuse(app, "of complex signals", "its conjugates are not written", "scipy.signal.convolve")
            return formula

        return written(write)

    multilinear(
        f"scipy.signal.{head}",
        in1=real(f"convolve_adjoint_1(g, in1, flip(in2), mode, {method})"),
        in2=real(f"flip(convolve_adjoint_2(g, in1, flip(in2), mode, {method}))"),
        kind=_convolved("in1", "in2"),
        facts=SIGNAL,
    )


_correlation("correlate(in1, in2, mode='full', method='auto')", "method", lambda app: None)


def _whole_or_inner(app: Application) -> None:
    """Where ``same`` is centred depends on the parity of sizes there."""
    _zeros_outside(app)
    only(app, mode={"full", "valid"})


_correlation("correlate2d(in1, in2, mode='full', boundary='fill', fillvalue=0)", "'auto'", _whole_or_inner)

# --- recursive filters: a[0] y[t] + a[1] y[t - 1] + ... = b[0] x[t] + b[1] x[t - 1] + ...

_BACKWARDS = "flip(lfilter({b}, a, flip(g, axis), axis), axis)"
_DUE = _BACKWARDS.format(b="ones_like(a[:1])")  # what is due to the right-hand side of the equation


def _at_rest(formula: str) -> Written:
    return _plain(formula, lambda app: only(app, zi=None))


def _filtered(bound: Bound) -> Kind:
    if literal_of(bound["zi"], bound["zi"]) is not None:
        return Kind()
    dtype = strong_dtype([array_kind(bound[p].kind) for p in ("b", "a", "x")])
    return Array(None if dtype is None else float_dtype(dtype), shape_of(array_kind(bound["x"].kind)))


general(
    "scipy.signal.lfilter(b, a, x, axis=-1, zi=None)",
    push={
        "b": _at_rest("lfilter(g, a, x, axis)"),
        "a": _at_rest("-lfilter(g, a, out, axis)"),
        "x": _at_rest("lfilter(b, a, g, axis)"),
    },
    pull={
        "b": _at_rest(f"lag_products({_DUE}, x, len(b), axis)"),
        "a": _at_rest(f"-lag_products({_DUE}, out, len(a), axis)"),
        "x": _at_rest(_BACKWARDS.format(b="b")),
    },
    kind=_filtered,
    facts=SIGNAL,
)
