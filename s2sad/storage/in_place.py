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
from s2sad.ir.nodes import LITERALS, SAME, Block, Call, Const, DerivativeName, Function, Value
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
        for op in [op for op in block.ops if isinstance(op, Call) and op.target in TARGETS and _is_array(op)]:
            work.reuse(block, op)
    return work.changed


def _is_array(op: Call) -> bool:
    """Test for an array of floats that belongs to the derivative."""
    return op.callee is None and is_derivative(op) and is_proper_array(op.result.kind) and is_float(op.result.kind)


class _InPlace:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.owned = Owned(function)
        self.maker = definers(function)
        self.changed = False

    def reuse(self, block: Block, op: Call) -> None:
        """Have the result of an operation take the place of an operand that is read there for the last time."""
        if not self.stays(block, op.result):
            return
        at = block.ops.index(op)
        for k in (0, 1) if op.target in COMMUTING else (0,):
            old = op.args[k]
            if self.suits(block, old, op.result) and self.owned.ends(block, at, old):
                self.put(block, at, old, op.args[1 - k])
                return

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

    def put(self, block: Block, at: int, old: Value, other: Value) -> None:
        """``old = old + other``, in place; ``new = old; new = new + other`` where it has another name."""
        op = block.ops[at]
        assert isinstance(op, Call)
        place = old if self.takes_name(old, op.result) else Value(old.kind, op.result.name)
        new = replace(op, args=[place, other], results=[Value(op.result.kind, None)])
        store = replace(op, target="operator.setitem", args=[place, Const(...), new.result], results=[])
        block.ops[at : at + 1] = [new, store]
        if place is not old:
            block.ops.insert(at, replace(op, target=SAME, args=[old], results=[place]))
        substitute_all(self.function.body, {op.result: place})
        uses = self.owned.uses
        uses[place] = uses.get(place, 0) + uses.get(op.result, 0) + 1
        self.changed = True


def _is_matrix(value: Value) -> bool:
    """Test for an array of several axes, which may be large enough to be worth a name that says less."""
    return isinstance(value.kind, Array) and len(value.kind.shape or ()) > 1
