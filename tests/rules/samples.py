"""Sample arguments for every differentiable primitive: data that tests of formulas and compiler share.

``SAMPLES[name]`` lists calls. Numbers, tuples and strings that are not differentiated stand for
literals, arrays for values. ``STEPS`` has calls of functions without a derivative, or on integers.
"""

from __future__ import annotations

from samples_arrays import REDUCTIONS, SHAPES
from samples_cmath import CMATH
from samples_elementwise import ELEMENTWISE
from samples_fft import FFT
from samples_linalg import LINALG, LINALG_HELPERS
from samples_math import MATH
from samples_numpy_more import NUMPY_MORE
from samples_pieces import PIECES, PIECES_HELPERS, PIECES_STEPS
from samples_products import PRODUCTS
from samples_runtime import RUNTIME
from samples_scipy import SCIPY, SCIPY_STEPS
from samples_statistics import (
    DIFFERENCES,
    OPTIONS,
    STATISTICS,
    STATISTICS_HELPERS,
    STATISTICS_STEPS,
    UFUNC_METHODS,
    UFUNC_OPTIONS,
)
from samples_steps import STEPS as PLAIN_STEPS
from sampling import Sample, arr, call


def merged(*tables: dict[str, list[Sample]]) -> dict[str, list[Sample]]:
    """All samples by name; several tables may have some of one function."""
    found: dict[str, list[Sample]] = {}
    for table in tables:
        for name, samples in table.items():
            found[name] = [*found.get(name, []), *samples]
    return found


SAMPLES = merged(
    ELEMENTWISE,
    REDUCTIONS,
    OPTIONS,
    SHAPES,
    PIECES,
    PIECES_HELPERS,
    NUMPY_MORE,
    PRODUCTS,
    MATH,
    CMATH,
    FFT,
    LINALG,
    LINALG_HELPERS,
    RUNTIME,
    STATISTICS,
    DIFFERENCES,
    UFUNC_METHODS,
    UFUNC_OPTIONS,
    STATISTICS_HELPERS,
    SCIPY,
)
STEPS = merged(PLAIN_STEPS, PIECES_STEPS, STATISTICS_STEPS, SCIPY_STEPS)
__all__ = ["SAMPLES", "STEPS", "Sample", "arr", "call"]
