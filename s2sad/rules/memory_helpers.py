"""The runtime helpers that generated programs use on memory and containers."""

from __future__ import annotations

from s2sad.ir.kinds import BOOL, INT, NONE, UNKNOWN, Array, Kind, List, Other, Scalar, StructKind, Tuple
from s2sad.ir.nodes import SAME, Const, Global
from s2sad.rules import kind_rules
from s2sad.rules.kind_rules import Bound
from s2sad.rules.registry import general, linear, nothing, plain
from s2sad.rules.traits import have

have("odd by 0", "s2sad.runtime.unbroadcast")

plain(
    "s2sad.runtime.add_into_items(items, index, bars)",
    kind=lambda _: NONE,
    effects="none; changes items; puts bars in items if not items.of_arrays; adds bars at index",
)
linear(f"{SAME}(x) -> same(x)", x="g", kind=kind_rules.like("x"), facts={"cheap": True})
linear("s2sad.runtime.copy_if_any(x)", x="g", kind=kind_rules.like("x"))


def _sum_kind(bound: Bound) -> Kind:
    """That of what is added; of arrays without axes, a number."""
    kind = bound["a"].kind
    return kind_rules.make(kind.dtype, kind.shape) if isinstance(kind, Array) and not kind.shape else kind


linear("s2sad.runtime.add(a, b)", a="g", b="g", kind=_sum_kind)
linear("s2sad.runtime.last_written(bar, index)", bar="last_written_adjoint(g, bar, index)", kind=kind_rules.gathered)
linear("s2sad.runtime.last_written_adjoint(g, bar, index)", g="last_written(g, index)", kind=kind_rules.like("bar"))
general("s2sad.runtime.twin(x)", push={"x": "twin_as(g, x)"}, pull={"x": "g"}, kind=kind_rules.like("x"))
linear("s2sad.runtime.twin_as(x, like) -> fresh; looks like", x="g", kind=kind_rules.like("x"))
nothing(["s2sad.runtime.zero_twin(x) -> fresh; looks x"], kind=kind_rules.like("x"), zero=True)
nothing(["s2sad.runtime.stand_in(x) -> fresh; looks x"], kind=kind_rules.like("x"), zero=True)
linear("s2sad.runtime.wide(dot, x) -> fresh; looks x", dot="g", kind=kind_rules.like("x"))
linear("s2sad.runtime.copy_of(x)", x="g", kind=kind_rules.like("x"))
linear("s2sad.runtime.window_as(dot, item, base) -> view(dot)?; looks item, base", dot="g", kind=kind_rules.like("dot"))
linear(  # the window, of which it is the identity, or zeros that depend on nothing
    "s2sad.runtime.shadow_of(window, item, base) -> view(window)?; looks item, base",
    window="shadow_of(g, item, base)",
    kind=kind_rules.like("item"),
)
plain("s2sad.runtime.add_at(a, index, value)", kind=lambda _: NONE, effects="none; changes a; adds value at index")
plain(
    "s2sad.runtime.add_items(items, index, bars)",
    kind=lambda _: NONE,
    effects="none; writes items; changes items if items.nested; puts bars in items; adds bars at index",
)
plain("s2sad.runtime.lay_again(bars, items)", kind=lambda _: NONE, effects="none; changes bars; looks items")
plain("s2sad.runtime.lay_back(bars, items)", kind=lambda _: NONE, effects="none; changes bars; looks items")
plain("s2sad.runtime.added_items(items, index, bars)", kind=kind_rules.like("bars"), effects="fresh; looks bars")
nothing(["s2sad.runtime.assert_separate(names, *arguments)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_apart(names, whole, *arguments)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_number(item)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_once(*things)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_distinct(names, *arguments)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_floats(names, *arguments)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_no_integers(names, *arguments)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_no_sequences(names, *arguments)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_empty(name, items)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks items")
nothing(["s2sad.runtime.assert_places(function, *arguments)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.fits(told, *arguments)"], kind=lambda _: BOOL, zero=True, effects="none; looks arguments")
nothing(["s2sad.runtime.assert_sizes(name, sizes, x)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks x")
nothing(["s2sad.runtime.assert_real(function, x)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks x")
nothing(["s2sad.runtime.assert_keeps_fractions(x)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks x")
nothing(["s2sad.runtime.assert_single(x)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks x")
nothing(
    ["s2sad.runtime.assert_fills(product, array)"],
    kind=lambda _: NONE,
    zero=True,
    effects="none; stays; looks product, array",
)
nothing(["s2sad.runtime.assert_sequence(x)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks x")
nothing(["s2sad.runtime.assert_some(x)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks x")
nothing(["s2sad.runtime.assert_axes(function, most, x)"], kind=lambda _: NONE, zero=True, effects="none; stays; looks x")
nothing(["s2sad.runtime.assert_own_memory(function, *values)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.assert_read_apart(store, target, index, *read)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.contents(function, *arguments)"], kind=lambda _: Other("contents"), zero=True, effects="fresh; world")
nothing(
    ["s2sad.runtime.assert_unwritten(function, before, *arguments)"],
    kind=lambda _: NONE,
    zero=True,
    effects="none; stays",
)
nothing(
    ["s2sad.runtime.assert_window(dot, dots, item, base) -> none; stays; looks dot, dots, item, base"],
    kind=lambda _: NONE,
    zero=True,
)
nothing(["s2sad.runtime.tuple_of(items) -> part(items)"], zero=True)
nothing(["s2sad.runtime.gathered(items) -> part(items)"], zero=True)
nothing(["s2sad.runtime.stop_gradient(x)"], kind=kind_rules.like("x"), zero=True, why="stop_gradient asks for none")


def _record_kind(bound: Bound) -> Kind:
    like, keys, *items = bound.values()
    cls = like.payload if isinstance(like, Global) else getattr(like.kind, "cls", None)
    if not isinstance(cls, type) or not isinstance(keys, Const):
        return UNKNOWN
    kinds = tuple(v.kind for v in items)
    return Tuple(kinds, names=keys.payload, cls=cls) if issubclass(cls, tuple) else StructKind(keys.payload, kinds, cls)


plain("s2sad.runtime.record(like, keys, *items)", kind=_record_kind, effects="holds(items); at each", cheap=True)

# Schedules of checkpointed loops.
nothing(["s2sad.runtime.stops(start, stop, snapshots)"], kind=lambda _: List(INT), zero=True)
nothing(["s2sad.runtime.planned(schedule, steps) -> fresh"], kind=lambda _: Other("plan"), zero=True)
linear(
    "s2sad.runtime.placed(value, plan, stop, step) -> same(value), fresh", value="g", kind=kind_rules.like("value"),
)  # fmt: skip
nothing(["s2sad.runtime.is_due(step, snapshots)"], kind=lambda _: Scalar("bool"), zero=True)
nothing(["s2sad.runtime.stale(step, snapshots, kept)"], kind=lambda _: List(INT), zero=True)
