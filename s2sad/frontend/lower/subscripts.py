"""Lowering subscripts: reads, and the stores of assignments into them."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager

import gast

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Choice,
    Entity,
    Iteration,
    Record,
    Static,
    Struct,
    Top,
    flatten,
    rebuild,
    same_structure,
)
from s2sad.frontend.fence import KnownFailure
from s2sad.frontend.lower import (
    bound,
    built_on,
    control,
    keys,
    known_items,
    known_objects,
    library_calls,
    maps,
    objects,
    slices,
    strings,
)
from s2sad.frontend.lower.attributes import attribute_of
from s2sad.frontend.lower.dispatch import apply, lower, lower_value
from s2sad.frontend.lower.failures import is_new
from s2sad.frontend.lower.lists import as_item, by_cells, hold, in_turn, item_at, taken
from s2sad.frontend.lower.maybe import seen
from s2sad.frontend.lower.outside import refuse_container
from s2sad.frontend.lower.parts import as_record, as_struct, seal, take_apart
from s2sad.frontend.lower.referring import SELECTED, refers
from s2sad.frontend.lower.selection import by_index, each, is_selection
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import (
    OBJECT,
    STR,
    UNKNOWN,
    Array,
    List,
    Scalar,
    Slice,
    Tuple,
    TupleOf,
    dtype_of,
    index_parts,
    is_differentiable,
    is_lasting,
    is_number,
    join_all,
    kind_of,
    least_of,
)
from s2sad.ir.nodes import Block, Const, Global, Value
from s2sad.rules.kind_rules import shape_of

IN_PLACE = {"add": "s2sad.additem", "sub": "s2sad.subitem"}


def subscript(ctx: Lowering, node: gast.Subscript) -> Entity:
    """``base[index]`` as a value."""
    base, index = in_turn(ctx, lower(ctx, node.value), lambda: lower(ctx, node.slice))
    return read(ctx, base, index, node)


def _member(ctx: Lowering, enumeration: Static, name: str, node: gast.AST) -> Entity:
    """``Color["RED"]``."""
    if name not in observe.attribute(enumeration.payload, "_member_map_"):
        ctx.fail(node, KeyError(name), "this member", "the name of one")
    return attribute_of(ctx, enumeration, name, node)


def read(ctx: Lowering, base: Entity, index: Entity, node: gast.AST) -> Entity:
    """``base[index]`` of entities."""
    base = control.present(ctx, base, "'NoneType' object is not subscriptable", node)
    base = built_on.contents(ctx, seen(base), "__getitem__", "__missing__")
    if (known := known_objects.operation(ctx, "getitem", base, index, node)) is not None:
        return known
    if isinstance(base, Choice):
        return each(ctx, base, lambda one: read(ctx, one, index, node), node)
    if isinstance(base, Record) and base.kind == "object":
        return objects.call_method(ctx, base, "__getitem__", [index], {}, node)
    if isinstance(index, Choice) and all(isinstance(keys.constant(one), Const) for one in index.alternatives):
        return each(ctx, index, lambda one: read(ctx, base, one, node), node)
    if isinstance(base, Iteration) and not base.once:
        base = apply(ctx, Static(list, "builtins.list"), [base], {}, node)
    if isinstance(base, Struct):
        return _read_aggregate(ctx, base, index, node)
    if isinstance(base, Record) and base.kind == "dict":
        maps.check_hash(ctx, index, node)
    if isinstance(base, Record) and (text := strings.constant_text(index)) is not None:
        index = Const(text)  # also where a global name, or a default, says it
    elif isinstance(base, Record) and base.kind == "dict" and _is_literal(index):
        index = ctx.value(index, node, "a key")
    if (
        isinstance(base, Record) and isinstance(base.origin, Global)
        and not isinstance(index, Const) and not _is_choice(ctx, base)
    ):  # fmt: skip
        item = ctx.builder.call("operator.getitem", base.origin, ctx.value(index, node, "a key"))
        contents = base.origin.payload.values() if isinstance(base.origin.payload, dict) else ()
        item.kind = join_all(kind_of(value) for value in contents if not _is_empty(value))
        return item
    if isinstance(base, Record) and base.kind == "dict":
        index = keys.constant(index)
        if not isinstance(index, Const):
            return keys.chosen(ctx, base, index, node)
        if base.factory is not None and index.payload not in ctx.keys(base, node):
            return _missing(ctx, base, index.payload, node)
        return ctx.variables[_box_key(ctx, base, index, node)]
    if isinstance(base, Global) and base.resolved and isinstance(base.payload, tuple) and isinstance(index, Const):
        listed, at = base.payload, index.payload
        literal = ctx.known(node, lambda: listed[at], f"this index of {base.path}", "one in range") if type(at) is int else None
        if isinstance(literal, str):  # the name of an attribute or key, which must be known
            return Const(literal)
    if isinstance(base, Static):
        if type(base.payload) is enum.EnumMeta and isinstance(index, Const) and isinstance(index.payload, str):
            return _member(ctx, base, index.payload, node)
        found = library_calls.subscripted(ctx, base.payload, index, node)
        if found is not None:
            return found
        refuse_container(ctx, base.payload, base.path, node)
        ctx.refuse(
            node, "a subscript of this object", f"{base.path or base.payload!r} is no array", "an array"
        )
    array = ctx.value(base, node)
    text = strings.constant_text(array)
    if text is not None and (part := _known_part(index)) is not None:
        return Const(ctx.known(node, lambda: text[part], "this part of a text", "one that is there"))
    if maps.is_map(array):
        return taken(ctx, maps.read(ctx, array, index, node))
    named = isinstance(index, Const)
    if isinstance(array.kind, Tuple) and is_differentiable(array.kind) and isinstance(index, Const):
        index = _from_the_front(index, len(array.kind.items))
        named = not isinstance(index.payload, slice)
    if isinstance(array.kind, Tuple) and not array.kind.listed and not named:
        items = take_apart(ctx, array)
        assert isinstance(items, Struct)
        return _read_aggregate(ctx, items, index, node)
    if array.kind.fixed and not isinstance(index, Const):
        ctx.refuse(
            node,
            "a computed index into a tuple",
            "its items may differ in kind",
            "a constant index or a list",
        )
    return item_at(ctx, array, ctx.value(index, node, "an index"))


def _missing(ctx: Lowering, box: Record, key: object, node: gast.AST) -> Entity:
    """``box[key]`` of a Counter, which stays as it is, or a defaultdict, which makes the item."""
    factory = box.factory
    assert factory is not None
    if isinstance(factory, Top):
        ctx.refuse(node, f"the key {key!r}, which is missing,", factory.why, "get, with a default")
    if not isinstance(factory, Const):  # of a Counter
        objects.put(ctx, box, key, apply(ctx, factory, [], {}, node), node)
        return ctx.variables[(box, key)]
    return factory


def _known_part(index: Entity) -> slice | None:
    """A slice between literals."""
    kind = index.kind if isinstance(index, Value) and isinstance(index.kind, Slice) else None
    parts = [] if kind is None else [kind.start, kind.stop, kind.step]
    return slice(*parts) if parts and all(part is None or type(part) is int for part in parts) else None


def _from_the_front(index: Const, count: int) -> Const:
    """A constant index of one of ``count`` items, counted from the front: what is due to an item is collected by its index."""
    place = index.payload
    return Const(place + count) if isinstance(place, int) and -count <= place < 0 else index


def _read_aggregate(ctx: Lowering, base: Struct, index: Entity, node: gast.AST) -> Entity:
    if isinstance(index, Const) and isinstance(index.payload, int):
        try:
            return base.items[index.payload]
        except IndexError:
            error = IndexError(f"{base.kind} index out of range")
            ctx.fail(node, error, f"this index of {len(base.items)} items", "a smaller index")
    if isinstance(index, Const) and isinstance(index.payload, slice):
        items, part = base.items, index.payload
        return Struct(ctx.known(node, lambda: items[part], "this slice", "whole numbers, and a step"), base.kind)
    rows = [list(flatten(as_struct(ctx, item))) for item in base.items]
    first = as_struct(ctx, base.items[0]) if base.items else None
    alike = first is not None and all(same_structure(first, as_struct(ctx, item)) for item in base.items[1:])
    place = ctx.value(index, node, "an index")
    if first is None or isinstance(place.kind, Slice):
        ctx.refuse(node, "this index of a tuple", "which items it names must be known", "a constant index")
    if refers(ctx, base.items) or not alike or not all(isinstance(leaf, Value) for row in rows for leaf in row):
        return by_index(ctx, base.items, place, node)
    leaves = [_chosen(ctx, column, place) for column in zip(*rows, strict=True)]
    for item in base.items:
        seal(ctx, item, SELECTED)
    return as_record(ctx, rebuild(first, iter(leaves)), SELECTED)


def _is_empty(value: object) -> bool:
    """Test for a list from which nothing is learnt about the items of others."""
    return isinstance(value, list) and not value


def _is_choice(ctx: Lowering, box: Record) -> bool:
    """Test for a record that holds what is known at compile time, so that a computed key chooses among it."""
    items = [ctx.variables[(box, key)] for key in ctx.keys(box, None)]
    return is_selection(ctx, items) and not all(map(keys.is_data, items))


def _chosen(ctx: Lowering, column: tuple[Entity, ...], place: Value) -> Value:
    """One of several values, by an index."""
    values = [leaf for leaf in column if isinstance(leaf, Value)]
    return ctx.builder.call("operator.getitem", ctx.builder.call("builtins.list", *values), place)


def _box_key(ctx: Lowering, box: Record, index: Entity, node: gast.AST) -> tuple[Record, object]:
    assert isinstance(index, Const)
    if index.payload not in box.keys or (box, index.payload) not in ctx.variables:
        if index.payload in box.appears:
            ctx.keys(box, node)  # it may be there in a later iteration
        ctx.fail(node, KeyError(index.payload), f"the key {index.payload!r}", f"one of {box.keys}")
    bound.check(ctx, (box, index.payload), KeyError(index.payload))
    return (box, index.payload)


def _is_literal(index: Entity) -> bool:
    """Test for an index that is a tuple of constants."""
    return isinstance(index, Struct) and all(isinstance(leaf, Const) for leaf in flatten(index))


def slice_(ctx: Lowering, node: gast.Slice) -> Entity:
    """``start:stop:step``."""
    parts = [
        lower_value(ctx, p) if p is not None else Const(None) for p in (node.lower, node.upper, node.step)
    ]
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*(p.payload for p in parts if isinstance(p, Const))))
    return ctx.builder.call("builtins.slice", *parts)


# --- stores


def has_own_way(base: Entity) -> bool:
    """Test for an owner whose stores are more than that the item is there: a method is called, or it fails."""
    return objects.is_object(base) or isinstance(base, Struct) and base.kind != "list"


def items_of(ctx: Lowering, base: Entity, index: Entity) -> list[Entity | None]:
    """The items of a dict where an index leads to: under one key, or anywhere."""
    if not isinstance(base, Record) or base.kind != "dict":
        return []
    found = [index.payload] if isinstance(index, Const) else base.keys
    return [ctx.variables.get((base, key)) for key in found]


def store(ctx: Lowering, base: Entity, index: Entity, entity: Entity, node: gast.AST) -> None:
    """``base[index] = entity``."""
    base = built_on.contents(ctx, base, "__setitem__")
    if isinstance(base, Record) and base.kind == "object":
        objects.call_method(ctx, base, "__setitem__", [index, entity], {}, node)
        return
    if isinstance(base, Record):
        maps.check_hash(ctx, index, node)
        index = ctx.value(index, node, "a key") if _is_literal(index) else keys.changing(ctx, base, index, node)
        if not isinstance(index, Const):
            maps.compute(ctx, base, node)
        objects.put(ctx, base, index.payload, entity, node)
        return
    if isinstance(base, Struct | Choice) and known_items.stored(ctx, base, index, entity, node):
        return
    target = writable(ctx, base, node)
    if maps.is_map(target):
        maps.store(ctx, target, index, entity, node)
        return
    if isinstance(target.kind, List) and isinstance(index, Value) and isinstance(index.kind, Slice):
        slices.store(ctx, target, index, entity, node)
        return
    place = ctx.value(index, node)
    _check_key(ctx, target, place, node)
    if isinstance(target.kind, List):
        value = as_item(ctx, entity, node, "what is stored")
        hold(ctx, target, value.kind)
    else:
        value = ctx.value(entity, node, "what is stored")
    _set(ctx, target, place, value)


def _set(ctx: Lowering, target: Value, index: Value, value: Value) -> None:
    """``target[index] = value``; a store into the imaginary part of an array is one into the array.

    z.imag[i] = v                         z[i] = z[i].real + 1j * v
    """
    by_item = target in ctx.flats and not isinstance(index.kind, Scalar)
    target, index = by_cells(ctx, target, index)
    if by_item:
        read_apart(ctx, "a store into a.flat[...]", target, index, [value])
        value = repeated(ctx, value, index)
    whole = _whole_of_imaginary(ctx, target)
    if whole is None:
        ctx.builder.call("operator.setitem", target, index, value)
        return
    real = ctx.builder.call("numpy.real", ctx.builder.call("operator.getitem", whole, index))
    imaginary = ctx.builder.call("operator.mul", Const(1j), value)
    ctx.builder.call("operator.setitem", whole, index, ctx.builder.call("operator.add", real, imaginary))


def read_apart(ctx: Lowering, store: str, target: Value, index: Value, read: list[Value]) -> None:
    """A check that what is written piece by piece is not read on the way, where that has not been made just now."""
    made = {value: op for op in ctx.builder.block.ops if is_new(op) for value in op.results}

    def is_fresh(value: Value) -> bool:
        holds = isinstance(value.kind, List | Tuple)
        return isinstance(value.kind, Scalar) or value in made and not (holds and not all(map(is_fresh, made[value].operands())))

    if old := [value for value in read if not is_fresh(value)]:
        ctx.builder.call("s2sad.runtime.assert_read_apart", Const(store), target, index, *old)


def repeated(ctx: Lowering, value: Value, cells: Value) -> Value:
    """Values as often as there are cells, which are index arrays, one an axis; a number stays."""
    if isinstance(value.kind, Scalar):
        return value
    first = ctx.builder.call("operator.getitem", cells, Const(0))
    return resized(ctx, value, ctx.builder.call("numpy.shape", first))


def resized(ctx: Lowering, value: Value, shape: Value) -> Value:
    """Values repeated to a shape; NumPy repeats none where there are none."""
    sizes = value.kind.shape if isinstance(value.kind, Array) else None
    if sizes is None or not all(map(least_of, sizes)):
        ctx.builder.call("s2sad.runtime.assert_some", value)
    return ctx.builder.call("numpy.resize", value, shape)


def _whole_of_imaginary(ctx: Lowering, value: Value) -> Value | None:
    """The array of which this is the imaginary part, if that was taken in this place."""
    made = ctx.builder.maker(value)
    return made.args[0] if made is not None and made.target == "ndarray.imag" else None


def writable(ctx: Lowering, base: Entity, node: gast.AST) -> Value:
    """The array or list behind a store's target."""
    if isinstance(base, Struct):
        known_items.let_be(ctx, base)
        if base.kind == "tuple":
            ctx.fail(node, TypeError("'tuple' object does not support item assignment"), "writing into a tuple", "a list")
        ctx.refuse(
            node,
            f"writing into this {base.kind}",
            "its items have different kinds",
            "separate names, or an array",
        )
    value = ctx.value(seen(base), node)
    if isinstance(value.kind, Scalar):
        error = TypeError(f"'{value.kind.dtype}' object does not support item assignment")
        ctx.fail(node, error, "writing into this value", "an array")
    if isinstance(value.kind, TupleOf):
        ctx.fail(node, TypeError("'tuple' object does not support item assignment"), "writing into a tuple", "a list")
    if value.kind.fixed or isinstance(value, Const):
        ctx.refuse(node, "writing into this value", f"a {value.kind} cannot be written into", "an array")
    if value.kind == OBJECT:  # a deque that is outside: what is read of it later would be a constant
        ctx.refuse(node, "writing into this object", "what it does with what it is given is not known", "a list, or an array")
    return value


def _check_key(ctx: Lowering, target: Value, place: Value, node: gast.AST) -> None:
    if target.kind == UNKNOWN and place.kind == STR:
        ctx.ask_for_kind(node, "writing under this key is not supported", "which other keys the dict has is not known")


@contextmanager
def _failing_in(block: Block) -> Iterator[None]:
    """What is known to fail within fails behind what stands in a block."""
    try:
        yield
    except KnownFailure as failure:
        failure.block = block
        raise


def augment(ctx: Lowering, base: Entity, index: Entity, op: str, value: Value, node: gast.AST, here: int) -> None:
    """``base[index] op= value``; adding is an operation of its own, which is linear and records nothing.

    The operations from ``here`` on compute the value: what is loaded is loaded before them, as Python does, which tells what
    raises first. What is added to is looked at there only where they do more than compute.
    """
    block = ctx.builder.block
    with _failing_in(block), ctx.builder.inside(Block()) as early:
        target, place = by_cells(ctx, writable(ctx, base, node), ctx.value(index, node))
        _check_key(ctx, target, place, node)
        arrays = isinstance(target.kind, Array) or target.kind == UNKNOWN and _has_slice(place)
        adds = op in IN_PLACE and arrays and _distinct(place) and _whole_of_imaginary(ctx, target) is None
        old = ctx.builder.call("operator.getitem", target, place) if not adds or ctx.program.acts(block.ops[here:]) else None
        if old is not None and not adds and isinstance(target.kind, List) and old.kind == UNKNOWN:
            ctx.builder.call("s2sad.runtime.assert_number", old)  # an array in a list changes for all who see it
    block.ops[here:here] = early.ops
    if adds:
        ctx.builder.call(IN_PLACE[op], target, place, value)
        return
    assert old is not None
    if isinstance(target.kind, List) and isinstance(old.kind, Array):
        augment_whole(ctx, old, op, value)
        return
    _put(ctx, target, place, _combined(ctx, op, old, value))


def _combined(ctx: Lowering, op: str, old: Value, value: Value) -> Value:
    """``old op value``, to be stored where ``old`` was: into an array only what NumPy casts in place."""
    computed = ctx.builder.call(f"operator.{op}", old, value)
    own, found = dtype_of(old.kind), dtype_of(computed.kind)
    if isinstance(old.kind, Array) and _loses(found, own):
        raise UnsupportedSyntaxError(
            f"this operator in place, of an array of {own}, is not supported", location=ctx.builder.loc,
            why=f"NumPy raises a UFuncTypeError: it does not cast {found} to {own}", instead="an array of floats",
        )  # fmt: skip
    return computed


def _put(ctx: Lowering, target: Value, place: Value, value: Value) -> None:
    """``target[place] = value``, of which a list learns that it may hold it."""
    if isinstance(target.kind, List):
        hold(ctx, target, value.kind)
    _set(ctx, target, place, value)


def augment_loaded(ctx: Lowering, base: Entity, index: Entity, op: str, value: Value, node: gast.AST, here: int) -> bool:
    """``base[index] op= value`` where the operations from ``here`` on, which compute the value, change what others see.

    Python has loaded ``base[index]`` before them: a number, or what an index array chooses, as it was then. False where
    nothing is changed, or it is a window, which shows what it is by now.
    """
    block = ctx.builder.block
    changed = ctx.program.changes(block.ops[here:])
    if not changed:
        return False
    with _failing_in(block), ctx.builder.inside(Block()) as early:
        target, place = by_cells(ctx, writable(ctx, base, node), ctx.value(index, node))
        old = ctx.builder.call("operator.getitem", target, place)
    if old.kind == UNKNOWN:
        ctx.ask_for_kind(node, f"whether this {op}= uses what the right side has changed is not known", "an item may be a window")
    if not is_number(old.kind) and _is_view(target, place):
        return False
    block.ops[here:here] = early.ops
    if isinstance(target.kind, List) and isinstance(old.kind, Array):
        augment_whole(ctx, old, op, value)
        if all(isinstance(v.kind, Array) for v in changed):  # and no list, where another array may have taken its place
            return True
        _set(ctx, target, place, old)
    else:
        _put(ctx, target, place, _combined(ctx, op, old, value))
    return True


def _is_view(target: Value, place: Value) -> bool:
    """Test for an index that gives a window of an array, and no copy of chosen items."""
    return isinstance(target.kind, Array) and not any(isinstance(k, Array | List | Tuple) for k in index_parts(place.kind))


def _loses(found: str | None, own: str | None) -> bool:
    """Test for a cast that NumPy refuses in place: the sort of number is a later one."""
    sorts = [name.removeprefix("u").rstrip("0123456789") if name else "" for name in (found, own)]
    order = ["bool", "int", "float", "complex"]
    return set(sorts) <= set(order) and order.index(sorts[0]) > order.index(sorts[1])


def augment_whole(ctx: Lowering, array: Value, op: str, value: Value) -> None:
    """``array op= value`` in place, seen through every reference."""
    if _whole_of_imaginary(ctx, array) is not None:
        _set(ctx, array, Const(...), ctx.builder.call(f"operator.{op}", array, value))
    elif op in IN_PLACE:
        ctx.builder.call(IN_PLACE[op], array, Const(...), value)
    else:
        computed = _combined(ctx, op, array, value)
        check_filled(ctx, op, computed, array)
        ctx.builder.call("operator.setitem", array, Const(...), computed)


def check_filled(ctx: Lowering, op: str, computed: Value, array: Value) -> None:
    """A check that a product of matrices fills the array that it is stored into: NumPy stretches none in place."""
    if op != "matmul":
        return
    shape = shape_of(array.kind)
    known = shape is not None and shape == shape_of(computed.kind) and all(map(is_lasting, shape))
    if not known:
        ctx.builder.call("s2sad.runtime.assert_fills", computed, array)


def _distinct(index: Value) -> bool:
    """Certainty that an index names each cell at most once: everything but integer arrays."""
    return all(
        not isinstance(k, Array | List | Tuple)
        and k != UNKNOWN
        or (isinstance(k, Array) and k.dtype == "bool")
        for k in index_parts(index.kind)
    )


def _has_slice(index: Value) -> bool:
    return any(isinstance(k, Slice) or str(k) == "ellipsis" for k in index_parts(index.kind))
