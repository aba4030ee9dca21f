"""Programs that write into memory in ways that derivatives got wrong: both modes and four mode pairs, alone, in a helper, in a
helper in a loop, and as modules that the command line writes.

By default each program is examined in one of these surroundings, in both modes and one pair; ``-m deep`` does it in all.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from memory_programs import CLASSES, RESULTS, written
from mode_pairs import MODES, check, check_pair, directions, distance, load, own, shaped, slopes

from s2sad import grad, jvp, stop_gradient, vjp
from s2sad.cli import main

X = np.array([0.31, 0.52, 0.83, 0.24, 1.15, 0.76])
PAIRS = list(itertools.product(MODES, MODES))
AROUND = ("", "helper", "loop", "cli")
PROGRAMS = [(family, name, body) for family, table in CLASSES.items() for name, body in table.items()]
ON_THE_COMMAND_LINE = [p for p in PROGRAMS if "Box" not in p[2]]  # nobody there knows what a class is
DEEPER = ("tapes", "sharing", "layouts", "handed back")  # of which a few run by default
QUICK = [
    pytest.param(
        body,
        AROUND[k % 4] if "Box" not in body else AROUND[k % 3],
        PAIRS[(k // 4) % 4],
        id=f"{family}, {name}, {AROUND[k % 4]}",
    )
    for k, (family, name, body) in enumerate(PROGRAMS)
    if family not in DEEPER or k % 5 == 0
]
ALL = [
    pytest.param(body, around, pair, id=f"{family}, {name}, {around}, {pair}")
    for family, name, body in PROGRAMS
    for around in AROUND[:3]
    for pair in PAIRS
]


def examine(body: str, around: str, pair: tuple[str, str]) -> None:
    function = load(written(body, around))
    for mode in MODES:
        check(function, (X,), mode)
    check_pair(function, (X,), *pair)


def run(*words: str) -> None:
    found = CliRunner().invoke(main, list(words))
    assert found.exit_code == 0, found.output


def on_the_command_line(body: str, folder: Path) -> None:
    """The modules that ``s2sad transform`` writes, of a file with annotations."""
    annotated = "from __future__ import annotations\n" + written(body).replace(
        "def f(x):", "def f(x: Float[np.ndarray, 'n']):"
    )
    text = annotated.replace("import numpy as np\n", "import numpy as np\nfrom jaxtyping import Float\n", 1)
    (folder / "program.py").write_text(text)
    expected, along = slopes(load(annotated), (X,), directions((X,))), directions((X,))
    run("transform", str(folder / "program.py"), "--function", "f", "--mode", "both", "-o", str(folder))
    for mode in MODES:
        (module,) = folder.glob(f"*{mode}*.py")
        function = load(module.read_text(), f"f_{mode}")
        kept = X.copy()
        found = function(kept, *along)[1] if mode == "tangent" else np.sum(function(kept)[1] * along[0])
        assert distance(np.array([found]), expected) < 3e-5, f"{mode}: {found}, differences: {expected[0]}"
        assert np.array_equal(kept, X)


@pytest.mark.parametrize(("body", "around", "pair"), QUICK)
def test_right_in_one_surrounding(body: str, around: str, pair: tuple[str, str], tmp_path: Path) -> None:
    if around == "cli":
        on_the_command_line(body, tmp_path)
    else:
        examine(body, around, pair)


@pytest.mark.deep
@pytest.mark.parametrize(("body", "around", "pair"), ALL)
def test_right_in_all(body: str, around: str, pair: tuple[str, str]) -> None:
    examine(body, around, pair)


@pytest.mark.deep
@pytest.mark.parametrize(
    "body", [pytest.param(body, id=f"{family}, {name}") for family, name, body in ON_THE_COMMAND_LINE]
)
def test_right_on_the_command_line(body: str, tmp_path: Path) -> None:
    on_the_command_line(body, tmp_path)


# --- what is returned


def of_two(text: str) -> Callable[..., Any]:
    return load(f"import numpy as np\n\nA = np.ones(3)\n\n\ndef f(x, y):\n    return {text}\n")


@pytest.mark.parametrize("text", RESULTS)
def test_results_are_memory_of_their_own(text: str) -> None:
    function = of_two(text)
    x, y, x_dot, y_dot = np.random.default_rng(2).normal(size=(4, 3))
    outside = function.__globals__["A"]
    value, tangent = jvp(function, (x, y), (x_dot, y_dot))
    own(tangent, [x, y, x_dot, y_dot, value, outside])
    value, pullback = vjp(function, x, y)
    seed = shaped(itertools.repeat(2.0), value)
    own(pullback(seed), [x, y, seed, value, outside])
    if isinstance(value, float):
        own(grad(function, (0, 1))(x, y), [x, y, outside])


@pytest.mark.parametrize(
    "argument", [[np.ones(3), np.ones(3)], {0: np.ones(3), 1: np.ones(3)}, (np.ones(3), np.ones(3))]
)
def test_parts_of_gradients_are_memory_of_their_own(argument: Any) -> None:
    gradient = grad(load("import numpy as np\n\n\ndef f(xs):\n    return np.sum(xs[0] + xs[1])\n"))(argument)
    own(gradient, argument)
    assert all(np.array_equal(gradient[k], np.ones(3)) for k in (0, 1))


def test_shared_results_are_seen() -> None:
    x = np.ones(3)
    for results, given in [((x, x), []), (x, [x[1:]]), (np.broadcast_to(1.0, 3), [])]:
        with pytest.raises(AssertionError):
            own(results, given)


# --- stop_gradient


@pytest.mark.parametrize(
    "body",
    [
        "c = stop(x)\nx[0] = x[1] * c[0]",
        "c = stop(x)\nc[0] = 9.0",
        "x *= x\nc = stop(x)\nx[0] = x[1] * c[0]",
        "c = stop(x)\nx = x * c",
    ],
)
def test_stop_gradient_gives_memory_of_its_own(body: str) -> None:
    lines = "".join(f"    {line}\n" for line in [*body.split("\n"), "return np.sum(x**2 * c)"])
    function = load(f"import numpy as np\nfrom s2sad import stop_gradient as stop\n\n\ndef f(x):\n{lines}")
    constant: list[Any] = []

    def recorded(x: Any) -> Any:  # what it stops, as a constant
        constant.append(stop_gradient(x))
        return constant[0].copy()

    function.__globals__["stop"] = recorded
    function(X.copy())
    expected, along = slopes(function, (X,), directions((X,))), directions((X,))
    function.__globals__["stop"] = stop_gradient
    assert distance(np.array([jvp(function, (X,), along)[1]]), expected) < 3e-5
    assert distance(np.array([np.sum(grad(function)(X) * along[0])]), expected) < 3e-5


def test_a_module_runs_without_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        written(CLASSES["lists"]["stack"]).replace("def f(x):", "def f(x: np.ndarray):")
    )
    run("transform", str(tmp_path / "program.py"), "--function", "f", "--standalone", "-o", str(tmp_path))
    (module,) = tmp_path.glob("*adjoint*.py")
    code = f"import runpy, numpy as np; m = runpy.run_path({str(module)!r}); print(m['f_adjoint'](np.ones(2))[1])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[8. 8.]"
