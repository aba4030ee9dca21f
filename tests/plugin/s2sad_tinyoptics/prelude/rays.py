"""How far rays are from each other."""

from typing import Any

import numpy as np

__all__ = ["defocus"]


def defocus(x: Any, y: Any, power: Any = 2) -> Any:
    """The sum of powers of distances."""
    return np.sum(np.abs(x - y) ** power)
