"""The log of a program as one generated function: whether all that was seen is still so, as cheaply as Python can be asked.

    0  code    -       2 code f 9c41e0...         f.__code__ is c
    0  global  K       float 0.5                  K is k               f's own names: asked for as f itself does
    0  global  abs     absent                                          the next line asks for both
    0  builtin abs     3 is builtins.abs          abs is b
    1  default act     5 is numpy.tanh            h.__defaults__ is d

All that a test mentions is a parameter of that function, whose default is what was seen. Its global names are those of the
function that is differentiated: Python finds these several times faster than the keys of a dictionary.
"""

from __future__ import annotations

import keyword
import re
import types
import unicodedata
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from s2sad.frontend.observe import (
    ABSENT,
    BY_OBJECT,
    HELPERS,
    NUMBERS,
    STEPS,
    Log,
    Sized,
    Valued,
    cell_of,
    key_of,
    sized_key_of,
    valued_key_of,
)
from s2sad.ir.code import RENEW
from s2sad.ir.kinds import APART, Condition, place_of
from s2sad.rules import registry
from s2sad.runtime.directions import ROWS
from s2sad.runtime.guards import lies_apart
from s2sad.runtime.structures import IMMUTABLE, fields, is_record

WORDS = re.compile(r"(?<![.\w])[^\W\d]\w*")
FUNCTIONS: dict[str, Any] = {
    **HELPERS, "getattr": getattr, "issubclass": issubclass, "key_of": key_of, "ndarray": np.ndarray, "registry": registry,
    "len": len, "type": type, "valued_key_of": valued_key_of, "sized_key_of": sized_key_of,
}  # fmt: skip
# What is given after the arguments: "like" one of them, in its layout; "rows": as many of it, one a row, where no more than
# ROWS numbers; "any": what is not looked at; "none": None, which is not handed on. The number is that of the argument.
Along = tuple[Literal["like", "rows", "any", "none"], int]


class Guard:
    """The conditions for using a program again: ``holds()`` asks for all that its log says, ``fits(args)`` for sizes."""

    def __init__(self, log: Log, conditions: Sequence[Condition] = (), names: Sequence[str] = ()) -> None:
        self._function = log.objects[0]
        space = self._function.__globals__
        self._space: dict[str, Any] = space if type(space) is dict else {}
        self._locals: dict[int, tuple[str, Any]] = {}
        self._mark = "_"
        while any(isinstance(name, str) and name.startswith(self._mark) for _, _, name in log.found):
            self._mark += "_"
        self._builtins = _builtins(types.FunctionType(_nothing.__code__, self._space))
        self._tests = list(dict.fromkeys([self._spelled(f"registry.revision == {log.revision}", {}), *self._asked(log)]))
        self.holds: Callable[[], bool] = self._made((), f"""
    try:
        return {' and '.join(self._tests)}
    except {self._local(Exception)}:
        return False""")  # fmt: skip
        self._conditions, self._names, self.taken = conditions, names, len(conditions)
        self.fits: Callable[[Sequence[Any]], bool] = self._fitting() if conditions else _always

    def entry(
        self, key: Sequence[Hashable], program: Callable[..., Any], seen: Any, refuse: Callable[..., Any],
        along: Sequence[Along] | None = None,
    ) -> Callable[..., Any]:  # fmt: skip
        """A function of the arguments that runs a program for arguments of this key; it gives None where that may not be used.

        ``seen.recent`` becomes the arguments; ``refuse`` is called with what the program raises, and the arguments.
        ``along``: the program takes tangents or seeds, too, and the function a second sequence, each as is told here.
        """
        given = [f"{self._mark}x{k}" for k in range(len(key))]
        tests = [self._spelled(*_argument(wanted), at=name) for name, wanted in zip(given, key, strict=True)]
        parameters, taken, unpacked = [f"{self._mark}args"], list(given), f"{', '.join(given)}, = {self._mark}args"
        if along is not None:
            parameters.append(f"{self._mark}dots")
            dots = [f"{self._mark}y{k}" for k in range(len(along))]
            unpacked += f"; {', '.join(dots)}, = {self._mark}dots"
            for name, (how, of) in zip(dots, along, strict=True):
                if how == "none":
                    tests.append(self._spelled("x is v", {"v": None}, at=name))
                    continue
                if how != "any":
                    tests.append(self._spelled(*TANGENTS[how](key[of]), at=name, of=given[of]))
                taken.append(name)
            if rows := [name for name, (how, _) in zip(dots, along, strict=True) if how == "rows"]:
                tests += [self._spelled("len(x) == len(y)", {}, at=name, of=rows[0]) for name in rows[1:]]
        tests += self._sizes(given)
        if RENEW in self._function.__dict__:
            tests.append(self._spelled("renew(o)", {"o": self._function}))
        failure = self._local(Exception)
        made: Callable[..., Any] = self._made(tuple(parameters), f"""
    try:
        {unpacked}
        if not ({' and '.join(tests + self._tests)}):
            return None
    except {failure}:
        return None
    {self._local(seen)}.recent = {self._mark}args
    try:
        return {self._local(program)}({', '.join(taken)})
    except {failure} as {self._mark}error:
        {self._local(refuse)}({self._mark}error, {self._mark}args)
        raise""")  # fmt: skip
        return made

    def _fitting(self) -> Callable[[Sequence[Any]], bool]:
        """A test of arguments: whether their sizes are as the program takes for granted."""
        given = f"{self._mark}args"
        found: Callable[[Sequence[Any]], bool] = self._made((given,), f"""
    try:
        return {' and '.join(self._sizes([f'{given}[{k}]' for k in range(len(self._names))]))}
    except {self._local(Exception)}:
        return False""")  # fmt: skip
        return found

    def _sizes(self, given: Sequence[str]) -> Iterator[str]:
        """The conditions, as tests of arguments with these names."""
        for condition in self._conditions:
            yield condition.text.format(*(self._size(symbol, given) for symbol in condition.symbols))

    def _size(self, symbol: tuple[Any, ...], given: Sequence[str]) -> str:
        root, path = place_of(symbol)
        at = given[self._names.index(root)]
        if path:
            at = f"{self._local(part_at)}({at}, {self._local(path)})"
        if symbol[0] == APART:
            return f"{self._local(lies_apart)}({at})"
        return f"{at}.shape[{symbol[2]}]" if symbol[0] == "axis" else at

    def _made(self, parameters: tuple[str, ...], body: str) -> Any:
        own = dict(self._locals.values())
        scope: dict[str, Any] = {}
        text = f"def made({', '.join([*parameters, *(f'{name}=None' for name in own)])}):{body}\n"
        exec(compile(text, "<s2sad guard>", "exec"), scope)  # noqa: S102 - the text is made of tests and names
        return types.FunctionType(scope["made"].__code__, self._space, "guard", tuple(own.values()))

    # --- the text of tests

    def _local(self, thing: Any) -> str:
        """The parameter that stands for an object."""
        return self._locals.setdefault(id(thing), (f"{self._mark}{len(self._locals)}", thing))[0]

    def _spelled(self, test: str, bound: Mapping[str, Any], at: str = "", of: str = "") -> str:
        """A test with names in place of letters: o, n, p, v stand for what is bound, x for the argument ``at``, y for ``of``."""

        def name(found: re.Match[str]) -> str:
            word = found[0]
            if word in bound:
                thing = bound[word]
                return repr(thing) if word == "n" and type(thing) in (str, int) else self._local(thing)
            if word in ("x", "y"):
                return at if word == "x" else of
            return self._local(FUNCTIONS[word]) if word in FUNCTIONS else word

        return WORDS.sub(name, test)

    def _asked(self, log: Log) -> Iterator[str]:
        for (number, step, name), found in log.found.items():
            owner = log.objects[number]
            if step in ("global", "builtin") and self._is_near(owner, name):
                if found is not ABSENT:
                    yield f"{name} is {self._local(found)}"
                    continue
                if step == "global" and log.found.get((number, "builtin", name), ABSENT) is not ABSENT:
                    continue  # a global of that name would be found in place of the builtin
            by = log.objects[name] if step in BY_OBJECT else name
            for test, bound in checks(owner, step, by, found):
                yield self._spelled(test, bound)

    def _is_near(self, owner: Any, name: str) -> bool:
        """Test for a name that the generated function finds as the function itself does."""
        plain = name.isidentifier() and not keyword.iskeyword(name) and name != "__debug__"
        same = owner.__globals__ is self._space and _builtins(owner) is self._builtins
        return plain and same and unicodedata.normalize("NFKC", name) == name


def _nothing() -> None: ...


def _always(args: Sequence[Any]) -> bool:
    return True


def part_at(value: Any, path: Sequence[Any]) -> Any:
    """The part of an argument by keys, positions and names of attributes."""
    for key in path:
        value = fields(value)[key] if is_record(value) else value[key]
    return value


def _builtins(function: Any) -> Any:
    return function.__builtins__


SIZES = {8: "{} >= 8", 4: "4 <= {} < 8", 1: "{} == 1", 0: "{} in (0, 2, 3)"}  # what is asked of a size, by ``floor_of``


def _argument(key: Hashable) -> tuple[str, dict[str, Any]]:
    """The question about one argument ``x``: enough that its key is this one."""
    if key in NUMBERS:
        return "type(x) is v", {"v": key}
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], np.dtype):
        sizes = "".join(f" and {SIZES[floor].format(f'x.shape[{k}]')}" for k, floor in enumerate(key[1]))
        return f"type(x) is ndarray and x.dtype is v and x.ndim == {len(key[1])}{sizes}", {"v": key[0]}
    by = "sized_key_of" if isinstance(key, Sized) else "valued_key_of" if isinstance(key, Valued) else "key_of"
    return f"{by}(x) == v", {"v": key}


def has_plain_tangents(key: Hashable) -> bool:
    """Test for a key of numbers and arrays whose tangents one look tells to be like them."""
    return key in (float, complex) or (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], np.dtype))


def _tangent(key: Hashable) -> tuple[str, dict[str, Any]]:
    """The question about the tangent ``x`` of an argument ``y`` of this key, so that a program takes it as it is."""
    if not isinstance(key, tuple):
        return "type(x) is v", {"v": key}
    laid = " and x.strides == y.strides" * (len(key[1]) > 1)
    return f"type(x) is ndarray and x.dtype is v and x.shape == y.shape{laid}", {"v": key[0]}


def _rows(key: Hashable) -> tuple[str, dict[str, Any]]:
    """The same for several tangents ``x`` of it, one a row."""
    dtype, shape, laid = np.dtype(key if isinstance(key, type) else key[0]), "()", ""  # type: ignore[index]
    if isinstance(key, tuple):
        shape, laid = "y.shape", " and x.flags.c_contiguous and y.flags.c_contiguous" * (len(key[1]) > 1)
    test = f"type(x) is ndarray and x.dtype is v and x.ndim and x.shape[1:] == {shape} and 0 < x.size <= n{laid}"
    return test, {"v": dtype, "n": ROWS}


TANGENTS = {"like": _tangent, "rows": _rows}


def checks(owner: Any, step: str, name: Any, found: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The questions for one line of a log: expressions, and the meanings of the letters in them."""
    if step in ("global", "builtin"):
        yield _item(owner.__globals__ if step == "global" else owner.__builtins__, name, found)
    elif step == "attribute" and isinstance(owner, types.ModuleType) and _is_plain(owner, name):
        yield "type(o) is v", {"o": owner, "v": types.ModuleType}
        yield _item(vars(owner), name, found)
    elif step == "cell" and found is not ABSENT:
        yield "p.cell_contents is v", {"p": cell_of(owner, name), "v": found}
    elif step == "default" and name in owner.__code__.co_varnames[: owner.__code__.co_argcount]:
        yield "o.__defaults__ is v", {"o": owner, "v": owner.__defaults__}
    elif step == "keeps" and owner.__kwdefaults__ is None:
        yield "o.__defaults__ is v and o.__kwdefaults__ is None", {"o": owner, "v": owner.__defaults__}
    elif step == "order":
        yield "o.__mro__ is v and type(o) is n", {"o": owner, "v": found, "n": type(owner)}
    elif step == "layout" and type(owner) is np.ndarray:
        yield "o.dtype is v and o.ndim == n", {"o": owner, "v": owner.dtype, "n": owner.ndim}
    elif step == "own":
        yield _item(owner.__dict__, name, found)
    elif step == "member":
        for base in owner.__mro__:
            here = base.__dict__.get(name, ABSENT)
            if not base.__flags__ & IMMUTABLE:
                yield _item(base.__dict__, name, here)
            if here is not ABSENT:
                return
    elif STEPS[step][1]:
        yield STEPS[step][1], {"o": owner, "n": name, "v": found}


def _item(table: Mapping[str, Any], name: str, found: Any) -> tuple[str, dict[str, Any]]:
    """The question about what a dictionary has under a name; a KeyError counts as no."""
    if found is ABSENT:
        return "n not in p", {"p": table, "n": name}
    return "p[n] is v", {"p": table, "n": name, "v": found}


def _is_plain(module: types.ModuleType, name: str) -> bool:
    """Test for a module whose dictionary tells what an attribute is."""
    return type(module) is types.ModuleType and (name in vars(module) or "__getattr__" not in vars(module))
