"""One robot of every kind of joint, as other engines read it."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def kinds() -> Any:
    """A robot with every kind of joint URDF has: ours, Pinocchio's and MuJoCo's."""
    from interop_reference import every_kind  # loads both engines

    return every_kind()
