"""The intermediate representation: structured SSA three-address code."""
