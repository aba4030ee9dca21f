"""The outside of a program in a module of its own: values written down, and names imported.

    # K is bound when the module is loaded      ==>      K = np.array([1.0, 2.0, 3.0])
    # act is bound when the module is loaded             from models.parts import act
"""

from __future__ import annotations

import enum
import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from s2sad.errors import SourceError

MOST = 100_000  # items of an array that is written down


def with_values(text: str, injected: Mapping[str, Any], function: Any) -> str:
    """The text of a module that binds the names which a loader would bind otherwise. Raises SourceError for what it cannot.

    Values are those of now: numbers, text, arrays, and tuples, lists and dicts of these. All else is imported from where it is
    defined, or from the module of ``function``.
    """
    made = {name: _bound(name, thing, function) for name, thing in injected.items()}
    for name, line in made.items():
        text = text.replace(f"# {name} is bound when the module is loaded\n", f"{line}\n")
    if any(" = " in line and "np." in line for line in made.values()) and "import numpy as np\n" not in text:
        text = f"import numpy as np\n{text}"
    return text


def _bound(name: str, thing: Any, function: Any) -> str:
    value = _value(thing)
    if value is not None:
        return f"{name} = {value}"
    if isinstance(thing, enum.Enum) and vars(type(thing)).get(str(thing.name)) is not None:
        return f"{_bound(f'{name}_of', type(thing), function)}\n{name} = {name}_of.{thing.name}"
    homes = [(getattr(thing, "__module__", None), getattr(thing, "__qualname__", None))]
    homes += [(function.__module__, known) for known, one in function.__globals__.items() if one is thing]
    for module, known in homes:
        found = sys.modules.get(module or "")
        if module != "__main__" and isinstance(known, str) and getattr(found, known, None) is thing:
            return f"from {module} import {known}" + (f" as {name}" if known != name else "")
    raise SourceError(
        f"{name}, which {function.__name__} finds outside, cannot be written into a module",
        why=f"a {type(thing).__name__} has no literal, and this one has no name in a module that could be imported",
        instead=f"{name} as an argument, or defined in a module",
    )


def _value(thing: Any) -> str | None:
    """The expression of a value; None for what has none."""
    if thing is None or type(thing) in (bool, int, str, bytes):
        return repr(thing)
    if type(thing) is float:
        return repr(thing) if math.isfinite(thing) else "np.nan" if thing != thing else "np.inf" if thing > 0 else "-np.inf"
    if type(thing) is complex:
        return f"complex({_value(thing.real)}, {_value(thing.imag)})"
    if isinstance(thing, np.generic) and thing.dtype.kind in "biufc":
        return f"np.{thing.dtype.name}({_value(thing.item())})"
    if type(thing) is np.ndarray and thing.dtype.kind in "biufc" and thing.size <= MOST:
        made = f"np.array({_value(thing.tolist())}, dtype=np.{thing.dtype.name if thing.dtype.kind != 'b' else 'bool_'})"
        return made if thing.size or thing.ndim == 1 else f"np.zeros({thing.shape}, dtype={thing.dtype.str!r})"
    if type(thing) in (tuple, list):
        items = _values(thing)
        if items is None:
            return None
        return f"[{', '.join(items)}]" if type(thing) is list else f"({', '.join(items)}{',' * (len(items) == 1)})"
    if type(thing) is dict:
        keys, items = _values(thing), _values(thing.values())
        return None if keys is None or items is None else f"{{{', '.join(map(': '.join, zip(keys, items, strict=True)))}}}"
    return None


def _values(things: Iterable[Any]) -> list[str] | None:
    found = [_value(thing) for thing in things]
    return None if None in found else [text for text in found if text is not None]
