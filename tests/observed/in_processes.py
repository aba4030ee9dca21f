"""All worlds in a process of its own: ``python in_processes.py FOLDER original|edited|changed``, over one cache on disk.

Prints a line of JSON: the worlds whose derivative is wrong, how many there are, and for how many nothing had to be generated.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from observed.test_worlds import derivative, load, right, slope
from observed.worlds import WORLDS
from s2sad import derivatives

if __name__ == "__main__":
    folder, mode = Path(sys.argv[1]), sys.argv[2]
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    generate, made = derivatives.Derivatives.generate, [0]

    def counted(self: Any, *args: Any, **options: Any) -> Any:
        made[0] += 1
        return generate(self, *args, **options)

    derivatives.Derivatives.generate = counted  # type: ignore[method-assign]
    wrong, stored = [], 0
    for number, (name, world) in enumerate(WORLDS.items()):
        module = load(folder, f"world_{number}", world, edited=mode == "edited" and bool(world.edit[0]))
        if mode == "changed":
            exec(compile(world.change, "<change>", "exec"), vars(module))
        before = made[0]
        found, expected = derivative(module.f), slope(module.f)
        for owner, attribute, value in module.undo:
            setattr(owner, attribute, value)
        stored += made[0] == before
        if not right(expected, found):
            wrong.append((name, found, expected))
    print(json.dumps({"wrong": wrong, "worlds": len(WORLDS), "stored": stored}))
