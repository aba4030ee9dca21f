"""Kinds: what the compiler knows about a value before the program runs.

A kind is a small immutable fact: "a float", "an array of float64 with two axes", "a tuple of these". Known kinds
buy lean code; ``UNKNOWN`` is always allowed and must still lead to a right program.
"""

from __future__ import annotations

import collections
import enum
import functools
import sys
import types
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.errors import KindError
from s2sad.runtime.structures import fields, hides, is_record


@dataclass(frozen=True, slots=True)
class Kind:
    """Base of all kinds; itself the unknown kind's class."""

    def __str__(self) -> str:
        return "?"


@dataclass(frozen=True, slots=True)
class Dim:
    """A symbolic size: equal dims are equal sizes. ``many`` says that the size is known not to be 1, ``least`` that it is
    not smaller than that (``ANY_INT``: of an argument that is an integer).

    ``key`` is any hashable that stands for the size; ``offset`` is added to it. A literal size is a plain int, an
    unknown one None (which equals nothing).
    """

    key: Any
    offset: int = 0
    many: bool = field(default=False, compare=False)
    least: int = field(default=0, compare=False)


Size = Dim | int | None


def same_size(a: Size, b: Size) -> bool:
    """Whether two sizes are certainly equal."""
    return a is not None and a == b


def is_many(size: Size) -> bool:
    """Whether a size is certainly not 1, so that the axis cannot be one that NumPy stretches."""
    return size.many or size.least > 1 if isinstance(size, Dim) else size is not None and size != 1


def least_of(size: Size) -> int:
    """A number that the size of an axis is certainly not smaller than."""
    return max(0, size.least) if isinstance(size, Dim) else size or 0


def floor_of(n: int) -> int:
    """What a program may rely on of an argument's axis of n items: sizes share a program where this is the same, and
    1 is an axis that NumPy stretches. Stencils of one or three neighbours leave more than one item of 4 or 8."""
    return 8 if n >= 8 else 4 if n >= 4 else int(n == 1)


def shifted(size: Dim, n: int) -> Dim:
    """``size + n``, of a size or of an integer that may be negative."""
    return Dim(size.key, size.offset + n, least=size.least + n)


def fewer(size: Dim, n: int) -> Dim:
    """The size of an axis without n of its items: ``max(0, size - n)``, one symbol for equal numbers of dropped items."""
    if n <= size.least or not n:
        return shifted(size, -n) if n else size
    return Dim(("dropped", size.key, size.offset), -n)


ANY_INT = -sys.maxsize  # the least of an integer that may be negative


@dataclass(frozen=True, slots=True)
class Scalar(Kind):
    """A number. ``dtype`` is a NumPy dtype name; ``weak`` marks Python's own numbers, which do not promote.

    ``size`` is set on integers that are known to equal a symbolic size (``n = x.shape[0]``). ``mixed``: where control flow
    or a container joined numbers of several types, so that it may be of a narrower one (an int in place of a float).
    """

    dtype: str
    weak: bool = True
    size: Size = None
    mixed: bool = False

    def __str__(self) -> str:
        return self.dtype.rstrip("0123456789") if self.weak else self.dtype


@dataclass(frozen=True, slots=True)
class Array(Kind):
    """A NumPy array; ``dtype`` and ``shape`` are None where unknown, and so are single sizes in ``shape``."""

    dtype: str | None = None
    shape: tuple[Size, ...] | None = None

    @property
    def rank(self) -> int | None:
        """The number of axes, None where unknown."""
        return None if self.shape is None else len(self.shape)

    def __str__(self) -> str:
        axes = "..." if self.shape is None else ", ".join(":" * len(self.shape))
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

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.items)) + ")"


@dataclass(frozen=True, slots=True)
class List(Kind):
    """A list; all items have kind ``item``."""

    item: Kind = Kind()

    def __str__(self) -> str:
        return f"list[{self.item}]"


@dataclass(frozen=True, slots=True)
class TupleOf(List):
    """A tuple whose length only running the program tells: a list inside of it, into which nothing writes once it is made."""

    def __str__(self) -> str:
        return f"tuple[{self.item}, ...]"


@dataclass(frozen=True, slots=True)
class DictOf(List):
    """A dict whose keys are computed while the program runs: as a list, but its places are named by keys of kind ``key``."""

    key: Kind = Kind()

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.item}]"


@dataclass(frozen=True, slots=True)
class StructKind(Kind):
    """A dictionary with constant keys, or (with ``cls``) an object with these attributes."""

    keys: tuple[Any, ...] = ()
    items: tuple[Kind, ...] = ()
    cls: type | None = None

    def __str__(self) -> str:
        return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(self.keys, self.items, strict=True)) + "}"


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
NONE = Other("none")
BOOL = Scalar("bool")
INT = Scalar("int64")
FLOAT = Scalar("float64")
COMPLEX = Scalar("complex128")
ELLIPSIS = Other("ellipsis")
RANGE = Other("range")
STR = Other("str")
FUNCTION = Other("function")
OBJECT = Other("object")


class Lasting:
    """Base of what users get from us and call as a function: which one it is, is known when a program is compiled.

    ``transformation``: of a derivative, what is done to ``function``, and its settings.
    """

    function: Any
    transformation: tuple[str, dict[str, Any]] | None = None


# What is the same for as long as it lives (NumPy's functions have a class of their own).
FIXED = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum), type, enum.Enum, Lasting)
PARTIAL = ("func", "args", "keywords")  # what a partial consists of
BOUND = ("__self__", "__func__")  # what a bound method consists of


# Types whose subclasses may have operators of their own, and the types that are known to have none.
BUILT_IN = (np.ndarray, np.generic, int, float, complex, str, tuple, list, dict)
ORDINARY = {
    np.ndarray, np.memmap, bool, int, float, complex, str, tuple, list, dict,
    collections.OrderedDict, collections.defaultdict, collections.Counter,
}  # fmt: skip
# What Python asks of the class of a named tuple, and we do not: its items are read as those of a tuple.
UNASKED = frozenset(
    {
        "__getitem__", "__iter__", "__len__", "__bool__", "__reversed__", "__getattribute__", "__setattr__", "__init__",
        "__neg__", "__pos__", "__invert__", "__index__", "__iadd__", "__isub__", "__imul__", "__itruediv__",
        "__ifloordiv__", "__imod__", "__ipow__", "__imatmul__", "__iand__", "__ior__", "__ixor__", "__ilshift__",
        "__irshift__", "__next__", "__length_hint__", "__array__", "__array_ufunc__", "__array_function__",
        "__array_interface__", "__array_struct__", "_fields", "_replace", "_asdict", "_make",
    }
)  # fmt: skip
WRITTEN_BY_NAMEDTUPLE = frozenset(("_fields", "_replace", "_asdict", "_make"))


def decided_by(cls: type) -> str:
    """The names under which the class of a named tuple does something of its own that would not be asked of it."""
    found: set[str] = set()
    for base in cls.__mro__:
        if base is not tuple and base is not object:
            names = UNASKED & vars(base).keys()
            found |= names - WRITTEN_BY_NAMEDTUPLE if base.__bases__ == (tuple,) else names
    return " ".join(sorted(found))


def check_type(value: Any) -> None:
    """Refuse what is not exactly of a built-in type: a subclass (``np.matrix``) may compute in another way.

    Scalars of NumPy, members of Enums, and named tuples that are read as tuples are known. Raises KindError.
    """
    cls = type(value)
    if hides(value):
        raise KindError(
            f"a {cls.__qualname__} cannot be followed", why="its class has its own way to find attributes, or what class it is",
            instead="plain attributes",
        )  # fmt: skip
    if cls in ORDINARY or not isinstance(value, BUILT_IN) or isinstance(value, enum.Enum):
        return
    if issubclass(cls, np.generic) and cls.__module__ == "numpy":
        return
    if issubclass(cls, tuple) and hasattr(cls, "_fields") and not decided_by(cls):
        return
    base = next(base for base in BUILT_IN if issubclass(cls, base))
    array = "x.filled(0.0), and weights 0 where it is masked" if isinstance(value, np.ma.MaskedArray) else "np.asarray(x)"
    raise KindError(
        f"a {cls.__qualname__} cannot be followed",
        why=f"it is a subclass of {base.__name__}, and may have operators of its own",
        instead=array if base is np.ndarray else f"a plain {base.__name__}",
    )


def kind_of(value: Any, within: tuple[int, ...] = ()) -> Kind:
    """The kind of a run-time value, without symbolic sizes; ``within`` are the objects around it, by identity.

    Raises KindError for objects of a subclass of a built-in type.
    """
    check_type(value)
    if isinstance(value, np.ndarray):
        return Array(value.dtype.name, (None,) * value.ndim)
    if value is None:
        return NONE
    if isinstance(value, np.generic):
        return Scalar(value.dtype.name, weak=False) if value.dtype.kind in "biufc" else OBJECT
    if isinstance(value, enum.Enum):
        return _other_kind(value)
    for python, kind in ((bool, BOOL), (int, INT), (float, FLOAT), (complex, COMPLEX)):
        if isinstance(value, python):
            return kind
    if type(value) is tuple:
        return Tuple(tuple(kind_of(v, within) for v in value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Tuple(tuple(kind_of(v, within) for v in value), names=value._fields, cls=type(value))
    if isinstance(value, list):
        return List(join_all(kind_of(v, within) for v in value))
    if isinstance(value, dict):
        return StructKind(tuple(value), tuple(kind_of(v, within) for v in value.values()))
    if is_record(value) and id(value) not in within:
        named = fields(value)
        return StructKind(tuple(named), tuple(kind_of(v, (*within, id(value))) for v in named.values()), type(value))
    if isinstance(value, functools.partial):
        return StructKind(PARTIAL, tuple(kind_of(getattr(value, part), within) for part in PARTIAL), functools.partial)
    return _other_kind(value)


def _other_kind(value: Any) -> Kind:
    if isinstance(value, str):
        return STR
    if isinstance(value, slice):
        return Slice(value.start, value.stop, value.step)
    if value is ...:
        return ELLIPSIS
    if isinstance(value, range):
        return RANGE
    if isinstance(value, FIXED):
        return Singleton("function" if callable(value) else "object", value)
    return FUNCTION if callable(value) else OBJECT


def join_all(kinds: Any) -> Kind:
    """The least kind that covers all of ``kinds``."""
    result: Kind = BOTTOM
    for kind in kinds:
        result = join(result, kind)
    return UNKNOWN if result == BOTTOM else result


def join(a: Kind, b: Kind) -> Kind:
    """The least kind that covers both ``a`` and ``b``."""
    if a == b or b == BOTTOM:
        return a
    if a == BOTTOM:
        return b
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        mixed = a.mixed or b.mixed or (a.dtype, a.weak) != (b.dtype, b.weak)
        return Scalar(promote(a, b) or "float64", a.weak and b.weak, mixed=mixed)  # sizes differ, so none is kept
    if isinstance(a, Array) and isinstance(b, Array):
        return Array(a.dtype if a.dtype == b.dtype else None, _join_shapes(a.shape, b.shape))
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        named = a if a.cls is b.cls else Tuple()
        return Tuple(tuple(map(join, a.items, b.items)), a.listed and b.listed, named.names, named.cls)
    if isinstance(a, DictOf) and isinstance(b, DictOf):
        return DictOf(join(a.item, b.item), join_keys(a.key, b.key))
    if isinstance(a, List) and isinstance(b, List) and not isinstance(a, DictOf) and not isinstance(b, DictOf):
        return (TupleOf if TupleOf in (type(a), type(b)) else List)(join(a.item, b.item))  # what makes a tuple gives a list
    if isinstance(a, Other) and isinstance(b, Other) and a.name == b.name:
        return Other(a.name)
    if isinstance(a, Slice) and isinstance(b, Slice):
        return ANY_SLICE
    if isinstance(a, StructKind) and isinstance(b, StructKind) and a.keys == b.keys:
        return StructKind(a.keys, tuple(map(join, a.items, b.items)), a.cls if a.cls is b.cls else None)
    return UNKNOWN


def forget_sizes(kind: Kind) -> Kind:
    """A kind as one may rely on it in a callee, or of an item of a container: sizes keep only whether they may be 1."""
    if isinstance(kind, Scalar):
        return Scalar(kind.dtype, kind.weak, mixed=kind.mixed)
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, tuple(map(forgotten, kind.shape)))
    if isinstance(kind, Tuple):
        return Tuple(tuple(map(forget_sizes, kind.items)), kind.listed, kind.names, kind.cls)
    if isinstance(kind, DictOf):
        return DictOf(forget_sizes(kind.item), kind.key)
    if isinstance(kind, List):
        return replace(kind, item=forget_sizes(kind.item))
    return kind


def forgotten(size: Size) -> Size:
    """What one may rely on of another size that is known as much of: a literal 1, and whether it may be 1."""
    if size == 1:
        return 1
    return Dim(object(), many=True, least=floor_of(least_of(size))) if is_many(size) else None


def with_symbols(kind: Kind) -> Kind:
    """A kind of a parameter, with a symbol for each size of which nothing is known: it is one size wherever it is met."""
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, tuple(Dim(object()) if n is None else n for n in kind.shape))
    if isinstance(kind, Tuple):
        return Tuple(tuple(map(with_symbols, kind.items)), kind.listed, kind.names, kind.cls)
    return kind


def with_own_sizes(kind: Kind) -> Kind:
    """The kind of one of several values, of which ``kind`` tells what they have in common."""
    if isinstance(kind, Array) and kind.shape is not None:
        return Array(kind.dtype, tuple(Dim(object(), 0, n.many, n.least) if isinstance(n, Dim) else n for n in kind.shape))
    return Tuple(tuple(map(with_own_sizes, kind.items)), kind.listed, kind.names, kind.cls) if isinstance(kind, Tuple) else kind


def join_keys(a: Kind, b: Kind) -> Kind:
    """The kind of keys of either kind; of those that carry no derivative, one that carries none."""
    both = join(a, b)
    return OBJECT if both == UNKNOWN and not is_differentiable(a) and not is_differentiable(b) else both


def _join_shapes(a: tuple[Size, ...] | None, b: tuple[Size, ...] | None) -> tuple[Size, ...] | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(_join_sizes(m, n) for m, n in zip(a, b, strict=True))


class Anonymous:
    """The key of a size that control flow joined: known not to be 1, and equal to nothing but itself."""


def is_kept(size: Size) -> bool:
    """Whether an axis of what a loop carries certainly keeps its size."""
    return size is not None and not (isinstance(size, Dim) and isinstance(size.key, Anonymous))


def _join_sizes(a: Size, b: Size) -> Size:
    if not same_size(a, b):
        if not (is_many(a) and is_many(b)):
            return None
        least = min(least_of(a), least_of(b))
        anonymous = isinstance(a, Dim) and isinstance(a.key, Anonymous)
        key = a.key if anonymous else Anonymous()  # type: ignore[union-attr]
        return a if anonymous and least_of(a) == least else Dim(key, many=True, least=least)
    return Dim(a.key, a.offset, a.many and b.many, min(a.least, b.least)) if isinstance(a, Dim) and isinstance(b, Dim) else a


def promote(*kinds: Kind) -> str | None:
    """The dtype of an arithmetic result by NumPy 2's rules (Python's own numbers are weak); None where unknown."""
    found: list[tuple[str, bool]] = []
    for kind in kinds:
        dtype = dtype_of(kind)
        if dtype is None:
            return None
        found.append((dtype, isinstance(kind, Scalar) and kind.weak))
    return _promoted(tuple(found))


@functools.lru_cache(maxsize=1024)
def _promoted(dtypes: tuple[tuple[str, bool], ...]) -> str:
    strong = [np.dtype(dtype) for dtype, weak in dtypes if not weak]
    literals = [{"b": False, "i": 0, "f": 0.0, "c": 0j}[np.dtype(dtype).kind] for dtype, weak in dtypes if weak]
    return str(np.result_type(*strong, *literals))


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
    """Whether this is a number, perhaps of unknown dtype: it refers to nothing that could be written.

    An array without axes (``np.zeros(())``, ``x[..., 0]``) does: it has a dtype here, or an unknown shape.
    """
    return isinstance(kind, Scalar) or (isinstance(kind, Array) and kind.shape == () and kind.dtype is None)


def is_differentiable(kind: Kind) -> bool:
    """Whether values of this kind can carry a derivative (unknown kinds can)."""
    if isinstance(kind, (Scalar, Array)):
        return kind.dtype is None or kind.dtype.startswith(("float", "complex"))
    if isinstance(kind, (Tuple, StructKind)):
        return any(map(is_differentiable, kind.items))
    if isinstance(kind, List):
        return kind.item == BOTTOM or is_differentiable(kind.item)  # what is put into it elsewhere may be anything
    return type(kind) is Kind


def holds_tuples(kind: Kind) -> bool:
    """Whether something of a kind is, or holds, a tuple of unknown length."""
    if isinstance(kind, Tuple | StructKind):
        return any(map(holds_tuples, kind.items))
    return isinstance(kind, TupleOf) or isinstance(kind, List) and holds_tuples(kind.item)


def index_parts(kind: Kind) -> tuple[Kind, ...]:
    """The kinds of the parts of a subscript: a tuple has one for each axis, a list chooses items along one."""
    return kind.items if isinstance(kind, Tuple) and not kind.listed else (kind,)


def is_scalar(kind: Kind) -> bool:
    """Whether the value is certainly a number."""
    return isinstance(kind, Scalar)
