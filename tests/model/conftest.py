"""The random robots of the tests stand one folder up; one robot of every kind of joint, as others read it."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))


@pytest.fixture(scope="session")
def kinds() -> Any:
    """A robot with every kind of joint URDF has: ours, Pinocchio's and MuJoCo's."""
    from interop_reference import every_kind  # loads both engines

    return every_kind()
