"""Programs that exercise the language: pure Python and NumPy, as people post them, each with a smooth test point.

A module holds one topic and ends in its table `CASES`. The programs know nothing of the compiler under test; whoever
wants to try it on them asks for `language_cases()`, or for some topics only: `language_cases("losses", "recursion")`.
"""

from importlib import import_module

from ..case import Case

TOPICS = (
    "losses", "integrators", "densities", "finance", "kinematics", "recursion", "solvers", "sequences", "physics",
    "curves", "control", "calls", "containers", "lists_and_queues", "lists_of_lists", "dictionaries", "objects", "overloading",
    "choices", "recursion_more", "memories", "sizes_on_the_way",
)
# The topics whose programs define classes of their own.
CLASS_TOPICS = ("objects", "overloading", "choices", "recursion_more", "sizes_on_the_way")


def language_cases(*topics: str) -> list[Case]:
    """The cases of the named topics, of all when none is named, in a fixed order."""
    return [case for topic in topics or TOPICS for case in import_module(f".{topic}", __name__).CASES]
