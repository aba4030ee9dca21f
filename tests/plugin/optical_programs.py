"""Programs that use tinyoptics."""

import numpy as np
import tinyoptics
from tinyoptics import refracted


def traced(x, ratio):
    inside = refracted(x, ratio)
    return tinyoptics.defocus(inside, 0.5 * x) + np.sum(tinyoptics.blurred(inside, 0.1) * x)


def through_a_window(x, ratio):
    """The store through the view of a library is one into its base."""
    y = x * ratio
    middle = tinyoptics.inner(y)
    middle *= x[0]
    return np.sum(y**2) * tinyoptics.catalogue("water")


def by_weight(x, ratio):
    """The room has no formula for the weight."""
    return np.sum(tinyoptics.blurred(x, ratio))


def through_a_new_window(x, ratio):
    """Of these two functions the room knows nothing, until a test tells it."""
    y = tinyoptics.focused(x, ratio)
    back = tinyoptics.turned(y)
    back[:2] *= x[0]
    return np.sum(y**2 * x)
