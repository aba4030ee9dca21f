"""``operator.itemgetter``, ``attrgetter`` and ``methodcaller``: functions that are made of keys, names and arguments.

    by_weight = operator.itemgetter(1)          ==>     by_weight = lambda x: x[1]
    run = operator.methodcaller("step", h)      ==>     run = lambda x: x.step(h)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad.frontend.entities import Entity, Partial, Static, Struct
from s2sad.frontend.lower.attributes import attribute_of
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.frontend.lower.subscripts import read
from s2sad.ir.nodes import Const

Handler = Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]


def items(*_: object) -> None:
    """Stands for ``lambda x: (x[key], ...)``: the keys come first."""


def attributes(*_: object) -> None:
    """Stands for ``lambda x: (x.name, ...)``: the names come first."""


def called(*_: object, **__: object) -> None:
    """Stands for ``lambda x: x.name(...)``: the name and the arguments come first."""


def _maker(function: Callable[..., None]) -> Handler:
    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        return Partial(Static(function, function.__name__), args, kwargs)

    return handler


def _items(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    *keys, owner = args
    found = [read(ctx, owner, key, node) for key in keys]
    return found[0] if len(found) == 1 else Struct(found)


def _attributes(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    *names, owner = args
    found = [_attribute(ctx, owner, name, node) for name in names]
    return found[0] if len(found) == 1 else Struct(found)


def _attribute(ctx: Lowering, owner: Entity, name: Entity, node: Any) -> Entity:
    for part in _text(ctx, name, node).split("."):
        owner = attribute_of(ctx, owner, part, node)
    return owner


def _called(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    name, *given, owner = args
    return apply(ctx, attribute_of(ctx, owner, _text(ctx, name, node), node), given, kwargs, node)


def known(ctx: Lowering, payload: Any, node: Any) -> Entity | None:
    """A getter from outside, as if it were made here."""
    if not isinstance(payload, operator.itemgetter | operator.attrgetter | operator.methodcaller):
        return None
    reduced: Any = payload.__reduce__()
    maker, given = reduced
    if not isinstance(maker, type):  # a methodcaller with keywords
        return None
    return apply(ctx, Static(maker), [Const(item) for item in given], {}, node)


def _text(ctx: Lowering, name: Entity, node: Any) -> str:
    if not isinstance(name, Const) or not isinstance(name.payload, str):
        ctx.refuse(node, "a computed name of an attribute", "which one it is, is not known", "a constant name")
    return name.payload


TABLE: dict[Any, Handler] = {
    operator.itemgetter: _maker(items),
    operator.attrgetter: _maker(attributes),
    operator.methodcaller: _maker(called),
    items: _items,
    attributes: _attributes,
    called: _called,
}
