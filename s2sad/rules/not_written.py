"""Why a function has no rule, and which arguments need none: what the rooms of libraries say of their names."""

from __future__ import annotations

from s2sad.rules.rooms import room_of

ADD = "write one with @s2sad.rule, or stop the derivative with s2sad.stop_gradient"
EXISTS = "its derivative exists but is not written yet"
# Arguments of our own helpers (those of a library's stand in its room).
HELPERS: dict[str, tuple[str, ...]] = {
    "strong_zero": ("seed",),
    "strong_slope": ("x", "seed"),
    "choose_adjoint": ("a",),
    "diff_part_adjoint": ("a", "prepend", "append"),
    "eigenvectors": ("w",),
    **dict.fromkeys(("histogram_weighted", "histogram_adjoint"), ("a", "bins", "range")),
    "interp_adjoint": ("left", "right"),
    **dict.fromkeys(("interp_slope", "interp_slope_adjoint"), ("x",)),
    "nonsingular": ("sign",),
    "of_whole_rank": ("inverse",),
    **dict.fromkeys(("quantile_push", "quantile_pull"), ("a",)),
    **dict.fromkeys(("trimmed", "trim_adjoint"), ("filt",)),
}
CONSTANT_ARGUMENTS = {"s2sad.hooked": ("captured",)} | {f"s2sad.runtime.{name}": params for name, params in HELPERS.items()}
LEAVE_OUT = "leave it out of what is differentiated"


def reason(name: str) -> tuple[str, str]:
    """Why no rule is known for a function, and what to do instead."""
    room = room_of(name)
    said = None if room is None else room.corner("not_written")
    return (None if said is None else said.reason(name)) or (
        "it is called with arguments that depend on the variables of differentiation",
        "register one with s2sad.rule, or stop the derivative with s2sad.stop_gradient",
    )


def constant_arguments(name: str) -> tuple[str, ...]:
    """The arguments that a rule has no formula for since the derivative by them is zero: they decide, or give a shape."""
    room = room_of(name)
    said = None if room is None else room.corner("not_written")
    found: tuple[str, ...] = (CONSTANT_ARGUMENTS if said is None else said.CONSTANT_ARGUMENTS).get(name, ())
    return found
