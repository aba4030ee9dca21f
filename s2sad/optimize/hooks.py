"""Where the adjoint of a value passes through a function, the value itself stays what it is.

Before::

    y = s2sad.hooked(x, x_hook, c)
    z = numpy.sin(y)

After ``settle``, where ``x`` is memory that is written, and its adjoint a buffer that stays where it is, and after
``run``, once the reverse sweep is made::

    s2sad.hooked(x, x_hook, c)                 z = numpy.sin(x)
    z = numpy.sin(x)
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.ir.nodes import Call, Function, FunctionRef
from s2sad.ir.walk import ops_of, substitute_all
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, keeps_border


def hooks_of(functions: list[Function]) -> set[Function]:
    """The functions through which adjoints pass: the user's code in the reverse sweep, which may do what it wants outside."""
    found = (op.args[1] for function in functions for op in _hooked(function))
    return {hook.function for hook in found if isinstance(hook, FunctionRef)}


def settle(function: Function) -> None:
    """Leave references into memory that is written as they are, whatever happens to their adjoints."""
    hooked = _hooked(function)
    aliases = Aliases(function) if hooked else None
    substitute_all(function.body, {op.result: op.args[0] for op in hooked if aliases and aliases.mutable(op.result)})


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Drop what concerns the reverse sweep alone."""
    hooked = _hooked(function)
    substitute_all(function.body, {op.result: op.args[0] for op in hooked})
    drop(function, set(hooked))
    return bool(hooked)


def _hooked(function: Function) -> list[Call]:
    return [op for op in ops_of(function.body) if isinstance(op, Call) and op.target == "s2sad.hooked"]
