"""``scipy.fft``: Fourier transforms, which share NumPy's rules (``adapted``), and cosine and sine transforms.

All are linear; pullbacks are plain transposes, as in ``numpy_fft``, and call NumPy's transforms where these are the same.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind, dtype_of
from s2sad.libraries.numpy.rules import fft  # noqa: F401  the rules that are shared stand in their table by then
from s2sad.libraries.scipy.rules.adapted import adapted
from s2sad.libraries.scipy.rules.names import scope
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, if_double, literal_of
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import alias, linear

FFT = scope("scipy.fft")

# --- Fourier transforms

_OPTIONS = "norm=None, overwrite_x=False, workers=None, *, plan=None"
for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    adapted(f"scipy.fft.{_name}(x, n=None, axis=-1, {_OPTIONS})", f"numpy.fft.{_name}", x="a")
for _name in ("fft", "ifft", "rfft", "irfft"):
    _line = "same(x)? if axes == () else fresh"
    adapted(f"scipy.fft.{_name}2(x, s=None, axes=(-2, -1), {_OPTIONS}) -> {_line}", f"numpy.fft.{_name}2", x="a")
    adapted(f"scipy.fft.{_name}n(x, s=None, axes=None, {_OPTIONS}) -> {_line}", f"numpy.fft.{_name}n", x="a")
for _name in ("fftshift", "ifftshift", "fftfreq", "rfftfreq"):
    alias(f"numpy.fft.{_name}", f"scipy.fft.{_name}")

# --- cosine and sine transforms


def _real_kind(bound: Bound) -> Kind:
    kind = array_kind(bound["x"].kind)
    dtype, shape = dtype_of(kind), shape_of(kind)
    size = bound["n"] if "n" in bound else bound["s"]
    kept = literal_of(size, size) is None
    sizes = shape if kept or shape is None else (None,) * len(shape)
    return Array(None if dtype is None else float_dtype(dtype), sizes)


def _adjoint(name: str) -> Written:
    def write(app: Application) -> str:
        if "axis" in app.bound:
            places = f"{'(n,)' if app.given('n') else 'None'}, (axis,)"
        else:
            places = "s, axes"
        weights = ", orthogonalize" if app.given("orthogonalize") else ""
        return f"trigonometric_adjoint(g, x, '{name}', type, {places}, norm{weights})"

    return written(write)


_REST = "norm=None, overwrite_x=False, workers=None, orthogonalize=None"
for _name in ("dct", "idct", "dst", "idst"):
    for _head in (
        f"{_name}(x, type=2, n=None, axis=-1, {_REST})",
        f"{_name}n(x, type=2, s=None, axes=None, {_REST}) -> same(x)? if axes == () else fresh",
    ):
        linear(f"scipy.fft.{_head}", x=_adjoint(_name), kind=if_double(_real_kind), facts=FFT)


def _forward(app: Application) -> str:
    name = {"dct": "dctn", "idct": "idctn", "dst": "dstn", "idst": "idstn"}[app.bound["name"].payload]  # type: ignore[attr-defined]
    return f"{name}(g, type, s, axes, norm, orthogonalize=orthogonalize)"


linear(
    "s2sad.libraries.scipy.runtime.trigonometric_adjoint(bar, x, name, type=2, s=None, axes=None, norm=None, orthogonalize=None)",
    bar=written(_forward),
    kind=if_double(lambda bound: array_kind(bound["x"].kind)),
    facts=FFT,
)
