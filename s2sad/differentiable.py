"""The decorator: a function with its derivatives, ``differentiate``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from s2sad.api import derivatives_of, grad, jvp, kept, laid_out, made_again, value_and_grad, vjp
from s2sad.cache import Entry
from s2sad.derivatives import Ask, Compiled, Derivatives, origin_of
from s2sad.errors import ActivityError, MissingError, SettingError, meant
from s2sad.expecting import Stretched
from s2sad.ir.kinds import Lasting
from s2sad.jacobians import hessian, hvp, jacobian
from s2sad.native import Native
from s2sad.options import entry, make_options
from s2sad.portable import named, packed, unpacked
from s2sad.rules.transformations import transformation
from s2sad.trees import copied, filled
from s2sad.written import with_values

if TYPE_CHECKING:  # who looks at a program imports what shows it
    from s2sad.costs import Cost, Run, Tape
    from s2sad.graph import Graph
    from s2sad.trace import Trace

Function = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Differentiable(Lasting, Generic[P, R]):
    """A function with its derivatives: what ``@differentiate`` makes. Calling it calls the function itself."""

    def __init__(self, function: Function, wrt: Any, of: str | None, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.wrt = wrt
        self.of = of
        self.options = options
        for group in (wrt if isinstance(wrt, tuple | list) else (wrt,), (of,)):
            if names := tuple(n for n in group if isinstance(n, str)):
                self.derivatives.inputs(names)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        found: R = self.function(*args, **kwargs)
        return found

    def __get__(self, owner: Any, cls: type | None = None) -> Any:
        if owner is None:
            return self
        return Differentiable(self.function.__get__(owner, cls), self.wrt, self.of, self.options)

    def __repr__(self) -> str:
        return f"<differentiable {getattr(self.function, '__qualname__', self.function)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        found = named(self, self.function)
        if found is not None:
            return unpacked, (found,)
        return made_again, (Differentiable, packed(self.function), self.wrt, self.of, self.options)

    def __copy__(self) -> Differentiable[P, R]:
        return self

    def __deepcopy__(self, memo: object) -> Differentiable[P, R]:
        return self

    if not TYPE_CHECKING:  # which tells of misspelt attributes itself

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            public = [known for known in dir(type(self)) if not known.startswith("_")]
            hint = meant(name, public, f"there are {', '.join(public)}")
            raise MissingError(f"{self!r} has no attribute {name!r}; {hint}")

    def settings_for(self, transformation: str) -> dict[str, Any]:
        """The settings of its derivatives, where the compiler follows a call of one."""
        return {"of": self.of} | ({} if transformation in ("jvp", "vjp", "hvp") else {"wrt": self.wrt})

    @property
    def __s2sad__(self) -> tuple[Any, ...]:
        return ("differentiable", self.derivatives, self.wrt, self.of)

    @property
    def derivatives(self) -> Derivatives:
        """The derivatives of the function."""
        return derivatives_of(self.function, make_options(self.options))

    @transformation("grad")
    def grad(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The gradient with respect to ``wrt``."""
        return self._gradient(*args, **kwargs)

    @transformation("value_and_grad")
    def value_and_grad(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Any]:
        """``(value, gradient)``."""
        found: tuple[R, Any] = self._both(*args, **kwargs)
        return found

    @functools.cached_property
    def _gradient(self) -> Function:
        return grad(self.function, self.wrt, of=self.of, **self.options)

    @functools.cached_property
    def _both(self) -> Function:
        return value_and_grad(self.function, self.wrt, of=self.of, **self.options)

    @transformation("jvp")
    @entry
    def jvp(self, primals: Any, tangents: Any, **options: Any) -> Any:
        """``(value, tangent)``."""
        return jvp(self.function, primals, tangents, **{"of": self.of, **self.options, **options})

    @transformation("vjp")
    @entry
    def vjp(self, *primals: Any, **options: Any) -> Any:
        """``(value, pullback)``."""
        return vjp(self.function, *primals, **{"of": self.of, **self.options, **options})

    @transformation("jacobian")
    def jacobian(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The Jacobian with respect to ``wrt``."""
        return kept(jacobian, self.function, self.wrt, of=self.of, **self.options)(*args, **kwargs)

    @transformation("hessian")
    def hessian(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The Hessian with respect to ``wrt``."""
        return kept(hessian, self.function, self.wrt, of=self.of, **self.options)(*args, **kwargs)

    @transformation("hvp")
    @entry
    def hvp(self, primals: Any, tangents: Any, **options: Any) -> Any:
        """``(gradient, product)``: the Hessian times the tangents."""
        return hvp(self.function, primals, tangents, **{"of": self.of, **self.options, **options})

    def compiled(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The value of the function, by machine code (``backend="numba"``) where it could be compiled.

        A function that writes into an argument, or cannot be compiled, runs as it is; a NotCompiledWarning says why.
        """
        derivatives = derivatives_of(self.function, make_options({**self.options, "backend": "numba"}))
        values = derivatives.arguments(args, kwargs)
        found = derivatives.compiled(Ask("primal", ()), values)
        by_machine = isinstance(found.function, Native) and not (found.changes or found.replays)
        return derivatives.invoke(found, values, ()) if by_machine else self.function(*args, **kwargs)

    @entry
    def source(self, mode: str, *example_args: Any, of: str | None = None) -> str:
        """The text of the generated module: ``mode`` is "adjoint", "tangent" or "primal"; "adjoints" and
        "tangents" are those for several directions at once, "pattern" and "local_pattern" those that carry index sets.

        Without example arguments the kinds of the most recent call decide.
        """
        return self._entry(mode, example_args, of).source

    @entry
    def path(self, mode: str, *example_args: Any, of: str | None = None) -> Path | None:
        """The file of the generated module; None where none could be written."""
        return self._entry(mode, example_args, of).path

    @entry
    def write(self, mode: str, path: str | Path, *example_args: Any, standalone: bool = False, of: str | None = None) -> Path:
        """Write the program of ``source`` to a new file, which is returned; ``standalone``: with its helpers, for NumPy alone.

        What the function finds outside is written down as it is now (numbers, arrays, containers of them), or imported.
        Raises FileExistsError where there is something already, a link included, SourceError for what can be neither.
        """
        derivatives, values, ask = self._example(mode, example_args, of)
        detail = derivatives.compiled(ask, values).detail
        assumptions = derivatives.assumptions(ask, values, silent=True)
        result = derivatives.generate(ask, detail, values, standalone, assumptions, exported=True)
        text = with_values(result.text, result.injected, derivatives.function)
        with open(path, "x", encoding="utf-8") as file:  # no text of the user's on the first two lines: it could name an encoding
            file.write(f"# Written by s2sad.\n#\n# Made from {origin_of(derivatives.function)}.\n{text}")
        return Path(path)

    @entry
    def trace(self, *args: Any, mode: str = "adjoint", tangents: Any = None, of: str | None = None, **named: Any) -> Trace:
        """The evaluation trace at ``args``: every executed statement of the primal, tangent or adjoint program with its value.

        Arguments as in a call; those named ``mode``, ``tangents`` or ``of`` by position. ``mode``: "primal", "tangent", or
        "adjoint" (the adjoint's seed is one). ``tangents``: of the ``wrt`` arguments, in their order; without them, ones for
        the first and zeros for the others. It prints as a table; ``markdown()``, ``html()``. Evaluates the program once, on
        copies of the arguments. Raises ActivityError for adjoints of results that are no number.
        """
        return self._traced(*self._asked(mode, args, of, named, plain=True), tangents)

    def _traced(self, derivatives: Derivatives, values: list[Any], ask: Ask, tangents: Any = None) -> Trace:
        from s2sad.trace import check_seeded, run_traced, shown

        program = derivatives.traced(ask, values)
        compiled = derivatives.compiled(ask, values)
        passed, named = copied(derivatives.passed(compiled, values))
        seeds: list[Any] = []
        if ask.mode == "tangent":
            inputs = [derivatives._value_of(name, values) for name in ask.inputs]
            given = tangents if isinstance(tangents, tuple) or (isinstance(tangents, list) and len(inputs) > 1) else (tangents,)
            if tangents is None:
                given = [filled(v, float(k == 0)) for k, v in enumerate(inputs)]
            if len(given) != len(inputs):
                raise ActivityError(f"trace is given {len(given)} tangents for {len(inputs)} arguments")
            seeds = list(laid_out(derivatives, values, dict(zip(ask.inputs, given, strict=True))))
        check_seeded(program.functions[-1], len(passed) + len(seeds), derivatives.function.__name__)
        at = ", ".join(f"{n} = {shown(v)}" for n, v in zip(derivatives.names, values, strict=True))
        title = f"{derivatives.function.__name__} at {at}"
        scope = {**vars(compiled.entry.module), **program.injected}
        with derivatives.told(compiled, values):
            return run_traced(program.text, program.name, ask.mode, [*passed, *seeds], named, scope, title)

    @entry
    def graph(self, *args: Any, mode: str = "primal", values: bool = True, of: str | None = None, **named: Any) -> Graph:
        """The computational graph for arguments like these: of the primal, or of the tangent or adjoint program that extends it.

        Arguments as for ``trace``. Edges carry values if ``values``. ``svg()`` is its picture, ``save(path)`` writes it;
        notebooks show it.
        """
        from s2sad.graph import graph_of

        derivatives, found, ask = self._asked(mode, args, of, named, plain=True)
        program = derivatives.traced(ask, found)
        rows = self._traced(derivatives, found, ask) if values else ()
        return graph_of(program.functions[-1], derivatives.function.__name__, rows)

    @entry
    def tape(self, *args: Any, of: str | None = None, **named: Any) -> Tape:
        """The tape of the adjoint at ``args``, what the forward sweep keeps for the reverse sweep: names, and bytes.

        It runs the forward sweep once, on copies of the arguments, and looks at the variables of the adjoint program where its
        reverse sweep begins: at those that the rest of the program reads, the caller's arguments and the value apart.
        ``items``: how many arrays and numbers a name holds, in lists and tuples, too. ``bytes``: of the memory that these arrays
        lie in, each memory counted once, in the first row that holds it, and none of the arguments'; numbers count as in an
        array (8 for a float), and what Python needs for its objects does not. The result iterates over its rows, has their sum
        as ``bytes``, and prints as a table.
        """
        from s2sad.costs import recorded

        def look(compiled: Compiled, values: list[Any], passed: list[Any], keywords: dict[str, Any]) -> Tape:
            scope, title = vars(compiled.entry.module), f"tape of {self.derivatives.function.__name__}"
            given = [*passed, *[1.0] * compiled.seeds]  # of the seeds the forward sweep reads nothing
            with self.derivatives.told(compiled, values):
                return recorded(compiled.entry.source, compiled.function.__name__, given, keywords, scope, title)

        return self._looked_at(look, "adjoint", args, of, named)

    @entry
    def cost(self, *args: Any, repeats: int = 5, of: str | None = None, **named: Any) -> Cost:
        """The costs of the function and its adjoint program at ``args``, of which the result must be one number.

        Counted, by one run each of their generated programs on copies of the arguments: ``operations``, for each operator and
        each call of a function of NumPy, ``math`` or s2sad, or of an array's method, the number of items of the largest of its
        operands and its result (of ``@`` the items of the result times the length of the axis that is summed over);
        ``written``, the bytes of all these results.
        Measured: ``peak``, the most bytes that are allocated at a time in a run beyond those before it, by ``tracemalloc``, which
        sees NumPy's arrays and Python's objects; ``seconds``, the median of ``repeats`` runs. ``predicted`` is the ratio of
        operations, adjoint over primal, and ``measured`` that of times: they agree where the work in arrays outweighs the
        interpreter's. What the function leaves outside is not left; what it prints, each of these runs prints.
        """
        from s2sad.costs import Cost, Run, counted, measured

        if repeats < 1:
            raise SettingError(f"cost(): repeats={repeats}, but at least one run is measured")

        def look(compiled: Compiled, values: list[Any], *prepared: Any) -> Run:
            scope = vars(compiled.entry.module)
            given, keywords = copied(prepared)

            def run() -> None:
                given, keywords = copied(prepared)
                compiled.function(*given, **keywords)

            with self.derivatives.undone(compiled, values), self.derivatives.told(compiled, values):  # runs leave nothing outside
                operations, written = counted(compiled.entry.source, compiled.function.__name__, given, keywords, scope)
                peak, seconds = measured(run, repeats)
            return Run(operations, written, peak, seconds)

        def scalar(compiled: Compiled, *prepared: Any) -> Run:
            if not compiled.scalar:
                raise ActivityError("the cost of a result that is no number is not told", instead="the sum of the result")
            return look(compiled, *prepared)

        primal, adjoint = (self._looked_at(way, mode, args, of, named) for mode, way in (("primal", look), ("adjoint", scalar)))
        return Cost(f"cost of {self.derivatives.function.__name__}", primal, adjoint)

    def _looked_at(
        self, look: Callable[..., T], mode: str, args: tuple[Any, ...], of: str | None, named: dict[str, Any]
    ) -> T:
        """What ``look`` finds at the program that a call runs, and what that is given."""
        try:
            return look(*self._prepared(mode, args, of, named))
        except Stretched:
            return look(*self._prepared(mode, args, of, named, general=True))

    def _prepared(
        self, mode: str, args: tuple[Any, ...], of: str | None, named: dict[str, Any], general: bool = False
    ) -> tuple[Compiled, list[Any], list[Any], dict[str, Any]]:
        derivatives, values, ask = self._asked(mode, args, of, named, plain=True)
        compiled = derivatives.compiled(replace(ask, general=general), values)
        return compiled, values, *copied(derivatives.passed(compiled, values))

    def _asked(
        self, mode: str, args: tuple[Any, ...], of: str | None, named: dict[str, Any], plain: bool = False
    ) -> tuple[Derivatives, list[Any], Ask]:
        """``plain``: of NumPy's program, whatever the back end."""
        options = make_options(self.options)
        derivatives = derivatives_of(self.function, options.plain() if plain else options)
        return derivatives, derivatives.arguments(args, named), self._ask(mode, of)

    def _ask(self, mode: str, of: str | None) -> Ask:
        if mode not in ("adjoint", "tangent", "primal"):
            known = "'adjoint', 'tangent' or 'primal'; of sources 'tangents', 'adjoints', 'pattern', 'local_pattern'"
            raise ActivityError(f"mode {mode!r} is unknown", instead=known)
        return Ask(mode, self.derivatives.inputs(self.wrt), self.of if of is None else of)

    def _example(self, mode: str, example_args: tuple[Any, ...], of: str | None) -> tuple[Derivatives, Sequence[Any], Ask]:
        derivatives = self.derivatives
        if example_args or (derivatives.seen.recent is None and not derivatives.names):
            return self._asked(mode, example_args, of, {})
        values = derivatives.seen.recent if derivatives.seen.recent is not None else derivatives.annotated()
        return derivatives, values, self._ask(mode, of)

    def _entry(self, mode: str, example_args: tuple[Any, ...], of: str | None) -> Entry:
        base = {"tangents": "tangent", "adjoints": "adjoint", "pattern": "tangent", "local_pattern": "tangent"}.get(mode, mode)
        derivatives, values, ask = self._example(base, example_args, of)
        return derivatives.compiled(replace(ask, mode=mode), values).entry


@overload
def differentiate(function: Callable[P, R], *, wrt: Any = 0, of: str | None = None, **options: Any) -> Differentiable[P, R]: ...
@overload
def differentiate(
    function: None = None, *, wrt: Any = 0, of: str | None = None, **options: Any
) -> Callable[[Callable[P, R]], Differentiable[P, R]]: ...
@entry
def differentiate(function: Callable[P, R] | None = None, *, wrt: Any = 0, of: str | None = None, **options: Any) -> Any:
    """Decorate a function with its derivatives: ``@differentiate`` or ``@differentiate(wrt=("x", "y"))``.

    ``wrt`` and ``of`` as for ``grad``; a name that the function does not have raises ActivityError at once.

    The result is called like the function, and has ``grad``, ``value_and_grad``, ``jvp``, ``vjp``, ``jacobian``, ``hessian`` and
    ``hvp``, each with parameters, shapes, errors and sources as for ``grad``, ``jvp`` ...; ``source``, ``path`` and ``write`` for
    the programs; ``trace``, ``graph``, ``tape`` and ``cost`` of one evaluation; ``compiled``, the function by Numba.
    """
    make_options(options)
    if function is None:
        return _Decorator({"wrt": wrt, "of": of, **options})
    return Differentiable(function, wrt, of, options)


class _Decorator:
    """``differentiate(wrt=...)``, which has no function yet."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def __call__(self, function: Any = None) -> Any:
        return differentiate(function, **self.settings)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingError(
            f"differentiate() is not given a function, and has no attribute {name!r}",
            instead=f"differentiate(f).{name}, or @differentiate(...) before the definition",
        )
