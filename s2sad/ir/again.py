"""Attempts to lower a program, each of which may show more of it."""

from __future__ import annotations

from typing import Any


class Again(Exception):
    """The end of an attempt: another one is to know ``more`` (names of ``frontend.lower.state.Findings``) from the beginning."""

    def __init__(self, **more: Any) -> None:
        self.more = more
