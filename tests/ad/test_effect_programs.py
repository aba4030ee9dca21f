"""What functions return, and then is written: windows, copies, the argument itself; rules of users; arguments with gaps."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import effect_programs
import numpy as np
import pytest

from s2sad import check_grads, grad, jvp, nondifferentiable, rule
from s2sad.errors import AliasError, S2sadError
from s2sad.rules import registry, user

X = np.array([0.7, 0.3, -0.45, 1.1])
PROGRAMS = [f for f in vars(effect_programs).values() if isinstance(f, types.FunctionType) and f.__name__.startswith("of_")]
HANDED_ON = [f for f in PROGRAMS if f.__name__ in ("of_a_conj", "of_einsum", "of_matrix_power", "of_polyder", "of_float64",
                                                   "of_a_astype_2", "of_flat", "of_diag", "of_array_2", "of_fftn")]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes(program: Callable[[Any], Any]) -> None:
    check_grads(program, (X,))


@pytest.mark.parametrize("program", HANDED_ON, ids=lambda f: f.__name__)
def test_in_a_helper_in_a_loop(program: Callable[[Any], Any]) -> None:
    def looped(x):
        s = 0.0
        for k in range(2):
            s += program(x + 0.1 * k) * (k + 1.0)
        return s

    check_grads(looped, (X,))


# --- copies made on entry, and memory from outside

TABLE = np.arange(1.0, 5.0)


def flattened(a):
    b = a.reshape(-1)
    b[0] = 3.0 * a[0, 1]
    return np.sum(a**2) + np.sum(b**3)


@pytest.mark.parametrize("layout", [np.copy, np.asfortranarray, np.transpose])
def test_an_argument_that_is_written_through_another_shape(layout: Callable[[Any], Any]) -> None:
    check_grads(flattened, (layout(np.arange(1.0, 13.0).reshape(3, 4)),))


def test_an_argument_with_gaps_that_is_given_another_shape() -> None:
    a = np.arange(1.0, 25.0).reshape(3, 8)[:, ::2]  # the reshape is a copy, in derivatives as in the function
    check_grads(flattened, (a,))


def written_beside_a_table(a):
    a[0] = 2.0 * a[1]
    return np.sum(a * TABLE)


def written_beside_a_table_of_a_helper(a):
    def weighed(q):
        return np.sum(q * TABLE)

    a[0] = 2.0 * a[1]
    return weighed(a)


@pytest.mark.parametrize("program", [written_beside_a_table, written_beside_a_table_of_a_helper])
def test_an_argument_that_is_written_is_no_global(program: Callable[[Any], Any]) -> None:
    check_grads(program, (X.copy(),))
    with pytest.raises(AliasError, match="TABLE"):
        grad(program)(TABLE)
    with pytest.raises(AliasError, match="TABLE"):
        jvp(program, (TABLE[:],), (X,))


# --- users' rules


@pytest.fixture
def _forgotten() -> Iterator[None]:
    """The rules of one test are none of the next one's business."""
    saved = [dict(table) for table in (registry._primitives, registry._objects, user._described)]
    yield
    for table, old in zip((registry._primitives, registry._objects, user._described), saved, strict=True):
        table.clear()
        table.update(old)
    registry._modules_seen = -1
    registry.revision += 1


def itself(a):
    return a


def written_after(x):
    a = 2.0 * x
    b = itself(a)
    b[0] = 7.0
    return np.sum(a * a)


def only_read(x):
    a = 2.0 * x
    return np.sum(a * itself(a))


@pytest.mark.usefixtures("_forgotten")
def test_what_a_rule_does_not_say_is_checked() -> None:
    rule(itself, a="g", linear=True)
    check_grads(only_read, (X,))
    with pytest.raises(AliasError, match="effects"):
        grad(written_after)(X)
    with pytest.raises(AliasError):
        jvp(written_after, (X,), (X,))


@pytest.mark.usefixtures("_forgotten")
def test_effects_of_a_rule() -> None:
    rule(itself, a="g", linear=True, effects="same(a)")
    check_grads(only_read, (X,))
    check_grads(written_after, (X,))


@pytest.mark.parametrize("line", ["same(b)", "fresh; writes a", "bad(", "view(a) if", "fresh; shouts"])
def test_lines_that_make_no_sense_are_refused(line: str) -> None:
    with pytest.raises(S2sadError, match="effects"):
        rule(itself, a="g", linear=True, effects=line)


SEEN = []


@nondifferentiable
def noted(x):
    SEEN.append(1)


def with_a_note(x):
    noted(x)
    return np.sum(x * x)


def test_calls_of_which_nothing_is_known_stay() -> None:
    SEEN.clear()
    np.testing.assert_allclose(grad(with_a_note)(X), 2 * X)
    jvp(with_a_note, (X,), (X,))
    assert len(SEEN) == 2


def trimmed(x):
    a = 2.0 * x
    b = np.trim_zeros(a)
    b[0] = x[1] ** 2
    return np.sum(b**2) + np.sum(a**3)


def test_a_window_that_depends_on_contents_is_followed_forward_and_refused_in_reverse() -> None:
    x = np.array([0.0, 0.7, 0.3, 0.0])
    along = np.array([0.0, 0.2, -0.4, 0.0])
    step = 1e-6 * along
    assert np.isclose(jvp(trimmed, (x,), (along,))[1], (trimmed(x + step) - trimmed(x - step)) / 2e-6)
    with pytest.raises(S2sadError, match=r"trim_zeros returns.* not supported in reverse mode"):
        grad(trimmed)(x)
    copied = grad(lambda x: np.sum(np.trim_zeros(x).copy() ** 2))(x)
    assert np.allclose(copied, 2 * x)
