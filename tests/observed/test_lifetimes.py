"""What is kept for a function is freed with it, and what is kept for many is bounded."""

from __future__ import annotations

import copy
import functools
import gc
import linecache
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import api, cache, derivatives, differentiate, grad, hessian, jacobian, jvp, vjp, vmap
from s2sad.frontend import source


def made(k: float) -> Callable[[float], float]:
    def cube(x):
        return k * x**3

    return cube


USES: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(2.0),
    "jvp": lambda f: jvp(f, (2.0,), (1.0,)),
    "vjp": lambda f: vjp(f, 2.0)[1](1.0),
    "jacobian": lambda f: jacobian(f)(2.0),
    "hessian": lambda f: hessian(f)(2.0),
    "twice": lambda f: grad(grad(f))(2.0),
    "decorated": lambda f: differentiate(f).jacobian(2.0),
    "mapped": lambda f: vmap(grad(f))(np.arange(3.0)),
}


@pytest.mark.parametrize("use", USES)
def test_functions_made_in_a_loop_are_freed(use: str) -> None:
    alive = []
    before = None
    for k in range(20):  # the cache of modules keeps up to 16 of one text, with what they call
        function = made(float(k))
        USES[use](function)
        alive.append(weakref.ref(function))
        if k == 1:
            before = len(linecache.cache)
    del function
    gc.collect()
    assert sum(ref() is not None for ref in alive) == 0
    assert before is not None and len(linecache.cache) <= before


def test_functions_that_are_arguments_are_freed() -> None:
    def apply(g, x):
        return g(x) * x

    derived = grad(apply, 1)
    for k in range(derivatives.KEYS // 64):
        assert derived(made(float(k)), 1.0) == 4.0 * k
    table = derived.__s2sad__[1].tables[derived.__s2sad__[2]]
    assert len(table) <= derivatives.KEYS


def test_tables_are_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for module, name in ((derivatives, "KEYS"), (derivatives, "REQUESTS"), (cache, "_KEPT"), (api, "RECENT")):
        monkeypatch.setattr(module, name, 3)

    def total(values):
        return sum(values) * values[0]

    derived = grad(total, cache_dir=str(tmp_path))
    for n in range(2, 9):
        assert derived([2.0] * n) == [2.0 * (n + 1)] + [2.0] * (n - 1)
    (table,) = derived.__s2sad__[1].tables.values()
    assert len(table) <= 3 and len(derivatives._kept) <= 3 and len(cache._programs) <= 3
    for function in (np.sin, np.cos, np.tan, np.exp, np.log, np.sqrt):
        grad(function)(0.5)
    assert len(api._recent) <= 4
    assert derived([2.0, 3.0]) == [7.0, 2.0]


def test_what_is_kept_belongs_to_one_function_and_one_process() -> None:
    first = made(2.0)
    assert grad(first)(1.0) == 6.0

    @functools.wraps(first)
    def second(x):
        return 5.0 * x

    assert vars(second)["__s2sad_own__"] is vars(first)["__s2sad_own__"]
    assert grad(second)(1.0) == 5.0
    for other in (pickle.loads(pickle.dumps(vars(first)["__s2sad_own__"])), copy.deepcopy(vars(first)["__s2sad_own__"])):
        assert not other and other.owner is None


def test_digests_of_code_are_freed() -> None:
    gc.collect()
    before = len(source._digests)
    for k in range(5):
        name = f"<made {k}>"
        text = f"def f(x):\n    return x * {k}.0\n"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        scope: dict[str, Any] = {"__name__": "made"}
        exec(compile(text, name, "exec"), scope)
        assert grad(scope["f"])(1.0) == k
        del scope, linecache.cache[name]
    source._codes.cache_clear()
    gc.collect()
    assert len(source._digests) <= before + 1
