"""Functions that are written alike are one: what is made for arrays of several sizes often differs in names alone.

    def sigmoid_forward(z): ...           def sigmoid_forward(z): ...
    def sigmoid_2_forward(z): ...   ==>
    def scaled_forward(z, k):             def scaled_forward(z, k):
        v1, sigmoid_2_tape = sigmoid_2_forward(z)       v1, sigmoid_2_tape = sigmoid_forward(z)

Compared is what is printed, for kinds decide how operations are; variables count by where they first appear, and functions of the
module by those that they are equal to.
"""

from __future__ import annotations

import ast

from s2sad.ir.nodes import Call, Function
from s2sad.ir.walk import ops_of

Key = tuple[str, ...]
# What binds names in ways of its own.
BINDING = (
    ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Global, ast.Nonlocal,
    ast.ExceptHandler, ast.Match, ast.Import, ast.ImportFrom,
)  # fmt: skip


class Twins:
    """The functions of a module, callees first, as they are met: ``same`` has the names of those that are like earlier ones."""

    def __init__(self, functions: list[Function]) -> None:
        self.same: dict[str, str] = {}
        self.variables: dict[str, list[str]] = {}  # of each function, by where they first appear
        self._met: dict[Key, str] = {}
        calls = (op for f in functions for op in ops_of(f.body) if isinstance(op, Call) and op.callee is not None)
        self._by_keyword = {op.callee for op in calls if op.kwargs}
        self._last = functions[-1]

    def meet(self, function: Function, text: str) -> None:
        """Look at the text of one function."""
        keywords = any(p.keyword_only for p in function.params)
        if function is self._last or function in self._by_keyword or keywords:
            return
        found = self._met.setdefault(self._key(function.name, text), function.name)
        if found != function.name:
            self.same[function.name] = found

    def names(self) -> dict[str, str]:
        """The name of all those that are one: the shortest of theirs."""
        groups: dict[str, list[str]] = {}
        for name, first in self.same.items():
            groups.setdefault(first, [first]).append(name)
        return {name: min(group, key=lambda n: (len(n), n)) for group in groups.values() for name in group}

    def _key(self, own: str, text: str) -> Key:
        (definition,) = ast.parse(text).body
        nodes = list(ast.walk(definition))
        local = {node.arg for node in nodes if isinstance(node, ast.arg)}
        local |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        if any(isinstance(node, BINDING) and node is not definition for node in nodes):
            return (own,)
        numbers: dict[str, int] = {}
        for node in nodes:
            name = node.arg if isinstance(node, ast.arg) else node.id if isinstance(node, ast.Name) else None
            if name is None:
                continue
            if name in local:
                shown = f"{numbers.setdefault(name, len(numbers))}"
            else:
                shown = "own" if name == own else f"of the module: {self.same.get(name, name)}"
            setattr(node, "arg" if isinstance(node, ast.arg) else "id", shown)
        assert isinstance(definition, ast.FunctionDef)
        definition.name = ""
        self.variables[own] = list(numbers)
        return (ast.dump(definition),)
