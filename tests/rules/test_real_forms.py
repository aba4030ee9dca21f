"""Programs in place of SciPy's functions that hold for real numbers: complex ones are refused, or guarded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg, ndimage, signal

from s2sad import NoRuleError, S2sadError, jvp, vjp
from s2sad.runtime import assert_real

C, B = np.array([3.0, 0.5, 0.2]), np.array([1.0, 2.0, 0.5])
M = np.array([[2.0, 0.3], [0.3, 3.0]])
CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (linalg.pinvh, (M,)), (linalg.solve_toeplitz, (C, B)), (linalg.solve_circulant, (C, B)), (linalg.matmul_toeplitz, (C, B)),
    (linalg.orthogonal_procrustes, (M, M + 1)), (linalg.subspace_angles, (M[:, :1], M[:, 1:])),
    (linalg.solveh_banded, (np.array([[0.0, 0.3, 0.1], [2.0, 3.0, 4.0]]), B)), (signal.periodogram, (B,)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_complex_arguments_are_refused(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    vjp(lambda *a: function(*a), *args)
    for k in range(len(args)):
        mixed = tuple(a + 0.1j if j == k else a for j, a in enumerate(args))
        function(*mixed)
        for derive in (lambda m=mixed: vjp(lambda *a: function(*a), *m), lambda m=mixed: jvp(lambda *a: function(*a), m, m)):
            with pytest.raises(NoRuleError):
                derive()


def test_guard() -> None:
    assert_real("pinvh", M)
    with pytest.raises(TypeError, match="pinvh is complex"):
        assert_real("pinvh", M + 0j)


def test_what_nothing_tells_is_guarded() -> None:
    def of_items(items: Any) -> Any:
        return np.sum(np.abs(linalg.pinvh(items[0])))

    with pytest.raises(S2sadError):
        vjp(of_items, [M + 0.1j, 1.0])


def test_splines_that_have_no_form_are_refused() -> None:
    image = np.arange(20.0).reshape(4, 5)
    with pytest.raises(NoRuleError, match="mode='nearest'"):
        jvp(lambda m: ndimage.shift(m, (0.3, -1.2), order=3, mode="nearest"), (image,), (image,))
