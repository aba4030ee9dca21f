"""Lists among other items of one list, which have no place for their adjoints.

    rows = [None] * n
    rows[0] = [1.0, x]           # the adjoint of this list would be collected in a list that rows' shadow holds
    rows[1] = [rows[0][1], x]    # but of rows[0] only the running program knows that it is a list

So have dicts that are lists on another path: adjoints are put into a list by places, into a dict by keys.
"""

from __future__ import annotations

from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import flows
from s2sad.analysis.items import puts
from s2sad.errors import UnsupportedSyntaxError
from s2sad.ir.kinds import UNKNOWN, Array, Kind, List, Scalar, Tuple
from s2sad.ir.walk import ops_of


def refuse_mixed_lists(activity: Activity) -> None:
    """Raise UnsupportedSyntaxError where an active list is put into a list whose items are not all lists."""
    for op in ops_of(activity.function.body):
        for items, item in puts(op, unknown=True):
            if activity.active(item) and _is_mixed(items.kind) and _is_list(item.kind):
                name = items.name or "one list"
                raise UnsupportedSyntaxError(
                    f"lists and other items in {name} are not supported in reverse mode", location=op.loc,
                    why="which of them an item is (None, too) is known only when the program runs",
                    instead="lists from the beginning ([[0.0] * n for _ in range(m)]), append, or jvp",
                )  # fmt: skip


def refuse_mixed_paths(activity: Activity) -> None:
    """Raise UnsupportedSyntaxError where an active dict with computed keys is something else on another path."""
    for op in ops_of(activity.function.body):
        for result, source in flows(op):
            if source.kind.keyed and not result.kind.keyed and (activity.active(source) or activity.active(result)):
                raise UnsupportedSyntaxError(
                    f"{result.name or 'a name'}, which is a dict on one path and something else on another, is not supported in "
                    "reverse mode", location=op.loc, why="the adjoints of its items are kept by keys, or by places",
                    instead="a name for each, or dicts on both paths",
                )  # fmt: skip


def _is_mixed(kind: Kind) -> bool:
    return kind == UNKNOWN or (isinstance(kind, List) and kind.item == UNKNOWN)


def _is_list(kind: Kind) -> bool:
    """Test for a list that is no row of numbers."""
    if isinstance(kind, Tuple):
        return kind.listed and not all(isinstance(item, Scalar | Array) for item in kind.items)
    return isinstance(kind, List) and not kind.keyed
