"""Mutants of the corpora's programs: each is right, refused by name, or raises what Python raises.

``python tests/mutants.py FIRST COUNT [WORKERS]`` examines mutants in processes of their own, and prints what is wrong; a number
is one mutant as long as the corpora stay as they are, from a million on one of more mutations.
``python tests/mutants.py show NUMBER`` prints one, ``one NUMBER`` examines it here.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import importlib
import inspect
import io
import itertools
import linecache
import multiprocessing as mp
import os
import random as randoms
import re
import resource
import signal
import sys
import tempfile
import textwrap
import time
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from ad.container_programs import BODIES, MENDED
from ad.container_programs import programs as in_containers
from click.testing import CliRunner
from memory_programs import AROUND, CLASSES, written
from mutations import HELPER, mutate
from programs.case import Case, all_cases
from programs.language import language_cases
from programs.libraries import library_programs
from recursion_programs import MEMORY, VALUES

from s2sad import CompilerError, S2sadError, testing
from s2sad.api import jvp, vjp
from s2sad.cli import main as command_line
from s2sad.trees import is_inexact, leaves, mapped, parts

SEED = 20240301
LONGEST, PLAINLY = 60.0, 2.0  # seconds for a mutant, and for a call of it
MODES = ("tangent", "adjoint")
STAIRS, STEEP = ("//", "%", "floor", "ceil", "rint", "round", "trunc"), 1e4  # where steps of ones may look like a slope
VECTOR = np.array([0.31, 0.52, 0.83, 0.24, 1.15, 0.76])
# Kinds that an argument is replaced by.
KINDS: dict[str, Callable[[Any], Any]] = {
    "float": lambda x: float(np.sum(x)), "int": lambda x: int(np.sum(x)), "integers": lambda x: np.asarray(x).astype(int),
    "list": lambda x: np.asarray(x).tolist(), "tuple": lambda x: tuple(np.ravel(x).tolist()), "text": lambda x: "k",
    "None": lambda x: None, "complex": lambda x: np.asarray(x)[()] + 0.5j, "0-d": lambda x: np.asarray(np.sum(x)),
    "empty": lambda x: np.zeros((0,) * np.ndim(x) or 0), "single": lambda x: np.asarray(x).astype(np.float32)[()],
    "truth": lambda x: np.asarray(x) > 0.5, "row": lambda x: np.asarray(x)[None], "column": lambda x: np.asarray(x)[..., None],
    "one": lambda x: np.ravel(x)[:1], "fewer": lambda x: np.asarray(x)[:-1], "backwards": lambda x: np.asarray(x)[::-1],
    "columns first": lambda x: np.asfortranarray(np.asarray(x)), "dict": lambda x: {"k": x},
    "NumPy's": lambda x: np.float64(np.sum(x)),
    "true": lambda x: True, "stepped": lambda x: np.repeat(np.asarray(x), 2, axis=0)[::2],
    "swapped": lambda x: np.asarray(x).astype(">f8"),
}  # fmt: skip


@dataclass(frozen=True)
class Program:
    """A function of a module given as text; ``make`` gives arguments for it, of the module's own classes."""

    title: str
    text: str
    entry: str
    make: Callable[[types.ModuleType], tuple[Any, ...]]
    of: str | None = None
    package: str = ""
    given: Any = None  # what its module finds under the name ``given_``


# --- the corpora


def needed(tree: ast.Module, *roots: str) -> ast.Module:
    """A module with the definitions alone that some names need."""
    defined: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        for name in _bound(statement):
            defined.setdefault(name, []).append(statement)
    always = [s for s in tree.body if not _bound(s)]
    kept, rest = set(map(id, always)), [*roots, *_read(always)]
    while rest:
        for statement in defined.pop(rest.pop(), ()):
            kept.add(id(statement))
            rest += _read([statement])
    return ast.Module([s for s in tree.body if id(s) in kept], [])


def _read(statements: list[ast.stmt]) -> list[str]:
    return [n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name)]


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return []
    return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def of_case(case: Case) -> Program:
    """A program of the corpora of cases: the module keeps its one case."""
    module = inspect.getmodule(case.function)
    tree = ast.parse(Path(str(inspect.getsourcefile(case.function))).read_text())
    table = next(s for s in tree.body if "CASES" in _bound(s))
    call = next(n for n in ast.walk(table) if isinstance(n, ast.Call) and n.args and ast.unparse(n.args[0]) == case.name)
    tree.body[tree.body.index(table)] = ast.parse(f"CASES = ({ast.unparse(call)},)").body[0]
    text = ast.unparse(needed(tree, "CASES"))
    package = str(module.__package__) if module else ""
    return Program(case.name, text, case.name, lambda m: m.CASES[0].make(np.random.default_rng(SEED)), case.of, package)


def of_library(title: str, function: Any) -> Program:
    module = inspect.getmodule(function)
    tree = ast.parse(Path(str(inspect.getsourcefile(inspect.unwrap(function)))).read_text())
    name = title.partition(".")[2]
    first = inspect.unwrap(function).__code__.co_varnames[0]
    point = 1.3 if first == "s" else np.array([0.7, 1.3, 2.1])
    package = str(module.__package__) if module else ""
    return Program(title, ast.unparse(needed(tree, name)), name, lambda m: (copy.copy(point),), None, package)


def of_vector(title: str, text: str, size: int = 6) -> Program:
    return Program(title, ast.unparse(ast.parse(text)), "f", lambda m: (VECTOR[:size].copy(),))


@functools.cache
def corpora() -> list[list[Callable[[], Program]]]:
    """Each corpus's programs, which are made when they are asked for."""
    cases = [[functools.partial(of_case, c) for c in found] for found in (all_cases(), language_cases())]
    libraries = [functools.partial(of_library, *item) for item in library_programs().items()]
    around = itertools.cycle(["", *AROUND])
    vectors = {
        **{f"{family}: {name}": written(body, next(around)) for family, table in CLASSES.items()
           for name, body in table.items() if family != "stopped"},  # whose derivatives are not those of differences
        **{f"recursion: {name}": written(body, around) for name, body in (VALUES | MEMORY).items() for around in ("", "loop")},
    }
    boxes = {f"{name}, {way}": text for name, body in (BODIES | MENDED).items() for way, text in in_containers(body).items()}
    return [
        *cases, libraries, [functools.partial(of_vector, *item) for item in vectors.items()],
        [functools.partial(of_vector, *item, 4) for item in boxes.items()],
    ]  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A mutated program; ``kinds`` are what its arguments are replaced by, by position."""

    number: int
    program: Program
    made: tuple[str, ...]
    kinds: tuple[tuple[int, str], ...]

    def args(self, module: types.ModuleType) -> list[Any]:
        """Fresh arguments."""
        args = list(self.program.make(module))
        for position, kind in self.kinds:
            with contextlib.suppress(TypeError, ValueError, IndexError):
                args[position % len(args)] = KINDS[kind](args[position % len(args)])
        return args


ATTEMPTS = 12
MANY = 1_000_000  # of mutants from this one on
COUNTS = (1, 2, 2, 3), (3, 4, 5, 6)  # the numbers of mutations


@functools.lru_cache(4)
def mutant(number: int) -> Mutant:
    """The mutant of a number: of four numbers, three prefer one that runs in Python."""
    made = [drawn(number, 0)]
    with tempfile.TemporaryDirectory() as folder:
        while number % 4 and len(made) < ATTEMPTS and not Subject(made[-1], Path(folder), made[-1].program).runs():
            made.append(drawn(number, len(made)))
    return made[-1]


def drawn(number: int, attempt: int) -> Mutant:
    random = randoms.Random(number * ATTEMPTS + attempt)
    corpus = random.choice(corpora())
    program = random.choice(corpus)()
    for _ in range(20):
        tree = ast.parse(program.text)
        functions = [f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and len(ast.unparse(f)) < 3000]
        own = [f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == program.entry and f in functions]
        kinds = [(random.randrange(8), random.choice([*KINDS]))] if random.random() < 0.15 else []
        try:
            made = mutate(random, tree, functions + own * len(functions), random.choice(COUNTS[number >= MANY]))
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n\n\n" + HELPER
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "mutant", "exec")
        except (SyntaxError, ValueError):
            continue
        return Mutant(number, replace(program, text=text), tuple(made), tuple(kinds))
    return Mutant(number, program, (), ())


# --- one program, as Python and as derivatives

class Slow(BaseException):
    """A call that does not end."""


def load(program: Program, folder: Path) -> types.ModuleType:
    """A fresh module of a program, in a file."""
    name = f"mutant_{os.getpid()}_{crc32(program.text.encode())}"
    file = folder / f"{name}.py"
    if not file.exists():
        file.write_text(program.text)
        linecache.checkcache(str(file))
    module = types.ModuleType(name)
    module.__dict__.update(__file__=str(file), __package__=program.package, given_=program.given)
    sys.modules[name] = module
    exec(_compiled(program.text, str(file)), module.__dict__)
    return module


@functools.lru_cache(8)
def _compiled(text: str, file: str) -> types.CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(text, file, "exec")


@dataclass
class Call:
    """What a call has given: a value or an exception, and its arguments afterwards."""

    value: Any = None
    error: BaseException | None = None
    args: list[Any] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


def called(run: Callable[[], Any], seconds: float) -> Call:
    """What a call gives that may print, warn, raise and never end."""

    def stop(*_: object) -> None:
        raise Slow

    np.random.seed(SEED)
    randoms.seed(SEED)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    found = Call()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), \
                warnings.catch_warnings(record=True) as told:  # fmt: skip
            warnings.simplefilter("always")
            found.value = run()
    except (Exception, SystemExit, Slow) as error:
        found.error = error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    found.told = [str(w.message) for w in told if "s2sad" in str(w.category.__module__)]
    return found


@dataclass
class Subject:
    """A mutant's program, and what Python makes of it."""

    mutant: Mutant
    folder: Path
    program: Program

    def plain(self, step: float = 0.0, along: Any = ()) -> Call:
        """A call of the program, its arguments moved along directions."""
        module = load(self.program, self.folder)
        args = self.mutant.args(module)
        for position, direction in along:
            args[position] = testing._moved(args[position], direction, step)

        def run() -> Any:
            value = getattr(module, self.program.entry)(*args)
            return args[self.at] if self.program.of else value

        found = called(run, PLAINLY)
        found.args = args
        return found

    @property
    def at(self) -> int:
        module = load(self.program, self.folder)
        return list(inspect.signature(getattr(module, self.program.entry)).parameters).index(str(self.program.of))

    def live(self, ask: Callable[[Any, list[Any]], Any]) -> Call:
        """What ``ask`` gives of the program's function and arguments."""
        module = load(self.program, self.folder)
        args = self.mutant.args(module)
        found = called(lambda: ask(getattr(module, self.program.entry), args), LONGEST)
        found.args = args
        return found

    def runs(self) -> bool:
        """Test for a program that raises nothing."""
        try:
            return self.plain().error is None
        except Exception:
            return False

    def tells(self) -> bool:
        """Test for a program that does the same each time, reads no memory that nobody has written, and is not refused itself,
        where it calls derivatives."""
        found: list[Call] = []
        for number in (0.1, 0.7) if "empty" in self.program.text else (0.1,):
            with blank(number):
                found.append(self.plain())
        found.append(self.plain())
        refused = isinstance(found[0].error, S2sadError)
        alike = (same(found[0].value, other.value) and says(found[0].error) == says(other.error) for other in found)
        return not refused and all(alike)

    def differentiated(self) -> tuple[int, ...]:
        args = self.mutant.args(load(self.program, self.folder))
        with contextlib.suppress(S2sadError):
            return tuple(k for k, arg in enumerate(args) if any(map(is_inexact, leaves(arg)))) or (0,)
        return (0,)


@contextlib.contextmanager
def blank(number: float) -> Iterator[None]:
    """A context where new memory holds a number."""
    plain = np.empty, np.empty_like

    def filled(make: Any, *args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        if made.dtype.kind in "fc":
            made.fill(number)
        return made

    np.empty, np.empty_like = (functools.partial(filled, make) for make in plain)
    try:
        yield
    finally:
        np.empty, np.empty_like = plain


def says(error: BaseException | None) -> str:
    """An exception as a text without what differs from run to run."""
    text = re.sub(r"0x[0-9a-f]+|mutant_\d+_\d+|line \d+", "~", str(error))
    return type(error).__name__ if isinstance(error, RecursionError) else f"{type(error).__name__}: {text}"


def same(one: Any, other: Any, rtol: float = 1e-9) -> bool:
    """Test for equal values in equal structures."""
    inner, others = parts(one), parts(other)
    if inner is not None or others is not None:
        alike = inner is not None and others is not None and list(inner) == list(others)
        return alike and type(one).__name__ == type(other).__name__ and all(same(inner[k], others[k], rtol) for k in inner)  # type: ignore[index]
    if isinstance(one, np.ndarray | np.generic | bool | int | float | complex):
        if not isinstance(other, np.ndarray | np.generic | bool | int | float | complex):
            return False
        if isinstance(one, np.ndarray) != isinstance(other, np.ndarray) or np.shape(one) != np.shape(other):
            return False
        kinds = np.asarray(one).dtype, np.asarray(other).dtype
        if kinds[0] != kinds[1]:
            return False
        if kinds[0].kind not in "fc":
            return bool(np.array_equal(one, other))
        rtol = max(rtol, 1e3 * float(np.finfo(kinds[0]).eps))
        scale = float(np.max(np.abs(one), initial=0.0, where=np.isfinite(one)))
        with np.errstate(all="ignore"):
            return bool(np.allclose(one, other, rtol=rtol, atol=rtol * scale, equal_nan=True))
    return not isinstance(one, str | None) or type(one) is type(other) and one == other


def apart(found: Any, expected: Any) -> float:
    """How far numbers are from those that are expected, relative to their size where that is large."""
    if np.shape(found) != np.shape(expected):
        return np.inf
    return float(np.max(np.abs(found - expected), initial=0.0) / (1 + np.max(np.abs(expected), initial=0.0)))


@dataclass
class Judge:
    """Differences of a program along random directions; ``slope`` is None where they do not tell the derivative."""

    subject: Subject
    wrt: tuple[int, ...]
    value: Any
    directions: list[Any]
    slope: Any = None

    def ask(self) -> None:
        with np.errstate(all="ignore"):
            self.slope = self._slope()

    def _slope(self) -> Any:
        along = list(zip(self.wrt, self.directions, strict=True))
        middle = testing._vector(self.value)
        central = []
        for step in (1e-5, 3e-6):
            above, below = self.subject.plain(step, along), self.subject.plain(-step, along)
            if above.error or below.error:
                return None
            up, down = testing._vector(above.value), testing._vector(below.value)
            if not up.shape == down.shape == middle.shape or not np.all(np.isfinite([*up, *down, *middle])):
                return None
            slope = (up - down) / (2 * step)
            wide = testing._vector(self.subject.plain(0.0, along).value)  # in double precision
            if wide.shape != up.shape or apart((up - wide) / step, slope) > 2e-3 or apart((wide - down) / step, slope) > 2e-3:
                return None  # a kink or a jump
            central.append(slope)
        stairs = any(word in self.subject.program.text for word in STAIRS) and np.max(np.abs(central[0]), initial=0.0) > STEEP
        return central[0] if apart(*central) < 2e-5 and not stairs else None


@dataclass
class Ask:
    """A derivative of the first order of a subject, by its floating arguments, along directions or from weights."""

    subject: Subject
    mode: str
    plain: Call

    def __post_init__(self) -> None:
        self.wrt, self.of = self.subject.differentiated(), self.subject.program.of
        self.before = self.subject.mutant.args(load(self.subject.program, self.subject.folder))
        rng = np.random.default_rng(3)
        self.directions: list[Any] = []
        self.weights: Any = None
        with contextlib.suppress(S2sadError):  # of what holds itself
            self.directions = [testing._direction(self.before[k], rng) for k in self.wrt]
            self.weights = None if self.plain.error else testing._direction(self.plain.value, rng)

    def __call__(self, f: Any, args: list[Any]) -> Any:
        if self.mode == "tangent":
            return jvp(f, tuple(args), tuple(self.directions), wrt=self.wrt, of=self.of)
        value, pullback = vjp(f, *args, wrt=self.wrt, of=self.of)
        return value, pullback(self.weights)

    def judged(self, value: Any, derivative: Any) -> str:
        """The verdict of differences."""
        judge = Judge(self.subject, self.wrt, self.plain.value, self.directions)
        judge.ask()
        if judge.slope is None:
            return "unjudged"
        inexact = [x for one in (*(self.before[k] for k in self.wrt), self.plain.value) for x in leaves(one) if is_inexact(x)]
        tolerance = max([2e-4, *(1e4 * testing._epsilon(x) for x in inexact)])
        if self.mode == "tangent":
            found = testing._vector(mapped(lambda v, t: t if is_inexact(v) else None, value, derivative))
            expected, size = judge.slope, 1.0
        else:
            pairs = zip(derivative, self.directions, strict=True)
            found = np.array([sum(testing._dot(bar, along) for bar, along in pairs)])
            flat = testing._vector(self.weights)
            expected = np.array([np.sum(np.real(flat * judge.slope))])
            size = 1.0 + float(np.sum(np.abs(flat) * (1 + np.abs(judge.slope))))
        if not np.all(np.isfinite(found)):
            return "not finite"
        wrong = apart(found, expected) > tolerance * size
        return f"WRONG: {self.mode}: {found} where differences give {expected}" if wrong else "right"


def raised(found: Call, plain: Call) -> str:
    """The verdict on an exception."""
    if isinstance(found.error, S2sadError) and not isinstance(found.error, CompilerError):
        return "refused"
    unasked = any("has not checked" in note for note in getattr(found.error, "__notes__", ()))  # the function, what it says
    if plain.error is not None and (says(plain.error) == says(found.error) or unasked and type(plain.error) is type(found.error)):
        return "raised"
    cause = found.error and found.error.__cause__
    return f"WRONG: {says(found.error)[:1500]} [cause {says(cause)[:300]}] where Python: {says(plain.error)[:200]}"


def examine(subject: Subject, mode: str) -> str:
    """``right``, ``refused``, ``raised`` as Python raises, ``unjudged``, or what is wrong (``WRONG: ...``)."""
    plain = subject.plain()
    if isinstance(plain.error, Slow | MemoryError):
        return "endless"
    if not subject.tells():
        return "unjudged"
    ask = Ask(subject, mode, plain)
    found = subject.live(ask)
    if isinstance(found.error, Slow):
        return "WRONG: time-out"
    if found.error is not None:
        return raised(found, plain)
    if plain.error is not None:
        return f"WRONG: no exception where Python: {says(plain.error)[:200]}"
    if not all(map(same, ask.before, found.args)):
        return f"WRONG: arguments changed: {found.args!r:.300} were {ask.before!r:.300}"
    value, derivative = found.value
    verdict = ask.judged(value, derivative)
    if not same(plain.value, value):
        verdict = f"WRONG: value: {value!r:.400} where Python: {plain.value!r:.400}"
    return f"{verdict} (with a warning: {found.told[0]})" if found.told and verdict.startswith("WRONG") else verdict


def second(subject: Subject, inner: str) -> Subject | None:
    """The program of a derivative of a program, as a function of the same arguments; None where that gives nothing."""
    wrt, of = subject.differentiated(), subject.program.of
    module = load(subject.program, subject.folder)
    args = subject.mutant.args(module)
    plain = subject.plain()
    if plain.error is not None:
        return None
    rng = np.random.default_rng(5)
    along = tuple(testing._direction(args[k], rng) for k in wrt)
    given: Any = along if inner == "tangent" else testing._direction(plain.value, rng)
    names = [n for n, _ in zip(inspect.signature(getattr(module, subject.program.entry)).parameters, args, strict=False)]
    if len(names) != len(args):
        return None
    calls = {
        "tangent": f"s2sad_.jvp({subject.program.entry}, ({', '.join(names)},), given_, wrt={wrt!r}, of={of!r})[1]",
        "adjoint": f"s2sad_.vjp({subject.program.entry}, {', '.join(names)}, wrt={wrt!r}, of={of!r})[1](given_)",
    }
    made = f"import s2sad as s2sad_\n\n\ndef derivative_({', '.join(names)}):\n    return {calls[inner]}\n"
    text = f"{subject.program.text}\n{made}"
    given = mapped(lambda w: w.item() if isinstance(w, np.generic) else w, given)
    return replace(subject, program=replace(subject.program, text=text, entry="derivative_", of=None, given=given))


def on_the_command_line(subject: Subject) -> str:
    """The same of the adjoint module that the command line writes: it gives what ``vjp`` gives, or raises where Python does."""
    plain = subject.plain()
    if isinstance(plain.error, Slow | MemoryError):
        return "endless"
    if not subject.tells() or not plain.error and not any(map(is_inexact, leaves(plain.value))):
        return "unjudged"
    ask = Ask(subject, "adjoint", plain)
    entry, folder = subject.program.entry, Path(tempfile.mkdtemp(dir=subject.folder))
    module = load(subject.program, subject.folder)
    args = subject.mutant.args(module)
    names = list(inspect.signature(getattr(module, entry)).parameters)[: len(args)]
    wrt = ["--wrt", ",".join(names[k] for k in ask.wrt if k < len(names)), *(["--of", ask.of] if ask.of else [])]
    words = ["transform", str(module.__file__), "--function", entry, "--mode", "adjoint", "-o", str(folder), *wrt]
    made = called(lambda: CliRunner().invoke(command_line, words), LONGEST)
    if made.error is not None or not isinstance(made.value.exception, SystemExit | None):
        return f"WRONG: command line: {made.error!r} {made.value and made.value.exception!r}"
    if made.value.exit_code != 0:
        return f"WRONG: command line: {made.value.output[-800:]}" if "mistake of" in made.value.output else "refused"

    def run() -> Any:
        file = next(p for p in folder.glob("*.py") if "adjoint" in p.stem)
        space: dict[str, Any] = {"__name__": "written", "__file__": str(file)}
        sys.path.insert(0, str(subject.folder))
        try:
            exec(compile(file.read_text(), str(file), "exec"), space)
        finally:
            sys.path.remove(str(subject.folder))
        function = space[f"{entry}_adjoint"]
        bars = [p for p in inspect.signature(function).parameters if p.endswith("_bar") and p not in names]
        seeds = [x for x in leaves(1.0 if plain.error else ask.weights) if is_inexact(x)]
        return function(**dict(zip(names, args, strict=False)), **dict(zip(bars, seeds, strict=False)))

    found = called(run, LONGEST)
    if isinstance(found.error, Slow):
        return "WRONG: time-out of a module"
    if type(found.error).__module__.startswith("s2sad."):
        return "refused"
    if plain.error is not None:  # a module does not know what the function says as it raises
        return "raised" if found.error is not None else f"WRONG: module: nothing where Python: {says(plain.error)[:200]}"
    if found.error is not None:
        return f"WRONG: module: {says(found.error)[:500]} where Python raises nothing"
    live = subject.live(ask)
    if live.error is not None:
        return "unjudged"
    (value, bars), (live_value, live_bars) = found.value, live.value
    bars = bars if isinstance(bars, tuple) and len(live_bars) > 1 else (bars,)
    if not same(args, ask.before):
        return "WRONG: module: arguments changed"
    if not ask.of and not same(value, live_value, 1e-6):
        return f"WRONG: module: value {value!r:.300} where vjp: {live_value!r:.300}"
    if not all(np.all(np.isfinite(x)) for x in leaves(live_bars) if is_inexact(x)):
        return "not finite"
    return "right" if same(bars, live_bars, 1e-6) else f"WRONG: module: {bars!r:.400} where vjp: {live_bars!r:.400}"


def outcomes(number: int) -> Iterator[tuple[str, str]]:
    """What is examined of a mutant, with what was found."""
    found = mutant(number)
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(found, Path(folder), found.program)
        try:
            load(subject.program, subject.folder)
            subject.mutant.args(load(subject.program, subject.folder))
        except Exception:
            yield "module", "not loaded"
            return
        first = dict(zip(MODES, [""] * 2, strict=True))
        for mode in MODES:
            first[mode] = examine(subject, mode)
            yield mode, first[mode]
            if first[mode] == "endless":
                return
        inner = MODES[number // 3 % 2]
        if number % 3 == 0 and first[inner] == "right":
            program = second(subject, inner)
            if program is not None:
                outer = MODES[number // 6 % 2]
                yield f"{outer} of {inner}", examine(program, outer)
        if number % 7 == 0 and "class " not in subject.program.text and not found.kinds:
            yield "module", on_the_command_line(subject)


# --- many, in processes of their own


def serve(connection: Any) -> None:
    """Examine the mutants whose numbers come."""
    scratch = tempfile.mkdtemp()
    os.environ.update(S2SAD_CACHE_DIR=f"{scratch}/generated", XDG_STATE_HOME=f"{scratch}/state", OPENBLAS_NUM_THREADS="1")
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    for name in ("linalg", "ndimage", "optimize", "signal", "special", "interpolate", "integrate", "stats", "sparse.linalg"):
        importlib.import_module(f"scipy.{name}")  # which a call that takes too long would leave half imported
    while True:
        number = connection.recv()
        os.environ["S2SAD_VERIFY"] = "1" if number % 2 else ""
        try:
            connection.send(list(outcomes(number)))
        except Exception as error:
            connection.send([("fuzzer", f"FAILED: {error!r}")])


def many(numbers: Iterator[int], workers: int = 2) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """The outcomes of mutants; one that hangs is ended with its process, and counts as wrong."""
    context = mp.get_context("spawn")
    busy: dict[Any, tuple[Any, int, float]] = {}

    def start() -> tuple[Any, Any]:
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return process, ours

    def give(process: Any, ours: Any) -> None:
        number = next(numbers, None)
        if number is None:
            process.kill()
        else:
            ours.send(number)
            busy[ours] = process, number, time.monotonic()

    for _ in range(workers):
        give(*start())
    while busy:
        ready = wait(list(busy), 1.0)
        for ours in list(busy):
            process, number, since = busy[ours]
            if ours in ready:
                del busy[ours]
                try:
                    yield number, ours.recv()
                except EOFError:
                    yield number, [("process", "WRONG: it has ended")]
                    process, ours = start()
                give(process, ours)
            elif time.monotonic() - since > 4 * LONGEST:
                del busy[ours]
                process.kill()
                yield number, [("process", "WRONG: time-out")]
                give(*start())


def shown(number: int) -> str:
    """A mutant as a text."""
    found = mutant(number)
    changes = f"{'; '.join(found.made)}; kinds {found.kinds}; of {found.program.of}"
    return f"# {number}: {found.program.title}: {changes}\n{found.program.text}"


def run(first: int, count: int, workers: int) -> None:
    """Examine mutants, and print what is wrong and how many are what."""
    table: Counter[str] = Counter()
    for done, (number, found) in enumerate(many(iter(range(first, first + count)), workers), 1):
        for what, outcome in found:
            table[outcome.partition(":")[0].partition(" (")[0]] += 1
            if outcome.startswith(("WRONG", "FAILED")):
                made = mutant(number)
                print(f"=== {number} {what} {made.program.title} [{'; '.join(made.made)}] {made.kinds or ''}", flush=True)
                print(textwrap.indent(outcome, "    "), flush=True)
        if done % 50 == 0 or done == count:
            print(f"--- {done} mutants: {dict(table)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "show":
        print(shown(int(sys.argv[2])))
    elif sys.argv[1] == "one":
        os.environ.setdefault("S2SAD_VERIFY", "1" if int(sys.argv[2]) % 2 else "")
        for item in outcomes(int(sys.argv[2])):
            print(*item)
    else:
        run(int(sys.argv[1]), int(sys.argv[2]), int((sys.argv[3:] or ["2"])[0]))
