"""Calls of SciPy that are more than a primitive: of functions that take functions, of distributions and of splines."""

from s2sad.frontend.lower.library_calls import Calls
from s2sad.libraries.scipy.calls import called_objects, integrate, optimize

CALLS = Calls(integrate.TABLE | optimize.TABLE, called_objects.called_object, called_objects.frozen_method)
