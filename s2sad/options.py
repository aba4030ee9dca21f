"""The options that all entry points share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Options:
    """``backend`` "numpy"; ``style`` "compact" or "ssa"; ``cache_dir`` where generated modules go.

    Raises ValueError for values that are not known.
    """

    backend: str = "numpy"
    style: str = "compact"
    cache_dir: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if self.backend != "numpy":
            raise ValueError(f"backend={self.backend!r} is not there yet; use backend='numpy'")
        if self.style not in ("compact", "ssa"):
            raise ValueError(f"style={self.style!r} is unknown; use 'compact' or 'ssa'")


def make_options(given: dict[str, Any]) -> Options:
    """Options from keyword arguments. Raises TypeError for unknown ones."""
    unknown = set(given) - {"backend", "style", "cache_dir"}
    if unknown:
        raise TypeError(f"unknown options: {', '.join(sorted(unknown))}")
    return Options(**given)
