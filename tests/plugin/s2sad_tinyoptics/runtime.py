"""What generated programs call besides the library itself."""

import numpy as np

__all__ = ["bending", "blurred_back", "padded"]


def bending(angle, ratio):
    """The slope of the refracted angle."""
    return np.cos(angle) / np.sqrt(ratio**2 - np.sin(angle) ** 2)


def blurred_back(bar, weight):
    """The transpose of a blur."""
    return (1 - weight) * bar + weight * np.roll(bar, -1)


def padded(bar):
    """A zero before and behind."""
    return np.pad(bar, 1)
