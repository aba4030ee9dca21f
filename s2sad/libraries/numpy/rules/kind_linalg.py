"""Kinds of the results of ``numpy.linalg``."""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, Size, Tuple, same_size
from s2sad.ir.nodes import Const
from s2sad.libraries.numpy.rules import kind_products, kind_shapes
from s2sad.rules.kind_arrays import array_kind, first, float_dtype, literal_of, real_float, strong_dtype
from s2sad.rules.kind_rules import Bound, KindRule, broadcast_shapes, make, shape_of

# --- matrices


class Source:
    """The first argument of a call: its dtypes, and the sizes of its axes where they are known."""

    def __init__(self, bound: Bound) -> None:
        kind = first(bound)
        given = getattr(kind, "dtype", None)
        self.dtype = None if given is None else float_dtype(given)
        self.real = None if given is None else real_float(given)
        shape = shape_of(kind)
        self.shape = shape if shape is not None and len(shape) >= 2 else None

    def array(self, *sizes: Size) -> Array:
        """An array with the batch axes and further ones, in the dtype of the argument."""
        return Array(self.dtype, None if self.shape is None else (*self.shape[:-2], *sizes))

    def reals(self, *sizes: Size) -> Array:
        """The same, of real numbers."""
        return Array(self.real, self.array(*sizes).shape)

    @property
    def rows(self) -> Size:
        """The number of rows."""
        return None if self.shape is None else self.shape[-2]

    @property
    def columns(self) -> Size:
        """The number of columns."""
        return None if self.shape is None else self.shape[-1]

    @property
    def least(self) -> Size:
        """The smaller of both."""
        m, n = self.rows, self.columns
        if same_size(m, n):
            return m
        return min(m, n) if isinstance(m, int) and isinstance(n, int) else None


def inverse(bound: Bound) -> Kind:
    """``pinv(a)``: the shape of the transposed matrix."""
    a = Source(bound)
    return a.array(a.columns, a.rows)


def slogdet(bound: Bound) -> Kind:
    """``slogdet(a)``: sign and logarithm."""
    a = Source(bound)
    batch = None if a.shape is None else a.shape[:-2]
    items = tuple(UNKNOWN if batch is None else make(dtype, batch) for dtype in (a.dtype, a.real))
    return Tuple(items, names=("sign", "logabsdet"))


def cond(bound: Bound) -> Kind:
    """``cond(x)``: a real number for a matrix."""
    a = Source(bound)
    return UNKNOWN if a.shape is None or a.real is None else make(a.real, a.shape[:-2])


def matrix_norm(bound: Bound) -> Kind:
    """``matrix_norm(x)``: a real number for a matrix."""
    a, keep = Source(bound), literal_of(bound["keepdims"])
    if a.shape is None or a.real is None or keep is None:
        return UNKNOWN
    return make(a.real, (*a.shape[:-2], 1, 1) if keep else a.shape[:-2])


# --- decompositions


def eigh(bound: Bound) -> Kind:
    """``eigh(a)``: real eigenvalues, and eigenvectors."""
    a = Source(bound)
    return Tuple((a.reals(a.rows), a.array(a.rows, a.rows)), names=("eigenvalues", "eigenvectors"))


def eigvalsh(bound: Bound) -> Kind:
    """``eigvalsh(a)``."""
    a = Source(bound)
    return a.reals(a.rows)


def _spectral(a: Source, *sizes: Size) -> Array:
    """The kind of a spectrum, which may be complex though the matrix is real."""
    dtype = a.dtype if a.dtype is not None and a.dtype.startswith("complex") else None
    return Array(dtype, a.array(*sizes).shape)


def eig(bound: Bound) -> Kind:
    """``eig(a)``: of a real matrix real or complex, depending on its items."""
    a = Source(bound)
    return Tuple((_spectral(a, a.rows), _spectral(a, a.rows, a.rows)), names=("eigenvalues", "eigenvectors"))


def eigvals(bound: Bound) -> Kind:
    """``eigvals(a)``: of a real matrix real or complex, depending on its items."""
    a = Source(bound)
    return _spectral(a, a.rows)


def svdvals(bound: Bound) -> Kind:
    """``svdvals(a)``."""
    a = Source(bound)
    return a.reals(a.least)


def svd(bound: Bound) -> Kind:
    """``svd(a)``: u, s and vh, or s alone."""
    a = Source(bound)
    full, all_three = literal_of(bound["full_matrices"]), literal_of(bound["compute_uv"])
    if all_three is None:
        return UNKNOWN
    if not all_three:
        return svdvals(bound)
    left = a.rows if full else None if full is None else a.least
    right = a.columns if full else None if full is None else a.least
    return Tuple((a.array(a.rows, left), svdvals(bound), a.array(right, a.columns)), names=("U", "S", "Vh"))


def qr(bound: Bound) -> Kind:
    """``qr(a)``: q and r, or r alone."""
    a, mode = Source(bound), literal_of(bound["mode"])
    if mode == "r":
        return a.array(a.least, a.columns)
    if mode in ("reduced", "complete"):
        count = a.least if mode == "reduced" else a.rows
        return Tuple((a.array(a.rows, count), a.array(count, a.columns)), names=("Q", "R"))
    return UNKNOWN


# --- helpers of derivatives


def gaps(bound: Bound) -> Kind:
    """``gaps(w)``: a matrix for a vector."""
    kind = first(bound)
    shape = shape_of(kind)
    return Array(getattr(kind, "dtype", None), (*shape, shape[-1]) if shape else None)


def eigenvectors(bound: Bound) -> Kind:
    """``eigenvectors(a, w)``, which may be complex though the matrix is real."""
    a = Source(bound)
    return _spectral(a, a.rows, a.rows)


def largest(bound: Bound) -> Kind:
    """``largest(v)``: one place for each column."""
    return Array("int64", Source(bound).array(1, Source(bound).columns).shape)


def unsized(param: str) -> KindRule:
    """An array of the dtype of an argument, with as many axes."""

    def rule(bound: Bound) -> Kind:
        kind = array_kind(bound[param].kind)
        shape = shape_of(kind)
        return Array(getattr(kind, "dtype", None), None if shape is None else (None,) * len(shape))

    return rule


# --- systems of equations


def lstsq(bound: Bound) -> Kind:
    """``lstsq(a, b)``: the solution, the residuals, the rank, the singular values."""
    a, b = Source(bound), array_kind(bound["b"].kind)
    shape = shape_of(b)
    dtype = strong_dtype([first(bound), b])
    dtype = None if dtype is None else float_dtype(dtype)
    real = None if dtype is None else real_float(dtype)
    sizes = None if shape is None or a.shape is None else (a.columns, *shape[1:])
    return Tuple(
        (Array(dtype, sizes), Array(real, (None,)), Scalar("int32", weak=False), Array(real, (a.least,)))
    )


def tensorsolve(bound: Bound) -> Kind:
    """``tensorsolve(a, b)``: the axes of a beyond those of b."""
    a, b = first(bound), array_kind(bound["b"].kind)
    m, n = shape_of(a), shape_of(b)
    dtype = strong_dtype([a, b])
    known = m is not None and n is not None
    return Array(None if dtype is None else float_dtype(dtype), m[len(n) :] if known else None)  # type: ignore[index,arg-type]


def tensorinv(bound: Bound) -> Kind:
    """``tensorinv(a, ind)``: the axes from ``ind`` on come first."""
    a, count = first(bound), literal_of(bound["ind"])
    shape, dtype = shape_of(a), getattr(a, "dtype", None)
    turned = None if shape is None or count is None else shape[count:] + shape[:count]
    return Array(None if dtype is None else float_dtype(dtype), turned)


def multi_dot(bound: Bound) -> Kind:
    """``multi_dot(arrays)``: the first and the last may be vectors."""
    kind = bound["arrays"].kind
    if not isinstance(kind, Tuple) or len(kind.items) < 2:
        return UNKNOWN
    items = [array_kind(item) for item in kind.items]
    ends = [shape_of(items[0]), shape_of(items[-1])]
    if ends[0] is None or ends[1] is None:
        return UNKNOWN
    return make(strong_dtype(items), ends[0][:-1] + ends[1][1:])


# --- products


def _products(bound: Bound, left: int, right: int) -> Kind:
    """Products along the last axes, of stacks of what has ``left`` and ``right`` axes."""
    a, b = (array_kind(v.kind) for v in list(bound.values())[:2])
    m, n = shape_of(a), shape_of(b)
    if m is None or n is None or len(m) < left or len(n) < right:
        return UNKNOWN
    batch = broadcast_shapes([m[: len(m) - left], n[: len(n) - right]])
    own = (m[-2],) if left == 2 else (n[-1],) if right == 2 else ()
    return UNKNOWN if batch is None else make(strong_dtype([a, b]), (*batch, *own))


def matvec(bound: Bound) -> Kind:
    """``matvec(x1, x2)``."""
    return _products(bound, 2, 1)


def vecmat(bound: Bound) -> Kind:
    """``vecmat(x1, x2)``."""
    return _products(bound, 1, 2)


def vecdot(bound: Bound) -> Kind:
    """``vecdot(x1, x2)`` along the last axes."""
    return _products(bound, 1, 1) if literal_of(bound["axis"]) == -1 else UNKNOWN


def cross(bound: Bound) -> Kind:
    """``linalg.cross(x1, x2)``, which ``numpy.cross`` does for any axes."""
    axes = dict.fromkeys(("axisa", "axisb", "axisc"), bound["axis"])
    return kind_products.crossed({"a": bound["x1"], "b": bound["x2"], "axis": Const(None), **axes})


def last_diagonal(shape: tuple[Size, ...], bound: Bound) -> tuple[Size, ...] | None:
    """``linalg.diagonal(x)``: along the last axes."""
    return kind_shapes.diagonal(shape, {**bound, "axis1": Const(-2), "axis2": Const(-1)})


def trace(bound: Bound) -> Kind:
    """``linalg.trace(x)``: along the last axes."""
    return kind_shapes.traced({**bound, "axis1": Const(-2), "axis2": Const(-1)})


def transposed(shape: tuple[Size, ...], _: Bound) -> tuple[Size, ...]:
    """``matrix_transpose(x)``."""
    return (*shape[:-2], shape[-1], shape[-2])
