"""A small interpreter of the intermediate representation: what a program means, without emitting it."""

from __future__ import annotations

import builtins
import importlib
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ir.nodes import (
    Block,
    Call,
    Const,
    For,
    Function,
    Global,
    If,
    Op,
    Structure,
    Undef,
    Value,
    While,
    With,
)

UNDEFINED = object()


def run_function(function: Function, *args: Any, **kwargs: Any) -> Any:
    """Call a function of the intermediate representation."""
    env: dict[Value, Any] = {}
    given = list(args)
    for param in function.params:
        if given and not param.keyword_only:
            env[param.value] = given.pop(0)
        elif param.name in kwargs:
            env[param.value] = kwargs[param.name]
        elif param.default is not None:
            env[param.value] = _read(param.default, env)
        else:
            raise TypeError(f"{function.name}() misses its argument {param.name}")
    if given:
        raise TypeError(f"{function.name}() is given too many arguments")
    _run_block(function.body, env)
    leaves = iter([_read(v, env) for v in function.body.yields])
    return _build(function.returns, leaves)


def _build(structure: Structure, leaves: Any) -> Any:
    if structure.kind == "leaf":
        return next(leaves)
    items = [_build(item, leaves) for item in structure.items]
    if structure.kind == "dict":
        return dict(zip(structure.keys, items, strict=True))
    return tuple(items) if structure.kind == "tuple" else items


def _leaves(structure: Structure, value: Any) -> list[Any]:
    if structure.kind == "leaf":
        return [value]
    parts = value.values() if structure.kind == "dict" else value
    return [leaf for item, part in zip(structure.items, parts, strict=True) for leaf in _leaves(item, part)]


def _read(value: Value, env: dict[Value, Any]) -> Any:
    if isinstance(value, Const):
        return value.payload
    if isinstance(value, Global):
        return value.payload if value.resolved else _find(value.path)
    if isinstance(value, Undef):
        return UNDEFINED
    return env[value]


def _run_block(block: Block, env: dict[Value, Any]) -> list[Any]:
    for op in block.ops:
        results = _run_op(op, env)
        env.update(zip(op.results, results, strict=True))
    return [_read(v, env) for v in block.yields]


def _run_op(op: Op, env: dict[Value, Any]) -> list[Any]:
    if isinstance(op, Call):
        return _run_call(op, env)
    if isinstance(op, If):
        return _run_block(op.then if _read(op.cond, env) else op.orelse, env)
    if isinstance(op, For):
        return _run_for(op, env)
    if isinstance(op, While):
        return _run_while(op, env)
    assert isinstance(op, With)
    with _read(op.context, env):
        return _run_block(op.body, env)


def _run_for(op: For, env: dict[Value, Any]) -> list[Any]:
    carried = [_read(v, env) for v in op.init]
    for item in _read(op.iterable, env):
        env.update(zip(op.body.params, [item, *carried], strict=True))
        carried = _run_block(op.body, env)
        if op.breaks and carried.pop(0):
            break
    return carried


def _run_while(op: While, env: dict[Value, Any]) -> list[Any]:
    carried = [_read(v, env) for v in op.init]
    while True:
        env.update(zip(op.test.params, carried, strict=True))
        if not _run_block(op.test, env)[0]:
            return carried
        env.update(zip(op.body.params, carried, strict=True))
        carried = _run_block(op.body, env)
        if op.breaks and carried.pop(0):
            return carried


def _run_call(op: Call, env: dict[Value, Any]) -> list[Any]:
    args = [_read(v, env) for v in op.args]
    kwargs = {k: _read(v, env) for k, v in op.kwargs.items()}
    if op.callee is not None:
        return _leaves(op.callee.returns, run_function(op.callee, *args, **kwargs))
    if op.target == "s2sad.unpack":
        return list(args[0])
    result = call_target(op.target, args, kwargs)
    return [result][: len(op.results)]


def call_target(target: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a primitive by its canonical name."""
    special = SPECIAL.get(target)
    if special is not None:
        return special(*args, **kwargs)
    kind, _, name = target.partition(".")
    if kind in ("ndarray", "list", "dict", "str"):
        found = getattr(args[0], name)
        return found(*args[1:], **kwargs) if callable(found) else found
    return _find(target)(*args, **kwargs)


def _find(path: str) -> Any:
    modules = {"operator": operator, "numpy": np, "np": np, "builtins": builtins, "math": math}
    head, *rest = path.split(".")
    if head not in modules:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)
    found: Any = modules[head]
    for name in rest:
        found = getattr(found, name)
    return found


def _additem(a: Any, index: Any, value: Any) -> None:
    a[index] += value


def _subitem(a: Any, index: Any, value: Any) -> None:
    a[index] -= value


def _assert(test: Any, message: Any = None) -> None:
    assert test, message


def _raise(error: Any) -> None:
    raise error


SPECIAL: dict[str, Callable[..., Any]] = {
    "s2sad.additem": _additem,
    "s2sad.subitem": _subitem,
    "s2sad.items": lambda *items: list(items),
    "s2sad.dict": lambda keys, *items: dict(zip(keys, items, strict=True)),
    "s2sad.fstring": lambda *parts: "".join(map(str, parts)),
    "s2sad.assert": _assert,
    "s2sad.raise": _raise,
    "builtins.list": lambda *items: list(items),
    "builtins.tuple": lambda *items: tuple(items),
}
