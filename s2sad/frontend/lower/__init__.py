"""Lowering: from the normal form of a function's syntax tree to structured SSA."""
