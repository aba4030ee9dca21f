"""The tables of rules of NumPy's functions, with what each does to memory."""
