"""Closed robots for tests: the shipped ones in closed configurations, random trees with every cut joint."""

from dataclasses import replace
from functools import cache

import numpy as np
import pose_reference as reference
from random_robots import ALL_JOINTS, random_robot, random_state
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku.model.geometry import Placement
from rikigaku.model.joints.joint_types import CUT_JOINTS
from rikigaku.model.robot_model import Coupling, Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

Array = np.ndarray

SHIPPED = ("rosam_loop", "four_bar", "five_bar", "three_rrr", "stewart")

# Motions a cut joint leaves free, in the axes of its start frame: translations, then rotations.
FREE: dict[str, tuple[int, ...]] = {
    "revolute": (5,),
    "prismatic": (2,),
    "cylindrical": (2, 5),
    "planar": (0, 1, 5),
    "spherical": (3, 4, 5),
    "universal": (5, 3),  # before the first turn: about z of the start, then about x
    "fixed": (),
}


@cache
def shipped(name: str) -> Robot:
    """A shipped robot with numbers for its symbols."""
    robot = rk.load(name)
    return robot.bind(**robot.declared_values) if robot.free_symbols else robot


def closed_configuration(robot: Robot, seed: int = 0, near: Array | None = None) -> Array:
    """A random closed configuration, by Newton's method on poses of the reference implementation only."""
    rng = np.random.default_rng([seed, robot.nv])
    for _ in range(40):
        q = random_state(robot, rng)[0] if near is None else near
        for _ in range(30):
            gap = gaps(robot, q).real
            if np.abs(gap).max() < 1e-13:
                break
            T = reference.tangent(robot, q)
            slopes = np.stack([gaps(robot, q + 1e-30j * column).imag / 1e-30 for column in T.T], axis=-1)
            q = q + T @ np.linalg.lstsq(slopes, -gap, rcond=1e-9)[0]
            for joint in robot.joints:
                if joint.type in ("spherical", "free"):
                    four = q[robot.q_slices[joint.name]][-4:]
                    four /= np.linalg.norm(four)
        if np.abs(gaps(robot, q)).max() < 1e-12 and all(
            S[:3, 2] @ E[:3, 2] > 0 or loop.joint in ("spherical", "universal")
            for loop, (S, E) in zip(robot.loops, end_poses(robot, q), strict=True)
        ):
            return q
    raise AssertionError(f"no closed configuration of {robot.name} found")


def end_poses(robot: Robot, q: Array) -> list[tuple[Array, Array]]:
    """Pose in the world of the two ends of each loop, from the reference."""
    poses = reference.link_poses(robot, q)

    def pose(end: LoopEnd) -> Array:
        return poses[end.link] @ reference.steps_pose((*end.geometry.before(), *end.geometry.after()))

    return [(pose(loop.start), pose(loop.end)) for loop in robot.loops]


def gaps(robot: Robot, q: Array) -> Array:
    """What must vanish, written another way than in the package: the forbidden part of S^-1 E."""
    found = []
    for loop, (S, E) in zip(robot.loops, end_poses(robot, q), strict=True):
        X = np.linalg.inv(S) @ E
        turn = np.array([X[2, 1] - X[1, 2], X[0, 2] - X[2, 0], X[1, 0] - X[0, 1]])
        free = FREE[loop.joint]
        found += [x for k, x in enumerate(X[:3, 3]) if k not in free]
        if loop.joint == "universal":
            found.append(X[2, 0])
        elif 3 not in free and 5 in free:
            found += [X[0, 2], X[1, 2]]  # z of the end along z of the start
        elif 5 not in free:
            found += list(turn)
    return np.array(found)


@cache
def random_closed(seed: int, joint: str, links: int = 7) -> tuple[Robot, Array]:
    """A random tree of all joint types with one such loop (and a gear), and a closed configuration."""
    assert joint in CUT_JOINTS
    rng = np.random.default_rng([seed, 11])
    tree = random_robot(seed, links, ALL_JOINTS, shuffled=seed % 2 == 1)
    q, _, _ = random_state(tree, rng)
    single = [j.name for j in tree.joints if j.type in ("revolute", "prismatic", "helical")]
    couplings = ()
    if len(single) > 1:
        a, b = (tree.q_slices[name].start for name in single[:2])
        couplings = (
            Coupling(single[0], single[1], Formula.of("-1.5"), Formula.of(repr(float(q[a] + 1.5 * q[b])))),
        )
    names = [link.name for link in tree.links]
    first, last = names[int(rng.integers(len(names)))], names[-1]
    first = "base" if first == last else first
    start = LoopEnd(
        last,
        placement(
            reference.homogeneous(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3)).real
        ),
    )
    poses = reference.link_poses(tree, q)
    S = (poses[last] @ reference.steps_pose(start.geometry.before())).real
    E = np.linalg.inv(poses[first].real) @ S @ joint_motion(joint, rng)
    loop = Loop("cut", joint, start, LoopEnd(first, placement(E)))
    return replace(tree, loops=(loop,), couplings=couplings, name=f"closed {seed} {joint}"), q


def joint_motion(joint: str, rng: np.random.Generator) -> Array:
    """A random motion the joint allows."""
    t, (a, b) = rng.uniform(-1, 1, 3), rng.uniform(-2, 2, 2)
    shift = [x if k in FREE[joint] else 0 for k, x in enumerate(t)]
    R = np.eye(3)
    if joint == "spherical":
        R = Rotation.random(random_state=int(1000 * a + 2000)).as_matrix()
    elif 5 in FREE[joint]:
        R = Rotation.from_rotvec([0, 0, a]).as_matrix()
        if joint == "universal":
            R = R @ Rotation.from_rotvec([b, 0, 0]).as_matrix()
    return reference.homogeneous(R, shift).real


def placement(X: Array) -> Placement:
    """A pose as numbers in full."""
    yaw, pitch, roll = Rotation.from_matrix(X[:3, :3]).as_euler("ZYX")
    xyz = tuple(Formula.of(repr(float(x))) for x in X[:3, 3])
    return Placement(xyz, tuple(Formula.of(repr(float(x))) for x in (roll, pitch, yaw)))  # type: ignore[arg-type]
