"""Small kernels for the tests of this folder; what they compile is not kept on disk."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rikigaku.codegen import kernel

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "numbers"))


@pytest.fixture(autouse=True)
def _nothing_loaded() -> None:
    """Each test finds its code on disk or makes it; earlier tests leave none in the process."""
    kernel._loaded.clear()


@pytest.fixture(autouse=True, scope="module")
def _nothing_on_disk() -> Iterator[None]:
    before = os.environ.get("RIKIGAKU_CACHE")
    os.environ["RIKIGAKU_CACHE"] = "off"
    yield
    if before is None:
        del os.environ["RIKIGAKU_CACHE"]
    else:
        os.environ["RIKIGAKU_CACHE"] = before
