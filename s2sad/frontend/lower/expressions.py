"""Lowering expressions: a table from syntax node to the function that lowers it."""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Aggregate, Box, Closure, Entity, Known, Method, Static
from s2sad.frontend.lower import calls, comprehensions, control, objects, subscripts
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.resolve import entity_of
from s2sad.ir.kinds import NONE, UNKNOWN, Array, Dict, Kind, List, Scalar, join, kind_of
from s2sad.ir.nodes import Const, Global, Undef, Value
from s2sad.rules import registry

BINARY = {
    gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.Div: "truediv", gast.Pow: "pow", gast.MatMult: "matmul",
    gast.FloorDiv: "floordiv", gast.Mod: "mod", gast.BitAnd: "and_", gast.BitOr: "or_", gast.BitXor: "xor",
    gast.LShift: "lshift", gast.RShift: "rshift",
}  # fmt: skip
UNARY = {gast.USub: "neg", gast.UAdd: "pos", gast.Not: "not_", gast.Invert: "invert"}
COMPARE = {
    gast.Eq: "eq", gast.NotEq: "ne", gast.Lt: "lt", gast.LtE: "le", gast.Gt: "gt", gast.GtE: "ge",
    gast.Is: "is_", gast.IsNot: "is_not", gast.In: "contains", gast.NotIn: "contains",
}  # fmt: skip
FOLDABLE = (bool, int, float, str, type(None), tuple)


def lower(lw: Lowering, node: gast.expr) -> Entity:
    """Lower any expression."""
    handler = TABLE.get(type(node).__name__)
    if handler is None:
        lw.refuse(node)
    outer = lw.builder.loc
    lw.at(node)
    result: Entity = handler(lw, node)
    lw.builder.loc = outer
    return result


def lower_value(lw: Lowering, node: gast.expr, what: str = "this expression") -> Value:
    """Lower an expression to a run-time value."""
    return lw.value(lower(lw, node), node, what)


def name(lw: Lowering, node: gast.Name) -> Entity:
    entity = lw.lookup(node.id, node)
    if isinstance(entity, Undef):
        lw.refuse(node, f"reading {node.id!r} here", "it is not bound on every path", "bind it before the branch or loop")
    return entity


def constant(lw: Lowering, node: gast.Constant) -> Entity:
    if isinstance(node.value, bytes):
        lw.refuse(node, "a bytes literal", "it is no number", "a string or a number")
    return Const(node.value)


def tuple_(lw: Lowering, node: gast.Tuple) -> Entity:
    return Aggregate(_items(lw, node.elts))


def list_(lw: Lowering, node: gast.List) -> Entity:
    return list_of(lw, _items(lw, node.elts))


def list_of(lw: Lowering, items: list[Entity]) -> Entity:
    """A list literal: one kind of items makes a run-time list, mixed ones an aggregate that nothing may write."""
    if all(isinstance(item, Value) for item in items):
        values = [item for item in items if isinstance(item, Value)]
        kind: Kind = Array() if not values else values[0].kind
        for value in values[1:]:
            kind = join(kind, value.kind)
        if not values or isinstance(kind, Scalar) or (kind != UNKNOWN and not isinstance(kind, Array)):
            return lw.builder.call("builtins.list", *values)
        if isinstance(kind, Array) and kind.rank is not None:
            return lw.builder.call("builtins.list", *values)
        if all(v.kind == UNKNOWN for v in values):
            return lw.builder.call("builtins.list", *values)
    return Aggregate(items, "list")


def _items(lw: Lowering, nodes: list[gast.expr]) -> list[Entity]:
    items: list[Entity] = []
    for node in nodes:
        if isinstance(node, gast.Starred):
            items += calls.static_items(lw, lower(lw, node.value), node)
        else:
            items.append(lower(lw, node))
    return items


def dict_(lw: Lowering, node: gast.Dict) -> Entity:
    box = Box("dict")
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            other = lower(lw, value_node)
            if not isinstance(other, Box) or other.kind != "dict":
                lw.refuse(node, "** of this value in a dict", "its keys are not known", "write the keys out")
            for k in other.keys:
                _put(lw, box, k, lw.variables[(other, k)])
            continue
        key = lower(lw, key_node)
        if not isinstance(key, Const):
            lw.refuse(node, "a dict with computed keys", "its layout must be known", "constant keys, or a list")
        _put(lw, box, key.payload, lower(lw, value_node))
    return box


def _put(lw: Lowering, box: Box, key: object, entity: Entity) -> None:
    if key not in box.keys:
        box.keys.append(key)
    lw.variables[(box, key)] = entity


def binary(lw: Lowering, node: gast.BinOp) -> Entity:
    return binary_op(lw, type(node.op), lower(lw, node.left), lower(lw, node.right), node)


def binary_op(lw: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    """``left op right``: sequences concatenate and repeat, everything else is arithmetic."""
    sequences = (Aggregate,)
    if op is gast.Add and isinstance(left, sequences) and isinstance(right, sequences):
        return Aggregate([*left.items, *right.items], left.kind)
    if op is gast.Mult and isinstance(left, Aggregate) and isinstance(right, Const):
        return Aggregate(left.items * right.payload, left.kind)
    if op is gast.Mod and isinstance(left, Const) and isinstance(left.payload, str):
        return lw.builder.call("s2sad.fstring", Const("%"))
    if isinstance(left, Box) or isinstance(right, Box):
        return objects.operator(lw, BINARY[op], left, right, node)
    x, y = lw.value(left, node), lw.value(right, node)
    lists = [isinstance(v.kind, List) for v in (x, y)]
    if any(lists) and any(v.kind == UNKNOWN for v in (x, y)):
        lw.ask_for_kind(node, "whether this is arithmetic or joins lists is not known", "the kind of one operand is not known")
    arrays = any(isinstance(v.kind, Array) for v in (x, y))
    if op in (gast.Add, gast.Mult) and any(lists) and not arrays:
        return list_operation(lw, op, x, y, node)
    return arithmetic(lw, f"operator.{BINARY[op]}", x, y)


def list_operation(lw: Lowering, op: type, x: Value, y: Value, node: gast.AST) -> Entity:
    """``xs + ys`` and ``[x] * n`` make new lists, filled by loops of appends."""
    if op is gast.Mult:
        items, count = (x, y) if isinstance(x.kind, List) else (y, x)
        fresh = lw.builder.call("builtins.list")
        fresh.kind = items.kind

        def repeat(_: Value) -> None:
            extend(lw, fresh, items)

        control.counted_loop(lw, count, repeat, node)
        return fresh
    fresh = lw.builder.call("builtins.list")
    fresh.kind = join(x.kind, y.kind)
    extend(lw, fresh, x)
    extend(lw, fresh, y)
    return fresh


def extend(lw: Lowering, items: Value, more: Value) -> None:
    """``items.extend(more)`` as a loop of appends."""
    length = lw.builder.call("builtins.len", more)

    def one(index: Value) -> None:
        lw.builder.call("list.append", items, lw.builder.call("operator.getitem", more, index))

    control.counted_loop(lw, length, one, None)


def arithmetic(lw: Lowering, target: str, *operands: Value) -> Value:
    """An operator on values; literals of Python are folded, symbolic sizes are followed."""
    if all(isinstance(v, Const) and isinstance(v.payload, FOLDABLE) for v in operands):
        folded = _fold(target, [v.payload for v in operands if isinstance(v, Const)])
        if folded is not None:
            return folded
    result = lw.builder.call(target, *operands)
    return result


def _fold(target: str, payloads: list[object]) -> Const | None:
    function = registry.find_object(target)
    try:
        value = function(*payloads)
    except Exception:
        return None
    small = isinstance(value, bool | int | str | tuple | type(None)) or (isinstance(value, float) and target.endswith("neg"))
    return Const(value) if small else None


def unary(lw: Lowering, node: gast.UnaryOp) -> Entity:
    operand = lower(lw, node.operand)
    if isinstance(node.op, gast.Not):
        known = control.truth(lw, operand)
        if known is not None:
            return Const(not known)
    if isinstance(operand, Box) and operand.kind == "object":
        return calls.method(lw, Method(operand, f"__{UNARY[type(node.op)]}__"), [], {}, node)
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
        return test if k == len(rest) - 1 else control.short_circuit(lw, test, lambda: chain(k + 1, right), True, node)

    return chain(0, left)


def _compare(lw: Lowering, op: type, left: Entity, right: Entity, node: gast.AST) -> Entity:
    known = _static_compare(lw, op, left, right)
    if known is not None:
        return Const(known)
    x, y = lw.value(left, node), lw.value(right, node)
    if op in (gast.In, gast.NotIn):
        found = lw.builder.call("operator.contains", y, x)
        return lw.builder.call("operator.not_", found) if op is gast.NotIn else found
    return arithmetic(lw, f"operator.{COMPARE[op]}", x, y)


def _static_compare(lw: Lowering, op: type, left: Entity, right: Entity) -> bool | None:
    negate = op in (gast.IsNot, gast.NotEq, gast.NotIn)
    if op in (gast.Is, gast.IsNot, gast.Eq, gast.NotEq):
        if isinstance(right, Value) and right.kind == NONE:
            is_none = _is_none(left)
            return None if is_none is None else is_none != negate
        if isinstance(left, Known) and isinstance(right, Known):
            return (left.payload is right.payload) != negate
        if isinstance(left, Const | Global) and isinstance(right, Const):
            resolved = isinstance(left, Const) or left.resolved
            if resolved and isinstance(left.payload, str | bool | type(None)):
                return bool((left.payload == right.payload) != negate)
    if op in (gast.In, gast.NotIn) and isinstance(right, Box) and right.kind == "dict" and isinstance(left, Const):
        return bool((left.payload in right.keys) != negate)
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


def if_exp(lw: Lowering, node: gast.IfExp) -> Entity:
    test = lower(lw, node.test)
    return control.choose(lw, test, lambda: lower(lw, node.body), lambda: lower(lw, node.orelse), node)


def named(lw: Lowering, node: gast.NamedExpr) -> Entity:
    entity = lower(lw, node.value)
    lw.bind(node.target.id, entity)
    return entity


def lambda_(lw: Lowering, node: gast.Lambda) -> Entity:
    body = gast.copy_location(gast.Return(node.body), node.body)
    definition = gast.FunctionDef("lambda_", node.args, [body], [], None, None, [])
    return Closure(gast.copy_location(definition, node), lw.frame)


def joined(lw: Lowering, node: gast.JoinedStr) -> Entity:
    """An f-string: text for people, which carries no derivative."""
    parts: list[Value] = []
    for part in node.values:
        if isinstance(part, gast.Constant):
            parts.append(Const(part.value))
        elif isinstance(part.value, gast.Constant | gast.Name | gast.Attribute | gast.Subscript | gast.BinOp | gast.Call):
            parts.append(lower_value(lw, part.value))
    return lw.builder.call("s2sad.fstring", *parts)


def attribute(lw: Lowering, node: gast.Attribute) -> Entity:
    return attribute_of(lw, lower(lw, node.value), node.attr, node)


def attribute_of(lw: Lowering, owner: Entity, attr: str, node: gast.AST) -> Entity:
    """``owner.attr``."""
    if isinstance(owner, Known):
        if not hasattr(owner.payload, attr):
            lw.refuse(node, f"the attribute {attr!r}", f"{owner.path or owner.payload!r} has none", "an existing name")
        path = f"{owner.path}.{attr}" if owner.path else ""
        return entity_of(getattr(owner.payload, attr), path)
    if isinstance(owner, Static):
        found: Entity | None = owner.scope.resolve(attr)
        if found is None:
            lw.refuse(node, f"the name {attr!r}", f"{owner.source.name} does not define it", "an existing name")
        return found
    if isinstance(owner, Box):
        return objects.attribute(lw, owner, attr, node)
    if isinstance(owner, Value):
        if registry.lookup(f"ndarray.{attr}") is not None and not isinstance(owner.kind, List | Dict):
            if registry.all_primitives()[f"ndarray.{attr}"].spelling == "attribute":
                return scalar_attribute(lw, owner, attr) or lw.builder.call(f"ndarray.{attr}", owner)
        if isinstance(owner, Global) and owner.resolved and not isinstance(owner.kind, Array | Scalar | List):
            return entity_of(getattr(owner.payload, attr), f"{owner.path}.{attr}")
    return Method(owner, attr)


def scalar_attribute(lw: Lowering, owner: Value, attr: str) -> Value | None:
    """Attributes of numbers that need no operation."""
    if isinstance(owner.kind, Scalar):
        if attr in ("T", "real") and not owner.kind.dtype.startswith("complex"):
            return owner
        if attr == "imag" and not owner.kind.dtype.startswith("complex"):
            return Const(0.0)
        if attr == "ndim":
            return Const(0)
    if isinstance(owner.kind, Array) and attr == "ndim" and owner.kind.rank is not None:
        return Const(owner.kind.rank)
    return None


def starred(lw: Lowering, node: gast.Starred) -> Entity:
    lw.refuse(node, "a starred expression here", "its length is not known", "write the items out")


TABLE = {
    "Name": name,
    "Constant": constant,
    "Tuple": tuple_,
    "List": list_,
    "Dict": dict_,
    "BinOp": binary,
    "UnaryOp": unary,
    "Compare": compare,
    "BoolOp": bool_op,
    "IfExp": if_exp,
    "NamedExpr": named,
    "Lambda": lambda_,
    "JoinedStr": joined,
    "Attribute": attribute,
    "Starred": starred,
    "Subscript": subscripts.subscript,
    "Slice": subscripts.slice_,
    "Call": calls.call,
    "ListComp": comprehensions.list_comprehension,
    "GeneratorExp": comprehensions.list_comprehension,
    "DictComp": comprehensions.dict_comprehension,
}

__all__ = ["TABLE", "lower", "lower_value", "kind_of"]
