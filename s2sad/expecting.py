"""Programs that expect shapes to be equal as they are called: where shapes are not, the general program runs in their place.

A lean program looks at shapes where they meet (``ad/expected.py``) and gives up with Stretched. The general program, for the same
request without expectations, then runs from the start, and serves all later calls, too. So a program expects something only if it
may run twice: it writes into no memory of its caller's and leaves nothing outside. Whatever else a lean program raises, the
general one tells: it may rely on a shape before it has looked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2sad.runtime import Stretched

__all__ = ["Expecting", "Run", "Stretched"]
Run = Callable[[Sequence[Any], Mapping[str, Any]], Any]


class Expecting:
    """A lean program, and how to run the ``general`` one, which is made when it is asked first."""

    def __init__(self, lean: Callable[..., Any], general: Run) -> None:
        self.lean = lean
        self.general = general
        self.stretched = False  # shapes were not as expected: nobody tries again
        self.__name__ = lean.__name__
        self.__code__ = lean.__code__
        self.__defaults__ = lean.__defaults__
        self.__globals__ = lean.__globals__

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if not self.stretched:
            try:
                return self.lean(*args, **keywords)
            except Stretched:
                self.stretched = True
            except Exception:  # whatever it is: the general program tells what is right
                pass
        return self.general(args, keywords)
