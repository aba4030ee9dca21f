"""The conventions at corners and removable singularities."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from samples import call
from sampling import Literal
from test_formulas import Trial

from s2sad.errors import NoRuleError


def pull(name: str, *args: Any, param: str | None = None, bar: Any = None, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = Trial(name, call(*args, **kwargs))
        seed = np.ones_like(trial.out) if isinstance(trial.out, np.ndarray) else 1.0
        return trial.pull(seed if bar is None else bar, param or trial.active[0])


V = np.array
CONVENTIONS = [
    ("numpy.absolute", (V([-2.0, 0.0, 3.0]),), [-1, 0, 1]),
    ("numpy.absolute", (V([0j, 3 + 4j]),), [0, 0.6 - 0.8j]),
    ("numpy.maximum", (V([1.0, 2.0, 3.0]), V([2.0, 2.0, 2.0])), [0, 0.5, 1]),
    ("numpy.minimum", (V([1.0, 2.0, 3.0]), 2.0), [1, 0.5, 0]),
    ("numpy.fmax", (V([1.0, np.nan, 3.0]), V([np.nan, 2.0, 3.0])), [1, 0, 0.5]),
    ("numpy.clip", (V([-1.0, 0.0, 0.5, 1.0, 2.0]), 0.0, 1.0), [0, 1, 1, 1, 0]),
    ("numpy.max", (V([1.0, 3.0, 3.0]),), [0, 0.5, 0.5]),
    ("numpy.min", (V([1.0, 3.0, 1.0]),), [0.5, 0, 0.5]),
    ("numpy.sqrt", (V([0.0, 4.0]),), [np.inf, 0.25]),
    ("numpy.sinc", (V([0.0, 1.0]),), [0, -1]),
    ("numpy.hypot", (V([0.0, 3.0]), V([0.0, 4.0])), [0, 0.6]),
    ("numpy.linalg.norm", (V([0.0, 0.0]),), [0, 0]),
    ("numpy.linalg.norm", (V([3.0, 4.0]),), [0.6, 0.8]),
    ("numpy.linalg.norm", (V([0.0, -2.0]), 1), [0, -1]),
    ("numpy.linalg.norm", (V([0.0, 0.0]), 3), [0, 0]),
    ("numpy.linalg.norm", (V([2.0, -2.0, 1.0]), Literal(math.inf)), [0.5, -0.5, 0]),
    ("numpy.linalg.norm", (V([2.0, 3.0]), 0), [0, 0]),
    ("numpy.linalg.norm", (np.zeros((2, 2)), "nuc"), np.zeros((2, 2))),
    ("numpy.linalg.norm", (np.zeros((2, 2)), 2), np.zeros((2, 2))),
    ("numpy.linalg.norm", (np.eye(2), 2), 0.5 * np.eye(2)),
    ("numpy.linalg.det", (V([[1.0, 2.0], [2.0, 4.0]]),), [[4, -2], [-2, 1]]),
    ("numpy.power", (V([0.0, 0.0, 0.0]), V([0.0, 1.0, 2.0])), [0, 1, 0]),
    ("numpy.prod", (V([0.0, 2.0, 3.0]),), [6, 0, 0]),
    ("numpy.prod", (V([0.0, 0.0, 3.0]),), [0, 0, 0]),
    ("numpy.cumprod", (V([2.0, 0.0, 3.0]),), [1, 8, 0]),
    ("numpy.where", (V([True, False]), V([1.0, 2.0]), 0.5), [1, 0]),
    ("numpy.real", (V([1 + 2j]),), [1]),
    ("numpy.imag", (V([1 + 2j]),), [-1j]),
    ("numpy.conjugate", (V([1 + 2j]),), [1]),
    ("numpy.sort", (V([3.0, 1.0, 2.0]),), [1, 1, 1]),
]


@pytest.mark.parametrize(("name", "args", "expected"), CONVENTIONS)
def test_convention(name: str, args: tuple[Any, ...], expected: list[Any]) -> None:
    np.testing.assert_allclose(pull(name, *args), expected)


EDGES = [
    ("agm", (V([0.0, 2.0]), V([2.0, 2.0])), "a", [np.inf, 0.5]),
    ("agm", (V([2.0, 2.0]), V([0.0, 2.0])), "a", [0.0, 0.5]),
    ("ive", (V([0.5, 1.0, 1.5]), V([0.0, 0.0, 0.0])), "z", [np.inf, 0.5, 0.0]),
    ("jve", (V([0.5, 1.0, 1.5]), V([0.0, 0.0, 0.0])), "z", [np.inf, 0.5, 0.0]),
    ("kve", (V([0.5, 1.0, 1.5]), V([0.0, 0.0, 0.0])), "z", [-np.inf, -np.inf, -np.inf]),
    ("elliprj", (V([0.0]), V([1.0]), V([2.0]), V([-0.5])), "x", [np.inf]),
]


@pytest.mark.parametrize(("name", "args", "param", "expected"), EDGES)
def test_edges_of_special_functions(name: str, args: tuple[Any, ...], param: str, expected: list[float]) -> None:
    pytest.importorskip("scipy")
    np.testing.assert_allclose(pull(f"scipy.special.{name}", *args, param=param), expected)


def test_the_power_of_zero_has_no_slope_in_its_exponent() -> None:
    np.testing.assert_array_equal(pull("numpy.power", V([0.0, 1.0]), V([2.0, 3.0]), param="y"), [0.0, 0.0])


def test_what_where_does_not_choose_leaves_no_trace() -> None:
    bar = pull("numpy.where", V([True, False]), V([1.0, np.nan]), V([np.inf, 1.0]), bar=V([1.0, np.nan]))
    assert bar.tolist() == [1.0, 0.0]


def test_constants_where_the_argument_was_not_finite() -> None:
    assert pull("numpy.nan_to_num", V([1.0, np.nan, np.inf]), bar=V([2.0, np.nan, np.inf])).tolist() == [
        2.0,
        0.0,
        0.0,
    ]


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("numpy.reshape", (np.ones((2, 3)), (3, 2)), {"order": "A"}),
        ("numpy.linalg.norm", (np.ones((2, 3)),), {"axis": (0, 1), "ord": 2.0}),
        ("numpy.linalg.qr", (np.ones((3, 2)), "raw"), {}),
        ("numpy.linalg.svd", (np.eye(3),), {"hermitian": True}),
        ("numpy.pad", (np.ones(3), 1, "mean"), {}),
        ("numpy.pad", (np.ones(3), 1, "linear_ramp"), {}),
    ],
)
def test_what_has_no_rule_is_refused(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises(NoRuleError):
        pull(name, *args, **kwargs)
