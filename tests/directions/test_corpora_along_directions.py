"""Every program of the corpora along several directions at once: what the loop over the directions gives, bit for bit in shape
and dtype, and to rounding in value. One in 24 by default, all of them with ``-m deep``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.case import Case, all_cases
from programs.language import language_cases
from thinning import thinned

from s2sad import jvp, vjp
from s2sad.api import derivatives_of
from s2sad.derivatives import Ask
from s2sad.options import make_options
from s2sad.trees import leaves, mapped

SEED, COUNT = 20240301, 3
CASES = {f"{case.function.__module__.rpartition('.')[2]}.{case.name}": case for case in [*all_cases(), *language_cases()]}
SAMPLE = thinned(sorted(CASES), 24)


def directions(like: Any, rng: np.random.Generator) -> Any:
    """Random directions, one a row; None for what has no derivative."""

    def leaf(x: Any) -> Any:
        kind = np.asarray(x).dtype.kind if isinstance(x, np.ndarray | np.generic | float | complex) else ""
        if kind not in ("f", "c"):
            return None
        rows = rng.standard_normal((COUNT, *np.shape(x)))
        imaginary = 1j * rng.standard_normal(rows.shape) if kind == "c" else 0.0
        return (rows + imaginary).astype(np.asarray(x).dtype)

    return mapped(leaf, like)


def row(rows: Any, like: Any, k: int) -> Any:
    """One of the directions, with numbers of the type of the primal's."""

    def leaf(x: Any, r: Any) -> Any:
        return None if r is None else r[k] if isinstance(x, np.ndarray | np.generic) else type(x)(r[k])

    return mapped(leaf, like, rows)


def assert_stacked(singles: list[Any], batched: Any) -> None:
    """The result for all directions has the results for each as rows."""
    columns = list(zip(*map(list, map(leaves, singles)), strict=True))
    found = list(leaves(batched))
    assert len(found) == len(columns)
    for rows, together in zip(columns, found, strict=True):
        if isinstance(rows[0], np.ndarray | np.generic | float | complex):
            wanted = np.stack(rows)
            assert together.shape == wanted.shape
            assert together.dtype == wanted.dtype
            scale = 1.0 if wanted.dtype.itemsize >= 8 and wanted.dtype != np.complex64 else 1e5
            np.testing.assert_allclose(together, wanted, rtol=1e-8 * scale, atol=1e-9 * scale)


def compare(case: Case, mode: str) -> None:
    rng = np.random.default_rng(1)
    args = case.make(np.random.default_rng(SEED))
    wrt = case.wrt if isinstance(case.wrt, tuple | list) else (case.wrt,)
    if mode == "tangents":
        derivatives = derivatives_of(case.function, make_options({}))
        values = derivatives.arguments(tuple(args), {})
        inputs = [derivatives._value_of(name, values) for name in derivatives.inputs(wrt)]
        rows = [directions(x, rng) for x in inputs]
        each = [[row(r, x, k) for r, x in zip(rows, inputs, strict=True)] for k in range(COUNT)]
        singles = [jvp(case.function, args, tangents, wrt=wrt, of=case.of)[1] for tangents in each]
        batched = jvp(case.function, args, rows, wrt=wrt, of=case.of, batched=True)[1]
    else:
        value, pullback = vjp(case.function, *args, wrt=wrt, of=case.of)
        seeds = directions(value, rng)
        singles = [pullback(row(seeds, value, k)) for k in range(COUNT)]
        batched = pullback(seeds, batched=True)
    assert_stacked(singles, batched)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("mode", ["tangents", "adjoints"])
@pytest.mark.parametrize("name", SAMPLE)
def test_all_directions_at_once(name: str, mode: str) -> None:
    compare(CASES[name], mode)


def test_most_programs_need_no_loop() -> None:
    """The loop over single directions is the exception: of these programs, few fall back to it."""
    looped = []
    names = sorted(CASES)[::24]
    for name in names:
        case = CASES[name]
        derivatives = derivatives_of(case.function, make_options({}))
        values = derivatives.arguments(tuple(case.make(np.random.default_rng(SEED))), {})
        ask = Ask("tangents", derivatives.inputs(case.wrt), case.of)
        if "one_by_one" in derivatives.compiled(ask, values).entry.source:
            looped.append(name)
    assert len(looped) <= len(names) // 6, looped
