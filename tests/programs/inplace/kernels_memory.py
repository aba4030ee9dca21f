"""Memory seen through several names: views of views, swapped and reused buffers, arrays without axes, gathers written to."""

import numpy as np

from ..case import case


def swap_three(a, b, c, n):
    for k in range(n):
        a, b, c = b, c, a
        a[:] = 0.5 * b + 0.1 * c * c
    return a + 2 * b + 3 * c


def slice_objects(A, b):
    n = A.shape[0]
    lo, hi = slice(0, n // 2), slice(n // 2, n)
    A[lo, hi] -= A[lo, lo] @ A[hi, hi]
    A[hi] += b
    s = (slice(None), slice(None, None, -1))
    A[s] *= A
    return A


def alias_same_array(x):
    def axpy(a, X, Y):
        Y += a * X

    axpy(0.5, x, x)
    y = x * x
    axpy(2.0, y[:-1], y[1:])
    return y


def reused_work(X, w):
    tmp = np.empty(X.shape[1])
    total = 0.0
    for i in range(X.shape[0]):
        tmp[:] = X[i]
        tmp *= w
        np.tanh(tmp, out=tmp)
        total += tmp.sum()
        w += 0.1 * tmp
    return total


def history_rows(x, n):
    H = np.empty((n + 1, len(x)))
    H[0] = x
    for k in range(n):
        prev, cur = H[k], H[k + 1]
        cur[...] = prev
        cur[1:] += 0.3 * prev[:-1] * prev[1:]
        prev *= 0.9
    return H


def two_level_views(A):
    B = A[1:-1]
    C = B[:, 1:-1]
    C += A[:-2, 1:-1]
    C *= B[:, :-2]
    D = C.T[::-1]
    D[0] -= C[:, 0]
    return A


def overlapping_self(u, c):
    u[1:] += c * u[:-1]
    u[:-1] -= c * u[1:]
    u[1:-1] = u[:-2] * u[2:]
    u[::2] += u[::-2] if len(u) % 2 else u[1::2][::-1]
    return u


def dot_out_views(A, B, n):
    T = np.empty((n, n))
    for k in range(2):
        np.matmul(A, B, out=T)
        np.add(A, T, out=A)
        np.subtract(B, T.T, out=B)
        np.multiply(T[0], 0.5, out=A[0])
        np.maximum(A, -2.0, out=A)
    return A.sum() + (B * T).sum()


def reduce_out(A):
    s = np.zeros(A.shape[1])
    np.sum(A, axis=0, out=s)
    m = np.empty(A.shape[0])
    A.mean(axis=1, out=m)
    A -= m[:, None]
    np.cumsum(s, out=s)
    A /= 1 + s**2
    np.prod(A, axis=0, out=s)
    return s


def fancy_rows(A, idx):
    A[idx] *= 2.0
    B = A[idx]
    B += 1.0
    A[idx[::-1]] = B
    A[:, [0, -1]] = A[:, [-1, 0]]
    np.add.at(A, (idx, 0), B[:, 1])
    return A


def loop_carried_view(A):
    v = A[0]
    for i in range(1, len(A)):
        A[i] += 0.5 * v * v
        v = A[i]
        v[0] *= 1.2
    v *= 2
    return A


def list_of_views(A):
    q = A.shape[0] // 2
    parts = [A[:q], A[q:]]
    parts[0] *= parts[1]
    for p in parts:
        p -= p.mean()
    parts.reverse()
    parts[0][0] = 1.0
    return A


def nested_inplace_branches(A, s):
    for i in range(len(A)):
        r = A[i]
        if r.sum() > 0:
            r *= s
            if i:
                r -= A[i - 1]
        else:
            A[i] = r**2 + s
            r = A[i - 1]
        r += 0.1
    return A


def in_place_perm_cycles(x, p):
    seen = [False] * len(p)
    for i in range(len(p)):
        if seen[i]:
            continue
        j, t = i, x[i]
        while True:
            seen[j] = True
            k = p[j]
            if k == i:
                x[j] = t * 1.5
                break
            x[j] = x[k] * 1.1
            j = k
    return x


def mean_square_in_a_box(x):
    s = np.zeros(())
    for v in x:
        s += v * v
    s /= len(x)
    return s


def two_names_for_a_box(x):
    s = np.array(0.0)
    t = s
    s += x.sum()
    t *= 2
    return s * t


def stores_without_axes(x):
    s = np.empty(())
    s[()] = x[0] * x[1]
    t = s * 1.0
    s[...] = x[2] ** 2
    return s * t


def window_without_axes(x):
    y = x * 1
    z = y[..., 0]
    z *= 3.0
    z += y[1]
    return y.sum()


def reshaped_to_no_axes(x):
    y = x[:1] * 2
    z = y.reshape(())
    z *= z
    return y[0] + z


def squeezed_to_no_axes(x):
    y = x[:1].copy()
    z = np.squeeze(y)
    z += x[1]
    return y[0] ** 2


def box_in_a_callee(x):
    def add(s, v):
        s += v

    s = np.zeros(())
    for v in x:
        add(s, v * v)
    return s


def gather_written_and_put_back(A, idx):
    B = A[idx]
    B += 1.0
    A[idx[::-1]] = B
    return A


CASES = (
    case(swap_three, lambda rng: (rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), 4)),
    case(slice_objects, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4))),
    case(alias_same_array, lambda rng: (rng.normal(size=4),)),
    case(reused_work, lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=4))),
    case(history_rows, lambda rng: (rng.normal(size=3), 3)),
    case(two_level_views, lambda rng: (rng.normal(size=(4, 5)),)),
    case(overlapping_self, lambda rng: (rng.normal(size=7), 0.3)),
    case(dot_out_views, lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), 3)),
    case(reduce_out, lambda rng: (rng.normal(size=(3, 4)),)),
    case(fancy_rows, lambda rng: (rng.normal(size=(4, 3)), np.array([3, 0, 2]))),
    case(loop_carried_view, lambda rng: (rng.normal(size=(4, 3)),)),
    case(list_of_views, lambda rng: (rng.normal(size=(4, 2)),)),
    case(nested_inplace_branches, lambda rng: (rng.normal(size=(4, 3)), 1.3)),
    case(in_place_perm_cycles, lambda rng: (rng.normal(size=5), [2, 0, 1, 4, 3])),
    case(mean_square_in_a_box, lambda rng: (rng.normal(size=3),)),
    case(two_names_for_a_box, lambda rng: (rng.normal(size=3),)),
    case(stores_without_axes, lambda rng: (rng.normal(size=3),)),
    case(window_without_axes, lambda rng: (rng.normal(size=3),)),
    case(reshaped_to_no_axes, lambda rng: (rng.normal(size=3),)),
    case(squeezed_to_no_axes, lambda rng: (rng.normal(size=3),)),
    case(box_in_a_callee, lambda rng: (rng.normal(size=3),)),
    case(gather_written_and_put_back, lambda rng: (rng.normal(size=(4, 3)), np.array([3, 0, 2]))),
)
