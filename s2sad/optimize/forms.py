"""Forms: values of unknown kind that certainly have the same type, shape and dtype, whatever these are.

    z = np.sin(x * y)                 {x, y}, by NumPy
    g = spread(out_bar, z)            that of z
    g * np.cos(x * y)                 again: what is summed to the shape of z has it already

A form is a set of sources, which arithmetic broadcasts and promotes; literal numbers add nothing. Windows of equal forms are
equal where their indices leave as many items (``u[:-2]`` and ``u[1:-1]``). Of what differs from one iteration to the next
nothing is known but what it adds nothing to, and of what may be a list that grows nothing.

    m = 0.0                           a number at first, then {x}
    for _ in range(n):
        m = 0.9 * m + x               {x}, in any case
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from s2sad.analysis.axes import count_left
from s2sad.analysis.shapes import shaped_as
from s2sad.analysis.tapes import tapes_of
from s2sad.ir.kinds import Array, Scalar, dtype_of
from s2sad.ir.nodes import Block, Call, Const, Function, Loop, Op, Straight, Value
from s2sad.ir.walk import definers, ops_of
from s2sad.optimize.memory_effects import Memory
from s2sad.rules import registry
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import having

PRECISIONS = ("float32", "float64", "complex64", "complex128")
OPERATORS = {"operator.add", "operator.sub", "operator.mul", "operator.truediv", "operator.neg", "operator.pos"}
NUMPY, BUFFER = "numpy", "buffer"  # tags: a number is NumPy's; it is an array without axes
RUNTIME = "s2sad.runtime."
HAVING = {  # the argument whose form the result has
    **{RUNTIME + name: (1, None) for name in ("unbroadcast", "seed")},
    **{RUNTIME + name: (0, None) for name in ("zeros", "stand_in")},
    RUNTIME + "buffer_for": (0, BUFFER), RUNTIME + "spread": (1, NUMPY),
    RUNTIME + "matmul_adjoint_x": (1, None), RUNTIME + "matmul_adjoint_y": (2, None),
}  # fmt: skip
Form = frozenset[Any]


class Forms:
    """The forms of the values of one function."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.definer = definers(function)
        self.recorded = {tape.pop: tape.recorded for tape in tapes_of(function) if not tape.counts}
        calls = [op for op in ops_of(function.body) if isinstance(op, Call)]
        self.growing = {node for op in calls if not self.keeps_shapes(op) for node in memory.own_writes(op)}
        self.table: dict[Value, Form] = {value: frozenset([value]) for value in function.values}
        self.changing: dict[Op, set[int]] = {}
        self.bounds: dict[Any, Form] = {}  # the form to which what a loop carries adds nothing
        self.unbounded: set[Value] = set()
        self.visible: set[Value] = {*function.values}  # where the walk is
        self.block(function.body)

    def same(self, value: Value, like: Value) -> bool:
        """Certainty that two values have the same form; Python's own numbers may be of several types."""
        form = _bare(self.of(value))
        return bool(form) and form == _bare(self.of(like))

    def of(self, value: Value) -> Form:
        """The form of a value."""
        if isinstance(value, Const):
            return frozenset() if type(value.payload) in (int, float) else frozenset([object()])
        if isinstance(value.kind, Scalar) and value.kind.weak and value.kind.is_of("bif"):
            return frozenset()
        if not isinstance(value.kind, Array) and not self.memory.reach(value).isdisjoint(self.growing):
            return frozenset([object()])
        found = self.table.get(value)
        return frozenset([value]) if found is None else found

    def keeps_shapes(self, op: Call) -> bool:
        """Test for an operation that writes into what keeps its shape: it is an array, as lists have no such index."""
        if op.callee is not None or op.target != "operator.setitem":
            return False
        index = op.args[1]
        return isinstance(index, Const) and index.payload is ... or self.leaves_an_axis(index)

    def leaves_an_axis(self, index: Value) -> bool:
        """Test for an index that lists refuse, and that leaves an axis: a tuple with a slice."""
        if isinstance(index, Const):
            return isinstance(index.payload, tuple) and any(isinstance(part, slice) for part in index.payload)
        op = self.definer.get(index)
        parts = op.args if isinstance(op, Call) and op.callee is None and op.target == "builtins.tuple" else ()
        return any(self.is_slice(part) for part in parts)

    def is_slice(self, part: Value) -> bool:
        """Test for a part of an index that is a slice."""
        if isinstance(part, Const):
            return isinstance(part.payload, slice)
        op = self.definer.get(part)
        return isinstance(op, Call) and op.target == "builtins.slice"

    # --- the walk

    def block(self, block: Block) -> None:
        """Note the results of the operations of a block."""
        self.visible.update(block.params)
        for op in block.ops:
            if isinstance(op, Call):
                if len(op.results) == 1:
                    form = self.call(op)
                    self.table[op.result] = frozenset([op.result]) if form is None else form
            elif isinstance(op, Straight):
                for inner in op.blocks():
                    self.block(inner)
                for result, one, *others in zip(op.results, *(inner.yields for inner in op.blocks()), strict=True):
                    alike = all(self.of(one) == self.of(other) for other in others)
                    self.table[result] = self.of(one) if alike else frozenset([result])
            elif isinstance(op, Loop):
                self.loop(op)
            else:
                for inner in op.blocks():
                    self.block(inner)
            self.visible.update(op.results)
        self.visible.difference_update(block.params, *(op.results for op in block.ops))

    def loop(self, op: Loop) -> None:
        """Forms of what a loop carries: one if that of the start is left as it is; else one that nothing else has."""
        given = [self.of(value) for value in op.init]
        changing = self.changing.setdefault(op, set())  # in an outer loop's next round no less
        while True:
            for params in (op.carried, *(test.params for test in op.tests)):
                for k, param in enumerate(params):
                    self.table[param] = frozenset([param]) if k in changing else given[k]
            for block in op.blocks():
                self.block(block)
            forms = [self.of(value) for value in op.carried_yields]
            found = {k for k, form in enumerate(forms) if k not in changing and form != given[k]}
            if not self.bound(op, found, given, forms) and not found:
                break
            changing |= found
        for k, result in enumerate(op.results):
            self.table[result] = frozenset([result]) if k in changing or k >= len(given) else given[k]
            self.bounds.pop(result, None)
            if k < len(given) and (limit := self.bounds.get(op.carried[k])) is not None:
                self.bounds[result] = limit

    def bound(self, op: Loop, found: set[int], given: list[Form], forms: list[Form]) -> bool:
        """Bound what a loop carries by what it becomes, if that is made of what the loop finds; a change of these bounds."""
        limits = [self.most(one | other) for one, other in zip(given, forms, strict=True)]
        wrong = {k for k, v in enumerate(op.carried) if v in self.bounds and not limits[k] <= self.bounds[v]}
        for k in wrong:
            del self.bounds[op.carried[k]]
            self.unbounded.add(op.carried[k])
        for k in found:
            if op.carried[k] not in self.unbounded and self.is_visible(limits[k]):
                self.bounds[op.carried[k]] = limits[k]
        return bool(wrong)

    def most(self, form: Form) -> Form:
        """A form to which another one adds nothing, in terms of what has no bound itself."""
        return frozenset[Any]().union(*(self.bounds.get(atom, (atom,)) for atom in form))

    def is_visible(self, part: Any) -> bool:
        """Test for a form, or a part of one, of what is defined where the walk is."""
        if isinstance(part, frozenset | tuple):
            return all(map(self.is_visible, part))
        return part in self.visible if isinstance(part, Value) else type(part) is not object

    def together(self, forms: Iterable[Form]) -> Form:
        """The form to which NumPy stretches and promotes."""
        found = frozenset[Any]().union(*forms)
        for atom in found & self.bounds.keys():
            if self.bounds[atom] <= found - {atom}:
                found -= {atom}
        return found - {NUMPY} if any(map(_has_axes, found)) else found

    def call(self, op: Call) -> Form | None:
        """The form of a result, None where only itself has it."""
        if op in self.recorded:
            return self.of(self.recorded[op])
        if op.callee is not None or op.kwargs:
            return None
        if op.target in HAVING:
            place, tag = HAVING[op.target]
            return self.of(op.args[place]) | ({tag} if tag else set()) if place < len(op.args) <= 4 else None
        alike = op.target in having("copies") or shaped_as(op.target) == 0 and op.target in having("makes zeros")
        if alike and len(op.args) == 1 and not op.kwargs:
            return self.of(op.args[0]) | {BUFFER}
        if op.target == "operator.getitem":
            index = self.parts(op.args[1])
            return None if index is None else frozenset([("window", _bare(self.of(op.args[0])), index)])
        if keeps_dtype(op):
            by_numpy = op.target.startswith(("numpy.", RUNTIME))
            return self.together([frozenset([NUMPY] if by_numpy else ()), *map(self.of, op.args)])
        if op.target == RUNTIME + "add" and len(op.args) == 2:
            terms = [*map(self.of, op.args)]
            both = self.together(terms)
            return both if both in terms else None
        return None

    # --- indices

    def parts(self, index: Value) -> Hashable | None:
        """Equal for indices that leave as many items of equal arrays, or give one item."""
        sure = self.leaves_an_axis(index)
        if isinstance(index, Const):
            whole = index.payload if isinstance(index.payload, tuple) else (index.payload,)
            return sure, tuple(_left(part, sure) for part in whole)
        op = self.definer.get(index)
        if isinstance(op, Call) and op.callee is None and op.target == "builtins.tuple" and not op.kwargs:
            return sure, tuple(self.part(part) for part in op.args)
        made = isinstance(op, Call) and op.target == "builtins.slice"
        return None if self.memory.mutable(index) else (sure, (self.part(index) if made else index,))

    def part(self, part: Value) -> Hashable:
        """The same of one part of an index."""
        if isinstance(part, Const):
            return _left(part.payload, True)
        op = self.definer.get(part)
        if isinstance(op, Call) and op.callee is None and op.target == "builtins.slice" and not op.kwargs:
            return "slice", *((type(a.payload), a.payload) if isinstance(a, Const) else a for a in op.args)
        return object() if self.memory.mutable(part) else part


def _has_axes(atom: Any) -> bool:
    """Certainty of an array with axes."""
    return isinstance(atom, Value) and isinstance(atom.kind, Array) and bool(atom.kind.shape)


def _left(part: Any, of_array: bool) -> Hashable:
    if isinstance(part, slice):
        return count_left(part)
    if type(part) is int:
        return "item" if of_array else ("item", part)
    return "literal", repr(part)


def _bare(form: Form) -> Form:
    """A form without the tags that only tell numbers apart, where something in it has an axis."""
    sure = any(isinstance(atom, tuple) and atom[0] == "window" and atom[2][0] for atom in form)
    return form - {NUMPY, BUFFER} if sure else form


_keeping: dict[Hashable, bool] = {}


def keeps_dtype(op: Call) -> bool:
    """Test for a result with the promoted dtype of the arguments, whatever they are, and of their shapes, broadcast."""
    if op.callee is not None or op.kwargs:
        return False
    if op.target in OPERATORS or _is_whole_power(op):
        return True
    return op.target.startswith(("numpy.", RUNTIME)) and _function_keeps_dtype(op)


def _is_whole_power(op: Call) -> bool:
    """Test for a power whose exponent is a literal that is whole and not negative."""
    exponent = op.args[1] if op.target == "operator.pow" else None
    return isinstance(exponent, Const) and type(exponent.payload) is int and exponent.payload >= 0


def _function_keeps_dtype(op: Call) -> bool:
    primitive = registry.lookup(op.target)
    if primitive is None or not isinstance(primitive.derivative, Elementwise):
        return False
    if any(isinstance(a, Const) and type(a.payload) not in (int, float) for a in op.args):
        return False
    key = op.target, tuple((type(a.payload), a.payload) if isinstance(a, Const) else None for a in op.args)
    if key not in _keeping:
        _keeping[key] = all(_keeps(op, dtype) for dtype in PRECISIONS)
    return _keeping[key]


def _keeps(op: Call, dtype: str) -> bool:
    args = [a if isinstance(a, Const) else Value(Array(dtype, (None,))) for a in op.args]
    return dtype_of(registry.infer(Call(target=op.target, args=args, loc=op.loc))) == dtype
