"""The command line: modules that run, stages, errors, and that files are never executed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad.cli import main

PROGRAM = '''"""Programs."""
import numpy as np

raise SystemExit("this file must not be executed")


def heat(u: np.ndarray, alpha: float, steps: int):
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def newton_sqrt(a, tol=1e-12):
    x = a
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x
'''


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run(*args: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == code, result.output
    return result.output


def test_transform_writes_modules_that_run(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("transform", str(program), "--mode", "both", "-o", str(out))
    names = sorted(p.name for p in out.iterdir())
    assert names == [f"program_{f}_{m}.py" for f in ("heat", "newton_sqrt") for m in ("adjoint", "tangent")]
    scope: dict[str, object] = {}
    exec((out / "program_newton_sqrt_adjoint.py").read_text(), scope)
    value, (bar, tol_bar) = scope["newton_sqrt_adjoint"](2.0, 1e-12, 1.0)  # type: ignore[operator]
    assert np.isclose(value, np.sqrt(2)) and np.isclose(bar, 0.5 / np.sqrt(2)) and tol_bar == 0.0


def test_globals_come_from_the_users_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """import numpy as np
KERNEL, TABLE, SCALE = np.outer([1.0, 2.0], [0.5, 0.25]), {"a": 2.0}, 2.0
WIDTHS = np.ones(2)
TERM = np.sin(0.5)
def f(x: np.ndarray) -> float:
    return np.sum(WIDTHS * x) * TERM
"""
    (tmp_path / "with_globals.py").write_text(text)
    source = run("transform", str(tmp_path / "with_globals.py"), "-o", "-")
    assert "from with_globals import TERM, WIDTHS" in source
    monkeypatch.syspath_prepend(str(tmp_path))
    scope: dict[str, object] = {}
    exec(source, scope)
    _, bar = scope["f_adjoint"](np.array([1.0, 2.0]))  # type: ignore[operator]
    np.testing.assert_allclose(bar, np.full(2, np.sin(0.5)))


def test_globals_of_other_files_come_from_these(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "far.py").write_text("import numpy as np\nTERM = np.sin(0.5)\ndef g(x):\n    return x * TERM\n")
    text = "import numpy as np\nfrom far import g\nTERM = np.cos(0.5)\nmax = np.exp(1.0)\n"
    (tmp_path / "mine_too.py").write_text(text + "def f(x: float) -> float:\n    return g(x) * TERM * max\n")
    source = run("transform", str(tmp_path / "mine_too.py"), "-o", "-")
    monkeypatch.syspath_prepend(str(tmp_path))
    scope: dict[str, object] = {}
    exec(source, scope)
    _, bar = scope["f_adjoint"](3.0)  # type: ignore[operator]
    assert np.isclose(bar, np.sin(0.5) * np.cos(0.5) * np.exp(1.0))


def test_check_notices_stale_modules(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("transform", str(program), "-o", str(out), "--check", code=1)
    run("transform", str(program), "-o", str(out))
    run("transform", str(program), "-o", str(out), "--check")
    (out / "program_heat_adjoint.py").write_text("# edited\n")
    run("transform", str(program), "-o", str(out), "--check", code=1)


def test_standalone_needs_numpy_alone(program: Path, tmp_path: Path) -> None:
    text = run("transform", str(program), "--function", "heat", "--wrt", "u,alpha", "--standalone", "-o", "-")
    assert "s2sad.runtime" not in text
    script = tmp_path / "alone.py"
    use = "out, (u_bar, alpha_bar) = heat_adjoint(np.arange(6.0)**2, 0.1, 3, 1.0)"
    script.write_text(f"{text}\n{use}\nprint(repr(float(alpha_bar)))\n")
    printed = subprocess.run(
        [sys.executable, "-I", str(script)], capture_output=True, text=True, check=True
    ).stdout

    def energy(alpha: float) -> float:
        u = np.arange(6.0) ** 2
        for _ in range(3):
            u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        return float(np.sum(u**2))

    assert np.isclose(float(printed), (energy(0.1 + 1e-6) - energy(0.1 - 1e-6)) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("stage", "part"),
    [
        ("ast", "FunctionDef"),
        ("normal", "while abs"),
        ("ssa", "operator.truediv"),
        ("activity", "# active"),
        ("tbr", "def newton_sqrt"),
        ("tangent", "x_dot"),
        ("adjoint", "x_tape"),
        ("optimized", "list.pop"),
        ("source", "# reverse sweep"),
    ],
)
def test_show(program: Path, stage: str, part: str) -> None:
    assert part in run("show", f"{program}:newton_sqrt", "--stage", stage)


def test_errors_have_a_place_and_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("def f(x: float):\n    y = {x}\n    return x\n")
    result = CliRunner().invoke(main, ["transform", str(path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert 'bad.py", line 2' in result.output and "instead:" in result.output
    assert not (tmp_path / "out").exists()
    run("transform", str(path), "--function", "missing", code=2)


def test_named_sizes_and_integers(tmp_path: Path) -> None:
    path = tmp_path / "shapes.py"
    path.write_text(
        'def f(x: Float[np.ndarray, "n"], y: Float[np.ndarray, "n"], k: int):\n    return (x * y).sum()\n'
    )
    assert "unbroadcast" not in run("transform", str(path), "--wrt", "x,y", "-o", "-")
    run("transform", str(path), "--wrt", "k", "-o", "-", code=1)


def test_rules_and_cache(tmp_path: Path) -> None:
    assert "g * cos(x)" in run("rules", "numpy.sin")
    pytest.importorskip("scipy")
    assert "exp(-z ** 2)" in run("rules", "scipy.special.erf")
    assert "Leibniz" in run("rules", "scipy.integrate.quad")
    assert "0 modules removed" in run("cache", "--dir", str(tmp_path), "--clear")
    assert "module" in run("cache", "--dir", str(tmp_path))


def test_misspelt_names(program: Path) -> None:
    for options, said in (
        (("--function", "heet"), "did you mean heat?"),
        (("--function", "heat", "--wrt", "alpa"), "did you mean alpha?"),
        (("--function", "heat", "--of", "v"), "has no parameter 'v'"),
        (("--function", "heat", "--sytle", "ssa"), "--style"),
        (("--function", "heat", "--wrt", "\u00b2"), "has no parameter"),
    ):
        result = CliRunner().invoke(main, ["transform", str(program), *options, "-o", "-"])
        assert result.exit_code in (1, 2) and said in result.output, result.output


def test_defaults_do_not_tell_kinds(tmp_path: Path) -> None:
    """An integer as a default is no parameter to differentiate by unless it is asked for; an array may be passed all the same."""
    path = tmp_path / "defaults.py"
    path.write_text("import numpy as np\ndef f(x, a=1, b=2.0, flag=True, how='sum'):\n    return np.sum(a * x) * b\n")
    text = run("transform", str(path), "-o", "-")
    scope: dict[str, object] = {}
    exec(text, scope)
    weights = np.array([1.0, 2.0])
    _, bars = scope["f_adjoint"](3.0, weights, 2.0, True, "sum")  # type: ignore[operator]
    assert bars == (6.0, 9.0)
    scope = {}
    exec(run("transform", str(path), "--wrt", "a", "-o", "-"), scope)
    _, bar = scope["f_adjoint"](3.0, weights, 2.0, True, "sum")  # type: ignore[operator]
    np.testing.assert_array_equal(bar, [6.0, 6.0])


def test_further_arguments_are_none(tmp_path: Path) -> None:
    path = tmp_path / "further.py"
    path.write_text("def f(x: float, *rest, **named):\n    return x * x * named.get('scale', 1.0) + sum(rest)\n")
    scope: dict[str, object] = {}
    exec(run("transform", str(path), "-o", "-"), scope)
    assert scope["f_adjoint"](3.0) == (9.0, 6.0)  # type: ignore[operator]
    with pytest.raises(TypeError, match=r"without \*rest"):
        scope["f_adjoint"](3.0, (1.0,))  # type: ignore[operator]
    with pytest.raises(TypeError, match=r"without \*\*named"):
        scope["f_adjoint"](3.0, named={"scale": 5.0})  # type: ignore[operator]


def test_containers_by_default_are_not_differentiated_by(tmp_path: Path) -> None:
    path = tmp_path / "containers.py"
    path.write_text("def f(x, ks=(1.5, 2.0), n=[2]):\n    for k in ks:\n        x = x * k + 1.0\n    return x * n[0]\n")
    scope: dict[str, object] = {}
    exec(run("transform", str(path), "-o", "-"), scope)
    assert scope["f_adjoint"](2.0, n=[2]) == (18.0, 6.0)  # type: ignore[operator]


@pytest.mark.parametrize("call", ["linalg.qr(a, overwrite_a=True)[1]", "linalg.solve(a, b, overwrite_a=True)"])
def test_what_may_be_an_array_may_be_destroyed(call: str, tmp_path: Path) -> None:
    path = tmp_path / "destroyed.py"
    path.write_text(f"from scipy import linalg\ndef f(a, b):\n    y = {call}\n    return (y + a * b).sum()\n")
    found = CliRunner().invoke(main, ["transform", str(path), "--wrt", "b", "-o", "-"])
    assert found.exit_code == 1 and "is read after a function that may destroy it" in found.output


def test_annotations_that_their_defaults_contradict_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "optional.py"
    path.write_text(
        "import numpy as np\ndef f(x: float, w: np.ndarray = None, c: np.ndarray = 2.0):\n"
        "    return x * c if w is None else np.sum(w) * x * c\n"
    )
    scope: dict[str, object] = {}
    exec(run("transform", str(path), "--wrt", "x", "-o", "-"), scope)
    assert scope["f_adjoint"](3.0) == (6.0, 2.0)  # type: ignore[operator]
    assert scope["f_adjoint"](3.0, np.ones(3)) == (18.0, 6.0)  # type: ignore[operator]


@pytest.mark.parametrize("annotation", ["", ": np.ndarray"])
def test_determinants_of_matrices_of_unknown_rank(annotation: str, tmp_path: Path) -> None:
    path = tmp_path / "determinants.py"
    path.write_text(
        f"import numpy as np\ndef f(A{annotation}):\n    return np.linalg.det(A)\n"
        f"def g(A{annotation}):\n    return np.linalg.slogdet(A)[1]\n"
    )
    A = np.array([[2.0, 1.0], [0.5, 3.0]])
    for name, expected in (("f", np.linalg.det(A) * np.linalg.inv(A).T), ("g", np.linalg.inv(A).T)):
        scope: dict[str, object] = {}
        exec(run("transform", str(path), "--function", name, "-o", "-"), scope)
        np.testing.assert_allclose(scope[f"{name}_adjoint"](A)[1], expected)  # type: ignore[operator]


def test_defaults_that_are_names(tmp_path: Path) -> None:
    (tmp_path / "helping.py").write_text("RATE = 3.0\ndef scale(x, k=RATE):\n    return k * x\n")
    path = tmp_path / "named.py"
    path.write_text("from helping import scale\nB = 2.0\ndef f(x: float, k: float = B):\n    return scale(x) * k\n")
    scope: dict[str, object] = {}
    exec(run("transform", str(path), "--wrt", "x", "-o", "-"), scope)
    assert scope["f_adjoint"](1.5) == (9.0, 6.0)  # type: ignore[operator]


def test_an_error_in_another_file_is_shown_there(tmp_path: Path) -> None:
    (tmp_path / "aiding.py").write_text("\n\ndef scale(x, k=max(2, 3)):\n    return k * x\n")
    path = tmp_path / "aided.py"
    path.write_text("from aiding import scale\ndef f(x: float):\n    return scale(x)\n")
    found = run("transform", str(path), "-o", "-", code=1)
    assert "aiding.py" in found and "line 3" in found and "max(2, 3)" in found


def test_numbers_of_arrays_of_unknown_rank(tmp_path: Path) -> None:
    path = tmp_path / "single.py"
    path.write_text("def f(A):\n    return A.sum().item() * 2\n")
    scope: dict[str, object] = {}
    exec(run("transform", str(path), "-o", "-"), scope)
    for a in (np.float64(2.0), np.ones(3), np.ones((2, 2))):
        value, bar = scope["f_adjoint"](a)  # type: ignore[operator]
        assert value == 2 * np.sum(a) and np.shape(bar) == np.shape(a) and np.all(bar == 2.0)


def test_a_dict_of_unknown_keys_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "keyed.py"
    path.write_text("def f(d):\n    d['a'] *= d['b']\n    return d['a']\n")
    assert "writing under this key is not supported" in run("transform", str(path), "-o", "-", code=1)


def test_defaults_stay_in_both_modes(tmp_path: Path) -> None:
    path = tmp_path / "kept.py"
    path.write_text("def f(x: float, n: int = 3, k: float = 2.0):\n    return k * x**n\n")
    scope: dict[str, object] = {}
    for mode in ("adjoint", "tangent"):
        exec(run("transform", str(path), "--wrt", "x", "--mode", mode, "-o", "-"), scope)
    assert scope["f_adjoint"](2.0) == (16.0, 24.0)  # type: ignore[operator]
    assert scope["f_tangent"](2.0, x_dot=1.0) == (16.0, 24.0)  # type: ignore[operator]
    assert scope["f_tangent"](2.0, 2, 1.0, x_dot=1.0) == (4.0, 4.0)  # type: ignore[operator]


KINDS_OF_DEFAULTS = """
import numpy as np
from math import exp as rate
SCALE = np.array([2.0, 3.0])
def cut(t):
    return np.maximum(t, 0.0)
def f(x, tol=0.5, dtype=float, act=cut, ufunc=np.sin, *, k=SCALE, grow=rate, kind=np.float64):
    s = np.zeros(2, dtype=dtype)
    for i in range(2):
        s[i] = ufunc(x[i]) * k[i] + tol
    return act(s) * grow(x[0])
def g(x):
    return f(x, 0.25)
"""


def test_defaults_that_are_functions_types_and_arrays_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    made = functions_of(tmp_path, "kinds_of_defaults", KINDS_OF_DEFAULTS)
    x, x_dot, step = np.array([0.3, 0.7]), np.array([1.0, 2.0]), 1e-6
    scope: dict[str, Any] = {}
    exec(KINDS_OF_DEFAULTS, scope)
    for name in "fg":
        primal: Any = scope[name]
        slope = (primal(x + step * x_dot) - primal(x - step * x_dot)) / (2 * step)
        given = {"k_dot": np.zeros(2)} if name == "f" else {}
        out, out_dot = made[f"{name}_tangent"](x, x_dot=x_dot, **given)  # type: ignore[operator]
        np.testing.assert_allclose(out, primal(x))
        np.testing.assert_allclose(out_dot, slope, rtol=1e-6)
        out, bars = made[f"{name}_adjoint"](x, out_bar=np.ones(2))  # type: ignore[operator]
        np.testing.assert_allclose((bars[0] if name == "f" else bars) @ x_dot, slope.sum(), rtol=1e-6)
    text = run("transform", str(tmp_path / "kinds_of_defaults.py"), "--function", "f", "-o", "-")
    assert "# The parameter ufunc is left at its default, numpy.sin." in text and "with respect to x, tol, k." in text
    with pytest.raises(TypeError, match="ufunc"):
        made["f_tangent"](x, x_dot=x_dot, k_dot=np.zeros(2), ufunc=np.cos)  # type: ignore[operator]


def test_what_tolist_makes_of_something_unknown_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "listed.py"
    path.write_text("def f(x):\n    l = x.tolist()\n    return (l + l)[0]\n")
    assert "how many axes the argument of tolist has is not known" in run("transform", str(path), "-o", "-", code=1)


def test_places_that_are_none_are_refused_where_nothing_tells(tmp_path: Path) -> None:
    text = "import numpy as np\ndef f(m, k):\n    return m[np.ix_(k, k)]\ndef g(x):\n    return np.ix_(x, [1])[0] * 2.0\n"
    made = functions_of(tmp_path, "open_grids", text)
    m = np.arange(9.0).reshape(3, 3)
    _, (m_bar, _) = made["f_adjoint"](m, np.array([0, 2]), np.ones((2, 2)))  # type: ignore[operator]
    assert m_bar.tolist() == [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
    for name, seed in (("g_adjoint", np.ones((2, 1))), ("g_tangent", np.ones(2))):
        with pytest.raises(TypeError, match="numbers that may vary"):
            made[name](np.array([0.5, 0.7]), seed)  # type: ignore[operator]


@pytest.mark.parametrize("call", ["sl.sqrtm(a) @ b", "sl.pinvh(a) @ b", "sl.solve_sylvester(a, a, a) @ b"])
def test_stacks_are_refused_where_nothing_tells_that_there_is_one_matrix(tmp_path: Path, call: str) -> None:
    pytest.importorskip("scipy")
    made = functions_of(tmp_path, "stacks", f"import scipy.linalg as sl\ndef f(a, b):\n    return {call}\n")
    a, b = np.array([[2.0, 0.0], [0.5, 3.0]]), np.ones((2, 1))
    for name, seeds in (("f_adjoint", (np.ones((2, 1)),)), ("f_tangent", (np.eye(2), b))):
        made[name](a, b, *seeds)  # type: ignore[operator]
        with pytest.raises(ValueError, match="1 to 2"):
            made[name](np.stack([a, a]), np.stack([b, b]), *(np.stack([s, s]) for s in seeds))  # type: ignore[operator]


UNKNOWN_RANKS = """
import numpy as np
def solved(a, b):
    return np.linalg.solve(a, b)
def fitted(a, b):
    return np.linalg.lstsq(a, b, rcond=None)[0]
def joined(a, b):
    return np.r_[b, b * a[0]]
def cut(a, b):
    first, second = np.split(b, [1])
    return a[:1] * np.sum(second**2) + np.sum(first)
def gridded(a, b):
    x, y = np.meshgrid(a, b)
    return x * y
"""


@pytest.mark.parametrize("name", ["solved", "fitted", "joined", "cut", "gridded"])
def test_vectors_and_matrices_where_nothing_tells_which(tmp_path: Path, name: str) -> None:
    made = functions_of(tmp_path, "unknown_ranks", UNKNOWN_RANKS, "--function", name)
    scope: dict[str, Any] = {}
    exec(UNKNOWN_RANKS, scope)
    rng, step = np.random.default_rng(3), 1e-6
    for shape in ((3,), (3, 3), (3, 1)):
        if shape == (3, 1) and name in ("cut", "joined"):  # NumPy cannot
            continue
        a, b = rng.uniform(0.5, 1.5, (3, 3)) + 2 * np.eye(3), rng.uniform(0.5, 1.5, shape)
        a_dot, b_dot = rng.uniform(-1, 1, (3, 3)), rng.uniform(-1, 1, shape)
        ahead, behind = (scope[name](a + h * a_dot, b + h * b_dot) for h in (step, -step))
        slope = (ahead - behind) / (2 * step)
        out, out_dot = made[f"{name}_tangent"](a, b, a_dot, b_dot)  # type: ignore[operator]
        np.testing.assert_allclose(out_dot, slope, rtol=1e-6, atol=1e-8)
        bar = rng.uniform(-1, 1, np.shape(out))
        _, (a_bar, b_bar) = made[f"{name}_adjoint"](a, b, bar)  # type: ignore[operator]
        assert a_bar.shape == a.shape and b_bar.shape == b.shape
        np.testing.assert_allclose(np.sum(a_bar * a_dot) + np.sum(b_bar * b_dot), np.sum(bar * slope), rtol=1e-6)


def test_what_is_gathered_is_not_ignored(tmp_path: Path) -> None:
    path = tmp_path / "gathers.py"
    path.write_text("def f(x: float, *args, **kw):\n    return x * kw.get('c', 2.0)\n")
    for mode, seed in (("adjoint", {}), ("tangent", {"x_dot": 1.0})):
        scope: dict[str, object] = {}
        exec(run("transform", str(path), "--wrt", "x", "--mode", mode, "-o", "-"), scope)
        function = scope[f"f_{mode}"]
        assert function(3.0, **seed) == (6.0, 2.0)  # type: ignore[operator]
        with pytest.raises(TypeError, match="without ..kw"):
            function(3.0, (), {"c": 5.0}, **seed)  # type: ignore[operator]


DEFAULTS = """
import numpy as np

def of_dict(x, d={"a": 3.0, "b": [1.0, -2]}, *, e={}):
    return x * d["a"] + d["b"][1]

def of_tuple(x, t=(1.0, (2.0, 3.0))):
    return x * t[0] + t[1][0] * t[1][1]

def of_list(x, t=[1.0, 2.0]):
    return x * t[0] + t[1]

def counted(x, seen=[0.0]):
    seen[0] += 1.0
    return x * seen[0]
"""


def functions_of(folder: Path, name: str, text: str, *options: str) -> dict[str, object]:
    (folder / f"{name}.py").write_text(text)
    run("transform", str(folder / f"{name}.py"), "--mode", "both", "-o", str(folder / "out"), "--force", *options)
    scope: dict[str, object] = {}
    for module in sorted((folder / "out").iterdir()):
        exec(module.read_text(), scope)
    return scope


def test_containers_that_are_defaults_stay(tmp_path: Path) -> None:
    made = functions_of(tmp_path, "defaults", DEFAULTS, "--function", "of_dict", "--function", "of_list")
    assert made["of_dict_adjoint"](2.0) == (4.0, 3.0)  # type: ignore[operator]
    assert made["of_dict_tangent"](2.0, x_dot=1.0) == (4.0, 3.0)  # type: ignore[operator]
    assert made["of_dict_adjoint"](2.0, {"a": 5.0, "b": [0.0, 1.0]}) == (11.0, 5.0)  # type: ignore[operator]
    assert made["of_list_adjoint"](2.0) == (4.0, 1.0)  # type: ignore[operator]


def test_a_default_that_is_written_is_to_be_passed(tmp_path: Path) -> None:
    made = functions_of(tmp_path, "defaults", DEFAULTS, "--function", "counted")
    with pytest.raises(TypeError, match="seen"):
        made["counted_adjoint"](2.0)  # type: ignore[operator]
    assert made["counted_adjoint"](2.0, np.ones(1)) == (4.0, 2.0)  # type: ignore[operator]
    seen = [1.0]  # which is likely, where nothing of NumPy's is called
    assert made["counted_adjoint"](2.0, seen) == made["counted_tangent"](2.0, seen, x_dot=1.0) == (4.0, 2.0)  # type: ignore[operator]
    assert seen == [1.0]
    with pytest.raises(TypeError, match="seen is or holds a list here"):  # which nothing says, and a slice of it would be a copy
        made["counted_adjoint"](2.0, [np.ones(2)])  # type: ignore[operator]


def test_tuples_that_are_defaults_have_derivatives_where_they_are_asked_for(tmp_path: Path) -> None:
    made = functions_of(tmp_path, "defaults", DEFAULTS, "--function", "of_tuple", "--wrt", "t")
    assert made["of_tuple_adjoint"](2.0) == (8.0, (2.0, (3.0, 2.0)))  # type: ignore[operator]
    assert made["of_tuple_adjoint"](2.0, (1.0, [4.0, 5.0])) == (22.0, (2.0, (5.0, 4.0)))  # type: ignore[operator]
    assert made["of_tuple_tangent"](2.0, t_dot=(1.0, (0.0, 1.0))) == (8.0, 4.0)  # type: ignore[operator]
    assert "t_bar" in run("trace", str(tmp_path / "defaults.py:of_tuple"), "--at", "x=2", "--wrt", "t")


def test_what_a_range_or_slice_is_made_of_is_whole(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(
        "def power(n, x):\n    s = 0.0\n    for i in range(1, n + 1):\n        s = s + x**i\n    return s\n"
        "def first(x, w):\n    return (x[:w] * 2.0).sum()\n"
    )
    assert "14.000" in run("trace", str(tmp_path / "p.py:power"), "--at", "n=3,x=2")
    assert "[2., 2.]" in run("trace", str(tmp_path / "p.py:first"), "--at", "x=[1,2,3],w=2")
    assert "with respect to x." in run("transform", str(tmp_path / "p.py"), "--function", "power", "-o", "-")


def test_numbers_of_numpy_are_given_where_methods_of_arrays_are_written(tmp_path: Path) -> None:
    body = "import numpy as np\ndef f(x):\n    return {}\n"
    for k, expression in enumerate(("(x * 2.0).T", "np.exp(x).T", "x.T", "np.maximum(x, 0.0).T", "x.ravel().T.sum() * x.T")):
        made = functions_of(tmp_path, f"m{k}", body.format(expression))
        x = np.float64(1.7)
        up, down = (eval(expression, {"np": np, "x": x + step}) for step in (1e-6, -1e-6))
        _, slope = made["f_adjoint"](x)  # type: ignore[operator]
        assert type(slope) is np.float64 and np.isclose(slope, (up - down) / 2e-6)


@pytest.mark.parametrize(
    ("expression", "slope"),
    [("np.sum(s[None] * 3.0)", 3.0), ("s[()] * s", 4.0), ("s.sum() * s", 4.0), ("np.sin(s)[None].sum()", np.cos(2.0)),
     ("(s[...] + s.item() ** 2).ravel()[0]", 5.0), ("h(s)", 12.0), ("s.copy().mean() ** 2", 4.0)],
)  # fmt: skip
@pytest.mark.parametrize("seed", [1.0, np.float64(1.0)])
def test_numbers_of_numpy_are_subscripted_and_have_methods(tmp_path: Path, expression: str, slope: float, seed: float) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"import numpy as np\ndef h(t):\n    return t[None].sum() ** 3\ndef f(s):\n    return {expression}\n")
    run("transform", str(path), "--function", "f", "--mode", "both", "-o", str(tmp_path))
    scope: dict[str, Any] = {}
    for mode in ("adjoint", "tangent"):
        exec((tmp_path / f"program_f_{mode}.py").read_text(), scope)
    s = np.float64(2.0)
    for bar in (scope["f_adjoint"](s, seed)[1], scope["f_tangent"](s, seed)[1]):
        assert np.shape(bar) == () and np.isclose(bar, slope)


PARTS = (
    "np.sign(x[0]) * np.sqrt(np.sum(x**2))", "np.nan_to_num(x[:2] * 2.0)", "erfcx(x[1:] * x[0])",
    "np.nan_to_num(x[1:] * x[0] + np.array([0.0, np.nan]), nan=abs(x[1]))",
)  # fmt: skip


@pytest.mark.parametrize("expression", PARTS)
@pytest.mark.parametrize("imaginary", [0.0, 1j])
def test_formulas_with_imaginary_parts_are_real_where_arguments_turn_out_real(
    tmp_path: Path, expression: str, imaginary: complex
) -> None:
    lines = ("y = x.copy()", f"v = {expression}", "x[1:] -= v", "y[1:] = v * x[1]", "return np.sum(x * np.sign(x) * y)")
    body = "import numpy as np\nfrom scipy.special import erfcx\n\n\ndef f(x):\n" + "".join(f"    {line}\n" for line in lines)
    (tmp_path / "program.py").write_text(body)
    run("transform", str(tmp_path / "program.py"), "--mode", "both", "-o", str(tmp_path))
    scope: dict[str, Any] = {}
    for name in ("program", "program_f_adjoint", "program_f_tangent"):
        exec((tmp_path / f"{name}.py").read_text(), scope)
    x, along = (np.array(real) + imaginary * np.array(part) if imaginary else np.array(real) for real, part in (
        ([0.3, -0.7, 1.1], [0.2, 0.1, -0.4]), ([0.2, 0.5, -0.3], [0.3, -0.1, 0.2])
    ))  # fmt: skip
    expected = (scope["f"](x + 1e-6 * along) - scope["f"](x - 1e-6 * along)) / 2e-6
    _, tangent = scope["f_tangent"](x.copy(), along)
    _, bar = scope["f_adjoint"](x.copy())
    assert np.isclose(tangent, expected, rtol=1e-7) and np.isclose(np.sum(np.real(bar * along)), np.real(expected), rtol=1e-7)
    assert np.iscomplexobj(tangent) == np.iscomplexobj(bar) == np.iscomplexobj(x)


def test_values_of_globals_are_not_known_to_traces(tmp_path: Path) -> None:
    (tmp_path / "tab.py").write_text("import numpy as np\nTAB = np.ones(2)\ndef f(x):\n    return (x * TAB).sum()\n")
    for command in ("trace", "graph"):
        said = run(command, str(tmp_path / "tab.py:f"), "--at", "x=[1,2]", code=1)
        assert "the value of TAB, which f reads, is not known" in said
    assert run("graph", str(tmp_path / "tab.py:f")).startswith("<")


SEQUENCES = """
import numpy as np

def neighbours(xs):
    s = 0.0
    for i, (a, b) in enumerate(zip(xs, xs[1:])):
        s += a * b * (i + 1)
    return s

def sliced(xs):
    b = xs[:]
    b[0] = b[1] * 3.0
    return xs[0] * b[0]

def rest_of(xs):
    return xs[1:]

def by_a_helper(xs):
    return xs[0] * rest_of(xs)[0]

def rows(xs):
    return xs[0][1] * xs[1][0]

def edges(x, pairs):
    s = 0.0
    for i, j in pairs:
        s += x[i] * x[j]
    return s

def annotated(xs: list[float]):
    b = xs[:]
    b[0] = b[1] * 3.0
    return xs[0] * b[0]
"""


def test_lists_that_are_likely_have_derivatives(tmp_path: Path) -> None:
    """Where nothing of NumPy's is called."""
    made = functions_of(tmp_path, "sequences", SEQUENCES)
    xs = [0.8, 1.1, 1.3, 0.9]
    expected = {
        "neighbours": (xs, 7.25, [1.1, 3.4, 4.9, 3.9]), "sliced": (xs, 2.64, [3.3, 2.4, 0.0, 0.0]),
        "by_a_helper": (xs, 0.88, [1.1, 0.8, 0.0, 0.0]), "rows": ([xs, xs], 0.88, [[0.0, 0.8, 0.0, 0.0], [1.1, 0.0, 0.0, 0.0]]),
    }  # fmt: skip
    for name, (given, value, gradient) in expected.items():
        out, bar = made[f"{name}_adjoint"](given)  # type: ignore[operator]
        assert type(bar) is list and np.isclose(out, value) and np.allclose(bar, gradient)
        out, dot = made[f"{name}_tangent"](given, given)  # type: ignore[operator]
        assert np.isclose(out, value) and np.isclose(dot, np.sum(np.multiply(gradient, given)))


def test_lists_that_nobody_announced_are_refused(tmp_path: Path) -> None:
    made = functions_of(tmp_path, "sequences", SEQUENCES)
    xs = [0.8, 1.1, 1.3, 0.9]
    for name in ("neighbours", "sliced", "by_a_helper", "rows"):
        unlikely = (xs, [tuple(xs), xs]) if name == "rows" else ([xs, xs], [1, *xs], [*map(np.float64, xs)])
        for given in (tuple(xs), *unlikely):
            for seeds in ((), (given,)):
                with pytest.raises(TypeError, match=r"xs is or holds a (list|tuple) .*annotate the parameter \(xs: list"):
                    made[f"{name}_{'tangent' if seeds else 'adjoint'}"](given, *seeds)  # type: ignore[operator]
    value, bar = made["neighbours_adjoint"](np.array(xs))  # type: ignore[operator]
    assert np.isclose(value, 7.25) and np.allclose(bar, [1.1, 3.4, 4.9, 3.9])


HANDED = [
    "np.add(x, x)", "np.multiply(x, 3)", "x + x", "x * 2", "np.power(x, 3)", "np.dot(x, x)", "np.sum(x)", "np.sin(np.asarray(x))",
]  # fmt: skip


@pytest.mark.parametrize("expression", HANDED)
@pytest.mark.parametrize("given", [[0.5], [0.5, 1.5], (0.5, 1.5), [[0.5, 1.5]]])
def test_lists_that_numpy_would_make_arrays_of_are_refused_in_both_modes(tmp_path: Path, expression: str, given: Any) -> None:
    made: Any = functions_of(tmp_path, "handed", f"import numpy as np\n\n\ndef f(x):\n    return np.sum({expression})\n")
    for call in (lambda: made["f_tangent"](given, given), lambda: made["f_adjoint"](given)):
        with pytest.raises(TypeError, match=r"x is or holds a (list|tuple) .*annotate the parameter \(x: list"):
            call()


def test_arrays_that_are_defaults_are_made_once_and_left_alone(tmp_path: Path) -> None:
    text = "import numpy as np\n\n\ndef f(x, w=np.array([1.0, 2.0])):\n    return np.sum(np.multiply(x, w))\n\n\n"
    text += "def g(x, w=np.zeros(2)):\n    w[0] = x\n    return w[0] * x\n"
    made: Any = functions_of(tmp_path, "made", text, "--function", "f", "--function", "g")
    value, (x_bar, w_bar) = made["f_adjoint"](np.array([3.0, 4.0]))
    assert value == 11.0 and np.allclose(x_bar, [1.0, 2.0]) and np.allclose(w_bar, [3.0, 4.0])
    assert made["f_tangent"](np.array([3.0, 4.0]), x_dot=np.array([1.0, 0.0])) == (11.0, 1.0)
    with pytest.raises(TypeError, match="missing 1 required"):
        made["g_adjoint"](2.0)  # it is written: the function keeps it for its next call


def test_lists_that_are_announced_or_only_point_somewhere_are_not(tmp_path: Path) -> None:
    made = functions_of(tmp_path, "sequences", SEQUENCES)
    assert np.allclose(made["annotated_adjoint"]([2.0, 3.0])[1], [9.0, 6.0])  # type: ignore[operator]
    _, (x_bar, _) = made["edges_adjoint"](np.array([2.0, 3.0, 5.0]), [(0, 1), (1, 2)])  # type: ignore[operator]
    assert np.allclose(x_bar, [3.0, 7.0, 3.0])


SYSTEMS = """
import numpy as np
from scipy import linalg


def triangular(a, b):
    return np.sum(linalg.solve_triangular(a, b, lower=True) ** 2)


def factored(a, b):
    return np.sum(linalg.cho_solve(linalg.cho_factor(a), b) ** 2) + np.sum(linalg.lu_solve(linalg.lu_factor(a), b) ** 3)
"""


@pytest.mark.parametrize("name", ["triangular", "factored"])
def test_right_hand_sides_of_unknown_rank(tmp_path: Path, name: str) -> None:
    """Vectors and matrices by one program; stacks and numbers are refused as it runs."""
    pytest.importorskip("scipy")
    path = tmp_path / "systems.py"
    path.write_text(SYSTEMS, encoding="utf-8")
    primal: dict[str, Any] = {}
    exec(SYSTEMS, primal)
    modules: list[dict[str, Any]] = [{}, {}]
    for module, mode in zip(modules, ("adjoint", "tangent"), strict=True):
        exec(run("transform", str(path), "--function", name, "--mode", mode, "-o", "-"), module)
    adjoint, tangent = modules[0][f"{name}_adjoint"], modules[1][f"{name}_tangent"]
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 3))
    a = a @ a.T + np.eye(3)
    for b in (rng.normal(size=3), rng.normal(size=(3, 2))):
        da, db, h = rng.normal(size=a.shape), rng.normal(size=b.shape), 1e-6
        slope = (primal[name](a + h * da, b + h * db) - primal[name](a - h * da, b - h * db)) / (2 * h)
        _, (a_bar, b_bar) = adjoint(a, b)
        assert np.sum(a_bar * da) + np.sum(b_bar * db) == pytest.approx(slope, rel=1e-6)
        assert tangent(a, b, da, db)[1] == pytest.approx(slope, rel=1e-6)
    for matrix, bad in ((np.stack([a, a]), rng.normal(size=(3, 2))), (a, rng.normal(size=(2, 3, 2))), (a, 3.0)):
        with pytest.raises(ValueError, match="axes"):
            adjoint(matrix, bad)


UNCERTAIN = {
    "under a condition": "if True:\n    def f(x: float):\n        return x * x\n",
    "in a try": "try:\n    import fast\nexcept ImportError:\n    def f(x: float):\n        return x * x\n",
    "in a match": "match 1:\n    case 1:\n        def f(x: float):\n            return x * x\n",
    "async": "async def f(x: float):\n    return x * x\n",
}


@pytest.mark.parametrize("case", UNCERTAIN)
def test_functions_that_may_be_another_are_refused_by_name_and_the_others_written(case: str, tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text(UNCERTAIN[case] + "class C:\n    def m(self, x):\n        return x\ndef g(x: float):\n    return x * x\n")
    told = run("transform", str(path), "-o", str(tmp_path / "out"), code=1)
    assert "what the name 'f' stands for" in told and "'m'" not in told
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["some_g_adjoint.py"]


def test_places_and_points_that_mean_nothing(program: Path, tmp_path: Path) -> None:
    assert "a place is empty" in run("transform", "", "-o", str(tmp_path / "out"), code=2)
    assert "'a' twice" in run("trace", f"{program}:newton_sqrt", "--at", "a=2.0,a=3.0", code=2)
    for folder in (program, program / "inner"):
        assert "is a file, and no folder" in run("transform", str(program), "-o", str(folder), code=1)
    assert program.read_text() == PROGRAM
    (tmp_path / "nul.py").write_bytes(b"\0")
    assert "nul.py cannot be parsed" in run("transform", str(tmp_path / "nul.py"), code=1)
