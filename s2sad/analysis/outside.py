"""Memory that others see: what a function reaches by a name from outside, and arrays that it leaves in objects there.

It may be read, and not written.

BUFFER = np.zeros(3)

def f(x):
    BUFFER[0] = x        # refused: a derivative call leaves the program's own memory as it is
    return BUFFER.sum()
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from types import MethodType

from s2sad.analysis.alias import Aliases
from s2sad.analysis.views import holds_references
from s2sad.errors import AliasError
from s2sad.ir.nodes import Call, Const, Function, Global, Op, Value
from s2sad.ir.walk import definers, globals_of, ops_of, use_counts

KEEP = "s2sad.leave"  # a value in a field of an object outside
LEAVE = (KEEP, "s2sad.leave_item")  # a value in an object or list outside
READ = "s2sad.state"  # what is found there


def drop_unread(function: Function) -> None:
    """Remove what is read at entry of objects outside, and not used."""
    used = use_counts(function)
    kept = [op for op in function.body.ops if not (isinstance(op, Call) and op.target == READ and op.result not in used)]
    if len(kept) < len(function.body.ops):
        function.body.ops[:] = kept
        drop_unread(function)


def check_outside(function: Function, met: Callable[[Global], None], followed: Container[int]) -> None:
    """Raise AliasError at a store into memory behind a global name, a captured variable or a default.

    ``met`` is asked first: it raises something else where the program can be lowered so that it stores into copies. That was done
    of what is ``followed``, by identity: what is read there at entry is copied where it is written (``ad.protect``).
    """
    operations = list(ops_of(function.body))
    mentioned = [*globals_of(function.body)]
    leaving = [op.args[-1] for op in operations if isinstance(op, Call) and op.target in LEAVE and holds_references(op.args[-1])]
    if not mentioned and not leaving and not any(isinstance(op, Call) and op.callee is not None for op in operations):
        return
    aliases = Aliases(function)
    names = [*filter(is_bound, mentioned), *aliases.named.values()]
    outside = {node: value for value in names for node in aliases.reach(aliases.node(value))}
    read = [op.result for op in operations if isinstance(op, Call) and op.target == READ and holds_references(op.result)]
    copied = {node.find() for value in read for node in aliases.reach(aliases.node(value))}
    left = {node for value in leaving for node in aliases.reach(aliases.node(value))}
    for op in operations:
        if isinstance(op, Call):
            for node in aliases.own_writes(op):
                if node.find() in {other.find() for other in left}:
                    met(Global("", op.args[0].kind, None))
                    raise AliasError(
                        "this writes into an array that is left in an object outside", location=op.loc,
                        why="the reverse sweep takes such writes back", instead="leave a copy there: obj.a = a.copy()",
                    )  # fmt: skip
                if node.find() in outside:
                    root = outside[node.find()]
                    if id(root.payload) in followed and node.find() in copied:
                        continue
                    met(root)
                    name = path_of(op.args[0], definers(function)) if op.args else ""
                    known = name if name.startswith(root.path) else root.path
                    raise AliasError(
                        f"this writes into {known}, which is not an argument of {function.title}",
                        location=op.loc,
                        why="a derivative call leaves the memory outside as it is, and would not see what others write there",
                        instead="copy it first, or pass it as an argument",
                    )


def writes_items(function: Function, items: Value) -> bool:
    """Possibility that a function writes into what a list holds."""
    aliases = Aliases(function)
    inner = {node.find() for node in aliases.reach(aliases.node(items))} - {aliases.node(items).find()}
    written = (node.find() for op in ops_of(function.body) for node in aliases.own_writes(op))
    return any(node in inner for node in written)


def is_bound(value: Global) -> bool:
    """Test for something called that leads to memory: a method to its object."""
    return isinstance(value.payload, MethodType)


def field_of(op: Call) -> tuple[Value, object, object]:
    """Of what object a field is read, or left in: the object, whether by attribute or by key, and its name."""
    parts = [part.payload if isinstance(part, Const) else part for part in op.args[1:3]]
    return op.args[0], parts[0], parts[1]


def path_of(value: Value, made: Mapping[Value, Op]) -> str:
    """The program's text for a field of an object outside, or of an argument."""
    if isinstance(value, Global):
        return value.path
    op = made.get(value)
    if not isinstance(op, Call) or op.callee is not None:
        return value.name or "this"
    if op.target == "s2sad.unpack":
        return f"{path_of(op.args[0], made)}[{op.results.index(value)}]"
    if op.target in (READ, "operator.getitem") and (same := _displayed(op, made)) is not None:
        return path_of(same, made)
    if op.target == "s2sad.attribute" and isinstance(op.args[1], Const):
        return f"{path_of(op.args[0], made)}.{op.args[1].payload}"
    if op.target == "operator.getitem" and isinstance(op.args[1], Const):
        return f"{path_of(op.args[0], made)}[{op.args[1].payload!r}]"
    return path_of_field(op, made) if op.target == READ else value.name or "this"


def _displayed(op: Call, made: Mapping[Value, Op]) -> Value | None:
    """The value that was put into the tuple that an item is read of: a pass has taken that apart, and put it together again."""
    display, key = made.get(op.args[0]), op.args[-1]
    if not isinstance(display, Call) or display.target not in ("builtins.tuple", "s2sad.items") or not isinstance(key, Const):
        return None
    k = key.payload
    return display.args[k] if type(k) is int and 0 <= k < len(display.args) else None


def path_of_field(op: Call, made: Mapping[Value, Op]) -> str:
    """The program's text for the field that is read, or left in."""
    owner, by_attribute, key = field_of(op)
    if by_attribute is None:  # an array or list itself
        return path_of(owner, made)
    return f"{path_of(owner, made)}.{key}" if by_attribute else f"{path_of(owner, made)}[{key!r}]"
