"""Modules whose first program looks whether shapes are equal as it runs: where they are not, the general program answers.

Answers are held against those of the general program and, where the function can be called, against finite differences.
"""

from __future__ import annotations

import copy
import re
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from module_runs import alike, outcome
from test_two_programs import answer, loaded, made

from s2sad import check_grads
from s2sad.cli import main

TEXT = '''
import numpy as np
from jaxtyping import Float


def halved(x):
    if len(x) < 2:
        return np.sum(x**2)
    k = len(x) // 2
    return halved(x[:k] * x[k:] + x[k:])


def merged(x):
    if len(x) < 3:
        return x * 2.0
    k = len(x) // 2
    one, other = merged(x[:k]), merged(x[k:])
    return np.concatenate([one + other, one * other])


def weighted(x, w):
    return np.sum(np.sin(merged(x))) * np.sum(w**3)


def lifted(a: Float[np.ndarray, "m"], n: int):
    if n < 2:
        return
    h = n // 2
    odd = a[1 : 2 * h : 2] - a[0 : 2 * h : 2]
    even = a[0 : 2 * h : 2] + 0.5 * odd * odd
    a[:h] = even
    a[h : 2 * h] = odd
    lifted(a, h)


def smooth(a: Float[np.ndarray, "m"], n: int):
    lifted(a, n)
    return np.sum(a**3)


def refused(x):
    if len(x) < 2:
        if x[0] > 1e3:
            raise ArithmeticError("too large")
        return np.sum(x**2)
    k = len(x) // 2
    return refused(x[:k] * x[k:] + x[k:])


def told(x):
    print("called")
    return halved(x)
'''


def items(count: int) -> Any:
    return np.random.default_rng(7).normal(size=count) + 1.5


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    names = ("halved", "weighted", "smooth", "refused", "told")
    return made(tmp_path_factory.mktemp("modules"), TEXT, *(word for name in names for word in ("--function", name)))


@pytest.fixture(scope="module")
def functions() -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(re.sub("from jaxtyping.*|: Float.*?]", "", TEXT), found)
    return found


CASES: list[tuple[str, Any, list[int], list[int]]] = [
    ("halved", lambda n: {"x": items(n)}, [2, 4, 8], [3, 6]),
    ("weighted", lambda n: {"x": items(n), "w": items(n) ** 2}, [2, 4, 8], [3, 5, 6, 7]),
    ("smooth", lambda n: {"a": items(n), "n": n}, [2, 4, 8, 3, 5, 7], []),
    ("refused", lambda n: {"x": items(n)}, [2, 4, 8], [3, 6]),
]


@pytest.mark.parametrize(("name", "arguments", "even", "odd"), CASES, ids=[case[0] for case in CASES])
def test_the_general_program_answers_where_shapes_differ(
    modules: dict[str, Any], functions: dict[str, Any], monkeypatch: pytest.MonkeyPatch, name: str, arguments: Any,
    even: list[int], odd: list[int],
) -> None:  # fmt: skip
    module = modules[f"{name}_adjoint"]
    for count in [*even, *odd, *even]:
        given = arguments(count)
        kept = copy.deepcopy(given)
        lean, found = answer(module, f"{name}_adjoint", given, monkeypatch)
        assert lean == (count in even)
        assert alike(found, outcome(getattr(module, f"{name}_adjoint_general"), given))
        getattr(module, f"{name}_adjoint")(**given) if not isinstance(found, Exception) else None
        assert alike(given, kept)  # what is written into is a copy, also where two programs begin
        value = outcome(functions[name], given)
        assert isinstance(found, Exception) == isinstance(value, Exception)
        if not isinstance(value, Exception):
            array = next(iter(given))
            step = 1e-6 * np.cos(np.arange(count))
            up, down = (functions[name](**copy.deepcopy({**given, array: given[array] + s})) for s in (step, -step))
            bars = found[1] if isinstance(found[1], tuple) else (found[1],)
            np.testing.assert_allclose(np.sum(bars[0] * step), (up - down) / 2, rtol=1e-4)


@pytest.mark.parametrize("name", [case[0] for case in CASES])
def test_the_first_program_sums_nothing(modules: dict[str, Any], name: str) -> None:
    module = modules[f"{name}_adjoint"]
    text = Path(module.__file__).read_text()
    programs = dict(re.findall(r"^def (\w+)\((.*?)(?=^def |\Z)", text, re.MULTILINE | re.DOTALL))
    waiting, lean = [f"{name}_adjoint_lean"], dict[str, str]()
    while waiting:
        if (called := waiting.pop()) not in lean:
            lean[called] = programs[called]
            waiting += [other for other in programs if f"{other}(" in programs[called]]
    assert "as_long_as(" in "".join(lean.values())
    assert "unbroadcast(" not in "".join(lean.values())
    assert f"{name}_adjoint_general" in getattr(module, f"{name}_adjoint").__doc__


def test_exceptions_are_those_of_the_function(modules: dict[str, Any]) -> None:
    with pytest.raises(ArithmeticError, match="too large") as caught:
        modules["refused_adjoint"].refused_adjoint(items(4) * 1e3)
    assert caught.value.__context__ is None  # nobody hears of the first program
    assert "refused_adjoint_general" in "".join(traceback.format_exception(caught.value))


def test_a_program_that_tells_something_runs_once(modules: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(modules["told_adjoint"].__file__).read_text()
    assert "as_long_as" not in text
    for count in (4, 3):
        capsys.readouterr()
        modules["told_adjoint"].told_adjoint(items(count))
        assert capsys.readouterr().out == "called\n"


def agree(module: Any, count: int) -> None:
    """Compare the answers of the function that is called, and of the general program behind it."""
    given = {"x": items(count)}
    assert alike(outcome(module.halved_adjoint, given), outcome(module.halved_adjoint_general, given))


def test_annotations_that_tell_all_kinds(tmp_path: Path) -> None:
    text = TEXT.replace("def halved(x)", "def halved(x: Float[np.ndarray, 'n'])")
    module = made(tmp_path, text, "--function", "halved")["halved_adjoint"]
    assert "fits(" not in Path(module.__file__).read_text()
    for count in (4, 3, 6):
        agree(module, count)
        assert isinstance(outcome(module.halved_adjoint_lean, {"x": items(count), "out_bar": 1.0}), Exception) == (count != 4)


def test_modules_that_need_numpy_alone(tmp_path: Path) -> None:
    module = made(tmp_path, TEXT, "--standalone", "--function", "halved")["halved_adjoint"]
    assert "import s2sad" not in (text := Path(module.__file__).read_text()) and "from s2sad" not in text
    for count in (4, 3, 6):
        agree(module, count)


@pytest.mark.parametrize("count", [4, 3, 8, 5])
def test_second_derivatives_are_those_of_the_general_program(tmp_path: Path, modules: dict[str, Any], count: int) -> None:
    first = modules["weighted_adjoint"]

    def cubes(x: Any, w: Any) -> Any:
        out, (x_bar, w_bar) = first.weighted_adjoint(x, w)
        return np.sum(x_bar**3) + np.sum(w_bar * w) + out

    if count != 5:  # of which the parts cannot meet
        check_grads(cubes, (items(count), items(2)), wrt=(0, 1))
    done = CliRunner().invoke(main, ["transform", str(first.__file__), "--function", "weighted_adjoint", "--wrt", "x", "-o",
                                     str(tmp_path)])  # fmt: skip
    assert done.exit_code == 0, done.output
    second = loaded(tmp_path / "given_weighted_adjoint_weighted_adjoint_adjoint.py")
    seeds = {"out0_bar": 0.5, "out1_bar": items(count), "out2_bar": items(count)}
    x, w = items(count), items(count) ** 2
    found = outcome(second.weighted_adjoint_adjoint, {"x": x, "w": w, **seeds})
    step = 1e-6 * np.cos(np.arange(count))

    def total(x: Any) -> Any:
        out, (x_bar, w_bar) = first.weighted_adjoint(x, w)
        return 0.5 * out + np.sum(x_bar * seeds["out1_bar"]) + np.sum(w_bar * seeds["out2_bar"])

    expected = outcome(total, {"x": x + step})
    assert isinstance(found, Exception) == isinstance(expected, Exception)
    if not isinstance(expected, Exception):
        np.testing.assert_allclose(np.sum(found[1] * step), (expected - total(x - step)) / 2, rtol=1e-4)
