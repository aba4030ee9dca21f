"""Values with structure and the entities of their items: taken apart where they come in, put together where they leave.

    def loss(model, x):                         def loss(model, x):
        return model.w @ x        ==>               w = model.w            # the field of a record, a variable
                                                    return w @ x

A *frozen* record is an aggregate of what its fields hold at one moment: what a function returns, and what branches and
loops merge.
"""

from __future__ import annotations

import ast
import functools
import re
import types
from collections.abc import Container, Iterable, Iterator
from typing import Any

from s2sad.errors import ActivityError
from s2sad.frontend import observe
from s2sad.frontend.entities import Choice, Entity, ObjectKey, Partial, Record, Static, Struct, Top
from s2sad.frontend.lower.maybe import seen
from s2sad.frontend.lower.state import Key, Lowering
from s2sad.ir.kinds import NONE, List, Singleton, StructKind, Tuple
from s2sad.ir.nodes import Const, Value
from s2sad.rules.structures import take_item
from s2sad.runtime.structures import fields


def take_apart(
    ctx: Lowering, value: Value, sealed: str = "", root: Static | None = None, live: Any = None,
) -> Entity:  # fmt: skip
    """A value that is a tuple, a dict or an object, as an aggregate or record of its items; ``root``: found in it outside, where
    it is ``live``."""
    if isinstance(value.kind, Tuple):
        if value.kind.cls is not None:
            observe.named_tuple(value.kind.cls)
        items: list[Entity] = []
        for k, kind in enumerate(value.kind.items):
            item = take_item(ctx.builder, value, k, kind)
            item.name = f"{value.name}_{k}" if value.name else None
            items.append(take_apart(ctx, item, sealed, root, _part(live, k)))
        made = Struct(items, "list" if value.kind.listed else "tuple", value.kind.names, value.kind.cls)
        if root is not None and type(live) is list:
            ctx.listed[made] = root, live
        return made
    if isinstance(value.kind, StructKind):
        box = Record(
            "record", "object" if value.kind.cls else "dict", cls=value.kind.cls, keys=list(value.kind.keys),
            sort=value.kind.sort,
        )
        box.sealed, box.origin, box.root = sealed, value, root
        for key, kind in zip(value.kind.keys, value.kind.items, strict=True):
            item = take_item(ctx.builder, value, key, kind)
            last = str(key) if str(key).isidentifier() else "item"
            item.name = f"{value.name}_{last}" if value.name else last
            if root is not None and isinstance(kind, List):
                ctx.roots[item] = root
            ctx.variables[(box, key)] = take_apart(ctx, item, sealed, root, _part(live, key))
        return called(ctx, box)
    if root is not None and type(live) in observe.GATHERED:
        ctx.containers[value] = root, live
    if value.kind == NONE:
        return Const(None)
    if isinstance(value.kind, Singleton) and type(value.kind.payload) in observe.FLAGS:
        return Const(value.kind.payload)
    if isinstance(value.kind, Singleton):
        return Static(value.kind.payload, getattr(value.kind.payload, "__name__", ""))
    return value


def _part(live: Any, key: Any) -> Any:
    """The part of an object outside under a key or an attribute's name; None of None."""
    if live is None or isinstance(live, tuple | list | dict):
        return None if live is None else live[key]
    return getattr(live, str(key)) if type(live) in CALLED else fields(live).get(key)


CALLED = (functools.partial, types.MethodType)


def called(ctx: Lowering, box: Record) -> Entity:
    """The callable that a ``partial`` or bound method calls, if the record is one."""
    if box.cls not in CALLED:
        return box
    first, second, *rest = (ctx.variables[(box, key)] for key in box.keys)
    if box.cls is types.MethodType:
        return Partial(second, [first], {})
    assert isinstance(second, Struct) and isinstance(rest[0], Record)
    return Partial(first, list(second.items), {key: ctx.variables[(rest[0], key)] for key in rest[0].keys})


# --- parts that are parameters of their own


@functools.lru_cache(maxsize=256)
def parse_path(text: str) -> tuple[str, tuple[str | int, ...]]:
    """``self.layers[0].w`` → its root and its path. Raises ValueError for other expressions."""
    keys: list[str | int] = []
    try:
        node: ast.expr = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r} is no attribute path") from error
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            keys.append(node.attr)
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str | int)
        ):
            keys.append(node.slice.value)
        else:
            raise ValueError(f"{text!r} is no attribute path")
        node = node.value
    return node.id, tuple(reversed(keys))


def part_name(path: str) -> str:
    """The name of the parameter that stands for a part: ``self.w`` is ``self_w``."""
    return path if path.isidentifier() else re.sub(r"\W+", "_", path).strip("_")


def replace_part(ctx: Lowering, whole: Entity, keys: tuple[str | int, ...], part: Entity, path: str) -> None:
    """Put a part in its place in a parameter that was taken apart. Raises ActivityError where it has no place."""
    for key in keys[:-1]:
        whole = _inner(ctx, whole, key, path)
    key = keys[-1]
    _inner(ctx, whole, key, path)
    if isinstance(whole, Record):
        ctx.variables[(whole, key)] = part
    elif isinstance(whole, Struct):
        whole.items[_position(whole, key)] = part


def _inner(ctx: Lowering, whole: Entity, key: str | int, path: str) -> Entity:
    if isinstance(whole, Record) and (whole, key) in ctx.variables:
        return ctx.variables[(whole, key)]
    if isinstance(whole, Struct) and (key in whole.keys or isinstance(key, int)):
        return whole.items[_position(whole, key)]
    raise ActivityError(
        f"wrt={path!r}: the items of a plain list are not parts of their own",
        instead="differentiate with respect to the whole list",
    )


def _position(whole: Struct, key: str | int) -> int:
    return key if isinstance(key, int) else whole.keys.index(key)


# --- records at one moment


def holds_records(entity: Entity, lasting: Container[object] = ()) -> bool:
    """Presence of records in an entity, apart from references to ``lasting`` ones."""
    return any(isinstance(leaf, Record) for leaf in loose(entity, lasting))


def as_struct(
    ctx: Lowering, entity: Entity, variables: dict[Key, Entity] | None = None, within: tuple[Record, ...] = (),
    lasting: Container[object] = (),
) -> Entity:  # fmt: skip
    """The entity with aggregates of their fields in place of records, apart from those that are fields of themselves.

    ``within``: the records that it is a field of; ``lasting``: those to which references stay what they are (``referring``).
    """
    table = ctx.variables if variables is None else variables

    def inside(items: Iterable[Entity]) -> list[Entity]:
        return [as_struct(ctx, item, variables, within, lasting) for item in items]

    if isinstance(entity, Record):
        if entity in within:
            return Top("the object is a field of itself, by way of others")
        keys = ctx.keys(entity, None)
        if not all((entity, key) in table for key in keys):
            return Top("some of its fields are not set on every path")
        within = (*within, entity)
        return Struct(inside(table[(entity, key)] for key in keys), entity.kind, tuple(keys), entity.cls, entity.sort)
    if isinstance(entity, Struct):
        return Struct(inside(entity.items), entity.kind, entity.keys, entity.cls, entity.sort)
    if isinstance(entity, Choice):
        if all(isinstance(one, Record) and one in lasting for one in entity.alternatives):
            return entity
        return Choice(entity.tag, entity.labels, inside(entity.alternatives))
    return entity


def whole(ctx: Lowering, entity: Entity, node: object) -> Value:
    """An entity as one run-time value; objects are made anew."""
    return ctx.value(_as_value(ctx, as_struct(ctx, entity), node), node)


def _as_value(ctx: Lowering, entity: Entity, node: object) -> Entity:
    if not isinstance(entity, Struct):
        return entity
    items = [_as_value(ctx, item, node) for item in entity.items]
    return Struct(items, entity.kind, entity.keys, entity.cls, entity.sort)


def as_record(ctx: Lowering, entity: Entity, sealed: str = "") -> Entity:
    """The entity with new records in place of aggregates of fields."""
    if isinstance(entity, Choice):
        return Choice(entity.tag, entity.labels, [as_record(ctx, item, sealed) for item in entity.alternatives])
    if not isinstance(entity, Struct):
        return entity
    items = [as_record(ctx, item, sealed) for item in entity.items]
    if entity.kind not in ("dict", "object"):
        return Struct(items, entity.kind, entity.keys, entity.cls, entity.sort)
    box = Record(
        entity.cls.__name__ if entity.cls else "record",
        entity.kind,
        entity.cls,
        list(entity.keys),
        entity.sort,
        sealed=sealed,
    )
    ctx.variables.update({(box, key): item for key, item in zip(entity.keys, items, strict=True)})
    return box


def seal(ctx: Lowering, entity: Entity, why: str, lasting: Container[object] = ()) -> None:
    """Forbid assignments to the fields of all records in an entity, apart from references to ``lasting`` ones: others would
    not see them."""
    for box in records_in(entity, ctx.variables, lasting):
        box.sealed = box.sealed or why


def loose(entity: Entity, lasting: Container[object] = ()) -> Iterator[Entity]:
    """The leaves of an entity, apart from references to ``lasting`` records."""
    if isinstance(entity, Struct):
        for item in entity.items:
            yield from loose(item, lasting)
    elif not isinstance(entity, Choice):
        yield entity
    elif not all(isinstance(one, Record) and one in lasting for one in entity.alternatives):
        for item in entity.alternatives:
            yield from loose(item, lasting)


def records_in(entity: Entity, variables: dict[Key, Entity], lasting: Container[object] = ()) -> dict[Record, None]:
    """The records in an entity, and in their fields; some may be fields of themselves. Without references to ``lasting`` ones."""
    found: dict[Record, None] = {}
    pending = [entity]
    while pending:
        for leaf in map(seen, loose(pending.pop(), lasting)):
            if isinstance(leaf, Record) and leaf not in found:
                found[leaf] = None
                pending += [variables[(leaf, key)] for key in leaf.keys if (leaf, key) in variables]
                pending += [key.box for key in leaf.keys if isinstance(key, ObjectKey)]
    return found


def stands_twice(ctx: Lowering, entity: Entity) -> bool:
    """Test for an object, or a list whose items are known one by one, that an entity holds in two places."""
    found: set[Entity] = set()
    pending = [entity]
    while pending:
        part = pending.pop()
        if isinstance(part, Record) or isinstance(part, Struct) and part.kind == "list":
            if part in found:
                return True
            found.add(part)
        if isinstance(part, Record):
            pending += [ctx.variables[part, key] for key in part.keys if (part, key) in ctx.variables]
        pending += part.items if isinstance(part, Struct) else part.alternatives if isinstance(part, Choice) else []
    return False


# --- which keys records have


def layouts(ctx: Lowering) -> dict[Record, list[object]]:
    """The keys of all records that are in sight."""
    return {box: list(box.keys) for box in ctx.in_sight()}


def restore_layouts(known: dict[Record, list[object]]) -> dict[Record, list[object]]:
    """Put the keys back that the records had; returns those that they have had until now."""
    now = {box: list(box.keys) for box in known}
    for box, keys in known.items():
        box.keys[:] = keys
    return now


def join_layouts(known: dict[Record, list[object]], why: str) -> None:
    """Where records have other keys than on another path, it is not known which they have."""
    for box, keys in known.items():
        if box.keys != keys:
            box.keys[:] = [*keys, *(key for key in box.keys if key not in keys)]
            box.unsure = why
