"""The line that says what a function does to memory: as it reads, and compared with what the function does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mode_pairs import leaves

from s2sad import pipeline, vjp
from s2sad.analysis.memory_signatures import signature
from s2sad.cli import main

IMPORT = "from jaxtyping import Float\n"
HEAD = f'''from __future__ import annotations
import numpy as np
{IMPORT}

def first(p: Float[np.ndarray, 'n'], n: int):
    if n == 0:
        return p[0]
    p[n] *= 0.5
    return first(p, n - 1)


'''
A, N = "a: Float[np.ndarray, 'n']", "b: Float[np.ndarray, 'n']"
LINES = {
    f"f({A}): return np.sin(a)": "f(a) -> fresh",
    f"f({A}): return a": "f(a) -> same(a)",
    f"f({A}): return a[1:]": "f(a) -> view(a)?",
    f"f({A}, {N}): return a[::-1], b * 2.0, np.sum(a)": "f(a, b) -> (view(a)?, fresh, fresh)",
    f"f({A}, {N}): a += b; return b": "f(a, b) -> same(b); writes a",
    f"f({A}, {N}): c = b[1:]; c *= a[1:]; return c, a": "f(a, b) -> (view(b)?, same(a)); writes b",
    f"f({A}): c = np.sin(a); return c, c[1:]": "f(a) -> (fresh, view(result 0)?)",
    f"f({A}, {N}): return a if a[0] > 0.0 else b": "f(a, b) -> same(a) or same(b)",
    f"f({A}, {N}): return a[1:] if a[0] > 0.0 else b * 2.0": "f(a, b) -> view(a)? or fresh",
    f"f({A}, {N}): return [a, b * 2.0]": "f(a, b) -> holds(a)",
    f"f({A}): return np.sum(a) * first(a, 2)": "f(a) -> fresh; writes a",
    f"f({A}): return np.sum(a) * first(a * 1.0, 2)": "f(a) -> fresh",
}


def shown(folder: Path, head: str) -> list[str]:
    """What the command line says of a function and of those that it calls."""
    signature, _, body = head.partition("): ")
    text = f"{HEAD}def {signature}):\n" + "".join(f"    {line.strip()}\n" for line in body.split(";"))
    (folder / "program.py").write_text(text)
    found = CliRunner().invoke(main, ["show", f"{folder / 'program.py'}:f", "--stage", "memory"])
    assert found.exit_code == 0, found.output
    return found.output.splitlines()


@pytest.mark.parametrize("head", LINES)
def test_the_line_of_a_function(head: str, tmp_path: Path) -> None:
    lines = shown(tmp_path, head)
    assert lines[-1] == LINES[head]
    if "first(" in head:
        assert lines[0] == "first(p, n) -> fresh; writes p"
    scope: dict[str, Any] = {}
    exec((tmp_path / "program.py").read_text().replace(IMPORT, ""), scope)
    given = {"a": np.linspace(0.5, 1.5, 6), "b": np.linspace(-1.0, 1.0, 6)}
    names = re.findall(r"(\w+)", lines[-1].partition(")")[0].partition("(")[2])
    before = {name: given[name].copy() for name in names}
    result = scope["f"](*(given[name] for name in names))
    line, _, written = lines[-1].partition("; writes ")
    for name in names:  # it may say more than happens, and never less
        if not np.array_equal(given[name], before[name]):
            assert name in written.split(", ")
        if any(np.shares_memory(x, given[name]) for x in leaves(result)):
            assert f"({name})" in line


class State:
    def __init__(self, x: Any) -> None:
        self.u, self.v = x * 1.0, x * 2.0


def step(s, x):
    s.u += x
    return s, s.u[1:], x * 2.0


def pairs(xs, d, x):
    xs[0][1] = 2.0
    d["k"][0] = x[0]
    return d["k"], xs[1], x


@pytest.mark.parametrize(
    ("function", "args", "line"),
    [
        (step, (State(np.ones(4)), np.ones(4)), "step(s, x) -> (holds(s.u, s.v), view(s.u)?, fresh); writes s.u"),
        (
            pairs, ([np.ones(4), np.ones(4)], {"k": np.ones(4)}, np.ones(4)),
            "pairs(xs, d, x) -> (view(d['k'])?, view(xs[*])?, same(x)); writes xs[*], d['k']",
        ),
    ],
)  # fmt: skip
def test_places_in_objects_and_containers(function: Any, args: Any, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    lower = pipeline.lower

    def watched(*given: Any, **named: Any) -> Any:
        found = lower(*given, **named)
        lines.append(signature(found[0]))
        return found

    monkeypatch.setattr(pipeline, "lower", watched)
    vjp(function, *args)
    assert lines == [line]
