"""Objects: records whose fields are variables of the lowering, with the methods of their class inlined.

``self.w`` is the variable (box, "w"); a method call is the class's function with the record as its first argument.
Fields that a function assigns are merged at branches and loops as local names are; the caller's object is never
changed. A named tuple is an aggregate that knows its class. ``classes`` makes objects.
"""

from __future__ import annotations

import functools
import sys
import types
from collections import namedtuple
from typing import Any

import gast

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    CONTENTS,
    Choice,
    Entity,
    Fields,
    Method,
    Partial,
    Record,
    Static,
    Struct,
    Super,
    Top,
    flatten,
)
from s2sad.frontend.lower import bound, built_on, control, outside
from s2sad.frontend.lower.arithmetic import BINARY
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.inlining import inline
from s2sad.frontend.lower.maybe import is_maybe
from s2sad.frontend.lower.parts import take_apart, whole
from s2sad.frontend.lower.referring import MERGED, is_reference, refer
from s2sad.frontend.lower.selection import each
from s2sad.frontend.lower.state import Bound, Lowering
from s2sad.frontend.resolve import LiveScope, entity_of
from s2sad.ir.again import Again
from s2sad.ir.kinds import FUNCTION, Array, Lasting, Scalar, StructKind, Tuple, kind_of
from s2sad.ir.nodes import LITERALS, Call, Const, Global, Undef, Value
from s2sad.rules.buffers import PUT
from s2sad.rules.preludes import form_class

Owner = Record | Struct
PLAIN = (bool, int, float, complex, str, type(None))
BY_NUMBER = "a new object; or nodes by their numbers, with lists of their fields and of the numbers of their children"
CACHED_METHOD = "the method without the cache, or lru_cache of a plain function of the numbers that it needs"
FIELDS = (types.MemberDescriptorType, type(vars(namedtuple("Pair", "it"))["it"]))


WRITTEN = (
    types.FunctionType, staticmethod, classmethod, functools.partialmethod, functools.singledispatchmethod, Lasting,
)  # fmt: skip


def is_python_class(cls: type) -> bool:
    """Test for a class made by a class statement, outside the libraries."""
    return bool(cls.__flags__ & (1 << 9)) and not observe.is_library(cls)


def is_object(entity: Entity) -> bool:
    """Test for an object of a user's class, or a named tuple."""
    return (
        isinstance(entity, Record)
        and entity.kind == "object"
        or isinstance(entity, Struct)
        and (entity.cls is not None or entity.kind == "tuple" and bool(entity.keys))
    )


def _overrides(cls: type, name: str) -> bool:
    """Test for a class that replaces one of the methods by which attributes are found and set."""
    found = find(cls, name)
    inherited = found is vars(object)[name] or built_on.of_base(found) and found.__name__ == name
    return not inherited and not issubclass(cls, tuple) and cls is not types.SimpleNamespace


def find(cls: type | None, name: str) -> Any:
    """The member of a class under a name, as it stands there; None where it has nothing."""
    found = observe.member(cls, name) if cls else None
    return None if found is observe.ABSENT else found


def field(ctx: Lowering, owner: Owner, name: str) -> Entity | None:
    """A field of the object itself."""
    if isinstance(owner, Record):
        return ctx.variables.get((owner, name))
    return owner.items[owner.keys.index(name)] if name in owner.keys else None


def check_there(ctx: Lowering, owner: Owner, name: str) -> None:
    """Refuse to tell whether an object has a field that it gets in a loop around: in the first iteration it has none."""
    own = field(ctx, owner, name)
    unborn = own is None or isinstance(own, Undef) or isinstance(own, Value) and own in ctx.unborn
    if unborn and isinstance(owner, Record) and name in owner.appears:
        raise UnsupportedSyntaxError(
            f"the attribute {name!r} is not supported before it is set", location=ctx.builder.loc,
            why="in the first iteration of a loop the object has none, and in later ones it has",
            instead=f"set {name!r} in __init__",
        )  # fmt: skip


def attribute(ctx: Lowering, owner: Owner, attr: str, node: gast.AST) -> Entity:
    """``owner.attr``: a field, a property, a constant of the class, or a method to be called."""
    if not is_object(owner):
        return Method(owner, attr)
    cls = owner.cls
    if cls and _overrides(cls, "__getattribute__"):
        ctx.refuse(
            node, f"the attribute {attr!r}", "the class has its own way to find it", "a plain attribute"
        )
    if attr == "__class__" and cls:
        return Static(cls, cls.__name__)
    if attr == "__dict__" and isinstance(owner, Record):
        return fields_of(ctx, owner, node)
    state = outside.attribute_of_class(ctx, cls, attr)
    found = find(cls, attr) if state is None else None
    own = field(ctx, owner, attr)
    other = found is not None or find(cls, "__getattr__") is not None
    if own is None or ctx.trying or other:
        check_there(ctx, owner, attr)
    if other and own is not None and not isinstance(bound.flag(ctx, owner, attr), Const):
        why = "it was set on one path only, and its class has something under this name, too"
        ctx.refuse(node, f"the attribute {attr!r}", why, f"set {attr!r} in __init__, to None for instance")
    if own is not None and not (is_data_descriptor(found) and observe.has(type(found), "__get__")):
        if isinstance(own, Top):
            ctx.check_dicts(own)
            ctx.refuse(node, f"the attribute {attr!r}", own.why, "one thing under this name")
        bound.check_field(ctx, owner, attr)
        return own
    if state is not None:
        return state
    if type(found) is property and found.fget is not None:
        return call_function(ctx, found.fget, [owner], {}, node)
    if isinstance(found, functools.cached_property):
        return _kept(ctx, owner, attr, observe.attribute(found, "func"), node)
    if isinstance(found, WRITTEN) or (
        cls and issubclass(cls, tuple) and callable(found)
    ):
        return Method(owner, attr)
    if built_on.of_base(found) and built_on.is_based(owner):
        return Method(owner, attr)
    if found is not None and observe.keeps(found):
        why = "the object is part of its key, and the cache does not see when a field of it changes; it outlasts this call, too"
        ctx.refuse(node, f"{attr}, a method whose results lru_cache keeps,", why, CACHED_METHOD)
    if isinstance(getter := _written_in(found, "__get__"), types.FunctionType) and cls is not None:
        return call_function(ctx, getter, [_descriptor(ctx, cls, attr, found), owner, Static(cls, cls.__name__)], {}, node)
    absent = found is None and (cls is None or observe.member(cls, attr) is observe.ABSENT)
    fallback = find(cls, "__getattr__") if absent else None
    if isinstance(fallback, types.FunctionType):
        return call_function(ctx, fallback, [owner, Const(attr)], {}, node)
    if fallback is not None and built_on.of_base(fallback) and isinstance(owner, Record):  # __getattr__ = dict.get
        return call_of_base(ctx, [owner, Const(fallback.__name__), Const(attr)], {}, node)
    if absent or hasattr(type(found), "__get__") and found is not None:
        name = cls.__name__ if cls else "this object"
        known = ", ".join(observe.public(cls)) if form_class(cls) else ""
        if absent and not known and isinstance(owner, Record) and cls is not None and not owner.unsure:
            error = AttributeError(f"{name!r} object has no attribute {attr!r}")
            ctx.fail(node, error, f"the attribute {attr!r}", "set it in __init__")
        why = f"what stands for {name} here covers {known}" if known else f"{name} has no such attribute here"
        ctx.refuse(node, f"the attribute {attr!r}", why, "one of these" if known else "set it in __init__")
    return constant_of_class(ctx, cls, attr, found)


def _kept(ctx: Lowering, owner: Owner, attr: str, function: Any, node: gast.AST) -> Entity:
    """A cached property: from now on a field. In a loop, where the first reading is one of many, it is computed at each, and
    what it may have read must not be written any more; an object that is only read gives the same each time."""
    if isinstance(owner, Record) and ctx.loops:
        _settle(ctx, owner)
    value = call_function(ctx, function, [owner], {}, node)
    if isinstance(owner, Record) and _keeps(ctx, owner) and owner not in ctx.settled:
        put(ctx, owner, attr, value, node)
    return value


def _keeps(ctx: Lowering, box: Record) -> bool:
    """Test for an object in which a cached property is to be found afterwards; one that nobody can change gives the same."""
    if box.sealed != outside.OUTSIDE or box.root is None:
        return box.through or not box.sealed
    return not (ctx.program.from_files or box.cls and _overrides(box.cls, "__setattr__"))


def _settle(ctx: Lowering, box: Record) -> None:
    """Refuse from now on to write into an object, and the objects in it."""
    if box not in ctx.settled:
        ctx.settled.add(box)
        for key in box.keys:
            if isinstance(part := ctx.variables.get((box, key)), Record):
                _settle(ctx, part)


def fields_of(ctx: Lowering, owner: Record, node: gast.AST) -> Record:
    """``vars(x)``, or ``x.__dict__``."""
    if CONTENTS in owner.keys:
        ctx.refuse(node, "the fields of this object as a dict", "its class is on top of a built-in one", "its fields, by name")
    if owner.cls is None or observe.member(owner.cls, "__dict__") is observe.ABSENT or form_class(owner.cls):
        ctx.refuse(node, "the fields of this object as a dict", "its class keeps them elsewhere", "its fields, by name")
    slots = [key for key in owner.keys if isinstance(find(owner.cls, key), types.MemberDescriptorType)]
    if slots:
        ctx.refuse(node, "the fields of this object as a dict", f"{slots[0]!r} is a slot, and not in it", "its fields, by name")
    given = owner.origin is not None or owner.through  # such an object's fields are read as attributes
    hidden = [key for key in owner.keys if given and is_data_descriptor(find(owner.cls, key))]
    if hidden:
        why = f"the class computes {hidden[0]!r}, and the field of the same name is behind that"
        ctx.refuse(node, "the fields of this object as a dict", why, "another name for the field")
    ctx.keys(owner, node)
    return Fields(owner)


def _written_in(descriptor: Any, name: str) -> Any:
    """A method of a descriptor of the user's; None of other things that stand in classes."""
    cls = type(descriptor)
    return find(cls, name) if is_python_class(cls) else None


def _descriptor(ctx: Lowering, cls: type, attr: str, found: Any) -> Entity:
    """A descriptor as an object. What it keeps as text is known: it names the fields that it stands for."""
    made = from_outside(ctx, entity_of(found, f"{cls.__name__}.{attr}"))
    for key in made.keys if isinstance(made, Record) else ():
        if isinstance(text := observe.attribute(found, key), str):
            ctx.variables[(made, key)] = Const(text)
    return made


def constant_of_class(ctx: Lowering, cls: type | None, attr: str, found: Any) -> Entity:
    """A constant of a class: written down where it is plain, else bound on loading as ``Model_TABLE``."""
    home = next((c for c in cls.__mro__ if attr in vars(c)), cls) if cls else None
    path = "" if isinstance(found, PLAIN) or home is None else f"{home.__name__}.{attr}"
    return from_outside(ctx, entity_of(found, path))


def is_data_descriptor(found: Any) -> bool:
    """Test for a member of a class that decides how its name is set; a slot, or field of a named tuple, is what it seems."""
    decides = observe.has(type(found), "__set__") or observe.has(type(found), "__delete__")
    return decides and not isinstance(found, FIELDS)


def must_be_set(ctx: Lowering, owner: Entity, attr: str, entity: Entity) -> bool:
    """Need for ``owner.attr = entity``, where ``entity`` is what ``owner.attr`` has just given."""
    if isinstance(owner, Choice):
        return any(must_be_set(ctx, one, attr, entity) for one in owner.alternatives)
    if not isinstance(owner, Record | Struct):
        return False
    return _has_own_way(owner.cls, attr) or field(ctx, owner, attr) is not entity


def _has_own_way(cls: type | None, attr: str) -> bool:
    """Test for a class that does more, when an attribute is set, than to keep it."""
    return cls is not None and (_overrides(cls, "__setattr__") or is_data_descriptor(find(cls, attr)))


def _fail_of_none(ctx: Lowering, attr: str) -> None:
    text = Const(f"'NoneType' object has no attribute {attr!r}")
    ctx.builder.call("s2sad.raise", ctx.builder.call("builtins.AttributeError", text))


def set_attribute(ctx: Lowering, owner: Entity, attr: str, entity: Entity, node: gast.AST) -> None:
    """``owner.attr = entity``."""
    if isinstance(owner, Static) and isinstance(owner.payload, type | types.FunctionType):
        put(ctx, outside.class_for_writing(ctx, owner, attr, node), attr, entity, node)
        return
    if is_maybe(owner):
        assert isinstance(owner, Struct)
        there, owner = owner.items
        control.branch(ctx, there, lambda: None, lambda: _fail_of_none(ctx, attr), node)
    if is_reference(owner):
        each(ctx, owner, lambda one: _set_of_one(ctx, one, attr, entity, node), node)
        return
    if not isinstance(owner, Record) or owner.kind != "object":
        named = isinstance(owner, Struct) and owner.cls is not None
        why = "a named tuple cannot be changed" if named else "a derivative call may not change objects outside"
        why = "which object it is, is known only at run time" if isinstance(owner, Choice) else why
        ctx.refuse(node, f"assigning the attribute {attr!r}", why, BY_NUMBER if isinstance(owner, Choice) else "return the value")
    found = find(owner.cls, attr)
    if type(found) is property and not (owner.cls and _overrides(owner.cls, "__setattr__")):
        if found.fset is None:
            ctx.refuse(
                node, f"assigning the property {attr!r}", "it has no setter", "assign the attribute behind it"
            )
        call_function(ctx, found.fset, [owner, entity], {}, node)
        return
    setter = _written_in(found, "__set__")
    if isinstance(setter, types.FunctionType) and owner.cls and not _overrides(owner.cls, "__setattr__"):
        call_function(ctx, setter, [_descriptor(ctx, owner.cls, attr, found), owner, entity], {}, node)
        return
    setter = find(owner.cls, "__setattr__")
    if isinstance(setter, types.FunctionType) and has_source(setter):
        call_function(ctx, setter, [owner, Const(attr), entity], {}, node)
        return
    if built_on.of_base(setter) and setter.__name__ != "__setattr__":  # __setattr__ = dict.__setitem__
        call_of_base(ctx, [owner, Const(setter.__name__), Const(attr), entity], {}, node)
        return
    if attr == "__dict__":
        ctx.refuse(node, "assigning the attribute '__dict__'", "all fields are exchanged at once", "one by one, or update")
    if _has_own_way(owner.cls, attr):
        ctx.refuse(
            node,
            f"assigning the attribute {attr!r}",
            "the class has its own way to set it",
            "a plain attribute",
        )
    put(ctx, owner, attr, entity, node)


def _set_of_one(ctx: Lowering, owner: Entity, attr: str, entity: Entity, node: gast.AST) -> Entity:
    """``owner.attr = entity`` of the one among several that a path is for."""
    set_attribute(ctx, owner, attr, entity, node)
    return Const(None)


def put(ctx: Lowering, box: Record, key: Any, entity: Entity, node: gast.AST) -> None:
    """Set a field of a record. Refuses where the object has other names that would not see it."""
    box = box.owner if isinstance(box, Fields) else box
    _check_written(ctx, box, f"assigning {key!r} of this object", node)
    ctx.assigned |= box.origin is not None and not box.through
    ctx.program.assigned |= ctx.assigned
    if isinstance(entity, Value) and entity.name is None and not isinstance(entity, Const):
        entity.name = str(key) if str(key).isidentifier() else None
    if key not in box.keys:
        box.keys.append(key)
    ctx.set((box, key), entity)
    if box.through:
        outside.written_through(ctx, box, key, entity, node)
    elif box.origin is not None:  # of an argument: what it remembers (``analysis.remembered``)
        for part in flatten(entity):
            if isinstance(part, Value) and not isinstance(part, LITERALS):
                ctx.builder.call(PUT, box.origin, Const(box.kind == "object"), Const(key), part)


def _check_written(ctx: Lowering, box: Record, what: str, node: gast.AST) -> None:
    """Refuse to change an object that has other names which would not see that."""
    if box.sealed == outside.OUTSIDE and box.root is not None and not ctx.program.from_files:
        raise Again(outside=(box.root,))
    if box.listed is not None and box.listed not in ctx.program.displayed:
        raise Again(displayed=frozenset([box.listed]))
    refer(ctx, box)
    if box.sealed:
        ctx.refuse(node, what, box.sealed, BY_NUMBER if box.sealed == MERGED else "a new object")
    if box in ctx.settled:
        ctx.refuse(node, what, "a cached property has read it, in a loop", "reading the property before the loop")
    if box.through and box.cls and _overrides(box.cls, "__setattr__"):
        ctx.refuse(node, what, "the class has its own way to set it", "a plain attribute")


def drop(ctx: Lowering, box: Record, key: Any, node: gast.AST) -> None:
    """Remove a field of a record."""
    box = box.owner if isinstance(box, Fields) else box
    _check_written(ctx, box, f"removing {key!r} of this object", node)
    if box.through:
        ctx.program.after_a_call()
        ctx.refuse(node, f"removing {key!r} of an object outside", outside.OUTSIDE, "None in its place")
    ctx.assigned |= box.origin is not None
    ctx.program.assigned |= ctx.assigned
    box.keys.remove(key)
    ctx.variables.pop((box, key), None)
    ctx.variables.pop((box, Bound(key)), None)


# --- methods


def call_method(
    ctx: Lowering, owner: Owner, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``owner.name(...)``."""
    own = field(ctx, owner, name)
    if own is not None and name.startswith("__") and name.endswith("__"):
        why = "an attribute of the object has the name, and Python looks for such a method in the class"
        ctx.refuse(node, f"the method {name!r}", why, "another name for the attribute")
    if own is not None:
        return apply(ctx, own, args, kwargs, node)
    found = find(owner.cls, name)
    if isinstance(owner, Struct) and name in ("_replace", "_asdict"):
        return _named_tuple_method(ctx, owner, name, kwargs, node)
    if isinstance(owner, Record) and built_on.of_base(found) and built_on.is_based(owner):
        return call_of_base(ctx, [owner, Const(found.__name__), *args], kwargs, node)
    bound = bind(found, owner, owner.cls)
    if bound is None:
        ctx.refuse(
            node,
            f"the method {name!r}",
            f"its source in {owner.cls} cannot be found",
            "a method written in Python",
        )
    return apply(ctx, bound, args, kwargs, node)


def call_of_base(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """The method ``args[1]`` of the built-in class, called of ``args[0]``, an object that is on top of it."""
    owner, name, *given = args
    assert isinstance(owner, Record) and isinstance(name, Const)
    if name.payload == "__init__":
        put(ctx, owner, CONTENTS, built_on.made(ctx, owner.cls, given, kwargs, node), node)
        return Const(None)
    held = ctx.variables[(owner, CONTENTS)]

    def of_contents() -> Entity:
        return apply(ctx, Method(held, name.payload), given, kwargs, node)

    if name.payload == "__getitem__" and find(owner.cls, "__missing__") is not None:
        there = apply(ctx, Method(held, "__contains__"), given, {}, node)
        return control.choose(ctx, there, of_contents, lambda: call_method(ctx, owner, "__missing__", given, {}, node), node)
    return of_contents()


def has_source(function: Any) -> bool:
    """Test for a function that was written, and not made by a class decorator of the standard library."""
    return isinstance(function, types.FunctionType) and not function.__code__.co_filename.startswith("<string")


def _named_tuple_method(
    ctx: Lowering, owner: Struct, name: str, kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``_replace`` and ``_asdict``."""
    if set(kwargs) - set(owner.keys):
        ctx.refuse(node, f"this {name}", f"the fields are {', '.join(owner.keys)}", "a field")
    items = [kwargs.get(key, item) for key, item in zip(owner.keys, owner.items, strict=True)]
    if name == "_replace":
        return Struct(items, "tuple", owner.keys, owner.cls)
    box = Record("dict", keys=list(owner.keys))
    ctx.variables.update({(box, key): item for key, item in zip(owner.keys, items, strict=True)})
    return box


def bind(found: Any, owner: Entity, cls: type | None) -> Entity | None:
    """A function of a class as a method of an object; None for what has no source."""
    if isinstance(found, types.FunctionType):
        return Partial(Static(found, found.__name__), [owner], {})
    if isinstance(found, Lasting):
        return Partial(Static(found), [owner], {})
    if isinstance(found, staticmethod):
        return Static(found.__func__, found.__func__.__name__)
    if isinstance(found, classmethod) and cls is not None:
        return Partial(Static(found.__func__, found.__func__.__name__), [Static(cls, cls.__name__)], {})
    if isinstance(found, functools.partialmethod) and isinstance(observe.attribute(found, "func"), types.FunctionType):
        args = [entity_of(a, "") for a in observe.attribute(found, "args")]
        named = {key: entity_of(a, "") for key, a in observe.attribute(found, "keywords").items()}
        return Partial(Static(observe.attribute(found, "func")), [owner, *args], named)
    if isinstance(found, functools.singledispatchmethod) and cls is not None:
        return Partial(Static(by_class), [owner, Static(cls, cls.__name__), Static(observe.attribute(found, "dispatcher"))], {})
    return None


def by_class(*_: object, **__: object) -> None:
    """Stands for a method of ``singledispatchmethod``: the object, its class, and what chooses come first."""


def inherited(ctx: Lowering, parent: Super, attr: str, node: gast.AST) -> Entity:
    """``super().attr``."""
    owner = parent.owner
    cls = owner.payload if isinstance(owner, Static) else getattr(owner, "cls", None)
    line = cls.__mro__ if isinstance(cls, type) else ()
    home = (
        next((c for c in line[line.index(parent.after) + 1 :] if observe.own(c, attr) is not observe.ABSENT), None)
        if parent.after in line
        else None
    )
    found = observe.own(home, attr) if home is not None else None
    if type(found) is property and found.fget is not None:
        return call_function(ctx, found.fget, [owner], {}, node)
    if home is object and attr in ("__init__", "__new__"):
        return Static(nothing if attr == "__init__" else object.__new__, f"object.{attr}")
    if isinstance(owner, Record) and built_on.is_based(owner) and built_on.of_base(found):
        return Partial(Static(call_of_base), [owner, Const(attr)], {})
    if found is vars(object).get("__setattr__") or built_on.of_base(found) and attr == "__setattr__":
        return Partial(Static(object.__setattr__, "object.__setattr__"), [owner], {})
    bound = bind(found, owner, cls)
    if bound is None:
        ctx.refuse(node, f"super().{attr}", "its source cannot be found", "a method written in Python")
    return bound


def nothing(*_: object) -> None:
    """The work of ``object.__init__``: none."""


def call_function(
    ctx: Lowering, function: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """A function of a class, lowered at the place of the call; what only wraps one is called as elsewhere."""
    if not isinstance(function, types.FunctionType):
        return apply(ctx, Static(function), args, kwargs, node)
    source = ctx.program.source_of(function)
    return inline(ctx, source.node, None, (source, LiveScope(function), function), args, kwargs, node)


# --- operators


def operator(
    ctx: Lowering, name: str, left: Entity, right: Entity, node: gast.AST, optional: bool = False
) -> Entity | None:
    """``left op right`` by the methods of the operands' classes."""
    array = isinstance(left, Value) and isinstance(left.kind, Array)
    if not optional and name not in ("eq", "ne") and all(map(_says_nothing, (left, right))):
        operands = [whole(ctx, one, node) for one in (left, right)]
        return ctx.raising(Call(target=f"operator.{name}", args=operands), f"{name.rstrip('_')} of an object without operators")
    if array and not _is_opaque_to_numpy(right):
        ctx.refuse(
            node,
            "this operator on an array and an object",
            "NumPy applies it to every item",
            "the object on the left",
        )
    name = name.rstrip("_")
    found = call_if_defined(ctx, left, right, f"__{name}__", REFLECTED.get(name, f"__r{name}__"), node)
    if found is None and not optional:
        ctx.refuse(node, "this operator on an object", f"its class has no __{name}__", "a method")
    return found


def _says_nothing(entity: Entity) -> bool:
    """Test for an object that has no operators, and is nothing to NumPy but itself; and for numbers and arrays beside it."""
    if isinstance(entity, Record) and entity.cls is not None:
        own = any(observe.has(entity.cls, name) for name in OPERATORS)
        return entity.kind == "object" and not own and not any(observe.decides(entity.cls, name) for name in ORDERS)
    return isinstance(entity, Value) and isinstance(entity.kind, Array | Scalar)


def _is_opaque_to_numpy(entity: Entity) -> bool:
    """Test for an object to which NumPy leaves an operator: its class says ``__array_ufunc__ = None``."""
    cls = getattr(entity, "cls", None)
    return cls is not None and observe.member(cls, "__array_ufunc__") is None


NAMES = [name.rstrip("_") for name in BINARY.values()]
OPERATORS = [f"__{name}__" for name in (*NAMES, *(f"r{name}" for name in NAMES), "array", "len", "getitem", "float")]
ORDERS = ("__lt__", "__gt__", "__le__", "__ge__")
OPERATORS += ["__array_ufunc__", "__array_interface__", "__array_struct__", "__array_priority__", "__buffer__"]
REFLECTED = {"eq": "__eq__", "ne": "__ne__", "lt": "__gt__", "gt": "__lt__", "le": "__ge__", "ge": "__le__"}


def call_if_defined(
    ctx: Lowering, left: Entity, right: Entity, method: str, reflected: str, node: gast.AST
) -> Entity | None:
    """The method of the left operand, or the reflected one of the right; None where neither is written in Python."""
    tries = [(left, right, method), (right, left, reflected)]
    first, second = getattr(left, "cls", None), getattr(right, "cls", None)
    derived = first and second and second is not first and observe.subclass(second, first)
    if derived and find(second, reflected) is not find(first, reflected):
        tries.reverse()
    for owner, other, name in tries:
        if (
            isinstance(owner, Record | Struct)
            and is_object(owner)
            and isinstance(find(owner.cls, name), types.FunctionType)
        ):
            result = call_method(ctx, owner, name, [other], {}, node)
            if not (isinstance(result, Static) and result.payload is NotImplemented):
                return result
    return None


# --- objects from outside


def from_outside(ctx: Lowering, entity: Entity) -> Entity:
    """A container or object from outside, as a record of items that are read when the program runs."""
    if isinstance(entity, Static) and type(entity.payload) is slice and is_literal(entity.payload.__reduce__()[1]):
        return Const(entity.payload)
    if isinstance(entity, Static) and type(entity.payload) is range:
        return ctx.builder.call("builtins.range", *map(Const, entity.payload.__reduce__()[1]))
    if isinstance(entity, Static) and entity.payload is sys.modules:  # it is asked for single ones
        return entity
    if isinstance(entity, Static):
        found = bool(entity.path) and isinstance(kind := kind_of(entity.payload), StructKind) and kind.cls is not None
    else:
        found = isinstance(entity, Global) and entity.resolved and not is_literal(entity.payload)
        found = found and isinstance(outside.whole(entity.path, entity.payload).kind, Tuple | StructKind)  # type: ignore[union-attr]
    if not found:
        copy = outside.copy_of(ctx, entity) if isinstance(entity, Static | Global) and ctx.program.replayed else None
        return entity if copy is None else copy
    assert isinstance(entity, Static | Global)
    state = outside.record_of(ctx, entity)
    if state is not None:
        return state
    whole = outside.whole(entity.path, entity.payload)
    return take_apart(ctx, whole, outside.OUTSIDE, Static(entity.payload, entity.path), entity.payload)


def reached(path: str, name: str, function: Any) -> Static:
    """The function that something from outside has under a name: a bound method is reached, with its object, through that."""
    through = isinstance(observe.unwrap(function), types.MethodType) and path
    return Static(function, f"{path}.{name}" if through else "")


def owner_of(ctx: Lowering, method: types.MethodType, path: str, node: gast.AST) -> Entity:
    """The object of a bound method from outside, reached through the method."""
    kind = outside.layout(method.__self__, observe.flags_relied_on(method.__self__))
    if not path or not isinstance(kind, StructKind):
        ctx.refuse(
            node,
            f"calling {method.__name__} of this object",
            "it has no name outside",
            "pass it as an argument",
        )
    state = outside.record_of(ctx, Static(method.__self__, path))
    if state is not None:
        return state
    owner = ctx.builder.call(
        "s2sad.attribute", Global(path, FUNCTION, method, resolved=True), Const("__self__")
    )
    owner.kind, owner.name = kind, path.rpartition(".")[2]
    return take_apart(ctx, owner, outside.OUTSIDE, Static(method.__self__, f"{path}.__self__"), method.__self__)


def is_literal(value: Any) -> bool:
    """Test for something that can be written down: it is a constant, and a change of it makes another program."""
    return isinstance(value, PLAIN) or type(value) is tuple and all(map(is_literal, value))
