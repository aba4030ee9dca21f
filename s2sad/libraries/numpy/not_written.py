"""NumPy's names without a rule, each with the reason: what may be added, and what is no numerical function at all.

``tests/rules/test_namespaces.py`` walks NumPy's namespaces and fails on a name that neither has a rule nor stands here.
"""

from __future__ import annotations

from s2sad.rules.not_written import ADD, EXISTS, LEAVE_OUT

# Functions of numbers that have a derivative, which nobody has written down yet: what to use meanwhile.
NOT_WRITTEN: dict[str, str] = {
    "numpy.histogram2d": "a histogram along each axis, with weights=",
    "numpy.histogramdd": "a histogram along each axis, with weights=",
    "numpy.sort_complex": "np.sort",
    "ndarray.byteswap": "",
    "ndarray.getfield": "np.real, np.imag",
    "ndarray.setfield": "assignments to the array's items",
    "ndarray.data": "the array itself",
}

# What is no numerical function of its arguments, by the reason.
NOT_NUMERICAL: dict[str, str] = {
    "it reads or writes files": "fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed memmap "
    "ndarray.dump ndarray.tofile",
    "it makes or reads text": "array2string array_repr array_str base_repr binary_repr format_float_positional "
    "format_float_scientific fromstring datetime_as_string typename",
    "it deals with bytes": "frombuffer packbits unpackbits ndarray.dumps ndarray.tobytes",
    "it deals with dates": "busday_count busday_offset busdaycalendar datetime64 datetime_data is_busday isnat timedelta64",
    "it deals with types": "can_cast common_type dtype generic min_scalar_type mintypecode promote_types "
    "isdtype number inexact floating complexfloating integer signedinteger unsignedinteger flexible character "
    "ScalarType sctypeDict typecodes",
    "its items are no numbers": "bytes_ object_ str_ void record recarray",
    "it asks about or sets the state of NumPy": "get_include get_printoptions set_printoptions getbufsize setbufsize geterr "
    "seterr geterrcall seterrcall show_config show_runtime info test einsum_path",
    "it is the type of an object of NumPy's": "flatiter ufunc",
    "it tells how an array lies in memory": "isfortran ndarray.base ndarray.ctypes ndarray.device ndarray.flags ndarray.setflags "
    "ndarray.strides ndarray.to_device",
    "it takes arrays from other libraries": "from_dlpack",
}

# Arguments that rules have no formula for since the derivative by them is zero: they decide, or give a shape.
CONSTANT_ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("numpy.copysign", "numpy.nextafter"), ("y",)),
    **dict.fromkeys(("numpy.where", "numpy.compress", "ndarray.compress", "numpy.extract"), ("condition",)),
    **dict.fromkeys(("numpy.full_like", "numpy.choose", "ndarray.choose"), ("a",)),
    "numpy.heaviside": ("x",),
    "numpy.unwrap": ("discont",),
    "numpy.real_if_close": ("tol",),
    "numpy.linalg.pinv": ("rcond", "rtol"),
    "numpy.linalg.lstsq": ("rcond",),
    **{f"numpy.{nan}{name}": ("weights",) for nan in ("", "nan") for name in ("quantile", "percentile")},
}


def reason(name: str) -> tuple[str, str] | None:
    """Why no rule is known for a function, and what to do instead; None where nothing is said of it."""
    if name.startswith("numpy.ma."):
        return "masked arrays are objects of their own", "np.where with the mask, or where=mask in reductions"
    if name in NOT_WRITTEN:
        meanwhile = NOT_WRITTEN[name]
        return EXISTS, f"{meanwhile}; or {ADD}" if meanwhile else ADD
    why = next((why for why, names in NOT_NUMERICAL.items() if name in full_names(names)), None)
    return None if why is None else (f"it is not a numerical function: {why}", LEAVE_OUT)


def full_names(names: str) -> set[str]:
    """The full names of a line of ``NOT_NUMERICAL``: NumPy's functions stand there without their package."""
    return {name if name.startswith("ndarray.") else f"numpy.{name}" for name in names.split()}
