"""What a function takes and does, as its code says: what it says of itself (``__wrapped__``, ``__signature__``) may be wrong."""

from __future__ import annotations

import inspect
import types
from typing import Any

from s2sad.ir.kinds import Lasting


def signature_of(function: Any) -> inspect.Signature:
    """The parameters that a call fills: of a plain function by its code and defaults, of ours by the function behind it.

    Raises TypeError and ValueError where nothing is known, as ``inspect.signature`` does.
    """
    if isinstance(function, Lasting):
        return signature_of(function.function)
    if isinstance(function, types.MethodType):
        own = signature_of(function.__func__)
        return own.replace(parameters=list(own.parameters.values())[1:])
    if not isinstance(function, types.FunctionType):
        return inspect.signature(function, follow_wrapped=False)
    bare = types.FunctionType(function.__code__, {}, closure=function.__closure__, argdefs=function.__defaults__)
    bare.__kwdefaults__, bare.__annotations__ = function.__kwdefaults__, function.__annotations__
    return inspect.signature(bare)


def code_of(code: types.CodeType) -> tuple[Any, ...]:
    """What a code object does, without where it stands: its ``repr`` is the same in all processes."""
    constants = tuple(map(_constant, code.co_consts))
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & ~inspect.CO_NESTED)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_name, counts, names, code.co_code, code.co_exceptiontable, constants)


def _constant(value: Any) -> Any:
    if isinstance(value, types.CodeType):
        return code_of(value)
    if isinstance(value, frozenset):
        return ("frozenset", sorted(map(repr, map(_constant, value))))
    return (type(value).__name__, tuple(map(_constant, value)) if isinstance(value, tuple) else repr(value))
