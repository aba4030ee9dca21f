"""Samples of the functions of math."""

from __future__ import annotations

from sampling import Sample, arr, call

MATH: dict[str, list[Sample]] = {
    **{
        f"math.{name}": [call(0.37), call(-0.6)]
        for name in (
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "atanh",
            "exp",
            "exp2",
            "expm1",
            "erf",
            "erfc",
            "radians",
            "degrees",
            "fabs",
        )
    },
    **{
        f"math.{name}": [call(1.37), call(4.2)]
        for name in ("sqrt", "cbrt", "log2", "log10", "log1p", "acosh", "gamma", "lgamma")
    },
    "math.log": [call(1.7), call(1.7, 3.0), call(1.7, 10)],
    "math.pow": [call(1.7, 2.0), call(1.7, 2.3), call(1.7, 2), call(0.7, -1)],
    "math.atan2": [call(0.3, -0.7), call(-0.3, 0.7)],
    "math.nextafter": [call(0.3, 1.0), call(0.3, -1.0)],
    "math.copysign": [call(0.3, -0.7), call(-0.3, 0.7)],
    "math.fmod": [call(5.3, 1.7), call(-5.3, 1.7)],
    "math.remainder": [call(5.3, 1.7), call(5.9, 1.7)],
    "math.ldexp": [call(0.7, 3)],
    "math.hypot": [call(0.3, -0.7), call(0.3, 0.4, 0.5), call(0.3)],
    "math.dist": [call((0.3, 0.4), (0.1, -0.2)), call(arr(3), arr(3, seed=1))],
    "math.fsum": [call([0.1, 0.2, 0.3]), call(arr(3))],
    "math.gamma": [call(1.37), call(4.2), call(-1.3), call(0.2)],
    "math.lgamma": [call(1.37), call(-1.3), call(20.5)],
}
