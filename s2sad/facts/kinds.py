"""The elements of the lattice.

A kind is a small immutable fact: "a float", "an array of float64 with two axes", "a tuple of these".
"""

from __future__ import annotations

import enum
import functools
import itertools
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from s2sad.facts.sizes import Dim, Size, forgotten, is_followed, of_an_item, spelled


@dataclass(frozen=True, slots=True)
class Kind:
    """Base of all kinds; itself the unknown kind's class. What one holds, passes ask of it, and not which class it is."""

    container: ClassVar[bool] = False  # it holds items
    fixed: ClassVar[bool] = False  # ... and which stand where, and how many, is known
    keyed: ClassVar[bool] = False  # ... under keys that only the running program knows: there may be none, and no order counts

    @property
    def inner(self) -> tuple[Kind, ...]:
        """The kinds of what it holds: of the items in turn where it is fixed, else of any."""
        return ()

    @property
    def keys(self) -> Sequence[Any]:
        """Where what it holds stands, if it is fixed: positions, dict keys, or attribute names."""
        return ()

    def mapped(self, change: Callable[[Kind], Kind]) -> Kind:
        """The same container of items of other kinds; itself where it is none."""
        return self

    def __str__(self) -> str:
        return "?"


Types = frozenset[tuple[str, bool]]  # which types a number may be of: dtypes, and whether they are Python's own


@functools.cache
def _only(dtype: str, weak: bool) -> Types:
    return frozenset([(dtype, weak)])


@functools.cache
def _one_dtype(types: Types) -> str | None:
    found = {dtype for dtype, _ in types}
    return next(iter(found)) if len(found) == 1 else None


@functools.cache
def _all_weak(types: Types) -> bool:
    return all(weak for _, weak in types)


@functools.cache
def _letter(dtype: str) -> str:
    return np.dtype(dtype).kind


@dataclass(frozen=True, slots=True, init=False)
class Scalar(Kind):
    """A number of one of several ``types``: each is the name of a NumPy dtype, and whether it is Python's own, which is *weak*
    and does not promote. None: of any type.

    Several come about where control flow or a container joins numbers. ``size`` is set on integers that are known to
    equal a symbolic size (``n = x.shape[0]``).
    """

    types: Types | None
    size: Size

    def __init__(self, dtype: str | None = None, weak: bool = True, size: Size = None, *, types: Types | None = None) -> None:
        object.__setattr__(self, "types", types if dtype is None else _only(dtype, weak))
        object.__setattr__(self, "size", size)

    @property
    def dtype(self) -> str | None:
        """The dtype, None where it may be one of several."""
        return None if self.types is None else _one_dtype(self.types)

    @property
    def weak(self) -> bool:
        """Certainty that it is one of Python's own."""
        return self.types is not None and _all_weak(self.types)

    @property
    def mixed(self) -> bool:
        """Possibility of one of several types."""
        return self.types is None or len(self.types) > 1

    def is_of(self, letters: str) -> bool:
        """Certainty that it is of one of these sorts: "b" truths, "i" integers, "u" those without sign, "f" floats, "c"."""
        return self.types is not None and all(_letter(dtype) in letters for dtype, _ in self.types)

    @property
    def widest(self) -> str | None:
        """The dtype that holds all that it may be, as a sum of them would have; None where that is not known."""
        return None if self.types is None else _promoted(tuple(sorted(self.types)))

    def __str__(self) -> str:
        if self.types is None:
            return "number"
        return " | ".join(sorted(dtype.rstrip("0123456789") if weak else dtype for dtype, weak in self.types))


@dataclass(frozen=True, slots=True)
class Array(Kind):
    """A NumPy array; ``dtype`` and ``shape`` are None where unknown, and so are single sizes in ``shape``. ``among``: the dtypes
    of which it has one, where that is all that is known."""

    dtype: str | None = None
    shape: tuple[Size, ...] | None = None
    among: frozenset[str] | None = None

    @property
    def rank(self) -> int | None:
        """The number of axes, None where unknown."""
        return None if self.shape is None else len(self.shape)

    def __str__(self) -> str:
        axes = "..." if self.shape is None else ", ".join(map(spelled, self.shape))
        return f"{self.dtype or '?'}[{axes}]"


@dataclass(frozen=True, slots=True)
class Tuple(Kind):
    """A tuple (or a list that is never written: ``listed``) whose length and item kinds are known.

    ``names`` are the attributes that the items of a named tuple are, which decide nothing else; ``cls`` is its class
    where that is a user's.
    """

    items: tuple[Kind, ...] = ()
    listed: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)
    cls: type | None = None
    container: ClassVar[bool] = True
    fixed: ClassVar[bool] = True

    @property
    def inner(self) -> tuple[Kind, ...]:
        return self.items

    @property
    def keys(self) -> Sequence[Any]:
        return range(len(self.items))

    def mapped(self, change: Callable[[Kind], Kind]) -> Tuple:
        return Tuple(tuple(map(change, self.items)), self.listed, self.names, self.cls)

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.items)) + ")"


@dataclass(frozen=True, slots=True)
class List(Kind):
    """A list; all items have kind ``item``."""

    item: Kind = Kind()
    container: ClassVar[bool] = True

    @property
    def inner(self) -> tuple[Kind, ...]:
        return (self.item,)

    def mapped(self, change: Callable[[Kind], Kind]) -> List:
        return replace(self, item=change(self.item))

    def __str__(self) -> str:
        return f"list[{self.item}]"


@dataclass(frozen=True, slots=True)
class TupleOf(List):
    """A tuple whose length only running the program tells: a list inside of it, into which nothing writes once it is made."""

    def __str__(self) -> str:
        return f"tuple[{self.item}, ...]"


@dataclass(frozen=True, eq=False, slots=True)
class Sort:
    """The sort of a dict: its class, and what makes the items of a defaultdict, a live object or (``made``) the program's own."""

    cls: type
    live: Any = None
    made: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sort) and self.cls is other.cls and self._factory() is other._factory()

    def __hash__(self) -> int:
        return hash((self.cls, id(self._factory())))

    def _factory(self) -> Any:
        return self.live if self.made is None else getattr(self.made, "payload", self.made)


UNSURE = Sort(dict)  # one of several sorts, which differ in what they do where a key is missing; a plain dict has None


@dataclass(frozen=True, slots=True)
class DictOf(List):
    """A dict whose keys are computed while the program runs: as a list, but its places are named by keys of kind ``key``."""

    key: Kind = Kind()
    sort: Sort | None = None
    keyed: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.item}]"


@dataclass(frozen=True, slots=True)
class StructKind(Kind):
    """A dictionary with constant keys, or (with ``cls``) an object with these attributes."""

    keys: tuple[Any, ...] = ()
    items: tuple[Kind, ...] = ()
    cls: type | None = None
    sort: Sort | None = None  # of a dictionary
    container: ClassVar[bool] = True
    fixed: ClassVar[bool] = True

    @property
    def inner(self) -> tuple[Kind, ...]:
        return self.items

    def mapped(self, change: Callable[[Kind], Kind]) -> StructKind:
        return replace(self, items=tuple(map(change, self.items)))

    def __str__(self) -> str:
        return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(self.keys, self.items, strict=True)) + "}"


@dataclass(eq=False)
class Cell:
    """The content of a tuple that holds ones like itself, as far as is known: its structure, and the kinds of its leaves."""

    structure: Any
    kinds: tuple[Kind, ...]
    found: tuple[Any, tuple[Kind, ...]] = (None, ())  # by the attempt that is being made


@dataclass(frozen=True, slots=True)
class Nested(Kind):
    """A tuple that holds ones like itself, or None: the tape of a recursive function, say. Only lowering knows of it."""

    cell: Cell

    def __str__(self) -> str:
        return "nested"


@dataclass(frozen=True, slots=True)
class Slice(Kind):
    """A slice; its parts are literals (int or None), symbolic sizes, or other hashable tokens for values."""

    start: Any = None
    stop: Any = None
    step: Any = None

    def __str__(self) -> str:
        return "slice"


@dataclass(frozen=True, slots=True)
class Other(Kind):
    """A value that never carries a derivative: ``none``, ``str``, ``slice``, ``range``, ``dtype``, ``function``..."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Singleton(Other):
    """Something that is known when the program is compiled: a function, a class, a member of an Enum. Which one it is
    is part of the kind."""

    payload: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Singleton) and self.payload is other.payload

    def __hash__(self) -> int:
        return id(self.payload)


UNKNOWN = Kind()
ANY_PART = object()  # of a slice of which nothing is known
ANY_SLICE = Slice(ANY_PART, ANY_PART, ANY_PART)
BOTTOM = Other("bottom")  # of undefined values: joins with everything
UNFILLED = DictOf(BOTTOM, BOTTOM)  # a dict of which nothing is known yet but that its keys are computed
NONE = Other("none")
BOOL = Scalar("bool")
INT = Scalar("int64")
FLOAT = Scalar("float64")
COMPLEX = Scalar("complex128")
ELLIPSIS = Other("ellipsis")
RANGE = Other("range")
STR = Other("str")
SHAPE = Other("shape")  # of what nothing is known of: a tuple of integers
FUNCTION = Other("function")
OBJECT = Other("object")
RANDOM = Other("random source")  # a random.Random


class Lasting:
    """Base of what users get from us and call as a function: which one it is, is known when a program is compiled.

    ``transformation``: of a derivative, what is done to ``function``, and its settings.
    """

    function: Any
    transformation: tuple[str, dict[str, Any]] | None = None


# What is the same for as long as it lives (NumPy's functions have a class of their own).
FIXED = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum), type, enum.Enum, Lasting)


def is_fixed(value: Any) -> bool:
    """Test for what is known when a program is compiled, as it is the same for as long as it lives; so is ``object()``, of which
    nobody can ask anything but which one it is."""
    return isinstance(value, FIXED) or type(value) is object


PARTIAL = ("func", "args", "keywords")  # what a partial consists of
BOUND = ("__self__", "__func__")  # what a bound method consists of


def forget_sizes(kind: Kind) -> Kind:
    """A kind as one may rely on it in a callee, or of an item of a container: sizes keep only whether they may be 1."""
    if isinstance(kind, Scalar):
        return Scalar(types=kind.types)
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, tuple(map(forgotten, kind.shape)))
    return kind.mapped(forget_sizes)


def as_an_item(kind: Kind) -> Kind:
    """The kind of what is put among others: of sizes what they may have in common, and whether they may be 1."""
    if isinstance(kind, Array) and kind.shape is not None:
        sizes = (of_an_item(n) if n is not None and is_followed(n) else forgotten(n) for n in kind.shape)
        return Array(kind.dtype, tuple(sizes))
    return kind.mapped(as_an_item) if kind.container else forget_sizes(kind)


def with_symbols(kind: Kind) -> Kind:
    """A kind of a parameter, with a symbol for each size of which nothing is known: it is one size wherever it is met."""
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, tuple(Dim(object()) if n is None else n for n in kind.shape))
    return kind.mapped(with_symbols) if isinstance(kind, Tuple) else kind


def with_own_sizes(kind: Kind) -> Kind:
    """The kind of one of several values, of which ``kind`` tells what they have in common."""
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, tuple(map(of_an_item, kind.shape)))
    return kind.mapped(with_own_sizes) if kind.fixed else kind


def promote(*kinds: Kind) -> str | None:
    """The dtype of an arithmetic result by NumPy 2's rules (Python's own numbers are weak); None where unknown."""
    known = _types_of(kinds)
    found = None if known is None else {dtype for dtype, _ in _all_promoted(known)}
    return next(iter(found)) if found and len(found) == 1 else None


def promoted_types(*kinds: Kind) -> Types | None:
    """The types that an arithmetic result of numbers may be of; None where nothing is known."""
    known = _types_of(kinds)
    return None if known is None else _all_promoted(known)


def _types_of(kinds: Iterable[Kind]) -> tuple[Types, ...] | None:
    found: list[Types] = []
    for kind in kinds:
        array = isinstance(kind, Array) and kind.dtype is not None
        types = kind.types if isinstance(kind, Scalar) else _only(kind.dtype, False) if array else None  # type: ignore[attr-defined]
        if types is None:
            return None
        found.append(types)
    return tuple(found)


@functools.lru_cache(maxsize=1024)
def _all_promoted(known: tuple[Types, ...]) -> Types:
    return frozenset((_promoted(one), all(weak for _, weak in one)) for one in itertools.product(*known))


@functools.lru_cache(maxsize=1024)
def _promoted(dtypes: tuple[tuple[str, bool], ...]) -> str:
    strong = [np.dtype(dtype) for dtype, weak in dtypes if not weak]
    literals = [{"b": False, "i": 0, "f": 0.0, "c": 0j}[np.dtype(dtype).kind] for dtype, weak in dtypes if weak]
    return str(np.result_type(*strong, *literals))


@functools.lru_cache(maxsize=1024)
def dtypes_of_items(types: Types) -> frozenset[str]:
    """The dtypes that an array may have whose items are numbers of these types: each, some or all of them. Python's own count as
    the arrays that they would become."""
    ordered = sorted({dtype for dtype, _ in types})
    some = (chosen for n in range(1, len(ordered) + 1) for chosen in itertools.combinations(ordered, n))
    return frozenset(str(np.result_type(*map(np.dtype, chosen))) for chosen in some)


NUMERIC = (Scalar, Array)  # a tuple: a union would be made anew at each of very many looks
NARROW = ("float16", "float32", "complex64")


def dtype_of(kind: Kind) -> str | None:
    """The dtype name of a scalar or array kind."""
    return kind.dtype if isinstance(kind, NUMERIC) else None


def rank_of(kind: Kind) -> int | None:
    """The number of axes: 0 of a scalar, None where unknown."""
    if isinstance(kind, Scalar):
        return 0
    return kind.rank if isinstance(kind, Array) else None


def is_number(kind: Kind) -> bool:
    """Test for a number, perhaps of unknown dtype: it refers to nothing that could be written.

    An array without axes (``np.zeros(())``, ``x[..., 0]``) does: it has a dtype here, or an unknown shape.
    """
    return isinstance(kind, Scalar) or (isinstance(kind, Array) and kind.shape == () and kind.dtype is None)


def is_differentiable(kind: Kind) -> bool:
    """Ability of values of this kind to carry a derivative (unknown kinds can)."""
    if isinstance(kind, Scalar):
        return kind.types is None or any(dtype.startswith(("float", "complex")) for dtype, _ in kind.types)
    if isinstance(kind, Array):
        return kind.dtype is None or kind.dtype.startswith(("float", "complex"))
    return any(map(is_differentiable, kind.inner)) or type(kind) in (Kind, Nested)


def may_come_to_carry(kind: Kind) -> bool:
    """Ability of values of this kind, or of what others may yet put into an empty list there, to carry a derivative."""
    empty = isinstance(kind, List) and kind.item == BOTTOM
    return empty or is_differentiable(kind) or any(map(may_come_to_carry, kind.inner))


def without_nesting(kind: Kind) -> Kind:
    """A kind without what lowering alone knows."""
    return UNKNOWN if isinstance(kind, Nested) else kind.mapped(without_nesting)


def holds_tuples(kind: Kind) -> bool:
    """Presence of a tuple of unknown length in values of a kind, or as such a value."""
    return isinstance(kind, TupleOf) or any(map(holds_tuples, kind.inner))


def may_refer(kind: Kind) -> bool:
    """Possibility that a value of this kind is a reference to memory, or holds some (unknown ones can)."""
    return kind.container or type(kind) in (Array, Kind)


def has_length(kind: Kind) -> bool:
    """Certainty that what is of this kind is a container, or an array with axes."""
    return isinstance(kind, List | Tuple) or isinstance(kind, Array) and bool(kind.rank)


def index_parts(kind: Kind) -> tuple[Kind, ...]:
    """The kinds of the parts of a subscript: a tuple has one for each axis, a list or a range chooses items along one."""
    parts = kind.items if isinstance(kind, Tuple) and not kind.listed else (kind,)
    return tuple(Array("int64", (None,)) if part == RANGE else part for part in parts) if RANGE in parts else parts


def is_scalar(kind: Kind) -> bool:
    """Certainty that the value is a number."""
    return isinstance(kind, Scalar)
