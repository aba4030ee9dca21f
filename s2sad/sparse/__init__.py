"""Sparse Jacobians and Hessians in three parts that can be kept: the pattern, its colouring, the evaluation."""
