"""Forms: which functions and classes of libraries have a program that stands for them, in a prelude of their room."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any, NoReturn

from s2sad.rules.rooms import Prelude, prelude_packages, room_of


def prelude_of(payload: Any) -> tuple[str, Prelude] | None:
    """The package of programs that stand for those of a live object's library, with what it says; None where there is none."""
    room = room_of(str(getattr(payload, "__module__", None) or ""))
    corner = None if room is None or not room.is_used else room.corner("prelude")
    return None if corner is None else (corner.__name__, corner.PRELUDE)


def form_of(payload: Any) -> Any:
    """The form of a live function or class of a library, None where there is none."""
    name, found = getattr(payload, "__name__", None), prelude_of(payload)
    if found is None or not isinstance(name, str):
        return None
    package, prelude = found
    for topic, owners in prelude.topics.items():
        if any(getattr(sys.modules.get(owner), name, None) is payload for owner in owners) and name in names(package, topic):
            return own(package, topic)[name]
    return None


def method_of(cls: type, topic: str, name: str) -> Any:
    """The form of a method of lists and their like, in the prelude of the class; None where there is none."""
    found = prelude_of(cls)
    return own(found[0], topic)[name] if found is not None and name in names(found[0], topic) else None


def own(package: str, topic: str) -> dict[str, Any]:
    """The members of a module of forms, by name."""
    return vars(importlib.import_module(f"{package}.{topic}"))


@cache
def names(package: str, topic: str) -> frozenset[str]:
    """The names that a module has forms of."""
    return frozenset(importlib.import_module(f"{package}.{topic}").__all__)


def refuse(what: str, why: str, instead: str) -> NoReturn:
    """Called by a form: it does not cover this call, and nobody else does."""
    raise AssertionError(what, why, instead)  # lowering refuses


def form_class(cls: Any) -> bool:
    """Test for a class that is one of the forms, or what they are made of."""
    return isinstance(cls, type) and is_form(cls)


def is_form(form: Any) -> bool:
    """Test for a class or function of a module of forms."""
    module: str = getattr(form, "__module__", None) or ""
    return module.startswith(prelude_packages())


def said_of(form: Any) -> tuple[str, Prelude]:
    """The topic of a form, and what the prelude says that it belongs to."""
    package, _, topic = form.__module__.rpartition(".")
    prelude: Prelude = importlib.import_module(package).PRELUDE
    return topic, prelude


def stands_for(cls: Any) -> Any:
    """The class of the library that a form stands for; another class itself."""
    if not form_class(cls):
        return cls
    topic, prelude = said_of(cls)
    owners = prelude.topics.get(topic, ())
    return next((found for o in owners if isinstance(found := getattr(sys.modules.get(o), cls.__name__, None), type)), cls)
