"""Strings, truths of sequences, orders and choices: what steers a program and carries no derivative."""

from __future__ import annotations

from s2sad.ir.kinds import BOOL, INT, STR, Array, List
from s2sad.rules.registry import nothing

nothing(["builtins.any(x)", "builtins.all(x)"], kind=lambda _: BOOL, zero=True)
nothing(["s2sad.runtime.order(keys, reverse=False)"], kind=lambda _: List(INT), zero=True)
nothing(
    ["s2sad.runtime.first_smallest(keys)", "s2sad.runtime.first_largest(keys)"], kind=lambda _: INT, zero=True
)
nothing(["s2sad.runtime.insertion_place(index, length)"], kind=lambda _: INT, zero=True, cheap=True)
nothing(["s2sad.runtime.choices(kind, count, size)"], kind=lambda _: Array("int64", (None, None)), zero=True)
nothing(
    [
        "builtins.format(x, spec='')",
        "builtins.ascii(x)",
        "builtins.chr(x)",
        "builtins.bin(x)",
        "builtins.hex(x)",
    ],
    kind=lambda _: STR,
    zero=True,
)
nothing(
    ["bisect.bisect_left(a, x, lo=0, hi=None)", "bisect.bisect_right(a, x, lo=0, hi=None)"], kind=lambda _: INT, zero=True
)
nothing(["builtins.ord(x)"], kind=lambda _: INT, zero=True)

nothing(["int.bit_count(n)", "int.bit_length(n)"], kind=lambda _: INT, zero=True, spelling="method")
nothing(["float.is_integer(x)", "int.is_integer(n)"], kind=lambda _: BOOL, zero=True, spelling="method")

TEXT = "lower upper strip lstrip rstrip title capitalize casefold swapcase replace removeprefix removesuffix join format"
TEXT += " center ljust rjust zfill"
TRUTH = "startswith endswith isdigit isalpha isalnum isdecimal isidentifier islower isnumeric isspace isupper"
NUMBER = "count find rfind index rindex"
nothing(
    [f"str.{name}(text, *args)" for name in TEXT.split()], kind=lambda _: STR, zero=True, spelling="method"
)
nothing(
    [f"str.{name}(text, *args)" for name in TRUTH.split()], kind=lambda _: BOOL, zero=True, spelling="method"
)
nothing(
    [f"str.{name}(text, *args)" for name in NUMBER.split()], kind=lambda _: INT, zero=True, spelling="method"
)
nothing(
    [f"str.{name}(text, *args)" for name in ("split", "rsplit", "splitlines")],
    kind=lambda _: List(STR),
    zero=True,
    spelling="method",
)
