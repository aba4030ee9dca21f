"""Where a function is written out, sizes get the names that they have at the call.

A callee has names of its own for the sizes of its arguments, which it shares with all calls of it (``forget_sizes``)::

    x: float64[n]                                   u: float64[m]
    d: float64[n - 1] = x[1:] - x[:-1]      ==>     d: float64[m - 1] = u[1:] - u[:-1]

so that what is computed here of ``u`` is known to fit what was computed there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from s2sad.ir.kinds import Array, Dict, Dim, Kind, List, Scalar, Slice, Tuple
from s2sad.ir.nodes import LITERALS, Block, Value
from s2sad.ir.walk import blocks_of


def name_sizes(body: Block, params: Iterable[Kind], args: Iterable[Kind]) -> None:
    """Name the sizes in a body, which is no longer that of a function with these parameters but is given these arguments."""
    names: dict[Any, Dim] = {}
    for param, arg in zip(params, args, strict=True):
        _match(param, arg, names)
    if names:
        for block in blocks_of(body):
            for value in (*block.params, *(result for op in block.ops for result in op.results)):
                _rename(value, names)


def _match(param: Kind, arg: Kind, names: dict[Any, Dim]) -> None:
    if isinstance(param, Tuple) and isinstance(arg, Tuple):
        for a, b in zip(param.items, arg.items, strict=True):
            _match(a, b, names)
    elif isinstance(param, Array) and isinstance(arg, Array) and len(param.shape or ()) == len(arg.shape or ()):
        for m, n in zip(param.shape or (), arg.shape or (), strict=True):
            if isinstance(m, Dim) and type(m.key) is object and isinstance(n, Dim):
                names[m.key] = n


def _rename(value: Value, names: Mapping[Any, Dim]) -> None:
    if not isinstance(value, LITERALS):
        value.kind = _kind(value.kind, names)


def _kind(kind: Kind, names: Mapping[Any, Dim]) -> Kind:
    if isinstance(kind, Array) and kind.shape is not None:
        return replace(kind, shape=tuple(_part(size, names) for size in kind.shape))
    if isinstance(kind, Scalar):
        return kind if kind.size is None else replace(kind, size=_part(kind.size, names))
    if isinstance(kind, Tuple | Dict):
        return replace(kind, items=tuple(_kind(item, names) for item in kind.items))
    if isinstance(kind, List):
        return replace(kind, item=_kind(kind.item, names))
    if isinstance(kind, Slice):
        return Slice(*(_part(part, names) for part in (kind.start, kind.stop, kind.step)))
    return kind


def _part(part: Any, names: Mapping[Any, Dim]) -> Any:
    """A size, or a part of the key of one, which may be made of others."""
    if isinstance(part, Dim):
        known = names.get(part.key)
        if known is not None:
            return Dim(known.key, known.offset + part.offset, known.many and part.many)
        return replace(part, key=_part(part.key, names))
    if type(part) is not tuple:
        return part
    if part[:1] == ("dropped",):  # a key and an offset, which together are a size
        size = _part(Dim(*part[1:]), names)
        return ("dropped", size.key, size.offset)
    return tuple(_part(item, names) for item in part)
