"""Which states of a loop are kept until its reverse, and from which it is run again.

``stops`` is the binomial schedule, of which no other does with fewer steps (Griewank & Walther, "Algorithm 799: revolve", ACM
TOMS 26, 2000): with s snapshots n steps are reversed by r n - C(s + r, r - 1) steps forward, where r is the least number with
n <= C(s + r, r). ``is_due`` and ``stale`` serve loops of which nobody knows how long they run: half of the snapshots are spread
evenly, twice as far apart whenever there are too many; the others are left for the binomial schedule in between. So each gap is
at most 4 n / s long, and reversed with half of the snapshots or more: n + r' n steps at most, r' the least number with
4 n / s <= C(s / 2 + r', r').
"""

from __future__ import annotations

from functools import lru_cache
from math import comb


def stops(start: int, stop: int, snapshots: int) -> list[int]:
    """The steps at which a run from ``start`` pauses so that step ``stop - 1`` comes next, the first and the last included.

    A snapshot is kept at ``start``, and is to be taken at each pause but the last; ``snapshots`` counts them, and that.
    Raises ValueError for less than one.
    """
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
    """Whether a snapshot is taken before a step of a loop of unknown length."""
    return step % _apart(step, snapshots) == 0


def stale(step: int, snapshots: int, kept: list[int]) -> list[int]:
    """The places of the snapshots that are too close to each other by this step, last one first."""
    apart = _apart(step, snapshots)
    return [k for k in reversed(range(len(kept))) if kept[k] % apart]


def _apart(step: int, snapshots: int) -> int:
    """The least power of two by which the steps up to this one are covered with half of the snapshots."""
    some = max(snapshots // 2, 1)
    return 1 << max(0, (step // some).bit_length())
