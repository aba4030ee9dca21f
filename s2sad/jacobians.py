"""Jacobians, Hessians and products with them, made of directional derivatives.

    jacobian(f)(x)                out.shape + x.shape, by columns (tangents) or by rows (adjoints), whichever are fewer
    hessian(f)(x)                 the Jacobian of the gradient, by columns: forward over reverse
    hvp(f, (x,), (v,))            the gradient and H v, for the price of about two gradients

Shapes of trees are JAX's: the structure of the result outside, that of the argument inside. ``columns`` and ``rows`` are all
that asks for derivatives: many directions at once, by vector mode.

Complex numbers: of a real argument a complex result has the derivative du/dx + i dv/dx. Of a complex argument a real result has
that of ``grad``, du/dx - i du/dy; a complex one must be holomorphic, which is checked along two directions.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from s2sad.api import (
    Derived,
    Function,
    P,
    Pullback,
    as_called,
    derivatives_of,
    grad,
    jvp,
    kept,
    pulled_back,
    replayed,
    together,
    tried,
    vjp,
)
from s2sad.derivatives import Ask, Compiled
from s2sad.errors import ActivityError, ArgumentError, S2sadError, UnsupportedSyntaxError
from s2sad.moments import Moment, on_copies
from s2sad.options import entry, make_options
from s2sad.rules.transformations import transformation
from s2sad.runtime.directions import row_of, stacked
from s2sad.trees import finite, is_discrete, leaves, mapped, parts, rebuilt
from s2sad.vector_mode import ONE_BY_ONE, along_all, at_a_time

PRIMAL = Ask("primal", ())
MODES = {"fwd": "fwd", "rev": "rev", "tangent": "fwd", "adjoint": "rev", "forward": "fwd", "reverse": "rev"}
HOLOMORPHIC = 1e-6  # what rounding may leave of the difference of two derivatives


@transformation("jacobian")
@entry
def jacobian(
    function: Callable[P, Any], wrt: Any = 0, *, mode: str | None = None, chunk_size: int | None = None, of: str | None = None,
    has_aux: bool = False, **options: Any,
) -> Jacobian[P]:  # fmt: skip
    """A function with ``function``'s signature that returns its Jacobian.

    Of an array by an array: an array of the shape ``out.shape + x.shape``. Of a tree by a tree: the structure of the result,
    with that of the argument in place of each leaf; ``wrt`` as for ``grad``, a tuple of ``wrt`` gives tuples innermost. Leaves
    without derivative (integers, text) give zeros as results, and 0.0 or None as arguments, as with ``grad``.
    ``mode``: "fwd" (one tangent a column), "rev" (one adjoint a row), or None for the one with fewer sweeps;
    ``J.why(*args)`` says which that is. ``chunk_size``: at most so many directions are evaluated at a time.
    ``of``: the name of a parameter whose final contents are differentiated. ``has_aux``: the function returns
    ``(value, aux)``, and ``(jacobian, aux)`` is returned.
    Raises ActivityError for arguments without derivative, and for complex functions that are not holomorphic.
    (Shapes as in JAX; Griewank & Walther, "Evaluating Derivatives", 2nd ed., sections 3.1 and 3.2: vector modes.)
    """
    return Jacobian(function, wrt, mode, chunk_size, of, has_aux, options)


@transformation("jacfwd")
@entry
def jacfwd(function: Callable[P, Any], wrt: Any = 0, **settings: Any) -> Jacobian[P]:
    """``jacobian`` by columns: one tangent for each number of the argument. Else as for ``jacobian``."""
    return jacobian(function, wrt, **_in_mode("fwd", settings))


@transformation("jacrev")
@entry
def jacrev(function: Callable[P, Any], wrt: Any = 0, **settings: Any) -> Jacobian[P]:
    """``jacobian`` by rows: one adjoint for each number of the result. Else as for ``jacobian``."""
    return jacobian(function, wrt, **_in_mode("rev", settings))


def _in_mode(mode: str, settings: dict[str, Any]) -> dict[str, Any]:
    if "mode" in settings:
        raise ArgumentError(f"jac{mode}(): the mode is {mode!r}", instead="jacobian(f, mode=...)")
    return {**settings, "mode": mode}


@transformation("value_and_jacobian")
@entry
def value_and_jacobian(function: Callable[P, Any], wrt: Any = 0, **settings: Any) -> Jacobian[P]:
    """A function that returns ``(value, jacobian)``; with ``has_aux``, ``((value, aux), jacobian)``. Else as for ``jacobian``."""
    found = jacobian(function, wrt, **settings)
    return _ValueAndJacobian(function, *found.settings)


@transformation("hessian")
@entry
def hessian(
    function: Callable[P, Any], wrt: Any = 0, *, mode: str | None = "fwd", chunk_size: int | None = None, of: str | None = None,
    has_aux: bool = False, **options: Any,
) -> Callable[P, Any]:  # fmt: skip
    """A function that returns the Hessian of a function that gives a number: the Jacobian of its gradient.

    Of an array, of the shape ``x.shape + x.shape``; of a tree or of several arguments, trees of trees. ``mode``: "fwd" for
    forward over reverse, "rev" for reverse over reverse. Other parameters and errors as for ``jacobian``; with ``has_aux``,
    ``(hessian, aux)`` is returned. (Griewank & Walther, "Evaluating Derivatives", 2nd ed., chapter 5.)
    """
    if isinstance(function, types.MethodType):
        return _HessianOfMethod(function, wrt, _mode(mode), chunk_size, of, has_aux, options)
    gradient = kept(grad, function, wrt, of=of, has_aux=has_aux, **options)
    made: Jacobian[P] = Jacobian(gradient, wrt, _mode(mode), chunk_size, None, has_aux, options)
    return made


@transformation("hvp")
@entry
def hvp(
    function: Function, primals: Any, tangents: Any, *, wrt: Any = None, mode: str = "fwd", of: str | None = None, **options: Any
) -> tuple[Any, Any]:
    """``(gradient, product)``: the gradient at ``primals``, and the Hessian times ``tangents``, for about two gradients' price.

    ``primals`` and ``tangents``: tuples of the same length and structure; a tangent of None is zero. For one primal both
    results have its structure, for several they are tuples (None for what has no derivative). With ``wrt`` the Hessian is
    that by these parameters alone, ``tangents`` are theirs, and the results as ``grad(f, wrt)`` gives them.
    ``mode``: "fwd", the tangent of the gradient; "rev", the gradient of its product with the tangents. Results have the shapes
    and dtypes of the primals. Raises ActivityError for tangents that do not fit, and results that are no number.
    (Pearlmutter, "Fast exact multiplication by the Hessian", Neural Computation 6, 1994.)
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise ActivityError("hvp takes two tuples: hvp(f, (x, y), (x_dot, y_dot))")
    if wrt is not None:
        return _hvp(function, primals, wrt, tangents, mode, of, options)
    if len(primals) != len(tangents):
        raise ActivityError(f"hvp is given {len(primals)} primals and {len(tangents)} tangents")
    places = tuple(k for k, p in enumerate(primals) if not is_discrete(p))
    if not places:
        raise ActivityError("hvp is given no argument that has a derivative")
    found = _hvp(function, primals, places, [tangents[k] for k in places], mode, of, options)
    if len(primals) == 1:
        return found[0][0], found[1][0]
    first, second = (dict(zip(places, part, strict=True)) for part in found)
    return tuple(first.get(k) for k in range(len(primals))), tuple(second.get(k) for k in range(len(primals)))


def _hvp(
    function: Function, primals: Any, wrt: Any, tangents: Any, mode: str, of: str | None, options: dict[str, Any]
) -> tuple[Any, Any]:
    method: Any = function
    if isinstance(method, types.MethodType):  # of which the object is an argument like others
        function, given, behind = method.__func__, (method.__self__, *primals), _behind_self(wrt)
        both: tuple[Any, Any] = of_method(
            method, primals, {}, lambda: _hvp(function, given, behind, tangents, mode, of, options)
        )
        return both
    gradient = kept(grad, function, wrt, of=of, **options)
    many = isinstance(wrt, tuple | list)
    if not many and len(tangents) != 1:
        raise ActivityError(f"hvp is given {len(tangents)} tangents for wrt={wrt!r}")
    if _mode(mode) == "fwd":
        if all(t is None for t in tangents):
            value = gradient(*primals)
            return value, mapped(_zero, value)
        value, product = jvp(gradient, primals, tangents, wrt=wrt, **options)
        if all(isinstance(part, np.ndarray | float) for part in (value if many else (value,))):
            return value, product
        return value, mapped(lambda g, dot: None if g is None else dot, value, product)  # None for text, and keys in one order
    if any(np.iscomplexobj(leaf) for leaf in leaves(tuple(primals))):
        raise ActivityError("the Hessian of complex arguments times a vector is taken forward", instead="mode='fwd'")
    found: tuple[Any, Any] | None = together(gradient, primals, tangents, wrt, options)
    if found is not None:
        return found
    value, pullback = vjp(gradient, *primals, wrt=wrt, **options)
    seed = tuple(_zeros_for(t, v) for t, v in zip(tangents, value, strict=True)) if many else _zeros_for(tangents[0], value)
    return value, pullback(seed)


def of_method(method: Any, args: Any, kwargs: dict[str, Any], run: Callable[[], Any]) -> Any:
    """The result of ``run``, which derives a method's function with its object as an argument: the method may change it."""
    derivatives = derivatives_of(method, make_options({}))
    values = derivatives.arguments(tuple(args), kwargs)
    compiled = derivatives.compiled(PRIMAL, values)
    if not derivatives.follows_a_call(compiled):
        return run()
    return as_called(method, args, kwargs, derivatives, compiled, values, lambda _: run())


def _behind_self(wrt: Any) -> Any:
    """Positions of a method's arguments as those of its function's."""
    if isinstance(wrt, tuple | list):
        return tuple(map(_behind_self, wrt))
    return wrt + 1 if isinstance(wrt, int) and wrt >= 0 else wrt


def _zeros_for(tangent: Any, value: Any) -> Any:
    """A tangent as a seed of this gradient: with zeros for what stays, and where the gradient has numbers for integers."""
    inner, given = parts(value), parts(tangent)
    if tangent is None or inner is None or given is None or given.keys() - inner.keys():
        return mapped(_zero, value) if tangent is None else tangent
    return rebuilt(value, {key: _zeros_for(given.get(key), item) for key, item in inner.items()})


def _zero(leaf: Any) -> Any:
    return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else leaf if leaf is None else leaf * 0


def _mode(mode: str | None) -> str | None:
    if mode is not None and (not isinstance(mode, str) or mode not in MODES):
        raise ActivityError(f"mode {mode!r} is unknown", instead="'fwd' or 'rev', or None for the one with fewer sweeps")
    return None if mode is None else MODES[mode]


# --- the seam: directional derivatives, many directions at once

def columns(
    push: Callable[[Any], Any], directions: Iterable[tuple[Any, ...]], chunk_size: int
) -> Iterator[Any]:
    """The tangent of a function along each direction: a tuple of tangents, one for each of ``wrt``."""
    for chunk in _chunks(directions, chunk_size):
        found = push(stacked(chunk))
        yield from (row_of(found, k) for k in range(len(chunk)))


def rows(pullback: Any, seeds: Iterable[Any], chunk_size: int) -> Iterator[Any]:
    """The adjoints of the arguments for each adjoint of the result."""
    for chunk in _chunks(seeds, chunk_size):
        found = pullback(stacked(chunk), batched=True)
        yield from (row_of(found, k) for k in range(len(chunk)))


def _chunks(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(items)
    while chunk := list(itertools.islice(rest, min(size, sys.maxsize))):
        yield chunk


# --- dense Jacobians


@dataclass(frozen=True)
class Leaf:
    """A leaf of an argument or result, and its numbers."""

    value: Any
    path: tuple[Any, ...]

    @property
    def size(self) -> int:
        """The number of its numbers."""
        holds = isinstance(self.value, np.ndarray | np.generic | float | complex) and not is_discrete(self.value)
        return int(np.size(self.value)) if holds else 0

    @property
    def complex(self) -> bool:
        """Test for complex numbers."""
        return bool(np.iscomplexobj(self.value))


def _leaves(value: Any) -> Iterator[Leaf]:
    """The leaves of an argument or result."""
    with finite(f"a {type(value).__name__}"):
        yield from _leaves_under(value, ())


def _leaves_under(value: Any, path: tuple[Any, ...]) -> Iterator[Leaf]:
    inner = parts(value)
    if isinstance(value, collections.deque):
        raise ActivityError("a Jacobian of a deque has no structure", instead="a list of its items")
    if inner is None:
        yield Leaf(value, path)
    else:
        for key, item in inner.items():
            yield from _leaves_under(item, (*path, key))


@dataclass(frozen=True)
class Call:
    """A call: the arguments by position and by name, and the values of all parameters in order."""

    args: tuple[Any, ...]
    named: dict[str, Any]
    bound: list[Any]


@dataclass(frozen=True)
class Again:
    """The way in which the Jacobian of one real array by another was evaluated, and is again for such kinds and shapes.

    ``run``: the program, called with arguments and seeds; ``like``: what these are of, the argument at ``place`` or the result.
    """

    run: Callable[[Any, Any], Any]
    place: int
    shapes: tuple[tuple[int, ...], tuple[int, ...]]  # of the result and of the argument
    like: np.ndarray
    rows: bool
    chunk: int

    def jacobian(self, args: tuple[Any, ...]) -> np.ndarray | None:
        """The Jacobian; None where these are other arguments."""
        x = args[self.place] if self.place < len(args) else None
        if type(x) is not np.ndarray or x.shape != self.shapes[1] or not x.flags.c_contiguous:
            return None
        pieces = []
        for units in _units(self.like, self.chunk):
            try:
                found = self.run(args, (units,))
            except Exception:  # seeds do not fit where the result has another shape; else the long way meets it again
                return None
            if found is None or type(found[1]) is not np.ndarray or np.shape(found[0]) != self.shapes[0]:
                return None
            pieces.append(found[1].reshape(len(units), -1))
        block = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        return np.ascontiguousarray(block if self.rows else block.T).reshape(self.shapes[0] + self.shapes[1])


class Jacobian(Derived, Generic[P]):
    """The function that ``jacobian`` makes: called like the original, it gives the Jacobian."""

    what = "jacobian"

    def __init__(
        self, function: Function, wrt: Any, mode: str | None, chunk_size: int | None, of: str | None, has_aux: bool,
        options: dict[str, Any],
    ) -> None:  # fmt: skip
        if chunk_size is not None and chunk_size < 1:
            raise ActivityError(f"chunk_size={chunk_size!r}: a positive number of directions is expected")
        self.settings = (wrt, _mode(mode), chunk_size, of, has_aux, options)
        super().__init__(type(self), function, *self.settings)
        self.wrt, self.mode, self.chunk_size, self.of, self.has_aux, self.options = self.settings
        self.derivatives = derivatives_of(function, make_options(options))
        self.names = self.derivatives.inputs(wrt)
        self.derivatives.check_of(of)
        self.several = isinstance(wrt, tuple | list)
        self.__s2sad__ = (self.what, self.derivatives, self.settings[:-1], self.several)
        self.transformation = (self.what, {"wrt": wrt, "mode": self.mode, "of": of, "has_aux": has_aux})
        self.again: Again | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        again = self.again
        found: Any = None if again is None or kwargs else again.jacobian(args)
        if found is not None:
            return (found,) if self.several else found
        _, aux, found = self._all(args, kwargs)
        return (found, aux) if self.has_aux else found

    def why(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """The mode that is used for these arguments, and the reason."""
        call = self._call(args, kwargs)
        with (None if self._still(call) else self._before(call)) or contextlib.nullcontext():
            value, _ = self._value(call)
        mode, numbers, results = self._chosen(self._inputs(call), list(_leaves(value)))
        name = {"fwd": "forward, by columns", "rev": "reverse, by rows"}[mode]
        reason = "as was asked" if self.mode else "the fewer sweeps"
        return f"{name}: {numbers} numbers in {', '.join(self.names)}, {results} in the result ({reason})"

    def _all(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
        call = self._call(args, kwargs)
        value, aux, moment = self._evaluated(call)
        return value, aux, replayed(moment, lambda: self._derived(call, value, aux, moment))

    def _derived(self, call: Call, value: Any, aux: Any, moment: contextlib.AbstractContextManager[None]) -> Any:
        inputs, outputs = self._inputs(call), list(_leaves(value))
        if not any(leaf.size or np.size(leaf.value) == 0 for tree in inputs for leaf in tree):
            names = " and ".join(self.names) or "no arguments (wrt=())"
            raise ActivityError(f"{names} of {self.derivatives.function.__name__} have no derivative")
        mode, _, _ = self._chosen(inputs, outputs)
        chunk = self._at_a_time(mode, call, inputs, outputs)
        if mode == "fwd":
            table = self._by_columns(call, inputs, outputs, moment, chunk)
        else:
            with moment:
                pullback = pulled_back(
                    self.function, call.args, self.names, self.of, self.has_aux, self.options, call.named, (value, aux)
                )[1]
            table = self._by_rows(pullback, inputs, value, outputs, chunk)
        self.again = self._short_way(mode, call, inputs, outputs, isinstance(moment, Moment), chunk)
        return self._assembled(value, outputs, call, inputs, table)

    def _short_way(
        self, mode: str, call: Call, inputs: list[list[Leaf]], outputs: list[Leaf], moved: bool, chunk: int
    ) -> Again | None:
        """The way that it goes the next time, if all there is are two arrays; ``moved``: sweeps may find another world."""
        x, out, names = inputs[0][0].value, outputs[0].value, self.derivatives.names
        plain = _plain(inputs, outputs) and self.names[0] in names and not self.has_aux and self.derivatives.owner is None
        like = x if mode == "fwd" else out
        if not plain or (moved and chunk < like.size):
            return None
        place = names.index(self.names[0])
        compiled = self.derivatives.compiled(self._ask(mode + "s"), call.bound)
        if compiled.outside or compiled.tells:
            return None  # a program that is run twice after all would do it twice
        if call.named or call.bound[place] is not x or ONE_BY_ONE in compiled.entry.source:
            return None
        run = self.derivatives.quick_with(compiled, call.bound)
        return None if run is None else Again(run, place, (out.shape, x.shape), np.empty_like(like), mode == "rev", chunk)

    def _ask(self, mode: str) -> Ask:
        """The program of a mode: of all directions, or of the adjoint of one."""
        known = {"fwds": "tangents", "revs": "adjoints", "rev": "adjoint"}
        return Ask(known[mode], self.names, self.of, self.has_aux and mode != "fwds")

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """A call with all defaults filled in, without the object of a method."""
        bound = self.derivatives.arguments(args, kwargs)
        given: list[Any] = []
        named: dict[str, Any] = {}
        for p, value in zip(self.derivatives.parameters, bound, strict=True):
            if p.kind is p.KEYWORD_ONLY:
                named[p.name] = value
            elif p.kind is p.VAR_KEYWORD:
                named |= value
            else:
                given += value if p.kind is p.VAR_POSITIONAL else [value]
        return Call(tuple(given[self.derivatives.owner is not None :]), named, bound)

    def _value(self, call: Call) -> tuple[Any, Any]:
        """The value that is differentiated, and what is passed through."""
        of = self.of

        def evaluated(*args: Any, **named: Any) -> Any:
            value = self.function(*args, **named)
            if of is None:
                return value
            return named[of] if of in named else args[self.derivatives.argument_names(len(args)).index(of)]

        value = on_copies(evaluated, call.args, call.named)
        if of is not None or not self.has_aux:
            return value, None
        if not isinstance(value, tuple) or len(value) != 2:
            raise ActivityError(f"has_aux=True, but {self.derivatives.function.__name__} does not return a pair (value, aux)")
        return value

    def _evaluated(self, call: Call) -> tuple[Any, Any, contextlib.AbstractContextManager[None]]:
        """The same, and the moment before: its derivatives are those of this evaluation.

        What the derivative reads besides what the function reads is known when its mode is, which may depend on the value.
        """
        if self._still(call):
            return *self._value(call), contextlib.nullcontext()
        before = self._before(call)
        if self.mode is not None:
            self._program(self.mode, call)  # what cannot be is refused before anything has run
        elif self._tells(call):
            self._either_program(call)
        value, aux = self._value(call)

        def further() -> Moment | None:
            mode, _, _ = self._chosen(self._inputs(call), list(_leaves(value)))
            return self.derivatives.moment(self._program(mode, call), call.bound, whole=True)

        more = replayed(before or contextlib.nullcontext(), further)
        moment = before if more is None else more if before is None else before.with_more(more)
        return value, aux, moment or contextlib.nullcontext()

    def _still(self, call: Call) -> bool:
        return not any(leaf.size for tree in self._inputs(call) for leaf in tree)

    def _before(self, call: Call) -> Moment | None:
        """The moment of what the function finds outside; None if that is nothing."""
        try:
            compiled = self.derivatives.compiled(PRIMAL, call.bound)
        except UnsupportedSyntaxError:
            inner = self.function
            while isinstance(inner, Derived):
                inner = inner.function
            if inner is not self.function and not isinstance(inner, types.MethodType):
                plain = derivatives_of(inner, self.derivatives.options)
                values = plain.arguments(call.args, call.named)
                moment = plain.moment(plain.compiled(PRIMAL, values), values)
                tried(moment, lambda: self._value(call))  # what the derivative itself says about its arguments comes first
            raise
        return self.derivatives.moment(compiled, call.bound, whole=True)

    def _program(self, mode: str, call: Call) -> Compiled:
        """The program that tells what the derivative finds outside."""
        return self.derivatives.compiled(self._ask("fwds" if mode == "fwd" else "rev"), call.bound)

    def _tells(self, call: Call) -> bool:
        """Test for a function that prints, logs or warns, which cannot be taken back."""
        return self.derivatives.compiled(PRIMAL, call.bound).tells

    def _either_program(self, call: Call) -> None:
        """The program of one of the modes, of which the value will decide. Raises S2sadError if there is none."""
        try:
            self._program("rev", call)
        except S2sadError as error:
            try:
                self._program("fwd", call)
            except S2sadError:
                raise error from None

    def _inputs(self, call: Call) -> list[list[Leaf]]:
        return [list(_leaves(self._argument(name, call))) for name in self.names]

    def _argument(self, name: str, call: Call) -> Any:
        return self.derivatives._value_of(name, call.bound)

    def _chosen(self, inputs: list[list[Leaf]], outputs: list[Leaf]) -> tuple[str, int, int]:
        n = sum(leaf.size * (1 + leaf.complex) for tree in inputs for leaf in tree)
        m = sum(leaf.size * (1 + leaf.complex) for leaf in outputs)
        return self.mode or ("fwd" if n <= m else "rev"), n, m

    def _at_a_time(self, mode: str, call: Call, inputs: list[list[Leaf]], outputs: list[Leaf]) -> int:
        """The number of directions that a sweep takes."""
        _, numbers, results = self._chosen(inputs, outputs)
        compiled = self.derivatives.compiled(self._ask(mode + "s"), call.bound)
        return self.chunk_size or at_a_time(compiled, numbers if mode == "fwd" else results, max(numbers, results))

    def _by_columns(
        self, call: Call, inputs: list[list[Leaf]], outputs: list[Leaf],
        moment: contextlib.AbstractContextManager[None], chunk: int,
    ) -> dict[Any, Any]:  # fmt: skip
        """The blocks by numbers of output leaf, input and input leaf, with the numbers of the argument first."""
        table: dict[Any, Any] = {}
        trees = [self._argument(name, call) for name in self.names]

        def push(tangents: Any) -> Any:
            given = {name: tangent for name, tangent in zip(self.names, tangents, strict=True) if tangent is not None}
            like = {name: self._argument(name, call) for name in given}
            ask = Ask("tangents", tuple(given), self.of)
            with moment:
                return along_all(self.derivatives, ask, call.bound, given, like, chunk=chunk)[1]

        if _plain(inputs, outputs) and trees[0] is inputs[0][0].value and not self.has_aux:
            pieces = [leaf.value for unit in _units(inputs[0][0].value, chunk) for leaf in _leaves(push((unit,)))]
            return {(0, 0, 0): np.concatenate([np.reshape(piece, (len(piece), -1)) for piece in pieces])}
        places = [(k, j, e, unit) for k, tree in enumerate(inputs) for j, leaf in enumerate(tree)
                  for e in range(leaf.size) for unit in ((1.0, 1j) if leaf.complex else (1.0,))]  # fmt: skip

        def directions() -> Iterator[tuple[Any, ...]]:
            for k, j, e, unit in places:
                yield tuple(_basis(tree, j if i == k else -1, e, unit) for i, tree in enumerate(trees))

        found = columns(push, directions(), chunk)
        for (k, j, e, unit), tangent in zip(places, found, strict=True):
            column = [leaf.value for leaf in _leaves(tangent[0] if self.has_aux else tangent)]
            for i, leaf in enumerate(outputs):
                if leaf.size:
                    size, real = inputs[k][j].size, not (leaf.complex or inputs[k][j].complex)
                    block = _block(table, (i, k, j), (size, leaf.size), column[i], real)
                    _enter(block, e, np.ravel(column[i]), unit, leaf.complex, 1j, self.derivatives.function.__name__)
        return table

    def _by_rows(
        self, pullback: Pullback, inputs: list[list[Leaf]], value: Any, outputs: list[Leaf], chunk: int
    ) -> dict[Any, Any]:
        """The same, with the numbers of the result first."""
        table: dict[Any, Any] = {}
        places = [(i, e, unit) for i, leaf in enumerate(outputs) for e in range(leaf.size)
                  for unit in ((1.0, -1j) if leaf.complex else (1.0,))]  # fmt: skip
        if _plain(inputs, outputs) and value is outputs[0].value and not self.has_aux:
            found = [pullback(unit, batched=True)[0] for unit in _units(value, chunk)]
            if all(isinstance(piece, np.ndarray) for piece in found):
                return {(0, 0, 0): np.concatenate([np.reshape(piece, (len(piece), -1)) for piece in found]).T}
        seeds = (_basis(value, *place) for place in places)
        for (i, e, unit), bars in zip(places, rows(pullback, seeds, chunk), strict=True):
            for k, tree in enumerate(inputs):
                row = [leaf.value for leaf in _leaves(bars[k])]
                for j, leaf in enumerate(tree):
                    if leaf.size:
                        real = not (leaf.complex or outputs[i].complex)
                        block = _block(table, (i, k, j), (outputs[i].size, leaf.size), row[j], real)
                        _enter(block, e, np.ravel(row[j]), unit, leaf.complex, -1j, self.derivatives.function.__name__)
        return {key: block.T for key, block in table.items()}

    def _assembled(
        self, value: Any, outputs: list[Leaf], call: Call, inputs: list[list[Leaf]], table: dict[Any, Any]
    ) -> Any:
        """The blocks as a tree of trees."""
        numbers = iter(range(len(outputs)))

        def block(leaf: Any) -> Any:
            i = next(numbers)

            def tree(k: int) -> Any:
                own = iter(range(len(inputs[k])))
                return mapped(lambda x: _shaped(leaf, x, table.get((i, k, next(own)))), self._argument(self.names[k], call))

            trees = tuple(map(tree, range(len(self.names))))
            return trees if self.several else trees[0]

        return mapped(block, value)


class _ValueAndJacobian(Jacobian[P]):
    """The function that ``value_and_jacobian`` makes."""

    what = "value_and_jacobian"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        value, aux, found = self._all(args, kwargs)
        return ((value, aux), found) if self.has_aux else (value, found)


class _HessianOfMethod(Derived):
    """The function that ``hessian`` makes of a method: the object is an argument of the gradient that is differentiated."""

    def __init__(
        self, function: Any, wrt: Any, mode: str | None, chunk_size: int | None, of: str | None, has_aux: bool,
        options: dict[str, Any],
    ) -> None:  # fmt: skip
        super().__init__(type(self), function, wrt, mode, chunk_size, of, has_aux, options)
        settings: dict[str, Any] = {"mode": mode, "chunk_size": chunk_size, "of": of, "has_aux": has_aux, **options}
        self.inner = hessian(function.__func__, _behind_self(wrt), **settings)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return of_method(self.function, args, kwargs, lambda: self.inner(self.function.__self__, *args, **kwargs))


def _plain(inputs: list[list[Leaf]], outputs: list[Leaf]) -> bool:
    """Test for the Jacobian of one real array by another, neither empty."""
    alone = len(inputs) == len(outputs) == len(inputs[0]) == 1
    both = [leaf.value for leaf in (*inputs[0], *outputs)]
    return alone and all(isinstance(v, np.ndarray) and v.dtype.kind == "f" and v.size for v in both)


def _units(like: Any, size: int) -> Iterator[Any]:
    """The unit vectors of an array's numbers, so many at a time, one a row."""
    for start in range(0, like.size, size):
        made = np.zeros((min(size, like.size - start), like.size), like.dtype)
        made.reshape(-1)[start :: like.size + 1] = 1.0
        yield made.reshape(len(made), *like.shape)


def _basis(tree: Any, number: int, element: int, unit: Any) -> Any:
    """A tree of zeros like this one, but for one number of one leaf."""
    count = iter(range(sum(1 for _ in leaves(tree))))

    def leaf(value: Any) -> Any:
        here = next(count) == number
        if is_discrete(value):
            return None if not isinstance(value, np.ndarray) else np.zeros(value.shape)
        if not isinstance(value, np.ndarray):
            return type(value)(unit if here else 0)
        made = np.zeros_like(value)
        if here:
            made[np.unravel_index(element, value.shape)] = unit
        return made

    return mapped(leaf, tree)


def _block(table: dict[Any, Any], key: Any, shape: tuple[int, int], like: Any, real: bool) -> Any:
    found = table.get(key)
    if found is None:
        dtype = np.result_type(like) if np.result_type(like).kind in "fc" else np.dtype(float)
        found = table[key] = np.zeros(shape, dtype if real else np.result_type(dtype, 1j))
    return found


def _enter(block: Any, at: int, found: Any, unit: Any, joint: bool, turn: complex, name: str) -> None:
    """Enter a derivative along a real direction, then that along the imaginary one.

    ``joint``: both sides are complex if the direction is; then the second has to be the first, turned.
    """
    if unit == 1.0:
        block[at] = found
    elif not joint:
        block[at] = block[at] - 1j * found if turn == 1j else block[at] + 1j * found
        return
    off = np.abs(found - turn * block[at]) if unit != 1.0 and joint else np.zeros(0)
    if np.any(off > HOLOMORPHIC * np.max(np.abs(block[at]), initial=1.0)):
        worst = int(np.argmax(off))
        raise ActivityError(
            f"{name} is not holomorphic: its derivatives along 1 and {'i' if turn == 1j else '-i'} are "
            f"{block[at][worst]} and {found[worst]}",
            why="a complex function of a complex argument has a Jacobian only if one is the other times i",
            instead="the real and the imaginary part as functions of their own, or jvp",
        )


def _shaped(result: Any, argument: Any, block: Any) -> Any:
    """A block in the shape ``result.shape + argument.shape``."""
    if is_discrete(argument) and not isinstance(argument, np.ndarray):
        return 0.0 if isinstance(argument, int) else None
    if is_discrete(result) and not isinstance(result, np.ndarray | bool | int):
        return None
    shape = np.shape(result) + np.shape(argument)
    if block is None:
        return np.zeros(shape)[()]
    return np.ascontiguousarray(block.T).reshape(shape)[()]
