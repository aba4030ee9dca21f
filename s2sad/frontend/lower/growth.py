"""Lists and dicts that change while a program runs over them: their length is asked again for each item, as Python does.

    for a in xs:                      k = 0
        if a > 1.0:             ==>   while k < len(xs):
            xs.append(a / 2)              a = xs[k]
                                          k = k + 1
                                          if a > 1.0: ...

Most loops change nothing that they run over, and count. So each length that decides how often a loop runs is watched:
``analysis.iterating`` says where its list may change before the loop has ended, and the program is lowered again with a
loop that asks. What no such loop is known for is refused there.
"""

from __future__ import annotations

import gast

from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Call, Const, Value


def grows(ctx: Lowering, node: gast.AST) -> bool:
    """Test for a place where what is run over has turned out to change on the way."""
    return ctx.place(node) in ctx.program.growing


def watch(ctx: Lowering, items: Value, node: gast.AST, whole: bool = False) -> None:
    """Rely on the length of ``items`` until the loops that it decides about have ended; ``whole``: on the items, too."""
    for op in reversed(ctx.builder.block.ops):
        if isinstance(op, Call) and op.args and op.args[0] is items and op.target in ("builtins.len", "s2sad.runtime.keys_of"):
            op.relied = (*op.relied, (ctx.place(node), whole))
            return


def has(ctx: Lowering, items: Value, index: Value) -> Value:
    """Presence of an item at this index now, asked in the program."""
    return arithmetic(ctx, "operator.lt", index, ctx.builder.call("builtins.len", items))


def unchanged(ctx: Lowering, items: Value, length: Value) -> None:
    """The check that Python makes of a dict before it gives the next item."""
    from s2sad.frontend.lower import control

    def fail() -> None:
        error = ctx.builder.call("builtins.RuntimeError", Const("dictionary changed size during iteration"))
        ctx.builder.call("s2sad.raise", error)

    now = ctx.builder.call("builtins.len", items)
    control.branch(ctx, arithmetic(ctx, "operator.ne", now, length), fail, lambda: None, ctx.frame.source.node)
