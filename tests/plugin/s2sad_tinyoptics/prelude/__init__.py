"""Functions of tinyoptics as programs."""

from s2sad.rules.rooms import Prelude

PRELUDE = Prelude(topics={"rays": ("tinyoptics",)})
