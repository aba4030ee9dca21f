"""Matrices and tables as lists of lists: eliminations, dynamic programming, polynomials, all without NumPy."""
# ruff: noqa: RUF007  (`zip(xs, xs[1:])` is what people post)

import math

from ..case import case


def soft_minimum(*values):
    low = min(values)
    return low - math.log(sum(math.exp(low - v) for v in values))


def matrix_product(a, b):
    return [[sum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]


def transposed(a):
    return [list(row) for row in zip(*a)]


def gauss_solve(a, b):
    n = len(a)
    m = [row[:] + [b[i]] for i, row in enumerate(a)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(m[i][k]))
        m[k], m[pivot] = m[pivot], m[k]
        for i in range(k + 1, n):
            factor = m[i][k] / m[k][k]
            for j in range(k, n + 1):
                m[i][j] -= factor * m[k][j]
    x = [0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (m[i][n] - sum(m[i][j] * x[j] for j in range(i + 1, n))) / m[i][i]
    return sum((i + 1) * v for i, v in enumerate(x))


def gauss_jordan_inverse(a):
    n = len(a)
    m = [[*row, *[1.0 if i == j else 0.0 for j in range(n)]] for i, row in enumerate(a)]
    for k in range(n):
        m[k] = [v / m[k][k] for v in m[k]]
        for i in range(n):
            if i != k:
                m[i] = [u - m[i][k] * v for u, v in zip(m[i], m[k])]
    return sum(m[i][n + j] * (i - 2 * j) for i in range(n) for j in range(n))


def determinant_of_rows(a):
    a, sign = [row[:] for row in a], 1
    for k in range(len(a)):
        for i in range(k + 1, len(a)):
            if abs(a[i][k]) > abs(a[k][k]):
                a[i], a[k] = a[k], a[i]
                sign = -sign
            ratio = a[i][k] / a[k][k]
            a[i] = [u - ratio * v for u, v in zip(a[i], a[k])]
    product = sign
    for k, row in enumerate(a):
        product *= row[k]
    return product


def doolittle(a, b):
    n = len(a)
    low, up = [[0.0] * n for _ in range(n)], [[0.0] * n for _ in range(n)]
    for i in range(n):
        for k in range(i, n):
            up[i][k] = a[i][k] - sum(low[i][j] * up[j][k] for j in range(i))
        low[i][i] = 1
        for k in range(i + 1, n):
            low[k][i] = (a[k][i] - sum(low[k][j] * up[j][i] for j in range(i))) / up[i][i]
    y = []
    for i in range(n):
        y.append(b[i] - sum(low[i][j] * y[j] for j in range(i)))
    return sum(v * v for v in y) + low[-1][0] * up[0][-1]


def cholesky_lists(a):
    factor = []
    for i, row in enumerate(a):
        line = []
        for j in range(i):
            line.append((row[j] - sum(p * q for p, q in zip(line, factor[j]))) / factor[j][j])
        line.append(math.sqrt(row[i] - sum(p * p for p in line)))
        factor.append(line)
    return sum(math.log(line[-1]) for line in factor) + factor[2][0]


def gram_schmidt_lists(vectors):
    basis = []
    for v in vectors:
        w = v[:]
        for q in basis:
            along = sum(p * r for p, r in zip(w, q))
            w = [p - along * r for p, r in zip(w, q)]
        length = math.sqrt(sum(p * p for p in w))
        basis.append([p / length for p in w])
    return basis[1][0] + basis[2][2] * basis[1][2]


def matrix_power(a, n):
    result = [[float(i == j) for j in range(len(a))] for i in range(len(a))]
    while n > 0:
        if n % 2:
            result = matrix_product(result, a)
        a, n = matrix_product(a, a), n // 2
    return result[0][1] + transposed(result)[1][1]


def power_method(a, steps=15):
    v = [1.0] * len(a)
    for _ in range(steps):
        w = [sum(p * q for p, q in zip(row, v)) for row in a]
        top = math.sqrt(sum(p * p for p in w))
        v = [p / top for p in w]
    return top + v[0]


def edit_distance_of_rows(a, b, gap):
    table = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        table[i][0] = i * gap
    for j in range(len(b) + 1):
        table[0][j] = j * gap
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            table[i][j] = soft_minimum(
                table[i - 1][j] + gap, table[i][j - 1] + gap, table[i - 1][j - 1] + (x - y) ** 2
            )
    return table[-1][-1]


def time_warping(a, b):
    inf = 1e6
    d = [[inf for _ in b] + [inf] for _ in range(len(a) + 1)]
    d[0][0] = 0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i][j] = abs(a[i - 1] - b[j - 1]) ** 1.5 + min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1])
    return d[len(a)][len(b)]


def alignment_score(a, b, match, gap):
    """Needleman and Wunsch, with the two last rows only."""
    previous = [-gap * j for j in range(len(b) + 1)]
    for i, p in enumerate(a):
        current = [-gap * (i + 1)]
        for j, q in enumerate(b):
            bonus = match if p == q else -0.4 * match
            current.append(max(previous[j] + bonus, previous[j + 1] - gap, current[-1] - gap))
        previous = current
    return previous[-1]


def soft_knapsack(weights, values, capacity, temperature):
    best = [0] * (capacity + 1)
    for w, v in zip(weights, values):
        for c in range(capacity, w - 1, -1):
            take, leave = best[c - w] + v, best[c]
            best[c] = temperature * math.log(math.exp(take / temperature) + math.exp(leave / temperature))
    return best[capacity]


def viterbi(start, move, emit, seen):
    score = [math.log(p) + math.log(emit[s][seen[0]]) for s, p in enumerate(start)]
    back = []
    for symbol in seen[1:]:
        row, fresh = [], []
        for s in range(len(start)):
            origin = max(range(len(start)), key=lambda r: score[r] + math.log(move[r][s]))
            row.append(origin)
            fresh.append(score[origin] + math.log(move[origin][s]) + math.log(emit[s][symbol]))
        back.append(row)
        score = fresh
    path = [score.index(max(score))]
    for row in reversed(back):
        path.append(row[path[-1]])
    return max(score) + sum(start[s] * (k + 1) for k, s in enumerate(path))


def forward_backward(start, move, emit, seen):
    n, length = len(start), len(seen)
    alpha = [[0] * n for _ in range(length)]
    beta = [[1] * n for _ in range(length)]
    for t, symbol in enumerate(seen):
        for s in range(n):
            before = start[s] if t == 0 else sum(alpha[t - 1][r] * move[r][s] for r in range(n))
            alpha[t][s] = before * emit[s][symbol]
    for t in reversed(range(length - 1)):
        for s in range(n):
            beta[t][s] = sum(move[s][r] * emit[r][seen[t + 1]] * beta[t + 1][r] for r in range(n))
    evidence = sum(alpha[-1])
    return math.log(evidence) + sum(a * b for a, b in zip(alpha[1], beta[1])) / evidence * alpha[0][0]


def floyd_warshall(weights):
    d = [row[:] for row in weights]
    for k in range(len(d)):
        for i in range(len(d)):
            for j in range(len(d)):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return sum(map(sum, d))


def matrix_chain(sizes):
    n = len(sizes) - 1
    cost = [[0.0] * n for _ in range(n)]
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            cost[i][j] = min(
                cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)
            )
    return cost[0][-1]


def grid_paths(grid):
    total = [[None] * len(grid[0]) for _ in grid]
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            up = total[i - 1][j] if i > 0 else 0.0
            left = total[i][j - 1] if j > 0 else 0.0
            total[i][j] = cell * (1.0 if i == j == 0 else up + left)
    return total[-1][-1]


def polynomial_arithmetic(p, q, x):
    product = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            product[i + j] += a * b
    slope = [k * c for k, c in enumerate(product)][1:]
    value = 0
    for c in reversed(slope):
        value = value * x + c
    return value


def polynomial_division(p, q):
    remainder, quotient = p[:], []
    while len(remainder) >= len(q):
        factor = remainder[-1] / q[-1]
        quotient.insert(0, factor)
        for k, c in enumerate(q):
            remainder[len(remainder) - len(q) + k] -= factor * c
        remainder.pop()
    return sum(c * (k + 1) for k, c in enumerate(quotient)) + remainder[0] * remainder[1]


def newton_divided_differences(xs, ys, at):
    table = [list(ys)]
    for order in range(1, len(xs)):
        last = table[-1]
        table.append([(last[k + 1] - last[k]) / (xs[k + order] - xs[k]) for k in range(len(xs) - order)])
    value, product = 0.0, 1.0
    for x, row in zip(xs, table):
        value += row[0] * product
        product *= at - x
    return value


def de_casteljau_rows(points, t):
    while len(points) > 1:
        points = [((1 - t) * a + t * c, (1 - t) * b + t * d) for (a, b), (c, d) in zip(points, points[1:])]
    ((x, y),) = points
    return x * y + y


def life_with_heat(grid, rate):
    rows, columns = len(grid), len(grid[0])
    for _ in range(3):
        fresh = [row[:] for row in grid]
        for i in range(rows):
            for j in range(columns):
                around = (
                    grid[i - 1][j] + grid[(i + 1) % rows][j] + grid[i][j - 1] + grid[i][(j + 1) % columns]
                )
                fresh[i][j] += rate * (around - 4 * grid[i][j])
        grid = fresh
    return max(map(max, grid)) + sum(c * c for row in grid for c in row)


def spiral_order(matrix, weight):
    matrix, out, scale = [row[:] for row in matrix], 0.0, 1.0
    while matrix:
        for v in matrix.pop(0):
            out += scale * v
            scale *= weight
        matrix = [list(row) for row in zip(*matrix)][::-1]
    return out


def triangle_of_numbers(x, rows):
    triangle = [[1]]
    while len(triangle) < rows:
        last = triangle[-1]
        triangle.append([x] + [a + x * b for a, b in zip(last, last[1:])] + [1])
    return sum(v for row in triangle for v in row)


def _matrix(rng, n=3):
    return [[float(v) for v in row] for row in rng.normal(size=(n, n))]


def _heavy(rng, n=3):
    return [[v + 4.0 * (i == j) for j, v in enumerate(row)] for i, row in enumerate(_matrix(rng, n))]


def _symmetric(rng, n=3):
    rows = _matrix(rng, n)
    return [[0.2 * (rows[i][j] + rows[j][i]) + (i + 2.0) * (i == j) for j in range(n)] for i in range(n)]


_START, _MOVE, _EMIT = [0.6, 0.4], [[0.7, 0.3], [0.45, 0.55]], [[0.5, 0.4, 0.1], [0.15, 0.3, 0.55]]
_DISTANCES = [[0.1, 1.3, 4.1], [0.7, 0.2, 2.2], [5.0, 0.9, 0.3]]

CASES = (
    case(gauss_solve, lambda rng: (_matrix(rng), [1.0, -2.0, 0.5])),
    case(gauss_jordan_inverse, lambda rng: (_heavy(rng),)),
    case(determinant_of_rows, lambda rng: (_matrix(rng),)),
    case(doolittle, lambda rng: (_heavy(rng), [1.0, -2.0, 0.5])),
    case(cholesky_lists, lambda rng: (_symmetric(rng),)),
    case(gram_schmidt_lists, lambda rng: (_heavy(rng),)),
    case(matrix_power, lambda rng: ([[0.9, 0.4], [-0.3, 1.1]], 5), wrt=(0,)),
    case(power_method, lambda rng: (_symmetric(rng),)),
    case(edit_distance_of_rows, lambda rng: ([0.1, 0.9, 1.7], [0.2, 1.1, 1.5, 0.3], 0.6)),
    case(time_warping, lambda rng: ([0.1, 0.9, 1.7], [0.2, 1.1, 1.5, 0.3])),
    case(alignment_score, lambda rng: ("gattaca", "gcatgcu", 1.1, 0.47), wrt=(2, 3)),
    case(soft_knapsack, lambda rng: ([1, 3, 2], [0.9, 2.1, 1.6], 4, 0.7), wrt=(1, 3)),
    case(viterbi, lambda rng: (_START, _MOVE, _EMIT, [0, 2, 1, 2]), wrt=(0, 1, 2)),
    case(forward_backward, lambda rng: (_START, _MOVE, _EMIT, [0, 2, 1, 2]), wrt=(0, 1, 2)),
    case(floyd_warshall, lambda rng: (_DISTANCES,)),
    case(matrix_chain, lambda rng: ([2.0, 3.1, 1.7, 4.2, 2.6],)),
    case(grid_paths, lambda rng: ([[0.5, 1.2, 0.8], [1.1, 0.7, 1.3]],)),
    case(polynomial_arithmetic, lambda rng: ([1.0, -0.5, 2.0], [0.3, 1.4], 0.9)),
    case(polynomial_division, lambda rng: ([1.0, -0.5, 2.0, 0.7, 1.1], [0.3, 1.4, 0.8])),
    case(newton_divided_differences, lambda rng: ([0.0, 0.7, 1.1, 2.0], [1.0, 0.4, -0.3, 0.8], 1.4)),
    case(de_casteljau_rows, lambda rng: ([(0.0, 0.1), (0.8, 1.9), (1.7, 0.2), (2.2, 1.0)], 0.35)),
    case(life_with_heat, lambda rng: (_matrix(rng), 0.1)),
    case(spiral_order, lambda rng: ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 0.8)),
    case(triangle_of_numbers, lambda rng: (0.7, 5), wrt=(0,)),
)
