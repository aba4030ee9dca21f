"""Value-and-gradient time over the primal's, beside HIPS autograd's and adjoints written by hand.

Run: ``python benchmarks/gradient_cost.py``. Ratios of medians, interleaved in one process; autograd is optional.
"""

from __future__ import annotations

import tempfile
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import programs
from rich.console import Console
from rich.table import Table
from timing import medians

from s2sad import value_and_grad


def for_autograd(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The same program on autograd's NumPy."""
    try:
        import autograd
        import autograd.numpy as anp
    except ImportError:
        return None
    if function is programs.stencil:
        return autograd.value_and_grad(programs.functional_stencil(anp))  # type: ignore[no-any-return]
    scope = {**function.__globals__, "np": anp}
    return autograd.value_and_grad(types.FunctionType(function.__code__, scope))  # type: ignore[no-any-return]


def main() -> None:
    """Measure and print."""
    table = Table(
        "program", "s2sad / primal", "autograd / primal", "s2sad / by hand", title="value and gradient"
    )
    for name, (function, args, by_hand) in programs.arguments().items():
        with tempfile.TemporaryDirectory() as folder:
            ours = value_and_grad(function, cache_dir=folder)
            theirs = for_autograd(function)
            fresh = args[:1] if function is programs.stencil else ()
            candidates: dict[str, Callable[[], object]] = {
                "primal": lambda f=function, a=args, c=fresh: f(*(x.copy() for x in c), *a[len(c) :]),
                "s2sad": lambda f=ours, a=args: f(*a),
            }
            if theirs is not None:
                np.testing.assert_allclose(
                    np.asarray(theirs(*args)[1]), np.asarray(ours(*args)[1]), rtol=1e-8, atol=1e-10
                )
                candidates["autograd"] = lambda f=theirs, a=args: f(*a)
            if by_hand is not None:
                np.testing.assert_allclose(
                    np.asarray(by_hand(*args)[1]), np.asarray(ours(*args)[1]), rtol=1e-8
                )
                candidates["hand"] = lambda f=by_hand, a=args: f(*a)
            times = medians(candidates)
        row = [times["s2sad"] / times["primal"]]
        cells = [f"{row[0]:.2f}"]
        cells.append(f"{times['autograd'] / times['primal']:.2f}" if "autograd" in times else "-")
        cells.append(f"{times['s2sad'] / times['hand']:.2f}" if "hand" in times else "-")
        table.add_row(name, *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
