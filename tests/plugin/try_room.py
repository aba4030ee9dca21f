"""Runs programs that use tinyoptics, and prints what came of them as JSON: in a process of its own."""

import json
import sys

import numpy as np

import s2sad
from s2sad.derivatives import Derivatives

X = np.linspace(0.1, 0.9, 5)


def tried(function, args, order=1):
    """None where both modes agree with differences, else the text of the error."""
    try:
        return s2sad.check_grads(function, tuple(args), order=order)
    except (s2sad.S2sadError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"


found = {}
if sys.argv[1:] != ["value"]:
    s2sad.grad(lambda x: np.sum(np.sin(x)))(X)
    rooms = ("s2sad.libraries.", "s2sad_tinyoptics", "scipy")
    found["loaded before use"] = sorted({".".join(name.split(".")[:3]) for name in sys.modules if name.startswith(rooms)})

import optical_programs  # noqa: E402

if sys.argv[1:] == ["value"]:
    generate, found["made"] = Derivatives.generate, 0

    def counted(self, *args, **named):
        found["made"] += 1
        return generate(self, *args, **named)

    Derivatives.generate = counted
    found["value"] = s2sad.grad(optical_programs.traced)(X, 1.4).tolist()
else:
    for name in ("traced", "through_a_window", "by_weight", "through_a_new_window"):
        found[name] = tried(getattr(optical_programs, name), (X, 1.4), 2 if name == "traced" else 1)
    from s2sad.rules import registry
    from s2sad.rules.language import Derivative

    rules = {n: p for n, p in registry.all_primitives().items() if n.startswith(("tinyoptics.", "s2sad_tinyoptics."))}
    if rules:
        from s2sad_tinyoptics.samples import SAMPLES

        found["text"] = s2sad.differentiate(optical_programs.traced).source("adjoint", X, 1.4)
        derived = [name for name, rule in rules.items() if isinstance(rule.derivative, Derivative)]
        found["without samples"] = sorted({*derived} - {*SAMPLES})
        found["samples"] = [tried(function, args) for name in rules for function, *args in SAMPLES.get(name, ())]
print(json.dumps(found))
