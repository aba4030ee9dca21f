"""Colourings of sparsity patterns: which columns (rows) of a matrix one product with a vector can tell apart.

Columns that share no row get one colour, and the sum of the columns of a colour holds each of their entries by itself:
``J @ seed`` for each colour, instead of for each column (Curtis, Powell & Reid 1974; Coleman & Moré 1983). A symmetric
matrix needs fewer: in a *star* colouring no path of four vertices has two colours only, so that of ``H[i, j]`` and
``H[j, i]`` at least one stands alone (Coleman & Moré 1984; Gebremedhin, Manne & Pothen, "What color is your Jacobian?",
SIAM Review 47, 2005; the stars are those of Gebremedhin, Tarafdar, Manne & Pothen, SIAM J. Sci. Comput. 29, 2007).

Both go through the vertices once, largest degree first, and give each the first colour that is free. Sets of colours are
the bits of Python's integers, so that an entry of the pattern costs a few operations, however many colours there are.
"""

from __future__ import annotations

import copy
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.errors import ActivityError, SettingError
from s2sad.options import entry

STRUCTURES = ("columns", "rows", "symmetric")


@dataclass(frozen=True, eq=False)
class Coloring:
    """A coloured pattern. It can be kept, pickled, and used for any number of matrices of this pattern.

    ``structure``: "columns", "rows" or "symmetric". ``colors``: an integer array of shape (n,), the colour of each of the n
    columns (rows). ``pattern``: the boolean csr_array, with the entries of each row in order.
    """

    structure: str
    colors: np.ndarray
    pattern: Any
    places: np.ndarray  # where in the products, taken as one flat array, each entry of the pattern stands

    @functools.cached_property
    def count(self) -> int:
        """The number of colours: of products that are needed."""
        return int(self.colors.max(initial=-1)) + 1

    @entry
    def seeds(self, dtype: Any = float) -> np.ndarray:
        """An array of shape (count, n): for each colour the vector that is 1 at its columns (rows), and 0 elsewhere."""
        try:
            made = np.zeros((self.count, self.colors.size), dtype)
        except (TypeError, ValueError) as error:
            raise SettingError(f"seeds(): dtype={dtype!r} is unknown: {error}") from None
        made[self.colors, np.arange(self.colors.size)] = 1
        return made

    def kept_seeds(self, dtype: Any) -> np.ndarray:
        """The seeds, which are made once for a dtype and nobody may write into."""
        kept: dict[Any, np.ndarray] = self.__dict__.setdefault("_seeds", {})
        found = kept.get(dtype)
        if found is None:
            found = kept[dtype] = self.seeds(dtype)
            found.flags.writeable = False
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_seeds"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @entry
    def compress(self, matrix: Any) -> np.ndarray:
        """The products of a matrix, dense or sparse, with the seeds, from the right; for "rows" from the left.

        Returns an array of shape (count, number of rows), or (count, number of columns).
        """
        self._check(np.shape(matrix) == self.pattern.shape, f"a matrix of shape {np.shape(matrix)}")
        turned = matrix.T if self.structure == "rows" else matrix
        return np.asarray((turned @ self.seeds().T).T)

    @entry
    def decompress(self, products: Any) -> Any:
        """The csr_array of this pattern whose products with the seeds these are: an array as ``compress`` returns."""
        length = self.pattern.shape[self.structure == "rows"]
        self._check(np.shape(products) == (self.count, length), f"products of shape {np.shape(products)}")
        made = copy.copy(self.pattern)  # which spares the examination of indices that were examined
        made.data = np.take(products, self.places)
        made.has_sorted_indices = made.has_canonical_format = True
        return made

    def _check(self, fits: bool, what: str) -> None:
        if not fits:
            raise ActivityError(f"{what} for a colouring of {self.pattern.shape} by {self.structure} in {self.count} colours")


@entry
def color(pattern: Any, structure: str = "columns") -> Coloring:
    """Colour a pattern: a sparse (or dense) matrix of shape (m, n), of which each stored entry that is not False counts.

    ``structure``: "columns" (for products with J from the right: jvp), "rows" (from the left: pullbacks), or "symmetric" (for
    products with a Hessian). The work is linear in the number of entries.
    Raises ActivityError for another structure, and for a "symmetric" pattern that is not.
    (Curtis, Powell & Reid 1974; Coleman & Moré 1984; Gebremedhin, Manne & Pothen, SIAM Review 47, 2005.)
    """
    if structure not in STRUCTURES:
        raise ActivityError(f"structure={structure!r} is unknown", instead="'columns', 'rows' or 'symmetric'")
    pattern = as_pattern(pattern)
    if structure == "symmetric":
        if pattern.shape[0] != pattern.shape[1] or (pattern != pattern.T).nnz:
            raise ActivityError("the pattern is not symmetric", instead="structure='columns'")
        colors = _stars(pattern)
    else:
        colors = _apart(pattern if structure == "rows" else pattern.T.tocsr())
    return Coloring(structure, colors, pattern, _places(pattern, colors, structure))


def as_pattern(matrix: Any) -> Any:
    """A boolean csr_array with the entries of each row in order, none of them twice, none False."""
    from scipy.sparse import coo_array, csr_array

    try:
        found = coo_array(matrix)
    except (TypeError, ValueError) as error:
        what = f"an object of type {type(matrix).__name__}"
        raise ActivityError(f"a pattern is a matrix, and not {what}: {error}", instead="a scipy.sparse or dense matrix") from None
    if len(found.shape) != 2:
        raise ActivityError(f"a pattern has rows and columns, and this one the shape {found.shape}")
    kept = found.data.astype(bool)
    made = csr_array((np.ones(int(kept.sum()), bool), (found.row[kept], found.col[kept])), shape=found.shape)
    made.sum_duplicates()
    made.data[:] = True
    return made


def _largest_first(pattern: Any) -> list[int]:
    degrees = np.diff(pattern.indptr)
    return list(np.argsort(-degrees, kind="stable").tolist())


def _apart(pattern: Any) -> np.ndarray:
    """Colours of the rows such that two of one colour share no column."""
    neighbours, starts = pattern.indices.tolist(), pattern.indptr.tolist()
    taken = [0] * pattern.shape[1]  # the colours that have an entry in each column
    colors = np.zeros(pattern.shape[0], dtype=np.intp)
    for row in _largest_first(pattern):
        columns = neighbours[starts[row] : starts[row + 1]]
        forbidden = 0
        for column in columns:
            forbidden |= taken[column]
        bit = ~forbidden & (forbidden + 1)
        for column in columns:
            taken[column] |= bit
        colors[row] = bit.bit_length() - 1
    return colors


def _stars(pattern: Any) -> np.ndarray:
    """A star colouring of a symmetric pattern: the vertices of two colours form stars, a hub with its spokes."""
    neighbours, starts = pattern.indices.tolist(), pattern.indptr.tolist()
    size = pattern.shape[0]
    bits = [0] * size  # the colour of each vertex, as a bit; 0: none yet
    around = [0] * size  # the colours of its neighbours
    hubs = [0] * size  # the colours of the hubs of the stars of which it is a spoke
    spoke: dict[tuple[int, int], int] = {}  # by vertex and colour: the first neighbour of that colour
    for v in _largest_first(pattern):
        near = [w for w in neighbours[starts[v] : starts[v + 1]] if w != v and bits[w]]
        once = twice = 0
        for w in near:
            twice |= once & bits[w]
            once |= bits[w]
        forbidden = once
        for w in near:
            forbidden |= around[w] if bits[w] & twice else hubs[w]
        bit = bits[v] = ~forbidden & (forbidden + 1)
        for w in near:
            if around[w] & bit:  # w is the hub
                hubs[v] |= bits[w]
                hubs[spoke[w, bit]] |= bits[w]
            elif bits[w] & twice:  # v is
                hubs[w] |= bit
            around[w] |= bit
            spoke.setdefault((w, bit), v)
            spoke.setdefault((v, bits[w]), w)
        around[v] = once
    return np.array([bit.bit_length() - 1 for bit in bits], dtype=np.intp)


def _places(pattern: Any, colors: np.ndarray, structure: str) -> np.ndarray:
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    columns = pattern.indices.astype(np.intp)

    def by_column() -> np.ndarray:
        return np.asarray(colors[columns] * pattern.shape[0] + rows)

    def by_row() -> np.ndarray:
        return np.asarray(colors[rows] * pattern.shape[1] + columns)

    if structure != "symmetric":
        return by_row() if structure == "rows" else by_column()
    _, where, counts = np.unique(by_column(), return_inverse=True, return_counts=True)
    alone = counts[where] == 1  # H[i, j]: row i has no other entry of the colour of j
    return np.where(alone, by_column(), by_row())
