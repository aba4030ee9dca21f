"""SciPy: entered by programs that use it."""

MODULES = (
    "scipy", "scipy.cluster", "scipy.cluster.vq", "scipy.constants", "scipy.fft", "scipy.integrate",
    "scipy.interpolate", "scipy.linalg", "scipy.ndimage", "scipy.optimize", "scipy.signal", "scipy.signal.windows",
    "scipy.sparse", "scipy.sparse.csgraph", "scipy.sparse.linalg", "scipy.spatial", "scipy.spatial.distance",
    "scipy.spatial.transform", "scipy.special", "scipy.stats", "scipy.stats.distributions",
)  # fmt: skip
