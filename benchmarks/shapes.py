"""What derivative programs still do for the sake of shapes: calls that only mend a shape, counted in their texts.

Run: ``python benchmarks/shapes.py [golden] [corpora] [modules]``, ``... run [-v]`` or ``... modules run [-v]``.
``modules`` are those of ``s2sad transform`` for the corpora,
which say nothing of what arrays are passed; ``corpora`` the same programs for the arguments that they are tried with.
``as_long_as`` are looks whether shapes are equal, which spare sums. ``?`` counts the parameters of which a docstring
knows nothing. ``run`` runs the adjoints of the corpora, and counts the places of
``unbroadcast`` that were come to, and those where shapes were equal at each turn, by what is known of both arguments (``run -v``
also lists them): at first for the arguments of the corpora, then for such of other sizes, too, as far as the same programs serve
them. Places where shapes differ there are needed, and told apart, with such sizes. Names behind ``run`` are those of programs.
``modules run`` calls the modules of the command line with the arguments of the corpora: how many have a program
for likely arguments, how many calls stay in it, and how many places of ``unbroadcast`` come to there had equal shapes.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import itertools
import linecache
import re
import signal
import sys
import tempfile
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from s2sad.analysis.tapes import tapes_of
from s2sad.ir.kinds import UNKNOWN, Array, Scalar
from s2sad.ir.nodes import Call
from s2sad.ir.walk import ops_of
from s2sad.optimize.donors import STAND_IN, Looks
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import uses_of

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

COUNTED = ("unbroadcast", "as_long_as", "full_like", "stand_in", "broadcast_like")
NOTHING_KNOWN = re.compile(r"\w+: \?(?=;|$)", re.MULTILINE)


def count(text: str) -> Counter[str]:
    """The calls that only mend shapes in a module, and its statements."""
    found: Counter[str] = Counter(modules=1)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found[name] += name in COUNTED
        elif isinstance(node, ast.FunctionDef):
            found["?"] += len(NOTHING_KNOWN.findall(ast.get_docstring(node) or ""))
        found["statements"] += isinstance(node, ast.stmt)
    return found


def golden() -> Iterator[str]:
    """The golden texts."""
    for path in sorted((ROOT / "tests" / "golden" / "texts").glob("*.txt")):
        yield path.read_text()


def corpora() -> Iterator[str]:
    """The adjoints of the corpora, as they are made for arguments."""
    from programs.case import all_cases
    from programs.language import language_cases

    from s2sad import S2sadError, differentiate

    for case in [*all_cases(), *language_cases()]:
        args = case.make(np.random.default_rng(20240301))
        try:
            yield differentiate(case.function, wrt=case.wrt, of=case.of).source("adjoint", *args)
        except S2sadError:
            continue


def modules() -> Iterator[str]:
    """The adjoints of the corpora, as the command line makes them."""
    from click.testing import CliRunner

    from s2sad.cli import main

    for folder in ("inplace", "language"):
        with tempfile.TemporaryDirectory() as made:
            CliRunner().invoke(main, ["transform", str(ROOT / "tests" / "programs" / folder), "-o", made])
            for path in sorted(Path(made).glob("*.py")):
                yield path.read_text()


@dataclass
class Place:
    """A call of ``unbroadcast`` in a module: what is known of its two arguments, and whether their shapes were equal."""

    cause: str
    text: str
    equal: bool = True
    differs: str = ""  # sizes of arguments for which shapes differ, where they do not for the corpora's own


class Watch:
    """The places of ``unbroadcast`` in the modules that are made meanwhile, in the order in which they are called."""

    def __init__(self) -> None:
        self.causes: dict[str, dict[str, list[str]]] = {}  # of the functions of a module, by its text
        self.tapes: Counter[str] = Counter()  # arrays that are recorded for their shape alone
        self.places: dict[tuple[str, int], Place] = {}
        self.others = ""  # the sizes of the arguments of the present call, where these are not the corpora's own

    def module(self, functions: list[Any], text: str) -> None:
        """Note a module that is made."""
        self.causes[text] = {f.name: [_cause(op) for op in ops_of(f.body) if _is_sum(op)] for f in functions}

    def records(self, function: Any) -> None:
        """Note a function before its tapes are put together: of tuples that come off one, the parts are read."""
        self.tapes.update(_for_shapes(function))

    def call(self, bar: Any, like: Any, frame: types.FrameType) -> None:
        """Note a call."""
        code, at = frame.f_code, (frame.f_code.co_filename, frame.f_lasti)
        if at not in self.places:
            if self.others:
                return  # of another program
            line = linecache.getline(code.co_filename, frame.f_lineno).strip()
            self.places[at] = Place(self._told(code, frame.f_lasti), f"{Path(code.co_filename).name}: {line}")
        equal = np.shape(bar) == np.shape(like)
        if not self.others:
            self.places[at].equal &= equal
        elif not equal and self.places[at].equal:
            self.places[at].differs = self.places[at].differs or self.others

    def _told(self, code: types.CodeType, at: int) -> str:
        """The cause of the call at a place of a function: the calls of both stand in the same order in text and program."""
        text = "".join(linecache.getlines(code.co_filename))
        causes = next((found for made, found in self.causes.items() if made.strip() in text), {}).get(code.co_name, [])
        ends = sorted({where[1::2] for where in self._sums(code, text)})
        here = [*code.co_positions()][at // 2][1::2]
        return causes[ends.index(here)] if len(ends) == len(causes) and here in ends else "not told"

    def _sums(self, code: types.CodeType, text: str) -> Iterator[tuple[int | None, ...]]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
                for call in ast.walk(node):
                    if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) == "unbroadcast":
                        yield call.lineno, call.end_lineno, call.col_offset, call.end_col_offset


def _is_sum(op: Any) -> bool:
    return isinstance(op, Call) and op.target == "s2sad.runtime.unbroadcast"


def _cause(op: Call) -> str:
    """The cause of a sum that nothing needs: the kinds of its arguments, as far as they are known."""
    return " to ".join(_known(value.kind) for value in op.args[:2])


def _known(kind: Any) -> str:
    if isinstance(kind, Array):
        rank = "any rank" if kind.shape is None else "a size unknown" if None in kind.shape else "sizes"
        return f"array ({rank}{', any dtype' if kind.dtype is None else ''})"
    return "unknown" if kind == UNKNOWN else type(kind).__name__.lower()


def _for_shapes(function: Any) -> Iterator[str]:
    """The kinds of arrays on tapes of which nothing but the shape is read."""
    looks = Looks(Memory(function), uses := uses_of(function))
    for tape in tapes_of(function):
        pushed, read = tape.pushes[0][0].args[1], uses.get(tape.pops[0][0].result, [])
        made = next((op for op in ops_of(function.body) if pushed in op.results), None)
        stands = isinstance(made, Call) and made.target == STAND_IN
        if read and not stands and not isinstance(pushed.kind, Scalar) and looks.only(tape.pops[0][0].result, read):
            yield _known(pushed.kind)


def run() -> None:
    """Run the adjoints of the corpora, and print at how many places nothing had to be summed, by what was known of them."""
    from programs.case import all_cases
    from programs.language import language_cases

    from s2sad import S2sadError, check_grads, pipeline, runtime

    watch, plain, emitted, together = Watch(), runtime.unbroadcast, pipeline.emitted, pipeline.together.run

    def watched(bar: Any, like: Any) -> Any:
        watch.call(bar, like, sys._getframe(1))
        return plain(bar, like)

    def noted(functions: list[Any], **how: Any) -> Any:
        made = emitted(functions, **how)
        watch.module(functions, made.text)
        return made

    def looked_at(function: Any) -> bool:
        watch.records(function)
        return together(function)

    watched.__module__ = runtime.__name__  # of no user's, whose state would be that of one evaluation
    runtime.unbroadcast, pipeline.emitted, pipeline.together.run = watched, noted, looked_at
    met, only = 0, [word for word in sys.argv[2:] if word != "-v"]
    for case in [*all_cases(), *language_cases()]:
        if only and case.function.__name__ not in only:
            continue
        try:
            args = case.make(np.random.default_rng(20240301))
            check_grads(case.function, args, wrt=case.wrt, of=case.of, modes=("adjoint",), jointly=True)
        except (S2sadError, AssertionError):
            continue
        before = len(watch.places)
        if any(place.equal for place in [*watch.places.values()][met:]):
            for told, args in with_other_sizes(case.make):
                watch.others = f"{case.name}({told})"
                with contextlib.suppress(Exception), np.errstate(all="ignore"), limited(SECONDS):
                    check_grads(case.function, args, wrt=case.wrt, of=case.of, modes=("adjoint",), jointly=True)
            watch.others = ""
        met = before
    report(watch)


SIZES = (1, 2, 3, 5, 6, 7)
SECONDS = 20


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    """A TimeoutError for what takes longer: programs that do not end for other sizes."""

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def with_other_sizes(make: Callable[[Any], Any]) -> Iterator[tuple[str, Any]]:
    """Arguments in which one size is another, and what tells it; integers that are as large stand for it, or do not."""
    given = make(np.random.default_rng(20240301))
    lists = {len(part) for part in given if isinstance(part, list)}
    sizes = sorted({n for part in leaves(given) for n in np.shape(part)} | lists)
    for n, size, counted in itertools.product(sizes, SIZES, (True, False)):
        if n != size and (not counted or n in [part for part in given if type(part) is int]):
            args = make(np.random.default_rng(20240301))
            changed = [resized(part, n, size, counted) for part in args]
            yield f"{n} -> {size}{', numbers too' if counted else ''}", type(args)(changed)


def leaves(part: Any) -> Iterator[Any]:
    """The arrays and numbers of arguments."""
    if isinstance(part, list | tuple):
        for item in part:
            yield from leaves(item)
    else:
        yield part


def resized(part: Any, n: int, size: int, counted: bool) -> Any:
    """An argument with another size where it has one of n."""
    if isinstance(part, np.ndarray):
        return np.resize(part, tuple(size if k == n else k for k in part.shape))
    if isinstance(part, list):
        items = [resized(item, n, size, counted) for item in part]
        return [copy.deepcopy(items[k % n]) for k in range(size)] if len(items) == n else items
    return size if counted and type(part) is int and part == n else part


def report(watch: Watch) -> None:
    """Print what was watched."""
    console, alike = Console(width=160), [place for place in watch.places.values() if place.equal]
    equal = [place for place in alike if not place.differs]
    console.print(f"places of unbroadcast come to: {len(watch.places)}; with equal shapes at each turn: {len(alike)}")
    console.print(f"of these with other shapes in the same program, for arguments of other sizes: {len(alike) - len(equal)}")
    console.print(f"arrays on tapes of which the shape alone is read: {sum(watch.tapes.values())} {dict(watch.tapes)}")
    for cause, number in Counter(place.cause for place in equal).most_common():
        console.print(f"{number:5} {cause}", highlight=False)
    if "-v" in sys.argv:
        for place in sorted(equal, key=lambda place: (place.cause, place.text)):
            console.print(f"{place.cause}: {place.text}", highlight=False, markup=False)
        for place in alike:
            if place.differs:
                console.print(f"differs for {place.differs}: {place.text}", highlight=False, markup=False)


def modules_run() -> None:
    """Call the modules of the corpora, and print the shares."""
    from module_runs import runs

    found = list(runs())
    two = [run for run in found if run.two]
    lean = [run for run in two if run.lean]
    places = {(run.case.name, at): equal for run in lean for at, equal in run.places.items()}
    console = Console(width=160)
    console.print(f"modules: {len(found)}; with a program for likely arguments: {len(two)}; whose calls stay there: {len(lean)}")
    console.print(f"places of unbroadcast come to there: {len(places)}; with equal shapes at each turn: {sum(places.values())}")
    if "-v" in sys.argv:
        for run in two:
            if not run.lean:
                console.print(f"handed on: {run.case.name}", highlight=False)
        for name, count_ in Counter(name for (name, _), equal in places.items() if equal).most_common():
            console.print(f"{count_:5} {name}", highlight=False)


SOURCES: dict[str, Callable[[], Iterator[str]]] = {"golden": golden, "corpora": corpora, "modules": modules}


def main(names: list[str]) -> None:
    """Count and print."""
    if names[:1] == ["run"]:
        run()
        return
    if names[:2] == ["modules", "run"]:
        modules_run()
        return
    columns = ("modules", *COUNTED, "?", "statements")
    table = Table("texts", *columns, title="what is done for shapes")
    for name in names or SOURCES:
        found = sum(map(count, SOURCES[name]()), Counter())
        table.add_row(name, *(str(found[column]) for column in columns))
    Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
