"""The one look at the outside world, and its log: what a program depends on, and when it may be used again.

Whatever the front end learns of live objects it learns here: by which name an object is reached, what was found, and that
something was not there, so that the search went on. ::

    K, act = 0.5, np.tanh                     0  global  K       float 0.5
                                              0  global  act     1 is numpy.tanh
    def f(x):                                 0  code    -       2 code f 9c41e0...
        return abs(act(K * x))                0  global  abs     absent
                                              0  builtin abs     3 is builtins.abs

Each line has the number of the object that was looked at (0 is the function itself), how, by which name, and what was
found: a literal, or the number of another object, with what it is. The log serves twice. While the process lives it is a
*guard*, one generated function of identity checks: where it holds, the program may be used. On disk it is text, which is
*replayed*: the same looks at the live objects have to give the same lines. What has no text (an object that no name
leads to) is remembered in the process alone.

An object that is found a second time is told as the same: two names for one array, and two arrays, are different worlds.
"""

from __future__ import annotations

import abc
import contextlib
import enum
import functools
import gc
import importlib
import sys
import traceback
import types
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from s2sad.errors import S2sadError
from s2sad.frontend.source import Source, digest_of, source_of
from s2sad.ir import interpreter
from s2sad.ir.code import RENEW, renew
from s2sad.ir.kinds import BOUND, PARTIAL, Lasting, decided_by, floor_of, is_endless, is_fixed
from s2sad.rules import registry
from s2sad.rules.rooms import prelude_packages
from s2sad.runtime.guards import MOST_ITEMS, sizes_of
from s2sad.runtime.structures import IMMUTABLE, fields, hides, is_record

LITERALS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
PLAIN = (float, int, complex, bool)
NUMBERS = frozenset(PLAIN)
OF_FLAGS = ("__or__", "__and__", "__xor__", "__invert__", "__contains__", "__bool__", "__iter__", "__len__")
GATHERED = (deque, set)  # whose items are followed once a program reads or changes them


class _Absent:
    """Stands for what is not there."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Any = _Absent()


# --- the key of an argument: what is looked at before every call

FLOORS = {n: floor_of(n) for n in range(8)}
SHORT = 16  # items of a list


def key_of(value: Any) -> Hashable:
    """The key of one argument: its type; of an array its dtype and which axes have size 1, or few items; of a function itself.

    Containers and objects of users' classes have the keys of their parts.
    """
    kind: Hashable = type(value)  # type: ignore[assignment]  # every class is hashable
    if kind in NUMBERS:
        return kind
    if kind is np.ndarray:
        return (value.dtype, tuple([FLOORS.get(n, 8) for n in value.shape]))
    if kind is tuple or kind is list:
        if kind is list and len(value) > SHORT and all(type(v) is type(value[0]) for v in value) and type(value[0]) in PLAIN:
            return (list, type(value[0]))
        return (kind, tuple(map(key_of, value)))
    if kind is dict:
        return (dict, tuple((k if type(k) is str else exact(k), key_of(v)) for k, v in value.items()))
    if hides(value):
        return _Same(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, tuple(map(key_of, value)))
    if is_record(value):
        return (kind, tuple((k, key_of(v)) for k, v in fields(value).items()))
    if is_fixed(value):
        return _Same(value)
    if kind is slice:
        return (slice, *((type(v), v) if type(v) in PLAIN else type(v) for v in (value.start, value.stop, value.step)))
    if kind is functools.partial:
        return (kind, *(key_of(getattr(value, part)) for part in PARTIAL))
    if kind is types.MethodType:
        return (kind, *(key_of(getattr(value, part)) for part in BOUND))
    if isinstance(value, dict):
        items = tuple((k if type(k) is str else exact(k), key_of(v)) for k, v in value.items())
        return (kind, _Same(value.default_factory), items) if isinstance(value, defaultdict) else (kind, items)
    return _Same(value) if callable(value) else kind


FLAGS = (bool, int, str)  # what may say which way a program goes
NESTED_FLAGS = (bool, str)  # whole numbers in objects and dicts count things, and would be others at each call


class Valued(tuple[Hashable, ...]):
    """The key of an argument whose flags are known: its key, and their values."""

    __slots__ = ()


def valued_key_of(value: Any) -> Hashable:
    """The key of an argument together with the values of the flags in it; its key where there are none."""
    values = tuple(map(exact, _flags(value, FLAGS)))
    return Valued((key_of(value), *values)) if values else key_of(value)


class Sized(Valued):
    """The same of which the sizes of small arrays are known, too."""

    __slots__ = ()


def sized_key_of(value: Any) -> Hashable:
    """The key of an argument together with its flags and the sizes of the small arrays in it."""
    sizes = sizes_of(value)
    return Sized((valued_key_of(value), sizes)) if any(sizes) else valued_key_of(value)


class Detail(enum.IntEnum):
    """The detail in which a program relies on its arguments: the more, the fewer calls it serves."""

    KINDS = 0
    FLAGS = 1
    SIZES = 2
    WRITTEN = 3  # as SIZES; loops over a few known items are written out, so that what they collect is known item by item
    LATE = 4  # as FLAGS; what is refused of one of several things is refused when the program comes to it


SIZED = (Detail.SIZES, Detail.WRITTEN)


KEYS: dict[Detail, Callable[[Any], Hashable]] = {
    Detail.KINDS: key_of, Detail.FLAGS: valued_key_of, Detail.SIZES: sized_key_of,
    Detail.WRITTEN: sized_key_of, Detail.LATE: valued_key_of,
}  # fmt: skip


def _flags(value: Any, asked: Sequence[type]) -> Iterator[Any]:
    """Flags as ``specialise.kind_for`` finds them: arguments, items of tuples and lists, fields and what stands under keys."""
    if hides(value):
        return
    if type(value) in asked:
        yield value
    elif type(value) in (functools.partial, types.MethodType):
        for part in PARTIAL if type(value) is functools.partial else BOUND:
            yield from _flags(getattr(value, part), NESTED_FLAGS)
    elif isinstance(value, tuple | dict) or is_short(value) or is_record(value):
        inner = value if isinstance(value, tuple | list) else (value if isinstance(value, dict) else fields(value)).values()
        for part in inner:
            yield from _flags(part, asked if type(value) is tuple else NESTED_FLAGS)


def is_short(value: Any) -> bool:
    """Test for a list of so few items that the key of it has them all."""
    return type(value) is list and len(value) <= SHORT


def _values(thing: Any) -> tuple[Hashable, ...]:
    """The flags in something; of what holds itself nothing is relied upon."""
    return () if is_endless(thing) else tuple(map(exact, _flags(thing, FLAGS)))


def exact(literal: Any) -> Hashable:
    """A key that equals only those of literals of one type and value: in Python 1, 1.0 and True are equal, 0.0 and -0.0 too."""
    if type(literal) is tuple:
        return tuple(map(exact, literal))
    return (type(literal), repr(literal)) if type(literal) in PLAIN else literal


class _Same:
    """The key of an object that a program calls, which is known when it is compiled: equal to that of itself alone."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return repr(type(self.value))


# --- how one looks at an object


def _contents(function: Any, name: str) -> Any:
    try:
        return cell_of(function, name).cell_contents
    except ValueError:
        return ABSENT


def cell_of(function: Any, name: str) -> Any:
    return function.__closure__[function.__code__.co_freevars.index(name)]


def captures(function: Any, name: str) -> bool:
    """Test for a name that is a variable of a function around."""
    return name in function.__code__.co_freevars


def space_of(function: Any, name: str) -> Any:
    """The cell or module in which a function finds a free name; None if no module has its globals."""
    if captures(function, name):
        return cell_of(function, name)
    module = sys.modules.get(function.__globals__.get("__name__"))
    return module if module is not None and vars(module) is function.__globals__ else None


def _held(owner: Any, name: str) -> Any:
    """The member of a class or module itself, or the contents of a cell; ABSENT where there is none."""
    if not isinstance(owner, types.CellType):
        return owner.__dict__.get(name, ABSENT)
    try:
        return owner.cell_contents
    except ValueError:
        return ABSENT


def _default(function: Any, name: str) -> Any:
    code, given = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    if name not in positional:
        return (function.__kwdefaults__ or {}).get(name, ABSENT)
    table = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    return table.get(name, ABSENT)


def _shared_defaults(function: Any) -> set[str]:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return {n for n in names if (v := _default(function, n)) is not ABSENT and not _is_constant(v)}


def _is_constant(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_constant, value))
    return value is None or callable(value) or isinstance(value, bool | int | float | complex | str | np.generic)


def _member(cls: Any, name: str) -> Any:
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), ABSENT)


def _imported(path: str) -> Any:
    module, _, inner = path.partition(":")
    found: Any = sys.modules.get(module, ABSENT)
    if found is ABSENT and module.startswith(prelude_packages()):
        found = importlib.import_module(module)  # programs that stand for a library's functions: nobody else imports them
    for part in inner.split(".") if inner else ():
        found = getattr(found, part, ABSENT)
    return found


def inside(wrapper: Any) -> Any:
    """The function that an object of C calls and only wraps; ABSENT for other things.

    What it says of itself is not believed: ``__wrapped__`` can be set by anybody.
    """
    cls = type(wrapper)
    if cls is functools._lru_cache_wrapper:
        found = getattr(wrapper, "__wrapped__", ABSENT)
        return found if any(found is held for held in gc.get_referents(wrapper)) else ABSENT
    if cls.__module__.partition(".")[0] == "numba" and home_of(cls) is not None:
        return getattr(wrapper, "py_func", ABSENT)
    decorated = isinstance(wrapper, Lasting) and is_ours(cls) and wrapper.transformation is None  # and no derivative
    return wrapper.function if decorated else ABSENT


def inside_name(wrapper: Any) -> str:
    """The attribute under which it has what it calls."""
    return "function" if isinstance(wrapper, Lasting) else "__wrapped__" if hasattr(wrapper, "__wrapped__") else "py_func"


def _layout(thing: Any) -> Hashable:
    """The layout that is relied upon of what can change: of an array the dtype and the axes, of what holds itself nothing."""
    if type(thing) is np.ndarray:
        return thing.dtype, thing.ndim
    if is_endless(thing):
        return None
    return key_of(thing) if type(thing) not in GATHERED else frozenset(map(key_of, thing))


def _reach(thing: Any) -> tuple[Any, ...]:
    """All that can be changed within an object, itself included, in order; of objects that hold themselves, each once."""
    found: dict[int, Any] = {}

    def visit(part: Any) -> None:
        if type(part) in (functools.partial, types.MethodType):
            for name in PARTIAL if type(part) is functools.partial else BOUND:
                visit(getattr(part, name))
            return
        record = is_record(part)
        if id(part) in found or not (record or isinstance(part, tuple | list | dict) or type(part) in GATHERED):
            return
        if not isinstance(part, tuple):
            found[id(part)] = part
        for item in fields(part).values() if record else part.values() if isinstance(part, dict) else part:
            visit(item)

    visit(thing)
    return tuple(found.values())


def same(a: Any, b: Any) -> bool:
    """Agreement of two looks: one object, equal literals, or one method, which is made anew at each look."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in LITERALS:
        return repr(a) == repr(b)
    if type(a) is types.MethodType:
        return a.__func__ is b.__func__ and a.__self__ is b.__self__
    if type(a) in (types.BuiltinMethodType, types.MethodWrapperType):
        return a.__self__ is b.__self__ and a.__name__ == b.__name__
    return False


# What is found, and how it is asked at each call whether that is still so: as source text, where o is the object that is
# looked at, n the name, v what was found. Nothing is asked where the key of the arguments, or another line, tells.
Step = tuple[Callable[[Any, Any], Any], str]
STEPS: dict[str, Step] = {
    "argument": (lambda _, name: ABSENT, ""),
    "global": (lambda f, name: f.__globals__.get(name, ABSENT), ""),
    "builtin": (lambda f, name: f.__builtins__.get(name, ABSENT), ""),
    "cell": (_contents, "contents(o, n) is v"),
    "code": (lambda f, _: f.__code__, "o.__code__ is v"),
    "default": (_default, "default(o, n) is v"),
    "keeps": (lambda f, _: " ".join(sorted(_shared_defaults(f))), "keeps(o) == v"),
    "attribute": (lambda owner, name: getattr(owner, name, ABSENT), "same(getattr(o, n, ABSENT), v)"),
    "member": (_member, ""),
    "own": (lambda cls, name: cls.__dict__.get(name, ABSENT), ""),
    "order": (lambda cls, _: cls.__mro__, ""),
    "layout": (lambda x, _: _layout(x), "layout(o) == v"),
    "size": (lambda x, _: x.shape, "o.shape == v"),
    "flags": (lambda x, _: _values(x), "values(o) == v"),
    "reach": (lambda x, _: _reach(x), "all_same(reach(o), v)"),
    "holds": (lambda owner, name: _layout(_held(owner, name)), "holds(o, n) == v"),
    "decided": (lambda cls, _: decided_by(cls), "decided(o) == v"),
    "inside": (lambda x, _: inside(x), "inside(o) is v"),
    "import": (lambda _, path: _imported(path), ""),
    "module": (lambda _, name: sys.modules.get(name, ABSENT), "modules.get(n, ABSENT) is v"),
    "dispatch": (lambda f, cls: f.dispatch(cls), "o.dispatch(n) is v"),
    "renewed": (lambda f, _: renew(f), "renew(o)"),
    "subclass": (lambda cls, other: issubclass(cls, other), "issubclass(o, n) is v"),
}
BY_OBJECT = ("dispatch", "subclass")  # what is looked by is an object, too: in the log its number


# --- whose a thing is


def home_of(thing: Any) -> str | None:
    """``module:name`` under which exactly this object can be imported; None if it has no such name."""
    if isinstance(thing, types.ModuleType):
        return f"{thing.__name__}:" if sys.modules.get(thing.__name__) is thing else None
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    known = registry.name_of(thing) if callable(thing) else None
    candidates = [f"{module}:{name}"] if isinstance(module, str) and isinstance(name, str) else []
    if known is not None:
        candidates.append(":".join(known.rsplit(".", 1)))
    if isinstance(name, str):
        candidates.append(f"builtins:{name}")
    if isinstance(thing, enum.Enum):
        candidates.append(f"{type(thing).__module__}:{type(thing).__qualname__}.{thing._name_}")
    return next((path for path in candidates if _imported(path) is thing), None)


def path_of(thing: Any) -> str:
    """A name for something by which messages and programs mention it: where it is found, or what it is called."""
    home = home_of(thing)
    return str(getattr(thing, "__name__", "")) if home is None else home.replace(":", ".")


def _home_module(thing: Any) -> str:
    """The module in which a function was written, or under which a class can be imported."""
    if isinstance(thing, types.FunctionType):
        name = thing.__globals__.get("__name__")
        module = sys.modules.get(name) if isinstance(name, str) else None
        return str(name) if module is not None and vars(module) is thing.__globals__ else ""
    return str(getattr(thing, "__module__", "")) if home_of(thing) is not None else ""


def is_library(thing: Any) -> bool:
    """Test for a function or class of NumPy or SciPy, whose sources are not transformed."""
    return _home_module(thing).partition(".")[0] in ("numpy", "scipy")


def _is_installed(module: Any) -> bool:
    """Test for a module of NumPy, SciPy or Python, whose versions are a part of every key."""
    if not isinstance(module, types.ModuleType) or sys.modules.get(module.__name__) is not module:
        return False
    return is_versioned(module.__name__)


def is_versioned(module: str) -> bool:
    """Test for a module of NumPy, SciPy or Python, by its name."""
    root = module.partition(".")[0]
    return root in ("numpy", "scipy") or root in sys.stdlib_module_names


def raised_by_user(error: BaseException) -> str | None:
    """The file and line of code of the user's (``__getattr__``, a property) that raised while it was looked at; None for ours."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    module = str(frame.f_globals.get("__name__"))
    ours = module.partition(".")[0] == "s2sad" or is_versioned(module)
    return None if ours and module != "__main__" else f"{frame.f_code.co_filename}:{line}"


def is_ours(thing: Any) -> bool:
    """Test for a function or class of this package: its version is a part of every key."""
    return _home_module(thing).partition(".")[0] == "s2sad"


# --- the log

Line = tuple[int, str, Any, str | None]  # the number of the object looked at, how, by which name, what was found


class Log:
    """The log of all that was seen of the world around one function, in order."""

    def __init__(self, function: types.FunctionType, values: Mapping[str, Any]) -> None:
        self.objects: list[Any] = [function]
        self.numbers: dict[int, int] = {id(function): 0}
        self.lines: list[Line] = []
        self.found: dict[tuple[int, str, Any], Any] = {}
        self.private = ""  # why the log cannot be written down
        self.detail = Detail.KINDS
        self.helps: set[Detail] = set()  # what might have made another program of it
        self.revision = registry.revision
        for name, value in values.items():
            self._record((0, "argument", name), value)

    def look(self, owner: Any, step: str, name: Any = "") -> Any:
        """Look at an object, and remember what was found: a second look finds the same."""
        by = self._number(name) if step in BY_OBJECT else name
        key = (self._number(owner), step, by)
        if key not in self.found:
            self._record(key, STEPS[step][0](owner, name))
        return self.found[key]

    def _record(self, key: tuple[int, str, Any], found: Any) -> None:
        number, step, name = key
        fresh: list[Any] = []
        if step in ("reach", "holds"):
            text: str | None = None  # which objects these are, only this process can tell
        elif step == "flags":
            text = repr(found)
        elif step == "code":
            text = digest_of(self.objects[number])
        elif step == "order":
            text = ", ".join(f"{cls.__module__}.{cls.__qualname__}" for cls in (*found, type(self.objects[number])))
            fresh.append(type(self.objects[number]))
        else:
            owner = self.objects[number]
            if step == "attribute" and not isinstance(owner, types.ModuleType) and not same(getattr(owner, name, ABSENT), found):
                raise S2sadError(
                    f"the attribute {name!r} of a {type(owner).__name__} is another object at each look",
                    why="what it will be when the program runs is not known", instead="pass it as an argument",
                )  # fmt: skip
            text = "" if step == "layout" else self._told_by(owner, step, found, fresh)
        if text is None:
            self.private = self.private or f"what {name!r} is cannot be written down"
        self.lines.append((number, step, name, text))
        self.found[key] = found
        for thing in fresh:
            if isinstance(thing, type):
                if not thing.__flags__ & IMMUTABLE:
                    self.look(thing, "order")
            elif step != "argument":
                self.look(thing, "layout")

    def forget(self, cls: Any, name: str) -> None:
        """Drop what was seen of an attribute of a class, or of a name, while it was taken for a constant, before it was found to
        be written."""
        for key in [key for key in self.found if key[1] in ("global", "cell") and key[2] == name]:
            if space_of(self.objects[key[0]], name) is cls:
                del self.found[key]
        for key in [key for key in self.found if key[1] in ("attribute", "member", "own") and key[2] == name]:
            owner = self.objects[key[0]]
            alone = key[1] == "own" or isinstance(owner, types.FunctionType)
            line = (owner,) if alone else owner.__mro__ if isinstance(owner, type) else ()
            if next((base for base in line if name in vars(base)), None) is cls:
                del self.found[key]

    def _number(self, thing: Any) -> int:
        """The number of an object; one that no look has led to is imported, or has no name."""
        if id(thing) not in self.numbers:
            path = home_of(thing)
            if path is not None:
                self.look(self.objects[0], "import", path)
            else:
                self.private = self.private or f"no name leads to a {type(thing).__name__}"
        return self.numbers[id(thing)] if id(thing) in self.numbers else self._node(thing)

    def _node(self, thing: Any) -> int:
        number = self.numbers[id(thing)] = len(self.objects)
        self.objects.append(thing)
        return number

    # --- as text

    def _told_by(self, owner: Any, step: str, found: Any, fresh: list[Any]) -> str | None:
        try:
            text = self._text(found, fresh, step == "argument")
        except RecursionError:
            return None
        if text is None and step == "attribute" and _is_installed(owner) and type(found).__flags__ & IMMUTABLE:
            return f"{self._text(found, fresh, False)} a {type(found).__name__} of the library"
        return text

    def _text(self, found: Any, fresh: list[Any], read: bool) -> str | None:
        """The text of what was found, the same in every process where it is the same; new objects get numbers.

        ``read``: it is read when the program runs, so that of numbers and text only the type matters. ``fresh`` collects
        what has more to be looked at.
        """
        cls = type(found)
        if found is ABSENT:
            return "absent"
        if cls in LITERALS:
            return cls.__name__ if read else f"{cls.__name__} {found!r}"
        if id(found) in self.numbers:
            return f"same as {self.numbers[id(found)]}"
        number = self._node(found)
        if found is sys.modules:  # of which modules are asked one by one
            return f"{number} is sys:modules"
        if hides(found):
            return None
        if isinstance(found, type) or (not read and _can_change(found)):
            fresh.append(found)
        told, inner = _told(found), _parts(found)
        if told is None:
            return None
        read = read or _can_change(found)
        items = list((inner or {}).items())
        if len(items) > MANY:
            if type(items[0][1]) not in PLAIN or len({type(v) for _, v in items}) > 1:
                return None
            items = items[:1]
        if isinstance(found, defaultdict):
            items.append(("factory", found.default_factory))
        if inner is not None and cls.__module__ not in ("builtins", "functools"):
            items.append(("class", cls))
        parts = [(k, self._text(v, fresh, read)) for k, v in items]
        if any(part is None for _, part in parts):
            return None
        return f"{number} {told} " + ", ".join(f"{k!r}: {part}" for k, part in parts)


def replay(function: types.FunctionType, values: Mapping[str, Any], lines: Sequence[Sequence[Any]]) -> Log | None:
    """The same looks at the world as it is now; None unless they find what was found when the lines were written."""
    try:
        log = Log(function, values)
        for k, line in enumerate(lines):
            if k == len(log.lines):
                number, step, name, _ = line
                log.look(log.objects[number], step, log.objects[name] if step in BY_OBJECT else name)
            if k >= len(log.lines) or list(log.lines[k]) != list(line):
                return None
    except Exception:
        return None
    return log if len(log.lines) == len(lines) and not log.private else None


MANY = 1000  # parts of a container: more are not written down
HELPERS = {
    "ABSENT": ABSENT, "contents": _contents, "default": _default, "same": same, "layout": _layout, "inside": inside,
    "decided": decided_by, "renew": renew, "modules": sys.modules, "values": _values,
    "holds": lambda owner, name: _layout(_held(owner, name)), "reach": _reach,
    "all_same": lambda a, b: len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True)),
    "keeps": lambda f: " ".join(sorted(_shared_defaults(f))),
}  # fmt: skip
HOLDERS = {  # what members of classes hold
    property: ("fget", "fset"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    functools.cached_property: ("func",),
    functools.partialmethod: PARTIAL,
    functools.partial: PARTIAL,
    types.MethodType: BOUND,
}


def _parts(thing: Any) -> dict[Any, Any] | None:
    """The parts of an object, where that is looked at as a whole; None for other things."""
    if type(thing) in HOLDERS:
        return {part: getattr(thing, part) for part in HOLDERS[type(thing)]}
    if isinstance(thing, enum.Enum):
        return {"name": thing._name_, "value": thing._value_}
    if isinstance(thing, Lasting):
        return {"function": thing.function}
    if isinstance(thing, tuple | list):
        return dict(enumerate(thing))
    if isinstance(thing, dict):
        return dict(thing)
    return fields(thing) if is_record(thing) else None


def _can_change(thing: Any) -> bool:
    """Test for a thing that is read anew at each call, so that its layout alone is relied upon."""
    if isinstance(thing, list | dict | np.ndarray) or is_record(thing):
        return True
    if type(thing) in (functools.partial, types.MethodType):
        return True
    return isinstance(thing, tuple) and any(map(_can_change, thing))


def _told(thing: Any) -> str | None:
    """The sort of a thing, parts aside; None if that cannot be said in a way that another process understands."""
    cls = type(thing)
    if isinstance(thing, types.FunctionType) and not is_ours(thing) and not is_library(thing):
        return f"function {thing.__module__}.{thing.__qualname__}"
    if isinstance(thing, np.ndarray):
        return f"array {thing.dtype} {thing.ndim}"
    if isinstance(thing, np.generic):
        return f"scalar {thing.dtype}"
    if isinstance(thing, type) and not thing.__flags__ & IMMUTABLE and not is_library(thing):
        return f"class {thing.__module__}.{thing.__qualname__}"
    if isinstance(thing, Lasting):
        settings = repr([(k, v) for k, v in sorted(vars(thing).items()) if k in ("wrt", "options", "transformation")])
        return None if " at 0x" in settings else f"{cls.__module__}.{cls.__qualname__} {settings}"
    if _parts(thing) is not None:
        return cls.__name__
    if inside(thing) is not ABSENT:
        return f"wrapper {cls.__module__}.{cls.__qualname__} {keeps(thing)}"
    path = home_of(thing)
    return f"is {path}" if path is not None else "object" if cls is object else None


# --- what the front end asks

_log: ContextVar[Log | None] = ContextVar("log", default=None)


@contextlib.contextmanager
def observing(log: Log) -> Iterator[Log]:
    """Every look within is written into this log. Without one, as in files that are only read, looks leave no trace."""
    token = _log.set(log)
    try:
        yield log
    finally:
        _log.reset(token)


def _look(owner: Any, step: str, name: Any = "") -> Any:
    log = _log.get()
    return STEPS[step][0](owner, name) if log is None else log.look(owner, step, name)


def refused_late() -> bool:
    """Choice to refuse one of several things when the program comes to it, and not before."""
    log = _log.get()
    if log is not None:
        log.helps.add(Detail.LATE)
    return log is None or log.detail is Detail.LATE


def written_out() -> bool:
    """Choice to write out a loop over a few known items, also where it could be a loop."""
    log = _log.get()
    if log is not None:
        log.helps.add(Detail.WRITTEN)
    return log is not None and log.detail is Detail.WRITTEN


def flags_relied_on(thing: Any) -> Sequence[type]:
    """The types of flags whose values in something outside are relied upon, by a program that is made for them."""
    log = _log.get()
    if log is None or not _values(thing):
        return ()
    log.helps.add(Detail.FLAGS)
    return FLAGS if log.detail is not Detail.KINDS and log.look(thing, "flags") else ()


def shape_relied_on(array: np.ndarray[Any, Any]) -> tuple[int, ...] | None:
    """The sizes of an array outside, for a program that is made for them; None where none is.

    Only of one that a name leads to, for which another array would not be taken.
    """
    log = _log.get()
    if log is None:
        return None
    log.helps.add(Detail.SIZES)
    named = any(found is array and step in ("global", "cell", "default") for (_, step, _), found in log.found.items())
    if log.detail not in SIZED or not named or max(array.shape, default=0) > MOST_ITEMS:
        return None
    shape: tuple[int, ...] = log.look(array, "size")
    return shape


def name_of(function: types.FunctionType, name: str) -> tuple[Any, bool]:
    """The finding of a function under a free name, and whether that is a builtin; ABSENT where it finds nothing."""
    look = _plain if is_ours(function) else _look
    if name in function.__code__.co_freevars:
        return look(function, "cell", name), False
    found = look(function, "global", name)
    return (found, False) if found is not ABSENT else (look(function, "builtin", name), True)


def _plain(owner: Any, step: str, name: Any = "") -> Any:
    return STEPS[step][0](owner, name)


def source(function: types.FunctionType) -> Source:
    """The text of a function, which becomes a part of the program. Raises SourceError as ``source_of`` does."""
    if not is_ours(function):
        _look(function, "code")
    return source_of(function)


def default(function: types.FunctionType, parameter: str) -> Any:
    """The default of a parameter; ABSENT where there is none."""
    return (_plain if is_ours(function) else _look)(function, "default", parameter)


def renewed(function: Any) -> Any:
    """A function that we wrote around an object which can be changed, as that object is: asked anew before each use."""
    if isinstance(function, types.FunctionType) and RENEW in function.__dict__:
        _look(function, "renewed")
    return function


def shared_defaults(function: types.FunctionType) -> set[str]:
    """The parameters whose defaults are objects that can be changed."""
    return set(str(_look(function, "keeps")).split())


def factory(initial: types.FunctionType, field: str) -> Any:
    """The factory that the ``__init__`` by ``dataclass`` calls for a field: what the class says of it may have been changed."""
    cells = [name for name in initial.__code__.co_freevars if name.strip("_").endswith(f"dflt_{field}")]
    if len(cells) != 1:
        raise S2sadError(f"the default factory of {field!r} cannot be found", instead=f"pass {field}")
    return _look(initial, "cell", cells[0])


def attribute(owner: Any, name: str) -> Any:
    """``owner.name``, as Python finds it; ABSENT where there is none. Of a class it is what stands there, bound to it."""
    if isinstance(owner, type):
        above = member(type(owner), name)
        if hasattr(type(above), "__set__"):  # what can be set there, as a class's name can, says nothing of what it is
            return _look(owner, "attribute", name)
        below = member(owner, name)  # asked even where the class of the class has one: it comes first when it gets one
        return getattr(owner, name, ABSENT) if above is not ABSENT or below is not ABSENT else ABSENT
    made_here = is_ours(type(owner))  # by the compiler itself: no part of the world
    return (_plain if made_here else _look)(owner, "attribute", name)


def module(function: types.FunctionType, name: str) -> Any:
    """The module that ``import name`` gives in a function. Raises S2sadError where something else than Python does it."""
    if _look(function, "builtin", "__import__") is not interpreter.IMPORT:
        raise S2sadError(
            "the import statement is not Python's own in this process", why="what it gives is not known",
            instead="an import outside of the function",
        )  # fmt: skip
    return _look(function, "module", name)


def loaded(name: str) -> Any:
    """The module that ``sys.modules`` has under a name; ABSENT where there is none."""
    return _look(sys, "module", name)


def reach(thing: Any) -> tuple[Any, ...]:
    """All that can be changed within a live object: its identity is relied upon where a program writes into one of these."""
    found: tuple[Any, ...] = _look(thing, "reach")
    return found


def contents(thing: Any) -> None:
    """Look at what a deque or set holds, whose items are read when the program runs: their layout is relied upon."""
    _look(thing, "layout")


def held_by(owner: Any, name: str) -> Any:
    """The member of a class itself under a name, or what a module or cell holds, to be read when the program runs: its layout
    alone is relied upon."""
    _look(owner, "holds", name)
    if (log := _log.get()) is not None:
        log.forget(owner, name)
    return _held(owner, name)


def public(owner: Any) -> list[str]:
    """The public names of a module or class, for a message: nothing depends on them."""
    return [name for name in dir(owner) if not name.startswith("_")] if isinstance(owner, types.ModuleType | type) else []


def library(path: str) -> None:
    """Look at what generated code mentions of a library. Raises S2sadError where that has been replaced by something else."""
    parts = path.split(".")
    cut = next((k for k in range(len(parts), 0, -1) if ".".join(parts[:k]) in sys.modules), 0)
    found: Any = sys.modules[".".join(parts[:cut])] if cut else ABSENT
    for part in parts[cut:] if cut else ():
        if found is not ABSENT:
            found = _look(found, "attribute", part)
    expected = registry.original(path)
    if (expected is not None and not same(found, expected)) or (is_versioned(parts[0]) and not registry.is_own(path, found)):
        raise S2sadError(
            f"{path} is no longer the library's own", why="the derivative needs that", instead="a function under another name"
        )


def member(cls: type, name: str) -> Any:
    """The member of a class, or of one that it inherits from, under a name; ABSENT where there is nothing."""
    if all(base.__flags__ & IMMUTABLE for base in cls.__mro__) or is_ours(cls):
        return _member(cls, name)
    return _look(cls, "member", name)


def has(cls: type | None, name: str) -> bool:
    """Presence of anything in a class under a name."""
    return cls is not None and member(cls, name) is not ABSENT


def decides(cls: type, name: str) -> bool:
    """Test for a class that does, itself or by a base, something of its own under a name: not ``object`` or ``type``."""
    found = member(cls, name)
    return found is not ABSENT and found is not _member(type, name)


def is_flag(thing: Any) -> bool:
    """Test for members of a ``Flag``, put together or single, whose class leaves it to that what its operators do."""
    if not isinstance(thing, enum.Flag) or isinstance(thing, int):
        return False
    return all(member(type(thing), name) is vars(enum.Flag)[name] for name in OF_FLAGS)


def has_own_missing(cls: type) -> bool:
    """Test for an enumeration that says itself what values stand for that no member has."""
    pythons = [vars(base)["_missing_"].__func__ for base in (enum.Enum, enum.Flag)]
    return getattr(member(cls, "_missing_"), "__func__", None) not in pythons


def named_tuple(cls: type) -> None:
    """Look at the class of a named tuple. Raises S2sadError where it decides what its items are, how many, or if it is true."""
    names = str(_look(cls, "decided"))
    if names:
        raise S2sadError(
            f"a {cls.__qualname__} cannot be followed", why=f"its class defines {names.replace(' ', ', ')}",
            instead="a plain named tuple, and a method or function under another name",
        )  # fmt: skip


def own(cls: type, name: str) -> Any:
    """The member of a class itself under a name; ABSENT where there is nothing."""
    return (_plain if cls.__flags__ & IMMUTABLE or is_ours(cls) else _look)(cls, "own", name)


def subclass(cls: type, other: type) -> bool:
    """``issubclass(cls, other)``."""
    if cls is other or cls.__flags__ & other.__flags__ & IMMUTABLE:
        return issubclass(cls, other)
    if type(other) not in (type, abc.ABCMeta, enum.EnumMeta):
        raise S2sadError(
            f"whether an object is a {other.__name__} cannot be told", why="the class of that class decides it",
            instead="a plain class",
        )  # fmt: skip
    return bool(_look(cls, "subclass", other))


def dispatched(function: Any, cls: type) -> Any:
    """The function that a ``singledispatch`` function calls for arguments of a class."""
    return _look(function, "dispatch", cls)


def unwrap(function: Any) -> Any:
    """The function behind objects of C that only wrap it: ``lru_cache``, ``njit``; and behind our own decorator.

    A plain function made by a decorator is itself: its body says what it does with the function inside.
    """
    while not isinstance(function, types.FunctionType | types.MethodType):
        if inside(function) is ABSENT:
            break
        function = look_inside(function)
    return function


def look_inside(wrapper: Any) -> Any:
    """The function that an object of C wraps."""
    return _look(wrapper, "inside")


VALUES, TYPES = "values", "types"  # what a cache goes by: 1, 1.0 and True are equal


def keeps(function: Any) -> str:
    """By what ``lru_cache`` keeps results of a function, or of one that it wraps: VALUES or TYPES; empty where none does."""
    found = ""
    while inside(function) is not ABSENT:
        if type(function) is functools._lru_cache_wrapper:
            found = VALUES if found == VALUES or not _is_typed(function) else TYPES
        function = inside(function)
    return found


def _is_typed(wrapper: Any) -> bool:
    """Test for a cache that says that it tells types apart. An answer taken over from what it wraps is not its own."""
    says = vars(wrapper).get("cache_parameters")
    if says is getattr(inside(wrapper), "cache_parameters", None):
        return False
    genuine = isinstance(says, types.FunctionType) and any(says.__code__ is c for c in _codes(functools.lru_cache.__code__))
    return genuine and bool(says()["typed"])


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield inner
            yield from _codes(inner)
