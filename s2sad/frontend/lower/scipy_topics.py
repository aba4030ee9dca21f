"""What has a form in ``s2sad.libraries.scipy.prelude``, and the classes of forms where a program asks for a class."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any

from s2sad.frontend.entities import Entity, Record, Static
from s2sad.ir.kinds import OBJECT
from s2sad.ir.nodes import Value

# The modules of forms, with the modules of SciPy of which they have functions.
TOPICS = {
    "integrate": ("scipy.integrate",),
    "interpolate": ("scipy.interpolate",),
    "linalg": ("scipy.linalg",),
    "ndimage": ("scipy.ndimage",),
    "optimize": ("scipy.optimize",),
    "signal": ("scipy.signal",),
    "sparse": ("scipy.sparse.linalg", "scipy.sparse"),
    "spatial": ("scipy.spatial.distance",),
    "stats": ("scipy.stats",),
}
PACKAGE = "s2sad.libraries.scipy.prelude."


def form_of(payload: Any) -> Any:
    """The form of a live function or class of SciPy, None where there is none."""
    package, _, rest = str(getattr(payload, "__module__", None) or "").partition(".")
    name = getattr(payload, "__name__", None)
    topic = rest.partition(".")[0]
    if package != "scipy" or not isinstance(name, str) or topic not in TOPICS:
        return None
    if not any(getattr(sys.modules.get(owner), name, None) is payload for owner in TOPICS[topic]):
        return None
    return own(topic)[name] if name in names(topic) else None


def own(topic: str) -> dict[str, Any]:
    """What a module of forms holds, by name."""
    return vars(importlib.import_module(f"s2sad.libraries.scipy.prelude.{topic}"))


@cache
def names(topic: str) -> frozenset[str]:
    """What a module has forms of."""
    return frozenset(importlib.import_module(f"s2sad.libraries.scipy.prelude.{topic}").__all__)


def form_class(cls: Any) -> bool:
    """Whether a class is one of the forms, or what they are made of."""
    return isinstance(cls, type) and cls.__module__.startswith(PACKAGE)


def stands_for(cls: Any) -> Any:
    """The class of SciPy that a form stands for; another class itself."""
    if not form_class(cls):
        return cls
    owners = TOPICS.get(cls.__module__.removeprefix(PACKAGE), ())
    return next((found for o in owners if isinstance(found := getattr(sys.modules.get(o), cls.__name__, None), type)), cls)


def is_of_form(subject: Entity, classes: tuple[type, ...]) -> bool | None:
    """The answer to ``isinstance`` within a form, where it asks for one; None where it does not."""
    ours = tuple(cls for cls in classes if form_class(cls))
    if not ours:
        return None
    if isinstance(subject, Record):
        return isinstance(subject.cls, type) and issubclass(subject.cls, ours)
    outside = isinstance(subject, Static) or isinstance(subject, Value) and subject.kind == OBJECT
    return outside and any(cls.__name__ == "Outside" for cls in ours)
