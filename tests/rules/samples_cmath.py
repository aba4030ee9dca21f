"""Samples of the functions of cmath."""

from __future__ import annotations

from sampling import Sample, call

NAMES = "exp sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt log log10 phase"

CMATH: dict[str, list[Sample]] = {
    **{f"cmath.{name}": [call(0.37 + 0.6j), call(-1.3 - 0.4j)] for name in NAMES.split()},
    "cmath.log": [call(0.37 + 0.6j), call(0.37 + 0.6j, 2.5 + 0.3j), call(0.37 + 0.6j, 10.0)],
    "cmath.rect": [call(1.4, 0.6), call(0.3, -2.1)],
}
