"""Sparsity patterns: derivative programs that carry index sets in place of tangents."""
