"""Samples of scipy.special."""

from __future__ import annotations

import numpy as np
import scipy.special  # noqa: F401  rules find the functions of modules that have been imported
from sampling import Sample, arr, binary, call, unary

ORDERS = [0, 1, 2, 2.5]  # of Bessel functions


def real(low: float, high: float) -> list[Sample]:
    """A function of one real argument."""
    return unary(low, high, complex=False)


def pair(low: float, high: float, second: tuple[float, float] | None = None) -> list[Sample]:
    """A function of two real arguments."""
    return binary(low, high, complex=False, second=second)


def fixed(name: str, *parameters: float, low: float, high: float, complex: bool = False) -> list[Sample]:
    """A function of a real argument, which comes last, with constant parameters named by ``name``."""
    return [call(*parameters, *sample.args, fixed=name) for sample in unary(low, high, complex=complex)]


SPECIAL: dict[str, list[Sample]] = {
    **{f"scipy.special.{n}": unary(0.6, 3.0) for n in ("gamma", "loggamma")},
    "scipy.special.gammaln": [*real(0.6, 3.0), call(-0.7), call(40.0)],
    "scipy.special.psi": [*real(0.6, 3.0), call(-0.7)],
    "scipy.special.polygamma": [
        call(0, arr(3, low=0.6, high=3.0)),
        call(2, 0.7),
        call(1, arr(2, 2, low=0.5, high=3.0)),
    ],
    "scipy.special.zeta": [
        call(2.0, arr(3, low=0.5, high=2.0), fixed="x"),
        call(np.array([2.0, 3.5]), 1.5, fixed="x"),
    ],
    "scipy.special.beta": pair(0.6, 3.0),
    "scipy.special.betaln": pair(0.6, 3.0),
    "scipy.special.poch": pair(0.6, 3.0),
    "scipy.special.binom": [*pair(3.1, 4.4, (0.6, 2.4)), call(5.3, 7.2)],
    "scipy.special.multigammaln": [
        call(arr(3, low=2.0, high=3.0), 3),
        call(2.5, 2),
        call(arr(2, 2, low=1.0, high=2.0), 1),
    ],
    "s2sad.libraries.scipy.runtime.multigammaln_derivative": [call(1, arr(3, low=2.0, high=3.0), 3), call(2, 2.5, 2)],
    **{f"scipy.special.{n}": fixed("a", 1.7, low=0.3, high=3.0) for n in ("gammainc", "gammaincc")},
    **{f"scipy.special.{n}": fixed("a", 1.7, low=0.2, high=0.8) for n in ("gammaincinv", "gammainccinv")},
    **{
        f"scipy.special.{n}": fixed("a b", 1.7, 0.8, low=0.2, high=0.8)
        for n in ("betainc", "betaincc", "betaincinv", "betainccinv")
    },
    **{
        f"scipy.special.{n}": unary(-0.9, 1.2)
        for n in ("erf", "erfc", "erfcx", "erfi", "dawsn", "ndtr", "log_ndtr")
    },
    "scipy.special.erfinv": real(-0.8, 0.8),
    "scipy.special.erfcinv": real(0.2, 1.8),
    "scipy.special.ndtri": real(0.1, 0.9),
    "scipy.special.ndtri_exp": real(-2.0, -0.2),
    **{f"scipy.special.{n}": fixed("v", 2.7, low=0.5, high=3.0) for n in ("chdtr", "chdtrc")},
    **{f"scipy.special.{n}": [call(2, arr(3, low=0.5, high=3.0)), call(1, 0.7)] for n in ("pdtr", "pdtrc")},
    "scipy.special.stdtr": fixed("df", 2.7, low=-1.0, high=3.0),
    "scipy.special.powm1": pair(0.5, 2.0),
    **{
        f"scipy.special.{n}": [
            call(1.5, 0.7, fixed="v"),
            call(1, arr(3, low=0.5, high=2.0)),
            call(0, arr(2, low=0.5), 2),
        ]
        for n in ("jvp", "yvp", "ivp", "kvp")
    },
    **{
        f"scipy.special.{n}": [
            call(1, arr(3, low=0.5, high=2.0)),
            call(0, arr(2, low=0.5, dtype="complex128"), 2),
        ]
        for n in ("h1vp", "h2vp")
    },
    "scipy.special.owens_t": pair(-1.0, 1.5),
    "scipy.special.expit": [*real(-2.0, 2.0), call(40.0), call(-40.0)],
    "scipy.special.log_expit": real(-2.0, 2.0),
    "scipy.special.logit": real(0.1, 0.9),
    "scipy.special.softplus": real(-2.0, 2.0),
    "scipy.special.xlogy": [*binary(0.5, 2.0), call(0.0, arr(3, low=0.5, high=2.0), fixed="x")],
    "scipy.special.xlog1py": binary(0.5, 2.0),
    "scipy.special.entr": real(0.2, 2.0),
    "scipy.special.rel_entr": pair(0.2, 2.0),
    "scipy.special.kl_div": pair(0.2, 2.0),
    **{f"scipy.special.{n}": unary(-0.5, 1.5) for n in ("expm1",)},
    "scipy.special.log1p": unary(0.5, 2.0),
    **{f"scipy.special.{n}": real(-0.9, 1.2) for n in ("exp2", "exp10", "cosm1", "exprel")},
    "scipy.special.cbrt": real(0.5, 2.0),
    **{f"scipy.special.{n}": real(20.0, 70.0) for n in ("sindg", "cosdg", "tandg", "cotdg")},
    "scipy.special.radian": [call(3.0, 2.0, 1.0), call(arr(3), 2.0, arr(2, 1))],
    **{
        f"scipy.special.{n}": [*pair(0.5, 2.0), call(0.7, 0.0), call(arr(3, low=0.5, high=2.0), -0.7)]
        for n in ("boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p")
    },
    "scipy.special.huber": [
        call(0.7, arr(5, low=-2.0, high=2.0)),
        call(arr(3, low=0.5, high=0.7), arr(2, 3, low=-2.0, high=2.0)),
    ],
    "scipy.special.pseudo_huber": pair(0.5, 2.0),
    "scipy.special.exp1": unary(0.5, 2.0),
    "scipy.special.expi": unary(0.5, 2.0),
    "scipy.special.expn": [call(n, arr(3, low=0.5, high=2.0), fixed="n") for n in (0, 1, 3)]
    + [call(np.array([0, 1, 2]), 0.7), call(2, 0.7)],
    "scipy.special.lambertw": [
        call(0.7),
        call(arr(3, low=0.2, high=2.0)),
        call(arr(3, low=0.2, high=2.0, dtype="complex128"), 1),
    ],
    "scipy.special.wrightomega": unary(-1.0, 2.0),
    "scipy.special.spence": [*real(0.3, 3.0), call(1.0)],
    "scipy.special.hyp2f1": fixed("a b c", 0.7, 1.2, 2.3, low=-0.7, high=0.7),
    "scipy.special.hyp1f1": fixed("a b", 0.7, 1.2, low=-0.7, high=0.7),
    "scipy.special.hyp0f1": fixed("v", 1.2, low=-0.7, high=0.7),
    "scipy.special.hyperu": fixed("a b", 0.7, 1.2, low=0.5, high=2.0),
    "scipy.special.ellipk": [*real(-1.0, 0.9), call(0.0)],
    "scipy.special.ellipe": [*real(-1.0, 0.9), call(0.0)],
    "s2sad.libraries.scipy.runtime.scaled_bessel_slope": [
        call(order, sign, x) for order in (0, 1) for sign, x in ((1, arr(3, low=50.0, high=60.0)), (-1, 77.0))
    ],
    "s2sad.libraries.scipy.runtime.fresnel_wave": [
        call(0.7, 0),
        call(arr(4), 1),
        call(arr(3, low=2.0, high=3.0, dtype="float32"), 0),
    ],
    **{
        f"s2sad.libraries.scipy.runtime.{name}": [
            call(arr(3, 4), arr(3, 4, seed=1), axis, fixed="by") for axis in (None, 0, -1, (0, 1))
        ]
        + [call(arr(2, 3, dtype="float32"), np.zeros((2, 3), "float32"), 1, fixed="by")]
        for name in ("centred", "balanced")
    },
    "scipy.special.softmax": [
        call(arr(4)),
        call(arr(2, 3)),
        call(arr(2, 3), 1),
        call(arr(2, 3, 2), axis=(0, 2)),
        call(arr(3, dtype="float32")),
    ],
    "scipy.special.log_softmax": [
        call(arr(4)),
        call(arr(2, 3)),
        call(arr(2, 3), 1),
        call(arr(2, 3, 2), axis=(0, 2)),
        call(arr(3, dtype="float32")),
    ],
    "scipy.special.logsumexp": [
        call(arr(4)),
        call(0.3),
        call(arr(2, 3)),
        call(arr(2, 3), 1),
        call(arr(2, 3), axis=0, keepdims=True),
        call(arr(2, 3, 4), axis=(0, 2)),
        call(arr(3, dtype="float32")),
        call(arr(2, 3, dtype="float32"), axis=1),
        call(arr(2, 3), 1, arr(3, low=0.5)),
        call(arr(2, 3), None, arr(2, 3, low=0.5, seed=2)),
        call(arr(2, 1), b=arr(2, 3, low=0.5)),
        call(arr(2, 1), 1, b=arr(2, 3, low=0.5), keepdims=True),
        call(arr(3), b=0.7),
        call(arr(2, 3), 1, arr(2, 3), return_sign=True),
        call(arr(2, 3), b=arr(3, seed=3), keepdims=True, return_sign=True),
        call(arr(4), return_sign=True),
    ],
    **{f"scipy.special.{n}": real(-2.0, 3.0) for n in ("j0", "j1", "i0", "i1", "i0e", "i1e")},
    **{f"scipy.special.{n}": real(0.5, 3.0) for n in ("y0", "y1", "k0", "k1", "k0e", "k1e")},
    **{
        f"scipy.special.{n}": [s for v in ORDERS for s in fixed("v", v, low=0.5, high=3.0, complex=True)]
        for n in ("jv", "yv", "iv", "kv", "kve", "hankel1", "hankel2", "hankel1e", "hankel2e")
    },
    **{
        f"scipy.special.{n}": [s for v in ORDERS for s in fixed("v", v, low=0.5, high=3.0)]
        for n in ("jve", "yve", "ive")
    },
    **{f"scipy.special.{n}": [call(k, arr(3, low=0.5, high=2.0)) for k in (0, 1, 3)] for n in ("kn", "yn")},
    **{
        f"scipy.special.{n}": [
            call(k, arr(3, low=0.5, high=2.0), flag) for k in (0, 2) for flag in (False, True)
        ]
        + [call(1, 0.7), call(1, arr(2, dtype="complex128"))]
        for n in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
    },
    **{
        f"scipy.special.{n}": [call(k, arr(3)) for k in (0, 1, 2, 5)] + [call(3, arr(2, dtype="float32"))]
        for n in (
            "eval_legendre",
            "eval_chebyt",
            "eval_chebyu",
            "eval_laguerre",
            "eval_hermite",
            "eval_hermitenorm",
            "eval_sh_legendre",
            "eval_sh_chebyt",
            "eval_sh_chebyu",
            "eval_chebyc",
            "eval_chebys",
        )
    },
    **{
        f"scipy.special.{n}": [call(k, 0.7, arr(3), fixed="alpha") for k in (0, 1, 4)]
        for n in ("eval_gegenbauer", "eval_genlaguerre")
    },
    "scipy.special.eval_jacobi": [call(k, 0.7, 0.4, arr(3), fixed="alpha beta") for k in (0, 1, 4)],
    "scipy.special.airy": unary(-1.0, 1.0),
    "scipy.special.sici": unary(0.5, 2.0),
    "scipy.special.fresnel": unary(0.5, 2.0),
    "scipy.special.ellipj": [call(0.7, 0.4, fixed="m"), call(arr(3), 0.4, fixed="m")],
}
SPECIAL_STEPS: dict[str, list[Sample]] = {
    "scipy.special.gammasgn": [call(-0.5), call(arr(3))],
    "scipy.special.round": [call(0.7), call(arr(3))],
}
