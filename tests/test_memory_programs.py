"""Programs that write into memory in ways that derivatives got wrong: both modes and four mode pairs, alone, in a helper, in a
helper in a loop, as modules that the command line writes; and in closures, methods, recursive and checkpointed functions,
``vmap`` and ``grad``.

By default some programs are examined in one of these surroundings, in both modes and one pair; ``-m deep`` does it with all.
"""

from __future__ import annotations

import copy
import itertools
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from memory_programs import (
    AROUND,
    CLASSES,
    KNOWN_ITEMS,
    LINK,
    MECHANISMS,
    MIRRORED,
    RESULTS,
    UNMIRRORED,
    written,
)
from mode_pairs import MODES, check, check_pair, directions, distance, load, own, shaped, slopes

from s2sad import S2sadError, differentiate, grad, jvp, nondifferentiable, stop_gradient, vjp
from s2sad.cli import main
from s2sad.errors import NoRuleError, UnsupportedSyntaxError
from s2sad.runtime.guards import MOST_ITEMS

X = np.array([0.31, 0.52, 0.83, 0.24, 1.15, 0.76])
PAIRS = list(itertools.product(MODES, MODES))
SURROUNDINGS = ("", "helper", "loop", "cli")
PROGRAMS = [(family, name, body) for family, table in CLASSES.items() for name, body in table.items()]
PLACES = [
    (family, name, around)
    for family, name, body in PROGRAMS  # nobody on the command line knows what a class is
    for around in (SURROUNDINGS[:3] if "Box" in body or "class " in body else SURROUNDINGS)
]
QUICK = [(*PLACES[k], PAIRS[k // 5 % 4]) for k in range(0, len(PLACES), 19)]  # all surroundings in turn
QUICK += [("absent", "two loops", "helper", PAIRS[3]), ("returned", "a gradient of a sum", "", PAIRS[2])]
# The other surroundings in turn, in which what the function has written is read afterwards.
BEYOND = [
    (family, name, [*AROUND][3 + k % 7]) for k, (family, name, _) in enumerate(PROGRAMS) if family not in ("stopped", "found")
]
# What is refused in second derivatives, of the adjoint program: what a branch leaves unbound is None on a tape, and what a
# recursion calls restores windows on its tape.
REFUSED = {
    ("absent", "in an attempt", "loop"): "in place is not known",
    ("found", "a window bound in one arm", "helper"): "in place is not known",
    ("found", "a window bound in one arm", "loop"): "in place is not known",
    ("reshaped", "np.ravel", "recursion"): "writes into its arguments",
    ("sharing", "rows", "recursion"): "writes into its arguments",
    ("layouts", "columns", "recursion"): "writes into its arguments",
    ("returned", "rows", "recursion"): "writes into its arguments",
}


def stopped(text: str) -> Callable[..., Any]:
    """The function, with what ``stop_gradient`` gives at X as constants: its derivatives are those that are right."""
    function = load(text)
    kept: list[Any] = []

    def noted(value: Any) -> Any:
        kept.append(stop_gradient(value))
        return copy.copy(kept[-1])

    function.__globals__["stop"] = noted
    function(X.copy())
    turn = itertools.cycle(kept)

    def recorded(value: Any) -> Any:
        return copy.copy(next(turn))

    function.__globals__["stop"] = nondifferentiable(recorded)
    return function


def judge_of(text: str) -> Callable[..., Any] | None:
    return stopped(text) if "stop(" in text else None


def examine(place: tuple[str, str, str], pairs: Iterable[tuple[str, str]]) -> None:
    family, name, around = place
    text = written(CLASSES[family][name], around)
    function, judge = load(text), judge_of(text)
    for mode in MODES:
        check(function, (X,), mode, judge=judge)
    for outer, inner in pairs:
        if place in REFUSED and inner == "adjoint":
            with pytest.raises(S2sadError, match=REFUSED[place]):
                check_pair(function, (X,), outer, inner, judge)
        else:
            check_pair(function, (X,), outer, inner, judge)


def run(*words: str) -> None:
    found = CliRunner().invoke(main, list(words))
    assert found.exit_code == 0, found.output


def transforming(body: str, folder: Path) -> tuple[str, list[str]]:
    """The text of a file with annotations, which is written; and the words of the command line that transform it."""
    annotated = "from __future__ import annotations\n" + written(body).replace(
        "def f(x):", "def f(x: Float[np.ndarray, 'n']):"
    )
    text = annotated.replace("import numpy as np\n", "import numpy as np\nfrom jaxtyping import Float\n", 1)
    (folder / "program.py").write_text(text)
    return annotated, ["transform", str(folder / "program.py"), "--function", "f", "--mode", "both", "-o", str(folder)]


def refused_on_the_command_line(body: str, folder: Path) -> None:
    """Assert that no module is written, and why is said."""
    found = CliRunner().invoke(main, transforming(body, folder)[1])
    assert found.exit_code == 1 and "why:" in found.output and not [*folder.glob("*adjoint*.py")]
    assert "CompilerError" not in found.output and isinstance(found.exception, SystemExit)


def on_the_command_line(body: str, folder: Path) -> None:
    """The modules that ``s2sad transform`` writes, of a file with annotations."""
    annotated, words = transforming(body, folder)
    along = directions((X,))
    expected = slopes(judge_of(annotated) or load(annotated), (X,), along)
    run(*words)
    for mode in MODES:
        (module,) = folder.glob(f"*{mode}*.py")
        function = load(module.read_text(), f"f_{mode}")
        kept = X.copy()
        found = function(kept, *along)[1] if mode == "tangent" else np.sum(function(kept)[1] * along[0])
        assert distance(np.array([found]), expected) < 3e-5, f"{mode}: {found}, differences: {expected[0]}"
        assert np.array_equal(kept, X)


def right(place: tuple[str, str, str], pairs: Iterable[tuple[str, str]], folder: Path) -> None:
    if place[2] == "cli":
        on_the_command_line(CLASSES[place[0]][place[1]], folder)
    else:
        examine(place, pairs)


@pytest.mark.parametrize(("family", "name", "around", "pair"), QUICK)
def test_right_in_one_surrounding(family: str, name: str, around: str, pair: tuple[str, str], tmp_path: Path) -> None:
    right((family, name, around), [pair], tmp_path)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_ten_programs_each_in_all_surroundings(mechanism: str) -> None:
    programs = [(family, name) for family in MECHANISMS[mechanism] for name in CLASSES[family]]
    assert len({written(CLASSES[family][name]) for family, name in programs}) >= 10
    places = {(family, name): {around for f, n, around in PLACES if (f, n) == (family, name)} for family, name in programs}
    assert all(found >= set(SURROUNDINGS[:3]) for found in places.values())
    assert sum("cli" in found for found in places.values()) >= 8


@pytest.mark.parametrize(
    ("family", "name"),
    [
        *(("attempted", name) for name in ("stores", "what is raised", "one in another", "a branch with one in it",
                                           "an exception that a function makes")),
        ("found", "objects of one another"),
    ],
)  # fmt: skip
def test_right_in_all_pairs(family: str, name: str) -> None:
    examine((family, name, ""), PAIRS)


def test_an_object_that_holds_itself() -> None:
    ring = "\n\ndef ring(x):\n    w = Link(x)\n    w.other = w\n    return w\n==="
    text = written(LINK.replace("===", ring) + "return ring(x).push(x[0])")
    for mode in MODES:
        for x in (np.linspace(0.2, 1.2, MOST_ITEMS + 1), X):  # it is written out, and so nobody's result
            check(load(text), (x,), mode)


def test_nothing_is_recorded_in_an_attempt() -> None:
    function = load(written(CLASSES["attempted"]["a branch with one in it"]))
    text = differentiate(function).source("adjoint", X)
    assert text.count(".append(") == text.count(".pop(") > 0


@pytest.mark.parametrize("body", ["y[0] = 2.0", "w[0] = 2.0", "put(y)"])
def test_attempts_that_are_no_copies_are_refused(body: str) -> None:
    function = load(
        "import numpy as np\nfrom s2sad.runtime import Attempt\n\n\ndef put(y):\n    y[0] = 2.0\n\n\n"
        "def f(x):\n    y = x * 1.0\n    w = y[::-1]\n    attempt = Attempt(ValueError)\n    with attempt:\n"
        f"        {body}\n    return np.sum(y**2)\n"
    )
    for mode in MODES:
        with pytest.raises(UnsupportedSyntaxError, match="an attempt that writes"):
            check(function, (X,), mode)


@pytest.mark.deep
@pytest.mark.parametrize(("family", "name", "around"), PLACES)
def test_right_in_all(family: str, name: str, around: str, tmp_path: Path) -> None:
    right((family, name, around), PAIRS, tmp_path)


@pytest.mark.parametrize(
    ("family", "name", "around", "pair"),
    [
        pytest.param(*place, PAIRS[k // 2 % 4], marks=[] if k % 22 == 3 else pytest.mark.deep)
        for k, place in enumerate(BEYOND)
    ],
)
def test_right_where_it_is_read_afterwards(family: str, name: str, around: str, pair: tuple[str, str]) -> None:
    examine((family, name, around), [pair])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "call",
    [
        "ni.gaussian_filter(x, 1.0, output=b)", "ni.convolve(x, W, b)", "c = ni.correlate1d(x, W, output=b)",
        "ni.sobel(x, output=b)", "ni.convolve(x, W, output=b[::-1])", "ni.median_filter(x, 3, output=b)",
        "ni.uniform_filter(x, 3, output=b)",
        "ni.distance_transform_edt(x > 0.5, distances=b)",
    ],
)  # fmt: skip
def test_where_images_go_is_not_dropped(call: str, mode: str) -> None:
    head = "import numpy as np\nimport scipy.ndimage as ni\n\nW = np.array([0.2, 0.5, 0.3])\n\n\n"
    function = load(f"{head}def f(x):\n    b = x * 1.0\n    {call}\n    return np.sum(b**2)\n")
    with pytest.raises(NoRuleError):
        check(function, (X,), mode)


@pytest.mark.parametrize("name", MIRRORED)
def test_windows_that_no_shadow_mirrors(name: str) -> None:
    check(load(written(MIRRORED[name])), (X,), "adjoint")


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("name", KNOWN_ITEMS)
def test_such_windows_in_lists_of_known_items(name: str, mode: str) -> None:
    check(load(written(KNOWN_ITEMS[name])), (X,), mode)


@pytest.mark.parametrize("name", UNMIRRORED)
def test_such_windows_passed_on(name: str) -> None:
    body, message = UNMIRRORED[name]
    function = load(written(body))
    check(function, (X,), "tangent")
    with pytest.raises(S2sadError, match=message):
        check(function, (X,), "adjoint")


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


def test_a_module_runs_without_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        written(CLASSES["lists"]["stack"]).replace("def f(x):", "def f(x: np.ndarray):")
    )
    run("transform", str(tmp_path / "program.py"), "--function", "f", "--standalone", "-o", str(tmp_path))
    (module,) = tmp_path.glob("*adjoint*.py")
    code = f"import runpy, numpy as np; m = runpy.run_path({str(module)!r}); print(m['f_adjoint'](np.ones(2))[1])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[8. 8.]"
