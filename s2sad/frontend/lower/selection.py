"""Choosing among things that are known at compile time, by an index or key, and doing something with what was chosen.

    table = {"euler": euler, "rk4": rk4}            if method not in ("euler", "rk4"): raise KeyError(method)
    y = table[method](f, y, h)               ==>    if method == "euler": y = euler(f, y, h)
                                                    else: y = rk4(f, y, h)

Whatever is done with a choice is done with each of its alternatives, in branches; what that gives is merged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sad.errors import S2sadError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Aggregate,
    Choice,
    Closure,
    Entity,
    Known,
    Method,
    Partial,
    Static,
    flatten,
    same_structure,
)
from s2sad.frontend.fence import KnownFailure
from s2sad.frontend.lower.choices import akin, is_label, label_of, opened
from s2sad.frontend.lower.control import choose, scratch
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.parts import frozen, seal
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Dict, List, Other, Tuple
from s2sad.ir.nodes import Const, Undef, Value

FUNCTIONS = (Known, Static, Closure, Partial, Method)
SELECTED = "which object it is, is known only at run time"
Use = Callable[[Entity], Entity]


def each(lw: Lowering, choice: Choice, use: Use, node: gast.AST) -> Entity:
    """``use(choice)``: of the alternative that it is when the program runs."""
    if isinstance(choice.tag, Const):
        return use(choice.alternatives[choice.labels.index(choice.tag.payload)])
    mixed = not all(map(_is_number, choice.alternatives))

    def arm(k: int) -> Entity:
        if k == len(choice.labels) - 1 and k:
            return used(choice.alternatives[k])
        test = is_label(lw, choice.tag, choice.labels[k])
        return choose(lw, test, lambda: used(choice.alternatives[k]), lambda: rest(k), node)

    def rest(k: int) -> Entity:
        if len(choice.labels) > 1:
            return arm(k + 1)
        return fail(lw, UnboundLocalError, "it is not bound on this path")

    def used(one: Entity) -> Entity:
        try:
            return tried(one)
        except KnownFailure as failure:  # only the running program knows whether it comes here
            return fail(lw, type(failure.error), *failure.error.args)

    def tried(one: Entity) -> Entity:
        if not mixed or not _is_number(one):
            return use(one)
        try:  # a number among objects: ``total = 0`` before a loop that adds objects to it
            return use(one)
        except S2sadError as error:
            return fail(lw, TypeError, f"{error.message}: it is a number here")

    return arm(0)


def _is_number(entity: Entity) -> bool:
    """Whether this is a number or array, or a method of one."""
    return isinstance(entity.owner if isinstance(entity, Method) else entity, Value)


def fail(lw: Lowering, error: type[Exception], *messages: Any) -> Entity:
    """Raise when the program runs; what would have been given is of no use."""
    lw.builder.call("s2sad.raise", lw.builder.call(f"builtins.{error.__name__}", *map(Const, messages)))
    return Undef()


def as_list(lw: Lowering, entity: Entity, node: gast.AST) -> Entity:
    """One of several tuples as a list of its items, to be run through; anything else as it is."""
    if isinstance(entity, Choice) and not all(isinstance(one, FUNCTIONS) for one in entity.alternatives):
        return each(lw, entity, lambda one: apply(lw, Known(list, "builtins.list"), [one], {}, node), node)
    return entity


def apply_choice(lw: Lowering, function: Choice, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """A call of one of several functions."""
    return each(lw, function, lambda one: apply(lw, one, list(args), dict(kwargs), node), node)


def attribute_of_each(lw: Lowering, choice: Choice, attr: str, find: Use, node: gast.AST) -> Entity:
    """``choice.attr``: methods are not looked at until they are called; what has no such attribute fails if it is chosen."""

    def found(one: Entity) -> Entity:
        number = _is_number(one) and not isinstance(lw.kind(one), List | Tuple | Dict | Other) and not hasattr(np.ndarray, attr)
        try:
            if not number:
                return find(one)
        except S2sadError:
            owner = one.payload if isinstance(one, Known) else getattr(one, "cls", None)
            if owner is not None and observe.attribute(owner, attr) is not observe.ABSENT:  # it is there, and cannot be followed
                raise
        return fail(lw, AttributeError, f"{label_of(one)} has no attribute {attr!r}")

    with scratch(lw) as trial:
        members = [found(one) for one in choice.alternatives]
    if not trial.ops and all(isinstance(member, FUNCTIONS) for member in members):
        return Choice(choice.tag, choice.labels, members)
    if all(any(isinstance(leaf, Undef) for leaf in flatten(member)) for member in members):
        return find(choice.alternatives[0])
    return each(lw, choice, found, node)


def question(lw: Lowering, choice: Choice, ask: Use, node: gast.AST) -> Entity:
    """``isinstance(choice, cls)`` and the like: a comparison of tags where the answer for each alternative is known."""

    def answer(one: Entity) -> bool | None:
        with scratch(lw):
            found = ask(one)
        return bool(found.payload) if isinstance(found, Const) else None

    return comparison(lw, choice, answer) or each(lw, choice, ask, node)


def comparison(lw: Lowering, choice: Choice, same: Callable[[Entity], bool | None]) -> Value | None:
    """Whether a choice is one of those for which ``same`` is known to be true; None where it is not known."""
    found = [same(one) for one in choice.alternatives]
    if any(answer is None for answer in found):
        return None
    labels = tuple(label for label, answer in zip(choice.labels, found, strict=True) if answer)
    if len(labels) in (0, len(found)):
        return Const(bool(labels))
    if len(labels) == 1:
        return is_label(lw, choice.tag, labels[0])
    return lw.builder.call("operator.contains", Const(labels), choice.tag)


def is_data(entity: Entity) -> bool:
    """Whether this is one of several objects or values, and not of several functions."""
    return isinstance(entity, Choice) and not all(isinstance(item, FUNCTIONS) for item in entity.alternatives)


# --- by an index or key


def by_index(lw: Lowering, items: list[Entity], index: Value, node: gast.AST) -> Entity:
    """``items[index]``, with Python's meaning of negative indices; raises IndexError when the program runs."""
    place = lw.builder.call("operator.getitem", lw.builder.call("builtins.range", Const(len(items))), index)
    return by_label(lw, place, tuple(range(len(items))), items, node)


def by_label(lw: Lowering, tag: Value, labels: tuple[Any, ...], items: list[Entity], node: gast.AST) -> Entity:
    """The item whose label the tag is; it must be that of one of them. Of tuples alike, a tuple of what may differ."""
    for item in items:
        seal(lw, item, SELECTED)
    first = items[0]
    if len(items) == 1 or all(item is first for item in items):
        return first
    if isinstance(first, Aggregate) and first.cls is None and all(akin(first, item) for item in items):
        columns = zip(*(item.items for item in items if isinstance(item, Aggregate)), strict=True)
        return Aggregate([by_label(lw, tag, labels, list(column), node) for column in columns], first.kind, first.keys)
    found = Choice(tag, labels, list(items))
    return each(lw, found, lambda one: one, node) if all(isinstance(item, Value) for item in items) else found


def is_selection(lw: Lowering, items: list[Entity]) -> bool:
    """Whether items are functions or objects that differ in more than values, so that only branches can choose one."""
    forms = [opened(frozen(lw, item)) for item in items]
    plain = all(isinstance(leaf, Value) for form in forms for leaf in flatten(form))
    if plain and all(same_structure(forms[0], form) for form in forms[1:]):
        return False
    return not plain or any(isinstance(form, Aggregate) and form.cls is not None for form in forms)
