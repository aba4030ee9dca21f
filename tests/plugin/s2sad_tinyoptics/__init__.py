"""What s2sad knows of tinyoptics: a room, found by the entry point in ``installed``."""

MODULES = ("tinyoptics",)
