"""Objects from outside that a program writes into: state, which the next call finds as this one left it.

    def f(x):                              nfev = counter.nfev          # at entry
        counter.nfev += 1          ==>     nfev_1 = nfev + 1
        return x * x                       counter.nfev = nfev_1        # where the program assigns it

Their fields are variables of the lowering, as those of other objects are, so that what is assigned carries derivatives as
long as the call lasts; what stays in the object is the value. It happens once in the forward sweep, as printing does.
Most objects from outside are only read; that one is written turns out on the way (``Again``), and the program is lowered
again with the fields of all that it holds read at entry, by identity: an object has one record, whatever leads to it.
Of a class it is single attributes (``Counter.made += 1``): what else is in it is constant.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

import gast
import numpy as np

from s2sad.errors import AliasError, KindError, Location
from s2sad.frontend import observe
from s2sad.frontend.entities import CONTENTS, Choice, Entity, Record, Static, Struct
from s2sad.frontend.lower import control, gathered
from s2sad.frontend.lower.choices import is_label
from s2sad.frontend.lower.maybe import is_maybe
from s2sad.frontend.lower.parts import CALLED, called, seal, take_apart
from s2sad.frontend.lower.parts import whole as as_value
from s2sad.frontend.lower.state import Acts, Frame, Lowering, Program, acting, global_of
from s2sad.frontend.resolve import LiveScope
from s2sad.ir.again import Again
from s2sad.ir.kinds import (
    BOTTOM,
    BOUND,
    UNKNOWN,
    Array,
    Kind,
    List,
    Other,
    Scalar,
    Singleton,
    StructKind,
    Tuple,
    is_endless,
    kind_of,
)
from s2sad.ir.nodes import Call, Const, Function, Global, Value
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.runtime.structures import fields, is_record

OUTSIDE = "it is reached from outside the function, and a derivative call may not change objects outside"
NO_LOOKS = ("s2sad.leave", "s2sad.leave_item", "s2sad.state", "s2sad.runtime.assert_apart")
MAY_STAY = "numbers, text, None, arrays, and tuples of those may be left outside"
LEFT = "it is in a list outside, which holds what it was when it was put there"


def whole(path: str, payload: Any) -> Global:
    """Something from outside, with what is known of it."""
    _check_end(path, payload)
    return Global(path, layout(payload, observe.flags_relied_on(payload)), payload, resolved=True)


def state(path: str, payload: Any) -> Global:
    """The same of something that the program writes into: what it finds there is computed, whatever it is now."""
    _check_end(path, payload)
    return Global(path, layout(payload), payload, resolved=True)


def _check_end(path: str, payload: Any) -> None:
    """Refuse at once what holds itself: its kind would have no end."""
    if is_endless(payload):
        raise KindError(
            f"{path or 'this'}, a {type(payload).__name__} from outside, cannot be followed",
            why="it holds itself, or more parts than can be looked at", instead="arguments for what is needed of it",
        )  # fmt: skip


def layout(value: Any, flags: Sequence[type] = ()) -> Kind:
    """The kind of something from outside, in which the values of these types are known.

    A list of containers, objects or flags is as good as a tuple.
    """
    if type(value) in flags:
        return Singleton(f"always {value!r}", value)
    within = observe.NESTED_FLAGS if flags else ()
    if type(value) is MethodType and type(value.__func__) is FunctionType:
        return StructKind(BOUND, (layout(value.__self__, within), kind_of(value.__func__)), MethodType)
    kind = kind_of(value)
    if isinstance(value, list):
        items = tuple(layout(v, within if observe.is_short(value) else ()) for v in value)
        return Tuple(items, listed=True) if any(k.container or isinstance(k, Singleton) for k in items) else kind
    if isinstance(kind, Tuple):
        known = flags if type(value) is tuple else within
        return Tuple(tuple(layout(v, known) for v in value), False, kind.names, kind.cls)
    if isinstance(kind, StructKind):
        inner = value.values() if isinstance(value, dict) else [getattr(value, str(key)) for key in kind.keys]
        return StructKind(kind.keys, tuple(layout(v, within) for v in inner), kind.cls, kind.sort)
    return kind


def enter(ctx: Lowering) -> None:
    """Read the fields of all objects outside that the program writes into, where it begins."""
    ctx.outside = {}
    for root in ctx.program.outside:
        found = state(root.path, root.payload)
        if isinstance(found.kind, Array | List):
            copy = ctx.builder.call("s2sad.state", found, Const(None), Const(None))
            copy.kind, copy.name = _found_empty(ctx, root.payload) or found.kind, root.path.rpartition(".")[2]
            ctx.outside[id(root.payload)] = copy
        else:
            _entered(ctx, found, root.payload)
    for known, name in ctx.program.attributes:
        box = _record_of_class(ctx, known)
        held = observe.held_by(known.payload, name)
        field = "cell_contents" if isinstance(known.payload, CellType) else name
        item = ctx.builder.call("s2sad.state", box.origin, Const(True), Const(field))
        item.kind, item.name = layout(held), name
        box.keys.append(name)
        ctx.variables[(box, name)] = _entered(ctx, item, held)


def copy_of(ctx: Lowering, known: Static | Global) -> Entity | None:
    """The copy that stands for an array, list, deque or set outside that the program writes into; None for all else."""
    written = any(known.payload is root.payload for root in ctx.program.outside)
    if not written or not (type(known.payload) in observe.GATHERED or isinstance(layout(known.payload), Array | List)):
        return None
    if ctx.outside is None:
        _refuse_state(ctx, known.path)
    return ctx.outside[id(known.payload)]


def _record_of_class(ctx: Lowering, known: Static) -> Record:
    """The record of the attributes of a class that the program writes."""
    assert ctx.outside is not None
    cls = known.payload
    if id(cls) not in ctx.outside:
        origin = Global(known.path or cls.__name__, Other("class"), cls, resolved=True)
        ctx.outside[id(cls)] = Record(known.path or cls.__name__, "object", origin=origin, through=not ctx.program.replayed)
    box = ctx.outside[id(cls)]
    assert isinstance(box, Record)
    return box


def attribute_of_class(ctx: Lowering, cls: Any, name: str) -> Entity | None:
    """The member of a class, its own or inherited, under a name that the program writes there; None for what is constant."""
    if all(name != written for _, written in ctx.program.attributes) or not isinstance(cls, type | FunctionType | ModuleType):
        return None
    for base in cls.__mro__ if isinstance(cls, type) else (cls,):
        if any(base is known.payload and name == written for known, written in ctx.program.attributes):
            if ctx.outside is None:
                _refuse_state(ctx, f"{base.__name__}.{name}")
            if ctx.program.keeping is not None:
                ctx.program.keeping.refuse(f"{base.__name__}.{name}", f"the program writes {base.__name__}.{name}")
            return ctx.variables[(_record_of_class(ctx, Static(base)), name)]
        if isinstance(base, FunctionType | ModuleType) or observe.own(base, name) is not observe.ABSENT:
            break
    return None


def class_for_writing(ctx: Lowering, known: Static, name: str, node: gast.AST) -> Record:
    """The record of a class or function, one of whose attributes is about to be assigned. Refuses what is no plain value of its
    own."""
    cls = known.payload
    if ctx.program.from_files or not isinstance(cls, type | FunctionType) or observe.is_library(cls):
        why = "a derivative call may not change objects outside"
        ctx.refuse(node, f"assigning the attribute {name!r}", why, "return the value")
    own_way = isinstance(cls, type) and (observe.decides(type(cls), "__setattr__") or observe.decides(type(cls), name))
    if own_way or isinstance(cls, FunctionType) and name in vars(FunctionType):
        ctx.refuse(node, f"assigning {cls.__name__}.{name}", "the class of this class has its own way to set it", "a plain class")
    held = observe.held_by(cls, name)
    if not isinstance(layout(held), Scalar | Array) and type(held) not in (str, type(None), tuple):
        absent = held is observe.ABSENT
        why = f"{cls.__name__} itself has none yet" if absent else f"it is a {type(held).__name__}, and {MAY_STAY}"
        ctx.refuse(node, f"assigning {cls.__name__}.{name}", why, f"{name} = 0 in the class, or an object that counts")
    if ctx.outside is None:
        _refuse_state(ctx, f"{cls.__name__}.{name}")
    if not any(cls is root.payload and name == written for root, written in ctx.program.attributes):
        raise Again(attributes=((known, name),))
    return _record_of_class(ctx, known)


def name_for_writing(ctx: Lowering, frame: Frame, name: str, node: gast.AST) -> None:
    """Follow a name of a module, or of a function around that is no part of the program, which is about to be bound: a call of
    the function comes first, and leaves it bound."""
    space = observe.space_of(frame.scope.function, name) if isinstance(frame.scope, LiveScope) else None
    if space is not None and not ctx.program.from_files:
        ctx.program.after_a_call()
    followed = space is not None and ctx.program.replayed
    if not followed or observe.held_by(space, name) is observe.ABSENT:
        why = "it is bound by nobody before" if followed else "a derivative call may not change what is outside of it"
        ctx.refuse(node, f"assigning {name!r}, which is no variable of the program", why, "pass the value in and return it")
    if ctx.outside is None:
        _refuse_state(ctx, name)
    if not any(space is root.payload and name == written for root, written in ctx.program.attributes):
        raise Again(attributes=((Static(space, getattr(space, "__name__", f"{name}_cell")), name),))


def _refuse_state(ctx: Lowering, path: str) -> NoReturn:
    raise acting(path, ctx.builder.loc)


def apart(ctx: Lowering, given: list[Value]) -> None:
    """A check at entry that no argument is, or holds, an object outside that the program writes into."""
    structured = [v for v in given if v.kind.container]
    for root in ctx.program.outside if structured else ():
        names = ", ".join([root.path, *(v.name or "_" for v in structured)])
        ctx.builder.call("s2sad.runtime.assert_apart", names, state(root.path, root.payload), *structured)


def _entered(ctx: Lowering, value: Value, payload: Any) -> Entity:
    """The contents of a live object, with one record for each object in it."""
    assert ctx.outside is not None
    if id(payload) in ctx.outside:
        return ctx.outside[id(payload)]
    if id(payload) in ctx.program.appended:
        value.kind, ctx.program.lists[value] = List(UNKNOWN), payload
        ctx.outside[id(payload)] = value
        return value
    kind = value.kind
    if isinstance(kind, StructKind) and (is_record(payload) or isinstance(payload, dict)):
        box = Record("record", "object" if kind.cls else "dict", cls=kind.cls, keys=list(kind.keys), origin=value, sort=kind.sort)
        box.through = not ctx.program.replayed
        ctx.outside[id(payload)] = box
        inner = fields(payload) if kind.cls else payload
        for key, item_kind in zip(kind.keys, kind.items, strict=True):
            item = ctx.builder.call("s2sad.state", value, Const(bool(kind.cls)), Const(key))
            item.kind = item_kind
            last = str(key) if str(key).isidentifier() else "item"
            item.name = last if not value.name else f"{value.name}_{last}"
            ctx.variables[(box, key)] = _entered(ctx, item, inner[key])
        return box
    if isinstance(kind, StructKind) and kind.cls in CALLED:
        bound = Record("record", "object", cls=kind.cls, keys=list(kind.keys))
        for key, item_kind in zip(kind.keys, kind.items, strict=True):
            item = ctx.builder.call("s2sad.state", value, Const(True), Const(key))
            item.kind = item_kind
            ctx.variables[(bound, key)] = _entered(ctx, item, getattr(payload, str(key)))
        ctx.outside[id(payload)] = called(ctx, bound)
        return ctx.outside[id(payload)]
    if isinstance(kind, Tuple) and any(_may_change(part, ctx.program.replayed) for part in observe.reach(payload)):
        items: list[Entity] = []
        for k, (inner_kind, part) in enumerate(zip(kind.items, payload, strict=True)):
            item = ctx.builder.call("s2sad.state", value, Const(False), Const(k))
            item.kind, item.name = inner_kind, f"{value.name or 'item'}_{k}"
            items.append(_entered(ctx, item, part))
        made = ctx.outside[id(payload)] = Struct(items, "list" if kind.listed else "tuple", kind.names, kind.cls)
        if type(payload) is list:
            ctx.listed[made] = Static(payload, _path(value)), payload
        return made
    if ctx.program.replayed and type(payload) in observe.GATHERED:
        ctx.outside[id(payload)] = gathered.copied(ctx, value, payload, _path(value))
        return ctx.outside[id(payload)]
    if type(payload) is list:
        value.kind = _found_empty(ctx, payload) or value.kind
        ctx.program.lists[value] = payload
    return take_apart(ctx, value, OUTSIDE, Static(payload, _path(value)), payload)


def _path(value: Value) -> str:
    """A name for something outside, or for what is read of it."""
    return value.path if isinstance(value, Global) else value.name or ""


def _found_empty(ctx: Lowering, payload: Any) -> Kind | None:
    """The kind of a list outside that is empty, where the program works on a copy: it will hold what it is given, and no more."""
    if not ctx.program.replayed or type(payload) is not list or payload:
        return None
    observe.contents(payload)
    return List(BOTTOM)


def appended(ctx: Lowering, items: Value, entity: Entity, node: gast.AST) -> bool:
    """``items.append(entity)`` of a list outside, which the caller sees longer afterwards; False of other lists.

    What is in it is not followed, so that nothing else may look at the list (``check_unread``).
    """
    payload = items.payload if isinstance(items, Global) and items.resolved else ctx.program.lists.get(items)
    root = ctx.roots.get(items) or (Static(payload, items.path) if isinstance(items, Global) else None)
    if ctx.program.from_files or payload is None and root is None or payload is not None and type(payload) is not list:
        return False
    if ctx.outside is None:
        raise Acts(
            "appending to a list outside in this function is not supported", location=ctx.builder.loc,
            why="it is called by others, by itself, or differentiated by the program", instead="a result in place of the list",
        )  # fmt: skip
    if payload is None or not any(part is payload for known in ctx.program.outside for part in observe.reach(known.payload)):
        assert root is not None
        raise Again(outside=(root,))
    if ctx.program.replayed and id(payload) not in ctx.program.appended:
        return False
    if not ctx.program.replayed and not (_may_stay(entity) or _is_made_here(ctx, entity)):
        ctx.program.after_a_call()
        ctx.refuse(node, "leaving this in a list outside", f"only {MAY_STAY}", "its parts, or the result")
    ctx.program.grown[id(payload)] = payload
    if not ctx.program.replayed:
        value = global_of(entity) if isinstance(entity, Static) else as_value(ctx, entity, node)
        seal(ctx, entity, LEFT)
        ctx.builder.call("s2sad.leave_item", items, value)
    return True


def grows(ctx: Lowering, items: Struct) -> None:
    """``append`` to a list outside whose items are known one by one: it is lowered again, as one at which nobody looks."""
    root, payload = ctx.listed.get(items, (None, None))
    if root is None or ctx.program.from_files or ctx.outside is None or id(payload) in ctx.program.appended:
        return
    inside = any(part is payload for known in ctx.program.outside for part in observe.reach(known.payload))
    raise Again(appended=frozenset([id(payload)]), outside=() if inside else (root,))


def refuse_container(ctx: Lowering, thing: Any, path: str, node: gast.AST) -> None:
    """Refuse a set or queue outside, whose items are not followed; nothing where it is something else."""
    if isinstance(thing, set | frozenset | deque):
        sort, list_of = type(thing).__name__, "a list" if isinstance(thing, deque) else "a dict with its members for keys"
        ctx.refuse(node, f"{path or 'this'}, a {sort} outside,", f"the items of a {sort} that others hold are not followed",
                   f"{list_of} in its place, or a {sort} that the function makes")  # fmt: skip


def check_unread(program: Program, functions: list[Function]) -> None:
    """Refuse what looks at a list outside to which the program appends: what it finds there would carry no derivative."""
    if not program.grown:
        return
    for function in functions:
        for op in ops_of(function.body):
            looks = not isinstance(op, Call) or op.target not in NO_LOOKS
            grown = next((value for value in op.operands() if _is_grown(program, value)), None)
            if looks and grown is not None:
                _refuse_reading(program, grown, op.loc)
        for value in (value for block in blocks_of(function.body) for value in block.yields if _is_grown(program, value)):
            _refuse_reading(program, value, None)


def _is_grown(program: Program, value: Value) -> bool:
    if isinstance(value, Global):
        return any(id(part) in program.grown for part in observe.reach(value.payload))
    return id(program.lists.get(value)) in program.grown


def _refuse_reading(program: Program, value: Value, location: Location | None) -> None:
    program.after_a_call()
    name = value.path if isinstance(value, Global) else value.name
    raise AliasError(
        f"reading {name}, a list outside to which the program appends, is not supported", location=location,
        why="what is found there carries no derivative", instead="a list of the function's own, which is returned",
    )  # fmt: skip


def _may_change(part: Any, replayed: bool = False) -> bool:
    return is_record(part) or isinstance(part, dict) or replayed and isinstance(part, (np.ndarray, list, *observe.GATHERED))


def record_of(ctx: Lowering, known: Static | Global) -> Entity | None:
    """The record of a live object that the program writes into, or that holds one; None for what it only reads."""
    if not ctx.program.outside:
        return None
    replayed = ctx.program.replayed
    written = {id(part) for root in ctx.program.outside for part in observe.reach(root.payload) if _may_change(part, replayed)}
    written |= ctx.program.appended
    if not any(id(part) in written for part in observe.reach(known.payload)):
        return None
    if ctx.outside is None:
        _refuse_state(ctx, known.path)
    if id(known.payload) not in ctx.outside:
        raise Again(outside=(Static(known.payload, known.path),))
    return ctx.outside[id(known.payload)]


def written_through(ctx: Lowering, box: Record, key: Any, entity: Entity, node: gast.AST) -> None:
    """Assign a field in the object outside, too."""
    assert box.origin is not None
    if is_maybe(entity):
        assert isinstance(entity, Struct)
        test, held = entity.items
        control.branch(
            ctx, test, lambda: _store(ctx, box, key, held, node), lambda: _store(ctx, box, key, Const(None), node), node
        )
    elif isinstance(entity, Choice):
        for label, one in zip(entity.labels, entity.alternatives, strict=True):
            here = is_label(ctx, entity.tag, label)
            control.branch(ctx, here, lambda: _store(ctx, box, key, one, node), lambda: None, node)  # noqa: B023  (called at once)
    else:
        _store(ctx, box, key, entity, node)


def _store(ctx: Lowering, box: Record, key: Any, entity: Entity, node: gast.AST) -> None:
    if not _may_stay(entity):
        ctx.program.after_a_call()
        ctx.refuse(node, f"leaving this in {key!r} of an object outside", f"only {MAY_STAY}", "its parts, or the result")
    value = global_of(entity) if isinstance(entity, Static) else ctx.value(entity, node)
    assert box.origin is not None
    ctx.builder.call("s2sad.leave", box.origin, Const(box.kind == "object"), Const(key), value)


def _is_made_here(ctx: Lowering, entity: Entity, within: tuple[Record, ...] = ()) -> bool:
    """Test for a dict, or an object, that the program has made of what may stay: it is left as it is, and not changed."""
    if not isinstance(entity, Record) or entity.sort is not None or entity.sealed or entity.origin is not None or entity.unsure:
        return False
    if entity in within:
        return False
    keys = ctx.keys(entity, None)
    if CONTENTS in keys or not all(isinstance(key, str | int | float) for key in keys):
        return False
    parts = [ctx.variables[entity, key] for key in keys]
    return all(_may_stay(part) or _is_made_here(ctx, part, (*within, entity)) for part in parts)


def _may_stay(entity: Entity) -> bool:
    if isinstance(entity, Struct):
        return entity.kind == "tuple" and entity.cls is None and all(map(_may_stay, entity.items))
    if isinstance(entity, Const | Static):
        return True
    if isinstance(entity, Global):
        return isinstance(kind_of(entity.payload), Scalar | Array | Other)
    return isinstance(entity, Value) and (isinstance(entity.kind, Scalar | Array) or str(entity.kind) in ("none", "str"))
