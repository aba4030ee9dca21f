"""Calls as statements: assignments, stores, unpacking, assertions, and calls for their effect."""

from __future__ import annotations

from collections.abc import Callable

import gast

from s2sad.emit.assignments import Assignments
from s2sad.emit.bindings import name
from s2sad.emit.comments import trailing
from s2sad.emit.expressions import BINARY, Expressions
from s2sad.ir.nodes import EXPECTED, LITERALS, OTHERWISE, Call, Const, FunctionRef, Structure, Value

Body = list[gast.stmt]


class CallStatements:
    """Builds the statements of calls."""

    def __init__(self, expressions: Expressions, assignments: Assignments) -> None:
        self.expressions = expressions
        self.assignments = assignments
        self.table: dict[str, Callable[[Call], Body]] = {
            "operator.setitem": self.setitem,
            "s2sad.additem": lambda op: self.change(op, gast.Add()),
            "s2sad.subitem": lambda op: self.change(op, gast.Sub()),
            "s2sad.unpack": self.unpack,
            "s2sad.leave": lambda op: [gast.Assign([expressions.held(op, gast.Store())], expressions.value(op.args[3]), None)],
            "s2sad.leave_item": self.leave_item,
            "s2sad.assert": self.assertion,
            OTHERWISE: self.otherwise,
            EXPECTED: self.expected,
            "s2sad.raise": lambda op: [gast.Raise(*[*self.expressions.values(op.args), None][:2])],
        }

    def statements(self, op: Call) -> Body:
        """The statements of a call."""
        if op.callee is not None:
            return self.user_call(op)
        special = self.table.get(op.target)
        if special is not None:
            return special(op)
        return self.assigned(op)

    def otherwise(self, op: Call) -> Body:
        """``if not test: return function(x, y, k=k)``."""
        test, *given = op.args
        return [gast.If(gast.UnaryOp(gast.Not(), self.expressions.value(test)), [self.handed(given)], [])]

    def expected(self, op: Call) -> Body:
        """``try: return lean(x, y, k=k)``, and where that gives up: ``return general(x, y, k=k)``."""
        lean, general, *args = op.args
        handler = gast.ExceptHandler(gast.Name("Exception", gast.Load(), None, None), None, [gast.Pass()])
        trailing(handler.body[0], "the other program tells what is right")
        return [gast.Try([self.handed([lean, *args])], [handler], [], []), self.handed([general, *args])]

    def handed(self, given: list[Value]) -> gast.Return:
        """``return function(x, y, k=k)``, of the function and its arguments."""
        function, *args = self.expressions.values(given)
        assert isinstance(given[0], FunctionRef)
        taken = list(zip(given[0].function.params, args, strict=True))
        named = [gast.keyword(p.name, arg) for p, arg in taken if p.keyword_only]
        return gast.Return(gast.Call(function, [arg for p, arg in taken if not p.keyword_only], named))

    def leave_item(self, op: Call) -> Body:
        """``history.append(value)`` of a list outside."""
        items, value = self.expressions.values(op.args)
        return [gast.Expr(gast.Call(gast.Attribute(items, "append", gast.Load()), [value], []))]

    def assigned(self, op: Call) -> Body:
        """``x = call``, or the call alone if nobody reads what it gives."""
        value = op.result
        if self.assignments.variables.liveness.bound(value):
            return [self.assignments.assign(value, op)]
        return [gast.Expr(self.expressions.call(op))]

    # --- users' functions

    def user_call(self, op: Call) -> Body:
        """``a, (b, c) = f(...)``, as ``f`` puts its results together."""
        assert op.callee is not None
        call = self.expressions.call(op)
        if not any(map(self.assignments.variables.liveness.bound, op.results)):
            return [gast.Expr(call)]
        later: Body = []
        target = self.target(op.callee.returns, list(op.results), later)
        return [gast.Assign([target], call, None), *later]

    def target(self, structure: Structure, results: list[Value], later: Body) -> gast.expr:
        """The target to which a structure of results is assigned; ``later`` statements take items out of dictionaries."""
        if structure.kind == "leaf":
            return name(self.assignments.target(results.pop(0)), store=True)
        if structure.kind not in ("dict", "object"):
            return gast.Tuple([self.target(item, results, later) for item in structure.items], gast.Store())
        whole = self.expressions.names.fresh()
        for key, item in zip(structure.keys, structure.items, strict=True):
            deeper: Body = []
            target = self.target(item, results, deeper)
            source = gast.Subscript(name(whole), self.expressions.literal(key), gast.Load())
            later += [gast.Assign([target], source, None), *deeper]
        return name(whole, store=True)

    # --- statements of the language

    def setitem(self, op: Call) -> Body:
        """``a[i] = v``; ``a[i] *= e`` for ``a[i] = a[i] * e``."""
        folding = self.expressions.folding
        if op in folding.augmented:
            operation = folding.inline[op.args[2]]
            assert isinstance(operation, Call)
            symbol = BINARY[operation.target.removeprefix("operator.")]()
            return [gast.AugAssign(self.place(op), symbol, self.expressions.value(operation.args[1]))]
        target = self.expressions.subscript(op.args[0], op.args[1], store=True)
        return [gast.Assign([target], self.expressions.value(op.args[2]), None)]

    def change(self, op: Call, symbol: gast.operator) -> Body:
        """``a[i] += v``."""
        return [gast.AugAssign(self.place(op), symbol, self.expressions.value(op.args[2]))]

    def place(self, op: Call) -> gast.expr:
        """``a[i]``; a whole array in a variable, and a window of one, is its own place."""
        base, index = op.args[:2]
        if isinstance(index, Const) and index.payload is ...:
            inner = self.expressions.folding.inline.get(base)
            if not isinstance(base, LITERALS) and inner is None and base not in self.expressions.folding.nullable:
                return name(self.assignments.names[base], store=True)
            if isinstance(inner, Call) and inner.target == "operator.getitem":
                return self.expressions.subscript(inner.args[0], inner.args[1], store=True)
        return self.expressions.subscript(base, index, store=True)

    def unpack(self, op: Call) -> Body:
        """``a, b = value``."""
        targets: list[gast.expr] = [name(self.assignments.target(value), store=True) for value in op.results]
        return [gast.Assign([gast.Tuple(targets, gast.Store())], self.expressions.value(op.args[0]), None)]

    def assertion(self, op: Call) -> Body:
        """``assert test, message``."""
        message = op.args[1] if len(op.args) > 1 else op.kwargs.get("message", Const(None))
        silent = isinstance(message, Const) and message.payload is None
        return [
            gast.Assert(
                self.expressions.value(op.args[0]), None if silent else self.expressions.value(message)
            )
        ]
