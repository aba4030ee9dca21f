"""Python itself: its operators and built-in functions, ``math``, ``cmath``, dicts and sequences."""

MODULES = (
    "__future__", "abc", "bisect", "builtins", "cmath", "collections", "collections.abc", "copy", "dataclasses",
    "decimal", "enum", "fractions", "functools", "heapq", "itertools", "math", "numbers", "operator", "statistics",
    "struct", "types", "typing", "warnings",
)  # fmt: skip
