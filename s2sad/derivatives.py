"""The derivatives of one function: specialised, generated, cached and loaded on demand."""

from __future__ import annotations

import contextlib
import copy
import functools
import hashlib
import inspect
import types
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.cache import Cache, Entry
from s2sad.errors import ActivityError, AliasError, SourceError
from s2sad.frontend.entities import Known
from s2sad.frontend.lower.foreign import unwrap
from s2sad.frontend.lower.parts import parse_path, part_name
from s2sad.ir.kinds import NONE, Array, is_differentiable
from s2sad.options import Options
from s2sad.rules.user import injected_objects
from s2sad.runtime import SeedError, SharedMemoryError
from s2sad.specialise import Surroundings, check_differentiable, key_of, kind_for
from s2sad.trees import at


@functools.cache
def compiler_version() -> str:
    """A mark of the compiler's own files, so that a program made by another version is never taken for ours."""
    root = Path(__file__).parent
    stats = sorted((str(p.relative_to(root)), p.stat().st_size, p.stat().st_mtime_ns) for p in root.rglob("*.py"))
    return hashlib.sha256(repr(stats).encode()).hexdigest()


@dataclass(eq=False)
class Compiled:
    """A loaded derivative function, and how to call it."""

    function: Callable[..., Any]
    entry: Entry
    passed: tuple[int, ...]  # the arguments that are run-time values
    free: tuple[str, ...]
    scalar: bool  # the seed may be left out
    plain: bool  # all arguments are passed, by position
    seeds: int  # how many seeds, or tangents, it takes after the arguments


@dataclass(frozen=True)
class Ask:
    """What is asked of a function: mode, inputs, outputs."""

    mode: str
    inputs: tuple[str, ...]
    of: str | None = None
    aux: bool = False


@dataclass(eq=False)
class Seen:
    """What the programs of a function were made for; shared by the derivatives of all its bound methods."""

    surroundings: Surroundings | None = None
    recent: list[Any] | None = None  # the arguments of the last call


class Derivatives:
    """Generates and keeps the derivative functions of one function."""

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        found = unwrap(function)
        self.owner: Any = None
        if isinstance(found, types.MethodType):
            self.owner, found = found.__self__, found.__func__
        if not isinstance(found, types.FunctionType):
            raise SourceError(
                f"{function!r} is not a Python function", why="s2sad transforms the source of functions",
                instead="pass a function defined with def or lambda",
            )  # fmt: skip
        self.function = found
        self.options = options
        self.signature = inspect.signature(found)
        self.parameters = list(self.signature.parameters.values())
        self.names = [p.name for p in self.parameters]
        self.simple = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in self.parameters)
        self.tables: dict[Ask, dict[Hashable, Compiled]] = {}
        self.seen = Seen()

    def bound_to(self, owner: Any) -> Derivatives:
        """The same derivatives for a method of ``owner``."""
        bound = copy.copy(self)
        bound.owner = owner
        return bound

    # --- arguments

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The values of all parameters in order, defaults filled in. Raises TypeError as the function would."""
        if self.owner is not None:
            args = (self.owner, *args)
        if self.simple and not kwargs and len(args) == len(self.names):
            return list(args)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return list(bound.arguments.values())

    def annotated(self) -> list[Any]:
        """Example arguments by annotations and defaults. Raises ActivityError where those do not tell."""
        examples = {float: 1.0, int: 1, bool: True, complex: 1j, "float": 1.0, "int": 1, "bool": True, "complex": 1j}
        values: list[Any] = []
        for p in self.parameters:
            if p.default is not p.empty:
                values.append(p.default)
            elif p.annotation in examples:
                values.append(examples[p.annotation])
            else:
                raise ActivityError(
                    f"the kind of {p.name!r} is not known yet",
                    instead="call a derivative first, or give example arguments: f.source('adjoint', x, y)",
                )
        return values

    def inputs(self, wrt: Any) -> tuple[str, ...]:
        """The parameter (or free variable) names that ``wrt`` means."""
        items = wrt if isinstance(wrt, tuple | list) else (wrt,)
        names: list[str] = []
        for item in items:
            if isinstance(item, bool) or not isinstance(item, int | str):
                raise ActivityError(f"wrt={wrt!r}: positions and names are expected")
            if isinstance(item, str):
                names.append(self._named(item))
                continue
            own = self.argument_names(item + 1)
            if not -len(own) <= item < len(own):
                raise ActivityError(f"wrt={item} is out of range: {self.function.__name__} has {len(own)} parameters")
            names.append(own[item])
        return tuple(names)

    def argument_names(self, count: int = 0) -> list[str]:
        """What the arguments of a call are called; ``*xs`` takes the place of as many as ``count`` needs: ``xs[0]``, ..."""
        own = self.parameters[self.owner is not None :]
        gathered = next((k for k, p in enumerate(own) if p.kind is p.VAR_POSITIONAL), None)
        names = [p.name for p in own if p.kind is not p.VAR_KEYWORD]
        if gathered is None:
            return names
        items = [f"{own[gathered].name}[{k}]" for k in range(count - gathered)]
        return [*names[:gathered], *items, *names[gathered + 1 :]]

    def _named(self, item: str) -> str:
        """A parameter, a free variable, or a path into one (``self.w``), as it is spelled."""
        known = [*self.names, *self.function.__code__.co_freevars]
        try:
            root, path = parse_path(item)
        except ValueError as error:
            raise ActivityError(f"wrt={item!r}: {error}", instead="a name, or a path such as 'self.w'") from None
        if root not in known or (path and root not in self.names):
            raise ActivityError(
                f"{self.function.__name__} has no parameter or free variable {root!r}", instead=f"one of {', '.join(known)}"
            )
        return item.replace(" ", "")

    # --- compiled programs

    def programs(self, ask: Ask) -> dict[Hashable, Compiled]:
        """The programs made for a request so far, by the keys of the arguments."""
        return self.tables.setdefault(ask, {})

    def compiled(self, ask: Ask, values: list[Any], programs: dict[Hashable, Compiled] | None = None) -> Compiled:
        """The derivative function for arguments of these kinds; ``programs`` spares the search for its table."""
        if programs is None:
            programs = self.programs(ask)
        try:
            key = tuple([key_of(v) for v in values])
        except RecursionError:
            raise ActivityError(
                f"an argument of {self.function.__name__} holds itself",
                why="its parts are taken apart, and there is no end to them", instead="an object without a way back to itself",
            ) from None  # fmt: skip
        found = programs.get(key)
        seen = self.seen
        if found is not None and seen.surroundings is not None and seen.surroundings.unchanged():
            return found
        if seen.surroundings is None or not seen.surroundings.unchanged():
            for table in self.tables.values():
                table.clear()
            seen.surroundings = Surroundings(self.function)
        for value in values:
            seen.surroundings.include(value)
        made = programs[key] = self._make(ask, values, key)
        return made

    def _make(self, ask: Ask, values: list[Any], key: Hashable) -> Compiled:
        for name in ask.inputs:
            check_differentiable(self._value_of(name, values), name)
        kinds = {name: kind_for(v, name) for name, v in zip(self.names, values, strict=True)}
        free = tuple(n for n in ask.inputs if n not in self.names)
        passed = tuple(k for k, n in enumerate(self.names) if not isinstance(kinds[n], Known))
        assert self.seen.surroundings is not None
        content = "\n".join(
            [
                compiler_version(),
                np.__version__,
                repr(ask),
                repr(self.options.style),
                _key_text(key),
                self.seen.surroundings.text(),
            ]
        )
        module = (self.function.__module__ or "main").rsplit(".", 1)[-1].strip("_") or "main"
        label = f"{module}.{self.function.__name__.strip('<>')}.{ask.mode}"

        def build() -> str:
            return self.generate(ask, kinds, values)

        entry = self._load(label, content, build)
        name = _identifier(self.function.__name__)
        function = getattr(entry.module, name if ask.mode == "primal" else f"{name}_{ask.mode}")
        defaults = function.__defaults__ or ()
        code = function.__code__
        positional = self._positional(passed)
        scalar = bool(defaults) and ask.mode == "adjoint" and code.co_argcount > positional  # the last one is a seed
        plain = positional == len(values) and not free
        return Compiled(function, entry, passed, free, scalar, plain, code.co_argcount - positional)

    def _positional(self, passed: tuple[int, ...]) -> int:
        return sum(self.parameters[k].kind is not inspect.Parameter.KEYWORD_ONLY for k in passed)

    def _load(self, label: str, content: str, build: Callable[[], str]) -> Entry:
        cache = Cache(self.options.cache_dir, beside=self.function.__code__.co_filename)
        return cache.load(label, content, build, self._injected())

    def _injected(self) -> dict[str, object]:
        """Objects from around the function that generated code refers to by name: arrays, classes, functions."""
        assert self.seen.surroundings is not None
        objects: dict[str, object] = dict(injected_objects())
        objects |= self.seen.surroundings.objects()
        objects |= self.seen.surroundings.defaults()
        for cls in self.seen.surroundings.classes:
            objects.setdefault(cls.__name__, cls)
            objects |= {f"{cls.__name__}_{name}": value for name, value in vars(cls).items() if not name.startswith("__")}
        return objects

    def _value_of(self, name: str, values: list[Any]) -> Any:
        root, path = parse_path(name)
        if root not in self.names:
            return self.free_value(name)
        try:
            return at(values[self.names.index(root)], path)
        except LookupError as error:
            raise ActivityError(f"wrt={name!r}: {root} has no part {error.args[0]!r}") from None

    def free_value(self, name: str) -> Any:
        """The current value of a free variable of a closure."""
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        return cells[name].cell_contents

    def generate(self, ask: Ask, kinds: dict[str, Any], values: list[Any], standalone: bool = False) -> str:
        """The text of a derivative module; ``standalone``: with the helpers that it needs."""
        from s2sad import pipeline

        function, wanted = self.lowered(ask, kinds, values)
        if ask.mode == "primal":
            return pipeline.primal(function, self.options.style).text
        return pipeline.differentiate(function, ask.mode, wanted, self.options.style, standalone).text

    def traced(self, ask: Ask, values: list[Any]) -> Any:
        """The derivative program in which everything has a name, as a ``pipeline.Result``."""
        from s2sad import pipeline

        kinds = {name: kind_for(v, name) for name, v in zip(self.names, values, strict=True)}
        function, wanted = self.lowered(ask, kinds, values)
        return pipeline.traced(function, ask.mode, wanted)

    def lowered(self, ask: Ask, kinds: dict[str, Any], values: list[Any]) -> tuple[Any, Any]:
        """The function in SSA form, and what of it is wanted."""
        from s2sad import pipeline
        from s2sad.ad.request import Wanted
        from s2sad.frontend.resolve import LiveScope
        from s2sad.frontend.source import source_of

        free = {n: kind_for(self._value_of(n, values), n) for n in ask.inputs if n not in self.names}
        source = source_of(self.function)
        function, _ = pipeline.lower(source, LiveScope(self.function), kinds, self.function, free)  # type: ignore[arg-type]
        function.name = _identifier(self.function.__name__)
        outputs = tuple(range(function.returns.leaves()))
        if ask.mode != "primal" and ask.of is None and all(v.kind == NONE for v in function.body.yields):
            written = [n for n in self.names if isinstance(kinds[n], Array)]
            raise ActivityError(
                f"{function.name} returns nothing that could be differentiated",
                instead=f"of={written[0]!r}, for the final contents of an argument" if written else "return the result",
            )
        if ask.aux:
            if function.returns.kind != "tuple" or len(function.returns.items) != 2:
                raise ActivityError(f"has_aux=True, but {function.name} does not return a pair (value, aux)")
            outputs = tuple(range(function.returns.items[0].leaves()))
        outputs = tuple(k for k in outputs if is_differentiable(function.body.yields[k].kind))
        return function, Wanted(tuple(map(part_name, ask.inputs)), outputs, ask.of)

    # --- calls

    def call(self, ask: Ask, values: list[Any], seeds: tuple[Any, ...]) -> Any:
        """Call a derivative program."""
        return self.invoke(self.compiled(ask, values), values, seeds)

    def invoke(self, compiled: Compiled, values: list[Any], seeds: tuple[Any, ...]) -> Any:
        """Call a compiled program. Raises AliasError and ActivityError for what only the arguments show."""
        self.seen.recent = values
        try:
            if compiled.plain:
                return compiled.function(*values, *seeds)
            return self._invoke_with_keywords(compiled, values, seeds)
        except SharedMemoryError as error:
            raise AliasError(str(error)) from error
        except SeedError as error:
            raise ActivityError(str(error)) from error

    def _invoke_with_keywords(self, compiled: Compiled, values: list[Any], seeds: tuple[Any, ...]) -> Any:
        args = [values[k] for k in compiled.passed] if len(compiled.passed) != len(values) else values
        keywords = {part_name(name): self._value_of(name, values) for name in compiled.free}
        positional = []
        for k, value in zip(compiled.passed, args, strict=True):
            if self.parameters[k].kind is inspect.Parameter.KEYWORD_ONLY:
                keywords[self.names[k]] = value
            else:
                positional.append(value)
        return compiled.function(*positional, *seeds, **keywords)


def _identifier(name: str) -> str:
    return "lambda_" if name == "<lambda>" else name


def _key_text(key: Hashable, within: tuple[Any, ...] = ()) -> str:
    """A key as stable text: functions by where they stand (their sources are in the surroundings) and what they see.

    ``within`` are the functions around, which may see themselves.
    """
    if isinstance(key, tuple):
        return "(" + ", ".join(_key_text(k, within) for k in key) + ")"
    if not isinstance(key, types.FunctionType) or key in within:
        return repr(key) if not isinstance(key, types.FunctionType) else key.__qualname__
    place = next((p for p in key.__code__.co_positions() if p[2]), ())
    seen = [*(key.__defaults__ or ()), *(key.__kwdefaults__ or {}).values()]
    for cell in key.__closure__ or ():
        with contextlib.suppress(ValueError):  # an empty one
            seen.append(cell.cell_contents)
    texts = [repr(v) if isinstance(v, bool | int | float | complex | str) else _key_text(key_of(v), (*within, key)) for v in seen]
    return f"{key.__module__}.{key.__qualname__}:{key.__code__.co_filename}:{key.__code__.co_firstlineno}:{place}:{texts}"
