"""What passes ask about SciPy's functions besides their rules (``rules/traits.py``)."""

from __future__ import annotations

from s2sad.rules.traits import have

have("steep", "scipy.special.xlogy scipy.special.xlog1py scipy.special.entr scipy.special.rel_entr scipy.special.kl_div")
