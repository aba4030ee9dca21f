"""Trees as vectors: ``ravel(tree)`` gives all numbers of a tree in one vector, and the way back, a function with source.

    vector, unravel = ravel({"w": w, "b": 0.5})     # w: float64 of shape (2, 3)

    def unravel(vector):
        vector = np.asarray(vector)
        if vector.shape != (7,):
            raise ValueError(...)
        return {"w": vector[1:7].reshape((2, 3)).astype(np.float64), "b": float(vector[0])}

So ``grad(lambda v: loss(unravel(v)))`` is a program like others, in every mode and order.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import itertools
import linecache
import types
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from s2sad.errors import SettingError
from s2sad.ir.kinds import Lasting, check_type
from s2sad.options import entry
from s2sad.rules.transformations import transformation
from s2sad.runtime.structures import record
from s2sad.trees import copied, is_inexact, parts

COPYING = ("__copy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
_files = itertools.count()


@transformation("ravel")
@entry
def ravel(tree: Any) -> tuple[Any, Unravel]:
    """``(vector, unravel)``: all floating numbers of a tree in one vector, and the way back.

    The vector, of shape (n,), has the dtype that holds them all; ``unravel(vector)`` gives a tree of the same structure, shapes
    and dtypes. Items of dicts come by their keys in order, as in JAX, so that equal dicts give equal vectors (as they were
    entered, where keys cannot be compared); all else as it stands. Leaves that have no derivative (integers, text, functions)
    are not in the vector, and are those of ``tree``. ``unravel`` raises ValueError for a vector of another size; it may be
    called in differentiated functions: ``grad(lambda v: loss(unravel(v)))(vector)``. (As ``ravel_pytree`` in JAX.)
    """
    tree = copied(tree)
    inexact = [leaf for _, leaf in _in_order(tree) if is_inexact(leaf)]
    for leaf in inexact:
        check_type(leaf)
    dtype = np.result_type(*(np.asarray(leaf).dtype for leaf in inexact)) if inexact else np.dtype(float)
    vector = np.concatenate([np.zeros(0, dtype), *(np.ravel(leaf) for leaf in inexact)]).astype(dtype, copy=False)
    return vector, Unravel(tree)


def _in_order(tree: Any, path: tuple[Hashable, ...] = ()) -> Iterator[tuple[tuple[Hashable, ...], Any]]:
    """The leaves as they lie in the vector, with their paths."""
    inner = parts(tree)
    if inner is None:
        yield path, tree
        return
    keys = list(inner)
    if isinstance(tree, dict):
        with contextlib.suppress(TypeError):  # keys that cannot be compared
            keys = sorted(inner, key=_itself)
    for key in keys:
        yield from _in_order(inner[key], (*path, key))


def _itself(key: Any) -> Any:
    return key


class Unravel(Lasting):
    """Makes a tree of a vector: ``function`` is the program that does."""

    def __init__(self, like: Any) -> None:
        self.like = like
        self.complex = any(is_inexact(leaf) and np.iscomplexobj(leaf) for _, leaf in _in_order(like))
        self.function = _written(like, self.complex)
        self.__name__ = self.__qualname__ = "unravel"

    @entry
    def __call__(self, vector: Any) -> Any:
        """The tree that holds the numbers of ``vector``. Raises SettingError, a ValueError, for one of another size or kind."""
        try:
            vector = np.asarray(vector)
            if np.iscomplexobj(vector) and not self.complex and not np.any(np.imag(vector)):
                vector = np.real(vector)
            return self.function(vector)
        except (TypeError, ValueError) as error:
            raise SettingError(f"unravel is given what is no vector for its tree: {error}") from error

    def __reduce__(self) -> tuple[Any, ...]:
        return Unravel, (self.like,)

    def __copy__(self) -> Unravel:
        return self

    def __deepcopy__(self, memo: object) -> Unravel:
        return self


def _is_ordinary(cls: type, name: str) -> bool:
    """Test for a class that has what ``object`` has under a name, or nothing."""
    return getattr(cls, name, None) is getattr(object, name, None)


class _Writer:
    """Writes the expression that makes a tree; what has no literal gets a name in ``scope``."""

    def __init__(self, like: Any, mixed: bool) -> None:
        self.mixed = mixed  # numbers of the vector are complex, some of the tree are not
        self.scope: dict[str, Any] = {"np": np, "__name__": "s2sad_vectors", "record": record}
        self.scope |= {"copy": copy.copy, "replace": dataclasses.replace}
        self.lines: list[str] = []
        self.places: dict[tuple[Hashable, ...], tuple[int, int]] = {}
        self.real: list[str] = []
        start = 0
        for path, leaf in _in_order(like):
            if is_inexact(leaf):
                self.places[path] = start, start + np.size(leaf)
                start += np.size(leaf)
        self.size = start
        self.text = self.tree(like, ())

    def named(self, thing: Any) -> str:
        """A name for an object, or its literal."""
        if type(thing) in (int, bool, str, type(None)):
            return repr(thing)
        name = f"known_{len(self.scope)}"
        self.scope[name] = thing
        return name

    def tree(self, like: Any, path: tuple[Hashable, ...]) -> str:
        """The expression for a tree or leaf."""
        inner = parts(like)
        if inner is None:
            return self.leaf(like, path) if path in self.places else self.named(like)
        made = {key: self.tree(item, (*path, key)) for key, item in inner.items()}
        if isinstance(like, dict):
            return "{" + ", ".join(f"{self.named(key)}: {text}" for key, text in made.items()) + "}"
        if isinstance(like, list):
            return f"[{', '.join(made.values())}]"
        if type(like) is tuple:
            return f"({', '.join(made.values())}{',' * (len(made) == 1)})"
        if isinstance(like, tuple):
            return f"{self.named(type(like))}({', '.join(made.values())})"
        return self.object(like, made)

    def object(self, like: Any, made: dict[Hashable, str]) -> str:
        """The expression for an object with these attributes, whose ``__init__`` does not run."""
        cls = type(like)
        plain = all(_is_ordinary(cls, name) for name in COPYING)
        if plain and _is_ordinary(cls, "__setattr__"):
            name = f"made_{len(self.lines)}"
            stores = "".join(f"\n    {name}.{attribute} = {text}" for attribute, text in made.items())
            self.lines.append(f"    {name} = copy({self.named(like)}){stores}\n")
            return name
        if plain and dataclasses.is_dataclass(like) and not hasattr(cls, "__post_init__"):
            given = ", ".join(f"{attribute}={text}" for attribute, text in made.items())
            if all(field.init for field in dataclasses.fields(like)):
                return f"replace({self.named(like)}, {given})"
        return f"record({self.named(like)}, {tuple(made)!r}, {', '.join(made.values())})"  # which is not followed

    def leaf(self, like: Any, path: tuple[Hashable, ...]) -> str:
        """The expression for a number or an array of numbers."""
        start, stop = self.places[path]
        if not np.iscomplexobj(like):
            self.real.append(f"vector[{start}:{stop}]")
        kind = f"np.{like.dtype.name}" if hasattr(like, "dtype") and like.dtype.isnative else ""
        real = ".real" if self.mixed and not np.iscomplexobj(like) else ""
        if not isinstance(like, np.ndarray):
            kind = kind or type(like).__name__
            return f"{kind}(vector[{start}]{real})"
        return f"vector[{start}:{stop}]{real}.reshape({like.shape}).astype({kind or repr(like.dtype.str)})"


def _written(like: Any, mixed: bool) -> Callable[[Any], Any]:
    """The program that makes a tree like this one of a vector."""
    writer = _Writer(like, mixed)
    text = f'''def unravel(vector):
    vector = np.asarray(vector)
    if vector.shape != ({writer.size},):
        raise ValueError(f"a vector of {writer.size} numbers is expected, and one of shape {{vector.shape}} is given")
'''
    tests = [f"np.any({part}.imag)" for part in writer.real] if mixed else ["np.iscomplexobj(vector)"]
    for test in tests:
        text += f'''    if {test}:
        raise ValueError("a real leaf of the tree is given numbers with imaginary parts")
'''
    text += "".join(writer.lines) + f"    return {writer.text}\n"
    file = f"<s2sad unravel {next(_files)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), writer.scope)  # noqa: S102 - the text is made of literals and names
    made: types.FunctionType = writer.scope["unravel"]
    weakref.finalize(made.__code__, linecache.cache.pop, file, None)
    return made
