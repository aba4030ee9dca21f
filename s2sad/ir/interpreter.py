"""Python's own functions and types, as they were when s2sad was imported: this package and the libraries are written with them.

A program that puts something else in the place of ``len`` or ``functools.partial`` does so for every module in the process, this
compiler included. No derivative is made then. What programs do with the hooks that Python offers (``print``) is as good as any.
"""

from __future__ import annotations

import builtins
import collections
import copy
import functools
import itertools
import operator
import types

from s2sad.errors import S2sadError

HOOKS = (
    "_", "__import__", "breakpoint", "copyright", "credits", "display", "exit", "get_ipython", "help", "input", "license", "open",
    "print", "quit",
)  # fmt: skip
OWN = [
    (vars(module), name, thing)
    for module in (builtins, functools, operator, itertools, copy, collections, types)
    for name, thing in vars(module).items()
    if callable(thing) and name not in HOOKS
]  # fmt: skip
IMPORT = builtins.__import__


def check() -> None:
    """Raise S2sadError where something else stands under a name of Python's own.

    It says so without any of these names.
    """
    for table, name, thing in OWN:
        if name not in table or table[name] is not thing:
            what = f"{table['__name__']}.{name}"
            error = S2sadError.__new__(S2sadError, what)
            error.message, error.location, error.node = f"{what} is not Python's own in this process", None, None
            error.why = "this compiler, and what it generates, are written with it"
            error.instead = "a function under another name"
            raise error
