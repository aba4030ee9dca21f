"""One-line programs in NumPy: both modes against differences, and values and types as the program gives them.

``numpy_programs.txt`` holds them, by topic. Names of VALUES are arguments; statements before the result are set apart
by semicolons; a line that starts with ``import`` is a whole module in which ``f`` is the program.
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import Trial
from sampling import arr, loaded
from thinning import thinned

from s2sad import jvp, vjp
from s2sad.errors import S2sadError

SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
VALUES: dict[str, Any] = {
    **{name: arr(5, seed=k) for k, name in enumerate("xy")},
    **{name: arr(3, seed=k) for k, name in enumerate("vw")},
    "p": arr(5, low=0.2, high=1.2, seed=2),
    "h": arr(5, low=0.1, high=1.1, seed=3),
    "s": 0.7,
    "t": -0.4,
    "k": 3,
    "q": np.float64(0.3),
    "o": np.array(0.6),
    "b": [0.3, 0.5, -0.2],
    "u": np.sort(arr(6, seed=5)),
    "e": np.zeros(0),
    "e2": np.zeros((0, 3)),
    "one": arr(1),
    "A": arr(3, 4),
    "A1": arr(3, 1),
    "B": arr(4, 3, seed=1),
    "B1": arr(1, 4),
    "S": arr(3, 3) + 2 * np.eye(3),
    "P": SPD,
    "BS": np.stack([SPD, SPD + 1]),
    "T": arr(2, 3, 4),
    "f": arr(5, dtype="float32"),
    "F": arr(3, 4, dtype="float32"),
    "z": arr(4, dtype="complex128"),
    "Z": arr(3, 3, dtype="complex128") + 2 * np.eye(3),
    "nc": arr(10)[::2],
    "NC": arr(6, 8)[::2, ::2],
    "K": arr(4, 3, seed=7).T,
    "i": np.array([2, 0, 1, 1, 4]),
    "m": np.array([True, False, True, True, False]),
    "n": np.array([0.3, np.nan, -0.5, 0.8, np.nan]),
    "N": np.array([[0.3, np.nan, 0.5], [-0.2, 0.7, np.nan]]),
}
HEAD = re.compile(r"^([\w ,]*):(?!=)")
LINES = Path(__file__).with_name("numpy_programs.txt").read_text(encoding="utf-8").splitlines()
PROGRAMS = [line for line in LINES if line and not line.startswith("#")]
_count = itertools.count()


def program(line: str) -> Any:
    """The function that a line stands for."""
    text = line.replace("\\n", "\n") + "\n" if line.startswith("import") else _written(line)
    file = f"<numpy program {next(_count)}>"
    return loaded(file, text)["f"]


def _written(line: str) -> str:
    head = HEAD.match(line)
    body = line[head.end() :] if head else line
    *statements, result = [part.strip() for part in body.split(";")]
    names = head.group(1).split() if head else _free(body)
    lines = [*statements, f"return {result}"]
    return f"import math\nimport numpy as np\ndef f({', '.join(names)}):\n" + "".join(
        f"    {part}\n" for part in lines
    )


def _free(body: str) -> list[str]:
    """The values that a program mentions and does not bind itself."""
    nodes = list(ast.walk(ast.parse("\n".join(part.strip() for part in body.split(";")))))
    bound = {a.arg for node in nodes if isinstance(node, ast.Lambda) for a in node.args.args}
    bound |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return sorted({node.id for node in nodes if isinstance(node, ast.Name)} & VALUES.keys() - bound)


def arguments(function: Any) -> list[Any]:
    return [copy.deepcopy(VALUES[name]) for name in inspect.signature(function).parameters]


def active(function: Any) -> tuple[str, ...]:
    """The parameters that are differentiated."""
    names = inspect.signature(function).parameters
    return tuple(n for n in names if np.asarray(VALUES[n]).dtype.kind in "fc")


def tangents(function: Any) -> tuple[Any, ...]:
    return tuple(copy.deepcopy(VALUES[name]) for name in active(function))


@pytest.mark.parametrize("line", thinned(PROGRAMS, 8))
def test_both_modes_agree_with_differences(line: str) -> None:
    function = program(line)
    values = {name: VALUES[name] for name in inspect.signature(function).parameters}
    trial = Trial(function, values)
    assert list(trial.problems(alone=False)) == []
    assert not trial.refused["tangent"]


REFUSED = [
    ("np.frompyfunc(lambda a: a, 1, 1)(x)", "arrays of Python objects"),
    ("np.vectorize(lambda a: a, signature='()->()')(x)", "loop over the rows"),
    ("np.pad(x, 2, 'empty')", "uninitialised"),
    ("np.nditer(x)", "np.ndindex"),
    ("np.matrix(A)", "product of matrices"),
    ("np.ma.masked_array(x, m).sum()", "an object that was made of the variables"),
    ("np.lib.stride_tricks.as_strided(x, (3,), (16,))", "sliding_window_view"),
    ("y2=x*1; y2.shape=(5, 1); y2", "another array"),
    ("y2=x*1; y2.resize(3); y2", "its memory is moved"),
    ("x.view(np.int64) * s", "another type"),
    ("np.poly(S)", "eigvalsh"),
    ("np.poly(z)", "polyfromroots"),
    ("np.linalg.qr(S, 'raw')", "only 'reduced', 'complete' and 'r'"),
    ("np.polynomial.Chebyshev(v, domain=[0, 1])(x)", "mapped first"),
    ("np.r_['-1', A, A]", "np.concatenate"),
    ("np.random.default_rng(1).poisson(abs(x)) * x", "it is a count"),
    ("np.random.default_rng(1).gamma(abs(x))", "by its argument 'shape'"),
    ("np.random.default_rng(1).beta(abs(x), 2.0)", "score function"),
    ("np.random.default_rng(1).choice(x, 3, p=p / np.sum(p))", "jumps with the probabilities"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("line", "why"), REFUSED)
def test_what_is_refused_says_why(line: str, why: str) -> None:
    function = program(line)
    with pytest.raises(S2sadError, match=re.escape(why)):
        vjp(function, *arguments(function), wrt=active(function))
    with pytest.raises(S2sadError, match=re.escape(why)):
        jvp(function, tuple(arguments(function)), tangents(function), wrt=active(function))


def test_types_that_the_first_result_cannot_hold_are_no_silent_truncation() -> None:
    function = program("np.vectorize(lambda a: a * a if a > 0 else 0)(x)")
    x = np.array([-1.0, 0.5])
    assert function(x).dtype == np.int64  # NumPy truncates 0.25 to 0
    with pytest.raises(S2sadError, match="of one type"):
        jvp(function, (x,), (x,))
