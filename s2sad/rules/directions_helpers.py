"""The runtime helpers of programs for several directions at once. Such programs are not differentiated again."""

from __future__ import annotations

from s2sad.ir.kinds import INT
from s2sad.rules import kind_rules
from s2sad.rules.registry import nothing, plain

plain("s2sad.runtime.seeds(bars, out)", kind=kind_rules.like("bars"), effects="same(bars)")
plain("s2sad.runtime.broadcast_like_each(x, like)", effects="view(x)?")
plain("s2sad.runtime.unbroadcast_each(bars, like)", effects="view(bars)?")
nothing(["s2sad.runtime.directions_of(seeds)"], kind=lambda _: INT, zero=True)
nothing(["s2sad.runtime.zeros_each(x, count)"], zero=True)

plain("s2sad.runtime.stacked(results)", effects="fresh")
