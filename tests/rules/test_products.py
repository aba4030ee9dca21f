"""Adjoints of products, as texts: what is the same in two places is computed once."""

from __future__ import annotations

import numpy as np

from s2sad import check_grads, differentiate


def squares(d, m):
    return np.einsum("ij,ij->i", d, d) @ m


def test_an_array_that_is_contracted_with_itself() -> None:
    args = np.linspace(0.1, 1.2, 6).reshape(3, 2), np.array([0.5, -1.0, 2.0])
    check_grads(squares, args, wrt=("d", "m"))
    assert "d_bar = 2.0 * d_bar" in differentiate(squares, wrt="d").source("adjoint", *args)
