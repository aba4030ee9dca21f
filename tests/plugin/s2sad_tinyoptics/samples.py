"""Calls with which the rules are tried, by what varies in them."""

import numpy as np
import tinyoptics

from s2sad_tinyoptics import runtime

X, Y = np.linspace(0.1, 0.9, 5), np.linspace(1.2, 1.6, 5)
SAMPLES = {
    "tinyoptics.refracted": [(lambda angle, ratio: tinyoptics.refracted(angle, ratio), X, 1.4), (tinyoptics.refracted, 0.4, Y)],
    "s2sad_tinyoptics.runtime.bending": [(lambda angle, ratio: runtime.bending(angle, ratio), 0.4, Y)],
    "tinyoptics.blurred": [(tinyoptics.blurred, X), (lambda x: tinyoptics.blurred(x, weight=0.1), Y)],
    "s2sad_tinyoptics.runtime.blurred_back": [(lambda bar: runtime.blurred_back(bar, 0.1), X)],
    "tinyoptics.inner": [(tinyoptics.inner, X)],
    "s2sad_tinyoptics.runtime.padded": [(lambda bar: runtime.padded(bar), X)],
}
