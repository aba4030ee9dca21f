"""The nodes of the intermediate representation.

A program is a ``Function`` with a ``Block``; a block is a list of operations and the values that it yields. Control
flow is structured: ``If``, ``For``, ``While`` and ``With`` hold blocks, and values cross their borders as block
parameters, yields and results, in place of phi nodes. Operators, NumPy calls and user calls are one node, ``Call``.

Always true between passes (``verifier`` checks it): a value has one definition; every use is dominated by it; a
``Call`` has at least one result; the yields of a block match what its owner carries.

Memory: values of array and list kind are references. Stores are calls (``operator.setitem``, ``s2sad.additem`` ...)
that write into the memory behind a reference; which references share memory is the business of ``analysis.alias``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from s2sad.errors import Location
from s2sad.ir.kinds import BOTTOM, FUNCTION, Kind, Sort, kind_of


class DerivativeName(str):
    """The name of a tangent or an adjoint, given by s2sad: what a user calls ``x_bar`` or ``theta_dot`` is no derivative."""

    __slots__ = ()


def bar_of(name: str | None) -> DerivativeName | None:
    """The name of an adjoint."""
    return DerivativeName(f"{name}_bar") if name else None


def dot_of(name: str | None) -> DerivativeName | None:
    """The name of a tangent."""
    return DerivativeName(f"{name}_dot") if name else None


class Value:
    """The result of one operation, or a parameter of one block. ``name`` is the user's name it came from, if any."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: Kind, name: str | None = None) -> None:
        self.kind = kind
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name or 'v'}: {self.kind}>"


class Const(Value):
    """A literal: a number, a string, None, Ellipsis, a bool, or a (nested) tuple or slice of those."""

    __slots__ = ("payload",)

    def __init__(self, payload: Any) -> None:
        super().__init__(kind_of(payload))
        self.payload = payload

    def __repr__(self) -> str:
        return f"<{self.payload!r}>"


@dataclass(frozen=True)
class Made:
    """The value that a default of a file makes when the file runs, written down as it is there: ``np.zeros(3, dtype=float)``."""

    function: str  # of NumPy
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()

    def value(self) -> Any:
        """The array."""
        args = [a.value() if isinstance(a, Made) else a for a in self.args]
        return getattr(np, self.function)(*args, **dict(self.kwargs))


class Global(Value):
    """A name outside the function, by its dotted path as generated code spells it (``np.pi``, ``WEIGHTS``).

    ``payload`` is the live object where there is one; ``resolved`` says so.
    """

    __slots__ = ("path", "payload", "resolved")

    def __init__(self, path: str, kind: Kind, payload: Any = None, resolved: bool = False) -> None:
        super().__init__(kind, path.rsplit(".", 1)[-1])
        self.path = path
        self.payload = payload
        self.resolved = resolved

    @property
    def identity(self) -> Hashable:
        """The identity among globals, which users may spell alike: the object or literal that it stands for."""
        if not self.resolved:
            return "spelled", self.path
        return ("literal", repr(self.payload)) if is_literal(self.payload) else ("object", id(self.payload))

    def __repr__(self) -> str:
        return f"<global {self.path}>"


def is_literal(payload: Any) -> bool:
    """Test for an object that can be written down as a literal without losing its identity."""
    if type(payload) is tuple:
        return all(map(is_literal, payload))
    return payload is None or payload is ... or type(payload) in (bool, int, float, complex, str, bytes)


class Undef(Value):
    """The value of a name on a path where it is not bound; never read by a right program."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(BOTTOM)

    def __repr__(self) -> str:
        return "<undefined>"


class FunctionRef(Value):
    """A function of the program as an operand: nobody calls it where it stands."""

    __slots__ = ("function",)

    def __init__(self, function: Function) -> None:
        super().__init__(FUNCTION, function.name)
        self.function = function

    def __repr__(self) -> str:
        return f"<function {self.function.name}>"


LITERALS = (Const, Global, Undef, FunctionRef)
OTHERWISE = "s2sad.otherwise"  # the target of a call that hands arguments to another function, which returns, unless a test holds
EXPECTED = "s2sad.expected"  # of one that hands them to a function that may give up, and then to another one, which returns
AS_LONG_AS = "s2sad.runtime.as_long_as"  # of one that looks whether shapes are equal, and gives up where they are not
AS_A_ROW_OF = "s2sad.runtime.as_a_row_of"  # the same of the last axes
AS_NUMBER = "s2sad.runtime.as_number"  # of one that looks whether a value is a number
LOOKS = (AS_LONG_AS, AS_A_ROW_OF, AS_NUMBER)
SAME = "s2sad.same"  # the target of a call that gives a value a further name


@dataclass(eq=False, slots=True)
class Block:
    """Straight-line code: parameters, operations in order, and the yielded values."""

    params: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Op:
    """Base of operations. ``primal`` is the statement that an operation of an adjoint program differentiates.

    ``tangent``: it computes a tangent, and stands beside the statement that it differentiates.
    """

    results: list[Value] = field(default_factory=list)
    loc: Location | None = None
    primal: Location | None = None
    tangent: bool = field(default=False, kw_only=True)

    def operands(self) -> list[Value]:
        """The values that this operation itself reads (not those inside its blocks)."""
        return []

    def blocks(self) -> tuple[Block, ...]:
        """The nested blocks."""
        return ()

    @property
    def result(self) -> Value:
        """The only result."""
        (value,) = self.results
        return value


@dataclass(eq=False, slots=True)
class Call(Op):
    """``results = target(*args, **kwargs)``.

    ``target`` is the canonical name of a primitive (``numpy.sin``, ``operator.add``), or, when ``callee`` is given,
    the name of a user's function.
    """

    target: str = ""
    args: list[Value] = field(default_factory=list)
    kwargs: dict[str, Value] = field(default_factory=dict)
    callee: Function | None = None
    rebinds: bool = False  # `x = x + e` for `x += e`, where x may be an array (``analysis.rebinding``)
    check: bool | None = None  # it may raise, and is kept for that (``analysis.checks``); None: nobody has asked
    relied: tuple[tuple[Any, bool], ...] = ()  # where loops rely on this length of args[0]; True: on its items, too
    asked: Any = field(default=None, init=False, repr=False)  # what ``rules.effects`` was asked, and its answer

    def operands(self) -> list[Value]:
        return [*self.args, *self.kwargs.values()] if self.kwargs else self.args[:]


@dataclass(eq=False, slots=True)
class Straight(Op):
    """A region whose blocks run once, or not at all: they have no parameters, and the one that has run yields the results.

    Passes know it by this alone, ``ad.regions`` and ``emit.statements`` apart.
    """

    HEAD: ClassVar[str]  # the field with the value that it reads itself
    BLOCKS: ClassVar[tuple[str, ...]]  # the fields with its blocks

    @property
    def head(self) -> Value:
        """The value that decides, or is entered."""
        found: Value = getattr(self, self.HEAD)
        return found


@dataclass(eq=False, slots=True)
class If(Straight):
    """``results = then.yields if cond else orelse.yields``."""

    HEAD = "cond"
    BLOCKS = ("then", "orelse")
    cond: Value = field(default_factory=Undef)
    then: Block = field(default_factory=Block)
    orelse: Block = field(default_factory=Block)

    def operands(self) -> list[Value]:
        return [self.cond]

    def blocks(self) -> tuple[Block, ...]:
        return (self.then, self.orelse)


@dataclass(eq=False, slots=True)
class Loop(Op):
    """A region whose body runs again and again: the values that it carries start from ``init``, each iteration yields them anew,
    and the last ones are its results.

    With ``breaks``, the body yields one value more, first: the loop ends after an iteration in which it is true.
    ``snapshots``: how many of its states are kept for the reverse sweep, where it is not to record every iteration.
    Passes know it by this alone, ``ad.regions`` and ``emit.statements`` apart, and those that look for counted loops.
    """

    OVER: ClassVar[tuple[str, ...]] = ()  # the fields with the values that it reads itself, to know what to give and how often
    GIVEN: ClassVar[int] = 0  # how many parameters of the body, in front of the carried ones, it gives itself
    TESTS: ClassVar[tuple[str, ...]] = ()  # the field with the block of the carried values that decides before each iteration

    init: list[Value] = field(default_factory=list)
    body: Block = field(default_factory=Block)
    breaks: bool = False
    snapshots: Value | None = None

    def operands(self) -> list[Value]:
        return [*self.over, *self.init, *([] if self.snapshots is None else [self.snapshots])]

    def blocks(self) -> tuple[Block, ...]:
        return (*self.tests, self.body)

    @property
    def over(self) -> list[Value]:
        """The values that it reads itself, beside those that it carries."""
        return [getattr(self, name) for name in self.OVER]

    @property
    def tests(self) -> list[Block]:
        """The block, if it has one, that decides before each iteration, and so runs once more at the end."""
        return [getattr(self, name) for name in self.TESTS]

    @property
    def steering(self) -> list[Value]:
        """The values that decide whether there is one more iteration, and what it is given."""
        return [*self.over, *self.flags]

    @property
    def flags(self) -> list[Value]:
        """The values computed inside of it that decide whether there is one more iteration."""
        return [*(block.yields[0] for block in self.tests), *self.body.yields[: self.breaks]]

    @property
    def given(self) -> list[Value]:
        """The parameters of the body that the loop itself gives in each iteration."""
        return self.body.params[: self.GIVEN]

    @property
    def carried(self) -> list[Value]:
        """The carried parameters of the body."""
        return self.body.params[self.GIVEN :]

    @property
    def entered(self) -> list[Value]:
        """The carried parameters of the block that comes first."""
        return self.tests[0].params if self.TESTS else self.carried

    @property
    def carried_yields(self) -> list[Value]:
        """The values that the body hands to the next iteration."""
        return self.body.yields[1:] if self.breaks else self.body.yields


@dataclass(eq=False, slots=True)
class For(Loop):
    """``for body.params[0] in iterable``."""

    OVER = ("iterable",)
    GIVEN = 1
    iterable: Value = field(default_factory=Undef)


@dataclass(eq=False, slots=True)
class While(Loop):
    """``while test.yields[0]``; both blocks have the carried values as parameters."""

    TESTS = ("test",)
    test: Block = field(default_factory=Block)


@dataclass(eq=False, slots=True)
class With(Straight):
    """``with context: body``; results are the yields of the body."""

    HEAD = "context"
    BLOCKS = ("body",)
    context: Value = field(default_factory=Undef)
    body: Block = field(default_factory=Block)

    def operands(self) -> list[Value]:
        return [self.context]

    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


@dataclass(eq=False, slots=True)
class Param:
    """The declaration of a parameter: its default as a literal value, and whether it is keyword-only. ``of``: the value of the
    same function whose seed it is, and whose shape it has."""

    value: Value
    default: Value | None = None
    keyword_only: bool = False
    of: Value | None = None

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.value.name or "_"


# The shape of what a function returns: a leaf (an index into the yields), or a tuple, list or dict of such.
@dataclass(frozen=True, slots=True)
class Structure:
    """The structure of returned leaves: ``kind`` is 'leaf', 'tuple', 'list', 'dict' or 'object'.

    ``cls`` is the class of an object or named tuple, which functions hand to each other as dict and tuple.
    """

    kind: str = "leaf"
    items: tuple[Structure, ...] = ()
    keys: tuple[Any, ...] = ()
    cls: type | None = None
    sort: Sort | None = None  # of a dict

    def leaves(self) -> int:
        """The number of leaves."""
        return 1 if self.kind == "leaf" else sum(item.leaves() for item in self.items)


LEAF = Structure()
Path = tuple[Any, ...]  # the position of a parameter, and the keys under which something stands in it


@dataclass(eq=False, slots=True)
class Function:
    """A function: declared parameters, a body whose yields are the leaves of what it returns."""

    name: str
    params: list[Param]
    body: Block
    returns: Structure = LEAF
    doc: str = ""
    file: str = ""
    comments: dict[int, list[str]] = field(default_factory=dict)  # the user's comment lines, by the line they precede
    writes: frozenset[int] | None = None  # while it is being made: the positions of the parameters whose memory it writes
    reverse_at: int | None = None  # in an adjoint program: where in body.ops the reverse sweep begins
    attempted: bool = False  # some call of it runs to see whether it fails (``analysis.attempts``)
    checkpointed: bool = False  # its calls are computed again in the reverse sweep, not recorded
    sharing: tuple[tuple[Path, ...], ...] = ()  # groups of places in what it is given that may be the same memory
    remembers: Mapping[str, frozenset[str]] = field(default_factory=dict)  # what is kept of parameters in fields of arguments
    handed: int = 0  # in the reverse part of a recursive function: how many of its last parameters are the caller's buffers
    records: bool = False  # the forward part of a derivative, which also returns what its reverse part needs
    gives_back: bool = False  # an object that it has not made: others have it, too
    called: str = ""  # by the user: a function that was made from another one, for a derivative, has the name of that
    edition: object = field(default=None, init=False)  # what analyses remember of it (``analysis.editions``)
    settled: object = field(default=None, init=False)  # the same, while nobody changes it

    @property
    def values(self) -> list[Value]:
        """The parameters as values."""
        return [p.value for p in self.params]

    @property
    def title(self) -> str:
        """The name by which messages speak of it: that of the user's function, in one made from it, too."""
        return self.called or self.name

    @property
    def stem(self) -> str:
        """The name without the number that tells functions of one name apart."""
        return self.name.rstrip("0123456789").rstrip("_")

    def become(self, other: Function) -> None:
        """Take over all that another function is but its name, which calls of this one bear."""
        for slot in fields(Function):
            if slot.name not in ("name", "edition", "settled"):
                setattr(self, slot.name, getattr(other, slot.name))
        self.writes = None  # now to be seen
