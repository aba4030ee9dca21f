"""Lowering expressions: a table from syntax node to the function that lowers it."""

from __future__ import annotations

import functools
from collections.abc import Hashable

import gast

from s2sad.frontend.entities import Aggregate, Box, Closure, Entity, Spread
from s2sad.frontend.lower import control, map_methods, maps, objects
from s2sad.frontend.lower.assignment import spread
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.lists import list_of, of_parts
from s2sad.frontend.lower.operators import tested
from s2sad.frontend.lower.signatures import defaults_of
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Undef, Value
from s2sad.ir.pure import MAX_BITS, MAX_LENGTH, is_small


def name(lw: Lowering, node: gast.Name) -> Entity:
    entity = lw.lookup(node.id, node)
    if isinstance(entity, Undef):
        lw.refuse(
            node,
            f"reading {node.id!r} here",
            "it is not bound on every path",
            "bind it before the branch or loop",
        )
    return objects.opened(lw, entity)


def constant(lw: Lowering, node: gast.Constant) -> Entity:
    if isinstance(node.value, bytes):
        lw.refuse(node, "a bytes literal", "it is no number", "a string or a number")
    if not is_small(node.value):
        lw.refuse(node, "a literal of this length", f"at most {MAX_BITS} bits, or {MAX_LENGTH:,} characters", "a global")
    return Const(node.value)


def tuple_(lw: Lowering, node: gast.Tuple) -> Entity:
    items = _items(lw, node.elts)
    return of_parts(lw, items, node) if any(isinstance(item, Spread) for item in items) else Aggregate(items)


def list_(lw: Lowering, node: gast.List) -> Entity:
    items = _items(lw, node.elts)
    return of_parts(lw, items, node) if any(isinstance(item, Spread) for item in items) else list_of(lw, items)


def _items(lw: Lowering, nodes: list[gast.expr]) -> list[Entity]:
    items: list[Entity] = []
    for node in nodes:
        if isinstance(node, gast.Starred):
            items += spread(lw, lower(lw, node.value), node)
        else:
            items.append(lower(lw, node))
    return items


def dict_(lw: Lowering, node: gast.Dict) -> Entity:
    place = maps.place_of(lw, node)
    if maps.wanted(lw, place):
        return _computed(lw, node, place)
    box = Box("dict", place=place)
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            other = lower(lw, value_node)
            if maps.is_map(other):
                maps.compute(lw, box, node)
            if not isinstance(other, Box) or other.kind != "dict":
                lw.refuse(node, "** of this value in a dict", "its keys are not known", "write the keys out")
            for k in lw.keys(other, node):
                _put(lw, box, k, lw.variables[(other, k)])
            continue
        key = lower(lw, key_node)
        key = lw.value(key, node, "a key") if isinstance(key, Aggregate) else key
        if not isinstance(key, Const):
            maps.compute(lw, box, node)
        _put(lw, box, key.payload, lower(lw, value_node))
    return box


def _computed(lw: Lowering, node: gast.Dict, place: Hashable) -> Value:
    """A display of a dict that has computed keys, in it or later."""
    if all(key_node is not None for key_node in node.keys):
        pairs = [(lower(lw, k), lower(lw, v)) for k, v in zip(node.keys, node.values, strict=True)]
        return maps.map_of(lw, place, pairs, node)
    made = maps.new_map(lw, place)
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            map_methods.update(lw, made, lower(lw, value_node), node)
        else:
            maps.store(lw, made, lower(lw, key_node), lower(lw, value_node), node)
    return made


def _put(lw: Lowering, box: Box, key: object, entity: Entity) -> None:
    if key not in box.keys:
        box.keys.append(key)
    lw.variables[(box, key)] = entity


def if_exp(lw: Lowering, node: gast.IfExp) -> Entity:
    test = tested(lw, node.test)
    return control.choose(lw, test, lambda: lower(lw, node.body), lambda: lower(lw, node.orelse), node)


def named(lw: Lowering, node: gast.NamedExpr) -> Entity:
    entity = lower(lw, node.value)
    lw.bind(node.target.id, entity)
    return entity


def lambda_(lw: Lowering, node: gast.Lambda) -> Entity:
    definition = _definition(node)
    lw.frame.defines = True
    return Closure(definition, lw.frame, defaults_of(lw, definition))


@functools.lru_cache(maxsize=1024)
def _definition(node: gast.Lambda) -> gast.FunctionDef:
    """A lambda as a definition: the same one each time, so that it is known to be the same function."""
    body = gast.copy_location(gast.Return(node.body), node.body)
    return gast.copy_location(gast.FunctionDef("lambda_", node.args, [body], [], None, None, []), node)


def starred(lw: Lowering, node: gast.Starred) -> Entity:
    lw.refuse(node, "a starred expression here", "its length is not known", "write the items out")
