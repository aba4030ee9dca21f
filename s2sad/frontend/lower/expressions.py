"""Lowering expressions: a table from syntax node to the function that lowers it."""

from __future__ import annotations

import functools
from collections.abc import Hashable

import gast

from s2sad.frontend.entities import Closure, Entity, Record, Spread, Struct
from s2sad.frontend.lower import bound, built_on, control, keys, map_methods, maps, objects
from s2sad.frontend.lower.assignment import with_items
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.lists import as_tuple, displayed, list_of, of_parts
from s2sad.frontend.lower.operators import tested
from s2sad.frontend.lower.selection import FUNCTIONS
from s2sad.frontend.lower.signatures import defaults_of
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Value
from s2sad.ir.pure import MAX_BITS, MAX_LENGTH, is_small


def name(ctx: Lowering, node: gast.Name) -> Entity:
    return objects.from_outside(ctx, bound.read(ctx, node))


def constant(ctx: Lowering, node: gast.Constant) -> Entity:
    if isinstance(node.value, bytes):
        ctx.refuse(node, "a bytes literal", "it is no number", "a string or a number")
    if not is_small(node.value):
        ctx.refuse(node, "a literal of this length", f"at most {MAX_BITS} bits, or {MAX_LENGTH:,} characters", "a global")
    return Const(node.value)


def tuple_(ctx: Lowering, node: gast.Tuple) -> Entity:
    def made(items: list[Entity]) -> Entity:
        several = any(isinstance(item, Spread) for item in items)
        return as_tuple(ctx, of_parts(ctx, items, node), node) if several else Struct(items)

    return with_items(ctx, node, made)


def list_(ctx: Lowering, node: gast.List) -> Entity:
    def made(items: list[Entity]) -> Entity:
        several = any(isinstance(item, Spread) for item in items)
        return of_parts(ctx, items, node) if several else displayed(ctx, node, items, list_of)

    return with_items(ctx, node, made)


def dict_(ctx: Lowering, node: gast.Dict) -> Entity:
    place = ctx.place(node)
    if maps.wanted(ctx, place):
        return _computed(ctx, node, place)
    box = Record("dict", place=place, loops=tuple(ctx.loops))
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            other = built_on.contents(ctx, lower(ctx, value_node))
            if maps.is_map(other):
                maps.compute(ctx, box, node)
            if not isinstance(other, Record) or other.kind != "dict":
                ctx.refuse(node, "** of this value in a dict", "its keys are not known", "write the keys out")
            for k in ctx.keys(other, node):
                _put(ctx, box, k, ctx.variables[(other, k)])
            continue
        given = lower(ctx, key_node)
        key: Entity = ctx.value(given, node, "a key") if isinstance(given, Struct) else given
        if isinstance(key, Record):
            key = keys.constant(key)
        entity = None if isinstance(key, Const) else lower(ctx, value_node)
        if isinstance(entity, FUNCTIONS):  # which no dict of the running program can hold
            key = keys.constant(key)
        if not isinstance(key, Const):
            maps.compute(ctx, box, node)
        entity = lower(ctx, value_node) if entity is None else entity
        maps.check_hash(ctx, given, node)
        _put(ctx, box, key.payload, entity)
    return box


def _computed(ctx: Lowering, node: gast.Dict, place: Hashable) -> Value:
    """A display of a dict that has computed keys, in it or later."""
    if all(key_node is not None for key_node in node.keys):
        pairs = [(lower(ctx, k), lower(ctx, v)) for k, v in zip(node.keys, node.values, strict=True)]
        return maps.map_of(ctx, place, pairs, node)
    made = maps.new_map(ctx, place)
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            map_methods.update(ctx, made, lower(ctx, value_node), node)
        else:
            maps.store(ctx, made, lower(ctx, key_node), lower(ctx, value_node), node)
    return made


def _put(ctx: Lowering, box: Record, key: object, entity: Entity) -> None:
    if key not in box.keys:
        box.keys.append(key)
    ctx.variables[(box, key)] = entity


def if_exp(ctx: Lowering, node: gast.IfExp) -> Entity:
    test = tested(ctx, node.test)
    return control.choose(ctx, test, lambda: lower(ctx, node.body), lambda: lower(ctx, node.orelse), node)


def named(ctx: Lowering, node: gast.NamedExpr) -> Entity:
    entity = lower(ctx, node.value)
    ctx.bind(node.target.id, entity)
    return entity


def lambda_(ctx: Lowering, node: gast.Lambda) -> Entity:
    definition = _definition(node)
    ctx.frame.defines = True
    return Closure(definition, ctx.frame, defaults_of(ctx, definition))


@functools.lru_cache(maxsize=1024)
def _definition(node: gast.Lambda) -> gast.FunctionDef:
    """A lambda as a definition: the same one each time, so that it is known to be the same function."""
    body = gast.copy_location(gast.Return(node.body), node.body)
    return gast.copy_location(gast.FunctionDef("lambda_", node.args, [body], [], None, None, []), node)


def starred(ctx: Lowering, node: gast.Starred) -> Entity:
    ctx.refuse(node, "a starred expression here", "its length is not known", "write the items out")
