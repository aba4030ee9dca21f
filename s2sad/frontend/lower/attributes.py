"""``owner.attr`` of modules, objects, arrays and numbers."""

from __future__ import annotations

import collections
import inspect
import math
import queue

import gast
import numpy as np

from s2sad.errors import meant
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Asked,
    Bounded,
    Choice,
    Entity,
    Method,
    Partial,
    Record,
    SourceFunction,
    Static,
    Struct,
    Super,
    Unexecuted,
)
from s2sad.frontend.lower import control, known_objects, objects, outside, raised, sets
from s2sad.frontend.lower.arithmetic import known_shape
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.selection import attribute_of_each
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import entity_of
from s2sad.ir.kinds import BOTTOM, NARROW, NONE, OBJECT, STR, Array, List, Scalar, StructKind, Tuple
from s2sad.ir.nodes import LITERALS, Const, Global, Value
from s2sad.rules import registry
from s2sad.rules.kind_rules import dtype_argument

# What arrays, numbers and dtypes have that is no method: it has a value of its own.
LIBRARY = (np.ndarray, np.generic, np.dtype, complex, memoryview)
DATA = {name for cls in LIBRARY for name in dir(cls) if inspect.isdatadescriptor(inspect.getattr_static(cls, name))}
# What the name of a dtype tells.
OF_DTYPE = ("type", "kind", "char", "name", "itemsize")
# What classes say of themselves that is text.
OF_CLASSES = ("__name__", "__qualname__", "__module__")
# What all exceptions have.
OF_EXCEPTIONS = frozenset(dir(BaseException))
# What numbers and arrays have.
NUMERIC = {name for cls in (np.ndarray, np.generic, float, complex) for name in dir(cls)}


def attribute(ctx: Lowering, node: gast.Attribute) -> Entity:
    if node.attr in sets.ASKING:
        sets.looked_at(ctx, node.value)
    return attribute_of(ctx, lower(ctx, node.value), ctx.frame.private(node.attr), node)


def attribute_of(ctx: Lowering, owner: Entity, attr: str, node: gast.AST) -> Entity:
    """``owner.attr``."""
    absence = f"'NoneType' object has no attribute {attr!r}"
    owner = control.present(ctx, owner, absence, node, AttributeError)
    if isinstance(owner, Bounded) and attr == "maxlen":
        return owner.limit
    if isinstance(owner, Choice) and owner in ctx.displays:
        return Method(owner, attr)
    if isinstance(owner, Choice):
        return attribute_of_each(ctx, owner, attr, lambda one: attribute_of(ctx, one, attr, node), node)
    if isinstance(owner, Static) and attr == "T" and objects.find(type(owner.payload), "T") is not None:  # of a sparse matrix
        return ctx.builder.call("ndarray.T", ctx.value(owner, node))
    if isinstance(owner, Static | Value) and (known := known_objects.attribute(ctx, owner, attr, node)) is not None:
        return known
    if isinstance(owner, Static):
        state = outside.attribute_of_class(ctx, owner.payload, attr)
        if state is not None:
            return state
        try:
            found = ctx.frame.scope.member(owner.payload, attr)
        except AttributeError as error:
            instead = meant(attr, observe.public(owner.payload), "an existing name")
            ctx.refuse(node, f"the attribute {attr!r}", str(error), instead)
        if ctx.program.keeping is not None:
            ctx.program.keeping.member(owner.payload, attr, found, ctx.frame.scope)
        path = f"{owner.path}.{attr}" if owner.path else ""
        return objects.from_outside(ctx, entity_of(found, path))
    if isinstance(owner, Super):
        return objects.inherited(ctx, owner, attr, node)
    if isinstance(owner, Unexecuted):
        bound: Entity | None = owner.scope.checked(attr) and owner.scope.resolve(attr)
        if bound is None:
            ctx.refuse(node, f"the name {attr!r}", f"{owner.scope.file} does not define it", "an existing name")
        return bound
    if isinstance(owner, SourceFunction):
        ctx.refuse(node, f"the attribute {attr!r} of a function", "its file is not executed", "a name of the module")
    if isinstance(owner, Partial) and attr == "T" and isinstance(owner.function, Static):
        if isinstance(owner.function.payload, Asked) and owner.function.payload.name == "push":
            return owner.args[1]  # the pullback of what ``linearize`` made
    if isinstance(owner, Record | Struct):
        _check_exists(ctx, owner, attr, node)
        return objects.attribute(ctx, owner, attr, node)
    if isinstance(owner, Value):
        if owner.kind == BOTTOM:  # an item of an empty list: nobody gets here
            return owner
        if owner.kind == NONE:
            absent = AttributeError(f"'NoneType' object has no attribute {attr!r}")
            ctx.fail(node, absent, f"the attribute {attr!r} of None", "a test for None before it is used")
        if isinstance(owner.kind, Tuple) and attr in owner.kind.names:
            return ctx.builder.call("operator.getitem", owner, Const(owner.kind.names.index(attr)))
        if registry.lookup(f"ndarray.{attr}") is not None and not isinstance(owner.kind, List | StructKind):
            if registry.all_primitives()[f"ndarray.{attr}"].spelling == "attribute":
                check_of_number(ctx, owner, attr, node)
                found = scalar_attribute(ctx, owner, attr) or ctx.builder.call(f"ndarray.{attr}", owner)
                if attr == "flat":
                    ctx.flats[found] = owner
                return found
        plain = isinstance(owner.kind, Array | Scalar | List) or owner.kind == STR
        if isinstance(owner, Global) and owner.resolved and not plain:
            value = observe.attribute(owner.payload, attr)
            if value is not observe.ABSENT:
                return entity_of(value, f"{owner.path}.{attr}")
    if isinstance(owner, Value) and attr in OF_CLASSES and (made := ctx.builder.maker(owner)) and made.target == "builtins.type":
        return ctx.builder.call("s2sad.runtime.name_of_class", owner, Const(attr))
    if isinstance(owner, Value) and owner in ctx.failures and attr == "__class__":
        return ctx.builder.call("builtins.type", owner)
    if isinstance(owner, Value) and owner in ctx.failures and (attr == "args" or attr not in OF_EXCEPTIONS):
        return raised.field(ctx, owner, attr, node)
    if isinstance(owner, Value) and owner.kind == OBJECT and (attr == "args" or owner in ctx.failures):
        ctx.refuse(
            node, f"the attribute {attr!r} of an exception",
            "what was raised is known only when the program runs, and may be a number",
            "what it is to tell bound to a name before it is raised",
        )  # fmt: skip
    if isinstance(owner, Value) and isinstance(owner.kind, Array | Scalar) and attr in DATA - NUMERIC:
        absent = AttributeError(f"numbers and arrays have no attribute {attr!r}")
        ctx.fail(node, absent, f"the attribute {attr!r} of a number or an array", f"x.dtype.{attr}")
    told = dtype_argument(owner) if isinstance(owner, Value) and str(owner.kind).startswith("dtype ") else None
    if told is not None and attr in OF_DTYPE:
        found = getattr(np.dtype(told), attr)
        return Static(found, f"numpy.{found.__name__}") if attr == "type" else Const(found)
    if attr == "device" and isinstance(owner, Value) and isinstance(owner.kind, Array):
        return Const(np.empty(0).device)  # of every array of NumPy
    structured = isinstance(owner, Value) and (owner.kind.container or owner.kind == STR)
    if isinstance(owner, Method) or (attr in DATA and not structured):
        ctx.refuse(
            node, f"the attribute {attr!r} here",
            "what it is, how an array lies in memory for instance, is known only when the program runs", "pass it as an argument",
        )  # fmt: skip
    _check_exists(ctx, owner, attr, node)
    return Method(owner, attr)


# What lists of a program, and dicts, may be in Python.
CONTAINERS = (
    list, tuple, set, frozenset, collections.deque, dict, collections.OrderedDict, collections.defaultdict, collections.Counter,
    queue.Queue, queue.SimpleQueue,
)  # fmt: skip


def _check_exists(ctx: Lowering, owner: Entity, attr: str, node: gast.AST) -> None:
    """Python's exception for the name of an attribute that nothing of this class has, be it read or not."""
    classes = _classes(owner)
    if classes and not any(hasattr(cls, attr) for cls in classes):
        name = owner.kind if isinstance(owner, Record | Struct) else classes[0].__name__
        absent = AttributeError(f"{name!r} object has no attribute {attr!r}")
        instead = meant(attr, dir(classes[0]), "an existing name")
        ctx.fail(node, absent, f"the attribute {attr!r}", instead)


def _classes(owner: Entity) -> tuple[type, ...]:
    """The classes of which something may be; none where nothing tells."""
    if isinstance(owner, Record | Struct):
        plain = owner.cls is None and owner.kind in ("list", "tuple", "dict") and not (isinstance(owner, Struct) and owner.keys)
        return CONTAINERS if plain else ()
    if not isinstance(owner, Value):
        return ()
    if isinstance(owner.kind, Scalar):
        types = owner.kind.types or ()
        return tuple(type(np.zeros((), dtype).item()) if weak else np.dtype(dtype).type for dtype, weak in types)
    known = ((Array, (np.ndarray,)), (List, CONTAINERS))
    return (str,) if owner.kind == STR else next((classes for kind, classes in known if isinstance(owner.kind, kind)), ())


def check_of_number(ctx: Lowering, owner: Value, attr: str, node: gast.AST) -> None:
    """Fail as a number of Python's own does, which has no attributes of arrays."""
    types = owner.kind.types or () if isinstance(owner.kind, Scalar) else ()
    numbers = [np.zeros((), dtype).item() for dtype, weak in types if weak]
    if len(numbers) == len(types) == 1 and not hasattr(numbers[0], attr):
        absent = AttributeError(f"{type(numbers[0]).__name__!r} object has no attribute {attr!r}")
        ctx.fail(node, absent, f"the attribute {attr!r} of a number", f"np.asarray(x).{attr}")


def scalar_attribute(ctx: Lowering, owner: Value, attr: str) -> Value | None:
    """Attributes of numbers, and numbers of items, that need no operation."""
    if isinstance(owner.kind, Scalar):
        if attr in ("real", "imag") and not isinstance(owner, LITERALS) and ("float64", True) in (owner.kind.types or ()):
            ctx.builder.call("s2sad.runtime.assert_real", Const(f"x.{attr}"), owner)  # a power may have made it complex
        if attr in ("T", "real") and owner.kind.is_of("biuf"):
            return owner
        if attr == "imag" and owner.kind.is_of("biuf") and not any(dtype in NARROW for dtype, _ in owner.kind.types or ()):
            return Const(0.0)
        if attr == "ndim":
            return Const(0)
    shape = known_shape(owner) if attr == "size" else None
    if shape is not None:
        return Const(math.prod(n.payload for n in shape))
    if isinstance(owner.kind, Array) and attr == "ndim" and owner.kind.rank is not None:
        return Const(owner.kind.rank)
    return None
