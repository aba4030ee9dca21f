"""Modules of functions without annotations: a program for likely arguments, which hands all others to the one for all."""

from __future__ import annotations

import copy
import importlib.util
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from module_runs import alike, expected, outcome, runs
from program_generator import Generator, arguments
from test_random_programs import NAMES, differences, load

from s2sad.cli import main

TEXT = '''
import math
import numpy as np


def bend(u, v):
    return np.tanh(u) * v


def energy(A, x, c):
    y = A @ x
    return np.sum(bend(y, x) ** 2) + c * A[0, 1]


def heat(u, alpha, steps=2):
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def product(x, y):
    return np.sum(x * y)


def option(S, K, T):
    return S * math.exp(-K * T) + K


def shifted(x, y):
    return x[:] * y[:]


def stencil(u, v, n):
    return np.sum(u[1 : n - 1] * v[: n - 2])


def inside(u, v):
    n = len(v)
    return np.sum((u[1 : n + 1] - u[:n]) ** 2 * v)


def gathered(x, places):
    total = np.sum(x * 0.5)
    for k in range(len(places)):
        total += x[places[k]] ** 2
    return total


def listed(xs, places):
    total = 0.0
    for k in places:
        total += xs[k] ** 2 * xs[0]
    return total


def row(A, k):
    return A[k, :] * np.exp(2.0)


def forces(pos, c):
    held = {k: np.zeros(2) for k in range(len(pos))}
    for k in range(1, len(pos)):
        gap = pos[k] - pos[k - 1]
        pull = c * gap / np.dot(gap, gap)
        held[k] = held[k] - pull
        held[k - 1] = held[k - 1] + pull
    return sum(np.dot(f, f) for f in held.values())


def reflected(A):
    for j in range(A.shape[1]):
        w = A[j:, j] * A[j, j]
        A[j + 1 :, j] = w[1:]
    return np.sum(A**2)


def masked(x, y):
    rows = y.sum(axis=1) > 1.0
    total = np.sum(x * y)
    x[rows] = total * y[rows]
    return np.sum(x**2)
'''
X, Y = np.array([1.3, 2.7, 0.6]), np.array([0.4, -0.3, 0.9])
A = np.array([X, Y, X - Y])
LIKELY: dict[str, tuple[Any, ...]] = {
    "energy": (A, X, 0.7), "heat": (X, 0.1, 3), "product": (X, Y), "option": (1.1, 0.9, 0.5), "shifted": (X, Y),
    "stencil": (X, Y, 3), "inside": (np.append(X, 0.2), Y), "gathered": (X, np.array([0, 2, 2])), "row": (A, 1),
    "listed": ([1.0, 2.0, 3.0], [2, 0]), "forces": (A[:, :2], 0.7), "reflected": (A,), "masked": (A, 2.0 * A),
}  # fmt: skip
FORMS: dict[str, Any] = {
    "float32": lambda x: np.float32(x) if isinstance(x, float) else np.asarray(x).astype(np.float32),
    "complex": lambda x: np.asarray(x)[()] + 0.5j, "NumPy's": lambda x: np.asarray(x)[()], "0-d": lambda x: np.asarray(np.sum(x)),
    "list": lambda x: np.asarray(x).tolist(), "tuple": lambda x: tuple(np.asarray(x).tolist()) if np.ndim(x) else (x,),
    "row": lambda x: np.asarray(x)[None], "column": lambda x: np.asarray(x)[..., None], "None": lambda x: None,
    "one": lambda x: np.ravel(x)[:1], "fewer": lambda x: np.asarray(x)[:-1] if np.ndim(x) else x,
    "integers": lambda x: np.asarray(x).astype(int) if np.ndim(x) else int(x), "truth": lambda x: np.asarray(x) > 0.5,
    "swapped": lambda x: np.asarray(x).astype(">f8"), "class": lambda x: np.asarray(x).view(np.matrix) if np.ndim(x) else x,
    "empty": lambda x: np.zeros((0,) * np.ndim(x)), "number": lambda x: float(np.sum(x)),
}  # fmt: skip


def made(folder: Path, text: str, *words: str) -> dict[str, Any]:
    """The modules that the command line makes of the functions in a text, by name."""
    (folder / "given.py").write_text(text)
    done = CliRunner().invoke(main, ["transform", str(folder / "given.py"), "-o", str(folder), *words])
    assert done.exit_code == 0, done.output
    return {path.stem.removeprefix("given_"): loaded(path) for path in sorted(folder.glob("given_*.py"))}


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made(tmp_path_factory.mktemp("modules"), TEXT, "--mode", "both")


def named(module: Any, name: str, values: tuple[Any, ...]) -> dict[str, Any]:
    """Arguments and seeds, or tangents like them, by the names that a derivative has for them."""
    code = getattr(module, name).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    own = [n for n in names if not n.endswith(("_bar", "_dot"))]
    given = dict(zip(own, values, strict=True))
    like = dict(zip(own, values, strict=True))
    out = {n: X * 0.5 for n in names if n == "out_bar" and name.startswith(("shifted", "row"))}
    return given | {n: like[n.removesuffix("_dot")] for n in names if n.endswith("_dot")} | out


def answer(module: Any, name: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[bool, Any]:
    """Whether the first program has answered, and its answer."""
    handed: list[int] = []
    general = getattr(module, f"{name}_general")
    with monkeypatch.context() as patch:
        patch.setattr(module, f"{name}_general", lambda *args, **kwargs: handed.append(1) or general(*args, **kwargs))
        found = outcome(getattr(module, name), given)
    return not handed, found


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("name", LIKELY)
def test_likely_arguments_stay_in_the_first_program(
    modules: dict[str, Any], monkeypatch: pytest.MonkeyPatch, name: str, mode: str
) -> None:
    module = modules[f"{name}_{mode}"]
    if not hasattr(module, f"{name}_{mode}_general"):
        assert mode == "tangent" or name == "row"  # without anything to mend
        return
    given = named(module, f"{name}_{mode}", LIKELY[name])
    lean, found = answer(module, f"{name}_{mode}", given, monkeypatch)
    assert lean
    assert not isinstance(found, Exception)
    assert alike(found, expected(getattr(module, f"{name}_{mode}_general"), given, lean))


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", LIKELY)
def test_other_arguments_get_what_the_general_program_gives(
    modules: dict[str, Any], monkeypatch: pytest.MonkeyPatch, name: str, form: str, mode: str
) -> None:
    """One argument at a time, and all of them, in another form."""
    module, values = modules[f"{name}_{mode}"], LIKELY[name]
    general = getattr(module, f"{name}_{mode}_general", None)
    if general is None:
        return
    changed = [tuple(map(FORMS[form], values))]
    changed += [(*values[:k], FORMS[form](x), *values[k + 1 :]) for k, x in enumerate(values)]
    for args in changed:
        given = named(module, f"{name}_{mode}", args)
        lean, found = answer(module, f"{name}_{mode}", given, monkeypatch)
        assert alike(found, expected(general, given, lean)), (args, found)


@pytest.mark.parametrize("seed", [2.0, np.float64(2.0), 1, np.ones(3), np.ones((1, 3)), np.ones((3, 1)), [1.0, 2.0, 3.0], X * 1j,
                                  np.ones(3, np.float32), np.arange(3), None])  # fmt: skip
@pytest.mark.parametrize("name", ["shifted", "product"])
def test_seeds_are_asked_for(modules: dict[str, Any], monkeypatch: pytest.MonkeyPatch, name: str, seed: Any) -> None:
    module = modules[f"{name}_adjoint"]
    given = {"x": X, "y": Y, "out_bar": seed}
    _, found = answer(module, f"{name}_adjoint", given, monkeypatch)
    assert alike(found, outcome(getattr(module, f"{name}_adjoint_general"), given))


def test_the_docstring_says_what_the_first_line_asks(modules: dict[str, Any]) -> None:
    found = modules["energy_adjoint"].energy_adjoint.__doc__
    assert "A: float64[n, n]; x: float64[n]; c: float" in found
    assert "energy_adjoint_general" in found
    text = Path(modules["energy_adjoint"].__file__).read_text()
    assert text.count("fits(") == 1
    first, second = text[: (at := text.index("    return out, (A_bar"))], text[at:]
    assert "def energy_adjoint(" in first
    assert "unbroadcast(" not in first
    assert "def energy_adjoint_general(" in second
    assert "unbroadcast(" in second


def test_items_of_a_dict_have_as_many_items_as_what_is_added_to_them(modules: dict[str, Any]) -> None:
    module = modules["forces_adjoint"]
    assert "pos: float64[n, 2]; c: float" in module.forces_adjoint.__doc__
    text = Path(module.__file__).read_text()
    assert ", pull)" not in text[: text.index("def forces_adjoint_general(")]  # nothing is summed to its shape


@pytest.mark.parametrize(
    ("name", "asked"), [("reflected", "A: float64[n, m]; n >= m"), ("masked", "x: float64[n, m]; y: float64[n, m]")]
)
def test_nothing_is_summed_where_sizes_count_as_equal_or_long_enough(modules: dict[str, Any], name: str, asked: str) -> None:
    module = modules[f"{name}_adjoint"]
    assert asked in getattr(module, f"{name}_adjoint").__doc__
    text = Path(module.__file__).read_text()
    lean = text[text.index(f"def {name}_adjoint(") : text.index(f"def {name}_adjoint_general(")]
    assert "unbroadcast(" not in lean


def test_an_axis_is_asked_for_what_the_size_of_another_one_cuts_out_of_it(
    modules: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, (u, v) = modules["inside_adjoint"], LIKELY["inside"]
    assert "u: float64[n]; v: float64[m]; n >= m + 1" in module.inside_adjoint.__doc__
    text = Path(module.__file__).read_text()
    assert "unbroadcast(" not in text[: text.index("    return out, (u_bar")]
    for some, here in (((u, v), True), ((np.append(u, u), v), True), ((u[:2], v[:1]), True), ((u[:2], v[:2]), False)):
        given = named(module, "inside_adjoint", some)
        lean, found = answer(module, "inside_adjoint", given, monkeypatch)
        assert lean == here  # of two items one is left behind the first, which NumPy stretches
        assert alike(found, expected(module.inside_adjoint_general, given, lean)) and not isinstance(found, Exception)


@pytest.mark.parametrize("parameters", ["A: Float[np.ndarray, 'n n'], x: Float[np.ndarray, 'n'], c: float"])
def test_annotations_that_tell_all_leave_one_program(tmp_path: Path, parameters: str) -> None:
    text = f"import numpy as np\nfrom jaxtyping import Float\ndef energy({parameters}):\n    return np.sum((A @ x) ** 2) + c\n"
    module = made(tmp_path, text)["energy_adjoint"]
    assert not hasattr(module, "energy_adjoint_general")
    assert not hasattr(module, "fits")


def test_signatures_are_those_of_the_general_program(modules: dict[str, Any]) -> None:
    for name, module in modules.items():
        if hasattr(module, f"{name}_general"):
            assert inspect.signature(getattr(module, name)) == inspect.signature(getattr(module, f"{name}_general"))


def test_modules_that_need_numpy_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = made(tmp_path, TEXT, "--standalone", "--function", "energy")["energy_adjoint"]
    assert "import s2sad" not in (text := Path(module.__file__).read_text()) and "from s2sad" not in text
    for args in ((A, X, 0.7), (A, A, 0.7), (A, X, np.float32(0.7))):
        given = {"A": args[0], "x": args[1], "c": args[2], "out_bar": 1.0}
        lean, found = answer(module, "energy_adjoint", given, monkeypatch)
        assert lean == (args[1] is X and type(args[2]) is float)
        assert alike(found, outcome(module.energy_adjoint_general, given))


def test_modules_of_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients of gradients, by the command line twice, for arguments of both programs."""
    first = made(tmp_path, TEXT, "--function", "energy")["energy_adjoint"]
    (folder := tmp_path / "second").mkdir()
    done = CliRunner().invoke(main, ["transform", str(first.__file__), "--function", "energy_adjoint", "--wrt", "A,x,c", "-o",
                                     str(folder)])  # fmt: skip
    assert done.exit_code == 0, done.output
    second = loaded(folder / "given_energy_adjoint_energy_adjoint_adjoint.py")
    name = "energy_adjoint_adjoint"
    for x, lean in ((X, True), (A, False)):
        seeds = {"out0_bar": 0.0, "out1_bar": A.T.copy(), "out2_bar": x + 1.0, "out3_bar": 0.3}

        def total(A: Any, x: Any, c: Any, seeds: dict[str, Any] = seeds) -> Any:
            _, (a, b, d) = first.energy_adjoint(A, x, c)
            return np.sum(a * seeds["out1_bar"]) + np.sum(b * seeds["out2_bar"]) + d * seeds["out3_bar"]

        stayed, found = answer(second, name, {"A": A, "x": x, "c": 0.7, "out_bar": 1.0, **seeds}, monkeypatch)
        assert stayed is lean
        for k, moved in enumerate((A, x)):
            step = 1e-6 * np.cos(np.arange(moved.size)).reshape(moved.shape)
            up, down = ([A, x, 0.7] for _ in range(2))
            up[k], down[k] = moved + step, moved - step
            np.testing.assert_allclose(np.sum(found[1][k] * step), (total(*up) - total(*down)) / 2, rtol=1e-5)


def test_the_api_differentiates_the_first_program_where_arguments_fit(modules: dict[str, Any]) -> None:
    from s2sad import check_grads, differentiate

    module = modules["energy_adjoint"]

    def squares(A: Any, x: Any, c: Any) -> Any:
        _, (a, b, _) = module.energy_adjoint(A, x, c, 1.0)
        return np.sum(a * a) + np.sum(b)

    check_grads(squares, (A, X, 0.7), wrt=(0, 1, 2))
    check_grads(squares, (A, A + 1.0, 0.7), wrt=(0, 1, 2))
    text = differentiate(squares, wrt=(0, 1, 2)).source("adjoint", A, X, 0.7)
    assert "general(" not in text and "fits(" not in text


def test_dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_DUMP", str(tmp_path / "stages"))
    made(tmp_path, TEXT, "--function", "energy")
    found = {path.name for path in (tmp_path / "stages").iterdir()}
    assert {"energy_adjoint.stored.txt", "energy_adjoint_general.stored.txt", "energy_adjoint.adjoint.txt"} <= found


def test_a_guess_that_cannot_be_made_leaves_the_one_program(tmp_path: Path) -> None:
    text = "import numpy as np\ndef f(x, mode):\n    if mode == 'a':\n        return x * 2.0\n    return x[0] * x['k']\n"
    assert not hasattr(made(tmp_path, text, "--wrt", "x")["f_adjoint"], "f_adjoint_general")


# --- laws


KINDS = st.sampled_from(["likely", "likely", "likely", "row", "column", "float32", "NumPy's", "one", "list", "number"])


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(seed=st.integers(0, 100_000), kinds=st.lists(KINDS, min_size=5, max_size=5))
def test_random_programs_agree_for_random_arguments(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kinds: list[str]
) -> None:
    from random import Random

    text, of = Generator(Random(seed)).program()
    folder = tmp_path_factory.mktemp("random")
    (folder / "given.py").write_text(text)
    words = ["transform", str(folder / "given.py"), "--function", "f", "-o", str(folder), *(["--of", of] if of else [])]
    if CliRunner().invoke(main, words).exit_code:
        return
    module = loaded(folder / "given_f_adjoint.py")
    if not hasattr(module, "f_adjoint_general"):
        return
    likely, directions, function = arguments(seed), arguments(seed + 1), load(text)
    seeds = seeds_for(module.f_adjoint, function, of, likely)
    slopes = differences(function, of, likely, directions)
    found = outcome(module.f_adjoint, dict(zip(NAMES, likely, strict=True)) | seeds)
    if slopes is not None and not isinstance(found, Exception):
        along = sum(np.sum(bar * d) for bar, d in zip(found[1], directions, strict=True))
        assert any(np.allclose(along, np.sum(slope), rtol=1e-3, atol=1e-4) for slope in slopes), (along, slopes)
    for chosen in (["likely"] * 5, kinds):
        args = [x if kind == "likely" else FORMS[kind](x) for x, kind in zip(likely, chosen, strict=True)]
        given_ = dict(zip(NAMES, args, strict=True)) | seeds
        assert alike(outcome(module.f_adjoint, given_), outcome(module.f_adjoint_general, given_))


def seeds_for(adjoint: Any, function: Any, of: str | None, args: tuple[Any, ...]) -> dict[str, Any]:
    """Ones like what is differentiated."""
    called = copy.deepcopy(args)
    result = function(*called)
    result = called[NAMES.index(of)] if of else result
    names = [name for name in inspect.signature(adjoint).parameters if name.endswith("_bar")]
    items = result if isinstance(result, tuple) else (result,)
    return {name: np.ones_like(x) if np.ndim(x) else 1.0 for name, x in zip(names, items, strict=False)}


def test_the_corpora_stay_in_the_first_program() -> None:
    """Of every sixteenth program: half stay there with their own arguments (of all, two in three), and most mend nothing."""
    found = [run for run in runs(16) if run.two]
    lean = [run for run in found if run.lean]
    assert all(run.agrees for run in found), [run.case.name for run in found if not run.agrees]
    assert len(lean) >= 0.5 * len(found)
    mending = [run.case.name for run in lean if any(run.places.values())]
    assert len(mending) <= len(lean) / 3, mending
