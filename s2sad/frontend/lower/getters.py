"""``operator.itemgetter``, ``attrgetter`` and ``methodcaller``: functions that are made of keys, names and arguments.

    by_weight = operator.itemgetter(1)          ==>     by_weight = lambda x: x[1]
    run = operator.methodcaller("step", h)      ==>     run = lambda x: x.step(h)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad.frontend.entities import Aggregate, Entity, Known, Partial
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
    def handler(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        return Partial(Known(function, function.__name__), args, kwargs)

    return handler


def _items(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    *keys, owner = args
    found = [read(lw, owner, key, node) for key in keys]
    return found[0] if len(found) == 1 else Aggregate(found)


def _attributes(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    *names, owner = args
    found = [_attribute(lw, owner, name, node) for name in names]
    return found[0] if len(found) == 1 else Aggregate(found)


def _attribute(lw: Lowering, owner: Entity, name: Entity, node: Any) -> Entity:
    for part in _text(lw, name, node).split("."):
        owner = attribute_of(lw, owner, part, node)
    return owner


def _called(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    name, *given, owner = args
    return apply(lw, attribute_of(lw, owner, _text(lw, name, node), node), given, kwargs, node)


def known(lw: Lowering, payload: Any, node: Any) -> Entity | None:
    """A getter from outside, as if it were made here."""
    if not isinstance(payload, operator.itemgetter | operator.attrgetter | operator.methodcaller):
        return None
    reduced: Any = payload.__reduce__()
    maker, given = reduced
    if not isinstance(maker, type):  # a methodcaller with keywords
        return None
    return apply(lw, Known(maker), [Const(item) for item in given], {}, node)


def _text(lw: Lowering, name: Entity, node: Any) -> str:
    if not isinstance(name, Const) or not isinstance(name.payload, str):
        lw.refuse(node, "a computed name of an attribute", "which one it is, is not known", "a constant name")
    return name.payload


TABLE: dict[Any, Handler] = {
    operator.itemgetter: _maker(items),
    operator.attrgetter: _maker(attributes),
    operator.methodcaller: _maker(called),
    items: _items,
    attributes: _attributes,
    called: _called,
}
