"""Operators on values: folded where all operands are literals, an operation otherwise."""

from __future__ import annotations

import math

import gast

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.entities import Entity
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, Array, List, Tuple, dtype_of
from s2sad.ir.nodes import Const, Global, Value
from s2sad.ir.pure import compute
from s2sad.rules.kind_arrays import array_kind

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


FOLDABLE = (bool, int, float, str, type(None), tuple, frozenset)


def as_real(ctx: Lowering, value: Value) -> Value:
    """A value as ``math`` takes it: of NumPy's complex numbers the real parts, with NumPy's warning."""
    if not (dtype_of(array_kind(value.kind)) or "").startswith("complex"):
        return value
    if isinstance(value.kind, List | Tuple):
        raise UnsupportedSyntaxError(
            "a function of math on a list of complex numbers is not supported", location=ctx.builder.loc,
            why="Python has no real part of its own, and leaves out the other of NumPy's", instead="z.real of each",
        )  # fmt: skip
    items = isinstance(value.kind, Array) and value.kind.rank != 0
    return ctx.builder.call("numpy.real" if items else "builtins.float", value)


def arithmetic(ctx: Lowering, target: str, *operands: Value) -> Value:
    """An operator on values; literals of Python are folded, symbolic sizes are followed."""
    if ctx.program.keeping is not None:
        ctx.program.keeping.computes(target, operands)
    known = operands[0].payload if isinstance(operands[0], Global) and operands[0].resolved else None
    if target == "operator.neg" and isinstance(known, float) and known == math.inf:
        return Const(-math.inf)  # an order of norms, which must be known
    if all(isinstance(v, Const) and isinstance(v.payload, FOLDABLE) for v in operands):
        folded = _fold(target, [v.payload for v in operands if isinstance(v, Const)])
        if folded is not None:
            return folded
    result = ctx.builder.call(target, *operands)
    return result


def _fold(target: str, payloads: list[object]) -> Const | None:
    try:
        value = compute(target, *payloads)
    except (ArithmeticError, TypeError, ValueError, LookupError):
        return None
    small = isinstance(value, bool | int | str | tuple | frozenset | type(None)) or (
        isinstance(value, float) and target.endswith("neg")
    )
    return Const(value) if small else None


def known_shape(entity: Entity) -> list[Const] | None:
    """The sizes of an array, where all of them are known numbers."""
    shape = entity.kind.shape if isinstance(entity, Value) and isinstance(entity.kind, Array) else None
    return None if shape is None or not all(type(n) is int for n in shape) else [Const(n) for n in shape]


def check_sequence(ctx: Lowering, value: Value) -> None:
    """See to it that the items of a value of which nothing is known are those that its indices name."""
    if value.kind == UNKNOWN:
        ctx.builder.call("s2sad.runtime.assert_sequence", value)


def length_of(ctx: Lowering, value: Value) -> Value:
    """``len(value)``: a number where it is known."""
    shape = value.kind.shape if isinstance(value.kind, Array) else None
    return Const(shape[0]) if shape and type(shape[0]) is int else ctx.builder.call("builtins.len", value)
