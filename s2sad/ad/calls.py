"""Calls of users' functions in the reverse sweep: the callee's forward part in the forward sweep, its reverse part here.

out = layer(x, w)     ==>    out, layer_tape = layer_forward(x, w)
                             x_bar, w_bar = layer_reverse(layer_tape, out_bar)

fill(t, x)            ==>    _, fill_tape = fill_forward(t, x)          # a recursive function that writes into t
                             x_bar = fill_reverse(fill_tape, t_bar)     # works in t_bar, and restores t where need be
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from s2sad.ad.recomputed import reverse_recomputed
from s2sad.ad.request import Pair, Request
from s2sad.analysis.references import handed_over, references
from s2sad.ir.kinds import NONE, UNKNOWN, Array, List
from s2sad.ir.nodes import Block, Call, Function, Value, bar_of

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint

TAPE = UNKNOWN


def reverse_call(sweep: Adjoint, op: Call) -> None:
    """Call the callee's reverse part, and have the forward sweep call its forward part instead of it."""
    assert op.callee is not None
    if sweep.family.repeats(op.callee):
        reverse_recomputed(sweep, op)
        return
    given = {k: g for k, r in enumerate(op.results) if (g := sweep.take(r)) is not None}
    active = {p.name: a for p, a in zip(op.callee.params, op.args, strict=True) if sweep.active(a)}
    restores = sweep.recording.restores(op)
    changes = any(op.callee.params[k].name in active for k in sweep.aliases.written_by(op.callee))
    if not restores and not (active and (given or changes)):
        return
    sweep.settled.add(op)
    by_reference = references(op.callee)
    shared = tuple(p.name for k, p in enumerate(op.callee.params) if k in by_reference and p.name in active)
    pair = pair_of(sweep, op.callee, Request(tuple(active), tuple(given), None, shared, restores))
    assert pair.reverse is not None
    tape = _forward_call(sweep, op, pair)
    seeds = [given[k] for k in sorted(given)]
    shadows, own = _shadows(sweep, op, {k: active.pop(p.name) for k, p in enumerate(op.callee.params) if p.name in shared})
    buffers = [sweep.primal(op.args[k]) for k in handed_over(op.callee, shared)]
    kinds = [a.kind for a in active.values()] or [NONE]
    bars = sweep.builder.call_known(pair.reverse, [sweep.primal(tape), *seeds, *shadows, *buffers], kinds)
    _lay_back(sweep, op, active)
    for argument, bar in [*zip(active.values(), bars, strict=False), *own]:
        sweep.accumulate(argument, bar)


def _lay_back(sweep: Adjoint, op: Call, active: dict[str, Value]) -> None:
    """Make the shadows of lists as long as they were before a call that made these longer or shorter."""
    assert op.callee is not None
    lists = [k for k, p in enumerate(op.callee.params) if p.name in active and isinstance(op.args[k].kind, List)]
    for k in sweep.resizing.positions(op.callee).intersection(lists) if lists else ():
        sweep.builder.call("s2sad.runtime.lay_back", sweep.shadow(op.args[k]), sweep.primal(op.args[k]))


def _shadows(sweep: Adjoint, op: Call, shared: dict[int, Value]) -> tuple[list[Value], list[tuple[Value, Value]]]:
    """The shadows of arguments that are handed over by reference, by position; and those of them that are made for the call,
    since the argument may be the same memory as one before, with their arguments. What is written is guarded (``protect``)."""
    assert op.callee is not None
    written, found, own = sweep.aliases.written_by(op.callee), list[Value](), list[tuple[Value, Value]]()
    for k, value in shared.items():
        before = [other for j, other in shared.items() if j < k and sweep.aliases.node(other) is sweep.aliases.node(value)]
        apart = all(sweep.recording.windows.disjoint_at(op, value, other) for other in before)
        if isinstance(value.kind, Array) and k not in written and not apart:
            own.append((value, sweep.builder.call(sweep.zeros_of(value), sweep.primal(value), name=bar_of(value.name))))
            own[-1][1].kind = value.kind
            found.append(own[-1][1])
        else:
            found.append(sweep.shadow(value))
    return found, own


def pair_of(sweep: Adjoint, callee: Function, wanted: Request) -> Pair:
    """The forward and the reverse part of a callee."""

    written = sweep.aliases.written_by(callee)
    names = [callee.params[k].name for k in written]
    first = 1 + len(wanted.outputs)  # before the shadows, there are the tape and the seeds
    shared = len(wanted.shared) + len(handed_over(callee, wanted.shared))
    shadows = {first + k for k in range(shared)} | ({0} if names else set())

    def make(name: str) -> Pair:
        return Pair(
            wanted,
            Function(f"{name}_forward", [], Block(), writes=written),
            Function(f"{name}_reverse", [], Block(), writes=frozenset(shadows)),
        )

    return sweep.family.pair(callee, wanted, make)


def _forward_call(sweep: Adjoint, op: Call, pair: Pair) -> Value:
    """Turn the forward sweep's call into a call of the forward part; the tape as a primal-side value."""
    clone = sweep.forward.clones[op]
    assert isinstance(clone, Call) and op.callee is not None
    clone.callee, clone.target = pair.forward, pair.forward.name
    yields = pair.forward.body.yields
    kind = yields[-1].kind if len(yields) > len(op.results) else TAPE  # a recursive callee's is not known yet
    tape = Value(kind, _tape_name(sweep, op))
    clone.results.append(tape)
    return sweep.forward.seen(tape, next(b for b in sweep.forward.blocks if op in b.ops))


def _tape_name(sweep: Adjoint, op: Call) -> str:
    """``layer_tape``; where a function is called several times, the tape of a call has the name of its result."""
    assert op.callee is not None
    result = op.results[0].name if len(op.results) == 1 else None
    return f"{result if result and sweep.forward.calls_of[op.callee.stem] > 1 else op.callee.name}_tape"
