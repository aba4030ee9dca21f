"""Operators as expressions: arithmetic, comparisons, ``and``, ``or``."""

from __future__ import annotations

import abc
import dataclasses
import enum
import operator
import types
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, NoReturn

import gast

from s2sad.errors import SourceError, UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Choice,
    Closure,
    Entity,
    Members,
    Method,
    Record,
    Spread,
    Static,
    Struct,
    View,
    check_length,
)
from s2sad.frontend.lower import built_on, control, keys, known_objects, maps, objects, sets
from s2sad.frontend.lower.arithmetic import BINARY, COMPARE, UNARY, arithmetic
from s2sad.frontend.lower.dispatch import apply, lower
from s2sad.frontend.lower.lists import (
    SHARED,
    as_array,
    as_shown,
    as_tuple,
    in_turn,
    is_whole,
    list_operation,
    of_parts,
    writable,
)
from s2sad.frontend.lower.maybe import flag, held, is_maybe, is_none, seen
from s2sad.frontend.lower.parts import take_apart
from s2sad.frontend.lower.referring import refer
from s2sad.frontend.lower.selection import comparison, each
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import (
    BOTTOM,
    NONE,
    SHAPE,
    STR,
    UNKNOWN,
    Array,
    List,
    Scalar,
    Tuple,
    TupleOf,
    is_differentiable,
    is_fixed,
    join,
)
from s2sad.ir.nodes import Call, Const, Global, Value


def binary(ctx: Lowering, node: gast.BinOp) -> Entity:
    sets.looked_at(ctx, node.left, node.right)
    left, right = in_turn(ctx, lower(ctx, node.left), lambda: lower(ctx, node.right))
    return binary_op(ctx, type(node.op), left, right, node)


def _is_class(entity: Entity) -> bool:
    """Test for a class with no way of its own to be united with others, or several that were united."""
    return isinstance(entity, Static) and type(entity.payload) in (type, abc.ABCMeta, types.UnionType)


def binary_op(ctx: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """``left op right``: sequences concatenate and repeat, everything else is arithmetic."""
    left, right = (control.there(ctx, one, "unsupported operand type(s): 'NoneType'", node) for one in (left, right))
    if (known := known_objects.operation(ctx, BINARY[op], left, right, node)) is not None:
        return known
    if _are_sets(left, right):
        return _of_sets(ctx, BINARY[op], left, right, node)
    if isinstance(left, Choice):
        return each(ctx, left, lambda one: binary_op(ctx, op, one, right, node), node)
    if isinstance(right, Choice):
        return each(ctx, right, lambda one: binary_op(ctx, op, left, one, node), node)
    if objects.is_object(left) or objects.is_object(right):
        parts = [built_on.contents(ctx, one) for one in (left, right)]
        based = any(map(built_on.is_based, (left, right)))
        plain = not any(isinstance(one, Record) and (one.kind == "object" or not based) for one in parts)
        found = objects.operator(ctx, BINARY[op], left, right, node, optional=plain)  # a named tuple is one where it says no more
        if found is not None:
            return found
        left, right = parts
    if op is gast.BitOr and _is_class(left) and _is_class(right):  # tuple | list
        return Static(left.payload | right.payload)  # type: ignore[union-attr]
    if maps.is_dict(left) and maps.is_dict(right):
        return _dict_operation(ctx, op, left, right, node)
    _check_sequences(ctx, op, left, right, node)
    if any(isinstance(one, Static) and type(one.payload) is object for one in (left, right)):
        operands = [ctx.value(one, node) for one in (left, right)]
        return ctx.raising(Call(target=f"operator.{BINARY[op]}", args=operands), f"{BINARY[op]} of an object()")
    sequences = (Struct,)
    if op is gast.Add and isinstance(left, sequences) and isinstance(right, sequences):
        return Struct([*left.items, *right.items], left.kind)
    tuples = any(isinstance(e, Value) and isinstance(e.kind, TupleOf) for e in (left, right))
    if op is gast.Add and tuples and all(map(_sequence, (left, right))):  # beside what is NumPy's it is an array
        return _joined(ctx, left, right, node)
    if op is gast.Add and _is_shape(left, right):
        joined = ctx.builder.call("operator.add", ctx.value(left, node), ctx.value(right, node))
        joined.kind = SHAPE
        return joined
    if op is gast.Add and [_sequence(left), _sequence(right)] == ["tuple", "tuple"] and not _are_counts(left, right):
        return _joined(ctx, left, right, node)  # one is an item of what the program makes
    if op is gast.Add and any(isinstance(e, Value) and isinstance(e.kind, List) for e in (left, right)):
        left, right = writable(ctx, left), writable(ctx, right)
    if op is gast.Mult and any(isinstance(e, Struct) for e in (left, right)):
        left, right = _count(left), _count(right)
    if op is gast.Mult and (repeated := _repeated_tuple(ctx, left, right, node)) is not None:
        return repeated
    if op is gast.Mult and any(isinstance(e, Struct) and e.kind == "list" for e in (left, right)):
        left, right = _repeated(ctx, left, right)
    if op is gast.Mult and isinstance(right, Struct) and isinstance(left, Const):
        left, right = right, left
    if op is gast.Mult and isinstance(left, Struct) and isinstance(right, Const) and isinstance(right.payload, int):
        check_length(len(left.items) * right.payload)
        return Struct(left.items * right.payload, left.kind)
    if op is gast.Mod and isinstance(left, Const) and isinstance(left.payload, str):
        return keys.formatted(ctx, left.payload, as_shown(ctx, ctx.value(sets.as_text(right), node), node))
    if maps.is_dict(left) or maps.is_dict(right):
        return _dict_operation(ctx, op, left, right, node)
    x, y = ctx.value(left, node), ctx.value(right, node)
    lists = [isinstance(v.kind, List) for v in (x, y)]
    if any(lists) and op in (gast.Add, gast.Mult) and any(v.kind == UNKNOWN for v in (x, y)):
        ctx.ask_for_kind(
            node,
            "whether this is arithmetic or joins lists is not known",
            "the kind of one operand is not known",
        )
    if op in (gast.Add, gast.Mult) and any(lists) and not any(is_numpys(v, op) for v in (x, y)):
        if op is gast.Add and not isinstance(join(x.kind, y.kind), List):
            _refuse_sequence(ctx, node)
        return list_operation(ctx, op, x, y, node)
    if any(is_numpys(v, op) or v.kind == UNKNOWN and op not in (gast.Add, gast.Mult) for v in (x, y)):
        x, y = as_array(ctx, x), as_array(ctx, y)
    result = arithmetic(ctx, f"operator.{BINARY[op]}", x, y)
    joins = op is gast.Add and STR in (x.kind, y.kind)
    return keys.put_together(ctx, result, [x, y]) if joins and not isinstance(result, Const) else result


def is_numpys(entity: Entity, op: type) -> bool:
    """Test for what is NumPy's, which takes a list or tuple beside it for an array; but its numbers leave ``*`` to the list."""
    kind = entity.kind if isinstance(entity, Value) else None
    number = isinstance(kind, Scalar) and not kind.weak and not kind.mixed
    return isinstance(kind, Array) or number and op is not gast.Mult


def _check_sequences(ctx: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> None:
    """Refuse operators that lists and tuples do not have: Python raises a TypeError."""
    sequences = [_sequence(one) for one in (left, right)]
    if not any(sequences) or any(is_numpys(one, op) or _has_no_kind(one) for one in (left, right)):
        return
    if op is gast.Mod and not sequences[0]:  # a text % (a, b)
        return
    if all(sequences):
        fits = op is gast.Add and (sequences[0] == sequences[1] or "either" in sequences)
    else:
        other = left if sequences[1] else right
        fits = op is gast.Mult and isinstance(other, Value) and isinstance(other.kind, Scalar) and is_whole(other.kind)
    if not fits:
        _refuse_sequence(ctx, node)


def _refuse_sequence(ctx: Lowering, node: gast.AST) -> NoReturn:
    ctx.refuse(
        node, "this operator on a list or a tuple", "Python raises a TypeError: it is one of arrays", "numpy.array(items)"
    )


def _sequence(entity: Entity) -> str:
    """"list" or "tuple", or "either" of something that stands for one of them; "" of all else."""
    if isinstance(entity, Struct):
        return entity.kind
    if isinstance(entity, Value) and entity.kind == SHAPE:
        return "tuple"
    if not isinstance(entity, Value) or not isinstance(entity.kind, List | Tuple):
        return ""
    if isinstance(entity.kind, Tuple):
        return "either" if entity.kind.listed else "tuple"
    if isinstance(entity.kind, TupleOf):
        return "tuple"
    return "list" if is_differentiable(entity.kind.item) else "either"


def _is_shape(*operands: Entity) -> bool:
    """Test for tuples, one of which is the shape of something that nothing is known of."""
    return any(isinstance(e, Value) and e.kind == SHAPE for e in operands) and all(_sequence(e) == "tuple" for e in operands)


def _has_no_kind(entity: Entity) -> bool:
    return isinstance(entity, Value) and entity.kind in (UNKNOWN, BOTTOM)


def _are_counts(*tuples: Entity) -> bool:
    """Test for tuples as shapes are, of which nothing has a derivative, and which NumPy takes as they are."""
    return all(isinstance(one, Value) and not is_differentiable(one.kind) for one in tuples)


def _joined(ctx: Lowering, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """The sum of tuples that do not both stand in the text: of as many items as both have, where that is known."""
    parts: list[Entity] = []
    for one in (left, right):
        whole = take_apart(ctx, one) if isinstance(one, Value) else one
        parts += whole.items if isinstance(whole, Struct) else [Spread(ctx.value(whole, node))]
    known = not any(isinstance(part, Spread) for part in parts)
    return Struct(parts, "tuple") if known else as_tuple(ctx, of_parts(ctx, parts, node), node)


DICTS = (OrderedDict, defaultdict)  # whose | is that of dict, and gives one of the class of the first that is no plain one


def _dict_operation(ctx: Lowering, op: type, x: Entity, y: Entity, node: gast.AST) -> Entity:
    """``x | y`` of dicts: a new one."""
    if op is not gast.BitOr:
        ctx.refuse(node, "this operator on a dict", "of dicts, only Counters have it, and it counts", "a loop over their items")
    sorts = [maps.sort_of(ctx, one) if maps.is_dict(one) else None for one in (x, y)]
    if any(sort is not None and sort.cls not in DICTS for sort in sorts):
        ctx.refuse(node, "| of these dicts", maps.COUNTS, "a loop over their items")
    made = apply(ctx, Static(dict, "builtins.dict"), [x], {}, node)
    apply(ctx, Method(made, "update"), [y], {}, node)
    maps.set_sort(ctx, made, sorts[0] or sorts[1])
    return made


def _count(entity: Entity) -> Entity:
    """A whole number outside as what it is: that it stays so is observed."""
    known = isinstance(entity, Global) and entity.resolved and type(entity.payload) is int
    return Const(entity.payload) if known else entity  # type: ignore[union-attr]


def _repeated(ctx: Lowering, left: Entity, right: Entity) -> tuple[Entity, Entity]:
    """The operands of ``[(x, y)] * n``: a list that exists when the program runs, where n is known only then."""
    items, count = (left, right) if isinstance(left, Struct) else (right, left)
    return (items, count) if isinstance(count, Const) or is_numpys(count, gast.Mult) else (writable(ctx, items), count)


def _repeated_tuple(ctx: Lowering, left: Entity, right: Entity, node: gast.AST) -> Entity | None:
    """``(x, y) * n``, where n is known only when the program runs; None of all else."""
    items, count = (left, right) if isinstance(left, Struct) else (right, left)
    if not isinstance(items, Struct) or items.kind != "tuple" or not isinstance(count, Value) or isinstance(count, Const):
        return None
    if not isinstance(count.kind, Scalar):
        return None
    return as_tuple(ctx, ctx.value(binary_op(ctx, gast.Mult, Struct(list(items.items), "list"), count, node), node), node)


def as_function(op: type) -> Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]:
    """The handler of an operator that is called as a function: ``operator.mul(p, q)``, of objects, too."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if all(isinstance(arg, Value) for arg in args) or len(args) != 2:
            return None
        return binary_op(ctx, op, args[0], args[1], node) if op in BINARY else _compare(ctx, op, args[0], args[1], node)

    return handler


TABLE = {
    getattr(operator, name): as_function(op) for op, name in {**BINARY, **COMPARE}.items() if name != "contains"
}


def unary(ctx: Lowering, node: gast.UnaryOp) -> Entity:
    operand = tested(ctx, node.operand) if isinstance(node.op, gast.Not) else lower(ctx, node.operand)
    if isinstance(node.op, gast.Not):
        return _unary(ctx, node, control.asked(ctx, operand, node))
    return _unary(ctx, node, control.there(ctx, operand, "bad operand type for a unary operator: 'NoneType'", node))


def _unary(ctx: Lowering, node: gast.UnaryOp, operand: Entity) -> Entity:
    if isinstance(operand, Choice):
        return each(ctx, operand, lambda one: _unary(ctx, node, one), node)
    if isinstance(node.op, gast.Not) and (true := control.truth(ctx, operand)) is not None:
        return Const(not true)
    if isinstance(node.op, gast.Invert) and (known := known_objects.inverse(ctx, operand, node)) is not None:
        return known
    if isinstance(operand, Record) and operand.kind == "object":
        return objects.call_method(ctx, operand, f"__{UNARY[type(node.op)]}__", [], {}, node)
    if _sequence(operand) and not isinstance(node.op, gast.Not):
        _refuse_sequence(ctx, node)
    return arithmetic(ctx, f"operator.{UNARY[type(node.op)]}", ctx.value(operand, node))


def _are_sets(left: Entity, right: Entity) -> bool:
    """Test for two operands of which one is what a dict shows of itself, or a dict beside a set, which its keys are."""
    pair = (left, right)
    kept = any(isinstance(e, Value) and e.kind.keyed for e in pair)
    return any(isinstance(e, View) for e in pair) or kept and any(_known_keys(e) is not None for e in pair)


def _of_sets(ctx: Lowering, name: str, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """An operator on the keys of a dict, which are a set: of known keys."""
    sets = [_known_keys(left), _known_keys(right)]
    if None in sets:
        ctx.refuse(node, "an operator on this view of a dict", "only known keys are compared, with known sets", "a loop over it")
    return Const(getattr(operator, name)(*sets))


def _known_keys(entity: Entity) -> frozenset[Any] | None:
    if isinstance(entity, View) and entity.what == "keys":
        known = [item.payload for item in entity.items if isinstance(item, Const)]
        return frozenset(known) if len(known) == len(entity.items) else None
    return entity.payload if isinstance(entity, Const) and isinstance(entity.payload, frozenset) else None


def compare(ctx: Lowering, node: gast.Compare) -> Entity:
    """Comparisons; a chain evaluates each operand once, and stops at the first false one."""
    sets.looked_at(ctx, node.left, *node.comparators)
    left = lower(ctx, node.left)
    if len(node.ops) == 1:
        return _compare(ctx, type(node.ops[0]), left, lower(ctx, node.comparators[0]), node)
    rest = list(zip(node.ops, node.comparators, strict=True))

    def chain(k: int, left: Entity) -> Entity:
        op, comparator = rest[k]
        right = lower(ctx, comparator)
        test = _compare(ctx, type(op), left, right, node)
        return (
            test
            if k == len(rest) - 1
            else control.short_circuit(ctx, test, lambda: chain(k + 1, right), True, node)
        )

    return chain(0, left)


def contains(ctx: Lowering, item: Entity, items: Entity, node: gast.AST) -> Entity:
    """``item in items``."""
    return _compare(ctx, gast.In, item, items, node)


def less(ctx: Lowering, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """``left < right``."""
    return _compare(ctx, gast.Lt, left, right, node)


def _compare(ctx: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    if op in (gast.In, gast.NotIn) and ctx.kind(left) == BOTTOM:  # an item of an empty list: nobody gets here
        return Const(op is gast.NotIn)
    if op in (gast.In, gast.NotIn):
        if _looks_up(right):
            maps.check_hash(ctx, left, node)
        left, right = _known_tuple(left), seen(right)
        right = _known_items(right) or right if isinstance(right, Struct) else right
        if (fixed := known_objects.operation(ctx, "contains", right, left, node)) is not None:
            return fixed if op is gast.In else arithmetic(ctx, "operator.not_", ctx.value(fixed, node))
    if is_maybe(left) and is_none(right) and op in (gast.Is, gast.Eq, gast.IsNot, gast.NotEq):
        found = ctx.value(flag(left), node)
        return found if op in (gast.IsNot, gast.NotEq) else arithmetic(ctx, "operator.not_", found)
    if op not in (gast.Is, gast.IsNot, gast.In, gast.NotIn):
        if op in (gast.Eq, gast.NotEq) and (is_maybe(left) or is_maybe(right)):
            return _equal_if_there(ctx, op, left, right, node)
        left, right = (control.there(ctx, one, "this comparison is not supported of a 'NoneType'", node) for one in (left, right))
        if (fixed := known_objects.operation(ctx, COMPARE[op], left, right, node)) is not None:
            return fixed
        if _are_sets(left, right):
            return _of_sets(ctx, COMPARE[op], left, right, node)
    if isinstance(left, Choice):
        decided = comparison(ctx, left, lambda one: _static_compare(ctx, op, one, right))
        return decided or each(ctx, left, lambda one: _compare(ctx, op, one, right, node), node)
    if isinstance(right, Choice):
        decided = comparison(ctx, right, lambda one: _static_compare(ctx, op, left, one))
        return decided or each(ctx, right, lambda one: _compare(ctx, op, left, one, node), node)
    if op in IDENTITY.values() and isinstance(left, Struct) and isinstance(right, Struct):
        ctx.refuse(node, "is between tuples or lists", "whether they are one thing is not followed", "==, or their items")
    if op not in (gast.Is, gast.IsNot):
        asked = "__eq__" if op in (gast.In, gast.NotIn) else f"__{COMPARE[op]}__"
        left = built_on.contents(ctx, left, asked)
        right = built_on.contents(ctx, right, "__contains__" if op in (gast.In, gast.NotIn) else asked)
    op = _asked(op, left, right)
    known = _static_compare(ctx, op, left, right)
    if known is not None:
        return Const(known)
    if isinstance(left, Record) or isinstance(right, Record):
        return _compare_objects(ctx, op, left, right, node)
    if op in (gast.In, gast.NotIn) and isinstance(right, Const) and isinstance(right.payload, frozenset):
        right = Const(tuple(sorted(right.payload, key=repr)))
    x, y = ctx.value(left, node), ctx.value(right, node)
    if op in (gast.Is, gast.IsNot) and all(_is_computed_number(v) for v in (x, y)):
        ctx.refuse(node, "is between numbers", "which of two equal numbers is which object, is up to Python and NumPy", "==")
    if op in (gast.In, gast.NotIn):
        found = ctx.builder.call("operator.contains", y, as_shown(ctx, x, node))
        return ctx.builder.call("operator.not_", found) if op is gast.NotIn else found
    x, y = _shown(ctx, x, y, node)
    return arithmetic(ctx, f"operator.{COMPARE[op]}", x, y)


def _equal_if_there(ctx: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """``==`` and ``!=`` of what may be None, and is no equal of anything else then."""
    maybe, other = (left, right) if is_maybe(left) else (right, left)
    found = flag(maybe)
    x, y = held(left) if maybe is left else left, held(right) if maybe is right else right
    if control.truth(ctx, found) or found in ctx.holding:
        return _compare(ctx, op, x, y, node)
    if is_maybe(other) or isinstance(other, Value) and not isinstance(other.kind, Scalar | List | Tuple):
        ctx.refuse(node, "== of what may be None", "so may the other, or it is compared item by item", "a test for None first")
    without = Const(op is gast.NotEq)
    return control.choose(ctx, ctx.value(found, node), lambda: _compare(ctx, op, x, y, node), lambda: without, node)


def _shown(ctx: Lowering, x: Value, y: Value, node: gast.AST) -> list[Value]:
    """The operands of a comparison, which asks of which classes they are where none of them is NumPy's."""
    pair = [x, y]
    return pair if any(isinstance(v.kind, Array) for v in pair) else [as_shown(ctx, v, node) for v in pair]


def _known_tuple(entity: Entity) -> Entity:
    """A tuple of which all items are known, as the constant that it is, a key of a dict for instance; all else as it is."""
    if not isinstance(entity, Struct) or entity.kind != "tuple" or entity.cls is not None:
        return entity
    return _known_items(entity) or entity


def _known_items(entity: Struct) -> Const | None:
    """The items of a tuple or list as a constant; None where one of them is not known."""
    items = [_known_tuple(item) for item in entity.items]
    known = tuple(item.payload for item in items if isinstance(item, Const))
    return Const(known) if len(known) == len(items) else None


IDENTITY: dict[type, type] = {gast.Eq: gast.Is, gast.NotEq: gast.IsNot, gast.Is: gast.Is, gast.IsNot: gast.IsNot}


def _asked(op: type, left: Entity, right: Entity) -> type:
    """``==`` is ``is`` where no class says what is equal."""
    plain = [one for one in (left, right) if isinstance(one, Record) and one.kind == "object" and one.cls is not None]
    others = [one for one in (left, right) if one not in plain]
    silent = all(isinstance(one, Const) for one in others) and not any(_defines(one, "__eq__") for one in plain)
    if op not in (gast.Eq, gast.NotEq) or not plain or not silent:
        return op
    return op if op is gast.NotEq and any(_defines(one, "__ne__") for one in plain) else IDENTITY[op]


def _identical(left: Record, right: Record) -> bool | None:
    """Identity of the objects of two records, as far as it is known: one that is made here is no other.

    What came in may have come twice, so that it is asked where the program runs.
    """
    left, right = left.stands_for or left, right.stands_for or right
    followed = all(not one.sealed or one.root is not None for one in (left, right))
    made = any(one.origin is None and not one.sealed for one in (left, right))
    return True if left is right else False if followed and made else None


def _compare_identities(ctx: Lowering, op: type, left: Record, right: Record, node: gast.AST) -> Entity:
    left, right = left.stands_for or left, right.stands_for or right
    refer(ctx, left, right)
    if any(one.origin is None or one.sealed not in ("", SHARED) and one.root is None for one in (left, right)):
        ctx.refuse(node, "asking whether these objects are one", "what a list holds is followed by its fields", "a field")
    assert left.origin is not None and right.origin is not None
    return ctx.builder.call(f"operator.{COMPARE[op]}", left.origin, right.origin)


def _looks_up(items: Entity) -> bool:
    """Test for what looks for an item by its hash: a dict, a set."""
    if isinstance(items, Const):
        return isinstance(items.payload, frozenset)
    return isinstance(items, Members) or isinstance(items, Record) and items.kind == "dict"


def _compare_objects(ctx: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """A comparison by the methods of the operands' classes, ``in`` by ``__contains__``."""
    if op in (gast.Is, gast.IsNot) and isinstance(left, Record) and isinstance(right, Record):
        return _compare_identities(ctx, op, left, right, node)
    if op in (gast.In, gast.NotIn) and isinstance(right, Record) and right.kind == "dict":
        found: Entity | None = keys.has(ctx, right, keys.constant(left), node)
    elif op in (gast.In, gast.NotIn) and isinstance(left, Record) and isinstance(right, Value) and maps.is_map(right):
        maps.follow_members(ctx, Members(right))
        found = ctx.builder.call("operator.contains", right, maps.key_value(ctx, keys.constant(left), node))
    elif op in (gast.In, gast.NotIn):
        found = objects.call_if_defined(ctx, right, left, "__contains__", "__contains__", node)
    elif (rows := _compared_fields(ctx, COMPARE[op], left, right)) is not None:
        return _compare(ctx, op, *rows, node)
    elif op is gast.NotEq and not any(_defines(one, "__ne__") for one in (left, right)):
        return arithmetic(ctx, "operator.not_", ctx.value(_compare(ctx, gast.Eq, left, right, node), node))
    else:
        found = objects.operator(ctx, COMPARE[op], left, right, node)
    if found is None:
        ctx.refuse(node, "in on this object", "its class has no __contains__", "a method")
    return arithmetic(ctx, "operator.not_", ctx.value(found, node)) if op is gast.NotIn else found


def _compared_fields(ctx: Lowering, name: str, left: Entity, right: Entity) -> tuple[Entity, Entity] | None:
    """Two objects of one dataclass as the tuples by which the comparison that ``dataclass`` wrote compares them."""
    cls = left.cls if isinstance(left, Record) else None
    method = objects.find(cls, f"__{name}__")
    if cls is None or not isinstance(right, Record) or right.cls is not cls or not isinstance(method, types.FunctionType):
        return None
    table = objects.find(cls, "__dataclass_fields__")
    if table is None or method.__qualname__ != f"{cls.__qualname__}.__{name}__" or _is_written(ctx, method):
        return None
    names = [f.name for f in table.values() if f.compare and f._field_type is dataclasses._FIELD]  # type: ignore[attr-defined]
    first, second = ([ctx.variables[(one, n)] for n in names] for one in (left, right))
    return Struct(first), Struct(second)


def _defines(entity: Entity, name: str) -> bool:
    """Test for an object whose class has a method of its own under a name; without ``__ne__`` the opposite of == is asked."""
    cls = getattr(entity, "cls", None)
    return cls is not None and objects.find(cls, name) is not objects.find(object, name)


def _is_written(ctx: Lowering, method: types.FunctionType) -> bool:
    try:
        ctx.program.source_of(method)
    except SourceError:
        return False
    return True


def _are_same(op: type, left: Any, right: Any) -> bool | None:
    """Identity of two objects, or equality, where that is known; what they are now, sets and dates may not be at each call."""
    if op in (gast.Is, gast.IsNot) or not any(_has_value(one) for one in (left, right)):
        return left is right
    members = isinstance(left, enum.Enum) and isinstance(right, enum.Enum)
    written = any(isinstance(observe.member(type(one), "__eq__"), types.FunctionType) for one in (left, right))
    return bool(left == right) if members and not written else None


def _has_value(thing: Any) -> bool:
    """Test for an object that may equal another one, as dates, fractions and sets: neither a function nor a class."""
    return not callable(thing) and observe.decides(type(thing), "__eq__")


def _static_compare(ctx: Lowering, op: type, left: Entity, right: Entity) -> bool | None:
    negate = op in (gast.IsNot, gast.NotEq, gast.NotIn)
    if op in (gast.Is, gast.IsNot, gast.Eq, gast.NotEq):
        container = isinstance(left, Struct) or (isinstance(left, Record) and left.kind == "dict")
        if container and isinstance(right, Const) and isinstance(right.payload, int | float | str | None):
            return negate
        if isinstance(right, Value) and right.kind == NONE:
            if op in (gast.Eq, gast.NotEq) and isinstance(left, Value) and isinstance(left.kind, Array):
                return None  # item by item
            is_none = _is_none(ctx, left)
            return None if is_none is None else is_none != negate
        if op in (gast.Is, gast.IsNot) and isinstance(left, Record) and isinstance(right, Record):
            one = _identical(left, right)
            return None if one is None else one != negate
        if op in (gast.Is, gast.IsNot) and any(isinstance(one, Record) for one in (left, right)):
            if any(map(_is_no_object, (left, right))):
                return negate
        if op in (gast.Is, gast.IsNot) and (_is_other(left, right) or _is_other(right, left)):
            return negate
        if isinstance(left, Static) and isinstance(right, Static):
            own = [type(one.payload) for one in (left, right) if isinstance(one.payload, type)]
            if op in (gast.Eq, gast.NotEq) and any(observe.decides(cls, "__eq__") for cls in own):
                raise UnsupportedSyntaxError(
                    "comparing these classes is not supported", location=ctx.builder.loc,
                    why="the class of a class decides what is equal", instead="is, or is not",
                )  # fmt: skip
            return None if (same := _are_same(op, left.payload, right.payload)) is None else same != negate
        if isinstance(left, Const | Global) and isinstance(right, Const):
            resolved = isinstance(left, Const) or left.resolved
            if resolved and isinstance(left.payload, str | bool | type(None)):
                return bool((left.payload == right.payload) != negate)
    if (
        op in (gast.In, gast.NotIn)
        and isinstance(right, Record)
        and right.kind == "dict"
        and isinstance(left, Const)
    ):
        return bool((left.payload in ctx.keys(right, left)) != negate)
    if op in (gast.In, gast.NotIn) and isinstance(left, Const) and isinstance(right, Const):
        if isinstance(right.payload, frozenset | tuple | str):
            return bool((left.payload in right.payload) != negate)
    if op in (gast.In, gast.NotIn) and isinstance(left, Static) and isinstance(right, Struct) and right.cls is None:
        if all(isinstance(item, Static) for item in right.items):
            return any(_static_compare(ctx, gast.Eq, left, item) for item in right.items) != negate
    return None


def _is_computed_number(value: Value) -> bool:
    number = isinstance(value.kind, Scalar) and value.kind.dtype != "bool"
    return number and not isinstance(value, Const | Global)


def _is_no_object(entity: Entity) -> bool:
    """Test for what is certainly no object of a user's class: a number, an array, text, a list."""
    if isinstance(entity, Static):
        return is_fixed(entity.payload)
    return isinstance(entity, Value) and (isinstance(entity, Const) or isinstance(entity.kind, Array | Scalar | List))


def _is_other(thing: Entity, value: Entity) -> bool:
    """Test for a function or another object that is known beside what is certainly none: a literal, number or array."""
    if isinstance(thing, Static):
        plain = isinstance(value, Value) and isinstance(value.kind, Array | Scalar)
        apart = type(thing.payload) not in observe.LITERALS
        literal = apart and isinstance(value, Const) and type(value.payload) in observe.LITERALS
        own = callable(thing.payload) or type(thing.payload) is object
        return literal or own and (plain or isinstance(value, Closure))
    return isinstance(thing, Closure) and isinstance(value, Const)


def _is_none(ctx: Lowering, entity: Entity) -> bool | None:
    if not isinstance(entity, Value):
        return False
    if entity.kind == NONE:
        return True
    taped = bool(ctx.program.cells) and not isinstance(entity, Const)  # it may be None where a path has left it unbound
    return None if taped or entity.kind == UNKNOWN else False


def bool_op(ctx: Lowering, node: gast.BoolOp) -> Entity:
    """``a and b``, ``a or b``: the value of the operand that decides."""
    is_and = isinstance(node.op, gast.And)

    def chain(k: int) -> Entity:
        left = lower(ctx, node.values[k])
        if k == len(node.values) - 1:
            return left
        return control.short_circuit(ctx, left, lambda: chain(k + 1), is_and, node)

    return chain(0)


def tested(ctx: Lowering, node: gast.expr) -> Entity:
    """The entity that a test looks at: of ``a and b`` the truth, so that a list may stand beside a comparison.

    Where one of the operands is known to decide, the truth is known, whatever those before it say.
    """
    if not isinstance(node, gast.BoolOp):
        return lower(ctx, node)
    is_and, decided = isinstance(node.op, gast.And), False

    def chain(k: int) -> Entity:
        nonlocal decided
        left = _truth_of(ctx, node.values[k])
        if isinstance(left, Const) and bool(left.payload) is not is_and:
            decided = True
        if k == len(node.values) - 1:
            return left
        return control.short_circuit(ctx, left, lambda: chain(k + 1), is_and, node)

    found = chain(0)
    return Const(not is_and) if decided else found


def _truth_of(ctx: Lowering, node: gast.expr) -> Entity:
    found = control.asked(ctx, tested(ctx, node), node)
    return control.condition(ctx, found) if isinstance(found, Value) and isinstance(found.kind, List) else found
