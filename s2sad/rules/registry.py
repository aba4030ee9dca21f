"""The registry: canonical names to primitives, and the statements with which tables fill it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from s2sad.ir.kinds import UNKNOWN, Kind
from s2sad.ir.nodes import Call
from s2sad.rules import kind_rules
from s2sad.rules.language import (
    Elementwise,
    General,
    KindRule,
    Linear,
    Nothing,
    Partial,
    Primitive,
    spec_of,
)

TABLES = (
    "s2sad.rules.python",
    "s2sad.rules.memory",
    "s2sad.rules.helpers",
    "s2sad.rules.memory_helpers",
    "s2sad.rules.statistics_helpers",
    "s2sad.rules.numpy_elementwise",
    "s2sad.rules.numpy_reductions",
    "s2sad.rules.numpy_statistics",
    "s2sad.rules.numpy_differences",
    "s2sad.rules.numpy_ufunc_methods",
    "s2sad.rules.numpy_shapes",
    "s2sad.rules.numpy_pieces",
    "s2sad.rules.numpy_constructors",
    "s2sad.rules.numpy_products",
    "s2sad.rules.numpy_fft",
    "s2sad.rules.math_functions",
    "s2sad.rules.nondifferentiable",
)
_primitives: dict[str, Primitive] = {}
_by_identity: dict[int, tuple[object, str]] = {}
_objects: dict[str, object] = {}  # the functions of users' rules, which need not be importable
_loaded = False
revision = 0  # counts users' rules: programs made under other rules are outdated


def load_tables() -> None:
    """Import all tables, once, on first use: ``import s2sad`` stays fast."""
    global _loaded
    if not _loaded:
        _loaded = True
        for table in TABLES:
            importlib.import_module(table)


def lookup(name: str) -> Primitive | None:
    """The primitive with this canonical name."""
    load_tables()
    return _primitives.get(name)


def all_primitives() -> dict[str, Primitive]:
    """All primitives by canonical name."""
    load_tables()
    return dict(_primitives)


def add(primitive: Primitive, function: object = None) -> None:
    """Enter a primitive; a later one of the same name replaces it (a user's rule wins).

    ``function``: the live function that it stands for, where its name is not that under which it is found.
    """
    global revision
    _primitives[primitive.name] = primitive
    if function is not None:
        revision += 1
        _objects[primitive.name] = function
    _by_identity.clear()


def name_of(target: object) -> str | None:
    """The canonical name of a live function, if it is a registered primitive."""
    load_tables()
    if not _by_identity:
        for name in _primitives:
            found = _objects[name] if name in _objects else find_object(name)
            if found is not None:
                _by_identity.setdefault(id(found), (found, name))
    entry = _by_identity.get(id(target))
    if entry is not None and entry[0] is target:
        return entry[1]
    return _name_of_method(target)


def _name_of_method(target: object) -> str | None:
    """``numpy.add.reduce``: methods of ufuncs are made anew at each look, so that their owners are looked up."""
    owner, method = getattr(target, "__self__", None), getattr(target, "__name__", "")
    entry = None if owner is None else _by_identity.get(id(owner))
    if entry is None or entry[0] is not owner:
        return None
    return next((name for name in (f"{entry[1]}.{method}",) if name in _primitives), None)


def find_object(name: str) -> Any:
    """The live object behind a dotted name, if its module has been imported; None otherwise."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:cut]))
        if module is not None:
            found: Any = module
            for part in parts[cut:]:
                found = getattr(found, part, None)
            return found
    return None


def infer(call: Call) -> Kind:
    """The kind of a call's result."""
    primitive = lookup(call.target)
    if primitive is None:
        return UNKNOWN
    return primitive.kind(primitive.bind(call.args, call.kwargs))


# --- the statements of tables


def _declare(head: str, kind: KindRule | None, fallback: KindRule, **facts: Any) -> None:
    name, _, rest = head.partition("(")
    add(Primitive(name=name.strip(), signature=rest.rstrip()[:-1], kind=kind or fallback, **facts))


def elementwise(
    head: str, *, kind: KindRule | None = None, facts: Mapping[str, Any] = {}, **partials: Partial
) -> None:
    """A broadcasting function, with its partial derivative for each argument."""
    derivative = Elementwise({p: spec_of(f) for p, f in partials.items()})
    _declare(head, kind, kind_rules.broadcast_float, derivative=derivative, **facts)


def linear(
    head: str, *, kind: KindRule | None = None, facts: Mapping[str, Any] = {}, **adjoints: Partial
) -> None:
    """A function linear in the named arguments together, with the adjoint for each."""
    derivative = Linear({p: spec_of(f) for p, f in adjoints.items()})
    _declare(head, kind, kind_rules.unknown, derivative=derivative, **facts)


def multilinear(
    head: str, *, kind: KindRule | None = None, facts: Mapping[str, Any] = {}, **adjoints: Partial
) -> None:
    """A function linear in each of the named arguments alone, with the adjoint for each."""
    derivative = Linear({p: spec_of(f) for p, f in adjoints.items()}, jointly=False)
    _declare(head, kind, kind_rules.unknown, derivative=derivative, **facts)


def general(
    head: str,
    *,
    push: Mapping[str, Partial],
    pull: Mapping[str, Partial],
    kind: KindRule | None = None,
    facts: Mapping[str, Any] = {},
) -> None:
    """A function with a pushforward and a pullback for each differentiable argument."""
    derivative = General({p: spec_of(f) for p, f in push.items()}, {p: spec_of(f) for p, f in pull.items()})
    _declare(head, kind, kind_rules.unknown, derivative=derivative, **facts)


def plain(head: str, *, kind: KindRule | None = None, **facts: Any) -> None:
    """A primitive without a derivative of its own: memory operations, which the machinery knows, and constructors."""
    _declare(head, kind, kind_rules.unknown, **facts)


def nothing(
    heads: Iterable[str], *, kind: KindRule | None = None, zero: bool = False, why: str = "", **facts: Any
) -> None:
    """Functions whose derivative is zero, or does not exist."""
    for head in heads:
        signature = head if "(" in head else f"{head}(*args)"
        _declare(signature, kind, kind_rules.unknown, derivative=Nothing(zero, why), **facts)


def alias(existing: str, *names: str, **changes: Any) -> None:
    """Other names of an existing primitive, with changed facts where given."""
    for name in names:
        add(replace(_primitives[existing], name=name, **changes))


Declare = Callable[..., None]
