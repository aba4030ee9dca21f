"""Facts that hold at every call of a function in a program: sizes that are numbers there, and arguments that last.

    def rates(z, p):                          n = 2 at each call, and p is the program's own: it is there when the
        return np.array([p[0] * z[0], ...])   reverse sweep runs, whatever is recorded

    def f(z, p, steps):
        z = z * np.ones(2)
        for _ in range(steps):
            z = z + 0.1 * rates(z, p)

A function has symbols of its own for the sizes of its arguments, whoever calls it; derivatives of it are made for one program.
Nothing is known of functions that are handed over, or take part in a recursion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from s2sad.analysis.alias import facts
from s2sad.ir.kinds import ANY_INT, Dim, Product, Size, Sum, renamed, settled, symbols_of
from s2sad.ir.nodes import LITERALS, Call, Function, Value
from s2sad.ir.size_names import Naming
from s2sad.ir.walk import functions_of, ops_of


class AtCalls:
    """The facts about all functions of a program, of which the last one is called from outside."""

    def __init__(self, functions: Iterable[Function] = (), recursive: Iterable[Function] = ()) -> None:
        self.sizes: dict[Function, dict[Any, int]] = {}
        self.calls: dict[Function, list[tuple[Function, Call]]] = {}
        self._lasting: dict[tuple[Function, int], bool] = {}
        callers = [*functions]
        self.main = callers[-1] if callers else None
        unknown = set(recursive)
        for caller in callers:
            for op in ops_of(caller.body):
                called = op.callee if isinstance(op, Call) else None
                found = [*functions_of(op)]
                unknown.update(found[called is not None :])
                if isinstance(op, Call) and called is not None:
                    self.calls.setdefault(called, []).append((caller, op))
        for function in unknown:
            self.calls.pop(function, None)
        known: Mapping[Any, Size] = settled() if self.calls else {}
        for function in reversed(callers):
            if function in self.calls:
                self.sizes[function] = self._sizes(function, known)

    def _sizes(self, function: Function, known: Mapping[Any, Size]) -> dict[Any, int]:
        """The sizes of arguments that are the same number at each call, by their symbols."""
        found: list[dict[Any, int]] = []
        for caller, op in self.calls[function]:
            table = {**known, **self.sizes.get(caller, {})}
            names = Naming([v.kind for v in function.values], [a.kind for a in op.args]).names
            sizes = {key: _put(size, table) for key, size in names.items()}
            found.append({key: size for key, size in sizes.items() if isinstance(size, int)})
        first, *others = found
        return {key: size for key, size in first.items() if all(other.get(key) == size for other in others)}

    def lasts(self, function: Function, k: int) -> bool:
        """Certainty that an argument is one of the program, which nobody writes into, at each call."""
        if (function, k) not in self._lasting:
            calls = self.calls.get(function, ())
            self._lasting[function, k] = bool(calls) and all(self._is_given(caller, op.args[k]) for caller, op in calls)
        return self._lasting[function, k]

    def _is_given(self, caller: Function, value: Value) -> bool:
        if isinstance(value, LITERALS) or value not in caller.values or facts(caller).mutable(value):
            return False
        return caller is self.main or self.lasts(caller, caller.values.index(value))

    def settle(self, function: Function, copy: Function) -> None:
        """Name the sizes that are numbers in a copy of a function, in place."""
        if table := self.sizes.get(function):
            naming = _Numbers(table)
            for value in copy.values:
                value.kind = naming.kind(value.kind)
            naming.body(copy.body)

    def naming(self, function: Function) -> Naming:
        """The kinds of a function's values as they are at each call."""
        return _Numbers(self.sizes.get(function, {}))


class _Numbers(Naming):
    """The names of sizes of a function, where some are numbers; others keep theirs."""

    def __init__(self, sizes: Mapping[Any, int]) -> None:
        super().__init__((), ())
        self.sizes = sizes

    def symbol(self, key: Any) -> Size:
        """The number that a symbol is; others stay."""
        if not self._depends(key):
            return Dim(key, least=ANY_INT)
        return self.sizes[key] if type(key) is object else super().symbol(key)

    def _depends(self, key: Any) -> bool:
        """Test for a size that hangs on one that is a number."""
        if isinstance(key, tuple | frozenset):
            return any(map(self._depends, key))
        if isinstance(key, Sum | Product):
            return any(map(self._depends, symbols_of(key)))
        return self._depends(key.key) if isinstance(key, Dim) else type(key) is object and key in self.sizes


def _put(size: Size, table: Mapping[Any, Size]) -> Size:
    """A size with what is known of its symbols."""
    return renamed(size, lambda key: table.get(key, Dim(key, least=ANY_INT))) if isinstance(size, Dim) else size
