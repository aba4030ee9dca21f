"""Reverse of control flow: branches branch again, loops run backwards, and adjoints are carried through both.

The adjoint of what a loop carries is carried by the reversed loop; so is the adjoint of every number from outside that
the body uses. (Arrays from outside collect theirs in a buffer.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2sad.ad.cotangents import Part
from s2sad.ad.forward import Scope
from s2sad.ad.stepwise import Stepwise
from s2sad.analysis.attempts import is_attempt
from s2sad.analysis.axes import MET
from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Scalar,
    dtype_of,
    form_of,
    is_differentiable,
    is_kept,
    note_form,
)
from s2sad.ir.nodes import (
    LITERALS,
    Block,
    Call,
    Const,
    For,
    If,
    Loop,
    Op,
    Straight,
    Value,
    While,
    With,
    bar_of,
)
from s2sad.ir.walk import blocks_of, raises, reads_of, substitute_all, values_read
from s2sad.rules.containers import made_items, makes_fixed
from s2sad.rules.traits import having

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint


def plain(sweep: Adjoint, value: Value) -> bool:
    """Test for a value whose adjoint is itself a value, which control flow has to carry."""
    if isinstance(value, LITERALS) or not sweep.active(value) or value.kind.container:
        return False
    return not sweep.in_memory(value) and value not in sweep.buffered


def handed_on(sweep: Adjoint, value: Value) -> bool:
    """Test for a value whose adjoint control flow has to hand on where it binds it: all but references with shadows."""
    if isinstance(value, LITERALS) or not sweep.active(value) or value.kind.fixed:
        return False
    if isinstance(value.kind, List):
        return value in sweep.aliases.exits
    return not sweep.in_memory(value)


def outer_values(sweep: Adjoint, op: Op) -> list[Value | Part]:
    """The plain active values from outside that the blocks of ``op`` use, and the parts of structures."""
    inside = {b for top in op.blocks() for b in blocks_of(top)}
    seen: dict[Value | Part, None] = {}
    for block in op.blocks():
        for value in values_read(block):
            if not isinstance(value, LITERALS) and sweep.active(value) and sweep.forward.owner[value] not in inside:
                seen.update(dict.fromkeys(_collecting(sweep, value)))
    return list(seen)


def _collecting(sweep: Adjoint, value: Value) -> Iterator[Value | Part]:
    """The collectors of a value's adjoint: itself, what a structure was made of here, or its parts."""
    if plain(sweep, value):
        yield value
    elif value.kind.fixed and not isinstance(value, LITERALS) and sweep.active(value):
        made = sweep.forward.definer.get(value)
        if isinstance(made, Call) and makes_fixed(made):
            for item in made_items(made).values():
                yield from _collecting(sweep, item)
        else:
            kinds = zip(value.kind.keys, value.kind.inner, strict=True)
            yield from (Part(value, key) for key, kind in kinds if is_differentiable(kind))


def or_zero(sweep: Adjoint, value: Value | Part) -> Value:
    """The adjoint of a value, or a zero of its shape."""
    return sweep.adjoints.get(value) or sweep.zeros(value)


def zero_like(sweep: Adjoint, value: Value, like: Value) -> Value:
    """A zero for a carried adjoint to which an iteration contributed nothing."""
    if isinstance(value.kind, Scalar):
        return Const(0.0)
    if not (isinstance(value.kind, Array) and value.kind.shape is not None and all(map(is_kept, value.kind.shape))):
        return sweep.zeros(value)  # ``like`` is of what the iteration leaves, which may be of another size
    made = sweep.builder.call(sweep.zeros_of(value), like)
    made.kind = value.kind
    return made


def reverse_straight(sweep: Adjoint, op: Straight) -> None:
    """Branch as the primal did; each arm turns the adjoints of what it yields into those of what it uses.

    Where one arm raises, the other one was taken: nothing is asked again.
    """
    due = [
        (k, g) for k, r in enumerate(op.results) if handed_on(sweep, r) and (g := sweep.take(r)) is not None
    ]
    outer = list(dict.fromkeys([*outer_values(sweep, op)]))
    before = sweep.adjoints
    arms: list[tuple[Block, Scope, dict[Value | Part, Value]]] = []
    known: dict[Value, Value] = {}
    taken = _certain(op)
    head: dict[str, Any] = {op.HEAD: sweep.primal(op.head) if taken is None else Const(taken)}
    fresh = type(op)(**head, loc=op.loc, primal=op.loc)
    for block, target in zip(op.blocks(), fresh.blocks(), strict=True):
        sweep.adjoints = dict(before)
        scope = Scope(block)
        with sweep.reversing(scope, target):
            for k, g in due:
                own = _told(g, block.yields[k])
                known |= {} if own is g else {own: g}
                sweep.accumulate(block.yields[k], own)
            sweep.reverse(block)
        arms.append((target, scope, sweep.adjoints))
    changed = [v for v in outer if any(table.get(v) is not before.get(v) for _, _, table in arms)]
    for target, scope, sweep.adjoints in arms:
        with sweep.reversing(scope, target):  # what a zero is made from is seen in its arm only
            target.yields = [or_zero(sweep, v) for v in changed]
        scope.finish(target)
        substitute_all(target, known)
    sweep.adjoints = before
    sweep.builder.append(fresh)
    for value in changed:
        result = Value(value.kind, bar_of(value.name))
        fresh.results.append(result)
        sweep.adjoints[value] = result


def _told(g: Value, value: Value) -> Value:
    """An adjoint of which nothing is known outside of a branch, as that of a number in it."""
    unsure = g.kind == UNKNOWN and not isinstance(g, LITERALS)
    return Value(Scalar(types=value.kind.types)) if unsure and isinstance(value.kind, Scalar) and value.kind.is_of("f") else g


def _with_names(sweep: Adjoint, value: Value) -> Kind:
    """The kind of what an iteration leaves, with a name for each size that it does not tell: its adjoint is as large."""
    kind = value.kind
    if isinstance(kind, Array) and None in (kind.shape or ()) and isinstance(sweep.forward.definer.get(value), Call):
        value.kind = replace(kind, shape=tuple(Dim((MET, object())) if n is None else n for n in kind.shape or ()))
        sweep.forward.table.get(value, value).kind = value.kind
    return value.kind


def _as_left(carried: Kind, left: Kind) -> Kind:
    """The kind of the adjoint of what an iteration leaves, of which it may tell more than what all of them have in common."""
    if isinstance(carried, Array) and isinstance(left, Array) and carried.dtype == left.dtype and left.shape is not None:
        if carried.rank != left.rank:
            return left
        sizes = zip(carried.shape or (), left.shape, strict=True)
        return replace(left, shape=tuple(n if m is None else m for m, n in sizes))
    double = dtype_of(left) == "float64" and isinstance(left, Array | Scalar)
    return _without_size(left) if carried == UNKNOWN and double else carried


def _without_size(kind: Kind) -> Kind:
    return Scalar(types=kind.types) if isinstance(kind, Scalar) else kind


def _certain(op: Straight) -> bool | None:
    """The condition of a branch behind it, where one arm raises."""
    arms = [raises(block) for block in op.blocks()] if isinstance(op, If) else []
    return arms[1] if any(arms) and not all(arms) else None


class Carry:
    """The carried values of a reversed loop: the adjoints of the primal's slots, and those of values from outside."""

    def __init__(self, sweep: Adjoint, op: Loop) -> None:
        self.sweep = sweep
        self.op = op
        self.slots = [
            k for k, p in enumerate(op.carried) if handed_on(sweep, p) or handed_on(sweep, op.results[k])
        ]
        self.outer = outer_values(sweep, op)
        self.init: list[Value] = []
        for k in self.slots:
            self.init.append(sweep.take(op.results[k]) or sweep.zeros(op.results[k]))
        self.init += [or_zero(sweep, v) for v in self.outer]
        self.primals: list[Value | Part] = [*(op.carried[k] for k in self.slots), *self.outer]
        self.params = [self.fresh(v) for v in self.primals]
        for param, k in zip(self.params, self.slots, strict=False):
            param.kind = _as_left(param.kind, _with_names(sweep, op.carried_yields[k]))

    def fresh(self, value: Value | Part) -> Value:
        """A carried adjoint."""
        return Value(value.kind, bar_of(value.name))

    def results(self) -> list[Value]:
        """What the reversed loop gives: the adjoints of what the primal began with, whose sizes may be known where an iteration's
        are not."""
        found = [self.fresh(v) for v in self.primals]
        for result, k in zip(found, self.slots, strict=False):
            began = self.op.init[k].kind
            if isinstance(result.kind, Array) and isinstance(began, Array) and began.dtype == result.kind.dtype:
                result.kind = began
        return found

    def body(self, block: Block, stepwise: Stepwise | None = None) -> None:
        """Build the reversed body into ``block``; ``stepwise``: what comes before and after an iteration is reversed."""
        sweep, op = self.sweep, self.op
        before = sweep.adjoints
        count = len(self.slots)
        sweep.adjoints = dict(zip(self.outer, self.params[count:], strict=True))
        scope = Scope(op.body)
        with sweep.reversing(scope, block):
            if stepwise is not None:
                stepwise.before(scope, block)
            elif isinstance(op, For):
                index = Value(op.body.params[0].kind, op.body.params[0].name)
                block.params.insert(0, index)
                scope.entry[op.body.params[0]] = index
                note_form(index, form_of(op.body.params[0]))
            for k, g in zip(self.slots, self.params[:count], strict=True):
                sweep.accumulate(op.carried_yields[k], g)
            sweep.reverse(op.body)
            block.yields = [
                sweep.take(op.carried[k]) or zero_like(sweep, op.carried[k], like)
                for k, like in zip(self.slots, self.params[:count], strict=True)
            ]
            block.yields += [sweep.adjoints[v] for v in self.outer]
            if stepwise is not None:
                stepwise.after()
        scope.finish(block)
        block.params += self.params
        sweep.adjoints = before
        self.pops = scope.pops

    def finish(self, results: list[Value]) -> None:
        """Hand on what the reversed loop gives."""
        count = len(self.slots)
        for value, result in zip(self.outer, results[count:], strict=True):
            self.sweep.adjoints[value] = result
        for k, result in zip(self.slots, results[:count], strict=True):
            self.sweep.accumulate(self.op.init[k], result)


def reverse_for(sweep: Adjoint, op: For) -> None:
    """Run backwards over the range; after a break, over as much of it as was run."""
    if not _has_work(sweep, op):
        return
    if op.snapshots is not None:
        reverse_stepwise(sweep, op)
        return
    turned = sweep.forward.definer.get(op.iterable)
    if isinstance(turned, Call) and turned.target == "builtins.reversed" and not op.breaks:
        backwards = sweep.primal(turned.args[0])
    else:
        backwards = sweep.builder.call("builtins.reversed", _span(sweep, op))
    fresh = For(iterable=backwards, loc=op.loc, primal=op.loc)
    carry = Carry(sweep, op)
    carry.body(fresh.body)
    fresh.init = carry.init
    fresh.results = carry.results()
    sweep.builder.append(fresh)
    carry.finish(fresh.results)


def reverse_stepwise(sweep: Adjoint, op: Loop) -> None:
    """Run backwards over the steps, each from a state that is computed again from the nearest one that is kept."""
    stepwise = Stepwise(sweep, op)
    fresh = For(iterable=stepwise.backwards(), loc=op.loc, primal=op.loc)
    carry = Carry(sweep, op)
    carry.body(fresh.body, stepwise)
    fresh.init = carry.init
    fresh.results = carry.results()
    sweep.builder.append(fresh)
    carry.finish(fresh.results)


def _span(sweep: Adjoint, op: For) -> Value:
    """The range over which a loop has run."""
    turned = sweep.forward.definer.get(op.iterable)
    span = sweep.primal(op.iterable)
    if op.breaks:
        if isinstance(turned, Call) and turned.target == "builtins.reversed":
            whole = Const(slice(None, None, -1))  # an iterator cannot be cut, a range can
            span = sweep.builder.call("operator.getitem", sweep.primal(turned.args[0]), whole)
            span.kind = op.iterable.kind
        upto = sweep.builder.call(
            "builtins.slice", Const(None), sweep.primal(sweep.forward.trips(op)), Const(None)
        )
        span = sweep.builder.call("operator.getitem", span, upto)
        span.kind = op.iterable.kind
    return span


def reverse_loop(sweep: Adjoint, op: Loop) -> None:
    """As often as the primal ran: while a tape of the body holds something, else by a count of trips."""
    if not _has_work(sweep, op):
        return
    if op.snapshots is not None:
        reverse_stepwise(sweep, op)
        return
    carry = Carry(sweep, op)
    body = Block()
    carry.body(body)
    results = carry.results()
    if carry.pops and not sweep.forward.loops_around(_block_of(sweep, op)):
        pop = carry.pops[0]
        assert isinstance(pop, Call)
        test = Block([carry.fresh(v) for v in carry.primals], [], [pop.args[0]])
        loop: Loop = While(results, op.loc, op.loc, carry.init, body, test=test)
    else:
        span = sweep.builder.call("builtins.range", sweep.primal(sweep.forward.trips(op)))
        body.params.insert(0, Value(Scalar("int64")))
        loop = For(results, op.loc, op.loc, carry.init, body, iterable=span)
    sweep.builder.append(loop)
    carry.finish(results)


def _block_of(sweep: Adjoint, op: Op) -> Block:
    return next(block for block in sweep.forward.blocks if op in block.ops)


def _has_work(sweep: Adjoint, op: Loop) -> bool:
    """Test for a loop in which anything is differentiated, or has to be restored."""
    values: Iterable[Value] = (
        v for block in op.blocks() for inner in block.ops for v in [*reads_of(inner), *inner.results]
    )
    touched: list[Any] = [*op.results, *values]
    if any(sweep.active(v) for v in touched if not isinstance(v, LITERALS)):
        return True
    return any(
        isinstance(o, Call) and sweep.recording.restores(o)
        for b in op.blocks()
        for x in blocks_of(b)
        for o in x.ops
    )


def reverse_with(sweep: Adjoint, op: With) -> None:
    """The body's reverse, in a context of its own where the primal's sets how NumPy computes, else in none.

    An attempt runs for its failures alone: nothing of it is reversed, and nothing is recorded there.
    """
    if is_attempt(op):
        return
    maker = sweep.forward.definer.get(op.context)
    again = isinstance(maker, Call) and maker.target in having("entered again")
    due = [
        (k, g) for k, r in enumerate(op.results) if handed_on(sweep, r) and (g := sweep.take(r)) is not None
    ]
    outer = outer_values(sweep, op)
    before = dict(sweep.adjoints)
    body = Block()
    scope = Scope(op.body)
    with sweep.reversing(scope, body):
        for k, g in due:
            sweep.accumulate(op.body.yields[k], g)
        sweep.reverse(op.body)
    scope.finish(body)
    if not body.ops:
        return
    if not again:
        sweep.builder.block.ops += body.ops
        return
    assert isinstance(maker, Call)
    context = Call(
        target=maker.target, args=[sweep.primal(v) for v in maker.args], results=[Value(op.context.kind)]
    )
    context.kwargs = {key: sweep.primal(v) for key, v in maker.kwargs.items()}
    sweep.builder.append(context)
    fresh = With(context=context.result, body=body, loc=op.loc, primal=op.loc)
    for value in outer:
        adjoint = sweep.adjoints.get(value)
        if adjoint is not None and adjoint is not before.get(value):
            result = Value(value.kind, bar_of(value.name))
            fresh.results.append(result)
            body.yields.append(adjoint)
            sweep.adjoints[value] = result
    sweep.builder.append(fresh)


REGIONS: dict[type[Op], Callable[[Any, Any], None]] = {
    Straight: reverse_straight,
    For: reverse_for,
    Loop: reverse_loop,
    With: reverse_with,
}


def reverse_of(op: Op) -> Callable[[Any, Any], None] | None:
    """The function that turns a region around; None for a call."""
    return next((REGIONS[cls] for cls in type(op).__mro__ if cls in REGIONS), None)
