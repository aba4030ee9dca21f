"""Calls of library functions in every form, with every option: each mode on its own against differences.

``calls.txt`` holds one-line programs. Of each: both modes agree with differences of the program, and with each other in what
they refuse; value, tangent and gradient have the dtypes and shapes that belong to them; nothing but an S2sadError is raised
where the program runs. Lines that start with ``refused:`` are refused, in both modes.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

pytest.importorskip("scipy")

from calls import MODULES, Trial
from samples import SAMPLES

from s2sad.rules import registry
from s2sad.rules.functionals import Functional
from s2sad.rules.language import Derivative

LINES = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").splitlines()
CALLS = [line for line in LINES if line and not line.startswith("#")]
REFUSED = "refused: "
ALONE = 16  # one line of so many is differentiated by each argument alone, too


@pytest.mark.parametrize("line", CALLS)
def test_call(line: str) -> None:
    of(line, alone=crc32(line.encode()) % ALONE == 0)


@pytest.mark.deep
@pytest.mark.parametrize("line", CALLS)
def test_call_by_each_argument_alone(line: str) -> None:
    of(line, alone=True)


def of(line: str, alone: bool) -> None:
    """Try one line; ``alone`` by each argument in a program of its own."""
    trial = Trial(line.removeprefix(REFUSED))
    assert list(trial.problems(alone)) == []
    if line.startswith(REFUSED):
        assert trial.refused["tangent"], "it is not refused any more"
    else:
        assert not trial.refused["tangent"], "it is refused"


# Options that say how a result is computed or stored, and not what it is.
NEUTRAL = {
    "check_finite", "overwrite_a", "overwrite_b", "overwrite_x", "overwrite_ab", "workers", "plan", "lwork", "lapack_driver",
    "driver", "order", "copy", "casting", "subok", "callback", "callback_type", "show", "check", "disp", "kind", "optimize",
    "permc_spec", "use_umfpack", "tol", "rtol", "atol", "xtol", "maxiter", "M", "restart", "inner_m", "outer_k", "outer_v",
    "store_outer_Av", "prepend_outer_v", "traceA", "balanced",
}  # fmt: skip


def used() -> dict[int, set[str]]:
    """The options that samples and calls give values other than their defaults, by rule."""
    found: dict[int, set[str]] = {}
    for name, samples in SAMPLES.items():
        for sample in samples:
            _note(found, name, list(sample.args), sample.kwargs)
    for line in CALLS:
        for node in ast.walk(ast.parse(line.removeprefix(REFUSED))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                keywords = {k.arg: k.value for k in node.keywords if k.arg}
                for name in _names(node.func):
                    _note(found, name, list(node.args), keywords)
    return found


def _names(node: ast.Attribute) -> list[str]:
    """The canonical names that a function of a line may have."""
    path = ast.unparse(node)
    root, _, rest = path.partition(".")
    if root in MODULES and all(part.isidentifier() for part in rest.split(".")):
        return [f"{MODULES[root].__name__}.{rest}"]
    return [f"ndarray.{node.attr}"]


def _note(found: dict[int, set[str]], name: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    primitive = registry.lookup(name)
    if primitive is None:
        return
    places = [p for p, _, _ in primitive.parameters if p not in primitive.keyword_only]
    given = {**dict(zip(places, args, strict=False)), **kwargs}
    defaults = {p: default for p, _, default in primitive.parameters}
    options = found.setdefault(id(primitive.derivative), set())
    for p, value in given.items():
        plain = ast.unparse(value) if isinstance(value, ast.AST) else repr(value)
        if p in defaults and plain != repr(defaults[p]):
            options.add(p)


def test_every_option_has_a_call() -> None:
    """Functions of functions have programs of their own (``test_functionals``), distributions too (``test_scipy_programs``)."""
    found = used()
    missing = [
        f"{name}({option}=)"
        for name, primitive in registry.all_primitives().items()
        if name.startswith(("numpy.", "ndarray.", "scipy.")) and not name.startswith("scipy.stats.")
        if isinstance(primitive.derivative, Derivative) and not isinstance(primitive.derivative, Functional)
        for option, optional, _ in primitive.parameters
        if optional and not option.startswith("*") and option not in NEUTRAL
        if option not in found.get(id(primitive.derivative), set())
    ]
    assert missing == []
