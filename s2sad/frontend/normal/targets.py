"""Assignments with one target each, and nothing that says or does nothing.

Before::

    def f(x):
        '''Twice the sine, and the sine.'''
        scale: float = 2.0
        total: float
        a[0] = b = np.sin(x)
        first = second = scale * b
        if x > 0:
            pass
        return first, second

After::

    def f(x):
        scale = 2.0
        value = np.sin(x)
        a[0] = value
        b = value
        first = scale * b
        second = first
        if x > 0:
            pass
        return first, second

Annotations stay on the name (``gast.Name.annotation``). A chain whose first target is a plain name needs no
temporary: that name holds the value. The lowering reads the docstring from the function as the user wrote it.
"""

from __future__ import annotations

import copy

import gast

from .names import FreshNames
from .syntax import Block, assign, expand, load, located, or_pass


def tidy_targets(func: gast.FunctionDef, names: FreshNames) -> None:
    """One target per assignment; drop ``pass``, bare annotations, and constants as statements."""

    def tidy(node: gast.stmt) -> Block:
        if isinstance(node, gast.Assign):
            return _split_chain(node, names)
        if isinstance(node, gast.AnnAssign):
            return _drop_annotation(node)
        silent = isinstance(node, gast.Pass) or (
            isinstance(node, gast.Expr) and isinstance(node.value, gast.Constant)
        )
        return [] if silent else [node]

    func.body = or_pass(expand(func.body, tidy), func.body[0])


def _split_chain(node: gast.Assign, names: FreshNames) -> Block:
    """``a = b = e`` as assignments from left to right, which is Python's order."""
    first, *later = node.targets
    if not later:
        return [node]
    if isinstance(node.value, gast.Constant) or _keeps(node.value, node.targets):
        return [assign(target, copy.deepcopy(node.value), node) for target in node.targets]
    if _keeps(first, later):
        held, targets = first.id, later
        result = [assign(first, node.value, node)]
    else:
        held, targets = names.fresh("value"), node.targets
        result = [assign(held, node.value, node)]
    return result + [assign(target, load(held), node) for target in targets]


def _keeps(held: gast.expr, targets: list[gast.expr]) -> bool:
    """Test for a name that still holds its value when the last of the targets is assigned."""
    stored = {
        name.id
        for target in targets[:-1]
        for name in gast.walk(target)
        if isinstance(name, gast.Name) and not isinstance(name.ctx, gast.Load)
    }
    return isinstance(held, gast.Name) and held.id not in stored


def _drop_annotation(node: gast.AnnAssign) -> Block:
    target = node.target
    if node.value is not None:
        if isinstance(target, gast.Name):
            target.annotation = node.annotation
        return [assign(target, node.value, node)]
    # Without a value Python still evaluates what an attribute or an item belongs to.
    parts = [target.value] if isinstance(target, (gast.Attribute, gast.Subscript)) else []
    if isinstance(target, gast.Subscript) and not isinstance(target.slice, gast.Slice):
        parts.append(target.slice)
    return [located(gast.Expr(part), node) for part in parts]
