"""The rules of tinyoptics."""
