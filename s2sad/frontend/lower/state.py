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
from s2sad.frontend.entities import Aggregate, Box, Entity, Known, Poison
from s2sad.frontend.fence import refuse
from s2sad.frontend.resolve import Scope
from s2sad.frontend.source import Source
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import UNKNOWN, Kind, Other
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


def _no_derivatives(derived: Any, kinds: list[Kind], lw: Any) -> Any:
    raise S2sadError("a derivative of a derivative cannot be taken here")


@dataclass(eq=False)
class Program:
    """What several functions lowered together share: the callees by key, and what was captured from outside."""

    inline: Callable[[Function], bool] = lambda _: False
    writes: Callable[[Function], bool] = lambda _: False
    derive: Callable[[Any, list[Kind], Any], tuple[Function, Callable[[list[Value]], Entity]]] = (
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
        self.variables[(self.frame, name)] = entity

    # --- conversions

    def value(self, entity: Entity, node: object, what: str = "this") -> Value:
        """The entity as a run-time value."""
        if isinstance(entity, Value):
            return entity
        if isinstance(entity, Aggregate):
            items = [self.value(item, node, what) for item in entity.items]
            if all(isinstance(item, Const) for item in items) and entity.kind == "tuple":
                return Const(tuple(item.payload for item in items if isinstance(item, Const)))
            return self.builder.call("builtins.tuple" if entity.kind == "tuple" else "s2sad.items", *items)
        if isinstance(entity, Box) and entity.kind == "dict":
            values = [self.value(self.variables[(entity, k)], node, what) for k in entity.keys]
            return self.builder.call("s2sad.dict", Const(tuple(entity.keys)), *values)
        if isinstance(entity, Known):
            return global_of(self, entity)
        self.refuse(
            node,
            f"{what} as a value",
            "functions and iterators are known only at compile time",
            "call it directly",
        )

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
    kind = Other("dtype") if isinstance(known.payload, type | np.dtype) else Other("function")
    return Global(path, kind, known.payload, resolved=True)
