"""Recursive programs, ``f(x)`` of a vector of six numbers, by what they do; above ``===`` is what stands beside ``f``.

``VALUES`` give new values; how deep they go, the numbers tell, or sizes, or text. ``MEMORY`` are those that write into windows of
arguments and of their own buffers, or return such windows, alone or in lists.
"""

VALUES = {
    # numbers
    "power": "def power(u, n):\n    return 1.0 if n == 0 else u * power(u, n - 1)\n===\nreturn power(x[0], int(x[1] * 8)) * x[2]",
    "power by squaring": (
        "def power(u, n):\n    if n == 0:\n        return 1.0\n    h = power(u, n // 2)\n    return h * h * u if n % 2 else h * h\n===\n"
        "return power(x[0] + x[1], int(x[2] * 16)) + power(x[3], 5)"
    ),
    "horner": "def horner(c, u, k):\n    if k == len(c):\n        return 0.0\n    return c[k] + u * horner(c, u, k + 1)\n===\nreturn horner(x, x[0] * x[1], 0)",
    "horner by slices": "def horner(c, u):\n    if len(c) == 0:\n        return 0.0\n    return c[0] + u * horner(c[1:], u)\n===\nreturn horner(x * x, x[0]) * x[3]",
    "fibonacci": (
        "def fib(n, a, b):\n    if n == 0:\n        return a\n    if n == 1:\n        return b\n    return 0.5 * fib(n - 1, a, b) * b + fib(n - 2, a, b)\n===\n"
        "return fib(int(x[1] * 14), x[0], x[2])"
    ),
    "ackermann": (
        "def ack(m, n, u):\n    if m == 0:\n        return u * (n + 1)\n    if n == 0:\n        return np.sin(ack(m - 1, 1, u))\n"
        "    return 0.3 * ack(m - 1, n - 1, u) * ack(m, n - 1, u) + u\n===\nreturn ack(2, int(x[0] * 10), x[1]) * x[2]"
    ),
    "until it is small": "def shrink(u, v):\n    if u < 0.05:\n        return v\n    return np.sin(u) * shrink(u * 0.6, v * u) + v\n===\nreturn shrink(x[0], x[1]) * x[2]",
    "newton": (
        "def newton(u, a):\n    step = (u * u - a) / (2.0 * u)\n    if abs(step) < 1e-9:\n        return u\n    return newton(u - step, a)\n===\n"
        "return newton(x[0] + 1.0, x[1]) * x[2] ** 2"
    ),
    "bisection": (
        "def bisect(lo, hi, a, n):\n    mid = 0.5 * (lo + hi)\n    if n == 0:\n        return mid\n    if mid * mid * mid > a:\n"
        "        return bisect(lo, mid, a, n - 1)\n    return bisect(mid, hi, a, n - 1)\n===\nreturn bisect(x[0] * 0.1, x[1] + 1.0, x[2], int(x[2] * 7)) ** 2"
    ),
    "continued fraction": "def frac(c, k):\n    if k == len(c) - 1:\n        return c[k]\n    return c[k] + 1.0 / frac(c, k + 1)\n===\nreturn frac(x, 0)",
    "an item beside what is not known": (
        "def go(out, u, n):\n    if n > 0:\n        out.append(u * u)\n        go(out, np.sin(u), n - 1)\n===\n"
        "out = []\ngo(out, x[0] + x[1], 3)\nreturn np.sum(out[-1] * x[True])"
    ),
    "by turns": (
        "def even(u, n):\n    return u * u if n == 0 else odd(u, n - 1) * u\n\n\ndef odd(u, n):\n    return np.sin(u) if n == 0 else even(np.cos(u), n - 1) * u\n===\n"
        "return even(x[0], int(x[1] * 8)) * x[2]"
    ),
    "three by turns": (
        "def one(u, n):\n    return u if n == 0 else two(u * u, n - 1) + 0.1\n\n\ndef two(u, n):\n    return np.sin(u) if n == 0 else three(u, n - 1) * u\n\n\n"
        "def three(u, n):\n    return np.exp(-u) if n == 0 else one(u, n - 1) * two(0.5 * u, n - 1)\n===\nreturn one(x[0], int(x[2] * 8)) * x[1]"
    ),
    "a recursion in a recursion": (
        "def deeper(u, n):\n    return u if n == 0 else np.sin(u) * deeper(u * u, n - 1)\n\n\ndef outer(u, n):\n    return deeper(u, 1) if n == 0 else deeper(u, n) * outer(0.9 * u, n - 1) + u\n===\n"
        "return outer(x[0], int(x[1] * 8)) * x[2]"
    ),
    "in a loop": "def down(u, n):\n    return u if n == 0 else np.sin(u) * down(u * 0.9, n - 1)\n===\nt = x[0]\nfor k in range(len(x)):\n    t = t + x[k] * down(t * x[k], k)\nreturn t",
    "in a while loop": "def down(u, n):\n    return u if n == 0 else np.sin(u) * down(u * 0.9, n - 1)\n===\nt, k = x[0], 0\nwhile t < 2.0:\n    t = t + 0.5 + x[k % 6] * down(x[1], k)\n    k += 1\nreturn t * t",
    "a loop in it": (
        "def tree(u, n):\n    if n == 0:\n        return np.sin(u)\n    s = 0.0\n    for k in range(n):\n        s += 0.5 * tree(u * (k + 1) * 0.3, n - 1) * u\n    return s\n===\n"
        "return tree(x[0], int(x[2] * 5)) * x[1]"
    ),
    "several results": (
        "def both(u, n):\n    if n == 0:\n        return u - u**3 / 6, 1.0 - u * u / 2\n    s, c = both(u / 2, n - 1)\n    return 2 * s * c, c * c - s * s\n===\n"
        "s, c = both(x[0], int(x[1] * 8))\nreturn s * x[2] + c * c"
    ),
    "pairwise update": (
        "def moments(v):\n    n = len(v)\n    if n == 1:\n        return 1, v[0], 0.0\n    a, p, q = moments(v[: n // 2])\n    b, r, s = moments(v[n // 2 :])\n    d = r - p\n"
        "    return a + b, p + d * b / (a + b), q + s + d * d * a * b / (a + b)\n===\nn, m, v = moments(x * x)\nreturn m + np.sqrt(v / (n - 1))"
    ),
    "a closure": "u = x[0] * x[1]\n\ndef go(n):\n    if n == 0:\n        return u\n    return go(n - 1) * x[n] + u\n\nreturn go(int(x[2] * 6))",
    "adaptive simpson": (
        "def g(t, a):\n    return np.exp(-a * t * t) * np.sin(3 * t)\n\n\ndef rule(a, lo, hi):\n    m = 0.5 * (lo + hi)\n    return (hi - lo) / 6 * (g(lo, a) + 4 * g(m, a) + g(hi, a))\n\n\n"
        "def area(a, lo, hi, tol):\n    m = 0.5 * (lo + hi)\n    whole, left, right = rule(a, lo, hi), rule(a, lo, m), rule(a, m, hi)\n    if abs(left + right - whole) < tol:\n"
        "        return left + right\n    return area(a, lo, m, tol / 2) + area(a, m, hi, tol / 2)\n===\nreturn area(x[0], -x[1], x[2] + 0.5, 1e-3) * x[3]"
    ),
    "romberg": (
        "def trap(u, a, n):\n    t = np.linspace(0.0, 1.0, 2**n + 1)\n    y = np.exp(-u * t) * a\n    return np.sum(y[1:] + y[:-1]) / 2 ** (n + 1)\n\n\n"
        "def romberg(u, a, n, k):\n    if k == 0:\n        return trap(u, a, n)\n    return (4**k * romberg(u, a, n, k - 1) - romberg(u, a, n - 1, k - 1)) / (4**k - 1)\n===\nreturn romberg(x[0], x[1], 3, int(x[2] * 3)) * x[2]"
    ),
    "de casteljau": "def bezier(p, t):\n    if len(p) == 1:\n        return p[0]\n    return bezier((1 - t) * p[:-1] + t * p[1:], t)\n===\nreturn bezier(x[1:], x[0]) * x[1]",
    "splines": (
        "def basis(t, i, k, u):\n    if k == 0:\n        return 1.0 if t[i] <= u < t[i + 1] else 0.0\n    a = (u - t[i]) / (t[i + k] - t[i]) * basis(t, i, k - 1, u)\n"
        "    return a + (t[i + k + 1] - u) / (t[i + k + 1] - t[i + 1]) * basis(t, i + 1, k - 1, u)\n===\nt = np.cumsum(x)\nreturn basis(t, 0, 2, t[1] + 0.3 * x[0]) * x[4]"
    ),
    # arrays
    "arrays": "def go(u, n):\n    return np.sin(u) if n == 0 else 0.7 * go(u, n - 1) * go(u * u, n - 1) + 0.1 * u\n===\nreturn np.sum(go(x, int(x[1] * 6)) * x)",
    "halves": "def total(v):\n    if len(v) == 1:\n        return v[0] * v[0]\n    h = len(v) // 2\n    return total(v[:h]) * 1.1 + np.sin(total(v[h:]))\n===\nreturn total(x * x[1])",
    "fft": (
        "def fft(v):\n    n = len(v)\n    if n == 1:\n        return v\n    e, o = fft(v[::2]), fft(v[1::2])\n    w = np.cos(np.pi * np.arange(n // 2) / n)\n    return np.concatenate((e + w * o, e - w * o))\n===\n"
        "return np.sum(fft(x[:4] ** 2) ** 3)"
    ),
    "complex fft": (
        "def fft(v):\n    n = len(v)\n    if n == 1:\n        return v * (1.0 + 0j)\n    e, o = fft(v[::2]), fft(v[1::2])\n    w = np.exp(-2j * np.pi * np.arange(n // 2) / n)\n    return np.concatenate((e + w * o, e - w * o))\n===\n"
        "return np.sum(np.abs(fft(x[:4] * x[1])) ** 2 * np.arange(4))"
    ),
    "haar": (
        "def haar(v):\n    if len(v) == 1:\n        return v\n    a, d = 0.5 * (v[::2] + v[1::2]), v[::2] - v[1::2]\n    return np.concatenate((haar(a * a), d))\n===\nreturn np.sum(haar(x[:4]) ** 2)"
    ),
    "mergesort": (
        "def sort(v):\n    if len(v) < 2:\n        return v\n    h = len(v) // 2\n    a, b = sort(v[:h]), sort(v[h:])\n    out, i, j = np.zeros(len(v)), 0, 0\n"
        "    for k in range(len(v)):\n        if j == len(b) or (i < len(a) and a[i] < b[j]):\n            out[k] = a[i]\n            i += 1\n        else:\n            out[k] = b[j]\n            j += 1\n    return out\n===\n"
        "return np.sum(sort(x * x) ** 2 * np.arange(6))"
    ),
    "quicksort": (
        "def sort(v):\n    if len(v) < 2:\n        return v\n    p, rest = v[0], v[1:]\n    return np.concatenate((sort(rest[rest < p]), v[:1], sort(rest[rest >= p])))\n===\nreturn np.sum(sort(x) ** 3 * np.arange(6))"
    ),
    "minors": (
        "def det(a):\n    n = a.shape[0]\n    if n == 1:\n        return a[0, 0]\n    s = 0.0\n    for j in range(n):\n        rest = np.concatenate((a[1:, :j], a[1:, j + 1 :]), axis=1)\n        s += (-1) ** j * a[0, j] * det(rest)\n    return s\n===\n"
        "return det(np.outer(x[:3], x[3:]) + np.diag(x[1:4])) * x[0]"
    ),
    "minors of lists": (
        "def det(m):\n    if len(m) == 1:\n        return m[0][0]\n    s = 0.0\n    for j in range(len(m)):\n        s += (-1) ** j * m[0][j] * det([r[:j] + r[j + 1 :] for r in m[1:]])\n    return s\n===\n"
        "m = [[x[(2 * i + j) % 6] + (i == j) for j in range(3)] for i in range(3)]\nreturn det(m) ** 2"
    ),
    "strassen": (
        "def mul(a, b):\n    n = a.shape[0]\n    if n == 1:\n        return a * b\n    h = n // 2\n    p, q, r, s = a[:h, :h], a[:h, h:], a[h:, :h], a[h:, h:]\n    t, u, v, w = b[:h, :h], b[:h, h:], b[h:, :h], b[h:, h:]\n"
        "    m1, m2, m3, m4 = mul(p + s, t + w), mul(r + s, t), mul(p, u - w), mul(s, v - t)\n    m5, m6, m7 = mul(p + q, w), mul(r - p, t + u), mul(q - s, v + w)\n"
        "    return np.block([[m1 + m4 - m5 + m7, m3 + m5], [m2 + m4, m1 - m2 + m3 + m6]])\n===\na = x[:4].reshape(2, 2)\nreturn np.sum(mul(a, a * x[4]) ** 2)"
    ),
    "blocks": (
        "def mul(a, b):\n    n = a.shape[0]\n    if n <= 1:\n        return a @ b\n    h = n // 2\n    top = np.concatenate((mul(a[:h, :h], b[:h, :h]) + mul(a[:h, h:], b[h:, :h]), mul(a[:h, :h], b[:h, h:]) + mul(a[:h, h:], b[h:, h:])), axis=1)\n"
        "    low = np.concatenate((mul(a[h:, :h], b[:h, :h]) + mul(a[h:, h:], b[h:, :h]), mul(a[h:, :h], b[:h, h:]) + mul(a[h:, h:], b[h:, h:])), axis=1)\n    return np.concatenate((top, low))\n===\n"
        "a = x[:4].reshape(2, 2)\nreturn np.sum(mul(a, mul(a, a)) * x[5])"
    ),
    "schur": (
        "def logdet(a):\n    if a.shape[0] == 1:\n        return np.log(a[0, 0])\n    s = a[1:, 1:] - np.outer(a[1:, 0], a[0, 1:]) / a[0, 0]\n    return np.log(a[0, 0]) + logdet(s)\n===\n"
        "return logdet(np.outer(x[:3], x[:3]) + np.diag(1.0 + x[3:]))"
    ),
    "cholesky": (
        "def chol(a):\n    n = a.shape[0]\n    out = np.zeros((n, n))\n    out[0, 0] = np.sqrt(a[0, 0])\n    if n > 1:\n        out[1:, 0] = a[1:, 0] / out[0, 0]\n        out[1:, 1:] = chol(a[1:, 1:] - np.outer(out[1:, 0], out[1:, 0]))\n    return out\n===\n"
        "return np.sum(chol(np.outer(x[:3], x[:3]) + np.diag(1.0 + x[3:])) ** 3)"
    ),
    "substitution": (
        "def solve(a, b):\n    if len(b) == 1:\n        return b / a[0, 0]\n    first = b[:1] / a[0, 0]\n    return np.concatenate((first, solve(a[1:, 1:], b[1:] - a[1:, 0] * first[0])))\n===\n"
        "a = np.tril(np.outer(x[:3], x[:3])) + np.eye(3)\nreturn np.sum(solve(a, x[3:]) ** 2)"
    ),
    "expm": "def expm(a, n):\n    if n == 0:\n        return np.eye(2) + a + a @ a / 2\n    h = expm(a / 2, n - 1)\n    return h @ h\n===\nreturn np.sum(expm(x[:4].reshape(2, 2), int(x[4] * 3)) ** 2)",
    "matrix power": "def power(a, n):\n    if n == 1:\n        return a\n    h = power(a, n // 2)\n    return h @ h @ a if n % 2 else h @ h\n===\nreturn np.trace(power(x[:4].reshape(2, 2), int(x[2] * 8)))",
    "karatsuba": (
        "def mul(p, q):\n    n = len(p)\n    if n == 1:\n        return p * q\n    h = n // 2\n    lo, hi = mul(p[:h], q[:h]), mul(p[h:], q[h:])\n    mid = mul(p[:h] + p[h:], q[:h] + q[h:]) - lo - hi\n    out = np.zeros(2 * n - 1)\n"
        "    out[: 2 * h - 1] += lo\n    out[h : 3 * h - 1] += mid\n    out[2 * h :] += hi\n    return out\n===\nreturn np.sum(mul(x[:4], x[2:] * x[0]) ** 2)"
    ),
    "integrator": "def run(y, h, n):\n    if n == 0:\n        return y\n    k = np.array([y[1], -np.sin(y[0])])\n    return run(y + h * k, h, n - 1)\n===\ny = run(x[:2], 0.1 * x[2], int(x[3] * 19))\nreturn y[0] * y[1] + x[4]",
    # lists, tuples, dicts
    "a list of numbers": "def sums(v, k):\n    if k == len(v):\n        return []\n    return [v[k] * v[k]] + [2.0 * u * v[k] for u in sums(v, k + 1)]\n===\nreturn sum(sums(x, 0)) * x[0]",
    "a list that is appended to": "def go(out, u, n):\n    if n > 0:\n        out.append(u * u)\n        go(out, np.sin(u), n - 1)\n===\nout = []\ngo(out, x[0] + x[1], int(x[2] * 5))\nreturn sum(out) * out[-1]",
    "fft of lists": (
        "def fft(v):\n    n = len(v)\n    if n == 1:\n        return v\n    e, o = fft(v[::2]), fft(v[1::2])\n    w = [np.cos(np.pi * k / n) for k in range(n // 2)]\n    return [e[k] + w[k] * o[k] for k in range(n // 2)] + [e[k] - w[k] * o[k] for k in range(n // 2)]\n===\n"
        "return sum([u * u * u for u in fft([x[0] * x[1], x[1], x[2], x[3]])])"
    ),
    "quicksort of lists": (
        "def sort(v):\n    if len(v) < 2:\n        return v\n    p = v[0]\n    return sort([u for u in v[1:] if u < p]) + [p] + sort([u for u in v[1:] if u >= p])\n===\n"
        "s = sort([u * u for u in x])\nreturn sum(k * u * u for k, u in enumerate(s))"
    ),
    "mergesort of lists": (
        "def merge(a, b):\n    out, i, j = [], 0, 0\n    while i < len(a) and j < len(b):\n        if a[i] < b[j]:\n            out.append(a[i])\n            i += 1\n        else:\n            out.append(b[j])\n            j += 1\n    return out + a[i:] + b[j:]\n\n\n"
        "def sort(v):\n    if len(v) < 2:\n        return v\n    h = len(v) // 2\n    return merge(sort(v[:h]), sort(v[h:]))\n===\ns = sort([u * u for u in x])\nreturn sum(k * u * u for k, u in enumerate(s))"
    ),
    "lists of arrays": "def rows(u, n):\n    if n == 0:\n        return [u]\n    return [u * n] + rows(np.sin(u), n - 1)\n===\nr = rows(x, int(x[1] * 6))\nreturn np.sum(r[0] * r[-1]) + np.sum(r[1] ** 2)",
    "subsets": "def subsets(v):\n    if len(v) == 0:\n        return [1.0]\n    rest = subsets(v[1:])\n    return rest + [v[0] * r for r in rest]\n===\nreturn sum([np.sin(s) for s in subsets([x[0], x[1], x[2]])])",
    "permanent": (
        "def perm(m, used, k):\n    if k == len(m):\n        return 1.0\n    s = 0.0\n    for j in range(len(m)):\n        if j not in used:\n            s += m[k][j] * perm(m, used + [j], k + 1)\n    return s\n===\n"
        "return perm([[x[0], x[1]], [x[2], x[3]]], [], 0) * x[4]"
    ),
    "a tree of tuples": (
        "def value(tree, u):\n    if not isinstance(tree, tuple):\n        return tree * u\n    return sum(value(child, u * u) for child in tree) * 0.5\n===\nreturn value((x[1], (x[2], x[3]), ((x[4], 0.5), 2.0)), x[0])"
    ),
    "an expression tree": (
        "def run(tree, u):\n    if tree[0] == 'x':\n        return u\n    if tree[0] == 'c':\n        return tree[1]\n    a = run(tree[1], u)\n    if tree[0] == 'sin':\n        return np.sin(a)\n    b = run(tree[2], u)\n    return a + b if tree[0] == '+' else a * b\n===\n"
        "return run(('*', ('sin', ('+', ('x',), ('c', x[1]))), ('*', ('x',), ('c', x[2]))), x[0])"
    ),
    "a linked list": (
        "class Node:\n    def __init__(self, value, rest):\n        self.value = value\n        self.rest = rest\n\n\ndef total(node):\n    return 1.0 if node is None else node.value * total(node.rest) + node.value\n===\n"
        "return total(Node(x[0], Node(x[1], Node(x[2] * x[3], None))))"
    ),
    "a heap": "def walk(t, k):\n    if k >= len(t):\n        return 1.0\n    return t[k] * walk(t, 2 * k + 1) + np.sin(walk(t, 2 * k + 2))\n===\nreturn walk(x, 0)",
    "a memo": "def f1(n, u, memo):\n    if n in memo:\n        return memo[n]\n    r = u * f1(n - 1, u, memo) + 0.5 * f1(n - 2, u, memo)\n    memo[n] = r\n    return r\n===\nmemo = {0: x[0], 1: x[1]}\nreturn f1(int(x[2] * 7), x[3], memo)",
    "a memo of a closure": (
        "memo = {}\n\ndef paths(i, j):\n    if i == 0 or j == 0:\n        return x[i + j]\n    if (i, j) in memo:\n        return memo[(i, j)]\n    r = 0.5 * paths(i - 1, j) * x[i] + paths(i, j - 1)\n    memo[(i, j)] = r\n    return r\n\nreturn paths(2, int(x[2] * 4)) * x[0]"
    ),
    "least of three": (
        "def cost(a, b, i, j):\n    if i == 0 or j == 0:\n        return 0.3 * (i + j) * a[0]\n    d = cost(a, b, i - 1, j - 1) + (a[i] - b[j]) ** 2\n    return min(d, cost(a, b, i - 1, j) + a[1], cost(a, b, i, j - 1) + b[1])\n===\nreturn cost(x[:3], x[3:], 2, int(x[2] * 3)) ** 2"
    ),
    "a game": (
        "def best(v, i, j, turn):\n    if i > j:\n        return 0.0\n    sign = 1.0 if turn else -1.0\n    a, b = sign * v[i] + best(v, i + 1, j, not turn), sign * v[j] + best(v, i, j - 1, not turn)\n    return max(a, b) if turn else min(a, b)\n===\nreturn best(x * x, 0, 3, True) * x[0]"
    ),
    "a pair of an array and a number": (
        "def go(u, t, n):\n    if n == 0:\n        return u, t\n    v, s = go(u * t, np.sin(t), n - 1)\n    return v + u, s * t\n===\nv, s = go(x, x[0], int(x[1] * 6))\nreturn np.sum(v * v) * s"
    ),
    "a dict": "def go(d, n):\n    if n == 0:\n        return d['a'] * d['b']\n    return go({'a': d['a'] * d['b'], 'b': np.sin(d['a'])}, n - 1) + d['b']\n===\nreturn go({'a': x[0], 'b': x[1]}, int(x[2] * 5))",
    "functions that are handed over": "def often(g, u, n):\n    return u if n == 0 else g(often(g, u, n - 1))\n===\nreturn often(lambda v: np.sin(v) * x[1], x[0], int(x[2] * 5))",
    "None": (
        "def best(v, lo, hi):\n    if lo >= hi:\n        return None\n    mid = (lo + hi) // 2\n    out = v[mid] ** 2\n    for part in (best(v, lo, mid), best(v, mid + 1, hi)):\n        if part is not None:\n            out = out + 0.5 * part * v[mid]\n    return out\n===\nreturn best(x, 0, len(x))"
    ),
    "an exception": (
        "def down(u, n):\n    if n < 0:\n        raise ValueError('n')\n    return u if n == 0 else np.sin(u) * down(u * 0.5, n - 1)\n===\nt = 1.0\nfor k in (2, 1):\n    t *= down(x[k], int(x[2] * 4) - k)\nreturn t"
    ),
    "multigrid": (
        "def cycle(u, r, n):\n    if n == 1:\n        return u + 0.5 * r\n    v = u + 0.3 * r\n    rest = (r - v * v * 0.1)[:2]\n    return v + np.sum(cycle(rest * 0.0, rest, n - 1)) * 0.2\n===\nreturn np.sum(cycle(x[:2], x[2:4], int(x[2] * 4)) ** 2)"
    ),
    "a number and a list": "def go(u, n):\n    if n == 0:\n        return u, [u]\n    v, xs = go(np.sin(u), n - 1)\n    return u * v, xs + [v * u]\n===\nv, xs = go(x[0], int(x[1] * 6))\nreturn v * sum(xs) * x[2]",
    "one array as two arguments": "def go(a, b, n):\n    if n == 0:\n        return a[0] * b[1]\n    return go(a[1:], b[:-1], n - 1) * a[1] + b[0] ** 2\n===\ny = x * x\nreturn go(y, y, int(x[1] * 6)) + go(y[1:], y[:-1], 2) + go(x, x, 2)",
    "windows of one array as two arguments": "def go(p, q, n):\n    if n == 0 or len(p) < 3:\n        return p[0] * q[0]\n    return go(p[1:], p[:-1], n - 1) + go(q[:-1], p[1:], n - 1) * q[0]\n===\nreturn go(x, x[::-1], int(x[1] * 6))",
    "loops in loops": "def go(u, n):\n    if n == 0:\n        return u * u\n    s = 0.0\n    t = u\n    for k in range(n):\n        for j in range(k + 1):\n            t = np.sin(t) * u\n            if t > 0.01:\n                s += go(t * 0.7, n - 1) * t\n    while t > 0.001:\n        t = t * t * 0.5\n        s += t\n    return s\n===\nreturn go(x[0] + x[1], int(x[2] * 4)) * x[3]",
    "arrays made in a loop": "def go(u, n):\n    if n == 0:\n        return u\n    parts = []\n    for k in range(n):\n        parts.append(go(u * (k + 1), n - 1))\n    w = u * 0.0\n    for p in parts:\n        w = w + np.sin(p) * u\n    return w\n===\nreturn np.sum(go(x, int(x[1] * 4)) ** 2)",
    "a tuple or None": "def go(a, n):\n    t = None\n    if n % 2:\n        t = (a[0] * a[1], a[1:])\n    if n == 0:\n        return a[0]\n    s = go(np.sin(a), n - 1)\n    if t is not None:\n        s = s * t[0] + np.sum(t[1])\n    return s\n===\nreturn go(x, int(x[1] * 6))",
}

MEMORY = {
    "quicksort in place": (
        "def part(a, lo, hi):\n    p, i = a[hi], lo\n    for j in range(lo, hi):\n        if a[j] < p:\n            a[i], a[j] = a[j], a[i]\n            i += 1\n    a[i], a[hi] = a[hi], a[i]\n    return i\n\n\n"
        "def sort(a, lo, hi):\n    if lo < hi:\n        p = part(a, lo, hi)\n        sort(a, lo, p - 1)\n        sort(a, p + 1, hi)\n===\nb = x * x\nsort(b, 0, 5)\nreturn np.sum(b**2 * np.arange(6)) * x[0]"
    ),
    "quicksort of windows": (
        "def sort(a):\n    if len(a) < 2:\n        return\n    i = 0\n    for j in range(len(a) - 1):\n        if a[j] < a[-1]:\n            t = a[i]\n            a[i] = a[j]\n            a[j] = t\n            i += 1\n    t = a[i]\n    a[i] = a[-1]\n    a[-1] = t\n    sort(a[:i])\n    sort(a[i + 1 :])\n===\n"
        "b = x * x\nsort(b)\nreturn np.sum(b**2 * np.arange(6)) * x[0]"
    ),
    "butterflies": (
        "def fft(a):\n    n = len(a)\n    if n == 1:\n        return\n    h = n // 2\n    w = np.cos(np.pi * np.arange(h) / n)\n    s, d = a[:h] + a[h:], (a[:h] - a[h:]) * w\n    a[:h] = s\n    a[h:] = d\n    fft(a[:h])\n    fft(a[h:])\n===\n"
        "b = x[:4] * x[1]\nfft(b)\nreturn np.sum(b**3)"
    ),
    "butterflies on steps": (
        "def fft(a):\n    n = len(a)\n    if n == 1:\n        return\n    fft(a[::2])\n    fft(a[1::2])\n    e, o = a[::2].copy(), a[1::2] * np.cos(np.arange(n // 2))\n    a[: n // 2] = e + o\n    a[n // 2 :] = e - o\n===\nb = x[:4] ** 2\nfft(b)\nreturn np.sum(b**3)"
    ),
    "complex butterflies": (
        "def fft(a):\n    n = len(a)\n    if n == 1:\n        return\n    h = n // 2\n    w = np.exp(-2j * np.pi * np.arange(h) / n)\n    s, d = a[:h] + a[h:], (a[:h] - a[h:]) * w\n    a[:h] = s\n    a[h:] = d\n    fft(a[:h])\n    fft(a[h:])\n===\n"
        "b = x[:4] * (1.0 + 0.5j)\nfft(b)\nreturn np.sum(np.abs(b) ** 2 * np.arange(4))"
    ),
    "blocks into slices": (
        "def mul(a, b, c):\n    n = a.shape[0]\n    if n == 1:\n        c[0, 0] += a[0, 0] * b[0, 0]\n        return\n    h = n // 2\n    for i in (0, h):\n        for j in (0, h):\n            for k in (0, h):\n                mul(a[i : i + h, k : k + h], b[k : k + h, j : j + h], c[i : i + h, j : j + h])\n===\n"
        "a = x[:4].reshape(2, 2) * x[4]\nc = np.zeros((2, 2))\nmul(a, a + x[5], c)\nreturn np.sum(c**2)"
    ),
    "cholesky in place": (
        "def rows(low, r):\n    for i in range(r.shape[0]):\n        for j in range(low.shape[0]):\n            r[i, j] = (r[i, j] - r[i, :j] @ low[j, :j]) / low[j, j]\n\n\n"
        "def chol(a):\n    n = a.shape[0]\n    if n == 1:\n        a[0, 0] = np.sqrt(a[0, 0])\n        return\n    k = n // 2\n    chol(a[:k, :k])\n    rows(a[:k, :k], a[k:, :k])\n    a[k:, k:] -= a[k:, :k] @ a[k:, :k].T\n    chol(a[k:, k:])\n===\n"
        "a = np.outer(x[:3], x[:3]) + np.diag(1.0 + x[3:])\nchol(a)\nreturn np.sum(np.tril(a) ** 3)"
    ),
    "lu in place": (
        "def lu(a):\n    if a.shape[0] < 2:\n        return\n    a[1:, 0] /= a[0, 0]\n    a[1:, 1:] -= np.outer(a[1:, 0], a[0, 1:])\n    lu(a[1:, 1:])\n===\na = np.outer(x[:3], x[3:]) + np.diag(1.0 + x[:3])\nlu(a)\nreturn np.sum(a**2) + np.prod(np.diag(a))"
    ),
    "gauss": (
        "def gauss(a, b):\n    if len(b) == 1:\n        b[0] /= a[0, 0]\n        return\n    m = a[1:, 0] / a[0, 0]\n    a[1:, 1:] -= np.outer(m, a[0, 1:])\n    b[1:] -= m * b[0]\n    gauss(a[1:, 1:], b[1:])\n    b[0] = (b[0] - a[0, 1:] @ b[1:]) / a[0, 0]\n===\n"
        "a = np.outer(x[:3], x[3:]) + np.diag(1.0 + x[:3])\nb = x[3:] * 1.0\ngauss(a, b)\nreturn np.sum(b**2) + x[0] * a[2, 2]"
    ),
    "gauss with a pivot": (
        "def gauss(a, b):\n    p = int(np.argmax(np.abs(a[:, 0])))\n    r, t = a[0].copy(), b[0]\n    a[0] = a[p]\n    a[p] = r\n    b[0] = b[p]\n    b[p] = t\n    if len(b) > 1:\n        m = a[1:, 0] / a[0, 0]\n        a[1:, 1:] -= np.outer(m, a[0, 1:])\n        b[1:] -= m * b[0]\n        gauss(a[1:, 1:], b[1:])\n"
        "        b[0] -= a[0, 1:] @ b[1:]\n    b[0] /= a[0, 0]\n===\na = np.outer(x[:3], x[3:]) + np.diag(1.0 + x[:3])[::-1]\nb = x[3:] * 1.0\ngauss(a, b)\nreturn np.sum(b**2)"
    ),
    "strassen into slices": (
        "def mul(a, b, c):\n    n = a.shape[0]\n    if n == 1:\n        c[:] = a * b\n        return\n    h = n // 2\n    m = np.zeros((7, h, h))\n    mul(a[:h, :h] + a[h:, h:], b[:h, :h] + b[h:, h:], m[0])\n    mul(a[h:, :h] + a[h:, h:], b[:h, :h], m[1])\n    mul(a[:h, :h], b[:h, h:] - b[h:, h:], m[2])\n"
        "    mul(a[h:, h:], b[h:, :h] - b[:h, :h], m[3])\n    mul(a[:h, :h] + a[:h, h:], b[h:, h:], m[4])\n    mul(a[h:, :h] - a[:h, :h], b[:h, :h] + b[:h, h:], m[5])\n    mul(a[:h, h:] - a[h:, h:], b[h:, :h] + b[h:, h:], m[6])\n"
        "    c[:h, :h] = m[0] + m[3] - m[4] + m[6]\n    c[:h, h:] = m[2] + m[4]\n    c[h:, :h] = m[1] + m[3]\n    c[h:, h:] = m[0] - m[1] + m[2] + m[5]\n===\na = x[:4].reshape(2, 2) * x[4]\nc = np.zeros((2, 2))\nmul(a, a + x[5], c)\nreturn np.sum(c**2)"
    ),
    "a scan": "def scan(a, i):\n    if i < len(a):\n        a[i] += np.sin(a[i - 1])\n        scan(a, i + 1)\n===\nb = x * x\nscan(b, 1)\nreturn b[-1] * np.sum(b)",
    "a scan that multiplies": "def scan(a):\n    if len(a) > 1:\n        a[1:] *= a[:-1]\n        scan(a[1:])\n===\nb = x * 1.5\nscan(b)\nreturn np.sum(b**2)",
    "the argument itself": "def fill(t, u, i):\n    if i >= len(t):\n        return t\n    t[i] = u * t[i - 1] - 0.5 * t[i - 2] ** 2\n    return fill(t, u, i + 1)\n===\nt = np.zeros(6)\nt[0], t[1] = x[0], x[1]\nreturn np.sum(fill(t, x[2], 2) ** 2) * t[4]",
    "a window back": "def half(u, n):\n    return u if n == 0 else half(u[1:], n - 1)\n===\nb = x * x\nw = half(b, 2)\nreturn np.sum(w**2) * b[0]",
    "a window back that is written": "def half(u, n):\n    return u if n == 0 else half(u[1:], n - 1)\n===\nb = x * x\nw = half(b, int(x[1] * 4))\nw *= x[1]\nreturn np.sum(b**2)",
    "a window of a written array": "def half(u, n):\n    if n == 0:\n        return u[1:]\n    u[0] *= u[1]\n    return half(u, n - 1)\n===\nreturn np.sum(half(x * x, int(x[1] * 4)) ** 2)",
    "a window of its own buffer": "def go(u, n):\n    b = u * 2.0\n    b[0] *= b[1]\n    if n == 0:\n        return b[1:]\n    return go(b[1:], n - 1)\n===\nw = go(x, int(x[1] * 4))\nreturn np.sum(w**2)",
    "a window of its own buffer, written": "def go(u, n):\n    b = np.zeros(len(u))\n    b += u\n    w = b[1:]\n    if n > 0:\n        r = go(w, n - 1)\n        w[: len(r)] *= r\n    return w\n===\nw = go(x, int(x[1] * 4))\nw *= x[0]\nreturn np.sum(w**2)",
    "two windows": "def ends(u, n):\n    if n == 0:\n        return u[:2], u[2:]\n    a, b = ends(u[1:], n - 1)\n    return a, b\n===\nb = x * x\np, q = ends(b, int(x[1] * 2))\np *= x[0]\nreturn np.sum(b**2) + q[0]",
    "a buffer and its window": "def go(u, n):\n    b = u * 1.5\n    if n > 0:\n        p, q = go(u * u, n - 1)\n        q[0] *= 2.0\n        b += p\n    return b, b[1:]\n===\np, q = go(x, int(x[1] * 4))\nq *= x[0]\nreturn np.sum(p**2)",
    "a list of windows": "def parts(u):\n    if len(u) <= 2:\n        return [u]\n    h = len(u) // 2\n    return parts(u[:h]) + parts(u[h:])\n===\nb = x * x\nps = parts(b)\nreturn np.sum(ps[0] * b[0]) + np.sum(ps[-1] ** 2)",
    "a list of windows that is written": "def parts(u):\n    if len(u) <= 2:\n        return [u]\n    h = len(u) // 2\n    return parts(u[:h]) + parts(u[h:])\n===\nb = x * x\nfor p in parts(b):\n    p *= x[0]\nreturn np.sum(b**2)",
    "a list of windows of its own": "def parts(u, n):\n    b = u * 1.5\n    if n == 0:\n        return [b[:2], b[2:]]\n    return [b[1:]] + parts(b, n - 1)\n===\nps = parts(x, int(x[1] * 4))\nps[0][0] *= 2.0\nreturn sum([np.sum(p**2) for p in ps])",
    "rows into a matrix": "def fill(m, u, k):\n    if k == m.shape[0]:\n        return\n    m[k] = np.sin(u) * (k + 1)\n    fill(m, m[k] * u, k + 1)\n===\nm = np.zeros((3, 6))\nfill(m, x, 0)\nreturn np.sum(m**2 * x)",
    "a list of arrays that is written": "def fill(rows, u, n):\n    if n:\n        rows[n][0] = u * rows[n - 1][0]\n        fill(rows, u, n - 1)\n===\nrows = [x * 1.0 for _ in range(3)]\nfill(rows, x[0] * x[1], 2)\nreturn rows[1][0] * np.sum(rows[2])",
    "a list of numbers that is written": "def scan(v, k):\n    if k < len(v):\n        v[k] = v[k] * v[k - 1]\n        scan(v, k + 1)\n===\nv = [u * 1.5 for u in x]\nscan(v, 1)\nreturn sum(v) * v[2]",
    "a closure that writes": "b = x * x\n\ndef go(n):\n    if n > 0:\n        b[n] *= b[n - 1]\n        go(n - 1)\n        b[0] += b[n] ** 2\n\ngo(int(x[1] * 8))\nreturn np.sum(b**2)",
    "towers": "def move(n, a, b, u):\n    if n == 0:\n        return\n    move(n - 1, b, a, u)\n    a[n] *= u\n    b[n - 1] += a[n]\n    move(n - 1, a, b, u * 0.9)\n===\na, b = x * 1.0, x**2\nmove(int(x[1] * 6), a, b, x[0])\nreturn np.sum(a * b)",
    "a ping-pong of buffers": "def step(a, b, n):\n    if n == 0:\n        return\n    b[1:-1] = a[1:-1] + 0.1 * (a[2:] - 2 * a[1:-1] + a[:-2]) * a[1:-1]\n    step(b, a, n - 1)\n===\na, b = x * 1.0, x * 1.0\nstep(a, b, int(x[1] * 8))\nreturn np.sum(a**2) + np.sum(b)",
    "a merge through a buffer": (
        "def sort(a, t):\n    n = len(a)\n    if n < 2:\n        return\n    h = n // 2\n    sort(a[:h], t[:h])\n    sort(a[h:], t[h:])\n    i, j = 0, h\n    for k in range(n):\n        if j == n or (i < h and a[i] < a[j]):\n            t[k] = a[i]\n            i += 1\n        else:\n            t[k] = a[j]\n            j += 1\n    a[:] = t\n===\n"
        "b = x * x\nsort(b, np.zeros(6))\nreturn np.sum(b**2 * np.arange(6))"
    ),
    "flood": "def flood(g, i, level):\n    if level < 0.05 or not 0 <= i < len(g):\n        return\n    taken = level * np.exp(-g[i])\n    g[i] += taken\n    flood(g, i + 1, 0.6 * (level - taken))\n    flood(g, i - 1, 0.3 * (level - taken))\n===\nb = x * 1.0\nflood(b, 2, x[0])\nreturn np.sum(b**2)",
    "lifting": "def haar(a):\n    n = len(a)\n    if n < 2:\n        return\n    odd = a[1::2] - a[::2]\n    even = a[::2] + 0.5 * odd * odd\n    a[: n // 2] = even\n    a[n // 2 :] = odd\n    haar(a[: n // 2])\n===\nb = x[:4] * x[4]\nhaar(b)\nreturn np.sum(b**3)",
    "transposed": "def swap(a):\n    n = a.shape[0]\n    if n == 1:\n        a *= a\n        return\n    swap(a[1:, 1:].T)\n    a[0] += a[:, 0] * a[0, 0]\n===\nm = np.outer(x[:3], x[3:])\nswap(m)\nreturn np.sum(m**2)",
    "a reshaped window": "def go(a, n):\n    if n > 0:\n        r = a.reshape(-1)\n        r[n] *= r[0]\n        go(a.T, n - 1)\n===\nm = np.outer(x[:2], x[3:])\ngo(m, int(x[1] * 4))\nreturn np.sum(m**2)",
    "out": "def go(a, n):\n    if n > 0:\n        np.sin(a, out=a)\n        go(a[1:], n - 1)\n        np.multiply(a, a[0], out=a)\n===\nb = x * 1.5\ngo(b, int(x[1] * 6))\nreturn np.sum(b**2)",
    "an object": "class Box:\n    def __init__(self, b):\n        self.b = b\n        self.c = b[1:]\n\n    def go(self, n):\n        if n > 0:\n            self.b[n] *= self.c[0]\n            self.go(n - 1)\n            self.c[0] += self.b[0] ** 2\n===\no = Box(x * 1.5)\no.go(int(x[1] * 8))\nreturn np.sum(o.b**2)",
    "a tuple of buffers": "def swing(s, n):\n    q, p = s\n    if n == 0:\n        return 1.0\n    p[n] -= 0.1 * np.sin(q[n])\n    q[n - 1] += 0.1 * p[n]\n    return swing(s, n - 1) + p[n]\n===\nq, p = x * x, x + 1.0\nreturn swing((q, p), int(x[1] * 8)) * np.sum(q * p)",
    "buffers swapped as often as they tell": "def go(a, b, n):\n    if n == 0:\n        return np.sum(a * b)\n    for k in range(n):\n        a, b = b, a\n        a[k] *= b[0]\n    b[1] = a[0] * a[1]\n    return go(a[1:], b[:-1], n - 1) * b[1] + a[0]\n===\nu, v = x * 1.0, x[::-1] * 1.0\nr = go(u, v, int(x[1] * 6))\nreturn r + np.sum(u * v**2)",
    "buffers swapped in a branch": "def go(a, b, n):\n    if n == 0:\n        return\n    if a[0] > b[0]:\n        a, b = b, a\n    a[n] *= b[0]\n    go(a, b, n - 1)\n===\nu, v = x * 1.0, x[::-1] * 1.0\ngo(u, v, int(x[1] * 6))\nreturn np.sum(u * v**2)",
    "its own buffers swapped": "def dist(u, v, i):\n    if i == 0:\n        return np.sum(u * v)\n    prev, cur = np.zeros(len(v) + 1), np.zeros(len(v) + 1)\n    for k in range(len(u)):\n        for j in range(len(v)):\n            cur[j + 1] = prev[j] + u[k] * v[j]\n        prev, cur = cur, prev\n    return prev[-1] + dist(u * 0.5, v, i - 1)\n===\nreturn dist(x, x**2, int(x[1] * 4))",
    "restored in a branch": "def go(a, n):\n    if n == 0:\n        return np.sum(a ** 2)\n    b = a * a\n    if a[0] > 0.2:\n        b[0] = b[1] * b[0]\n        s = np.sum(np.exp(b))\n        b[1] = s\n    else:\n        b[2] = a[0]\n        s = b[2]\n    b *= 0.1\n    return go(b, n - 1) * s + b[1]\n===\nreturn go(x, int(x[1] * 5))",
}

PROGRAMS = {"values": VALUES, "memory": MEMORY}

# What is refused of which programs: modes of the first order, derivatives of the adjoint program alone (``OVER``), or its adjoint;
# or where nothing is known of the argument but its annotation (``WRITTEN``).
OVER = "derivatives of the adjoint program"
TWICE = ("adjoint", "adjoint")
WRITTEN = "modules of the command line"
REFUSED = {
    # which memory is written, is not known
    **dict.fromkeys(("a memo", "a window of a written array", "an object"), ("tangent", "adjoint", OVER)),
    # what they return shares memory, and would have several adjoints
    **dict.fromkeys(
        (
            "a buffer and its window", "a list of windows of its own",
            "a list of windows that is written", "a window back that is written", "two windows",
        ),
        ("adjoint", OVER),
    ),
    # tapes hold what is written and restored
    **dict.fromkeys(
        (
            "a memo of a closure", "a reshaped window", "a window of its own buffer, written", "buffers swapped as often as they tell",
            "buffers swapped in a branch", "quicksort of windows", "strassen into slices",
        ),
        (OVER,),
    ),
    "a list of arrays that is written": (WRITTEN,),  # there it may be any list
    # shadows of the lists that it makes stand on its tape, and become shorter there
    "minors of lists": (OVER,),
    # what they return may be what they got, or stand on their tapes, too
    **dict.fromkeys(("mergesort of lists", "quicksort of lists"), (TWICE,)),
}  # fmt: skip
