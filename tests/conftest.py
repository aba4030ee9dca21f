"""Settings of the whole test suite: generated modules go to a folder of the run, and every pass is verified."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ["S2SAD_VERIFY"] = "1"


@pytest.fixture(autouse=True, scope="session")
def _generated_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    os.environ["S2SAD_CACHE_DIR"] = str(tmp_path_factory.mktemp("generated"))
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
