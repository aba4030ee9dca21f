"""A program for each operation of the table of container operations: bodies that make ``out`` of ``x``, a vector of four.

Each runs as it is, inside a helper, in a loop, and as a helper that a loop calls.
"""

from __future__ import annotations

PRELUDE = """
import numpy as np
from collections import Counter
from dataclasses import dataclass
from s2sad.runtime import add_at

@dataclass
class State:
    u: np.ndarray
    v: np.ndarray

def parted(a):
    return a[0] * a, np.cos(a)

def looked_up(found, k):
    s = 0.0
    for j in range(2):
        s = s + np.sin(found[j]) * found[k]
    return s
"""

BODIES = {
    "builtins.tuple": """
rows = []
rows.append((x * x[0], np.sin(x)))
rows.append((np.cos(x), x[1] * x))
a, b = rows.pop()
c, d = rows.pop()
out = a * b + c * d * d
""",
    "s2sad.items": """
out = np.stack([x[0] * x, np.sin(x)]).sum(axis=0) * np.concatenate([x[2:] * x[:2], x[:2]])
""",
    "s2sad.dict": """
rows = []
for k in range(2):
    rows.append({"u": x * x[k], "v": np.sin(x)})
out = rows[0]["u"] * rows[1]["v"] + rows[1]["u"]
""",
    "s2sad.runtime.record": """
rows = []
for k in range(x.size):
    rows.append(State(x * x[k], np.cos(x)))
out = x
for k in range(x.size):
    out = out + rows[k].u * rows[k - 1].v
""",
    "builtins.list": """
rows = [x * x[0], np.sin(x)]
for k in range(3):
    rows[k % 2] = rows[k % 2] * rows[(k + 1) % 2]
out = rows[0] * rows[1]
""",
    "s2sad.map": """
found = {}
for k in range(3):
    found[k * 2] = x * x[k]
out = found[0] * found[2] + np.sin(found[4])
""",
    "operator.getitem": """
rows = [x * x[0], np.sin(x), x * x]
out = x
for k in range(3):
    out = out * rows[k - 1] + rows[(2 * k) % 3]
""",
    "s2sad.attribute": """
rows = []
for k in range(x.size):
    rows.append(State(x * x[k], np.cos(x)))
out = x
for k in range(x.size):
    out = out + rows[k].u * rows[k - 1].v
""",
    "dict.get": """
sums = Counter()
for k in range(6):
    sums[k % 4] = sums[k % 3] * x[k % 4] + x[k % 2]
out = x * sums[0] * sums[2]
""",
    "s2sad.unpack": """
out = x
for k in range(2):
    a, b = parted(out)
    out = a * b + x[k]
""",
    "operator.setitem": """
rows = [x, x * x]
for k in range(4):
    rows[k % 2] = np.sin(rows[k % 2]) * rows[(k + 1) % 2]
out = rows[0] + rows[1] * rows[0]
""",
    "s2sad.additem": """
sums = [0.0, x[0]]
for k in range(4):
    sums[k % 2] += x[k] * sums[(k + 1) % 2] + x[k]
out = sums[0] * sums[1] * x
""",
    "s2sad.subitem": """
sums = [0.0, x[0]]
for k in range(4):
    sums[k % 2] -= x[k] * sums[(k + 1) % 2] + x[k]
out = sums[0] * sums[1] * x
""",
    "numpy.add.at": """
out = np.sin(x)
np.add.at(out, [0, 0, 2], x[:3] * x[1:])
out = out * out
""",
    "s2sad.runtime.add_at": """
out = np.sin(x)
add_at(out, [0, 0, 2], x[:3] * x[1:])
out = out * out
""",
    "numpy.subtract.at": """
out = np.sin(x)
np.subtract.at(out, [0, 0, 2], x[:3] * x[1:])
out = out * out
""",
    "list.append": """
rows = [x]
for k in range(3):
    rows.append(np.sin(rows[k]) * x[k])
out = rows[1] * rows[3] + rows[2]
""",
    "list.insert": """
rows = [x]
for k in range(3):
    rows.insert(k - 1, np.sin(rows[k]) * x[k])
out = rows[0] * rows[3] + rows[2] * rows[1]
""",
    "list.pop": """
rows = [x * x[k] for k in range(4)]
out = np.cos(x)
for k in range(3):
    out = out * rows.pop(k % 2) + rows[0]
""",
    "dict.pop": """
found = {}
for k in range(3):
    found[k] = x * x[k]
out = x
for k in range(3):
    out = out * found.pop(k) + x[k]
""",
    "s2sad.runtime.take_out": """
found = {}
for k in range(4):
    found[k % 2] = np.sin(x) * x[k]
out = found[0] * found[1]
""",
    "s2sad.runtime.put_back": """
found = {}
for k in range(3):
    found[k % 3] = x * x[k]
out = x
for k in range(4):
    out = out * looked_up(found, k % 2)
    found[k % 2] = x * x[k]
out = out * looked_up(found, 0) * looked_up(found, 1)
""",
    "s2sad.runtime.add_items": """
rows = [x[0], x[1] * x[2], x[3]]
for k in range(2):
    some = rows[k:]
    some[0] = some[0] * x[k]
    rows.append(some[0] * some[1])
out = x * sum(rows)
""",
    "s2sad.runtime.add_into_items": """
rows = [x * x[0], np.sin(x)]
for k in range(3):
    rows[k % 2] *= x
out = x * np.sum(np.concatenate(list(rows)) ** 2)
""",
}


# Derivatives, most of the second order, that were silently wrong, refused, or crashed.
MENDED = {
    "a dict of constant keys whose adjoint is read under computed ones": """
found = {}
for k in range(4):
    found[k % 2] = np.sin(x) * x[k]
    out = x * x[k]
out = out * found[0] * found[1]
""",
    "a dict that nothing but a helper of the adjoint program puts into": """
found = {}
for k in range(2):
    found[k] = x * x[k]
out = x
for k in range(2):
    out = out * looked_up(found, k)
    found[k] = x * x[k]
""",
    "arrays in a dict that are written and replaced": """
found = {0: x * x, 1: np.cos(x)}
for k in range(3):
    found[k % 2] *= x[k]
    found[1 - k % 2] = found[k % 2] * found[k % 2]
out = found[0] * found[1]
""",
    "a dict that a helper and the program read, whose adjoints are added up": """
found = {}
for k in range(2):
    found[k] = x * x[k]
out = looked_up(found, 1) * x + found[0]
""",
    "a list that is joined and then becomes longer": """
rows = [np.sin(x), x * x[0]]
out = np.sum(np.concatenate(rows) ** 2) * x
for k in range(2):
    rows.append(x * x)
out = out + rows[0]
""",
    "a short list of arrays that is written and joined": """
rows = [x * x[0], np.sin(x)]
rows[0] *= x
out = x * np.sum(np.concatenate(rows) ** 2)
""",
    "records of lists of several lengths, some of them empty": """
records = []
for k in range(2):
    records.append((k, []))
for k in range(2):
    records.append((k, [(k, x * k), (1, np.sin(x))]))
records.append((2, [(2, x * x)]))
out = x
for n, terms in records:
    for i, w in terms:
        out = out + w * w * (i + n)
""",
    "tuples beside None in a list": """
rows = [(0, None)]
rows.append((1, (x, np.sin(x))))
out = x
for k, pair in rows:
    if pair is not None:
        out = out + pair[0] * pair[1] * k
""",
    "tuples beside lists, arrays and numbers in a list": """
rows = []
for k in range(2):
    rows.append((k, [x * k, x]))
    rows.append((k, (x, np.sin(x))))
    rows.append((k, np.stack([x, x * x])))
out = x
for k, row in rows:
    out = out + row[0] * row[1] * k
""",
}


def indented(body: str) -> str:
    """A body within a block."""
    return "".join(f"    {line}\n" for line in body.strip().splitlines())


def programs(body: str) -> dict[str, str]:
    """The program of a body in each of the ways in which it is run."""
    helper = f"def part(x):\n{indented(body)}    return out\n"
    loop = f"total = np.zeros(4)\nfor t in range(2):\n    x = np.sin(x + 0.5)\n{indented(body)}    total = total + out"
    called = "total = np.zeros(4)\nfor t in range(2):\n    x = np.sin(x + 0.5)\n    total = total + part(x) * x"
    return {
        "plain": f"{PRELUDE}\ndef f(x):\n{indented(body)}    return out\n",
        "helper": f"{PRELUDE}\n{helper}\ndef f(x):\n    return part(np.cos(x)) * x[1]\n",
        "loop": f"{PRELUDE}\ndef f(x):\n{indented(loop)}    return total\n",
        "helper in a loop": f"{PRELUDE}\n{helper}\ndef f(x):\n{indented(called)}    return total\n",
    }
