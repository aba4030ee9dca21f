"""A small library as others write them: its functions stand in a private module, and cannot be followed into their source."""

from tinyoptics._core import blurred, catalogue, defocus, focused, inner, refracted, turned

__all__ = ["blurred", "catalogue", "defocus", "focused", "inner", "refracted", "turned"]
