"""Making objects: classes, dataclasses and named tuples called, ``replace``, ``asdict``, and the builtins on objects.

``Point(x, y)`` makes a record and runs ``__init__``; a dataclass, whose ``__init__`` has no source, is filled from its
fields; a named tuple is an aggregate. The handlers get the entities of the arguments.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sad.frontend import observe
from s2sad.frontend.entities import CONTENTS, Closure, Entity, Record, Static, Struct, Super
from s2sad.frontend.lower import bound, built_on, control, maps
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.assignment import unpacked
from s2sad.frontend.lower.attributes import attribute_of
from s2sad.frontend.lower.builtin_calls import class_of
from s2sad.frontend.lower.copying import deep_copy, has_attribute
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.maybe import is_maybe
from s2sad.frontend.lower.objects import (
    PLAIN,
    attribute,
    call_function,
    call_method,
    call_of_base,
    check_there,
    field,
    fields_of,
    find,
    has_source,
    is_data_descriptor,
    is_object,
    nothing,
    put,
    set_attribute,
)
from s2sad.frontend.lower.signatures import spread_out
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import LiveScope
from s2sad.ir.kinds import UNSURE, Array, Kind, List, Scalar, StructKind, Tuple
from s2sad.ir.nodes import Const, Global, Value
from s2sad.rules.preludes import stands_for

Handler = Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]


def construct(
    ctx: Lowering, cls: type, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``cls(*args)``: a record whose fields ``__init__`` sets."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(ctx, cls, args, kwargs, node)
    maker = find(cls, "__new__")
    plain = maker is find(object, "__new__")
    written = isinstance(maker, staticmethod) and isinstance(maker.__func__, types.FunctionType)
    followed = (plain or written) and find(type(cls), "__call__") is find(type, "__call__")
    base = built_on.base_of(cls)
    plain = plain or base is not None and maker is find(base, "__new__")
    followed = followed or base is not None and find(type(cls), "__call__") is find(type, "__call__")
    if base is None and issubclass(cls, tuple | list | dict | BaseException) or not followed:
        why = "its class, or the class of that, has its own way to make objects, as those on top of built-in ones have"
        ctx.refuse(node, f"making a {cls.__name__}", why, "a plain class or a tuple")
    if plain:
        box = Record(cls.__name__, "object", cls)
        box = box if ctx.progress is None else ctx.progress.once(box)
        if base is not None:
            put(ctx, box, CONTENTS, built_on.made(ctx, cls, [], {}, node), node)
    else:
        made = call_function(ctx, maker.__func__, [Static(cls, cls.__name__), *args], kwargs, node)
        if not isinstance(made, Record) or made.cls is None or not observe.subclass(made.cls, cls):
            return made
        box, cls = made, made.cls
    initial = find(cls, "__init__")
    if dataclasses.is_dataclass(cls) and not has_source(initial):
        _fill(ctx, box, cls, args, kwargs, node)
    elif isinstance(initial, types.FunctionType):
        call_function(ctx, initial, [box, *args], kwargs, node)
    elif base is not None:
        call_method(ctx, box, "__init__", args, kwargs, node)
    elif plain and (args or kwargs):
        ctx.refuse(
            node,
            f"making a {cls.__name__}",
            "its __init__ has no source",
            "a class with an __init__ written in Python",
        )
    return box


def _named_tuple(
    ctx: Lowering, cls: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    if find(type(cls), "__call__") is not find(type, "__call__") or find(cls, "__new__") is not _made_by_namedtuple(cls):
        why = "its class has its own way to make objects"
        ctx.refuse(node, f"making a {cls.__name__}", why, "a plain named tuple")
    observe.named_tuple(cls)
    names: tuple[str, ...] = find(cls, "_fields")
    presets = {name: observe.default(find(cls, "__new__").__func__, name) for name in names}

    def preset(name: str) -> Entity:
        return _default(ctx, cls, name, presets[name], node)

    optional = {name for name in names if presets[name] is not observe.ABSENT}
    args = spread_out(ctx, cls.__name__, args, [name for name in names if name not in kwargs], optional, preset, node)
    given = dict(zip(names, args, strict=False))
    items: list[Entity] = []
    for name in names:
        if name in given or name in kwargs:
            items.append(given.get(name) or kwargs[name])
        elif name in optional:
            items.append(preset(name))
        else:
            ctx.refuse(node, f"making a {cls.__name__}", f"the field {name!r} is missing", "pass it")
    if len(args) > len(names) or set(kwargs) - set(names) or set(kwargs) & set(given):
        ctx.refuse(
            node, f"making a {cls.__name__}", f"it has the fields {', '.join(names)}", "each field once"
        )
    return Struct(items, "tuple", names, cls)


DEFAULTS = ("defaults", "rename")
MADE: dict[str, Any] = {}  # classes of programs, by how they are made: the same one each time that a program is lowered


def _new_named_tuple(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``namedtuple("Pair", "a b")`` within the program: a class like those of the module, if all that makes it is known."""
    known = {name: _plain(arg) for name, arg in [*zip(("typename", "field_names"), args, strict=False), *kwargs.items()]}
    named = {"typename", "field_names"} <= {*known} <= {"typename", "field_names", *DEFAULTS}
    if len(args) > 2 or not named or None in known.values():
        ctx.refuse(node, "this named tuple", "its name, its fields or their defaults are known only at run time",
                   "namedtuple(...) at module level")  # fmt: skip
    try:
        cls = MADE.setdefault(repr(known), collections.namedtuple(**known))
    except (TypeError, ValueError) as error:
        ctx.refuse(node, "this named tuple", str(error), "names that are valid")
    return Static(cls, cls.__name__)


def _plain(entity: Entity) -> Any:
    """The literal that is written, with tuples for lists; None for all else."""
    if isinstance(entity, Const) and isinstance(entity.payload, str | int | float | tuple):
        return entity.payload
    items = [_plain(item) for item in entity.items] if isinstance(entity, Struct) and not entity.keys else [None]
    return None if None in items else tuple(items)


def _made_by_namedtuple(cls: Any) -> Any:
    """The ``__new__`` that ``namedtuple`` wrote for a class, or for the one that it inherits from."""
    home = next((c for c in cls.__mro__ if c.__bases__ == (tuple,)), None)
    return find(home, "__new__")


def _fill(
    ctx: Lowering, box: Record, cls: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> None:
    """The work of the generated ``__init__`` of a dataclass."""
    named = dict(kwargs)
    positional = {f.name: f for f in _initial(cls) if f.name not in named}
    optional = {name for name, field in positional.items() if _has_default(field)}
    given = spread_out(
        ctx, cls.__name__, args, list(positional), optional, lambda name: _absent(ctx, cls, positional[name], node), node
    )
    passed: list[Entity] = []
    for item in find(cls, "__dataclass_fields__").values():
        only = item._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
        if item._field_type is dataclasses._FIELD_CLASSVAR:  # type: ignore[attr-defined]
            continue
        if item.init and given and not item.kw_only:
            entity = given.pop(0)
        elif item.init and item.name in named:
            entity = named.pop(item.name)
        elif _has_default(item):
            entity = _absent(ctx, cls, item, node)
        elif not item.init:
            continue
        else:
            ctx.refuse(node, f"making a {cls.__name__}", f"the field {item.name!r} is missing", "pass it")
        if only:
            passed.append(entity)
        else:
            put(ctx, box, item.name, entity, node)
    if given or named:
        ctx.refuse(
            node, f"making a {cls.__name__}", "it has no fields for all arguments", "one argument a field"
        )
    after = find(cls, "__post_init__")
    if after is not None:
        call_function(ctx, after, [box, *passed], {}, node)


def _initial(cls: Any) -> list[Any]:
    """The fields that the ``__init__`` of a dataclass takes by position."""
    table = find(cls, "__dataclass_fields__").values()
    return [f for f in table if f.init and not f.kw_only and f._field_type is not dataclasses._FIELD_CLASSVAR]  # type: ignore[attr-defined]


def _has_default(field: Any) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _absent(ctx: Lowering, cls: Any, field: Any, node: gast.AST) -> Entity:
    """A field of a dataclass that has a default and is not given."""
    initial = find(cls, "__init__")
    if field.default is not dataclasses.MISSING:
        preset = observe.default(initial, field.name) if field.init else find(cls, field.name)
        return _default(ctx, cls, field.name, preset, node)
    factory = observe.factory(initial, field.name)
    return apply(ctx, Static(factory, getattr(factory, "__name__", "")), [], {}, node)


def _default(ctx: Lowering, cls: type, name: str, value: Any, node: gast.AST) -> Entity:
    if isinstance(value, enum.Enum):
        return Static(value, f"{type(value).__name__}.{value.name}")
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | np.ufunc):
        return Static(value, value.__name__)
    if type(value) is tuple and not all(isinstance(v, PLAIN) for v in value):
        return Struct([_default(ctx, cls, name, item, node) for item in value])
    if not isinstance(value, PLAIN) and type(value) is not tuple:
        ctx.refuse(
            node,
            f"the default of {cls.__name__}.{name}",
            "all objects of the class share it",
            "pass the field",
        )
    return Const(value)


def _namespace(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``SimpleNamespace(w=x)``."""
    if args:
        return None
    box = Record("namespace", "object", types.SimpleNamespace)
    for name, entity in kwargs.items():
        put(ctx, box, name, entity, node)
    return box


# --- what dataclasses and named tuples offer


def _fields_of(ctx: Lowering, entity: Entity, node: gast.AST) -> dict[str, Entity]:
    """The fields of a dataclass or named tuple, in the order of their declaration."""
    cls: Any = getattr(entity, "cls", None)
    if not isinstance(entity, Record | Struct) or not is_object(entity):
        ctx.refuse(node, "this call", "it takes an object of the program", "a dataclass or named tuple")
    names = entity.keys if isinstance(entity, Struct) else [f.name for f in _declared(cls)]
    return {str(name): attribute(ctx, entity, str(name), node) for name in names}


def _declared(cls: type) -> list[Any]:
    """The fields of a dataclass, as it declares them."""
    table: dict[str, Any] = find(cls, "__dataclass_fields__") or {}
    return [f for f in table.values() if f._field_type is dataclasses._FIELD]  # type: ignore[attr-defined]


def _declared_fields(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``dataclasses.fields(x)``, of an object or of a class: what the class declares."""
    cls = args[0].payload if isinstance(args[0], Static) else getattr(args[0], "cls", None)
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        ctx.refuse(node, "dataclasses.fields of this", "it is no dataclass that is known", "an object of the program")
    return Struct([Static(f) for f in _declared(cls)])


def _replace(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``dataclasses.replace(x, w=...)``: a new object, whose ``__init__`` runs."""
    cls: Any = getattr(args[0], "cls", None)
    init = {f.name for f in _declared(cls) if f.init} if cls else set()
    given = {name: entity for name, entity in _fields_of(ctx, args[0], node).items() if name in init}
    return construct(ctx, cls, [], {**given, **kwargs}, node)


def _asdict(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``dataclasses.asdict(x)``."""
    return _contents(ctx, args, kwargs, node, functools.partial(_named, ctx, node))


def _astuple(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``dataclasses.astuple(x)``."""
    return _contents(ctx, args, kwargs, node, lambda found: Struct(list(found.values())))


def _named(ctx: Lowering, node: Any, found: dict[str, Entity]) -> Entity:
    box = Record("dict")
    for name, entity in found.items():
        put(ctx, box, name, entity, node)
    return box


def _may_hold_dataclasses(kind: Kind) -> bool:
    if isinstance(kind, List):
        return _may_hold_dataclasses(kind.item)
    if isinstance(kind, Tuple | StructKind) and (kind.cls is None or not dataclasses.is_dataclass(kind.cls)):
        return any(map(_may_hold_dataclasses, kind.items))
    return isinstance(kind, StructKind | Tuple)


def _contents(
    ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any, gathered: Callable[[dict[str, Entity]], Entity]
) -> Entity:
    """The fields of a dataclass, of those within it, too, as ``gathered`` puts them together; all else is a deep copy."""
    if len(args) != 1 or kwargs:
        ctx.refuse(node, "a factory here", "what it makes of the fields is not followed", "asdict(x), and then a call of it")

    def inner(entity: Entity) -> Entity:
        if isinstance(entity, Record) and entity.cls is not None and dataclasses.is_dataclass(entity.cls):
            return gathered({name: inner(part) for name, part in _fields_of(ctx, entity, node).items()})
        if isinstance(entity, Struct):
            return Struct([inner(item) for item in entity.items], entity.kind, entity.keys, entity.cls, entity.sort)
        if isinstance(entity, Record) and entity.kind == "dict":
            return _named(ctx, node, {key: inner(ctx.variables[(entity, key)]) for key in ctx.keys(entity, node)})
        if isinstance(entity, Value) and _may_hold_dataclasses(entity.kind):
            ctx.refuse(node, "a list of these in a dataclass here", "its items may be dataclasses", "a loop over it")
        return deep_copy(ctx, entity, node)

    return inner(args[0])


# --- builtins


def _super(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``super()``, by the class around the function and its first parameter; ``super(C, self)``."""
    if len(args) == 2 and isinstance(args[0], Static):
        return Super(args[1], args[0].payload)
    frame = ctx.frame
    home = frame.scope.resolve("__class__")
    parameters = [*frame.source.node.args.posonlyargs, *frame.source.node.args.args]
    if args or not isinstance(home, Static) or not parameters:
        ctx.refuse(node, "super() here", "the class around it is not known", "super() in a method")
    return Super(ctx.lookup(parameters[0].id, node), home.payload)


def _setattr(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    name = _text(args[1])
    if name is None:
        ctx.refuse(node, "setattr with a computed name", "which field it is, is not known", "a constant name")
    if isinstance(args[0], Static):  # object.__setattr__(self, ...) is setattr without the class's own way
        return None
    set_attribute(ctx, args[0], name, args[2], node)
    return Const(None)


def _bare_setattr(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``object.__setattr__(self, name, value)``, as frozen dataclasses do in ``__post_init__``."""
    if (
        not isinstance(args[0], Record)
        or not isinstance(args[1], Const)
        or is_data_descriptor(find(args[0].cls, args[1].payload))
    ):
        ctx.refuse(node, "object.__setattr__ here", "which field it is, is not known", "a constant name")
    put(ctx, args[0], args[1].payload, args[2], node)
    return Const(None)


KNOWN_NAMES = "a constant name, or a loop over a tuple of names"


def _getattr(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    name = _text(args[1])
    if name is None:
        ctx.refuse(node, "getattr with a computed name", "which field it is, is not known", KNOWN_NAMES)
    if len(args) > 2 and _is_asked(ctx, args[0], name):
        return call_function(ctx, attribute_or, [args[0], Const(name), args[2]], {}, node)
    there = _set_on_one_path(ctx, args[0], name)
    if len(args) > 2 and there is not None:
        return control.choose(ctx, there, lambda: attribute_of(ctx, args[0], name, node), lambda: args[2], node)
    if len(args) > 2 and (_is_alike(args[0], name, args[2]) or not _has(ctx, args[0], name)):
        return args[2]
    return attribute_of(ctx, args[0], name, node)


def _is_alike(owner: Entity, name: str, default: Entity) -> bool:
    """Test for a number that gives the default for an attribute: Python's has none, and NumPy's says the same."""
    number = isinstance(owner, Value) and isinstance(owner.kind, Scalar)
    if isinstance(default, Struct):
        return number and name == "shape" and default.kind == "tuple" and not default.items
    said = {"ndim": 0, "size": 1}.get(name) if number else None
    return said is not None and isinstance(default, Const) and observe.exact(default.payload) == observe.exact(said)


def _hasattr(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    name = _text(args[1])
    if name is None or not isinstance(args[0], Record | Struct | Static | Closure):
        return None
    if _is_asked(ctx, args[0], name):
        return call_function(ctx, has_attribute, [args[0], Const(name)], {}, node)
    there = _set_on_one_path(ctx, args[0], name)
    return Const(_has(ctx, args[0], name)) if there is None else there


def _is_asked(ctx: Lowering, owner: Entity, name: str) -> bool:
    """Test for an attribute of which a method of the class, a property or ``__getattr__``, says whether it is there."""
    if not isinstance(owner, Record | Struct) or not is_object(owner) or field(ctx, owner, name) is not None:
        return False
    found = find(owner.cls, name)
    return type(found) is property or found is None and isinstance(find(owner.cls, "__getattr__"), types.FunctionType)


def attribute_or(x: Any, name: str, default: Any) -> Any:
    """``getattr`` with a default, as a program."""
    try:
        found = getattr(x, name)
    except AttributeError:
        return default
    return found


def _set_on_one_path(ctx: Lowering, owner: Entity, name: str) -> Entity | None:
    """The flag that says whether an object has a field that only some paths set; None of others."""
    if not isinstance(owner, Record) or owner.kind != "object" or find(owner.cls, name) or find(owner.cls, "__getattr__"):
        return None
    there = bound.flag(ctx, owner, name)
    return None if isinstance(there, Const) else there


BOUND = (types.FunctionType, staticmethod, classmethod, type(None))  # what is found in a class, and raises nothing


def _has(ctx: Lowering, owner: Entity, name: str) -> bool:
    if isinstance(owner, Closure):
        return hasattr(types.FunctionType, name)
    if isinstance(owner, Static):
        try:
            ctx.frame.scope.member(owner.payload, name)
        except AttributeError as error:
            if not isinstance(ctx.frame.scope, LiveScope):  # it may be there, and not be public
                ctx.refuse(ctx.frame.source.node, f"asking for the attribute {name!r}", str(error), "a public name")
            return False
        return True
    if isinstance(owner, Record | Struct) and is_object(owner):
        check_there(ctx, owner, name)
        if field(ctx, owner, name) is not None:
            return True
        found = find(owner.cls, name)
        if isinstance(found, types.MemberDescriptorType):  # a slot with nothing in it
            found = None
        computed = hasattr(type(found), "__get__") and not isinstance(found, BOUND) and not built_on.of_base(found)
        if computed or found is None and find(owner.cls, "__getattr__") is not None:
            ctx.refuse(ctx.frame.source.node, f"asking for the attribute {name!r}", "the class computes it", "a plain attribute")
        return found is not None
    cls: type | None = None
    if isinstance(owner, Record | Struct):
        cls = {"tuple": tuple, "list": list, "dict": dict}.get(owner.kind)
    elif isinstance(owner, Value):
        cls = np.ndarray if isinstance(owner.kind, Array) else list if isinstance(owner.kind, List) else None
    if cls is not None:
        return hasattr(cls, name)
    ctx.refuse(ctx.frame.source.node, f"asking for the attribute {name!r}", "what it is asked of is not known", "isinstance")


def _text(entity: Entity) -> str | None:
    """A text that is known at compile time."""
    named = isinstance(entity, Const) or isinstance(entity, Global) and entity.resolved
    return entity.payload if named and isinstance(entity.payload, str) else None  # type: ignore[union-attr]


def _bare_new(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``object.__new__(cls)``: an object without fields."""
    cls = args[0].payload if len(args) == 1 and isinstance(args[0], Static) else None
    if not isinstance(cls, type) or kwargs or issubclass(cls, tuple | list | dict | BaseException):
        ctx.refuse(node, "object.__new__ here", "of which class the object is, is not known", "the class called")
    return Record(cls.__name__, "object", cls)


def _new_tuple(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``tuple.__new__(cls, items)`` of a named tuple, as its ``_make`` calls it: so many items, or a TypeError."""
    cls = args[0].payload if len(args) == 2 and isinstance(args[0], Static) else None
    if not isinstance(cls, type) or not issubclass(cls, tuple) or type(names := find(cls, "_fields")) is not tuple:
        return None
    observe.named_tuple(cls)
    if isinstance(args[1], Value) and isinstance(args[1].kind, List | Array):
        return Struct(_counted_items(ctx, args[1], len(names), node), "tuple", names, cls)
    items = unpacked(ctx, args[1], len(names), node)
    if len(items) != len(names):
        misfit = TypeError(f"Expected {len(names)} arguments, got {len(items)}")
        ctx.fail(node, misfit, f"making a {cls.__name__}", f"the fields {', '.join(names)}")
    return Struct(items, "tuple", names, cls)


def _counted_items(ctx: Lowering, items: Value, count: int, node: Any) -> list[Entity]:
    """The items for a named tuple of as many fields, and the exception where there are more or fewer."""
    length = ctx.builder.call("builtins.len", items)

    def fail() -> None:
        text = ctx.builder.call("s2sad.fstring", Const(f"Expected {count} arguments, got "), length)
        ctx.builder.call("s2sad.raise", ctx.builder.call("builtins.TypeError", text))

    control.branch(ctx, arithmetic(ctx, "operator.ne", length, Const(count)), fail, lambda: None, node)
    return [ctx.builder.call("operator.getitem", items, Const(k)) for k in range(count)]


def _vars(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``vars(x)``."""
    if not args:
        ctx.refuse(node, "vars() without an object", "which names are bound, is known as the program runs", "the names")
    return fields_of(ctx, args[0], node) if isinstance(args[0], Record) and is_object(args[0]) else None


def _type(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    subject = args[0]
    if len(args) > 1 or isinstance(subject, Static) or is_maybe(subject):
        return None
    if maps.is_dict(subject) and maps.sort_of(ctx, subject) == UNSURE:
        ctx.refuse(node, "the class of this dict", "it may be a plain one, or another", "isinstance(d, dict)")
    cls = stands_for(class_of(subject))
    return Static(cls, _path_of(cls)) if cls else None


def _path_of(cls: type) -> str:
    """The name by which generated code calls a class."""
    return f"{cls.__module__}.{cls.__qualname__}" if cls.__module__ in ("builtins", "numpy") else cls.__name__


def special(name: str) -> Handler:
    """A builtin that asks an object's class: ``abs(x)`` is ``x.__abs__()``."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        owner = args[0] if args else None
        if not isinstance(owner, Record | Struct) or not is_object(owner) or find(owner.cls, name) is None:
            return None
        return call_method(ctx, owner, name, args[1:], kwargs, node)

    return handler


TABLE: dict[Any, Handler] = {
    call_of_base: call_of_base,
    nothing: lambda ctx, args, kwargs, node: Const(None),
    types.SimpleNamespace: _namespace,
    collections.namedtuple: _new_named_tuple,
    tuple.__new__: _new_tuple,
    dataclasses.replace: _replace,
    dataclasses.fields: _declared_fields,
    dataclasses.asdict: _asdict,
    dataclasses.astuple: _astuple,
    super: _super,
    getattr: _getattr,
    setattr: _setattr,
    hasattr: _hasattr,
    vars: _vars,
    type: _type,
    object.__setattr__: _bare_setattr,
    object.__new__: _bare_new,
    abs: special("__abs__"),
    float: special("__float__"),
    int: special("__int__"),
    complex: special("__complex__"),
    round: special("__round__"),
}
