"""Calls of users' functions in the reverse sweep: the callee's forward part in the forward sweep, its reverse part here.

out = layer(x, w)     ==>    out, layer_tape = layer_forward(x, w)
                             x_bar, w_bar = layer_reverse(layer_tape, out_bar)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from s2sad.ad.request import Pair, Wanted
from s2sad.ir.kinds import UNKNOWN
from s2sad.ir.nodes import Block, Call, Function, Value

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint

TAPE = UNKNOWN


def reverse_call(sweep: Adjoint, op: Call) -> None:
    """Call the callee's reverse part, and have the forward sweep call its forward part instead of it."""
    assert op.callee is not None
    given = {k: g for k, r in enumerate(op.results) if (g := sweep.take(r)) is not None}
    inputs = tuple(p.name for p, a in zip(op.callee.params, op.args, strict=True) if sweep.active(a))
    if not given or not inputs:
        return
    wanted = Wanted(inputs, tuple(given))

    def make(name: str) -> Pair:
        return Pair(
            wanted, Function(f"{name}_forward", [], Block()), Function(f"{name}_reverse", [], Block())
        )

    pair = sweep.family.pair(op.callee, wanted, make)
    assert pair.reverse is not None
    tape = _forward_call(sweep, op, pair)
    active = [a for p, a in zip(op.callee.params, op.args, strict=True) if p.name in inputs]
    seeds = [given[k] for k in sorted(given)]
    bars = sweep.builder.call_function(pair.reverse, [sweep.primal(tape), *seeds], [a.kind for a in active])
    for argument, bar in zip(active, bars, strict=True):
        sweep.accumulate(argument, bar)


def _forward_call(sweep: Adjoint, op: Call, pair: Pair) -> Value:
    """Turn the forward sweep's call into a call of the forward part; the tape as a primal-side value."""
    clone = sweep.forward.clones[op]
    assert isinstance(clone, Call) and op.callee is not None
    clone.callee, clone.target = pair.forward, pair.forward.name
    yields = pair.forward.body.yields
    kind = yields[-1].kind if len(yields) > len(op.results) else TAPE  # a recursive callee's is not known yet
    tape = Value(kind, f"{op.callee.name}_tape")
    clone.results.append(tape)
    stand_in = Value(kind, tape.name)
    sweep.forward.table[stand_in] = tape
    sweep.forward.owner[stand_in] = next(b for b in sweep.forward.blocks if op in b.ops)
    return stand_in
