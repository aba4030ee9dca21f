"""From the optimised program to Python text: out of SSA, names, syntax trees, and their printing."""
