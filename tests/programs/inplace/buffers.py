"""Who holds which buffer: views of views, aliases, scratch arrays, out=, containers of arrays.

Short programs, a feature or two each, for the day when a long one gives a wrong gradient.
"""

import numpy as np

from ..case import case


def row_views(A, f):
    row = A[1]
    row *= f
    tail = row[2:]
    tail += A[0, 2:]
    A[0] = row
    corner = A[:2, :2].T
    corner[0] -= corner[1]
    return row @ A[0]


def views_of_views(x):
    grid = x.reshape(3, 4)
    upside = np.flip(grid, axis=0)
    upside[0, 1:] += upside[2, :-1]
    cols = grid.T[1:3]
    cols *= x[:3]
    np.ravel(grid)[::5] -= 1.0
    grid.ravel()[1] = x[7] * x[2]
    every = grid[::2, ::-1]
    every[1] += every[0] ** 2
    return x


def transposed_alias(A):
    B = A.T
    B[0] = A[0] * 2
    A += B
    A[1] -= A.T[2]
    return B


def rows_of_a_matrix(A, w):
    for i, row in enumerate(A):
        row[i] = 0.0
        row /= 1.0 + row @ row
        row += w
        w = 0.5 * (row + w)
    return w


def copyto_and_fill(x, y, c):
    buf = np.empty((2, x.size))
    buf.fill(c)
    np.copyto(buf[0], x)
    np.copyto(buf[1], x, where=y > 0)
    buf[:, -1] = c * c
    y[:] = buf.sum(axis=0) * y
    buf[:] = y
    x.fill(buf[1, 0])
    return buf[0] * x


def ufunc_outputs(x, y):
    buf = np.empty_like(x)
    np.add(x, y, out=buf)
    np.multiply(buf, x, out=x)
    np.sin(x, x)
    np.subtract(1.0, x, out=x[::-1])
    np.divide(y[1:], 2 + buf[1:] ** 2, out=y[:-1])
    np.maximum(x, y, out=buf)
    np.hypot(buf, 1.0, out=buf)
    return buf


def reductions_into(A, x):
    out = np.zeros((3, A.shape[1]))
    np.sum(A, axis=0, out=out[0])
    np.dot(x, A, out=out[1])
    np.cumsum(out[0] * out[1], out=out[2])
    np.matmul(A, A.T, out=A[:, : A.shape[0]])
    return out.sum(axis=0) + A.mean(axis=0)


def masked_ufunc(x, safe):
    ratio = np.zeros_like(x)
    np.divide(1.0, x, out=ratio, where=safe)
    np.sqrt(x, out=x, where=x > 0)
    return ratio + x


def store_then_read(x):
    y = x.copy()
    alias = y
    alias[2] = 3.0 * x[0]
    x[0] = y[2] * y[0]
    y = y * 2  # a new array: alias keeps the old one
    y[0] = alias[1]
    alias[1] = 0.0
    return y * alias + x


def same_value_twice(a):
    s = a[0]
    part = a[:3]
    a[0] = s * s
    held = a[0]
    a[0] += held * part[1]
    a[1:3] = part[0] * s
    return part.sum() + held


def branches_choose_buffers(x, y, flags):
    for flag in flags:
        target = x if flag else y
        target[1:] += np.cos(target[:-1])
        x, y = y, x
    x *= y
    return x


def list_of_arrays(u, n):
    levels = []
    for k in range(n):
        level = np.sin((k + 1) * u)
        level[0] = k
        levels.append(level)
    for k in range(1, n):
        levels[k] += 0.5 * levels[k - 1]
        levels[k][1:] *= levels[0][:-1]
    levels[0], levels[-1] = levels[-1], levels[0]
    levels[0][2] = u[1]
    return np.stack(levels, axis=1)


def lists_of_rows(rows):
    out = [r.copy() for r in rows]
    out[1][:] = out[0] + rows[2]
    last = out.pop()
    last *= out[1]
    out.append(last[::-1])
    return np.concatenate(out) + np.array(rows).ravel()


def dict_of_fields(state, dt, n):
    fields = {"h": state.copy(), "v": np.zeros_like(state), "trace": np.zeros(n)}
    for k in range(n):
        fields["v"][1:] -= dt * np.diff(fields["h"])
        fields["h"][:-1] += dt * fields["v"][1:]
        fields["h"] *= 0.98
        fields["trace"][k] = fields["h"][0]
    return fields["trace"]


def reused_scratch(x, n):
    """One buffer for every turn: what it held before must not leak into the next."""
    tmp = np.empty_like(x)
    total = 0.0
    for k in range(n):
        np.multiply(x, k + 1.0, out=tmp)
        tmp[k % len(x)] = 0.0
        tmp += np.tanh(tmp[::-1])
        x[:] = 0.5 * x + 0.1 * tmp
        total += tmp @ x
    return total


CASES = (
    case(row_views, lambda rng: (rng.normal(size=(3, 4)), 1.3)),
    case(views_of_views, lambda rng: (rng.normal(size=12),)),
    case(transposed_alias, lambda rng: (rng.normal(size=(3, 3)),)),
    case(rows_of_a_matrix, lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=4))),
    case(copyto_and_fill, lambda rng: (rng.normal(size=4), rng.normal(size=4), 0.8)),
    case(ufunc_outputs, lambda rng: (rng.normal(size=5), rng.normal(size=5))),
    case(reductions_into, lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=3))),
    case(
        masked_ufunc,
        lambda rng: (np.array([0.8, -0.4, 1.7, -1.1, 0.3]), np.array([True, True, False, True, False])),
    ),
    case(store_then_read, lambda rng: (rng.normal(size=4),)),
    case(same_value_twice, lambda rng: (rng.normal(size=5),)),
    case(branches_choose_buffers, lambda rng: (rng.normal(size=4), rng.normal(size=4), [True, False, False])),
    case(list_of_arrays, lambda rng: (rng.normal(size=4), 3)),
    case(lists_of_rows, lambda rng: ([rng.normal(size=3) for _ in range(3)],)),
    case(dict_of_fields, lambda rng: (rng.normal(size=5), 0.2, 4)),
    case(reused_scratch, lambda rng: (rng.normal(size=4), 3)),
)
