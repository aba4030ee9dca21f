"""Lowering expressions: a table from syntax node to the function that lowers it."""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Aggregate, Box, Closure, Entity, Spread
from s2sad.frontend.lower import control, objects
from s2sad.frontend.lower.assignment import spread
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.lists import list_of, of_parts
from s2sad.frontend.lower.signatures import defaults_of
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Undef


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
    box = Box("dict")
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            other = lower(lw, value_node)
            if not isinstance(other, Box) or other.kind != "dict":
                lw.refuse(node, "** of this value in a dict", "its keys are not known", "write the keys out")
            for k in lw.keys(other, node):
                _put(lw, box, k, lw.variables[(other, k)])
            continue
        key = lower(lw, key_node)
        if not isinstance(key, Const):
            lw.refuse(
                node, "a dict with computed keys", "its layout must be known", "constant keys, or a list"
            )
        _put(lw, box, key.payload, lower(lw, value_node))
    return box


def _put(lw: Lowering, box: Box, key: object, entity: Entity) -> None:
    if key not in box.keys:
        box.keys.append(key)
    lw.variables[(box, key)] = entity


def if_exp(lw: Lowering, node: gast.IfExp) -> Entity:
    test = lower(lw, node.test)
    return control.choose(lw, test, lambda: lower(lw, node.body), lambda: lower(lw, node.orelse), node)


def named(lw: Lowering, node: gast.NamedExpr) -> Entity:
    entity = lower(lw, node.value)
    lw.bind(node.target.id, entity)
    return entity


def lambda_(lw: Lowering, node: gast.Lambda) -> Entity:
    body = gast.copy_location(gast.Return(node.body), node.body)
    definition = gast.FunctionDef("lambda_", node.args, [body], [], None, None, [])
    return Closure(gast.copy_location(definition, node), lw.frame, defaults_of(lw, definition))


def starred(lw: Lowering, node: gast.Starred) -> Entity:
    lw.refuse(node, "a starred expression here", "its length is not known", "write the items out")
