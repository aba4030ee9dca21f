"""The question of a program whether arguments share memory, asked where one of them is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from s2sad.ir.builder import Builder
from s2sad.ir.nodes import Block, Global, Op, Value
from s2sad.rules import registry


def called(value: Value) -> str:
    """The name by which a message speaks of an argument, or of an object outside."""
    return value.path if isinstance(value, Global) else value.name or "_"


def distinct(arguments: Sequence[Value], written: Sequence[Value], name: Callable[[Value], str] = called) -> list[Op]:
    """The check that none of the ``written`` ones shares memory with another argument; ``name``: how such a one is called."""
    others = [v for v in arguments if v not in written]
    if len(others) < 2:  # each pair has one that is written
        written, others = arguments, []
    names = "; ".join(", ".join(group) for group in (list(map(name, written)), list(map(called, others))) if group)
    check = Builder(Block(), registry.infer)
    check.call("s2sad.runtime.assert_distinct", names, *written, *others)
    return check.block.ops
