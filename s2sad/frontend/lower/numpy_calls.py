"""NumPy's functions that give several results, the options that all ufuncs share, and methods of ufuncs.

q, r = np.divmod(x, y)                q = np.floor_divide(x, y); r = np.remainder(x, y)
np.gradient(f)    (two axes)          np.gradient(f, axis=0), np.gradient(f, axis=1)
np.subtract.outer(x, y)               np.subtract(x[:, None], y)
np.multiply.at(a, index, b)           for k in range(len(index)): a[index[k]] = np.multiply(a[index[k]], b[k])
np.hypot.reduce(a)                    total = a[0]; for k in range(1, len(a)): total = np.hypot(total, a[k])
np.sin(x, dtype=np.float64)           np.sin(x.astype(np.float64))
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np
from numpy import _NoValue

from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.frontend.lower import control, subscripts, transformation_programs, ufunc_programs
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.numpy_forms import TABLE, Handler, array, written_out
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE, STR, Array, List, Scalar, Slice, Tuple, dtype_of, is_differentiable, rank_of
from s2sad.ir.nodes import Const, Global, Value
from s2sad.rules import registry
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import dtype_argument


def given(function: Any, args: list[Entity], kwargs: dict[str, Entity]) -> tuple[list[Entity], dict[str, Entity]]:
    """The arguments of a call without those that say that they are not given (``initial=np._NoValue``)."""
    if _is_left_out(kwargs.values()):
        kwargs = {name: value for name, value in kwargs.items() if not _is_left_out([value])}
    if not _is_left_out(args):
        return args, kwargs
    count = next(k for k, value in enumerate(args) if _is_left_out([value]))
    names = list(inspect.signature(function).parameters)[count : len(args)]
    later = {name: value for name, value in zip(names, args[count:], strict=False) if not _is_left_out([value])}
    return args[:count], later | kwargs


def _is_left_out(values: Iterable[Entity]) -> bool:
    """Test for NumPy's word for an argument that is not given among some."""
    return any(isinstance(value, Static) and value.payload is _NoValue for value in values)


# --- several results


def _whole(ctx: Lowering, value: Value) -> Value:
    """A list or tuple as the array that NumPy makes of it."""
    return ctx.builder.call("numpy.asarray", value) if isinstance(value.kind, List | Tuple) else value


def _in_two(first: str, second: str, count: int = 1) -> Handler:
    """A function of so many arguments whose two results are functions of their own."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if kwargs or len(args) > count:  # places for the results
            ctx.refuse(
                node, "options of a function with two results", "they are not known", "a call without options"
            )
        values = [_whole(ctx, ctx.value(a, node, "an argument")) for a in args]
        return Struct([ctx.builder.call(name, *values) for name in (first, second)])

    return handler


def _is(value: Value, payload: Any) -> bool:
    return isinstance(value, Const) and value.payload is payload


def _gradient(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """A call for each axis; along one axis the call as it stands, unless the places of the items may vary."""
    values = [ctx.value(a, node, "an argument") for a in args]
    axis = _axes(kwargs.get("axis", Const(None)))
    named = {k: ctx.value(v, node, "an argument") for k, v in kwargs.items() if k != "axis"}
    samples, *spacing = values
    rank = rank_of(array_kind(samples.kind))
    if not isinstance(axis, Const) or not isinstance(axis.payload, int | tuple | None):
        ctx.refuse(
            node,
            "np.gradient along a computed axis",
            "how many results it has is not known",
            "a literal axis",
        )
    if isinstance(axis.payload, int) or (axis.payload is None and rank == 1):
        along = axis.payload if isinstance(axis.payload, int) else 0
        return _gradient_at(ctx, samples, spacing[0], along, named, node) if spacing and _varies(spacing[0]) else None
    if axis.payload is None and rank is None:
        ctx.ask_for_kind(
            node,
            "how many axes np.gradient differentiates along is not known",
            "each has a result of its own",
        )
    axes = tuple(range(rank or 0)) if axis.payload is None else tuple(axis.payload)
    if len(spacing) not in (0, 1, len(axes)):
        ctx.refuse(
            node,
            "this spacing of np.gradient",
            f"there are {len(spacing)} for {len(axes)} axes",
            "one for each axis",
        )
    steps = spacing * len(axes) if len(spacing) == 1 else spacing
    results: list[Entity] = [
        _gradient_at(ctx, samples, steps[k], a, named, node)
        if steps and _varies(steps[k])
        else ctx.builder.call("numpy.gradient", samples, *steps[k : k + 1], axis=Const(a), **named)
        for k, a in enumerate(axes)
    ]
    return Struct(results) if len(results) != 1 else results[0]


def _axes(axis: Entity) -> Entity:
    """Axes that are listed, as a tuple."""
    if isinstance(axis, Struct) and all(isinstance(item, Const) for item in axis.items):
        return Const(tuple(item.payload for item in axis.items if isinstance(item, Const)))
    return axis


def _varies(spacing: Value) -> bool:
    """Test for a spacing that is a vector of places which are no constants."""
    return rank_of(array_kind(spacing.kind)) == 1 and not isinstance(spacing, Const | Global)


def _gradient_at(ctx: Lowering, samples: Value, places: Value, axis: int, named: dict[str, Value], node: Any) -> Entity:
    """The gradient as a program of the samples and their places, in the dtype of the samples."""
    order = named.get("edge_order", Const(1))
    found = apply(ctx, Static(transformation_programs.gradient_at), [samples, places, Const(axis), order], {}, node)
    dtype = dtype_of(samples.kind)
    floating = dtype is not None and dtype.startswith(("float", "complex"))
    return ctx.builder.call("ndarray.astype", ctx.value(found, node), Const(dtype)) if floating else found


@written_out(np.sign)
def _sign(ctx: Lowering, node: Any, x: Entity, /, *rest: Entity, **options: Entity) -> Entity | None:
    """Of complex numbers a direction, which turns; of real ones a step."""
    value = array(ctx, node, x)
    if not (dtype_of(value.kind) or "complex").startswith("complex"):
        return None
    if rest or options:
        ctx.refuse(node, "np.sign of complex numbers with options", "they are not written out", "z / np.abs(z)")
    return ctx.builder.call("s2sad.runtime.direction", value)


def _told(name: str) -> Handler:
    """``np.ndim(x)`` and its like, where the answer is known before the program runs: tests fall away then."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if len(args) != 1 or kwargs or not isinstance(args[0], Value | Struct):
            return None
        if isinstance(args[0], Struct):
            with control.scratch(ctx):
                rank = rank_of(array_kind(ctx.value(args[0], node).kind))
            return Const(rank) if name == "ndim" and rank is not None else None
        kind = args[0].kind
        if name == "iscomplexobj":
            dtype = dtype_of(array_kind(kind))
            return None if dtype is None else Const(dtype.startswith("complex"))
        if isinstance(kind, Scalar):
            of_numbers: dict[str, Entity] = {"ndim": Const(0), "shape": Struct([]), "size": Const(1)}
            return of_numbers[name]
        return Const(kind.rank) if name == "ndim" and isinstance(kind, Array) and kind.rank is not None else None

    return handler


def _is_one(of_number: bool) -> Handler:
    """``np.isscalar(x)``, or, where numbers have the other answer, ``np.iterable(x)``: known of numbers, arrays, lists, text and
    None."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if len(args) != 1 or kwargs:
            return None
        kind = ctx.kind(args[0])
        if isinstance(args[0], Struct) and args[0].kind in ("list", "tuple"):
            return Const(not of_number)
        if kind == STR:
            return Const(True)
        if kind == NONE:
            return Const(False)
        if isinstance(kind, Scalar):
            return Const(of_number)
        if isinstance(kind, Array) and (of_number or kind.rank is not None):
            return Const(not of_number and bool(kind.rank))
        return Const(not of_number) if isinstance(kind, List | Tuple) else None

    return handler


TABLE.update(
    {
        np.isscalar: _is_one(of_number=True),
        np.iterable: _is_one(of_number=False),
        np.iscomplexobj: _told("iscomplexobj"),
        np.ndim: _told("ndim"),
        np.shape: _told("shape"),
        np.size: _told("size"),
        np.divmod: _in_two("numpy.floor_divide", "numpy.remainder", 2),
        np.modf: _in_two("s2sad.runtime.fraction", "s2sad.runtime.whole_part"),
        np.frexp: _in_two("s2sad.runtime.mantissa", "s2sad.runtime.exponent"),
        np.gradient: _gradient,
    }
)


# --- outer


def outer_of(payload: Any) -> str | None:
    """The name of the ufunc of which this is the method ``outer``, if it has a rule."""
    return _ufunc_with(payload, "outer")


def _ufunc_with(payload: Any, method: str) -> str | None:
    """The name of the ufunc of which this is the method of that name."""
    owner = getattr(payload, "__self__", None)
    own = isinstance(payload, types.BuiltinMethodType) and isinstance(owner, np.ufunc)
    return registry.name_of(owner) if own and payload.__name__ == method else None


def outer_arguments(ctx: Lowering, args: list[Entity], node: gast.AST) -> list[Entity]:
    """The arguments of the ufunc itself: the first with a new axis at its end for each axis of the second."""
    if len(args) != 2:
        ctx.refuse(node, "this call of outer", "it takes two arrays", "two arguments")
    first, second = (ctx.value(a, node, "an argument") for a in args)
    rank, own = rank_of(array_kind(second.kind)), rank_of(array_kind(first.kind))
    if rank is None:
        ctx.ask_for_kind(
            node,
            "how many axes this outer product has is not known",
            "the second array's are put behind the first's",
        )
    if rank == 0 or own == 0:
        return [first, second]
    if not isinstance(first.kind, Array):
        first = ctx.builder.call("numpy.asarray", first)
    lead = (...,) if own is None else (slice(None),) * own
    return [ctx.builder.call("operator.getitem", first, Const((*lead, *(None,) * rank))), second]


# --- at

ADDED = {"numpy.add", "numpy.subtract"}  # stores of their own


def in_turn_of(payload: Any) -> str | None:
    """The name of the ufunc of which this is the method ``at``, if it is written out."""
    name = _ufunc_with(payload, "at")
    return name if name is not None and name not in ADDED and payload.__self__.nout == 1 and payload.__self__.nin < 3 else None


def in_turn(ctx: Lowering, ufunc: str, args: list[Entity], node: gast.AST) -> Entity:
    """A loop over the index, in which a place that is named twice is changed twice; one store where none can be."""
    function = registry.find_object(ufunc)
    if len(args) != function.nin + 1:
        need = "an array, an index and values" if function.nin == 2 else "an array and an index"
        ctx.refuse(node, f"this call of {ufunc}.at", f"it takes {need}", "arguments by position")
    target = subscripts.writable(ctx, args[0], node)
    several = isinstance(args[1], Struct) and args[1].kind == "tuple"
    given = args[1].items if isinstance(args[1], Struct) and several else [args[1]]
    values = ctx.value(args[2], node, "an argument") if function.nin == 2 else None

    def changed(place: Value, value: Value | None) -> None:
        old = ctx.builder.call("operator.getitem", target, place)
        new = ctx.builder.call(ufunc, old) if value is None else ctx.builder.call(ufunc, old, value)
        ctx.builder.call("operator.setitem", target, place, new)

    if all(isinstance(entity, Value) and _names_items_once(entity) for entity in given):
        changed(ctx.value(args[1], node, "an index"), values)
        return Const(None)
    axes = [_places(ctx, entity, node) for entity in given]
    whole = all(np.dtype(dtype_of(v.kind) or "O").kind in "iu" and rank_of(v.kind) == 1 for v in axes)
    if rank_of(target.kind) != len(axes) or not whole:
        ctx.refuse(
            node, f"this call of {ufunc}.at", "a vector of integers is expected for each axis of the array",
            "a loop over the places",
        )  # fmt: skip
    # NumPy copies what shares memory with the array before it begins to write.
    axes = [ctx.builder.call("numpy.copy", axis) for axis in axes]
    if values is not None:
        if not isinstance(values.kind, Scalar):
            values = ctx.builder.call("numpy.copy", values)
        values = ctx.builder.call("numpy.broadcast_to", values, ctx.builder.call("numpy.shape", axes[0]))

    def body(k: Value) -> None:
        places = [ctx.builder.call("operator.getitem", axis, k) for axis in axes]
        place = ctx.builder.call("builtins.tuple", *places) if several else places[0]
        changed(place, None if values is None else ctx.builder.call("operator.getitem", values, k))

    control.counted_loop(ctx, ctx.builder.call("builtins.len", axes[0]), body, node)
    return Const(None)


def _names_items_once(part: Value) -> bool:
    """Test for a part of an index that is a slice, a mask, an ellipsis or one place."""
    if isinstance(part, Const):
        return part.payload is ... or isinstance(part.payload, slice | int)
    whole = isinstance(part.kind, Scalar) and part.kind.is_of("iu")
    return whole or isinstance(part.kind, Slice) or dtype_of(part.kind) == "bool"


def _places(ctx: Lowering, entity: Entity, node: gast.AST) -> Value:
    """The places along one axis, as an array."""
    value = ctx.value(entity, node, "an argument")
    return value if isinstance(value.kind, Array) else ctx.builder.call("numpy.asarray", value)


# --- reduce, accumulate, reduceat

OUT_OF_ORDER = {"numpy.power", "numpy.arctan2"}  # power.reduce([1.3, 0.7, 2.1, 1.7, 0.9]) is 1.27 on some processors, and 1.80


def one_by_one(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity | None:
    """Such a method of a ufunc without a rule of its own, item by item; None of other calls, and of what cannot vary."""
    payload = function.payload
    program = ufunc_programs.TABLE.get(getattr(payload, "__name__", ""))
    name = None if program is None else _ufunc_with(payload, payload.__name__)
    if program is None or name is None or registry.name_of(payload) is not None:
        return None
    try:
        bound = inspect.signature(program).bind(Static(payload.__self__, name), *args, **kwargs)
    except TypeError:
        return None
    value = ctx.value(args[0], node, "an argument") if args else Const(None)
    if not is_differentiable(array_kind(value.kind)):
        return None
    if name in OUT_OF_ORDER and program is not ufunc_programs.accumulate:
        what, why = f"{name}.{program.__name__}", "what NumPy gives depends on the processor: it takes several items at once"
        ctx.refuse(node, what, why, f"functools.reduce({name.replace('numpy', 'np')}, x)")
    return apply(ctx, Static(program, program.__name__), [*bound.args[:1], value, *bound.args[2:]], bound.kwargs, node)


# --- options


@functools.cache
def takes(target: str, option: str) -> bool:
    """Test for a function of a library that has an option, as its signature says, or the first lines of its documentation."""
    scope, _, name = target.rpartition(".")
    function = getattr(np.ndarray, name, None) if scope == "ndarray" else registry.find_object(target)
    if function is None or isinstance(function, np.ufunc):
        return True
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # compiled
        return _tells_of(function, option)
    if any(p.name == option for p in found):
        return True
    return any(p.kind is p.VAR_KEYWORD for p in found) and (scope != "ndarray" or _tells_of(function, option))


def _tells_of(function: Any, option: str) -> bool:
    """Test for a function whose documentation begins with a call that has an option, or any others."""
    text = (function.__doc__ or option).strip().partition("\n\n")[0]
    return re.search(rf"\b{option}\b|\*\*", text) is not None


def named_as_in_numpy(target: str, values: list[Value]) -> tuple[list[Value], dict[str, Value]]:
    """``np.dot(a, b, c)`` as ``np.dot(a, b, out=c)``: what stands where a rule has no more positions gets the name that it has in
    NumPy's own signature, and is left out where it is None. What has no signature, or too short a one, stays as it is."""
    found, (scope, _, name) = registry.lookup(target), target.rpartition(".")
    if found is None or scope not in ("numpy", "ndarray") or any(p.startswith("*") for p, _, _ in found.parameters):
        return values, {}
    places = sum(p not in found.keyword_only for p, _, _ in found.parameters)
    names = _positions(getattr(np if scope == "numpy" else np.ndarray, name, None)) if len(values) > places else []
    if not places < len(values) <= len(names):
        return values, {}
    further = dict(zip(names[places:], values[places:], strict=False))
    return values[:places], {p: v for p, v in further.items() if not (isinstance(v, Const) and v.payload is None)}


def _positions(function: Any) -> list[str]:
    """The names of the parameters that may be given by position, of a function that is no ufunc."""
    if not callable(function) or isinstance(function, np.ufunc):
        return []
    try:
        found = inspect.signature(function).parameters
    except ValueError:  # compiled, in older versions of NumPy
        return []
    return [p for p, how in found.items() if how.kind in (how.POSITIONAL_ONLY, how.POSITIONAL_OR_KEYWORD)]


def drop_options(ctx: Lowering, target: str, named: dict[str, Value], node: gast.AST) -> str:
    """Take out the options of a ufunc that change no values: subclasses, and how strictly types are checked, which is given."""
    if not takes_ufunc_options(target):
        return "same_kind"
    for option in ("casting", "subok"):
        value = named.get(option)
        if value is not None and not isinstance(value, Const):
            ctx.refuse(node, f"a computed {option}=", "what the call does would depend on it", "a literal")
    named.pop("subok", None)
    order = named.pop("order", Const("K"))
    if not (isinstance(order, Const) and order.payload == "K"):
        ctx.refuse(
            node,
            "order=",
            "where items lie in memory decides which reshapes copy",
            "a call without order=, or np.copy",
        )
    casting = named.pop("casting", Const("same_kind"))
    return casting.payload if isinstance(casting, Const) else ""


def check_types(
    ctx: Lowering, target: str, values: list[Value], out: Value | None, dtype: Value | None, casting: str, node: gast.AST
) -> None:
    """Ask NumPy whether a ufunc has such a loop for operands of types that are known, and may put its result there."""
    function = registry.find_object(target)
    if not isinstance(function, np.ufunc) or function.nout != 1 or len(values) != function.nin:
        return
    if out is None and dtype is None and casting == "same_kind":
        return
    given, own = [_type(value) for value in values], None if out is None else dtype_of(out.kind)
    wanted = None if dtype is None else dtype_argument(dtype)
    if any(one is None for one in given) or (out is not None and own is None) or (dtype is not None and wanted is None):
        return
    types = (*given, None if own is None else np.dtype(own))
    loop = {} if wanted is None else {"signature": (*[None] * function.nin, np.dtype(wanted))}
    loops: Any = function.resolve_dtypes

    def resolve() -> None:
        try:
            loops(types, casting=casting, **loop)
        except TypeError as error:  # perhaps one of NumPy's own
            raise TypeError(str(error)) from None

    ctx.known(node, resolve, f"this call of {target}", "astype, for operands or results of other types")


def _type(value: Value) -> Any:
    """The type of an operand as ``ufunc.resolve_dtypes`` asks for it; None if it is not known."""
    dtype = dtype_of(array_kind(value.kind)) if isinstance(value.kind, List | Tuple) else dtype_of(value.kind)
    if dtype is None or _is_weak(value) and dtype != "bool":
        return {"int64": int, "float64": float, "complex128": complex}.get(dtype or "")
    return np.dtype(dtype)


def check_out(ctx: Lowering, target: str, result: Value, out: Value, node: gast.AST) -> None:
    """Refuse an ``out=`` into which NumPy does not put such a result: it would, item by item."""
    if isinstance(out.kind, List | Tuple | Scalar):
        ctx.fail(node, TypeError("return arrays must be of ArrayType"), f"out= of {target}", "an array, or a tuple of one")
    if not isinstance(out.kind, Array) or isinstance(registry.find_object(target), np.ufunc):
        return
    rank, there = rank_of(result.kind), out.kind.rank
    made, own = dtype_of(result.kind), out.kind.dtype
    if rank is not None and there is not None and rank != there:
        ctx.fail(node, ValueError(f"out= has {there} axes, and the result {rank}"), f"this out= of {target}", "one of its shape")
    exact = target in ("numpy.dot", "ndarray.dot")
    kept = target.rpartition(".")[2] in ("clip", "round", "around", "concatenate", "stack")
    if made is None or own is None or not (exact and made != own or kept and not np.can_cast(made, own, "same_kind")):
        return
    error = ValueError if exact else TypeError
    ctx.fail(node, error(f"out= is of {own}, and the result of {made}"), f"this out= of {target}", "one of its dtype")


def takes_ufunc_options(target: str) -> bool:
    """Test for a function that has the options of ufuncs."""
    return isinstance(registry.find_object(target), np.ufunc) or target == "numpy.clip"


def masked_operands(
    ctx: Lowering, target: str, values: list[Value], where: Value, node: gast.AST
) -> list[Value]:
    """The operands with a number that is in the domain of the function where ``where`` is false."""
    if not isinstance(registry.find_object(target), np.ufunc):
        ctx.refuse(node, f"where= of {target}", "no rule is written for it", "np.where around the argument")
    inside = (
        2.0 if target.endswith(("arccosh", "acosh")) else 0.5
    )  # 0.5 is in all other domains, and at no corner
    found = []
    for value in values:
        whole = np.dtype(dtype_of(array_kind(value.kind)) or "float64").kind in "biu"
        found.append(ctx.builder.call("numpy.where", where, value, Const(1 if whole else inside)))
    return found


def computed(
    ctx: Lowering,
    target: str,
    values: list[Value],
    named: dict[str, Value],
    dtype: Value | None,
    casting: str,
    node: gast.AST,
) -> Value:
    """The call, computed in the precision ``dtype`` where one is given, with a result of this dtype."""
    if dtype is None:
        return ctx.builder.call(target, *values, **named)
    cast = cast_operands(ctx, target, values, dtype, casting, node)
    result = ctx.builder.call(target, *(cast or values), **named)
    if cast is not None and dtype_of(result.kind) == dtype_argument(dtype) is not None:
        return result
    return ctx.builder.call("ndarray.astype", result, dtype)


def cast_operands(
    ctx: Lowering, target: str, values: list[Value], dtype: Value, casting: str, node: gast.AST
) -> list[Value] | None:
    """The operands in the precision ``dtype`` in which the call computes; None where the result is to be cast instead."""
    function = registry.find_object(target)
    if isinstance(function, np.ufunc) and not any(
        len(set(loop.replace("->", ""))) == 1 for loop in function.types
    ):
        return None
    reduces = not isinstance(function, np.ufunc)
    own = values[:1] if reduces else values
    if not all(isinstance(v.kind, Scalar | Array) for v in own) or all(_is_weak(v) for v in own):
        return None
    if any((dtype_of(v.kind) or "").startswith("complex") for v in own) and target.endswith(
        ("absolute", "abs")
    ):
        ctx.refuse(
            node,
            "dtype= of a function that is real of complex numbers",
            "what it casts is not clear",
            "astype",
        )
    cast = [v if _is_weak(v) else _cast(ctx, v, dtype, "unsafe" if reduces else casting) for v in own]
    return cast + values[1:] if reduces else cast


def _cast(ctx: Lowering, value: Value, dtype: Value, casting: str) -> Value:
    """An operand in the type in which a call computes; where nothing is known of its own, NumPy checks the cast."""
    options = {} if casting == "unsafe" or dtype_of(value.kind) is not None else {"casting": Const(casting)}
    return ctx.builder.call("ndarray.astype", value, dtype, **options)


def _is_weak(value: Value) -> bool:
    return isinstance(value.kind, Scalar) and value.kind.weak
