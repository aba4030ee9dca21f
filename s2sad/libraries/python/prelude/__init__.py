"""Functions and classes of Python's own library as programs, over what has rules (``frontend.lower.prelude_calls``)."""

from __future__ import annotations

from s2sad.rules.rooms import Prelude

PRELUDE = Prelude({
    "bisect": ("bisect",), "heapq": ("heapq",), "lists": (), "counters": (), "queues": ("queue",), "random": (),
    "statistics": ("statistics",), "whole_parts": ("math",),
})  # fmt: skip
