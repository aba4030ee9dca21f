"""Programs in the style of libraries: objects with state, options by flags, wrappers, caches, trees, recursive structures.

A program is a function of a module here whose first parameter is ``s`` (a number) or ``x`` (an array of three numbers); what
else it takes has a default. Other functions are what programs are made of. They know nothing of the compiler under test.
"""

import types
from importlib import import_module

TOPICS = (
    "counters", "options", "structures", "numerics", "misc", "models", "wrappers", "habits", "tables", "robots", "standard",
    "idioms", "on_top", "parts_of_lists", "sets_of_names", "nodes", "heaps_of_objects", "values_outside",
    "draws", "fixed_objects", "objects_as_keys", "accumulators", "texts_of_objects",
    "exceptions_that_count", "windows_outside", "flags", "exceptions_that_tell", "optimisers", "linked", "previous",
    "sentinels", "budgets", "methods_by_class", "chosen_objects", "asked_attributes", "simulations",
    "shared_fields",
)  # fmt: skip


def library_programs() -> dict[str, types.FunctionType]:
    """The programs by topic and name."""
    found = {}
    for topic in TOPICS:
        module = import_module(f".{topic}", __name__)
        for name, thing in vars(module).items():
            code = getattr(thing, "__code__", None)
            inner = getattr(thing, "__wrapped__", thing)
            first = getattr(getattr(inner, "__code__", None), "co_varnames", ("",))[:1]
            if code is not None and first in (("s",), ("x",)) and thing.__module__ == module.__name__:
                found[f"{topic}.{name}"] = thing
    return found
