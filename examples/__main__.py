"""Run the examples and make their pictures.

::

    python -m examples                     # all of them; pictures go to examples/figures/
    python -m examples list                # what there is
    python -m examples evaluation_trace    # one of them
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TOOLS = {"__main__", "pictures", "regenerate"}


def names() -> list[str]:
    """The examples, in the order of the alphabet."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in TOOLS)


def about(name: str) -> str:
    """The first line of an example's docstring."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def run(name: str) -> None:
    """Run one example, and make its picture if it has one (and Matplotlib is there)."""
    example = importlib.import_module(name)
    print(f"\n=== {name}: {about(name)}\n")
    example.main()
    if hasattr(example, "picture"):
        try:
            print(f"picture: {example.picture().relative_to(FOLDER.parent)}")
        except ModuleNotFoundError as missing:
            print(f"no picture: {missing.name} is not installed (pip install 's2sad[examples]')")


def main(chosen: list[str]) -> None:
    """The command line."""
    if chosen == ["list"]:
        print("\n".join(f"{name:24} {about(name)}" for name in names()))
        return
    unknown = sorted(set(chosen) - set(names()))
    if unknown:
        sys.exit(f"no example is called {', '.join(unknown)}; python -m examples list")
    for name in chosen or names():
        run(name)


if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER))
    main(sys.argv[1:])
