"""Small worlds around a function ``f``, one for each way in which what it sees can become something else.

Each has the text of a module (and of a second one, which it knows as ``other``), a change of the living module, and an edit
of the text. After either the derivative is that of the new function, or there is none.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class World:
    """``change`` is executed in the module; ``edit`` replaces a text by another one in either file."""

    name: str
    text: str
    change: str = ""
    edit: tuple[str, str] = ("", "")
    other: str = ""


HEAD = """import enum
import functools
import math
import types
from dataclasses import dataclass, field
import numpy as np
undo = []
def nine(self):
    return 9.0
def cubed(self, x):
    return x ** 3
def tripled(self, x):
    return 3.0 * x * x
def three(x):
    return 3.0 * x * x
def four():
    return 4.0
class Third:
    def step(self, x):
        return 9.0 * x
"""
WORLDS: dict[str, World] = {}


def world(name: str, text: str, change: str = "", edit: tuple[str, str] = ("", ""), other: str = "") -> None:
    """Enter a world."""
    assert name not in WORLDS
    clean = textwrap.dedent
    WORLDS[name] = World(name, clean(text), clean(change), edit, clean(other))


# --- names: globals, builtins, cells
K = """
    K = 2.0
    def f(x):
        return K * x * x
    """
world("a number", K, "K = 3.0", ("K = 2.0", "K = 3.0"))
world("a number of another type", "K = 2\ndef f(x):\n    return x ** K", "K = 0.5", ("K = 2", "K = 0.5"))
world("a number that is equal", "K = 2.0\ndef f(x):\n    return x ** K * K", "K = 2", ("K = 2.0", "K = 2"))
world("the sign of zero", "Z = 0.0\ndef f(x):\n    return x * math.copysign(1.0, Z)", "Z = -0.0", ("Z = 0.0", "Z = -0.0"))
world("a flag", "ON = True\ndef f(x):\n    return x * x if ON else x", "ON = False", ("ON = True", "ON = False"))
world("a word", "MODE = 'a'\ndef f(x):\n    return x * x if MODE == 'a' else x", "MODE = 'b'", ("'a'\ndef", "'b'\ndef"))
world("None", "W = None\ndef f(x):\n    return x if W is None else W * x", "W = 5.0", ("W = None", "W = 5.0"))
world("a tuple", "W = (2.0, 3.0)\ndef f(x):\n    return W[0] * x + W[1] * x * x", "W = (2.0, 4.0)", ("3.0", "4.0"))
world("an axis", "A = (0,)\nM = np.array([[1.0, 2.0], [3.0, 5.0]])\ndef f(x):\n    return np.sum(M * x, axis=A)[0]",
      "A = (1,)", ("(0,)", "(1,)"))
world("a shape", "S = (2, 2)\ndef f(x):\n    return np.sum(np.ones(S) * x)", "S = (2, 3)", ("(2, 2)", "(2, 3)"))
world("a name that is gone", K, "del K", ("K = 2.0", "L = 2.0"))
world("a library function", "act = np.sin\ndef f(x):\n    return act(x)", "act = np.cos", ("np.sin", "np.cos"))
world("a library function by import", "from numpy import sin as act\ndef f(x):\n    return act(x)", "act = np.exp", ("sin as", "cos as"))
world("a function of math", "act = math.sin\ndef f(x):\n    return act(x)", "act = math.exp", ("math.sin", "math.exp"))
world("a module under another name", "lib = math\ndef f(x):\n    return lib.exp(x)",
      "lib = types.SimpleNamespace(exp=lambda x: 3.0 * x)", ("lib = math", "lib = types.SimpleNamespace(exp=np.sin)"))
world("what is called np", "def f(x):\n    return x * np.pi",
      "np = types.SimpleNamespace(pi=4.0)", ("def f", "np = types.SimpleNamespace(pi=4.0)\ndef f"))
HELPER = """
    def h(x):
        return x * x
    def other_h(x):
        return x * x * x
    def f(x):
        return h(x)
    """
world("a function", HELPER, "h = other_h", ("return x * x\n", "return 5.0 * x\n"))
world("the code of a function", HELPER, "h.__code__ = other_h.__code__")
world("the code of the function itself", HELPER, "f.__code__ = other_h.__code__")
world("a function of a function", """
    def g(x):
        return x * x
    def h(x):
        return 2.0 * g(x)
    def f(x):
        return h(x)
    """, "g = np.exp", ("return x * x", "return x * x * x"))
world("an alias of a function", "def h(x):\n    return x * x\ndef k(x):\n    return x ** 3\na = h\ndef f(x):\n    return a(x)",
      "a = k", ("a = h", "a = k"))
world("a lambda", "h = lambda x: x * x\ndef f(x):\n    return h(x)", "h = np.exp", ("x * x", "x * x * x"))
world("one of two lambdas on a line", "hs = (lambda x: x * x), (lambda x: x ** 3)\nh = hs[0]\ndef f(x):\n    return h(x)",
      "h = hs[1]", ("hs[0]", "hs[1]"))
world("a global that hides a builtin", "def h(x):\n    return 3.0 * x\ndef f(x):\n    return abs(x)", "abs = h",
      ("def h", "abs = lambda x: 4.0 * x\ndef h"))
world("a builtin that is hidden no more", "def abs(x):\n    return 3.0 * x\ndef f(x):\n    return abs(x)", "del abs",
      ("def abs", "def ab"))
world("a builtin that is replaced", "def h(x):\n    return 3.0 * x\ndef f(x):\n    return abs(x)",
      "import builtins\nundo.append((builtins, 'abs', abs))\nbuiltins.abs = h")
world("a library function that is replaced", "def h(x):\n    return 3.0 * x\ndef f(x):\n    return np.tanh(x)",
      "undo.append((np, 'tanh', np.tanh))\nnp.tanh = h")
world("what the derivative calls is replaced", "W = 2.0\ndef h(x):\n    return 3.0 * x\ndef f(x):\n    return W * np.sin(x)",
      "undo.append((np, 'cos', np.cos))\nnp.cos = h\nW = 3.0")
world("a function of math that is replaced", "def h(x):\n    return 3.0 * x\ndef f(x):\n    return math.sin(x)",
      "undo.append((math, 'sin', math.sin))\nmath.sin = h")
world("a library function that another one of its name replaces", "def f(x):\n    return np.sqrt(x)",
      "undo.append((np, 'sqrt', np.sqrt))\nnp.sqrt = np.ma.sqrt", ("np.sqrt", "np.ma.sqrt"))
world("a function of a part of a library that is replaced", "def f(x):\n    return np.linalg.norm(np.ones(2) * x)",
      "undo.append((np.linalg, 'norm', np.linalg.norm))\nnp.linalg.norm = np.sum", ("np.linalg.norm", "np.sum"))
world("what sys.modules has", "import sys\ndef f(x):\n    import math\n    return math.sin(x)", """
    class Back:
        def __setattr__(self, name, value):
            sys.modules[name] = value
    undo.append((Back(), "math", math))
    sys.modules["math"] = types.SimpleNamespace(sin=three)
    """)
world("the import statement", "def f(x):\n    import math\n    return math.sin(x)", """
    import builtins
    imported = __import__
    undo.append((builtins, "__import__", imported))
    other = types.SimpleNamespace(sin=three)
    builtins.__import__ = lambda name, *rest: other if name == "math" else imported(name, *rest)
    """)
world("the class of a module", "import OTHER as o\ndef f(x):\n    return o.K * x", """
    class Other(types.ModuleType):
        def __getattribute__(self, name):
            return 7.0 if name == "K" else super().__getattribute__(name)
    o.__class__ = Other
    """, other="K = 2.0")
world("functools.partial", "def h(k, x):\n    return k * x\ndef f(x):\n    return functools.partial(h, 2.0)(x)",
      "undo.append((functools, 'partial', functools.partial))\nfunctools.partial = lambda g, k: three")
world("functools.partial is no more", "def h(k, x):\n    return k * x\ndef f(x):\n    return functools.partial(h, 2.0)(x)",
      "undo.append((functools, 'partial', functools.partial))\nfunctools.partial = None")
for builtin, use, instead in (
    ("len", "x * len([x, x])", "lambda items: 5"), ("range", "sum([x * i for i in range(3)])", "lambda n: [1, 1]"),
    ("sum", "sum([x, x * x])", "lambda items: 5.0 * items[0]"), ("zip", "[a * b for a, b in zip([x], [2.0])][0]", "lambda a, b: [(5.0, x)]"),
    ("sorted", "sorted([x, 2.0 * x])[0]", "lambda items: items[::-1]"), ("max", "max(x, 2.0 * x)", "lambda a, b: 3.0 * a"),
    ("map", "sum(map(math.sin, [x, x]))", "lambda g, items: items"), ("float", "float(x) * x", "lambda x: 3.0"),
    ("enumerate", "sum([i * a for i, a in enumerate([x, x])])", "lambda items: [(5, a) for a in items]"),
):  # fmt: skip
    world(f"{builtin} of all modules", f"def f(x):\n    return {use}",
          f"import builtins\nundo.append((builtins, '{builtin}', {builtin}))\nbuiltins.{builtin} = {instead}")
world("a part of a library that is replaced", "def f(x):\n    return np.linalg.norm(np.ones(2) * x)",
      "undo.append((np, 'linalg', np.linalg))\nnp.linalg = types.SimpleNamespace(norm=np.sum)")
MAKE = """
    def make(k, act):
        def f(x):
            return k * act(x)
        def put(value):
            nonlocal k
            k = value
        return f, put
    f, put = make(2.0, np.sin)
    """
world("a cell", MAKE, "put(3.0)", ("2.0, np", "3.0, np"))
world("a function in a cell", MAKE, "f, put = make(2.0, np.exp)", ("2.0, np.sin", "2.0, np.exp"))
world("a cell of another type", MAKE, "put(np.array(4.0))", ("2.0, np", "np.array(4.0), np"))

# --- functions: defaults, attributes, wrappers
world("a default", "def f(x, k=2.0):\n    return k * x", "f.__defaults__ = (3.0,)", ("k=2.0", "k=3.0"))
world("a keyword's default", "def f(x, *, k=2.0):\n    return k * x", "f.__kwdefaults__['k'] = 3.0", ("k=2.0", "k=3.0"))
world("a helper's default", "def h(x, k=2.0):\n    return k * x\ndef f(x):\n    return h(x)", "h.__defaults__ = (3.0,)",
      ("k=2.0", "k=3.0"))
world("a helper's keyword default", "def h(x, *, k=2.0):\n    return k * x\ndef f(x):\n    return h(x)",
      "h.__kwdefaults__['k'] = 3.0", ("k=2.0", "k=3.0"))
world("a new keyword default", "def h(x, k=2.0):\n    return k * x\ndef f(x):\n    return h(x)", "h.__kwdefaults__ = {'k': 3.0}")
world("a function for a default", "def h(x, act=np.sin):\n    return act(x)\ndef f(x):\n    return h(x)",
      "h.__defaults__ = (np.exp,)", ("np.sin", "np.exp"))
world("an array for a default", "def h(x, w=np.array([1.0, 2.0])):\n    return np.sum(w * x)\ndef f(x):\n    return h(x)",
      "h.__defaults__ = (np.array([4.0]),)", ("[1.0, 2.0]", "[1.0, 7.0]"))
world("an attribute of a function", "def h(x):\n    return x\nh.k = 2.0\ndef f(x):\n    return h.k * x", "h.k = 3.0", ("k = 2.0", "k = 3.0"))
world("a partial", "g = functools.partial(np.power, 2.0)\ndef f(x):\n    return g(x)", "g = functools.partial(np.power, 3.0)",
      ("2.0", "3.0"))
world("a partial's function", "g = functools.partial(np.add, 2.0)\ndef f(x):\n    return g(x)", "g = functools.partial(np.multiply, 2.0)",
      ("np.add", "np.multiply"))
world("a partial's keyword", "def h(x, k):\n    return k * x\ng = functools.partial(h, k=2.0)\ndef f(x):\n    return g(x)",
      "g.keywords['k'] = 3.0", ("k=2.0", "k=3.0"))
world("a partial's function of keywords", "def h(x, a):\n    return a(x)\ng = functools.partial(h, a=np.sin)\ndef f(x):\n    return g(x)",
      "g.keywords['a'] = np.exp", ("a=np.sin", "a=np.exp"))
world("a function in a cache", """
    @functools.lru_cache
    def h(k):
        return k * 2.0
    def f(x):
        return h(3) * x
    """, "h = functools.lru_cache(math.exp)", ("k * 2.0", "k * 4.0"))
KEPT = """
    def helper(k):
        return k * 2.0
    @functools.lru_cache
    def h(k):
        return helper(k)
    def f(x):
        return h(3) * x
    """
world("what a function in a cache calls", KEPT, "helper = four", ("k * 2.0", "k * 4.0"))
world("the code of what a function in a cache calls", KEPT, "helper.__code__ = nine.__code__")
world("a default of what a function in a cache calls", KEPT.replace("helper(k):", "helper(k, c=2.0):").replace("* 2.0", "* c"),
      "helper.__defaults__ = (3.0,)", ("c=2.0", "c=4.0"))
world("a cache in place of a function", KEPT.replace("@functools.lru_cache", ""), "h = functools.lru_cache(math.exp)", ("return helper(k)", "return helper(k) * k"))
world("a cache that is emptied", KEPT, "h.cache_clear()\nhelper = nine", ("    return h(3)", "    h.cache_clear()\n    return h(4)"))
SCALED = """
    def scaled(g):
        @functools.wraps(g)
        def wrapper(x):
            return 3.0 * g(x)
        return wrapper
    @scaled
    def f(x):
        return x * x
    """
world("a decorator", SCALED, "f = scaled(f)", ("3.0", "4.0"))
world("a decorator that is a class", """
    class Scaled:
        def __init__(self, g):
            functools.update_wrapper(self, g)
            self.g = g
        def __call__(self, x):
            return 3.0 * self.g(x)
    @Scaled
    def h(x):
        return x * x
    def f(x):
        return h(x)
    """, "h.g = np.exp", ("3.0", "4.0"))
world("what it says it wraps", """
    def h(x):
        return 3.0 * x
    h = functools.wraps(np.linalg.norm)(h)
    def f(x):
        return h(x)
    """, "h.__wrapped__ = np.exp", ("3.0", "4.0"))
world("another function's derivative", """
    from s2sad import grad
    def h(x):
        return x ** 3
    def f(x):
        return grad(h)(x)
    """, "h = three", ("x ** 3", "x ** 4"))
world("what is derived", """
    from s2sad import grad
    def h(x, y):
        return x ** 3 * y ** 2
    d = grad(h, 0)
    def f(x):
        return d(x, x)
    """, "d = grad(h, 1)", ("h, 0", "h, 1"))
world("single dispatch", """
    @functools.singledispatch
    def h(x):
        return x * x
    def f(x):
        return h(x)
    """, "h.register(float)(three)", ("x * x", "x * x * x"))

# --- classes
NET = """
    class Base:
        K = 2.0
        def step(self, x):
            return x * self.scale()
        def scale(self):
            return 2.0
        @property
        def slope(self):
            return 5.0
        @classmethod
        def made(cls, x):
            return cls.K * x
        @staticmethod
        def plain(x):
            return x * x
        def __mul__(self, x):
            return 7.0 * x
        def __call__(self, x):
            return x ** 3
    class Net(Base):
        def __init__(self):
            self.w = 3.0
    net = Net()
    """
world("a method", NET + "def f(x):\n        return net.step(x)", "Base.step = cubed", ("self.scale()", "4.0"))
world("a method that is overridden later", NET + "def f(x):\n        return net.step(x)", "Net.scale = nine",
      ("self.w = 3.0", "self.w = 3.0\n    def scale(self):\n        return 9.0"))
world("a method of a class between", NET + "def f(x):\n        return Net().step(x)", "Net.step = cubed", ("return 2.0", "return 4.0"))
world("a property", NET + "def f(x):\n        return net.slope * x", "Base.slope = property(nine)", ("return 5.0", "return 6.0"))
world("a property that becomes a number", NET + "def f(x):\n        return net.slope * x", "Base.slope = 8.0")
world("a class method", NET + "def f(x):\n        return Net.made(x)", "Base.made = classmethod(cubed)", ("cls.K * x", "x ** 3"))
world("what a cached property calls", "class C:\n    def __init__(self, v):\n        self.v = v\n    @functools.cached_property\n    def q(self):\n        return self.v ** 2\ndef f(x):\n    return C(x).q",
      "C.q.func = lambda self: 7.0 * self.v", ("** 2", "** 3"))
world("a static method", NET + "def f(x):\n        return net.plain(x)", "Base.plain = staticmethod(np.sin)", ("x * x", "x * x * x"))
world("an operator of a class", NET + "def f(x):\n        return net * x", "Net.__mul__ = cubed", ("7.0 * x", "8.0 * x"))
world("a call of an object", NET + "def f(x):\n        return net(x)", "Net.__call__ = tripled", ("x ** 3", "x ** 4"))
world("a constant of a class", NET + "def f(x):\n        return net.K * x", "Base.K = 4.0", ("K = 2.0", "K = 4.0"))
world("a constant that a subclass gets", NET + "def f(x):\n        return net.K * x", "Net.K = 4.0", ("class Net(Base):", "class Net(Base):\n    K = 4.0"))
world("a constant that an object gets", NET + "def f(x):\n        return net.K * x", "net.K = 4.0")
world("a constant of the class itself", NET + "def f(x):\n        return Net.K * x", "Net.K = 4.0", ("K = 2.0", "K = 4.0"))
world("a function in a class", "class A:\n    act = staticmethod(np.sin)\ndef f(x):\n    return A.act(x)", "A.act = staticmethod(np.exp)",
      ("np.sin", "np.exp"))
world("bases", NET + "class Other:\n        K = 6.0\n    class Mine(Net):\n        pass\n    def f(x):\n        return Mine.K * x",
      "class Two(Other, Base):\n    pass\nMine.__bases__ = (Two,)")
world("super", """
    class A:
        def g(self, x):
            return x * x
    class B(A):
        pass
    class C(B):
        def g(self, x):
            return 2.0 * super().g(x)
    def f(x):
        return C().g(x)
    """, "B.g = cubed", ("x * x", "x * x * x"))
world("what is an instance of what", """
    import abc
    class Round(abc.ABC):
        pass
    class Disc:
        pass
    d = Disc()
    def f(x):
        return x * x if isinstance(d, Round) else x
    """, "Round.register(Disc)", ("class Disc:", "class Disc(Round):"))
world("the class of an object", NET + "class Third(Net):\n        def scale(self):\n            return 8.0\n    def f(x):\n        return net.step(x)",
      "net.__class__ = Third", ("net = Net()", "net = types.SimpleNamespace(step=three)"))
world("a field's default", "@dataclass\nclass P:\n    x: float\n    k: float = 2.0\ndef f(x):\n    p = P(x)\n    return p.k * p.x",
      "P = dataclass(type('P', (), {'__annotations__': {'x': float, 'k': float}, 'k': 4.0}))", ("k: float = 2.0", "k: float = 4.0"))
world("a field's factory", "def two():\n    return 2.0\n@dataclass\nclass P:\n    x: float\n    k: float = field(default_factory=two)\n"
      "def f(x):\n    p = P(x)\n    return p.k * p.x", "P.__dataclass_fields__['k'].default_factory = four", ("return 2.0", "return 4.0"))
world("a named tuple's default", "from typing import NamedTuple\nclass P(NamedTuple):\n    x: float\n    k: float = 2.0\n"
      "def f(x):\n    p = P(x)\n    return p.k * p.x", "P.__new__.__defaults__ = (4.0,)", ("= 2.0", "= 4.0"))
world("how a class is called", "class A:\n    def __init__(self, x):\n        self.x = x\ndef f(x):\n    return A(x).x * 2.0",
      "class M(type):\n    def __call__(cls, x):\n        return types.SimpleNamespace(x=5.0 * x)\nclass A(metaclass=M):\n    pass\nA = A",
      ("class A:", "class M(type):\n    def __call__(cls, x):\n        return type.__call__(cls, 3.0 * x)\nclass A(metaclass=M):"))

# --- objects and containers
world("an attribute of a namespace", "c = types.SimpleNamespace(k=2.0)\ndef f(x):\n    return c.k * x", "c.k = 3.0", ("k=2.0", "k=3.0"))
world("a function in a namespace", "c = types.SimpleNamespace(g=np.sin)\ndef f(x):\n    return c.g(x)", "c.g = np.exp", ("g=np.sin", "g=np.exp"))
world("a field of an object", NET + "def f(x):\n        return net.w * x", "net.w = 5.0", ("w = 3.0", "w = 5.0"))
world("a field of another type", NET + "def f(x):\n        return np.sum(net.w * x)", "net.w = np.ones(4)", ("w = 3.0", "w = np.ones(4)"))
world("a function in an object", NET + "net.act = np.sin\n    def f(x):\n        return net.act(x)", "net.act = np.exp", ("net.act = np.sin", "net.act = np.exp"))
world("an object in an object", NET + "net.part = Base()\n    def f(x):\n        return net.part.step(x)", "net.part = Third()", ("self.scale()", "3.0"))
world("a method of an object", NET + "g = net.step\n    def f(x):\n        return g(x)", "g = net.plain", ("self.scale()", "3.0"))
world("the field of a method's object", NET + "class Own(Base):\n        def go(self, x):\n            return self.k * x\n    o = Own()\n    o.k = 2.0\n    g = o.go\n"
      "    def f(x):\n        return g(x)", "o.k = np.exp(1.0)", ("o.k = 2.0", "o.k = 4.0"))
world("an item of a list of functions", "fs = [np.sin, np.cos]\ndef f(x):\n    return fs[0](x)", "fs[0] = np.exp", ("np.sin,", "np.exp,"))
world("an item of a dict of functions", "fs = {'a': np.sin}\ndef f(x):\n    return fs['a'](x)", "fs['a'] = np.exp", ("np.sin", "np.exp"))
world("a tuple of functions", "fs = (np.sin, np.cos)\ndef f(x):\n    return fs[0](x)", "fs = (np.exp, np.cos)", ("np.sin,", "np.exp,"))
world("a list that grows", "ws = [1.0, 2.0]\ndef f(x):\n    s = 0.0\n    for w in ws:\n        s += w * x\n    return s", "ws.append(5.0)", ("2.0]", "2.0, 5.0]"))
world("a dict that gets a key", "p = {'a': 2.0}\ndef f(x):\n    return x * sum(p.values())", "p['b'] = 5.0", ("2.0}", "2.0, 'b': 5.0}"))
world("a dict that loses a key", "p = {'a': 2.0, 'b': 3.0}\ndef f(x):\n    return x * p['a'] if 'b' in p else x", "del p['b']", (", 'b': 3.0", ""))
world("an item of a dict", "p = {'a': 2.0}\ndef f(x):\n    return x * p['a']", "p['a'] = np.array(3.0)", ("2.0}", "3}"))
world("an array", "w = np.array([1.0, 2.0])\ndef f(x):\n    return np.sum(w * x)", "w = np.array([[4.0]])", ("2.0]", "3.0]"))
world("the items of an array", "w = np.array([1.0, 2.0])\ndef f(x):\n    return np.sum(w * x)", "w[0] = 9.0", ("2.0]", "3.0]"))
world("the axes of an array", "w = np.array([1.0, 2.0])\ndef f(x):\n    return np.sum(w @ w.T * x)", "w.shape = (2, 1)", ("2.0])", "2.0]).reshape(2, 1)"))
world("a scalar of NumPy", "k = np.float64(2.0)\ndef f(x):\n    return k * x", "k = np.float64(3.0)", ("64(2.0)", "64(3.0)"))
world("a computed scalar", "k = np.deg2rad(45)\ndef f(x):\n    return k * x", "k = np.deg2rad(90)", ("45", "90"))
world("a member of an Enum", "class E(enum.Enum):\n    A = 1\n    B = 2\nMODE = E.A\ndef f(x):\n    return x * x if MODE is E.A else x", "MODE = E.B",
      ("MODE = E.A", "MODE = E.B"))
world("the value of a member", "class E(enum.Enum):\n    A = 2.0\ndef f(x):\n    return x * E.A.value", "E.A._value_ = 5.0", ("A = 2.0", "A = 5.0"))
world("a member that is an integer", "class E(enum.IntEnum):\n    A = 2\n    B = 3\nN = E.A\ndef f(x):\n    return N * x", "N = E.B", ("N = E.A", "N = E.B"))
world("an itemgetter", "import operator\ng = operator.itemgetter(0)\ndef f(x):\n    return g((x, x * x))", "g = operator.itemgetter(1)", ("getter(0)", "getter(1)"))
world("a vectorized function", "g = np.vectorize(lambda t: t * t)\ndef f(x):\n    return np.sum(g(np.ones(2) * x))", "g = np.vectorize(three)", ("t * t", "t * t * t"))

# --- other modules
TWO = "K = 2.0\ndef g(x):\n    return K * x * x\nw = np.array([1.0, 2.0])\n"
world("a constant of a module", "import OTHER as other\ndef f(x):\n    return other.K * x", "other.K = 3.0", ("K = 2.0", "K = 3.0"), TWO)
world("a function of a module", "import OTHER as other\ndef f(x):\n    return other.g(x)", "other.g = np.exp", ("x * x", "x * x * x"), TWO)
world("what a function of a module sees", "import OTHER as other\ndef f(x):\n    return other.g(x)", "other.K = 3.0", ("K = 2.0", "K = 3.0"), TWO)
world("what an imported function sees", "import OTHER as other\nfrom OTHER import g\ndef f(x):\n    return g(x)", "other.K = 3.0", ("K = 2.0", "K = 3.0"), TWO)
DEEP = "import types, sys\nmod = sys.modules[__name__ + '.mod'] = types.ModuleType(__name__ + '.mod')\nmod.K, mod.g = 2.0, np.sin\n"
world("a constant of a module in a module", "import OTHER as other\ndef f(x):\n    return other.mod.K * x", "other.mod.K = 3.0", ("2.0, np", "3.0, np"), DEEP)
world("a function of a module in a module", "import OTHER as other\ndef f(x):\n    return other.mod.g(x)", "other.mod.g = np.exp", ("np.sin", "np.exp"), DEEP)
world("a module in a module", "import OTHER as other\ndef f(x):\n    return other.mod.K * other.mod.g(x)",
      "other.mod = types.SimpleNamespace(K=4.0, g=np.cos)", ("2.0, np.sin", "4.0, np.cos"), DEEP)
world("two globals of one name", "import OTHER as other\nK = 5.0\ndef f(x):\n    return K * other.g(x)", "K = 6.0", ("K = 2.0", "K = 3.0"), TWO)
world("two arrays of one name", "import OTHER as other\nw = np.array([7.0, 8.0])\ndef f(x):\n    return np.sum(w * other.w * x)", "w = np.array([7.0, 9.0])",
      ("8.0", "9.0"), TWO)
world("names that are spelled alike", "import OTHER as other\nother_w = np.array([7.0, 8.0])\ndef f(x):\n    return np.sum(other_w * other.w * x)",
      "other.w = np.array([7.0, 9.0])", ("8.0", "9.0"), TWO)
world("classes that are named alike", "import OTHER as other\nclass Config:\n    w = np.array([1.0, 5.0])\ndef f(x):\n    return np.sum(Config.w * other.Config.w * x)",
      "other.Config.w = np.array([4.0])", ("3.0", "4.0"), "class Config:\n    w = np.array([2.0, 3.0])\n")
world("paths that are spelled alike", "class A:\n    b_c = np.array([2.0, 3.0])\nclass A_b:\n    c = np.array([4.0, 5.0])\ndef f(x):\n    return np.sum(A.b_c * A_b.c * x)",
      "A.b_c = np.array([1.0, 1.0])", ("5.0", "6.0"))

# --- what decides where something is looked for
ITEM = """
    class M(type):
        k = 2.0
    class A(metaclass=M):
        def __init__(self, v):
            self.v = v
        def __add__(self, o):
            return A(self.v + o)
        def g(self, x):
            return x
    class B(A):
        def g(self, x):
            return 2.0 * super().g(x)
    class Mixed(A):
        pass
    class Both(B, Mixed):
        pass
    a, both = A(2.0), Both(3.0)
    """
world("what the class of a class has", ITEM + "def f(x):\n        return A.k * x", "A.k = 5.0", ("def __init__", "k = 5.0\n    def __init__"))
world("what the class of a class has, replaced", ITEM + "def f(x):\n        return A.k * x", "M.k = 5.0", ("k = 2.0", "k = 5.0"))
world("a special name on an object", ITEM + "def __call__(self, x):\n        return x * x\n    A.__call__ = __call__\n    def f(x):\n        return a(x)",
      "a.__call__ = three", ("x * x", "x * x * x"))
world("a class between two", ITEM + "def f(x):\n        return both.g(x)", "Mixed.g = cubed", ("return x\n", "return x * x\n"))
world("an operator in place", ITEM + "def f(x):\n        a = A(x)\n        a += x\n        return a.v",
      "def times(self, o):\n    self.v = self.v * o\n    return self\nA.__iadd__ = times", ("self.v + o", "self.v * o"))
world("an operator of the right side", ITEM + "def f(x):\n        return (a + x).v", "A.__add__ = lambda s, o: A(s.v * o)", ("self.v + o", "self.v * o"))
world("how fields are set", ITEM + "def f(x):\n        return A(x).v", "A.__setattr__ = lambda s, n, v: object.__setattr__(s, n, 2.0 * v)",
      ("self.v = v", "self.v = 3.0 * v"))
world("how attributes are found", ITEM + "def f(x):\n        return a.v * x", "A.__getattribute__ = lambda s, n: 5.0", ("A(2.0)", "A(4.0)"))
world("a property in place of a field", ITEM + "def f(x):\n        return a.v * x", "A.v = property(nine)", ("A(2.0)", "A(4.0)"))
world("a method that forgets its object", ITEM + "def f(x):\n        return a.g(x)", "A.g = staticmethod(three)", ("return x\n", "return x * x\n"))
world("a slot", "class S:\n    __slots__ = ('k',)\n    def __init__(self):\n        self.k = 2.0\ns = S()\ndef f(x):\n    return s.k * x", "S.k = 7.0",
      ("= 2.0", "= 4.0"))
world("a slot that is filled", "class S:\n    __slots__ = ('k',)\ns = S()\ndef f(x):\n    return x if hasattr(s, 'k') else x * x", "s.k = 7.0",
      ("s = S()", "s = S()\ns.k = 1.0"))
world("constants of code", "def g(x):\n    return 2.0 * x\ndef f(x):\n    return g(x)", "g.__code__ = g.__code__.replace(co_consts=(None, 5.0))",
      ("2.0", "5.0"))
world("what a singledispatch calls later", "class T(float):\n    pass\n@functools.singledispatch\ndef g(x):\n    return x\ndef f(x):\n    return g(x)",
      "g.register(float, three)", ("return x\n", "return x * x\n"))
world("a weak reference", "import weakref\nclass A:\n    k = 2.0\na = A()\nr = weakref.proxy(a)\ndef f(x):\n    return a.k * x", "a.k = 3.0", ("2.0", "4.0"))

# --- text and flags that stand beside arrays, and say what is called
BESIDE = """
    w = np.array([1.0, 2.0])
    def pick(x, mode, w):
        return getattr(np, mode)(x * w * x)
    """
CALLS = "\n    def f(x):\n        return "
world("text in a tuple beside an array", BESIDE + "T = ('sum', w)" + CALLS + "pick(x, *T)", "T = ('prod', w)", ("'sum'", "'prod'"))
world("text in a dict beside an array", BESIDE + "D = {'mode': 'sum', 'w': w}" + CALLS + "pick(x, **D)", "D['mode'] = 'prod'", ("'sum'", "'prod'"))
world("text in a list beside an array", BESIDE + "L = ['sum', w]" + CALLS + "pick(x, L[0], *L[1:])", "L[0] = 'prod'", ("'sum'", "'prod'"))
world("text in a list of tuples", BESIDE + "L = [('sin', w), ('sum', w)]\n    def f(x):\n        for mode, v in L:\n            x = pick(x, mode, v)\n        return x",
      "L[1] = ('prod', w)", ("'sum'", "'prod'"))
world("text in a list of text", "L = ['sin', 'cos']\ndef f(x):\n    for n in L:\n        x = getattr(np, n)(x)\n    return x", "L.append('exp')", ("'cos'", "'exp'"))
world("a flag in a list of flags", "L = [True, False]\ndef f(x):\n    for n in L:\n        x = getattr(np, 'exp' if n else 'sin')(x)\n    return x", "L[1] = True",
      ("False", "True"))
world("text in an object beside an array", BESIDE + "O = types.SimpleNamespace(mode='sum', w=w)" + CALLS + "pick(x, O.mode, O.w)", "O.mode = 'prod'",
      ("'sum'", "'prod'"))
world("text in a dict in an object", BESIDE + "O = types.SimpleNamespace(inner={'mode': 'sum'}, w=w)" + CALLS + "pick(x, O.inner['mode'], O.w)",
      "O.inner['mode'] = 'prod'", ("'sum'", "'prod'"))
world("text in an object of a method", BESIDE + "class M:\n        def __init__(self):\n            self.mode, self.w = 'sum', w\n"
      "        def run(self, x):\n            return pick(x, self.mode, self.w)\n    m = M()\n    run = m.run" + CALLS + "run(x)", "m.mode = 'prod'", ("'sum'", "'prod'"))
world("text among the arguments of a partial", BESIDE + "P = functools.partial(pick, w=w, mode='sum')" + CALLS + "P(x)", "P.keywords['mode'] = 'prod'",
      ("'sum'", "'prod'"))
world("text in a cell beside an array", BESIDE + "def make(*a):\n        return lambda x: pick(x, *a)\n    A = {'mode': 'sum'}\n"
      "    g = make(A, w)\n    def pick(x, a, w):\n        return getattr(np, a['mode'])(x * w * x)" + CALLS + "g(x)", "A['mode'] = 'prod'", ("'sum'", "'prod'"))
