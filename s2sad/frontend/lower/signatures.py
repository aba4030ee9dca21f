"""Parameters and arguments: the normal form of a definition, its frame, and what a call binds to its names."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import gast
import numpy as np

from s2sad.errors import SourceError, UnsupportedSyntaxError, meant
from s2sad.frontend import observe
from s2sad.frontend.constants import NO_LITERAL, display, literal, number
from s2sad.frontend.entities import (
    Entity,
    Record,
    SourceFunction,
    Spread,
    Static,
    Struct,
)
from s2sad.frontend.fence import refuse
from s2sad.frontend.files import StaticScope
from s2sad.frontend.loose_names import loose_readings
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.changed_in_place import written_names
from s2sad.frontend.lower.control import fail
from s2sad.frontend.lower.dispatch import apply, lower
from s2sad.frontend.lower.lists import item_at, of_parts
from s2sad.frontend.lower.state import Frame, Lowering
from s2sad.frontend.normal import normalise
from s2sad.frontend.normal.names import loop_names
from s2sad.frontend.normal.syntax import children
from s2sad.frontend.resolve import Scope, default_name, entity_of
from s2sad.frontend.source import Source
from s2sad.ir.nodes import Const, Global, Made, Value

COMPREHENSIONS = (gast.Lambda, gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp)
_bodies: dict[int, tuple[gast.FunctionDef, gast.FunctionDef]] = {}


def normal_form(definition: gast.FunctionDef, source: Source) -> gast.FunctionDef:
    """The normal form of a definition, computed once."""
    found = _bodies.get(id(definition))
    if found is None:
        try:
            found = _bodies[id(definition)] = (definition, normalise(definition))
        except UnsupportedSyntaxError as error:
            raise error.locate(source.location(error.node or definition)) from None
    return found[1]


def body_of(definition: gast.FunctionDef, source: Source) -> list[gast.stmt]:
    """The normalised statements of a definition."""
    body: list[gast.stmt] = normal_form(definition, source).body
    return body


def frame_for(definition: gast.FunctionDef, outer: Frame, place: tuple[Source, Scope, Any] | None) -> Frame:
    """A frame for a call of a definition: nested in ``outer``, or at a place of its own."""
    if place is None:
        source = outer.source
        inner = normal_form(definition, source)
        return Frame(
            source, outer.scope, outer, local_names(inner), written=written_names(inner), loop_names=loop_names(inner),
            definition=definition, loose=loose_readings(definition),
        )  # fmt: skip
    source, scope, _ = place
    inner = normal_form(definition, source)
    return Frame(
        source, scope, None, local_names(inner), written=written_names(inner), loop_names=loop_names(inner),
        loose=loose_readings(definition),
    )  # fmt: skip


def local_names(definition: gast.FunctionDef) -> frozenset[str]:
    """The names that a function binds itself."""
    found = {a.id for a in parameters_of(definition)}
    stack: list[gast.AST] = list(definition.body)
    while stack:
        node = stack.pop()
        if isinstance(node, gast.Name):
            if isinstance(node.ctx, gast.Store):
                found.add(node.id)
            stack += [node.annotation] if node.annotation is not None else []
            continue
        if isinstance(node, gast.FunctionDef):
            found.add(node.name)
            continue
        if isinstance(node, COMPREHENSIONS):
            if not isinstance(node, gast.Lambda):
                found |= {n.target.id for n in gast.walk(node) if isinstance(n, gast.NamedExpr)}
            continue
        stack += children(node)
    return frozenset(found)


def parameters_of(definition: gast.FunctionDef) -> list[gast.Name]:
    a = definition.args
    extra = [p for p in (a.vararg, a.kwarg) if p is not None]
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *extra]


def bind_arguments(
    ctx: Lowering,
    definition: gast.FunctionDef,
    args: list[Entity],
    kwargs: dict[str, Entity],
    node: gast.AST,
    live: Any = None,
    outer: Frame | None = None,
    evaluated: Mapping[str, Entity] = {},
    home: tuple[Source, Scope] | None = None,
) -> dict[str, Entity]:
    """Python's rules for matching arguments with parameters, on entities; ``evaluated`` are defaults already known.

    ``home``: where a function of a file that is not executed is defined.
    """
    a = definition.args
    positional = [*a.posonlyargs, *a.args]
    defaults = default_nodes(definition)
    spreads = [entity for entity in args if isinstance(entity, Spread)]

    def preset(name: str) -> Entity:
        if name in evaluated:
            return evaluated[name]
        return default_of(ctx, name, defaults[name], live, outer, home)

    names = [p.id for p in positional if p.id not in kwargs]
    args = spread_out(ctx, definition.name, args, names, {*defaults, *evaluated}, preset, node, a.vararg is not None)
    bound: dict[str, Entity] = {parameter.id: entity for parameter, entity in zip(positional, args, strict=False)}
    rest = args[len(positional) :]
    if a.vararg is not None:
        whole = any(isinstance(entity, Spread) for entity in rest)
        bound[a.vararg.id] = tuple_of(ctx, of_parts(ctx, rest, node), node) if whole else Struct(list(rest))
    elif rest:
        ctx.refuse(
            node,
            f"this call of {definition.name}",
            f"it takes {len(positional)} positional arguments",
            "fewer arguments",
        )
    only_positional = {p.id for p in a.posonlyargs}
    known = {p.id for p in [*a.args, *a.kwonlyargs]}
    extra: dict[str, Entity] = {}
    for name, entity in kwargs.items():
        if name in known and name not in bound:
            bound[name] = entity
        elif a.kwarg is not None and name not in known - only_positional:
            extra[name] = entity
        else:
            for spread in spreads:  # perhaps it gives fewer arguments than there are parameters
                ctx.follow_items(spread.items)
            ctx.refuse(
                node,
                f"this call of {definition.name}",
                f"the argument {name!r} does not fit",
                meant(name, known - only_positional - set(bound), "its parameter names"),
            )
    if a.kwarg is not None:
        box = Record("dict", keys=list(extra))
        for name, entity in extra.items():
            ctx.variables[(box, name)] = entity
        bound[a.kwarg.id] = box
    for parameter in [*positional, *a.kwonlyargs]:
        if parameter.id not in bound:
            if parameter.id not in defaults and parameter.id not in evaluated:
                ctx.refuse(
                    node,
                    f"this call of {definition.name}",
                    f"the argument {parameter.id!r} is missing",
                    "pass it",
                )
            bound[parameter.id] = preset(parameter.id)
    return {p.id: bound[p.id] for p in parameters_of(definition)}


def spread_out(
    ctx: Lowering,
    called: str,
    args: list[Entity],
    names: list[str],
    optional: set[str],
    preset: Callable[[str], Entity],
    node: gast.AST,
    variadic: bool = False,
) -> list[Entity]:
    """``f(t, *p)`` with as many items of ``p`` as there are parameters for them: that it has so many is checked as it runs.

    ``names`` are the positional parameters; those that are ``optional`` get an item where there is one, and else what ``preset``
    gives; a ``variadic`` function takes more.
    """
    place = next((k for k, entity in enumerate(args[: len(names)]) if isinstance(entity, Spread)), None)
    if place is None:
        return args
    spread, after = args[place], args[place + 1 :]
    count = len(names) - place - len(after)
    free = [name for name in names[place:] if name in optional]
    if count < 0 or any(isinstance(entity, Spread) for entity in after) or ((variadic or free) and after) or (variadic and free):
        for entity in (spread, *after):
            if isinstance(entity, Spread):
                ctx.follow_items(entity.items)
        ctx.refuse(node, f"this call of {called}", "how many arguments * gives is not known", "write them out")
    assert isinstance(spread, Spread)
    source, least, length = spread.items, count - len(free), ctx.builder.call("builtins.len", spread.items)

    def fail_() -> None:
        between = f"from {len(names) - len(free)} to " if free else "at least " * variadic
        fail(ctx, TypeError, f"{called}() takes {between}{len(names)} positional arguments")

    too_few = arithmetic(ctx, "operator.lt" if variadic or free else "operator.ne", length, Const(least))
    control.branch(ctx, too_few, fail_, lambda: None, node)
    if free:
        control.branch(ctx, arithmetic(ctx, "operator.gt", length, Const(count)), fail_, lambda: None, node)

    def taken(k: int) -> Entity:
        if k < least:
            return item_at(ctx, source, Const(k))
        there = arithmetic(ctx, "operator.gt", length, Const(k))
        return control.choose(ctx, there, lambda: item_at(ctx, source, Const(k)), lambda: preset(names[place + k]), node)

    items = [taken(k) for k in range(count)]
    if variadic:
        items.append(Spread(ctx.builder.call("operator.getitem", source, Const(slice(count, None)))))
    return [*args[:place], *items, *after]


def tuple_of(ctx: Lowering, items: Value, node: gast.AST) -> Entity:
    """The items of a list as the tuple that ``*args`` is."""
    return apply(ctx, Static(tuple, "builtins.tuple"), [items], {}, node)


def default_nodes(definition: gast.FunctionDef) -> dict[str, gast.expr]:
    """The expressions of the defaults by the names of their parameters."""
    a = definition.args
    positional = [*a.posonlyargs, *a.args]
    found = dict(zip([p.id for p in positional[len(positional) - len(a.defaults) :]], a.defaults, strict=True))
    return found | {p.id: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None}


def defaults_of(ctx: Lowering, definition: gast.FunctionDef) -> dict[str, Entity]:
    """The defaults of a nested function, which are evaluated where it is defined."""
    return {name: lower(ctx, node) for name, node in default_nodes(definition).items()}


def default_of(
    ctx: Lowering, name: str, node: gast.expr, live: Any, outer: Frame | None, home: tuple[Source, Scope] | None = None
) -> Entity:
    """The default of a parameter: the live object where there is one, else the expression, which must be simple.

    ``home``: as in ``bind_arguments``.
    """
    if live is not None:
        value = observe.default(live, name)
        if ctx.program.keeping is not None and not observe.same(value, literal(gast.gast_to_ast(node))):
            ctx.program.keeping.refuse(name)
        if value is not observe.ABSENT:
            entity = entity_of(value, "" if isinstance(value, int | float | str | bool | type(None)) else name)
            return _injected(default_name(live, name), entity)
    if outer is None:  # of a file that is not executed
        expression = gast.gast_to_ast(node)
        value = literal(expression)
        source, scope = home or (ctx.frame.source, ctx.frame.scope)
        if value is NO_LITERAL:
            found = outside_functions(scope, expression)
            if not isinstance(found, Const | Global | Static | SourceFunction):
                refuse(source, node, f"the default of {name!r}", "it is computed when the function is defined", f"pass {name}")
            return found
        return Const(value)
    saved = ctx.frame
    ctx.frame = outer
    try:
        return lower(ctx, node)
    finally:
        ctx.frame = saved


def computed(ctx: Lowering, node: ast.expr) -> Any:
    """The number that an expression of a file gives which is only read; or NO_LITERAL."""
    return number(node, lambda named: _outside(ctx, named))


DTYPES = (bool, int, float, complex, np.generic)
MAKERS = (np.array, np.asarray, np.zeros, np.ones, np.full, np.eye, np.identity, np.linspace, np.arange)


def array_made(ctx: Lowering, node: ast.expr) -> Any:
    """The array that an expression of a file makes of what stands there, which is only read, as ``np.array([1.0, 2.0])``, for
    the module to make when it is defined, as the file does; or NO_LITERAL."""
    if not isinstance(node, ast.Call):
        return NO_LITERAL
    function = _outside(ctx, node.func)
    if not isinstance(function, Static) or not any(function.payload is maker for maker in MAKERS):
        return NO_LITERAL
    args = [display(a) for a in node.args]
    kwargs = [(k.arg or "**", display(k.value) if k.arg != "dtype" else _dtype(ctx, k.value)) for k in node.keywords]
    if NO_LITERAL in args or any(key == "**" or value is NO_LITERAL for key, value in kwargs):
        return NO_LITERAL
    return Made(function.payload.__name__, tuple(args), tuple(kwargs))


def _dtype(ctx: Lowering, node: ast.expr) -> Any:
    """The dtype that an expression names: ``float``, ``np.float32``; or NO_LITERAL."""
    found = _outside(ctx, node)
    if isinstance(found, Static) and isinstance(found.payload, type) and issubclass(found.payload, DTYPES):
        return np.dtype(found.payload)
    return NO_LITERAL


def _outside(ctx: Lowering, node: ast.expr) -> Entity | None:
    with contextlib.suppress(SourceError):
        return outside_functions(ctx.frame.scope, node)
    return None


def outside_functions(scope: Scope, expression: ast.expr) -> Entity | None:
    """The entity of an expression in a file that is only read: a name that is bound once there, or a library's; or None."""
    if not isinstance(scope, StaticScope):
        return None
    try:
        return scope.named(expression)
    except AttributeError:
        return None


def _injected(path: str, entity: Entity) -> Entity:
    """A default, which the loader binds to a name unless it is a literal."""
    if isinstance(entity, Static):
        return Static(entity.payload, path)
    return Global(path, entity.kind, entity.payload, resolved=True) if isinstance(entity, Global) else entity
