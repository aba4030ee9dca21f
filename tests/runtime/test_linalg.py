"""The helpers of linear algebra and Fourier transforms, at the places where plain formulas fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import runtime
from s2sad.runtime import SeedError

RNG = np.random.default_rng(5)
SQUARE = RNG.normal(size=(3, 3))
COMPLEX = SQUARE + 1j * RNG.normal(size=(3, 3))


def pairing(x: Any, y: Any) -> float:
    return float(np.sum(np.real(x * y)))


@pytest.mark.parametrize(
    ("name", "transpose"),
    [
        ("half_tril", "half_tril"),
        ("mirror_lower", "fold_upper"),
        ("mirror_upper", "fold_lower"),
        ("with_dagger", "with_dagger"),
        ("imaginary", "imaginary"),
    ],
)
def test_helpers_are_transposes_of_each_other(name: str, transpose: str) -> None:
    x, bar = COMPLEX, RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
    forward, back = getattr(runtime, name), getattr(runtime, transpose)
    assert np.isclose(pairing(bar, forward(x)), pairing(back(bar), x))
    assert forward(SQUARE).dtype == np.float64


def test_a_mirrored_triangle_is_what_numpy_reads() -> None:
    lower, upper = runtime.mirror_lower(COMPLEX), runtime.mirror_upper(COMPLEX)
    np.testing.assert_allclose(np.linalg.eigvalsh(COMPLEX, "L"), np.linalg.eigvalsh(lower))
    np.testing.assert_allclose(np.linalg.eigvalsh(COMPLEX, "U"), np.linalg.eigvalsh(upper))
    for x in (lower, upper):
        np.testing.assert_array_equal(x, x.conj().T)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_cofactors_of_singular_matrices(rank: int) -> None:
    a = COMPLEX[:, :rank] @ SQUARE[:rank]
    minors = [
        [(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(3)]
        for i in range(3)
    ]
    np.testing.assert_allclose(runtime.cofactor(a), minors, atol=1e-12)
    np.testing.assert_allclose(runtime.cofactor(COMPLEX), np.linalg.det(COMPLEX) * np.linalg.inv(COMPLEX).T)


def test_gaps_within_rounding_are_infinite_slopes() -> None:
    w = np.array([1.0, 1.0 + 1e-16, 2.0, 2.0 + 1e-9])
    found = runtime.divide_gaps(np.ones((4, 4)), w)
    assert np.isinf(found[0, 1])
    assert np.isfinite(found[2, 3])
    assert found[0, 2] == 1.0
    assert np.all(np.diag(found) == 0)
    assert np.all(runtime.divide_gaps(np.zeros((4, 4)), w) == 0)


def test_nothing_divided_by_zero_is_nothing() -> None:
    np.testing.assert_array_equal(
        runtime.quotient(np.array([0.0, 1.0, 3.0]), np.array([0.0, 0.0, 2.0])), [0.0, np.inf, 1.5]
    )
    assert runtime.quotient(np.ones(2, "float32"), np.ones(2, "float32")).dtype == np.float32


def test_eigenvectors_in_the_gauge_of_numpy() -> None:
    step = 1e-6
    for a, change in ((COMPLEX, SQUARE), (SQUARE + 3 * np.eye(3), COMPLEX.real)):
        w, v = np.linalg.eig(a)
        plus, minus = (np.linalg.eig(a + s * change)[1] for s in (step, -step))
        free = v @ runtime.divide_gaps(np.linalg.solve(v, change @ v), w)
        np.testing.assert_allclose(runtime.in_gauge(free, v), (plus - minus) / (2 * step), atol=1e-6)


def test_eigenvectors_are_found_in_the_order_of_the_eigenvalues() -> None:
    w, v = np.linalg.eig(COMPLEX)
    np.testing.assert_allclose(runtime.eigenvectors(COMPLEX, w[[2, 0, 1]]), v[:, [2, 0, 1]])
    with pytest.raises(SeedError, match="coincide"):
        runtime.eigenvectors(np.eye(2), np.ones(2))


def test_dependence_on_phases_is_seen() -> None:
    w, v = np.linalg.eigh(runtime.mirror_lower(COMPLEX))
    runtime.assert_phase_free(v.T @ np.conj(v))
    runtime.assert_phase_free(SQUARE)
    runtime.assert_phase_free(np.zeros((0, 0), complex))
    with pytest.raises(SeedError, match="phases"):
        runtime.assert_phase_free(v.T @ COMPLEX)
    with pytest.raises(SeedError, match="phases"):
        runtime.assert_phase_free(v.T @ COMPLEX, 0.5 * v.T @ COMPLEX)
    runtime.assert_phase_free(v.T @ COMPLEX, v.T @ COMPLEX * (1 + 1e-15))


def test_vectors_that_complete_a_basis_have_no_derivative() -> None:
    bar = np.pad(np.ones((3, 2)), ((0, 0), (0, 1)))
    np.testing.assert_array_equal(runtime.leading(bar, 2), np.ones((3, 2)))
    with pytest.raises(SeedError, match="complete a basis"):
        runtime.leading(bar, 1)
    found = runtime.without_rest(np.ones((3, 2)), SQUARE)
    assert np.isnan(found[:, 2]).all() and (found[:, :2] == 1).all()
    assert runtime.without_rest(SQUARE, SQUARE) is SQUARE
    assert not runtime.unless_square(SQUARE).any() and runtime.unless_square(bar[:, :2]).all()


def test_the_corner_of_a_power_is_its_derivative() -> None:
    power = np.linalg.matrix_power(runtime.bordered(SQUARE, COMPLEX), 3)[:3, 3:]
    a, x = SQUARE, COMPLEX
    np.testing.assert_allclose(power, x @ a @ a + a @ x @ a + a @ a @ x)
    assert runtime.bordered(SQUARE, np.ones((4, 3, 3))).shape == (4, 6, 6)


def test_an_inverse_of_lower_rank() -> None:
    np.testing.assert_allclose(runtime.inverse_of_rank(COMPLEX, 3), np.linalg.inv(COMPLEX))
    u, s, vh = np.linalg.svd(COMPLEX)
    deficient = (u[:, :2] * s[:2]) @ vh[:2]
    np.testing.assert_allclose(runtime.inverse_of_rank(deficient, 2), np.linalg.pinv(deficient, 1e-10), atol=1e-12)
    with pytest.raises(runtime.SeedError, match="cut off"):
        runtime.inverse_of_rank(COMPLEX, 2)


def test_the_order_of_a_norm() -> None:
    assert runtime.one_less(3) == 2
    with pytest.raises(SeedError, match="order 0"):
        runtime.one_less(0.0)


# --- Fourier transforms


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_inverse_norms_undo_each_other(norm: str | None) -> None:
    spectrum = np.fft.fft(SQUARE[0], norm=norm)
    turned = np.conj(np.fft.fft(np.conj(spectrum), norm=runtime.inverse_norm(norm)))
    np.testing.assert_allclose(turned, SQUARE[0], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "x", "s", "axes"),
    [
        ("fftn", COMPLEX, None, None),
        ("ifftn", COMPLEX, (4,), (0,)),
        ("fftn", COMPLEX, (-1, 2), (0, 1)),
        ("rfftn", SQUARE, None, None),
        ("rfftn", SQUARE, (2, 5), (1, 0)),
        ("irfftn", COMPLEX, None, None),
        ("irfftn", COMPLEX, (5, 2), (0, 1)),
        ("irfftn", COMPLEX, (3, 7), (1, 0)),
    ],
)
def test_adjoints_are_plain_transposes(name: str, x: Any, s: Any, axes: Any) -> None:
    out = getattr(np.fft, name)(x, s, axes)
    bar = RNG.normal(size=out.shape) + (1j * RNG.normal(size=out.shape) if np.iscomplexobj(out) else 0.0)
    found = getattr(runtime, f"{name}_adjoint")(bar, x, s, axes)
    assert found.shape == x.shape and found.dtype == x.dtype
    assert np.isclose(pairing(bar, out), pairing(found, x))


def test_an_axis_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="named twice"):
        runtime.fftn_adjoint(COMPLEX, COMPLEX, None, (0, -2))


def test_fitting_crops_and_fills() -> None:
    np.testing.assert_array_equal(runtime.fitted(np.array([1.0, 2.0, 3.0]), np.zeros(2)), [1.0, 2.0])
    np.testing.assert_array_equal(runtime.fitted(np.array([1.0 + 1j]), np.zeros(2)), [1.0, 0.0])
