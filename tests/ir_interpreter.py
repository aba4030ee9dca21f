"""A small interpreter of the intermediate representation: what a program means, however it is printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
from s2sad.rules import registry

Environment = dict[Value, Any]
UNDEFINED = object()


def run(function: Function, *args: Any) -> Any:
    """The result of a function, in the structure that it promises."""
    leaves = run_function(function, *args)
    return assemble(function.returns, leaves)


def run_function(function: Function, *args: Any) -> list[Any]:
    """The leaves of a function's result."""
    environment: Environment = {}
    given = list(args)
    for param in function.params:
        if given:
            environment[param.value] = given.pop(0)
        else:
            assert param.default is not None
            environment[param.value] = read(param.default, environment)
    return run_block(function.body, environment)


def assemble(structure: Structure, leaves: list[Any]) -> Any:
    """Put leaves together; uses them up."""
    if structure.kind == "leaf":
        return leaves.pop(0)
    items = [assemble(item, leaves) for item in structure.items]
    if structure.kind == "dict":
        return dict(zip(structure.keys, items, strict=True))
    return tuple(items) if structure.kind == "tuple" else items


def read(value: Value, environment: Environment) -> Any:
    """The run-time object behind a value."""
    if isinstance(value, Const | Global):
        return value.payload
    return UNDEFINED if isinstance(value, Undef) else environment[value]


def bind(values: Iterable[Value], objects: Iterable[Any], environment: Environment) -> None:
    """Bind several values at once."""
    environment.update(zip(values, list(objects), strict=True))


def run_block(block: Block, environment: Environment) -> list[Any]:
    """Run a block, whose parameters are bound; what it yields."""
    for op in block.ops:
        run_op(op, environment)
    return [read(value, environment) for value in block.yields]


def run_op(op: Op, environment: Environment) -> None:
    """Run one operation."""
    if isinstance(op, Call):
        run_call(op, environment)
    elif isinstance(op, If):
        taken = op.then if read(op.cond, environment) else op.orelse
        bind(op.results, run_block(taken, environment), environment)
    elif isinstance(op, For):
        carried = [read(value, environment) for value in op.init]
        for item in read(op.iterable, environment):
            bind(op.body.params, [item, *carried], environment)
            stop, carried = end_of_iteration(op, environment)
            if stop:
                break
        bind(op.results, carried, environment)
    elif isinstance(op, While):
        carried = [read(value, environment) for value in op.init]
        while True:
            bind(op.test.params, carried, environment)
            if not run_block(op.test, environment)[0]:
                break
            bind(op.body.params, carried, environment)
            stop, carried = end_of_iteration(op, environment)
            if stop:
                break
        bind(op.results, carried, environment)
    elif isinstance(op, With):
        with read(op.context, environment):
            bind(op.results, run_block(op.body, environment), environment)


def end_of_iteration(op: For | While, environment: Environment) -> tuple[bool, list[Any]]:
    """Run a loop's body: whether the loop ends, and what it carries on."""
    yields = run_block(op.body, environment)
    return (bool(yields[0]), yields[1:]) if op.breaks else (False, yields)


def run_call(op: Call, environment: Environment) -> None:
    """Run a call and bind its results."""
    args = [read(value, environment) for value in op.args]
    kwargs = {key: read(value, environment) for key, value in op.kwargs.items()}
    if op.callee is not None:
        bind(op.results, run_function(op.callee, *args), environment)
    elif op.target == "s2sad.unpack":
        bind(op.results, args[0], environment)
    else:
        environment[op.results[0]] = evaluate(op.target, args, kwargs)


def evaluate(target: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The value of a call of a primitive."""
    if target in SPECIAL:
        return SPECIAL[target](*args, **kwargs)
    if target.startswith("ndarray."):
        member = getattr(args[0], target.removeprefix("ndarray."))
        return member(*args[1:], **kwargs) if callable(member) else member
    return registry.find_object(target)(*args, **kwargs)


def _add_in_place(a: Any, index: Any, value: Any) -> None:
    a[index] += value


def _subtract_in_place(a: Any, index: Any, value: Any) -> None:
    a[index] -= value


def _raise(error: BaseException) -> None:
    raise error


def _check(test: Any, message: Any = None) -> None:
    if not test:
        raise AssertionError(message)


SPECIAL: dict[str, Any] = {
    "s2sad.additem": _add_in_place,
    "s2sad.subitem": _subtract_in_place,
    "s2sad.assert": _check,
    "s2sad.raise": _raise,
    "s2sad.fstring": lambda *parts: "".join(map(str, parts)),
    "s2sad.items": lambda *items: list(items),
    "s2sad.dict": lambda keys, *items: dict(zip(keys, items, strict=True)),
    "builtins.tuple": lambda *items: items,
    "builtins.list": lambda *items: list(items),
    "list.append": list.append,
    "list.pop": list.pop,
}
