"""Choosing among things that are known at compile time, by an index or key, and doing something with what was chosen.

    table = {"euler": euler, "rk4": rk4}            if method not in ("euler", "rk4"): raise KeyError(method)
    y = table[method](f, y, h)               ==>    if method == "euler": y = euler(f, y, h)
                                                    else: y = rk4(f, y, h)

Whatever is done with a choice is done with each of its alternatives, in branches; what that gives is merged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import gast
import numpy as np

from s2sad.errors import S2sadError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Choice,
    Closure,
    Entity,
    Method,
    Partial,
    SourceFunction,
    Static,
    Struct,
    flatten,
    same_structure,
)
from s2sad.frontend.fence import KnownFailure
from s2sad.frontend.lower import referring
from s2sad.frontend.lower.choices import akin, callables_apart, is_label, label_of
from s2sad.frontend.lower.control import choose, fail, scratch
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.parts import as_struct, seal
from s2sad.frontend.lower.referring import SELECTED
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Other
from s2sad.ir.nodes import Const, Undef, Value

FUNCTIONS = (Static, SourceFunction, Closure, Partial, Method)
Use = Callable[[Entity], Entity]


def each(ctx: Lowering, choice: Choice, use: Use, node: gast.AST) -> Entity:
    """``use(choice)``: of the alternative that it is when the program runs."""
    if isinstance(choice.tag, Const):
        return use(choice.alternatives[choice.labels.index(choice.tag.payload)])
    mixed = not all(map(_is_number, choice.alternatives))

    def arm(k: int) -> Entity:
        if k == len(choice.labels) - 1 and k:
            return used(choice.alternatives[k])
        test = is_label(ctx, choice.tag, choice.labels[k])
        return choose(ctx, test, lambda: used(choice.alternatives[k]), lambda: rest(k), node)

    def rest(k: int) -> Entity:
        if len(choice.labels) > 1:
            return arm(k + 1)
        return fail(ctx, UnboundLocalError, "it is not bound on this path")

    def used(one: Entity) -> Entity:
        try:
            return tried(one)
        except KnownFailure as failure:  # only the running program knows whether it comes here
            return fail(ctx, type(failure.error), *failure.error.args)

    def tried(one: Entity) -> Entity:
        if not mixed or not _is_number(one):
            return use(one)
        try:  # a number among objects: ``total = 0`` before a loop that adds objects to it
            return use(one)
        except S2sadError as error:
            if not observe.refused_late():
                raise
            text = Const(f"{error.message}: it is a number here")
            ctx.builder.call("s2sad.raise", ctx.builder.call("s2sad.runtime.UnsupportedError", text))
            return Undef()

    return arm(0)


def _is_number(entity: Entity) -> bool:
    """Test for a number or array, or a method of one."""
    return isinstance(entity.owner if isinstance(entity, Method) else entity, Value)


def is_of_functions(entity: Entity) -> bool:
    """Test for one of several tuples or lists whose items are no values: no list can hold them when the program runs."""
    parts = entity.alternatives if is_of_tuples(entity) else []
    plain = all(isinstance(part, Struct) and part.cls is None for part in parts)
    return bool(parts) and plain and not all(isinstance(leaf, Value) for part in parts for leaf in flatten(part))


def is_of_tuples(entity: Entity) -> TypeGuard[Choice]:
    """Test for one of several tuples or lists whose items are known one by one."""
    parts = entity.alternatives if isinstance(entity, Choice) else []
    return bool(parts) and all(isinstance(part, Struct) and part.kind in ("tuple", "list") for part in parts)


def as_list(ctx: Lowering, entity: Entity, node: gast.AST) -> Entity:
    """One of several tuples as a list of its items, to be run through; anything else as it is."""
    if is_of_functions(entity):
        return entity
    if isinstance(entity, Choice) and not all(isinstance(one, FUNCTIONS) for one in entity.alternatives):
        return each(ctx, entity, lambda one: apply(ctx, Static(list, "builtins.list"), [one], {}, node), node)
    return entity


def apply_choice(ctx: Lowering, function: Choice, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """A call of one of several functions."""
    return each(ctx, function, lambda one: apply(ctx, one, list(args), dict(kwargs), node), node)


def attribute_of_each(ctx: Lowering, choice: Choice, attr: str, find: Use, node: gast.AST) -> Entity:
    """``choice.attr``: methods are not looked at until they are called; what has no such attribute fails if it is chosen."""

    def found(one: Entity) -> Entity:
        number = _is_number(one) and not hasattr(np.ndarray, attr)
        number = number and not (ctx.kind(one).container or isinstance(ctx.kind(one), Other))
        try:
            if not number:
                return find(one)
        except S2sadError:
            owner = one.payload if isinstance(one, Static) else getattr(one, "cls", None)
            if owner is not None and observe.attribute(owner, attr) is not observe.ABSENT:  # it is there, and cannot be followed
                raise
        return fail(ctx, AttributeError, f"{label_of(one)} has no attribute {attr!r}")

    with scratch(ctx) as trial:
        members = [found(one) for one in choice.alternatives]
    if not trial.ops and all(isinstance(member, FUNCTIONS) for member in members):
        return Choice(choice.tag, choice.labels, members)
    if all(any(isinstance(leaf, Undef) for leaf in flatten(member)) for member in members):
        return find(choice.alternatives[0])
    return each(ctx, choice, found, node)


def question(ctx: Lowering, choice: Choice, ask: Use, node: gast.AST) -> Entity:
    """``isinstance(choice, cls)`` and the like: a comparison of tags where the answer for each alternative is known."""

    def answer(one: Entity) -> bool | None:
        with scratch(ctx):
            found = ask(one)
        return bool(found.payload) if isinstance(found, Const) else None

    return comparison(ctx, choice, answer) or each(ctx, choice, ask, node)


def comparison(ctx: Lowering, choice: Choice, same: Callable[[Entity], bool | None]) -> Value | None:
    """A test of a choice for being one of those for which ``same`` is known to be true; None where it is not known."""
    found = [same(one) for one in choice.alternatives]
    if any(answer is None for answer in found):
        return None
    labels = tuple(label for label, answer in zip(choice.labels, found, strict=True) if answer)
    if len(labels) in (0, len(found)):
        return Const(bool(labels))
    if len(labels) == 1:
        return is_label(ctx, choice.tag, labels[0])
    return ctx.builder.call("operator.contains", Const(labels), choice.tag)


def is_data(entity: Entity) -> bool:
    """Test for one of several objects or values, and not of several functions."""
    return isinstance(entity, Choice) and not all(isinstance(item, FUNCTIONS) for item in entity.alternatives)


# --- by an index or key


def by_index(ctx: Lowering, items: list[Entity], index: Value, node: gast.AST) -> Entity:
    """``items[index]``, with Python's meaning of negative indices; raises IndexError when the program runs."""
    place = ctx.builder.call("operator.getitem", ctx.builder.call("builtins.range", Const(len(items))), index)
    return by_label(ctx, place, tuple(range(len(items))), items, node)


def by_label(ctx: Lowering, tag: Value, labels: tuple[Any, ...], items: list[Entity], node: gast.AST) -> Entity:
    """The item whose label the tag is; it must be that of one of them. Of tuples alike, a tuple of what may differ."""
    if referring.refers(ctx, items):
        return referring.by_index(ctx, items, tag if labels == tuple(range(len(items))) else _position(ctx, tag, labels))
    for item in items:
        seal(ctx, item, SELECTED)
    first = items[0]
    if len(items) == 1 or all(item is first for item in items):
        return first
    if isinstance(first, Struct) and first.cls is None and all(akin(first, item) for item in items):
        columns = zip(*(item.items for item in items if isinstance(item, Struct)), strict=True)
        merged = [by_label(ctx, tag, labels, list(column), node) for column in columns]
        return Struct(merged, first.kind, first.keys, sort=first.sort)
    found = Choice(tag, labels, list(items))
    return each(ctx, found, lambda one: one, node) if all(isinstance(item, Value) for item in items) else found


def _position(ctx: Lowering, tag: Value, labels: tuple[Any, ...]) -> Value:
    """The position of a tag among labels."""
    return ctx.builder.call("list.index", ctx.builder.call("builtins.list", *map(Const, labels)), tag)


def is_selection(ctx: Lowering, items: list[Entity]) -> bool:
    """Test for items that are functions or objects and differ in more than values, so that only branches can choose one."""
    if referring.refers(ctx, items):
        return True
    forms = [callables_apart(as_struct(ctx, item)) for item in items]
    plain = all(isinstance(leaf, Value) for form in forms for leaf in flatten(form))
    if plain and all(same_structure(forms[0], form) for form in forms[1:]):
        return False
    return not plain or any(isinstance(form, Struct) and form.cls is not None for form in forms)
