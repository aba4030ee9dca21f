"""The state of lowering one function: variables, frames, builder; and the functions that are lowered along with it.

Variables live in one flat table, keyed by frame and name (or by box and field), so that branches and loops merge
locals, fields of records and inlined calls' locals by one mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import gast
import numpy as np

from s2sad.errors import KindError, S2sadError
from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration, Known, Poison
from s2sad.frontend.fence import fail, refuse
from s2sad.frontend.lower.maybe import is_maybe
from s2sad.frontend.resolve import Scope
from s2sad.frontend.source import Source
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import FUNCTION, OBJECT, UNKNOWN, Kind, Other
from s2sad.ir.nodes import Block, Call, Const, Function, Global, Value
from s2sad.rules import registry

Key = tuple[Hashable, Any]


@dataclass(eq=False)
class Frame:
    """One activation: a function's source, the scope of its free names, and the frame around a nested function."""

    source: Source
    scope: Scope
    outer: Frame | None = None
    locals: frozenset[str] = frozenset()
    result: Entity | None = None
    shared: frozenset[str] = frozenset()  # declared nonlocal: bound in a frame further out


def _no_derivatives(derived: Any, kinds: dict[str, Any], lw: Any) -> Any:
    raise S2sadError("a derivative of a derivative cannot be taken here")


@dataclass(eq=False)
class Program:
    """What several functions lowered together share: the callees by key, and what was captured from outside."""

    inline: Callable[[Function], bool] = lambda _: False
    writes: Callable[[Function], bool] = lambda _: False
    derive: Callable[[Any, dict[str, Any], Any], tuple[Function, Callable[[list[Value]], Entity]]] = (
        _no_derivatives
    )
    callees: dict[Hashable, Callee] = field(default_factory=dict)
    captured: dict[tuple[int, str], tuple[dict[str, Any], Any]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    injected: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def unique(self, name: str) -> str:
        """A function name that no other callee has."""
        count = self.names[name] = self.names.get(name, 0) + 1
        return name if count == 1 else f"{name}_{count}"


@dataclass(eq=False)
class Callee:
    """A user's function called by another: its IR once lowered, and the kinds of what it returns."""

    name: str
    function: Function | None = None
    kinds: list[Kind] | None = None
    inline: bool = False
    recursive: bool = False
    placeholder: Function | None = None  # what recursive calls refer to while the function is being lowered


class Lowering:
    """Lowers statements and expressions of the current frame into the current block."""

    def __init__(self, program: Program, source: Source, scope: Scope) -> None:
        self.program = program
        self.block = Block()
        self.builder = Builder(self.block, self.infer)
        self.variables: dict[Key, Entity] = {}
        self.frame = Frame(source, scope)
        self.depth = 0
        self.inlined = 0
        self.assigned = False  # whether a field of an argument is assigned, which other references to it would see
        self.caught: list[Value] = []  # the attempts whose handlers are being lowered, innermost last

    # --- building

    def infer(self, call: Call) -> Kind:
        """Kinds by the rules; a call that does not fit the signature is the user's error."""
        try:
            return registry.infer(call)
        except TypeError as error:
            raise S2sadError(str(error), location=self.builder.loc) from None

    def at(self, node: object) -> None:
        """Set the current location."""
        if hasattr(node, "lineno"):
            self.builder.loc = self.frame.source.location(node)

    def refuse(self, node: object, what: str = "", why: str = "", instead: str = "") -> NoReturn:
        """Refuse a construct."""
        refuse(self.frame.source, node, what, why, instead)

    def fail(self, node: object, error: Exception, what: str, instead: str) -> NoReturn:
        """Refuse what is known to raise; a ``try`` around it may catch it."""
        fail(self.frame.source, node, error, self.builder.block, what, instead)

    def ask_for_kind(self, node: object, what: str, why: str) -> NoReturn:
        """Ask for an annotation."""
        raise KindError(
            what,
            location=self.frame.source.location(node),
            why=why,
            instead="annotate the parameter (x: float, or a: Float[np.ndarray, 'n m'], or np.ndarray), or call with arguments",
        )

    # --- variables

    def lookup(self, name: str, node: object) -> Entity:
        """The entity bound to a name."""
        frame: Frame | None = self.frame
        while frame is not None:
            found = self.variables.get((frame, name))
            if found is not None:
                if isinstance(found, Poison):
                    self.refuse(node, f"the name {name!r}", found.why, "bind the name to one thing")
                return found
            if frame.outer is None or name in frame.locals:
                break
            frame = frame.outer
        assert frame is not None
        entity = None if name in frame.locals else frame.scope.resolve(name)
        if entity is None:
            raise S2sadError(
                f"the name {name!r} is not defined here", location=self.frame.source.location(node),
                why="no assignment reaches this point on any path", instead=f"assign {name} before it is read",
            )  # fmt: skip
        return entity

    def bind(self, name: str, entity: Entity) -> None:
        """Bind a name; a nameless value takes it."""
        if isinstance(entity, Value) and entity.name is None and not isinstance(entity, Const):
            entity.name = name
        if isinstance(entity, Aggregate):
            for k, item in enumerate(entity.items):
                if isinstance(item, Value) and item.name is None and not isinstance(item, Const):
                    item.name = f"{name}_{k}"
        self.variables[(self.owner(name), name)] = entity

    def owner(self, name: str) -> Frame:
        """The frame in which an assignment binds a name: another one where it was declared nonlocal."""
        frame = self.frame
        while name in frame.shared and frame.outer is not None:
            frame = frame.outer
        return frame

    # --- conversions

    def value(self, entity: Entity, node: object, what: str = "this") -> Value:
        """The entity as a run-time value."""
        if isinstance(entity, Value):
            return entity
        if is_maybe(entity):
            self.refuse(node, f"{what}, which may be None here,", "None has no derivative", "a test for None before it is used")
        if isinstance(entity, Aggregate):
            items = [self.value(item, node, what) for item in entity.items]
            if entity.cls is not None:
                return self.record(entity.cls, entity.keys, items)
            if entity.kind == "dict":
                return self.builder.call("s2sad.dict", Const(entity.keys), *items)
            if all(isinstance(item, Const) for item in items) and entity.kind == "tuple":
                return Const(tuple(item.payload for item in items if isinstance(item, Const)))
            return self.builder.call("builtins.tuple" if entity.kind == "tuple" else "s2sad.items", *items)
        if isinstance(entity, Box) and entity.kind == "object":
            self.refuse(node, f"an object as {what}", "only its class knows what that means", "its fields, by name")
        if isinstance(entity, Box):
            values = [self.value(self.variables[(entity, k)], node, what) for k in self.keys(entity, node)]
            return self.builder.call("s2sad.dict", Const(tuple(entity.keys)), *values)
        if isinstance(entity, Known):
            return global_of(self, entity)
        if isinstance(entity, Iteration) and entity.make is not None and not entity.used:
            entity.used = True
            return self.value(entity.make(), node, what)
        if isinstance(entity, Poison):
            self.refuse(node, f"{what} as a value", entity.why, "bind the name to one thing")
        self.refuse(
            node,
            f"{what} as a value",
            "functions and iterators are known only at compile time",
            "call it directly",
        )

    def keys(self, box: Box, node: object) -> list[Any]:
        """The keys of a record, where it is known which it has."""
        if box.unsure:
            self.refuse(node, "asking for the keys of this object", box.unsure, "set all keys before the branch or loop")
        return list(box.keys)

    def record(self, cls: type, keys: tuple[Any, ...], items: list[Value]) -> Value:
        """An object of a class, made of its attributes."""
        like = Global(cls.__name__, Other("dtype"), cls, resolved=True)
        return self.builder.call("s2sad.runtime.record", like, Const(keys), *items)

    def kind(self, entity: Entity) -> Kind:
        """The kind of an entity."""
        return entity.kind if isinstance(entity, Value) else UNKNOWN


Expression = Callable[[Lowering, Any], Entity]
Node = gast.AST


def global_of(lw: Lowering, known: Known) -> Value:
    """A compile-time object as an argument (``dtype=float``, ``key=len``): generated code spells its path."""
    path = known.path.removeprefix("builtins.")
    if not path:
        path = getattr(known.payload, "__name__", "value")
    made = FUNCTION if callable(known.payload) else OBJECT
    kind = Other("dtype") if isinstance(known.payload, type | np.dtype) else made
    return Global(path, kind, known.payload, resolved=True)
