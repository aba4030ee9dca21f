"""The normal form: functions with so little control flow that lowering them needs no special cases.

What is left of statement-level control flow after :func:`normalise`:

- ``if``, ``for`` and ``while`` without ``else``, ``with``, ``try``, ``raise``; no ``match``, no ``continue``;
- ``return`` exactly once, with a value, as the last statement of the function;
- ``break`` only as ``if NAME: break``, the last statement of a loop, where the loop assigns ``NAME``;
- no assignment in the condition of a ``while``;
- one target per assignment; no annotation without a value, no ``pass`` beside other statements, no
  constant as a statement.

The normal form computes exactly what the function computed: the same values and the same effects in the same
order, also where exceptions pass through. Expressions and nested functions are left as they are; nested
functions are normalised when they are lowered themselves.

Before::

    def first_root(values, tol):
        for x in values:
            if x < 0:
                continue
            r = x * x - 2
            if abs(r) < tol:
                return x
        else:
            x = y = None
        return y

After::

    def first_root(values, tol):
        done = False
        for x in values:
            if not x < 0:
                r = x * x - 2
                if abs(r) < tol:
                    out = x
                    done = True
            if done:
                break
        if not done:
            x = None
            y = None
            out = y
        return out
"""

from __future__ import annotations

import gast

from .exits import unify_exits
from .matching import replace_matches
from .names import FreshNames
from .syntax import copied
from .targets import tidy_targets
from .walrus import move_walrus


def normalise(func: gast.FunctionDef) -> gast.FunctionDef:
    """The normal form of a function; the tree that is passed in stays as it is."""
    names = FreshNames(func)
    func = copied(func)
    replace_matches(func, names)  # match → if/elif, so that later passes know one kind of branch
    move_walrus(func)  # before the exits, for it makes loops that only a break ends
    tidy_targets(func, names)  # before the exits, so that a lone `pass` is never taken for something to run
    unify_exits(func, names)  # loop-else, continue, break and return → flags and branches
    return func


__all__ = ["normalise"]
