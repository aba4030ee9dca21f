"""What is computed at compile time is right, and never large; the rest is left to the program, at once."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from s2sad.ir.pure import OPERATORS, call_method, compute, is_small

SMALL: list[tuple[Any, ...]] = [
    (6, "mul", 2, 3), ("ababab", "mul", "ab", 3), ((1, 1), "mul", 2, (1,)), (8, "pow", 2, 3), (0.125, "pow", 2, -3),
    (2**1000, "pow", 2, 1000), (8, "lshift", 1, 3), (0, "rshift", 1, 10**10), ("a3", "mod", "a%d", 3),
    ("  3", "mod", "%3d", 3), (True, "contains", (1, 2), 2), (-3, "neg", 3), (1.5, "truediv", 3, 2), (False, "not_", 3),
]  # fmt: skip
LARGE: list[tuple[Any, ...]] = [
    ("pow", 9, 9**9), ("pow", 10**9, 10**9), ("pow", 2**4000, 2**4000), ("lshift", 1, 10**10), ("lshift", 1, 2**4000),
    ("mul", (1, 2, 3), 10**9), ("mul", 10**9, (1, 2, 3)), ("mul", "a", 10**10), ("mul", 10**10, b"a"), ("mul", [0], 10**10),
    ("mod", "%1000000000d", 3), ("mod", "%*d", (10**9, 3)), ("mod", "%.1000000000f", 3.0), ("mod", b"%1000000000d", 3),
    ("mul", 2**4095, 2**4095), ("add", "a" * 6000, "a" * 6000), ("add", (1,) * 6000, (2,) * 6000), ("mod", "%(a)d", 3),
    ("mul", 2**5000, 1), ("call", print, 3), ("itemgetter", 3), ("concat", "a", "b"),
]  # fmt: skip
METHODS: list[tuple[Any, ...]] = [
    ("3,4", "{},{}", "format", 3, 4), ("a  ", "a", "ljust", 3), ("a-b", "-", "join", ["a", "b"]), (["a", "b"], "a b", "split"),
    ("003", "3", "zfill", 3), (2, "abcab", "count", "ab"),
]  # fmt: skip
NOT_METHODS: list[tuple[Any, ...]] = [
    ("{:>1000000000}", "format", 3), ("{:{}}", "format", 3, 10**9), ("{0.__class__}", "format", 3), ("{0[0]}", "format", "a"),
    ("a", "ljust", 10**10), ("a", "center", 10**10), ("a", "zfill", 10**10), ("\t" * 9999, "expandtabs", 10**9),
    ("a" * 9999, "replace", "a", "b" * 9999), ("a" * 9999, "join", ["b"] * 9999), ("a", "encode", "idna"), ("a", "__class__"),
    ("a", "translate", {97: "b"}), ("a", "format_map", {}), ("a", "ljust", 2**5000),
]  # fmt: skip


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_small(case: tuple[Any, ...]) -> None:
    wanted, name, *args = case
    found = compute(f"operator.{name}", *args)
    assert found == wanted and type(found) is type(wanted)


@pytest.mark.parametrize("case", LARGE, ids=lambda case: f"{case[0]}-{str(case[1])[:20]}")
def test_large(case: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="compile time"):
        compute(f"operator.{case[0]}", *case[1:])


@pytest.mark.parametrize("case", METHODS, ids=str)
def test_methods(case: tuple[Any, ...]) -> None:
    assert call_method(*case[1:]) == case[0]


@pytest.mark.parametrize("case", NOT_METHODS, ids=lambda case: f"{case[0][:9]}-{case[1]}")
def test_not_methods(case: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="compile time"):
        call_method(*case)


def test_the_table_is_of_pythons_operators() -> None:
    assert all(getattr(operator, name.partition(".")[2]) is function for name, function in OPERATORS.items())


def test_structures_are_measured_without_being_walked_twice() -> None:
    nested: Any = (1, 2)
    for _ in range(60):
        nested = (nested, nested)
    assert not is_small(nested)
    assert is_small((1, (2.0, "a", None)))
    assert not is_small((1, object()))
