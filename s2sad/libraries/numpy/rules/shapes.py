"""Functions that give the same items another shape or order: linear, and most of them windows."""

from __future__ import annotations

import numpy as np

from s2sad.ir.kinds import Array, Other, Scalar
from s2sad.libraries.numpy.rules import kind_shapes
from s2sad.rules import kind_rules
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import (
    is_literal,
    literal,
    refuse,
    reshaped,
    shape_text,
    written,
)
from s2sad.rules.kind_arrays import same_shape, shaped
from s2sad.rules.registry import alias, linear, nothing

VIEW = {"effects": "view(a)", "cheap": True}
MAYBE_VIEW = {"effects": "view(a)?"}


# --- the same items in another shape


def _reshape_adjoint(app: Application) -> str:
    if isinstance(app.kind("a"), Scalar):
        return "sum(g)"
    order = literal(app, "order")
    if order not in ("C", "F"):
        refuse(
            app,
            f"with order={order!r}",
            "the order of the items depends on how they lie in memory",
            "order='C' or 'F'",
        )
    return f"reshape(g, {shape_text(app, 'a')}{', order=order' if order != 'C' else ''})"


linear(
    "numpy.reshape(a, shape, order='C', *, copy=None) -> fresh if copy == True else view(a)?",
    a=written(_reshape_adjoint),
    kind=shaped(kind_shapes.reshape),
)
linear(
    "numpy.ravel(a, order='C')",
    a=written(_reshape_adjoint),
    kind=shaped(kind_shapes.flattened),
    facts=MAYBE_VIEW,
)
alias("numpy.ravel", "ndarray.ravel", spelling="method")
linear(
    "ndarray.flatten(a, order='C')",
    a=written(_reshape_adjoint),
    kind=shaped(kind_shapes.flattened),
    facts={"spelling": "method"},
)
linear("numpy.squeeze(a, axis=None)", a=reshaped("a"), kind=shaped(kind_shapes.squeezed), facts=VIEW)
alias("numpy.squeeze", "ndarray.squeeze", spelling="method")
linear("numpy.expand_dims(a, axis)", a=reshaped("a"), kind=shaped(kind_shapes.expanded), facts=VIEW)
linear("numpy.atleast_1d(a)", a=reshaped("a"), kind=shaped(kind_shapes.at_least(1)), facts=VIEW)
linear("numpy.atleast_2d(a)", a=reshaped("a"), kind=shaped(kind_shapes.at_least(2)), facts=VIEW)
linear("numpy.atleast_3d(a)", a=reshaped("a"), kind=shaped(kind_shapes.at_least_three), facts=VIEW)
nothing(["numpy.broadcast_shapes(*args)"], kind=kind_rules.always(Other("shape")), zero=True)

# --- axes exchanged


def _transpose_adjoint(app: Application) -> str:
    axes = literal(app, "axes")
    if axes is None:
        return {1: "g", 2: "g.T"}.get(app.rank("a") or 0, "transpose(g)")
    if is_literal(app, "axes"):
        back = tuple(int(k) for k in np.argsort([k % len(axes) for k in axes]))
        return "g.T" if back == (1, 0) else f"transpose(g, {back})"
    return "transpose(g, inverse_axes(axes))"


linear(
    "numpy.transpose(a, axes=None)",
    a=written(_transpose_adjoint),
    kind=shaped(kind_shapes.transposed),
    facts=VIEW,
)
alias("numpy.transpose", "numpy.permute_dims")
linear("ndarray.T(a)", a="g.T", kind=shaped(kind_shapes.transposed), facts={**VIEW, "spelling": "attribute"})
linear(
    "numpy.swapaxes(a, axis1, axis2)",
    a="swapaxes(g, axis1, axis2)",
    kind=shaped(kind_shapes.swapped),
    facts=VIEW,
)
alias("numpy.swapaxes", "ndarray.swapaxes", spelling="method")
linear(
    "ndarray.mT(a)",
    a="swapaxes(g, -1, -2)",
    kind=shaped(lambda shape, _: (*shape[:-2], *shape[:-3:-1])),
    facts={**VIEW, "spelling": "attribute"},
)
linear(
    "numpy.moveaxis(a, source, destination)",
    a="moveaxis(g, destination, source)",
    kind=shaped(kind_shapes.moved),
    facts=VIEW,
)
linear("numpy.flip(m, axis=None)", m="flip(g, axis)", kind=same_shape, facts={"effects": "view(m)", "cheap": True})
linear("numpy.fliplr(m)", m="fliplr(g)", kind=same_shape, facts={"effects": "view(m)", "cheap": True})
linear("numpy.flipud(m)", m="flipud(g)", kind=same_shape, facts={"effects": "view(m)", "cheap": True})
linear(
    "numpy.rot90(m, k=1, axes=(0, 1))",
    m=written(
        lambda app: f"rot90(g, {-literal(app, 'k')}, axes)" if is_literal(app, "k") else None,
        "rot90(g, -k, axes)",
    ),
    kind=shaped(kind_shapes.rotated),
    facts={"effects": "view(m)?"},
)


def _roll_adjoint(app: Application) -> str:
    shift = literal(app, "shift")
    if is_literal(app, "shift"):
        back = tuple(-s for s in shift) if isinstance(shift, tuple) else -shift
        return f"roll(g, {back}, axis)"
    return (
        "roll(g, -shift, axis)"
        if isinstance(app.kind("shift"), Scalar | Array)
        else "roll(g, negative(shift), axis)"
    )


linear("numpy.roll(a, shift, axis=None)", a=written(_roll_adjoint), kind=same_shape)
