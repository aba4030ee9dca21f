"""Facts about values before the program runs: one lattice.

``sizes`` are what is known of an axis, ``kinds`` the elements, ``lattice`` their order and join, ``values`` the fact of an
object. A fact higher up is true of more values; ``UNKNOWN`` is true of all, ``BOTTOM`` of none. Known facts buy lean code,
and what is not known must still lead to a right program, so that a fact that is not true of a value is worse than none.
"""
