"""Programs that call SciPy, end to end: text in, both modes out, against differences; first and second derivatives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import check_grads, differentiate, grad, jvp
from s2sad.emit.standalone import helper_source
from s2sad.errors import NonDifferentiableError, NoRuleError, S2sadError, UnsupportedSyntaxError

scipy = pytest.importorskip("scipy")

import scipy.linalg as sl  # noqa: E402
import scipy.special as sp  # noqa: E402
from scipy import integrate, ndimage, optimize, signal, sparse, stats  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402
from scipy_programs import (  # noqa: E402
    IJ,
    MATRIX,
    PROGRAMS,
    SPLINE,
    SQUARE,
    TRIDIAGONAL,
    X,
    Y,
    negative_binomial,
    sparse_argument,
)

from s2sad.libraries.scipy import runtime as scipy_runtime  # noqa: E402


@pytest.mark.parametrize(("program", "args"), [p[:2] for p in PROGRAMS], ids=[p[0].__name__ for p in PROGRAMS])
def test_program(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(program, args, together=True)


TWICE = {program.__name__: (program, args) for program, args, order in PROGRAMS if order == 2}


@pytest.mark.parametrize("name", thinned(TWICE, 4))
def test_second_derivatives(name: str) -> None:
    program, args = TWICE[name]
    check_grads(program, args, order=2, together=True)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_matrices_are_constant_arguments(make: Callable[..., Any]) -> None:
    check_grads(sparse_argument, (make(TRIDIAGONAL), X), wrt=1, order=2)


def test_generated_modules_name_what_they_import() -> None:
    text = differentiate(negative_binomial).source("adjoint", X, 2.5, 0.4)
    assert "import scipy.special\n" in text
    assert "scipy.special.psi(" in text
    assert "s2sad" not in text.partition("def ")[0].replace("s2sad.runtime", "")


def multivariate(a):
    return sp.multigammaln(a, 3)


def test_helpers_are_imported_from_a_package_of_their_own() -> None:
    check_grads(multivariate, (4.2,), order=2)
    text = differentiate(multivariate).source("adjoint", 4.2)
    assert "from s2sad.libraries.scipy.runtime import multigammaln_derivative\n" in text


def test_every_helper_can_be_written_out() -> None:
    names = scipy_runtime.__all__
    imports, text = helper_source({"s2sad.libraries.scipy.runtime": {name: name for name in names}}, {}, set())
    namespace: dict[str, Any] = {}
    exec("\n".join([*imports, text]), namespace)
    assert "s2sad" not in text + "".join(imports)
    expected = scipy_runtime.convolve_adjoint_1(X, X, Y[:3], "same")
    np.testing.assert_array_equal(namespace["convolve_adjoint_1"](X, X, Y[:3], "same"), expected)
    assert namespace["multigammaln_derivative"](1, 4.2, 2) == scipy_runtime.multigammaln_derivative(1, 4.2, 2)


STANDALONE = """import numpy as np
import scipy.linalg


def structured(c: np.ndarray, ab: np.ndarray, b: np.ndarray):
    return np.sum(scipy.linalg.toeplitz(c)) + np.sum(scipy.linalg.solve_banded((1, 1), ab, b))
"""


def test_standalone_modules_bring_the_helpers_along(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(STANDALONE)
    command = [
        sys.executable,
        "-m",
        "s2sad",
        "transform",
        str(tmp_path / "program.py"),
        "--wrt",
        "c,ab,b",
        "--standalone",
    ]
    found = subprocess.run(
        [*command, "-o", "-"], check=True, timeout=60, capture_output=True, text=True
    ).stdout
    scope: dict[str, Any] = {}
    exec(found, scope)
    assert "s2sad.libraries.scipy.runtime" not in found
    ab = np.array([[0.0, 0.3, -0.4], [2.0, 2.5, 3.0], [0.5, -0.3, 0.0]])
    _, (c_bar, ab_bar, b_bar) = scope["structured_adjoint"](X[:3], ab, Y[:3])
    expected = grad(
        lambda c, ab, b: np.sum(sl.toeplitz(c)) + np.sum(sl.solve_banded((1, 1), ab, b)), (0, 1, 2)
    )
    for ours, theirs in zip((c_bar, ab_bar, b_bar), expected(X[:3], ab, Y[:3]), strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_scipy_is_not_imported_by_us() -> None:
    program = (
        "import sys, numpy as np\n"
        "from s2sad import grad\n"
        "from s2sad.rules import registry\n"
        "registry.name_of(np.sin)\n"
        "assert len(registry.all_primitives()) > 500\n"
        "def f(x):\n    return np.sum(np.sin(x))\n"
        "from s2sad.rules.registry import find_object\n"
        "find_object('scipy.special.gamma')\n"
        "assert not [m for m in sys.modules if m.partition('.')[0] == 'scipy' or 'libraries.scipy' in m]\n"
        "import scipy.special\n"
        "assert registry.name_of(scipy.special.gammaln) == 'scipy.special.gammaln'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


REFUSED: list[tuple[Callable[..., Any], Any, type[Exception], str]] = [
    (lambda v: sp.jv(v, 1.0), 0.5, NoRuleError, "with respect to v"),
    (lambda a: sp.gammainc(a, 1.0), 0.5, NoRuleError, "with respect to a"),
    (lambda x: sp.factorial(x), X, NonDifferentiableError, "gamma"),
    (lambda x: sp.pdtrik(0.3, x), 0.5, NoRuleError, "not written yet"),
    (lambda a: stats.gamma.cdf(1.0, a), 1.5, NoRuleError, "with respect to a"),
    (lambda x: stats.kappa3.pdf(x, 1.5), 0.5, S2sadError, "kappa3"),
    (lambda s: np.sum(ndimage.gaussian_filter(X, s)), 1.0, NoRuleError, "with respect to sigma"),
    (lambda x: signal.medfilt(x)[0], X, NoRuleError, "medfilt"),
    (lambda x: Rotation.from_rotvec(x[:3]).as_matrix()[0, 0], X, UnsupportedSyntaxError, "from_rotvec"),
    (lambda x: np.sum((MATRIX * x) ** 2), X, NoRuleError, "mul with an object"),
    (lambda x: sparse.linalg.eigsh(sparse.csr_array((x, IJ)), k=1)[0][0], X, UnsupportedSyntaxError, "an object"),
    (lambda x: sparse.csr_array((x, IJ)).power(2)[0, 0], X, UnsupportedSyntaxError, "covers .*multiply"),
    (lambda x: np.sum(sparse.block_diag([np.outer(x, x)]) @ X), X, NonDifferentiableError, r"csr_array\(\(data"),
    (
        lambda a: integrate.tplquad(lambda x, y, z: np.sin(a * x), 0, 1, 0, 1, 0, 1)[0],
        0.5,
        UnsupportedSyntaxError,
        "scipy.integrate.tplquad",
    ),
    (
        lambda a: optimize.brute(lambda t: (t - a) ** 2, ((0, 2),)),
        0.5,
        UnsupportedSyntaxError,
        "scipy.optimize.brute",
    ),
    (lambda x: np.sum(SPLINE(x, extrapolate=False)), X, UnsupportedSyntaxError, "SPLINE"),
    (lambda x: sl.inv(x, assume_a="diagonal"), SQUARE, NoRuleError, "assume_a"),
    (lambda x: sl.qr(x, mode="raw")[0], SQUARE, NoRuleError, "scipy.linalg.qr"),
    (lambda x: sl.eigh(x, SQUARE, type=2)[0], SQUARE, NoRuleError, "type=2"),
]


@pytest.mark.parametrize(("program", "x", "error", "words"), REFUSED, ids=[r[3] for r in REFUSED])
def test_what_has_no_rule_is_refused(
    program: Callable[..., Any], x: Any, error: type[Exception], words: str
) -> None:
    for derive in (lambda: grad(program)(x), lambda: jvp(program, (x,), (x,))):
        with pytest.raises(error, match=words):
            derive()


def test_single_precision_stays() -> None:
    x = X.astype("float32")
    assert grad(lambda x: np.sum(sp.gammaln(x) * sp.erf(x)))(x).dtype == np.float32
