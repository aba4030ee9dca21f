"""Traits of NumPy's functions, which passes ask for besides their rules (``rules/traits.py``)."""

from __future__ import annotations

from s2sad.rules.traits import have

have("arranges", "ndarray.T numpy.transpose numpy.flip numpy.reshape numpy.ravel numpy.squeeze numpy.expand_dims numpy.swapaxes")
have("arranges", "numpy.moveaxis numpy.broadcast_to")
have("moves", "numpy.reshape numpy.transpose ndarray.T ndarray.ravel")
have("copies", "numpy.copy ndarray.copy")
have("makes zeros", "numpy.zeros_like numpy.zeros")
have("tells sizes", "ndarray.shape ndarray.size numpy.shape numpy.size")
have("commutes", "numpy.add numpy.multiply numpy.maximum numpy.minimum")
have("odd by 0", "numpy.matmul numpy.dot numpy.vdot numpy.outer numpy.sum numpy.multiply numpy.divide ndarray.sum numpy.mean")
have("odd by 0", "ndarray.mean ndarray.T numpy.transpose numpy.flip numpy.reshape numpy.swapaxes numpy.moveaxis")
have("odd by 1", "numpy.matmul numpy.dot numpy.vdot numpy.outer numpy.multiply numpy.linalg.solve")
have("sums", "numpy.sum ndarray.sum numpy.mean ndarray.mean")
have("not negative", "numpy.abs numpy.absolute numpy.exp numpy.square")
have("square root", "numpy.sqrt")
have("steep", "numpy.sqrt numpy.cbrt numpy.arcsin numpy.asin numpy.arccos numpy.acos numpy.arccosh numpy.acosh numpy.arctan2")
have("steep", "numpy.atan2 numpy.emath.sqrt numpy.lib.scimath.sqrt")
have("multiplies", "numpy.multiply")
have("shares", "numpy.maximum numpy.minimum numpy.fmax numpy.fmin numpy.clip ndarray.clip")
have("steep in the base", "numpy.power numpy.pow numpy.float_power")
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
