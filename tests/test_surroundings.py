"""What a function sees of other modules: the right objects, as they are now."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad

OTHER = """
import numpy as np
W = np.array([1.0, 2.0, 3.0])
SCALE = 2.5


def fill(x, out):
    out[:] = W * x * SCALE


def plain(x):
    return np.sum(W * x) * SCALE
"""
MINE = """
import numpy as np
import {other} as other
from {other} import fill, plain
W = np.array([9.0, 9.0, 9.0])


def through_callees(x):
    out = np.zeros(3)
    fill(x, out)
    return np.sum(out**2) + plain(x)


def through_the_module(x):
    out = np.zeros(3)
    other.fill(x, out)
    return np.sum(out**2) + other.plain(x) * np.sum(other.W)


def attributes(x):
    return x * other.SCALE + np.sum(other.W) * x


def both(x):
    return plain(x) + np.sum(W) * np.sum(x)
"""
X = np.array([0.1, 0.2, 0.3])


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    names = [f"{kind}_{tmp_path.name}" for kind in ("other", "mine")]
    for name, text in zip(names, (OTHER, MINE.format(other=names[0])), strict=True):
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    other, mine = (importlib.import_module(name) for name in names)
    return other, mine


def test_a_global_of_a_helper_is_not_one_of_the_callers(modules: tuple[Any, Any]) -> None:
    _, mine = modules
    check_grads(mine.through_callees, (X,))
    check_grads(mine.through_the_module, (X,))


def test_attributes_of_modules_are_read_as_they_are_now(modules: tuple[Any, Any]) -> None:
    other, mine = modules
    assert grad(mine.attributes)(1.0) == 8.5
    other.SCALE = 5.0
    assert grad(mine.attributes)(1.0) == 11.0
    other.W = np.array([10.0])
    assert grad(mine.attributes)(1.0) == 15.0


def test_two_arrays_of_one_name(modules: tuple[Any, Any]) -> None:
    _, mine = modules
    check_grads(mine.both, (X,))
