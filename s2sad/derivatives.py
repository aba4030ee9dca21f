"""The derivatives of one function: specialised, generated, cached and loaded on demand."""

from __future__ import annotations

import copy
import functools
import hashlib
import importlib
import inspect
import json
import operator
import os
import re
import sys
import threading
import types
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from s2sad import checked, faults
from s2sad.cache import Cache, Entry
from s2sad.errors import (
    ActivityError,
    AliasError,
    ArgumentError,
    CompilerError,
    KindError,
    S2sadError,
    SettingError,
    SourceError,
    UnsupportedSyntaxError,
    meant,
)
from s2sad.expecting import Expecting, Run, Stretched
from s2sad.frontend import observe
from s2sad.frontend.entities import Static
from s2sad.frontend.guards import Along, Guard, has_plain_tangents, part_at
from s2sad.frontend.lower.parts import parse_path, part_name
from s2sad.frontend.observe import KEYS as KEYS_OF
from s2sad.frontend.observe import SIZED, Detail, key_of
from s2sad.ir import interpreter
from s2sad.ir.code import identifier, renew, signature_of, state
from s2sad.ir.depth import with_room
from s2sad.ir.kinds import (
    APART,
    FLOAT,
    NONE,
    Array,
    Assumptions,
    Condition,
    Kind,
    Lasting,
    assuming,
    is_differentiable,
    place_of,
)
from s2sad.loops.refusal import reason
from s2sad.moments import (
    ClassAttribute,
    Moment,
    behind,
    draws_anew,
    is_replayed,
    not_copied,
    note_identified,
    read_by,
    sources_in,
    within,
)
from s2sad.native import SEED, Native, NotCompiledWarning, kept_in
from s2sad.options import Options
from s2sad.rules import registry
from s2sad.rules.rooms import rooms
from s2sad.rules.user import injected_objects, rules_in_words
from s2sad.runtime import SeedError, SharedMemoryError, UnsupportedError, WrittenError
from s2sad.runtime.guards import Refusal, lies_apart, sizes_of
from s2sad.runtime.structures import is_record
from s2sad.seeds import Places, places_of
from s2sad.specialise import FACTS_OF, check_differentiable, kind_for
from s2sad.trees import at, copied, finite

VARIANTS = 8  # programs kept for one key, each for another world
KEYS = 512  # keys of arguments for which programs are kept
KEPT = 64  # programs kept as text under one request
REQUESTS = 1024  # for which programs are kept as text
ATTEMPTS = 3  # at a program while the world changes


@functools.cache
def compiler_version() -> str:
    """A mark of the compiler: what its own files say, wherever they are."""
    return _digest_of_files(Path(__file__).parent)


def _digest_of_files(root: Path) -> str:
    found, above = hashlib.sha256(), len(str(root)) + 1
    files = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".py")]
    for name, path in sorted((path[above:].replace(os.sep, "/"), path) for path in files):
        with open(path, "rb", buffering=0) as file:
            text = file.read()
        found.update(f"{name} {len(text)}\n".encode())
        found.update(text)
    return found.hexdigest()


def _versions() -> Iterator[str]:
    """The names and versions of what generated programs run on."""
    yield f"{sys.implementation.name} {sys.version}"
    yield f"numpy {np.__version__}"
    for room in rooms():
        if room.root in sys.modules and room.root != "numpy":
            yield f"{room.root} {getattr(sys.modules[room.root], '__version__', '')}"
        if room.is_used and not room.is_ours:
            yield _of_room(room.package)


@functools.cache
def _of_room(package: str) -> str:
    """A mark of what another distribution says of a library."""
    return _digest_of_files(Path(str(importlib.import_module(package).__file__)).parent)


@dataclass(eq=False)
class Compiled:
    """A loaded derivative function, and how to call it."""

    function: Callable[..., Any]
    entry: Entry
    passed: tuple[int, ...]  # the arguments that are run-time values
    free: tuple[str, ...]
    scalar: bool  # the seed may be left out
    plain: bool  # all arguments are passed, by position
    seeds: int  # how many seeds, or tangents, it takes after the arguments
    results: Places  # where the seeds of its result go
    guard: Guard  # tells whether all that it relies upon is as it was
    reads: tuple[Any, ...]  # the objects outside that it reads when it runs, and sources of random numbers
    anew: bool  # whether it draws other random numbers at each run, whatever is done
    outside: tuple[Any, ...] = ()  # the objects outside that it writes into
    changes: bool = False  # whether the function changes what its first argument holds, or what another one does
    tells: bool = False  # whether the function prints, logs or warns
    replays: bool = False  # whether a call of the function comes first, and leaves outside what is left there
    spares: bool = False  # whether arrays among its arguments, its object apart, stay as they are in a call
    claims: checked.Table = field(default_factory=dict)  # in the checked mode: what memory is taken to be
    detail: Detail = Detail.KINDS  # it is for arguments of which this much is as it was
    read_elsewhere: tuple[str, ...] = ()  # parts by which is differentiated that it also reads of an object outside
    quick: dict[Any, Callable[..., Any]] = field(default_factory=dict)  # the shortest ways to run it, by what tangents are of

    @functools.cached_property
    def calls_users(self) -> bool:
        """Test for a program that calls code of the user's, of which nobody knows what it does."""
        return faults.calls_users(vars(self.entry.module))

    def sees(self) -> tuple[Any, ...]:
        """The objects outside that it reads, and those that users' functions may read that it calls, as they are now."""
        if not self.calls_users:
            return self.reads
        own = [thing for thing in vars(self.entry.module).values() if isinstance(thing, types.FunctionType)]
        return (*self.reads, *behind(own, faults.is_known))

    def run(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Call the function, under watch where there is something to be compared."""
        return checked.run(self.function, self.claims, args, keywords) if self.claims else self.function(*args, **keywords)


class Programs(dict[Hashable, tuple[Compiled, ...]]):
    """The programs for one request, by the keys of the arguments: each for another world, or other sizes.

    ``free``: the free variables that are differentiated, which are passed as arguments are.
    ``details``: under which keys no program serves all values of flags, or all sizes, so that each gets its own.
    ``quick``: runs the program that was found last, with positional arguments alone; None where it may not be used.
    """

    def __init__(self, free: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.free = free
        self.details: dict[Hashable, Detail] = {}
        self.quick: Callable[[Sequence[Any]], Any] = lambda args: None


@dataclass(frozen=True)
class Program:
    """A program as text, with the log of what it depends on; ``slots``: what the loader binds, by its number in the log;
    ``results``: where seeds of its result go.

    What has no number is a function of a user's rule, by the name that it has among those.
    """

    lines: tuple[observe.Line, ...]
    slots: dict[str, int | str]
    text: str
    results: Places
    changes: bool
    tells: bool
    replays: bool
    spares: bool
    outside: tuple[tuple[int, str | None], ...]  # numbers of what it writes into, with the names of attributes of classes
    conditions: tuple[Condition, ...] = ()  # of the sizes of arguments
    expects: bool = False  # that shapes are equal, and gives up where they are not

    def written(self) -> bytes:
        """For the disk."""
        conditions = [(condition.text, condition.symbols) for condition in self.conditions]
        rest = [self.text, self.results, self.changes, self.tells, self.replays, self.spares, self.outside]
        return json.dumps([self.lines, self.slots, *rest, conditions, self.expects]).encode()

    @classmethod
    def read(cls, data: bytes) -> Program:
        """The program that ``written`` wrote: it has been authenticated."""
        lines, slots, text, results, changes, tells, replays, spares, outside, conditions, expects = json.loads(data)
        found = tuple(Condition(test, _tuples(symbols)) for test, symbols in conditions)
        written = tuple(map(tuple, outside))
        return cls(tuple(map(tuple, lines)), slots, text, results, changes, tells, replays, spares, written, found, expects)

    def objects_outside(self, log: observe.Log) -> tuple[Any, ...]:
        """The objects outside that it writes into, of the world that a log has seen."""
        found = ((log.objects[number], name) for number, name in self.outside)
        return tuple(thing if name is None else ClassAttribute(thing, name) for thing, name in found)


def _tuples(found: Any) -> Any:
    return tuple(map(_tuples, found)) if isinstance(found, list) else found


_told: set[str] = set()  # why functions are not compiled, once for each
_kept: dict[tuple[str, str], list[Program]] = {}  # by folder and request
generating = threading.RLock()  # one program is made at a time: it is Python that computes, and tables are shared


def _made_before(cache: Cache, request: str) -> Iterator[Program]:
    """The programs under a request, those in memory first: the disk is read only if none of them will do."""
    yield from tuple(_kept.get((str(cache.store.folder), request), ()))
    yield from map(Program.read, cache.store.read(request))


def _keep(place: tuple[str, str], program: Program) -> None:
    known = _kept.pop(place, [])
    _kept[place] = [program, *(other for other in known if other != program)][:KEPT]
    while len(_kept) > REQUESTS:
        _kept.pop(next(iter(_kept)))


def call_of(thing: Any) -> types.FunctionType | None:
    """The ``__call__`` of an object of a user's class, if it is written in Python."""
    found = observe.member(type(thing), "__call__") if is_record(thing) and not isinstance(thing, Lasting) else None
    return found if isinstance(found, types.FunctionType) else None


def origin_of(function: types.FunctionType) -> str:
    """The origin of a program, as its header says it: the name of the file, and no folders of this machine."""
    code = function.__code__
    file = os.path.basename(code.co_filename)
    return "" if file.startswith("<s2sad ") else f"{function.__name__} in {file!a}, line {code.co_firstlineno}"


def _bound(result: Any, program: Any) -> Any:
    """A result with the objects for all names that the loader binds, those of users' rules included."""
    known = {**injected_objects(), **program.spelled}
    result.outside = (*(root.payload for root in program.outside), *(ClassAttribute(r.payload, n) for r, n in program.attributes))
    result.injected |= {name: known[root] for name, root in result.spelled.items() if root in known}
    return result


def _slots(result: Any, log: observe.Log) -> tuple[dict[str, int | str], dict[str, object]]:
    """The bindings of the loader: as numbers of the log or names of rules, and as objects."""
    rules = injected_objects()
    slots: dict[str, int | str] = {}
    for name, thing in result.injected.items():
        root = result.spelled.get(name)
        if id(thing) in log.numbers:
            slots[name] = log.numbers[id(thing)]
        elif root is not None and rules.get(root) is thing:
            slots[name] = root
        else:
            log.private = log.private or f"no name leads to what {name} is"
    return slots, dict(result.injected)


def _spelled(paths: Iterable[str], text: str) -> tuple[str, ...]:
    """The parts of arguments among these whose last name is that of an attribute, or a key, in a text."""
    last = {path: str(keys[-1]) for path in paths if (keys := parse_path(path)[1])}
    words = set(re.findall(r"(?:\.|\[['\"]?)(\w+)", text)) if last else set()

    def is_there(key: str) -> bool:
        known = re.fullmatch(r"\w+", key) is not None
        return key in words if known else re.search(rf"(\.|\[['\"]?){re.escape(key)}\b", text) is not None

    return tuple(path for path, key in last.items() if is_there(key))


def _numbered(outside: Sequence[Any], log: observe.Log) -> tuple[tuple[int, str | None], ...]:
    """The objects that a program writes into, as numbers of the log, with the name where that is an attribute of a class."""
    found: list[tuple[int, str | None]] = []
    for thing in outside:
        owner, name = (thing.cls, thing.name) if isinstance(thing, ClassAttribute) else (thing, None)
        if id(owner) in log.numbers:
            found.append((log.numbers[id(owner)], name))
        else:
            log.private = log.private or "no name leads to what it writes into"
    return tuple(found)


def _objects(slots: dict[str, int | str], log: observe.Log) -> dict[str, object]:
    rules = injected_objects()
    return {name: rules[slot] if isinstance(slot, str) else log.objects[slot] for name, slot in slots.items()}


def _renew_lock() -> None:
    """In a forked child, where the thread that held the lock does not exist."""
    global generating
    generating = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]




@dataclass(frozen=True)
class Ask:
    """A request to a function: mode, inputs, outputs; ``bare``: the derivatives without the value."""

    mode: str
    inputs: tuple[str, ...]
    of: str | None = None
    aux: bool = False
    bare: bool = False
    silent: bool = False  # prints and logs nothing
    general: bool = False  # expects no shapes to be equal

    def __post_init__(self) -> None:
        if not isinstance(self.of, str | None):
            raise SettingError(f"of={self.of!r} is no name", instead="the name of a parameter that the function writes into")
        if not isinstance(self.aux, bool):
            raise SettingError(f"has_aux={self.aux!r} is neither True nor False")


SILENT = Ask("primal", (), silent=True)


@dataclass(eq=False)
class Seen:
    """The common knowledge of the derivatives of all bound methods of a function."""

    recent: Sequence[Any] | None = None  # the arguments of the last call

BEHIND = "__s2sad_behind__"  # of a function that stands for what is made of another: that one's name and free variables
HINT = "__s2sad_hint__"  # of a function that stands for one of a library: how its options are passed
BECAME_COMPLEX = "a power of a negative number is complex in Python"
KEEP_REAL = "a base that is not negative, such as abs(x) ** p, or np.power, which gives nan; or pass complex numbers"


class Derivatives:
    """Generates and keeps the derivative functions of one function."""

    def __init__(self, function: Callable[..., Any], options: Options, within: Derivatives | None = None) -> None:
        interpreter.check()
        self.within = within  # the derivatives of the function of which this one is a derivative
        found = observe.unwrap(function)
        self.kept = observe.keeps(function)
        self.met: observe.Log | None = None  # what was seen of the world by the program that was made last
        self.owner: Any = None
        if isinstance(found, types.MethodType):
            self.owner, found = found.__self__, found.__func__
        if not isinstance(found, types.FunctionType):
            raise SourceError(
                f"{function!r} is not a Python function", why="s2sad transforms the source of functions",
                instead="pass a function defined with def or lambda",
            )  # fmt: skip
        self.function = found
        self.options = options
        self.tables: dict[Ask, Programs] = {}
        self._read_signature()
        self.seen = Seen()

    def _read_signature(self) -> None:
        """Reads the parameters as they are now: the code and the defaults of a function can be set."""
        self.signature = signature_of(self.function)
        self.parameters = list(self.signature.parameters.values())
        self.names = [p.name for p in self.parameters]
        self.simple = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in self.parameters)
        self._read_from = state(self.function)

    def look_again(self) -> None:
        """The same where that has changed."""
        renew(self.function)
        now = state(self.function)
        if len(now) != len(self._read_from) or not all(map(operator.is_, now, self._read_from)):
            self._read_signature()

    def bound_to(self, owner: Any) -> Derivatives:
        """The same derivatives for a method of ``owner``."""
        bound = copy.copy(self)
        bound.owner = owner
        return bound

    # --- arguments

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The values of all parameters in order, defaults filled in. Raises ArgumentError, a TypeError."""
        renew(self.function)
        if self.owner is not None:
            args = (self.owner, *args)
        if self.simple and not kwargs and len(args) == len(self.names) and self.function.__code__ is self._read_from[0]:
            return list(args)
        self.look_again()
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            hints = (meant(n, self.names) for n in kwargs if n not in self.names)
            hint = next(filter(None, hints), "") or vars(self.function).get(HINT, "")
            raise ArgumentError(f"{self.function.__name__}(): {error}{'; ' if hint else ''}{hint}") from None
        bound.apply_defaults()
        return list(bound.arguments.values())

    def annotated(self) -> list[Any]:
        """Example arguments by annotations and defaults. Raises ActivityError where those do not tell."""
        examples = {float: 1.0, int: 1, bool: True, complex: 1j, "float": 1.0, "int": 1, "bool": True, "complex": 1j}
        values: list[Any] = []
        for p in self.parameters:
            if p.default is not p.empty:
                values.append(p.default)
            elif p.annotation in examples:
                values.append(examples[p.annotation])
            else:
                raise ActivityError(
                    f"the kind of {p.name!r} is not known yet",
                    instead="call a derivative first, or give example arguments: f.source('adjoint', x, y)",
                )
        return values

    def inputs(self, wrt: Any) -> tuple[str, ...]:
        """The parameter (or free variable) names that ``wrt`` means."""
        self.look_again()
        items = wrt if isinstance(wrt, tuple | list) else (wrt,)
        names: list[str] = []
        own = self.argument_names(max([int(item) + 1 for item in items if isinstance(item, int | np.integer)], default=0))
        for item in items:
            if isinstance(item, bool) or not isinstance(item, int | np.integer | str):
                raise ActivityError(f"wrt={wrt!r}: positions and names are expected")
            if isinstance(item, str):
                names.append(self._named(item))
                continue
            places = own if item >= 0 else self._positional_names(int(item))
            if not -len(places) <= item < len(places):
                raise ActivityError(f"wrt={item} is out of range: {self.function.__name__} has {len(places)} parameters")
            names.append(places[item])
        if twice := _overlapping(names):
            raise ActivityError(f"wrt={wrt!r} names {twice!r} twice, or what it is a part of", instead="each of them once")
        return tuple(names)

    def argument_names(self, count: int = 0) -> list[str]:
        """The names of a call's arguments; ``*xs`` takes the place of as many as ``count`` needs: ``xs[0]``, ..."""
        bound = int(self.owner is not None)  # the object of a method is its first argument
        gathered = next((k for k, p in enumerate(self.parameters) if p.kind is p.VAR_POSITIONAL), None)
        names = [p.name for p in self.parameters if p.kind is not p.VAR_KEYWORD]
        if gathered is not None:
            items = [f"{names[gathered]}[{k}]" for k in range(count + bound - gathered)]
            names = [*names[:gathered], *items, *names[gathered + 1 :]]
        return names[bound:]

    def _positional_names(self, item: int) -> list[str]:
        """The parameters that are counted from the last one on: those that are given by position."""
        gathered = next((p.name for p in self.parameters if p.kind is p.VAR_POSITIONAL), None)
        if gathered is not None:
            raise ActivityError(
                f"wrt={item}: which argument is the last depends on how many *{gathered} gets", instead="positions from 0 on"
            )
        names = [p.name for p in self.parameters if p.kind not in (p.VAR_KEYWORD, p.KEYWORD_ONLY)]
        return names[int(self.owner is not None) :]

    def _named(self, item: str) -> str:
        """A parameter, a free variable, or a path into one (``self.w``), as it is spelled."""
        known = [*self.names, *self.function.__code__.co_freevars]
        try:
            root, path = parse_path(item)
        except ValueError as error:
            raise ActivityError(f"wrt={item!r}: {error}", instead="a name, or a path such as 'self.w'") from None
        gathers = self.parameters[-1:] if self.parameters and self.parameters[-1].kind is inspect.Parameter.VAR_KEYWORD else []
        if root not in known and gathers:  # a keyword that a call may give
            return f"{gathers[0].name}[{root!r}]{item.replace(' ', '')[len(root):]}"
        behind, free = vars(self.function).get(BEHIND, ("", ()))
        if root in free and root not in known:
            raise ActivityError(
                f"{self.function.__name__} cannot be differentiated by {root!r}, a free variable of {behind}",
                why=f"what is made of {behind} has its parameters alone", instead=f"{root} as an argument of {behind}",
            )  # fmt: skip
        if root not in known or (path and root not in self.names):
            raise ActivityError(
                f"{self.function.__name__} has no parameter or free variable {root!r}",
                instead=meant(root, known, f"one of {', '.join(known)}"),
            )
        return item.replace(" ", "")

    def check_of(self, of: str | None) -> None:
        """Raise ActivityError for a name whose final contents are asked for, and which is no parameter."""
        if of is not None and of not in self.names:
            hint = meant(of, self.names, f"one of {', '.join(self.names)}")
            raise ActivityError(f"{self.function.__name__} has no parameter {of!r}", instead=hint)

    # --- compiled programs

    def programs(self, ask: Ask) -> Programs:
        """The programs made for a request so far, by the keys of the arguments."""
        if ask not in self.tables:
            self.tables[ask] = Programs(tuple(n for n in ask.inputs if parse_path(n)[0] not in self.names))
        return self.tables[ask]

    def _found(self, programs: Programs, key: Any, values: Sequence[Any]) -> Compiled | None:
        """A program that was made before for such arguments, in a world like this."""
        for found in programs.get(key, ()):
            if found.guard.holds() and found.guard.fits(values):
                if found.scalar:
                    programs.quick = self._quick(found, key, None) or programs.quick
                return found
        return None

    def _quick(self, found: Compiled, key: Sequence[Hashable], along: tuple[Along, ...] | None) -> Callable[..., Any] | None:
        """The shortest way to run a program; None where there is none."""
        if self.owner is not None or not self.simple or not found.plain or found.claims or found.replays:
            return None
        if along not in found.quick:
            refuse = functools.partial(self.refuse, found)
            found.quick[along] = found.guard.entry(key, found.function, self.seen, refuse, along)
        return found.quick[along]

    def quick_along(
        self, found: Compiled, values: Sequence[Any], along: Sequence[str | None], rows: bool = False
    ) -> Callable[[Sequence[Any], Sequence[Any]], Any] | None:
        """A function of arguments and tangents that runs a program with tangents, and gives None where that may not be used.

        ``along``: the parameter that each tangent belongs to; ``rows``: each is of several directions, one a row.
        None for what is no plain parameter, number or array.
        """
        key = self.key(values, detail=found.detail)
        given: list[Along] = []
        for name in along:
            if name is None:
                given.append(("none", 0))
            elif name in self.names and has_plain_tangents(key[self.names.index(name)]):
                given.append(("rows" if rows else "like", self.names.index(name)))
            else:
                return None
        return self._quick(found, key, tuple(given))

    def quick_with(self, found: Compiled, values: Sequence[Any]) -> Callable[[Sequence[Any], Sequence[Any]], Any] | None:
        """The same of a program with its tangents or seeds, which are not looked at: they fit."""
        return self._quick(found, self.key(values, detail=found.detail), (("any", 0),) * found.seeds)

    def key(
        self, values: Sequence[Any], free: tuple[str, ...] = (), detail: Detail = Detail.KINDS
    ) -> tuple[Hashable, ...]:
        """The part of arguments, and of these free variables, that decides which program serves them."""
        with finite(f"an argument of {self.function.__name__}"):
            return (*map(KEYS_OF[detail], values), *(key_of(self.free_value(n)) for n in free))

    def compiled(self, ask: Ask, values: Sequence[Any], programs: Programs | None = None) -> Compiled:
        """The derivative function for arguments of these kinds in the world as it is.

        ``programs`` spares the search for its table.
        """
        found = self._compiled(ask, values, self.programs(ask) if programs is None else programs)
        if found.tells and is_replayed() and not ask.silent:
            ask = replace(ask, silent=True)
            found = self._compiled(ask, values, self.programs(ask))
        for path in found.read_elsewhere:
            self._refuse_another_name(path, values, found.reads)
        return found

    def _refuse_another_name(self, path: str, values: Sequence[Any], reads: Sequence[Any]) -> None:
        """Refuse a derivative by a part of an object that the program also reads by another name, as a constant."""
        root, keys = parse_path(path)
        holder = at(values[self.names.index(root)], keys[:-1])
        if any(thing is holder for thing in within(reads)):
            raise AliasError(
                f"{path} is also read by another name in {self.function.__name__}, which is no argument",
                why=f"the derivative by {path} would leave out what that contributes", instead="one name for the object",
            )  # fmt: skip

    def _compiled(self, ask: Ask, values: Sequence[Any], programs: Programs) -> Compiled:
        general = key = self.key(values, programs.free)
        detail = programs.details.get(general, Detail.KINDS)
        if detail:
            key = self.key(values, programs.free, detail)
        found = self._found(programs, key, values)
        if found is not None:
            return found
        with generating:
            found = self._found(programs, key, values)  # another thread was first
            if found is not None:
                return found
            made, key = self._made(ask, values, programs.free, detail)
            if made.detail:
                programs.details[general] = made.detail
            known = (made, *programs.pop(key, ()))[:VARIANTS]
            programs[key] = tuple(sorted(known, key=lambda one: -one.guard.taken))  # those that take more for granted are leaner
            while len(programs) > KEYS:  # functions made in a loop are keys, too
                programs.pop(next(iter(programs)))
        return made

    def _made(
        self, ask: Ask, values: Sequence[Any], free: tuple[str, ...], detail: Detail
    ) -> tuple[Compiled, tuple[Hashable, ...]]:
        """A program that relies on as little as may be, from ``detail`` on, and its key.

        What can be told of no program for all flags and sizes is told of the one for these flags: nobody asked for sizes,
        nor for what goes wrong on a further attempt.
        """
        refused: S2sadError | None = None
        tried: set[Hashable] = set()
        helps: set[Detail] = set()
        for more in Detail if ask.mode != "samples" else [detail]:  # samples are of many whole numbers at once
            key = self.key(values, free, more)
            known = key in tried or more in (Detail.WRITTEN, Detail.LATE)
            if more < detail or (tried and known and more not in helps):
                continue
            tried.add(key)
            self.met = None
            try:
                return self._make(ask, values, key, more), key
            except CompilerError:
                if refused is None:
                    raise
            except S2sadError as error:
                if refused is None or more < Detail.SIZES:
                    refused = error
                log: observe.Log | None = self.met
                helps |= log.helps if log is not None else set()
            finally:
                self.met = None
        assert refused is not None
        raise refused

    def kinds(self, values: Sequence[Any], detail: Detail = Detail.KINDS) -> dict[str, Any]:
        """The kind of each parameter, as far as is known."""
        return {name: kind_for(v, name, known=FACTS_OF[detail]) for name, v in zip(self.names, values, strict=True)}

    def _make(self, ask: Ask, values: Sequence[Any], key: Hashable, detail: Detail) -> Compiled:
        interpreter.check()
        for name in ask.inputs if ask.mode != "samples" else ():
            check_differentiable(self._value_of(name, values), name)
        kinds = self.kinds(values, detail)
        free = tuple(n for n in ask.inputs if n not in self.names)
        passed = tuple(k for k, n in enumerate(self.names) if not isinstance(kinds[n], Static))
        cache = Cache(self.options.cache_dir, beside=self.function.__code__.co_filename)
        made, slots, guard, outside = self._obtain(cache, ask, detail, values, key)
        text, results = made.text, made.results
        module = (self.function.__module__ or "main").rsplit(".", 1)[-1].strip("_") or "main"
        entry = cache.load(f"{module}.{identifier(self.function.__name__)}.{ask.mode}", text, slots, origin_of(self.function))
        name = identifier(self.function.__name__)
        function = getattr(entry.module, name if ask.mode == "primal" else f"{name}_{ask.mode}")
        defaults = function.__defaults__ or ()
        code = function.__code__
        positional = self._positional(passed)
        scalar = bool(defaults) and ask.mode == "adjoint" and code.co_argcount > positional  # the last one is a seed
        plain, seeds = positional == len(values) and not free, code.co_argcount - positional
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        captured = {root: cells[root] for root, _ in map(parse_path, free) if root in cells}
        reads = (*read_by(text, slots.values()), *captured.values())
        anew = draws_anew(text)
        note_identified(text, values)
        if self.options.backend == "numba":
            function = self._native(ask, cache, entry, function, self.kinds(values), values, scalar, seeds)
        elif made.expects and (anew or sources_in([*reads, *values])):
            return self._make(replace(ask, general=True), values, key, detail)
        elif made.expects:
            function = Expecting(function, self._general(ask, values, passed))
        claims = checked.of_text(text)
        return Compiled(
            function, entry, passed, free, scalar, plain, seeds, results, guard, reads, anew, outside, made.changes, made.tells,
            made.replays, made.spares, claims, detail, read_elsewhere=_spelled(free, text),
        )  # fmt: skip

    def _native(
        self, ask: Ask, cache: Cache, entry: Entry, function: Any, kinds: dict[str, Any], values: Sequence[Any], scalar: bool,
        seeds: int,
    ) -> Any:  # fmt: skip
        """The same program, to be run as machine code where it could be compiled; a warning says where it could not."""
        why = reason(entry.source)
        if why is not None:
            told = f"{self.function.__name__} runs as NumPy: {why}"
            if told not in _told:
                _told.add(told)
                warnings.warn(told, NotCompiledWarning, stacklevel=2)
            return function
        machine = getattr(entry.module, f"{function.__name__}_loops", None)
        if machine is None:
            return function  # several directions one after the other, index sets, samples
        passed = [k for k, n in enumerate(self.names) if not isinstance(kinds[n], Static)]
        taken: list[Any] = [kinds[self.names[k]] for k in passed]
        if ask.mode == "tangent":
            taken += [kinds.get(name, Kind()) for name in ask.inputs]
        else:
            taken += [FLOAT if scalar and k == seeds - 1 else SEED for k in range(seeds)]
        twin = Derivatives(self.function, self.options.plain())
        twin.owner, twin.kept = self.owner, self.kept
        known = [None if k in passed else value for k, value in enumerate(values)]

        def plain(args: Sequence[Any]) -> Callable[..., Any]:
            given = list(known)
            for k, value in zip(passed, args, strict=False):
                given[k] = value
            return twin.compiled(ask, given).function

        kept_in(cache.machine, machine, entry.source, compiler_version())
        return Native(function, machine, taken, plain)

    def _general(self, ask: Ask, values: Sequence[Any], passed: tuple[int, ...]) -> Run:
        """A function that runs the program for a request that expects nothing, with what another one for it is given."""
        known = [None if k in passed else value for k, value in enumerate(values)]
        plain = replace(ask, general=True)

        def run(args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
            given = list(known)
            positional = iter(args)
            for k in passed:
                named = self.parameters[k].kind is inspect.Parameter.KEYWORD_ONLY
                given[k] = keywords[self.names[k]] if named else next(positional)
            return self.compiled(plain, given).run(args, keywords)

        return run

    def moment(self, compiled: Compiled, values: Sequence[Any], whole: bool = False) -> Moment | None:
        """The moment of what a program finds outside; None if that is nothing. ``whole``: the object of a method that changes it
        is no copy. Raises ActivityError if no two runs are alike."""
        if compiled.anew:
            raise ActivityError(
                f"{self.function.__name__} draws other random numbers each time it runs",
                why="its value and this derivative are computed by several runs, which have to be of one sample",
                instead="a Generator, or a seed, as an argument; or value_and_grad or jvp, which draw once",
            )  # fmt: skip
        owner = [self.owner] if whole and compiled.changes and self.owner is not None else []
        roots = (*compiled.sees(), *compiled.outside, *not_copied(values), *owner)
        moment = Moment(roots)
        return moment if moment.things else None

    def leaves_more(self, compiled: Compiled, values: Sequence[Any]) -> bool:
        """Test for a call that leaves something outside other than it was: what it writes there, prints, or draws."""
        writes = bool(compiled.outside) or self.follows_a_call(compiled)
        return writes or compiled.tells or bool(sources_in([*compiled.sees(), *values]))

    def follows_a_call(self, compiled: Compiled) -> bool:
        """Test for a function that is called first: a method that changes its object, which is no argument of the call, or one
        that changes more outside than can be left there on the way."""
        return compiled.replays or compiled.changes and self.owner is not None

    def undone(self, compiled: Compiled, values: Sequence[Any] = ()) -> Moment:
        """A moment within which runs of a program leave nothing outside, and in what is no copy of arguments."""
        return Moment((*compiled.sees(), *compiled.outside, *not_copied(values)))

    def _positional(self, passed: tuple[int, ...]) -> int:
        return sum(self.parameters[k].kind is not inspect.Parameter.KEYWORD_ONLY for k in passed)

    def _obtain(
        self, cache: Cache, ask: Ask, detail: Detail, values: Sequence[Any], key: Hashable
    ) -> tuple[Program, dict[str, object], Guard, tuple[Any, ...]]:
        """A program, what the loader binds in it, when it may be used again, and what it writes into outside.

        It was made before, in this process or in another, in a world that looked like this one; or it is made now.
        """
        request = _digest(
            compiler_version(), *_versions(), repr(ask), detail.name, self.options.style, repr(self.options.machine),
            rules_in_words(),
            f"{self.function.__module__}.{self.function.__qualname__}", identifier(self.function.__name__), _key_text(key),
            self.kept,
        )  # fmt: skip
        named = dict(zip(self.names, values, strict=True))
        place = (str(cache.store.folder), request)
        for stored in _made_before(cache, request):
            log = observe.replay(self.function, named, stored.lines)
            if log is not None and (guard := Guard(log, stored.conditions, self.names)).holds() and guard.fits(values):
                _keep(place, stored)
                return stored, _objects(stored.slots, log), guard, stored.objects_outside(log)
        for _ in range(ATTEMPTS):
            log = observe.Log(self.function, named)
            log.detail, self.met = detail, log
            with observe.observing(log):
                result = self.generate(ask, detail, values, assumptions=self.assumptions(ask, values))
                for path in result.library:
                    observe.library(path)
            slots, objects = _slots(result, log)
            guard = Guard(log, result.conditions, self.names)
            if guard.holds():
                break
        else:
            raise ActivityError(
                f"what {self.function.__name__} sees changes while its derivative is made",
                why="no program would be right for all of it", instead="an argument in place of what changes",
            )  # fmt: skip
        outside = _numbered(result.outside, log)
        told = result.text, result.results, result.changes, result.tells, result.replays, result.spares
        made = Program(tuple(log.lines), slots, *told, outside, result.conditions, result.expects)
        if not log.private:
            _keep(place, made)
            if observe.replay(self.function, named, made.lines) is not None:  # also: no source was edited meanwhile
                cache.store.write(request, made.written())
        if ask.mode == "samples" and result.outside:
            raise ActivityError(
                f"{self.function.__name__} writes into objects outside", why="each sample leaves something there",
                instead="one sample after the other",
            )  # fmt: skip
        return made, objects, guard, result.outside

    def _value_of(self, name: str, values: Sequence[Any]) -> Any:
        root, path = parse_path(name)
        if root not in self.names:
            return self.free_value(name)
        try:
            return at(values[self.names.index(root)], path)
        except LookupError as error:
            gathered = self.parameters[self.names.index(root)].kind is inspect.Parameter.VAR_KEYWORD
            raise ActivityError(
                f"wrt={name!r}: {root} has no part {error.args[0]!r}",
                why="the call gives no keyword of that name" if gathered else "",
                instead="the keyword in the call, or a position for wrt" if gathered else "",
            ) from None

    def free_value(self, name: str) -> Any:
        """The current value of a free variable of a closure."""
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        return cells[name].cell_contents

    def assumptions(self, ask: Ask, values: Sequence[Any], silent: bool = False) -> Assumptions | None:
        """The assumptions that a program may make about the sizes of these arguments; none if it is of others, too.

        ``silent``: its text may be called by anybody, so that a reader is told at most.
        """
        if ask.mode == "samples" or ask.mode.endswith("pattern"):
            return None
        named = dict(zip(self.names, values, strict=True))

        def look(symbol: tuple[Any, ...]) -> int | None:
            root, path = place_of(symbol)
            if root not in named or not all(type(key) in (str, int) for key in path):
                return None
            try:
                found = part_at(named[root], path)
                if symbol[0] == APART:
                    return int(lies_apart(found))
                return int(found.shape[symbol[2]] if symbol[0] == "axis" else found)
            except Exception:
                return None

        return Assumptions(look, silent)

    @with_room
    def generate(
        self, ask: Ask, detail: Detail, values: Sequence[Any], standalone: bool = False, assumptions: Assumptions | None = None,
        exported: bool = False,
    ) -> Any:
        """A derivative module as a ``pipeline.Result``, which tells what the loader binds in it.

        ``standalone``: with the helpers that it needs; ``exported``: to be called by anybody. Looks at the world are written into
        the log in use.
        """
        with assuming(assumptions):
            result = self._generated(ask, detail, values, standalone, exported)
        result.conditions = () if assumptions is None else assumptions.conditions()
        return result

    def _generated(self, ask: Ask, detail: Detail, values: Sequence[Any], standalone: bool, exported: bool) -> Any:
        from s2sad import pipeline

        try:
            function, wanted, program = self.lowered(ask, detail, values, not standalone, exported)
            changes, told, written = pipeline.acts(function, program, self.names[0] if self.names else "", ask.silent)
            returns = function.returns.items[0] if ask.aux else function.returns
            results = places_of(returns, wanted.outputs) if ask.of is None else 0
            machine = None if standalone else self.options.machine
            if ask.mode == "primal":
                result = pipeline.primal(function, self.options.style, machine, standalone)
            else:
                acting = told or program.assigned or program.replayed or program.outside or program.attributes
                acting = acting or not all(isinstance(p.value.kind, Array) for p in function.params if p.name in written)
                expects = not (acting or ask.general or standalone or exported or self.options.machine)
                result = pipeline.differentiate(
                    function, ask.mode, wanted, self.options.style, standalone, machine=machine, expects=expects
                )  # fmt: skip
        except (S2sadError, RecursionError, MemoryError):
            raise
        except Exception as error:
            if (where := observe.raised_by_user(error)) is not None:
                raise ActivityError(
                    f"{self.function.__name__} cannot be differentiated: what it sees cannot be looked at",
                    why=f"{type(error).__name__}: {error} ({where})", instead="plain attributes",
                ) from error  # fmt: skip
            raise CompilerError(
                f"{self.function.__name__} cannot be differentiated, by a mistake of s2sad",
                why=f"{type(error).__name__}: {error}", instead="please report it, with the function",
            ) from error  # fmt: skip
        result.results, result.changes, result.tells, result.replays = results, changes, told, program.replayed
        result.spares = written <= {*self.names[: self.owner is not None]}
        return _bound(result, program)

    def traced(self, ask: Ask, values: Sequence[Any]) -> Any:
        """The derivative program in which everything has a name, as a ``pipeline.Result``."""
        from s2sad import pipeline

        function, wanted, program = self.lowered(ask, self.compiled(ask, values).detail, values)
        return _bound(pipeline.traced(function, ask.mode, wanted), program)

    @with_room
    def lowered(
        self, ask: Ask, detail: Detail, values: Sequence[Any], replayable: bool = False, exported: bool = False
    ) -> tuple[Any, Any, Any]:
        """The function in SSA form, what of it is wanted, and what it shares with its callees; ``replayable``: it may be called
        before; ``exported``: the program is for a module."""
        from s2sad import pipeline
        from s2sad.ad.request import Request
        from s2sad.frontend.resolve import LiveScope

        if registry.name_of(self.function) is not None:
            raise ActivityError(
                f"{self.function.__name__} was given a rule after this derivative was made",
                why="what its source says is not what the rule says", instead="make the derivative again",
            )  # fmt: skip
        free = {n: kind_for(self._value_of(n, values), n) for n in ask.inputs if n not in self.names}
        source, kinds = observe.source(self.function), self.kinds(values, detail)
        replayable &= ask.mode != "samples"
        scope = LiveScope(self.function)
        function, program = pipeline.lower(
            source, scope, kinds, self.function, free, self.kept, replayable, exported  # type: ignore[arg-type]
        )
        if detail in SIZED:
            pipeline.hold_sizes(function, dict(zip(self.names, map(sizes_of, values), strict=True)))
        outputs = tuple(range(function.returns.leaves()))
        if ask.mode not in ("primal", "samples") and ask.of is None and all(v.kind == NONE for v in function.body.yields):
            written = [n for n in self.names if isinstance(kinds[n], Array)]
            raise ActivityError(
                f"{self.function.__name__} returns nothing that could be differentiated",
                instead=f"of={written[0]!r}, for the final contents of an argument" if written else "return the result",
            )
        if ask.aux:
            if function.returns.kind != "tuple" or len(function.returns.items) != 2:
                raise ActivityError(f"has_aux=True, but {function.name} does not return a pair (value, aux)")
            outputs = tuple(range(function.returns.items[0].leaves()))
        outputs = tuple(k for k in outputs if is_differentiable(function.body.yields[k].kind))
        return function, Request(tuple(map(part_name, ask.inputs)), outputs, ask.of, bare=ask.bare), program

    # --- calls

    def call(self, ask: Ask, values: Sequence[Any], seeds: tuple[Any, ...]) -> Any:
        """Call a derivative program."""
        return self.invoke(self.compiled(ask, values), values, seeds)

    def invoke(self, compiled: Compiled, values: Sequence[Any], seeds: tuple[Any, ...]) -> Any:
        """Call a compiled program. Raises AliasError and ActivityError for what only the arguments show."""
        self.seen.recent = values
        try:
            return self.run(compiled, values, seeds)
        except Exception as error:
            self.refuse(compiled, error, values)
            raise

    def run(self, compiled: Compiled, values: Sequence[Any], seeds: tuple[Any, ...]) -> Any:
        """The same, with errors as they come."""
        if compiled.plain:
            return compiled.function(*values, *seeds) if not compiled.claims else compiled.run([*values, *seeds], {})
        return self._invoke_with_keywords(compiled, values, seeds)

    @contextmanager
    def told(self, compiled: Compiled, values: Sequence[Any]) -> Iterator[None]:
        """A run of a generated program in another way, whose errors are those of a call."""
        try:
            yield
        except Exception as error:
            self.refuse(compiled, error, values)
            raise

    def refuse(self, compiled: Compiled, error: Exception, values: Sequence[Any]) -> None:
        """Raise what users see of an error of a generated program; of one that the function raises, too, note where.

        One that it does not raise is a mistake of ours, a CompilerError; what it raises in its place is raised.
        """
        if isinstance(error, Stretched):
            return  # of a lean program that is looked at by itself
        if isinstance(error, SharedMemoryError | WrittenError):
            raise AliasError(str(error)) from error
        if isinstance(error, UnsupportedError):
            raise UnsupportedSyntaxError(f"{self.function.__name__}: {error}") from error
        if isinstance(error, SeedError):
            raise ActivityError(str(error)) from error
        if isinstance(error, Refusal):
            raise self._became_complex(error, values) or KindError(f"{self.function.__name__}: {error}") from error
        rightly = self._raised_rightly(compiled, error, values) if faults.asks(error) else error
        if rightly is not error:
            faults.throw(rightly)
        faults.add_place(error, self.function)

    def _raised_rightly(self, compiled: Compiled, error: Exception, values: Sequence[Any]) -> Exception:
        """The exception that is right where a program raises an error: a call of the function tells, or the place does."""
        if faults.in_users_code(error):
            return error
        raised = self._raised_within(values)
        if raised is not None:
            return error if faults.are_alike(raised, error) else raised
        call = self._harmless_call(compiled, values)
        if call is not None:
            with Moment((*compiled.reads, *not_copied(values))):
                raised = faults.raised_by(call)
            if raised is not None and not faults.are_alike(raised, error):
                return raised
            if raised is None and not faults.in_printing(error):
                return self._became_complex(error, values) or faults.fault(error, self.function)
            if compiled.tells:  # what raises there may be a derivative within the function
                faults.add_doubt(error, self.function)
            return error
        if is_replayed() or faults.in_reverse_sweep(error):
            return self._became_complex(error, values) or faults.fault(error, self.function, compiled.calls_users)
        faults.add_doubt(error, self.function)
        return self._became_complex(error, values) or error

    def _raised_within(self, values: Sequence[Any]) -> Exception | None:
        """The exception of the function, where this is a derivative of it, and a call of it leaves nothing."""
        if self.within is None:
            return None
        inner, given = self.within, list(values) if self.within.owner is None else [self.within.owner, *values]
        try:
            silent = inner.compiled(SILENT, given)
        except S2sadError:
            return None
        call = inner._harmless_call(silent, given)
        if call is None:
            return None
        with Moment((*silent.reads, *not_copied(given))):
            return inner._raised_within(given) or faults.raised_by(call)

    def _harmless_call(self, compiled: Compiled, values: Sequence[Any]) -> Callable[[], Any] | None:
        """A call of the function that leaves nothing; None if there is none. Of one that prints, its program is silent."""
        writes = bool(compiled.outside) or self.follows_a_call(compiled)
        if writes or sources_in([*compiled.reads, *values]) or compiled.calls_users:
            return None
        if not compiled.tells:
            return lambda: self._call(values)
        try:
            silent = self.compiled(SILENT, values)
        except S2sadError:
            return None
        return lambda: self.run(silent, copied(list(values)), ())

    def _became_complex(self, error: Exception, values: Sequence[Any]) -> Exception | None:
        """What users see where a number became complex that none of them had made so."""
        if not isinstance(error, TypeError) or "complex" not in str(error) or any(isinstance(v, complex) for v in values):
            return None
        found = ActivityError(f"{self.function.__name__}: {error}", why=BECAME_COMPLEX, instead=KEEP_REAL)
        found.__cause__ = error
        return found

    def _call(self, values: Sequence[Any]) -> Any:
        """The value of the function, of copies of the arguments."""
        given: list[Any] = []
        named: dict[str, Any] = {}
        for p, value in zip(self.parameters, copied(list(values)), strict=True):
            if p.kind is p.KEYWORD_ONLY:
                named[p.name] = value
            elif p.kind is p.VAR_KEYWORD:
                named |= value
            else:
                given += value if p.kind is p.VAR_POSITIONAL else [value]
        return self.function(*given, **named)

    def _invoke_with_keywords(self, compiled: Compiled, values: Sequence[Any], seeds: tuple[Any, ...]) -> Any:
        positional, keywords = self.passed(compiled, values)
        return compiled.run([*positional, *seeds], keywords)

    def passed(self, compiled: Compiled, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a program, seeds apart: by position, and by name."""
        keywords = {part_name(name): self._value_of(name, values) for name in compiled.free}
        positional = []
        for k in compiled.passed:
            if self.parameters[k].kind is inspect.Parameter.KEYWORD_ONLY:
                keywords[self.names[k]] = values[k]
            else:
                positional.append(values[k])
        return positional, keywords


def _key_text(key: Hashable) -> str:
    """A key as text: types by name. Functions and other things that are known are told by the log."""
    if isinstance(key, tuple):
        return f"({', '.join(map(_key_text, key))})"
    if isinstance(key, type):
        return f"{key.__module__}.{key.__qualname__}"
    return f"{type(key).__name__} {key!r}" if type(key) in (bool, int, float, complex, str, np.dtype, type(None)) else "known"


def _overlapping(names: Iterable[str]) -> str | None:
    """The first of these names or paths that means the same thing as one before it, a part of that, or what that is a part of."""
    whole, above = set[tuple[str | int, ...]](), set[tuple[str | int, ...]]()
    for name in names:
        root, path = parse_path(name)
        steps = [(root, *path[:k]) for k in range(len(path) + 1)]
        if steps[-1] in above or not whole.isdisjoint(steps):
            return name
        whole.add(steps[-1])
        above.update(steps)
    return None
