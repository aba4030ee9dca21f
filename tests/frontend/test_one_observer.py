"""Nothing but the observer looks at live objects: a look that leaves no trace would make an old program answer."""

from __future__ import annotations

import re
from pathlib import Path

import s2sad.frontend.observe as observe_module

FRONTEND = Path(observe_module.__file__).parent
LOOKS = re.compile(
    r"\bgetattr\((?!node|n\b|k\b|op\b|entity, \"(?:cls|kind)\"|args\[|right, \"cls\"|left, \"cls\"|value, \"payload\")"
    r"|\bhasattr\((?!node)|\bvars\(|\binspect\.\w+|(?<!\.)(?<!def )\bsource_of\("
    r"|\.__(?:dict|globals|defaults|kwdefaults|closure|wrapped|mro|bases|code)__"
)
# What is looked at all the same: libraries, our own tables and forms, names for readers.
ALLOWED = {
    "attributes.py": 4,  # what arrays, dtypes and Python's numbers have; what the name of a dtype tells
    "builtin_calls.py": 1,  # what arrays and numbers have
    "called_objects.py": 3,  # classes and distributions of SciPy
    "calls.py": 3,  # what arrays have; a method that changes its list; the owner of one
    "changed_in_place.py": 1,  # a syntax node
    "choices.py": 1,  # labels
    "classes.py": 8,  # that a class is a named tuple, whose line of bases is in the log; labels; what all have; a text; a program
    "copying.py": 1,  # a program that is lowered
    "draws.py": 3,  # the generator of a method
    "errors.py": 5,  # lines of bases, which are in the log; of a function whose code is
    "generic.py": 2,  # what singledispatch makes; a label
    "handlers.py": 2,  # our own forms; which functions this NumPy has
    "handed_over.py": 2,  # names of parameters and of functions
    "integrate.py": 1,  # the name of a method
    "iterators.py": 1,  # itertools
    "lifting.py": 1,  # fields of our own entities
    "known_objects.py": 8,  # what dates, patterns and functions of Python's library have
    "objects.py": 8,  # that something is a descriptor; what ``object`` has; sources; lines of bases, which are in the log
    "operators.py": 2,  # the tables of operators
    "other_forms.py": 1,  # np.finfo
    "outside.py": 5,  # layouts and lines of bases, which are in the log; what all functions have; a label
    "own_signatures.py": 7,  # the signatures of what C defines; a method of dicts
    "parts.py": 2,  # a label; parts of what is reached, whose layout is in the log
    "prelude_calls.py": 6,  # our own forms
    "raised.py": 3,  # exceptions of Python's; lines of bases and signatures of functions whose code is in the log
    "selection.py": 2,  # what arrays have; a label
    "sets.py": 1,  # a method of a set that is known
    "state.py": 3,  # labels, names that builtins have, and what findings there are
    "strings.py": 1,  # where a method that somebody wrote has its source
    "python/__init__.py": 2,  # the source of a draw, and what it is called
    "transformations.py": 5,  # our own functions; names of parameters; a dtype of NumPy
    "ufunc_options.py": 5,  # signatures of NumPy's functions
    "ufuncs.py": 3,  # the ufunc of a method, and its program
}


def test_nothing_else_looks() -> None:
    found = {}
    for path in [*sorted((FRONTEND / "lower").glob("*.py")), *sorted(FRONTEND.parent.glob("libraries/*/calls/*.py"))]:
        code = [line for line in path.read_text().splitlines() if not line.lstrip().startswith(("#", '"'))]
        looks = [line for line in code if LOOKS.search(line)]
        if len(looks) != ALLOWED.get(path.name, ALLOWED.get(f"{path.parent.parent.name}/{path.name}", 0)):
            found[path.name] = looks
    assert found == {}


def test_the_probe_sees_looks() -> None:
    looks = "getattr(owner.payload, name)|vars(cls)|function.__globals__[name]|inspect.signature(f)|hasattr(cls, 'x')"
    assert all(LOOKS.search(look) for look in looks.split("|"))
