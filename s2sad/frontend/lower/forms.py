"""Dense Jacobians of arrays as programs: ``push`` gives the tangent along a direction, ``pull`` the adjoint of a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def by_columns(push: Callable[[Any], Any], x: Any) -> Any:
    """``out.shape + x.shape``."""
    columns = []
    for k in range(np.size(x)):
        direction = np.zeros(np.size(x))
        direction[k] = 1.0
        columns.append(push(direction.reshape(np.shape(x))))
    found = np.stack(columns, axis=-1)
    return found.reshape(found.shape[:-1] + np.shape(x))


def column(push: Callable[[Any], Any], x: Any) -> Any:
    """That by a number."""
    return push(1.0)


def by_rows(pull: Callable[[Any], Any], out: Any) -> Any:
    """``out.shape + x.shape``."""
    rows = []
    for k in range(np.size(out)):
        seed = np.zeros(np.size(out))
        seed[k] = 1.0
        rows.append(pull(seed.reshape(np.shape(out))))
    found = np.stack(rows)
    return found.reshape(np.shape(out) + found.shape[1:])


def row(pull: Callable[[Any], Any], out: Any) -> Any:
    """That of a number."""
    return pull(1.0)
