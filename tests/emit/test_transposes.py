"""Transposes of variables that stay are written where they are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import check_grads, differentiate


def projected(x, w):
    return np.sum((x @ w.T) ** 2)


def moved(x, w):
    w = w + x
    return np.sum((x @ w.T) ** 2)


def written(x, w):
    y = x.copy()
    v = y.T
    y[0] = 2.0 * w[0]
    return np.sum((w @ v) ** 2) + np.sum(v @ w)


ARGS: tuple[Any, ...] = (np.arange(6.0).reshape(2, 3) / 5, np.ones((2, 3)))


def test_they_have_no_variable() -> None:
    text = differentiate(projected, wrt=("x",)).source("tangent", *ARGS)
    assert text.count("w.T") == 2
    assert "= w.T" not in text


def test_derivatives() -> None:
    for f in (projected, moved, written):
        check_grads(f, ARGS, order=2)
