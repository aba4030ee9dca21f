"""First derivatives: ``grad``, ``value_and_grad``, ``jvp``, ``vjp``.

Names and meaning follow autograd and JAX: ``grad(f)(x)``, ``grad(f, 1)``, ``grad(f, (0, 1))``.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import linecache
import operator
import types
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pickle import PicklingError
from typing import Any, ParamSpec

import numpy as np

from s2sad import runtime
from s2sad.derivatives import (
    BECAME_COMPLEX,
    BEHIND,
    HINT,
    KEEP_REAL,
    Ask,
    Compiled,
    Derivatives,
    Programs,
    call_of,
)
from s2sad.errors import ActivityError, ArgumentError, S2sadError, SourceError
from s2sad.ir import interpreter
from s2sad.ir.code import RENEW, identifier, renew, signature_of, state
from s2sad.ir.kinds import Lasting
from s2sad.moments import Moment, in_place, on_copies, print_of, replay
from s2sad.options import Options, entry, is_entry, make_options
from s2sad.portable import packed, unpacked
from s2sad.rules import registry
from s2sad.rules.preludes import form_of
from s2sad.rules.transformations import transformation
from s2sad.rules.user import described_rules
from s2sad.seeds import check_fits, check_still, named, spread
from s2sad.trees import STILL, copied, in_precision, is_discrete, is_inexact, parts
from s2sad.vector_mode import ONE_BY_ONE, along_all

Function = Callable[..., Any]
P = ParamSpec("P")  # the parameters of the function, which a derivative has, too


class Own(dict[Any, Any]):
    """Derivatives kept with an object, as one of its attributes, and freed with it: of that object and this process alone."""

    def __init__(self, owner: Any = None) -> None:
        super().__init__()
        self.owner = None if owner is None else weakref.ref(owner)

    def __reduce__(self) -> Any:
        return Own, ()

    def __deepcopy__(self, memo: object) -> Own:
        return Own()


_recent: dict[int, tuple[Any, dict[Any, Any]]] = {}  # of what takes no attributes (functions in C): the RECENT that came last
RECENT = 64


def own(thing: Any) -> dict[Any, Any]:
    """A table of what was made of a function, which lives as long as that does."""
    if not isinstance(thing, types.FunctionType | Lasting | functools._lru_cache_wrapper):
        while len(_recent) > RECENT:
            _recent.pop(next(iter(_recent)), None)
        return _recent.setdefault(id(thing), (thing, {}))[1]
    found = vars(thing).get("__s2sad_own__")
    if not isinstance(found, Own) or found.owner is None or found.owner() is not thing:  # ``wraps`` copies attributes
        found = vars(thing)["__s2sad_own__"] = Own(thing)
    return found


def derivatives_of(function: Function, options: Options) -> Derivatives:
    """The derivatives of a function under these options."""
    while isinstance(function, Lasting) and function.transformation == ("checkpoint", {}):
        function = function.function  # nothing is recorded around it
    if is_entry(function) and registry.name_of(function) is None:
        name = function.__qualname__
        raise ArgumentError(f"{name} itself has no derivative", instead=f"a function that calls {name}(...)")
    within = function.__s2sad__[1] if is_derivative(function) and hasattr(function, "__s2sad__") else None
    if is_derivative(function) or is_called(function) or registry.name_of(function) is not None or is_formed(function):
        function = shim(function)
    method = isinstance(function, types.MethodType)
    target = function.__func__ if method else function  # type: ignore[attr-defined]
    table = own(target)
    if options not in table:
        table[options] = Derivatives(target, options, within)
    found: Derivatives = table[options]
    return found.bound_to(function.__self__) if method else found  # type: ignore[attr-defined]


def kept(make: Callable[..., Any], function: Function, wrt: Any, **settings: Any) -> Any:
    """``make(function, wrt, **settings)``, made once for a function, as its programs are kept with it."""
    wrt = tuple(wrt) if isinstance(wrt, list) else wrt
    if isinstance(function, types.MethodType):  # it is made anew at each look
        return make(function, wrt, **settings)
    table = own(function)
    key = (make, wrt, tuple(sorted(settings.items())))
    try:
        hash(key)
    except TypeError:  # no setting has such a value: an array, a list
        return make(function, wrt, **settings)
    if key not in table:
        table[key] = make(function, wrt, **settings)
    return table[key]


def spelled(wrt: Any) -> Any:
    """``wrt`` as a key. Raises ActivityError for what neither is a position or name nor holds some."""
    try:
        wrt = tuple(wrt) if isinstance(wrt, list) else wrt
        hash(wrt)
    except TypeError:
        raise ActivityError(f"wrt={wrt!r}: positions and names are expected") from None
    return wrt


def is_derivative(function: Any) -> bool:
    """Test for a function that one of our transformations made, which is followed by what it does and not by its source."""
    if not isinstance(function, Lasting):
        return False
    return hasattr(function, "__s2sad__") or (function.transformation or ("",))[0] == "vmap"


def is_formed(function: Any) -> bool:
    """Test for a function of a library for which a program stands: its own source may go where nobody can follow."""
    return isinstance(function, types.FunctionType) and form_of(function) is not None


def is_called(function: Any) -> bool:
    """Test for a ``partial``, or an object of a user's class with a ``__call__`` written in Python."""
    return isinstance(function, functools.partial) or call_of(function) is not None


_shims = itertools.count()


def shim(function: Function) -> Function:
    """A plain function with source that calls another: what is differentiated where nobody may look into that.

    Of a derivative, and of a function that has a rule: what its source says is not what its derivative is.
    """
    table = own(function)
    if shim not in table:
        table[shim] = _written(function)
        vars(table[shim])[RENEW] = functools.partial(_renewed, function, _taken(function))
    renew(table[shim])
    return table[shim]  # type: ignore[no-any-return]


def _written(function: Function) -> types.FunctionType:
    """The same, made now."""
    parameters, found, what = _signature(function)
    name = identifier(getattr(found, "__name__", "function") + what)
    plain = [p.replace(annotation=p.empty, default=p.empty) for p in parameters]
    given = ", ".join(_passed_on(p) for p in plain)
    original = "original"
    while original in (name, *(p.name for p in plain)):
        original += "_"
    text = f"def {name}{inspect.Signature(plain)}:\n    return {original}({given})\n"
    file = f"<s2sad {name} {next(_shims)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {original: function, "__name__": getattr(found, "__module__", None) or "s2sad_shims"}
    exec(compile(text, file, "exec"), scope)  # noqa: S102 - the text is the two lines above
    made: types.FunctionType = scope[name]
    defaults = [p for p in parameters if p.default is not p.empty]
    made.__defaults__ = tuple(p.default for p in defaults if p.kind is not p.KEYWORD_ONLY)
    made.__kwdefaults__ = {p.name: p.default for p in defaults if p.kind is p.KEYWORD_ONLY}
    if isinstance(found, types.FunctionType):
        vars(made)[BEHIND] = vars(found).get(BEHIND, (found.__name__, found.__code__.co_freevars))
    options = [] if is_called(function) or is_derivative(function) else _options_left(function, [p.name for p in plain])
    if options:
        vars(made)[HINT] = f"lambda {given}: {made.__name__}({given}, {options[0]}=...) passes options on"
    weakref.finalize(made.__code__, linecache.cache.pop, file, None)
    return made


def _options_left(function: Any, shown: list[str]) -> list[str]:
    """The options of a library's function that the function which stands for it does not have."""
    if is_formed(function):
        plain = [p for p in signature_of(function).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        return [p.name for p in plain if p.name not in shown]
    primitive = registry.lookup(registry.name_of(function) or "")
    return [] if primitive is None else [name for name, optional, _ in primitive.parameters if optional and name not in shown]


def _taken(function: Any) -> list[Any]:
    """The parts that parameters of a partial, an object that is called, or a derivative are read from: it may be changed."""
    if isinstance(function, functools.partial):
        own = [function.func, len(function.args), *function.args, *function.keywords, *function.keywords.values()]
        return own + _taken(function.func)
    if isinstance(function, types.MethodType):
        return _taken(function.__func__)
    if is_derivative(function):
        if not hasattr(function, "__s2sad__"):
            return _taken(function.function)
        derivatives = function.__s2sad__[1]
        derivatives.look_again()
        return [derivatives.function, *state(derivatives.function)]
    function = function if isinstance(function, types.FunctionType) else call_of(function)
    return [] if function is None else [function, *state(function)]


def _renewed(function: Any, before: list[Any], shown: types.FunctionType) -> None:
    """Give a function that calls another one the parameters and defaults that this has by now."""
    now = _taken(function)
    if len(now) != len(before) or not all(map(operator.is_, now, before)):
        made = _written(function)
        shown.__code__, shown.__defaults__, shown.__kwdefaults__ = made.__code__, made.__defaults__, made.__kwdefaults__
        shown.__globals__.update({name: thing for name, thing in made.__globals__.items() if thing is function})
        before[:] = now


def _signature(function: Function) -> tuple[list[inspect.Parameter], Any, str]:
    """The parameters of a derivative, or of a function with a rule; the function behind it, and what is added to its name."""
    if isinstance(function, functools.partial):
        try:
            return list(inspect.signature(function).parameters.values()), function.func, ""
        except (TypeError, ValueError):
            raise SourceError(
                f"the parameters of {function!r} are not known", why="what it calls does not tell",
                instead="a function, def f(x): ..., that calls it",
            ) from None  # fmt: skip
    call = call_of(function)
    if call is not None:
        return list(signature_of(call).parameters.values())[1:], type(function), ""
    if is_derivative(function):
        if not hasattr(function, "__s2sad__"):
            return _mapped_signature(function)
        what, derivatives, *_ = function.__s2sad__  # type: ignore[attr-defined]
        return derivatives.parameters[derivatives.owner is not None :], derivatives.function, f"_{what}"
    if is_formed(function):  # which has the options that are covered
        return [p.replace(annotation=p.empty) for p in signature_of(form_of(function)).parameters.values()], function, ""
    if isinstance(function, types.FunctionType) and registry.name_of(function) in described_rules():
        return list(signature_of(function).parameters.values()), function, ""
    primitive = registry.lookup(registry.name_of(function) or "")
    names = [] if primitive is None else [name for name, optional, _ in primitive.parameters if not optional]
    return [inspect.Parameter(name.lstrip("*"), inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names], function, ""


def _mapped_signature(function: Any) -> tuple[list[inspect.Parameter], Any, str]:
    """The same of what ``vmap`` made, which has the parameters of its function."""
    inner = function.function
    if is_derivative(inner) or is_called(inner) or registry.name_of(inner) is not None:
        parameters, found, what = _signature(inner)
    else:
        parameters, found, what = list(signature_of(inner).parameters.values()), inner, ""
    return parameters, found, f"{what}_vmap"


def _passed_on(parameter: inspect.Parameter) -> str:
    """The text by which an argument is handed on as it came."""
    before: dict[Any, str] = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    before[parameter.KEYWORD_ONLY] = f"{parameter.name}="
    return f"{before.get(parameter.kind, '')}{parameter.name}"


def _scalar_output(function: str, out: Any, of: str | None) -> None:
    number = isinstance(out, np.ndarray | np.generic | int | float | complex)
    shape = np.shape(out) if number else None
    if shape != ():
        what = f"the final contents of {of!r}" if of else f"{function} returns"
        found = f"an array of shape {shape}" if isinstance(out, np.ndarray) else named(out)
        raise ActivityError(
            f"grad needs a number to differentiate, but {what} {found}"
            if not of
            else f"grad needs a number, but {what} are {found}",
            why="the gradient is the derivative of one number",
            instead="use vjp with a seed, jacobian, or sum the result",
        )


@transformation("value_and_grad")
@entry
def value_and_grad(
    function: Callable[P, Any], wrt: Any = 0, *, of: str | None = None, has_aux: bool = False, **options: Any
) -> Callable[P, tuple[Any, Any]]:
    """A function with ``function``'s signature that returns ``(value, gradient)``.

    ``wrt``: a position, a name, a path to a part (``"self.w"``, ``"params['w']"``, ``"m.layers[0].b"``), or a tuple of
    those (then the gradient is a tuple). ``of``: the name of a parameter that the function writes into; its final
    contents are differentiated in place of the returned value.
    ``has_aux``: the function returns ``(value, aux)``; the result is ``((value, aux), gradient)``.
    The gradient has the structure, shape and dtype of its argument, in the machine's byte order: of an object, dataclass or
    named tuple it is one of the same class, made without running ``__init__``, with 0.0 for integers and None for what is no
    number. Of complex arguments it is that of autograd and JAX: for f = u + iv of z = x + iy, du/dx - i du/dy.
    Raises ActivityError for integer arguments and for results that are no number.
    (Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 3.2: the reverse mode.)
    """
    return _ValueAndGradient(function, wrt, of, has_aux, options)


class Derived(Lasting):
    """A function that is made of another: it is called like it, and travels between processes as it does.

    ``make(function, *settings)`` makes it again.
    """

    def __init__(self, make: Callable[..., Any], function: Function, *settings: Any) -> None:
        interpreter.check()
        functools.update_wrapper(self, function, updated=())
        del self.__dict__["__wrapped__"]  # this is not the function in disguise
        self.function = function
        self._made: tuple[Any, ...] = (make, settings)
        call = call_of(function)  # of an object, which may be asked nothing: its class says what == is
        with contextlib.suppress(TypeError, ValueError):
            self.__signature__ = inspect.signature(function if call is None else types.MethodType(call, function))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __get__(self, owner: Any, cls: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __reduce__(self) -> tuple[Any, ...]:
        make, settings = self._made
        return made_again, (make, packed(self.function), *settings)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: object) -> Any:
        return self

    def __repr__(self) -> str:
        make, settings = self._made
        name = getattr(self.function, "__qualname__", None) or repr(self.function)
        return f"<{getattr(make, '__name__', '').strip('_')} of {name}, {', '.join(map(repr, settings))}>"


def made_again(make: Callable[..., Any], function: Any, *settings: Any) -> Any:
    return make(unpacked(function), *settings)


MAY_BE_COMPLEX = (complex, tuple)
REAL = frozenset((float, np.float64))


class _ValueAndGradient(Derived):
    """The function that ``value_and_grad`` makes."""

    what = "value_and_grad"

    def __init__(self, function: Function, wrt: Any, of: str | None, has_aux: bool, options: dict[str, Any]) -> None:
        super().__init__(type(self), function, wrt, of, has_aux, options)
        self.derivatives = derivatives_of(function, make_options(options))
        self.ask = Ask("adjoint", self.derivatives.inputs(wrt), of, has_aux)
        several = isinstance(wrt, tuple | list)
        self.alone, self.aux = several and len(self.ask.inputs) == 1, has_aux
        self.plain, self.with_value = not self.alone and not has_aux, self.what == "value_and_grad"
        self.programs = self.derivatives.programs(self.ask)
        self.shortest = self.programs if self.derivatives.owner is None else Programs()
        self.__s2sad__ = (self.what, self.derivatives, self.ask, several)
        self.transformation = (self.what, {"wrt": wrt, "of": of, "has_aux": has_aux})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = None if kwargs else self.shortest.quick(args)
        value, gradient = self._found(args, kwargs) if found is None else found
        if self.plain and type(gradient) in REAL and type(value) in REAL:
            return (value, gradient) if self.with_value else gradient
        if isinstance(gradient, MAY_BE_COMPLEX):
            self._check_real(args, kwargs, gradient)
        if self.alone:
            gradient = (gradient,)
        if self.aux:
            return (value, gradient) if self.with_value else (gradient, value[1])
        if type(value) not in REAL and not isinstance(value, np.ndarray | np.generic | complex):
            _scalar_output(self.derivatives.function.__name__, value, self.ask.of)
        return (value, gradient) if self.with_value else gradient

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The same by way of the program that fits: it is made now, or was."""
        derivatives = self.derivatives
        values = derivatives.arguments(args, kwargs)
        compiled = derivatives.compiled(self.ask, values, self.programs)
        if derivatives.follows_a_call(compiled):
            return as_called(self.function, args, kwargs, derivatives, compiled, values, lambda value: self._run(values, value))
        if compiled.scalar:
            return derivatives.invoke(compiled, values, ())
        probe = tried(Moment(compiled.outside), lambda: called(self.function, args, kwargs))
        return self._run(values, probe)

    def _run(self, values: list[Any], probe: Any) -> Any:
        """The same, where ``probe`` is what the function itself gives."""
        derivatives = self.derivatives
        compiled = derivatives.compiled(self.ask, values)
        if compiled.scalar:
            return derivatives.invoke(compiled, values, ())
        _scalar_output(derivatives.function.__name__, _value_of(self.ask, probe, derivatives, values), self.ask.of)
        return derivatives.invoke(compiled, values, (1.0,))

    def _check_real(self, args: tuple[Any, ...], kwargs: dict[str, Any], gradient: Any) -> None:
        """Refuse a complex derivative by a real number: somewhere a real number has become complex without a word."""
        derivatives, inputs = self.derivatives, self.ask.inputs
        values = derivatives.arguments(args, kwargs)
        for name, found in zip(inputs, (gradient,) if len(inputs) == 1 else gradient, strict=True):
            if isinstance(found, complex) and not isinstance(derivatives._value_of(name, values), complex):
                raise ActivityError(f"the derivative with respect to {name!r} is complex", why=BECAME_COMPLEX, instead=KEEP_REAL)


class _Gradient(_ValueAndGradient):
    """The function that ``grad`` makes."""

    what = "grad"


def as_called(
    function: Function, args: Iterable[Any], kwargs: dict[str, Any], derivatives: Derivatives, compiled: Compiled,
    values: Sequence[Any], run: Callable[[Any], Any],
) -> Any:  # fmt: skip
    """The result of ``run`` for the value; it derives a function that changes things outside: one call of it leaves them.

    The call is made first; ``run`` then finds what the call has found. What is refused leaves nothing.
    """
    with in_place:  # of all threads one at a time has a call, and what is derived of it
        moment = derivatives.moment(compiled, values, whole=True) or contextlib.nullcontext()
        given = list(args), kwargs
        arrays = all(isinstance(x, np.ndarray | np.generic | STILL) or is_inexact(x) for x in (*given[0], *kwargs.values()))
        value = function(*given[0], **kwargs) if compiled.spares and arrays else on_copies(function, *given)
        return replayed(moment, lambda: run(value))


def replayed(moment: contextlib.AbstractContextManager[Any], run: Callable[[], Any]) -> Any:
    """The result of ``run`` at the moment before a call that was made; what is refused leaves nothing of the call."""
    try:
        with replay(moment):
            return run()
    except S2sadError:
        if isinstance(moment, Moment):
            moment.put()
        raise


def tried(moment: Moment | None, run: Callable[[], Any]) -> Any:
    """The result of a call that leaves nothing, unless it raises an exception of the function's: then what that leaves."""
    with in_place:
        try:
            found = run()
        except S2sadError:
            if moment is not None:
                moment.put()
            raise
        if moment is not None:
            moment.put()
        return found


def called(function: Function, args: Iterable[Any], kwargs: dict[str, Any]) -> Any:
    """The value of the function itself, of copies; a method works on a copy of its object, too, which it may change."""
    if isinstance(function, types.MethodType) and parts(function.__self__) is not None:
        return on_copies(function.__func__, [function.__self__, *args], kwargs)
    return on_copies(function, args, kwargs)


def _value_of(ask: Ask, probe: Any, derivatives: Derivatives, values: Sequence[Any]) -> Any:
    if ask.of is not None:
        return values[derivatives.names.index(ask.of)]
    return probe[0] if ask.aux else probe


@transformation("grad")
@entry
def grad(
    function: Callable[P, Any], wrt: Any = 0, *, of: str | None = None, has_aux: bool = False, **options: Any
) -> Callable[P, Any]:
    """A function with ``function``'s signature that returns the gradient (with ``has_aux``: ``(gradient, aux)``).

    Parameters, shapes, errors and source as for ``value_and_grad``.
    """
    return _Gradient(function, wrt, of, has_aux, options)


@transformation("jvp")
@entry
def jvp(
    function: Function, primals: Any, tangents: Any, *, wrt: Any = None, of: str | None = None, batched: bool = False,
    **options: Any,
) -> Any:  # fmt: skip
    """``(value, tangent)`` at ``primals`` along ``tangents``, two sequences of the same length and structure.

    With ``of`` both are those of that argument's final contents, as with ``vjp``. A tangent of None counts as zero; that of an
    integer must be None or zero.

    ``batched``: each tangent holds k directions, one a row: shape (k, *shape of the primal), also those of numbers. The tangent
    of the value then has the shape (k, *shape of the value). Values are computed once for as many directions as one sweep of the
    program that ``source("tangents")`` shows takes: all, or as many as stay in caches; where something in it is not known for
    several directions at once, that takes one after the other, and says so.
    Raises ActivityError for tangents of other shapes, or of another number, than the primals, and for those of integers.
    (Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 3.1: the forward mode, and its vector mode.)
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise ActivityError("jvp takes two tuples: jvp(f, (x, y), (x_dot, y_dot))")
    ways = None if options else shortest_ways(function)
    if ways is not None:
        wrt = wrt if wrt is None else spelled(wrt)
        quick = ways.get((jvp, wrt, of, batched))
        found = None if quick is None else quick(tuple(primals), tangents)
        if found is not None:
            return found
    derivatives = derivatives_of(function, make_options(options))
    values = derivatives.arguments(tuple(primals), {})
    given = directions(derivatives, primals, tangents, wrt)
    ask = Ask("tangents" if batched else "tangent", tuple(given), of)
    compiled = derivatives.compiled(ask, values)

    def run() -> Any:
        program = derivatives.compiled(ask, values) if derivatives.follows_a_call(compiled) else compiled
        if not batched:
            return derivatives.invoke(program, values, laid_out(derivatives, values, given))
        primal = {name: derivatives._value_of(name, values) for name in given}
        return along_all(derivatives, ask, values, given, primal, program)

    if derivatives.follows_a_call(compiled):
        result = as_called(function, primals, {}, derivatives, compiled, values, lambda _: run())
    else:
        result = run()
    if ways is not None and not (batched and ONE_BY_ONE in compiled.entry.source):
        own = derivatives.inputs(wrt) if wrt is not None else derivatives.argument_names(len(primals))
        along = [name if name in given else None for name in own]
        ways[jvp, wrt, of, batched] = derivatives.quick_along(compiled, values, along, batched)
    return result


def shortest_ways(function: Function) -> dict[Any, Any] | None:
    """Where the shortest ways to derivatives of a function along directions are kept; None for what is made anew at each look."""
    return own(function) if isinstance(function, types.FunctionType | Derived) else None


def directions(derivatives: Derivatives, primals: Sequence[Any], tangents: Sequence[Any], wrt: Any) -> dict[str, Any]:
    """The tangents by the names of what they are of."""
    if wrt is not None:
        inputs = derivatives.inputs(wrt)
        if len(inputs) != len(tangents):
            raise ActivityError(f"jvp is given {len(tangents)} tangents for wrt={wrt!r}")
        return {n: t for n, t in zip(inputs, tangents, strict=True) if t is not None}
    if len(primals) != len(tangents):
        raise ActivityError(f"jvp is given {len(primals)} primals and {len(tangents)} tangents")
    own = derivatives.argument_names(len(primals))
    for name, primal, tangent in zip(own, primals, tangents, strict=False):
        if is_discrete(primal):
            check_still(f"the tangent of {name}", tangent, primal)
    return {n: t for n, p, t in zip(own, primals, tangents, strict=False) if t is not None and not is_discrete(p)}


def laid_out(derivatives: Derivatives, values: Sequence[Any], given: dict[str, Any]) -> tuple[Any, ...]:
    """Tangents as a program takes them. Raises ActivityError for those of another structure, shape or kind."""
    for name, tangent in given.items():
        check_fits(f"the tangent of {name}", tangent, derivatives._value_of(name, values))
    like = {name: derivatives._value_of(name, values) for name in given}
    return tuple(_laid_out(in_precision(tangent, like[name]), like[name]) for name, tangent in given.items())


def _laid_out(tangent: Any, like: Any) -> Any:
    """A tangent in the memory layout of its primal, so that a reshape makes the same windows of both."""
    both = isinstance(tangent, np.ndarray) and isinstance(like, np.ndarray) and like.ndim > 1
    if not both or tangent.strides == like.strides:
        return tangent
    laid = np.empty_like(like, dtype=tangent.dtype)
    laid[...] = tangent
    return laid


@transformation("vjp")
@entry
def vjp(function: Function, *primals: Any, wrt: Any = None, of: str | None = None, has_aux: bool = False, **options: Any) -> Any:
    """``(value, pullback)``; the pullback takes the adjoint of the value, and returns those of the arguments.

    Without ``wrt`` the pullback returns a tuple with the adjoint of every primal (None for integers), as in JAX.
    It may be called any number of times. ``pullback(seeds, batched=True)`` takes k adjoints of the value, one a row: shape
    (k, *shape of the value), and returns as many of each argument, from one reverse sweep (``source("adjoints")``).

    Value and pullback are of one evaluation: what the function reads outside (globals, objects, containers, captured variables),
    and the state of the random generators that it draws from, is that of the call of ``vjp`` whenever the pullback is called;
    so is what functions with rules, or without derivatives, read of these.
    Raises ActivityError for functions that draw from a generator which they make without a seed, and for seeds of other shapes.
    (As in JAX; Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 3.2.)
    """
    return pulled_back(function, primals, wrt, of, has_aux, options)


def pulled_back(
    function: Function, primals: tuple[Any, ...], wrt: Any, of: str | None, has_aux: bool, options: dict[str, Any],
    named: dict[str, Any] | None = None, made: tuple[Any, Any] | None = None, modes: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    """The results of ``vjp``; ``named``: further arguments; ``made``: the differentiated and the passed through part of a call
    that was made; ``modes``: of further programs that are made at once.

    Where the function changes things outside, the pullback is tried first, so that one that is refused has changed nothing.
    """
    derivatives = derivatives_of(function, make_options(options))
    values = derivatives.arguments(primals, named or {})
    own = derivatives.argument_names(len(primals))
    inputs = (
        derivatives.inputs(wrt)
        if wrt is not None
        else tuple(n for n in own if not is_discrete(derivatives._value_of(n, values)))
    )
    ask = Ask("adjoint", inputs, of, has_aux)
    with replay(contextlib.nullcontext()):
        compiled = derivatives.compiled(ask, values)
    values = copied(values)  # not before it is known what the program asks of them
    changes = derivatives.follows_a_call(compiled) or bool(compiled.outside)

    def evaluated(*args: Any, **further: Any) -> tuple[Any, Any]:
        value = function(*args, **further)
        if of is not None:
            value = further[of] if of in further else args[own.index(of)]
        return value if has_aux else (value, None)

    def found(made: tuple[Any, Any], before: Moment | None, run: bool = False) -> Any:
        shown, aux = made
        settings = (wrt, of, has_aux, options)
        pullback = Pullback(function, settings, derivatives, ask, values, own[: len(primals)], shown, before, compiled)
        for mode in modes if inputs else ():  # now: later the function may see something else
            with pullback.at_its_moment():
                pullback.program(Ask(mode, inputs, of))
        if run:
            pullback.try_out()
        return (shown, pullback, aux) if has_aux else (shown, pullback)

    if made is not None:
        return found(made, derivatives.moment(compiled, values))
    if changes:
        return as_called(
            evaluated, primals, named or {}, derivatives, compiled, values,
            lambda made: found(made, derivatives.moment(compiled, values), run=True),
        )  # fmt: skip
    before = derivatives.moment(compiled, values)
    return found(called(evaluated, primals, named or {}), before)


def together(function: Function, primals: Any, seeds: Any, wrt: Any, options: dict[str, Any]) -> Any:
    """``(value, adjoints)`` of one run of the adjoint program, for a function whose value is like its arguments of ``wrt``, and
    these are numbers and arrays; None where they are not. ``seeds``: of the value; None is zero."""
    ways, wrt = None if options else shortest_ways(function), spelled(wrt)
    quick = None if ways is None else ways.get((vjp, wrt))
    found = None if quick is None else quick(tuple(primals), seeds)
    if found is None:
        derivatives = derivatives_of(function, make_options(options))
        values = derivatives.arguments(tuple(primals), {})
        inputs = derivatives.inputs(wrt)
        like = {name: derivatives._value_of(name, values) for name in inputs}
        if len(seeds) != len(inputs) or not all(isinstance(x, float | np.floating | np.ndarray) for x in like.values()):
            return None
        compiled = derivatives.compiled(Ask("adjoint", inputs), values)
        if compiled.seeds != len(inputs) or derivatives.follows_a_call(compiled):
            return None
        given = {name: np.zeros_like(like[name])[()] if s is None else s for name, s in zip(inputs, seeds, strict=True)}
        laid = zip(like.values(), laid_out(derivatives, values, given), strict=True)
        found = derivatives.invoke(compiled, values, tuple(float(s) if type(x) is float else s for x, s in laid))
        if ways is not None:
            ways[vjp, wrt] = derivatives.quick_along(compiled, values, inputs)
    value, bars = found
    return value, bars if len(seeds) > 1 or not isinstance(wrt, tuple) else (bars,)


class Pullback:
    """The adjoint of a function at one point: maps the adjoint of its value to those of its arguments."""

    def __init__(
        self, function: Function, settings: tuple[Any, ...], derivatives: Derivatives, ask: Ask, values: list[Any],
        names: list[str], shown: Any, before: Moment | None, compiled: Compiled,
    ) -> None:  # fmt: skip
        self.function, self.settings = function, settings
        self.before: contextlib.AbstractContextManager[None] = before or contextlib.nullcontext()
        self.programs = {ask: compiled}  # of the moment of the value, whatever their names mean now
        self.derivatives, self.ask, self.values, self.names, self.shown = derivatives, ask, values, names, shown

    @entry
    def __call__(self, seed: Any, /, *, batched: bool = False) -> Any:
        """The adjoints of the arguments: by ``wrt``, or of all primals; ``batched``: of several seeds, one a row."""
        with self.at_its_moment():
            return self._returned(self._rows(seed) if batched else self._bars(seed))

    def try_out(self) -> None:
        """Raise what the program says of its arguments, whatever the seed."""
        with np.errstate(all="ignore"), self.at_its_moment(), contextlib.suppress(ArithmeticError):
            self._bars(self.shown)

    def at_its_moment(self) -> contextlib.AbstractContextManager[None]:
        """The moment of the value: what its program writes outside, and tells, was written and told when that was computed."""
        return replay(self.before)

    def program(self, ask: Ask) -> Compiled:
        """The program of a request at the moment of the value, which is in place. Raises ActivityError where that is gone."""
        if ask not in self.programs:
            if not self.programs[self.ask].guard.holds():
                raise ActivityError(
                    f"what {self.derivatives.function.__name__} sees has changed since its value was computed",
                    why=f"its program for {ask.mode} is made now, and would be that of another function",
                    instead="vjp or linearize again, after the change",
                )  # fmt: skip
            self.programs[ask] = self.derivatives.compiled(ask, self.values)
        return self.programs[ask]

    def _rows(self, seeds: Any) -> Any:
        """As many adjoints of the inputs as there are seeds."""
        ask = replace(self.ask, mode="adjoints")
        compiled = self.program(ask)
        values, rows = (spread(given, self.shown, compiled.results, nothing=None) for given in (self.shown, seeds))
        like = {f"result {k}": v for k, v in enumerate(values)}
        given = dict(zip(like, rows, strict=True))
        return along_all(self.derivatives, ask, copied(self.values), given, like, compiled)[1]

    def _bars(self, seed: Any) -> Any:
        shown = self.shown
        if type(seed) is not float or type(shown) not in (float, np.float64):
            check_fits("the adjoint of the value", seed, shown)
            seed = in_precision(seed, shown)
        seeds = spread(seed, shown, self.programs[self.ask].results)
        plain = tuple(seed.item() if type(seed) in (np.float64, np.complex128) else seed for seed in seeds)  # no wider than 1.0
        return self.derivatives.invoke(self.programs[self.ask], copied(self.values), plain)[1]

    def _returned(self, bars: Any) -> Any:
        wrt, inputs = self.settings[0], self.ask.inputs
        if wrt is not None and not isinstance(wrt, tuple | list):
            return bars
        table = dict(zip(inputs, bars if len(inputs) > 1 else (bars,), strict=bool(inputs)))
        return tuple(table.values()) if wrt is not None else tuple(table.get(n) for n in self.names)

    def mark(self) -> str:
        """A mark of the world that it belongs to. Raises PicklingError for one that is of this process alone."""
        compiled = self.programs[self.ask]
        if compiled.outside or self.derivatives.follows_a_call(compiled):
            raise PicklingError("a pullback of a function that writes into objects outside depends on what they held")
        with self.before:
            return print_of(compiled.entry.source, compiled.reads)

    def __reduce__(self) -> tuple[Any, ...]:
        own = self.values[self.derivatives.owner is not None :]
        return _pullback, (packed(self.function), own, self.names, self.settings, self.mark())


def _pullback(function: Any, values: list[Any], names: list[str], settings: tuple[Any, ...], mark: str) -> Any:
    wrt, of, has_aux, options = settings
    return checked_mark(vjp(unpacked(function), *values[: len(names)], wrt=wrt, of=of, has_aux=has_aux, **options)[1], mark)


def checked_mark(pullback: Pullback, mark: str) -> Pullback:
    """A pullback that was made again. Raises ActivityError where the function now sees something else than at its value."""
    if pullback.mark() != mark:
        raise ActivityError(
            f"what {pullback.derivatives.function.__name__} sees is not what it saw when its pullback was made",
            why="the pullback would not belong to the value", instead="what changes as an argument",
        )  # fmt: skip
    return pullback


@transformation("stop_gradient")
@entry
def stop_gradient(x: Any) -> Any:
    """``x`` as a constant, of which no derivative is taken: of the shape, dtype and structure of ``x``, which may be anything.

    Arrays are copied: what is written into ``x`` has a derivative. Raises no errors of its own. (As in JAX.)
    """
    return runtime.stop_gradient(x)
