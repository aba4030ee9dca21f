"""Derivatives that are returned are memory of their own: whoever gets one may write into it.

    x_bar = out_bar                      x_bar = out_bar.copy()        # not the caller's seed
    return out, (x_bar, x_bar)    ==>    return out, (x_bar, x_bar.copy())

What is certainly new stays as it is. (Values share what the function's own results share.)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from s2sad.analysis.alias import Node
from s2sad.analysis.items import puts
from s2sad.analysis.views import holds_references
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import Array, List, Scalar
from s2sad.ir.nodes import LITERALS, Call, Function, Op, Value
from s2sad.ir.walk import definers, ops_of, use_counts
from s2sad.optimize.memory_effects import Memory
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import spelled

# Of a list they make zeros, take an item, or look how long it is.
LOOKERS = ("s2sad.runtime.zeros", "operator.getitem", "builtins.len", "builtins.range")


def own_results(function: Function, first: int) -> None:
    """Copy, in place, the results from leaf number ``first`` on that may share memory with an argument, with something from
    outside, or with one another."""
    if not any(map(holds_references, function.body.yields[first:])):
        return
    memory = Memory(function)
    end = Builder(function.body, registry.infer)
    taken = {*memory.given, *(node for value in function.body.yields[:first] for node in memory.reach(value))}
    for k, value in enumerate(function.body.yields[first:], first):
        reach = memory.reach(value)
        if reach & taken or _holds_twice(function, memory, value):
            plain = isinstance(value.kind, Array)
            copied = end.call(spelled("copies") if plain else "s2sad.runtime.copy_of", value, name=value.name)
            copied.kind = value.kind
            function.body.yields[k] = copied
        taken |= reach


def _holds_twice(function: Function, memory: Memory, value: Value) -> bool:
    """Possibility that two items of a structure, or of a list, share memory."""
    if isinstance(value, LITERALS) or not memory.reach(value):
        return False
    node = memory.node(value)
    if isinstance(value.kind, List):
        return not isinstance(value.kind.item, Scalar) and not all(_held_new(function, memory, node))
    parts = [memory.aliases.reach(part) for part in node.fields.values()]
    return any(a & b for a, b in combinations(parts, 2))


def _held_new(function: Function, memory: Memory, node: Node) -> Iterator[bool]:
    """Tests of all that is put into the lists of a class: each is new, and used for nothing else."""
    made, uses = definers(function), use_counts(function)
    for op in ops_of(function.body):
        held = [item for items, item in puts(op) if memory.node(items) is node]
        yield from (uses[item] == 1 and _is_arithmetic(made.get(item)) for item in held)
        if isinstance(op, Call) and not held and (op.callee is not None or op.target not in LOOKERS):
            yield not any(node in memory.reach(v) for v in [*op.operands(), *op.results])


def _is_arithmetic(op: Op | None) -> bool:
    """Test for an operation that computes a new array."""
    if not isinstance(op, Call) or op.callee is not None or not isinstance(op.result.kind, Array):
        return False
    primitive = registry.lookup(op.target)
    elementwise = primitive is not None and isinstance(primitive.derivative, Elementwise)
    return elementwise and op.target.startswith("operator.") and not effects(op).shares
