"""Write the derivative modules of the examples to ``generated/`` and the program that the README shows, or check them.

::

    python examples/regenerate.py            # write them
    python examples/regenerate.py --check    # write nothing; exit 1 and name what is stale, missing or left over
"""

from __future__ import annotations

import argparse
import contextlib
import io
import linecache
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import evaluation_trace
import feed_forward
import mini_pytorch
import needle_operators
import numpy as np
import softmax_cross_entropy
import worked_graph

from s2sad import differentiate

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "generated"
README = ROOT / "README.md"
# The cache's own files (name-<8 hex digits>.py): running an example leaves them there, and git ignores them.
CACHED = re.compile(r".+-[0-9a-f]{8}\.py")


class Program(NamedTuple):
    """A function, what it is differentiated by, and arguments whose kinds (not values) its programs are made for."""

    function: Callable[..., Any]
    wrt: Any
    arguments: tuple[Any, ...]


PROGRAMS = [
    Program(evaluation_trace.y.function, ("x1", "x2"), (2.0, 5.0)),
    Program(worked_graph.loss.function, ("w1", "w2"), (3.0, 2.0)),
    Program(feed_forward.loss.function, "weights", feed_forward.data()),
    Program(needle_operators.matmul, ("a", "b"), (np.ones((5, 3, 4)), np.ones((4, 2)))),
    Program(mini_pytorch.chain.function, ("m", "n", "v"), mini_pytorch.chain_point()),
    Program(mini_pytorch.z.function, ("x", "y"), (4.0, 3.0)),
    Program(mini_pytorch.layers.function, ("x", "w", "b"), mini_pytorch.layers_point()),
    Program(softmax_cross_entropy.loss.function, "logits", softmax_cross_entropy.data()),
]


def modules() -> Iterator[tuple[str, str]]:
    """The name and the text of every module that belongs into the folder."""
    with tempfile.TemporaryDirectory() as cache:
        for function, wrt, arguments in PROGRAMS:
            derived = differentiate(function, wrt=wrt, cache_dir=cache)
            example = Path(function.__code__.co_filename).stem
            for mode in ("tangent", "adjoint"):
                title = f"# Written by examples/regenerate.py from {function.__name__} in examples/{example}.py."
                yield f"{example}_{function.__name__}_{mode}.py", f"{title}\n{derived.source(mode, *arguments)}"


def readme(text: str) -> str:
    """The README with its second block of Python as what its first one prints."""
    program, shown = re.finditer(r"(?<=```python\n).*?(?=```)", text, re.DOTALL)
    file = "<README.md>"
    linecache.cache[file] = (len(program[0]), None, program[0].splitlines(True), file)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program[0], file, "exec"), {"__name__": "readme"})
    return f"{text[: shown.start()]}{printed.getvalue().strip()}\n{text[shown.end() :]}"


def faults(folder: Path = FOLDER) -> list[str]:
    """What is not current in the folder, a line each."""
    wanted = dict(modules())
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*") if path.is_file()}
    missing = [f"{name} is missing" for name in wanted if name not in found]
    stale = [f"{name} is stale" for name, text in wanted.items() if name in found and found[name] != text]
    surplus = [f"{name} has no source" for name in found if name not in wanted and not CACHED.fullmatch(name)]
    return sorted(missing + stale + surplus)


def write(folder: Path = FOLDER) -> int:
    """Write all modules; how many there are."""
    folder.mkdir(exist_ok=True)
    texts = dict(modules())
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return len(texts)


def readme_is_current() -> bool:
    """Whether the README shows what its program prints."""
    text = README.read_text(encoding="utf-8")
    return readme(text) == text


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write, or check, the derivative modules of the examples.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a module is not current")
    if not parser.parse_args().check:
        print(f"{write()} modules in {FOLDER.name}/")
        README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
        return
    found = [f"{FOLDER.name}/{fault}" for fault in faults()]
    if not readme_is_current():
        found.append("README.md does not show what its example prints")
    for fault in found:
        print(f"{fault}; run: python examples/regenerate.py", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"{FOLDER.name}/ and {README.name} are current")


if __name__ == "__main__":
    main()
