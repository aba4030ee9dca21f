"""Small programs of linear algebra and Fourier transforms, differentiated as users would, in both modes.

What depends on phases of complex eigenvectors is not defined; these programs use projectors and other invariants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import ActivityError, check_grads, grad, jvp
from s2sad.errors import NoRuleError, S2sadError

RNG = np.random.default_rng(3)
A = RNG.normal(size=(4, 4))
SPD = A @ A.T + 2 * np.eye(4)
X = RNG.normal(size=4)
TALL = RNG.normal(size=(5, 3))
COMPLEX = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
SIGNAL = RNG.normal(size=12)


# --- determinants and systems


def gaussian_log_density(x, mean, cov):
    d = x - mean
    sign, logdet = np.linalg.slogdet(cov)
    return -0.5 * (d @ np.linalg.solve(cov, d) + logdet + d.size * np.log(2 * np.pi))


def gaussian_by_cholesky(x, cov):
    factor = np.linalg.cholesky(cov)
    z = np.linalg.solve(factor, x)
    return -0.5 * z @ z - np.log(np.diag(factor)).sum()


def named_logdet(a):
    found = np.linalg.slogdet(a)
    return found.logabsdet * found.sign


def ridge(x, y, strength):
    gram = x.T @ x + strength * np.eye(x.shape[1])
    weights = np.linalg.solve(gram, x.T @ y)
    return np.sum((x @ weights - y) ** 2)


def fitted_line(x, y):
    weights, residuals, rank, s = np.linalg.lstsq(x, y, rcond=None)
    return weights @ weights + residuals.sum() + rank + s[0]


def markov(a):
    p = np.exp(a) / np.exp(a).sum(axis=1, keepdims=True)
    return np.linalg.matrix_power(p, 5)[0, 1]


def newton_like(a, steps):
    x = a.T / (np.linalg.norm(a, 1) * np.linalg.norm(a, np.inf))
    for _ in range(steps):
        x = 2 * x - x @ a @ x
    return np.linalg.norm(x[0] - np.linalg.pinv(a)[0], 3) + np.linalg.multi_dot([x, a, x])[0, 1]


def extremes(a):
    return np.linalg.norm(a, -np.inf, axis=0) * np.linalg.norm(a, np.inf, axis=0)


def chain_of_lists(a):
    return np.linalg.multi_dot([[[a[0, 0], 1.0]], [[a[0, 1]], [2.0]], [[a[1, 0]]]])


# --- eigenvalues and singular values


def log_det_by_eigenvalues(a):
    return np.log(np.linalg.eigvalsh(a @ a.T + np.eye(a.shape[0]))).sum()


def matrix_square_root(a):
    w, v = np.linalg.eigh(a @ a.T + np.eye(a.shape[0]))
    return (v * np.sqrt(w)) @ v.T


def leading_projector(a):
    found = np.linalg.eigh(a + a.T)
    v = found.eigenvectors[:, -1]
    return np.outer(v, v) * found.eigenvalues[0]


def in_place_spectrum(a):
    w, v = np.linalg.eigh(a + a.T)
    w[0] = 0.0
    v *= np.exp(w)
    return v @ v.T


def hermitian_weights(re, im):
    h = re + re.T + 1j * (im - im.T)
    w, v = np.linalg.eigh(h)
    return np.sum(np.abs(v) ** 2 * np.exp(0.3 * w), axis=1)


def spectral_radius(a):
    return np.max(np.abs(np.linalg.eigvals(a)))


def oscillation(a):
    w, v = np.linalg.eig(a)
    return np.real(np.sum(v * np.exp(0.1 * w) * np.array([1.0, 2.0, -1.0, 0.5]), axis=1))


def low_rank_loss(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum((a - (u[:, :2] * s[:2]) @ vh[:2]) ** 2) + s[0]


def truncated(a):
    u, s, vh = np.linalg.svd(a)
    return (u[:, :2] * np.tanh(s[:2])) @ vh[:2]


def singular_values_alone(a):
    return np.sqrt(np.linalg.svd(a)[1]).sum() + np.linalg.svd(a, compute_uv=False)[1] ** 2


def complex_polar(re, im):
    u, s, vh = np.linalg.svd(re + 1j * im, full_matrices=False)
    return np.imag(u @ vh)[0] + s


def orthogonal_loss(a):
    q, r = np.linalg.qr(a)
    return np.sum(q[0] ** 3) + np.log(np.abs(np.diag(r))).sum()


def conditions(a):
    return np.linalg.cond(a) + np.linalg.cond(a, "fro") + np.linalg.norm(a, "nuc") + np.linalg.norm(a, 2)


def stacked_energies(a):
    total = 0.0
    for k in range(a.shape[0]):
        w, v = np.linalg.eigh(a[k] + a[k].T)
        total = total + w[0] * np.abs(v[0, 1])
    return total


# --- Fourier transforms


def low_pass(x, cutoff):
    spectrum = np.fft.rfft(x)
    return np.fft.irfft(spectrum / (1 + (np.fft.rfftfreq(x.size) / cutoff) ** 2), x.size)


def spectral_derivative(u):
    k = 2 * np.pi * np.fft.fftfreq(u.size, 1 / u.size)
    return np.real(np.fft.ifft(1j * k * np.fft.fft(u)))


def power_spectrum_loss(x, target):
    power = np.abs(np.fft.rfft(x * np.hanning(x.size))) ** 2
    return np.sum((np.log(power + 1e-3) - target) ** 2)


def convolution(x, kernel):
    return np.fft.ifftn(np.fft.fftn(x) * np.fft.fftn(kernel, x.shape, axes=(0, 1))).real


def real_planes(x):
    spectrum = np.fft.rfft2(x)
    spectrum[0, 0] = 0.0
    return np.fft.irfft2(spectrum * np.conj(spectrum), x.shape)


def phase_correlation(x, y):
    cross = np.fft.fft(x) * np.conj(np.fft.fft(y))
    return np.fft.fftshift(np.fft.ifft(cross / np.abs(cross))).real


def schroedinger(psi, steps):
    k = np.fft.fftfreq(psi.size)
    for _ in range(steps):
        psi = np.fft.ifft(np.exp(-3j * k**2) * np.fft.fft(psi))
        psi = psi * np.exp(-0.1j * np.abs(psi) ** 2)
    return np.abs(psi) ** 2


def turned_triangle(p, q):
    """The rotation between two triangles, whose points lie in a plane: the last singular value is 0."""
    p, q = p - np.mean(p, axis=1)[:, None], q - np.mean(q, axis=1)[:, None]
    u, s, vh = np.linalg.svd(q @ p.T)
    r = u @ vh
    if np.linalg.det(r) < 0:
        r = r - 2 * np.outer(u[:, 2], vh[2])
    return np.sum(r * np.sin(np.arange(9.0)).reshape(3, 3))


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (gaussian_log_density, (X, 0.3 * X, SPD)),
    (gaussian_by_cholesky, (X, SPD)),
    (named_logdet, (A,)),
    (ridge, (TALL, RNG.normal(size=5), 0.7)),
    (fitted_line, (TALL, RNG.normal(size=5))),
    (markov, (A,)),
    (newton_like, (SPD, 3)),
    (extremes, (A,)),
    (chain_of_lists, (A,)),
    (log_det_by_eigenvalues, (TALL.T,)),
    (matrix_square_root, (TALL.T,)),
    (leading_projector, (A,)),
    (in_place_spectrum, (0.3 * A,)),
    (hermitian_weights, (A, A.T @ A)),
    (spectral_radius, (A,)),
    (oscillation, (A,)),
    (low_rank_loss, (TALL,)),
    (truncated, (TALL,)),
    (truncated, (TALL.T,)),
    (singular_values_alone, (TALL,)),
    (complex_polar, (A, SPD)),
    (turned_triangle, (A[:3, :3], A[1:, 1:])),
    (orthogonal_loss, (TALL,)),
    (orthogonal_loss, (TALL.T,)),
    (conditions, (A,)),
    (stacked_energies, (RNG.normal(size=(3, 2, 2)),)),
    (low_pass, (SIGNAL, 0.2)),
    (spectral_derivative, (SIGNAL,)),
    (power_spectrum_loss, (SIGNAL, RNG.normal(size=7))),
    (convolution, (TALL, RNG.normal(size=(2, 2)))),
    (real_planes, (RNG.normal(size=(4, 5)),)),
    (phase_correlation, (SIGNAL, SIGNAL[::-1] ** 2)),
    (schroedinger, (SIGNAL + 1j * SIGNAL[::-1], 2)),
]
NAMES = [f"{f.__name__}-{k}" for k, (f, _) in enumerate(PROGRAMS)]


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=NAMES)
def test_both_modes(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(program, args, together=True)


SCALAR = [case for case in PROGRAMS if np.ndim(case[0](*case[1])) == 0]


@pytest.mark.parametrize("case", thinned([f"{f.__name__}-{k}" for k, (f, _) in enumerate(SCALAR)], 2))
def test_second_derivatives(case: str) -> None:
    program, args = SCALAR[int(case.rpartition("-")[2])]
    check_grads(program, args, order=2, rtol=1e-4, together=True)


# --- what is no derivative


def test_coinciding_eigenvalues_have_eigenvectors_without_a_derivative() -> None:
    def root(a):
        w, v = np.linalg.eigh(a @ a.T + np.eye(a.shape[0]))  # 1 is an eigenvalue twice
        return np.sum((v * np.sqrt(w)) @ v.T)

    with np.errstate(invalid="ignore"):
        assert not np.isfinite(grad(root)(TALL)).all()
        assert not np.isfinite(jvp(root, (TALL,), (TALL[::-1],))[1])
    assert np.isfinite(grad(lambda a: np.linalg.eigvalsh(a @ a.T)[-1])(TALL)).all()


def test_what_depends_on_phases_is_refused() -> None:
    def of_phases(a):
        w, v = np.linalg.eigh(a + a.T.conj())
        return np.real(v[2, 0])

    def of_singular_phases(a):
        u, s, vh = np.linalg.svd(a)
        return np.imag(u[0, 0])

    for program in (of_phases, of_singular_phases):
        with pytest.raises(ActivityError, match="phases"):
            grad(program)(COMPLEX)


def test_vectors_that_complete_a_basis_are_refused() -> None:
    def of_the_rest(a):
        u, s, vh = np.linalg.svd(a)
        return np.sum(u[:, 3:] ** 3) + s[0]

    with pytest.raises(ActivityError, match="full_matrices"):
        grad(of_the_rest)(TALL)
    assert np.isnan(jvp(of_the_rest, (TALL,), (TALL[::-1],))[1])


def test_columns_that_reflections_add_have_a_derivative() -> None:
    def of_the_complement(a):
        q, r = np.linalg.qr(a, "complete")
        return np.sum(q[:, 3:] ** 3) + np.sum(q**2 * np.arange(len(q))) + r[0, 0]

    check_grads(of_the_complement, (TALL,), order=2)
    for found in (lambda: grad(of_the_complement)(np.triu(TALL)), lambda: jvp(of_the_complement, (np.triu(TALL),), (TALL,))):
        with pytest.raises(ActivityError, match="rank"):  # nothing is reflected: the sign of the columns jumps
            found()


def test_the_order_of_a_norm_is_not_differentiated() -> None:
    def p_norm(x, p):
        return np.linalg.norm(x, p)

    check_grads(p_norm, (X, 3.5), wrt=0)
    with pytest.raises(NoRuleError, match="order"):
        grad(p_norm, 1)(X, 3.5)


def test_options_without_a_rule_are_refused_by_name() -> None:
    def raw(a):
        return np.linalg.qr(a, "raw")[0]

    with pytest.raises(S2sadError, match="raw"):
        jvp(raw, (A,), (A,))


def test_scipy_computes_half_precision_in_single() -> None:
    linalg = pytest.importorskip("scipy.linalg")
    weights = np.arange(9.0).reshape(3, 3).astype("float32")
    half = (SPD[:3, :3] / 4 + np.eye(3)).astype("float16")

    def inverse(a):
        return np.sum(linalg.inv(a) * weights)

    def determinant(a):
        return linalg.det(a)

    def exponential(a):
        return np.sum(linalg.expm(a) * weights)

    def roots(a):
        return np.sum(linalg.cholesky(a) * weights) + np.sum(linalg.sqrtm(a) * weights)

    def spectra(a):
        return np.sum(linalg.eigvalsh(a) * weights[0]) + np.sum(linalg.svd(a)[1] * weights[1])

    def factors(a):
        return np.sum(linalg.lu(a)[2] * weights) + np.sum(linalg.cho_solve(linalg.cho_factor(a), weights))

    for program in (inverse, determinant, exponential, roots, spectra, factors):
        value, tangent = jvp(program, (half,), (half,))
        single = half.astype("float32")
        assert value == program(half) and tangent.dtype == np.asarray(value).dtype
        assert tangent == pytest.approx(jvp(program, (single,), (single,))[1], rel=1e-5)
        found = grad(program)(half)
        assert found.dtype == np.float16
        np.testing.assert_allclose(found, grad(program)(single), rtol=4e-3, atol=4e-3)
