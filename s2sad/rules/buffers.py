"""Primitives that read and write memory: subscripts, stores, copies, array constructors.

Their derivatives are not formulas but moves between buffers and shadows; ``ad`` knows them by these names.
``operator.getitem`` is a window, a load of a number, or (advanced index) a gather into a new array: kinds decide.
"""

from __future__ import annotations

from s2sad.ir.kinds import NONE
from s2sad.rules import kind_rules
from s2sad.rules.registry import nothing, plain

SPOIL = "s2sad.spoil"  # what a function may have destroyed: looked at, and taken away, before anything else (analysis.spoiled)

plain(
    "operator.getitem(a, index)",
    kind=kind_rules.getitem,
    effects="(part(a) if index.sliced else item(a)) if a.container else view(a) if index.basic else fresh; at index",
    cheap=True,
    spelling="subscript",
)
plain(
    "operator.setitem(a, index, value)",
    kind=lambda _: NONE,
    effects="none; writes a; puts value in a; at index",
    spelling="statement",
)
for name, value in (("additem", "value"), ("subitem", "-value")):
    line = f"none; changes a; adds {value} at index"
    plain(f"s2sad.{name}(a, index, value)", kind=lambda _: NONE, effects=line, spelling="statement")
plain("numpy.add.at(a, indices, b)", kind=lambda _: NONE, effects="none; writes a; adds b at indices")
plain("numpy.subtract.at(a, indices, b)", kind=lambda _: NONE, effects="none; writes a; adds -b at indices")
plain("numpy.copyto(dst, src)", kind=lambda _: NONE, effects="none; writes dst")
plain("s2sad.attribute(owner, name)", kind=kind_rules.attribute, effects="item(owner); at name", cheap=True)
# Objects outside that a program writes into: what they hold when it begins, and what is left in them.
nothing(["s2sad.state(owner, attribute, key)"], kind=kind_rules.unknown, zero=True, effects="item(owner); world")
nothing(
    ["s2sad.leave(owner, attribute, key, value)"], kind=lambda _: NONE, zero=True,
    effects="none; world; puts value in owner", spelling="statement",
)  # fmt: skip
nothing(
    ["s2sad.leave_item(items, value)"], kind=lambda _: NONE, zero=True,
    effects="none; world; puts value in items", spelling="statement",
)  # fmt: skip
PUT = "s2sad.put"  # marks what is put into a field of an argument, until ``analysis.remembered`` has looked
nothing([f"{PUT}(owner, attribute, key, value)"], kind=lambda _: NONE, zero=True, effects="none", spelling="statement")
plain(f"{SPOIL}(a)", kind=lambda _: NONE, effects="none; writes a", spelling="statement")
plain("s2sad.unpack(value)", effects="item(value); at each", spelling="statement")

nothing(["numpy.zeros(shape, dtype=None, order='C')"], kind=kind_rules.filled(), zero=True)
nothing(["numpy.ones(shape, dtype=None, order='C')"], kind=kind_rules.filled(), zero=True)
nothing(["numpy.empty(shape, dtype=None, order='C')", "numpy.ndarray(shape, dtype=None)"], kind=kind_rules.filled(), zero=True)
nothing(
    [f"numpy.{name}_like(a, dtype=None, order='K', subok=True, *, shape=None)" for name in ("zeros", "ones", "empty")],
    kind=kind_rules.filled_like("a"),
    zero=True,
    effects="fresh; looks a",
)
