"""Compiled programs as they are called: machine code where it surely means the same, NumPy's program everywhere else.

A compiled program takes arguments of the types that it was made for. It stops with an exception where compiled code would
compute something else than Python (integers that outgrow 64 bits, divisions by zero), as it does for errors of the user's program
(indices out of bounds, failed assertions). Whatever it was: NumPy's program then runs from the start, for this call, and its
result or error is the answer. So a program is compiled only if it may run twice: it writes into no memory of its caller's.

Machine code is kept on disk by ``store``, in the user's private folder and with an authentication code, as programs are: what
Numba itself would keep beside the module is a pickle, which whoever can write there could exchange.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.ir.kinds import Array, Kind, List, Other, Scalar, StructKind, Tuple
from s2sad.runtime import SharedMemoryError
from s2sad.runtime.structures import fields
from s2sad.store import Store

LIMIT = 2**31  # of integers that are handed over: what a program computes with places in arrays fits into 64 bits then


SEED = Other("seed")  # the adjoint of a result of whatever rank: Numba tells by its type


class NotCompiledWarning(UserWarning):
    """A function runs as NumPy, though ``backend="numba"`` was asked for; the text says what, where and why."""


class Native:
    """A compiled program, which calls ``machine``, a function of Numba's.

    ``plain`` gives NumPy's program for arguments, which it makes when it is asked first.
    """

    def __init__(
        self, function: Callable[..., Any], machine: Any, kinds: Sequence[Kind],
        plain: Callable[[Sequence[Any]], Callable[..., Any]],
    ) -> None:  # fmt: skip
        self.function = function
        self.machine = machine
        self.tests = tuple(map(_test, kinds))
        self.plain = plain
        self.compiled = False
        self.__name__ = function.__name__
        self.__code__ = function.__code__
        self.__defaults__ = function.__defaults__

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if keywords or _raising():
            return self.plain(args)(*args, **keywords)
        for test, value in zip(self.tests, args, strict=False):
            if not test(value):
                return self.plain(args)(*args)
        try:
            return self.function(*args) if self.compiled else self._first(args)
        except NotCompiledWarning:  # told to be an error
            raise
        except Exception:  # whatever it is: NumPy's program runs
            pass
        return self.plain(args)(*args)

    def _first(self, args: Sequence[Any]) -> Any:
        """The first call, which compiles."""
        try:
            with progress(self.function.__name__):
                result = self.function(*args)
        except Exception as error:
            if not self.machine.overloads and not isinstance(error, SharedMemoryError):
                self.tests = (lambda _: False,)
                text = f"{self.function.__name__} runs as NumPy: Numba cannot compile it: {_in_short(error)}"
                warnings.warn(text, NotCompiledWarning, stacklevel=5)
            raise
        self.compiled = True
        return result


def _strict() -> bool:
    """Test for a NumPy that is told to do more than to warn of divisions by zero and the like."""
    return not {"ignore", "warn"}.issuperset(np.geterr().values())


SETTING = getattr(getattr(getattr(np, "_core", None), "umath", None), "_extobj_contextvar", None)  # from NumPy 2 on
USUAL = None if SETTING is None or _strict() else SETTING.get()


def _raising() -> bool:
    """``_strict``, of which machine code knows nothing; quickly, where nobody has told NumPy anything."""
    return (SETTING is None or SETTING.get() is not USUAL) and _strict()


@contextlib.contextmanager
def progress(name: str, after: float = 1.0) -> Iterator[None]:
    """Say on a terminal what is being compiled, if that takes more than ``after`` seconds, and how long it took."""
    told: list[float] = []
    start = time.monotonic()

    def tell() -> None:
        told.append(after)
        print(f"s2sad: compiling {name} ...", end="", file=sys.stderr, flush=True)  # noqa: T201

    clock = threading.Timer(after, tell)
    clock.daemon = True
    if sys.stderr is not None and sys.stderr.isatty():
        clock.start()
    try:
        yield
    finally:
        clock.cancel()
        if told:
            print(f" {time.monotonic() - start:.1f} s", file=sys.stderr)  # noqa: T201


def _in_short(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Failed in", "During", "File", "-", "<"))]
    return " ".join(told[:2])


def _test(kind: Kind) -> Callable[[Any], bool]:
    """A test for values of a kind, and no more than compiled code can take."""
    if isinstance(kind, Array):
        dtype, rank = np.dtype(kind.dtype), kind.rank
        return lambda v: type(v) is np.ndarray and v.dtype == dtype and v.ndim == rank
    if isinstance(kind, Scalar) and kind.dtype == "float64":
        return lambda v: type(v) is float or type(v) is np.float64
    if isinstance(kind, Scalar) and kind.dtype == "int64":
        return lambda v: type(v) in (int, np.int64) and bool(-LIMIT < v < LIMIT)
    if isinstance(kind, Scalar) and kind.dtype == "complex128":
        return lambda v: type(v) is complex or type(v) is np.complex128
    if isinstance(kind, Scalar) and kind.dtype == "bool":
        return lambda v: type(v) is bool or type(v) is np.bool_
    if isinstance(kind, Tuple | StructKind):
        tests = tuple(map(_test, kind.items))
        parts = _parts(kind)
        return lambda v: (items := parts(v)) is not None and all(t(x) for t, x in zip(tests, items, strict=True))
    if isinstance(kind, List) and not kind.keyed:
        return _list_test(kind)
    if kind == SEED:
        return lambda v: type(v) in (float, np.float64) or (type(v) is np.ndarray and v.dtype == np.float64)
    return lambda _: False


def _parts(kind: Tuple | StructKind) -> Callable[[Any], Sequence[Any] | None]:
    """A function that gives the parts of a record of this kind; None of another value."""
    count = len(kind.items)
    if isinstance(kind, Tuple):
        sequence: Any = list if kind.listed else kind.cls or tuple
        return lambda v: v if type(v) is sequence and len(v) == count else None
    keys = kind.keys
    if kind.cls is None:
        return lambda v: list(v.values()) if type(v) is dict and tuple(v) == keys else None
    cls = kind.cls

    def parts(value: Any) -> Sequence[Any] | None:
        found = fields(value) if type(value) is cls else {}
        return list(found.values()) if tuple(found) == keys else None

    return parts


def _list_test(kind: List) -> Callable[[Any], bool]:
    """Numba looks at the first item alone, and takes the others for such."""
    test = _test(kind.item)
    if isinstance(kind.item, Array):
        return lambda v: type(v) is list and bool(v) and all(test(x) and x.flags.carray for x in v)
    return lambda v: type(v) is list and bool(v) and all(type(x) is type(v[0]) and test(x) for x in v)


class MachineCode:
    """A cache for Numba, which it asks for code that it has compiled, and gives new code to: in place of its own."""

    cache_path = None

    def __init__(self, store: Store, text: str, version: str) -> None:
        self.store = store
        self.text = text
        self.version = version

    def _request(self, signature: Any, target: Any) -> str:
        import llvmlite
        import numba

        parts = [numba.__version__, llvmlite.__version__, np.__version__, sys.version, self.version, self.text]
        parts += [str(signature), str(target.codegen().magic_tuple())]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code for a signature; None if there is none that can be used."""
        from numba.core.compiler import CompileResult

        target.refresh()
        for payload in self.store.read(self._request(signature, target)):
            try:
                return CompileResult._rebuild(target, *pickle.loads(payload))  # authenticated by the store
            except Exception:
                continue  # of a module that is called otherwise, or of another system
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep code, if it can be kept."""
        from numba.core.serialize import dumps

        if result.library.has_dynamic_globals or result.lifted:
            return
        try:
            data = dumps(result._reduce())
        except Exception:
            return
        self.store.write(self._request(signature, result.target_context), data)

    def flush(self) -> None:
        """Nothing is kept besides."""


def kept_in(store: Store, function: Any, text: str, version: str) -> None:
    """Have the machine code of a compiled function kept on disk."""
    function._cache = MachineCode(store, f"{function.__name__}\n{text}", version)
