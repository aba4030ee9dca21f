"""Reverse mode: a forward sweep that records, and a reverse sweep that propagates adjoints from results to arguments.

    v = x * y        ==>    x_bar += v_bar * y
    w = sin(v)              v_bar += w_bar * cos(v)      (in reverse order)

``Adjoint.reverse`` is the whole of it: a dictionary of adjoints, a reversed walk, a rule call. Control flow has a
handler for each kind of region (``ad.regions``), memory one for each kind of move (``ad.memory``); which values the
reverse sweep can see, and how, is the forward sweep's business (``ad.forward``).
(Griewank & Walther, "Evaluating Derivatives", 2nd ed., sections 3.2, 4.2 and 5.)
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from s2sad.ad.calls import reverse_call
from s2sad.ad.containers import undo
from s2sad.ad.cotangents import Cotangents
from s2sad.ad.forward import Scope
from s2sad.ad.memory import adjoint_of, gathers
from s2sad.ad.regions import reverse_of
from s2sad.ad.request import Pair, Request, derivative_of, refuse_unknown, refuse_untold, refuse_writing
from s2sad.analysis.views import holds_references, is_mirrored, is_unsure, view_base, writes_items
from s2sad.errors import AliasError
from s2sad.ir.kinds import Array, List, Tuple, dtype_of, looked
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, If, Value
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.language import Nothing
from s2sad.rules.traits import spelled

NARROW = ("float16", "float32")  # a sum of such numbers is one of them, and no float


class Adjoint(Cotangents):
    """The reverse sweep under construction."""

    @functools.cached_property
    def narrow(self) -> bool:
        """Test for a program that computes with narrow numbers: asked for when its reverse sweep is there."""
        return any(dtype_of(value.kind) in NARROW for op in ops_of(self.forward.function.body) for value in op.results)

    def reverse(self, block: Block) -> None:
        """Propagate adjoints through a block, last operation first."""
        with looked(self.looked.get(block, {})):
            for op in reversed(block.ops):
                self.builder.loc, self.builder.primal = op.loc, op.loc
                region = None if isinstance(op, Call) else reverse_of(op)
                if region is not None:
                    region(self, op)
                elif isinstance(op, Call):
                    self.call(op)

    def call(self, op: Call) -> None:
        """Propagate through one call: a user's function, a move in memory, or a rule."""
        if op.callee is not None:
            reverse_call(self, op)
            return
        refuse_untold(op, self.activity)
        handler = adjoint_of(op)
        if handler is not None:
            handler(self, op)
            return
        refuse_unknown(op, self.activity)
        refuse_writing(op, self.activity)
        self.restore(op)
        if not op.results or not self.active(op.result):
            return
        if self.is_view_in_memory(op):
            if is_unsure(op):
                self.give_back(op)
            return
        g = self.take(op.result)
        derivative = derivative_of(op)
        if g is None or isinstance(derivative, Nothing):
            return
        if self.family.traced and (isinstance(g, LITERALS) or g.name != f"{op.result.name}_bar"):
            g = self.builder.bound(g, f"{op.result.name}_bar")
        app = self.application(op)
        given = [p for p in derivative.parameters(app.bound) if p in app.bound and self.active(app.bound[p])]
        for param, bar in derivative.pullbacks(app, g, given):
            self.accumulate(app.bound[param], bar)

    def derived(self, function: Function, inputs: tuple[str, ...], outputs: tuple[int, ...]) -> Function:
        """The adjoint function of one that an operation is given."""
        wanted = Request(inputs, outputs, whole=True)

        def make(name: str) -> Pair:
            return Pair(wanted, Function(f"{name}_adjoint", [], Block()))

        return self.family.pair(function, wanted, make).forward

    def application(self, op: Call) -> Application:
        """A call of a primitive, as its rule sees it."""
        primitive = registry.lookup(op.target)
        assert primitive is not None
        return Application(op, primitive, self.builder, self.primal, self.derived, self.family.steep, self.endless)

    def give_back(self, op: Call) -> None:
        """Add what was collected for a result of its own to the shadow of what it was taken from."""
        base = view_base(op)
        if base is None or self.reads_through(op.result) or not self.has_shadow(op.result):
            return
        if not is_mirrored(base, self.forward.definer):
            self.pass_to_base(op, self.shadow(op.result))
            return
        shadow, whole = self.shadow(op.result), self.shadow(base)
        plain = not isinstance(op.result.kind, List | Tuple)
        shared = self.builder.call("numpy.may_share_memory" if plain else "s2sad.runtime.any_shares", shadow, whole)
        fresh = If(cond=self.builder.call("operator.not_", shared), loc=op.loc, primal=op.loc)
        scope = Scope(None)
        with self.reversing(scope, fresh.then):
            if op.target == "operator.getitem":
                target = spelled("scatters") if gathers(op) else "s2sad.additem"
                self.builder.call(target, whole, self.primal(op.args[1]), shadow)
            else:
                self.pass_to_base(op, shadow)
        scope.finish(fresh.then)
        self.builder.append(fresh)

    # --- the forward sweep

    def restore(self, op: Call) -> None:
        """Put back what an operation has overwritten or moved, if an earlier read needs it."""
        if not self.recording.restores(op):
            return
        self.settled.add(op)
        if undo(self, op):
            return
        if writes_items(op.target):
            self._put_back(op, op.args[0], op.args[1])
        else:
            for value in self._overwritten(op):
                self._put_back(op, value, Const(...))

    def _put_back(self, op: Call, base: Value, index: Value) -> None:
        old = self.forward.save_before(op, base, index, self.builder)
        put = "s2sad.runtime.put_back" if base.kind.keyed else "operator.setitem"
        self.builder.call(put, self.primal(base), self.primal(index), old)

    def _overwritten(self, op: Call) -> list[Value]:
        """The arrays, to be restored, that something may have written which is no store. Raises AliasError for others."""
        due = self.recording.restored[op]
        reached = {v: self.aliases.reach(self.aliases.node(v)) & due for v in op.operands() if holds_references(v)}
        for value, nodes in reached.items():
            if nodes and not (isinstance(value.kind, Array) and self.aliases.node(value) in nodes):
                self._refuse_overwriting(op, value)
        return [v for v, nodes in reached.items() if nodes]

    def _refuse_overwriting(self, op: Call, value: Value | None = None) -> NoReturn:
        name = (value.name if value is not None else None) or "what the reverse sweep reads"
        raise AliasError(
            f"{op.target.removeprefix('operator.')} may write into {name}", location=op.loc,
            why="the reverse sweep needs what was there before, and nothing can put it back",
            instead="give it a copy, or write into arrays by subscripts",
        )  # fmt: skip

    def check_settled(self) -> None:
        """Raise AliasError where an operation overwrites what the reverse sweep reads, and is not undone."""
        for op in self.recording.restored:
            if op not in self.settled:
                self._refuse_overwriting(op)

    @contextmanager
    def reversing(self, scope: Scope, block: Block) -> Iterator[None]:
        """Build into a block, where the scope's values are seen, and nowhere else."""
        self.forward.scopes.append(scope)
        with self.builder.inside(block):
            yield
        self.forward.scopes.pop()
