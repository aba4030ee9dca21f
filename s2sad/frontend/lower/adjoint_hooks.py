"""``with adjoint_of(x) as x_bar: ...``: the user's code in the reverse sweep.

Before::

    with s2sad.adjoint_of(x) as x_bar:
        x_bar = np.clip(x_bar, -c, c)

After (``x`` itself, whose adjoint passes through the function on its way back)::

    def x_hook(x_bar, c):
        v1 = operator.neg(c)
        v2 = numpy.clip(x_bar, v1, c)
        return v2

    x = s2sad.hooked(x, x_hook, c)

The body is lowered where it stands, so that it sees the variables of this place. What it reads of them are further
parameters of the function.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from s2sad.frontend.entities import Entity, Top
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.handed_over import captured_function
from s2sad.frontend.lower.state import Key, Lowering
from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, is_differentiable, same_size
from s2sad.ir.nodes import LITERALS, Block, Call, Function, FunctionRef, Value
from s2sad.ir.walk import substitute_all

THERE = "it belongs to the reverse sweep, which runs later"


def enter(ctx: Lowering, item: gast.withitem, body: Callable[[], None]) -> None:
    """Lower the body into a function, and have the adjoint of the variable pass through it."""
    node, target = item.context_expr, item.optional_vars
    if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], gast.Name) or not isinstance(target, gast.Name):
        ctx.refuse(node, "this adjoint_of", "it takes a variable, and names its adjoint", "with adjoint_of(x) as x_bar:")
    x = lower(ctx, node.args[0])
    if not isinstance(x, Value) or isinstance(x, LITERALS) or not isinstance(x.kind, Array | Scalar) and x.kind != UNKNOWN:
        ctx.refuse(node, "adjoint_of this value", "only numbers and arrays have one adjoint", "a variable for one part")
    if not is_differentiable(x.kind):
        ctx.refuse(node, f"adjoint_of({node.args[0].id})", "integers and booleans have none", "a real variable")
    bar, loc = Value(x.kind, target.id), ctx.builder.loc
    block = Block()
    before = dict(ctx.variables)
    ctx.variables[(ctx.frame, target.id)] = bar
    with ctx.builder.inside(block):
        body()
        result = ctx.value(ctx.variables[(ctx.frame, target.id)], node, "the adjoint")
        if not _same_shape(result.kind, x.kind):
            result = ctx.builder.call("s2sad.runtime.seed", result, bar)
    _leave(ctx, before)
    block.yields = [result]
    hook, captured = captured_function(f"{node.args[0].id}_hook", [bar], block)
    if ctx.program.writes(hook):
        _copy_first(hook, bar)
    if ctx.program.writes(hook):
        ctx.refuse(node, "this body", f"it writes into variables of the function, and {THERE}", "a copy")
    op = Call(target="s2sad.hooked", args=[x, FunctionRef(hook), *captured], results=[Value(x.kind, x.name)], loc=loc)
    ctx.builder.append(op)
    for key, entity in ctx.variables.items():
        if entity is x:
            ctx.variables[key] = op.result


def _leave(ctx: Lowering, before: dict[Key, Entity]) -> None:
    """The end of the body's names: they cannot be used after it, as its statements run later."""
    for key, entity in ctx.variables.items():
        if before.get(key) is not entity:
            ctx.variables[key] = Top(THERE)


def _same_shape(a: Kind, b: Kind) -> bool:
    """Certainty that values of two kinds have one shape."""
    if not isinstance(a, Array) or not isinstance(b, Array) or a.shape is None or b.shape is None:
        return isinstance(a, Scalar) and isinstance(b, Scalar)
    return len(a.shape) == len(b.shape) and all(map(same_size, a.shape, b.shape))


def _copy_first(hook: Function, bar: Value) -> None:
    """Have a body that writes into the adjoint write into its own copy."""
    own = Value(bar.kind, bar.name)
    substitute_all(hook.body, {bar: own})
    hook.body.ops.insert(0, Call(target="numpy.copy", args=[bar], results=[own]))
