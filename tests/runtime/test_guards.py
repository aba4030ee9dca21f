"""Checks that generated programs make at run time: each refuses a wrong call, and lets a right one pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import ActivityError, AliasError, grad, runtime, vjp
from s2sad.cli import main


def drag(a, b, c):
    a[1:] += b[1:] * c
    return np.sum(a * b)


def test_arguments_that_share_memory_are_named() -> None:
    a = np.arange(5.0)
    with pytest.raises(AliasError, match=r"arguments a and b share memory.*b\.copy\(\)"):
        grad(drag, (0, 1))(a, a, 2.0)
    with pytest.raises(AliasError, match="a and b"):
        grad(drag, (0, 1))(a[:4], a[1:], 2.0)
    assert np.array_equal(a, np.arange(5.0))


def test_neighbouring_parts_of_one_array_are_distinct() -> None:
    both = np.arange(8.0)
    a_bar, b_bar = grad(drag, (0, 1))(both[:4], both[4:], 2.0)
    assert np.allclose(a_bar, both[4:])
    assert np.allclose(b_bar, both[:4] + 4 * both[4:] * np.array([0, 1, 1, 1]))


def test_a_seed_fits_its_result() -> None:
    assert runtime.seed(1.0, 3.0) == 1.0
    assert runtime.seed(1.0, np.float32(3)) == 1.0
    bar = np.ones(3)
    assert runtime.seed(bar, np.zeros(3)) is bar
    for wrong, out in ((1.0, np.zeros(3)), (np.ones(3), 1.0), (np.ones(1), np.ones(3)), (1.0, (1.0, 2.0)), (1.0, {})):
        with pytest.raises(runtime.SeedError):
            runtime.seed(wrong, out)


def test_a_seed_of_the_wrong_shape_is_refused() -> None:
    _, pullback = vjp(lambda x: np.sin(x), np.ones(3))
    with pytest.raises(ActivityError, match="shape"):
        pullback(np.ones(1))


FILE = '''
import numpy as np

def drag(a, b, c):
    """Unannotated: nothing is known of the arguments."""
    return np.sum(a[1:] * b[1:]) * c

def shift(a: np.ndarray, b: np.ndarray):
    a[1:] += b[:-1]
    return np.sum(a * b)
'''


@pytest.mark.parametrize("options", [[], ["--standalone"]])
def test_without_annotations_the_adjoint_has_a_seed_which_is_checked(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "drag.py"
    path.write_text(FILE)
    result = CliRunner().invoke(main, ["transform", str(path), "-o", "-", "--wrt", "a", *options])
    assert result.exit_code == 0, result.output
    scope: dict = {}
    exec(result.output, scope)
    a, b = np.arange(4.0), np.ones(4)
    value, a_bar = scope["drag_adjoint"](a, b, 2.0)
    assert value == 12.0 and np.array_equal(a_bar, [0, 2, 2, 2])
    with pytest.raises(ValueError, match="shape"):
        scope["drag_adjoint"](a, b, 2.0, np.ones(3))
    with pytest.raises(ValueError, match="share memory"):
        scope["shift_adjoint"](a, a)
    assert np.array_equal(scope["shift_adjoint"](a, b)[1], b)
