"""Constants as text: numbers, strings in either quotation marks, docstrings.

Every text evaluates to the constant that it was made from: ``1e309`` is infinity, as it is for Python itself.
"""

from __future__ import annotations

import math

Number = int | float | complex
_INFINITY = "1e309"


def constant(value: object, quote: str = '"') -> str:
    """The text of any constant; strings stand in the given quotation marks."""
    if value is ...:
        return "..."
    if isinstance(value, str):
        return _string(value, quote)
    if isinstance(value, int | float | complex) and not isinstance(value, bool):
        return number(value)
    return repr(value)


def number(value: Number) -> str:
    """The text of a number; a complex one with two parts is a sum."""
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"({_INFINITY} - {_INFINITY})" if math.isnan(value) else f"{'-' if value < 0 else ''}{_INFINITY}"
    return repr(value)


def _complex(value: complex) -> str:
    imaginary = f"{number(abs(value.imag))}j"
    negative = math.copysign(1.0, value.imag) < 0
    if value.real == 0 and math.copysign(1.0, value.real) > 0:
        return f"-{imaginary}" if negative else imaginary
    if math.isnan(value.real) or math.isnan(value.imag):
        return repr(value)
    return f"{number(value.real)} {'-' if negative else '+'} {imaginary}"


def _string(text: str, quote: str) -> str:
    """The text of a string, in the other quotation marks where these would have to be escaped."""
    other = "'" if quote == '"' else '"'
    if len(quote) == 1 and quote in text and other not in text:
        quote = other
    return f"{quote}{escape(text, quote)}{quote}"


def escape(text: str, quote: str) -> str:
    """What stands between the quotation marks of a string."""
    mark = quote[0]
    return "".join(f"\\{c}" if c == mark else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character if character in "'\"" else repr(character)[1:-1]


def docstring(text: str, indent: str) -> str:
    """A docstring: its lines are set under each other, at the indentation of the block."""
    lines = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').splitlines() or [""]
    body = "\n".join([lines[0], *(f"{indent}{line.strip()}" if not line.strip() else _indented(line, indent) for line in lines[1:])])
    if body.endswith('"'):
        body = body[:-1] + '\\"'
    return f'"""{body}\n{indent}"""' if len(lines) > 1 else f'"""{body}"""'


def _indented(line: str, indent: str) -> str:
    return line if line.startswith(indent) else indent + line
