"""Arrays filled with one number: the number takes the array's place wherever NumPy broadcasts it anyway.

Before::

    v1 = numpy.full_like(x, out_bar)           v4 = operator.getitem(v1, 1:-1)
    v2 = operator.mul(2.0, v1)                 s2sad.additem(a, 1:-1, v4)
    x_bar = operator.mul(v2, x)

After::

    v2 = operator.mul(2.0, out_bar)            s2sad.additem(a, 1:-1, out_bar)
    x_bar = operator.mul(v2, x)

Such arrays come from the adjoints of sums. What is left of them is used for its shape, and mostly nothing is.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array, Scalar, dtype_of, promote
from s2sad.ir.nodes import Block, Call, Function, Value
from s2sad.optimize.memory import STORES, Memory
from s2sad.optimize.rewriting import insert, is_float, keeps_border
from s2sad.rules import registry
from s2sad.rules.application import fits

# Calls that only arrange the items of their first argument anew, some perhaps more than once, or leave some out.
ARRANGING = {"operator.getitem", "ndarray.T", "numpy.transpose", "numpy.flip", "numpy.reshape", "numpy.ravel",
             "numpy.squeeze", "numpy.expand_dims", "numpy.swapaxes", "numpy.moveaxis", "numpy.broadcast_to"}  # fmt: skip
ELEMENTWISE = {"operator.add", "operator.sub", "operator.mul", "operator.truediv"}
SCALING = {"operator.add", "operator.sub", "operator.mul"}


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Use the numbers that arrays are filled with."""
    found = _Fills(memory or Memory(function))
    found.block(function.body)
    insert(function, found.before)
    return found.changed


class _Fills:
    """One walk over a function, in order."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.maker: dict[Value, Call] = {}
        self.before: dict[object, list[object]] = {}
        self.changed = False

    def block(self, block: Block) -> None:
        """Rewrite the calls of a block and of those nested in it."""
        for op in block.ops:
            if isinstance(op, Call) and op.callee is None:
                self.changed |= self.call(op)
                if len(op.results) == 1:
                    self.maker[op.result] = op
            for inner in op.blocks():
                self.block(inner)
