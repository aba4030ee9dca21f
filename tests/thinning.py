"""Cases of which some run by default, and all of them with ``-m deep`` besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from zlib import crc32

import pytest


def thinned(cases: Iterable[Any], every: int, ident: Callable[[Any], str] = str) -> list[Any]:
    """One in ``every`` cases, chosen by its name alone so that new cases move no others; the rest are marked ``deep``."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), id=ident(case),
            marks=[pytest.mark.deep] if crc32(ident(case).encode()) % every else [],
        )
        for case in cases
    ]  # fmt: skip
