"""Settings of the whole test suite: generated modules go to a folder of the run, and every pass is verified."""

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ["S2SAD_VERIFY"] = "1"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small, and waiting threads take the other tests' time
with contextlib.suppress(ImportError):  # the lowest versions are tried without it
    from hypothesis import HealthCheck, settings

    settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines are busy
    settings.load_profile("no clock")
gc.set_threshold(100_000, 50, 1000)  # programs are made of many small objects, few of them in cycles


@pytest.fixture(autouse=True, scope="session")
def _generated_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    os.environ["S2SAD_CACHE_DIR"] = str(tmp_path_factory.mktemp("generated"))
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
