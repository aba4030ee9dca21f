"""One way out: no ``continue``, one ``return``, ``break`` only as ``if flag: break`` at the end of a loop.

Statements that a jump skips move into the branch that does not jump; nothing is ever copied. Only where both
branches may go on, or a loop, ``with`` or ``try`` stands between, a flag remembers the jump, and a guard
tests it.

Before::

    def f(values, limit):
        if limit < 0:
            return None
        total = 0.0
        for v in values:
            if v < 0:
                continue
            if total > limit:
                break
            total += v
        return total

After::

    def f(values, limit):
        if limit < 0:
            out = None
        else:
            total = 0.0
            for v in values:
                stop = False
                if not v < 0:
                    if total > limit:
                        stop = True
                    else:
                        total += v
                if stop:
                    break
            out = total
        return out

A jump out of a ``try`` sets its flag in the ``try``, and the guard stands after it: nothing can be raised
between. Where something can, because the jump also leaves a ``with`` or runs a ``finally`` whose own
exception would be caught on the way, the jump is done in two steps: a flag of its own inside, and the jump
itself after the statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import gast

from s2sad.errors import UnsupportedSyntaxError

from .early_returns import same_result, shorten_returns
from .flags import leaves_by_flag, settles
from .loop_else import detach_else
from .names import FreshNames
from .outcomes import FALL, JUMP_OF, JUMPS, Outcome, Outcomes, falls, find_jump, jumps, outcomes, outcomes_of
from .place import Place
from .syntax import (
    COMPOUND,
    LOOPS,
    TRIES,
    Block,
    any_of,
    assign,
    blocks_of,
    branch,
    constant,
    load,
    located,
    negate,
    or_pass,
)
from .unreachable import drop_unreachable

BREAK, CONTINUE, RETURN = Outcome.BREAK, Outcome.CONTINUE, Outcome.RETURN


def unify_exits(func: gast.FunctionDef, names: FreshNames) -> None:
    """Bring the jumps of a function without ``match`` into the one form described above."""
    body = drop_unreachable(func.body)
    if falls(outcomes(body)):
        body.append(located(gast.Return(constant(None)), body[-1]))
    returns = list(_returns(body))
    for node, _ in returns:
        node.value = node.value or located(constant(None), node)
    body = shorten_returns(body)
    last = _common_return(body)
    result = None
    if last is None:
        result = names.fresh("out")
        last = located(gast.Return(load(result)), returns[-1][0])
    elif body[-1] is last:
        body = body[:-1]
    func.body = [*_Exits(names).block(body, Place(result=result)), last]


def _returns(block: Block, protected: bool = False) -> Iterable[tuple[gast.Return, bool]]:
    """The returns of a function, and whether a ``with`` or ``try`` stands around each."""
    for node in block:
        if isinstance(node, gast.Return):
            yield node, protected
        for owner, part in blocks_of(node):
            yield from _returns(getattr(owner, part), protected or isinstance(node, (gast.With, *TRIES)))


def _common_return(body: Block) -> gast.Return | None:
    """The return that can stand for all of them at the end of the function, without a result variable."""
    returns = list(_returns(body))
    if not returns:
        return located(gast.Return(constant(None)), body[-1])
    last = returns[-1][0]
    if len(returns) == 1 and body[-1] is last:
        return last
    # A name may have changed when a `with` or a `finally` is over; a constant can't.
    later = isinstance(last.value, gast.Constant) or not any(protected for _, protected in returns)
    return last if later and all(same_result(node, last) for node, _ in returns) else None


class _Exits:
    """The transformation of one function."""

    def __init__(self, names: FreshNames) -> None:
        self._names = names
        self._done: str | None = None

    def block(self, block: Block, place: Place) -> Block:
        """A block without jumps: each has become assignments, and what it skips stands in other branches."""
        result: Block = []
        pending = [node for node in block if not isinstance(node, gast.Pass)]
        while pending:
            node = pending.pop(0)
            if type(node) in JUMP_OF:
                return result + self._jump(node, place)
            if not isinstance(node, COMPOUND):
                result.append(node)
                continue
            stop = None
            if isinstance(node, LOOPS):
                stop, tail = detach_else(node, self._names)
                pending = tail + pending
                result += [assign(stop, constant(False), node)] if stop else []
            ends = jumps(outcomes_of(node))
            skips = bool(ends and pending)
            tells = {kind for kind in ends if place.must_tell(kind)}
            if isinstance(node, gast.With) and len(node.items) > 1 and (skips or tells):
                pending.insert(0, _split_with(node))
            elif tells & place.caught and _runs_code_at_exit(node):
                inside, tail = self._in_two_steps(node, ends, place)
                result += inside
                pending = tail + pending
            elif skips:
                return result + self._with_rest(node, pending, place, stop)
            else:
                result += self._statement(node, place, stop)
        return result

    # Jumps, and what they skip

    def _jump(self, node: gast.stmt, place: Place) -> Block:
        kind = JUMP_OF[type(node)]
        result: Block = []
        if kind is RETURN and place.result is not None:
            result.append(assign(place.result, node.value, node))
        if kind in place.armed:
            result.append(assign(place.flags[kind], constant(True), node))
        return result

    def _with_rest(self, node: gast.stmt, rest: Block, place: Place, stop: str | None) -> Block:
        """A statement that may jump, and the statements after it, which the jump skips."""
        if isinstance(node, gast.If):
            arm = replace(place, straight=False)
            if self._flag_alone(node, place) is not None:
                return self._if(node, place, rest)
            if not falls(outcomes(node.body)):
                body, orelse = node.body, node.orelse + rest
                return [branch(node.test, self.block(body, arm), self.block(orelse, arm), node)]
            if not falls(outcomes(node.orelse)):
                body, orelse = node.body + rest, node.orelse
                return [branch(node.test, self.block(body, arm), self.block(orelse, arm), node)]
        if isinstance(node, gast.Try) and _goes_on_only_after_success(node):
            node.orelse = node.orelse + rest
            return self._statement(node, place, stop)
        kinds = jumps(outcomes_of(node))
        if self._is_default(rest, kinds, place):
            return self.block(rest, place) + self._statement(node, place, stop)
        before, place = self._ready(kinds, place, node)
        inside = self._statement(node, place.arm(kinds), stop)
        straight = place.straight and place.flags_of(kinds) == [place.flags.get(BREAK)]
        return before + inside + self._guard(kinds, rest, replace(place, straight=straight))

    def _is_default(self, rest: Block, kinds: list[Outcome], place: Place) -> bool:
        """Test for a rest that only gives a constant as the result: that can be done first, unguarded."""
        return (
            kinds == [RETURN]
            and RETURN not in place.armed | place.caught
            and isinstance(rest[0], gast.Return)
            and isinstance(rest[0].value, gast.Constant)
        )

    def _ready(self, kinds: Iterable[Outcome], place: Place, origin: gast.stmt) -> tuple[Block, Place]:
        """Flags for these jumps: the assignments that make them False, and the place after those."""
        new = {kind: self._flag(kind) for kind in kinds if kind not in place.flags}
        before = [assign(flag, constant(False), origin) for flag in new.values()]
        return before, replace(place, flags={**place.flags, **new})

    def _flag(self, kind: Outcome) -> str:
        if kind is not RETURN:
            return self._names.fresh("skip")
        self._done = self._done or self._names.fresh("done")
        return self._done

    def _guard(self, kinds: list[Outcome], rest: Block, place: Place) -> Block:
        """The rest of a block, run only if none of the jumps happened."""
        test = any_of([load(flag) for flag in place.flags_of(kinds)])
        body = self.block(rest, place)
        return [branch(negate(test), body, [], rest[0])] if body else []

    # Statements of each kind

    def _statement(self, node: gast.stmt, place: Place, stop: str | None = None) -> Block:
        """A compound statement that nothing follows which its jumps would skip."""
        if isinstance(node, gast.If):
            return self._if(node, place, [])
        if isinstance(node, LOOPS):
            return self._loop(node, place, stop)
        if isinstance(node, gast.With):
            inside = replace(place, caught=JUMPS, straight=False)
            node.body = or_pass(self.block(node.body, inside), node)
            return [node]
        return self._try(node, place)

    def _flag_alone(self, node: gast.If, place: Place) -> str | None:
        """The flag, if all that a branch has to do is to set one: ``if test: break`` is ``stop = test``."""
        kind = JUMP_OF.get(type(node.body[0]))
        if not place.straight or node.orelse or kind not in place.armed:
            return None
        return None if kind is RETURN and place.result is not None else place.flags[kind]

    def _if(self, node: gast.If, place: Place, rest: Block) -> Block:
        flag = self._flag_alone(node, place)
        if flag is None:
            arm = replace(place, straight=False)
            return [branch(node.test, self.block(node.body, arm), self.block(node.orelse, arm), node)]
        return [assign(flag, node.test, node), *self._guard([JUMP_OF[type(node.body[0])]], rest, place)]

    def _loop(self, node: gast.For | gast.While, place: Place, stop: str | None) -> Block:
        ends = outcomes(node.body)
        if stop is None and leaves_by_flag(node):
            node.body[:-1] = self.block(node.body[:-1], Place(place.result))
            return [node]
        inside = self._inside_loop(ends, place, stop)
        leave = self._leave(inside, find_jump(node.body, inside.armed)) if inside.armed else []
        body = self.block(node.body, inside) + leave
        flag = inside.flags.get(BREAK)
        if flag is not None and flag != stop and not settles(body, flag):
            body.insert(0, assign(flag, constant(False), node))
        node.body = or_pass(body, node)
        return [node]

    def _inside_loop(self, ends: Outcomes, place: Place, stop: str | None) -> Place:
        """The place inside a loop; where nobody asks whether it returned, a return is as good as a break."""
        leaving = ends & {BREAK, RETURN}
        flags = {RETURN: place.flags[RETURN]} if RETURN in place.armed else {}
        if leaving - flags.keys():
            flags[BREAK] = stop or self._names.fresh("stop")
            flags.setdefault(RETURN, flags[BREAK])
        return Place(place.result, flags, leaving, place.caught & {RETURN}, straight=True)

    def _leave(self, place: Place, origin: gast.stmt) -> Block:
        """The end of a loop's body: the one ``if flag: break``."""
        flags = place.flags_of(place.armed)
        first = [assign(flags[0], any_of([load(flag) for flag in flags]), origin)] if len(flags) > 1 else []
        return [*first, branch(load(flags[0]), [gast.Break()], [], origin)]

    def _try(self, node: gast.Try | gast.TryStar, place: Place) -> Block:
        _check_finally(node)
        place = replace(place, straight=False)
        kinds = jumps(outcomes(node.body)) if node.orelse else []
        before, place = self._ready(kinds, place, node)
        inside = place.arm(kinds)
        if node.handlers:
            inside = replace(inside, caught=JUMPS)
        node.body = or_pass(self.block(node.body, inside), node)
        for handler in node.handlers:
            handler.body = or_pass(self.block(handler.body, place), handler)
        node.orelse = self._guard(kinds, node.orelse, place) if kinds else self.block(node.orelse, place)
        if node.finalbody:
            node.finalbody = or_pass(self.block(node.finalbody, place), node)
        return [*before, node]

    def _in_two_steps(self, node: gast.stmt, kinds: list[Outcome], place: Place) -> tuple[Block, Block]:
        """Leave a statement whose exit may fail, and only then jump: the statement, the jumps after it."""
        flags = {kind: self._names.fresh("leave") for kind in kinds}
        value = self._names.fresh("value") if RETURN in kinds and place.result is not None else place.result
        inside = replace(place.arm(kinds), flags={**place.flags, **flags}, result=value, straight=False)
        make = {
            Outcome.CONTINUE: gast.Continue,
            Outcome.BREAK: gast.Break,
            Outcome.RETURN: lambda: gast.Return(load(value) if value else constant(None)),
        }
        before = [assign(flag, constant(False), node) for flag in flags.values()]
        after = [
            branch(load(flags[kind]), [make[kind]()], [], find_jump([node], frozenset({kind})))
            for kind in kinds
        ]
        return before + self._statement(node, inside), after


def _goes_on_only_after_success(node: gast.Try) -> bool:
    """Test for a try statement after which all runs only if nothing was raised, so that it may stand in its ``else``."""
    handled = bool(node.handlers) and not any(falls(outcomes(handler.body)) for handler in node.handlers)
    return handled and not node.finalbody and outcomes(node.body) == FALL


def _split_with(node: gast.With) -> gast.With:
    """``with a, b:`` as ``with a:`` around ``with b:``, for a may swallow what b raises at its exit."""
    first, *others = node.items
    return located(gast.With([first], [located(gast.With(others, node.body, None), node)], None), node)


def _runs_code_at_exit(node: gast.stmt) -> bool:
    return isinstance(node, gast.With) or (isinstance(node, TRIES) and bool(node.finalbody))


def _check_finally(node: gast.Try | gast.TryStar) -> None:
    """Refuse jumps out of a finally block, and jumps on whose way one always raises."""
    inside = [*node.body, *node.orelse, *(late for handler in node.handlers for late in handler.body)]
    last = outcomes(node.finalbody)
    if last & JUMPS:
        raise UnsupportedSyntaxError(
            "a jump out of a finally block",
            node=find_jump(node.finalbody, JUMPS),
            why="it would swallow whatever exception is on its way",
            instead="move the return, break or continue after the try statement",
        )
    lost = None if falls(last) else find_jump(inside, JUMPS)
    if lost is not None:
        raise UnsupportedSyntaxError(
            "a jump out of a try statement whose finally block never ends normally",
            node=lost,
            why="the jump is given up for what the finally block does",
            instead="leave out the return, break or continue",
        )
