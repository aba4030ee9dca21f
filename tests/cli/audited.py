"""Runs the command line over files in this process, under an audit hook; prints a line of JSON for each file.

    python audited.py OUT < files        files: their paths, between zeros

The hook stops, and tells of, any import outside the table, any file that is opened for writing outside OUT, any process, any
socket, and any code that is executed. A file that takes more than LIMIT seconds of processor time hangs.
"""

from __future__ import annotations

import collections
import contextlib
import encodings
import io
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
import typing
from pathlib import Path
from typing import Any, NoReturn

import s2sad
from s2sad.cli import main
from s2sad.errors import S2sadError
from s2sad.frontend import libraries
from s2sad.frontend.lower import classes, prelude_calls
from s2sad.rules import preludes
from s2sad.rules.rooms import rooms

LIMIT = 60.0
MEMORY = 4 << 30
FORBIDDEN = re.compile(
    r"subprocess|socket|ctypes|pty|shutil|webbrowser|urllib|ftplib|http|smtplib|pickle|exec$|"
    r"os\.(system|exec|posix_spawn|spawn|fork|forkpty|chmod|chown|link|symlink|truncate|rmdir|putenv|unsetenv|kill|utime)"
)
PACKAGE = str(Path(s2sad.__file__).parent) + os.sep
CODECS = str(Path(encodings.__file__).parent) + os.sep  # those that the cookies of files name
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OURS = re.compile(r"\.s2sad-[0-9a-f]{16}\.tmp")  # opened in a folder that is held
SAMPLE = """import numpy as np
from scipy import special, stats, linalg, integrate, optimize, interpolate, signal, ndimage, fft, sparse, spatial
def g(x, y=2.0):
    return special.erf(x) + np.sum(np.array([x, y])) + stats.norm.pdf(x) + linalg.det(np.eye(2) * x)
def f(x: float, a: np.ndarray) -> float:
    a[0] = x
    for i in range(3):
        x = g(x) + a[i] * f"{i}".count("1")
    return x + stats.iqr(a)
def refused(x):
    yield x
"""


class Violation(BaseException):
    """What must not happen; no handler of the command line's catches it."""


class Hang(BaseException):
    """A file that takes too long."""


class Watch:
    """The audit hook, and what it saw."""

    def __init__(self, out: Path) -> None:
        self.out = str(out.resolve()) + os.sep
        self.armed = False
        self.seen: list[str] = []
        self.bugs: list[str] = []
        self.refused = 0
        sys.addaudithook(self.hook)

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.armed and (what := self.problem(event, args)):
            self.seen.append(what)
            raise Violation(what)

    def problem(self, event: str, args: tuple[Any, ...]) -> str:
        if event == "import":
            name = args[0]
            listed = libraries.is_listed(name) or name.startswith(("encodings.", "s2sad."))
            return "" if listed else f"import {name}"
        if event == "open":
            path, mode, flags = args
            writing = flags & WRITING if mode is None else set(mode) & set("wax+")
            opened = isinstance(path, int)  # a handle, for which there was such an event before
            return f"open {path} for writing" if writing and not opened and not self.inside(path) else ""
        if event == "exec" and (args[0].co_filename.startswith((PACKAGE, CODECS)) or self.is_ours()):
            return ""
        if event in ("os.mkdir", "os.remove", "os.rename"):
            places = args[:2] if event == "os.rename" else args[:1]
            return "" if all(map(self.inside, places)) else f"{event} {places}"
        return f"{event} {args}"[:300] if FORBIDDEN.match(event) else ""

    @staticmethod
    def is_ours() -> bool:
        """Whether typing evaluates an annotation of a form, which is text of ours, or ``namedtuple`` makes a class, of names
        that it has looked at."""
        frame, codes = sys._getframe(3), []
        while frame is not None and len(codes) < 6:
            codes.append(frame.f_code)
            frame = frame.f_back  # type: ignore[assignment]
        annotation = codes[0] is typing.ForwardRef._evaluate.__code__ and prelude_calls._hints.__wrapped__.__code__ in codes
        return annotation or codes[:2] == [collections.namedtuple.__code__, classes._new_named_tuple.__code__]

    def inside(self, path: Any) -> bool:
        text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else str(path)
        relative = os.sep not in text and (OURS.fullmatch(text) or text.endswith(("_adjoint.py", "_tangent.py")))
        return bool(relative) or (os.path.abspath(text) + os.sep).startswith(self.out)

    def say(self, error: S2sadError) -> bool:
        """In place of the command line's own: counts refusals, and keeps the tracebacks of mistakes."""
        self.refused += 1
        cause = error.__cause__
        if "mistake of s2sad" in str(error) and cause is not None:
            last = traceback.extract_tb(cause.__traceback__)[-3:]
            where = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(last))
            self.bugs.append(f"{error.message}: {type(cause).__name__}: {cause} @ {where}"[:600])
        return True


def too_long(*_: object) -> NoReturn:
    raise Hang


def run(watch: Watch, file: str, out: Path) -> dict[str, Any]:
    """One file: what was written and refused, what went wrong, and how long it took."""
    watch.seen, watch.bugs, watch.refused = [], [], 0
    printed, start, code = io.StringIO(), time.process_time(), 0
    problem = ""
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    watch.armed = True
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main.main(["transform", file, "-o", str(out), "--force"], standalone_mode=False)
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 1
    except Hang:
        problem = "hang"
    except Violation:
        pass
    except BaseException as error:
        problem = "" if type(error).__name__ == "UsageError" else traceback.format_exc()[-800:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        watch.armed = False
    written = [line for line in printed.getvalue().splitlines() if line.endswith(".py")]
    for line in written:
        with contextlib.suppress(OSError):
            compile(Path(line).read_bytes(), line, "exec")
    return {
        "file": file, "code": code, "written": len(written), "refused": watch.refused, "problem": problem,
        "bugs": watch.bugs, "violations": watch.seen, "seconds": round(time.process_time() - start, 2),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }  # fmt: skip


def warm(out: Path) -> None:
    """Have everything imported that is imported on first use."""
    for name in (name for room in rooms() for name in room.modules):
        with contextlib.suppress(ImportError):
            libraries.module(name)
    for prelude in filter(None, (room.corner("prelude") for room in rooms())):
        for topic in prelude.PRELUDE.topics:
            preludes.names(prelude.__name__, topic)
    out.mkdir(parents=True, exist_ok=True)
    sample = out / "sample.py"
    sample.write_text(SAMPLE)
    for options in ([], ["--standalone", "--mode", "both"]):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main.main(["transform", str(sample), "-o", str(out / "sample"), *options], standalone_mode=False)


if __name__ == "__main__":
    out = Path(sys.argv[1])
    warm(out)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    watch = Watch(out)
    sys.modules["s2sad.cli.transform"].say = watch.say  # type: ignore[attr-defined]
    signal.signal(signal.SIGPROF, too_long)
    for file in sys.stdin.read().split("\0"):
        if file:
            print(json.dumps({"begin": file}), flush=True)
            print(json.dumps(run(watch, file, out)), flush=True)
