"""Checking the invariants of the intermediate representation (``S2SAD_VERIFY=1`` does so after every pass)."""

from __future__ import annotations

from s2sad.errors import CompilerError
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Loop, Op, Straight, Value
from s2sad.ir.printer import print_function


def verify(function: Function, after: str = "") -> None:
    """Raise ``CompilerError`` with the program's text if an invariant is broken."""
    problems: list[str] = []
    _Verifier(problems).function(function)
    if problems:
        text = print_function(function)
        raise CompilerError(f"broken program after {after or 'a pass'}: {'; '.join(problems[:5])}\n{text}")


class _Verifier:
    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        self.defined: set[Value] = set()

    def function(self, function: Function) -> None:
        scope: set[Value] = set()
        for param in function.params:
            self.define(param.value, scope, "a parameter")
        self.block(function.body, scope)
        if len(function.body.yields) != function.returns.leaves():
            self.problems.append(f"{len(function.body.yields)} yields for {function.returns.leaves()} returned leaves")

    def define(self, value: Value, scope: set[Value], what: str) -> None:
        if value in self.defined:
            self.problems.append(f"{value!r} is defined twice ({what})")
        if isinstance(value, LITERALS):
            self.problems.append(f"{value!r} is a literal and cannot be {what}")
        self.defined.add(value)
        scope.add(value)

    def use(self, value: Value, scope: set[Value], what: str) -> None:
        if not isinstance(value, LITERALS) and value not in scope:
            self.problems.append(f"{value!r} is used by {what} outside the scope of its definition")

    def block(self, block: Block, scope: set[Value]) -> None:
        scope = set(scope)
        for value in block.params:
            self.define(value, scope, "a block parameter")
        for op in block.ops:
            what = op.target if isinstance(op, Call) else type(op).__name__
            for value in op.operands():
                self.use(value, scope, what)
            for inner in op.blocks():
                self.block(inner, scope)
            self.arity(op, what)
            for value in op.results:
                self.define(value, scope, f"a result of {what}")
        for value in block.yields:
            self.use(value, scope, "a yield")

    def arity(self, op: Op, what: str) -> None:
        carried, found = len(op.results), list[int]()
        if isinstance(op, Loop):
            found = [len(op.init), len(op.carried), len(op.carried_yields), *(len(block.params) for block in op.tests)]
        elif isinstance(op, Straight):
            found = [len(block.yields) for block in op.blocks()]
        if any(n != carried for n in found):
            self.problems.append(f"{what} has {carried} results but carries {found}")
