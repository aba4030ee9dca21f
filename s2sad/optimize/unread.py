"""Arguments that a call is given for its derivative's sake alone are dropped once the derivatives are made.

Before::

    x = s2sad.libraries.scipy.runtime.minimum_of(objective, x0, c, slope=objective_gradient)

After::

    x = s2sad.libraries.scipy.runtime.minimum_of(objective, x0, c)
"""

from __future__ import annotations

from s2sad.ir.nodes import Call, Function
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.functionals import Functional


def run(function: Function) -> None:
    """Drop functions that only rules read."""
    for op in ops_of(function.body):
        primitive = registry.lookup(op.target) if isinstance(op, Call) and op.callee is None else None
        if isinstance(op, Call) and primitive is not None and isinstance(primitive.derivative, Functional):
            op.kwargs.pop(primitive.derivative.given, None)
