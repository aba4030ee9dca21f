"""Calls that Python or NumPy refuse for an option, a type, a place: none of them has a derivative, in either mode and order."""

import importlib
import sys

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, grad, hvp, jvp

V = np.array([0.7, 1.3, 2.1])
DERIVATIVES = (
    lambda f: jvp(f, (V,), (np.ones(3),)),
    lambda f: grad(f)(V),
    lambda f: hvp(f, (V,), (np.ones(3),)),
)
# Whose value is read: each is multiplied by a number that has a derivative.
VALUES = (
    # options that the function has not
    "np.roll(a, 1, dtype=float)", "np.roll(a, 1, where=True)", "np.roll(a, 1, out=a)", "np.zeros(3, where=True)",
    "np.ones(3, where=True)", "np.diff(a, dtype=float)", "np.outer(a, a, where=True)", "np.dot(a, a, where=True)",
    "np.dot(a, a, dtype=float)", "np.reshape(a, (3, 1), dtype=float)", "np.concatenate([a, a], where=True)",
    "np.where(a > 1, a, a, out=a)", "np.where(a > 1, a, a, dtype=float)", "np.linalg.norm(a, dtype=float)",
    "a.max(dtype=float)", "a.min(0, dtype=float)",
    "np.linalg.norm(a, where=True)", "np.max(a, dtype=float)", "np.sort(a, out=None)", "a.ravel(where=True)", "a.copy(out=None)",
    # types that a ufunc has no loop for, or does not cast to
    "np.sin(a, casting='bogus')", "np.add(a, np.arange(3), casting='no')", "np.add(a, 1, dtype=int)", "np.add(a, a, dtype=int)",
    "np.sin(a, dtype=int)", "np.sin(a, dtype=bool)", "np.greater(a, a, dtype=float)", "np.maximum(a, a, dtype=bool)",
    "np.real(np.sqrt(a + 0j, dtype=float))", "np.abs(a, dtype=complex).real",
    # results that do not go where they should
    "np.add(a, a, out=np.zeros(3, dtype=int))", "np.sin(a + 0j, out=np.zeros(3))", "np.dot(a, a, out=np.zeros((), dtype=int))",
    "np.clip(a, 0, 1, out=np.zeros(3, dtype=int))", "np.round(a, out=np.zeros(3, dtype=int))", "np.add(a, a, out=np.zeros(4))",
    "np.concatenate([a, a], out=np.zeros(6, dtype=int))", "np.add(a, a, out=[0.0, 0.0, 0.0])", "np.sum(a, out=np.zeros(3))",
    "np.add(a, a, out=(np.zeros(3), np.zeros(3)))", "np.sin(a, ())", "np.add(a, a, out=1.0)",
    # others
    "np.meshgrid(a, a, indexing='bogus')[0]", "np.diff(a, n=1.0)", "a.item()", "np.outer(a, a).item()",
    "sum(k * v for k, v in enumerate(a, np.array([2.0])))",
    "np.outer(a, a).item(-10)", "PAIR[2]", "PAIR[-3]", "len('abc'[::0])", "(a, a)[::0]",
    "np.finfo(int).eps", "np.finfo('abc').eps", "np.vectorize(lambda v: v * v)(a[a > 9])", "SQUARES(a[:0])",
)  # fmt: skip
# What nobody reads.
STATEMENTS = (
    "copy.copy(a, dtype=float)", "copy.deepcopy(y=a)", "(lambda **k: 1.0)(**{0: a})", "sorted([1, 'a'])",
    "functools.partial(3)", "collections.defaultdict(3)", "np.where(a > 1, a)", "np.where(a > 1, y=a)",
    "np.asarray(a).item()", "for k in range(2): a.item()", "_ = a[::0]", "_ = a[::len(a) - 3]", "_ = a['x':]", "_ = a[0.5:]",
    "_ = a[a:]", "_ = list(a)[::0]", "_ = a[slice(0, 3, 0)]", "_ = np.sqrt(a[0] + 0j, dtype=float)",
    "z = np.zeros(4); z[...] = a + a", "b = np.arange(3); np.add(b, a, out=b)",
    "s = {1}; s.add(3, axis=0)", "s = {1}; s.discard(3, x=0)", "s = {1}; s.remove(1, x=1)", "s = {1}; s.update([3], x=1)",
    "s = {1}; s.union([3], x=1)", "s = {1}; s.add()", "s = {1}; s.add(1, 2)",
    "zip(a, a[0])", "enumerate(1.0)", "filter(None, a[0])", "map(abs, 2)", "zip(None)", "isinstance(a, 1)",
    "isinstance(a, (float, None))", "a.missing", "for k in range(2): a.missing", "s = a[0] * 2; s.missing",
    "_ = float(a[0]).missing", "enumerate(a, a[0])", "enumerate(a, 2.0)",
    "np.T", "np.T.T", "np.sin.T", "len.T", "_ = not a", "complex(a[0], 1.0) < 1.0",
    "d = {'a': a}; d.values(1)",
    "d = collections.OrderedDict(a=a); d.values(1)", "collections.defaultdict(list).values(out=None)",
    "[a].shape", "'abc'.missing", "_ = (a, a).missing", "{'a': a}.missing", "s = [a[0]]; s.append(a[1]); s.missing",
    "b = a.copy(); np.copyto(b, a * 1j)", "b = np.arange(3); np.copyto(b, a)", "b = np.arange(3); np.copyto(b, 1.5)",
    "b = a.copy(); np.put(b, [0], 1.0, mode='bogus')", "b = a.copy(); np.add.at(a=b, indices=[0], b=1.0)",
    "b = a.copy(); np.add.at(b, [0], b=1.0)",
)  # fmt: skip
IMPORTS = "import collections, copy, functools\nimport numpy as np\n"
PROGRAMS = [f"return np.sum({value} * a[0])" for value in VALUES]
PROGRAMS += [f"{statement}\n    return np.sum(a * a)" for statement in STATEMENTS]


def made(tmp_path, monkeypatch, name, body):
    """The function of a module with this body."""
    outside = "PAIR = (1.0, 2.0)\nSQUARES = np.vectorize(lambda v: v * v)\n"
    (tmp_path / f"{name}.py").write_text(f"{IMPORTS}{outside}def f(a):\n    {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name).f
    finally:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("body", PROGRAMS, ids=[*VALUES, *STATEMENTS])
def test_what_numpy_or_python_refuse_has_no_derivative(tmp_path, monkeypatch, body):
    function = made(tmp_path, monkeypatch, "refused_by_numpy", body)
    with pytest.raises((TypeError, ValueError, IndexError, AttributeError)) as plain:
        function(V)
    for derive in DERIVATIVES:
        with pytest.raises((S2sadError, type(plain.value))) as ours:
            derive(function)
        assert not isinstance(ours.value, CompilerError)


FITTING = (
    "a.sum(where=True)", "np.add(a, 1, dtype=float)", "np.sin(a, casting='no')", "np.sum(a, dtype=int)",
    "np.sin(a, dtype=complex).real", "np.sum(a, out=np.zeros(()))", "np.cumsum(a, out=np.zeros(3))",
    "np.mean(a, out=np.zeros(()))", "np.add(a, a, out=np.zeros((2, 3)))",
    "np.add(a[0], a[1], out=np.zeros(3))", "np.add(a, a, dtype=None)", "np.add(a, a, out=(np.zeros(3),))",
    "np.negative(a, dtype=float)", "a[:1].item()", "a[1:2, None].item()", "np.outer(a, a).item(-1)",
    "np.outer(a, a).item(4)", "a.item(-2)", "a[:2][::len(a) - 1]", "np.outer(a, a).item(len(a) - 4)",
    "np.add(a, 1, casting='unsafe', dtype=float)", "np.sum(np.vectorize(lambda v: v * v, otypes=[float])(a[a > 9]))",
)  # fmt: skip


@pytest.mark.parametrize("value", FITTING)
def test_what_fits_has_a_derivative(tmp_path, monkeypatch, value):
    f = made(tmp_path, monkeypatch, "taken_by_numpy", f"return np.sum({value} * a[0] * a)")
    d, h = np.array([0.3, -0.4, 0.9]), 1e-5
    first, second = (f(V + h * d) - f(V - h * d)) / (2 * h), (grad(f)(V + h * d) - grad(f)(V - h * d)) / (2 * h)
    assert jvp(f, (V,), (d,)) == (pytest.approx(f(V)), pytest.approx(first))
    assert grad(f)(V) @ d == pytest.approx(first)
    np.testing.assert_allclose(hvp(f, (V,), (d,))[1], second, rtol=1e-6, atol=1e-8)
