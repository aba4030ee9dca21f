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
    calls = [op for function in functions for op in ops_of(function.body) if isinstance(op, Call)]
    asked = {v for op in calls if op.target in having("tells apart") and not _of_a_constant(op) for v in op.args}
    if not any(op.target == RECORD for op in calls) or not asked:
        return
    count = -1
    while count != len(asked):
        count = len(asked)
        for function in functions:
            for op in ops_of(function.body):
                asked |= _asked(op, asked) if isinstance(op, Call) else _met(op, asked)
    for op in calls:
        if op.target == RECORD and op.result in asked:
            raise AliasError(
                "asking which object this is, which is made anew here, is not supported", location=op.loc,
                why="it is another object than the one whose parts it has", instead="a comparison of its fields, or a flag",
            )  # fmt: skip


def _of_a_constant(op: Call) -> bool:
    """Test for a question that no object but one answers with yes, as ``x is None``."""
    return any(isinstance(value, Const) for value in op.args)


def _asked(op: Call, asked: set[Value]) -> set[Value]:
    """The values that an operation hands on to who asks which object they are: to a callee or from it, or as parts."""
    if op.callee is not None:
        params = dict(zip(op.callee.values, op.args, strict=False))
        params |= {param.value: op.kwargs[param.name] for param in op.callee.params if param.name in op.kwargs}
        returned = zip(op.callee.body.yields, op.results, strict=False)
        return {given for param, given in params.items() if param in asked} | {v for v, result in returned if result in asked}
    does = effects(op)
    handed = {share.value for share in does.shares} if not asked.isdisjoint(op.results) else set()
    return handed | {item for item, container in does.puts if container in asked}


def _met(op: Op, asked: set[Value]) -> set[Value]:
    return {origin for value, origins, _, _ in sources(op) if value in asked for origin in origins}
