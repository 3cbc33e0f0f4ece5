"""The robots and states the laws are tried on, and what "equal" means."""

from functools import cache

import numpy as np
from law_kinds import KINDS
from random_robots import ALL_JOINTS, RATE_JOINTS, random_robot, random_state

from rikigaku.robot import Robot

Array = np.ndarray

# Rounding of a few hundred operations on numbers of order one, relative to the largest element.
ROUNDING = 1e-12
# Three extrapolations of central differences leave rounding divided by the step: 1e-15 / 0.0025.
DIFFERENCES = 1e-10


@cache
def robot(
    seed: int,
    links: int,
    drives: bool = False,
    rates_only: bool = False,
    base: str | None = None,
    right_angles: bool = False,
) -> Robot:
    """A random robot; the same object for the same arguments, so that native code is made once."""
    types = RATE_JOINTS if rates_only else ALL_JOINTS
    shuffled = seed % 2 == 1 and base is None  # coordinates in an order that is not the tree's
    return random_robot(
        seed, links, types, drives=drives, base=base, right_angles=right_angles, shuffled=shuffled
    )


def trees(
    kind: str, *, drives: bool = True, rates_only: bool = False, base: str | None = None
) -> list[Robot]:
    """The robots a kind of number is tried on."""
    chosen = KINDS[kind]
    return [robot(*size, drives, rates_only, base, chosen.right_angles) for size in chosen.sizes]


def state(robot: Robot, seed: int = 0) -> tuple[Array, Array, Array]:
    """A random state and acceleration of the robot."""
    return random_state(robot, np.random.default_rng([seed, robot.nv, 7]))


def agree(ours: Array, theirs: Array, tolerance: float = ROUNDING) -> bool:
    """Equal within the tolerance, relative to the largest element (or one, where all are smaller)."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    scale = max(1.0, np.abs(theirs).max(initial=0))
    error = np.abs(ours - theirs).max(initial=0) / scale
    assert error <= tolerance, f"differs by {error:.1e} of the largest element, {tolerance:.0e} is allowed"
    return True
