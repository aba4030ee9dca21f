"""Arithmetic of adjoints and tangents in place: what is read for the last time makes room for what is computed of it.

Before::

    v1 = operator.mul(y_bar, c)               where nothing mentions y_bar any more
    w_bar = operator.matmul(x, v1)
    b_bar = numpy.sum(v1)

After::

    operator.setitem(y_bar, ..., operator.mul(y_bar, c))      y_bar *= c
    w_bar = operator.matmul(x, y_bar)
    b_bar = numpy.sum(y_bar)

It comes last of all: an array that is overwritten would have to be recorded where the program is differentiated again.
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.analysis.building import Owned
from s2sad.ir.kinds import Array, dtype_of
from s2sad.ir.nodes import LITERALS, SAME, Block, Call, Const, DerivativeName, Function, Op, Value
from s2sad.ir.walk import blocks_of, definers, substitute_all
from s2sad.optimize.memory_effects import is_proper_array
from s2sad.optimize.rewriting import is_derivative, is_float, keeps_border
from s2sad.rules.application import fits

COMMUTING = ("operator.add", "operator.mul")
TARGETS = (*COMMUTING, "operator.sub", "operator.truediv")


@keeps_border
def run(function: Function, memory: object = None) -> bool:
    """Compute in place; whether anything is."""
    work = _InPlace(function)
    for block in list(blocks_of(function.body)):
        work.block(block)
    for block, stores in work.stores.items():
        block.ops = [new for op in block.ops for new in stores.get(op, (op,))]
    substitute_all(function.body, work.table)
    return bool(work.table)


def _is_array(op: Call) -> bool:
    """Test for an array of floats that belongs to the derivative."""
    return op.callee is None and is_derivative(op) and is_proper_array(op.result.kind) and is_float(op.result.kind)


class _InPlace:
    """The changes to make. That an array ends there is asked of the program as it is: one that takes its place begins there."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.owned = Owned(function)
        self.maker = definers(function)
        self.table: dict[Value, Value] = {}
        self.stores: dict[Block, dict[Op, list[Op]]] = {}

    def block(self, block: Block) -> None:
        """Have results take the places of operands that are read there for the last time."""
        for at, op in enumerate(block.ops):
            if not isinstance(op, Call) or op.target not in TARGETS or not _is_array(op) or not self.stays(block, op.result):
                continue
            for k in (0, 1) if op.target in COMMUTING else (0,):
                old = op.args[k]
                if self.suits(block, old, op.result) and self.owned.ends(block, at, old):
                    self.put(block, op, old, op.args[1 - k])
                    break

    def stays(self, block: Block, value: Value) -> bool:
        """Test for a value that has a variable, since more than the next line reads it: other ones may be parts of that."""
        carried = block is not self.function.body and value in block.yields
        return self.owned.uses.get(value, 0) > 1 or carried or value in block.params

    def suits(self, block: Block, old: Value, new: Value) -> bool:
        """Test for a variable of the shape and dtype of the result, whose name may stay."""
        if isinstance(old, LITERALS) or not fits(new.kind, old.kind) or dtype_of(old.kind) != dtype_of(new.kind):
            return False
        if not self.stays(block, old) and old.name in (None, new.name):
            return False  # a part of this line
        return self.takes_name(old, new) or self.is_spent(old, new)

    def takes_name(self, old: Value, new: Value) -> bool:
        """Test for a variable of the derivative that has the name of the result, or a matrix where that has none."""
        maker = self.maker.get(old)
        own = (maker is None or is_derivative(maker)) and (old.name is None or isinstance(old.name, DerivativeName))
        return own and (new.name == old.name or new.name is None and _is_matrix(old))

    def is_spent(self, old: Value, new: Value) -> bool:
        """Test for a matrix of the user's, in the place of which its adjoint may be."""
        named = old.name is not None and isinstance(new.name, DerivativeName) and not isinstance(old.name, DerivativeName)
        return named and _is_matrix(old)

    def put(self, block: Block, op: Call, old: Value, other: Value) -> None:
        """``old = old + other``, in place; ``new = old; new = new + other`` where it has another name."""
        bound: list[Op] = []
        if not self.takes_name(old, op.result):
            bound = [replace(op, target=SAME, args=[old], results=[Value(old.kind, op.result.name)])]
        place = bound[0].result if bound else old
        new = replace(op, args=[place, other], results=[Value(op.result.kind, None)])
        store = replace(op, target="operator.setitem", args=[place, Const(...), new.result], results=[])
        self.stores.setdefault(block, {})[op] = [*bound, new, store]
        self.table[op.result] = place


def _is_matrix(value: Value) -> bool:
    """Test for an array of several axes, which may be large enough to be worth a name that says less."""
    return isinstance(value.kind, Array) and len(value.kind.shape or ()) > 1
