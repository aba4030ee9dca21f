"""Derivative rules: the language in which they are written, the registry, and the tables."""
