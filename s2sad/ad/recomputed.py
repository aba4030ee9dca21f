"""Calls that are computed again in the reverse sweep: nothing of what happens in them is recorded.

    y = layer(x, w)     ==>    y = layer(x, w)                             # the forward sweep calls the function itself
                               x_bar, w_bar = layer_adjoint(x, w, y_bar)   # both sweeps of the call, in the reverse sweep

    fill(t, x)          ==>    t_before = np.copy(t)                       # what the call changes
                               fill(t, x)
                               t[...] = t_before                           # where the contents are read before the call
                               x_bar = fill_adjoint(t_before, x, t_bar)    # works in the copy, and in the shadow of t

What the call reads is a value like others: still there, read again, or on a tape. (The joint mode of Griewank & Walther,
"Evaluating Derivatives", 2nd ed., section 12.2.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from s2sad.ad.protect import layout_matters
from s2sad.ad.request import CalleeDerivatives, Pair, Request
from s2sad.analysis.alias import Aliases
from s2sad.analysis.references import references
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import NONE, Array
from s2sad.ir.nodes import Block, Call, Const, Function, Op, Straight, Value, With
from s2sad.ir.walk import blocks_of, ops_of, raises, substitute_all
from s2sad.rules import registry
from s2sad.rules.traits import spelled

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint

Saved = dict[Call, dict[int, Value]]  # what arguments held before a call, by their positions


def write_out_recomputed(function: Function) -> None:
    """Put the bodies of such functions in the place of their calls: forward mode records nothing anyway."""
    while any(map(_is_checkpointed, ops_of(function.body))):  # a body may hold such calls
        table: dict[Value, Value] = {}
        for block in [*blocks_of(function.body)]:
            ops: list[Op] = []
            place = Builder(Block([], ops), registry.infer)
            for op in block.ops:
                if _is_checkpointed(op):
                    assert isinstance(op, Call) and op.callee is not None
                    table.update(zip(op.results, place.write_out(op.callee, op.args), strict=False))
                else:
                    ops.append(op)
            block.ops = ops
        substitute_all(function.body, table)


def leave_out_failures(block: Block, table: dict[Value, Value] | None = None) -> None:
    """Take the arms that do not raise, where the same call has come to its end before: all but what catches failures.

    What a test of the number of items tells (``x, y = z``) is known of the array from there on.
    """
    replaced = {} if table is None else table
    ops: list[Op] = []
    maker = {r: op for op in block.ops for r in op.results}
    for op in block.ops:
        if isinstance(op, With):
            ops.append(op)
            continue
        for inner in op.blocks():
            leave_out_failures(inner, replaced)
        arms = [arm for arm in op.blocks() if not raises(arm)] if isinstance(op, Straight) else []
        if isinstance(op, Straight) and len(arms) == 1 < len(op.blocks()):
            ops += arms[0].ops
            _note_length(maker, op, arms[0] is op.blocks()[0])
            replaced.update(zip(op.results, arms[0].yields, strict=True))
        else:
            ops.append(op)
    block.ops = ops
    if table is None:
        substitute_all(block, replaced)


def _note_length(maker: Mapping[Value, Op], branch: Straight, holds: bool) -> None:
    test = maker.get(branch.head)
    if not isinstance(test, Call) or test.target != ("operator.eq" if holds else "operator.ne"):
        return
    asked, count = maker.get(test.args[0]), test.args[1]
    array = asked.args[0] if isinstance(asked, Call) and asked.target == "builtins.len" else None
    if array is not None and isinstance(array.kind, Array) and array.kind.shape and isinstance(count, Const):
        array.kind = replace(array.kind, shape=(count.payload, *array.kind.shape[1:]))


def _is_checkpointed(op: Op) -> bool:
    return isinstance(op, Call) and op.callee is not None and op.callee.checkpointed


def save_written(function: Function, aliases: Aliases, steps: Mapping[Call, Function], family: CalleeDerivatives) -> Saved:
    """Copy what such calls write into, before the call; not of ``steps``, whose loops keep what they need."""
    saved: Saved = {}
    for block in [*blocks_of(function.body)]:
        ops: list[Op] = []
        for op in block.ops:
            if isinstance(op, Call) and op in steps:
                saved[op] = {k: op.args[k] for k in aliases.written_by(steps[op])}  # it finds its state there
            elif isinstance(op, Call) and op.callee is not None and family.repeats(op.callee):
                place = Builder(Block([], ops), registry.infer)
                place.loc = op.loc
                saved[op] = _copies(place, op, aliases)
            ops.append(op)
        block.ops = ops
    return saved


def _copies(place: Builder, op: Call, aliases: Aliases) -> dict[int, Value]:
    assert op.callee is not None
    copies: dict[int, Value] = {}
    for k in sorted(aliases.written_by(op.callee)):
        value = op.args[k]
        same_layout = layout_matters(op.callee, Aliases(op.callee, split=True), op.callee.values[k])
        target = "s2sad.runtime.twin" if same_layout else spelled("copies")
        copies[k] = place.call(target, value, name=f"{value.name}_before" if value.name else None)
        copies[k].kind = value.kind
    return copies


def reverse_recomputed(sweep: Adjoint, op: Call) -> None:
    """Run both sweeps of the call, as from the memory that it found."""
    callee = op.callee
    assert callee is not None
    given = {k: g for k, r in enumerate(op.results) if (g := sweep.take(r)) is not None}
    active = {p.name: a for p, a in zip(callee.params, op.args, strict=True) if sweep.active(a)}
    saved = sweep.saved[op]
    written = sorted(sweep.aliases.written_by(callee))
    changes = any(callee.params[k].name in active for k in written)
    sweep.settled.add(op)
    if sweep.recording.restores(op):
        for k in (k for k in written if saved[k] is not op.args[k]):
            sweep.builder.call(
                "operator.setitem", sweep.primal(op.args[k]), Const(...), sweep.primal(saved[k])
            )
    if not (active and (given or changes)):
        return
    by_reference = references(callee)
    shared = tuple(p.name for k, p in enumerate(callee.params) if k in by_reference and p.name in active)
    adjoint = _adjoint_of(sweep, callee, Request(tuple(active), tuple(given), None, shared))
    read = {p.name for p in callee.params} if callee.checkpointed else {p.name for p in adjoint.params}
    found = [sweep.primal(saved.get(k, a)) for k, a in enumerate(op.args) if callee.params[k].name in read]
    seeds = [given[k] for k in sorted(given)]
    shadows = [sweep.shadow(active.pop(name)) for name in shared]
    kinds = [a.kind for a in active.values()] or [NONE]
    bars = sweep.builder.call_known(adjoint, [*found, *seeds, *shadows], kinds)
    for argument, bar in zip(active.values(), bars, strict=False):
        sweep.accumulate(argument, bar)


def _adjoint_of(sweep: Adjoint, callee: Function, wanted: Request) -> Function:
    """Both sweeps of a function in one, which gives nothing but the adjoints."""
    written = sweep.aliases.written_by(callee)
    first = len(callee.params) + len(wanted.outputs)
    shadows = {first + k for k, _ in enumerate(wanted.shared)}

    def make(name: str) -> Pair:
        return Pair(wanted, Function(f"{name}_adjoint", [], Block(), writes=written | shadows))

    return sweep.family.pair(callee, wanted, make).forward
