"""Iterators: ``itertools`` and ``filter``, as iterations over what is known or indexed.

Where all items are known, they are chosen and paired at compile time. Otherwise an iteration has a length and reads its
k-th item; ``itertools.combinations(xs, 2)`` runs over a table of index pairs that is made at run time.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from s2sad.frontend.entities import Entity, Iteration, Record, Static, Struct, check_length
from s2sad.frontend.lower import iterator_definitions as definitions
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.assignment import unpacked
from s2sad.frontend.lower.dispatch import apply, lower
from s2sad.frontend.lower.iteration import (
    all_items,
    defined,
    in_steps,
    indexed,
    is_lazy,
    later,
    of_entity,
    pool,
    spent,
    with_position,
)
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE
from s2sad.ir.nodes import Const, Value
from s2sad.ir.pure import MAX_LENGTH

Arguments = list[Entity]
Options = dict[str, Entity]


def _known(items: Iterable[Entity]) -> Iteration:
    """An iteration over items that are known one by one; a lazy one may have more than anybody wants."""
    found = list(itertools.islice(items, MAX_LENGTH + 1))
    check_length(len(found))
    return Iteration(items=found, once=True)


def _integer(ctx: Lowering, entity: Entity, node: Any, what: str) -> int:
    if isinstance(entity, Const) and isinstance(entity.payload, int):
        return entity.payload
    ctx.refuse(node, f"{what} that is computed", "how many items there are must be known", "a literal number")


def _choices(name: str) -> Callable[..., Entity]:
    """``combinations``, ``permutations`` and ``combinations_with_replacement``."""

    def handler(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
        it = pool(ctx, args[0], node)
        it = it if it.direct is None or (shown := all_items(ctx, it, node)) is None else Iteration(items=shown)
        size = args[1] if len(args) > 1 else kwargs.get("r")
        if size is None and it.items is None:
            ctx.refuse(
                node, f"{name} without r", "how many items there are must be known", "r as a literal number"
            )
        r = len(it.items or []) if size is None else _integer(ctx, size, node, "r")
        if it.items is not None:
            shown = it.items
            rows = ctx.known(node, lambda: list(getattr(itertools, name)(shown, r)), f"this call of {name}", "a size from 0 on")
            return _known(Struct(list(row)) for row in rows)
        length, item = indexed(ctx, it, node)
        table = ctx.builder.call("s2sad.runtime.choices", Const(name), length, Const(r))

        def row(index: Value) -> Entity:
            places = [ctx.builder.call("operator.getitem", table, _pair(ctx, index, k, node)) for k in range(r)]
            return Struct([item(place) for place in places])

        return Iteration(length=ctx.builder.call("builtins.len", table), item=row, once=True)

    return handler


def _pair(ctx: Lowering, index: Value, position: int, node: Any) -> Value:
    return ctx.value(Struct([index, Const(position)]), node)


def _product(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    its = [pool(ctx, arg, node) for arg in args]
    times = _integer(ctx, kwargs.get("repeat", Const(1)), node, "repeat")
    ctx.known(node, lambda: itertools.product(repeat=times), "this call of product", "a number from 0 on")
    check_length(len(its) * times)
    its = its * times
    if all(it.items is not None for it in its):
        return _known(Struct(list(row)) for row in itertools.product(*(it.items or [] for it in its)))
    pairs = [indexed(ctx, it, node) for it in its]
    total: Value = Const(1)
    for length, _ in pairs:
        total = arithmetic(ctx, "operator.mul", total, length)

    def row(index: Value) -> Entity:
        items: list[Entity] = []
        for length, item in reversed(pairs):
            items.insert(0, item(arithmetic(ctx, "operator.mod", index, length)))
            index = arithmetic(ctx, "operator.floordiv", index, length)
        return Struct(items)

    return Iteration(length=total, item=row, once=True)





def _repeat(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if times is None:
        return Iteration(item=lambda _: args[0], endless=True, once=True)
    if isinstance(times, Const) and isinstance(times.payload, int) and times.payload <= MAX_LENGTH:
        return _known([args[0]] * max(0, times.payload))
    return Iteration(length=ctx.value(times, node), item=lambda _: args[0], once=True)


def _count(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    start = ctx.value((args + [kwargs.get("start", Const(0))])[0], node)
    step = ctx.value(args[1] if len(args) > 1 else kwargs.get("step", Const(1)), node)

    def item(index: Value) -> Entity:
        one = isinstance(step, Const) and step.payload == 1
        return arithmetic(
            ctx, "operator.add", start, index if one else arithmetic(ctx, "operator.mul", step, index)
        )

    return with_position(ctx, Iteration(item=item, endless=True, once=True))


def _cycle(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    length, item = indexed(ctx, pool(ctx, args[0], node), node)
    return Iteration(item=lambda i: item(arithmetic(ctx, "operator.mod", i, length)), endless=True, once=True)


def _cycled(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    made = _lazy(_cycle, definitions.cycled)(ctx, args, kwargs, node)
    fixed = isinstance(args[0], Struct) and args[0].kind == "tuple" and all(isinstance(v, Value) for v in args[0].items)
    return with_position(ctx, made) if fixed and isinstance(made, Iteration) else made


def _pairwise(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(ctx, args[0], node)
    spent(ctx, it)
    if it.items is not None:
        return _known([Struct([a, b]) for a, b in itertools.pairwise(it.items)])
    length, item = indexed(ctx, it, node)
    shorter = arithmetic(ctx, "operator.sub", length, Const(1))  # a range of -1 items is empty, too

    def pair(index: Value) -> Entity:
        return Struct([item(index), item(arithmetic(ctx, "operator.add", index, Const(1)))])

    return Iteration(length=shorter, item=pair, once=True)


def _tee(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    """Iterators over items that nobody else holds: of what is changed later, ``tee`` would see that or not."""
    count = args[1] if len(args) > 1 else kwargs.get("n", Const(2))
    given, own = args[0], _is_own(ctx, args[0], node)
    if not isinstance(count, Const) or not own:
        why = "what others hold may change before it is taken" if not own else "how many there are is known only when it runs"
        ctx.refuse(node, "this call of itertools.tee", why, "tee(list(items)), which takes the items as they are now")
    listed = apply(ctx, Static(list, "builtins.list"), [given], {}, node)
    return Struct([apply(ctx, Static(iter, "builtins.iter"), [listed], {}, node) for _ in range(count.payload)])


def _is_own(ctx: Lowering, given: Entity, node: Any) -> bool:
    """Test for a tuple, or for a list that is made in this very place."""
    written = node.args[0] if isinstance(node, gast.Call) and node.args else None
    if isinstance(given, Struct) and given.kind == "tuple" or isinstance(written, gast.List | gast.ListComp):
        return True
    if not isinstance(written, gast.Call) or not isinstance(written.func, gast.Name):
        return False
    made = lower(ctx, written.func)
    return isinstance(made, Static) and made.payload in (list, tuple, sorted)


def _islice(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(ctx, args[0], node)
    spent(ctx, it)
    bounds = [ctx.value(arg, node) for arg in args[1:]]
    if it.items is not None and all(isinstance(bound, Const) for bound in bounds):
        items, cuts = it.items, [b.payload for b in bounds if isinstance(b, Const)]
        return _known(ctx.known(node, lambda: list(itertools.islice(items, *cuts)), "this islice", "bounds from 0 on"))
    start: Value = bounds[0] if len(bounds) > 1 and bounds[0].kind != NONE else Const(0)
    stop = bounds[0] if len(bounds) == 1 else bounds[1]
    step = bounds[2] if len(bounds) > 2 and bounds[2].kind != NONE else Const(1)
    if it.endless:
        if stop.kind == NONE or it.item is None:
            ctx.refuse(node, "this islice", "it never ends", "a stop")
        item_at, last = it.item, stop
    else:
        length, item_at = indexed(ctx, it, node)
        last = length if stop.kind == NONE else ctx.builder.call("builtins.min", stop, length)
    span = ctx.builder.call("builtins.range", start, last, step)
    places: Callable[[Value], Value] = lambda i: ctx.builder.call("operator.getitem", span, i)  # noqa: E731
    return Iteration(
        length=ctx.builder.call("builtins.len", span), item=lambda i: item_at(places(i)), once=True
    )



def _is_none(entity: Entity) -> bool:
    return isinstance(entity, Value) and entity.kind == NONE


def _starmap(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(ctx, args[1], node)
    spent(ctx, it)

    def one(item: Entity) -> Entity:
        return apply(ctx, args[0], unpacked(ctx, item, None, node), {}, node)

    if it.items is not None:
        found = [one(item) for item in it.items]
        it.check()
        return _known(found)
    length, item_at = indexed(ctx, it, node)
    return Iteration(length=length, item=lambda i: one(item_at(i)), once=True)


def _zip_longest(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return later(ctx, lambda: _longest(ctx, args, kwargs, node))


def _longest(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    begun = [arg for arg in args if isinstance(arg, Record) and arg.kind == "iterator"]  # a look at their items takes them
    if len(set(begun)) < len(begun):
        ctx.refuse(node, "zip_longest of one iterator twice", "each would take items from the other", "slices: xs[::2], xs[1::2]")
    columns = [] if begun else [all_items(ctx, of_entity(ctx, arg, node), node) for arg in args]
    known = [column for column in columns if column is not None]
    if begun or len(known) < len(columns):
        fill = kwargs.get("fillvalue", Const(None))
        return defined(ctx, definitions.longest, [fill, *args], node)
    rows = itertools.zip_longest(*known, fillvalue=kwargs.get("fillvalue", Const(None)))
    return _known([Struct(list(row)) for row in rows])




def _filter(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    if _is_none(args[0]):
        return defined(ctx, definitions.those_true, args[1:], node)
    return defined(ctx, definitions.filtered, args, node)


def _by_definition(definition: Any) -> Callable[..., Entity]:
    def handler(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
        return defined(ctx, definition, args, node, kwargs)

    return handler


def _lazy(handler: Callable[..., Entity], definition: Any) -> Callable[..., Entity]:
    """An iterator that looks at what it runs over, and calls functions, when it is used; of a generator by its definition."""

    def lazily(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
        if any(map(is_lazy, args)):
            return defined(ctx, definition, args, node)
        calls = any(isinstance(arg, Struct | Iteration) for arg in args[1:]) if handler is _starmap else False
        steps = functools.partial(defined, ctx, definition, args, node)
        return later(ctx, lambda: handler(ctx, args, kwargs, node), stepwise=steps if calls else in_steps(args, steps))

    return lazily



def _sliced(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    if not is_lazy(args[0]):
        return later(ctx, lambda: _islice(ctx, args, kwargs, node))
    start, stop, step = [Const(0), *args[1:], Const(1)] if len(args) == 2 else [*args[1:], Const(1)][:3]
    start, step = Const(0) if _is_none(start) else start, Const(1) if _is_none(step) else step
    if _is_none(stop):
        return defined(ctx, definitions.rest, [args[0], start, step], node)
    return defined(ctx, definitions.sliced, [args[0], start, stop, step], node)


def _decided(definition: Any) -> Callable[..., Entity | None]:
    """``any`` and ``all`` of an iterator."""

    def handler(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
        return defined(ctx, definition, args, node) if isinstance(args[0], Iteration) else None

    return handler


TABLE: dict[Any, Callable[..., Entity | None]] = {
    itertools.combinations: _choices("combinations"),
    itertools.permutations: _choices("permutations"),
    itertools.combinations_with_replacement: _choices("combinations_with_replacement"),
    itertools.product: _product,
    itertools.chain: _by_definition(definitions.chain),
    itertools.chain.from_iterable: _by_definition(definitions.chained),
    itertools.repeat: _repeat,
    itertools.count: _count,
    itertools.cycle: _cycled,
    itertools.tee: _tee,
    itertools.pairwise: _lazy(_pairwise, definitions.pairwise),
    itertools.islice: _sliced,
    itertools.accumulate: _by_definition(definitions.accumulated),
    itertools.starmap: _lazy(_starmap, definitions.starmapped),
    itertools.zip_longest: _zip_longest,
    itertools.groupby: _by_definition(definitions.grouped),
    itertools.takewhile: _by_definition(definitions.takewhile),
    itertools.dropwhile: _by_definition(definitions.dropwhile),
    itertools.compress: _by_definition(definitions.compressed),
    itertools.filterfalse: _by_definition(definitions.filterfalse),
    filter: _filter,
    any: _decided(definitions.any_of),
    all: _decided(definitions.all_of),
    np.fromiter: _by_definition(definitions.taken),
}
