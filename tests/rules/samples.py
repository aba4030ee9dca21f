"""Sample arguments for every differentiable primitive: data that tests of formulas and compiler share.

``SAMPLES[name]`` lists calls. Numbers, tuples and strings that are not differentiated stand for
literals, arrays for values. ``STEPS`` has calls of functions without a derivative, or on integers.
"""

from __future__ import annotations

from samples_arrays import REDUCTIONS, SHAPES
from samples_elementwise import ELEMENTWISE
from samples_math import MATH
from samples_products import PRODUCTS
from samples_runtime import RUNTIME
from samples_steps import STEPS
from sampling import Sample, arr, call

SAMPLES: dict[str, list[Sample]] = {**ELEMENTWISE, **REDUCTIONS, **SHAPES, **PRODUCTS, **MATH, **RUNTIME}
__all__ = ["SAMPLES", "STEPS", "Sample", "arr", "call"]
