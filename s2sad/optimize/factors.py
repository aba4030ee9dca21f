"""Powers of two stand first in products, with numbers, and before inner products; in derivatives.

Before::

    v1 = operator.mul(c, x)                       v1 = operator.mul(2, u_dot)
    x_bar = operator.mul(2.0, v1)                 v2 = numpy.vdot(v1, u)

After::

    v1 = operator.mul(2.0, c)                     v1 = numpy.vdot(u_dot, u)
    x_bar = operator.mul(v1, x)                   v2 = operator.mul(2, v1)

An array is multiplied once, or not at all. Products by powers of two are exact within the range of floats; what leaves it, as
``2.0 * 1e308``, has left it sooner then.
"""

from __future__ import annotations

from s2sad.ir.nodes import Function
from s2sad.optimize.algebra import arrange_factors
from s2sad.optimize.memory_effects import Memory


def run(function: Function, memory: Memory | None = None) -> bool:
    """Arrange factors; again for what that leaves to gather."""
    memory = memory or Memory(function)
    changed = arrange_factors(function, memory)
    return changed and (arrange_factors(function, memory) or True)
