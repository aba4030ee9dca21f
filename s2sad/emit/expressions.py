"""Calls and values as Python expressions."""

from __future__ import annotations

from typing import Any

import gast

from s2sad.emit.bindings import Bindings, name
from s2sad.emit.folding import Folding, short_circuit
from s2sad.emit.naming import Names
from s2sad.emit.outside import Outside, outside_of_call, outside_of_global
from s2sad.emit.payloads import call, constant, literal
from s2sad.errors import CompilerError
from s2sad.ir.kinds import Scalar, dtype_of
from s2sad.ir.nodes import SAME, Call, Const, FunctionRef, Global, If, Undef, Value
from s2sad.rules import registry

BINARY = {
    "add": gast.Add, "sub": gast.Sub, "mul": gast.Mult, "truediv": gast.Div, "floordiv": gast.FloorDiv,
    "mod": gast.Mod, "pow": gast.Pow, "matmul": gast.MatMult, "and_": gast.BitAnd, "or_": gast.BitOr,
    "xor": gast.BitXor, "lshift": gast.LShift, "rshift": gast.RShift,
}  # fmt: skip
UNARY = {"neg": gast.USub, "pos": gast.UAdd, "not_": gast.Not, "invert": gast.Invert}
COMPARE = {
    "eq": gast.Eq, "ne": gast.NotEq, "lt": gast.Lt, "le": gast.LtE, "gt": gast.Gt, "ge": gast.GtE,
    "is_": gast.Is, "is_not": gast.IsNot,
}  # fmt: skip


SIGNED = ("operator.mul", "operator.truediv")
SHORT = 12  # nodes of an expression that may be written twice


class Expressions:
    """Builds the expressions of one function."""

    def __init__(self, names: Names, folding: Folding, bindings: Bindings) -> None:
        self.names = names
        self.folding = folding
        self.bindings = bindings

    # --- values

    def value(self, value: Value) -> gast.expr:
        """A literal, a variable, or the operation that is printed in a value's place."""
        if isinstance(value, Const):
            return self.literal(value.payload)
        if isinstance(value, Global):
            return self.bindings.expression(outside_of_global(value))
        if isinstance(value, FunctionRef):
            return self.bindings.expression(Outside("function", value.function.name))
        if isinstance(value, Undef):
            raise CompilerError("an undefined value is read")
        op = self.folding.inline.get(value)
        if isinstance(op, Call):
            return self.call(op)
        return self.choice(op) if isinstance(op, If) else name(self.names[value])

    def values(self, values: list[Value]) -> list[gast.expr]:
        """The expressions for several values."""
        return [self.value(value) for value in values]

    def literal(self, payload: Any) -> gast.expr:
        """A Python object that can be written down."""
        return literal(payload, self.bindings)

    # --- calls

    def call(self, op: Call) -> gast.expr:
        """The expression of a call with one result."""
        head, _, tail = op.target.rpartition(".")
        if op.callee is None:
            if head == "operator":
                found = self.operator(tail, op)
                if found is not None:
                    return found
            display = self.display(op)
            if display is not None:
                return display
            if head in ("ndarray", "list", "str", "dict", "generator", "source", "int", "float"):
                return self.member(op, tail)
        outside = outside_of_call(op)
        if outside is None:
            raise CompilerError(f"{op.target} has no spelling")
        called = self.apply(self.bindings.expression(outside), op.args, op)
        return self.guarded(op, called) or called

    def guarded(self, op: Call, called: gast.expr) -> gast.expr | None:
        """``x / y if y else ratio(x, y)``, which spares nearly all calls: where both are short, and y a variable."""
        primitive = registry.lookup(op.target)
        if primitive is None or primitive.spelling != "guarded quotient" or not isinstance(op.args[1].kind, Scalar):
            return None
        (dividend, divisor), test = self.values(op.args), self.value(op.args[1])
        nodes = list(gast.walk(dividend))
        if not isinstance(divisor, gast.Name) or len(nodes) > SHORT or any(isinstance(n, gast.Call | gast.IfExp) for n in nodes):
            return None
        return gast.IfExp(test, gast.BinOp(dividend, gast.Div(), divisor), called)

    def apply(self, function: gast.expr, args: list[Value], op: Call) -> gast.expr:
        """``function(*args, **kwargs)``; what a function of functions hands on to them is its ``args``."""
        named = {key: self.value(v) for key, v in op.kwargs.items()}
        primitive = registry.lookup(op.target)
        if op.callee is None and primitive is not None and primitive.spelling == "functional":
            own = next(k for k, (name, _, _) in enumerate(primitive.parameters) if name.startswith("*"))
            args, further = args[:own], args[own:]
            named = {"args": gast.Tuple(self.values(further), gast.Load()), **named} if further else named
        return call(function, self.values(args), named)

    def operator(self, operator: str, op: Call) -> gast.expr | None:
        """Operators and subscripts; None if Python has no symbol for it."""
        if operator == "getitem":
            return self.subscript(op.args[0], op.args[1])
        if operator in BINARY:
            left, right = self.values(op.args)
            return gast.BinOp(left, BINARY[operator](), right)
        if operator == "not_":
            inner = self.folding.inline.get(op.args[0])
            if isinstance(inner, Call) and inner.target == "operator.contains":
                return self.comparison(inner.args[1], gast.NotIn(), inner.args[0])
        if operator == "neg" and (op.tangent or op.primal is not None):
            return self.negative(op.args[0])
        if operator in UNARY:
            return gast.UnaryOp(UNARY[operator](), self.value(op.args[0]))
        if operator == "contains":
            return self.comparison(op.args[1], gast.In(), op.args[0])
        return self.comparison(op.args[0], COMPARE[operator](), op.args[1]) if operator in COMPARE else None

    def negative(self, value: Value) -> gast.expr:
        """``-a * b`` for ``-(a * b)``, which says the same of floats."""
        op = self.folding.inline.get(value)
        if isinstance(op, Call) and op.callee is None and op.target in SIGNED and all(map(_is_float, op.args)):
            symbol = BINARY[op.target.removeprefix("operator.")]
            return gast.BinOp(self.negative(op.args[0]), symbol(), self.value(op.args[1]))
        if isinstance(value, Const) and _is_float(value):
            return self.literal(-value.payload)
        return gast.UnaryOp(gast.USub(), self.value(value))

    def comparison(self, left: Value, symbol: gast.cmpop, right: Value) -> gast.expr:
        """``left < right``."""
        return gast.Compare(self.value(left), [symbol], [self.value(right)])

    def display(self, op: Call) -> gast.expr | None:
        """Tuples, lists, dictionaries and f-strings."""
        if op.target == SAME:
            return self.value(op.args[0])
        if op.target == "builtins.tuple":
            return gast.Tuple(self.values(op.args), gast.Load())
        if op.target in ("builtins.list", "s2sad.items"):
            return gast.List(self.values(op.args), gast.Load())
        if op.target in ("s2sad.dict", "s2sad.map"):
            keys = op.args[0].payload if isinstance(op.args[0], Const) else ()
            return gast.Dict([self.literal(key) for key in keys], self.values(op.args[1:]))
        if op.target == "s2sad.attribute" and isinstance(op.args[1], Const):
            return gast.Attribute(self.value(op.args[0]), str(op.args[1].payload), gast.Load())
        if op.target == "s2sad.state":
            return self.held(op, gast.Load())
        if op.target == "s2sad.error":
            names = op.args[1].payload if isinstance(op.args[1], Const) else ()
            given = self.values(op.args[2:])
            plain = len(given) - len(names)
            return call(self.value(op.args[0]), given[:plain], dict(zip(names, given[plain:], strict=True)))
        return self.text(op.args) if op.target == "s2sad.fstring" else None

    def held(self, op: Call, context: gast.expr_context) -> gast.expr:
        """``counter.nfev``, ``counts["f"]``: a place in an object outside, or an array there itself."""
        owner, attribute, key = op.args[:3]
        assert isinstance(attribute, Const) and isinstance(key, Const)
        if attribute.payload is None:
            return self.value(owner)
        if attribute.payload:
            return gast.Attribute(self.value(owner), str(key.payload), context)
        return gast.Subscript(self.value(owner), self.literal(key.payload), context)

    def text(self, parts: list[Value]) -> gast.expr:
        """An f-string; literal text stands for itself."""
        values: list[gast.expr] = []
        for part in parts:
            if isinstance(part, Const) and isinstance(part.payload, str):
                values.append(constant(part.payload))
            else:
                values.append(gast.FormattedValue(self.value(part), -1, None))
        return gast.JoinedStr(values)

    def member(self, op: Call, member: str) -> gast.expr:
        """``x.T``, ``x.astype(dtype)``, ``items.pop()``."""
        attribute = gast.Attribute(self.value(op.args[0]), member, gast.Load())
        primitive = registry.lookup(op.target)
        if primitive is not None and primitive.spelling == "attribute":
            return attribute
        return self.apply(attribute, op.args[1:], op)

    # --- subscripts

    def subscript(self, base: Value, index: Value, store: bool = False) -> gast.Subscript:
        """``base[index]``, read or stored into."""
        context = gast.Store() if store else gast.Load()
        return gast.Subscript(self.value(base), self.index(index), context)

    def index(self, index: Value) -> gast.expr:
        """The expression between the brackets."""
        if isinstance(index, Const):
            return self._literal_index(index.payload)
        op = self.folding.inline.get(index)
        if isinstance(op, Call) and op.target == "builtins.tuple" and op.args:
            return gast.Tuple([self._index_item(item) for item in op.args], gast.Load())
        return self._index_item(index)

    def _index_item(self, item: Value) -> gast.expr:
        if isinstance(item, Const) and isinstance(item.payload, slice):
            return self._literal_index(item.payload)
        op = self.folding.inline.get(item)
        if isinstance(op, Call) and op.target == "builtins.slice":
            parts = [None if isinstance(p, Const) and p.payload is None else self.value(p) for p in op.args]
            return gast.Slice(*parts)
        return self.value(item)

    def _literal_index(self, payload: Any) -> gast.expr:
        if isinstance(payload, slice):
            parts = (payload.start, payload.stop, payload.step)
            return gast.Slice(*(None if p is None else self.literal(p) for p in parts))
        if isinstance(payload, tuple) and payload:
            return gast.Tuple(
                [
                    self._literal_index(item) if isinstance(item, slice) else self.literal(item)
                    for item in payload
                ],
                gast.Load(),
            )
        return self.literal(payload)

    # --- branches

    def choice(self, op: If) -> gast.expr:
        """A branch that only chooses a value: ``a if c else b``, ``a and b``, ``a or b``."""
        then, orelse = op.then.yields[0], op.orelse.yields[0]
        short = short_circuit(op)
        if short is None:
            return gast.IfExp(self.value(op.cond), self.value(then), self.value(orelse))
        symbol = gast.And if short == "and" else gast.Or
        values: list[gast.expr] = []
        for value in (self.value(op.cond), self.value(then if short == "and" else orelse)):
            values += (
                value.values if isinstance(value, gast.BoolOp) and isinstance(value.op, symbol) else [value]
            )
        return gast.BoolOp(symbol(), values)


def _is_float(value: Value) -> bool:
    """Test for floats, whose signs pass through products to the last bit, and of which none is without one."""
    dtype = dtype_of(value.kind)
    return dtype is not None and dtype.startswith("float")
