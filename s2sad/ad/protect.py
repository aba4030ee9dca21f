"""A derivative call never changes the caller's arrays: parameters that a function writes into are copied at entry.

    def heat(u, ...):              def heat(u, ...):
        u[1:-1] += ...      ==>        u = u.copy()
                                       u[1:-1] += ...

With copies, two parameters on overlapping memory would no longer see each other's writes; a guard refuses them.
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases, holds_references
from s2sad.errors import AliasError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import UNKNOWN, Array
from s2sad.ir.nodes import Block, Function, Value
from s2sad.ir.walk import substitute_all
from s2sad.rules import registry


def protect_parameters(function: Function) -> dict[str, Value]:
    """Copy written parameters at entry, in place; returns the copies by parameter name."""
    aliases = Aliases(function)
    written = [
        v for v in function.values if holds_references(v) and aliases.reach(aliases.node(v)) & aliases.written
    ]
    if not written:
        return {}
    entry = Block()
    builder = Builder(entry, registry.infer)
    copies: dict[str, Value] = {}
    table: dict[Value, Value] = {}
    arrays = [v for v in function.values if isinstance(v.kind, Array) or v.kind == UNKNOWN]
    if len(arrays) > 1:
        names = ", ".join(v.name or "_" for v in arrays)
        builder.call("s2sad.runtime.assert_distinct", names, *arrays)
    for value in written:
        if not isinstance(value.kind, Array) and value.kind != UNKNOWN:
            raise AliasError(
                f"{function.name} writes into its parameter {value.name!r}, a {value.kind}",
                why="a derivative call must leave the caller's objects as they are, and copies only arrays",
                instead=f"begin with a copy: {value.name} = [item for item in {value.name}]",
            )
        copies[value.name or "_"] = table[value] = builder.call("numpy.copy", value, name=value.name)
        table[value].kind = value.kind
    substitute_all(function.body, table)
    function.body.ops[:0] = entry.ops
    return copies
