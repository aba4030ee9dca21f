"""The names that a generated module binds: imports, constants, functions, and how its functions reach them.

A root keeps its usual name (``np``, ``math``, ``range``, ``unbroadcast``) unless a function that mentions
it has a parameter of that name, or another root of the module has taken it; then it is imported under
another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from s2sad.emit.outside import (
    MODULE_ALIASES,
    Key,
    Outside,
    flat_name,
    needs_of,
    outside_names,
    outside_of_global,
    values_of,
)
from s2sad.ir.nodes import Function, Global, is_literal
from s2sad.rules.rooms import helper_packages

SHORT = {module: short for short, module in MODULE_ALIASES.items()}


class Bindings:
    """Names for everything that the functions of one module mention from outside."""

    def __init__(self, functions: list[Function], constants: Mapping[str, object] = {}) -> None:
        self.functions = functions
        self.roots = {f: outside_names(f) for f in functions}
        self.literals, self.injected = _globals(functions, constants)
        self.names: dict[Key, str] = {}
        self._modules: set[str] = set()  # the names that modules have, and all others
        self._others: set[str] = set()
        self._hidden: dict[Key, set[str]] = {}  # by the parameters of functions that mention a root
        for function, outsides in self.roots.items():
            for key in {o.key for o in outsides}:
                self._hidden.setdefault(key, set()).update(p.name for p in function.params)
        for kind in ("function", "constant", "injected", "module", *helper_packages(), "builtin"):
            self._bind_all(kind)

    def _bind_all(self, kind: str) -> None:
        keys: dict[Key, None] = {}
        if kind == "function":
            keys = {(kind, f.name, None): None for f in self.functions}
        elif kind == "constant":
            keys = dict.fromkeys(self.literals)
        for outsides in self.roots.values():
            keys.update((o.key, None) for o in outsides if o.kind == kind)
        keys.update((o.key, None) for payload in self.literals.values() for o in needs_of(payload) if o.kind == kind)
        for key in keys:
            self._bind(key, self._free_name(key))

    def _bind(self, key: Key, name: str) -> None:
        self.names[key] = name
        (self._modules if key[0] == "module" else self._others).add(name.partition(".")[0])

    def _is_taken(self, key: Key, name: str) -> bool:
        """Test for a name that something else has, or that a function which mentions the root has as a parameter."""
        kept = name in self._others or (name in self._modules and key[0] != "module")
        return kept or name in self._hidden.get(key, ())

    def _free_name(self, key: Key) -> str:
        """The usual name of a root, or another one where that is taken."""
        kind, root, _ = key
        usual = SHORT.get(root, root)
        if not self._is_taken(key, usual.partition(".")[0]):
            return usual
        if kind == "builtin":
            self._bind(("module", "builtins", None), "builtins")
            return f"builtins.{root}"
        base, count = flat_name(usual), 1
        while self._is_taken(key, f"{base}_{count}"):
            count += 1
        return f"{base}_{count}"

    def expression(self, outside: Outside) -> gast.expr:
        """The expression by which a function spells it."""
        return attributes(self.names[outside.key].split(".") + list(outside.path))

    def taken_in(self, function: Function) -> set[str]:
        """The names that the function's variables must not hide."""
        return {self.names[o.key].partition(".")[0] for o in self.roots[function]}

    def own_names(self) -> set[str]:
        """The names of the module's functions and constants."""
        return {
            name for (kind, _, _), name in self.names.items() if kind in ("function", "constant", "injected")
        }

    def modules(self) -> dict[str, str]:
        """The imported modules with the names that they are bound to."""
        return {root: name for (kind, root, _), name in self.names.items() if kind == "module"}

    def imports(self) -> list[str]:
        """The import statements, sorted."""
        return sorted(
            f"import {r}" if r == name else f"import {r} as {name}" for r, name in self.modules().items()
        )

    def helpers(self) -> dict[str, dict[str, str]]:
        """The packages of helpers that are needed: the helpers of each with the names that they are bound to, sorted."""
        found = {
            package: dict(
                sorted((root, name) for (kind, root, _), name in self.names.items() if kind == package)
            )
            for package in helper_packages()
        }
        return {package: names for package, names in found.items() if names}

    def renamed_functions(self) -> dict[str, str]:
        """The further names of functions that a parameter hides."""
        return {
            root: name for (kind, root, _), name in self.names.items() if kind == "function" and name != root
        }

    def injected_names(self) -> dict[str, Any]:
        """The objects that the loader binds, by their names in the module."""
        return {self.names[key]: payload for key, payload in self.injected.items()}

    def spelled_names(self) -> dict[str, str]:
        """The names that the loader binds, known by their spelling alone (functions of users' rules), by name in the module."""
        return {name: key[1] for key, name in self.names.items() if key[0] == "injected" and key not in self.injected}

    def library_paths(self) -> list[str]:
        """The parts of imported modules that the functions mention, as dotted paths, sorted."""
        mentioned = {".".join((o.root, *o.path)) for found in self.roots.values() for o in found if o.kind == "module" and o.path}
        return sorted(mentioned)

    def unbound(self) -> list[tuple[str, str]]:
        """All names that the loader binds, sorted, after what they are called outside."""
        return sorted((root, name) for (kind, root, _), name in self.names.items() if kind == "injected")


def _globals(
    functions: list[Function], constants: Mapping[str, object]
) -> tuple[dict[Key, object], dict[Key, Any]]:
    named = [(flat_name(name), value) for name, value in constants.items() if is_literal(value)]
    literals: dict[Key, object] = {("constant", name, ("literal", repr(value))): value for name, value in named}
    injected: dict[Key, Any] = {}
    for function in functions:
        for value in values_of(function):
            if isinstance(value, Global):
                outside = outside_of_global(value)
                if outside.kind == "constant":
                    literals.setdefault(outside.key, value.payload)
                elif outside.kind == "injected" and value.resolved:
                    injected.setdefault(outside.key, value.payload)
    return literals, injected


def attributes(parts: list[str]) -> gast.expr:
    """``a.b.c`` from its parts."""
    node: gast.expr = name(parts[0])
    for part in parts[1:]:
        node = gast.Attribute(node, part, gast.Load())
    return node


def name(identifier: str, store: bool = False) -> gast.Name:
    """A name, read or bound."""
    return gast.Name(identifier, gast.Store() if store else gast.Load(), None, None)
