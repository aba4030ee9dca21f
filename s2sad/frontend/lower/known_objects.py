"""Objects that are known at compile time and never change, and functions that are pure: what has only such arguments is
computed as the program is compiled.

    step = datetime.timedelta(hours=3)                 step is this span
    return x * step.total_seconds()          ==>       return x * 10800.0

    count = len(re.findall(r"\\d+", name))    ==>       count = 2
"""

from __future__ import annotations

import datetime
import enum
import operator
import re
import sys
from collections.abc import Iterator
from typing import Any

import gast

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Method, Static, Struct
from s2sad.frontend.lower import loaded
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import OBJECT
from s2sad.ir.nodes import Const, Global, Value
from s2sad.ir.pure import MAX_LENGTH, is_small

CLASSES = (
    datetime.timedelta, datetime.date, datetime.datetime, datetime.time, datetime.timezone, re.Pattern, re.Match,
)  # fmt: skip
LITERALS = (bool, int, float, complex, str, type(None))
# What these functions give depends on their arguments alone. Those that ask the clock, the locale or the time zone are not here.
PURE = {
    "re": "compile escape findall finditer fullmatch match search split sub subn",
    "json": "dumps loads",
    "calendar": "isleap leapdays monthrange timegm weekday",
    "datetime": "date datetime time timedelta timezone",
    "string": "capwords",
    "textwrap": "dedent fill indent shorten wrap",
    "unicodedata": "category name normalize numeric",
    "zlib": "adler32 crc32",
    "ast": "literal_eval",
    "shlex": "split",
    "posixpath": "basename dirname join split splitext",
}
TEXTUAL = ("re", "json", "shlex", "ast")  # whose sources do what is not followed
BUILT_IN = (len, str, bool, abs, min, max, sorted)  # of objects that are known; of literals there are rules
OF_CLASSES = ("combine", "fromisocalendar", "fromisoformat", "fromordinal", "strptime")  # of dates and times
IMPURE = ("astimezone", "timestamp", "strftime", "ctime")  # by time zone and locale

PARTS_OF_TIMES = ("days", "seconds", "microseconds", "year", "month", "day", "hour", "minute", "second", "microsecond")
METHODS_OF_TIMES = ("total_seconds", "weekday", "isoweekday", "toordinal")


def is_known_object(thing: Any) -> bool:
    """Test for an object that never changes, and that is its value."""
    return type(thing) in CLASSES


def is_pure(function: Any) -> bool:
    """Test for a function whose result is known where its arguments are."""
    owner = getattr(function, "__self__", None)
    if owner in CLASSES:
        return function.__name__ in OF_CLASSES
    name = getattr(function, "__name__", None)
    return any(name in names.split() and getattr(sys.modules.get(home), name, None) is function for home, names in PURE.items())


def call(ctx: Lowering, function: Any, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """The result of a pure function of what is known; None of other calls."""
    if any(function is one for one in BUILT_IN):
        return computed(ctx, function, args, kwargs, node) if any(map(_is_object, args)) else None
    if ctx.program.from_files or not is_pure(function):
        return None
    found = computed(ctx, function, args, kwargs, node)
    if found is None and function.__module__ in TEXTUAL:
        what, why = f"{function.__module__}.{function.__name__} of this", "it is known only when the program runs what it is"
        ctx.refuse(node, what, why, "text that is written down, or its result as an argument")
    return found


def call_method(ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """The result of a method of an object that is known; None of other calls."""
    if loaded.is_modules(bound.owner):
        return loaded.call_method(ctx, bound, args, kwargs, node)
    owner = bound.owner.payload if isinstance(bound.owner, Static) else None
    if isinstance(bound.owner, Value) and bound.owner.kind == OBJECT and bound.name in METHODS_OF_TIMES and not args:
        return ctx.builder.call("s2sad.runtime.of_time", bound.owner, Const(bound.name))
    if not is_known_object(owner) or bound.name in IMPURE:
        return None
    return computed(ctx, getattr(owner, bound.name), args, kwargs, node)


def attribute(ctx: Lowering, owner: Static | Value, name: str, node: Any) -> Entity | None:
    """An attribute of an object that is known, a method before it is called, or of a time; None where there is none."""
    if isinstance(owner, Value):
        time = owner.kind == OBJECT and name in PARTS_OF_TIMES
        return ctx.builder.call("s2sad.runtime.of_time", owner, Const(name)) if time else None
    if loaded.is_modules(owner):
        return Method(owner, name)
    if not is_known_object(owner.payload) or not hasattr(owner.payload, name):
        return None
    found = getattr(owner.payload, name)
    return Method(owner, name) if callable(found) else entity_of(ctx, found, node)


def inverse(ctx: Lowering, operand: Entity, node: Any) -> Entity | None:
    """``~operand`` of flags; None of others."""
    asked = isinstance(operand, Static) and observe.is_flag(operand.payload)
    return computed(ctx, operator.invert, [operand], {}, node) if asked else None


def operation(ctx: Lowering, name: str, left: Entity, right: Entity, node: Any) -> Entity | None:
    """An operator on what is known, an object on one side; None of others."""
    if loaded.is_modules(left):
        return loaded.operation(ctx, name, right, node)
    asked = _is_object(left) or _is_object(right)
    return computed(ctx, getattr(operator, name), [left, right], {}, node) if asked else None


def _is_object(entity: Entity) -> bool:
    return isinstance(entity, Static) and (is_known_object(entity.payload) or observe.is_flag(entity.payload))


def computed(ctx: Lowering, function: Any, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    try:
        given = [*map(_known, args)]
        named = {name: _known(one) for name, one in kwargs.items()}
    except _Unknown:
        return None
    try:
        found = function(*given, **named)
        return entity_of(ctx, [*found] if isinstance(found, Iterator) else found, node)
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, re.error) as error:
        ctx.fail(node, error, f"this call of {getattr(function, '__name__', function)}", "arguments that it takes")


class _Unknown(Exception):
    """Not known before the program runs."""


def _known(entity: Entity) -> Any:
    """The object that an entity stands for. Raises _Unknown."""
    if isinstance(entity, Const):
        return entity.payload
    if isinstance(entity, Global) and entity.resolved and type(entity.payload) in LITERALS:
        return entity.payload
    if isinstance(entity, Static) and (is_known_object(entity.payload) or isinstance(entity.payload, enum.Enum)):
        return entity.payload
    if isinstance(entity, Struct) and entity.kind in ("tuple", "list") and entity.cls is None:
        items = [*map(_known, entity.items)]
        return items if entity.kind == "list" else tuple(items)
    raise _Unknown


def entity_of(ctx: Lowering, found: Any, node: Any) -> Entity | None:
    """The entity of what was computed; None of what cannot be followed."""
    if type(found) in LITERALS:
        return Const(found) if is_small(found) else None
    if type(found) is tuple or type(found) is list and not _is_plain(found):
        items = [entity_of(ctx, item, node) for item in found]
        made = [item for item in items if item is not None]
        return Struct(made, type(found).__name__) if len(made) == len(items) else None
    if type(found) in (list, dict) and _is_plain(found):
        display = gast.parse(repr(found), mode="eval").body
        for part in gast.walk(display):
            gast.copy_location(part, node)
        return lower(ctx, display)
    return Static(found) if is_known_object(found) or isinstance(found, enum.Enum) else None


def _is_plain(found: Any) -> bool:
    """Test for lists and dicts of literals that can be written down, and that are not large."""
    if isinstance(found, list | tuple | dict):
        inner = [*found, *found.values()] if isinstance(found, dict) else found
        return len(inner) <= MAX_LENGTH and all(map(_is_plain, inner))
    return type(found) in LITERALS and repr(found) not in ("inf", "-inf", "nan") and not isinstance(found, complex)
