"""SciPy's functions written as programs, over what has rules: ``frontend.lower.scipy_forms`` puts them in its place.

A module holds the forms of the functions of one of SciPy's packages, by their names and with their parameters. They are
never called: what is derived is a program that calls them, and their text with it. They compute what SciPy does, up to
rounding errors; what they do not cover are options that they do not have.
"""
