"""SciPy's functions written as programs, over what has rules: ``frontend.lower.prelude_calls`` puts them in its place.

A module holds the forms of the functions of one of SciPy's packages, by their names and with their parameters. They are
never called: what is derived is a program that calls them, and their text with it. They compute what SciPy does, up to
rounding errors; what they do not cover are options that they do not have.
"""

from __future__ import annotations

from s2sad.rules.rooms import Prelude

DOUBLE = frozenset({
    "linregress", "decimate", "euclidean", "seuclidean", "canberra", "braycurtis", "cdist", "pdist", "matmul_toeplitz",
    "CubicSpline", "CubicHermiteSpline", "PchipInterpolator", "pchip_interpolate", "BarycentricInterpolator",
    "barycentric_interpolate", "make_interp_spline", "interpn",
})  # fmt: skip
SAME: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sem", "skew", "kurtosis"), ("a",)),
    "entropy": ("pk", "qk"),
    **dict.fromkeys(("companion", "convolution_matrix"), ("a",)),
    "leslie": ("f", "s"),
    "diagsvd": ("s",),
    **dict.fromkeys(("map_coordinates", "shift", "affine_transform", "zoom"), ("input",)),
    "lfilter": ("b", "a", "x", "zi"),
    "lfilter_zi": ("b", "a"),
    "filtfilt": ("b", "a", "x"),
    "sosfiltfilt": ("sos", "x"),
    **dict.fromkeys(("savgol_filter", "hilbert", "resample", "decimate"), ("x",)),
    "detrend": ("data",),
}
SINGLE: dict[str, dict[str, int]] = {
    **{name: {"a": 2} for name in ("pinvh", "polar", "qr")},
    **{name: {"a": 1} for name in ("companion", "convolution_matrix", "fiedler")},
    **{name: {"A": 2} for name in ("tanm", "tanhm", "fractional_matrix_power")},
    **{name: {"A": 2, "B": 2} for name in ("subspace_angles", "orthogonal_procrustes")},
    "lstsq": {"a": 2, "b": 2},
    "solveh_banded": {"ab": 2, "b": 2},
    "cho_solve_banded": {"cb_and_lower": 2, "b": 2},
    "solve_toeplitz": {"c_or_cr": 1, "b": 2},
    "matmul_toeplitz": {"c_or_cr": 1, "x": 2},
    "solve_circulant": {"c": 1, "b": 2},
    "leslie": {"f": 1, "s": 1},
    "diagsvd": {"s": 1},
}
REAL = frozenset({
    "pinvh", "solve_toeplitz", "solveh_banded", "subspace_angles", "orthogonal_procrustes", "solve_circulant", "matmul_toeplitz",
    "periodogram", "welch",
})  # fmt: skip
PRELUDE = Prelude(
    topics={
        "integrate": ("scipy.integrate",),
        "interpolate": ("scipy.interpolate",),
        "linalg": ("scipy.linalg",),
        "ndimage": ("scipy.ndimage",),
        "optimize": ("scipy.optimize",),
        "signal": ("scipy.signal",),
        "sparse": ("scipy.sparse.linalg", "scipy.sparse"),
        "spatial": ("scipy.spatial.distance",),
        "stats": ("scipy.stats",),
    },
    double=DOUBLE,
    same=SAME,
    complex=frozenset({"hilbert"}),
    real=REAL,
    no_half=frozenset({"linalg"}),  # SciPy computes in single precision, and NumPy's functions refuse
    axes=SINGLE,
)
