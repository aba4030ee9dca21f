"""Every public name is in the README's table, typed, and says shapes, errors and where it comes from."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import s2sad

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FUNCTIONS = [name for name in s2sad.__all__ if not isinstance(getattr(s2sad, name), type)]
TOLD = {
    "shapes": r"shape|array",
    "errors": r"[Rr]aises|[Ee]rrors as",
    "a source": r"\b(19|20)\d\d\b|\d(nd|rd) ed\.|JAX|jax\.|autograd",
}


def told(name: str, seen: frozenset[str] = frozenset()) -> str:
    """The docstring of a public name, with those that it refers to: "... as for ``grad``"."""
    text = inspect.getdoc(getattr(s2sad, name)) or ""
    others = set(re.findall(r"as for ``(\w+)``", text)) & set(FUNCTIONS) - seen - {name}
    return "\n".join([text, *(told(other, seen | {name}) for other in sorted(others))])


@pytest.mark.parametrize("what", TOLD)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_tell(name: str, what: str) -> None:
    assert re.search(TOLD[what], told(name)), f"{name} does not tell {what}"


@pytest.mark.parametrize("name", s2sad.__all__)
def test_every_public_name_is_in_the_readme(name: str) -> None:
    assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", README)
    assert inspect.getdoc(getattr(s2sad, name))


@pytest.mark.parametrize("name", [n for n in vars(s2sad.Differentiable) if not n.startswith("_")])
def test_every_method_of_a_decorated_function_is_in_the_readme(name: str) -> None:
    if name not in ("settings_for", "derivatives"):  # which the compiler asks
        assert f"`.{name}" in README or f"`f.{name}" in README
        assert inspect.getdoc(getattr(s2sad.Differentiable, name))


def test_errors_are_ours() -> None:
    errors = [e for e in vars(s2sad).values() if isinstance(e, type) and issubclass(e, Exception)]
    assert len(errors) >= 9
    assert all(issubclass(e, s2sad.S2sadError) for e in errors)


USER = '''
from typing import Any, assert_type
from collections.abc import Callable

import s2sad


def f(x: float, n: int = 2) -> float:
    return x**n


{body}
'''
RIGHT = '''
def used(v: list[float]) -> Any:
    found = [
        s2sad.grad(f)(1.0, n=3), s2sad.value_and_grad(f)(1.0)[0], s2sad.jacobian(f)(1.0, 2), s2sad.jacfwd(f)(1.0),
        s2sad.jacrev(f)(1.0), s2sad.value_and_jacobian(f)(1.0), s2sad.hessian(f)(1.0, n=4), s2sad.vjp(f, 1.0),
        s2sad.jvp(f, (1.0,), (1.0,)),
        s2sad.hvp(f, (1.0,), (1.0,))[1], s2sad.linearize(f, 1.0)[1](1.0), s2sad.vmap(f, (0, None))(1.0, 2), s2sad.ravel(v)[0],
        s2sad.sparse_jacobian(f)(1.0), s2sad.sparse_hessian(f)(1.0), s2sad.jacobian_sparsity(f, 1.0),
        s2sad.hessian_sparsity(f, 1.0), s2sad.color([[1]]).count, s2sad.as_linear_operator(s2sad.linearize(f, 1.0)[1]),
        s2sad.root(f, 1.0), s2sad.argmin(f, 1.0),
        s2sad.fixed_point(f, 1.0), s2sad.stop_gradient(1.0), s2sad.jacobian(f).why(1.0),
    ]
    s2sad.check_grads(f, (1.0,))
    with s2sad.adjoint_of(1.0) as bar:
        found.append(bar)
    return found


decorated = s2sad.differentiate(f)
assert_type(decorated(1.0), float)
assert_type(decorated.value_and_grad(1.0, n=2)[0], float)
assert_type(s2sad.checkpoint(f)(1.0), float)
assert_type(s2sad.checkpointed(range(3), snapshots=2), range)
assert_type(s2sad.nondifferentiable(f)(1.0), float)
assert_type(s2sad.rule(f, x="g")(1.0), float)


@s2sad.differentiate(wrt="x")
def g(x: float) -> float:
    return x


assert_type(g(1.0), float)
'''
WRONG = [
    "s2sad.grad(f)('one')", "s2sad.value_and_grad(f)(1.0, 2, 3)", "s2sad.jacobian(f)(1.0, m=1)", "s2sad.hessian(f)()",
    "s2sad.vmap(f)(n=2)", "s2sad.sparse_jacobian(f)('one')", "s2sad.differentiate(f)('one')", "s2sad.differentiate(f).grad(n=1)",
    "s2sad.checkpoint(f)('one')", "s2sad.rule(f, x='g')('one')", "s2sad.jacrev(f).why()",
]  # fmt: skip


def test_a_users_program_is_typed(tmp_path: Path) -> None:
    """With signatures kept: wrong calls of what was made are found, one error a line."""
    file = tmp_path / "users_program.py"
    file.write_text(USER.format(body=RIGHT + "\n".join(WRONG)))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), str(file)]
    done = subprocess.run([*command, "--no-error-summary"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    lines = file.read_text().splitlines()
    wrong = {lines[int(number) - 1] for number in re.findall(r"users_program\.py:(\d+): error", done.stdout)}
    assert wrong == set(WRONG), done.stdout
