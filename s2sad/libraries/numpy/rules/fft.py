"""Discrete Fourier transforms. They are linear, and their matrices symmetric: ``fft`` is its own transpose.

Pullbacks are plain transposes: complex items are not conjugated. Where the length of the transform is that of the
argument, and all frequencies are kept, the adjoint is the transform itself; other cases are left to the helpers of
``s2sad.runtime.spectra``.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array
from s2sad.libraries.numpy.rules import kind_fft
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, field_of, is_literal, literal, written
from s2sad.rules.helpers import RUNTIME, adjoint_of
from s2sad.rules.kind_arrays import same
from s2sad.rules.registry import general, linear, nothing

# --- what the formulas share


def _given(app: Application, param: str) -> bool:
    """Possibility of an argument that is not None."""
    return not is_literal(app, param) or literal(app, param) is not None


def _options(app: Application, axes: str, default: object) -> str:
    """The options of a transform of ``g``, as far as they are not the defaults."""
    text = "" if is_literal(app, axes) and literal(app, axes) == default else f", {axes}={axes}"
    return text + (", norm=norm" if _given(app, "norm") else "")


def _helped(app: Application, name: str, bar: str = "g", norm: str = "norm") -> str:
    """The adjoint by a helper, which takes tuples of sizes and axes."""
    if "axis" in app.bound:
        return f"{name}_adjoint({bar}, a, {'(n,)' if _given(app, 'n') else 'None'}, (axis,), {norm})"
    return f"{name}_adjoint({bar}, a, s, axes, {norm})"


def _helper(name: str) -> Written:
    return written(lambda app: _helped(app, name))


# --- complex transforms


def _symmetric(name: str, helper: str, size: str, axes: str, default: object) -> None:
    """A transform whose adjoint is the transform itself, where ``size`` is left to the argument."""

    def write(app: Application) -> str:
        if _given(app, size) or field_of(app, "a") is None:
            return _helped(app, helper)
        return f"fft.{name}(g{_options(app, axes, default)})"

    linear(
        f"numpy.fft.{name}(a, {size}=None, {axes}={default}, norm=None) -> same(a)? if {axes} == () else fresh",
        a=written(write),
        kind=kind_fft.spectrum(),
    )


for _inverse in ("", "i"):
    _symmetric(f"{_inverse}fft", f"{_inverse}fftn", "n", "axis", -1)
    _symmetric(f"{_inverse}fft2", f"{_inverse}fftn", "s", "axes", (-2, -1))
    _symmetric(f"{_inverse}fftn", f"{_inverse}fftn", "s", "axes", None)

# --- real signals, of whose spectrum one half is kept


def _rfft_adjoint(app: Application) -> str:
    plain = not _given(app, "n") and isinstance(app.kind("a"), Array) and is_literal(app, "axis")
    if not plain or field_of(app, "a") != "real":
        return _helped(app, "rfftn")
    return f"fft.fft(g, a.shape[{literal(app, 'axis')!r}]{_options(app, 'axis', -1)})"


HALF, WHOLE = kind_fft.spectrum("half"), kind_fft.spectrum("whole")
linear("numpy.fft.rfft(a, n=None, axis=-1, norm=None)", a=written(_rfft_adjoint), kind=HALF)
linear("numpy.fft.irfft(a, n=None, axis=-1, norm=None)", a=_helper("irfftn"), kind=WHOLE)
for _name, _default in (("rfft2", (-2, -1)), ("rfftn", None)):
    linear(f"numpy.fft.{_name}(a, s=None, axes={_default}, norm=None)", a=_helper("rfftn"), kind=HALF)
    linear(f"numpy.fft.i{_name}(a, s=None, axes={_default}, norm=None)", a=_helper("irfftn"), kind=WHOLE)

# --- real spectra: hfft(a) is irfft(conj(a)), ihfft(a) is conj(rfft(a)), scaled the other way


def _inverse_norm(app: Application) -> str:
    if not is_literal(app, "norm"):
        return "inverse_norm(norm)"
    return {"forward": "'backward'", "ortho": "'ortho'"}.get(literal(app, "norm"), "'forward'")


linear(
    "numpy.fft.hfft(a, n=None, axis=-1, norm=None)",
    a=written(lambda app: f"conj({_helped(app, 'irfftn', norm=_inverse_norm(app))})"),
    kind=WHOLE,
)
linear(
    "numpy.fft.ihfft(a, n=None, axis=-1, norm=None)",
    a=written(lambda app: _helped(app, "rfftn", "conj(g)", _inverse_norm(app))),
    kind=HALF,
)

# --- the order of frequencies, and what they are

linear("numpy.fft.fftshift(x, axes=None)", x="fft.ifftshift(g, axes)", kind=same())
linear("numpy.fft.ifftshift(x, axes=None)", x="fft.fftshift(g, axes)", kind=same())
for _name in ("fftfreq", "rfftfreq"):
    general(
        f"numpy.fft.{_name}(n, d=1.0)",
        push={"d": "-g / d * out"},
        pull={"d": "-sum(g * out) / d"},
        kind=kind_fft.frequencies(_name == "rfftfreq"),
    )

# --- the helpers, so that derivative programs can be differentiated again

nothing([f"{RUNTIME}inverse_norm(norm)"], zero=True, cheap=True)
linear(f"{RUNTIME}fitted(x, like) -> view(x)?; looks like", x="fitted(g, x)", kind=adjoint_of("like"))
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    linear(
        f"{RUNTIME}{_name}_adjoint(bar, a, s=None, axes=None, norm=None) -> view(bar)? if axes == () else fresh",
        bar=f"fft.{_name}(g, s, axes, norm)",
        kind=adjoint_of("a"),
    )
