"""``scipy.signal``: convolutions and filters. Pullbacks are plain transposes, without conjugates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Size
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.names import scope
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, field_of, literal, refuse, written
from s2sad.rules.kind_arrays import (
    array_kind,
    float_dtype,
    if_double,
    inexact_dtype,
    literal_of,
    strong_dtype,
)
from s2sad.rules.kind_rules import Bound, KindRule, shape_of
from s2sad.rules.registry import alias, general, multilinear

SIGNAL = scope("scipy.signal")

# --- convolutions of arrays of any rank


def _convolved(first: str, second: str) -> KindRule:
    """As many axes as the factors; the sizes of literal modes where they are known."""

    def rule(bound: Bound) -> Kind:
        a, b = (array_kind(bound[p].kind) for p in (first, second))
        m, n = shape_of(a), shape_of(b)
        both = strong_dtype([a, b])
        dtype = None if both is None else inexact_dtype(both)  # of integers by some methods integers, by others floats
        if m is None or n is None or len(m) != len(n) or not m:
            return Array(dtype, None) if m or n else UNKNOWN  # numbers have a number as their product
        if literal_of(bound["mode"]) == "same":
            return Array(dtype, m)
        alone = "axes" in bound and literal_of(bound["axes"], bound["axes"]) is not None
        full = literal_of(bound["mode"]) == "full" and not alone
        sizes = (
            max(p + q - 1, 0) if full and isinstance(p, int) and isinstance(q, int) else None
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


def _convolution(head: str, method: str) -> None:
    """A product of two arrays, with the helpers that are its adjoints."""

    def due(k: int) -> Written:
        return written(
            lambda app: (
                f"fftconvolve_adjoint_{k}(g, in1, in2, mode, axes)"
                if app.given("axes")
                else f"convolve_adjoint_{k}(g, in1, in2, mode, {method})"
            )
        )

    multilinear(f"scipy.signal.{head}", in1=due(1), in2=due(2), kind=if_double(_convolved("in1", "in2")), facts=SIGNAL)


_convolution("convolve(in1, in2, mode='full', method='auto')", "method")
_convolution("fftconvolve(in1, in2, mode='full', axes=None)", "'fft'")
alias("scipy.signal.fftconvolve", "scipy.signal.oaconvolve")


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

# --- images: the inner part of the convolution of an image that is continued beyond its edges


class Continued:
    """The formulas of an image beyond its edges, and of the adjoint of the image from that of the whole."""

    def __init__(self, image: str, widths: str, mode: str, constant: str) -> None:
        filled = f", constant_values={constant}" if mode == "constant" else ""
        self.whole = f"pad({image}, {widths}, {mode!r}{filled})" if widths else image
        self.inner = f"pad_adjoint({{}}, {image}, {widths}, {mode!r})" if widths else "{}"


def correlated(
    head: str, options: str, constant: str, turned: str, continued: Callable[[Application], Continued], facts: dict[str, Any]
) -> None:
    """A function of an image, of weights (``turned`` before they are convolved with it) and of the constant beyond the edges."""
    path, _, rest = head.partition("(")
    name = path.rpartition(".")[2]
    image, weights = (part.strip() for part in rest.split(",")[:2])
    ones = f"{name}(zeros_like({image}), {weights}, {options}, {constant}=1.0)"

    def due(k: int) -> Written:
        def write(app: Application) -> str:
            plane = continued(app)
            back = f"convolve_adjoint_{k}(g, {plane.whole}, {turned.format(weights)}, 'valid', 'direct')"
            return plane.inner.format(back) if k == 1 else turned.format(back)

        return written(write)

    def again(formula: str) -> Written:
        def write(app: Application) -> str:
            continued(app)
            return formula

        return written(write)

    general(
        head,
        push={
            image: again(f"{name}(g, {weights}, {options})"),
            weights: again(f"{name}({image}, g, {options}, {constant}={constant})"),
            constant: again(f"g * {ones}"),
        },
        pull={image: due(1), weights: due(2), constant: again(f"sum(g * {ones})")},
        kind=_convolved("in1", "in2") if image == "in1" else _like_image,
        facts=facts,
    )


def _like_image(bound: Bound) -> Kind:
    """The image's own; a number becomes an array without axes."""
    kind = array_kind(bound["input"].kind)
    return kind if isinstance(kind, Array) else UNKNOWN


_EDGES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap", "symm": "symmetric",
          "symmetric": "symmetric"}  # fmt: skip


def _plane(first: int, conjugates: bool) -> Callable[[Application], Continued]:
    """``first``: 1 if the larger part of the margin is in front where only as much as the image had is kept."""

    def write(app: Application) -> Continued:
        only(app, mode={"full", "same", "valid"}, boundary=set(_EDGES))
        if conjugates and "complex" in (field_of(app, "in1"), field_of(app, "in2")):
            refuse(app, "of complex signals", "its conjugates are not written", "scipy.signal.convolve2d")
        mode = literal(app, "mode")
        widths = "" if mode == "valid" else f"margins(in2, {first}{', True' if mode == 'full' else ''})"
        return Continued("in1", widths, _EDGES[literal(app, "boundary")], "fillvalue")

    return write


_PLANE = "in1, in2, mode='full', boundary='fill', fillvalue=0"
correlated(f"scipy.signal.convolve2d({_PLANE})", "mode, boundary", "fillvalue", "{}", _plane(1, False), SIGNAL)
correlated(f"scipy.signal.correlate2d({_PLANE})", "mode, boundary", "fillvalue", "flip({})", _plane(0, True), SIGNAL)

# --- recursive filters: a[0] y[t] + a[1] y[t - 1] + ... = b[0] x[t] + b[1] x[t - 1] + ...

_BACKWARDS = "flip(lfilter({b}, a, flip(g, axis), axis), axis)"
_DUE = _BACKWARDS.format(b="ravel(ones_like(a))[:1]")  # what is due to the right-hand side of the equation


def _coefficients(sign: str, param: str, signal: str) -> Written:
    """The adjoint of coefficients, which may be one number."""

    def write(app: Application) -> str:
        only(app, zi=None)
        products = f"{sign}lag_products({_DUE}, {signal}, size({param}), axis)"
        return products if app.rank(param) else f"unbroadcast({products}, {param})"

    return written(write)


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
        "b": _coefficients("", "b", "x"),
        "a": _coefficients("-", "a", "out"),
        "x": _at_rest(_BACKWARDS.format(b="b")),
    },
    kind=_filtered,
    facts=SIGNAL,
)
