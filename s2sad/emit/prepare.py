"""Small rearrangements of a copy of the program, so that variables can keep the user's names.

What a loop records is pushed before its name is bound again; a name is bound again only when its old value,
and the tangent that belongs to it, have been computed with; and the result of an adjoint program gets a
name of its own where the reverse sweep needs the user's name for older values::

    x.1 = f(x.0)                    x_tape.append(x)
    x_tape.append(x.0)              x_dot = df(x) * x_dot
    x_dot.1 = df(x.0) * x_dot.0     x = f(x)
    ...                   ==>       ...
                                    out = x
    # reverse sweep                 # reverse sweep
    x.2 = x_tape.pop()              x = x_tape.pop()
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.emit import over_items
from s2sad.emit.motion import Motion
from s2sad.ir.nodes import LITERALS, SAME, Block, Call, Function, Loop, Op, Value
from s2sad.ir.walk import blocks_of, clone_function, ops_of, reads_of

RESULT = "out"
WINDOW = 40  # operations, within which a binding moves


def prepared(function: Function, by_items: bool = False) -> tuple[Function, Aliases]:
    """A copy of the function, ready to be printed, and its facts; ``by_items``: loops may run over the items of arrays."""
    copy, _, _ = clone_function(function)
    for op in ops_of(copy.body):
        if isinstance(op, Loop):
            op.snapshots = None  # a loop of the primal, which keeps nothing
    if by_items:
        over_items.run(copy)
    motion = Motion(copy)
    for block in blocks_of(copy.body):
        _push_early(block, motion, copy)
        _bind_late(block, motion)
    if copy.reverse_at is not None or copy.name.endswith("_forward"):
        _name_results(copy, motion)
    return copy, motion.aliases


# --- pushes


def _push_early(block: Block, motion: Motion, function: Function) -> None:
    for at, op in enumerate(list(block.ops)):  # a push that moves up leaves the places behind it as they are
        if not (isinstance(op, Call) and op.target == "list.append"):
            continue
        to = _before_rebinding(op, block.ops[:at], motion)
        turn = function.reverse_at if block is function.body else None
        if to < at and not (turn is not None and to < turn <= at):
            block.ops.insert(to, block.ops.pop(at))


def _before_rebinding(op: Call, earlier: list[Op], motion: Motion) -> int:
    """Where a push may go: before the name of what it pushes is bound again, if nothing in between minds."""
    items, value = op.args
    best = len(earlier)
    tape = {node.find() for node in motion.writes(op)}
    for at in reversed(range(len(earlier))):
        other = earlier[at]
        if value in other.results or items in other.results or motion.has_effect(other):
            break
        if tape & {node.find() for node in motion.writes(other) | motion.reads(other)}:
            break
        if value.name is not None and value.name in motion.binds(other):
            best = at
    return best


# --- bindings


def _bind_late(block: Block, motion: Motion) -> None:
    for place, op in enumerate(list(block.ops)):
        if (
            isinstance(op, Call)
            and len(op.results) == 1
            and op.result.name is not None
            and motion.is_pure(op)
        ):
            at = block.ops.index(op, max(0, place - WINDOW))  # no more than a window's operations have passed it
            to = _behind_old_value(op, block.ops[at + 1 : at + 1 + WINDOW], motion)
            if to and motion.may_move(op, block, at, at + 1 + to, lambda _: False):
                block.ops.insert(at + to, block.ops.pop(at))


def _behind_old_value(op: Call, later: list[Op], motion: Motion) -> int:
    """The number of the next operations that still have to do with the old value of the name that ``op`` binds."""
    name, count = op.result.name, 0
    dot = f"{name}_dot"
    for k, other in enumerate(later, 1):
        read, bound = list(reads_of(other)), motion.binds(other)
        if name in bound or op.result in read:
            break
        if dot in bound or any(v.name == name for v in read if not isinstance(v, LITERALS)):
            count = k + _is_pushed(other, later[k : k + 1])
    return count


def _is_pushed(op: Op, following: list[Op]) -> bool:
    """Test for an operation that makes a tuple for the tape onto which the next one puts it."""
    packs = isinstance(op, Call) and op.target == "builtins.tuple"
    return packs and any(isinstance(o, Call) and o.target == "list.append" and o.args[1] is op.results[0] for o in following)


# --- results


def _name_results(function: Function, motion: Motion) -> None:
    """Name what the primal returns, apart from what the reverse sweep binds."""
    structure = function.returns
    primal = structure.items[0].leaves() if structure.kind == "tuple" and structure.items else 1
    turn = len(function.body.ops) if function.reverse_at is None else function.reverse_at
    made = {value for op in function.body.ops[:turn] for value in op.results}
    reverse = function.body.ops[turn:]
    read = {value for op in reverse for value in reads_of(op)}
    bound = {name for op in reverse for name in motion.binds(op)}
    for k, value in enumerate(function.body.yields[:primal]):
        name = RESULT if primal == 1 else f"{RESULT}_{k}"
        if isinstance(value, LITERALS) or value not in made:
            continue
        if value.name is None:
            value.name = name
        elif function.reverse_at is not None and value.name in bound and value not in read:
            kept = Value(value.kind, name)
            function.body.ops.insert(function.reverse_at, Call(target=SAME, args=[value], results=[kept]))
            function.body.yields[k] = kept
            motion.aliases.unify(kept, value)
            function.reverse_at += 1
