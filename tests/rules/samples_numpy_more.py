"""Samples of what came later: windows that slide, odd reflections, directions of complex numbers, lists of results."""

from __future__ import annotations

import numpy as np
from sampling import Sample, arr, call

NUMPY_MORE: dict[str, list[Sample]] = {
    "numpy.lib.stride_tricks.sliding_window_view": [
        call(arr(5), 3),
        call(arr(3, 4), (2, 2)),
        call(arr(3, 4), 2, axis=1),
        call(arr(2, 3, 4), (2, 2), axis=(0, -1)),
        call(arr(5), (2, 3), axis=(0, 0)),
        call(arr(3, 3, dtype="complex128"), 2, 0),
        call(arr(6, dtype="float32"), 2),
        call(arr(8)[::2], 3),
        call(arr(2), 2),
    ],
    "s2sad.runtime.windows_adjoint": [
        call(arr(3, 3), arr(5), 3, fixed="x"),
        call(arr(2, 3, 2), arr(3, 3), 2, axis=0, fixed="x"),
        call(arr(2, 2, 3), arr(5), (2, 3), axis=(0, 0), fixed="x"),
    ],
    "s2sad.runtime.einsum_windows_adjoint": [
        call(arr(5, 4), (2, 3), None, "ij,kl->ijkl", arr(4, 2), arr(2, 3, seed=1), fixed="x"),
        call(arr(5, 4), (2, 3), None, "kl,ij,k->ijkl", arr(1, 3), arr(4, 2), arr(2, seed=1), fixed="x"),
        call(arr(5, 4), (2, 3), None, "ijl,k->ijkl", arr(4, 2, 3), arr(2, seed=1), fixed="x"),
        call(arr(5), 3, None, "bi,bk->ik", arr(2, 3), arr(2, 3, seed=1), fixed="x"),
        call(arr(2, 5), 3, 1, "fi,bfk->bik", arr(4, 3), arr(2, 4, 3, seed=1), fixed="x"),
        call(arr(2, 5), 3, 1, "fi,bfk,f->bik", arr(4, 3), arr(2, 4, 3, seed=1), arr(4, seed=2), fixed="x"),
    ],
    "numpy.pad": [
        call(arr(5), width, mode, reflect_type="odd")
        for mode in ("reflect", "symmetric")
        for width in (2, (1, 3), (7, 11))
    ]
    + [
        call(arr(3, 4), ((1, 2), (5, 0)), "reflect", reflect_type="odd"),
        call(arr(1), 3, "reflect", reflect_type="odd"),
        call(arr(2, 3, dtype="complex128"), 2, "symmetric", reflect_type="odd"),
        call(arr(4, dtype="float32"), 2, "symmetric", reflect_type="odd"),
        call(arr(3), 2, "symmetric", reflect_type="even"),
    ],
    "s2sad.runtime.pad_adjoint": [
        call(arr(9), arr(5), 2, "reflect", "odd", fixed="x"),
        call(arr(7, 5), arr(3, 3), ((3, 1), (1, 1)), "symmetric", "odd", fixed="x"),
    ],
    "ndarray.astype": [
        call(arr(3), "complex128"),
        call(arr(2, 3, dtype="float32"), "complex128"),
        call(arr(3, dtype="complex64"), "complex128"),
    ],
    **{f"s2sad.runtime.{name}_item": [call(arr(3)), call(arr(4, dtype="float32"))] for name in ("largest", "smallest")},
    "s2sad.runtime.python_number": [call(np.float64(0.3)), call(0.3)],
    "s2sad.runtime.copy_if_any": [call(arr(3)), call(arr(2, 3))],
    "s2sad.runtime.direction": [
        call(arr(3, dtype="complex128")),
        call(arr(2, 3, dtype="complex128")),
        call(arr(0, 3, dtype="complex128")),
        call(0.3 - 0.4j),
        call(np.complex128(0.3 + 0.2j)),
        call(arr(3)),
        call(arr(3, dtype="complex64")),
    ],
    "s2sad.runtime.items_array": [
        call([0.1, 0.2, 0.3], "float64"),
        call([0.1, 0.2, 0.3]),
        call([arr(2), arr(2, seed=1)], "float64"),
        call([np.float32(0.1), np.float32(0.4)], "float32"),
        call([0.1 + 0.2j, 0.3 - 0.1j], "complex128"),
    ],
}
