"""Strings: text for people and names of options. Folded where it is known, computed at run time otherwise."""

from __future__ import annotations

import string
import types
from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Iteration, Record, Static, Struct
from s2sad.frontend.lower import objects, sets
from s2sad.frontend.lower.dispatch import apply, lower, lower_value
from s2sad.frontend.lower.keys import put_together
from s2sad.frontend.lower.lists import as_shown
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import TupleOf
from s2sad.ir.nodes import Const, Global, Value
from s2sad.ir.pure import METHODS, call_method
from s2sad.rules import registry

CONVERSIONS = {ord("r"): "repr", ord("s"): "str", ord("a"): "ascii"}


def joined(ctx: Lowering, node: gast.JoinedStr) -> Entity:
    """An f-string, format specifications and conversions included."""
    return _together(ctx, [_part(ctx, part) for part in node.values])


def _together(ctx: Lowering, parts: list[Value]) -> Entity:
    if all(isinstance(part, Const) and isinstance(part.payload, str) for part in parts):
        return Const("".join(part.payload for part in parts if isinstance(part, Const)))
    return put_together(ctx, ctx.builder.call("s2sad.fstring", *parts), parts)


def formatted(ctx: Lowering, node: gast.FormattedValue) -> Entity:
    """One replacement field, which the parser also gives alone."""
    return _part(ctx, node)


def _part(ctx: Lowering, node: gast.expr) -> Value:
    if isinstance(node, gast.Constant):
        return Const(node.value)
    entity = lower(ctx, node.value)
    spec = None if node.format_spec is None else lower_value(ctx, node.format_spec)
    return _field(ctx, entity, CONVERSIONS.get(node.conversion), spec, node)


def _field(ctx: Lowering, entity: Entity, conversion: str | None, spec: Value | None, node: gast.AST) -> Value:
    """A replacement field."""
    said = text_of_object(ctx, entity, conversion or "format", node, EMPTY if spec is None else spec)
    if said is not None:
        entity, conversion, spec = said, None, None if conversion is None else spec
    value = as_shown(ctx, ctx.value(entity, node), node)
    if conversion is not None:
        value = ctx.builder.call(f"builtins.{conversion}", value)
    if spec is not None:
        value = ctx.builder.call("builtins.format", value, spec)
    if isinstance(value, Const) and isinstance(value.payload, str | int | bool | None):
        return Const(str(value.payload))
    return value


EMPTY = Const("")
SAID = {"str": ("__str__", "__repr__"), "repr": ("__repr__",), "ascii": ()}


def text_of_object(ctx: Lowering, entity: Entity, how: str, node: gast.AST, spec: Value = EMPTY) -> Entity | None:
    """The text that the class of an object says of it, where it says so in Python: ``str(x)`` is ``x.__str__()``.

    ``format(x, spec)`` is ``x.__format__(spec)``, which is ``str(x)`` of other classes if the specification is empty.
    """
    if sets.is_known(entity):
        return sets.as_text(entity)
    if not isinstance(entity, Record | Struct) or not objects.is_object(entity):
        return None
    if how == "format" and has(entity.cls, "__format__"):
        return objects.call_method(ctx, entity, "__format__", [spec], {}, node)
    if how == "format" and (objects.find(entity.cls, "__format__") is not object.__format__ or constant_text(spec) != ""):
        return None
    found = next((name for name in SAID["str" if how == "format" else how] if has(entity.cls, name)), None)
    return None if found is None else objects.call_method(ctx, entity, found, [], {}, node)


def has(cls: type | None, name: str) -> bool:
    """Presence of a method that somebody wrote in a class: what dataclasses make has no source."""
    method = observe.unwrap(found) if isinstance(found := objects.find(cls, name), types.FunctionType) else None
    return method is not None and not method.__code__.co_filename.startswith("<") and not observe.is_library(method)


def constant_text(entity: Entity) -> str | None:
    """The text of a string that is known at compile time."""
    if isinstance(entity, Const) and isinstance(entity.payload, str):
        return entity.payload
    if isinstance(entity, Global) and entity.resolved and isinstance(entity.payload, str):
        return entity.payload
    return None


def string_method(
    ctx: Lowering, owner: Value, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``text.name(...)``."""
    if ctx.program.keeping is not None:
        ctx.program.keeping.computes(f"str.{name}", ())
    known = constant_text(owner)
    if name == "join":
        listed = Static(list, "builtins.list")
        args = [apply(ctx, listed, [arg], {}, node) if isinstance(arg, Iteration) or sets.is_known(arg) else arg for arg in args]
    by_field = kwargs or any(sets.is_known(arg) or isinstance(arg, Record | Struct) and objects.is_object(arg) for arg in args)
    if known is not None and by_field and name == "format" and (text := _filled(ctx, known, args, kwargs, node)) is not None:
        return text
    if known is not None and not kwargs:
        payloads = [_payload(arg) for arg in args]
        if all(found for found, _ in payloads) and name in METHODS:
            try:
                return _entity(call_method(known, name, *(payload for _, payload in payloads)))
            except (TypeError, ValueError, LookupError) as error:
                ctx.refuse(node, f"this call of str.{name}", str(error), "arguments that fit")
    if kwargs or registry.lookup(f"str.{name}") is None:
        ctx.refuse(
            node,
            f"the string method {name!r} here",
            "what it gives is not known",
            "a string known beforehand",
        )
    return ctx.builder.call(f"str.{name}", owner, *(as_shown(ctx, ctx.value(arg, node), node) for arg in args))


def _filled(ctx: Lowering, text: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity | None:
    """``text.format(...)`` as the f-string that it stands for; None for fields that are more than names and numbers."""
    given = {**{str(k): arg for k, arg in enumerate(args)}, **kwargs}
    parts: list[Value] = []
    try:
        template = list(string.Formatter().parse(text))
    except ValueError as error:
        ctx.refuse(node, "this call of str.format", str(error), "a template that can be read")
    names = [name for _, name, _, _ in template if name is not None]
    if any(name and name not in given for name in names) or any("{" in (spec or "") for _, _, spec, _ in template):
        return None
    if "" in names and any(map(str.isdigit, names)) or names.count("") > len(args):
        return None
    unnamed = iter(args)
    for literal, name, spec, conversion in template:
        parts += [Const(literal)] if literal else []
        if name is not None:
            how = CONVERSIONS[ord(conversion)] if conversion else None
            parts.append(_field(ctx, given[name] if name else next(unnamed), how, Const(spec) if spec else None, node))
    return _together(ctx, parts)


def _payload(entity: Entity) -> tuple[bool, object]:
    """Two answers: whether an entity is known at compile time, and as what."""
    if isinstance(entity, Const):
        return True, entity.payload
    if isinstance(entity, Struct):
        items = [_payload(item) for item in entity.items]
        return all(found for found, _ in items), [payload for _, payload in items]
    text = constant_text(entity)
    return text is not None, text


def _entity(payload: object) -> Entity:
    """The entity for what a string method gave."""
    if isinstance(payload, list | tuple):
        return Struct([Const(item) for item in payload], "list" if isinstance(payload, list) else "tuple")
    return Const(payload)


def text_of(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity | None:
    """``str(x)`` of a known string or integer."""
    if len(args) == 1 and isinstance(args[0], Const) and isinstance(args[0].payload, str | int | bool):
        return Const(str(args[0].payload))
    if len(args) == 1 and (said := text_of_object(ctx, args[0], "str", node)) is not None:
        return said
    if len(args) == 1 and isinstance(args[0], Value):
        return put_together(ctx, ctx.builder.call("builtins.str", as_shown(ctx, args[0], node)), [args[0]])
    return None


SHOWN = {"repr": "repr", "ascii": "ascii", "format": "format", "print": "str"}


def _showing(name: str) -> Callable[..., Entity | None]:
    """A handler that shows things as they are: tuples of unknown length are tuples there."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity | None:
        spec = [ctx.value(arg, node) for arg in args[1:]] if name == "format" else []
        said = [text_of_object(ctx, arg, SHOWN[name], node, *spec) for arg in args]
        args = [text or arg for text, arg in zip(said, args, strict=True)]
        if name in ("repr", "format") and said[0] is not None:
            return said[0]
        if not any(said) and not any(isinstance(arg, Value) and isinstance(arg.kind, TupleOf) for arg in args):
            return None
        named = {key: ctx.value(arg, node) for key, arg in kwargs.items()}
        return ctx.builder.call(f"builtins.{name}", *(as_shown(ctx, ctx.value(arg, node), node) for arg in args), **named)

    return handler


TABLE: dict[Any, Callable[..., Entity | None]] = {
    str: text_of, repr: _showing("repr"), ascii: _showing("ascii"), format: _showing("format"), print: _showing("print"),
}  # fmt: skip
