"""Python itself: its operators and built-in functions, ``math``, ``cmath``, dicts and sequences."""
