"""Questions which object something is, asked of one that the program has made anew of the parts of another.

An object that is handed to a function, or put into a list, is taken apart into its fields, and made again: ``is`` would call
it another one than it was. (In second derivatives the arguments of the gradient are such objects.)
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.errors import AliasError
from s2sad.ir.nodes import Call, Const, Function, Op, Value
from s2sad.ir.unbound import sources
from s2sad.ir.walk import ops_of
from s2sad.rules.effects import effects
from s2sad.rules.structures import RECORD
from s2sad.rules.traits import having


def refuse_made_anew(functions: Iterable[Function]) -> None:
    """Raise AliasError where it is asked which object one is that the program has made anew, in it or in a callee."""
    functions = list(functions)
    asked: set[Value] = set()
    count = -1
    while count != len(asked):
        count = len(asked)
        for function in functions:
            for op in ops_of(function.body):
                asked |= _asked(op, asked) if isinstance(op, Call) else _met(op, asked)
    for function in functions:
        for op in ops_of(function.body):
            if isinstance(op, Call) and op.target == RECORD and op.result in asked:
                raise AliasError(
                    "asking which object this is, which is made anew here, is not supported", location=op.loc,
                    why="it is another object than the one whose parts it has", instead="a comparison of its fields, or a flag",
                )  # fmt: skip


def _asked(op: Call, asked: set[Value]) -> set[Value]:
    """The values of which an operation asks which object they are, itself or in a callee, or hands them on to who does."""
    if op.callee is not None:
        return {given for given, param in zip(op.args, op.callee.values, strict=False) if param in asked}
    if op.target in having("tells apart"):
        return set() if any(isinstance(value, Const) for value in op.args) else {*op.args}
    does = effects(op)
    handed = {share.value for share in does.shares} if not asked.isdisjoint(op.results) else set()
    return handed | {item for item, container in does.puts if container in asked}


def _met(op: Op, asked: set[Value]) -> set[Value]:
    return {origin for value, origins, _, _ in sources(op) if value in asked for origin in origins}
