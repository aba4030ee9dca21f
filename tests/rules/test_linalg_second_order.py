"""Second derivatives through all of linear algebra: the helpers of derivative programs have rules of their own.

Complex matrices come in as a real and an imaginary part; what is summed does not depend on phases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

import s2sad
from s2sad import check_grads

RNG = np.random.default_rng(7)
RE, IM = RNG.normal(size=(2, 3, 3))
TALL, TALL_IM = RNG.normal(size=(2, 4, 3))
SIDES = RNG.normal(size=(4, 2))


def hermitian_vectors(re, im):
    w, v = np.linalg.eigh(re + re.T + 1j * (im - im.T))
    return np.sum(np.abs(v) ** 4 * w)


def hermitian_projector(re, im):
    w, v = np.linalg.eigh(re + re.T + 1j * (im - im.T))
    return np.imag(v[0, 1] * np.conj(v[2, 1])) * w[0]


def singular_vectors(re, im):
    u, s, vh = np.linalg.svd(re + 1j * im, full_matrices=False)
    return np.real(u[0, 1] * vh[1, 2]) * s[0] + np.imag(u @ vh)[0, 1]


def complex_eigenvectors(re, im):
    w, v = np.linalg.eig(re + 1j * im)
    return np.real(np.sum(v**3 * w))


def real_eigenvectors(a):
    w, v = np.linalg.eig(a)
    return np.real(np.sum(v**3 * w))


def eigenvalues(a):
    return np.linalg.eigvalsh(a, "U")[0] ** 2 + np.real(np.linalg.eigvals(a)[0] ** 2)


def orthogonal_factor(re, im):
    q, r = np.linalg.qr(re + 1j * im)
    return np.real(np.sum(q**3)) + np.imag(np.sum(r**2))


def pseudo_inverse(re, im):
    return np.real(np.sum(np.linalg.pinv(re + 1j * im) ** 3))


def least_squares(re, im, b):
    x, residuals, rank, s = np.linalg.lstsq(re + 1j * im, b, rcond=None)
    return np.real(np.sum(x**3)) + np.sum(residuals**2) + s[1]


def signed_log_det(re, im):
    sign, logdet = np.linalg.slogdet(re + 1j * im)
    return np.real(sign) * logdet + np.abs(np.linalg.det(re + 1j * im))


def upper_factor(re, im):
    z = re + 1j * im
    return np.real(np.sum(np.linalg.cholesky(z @ np.conj(z.T) + np.eye(3), upper=True) ** 3))


def powers(a):
    return np.sum(np.linalg.matrix_power(a, -2) ** 2) + np.linalg.matrix_power(a, 3)[0, 1] ** 2


def norms(re, im):
    z = re + 1j * im
    of_matrices = np.linalg.norm(z, "nuc") ** 2 + np.linalg.norm(z, 2) + np.linalg.norm(z, 1)
    return of_matrices + np.linalg.cond(z, "fro") + np.linalg.norm(z, 3, axis=0).sum()


def tensors(a):
    m = np.reshape(np.sin(np.outer(a[:, 0], np.arange(1, 13))), (6, 6)) + np.diag(np.arange(1.0, 7.0))
    t = np.reshape(m, (2, 3, 6))
    return np.sum(np.linalg.tensorinv(t) ** 2) + np.sum(np.linalg.tensorsolve(t, a[:2]) ** 3)


def products(re, im):
    z = re + 1j * im
    last = np.linalg.vecdot(z, z[0]) ** 2 + np.matvec(z, z[0]) ** 2 + np.vecmat(z[1], z) ** 2
    return (
        np.real(np.sum(last))
        + np.sum(np.linalg.cross(re, im) ** 2)
        + np.linalg.multi_dot((re[0], im, re, im[1])) ** 2
    )


def transforms(re, im):
    z = re + 1j * im
    whole = np.sum(np.fft.hfft(z) ** 3) + np.sum(np.fft.irfft2(z, (3, 3)) ** 3)
    return whole + np.sum(np.abs(np.fft.fft2(z, (4, 2))) ** 3) + np.abs(np.sum(np.fft.ihfft(re, 4) ** 2))


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *(
        (f, (RE, IM))
        for f in (hermitian_vectors, hermitian_projector, complex_eigenvectors, signed_log_det, upper_factor)
    ),
    *((f, (RE, IM)) for f in (norms, products, transforms)),
    *((f, (RE,)) for f in (real_eigenvectors, eigenvalues, powers, tensors)),
    *((f, (TALL, TALL_IM)) for f in (singular_vectors, orthogonal_factor, pseudo_inverse)),
    *((f, (TALL.T, TALL_IM.T)) for f in (singular_vectors, orthogonal_factor)),
    (least_squares, (TALL, TALL_IM, SIDES)),
]


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_second_derivatives_of_determinants_of_singular_matrices(rank: int) -> None:
    def determinant(a):
        return np.linalg.det(a)

    a = RE[:, :rank] @ IM[:rank]
    for hessian in (s2sad.hessian(determinant), s2sad.jacobian(s2sad.grad(determinant))):
        found = hessian(a)
        for i, j, k, m in np.ndindex(3, 3, 3, 3):
            sign = np.sign((k - i) * (m - j)) * (-1) ** (i + j + k + m)
            expected = sign * a[3 - i - k, 3 - j - m] if i != k and j != m else 0.0
            np.testing.assert_allclose(found[i, j, k, m], expected, atol=1e-13)


def test_what_divides_by_a_singular_matrix_says_so() -> None:
    def logarithm(a):
        return np.linalg.slogdet(a)[1]

    singular = RE[:, :2] @ IM[:2]
    singular[2] = 0.0
    for derivative in (s2sad.grad(logarithm), lambda a: s2sad.jvp(logarithm, (a,), (a,))):
        with pytest.raises(s2sad.S2sadError, match="the matrix is singular"):
            derivative(singular)


@pytest.mark.parametrize("case", thinned([f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)], 2))
def test_second_derivatives(case: str) -> None:
    program, args = CASES[int(case.rpartition("-")[2])]
    check_grads(program, args, order=2, rtol=1e-4, together=True)
