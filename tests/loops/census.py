"""What of the in-place corpus is not lowered to loops, and why: ``python tests/loops/census.py`` writes ``not_lowered.txt``.

A deep test compares the file with what it says now.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from both_backends import NotNative, compiled
from programs.case import Case, all_cases

from s2sad.derivatives import Ask, Derivatives
from s2sad.options import Options

KEPT = Path(__file__).with_name("not_lowered.txt")
MODES = ("adjoint", "tangent")


def refused(case: Case, mode: str) -> str | None:
    """Why the derivative program of a case runs as NumPy; None if it is lowered."""
    derivatives = Derivatives(case.function, Options())
    args = derivatives.arguments(case.make(np.random.default_rng(1)), {})
    try:
        compiled(case.function, Ask(mode, derivatives.inputs(case.wrt), case.of), args, "numba")
    except NotNative as error:
        return re.sub(r" \([^()]*, line \d+\)$", "", str(error))
    return None


def census() -> str:
    """The share that is lowered, the reasons by count, and the programs."""
    cases = all_cases()
    lines: list[str] = []
    reasons: Counter[str] = Counter()
    for mode in MODES:
        found = {case.name: why for case in cases if (why := refused(case, mode)) is not None}
        reasons.update(re.sub(r"^\w+: ", "", why) for why in found.values())
        lines.append(f"\n{mode}: {len(cases) - len(found)} of {len(cases)} programs are lowered to loops. The others:")
        lines += [f"  {name}: {why}" for name, why in found.items()]
    top = [f"  {count} {why}" for why, count in reasons.most_common()]
    head = "Made by tests/loops/census.py. Reasons, by how many programs have them, in both modes together:"
    return "\n".join([head, *top, *lines]) + "\n"


if __name__ == "__main__":
    KEPT.write_text(census())
