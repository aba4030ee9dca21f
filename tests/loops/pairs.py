"""Every program of the in-place corpus through both back ends, both modes, with machine code that Numba makes of it now.

    python tests/loops/pairs.py FOLDER [--minutes 30] [--only NAME ...]    # compares, and writes pairs.txt when all are done

It goes on where it stopped: FOLDER keeps what was found for each text of a program, with the helpers that it calls, so that only
programs that became others are compared again. Small programs come first; each process takes some of them and ends when it has
grown.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import re
import resource
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from both_backends import NotNative, assert_same, both, compiled
from programs.case import Case, all_cases

from s2sad import loop_runtime
from s2sad.derivatives import Ask, Derivatives
from s2sad.options import Options

KEPT = Path(__file__).with_name("pairs.txt")
MODES = ("adjoint", "tangent")
AGREES, DIFFERS, LOWERED, NUMBA, SLOW = "agrees", "differs", "is not lowered", "is refused by Numba", "takes too long"
SECONDS, MEGABYTES = 600, 900  # of one program, and of one process


def with_helpers(text: str) -> str:
    """A text, with those of the compiled helpers that it names, and that these name."""
    helpers = {name: getattr(made, "py_func", made) for name, made in vars(loop_runtime).items() if hasattr(made, "__module__")}
    own = {name: made for name, made in helpers.items() if made.__module__ == loop_runtime.__name__}
    named: set[str] = set()
    while new := {name for name in re.findall(r"\w+", text) if name in own} - named:
        named |= new
        text += "\n".join(inspect.getsource(own[name]) for name in sorted(new))
    return text


def pair(case: Case, mode: str, folder: Path) -> dict[str, Any]:
    """What comes of one program: its key, the outcome, a reason, and how long it took."""
    start = time.perf_counter()
    derivatives = Derivatives(case.function, Options())
    args = derivatives.arguments(case.make(np.random.default_rng(1)), {})
    ask = Ask(mode, derivatives.inputs(case.wrt), case.of)
    found = {"name": case.name, "mode": mode, "key": "", "why": ""}
    try:
        texts = [compiled(case.function, ask, args, backend).entry.source for backend in ("numba", "numpy")]
        found["key"] = hashlib.sha256("\0".join(map(with_helpers, texts)).encode()).hexdigest()[:24]
        if (kept := known(folder).get(found["key"])) is not None and kept["outcome"] != SLOW:
            return kept | {"name": case.name, "mode": mode}
        assert_same(*both(case.function, case.make(np.random.default_rng(1)), mode, case.wrt, case.of))
        found["outcome"] = AGREES
    except NotNative as error:
        why = re.sub(r" \([^()]*, line \d+\)$", "", str(error))
        found["outcome"], found["why"] = (NUMBA, _short(why)) if why.startswith("Numba: ") else (LOWERED, why)
    except Exception as error:
        found["outcome"], found["why"] = DIFFERS, _short(f"{type(error).__name__}: {error}")
    return found | {"seconds": round(time.perf_counter() - start, 1)}


def _short(text: str) -> str:
    """The first lines of an error that say something, without places in memory and files."""
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if line and not line.startswith(("Failed in", "During", "File", "-", "<", "[", "("))]
    return re.sub(r" at 0x[0-9a-f]+|/\S+/", "", " ".join(told[:4]))[:300]


_read: dict[Path, dict[str, dict[str, Any]]] = {}


def known(folder: Path) -> dict[str, dict[str, Any]]:
    """What is known of programs that were compiled, by their keys."""
    if folder not in _read:
        file = folder / "pairs.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        _read[folder] = {entry["key"]: entry for entry in map(json.loads, lines) if entry["key"]}
    return _read[folder]


def work(folder: Path) -> None:
    """Compare the programs that are named on standard input, until this process has grown; one line for each."""
    cases = {case.name: case for case in all_cases()}
    for line in sys.stdin:
        name, mode = line.split()
        print(json.dumps(pair(cases[name], mode, folder)), flush=True)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MEGABYTES * 1024:
            return


def run(folder: Path, minutes: float = 1e9, only: Iterable[str] = ()) -> list[dict[str, Any]]:
    """What comes of each program, as far as the time goes."""
    wanted = set(only)
    cases = sorted(all_cases(), key=lambda case: len(inspect.getsource(case.function)))
    left = [(case.name, mode) for case in cases for mode in MODES if not wanted or case.name in wanted]
    end, results = time.monotonic() + 60 * minutes, []
    folder.mkdir(parents=True, exist_ok=True)
    settings = os.environ | {"S2SAD_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, __file__, str(folder), "--worker"]
    while left and time.monotonic() < end:
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings)
        assert worker.stdin is not None and worker.stdout is not None
        try:
            while left and time.monotonic() < end:
                worker.stdin.write(" ".join(left[0]) + "\n")
                worker.stdin.flush()
                told = worker.stdout.readline() if select.select([worker.stdout], [], [], SECONDS)[0] else None
                if told == "" and worker.wait() == 0:
                    break  # it has grown
                name, mode = left.pop(0)
                found = json.loads(told) if told else {"name": name, "mode": mode, "key": "", "why": "", "seconds": SECONDS,
                                                       "outcome": SLOW if told is None else DIFFERS}  # fmt: skip
                results.append(found)
                if found["key"] and found["key"] not in known(folder):
                    known(folder)[found["key"]] = found
                    with (folder / "pairs.jsonl").open("a") as file:
                        file.write(json.dumps(found) + "\n")
                if not told:
                    break
        except BrokenPipeError:
            continue
        finally:
            worker.kill()
            worker.wait()
    return results


def report(results: list[dict[str, Any]]) -> str:
    """The counts, the reasons by how many programs have them, and the programs that do not run as machine code."""
    reasons = Counter(re.sub(r"^\w+: ", "", r["why"]) for r in results if r["outcome"] not in (AGREES, DIFFERS))
    lines = ["Made by tests/loops/pairs.py. Why programs run as NumPy, by how many of both modes:",
             *(f"  {count} {why}" for why, count in sorted(reasons.items(), key=lambda r: (-r[1], r[0])))]  # fmt: skip
    for mode in MODES:
        of_mode = [r for r in results if r["mode"] == mode]
        counts = Counter(r["outcome"] for r in of_mode)
        share = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        lines.append(f"\n{mode}: {counts[AGREES]} of {len(of_mode)} agree ({share})")
        others = sorted((r for r in of_mode if r["outcome"] != AGREES), key=lambda r: r["name"])
        lines += [f"  {r['name']} {r['outcome']}{': ' * bool(r['why'])}{r['why']}" for r in others]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--worker", action="store_true")
    given = parser.parse_args()
    if given.worker:
        work(given.folder)
        return
    results = run(given.folder, given.minutes, given.only)
    print(report(results))
    if len(results) == len(MODES) * len(all_cases()):
        KEPT.write_text(report(results))


if __name__ == "__main__":
    main()
