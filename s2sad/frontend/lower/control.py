"""Lowering control flow: branches and loops merge the variables that they change.

A loop is lowered until the kinds of what it carries are stable; what it carries is found by lowering its body once:
every variable that changed is carried, be it a local name, a field of a record or a name of an inlined call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import gast

from s2sad.errors import CompilerError, UnsupportedSyntaxError
from s2sad.frontend.entities import Aggregate, Box, Entity, Known, Poison, flatten, rebuild, same_structure
from s2sad.frontend.lower.maybe import alike, flag
from s2sad.frontend.lower.parts import (
    frozen,
    holds_records,
    join_layouts,
    layouts,
    restore_layouts,
    seal,
    thawed,
)
from s2sad.frontend.lower.state import Frame, Key, Lowering
from s2sad.ir.kinds import BOTTOM, NONE, UNKNOWN, Array, Kind, List, Other, Scalar, join
from s2sad.ir.nodes import Block, Const, For, Global, If, Undef, Value, While
from s2sad.ir.walk import substitute_all
from s2sad.rules.kind_rules import item_of

Thunk = Callable[[], Entity | None]
Variables = dict[Key, Entity]
MERGED = "which object it is depends on a branch or loop, and others may refer to the same one"


def truth(lw: Lowering, entity: Entity) -> bool | None:
    """The truth of an entity where it is known at compile time."""
    entity = flag(entity)
    if isinstance(entity, Const):
        return bool(entity.payload)
    if isinstance(entity, Global) and entity.resolved and isinstance(entity.payload, bool | str | type(None)):
        return bool(entity.payload)
    if isinstance(entity, Value):
        return False if entity.kind == NONE else None
    if isinstance(entity, Aggregate):
        return bool(entity.items)
    if isinstance(entity, Box) and entity.kind == "dict":
        return bool(lw.keys(entity, None))
    if isinstance(entity, Box) and any(hasattr(entity.cls, name) for name in ("__bool__", "__len__")):
        raise UnsupportedSyntaxError(
            "the truth of an object is not supported", location=lw.builder.loc,
            why="its class defines it", instead="a comparison",
        )  # fmt: skip
    return True


# --- branches


def choose(lw: Lowering, test: Entity, then: Thunk, orelse: Thunk, node: gast.AST) -> Entity:
    """A conditional whose arms have a value: only the taken one is evaluated."""
    result = branch(lw, test, then, orelse, node)
    assert result is not None
    return result


def short_circuit(
    lw: Lowering, left: Entity, right: Callable[[], Entity], is_and: bool, node: gast.AST
) -> Entity:
    """``left and right()`` or ``left or right()``."""
    known = truth(lw, left)
    if known is not None:
        return right() if known == is_and else left
    if is_and:
        return choose(lw, left, right, lambda: left, node)
    return choose(lw, left, lambda: left, right, node)


def branch(lw: Lowering, test: Entity, then: Thunk, orelse: Thunk, node: gast.AST) -> Entity | None:
    """Lower both arms, and merge the variables that they change and the values that they give."""
    known = truth(lw, test)
    if known is not None:
        return then() if known else orelse()
    op = If(cond=condition(lw, lw.value(flag(test), node, "a condition")), loc=lw.builder.loc)
    before = dict(lw.variables)
    known_keys = layouts(lw)
    owners = _owners(lw, known_keys)
    with lw.builder.inside(op.then):
        first = then()
    after_then, lw.variables = lw.variables, dict(before)
    keys_then = restore_layouts(known_keys)
    with lw.builder.inside(op.orelse):
        second = orelse()
    after_else = lw.variables
    lw.variables = before
    join_layouts(keys_then, "it is set on one path of a branch only")
    lw.builder.append(op)
    both = [k for k in {**after_then, **after_else} if _lasting(k, owners)]
    changed = [k for k in both if after_then.get(k) is not after_else.get(k)]
    for key in [k for k in after_then if k not in changed]:
        lw.variables[key] = after_then[key]
    for key in changed:
        arms = after_then.get(key, Undef()), after_else.get(key, Undef())
        lw.variables[key] = _merge_records(lw, op, arms, (after_then, after_else), key)
    if first is None or second is None:
        return None
    result = _merge_records(lw, op, (first, second), (after_then, after_else), None)
    if isinstance(result, Poison):
        lw.refuse(node, "this conditional expression", result.why, "an if statement around its use")
    return result


def condition(lw: Lowering, test: Value) -> Value:
    """The truth of a value at this point: that of a list or array may change later."""
    return test if isinstance(test.kind, Scalar | Other) else lw.builder.call("builtins.bool", test)


def _owners(lw: Lowering, known: Mapping[Box, object]) -> set[object]:
    """Whose variables are in sight: records, and the frames of functions and comprehensions around."""
    found: set[object] = {*known, *(key[0] for key in lw.variables)}
    frame: Frame | None = lw.frame
    while frame is not None:
        found.add(frame)
        frame = frame.outer
    return found


def _lasting(key: Key, known: set[object]) -> bool:
    """Whether a variable was there before this arm or iteration, or its owner was.

    Fields of a record made in it are known by what the record holds; names of calls and comprehensions in it are gone.
    """
    return key[0] in known


def _merge_records(
    lw: Lowering, op: If, arms: tuple[Entity, Entity], after: tuple[Variables, Variables], key: Key | None
) -> Entity:
    """Objects of one class with the same fields are merged field by field."""
    a, b = arms
    if a is b or not (holds_records(a) or holds_records(b)):
        return _merge(op, a, b, key)
    merged = _merge(op, frozen(lw, a, after[0]), frozen(lw, b, after[1]), key)
    seal(lw, a, MERGED)
    seal(lw, b, MERGED)
    return thawed(lw, merged, MERGED)


def unlike(a: Sequence[Entity], b: Sequence[Entity]) -> bool:
    """Whether a list would meet an array: the adjoint of one is no adjoint of the other."""
    return any(
        isinstance(x, Value) and isinstance(y, Value) and {type(x.kind), type(y.kind)} == {List, Array}
        for x, y in zip(a, b, strict=True)
    )


def _merge(op: If, a: Entity, b: Entity, key: Key | None) -> Entity:
    """The entity after a branch: the same one, a merged value, or one that may not be used."""
    if a is b or (isinstance(a, Known) and a == b):
        return a
    if (
        isinstance(a, Const)
        and isinstance(b, Const)
        and type(a.payload) is type(b.payload)
        and a.payload == b.payload
    ):
        return a
    if isinstance(a, Undef) and isinstance(b, Aggregate):
        a = rebuild(b, iter(lambda: Undef(), None))
    if isinstance(b, Undef) and isinstance(a, Aggregate):
        b = rebuild(a, iter(lambda: Undef(), None))
    a, b = alike(a, b)
    leaves_a, leaves_b = list(flatten(a)), list(flatten(b))
    pairs = zip(leaves_a, leaves_b, strict=False)
    mergeable = all(x == y or isinstance(x, Value) and isinstance(y, Value) for x, y in pairs)
    if not mergeable or not same_structure(a, b) or unlike(leaves_a, leaves_b):
        return Poison("it is bound to different things on the two paths of a branch")
    merged: list[Entity] = []
    for x, y in zip(leaves_a, leaves_b, strict=True):
        if x == y:  # values and records are equal only to themselves, functions known at compile time by what they are
            merged.append(x)
            continue
        assert isinstance(x, Value) and isinstance(y, Value)
        name = str(key[1]) if key is not None and isinstance(key[1], str) else None
        value = Value(join(x.kind, y.kind), name if not isinstance(a, Aggregate) else (x.name or y.name))
        op.then.yields.append(x)
        op.orelse.yields.append(y)
        op.results.append(value)
        merged.append(value)
    return rebuild(a, iter(merged))


# --- loops


def counted_loop(lw: Lowering, count: Value, body: Callable[[Value], None], node: gast.AST | None) -> None:
    """``for index in range(count): body(index)``."""
    for_loop(lw, lw.builder.call("builtins.range", count), None, body, node, breaks=lambda: None)


def for_loop(
    lw: Lowering,
    iterable: Value,
    name: str | None,
    body: Callable[[Value], None],
    node: gast.AST | None,
    breaks: Callable[[], Value | None],
) -> None:
    """A loop over a range; ``breaks`` gives, after the body, the flag on which it ends (or None)."""
    op = For(iterable=iterable, loc=lw.builder.loc)

    def attempt(carried: list[Value]) -> None:
        item = Value(iterable_item(iterable), name)
        op.body = Block(params=[item, *carried])
        with lw.builder.inside(op.body):
            body(item)
            flag = breaks()
        op.breaks = flag is not None
        op.body.yields = [flag] if flag is not None else []

    _stabilise(lw, op, attempt, node)


def iterable_item(iterable: Value) -> Kind:
    """The kind of the loop variable."""
    return item_of(iterable.kind)


def while_loop(
    lw: Lowering,
    test: Callable[[], Value],
    body: Callable[[], None],
    node: gast.AST,
    breaks: Callable[[], Value | None],
) -> None:
    """A while loop; both blocks see the carried values."""
    op = While(loc=lw.builder.loc)

    def attempt(carried: list[Value]) -> None:
        entry = dict(lw.variables)
        op.test = Block(params=[Value(v.kind, v.name) for v in carried])
        table = dict(zip(carried, op.test.params, strict=True))
        with lw.builder.inside(op.test):
            cond = test()
        substitute_all(op.test, dict(table))
        op.test.yields = [table.get(cond, cond)]
        changed = [k for k, v in lw.variables.items() if entry.get(k) is not v]
        if changed:
            lw.refuse(
                node,
                "an assignment in a while condition",
                "it happens once more than the body runs",
                "assign inside",
            )
        op.body = Block(params=list(carried))
        with lw.builder.inside(op.body):
            body()
            flag = breaks()
        op.breaks = flag is not None
        op.body.yields = [flag] if flag is not None else []

    _stabilise(lw, op, attempt, node)


def _stabilise(
    lw: Lowering, op: For | While, attempt: Callable[[list[Value]], None], node: gast.AST | None
) -> None:
    """Lower the body until what it carries, and its kinds, no longer change; then append the loop."""
    before = dict(lw.variables)
    known_keys = layouts(lw)
    owners = _owners(lw, known_keys)
    slots: dict[Key, list[Kind]] = {}
    for round_ in range(12):
        lw.variables = dict(before)
        restore_layouts(known_keys)
        params: list[Value] = []
        for key, kinds in slots.items():
            start = _start(lw, before, key)
            name = key[1] if isinstance(key[1], str) and not isinstance(start, Aggregate) else None
            fresh = [_carried(leaf, kind, name) for leaf, kind in zip(flatten(start), kinds, strict=True)]
            params += fresh
            lw.variables[key] = thawed(lw, rebuild(start, iter(fresh)), MERGED)
        entry = dict(lw.variables)
        attempt(params)
        changed = [k for k, v in lw.variables.items() if entry.get(k) is not v and _lasting(k, owners)]
        if not _widen(lw, slots, changed, before, entry, round_, node):
            break
    else:
        raise CompilerError("what a loop carries does not become stable", location=op.loc)
    join_layouts(known_keys, "it is set in the body of a loop")
    _finish(lw, op, slots, before)


def _start(lw: Lowering, before: dict[Key, Entity], key: Key) -> Entity:
    """What a variable is bound to before the loop, with records taken as they are then."""
    start = before.get(key, Undef())
    return frozen(lw, start, before) if holds_records(start) else start


def _carried(leaf: Entity, kind: Kind, name: str | None) -> Value:
    """A carried parameter for a leaf, under the variable's name."""
    return Value(kind, name or (leaf.name if isinstance(leaf, Value) else None))


def _widen(
    lw: Lowering,
    slots: dict[Key, list[Kind]],
    changed: list[Key],
    before: dict[Key, Entity],
    entry: dict[Key, Entity],
    round_: int,
    node: gast.AST | None,
) -> bool:
    """Add slots for newly changed variables and widen the kinds of known ones; False when nothing is new."""
    again = False
    for key in changed:
        start, end = _start(lw, before, key), lw.variables[key]
        if holds_records(end) and _plain(now := frozen(lw, end)):
            seal(lw, before.get(key, end), MERGED)
            seal(lw, end, MERGED)
            end = now
        if isinstance(start, Undef) and key not in before:
            # born in the body: of no use in the next iteration, but perhaps after the loop
            start = before[key] = rebuild(end, iter(lambda: Undef(), None)) if _plain(end) else end
            if holds_records(end):
                before[key] = Poison("it is an object of the last iteration of a loop")
            for leaf, now in zip(flatten(start), flatten(end), strict=True):
                if isinstance(leaf, Undef) and isinstance(now, Value):
                    leaf.name = now.name or (key[1] if isinstance(key[1], str) else None)
        lifted, end = alike(start, end)
        if lifted is not start:
            slots.pop(key, None)
            start = before[key] = lifted
        plain = _plain(start) and _plain(end) and same_structure(start, end)
        if not plain or unlike(list(flatten(start)), list(flatten(end))):
            if start is not end:
                before[key] = Poison(
                    "it is bound to different things from one iteration of a loop to the next"
                )
            again |= slots.pop(key, None) is not None
            continue
        leaves, ends = list(flatten(start)), list(flatten(end))
        old = slots.get(key)
        if old is None:
            old = [leaf.kind for leaf in leaves if isinstance(leaf, Value)]
            again = True
        new = [join(k, e.kind) for k, e in zip(old, ends, strict=True) if isinstance(e, Value)]
        if round_ > 6:
            new = [k if k == o else _coarser(k, round_) for k, o in zip(new, old, strict=True)]
        if key not in slots or new != old:
            again = True
        slots[key] = new
    return again


def _coarser(kind: Kind, round_: int) -> Kind:
    if isinstance(kind, Array) and round_ < 9:
        return replace(kind, shape=None if kind.shape is None else (None,) * len(kind.shape))
    return UNKNOWN


def _plain(entity: Entity) -> bool:
    return all(isinstance(leaf, Value) for leaf in flatten(entity))


def _finish(lw: Lowering, op: For | While, slots: dict[Key, list[Kind]], before: dict[Key, Entity]) -> None:
    """Set what the loop carries, append it, and bind the variables to its results."""
    ends = {key: frozen(lw, lw.variables[key]) for key in slots}
    starts = {key: _start(lw, before, key) for key in slots}
    ends = {key: alike(starts[key], end)[1] for key, end in ends.items()}
    lw.variables = before
    for key, kinds in slots.items():
        results: list[Value] = []
        start = starts[key]
        for leaf, end, kind in zip(flatten(start), flatten(ends[key]), kinds, strict=True):
            assert isinstance(leaf, Value) and isinstance(end, Value)
            op.init.append(leaf)
            op.body.yields.append(end)
            name = (
                key[1]
                if isinstance(key[1], str) and not isinstance(start, Aggregate)
                else (leaf.name or end.name)
            )
            results.append(Value(kind if kind != BOTTOM else end.kind, name))
        op.results += results
        lw.variables[key] = thawed(lw, rebuild(start, iter(results)), MERGED)
    lw.builder.append(op)


@contextmanager
def scratch(lw: Lowering) -> Iterator[Block]:
    """Lower into a block that is thrown away."""
    saved = dict(lw.variables)
    with lw.builder.inside(Block()) as block:
        yield block
    lw.variables = saved
