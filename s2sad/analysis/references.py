"""Parameters of recursive functions that are handed over by reference, together with their shadows.

    def fill(t, i):                            t is written: the reverse function gets t_bar, and works in it
        t[i] = sin(t[i - 1])          ==>      fill_reverse(tape, t_bar)
        fill(t, i + 1)

    def total(a, i):                           a is read item by item: a gradient of its own for each call would
        return a[i] + total(a, i + 1)          cost the whole array each time

All others are values, whose adjoints are returned. (Functions that write into their arguments and neither call themselves nor
a version of themselves for other kinds of arguments are lowered at the place of the call.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2sad.analysis.alias import Aliases, Positions
from s2sad.analysis.editions import lasting
from s2sad.analysis.exits import is_buffer
from s2sad.analysis.views import holds_references, is_unsure, view_base
from s2sad.ir.kinds import Array, List
from s2sad.ir.nodes import Call, Const, Function, Undef, Value
from s2sad.ir.walk import calls_within, definers, ops_of


def is_recursive(function: Function) -> bool:
    """Possibility that a function calls itself, through others or not."""
    return lasting(function) is None and any(op.callee is function for op in calls_within(function.body))


def references(function: Function, within: Mapping[Function, Positions] = {}) -> Positions:
    """The positions of the parameters that a function gets by reference."""
    if function in within:
        return within[function]
    aliases = Aliases(function, split=True)
    written = aliases.written_parameters()
    if not is_recursive(function):
        return frozenset(k for k in written if is_buffer(function.values[k].kind))
    moving = {v for v in function.values if isinstance(v.kind, List) and aliases.static_root(v) is not v}
    found: Positions = frozenset()
    while True:
        known = {**within, function: found}
        taken = _taken_from(function, known)
        now = frozenset(
            k
            for k, v in enumerate(function.values)
            if is_buffer(v.kind) and (k in written or v in taken - moving)
        )
        if now == found:
            return found
        found = now


def handed_over(function: Function, shared: Sequence[str]) -> list[int]:
    """The positions of the arrays that a recursive function writes into, and whose shadows its reverse part gets: it gets them,
    too, so that no tape holds what it shares with its caller."""
    if not is_recursive(function):
        return []
    written = Aliases(function, split=True).written_parameters()
    return [
        k for k, p in enumerate(function.params) if p.name in shared and k in written and isinstance(p.value.kind, Array)
    ]


def _taken_from(function: Function, known: Mapping[Function, Positions]) -> set[Value]:
    """The values of which items or windows are taken, or that other functions get by reference."""
    made = definers(function)
    found: set[Value] = set()
    for op in ops_of(function.body):
        if not isinstance(op, Call):
            continue
        if op.callee is None:
            taken = op.args[:1] if op.target == "operator.getitem" else []
        else:
            positions = references(op.callee, known)
            taken = [a for k, a in enumerate(op.args) if k in positions]
        found |= {root_of(value, made) for value in taken}
    return found


def root_of(value: Value, made: Mapping[Value, object]) -> Value:
    """The root of a window: the array that it is taken from by subscripts."""
    op = made.get(value)
    while (
        isinstance(op, Call)
        and op.target == "operator.getitem"
        and isinstance(op.args[0].kind, Array)
        and not is_unsure(op)
    ):
        base = view_base(op)
        if base is None:
            break
        value, op = base, made.get(base)
    return value


def obstacle(function: Function, same: tuple[int | None, ...]) -> str | None:
    """Why a recursive function that writes into its arguments cannot be differentiated; None if it can.

    ``same``: for each leaf that it returns, the parameter that it always is.
    """
    aliases = Aliases(function, split=True)
    written = [function.values[k] for k in aliases.written_parameters()]
    for value in written:
        if not is_buffer(value.kind):
            return f"it writes into {value.name}, which is no array and no list of numbers ({value.kind})"
        if aliases.static_root(value) not in (value, None):
            return f"which array {value.name} is, is not known where it is written"
    reached = {node for value in written for node in aliases.reach(aliases.node(value))}
    for leaf, position in zip(function.body.yields, same, strict=True):
        for value in aliases.origins(leaf) if position is None else ():
            if holds_references(value) and not isinstance(value, Const | Undef):
                if reached & aliases.reach(aliases.node(value)):
                    return (
                        "it returns a part of an array that it writes into, or that array on some paths only"
                    )
    return None


def unsaved(function: Function) -> str | None:
    """Why a call of a function cannot be computed again, from what it found; None if it can."""
    for k in sorted(Aliases(function, split=True).written_parameters()):
        value = function.values[k]
        if not isinstance(value.kind, Array):
            return f"it changes {value.name or 'something'} ({value.kind}), and copies are kept of arrays alone"
    return obstacle(function, (None,) * len(function.body.yields))
