"""Functions that travel: a function as data of which another process makes the same function, or refuses.

    grad(loss)  ==pickle==>  grad, Named("models", "loss", what it sees), settings       # a function of a module
                             grad, Written([its text, what it sees], ...), settings      # of a notebook, __main__, a closure

``pickle`` sends a function as a name, and whatever has that name in the other process answers for it. Here the code behind
the name, the functions that it calls and the constants that it reads are compared on arrival: a worker that has another
version of them raises PicklingError, naming what differs, instead of computing another function's derivative. Of objects
of library classes only the class is compared.

A function that cannot be imported travels as its source, which is compiled anew on arrival. It is compiled before it is sent,
too, so that a text that is not that of the running function (a file that was edited since) never leaves.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import hashlib
import importlib
import inspect
import itertools
import linecache
import pickle
import sys
import types
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.errors import SourceError
from s2sad.frontend.source import source_of
from s2sad.ir.code import code_of
from s2sad.rules.user import described_rules
from s2sad.runtime.structures import is_record
from s2sad.trees import parts

PYTHON = sys.version.split()[0].rpartition(".")[0]
FLAGS = 0x1FF0000  # of code objects: what `from __future__ import ...` sets
GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


@dataclass(frozen=True)
class Seen:
    """The surroundings that a function sees: labels and digests; and the modules whose functions were followed."""

    items: tuple[tuple[str, str], ...] = ()
    modules: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Named:
    """A function of a module, by its name there; ``depth`` is how often it is wrapped there."""

    module: str
    name: str
    depth: int
    seen: Seen


@dataclass(frozen=True)
class Bound:
    """A method of an object that travels by itself."""

    owner: Any
    name: str
    seen: Seen


@dataclass(frozen=True)
class Function:
    """One function as text: a definition, or an expression that is a lambda."""

    name: str
    qualified: str
    module: str
    text: str
    code_name: str
    flags: int
    cells: dict[str, Any]
    defaults: tuple[Any, ...] | None
    keyword_defaults: dict[str, Any] | None
    space: int  # which of the namespaces it sees


@dataclass(frozen=True)
class Written:
    """Functions as text with all that they see; the first is the one that travels."""

    functions: list[Function]
    spaces: list[dict[str, Any]]
    seen: Seen
    whole: bool  # all that they see can be compared


@dataclass(frozen=True)
class Place:
    """Stands for one of the functions of a ``Written``, by its number."""

    number: int


@dataclass(frozen=True)
class Library:
    """Stands for a module."""

    name: str


def packed(function: Any) -> Any:
    """A function as data that can be pickled. Raises PicklingError where no other process could make it again."""
    if isinstance(function, types.MethodType):
        inside: Any = function.__func__
        return Bound(function.__self__, inside.__name__, seen_by(inside))
    if isinstance(function, types.FunctionType):
        return named(function, function) or _Writer().write(function)
    inner = function
    while not isinstance(inner, types.FunctionType) and hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    found = named(function, inner) if isinstance(inner, types.FunctionType) else None
    return function if found is None else found


def unpacked(data: Any) -> Any:
    """The function that ``packed`` was given. Raises PicklingError where this process has another one of its name."""
    if isinstance(data, Named):
        found = _follow(data)
        _compare(found, data.seen, f"{data.module}.{data.name}")
        return found
    if isinstance(data, Bound):
        method = getattr(data.owner, data.name)
        method = getattr(method, "function", method)  # of a differentiated one
        _compare(method.__func__, data.seen, method.__func__.__qualname__)
        return method
    return _read(data) if isinstance(data, Written) else data


# --- by name


def named(thing: Any, function: Any) -> Named | None:
    """The name under which another process finds a thing that is made of a function, if it has one."""
    if function.__module__ in (None, "__main__", "__mp_main__"):
        return None
    for depth in range(16):
        found = Named(function.__module__, function.__qualname__, depth, Seen())
        try:
            if _follow(found, load=False) is thing:
                return Named(found.module, found.name, depth, seen_by(function))
        except pickle.PicklingError:
            return None
    return None


def _follow(named: Named, load: bool = True) -> Any:
    try:
        found: Any = importlib.import_module(named.module) if load else sys.modules[named.module]
        for part in named.name.split("."):
            found = getattr(found, part)
        for _ in range(named.depth):
            found = found.__wrapped__
    except (ImportError, AttributeError, KeyError) as error:
        raise pickle.PicklingError(f"{named.module}.{named.name} cannot be found in this process: {error}") from error
    return found


def _compare(function: Any, expected: Seen, name: str) -> None:
    """Raise PicklingError unless a function sees what it saw where it was pickled."""
    while not isinstance(function, types.FunctionType) and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    here = dict(seen_by(function, expected.modules).items) if isinstance(function, types.FunctionType) else {}
    there = dict(expected.items)
    for label in {**there, **here}:
        if here.get(label) != there.get(label):
            raise pickle.PicklingError(
                f"{name} is another function in this process than where its derivative was pickled: {label} differs"
            )


# --- what a function sees


def seen_by(function: types.FunctionType, modules: frozenset[str] | None = None) -> Seen:
    """The code of a function, and what it reads from around: labels, and digests that are the same in all processes.

    ``modules``: those whose functions are to be followed, where another process has decided that.
    """
    look = _Look(modules)
    look.function(function)
    return look.seen()


class _Look:
    """Walks over what a function sees; each function, class and object is looked at once."""

    def __init__(self, modules: frozenset[str] | None = None) -> None:
        self.modules = modules
        self.followed: set[str] = set()
        self.found = {"the version of Python": PYTHON}
        self.known: dict[int, str] = {}
        self.kept: list[Any] = []  # what is known by identity
        self.counts: Counter[str] = Counter()
        self.mentioned: set[str] = set()
        self.whole = True  # all of it can be compared

    def seen(self) -> Seen:
        """All that was found."""
        return Seen(tuple(self.found.items()), frozenset(self.followed))

    def follows(self, module: str | None) -> bool:
        """Choice to look at what is defined in a module."""
        if module not in self.followed and (module in self.modules if self.modules is not None else not _installed(module)):
            self.followed.add(str(module))
        return module in self.followed

    def function(self, function: types.FunctionType) -> str:
        """Look at a function; the label under which it is known."""
        if id(function) in self.known:
            return self.known[id(function)]
        label = self.label(f"{function.__module__}.{function.__qualname__}", function)
        self.found[label] = _digest(code_of(function.__code__))
        self.mentioned.update(names_in(function.__code__))
        self.follows(function.__module__)
        for name, value in self.surroundings(function):
            self.found[f"{name!r} of {label}"] = _digest(self.description(value))
        words = [(name, text) for name, text in described_rules().items() if name.rpartition(".")[2] in self.mentioned]
        self.found["a rule given to s2sad.rule"] = _digest(sorted(words))
        return label

    def label(self, name: str, what: Any) -> str:
        """A label for something; a second one of that name gets a number."""
        self.kept.append(what)
        self.counts[name] += 1
        self.known[id(what)] = f"{name} #{self.counts[name]}" if self.counts[name] > 1 else name
        return self.known[id(what)]

    def description(self, value: Any) -> Any:
        """A value as a structure whose ``repr`` is the same in all processes."""
        if isinstance(value, PLAIN):
            return (type(value).__name__, repr(value))
        if isinstance(value, np.generic):
            return (value.dtype.name, repr(value.item()))
        if isinstance(value, np.ndarray):
            data = value.tobytes() if value.dtype != object else repr([self.description(v) for v in value.flat]).encode()
            return ("array", str(value.dtype), value.shape, hashlib.sha256(data).hexdigest())
        if isinstance(value, types.ModuleType):
            return ("module", value.__name__)
        if isinstance(value, types.MethodType):
            return ("method", self.description(value.__func__), self.description(value.__self__))
        if isinstance(value, types.FunctionType | types.BuiltinFunctionType):
            inside = isinstance(value, types.FunctionType) and self.follows(value.__module__)
            return ("function", self.function(value) if inside else (value.__module__, value.__qualname__))  # type: ignore[arg-type]
        if type(value) is tuple:
            return ("tuple", *map(self.description, value))
        if id(value) in self.known:
            return ("again", self.known[id(value)])
        if isinstance(value, type):
            return self.type(value)
        label = self.label(f"{type(value).__module__}.{type(value).__qualname__}", value)
        held = getattr(value, "function", getattr(value, "__wrapped__", None))  # a derivative, or what else wraps a function
        if isinstance(held, types.FunctionType | types.MethodType):
            return (label, self.description(held))
        if isinstance(value, set | frozenset):
            return (label, sorted(map(repr, map(self.description, value))))
        contents = parts(value)
        if contents is None:
            self.whole = False
            return label
        members = self.type(type(value)) if is_record(value) else ()
        return (label, members, [(self.description(key), self.description(item)) for key, item in contents.items()])

    def type(self, cls: type) -> Any:
        """A class; of a user's, its methods and constants."""
        if id(cls) in self.known or not self.follows(cls.__module__):
            return ("class", cls.__module__, cls.__qualname__)
        label = self.label(f"{cls.__module__}.{cls.__qualname__}", cls)
        for name, member in vars(cls).items():
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(function, types.FunctionType):
                self.function(function)
            elif isinstance(member, (*PLAIN, np.ndarray, tuple)) and not name.startswith("__"):
                self.found[f"{label}.{name}"] = _digest(self.description(member))
        return ("class", label, [self.type(base) for base in cls.__bases__])

    def surroundings(self, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
        """The things that a function reads around itself, by name: defaults, what it captured, globals, values of modules."""
        yield "the defaults", [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()]
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):
                yield name, cell.cell_contents
        mentioned = set(names_in(function.__code__))
        for name in dict.fromkeys(names_in(function.__code__, GLOBALS)):
            if name not in function.__globals__:
                continue
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, types.ModuleType) and self.follows(value.__name__):
                yield from ((f"{name}.{a}", vars(value)[a]) for a in sorted(mentioned & set(vars(value))))


def names_in(code: types.CodeType, operations: tuple[str, ...] = ()) -> Iterator[str]:
    """The names that (these operations of) a function, and of those nested in it, mention."""
    if operations:
        yield from (str(step.argval) for step in dis.get_instructions(code) if step.opname in operations)
    else:
        yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant, operations)


def _digest(description: Any) -> str:
    return hashlib.sha256(repr(description).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _installed(module: str | None) -> bool:
    """Test for a module of Python or of an installed package, whose version is the worker's business."""
    root = str(module).partition(".")[0]
    if root in ("__main__", "__mp_main__"):
        return False
    if root in ("s2sad", "builtins") or root in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(str(module)), "__file__", None)
    return bool({"site-packages", "dist-packages"} & set(Path(file or "").parts))


# --- by text


@dataclass
class _Writer:
    """Collects the functions that travel as text, with what they see."""

    functions: list[Function | None] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    spaces: list[dict[str, Any]] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)  # of the namespaces

    def write(self, function: types.FunctionType) -> Written:
        """All that is needed to make a function again."""
        self.function(function)
        look = _Look()
        look.function(function)
        functions = [f for f in self.functions if f is not None]
        return Written(functions, self.spaces, look.seen(), look.whole)

    def function(self, function: types.FunctionType) -> Place:
        """Write one function down, once."""
        if id(function) in self.places:
            return Place(self.places[id(function)])
        place = Place(len(self.functions))
        self.places[id(function)] = place.number
        self.functions.append(None)
        space = self.numbers.setdefault(id(function.__globals__), len(self.spaces))
        if space == len(self.spaces):
            self.spaces.append({"__name__": function.__globals__.get("__name__", "__main__")})
        for name in dict.fromkeys(names_in(function.__code__, GLOBALS)):
            if name in function.__globals__ and name not in self.spaces[space]:
                self.spaces[space][name] = None  # a function may see itself
                self.spaces[space][name] = changed(self.leaf, function.__globals__[name])
        cells: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                cells[name] = changed(self.leaf, cell.cell_contents)
            except ValueError:
                raise pickle.PicklingError(f"{function.__qualname__} sees {name!r}, which is not bound yet") from None
        self.functions[place.number] = Function(
            function.__name__, function.__qualname__, function.__module__, text_of(function), function.__code__.co_name,
            function.__code__.co_flags & FLAGS, cells, changed(self.leaf, function.__defaults__),
            changed(self.leaf, function.__kwdefaults__), space,
        )  # fmt: skip
        return place

    def leaf(self, item: Any) -> Any:
        """Data in place of what pickle would not send, or would send as a mere name."""
        if isinstance(item, types.ModuleType):
            return Library(item.__name__)
        if not isinstance(item, types.FunctionType) or _installed(item.__module__):
            return item
        return named(item, item) or self.function(item)


def changed(change: Callable[[Any], Any], value: Any) -> Any:
    """A value with the leaves of its plain containers changed; one in which nothing changes stays the same object."""
    if type(value) not in (tuple, list, dict):
        return change(value)
    inner = {key: changed(change, item) for key, item in (parts(value) or {}).items()}
    same = all(item is inner[key] for key, item in (parts(value) or {}).items())
    return value if same else inner if isinstance(value, dict) else type(value)(inner.values())


def text_of(function: types.FunctionType) -> str:
    """A text that defines a function: its lines without decorators, or a lambda as an expression, and what binds the names.

    Raises PicklingError where there are none, or where they are not those of the code that runs.
    """
    code = function.__code__
    try:
        source = source_of(function)
        lines = inspect.getsourcelines(code)[0]
    except (SourceError, OSError) as error:
        raise pickle.PicklingError(f"{function.__qualname__} cannot be pickled: {error}") from error
    text = source.text
    if code.co_name != "<lambda>":
        definition = ast.parse(text).body[0]
        text = "".join(lines[definition.lineno - 1 :])
    try:
        made = _compiled(_module(text, code), code.co_name, code.co_flags & FLAGS, "<check>")
    except (SyntaxError, StopIteration):
        made = None
    if made is None or code_of(made) != code_of(code):
        raise pickle.PicklingError(
            f"the source of {function.__qualname__} is not that of the function that runs: its file was edited since, or it "
            "cannot be compiled by itself; import its module anew, or move it to the top level of a module"
        )
    return _module(text, code)


def _compiled(text: str, name: str, flags: int, file: str) -> types.CodeType:
    """The code of the function of that name in a text that ``_module`` has made."""
    code: types.CodeType = compile(text, file, "exec", flags=flags, dont_inherit=True)
    while code.co_name != name:
        code = next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name in (name, "around"))
    return code


def _module(text: str, code: types.CodeType) -> str:
    """A definition, or a lambda, within a function that binds what it sees; its own lines stay as they are."""
    imported = sorted(_imported(code))
    head = f"import {', '.join(imported)}\n" if imported else ""
    if code.co_name == "<lambda>":
        return f"{head}def around({', '.join(code.co_freevars)}):\n    return {text}\n"
    indent = text[: len(text) - len(text.lstrip())]
    if not indent:
        return head + text
    own = "" if code.co_name in code.co_freevars else f"{indent}global {code.co_name}\n"
    return f"{head}def around({', '.join(n for n in code.co_freevars if n != code.co_name)}):\n{own}{text}"


def _imported(code: types.CodeType) -> set[str]:
    """The globals that a module imports: Python compiles calls of their attributes in another way."""
    steps = [step for step in dis.get_instructions(code) if step.opname != "PRECALL"]
    found = {
        str(step.argval) for step, after in itertools.pairwise(steps)
        if step.opname in GLOBALS and after.opname == "LOAD_ATTR"
    }  # fmt: skip
    return found.union(*(_imported(c) for c in code.co_consts if isinstance(c, types.CodeType)))


_read_before: OrderedDict[tuple[Any, ...], Any] = OrderedDict()  # so that a pool's tasks share what was generated
KEPT = 16


def _read(data: Written) -> Any:
    """The functions as live ones; what was read before, and sees nothing else, is used again."""
    key = (data.seen, tuple((f.module, f.text) for f in data.functions))
    if data.whole and key in _read_before:
        return _read_before[key]
    spaces: list[dict[str, Any]] = [{"__name__": space["__name__"], "__builtins__": builtins} for space in data.spaces]
    cells = [{name: types.CellType() for name in f.cells} for f in data.functions]
    made = [_function(f, spaces[f.space], cells[k]) for k, f in enumerate(data.functions)]

    def leaf(item: Any) -> Any:
        if isinstance(item, Place):
            return made[item.number]
        if isinstance(item, Library):
            return importlib.import_module(item.name)
        return unpacked(item) if isinstance(item, Named) else item

    for space, packed_names in zip(spaces, data.spaces, strict=True):
        space.update({name: changed(leaf, item) for name, item in packed_names.items()})
    for function, record, inner in zip(made, data.functions, cells, strict=True):
        for name, item in record.cells.items():
            inner[name].cell_contents = changed(leaf, item)
        function.__defaults__ = changed(leaf, record.defaults)
        function.__kwdefaults__ = changed(leaf, record.keyword_defaults)
    _compare(made[0], data.seen, data.functions[0].qualified)
    if data.whole:
        _read_before[key] = made[0]
        if len(_read_before) > KEPT:
            _read_before.popitem(last=False)
    return made[0]


def _function(record: Function, space: dict[str, Any], cells: dict[str, types.CellType]) -> types.FunctionType:
    label = f"<s2sad {record.name.strip('<>')} {_digest((record.text, record.module))}>"
    code = _compiled(record.text, record.code_name, record.flags, label)
    lines = record.text.splitlines(True)
    linecache.cache[label] = (sum(map(len, lines)), None, lines, label)
    made = types.FunctionType(code, space, record.name, None, tuple(cells[name] for name in code.co_freevars))
    made.__qualname__, made.__module__ = record.qualified, record.module
    return made
