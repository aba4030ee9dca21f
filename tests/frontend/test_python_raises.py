"""Programs that raise in Python: none of them has a derivative, and what Python says of it is the reason, or the exception."""

import copy
import importlib
import itertools
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import CompilerError, S2sadError, grad, hvp, jvp
from s2sad.cli import main

V = np.array([0.7, 1.3, 2.1])
TABLE = {"a": 2.0}


class Undecided:
    def __bool__(self):
        return None  # noqa: PLE0304


class Endless:
    def __len__(self):
        return None  # noqa: PLE0303


def a_slice_as_a_key(x):
    d = {"a": x}
    return d[:]


def a_slice_as_a_key_outside(x):
    return TABLE[:] * x


def a_slice_as_a_key_of_a_store(x):
    d = {}
    d[:] = x
    return x


def no_truth(x):
    return x if Undecided() else 2 * x


def no_length(x):
    return x if Endless() else 2 * x


def a_number_turned(x):
    v = 3
    v = v.T
    return x


def a_number_copied(x):
    c = x.copy()  # noqa: F841
    return x


def the_axes_of_a_number(x):
    return x * (x * 2.0).ndim


def filled_with_two(x):
    a = np.ones(3)
    a.fill(1.0, x)
    return x


def filled_with_nothing(x):
    a = np.ones(3)
    a.fill()
    return x


def truth_of_an_array(x):
    a = np.ones(3)
    if a:
        n = a  # noqa: F841
    return x


def a_sine_of_an_array(x):
    import math

    y = math.sin(np.ones(3) * x)  # noqa: F841
    return x


def a_product_of_vectors_in_place(x):
    a = np.ones(3) * x
    a @= a
    return np.sum(a)


def steps_of_zero(x):
    for _ in range(0, 3, 0):
        pass
    return x


def steps_that_are_computed(x):
    steps = range(0, 3, int(x * 0.0))  # noqa: F841 - nobody reads it
    return x * x


def less_than_nothing_chosen(x):
    return sum(a * b for a, b in itertools.combinations([x, 2.0], -1)) + x


def less_than_nothing_repeated(x):
    for _ in itertools.product([x, x], repeat=-1):
        pass
    return x


def a_negative_end(x):
    for _ in itertools.islice([x, x], -1):
        pass
    return x


def blocks_of_nothing(x):
    return np.sum(np.block([])) * x


def no_choice(x):
    return np.sum(np.select([], [])) + x


def nothing_divided(x):
    return np.sum(np.polydiv([], np.array([x, 1.0]))[0]) + x


def a_slice_looked_for(x):
    d = {1: x}
    return x if slice(None) in d else 2 * x


def a_slice_got(x):
    d = {1: x}
    return d.get(slice(1), x)


def a_slice_displayed(x):
    d = {slice(1): x}  # noqa: F841
    return x


FAIL = (
    no_choice, nothing_divided, a_slice_looked_for, a_slice_got, a_slice_displayed,
    a_slice_as_a_key, a_slice_as_a_key_outside, a_slice_as_a_key_of_a_store, no_truth, no_length, a_number_turned,
    a_number_copied, the_axes_of_a_number, filled_with_two, filled_with_nothing, truth_of_an_array, a_sine_of_an_array,
    steps_of_zero, steps_that_are_computed,
    a_product_of_vectors_in_place,
    less_than_nothing_chosen, less_than_nothing_repeated, a_negative_end, blocks_of_nothing,
)  # fmt: skip


@pytest.mark.parametrize("derive", [grad, lambda f: lambda x: jvp(f, (x,), (1.0,)), lambda f: lambda x: hvp(f, (x,), (1.0,))])
@pytest.mark.parametrize("function", FAIL)
def test_what_python_raises_has_no_derivative(function, derive):
    with pytest.raises(Exception) as plain:  # noqa: PT011
        function(0.7)
    with pytest.raises((S2sadError, type(plain.value))) as ours:
        derive(function)(0.7)
    assert not isinstance(ours.value, CompilerError)
    assert str(plain.value) in str(ours.value) or "numbers" in str(ours.value)


NO_HASH = (
    "return x if [1] in {1: x} else 2 * x", "return {1: x}.get([1], x)", "d = {[1]: 2}\n    return x",
    "d = {1: 2}\n    d[[1]] = x\n    return x", "d = {1: x}\n    return d[[1]]", "d = {1: x}\n    del d[[1]]\n    return x",
    "return {1: x}.pop([1], x)", "return {1: x}.setdefault([1], x)", "return x if [1] in {1, 2} else 2 * x",
    "return x if {} in {1: 2} else 2 * x", "return x if (1, [2]) in {1: 2} else 2 * x",
    "d = {}\n    for k in range(3):\n        d[k, [k]] = x\n    return x", "d = dict([([1], x)])\n    return x",
    "d = {}\n    for k in range(3):\n        d[k] = x\n    return d.get([k], x)", "d = dict.fromkeys([[1]], x)\n    return x",
    "d = {[k]: x for k in range(2)}\n    return x", "s = set()\n    s.add([1])\n    return x",
    "s = set([[1], [2]])\n    return x",
)  # fmt: skip


@pytest.mark.parametrize("derive", [grad, lambda f: lambda x: jvp(f, (x,), (1.0,)), lambda f: lambda x: hvp(f, (x,), (1.0,))])
@pytest.mark.parametrize("body", NO_HASH)
def test_what_has_no_hash_is_no_key(tmp_path, monkeypatch, body, derive):
    (tmp_path / "keys_without_hash.py").write_text(f"def f(x):\n    {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        function = importlib.import_module("keys_without_hash").f
        with pytest.raises(TypeError, match="unhashable"):
            function(0.7)
        with pytest.raises((S2sadError, TypeError), match="hash") as ours:
            derive(function)(0.7)
        assert not isinstance(ours.value, CompilerError)
    finally:
        sys.modules.pop("keys_without_hash", None)


DONE = []


def a_loop_that_fails(a, n):
    for t in range(n):
        DONE.append(t)
        len(None)
    return np.sum(a * a)


def a_loop_in_place_that_fails(a, n):
    for t in range(1, n + 1):
        a[0] = 2.0 * t
        None.missing
    return np.sum(a * a)


def a_while_loop_that_fails(a, n):
    t = 0
    while t < n:
        DONE.append(t)
        {}["key"]
        t += 1
    return np.sum(a * a)


def a_loop_in_a_loop_that_fails(a, n):
    s = 0.0
    for t in range(n):
        s += np.sum(a)
        for _ in range(2):
            DONE.append(t)
            None + 1
    return np.sum(a * a) + s


DERIVATIVES = {
    "grad": lambda f, a, n: grad(f)(a, n),
    "jvp": lambda f, a, n: jvp(f, (a, n), (np.ones(3), None))[1] / np.sum(V) * V,
    "hvp": lambda f, a, n: hvp(f, (a, n), (a, None))[1][0],
}


@pytest.mark.parametrize("derive", DERIVATIVES)
@pytest.mark.parametrize(
    "function", [a_loop_that_fails, a_loop_in_place_that_fails, a_while_loop_that_fails, a_loop_in_a_loop_that_fails]
)
def test_a_loop_that_is_known_to_fail_fails_where_it_runs(function, derive):
    for n in (-1, 0):
        assert DERIVATIVES[derive](function, V, n) == pytest.approx(2 * V)
    DONE.clear()
    with pytest.raises(Exception) as plain:  # noqa: PT011
        function(V.copy(), 2)
    before = DONE.copy()
    DONE.clear()
    with pytest.raises(type(plain.value)) as ours:
        DERIVATIVES[derive](function, V, 2)
    assert str(ours.value) == str(plain.value)
    assert before == DONE


def test_a_set_counts_repeats():
    assert grad(lambda x: np.sum(np.tile(x, {2})))(V) == pytest.approx(2.0)
    assert grad(lambda x: np.sum(np.tile(x, {2}) ** 2))(V) == pytest.approx(4 * V)


def test_nothing_counted():
    with pytest.raises(S2sadError, match="counts integers") as ours:
        grad(lambda x: np.sum(np.bincount([], x)))(V)
    assert not isinstance(ours.value, CompilerError)


class Permissive:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return 1.0


def test_a_copy_asks_getattr():
    for way in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="callable"):
            way(Permissive(0.7))
        with pytest.raises(S2sadError, match="__getattr__"):
            grad(lambda x, way=way: way(Permissive(x)).v)(0.7)


class Delegate:
    def __init__(self, v):
        self.inner = {"a": v}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.inner[name]


class Bottomless(Delegate):
    def __getattr__(self, name):
        return self.inner[name]


def test_a_copy_that_getattr_lets_be():
    def changed(x, way):
        made = Delegate(x)
        other = way(made)
        other.inner["a"] = x**3
        return other.a * made.a

    for way, slope in ((copy.copy, 6 * 0.7**5), (copy.deepcopy, 4 * 0.7**3)):
        assert grad(lambda x, way=way: changed(x, way))(0.7) == pytest.approx(slope)
        with pytest.raises((RecursionError, KeyError)):
            way(Bottomless(0.7))
        with pytest.raises((RecursionError, KeyError, S2sadError)):
            grad(lambda x, way=way: way(Bottomless(x)).a)(0.7)


def test_a_number_of_numpy_has_the_attributes_of_arrays():
    assert grad(lambda x: x * x.T + x.ndim + x.copy())(np.float64(0.7)) == pytest.approx(2.4)


CACHE, HISTORY = {}, []


def tuples_as_keys_of_a_cache(a, b):
    for k in range(3):
        key = (k, "sq")
        if key not in CACHE:
            CACHE[key] = k**2
        HISTORY.append(CACHE[key])
    return a * b * CACHE[2, "sq"]


@pytest.mark.parametrize("filled", [{}, {(1, "sq"): 1}])
def test_a_cache_by_tuples_that_a_list_reads(filled):
    for derive in (grad(tuples_as_keys_of_a_cache), lambda a, b: jvp(tuples_as_keys_of_a_cache, (a, b), (1.0, 0.0))[1]):
        CACHE.clear()
        CACHE.update(filled)
        HISTORY.clear()
        assert derive(0.7, 1.3) == pytest.approx(5.2)
        assert {(0, "sq"): 0, (1, "sq"): 1, (2, "sq"): 4} == CACHE
        assert HISTORY == [0, 1, 4]


@pytest.mark.parametrize("name", ["01_model", "a-model", "class"])
def test_modules_that_no_statement_imports(tmp_path, monkeypatch, name):
    text = "G = 2.0\ndef f(a, b):\n    global G\n    G = G * a\n    return G * b\n"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        module = importlib.import_module(name)
        assert grad(module.f)(0.7, 1.3) == pytest.approx(2.6)
        assert pytest.approx(1.4) == module.G
    finally:
        sys.modules.pop(name, None)


def a_key_in_a_branch(x, n):
    table = {"a": x}
    try:
        if n == 3:
            try:
                x = x * x
                x = x + table["b"]
            except KeyError:
                pass
        x = x * 2
    except KeyError:
        x = x * 3
    return x


class Plain:
    pass


def an_attribute_in_a_loop(x, n):
    o = Plain()
    for _ in range(n):
        try:
            try:
                x = x * 1.5
                x = x + o.no_such
            except AttributeError:
                x = x + 1
            x = x * 2
        except AttributeError:
            x = x * 30
    return x


def a_misfit_that_the_outer_handler_does_not_catch(x, n):
    try:
        if n == 3:
            try:
                x = x * x
                _, _ = (x, x, x)
            except ValueError:
                x = x + 1
        x = x * 2
    except IndexError:
        x = x * 30
    return x


def done_before_a_failure_that_the_outer_handler_catches(x, n):
    table = {"a": x}
    try:
        if n == 3:
            try:
                x = x * 2
                x = x + table["b"]
            except IndexError:
                x = x * 3
        x = x * 5
    except KeyError:
        x = x * 1.2
    return x


CAUGHT = [
    a_key_in_a_branch, an_attribute_in_a_loop, a_misfit_that_the_outer_handler_does_not_catch,
    done_before_a_failure_that_the_outer_handler_catches,
]  # fmt: skip


@pytest.mark.parametrize("x", [0.7, np.array([0.5, 1.2])])
@pytest.mark.parametrize("function", CAUGHT)
def test_what_an_inner_handler_catches_is_not_left_to_an_outer_one(function, x):
    def total(x):
        return np.sum(function(x, 3))

    slope = (total(x + 1e-6) - total(x - 1e-6)) / 2e-6
    for derive in (lambda: np.sum(grad(total)(x)), lambda: jvp(total, (x,), (x * 0 + 1,))[1]):
        try:
            assert derive() == pytest.approx(slope, rel=1e-6)
        except S2sadError as refused:
            assert not isinstance(refused, CompilerError)


def parts_of_what_is_not_known(x):
    if x > 9.0:
        b = np.zeros(3)
        b += np.modf(x * None)[0]  # whose dtype would be asked for all that a number may be
        return np.sum(b)
    return x * x


def test_what_numpy_has_no_result_for_is_no_mistake_where_nobody_comes_to_it(tmp_path):
    assert grad(parts_of_what_is_not_known)(0.7) == pytest.approx(1.4)
    with pytest.raises((S2sadError, TypeError)) as ours:
        grad(parts_of_what_is_not_known)(9.5)
    assert not isinstance(ours.value, CompilerError)
    (tmp_path / "parts.py").write_text(
        "import numpy as np\ndef f(x, w):\n    y = x * np.modf(w)[0]\n    y += x\n    return np.sum(y)\n"
    )
    assert CliRunner().invoke(main, ["transform", str(tmp_path / "parts.py"), "-o", str(tmp_path)]).exit_code == 0
