"""Calls of functions whose results ``lru_cache`` keeps: followed as others, where a cache makes no difference (``kept``).

What such a function is given and what it returns cannot change, and of the functions around it reads what is bound once, to
what cannot change; so it gives the same whenever it is called with the same.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import gast

from s2sad.frontend import observe
from s2sad.frontend.entities import Choice, Closure, Entity, Partial, SourceFunction, Static, Struct, View
from s2sad.frontend.kept import BUILTINS, Keeping, is_fixed, is_itself, is_steady_kind
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.handed_over import function_name
from s2sad.frontend.lower.lifting import free_names
from s2sad.frontend.lower.maybe import MAYBE
from s2sad.frontend.lower.state import Frame, Lowering
from s2sad.frontend.observe import TYPES, VALUES
from s2sad.ir.kinds import NONE, STR, Kind, Scalar, Tuple
from s2sad.ir.nodes import Const, Function, Value

FUNCTIONS = (gast.FunctionDef, gast.Lambda)
LOOPS = (gast.For, gast.While, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def keeps(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity | None:
    """``lru_cache(f)``, or ``lru_cache(maxsize=9)``, which gives a decorator."""
    settings = [*args, *kwargs.values()]
    if not all(isinstance(entity, Const) for entity in settings[1:]):
        return None
    typed = kwargs.get("typed", args[1] if len(args) > 1 else Const(False))
    called = Static(called_by_types if isinstance(typed, Const) and typed.payload else called_by_values)
    if settings and not isinstance(settings[0], Const):
        return Partial(called, [settings[0]], {})
    return Partial(Static(decorated), [called], {})


def decorated(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """The function that a decorator makes of ``args[1]``: how it is called says ``args[0]``."""
    return Partial(args[0], args[1:], {})


def called_by_values(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """A call of ``args[0]``, whose results are kept as long as the program runs, with the arguments after that."""
    return call(ctx, args[0], args[1:], kwargs, node, VALUES, lasting=False)


def called_by_types(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """The same, where arguments that are equal, but of other types, have results of their own."""
    return call(ctx, args[0], args[1:], kwargs, node, TYPES, lasting=False)


CALLED = (called_by_values, called_by_types)


def call(
    ctx: Lowering, function: Entity, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST, by: str, lasting: bool
) -> Entity:
    """A call of a function whose results are kept, ``by`` TYPES or VALUES; ``lasting``: beyond one run of the program."""
    outer = ctx.program.keeping
    key = [*args, *kwargs.values()]
    text = all(map(is_text, key))
    apart = len(args) == 1 and not kwargs and is_single_key(args[0]) or text
    keeping = Keeping(function_name(function, "a function"), lasting, by != TYPES and not apart, not apart, text).within(outer)
    seen: set[int] = set()
    if isinstance(function, Static):
        check_function(ctx, keeping, function.payload)
    elif not is_steady(ctx, keeping, function, seen):
        keeping.refuse("what can change")
    for entity in key:
        if not is_steady(ctx, keeping, entity, seen, argument=True):
            keeping.refuse("", GIVEN, "numbers of Python, or text, for its arguments; or no cache")
    ctx.program.keeping = keeping
    try:
        result = apply(ctx, function, args, kwargs, node)
    finally:
        ctx.program.keeping = outer
    if not is_steady(ctx, keeping, result, seen):
        keeping.refuse("", RETURNED, "numbers, or tuples of them, for its result; or no cache")
    return result


def is_single_key(entity: Entity) -> bool:
    """Test for an integer of Python's, or text: alone, it is a key that only its like is equal to."""
    if isinstance(entity, Const):
        return type(entity.payload) in (int, str)
    kind = entity.kind if isinstance(entity, Value) else None
    return kind == STR or (isinstance(kind, Scalar) and kind.weak and kind.dtype == "int64")


def is_text(entity: Entity) -> bool:
    """Test for text, None, or a tuple of those: as a key only its like is equal to it."""
    if isinstance(entity, Struct):
        return all(map(is_text, entity.items))
    return isinstance(entity, Value) and _is_text(entity.kind)


def _is_text(kind: Kind) -> bool:
    return kind in (STR, NONE) or (isinstance(kind, Tuple) and all(map(_is_text, kind.items)))


GIVEN = "one of its arguments can change, or equals another one for which it gives something else"
RETURNED = "what it returns can be written into, and the cache gives the same object again"


def check_function(ctx: Lowering, keeping: Keeping, payload: Any) -> None:
    """Check a live function whose results are kept. Raises S2sadError."""
    function = observe.unwrap(payload)
    if not isinstance(function, types.FunctionType):
        if not is_fixed(function) and not any(function is one for one in BUILTINS):
            keeping.refuse("", "what it calls is no plain function", "a function defined with def")
    elif not observe.is_library(function):
        definition = ctx.program.source_of(function).node
        if not is_itself(function) or _binds_outside(definition):
            keeping.refuse("what it changes outside")


def check_kept(keeping: Keeping, function: Function, live: Any) -> None:
    """Check a function whose results are kept, and which is differentiated itself. Raises S2sadError."""
    if live is not None and not is_itself(live):
        keeping.refuse("what it changes outside")
    if not all(is_steady_kind(param.value.kind, argument=True) for param in function.params):
        keeping.refuse("", GIVEN, "numbers of Python, or text, for its arguments; or no cache")
    leaves, plain = function.body.yields, function.returns.kind in ("leaf", "tuple", MAYBE)
    if not plain or not all(is_steady_kind(v.kind, argument=False) for v in leaves):
        keeping.refuse("", RETURNED, "numbers, or tuples of them, for its result; or no cache")


def _binds_outside(definition: gast.FunctionDef) -> bool:
    return any(isinstance(n, gast.Global | gast.Nonlocal) for n in gast.walk(definition))


def is_steady(ctx: Lowering, keeping: Keeping, entity: Entity, seen: set[int], argument: bool = False) -> bool:
    """Test for an entity that cannot change; as an ``argument`` also for one that a cache finds."""
    if isinstance(entity, Value):
        return is_steady_kind(entity.kind, argument)
    if isinstance(entity, Choice):
        return all(is_steady(ctx, keeping, e, seen, argument) for e in entity.alternatives)
    if isinstance(entity, Struct):
        plain = entity.kind in ("tuple", MAYBE) and entity.cls is None and not isinstance(entity, View)
        return plain and all(is_steady(ctx, keeping, e, seen, argument) for e in entity.items)
    if isinstance(entity, Static):
        payload = entity.payload
        of_user = isinstance(observe.unwrap(payload), types.FunctionType) and not keeping.lasting
        return of_user or is_fixed(payload) or any(payload is one for one in (*CALLED, *BUILTINS))
    if isinstance(entity, Partial):
        return all(is_steady(ctx, keeping, e, seen) for e in (entity.function, *entity.args, *entity.kwargs.values()))
    if isinstance(entity, Closure):
        return _sees_steady(ctx, keeping, entity, seen)
    return isinstance(entity, SourceFunction)


def _sees_steady(ctx: Lowering, keeping: Keeping, closure: Closure, seen: set[int]) -> bool:
    """Test for a nested function that sees, as those that it calls, only variables that are bound once, to what cannot change."""
    if id(closure) in seen:
        return True
    seen.add(id(closure))
    if _binds_outside(closure.node) or not all(is_steady(ctx, keeping, e, seen) for e in closure.defaults.values()):
        return False
    for name in sorted(free_names(closure.node, closure.frame.source)):
        frame: Frame | None = closure.frame
        while frame is not None and (frame, name) not in ctx.variables and name not in frame.locals:
            frame = frame.outer
        found = None if frame is None else ctx.variables.get((frame, name))
        if frame is None or found is None:
            continue  # a global, which is looked at where it is read; or not bound, which is an error there
        if name in _bound_anew(frame.definition or frame.source.node) or not is_steady(ctx, keeping, found, seen):
            keeping.refuse(name)
    return True


@functools.lru_cache(maxsize=64)
def _bound_anew(definition: gast.FunctionDef) -> frozenset[str]:
    """The names that a function may bind more than once: by several statements, in a loop, or in a function within it."""
    once: set[str] = set()
    again: set[str] = set()
    stack: list[tuple[gast.AST, bool]] = [(node, False) for node in gast.iter_child_nodes(definition)]
    while stack:
        node, repeated = stack.pop()
        stored = isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)
        name = node.id if stored else getattr(node, "asname", None) or getattr(node, "rest", None) or getattr(node, "name", None)
        if isinstance(name, str):
            (again if repeated or name in once else once).add(name)
        if isinstance(node, FUNCTIONS):
            again |= {name for n in gast.walk(node) if isinstance(n, gast.Nonlocal) for name in n.names}
        else:
            stack += [(child, repeated or isinstance(node, LOOPS)) for child in gast.iter_child_nodes(node)]
    return frozenset(again)
