"""Iterators: ``itertools`` and ``filter``, as iterations over what is known or indexed.

Where all items are known, they are chosen and paired at compile time. Otherwise an iteration has a length and reads its
k-th item; ``itertools.combinations(xs, 2)`` runs over a table of index pairs that is made at run time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from s2sad.frontend.entities import Aggregate, Entity, Iteration, check_length
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.assignment import unpacked
from s2sad.frontend.lower.builtin_calls import fold
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.iteration import indexed, later, of_entity, pool, spent
from s2sad.frontend.lower.lists import append as append_to
from s2sad.frontend.lower.lists import new_list
from s2sad.frontend.lower.operators import binary_op
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


def _integer(lw: Lowering, entity: Entity, node: Any, what: str) -> int:
    if isinstance(entity, Const) and isinstance(entity.payload, int):
        return entity.payload
    lw.refuse(node, f"{what} that is computed", "how many items there are must be known", "a literal number")


def _choices(name: str) -> Callable[..., Entity]:
    """``combinations``, ``permutations`` and ``combinations_with_replacement``."""

    def handler(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
        it = pool(lw, args[0], node)
        size = args[1] if len(args) > 1 else kwargs.get("r")
        if size is None and it.items is None:
            lw.refuse(
                node, f"{name} without r", "how many items there are must be known", "r as a literal number"
            )
        r = len(it.items or []) if size is None else _integer(lw, size, node, "r")
        if it.items is not None:
            rows = getattr(itertools, name)(it.items, r)
            return _known(Aggregate(list(row)) for row in rows)
        length, item = indexed(lw, it, node)
        table = lw.builder.call("s2sad.runtime.choices", Const(name), length, Const(r))

        def row(index: Value) -> Entity:
            places = [lw.builder.call("operator.getitem", table, _pair(lw, index, k, node)) for k in range(r)]
            return Aggregate([item(place) for place in places])

        return Iteration(length=lw.builder.call("builtins.len", table), item=row, once=True)

    return handler


def _pair(lw: Lowering, index: Value, position: int, node: Any) -> Value:
    return lw.value(Aggregate([index, Const(position)]), node)


def _product(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    its = [pool(lw, arg, node) for arg in args]
    times = _integer(lw, kwargs.get("repeat", Const(1)), node, "repeat")
    check_length(len(its) * times)
    its = its * times
    if all(it.items is not None for it in its):
        return _known(Aggregate(list(row)) for row in itertools.product(*(it.items or [] for it in its)))
    pairs = [indexed(lw, it, node) for it in its]
    total: Value = Const(1)
    for length, _ in pairs:
        total = arithmetic(lw, "operator.mul", total, length)

    def row(index: Value) -> Entity:
        items: list[Entity] = []
        for length, item in reversed(pairs):
            items.insert(0, item(arithmetic(lw, "operator.mod", index, length)))
            index = arithmetic(lw, "operator.floordiv", index, length)
        return Aggregate(items)

    return Iteration(length=total, item=row, once=True)


def _chain(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    its = [of_entity(lw, arg, node) for arg in args]
    if all(it.items is not None for it in its):
        return _known([item for it in its for item in it.items or []])
    fresh = new_list(lw)
    for it in its:
        _append_all(lw, fresh, it, node)
    return fresh


def chain_from(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    outer = of_entity(lw, args[0], node)
    if outer.items is not None:
        return _chain(lw, outer.items, {}, node)
    fresh = new_list(lw)
    length, item = indexed(lw, outer, node)
    control.counted_loop(
        lw, length, lambda i: _append_all(lw, fresh, of_entity(lw, item(i), node), node), node
    )
    return fresh


def _append_all(lw: Lowering, fresh: Value, it: Iteration, node: Any) -> None:
    def append(entity: Entity) -> None:
        append_to(lw, fresh, entity, node)

    if it.items is not None:
        for item in it.items:
            append(item)
        return
    length, item_at = indexed(lw, it, node)
    control.counted_loop(lw, length, lambda i: append(item_at(i)), node)


def _repeat(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if times is None:
        return Iteration(item=lambda _: args[0], endless=True, once=True)
    if isinstance(times, Const) and isinstance(times.payload, int) and times.payload <= MAX_LENGTH:
        return _known([args[0]] * max(0, times.payload))
    return Iteration(length=lw.value(times, node), item=lambda _: args[0], once=True)


def _count(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    start = lw.value((args + [kwargs.get("start", Const(0))])[0], node)
    step = lw.value(args[1] if len(args) > 1 else kwargs.get("step", Const(1)), node)

    def item(index: Value) -> Entity:
        one = isinstance(step, Const) and step.payload == 1
        return arithmetic(
            lw, "operator.add", start, index if one else arithmetic(lw, "operator.mul", step, index)
        )

    return Iteration(item=item, endless=True, once=True)


def _cycle(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    length, item = indexed(lw, pool(lw, args[0], node), node)
    return Iteration(item=lambda i: item(arithmetic(lw, "operator.mod", i, length)), endless=True, once=True)


def _pairwise(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(lw, args[0], node)
    spent(lw, it)
    if it.items is not None:
        return _known([Aggregate([a, b]) for a, b in itertools.pairwise(it.items)])
    length, item = indexed(lw, it, node)
    shorter = arithmetic(lw, "operator.sub", length, Const(1))  # a range of -1 items is empty, too

    def pair(index: Value) -> Entity:
        return Aggregate([item(index), item(arithmetic(lw, "operator.add", index, Const(1)))])

    return Iteration(length=shorter, item=pair, once=True)


def _islice(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(lw, args[0], node)
    spent(lw, it)
    bounds = [lw.value(arg, node) for arg in args[1:]]
    if it.items is not None and all(isinstance(bound, Const) for bound in bounds):
        return _known(list(itertools.islice(it.items, *(b.payload for b in bounds if isinstance(b, Const)))))
    start: Value = bounds[0] if len(bounds) > 1 and bounds[0].kind != NONE else Const(0)
    stop = bounds[0] if len(bounds) == 1 else bounds[1]
    step = bounds[2] if len(bounds) > 2 and bounds[2].kind != NONE else Const(1)
    if it.endless:
        if stop.kind == NONE or it.item is None:
            lw.refuse(node, "this islice", "it never ends", "a stop")
        item_at, last = it.item, stop
    else:
        length, item_at = indexed(lw, it, node)
        last = length if stop.kind == NONE else lw.builder.call("builtins.min", stop, length)
    span = lw.builder.call("builtins.range", start, last, step)
    places: Callable[[Value], Value] = lambda i: lw.builder.call("operator.getitem", span, i)  # noqa: E731
    return Iteration(
        length=lw.builder.call("builtins.len", span), item=lambda i: item_at(places(i)), once=True
    )


def _accumulate(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    function = args[1] if len(args) > 1 else kwargs.get("func", Const(None))
    start = kwargs.get("initial", Const(None))

    def step(a: Entity, b: Entity) -> Entity:
        if isinstance(function, Value) and function.kind == NONE:
            return binary_op(lw, gast.Add, a, b, node)
        return apply(lw, function, [a, b], {}, node)

    it = of_entity(lw, args[0], node)
    first = None if isinstance(start, Value) and start.kind == NONE else start
    if it.items is not None:
        totals = list(itertools.accumulate(it.items if first is None else [first, *it.items], step))
        return _known(totals)
    fresh = new_list(lw)
    length, item = indexed(lw, it, node)

    def push(entity: Entity) -> Entity:
        append_to(lw, fresh, entity, node)
        return entity

    if first is not None:
        fold(lw, push(first), Iteration(length=length, item=item), lambda a, b: push(step(a, b)), node)
        return fresh

    def some() -> None:
        rest = arithmetic(lw, "operator.sub", length, Const(1))
        later = Iteration(length=rest, item=lambda i: item(arithmetic(lw, "operator.add", i, Const(1))))
        fold(lw, push(item(Const(0))), later, lambda a, b: push(step(a, b)), node)

    control.branch(lw, arithmetic(lw, "operator.gt", length, Const(0)), some, lambda: None, node)
    return fresh


def _starmap(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(lw, args[1], node)
    spent(lw, it)

    def one(item: Entity) -> Entity:
        return apply(lw, args[0], unpacked(lw, item, None, node), {}, node)

    if it.items is not None:
        return _known([one(item) for item in it.items])
    length, item_at = indexed(lw, it, node)
    return Iteration(length=length, item=lambda i: one(item_at(i)), once=True)


def _zip_longest(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    its = [of_entity(lw, arg, node) for arg in args]
    if any(it.items is None for it in its):
        lw.refuse(
            node, "zip_longest of these", "how many items there are must be known", "zip, and the rest apart"
        )
    rows = itertools.zip_longest(
        *(it.items or [] for it in its), fillvalue=kwargs.get("fillvalue", Const(None))
    )
    return _known([Aggregate(list(row)) for row in rows])


def _lazy(handler: Callable[..., Entity]) -> Callable[..., Entity]:
    """An iterator that looks at what it runs over, and calls functions, when it is used."""

    def lazily(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
        return later(lw, lambda: handler(lw, args, kwargs, node))

    return lazily


def _filter(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    function = args[0]
    none = isinstance(function, Value) and function.kind == NONE

    def wanted(item: Entity) -> Entity:
        return item if none else apply(lw, function, [item], {}, node)

    it = of_entity(lw, args[1], node)
    if it.items is not None:
        tests = [wanted(item) for item in it.items]
        known = [control.truth(lw, test) for test in tests]
        if None not in known:
            return _known([item for item, keep in zip(it.items, known, strict=True) if keep])
    fresh = new_list(lw)

    def keep(item: Entity, test: Entity) -> None:
        def append() -> None:
            append_to(lw, fresh, item, node)

        control.branch(lw, test, append, lambda: None, node)

    if it.items is not None:
        for item, test in zip(it.items, tests, strict=True):
            keep(item, test)
        return fresh
    length, item_at = indexed(lw, it, node)

    def one(index: Value) -> None:
        item = item_at(index)
        keep(item, wanted(item))

    control.counted_loop(lw, length, one, node)
    return fresh


def _fromiter(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
    """``np.fromiter(items, dtype)``: an array of the list of the items."""
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
    it = of_entity(lw, args[0], node)
    fresh = new_list(lw)
    _append_all(lw, fresh, it, node)
    named = {} if dtype is None else {"dtype": lw.value(dtype, node)}
    return lw.builder.call("numpy.array", fresh, **named)


TABLE: dict[Any, Callable[..., Entity | None]] = {
    itertools.combinations: _choices("combinations"),
    itertools.permutations: _choices("permutations"),
    itertools.combinations_with_replacement: _choices("combinations_with_replacement"),
    itertools.product: _product,
    itertools.chain: _lazy(_chain),
    itertools.chain.from_iterable: _lazy(chain_from),
    itertools.repeat: _repeat,
    itertools.count: _count,
    itertools.cycle: _lazy(_cycle),
    itertools.pairwise: _lazy(_pairwise),
    itertools.islice: _lazy(_islice),
    itertools.accumulate: _lazy(_accumulate),
    itertools.starmap: _lazy(_starmap),
    itertools.zip_longest: _lazy(_zip_longest),
    filter: _lazy(_filter),
    np.fromiter: _fromiter,
}
