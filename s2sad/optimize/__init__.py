"""The optimiser: passes over a function, in place, each a module with one function ``run``."""

from __future__ import annotations

from s2sad.ir.nodes import Function
from s2sad.optimize import (
    accumulation,
    ahead,
    algebra,
    arms,
    at_hand,
    cancel,
    common,
    control_flow,
    copies,
    dead_code,
    dead_stores,
    donors,
    factors,
    fills,
    handed_on,
    hooks,
    known,
    opened,
    projection,
    ranges,
    recall,
    sink,
    slid,
    sums,
    unstretch,
)
from s2sad.optimize.memory_effects import Memory

FIRST = (
    dead_code.run,  # what nothing observes
    dead_stores.run,  # stores into windows that are not read afterwards
)
PASSES = (
    control_flow.run,  # what loops and branches only pass on
    projection.run,  # items of tuples that were made here
    common.run,  # what has been computed before
    fills.run,  # arrays that are one number
    algebra.run,  # signs, constants, neutral elements
    known.run,  # products and inverses that the primal has computed
    unstretch.run,  # sums of sums that undo broadcasting
    sums.run,  # sums that undo broadcasting, dot products
    copies.run,  # copies that are read before their source changes
    accumulation.run,  # first contributions are assigned
    dead_code.run,  # what all these have left behind
)
FINISHING = (
    slid.run,  # arrays of all windows, of which the items are added up
    recall.run,  # what follows from other records is not recorded
    ahead.run,  # what follows from several records, and is less, is recorded instead
    cancel.run,  # what is a quotient's dividend, less its divisor times it
    at_hand.run,  # shapes are asked of what is read anyway
    dead_code.run,
    donors.run,  # arrays on tapes of which only the shape is read
    arms.run,  # what one arm of a branch gives is used there
    factors.run,  # powers of two come first
    ranges.run,  # ranges are written where they are iterated over
    sink.run,  # shadows are made where they are first used
    handed_on.run,  # the last copy of an array is the array
)
MAKING = (slid.run, recall.run, ahead.run, cancel.run, donors.run)  # of these, which make values
ENDING = (*MAKING, at_hand.run)  # and by which values end sooner
ROUNDS = 8


def optimise(function: Function) -> None:
    """Run the passes, in order and again, until none changes anything; then put things where a reader expects them."""
    hooks.run(function)
    opened.run(function)
    memory = Memory(function)
    changed, unchanged = False, 0
    for run in FIRST:
        changed |= run(function, memory)
    for run in PASSES * ROUNDS:
        if changed and run is PASSES[0]:
            memory, changed, unchanged = Memory(function), False, 0  # what is known of memory serves for one round
        if run(function, memory):
            changed, unchanged = True, 0
        else:
            unchanged += 1
        if unchanged == len(PASSES):
            break
    for run in FINISHING:
        if run is dead_code.run and not changed and unchanged == len(PASSES):
            continue  # nothing has been made since it found nothing
        if run(function, memory) and run in ENDING:
            memory, changed = Memory(function) if run in MAKING else memory, True


def tidy(function: Function) -> None:
    """Drop what lowering has carried through loops and nobody reads: differentiation starts from what matters."""
    memory = Memory(function)
    for _ in range(ROUNDS):
        changed = dead_code.run(function, memory)
        memory = Memory(function) if changed else memory
        changed |= control_flow.run(function, memory)
        if not changed:
            break
        memory = Memory(function)
