"""Traits of NumPy's functions, which passes ask for besides their rules (``rules/traits.py``)."""

from __future__ import annotations

import numpy as np

from s2sad.rules.traits import have

_OTHERS = ("power", "pow", "float_power", "ldexp")
_ELEMENTWISE = {
    f"numpy.{name}" for name, f in vars(np).items()  # what stands there alone: a look at other names imports modules
    if isinstance(f, np.ufunc) and f.signature is None and name not in _OTHERS
}

have("arranges", "ndarray.T numpy.transpose numpy.flip numpy.reshape numpy.ravel numpy.squeeze numpy.expand_dims")
have("arranges", "numpy.swapaxes")
have("arranges", "numpy.moveaxis numpy.broadcast_to")
have("contracts", "numpy.einsum")
have("moves", "numpy.reshape numpy.transpose ndarray.T ndarray.ravel")
have("copies", "numpy.copy ndarray.copy")
have("shaped as 1", "s2sad.runtime.broadcast_like s2sad.runtime.unbroadcast s2sad.runtime.seed s2sad.runtime.as_long_as")
have("shaped as 0", "numpy.zeros_like numpy.copy numpy.full_like ndarray.copy ndarray.astype s2sad.runtime.stand_in")
have("joins", "numpy.concatenate numpy.concat numpy.hstack")
have("stacks", "numpy.stack")
have("puts into an array", "numpy.array numpy.asarray")
have("scatters", "numpy.add.at numpy.subtract.at")
have("makes zeros", "numpy.zeros_like numpy.zeros")
have("makes room", "numpy.empty_like")
have("tells sizes", "ndarray.shape ndarray.size numpy.shape numpy.size")
have("reads well in place", "ndarray.shape ndarray.size ndarray.ndim ndarray.dtype ndarray.T")
have("asks for sizes", "ndarray.shape ndarray.ndim ndarray.size ndarray.dtype")
have("tells zeros apart", "numpy.copysign numpy.arctan2 numpy.atan2 numpy.signbit numpy.angle numpy.reciprocal numpy.divide")
have("writes by pieces", "numpy.concatenate numpy.stack")
have("commutes", "numpy.add numpy.multiply numpy.maximum numpy.minimum")
have("commutes for vectors", "numpy.dot numpy.vdot numpy.inner numpy.matmul")
have("odd by 0", "numpy.matmul numpy.dot numpy.vdot numpy.outer numpy.sum numpy.multiply numpy.divide ndarray.sum")
have("odd by 0", "numpy.mean")
have("odd by 0", "ndarray.mean ndarray.T numpy.transpose numpy.flip numpy.reshape numpy.swapaxes numpy.moveaxis")
have("odd by 1", "numpy.matmul numpy.dot numpy.vdot numpy.outer numpy.multiply numpy.linalg.solve")
have("sums", "numpy.sum ndarray.sum numpy.mean ndarray.mean")
have("not negative", "numpy.abs numpy.absolute numpy.exp numpy.square")
have("picks", "numpy.max numpy.amax ndarray.max numpy.min numpy.amin ndarray.min")
have("exponential", "numpy.exp")
have("logarithm", "numpy.log")
have("counts", "numpy.arange")
have("within one", "numpy.sin numpy.cos numpy.tanh numpy.sign s2sad.runtime.sech2 s2sad.runtime.ge_share s2sad.runtime.ties")
have("square root", "numpy.sqrt")
have("steep", "numpy.sqrt numpy.cbrt numpy.arcsin numpy.asin numpy.arccos numpy.acos numpy.arccosh numpy.acosh")
have("steep", "numpy.arctan2")
have("steep", "numpy.atan2 numpy.emath.sqrt numpy.lib.scimath.sqrt")
have("multiplies", "numpy.multiply")
have("adds", "numpy.add numpy.subtract numpy.negative numpy.float64")
have("shares", "numpy.maximum numpy.minimum numpy.fmax numpy.fmin numpy.clip ndarray.clip")
have("steep in the base", "numpy.power numpy.pow numpy.float_power")
have("of a matrix", "numpy.linalg.inv numpy.linalg.det numpy.linalg.slogdet numpy.linalg.solve numpy.linalg.cholesky")
have("of a matrix", "numpy.linalg.eigh numpy.linalg.eigvalsh numpy.linalg.eig numpy.linalg.eigvals numpy.linalg.svd")
have("of a matrix", "numpy.linalg.qr numpy.linalg.pinv numpy.linalg.lstsq numpy.linalg.matrix_power")
have("of a matrix", "numpy.trace ndarray.trace ndarray.T numpy.transpose numpy.swapaxes numpy.tril numpy.triu")
have("inverse", "numpy.linalg.inv")
have("determinant", "numpy.linalg.det")
have("cofactors", "s2sad.runtime.cofactor")
have("solves", "numpy.linalg.solve")
have("imaginary part", "numpy.imag ndarray.imag")
have("by contents", "numpy.trim_zeros")
have("one of a kind", "numpy.errstate numpy.printoptions")
have("tells apart", "numpy.shares_memory numpy.may_share_memory")
have("entered again", "numpy.errstate")
have("orders", "numpy.less numpy.less_equal numpy.greater numpy.greater_equal")
_REFUSING = """
add subtract multiply divide true_divide power float_power mod absolute abs negative positive reciprocal square sqrt matmul
maximum minimum fmax fmin sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh
exp exp2 expm1 log log10 log1p log2 logaddexp hypot fabs
"""
have("refuses None", " ".join(f"numpy.{name}" for name in _REFUSING.split()))
have("cannot fail", "ndarray.shape ndarray.size ndarray.ndim ndarray.dtype ndarray.T ndarray.real ndarray.imag ndarray.flat")
have("cannot fail", "numpy.shape numpy.ndim")
have("cannot fail", "numpy.copy ndarray.copy numpy.zeros_like numpy.ones_like numpy.empty_like numpy.size")
have("fails by kinds", "numpy.asarray numpy.array numpy.float64 numpy.real numpy.imag numpy.ravel ndarray.ravel")
have("fails by kinds", "numpy.isscalar numpy.atleast_1d")
have("fails by kinds", "numpy.atleast_2d numpy.full_like")
have("fails by shapes", " ".join(sorted(_ELEMENTWISE)))
have("fails by shapes", "numpy.where numpy.round numpy.clip")
have("fails along axes", "numpy.sum numpy.mean numpy.prod numpy.any numpy.all numpy.cumsum numpy.std numpy.var numpy.sort")
have("fails along axes", "ndarray.sum ndarray.mean ndarray.prod ndarray.any ndarray.all ndarray.cumsum ndarray.std")
have("fails along axes", "ndarray.var")
have("raises to powers", "numpy.power numpy.float_power")
have("multiplies matrices", "numpy.matmul numpy.dot ndarray.dot numpy.inner numpy.vdot")
