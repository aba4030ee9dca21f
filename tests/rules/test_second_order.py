"""Derivatives of the gradients of every rule of NumPy's functions, against differences of gradients.

The formulas consist of functions that have rules of their own (``test_tables.py``), so that this can fail only where
rules meet; it takes minutes, and runs with ``-m deep``.
"""

from __future__ import annotations

import inspect
import linecache
import warnings
from typing import Any

import numpy as np
import pytest
from samples import SAMPLES, Sample

from s2sad import KindError, NoRuleError, UnsupportedSyntaxError, check_grads
from s2sad.testing import _probe

STEPS = {"numpy.heaviside"}  # jumps where its second argument counts
SINGULAR = {
    "numpy.power-13", "numpy.power-14",  # 0**y has no derivative by y
    *(f"numpy.{name}-11" for name in ("quantile", "percentile", "nanquantile", "nanpercentile")),  # a level at its end
}  # fmt: skip


def plain(sample: Sample) -> bool:
    """Whether all arrays have items, in double precision, and one of them has axes."""
    args, kwargs = sample.fresh()
    arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, np.ndarray)]
    single = "float32" in (*map(str, args), *map(str, kwargs.values()))
    fine = all(a.dtype.kind != "c" and a.dtype != np.float32 and a.size for a in arrays)
    return fine and not single and any(isinstance(a, np.ndarray) and a.ndim for a in args)


def cases() -> list[Any]:
    return [
        pytest.param(name, sample, id=f"{name}-{k}")
        for name, samples in SAMPLES.items()
        if name.startswith(("numpy.", "ndarray.")) and name not in STEPS
        for k, sample in enumerate(filter(plain, samples))
        if f"{name}-{k}" not in SINGULAR
    ]


def curved(probe: Any) -> Any:
    """A number that depends on all items of what the probe gives, and on none of them linearly."""
    head, body = inspect.getsource(probe).splitlines()[:2]
    text = (
        f"{head}\n    out = {body.strip().removeprefix('return ')}\n"
        "    weights = 1 + 0.3 * numpy.arange(numpy.size(out)).reshape(numpy.shape(out))\n"
        "    return numpy.sum(numpy.sin(0.7 * out) * weights)\n"
    )
    file = f"{probe.__code__.co_filename} curved"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {**probe.__globals__, "numpy": np}
    exec(compile(text, file, "exec"), namespace)
    return namespace["probe"]


@pytest.mark.deep
@pytest.mark.parametrize(("name", "sample"), cases())
def test_gradients_have_right_derivatives(name: str, sample: Sample) -> None:
    args, kwargs = sample.fresh()
    probe, values = _probe(name, args, kwargs)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out = probe(*values)
        if isinstance(out, tuple | list) or np.asarray(out).dtype.kind != "f" or not values:
            pytest.skip("it gives no real array")
        try:
            check_grads(curved(probe), values, order=2, rtol=1e-4, atol=1e-5)
        except (NoRuleError, UnsupportedSyntaxError, KindError) as refused:
            pytest.skip(f"it is refused: {refused}")
