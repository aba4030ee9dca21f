"""Guards: what is asked before a program is used again, on the shortest way and on the others."""

from __future__ import annotations

import builtins
import linecache
import types
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, grad, value_and_grad
from s2sad.derivatives import Programs

_files = count()
BUILTINS = dict(vars(builtins))
CALLS = 3  # from the second one on a program is found the shortest way
TEXT = """
import numpy as np
K, act, TABLE = 2.0, np.sin, np.array([2.0, 3.0])
class Meta(type):
    pass
class Model(metaclass=Meta):
    scale = 2.0
def helper(x, k=3.0):
    return k * x
def number(x):
    return K * x * x
def library(x):
    return np.sum(act(x))
def built(x):
    return abs(x) * 2.0
def of_class(x):
    return Model.scale * x
def calls(x):
    return helper(x)
def array(x):
    return np.sum(x * K)
def several(x, y):
    return np.sum(x) * y * K
def parts(p):
    return p["w"] * K
"""
# Each: which function, with which arguments, what is done to the module, and the gradient before and after (None: none).
CHANGES: dict[str, tuple[str, tuple[Any, ...], str, Any, Any]] = {
    "a number": ("number", (1.0,), "K = 3.0", 4.0, 6.0),
    "a number of another type": ("number", (1.0,), "K = 3", 4.0, 6.0),
    "a name that is gone": ("number", (1.0,), "del K", 4.0, None),
    "a name that only the builtins have": ("number", (1.0,), "import builtins; builtins.K = 5.0; del K", 4.0, None),
    "a function": ("library", (0.0,), "act = np.exp", 1.0, 1.0),
    "a function of a library that is hidden": ("library", (0.0,), "act = lambda x: 7.0 * x", 1.0, 7.0),
    "a global that hides a builtin": ("built", (1.0,), "abs = lambda x: 5.0 * x", 2.0, 10.0),
    "a builtin that is replaced": ("built", (1.0,), "import builtins; builtins.abs = lambda x: 5.0 * x", 2.0, None),
    "builtins of the module's own": ("built", (1.0,), "__builtins__ = {}", 2.0, 2.0),
    "an attribute of a class": ("of_class", (1.0,), "Model.scale = 4.0", 2.0, 4.0),
    "a class": ("of_class", (1.0,), "class Model:\n    scale = 5.0", 2.0, 5.0),
    "an attribute that a metaclass hides": (
        "of_class", (1.0,), "Meta.scale = property(lambda cls: 6.0)", 2.0, 6.0),
    "a default": ("calls", (1.0,), "helper.__defaults__ = (4.0,)", 3.0, 4.0),
    "code": ("calls", (1.0,), "helper.__code__ = (lambda x, k=1: x * x * x * k).__code__", 3.0, 9.0),
    "the code of the function itself": ("number", (1.0,), "number.__code__ = (lambda x: x * x * x).__code__", 4.0, 3.0),
    "defaults of the function itself": ("number", (1.0,), "number.__defaults__ = (7.0,)", 4.0, 4.0),
    "an argument that is an array": ("array", (np.ones(2),), "K = 3.0", [2.0, 2.0], [3.0, 3.0]),
    "an argument that is a dict": ("parts", ({"w": 1.0},), "K = 3.0", {"w": 2.0}, {"w": 3.0}),
    "several arguments": ("several", (np.ones(2), 2.0), "K = 3.0", [4.0, 4.0], [6.0, 6.0]),
    "names that the guard might have used": (
        "number", (1.0,), "_0 = _1 = _args = _x0 = type = Exception = registry = key_of = None; K = 3.0", 4.0, 6.0),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _free(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs run as they do for users, and what is done to the builtins is undone."""
    monkeypatch.setenv("S2SAD_VERIFY", "0")
    before = dict(vars(builtins))
    yield
    for name in vars(builtins).keys() - before.keys():
        delattr(builtins, name)
    for name, value in before.items():
        setattr(builtins, name, value)


def module(text: str, space: dict[str, Any] | None = None) -> dict[str, Any]:
    """The names of a module of this text, which can be read again."""
    file = f"<guarded {next(_files)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {} if space is None else space
    names["__name__"] = "guarded"
    exec(compile(text, file, "exec"), names)
    return names


def found(derived: Any, args: tuple[Any, ...]) -> Any:
    try:
        return derived(*args)
    except (S2sadError, NameError):
        return None


@pytest.mark.parametrize("change", CHANGES)
def test_changes_between_calls(change: str) -> None:
    name, args, text, before, after = CHANGES[change]
    names = module(TEXT)
    derived = grad(names[name])
    for _ in range(CALLS):
        np.testing.assert_equal(derived(*args), before)
    assert derived.shortest.quick(args) is not None
    module(text, names)
    for _ in range(CALLS):
        np.testing.assert_equal(found(derived, args), after)


def test_what_else_is_given() -> None:
    """Arguments of other types, numbers and shapes find their own programs, or errors."""
    names = module(
        "import numpy as np\ndef f(x, y=2.0):\n    return np.sum(x) * y\ndef g(a):\n    return np.sum(a * np.ones((3, 1)))\n"
    )
    derived, outer, both = grad(names["f"]), grad(names["g"]), value_and_grad(names["f"], (0, 1))
    for _ in range(CALLS):
        assert derived(1.0, 3.0) == derived(1.0, y=3.0) == derived(1.0, 3) == 3.0
        assert derived(1.0) == 2.0
        assert type(derived(np.float32(1.0), 3.0)) is np.float32
        np.testing.assert_array_equal(derived(np.ones(2), 3.0), [3.0, 3.0])
        np.testing.assert_array_equal(outer(np.ones((3, 2))), np.ones((3, 2)))
        np.testing.assert_array_equal(outer(np.ones((1, 2))), np.full((1, 2), 3.0))
        np.testing.assert_array_equal(outer(np.ones((3, 1))), np.ones((3, 1)))
        assert outer(np.ones(2, np.float32)).dtype == np.float32
        assert both(2.0, 3.0) == (6.0, (3.0, 2.0))
        assert derived(1j, 3.0) == 3.0
        with pytest.raises(S2sadError):
            derived(1, 3.0)
        with pytest.raises(TypeError):
            derived(1.0, 2.0, 3.0)
        with pytest.raises(TypeError):
            derived()


def test_errors_of_a_program_are_its_own() -> None:
    """What a program raises is not taken for a guard that fails, so it runs once."""
    names = module("runs = []\ndef f(x):\n    print(end='')\n    return 1.0 / x\n")
    derived = grad(names["f"])
    assert [derived(1.0) for _ in range(CALLS)] == [-1.0] * CALLS
    with pytest.raises(ZeroDivisionError):
        derived(0.0)
    assert derived.derivatives.seen.recent == (0.0,)


@pytest.mark.parametrize("name", ["len", "range", "reversed", "zip", "sum", "list", "enumerate", "abs", "slice", "float"])
def test_a_program_does_not_see_what_others_make_of_builtins(name: str) -> None:
    """It names more of them than the function does, which would have told the guard."""
    text = """
import numpy as np
def f(x, a):
    s = 1.0
    for b in a:
        s = s * np.sin(b * x)
    return s + np.prod(a) * x
"""
    derived, a = grad(module(text)["f"], "x"), np.array([0.5, 1.5, 2.5])
    before = [derived(0.7, a) for _ in range(CALLS)]
    setattr(builtins, name, lambda *args: 7)
    try:
        after = derived(0.7, a)
    finally:
        setattr(builtins, name, BUILTINS[name])
    assert after == before[0]


@pytest.mark.parametrize("name", ["add", "sum", "asarray", "broadcast_to", "ones", "cumprod", "concatenate"])
def test_helpers_do_not_see_what_others_make_of_numpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = module("import numpy as np\ndef f(x):\n    return np.prod(np.array([x, 2.0, x]))\n")
    derived = grad(names["f"])
    assert derived(3.0) == derived(3.0) == 12.0
    monkeypatch.setattr(np, name, lambda *args, **kwargs: np.float64(7.0))
    assert found(derived, (3.0,)) in (12.0, None)
    assert found(grad(types.FunctionType(names["f"].__code__, names)), (3.0,)) in (12.0, None)


class Space(dict[str, Any]):
    """Names that are found in a way of their own."""

    def __getitem__(self, name: str) -> Any:
        return 5.0 if name == "K" else super().__getitem__(name)


def test_names_that_are_found_in_another_way() -> None:
    """Of a module whose dictionary decides what its names are no derivative is given that might not be the function's."""
    names = module("K = 2.0\ndef f(x):\n    return K * x\n", Space())
    assert names["f"](1.0) == 5.0
    with pytest.raises(S2sadError):
        grad(names["f"])(1.0)


def test_builtins_of_a_function() -> None:
    """A function keeps the builtins that its module had when it was defined."""
    own = {**vars(builtins), "abs": lambda x: 3.0 * x}
    names = module("def f(x):\n    return abs(x)\n", {"__builtins__": own})
    derived = grad(names["f"])
    for k in (3.0, 3.0, 3.0, 4.0, 4.0):
        own["abs"] = types.FunctionType((lambda x, k: k * x).__code__, {}, "abs", (k,))
        assert found(derived, (1.0,)) in (k, None)
        assert names["f"](1.0) == k


def test_a_method_has_no_shortest_way_of_the_function() -> None:
    names = module("class A:\n    def __init__(self, k):\n        self.k = k\n    def f(self, x):\n        return self.k * x\n")
    one, two = names["A"](2.0), names["A"](3.0)
    for _ in range(CALLS):
        assert grad(one.f)(1.0) == 2.0
        assert grad(two.f)(1.0) == 3.0
        assert grad(names["A"].f, "x")(one, 1.0) == 2.0
    assert Programs().quick((1.0,)) is None
