"""The state of lowering one function: variables, frames, builder; and the functions that are lowered along with it.

Variables live in one flat table, keyed by frame and name (or by box and field), so that branches and loops merge
locals, fields of records and inlined calls' locals by one mechanism.
"""

from __future__ import annotations

import builtins
import enum
import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import gast
import numpy as np

from s2sad.errors import KindError, Location, S2sadError, UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    CONTENTS,
    Bounded,
    Choice,
    Entity,
    Iteration,
    Members,
    Method,
    ObjectKey,
    Receive,
    Record,
    Spread,
    Static,
    Struct,
    Top,
    Tried,
    flatten,
)
from s2sad.frontend.fence import fail, refuse
from s2sad.frontend.kept import Keeping
from s2sad.frontend.loose_names import Reading
from s2sad.frontend.lower.maybe import holds_value, is_maybe
from s2sad.frontend.resolve import LiveScope, Scope
from s2sad.frontend.source import Source
from s2sad.ir.again import Again
from s2sad.ir.builder import Builder
from s2sad.ir.code import identifier
from s2sad.ir.kinds import (
    BOTTOM,
    FUNCTION,
    INT,
    OBJECT,
    UNKNOWN,
    Cell,
    DictOf,
    Kind,
    Nested,
    Other,
    Size,
    StructKind,
    join,
)
from s2sad.ir.nodes import Block, Call, Const, Function, Global, Op, Structure, Undef, Value
from s2sad.ir.walk import end_at_raise, ops_of
from s2sad.rules import registry
from s2sad.rules.effects import acts

if TYPE_CHECKING:
    from s2sad.frontend.lower.revisits import Visit

T = TypeVar("T")

Key = tuple[Hashable, Any]
MAX_OPERATIONS = 30_000  # that one program may take to be lowered, attempts that are thrown away included
Place = tuple[str, int, int, str]  # of a definition: file, line, column, name


TRUE = Const(True)


def unbound_name(name: str, free: bool) -> NameError:
    """The exception with which Python says that a local variable is not bound; ``free``: one of a function around."""
    if free:
        return NameError(f"cannot access free variable {name!r} where it is not associated with a value in enclosing scope")
    return UnboundLocalError(f"cannot access local variable {name!r} where it is not associated with a value")


@dataclass(frozen=True)
class Bound:
    """The key of the flag that says whether a variable is bound (``bound``)."""

    name: Hashable

    def __str__(self) -> str:
        return f"{self.name}_is_bound"


@dataclass(eq=False)
class Frame:
    """One activation: a function's source, the scope of its free names, and the frame around a nested function."""

    source: Source
    scope: Scope
    outer: Frame | None = None
    locals: frozenset[str] = frozenset()
    result: Entity | None = None
    followed: bool = False  # it is called in an attempt that is followed
    written: frozenset[str] = frozenset()  # the names of lists that are changed in place
    loop_names: frozenset[str] = frozenset()  # those whose last binding by a loop nobody asks for
    defines: bool = False  # functions, which see its variables
    shared: frozenset[str] = frozenset()  # declared nonlocal: bound in a frame further out
    definition: gast.FunctionDef | None = None  # where it is not that of the source
    receive: Receive | None = None  # of a generator that is being run through: takes its items
    around: Frame | None = None  # of such a one: the frame of its consumer
    loose: frozenset[Reading] = frozenset()  # where its names are read that some path has not bound

    @functools.cached_property
    def watched(self) -> frozenset[str]:
        """The names of which it counts whether they are bound."""
        return frozenset(one.name for one in self.loose)

    def mentions(self, name: str) -> bool:
        """Test for a name of the user's, and none of the normal form."""
        return any(getattr(node, "id", None) == name for node in gast.walk(self.source.node))

    def private(self, attr: str) -> str:
        """``__x`` as Python calls it in a method: ``_Model__x``."""
        if not attr.startswith("__") or attr.endswith("__") or not isinstance(self.scope, LiveScope):
            return attr
        for part in reversed(self.scope.function.__qualname__.split("<locals>")):
            *_, cls, _ = ["", *part.strip(".").split(".")]
            if cls:
                return f"_{cls.lstrip('_')}{attr}"
        return attr


def _no_derivatives(derived: Any, kinds: dict[str, Any], ctx: Any) -> Any:
    raise S2sadError("a derivative of a derivative cannot be taken here")


def _no_gradient(function: Function, name: str) -> Function:
    raise S2sadError("a gradient cannot be taken here")


@dataclass
class Findings:
    """Findings of earlier attempts to lower a program (``ir.again``)."""

    apart: frozenset[Location] = frozenset()  # loops whose first iteration stands apart (``analysis.rebinding``)
    growing: frozenset[Place] = frozenset()  # where what is run over changes on the way (``growth``)
    outside: tuple[Static, ...] = ()  # objects that are reached from outside, and written into, or hold such: read at entry
    attributes: tuple[tuple[Static, str], ...] = ()  # of classes, that are written: the class, and the name
    # Lists (where they are made) whose items are known one by one, and change. ``(STAYS, place)``: of objects, and what is done
    # with it needs one that exists when the program runs.
    displayed: frozenset[Hashable] = frozenset()
    appended: frozenset[int] = frozenset()  # lists outside of tuples and the like that grow, by identity: nobody looks at them
    referring: bool = False  # objects of which the program chooses are assigned: what is chosen is one of them (``referring``)
    replayed: bool = False  # changes outside cannot be left there on the way: a call of the function itself comes first

    def joined(self, more: Mapping[str, Any]) -> Findings:
        """These, and more."""
        own = vars(self)
        return Findings(**own | {k: own[k] + new if isinstance(new, tuple) else own[k] | new for k, new in more.items()})


@dataclass(eq=False)
class Program(Findings):
    """The common state of several functions lowered together: the callees by key, and what they call by name."""

    inline: Callable[[Function], bool] = lambda _: False
    writes: Callable[[Function], bool] = lambda _: False
    written: Callable[[Function, int], frozenset[int]] = lambda *_: frozenset()
    writes_items: Callable[[Function, Value], bool] = lambda *_: True
    changes: Callable[[list[Op]], list[Value]] = lambda _: []
    acts: Callable[[list[Op]], bool] = lambda _: False
    obstacle: Callable[[Function, tuple[int | None, ...]], str | None] = lambda *_: None
    unsaved: Callable[[Function], str | None] = lambda _: None
    repeatable: Callable[[Function, str], None] = lambda *_: None
    settle: Callable[[Function], None] = lambda _: None  # what lists hold, once a function is lowered
    derive: Callable[..., Function] = _no_derivatives
    gradient: Callable[[Function, str], Function] = _no_gradient
    callees: dict[Hashable, Callee] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    spelled: dict[str, Any] = field(default_factory=dict)  # what generated code calls by a name that the loader binds
    wished: dict[Function, str] = field(default_factory=dict)  # names of functions that are handed over, if they are free
    kept: list[Any] = field(default_factory=list)  # what keys of callees mention by identity
    parsed: dict[Any, Source] = field(default_factory=dict)
    operations: int = 0
    assigned: bool = False  # whether a field of an argument is assigned or removed
    from_files: bool = False  # made of files that are not executed: nothing is looked up in live objects but for libraries'
    unlike: set[Place] = field(default_factory=set)  # definitions that call themselves with arrays of which other sizes are equal
    varying: set[Place] = field(default_factory=set)  # definitions that call themselves with arrays of other sizes
    # Definitions that call themselves, and cannot be unrolled; try statements that are followed (``progress``).
    repeating: set[Place] = field(default_factory=set)
    lists: dict[Value, Any] = field(default_factory=dict)  # lists of objects outside that are written into
    renewed: list[Value] = field(default_factory=list)  # lists of arrays that were written again as a whole
    grown: dict[int, Any] = field(default_factory=dict)  # those outside to which the program appends, by identity
    defaults: set[Entity] = field(default_factory=set)  # what stands for the program's own that are one object for all calls
    late: set[Op] = field(default_factory=set)  # of finally blocks, which may raise while another exception is on its way
    # Of derivatives of functions that leave something behind: it is there once they are completed, and not where they fail.
    leaving: set[Op] = field(default_factory=set)
    final: set[Op] = field(default_factory=set)  # of finally blocks: they come after what has failed, too
    passed: set[Op] = field(default_factory=set)  # which an attempt before them has shown not to fail
    pulled: dict[Hashable, Any] = field(default_factory=dict)  # the functions of pullbacks, by their form
    replayable: bool = False  # whether a call of the function itself may come first, and leave outside what is left there
    exported: bool = False  # its text will be called by anybody, with other functions and members of enumerations, too
    keeping: Keeping | None = None  # while a function is followed whose results a cache keeps
    nested: dict[str, dict[tuple[int, ...], Nested]] = field(default_factory=dict)  # tuples of functions, by name (``nesting``)
    cells: dict[str, Cell] = field(default_factory=dict)  # what such tuples consist of
    unrolled: set[Place] = field(default_factory=set)  # those that are written out where constants say how deep they go
    free: list[tuple[Any, Key]] = field(default_factory=list)  # cells by whose contents it is differentiated, and their variables

    def source_of(self, function: Any) -> Source:
        """The source of a live function, read once."""
        if function not in self.parsed:
            self.parsed[function] = observe.source(function)
        return self.parsed[function]

    def after_a_call(self) -> None:
        """Lower the program again, for what a call of the function has found, where that may be."""
        if self.replayable and not self.replayed:
            raise Again(replayed=True)

    def unique(self, name: str) -> str:
        """A function name that no other callee has."""
        count = self.names[name] = self.names.get(name, 0) + 1
        return name if count == 1 else f"{name}_{count}"

    def spell(self, path: str, thing: Any) -> str:
        """The name by which generated code calls something that is no part of a library; the loader binds it."""
        name, count = path.replace(".", "_"), 1
        while hasattr(builtins, name) or self.spelled.setdefault(name, thing) is not thing:
            count += 1
            name = f"{path.replace('.', '_')}_{count}"
        return name


@dataclass(frozen=True)
class Returned:
    """The results of a function: the structure, the kinds of its leaves, and for each leaf that is always the same
    parameter, which one (a function that works in place and returns the array all the same)."""

    structure: Structure
    kinds: tuple[Kind, ...]
    same: tuple[int | None, ...]


@dataclass(eq=False)
class Callee:
    """A user's function called by another: its IR once lowered, and what it returns as far as is known."""

    name: str
    function: Function | None = None
    returned: Returned | None = None
    place: Place = ("", 0, 0, "")  # of its definition
    key: Hashable = None
    params: Sequence[Kind] = ()
    equal: tuple[int, ...] = ()  # which sizes of these are, as numbers for them
    likeness: Hashable = None  # its key, but for sizes
    inline: bool = False
    recursive: bool = False
    placeholder: Function | None = None  # what recursive calls refer to while the function is being lowered
    gives_back: bool = False  # a recursive one: an object that it has not made
    tried: bool = False  # a recursive call stands in a try statement, which works on copies of what the function writes


class Progress:
    """The lowering of statements whose steps are counted, or followed (``progress``); ``deep``: into all that they call."""

    deep: bool = False

    def block(self, ctx: Lowering, statements: list[gast.stmt]) -> None:
        """Lower statements in order."""
        raise NotImplementedError

    def once(self, made: Record) -> Record:
        """An object that a statement makes: the one that it has made before, where it is lowered once more."""
        return made


class Diverges(Exception):
    """A recursive call was met before it is known what it returns: this path cannot tell; others may."""

    def __init__(self, callee: Callee) -> None:
        self.callee = callee


class Varies(Exception):
    """A function calls itself with arrays of which more, or less, is known: its sizes are better forgotten at once.

    ``unlike``: only other sizes are equal.
    """

    def __init__(self, place: Place, unlike: bool) -> None:
        self.place = place
        self.unlike = unlike


class Repeats(Exception):
    """A function would be lowered within itself, with arguments of the same kinds: it needs a function of its own.

    Or what a try statement bound before it failed is read: it is to be followed (``progress``).
    """

    def __init__(self, place: Place) -> None:
        self.place = place


class ReturnsFunctions(UnsupportedSyntaxError):
    """A function returns more than values (functions, or one of several things): it is to be lowered where it is called."""


class Deepens(UnsupportedSyntaxError):
    """A structure of a recursive function's results that grows with each call."""


class Computed(Exception):
    """A dict that is made at ``place`` is used with keys that are computed while the program runs."""

    def __init__(self, maps: Maps, place: Hashable) -> None:
        self.maps = maps
        self.place = place


@dataclass(eq=False)
class Maps:
    """The dicts with computed keys of one function, by the place where they are made; found by lowering it repeatedly.

    ``known`` is what they hold as far as earlier attempts have shown, ``found`` what this one shows, ``relied`` what has
    been made of it so far.
    """

    known: dict[Hashable, Kind] = field(default_factory=dict)
    found: dict[Hashable, Kind] = field(default_factory=dict)
    relied: list[tuple[Hashable, Kind]] = field(default_factory=list)
    starts: dict[Hashable, DictOf] = field(default_factory=dict)  # of defaultdicts: with nothing but the number they make

    def again(self) -> bool:
        """Test for a dict that turned out to hold more than was known where it was read."""
        for place, kind in self.starts.items():
            found = self.found.get(place)
            if isinstance(found, DictOf) and found.item == BOTTOM:
                self.found[place] = DictOf(kind.item, join(found.key, kind.key), kind.sort)
        return any(self.found.get(place, kind) != kind for place, kind in self.relied)

    def begin(self) -> None:
        """Before the next attempt."""
        self.known |= self.found
        self.relied.clear()


@dataclass(frozen=True)
class Mark:
    """Where lowering stood: what an attempt that failed may have changed."""

    variables: dict[Key, Entity]
    records: dict[Record, tuple[list[Any], str, str, set[Any]]]
    block: Block
    ops: list[Op]
    around: tuple[Any, ...]
    lists: tuple[list[Any], ...]
    displays: set[Entity]
    consumed: set[Iteration]


STAYS = "stays"


class Acts(ReturnsFunctions):
    """A function uses the state of objects outside: it is to be lowered where it is called."""


def acting(path: str, location: Location | None) -> Acts:
    """The refusal of state outside in a function that is not lowered where it is called."""
    return Acts(
        f"the state of {path} in this function is not supported", location=location,
        why="it is written into, and this function is called by others, by itself, or differentiated by the program",
        instead="an argument and a result in place of the state",
    )  # fmt: skip


class Lowering:
    """Lowers statements and expressions of the current frame into the current block."""

    def __init__(self, program: Program, source: Source, scope: Scope, maps: Maps | None = None) -> None:
        self.program = program
        self.block = Block()
        self.builder = Builder(self.block, self.infer)
        self.variables: dict[Key, Entity] = {}
        self.frame = Frame(source, scope)
        self.depth = 0
        self.inlined = 0
        self.settled: set[Record] = set()  # objects that may not be written any more
        self.stack: list[tuple[Place, Hashable]] = []  # the definitions being lowered in place, with their arguments
        self.births: dict[Value, int] = {}  # lists that were made here, in order
        self.flats: dict[Entity, Value] = {}  # the array that a.flat runs over: parts of a.flat are copies
        self.holders: dict[Value, Value] = {}  # lists that were read from lists, and those
        self.blurred: set[Value] = set()  # lists of the caller that are given tuples, and may hold something else
        self.widened: list[int] = []  # the births of lists that were found to hold more kinds of items than was known
        self.maps = maps if maps is not None else Maps()
        self.places: dict[Value, Hashable] = {}  # where dicts with computed keys are made
        self.factories: dict[Value, Entity] = {}  # of those that are defaultdicts
        self.inner_factories: dict[Value, Entity | None] = {}  # of dicts in dicts, by the dict around
        self.tapes = False  # whether it returns tuples that hold ones like themselves (``nesting``)
        self.trying = 0  # bodies of try statements that are being lowered for their failures
        self.dropped: set[Value] = set()  # what would have been computed behind what always raises
        self.unborn: set[Entity] = set()  # what loops carry that are bound in their bodies first
        self.displays: set[Entity] = set()  # lists made here whose items are known one by one
        self.gathered: dict[Entity, Hashable] = {}  # those of objects, which could exist as the program runs; where they are made
        self.either: set[Entity] = set()  # lists that are one of two, which have other names
        self.callers: set[Entity] = set()  # lists whose items are known one by one, in what the caller of this function gives
        self.literals: dict[Entity, Hashable] = {}  # lists that were written as displays, and where
        self.roots: dict[Value, Static] = {}  # lists of objects outside, and those
        self.listed: dict[Struct, tuple[Static, list[Any]]] = {}  # lists outside whose items are known one by one
        self.containers: dict[Value, tuple[Static, Any]] = {}  # deques and sets in objects outside: those, and what they are
        self.texts: dict[Value, str] = {}  # patterns of strings that are put together
        self.looked_at: set[gast.AST] = set()  # expressions whose value nobody keeps (``sets``)
        self.unordered: set[gast.AST] = set()  # what runs over items whose order is of no account (``sets``)
        self.alone: object = None  # the last expression that was a statement of its own
        self.assigned = False  # whether a field of an argument is assigned, which other references to it would see
        self.outside: dict[int, Entity] | None = None  # the records of objects outside that are written into, by identity
        self.consumed: set[Iteration] = set()  # iterators of which something has taken the items
        self.loops: list[object] = []  # that are being lowered, outermost first
        self.lasting: list[Callable[[], None]] = []  # as in Iteration: of the lists that were run over in this call
        self.arms = 0  # of branches that are being lowered, one inside the other
        self.holding: frozenset[Value] = frozenset()  # conditions that hold in the arm that is being lowered
        self.trends: dict[Value, tuple[Size, int]] = {}  # of what loops count: the first one, and if up or down
        self.copies = 1  # of a statement, by loops around it that are being written out
        self.visit: Visit | None = None  # what is remembered of the innermost one
        self.progress: Progress | None = None  # of an attempt whose steps are counted, or followed
        self.touched: set[Key] = set()  # what paths have bound that may have ended by raising, and left no other trace
        self.words: dict[str, int] = {}  # how many objects of a class have a word of their own (``referring.label``)
        self.changed_lists: set[Key] = set()  # whose lists, known item by item, were changed without binding the name
        self.failures: dict[Value, Any] = {}  # the exceptions that handlers have caught, and where (``raised.Failure``)
        self.caught: list[Value] = []  # the exceptions whose handlers are being lowered, innermost last

    # --- building

    def infer(self, call: Call) -> Kind:
        """Kinds by the rules; a call that does not fit the signature is the user's error."""
        self.program.operations += 1
        if self.program.operations > MAX_OPERATIONS:
            raise S2sadError(
                "this program is too long when its loops over known items and its calls are written out",
                location=self.builder.loc, why=f"that takes more than {MAX_OPERATIONS:,} operations",
                instead="loops over arrays or ranges",
            )  # fmt: skip
        primitive = registry.lookup(call.target)
        try:
            bound = None if primitive is None else primitive.bind(call.args, call.kwargs)
        except TypeError as error:
            raise S2sadError(str(error), location=self.builder.loc) from None
        if self.program.keeping is not None:
            if acts(call.target):
                self.program.keeping.refuse(call.target, f"{call.target} does more than to compute its result")
            self.program.keeping.computes(call.target, call.args)
        try:
            return registry.infer(call, bound)
        except (S2sadError, RecursionError, MemoryError):
            raise
        except Exception as error:
            return self._unforeseen(call, error)

    def _unforeseen(self, call: Call, error: Exception) -> Kind:
        """The kind of a call for which its rule has no answer: it is made, raises what the library raises, and ends the path."""
        self.raising(call, f"{call.target} is called with arguments that its rule does not know ({error})")
        return UNKNOWN

    def raising(self, call: Call, why: str) -> Entity:
        """Make a call that raises, and refuse it as the program runs where it does not; what it would give is of no use."""
        made = Call(target=call.target, args=list(call.args), kwargs=dict(call.kwargs), results=[Value(UNKNOWN)])
        self.builder.append(made)
        self.builder.call("s2sad.raise", self.builder.call("s2sad.runtime.unforeseen", made.result, Const(why)))
        return Undef()

    def at(self, node: object) -> None:
        """Set the current location."""
        if hasattr(node, "lineno"):
            self.builder.loc = self.frame.source.location(node)

    def place(self, node: object, word: str = "") -> Place:
        """Where something stands that is not a definition: the same each time that the function is lowered."""
        where = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        return (self.frame.source.file, *where, word or type(node).__name__)

    def refuse(self, node: object, what: str = "", why: str = "", instead: str = "") -> NoReturn:
        """Refuse a construct."""
        refuse(self.frame.source, node, what, why, instead)

    def fail(self, node: object, error: Exception, what: str, instead: str) -> NoReturn:
        """Refuse what is known to raise; a ``try`` around it may catch it."""
        fail(self.frame.source, node, error, self.builder.block, what, instead)

    def known(self, node: object, ask: Callable[[], T], what: str, instead: str) -> T:
        """The answer that Python gives about what is known already; where that is an exception, the program raises it."""
        try:
            return ask()
        except (TypeError, ValueError, LookupError, ArithmeticError) as error:
            self.fail(node, error, what, instead)

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
                if isinstance(found, Top):
                    self.check_dicts(found)
                    if not frame.mentions(name):
                        self.refuse(node, "a result of which only running the program tells what it consists of", found.why,
                                    "return statements that give one structure on every path")  # fmt: skip
                    self.refuse(node, f"the name {name!r}", found.why, "bind the name to one thing")
                return found
            if frame.outer is None or name in frame.locals:
                break
            frame = frame.outer
        assert frame is not None
        variable = self.differentiated(frame, name)
        if variable is not None:
            if variable not in self.variables:
                self.refuse(node, f"reading {name!r}, by which is differentiated, in {frame.source.node.name}",
                            "that is lowered as a function of its own", "give it as an argument")  # fmt: skip
            return self.variables[variable]
        space = self.space_of(frame, name)
        if space is not None:
            return self.variables[(space, name)]
        if name in frame.locals:
            self._unbound(name, frame, node)
            return Undef()
        entity = frame.scope.resolve(name)
        if entity is None:
            raise S2sadError(
                f"the name {name!r} is not defined here", location=self.frame.source.location(node),
                why="no assignment reaches this point on any path", instead=f"assign {name} before it is read",
            )  # fmt: skip
        if self.program.keeping is not None:
            self.program.keeping.read(name, entity, frame.scope)
        return entity

    def _unbound(self, name: str, frame: Frame, node: object) -> None:
        """Raise what Python raises where a function's own name is read, and no path to here has bound it."""
        error = unbound_name(name, frame is not self.frame)
        if any(isinstance(op, Call) and op.target == "s2sad.raise" for op in ops_of(self.builder.block)):  # nobody may come here
            self.builder.call("s2sad.raise", self.builder.call(f"builtins.{type(error).__name__}", *map(Const, error.args)))
        else:
            self.fail(node, error, f"reading {name!r} here", f"assign {name} before it is read")

    def ends_at_raise(self, start: int) -> bool:
        """Drop what comes behind an operation of the block, from ``start`` on, that always raises; False if there is none."""
        block = self.builder.block
        made = block.ops[start:]
        found = end_at_raise(block, start)
        self.dropped.update(result for op in made[len(block.ops) - start :] for result in op.results)
        return found

    def bind(self, name: str, entity: Entity) -> None:
        """Bind a name; a nameless value takes it."""
        if isinstance(entity, Value) and entity.name is None and not isinstance(entity, Const):
            entity.name = name
        if isinstance(entity, Struct):
            for k, item in enumerate(entity.items):
                if isinstance(item, Value) and item.name is None and not isinstance(item, Const):
                    item.name = f"{name}_{k}"
        if isinstance(entity, Choice) and entity.tag.name is None and not isinstance(entity.tag, Const):
            entity.tag.name = name
        self.set((self.owner(name), name), entity)

    def set(self, key: Key, entity: Entity) -> None:
        """Bind a variable: a name, a field or a key."""
        self.variables[key] = entity
        if (key[0], Bound(key[1])) in self.variables:
            self.variables[key[0], Bound(key[1])] = TRUE

    def frame_of(self, name: str) -> Frame:
        """The frame in which an assignment binds a name: the nearest around that binds it where it was declared nonlocal."""
        frame = self.frame
        if name in frame.shared:
            while frame.outer is not None and (name in frame.shared or name not in frame.locals):
                frame = frame.outer
        return frame

    def owner(self, name: str) -> Frame | Record:
        """The same, or the record of what is outside of the program, where that is bound."""
        frame = self.frame_of(name)
        if self.differentiated(frame, name) is not None:
            raise UnsupportedSyntaxError(
                f"binding {name!r} anew, by which is differentiated, is not supported", location=self.builder.loc,
                why="a free variable that is differentiated is given as an argument is", instead="a parameter, and a local name",
            )  # fmt: skip
        return self.space_of(frame, name) or frame

    def differentiated(self, frame: Frame, name: str) -> Key | None:
        """The variable by which is differentiated that a name is: a function around has it in the same cell."""
        if not self.program.free or name in frame.locals or not isinstance(frame.scope, LiveScope):
            return None
        space = observe.space_of(frame.scope.function, name)
        return next((variable for cell, variable in self.program.free if cell is space), None)

    def space_of(self, frame: Frame, name: str) -> Record | None:
        """The record of a module, or of a cell of a function around that is no part of the program, in which the program binds a
        name that is free in a frame; None of names that it only reads."""
        if not self.program.attributes or name in frame.locals or not isinstance(frame.scope, LiveScope):
            return None
        space = observe.space_of(frame.scope.function, name)
        if not any(known.payload is space and name == written for known, written in self.program.attributes):
            return None
        if self.outside is None:
            raise acting(name, self.builder.loc)
        if self.program.keeping is not None:
            self.program.keeping.refuse(name, f"the program binds {name}")
        found = self.outside[id(space)]
        assert isinstance(found, Record)
        return found

    def check_dicts(self, found: Top) -> None:
        """Start again with what may help: computed keys for the dicts that a name was bound to on different paths, or the
        try statements followed that may have failed before it was bound."""
        for place in found.dicts:
            if isinstance(place, Tried):
                if place.place not in self.program.repeating:
                    raise Repeats(place.place)
            elif place not in self.maps.known:
                raise Computed(self.maps, place)

    def note(self, items: Value) -> None:
        """Remember what a dict with computed keys was found to hold."""
        place = self.places.get(items)
        if place is not None:
            self.maps.found[place] = join(self.maps.found.get(place, BOTTOM), items.kind)

    # --- attempts

    def in_sight(self) -> list[Record]:
        """All records that the program may reach; one outside that is empty has no variables."""
        entities = [*self.variables.values(), *(self.outside or {}).values()]
        seen = dict.fromkeys([*(key[0] for key in self.variables), *(leaf for entity in entities for leaf in flatten(entity))])
        boxes = [thing.items if isinstance(thing, Members) else thing for thing in seen]
        return [*dict.fromkeys(box for box in boxes if isinstance(box, Record))]

    def mark(self) -> Mark:
        """Where lowering stands, to come back to when an attempt fails."""
        records = {box: (list(box.keys), box.unsure, box.sealed, set(box.appears)) for box in self.in_sight()}
        around = (self.frame, self.depth, self.inlined, self.assigned, self.builder.loc)
        return Mark(
            dict(self.variables), records, self.builder.block, list(self.builder.block.ops), around,
            (list(self.stack), list(self.loops), list(self.caught)), set(self.displays), set(self.consumed),
        )  # fmt: skip

    def reset(self, mark: Mark) -> None:
        """Go back to where lowering stood."""
        self.variables = dict(mark.variables)
        for box, (keys, unsure, sealed, appears) in mark.records.items():
            box.keys[:], box.unsure, box.sealed, box.appears = keys, unsure, sealed, set(appears)
        self.builder.block = mark.block
        mark.block.ops[:] = mark.ops
        self.frame, self.depth, self.inlined, self.assigned, self.builder.loc = mark.around
        self.stack, self.loops, self.caught = map(list, mark.lists)
        self.displays, self.consumed = set(mark.displays), set(mark.consumed)

    # --- conversions

    def value(self, entity: Entity, node: object, what: str = "this") -> Value:
        """The entity as a run-time value."""
        if isinstance(entity, Value):
            return entity
        if isinstance(entity, Members):
            self.refuse(node, f"a set that changes as {what}", "only membership is followed", "a list")
        if isinstance(entity, Bounded):
            why = "as a value it would forget how many items it may hold"
            self.refuse(node, f"a deque with maxlen as {what}", why, "list(queue), or a name of its own")
        if isinstance(entity, Struct) and self.program.cells and holds_value(entity):
            return self.value(entity.items[1], node, what)
        if is_maybe(entity):
            self.refuse(node, f"{what}, which may be None here,", "None has no derivative", "a test for None before it is used")
        if isinstance(entity, Struct):
            items = [self.value(item, node, what) for item in entity.items]
            if entity.cls is not None:
                return self.record(entity.cls, entity.keys, items)
            if entity.kind == "dict":
                return self._dict(entity, items)
            if all(isinstance(item, Const) for item in items) and entity.kind == "tuple":
                return Const(tuple(item.payload for item in items if isinstance(item, Const)))
            return self.builder.call("builtins.tuple" if entity.kind == "tuple" else "s2sad.items", *items)
        if isinstance(entity, Record) and entity.kind == "object":
            self.refuse(node, f"an object as {what}", "only its class knows what that means", "its fields, by name")
        if isinstance(entity, Record):
            return self._dict(entity, [self.value(self.variables[(entity, k)], node, what) for k in self.keys(entity, node)])
        if isinstance(entity, Static):
            return global_of(entity)
        if isinstance(entity, Iteration) and entity.make is not None and not entity.once:
            return self.value(entity.make(), node, what)
        if isinstance(entity, Top):
            self.check_dicts(entity)
            self.refuse(node, f"{what} as a value", entity.why, "bind the name to one thing")
        if isinstance(entity, Choice):
            names = ", ".join(map(str, entity.labels))
            self.refuse(node, f"{what} as a value", f"which of {names} it is, is known only at run time", "an if statement")
        if isinstance(entity, Spread):
            self.refuse(node, "this call with *", "how many arguments * gives is not known", "write them out")
        if isinstance(entity, Method) and isinstance(entity.owner, Value):
            made = self.builder.maker(entity.owner)
            if made is not None and not made.target.startswith(("operator.", "s2sad.")):
                given = f" with {', '.join(f'{name}=' for name in made.kwargs)}" if made.kwargs else ""
                why = f"it is an attribute of what {made.target}{given} gives, of which no rule tells"
                self.refuse(node, f".{entity.name} as a value", why, "the same without these options" if given else "its method")
            if entity.owner.kind == UNKNOWN:
                what = f".{entity.name} of {entity.owner.name or 'this'} as a value"
                why = "neither an annotation nor what it is made of says that this is an array or a number"
                self.refuse(node, what, why, "arrays and numbers as arguments, or the derivative of a call: grad(f)(...)")
        if isinstance(entity, Method) and isinstance(entity.owner, Value) and isinstance(entity.owner.kind, StructKind):
            why = "of an object that a dict or list holds, the fields are not known here"
            self.refuse(node, f".{entity.name} of an object as a value", why, "tuples in place of objects")
        self.refuse(
            node,
            f"{what} as a value",
            "functions and iterators are known only at compile time",
            "call it directly",
        )

    def follow_items(self, items: Entity) -> None:
        """Lower the program again, with the items of a list known one by one from where it is written as a display."""
        place = self.literals.get(items)
        if place is not None and place not in self.program.displayed:
            raise Again(displayed=frozenset([place]))

    def keys(self, box: Record, node: object) -> list[Any]:
        """The keys of a record, where it is known which it has."""
        if box.unsure and box.place is not None:
            raise Computed(self.maps, box.place)
        if box.unsure:
            self.refuse(node, "asking for the keys of this object", box.unsure, "set all keys before the branch or loop")
        return list(box.keys)

    def _dict(self, like: Record | Struct, items: list[Value]) -> Value:
        """A new dict with the keys of another one, which is known to be of its sort."""
        if any(isinstance(key, ObjectKey) for key in like.keys):
            why = "which objects are its keys is known only at compile time"
            self.refuse(self.frame.source.node, "a dict or set of objects as a value", why, "its items, one by one")
        made = self.builder.call("s2sad.dict", Const(tuple(like.keys)), *items)
        assert isinstance(made.kind, StructKind)
        made.kind = replace(made.kind, sort=like.sort)
        return made

    def record(self, cls: type, keys: tuple[Any, ...], items: list[Value]) -> Value:
        """An object of a class, made of its attributes."""
        if CONTENTS in keys:
            self.refuse(self.frame.source.node, f"a {cls.__name__} as a value", "it is a list or dict with fields",
                        "list(x), or dict(x)")  # fmt: skip
        like = Global(cls.__name__, Other("dtype"), cls, resolved=True)
        return self.builder.call("s2sad.runtime.record", like, Const(keys), *items)

    def kind(self, entity: Entity) -> Kind:
        """The kind of an entity."""
        return entity.kind if isinstance(entity, Value) else UNKNOWN


Expression = Callable[[Lowering, Any], Entity]
Node = gast.AST


def global_of(known: Static) -> Value:
    """A compile-time object as an argument (``dtype=float``, ``key=len``): generated code spells its path."""
    if not known.path and isinstance(known.payload, enum.Enum):
        path = identifier(f"{type(known.payload).__name__}_{known.payload.name}")
        return Global(path, OBJECT, known.payload, resolved=True)
    path = known.path.removeprefix("builtins.")
    if not path:
        path = getattr(known.payload, "__name__", "value")
    path = ".".join(part if part.isidentifier() else identifier(part) for part in path.split("."))  # <lambda>
    if isinstance(known.payload, int) and isinstance(known.payload, enum.Enum):
        return Global(path, INT, known.payload, resolved=True)
    made = FUNCTION if callable(known.payload) else OBJECT
    kind = Other("dtype") if isinstance(known.payload, type | np.dtype) else made
    return Global(path, kind, known.payload, resolved=True)
