"""Names for variables: the user's wherever possible, ``x_1`` where two values called ``x`` are alive
together, ``v1``, ``v2``, ... for those that have none. No variable hides a parameter, an import or a
builtin that the function uses.
"""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Iterator
from itertools import count

from s2sad.emit.liveness import Live
from s2sad.emit.out_of_ssa import Variables, statements_of
from s2sad.ir.nodes import LITERALS, Block, Call, For, Function, Loop, Straight, Value
from s2sad.ir.walk import blocks_of, ops_of

UNUSED = "_"
TAPE = "v_tape"  # of a value without a name
COUNTERS = ("i", "j", "k")  # for loops over numbers that the user never saw


class Blocked:
    """The variants of a name, from the first on, that are taken while these values are alive: one of each."""

    def __init__(self) -> None:
        self.values: list[Live] = []
        self.all: Live = 0

    def add(self, value: Live) -> None:
        """One variant more is taken."""
        self.values.append(value)
        self.all |= value

    def keep(self, alive: Live) -> None:
        """Drop what need not be taken where other values are alive, and all behind it."""
        while self.all & ~alive:
            self.all ^= self.values.pop()


class Names:
    """The identifier of every value that is a variable."""

    def __init__(self, function: Function, variables: Variables, taken: set[str]) -> None:
        self.variables = variables
        self.identifiers: dict[Value, str] = {}  # by representative
        self.owners: dict[str, tuple[Live, Live]] = {}  # the values of an identifier, and what is alive as they are assigned
        self.variants: dict[str, list[str]] = {}  # of a name, as far as they were asked for
        self.numbers: dict[str, int] = {}  # and the last number
        self.blocked: dict[str, Blocked] = {}
        self.unused = UNUSED
        parameters = {value.name for value in function.values if value.name}
        self.taken = {*keyword.kwlist, *taken, UNUSED} - parameters
        while self.unused in parameters:
            self.unused += "_"
        self.users = parameters | {
            clean(v.name) for b in blocks_of(function.body) for v in _values(b) if v.name
        }
        loops = [op for op in ops_of(function.body) if isinstance(op, For)]
        self.counting = {variables.find(op.body.params[0]) for op in loops}
        self.recorded = self._recorded(function)
        self.temporaries = 0
        for value in function.values:
            self._give(variables.find(value), value.name or self.fresh())
        later = []
        for value in self._in_order(function.body):
            group = variables.find(value)
            if variables.name(group) == TAPE and group in self.recorded:
                later.append(group)
            else:
                self._choose(group)
        for group in later:
            self._choose(group, f"{self.identifiers[self.recorded[group]]}_tape")

    def __getitem__(self, value: Value) -> str:
        return self.identifiers[self.variables.find(value)]

    def by_value(self, function: Function) -> dict[Value, str]:
        """The identifiers of all values that have one."""
        blocks = blocks_of(function.body)
        defined = [*function.values, *(v for b in blocks for v in (*b.params, *(r for op in b.ops for r in op.results)))]
        groups = ((v, self.variables.find(v)) for v in defined)
        return {v: self.identifiers[group] for v, group in groups if group in self.identifiers}

    def fresh(self) -> str:
        """A name for a temporary, used nowhere else."""
        while True:
            self.temporaries += 1
            name = f"v{self.temporaries}"
            if name not in self.users and name not in self.taken:
                return name

    def _give(self, group: Value, identifier: str) -> None:
        self.identifiers[group] = identifier
        values, alive = self.owners.get(identifier, (0, 0))
        own = self.variables
        self.owners[identifier] = values | own.group(group), alive | own.alive.get(group, 0)

    def _recorded(self, function: Function) -> dict[Value, Value]:
        """The temporary that a tape holds, by the tape and by what is popped from it again, or unpacked then."""
        found: dict[Value, Value] = {}
        packed: dict[Value, list[Value]] = {}
        calls = [op for op in ops_of(function.body) if isinstance(op, Call)]
        for op in calls:
            if op.target == "builtins.tuple":
                packed[op.result] = op.args
            elif op.target == "list.append":
                tape, value = op.args
                if value in packed:
                    packed.setdefault(self.variables.find(tape), packed[value])
                elif (group := self._temporary(value)) is not None:
                    found.setdefault(self.variables.find(tape), group)
        for op in calls:
            if op.target == "list.pop" and not isinstance(op.args[0], LITERALS):
                tape = self.variables.find(op.args[0])
                if tape in found:
                    found[self.variables.find(op.result)] = found[tape]
                elif tape in packed:
                    packed[op.result] = packed[tape]
            elif op.target == "s2sad.unpack" and op.args[0] in packed:
                for value, item in zip(op.results, packed[op.args[0]], strict=False):
                    if (group := self._temporary(item)) is not None:
                        found[self.variables.find(value)] = group
        return found

    def _temporary(self, value: Value) -> Value | None:
        """The variable of a value that has no name of the user's."""
        if isinstance(value, LITERALS) or value in self.variables.folding.inline:
            return None
        group = self.variables.find(value)
        return group if self.variables.name(group) is None else None

    def _choose(self, group: Value, tape: str | None = None) -> None:
        if group in self.identifiers:
            return
        wanted = tape or self.variables.name(group)
        if wanted is not None:
            self._give(group, self._first_free(clean(wanted), group))
            return
        liked = [name for name in COUNTERS if name not in self.users] if group in self.counting else []
        if self.recorded.get(group) in self.identifiers:
            liked = [self.identifiers[self.recorded[group]]]
        self._give(group, next((name for name in liked if self._free(name, group)), None) or self.fresh())

    def _first_free(self, base: str, group: Value) -> str:
        """The first of ``x``, ``x_1``, ``x_2``, ... that is not one of the user's own and that a group may have.

        In an adjoint hundreds of values of one name are alive together. What was found taken for the last group still is while
        one value of each name is alive: from there on, names are tried.
        """
        blocked = self.blocked.setdefault(base, Blocked())
        alive = self.variables.alive.get(group, 0)
        blocked.keep(alive)
        while True:
            name = self._variant(base, len(blocked.values))
            value = self._holder(name, alive)
            if value is None:
                break
            blocked.add(value)
        more = (self._variant(base, k) for k in count(len(blocked.values)))
        return next(name for name in more if self._free(name, group))

    def _variant(self, base: str, k: int) -> str:
        names = self.variants.setdefault(base, [base])
        while len(names) <= k:
            number = self.numbers[base] = self.numbers.get(base, 0) + 1
            if (name := f"{base}_{number}") not in self.users:
                names.append(name)
        return names[k]

    def _holder(self, identifier: str, alive: Live) -> Live | None:
        """One of these values that has an identifier; none, as a set, where nobody may have it, and None if it may be free."""
        if identifier in self.taken:
            return 0
        found = self.owners.get(identifier, (0, 0))[0] & alive
        return found & -found or None

    def _free(self, identifier: str, group: Value) -> bool:
        if identifier in self.taken:
            return False
        values, alive = self.owners.get(identifier, (0, 0))
        return not (self.variables.alive.get(group, 0) & values or alive & self.variables.group(group))

    def _in_order(self, block: Block) -> Iterator[Value]:
        """All variables, as they appear in the text."""
        inline, bound, needed = (
            self.variables.folding.inline,
            self.variables.liveness.bound,
            self.variables.uses.needed,
        )
        for op in statements_of(block, inline):
            if isinstance(op, Call):
                yield from filter(bound, op.results)
            elif isinstance(op, Loop):
                yield from filter(bound, op.given)
                for inner in op.blocks():
                    yield from (value for value in inner.params if value in needed and value not in op.given)
                    yield from self._in_order(inner)
                yield from (value for value in op.results if value in needed)
            elif isinstance(op, Straight):
                for inner in op.blocks():
                    yield from self._in_order(inner)
                yield from (value for value in op.results if value in needed)


def _values(block: Block) -> Iterator[Value]:
    yield from block.params
    for op in block.ops:
        yield from (value for value in op.results if not isinstance(value, LITERALS))


@functools.lru_cache(maxsize=4096)
def clean(name: str) -> str:
    """A name as an identifier that is no keyword."""
    name = re.sub(r"\W", "_", name)
    name = name if name.isidentifier() else f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name
