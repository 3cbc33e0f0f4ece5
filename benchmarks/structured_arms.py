"""Arms of four to six joints whose axes are parallel, perpendicular or meet, against their own poses.

A random configuration gives a pose; it must be among the solutions at that pose, or belong to a family that
is returned, or the result must say that it is incomplete. "Out of reach" is always wrong. A redundant arm
must return a family, and the known configuration once its redundant joints have the known values.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.inverse_kinematics_arms import arm_of
from rikigaku.core.errors import NotSolvable
from rikigaku.inverse_kinematics.exact_solver import exact_solver

MOST_PRISMATIC = 3
_ANGLES = (0.0, np.pi / 2, np.pi)
_FOUND = 1e-5  # [rad, m]
OUTCOMES = ("found", "family", "incomplete", "missed", "out of reach", "refused")


def patterns() -> Iterator[str]:
    """Types of joints, "RRRPRP", ...: four to six joints, at most three of them prismatic."""
    for count in (4, 5, 6):
        for flags in itertools.product("RP", repeat=count):
            if flags.count("P") <= MOST_PRISMATIC:
                yield "".join(flags)


def structured_arm(types: str, rng: np.random.Generator) -> Any:
    """An arm with twists of 0, 90, 180 degrees or any, offsets of 0 or any."""
    n = len(types)
    twist = np.where(rng.random(n) < 0.8, rng.choice(_ANGLES, n), rng.uniform(-np.pi, np.pi, n))
    offsets = np.where(rng.random((n, 2)) < 0.5, 0.0, rng.uniform(-1, 1, (n, 2)))
    sliding = [k for k, kind in enumerate(types) if kind == "P"]
    angles = np.where(rng.random(n) < 0.7, rng.choice(_ANGLES, n), rng.uniform(-np.pi, np.pi, n))
    last = np.where(np.isin(np.arange(n), sliding), angles, offsets[:, 1])
    return arm_of(np.column_stack([twist, offsets[:, 0], last]), sliding)


def outcomes(robot: Any, poses: int, seed: int) -> Counter[str]:
    """How often each outcome occurs at random configurations."""
    frame, n = robot.links[-1].name, robot.nq
    angles = np.array([joint.type == "revolute" for joint in robot.joints])
    q = np.random.default_rng(seed).uniform(-1, 1, (poses, n)) * np.where(angles, np.pi, 0.8)
    H = robot.pose(q, frame)
    try:
        found = robot.inverse_kinematics(H, frame, all=True, limits=False)
        if found.dimension and found.success.any(axis=1).all():  # the known member of each family
            names = exact_solver(robot, frame, {}, ()).redundant_joints
            given = {name: q[:, robot.q_slices[name].start] for name in names}
            found = robot.inverse_kinematics(H, frame, all=True, limits=False, given=given)
    except NotSolvable:
        return Counter({"refused": poses})
    gap = found.q - q[:, None]
    gap = np.where(angles, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
    near = np.abs(np.where(np.isnan(gap), 9.0, gap)).max(axis=2).min(axis=1, initial=9.0) < _FOUND
    some = found.success.any(axis=1)
    result = Counter[str]()
    for k in range(poses):
        if near[k]:
            result["found"] += 1
        elif some[k] and found.family[k].any():
            result["family"] += 1
        elif not found.complete[k]:
            result["incomplete"] += 1
        else:
            result["missed" if some[k] else "out of reach"] += 1
    return result
