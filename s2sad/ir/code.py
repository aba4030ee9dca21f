"""The parameters and deeds of a function by its code: what it says itself (``__wrapped__``, ``__signature__``) may be wrong."""

from __future__ import annotations

import inspect
import keyword
import re
import types
import unicodedata
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


def identifier(name: str) -> str:
    """A name for a definition that is made of something of this name: ``lambda_`` of ``<lambda>``, itself of most."""
    text = re.sub(r"\W", "_", unicodedata.normalize("NFKC", re.sub(r"[<>]", "", name)))
    text = text if text.isidentifier() else f"f_{text}"
    return text + "_" * keyword.iskeyword(text)


def state(function: types.FunctionType) -> list[Any]:
    """The parts that a signature is read from: the code and the defaults of a function can be set."""
    named = function.__kwdefaults__ or {}
    return [function.__code__, *(function.__defaults__ or ()), *named, *named.values()]


RENEW = "__s2sad_renew__"  # an attribute of functions that we wrote around an object which can be changed


def renew(function: types.FunctionType) -> bool:
    """Have such a function take the parameters and defaults which that object has by now; True, and nothing done to others."""
    change = function.__dict__.get(RENEW)
    if change is not None:
        change(function)
    return True


def code_of(code: types.CodeType) -> tuple[Any, ...]:
    """The content of a code object, without where it stands: its ``repr`` is the same in all processes."""
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
