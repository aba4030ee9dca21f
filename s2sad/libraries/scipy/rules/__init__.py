"""The tables of rules of SciPy's functions, with what each does to memory."""
