"""``scipy.signal`` and ``scipy.ndimage``: convolutions and filters. Pullbacks are plain transposes, without conjugates.

A correlation of an image is a "valid" correlation of the image padded at its margins, as ``numpy.pad`` does it.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind, Size, dtype_of
from s2sad.rules.adapted import only
from s2sad.rules.application import Application
from s2sad.rules.choices import Written, field_of, is_literal, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, literal_of, strong_dtype
from s2sad.rules.kind_rules import Bound, KindRule, shape_of
from s2sad.rules.registry import alias, general, linear, multilinear
from s2sad.rules.scipy_names import no_slope, scope

SIGNAL = scope("scipy.signal")
IMAGES = scope("scipy.ndimage")

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

# --- images

PAD_MODES = {
    "reflect": "symmetric",
    "constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
}
PAD_MODES |= {"grid-mirror": "symmetric", "grid-constant": "constant", "grid-wrap": "wrap"}


def _pad_mode(app: Application) -> str:
    """The mode by its name in NumPy. Raises NoRuleError for options that are not covered."""
    only(app, cval=0.0, origin=0, output=None, mode=set(PAD_MODES))
    if "axes" in app.bound:
        only(app, axes=None)
    if field_of(app, "input") == "complex":
        refuse(app, "of complex images", "no rule is written for them", "the real and imaginary parts")
    return repr(PAD_MODES[literal(app, "mode")])


def _correlated(name: str, turned: str, first: int) -> None:
    """A filter with any weights; ``first`` is 1 if an odd item of the margin is in front."""
    padded = f"pad(input, margins(weights, {first}), {{mode}})"

    def of_input(app: Application) -> str:
        back = f"convolve_adjoint_1(g, {padded}, {turned.format('weights')}, 'valid', 'auto')"
        return f"pad_adjoint({back}, input, margins(weights, {first}), {{mode}})".replace(
            "{mode}", _pad_mode(app)
        )

    def of_weights(app: Application) -> str:
        back = f"convolve_adjoint_2(g, {padded}, {turned.format('weights')}, 'valid', 'auto')"
        return turned.format(back).replace("{mode}", _pad_mode(app))

    multilinear(
        f"scipy.ndimage.{name}(input, weights, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)",
        input=written(of_input),
        weights=written(of_weights),
        kind=lambda bound: array_kind(bound["input"].kind),
        facts=IMAGES,
    )


_correlated("convolve", "{}", 0)
_correlated("correlate", "flip({})", 1)


def _symmetric(app: Application) -> None:
    """A symmetric kernel that sees a margin of mirrored, repeated or no items is its own adjoint."""
    only(
        app,
        mode={"reflect", "grid-mirror", "wrap", "grid-wrap", "constant", "grid-constant"},
        cval=0.0,
        output=None,
        axes=None,
    )


def _gaussian(formula: str) -> Written:
    def write(app: Application) -> str:
        _symmetric(app)
        only(app, order=0)
        radius = "" if literal(app, "radius") is None and is_literal(app, "radius") else ", radius=radius"
        return f"gaussian_filter({formula}, sigma, mode=mode, truncate=truncate{radius})"

    return written(write)


def _same_image(bound: Bound) -> Kind:
    kind = array_kind(bound["input"].kind)
    dtype = dtype_of(kind)
    return kind if dtype is not None and dtype.startswith("float") else Kind()


general(
    "scipy.ndimage.gaussian_filter(input, sigma, order=0, output=None, mode='reflect', cval=0.0, truncate=4.0, *, "
    "radius=None, axes=None)",
    push={"input": _gaussian("g"), "sigma": no_slope("sigma")},
    pull={"input": _gaussian("g"), "sigma": no_slope("sigma")},
    kind=_same_image,
    facts=IMAGES,
)


def _uniform(app: Application) -> str:
    _symmetric(app)
    size = literal(app, "size")
    sizes = size if isinstance(size, tuple | list) else (size,)
    if not all(isinstance(n, int) and n % 2 for n in sizes):
        refuse(app, "of even or computed size", "its window is not symmetric", "a literal odd size")
    only(app, origin=0)
    return "uniform_filter(g, size, mode=mode)"


linear(
    "scipy.ndimage.uniform_filter(input, size=3, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)",
    input=written(_uniform),
    kind=_same_image,
    facts=IMAGES,
)
