"""``scipy.ndimage``: convolutions and filters of images, with the helpers that are their adjoints.

A correlation of an image is a "valid" correlation of the image padded at its margins, as ``numpy.pad`` does it.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind, dtype_of
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.names import HELPERS, no_slope, scope
from s2sad.libraries.scipy.rules.signal import Continued, correlated
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, field_of, is_literal, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import general, linear, multilinear


def _images(app: Application) -> None:
    """Refuse what no formula is written for: complex images, and numbers."""
    for p in ("input", "weights"):
        if p in app.bound and field_of(app, p) == "complex":
            refuse(app, "of complex images", "no rule is written for them", "the real and imaginary parts")
        if p in app.bound and app.rank(p) == 0:
            refuse(app, "of a number", "an image has axes", "an array with one item")


IMAGES = scope("scipy.ndimage", refuses=_images)

# --- weighted sums of windows

PAD_MODES = {
    "reflect": "symmetric",
    "constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
}
PAD_MODES |= {"grid-mirror": "symmetric", "grid-constant": "constant", "grid-wrap": "wrap"}


def _filter(first: int) -> Callable[[Application], Continued]:
    """``first``: 1 if the larger part of the margin is in front. Raises NoRuleError for options that are not covered."""

    def write(app: Application) -> Continued:
        only(app, origin=0, output=None, mode=set(PAD_MODES), axes=None)
        return Continued("input", f"margins(weights, {first})", PAD_MODES[literal(app, "mode")], "cval")

    return write


_IMAGE = "input, weights, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None"
correlated(f"scipy.ndimage.convolve({_IMAGE})", "mode=mode", "cval", "{}", _filter(0), IMAGES)
correlated(f"scipy.ndimage.correlate({_IMAGE})", "mode=mode", "cval", "flip({})", _filter(1), IMAGES)

_SYMMETRIC = {"reflect", "grid-mirror", "wrap", "grid-wrap", "constant", "grid-constant"}
"""A symmetric kernel that sees a margin of mirrored, repeated or no items is its own adjoint."""


def _one_mode(app: Application) -> bool:
    """Test for such a mode. Raises NoRuleError for options that are not covered."""
    only(app, mode=set(PAD_MODES), output=None)
    if "axes" in app.bound:
        only(app, axes=None)
    return literal(app, "mode") in _SYMMETRIC


def _same_image(bound: Bound) -> Kind:
    kind = array_kind(bound["input"].kind)
    dtype = dtype_of(kind) if isinstance(kind, Array) else None  # a number becomes an array without axes
    return kind if dtype is not None and dtype.startswith("float") else Kind()


# --- Gaussian filters


def _gaussian(name: str, place: str) -> None:
    """A filter along all axes, or along one at ``place``."""
    options = "truncate=truncate, radius=radius"

    def again(app: Application) -> str:
        _one_mode(app)
        return f"{name}(g, sigma, {place}order=order, mode=mode, {options})"

    def back(app: Application) -> str:
        symmetric = _one_mode(app) and is_literal(app, "order") and literal(app, "order") == 0
        if not symmetric:
            return f"{name}_adjoint(g, input, sigma, {place}order=order, mode=mode, {options})"
        radius = "" if literal(app, "radius") is None and is_literal(app, "radius") else ", radius=radius"
        return f"{name}(g, sigma, {place}mode=mode, truncate=truncate{radius})"

    axis = "axis=-1, " if place else ""
    axes = "" if place else ", axes=None"
    general(
        f"scipy.ndimage.{name}(input, sigma, {axis}order=0, output=None, mode='reflect', cval=0.0, truncate=4.0, *, "
        f"radius=None{axes})",
        push={"input": written(again), "sigma": no_slope("sigma")},
        pull={"input": written(back), "sigma": no_slope("sigma")},
        kind=_same_image,
        facts=IMAGES,
    )
    linear(
        f"{HELPERS}{name}_adjoint(bar, input, sigma, {axis}order=0, mode='reflect', truncate=4.0, radius=None)",
        bar=f"{name}(g, sigma, {place}order=order, mode=mode, {options})",
        kind=_same_image,
        facts=IMAGES,
    )


_gaussian("gaussian_filter", "")
_gaussian("gaussian_filter1d", "axis=axis, ")

# --- means of windows


def _uniform(app: Application) -> str:
    size = literal(app, "size")
    sizes = size if isinstance(size, tuple | list) else (size,)
    odd = all(isinstance(n, int) and n % 2 for n in sizes)
    centred = is_literal(app, "origin") and literal(app, "origin") == 0
    if _one_mode(app) and odd and centred:
        return "uniform_filter(g, size, mode=mode)"
    return "uniform_filter_adjoint(g, input, size, mode, origin)"


def _uniform_again(app: Application) -> str:
    _one_mode(app)
    return "uniform_filter(g, size, mode=mode, origin=origin)"


general(
    "scipy.ndimage.uniform_filter(input, size=3, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)",
    push={"input": written(_uniform_again)},
    pull={"input": written(_uniform)},
    kind=_same_image,
    facts=IMAGES,
)
linear(
    f"{HELPERS}uniform_filter_adjoint(bar, input, size=3, mode='reflect', origin=0)",
    bar="uniform_filter(g, size, mode=mode, origin=origin)",
    kind=_same_image,
    facts=IMAGES,
)

# --- weighted sums along one axis

_LINE = "axis=-1, output=None, mode='reflect', cval=0.0, origin=0"


def _line(formula: str) -> Written:
    def write(app: Application) -> str:
        _one_mode(app)
        return formula

    return written(write)


general(
    f"scipy.ndimage.correlate1d(input, weights, {_LINE})",
    push={
        "input": _line("correlate1d(g, weights, axis, mode=mode, origin=origin)"),
        "weights": _line("correlate1d(input, g, axis, mode=mode, cval=cval, origin=origin)"),
    },
    pull={
        "input": _line("correlate1d_adjoint(g, input, weights, axis, mode, origin)"),
        "weights": _line("correlate1d_adjoint_weights(g, input, weights, axis, mode, cval, origin)"),
    },
    kind=_same_image,
    facts=IMAGES,
)
multilinear(
    f"{HELPERS}correlate1d_adjoint(bar, input, weights, axis=-1, mode='reflect', origin=0)",
    bar="correlate1d(g, weights, axis, mode=mode, origin=origin)",
    weights="correlate1d_adjoint_weights(bar, g, weights, axis, mode, 0.0, origin)",
    kind=_same_image,
    facts=IMAGES,
)
general(
    f"{HELPERS}correlate1d_adjoint_weights(bar, input, weights, axis=-1, mode='reflect', cval=0.0, origin=0)",
    push={
        "bar": "correlate1d_adjoint_weights(g, input, weights, axis, mode, cval, origin)",
        "input": "correlate1d_adjoint_weights(bar, g, weights, axis, mode, 0.0, origin)",
    },
    pull={
        "bar": "correlate1d(input, g, axis, mode=mode, cval=cval, origin=origin)",
        "input": "correlate1d_adjoint(bar, input, g, axis, mode, origin)",
    },
    kind=lambda bound: array_kind(bound["weights"].kind),
    facts=IMAGES,
)

# --- the spline through samples


def _to_double(bound: Bound) -> Kind:
    kind = array_kind(bound["input"].kind)
    dtype = dtype_of(kind)
    return Array("float64" if dtype is not None and not dtype.startswith("complex") else None, shape_of(kind))


linear(
    "scipy.ndimage.spline_filter1d(input, order=3, axis=-1, output='float64', mode='mirror')",
    input="spline_filter1d_adjoint(g, input, order, axis, mode)",
    kind=_to_double,
    facts=IMAGES,
)
linear(
    f"{HELPERS}spline_filter1d_adjoint(bar, input, order=3, axis=-1, mode='mirror')",
    bar="spline_filter1d(g, order, axis, mode=mode)",
    kind=_same_image,
    facts=IMAGES,
)
