"""Lowering control flow: branches and loops merge the variables that they change.

A loop is lowered until the kinds of what it carries are stable; what it carries is found by lowering its body once:
every variable that changed is carried, be it a local name, a field of a record or a name of an inlined call.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import gast

from s2sad.errors import CompilerError, S2sadError, UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Choice,
    Entity,
    Method,
    Record,
    Static,
    Struct,
    Top,
    flatten,
    places_of_dicts,
    values_of,
    with_values,
)
from s2sad.frontend.fence import KnownFailure
from s2sad.frontend.lower import bound, built_on, referring
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.choices import (
    alike,
    callables_apart,
    callables_restored,
    displays_in,
    holds_functions,
    is_label,
    lists_met,
    owners_behind,
    sole_lists,
    sole_records,
)
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.maybe import absent, flag, held, is_maybe, seen
from s2sad.frontend.lower.merging import Variables, merge_arms, mergeable, unlike
from s2sad.frontend.lower.parts import (
    as_record,
    as_struct,
    holds_records,
    join_layouts,
    layouts,
    restore_layouts,
    seal,
)
from s2sad.frontend.lower.referring import MERGED
from s2sad.frontend.lower.revisits import Visit
from s2sad.frontend.lower.state import Bound, Diverges, Frame, Key, Lowering, ReturnsFunctions
from s2sad.ir.builder import counts
from s2sad.ir.depth import LEVELS, too_deep
from s2sad.ir.kinds import (
    BOTTOM,
    NONE,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    Other,
    Scalar,
    Size,
    join,
    least_of,
    minus,
    note_bounds,
    plus,
    terms_of,
)  # fmt: skip
from s2sad.ir.nodes import Block, Call, Const, For, Global, If, Loop, Undef, Value, While, is_literal
from s2sad.ir.size_names import Leaving, values_in
from s2sad.ir.walk import end_at_raise, ops_of, raises, substitute_all
from s2sad.rules.kind_rules import item_of

Thunk = Callable[[], Entity | None]
MOST_ITERATIONS = 100  # of a loop that is written out
MOST_COPIES = 32  # of a statement in loops within each other, where they are written out without need
MOST_NESTED = 12  # of those of which only running the program tells whether they come
ROUNDS = 12  # of a loop, until it is stable
PASSES = 4  # over the loops in the outermost one, one round of each
LIFTS = 4  # how often a loop may find that one more thing is among those that a variable may stand for
IN_A_LOOP = "it is set in the body of a loop"
CHANGES = "it is bound to different things from one iteration of a loop to the next"


def truth(ctx: Lowering, entity: Entity) -> bool | None:
    """The truth of an entity where it is known at compile time."""
    entity = built_on.contents(ctx, flag(entity), "__bool__", "__len__")
    if isinstance(entity, Const):
        return bool(entity.payload)
    if isinstance(entity, Global) and entity.resolved and isinstance(entity.payload, bool | str | type(None)):
        return bool(entity.payload)
    if isinstance(entity, Value):
        return False if entity.kind == NONE else None
    if isinstance(entity, Struct):
        return bool(entity.items)
    if isinstance(entity, Choice):
        found = {truth(ctx, one) for one in entity.alternatives}
        return found.pop() if len(found) == 1 else None
    if isinstance(entity, Record) and entity.kind == "dict":
        return bool(ctx.keys(entity, None))
    if isinstance(entity, Static) and observe.is_flag(entity.payload):
        return bool(entity.payload)
    cls = entity.cls if isinstance(entity, Record) else type(entity.payload) if isinstance(entity, Static) else None
    if cls is not enum.EnumMeta and any(observe.has(cls, name) for name in ("__bool__", "__len__")):
        raise UnsupportedSyntaxError(
            "the truth of an object is not supported", location=ctx.builder.loc,
            why="its class defines it", instead="a comparison",
        )  # fmt: skip
    return True


def asked(ctx: Lowering, entity: Entity, node: gast.AST) -> Entity:
    """The stand-in of an object in a test: what the methods of its class say; None, or what may be that, is no truth."""
    if is_maybe(entity):
        inner = asked(ctx, held(entity), node)
        known = truth(ctx, inner)
        if known is not None:
            return flag(entity) if known else Const(False)
        return choose(ctx, flag(entity), lambda: _condition(ctx, inner, node), lambda: Const(False), node)
    entity = built_on.contents(ctx, entity, "__bool__", "__len__")
    if isinstance(entity, Record) and entity.kind == "object":
        for name in ("__bool__", "__len__"):
            if observe.has(entity.cls, name):
                return _checked_truth(ctx, apply(ctx, Method(entity, name), [], {}, node), name, node)
    return entity


def _checked_truth(ctx: Lowering, said: Entity, name: str, node: gast.AST) -> Entity:
    """The answer of a method about the truth of an object. Fails where that is None, which Python does not take."""
    if isinstance(said, Value) and said.kind == NONE:
        takes = name == "__bool__"
        integer = "'NoneType' object cannot be interpreted as an integer"
        text = "__bool__ should return bool, returned NoneType" if takes else integer
        ctx.fail(node, TypeError(text), f"what {name} returns", "True or False" if takes else "a number")
    return said


# --- branches


def choose(ctx: Lowering, test: Entity, then: Thunk, orelse: Thunk, node: gast.AST) -> Entity:
    """A conditional whose arms have a value: only the taken one is evaluated."""
    result = branch(ctx, test, then, orelse, node)
    assert result is not None
    return result


def short_circuit(
    ctx: Lowering, left: Entity, right: Callable[[], Entity], is_and: bool, node: gast.AST
) -> Entity:
    """``left and right()`` or ``left or right()``."""
    test = asked(ctx, left, node)
    known = truth(ctx, test)
    if known is not None:
        return right() if known == is_and else left
    if is_and:
        return choose(ctx, test, right, lambda: left, node)
    return choose(ctx, test, lambda: left, right, node)


def branch(ctx: Lowering, test: Entity, then: Thunk, orelse: Thunk, node: gast.AST) -> Entity | None:
    """Lower both arms, and merge the variables that they change and the values that they give."""
    test = asked(ctx, test, node)
    known = truth(ctx, test)
    if known is not None:
        return then() if known else orelse()
    op = If(cond=_condition(ctx, seen(test), node), loc=ctx.builder.loc)
    before = dict(ctx.variables)
    known_keys = layouts(ctx)
    owners = _owners(ctx, known_keys)
    with _holding(ctx, _told(ctx, op.cond, True)):
        first, signal = _arm(ctx, op.then, then)
    after_then, ctx.variables = ctx.variables, dict(before)
    keys_then = restore_layouts(known_keys)
    with _holding(ctx, _told(ctx, op.cond, False)):
        second, other_signal = _arm(ctx, op.orelse, orelse)
    if signal is not None or other_signal is not None:
        if other_signal is None:
            ctx.builder.block.ops += op.orelse.ops
            return second
        if signal is not None:
            raise signal
        ctx.variables = after_then
        restore_layouts(keys_then)
        ctx.builder.block.ops += op.then.ops
        return first
    after_else = ctx.variables
    ctx.variables = before
    ends = raises(op.then), raises(op.orelse)
    if ends[1] and not ends[0]:
        restore_layouts(keys_then)
    elif not ends[0]:
        join_layouts(keys_then, "it is set on one path of a branch only")
    ctx.builder.append(op)
    behind = _behind(first, before, after_then, owners) | _behind(second, before, after_else, owners)
    fresh = sole_records(first, after_then, known_keys) | sole_records(second, after_else, known_keys)
    both = [k for k in {**after_then, **after_else} if _lasting(k, owners | behind)]
    changed = [k for k in both if after_then.get(k) is not after_else.get(k)]
    changed += bound.meeting(changed, after_then, after_else)
    ctx.touched.update(changed)
    for key in [k for k in after_then if k not in changed]:
        ctx.variables[key] = after_then[key]
    for key in changed:
        _follow_shared(ctx, key, after_then.get(key), after_else.get(key), (after_then, after_else))
    shared = _follow_shared(ctx, None, first, second, (after_then, after_else))
    lists = lists_met(ctx, [(after_then.get(k, Undef()), after_else.get(k, Undef())) for k in both])
    for key in changed:
        here, there = after_then.get(key, Undef()), after_else.get(key, Undef())
        if isinstance(key[1], Bound) and any(ends):
            ctx.variables[key] = there if ends[0] else here
            continue
        if key[0] in behind:  # of a function that is made on one path
            here = absent(there) if isinstance(here, Undef) else here
            there = absent(here) if isinstance(there, Undef) else there
        if lists.get((here, there)) is None:
            merged = merge_arms(ctx, op, (here, there), (after_then, after_else), key, fresh)
            if (here, there) in lists and isinstance(merged, Choice | Struct):
                lists[here, there] = merged
                ctx.displays.add(merged)
            else:
                ctx.displays -= displays_in(here, there)
        ctx.variables[key] = lists.get((here, there)) or merged
    if first is None or second is None:
        return None
    result = merge_arms(ctx, op, (first, second), (after_then, after_else), None, fresh)
    if first is not second:
        ctx.displays -= displays_in(first, second)
    if shared:
        ctx.either.add(result)
    if isinstance(result, Top):
        ctx.check_dicts(result)
        ctx.refuse(node, "this conditional expression", result.why, "an if statement around its use")
    return result


def _arm(ctx: Lowering, block: Block, thunk: Thunk) -> tuple[Entity | None, Diverges | None]:
    """One arm of a branch; on a path that cannot tell what it does, the signal that says so."""
    ctx.arms += 1
    try:
        return _lowered_arm(ctx, block, thunk)
    finally:
        ctx.arms -= 1


def _lowered_arm(ctx: Lowering, block: Block, thunk: Thunk) -> tuple[Entity | None, Diverges | None]:
    if ctx.arms >= 2 * LEVELS:  # of fewer some may fall away
        why = f"its branches are nested {ctx.arms} levels deep: what follows an early return stands in its else"
        raise too_deep(why, ctx.builder.loc)
    frame, depth, stack, caught, loops = ctx.frame, ctx.depth, list(ctx.stack), list(ctx.caught), list(ctx.loops)
    try:
        with ctx.builder.inside(block):
            result = thunk()
            return (Undef() if result is not None and end_at_raise(block) else result), None
    except Diverges as signal:
        ctx.frame, ctx.depth, ctx.stack, ctx.caught, ctx.loops = frame, depth, stack, caught, loops
        return None, signal
    except KnownFailure as failure:  # only the running program knows whether it comes here
        ctx.frame, ctx.depth, ctx.stack, ctx.caught, ctx.loops = frame, depth, stack, caught, loops
        with ctx.builder.inside(block):
            return fail(ctx, type(failure.error), *failure.error.args), None


def _told(ctx: Lowering, condition: Value, holds: bool) -> frozenset[Value]:
    """The conditions that hold where one does, or does not: itself, or what it is the negation of."""
    made = ctx.builder.maker(condition)
    negated = made is not None and made.target == "operator.not_"
    if holds == negated:
        return frozenset()
    return frozenset([made.args[0] if made is not None and negated else condition])


@contextmanager
def _holding(ctx: Lowering, told: frozenset[Value]) -> Iterator[None]:
    """Within an arm, or the body of a loop, know which conditions hold."""
    around, ctx.holding = ctx.holding, ctx.holding | told
    try:
        yield
    finally:
        ctx.holding = around


def present(
    ctx: Lowering, entity: Entity, message: str, node: gast.AST | None, error: type[Exception] = TypeError
) -> Entity:
    """What is held by an entity that may be None: where it is None, the program raises an exception, as Python does."""
    if not is_maybe(entity):
        return entity
    found = flag(entity)
    if truth(ctx, found) is None and found not in ctx.holding:
        branch(ctx, found, lambda: None, lambda: fail(ctx, error, message), node)
    return held(entity)


def there(ctx: Lowering, entity: Entity, message: str, node: gast.AST | None, error: type[Exception] = TypeError) -> Entity:
    """As ``present``, of what is taken apart at compile time; a value that is None fails by itself."""
    inside = held(entity)
    return inside if isinstance(inside, Value) else present(ctx, entity, message, node, error)


def fail(ctx: Lowering, error: type[Exception], *messages: Any) -> Entity:
    """Raise when the program runs; what would have been given is of no use."""
    ctx.builder.call("s2sad.raise", exception(ctx, error, messages))
    return Undef()


def exception(ctx: Lowering, error: type[Exception], messages: Iterable[Any]) -> Value:
    """An exception that the program makes: a key that is no literal, an object, is named in it."""
    told = (Const(message if is_literal(message) else repr(message)) for message in messages)
    return ctx.builder.call(f"builtins.{error.__name__}", *told)


def _condition(ctx: Lowering, test: Entity, node: gast.AST) -> Value:
    """The truth of what is not known at compile time."""
    if not isinstance(test, Choice):
        return condition(ctx, ctx.value(test, node, "a condition"))

    def arm(k: int) -> Entity:
        known = truth(ctx, test.alternatives[k])
        return Const(known) if known is not None else _condition(ctx, test.alternatives[k], node)

    found = arm(len(test.labels) - 1)
    for k in reversed(range(len(test.labels) - 1)):
        here = is_label(ctx, test.tag, test.labels[k])
        found = choose(ctx, here, lambda: arm(k), lambda: found, node)  # noqa: B023  (called at once)
    return ctx.value(found, node)


def condition(ctx: Lowering, test: Value) -> Value:
    """The truth of a value at this point: that of a list or array may change later."""
    return test if isinstance(test.kind, Scalar | Other) else ctx.builder.call("builtins.bool", test)


def _owners(ctx: Lowering, known: Mapping[Record, object]) -> set[object]:
    """Whose variables are in sight: records, and the frames of functions and comprehensions around."""
    found: set[object] = {*known, *(key[0] for key in ctx.variables)}
    return found | _around(ctx.frame, set())


def _around(frame: Frame | None, found: set[object]) -> set[object]:
    """A frame, those of the functions and comprehensions around it, and those of the consumers of generators."""
    if frame is not None and frame not in found:
        found.add(frame)
        _around(frame.outer, found)
        _around(frame.around, found)
    return found


def _lasting(key: Key, known: set[object]) -> bool:
    """Test for a variable that was there before this arm or iteration, or whose owner was.

    Fields of a record made in it are known by what the record holds; names of calls and comprehensions in it are gone.
    """
    return key[0] in known


def _behind(entity: Entity | None, before: Variables, variables: Variables, owners: set[object]) -> set[object]:
    """Whose variables functions see that are made in an arm, and that are still there after it."""
    new = [(key, found) for key, found in variables.items() if before.get(key) is not found]
    lasting = [found for key, found in new if _lasting(key, owners) and holds_functions(found)]
    found = [owners_behind(e, variables) for e in [*lasting, *([] if entity is None else [entity])]]
    return set().union(*found) - owners


# --- loops


def counted_loop(ctx: Lowering, count: Value, body: Callable[[Value], None], node: gast.AST | None) -> None:
    """``for index in range(count): body(index)``."""
    for_loop(ctx, ctx.builder.call("builtins.range", count), None, body, node, breaks=lambda: None)


def for_loop(
    ctx: Lowering,
    iterable: Value,
    name: str | None,
    body: Callable[[Value], None],
    node: gast.AST | None,
    breaks: Callable[[], Value | None],
    snapshots: Value | None = None,
) -> None:
    """A loop over a range; ``breaks`` gives, after the body, the flag on which it ends (or None)."""
    parts = _first_apart(ctx, iterable) if snapshots is None and ctx.builder.loc in ctx.program.apart else None
    if parts is not None:
        begins, first, others = parts
        _apart(ctx, begins, lambda: body(first), lambda: _for(ctx, others, name, body, node, breaks, None), node, breaks)
    else:
        _for(ctx, iterable, name, body, node, breaks, snapshots)


def _apart(
    ctx: Lowering, begins: Value, first: Callable[[], None], others: Callable[[], None], node: gast.AST | None,
    breaks: Callable[[], Value | None],
) -> None:  # fmt: skip
    """The first iteration of a loop, if there is one, and the others after it."""
    assert node is not None
    here = ctx.builder.loc

    def whole() -> None:
        first()
        flag = breaks()
        ctx.builder.loc = here
        if flag is None:
            others()
        else:
            branch(ctx, flag, lambda: None, others, node)

    branch(ctx, begins, whole, lambda: None, node)


def _first_apart(ctx: Lowering, iterable: Value) -> tuple[Value, Value, Value] | None:
    """Three parts of a range that is made here: whether it has items, the first one, and the range of the others; else None."""
    made = _range(ctx, iterable)
    if made is None:
        return None
    start, stop, step = made
    begins = arithmetic(ctx, "operator.lt" if step.payload > 0 else "operator.gt", start, stop)
    return begins, start, ctx.builder.call("builtins.range", arithmetic(ctx, "operator.add", start, step), stop, step)


def _range(ctx: Lowering, iterable: Value) -> tuple[Value, Value, Const] | None:
    """Start, stop and step, which is known, of a range that is made here."""
    made = ctx.builder.maker(iterable)
    if made is None or made.target != "builtins.range":
        return None
    start, stop, step = (Const(0), made.args[0], Const(1)) if len(made.args) == 1 else (*made.args[:2], Const(1))
    if len(made.args) == 3:
        step = made.args[2]
    return (start, stop, step) if isinstance(step, Const) and step.payload != 0 else None


def _bounds(ctx: Lowering, iterable: Value) -> tuple[Size, Size]:
    """The least and the most that a loop counts; None where that is not known."""
    made = ctx.builder.maker(iterable)
    found = _range(ctx, made.args[0] if made is not None and made.target == "builtins.reversed" else iterable)
    if found is None:
        return None, None
    start, stop = counts(found[0]), counts(found[1])
    return (start, plus(stop, -1)) if found[2].payload > 0 else (plus(stop, 1), start)


def _for(
    ctx: Lowering,
    iterable: Value,
    name: str | None,
    body: Callable[[Value], None],
    node: gast.AST | None,
    breaks: Callable[[], Value | None],
    snapshots: Value | None,
) -> None:
    op = For(iterable=iterable, loc=ctx.builder.loc, snapshots=snapshots)
    bounds = _bounds(ctx, iterable)

    def attempt(carried: list[Value]) -> None:
        ctx.builder.loc = op.loc
        item = Value(iterable_item(iterable), name)
        note_bounds(item, *bounds)
        op.body = Block(params=[item, *carried])
        _fill(ctx, op, lambda: body(item), breaks)

    _stabilise(ctx, op, attempt, node)


def _fill(ctx: Lowering, op: Loop, body: Callable[[], None], breaks: Callable[[], Value | None]) -> None:
    """Lower the body of a loop; from one that always raises, or is known to fail where it runs, nothing goes on."""
    entry = dict(ctx.variables)
    signal = _arm(ctx, op.body, body)[1]
    if signal is not None:
        raise signal
    with ctx.builder.inside(op.body):
        raised = end_at_raise(op.body)
        flag = None if raised else breaks()
    if raised:
        ctx.variables = entry
    op.breaks = flag is not None
    op.body.yields = [flag] if flag is not None else []


def iterable_item(iterable: Value) -> Kind:
    """The kind of the loop variable."""
    return item_of(iterable.kind)


def while_loop(
    ctx: Lowering,
    test: Callable[[], Value],
    body: Callable[[], None],
    node: gast.AST,
    breaks: Callable[[], Value | None],
    snapshots: Value | None = None,
) -> None:
    """A while loop; both blocks see the carried values.

    A condition that changes something belongs to the body, as ``while True: if condition: ... else: break``.
    """
    with scratch(ctx) as trial:
        entry = dict(ctx.variables)
        test()
        acts = any(entry.get(k) is not v for k, v in ctx.variables.items()) or bool(ctx.program.changes(trial.ops))
    if acts:
        _while_true(ctx, test, body, node, breaks, snapshots)
        return
    if snapshots is None and ctx.builder.loc in ctx.program.apart:
        _apart(ctx, test(), body, lambda: _while(ctx, test, body, node, breaks, None), node, breaks)
        return
    looped = functools.partial(_while, ctx, test, body, node, breaks, snapshots)
    or_written_out(ctx, looped, lambda: _written_out(ctx, test, body, node, breaks))


def _while(
    ctx: Lowering, test: Callable[[], Value], body: Callable[[], None], node: gast.AST, breaks: Callable[[], Value | None],
    snapshots: Value | None,
) -> None:  # fmt: skip
    op = While(loc=ctx.builder.loc, snapshots=snapshots)

    def attempt(carried: list[Value]) -> None:
        ctx.builder.loc = op.loc
        op.test = Block(params=[Value(v.kind, v.name) for v in carried])
        table = dict(zip(carried, op.test.params, strict=True))
        with ctx.builder.inside(op.test):
            cond = test()
            _note_limits(ctx, cond)
        told = _told(ctx, cond, True)
        substitute_all(op.test, dict(table))
        op.test.yields = [table.get(cond, cond)]
        op.body = Block(params=list(carried))
        with _holding(ctx, told):
            _fill(ctx, op, body, breaks)

    _stabilise(ctx, op, attempt, node)


COMPARED = {  # what a test says of its first operand: how much more than the second one it is, at least or at most
    "operator.gt": (-1, 1), "operator.ge": (-1, 0), "operator.lt": (1, -1), "operator.le": (1, 0),
}  # fmt: skip


def _note_limits(ctx: Lowering, condition: Value) -> None:
    """Note the limits of an integer that a loop carries: the first one, and what the test of the loop says in each iteration."""
    made = ctx.builder.maker(condition)
    if made is None or made.target not in COMPARED:
        return
    sign, beyond = COMPARED[made.target]
    for k, turn in ((0, 1), (1, -1)):
        integer, other = made.args[k], made.args[1 - k]
        start, trend = ctx.trends.get(integer, (None, 0))
        limit = plus(counts(other), turn * beyond)
        if trend == turn * sign:
            note_bounds(integer, *((start, limit) if trend > 0 else (limit, start)))


def _trends(
    ctx: Lowering, op: Loop, before: Mapping[Key, Entity], entry: Mapping[Key, Entity]
) -> dict[Key, int]:
    """The variables that a loop with slices counts up or down by fixed numbers, or multiplies."""
    slices = (each for each in ops_of(op.body) if isinstance(each, Call) and each.target == "builtins.slice")
    if not op.tests or next(slices, None) is None:
        return {}
    found: dict[Key, int] = {}
    for key, now in entry.items():
        start, then = before.get(key), ctx.variables.get(key)
        if isinstance(start, Value) and isinstance(now, Value) and isinstance(then, Value) and now is not then:
            found[key] = _trend(now, then, counts(start))
    return {key: trend for key, trend in found.items() if trend}


def _trend(now: Value, then: Value, first: Size) -> int:
    """1 for an integer that grows in an iteration, -1 for one that gets less, 0 where neither is known."""
    a, b = counts(now), counts(then)
    change = minus(b, a)
    if isinstance(change, int):
        return (change > 0) - (change < 0)
    factors = dict(terms_of(b)) if isinstance(b, Dim) and not b.offset else {}
    return int(least_of(first) > 0 and factors.keys() == {now} and factors[now] > 0)


def _follow_shared(
    ctx: Lowering, key: Key | None, here: Entity | None, there: Entity | None, arms: tuple[Mapping[Key, Entity], ...]
) -> bool:
    """Meeting of two lists in one name, of which one has another name, too: their items are to be followed one by one."""
    pair = [one for one in (here, there) if isinstance(one, Struct) and one.kind == "list"]
    shared = here is not there and len(pair) == 2 and any(
        entity is one and other != key for one in pair for arm in arms for other, entity in arm.items()
    )
    for one in pair if shared else ():
        ctx.follow_items(one)
    return shared


def or_looped(ctx: Lowering, written_out: Callable[[], bool], looped: Callable[[], None]) -> None:
    """The iterations of a loop one by one; where these cannot be lowered, the loop."""
    here = ctx.mark()
    try:
        written_out()
    except (ReturnsFunctions, CompilerError):
        raise
    except S2sadError:
        ctx.reset(here)
        looped()


def or_written_out(ctx: Lowering, looped: Callable[[], None], written_out: Callable[[], bool]) -> None:
    """A loop; where what changes in it is no run-time value, and it is known how often it runs, its iterations one by one.

    Where neither can be, the loop's own reason is told.
    """
    here = ctx.mark()
    try:
        looped()
    except (ReturnsFunctions, CompilerError):
        raise
    except S2sadError as error:
        reached = ctx.mark()
        ctx.reset(here)
        try:
            done = written_out()
        except ReturnsFunctions:
            raise
        except S2sadError:
            done = False
        if not done:
            ctx.reset(reached)
            raise error


def _written_out(
    ctx: Lowering, test: Callable[[], Value], body: Callable[[], None], node: gast.AST, breaks: Callable[[], Value | None],
    left: int = MOST_ITERATIONS,
) -> bool:  # fmt: skip
    """A while loop written out, as one that follows a linked list is; False if nothing tells that it ends."""
    if left == 0:
        return False
    done = True

    def more() -> None:
        nonlocal done
        body()
        flag = breaks()
        broken = False if flag is None else truth(ctx, flag)
        if broken is None:
            assert flag is not None
            branch(ctx, flag, lambda: None, rest, node)
        elif not broken:
            rest()

    def rest() -> None:
        nonlocal done
        done = done and _written_out(ctx, test, body, node, breaks, left - 1)

    asked = test()
    if truth(ctx, asked) is None and left > MOST_NESTED:
        left = MOST_NESTED
    branch(ctx, asked, more, lambda: None, node)
    return done


def _while_true(
    ctx: Lowering,
    test: Callable[[], Value],
    body: Callable[[], None],
    node: gast.AST,
    breaks: Callable[[], Value | None],
    snapshots: Value | None,
) -> None:
    """A loop whose condition is evaluated in the body, and ends it."""
    key = (Record("loop", "own"), "goes on")

    def whole() -> None:
        ctx.variables[key] = test()
        branch(ctx, ctx.value(ctx.variables[key], node), body, lambda: None, node)

    def left() -> Value:
        done = ctx.builder.call("operator.not_", ctx.value(ctx.variables[key], node))
        broken = breaks()
        if broken is None:
            return done
        return ctx.value(short_circuit(ctx, done, lambda: broken, False, node), node)  # the body alone tells whether it breaks

    while_loop(ctx, lambda: Const(True), whole, node, left, snapshots)
    ctx.variables.pop(key, None)


def _stabilise(
    ctx: Lowering, op: Loop, attempt: Callable[[list[Value]], None], node: gast.AST | None
) -> None:
    """Lower the body until what it carries, and its kinds, no longer change; then append the loop.

    In the first rounds of the outermost loop, those in it take one round each: were each stable before the one around it goes
    on, the innermost would be lowered once more for each around it. What fails in a round that leaves something open may do
    so for that alone: then each is lowered until it is stable.
    """
    if ctx.visit is not None:
        _rounds(ctx, op, attempt, ctx.visit.next(node), 0)
        return
    here, visit = ctx.mark(), Visit()
    try:
        done = _rounds(ctx, op, attempt, visit, PASSES)
    except S2sadError:
        if visit.settled:
            raise
        done = False
    if not done:
        ctx.reset(here)
        _rounds(ctx, op, attempt, Visit(), 0)


def _rounds(
    ctx: Lowering, op: Loop, attempt: Callable[[list[Value]], None], visit: Visit, passes: int
) -> bool:
    """Lower the body until it is stable, at first for so many passes over the loops in it; False where one ends with less."""
    before, at_first = dict(ctx.variables), dict(ctx.variables)
    known_keys = layouts(ctx)
    owners = _owners(ctx, known_keys)
    around = ctx.visit
    slots = visit.recall(ctx, before, _start)
    lifted: dict[Key, int] = {}
    born = len(ctx.births)
    told: dict[Record, set[object]] = {}
    trends: dict[Key, int] = {}
    unsure: set[Key] = set()  # which do not go on as they began
    sole = sole_lists(ctx, before)
    round_ = 0
    while round_ < ROUNDS:
        if around is None:
            visit.passes, visit.settled = passes > 0, True
        for key in _with_defaults(known_keys, before):
            slots.pop(key, None)
        ctx.variables = dict(before)
        restore_layouts(known_keys)
        params: list[Value] = []
        for key, kinds in slots.items():
            start = _start(ctx, before, key)
            name = str(key[1]) if isinstance(key[1], str | Bound) and not isinstance(start, Struct | Choice) else None
            fresh = [_carried(leaf, kind, name) for leaf, kind in zip(values_of(start), kinds, strict=True)]
            params += fresh
            if key in trends and isinstance(start, Value):
                ctx.trends[fresh[0]] = counts(start), trends[key]
            if isinstance(start, Undef):
                ctx.unborn.update(fresh)
            ctx.variables[key] = as_record(ctx, callables_restored(with_values(start, iter(fresh))), MERGED)
            if key in sole:
                ctx.displays.add(ctx.variables[key])
        entry = dict(ctx.variables)
        seen = len(ctx.widened)
        ctx.loops.append(op)
        ctx.visit = visit
        visit.begin()
        try:
            completes = _completes(ctx, lambda: attempt(params))  # noqa: B023  (called at once)
        finally:
            ctx.visit = around
        ctx.loops.pop()
        if not completes:
            ctx.variables = at_first
            restore_layouts(known_keys)
            return visit.settled
        changed = [k for k, v in ctx.variables.items() if entry.get(k) is not v and _lasting(k, owners)]
        shared = sole.intersection(changed) - sole_lists(ctx, ctx.variables)
        sole -= shared
        outer = [birth for birth in ctx.widened[seen:] if birth < born]
        news = _appeared(known_keys, told)
        found = _trends(ctx, op, before, entry)
        unsure.update(key for key in trends if found.get(key) != trends[key])
        found = {key: trend for key, trend in found.items() if key not in unsure}
        stable = not _widen(ctx, op, slots, lifted, changed, before, round_) and not outer and not news and not shared
        if stable and found == trends and visit.settled:
            break
        if around is not None and visit.whole.passes:
            visit.whole.settled = False
            _carry(op, len(params), slots)
            break
        trends = found
        if visit.settled:
            round_ += 1
        else:
            passes -= 1
    else:
        _refuse_lasting_change(op)
    visit.remember(ctx, at_first, before, slots, _start)
    join_layouts(known_keys, IN_A_LOOP)
    _finish(ctx, op, slots, before)
    ctx.displays.update(ctx.variables[key] for key in sole if key in slots)
    return True


def _refuse_lasting_change(op: Loop) -> NoReturn:
    raise UnsupportedSyntaxError(
        "a loop that gives what it carries another form at each turn is not supported in a differentiated function",
        location=op.loc, why="objects that are put into each other, say, have no form that lasts",
        instead="objects that are put together before the loop, or numbers and arrays that stand for them",
    )  # fmt: skip


def _carry(op: Loop, carried: int, slots: dict[Key, list[Kind]]) -> None:
    """Parameters of a loop that is lowered again for what it was found to carry, in place of those that it had."""
    for block in op.blocks():
        block.params[len(block.params) - carried :] = [Value(kind) for kinds in slots.values() for kind in kinds]


def _appeared(known: dict[Record, list[object]], told: dict[Record, set[object]]) -> bool:
    """Note which keys and fields the body of a loop adds or removes: its next iteration finds other ones than the first.

    Returns whether any of these is news, so that the body has to be lowered again: what asks for such a key is not answered as
    in the first iteration.
    """
    news = False
    for box, keys in known.items():
        names = (set(box.keys) ^ set(keys)) - told.get(box, set())
        if names:
            news = True
            told.setdefault(box, set()).update(names)
            box.appears |= names
            box.unsure = box.unsure or IN_A_LOOP
    return news


def _with_defaults(known: dict[Record, list[object]], before: dict[Key, Entity]) -> list[Key]:
    """A number that the class has under the name of a field that appears in a loop is the field's from the beginning."""
    new: list[Key] = []
    for box, keys in known.items():
        for name in box.appears - set(keys) if box.cls is not None and not box.through else ():
            default = observe.member(box.cls, str(name)) if box.cls is not None else observe.ABSENT
            if isinstance(default, bool | int | float | str | type(None)):
                keys.append(name)
                before[(box, name)] = Const(default)
                before.pop((box, Bound(name)), None)
                new += [(box, name), (box, Bound(name))]
    return new


def _completes(ctx: Lowering, attempt: Callable[[], None]) -> bool:
    """Lower the body of a loop; False if it cannot tell what it does, so that only the path around it counts."""

    def body() -> None:
        attempt()

    return _arm(ctx, ctx.builder.block, body)[1] is None


def _start(ctx: Lowering, before: dict[Key, Entity], key: Key) -> Entity:
    """The entity of a variable before the loop, with records and functions taken as what they hold then."""
    return callables_apart(as_struct(ctx, before.get(key, Undef()), before, lasting=referring.lasting(ctx, before)))


def _carried(leaf: Value, kind: Kind, name: str | None) -> Value:
    """A carried parameter for a leaf, under the variable's name."""
    return Value(kind, name or leaf.name)


def _widen(
    ctx: Lowering,
    op: Loop,
    slots: dict[Key, list[Kind]],
    lifted: dict[Key, int],
    changed: list[Key],
    before: dict[Key, Entity],
    round_: int,
) -> bool:
    """Add slots for newly changed variables and widen the kinds of known ones; False when nothing is new."""
    again = False
    behind = Leaving(lambda: values_in(op.blocks()))
    lasting = referring.lasting(ctx, before)
    for key in [*changed, *bound.meeting(changed, before, ctx.variables)]:
        first, end = referring.meeting(ctx, before.get(key, Undef()), ctx.variables[key], lasting)
        if key in before:
            before[key] = first
        start = _start(ctx, before, key)
        ctx.displays -= displays_in(before.get(key, Undef()), end)
        dicts = places_of_dicts(before.get(key), end)
        if holds_records(end, lasting) and not isinstance(now := as_struct(ctx, end, lasting=lasting), Top):
            seal(ctx, before.get(key, end), MERGED, lasting)
            seal(ctx, end, MERGED, lasting)
            end = now
        end = callables_apart(end)
        if isinstance(start, Undef) and key not in before:
            # born in the body: of no use in the next iteration, but perhaps after the loop
            if holds_records(end, lasting):
                before[key] = Top("it is an object of the last iteration of a loop", dicts)
                continue
            start = before[key] = absent(end)
            lifted[key] = LIFTS  # it comes as it is
            for leaf, now in zip(flatten(start), flatten(end), strict=True):
                if isinstance(leaf, Undef) and isinstance(now, Value):
                    leaf.name = now.name or (key[1] if isinstance(key[1], str) else None)
        common, end = alike(ctx, start, end, (ctx.builder.block, op.body))
        if common is not start:
            again |= slots.pop(key, None) is not None
            lifted[key] = lifted.get(key, 0) + 1
            start = before[key] = common if lifted[key] <= LIFTS else Top(CHANGES, dicts)
        if not mergeable(start, end) or unlike(ctx, list(flatten(start)), list(flatten(end)), looped=True):
            if start is not end:
                again |= not isinstance(before.get(key), Top)  # the body may have read what it was
                before[key] = Top(CHANGES, dicts)
            again |= slots.pop(key, None) is not None
            continue
        old = slots.get(key)
        if old is None:
            old = [leaf.kind for leaf in values_of(start)]
            again = True
        new = [_met_again(k, e.kind, behind) for k, e in zip(old, values_of(end), strict=True)]
        if round_ > 6:
            new = [k if k == o else _coarser(k, round_) for k, o in zip(new, old, strict=True)]
        if key not in slots or new != old:
            again = True
        slots[key] = new
    return again


def _met_again(kind: Kind, end: Kind, behind: Leaving) -> Kind:
    """The kind of what a loop carries, where an iteration ends with another one: sizes that this one has computed are others in
    the next, unless it is known that they are what they were."""
    lasting = behind.kind(end)
    if lasting != end and join(kind, end) == kind:
        return kind
    return join(kind, lasting)


def _coarser(kind: Kind, round_: int) -> Kind:
    if isinstance(kind, Array) and round_ < 9:
        return replace(kind, shape=None if kind.shape is None else (None,) * len(kind.shape))
    return UNKNOWN


def _finish(ctx: Lowering, op: Loop, slots: dict[Key, list[Kind]], before: dict[Key, Entity]) -> None:
    """Set what the loop carries, append it, and bind the variables to its results."""
    lasting = referring.lasting(ctx, before)
    met = {key: referring.meeting(ctx, before.get(key, Undef()), ctx.variables[key], lasting)[1] for key in slots}
    ends = {key: callables_apart(as_struct(ctx, end, lasting=lasting)) for key, end in met.items()}
    starts = {key: _start(ctx, before, key) for key in slots}
    ends = {key: alike(ctx, starts[key], end, (ctx.builder.block, op.body))[1] for key, end in ends.items()}
    ctx.variables = before
    behind = Leaving(lambda: values_in(op.blocks()))
    for key, kinds in slots.items():
        results: list[Value] = []
        start = starts[key]
        for leaf, end, kind in zip(values_of(start), values_of(ends[key]), kinds, strict=True):
            op.init.append(leaf)
            op.body.yields.append(end)
            name = (
                str(key[1])
                if isinstance(key[1], str | Bound) and not isinstance(start, Struct | Choice)
                else (leaf.name or end.name)
            )
            results.append(Value(kind if kind != BOTTOM else behind.kind(end.kind), name))
        op.results += results
        ctx.variables[key] = as_record(ctx, callables_restored(with_values(start, iter(results))), MERGED)
    ctx.builder.append(op)


@contextmanager
def scratch(ctx: Lowering) -> Iterator[Block]:
    """Lower into a block that is thrown away, and with it what became of the records."""
    here = ctx.mark()
    with ctx.builder.inside(Block()) as block:
        yield block
    ctx.reset(here)
