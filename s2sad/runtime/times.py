"""Parts of dates, times and spans of time, which carry no derivative."""

from __future__ import annotations

import datetime
from typing import Any

from s2sad.runtime.guards import UnsupportedError


def of_time(thing: Any, name: str) -> Any:
    """``thing.days``, ``thing.total_seconds()`` and so on. Raises UnsupportedError for what is no time."""
    if not isinstance(thing, datetime.timedelta | datetime.date | datetime.time):
        raise UnsupportedError(f"the attribute {name!r} of a {type(thing).__name__}: make it an argument")
    found = getattr(thing, name)
    return found() if callable(found) else found
