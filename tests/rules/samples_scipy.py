"""Samples of SciPy's functions, by topic; none where SciPy is missing."""

from __future__ import annotations

import importlib.util

from sampling import Sample

SCIPY: dict[str, list[Sample]] = {}
SCIPY_STEPS: dict[str, list[Sample]] = {}
SCIPY_NAMES: tuple[str, ...] = ()  # how the names of the functions begin that are to be tested

SCIPY_RANKS = {  # what is refused where ranks are not known
    "scipy.special.logsumexp",
    "s2sad.libraries.scipy.runtime.toeplitz_solution",
    *(f"scipy.stats.multivariate_normal.{name}" for name in ("logpdf", "pdf", "entropy")),
    *(f"scipy.stats.dirichlet.{name}" for name in ("logpdf", "pdf")),
    *(f"scipy.stats.multinomial.{name}" for name in ("logpmf", "pmf")),
    *(f"scipy.sparse.linalg.{name}" for name in ("gmres", "bicgstab", "bicg", "cgs", "lgmres")),
    *(f"scipy.linalg.{name}" for name in ("solve", "norm", "block_diag")),
}

if importlib.util.find_spec("scipy") is not None:
    from samples_scipy_fft import FFT
    from samples_scipy_images import IMAGES
    from samples_scipy_linalg import LINALG, LINALG_STEPS
    from samples_scipy_signal import SIGNAL, SIGNAL_STEPS
    from samples_scipy_special import SPECIAL, SPECIAL_STEPS
    from samples_scipy_special_more import SPECIAL_MORE
    from samples_scipy_stats import STATS

    import s2sad.libraries.scipy.runtime  # noqa: F401  rules find the functions of modules that have been imported

    SCIPY = {**SPECIAL, **SPECIAL_MORE, **LINALG, **STATS, **SIGNAL, **FFT, **IMAGES}
    SCIPY_STEPS = {**SPECIAL_STEPS, **LINALG_STEPS, **SIGNAL_STEPS}
    SCIPY_NAMES = ("scipy.", "s2sad.libraries.scipy.runtime.")
