"""The functions of libraries that the front end knows by identity: as they were when it was loaded, by the first derivative.

What a program had put in their place until then would be taken for them, and is refused.
"""

from __future__ import annotations

import sys
from types import FunctionType

from s2sad.errors import S2sadError
from s2sad.frontend.observe import ABSENT, is_versioned
from s2sad.rules.registry import ALIASES
from s2sad.runtime.structures import IMMUTABLE

NAMES = {
    "builtins": """abs all any bool callable complex dict divmod enumerate filter float frozenset getattr hasattr int isinstance
        iter len list map max min next object pow property range reversed round set slice sorted staticmethod str sum super tuple
        type zip""",
    "functools": "cache cached_property lru_cache partial partialmethod reduce singledispatchmethod wraps",
    "operator": "add attrgetter invert itemgetter methodcaller or_",
    "copy": "copy deepcopy",
    "math": "atan cos exp fsum hypot log log10 log2 prod radians sin sqrt tan",
    "cmath": "polar",
    "heapq": "heapify heappop heappush heappushpop heapreplace nlargest nsmallest",
    "bisect": "insort insort_left insort_right",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "itertools": """accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby
        islice pairwise permutations product repeat starmap takewhile tee zip_longest""",
    "numpy": """allclose append apply_along_axis apply_over_axes arange array array_split asarray asmatrix average block bmat
        bool_ broadcast_arrays c_ can_cast complex128 concatenate copy correlate diagflat diff divmod dot dsplit dstack dtype
        einsum empty empty_like errstate expand_dims eye fill_diagonal finfo float32 float64 frexp fromfunction fromiter
        frompyfunc full generic geomspace gradient histogram hsplit i0 identity index_exp inexact int64 iscomplexobj
        isscalar issubdtype iterable ix_ kaiser linspace logspace matrix maximum meshgrid mgrid modf moveaxis nan_to_num
        ndarray ndenumerate ndim ndindex nditer nested_iters ogrid ones pad piecewise place poly poly1d polydiv polyfit
        polyval printoptions put put_along_axis putmask r_ ravel reshape result_type rollaxis s_ select shape sign size
        split sqrt ufunc vander vectorize vsplit zeros zeros_like""",
}
OTHER_NAMES = ALIASES | {"insort": "insort_right", "bool_": "bool"}


def replaced() -> list[str]:
    """The names under which something stands that no library has put there."""
    return [
        f"{module}.{name}" for module, names in NAMES.items() if module in sys.modules
        for name in names.split() if _is_foreign(name, vars(sys.modules[module]).get(name, ABSENT))
    ]  # fmt: skip


def _is_foreign(name: str, found: object) -> bool:
    """Test for an object that was made elsewhere, or goes by another name; not whether it is the right one."""
    called = found.__name__ if hasattr(found, "__name__") else name
    if found is ABSENT or called not in (name, OTHER_NAMES.get(name)):
        return found is not ABSENT
    if isinstance(found, FunctionType):
        return not _is_library(found)
    cls = found if isinstance(found, type) else type(found)
    if cls.__flags__ & IMMUTABLE:  # written in C
        return False
    return not is_versioned(cls.__module__) or not all(_is_library(f) for f in vars(cls).values() if isinstance(f, FunctionType))


def _is_library(function: FunctionType) -> bool:
    return is_versioned(str(function.__globals__.get("__name__")))


REPLACED = replaced()


def check() -> None:
    """Raise S2sadError if the front end does not know the libraries as they are."""
    if REPLACED:
        raise S2sadError(
            f"{REPLACED[0]} is not the library's own", why="it was replaced before the first derivative was made",
            instead="a derivative before that, or a function under another name",
        )  # fmt: skip
