"""Traits of SciPy's functions, which passes ask for besides their rules (``rules/traits.py``)."""

from __future__ import annotations

from s2sad.rules.traits import have

have("steep", "scipy.special.elliprc scipy.special.elliprd scipy.special.elliprf scipy.special.elliprg scipy.special.elliprj")
have("steep", "scipy.special.agm scipy.special.cbrt scipy.special.spence scipy.special.ellipe scipy.special.expn")
have("steep", "scipy.special.gammaincinv scipy.special.gammainccinv scipy.special.betaincinv scipy.special.betainccinv")
have("steep", "scipy.special.xlogy scipy.special.xlog1py scipy.special.entr scipy.special.rel_entr scipy.special.kl_div")
