"""Deriving tangent and adjoint programs."""
