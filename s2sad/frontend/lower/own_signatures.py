"""The signatures of functions and methods of Python's own: a call that does not fit fails, as in Python, before it is lowered.

What gives such a call a meaning then reads the arguments that it knows, and finds those that must be given by position.
"""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
import math
import operator
import types
from typing import Any, NamedTuple

import gast

from s2sad.frontend.entities import Entity, Spread
from s2sad.frontend.lower.state import Lowering

# Of those that do not tell it themselves.
STATED: dict[Any, Any] = {
    min: lambda item, /, *items, key=None, default=None: None,
    max: lambda item, /, *items, key=None, default=None: None,
    int: lambda x=0, /, base=10: None,
    str: lambda object="", encoding="", errors="": None,  # noqa: A006  (its own name)
    slice: lambda start, stop=None, step=None, /: None,
    range: lambda start, stop=None, step=None, /: None,
    set: lambda iterable=(), /: None,
    frozenset: lambda iterable=(), /: None,
    dict: lambda iterable=(), /, **items: None,
    type: lambda subject, bases=None, members=None, /, **options: None,
    vars: lambda subject=None, /: None,
    getattr: lambda subject, name, default=None, /: None,
    iter: lambda subject, sentinel=None, /: None,
    next: lambda iterator, default=None, /: None,
    map: lambda function, iterable, /, *iterables: None,
    filter: lambda function, iterable, /: None,
    zip: lambda *iterables, strict=False: None,
    super: lambda cls=None, subject=None, /: None,
    math.hypot: lambda *coordinates: None,
    types.SimpleNamespace: lambda **items: None,
    collections.OrderedDict: lambda iterable=(), /, **items: None,
    collections.deque: lambda iterable=(), maxlen=None: None,
    collections.defaultdict: lambda default_factory=None, iterable=(), /, **items: None,
    functools.reduce: lambda function, iterable, initial=None, /: None,
    functools.partial: lambda function, /, *args, **keywords: None,
    operator.itemgetter: lambda item, /, *items: None,
    operator.attrgetter: lambda name, /, *names: None,
    operator.methodcaller: lambda name, /, *args, **keywords: None,
    itertools.chain: lambda *iterables: None,
    itertools.product: lambda *iterables, repeat=1: None,
    itertools.repeat: lambda object, times=None: None,  # noqa: A006
    itertools.islice: lambda iterable, start, stop=None, step=None, /: None,
    itertools.zip_longest: lambda *iterables, fillvalue=None: None,
    dict.items: lambda self, /: None,
    dict.keys: lambda self, /: None,
    dict.values: lambda self, /: None,
    dict.copy: lambda self, /: None,
    dict.clear: lambda self, /: None,
    dict.pop: lambda self, key, default=None, /: None,
    dict.update: lambda self, iterable=(), /, **items: None,
    set.add: lambda self, item, /: None,
    set.remove: lambda self, item, /: None,
    set.discard: lambda self, item, /: None,
    set.pop: lambda self, /: None,
    collections.deque.append: lambda self, item, /: None,
    collections.deque.appendleft: lambda self, item, /: None,
    collections.deque.extend: lambda self, items, /: None,
    collections.deque.extendleft: lambda self, items, /: None,
}
# Those that Python defines, and that have a meaning of their own here.
WRITTEN = {"copy", "heapq", "bisect", "statistics", "dataclasses"}
MODULES = {
    "builtins", "_heapq", "_bisect", "itertools", "collections", "functools", "_functools", "operator", "_operator", "math",
    "cmath",
}  # fmt: skip
CLASSES = (list, tuple, dict, str, set, frozenset, collections.deque, collections.OrderedDict, collections.defaultdict)


class Arguments(NamedTuple):
    """The results of a call."""

    args: list[Entity]
    kwargs: dict[str, Entity]


@functools.cache
def _stated(function: Any) -> inspect.Signature | None:
    """The signature of what C defines; None where nobody tells."""
    try:
        return inspect.signature(STATED.get(function, function))
    except (TypeError, ValueError):
        return None


def of_function(ctx: Lowering, function: Any, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Arguments:
    """The arguments of a call, what must be given by position. Refuses what the function would not take."""
    home = getattr(function, "__module__", "")
    of_c = isinstance(function, types.BuiltinFunctionType | type) and home in MODULES
    signature = _stated(function) if of_c or isinstance(function, types.FunctionType) and home in WRITTEN else None
    if signature is None:
        return Arguments(args, kwargs)
    _check(ctx, signature, function.__name__, args, kwargs, node)
    return _by_position(signature, args, kwargs)


def of_method(ctx: Lowering, cls: Any, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> None:
    """Refuse what a method of a container, or of text, would not take."""
    function = getattr(cls, name, None) if cls in CLASSES else None
    signature = None if function is None else _stated(function)
    if signature is None and function is not None and issubclass(cls, dict):  # an OrderedDict says nothing of its own
        signature = _stated(getattr(dict, name, None))
    if signature is not None:
        itself = list(signature.parameters.values())[1:]
        _check(ctx, signature.replace(parameters=itself), f"{cls.__name__}.{name}", args, kwargs, node)


def _check(
    ctx: Lowering, signature: inspect.Signature, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> None:
    """Fail as the call does, as far as the number of arguments is known."""
    counted = not any(isinstance(arg, Spread) for arg in args)
    try:
        signature.bind(*args, **kwargs) if counted else signature.bind_partial(**kwargs)
    except TypeError as error:
        ctx.fail(node, TypeError(f"{name}(): {error}"), f"this call of {name}", "the arguments that it has")


def _by_position(signature: inspect.Signature, args: list[Entity], kwargs: dict[str, Entity]) -> Arguments:
    """The arguments without a default by position."""
    args, kwargs = list(args), dict(kwargs)
    if any(isinstance(arg, Spread) for arg in args):
        return Arguments(args, kwargs)
    for parameter in list(signature.parameters.values())[len(args) :]:
        if parameter.name not in kwargs or parameter.default is not parameter.empty:
            break
        args.append(kwargs.pop(parameter.name))
    return Arguments(args, kwargs)
