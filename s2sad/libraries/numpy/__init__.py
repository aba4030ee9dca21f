"""NumPy: its rules, and those of the helpers in ``s2sad.runtime`` that stand for derivatives of its functions."""

MODULES = (
    "numpy", "numpy.exceptions", "numpy.fft", "numpy.lib", "numpy.lib.scimath", "numpy.lib.stride_tricks",
    "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.polynomial.chebyshev", "numpy.polynomial.hermite",
    "numpy.polynomial.hermite_e", "numpy.polynomial.laguerre", "numpy.polynomial.legendre",
    "numpy.polynomial.polynomial", "numpy.random", "numpy.typing",
)  # fmt: skip
