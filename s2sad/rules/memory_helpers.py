"""The runtime helpers that generated programs use on memory and containers."""

from __future__ import annotations

from s2sad.ir.kinds import NONE
from s2sad.rules import kind_rules
from s2sad.rules.registry import nothing, plain

plain("s2sad.runtime.add_into_items(items, index, bars)", kind=lambda _: NONE, writes=("items",))
plain("s2sad.runtime.add(a, b)", kind=kind_rules.like("a"))
plain("s2sad.runtime.last_written(bar, index)", kind=kind_rules.gathered)
plain("s2sad.runtime.window_of(window, base)", kind=kind_rules.like("window"), view="window")
plain("s2sad.runtime.add_items(items, index, bars)", kind=lambda _: NONE, writes=("items",))
nothing(["s2sad.runtime.assert_distinct(names, *arrays)"], kind=lambda _: NONE, zero=True, effect=True)
nothing(["s2sad.runtime.stop_gradient(x)"], kind=kind_rules.like("x"), zero=True, view="x", why="stop_gradient asks for none")
