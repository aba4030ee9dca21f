"""Effects of the helpers of ``s2sad.loop_runtime``: programs for compilation call them, after derivation.

They have no derivatives: a derivative is derived first, and its program is lowered to loops then.
"""

from __future__ import annotations

from s2sad.ir.kinds import FLOAT, INT, RANGE
from s2sad.rules import kind_rules
from s2sad.rules.registry import plain

LOOPS = "s2sad.loop_runtime."

for head in ("quotient(x, y)", "within(result, x, y=None)"):
    plain(f"{LOOPS}{head} -> fresh", kind=kind_rules.always(FLOAT))
for head in (
    "sum_of(x, y)", "difference_of(x, y)", "product_of(x, y)", "power_of(x, n)", "shifted(x, n)",
    "whole(x)", "stretched(n, m)", "step(n)", "at(i, n)", "ahead(i, n, items)", "deeper(depth)", "counted(items, i)",
):  # fmt: skip
    plain(f"{LOOPS}{head} -> fresh", kind=kind_rules.always(INT))
for head in ("common(n, m)", "inside(i, n)"):  # they raise, and are there for that alone
    plain(f"{LOOPS}{head} -> fresh; world", kind=kind_rules.always(INT))
for head in ("floor_quotient(x, y)", "remainder(x, y)", "least(x, y)", "greatest(x, y)", "select(c, x, y)"):
    plain(f"{LOOPS}{head} -> fresh")
for head in ("strong_zero(x, seed)", "sign(x)", "ge_share(x, y)", "safe_divide(x, y)", "ratio(x, y)", "power_dx(x, y)",
             "power_dy(x, p)", "sech2(x)", "heaviside(x, y)", "plus(x, y)", "exp(x)", "log(x)", "tanh(x)"):  # fmt: skip
    plain(f"{LOOPS}{head} -> fresh", kind=kind_rules.always(FLOAT))
plain(f"{LOOPS}popped(items, i) -> item(items); writes items")
plain(f"{LOOPS}none_of(sample) -> fresh")
plain(f"{LOOPS}strided(x) -> same(x)", kind=kind_rules.like("x"))
plain(f"{LOOPS}exact(x) -> fresh", kind=kind_rules.like("x"))
plain(f"{LOOPS}backwards(x) -> fresh", kind=kind_rules.always(RANGE))
for head in ("product(x, y)", "ties(x, extreme)", "gathered(items)", "largest_item(items)", "smallest_item(items)"):
    plain(f"{LOOPS}{head} -> fresh")
