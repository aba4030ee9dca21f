"""Tests of derivatives, for s2sad's own suite and for its users.

``check_grads(f, args)`` compares both modes with central differences of ``f`` itself along random directions, one
argument at a time, and raises an AssertionError that says which argument, which mode, and the numbers.
``dot_product_test`` compares the modes with each other, ``taylor_test`` watches the remainder of the linear model
shrink as h², ``check_rule`` tries one derivative rule by name or function.

Arguments may be numbers, arrays, and nested tuples, lists and dicts of those. Functions that write into their
arguments get fresh copies at every call; with ``of="A"`` the final contents of the argument ``A`` are differentiated.
For complex numbers the derivative is that of ``Re(sum(w * f))``, as in JAX.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import itertools
import linecache
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.api import derivatives_of, jvp, vjp
from s2sad.derivatives import Ask
from s2sad.errors import S2sadError, SettingError
from s2sad.moments import Moment, on_copies
from s2sad.options import entry, make_options
from s2sad.trees import copied, is_inexact, leaves, mapped, parts

Function = Callable[..., Any]
MODES = {"tangent": "tangent", "adjoint": "adjoint", "fwd": "tangent", "rev": "adjoint"}
HIGHEST = 6  # order that is checked
COARSER = (1.0, 10.0, 100.0)  # multiples of eps: truncation and rounding are seldom bad at all of them
_numbers = itertools.count()


@entry
def check_grads(
    f: Function,
    args: Sequence[Any],
    *,
    wrt: Any = None,
    modes: Sequence[str] = ("tangent", "adjoint"),
    order: int = 1,
    eps: float = 1e-6,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    of: str | None = None,
    seed: int = 0,
    jointly: bool = False,
    together: bool = False,
) -> None:
    """Raise AssertionError unless the derivatives of ``f`` at ``args`` agree with central differences.

    ``wrt``: positions or names, by default every argument that holds floats. ``modes``: of "tangent" and "adjoint"
    (also "fwd" and "rev"). ``eps``: the smallest step; 10 and 100 times that are tried as well. Arguments in single
    precision are tested with tolerances to match. ``jointly``: move all arguments at once, which is faster, where a large
    derivative may hide an error in a small one. ``together``: move each on its own still, by one tangent program for all in
    place of one for each. ``order=2`` checks the derivatives of both derivatives too, in all pairs of ``modes``, by programs for
    all arguments, and so on. At each evaluation what ``f`` finds outside is the same, random numbers included; in the end it is
    as one call of ``f`` leaves it. Also checked: gradients have the structure, shape
    and dtype of their argument, and the caller's arrays stay as they are. Raises
    SettingError, a ValueError, for unknown modes, and where no argument holds floats. (As
    ``check_grads`` of autograd and JAX.)
    """
    for name, size in (("eps", eps), ("order", order)):
        if not 0 < size < np.inf:
            raise SettingError(f"{name}={size}: a number above zero is expected")
    _check_tolerances(rtol=rtol, atol=atol)
    if not modes:
        raise SettingError("modes is empty: 'tangent', 'adjoint' or both are expected")
    if order > HIGHEST:
        why = "programs grow with each, and so does the number of pairs of modes"
        raise SettingError(f"order={order}: orders up to {HIGHEST} are checked", why=why)
    unknown = [mode for mode in modes if not isinstance(mode, str) or mode not in MODES]
    if unknown:
        raise SettingError(f"unknown mode {unknown[0]!r}: 'tangent' and 'adjoint' are expected")
    test = _Test(f, args, wrt, of, seed, "adjoint" if "adjoint" in {MODES[mode] for mode in modes} else "tangent", together)
    groups: list[tuple[str, ...]] = [test.names] if jointly else [(name,) for name in test.names]
    with test.left_once():
        test.check({MODES[mode] for mode in modes}, groups, eps, rtol, atol)
        for mode in dict.fromkeys(MODES[mode] for mode in modes) if order > 1 else ():
            positions = tuple(map(test.parameters.index, test.names))
            check_grads(
                test.derivative(mode), args, wrt=positions, modes=modes, order=order - 1, eps=eps, rtol=rtol, atol=atol,
                seed=seed + 1, jointly=jointly, together=True,
            )  # fmt: skip


def _check_tolerances(**tolerances: float) -> None:
    """Raise SettingError for what nothing is within, or everything."""
    for name, size in tolerances.items():
        if not 0 <= size < np.inf:
            raise SettingError(f"{name}={size}: a number from zero on is expected")


@entry
def dot_product_test(
    f: Function, args: Sequence[Any], *, wrt: Any = None, of: str | None = None, rtol: float = 1e-9, seed: int = 0
) -> None:
    """Raise AssertionError unless ⟨J v, w⟩ = ⟨v, Jᵀ w⟩ for random v and w: the two modes agree."""
    _check_tolerances(rtol=rtol)
    test = _Test(f, args, wrt, of, seed)
    weights = _direction(test.value(), test.rng)
    tangent = _vector(test.tangent(test.names, test.directions))
    bars = test.adjoints(weights)
    forward = _dot(_vector(weights), tangent)
    backward = sum(_dot(bars[name], test.directions[name]) for name in test.names)
    size = _size(_vector(weights), tangent) + sum(_size(bars[name], test.directions[name]) for name in test.names)
    if not abs(forward - backward) <= max(rtol, test.precision) * max(size, 1e-12):
        raise AssertionError(
            f"the two modes of {test.title} disagree: ⟨J v, w⟩ = {forward!r} (tangent), "
            f"⟨v, Jᵀ w⟩ = {backward!r} (adjoint), with respect to {', '.join(test.names)} (seed={seed})"
        )


@entry
def taylor_test(
    f: Function,
    args: Sequence[Any],
    *,
    wrt: Any = None,
    of: str | None = None,
    step: float = 1e-2,
    seed: int = 0,
) -> list[float]:
    """Raise AssertionError unless ``|f(x + h v) - f(x) - h J v|`` shrinks as h²; the observed orders.

    The list is empty where the remainder is nothing but rounding, as for a linear function.
    """
    if not 0 < step < np.inf:
        raise SettingError(f"step={step}: a number above zero is expected")
    test = _Test(f, args, wrt, of, seed)
    start, slope = _vector(test.value()), _vector(test.tangent(test.names, test.directions))
    steps = [step / 2**k for k in range(6)]
    remainders = [float(np.linalg.norm(_vector(test.moved(test.names, h)) - start - h * slope)) for h in steps]
    floor = 1e3 * test.precision * (float(np.linalg.norm(start)) + step * float(np.linalg.norm(slope)))
    pairs = [(a, b) for a, b in itertools.pairwise(remainders) if b > floor]
    orders = [float(np.log2(a / b)) for a, b in pairs]
    if orders and not max(orders[-2:]) > 1.8:
        raise AssertionError(
            f"the tangent of {test.title} is no derivative: the remainder of the linear model shrinks as h to the power "
            f"{', '.join(f'{o:.2f}' for o in orders)} where 2 is expected (remainders {remainders}, seed={seed})"
        )
    return orders


@entry
def check_rule(rule: str | Function, *args: Any, **kwargs: Any) -> None:
    """Check the derivative rule of one primitive, in both modes, by differentiating a function that only calls it.

    ``rule`` is a canonical name ("numpy.sin", "ndarray.cumsum", "operator.mul") or the function itself. Arguments that
    hold floats are differentiated; all others (``axis=1``) are constants of the call. ``wrt``, ``eps``, ``rtol``,
    ``atol``, ``seed`` and ``modes`` among the keywords go to ``check_grads``.
    """
    options = {k: kwargs.pop(k) for k in ("wrt", "eps", "rtol", "atol", "seed", "modes") if k in kwargs}
    probe, values = _probe(rule, args, kwargs)
    check_grads(probe, values, **options)


def _probe(rule: str | Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Function, list[Any]]:
    """``def probe(a0, a1): return numpy.sum(a0, axis=1)`` and the values of its parameters."""
    names: dict[str, Any] = {}

    def spelled(value: Any) -> str:
        if not _holds_floats(value) and not isinstance(value, np.ndarray) and _is_expression(repr(value)):
            return repr(value)
        names[f"a{len(names)}"] = value
        return f"a{len(names) - 1}"

    items = [spelled(v) for v in args]
    keywords = [f"{k}={spelled(v)}" for k, v in kwargs.items()]
    namespace: dict[str, Any] = {"__name__": "check_rule"}
    if not isinstance(rule, str):
        namespace["primitive"] = rule
        called = "primitive"
    elif rule.startswith("ndarray."):
        called = f"{items.pop(0)}.{rule.removeprefix('ndarray.')}"
    else:
        called = rule.removeprefix("builtins.")
        namespace |= _root_of(called)
    attribute = isinstance(rule, str) and rule.startswith("ndarray.") and not callable(getattr(np.ndarray, rule[8:]))
    given = "" if attribute else f"({', '.join([*items, *keywords])})"  # x.T is no call
    text = f"def probe({', '.join(names)}):\n    return {called}{given}\n"
    file = f"<check_rule {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), namespace)  # noqa: S102  (the text is made here)
    return namespace["probe"], list(names.values())


def _is_expression(text: str) -> bool:
    try:
        return bool(text.isprintable() and compile(text, "<check_rule>", "eval"))
    except SyntaxError:
        return False


def _root_of(name: str) -> dict[str, Any]:
    """The module at the root of a dotted name, with the submodules on the way to the name imported."""
    root, *rest = name.split(".")[:-1] or [""]
    if not root:
        return {}
    found = {root: importlib.import_module(root)}
    for k in range(1, len(rest) + 1):
        try:
            importlib.import_module(".".join([root, *rest[:k]]))
        except ImportError:
            break
    return found


# --- one test


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
    """A context in which nothing is printed, logged or warned of."""
    import logging

    before = logging.root.manager.disable
    with io.StringIO() as out, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable()
        try:
            yield
        finally:
            logging.disable(before)


class _Test:
    """A function at a point, with a random direction for each differentiated argument."""

    def __init__(
        self, f: Function, args: Sequence[Any], wrt: Any, of: str | None, seed: int, mode: str = "tangent", together: bool = False
    ) -> None:
        self.f, self.mode, self.together = f, mode, together
        self.args = tuple(args)
        self.of = of
        if seed < 0:
            raise SettingError(f"seed={seed}: an integer from 0 on is expected")
        self.tells = False  # whether the function prints, logs or warns; known with its moment
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.title = getattr(f, "__name__", repr(f))
        self.parameters = _parameter_names(f, len(self.args))
        self.names = self._differentiated(wrt)
        self.directions = {name: _direction(self.argument(name), self.rng) for name in self.names}
        self.precision = max([_epsilon(leaf) for name in self.names for leaf in _leaves(self.argument(name))], default=0.0)

    def _differentiated(self, wrt: Any) -> tuple[str, ...]:
        if wrt is None:
            found = tuple(n for n, v in zip(self.parameters, self.args, strict=False) if _holds_floats(v))
        else:
            items = wrt if isinstance(wrt, tuple | list) else (wrt,)
            found = tuple(n if isinstance(n, str) else self._at(n) for n in items)
        missing = [n for n in found if n not in self.parameters]
        if missing or not found:
            what = f"{self.title} has no argument {missing[0]!r}" if missing else f"no argument of {self.title} holds floats"
            raise SettingError(what)
        return found

    def _at(self, position: Any) -> str:
        if isinstance(position, bool) or not isinstance(position, int | np.integer):
            raise SettingError(f"wrt={position!r}: positions and names are expected")
        if not -len(self.args) <= position < len(self.args):
            raise SettingError(f"wrt={position} is out of range: {self.title} is given {len(self.args)} arguments")
        return self.parameters[: len(self.args)][position]

    def argument(self, name: str) -> Any:
        """One argument at the point."""
        return self.args[self.parameters.index(name)]

    @functools.cached_property
    def moment(self) -> Moment:
        """The moment of what the function finds outside and draws from: all that is compared is of one state and one sample."""
        derivatives = derivatives_of(self.f, make_options({}))
        values = derivatives.arguments(self.args, {})
        compiled = derivatives.compiled(Ask(self.mode, self.names, self.of), values)
        self.tells = compiled.tells
        return derivatives.moment(compiled, values, whole=True) or Moment(())

    @contextlib.contextmanager
    def left_once(self) -> Iterator[None]:
        """A context whose contents leave outside, and tell, what one call does; what is refused leaves nothing."""
        try:
            with self.moment, (_hushed() if self.tells else contextlib.nullcontext()):
                yield
        except S2sadError:
            raise
        except Exception:
            self._leave()
            raise
        self._leave()

    def _leave(self) -> None:
        if self.moment.things or self.tells:
            on_copies(self.f, self.args, {})

    def value(self) -> Any:
        """The value that is differentiated, at the point."""
        return self.moved((), 0.0)

    def moved(self, names: Sequence[str], step: float) -> Any:
        """The value that is differentiated, where some arguments are moved along their directions, in double precision."""
        args = [
            _moved(value, self.directions[name], step) if name in names else copied(value)
            for name, value in itertools.zip_longest(self.parameters[: len(self.args)], self.args)
        ]
        with self.moment:
            result = self.f(*args)
            return copied(args[self.parameters.index(self.of)] if self.of else result)  # before it may be put back: f may keep it

    def tangent(self, names: Sequence[str], directions: dict[str, Any]) -> Any:
        """The tangent of the result along the directions of some arguments."""
        varied = self.names if self.together else tuple(names)
        still = {n: mapped(_still, directions[n]) for n in varied if n not in names}
        args, tangents = tuple(map(copied, self.args)), tuple((directions | still)[n] for n in varied)
        with self.moment:
            result = copied(jvp(self.f, args, tangents, wrt=varied, of=self.of)[1])
        self.unchanged(args, "tangent")
        return result

    def adjoints(self, weights: Any) -> dict[str, Any]:
        """The adjoints of all differentiated arguments, from that of the result."""
        args = tuple(map(copied, self.args))
        with self.moment:
            _, pullback = vjp(self.f, *args, wrt=self.names, of=self.of)
        bars = pullback(weights)
        self.unchanged(args, "adjoint")
        return dict(zip(self.names, bars, strict=True))

    def derivative(self, mode: str) -> Function:
        """A function of the same arguments: the tangent along the directions, or the adjoints of them for random weights."""
        names = ", ".join(re.sub(r"\W", "_", name) for name in self.parameters[: len(self.args)])  # also of *args
        wrt = "".join(f"{self.parameters.index(name)}, " for name in self.names)
        number = next(_numbers)
        scope: dict[str, Any] = {f"v{k}_of_{number}": self.directions[name] for k, name in enumerate(self.names)}
        given = "".join(f"{direction}, " for direction in scope)
        calls = {
            "tangent": f"jvp(f, ({names},), ({given}), wrt=({wrt}), of={self.of!r})[1]",
            "adjoint": f"vjp(f, {names}, wrt=({wrt}), of={self.of!r})[1](w_of_{number})",
        }
        scope |= {"f": self.f, "jvp": jvp, "vjp": vjp, "__name__": "check_grads"}
        weights = _direction(self.value(), self.rng)
        scope[f"w_of_{number}"] = mapped(lambda w: w.item() if isinstance(w, np.generic) else w, weights)
        name = re.sub(r"\W+", "_", f"{self.title.strip('<>')}_{mode}")
        text = f"def {name}({names}):\n    return {calls[mode]}\n"
        file = f"<check_grads {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), scope)  # noqa: S102  (the text is made here)
        return scope[name]  # type: ignore[no-any-return]

    def unchanged(self, args: tuple[Any, ...], mode: str) -> None:
        """Raise AssertionError if the derivative program has written into its arguments."""
        for name, before, after in zip(self.parameters, self.args, args, strict=False):
            if not _identical(before, after):
                raise AssertionError(f"the {mode} of {self.title} has changed the caller's argument {name!r}: {after!r}")

    def check(self, modes: set[str], groups: list[tuple[str, ...]], eps: float, rtol: float, atol: float) -> None:
        """Compare with differences, moving one group of arguments at a time."""
        rtol, atol = max(rtol, 1e4 * self.precision), max(atol, 1e4 * self.precision)
        weights = _direction(self.value(), self.rng)
        bars = self.adjoints(weights) if "adjoint" in modes else {}
        for name in bars:
            self.same_structure(name, bars[name], self.argument(name))
        for group in groups:
            slopes = [self.difference(group, eps * factor) for factor in COARSER]
            title = ", ".join(map(repr, group))
            if "tangent" in modes:
                tangent = self.tangent(group, self.directions)
                found = _vector(mapped(lambda s, t: None if s is None else t, slopes[0], tangent))
                self.compare("tangent", title, found, [_vector(s) for s in slopes], rtol, atol)
            if "adjoint" in modes:
                along = np.array([sum(_dot(bars[name], self.directions[name]) for name in group)])
                expected = [np.array([_dot(weights, s)]) for s in slopes]
                self.compare("adjoint", title, along, expected, rtol, atol, max(_size(weights, s) for s in slopes))

    def difference(self, names: tuple[str, ...], step: float) -> Any:
        """The central difference along the directions of some arguments."""
        return _combined(self.moved(names, step), self.moved(names, -step), 2 * step)

    def compare(
        self, mode: str, names: str, found: Any, expected: list[Any], rtol: float, atol: float, size: float = 0.0
    ) -> None:
        """Raise AssertionError unless ``found`` is close to one of the difference quotients."""
        best = _Miss(np.inf, 0, 0.0, 0.0)
        for quotient in expected:
            if found.shape != quotient.shape:
                raise AssertionError(
                    f"the {mode} of {self.title} with respect to {names} has {found.size} numbers, "
                    f"and {quotient.size} are expected"
                )
            scale = atol + rtol * max(float(np.max(np.abs(quotient), initial=0.0)), size)
            errors = np.abs(found - quotient) / scale
            errors = np.where(np.isfinite(errors), errors, np.inf)
            at = int(np.argmax(errors)) if errors.size else 0
            miss = _Miss(float(errors[at]), at, found[at], quotient[at]) if errors.size else _Miss(0.0, 0, 0.0, 0.0)
            best = min(best, miss, key=lambda m: m.error)
        if best.error > 1.0:
            where = f" (number {best.at} of {found.size})" if found.size > 1 else ""
            relative = abs(best.found - best.expected) / max(abs(best.expected), 1e-300)
            raise AssertionError(
                f"the {mode} of {self.title} with respect to {names} is wrong: along a random direction it is "
                f"{best.found}, and differences of {self.title} give {best.expected}{where}: relative error {relative:.2e}, "
                f"{best.error:.3g} times what rtol={rtol:g}, atol={atol:g} allow (seed={self.seed})"
            )

    def same_structure(self, name: str, found: Any, argument: Any) -> None:
        """Raise AssertionError unless a gradient has the structure, shape and dtype of its argument."""
        inner = parts(argument)
        if inner is not None:
            have_parts = parts(found)
            if type(found) is not type(argument) or have_parts is None or have_parts.keys() != inner.keys():
                raise AssertionError(f"the gradient for {name!r} is {found!r}, its structure is not that of {argument!r}")
            for key, item in inner.items():
                self.same_structure(f"{name}[{key!r}]", have_parts[key], item)
        elif is_inexact(argument):
            have, want = np.asarray(found), np.asarray(argument)
            if have.shape != want.shape or isinstance(argument, np.ndarray) and have.dtype != want.dtype.newbyteorder("="):
                raise AssertionError(
                    f"the gradient for {name!r} has shape {have.shape} and dtype {have.dtype}, "
                    f"the argument has {want.shape} and {want.dtype}"
                )


@dataclass(frozen=True)
class _Miss:
    """The distance of a derivative from a difference quotient at its worst place, in units of the tolerance."""

    error: float
    at: int
    found: Any
    expected: Any


def _parameter_names(f: Function, count: int) -> list[str]:
    """The names of the parameters that ``count`` arguments fill."""
    return derivatives_of(f, make_options({})).argument_names(count)


# --- values with structure


def _leaves(value: Any) -> Iterator[Any]:
    """The leaves that have derivatives."""
    return filter(is_inexact, leaves(value))


def _holds_floats(value: Any) -> bool:
    return next(_leaves(value), None) is not None


def _epsilon(leaf: Any) -> float:
    """The precision of a leaf where it is less than double."""
    return float(np.finfo(np.asarray(leaf).dtype).eps)


def _direction(value: Any, rng: np.random.Generator) -> Any:
    """Random numbers of the structure, shape and dtype of a value; zeros for what has no derivative."""

    def draw(leaf: Any) -> Any:
        if not is_inexact(leaf):
            return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else 0 if isinstance(leaf, int) else None
        drawn = rng.normal(size=np.shape(leaf))
        if np.iscomplexobj(leaf):
            drawn = drawn + 1j * rng.normal(size=np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(drawn, leaf.dtype)
        return type(leaf)(drawn)

    return mapped(draw, value)


def _still(direction: Any) -> Any:
    """A zero of the type of a direction; None for what has none."""
    if isinstance(direction, np.ndarray):
        return np.zeros_like(direction)
    return None if direction is None else type(direction)(0)


def _moved(value: Any, direction: Any, step: float) -> Any:
    """``value + step * direction``, in double precision."""

    def move(leaf: Any, along: Any) -> Any:
        if not is_inexact(leaf):
            return copied(leaf)
        wide = np.result_type(np.asarray(leaf).dtype, np.float64)
        if isinstance(leaf, np.ndarray):
            made = copied(leaf) if leaf.dtype == wide else leaf.astype(wide)  # in the same layout
            made += step * along
            return made
        return type(leaf)(leaf + step * along) if isinstance(leaf, float | complex) else wide.type(leaf) + step * wide.type(along)

    return mapped(move, value, direction)


def _combined(above: Any, below: Any, width: float) -> Any:
    """``(above - below) / width``; zeros for what has no derivative."""

    def quotient(a: Any, b: Any) -> Any:
        return (np.asarray(a) - np.asarray(b)) / width if is_inexact(a) else None

    return mapped(quotient, above, below)


def _vector(value: Any) -> Any:
    """All numbers that have derivatives as one vector."""
    parts = [np.ravel(np.asarray(leaf)) for leaf in _leaves(value)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _products(a: Any, b: Any) -> Iterator[Any]:
    inner, other = parts(a), parts(b)
    if inner is not None and other is not None:
        for key in inner:
            yield from _products(inner[key], other[key])
    elif a is not None and b is not None and (is_inexact(a) or is_inexact(b)):
        yield np.real(np.asarray(a) * np.asarray(b))


def _dot(a: Any, b: Any) -> float:
    """The real part of the sum of all products."""
    return float(sum(np.sum(p, dtype=np.float64) for p in _products(a, b)))


def _size(a: Any, b: Any) -> float:
    """The largest product: the scale of the rounding errors in their sum."""
    return float(max((np.max(np.abs(p), initial=0.0) for p in _products(a, b)), default=0.0))


def _identical(a: Any, b: Any) -> bool:
    inner, other = parts(a), parts(b)
    if inner is not None:
        same = type(a) is type(b) and other is not None and inner.keys() == other.keys()
        return same and all(_identical(inner[k], other[k]) for k in inner)  # type: ignore[index]
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return not isinstance(a, bool | int | float | complex | str) or a == b or np.isnan(a)
