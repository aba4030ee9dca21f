"""Calls that are not one primitive: Python's builtins on sequences, functools, and NumPy's functions that store."""

from __future__ import annotations

import cmath
import functools
import math
import types
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Choice,
    Closure,
    Entity,
    Iteration,
    Members,
    Method,
    Partial,
    Record,
    SourceFunction,
    Spread,
    Static,
    Struct,
)
from s2sad.frontend.lower import (
    built_on,
    contexts,
    control,
    dicts,
    keeping,
    known_objects,
    maps,
    objects,
    ordering,
    ranking,
)
from s2sad.frontend.lower import iterator_definitions as definitions
from s2sad.frontend.lower.arithmetic import as_real, length_of
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.fitting import fits
from s2sad.frontend.lower.iteration import (
    defined,
    indexed,
    is_lazy,
    later,
    of_entity,
    run_of,
    unspread,
    with_position,
    zipped,
)
from s2sad.frontend.lower.lists import as_tuple, extend, list_of, listed, new_list, of_parts
from s2sad.frontend.lower.maybe import flag, held, is_maybe
from s2sad.frontend.lower.operators import binary_op
from s2sad.frontend.lower.selection import comparison
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import (
    OBJECT,
    STR,
    UNSURE,
    Array,
    List,
    Scalar,
    StructKind,
    Tuple,
    TupleOf,
    rank_of,
)
from s2sad.ir.nodes import Const, Undef, Value
from s2sad.rules.preludes import form_class, stands_for
from s2sad.runtime import arguments

Handler = Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]
PYTHON = {"float64": float, "int64": int, "complex128": complex, "bool": bool}


# --- sequences


def _iterate(ctx: Lowering, entity: Entity, node: gast.AST) -> Iteration:
    return of_entity(ctx, entity, node)


def fold(
    ctx: Lowering, start: Entity | None, items: Entity, step: Callable[[Entity, Entity], Entity], node: Any, neutral: Any = None
) -> Entity:
    """A left fold over a sequence: unrolled over known items, a loop otherwise.

    A start that is ``neutral`` is left out where nobody can tell.
    """
    idle = isinstance(start, Const) and start.payload == neutral
    key = (Record("fold", "own"), "total")
    run = None if start is None else run_of(ctx, items, node)
    if run is not None and start is not None:
        ctx.variables[key] = start

        def add(item: Entity) -> Entity:
            total = ctx.variables[key]
            ctx.variables[key] = item if idle and total is start and _stays(item, start) else step(total, item)
            return Const(False)

        run(add, False)
        return ctx.variables.pop(key)
    it = _iterate(ctx, items, node)
    if it.items is not None:
        rest = it.turns()
        if start is None and not rest:
            ctx.fail(node, ValueError("there is no item to begin with"), "taking one item of none", "give it items, or a default")
        if start is None:
            start = rest.pop(0)()
        for k, turn in enumerate(rest):
            item = turn()
            left_out = idle and k == 0 and _stays(item, start, more=len(rest) > 1)
            start = item if left_out else step(start, item)
        it.check()
        return start
    length, item_at = indexed(ctx, it, node)
    first = 0 if start is not None else 1
    ctx.variables[key] = start if start is not None else item_at(Const(0))

    def body(index: Value) -> None:
        ctx.variables[key] = step(ctx.variables[key], item_at(index))

    span = (
        ctx.builder.call("builtins.range", length)
        if not first
        else ctx.builder.call("builtins.range", Const(1), length)
    )
    control.for_loop(ctx, span, None, body, node, lambda: None)
    return ctx.variables.pop(key)


def _sum(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    start = args[1] if len(args) > 1 else kwargs.get("start", Const(0))
    return fold(ctx, start, args[0], lambda a, b: binary_op(ctx, gast.Add, a, b, node), node, 0)


def _prod(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return fold(ctx, kwargs.get("start", Const(1)), args[0], lambda a, b: binary_op(ctx, gast.Mult, a, b, node), node, 1)


def _fsum(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``math.fsum`` of an iterator: of the list of what it gives."""
    if len(args) != 1 or not isinstance(args[0], Iteration):
        return None
    items = apply(ctx, Static(list, "builtins.list"), args, {}, node)
    return ctx.builder.call("math.fsum", ctx.value(items, node))


def _hypot(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``math.hypot(*xs)`` of unknown length, two by two."""
    if not any(isinstance(a, Spread) for a in args):
        return None

    def step(a: Entity, b: Entity) -> Entity:
        return ctx.builder.call("math.hypot", *(as_real(ctx, ctx.value(one, node)) for one in (a, b)))

    return fold(ctx, Const(0.0), of_parts(ctx, args, node), step, node)


def _stays(item: Entity, start: Entity | None, more: bool = False) -> bool:
    """Test for an item that adding 0, or multiplying by 1, leaves as it is: a boolean becomes an integer, an array another.

    ``more``: what becomes of that is used up by another item.
    """
    assert isinstance(start, Const)
    if not isinstance(item, Value) or not (isinstance(item.kind, Scalar) or isinstance(item.kind, Array) and more):
        return False
    dtype = item.kind.dtype or "bool"
    return dtype.startswith(("float", "complex")) or (type(start.payload) is int and dtype != "bool")


ITEM = {"max": "s2sad.runtime.largest_item", "min": "s2sad.runtime.smallest_item"}  # of a vector


def _extremum(name: str) -> Handler:
    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if "default" in kwargs and len(args) > 1:
            error = TypeError(f"Cannot specify a default for {name}() with multiple positional arguments")
            ctx.fail(node, error, f"this call of {name}", "one of both")
        if kwargs:
            return ordering.extremum(name)(ctx, args, kwargs, node)
        if any(isinstance(a, Spread) for a in args):
            args = [of_parts(ctx, args, node)]
        if len(args) > 1:
            args = [Struct(args)]
        it = _iterate(ctx, args[0], node)
        if ordering.holds_tuples(ctx, it) or ranking.are_objects(it.items or []):
            return ordering.extremum(name)(ctx, [replace(it)], {}, node)
        if (
            it.items is None
            and isinstance(args[0], Value)
            and isinstance(args[0].kind, Array)
            and args[0].kind.rank == 1
        ):
            return ctx.builder.call(ITEM[name], args[0])

        def step(a: Entity, b: Entity) -> Entity:
            return ctx.builder.call(f"builtins.{name}", ctx.value(a, node), ctx.value(b, node))

        return fold(ctx, None, replace(it), step, node)

    return handler


def _list(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    if not args:
        return new_list(ctx)
    it = _iterate(ctx, args[0], node)
    if it.items is not None:
        return list_of(ctx, it.items)
    if isinstance(args[0], Value) and isinstance(args[0].kind, List) and not maps.is_map(args[0]):
        fresh = new_list(ctx)
        fresh.kind = List(args[0].kind.item)
        extend(ctx, fresh, args[0])
        return fresh
    length, item_at = indexed(ctx, it, node)

    def item(index: Value) -> Entity:
        found = item_at(index)  # of zip(*rows) a column, which is a tuple in Python
        return _tuple(ctx, [found], {}, node) or found if isinstance(found, Iteration) else found

    return listed(ctx, length, item, node)


def _tuple(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """Known items make a tuple; a list of unknown length stands for itself, unless it may be an index."""
    if not args:
        return Struct([])
    it = _iterate(ctx, args[0], node)
    if it.items is not None:
        return Struct(list(it.items))
    made = _list(ctx, [replace(it)] if isinstance(args[0], Iteration) else args, kwargs, node)
    return as_tuple(ctx, made, node) if isinstance(made, Value) else made


def _dict(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return dicts.made(ctx, node, args, kwargs)


def _map(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    if len(args) == 2 and is_lazy(args[1]):
        return defined(ctx, definitions.mapped, args, node)
    if any(map(is_lazy, args[1:])):
        return defined(ctx, definitions.starmapped, [args[0], apply(ctx, Static(zip, "builtins.zip"), args[1:], {}, node)], node)

    def generator() -> Entity:
        if len(args) == 2:
            return defined(ctx, definitions.mapped, args, node)
        rows = apply(ctx, Static(zip, "builtins.zip"), args[1:], {}, node)
        return defined(ctx, definitions.starmapped, [args[0], rows], node)

    known = any(isinstance(arg, Struct | Iteration) for arg in args[1:])
    made = later(ctx, lambda: _mapped(ctx, args[0], args[1:], node), stepwise=generator if known else None)
    return made if known else with_position(ctx, made)


def _mapped(ctx: Lowering, function: Entity, args: list[Entity], node: Any) -> Entity:
    its = unspread(ctx, args, node)
    rows = zipped(ctx, its, node)

    def of(row: Entity) -> Entity:
        assert isinstance(row, Struct)
        return apply(ctx, function, list(row.items), {}, node)

    if rows.items is not None:
        found = [of(turn()) for turn in rows.turns()]
        for it in its:
            it.check()
        return Iteration(items=found)
    row_at = rows.item
    assert row_at is not None
    return replace(rows, item=lambda i: of(row_at(i)))


def _reduce(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    start = args[2] if len(args) > 2 else None
    if is_lazy(args[1]):
        return defined(ctx, definitions.reduced if start is None else definitions.reduced_from, args, node)
    return fold(ctx, start, args[1], lambda a, b: apply(ctx, args[0], [a, b], {}, node), node)


def _partial(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    if isinstance(args[0], Value) and isinstance(args[0].kind, Scalar | Array | List):
        ctx.fail(node, TypeError("the first argument must be callable"), "partial of this", "a function")
    return Partial(args[0], args[1:], kwargs)


def _where_held(ctx: Lowering, maybe: Entity, ask: Callable[[Entity], Entity], node: Any) -> Entity:
    """The answer of the class of something that may be None: of both, where that is not known to be one of them."""
    of_none = ask(Const(None))
    return control.choose(ctx, ctx.value(flag(maybe), node), lambda: ask(held(maybe)), lambda: of_none, node)


def _len(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    if args and isinstance(args[0], Members) and isinstance(args[0].items, Record):
        return Const(len(ctx.keys(args[0].items, node)))
    if is_maybe(args[0]):
        inside = control.there(ctx, args[0], "object of type 'NoneType' has no len()", node)
        return apply(ctx, Static(len, "len"), [inside], {}, node)
    if (inner := built_on.contents(ctx, args[0], "__len__")) is not args[0]:
        return apply(ctx, Static(len, "len"), [inner], {}, node)
    if isinstance(args[0], Struct):
        return Const(len(args[0].items))
    if isinstance(args[0], Const) and isinstance(args[0].payload, str | tuple | frozenset):
        return Const(len(args[0].payload))
    if isinstance(args[0], Value) and isinstance(args[0].kind, Tuple):
        return Const(len(args[0].kind.items))
    if isinstance(args[0], Record):
        return (
            Const(len(ctx.keys(args[0], node)))
            if args[0].kind == "dict"
            else objects.call_method(ctx, args[0], "__len__", [], {}, node)
        )
    kind = ctx.kind(args[0])
    if isinstance(kind, Scalar):
        names = (cls.__name__ if cls in PYTHON.values() else f"numpy.{cls.__name__}" for cls in _number_classes(kind))
        of = " or ".join(sorted(names))
        ctx.fail(node, TypeError(f"object of type '{of}' has no len()"), "the length of a number", "np.size(x)")
    if rank_of(kind) == 0:
        ctx.fail(node, TypeError("len() of unsized object"), "the length of an array without axes", "np.size(x)")
    return length_of(ctx, args[0]) if isinstance(args[0], Value) and isinstance(kind, Array) else None


def _united(option: Entity) -> list[Entity]:
    """The classes of ``A | B``."""
    union = isinstance(option, Static) and isinstance(option.payload, types.UnionType)
    return [Static(cls) for cls in option.payload.__args__] if union else [option]  # type: ignore[union-attr]


def _is_no_class(entity: Entity) -> bool:
    """Certainty that something is neither a class nor a tuple of classes."""
    if isinstance(entity, Const):
        return not isinstance(entity.payload, tuple)
    known = isinstance(entity, Value) and isinstance(entity.kind, Scalar | Array | List)
    return known or isinstance(entity, Closure | Record)


def _isinstance(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """Known from the kind, or refused: a branch on types must not be guessed."""
    subject, classes = args
    if is_maybe(subject):
        return _where_held(ctx, subject, lambda one: apply(ctx, Static(isinstance, "isinstance"), [one, classes], {}, node), node)
    options = classes.items if isinstance(classes, Struct) else [classes]
    options = [each for option in options for each in _united(option)]
    types_ = tuple(o.payload for o in options if isinstance(o, Static) and isinstance(o.payload, type))
    if any(map(_is_no_class, options)) or isinstance(classes, Struct) and classes.kind == "list":
        error = TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union")
        ctx.fail(node, error, "isinstance of this", "a class, or a tuple of classes")
    if len(types_) != len(options):
        return None
    within = _is_of_form(subject, types_)
    if within is not None:
        return Const(within)
    kind = subject.kind if isinstance(subject, Value) else None
    if isinstance(kind, Scalar) and kind.mixed:
        answers = {issubclass(cls, types_) for cls in _number_classes(kind)}
        return Const(answers.pop()) if len(answers) == 1 else None
    cls = class_of(subject)
    if cls is None:
        return None
    _check_sort(ctx, subject, types_, node)
    if observe.decides(cls, "__class__"):
        ctx.refuse(node, f"isinstance of an object of {cls.__name__}", "it says itself which class it has", "type(x) is C")
    return Const(any(observe.subclass(cls, t) for t in types_))


def _check_sort(ctx: Lowering, subject: Entity, classes: Iterable[type], node: Any) -> None:
    """Refuse to say whether something is one of these subclasses of dict, where all that is known is that it is a dict."""
    if not maps.is_dict(subject):
        return
    if maps.sort_of(ctx, subject) == UNSURE and any(issubclass(cls, dict) and cls is not dict for cls in classes):
        ctx.refuse(node, "asking for the class of this dict", "it may be a plain one, or another", "an argument that says which")


def _is_of_form(subject: Entity, classes: tuple[type, ...]) -> bool | None:
    """The answer to ``isinstance`` within a form, where it asks for one; None where it does not."""
    ours = tuple(cls for cls in classes if form_class(cls))
    if not ours:
        return None
    if isinstance(subject, Record):
        found = isinstance(subject.cls, type) and issubclass(subject.cls, ours)
    else:
        outside = isinstance(subject, Static) or isinstance(subject, Value) and subject.kind == OBJECT
        found = outside and any(cls.__name__ == "Outside" for cls in ours)
    return found if found or len(ours) == len(classes) else None


def class_of(subject: Entity) -> type | None:
    """The class of what an expression stands for; None where only running the program tells."""
    if isinstance(subject, Struct):
        return subject.cls or (tuple if subject.kind == "tuple" else list)
    if isinstance(subject, Const | Static):
        return type(subject.payload)
    if isinstance(subject, Closure | SourceFunction | Method | Partial):
        return _class_of_callable(subject)
    if isinstance(subject, Record):
        return stands_for(subject.cls) or (dict if subject.sort is None else subject.sort.cls)
    if isinstance(subject, Value) and subject.kind.keyed:
        return maps.class_of(subject.kind)
    like = example(subject.kind) if isinstance(subject, Value) else None
    return None if like is None else type(like)


def _number_classes(kind: Scalar) -> list[type]:
    """The classes of which a number may be."""
    if kind.types is None:
        return [bool, int, float, complex, np.bool_, np.int64, np.float32, np.float64, np.complex128]
    return [PYTHON[dtype] if weak else np.dtype(dtype).type for dtype, weak in kind.types]


def _class_of_callable(entity: Closure | SourceFunction | Method | Partial) -> type:
    """The class of something that is called."""
    bound = isinstance(entity, Partial) and bool(entity.args) and isinstance(entity.args[0], Record)
    if isinstance(entity, Partial) and not bound:
        return functools.partial
    return types.MethodType if bound or isinstance(entity, Method) else types.FunctionType


def _callable(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """Known of everything but what a name may stand for at run time."""
    subject = args[0]
    if is_maybe(subject):
        return _where_held(ctx, subject, lambda one: apply(ctx, Static(callable, "callable"), [one], {}, node), node)
    if isinstance(subject, Static):
        return Const(observe.has(type(subject.payload), "__call__"))
    if isinstance(subject, Record):
        return Const(observe.has(subject.cls, "__call__"))
    if isinstance(subject, Closure | Partial | Method | SourceFunction):
        return Const(True)
    if isinstance(subject, Choice):

        def answer(one: Entity) -> bool | None:
            found = _callable(ctx, [one], {}, node)
            return bool(found.payload) if isinstance(found, Const) else None

        return comparison(ctx, subject, answer)
    plain = isinstance(subject, Const | Struct) or isinstance(ctx.kind(subject), Scalar | Array | List | Tuple)
    return Const(False) if plain else None


def example(kind: Any) -> Any:
    """Something of a kind; None where its class is not known."""
    if isinstance(kind, Scalar) and kind.mixed:
        return None
    if isinstance(kind, Scalar):
        number = np.dtype(kind.dtype).type(0)
        return number.item() if kind.weak else number
    if isinstance(kind, Array):
        return np.zeros(0, kind.dtype or "float64")
    if kind.keyed or isinstance(kind, StructKind):
        return {}
    if isinstance(kind, List):
        return () if isinstance(kind, TupleOf) else []
    if isinstance(kind, Tuple):
        return ()
    return "" if kind == STR else None


def _pow(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    if len(args) + len(kwargs) > 2:
        ctx.refuse(node, "pow with a modulus", "it is for integers, and has no derivative", "x ** y % z")
    given = [*args, *(kwargs[name] for name in ("base", "exp")[len(args) :] if name in kwargs)]
    return ctx.builder.call("builtins.pow", *(ctx.value(a, node) for a in given)) if len(given) == 2 else None


def _number(kind: type[int | float]) -> Handler:
    """``float(x)`` or ``int(x)`` of a literal."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if not args:
            return Const(kind())
        if len(args) > 1 or kwargs:
            found = known_objects.computed(ctx, kind, args, kwargs, node)
            return found or ctx.refuse(node, "a base of this text", "it is known only when the program runs", "an integer")
        if isinstance(args[0], Const) and isinstance(args[0].payload, str | int):
            try:
                return Const(kind(args[0].payload))
            except ValueError as error:
                ctx.fail(node, error, f"{kind.__name__} of this text", "a number")
        return None

    return handler


def _slice(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    parts = [ctx.value(a, node) for a in args]
    if len(parts) == 1:
        parts.insert(0, Const(None))
    parts += [Const(None)] * (3 - len(parts))
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*(p.payload for p in parts if isinstance(p, Const))))
    return ctx.builder.call("builtins.slice", *parts)


def _divmod(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    x, y = (ctx.value(a, node) for a in args)
    return Struct([ctx.builder.call("operator.floordiv", x, y), ctx.builder.call("operator.mod", x, y)])


def _polar(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    z = ctx.value(args[0], node)
    return Struct([ctx.builder.call("builtins.abs", z), ctx.builder.call("cmath.phase", z)])


def _hasattr(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """Of numbers, arrays and lists: what their class has. ``classes`` knows about objects."""
    like = args[0].payload if isinstance(args[0], Const) else example(ctx.kind(args[0]))
    if isinstance(like, frozenset):  # what is written as a set may be one that changes
        return None
    known = isinstance(args[1], Const) and (like is not None or isinstance(args[0], Const))
    return Const(hasattr(like, args[1].payload)) if known else None  # type: ignore[union-attr]


def _same(function: Any) -> Any:
    """A decorator that changes nothing about what a function computes."""
    return function


def _wraps(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return Static(_same)


TABLE: dict[Any, Handler] = {
    math.prod: _prod,
    math.hypot: _hypot,
    math.fsum: _fsum,
    arguments.fits: fits,
    _same: lambda ctx, args, kwargs, node: args[0],
    contexts.left: contexts.leave,
    **{called: called for called in keeping.CALLED},
    keeping.decorated: keeping.decorated,
    functools.wraps: _wraps,
    functools.lru_cache: keeping.keeps,
    functools.cache: keeping.keeps,
    sum: _sum,
    min: _extremum("min"),
    max: _extremum("max"),
    list: _list,
    tuple: _tuple,
    dict: _dict,
    map: _map,
    functools.reduce: _reduce,
    definitions.nothing_yet: lambda ctx, args, kwargs, node: Undef(),
    functools.partial: _partial,
    len: _len,
    isinstance: _isinstance,
    callable: _callable,
    float: _number(float),
    int: _number(int),
    slice: _slice,
    divmod: _divmod,
    cmath.polar: _polar,
    hasattr: _hasattr,
    pow: _pow,
}

# Calls whose arguments are not evaluated as expressions first.
UNEVALUATED: dict[Any, Callable[[Lowering, gast.Call], Entity | None]] = {}
