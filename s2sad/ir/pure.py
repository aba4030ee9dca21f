"""Computation at compile time: a short table of pure functions, by identity, on small literals.

A program that is transformed says what would be computed, and how much: ``9**9**9`` and ``(1, 2, 3) * 10**9`` are one line.
So nothing is called that is not in the table, arguments and results are small, and the size of a result is known before.
What is not computed here is left to the program when it runs.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

MAX_BITS = 4096  # of an integer; some 1,200 digits
MAX_LENGTH = 10_000  # of a string, a tuple or a set
MAX_WORK = 1_000_000  # characters that a method of a string may go through
OPERATORS = {
    f"operator.{name}": getattr(operator, name)
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "not_", "invert", "and_", "or_", "xor",
        "lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge", "is_", "is_not", "contains", "getitem",
    )
}  # fmt: skip
METHODS = {  # of strings
    name: getattr(str, name)
    for name in (
        "capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "format", "index", "isalnum", "isalpha",
        "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle",
        "isupper", "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex",
        "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
        "zfill",
    )
}  # fmt: skip
# What a template may not ask for: widths and precisions of more than three digits, or that are computed; attributes; items.
TEMPLATE = re.compile(r"\d{4}|\*|\{[^{}]*[.\[{][^{}]*[!}{]|%\(")
TYPES = (bool, int, float, complex, str, bytes, tuple, list, frozenset, range, slice, type(None), type(...))


def is_small(value: object) -> bool:
    """Test for a literal of a type and size that is computed with."""
    if type(value) is int:
        return value.bit_length() <= MAX_BITS
    if isinstance(value, str | bytes):
        return len(value) <= MAX_LENGTH
    if type(value) in (tuple, list, frozenset):
        return _leaves(value, MAX_LENGTH) >= 0
    return type(value) in TYPES


def _leaves(value: Any, left: int) -> int:
    """The number of leaves that a structure might have more; below zero where there are too many, or one that is not small."""
    if type(value) not in (tuple, list, frozenset):
        return left - 1 if is_small(value) else -1
    for item in value:
        left = _leaves(item, left)
        if left < 0:
            break
    return left


def compute(target: str, *args: Any) -> Any:
    """The result of an operator on literals. Raises ValueError where it is not computed here, else what the operator raises."""
    function = OPERATORS.get(target)
    if function is None:
        raise ValueError(f"{target} is not computed at compile time")
    return _call(function, args, _growth(target, *args))


def call_method(text: str, name: str, *args: Any) -> Any:
    """The result of a method of a string on literals. Raises ValueError where it is not computed here, else what it raises."""
    if name not in METHODS:
        raise ValueError(f"str.{name} is not computed at compile time")
    if name == "format" and TEMPLATE.search(text):
        raise ValueError("this format is not computed at compile time")
    factors = [abs(a) if isinstance(a, int) else len(a) for a in args if isinstance(a, int | str | tuple | list)]
    return _call(METHODS[name], (text, *args), (len(text) + 1) * (max(factors, default=0) + 1))


def _call(function: Callable[..., Any], args: tuple[Any, ...], work: int) -> Any:
    if work > MAX_WORK or not all(map(is_small, args)):
        raise ValueError("it would be too large to be computed at compile time")
    result = function(*args)
    if not is_small(result):
        raise ValueError("it would be too large to be computed at compile time")
    return result


def _growth(target: str, *args: Any) -> int:
    """At least how much an operator that can make something large of something small will make."""
    left, right = (*args, None, None)[:2]
    whole = isinstance(right, int)
    if target == "operator.pow" and isinstance(left, int) and whole:
        return MAX_WORK + 1 if left.bit_length() * right > MAX_BITS else 0
    if target == "operator.lshift" and isinstance(left, int) and whole:
        return MAX_WORK + 1 if left.bit_length() + right > MAX_BITS else 0
    if target == "operator.mul":
        counts = [(a, b) for a, b in ((left, right), (right, left)) if isinstance(a, int) and not isinstance(b, int | float)]
        return max((abs(a) * len(b) for a, b in counts if hasattr(b, "__len__")), default=0)
    if target == "operator.mod" and isinstance(left, str | bytes):
        return MAX_WORK + 1 if TEMPLATE.search(str(left)) else 0
    return 0
