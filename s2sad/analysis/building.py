"""The place where an array is complete that a block makes and then writes into.

    new = 2.0 * x - y
    edge = new[:1]
    edge += 1.0
    new[-1] = f(new[-2])
                            complete: from here on nothing leads to it but this name, and the block does not write into it by that
    x, y = new, x

Before that only the block itself knows of it; what somebody else may hold then has no such place.
"""

from __future__ import annotations

from s2sad.analysis.views import holds_references, view_base
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Block, Call, Function, If, Loop, Op, Value, With
from s2sad.ir.walk import blocks_of, use_counts
from s2sad.rules.effects import effects
from s2sad.rules.traits import having


def makes(op: Op) -> bool:
    """The making of an array, with axes and of a dtype that is known, which nothing else holds yet."""
    if not isinstance(op, Call) or op.callee is not None or len(op.results) != 1:
        return False
    kind, does = op.result.kind, effects(op)
    return isinstance(kind, Array) and kind.dtype is not None and bool(kind.shape) and not (does.shares or does.unknown)


def complete_at(block: Block, start: int) -> int | None:
    """The place behind the last store into what an operation of a block has made, or None."""
    value = block.ops[start].results[0]
    read = {k: found for k, op in enumerate(block.ops) if k > start and (found := mentioned(op))}
    windows = {value}
    building, end, early = True, start, windows
    for k, names in read.items():
        if names.isdisjoint(windows):
            continue
        stays = _stays(block.ops[k], windows)
        building = building and stays
        if _writes(block.ops[k], windows):
            if not building:
                return None
            end, early = k, windows - {value}
    later = set(block.yields).union(*(names for k, names in read.items() if k > end))
    return end + 1 if end > start and early.isdisjoint(later) else None


def is_apart(block: Block, value: Value, start: int = 0, last: int | None = None) -> bool:
    """Absence, after a place of a block, of all that may hold an array but its name, and windows that are not handed on.

    ``last``: no name of it is mentioned behind this place.
    """
    windows = {value}
    if not all(_stays(op, windows) for op in block.ops[start:]) or not (windows - {value}).isdisjoint(block.yields):
        return False
    later = [] if last is None else block.ops[last + 1 :]
    return all(windows.isdisjoint(mentioned(op)) for op in later) and (last is None or value not in block.yields)


class Owned:
    """The arrays that the blocks of a function make for themselves, and the places where they are done with them.

    It serves until the function changes.
    """

    def __init__(self, function: Function) -> None:
        self.uses = use_counts(function)
        loops = ((op, block) for block in blocks_of(function.body) for op in block.ops if isinstance(op, Loop) and not op.tests)
        self.loops = {op.body: (op, block) for op, block in loops}
        self.made = {v: (block, k) for block in blocks_of(function.body) for k, op in enumerate(block.ops) for v in op.results}
        self.last: dict[Block, dict[Value, int]] = {}

    def ends(self, block: Block, at: int, value: Value) -> bool:
        """Test for an array that nobody holds, and nothing mentions behind a place of a block."""
        return self._is_complete(block, at, value) or self._is_own(block, at, value)

    def last_places(self, block: Block) -> dict[Value, int]:
        """The places where a block mentions values for the last time; its end, of what it yields."""
        if block not in self.last:
            found = {value: k for k, op in enumerate(block.ops) for value in mentioned(op)}
            self.last[block] = found | dict.fromkeys(block.yields, len(block.ops))
        return self.last[block]

    def _is_complete(self, block: Block, at: int, source: Value) -> bool:
        """Test for an array that the block has made, and is done with at one place."""
        home, start = self.made.get(source, (None, 0))
        last = self.last_places(block)
        if home is not block or start >= at or last[source] > at or not makes(block.ops[start]):
            return False
        windows = {source}
        alone = all(_stays(op, windows) for op in block.ops[start + 1 : at + 1])
        return alone and all(last.get(window, 0) <= at for window in windows)

    def _is_own(self, block: Block, at: int, source: Value) -> bool:
        """Test for an array that each iteration of a loop makes anew, and gives to nobody but the next one."""
        if block not in self.loops or source not in self.loops[block][0].carried:
            return False
        loop, around = self.loops[block]
        k = loop.carried.index(source)
        first, following = loop.init[k], loop.carried_yields[k]
        home, made_at = self.made.get(first, (None, 0))
        made = around.ops[made_at] if home is around else None
        inside, made_at = self.made.get(following, (None, 0))
        start = made_at if inside is block else None
        if made is None or start is None or not makes(made) or not makes(block.ops[start]) or loop.snapshots is not None:
            return False
        once = self.uses[first] == 1 and sum(v is following for v in block.yields) == 1
        return once and is_apart(block, source, 0, at) and is_apart(block, following, start + 1)


def mentioned(op: Op) -> set[Value]:
    """All values that an operation and what is nested in it mention."""
    found = set(op.operands())
    for block in op.blocks():
        found.update(block.yields, *map(mentioned, block.ops))
    return found


def _writes(op: Op, windows: set[Value]) -> bool:
    """A store into an array, by one of its names, in an operation or in what is nested in it."""
    if not isinstance(op, Call):
        return any(_writes(inner, windows) for block in op.blocks() for inner in block.ops)
    if op.callee is not None:
        return not windows.isdisjoint(op.operands())  # it may
    does = effects(op)
    return not windows.isdisjoint((*does.writes, *does.changes))


def _stays(op: Op, windows: set[Value]) -> bool:
    """Absence of anything but its names that holds an array after an operation, whose windows are added to these."""
    if not isinstance(op, Call):
        handed = {*op.operands(), *(v for block in op.blocks() for v in block.yields)}
        inner = all(_stays(nested, windows) for block in op.blocks() for nested in block.ops)
        return inner and isinstance(op, Loop | If | With) and windows.isdisjoint(handed)
    if windows.isdisjoint(op.operands()):
        return True
    does = effects(op)
    if op.callee is not None or does.unknown or does.world or op.target in having("tells apart"):
        return False
    if any(item in windows for item, _ in does.puts):
        return False
    if any(share.value in windows for share in does.shares):
        if view_base(op) not in windows:
            return False
        windows.update(v for v in op.results if holds_references(v))
    return True
