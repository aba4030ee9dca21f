"""The parts of ``try``, ``with`` and ``raise``: attempts, contexts and exceptions, none of which carries a derivative."""

from __future__ import annotations

import builtins

from s2sad.ir.kinds import BOOL, FLOAT, INT, NONE, STR, Other
from s2sad.rules.kind_arrays import literal_of
from s2sad.rules.kind_rules import like
from s2sad.rules.registry import nothing
from s2sad.rules.traits import have

OBJECT = Other("object")
LOGGER = Other("logger")

nothing(["s2sad.runtime.Attempt(*classes)"], kind=lambda _: Other("attempt"), zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.handler_of(attempt)"], kind=lambda _: INT, zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.attempt_copy(attempt, value)"], kind=like("value"), zero=True, effects="item(attempt); stays")
nothing(["s2sad.runtime.step(attempt)"], zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.unfollowed(attempt, place)"], zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.steps_of(attempt)"], kind=lambda _: INT, zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.unforeseen(result, why)"], kind=lambda _: OBJECT, zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.error_of(attempt)"], kind=lambda _: OBJECT, zero=True)
nothing(["s2sad.runtime.held_by(error, name)"], kind=lambda _: INT, zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.assert_told(error, name, told)"], kind=lambda _: NONE, zero=True, effects="none; stays")
nothing(["s2sad.runtime.is_of_class(error, cls)"], kind=lambda _: BOOL, zero=True, effects="fresh; stays")
nothing(["s2sad.runtime.name_of_class(cls, attribute)"], kind=lambda _: STR, zero=True, effects="fresh")
ASKED = ("Attempt", "handler_of", "attempt_copy", "step", "steps_of", "error_of")  # what does not raise itself
have("cannot fail", " ".join(f"s2sad.runtime.{name}" for name in ASKED))

nothing(
    [
        "numpy.errstate(*, call=None, all=None, divide=None, over=None, under=None, invalid=None)",
        "numpy.printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None)",
    ],
    kind=lambda _: OBJECT,
    zero=True,
)
nothing(
    [
        "warnings.simplefilter(action, category=None, lineno=0, append=False)",
        "warnings.filterwarnings(action, message='', category=None, module='', lineno=0, append=False)",
    ],
    zero=True,
    effects="fresh; world",
)

# What programs tell people, and clocks: once, in the forward sweep, as printing. A warning may be raised.
nothing(["warnings.warn(message, category=None, stacklevel=1)"], zero=True, effects="none; world; tells")
LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
TELL = (*LEVELS, "isEnabledFor")
TOLD = "msg, *args, exc_info=None, stack_info=False, stacklevel=1, extra=None"
nothing([f"logging.{level}({TOLD})" for level in LEVELS], zero=True, effects="none; tells")
nothing([f"logging.Logger.{level}(logger, {TOLD})" for level in LEVELS], zero=True, effects="none; tells", spelling="method")
nothing(["logging.getLogger(name=None)"], kind=lambda _: LOGGER, zero=True, effects="fresh; stays")
nothing(
    [f"time.{name}()" for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")],
    kind=lambda _: FLOAT, zero=True, effects="fresh; world",
)  # fmt: skip
CLOCKS = ("datetime.datetime.now(tz=None)", "datetime.datetime.utcnow()", "datetime.datetime.today()", "datetime.date.today()")
nothing(CLOCKS, kind=lambda _: OBJECT, zero=True, effects="fresh; world")
nothing(
    ["s2sad.runtime.of_time(thing, name)"], zero=True, effects="fresh; stays",
    kind=lambda bound: FLOAT if literal_of(bound["name"]) == "total_seconds" else INT,
)  # fmt: skip
nothing(["logging.Logger.isEnabledFor(logger, level)"], kind=lambda _: BOOL, zero=True, effects="fresh; stays", spelling="method")

# Exceptions hold what went wrong: their arguments are for people.
EXCEPTIONS = [
    name
    for name, item in vars(builtins).items()
    if isinstance(item, type) and issubclass(item, BaseException)
]
nothing(
    [*(f"builtins.{name}" for name in EXCEPTIONS), "numpy.linalg.LinAlgError", "s2sad.runtime.UnsupportedError"],
    kind=lambda _: OBJECT,
    zero=True,
)
