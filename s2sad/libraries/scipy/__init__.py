"""SciPy: entered by programs that use it."""
