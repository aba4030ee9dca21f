"""Values that become parts of the expression that uses them.

    v1 = operator.mul(x, y)
    v2 = numpy.sin(v1)        ==>   z = np.sin(x * y) + 1.0
    z = operator.add(v2, 1.0)

An unnamed value of a pure operation that is read once, in its own block, moves to its reader, unless
something in between writes memory that it reads, prints or raises, or binds again a name that it reads; a
branch that only chooses between two such values becomes ``a if c else b``, ``a and b`` or ``a or b``.
What is cheap enough is written out several times (``repeats``). Lines that grow too long keep a variable.
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.analysis.outside import READ
from s2sad.emit import widths
from s2sad.emit.motion import Motion
from s2sad.emit.nullable import nullable_values
from s2sad.emit.repeats import RANGES, Repeats
from s2sad.emit.uses import Use, Uses
from s2sad.ir.kinds import Array, Scalar, dtype_of, is_scalar
from s2sad.ir.nodes import (
    LITERALS,
    OTHERWISE,
    Block,
    Call,
    Const,
    DerivativeName,
    Function,
    If,
    Op,
    Undef,
    Value,
)
from s2sad.ir.walk import definers
from s2sad.rules import registry

LIMIT = 96  # columns, by estimate
LONG = 116  # of calls of reverse parts, whose arguments need no lines
MAX_CHOICES = 3  # nested in one expression
FOLDING_ROLES = {"operand", "cond", "iterable", "context", "test", "stop", "return"}
REPEATED = {"operator.mul", "operator.truediv"}
SUMS = {"operator.add", "operator.sub"}
IN_PLACE = {f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "floordiv", "pow", "mod")}


class Folding:
    """``inline`` maps values to the operations that are printed in their place; ``augmented`` are the
    stores that are printed as ``a[i] op= e``."""

    def __init__(
        self, function: Function, uses: Uses, aliases: Aliases, compact: bool = True, whole_sums: bool = True
    ) -> None:
        self.function = function
        self.uses = uses
        self.compact = compact
        self.whole_sums = whole_sums
        self.motion = Motion(function, aliases)
        self.definer = definers(function)
        self.nullable = nullable_values(function)
        self.repeated = Repeats(function, uses, self.motion, compact).found
        self.inline: dict[Value, Op] = dict(self.repeated)
        self.augmented: set[Op] = set()
        # of folded operations: their statement, and the place before which they are evaluated
        self.place: dict[Op, tuple[object, int]] = {}
        self.width: dict[object, int] = {}
        self.ignored: set[Use] = set()  # readings that are not printed: `a[i]` on the right of `a[i] *= e`
        self.first_parts: dict[Op, Op] = {}  # of sums that are printed with their first part in them
        self._block(function.body, 1)

    def _in_repeated(self, use: Use) -> bool:
        """Test for a value that would be computed wherever the operation that reads it is written out again."""
        return use.op is not None and not self.repeated.keys().isdisjoint(use.op.results)

    # --- the walk, readers before what they read

    def _block(self, block: Block, depth: int) -> None:
        for at in reversed(range(len(block.ops))):
            op = block.ops[at]
            if isinstance(op, If) and self._fold_choice(op, block, at, depth):
                continue
            for inner in op.blocks():
                self._block(inner, depth + 1)
            if isinstance(op, Call):
                self._call(op, block, at, depth)

    def _call(self, op: Call, block: Block, at: int, depth: int) -> None:
        if op.target == "operator.setitem" and op.callee is None and self.compact:
            self._augment(op, block, at, depth)
        if not self.inline.keys().isdisjoint(op.results) or self._repeat(op, block, at, depth) or not self._eligible(op):
            return
        use = self._single_use(op.result)
        if use is not None and self._is_place_for(use, block):
            self._fold(op, use, block, at, depth)

    def _is_place_for(self, use: Use, block: Block) -> bool:
        """Permission for a reading to print, in place of a variable, what its own block computes."""
        return use.block is block and use.role in FOLDING_ROLES and not self._in_repeated(use)

    def _eligible(self, op: Call) -> bool:
        if len(op.results) != 1:
            return False
        use = self._single_use(op.result)
        if self.compact and use is not None and self._is_taken(op, use):
            return True
        if op.result.name is not None:
            parts = self._is_first_part, self._says_nothing, self._is_seed
            return self.compact and use is not None and any(is_part(op, use) for is_part in parts)
        if use is not None and isinstance(use.op, Call) and _stands_for_statement(op, use.op):
            return True
        if not self.compact:
            return op.target in RANGES and use is not None and self._is_loop_head(use)
        return self.motion.is_pure(op)

    def _is_taken(self, op: Call, use: Use) -> bool:
        """Permission for ``w = np.copy(W)`` in place of ``w = W; w = np.copy(w)``, of what is outside."""
        if op.target != READ or not isinstance(use.op, Call) or [v.name for v in use.op.results] != [op.result.name]:
            return False
        return self.motion.position_of[use.op] == self.motion.position_of[op] + 1

    def _is_first_part(self, op: Call, use: Use) -> bool:
        """Permission for ``x = b - a`` in place of ``x = a; x = b - x``.

        Of adjoints also ``x_bar = a; x_bar *= b``, and ``x_bar += a; x_bar += b``, which is ``x_bar = x_bar + a + b``.
        """
        whole = use.op
        if not isinstance(whole, Call) or whole.callee is not None or [v.name for v in whole.results] != [op.result.name]:
            return False
        if not self.motion.is_pure(op):
            return False
        if whole.target in REPEATED:
            return isinstance(op.result.name, DerivativeName) and op.target in REPEATED
        if whole.target not in SUMS or whole.args[0] is not op.result and op.target in SUMS:
            return False
        if self.whole_sums and isinstance(op.result.name, DerivativeName):
            return not any(map(self._is_guarded, (op, *map(self.definer.get, [*op.args, *whole.args]))))
        return op.target not in SUMS and not all(isinstance(v.kind, Scalar) for v in [whole.result, *whole.args])

    def _is_guarded(self, op: Op | None) -> bool:
        """Test for a quotient that is printed as ``x / y if y else ...``, which reads better alone."""
        primitive = registry.lookup(op.target) if isinstance(op, Call) and op.callee is None else None
        return primitive is not None and primitive.spelling == "guarded quotient"

    def _adds_variables(self, op: Call) -> bool:
        """Test for one of several results of a call that is added to an adjoint: a line of its own says nothing more."""
        maker = self.definer.get(op.args[1]) if op.target == "operator.add" else None
        return maker is not None and len(maker.results) > 1 and isinstance(op.result.name, DerivativeName)

    def _says_nothing(self, op: Call, use: Use) -> bool:
        """Test for an adjoint that needs no line: another one's negation, or all that a function returns."""
        if not self.whole_sums or not isinstance(op.result.name, DerivativeName) or not self.motion.is_pure(op):
            return False
        alone = use.role == "return" and self.function.returns.kind == "leaf"
        return alone or use.role == "operand" and op.target == "operator.neg" and _is_adjoint(op.args[0])

    def _is_seed(self, op: Call, use: Use) -> bool:
        """Test for an adjoint that nothing but a reverse part is given."""
        if not self.whole_sums or not isinstance(op.result.name, DerivativeName) or not self.motion.is_pure(op):
            return False
        return isinstance(use.op, Call) and use.op.callee is not None and use.role == "operand"

    def parts_of(self, op: Op) -> list[Op]:
        """The operations that are printed as the first parts of a sum, the first of all first."""
        found: list[Op] = []
        while (first := self.first_parts.get(op)) is not None:
            found.insert(0, first)
            op = first
        return found

    def _is_loop_head(self, use: Use) -> bool:
        return use.role == "iterable" or use.op is not None and self._is_folded(use.op)

    def _single_use(self, value: Value) -> Use | None:
        found = self.uses.of.get(value, [])
        if self.ignored:
            found = [use for use in found if use not in self.ignored]
        return found[0] if len(found) == 1 else None

    # --- folding one operation

    def _statement(self, use: Use) -> tuple[object, int]:
        """The statement in which a reading ends up, and before which place of the block it is evaluated."""
        if use.op is None:
            return use.block, len(use.block.ops)
        statement, where = self.place.get(use.op, (use.op, use.at))
        pure = not isinstance(use.op, Call) or self.motion.is_pure(use.op)
        return statement, where if pure else use.at

    def _fold(self, op: Call, use: Use, block: Block, at: int, depth: int) -> None:
        statement, where = self._statement(use)
        if use.role == "stop" and self._reads_carried(op, use):
            return
        if not self.motion.may_move(op, block, at, where, self._is_folded):
            return
        one = isinstance(use.op, Call) and (_records(op, use.op) or use.op.target == OTHERWISE)  # however long the line
        part = op.result.name is not None and self._is_first_part(op, use) and not self._adds_variables(op)
        if part and not self._fits(statement, widths.added(op), depth, self._more(op)):
            return
        limit = LONG if isinstance(statement, Call) and statement.callee is not None else LIMIT
        if part or self._fits(statement, widths.added(op) - widths.surplus(op), depth, limit=limit) or one:
            self.inline[op.result] = op
            self.place[op] = (statement, where)
            if part and use.op is not None:
                self.first_parts[use.op] = op

    def _more(self, op: Call) -> int:
        """By how much an expression will grow by what is computed for it alone."""
        makers = [self.definer.get(v) for v in op.args if v not in self.inline and isinstance(v, Value) and v.name is None]
        own = [m for m in makers if isinstance(m, Call) and len(m.results) == 1 and self._single_use(m.result) is not None]
        return sum(widths.added(m) + self._more(m) for m in own)

    def _repeat(self, op: Call, block: Block, at: int, depth: int) -> bool:
        """Write a product or quotient of two variables that are numbers twice, where it is read twice."""
        if not self.compact or op.target not in REPEATED or op.result.name is not None or not is_scalar(op.result.kind):
            return False
        uses = [use for use in self.uses.of.get(op.result, []) if use not in self.ignored]
        simple = all(isinstance(v, Const) or v.name is not None and is_scalar(v.kind) for v in op.args)
        if len(uses) != 2 or not simple or not all(self._is_place_for(use, block) for use in uses):
            return False
        places = [self._statement(use) for use in uses]
        computed = all(isinstance(use.op, Call) and self.motion.is_pure(use.op) for use in uses)
        if not computed or places[0][0] is places[1][0]:
            return False
        if not all(self.motion.may_move(op, block, at, where, self._is_folded) for _, where in places):
            return False
        if not all(self._fits(statement, widths.added(op), depth) for statement, _ in places):
            return False
        self.inline[op.result] = op
        self.place[op] = places[0]
        return True

    def _is_folded(self, op: Op) -> bool:
        """Test for an operation that has moved on and left nothing behind that others would have to pass."""
        moved = not self.inline.keys().isdisjoint(op.results)
        return moved and not (isinstance(op, Call) and not self.motion.is_pure(op))

    def _goes_along(self, op: Op) -> bool:
        """Test for an operation that is folded, or may be where the only reader of its result is: a part of a statement."""
        if self._is_folded(op):
            return True
        alone = isinstance(op, Call) and len(op.results) == 1 and op.result.name is None and self.motion.is_pure(op)
        return alone and self._single_use(op.result) is not None and self.motion.checks(op)

    def _fits(self, statement: object, added: int, depth: int, later: int = 0, limit: int = LIMIT) -> bool:
        width = self.width.get(statement)
        if width is None:
            width = 4 * depth + (widths.of(statement) if isinstance(statement, Op) else len("return "))
        if width + added + later > limit:
            return False
        self.width[statement] = width + added
        return True

    def _reads_carried(self, op: Call, use: Use) -> bool:
        """Need of the flag that ends a loop for what the loop carries, which is assigned before."""
        carried = set(use.block.params)
        stack: list[Value] = list(op.operands())
        while stack:
            value = stack.pop()
            if value in carried:
                return True
            inner = self.definer.get(value)
            if isinstance(inner, Call) and self.motion.block_of[inner] is use.block and value.name is None:
                stack += inner.operands()
        return False

    # --- a[i] = a[i] * e

    def _augment(self, store: Call, block: Block, at: int, depth: int) -> None:
        base, index, value = store.args
        operation = self.definer.get(value)
        if not isinstance(operation, Call) or operation.target not in IN_PLACE:
            return
        load = self.definer.get(operation.args[0])
        if not isinstance(load, Call) or load.target != "operator.getitem":
            whole = operation.args[0] is base and isinstance(index, Const) and index.payload is ...
            if whole and self._same_type(base, operation) and self._moves(operation, block, at):
                self._absorb(store, [operation], depth)
            return
        same = load.args[0] is base and _same_index(load.args[1], index)
        plain = isinstance(load.result.kind, Scalar) or self._same_type(base, operation)
        if same and plain and self._moves(operation, block, at) and self._moves(load, block, at):
            self._absorb(store, [operation, load], depth)

    def _same_type(self, base: Value, operation: Call) -> bool:
        """Certainty that computing in place gives what storing the new array would."""
        have, made = base.kind, operation.result.kind
        arrays = isinstance(have, Array) and isinstance(made, Array)
        return arrays and dtype_of(have) is not None and dtype_of(have) == dtype_of(made)

    def _moves(self, op: Call, block: Block, at: int) -> bool:
        use = self._single_use(op.result)
        found = op.result.name is None and use is not None and use.block is block
        inside = found and self.motion.block_of.get(op) is block
        return inside and self.motion.may_move(op, block, self.motion.position_of[op], at, self._goes_along)

    def _absorb(self, store: Call, ops: list[Call], depth: int) -> None:
        self.augmented.add(store)
        where = self.motion.position_of[store]
        for op in ops:
            self.inline[op.result] = op
            self.place[op] = (store, where)
        # what stands for the left-hand side is not printed, nor what it reads
        hidden = ops[-1]
        unprinted = list(hidden.operands()) if len(ops) > 1 else [hidden.args[0]]
        if len(ops) > 1 or hidden.args[0] is not hidden.args[1]:
            self.ignored |= {u for v in unprinted for u in self.uses.of.get(v, []) if u.op is hidden}
        self.width[store] = 4 * depth + widths.of(store) + widths.added(ops[0])

    # --- branches as expressions

    def _fold_choice(self, op: If, block: Block, at: int, depth: int) -> bool:
        """Print a branch that only chooses a value as an expression, if it is one."""
        if not self.compact or len(op.results) != 1 or op.result.name is not None:
            return False
        use = self._single_use(op.result)
        if use is None or not self._is_place_for(use, block):
            return False
        if use.role == "stop" or not self._is_choice(op, MAX_CHOICES, set()):
            return False
        statement, where = self._statement(use)
        if not self.motion.may_move(op, block, at, where, self._is_folded):
            return False
        if not self._fits(statement, widths.choice(op), depth):
            return False
        self._inline_choice(op, (statement, where))
        return True

    def _inline_choice(self, op: If, place: tuple[object, int]) -> None:
        self.inline[op.result] = op
        self.place[op] = place
        self.ignored |= self._repeated_condition(op)
        for block in op.blocks():
            for inner in block.ops:
                if isinstance(inner, If):
                    self._inline_choice(inner, place)
                self.inline[inner.results[0]] = inner
                self.place[inner] = place

    def _is_choice(self, op: If, depth: int, hidden: set[Use]) -> bool:
        """Test for a branch whose blocks do nothing but compute the value that they yield."""
        single = depth > 0 and len(op.results) == 1
        return single and all(self._expressible(block, depth, hidden) for block in op.blocks())

    def _expressible(self, block: Block, depth: int, hidden: set[Use]) -> bool:
        if isinstance(block.yields[0], Undef):
            return False
        for op in reversed(block.ops):
            if isinstance(op, If):
                if not self._is_choice(op, depth - 1, hidden):
                    return False
                hidden |= self._repeated_condition(op)
            elif not (isinstance(op, Call) and self.motion.is_pure(op)):
                return False
            uses = [use for use in self.uses.of.get(op.results[0], []) if use not in hidden]
            if op.results[0].name is not None or len(uses) != 1 or uses[0].block is not block:
                return False
        return True

    def _repeated_condition(self, op: If) -> set[Use]:
        """The reading of the condition as a value, which ``and`` and ``or`` do not write down."""
        if short_circuit(op) is None:
            return set()
        return {u for u in self.uses.of.get(op.cond, []) if u.role == "transfer" and u.block in op.blocks()}


def _is_adjoint(value: Value) -> bool:
    """Test for a variable that s2sad has named: a tangent or an adjoint."""
    return not isinstance(value, LITERALS) and isinstance(value.name, DerivativeName)


def short_circuit(op: If) -> str | None:
    """``and`` or ``or``, if that is what a branch says."""
    if not op.orelse.ops and op.orelse.yields[0] is op.cond:
        return "and"
    if not op.then.ops and op.then.yields[0] is op.cond:
        return "or"
    return None


def _stands_for_statement(op: Call, reader: Call) -> bool:
    """Test for the reader that is the statement of another call: ``raise E()``, ``if not fits(x)``, ``a[i] = tape.pop()``,
    ``a, b = tape.pop()``."""
    stored = op.target == "list.pop" and reader.target == "operator.setitem" and reader.args[2] is op.result
    return reader.target in ("s2sad.raise", OTHERWISE) or _records(op, reader) or stored and op.result not in reader.args[:2]


def _records(op: Call, reader: Call) -> bool:
    """Test for two operations that push a tuple, or take one apart that is popped."""
    pushes = op.target == "builtins.tuple" and reader.target == "list.append" and reader.args[1] is op.result
    return pushes or op.target == "list.pop" and reader.target == "s2sad.unpack"


def _same_index(a: Value, b: Value) -> bool:
    if isinstance(a, Const) and isinstance(b, Const):
        return type(a.payload) is type(b.payload) and bool(a.payload == b.payload)
    return a is b
