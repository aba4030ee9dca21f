"""SciPy's names without a rule or a form, each with the reason. ``tests/rules/test_scipy_namespaces.py`` walks their namespaces.

Of the other namespaces only what is most used has rules. Of the functions that take functions, those in
``calls.integrate`` and ``calls.optimize`` have first derivatives. Others are refused where a function is given
to them: write the loop, or a rule of your own with ``@s2sad.rule``.
"""

from __future__ import annotations

from s2sad.libraries.scipy.rules.names import HELPERS
from s2sad.rules.not_written import ADD, EXISTS, LEAVE_OUT

# Whatever has no rule of what these modules have, and is none of the rest, is a function of numbers whose derivative exists.
NUMERICAL = (
    "scipy.special", "scipy.linalg", "scipy.fft", "scipy.ndimage", "scipy.signal", "scipy.interpolate", "scipy.spatial.distance",
)  # fmt: skip

# What is no function of real numbers, by the reason.
NOT_NUMERICAL: dict[str, str] = {
    "it makes tables for given integers": (
        "special: ai_zeros bei_zeros beip_zeros ber_zeros bernoulli berp_zeros bi_zeros erf_zeros euler "
        "factorialk fresnel_zeros fresnelc_zeros fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros "
        "kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros stirling2 y0_zeros y1_zeros y1p_zeros "
        "yn_zeros ynp_zeros roots_legendre roots_chebyt roots_chebyu roots_chebyc roots_chebys roots_jacobi "
        "roots_laguerre roots_genlaguerre roots_hermite roots_hermitenorm roots_gegenbauer roots_sh_legendre "
        "roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi p_roots t_roots u_roots c_roots s_roots j_roots "
        "l_roots la_roots h_roots he_roots cg_roots ps_roots ts_roots us_roots js_roots"
    ),
    "it makes polynomials, which are objects": (
        "special: legendre chebyt chebyu chebyc chebys jacobi laguerre genlaguerre hermite hermitenorm "
        "gegenbauer sh_legendre sh_chebyt sh_chebyu sh_jacobi"
    ),
    "it makes matrices of given sizes": "linalg: dft hadamard helmert hilbert invhilbert invpascal pascal",
    "it asks what a matrix is like": "linalg: bandwidth ishermitian issymmetric",
    "it is about errors and warnings": (
        "special: geterr seterr errstate SpecialFunctionWarning SpecialFunctionError linalg: LinAlgWarning"
    ),
    "it finds sizes, or says how transforms are computed": (
        "fft: next_fast_len prev_fast_len fhtoffset set_backend skip_backend set_global_backend register_backend "
        "get_workers set_workers signal: choose_conv_method correlation_lags"
    ),
    "its results are true or false, counts, places or labels": (
        "ndimage: binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening "
        "binary_propagation distance_transform_bf distance_transform_cdt distance_transform_edt find_objects "
        "generate_binary_structure histogram iterate_structure label maximum_position minimum_position "
        "value_indices watershed_ift signal: argrelextrema argrelmax argrelmin check_COLA check_NOLA find_peaks "
        "find_peaks_cwt peak_prominences peak_widths max_len_seq unit_impulse get_window spatial.distance: dice "
        "hamming jaccard rogerstanimoto russellrao sokalsneath yule directed_hausdorff is_valid_dm is_valid_y "
        "num_obs_dm num_obs_y"
    ),
    "it is an object that stands for a system or a transform": (
        "signal: BadCoefficients CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT dlti lti"
    ),
    "it gives functions of other libraries": "linalg: find_best_blas_type get_blas_funcs get_lapack_funcs",
}


# What derivatives of functions of functions call.
OF_FUNCTIONS = (
    "quad_vec_pushforward quad_vec_pullback trajectory_pushforward trajectory_pullback slopes times_adjoint"
)


CONSTANT_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "scipy.linalg.pinv": ("rtol", "atol"),
    "scipy.stats.multivariate_normal.entropy": ("mean",),
    **{f"{HELPERS}{name}": ("by",) for name in ("balanced", "centred")},
    f"{HELPERS}cumulative_trapezoid_adjoint": ("initial",),
    f"{HELPERS}linear_root": ("like", "value"),
}


def reason(name: str) -> tuple[str, str] | None:
    """Why no rule is known for a function, and what to do instead; None where nothing is said of it."""
    if name.removeprefix(HELPERS) in OF_FUNCTIONS.split():
        return "it is a first derivative already, and second ones of functions that take functions are not written yet", ADD
    why = next((why for why, names in NOT_NUMERICAL.items() if name in full_names(names)), None)
    if why is not None:
        return f"it is not a numerical function: {why}", LEAVE_OUT
    return (EXISTS, ADD) if name.rpartition(".")[0] in NUMERICAL else None


def full_names(names: str) -> set[str]:
    """The full names of a line of these tables, in which ``special:`` opens those of ``scipy.special``."""
    found, module = set(), ""
    for name in names.split():
        if name.endswith(":"):
            module = name[:-1]
        else:
            found.add(f"scipy.{module}.{name}")
    return found
