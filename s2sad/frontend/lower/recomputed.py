"""Calls that are to be computed again in the reverse sweep, ``checkpoint(f)(x)``: each becomes a function of the program.

    y = checkpoint(layer)(x, w)     ==>     y = layer(x, w)     # a function of all that it reads, arguments or not

The call is lowered where it stands, and sees what it sees there. The operations are the body of the function, the values that
they read its parameters, and those that outlive the call (what it returns, variables and fields that it sets) its results.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sad.frontend.entities import (
    Bounded,
    Closure,
    Entity,
    Iteration,
    Members,
    Method,
    Partial,
    Record,
    Spread,
    Static,
    Super,
    Top,
    flatten,
    rebuild,
)
from s2sad.frontend.lower.dispatch import apply, lower
from s2sad.frontend.lower.handed_over import captured_by, function_name, function_of, write_out
from s2sad.frontend.lower.state import Key, Lowering, global_of
from s2sad.ir.kinds import UNKNOWN, Scalar
from s2sad.ir.nodes import LEAF, Block, Const, Structure, Value
from s2sad.rules.transformations import name_of

Table = dict[Value, Value]


def called(ctx: Lowering, ask: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """A call of ``args[0]`` with the other arguments."""
    name = function_name(args[0], "step")
    before, caught, block = dict(ctx.variables), ctx.caught, Block()
    ctx.caught = []
    try:
        with ctx.builder.inside(block):
            result = apply(ctx, args[0], args[1:], kwargs, node)
    finally:
        ctx.caught = caught
    made = {value for op in block.ops for value in op.results}
    outliving = _Outliving(ctx, node, before, made)
    outliving.follow(result)
    ctx.variables = {
        key: found for key, found in ctx.variables.items() if key in before or key in outliving.kept
    }
    block.yields = list(outliving.values) or [Const(None)]
    write_out(block, [])
    captured = captured_by([], block)
    function = function_of(ctx.program.unique(name), [], block, captured)
    function.file, function.checkpointed = ctx.frame.source.file, True
    function.returns = LEAF if len(block.yields) == 1 else Structure("tuple", (LEAF,) * len(block.yields))
    ctx.program.wished[function] = name
    ctx.program.repeatable(function, f"the checkpointed call of {name}")
    why = ctx.program.unsaved(function)
    if why is not None:
        ctx.refuse(
            node,
            f"this checkpointed call of {name}",
            why,
            "return a copy or what is new, or call it without checkpoint",
        )
    results = ctx.builder.call_function(function, captured, [v.kind for v in block.yields])
    for value, found in zip(outliving.values, results, strict=False):
        found.name = value.name
    table: Table = dict(zip(outliving.values, results, strict=False))
    ctx.variables = {
        key: _moved(found, table) if key in outliving.kept else found for key, found in ctx.variables.items()
    }
    return _moved(result, table)


class _Outliving:
    """The values made in a call that are seen after it, and the variables that hold them."""

    def __init__(self, ctx: Lowering, node: gast.AST, before: dict[Key, Entity], made: set[Value]) -> None:
        self.ctx, self.node, self.made = ctx, node, made
        self.values: dict[Value, None] = {}
        self.kept: set[Key] = set()
        self.owners: set[object] = set()
        owners = {key[0] for key in before}
        for key, entity in [*ctx.variables.items()]:
            if before.get(key) is not entity and key[0] in owners:
                self.kept.add(key)
                self.follow(entity)

    def follow(self, entity: Entity) -> None:
        """Find what an entity consists of."""
        for leaf in flatten(entity):
            if isinstance(leaf, Value):
                if leaf in self.made:
                    self.values[leaf] = None
            elif isinstance(leaf, Iteration | Spread | Bounded | Members | Super | Method):
                self.ctx.refuse(
                    self.node, "this checkpointed call", "what it leaves behind is no array, number, list or function",
                    "a call that returns its result",
                )  # fmt: skip
            else:
                for inner in _parts(leaf):
                    self.follow(inner)
                for owner in _owners(leaf):
                    self._variables_of(owner)

    def _variables_of(self, owner: object) -> None:
        if owner not in self.owners:
            self.owners.add(owner)
            for key, entity in [*self.ctx.variables.items()]:
                if key[0] is owner and key not in self.kept:
                    self.kept.add(key)
                    self.follow(entity)


def _parts(entity: Entity) -> Iterator[Entity]:
    if isinstance(entity, Closure):
        yield from entity.defaults.values()
    elif isinstance(entity, Partial):
        yield from (entity.function, *entity.args, *entity.kwargs.values())
    elif isinstance(entity, Record) and entity.factory is not None and not isinstance(entity.factory, Top):
        yield entity.factory


def _owners(entity: Entity) -> Iterator[object]:
    """Whose variables an entity sees."""
    if isinstance(entity, Record):
        yield entity
    frame = entity.frame if isinstance(entity, Closure) else None
    while frame is not None:
        yield frame
        frame = frame.outer


def _moved(entity: Entity, table: Table) -> Entity:
    """An entity with results of the call in place of the values in it."""

    def leaf(one: Entity) -> Entity:
        if isinstance(one, Value):
            return table.get(one, one)
        if isinstance(one, Partial):
            kwargs = {k: _moved(v, table) for k, v in one.kwargs.items()}
            return Partial(_moved(one.function, table), [_moved(a, table) for a in one.args], kwargs)
        if isinstance(one, Closure) and one.defaults:
            return replace(one, defaults={k: _moved(v, table) for k, v in one.defaults.items()})
        return one

    leaves = list(flatten(entity))
    moved = [leaf(one) for one in leaves]
    return entity if all(a is b for a, b in zip(leaves, moved, strict=True)) else rebuild(entity, iter(moved))


# --- loops


def _is_path(ctx: Lowering, node: gast.expr) -> bool:
    """Test for a name, or one in a module: what may be looked at twice."""
    if isinstance(node, gast.Name):
        return True
    if not isinstance(node, gast.Attribute) or not _is_path(ctx, node.value):
        return False
    owner = lower(ctx, node.value)
    return isinstance(owner, Static) and isinstance(owner.payload, types.ModuleType)


def snapshots_of(ctx: Lowering, node: gast.expr) -> tuple[gast.expr, Value | None]:
    """The iterable of a loop, or its condition, without ``checkpointed`` around it; and how many snapshots that asks for."""
    if not isinstance(node, gast.Call) or not _is_path(ctx, node.func):
        return node, None
    function = lower(ctx, node.func)
    if not isinstance(function, Static) or name_of(function.payload) != "checkpointed":
        return node, None
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    named = [name for name, value in given.items() if not (isinstance(value, gast.Constant) and value.value is None)]
    known = len(named) == 1 and named[0] in ("snapshots", "schedule")
    if len(node.args) != 1 or isinstance(node.args[0], gast.Starred) or not known:
        ctx.refuse(
            node,
            "this call of checkpointed",
            "its arguments are not known",
            "checkpointed(range(n), snapshots=20)",
        )
    asked = lower(ctx, given[named[0]])
    if named == ["schedule"]:
        return node.args[0], _schedule(ctx, asked, node)
    snapshots = ctx.value(asked, node)
    integer = isinstance(snapshots.kind, Scalar) and snapshots.kind.dtype == "int64" or snapshots.kind == UNKNOWN
    if not integer or (isinstance(snapshots, Const) and snapshots.payload < 1):
        ctx.refuse(
            node,
            "this number of snapshots",
            "it is no positive integer",
            "checkpointed(range(n), snapshots=20)",
        )
    return node.args[0], snapshots


def _schedule(ctx: Lowering, asked: Entity, node: gast.AST) -> Value:
    """A schedule, or what makes one: an object that the generated program is handed."""
    if isinstance(asked, Record) and asked.root is not None:
        asked = asked.root
    if not isinstance(asked, Static):
        ctx.refuse(
            node, "this schedule", "it is no object from outside that is known when the derivative is made",
            "an object of checkpoint_schedules, or a function of the number of steps that makes one, as a global name",
        )  # fmt: skip
    return global_of(asked)
