"""The options that all entry points share."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, fields, replace
from typing import Any

from s2sad.errors import ArgumentError, SettingError, meant

SETTINGS = {  # of single entry points, beside the options of all
    "wrt": "name what is differentiated by where the derivative is asked for",
    "of": "grad, vjp, jvp, jacobian and differentiate take it",
    "has_aux": "grad, value_and_grad, vjp, jacobian and hessian take it",
    "mode": "grad and vjp are reverse mode, jvp is forward mode; jacobian, hessian and hvp take mode=",
    "chunk_size": "jacobian and hessian take it",
}


@dataclass(frozen=True)
class Machine:
    """How Numba compiles a program: ``parallel``, loops whose iterations are proved independent, on several threads;
    ``fastmath``, sums and products in any order, with what processors approximate. Infinities and NaNs keep their meaning."""

    parallel: bool = False
    fastmath: bool = False


@dataclass(frozen=True)
class Options:
    """``backend`` "numpy", or "numba" for compiled loops; ``style`` "compact" or "ssa"; ``cache_dir`` where generated modules go.
    ``parallel`` and ``fastmath``: settings of a ``Machine``, of "numba" alone.

    Raises SettingError for values that are not known, ModuleNotFoundError where Numba is asked for and not installed.
    """

    backend: str = "numpy"
    style: str = "compact"
    cache_dir: str | os.PathLike[str] | None = None
    parallel: bool = False
    fastmath: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.backend, str) or self.backend not in ("numpy", "numba"):
            raise SettingError(f"backend={self.backend!r} is unknown; use 'numpy' or 'numba'")
        if self.backend == "numba" and importlib.util.find_spec("numba") is None:
            raise ModuleNotFoundError("backend='numba' needs Numba, which is not installed: pip install 's2sad[numba]'")
        if not isinstance(self.style, str) or self.style not in ("compact", "ssa"):
            raise SettingError(f"style={self.style!r} is unknown; use 'compact' or 'ssa'")
        if not isinstance(self.cache_dir, str | os.PathLike | None):
            raise SettingError(f"cache_dir={self.cache_dir!r} is no path", instead="a str, or a pathlib.Path")
        for name in ("parallel", "fastmath"):
            given = getattr(self, name)
            if not isinstance(given, bool):
                raise SettingError(f"{name}={given!r} is unknown; use True or False")
            if given and self.backend != "numba":
                raise SettingError(f"{name}=True is about compiled programs; it needs backend='numba'")

    @property
    def machine(self) -> Machine | None:
        """How programs are compiled; None if they are not."""
        return Machine(self.parallel, self.fastmath) if self.backend == "numba" else None

    def plain(self) -> Options:
        """The same, of programs for NumPy."""
        return replace(self, backend="numpy", parallel=False, fastmath=False)


def make_options(given: dict[str, Any]) -> Options:
    """Options from keyword arguments. Raises ArgumentError for unknown ones."""
    known = [each.name for each in fields(Options)]
    for name in given:
        if name not in known:
            if name in SETTINGS:
                raise ArgumentError(
                    f"the setting {name!r} is not one of this function, whose options are {', '.join(known)}; {SETTINGS[name]}"
                )
            hint = meant(name, [*known, *SETTINGS], f"there are {', '.join(known)}")
            raise ArgumentError(f"the option {name!r} is unknown; {hint}")
    return Options(**given)
