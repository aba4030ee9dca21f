"""Functions that are handed over: each becomes one of the program, with what it captures as further parameters.

Before::

    area = quad(lambda x: np.exp(-rate * x), 0.0, end)

After::

    def integrand(x, rate):
        return np.exp(-rate * x)

    area = quad(integrand, 0.0, end, rate)

The call of the function is lowered where it is handed over, so that it sees the variables of that place: whatever can
be called there can be handed over. The values from outside that the operations read are the further parameters. What the
function may not do is leave a trace outside, since how often it will be called is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.frontend.entities import (
    Closure,
    Entity,
    Method,
    Partial,
    Record,
    SourceFunction,
    Static,
    Struct,
    Top,
    flatten,
)
from s2sad.frontend.lower.maybe import is_maybe
from s2sad.frontend.lower.progress import suspended
from s2sad.frontend.lower.signatures import parameters_of
from s2sad.frontend.lower.state import Key, Lowering
from s2sad.frontend.observe import unwrap
from s2sad.ir.kinds import NONE, STR, Array, List, Scalar, Tuple
from s2sad.ir.nodes import LITERALS, Block, Call, Function, FunctionRef, Param, Value
from s2sad.ir.size_names import Naming
from s2sad.ir.walk import (
    blocks_of,
    clone_function,
    functions_of,
    ops_of,
    reads_of,
    substitute_all,
    values_read,
)
from s2sad.rules import registry


@dataclass(frozen=True)
class Handed:
    """A function to be handed over: its own arguments, and what lowers its call to the value that it is to return."""

    name: str
    own: Sequence[Value]
    body: Callable[[], Value]


def lift(ctx: Lowering, node: Any, *handed: Handed) -> tuple[list[FunctionRef], list[Value]]:
    """Functions of the program, and the values from outside that all of them get behind their own arguments.

    Refuses functions that assign variables from outside, or write into memory from outside.
    """
    blocks = [_lowered(ctx, each, node) for each in handed]
    captured = list(
        dict.fromkeys(v for each, b in zip(handed, blocks, strict=True) for v in captured_by(each.own, b))
    )
    made: list[FunctionRef] = []
    for each, block in zip(handed, blocks, strict=True):
        function = function_of(ctx.program.unique(each.name), each.own, block, captured)
        function.file = ctx.frame.source.file
        ctx.program.wished[function] = each.name
        if ctx.program.writes(function):
            ctx.refuse(
                node, "this function as an argument", "it writes into memory from outside", "a copy inside it"
            )
        made.append(FunctionRef(function))
    return made, captured


def _lowered(ctx: Lowering, handed: Handed, node: Any) -> Block:
    """The operations of a call, which leaves no trace."""
    block = lowered_block(ctx, handed.name, handed.own, lambda: [handed.body()], node)
    _as_displays(block)
    return block


def lowered_block(
    ctx: Lowering, name: str, own: Sequence[Value], body: Callable[[], list[Value]], node: Any,
    left: dict[Key, Entity] | None = None,
) -> Block:  # fmt: skip
    """The operations that ``body`` lowers to, in a block of their own; they leave no trace.

    Where they run once, ``left`` gets the variables that they leave other than they were.
    """
    before, records, caught, block = dict(ctx.variables), {*ctx.in_sight()}, ctx.caught, Block()
    ctx.caught = []
    with ctx.builder.inside(block), suspended(ctx):
        block.yields = body()
    ctx.caught = caught
    _forget(ctx, before, records, block, name, node, left)
    write_out(block, own)
    return block


def _forget(
    ctx: Lowering, before: dict[Any, Entity], records: set[Record], block: Block, name: str, node: Any,
    left: dict[Key, Entity] | None,
) -> None:  # fmt: skip
    """Variables as they were: the function runs later, and often, unless ``left`` is to get what it leaves in them."""
    removed = next((key for key in before if isinstance(key[0], Record) and key not in ctx.variables), None)
    if removed is not None:
        why = "how often it will be called is not known"
        ctx.refuse(node, f"this {name}, which removes {removed[1]!r}", why, "a function that only returns its result")
    news = {
        key: entity for key, entity in ctx.variables.items()
        if before.get(key) is not entity and (key in before or key[0] in records)
    }  # fmt: skip
    for key, entity in news.items():
        alone = _is_list_of_its_own(entity, [*news.values()], block)
        if left is None or not alone and not _can_be_handed_back(entity):
            ctx.refuse(
                node,
                f"this {name}, which sets {key[1]!r} outside",
                "how often it will be called is not known",
                "a function that only returns its result",
            )
        left[key] = entity
    ctx.variables.clear()
    ctx.variables.update(before)


def _is_list_of_its_own(entity: Entity, news: list[Entity], block: Block) -> bool:
    """Test for a list of numbers or text that a block makes, and that has no other name behind it."""
    if not isinstance(entity, Value) or type(entity.kind) is not List:
        return False
    plain = isinstance(entity.kind.item, Scalar) or entity.kind.item in (STR, NONE)
    made = plain and any(entity in op.results for op in ops_of(block))
    return made and entity not in block.yields and sum(leaf is entity for one in news for leaf in flatten(one)) == 1


def _can_be_handed_back(entity: Entity) -> bool:
    """Test for what is nothing but its value, or its values: numbers, text, arrays, tuples of them, or None in their place; and
    for what is not known, which is refused where it is read."""
    if isinstance(entity, Top):
        return True
    if isinstance(entity, Struct):
        return (entity.kind == "tuple" or is_maybe(entity)) and all(map(_can_be_handed_back, entity.items))
    return isinstance(entity, Value) and (isinstance(entity.kind, Scalar | Array) or entity.kind in (STR, NONE))


def captured_function(name: str, own: Sequence[Value], block: Block) -> tuple[Function, list[Value]]:
    """A block as a function of its own arguments and of the values from outside that it reads."""
    captured = captured_by(own, block)
    return function_of(name, own, block, captured), captured


def captured_by(own: Sequence[Value], block: Block) -> list[Value]:
    """The values from outside that a block reads."""
    inside: set[Value] = set(own)
    for inner in blocks_of(block):
        inside.update(inner.params)
        inside.update(result for op in inner.ops for result in op.results)
    read = values_read(block)
    return list(dict.fromkeys(v for v in read if v not in inside and not isinstance(v, LITERALS)))


def function_of(name: str, own: Sequence[Value], block: Block, captured: Sequence[Value]) -> Function:
    """A block as a function of its own arguments and of what it captures."""
    taken: set[str] = set()
    for value in own:
        value.name = _fresh(value.name or "x", taken)
    params = {v: Value(v.kind, _fresh(v.name or "given", taken)) for v in captured}
    substitute_all(block, dict(params))
    return Function(name, [Param(v) for v in (*own, *params.values())], block)


def _fresh(name: str, taken: set[str]) -> str:
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found


def write_out(block: Block, own: Sequence[Value]) -> None:
    """Put the body of the only function that is called in its place, where it gets the arguments as they are."""
    calls = [op for op in ops_of(block) if isinstance(op, Call) and op.callee is not None]
    if len(calls) != 1 or calls[0] not in block.ops or not set(own) <= set(calls[0].args):
        return
    (call,) = calls
    assert call.callee is not None
    unfinished = len(call.callee.params) != len(call.args)  # a call of what is being lowered further out
    if unfinished or call.callee.checkpointed or any(call.callee in functions_of(op) for op in ops_of(call.callee.body)):
        return
    copy, _, _ = clone_function(call.callee)
    table: dict[Value, Value] = dict(zip(copy.values, call.args, strict=True))
    substitute_all(copy.body, table)
    Naming((v.kind for v in copy.values), (v.kind for v in call.args)).body(copy.body)
    at = block.ops.index(call)
    block.ops[at : at + 1] = copy.body.ops
    results = [table.get(v, v) for v in copy.body.yields]
    substitute_all(block, dict(zip(call.results, results, strict=True)))


def _as_displays(block: Block) -> None:
    """A list that only becomes an array is a display, whose items are known."""
    counts = Counter(v for op in ops_of(block) for v in reads_of(op))
    made = {
        op.result: op for op in block.ops if isinstance(op, Call) and op.target == "builtins.list" and op.args
    }
    for op in block.ops:
        if (
            isinstance(op, Call)
            and op.target == "numpy.array"
            and op.args[0] in made
            and counts[op.args[0]] == 1
        ):
            display = made[op.args[0]]
            display.target = "s2sad.items"
            display.result.kind = Tuple(tuple(v.kind for v in display.args), listed=True)
            op.result.kind = registry.infer(op)


# --- names


def name_after(own: Sequence[Value], function: Entity) -> None:
    """Name arguments as the function that gets them calls them."""
    for value, usual in zip(own, parameter_names(function), strict=False):
        value.name = usual


def parameter_names(function: Entity) -> list[str]:
    """The names of the positional parameters of what is called, as far as they are known."""
    if isinstance(function, Closure):
        return [p.id for p in parameters_of(function.node)]
    if isinstance(function, SourceFunction):
        return [p.id for p in parameters_of(function.source.node)]
    if isinstance(function, Partial):
        return parameter_names(function.function)[len(function.args) :]
    code = getattr(unwrap(function.payload), "__code__", None) if isinstance(function, Static) else None
    return [] if code is None else list(code.co_varnames[: code.co_argcount])


def function_name(function: Entity, otherwise: str) -> str:
    """The name of what is called, if it has one."""
    name: Any = otherwise
    if isinstance(function, Closure):
        name = function.node.name
    elif isinstance(function, SourceFunction):
        name = function.source.name
    elif isinstance(function, Partial):
        name = function_name(function.function, otherwise)
    elif isinstance(function, Method):
        name = function.name
    elif isinstance(function, Static):
        name = getattr(unwrap(function.payload), "__name__", otherwise)
    return name if str(name).isidentifier() and name != "lambda_" else otherwise
