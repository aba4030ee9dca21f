"""Arguments of Python's functions by which the derivative is zero."""

from __future__ import annotations

# Only their sign counts, or the side on which they are.
CONSTANT_ARGUMENTS: dict[str, tuple[str, ...]] = dict.fromkeys(("math.copysign", "math.nextafter"), ("y",))


def reason(name: str) -> tuple[str, str] | None:
    """Why no rule is known for a function: nothing is said of any."""
    return None
