"""The options that all ufuncs share, and those that say that nothing is given, as functions of arrays take them.

np.sin(x, dtype=np.float64)           np.sin(x.astype(np.float64))
np.sum(x, initial=np._NoValue)        np.sum(x)
np.dot(a, b, c)                       np.dot(a, b, out=c)
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np
from numpy import _NoValue

from s2sad.frontend.entities import Entity, Static
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, List, Scalar, Tuple, dtype_of, rank_of
from s2sad.ir.nodes import Const, Value
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
