"""Which references may share memory.

Every reference (array, list, tuple of those) belongs to a *class*; two references in different classes never share
memory. Windows join the class of their base, block parameters the classes of all values that flow into them, items of
containers the item class of their container (Steensgaard's unification: near-linear, flow-insensitive, and safe).

A class that some store reaches is *mutable*: it has memory semantics, one shadow for each buffer. All others are plain
values, for which sharing does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.errors import KindError
from s2sad.ir.kinds import UNKNOWN, Array, Dict, List, Other, Scalar, Slice, Tuple, is_number
from s2sad.ir.nodes import Block, Call, Const, For, Function, Global, If, Op, Undef, Value, While, With
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.language import Nothing, Primitive

ITEM = "*"
# Primitives that only look at a reference's shape or pass it on.
LOOKERS = {"ndarray.shape", "ndarray.ndim", "ndarray.size", "ndarray.dtype", "builtins.len", "numpy.shape", "numpy.size",
           "numpy.ndim", "numpy.zeros_like", "numpy.empty_like", "numpy.ones_like", "builtins.tuple", "builtins.list",
           "s2sad.items", "s2sad.dict", "s2sad.runtime.record", "s2sad.unpack", "s2sad.attribute", "list.append"}  # fmt: skip


class Node:
    """A class of references, with the classes of what its members contain (by constant index, or any item)."""

    __slots__ = ("fields", "parent")

    def __init__(self) -> None:
        self.parent: Node = self
        self.fields: dict[object, Node] = {}

    def find(self) -> Node:
        """The representative."""
        node = self
        while node.parent is not node:
            node.parent = node.parent.parent
            node = node.parent
        return node


def holds_references(value: Value) -> bool:
    """Whether a value may be, or contain, a reference to memory."""
    kind = value.kind
    return kind == UNKNOWN or (isinstance(kind, Array | List | Tuple | Dict) and not is_number(kind))


def is_window(call: Call) -> bool:
    """Whether a subscript yields a window into its base (and not a number, or a gathered copy)."""
    result = call.results[0].kind
    if is_number(result):
        return False
    base, index = call.args[0].kind, call.args[1].kind
    if isinstance(base, List | Tuple | Dict):
        return False
    items = index.items if isinstance(index, Tuple) else (index,)
    if result == UNKNOWN and not any(isinstance(k, Slice) for k in items):
        return False
    return all(isinstance(k, Slice) or (isinstance(k, Scalar) and k.dtype != "bool") or isinstance(k, Other) for k in items)


def is_unsure(op: Op) -> bool:
    """Whether only running the program tells if a result is a window: a subscript of an array of unknown rank, a reshape."""
    return is_unsure_item(op) or (isinstance(op, Call) and _may_copy(op) and view_base(op) is not None)


def _may_copy(op: Call) -> bool:
    primitive = registry.lookup(op.target)
    return op.callee is None and primitive is not None and primitive.maybe_view


def is_unsure_item(op: Op) -> bool:
    """Whether a subscript of an array may be a number or a window into it, as its rank is not known."""
    if not isinstance(op, Call) or op.callee is not None or op.target != "operator.getitem":
        return False
    unsure = op.results[0].kind == UNKNOWN and not isinstance(op.args[0].kind, List | Tuple | Dict)
    return unsure and not is_window(op)


def view_base(op: Op) -> Value | None:
    """The reference that the result of ``op`` is a window of (or may be), if any."""
    if not isinstance(op, Call) or op.callee is not None:
        return None
    primitive = registry.lookup(op.target)
    if primitive is None or primitive.view is None or not op.results or is_number(op.results[0].kind):
        return None
    if op.target == "operator.getitem":
        return op.args[0] if is_window(op) or is_unsure_item(op) else None
    base = primitive.bind(op.args, op.kwargs)[primitive.view]
    sequence = primitive.maybe_view and isinstance(base.kind, List | Tuple | Scalar)
    return None if sequence else base  # what NumPy makes of a list or a number is a new array


class Aliases:
    """The alias classes of one function, and which of them are written."""

    def __init__(self, function: Function, within: tuple[Function, ...] = ()) -> None:
        self.function = function
        self.within = (*within, function)
        self.nodes: dict[Value, Node] = {}
        self.block(function.body)
        self.written: set[Node] = set()
        for op in ops_of(function.body):
            self.written |= self.own_writes(op)
        self._roots = self._find_roots()  # now: passes that hold these facts change the program

    # --- questions

    def node(self, value: Value) -> Node:
        """The class of a reference."""
        found = self.nodes.get(value)
        if found is None:
            found = self.nodes[value] = Node()
        return found.find()

    def mutable(self, value: Value) -> bool:
        """Whether some store may reach the memory behind this reference."""
        return holds_references(value) and not isinstance(value, Const | Undef) and self.node(value) in self.written

    def holds_written(self, container: Value) -> bool:
        """Whether a container holds references to memory that is written, or further containers."""
        return any(node in self.written for node in self.reach(self.node(container)) - {self.node(container)})

    def static_root(self, value: Value) -> Value | None:
        """The only buffer of a class, where all its references are windows made from it in plain view; else None.

        References that control flow merges, or that come out of containers, may be different buffers at run time.
        """
        return self._roots.get(self.node(value))

    def _find_roots(self) -> dict[Node, Value | None]:
        roots: dict[Node, Value | None] = {}

        def enter(value: Value, root: bool) -> None:
            if holds_references(value):
                node = self.node(value)
                if not root or (node in roots and roots[node] is not value):
                    roots[node] = None
                else:
                    roots[node] = value

        for value in self.function.values:
            enter(value, True)
        for op in ops_of(self.function.body):
            for value in op.results:
                if view_base(op) is None:
                    enter(value, isinstance(op, Call) and self._is_creation(op))
            for block in op.blocks():
                for value in block.params:
                    enter(value, False)
        for value, node in list(self.nodes.items()):
            if isinstance(value.kind, List | Other) or value.kind == UNKNOWN:
                for inner in node.find().fields.values():
                    roots[inner.find()] = None
        return roots

    def _is_creation(self, op: Call) -> bool:
        """Whether the result of a call is memory of its own (items of a tuple parameter count as parameters)."""
        if op.callee is not None:
            return not any(self.node(r) is self.node(a) for r in op.results for a in op.args if holds_references(a))
        if op.target in ("operator.getitem", "s2sad.attribute") and isinstance(op.args[0].kind, Tuple | Dict):
            return True
        if op.target in ("list.pop", "s2sad.unpack") or registry.lookup(op.target) is None:
            return False
        return not (
            op.target == "operator.getitem"
            and isinstance(op.args[0].kind, List)
            and not isinstance(op.args[1].kind, Slice)
        )

    def writes(self, op: Op) -> set[Node]:
        """The classes whose contents the operation changes, nested operations included."""
        found = self.own_writes(op)
        for block in op.blocks():
            for inner in block.ops:
                found |= self.writes(inner)
        return found

    def reads(self, op: Op) -> set[Node]:
        """The classes whose contents the operation reads, nested operations included."""
        found: set[Node] = set()
        if isinstance(op, Call):
            looks = op.target in LOOKERS or view_base(op) is not None
            for value in op.operands():
                if holds_references(value) and (not looks or (op.target == "builtins.len" and not isinstance(value.kind, Array))):
                    found |= self.reach(self.node(value))
        for block in op.blocks():
            for inner in block.ops:
                found |= self.reads(inner)
        return found

    def reach(self, node: Node) -> set[Node]:
        """A class and the classes of everything that its members contain."""
        seen: set[Node] = set()
        stack = [node.find()]
        while stack:
            current = stack.pop()
            if current not in seen:
                seen.add(current)
                stack += [inner.find() for inner in current.fields.values()]
        return seen

    def own_writes(self, op: Op) -> set[Node]:
        """The classes that this operation itself writes."""
        if not isinstance(op, Call):
            return set()
        if op.callee is not None:
            return self._callee_writes(op)
        primitive = registry.lookup(op.target)
        if primitive is None or not primitive.writes:
            return set()
        bound = primitive.bind(op.args, op.kwargs)
        return {self.node(bound[param]) for param in primitive.writes}

    def _callee_writes(self, op: Call) -> set[Node]:
        assert op.callee is not None
        if op.callee in self.within:
            return set()
        inner = Aliases(op.callee, self.within)
        found: set[Node] = set()
        for param, arg in zip(op.callee.values, op.args, strict=False):
            if holds_references(arg) and holds_references(param) and inner.reach(inner.node(param)) & inner.written:
                found |= self.reach(self.node(arg))
        return found

    # --- unification

    def unify(self, a: Value, b: Value) -> None:
        """Two values may be references to the same memory."""
        literals = (Const, Undef)
        if holds_references(a) and holds_references(b) and not isinstance(a, literals) and not isinstance(b, literals):
            self._merge(self.node(a), self.node(b))

    def _merge(self, a: Node, b: Node) -> None:
        a, b = a.find(), b.find()
        if a is b:
            return
        b.parent = a
        for key, inner in b.fields.items():
            if key in a.fields:
                self._merge(a.fields[key], inner)
            else:
                a.fields[key] = inner
        if ITEM in a.fields and len(a.fields) > 1:
            star = a.fields[ITEM]
            for inner in list(a.fields.values()):
                self._merge(star, inner)

    def field(self, container: Value, key: object) -> Node:
        """The class of what a container holds under a key."""
        fields = self.node(container).fields
        if ITEM in fields:
            return fields[ITEM].find()
        if key == ITEM and fields:
            fields[ITEM] = Node()
            for inner in list(fields.values()):
                self._merge(fields[ITEM], inner)
            return fields[ITEM].find()
        return fields.setdefault(key, Node()).find()

    def put(self, container: Value, key: object, item: Value) -> None:
        """``item`` may be held by ``container`` under ``key``."""
        if holds_references(item) and not isinstance(item, Const | Undef) and not isinstance(container, Const):
            self._merge(self.field(container, key), self.node(item))

    def block(self, block: Block) -> None:
        """Unify what the operations of a block bind together."""
        for op in block.ops:
            if isinstance(op, Call):
                self.call(op)
            for inner in op.blocks():
                self.block(inner)
            for a, b in _flows(op):
                self.unify(a, b)

    def call(self, op: Call) -> None:
        """Unify arguments and results of a call."""
        if op.callee is not None:
            self._callee(op)
            return
        primitive = registry.lookup(op.target)
        base = view_base(op)
        if base is not None:
            self.unify(op.results[0], base)
        elif op.target in CONTAINERS:
            CONTAINERS[op.target](self, op)
        elif primitive is None:
            for arg in op.operands():
                for result in op.results:
                    self.unify(result, arg)
        elif op.target == "operator.getitem":
            self._item(op)

    def _item(self, op: Call) -> None:
        base, index = op.args
        if isinstance(base.kind, List | Tuple | Dict) and holds_references(op.results[0]) and not isinstance(base, Const):
            if isinstance(index.kind, Slice):
                self._merge(self.field(op.results[0], ITEM), self.field(base, ITEM))
            else:
                key = index.payload if isinstance(index, Const) and not isinstance(base.kind, List) else ITEM
                self._merge(self.node(op.results[0]), self.field(base, key))

    def _callee(self, op: Call) -> None:
        assert op.callee is not None
        if op.callee in self.within:  # recursion: what comes out may be what went in
            for result in op.results:
                for arg in op.args:
                    self.unify(result, arg)
            return
        inner = Aliases(op.callee, self.within)
        partner: dict[Node, Node] = {}

        def tie(theirs: Node, ours: Node) -> None:
            theirs = theirs.find()
            if theirs in partner:
                self._merge(partner[theirs], ours)
                return
            partner[theirs] = ours
            for key, item in theirs.fields.items():
                tie(item, ours.find().fields.setdefault(key, Node()))

        pairs = [*zip(op.callee.values, op.args, strict=False), *zip(op.callee.body.yields, op.results, strict=False)]
        for theirs, ours in pairs:
            if holds_references(theirs) and holds_references(ours) and not isinstance(ours, Const | Undef):
                tie(inner.node(theirs), self.node(ours))


def _flows(op: Op) -> Iterator[tuple[Value, Value]]:
    """The pairs of values that control flow binds together."""
    if isinstance(op, If):
        for result, a, b in zip(op.results, op.then.yields, op.orelse.yields, strict=True):
            yield result, a
            yield result, b
    elif isinstance(op, For | While):
        tests = op.test.params if isinstance(op, While) else op.carried
        carried = zip(op.results, op.init, op.carried, op.carried_yields, tests, strict=True)
        for result, *others in carried:
            for other in others:
                yield result, other
        if isinstance(op, For) and not isinstance(op.iterable.kind, Other):
            yield op.body.params[0], op.iterable
    elif isinstance(op, With):
        yield from zip(op.results, op.body.yields, strict=True)


def _attribute(aliases: Aliases, op: Call) -> None:
    if holds_references(op.results[0]) and isinstance(op.args[1], Const):
        aliases._merge(aliases.node(op.results[0]), aliases.field(op.args[0], op.args[1].payload))


def _tuple(aliases: Aliases, op: Call) -> None:
    for k, item in enumerate(op.args):
        aliases.put(op.results[0], k, item)


def _dict(aliases: Aliases, op: Call) -> None:
    keys = op.args[0].payload if isinstance(op.args[0], Const) else ()
    for key, item in zip(keys, op.args[1:], strict=True):
        aliases.put(op.results[0], key, item)


def _record(aliases: Aliases, op: Call) -> None:
    keys = op.args[1].payload if isinstance(op.args[1], Const) else ()
    named = isinstance(op.results[0].kind, Tuple)
    for key, item in zip(range(len(keys)) if named else keys, op.args[2:], strict=True):
        aliases.put(op.results[0], key, item)


def _list(aliases: Aliases, op: Call) -> None:
    for item in op.args:
        aliases.put(op.results[0], ITEM, item)


def _append(aliases: Aliases, op: Call) -> None:
    aliases.put(op.args[0], ITEM, op.args[1])


def _pop(aliases: Aliases, op: Call) -> None:
    if holds_references(op.results[0]):
        aliases._merge(aliases.node(op.results[0]), aliases.field(op.args[0], ITEM))


def _unpack(aliases: Aliases, op: Call) -> None:
    for k, result in enumerate(op.results):
        if holds_references(result):
            aliases._merge(aliases.node(result), aliases.field(op.args[0], k))


def _setitem(aliases: Aliases, op: Call) -> None:
    if isinstance(op.args[0].kind, List):
        aliases.put(op.args[0], ITEM, op.args[2])


CONTAINERS = {
    "s2sad.attribute": _attribute,
    "builtins.tuple": _tuple,
    "s2sad.items": _tuple,
    "s2sad.dict": _dict,
    "s2sad.runtime.record": _record,
    "builtins.list": _list,
    "list.append": _append,
    "list.pop": _pop,
    "s2sad.unpack": _unpack,
    "operator.setitem": _setitem,
}


def writes_parameters(function: Function) -> bool:
    """Whether the function writes into memory that it got from its caller."""
    aliases = Aliases(function)
    return any(aliases.reach(aliases.node(v)) & aliases.written for v in function.values if holds_references(v))


def returns_parameters(function: Function) -> bool:
    """Whether the function may return memory that it got from its caller."""
    aliases = Aliases(function)
    given: set[Node] = set()
    for value in function.values:
        if holds_references(value):
            given |= aliases.reach(aliases.node(value))
    return any(
        given & aliases.reach(aliases.node(v))
        for v in function.body.yields
        if holds_references(v) and not isinstance(v, Const | Undef | Global)
    )


def is_droppable(op: Call, primitive: Primitive | None) -> bool:
    """Whether a call may be dropped when its results are unused."""
    if op.callee is not None:
        return not writes_parameters(op.callee)
    return primitive is not None and not primitive.writes and not primitive.effect


__all__ = ["Aliases", "Nothing", "is_droppable", "is_window", "returns_parameters", "view_base", "writes_parameters"]


def check_rebinding(function: Function) -> None:
    """Refuse ``x += e`` where it is not known whether x is an array, and it might be one that others see.

    On a number or an array of its own, ``x += e`` is as good as ``x = x + e``; on the caller's array it is a store.
    """
    aliases = Aliases(function)
    given = {n for v in function.values if holds_references(v) for n in aliases.reach(aliases.node(v))}
    for op in ops_of(function.body):
        if isinstance(op, Call) and op.target in ("operator.iadd", "operator.isub"):
            left = op.args[0]
            if not isinstance(left, Const | Undef) and holds_references(left) and aliases.node(left) in given:
                raise KindError(
                    f"whether this changes {left.name or 'an array'} in place is not known", location=op.loc,
                    why="for a number it rebinds the name; an array changes for everyone who sees it",
                    instead="annotate the parameter: x: float, or x: np.ndarray",
                )  # fmt: skip
