"""Calls of NumPy that are more than a primitive: what is written out in terms of other functions, draws, methods of arrays and of
ufuncs, objects that are called (``np.vectorize``) or subscripted (``np.r_``), and attributes of arrays that are stored into."""

from s2sad.frontend.lower.library_calls import Calls
from s2sad.libraries.numpy.calls import (
    contractions,
    functional,
    grids,
    joining,
    methods,
    other_forms,
    padding,
    placing,
    several_results,
    sharing,
    ufuncs,
)
from s2sad.libraries.numpy.calls.called import called_object
from s2sad.libraries.numpy.calls.handlers import TABLE

# These modules have entered the functions that they write out into ``handlers.TABLE``.
WRITE_OUT = (contractions, functional, grids, joining, padding, placing, several_results, sharing, other_forms, ufuncs)
CALLS = Calls(
    methods.STORES, called_object, of_value=methods.of_value, subscripted=grids.subscripted,
    set_attribute=placing.set_attribute, written_out=TABLE,
)  # fmt: skip
