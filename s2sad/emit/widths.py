"""How many columns an expression will take: an estimate from the operations alone, before variables have names."""

from __future__ import annotations

from s2sad.ir.nodes import Call, Const, For, Global, If, Op, Value, While, With
from s2sad.rules import registry

NAME = 3  # a temporary's
UNSEEN = {"builtins.tuple", "builtins.list", "builtins.slice", "s2sad.items", "operator.getitem"}


def of_value(value: Value) -> int:
    """The width of an operand that is a variable or literal."""
    if isinstance(value, Const):
        return len(repr(value.payload))
    if isinstance(value, Global):
        return len(value.path)
    return len(value.name) if value.name else NAME


def of(op: Op) -> int:
    """The width of an operation's statement with all operands in variables."""
    if isinstance(op, Call):
        left = sum(of_value(value) + 2 for value in op.results)
        return left + 1 + call(op)
    head = {If: "if :", For: "for  in :", While: "while :", With: "with :"}
    operands = sum(of_value(value) for value in op.operands()) if isinstance(op, If | With) else 0
    items = of_value(op.body.params[0]) + of_value(op.iterable) if isinstance(op, For) else 0
    return len(head[type(op)]) + operands + items


def call(op: Call) -> int:
    """The width of a call's expression with all operands in variables."""
    operands = sum(of_value(value) + 2 for value in op.args) + sum(of_value(v) + len(k) + 3 for k, v in op.kwargs.items())
    primitive = registry.lookup(op.target) if op.callee is None else None
    if primitive is not None and primitive.spelling in ("operator", "subscript", "slice", "list", "dict") or op.target in UNSEEN:
        return operands + 2
    name = op.target.rpartition(".")[2]
    prefix = 3 if op.target.startswith("numpy.") else 5 if op.target.startswith("math.") else 0
    return operands + len(name) + prefix


def added(op: Call) -> int:
    """By how much a statement grows when an operand is replaced by this operation."""
    return call(op) - NAME


def choice(op: If) -> int:
    """The width of a branch as an expression, with all that its blocks compute."""
    total = of_value(op.cond) + len(" if  else ")
    for block in op.blocks():
        total += of_value(block.yields[0])
        for inner in block.ops:
            total += choice(inner) if isinstance(inner, If) else added(inner) if isinstance(inner, Call) else 0
    return total
