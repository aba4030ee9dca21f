"""Second derivatives where a formula gives way to another one, against 20 digits of mpmath."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from s2sad import grad, hvp, jvp

sp = pytest.importorskip("scipy.special")

CURVATURES = [
    ("i0e", 50.0, 1.714303125967778e-05),
    ("i1e", 50.0, 1.6281412763462684e-05),
    ("k0e", 50.0, 5.252576840383851e-05),
    ("k1e", 50.0, 5.513942441548922e-05),
    ("log_ndtr", 9.9, -2.060365052000794e-21),
    ("log_ndtr", 10.0, -7.694598626706419e-22),
    ("log_ndtr", 29.5, -1.2541389142906275e-188),
    ("log_ndtr", 30.0, -4.420938404635642e-195),
    ("log_ndtr", 37.0, -7.84402424064104e-297),
    ("log_ndtr", 45.0, -0.0),
    ("ellipk", -100000000.0, 6.947475964853605e-20),
]


@pytest.mark.parametrize(("name", "x", "curvature"), CURVATURES)
def test_curvature(name: str, x: float, curvature: float) -> None:
    special = getattr(sp, name)

    def f(x):
        return special(x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [hvp(f, (x,), (1.0,))[1], grad(grad(f))(x), jvp(grad(f), (x,), (1.0,))[1]]
    np.testing.assert_allclose(found, curvature, rtol=1e-9)


def test_complex_arguments_have_one_formula() -> None:
    def f(z):
        return sp.log_ndtr(z)

    z, h = 0.4 + 0.8j, 1e-5
    np.testing.assert_allclose(jvp(f, (z,), (1.0 + 0.0j,))[1], (f(z + h) - f(z - h)) / (2 * h), rtol=1e-8)
