"""Traits of Python's operators and functions, which passes ask for besides their rules (``rules/traits.py``)."""

from __future__ import annotations

from s2sad.rules.traits import have

have("arranges", "operator.getitem")
have("moves", "operator.getitem")
have("tells sizes", "builtins.len")
have("reads well in place", "builtins.slice builtins.tuple builtins.range builtins.len s2sad.items")
have("commutes", "operator.add operator.mul")
have("odd by 0", "operator.mul operator.truediv operator.matmul operator.getitem")
have("odd by 1", "operator.mul operator.matmul")
have("not negative", "math.exp builtins.abs")
have("square root", "math.sqrt")
have("steep", "math.sqrt math.cbrt math.asin math.acos math.acosh math.atan2")
have("multiplies", "operator.mul")
have("shares", "builtins.max builtins.min")
have("steep in the base", "operator.pow builtins.pow math.pow")
have("one of a kind", "builtins.list builtins.reversed builtins.zip builtins.enumerate builtins.iter builtins.map")
have("one of a kind", "builtins.filter builtins.id")
have("tells apart", "operator.is_ operator.is_not builtins.id")
have("orders", "operator.lt operator.le operator.gt operator.ge")
