"""Numbers, strings and docstrings as one would type them: ``1e-7``, ``float("inf")``, ``"it's"``.

Where the text of a value is a choice (which quotes, which exponent), it is the usual one; what it evaluates
to is always exactly the value, down to the sign of a zero.
"""

from __future__ import annotations

import enum
import inspect
import math
import re

from s2sad.errors import CompilerError, UnsupportedSyntaxError

Number = int | float | complex


def constant(value: object, quote: str = '"') -> str:
    """The text of any constant that a syntax tree may hold; ``quote`` is the quotation mark to prefer."""
    match value:
        case None | bool():
            return repr(value)
        case int() | float() | complex():
            return number(value, quote)
        case str():
            return string(value, quote)
        case bytes():
            return repr(value) if quote == "'" else _double_quoted(repr(value))
    if value is Ellipsis:
        return "..."
    if isinstance(value, enum.Enum):
        raise UnsupportedSyntaxError(
            f"{type(value).__name__}.{value.name} as a key that the program computes with is not supported",
            why="the generated program has no name for a member of an enumeration that is no word of the text",
            instead=f"words as keys, or the members by their names (d[{type(value).__name__}.{value.name}])",
        )
    raise CompilerError(
        f"a constant of type {type(value).__name__} cannot be written as Python text",
        why="only numbers, strings, bytes, None, True, False and ... are literals",
    )


def number(value: Number, quote: str = '"') -> str:
    """The text of a number; NumPy's scalars that subclass Python's are written as Python's."""
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _real(value, quote)
    return _complex(value, quote)


def _real(value: float, quote: str) -> str:
    if math.isnan(value):
        return f"float({quote}nan{quote})"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}float({quote}inf{quote})"
    return float.__repr__(value).replace("e+", "e").replace("e-0", "e-")


def _complex(value: complex, quote: str) -> str:
    real, imag = value.real, value.imag
    minus_zero = real == 0 and math.copysign(1.0, real) < 0
    if math.isfinite(real) and math.isfinite(imag):
        if real == 0 and not minus_zero and math.copysign(1.0, imag) > 0:
            return _imaginary(imag)
        # A sum with a zero in it can lose the sign of that zero.
        if imag and not minus_zero:
            return f"{_real(real, quote)} {'+' if imag > 0 else '-'} {_imaginary(abs(imag))}"
    return f"complex({_real(real, quote)}, {_real(imag, quote)})"


def _imaginary(value: float) -> str:
    return _real(value, "").removesuffix(".0") + "j"


def string(text: str, quote: str = '"') -> str:
    """A string literal, in the other quotation marks where that saves escapes."""
    other = "'" if quote == '"' else '"'
    if quote in text and other not in text:
        quote = other
    return f"{quote}{escape(text, quote)}{quote}"


def escape(text: str, quote: str) -> str:
    """The inside of a string literal in the given quotation marks, single or triple."""
    return _escape_unquoted(text).replace(quote[0], "\\" + quote[0])


def _escape_unquoted(text: str) -> str:
    """Escapes for all but quotation marks, as repr chooses them."""
    # With both quotation marks in front, repr surely takes ' as delimiter and escapes it; undone again.
    body = repr("'\"" + text)[4:-1]
    return re.sub(r"\\(.)", lambda match: "'" if match[1] == "'" else match[0], body)


def _double_quoted(literal: str) -> str:
    """The text that repr makes of bytes, in double quotation marks where that is as simple."""
    # Where repr chose ' and there is no ", there is no ' inside either.
    return literal if '"' in literal else literal.replace("'", '"')


def docstring(text: str, pad: str) -> str:
    """A docstring in triple quotes, its lines indented by ``pad``; inspect.cleandoc reads the same from it.

    ``"Sum.\\n\\n        Of all."`` becomes, after ``pad``,

        \"\"\"Sum.

        Of all.
        \"\"\"
    """
    document = inspect.cleandoc(text)
    lines = document.split("\n")
    closing = "\n" + pad if len(lines) > 1 else ""
    # If the first line says nothing about the margin of the others, it has to be one of them.
    for opening in ([], [""]):
        if inspect.cleandoc(_indented(opening + lines, pad) + closing) == document:
            body = _indented([*opening, *map(_escape_unquoted, lines)], pad) + closing
            return '"""' + re.sub(r'"{3,}|"+\Z', lambda quotes: r"\"" * len(quotes[0]), body) + '"""'
    return string(text)


def _indented(lines: list[str], pad: str) -> str:
    return "\n".join([lines[0], *(pad + line if line else "" for line in lines[1:])])
