"""Operators as expressions: arithmetic, comparisons, ``and``, ``or``."""

from __future__ import annotations

import gast

from s2sad.frontend.entities import (
    Aggregate,
    Box,
    Entity,
    Known,
)
from s2sad.frontend.lower import control, objects
from s2sad.frontend.lower.arithmetic import BINARY, COMPARE, UNARY, arithmetic
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.lists import list_operation
from s2sad.frontend.lower.maybe import flag, is_maybe, is_none
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE, UNKNOWN, Array, List
from s2sad.ir.nodes import Const, Global, Value


def binary(lw: Lowering, node: gast.BinOp) -> Entity:
    return binary_op(lw, type(node.op), lower(lw, node.left), lower(lw, node.right), node)


def binary_op(lw: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """``left op right``: sequences concatenate and repeat, everything else is arithmetic."""
    if objects.is_object(left) or objects.is_object(right):
        plain = not isinstance(left, Box) and not isinstance(right, Box)  # a named tuple is a tuple where it says no more
        found = objects.operator(lw, BINARY[op], left, right, node, optional=plain)
        if found is not None:
            return found
    sequences = (Aggregate,)
    if op is gast.Add and isinstance(left, sequences) and isinstance(right, sequences):
        return Aggregate([*left.items, *right.items], left.kind)
    if op is gast.Mult and isinstance(left, Aggregate) and isinstance(right, Const):
        return Aggregate(left.items * right.payload, left.kind)
    if op is gast.Mod and isinstance(left, Const) and isinstance(left.payload, str):
        return lw.builder.call("s2sad.fstring", Const("%"))
    x, y = lw.value(left, node), lw.value(right, node)
    lists = [isinstance(v.kind, List) for v in (x, y)]
    if any(lists) and any(v.kind == UNKNOWN for v in (x, y)):
        lw.ask_for_kind(
            node,
            "whether this is arithmetic or joins lists is not known",
            "the kind of one operand is not known",
        )
    arrays = any(isinstance(v.kind, Array) for v in (x, y))
    if op in (gast.Add, gast.Mult) and any(lists) and not arrays:
        return list_operation(lw, op, x, y, node)
    return arithmetic(lw, f"operator.{BINARY[op]}", x, y)


def unary(lw: Lowering, node: gast.UnaryOp) -> Entity:
    operand = lower(lw, node.operand)
    if isinstance(node.op, gast.Not):
        operand = flag(operand)
        known = control.truth(lw, operand)
        if known is not None:
            return Const(not known)
    if isinstance(operand, Box) and operand.kind == "object":
        return objects.call_method(lw, operand, f"__{UNARY[type(node.op)]}__", [], {}, node)
    return arithmetic(lw, f"operator.{UNARY[type(node.op)]}", lw.value(operand, node))


def compare(lw: Lowering, node: gast.Compare) -> Entity:
    """Comparisons; a chain evaluates each operand once, and stops at the first false one."""
    left = lower(lw, node.left)
    if len(node.ops) == 1:
        return _compare(lw, type(node.ops[0]), left, lower(lw, node.comparators[0]), node)
    rest = list(zip(node.ops, node.comparators, strict=True))

    def chain(k: int, left: Entity) -> Entity:
        op, comparator = rest[k]
        right = lower(lw, comparator)
        test = _compare(lw, type(op), left, right, node)
        return (
            test
            if k == len(rest) - 1
            else control.short_circuit(lw, test, lambda: chain(k + 1, right), True, node)
        )

    return chain(0, left)


def _compare(lw: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    if op in (gast.In, gast.NotIn) and isinstance(right, Aggregate) and all(isinstance(i, Const) for i in right.items):
        right = Const(tuple(item.payload for item in right.items if isinstance(item, Const)))
    if is_maybe(left) and is_none(right) and op in (gast.Is, gast.Eq, gast.IsNot, gast.NotEq):
        found = lw.value(flag(left), node)
        return found if op in (gast.IsNot, gast.NotEq) else arithmetic(lw, "operator.not_", found)
    known = _static_compare(lw, op, left, right)
    if known is not None:
        return Const(known)
    if isinstance(left, Box) or isinstance(right, Box):
        return _compare_objects(lw, op, left, right, node)
    if op in (gast.In, gast.NotIn) and isinstance(right, Const) and isinstance(right.payload, frozenset):
        right = Const(tuple(sorted(right.payload, key=repr)))
    x, y = lw.value(left, node), lw.value(right, node)
    if op in (gast.In, gast.NotIn):
        found = lw.builder.call("operator.contains", y, x)
        return lw.builder.call("operator.not_", found) if op is gast.NotIn else found
    return arithmetic(lw, f"operator.{COMPARE[op]}", x, y)


def _compare_objects(lw: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """A comparison by the methods of the operands' classes, ``in`` by ``__contains__``."""
    if op in (gast.In, gast.NotIn) and isinstance(right, Box) and right.kind == "dict":
        found: Entity | None = lw.builder.call("operator.contains", Const(tuple(lw.keys(right, node))), lw.value(left, node))
    elif op in (gast.In, gast.NotIn):
        found = objects.call_if_defined(lw, right, left, "__contains__", "__contains__", node)
    else:
        found = objects.operator(lw, COMPARE[op], left, right, node)
    if found is None:
        lw.refuse(node, "in on this object", "its class has no __contains__", "a method")
    return arithmetic(lw, "operator.not_", lw.value(found, node)) if op is gast.NotIn else found


def _static_compare(lw: Lowering, op: type, left: Entity, right: Entity) -> bool | None:
    negate = op in (gast.IsNot, gast.NotEq, gast.NotIn)
    if op in (gast.Is, gast.IsNot, gast.Eq, gast.NotEq):
        container = isinstance(left, Aggregate) or (isinstance(left, Box) and left.kind == "dict")
        if container and isinstance(right, Const) and isinstance(right.payload, int | float | str | None):
            return negate
        if isinstance(right, Value) and right.kind == NONE:
            is_none = _is_none(left)
            return None if is_none is None else is_none != negate
        if op in (gast.Is, gast.IsNot) and isinstance(left, Box) and isinstance(right, Box) and not (left.sealed or right.sealed):
            return (left is right) != negate
        if isinstance(left, Known) and isinstance(right, Known):
            return (left.payload is right.payload) != negate
        if isinstance(left, Const | Global) and isinstance(right, Const):
            resolved = isinstance(left, Const) or left.resolved
            if resolved and isinstance(left.payload, str | bool | type(None)):
                return bool((left.payload == right.payload) != negate)
    if (
        op in (gast.In, gast.NotIn)
        and isinstance(right, Box)
        and right.kind == "dict"
        and isinstance(left, Const)
    ):
        return bool((left.payload in lw.keys(right, left)) != negate)
    if op in (gast.In, gast.NotIn) and isinstance(left, Const) and isinstance(right, Const):
        if isinstance(right.payload, frozenset | tuple | str):
            return bool((left.payload in right.payload) != negate)
    return None


def _is_none(entity: Entity) -> bool | None:
    if not isinstance(entity, Value):
        return False
    if entity.kind == NONE:
        return True
    return None if entity.kind == UNKNOWN else False


def bool_op(lw: Lowering, node: gast.BoolOp) -> Entity:
    """``a and b``, ``a or b``: the value of the operand that decides."""
    is_and = isinstance(node.op, gast.And)

    def chain(k: int) -> Entity:
        left = lower(lw, node.values[k])
        if k == len(node.values) - 1:
            return left
        return control.short_circuit(lw, left, lambda: chain(k + 1), is_and, node)

    return chain(0)
