"""SciPy's names without a rule, each with the reason. ``tests/rules/test_scipy_namespaces.py`` walks two namespaces.

Of the other namespaces only what is most used has rules. Functions that take functions (``quad``, ``solve_ivp``, ``root``,
``minimize``) need the derivative of what they are given: write the loop, or a rule of your own with ``@s2sad.rule``.
"""

from __future__ import annotations

# Functions of numbers that have a derivative, which nobody has written down yet, by topic.
NOT_WRITTEN: dict[str, str] = {
    "means and elliptic integrals of several arguments": (
        "special: agm elliprc elliprd elliprf elliprg elliprj ellipkm1"
    ),
    "distribution functions, which scipy.stats has too": (
        "special: bdtr bdtrc bdtri bdtrik bdtrin btdtria btdtrib chdtri chdtriv chndtr chndtridf chndtrinc "
        "chndtrix fdtr fdtrc fdtri fdtridfd gdtr gdtrc gdtria gdtrib gdtrix kolmogi kolmogorov nbdtr nbdtrc "
        "nbdtri nbdtrik nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc "
        "nctdtrit nrdtrimn nrdtrisd pdtri pdtrik smirnov smirnovi stdtridf stdtrit tklmbda voigt_profile"
    ),
    "polynomials and spherical harmonics": (
        "special: eval_sh_jacobi lpmv assoc_laguerre assoc_legendre_p assoc_legendre_p_all legendre_p "
        "legendre_p_all sph_harm_y sph_harm_y_all sph_legendre_p sph_legendre_p_all lqmn lqn"
    ),
    "gamma, zeta and Wright's functions": "special: rgamma zetac log_wright_bessel wright_bessel",
    "functions of Faddeeva, Dirichlet, and hyperbolic integrals": "special: wofz diric shichi",
    "relatives of Bessel functions": (
        "special: airye bei beip ber berp kei keip kelvin ker kerp struve modstruve besselpoly it2i0k0 "
        "it2j0y0 it2struve0 itairy iti0k0 itj0y0 itmodstruve0 itstruve0 modfresnelm modfresnelp lmbda "
        "riccati_jn riccati_yn"
    ),
    "wave functions": (
        "special: mathieu_a mathieu_b mathieu_cem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 "
        "mathieu_modsem2 mathieu_sem mathieu_even_coef mathieu_odd_coef obl_ang1 obl_ang1_cv obl_cv obl_rad1 "
        "obl_rad1_cv obl_rad2 obl_rad2_cv pro_ang1 pro_ang1_cv pro_cv pro_rad1 pro_rad1_cv pro_rad2 "
        "pro_rad2_cv obl_cv_seq pro_cv_seq pbdv pbvv pbwa pbdn_seq pbdv_seq pbvv_seq ellip_harm ellip_harm_2 "
        "ellip_normal"
    ),
    "banded, tridiagonal and structured systems": (
        "linalg: cho_solve_banded cholesky_banded solveh_banded eig_banded eigvals_banded eigh_tridiagonal "
        "eigvalsh_tridiagonal matmul_toeplitz solve_circulant solve_toeplitz"
    ),
    "decompositions": (
        "linalg: cdf2rdf cossin eig eigvals hessenberg ldl null_space ordqz orth polar qr_delete qr_insert "
        "qr_multiply qr_update qz rq rsf2csf schur matrix_balance"
    ),
    "equations and least squares": (
        "linalg: lstsq pinvh solve_continuous_are solve_discrete_are subspace_angles orthogonal_procrustes"
    ),
    "functions of matrices": "linalg: expm_cond fractional_matrix_power funm signm tanhm tanm",
    "matrices of a given structure": (
        "linalg: companion convolution_matrix diagsvd fiedler fiedler_companion leslie "
        "clarkson_woodruff_transform"
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
    "it gives functions of other libraries": "linalg: find_best_blas_type get_blas_funcs get_lapack_funcs",
}


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
