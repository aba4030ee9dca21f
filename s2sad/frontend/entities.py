"""Entities: what an expression can be while a function is lowered: a run-time value, or something known at compile time."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sad.errors import S2sadError
from s2sad.frontend.source import Source
from s2sad.ir.kinds import UNSURE, Sort
from s2sad.ir.nodes import LEAF, Const, Structure, Value
from s2sad.ir.pure import MAX_LENGTH

CONTENTS = "what it holds"  # the field of an object on top of list or dict in which that is (``lower.built_on``)


def check_length(count: int) -> None:
    """Raise S2sadError for more items than are followed one by one."""
    if count > MAX_LENGTH:
        raise S2sadError(
            "so many items cannot be followed one by one",
            why=f"there are more than {MAX_LENGTH:,}", instead="an array, or a loop",
        )  # fmt: skip


@dataclass(frozen=True)
class Static:
    """A compile-time object: a function, a module, a class. ``path`` is how generated code may spell it."""

    payload: Any
    path: str = ""


@dataclass(frozen=True)
class SourceFunction:
    """A function that was found in source without executing it; ``scope`` resolves its names."""

    source: Source
    scope: Any
    recomputed: bool = False  # its calls are computed again in the reverse sweep
    kept: str = ""  # a cache keeps its results, by TYPES or VALUES (``frontend.observe``)


@dataclass(frozen=True)
class Unexecuted:
    """A module of the user's whose file was read; ``scope`` resolves its names."""

    scope: Any


@dataclass(eq=False)
class Struct:
    """A tuple (or a list that is never written) whose items are known one by one; also a record at one moment."""

    items: list[Entity]
    kind: str = "tuple"
    keys: tuple[Any, ...] = ()  # of a dict or object, the fields of a named tuple
    cls: type | None = None  # of an object or named tuple
    sort: Sort | None = None  # of a dict
    parts: int = field(init=False, default=1)  # itself, and all that it is made of

    def __post_init__(self) -> None:
        self.parts = 1 + sum(item.parts if isinstance(item, Struct) else 1 for item in self.items)
        check_length(self.parts)


class View(Struct):
    """``d.keys()``, ``d.values()``, ``d.items()``: what the dict holds whenever one looks, not what it held before."""

    def __init__(self, read: Callable[[], list[Entity]], what: str) -> None:
        self.read, self.what = read, what
        self.kind, self.keys, self.cls, self.sort = "tuple", (), None, None

    @property
    def items(self) -> list[Entity]:  # type: ignore[override]
        """The items of the dict now."""
        return self.read()


@dataclass(eq=False)
class Record:
    """A mutable record: a dict with constant keys, or an object. Its fields are variables of the lowering.

    Of the kind "own" are those in which loops and sums keep what no program sees.
    """

    label: str
    kind: str = "dict"
    cls: type | None = None
    keys: list[Any] = field(default_factory=list)
    sort: Sort | None = None  # of a dict
    origin: Value | None = None  # what it was taken from
    unsure: str = ""  # why it is not known which keys it has
    appears: set[Any] = field(default_factory=set)  # the keys that a loop around adds or removes: there in some iterations
    sealed: str = ""  # why its fields may not be assigned: others see the same object, and would not see that
    listed: Hashable = None  # where the list is made that it was taken from, so that its items can be known one by one instead
    root: Static | None = None  # the object from outside in which it is found
    through: bool = False  # an object from outside: its fields are assigned in the object itself, too
    place: Hashable = None  # of a dict: where it is made, so that it can be made as one with computed keys instead
    loops: tuple[object, ...] = ()  # of a dict or set: those around the place where it is made
    stands_for: Record | None = None  # of the parameter of a function whose derivative is taken: the object that it is given
    word: str = ""  # by which references name it (``lower.referring``)

    @property
    def factory(self) -> Entity | None:
        """The factory of a dict for a key that is missing: None if it raises a KeyError."""
        return factory_of(self.sort)


class Fields(Record):
    """``vars(x)``: an object's fields as a dict. They are the object's own variables, so each sees what the other writes."""

    kind, cls = "dict", None

    def __init__(self, owner: Record) -> None:
        object.__setattr__(self, "owner", owner)

    def __getattribute__(self, name: str) -> Any:
        own = name in ("owner", "kind", "cls", "__class__", "__eq__", "__hash__")
        return object.__getattribute__(self, name) if own else getattr(self.owner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.owner, name, value)

    def __eq__(self, other: object) -> bool:
        return other is self.owner or isinstance(other, Fields) and other.owner is self.owner

    def __hash__(self) -> int:
        return hash(self.owner)


@dataclass(eq=False)
class Closure:
    """A nested function or lambda, with the frame in which it was defined, and the defaults as they were then."""

    node: gast.FunctionDef
    frame: Any
    defaults: dict[str, Entity] = field(default_factory=dict)


@dataclass(eq=False)
class Method:
    """``owner.name`` before it is called."""

    owner: Entity
    name: str


@dataclass(eq=False)
class Super:
    """``super()``: the object, seen from the class after which its methods are looked up."""

    owner: Entity
    after: type


@dataclass(eq=False)
class Partial:
    """``functools.partial(function, *args, **kwargs)``."""

    function: Entity
    args: list[Entity]
    kwargs: dict[str, Entity]


@dataclass(eq=False)
class Iteration:
    """Something to loop over: ``length`` items, each made by ``item(index)``; or static ``items``."""

    length: Value | None = None
    item: Callable[[Value], Entity] | None = None
    items: list[Entity] | None = None
    direct: Value | None = None  # a range: its items are the loop variable itself
    endless: bool = False  # itertools.count(): to be zipped with something that ends
    once: bool = False  # an iterator: it can be used up once
    make: Callable[[], Entity] | None = None  # an iterator: what it runs over is looked at where it is used
    loops: tuple[object, ...] = ()  # around the place where the iterator is made: in a further one it is used up at once
    now: Callable[[int], Entity] | None = None  # the k-th of known ``items`` as it is when its turn comes
    lasting: tuple[Callable[[], None], ...] = ()  # refuse what changes the lists that it runs over, asked at each turn and last
    has: Callable[[Value], Value] | None = None  # whether there is an item at an index, where that may change on the way
    cursor: Cursor | None = None  # the iterator whose rest this is
    over: Value | None = None  # the dict of which this is a view
    stepped: Record | None = None  # of an endless one, whose position is a variable: ``next`` takes items, too
    run: Run | None = None  # a generator: runs itself, and hands over one item after the other
    stepwise: Callable[[], Entity] | None = None  # the same as a generator, for loops: it calls a function for each item in turn

    def turns(self) -> list[Callable[[], Entity]]:
        """The known items, each to be asked for when its turn comes."""

        def turn(k: int) -> Entity:
            self.check()
            return self.now(k) if self.now else (self.items or [])[k]

        return [functools.partial(turn, k) for k in range(len(self.items or []))]

    def check(self) -> None:
        """Refuse what has changed the lists that this runs over. Raises UnsupportedSyntaxError."""
        for ask in self.lasting:
            ask()


@dataclass(frozen=True)
class Cursor:
    """An iterator made by ``iter``, where it stood, and what it runs over: its length now, and its items by index."""

    box: Record
    position: Value
    source: Callable[[], tuple[Value, Callable[[Value], Entity]]]


@dataclass(eq=False)
class Spread:
    """``*items`` among arguments or items, of a list or array whose length is known only at run time."""

    items: Value


@dataclass(frozen=True)
class Bounded:
    """``deque(maxlen=limit)``: a list from whose other end an item falls when one is added to a full one."""

    items: Value
    limit: Value


@dataclass(eq=False)
class Choice:
    """One of several things, of which the program chooses when it runs: ``tag`` is the label of the one that it is."""

    tag: Value
    labels: tuple[Any, ...]
    alternatives: list[Entity]


@dataclass(frozen=True)
class Members:
    """A set that can change: a dict whose keys are its members; a record where these are objects."""

    items: Value | Record


class ObjectKey:
    """An object as a key: it equals itself alone."""

    __slots__ = ("box",)

    def __init__(self, box: Record) -> None:
        self.box = box

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectKey) and other.box is self.box

    def __hash__(self) -> int:
        return id(self.box)

    def __repr__(self) -> str:
        return f"a {self.box.cls.__name__ if self.box.cls else 'record'}"


@dataclass(frozen=True)
class Tried:
    """The place of a try statement that may have failed before or after it bound a name."""

    place: tuple[str, int, int, str]


@dataclass(eq=False)
class Top:
    """A name that cannot be used any more, and why (it was bound to different things on two paths).

    It can be used if the dicts that are made at these places had computed keys, or the statements were followed.
    """

    why: str
    dicts: tuple[Hashable, ...] = ()


def factory_of(sort: Sort | None) -> Entity | None:
    """The factory of a dict of this sort for missing keys: a number, what is called, or ``Top`` where that is not known."""
    if sort is None or sort.made is not None:
        return None if sort is None else sort.made
    if sort == UNSURE:
        return Top("it is one of several dicts, or what it does with a key that is missing is not known here")
    if sort.cls is collections.Counter:
        return Const(0)
    return None if sort.live is None else Static(sort.live, getattr(sort.live, "__name__", ""))


Entity = (
    Value | Static | SourceFunction | Unexecuted | Struct | Record | Closure | Method | Super | Partial | Iteration | Spread
    | Bounded | Members | Choice | Top
)


Receive = Callable[[Entity], Entity]  # takes an item of a generator, and gives whether it wants no more
Run = Callable[[Receive, bool], None]  # runs a generator; the bool: whether what receives the items may leave early


def flatten(entity: Entity) -> Iterator[Entity]:
    """The leaves of nested aggregates and choices."""
    if isinstance(entity, Struct):
        for item in entity.items:
            yield from flatten(item)
    elif isinstance(entity, Choice):
        yield entity.tag
        for item in entity.alternatives:
            yield from flatten(item)
    else:
        yield entity


def places_of_dicts(*entities: Entity | None) -> tuple[Hashable, ...]:
    """Where the dicts are made that entities are, or what else may help those that cannot be used."""
    dicts = [e.place for e in entities if isinstance(e, Record) and e.kind == "dict" and e.place is not None]
    return (*dicts, *(place for e in entities if isinstance(e, Top) for place in e.dicts))


def rebuild(entity: Entity, leaves: Iterator[Any]) -> Entity:
    """An entity of the same structure with other leaves."""
    if isinstance(entity, Struct):
        return Struct([rebuild(item, leaves) for item in entity.items], entity.kind, entity.keys, entity.cls, entity.sort)
    if isinstance(entity, Choice):
        return Choice(next(leaves), entity.labels, [rebuild(item, leaves) for item in entity.alternatives])
    leaf: Entity = next(leaves)
    return leaf


def values_of(entity: Entity) -> list[Value]:
    """The leaves that are run-time values."""
    return [leaf for leaf in flatten(entity) if isinstance(leaf, Value)]


def with_values(entity: Entity, values: Iterator[Value]) -> Entity:
    """The entity with other run-time values; what is known at compile time stays."""
    return rebuild(entity, iter([next(values) if isinstance(leaf, Value) else leaf for leaf in flatten(entity)]))


def structure_of(entity: Entity) -> Structure:
    """The structure of a returned entity."""
    if isinstance(entity, Struct):
        return Structure(entity.kind, tuple(map(structure_of, entity.items)), entity.keys, entity.cls, entity.sort)
    if isinstance(entity, Choice):
        return Structure("choice", (LEAF, *map(structure_of, entity.alternatives)), entity.labels)
    return LEAF


def structure_entity(structure: Structure) -> Entity:
    """An entity of a returned structure, to be filled with results."""
    if structure.kind == "leaf":
        return Const(None)
    items = [structure_entity(item) for item in structure.items]
    return Struct(items, structure.kind, structure.keys, structure.cls, structure.sort)


def same_structure(a: Entity, b: Entity) -> bool:
    """Equality of two entities' nesting of aggregates."""
    return structure_of(a) == structure_of(b)


@dataclass(frozen=True)
class Asked:
    """A derivative and its settings."""

    name: str
    wrt: Any = 0
    of: str | None = None
    has_aux: bool = False
    mode: str | None = None
    inner: Any = None  # the function as it was followed, where that is done; what it sees is given
