"""The command line over every package at hand, in a process that watches it: nothing but refusals and modules comes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGES = Path(sysconfig.get_paths()["purelib"])
AT_ONCE = 60  # files in one process


def packages() -> list[str]:
    return sorted({path.relative_to(PACKAGES).parts[0] for path in PACKAGES.glob("*/**/*.py")})


@pytest.mark.deep
@pytest.mark.parametrize("package", packages())
def test_package(package: str, tmp_path: Path) -> None:
    files = sorted(str(path) for path in (PACKAGES / package).rglob("*.py"))
    wrong = []
    for start in range(0, len(files), AT_ONCE):
        done = subprocess.run(
            [sys.executable, str(HERE / "audited.py"), str(tmp_path / "out")], input="\0".join(files[start : start + AT_ONCE]),
            capture_output=True, text=True, timeout=3600, check=False, cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""},
        )  # fmt: skip
        found = [json.loads(line) for line in done.stdout.split("\n") if line]
        results = [one for one in found if "code" in one]
        assert done.returncode == 0 and len(results) == len(files[start : start + AT_ONCE]), (found[-1], done.stderr[-2000:])
        wrong += [one for one in results if one["problem"] or one["bugs"] or one["violations"]]
    assert not wrong
