"""Python itself: its operators and built-in functions, ``math``, ``cmath``, dicts and sequences."""

MODULES = (
    "__future__", "abc", "bisect", "builtins", "cmath", "collections", "collections.abc", "contextlib", "copy",
    "dataclasses", "decimal", "enum", "fractions", "functools", "heapq", "itertools", "logging", "math", "numbers", "operator",
    "queue", "random", "statistics", "struct", "time", "types", "typing", "warnings",
)  # fmt: skip
SETTINGS = ("logging", "time", "warnings")
