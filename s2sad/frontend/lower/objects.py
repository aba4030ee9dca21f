"""Objects: records whose fields are variables of the lowering, with the methods of their class inlined.

``self.w`` is the variable (box, "w"); a method call is the class's function with the record as its first argument.
Fields that a function assigns are merged at branches and loops as local names are; the caller's object is never
changed. A named tuple is an aggregate that knows its class. ``classes`` makes objects.
"""

from __future__ import annotations

import functools
import types
from collections import namedtuple
from typing import Any

import gast

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import Aggregate, Box, Choice, Entity, Known, Method, Partial, Poison, Super
from s2sad.frontend.lower import outside
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.inlining import inline
from s2sad.frontend.lower.parts import take_apart
from s2sad.frontend.lower.scipy_topics import form_class
from s2sad.frontend.lower.state import Lowering, Outside
from s2sad.frontend.resolve import LiveScope, entity_of
from s2sad.ir.kinds import FUNCTION, Array, Dict, Lasting, Tuple, kind_of
from s2sad.ir.nodes import Const, Global, Undef, Value

Owner = Box | Aggregate
PLAIN = (bool, int, float, complex, str, type(None))
FIELDS = (types.MemberDescriptorType, type(vars(namedtuple("Pair", "it"))["it"]))


def is_python_class(cls: type) -> bool:
    """Whether a class was made by a class statement, outside the libraries."""
    return bool(cls.__flags__ & (1 << 9)) and not observe.is_library(cls)


def is_object(entity: Entity) -> bool:
    """Whether an entity is an object of a user's class, or a named tuple."""
    return (
        isinstance(entity, Box)
        and entity.kind == "object"
        or isinstance(entity, Aggregate)
        and entity.cls is not None
    )


def _overrides(cls: type, name: str) -> bool:
    """Whether a class replaces one of the methods by which attributes are found and set."""
    return find(cls, name) is not vars(object)[name] and not issubclass(cls, tuple)


def find(cls: type | None, name: str) -> Any:
    """What a class has under a name, as it stands there; None where it has nothing."""
    found = observe.member(cls, name) if cls else None
    return None if found is observe.ABSENT else found


def field(lw: Lowering, owner: Owner, name: str) -> Entity | None:
    """A field of the object itself."""
    if isinstance(owner, Box):
        return lw.variables.get((owner, name))
    return owner.items[owner.keys.index(name)] if name in owner.keys else None


def check_there(lw: Lowering, owner: Owner, name: str) -> None:
    """Refuse to tell whether an object has a field that it gets in a loop around: in the first iteration it has none."""
    own = field(lw, owner, name)
    unborn = own is None or isinstance(own, Undef) or isinstance(own, Value) and own in lw.unborn
    if unborn and isinstance(owner, Box) and name in owner.appears:
        raise UnsupportedSyntaxError(
            f"the attribute {name!r} is not supported before it is set", location=lw.builder.loc,
            why="in the first iteration of a loop the object has none, and in later ones it has",
            instead=f"set {name!r} in __init__",
        )  # fmt: skip


def attribute(lw: Lowering, owner: Owner, attr: str, node: gast.AST) -> Entity:
    """``owner.attr``: a field, a property, a constant of the class, or a method to be called."""
    if not is_object(owner):
        return Method(owner, attr)
    cls = owner.cls
    if cls and _overrides(cls, "__getattribute__"):
        lw.refuse(
            node, f"the attribute {attr!r}", "the class has its own way to find it", "a plain attribute"
        )
    if attr == "__class__" and cls:
        return Known(cls, cls.__name__)
    found = find(cls, attr)
    own = field(lw, owner, attr)
    if own is None or lw.trying or found is not None or find(cls, "__getattr__") is not None:
        check_there(lw, owner, attr)
    if own is not None and not (is_data_descriptor(found) and observe.has(type(found), "__get__")):
        if isinstance(own, Poison):
            lw.check_dicts(own)
            lw.refuse(node, f"the attribute {attr!r}", own.why, "one thing under this name")
        return own
    if type(found) is property and found.fget is not None:
        return call_function(lw, found.fget, [owner], {}, node)
    if isinstance(found, functools.cached_property):
        return _kept(lw, owner, attr, observe.attribute(found, "func"), node)
    if isinstance(found, types.FunctionType | staticmethod | classmethod | functools.partialmethod | Lasting) or (
        cls and issubclass(cls, tuple) and callable(found)
    ):
        return Method(owner, attr)
    absent = found is None and (cls is None or observe.member(cls, attr) is observe.ABSENT)
    fallback = find(cls, "__getattr__") if absent else None
    if isinstance(fallback, types.FunctionType):
        return call_function(lw, fallback, [owner, Const(attr)], {}, node)
    if absent or hasattr(type(found), "__get__") and found is not None:
        name = cls.__name__ if cls else "this object"
        known = ", ".join(observe.public(cls)) if form_class(cls) else ""
        why = f"what stands for {name} here covers {known}" if known else f"{name} has no such attribute here"
        lw.refuse(node, f"the attribute {attr!r}", why, "one of these" if known else "set it in __init__")
    return constant_of_class(lw, cls, attr, found)


def _kept(lw: Lowering, owner: Owner, attr: str, function: Any, node: gast.AST) -> Entity:
    """A cached property: from now on a field. In a loop, where the first reading is one of many, it is computed at each, and
    what it may have read must not be written any more; an object that is only read gives the same each time."""
    if isinstance(owner, Box) and lw.loops:
        _settle(lw, owner)
    value = call_function(lw, function, [owner], {}, node)
    if isinstance(owner, Box) and (owner.through or not owner.sealed) and owner not in lw.settled:
        put(lw, owner, attr, value, node)
    return value


def _settle(lw: Lowering, box: Box) -> None:
    """Refuse from now on to write into an object, and the objects in it."""
    if box not in lw.settled:
        lw.settled.add(box)
        for key in box.keys:
            if isinstance(part := lw.variables.get((box, key)), Box):
                _settle(lw, part)


def constant_of_class(lw: Lowering, cls: type | None, attr: str, found: Any) -> Entity:
    """A constant of a class: written down where it is plain, else bound on loading as ``Model_TABLE``."""
    home = next((c for c in cls.__mro__ if attr in vars(c)), cls) if cls else None
    path = "" if isinstance(found, PLAIN) or home is None else f"{home.__name__}.{attr}"
    return opened(lw, entity_of(found, path))


def is_data_descriptor(found: Any) -> bool:
    """Whether what a class has under a name decides how that is set; a slot, or field of a named tuple, is what it seems."""
    decides = observe.has(type(found), "__set__") or observe.has(type(found), "__delete__")
    return decides and not isinstance(found, FIELDS)


def must_be_set(lw: Lowering, owner: Entity, attr: str, entity: Entity) -> bool:
    """Whether ``owner.attr = entity`` does anything, where ``entity`` is what ``owner.attr`` has just given."""
    if isinstance(owner, Choice):
        return any(must_be_set(lw, one, attr, entity) for one in owner.alternatives)
    if not isinstance(owner, Box | Aggregate):
        return False
    return _has_own_way(owner.cls, attr) or field(lw, owner, attr) is not entity


def _has_own_way(cls: type | None, attr: str) -> bool:
    """Whether a class does more, when an attribute is set, than to keep it."""
    return cls is not None and (_overrides(cls, "__setattr__") or is_data_descriptor(find(cls, attr)))


def set_attribute(lw: Lowering, owner: Entity, attr: str, entity: Entity, node: gast.AST) -> None:
    """``owner.attr = entity``."""
    if not isinstance(owner, Box) or owner.kind != "object":
        named = isinstance(owner, Aggregate) and owner.cls is not None
        why = "a named tuple cannot be changed" if named else "a derivative call may not change objects outside"
        why = "which object it is, is known only at run time" if isinstance(owner, Choice) else why
        lw.refuse(node, f"assigning the attribute {attr!r}", why, "return the value")
    found = find(owner.cls, attr)
    if type(found) is property and not (owner.cls and _overrides(owner.cls, "__setattr__")):
        if found.fset is None:
            lw.refuse(
                node, f"assigning the property {attr!r}", "it has no setter", "assign the attribute behind it"
            )
        call_function(lw, found.fset, [owner, entity], {}, node)
        return
    if _has_own_way(owner.cls, attr):
        lw.refuse(
            node,
            f"assigning the attribute {attr!r}",
            "the class has its own way to set it",
            "a plain attribute",
        )
    put(lw, owner, attr, entity, node)


def put(lw: Lowering, box: Box, key: Any, entity: Entity, node: gast.AST) -> None:
    """Set a field of a record. Refuses where the object has other names that would not see it."""
    _check_written(lw, box, f"assigning {key!r} of this object", node)
    lw.assigned |= box.origin is not None and not box.through
    if isinstance(entity, Value) and entity.name is None and not isinstance(entity, Const):
        entity.name = str(key) if str(key).isidentifier() else None
    if key not in box.keys:
        box.keys.append(key)
    lw.variables[(box, key)] = entity
    if box.through:
        outside.written_through(lw, box, key, entity, node)


def _check_written(lw: Lowering, box: Box, what: str, node: gast.AST) -> None:
    """Refuse to change an object that has other names which would not see that."""
    if box.sealed == outside.OUTSIDE and box.root is not None and not lw.program.closed:
        raise Outside(box.root)
    if box.sealed:
        lw.refuse(node, what, box.sealed, "a new object")
    if box in lw.settled:
        lw.refuse(node, what, "a cached property has read it, in a loop", "reading the property before the loop")
    if box.through and box.cls and _overrides(box.cls, "__setattr__"):
        lw.refuse(node, what, "the class has its own way to set it", "a plain attribute")


def drop(lw: Lowering, box: Box, key: Any, node: gast.AST) -> None:
    """Remove a field of a record."""
    _check_written(lw, box, f"removing {key!r} of this object", node)
    if box.through:
        lw.refuse(node, f"removing {key!r} of an object outside", outside.OUTSIDE, "None in its place")
    lw.assigned |= box.origin is not None
    box.keys.remove(key)
    lw.variables.pop((box, key), None)


# --- methods


def call_method(
    lw: Lowering, owner: Owner, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``owner.name(...)``."""
    own = field(lw, owner, name)
    if own is not None and name.startswith("__") and name.endswith("__"):
        why = "an attribute of the object has the name, and Python looks for such a method in the class"
        lw.refuse(node, f"the method {name!r}", why, "another name for the attribute")
    if own is not None:
        return apply(lw, own, args, kwargs, node)
    found = find(owner.cls, name)
    if isinstance(owner, Aggregate) and name in ("_replace", "_asdict"):
        return _named_tuple_method(lw, owner, name, kwargs, node)
    bound = bind(found, owner, owner.cls)
    if bound is None:
        lw.refuse(
            node,
            f"the method {name!r}",
            f"its source in {owner.cls} cannot be found",
            "a method written in Python",
        )
    return apply(lw, bound, args, kwargs, node)


def _named_tuple_method(
    lw: Lowering, owner: Aggregate, name: str, kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``_replace`` and ``_asdict``."""
    if set(kwargs) - set(owner.keys):
        lw.refuse(node, f"this {name}", f"the fields are {', '.join(owner.keys)}", "a field")
    items = [kwargs.get(key, item) for key, item in zip(owner.keys, owner.items, strict=True)]
    if name == "_replace":
        return Aggregate(items, "tuple", owner.keys, owner.cls)
    box = Box("dict", keys=list(owner.keys))
    lw.variables.update({(box, key): item for key, item in zip(owner.keys, items, strict=True)})
    return box


def bind(found: Any, owner: Entity, cls: type | None) -> Entity | None:
    """A function of a class as a method of an object; None for what has no source."""
    if isinstance(found, types.FunctionType):
        return Partial(Known(found, found.__name__), [owner], {})
    if isinstance(found, Lasting):
        return Partial(Known(found), [owner], {})
    if isinstance(found, staticmethod):
        return Known(found.__func__, found.__func__.__name__)
    if isinstance(found, classmethod) and cls is not None:
        return Partial(Known(found.__func__, found.__func__.__name__), [Known(cls, cls.__name__)], {})
    if isinstance(found, functools.partialmethod) and isinstance(observe.attribute(found, "func"), types.FunctionType):
        args = [entity_of(a, "") for a in observe.attribute(found, "args")]
        named = {key: entity_of(a, "") for key, a in observe.attribute(found, "keywords").items()}
        return Partial(Known(observe.attribute(found, "func")), [owner, *args], named)
    return None


def inherited(lw: Lowering, parent: Super, attr: str, node: gast.AST) -> Entity:
    """``super().attr``."""
    owner = parent.owner
    cls = owner.payload if isinstance(owner, Known) else getattr(owner, "cls", None)
    line = cls.__mro__ if isinstance(cls, type) else ()
    home = (
        next((c for c in line[line.index(parent.after) + 1 :] if observe.own(c, attr) is not observe.ABSENT), None)
        if parent.after in line
        else None
    )
    found = observe.own(home, attr) if home is not None else None
    if type(found) is property and found.fget is not None:
        return call_function(lw, found.fget, [owner], {}, node)
    if home is object and attr == "__init__":
        return Known(nothing)
    bound = bind(found, owner, cls)
    if bound is None:
        lw.refuse(node, f"super().{attr}", "its source cannot be found", "a method written in Python")
    return bound


def nothing(*_: object) -> None:
    """What ``object.__init__`` does."""


def call_function(
    lw: Lowering, function: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """A function of a class, lowered at the place of the call; what only wraps one is called as elsewhere."""
    if not isinstance(function, types.FunctionType):
        return apply(lw, Known(function), args, kwargs, node)
    source = lw.program.source_of(function)
    return inline(lw, source.node, None, (source, LiveScope(function), function), args, kwargs, node)


# --- operators


def operator(
    lw: Lowering, name: str, left: Entity, right: Entity, node: gast.AST, optional: bool = False
) -> Entity | None:
    """``left op right`` by the methods of the operands' classes."""
    array = isinstance(left, Value) and isinstance(left.kind, Array)
    if array and not _is_opaque_to_numpy(right):
        lw.refuse(
            node,
            "this operator on an array and an object",
            "NumPy applies it to every item",
            "the object on the left",
        )
    name = name.rstrip("_")
    found = call_if_defined(lw, left, right, f"__{name}__", REFLECTED.get(name, f"__r{name}__"), node)
    if found is None and not optional:
        lw.refuse(node, "this operator on an object", f"its class has no __{name}__", "a method")
    return found


def _is_opaque_to_numpy(entity: Entity) -> bool:
    """Whether NumPy leaves an operator to an object: its class says ``__array_ufunc__ = None``."""
    cls = getattr(entity, "cls", None)
    return cls is not None and observe.member(cls, "__array_ufunc__") is None


REFLECTED = {"eq": "__eq__", "ne": "__ne__", "lt": "__gt__", "gt": "__lt__", "le": "__ge__", "ge": "__le__"}


def call_if_defined(
    lw: Lowering, left: Entity, right: Entity, method: str, reflected: str, node: gast.AST
) -> Entity | None:
    """The method of the left operand, or the reflected one of the right; None where neither is written in Python."""
    tries = [(left, right, method), (right, left, reflected)]
    first, second = getattr(left, "cls", None), getattr(right, "cls", None)
    derived = first and second and second is not first and observe.subclass(second, first)
    if derived and find(second, reflected) is not find(first, reflected):
        tries.reverse()
    for owner, other, name in tries:
        if (
            isinstance(owner, Box | Aggregate)
            and is_object(owner)
            and isinstance(find(owner.cls, name), types.FunctionType)
        ):
            result = call_method(lw, owner, name, [other], {}, node)
            if not (isinstance(result, Known) and result.payload is NotImplemented):
                return result
    return None


# --- objects from outside


def opened(lw: Lowering, entity: Entity) -> Entity:
    """A container or object from outside, as a record of items that are read when the program runs."""
    if isinstance(entity, Known) and type(entity.payload) is slice and is_literal(entity.payload.__reduce__()[1]):
        return Const(entity.payload)
    if isinstance(entity, Known) and type(entity.payload) is range:
        return lw.builder.call("builtins.range", *map(Const, entity.payload.__reduce__()[1]))
    if isinstance(entity, Known):
        found = bool(entity.path) and isinstance(kind := kind_of(entity.payload), Dict) and kind.cls is not None
    else:
        found = isinstance(entity, Global) and entity.resolved and isinstance(outside.layout(entity.payload), Tuple | Dict)
        found = found and not is_literal(entity.payload)  # type: ignore[union-attr]
    if not found:
        return entity
    assert isinstance(entity, Known | Global)
    state = outside.record_of(lw, entity)
    if state is not None:
        return state
    whole = Global(entity.path, outside.layout(entity.payload), entity.payload, resolved=True)
    return take_apart(lw, whole, outside.OUTSIDE, Known(entity.payload, entity.path))


def owner_of(lw: Lowering, method: types.MethodType, path: str, node: gast.AST) -> Entity:
    """The object of a bound method from outside, reached through the method."""
    kind = outside.layout(method.__self__)
    if not path or not isinstance(kind, Dict):
        lw.refuse(
            node,
            f"calling {method.__name__} of this object",
            "it has no name outside",
            "pass it as an argument",
        )
    state = outside.record_of(lw, Known(method.__self__, path))
    if state is not None:
        return state
    owner = lw.builder.call(
        "s2sad.attribute", Global(path, FUNCTION, method, resolved=True), Const("__self__")
    )
    owner.kind, owner.name = kind, path.rpartition(".")[2]
    return take_apart(lw, owner, outside.OUTSIDE)


def is_literal(value: Any) -> bool:
    """Whether something can be written down: it is a constant, and a change of it makes another program."""
    return isinstance(value, PLAIN) or type(value) is tuple and all(map(is_literal, value))
