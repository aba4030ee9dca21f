"""Tapes of recursive functions hold each other, and so have no type: they become places in lists, one list for each thing
recorded.

    out, tape1 = f_forward(x, n - 1)            out, tape1 = f_forward(x, n - 1, n_records, v_records, tape_records)
    return out * v, (n, v, tape1)       ==>     tape = len(n_records)
                                                n_records.append(n); v_records.append(v); tape_records.append(tape1)
                                                return out * v, tape
    n, v, tape1 = tape                          n, v, tape1 = n_records[tape], v_records[tape], tape_records[tape]

The main function makes the lists, and hands them to all that need them. What some path doesn't record is a number or an array
that nobody reads. Where anything else is done with such a tape, or its parts have no type either, all stays as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import INT, UNKNOWN, Array, Kind, List, Scalar, Tuple
from s2sad.ir.nodes import (
    LITERALS,
    SAME,
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Loop,
    Op,
    Param,
    Undef,
    Value,
)
from s2sad.ir.unbound import is_absent
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.loops.arrays import dtype_told
from s2sad.loops.numbers import DTYPES, LOOPS
from s2sad.loops.paths import groups, insert, origins
from s2sad.rules import registry

ZEROS: dict[str | None, object] = {"float64": 0.0, "int64": 0, "bool": False}
ITEMS = {"list.append", "list.pop", "builtins.list", "operator.getitem"}
RANKS = 4  # of arrays, at most
Slot = tuple[Value, Hashable]


class Records:
    """The tapes of recursive functions of some programs, the main one among them. Values that may be the same form a class,
    ``root`` is its representative; ``slots``: what stands at each place of the tuples or lists of a class."""

    def __init__(self, functions: Sequence[Function], main: Function) -> None:
        self.functions = functions
        self.main = main
        self.parents: dict[Value, Value] = {}
        self.slots: dict[Slot, Value] = {}
        self.ops = [(function, op) for function in functions for op in ops_of(function.body)]
        self.makers: dict[Value, list[Call]] = {}
        self._classes()
        self.found = self._recursive()
        self.kinds: dict[Slot, Kind] = {}
        if not self._have_types():
            self.found = []

    def root(self, value: Value) -> Value:
        """The representative of a value's class."""
        while value in self.parents:
            value = self.parents[value]
        return value

    def _join(self, one: Value, other: Value) -> bool:
        if isinstance(one, LITERALS) or isinstance(other, LITERALS):
            return False
        one, other = self.root(one), self.root(other)
        if one is not other:
            self.parents[one] = other
        return one is not other

    def _classes(self) -> None:
        for _, op in self.ops:
            for value, origin, _block in origins(op):
                self._join(value, origin)
            if isinstance(op, Call) and op.callee is not None:
                for one, other in [*zip(op.callee.values, op.args, strict=False),
                                   *zip(op.results, op.callee.body.yields, strict=False)]:  # fmt: skip
                    self._join(one, other)
            elif isinstance(op, Call) and op.target in (SAME, "s2sad.runtime.stand_in"):
                self._join(op.result, op.args[0])
        parts = [part for _, op in self.ops for part in _parts(op)]
        changed = True
        while changed:
            changed = False
            self.slots = {}
            for whole, key, item in parts:
                if not isinstance(item, LITERALS):
                    changed |= self._join(self.slots.setdefault((self.root(whole), key), item), item)

    def _recursive(self) -> list[Value]:
        """The classes of tuples that hold tuples of the same class, perhaps in others."""
        inner: dict[Value, set[Value]] = {}
        for (whole, _), item in self.slots.items():
            inner.setdefault(whole, set()).add(self.root(item))
        for _, op in self.ops:
            if isinstance(op, Call) and op.target == "builtins.tuple":
                self.makers.setdefault(self.root(op.result), []).append(op)
        found: list[Value] = []
        for whole in self.makers:
            reached: set[Value] = set()
            pending = [whole]
            while pending:
                new = inner.get(pending.pop(), set()) - reached
                reached |= new
                pending += new
            if whole in reached:
                found.append(whole)
        return found

    # --- types

    def _have_types(self) -> bool:
        """Test that all that is recorded has a type, and that nothing else is done with the tapes."""
        for whole in self.found:
            sizes = {len(op.args) for op in self.makers[whole]}
            if len(sizes) != 1 or sizes == {0}:
                return False
            for k in range(*sizes):
                kind = self._kind((whole, k))
                if kind is None:
                    return False
                self.kinds[whole, k] = kind
        return all(self._is_usual(op) for _, op in self.ops)

    def _is_usual(self, op: Op) -> bool:
        mine = [v for v in (*op.operands(), *op.results) if not isinstance(v, LITERALS) and self.root(v) in self.found]
        if not mine or not isinstance(op, Call) or op.callee is not None or op.target in (SAME, "s2sad.unpack", "builtins.tuple"):
            return True
        tape = bool(op.args) and not isinstance(op.args[0], LITERALS) and self.root(op.args[0]) in self.found
        return op.target in ITEMS and not (tape and op.target != "operator.getitem")

    def _kind(self, slot: Slot) -> Kind | None:
        """The kind of what is recorded at a place; None of what has none."""
        whole, k = slot
        given = [op.args[k] for op in self.makers[whole] if not is_absent(op.args[k])]  # type: ignore[call-overload]
        kinds = [self._own(v) for v in given]
        first = kinds[0] if kinds else None
        if isinstance(first, Scalar) and all(isinstance(k, Scalar) and k.dtype == first.dtype for k in kinds):
            weak = all(k.weak for k in kinds if isinstance(k, Scalar))
            return Scalar(first.dtype, weak=weak) if first.dtype in ZEROS else None
        if isinstance(first, Array) and first.rank and first.rank <= RANKS and first.dtype in DTYPES:
            alike = all(isinstance(k, Array) and (k.dtype, k.rank) == (first.dtype, first.rank) for k in kinds)
            return Array(first.dtype, (None,) * first.rank) if alike else None
        return first if _has_sample(first) and all(k == first for k in kinds) else None

    def _own(self, value: Value) -> Kind:
        """The kind of a value, where tapes are places."""
        if not isinstance(value, LITERALS) and self.root(value) in self.found:
            return INT
        if isinstance(value, LITERALS) or not _holds_tapes(value.kind):
            return value.kind
        if type(value.kind) is List:
            item = self.slots.get((self.root(value), "item"))
            return List(self._own(item)) if item is not None else value.kind
        if isinstance(value.kind, Tuple):
            parts = [self.slots.get((self.root(value), k)) for k in range(len(value.kind.items))]
            own = [kind if part is None else self._own(part) for kind, part in zip(value.kind.items, parts, strict=True)]
            return replace(value.kind, items=tuple(own))
        return value.kind

    # --- rewriting

    def made_by(self) -> set[Op]:
        """The operations that make the tapes: parts of these may be unbound, as nobody reads them then."""
        return {op for whole in self.found for op in self.makers[whole]}

    def rewrite(self) -> None:
        """Have tapes be places, if there are any whose parts all have types."""
        if not self.found:
            return
        needed = self._needed()
        lists: dict[Function, dict[Slot, Value]] = {}
        names: dict[Slot, str] = {}
        for slot in self.kinds:
            name = f"{_name(self.slots.get(slot))}_records"
            names[slot] = name if name not in names.values() else f"{name}_{len(names)}"
        for function, slots in needed.items():
            lists[function] = {slot: Value(List(self.kinds[slot]), names[slot]) for slot in slots}
        self._fill_in()
        self._retype()
        for function, op in self.ops:
            if isinstance(op, Call) and op.callee in needed:
                op.args += [lists[function][slot] for slot in needed[op.callee]]
        for function in self.functions:
            for block in list(blocks_of(function.body)):
                for op in list(block.ops):
                    if isinstance(op, Call):
                        self._place(op, block, function, lists[function])
        for function, own in lists.items():
            if function is self.main:
                self._make(own)
            else:
                function.params += map(Param, own.values())

    def _needed(self) -> dict[Function, list[Slot]]:
        """The lists that each function needs: those of what it records or reads, and of what it calls."""
        touched: dict[Function, dict[Slot, None]] = {function: {} for function in self.functions}
        for _ in self.functions:
            for function, op in self.ops:
                if not isinstance(op, Call):
                    continue
                if op.callee is not None:
                    touched[function].update(touched[op.callee])
                whole = self._tape(op)
                touched[function].update({slot: None for slot in self.kinds if slot[0] is whole})
        return {function: list(slots) for function, slots in touched.items()}

    def _tape(self, op: Call) -> Value | None:
        """The class of the tape that a call makes, or takes apart."""
        if op.callee is not None or not op.args:
            return None
        takes = op.target in ("s2sad.unpack", "operator.getitem")
        tape = op.result if op.target == "builtins.tuple" else op.args[0] if takes else None
        root = None if tape is None or isinstance(tape, LITERALS) else self.root(tape)
        return root if root in self.found else None

    def _place(self, op: Call, block: Block, function: Function, lists: dict[Slot, Value]) -> None:
        whole = self._tape(op)
        if whole is None:
            return
        own = [lists[slot] for slot in self.kinds if slot[0] is whole]
        new: list[Call] = []
        if op.target == "builtins.tuple":
            new.append(Call(target="builtins.len", args=[own[0]], results=[op.result]))
            made = Block()
            b = Builder(made, registry.infer)
            for records, value in zip(own, op.args, strict=True):
                b.call("list.append", records, self._present(value, records.kind.item, b))  # type: ignore[attr-defined]
            new += [o for o in made.ops if isinstance(o, Call)]
        else:
            places = range(len(own)) if op.target == "s2sad.unpack" else [op.args[1].payload]  # type: ignore[attr-defined]
            for k, result in zip(places, op.results, strict=True):
                new.append(Call(target="operator.getitem", args=[own[k], op.args[0]], results=[result]))
        for made_op in new:
            made_op.loc, made_op.primal = op.loc, op.primal
            insert(function, block, op, made_op)
        at = block.ops.index(op)
        del block.ops[at]
        if block is function.body and function.reverse_at is not None and at < function.reverse_at:
            function.reverse_at -= 1

    def _make(self, lists: dict[Slot, Value]) -> None:
        start = Block()
        b = Builder(start, registry.infer)
        for slot, records in lists.items():
            sample = _sample(self.kinds[slot], b)
            b.append(Call(target=f"{LOOPS}none_of", args=[sample], results=[records]))
        body = self.main.body
        body.ops[:0] = start.ops
        if self.main.reverse_at is not None:
            self.main.reverse_at += len(start.ops)

    # --- what is not there

    def _present(self, value: Value, kind: Kind, b: Builder) -> Value:
        return _sample(kind, b) if is_absent(value) else value

    def _fill_in(self) -> None:
        """Have what paths do not record be of the type of what others do."""
        kinds = {self.root(item): self.kinds[slot] for slot, item in self.slots.items() if slot in self.kinds}
        for function, op in self.ops:
            for values, block in _handed(op):
                for k, value in enumerate(values):
                    own = groups(op)[0][k] if k < len(groups(op)[0]) else None
                    kind = kinds.get(self.root(own)) if own is not None else None
                    if kind is None or isinstance(value, Undef) or not is_absent(value):
                        continue
                    made = Block()
                    values[k] = _sample(kind, Builder(made, registry.infer))
                    for new in made.ops:
                        insert(function, block or _home(function, op), None if block else op, new)

    def _retype(self) -> None:
        for function in self.functions:
            params = [value for block in blocks_of(function.body) for value in block.params]
            results = [value for op in ops_of(function.body) for value in op.results]
            for value in (*function.values, *params, *results):
                value.kind = self._own(value)


def _parts(op: Op) -> Iterable[tuple[Value, Hashable, Value]]:
    """The parts of tuples and lists that an operation tells of: the whole, the place and the part."""
    if isinstance(op, For) and isinstance(op.iterable.kind, List):
        yield op.iterable, "item", op.body.params[0]
    if not isinstance(op, Call) or op.callee is not None:
        return
    if op.target == "builtins.tuple":
        yield from ((op.result, k, value) for k, value in enumerate(op.args))
    elif op.target == "s2sad.unpack":
        yield from ((op.args[0], k, value) for k, value in enumerate(op.results))
    elif op.target == "operator.getitem" and isinstance(op.args[0].kind, List | Tuple):
        listed = isinstance(op.args[0].kind, List)
        if listed or isinstance(op.args[1], Const):
            yield op.args[0], "item" if listed else op.args[1].payload, op.result  # type: ignore[attr-defined]
    elif op.target == "list.append":
        yield op.args[0], "item", op.args[1]
    elif op.target == "list.pop":
        yield op.args[0], "item", op.result
    elif op.target == "builtins.list":
        yield from ((op.result, "item", value) for value in op.args)


def _handed(op: Op) -> Iterable[tuple[list[Value], Block | None]]:
    """The values that paths hand over, and the block at whose end; None: before the operation."""
    if isinstance(op, If):
        yield from ((block.yields, block) for block in op.blocks())
    elif isinstance(op, Loop):
        yield op.init, None


def _home(function: Function, op: Op) -> Block:
    return next(block for block in blocks_of(function.body) if op in block.ops)


def _name(value: Value | None) -> str:
    return (value.name if value is not None else None) or "v"


def _holds_tapes(kind: Kind) -> bool:
    """Presence of something untyped in a kind."""
    if isinstance(kind, Tuple):
        return any(map(_holds_tapes, kind.items))
    return kind == UNKNOWN or (type(kind) is List and _holds_tapes(kind.item))


def _has_sample(kind: Kind | None) -> bool:
    if isinstance(kind, Tuple) and kind.cls is None and not kind.listed:
        return bool(kind.items) and all(map(_has_sample, kind.items))
    if isinstance(kind, List) and not kind.keyed:  # of arrays: Numba tells lists apart by how these lie
        return isinstance(kind.item, Scalar | List) and _has_sample(kind.item)
    if isinstance(kind, Array):
        return kind.dtype in DTYPES and bool(kind.rank) and (kind.rank or 0) <= RANKS
    return isinstance(kind, Scalar) and kind.dtype in ZEROS


def _sample(kind: Kind, b: Builder) -> Value:
    """Any value of a kind."""
    if isinstance(kind, Tuple):
        return b.call("builtins.tuple", *[_sample(item, b) for item in kind.items])
    if isinstance(kind, List):
        found = Value(kind)
        b.append(Call(target=f"{LOOPS}none_of", args=[_sample(kind.item, b)], results=[found]))
        return found
    if isinstance(kind, Array):
        assert kind.rank
        made, found = Value(kind), Value(kind)
        shape = Const(0) if kind.rank == 1 else Const((0,) * kind.rank)
        b.append(Call(target="numpy.empty", args=[shape], kwargs=dtype_told(kind), results=[made]))
        b.append(Call(target=f"{LOOPS}strided", args=[made], results=[found]))
        return found
    assert isinstance(kind, Scalar)
    return Const(ZEROS[kind.dtype or ""])
