"""Sparsity patterns, found by the program that carries index sets (``source("pattern")``).

    pattern = jacobian_sparsity(f, x)              a boolean csr_array, entry (i, j): f(x)[i] may depend on x[j]
    J = sparse_jacobian(f, color(pattern))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.api import Function, as_called, derivatives_of, grad, kept
from s2sad.derivatives import Ask, Derivatives
from s2sad.errors import ActivityError
from s2sad.options import entry, make_options
from s2sad.runtime import Unions
from s2sad.sparse.coloring import as_pattern
from s2sad.trees import copied

SCOPES = {"global": "pattern", "local": "local_pattern"}


@entry
def jacobian_sparsity(function: Function, *args: Any, wrt: Any = 0, scope: str = "global", **options: Any) -> Any:
    """The pattern of the Jacobian of ``function`` for arguments like these: a boolean ``scipy.sparse.csr_array``.

    Of an array (or number) by one argument, both of any shape and taken as flat: shape (number of results, number of arguments).
    Entries that are not in it are zero; of functions about which nothing else is known, each result counts as depending on all
    arguments. ``scope``: "global", for all values of the argument (the other arguments as they are): with both sides of each
    branch that the values decide, and all entries where they decide an index; "local", at this point: the branches that are
    taken, the indices that are used. It costs about as much as the program and the entries. Raises ActivityError where the values
    decide a shape, how often a loop runs, or what a list holds, so that no global pattern is known, and for anything but
    arrays and numbers.
    (As detection by index sets of Griewank & Walther, "Evaluating Derivatives", 2nd ed., section 7.1, by a derived program.)
    """
    derivatives = derivatives_of(function, make_options(options))
    inputs = derivatives.inputs(wrt)
    if len(inputs) != 1:
        raise ActivityError(f"wrt={wrt!r}: a pattern is that by one argument")
    values = derivatives.arguments(args, {})
    if scope in SCOPES:
        compiled = derivatives.compiled(Ask(SCOPES[scope], inputs), values)
        if derivatives.leaves_more(compiled, values):
            return as_called(
                function, args, {}, derivatives, compiled, values, lambda _: pattern_of(derivatives, inputs, values, scope)
            )
    return pattern_of(derivatives, inputs, values, scope)


@entry
def hessian_sparsity(function: Function, *args: Any, wrt: Any = 0, scope: str = "global", **options: Any) -> Any:
    """The pattern of the Hessian of ``function`` for arguments like these, as ``jacobian_sparsity`` of the gradient.

    Of a number by one array argument of any shape, taken as flat: a symmetric boolean csr_array of shape (n, n). Errors and
    source as for ``jacobian_sparsity``.
    """
    gradient = kept(grad, function, wrt, **options)
    return symmetric(jacobian_sparsity(gradient, *args, wrt=wrt, scope=scope, **options))


def symmetric(pattern: Any) -> Any:
    """A pattern with its transpose."""
    return as_pattern(pattern + pattern.T)


def pattern_of(derivatives: Derivatives, inputs: tuple[str, ...], values: list[Any], scope: str) -> Any:
    """The pattern by the only one of ``inputs``, for these arguments."""
    if scope not in SCOPES:
        raise ActivityError(f"scope={scope!r} is unknown", instead="'global' or 'local'")
    x = derivatives._value_of(inputs[0], values)
    if not isinstance(x, np.ndarray | np.generic | float | complex):
        raise ActivityError(f"{inputs[0]} is of type {type(x).__name__}", instead="an array, or a number")
    unions = Unions(int(np.size(x)))
    if isinstance(x, np.ndarray):
        sets: Any = np.empty_like(x, np.int64, subok=False)  # laid out as x is
        sets[...] = np.arange(1, x.size + 1).reshape(x.shape)
    else:
        sets = 1
    found = derivatives.call(Ask(SCOPES[scope], inputs), [copied(v) for v in values], (sets, unions))
    if not isinstance(found, np.ndarray | int | np.integer):
        raise ActivityError("a pattern is that of an array by an array", instead="jacobian, or a function of one array")
    return resolved(unions, np.ravel(found))


def resolved(unions: Unions, names: np.ndarray) -> Any:
    """The contents of the sets of these names, one a row.

    A union with one parent is merged into it; the others are resolved in the order in which they were made, as many at once
    as do not hold one another.
    """
    count, total = unions.count, unions.next
    parents, children = unions.pairs()
    alone = np.bincount(children, minlength=total) == 1
    alone[: count + 1] = False
    alone[names] = False
    merged = alone[children]
    if merged.any():
        up = np.arange(total)
        up[children[merged]] = parents[merged]
        while ((further := up[up]) != up).any():
            up = further
        parents, children = up[parents[~merged]], children[~merged]
    rows = _members(parents, children, count, total) if (children > count).any() else (parents, children)
    return _of_names(names, *rows, count, total)


def _of_names(names: np.ndarray, parents: np.ndarray, leaves: np.ndarray, count: int, total: int) -> Any:
    """The boolean csr_array with the leaves of each of these names, in order, where each parent has its leaves."""
    from scipy.sparse import csr_array

    def matrix(entries: tuple[np.ndarray, np.ndarray], shape: tuple[int, int]) -> Any:
        return csr_array((np.ones(len(entries[0]), bool), entries), shape=shape)

    in_order = bool((np.diff(names) > 0).all())
    distinct, rows = (names, names) if in_order else np.unique(names, return_inverse=True)
    place = np.full(total, -1)
    place[distinct] = np.arange(distinct.size)
    single = distinct[(distinct > 0) & (distinct <= count)]
    owners, held = place[parents], leaves - 1
    if owners.min(initial=0) < 0:
        owners, held = owners[owners >= 0], held[owners >= 0]
    if single.size:
        owners, held = np.append(owners, place[single]), np.append(held, single - 1)
    found = matrix((owners, held), (distinct.size, count))
    found.sum_duplicates()
    found.data[:] = True
    if in_order:
        return found
    found = found[rows.ravel()]
    found.sort_indices()
    return found


def _members(parents: np.ndarray, children: np.ndarray, count: int, total: int) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (union, leaf), of pairs (union, member)."""
    order = np.argsort(parents, kind="stable")
    parents, children = parents[order], children[order]
    unions, starts = np.unique(parents, return_index=True)
    ends = np.append(starts[1:], parents.size)
    place = np.full(total, -1)
    place[unions] = np.arange(unions.size)
    latest = np.maximum.accumulate(np.maximum.reduceat(place[children], starts))  # the last union that those so far hold
    lengths, offsets = np.zeros(unions.size, int), np.zeros(unions.size, int)  # of the leaves of each union, in one list
    leaves, size, first = np.empty(2 * children.size, int), 0, 0
    while first < unions.size:
        last = int(np.searchsorted(latest, first))
        part = slice(starts[first], ends[last - 1])
        owner, member = place[parents[part]], children[part]
        inner = place[member] >= 0
        held = place[member[inner]]
        copies = lengths[held]
        at = np.repeat(offsets[held] - (np.cumsum(copies) - copies), copies) + np.arange(copies.sum())
        keys = np.append(owner[~inner] * (count + 1) + member[~inner], np.repeat(owner[inner], copies) * (count + 1) + leaves[at])
        keys = np.unique(keys)
        found, below = np.divmod(keys, count + 1)
        if size + below.size > leaves.size:
            leaves = np.resize(leaves, 2 * (size + below.size))
        leaves[size : size + below.size] = below
        lengths[first:last] = np.bincount(found - first, minlength=last - first)
        offsets[first:last] = size + np.cumsum(lengths[first:last]) - lengths[first:last]
        size, first = size + below.size, last
    return np.repeat(unions, lengths), leaves[:size]
