"""The number of columns that an expression will take: an estimate, made before variables have names."""

from __future__ import annotations

from s2sad.analysis.views import STORES
from s2sad.ir.nodes import Call, Const, For, Global, If, Op, Straight, Value
from s2sad.rules import registry

NAME = 3  # a temporary's
DISPLAYS = {"builtins.tuple", "builtins.list", "s2sad.items", "s2sad.dict", "s2sad.map"}


def of_value(value: Value) -> int:
    """The width of an operand that is a variable or literal."""
    if isinstance(value, Const):
        return of_literal(value.payload)
    if isinstance(value, Global):
        return len(value.path)
    return len(value.name) if value.name else NAME


def of_literal(payload: object) -> int:
    """The width of a literal; slices as in a subscript."""
    if isinstance(payload, slice):
        return 1 + sum(
            of_literal(part) for part in (payload.start, payload.stop, payload.step) if part is not None
        )
    if isinstance(payload, tuple):
        return sum(of_literal(item) + 2 for item in payload)
    return len(repr(payload))


def of(op: Op) -> int:
    """The width of an operation's statement with all operands in variables."""
    if isinstance(op, Call):
        stored = op.target in STORES
        return call(op) if stored else call(op) + sum(of_value(value) + 2 for value in op.results) + 1
    head = "for  in :" if isinstance(op, For) else f"{type(op).__name__} :"
    operands = sum(of_value(value) for value in op.operands()) if isinstance(op, Straight) else 0
    items = of_value(op.body.params[0]) + of_value(op.iterable) if isinstance(op, For) else 0
    return len(head) + operands + items


def call(op: Call) -> int:
    """The width of a call's expression with all operands in variables."""
    widths = [of_value(value) for value in op.args] + [of_value(v) + len(k) + 1 for k, v in op.kwargs.items()]
    if op.target == "builtins.slice":
        return 1 + sum(
            w
            for w, v in zip(widths, op.args, strict=True)
            if not (isinstance(v, Const) and v.payload is None)
        )
    if op.target == "operator.getitem":
        return sum(widths) + len("[]")
    if op.target in STORES:
        return sum(widths) + len("[] += ")
    primitive = registry.lookup(op.target) if op.callee is None else None
    if primitive is not None and primitive.spelling == "operator":
        return sum(widths) + len(" + ")
    separated = sum(widths) + 2 * max(0, len(widths) - 1)
    if op.target in DISPLAYS:
        return separated + 2
    name = op.target.rpartition(".")[2]
    prefix = 3 if op.target.startswith("numpy.") else 5 if op.target.startswith("math.") else 0
    return separated + prefix + len(name) + 2


def added(op: Call) -> int:
    """By how much a statement grows when an operand is replaced by this operation."""
    return call(op) - NAME


def surplus(op: Call) -> int:
    """By how much the name of a result is wider than that of a temporary."""
    return of_value(op.result) - NAME


def choice(op: If) -> int:
    """The width of a branch as an expression, with all that its blocks compute."""
    total = of_value(op.cond) + len(" if  else ")
    for block in op.blocks():
        total += of_value(block.yields[0])
        for inner in block.ops:
            total += (
                choice(inner) if isinstance(inner, If) else added(inner) if isinstance(inner, Call) else 0
            )
    return total
