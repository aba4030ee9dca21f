"""Samples of statistics, of differences and integrals, and of the helpers that their rules use."""

from __future__ import annotations

import numpy as np
from sampling import Sample, arr, call, reductions

NAN = np.nan
HOLES = np.array([[1.0, NAN, 2.0, -0.5], [2.5, 3.0, 0.7, NAN], [0.4, -1.0, 1.5, 0.2]])
MASK = np.array([True, False, True, True])
WIDE = np.array([[True, False, True, True], [False, True, True, False], [True, True, True, True]])
ROWS = np.array([[True], [False], [True]])
ONE_ROW = [((3, 1), {"axis": 1}), ((1, 3), {"axis": 0, "keepdims": True})]


def masked(**options: object) -> list[Sample]:
    """Masks of the shape of the items, and others that are stretched to it."""
    y = arr(3, 4)
    return [
        call(arr(4), where=MASK, **options),
        call(y, where=WIDE, **options),
        call(y, 0, where=WIDE, **options),
        call(y, axis=1, keepdims=True, where=MASK, **options),
        call(y, axis=0, where=ROWS, **options),
        call(arr(3, 4, dtype="float32"), axis=1, where=WIDE, **options),
        call(y, where=True, **options),
    ]


def started(*initial: float) -> list[Sample]:
    """Starts of various sizes, alone and with a mask."""
    return [
        sample
        for value in initial
        for sample in (
            call(arr(4), initial=value),
            call(arr(3, 4), axis=1, initial=value),
            call(arr(3, 4), axis=0, keepdims=True, initial=value, where=WIDE),
        )
    ]


def holey(complex: bool = True) -> list[Sample]:
    """Reductions without NaN, and some with."""
    return [
        *reductions(complex=complex),
        call(np.array([1.0, NAN, 2.0])),
        call(HOLES),
        call(HOLES, axis=0),
        call(HOLES, axis=1, keepdims=True),
        call(HOLES.astype("float32"), axis=1),
    ]


def spread_out(samples: list[Sample]) -> list[Sample]:
    """Without the samples that have one item in each lane, whose deviation has a corner there."""
    return [s for s in samples if (np.shape(s.args[0]), s.kwargs) not in ONE_ROW]


OPTIONS: dict[str, list[Sample]] = {
    "numpy.sum": [*masked(), *started(0.7), call(0.7, initial=0.2), call(0.7, where=True)],
    "numpy.mean": masked(),
    "numpy.max": [*started(-3.0, 0.1), *[s for s in masked(initial=-5.0) if len(s.kwargs) > 1]],
    "numpy.min": started(3.0, -0.1),
    "numpy.prod": [*masked(), *started(0.7, -1.2)],
    "numpy.var": [*masked(), *masked(ddof=1), call(arr(5), correction=1)],
    "numpy.std": [*masked(), call(arr(3, 4), axis=0, correction=1)],
}

QUANTILES = [
    call(arr(5), 0.3, fixed="q"),
    call(arr(5), 0.3),
    call(arr(6), 0.71),
    call(arr(3, 4), 0.4, axis=0),
    call(arr(3, 4), 0.4, 1, keepdims=True),
    call(arr(2, 3, 4), 0.62, axis=(0, 2)),
    call(arr(7), np.array([0.21, 0.55, 0.9])),
    call(arr(3, 4), np.array([[0.21, 0.55], [0.9, 0.13]]), axis=1),
    call(arr(3, 4), np.array([0.21, 0.55]), axis=-1, keepdims=True),
    call(arr(3, 4), [0.25, 0.75], axis=0, fixed="q"),
    call(arr(5, dtype="float32"), 0.3),
    call(arr(4), 0, fixed="q"),
    call(arr(4), 1.0, fixed="q"),
    call(arr(1), 0.4, fixed="q"),
    *[
        call(arr(7), 0.37, method=method)
        for method in (
            "hazen",
            "weibull",
            "median_unbiased",
            "normal_unbiased",
            "interpolated_inverted_cdf",
            "lower",
            "higher",
            "nearest",
            "midpoint",
            "inverted_cdf",
            "averaged_inverted_cdf",
            "closest_observation",
        )
    ],
    call(arr(5), 0.01, method="weibull"),
]


def percent(samples: list[Sample]) -> list[Sample]:
    """The same with levels between 0 and 100."""

    def scaled(q: object) -> object:
        return [100 * item for item in q] if isinstance(q, list) else 100 * q  # type: ignore[operator]

    return [s._replace(args=(s.args[0], scaled(s.args[1]), *s.args[2:])) for s in samples]


NAN_QUANTILES = [call(HOLES, 0.3), call(HOLES, 0.3, axis=0), call(HOLES, np.array([0.21, 0.7]), axis=1)]
MEDIANS = [
    call(arr(5)),
    call(arr(6)),
    call(arr(3, 4), axis=0),
    call(arr(3, 4), axis=1, keepdims=True),
    call(arr(2, 3, 4), axis=(0, 1)),
    call(arr(6, dtype="float32")),
    call(0.7),
]
MATRICES = [
    call(arr(3, 5)),
    call(arr(5)),
    call(arr(3, 5), rowvar=False),
    call(arr(2, 5), arr(3, 5, seed=4)),
    call(arr(5), arr(5, seed=4)),
    call(arr(5, 2), arr(5, seed=4), False),
    call(arr(3, 5, dtype="float32")),
]

STATISTICS: dict[str, list[Sample]] = {
    "numpy.nanmean": [*holey(), call(0.7)],
    "numpy.nanvar": [*holey(), call(HOLES, axis=1, ddof=1), call(HOLES, axis=1, correction=1)],
    "numpy.nanstd": [*spread_out(holey()), call(HOLES, axis=1, ddof=1), call(HOLES, axis=1, correction=1)],
    "numpy.nanmax": [*holey(complex=False), call(0.7)],
    "numpy.nanmin": holey(complex=False),
    "numpy.nanprod": [*holey(), call(np.array([0.0, NAN, 2.0, 3.0]))],
    "numpy.nancumsum": [call(arr(4)), call(HOLES), call(HOLES, axis=0), call(HOLES, 1)],
    "numpy.nancumprod": [
        call(arr(4)),
        call(HOLES),
        call(HOLES, axis=0),
        call(np.array([2.0, NAN, 0.0, 3.0])),
    ],
    "numpy.ptp": [
        s for s in spread_out(reductions(complex=False)) if s.kwargs.get("axis", 9) is not None or s.kwargs
    ],
    "numpy.quantile": QUANTILES,
    "numpy.percentile": percent(QUANTILES),
    "numpy.nanquantile": [*QUANTILES, *NAN_QUANTILES],
    "numpy.nanpercentile": percent([*QUANTILES, *NAN_QUANTILES]),
    "numpy.median": MEDIANS,
    "numpy.nanmedian": [*MEDIANS, call(HOLES), call(HOLES, axis=0)],
    "numpy.cov": [
        *MATRICES,
        call(arr(3, 5), bias=True),
        call(arr(3, 5), ddof=2),
        call(arr(3, 5), fweights=np.array([1, 2, 1, 3, 1])),
        call(arr(3, 5), aweights=arr(5, low=0.2), fixed="aweights"),
        call(
            arr(5),
            arr(5, seed=4),
            ddof=0,
            fweights=np.array([1, 2, 1, 3, 1]),
            aweights=arr(5, low=0.2),
            fixed="aweights",
        ),
        call(arr(3, 5, dtype="complex128")),
        call(arr(2, 5, dtype="complex128"), arr(5)),
    ],
    "numpy.corrcoef": [s for s in MATRICES if len(s.args) > 1 or np.ndim(s.args[0]) > 1],
    "numpy.bincount": [
        call(np.array([0, 2, 2, 1]), arr(4)),
        call(np.array([0, 2, 2]), weights=arr(3), minlength=5),
        call(np.array([0, 2, 2]), arr(3, dtype="float32")),
    ],
}

X, XS = np.array([0.1, 0.4, 0.5, 0.9, 1.2]), np.array([0.1, 0.4, 0.5, 0.9])
DIFFERENCES: dict[str, list[Sample]] = {
    "numpy.diff": [
        call(arr(4), prepend=0.3),
        call(arr(4), append=0.3),
        call(arr(4), prepend=arr(2), append=arr(3)),
        call(arr(4), 2, prepend=0.1, append=0.3),
        call(arr(3, 4), axis=0, prepend=0.3),
        call(arr(3, 4), prepend=arr(3, 1), append=arr(3, 2)),
        call(arr(4, dtype="float32"), prepend=0.3),
    ],
    "numpy.ediff1d": [
        call(arr(4)),
        call(arr(2, 3)),
        call(arr(4), to_end=0.3),
        call(arr(4), to_begin=arr(2)),
        call(arr(2, 3), arr(2, 2), 0.3),
    ],
    "numpy.gradient": [
        call(arr(5)),
        call(arr(5), 0.3),
        call(arr(5), X, fixed="varargs0"),
        call(arr(5), 0.3, edge_order=2),
        call(arr(5), X, edge_order=2, fixed="varargs0"),
        call(arr(5, 4), axis=0),
        call(arr(3, 4), 0.3, axis=-1),
        call(arr(3, 4), XS, axis=1, edge_order=2, fixed="varargs0"),
        call(arr(2)),
        call(arr(3), edge_order=2),
        call(arr(5, dtype="float32"), 0.5),
        call(arr(5, dtype="complex128"), 0.5),
    ],
    "numpy.trapezoid": [
        call(arr(5), fixed="dx"),
        call(arr(5), X, fixed="dx"),
        call(arr(5), dx=0.3),
        call(arr(3, 4), XS, fixed="dx"),
        call(arr(3, 4), arr(3), axis=0, fixed="dx"),
        call(arr(3, 4), arr(3, 4, seed=3), axis=0, fixed="dx"),
        call(arr(3, 4), axis=0, dx=0.5),
        call(arr(5), dx=arr(4)),
        call(arr(5), arr(2), fixed="dx"),  # one interval for all
        call(arr(2), arr(4), fixed="dx"),
        call(arr(3, 4), arr(3, 2, seed=3), fixed="dx"),
        call(arr(2, 4), arr(3), axis=0, fixed="dx"),
        call(arr(4, dtype="float32"), arr(4, seed=3, dtype="float32"), fixed="dx"),
    ],
    "numpy.cumulative_sum": [
        call(arr(4)),
        call(arr(3, 4), axis=1),
        call(arr(4), include_initial=True),
        call(arr(3, 4), axis=0, include_initial=True),
        call(arr(4, dtype="float32")),
    ],
    "numpy.cumulative_prod": [
        call(arr(4)),
        call(arr(3, 4), axis=1),
        call(arr(4), include_initial=True),
        call(arr(3, 4), axis=0, include_initial=True),
        call(np.array([2.0, 0.0, 3.0])),
    ],
    "numpy.unwrap": [
        call(np.array([0.1, 3.0, 6.5, 9.9, 0.3]), fixed="period"),
        call(np.array([[0.1, 3.0], [6.5, 9.9]]), axis=0, fixed="period"),
        call(np.array([0.1, 3.0, 6.5]), period=4.0, fixed="period"),
        call(np.array([0.1, 3.0, 6.5], dtype="float32"), fixed="period"),
    ],
    "numpy.real_if_close": [call(arr(3)), call(arr(2, 3, dtype="float32"))],
}

A = arr(3, 4)
RUNS = [call(arr(6)), call(A), call(A, 1), call(A, axis=-1), call(arr(4, dtype="float32"))]
UFUNC_METHODS: dict[str, list[Sample]] = {
    **{
        f"numpy.{name}.reduce": [
            call(arr(4)),
            call(A),
            call(A, 1),
            call(A, axis=None),
            call(A, axis=(0, 1), keepdims=True),
            call(arr(2, 3, dtype="float32")),
        ]
        for name in ("add", "multiply", "maximum", "minimum", "logaddexp")
    },
    "numpy.add.accumulate": RUNS,
    "numpy.multiply.accumulate": [*RUNS, call(np.array([2.0, 0.0, 3.0]))],
    "numpy.logaddexp.accumulate": [*RUNS, call(np.array([700.0, -3.0, 800.0, 799.0])), call(np.array([2.0, 2.0, -60.0]))],
    "numpy.maximum.accumulate": RUNS,
    "numpy.minimum.accumulate": RUNS,
    "numpy.add.reduceat": [
        call(arr(6), np.array([0, 3, 1, 5])),
        call(A, np.array([0, 2]), 1),
        call(A, np.array([0, 2, 2])),
        call(arr(6, dtype="float32"), np.array([0, 3])),
    ],
}
UFUNC_OPTIONS: dict[str, list[Sample]] = {
    **{
        f"numpy.{name}.reduce": [call(A, where=WIDE, initial=0.6), call(A, 1, where=MASK, initial=-0.6)]
        for name in ("add", "multiply", "maximum", "minimum")
    },
    "numpy.add.reduce": [call(arr(3, dtype="float32"), dtype="float64")],
}

G = arr(2, 3, seed=9)
STATISTICS_HELPERS: dict[str, list[Sample]] = {
    f"s2sad.runtime.{name}": samples
    for name, samples in {
        "quantile_push": [
            call(arr(5, seed=3), arr(5), 0.3, fixed="a"),
            call(arr(5, seed=3), arr(5), 0.3, None, False, "linear", False, 1, fixed="a"),
            call(arr(3, 4, seed=3), arr(3, 4), np.array([0.2, 0.7]), 1, fixed="a"),
            call(arr(3, 4, seed=3), HOLES, 0.3, 0, True, "linear", True, fixed="a"),
            call(arr(5, seed=3), arr(5), 0.3, order=2, fixed="a"),
        ],
        "quantile_pull": [
            call(0.7, arr(5), 0.3, fixed="a"),
            call(0.7, arr(5), 0.3, order=1, fixed="a"),
            call(arr(2, 3, seed=3), arr(3, 4), np.array([0.2, 0.7]), 1, fixed="a"),
            call(arr(1, 4, seed=3), HOLES, 0.3, 0, True, "linear", True, fixed="a"),
        ],
        "variables": [call(arr(3)), call(G), call(G, False), call(0.7)],
        "all_variables": [call(arr(3), G), call(G, arr(2, 4), False), call(arr(0, 3), G)],
        "variables_adjoint": [
            call(arr(1, 3), arr(3), fixed="m"),
            call(G, G, fixed="m"),
            call(G, arr(3, 2), False, fixed="m"),
        ],
        "diff_part": [
            call(arr(6), 1, arr(3), 0.3, arr(2), fixed="a prepend append"),
            call(arr(6), 0, arr(3), 0.3, arr(2), fixed="a prepend append"),
            call(arr(6), 2, arr(3), 0.3, arr(2), fixed="a prepend append"),
            call(arr(4, 3), 0, arr(3, 3), 0.3, None, 0, fixed="a prepend"),
        ],
        "diff_part_adjoint": [
            call(arr(3), 1, arr(3), 0.3, arr(2), fixed="a prepend append"),
            call(arr(2), 2, arr(3), 0.3, arr(2), fixed="a prepend append"),
        ],
        "trapezoid_adjoint": [
            call(0.7, arr(5), X, fixed="y dx"),
            call(0.7, arr(5), dx=0.3, fixed="y"),
            call(arr(4), arr(3, 4), arr(3), axis=0, fixed="y dx"),
        ],
        "trapezoid_adjoint_x": [
            call(0.7, arr(5), X, fixed="x"),
            call(arr(4), arr(3, 4), arr(3), 0, fixed="x"),
            call(arr(3), arr(3, 4), arr(3, 4), fixed="x"),
        ],
        "trapezoid_adjoint_dx": [
            call(0.7, arr(5), 0.3, fixed="dx"),
            call(arr(4), arr(3, 4), 0.3, 0, fixed="dx"),
        ],
        "gradient_adjoint": [
            call(arr(5), fixed="spacing"),
            call(arr(5), 0.3),
            call(arr(5), X, fixed="spacing"),
            call(G, 0.5, 1, 2),
        ],
        "reduceat_adjoint": [
            call(arr(4), arr(6), np.array([0, 3, 1, 5]), fixed="a"),
            call(arr(2, 3), arr(5, 3), np.array([0, 2]), fixed="a"),
        ],
        "histogram_weighted": [
            call(np.array([0.1, 0.5, 0.9, 1.0]), arr(4), 3, fixed="a"),
            call(np.array([0.1, 0.5, 0.9, 1.0]), arr(4), np.array([0.0, 0.4, 1.0]), fixed="a bins"),
        ],
        "histogram_adjoint": [
            call(arr(3), np.array([0.1, 0.5, 0.9, 1.0]), arr(4), 3, fixed="a weights"),
            call(arr(2), np.array([0.1, 0.5, 0.9, 1.4]), arr(4), 2, (0.0, 1.0), fixed="a weights range"),
        ],
        "fraction": [call(2.7), call(arr(4, low=-3.0, high=3.0)), call(arr(3, dtype="float32"))],
        "mantissa": [
            call(2.7),
            call(arr(4, low=-3.0, high=3.0)),
            call(arr(3, low=0.55, high=0.95, dtype="float32")),
        ],
    }.items()
}

STATISTICS_STEPS: dict[str, list[Sample]] = {
    "s2sad.runtime.count_where": [
        call(WIDE, HOLES, 0),
        call(MASK, HOLES),
        call(MASK, HOLES.astype("float32"), 1, True),
    ],
    "s2sad.runtime.item_shares": [
        call(arr(4), arr(4).max(), MASK),
        call(HOLES, HOLES.max(axis=0), WIDE, 5.0, 0),
    ],
    "s2sad.runtime.running_place": [call(arr(4), np.maximum.accumulate(arr(4)))],
    "s2sad.runtime.exponent": [call(2.7), call(arr(3))],
    "numpy.bincount": [call(np.array([0, 2, 2, 1]))],
    "numpy.histogram_bin_edges": [call(arr(5), 3)],
    "numpy.median": [call(np.array([3, 1, 2]))],
    "numpy.ptp": [call(np.array([3, 1, 2]))],
    "numpy.any": [call(WIDE, axis=0, where=MASK)],
    "numpy.logical_or.reduce": [call(WIDE), call(WIDE, axis=1)],
    "numpy.logical_and.reduce": [call(WIDE), call(WIDE, axis=None)],
}
