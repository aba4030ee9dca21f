"""What a call knows of sizes: tapes hold tapes, and what they hold is looked at once, however often it stands there."""

from __future__ import annotations

from s2sad.ir.kinds import Array, Dim, Kind, Tuple
from s2sad.ir.size_names import Naming

LEVELS = 200  # a tree of 2 ** 200 leaves, if it were one


def nested(size: Dim, other: Dim) -> Kind:
    kind: Kind = Tuple((Array("float64", (size,)), Array("float64", (other,))))
    for _ in range(LEVELS):
        kind = Tuple((kind, kind))
    return kind


def test_kinds_that_share_their_parts_are_named_once() -> None:
    n, m, ours, theirs = (Dim(object()) for _ in range(4))
    named = Naming([nested(n, m)], [nested(ours, theirs)]).kind(nested(n, m))
    for _ in range(LEVELS):
        assert isinstance(named, Tuple)
        assert named.items[0] is named.items[1]
        named = named.items[0]
    assert named == Tuple((Array("float64", (ours,)), Array("float64", (theirs,))))


def test_of_what_is_not_given_sizes_are_new_names() -> None:
    n, m = Dim(object()), Dim(object())
    naming = Naming([Tuple((nested(n, m), Array("float64", (n,))))], [Kind()])
    first, second = (naming.kind(Array("float64", (size,))) for size in (n, m))
    assert isinstance(first, Array)
    assert first != Array("float64", (n,))
    assert first != second
