"""Samples of scipy.special: distribution functions, elliptic integrals, relatives of Bessel functions."""

from __future__ import annotations

import numpy as np
from samples_scipy_special import fixed, pair, real
from sampling import Sample, arr, binary, call, unary

SPECIAL_MORE: dict[str, list[Sample]] = {
    **{
        f"scipy.special.{name}": [call(2, 5, 0.3), call(1, 4, arr(3, low=0.2, high=0.8))]
        for name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc", "bdtri", "nbdtri")
    },
    "scipy.special.pdtri": [call(2, 0.3), call(1, arr(3, low=0.2, high=0.8))],
    **{f"scipy.special.{n}": fixed("dfn dfd", 3.2, 4.1, low=0.3, high=2.0) for n in ("fdtr", "fdtrc")},
    "scipy.special.fdtri": fixed("dfn dfd", 3.2, 4.1, low=0.2, high=0.8),
    "scipy.special.stdtrit": fixed("df", 2.7, low=0.2, high=0.8),
    "scipy.special.chdtri": fixed("v", 2.7, low=0.2, high=0.8),
    **{
        f"scipy.special.{n}": [
            call(0.7, 1.6, 1.3, fixed="b"),
            call(arr(3, low=0.5), 1.6, arr(2, 1, low=0.5), fixed="b"),
        ]
        for n in ("gdtr", "gdtrc")
    },
    "scipy.special.gdtrix": [call(0.7, 1.6, 0.3, fixed="b"), call(arr(3, low=0.5), 1.6, 0.4, fixed="b")],
    "scipy.special.gdtria": [call(0.3, 1.6, 0.7, fixed="b"), call(0.4, 1.6, arr(3, low=0.5), fixed="b")],
    "scipy.special.chndtr": [call(0.7, 3.2, 1.1, fixed="df"), call(arr(3, low=0.5), 3.2, 1.1, fixed="df")],
    "scipy.special.chndtrix": [
        call(0.3, 3.2, 1.1, fixed="df"),
        call(arr(3, low=0.3, high=0.7), 3.2, 1.1, fixed="df"),
    ],
    "scipy.special.nrdtrimn": [call(0.3, 1.2, 0.7), call(arr(3, low=0.2, high=0.8), 1.2, arr(2, 1))],
    "scipy.special.nrdtrisd": [call(0.2, 0.7, 1.3), call(0.2, arr(3, low=0.6, high=0.9), 1.3)],
    "scipy.special.kolmogorov": [*real(0.4, 2.0), call(0.05)],
    "scipy.special.kolmogi": real(0.2, 0.8),
    "s2sad.libraries.scipy.runtime.digamma_step": [*binary(0.5, 30.0, complex=False), call(-1.3, 0.5), call(2.5, -1.3)],
    "s2sad.libraries.scipy.runtime.beta_slope": [*binary(0.5, 30.0, complex=False), call(-1.3, 0.5), call(2.5, -1.3)],
    "s2sad.libraries.scipy.runtime.poch_slope": [*binary(0.5, 3.0, complex=False), call(-1.3, 0.5), call(2.5, -1.3)],
    "s2sad.libraries.scipy.runtime.binom_slope": [
        call(k, x, y)
        for k in (0, 1)
        for x, y in ((5.3, 2.4), (arr(3, low=3.0, high=9.0), arr(2, 1, low=0.4, high=2.7)), (2.4, -0.7))
    ],
    "s2sad.libraries.scipy.runtime.exprel_derivative": [
        call(n, x) for n in (1, 2) for x in (0.7, arr(3, low=-20.0, high=20.0), arr(2, low=-1.2e3, high=-0.9e3))
    ],
    "s2sad.libraries.scipy.runtime.log_ratio": binary(0.5, 2.0, complex=False),
    "s2sad.libraries.scipy.runtime.wofz_derivative": [
        call(n, z)
        for n in (1, 2)
        for z in (0.7, arr(3, low=-20.0, high=20.0), arr(2, 3, low=-1.0, high=15.0, dtype="complex128"))
    ],
    "s2sad.libraries.scipy.runtime.elliprd_slope": [call(k, 0.7, arr(3, low=0.4), 1.3) for k in range(3)],
    "s2sad.libraries.scipy.runtime.elliprj_slope": [call(k, 0.7, arr(3, low=0.4), 1.3, 2.1) for k in range(4)],
    "s2sad.libraries.scipy.runtime.kolmogorov_derivative": [call(1, 0.7), call(2, arr(3, low=0.4, high=1.5))],
    "scipy.special.tklmbda": [call(0.4, 0.3), call(arr(3), np.array([[0.3], [0.7]])), call(arr(3), -0.4)],
    "scipy.special.voigt_profile": [
        call(0.4, 0.8, 0.3),
        call(arr(3), 0.8, arr(2, 1, low=0.2)),
        call(0.4, 0.8, 0.0),
    ],
    "scipy.special.rgamma": [*unary(0.6, 3.0), call(-1.0), call(0.0), call(arr(4, low=-2.9, high=-0.1))],
    "scipy.special.wofz": unary(-0.9, 1.2),
    "scipy.special.diric": [
        call(0.7, 3),
        call(0.0, 4),
        call(arr(3), 4),
        call(arr(2, 3), np.array([3, 4, 5])),
    ],
    "s2sad.libraries.scipy.runtime.diric_derivative": [call(1, 0.7, 3), call(2, arr(3), np.array([[3], [4]]))],
    "scipy.special.shichi": [*unary(0.5, 2.0)],
    "scipy.special.besselpoly": [call(0.7, 1.5, 2.0, fixed="lmb nu"), call(arr(3, low=0.2, high=2.0), 1, 0, fixed="lmb nu")],
    "scipy.special.wright_bessel": [call(0.5, 1.2, x, fixed="a b") for x in (0.7, arr(3, low=0.2, high=2.0))],
    "scipy.special.log_wright_bessel": [
        call(0.5, 1.2, x, fixed="a b") for x in (0.7, arr(3, low=0.2, high=2.0))
    ],
    "scipy.special.agm": pair(0.5, 2.0),
    "scipy.special.ellipkm1": real(0.1, 1.0),
    **{
        f"scipy.special.{n}": [
            *(call(phi, 0.6) for phi in (0.5, 2.1, -3.4, arr(3, low=0.2, high=1.2))),
            call(arr(2, 1, low=0.2, high=1.2), arr(3, low=-0.5, high=0.8)),
        ]
        for n in ("ellipkinc", "ellipeinc")
    },
    "scipy.special.elliprc": pair(0.5, 2.0),
    **{
        f"scipy.special.{n}": [call(0.7, 1.3, 2.1), call(arr(3, low=0.4), arr(2, 1, low=1.1, high=1.4), 2.1)]
        for n in ("elliprd", "elliprf", "elliprg")
    },
    "scipy.special.elliprj": [call(0.7, 1.3, 2.1, 0.9), call(arr(3, low=0.4), 1.3, 2.1, 2.7)],
    "scipy.special.airye": [call(0.7), call(arr(3, low=0.2, high=2.0))],
    **{f"scipy.special.{n}": real(0.5, 2.0) for n in ("itj0y0", "iti0k0", "it2j0y0", "it2i0k0")},
    "scipy.special.itairy": real(0.2, 0.9),
    **{f"scipy.special.{n}": [*real(-1.0, 2.0), call(0.0)] for n in ("ber", "bei", "berp", "beip")},
    **{f"scipy.special.{n}": real(0.4, 2.0) for n in ("ker", "kei", "kerp", "keip", "kelvin")},
    **{
        f"scipy.special.{n}": [
            call(v, x, fixed="v") for v in (0, 1.5) for x in (0.7, arr(3, low=0.2, high=2.0))
        ]
        + [call(0, 0.0)]
        for n in ("struve", "modstruve")
    },
    **{f"scipy.special.{n}": real(0.5, 2.0) for n in ("itstruve0", "it2struve0", "itmodstruve0")},
    **{
        f"scipy.special.{n}": [call(1.3, x, fixed="v a") for x in (0.7, arr(3))]
        for n in ("pbdv", "pbvv", "pbwa")
    },
    "scipy.special.lpmv": [call(m, v, x) for m, v in ((0, 0), (1, 3), (3, 3)) for x in (0.3, arr(3))],
    "scipy.special.eval_sh_jacobi": [
        call(n, 3.2, 1.5, x, fixed="p q") for n in (0, 1, 4) for x in (0.3, arr(3))
    ],
    "scipy.special.sph_harm_y": [
        call(3, m, x, y) for m in (-3, -2, 0, 3) for x, y in ((0.7, 0.4), (arr(3, low=0.2), arr(2, 1)))
    ],
    "scipy.special.assoc_laguerre": [call(arr(3), n, k, fixed="k") for n in (0, 1, 3) for k in (0.0, 1.5)],
}
