"""Which states of a loop are kept until its reverse, and from which it is run again.

``stops`` is the binomial schedule, of which no other does with fewer steps (Griewank & Walther, "Algorithm 799: revolve", ACM
TOMS 26, 2000): with s snapshots n steps are reversed by r n - C(s + r, r - 1) steps forward, where r is the least number with
n <= C(s + r, r). ``is_due`` and ``stale`` serve loops of which nobody knows how long they run: half of the snapshots are spread
evenly, twice as far apart whenever there are too many; the others are left for the binomial schedule in between. So each gap is
at most 4 n / s long, and reversed with half of the snapshots or more: n + r' n steps at most, r' the least number with
4 n / s <= C(s / 2 + r', r').
"""

from __future__ import annotations

import copy
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np


def stops(start: int, stop: int, snapshots: int | Plan) -> list[int]:
    """The steps at which a run from ``start`` pauses so that step ``stop - 1`` comes next, the first and the last included.

    A snapshot is kept at ``start``, and is to be taken at each pause but the last; ``snapshots`` counts them, and that.
    Raises ValueError for less than one. A plan has pauses of its own.
    """
    if isinstance(snapshots, Plan):
        between = sorted(step for step in snapshots.kept.get(stop, ()) if start < step < stop - 1)
        return [start, *between, *([stop - 1] if stop - 1 > start else [])]
    if snapshots < 1:
        raise ValueError(f"{snapshots} snapshots: the state at the beginning of a loop has to be kept")
    marks = [start]
    while stop - marks[-1] > 1 and snapshots > 1:
        marks.append(marks[-1] + pause(stop - marks[-1], snapshots))
        snapshots -= 1
    if stop - marks[-1] > 1:
        marks.append(stop - 1)
    return marks


@lru_cache(maxsize=65536)
def pause(steps: int, snapshots: int) -> int:
    """How far to run before the next snapshot is taken, of ``steps`` to be reversed with ``snapshots``, one of them here."""
    again = 1
    while comb(snapshots + again, again) < steps:
        again += 1
    return max(1, min(comb(snapshots + again - 1, again - 1), steps - comb(snapshots + again - 2, again - 1)))


def is_due(step: int, snapshots: int) -> bool:
    """Need for a snapshot before a step of a loop of unknown length."""
    return step % _apart(step, snapshots) == 0


def stale(step: int, snapshots: int, kept: list[int]) -> list[int]:
    """The places of the snapshots that are too close to each other by this step, last one first."""
    apart = _apart(step, snapshots)
    return [k for k in reversed(range(len(kept))) if kept[k] % apart]


def _apart(step: int, snapshots: int) -> int:
    """The least power of two by which the steps up to this one are covered with half of the snapshots."""
    some = max(snapshots // 2, 1)
    return 1 << max(0, (step // some).bit_length())


class Plan:
    """Which states of a loop are kept, and where, by a schedule of the package checkpoint_schedules.

    ``kept``: by the step before which a run ends, plus one, the steps whose states are to be kept on the way, "RAM" or "DISK":
    ``kept[n + 1]`` in the forward sweep of n steps, ``kept[k + 1]`` in the run that leads to the reverse of step k.
    """

    def __init__(self, kept: dict[int, dict[int, str]]) -> None:
        self.kept = kept


def planned(schedule: Any, steps: int) -> Plan:
    """The plan of a schedule, or of what gives one for a number of steps; the schedule itself is left as it is.

    Its actions are read, not followed: what they keep for the reverse of steps that are not the next one, is kept as the states
    from which these steps are run again. Raises ValueError for a schedule of another number of steps, for one that has been
    started, and for one that does not reverse all steps.
    """
    if steps == 0:
        return Plan({})
    found = schedule(steps) if callable(schedule) else schedule
    if not hasattr(found, "finalize"):
        raise ValueError(f"{found!r} is no schedule of checkpoint_schedules")
    try:
        actions = copy.deepcopy(found)
    except TypeError as error:
        raise ValueError(f"{found!r} has been started: a schedule for each loop, or a function that makes one") from error
    if getattr(actions, "max_n", steps) not in (None, steps):
        raise ValueError(f"{found!r} is a schedule of {actions.max_n} steps, and the loop has {steps}")
    kept: dict[int, dict[int, str]] = {}
    now: dict[int, str] = {}
    left = steps
    for action in actions:
        match type(action).__name__:
            case "Forward":
                where = action.storage.name
                if action.write_ics:
                    now[action.n0] = where
                if action.write_adj_deps and (where != "WORK" or action.n1 > action.n0 + 1):
                    now |= dict.fromkeys(range(action.n0, min(action.n1, steps)), where)
                if actions.max_n is None and actions.n >= steps:
                    actions.finalize(steps)
            case "EndForward":
                kept[steps + 1], now = now, {}
            case "Reverse":
                kept[action.n1], now, left = now, {}, action.n0
            case "EndReverse":
                break
    if left:
        raise ValueError(f"{found!r} leaves {left} of {steps} steps that are not reversed")
    return Plan(kept)


def placed(value: Any, plan: Plan, stop: int, step: int) -> Any:
    """A part of the state before ``step``, kept on a run to ``stop``: in a file that goes with it, where the plan says so."""
    if plan.kept.get(stop, {}).get(step) != "DISK" or not isinstance(value, np.ndarray) or not value.size:
        return value
    import tempfile

    with tempfile.TemporaryFile() as file:
        held = np.memmap(file, value.dtype, "w+", shape=value.shape, order="F" if value.flags.fnc else "C")
    held[...] = value
    return held.view(np.ndarray)
