"""Programs that derivatives got wrong, and variants of them: ten for each class, ``f(x)`` of a vector of six numbers.

``RESULTS`` are expressions of two vectors, for what is returned; the others are bodies of ``f``.
"""

HEAD = """import numpy as np


def make(n):
    return np.zeros(n)


def make_both(n):
    b = np.zeros(n)
    return b[1:], b[:-1]


def make_matrix(n, m):
    a = np.empty((n, m))
    a[:] = 0.5
    return a


def make_list(n):
    xs = []
    for _ in range(n):
        xs.append(np.ones(2))
    return xs


def make_numbers(n):
    return [0.0] * n


def make_pair(n):
    b = np.ones(n)
    return b, b


class Box:
    def __init__(self, n):
        self.b = np.zeros(n)
        self.c = self.b[1:]


def put(b, x):
    b[0] += x[1]
    return b[0]


"""

BORN = {
    "whole": "b = make(6)\nb += x\nreturn np.sum(b**2)",
    "item by item": "b = make(6)\nfor i in range(6):\n    b[i] = x[i] * x[i - 1]\nreturn np.sum(b**3)",
    "in a branch": "b = make(6)\nif x[0] > 0:\n    b[1:] = x[1:] ** 2\nreturn np.sum(b * x)",
    "matrix": "a = make_matrix(2, 3)\na[0] = x[:3]\na[1] *= x[3:]\nreturn np.sum(a**2) + a[0] @ a[1]",
    "list of arrays": "xs = make_list(2)\nxs[0] *= x[:2]\nxs[1][0] = x[2] * x[3]\nreturn np.sum(xs[0] * xs[1])",
    "list of numbers": "xs = make_numbers(3)\nxs[0] = x[0] * x[1]\nxs[2] = xs[0] * x[2]\nreturn xs[0] + xs[2] ** 2",
    "object": "o = Box(6)\no.b += x\no.c *= x[:5]\nreturn np.sum(o.b**2)",
    "merged": "b = make(6) if x[0] > 0 else np.ones(6)\nb[2:] += x[:4] ** 2\nreturn np.sum(b**2)",
    "read first": "b = make(6)\ns = np.sum(b)\nb[::2] += x[::2] * x[1::2]\nreturn np.sum((b + s) ** 2)",
    "in turns": "b, c = make(6), make(6)\nfor _ in range(3):\n    b += x\n    c += b * x\n    b, c = c, b\nreturn np.sum(b * c)",
}

_IDENTITIES = {
    "plus a number": "x + 1.0", "minus": "x - 2.0", "plus": "+x", "power": "x**1", "remainder": "x % 3.0",
    "divmod": "np.divmod(x, 3.0)[1]", "modf": "np.modf(x)[0]", "conj": "np.conj(x)", "unwrap": "np.unwrap(x)",
    "fmod": "np.fmod(x, 3.0)", "rounded": "x // 1.0 + x", "zeros": "x + np.zeros(6)", "asarray": "np.asarray(x) - 1.0",
    "broadcast": "np.broadcast_to(x, (6,)) + 1.0", "where": "np.where(x > -9.0, x, 0.0)", "add": "np.add(1.0, x)",
}  # fmt: skip
IDENTICAL = {
    **{name: f"b = {text}\nx[0] = 5.0 * x[1]\nreturn np.sum(b**2)" for name, text in _IDENTITIES.items()},
    **{
        f"{name}, written": f"b = {text}\nb[0] = 5.0 * x[1]\nreturn np.sum(b**2) + np.sum(x**3)"
        for name, text in _IDENTITIES.items()
    },
    "in a list": "xs = [x + 1.0, x]\nxs[1][0] = 2.0 * x[1]\nreturn np.sum(xs[0] ** 2)",
    "in a loop": "b = x * 1.0\nfor k in range(3):\n    c = b + 1.0\n    b[k] = c[k + 1] * 2.0\n    b[k + 1] += c[k] ** 2\nreturn np.sum(b)",
}

CONDITION = {
    "items of a list": (
        "b = x * 1.0\nws = []\nfor k in range(2):\n    ws.append(b[k:])\n\ndef go():\n    for w in ws:\n        w[0] *= 0.6\n    return b[0]\n\n"
        "while go() > 0.05:\n    b[1] += x[2]\nreturn np.sum(b**2)"
    ),
    "callee": "b = np.sin(x)\nwhile put(b, x) < 3.0:\n    b[1] = b[1] * x[0] + b[2] + 1.0 + b[0]\nreturn np.sum(b**2)",
    "pop": "xs = [x[5], x[1], x[2], x[3]]\nt = 0.0\nwhile xs.pop() != x[1]:\n    t = t * x[4] + xs[-1] * xs[-1]\nreturn t + len(xs) * x[0]",
    "pop and test": "xs = list(x[1:5])\nt = 0.0\nwhile xs and xs.pop() > -9.0:\n    t = t * x[0] + x[1] ** 2\nreturn t",
    "nested function": (
        "b = x * 1.0\n\ndef go():\n    b[0] *= 0.5\n    return b[0] * b[0]\n\nwhile go() > 0.01:\n    b[1] += b[0] * x[2]\nreturn np.sum(b**2)"
    ),
    "with break": "b = x * 1.0\nk = 0\nwhile put(b, x) < 9.0:\n    k += 1\n    b[2] *= b[0]\n    if k == 2:\n        break\nreturn np.sum(b**2)",
    "with continue": (
        "b = x * 1.0\nk = 0\nwhile put(b, x) < 2.0:\n    k += 1\n    if k % 2:\n        continue\n    b[2] *= b[0]\nreturn np.sum(b**2)"
    ),
    "with else": "b = x * 1.0\nwhile put(b, x) < 2.0:\n    b[2] *= b[0]\nelse:\n    b[3] += b[2] ** 2\nreturn np.sum(b**2)",
    "object": "o = Box(6)\no.b += x\nwhile put(o.b, x) < 2.0:\n    o.c[1] += o.c[0] * o.b[0]\nreturn np.sum(o.b**2)",
    "nested loops": (
        "b = x * 1.0\nfor i in range(2):\n    while put(b, x) < 2.0 + i:\n        b[i + 1] += b[0] * x[i]\nreturn np.sum(b**2)"
    ),
    "append": (
        "xs = [x[0]]\n\ndef grown():\n    xs.append(xs[-1] * 1.5)\n    return xs[-1]\n\nwhile grown() < 4.0 * x[4]:\n    xs[0] += x[1] ** 2\n"
        "return xs[0] * xs[-1]"
    ),
}

LISTS = {
    "array": "return np.sum(np.array([v for v in x]) ** 2)",
    "stack": "return np.sum(np.stack([x * v for v in x]) ** 2)",
    "concatenate": "return np.sum(np.concatenate([[v] for v in x]) ** 2)",
    "concatenate one": "b = np.concatenate([x])\nx[0] = x[1] * 5.0\nreturn np.sum(b**2)",
    "mean": "return np.mean([v * v for v in x]) ** 2",
    "dot": "return np.dot([v for v in x], [v * v for v in x])",
    "fromiter": "return np.sum(np.fromiter((v for v in x), float) ** 3)",
    "vectorize": "return np.sum(np.vectorize(lambda v: v**3)(x))",
    "rows": "return np.sum(np.array([[v, v * v] for v in x]) ** 2)",
    "prod": "return np.prod([v for v in x])",
    "max": "return np.max([v * v for v in x]) * x[0]",
    "outer": "return np.sum(np.outer([v for v in x], x) ** 2)",
    "norm": "return np.linalg.norm([v for v in x])",
}

LOADED = {
    "number": "def g():\n    x[1] = x[1] * 3.0\n    return x[2] ** 2\n\nx[1] += g()\nreturn np.sum(x**2)",
    "times": "def g():\n    x[1] = x[1] * 3.0\n    return x[2] ** 2\n\nx[1] *= g()\nreturn np.sum(x**2)",
    "fancy": "def g():\n    x[1] = x[1] * 3.0\n    return x[2] ** 2\n\nx[[1, 3]] += g()\nreturn np.sum(x**2)",
    "mask": "def g():\n    x[1:] *= 1.5\n    return x[2] ** 2\n\nx[x > 0.5] *= g()\nreturn np.sum(x**2)",
    "window": "def g():\n    x[1:] *= 1.5\n    return x[2] ** 2\n\nx[1:3] += g()\nreturn np.sum(x**2)",
    "row": "a = x.reshape(2, 3) * 1.0\n\ndef g():\n    a[1] *= 1.5\n    return a[0, 2] ** 2\n\na[1] -= g()\nreturn np.sum(a**2)",
    "in a loop": "def g(k):\n    x[k + 1] *= 1.5\n    x[k] += 0.5\n    return x[k] ** 2\n\nfor k in range(4):\n    x[k] -= g(k)\nreturn np.sum(x**2)",
    "list": "xs = [x[0], x[1], x[2]]\n\ndef g():\n    xs[1] = xs[1] * xs[2]\n    return xs[0]\n\nxs[1] += g()\nreturn xs[1] * xs[2]",
    "array's argument": "def g(b):\n    b *= 2.0\n    return b[0] * b[1]\n\nb = np.sin(x)\nb[1] += g(b)\nreturn np.sum(b**2)",
    "attribute": "o = Box(6)\no.b += x\n\ndef g():\n    o.b[2] *= x[3]\n    return o.b[2]\n\no.b[2] += g()\nreturn np.sum(o.b**2)",
    "items of a list": (
        "b = x * 1.0\nws = []\nfor k in range(2):\n    ws.append(b[k : k + 2])\n\ndef g():\n    for w in ws:\n        w[0] *= w[1]\n    return b[3]\n\n"
        "b[1] += g()\nb[0] *= g()\nreturn np.sum(b**2)"
    ),
    "items of a list of its own": (
        "def halve(ws, u):\n    for w in ws:\n        w[0] *= 0.5 + u\n    return ws[0][1]\n===\n"
        "b = x * 1.0\nb[0] -= halve([b, b[1:]], x[2])\nb[1] *= halve([b[1:]], x[3])\nreturn np.sum(b**2)"
    ),
    "items of a dict": (
        "b = x * 1.0\nd = {}\nfor k in range(2):\n    d[k] = b[k:]\n\ndef g(k):\n    d[k][0] *= x[4]\n    return b[3]\n\n"
        "b[1] += g(1) * g(0)\nreturn np.sum(b**2)"
    ),
    "windows of an object": (
        "class Kept:\n    def __init__(self, p):\n        self.b = p\n        self.ws = []\n\n    def step(self, k):\n        self.ws.append(self.b[k:])\n"
        "        for w in self.ws:\n            w[0] = 0.5 * w[1] * w[0]\n        return self.b[2]\n===\n"
        "o = Kept(x * 1.0)\no.b[0] += o.step(0)\no.b[1] -= o.step(1)\nreturn np.sum(o.b**2)"
    ),
}

_SHAPES = {
    "reshape": "x.reshape(2, 3)", "ravel": "x.ravel()", "asarray": "np.asarray(x)", "np.reshape": "np.reshape(x, (3, 2))",
    "squeeze": "np.squeeze(x)", "np.ravel": "np.ravel(x)", "ascontiguous": "np.ascontiguousarray(x)",
    "of a matrix": "x.reshape(2, 3).ravel()", "transposed": "x.reshape(2, 3).T.ravel()", "atleast": "np.atleast_2d(x)[0]",
}  # fmt: skip
RESHAPED = {
    **{
        name: f"b = {text}\nb[0] = b[1] * b[1]\nreturn np.sum(np.sin(x) * x) + np.sum(b)"
        for name, text in _SHAPES.items()
    },
    **{
        f"{name} of a new array": f"y = x * x\nb = {text.replace('x', 'y')}\nb[0] *= b[1]\nb += 1.0\nreturn np.sum(b**3) + np.sum(y**2)"
        for name, text in _SHAPES.items()
        if "np." not in text
    },
    "in a loop": "y = x * 1.0\nfor k in range(2):\n    b = y.reshape(2, 3)\n    b[k] *= b[1 - k]\nreturn np.sum(y**2)",
}

def _in(body: str) -> str:
    """A body as that of a function of the module."""
    return body.replace("\n", "\n    ")


# The part before ``===`` is a function of the module.
_TAPES = {
    "windows": "y = b[:3] ** 3\nb *= 2.0\nz = b[:3] ** 3\nb *= 1.5\nreturn np.sum(y * z) + np.sum(b**3)",
    "a second name": "c = b\ny = c**3\nb *= 2.0\nz = c[1:] ** 2 * b[1:]\nc *= 3.0\nreturn np.sum(y) + np.sum(z**2) + np.sum(b**2)",
    "a row": "m = np.outer(b, b)\nr = m[1]\nd = r**2\nm *= 2.0\ne = r**3\nm[1] += 1.0\nreturn np.sum(d * e) + np.sum(m * m)",
    "an item": "xs = [b, np.cos(a)]\nu = xs[0]\ny = u**3\nxs[0] *= 2.0\nreturn np.sum(u[1:] * xs[1][1:] * y[1:])",
    "a written window": "c = b[2:]\ny = c**2\nc *= 1.5\nz = b**2\nb[3] = z[0]\nreturn np.sum(y) * np.sum(z) + np.sum(b * b)",
    "steps": "c = b[::2]\ny = c**2\nb[::-1] *= a\nreturn np.sum(y * c) + np.sum(b**2)",
    "a loop": "t = 0.0\nfor k in range(3):\n    t += np.sum(b[k:] ** 2)\n    b[k:] *= a[k]\nreturn t * np.sum(b)",
    "a branch": "y = b**2\nif b[0] > 0.0:\n    b *= y\nelse:\n    b += 1.0\nz = b[1:] * y[1:]\nb[2] = 0.5\nreturn np.sum(z * b[1:])",
    "another shape": "m = b.reshape(2, 3)\ny = m[0] ** 2\nb[1] *= 3.0\nz = m[:, 1] ** 3\nm *= 0.5\nreturn np.sum(y) * np.sum(z) + np.sum(b**2)",
    "an object": "o = Box(6)\no.b += b\ny = o.c**2\no.b *= b\nreturn np.sum(y * o.c) + np.sum(o.b**2)",
}
TAPES = {
    name: f"def h(a):\n    b = np.sin(a)\n    {_in(body)}\n===\nreturn h(x) * x[0]" for name, body in _TAPES.items()
}

_SHARING = {  # what a function returns, and how its caller takes it
    "whole and rest": ("b, b[1:]", "p, q = h(x)"), "list": ("[b, b[::-1]]", "p, q = h(x)"), "twice": ("[b] * 2", "q, p = h(x)"),
    "dict": ("{'p': b, 'q': b[1:]}", "d = h(x)\np, q = d['p'], d['q']"), "nested": ("b, (b[1:], b[:2])", "p, (q, r) = h(x)\nr *= 2.0"),
    "shapes": ("b.reshape(2, 3), b", "q, p = h(x)"), "in turns": ("b[::2], b[1::2], b", "q, r, p = h(x)\nr[0] = q[1]"),
    "with a number": ("b, np.sum(b), b", "p, s, q = h(x)\np *= s"), "rows": ("[b[:3], b[3:], b]", "rs = h(x)\nq, p = rs[0], rs[2]\nrs[1][0] *= x[0]"),
    "later": ("b, b[1:]", "p, q = h(x)\nu = h(p)\nu[1][0] = q[0]\nq[1] *= u[0][1]"),
}  # fmt: skip
SHARING = {
    name: f"def h(a):\n    b = np.sin(a)\n    return {given}\n===\n{taken}\np *= x\nreturn np.sum(q**3) + np.sum(p * x)"
    for name, (given, taken) in _SHARING.items()
}

_LAYOUTS = {
    "steps": "np.outer(x, x)[:, ::2]", "Fortran": "np.asfortranarray(np.outer(x, x))", "turned": "np.outer(x, x)[:2].T",
    "reversed": "np.outer(x, x)[::-1]", "rows": "np.outer(x, x)[1:3]", "columns": "np.outer(x, x)[:, 1:3]",
    "one column": "np.outer(x, x)[:, :1]", "copied": "np.outer(x, x)[:, ::2].copy()", "turned twice": "np.outer(x, x).T.T",
    "Fortran copy": "np.copy(np.outer(x, x)[::2], order='F')",
}  # fmt: skip
LAYOUTS = {
    name: f"a = {text}\nb = a.{call}\nb[0] = b[1] * 3.0\nb[2:4] *= x[0]\nreturn np.sum(a**2) + np.sum(b**3)"
    for (name, text), call in zip(_LAYOUTS.items(), ["reshape(-1)", "ravel()", "T.reshape(-1)", "flatten()", "T.ravel()"] * 2, strict=True)
}

_HANDED = {
    "conj": "x.conj()", "np.conj": "np.conj(x)", "einsum": "np.einsum('i', x)", "power": "np.linalg.matrix_power(np.outer(x, x), 1)[0]",
    "float64": "np.float64(x)", "polyder": "np.polyder(x, 1)", "flat": "x.flat[1:5]", "block": "np.block([x, x])",
    "astype": "x.astype(np.float64, copy=False)", "diff": "np.diff(x, n=1)", "diag": "np.diag(x)[1]", "real": "np.real(x)",
}  # fmt: skip
HANDED = {name: f"b = {text}\nb[0] = x[1] * 3.0\nx[2] *= b[1]\nreturn np.sum(b**2) + np.sum(x**3)" for name, text in _HANDED.items()}

_STOPPED = {
    "a window": "c = stop(x[1:4])\nx[0] = x[1] * c[0]\nreturn np.sum(x**2) * np.sum(c)",
    "whole": "c = stop(x)\nx[0] = x[1] * c[0]\nreturn np.sum(x**2 * c)",
    "itself written": "c = stop(x)\nc[0] = 9.0\nreturn np.sum(x**2 * c)",
    "written before": "x *= x\nc = stop(x)\nx[0] = x[1] * c[0]\nreturn np.sum(x**2 * c)",
    "rebound": "c = stop(x)\nx = x * c\nreturn np.sum(x**2 * c)",
    "reversed": "c = stop(x[::-1])\nx *= c\nreturn np.sum(x**2 * c)",
    "a result": "b = np.sin(x)\nc = stop(b)\nb[1:] *= c[:-1]\nreturn np.sum(b * c * x)",
    "a number": "c = stop(x[2])\nx[2] *= c\nx[0] += c * x[2]\nreturn np.sum(x**2)",
    "stored into": "c = stop(x)\nc[1] = x[0] * 2.0\nx[0] = 3.0 * x[1]\nreturn np.sum(c * x**2)",
    "another shape": "c = stop(x.reshape(2, 3))\nm = x.reshape(2, 3)\nm[0] *= c[1]\nreturn np.sum(x**2) * np.sum(c)",
    "twice": "c = stop(x)\nd = stop(x * c)\nx[1:] *= d[:-1]\nreturn np.sum(x * d) + np.sum(x**2 * c)",
    "in a list": "xs = [stop(x), x]\nxs[1][0] = xs[0][1] * x[2]\nreturn np.sum(xs[0] * xs[1] ** 2)",
}
STOPPED = {name: f"from s2sad import stop_gradient as stop\n===\n{body}" for name, body in _STOPPED.items()}

_LINALG = "import scipy.linalg as sl\n===\n"
OPTIONS = {  # that say where results go, and what may be destroyed
    "cholesky": f"{_LINALG}a = np.outer(x, x) + 6.0 * np.eye(6)\nw = sl.cholesky(a, lower=True, overwrite_a=True)\nreturn np.sum(w**2 * x)",
    "solve": f"{_LINALG}b = x * 1.0\ny = sl.solve(np.eye(6) + np.outer(x, x), b, overwrite_b=True)\nreturn np.sum(y * x)",
    "solve, both": f"{_LINALG}a = 2.0 * np.eye(6) + np.outer(x, x)\nb = x * 1.0\ny = sl.solve(a, b, overwrite_a=True, overwrite_b=True)\nreturn np.sum(y**2)",
    "cumsum": "b = np.zeros(6)\nnp.cumsum(x, out=b)\nx[0] = b[5]\nreturn np.sum(b**2) * x[0]",
    "clip": "y = x * 1.0\nnp.clip(y, 0.35, 1.0, out=y)\nreturn np.sum(y**2 * x)",
    "into a window": "b = x * 2.0\nnp.multiply(x[:3], x[3:], out=b[::2])\nreturn np.sum(b**2)",
    "dot": "b = np.zeros(6)\nnp.dot(np.outer(x, x), x, out=b)\nb *= x\nreturn np.sum(b)",
    "into itself": "np.multiply(x, x[::-1], out=x)\nreturn np.sum(x**2)",
    "nan_to_num": "b = x * x\nc = np.nan_to_num(b, copy=False)\nc[0] = x[1]\nreturn np.sum(b * c)",
    "sum": "s = np.zeros(3)\nnp.sum(x.reshape(2, 3) ** 2, axis=0, out=s)\ns[1] *= x[0]\nreturn np.sum(s**2)",
    "where": "b = x * 1.0\nnp.add(x, b, out=b, where=x > 0.5)\nreturn np.sum(b**2)",
}

# Windows that no window of a shadow mirrors, of buffers whose shadows travel with them.
_SWAPPED = {
    "imaginary part": ("x * (1.0 + 2.0j)", "x[::-1] * (0.5 - 1.0j)", "a[k] *= 1.1 + 0.3j\n    s += np.sum(a.imag**2 * x)"),
    "window of an imaginary part": ("x * (1.0 + 2.0j)", "x * (0.5 - 1.0j)", "w = a[1:].imag\n    a[k] *= 1.1 + 0.3j\n    s += np.sum(w**2 * x[1:])"),
    "broadcast": ("x * 1.0", "x[::-1] * 0.5", "w = np.broadcast_to(a, (2, 6))\n    a[k] *= 1.1\n    s += np.sum(w**2 * x) + np.sum(w[1] ** 2)"),
    "diagonal": ("np.outer(x, x)", "np.outer(x, x[::-1])", "w = np.diagonal(a)\n    a[k, k] *= 1.1\n    s += np.sum(w**2 * x)"),
    "window of a broadcast": (
        "np.outer(x, x)", "np.outer(x, x[::-1])",
        "w = np.broadcast_to(a[1:, k], (2, 5))[0][::-1]\n    a[k, k] *= 1.1\n    s += np.sum(w**2 * x[1:]) + w[0]",
    ),
}  # fmt: skip
MIRRORED = {
    name: f"a, b, s = {a}, {b}, 0.0\nfor k in range(3):\n    a, b = b, a\n    {body}\nreturn s" for name, (a, b, body) in _SWAPPED.items()
}
MIRRORED["diagonal in a branch"] = (
    "a = np.outer(x, x)\nw = np.diagonal(a) if x[0] > 0.1 else a[0]\na[1, 1] *= 3.0\nreturn np.sum(w**2)"
)
KNOWN_ITEMS = {  # the same, in lists and dicts whose items are known one by one
    "broadcast in a list": "a = x * 1.0\nws = [np.broadcast_to(a, (6,)), a]\na[1] *= 3.0\nreturn sum([np.sum(w**2) for w in ws])",
    "imaginary part in a list": "a = x * (1.0 + 2.0j)\nws = [a.imag, a.real]\na[1] *= 3.0 + 1.0j\nreturn sum([np.sum(w**2) for w in ws])",
    "imaginary part in a dict": "w, d = x + 2j * x, {}\nfor k in range(2):\n    d[k] = w.imag\nw *= 1j\nreturn np.sum(d[1] ** 2)",
    "diagonal stored in a list":
        "a = np.outer(x, x)\nws = [a[0], a[1]]\nws[x.size % 2] = np.diagonal(a)\na[1, 1] *= 3.0\nreturn sum([np.sum(w**2) for w in ws])",
}  # fmt: skip
UNMIRRORED = {  # the same, passed on: what reverse mode says
    "imaginary part in a branch": ("a = x * (1.0 + 2.0j)\nw = a.imag if x[0] > 0.1 else a.real\na[1] *= 3.0 + 1.0j\nreturn np.sum(w**2)", "imaginary part"),
    "broadcast in a list": (
        "a, ws = x * 1.0, []\nfor k in range(40):\n    ws.append(np.broadcast_to(a, (2, x.size))[k % 2])\na[1] *= 3.0\nreturn sum([np.sum(w**2) for w in ws])",
        "broadcast_to",
    ),
    "imaginary part in a list": (
        "a, ws = x * (1.0 + 2.0j), []\nfor k in range(40):\n    ws.append(a.imag)\na[1] *= 3.0 + 1.0j\nreturn sum([np.sum(w**2) for w in ws])", "imaginary part",
    ),
    "imaginary part in a dict": (
        "w, d = x + 2j * x, {}\nfor k in range(40):\n    d[k] = w.imag\nw *= 1j\nreturn np.sum(d[1] ** 2)", "imaginary part",
    ),
    "trimmed": (
        "a, b, s = x * 1.0, x * 0.5, 0.0\nfor k in range(3):\n    a, b = b, a\n    w = np.trim_zeros(a)\n    a[k] *= 1.1\n    s += np.sum(w**2)\nreturn s",
        "trim_zeros",
    ),
}  # fmt: skip

# Numbers that come where a written array may stand.
NUMBERS = {
    "at first": "y = x * 1.0\nv, t = x[0] * x[1], 0.0\nfor k in range(3):\n    t = t + np.sum(v * x)\n    v = y\n    y[k] *= 1.2\nreturn t",
    "in an arm": "y, s, t = x * 1.0, x[0] ** 2, 0.0\nfor k in range(3):\n    a = s if k == 1 else y\n    y[0] *= 1.5\n    t = t + np.sum(a * x)\nreturn t",
    "in two arms": (
        "y, s = x * 1.0, x[0] ** 2\na = s if x[1] > 0.0 else y\nb = s if x[2] > 9.0 else y\ny[0] *= 2.0\nreturn np.sum(a * x) * np.sum(b)"
    ),
    "in a pair": "y, s = x * 1.0, x[0] ** 2\na, b = (s, y) if x[0] > 0 else (y, x[1])\ny[0] *= 2.0\nreturn np.sum(a * x) * np.sum(b * x)",
    "counted": "y, n = x * 1.0, len(x)\na = n if x[1] > 0.0 else y\nb = n if x[2] > 9.0 else y\ny[0] *= 2.0\nreturn np.sum(a * x) * np.sum(b)",
    "of a helper": (
        "def pick(k, s, y):\n    if k == 1:\n        return s\n    return y\n===\n"
        "y, s, t = x * 1.0, x[0] * x[1], 0.0\nfor k in range(3):\n    a = pick(k, s, y)\n    y[0] *= 1.3\n    t = t + np.sum(a * x) * s\nreturn t"
    ),
    "in a list": "xs, t = [x * 1.0, 2.0, x[0]], 0.0\nfor k in range(3):\n    t = t + np.sum(xs[k] * x)\n    xs[0] *= x\nreturn t",
    "put into a list": (
        "y, s, xs, t = x * 1.0, np.sum(x**2), [], 0.0\nxs.append(s)\nxs.append(y)\nxs.insert(0, s * x[0])\ny *= x\n"
        "for v in xs:\n    t = t + np.sum(v * x)\nxs[0] = s * 2.0\nw = xs.pop(0)\nreturn t + np.sum(w * xs[1]) * xs[0]"
    ),
    "by key": "d, t = {}, 0.0\nd[0] = x * 1.0\nfor k in range(2):\n    a = d.get(k, x[1])\n    t = t + np.sum(a * x)\n    d[0] *= x\nreturn t",
    "beside a window": (
        "o = Box(6)\no.b += x\nxs, t = [o.b, x[0], o.c[::-1]], 0.0\no.b *= x\nfor i in range(3):\n    t = t + np.sum(xs[i]) * (i + 1.0)\nreturn t"
    ),
}

# What random programs have found.
LINK = (
    "class Link:\n    def __init__(self, p, other=None):\n        self.p = p\n        self.tail = p[1:]\n        self.other = other\n\n"
    "    def push(self, u):\n        self.tail[0] += 0.2 * u\n        if self.other is not None:\n"
    "            self.other.p[1] *= 0.5 + 0.2 * self.tail[1]\n        return self.p[1]\n===\n"
)
FOUND = {
    "objects of one another": (
        LINK + "s = 0.0\nfor i in range(2):\n    w = Link(x * 1.0)\n    z = Link(w.p[::-1], w)\n    w.other = z\n"
        "    s += w.push(x[0]) + z.push(x[1])\nif x[0] > 0.0:\n    v = Link(x[1:] * 2.0)\n    v.other = Link(v.tail, v)\n"
        "    s += v.push(x[2]) * v.other.push(x[3])\nreturn s"
    ),
    "a window seen in one arm": (
        "a, b = x[:3] * 1.0, x[3:] * 2.0\nfor i in range(3):\n    v = b[:]\n    s = np.sin(v @ a)\n    if s > -5.0:\n"
        "        w = np.sin(v @ a) * np.sum(v)\n        a[i] = w * a[i]\nreturn np.sum(a) * np.sum(b)"
    ),
    "a window bound in one arm": (
        "a, b = x[:3] * 1.0, x[3:] * 2.0\nflag = b[0] > 0.1\nif flag:\n    w = b[::-1]\nb[1] -= np.sin(a[0])\n"
        "if flag:\n    a[:] = 0.5 * w + 0.3 * a\nreturn np.sum(np.sin(a)) + np.sum(b**2)"
    ),
}

# Bodies of ``try`` that write, and fail on the way.
ATTEMPTED = {
    "stores": "b = x * 1.0\nfor k in range(4, 8):\n    try:\n        b[0] = b[1] * b[2]\n        b[k] *= b[0]\n    except IndexError:\n        b[1] *= b[3]\nreturn np.sum(b**2)",
    "windows": (
        "b = x * 1.0\np, q = b[:4], b[2:]\nfor k in range(2, 6):\n    try:\n        p[0] = q[0] * p[1]\n        q[k] = p[k] * q[1]\n"
        "    except IndexError:\n        p[1] += q[3] ** 2\nreturn np.sum(b**2)"
    ),
    "list": (
        "xs = [x[:2] * 1.0, x[2:4] * 1.0]\nfor k in range(3):\n    try:\n        xs[0] += xs[1]\n        xs[k] *= x[5]\n"
        "    except IndexError:\n        xs[1][0] *= x[4]\nreturn np.sum(xs[0] * xs[1])"
    ),
    "appended": "xs = []\nfor k in range(8):\n    try:\n        xs.append(x[k] ** 2)\n    except IndexError:\n        xs.append(x[0] * x[1])\nreturn sum(xs) * xs[-1]",
    "keys": (
        "d, t = {}, 0.0\nfor k in range(3):\n    d[k] = x[k] ** 2\nfor k in range(5):\n    try:\n        t += d[k] * x[5]\n"
        "    except KeyError:\n        d[k] = x[4] * t\n        t *= 0.5\nreturn t + sum(d.values())"
    ),
    "object": "o = Box(6)\no.b += x\nfor k in range(3, 7):\n    try:\n        o.c[0] *= x[1]\n        o.c[k] *= o.b[1]\n    except IndexError:\n        o.b *= x\nreturn np.sum(o.b**2)",
    "with else": (
        "b, t = x * 1.0, 0.0\nfor k in range(3, 8):\n    try:\n        t = b[k] * b[0]\n    except IndexError:\n        b[0] *= x[1]\n"
        "    else:\n        b[1] += t\n    finally:\n        b[2] *= 1.1\nreturn np.sum(b**2)"
    ),
    "exchanged": "a, b = x * 1.0, x**2\nfor k in range(4, 8):\n    try:\n        a[k] += b[0]\n        a, b = b, a\n    except IndexError:\n        b *= 0.5\nreturn np.sum(a * b)",
    "loop": "b, t = x * 1.0, x[0]\ntry:\n    for k in range(9):\n        b[k] = b[k] * t\n        t = t + b[k] ** 2\nexcept IndexError:\n    t = t * x[2]\nreturn t * np.sum(b)",
    "what is raised": (
        "def root(u):\n    if u < 0.5:\n        raise ValueError('small')\n    return np.sqrt(u) * u\n===\n"
        "t = 1.0\nfor k in range(4, 8):\n    try:\n        t *= root(x[k] - 0.5)\n    except (ValueError, TypeError) as error:\n        t += x[0] ** 2 * len(str(error))\n"
        "    except IndexError:\n        t *= x[1]\nreturn t * x[3]"
    ),
    "one in another": (
        "b = x * 1.0\nfor k in range(3, 8):\n    try:\n        try:\n            b[0] = b[k] * b[1]\n            b = b[::-1]\n            b[1] *= x[k - 2]\n"
        "        except IndexError:\n            b = b * x\n        b[2], b[k - 1] = b[k - 1], b[2] * x[1]\n    except IndexError:\n        b[0] += b[2] * 0.1\nreturn np.sum(b**2)"
    ),
    "a branch with one in it": (
        "b, c = x * 1.0, np.sin(x)\nfor k in range(4):\n    try:\n        if k % 2 == 0:\n            b[:] = c[::-1]\n            try:\n                c = b[::-1]\n"
        "                c[k + 3] *= 0.5 * b[1]\n            except IndexError:\n                pass\n            b[2] = c[1] ** 2\n        b[k + 3] = c[0] * x[2]\n"
        "    except IndexError:\n        c[0] += b[1]\nreturn np.sum(b * c)"
    ),
    "an exception that a function makes": (
        "def error(u):\n    return KeyError('small') if u < 0.3 else ValueError('large')\n===\n"
        "t = 1.0\nfor k in range(6):\n    try:\n        t *= 1.5\n        if x[k] < 0.8:\n            raise error(x[k])\n        t *= x[k]\n"
        "    except KeyError:\n        t += x[0] ** 2\n    except ValueError:\n        t *= x[1]\nreturn t * x[3]"
    ),
}

_ABSENT = {
    "in a loop": "for k in range(3):\n    if k > 0 and x[0] > 9.0:\n        w = a * b[0]\n    a[2] = np.sin(b[1])\n    if x[0] > 9.0 and k > 0:\n        b[:] = 0.5 * w + 0.3 * b",
    "in a while loop": "k = 0\nwhile k < 3:\n    flag = b[0] > 0.7\n    if flag:\n        w = np.array([b[0], 0.25, a[1]])\n    a[2] = np.sin(b[1])\n    if flag:\n        b[:] = 0.5 * w + 0.3 * b\n    k += 1",
    "from the step before": "for k in range(4):\n    if k > 0:\n        b[:] = 0.5 * w * w[0] + 0.3 * b\n    if k < 3:\n        w = np.array([b[0], 0.25 * k, a[1]])\n        w[1] = a[0] * w[2]\n    a[2] = np.sin(b[1])",
    "two loops": "for k in range(3):\n    for j in range(2):\n        if j + k > 0 and a[0] > -9.0:\n            w = np.array([b[0], 0.25, a[1]])\n        a[2] = np.sin(b[1])\n        if j + k > 0 and a[0] > -9.0:\n            b[:] = 0.5 * w + 0.3 * b * w[k]",
    "None": "w = None\nfor k in range(3):\n    if w is not None:\n        b[:] = 0.5 * w + 0.3 * b * w[k]\n    if k == 0 or a[0] > 0.4:\n        w = np.array([b[0], 0.25, a[1]])\n    else:\n        w = None\n    a[2] = np.sin(b[1])",
    "a tuple": "for k in range(4):\n    if k > 1:\n        p, q = w\n        b[:] = 0.5 * p * q + 0.3 * b\n    if k > 0:\n        w = (np.sin(a) * b[0], a[1] * b[2])\n    a[2] = np.sin(b[1])",
    "a list": "for k in range(4):\n    if k > 1:\n        b[:] = 0.5 * w[0] * w[-1][0] + 0.3 * b\n    if k > 0:\n        w = [np.sin(a) * b[0], a * b[2]]\n    a[2] = np.sin(b[1])",
    "a number": "for k in range(3):\n    if k > 1:\n        b[:] = 0.5 * w * a + 0.3 * b\n    if k > 0:\n        w = np.sin(a[k]) * b[0]\n    a[2] = np.sin(b[1])",
    "a matrix": "for k in range(3):\n    if k > 0:\n        w = np.outer(a, b)\n        v = w[1]\n    a[2] = np.sin(b[1])\n    if k > 0:\n        v[0] = b[2]\n        b[:] = 0.5 * w[1] * w[0, 2] + 0.3 * b",
    "in an attempt": "for k in range(4):\n    if k > 0:\n        b[:] = 0.5 * w + 0.3 * b * w[1]\n    try:\n        w = a * b\n        w[k + 1] *= a[1]\n    except IndexError:\n        w = np.sin(a)\n    a[2] = np.sin(b[1])",
}
ABSENT = {  # names that some path leaves unbound, or None: nothing is added to their adjoints there
    name: f"a, b = x[:3] * 1.0, x[3:] * 2.0\n{body}\nreturn np.sum(np.sin(a)) + np.sum(b**2)" for name, body in _ABSENT.items()
}

RETURNED = {  # by derivatives that are taken inside: memory of their own, which is then written
    "a gradient of a sum": "def g(u, v):\n    return np.sum(u + v)\n===\np, q = s2sad.grad(g, (0, 1))(x, x**2)\np *= x\nreturn np.sum(q * x) + np.sum(p**2)",
    "a gradient of a difference": "def g(u, v):\n    return np.sum((u - v) * v)\n===\np, q = s2sad.grad(g, (0, 1))(x, x**2)\np[1:] *= q[:-1]\nreturn np.sum(q * x) * p[1]",
    "a gradient of windows": "def g(u, v):\n    return np.sum(u[::-1] + v)\n===\np, q = s2sad.grad(g, (0, 1))(x, x)\nq[0] = x[0] * x[1]\nreturn np.sum(p * x) + np.sum(q**2)",
    "a gradient of one argument twice": "def g(u, v):\n    return np.sum(u * v)\n===\np, q = s2sad.grad(g, (0, 1))(x, x)\np *= 2.0\nreturn np.sum(q * p) + np.sum(x * p)",
    "a seed": "def g(u):\n    return u + 1.0\n===\nseed = x * 1.0\n_, back = s2sad.vjp(g, x)\n(bar,) = back(seed)\nbar *= x\nreturn np.sum(seed**2) + np.sum(bar * seed)",
    "a seed of two": "def g(u, v):\n    return u - v\n===\nseed = x**2\n_, back = s2sad.vjp(g, x, x * 2.0)\np, q = back(seed)\np[0] = q[1] * x[2]\nreturn np.sum(seed * p) + np.sum(q * x)",
    "a tangent": "def g(u):\n    return u - 1.0\n===\ndot = x * 1.0\nvalue, made = s2sad.jvp(g, (x,), (dot,))\nmade *= value\nreturn np.sum(dot * made)",
    "a tangent of an identity": "def g(u):\n    return u\n===\ndot = x**2\nvalue, made = s2sad.jvp(g, (x,), (dot,))\nmade[1:] *= x[:-1]\nvalue[0] = dot[1]\nreturn np.sum(dot * made) + np.sum(value * x)",
    "tangents of a pair": "def g(u):\n    return u, u[1:] * 1.0\n===\n_, (p, q) = s2sad.jvp(g, (x,), (x**2,))\np *= x\nreturn np.sum(q**2) + np.sum(p)",
    "pulled back twice": "def g(u):\n    return u * 2.0\n===\n_, back = s2sad.vjp(g, x)\n(p,) = back(x)\n(q,) = back(x)\np *= q\nreturn np.sum(p * x) + np.sum(q)",
    "in a list": "def g(us):\n    return np.sum(us[0] + us[1])\n===\nps = s2sad.grad(g)([x, x * 2.0])\nps[0] *= x\nreturn np.sum(ps[1] * x) + np.sum(ps[0] ** 2)",
    "beside the value": "def g(u):\n    return np.sum(u + 1.0)\n===\nvalue, p = s2sad.value_and_grad(g)(x)\np *= x * value\nreturn np.sum(p**2)",
    "rows": "def g(u):\n    return u + 1.0\n===\nm = s2sad.jacobian(g)(x)\nm[0] *= x\nreturn np.sum(m @ x)",
    "aux": "def g(u):\n    return np.sum(u**2), u\n===\np, aux = s2sad.grad(g, has_aux=True)(x)\naux[0] = p[1]\np *= aux\nreturn np.sum(p * x)",
    "a value of vjp": "def g(u):\n    return u[::-1]\n===\nv, back = s2sad.vjp(g, x)\nv[0] = x[1] * 2.0\n(p,) = back(v)\np[1] *= v[0]\nreturn np.sum(p * x) + np.sum(v)",
    "parts of a result": "def g(u):\n    return u, u[1:]\n===\n(p, q), (dp, dq) = s2sad.jvp(g, (x,), (x**2,))\np[2] = dq[1]\ndq *= q\nreturn np.sum(dp * p) + np.sum(dq) * q[1]",
    "hessian product": "def g(u):\n    return np.sum(u**2)\n===\nd = x * 1.0\np, q = s2sad.hvp(g, (x,), (d,))\nq *= p\nd[0] = q[1]\nreturn np.sum(d * q) + np.sum(p)",
    "dict": "def g(us):\n    return np.sum(us['p'] + us['q'])\n===\nps = s2sad.grad(g)({'p': x, 'q': x * 2.0})\nps['p'] *= x\nreturn np.sum(ps['q'] * x) + np.sum(ps['p'] ** 2)",
    "loop": "def g(u, v):\n    return np.sum(u + v)\n===\nt = 0.0\nfor k in range(3):\n    p, q = s2sad.grad(g, (0, 1))(x, x[::-1])\n    p[k] = x[k] ** 2\n    t += np.sum(q * p * x)\nreturn t",
    "linearize": "def g(u):\n    return u + 1.0\n===\ny, push = s2sad.linearize(g, x)\nd = x * 1.0\np = push(d)\np *= y\nreturn np.sum(d * p)",
}

CLASSES = {
    "born": BORN, "identical": IDENTICAL, "condition": CONDITION, "lists": LISTS, "loaded": LOADED, "reshaped": RESHAPED,
    "tapes": TAPES, "sharing": SHARING, "layouts": LAYOUTS, "handed back": HANDED,
    "stopped": STOPPED, "options": OPTIONS, "mirrored": MIRRORED, "numbers": NUMBERS,
    "attempted": ATTEMPTED,
    "found": FOUND, "absent": ABSENT, "returned": RETURNED,
}  # fmt: skip

# What was silently wrong, by the mechanisms that had failed: each has ten programs at least, in all surroundings and all pairs.
MECHANISMS = {
    "tapes of callees": ["tapes"], "results that share": ["sharing"], "buffers that helpers make": ["born"],
    "tangents that are other tangents": ["identical"], "conditions that write": ["condition"], "lists for NumPy": ["lists"],
    "what is stopped": ["stopped"], "what Python loads first": ["loaded"], "copies and layouts": ["layouts"],
    "what a call hands back": ["handed back"], "where results go": ["options"], "derivatives that are returned": ["returned"],
    "windows by strides": ["reshaped"], "numbers for arrays": ["numbers"], "attempts": ["attempted"], "unbound names": ["absent"],
}  # fmt: skip

RESULTS = [
    "x + 1.0", "x", "x + y", "(x, x)", "(x, x[1:])", "[x, y]", "x[::-1]", "x.reshape(3, 1)", "np.sum(x + y)", "np.sum(x - y)",
    "np.sum(x * A)", "x @ A", "np.broadcast_to(x, (2, 3))", "np.mean(x)", "np.stack([x, y])", "np.concatenate([x, y])", "x.T", "+x",
    "(x + 0.0, x)", "np.outer(x, y)", "np.real(x)", "np.asarray(x)", "x.copy()", "x[0]", "x[:2]", "np.where(A > 0, x, y)",
    "np.atleast_2d(x)", "np.split(x, 3)", "list(x)", "x % 5.0", "np.sum(x) + np.sum(y)",
]  # fmt: skip


# Where a function stands that writes into its argument; what it has written is read afterwards.
AROUND = {
    "": "",
    "helper": "def f(x):\n    return inner(x * 1.0) * 1.5 + x[1]\n",
    "loop": "def f(x):\n    s = 0.0\n    for k in range(2):\n        s += inner(x + 0.01 * k) * x[k]\n    return s\n",
    "argument": "def f(x):\n    y = x * 1.0\n    z = y[::-1]\n    return inner(y) * 0.5 + np.sum(z**2 * x)\n",
    "closure": (
        "def f(x):\n    y = x * 1.0\n\n    def run(k):\n        return np.tanh(inner(y)) * k\n\n"
        "    return run(0.5) * np.sum(y**2) + run(y[2])\n"
    ),
    "method": (
        "class Runner:\n    def __init__(self, x):\n        self.x = x * 1.0\n        self.tail = self.x[::-1]\n\n"
        "    def run(self):\n        return np.tanh(inner(self.x)) + np.sum(self.tail**2)\n\n\n"
        "def f(x):\n    r = Runner(x)\n    return r.run() * r.tail[1] + np.sum(r.tail * x)\n"
    ),
    "recursion": (
        "def again(x, n):\n    if n == 0:\n        return x[0]\n    return 0.5 * again(x, n - 1) + x[1] * np.tanh(inner(x))\n\n\n"
        "def f(x):\n    y = x * 1.0\n    return again(y, 2) + np.sum(y**2)\n"
    ),
    "checkpoint": "def f(x):\n    y = x * 1.0\n    return s2sad.checkpoint(inner)(y) * 0.5 + np.sum(y**2 * x)\n",
    "samples": "def f(x):\n    return np.sum(np.tanh(s2sad.vmap(inner)(np.stack([x, x * 1.05])))) + x[1] ** 2\n",
    "gradient": "def f(x):\n    y = x * 1.0\n    return np.sum(np.tanh(s2sad.grad(inner)(y)) * x) + np.sum(y**2)\n",
}


def written(body: str, around: str = "") -> str:
    """The text of a module with the function, alone or in one of the surroundings (``f`` is what is asked about)."""
    name = "f" if not around else "inner"
    top, _, body = body.rpartition("\n===\n")
    top = "import s2sad\n" * ("s2sad." in AROUND[around] + body) + top
    text = f"{HEAD}{top + chr(10) * 3 if top else ''}def {name}(x):\n" + "".join(f"    {line}\n" if line else "\n" for line in body.split("\n"))
    return f"{text}\n\n{AROUND[around]}" if around else text
