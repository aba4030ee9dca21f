"""What a class of tuples decides for itself, and functions of libraries that were replaced: asked or refused, not passed over."""

import ast
import cmath
import functools
import math
import subprocess
import sys
import types
import typing
from pathlib import Path

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.special
import scipy.stats

import s2sad
from s2sad.frontend import originals
from s2sad.rules import registry


class Pair(typing.NamedTuple):
    a: float
    b: float = 2.0



class Long(Pair):
    def __len__(self):
        return 10


class Ten(Pair):
    def __iter__(self):
        return iter((self.a * 10, self.b))


class Five(Pair):
    def __getitem__(self, i):
        return 5.0


class No(Pair):
    def __bool__(self):
        return False


class Backwards(Pair):
    def __reversed__(self):
        return iter((self.a * 3, self.b))


class Converted(Pair):
    def __array__(self, dtype=None, copy=None):
        return np.array([7.0, 8.0])


class Negative(Pair):
    def __neg__(self):
        return self.a * 100


class Grows(Pair):
    def __iadd__(self, other):
        return self.a * 100


class Replaced(Pair):
    def _asdict(self):
        return {"a": 5.0}


class Asked(Pair):
    """Of these its class is asked."""

    def __contains__(self, v):
        return True

    def __eq__(self, other):
        return True

    def __add__(self, other):
        return self.a * other.b

    def __lt__(self, other):
        return self.a > other.a

    __hash__ = Pair.__hash__

    @property
    def double(self):
        return 2 * self.a


OUTSIDE = No(2.0)


def unpacked(x):
    a, b = Ten(x)
    return a * x + b


def grown(x):
    p = Grows(x)
    p += (1.0,)
    return p * x


REFUSED = {
    "len": lambda x: len(Long(x)) * x,
    "sum": lambda x: sum(Ten(x)) * x,
    "item": lambda x: Five(x)[0] * x,
    "truth": lambda x: x if No(x) else x**3,
    "unpacking": unpacked,
    "star": lambda x: max(*Ten(x)) * x,
    "reversed": lambda x: sum(v * (i + 1) for i, v in enumerate(reversed(Backwards(x)))),
    "array": lambda x: np.sum(np.asarray(Converted(x))) * x,
    "minus": lambda x: -Negative(x) * x,
    "in place": grown,
    "asdict": lambda x: Replaced(x)._asdict()["a"] * x,
    "outside": lambda x: x if OUTSIDE else x**3,
    "in a list": lambda x: sum([Ten(x)][0]),
}
HOLDS = {
    "contains": lambda x: x**3 if 77.0 in Asked(x) else x,
    "equal": lambda x: x if Asked(x) == Asked(2 * x) else x**3,
    "equal inside": lambda x: x if (Asked(x), 1) == (Asked(2 * x), 1) else x**3,
    "plus": lambda x: (Asked(x) + Asked(x, x)) * x,
    "least": lambda x: min(Asked(x), Asked(2 * x)).a * x,
    "property": lambda x: Asked(x).double * x,
}


def check(f, x):
    """Value, gradient and tangent, against the function itself."""
    value, gradient = s2sad.value_and_grad(f)(x)
    difference = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert math.isclose(value, f(x)) and math.isclose(gradient, difference, rel_tol=1e-6)
    assert math.isclose(s2sad.jvp(f, (x,), (1.0,))[1], difference, rel_tol=1e-6)


def refused(f, x, why):
    for derive in (s2sad.grad(f), lambda at: s2sad.jvp(f, (at,), (1.0,))):
        with pytest.raises(s2sad.S2sadError, match=why) as found:
            derive(x)
        assert not isinstance(found.value, s2sad.CompilerError)


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_class_of_a_named_tuple_decides_is_not_passed_over(name):
    REFUSED[name](1.5)
    refused(REFUSED[name], 1.5, "cannot be followed")


@pytest.mark.parametrize("name", HOLDS)
def test_what_is_asked_of_the_class_of_a_named_tuple(name):
    check(HOLDS[name], 1.5)


def test_a_method_set_later_is_seen():
    class Late(Pair):
        pass

    def f(x):
        return len(Late(x)) * x

    check(f, 1.5)
    Late.__len__ = lambda self: 10
    refused(f, 1.5, "__len__")


def test_arguments_are_asked_too():
    with pytest.raises(s2sad.S2sadError, match="cannot be followed"):
        s2sad.grad(lambda p, x: (x if p else x**3), wrt="x")(No(1.0), 2.0)


PATCHED = """
import sys
import math, numpy as np, s2sad
table = {{}}
class Renamed:
    __module__ = "numpy"
    def __init__(self, name):
        self.__name__ = self.__qualname__ = name
    def __call__(self, x):
        return 7 * x * x
def renamed(x):
    return 7 * x * x
renamed.__name__ = renamed.__qualname__ = "tanh"
renamed.__module__ = "numpy"
{patch}
def f(x):
    return {result}
try:
    print(s2sad.grad(f)(0.8), (f(0.8 + 1e-6) - f(0.8 - 1e-6)) / 2e-6)
except s2sad.S2sadError as error:
    assert not isinstance(error, s2sad.CompilerError)
    print("refused", error)
"""


@pytest.mark.parametrize(
    ("patch", "result", "right"),
    [
        ("np.sin = np.cos; table['a'] = np.sin", "table['a'](x)", False),
        ("np.cos = np.exp", "np.sin(x)", False),
        ("math.sin = math.cos", "math.sin(x)", False),
        ("np.sin = math.cos", "np.sin(x)", None),
        ("table['a'] = np.abs", "table['a'](x) * np.sin(x)", True),
        ("np.sqrt = np.emath.sqrt", "np.sqrt(x)", False),  # of the same name, from the same library
        ("np.tanh = renamed", "np.tanh(x)", True),  # a function of the user's, which is followed
        ("np.cos = Renamed('cos')", "np.sin(x)", False),
        ("np.vectorize = lambda g: (lambda a: 7 * a)", "np.sum(np.vectorize(math.sin)(np.array([x])))", False),
        ("import builtins; builtins.max = min", "max(x, 2 * x)", False),
        ("import scipy.stats; scipy.stats.norm = scipy.stats.cauchy", "scipy.stats.norm.cdf(x)", True),  # the other one
    ],
)
def test_a_function_of_a_library_that_was_replaced_before_the_first_look(patch, result, right, tmp_path):
    program = tmp_path / "patched.py"
    program.write_text(PATCHED.format(patch=patch, result=result))
    out = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stdout.split()
    if right is not None:
        assert (out[0] != "refused") == right
    if out[0] != "refused":
        assert math.isclose(float(out[0]), float(out[1]), rel_tol=1e-6)


class Renamed:
    """Says of itself what a function of NumPy says."""

    __module__ = "numpy"

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    def __call__(self, x):
        return 7 * x * x


def renamed(name, module):
    def function(x):
        return 7 * x * x

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function


def executed(name, module):
    """A function that was written into a library from outside."""
    exec(f"def {name}(x): return 7 * x * x", space := dict(vars(module)))
    return types.FunctionType(space[name].__code__, vars(module), name)


class Continuous(scipy.stats.rv_continuous):
    def _pdf(self, x):
        return 7 * x


REPLACED = [
    ("numpy.tanh", executed("tanh", np)), ("numpy.polynomial.legendre.leggauss", executed("leggauss", np.polynomial.legendre)),
    ("numpy.sqrt", np.emath.sqrt), ("numpy.sum", np.ma.sum), ("numpy.sort", np.ma.sort), ("numpy.outer", np.linalg.outer),
    ("numpy.tanh", Renamed("tanh")), ("numpy.tanh", renamed("tanh", "numpy")),
    ("numpy.tanh", functools.wraps(np.tanh)(Renamed("f"))), ("numpy.mean", functools.wraps(np.mean)(renamed("f", "m"))),
    ("numpy.tanh", np.frompyfunc(math.tanh, 1, 1)), ("numpy.sin", math.sin), ("math.sqrt", cmath.sqrt), ("math.sin", np.sin),
    ("math.tanh", renamed("tanh", "math")), ("builtins.abs", math.fabs), ("builtins.abs", renamed("abs", "builtins")),
    ("builtins.float", type("float", (float,), {"__module__": "other"})),
    ("numpy.float64", type("float64", (np.float64,), {"__module__": "numpy"})), ("numpy.add.reduce", np.subtract.reduce),
    ("numpy.linalg.norm", scipy.linalg.norm), ("scipy.linalg.norm", np.linalg.norm), ("scipy.linalg.solve", np.linalg.solve),
    ("scipy.special.gamma", Renamed("gamma")), ("scipy.special.erf", scipy.special.erfc), ("scipy.fft.fft", np.fft.fft),
    ("numpy.fft.fft", scipy.fft.fft), ("scipy.stats.norm.pdf", scipy.stats.cauchy.pdf),
    ("scipy.stats.norm.pdf", renamed("pdf", "scipy.stats")), ("scipy.stats.norm.pdf", Continuous(name="norm").pdf),
    ("scipy.stats.norm.pdf", types.MethodType(renamed("pdf", "m"), scipy.stats.norm)), ("numpy.pi", 3.0), ("math.inf", 1e9),
    ("numpy.polynomial.legendre.leggauss", renamed("leggauss", "numpy.polynomial.legendre")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "found"), REPLACED)
def test_what_only_says_that_it_is_a_function_of_a_library_is_none(name, found):
    registry.load_tables()
    assert not registry.is_own(name, found) and registry.is_own(name, original(name))


def original(name):
    *path, last = name.split(".")
    cut = next(k for k in range(len(path), 0, -1) if ".".join(path[:k]) in sys.modules)
    owner = functools.reduce(getattr, path[cut:], sys.modules[".".join(path[:cut])])
    return getattr(owner, last)


def test_no_function_of_the_libraries_themselves_is_taken_for_a_replaced_one():
    roots = ("numpy", "scipy", "math", "cmath", "operator", "builtins")
    names = [n for n in registry.all_primitives() if n.partition(".")[0] in roots and registry.find_object(n) is not None]
    assert len(names) > 500 and [n for n in names if not registry.is_own(n, registry.find_object(n))] == []


def known_by_identity():
    """The names of libraries that the front end mentions: what its tables are made of."""
    for path in Path(originals.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text())
        libraries = {a.asname or a.name: a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in libraries:
                yield libraries[node.value.id], node.attr


def test_all_that_the_front_end_knows_by_identity_is_watched():
    constants = {"nan", "inf", "pi", "e", "tau", "euler_gamma", "linalg", "_lru_cache_wrapper"}
    missing = {(m, n) for m, n in known_by_identity() if m in originals.NAMES and n not in originals.NAMES[m].split()}
    assert {(m, n) for m, n in missing if n not in constants} == set()
    assert originals.replaced() == []


@pytest.mark.parametrize(
    "name", ["builtins.max", "functools.reduce", "numpy.vectorize", "numpy.pad", "copy.deepcopy", "itertools.chain", "math.prod"]
)
def test_what_is_put_in_its_place_is_seen(name, monkeypatch):
    for other in (Renamed(name.rpartition(".")[2]), renamed(name.rpartition(".")[2], "numpy"), np.roll, math.fsum):
        monkeypatch.setattr(name, other)
        found = originals.replaced()
        monkeypatch.undo()
        assert found == [name]


@pytest.mark.parametrize(("name", "own"), registry.ALIASES.items())
def test_every_alias_is_one(name, own):
    homes = [home for home in (np, scipy.special) if hasattr(home, name)]
    assert homes and all(getattr(home, name) is getattr(home, own) for home in homes)
