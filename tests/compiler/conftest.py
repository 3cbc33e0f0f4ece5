"""Small kernels for the tests of this folder; what they compile is not kept on disk."""

import os
from collections.abc import Iterator

import pytest

from rikigaku.compiler import kernel


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
