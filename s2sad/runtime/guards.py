"""Checks of generated programs that only the arguments can answer, and that refuse rather than give a wrong derivative."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from s2sad.runtime.structures import bounds, fields, held, hides, is_record


class Refusal(Exception):
    """The end of a run that shows that a derivative cannot be had: no handler of the program's own is meant by it."""


class UnsupportedError(Refusal, TypeError):
    """An operation is reached for which there is no program (``UnsupportedSyntaxError`` through the API)."""


def unforeseen(result: object, why: str) -> UnsupportedError:
    """The error where a library has taken what its rule has not, and given ``result``."""
    return UnsupportedError(why)


class SharedMemoryError(Refusal, ValueError):
    """Two arguments share memory that is written to (``AliasError`` where the derivative is called through the API)."""


class WrittenError(Refusal, ValueError):
    """A function with a user's rule has written into an argument (``AliasError`` as above)."""


class SeedError(Refusal, ValueError):
    """The adjoint of a result does not fit it (``ActivityError`` where the derivative is called through the API)."""


class SequenceError(Refusal, TypeError):
    """A list or tuple is given to a module that was made for a number or an array: nothing said what its parameter is."""


class SizeError(Refusal, ValueError):
    """An array has another size than those that a program was made for (a program of its own serves other calls of the API)."""


class PlaceError(Refusal, TypeError):
    """Numbers that may vary are given where a module was made for places, integers or masks: nothing said what they are."""


MOST_ITEMS = 32  # along an axis that a program may be made for
Sizes = tuple[tuple[int, ...] | None, ...]


def sizes_of(x: Any) -> Sizes:
    """The shapes of the arrays in an argument, and lengths of lists, in order; None for those with more than MOST_ITEMS."""
    return tuple(shape if max(shape, default=0) <= MOST_ITEMS else None for shape in _shapes(x))


def _shapes(x: Any) -> Iterator[tuple[int, ...]]:
    if hides(x):
        return
    if isinstance(x, np.ndarray):
        yield x.shape
    if isinstance(x, list):
        yield (len(x),)
    for part in held(x):
        yield from _shapes(part)


def assert_sizes(name: str, sizes: Sizes, x: Any) -> None:
    """Raise SizeError unless the arrays and lists in the argument ``name`` have these sizes (``sizes_of``)."""
    found = sizes_of(x)
    if found != sizes:
        made, given = (", ".join(map(str, shapes)) for shapes in (sizes, found))
        raise SizeError(f"{name} has sizes {given}, and this program was made for {made}")


def assert_places(function: str, *arguments: Any) -> None:
    """Raise PlaceError if one of the arguments of ``function`` holds real or complex numbers, which are no places."""
    for x in arguments:
        if np.asarray(x).dtype.kind in "fc":
            raise PlaceError(
                f"{function} is given numbers that may vary, and this program was made for places: "
                "annotate the parameters (a: Float[np.ndarray, 'n'])"
            )


SEQUENCES = (list, tuple, np.ndarray, range, str, collections.deque)


def assert_sequence(x: Any) -> None:
    """Raise what Python does where ``x`` has no items, and UnsupportedError unless these are what its indices name, in order:
    those of a dict are its keys, and an iterator has no indices."""
    iter(x)
    if not isinstance(x, SEQUENCES):
        raise UnsupportedError(
            f"a loop over a {type(x).__name__}, of which only running the program told: make a list of it where it comes from"
        )


def assert_single(x: Any) -> None:
    """Raise ValueError, as ``fill`` does, unless ``x`` is one number."""
    if np.ndim(x):
        raise ValueError(f"fill takes a number, and is given {np.shape(x)}: setting an array element with a sequence")


def assert_fills(product: Any, array: Any) -> None:
    """Raise ValueError, as ``@=`` does, where a product would be stretched into the array that is to hold it."""
    if np.shape(product)[-np.ndim(array) :] != np.shape(array):
        raise ValueError(f"a matrix product in place, of shape {np.shape(product)}, does not fill {np.shape(array)}")


def assert_some(x: Any) -> None:
    """Raise UnsupportedError if ``x`` has no items that could be repeated: NumPy's functions store nothing then, or fail."""
    if not np.size(x):
        raise UnsupportedError("no items are stored into places: call np.put, np.place and the like where there are some")


class StackError(Refusal, ValueError):
    """A stack of matrices is given to a module that was made for one matrix: nothing said how many axes its parameter has."""


def assert_axes(function: str, most: int, x: Any) -> None:
    """Raise StackError if an argument of ``function``, or the first item of a tuple, has more than ``most`` axes, or none."""
    try:
        axes = np.ndim(x[0] if isinstance(x, tuple) else x)
    except ValueError:  # a list of arrays of several shapes, as SciPy gives factors of stacks
        axes = np.ndim(x[0])
    if axes > most or axes == 0:
        raise StackError(
            f"an argument of {function} has {axes} axes, and this program was made for 1 to {most}: SciPy takes stacks "
            "item by item, and derivatives are known of one item; write a loop over the stack"
        )


class ComplexError(Refusal, TypeError):
    """Complex numbers are given to a module that was made for real ones: nothing said what its parameters hold."""


def assert_real(function: str, x: Any) -> None:
    """Raise ComplexError if an argument of ``function`` is complex."""
    if np.iscomplexobj(x):
        raise ComplexError(f"an argument of {function} is complex, and its derivative is known for real numbers; write it out")


class FractionError(Refusal, TypeError):
    """The refusal of a varying integer, which keeps no fractions, and of one that is made of what varies."""


def assert_keeps_fractions(x: Any) -> None:
    """Raise FractionError if what something that varies is stored into, or made, holds integers, or truths."""
    if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "biu":
        raise FractionError(f"what varies is made {x.dtype} here, which keeps no fractions: make it floats (dtype=float)")


def assert_no_integers(names: str, *arguments: Any) -> None:
    """Raise FractionError if one of the arguments called ``names`` is an array of integers or truths, or holds nothing but
    integers. Single numbers pass: what is computed of one with a fraction is none."""
    for name, x in zip(names.split(", "), arguments, strict=True):
        if isinstance(x, bool | int | np.generic):
            continue
        kinds = {np.asarray(leaf).dtype.kind for leaf in _leaves(x)}
        if kinds & set("biu") and not kinds & set("fc"):
            what = f"an array of {x.dtype}" if isinstance(x, np.ndarray) else f"a {type(x).__name__} of integers"
            raise FractionError(
                f"{name} is {what}, which has no derivative: "
                f"give floats, np.asarray({name}, float), or make a program that is not differentiated by it (--wrt)"
            )


def assert_floats(names: str, *arguments: Any) -> None:
    """Check that the arguments called ``names`` are, or hold, numbers and arrays: no integers, and no lists or tuples."""
    assert_no_sequences(names, *arguments)
    assert_no_integers(names, *arguments)


def _leaves(x: Any) -> Iterator[Any]:
    """The arrays and numbers in an argument."""
    if isinstance(x, np.ndarray | bool | int | float | complex | np.generic):
        yield x
    else:
        for item in held(x):
            yield from _leaves(item)


def assert_empty(name: str, items: list[Any]) -> None:
    """Raise UnsupportedError for a list that holds something: the program that writes into it knows of no way to copy that."""
    if items:
        raise UnsupportedError(
            f"it writes into {name}, a list of {type(items[0]).__name__}, which cannot be copied, and the caller's stays as it is"
        )


def assert_no_sequences(names: str, *arguments: Any) -> None:
    """Raise SequenceError if one of the arguments called ``names`` is a list or tuple of numbers or arrays, or holds one."""
    for name, x in zip(names.split(", "), arguments, strict=True):
        found = _sequence_in(x)
        if found:
            raise SequenceError(
                f"{name} is or holds a {found} here, and this program was made for a number or an array: "
                f"annotate the parameter ({name.removesuffix('_dot')}: list[float]), or give an array, np.asarray({name}, float)"
            )


def _sequence_in(x: Any) -> str:
    """The name of the type of a list or tuple of numbers or arrays in a structure; empty where there is none."""
    if isinstance(x, list | tuple):
        return type(x).__name__ if any(map(_is_numeric, x)) else next(filter(None, map(_sequence_in, x)), "")
    return next(filter(None, map(_sequence_in, held(x))), "")


def _is_numeric(x: Any) -> bool:
    return isinstance(x, bool | int | float | complex | np.generic | np.ndarray)


def assert_window(dot: Any, dots: Any, item: Any, base: Any) -> None:
    """Raise SharedMemoryError where ``item`` is a window of ``base``, but its tangent ``dot`` none of ``dots``: the tangent's
    memory is laid out in another way, so that it had to be copied."""
    if isinstance(item, list | tuple):
        for part, other in zip(dot, item, strict=True):
            assert_window(part, dots, other, base)
    elif np.may_share_memory(item, base) and not np.may_share_memory(dot, dots):
        raise SharedMemoryError(
            "a reshape gives a window of an array that is written, but a copy of its tangent: "
            "give the tangent the memory layout of the array: np.copyto(np.empty_like(a), a_dot)"
        )


def assert_number(item: Any) -> None:
    """Raise SharedMemoryError unless ``item``, of a list whose items are changed by ``op=``, is a number."""
    if isinstance(item, np.ndarray | list):
        raise SharedMemoryError(
            f"an item of a list is {'an array' if isinstance(item, np.ndarray) else 'a list'}, and op= would change it for all "
            "who see it: annotate the parameters (a: np.ndarray), or write items[k] = items[k] + x"
        )


def window_as(dot: Any, item: Any, base: Any) -> Any:
    """``dot``, the tangent of ``item``, if that is a window of ``base``; a copy of it if not; of a list, item by item."""
    if isinstance(item, list | tuple):
        return type(item)(window_as(part, other, base) for part, other in zip(dot, item, strict=True))
    return dot if np.may_share_memory(item, base) else np.copy(dot)


def seed(bar: Any, out: Any) -> Any:
    """``bar``, the adjoint of ``out``: a number for a number, NumPy's for its own, an array for an array. Raises SeedError."""
    if isinstance(out, tuple | list | dict):
        raise SeedError(f"the result is a {type(out).__name__}: its adjoint cannot be one number")
    if np.shape(bar) != np.shape(out):
        raise SeedError(f"the result has shape {np.shape(out)}, its adjoint {np.shape(bar)}: give one of the same shape")
    if isinstance(bar, int | float) and isinstance(out, np.inexact | np.ndarray) and out.dtype.kind in "fc":
        return out.dtype.type(bar)  # which has .T, as what it is the adjoint of
    return bar


def typed(dot: Any, x: Any) -> Any:
    """``dot``, the tangent of ``x``: a Python number as NumPy's where ``x`` is one, which has methods and takes subscripts; and
    complex where ``x`` is, as buffers are that have their dtypes from either. Raises SeedError where it alone is complex."""
    if isinstance(x, list | tuple) and isinstance(dot, list | tuple) and len(x) == len(dot) and not hasattr(x, "_fields"):
        return type(dot)(map(typed, dot, x))
    if isinstance(x, np.ndarray) and isinstance(dot, np.ndarray) and x.dtype.kind in "fc" and dot.dtype.kind in "fc":
        if dot.dtype.kind == "c" and x.dtype.kind == "f":
            raise SeedError("the tangent of an array is complex, and what it is of is real")
        return dot.astype(np.result_type(x, dot)) if dot.dtype.kind != x.dtype.kind else dot
    if isinstance(x, np.inexact) and isinstance(dot, int | float | complex):
        return np.result_type(x, dot).type(dot)
    if isinstance(x, complex) and isinstance(dot, int | float):
        return complex(dot)
    return dot


def assert_distinct(names: str, *arguments: Any) -> None:
    """Raise SharedMemoryError if two of the arguments called ``names``, or parts of them, share memory, or one with itself.

    Those behind a semicolon are not written: they may share memory with each other. What stands before a colon is given them.
    ``self:s|self:points:w``: of an argument self only these parts are written.
    """
    writer, _, names = names.rpartition(": ")
    count = names.partition("; ")[0].count(", ") + 1
    called = names.replace("; ", ", ").split(", ")
    found = [
        (k < count and _is_written(path, name), name.partition(":")[0], part)
        for k, (name, x) in enumerate(zip(called, arguments, strict=True)) for path, part in _placed(x, name.partition(":")[0])
    ]  # fmt: skip
    _assert_no_object_twice([(written, name, x) for written, name, x in found if not isinstance(x, np.ndarray)], writer)
    arrays = sorted(((*bounds(x), written, name, x) for written, name, x in found if isinstance(x, np.ndarray)), key=_place)
    for k, (_, end, written, name, x) in enumerate(arrays):
        if written and not lies_apart(x):
            raise SharedMemoryError(
                f"two items of the argument {name}, or of what it holds, are one place in memory, and it is written to: "
                f"the copy that is written has a place for each; pass a copy: {name}.copy()"
            )
        for start, _, also, other, y in arrays[k + 1 :]:
            if start >= end:
                break
            if (written or also) and np.shares_memory(x, y):
                whole = any(y is given for given in arguments)
                _shared(name, other, f"{other}.copy()" if whole else f"array.copy(), of an array in {other}", writer)


def _is_written(path: str, written: str) -> bool:
    """Test for a part that is written, of an argument, or in which one is."""
    named = written.split("|") if ":" in written else ()
    return not named or any(f"{path}:".startswith(f"{one}:") or f"{one}:".startswith(f"{path}:") for one in named)


def _placed(x: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The arrays in a value, and the lists, dicts and objects that hold them, each with its place."""
    if isinstance(x, np.ndarray | list | dict) or is_record(x):
        yield path, x
    if not isinstance(x, np.ndarray):
        known = x if isinstance(x, dict) else fields(x) if is_record(x) else range(len(held(x)))
        for key, item in zip(known, held(x), strict=True):
            yield from _placed(item, f"{path}:{key}")


def _place(item: tuple[Any, ...]) -> tuple[Any, ...]:
    return item[:2]


def lies_apart(x: Any) -> bool:
    """Test for an array each item of which has memory of its own; what nobody may write into counts as such."""
    if not isinstance(x, np.ndarray) or x.flags.forc or not x.flags.writeable or x.size < 2:
        return True
    reach = x.itemsize
    for step, count in sorted((abs(step), count) for step, count in zip(x.strides, x.shape, strict=True) if count > 1):
        if step < reach:
            return bool(step and np.diff(np.sort(_addresses(x), axis=None)).min() >= x.itemsize)
        reach += step * (count - 1)
    return True


def assert_own_memory(function: str, *values: Any) -> None:
    """Raise SharedMemoryError if what ``function`` returned, the first value, shares memory with an argument, the others."""
    out, *arguments = values
    found = [part for part in _parts(out) if isinstance(part, np.ndarray)]
    given = [part for x in arguments for part in _parts(x) if isinstance(part, np.ndarray)]
    if any(np.may_share_memory(part, other) and np.shares_memory(part, other) for part in found for other in given):
        raise SharedMemoryError(
            f"what {function} returns shares memory with its argument, and one of them is written to: "
            f"make a copy of it, or, if its rule is yours, say effects=\"view(x)\""
        )


def assert_read_apart(store: str, target: Any, index: Any, *read: Any) -> None:
    """Raise SharedMemoryError if ``store``, which writes ``target[index]`` piece by piece, reads what it has written.

    Under an index one array is read item by item, and again from its beginning; under ``...`` several, in any order.
    """
    given = [part for x in read for part in _parts(x) if isinstance(part, np.ndarray)]
    for x in given:
        if not np.may_share_memory(target, x):
            continue
        written, taken = np.ravel(_addresses(target)[index]), np.ravel(_addresses(x))
        if index is ...:
            lost = bool(np.isin(taken, written).any())
        else:
            first = {place: k for k, place in reversed(list(enumerate(written.tolist())))}
            lost = any(first.get(place, k) < k for k, place in enumerate(np.resize(taken, written.size).tolist()))
        if lost:
            raise SharedMemoryError(
                f"{store} reads from the array that it writes: NumPy goes piece by piece, and finds some of them overwritten; "
                "give it a copy"
            )


def _addresses(x: Any) -> Any:
    """Where the items of an array begin."""
    found = np.array(x.__array_interface__["data"][0])
    for n, stride in zip(x.shape, x.strides, strict=True):
        found = np.add.outer(found, np.arange(n) * stride)
    return found


_calls: dict[str, int] = {}  # of users' functions


def contents(function: str, *arguments: Any) -> Any:
    """The contents of arguments of a user's function that must not write into them: in its first, second, fourth, eighth ...
    call, so that looking costs little; else None."""
    _calls[function] = count = _calls.get(function, 0) + 1
    return None if count & (count - 1) else [_contents(x) for x in arguments]


def assert_unwritten(function: str, before: Any, *arguments: Any) -> None:
    """Raise WrittenError if what was given to ``function`` does not hold any more what it held ``before``."""
    for old, x in zip(before or arguments, arguments, strict=True):
        if before is not None and old != _contents(x):
            _calls[function] = 0  # to look again in the next call
            raise WrittenError(
                f"{function} has written into its argument, which functions with rules of their own must not: "
                f"let it return what it computes"
            )


def _contents(x: Any) -> Any:
    """The contents of arrays and containers, in a form that can be compared; other objects are themselves."""
    if isinstance(x, np.ndarray):
        return x.shape, x.tobytes()
    if isinstance(x, dict):
        return [(key, _contents(part)) for key, part in x.items()]
    return [_contents(part) for part in x] if isinstance(x, list | tuple) else id(x)


def assert_separate(names: str, *arguments: Any) -> None:
    """Raise SharedMemoryError if a list, dict or object stands in two places of the arguments called ``names``."""
    found = [(name, part) for name, x in zip(names.split(", "), arguments, strict=True) for part in _parts(x)]
    _assert_no_object_twice([(True, name, x) for name, x in found if not isinstance(x, np.ndarray)])


def assert_once(*things: Any) -> None:
    """Raise SharedMemoryError if an array, list, dict or object stands in two places of these: so it would in a deep copy."""
    parts = [id(part) for thing in things for part in _parts(thing)]
    if len(set(parts)) < len(parts):
        raise SharedMemoryError(
            "an array, list or object stands in two places of what copy.deepcopy copies, and so it would in the copy: "
            "put a copy into one of them, or copy the parts one by one"
        )


def assert_apart(names: str, whole: Any, *arguments: Any) -> None:
    """Raise SharedMemoryError if an argument holds a list, dict or object that ``whole``, an object outside, holds, too."""
    first, *others = names.split(", ")
    within = {id(part) for part in _parts(whole)}
    for name, x in zip(others, arguments, strict=True):
        if any(id(part) in within for part in _parts(x)):
            raise SharedMemoryError(
                f"the argument {name} and {first}, which is no argument and is written to, share memory: "
                f"the derivative would depend on it; pass a copy: copy.deepcopy({name})"
            )


def _assert_no_object_twice(parts: list[tuple[bool, str, Any]], writer: str = "") -> None:
    """Raise SharedMemoryError for an object that is met twice; those that are written come first."""
    seen: dict[int, tuple[bool, str]] = {}
    for written, name, x in parts:
        before, other = seen.setdefault(id(x), (False, name))
        if before:
            _shared(other, name, f"copy.deepcopy({name})", writer)
        seen[id(x)] = seen[id(x)] if before else (written, name)


def _shared(first: str, second: str, copy: str, writer: str = "") -> NoReturn:
    """``writer``: the function that is given them by the one that is differentiated, which may have them as variables."""
    own = "" if writer else "argument "
    what = f"two parts of {own and 'the '}{own}{first}" if first == second else f"{own and 'the arguments '}{first} and {second}"
    written = f"{writer} writes into one of them" if writer else "one of them is written to"
    instead = f"give it a copy of one, {copy}, or take the window in it" if writer else f"pass a copy of one: {copy}"
    raise SharedMemoryError(f"{what} share memory, and {written}: the derivative would depend on it; {instead}")


def _parts(x: Any) -> Iterator[Any]:
    """The arrays in a value, and the lists, dicts and objects that hold them."""
    if isinstance(x, np.ndarray):
        yield x
        return
    if isinstance(x, list | dict) or is_record(x):
        yield x
    for item in held(x):
        yield from _parts(item)
