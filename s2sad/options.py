"""The options that all entry points share."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, fields
from typing import Any

from s2sad.errors import meant

SETTINGS = {  # of single entry points, beside the options of all
    "wrt": "name what is differentiated by where the derivative is asked for",
    "of": "grad, vjp, jvp, jacobian and differentiate take it",
    "has_aux": "grad, value_and_grad, vjp, jacobian and hessian take it",
    "mode": "grad and vjp are reverse mode, jvp is forward mode; jacobian, hessian and hvp take mode=",
    "chunk_size": "jacobian and hessian take it",
}


@dataclass(frozen=True)
class Options:
    """``backend`` "numpy", or "numba" for compiled loops; ``style`` "compact" or "ssa"; ``cache_dir`` where generated modules go.

    Raises ValueError for values that are not known, ModuleNotFoundError where Numba is asked for and not installed.
    """

    backend: str = "numpy"
    style: str = "compact"
    cache_dir: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if self.backend not in ("numpy", "numba"):
            raise ValueError(f"backend={self.backend!r} is unknown; use 'numpy' or 'numba'")
        if self.backend == "numba" and importlib.util.find_spec("numba") is None:
            raise ModuleNotFoundError("backend='numba' needs Numba, which is not installed: pip install 's2sad[numba]'")
        if self.style not in ("compact", "ssa"):
            raise ValueError(f"style={self.style!r} is unknown; use 'compact' or 'ssa'")


def make_options(given: dict[str, Any]) -> Options:
    """Options from keyword arguments. Raises TypeError for unknown ones."""
    known = [each.name for each in fields(Options)]
    for name in given:
        if name not in known:
            if name in SETTINGS:
                raise TypeError(
                    f"the setting {name!r} is not one of this function, whose options are {', '.join(known)}; {SETTINGS[name]}"
                )
            hint = meant(name, [*known, *SETTINGS], f"there are {', '.join(known)}")
            raise TypeError(f"the option {name!r} is unknown; {hint}")
    return Options(**given)
