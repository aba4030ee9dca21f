"""The adjoint of a factor that nothing stretches has its shape, though kinds tell of other sizes: the program fails for such."""

from __future__ import annotations

import numpy as np
import pytest
from programs.inplace import networks
from programs.language import curves

from s2sad import differentiate

CASES = {case.name: case for case in (*networks.CASES, *curves.CASES)}


@pytest.mark.parametrize("name", ["tiny_lenet", "mlp_from_sizes"])
def test_a_product_stretches_nothing(name):
    case = CASES[name]
    args = case.make(np.random.default_rng(20240301))
    assert "unbroadcast" not in differentiate(case.function, wrt=case.wrt, of=case.of).source("adjoint", *args)
