"""Where a function is called, or written out, sizes get the names that they have there.

A callee has names of its own for the sizes of its arguments, which it shares with all calls of it (``with_symbols``)::

    x: float64[n]                                   u: float64[m]
    d: float64[n - 1] = x[1:] - x[:-1]      ==>     d: float64[m - 1] = u[1:] - u[:-1]

so that what is computed here of ``u`` is known to fit what was computed there, and nothing of what another call computed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from typing import Any

from s2sad.ir.kinds import (
    ANY_INT,
    ANY_PART,
    UNKNOWN,
    Anonymous,
    Array,
    Dim,
    Kind,
    Product,
    Scalar,
    Size,
    Slice,
    Sum,
    Tuple,
    floor_divided,
    forgotten,
    not_negative,
    reader,
    renamed,
    symbols_of,
)
from s2sad.ir.nodes import LITERALS, Block, Value
from s2sad.ir.walk import blocks_of


class Naming:
    """The names of sizes at one call of a function with these parameters, which is given these arguments."""

    def __init__(self, params: Iterable[Kind], args: Iterable[Kind]) -> None:
        self.names: dict[Any, Dim | int] = {}
        self.made: dict[Dim, Dim] = {}
        self._met: dict[tuple[int, int], object] = {}  # tapes hold tapes, the same ones in several places: a tree without bounds
        self._named: dict[int, tuple[Kind, Kind]] = {}
        for param, arg in zip(params, args, strict=False):
            self._match(param, arg)

    def _match(self, param: Kind, arg: Kind) -> None:
        if isinstance(param, Tuple):
            if (place := (id(param), id(arg))) in self._met:
                return
            self._met[place] = param, arg
            given = arg.items if isinstance(arg, Tuple) and len(arg.items) == len(param.items) else (None,) * len(param.items)
            for inner, item in zip(param.items, given, strict=True):
                self._match(inner, item or UNKNOWN)
        elif isinstance(param, Array) and param.shape is not None:
            shape = arg.shape if isinstance(arg, Array) and arg.rank == param.rank else None
            for own, size in zip(param.shape, shape or (None,) * len(param.shape), strict=True):
                if isinstance(own, Dim) and type(own.key) is object:
                    self.names[own.key] = size if size is not None else Dim(object(), 0, own.many, own.least)

    def body(self, body: Block) -> None:
        """Name the sizes in a body that is no longer the function's own."""
        for block in blocks_of(body):
            for value in (*block.params, *(result for op in block.ops for result in op.results)):
                if not isinstance(value, LITERALS):
                    value.kind = self.kind(value.kind)

    def kind(self, kind: Kind) -> Kind:
        """A kind as the call knows it."""
        if isinstance(kind, Array) and kind.shape is not None:
            return replace(kind, shape=tuple(map(self.size, kind.shape)))
        if isinstance(kind, Scalar):
            return kind if kind.size is None else replace(kind, size=self.size(kind.size))
        if kind.fixed:
            found = self._named.get(id(kind))
            if found is None:
                found = self._named[id(kind)] = kind, kind.mapped(self.kind)
            return found[1]
        if isinstance(kind, Slice):
            return Slice(*map(self.part, (kind.start, kind.stop, kind.step)))
        return kind.mapped(self.kind)

    def part(self, part: Any) -> Any:
        """A part of a slice as the call knows it."""
        if isinstance(part, Value) and self._depends(part):
            return self.made.setdefault(Dim(part, 0, least=ANY_INT), Dim(object(), 0, least=ANY_INT))
        return self.size(part) if isinstance(part, Dim) else part

    def size(self, size: Size) -> Size:
        """A size as the call knows it."""
        return renamed(size, self.symbol) if isinstance(size, Dim) and self._depends(size.key) else size

    def symbol(self, key: Any) -> Size:
        """The call's name for a symbol; a new one for what it knows nothing of."""
        if not self._depends(key):
            return Dim(key, least=ANY_INT)
        if key in self.names:
            return self.names[key]
        if isinstance(key, tuple) and key[0] == "max0":
            return not_negative(self.size(key[1]))
        if isinstance(key, tuple) and key[0] == "floor":
            return floor_divided(self.size(key[1]), key[2])
        return self.made.setdefault(Dim(key), Dim(Anonymous() if isinstance(key, Anonymous) else object(), least=ANY_INT))

    def _depends(self, key: Any) -> bool:
        """Test for a size of this call: it hangs on the function's own sizes, on numbers in it, or on the way that it takes."""
        if isinstance(key, tuple | frozenset):
            return any(map(self._depends, key))
        if isinstance(key, Sum | Product):
            return any(map(self._depends, symbols_of(key)))
        return self._depends(key.key) if isinstance(key, Dim) else type(key) is object or isinstance(key, Value | Anonymous)


class Told(Naming):
    """Kinds as a docstring tells them, in letters. ``taken``: names that mean something else."""

    def __init__(self, taken: Iterable[str]) -> None:
        super().__init__((), ())
        self.reader = reader(taken)

    def size(self, size: Size) -> Size:
        """A size in letters."""
        return self.reader.size(size)


class Leaving(Naming):
    """Kinds as they are behind an iteration of a loop: sizes that hang on what it has computed are others in the next one.

    ``inside``: gives the values that the loop defines; asked once, and only where some kind hangs on a value.
    """

    def __init__(self, inside: Callable[[], Set[Value]]) -> None:
        super().__init__((), ())
        self._inside = inside

    @functools.cached_property
    def inside(self) -> Set[Value]:
        """The values that the loop defines."""
        return self._inside()

    def size(self, size: Size) -> Size:
        """A size as one may rely on it in the next iteration."""
        return forgotten(size) if isinstance(size, Dim) and self._depends(size.key) else size

    def part(self, part: Any) -> Any:
        """A part of a slice; of one that is another in the next iteration nothing is known."""
        return ANY_PART if self._depends(part) else part

    def _depends(self, key: Any) -> bool:
        if isinstance(key, tuple | frozenset):
            return any(map(self._depends, key))
        if isinstance(key, Sum | Product):
            return any(map(self._depends, symbols_of(key)))
        return self._depends(key.key) if isinstance(key, Dim) else isinstance(key, Value) and key in self.inside


def values_in(blocks: Iterable[Block]) -> set[Value]:
    """All values that blocks define, nested ones included."""
    inner = [each for block in blocks for each in blocks_of(block)]
    return {value for block in inner for value in (*block.params, *(result for op in block.ops for result in op.results))}
