"""Derivatives that travel: pickled here, called in a fresh process; refused where that has another function of the name."""

from __future__ import annotations

import copy
import importlib
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from s2sad import Differentiable, differentiate, grad, rule, value_and_grad, vjp

MODULE = '''
import functools
import numpy as np
from s2sad import differentiate

K = 2.0
TABLE = {"scale": np.array([1.0, 2.0, 3.0])}

def helper(x):
    return K * x**2

def loss(x):
    return np.sum(helper(x) * TABLE["scale"])

@differentiate
def decorated(x):
    return np.sum(np.sin(x))

@differentiate(wrt=("a", "b"))
def two(a, b):
    return a * b**2

@functools.lru_cache
def cached(t):
    return t**3

class Model:
    power = 2
    def __init__(self, w):
        self.w = w
    def f(self, x):
        return np.sum(self.w * x**self.power)

def make(c):
    def inner(x):
        """A text
        of two lines."""
        # the user's comment
        return np.sum(c * x**3)
    return inner

closure = make(2.0)
shape = lambda x: np.sum(x**4)
inner_of = {"f": shape, "k": 3.0}

def by_table(x):
    return inner_of["f"](x) * inner_of["k"]

def factorial(n, x):
    return x if n == 0 else x * factorial(n - 1, x)
'''
MAIN = '''
import pickle, sys
import numpy as np
import travelling
from s2sad import differentiate, grad, value_and_grad, vjp

C = 3.0
ACTIVATIONS = [np.tanh, lambda v: v**2]

def other(x):
    return C * x

def mine(x):
    "A doc."
    return np.sum(ACTIVATIONS[1](other(x)) + travelling.helper(x))

@differentiate
def decorated(x):
    return np.sum(x**2 * C)

def recursive(n, x):
    return x if n == 0 else x * recursive(n - 1, x)

gradient = grad(mine)

def uses(x):
    return np.sum(gradient(x) ** 2)

def outer(k):
    def nested(n, x):
        return x if n == 0 else k * x * nested(n - 1, x)
    return nested

x = np.arange(1.0, 4.0)
CASES = {
    "of a module": (grad(travelling.loss), (x,)),
    "of a decorated function": (value_and_grad(travelling.decorated), (x,)),
    "a method of a decorated function": (travelling.decorated.grad, (x,)),
    "by two arguments": (travelling.two.grad, (2.0, 3.0)),
    "a decorated function": (travelling.two, (2.0, 3.0)),
    "of a method": (grad(travelling.Model(x).f), (x,)),
    "of a method by an object's part": (grad(travelling.Model(x).f, "self.w"), (x,)),
    "of a closure": (grad(travelling.closure), (x,)),
    "of a lambda": (grad(travelling.shape), (x,)),
    "of functions in a table": (grad(travelling.by_table), (x,)),
    "of a wrapped function": (grad(travelling.cached), (2.0,)),
    "of a recursion": (grad(travelling.factorial, 1), (3, 2.0)),
    "of a gradient": (grad(grad(lambda t: t**3)), (2.0,)),
    "of __main__": (gradient, (x,)),
    "of a decorated function of __main__": (decorated.value_and_grad, (x,)),
    "a decorated function of __main__": (decorated, (x,)),
    "of a recursion of __main__": (grad(recursive, 1), (3, 2.0)),
    "of what calls a gradient": (grad(uses), (x,)),
    "of a nested recursion": (grad(outer(2.0), 1), (3, 2.0)),
    "a pullback": (vjp(mine, x)[1], (1.0,)),
    "a pullback of a module's function": (vjp(travelling.loss, x)[1], (1.0,)),
    "with options": (grad(mine, "x", style="ssa"), (x,)),
}
if __name__ == "__main__":
    before = {name: pickle.dumps(case) for name, case in CASES.items()}
    results = {name: f(*args) for name, (f, args) in CASES.items()}
    after = {name: pickle.dumps(case) for name, case in CASES.items()}
    pickle.dump((before, after, results), open(sys.argv[1], "wb"))
'''
READER = '''
import pickle, sys
before, after, expected = pickle.load(open(sys.argv[1], "rb"))
for cases in (before, after):
    for name, data in cases.items():
        function, args = pickle.loads(data)
        found = function(*args)
        assert repr(found) == repr(expected[name]), (name, found, expected[name])
        again, _ = pickle.loads(pickle.dumps((function, args)))
        assert repr(again(*args)) == repr(expected[name]), name
print(len(expected))
'''
X = np.arange(1.0, 4.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "travelling.py").write_text(MODULE)
    return tmp_path


def run(folder: Path, text: str, *args: object) -> subprocess.CompletedProcess[str]:
    """A fresh process that finds the modules of the folder; its own text is no file that others could import."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "S2SAD_VERIFY": "0"}
    (folder / "script.py").write_text(text)
    command = [sys.executable, str(folder / "script.py"), *map(str, args)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_derivatives_in_a_fresh_process(folder: Path) -> None:
    written = run(folder, MAIN, "cases.pickle")
    assert written.returncode == 0, written.stderr
    read = run(folder, READER, "cases.pickle")
    assert read.returncode == 0, read.stderr
    assert int(read.stdout) >= 20


# --- other code under the same name


@pytest.fixture
def travelling(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "travelling", raising=False)
    importlib.invalidate_caches()
    return importlib.import_module("travelling")


CHANGES = {
    "the function": ("np.sum(helper(x) * TABLE", "np.max(helper(x) * TABLE", "loss"),
    "a function that it calls": ("K * x**2", "K * x**3", "helper"),
    "a constant that it reads": ("K = 2.0", "K = 2.5", "'K'"),
    "an array in a table": ("[1.0, 2.0, 3.0]", "[1.0, 2.0, 3.5]", "'TABLE'"),
    "a constant's type": ("K = 2.0", "K = 2", "'K'"),
    "its name": ("def loss(", "def loss_(", "cannot be found"),
    "what the name stands for": ("\nclosure =", "\nloss = make(1.0)\nclosure =", "loss"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_function_of_the_name_is_refused(change: str, folder: Path, travelling: ModuleType) -> None:
    old, new, label = CHANGES[change]
    data = pickle.dumps(grad(travelling.loss))
    np.testing.assert_allclose(pickle.loads(data)(X), 4 * X * X)
    source = folder / "travelling.py"
    assert old in source.read_text()
    source.write_text(source.read_text().replace(old, new))
    sys.modules.pop("travelling")
    importlib.invalidate_caches()
    for stale in (folder / "__pycache__").glob("*"):
        stale.unlink()
    with pytest.raises(pickle.PicklingError, match=label):
        pickle.loads(data)


def test_a_method_of_another_class_is_refused(travelling: ModuleType) -> None:
    data = pickle.dumps(grad(travelling.Model(X).f))
    np.testing.assert_allclose(pickle.loads(data)(X), 2 * X * X)
    travelling.Model.power = 3  # `self.power` is looked up on the class of the owner
    np.testing.assert_allclose(pickle.loads(pickle.dumps(grad(travelling.Model(X).f)))(X), 3 * X**3)


def test_a_default_that_was_changed_is_seen(travelling: ModuleType) -> None:
    data = pickle.dumps(grad(travelling.make(1.0)))
    travelling.loss.__defaults__ = (X,)
    assert pickle.loads(data)(X) is not None
    data = pickle.dumps(grad(travelling.loss))
    travelling.loss.__defaults__ = None
    with pytest.raises(pickle.PicklingError, match="defaults"):
        pickle.loads(data)


def test_a_rule_that_the_other_process_lacks_is_missed(travelling: ModuleType) -> None:
    from s2sad.rules import registry, user

    rule(travelling.helper, x="g * 3.0")
    try:
        data = pickle.dumps(grad(travelling.loss))
        pickle.loads(data)
    finally:
        for table in (registry._primitives, registry._objects, user._described):
            table.pop("travelling.helper", None)
        registry._modules_seen = -1
        registry.revision += 1
    with pytest.raises(pickle.PicklingError, match="rule"):
        pickle.loads(data)


def test_an_edited_file_does_not_leave(folder: Path, travelling: ModuleType) -> None:
    import linecache

    source = folder / "travelling.py"
    source.write_text(source.read_text().replace("c * x**3", "c * x**4"))
    linecache.checkcache()
    with pytest.raises(pickle.PicklingError, match="edited"):
        pickle.dumps(grad(travelling.closure))


# --- copies, pools, threads


def square(x: Any) -> Any:
    return np.sum(x**2)


@differentiate
def cubes(x: Any) -> Any:
    return np.sum(x**3)


def test_copies_are_the_same_derivative() -> None:
    for derivative in (grad(square), value_and_grad(square), cubes):
        assert copy.deepcopy(derivative) is derivative
        assert copy.copy(derivative) is derivative
    _, pullback = vjp(square, X)
    np.testing.assert_array_equal(copy.deepcopy(pullback)(1.0)[0], 2 * X)


def test_a_derivative_looks_like_its_function() -> None:
    import inspect

    derivative = grad(square)
    assert derivative.__name__ == "square"
    assert inspect.signature(derivative) == inspect.signature(square)
    assert "square" in repr(derivative)


def test_derivatives_as_arguments_are_told_apart() -> None:
    def slope(derivative: Any, x: Any) -> Any:
        return derivative(x) * x

    first, second = differentiate(lambda t: t**2), differentiate(lambda t: t**3)
    assert grad(slope, 1)(grad(lambda t: t**2), 2.0) == 8.0
    assert grad(slope, 1)(grad(lambda t: t**3), 2.0) == 36.0
    assert grad(slope, 1)(first, 2.0) == 12.0
    assert grad(slope, 1)(second, 2.0) == 32.0
    assert isinstance(first, Differentiable)


def test_a_pool_of_processes() -> None:
    points = [X, 2 * X, 3 * X]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for derivative, expected in ((grad(square), 2.0), (grad(lambda x: np.sum(4 * x)), 0.0)):
            found = list(pool.map(derivative, points))
            for point, result in zip(points, found, strict=True):
                np.testing.assert_allclose(result, expected * point if expected else np.full(3, 4.0))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process(folder: Path) -> None:
    script = MAIN.replace('if __name__ == "__main__":', "if False:") + (
        "import os\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if np.allclose(gradient(x), grad(mine)(x)) else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "gradient(x)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if np.allclose(gradient(x), 18 * x + 4 * x) else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    done = run(folder, script)
    assert done.returncode == 0, done.stderr


def test_cloudpickle(folder: Path) -> None:
    pytest.importorskip("cloudpickle")
    script = MAIN.replace("pickle.dumps(case)", "cloudpickle.dumps(case)").replace("import pickle", "import cloudpickle, pickle")
    written = run(folder, script, "cases.pickle")
    assert written.returncode == 0, written.stderr
    read = run(folder, READER, "cases.pickle")
    assert read.returncode == 0, read.stderr


def test_joblib(folder: Path) -> None:
    pytest.importorskip("joblib")
    script = MAIN.split("if __name__", maxsplit=1)[0] + (
        "if __name__ == '__main__':\n"
        "    from joblib import Parallel, delayed\n"
        "    for name in ('of a module', 'of __main__', 'of a closure', 'of what calls a gradient'):\n"
        "        f, args = CASES[name]\n"
        "        for _ in range(2):\n"
        "            found = Parallel(n_jobs=2)(delayed(f)(*args) for _ in range(3))\n"
        "            assert all(np.allclose(item, f(*args)) for item in found), name\n"
    )
    done = run(folder, script)
    assert done.returncode == 0, done.stderr


def test_dask(folder: Path) -> None:
    pytest.importorskip("distributed")
    script = MAIN.split("if __name__", maxsplit=1)[0] + (
        "if __name__ == '__main__':\n"
        "    from distributed import Client, LocalCluster\n"
        "    cluster = LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None)\n"
        "    with cluster, Client(cluster) as client:\n"
        "        for name in ('of a module', 'of __main__', 'of a closure', 'of what calls a gradient'):\n"
        "            f, args = CASES[name]\n"
        "            for _ in range(2):\n"
        "                found = client.gather([client.submit(f, *args, pure=False) for _ in range(3)])\n"
        "                assert all(np.allclose(item, f(*args)) for item in found), name\n"
    )
    done = run(folder, script)
    assert done.returncode == 0, done.stderr


THREADS = '''
import threading
import numpy as np
import travelling
from s2sad import grad, value_and_grad

x = np.arange(1.0, 4.0)
found, errors, start = [], [], threading.Barrier(32)

def first_call(k):
    start.wait()
    try:
        f = (grad(travelling.loss), travelling.decorated.grad, grad(travelling.closure))[k % 3]
        found.append((k % 3, f(x)))
    except BaseException as error:
        errors.append(repr(error))

threads = [threading.Thread(target=first_call, args=(k,)) for k in range(32)]
for t in threads: t.start()
for t in threads: t.join()
assert not errors, errors[:3]
expected = (4 * x * x, np.cos(x), 6 * x**2)
assert len(found) == 32 and all(np.allclose(value, expected[k]) for k, value in found)
'''


def test_first_calls_in_32_threads(folder: Path) -> None:
    done = run(folder, THREADS)
    assert done.returncode == 0, done.stderr


def test_threads_in_one_process_share_the_tables() -> None:
    from s2sad.rules import registry

    registry._modules_seen = -1
    names: list[Any] = []
    threads = [threading.Thread(target=lambda: names.append(registry.name_of(np.sin))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == ["numpy.sin"] * 8
