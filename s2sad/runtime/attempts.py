"""What became of a block that may fail: the run-time side of ``try``.

A generated program first runs what a ``try`` protects once for its failures alone, inside ``with attempt:``; which
handler is due then decides, as any other condition, what is computed and differentiated.
"""

from __future__ import annotations


class Attempt:
    """A context that swallows exceptions of the given classes, and remembers them.

    ``Attempt(A, (B, C))`` has two handlers: ``handler`` is 0 where nothing was raised, 1 for an A, 2 for a B or C, the first
    that fits, as in ``except``. ``error`` is the exception, or None. Other exceptions pass through.
    """

    def __init__(self, *classes: type[BaseException] | tuple[type[BaseException], ...]) -> None:
        self.classes = classes
        self.handler = 0
        self.error: BaseException | None = None
        self.steps = 0

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Remember what was raised; True, which swallows it, if a handler fits."""
        for number, classes in enumerate(self.classes, 1):
            if kind is not None and issubclass(kind, classes):
                self.handler, self.error = number, error
                return True
        return False


def handler_of(attempt: Attempt) -> int:
    """The number of the handler that is due; 0 if nothing was raised."""
    return attempt.handler


def step(attempt: Attempt) -> None:
    """Count one more statement that is begun, or block that is completed."""
    attempt.steps += 1


def steps_of(attempt: Attempt) -> int:
    """How many steps were begun, the one that failed included."""
    return attempt.steps


def error_of(attempt: Attempt) -> BaseException | None:
    """The exception that was raised, or None."""
    return attempt.error
