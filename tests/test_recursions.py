"""Recursive programs: both modes and four mode pairs, alone, in a helper, in a helper in a loop, as modules of the command line.

By default each program is examined in one of these, in one mode and one pair; ``-m deep`` does it with all. ``REFUSED`` says what
is refused, by words, and nothing else is.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from memory_programs import written
from mode_pairs import MODES, check, check_pair, derivative, directions, distance, load, slopes
from recursion_programs import OVER, PROGRAMS, REFUSED, VALUES, WRITTEN
from test_memory_programs import on_the_command_line, refused_on_the_command_line
from thinning import thinned

from s2sad import AliasError, CompilerError, S2sadError, grad, hvp, jacfwd, jacrev, jvp
from s2sad.runtime import SharedMemoryError

X = np.array([0.31, 0.52, 0.83, 0.24, 1.15, 0.76])
PAIRS = list(itertools.product(MODES, MODES))
SURROUNDINGS = ("", "helper", "loop", "cli")
NAMES = [(family, name) for family, table in PROGRAMS.items() for name in table]
PLACES = [
    (family, name, around)
    for family, name in NAMES
    for around in SURROUNDINGS
    if around != "cli" or "class " not in PROGRAMS[family][name]
]
QUICK = [(*NAMES[k], ("", "helper", "", "loop")[k % 4], PAIRS[k // 4 % 4]) for k in range(0, len(NAMES), 9)]
LIVE = {
    "hvp fwd": lambda f, x, d: hvp(f, (x,), (d,), mode="fwd")[1],
    "hvp rev": lambda f, x, d: hvp(f, (x,), (d,), mode="rev")[1],
    "jacfwd of grad": lambda f, x, d: jacfwd(grad(f))(x) @ d,
    "jacrev of grad": lambda f, x, d: d @ jacrev(grad(f))(x),
    "grad of jvp": lambda f, x, d: grad(lambda v: jvp(f, (v,), (d,))[1])(x),
    "grad of grad": lambda f, x, d: grad(lambda v: np.sum(grad(f)(v) * d))(x),
}


def examine(family: str, name: str, around: str, modes: tuple[str, ...], pairs: list[tuple[str, str]], folder: Path) -> None:
    body, refused = PROGRAMS[family][name], REFUSED.get(name, ())
    if around == "cli":
        (refused_on_the_command_line if {"adjoint", WRITTEN} & {*refused} else on_the_command_line)(body, folder)
        return
    function = load(written(body, around))
    for mode in modes:
        with unless(mode in refused):
            check(function, (X,), mode)
    for outer, inner in pairs:
        over = inner == "adjoint" and OVER in refused
        with unless(over or (outer, inner) in refused or inner in refused or outer in refused):
            check_pair(function, (X,), outer, inner)


@contextmanager
def unless(refused: bool) -> Iterator[None]:
    """Do what is not refused; assert of what is that it is, by one of our errors that is no mistake of ours."""
    if not refused:
        yield
        return
    with pytest.raises((S2sadError, SharedMemoryError)) as caught:
        yield
    assert not isinstance(caught.value, CompilerError), caught.value


def examine_live(family: str, name: str, how: str) -> None:
    function = load(written(PROGRAMS[family][name]))
    (along,) = directions((X,))
    try:
        found = LIVE[how](function, X.copy(), along)
        expected = slopes(lambda v: grad(function)(v), (X,), (along,))
    except (S2sadError, SharedMemoryError):
        return
    assert distance(found, expected) < 2e-4, f"{how}: {found}, differences: {expected[0]}"


@pytest.mark.parametrize(("family", "name", "around", "pair"), QUICK)
def test_right_in_one_surrounding(family: str, name: str, around: str, pair: tuple[str, str], tmp_path: Path) -> None:
    examine(family, name, around, pair[:1], [pair], tmp_path)


@pytest.mark.parametrize(
    ("family", "name"),
    [("values", n) for n in ("fibonacci", "by turns", "fft")] + [("memory", n) for n in ("lu in place", "transposed")],
)
def test_right_in_all_pairs(family: str, name: str, tmp_path: Path) -> None:
    assert name not in REFUSED
    examine(family, name, "", MODES, PAIRS, tmp_path)


AGAIN = [
    "a scan that multiplies", "butterflies", "out",  # what is overwritten is a variable, not on a tape
    "a loop in it", "a list of numbers", "cholesky in place",  # tapes of loops
    "lists of arrays", "a list of windows", "its own buffers swapped",  # shadows that travel
    "halves", "karatsuba",  # what else a reverse part is given that is the same memory
    "blocks",  # one array as two arguments
    "quicksort", "strassen", "three by turns",  # tuples that may be None
]  # fmt: skip


@pytest.mark.parametrize(("name", "outer"), thinned(itertools.product(AGAIN, MODES), 3, "-".join))
def test_adjoints_of_recursions_are_differentiated_again(name: str, outer: str) -> None:
    assert name not in REFUSED
    (body,) = (table[name] for table in PROGRAMS.values() if name in table)
    check_pair(load(written(body)), (X,), outer, "adjoint")


UNREAD = """
def scan(v, k):
    if k < len(v):
        v[k] += {added}
        scan(v, k + 1)
===
v = x * 1.0
scan(v, 1)
return np.sum(v**2)"""


@pytest.mark.parametrize(("added", "handed"), [("0.5", False), ("np.sin(v[k - 1])", True)])
def test_reverse_parts_get_buffers_in_place_of_tapes_that_hold_them(added: str, handed: bool) -> None:
    function = load(written(UNREAD.format(added=added).strip()))
    text = inspect.getsource(derivative(function, (X,), "adjoint")[0].__globals__["scan_reverse"])
    assert ("def scan_reverse(tape, v_bar, v):" in text) == handed


@pytest.mark.parametrize(
    ("family", "name"), [("values", "horner by slices"), ("memory", "lu in place"), ("values", "minors of lists")]
)
def test_right_on_the_command_line(family: str, name: str, tmp_path: Path) -> None:
    examine(family, name, "cli", (), [], tmp_path)


@pytest.mark.parametrize(
    ("family", "name", "how"),
    [pytest.param(*NAMES[k], [*LIVE][k % 6], marks=[] if k % 24 == 1 else pytest.mark.deep) for k in range(len(NAMES))],
)
def test_never_wrong_where_derivatives_are_nested(family: str, name: str, how: str) -> None:
    examine_live(family, name, how)


@pytest.mark.deep
@pytest.mark.parametrize(("family", "name", "around"), PLACES)
def test_right_in_all(family: str, name: str, around: str, tmp_path: Path) -> None:
    examine(family, name, around, MODES, PAIRS, tmp_path)


def test_there_are_sixty_programs_and_more() -> None:
    assert len(NAMES) >= 60 and {*REFUSED} <= {name for _, name in NAMES}


NONE_IN_A_TUPLE = """
def chain(u, w, n):
    if n == 0:
        return u, (None, None, u)
    v, rest = chain(np.sin(u), w, n - 1)
    return u * v, (rest, w if n % 2 else None, v)


def total(rest, n):
    above, w, v = rest
    s = v * v
    if w is not None:
        s = s + w[0] * v
    if above is not None:
        s = s + 0.5 * total(above, n - 1)
    return s
===
v, rest = chain(x[0], x[1:], int(x[2] * 5))
return v * total(rest, int(x[2] * 5))"""


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_what_may_be_none_in_such_tuples_is_tested_as_the_program_runs(outer: str, inner: str) -> None:
    function = load(written(NONE_IN_A_TUPLE.strip()))
    try:
        for mode in MODES:
            check(function, (X,), mode)
        check_pair(function, (X,), outer, inner)
    except S2sadError:
        pass  # never wrong


QUESTIONS = {
    "isinstance": "isinstance(w, np.ndarray)",
    "isinstance of several": "isinstance(w, (float, list, tuple, np.ndarray))",
    "isinstance of None": "isinstance(w, type(None))", "type": "type(w) is type(None)",
    "is None": "w is None", "== None": "w == None",
    "callable": "callable(w)", "not": "not w", "or": "w is None or callable(w) or np.sum(w) > 0.6",
    "a helper": "(lambda v: v is None)(w)",
    "ndim": "np.ndim(w) == 1", "shape": "np.shape(w) == ()", "isscalar": "np.isscalar(w)",
}  # fmt: skip
ITEMS = {
    "array": "w * 1.0", "number": "w[0]", "count": "n", "list": "[w[0], 2.0]", "tuple": "(w[0], 1.0)", "empty": "[]",
    "function": "np.sin",
}  # fmt: skip
ASKED = """
def chain(u, w, n):
    if n == 0:
        return u, (None, None, u)
    v, rest = chain(np.sin(u), w, n - 1)
    return u * v, (rest, {item} if n % 2 else None, v)


def total(rest, n):
    above, w, v = rest
    s = v * v
    if {question}:
        s = s + 1.7 * v
    if above is not None:
        s = s + 0.5 * total(above, n - 1)
    return s
===
v, rest = chain(x[0], x[1:2], int(x[2] * 5))
return v * total(rest, int(x[2] * 5))"""
REFUSED_QUESTIONS = ("ndim", "shape", "isscalar")


@pytest.mark.parametrize(("question", "item"), thinned(itertools.product(QUESTIONS, ITEMS), 3, "-".join))
def test_what_is_asked_of_items_that_may_be_none_is_answered_as_the_program_runs(question: str, item: str) -> None:
    function = load(written(ASKED.strip().format(item=ITEMS[item], question=QUESTIONS[question])))
    try:
        for mode in MODES:
            check(function, (X,), mode)
    except S2sadError:
        assert question in REFUSED_QUESTIONS or (question, item) == ("type", "function") or item in ("list", "tuple", "empty")


@pytest.mark.parametrize("returned", ["rest", "(v, rest)", "[rest]", "{'a': rest}", "v * len(str(rest))", "v * (rest == rest)"])
def test_nobody_sees_how_such_tuples_are_laid_out(returned: str) -> None:
    head, _, _ = ASKED.strip().format(item=ITEMS["tuple"], question="w is None").partition("===")
    function = load(written(f"{head}===\nv, rest = chain(x[0], x[1:2], int(x[2] * 5))\nreturn {returned}"))
    with pytest.raises(S2sadError):
        jvp(function, (X,), (X,))


def test_refusals_name_the_function_of_the_user_and_the_line() -> None:
    function = load(written(VALUES["mergesort of lists"]))
    with pytest.raises(S2sadError) as caught:
        grad(lambda v: np.sum(grad(function)(v)))(X)
    assert "what is recorded in sort" in caught.value.message
    assert "_forward" not in str(caught.value) and "tape" not in str(caught.value)
    assert caught.value.location is not None and "sort([u * u for u in x])" in caught.value.location.source_line()


def test_recursions_that_overwrite_windows_have_gradients_of_gradients_in_loops() -> None:
    body = (
        "def sweep(a, n):\n    if n == 0 or len(a) < 2:\n        return a[0]\n    a[0] = np.sin(a[-1]) * 0.5 + a[0] * 0.3\n"
        "    return sweep(a[1:], n - 1) + a[1]\n===\nc = 0.3\nfor i in range(2):\n    c = sweep(x, 3)\nreturn c * c"
    )
    function = load(written(body))
    (along,) = directions((X,))
    found = grad(lambda v: np.sum(grad(function)(v) * along))(X)
    assert distance(found, slopes(lambda v: grad(function)(v), (X,), (along,))) < 2e-4


def test_what_is_recorded_goes_by_the_name_of_the_function() -> None:
    body = (
        "def rows(m):\n    a = [row[:] for row in m]\n    for i in range(2):\n"
        "        d = a[i][i]\n        a[i] = [v / d for v in a[i]]\n"
        "        for j in range(2):\n            if j != i:\n                f = a[j][i]\n"
        "                a[j] = [vj - f * vi for vi, vj in zip(a[i], a[j])]\n    return a\n===\n"
        "m = [[x[0], x[1]], [x[2], x[3]]]\nr = rows(m)\nreturn sum(sum(q) for q in r)"
    )
    function = load(written(body))
    try:
        jvp(grad(function), (X,), (X,))
    except S2sadError as error:
        assert "_tape" not in error.message and error.location is not None


def test_the_truth_of_what_may_be_none_is_that_of_what_it_is() -> None:
    for item in ("[u for u in x if u > 5.0]", "()", "[u for u in x if u > 0.5]", "(x[0],)"):
        body = (
            f"w = None\nif x[0] > 0.1:\n    w = {item}\ns = x[1]\nif w:\n    s = s * x[2]\n"
            "if not w:\n    s = s * x[3]\nreturn s * (x[4] if w and x[0] > 0.2 else 1.0)"
        )
        function = load(written(body))
        for mode in MODES:
            check(function, (X,), mode)


FILLED = """
def go(u, n):
    if n == 0:
        return []
    rest = go(u * 0.5, n - 1)
    made = []
    for i in range(len(rest)):
        made.append(rest[i] * u[0])
    out = [u * n]
    for i in range(len(made)):
        out.append(made[i])
    return out
===
r = go(x, int(x[1] * 8))
return np.sum(r[0] * r[-1]) + r[1][2]"""


@pytest.mark.parametrize("outer", MODES)
def test_what_shadows_are_made_for_is_not_made_again_without_what_fills_it(outer: str) -> None:
    function = load(written(FILLED.strip()))
    for mode in MODES:
        check(function, (X,), mode)
    check_pair(function, (X,), outer, "adjoint")


def test_tapes_hold_no_shadows_that_travel() -> None:
    function = load(written(VALUES["lists of arrays"]))
    text = inspect.getsource(derivative(function, (X,), "adjoint")[0].__globals__["rows_forward"])
    assert "_bar" not in text and "zeros" not in text


def test_swapped_buffers_that_cannot_be_followed_are_refused_at_a_place() -> None:
    body = (
        "def go(a, b, n):\n    if n == 0:\n        return a[0] * b[1]\n    for k in range(n):\n        a, b = b, a\n"
        "        a[k] = a[k] * b[0]\n    return go(a, b, n - 1)\n===\n"
        "return go([u * u for u in x], [u for u in x], int(x[1] * 6))"
    )
    with pytest.raises(AliasError, match="which buffer a refers to") as caught:
        check(load(written(body)), (X,), "adjoint")
    assert caught.value.location is not None


def test_records_that_are_reversed_again_are_refused_by_what_they_are() -> None:
    program = load(written(
        "seen = {}\ndef go(i, j):\n    if (i, j) in seen:\n        return seen[i, j]\n"
        "    if i == j:\n        r = 0.0\n    else:\n"
        "        r = sum(go(i, k) + go(k + 1, j) + x[i] * x[k + 1] for k in range(i, j))\n"
        "    seen[i, j] = r\n    return r\nreturn go(0, len(x) - 3) + seen[1, 2] ** 2"
    ))  # fmt: skip
    v = directions((X,))[0]
    _, expected = hvp(program, (X,), (v,))
    assert np.allclose(jvp(grad(program), (X,), (v,))[1], expected)
    with pytest.raises(AliasError, match="what is recorded in f shares memory") as caught:
        grad(lambda x: np.sum(grad(program)(x) * v))(X)
    assert "jvp of grad" in str(caught.value)


# Lists of which only the run tells which they are, resized by a recursive function: their shadows stayed as they were.
RESIZED = {
    "pop": (
        "def take(xs, n):\n    if n == 0:\n        return 0.0\n    t = xs.pop()\n    return t * t + take(xs, n - 1)\n===\n"
        "xs = [u * u for u in x]\nys = [u * 2.0 for u in x]\nzs = xs if x[0] > 0.2 else ys\n"
        "r = take(zs, int(x[1] * 6))\n"
        "return r * zs[0] + sum([(k + 1) * z * z for k, z in enumerate(zs)]) + xs[1]"
    ),
    "append": (
        "def take(xs, n):\n    if n > 0:\n        xs.append(xs[-1] * xs[0])\n        take(xs, n - 1)\n===\n"
        "xs = [u * u for u in x]\nys = [u * 2.0 for u in x]\nzs = xs if x[0] > 0.2 else ys\n"
        "take(zs, int(x[1] * 6))\n"
        "return zs[0] + sum([(k + 1) * z * z for k, z in enumerate(zs)]) + xs[1]"
    ),
    "kept": (
        "def take(xs, n):\n    if n == 0:\n        return 0.0\n    t = xs.pop()\n    return t * t + take(xs, n - 1)\n===\n"
        "all = []\nr = 0.0\nfor k in range(2):\n    xs = [u * (k + 1) for u in x]\n"
        "    r += take(xs, int(x[1] * 4) + k)\n    all.append(xs)\nfor xs in all:\n"
        "    for j, z in enumerate(xs):\n        r += z * z * (j + 1)\nreturn r"
    ),
}


@pytest.mark.parametrize("name", RESIZED)
def test_lists_with_shadows_of_their_own_are_not_made_longer_or_shorter_by_recursions(name: str) -> None:
    function = load(written(RESIZED[name]))
    check(function, (X,), "tangent")
    with pytest.raises(AliasError, match="longer or shorter"):
        check(function, (X,), "adjoint")


# The same where such lists are given, and only lists that the function has made itself are made longer or shorter.
MADE = (
    "def go(m, n):\n    if n == 0:\n        return m[0][0] * m[1][1]\n    rows = []\n    for r in m:\n        row = []\n"
    "        for u in r:\n            if u > 0.1:\n                row.append(u * m[0][0])\n        row.append(r[0])\n"
    "        rows.append(row)\n    rows.pop()\n    return go(rows, n - 1) * m[1][0]\n===\n"
    "m = [[u * u, u] for u in x]\nk = [[u, u * 2.0] for u in x]\nzs = m if x[0] > 0.2 else k\n"
    "r = go(zs, int(x[1] * 5))\nreturn r * zs[0][1] + zs[0][0] * zs[2][0]"
)


@pytest.mark.parametrize("around", ["", "helper"])
@pytest.mark.parametrize("mode", MODES)
def test_lists_that_a_recursion_has_made_may_become_longer_and_shorter(mode: str, around: str) -> None:
    check(load(written(MADE, around)), (X,), mode)
