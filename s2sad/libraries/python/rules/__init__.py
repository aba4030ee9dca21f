"""The tables of rules of Python's operators and functions, with what each does to memory."""
