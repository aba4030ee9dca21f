"""Functions that hand back their argument, a window of it, or a copy, as options and types decide; then something is stored.

Each function of a vector is one case of ``test_effect_programs``.
"""

from __future__ import annotations

import numpy as np


def of_a_conj(x):
    a = 2.0*x
    b = a.conj()
    b[0] = 7.0
    return np.sum(a*a)


def of_a_conjugate(x):
    a = 2.0*x
    b = a.conjugate()
    b *= 3.0
    return np.sum(a*a)


def of_conj(x):
    a = 2.0*x
    b = np.conj(a)
    b[0] = 7.0
    return np.sum(a*a) + np.sum(b**2)


def of_einsum(x):
    a = np.outer(x, x)
    b = np.einsum('ij', a)
    b[0] *= 2.0
    return np.sum(a*a)


def of_einsum_2(x):
    a = np.outer(x, x)
    b = np.einsum('ij->ji', a)
    b[0] = x
    return np.sum(a**2 * np.arange(16.).reshape(4,4))


def of_matrix_power(x):
    a = np.outer(x, x)
    b = np.linalg.matrix_power(a, 1)
    b[0, 0] = 3.0
    return np.sum(a*a)


def of_matrix_power_2(x):
    a = np.outer(x, x)
    b = np.linalg.matrix_power(a, 2)
    b[0, 0] = 3.0
    return np.sum(a*a) + np.sum(b*a)


def of_polyder(x):
    a = 2.0*x
    b = np.polyder(a, 0)
    b[1] = x[0]
    return np.sum(a**2)


def of_polyder_2(x):
    a = 2.0*x
    b = np.polyder(a, 1)
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**3)


def of_diff(x):
    a = 2.0*x
    b = np.diff(a, n=1)
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**2)


def of_float64(x):
    a = 2.0*x
    b = np.float64(a)
    b[1] = x[0]
    return np.sum(a**2)


def of_a_astype(x):
    a = 2.0*x
    b = a.astype(np.float64)
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**3)


def of_a_astype_2(x):
    a = 2.0*x
    b = a.astype(np.float64, copy=False)
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**3)


def of_a_astype_3(x):
    a = 2.0*x
    b = a.astype(np.float64, order='F')
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**3)


def of_array(x):
    a = 2.0*x
    b = np.array(a, copy=False)
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**3)


def of_array_2(x):
    a = 2.0*x
    b = np.array(a, copy=None)
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**3)


def of_array_3(x):
    a = 2.0*x
    b = np.array(a)
    b[1] = x[0]
    return np.sum(a**2) + np.sum(b**3)


def of_diag(x):
    a = 2.0*x
    b = np.diag(a)
    a[0] = x[1]**2
    return np.sum(b**2) + np.sum(a)


def of_diagflat(x):
    a = 2.0*x
    b = np.diagflat(a)
    a[0] = x[1]**2
    return np.sum(b**2) + np.sum(a)


def of_flat(x):
    a = 2.0*x
    b = a.flat[2:4]
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_flat_in_a_loop(x):
    s = 0.0
    for k in range(2):
        a = x + 0.1*k
        b = a.flat[1:3]
        b[0] = a[1]*3.0
        a[2] *= b[1]
        s += np.sum(b**2) + np.sum(a**3)
    return s


def of_block(x):
    a = 2.0*x
    b = np.block([a, a])
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_block_2(x):
    a = 2.0*x
    b = np.block([[a], [a]])
    b[0] = x[1]**2
    a[0] = 1.0
    return np.sum(b**2) + np.sum(a**3)


def of_polyint(x):
    a = 2.0*x
    b = np.polyint(a, 0)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_real(x):
    a = 2.0*x
    b = np.real(a)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_real_2(x):
    a = 2.0*x
    b = a.real
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_real_if_close(x):
    a = 2.0*x
    b = np.real_if_close(a)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_tile(x):
    a = 2.0*x
    b = np.tile(a, 1)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_nan_to_num(x):
    a = 2.0*x
    b = np.nan_to_num(a)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_nan_to_num_2(x):
    a = 2.0*x
    b = np.nan_to_num(a, copy=False)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_squeeze(x):
    a = 2.0*x
    b = np.squeeze(a)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_require(x):
    a = 2.0*x
    b = np.require(a)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_ascontiguousarray(x):
    a = 2.0*x
    b = np.ascontiguousarray(a[::2])
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_ravel(x):
    a = 2.0*x
    b = np.ravel(a)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_a_flatten(x):
    a = 2.0*x
    b = a.flatten()
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_rot90(x):
    a = 2.0*x
    b = np.rot90(np.outer(a, a), 0)
    b[0] = x**2
    return np.sum(b**2) + np.sum(a**3)


def of_roll(x):
    a = 2.0*x
    b = np.roll(a, 0)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_clip(x):
    a = 2.0*x
    b = np.clip(a, -10, 10)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_sum(x):
    a = 2.0*x
    b = np.sum(a, axis=())
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_atleast_1d(x):
    a = 2.0*x
    b = np.atleast_1d(a)
    b[0] = x[1]**2
    return np.sum(b**2) + np.sum(a**3)


def of_split(x):
    a = 2.0*x
    b, c = np.split(a, 2)
    b[0] = x[1]**2
    c *= b
    return np.sum(b**2) + np.sum(a**3)


def of_broadcast_arrays(x):
    a = 2.0*x
    b = np.broadcast_arrays(a, x)[0]
    return np.sum(b**2) + np.sum(a**3)


def of_expand_dims(x):
    a = 2.0*x
    b = np.expand_dims(a, 0)
    b[0] *= x
    return np.sum(b**2) + np.sum(a**3)


def of_ix(x):
    i = np.array([0, 2])
    g = np.ix_(i)
    i[0] = 3
    return np.sum(x[g]**2)


def of_a_conj_2(x):
    a = 2.0*x
    a[0] = np.sum(a)
    b = a.conj()
    c = a
    b *= c
    return np.sum(a)


def of_itself(x):
    a = 2.0*x
    b = +a
    b[0] = 3.0
    return np.sum(a*b)


def of_power(x):
    a = 2.0*x
    b = a**1
    b[0] = 3.0
    return np.sum(a*b)


def of_positive(x):
    a = 2.0*x
    b = np.positive(a)
    b[0] = 3.0
    return np.sum(a*b)


def of_abs(x):
    a = 2.0*x
    b = abs(a)
    b[0] = 3.0
    return np.sum(a*b)


def of_a_view(x):
    a = 2.0*x
    b = a.view()
    b[0] = 3.0
    return np.sum(a*b)


def of_sliding_window_view(x):
    a = 2.0*x
    b = np.lib.stride_tricks.sliding_window_view(a, 2)
    a[1] = x[0]**2
    return np.sum(b**3)


def of_resize(x):
    a = 2.0*x
    b = np.resize(a, 4)
    b[0] = 3.0
    return np.sum(a*b)


def of_T(x):
    a = 2.0*x
    b = a.T
    b[0] = 3.0
    return np.sum(a*b)


def of_unwrap(x):
    a = 2.0*x
    b = np.unwrap(a)
    b[0] = 3.0
    return np.sum(a*b)


def of_around(x):
    a = 2.0*x
    b = np.around(a, 20)
    b[0] = 3.0
    return np.sum(a*x)


def of_fftn(x):
    a = x + 0j
    b = np.fft.fftn(a, axes=())
    b[0] = 5.0
    return np.sum(np.real(a*a))


def of_ifft2(x):
    a = x + 0j
    b = np.fft.ifft2(np.outer(a, a), axes=())
    b[0] = 5.0
    return np.sum(np.abs(a*a))


def of_copy(x):
    a = 2.0*x
    b = np.copy(a)
    b[0] = 3.0
    return np.sum(a*b)


def of_delete(x):
    a = 2.0*x
    b = np.delete(a, [])
    b[0] = 3.0
    return np.sum(a*b)


def of_append(x):
    a = 2.0*x
    b = np.append(a, [])
    b[0] = 3.0
    return np.sum(a*b)


def of_hstack(x):
    a = 2.0*x
    b = np.hstack([a])
    b[0] = 3.0
    return np.sum(a*b)


def of_stack(x):
    a = 2.0*x
    b = np.stack([a])[0]
    b[0] = 3.0
    return np.sum(a*b)


def of_pad(x):
    a = 2.0*x
    b = np.pad(a, 0)
    b[0] = 3.0
    return np.sum(a*b)


def of_repeat(x):
    a = 2.0*x
    b = np.repeat(a, 1)
    b[0] = 3.0
    return np.sum(a*b)


def of_take(x):
    a = 2.0*x
    b = np.take(a, np.arange(4))
    b[0] = 3.0
    return np.sum(a*b)
