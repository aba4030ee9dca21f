"""NumPy as it was when the helpers of generated programs were imported: what a program puts in its place is not for them."""

from __future__ import annotations

import sys
import types

import numpy

PARTS = ("fft", "lib", "linalg")  # those that helpers use: NumPy imports others only for who asks for them


def copy_of(module: types.ModuleType) -> types.ModuleType:
    """A module with the same names, which are no longer those of others."""
    made = types.ModuleType(module.__name__)
    vars(made).update(vars(module))
    return made


NUMPY = copy_of(numpy)
for _part in PARTS:
    setattr(NUMPY, _part, copy_of(getattr(numpy, _part)))


def keep_numpy(package: str) -> None:
    """Have the modules of a package see NumPy as it is now."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package}.") and vars(module).get("np") is numpy:
            vars(module)["np"] = NUMPY
