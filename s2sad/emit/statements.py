"""Blocks as Python statements.

Each region prints as the statement that it is, with the assignments by which values are handed over
(``uses``)::

    x = a                    # at_entry
    while True:
        v1 = f(x)
        if not v1 > tol:
            break
        ...
        x = y                # at_back_edge
    r = x                    # at_exit, if these are different variables
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sad.emit.assignments import Assignments
from s2sad.emit.bindings import name
from s2sad.emit.calls import CallStatements
from s2sad.emit.expressions import Expressions
from s2sad.emit.remarks import Remarks
from s2sad.emit.uses import after_test, at_back_edge, at_entry, at_exit
from s2sad.ir.kinds import Kind, List, TupleOf, holds_tuples
from s2sad.ir.nodes import Block, Call, Const, For, Function, If, Loop, Op, Structure, Value, While, With

Body = list[gast.stmt]


def as_tuples(shown: gast.expr, kind: Kind) -> gast.expr:
    """The expression of something that may hold tuples of unknown length: with tuples.

    list(map(tuple, rows))  ==>  tuple(row) for each of the rows
    """
    if not isinstance(kind, List) or kind.keyed or not holds_tuples(kind):
        return shown
    if holds_tuples(kind.item):
        item = gast.Name("item", gast.Load(), None, None)
        loop = gast.comprehension(gast.Name("item", gast.Store(), None, None), shown, [], 0)
        shown = gast.ListComp(as_tuples(item, kind.item), [loop])
    if not isinstance(kind, TupleOf):
        return shown
    return gast.Call(gast.Name("tuple", gast.Load(), None, None), [shown], [])


class Statements:
    """Builds the statements of one function."""

    def __init__(
        self, function: Function, expressions: Expressions, assignments: Assignments, remarks: Remarks, main: bool
    ) -> None:
        """``main``: the user calls the function, and finds tuples where the program has lists for them (``TupleOf``)."""
        self.function, self.main = function, main
        self.expressions = expressions
        self.assignments = assignments
        self.calls = CallStatements(expressions, assignments)
        self.remarks = remarks

    def body(self) -> Body:
        """The function's statements, docstring and return included."""
        found = self.block(self.function.body, top=True)
        last = self.returned()
        if last is not None:
            folding, yields = self.expressions.folding, self.function.body.yields
            op = folding.inline.get(yields[0], Op()) if self.function.returns.kind == "leaf" else Op()
            self.remarks.attach([last], self.remarks.at_return(len(self.function.body.ops)), op, folding.parts_of(op))
            found.append(last)
        if self.function.doc:
            found.insert(0, gast.Expr(gast.Constant(self.function.doc, None)))
        return found or [gast.Pass()]

    def returned(self) -> gast.Return | None:
        """``return`` with the structure that the function promises; None where it returns None."""
        leaves = list(self.function.body.yields)
        returns = self.function.returns
        if returns.kind == "leaf" and isinstance(leaves[0], Const) and leaves[0].payload is None:
            return None
        return gast.Return(self.structure(returns, leaves))

    def structure(self, structure: Structure, leaves: list[Value]) -> gast.expr:
        """A display of the leaves, which are used up."""
        if structure.kind == "leaf":
            leaf = leaves.pop(0)
            shown = self.expressions.value(leaf)
            return as_tuples(shown, leaf.kind) if self.main else shown
        items = [self.structure(item, leaves) for item in structure.items]
        if structure.kind in ("dict", "object"):
            return gast.Dict([self.expressions.literal(key) for key in structure.keys], items)
        return gast.List(items, gast.Load()) if structure.kind == "list" else gast.Tuple(items, gast.Load())

    # --- blocks

    def block(self, block: Block, top: bool = False) -> Body:
        """The statements of a block, without what it hands over at its end."""
        found: Body = []
        inline = self.expressions.folding.inline
        for at, op in enumerate(block.ops):
            if not inline.keys().isdisjoint(op.results):
                continue
            lines = self.remarks.before(op, at if top else None)
            made = self.operation(op)
            self.remarks.attach(made, lines, op, self.expressions.folding.parts_of(op))
            found += made
        return found

    def nested(self, block: Block) -> Body:
        """The statements of a nested block."""
        self.remarks.new_block()
        found = self.block(block)
        self.remarks.new_block()
        return found

    def operation(self, op: Op) -> Body:
        """The statements of one operation."""
        if isinstance(op, Call):
            return self.calls.statements(op)
        return REGIONS[type(op)](self, op)

    # --- regions

    def branch(self, op: If) -> Body:
        """``if``; an ``else`` that is nothing but another ``if`` prints as ``elif``."""
        then = self.nested(op.then) + self.assignments.at_end(op, op.then)
        orelse = self.nested(op.orelse) + self.assignments.at_end(op, op.orelse)
        test = self.expressions.value(op.cond)
        if then:
            return [gast.If(test, then, orelse)]
        return [gast.If(negated(test), orelse, [])] if orelse else []

    def for_loop(self, op: For) -> Body:
        """``for``, between the assignments at its borders."""
        item = op.body.params[0]
        target = name(self.assignments.target(item), store=True)
        iterable = self.expressions.value(self.forwards(op))
        body = self.nested(op.body) + self.next_iteration(op)
        loop = gast.For(target, iterable, body or [gast.Pass()], [], None)
        return [*self.assignments.copies(at_entry(op)), loop, *self.assignments.copies(at_exit(op))]

    def forwards(self, op: For) -> Value:
        """The values that a loop runs over; if it does not look at the items, their order does not matter."""
        backwards = self.expressions.folding.inline.get(op.iterable)
        bound = self.assignments.variables.liveness.bound(op.body.params[0])
        if not bound and isinstance(backwards, Call) and backwards.target == "builtins.reversed":
            return backwards.args[0]
        return op.iterable

    def while_loop(self, op: While) -> Body:
        """``while test``, or, where the test takes statements of its own, ``while True`` with a break."""
        test_block = self.nested(op.test)
        test = self.expressions.value(op.test.yields[0])
        body = self.assignments.copies(after_test(op)) + self.nested(op.body) + self.next_iteration(op)
        if test_block:
            body = [*test_block, gast.If(negated(test), [gast.Break()], []), *body]
            test = gast.Constant(True, None)
        loop = gast.While(test, body or [gast.Pass()], [])
        return [*self.assignments.copies(at_entry(op)), loop, *self.assignments.copies(at_exit(op))]

    def next_iteration(self, op: Loop) -> Body:
        """The assignments for the next iteration, and the break if there is to be none."""
        copies = self.assignments.copies(at_back_edge(op))
        if not op.breaks:
            return copies
        flag = op.body.yields[0]
        test = self.expressions.value(flag)
        if self.assignments.overwritten(copies, flag):
            kept = self.expressions.names.fresh()
            copies.insert(0, gast.Assign([name(kept, store=True)], test, None))
            test = name(kept)
        return [*copies, gast.If(test, [gast.Break()], [])]

    def with_statement(self, op: With) -> Body:
        """``with``."""
        body = self.nested(op.body) + self.assignments.at_end(op, op.body)
        item = gast.withitem(self.expressions.value(op.context), None)
        return [gast.With([item], body or [gast.Pass()], None)]


REGIONS: dict[type[Op], Callable[[Any, Any], Body]] = {
    If: Statements.branch,
    For: Statements.for_loop,
    While: Statements.while_loop,
    With: Statements.with_statement,
}


def negated(test: gast.expr) -> gast.expr:
    """``not test``; of a negation, its operand."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    return gast.UnaryOp(gast.Not(), test)
