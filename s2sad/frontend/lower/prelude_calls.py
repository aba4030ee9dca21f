"""Functions and classes of libraries that stand for a program over NumPy, and over what has rules: their *forms*, in preludes.

stats.iqr(x, axis=1)            the call of s2sad.libraries.scipy.prelude.stats.iqr, whose source is transformed as a user's
CubicSpline(x, y)               an object of s2sad.libraries.scipy.prelude.interpolate.CubicSpline

A form has the name, the parameters and the result of what it stands for, in the module of that name. Options that it does
not cover are no parameters of it, or annotated with the values that are (``mode: Literal["full"]``): a call with others is
left to the library, and refused where it would have to be differentiated. A form that calls what it stands for means its rule,
and one that gets to ``refuse`` does not cover a call, for a reason.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from s2sad.errors import S2sadError
from s2sad.frontend.entities import Entity, Record, Static, Struct, flatten
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.foreign import source_and_scope
from s2sad.frontend.lower.inlining import inline
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope
from s2sad.ir.kinds import UNKNOWN, Array, Scalar, Tuple, dtype_of, is_differentiable
from s2sad.ir.nodes import LITERALS, Call, Const, Value
from s2sad.rules.buffers import SPOIL
from s2sad.rules.preludes import form_class, form_of, is_form, refuse, said_of


def form_of_call(ctx: Lowering, payload: Any, args: list[Entity], kwargs: dict[str, Entity]) -> Static | None:
    """The form that a call may be replaced with, None where there is none or it does not cover the arguments."""
    form = form_of(payload)
    if form is None or _written_out_here(ctx) is form:
        return None
    function = vars(form)["__init__"] if isinstance(form, type) else form
    signature = inspect.signature(form)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    hints = _hints(function)
    covered = all(
        _allowed(hints.get(p), entity) and not (_is_none(entity) and signature.parameters[p].default is inspect.Parameter.empty)
        for p, entity in bound.items()
    )
    said: dict[str, list[str]] = {}
    for p, hint in hints.items():
        for word in getattr(hint, "__metadata__", ()):
            said.setdefault(word, []).append(p)
    if not all(any(COVERS[word](ctx, bound[p]) for p in names if p in bound) for word, names in said.items()):
        return None
    topic, prelude = said_of(form)
    if topic in prelude.no_half and any(isinstance(e, Value) and dtype_of(e.kind) == "float16" for e in bound.values()):
        return None
    if form.__name__ in prelude.real and any(map(_is_complex, bound.values())):
        return None
    axes = prelude.axes.get(form.__name__, {})
    if not covered or any(_is_stack(bound[p], most) for p, most in axes.items() if p in bound):
        return None
    guard_axes(ctx, form.__name__, axes, bound)
    if form.__name__ in prelude.real:
        _guard_real(ctx, form.__name__, bound.values())
    return Static(form, f"{form.__module__}.{form.__name__}")


def _written_out_here(ctx: Lowering) -> Any:
    """The function of which a call is written out at this place."""
    return ctx.frame.scope.function if isinstance(ctx.frame.scope, LiveScope) else None


def _is_complex(entity: Entity) -> bool:
    """Test for an argument, or an item of a tuple, that is complex."""
    if type(entity) is Struct:
        return any(map(_is_complex, entity.items))
    dtype = dtype_of(entity.kind) if isinstance(entity, Value) else None
    return dtype is not None and dtype.startswith("complex")


def _guard_real(ctx: Lowering, name: str, given: Iterable[Entity]) -> None:
    """Guard the arguments of which nothing tells whether they are complex."""
    for part in (leaf for entity in given for leaf in flatten(entity)):
        if isinstance(part, Value) and not isinstance(part, Const) and dtype_of(part.kind) is None:
            ctx.builder.call("s2sad.runtime.assert_real", Const(name), part)


def _is_stack(entity: Entity, most: int) -> bool:
    """Test for an argument, or an item of a tuple, with more axes than this; a list has one more than its items."""
    if isinstance(entity, Struct):
        return any(_is_stack(item, most - (entity.kind == "list")) for item in entity.items)
    shape = entity.kind.shape if isinstance(entity, Value) and isinstance(entity.kind, Array) else None
    return shape is not None and len(shape) > most


def guard_axes(ctx: Lowering, name: str, axes: Mapping[str, int], given: Mapping[str, Entity]) -> None:
    """Guard the arguments that may have too many axes: what of them nothing tells how many it has."""
    for parameter, most in axes.items():
        entity = given.get(parameter)
        for part in entity.items if type(entity) is Struct else [entity]:
            kind = part.kind.items[0] if isinstance(part, Value) and isinstance(part.kind, Tuple) and part.kind.items else None
            kind = kind or (part.kind if isinstance(part, Value) else None)
            if kind == UNKNOWN or isinstance(kind, Array) and kind.shape is None:
                assert isinstance(part, Value)
                ctx.builder.call("s2sad.runtime.assert_axes", Const(name), Const(most), part)


def refuse_uncovered(
    ctx: Lowering, method: types.FunctionType, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> None:
    """Refuse options that a method of an object of a form does not cover: nobody else could be asked."""
    if not is_form(method):
        return
    hints = _hints(method)
    try:
        given = inspect.signature(method).bind_partial(*args, **kwargs).arguments
    except TypeError as error:
        ctx.refuse(node, f"{method.__name__} with these arguments", f"its form does not cover them: {error}", "others")
    for name, entity in given.items():
        if get_origin(hints.get(name)) is Literal and not _allowed(hints[name], entity):
            values = " or ".join(map(repr, get_args(hints[name])))
            ctx.refuse(node, f"{method.__name__} with this {name}", "its form does not cover it", f"{name}={values}")


def program(
    ctx: Lowering, function: Any, args: list[Entity], node: Any, kwargs: dict[str, Entity] | None = None
) -> Entity:
    """One of our own programs, written out; what is refused in it is refused where it is called."""
    source, scope = source_and_scope(ctx, function)
    try:
        return inline(ctx, source.node, None, (source, scope, function), args, kwargs or {}, node)
    except S2sadError as error:
        if error.location is not None and error.location.file == source.file and not is_form(_written_out_here(ctx)):
            error.location = ctx.frame.source.location(node)
        raise


def destroyed(given: Mapping[str, Entity]) -> list[Value]:
    """Values that ``overwrite_a=True`` and its like allow to be destroyed, of arguments by their names: the first one where none
    has the name, and what may be an array as well."""
    first = next(iter(given.values()), None)
    allowed = [n for n, v in given.items() if n.startswith("overwrite_") and not (isinstance(v, Const) and not v.payload)]
    found = [given.get(n.removeprefix("overwrite_"), first) for n in allowed]
    return [v for v in found if isinstance(v, Value) and (isinstance(v.kind, Array) or v.kind == UNKNOWN)]


def written_out(
    ctx: Lowering, form: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity:
    """The result of a form, lowered at the place of the call, where literal options are known; an object of a class."""
    name, (_, prelude) = form.payload.__name__, said_of(form.payload)
    given = inspect.signature(form.payload).bind(*args, **kwargs).arguments
    alike = [given[p] for p in prelude.same.get(name, ()) if p in given]
    if name in prelude.double:
        args, kwargs = [_cast(ctx, a, WIDE) for a in args], {p: _cast(ctx, a, WIDE) for p, a in kwargs.items()}
    of_class = isinstance(form.payload, type)
    try:
        found = apply(ctx, form, args, kwargs, node) if of_class else program(ctx, form.payload, args, node, kwargs)
    except Refused as refused:
        if is_form(_written_out_here(ctx)):
            raise
        ctx.refuse(node, *refused.args)
    if of_class:
        return found
    for value in destroyed(given):
        ctx.builder.call(SPOIL, value)
    if not alike or not all(map(_is_single, alike)):
        return found
    whole = name in prelude.complex or any(dtype_of(e.kind) == "complex64" for e in alike if isinstance(e, Value))
    return _cast(ctx, found, SINGLE, "complex64" if whole else "float32")


class Refused(Exception):
    """A form has come to a call of ``refuse``: what is refused, why, and what to write instead."""


def _refuse(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    raise Refused(*(arg.payload for arg in args if isinstance(arg, Const)))


TABLE = {refuse: _refuse}


SINGLE = {"float64": "float32", "complex128": "complex64"}
WIDE = {"float16": "float64", "float32": "float64", "complex64": "complex128"}


def widened(ctx: Lowering, value: Value) -> Value:
    """An array in half precision in single precision."""
    found = _cast(ctx, value, {"float16": "float32"}) if isinstance(value.kind, Array) else value
    assert isinstance(found, Value)
    return found


def _cast(ctx: Lowering, entity: Entity, dtypes: dict[str, str], otherwise: str | None = None) -> Entity:
    """Numbers and arrays of these dtypes in the others, also within tuples and lists; ``otherwise``: of unknown dtype."""
    if type(entity) is Struct:
        return replace(entity, items=[_cast(ctx, item, dtypes, otherwise) for item in entity.items])
    if not isinstance(entity, Value) or isinstance(entity, Const):
        return entity
    own = dtype_of(entity.kind)
    untold = otherwise if entity.kind == UNKNOWN or isinstance(entity.kind, Array) else None
    dtype = untold if own is None else dtypes.get(own)
    if dtype is None:
        return entity
    if isinstance(entity.kind, Scalar):
        return ctx.builder.call(f"numpy.{dtype}", entity)
    return ctx.builder.call("ndarray.astype", entity, Const(dtype))


def _is_single(entity: Entity) -> bool:
    return isinstance(entity, Value) and dtype_of(entity.kind) in ("float32", "complex64")


@cache
def _hints(function: Any) -> dict[str, Any]:
    return get_type_hints(function, include_extras=True)


def _may_vary(ctx: Lowering, entity: Entity) -> bool:
    """Possibility that an argument holds numbers that depend on those of the program."""
    if isinstance(entity, Struct):
        return any(_may_vary(ctx, item) for item in entity.items)
    if isinstance(entity, Record):
        return form_class(entity.cls)
    return isinstance(entity, Value) and is_differentiable(entity.kind) and not _is_constant(ctx, entity)


# What an annotation says of arguments: the form covers calls where it holds for one that is so annotated.
COVERS: dict[str, Callable[[Lowering, Entity], bool]] = {
    "varied": _may_vary,
    "form": lambda _, entity: isinstance(entity, Record) and form_class(entity.cls),
    "given": lambda _, entity: not (isinstance(entity, Const) and entity.payload is None),
    "true": lambda _, entity: isinstance(entity, Const) and entity.payload is True,
    "number": lambda _, entity: isinstance(entity, Value) and isinstance(entity.kind, Scalar),
    "several": lambda _, entity: _is_stack(entity, 0),
    "rows": lambda _, entity: _is_stack(entity, 1),
}


def _is_constant(ctx: Lowering, value: Value) -> bool:
    """Test for a value made of nothing but constants here, and not written."""
    if isinstance(value, LITERALS):
        return True
    calls = [op for op in ctx.builder.block.ops if isinstance(op, Call) and op.callee is None]
    made = next((op for op in calls if value in op.results), None)
    written = any(op.target == "operator.setitem" and op.args[0] is value for op in calls)
    return made is not None and not written and all(_is_constant(ctx, v) for v in made.operands())


def _allowed(hint: Any, entity: Any) -> bool:
    """Test for an argument that is one of the literal values of an annotation, where that has any."""
    known = isinstance(entity, Const | Static)
    return get_origin(hint) is not Literal or known and any(entity.payload is v or entity.payload == v for v in get_args(hint))


def _is_none(entity: Any) -> bool:
    """Test for None, which what must be given must not be."""
    return isinstance(entity, Const | Static) and entity.payload is None
