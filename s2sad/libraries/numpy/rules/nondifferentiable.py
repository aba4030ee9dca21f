"""NumPy's functions of which no derivative exists or is wanted: places, tests, counts and integer grids."""

from __future__ import annotations

from s2sad.ir.kinds import BOOL, RANGE, Array, Kind, Scalar, Tuple, dtype_of
from s2sad.ir.nodes import Const
from s2sad.libraries.numpy.rules import kind_shapes
from s2sad.rules import kind_rules
from s2sad.rules.kind_arrays import array_kind, first, literal_of, same, ufunc
from s2sad.rules.kind_rules import Bound, dtype_argument, make, shape_of, sizes_of
from s2sad.rules.registry import alias, nothing

VECTOR = kind_rules.always(Array("int64", (None,)))


def _nonzero(bound: Bound) -> Kind:
    """One vector of places for each axis."""
    shape = shape_of(first(bound))
    return Kind() if not shape else Tuple((Array("int64", (None,)),) * len(shape))


def _selected(bound: Bound) -> Kind:
    """A vector of some items of the array."""
    kind = first(bound)
    return Array(getattr(kind, "dtype", None), (None,))


# --- places

PLACES = kind_shapes.indices_of(kind_shapes.ordered)
nothing(["numpy.argsort(a, axis=-1, kind=None, order=None, *, stable=None)"], kind=PLACES, zero=True)
alias("numpy.argsort", "ndarray.argsort", spelling="method")
nothing(["numpy.nonzero(a)"], kind=_nonzero, zero=True)
alias("numpy.nonzero", "ndarray.nonzero", spelling="method")
nothing(["numpy.flatnonzero(a)"], kind=VECTOR, zero=True)
nothing(["numpy.argwhere(a)"], kind=kind_rules.always(Array("int64", (None, None))), zero=True)
nothing(["numpy.nanargmax(a, axis=None)", "numpy.nanargmin(a, axis=None)"], zero=True)
nothing(["numpy.argpartition(a, kth, axis=-1, kind='introselect', order=None)"], kind=PLACES, zero=True)
nothing(["numpy.lexsort(keys, axis=-1)"], zero=True)
nothing(
    ["numpy.searchsorted(a, v, side='left', sorter=None)"],
    kind=lambda bound: same(lambda _: "int64")({"v": bound["v"]}),
    zero=True,
)
nothing(["numpy.digitize(x, bins, right=False)"], kind=same(lambda _: "int64"), zero=True)
nothing(["numpy.histogram(a, bins=10, range=None, density=None, weights=None)"], why="a count of items jumps")

# --- tests

nothing(
    ["numpy.allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)"], kind=kind_rules.always(BOOL), zero=True
)
nothing(
    ["numpy.array_equal(a1, a2, equal_nan=False)", "numpy.array_equiv(a1, a2)"],
    kind=kind_rules.always(BOOL),
    zero=True,
)
nothing(
    ["numpy.isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)"],
    kind=lambda bound: ufunc("equal")({p: bound[p] for p in ("a", "b")}),
    zero=True,
)
nothing(
    ["numpy.isscalar(element)", "numpy.iscomplexobj(x)", "numpy.isrealobj(x)"],
    kind=kind_rules.always(BOOL),
    zero=True,
)
nothing(
    [
        "numpy.shares_memory(a, b) -> fresh; looks a, b",
        "numpy.may_share_memory(a, b) -> fresh; looks a, b",
        "s2sad.runtime.any_shares(pieces, whole) -> fresh; looks pieces, whole",
    ],
    kind=kind_rules.always(BOOL),
    zero=True,
)
nothing(["numpy.isin(element, test_elements)"], kind=kind_shapes.truths, zero=True)

# --- sets and grids of integers


def _unravelled(bound: Bound) -> Kind:
    """A place along each axis of a shape whose length is known."""
    places, shape = array_kind(bound["indices"].kind), sizes_of(bound["shape"])
    if shape is None or not isinstance(places, Array | Scalar):
        return Kind()
    return Tuple((make("int64", shape_of(places)),) * len(shape))


nothing(["numpy.unravel_index(indices, shape)"], kind=_unravelled, zero=True)

OPTIONS = ("return_index", "return_inverse", "return_counts")


def _distinct(bound: Bound) -> Kind:
    """The distinct items, and for each option what it asks for: places, for each item its place among them, counts."""
    kind, asked = array_kind(first(bound)), [literal_of(bound[option]) for option in OPTIONS]
    if literal_of(bound["axis"], True) is not None or not isinstance(kind, Array | Scalar) or None in asked:
        return Kind()
    shape = shape_of(kind)
    parts = [Array("int64", (None,)), Array("int64", shape if shape and len(shape) == 1 else None), Array("int64", (None,))]
    found = [Array(kind.dtype, (None,)), *(part for part, wanted in zip(parts, asked, strict=True) if wanted)]
    return Tuple(tuple(found)) if len(found) > 1 else found[0]


nothing(
    ["numpy.unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True)"],
    kind=_distinct,
    why="the number of distinct items jumps",
)
nothing(
    [f"numpy.{name}(ar1, ar2)" for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d")],
    why="sets jump",
)
nothing(
    [f"numpy.unique_{name}(x)" for name in ("all", "counts", "inverse", "values")],
    why="the number of distinct items jumps",
)
nothing(["numpy.tril_indices(n, k=0, m=None)", "numpy.triu_indices(n, k=0, m=None)"],
        kind=kind_rules.always(Tuple((Array("int64", (None,)),) * 2)), zero=True)  # fmt: skip
nothing(["numpy.diag_indices(n, ndim=2)", "numpy.diag_indices_from(arr)"], zero=True)
nothing(["numpy.tril_indices_from(arr, k=0)", "numpy.triu_indices_from(arr, k=0)"],
        kind=kind_rules.always(Tuple((Array("int64", (None,)),) * 2)), zero=True)  # fmt: skip
nothing(["numpy.mask_indices(n, mask_func, k=0)"], zero=True)
nothing(
    [f"numpy.{name}(M)" for name in ("bartlett", "blackman", "hamming", "hanning")],
    kind=kind_rules.always(Array("float64", (None,))),
    zero=True,
)


def _places(bound: Bound) -> Kind:
    """A grid of places along each axis of a shape, one behind the other; thin ones are a tuple."""
    shape, dtype = sizes_of(bound["dimensions"]), bound["dtype"]
    if shape is None or literal_of(bound["sparse"], True):
        return Kind()
    return Array("int64" if isinstance(dtype, Const) else dtype_argument(dtype), (len(shape), *shape))


nothing(["numpy.indices(dimensions, dtype=None, sparse=False)"], kind=_places, zero=True)
nothing(["numpy.ravel_multi_index(multi_index, dims)"], zero=True)
nothing(
    [
        "numpy.result_type(*arrays_and_dtypes)",
        "numpy.finfo(dtype)",
        "numpy.iinfo(int_type)",
    ],
    zero=True,
)
def _open_grid(bound: Bound) -> Kind:
    """Places along each axis, which broadcast together."""
    places = [Array("int64", (None,)) if v.kind == RANGE else array_kind(v.kind) for v in bound.values()]
    if any(not isinstance(kind, Array) or kind.rank != 1 or dtype_of(kind) not in ("int64", "bool") for kind in places):
        return Kind()
    sizes = [None if dtype_of(kind) == "bool" else (shape_of(kind) or (None,))[0] for kind in places]
    found = (tuple(n if k == own else 1 for k in range(len(sizes))) for own, n in enumerate(sizes))
    return Tuple(tuple(Array("int64", shape) for shape in found))


nothing(["numpy.ix_(*args) -> holds(args)"], kind=_open_grid, zero=True)
nothing(["numpy.linalg.matrix_rank(A, tol=None, hermitian=False, *, rtol=None)"], zero=True)
