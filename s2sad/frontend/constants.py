"""What expressions of a file give that is only read: literals, the numbers that are computed of them, and the kinds of arrays.

    LOG_2PI = math.log(2 * math.pi)                 a number
    POINTS = np.array([-1.0, 1.0]) / np.sqrt(3)     an array of float64 with one axis

Nothing but numbers is computed here, and none that could take long: it is the user's module that makes the arrays.
"""

from __future__ import annotations

import ast
import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity, Static
from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, Tuple
from s2sad.ir.nodes import Call, Const, Global, Value
from s2sad.ir.pure import is_small
from s2sad.rules import registry

NO_LITERAL = object()


def literal(node: ast.AST) -> Any:
    """The value of a literal that nobody can change: a number, a string, None, or a tuple of such; else NO_LITERAL."""
    if isinstance(node, ast.Constant):
        plain = isinstance(node.value, bool | int | float | complex | str | None)
        return node.value if plain and is_small(node.value) else NO_LITERAL
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = literal(node.operand)
        if type(value) not in (int, float, complex):
            return NO_LITERAL
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Tuple):
        items = tuple(map(literal, node.elts))
        return NO_LITERAL if any(item is NO_LITERAL for item in items) else items
    return NO_LITERAL


ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}  # fmt: skip
OF_ONE = frozenset([math.sqrt, math.exp, math.log, math.log2, math.log10, math.sin, math.cos, math.tan, math.atan, math.radians])
EXACT = 2**53
Named = Callable[[ast.expr], Entity | None]  # what a name, or an attribute of a module, stands for


def number(node: ast.expr, named: Named) -> Any:
    """The number that an expression of a file gives which is only read, as ``2 * np.pi``, ``math.log(2)``; or NO_LITERAL.

    Only numbers as they fit into a register are computed with, so that no file can have something computed without end.
    """
    found = literal(node)
    if found is NO_LITERAL and isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        sides = number(node.left, named), number(node.right, named)
        if NO_LITERAL not in sides:
            power = isinstance(node.op, ast.Pow) and all(isinstance(side, int) for side in sides)
            try:
                found = ARITHMETIC[type(node.op)](*(map(float, sides) if power else sides))
            except (ArithmeticError, TypeError):
                return NO_LITERAL
            if power:
                found = int(found) if sides[1] >= 0 and abs(found) < EXACT else NO_LITERAL
    elif found is NO_LITERAL and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = number(node.operand, named)
        found = inner if inner is NO_LITERAL or isinstance(node.op, ast.UAdd) else -inner
    elif found is NO_LITERAL and isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        found = _called(named(node.func), node.args[0], named)
    elif found is NO_LITERAL:
        known = named(node)
        found = known.payload if isinstance(known, Const | Global) else NO_LITERAL
    plain = type(found) in (int, float, complex) and (not isinstance(found, int) or abs(found) < EXACT)
    return found if plain else NO_LITERAL


def _called(made: Entity | None, argument: ast.expr, named: Named) -> Any:
    """What ``float("inf")``, or a function of one number, gives."""
    if not isinstance(made, Static):
        return NO_LITERAL
    with contextlib.suppress(ValueError, OverflowError, TypeError):
        if made.payload is float:
            text = literal(argument)
            return float(text) if isinstance(text, str | int | float) else NO_LITERAL
        if any(made.payload is function for function in OF_ONE) and (found := number(argument, named)) is not NO_LITERAL:
            return made.payload(found)
    return NO_LITERAL


def display(node: ast.AST) -> Any:
    """The value of a literal, or of a display of literals: a new list or dict; else NO_LITERAL."""
    if isinstance(node, ast.List | ast.Tuple):
        items = list(map(display, node.elts))
        known = not any(item is NO_LITERAL for item in items)
        return NO_LITERAL if not known else items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Dict):
        keys = [NO_LITERAL if key is None else literal(key) for key in node.keys]
        pairs = list(zip(keys, map(display, node.values), strict=True))
        return NO_LITERAL if any(part is NO_LITERAL for pair in pairs for part in pair) else dict(pairs)
    return literal(node)


OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.Pow: "pow", ast.MatMult: "matmul", ast.USub: "neg",
}  # fmt: skip


def kind_of_array(node: ast.expr, named: Named) -> Kind:
    """The kind of the array that an expression of a file makes of what stands there; UNKNOWN of all else.

    How many items there are is left open: the file may have another table tomorrow.
    """
    found = _value(node, named)
    kind = UNKNOWN if found is None else found.kind
    known = isinstance(kind, Array) and kind.dtype is not None and np.dtype(kind.dtype).kind in "biufc"
    return Array(kind.dtype, (None,) * kind.rank) if known and kind.rank else UNKNOWN  # type: ignore[attr-defined]


def _value(node: ast.expr, named: Named) -> Value | None:
    """A number, or the kind of what numbers and arrays make; None where nothing is known of it."""
    if isinstance(node, ast.List | ast.Tuple):
        items = _values(node.elts, named)
        return None if items is None else Value(Tuple(tuple(item.kind for item in items)))
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        operands = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        return _made(f"operator.{OPERATORS[type(node.op)]}", _values(operands, named)) if type(node.op) in OPERATORS else None
    found = number(node, named)
    if found is not NO_LITERAL:
        return Const(found)
    return _called_for(node, named) if isinstance(node, ast.Call) else _read(node, named)


def _values(nodes: Sequence[ast.expr], named: Named) -> list[Value] | None:
    found = [_value(node, named) for node in nodes]
    return None if None in found else found  # type: ignore[return-value]


def _called_for(node: ast.Call, named: Named) -> Value | None:
    """What a function of a library gives, or a method of an array; of options the dtype alone may be there."""
    args, options = _values(node.args, named), [(k.arg, named(k.value)) for k in node.keywords]
    if not all(name == "dtype" and isinstance(value, Static) for name, value in options):
        return None
    dtypes: dict[str, Value] = {str(name): Const(value.payload) for name, value in options}  # type: ignore[union-attr]
    if isinstance(function := named(node.func), Static):
        return _made(function.path, args, dtypes)
    owner = _value(node.func.value, named) if isinstance(node.func, ast.Attribute) else None
    return None if owner is None or args is None else _made(f"ndarray.{node.func.attr}", [owner, *args], dtypes)  # type: ignore[attr-defined]


def _read(node: ast.expr, named: Named) -> Value | None:
    """An array of the file, or an attribute of one: ``TABLE.T``."""
    if isinstance(known := named(node), Global) or not isinstance(node, ast.Attribute):
        return Value(known.kind) if isinstance(known, Global) and isinstance(known.kind, Array) else None
    owner = _value(node.value, named)
    return None if owner is None else _made(f"ndarray.{node.attr}", [owner])


def _made(function: str, args: list[Value] | None, options: dict[str, Value] | None = None) -> Value | None:
    """The kind of what a function gives for arguments that are known."""
    try:
        kind = UNKNOWN if args is None else registry.infer(Call(target=function, args=args, kwargs=options or {}))
    except Exception:  # a call that the library refuses: so will the module when it is imported
        return None
    return Value(kind) if isinstance(kind, Array | Scalar) else None
