"""The helpers of ``s2sad.runtime`` as source text, for modules that are to run without it."""

from __future__ import annotations


def helper_source(helpers: dict[str, str]) -> tuple[list[str], str]:
    """The import statements that the helpers need, and their source, with whatever they call in turn."""
    return [], ""
