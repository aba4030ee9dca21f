"""Derivative rules: the language in which they are written, the registry, and where the tables of libraries are found."""
