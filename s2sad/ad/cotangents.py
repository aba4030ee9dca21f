"""The adjoints of values while the reverse sweep is made: what each has collected, and where.

The adjoint of a number, or of an array that nobody writes into, is a value: contributions are added up. That of a tuple is
the adjoints of its items. That of a reference into memory that is written is its shadow, a buffer of the same shape, and
windows of memory have windows of the shadow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from s2sad.ad.expected import Looked
from s2sad.ad.forward import Forward
from s2sad.ad.memory import adjoint_of, gathers
from s2sad.ad.protect import lying_as_given
from s2sad.ad.recomputed import Saved
from s2sad.ad.request import CalleeDerivatives, derivative_of
from s2sad.ad.shadows import own_shadow, refuse_unmirrored
from s2sad.ad.unbound import absent_items
from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases
from s2sad.analysis.endless import endless
from s2sad.analysis.recorded import Recording
from s2sad.analysis.references import references, root_of
from s2sad.analysis.resizing import Resizing
from s2sad.analysis.views import (
    holds_references,
    is_base_itself,
    is_mirrored,
    is_unsure,
    is_window,
    may_subscript_number,
    mirror_of,
    reads_through,
    view_base,
)
from s2sad.errors import AliasError, Location, UnsupportedSyntaxError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Kind,
    List,
    Scalar,
    Slice,
    StructKind,
    Tuple,
    is_differentiable,
)
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, If, Loop, Op, Value, bar_of
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.rules import registry
from s2sad.rules.application import Application, unbroadcast
from s2sad.rules.containers import made_items, makes_fixed
from s2sad.rules.effects import effects
from s2sad.rules.kind_rules import as_array_kind
from s2sad.rules.language import Elementwise, Nothing
from s2sad.rules.structures import put_together, take_item
from s2sad.rules.traits import having, spelled


class Part(NamedTuple):
    """An item of a tuple, dict or object, which collects adjoints of its own."""

    value: Value
    key: object

    @property
    def kind(self) -> Kind:
        """The kind of the item."""
        return self.value.kind.inner[list(self.value.kind.keys).index(self.key)]

    @property
    def name(self) -> str | None:
        """The name of the item."""
        return f"{self.value.name}_{self.key}" if self.value.name else None


class Cotangents:
    """Adjoints, parts of tuples, and shadows, with the builder of the reverse sweep."""

    def __init__(
        self,
        function: Function,
        aliases: Aliases,
        activity: Activity,
        shadow_of: dict[Value, Value],
        replaced: dict[Call, Value],
        before: dict[Call, Value],
        family: CalleeDerivatives,
        cut: bool,
        restored: Iterable[Value] = (),
    ) -> None:
        self.aliases = aliases
        self.activity = activity
        self.family = family
        self.shadow_of = shadow_of  # of dynamic references: travels in the forward sweep
        self.before = before  # the items that stores into other lists replace
        self.replaced = replaced  # the shadows that stores into lists of shadows have replaced
        self.recording = Recording(function, aliases, activity, restored, family.repeats)
        self.forward = Forward(function, aliases, self.recording, cut)
        self.builder = Builder(Block(), registry.infer)
        self.saved: Saved = {}
        self.resizing = Resizing()
        self.filling: set[Op] = set()  # stores that stretch nothing
        self.looked: Looked = {}  # what the forward sweep has found of sizes, by block
        self.adjoints: dict[Value | Part, Value] = {}
        self.shadows: dict[Value, Value] = {}
        self.travelling: dict[Value, Value] = {}  # the shadows that the caller gives, of references whose own ones travel
        self.structured: set[Value] = set()  # adjoints that need not be numbers or arrays
        self.settled: set[Call] = set()  # what overwrites what the reverse sweep reads, and is undone
        self.unbound, self.unbound_in = absent_items(function, aliases.node)
        self.lying = lying_as_given(function, aliases)
        self.endless = endless(function, aliases, not cut, family.infinite)
        self.buffered = buffered_values(function, self)
        self.boxed = {op.args[0] for op in ops_of(function.body) if isinstance(op, Call) and may_subscript_number(op)}

    # --- facts

    def active(self, value: Value) -> bool:
        """Test for a value that has an adjoint."""
        return self.activity.active(value)

    def in_memory(self, value: Value) -> bool:
        """Test for a reference into a buffer with a shadow: one that some store reaches, or a dynamic list."""
        if isinstance(value, LITERALS) or not holds_references(value):
            return False
        return (
            value in self.shadow_of
            or self.aliases.mutable(value)
            and not value.kind.container
        )

    def holds_shadows(self, items: Value) -> bool:
        """Test for a list whose shadow holds the shadows of what the list refers to (and not adjoints of its own)."""
        assert isinstance(items.kind, List)
        return not isinstance(items.kind.item, Scalar) and (
            isinstance(items.kind.item, List)
            or items.kind.item == UNKNOWN
            or self.aliases.holds_written(items)
        )

    def is_view_in_memory(self, op: Call) -> bool:
        """Test for a call that makes a window into a buffer with a shadow: its adjoint is a window of that shadow."""
        return self.in_memory(op.result) and view_base(op) is not None

    def primal(self, value: Value) -> Value:
        """A primal value in the reverse sweep."""
        return self.forward.value(value, self.builder)

    # --- adjoints

    def accumulate(self, value: Value, contribution: Value) -> None:
        """Add a contribution to the adjoint of a value."""
        if isinstance(value, LITERALS) or not self.active(value):
            return
        if value.kind.fixed:
            self._accumulate_items(value, contribution)
        elif isinstance(value.kind, List):
            target = "add_into_items" if self.holds_shadows(value) else "add_items"
            self.builder.call(f"s2sad.runtime.{target}", self.shadow(value), Const(slice(None)), contribution)
        elif self.in_memory(value) or value in self.buffered:
            self._accumulate_in_place(value, contribution)
        else:
            old = self.adjoints.get(value)
            if value in self.unbound and is_handed_on(contribution, self.builder.block):
                self.structured.add(contribution)
            self.adjoints[value] = self.named(self.sum(old, contribution), value)

    def sum(self, a: Value | None, b: Value) -> Value:
        """The sum of two adjoints; items of tapes and what is of unknown kind may be tuples, or None (at the end of a
        recursion)."""
        if not self._is_number(b):
            self.structured.add(b)
        if a is None:
            return b
        plain = a not in self.structured and b not in self.structured
        total = self.builder.call("operator.add" if plain else "s2sad.runtime.add", a, b)
        if not plain:
            self.structured.add(total)
        return total

    def _is_number(self, adjoint: Value) -> bool:
        """Certainty that an adjoint is a number or an array: it is computed here, or its kind says so and it is no item."""
        made = self.builder.block.ops[-1] if self.builder.block.ops else None
        if not isinstance(made, Call) or made.results != [adjoint]:
            return isinstance(adjoint.kind, Scalar | Array)
        primitive = registry.lookup(made.target)
        if made.target == "s2sad.runtime.unbroadcast":
            return True
        if primitive is not None and isinstance(primitive.derivative, Elementwise):
            return True
        taken_out = made.target == "operator.getitem" and not isinstance(made.args[0].kind, Array)
        return isinstance(adjoint.kind, Scalar | Array) and not taken_out

    def _accumulate_items(self, value: Value, contribution: Value) -> None:
        op = self.forward.definer.get(value)
        made = made_items(op) if isinstance(op, Call) and makes_fixed(op) else {}
        if contribution.kind == UNKNOWN and isinstance(value.kind, StructKind):
            contribution.kind = value.kind  # where the value is a tuple the adjoint may be an array
        for key, kind in zip(value.kind.keys, value.kind.inner, strict=True):
            item = made.get(key)
            if not is_differentiable(kind) or (item is not None and not self.active(item)):
                continue
            part = take_item(self.builder, contribution, key, _part_kind(contribution.kind, key, kind))
            if item is None:
                self.add_part(value, key, part)
            else:
                self.accumulate(item, part)

    def _accumulate_in_place(self, value: Value, contribution: Value) -> None:
        op = self.forward.definer.get(value)
        if isinstance(op, Call) and self.reads_through(value):
            self.pass_to_base(op, contribution)
        elif self.in_memory(value) and value not in self.shadow_of and (base := self._itself(op)) is not None:
            self._accumulate_in_place(base, contribution)
        elif (
            isinstance(op, Call)
            and op.target == "operator.getitem"
            and self.in_memory(value)
            and is_window(op)
            and value not in self.shadow_of
        ):
            base, index = op.args
            self.builder.call("s2sad.additem", self.shadow(base), self.primal(index), contribution)
        else:
            self._add_where_bound(value, contribution)

    def add_to_item(self, base: Value, index: Value, g: Value) -> None:
        """Add to what is due to ``base[index]``, of which nothing is a window; that may be a dict where kinds say nothing."""
        shadow, place = self.shadow(base), self.primal(index)
        unknown = base.kind == UNKNOWN and g.kind == UNKNOWN and not isinstance(index.kind, Slice)
        if not unknown or self._is_number(g) or not is_handed_on(g, self.builder.block):
            self.builder.call("s2sad.additem", shadow, place, g)
            return
        total = self.builder.call("s2sad.runtime.add", self.builder.call("operator.getitem", shadow, place), g)
        self.builder.call("operator.setitem", shadow, place, total)

    def _add_where_bound(self, value: Value, contribution: Value) -> None:
        """Add to all of a shadow. That of what some path leaves unbound is None there, and so is what control flow, tapes and
        copies hand on."""
        shadow = self.shadow(value)
        loose = value in self.unbound or value.kind == UNKNOWN and contribution.kind == UNKNOWN
        if not loose or not is_handed_on(contribution, self.builder.block):
            self.builder.call("s2sad.additem", shadow, Const(...), contribution)
            return
        bound = If(cond=self.builder.call("operator.is_not", shadow, None))
        with self.builder.inside(bound.then):
            self.builder.call("s2sad.additem", shadow, Const(...), contribution)
        self.builder.append(bound)

    def pass_to_base(self, op: Call, g: Value) -> None:
        """Propagate the adjoint of a view, or of a copy made in its place, to what it was taken from, by its rule."""
        base, primitive = view_base(op), registry.lookup(op.target)
        assert base is not None and primitive is not None
        if op.target == "operator.getitem":
            self.accumulate(base, self.scattered(base, op.args[1], g))
            return
        derivative = derivative_of(op)
        assert derivative is not None and not isinstance(derivative, Nothing)
        app = Application(op, primitive, self.builder, self.primal, steep=self.family.steep, endless=self.endless)
        (param,) = (p for p, v in app.bound.items() if v is base)
        self.accumulate(base, derivative.pullback(app, g, param))

    def scattered(self, base: Value, index: Value, g: Value, repeats: bool = False) -> Value:
        """The adjoint of ``base`` from that of ``base[index]``: zeros around it."""
        whole = self.builder.call(spelled("makes zeros"), self.primal(base))
        target = spelled("scatters") if repeats else "s2sad.additem"
        self.builder.call(target, whole, self.primal(index), g)
        return whole

    def reads_through(self, value: Value) -> bool:
        """Test for a window into a buffer with a shadow whose adjoint goes to its base at once."""
        return value not in self.shadow_of and self.in_memory(value) and reads_through(value, self.forward.definer)

    def named(self, adjoint: Value, value: Value) -> Value:
        """Give a new adjoint the name of its value."""
        if adjoint.name is None and value.name is not None and not isinstance(adjoint, LITERALS):
            adjoint.name = bar_of(value.name)
        return adjoint

    def take(self, value: Value) -> Value | None:
        """The adjoint of a value that is being left behind; None if nothing contributed."""
        if not self.active(value):
            return None
        if self.in_memory(value) or value in self.buffered or isinstance(value.kind, List):
            return self._collected(value) if self.has_shadow(value) else None
        if value.kind.fixed:
            items, shadow = self.assemble(value), self.shadows.get(value)  # a shadow of what a callee wrote into
            return shadow if items is None else items if shadow is None else self.sum(shadow, items)
        return self.adjoints.pop(value, None)

    def _collected(self, value: Value) -> Value:
        """The adjoint that a shadow has collected: of a number that is subscripted as an array without axes, a number."""
        shadow = self.shadow(value)
        boxed = value in self.boxed and not self.in_memory(value)
        return self.builder.call("s2sad.runtime.unboxed", shadow, self.primal(value)) if boxed else shadow

    # --- parts of tuples

    def add_part(self, value: Value, key: object, g: Value) -> None:
        """Add a contribution to an item of a tuple-valued value."""
        if not value.kind.fixed:
            raise UnsupportedSyntaxError(
                f"taking {value.name or 'this value'} apart is not supported where it is differentiated",
                location=self.builder.primal, why="what it consists of is not known", instead="return one array or number",
            )  # fmt: skip
        part = Part(value, key)
        self.adjoints[part] = self.sum(self.adjoints.get(part), g)

    def take_parts(self, value: Value) -> dict[object, Value]:
        """The adjoints of the items of a tuple."""
        keys = [part.key for part in self.adjoints if isinstance(part, Part) and part.value is value]
        return {key: self.adjoints.pop(Part(value, key)) for key in keys}

    def assemble(self, value: Value) -> Value | None:
        """The adjoint of a tuple or dict as one value; None if nothing contributed to any item."""
        parts = self.take_parts(value)
        if not parts:
            return None
        assert isinstance(value.kind, Tuple | StructKind)
        items: list[Value] = []
        for key in value.kind.keys:
            items.append(parts[key] if key in parts else self._zero_part(Part(value, key)))
        like = self.primal(value) if value.kind.cls is not None else value
        return put_together(self.builder, value.kind, like, items)

    # --- shadows

    def has_shadow(self, value: Value) -> bool:
        """Possibility that anything has been contributed to a shadow yet."""
        return (
            value in self.shadow_of
            or value in self.shadows
            or view_base(self.forward.definer.get(value) or Op()) is not None
        )

    def shadow(self, value: Value) -> Value:
        """The shadow of a buffer, or the window of it that mirrors a window."""
        if value in self.shadow_of:
            return self.primal(self.shadow_of[value])
        op = self.forward.definer.get(value)
        base = view_base(op) if op is not None and value not in self.buffered else None
        if base is not None and isinstance(op, Call):
            return self._unsure_shadow(op, base) if is_unsure(op) else self._shadow_window(op, base)
        if isinstance(op, Call) and is_inner_list(op):
            return self.builder.call("operator.getitem", self.shadow(op.args[0]), self.primal(op.args[1]))
        if value not in self.shadows and isinstance(op, Call) and makes_fixed(op) and self.aliases.holds_written(value):
            return self._shadow_of_parts(op)
        if value not in self.shadows:
            self.shadows[value] = self._new_shadow(value)
        return self.shadows[value]

    def _shadow_of_parts(self, op: Call) -> Value:
        """The shadow of a tuple, or a list that stays as it is, which holds what is written: it has the shadows of that."""
        kind = op.result.kind
        assert isinstance(kind, Tuple | StructKind)
        parts = [self.shadow(v) if self.in_memory(v) or self._has_parts(v) else self.zeros(v) for v in made_items(op).values()]
        like = self.primal(op.result) if kind.cls is not None else op.result
        return put_together(self.builder, kind, like, parts, bar_of(op.result.name))

    def _has_parts(self, value: Value) -> bool:
        inside = value.kind.fixed and not isinstance(value, LITERALS)
        return inside and self.aliases.holds_written(value)

    def _unsure_shadow(self, op: Call, base: Value) -> Value:
        """The shadow of a window or of something of its own, whichever it is when the program runs; made where its block
        begins."""
        if op.result not in self.shadows:
            scope = self.forward.scope_of(self.forward.owner[op.result])
            maker = Builder(Block(), registry.infer)
            maker.primal = self.builder.primal
            own = not is_mirrored(base, self.forward.definer)
            with self.forward.at_entry(scope), self.builder.inside(maker.block):
                window = op.result if own else self._shadow_window(op, base)
                item, whole = self.forward.value(op.result, maker), self.forward.value(base, maker)
            name = bar_of(op.result.name)
            if own:
                self.shadows[op.result] = own_shadow(maker, op, item, whole)
                self.shadows[op.result].name = name
            else:
                self.shadows[op.result] = maker.call("s2sad.runtime.shadow_of", window, item, whole, name=name)
            self.shadows[op.result].kind = op.result.kind
            scope.shadows += maker.block.ops
        return self.shadows[op.result]

    def _itself(self, op: Op | None) -> Value | None:
        """The value that a call has certainly returned again."""
        base = view_base(op) if isinstance(op, Call) else None
        return base if base is not None and is_base_itself(op) else None  # type: ignore[arg-type]

    def _shadow_window(self, op: Call, base: Value) -> Value:
        if is_base_itself(op):
            return self.shadow(base)
        if not mirror_of(op):
            refuse_unmirrored(op, self.builder.loc)
        places = [k for k, v in enumerate(op.args) if v is base]
        args = [self.shadow(base) if k in places[:1] else self.primal(v) for k, v in enumerate(op.args)]
        kwargs = {
            k: self.shadow(base) if v is base and not places else self.primal(v) for k, v in op.kwargs.items()
        }
        made = self.builder.call(mirror_of(op), *args, **kwargs)
        made.kind = op.result.kind
        made.name = bar_of(op.result.name)
        return made

    def _new_shadow(self, value: Value) -> Value:
        """A zero of the value's shape, at the beginning of the reverse of the block in which it lives."""
        if (
            isinstance(value.kind, Array)
            and self.aliases.mutable(value)
            and self.aliases.static_root(value) is None
        ):
            raise AliasError(
                f"which buffer {value.name or 'this value'} refers to is not known", location=self.builder.primal,
                why="it may share memory with another name that is written", instead="copy it before it is bound again",
            )  # fmt: skip
        scope = self.forward.scope_of(self.forward.owner[value])
        maker = Builder(Block(), registry.infer)
        maker.primal = self.builder.primal
        with self.forward.at_entry(scope):
            primal = self.forward.value(value, maker)
        name = bar_of(value.name)
        fresh = value.kind.keyed  # what is missing counts as zero
        made = maker.call("s2sad.map", (), name=name) if fresh else maker.call(self.zeros_of(value), primal, name=name)
        made.kind = value.kind
        scope.shadows += maker.block.ops
        return made

    def window(self, shadow: Value, place: Value, base: Value, op: Call) -> Value:
        """The adjoint that a store's target has collected: a number, or a copy of the shadow's window."""
        if op.target == "operator.setitem" and gathers(op):
            return self.builder.call("s2sad.runtime.last_written", shadow, place)
        g = self.builder.call("operator.getitem", shadow, place)
        if isinstance(base.kind, List):
            g.kind = op.args[2].kind
            return g
        if isinstance(g.kind, Scalar) or gathers(op):
            return g
        kind = g.kind
        g = self.builder.call(spelled("copies"), g)
        g.kind = kind
        return g

    # --- zeros and shapes

    def zeros(self, value: Value | Part) -> Value:
        """A zero of the kind and shape of a value."""
        if isinstance(value, Part):
            return self._zero_part(value)
        if isinstance(value.kind, Scalar) or isinstance(value, Const):
            return Const(0.0)
        made = self.builder.call(self.zeros_of(value), self.primal(value))
        made.kind = value.kind
        return made

    def _zero_part(self, part: Part) -> Value:
        if isinstance(part.kind, Scalar):
            return Const(0.0)
        made = self.builder.call("s2sad.runtime.zeros", take_item(self.builder, self.primal(part.value), part.key))
        made.kind = part.kind
        return made

    def share(self, value: Value, shadow: Value, where: Location | None = None) -> None:
        """Collect the adjoint of a parameter in the shadow that the caller gives, or in one that travels and begins as that."""
        if value in self.shadow_of:
            if not isinstance(value.kind, Array):
                raise AliasError(
                    f"which buffer {value.name or 'this value'} refers to is not known", location=self.builder.primal or where,
                    why="a function that is called, or the step of a checkpointed loop, writes into it under several names",
                    instead="copy it before it is bound again",
                )  # fmt: skip
            self.travelling[value] = shadow
            self.builder.call("operator.setitem", self.shadow(value), Const(...), shadow)
            return
        self.shadows[value] = shadow
        if not self.in_memory(value) and not isinstance(value.kind, List):
            self.buffered.add(value)

    def hand_back(self) -> None:
        """Leave in the caller's shadows what was collected in those that travel."""
        for value, given in self.travelling.items():
            self.builder.call("operator.setitem", given, Const(...), self.shadow(value))

    def zeros_of(self, value: Value) -> str:
        """The function that makes a zero for a value from the value itself, which may be None where it is unbound."""
        if value in self.lying:
            return "s2sad.runtime.zero_twin"
        if value in self.boxed:
            return "s2sad.runtime.buffer_for"
        certain = isinstance(value.kind, Array) and value not in self.unbound
        return spelled("makes zeros") if certain else "s2sad.runtime.zeros"

    def unbroadcast(self, g: Value, value: Value) -> Value:
        """Sum over the axes along which a stored value was stretched."""
        return unbroadcast(self.builder, g, value, self.primal, stretched=True)


def is_handed_on(adjoint: Value, block: Block) -> bool:
    """Test for an adjoint that comes from elsewhere, or is a copy or a part of such: not computed here of what is bound."""
    made = next((op for op in reversed(block.ops) if adjoint in op.results), None)
    if not isinstance(made, Call) or made.target == "s2sad.runtime.zeros":
        return True
    does = effects(made)
    held = any(share.how not in ("same", "view") for share in does.shares)
    sources = made.args[:1] if made.target in having("copies") else [share.value for share in does.shares]
    return held or does.unknown or any(is_handed_on(value, block) for value in sources)


def is_inner_list(op: Call) -> bool:
    """Test for a call that takes a list out of a list (and does not make a new one, as a slice does)."""
    if op.target != "operator.getitem" or not isinstance(op.result.kind, List):
        return False
    return isinstance(op.args[0].kind, List) and not isinstance(op.args[1].kind, Slice)


def buffered_values(function: Function, sweep: Cotangents) -> set[Value]:
    """Values (not written by the primal) whose adjoint is collected in a buffer: windows of them are read, or they are
    used in a loop that does not define them. All others have adjoints that are plain values."""
    found: set[Value] = set()
    owner = sweep.forward.owner

    def loop_blocks(op: Loop) -> set[Block]:
        return {b for top in op.blocks() for b in blocks_of(top)}

    def consider(value: Value, windowed: bool, around: list[set[Block]]) -> None:
        if isinstance(value.kind, Scalar) or value.kind.container or isinstance(value, LITERALS):
            return
        if not sweep.active(value) or sweep.in_memory(value):
            return
        from_outside = isinstance(value.kind, Array) and any(owner[value] not in blocks for blocks in around)
        if windowed or from_outside:
            found.add(value)

    def walk(block: Block, around: list[set[Block]]) -> None:
        for op in block.ops:
            if isinstance(op, Call):
                window = op.target == "operator.getitem" and op.callee is None
                shared = references(op.callee) if op.callee is not None else frozenset()
                matters = adjoint_of(op) is not None or any(map(sweep.active, op.results))
                for k, value in enumerate(op.operands()):
                    if k in shared:
                        consider(root_of(value, sweep.forward.definer), True, around)
                    elif matters:
                        consider(value, window and k == 0, around)
                continue
            for inner in op.blocks():
                nested = [*around, loop_blocks(op)] if isinstance(op, Loop) else around
                walk(inner, nested)
                for value in inner.yields:
                    consider(value, False, nested)

    walk(function.body, [])
    return found


def _part_kind(adjoint: Kind, key: object, kind: Kind) -> Kind:
    """The kind of a part of an adjoint, by that of the part which it belongs to: what NumPy makes of a list is an array."""
    parts = dict(zip(adjoint.keys, adjoint.inner, strict=False))
    if isinstance(adjoint, Array) and isinstance(kind, Array) and kind.shape == () and kind.dtype is not None:
        return Scalar(kind.dtype, weak=False)  # an item of an array is a number, where the part is an array without axes
    of_array = isinstance(adjoint, Array) or isinstance(parts.get(key), Array)
    return as_array_kind(kind) if of_array and isinstance(kind, List | Tuple) else kind
