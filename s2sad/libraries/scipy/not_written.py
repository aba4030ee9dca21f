"""SciPy's names without a rule or a form, each with the reason. ``tests/rules/test_scipy_namespaces.py`` walks their namespaces.

Of the other namespaces only what is most used has rules. Of the functions that take functions, those in
``calls.integrate`` and ``calls.optimize`` have first derivatives. Others are refused where a function is given
to them: write the loop, or a rule of your own with ``@s2sad.rule``.
"""

from __future__ import annotations

from s2sad.libraries.scipy.rules.names import HELPERS
from s2sad.rules.not_written import ADD, EXISTS, LEAVE_OUT

# Functions of numbers that have a derivative, which nobody has written down yet, by topic.
NOT_WRITTEN: dict[str, str] = {
    "distribution functions by a shape or a count, and those with no closed form of a slope": (
        "special: bdtrik bdtrin btdtria btdtrib chdtriv chndtridf chndtrinc fdtridfd gdtrib nbdtrik nbdtrin "
        "ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit pdtrik smirnov "
        "smirnovi stdtridf"
    ),
    "the zeta function of one variable, whose slope has no closed form": "special: zetac",
    "Legendre functions of all degrees at once": (
        "special: assoc_legendre_p assoc_legendre_p_all legendre_p legendre_p_all sph_harm_y_all sph_legendre_p "
        "sph_legendre_p_all lqmn lqn"
    ),
    "relatives of Bessel functions": "special: besselpoly modfresnelm modfresnelp lmbda riccati_jn riccati_yn",
    "wave functions": (
        "special: mathieu_a mathieu_b mathieu_cem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 "
        "mathieu_modsem2 mathieu_sem mathieu_even_coef mathieu_odd_coef obl_ang1 obl_ang1_cv obl_cv obl_rad1 "
        "obl_rad1_cv obl_rad2 obl_rad2_cv pro_ang1 pro_ang1_cv pro_cv pro_rad1 pro_rad1_cv pro_rad2 "
        "pro_rad2_cv obl_cv_seq pro_cv_seq pbdn_seq pbdv_seq pbvv_seq ellip_harm ellip_harm_2 "
        "ellip_normal"
    ),
    "banded matrices": "linalg: cholesky_banded eig_banded eigvals_banded",
    "decompositions, most of them not unique": (
        "linalg: cdf2rdf cossin hessenberg ldl ordqz qr_delete qr_insert qr_multiply qr_update qz rq rsf2csf schur "
        "matrix_balance"
    ),
    "bases, which are not unique: what depends on the subspace alone is a projection, x @ pinv(x)": "linalg: null_space orth",
    "functions of matrices": "linalg: expm_cond funm",
    "matrices of a given structure": "linalg: fiedler_companion clarkson_woodruff_transform",
    "transforms of several axes of Hermitian data, and of logarithmic places": (
        "fft: hfft2 ihfft2 hfftn ihfftn fht ifht"
    ),
    "morphology, ranks and extrema of windows": (
        "ndimage: grey_closing grey_dilation grey_erosion grey_opening black_tophat white_tophat maximum_filter "
        "maximum_filter1d minimum_filter minimum_filter1d median_filter percentile_filter rank_filter "
        "morphological_gradient morphological_laplace"
    ),
    "measures of labelled regions": (
        "ndimage: sum sum_labels mean variance standard_deviation minimum maximum median extrema"
    ),
    "filters by Fourier transforms, and by functions": (
        "ndimage: fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform generic_filter "
        "generic_filter1d generic_gradient_magnitude generic_laplace vectorized_filter geometric_transform rotate "
        "labeled_comprehension"
    ),
    "the design of filters": (
        "signal: abcd_normalize band_stop_obj bessel besselap bilinear bilinear_zpk buttap butter buttord cheb1ap "
        "cheb1ord cheb2ap cheb2ord cheby1 cheby2 cont2discrete ellip ellipap ellipord firls firwin firwin2 firwin_2d "
        "gammatone iircomb iirdesign iirfilter iirnotch iirpeak kaiser_atten kaiser_beta kaiserord lp2bp lp2bp_zpk "
        "lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk minimum_phase normalize place_poles remez savgol_coeffs "
        "sos2tf sos2zpk sosfilt_zi ss2tf ss2zpk tf2sos tf2ss tf2zpk zpk2sos zpk2ss zpk2tf"
    ),
    "responses of filters and systems": (
        "signal: bode dbode dfreqresp dimpulse dlsim dstep findfreqs freqresp freqs freqs_zpk freqz freqz_sos "
        "freqz_zpk sosfreqz group_delay impulse lsim step invres invresz residue residuez unique_roots"
    ),
    "spectra and transforms of signals": (
        "signal: coherence csd czt czt_points zoom_fft envelope hilbert2 istft stft spectrogram lombscargle "
        "closest_STFT_dual_window vectorstrength"
    ),
    "splines, ranks and other filters of signals": (
        "signal: cspline1d cspline1d_eval cspline2d qspline1d qspline1d_eval qspline2d spline_filter sepfir2d "
        "symiirorder1 symiirorder2 medfilt medfilt2d order_filter wiener deconvolve lfiltic resample_poly upfirdn"
    ),
    "waveforms": "signal: chirp gauss_spline gausspulse sawtooth square sweep_poly",
    "interpolants of scattered points, and splines that are fitted or have their own knots": (
        "interpolate: AAA BPoly BSpline BivariateSpline CloughTocher2DInterpolator FloaterHormannInterpolator "
        "InterpolatedUnivariateSpline KroghInterpolator LSQBivariateSpline LSQSphereBivariateSpline "
        "LSQUnivariateSpline LinearNDInterpolator NdBSpline NdPPoly NearestNDInterpolator PPoly RBFInterpolator Rbf "
        "RectBivariateSpline RectSphereBivariateSpline SmoothBivariateSpline SmoothSphereBivariateSpline "
        "UnivariateSpline approximate_taylor_polynomial bisplev bisplrep generate_knots griddata insert interp2d "
        "krogh_interpolate lagrange make_lsq_spline make_smoothing_spline make_splprep make_splrep pade spalde "
        "splantider splder splev splint splprep splrep sproot"
    ),
}

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
}


def reason(name: str) -> tuple[str, str] | None:
    """Why no rule is known for a function, and what to do instead; None where nothing is said of it."""
    if topic(name, NOT_WRITTEN) is not None:
        return EXISTS, ADD
    if name.removeprefix(HELPERS) in OF_FUNCTIONS.split():
        return "it is a first derivative already, and second ones of functions that take functions are not written yet", ADD
    why = topic(name, NOT_NUMERICAL)
    return None if why is None else (f"it is not a numerical function: {why}", LEAVE_OUT)


def full_names(names: str) -> set[str]:
    """The full names of a line of these tables, in which ``special:`` opens those of ``scipy.special``."""
    found, module = set(), ""
    for name in names.split():
        if name.endswith(":"):
            module = name[:-1]
        else:
            found.add(f"scipy.{module}.{name}")
    return found


def topic(name: str, table: dict[str, str]) -> str | None:
    """The key of the line in which a name stands."""
    return next((key for key, names in table.items() if name in full_names(names)), None)
