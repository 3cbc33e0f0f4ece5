"""Random robots for tests: trees of every joint type, random geometry, physical inertias, joint parameters.

Everything follows from the seed. Numbers have few decimals, so that exact kinds of number keep them small.
"""

from dataclasses import replace

import numpy as np

from rikigaku.model.geometry import Geometry, ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import PARAMETER_NAMES, Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Frame, Link
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

ALL_JOINTS = ("revolute", "prismatic", "helical", "universal", "spherical", "planar", "free", "fixed")
# Joints whose velocities are the rates of their positions: Lagrange's equation holds as it stands.
RATE_JOINTS = ("revolute", "prismatic", "helical", "universal", "planar", "fixed")

Triple = tuple[Formula, Formula, Formula]
Array = np.ndarray


def random_robot(
    seed: int,
    links: int = 6,
    types: tuple[str, ...] = ALL_JOINTS,
    *,
    drives: bool = False,
    right_angles: bool = False,
    base: str | None = None,
    shuffled: bool = False,
) -> Robot:
    """A tree of `links` links l1, l2, ... with joints j1, j2, ... and a frame "tip" on the last link.

    types: joint types, used in turn from a random start, so that enough links hold every one of them.
    drives: give joints viscous and Coulomb friction and rotor inertia.
    right_angles: axes along x, y, z and angles k pi/2 only, which every kind of number holds exactly.
    base: type of the first joint, where it matters ("free" for a floating robot).
    shuffled: list the links in any order, children before parents too, as files may.
    """
    rng = np.random.default_rng(seed)
    names = ["base"]
    made: list[Link] = []
    order = [types[i] for i in rng.permutation(len(types))]
    for i in range(1, links + 1):
        kind = base if i == 1 and base else order[i % len(order)]
        if i == links and kind == "fixed" and links > 1:
            kind = types[0]
        # Mostly chains, with a branch now and then; several trees may stand on the ground.
        standing = names[1:] if base and i > 1 else names  # on a floating base everything rides
        parent = names[-1] if rng.random() < 0.65 else str(rng.choice(standing))
        joint = _joint(rng, f"j{i}", kind, drives, right_angles)
        made.append(Link(f"l{i}", parent, joint, _geometry(rng, right_angles), random_inertia(rng)))
        names.append(f"l{i}")
    frames = (Frame("tip", names[-1], _placement(rng, right_angles)),)
    gravity = _triple(rng, 10.0, 2)
    if shuffled:
        made = [made[i] for i in rng.permutation(len(made))]
    return Robot(f"random {seed}", tuple(made), frames, gravity=gravity)


def random_state(robot: Robot, rng: np.random.Generator, *batch: int) -> tuple[Array, Array, Array]:
    """q with unit quaternions, v and a, all of order one."""
    q = rng.uniform(-2, 2, (*batch, robot.nq))
    for joint in robot.joints:
        if joint.type in ("spherical", "free"):
            quaternion = q[..., robot.q_slices[joint.name]][..., -4:]
            quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return q, rng.uniform(-2, 2, (*batch, robot.nv)), rng.uniform(-2, 2, (*batch, robot.nv))


def with_free_inertias(robot: Robot) -> Robot:
    """The robot with a symbol for each inertial parameter, named as "m_link2"."""
    links = []
    for link in robot.links:
        ten = [Formula.symbol(f"{name}_{link.name}") for name in PARAMETER_NAMES]
        links.append(replace(link, inertia=Inertia("origin", ten[0], tuple(ten[1:4]), tuple(ten[4:]))))
    return replace(robot, links=tuple(links))


def random_inertia(rng: np.random.Generator) -> Inertia:
    """The inertia of four to six mass points: what rigid bodies have, triangle inequality and all."""
    points = np.round(rng.uniform(-0.5, 0.5, (rng.integers(4, 7), 3)), 2)
    masses = np.round(rng.uniform(0.2, 1, len(points)), 2)
    if rng.random() < 0.5:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = _second_moments(points, masses)
        first = _formulas(masses @ points, 6)
        return Inertia("origin", _f(masses.sum(), 4), first, _formulas((xx, xy, xz, yy, yz, zz), 8))
    c = np.round(masses @ points / masses.sum(), 3)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = _second_moments(points - masses @ points / masses.sum(), masses)
    rpy = _triple(rng, 3, 2) if rng.random() < 0.5 else (_f(0, 0),) * 3
    tensor = _formulas((xx, xy, xz, yy, yz, zz), 8)
    return Inertia("com", _f(masses.sum(), 4), _formulas(c, 3), tensor, rpy)


def _second_moments(points: Array, masses: Array) -> Array:
    """Inertia tensor of mass points about the origin."""
    return sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))


def _joint(rng: np.random.Generator, name: str, kind: str, drives: bool, right_angles: bool) -> Joint:
    axis = _axis(rng, right_angles)
    second = _axis(rng, right_angles)
    while abs(_unit(axis) @ _unit(second)) > 0.9:
        second = _axis(rng, right_angles)
    amounts = [_f(x, 2) for x in rng.uniform(0.05, 0.5, 3)] if drives and kind != "fixed" else [_f(0, 0)] * 3
    pitch = _f(rng.uniform(0.05, 0.3), 3)
    viscous, coulomb, rotor = amounts
    return Joint(name, kind, axis, second, pitch, viscous=viscous, coulomb=coulomb, rotor=rotor)


def _geometry(rng: np.random.Generator, right_angles: bool) -> Geometry:
    choice = rng.integers(3)
    if choice == 0:
        return _placement(rng, right_angles)
    angles, lengths = _angles(rng, right_angles), _triple(rng, 0.6, 2)
    if choice == 1:
        branch = rng.random() < 0.5
        beta, b = (angles[2], lengths[2]) if branch else (_f(0, 0), _f(0, 0))
        return ModifiedDH(angles[0], lengths[0], angles[1], lengths[1], beta, b)
    return StandardDH(angles[0], lengths[0], lengths[1], angles[1])


def _placement(rng: np.random.Generator, right_angles: bool) -> Placement:
    return Placement(_triple(rng, 0.6, 2), _angles(rng, right_angles))


def _angles(rng: np.random.Generator, right_angles: bool) -> Triple:
    if not right_angles:
        return _triple(rng, 3, 2)
    a, b, c = (Formula.of(f"{k}*pi/2") for k in rng.integers(-1, 3, 3))
    return a, b, c


def _axis(rng: np.random.Generator, right_angles: bool) -> Triple:
    """A direction of any length, or plus or minus one of x, y, z."""
    if right_angles or rng.random() < 0.4:
        axis = np.zeros(3)
        axis[rng.integers(3)] = rng.choice((-1, 1))
        x, y, z = _formulas(axis, 0)
        return x, y, z
    axis = _triple(rng, 1, 1)
    return axis if np.linalg.norm(_floats(axis)) > 0.5 else _axis(rng, right_angles)


def _unit(axis: Triple) -> Array:
    return _floats(axis) / np.linalg.norm(_floats(axis))


def _floats(formulas: Triple) -> Array:
    return np.array([float(x) for x in formulas])


def _triple(rng: np.random.Generator, size: float, decimals: int) -> Triple:
    x, y, z = _formulas(rng.uniform(-size, size, 3), decimals)
    return x, y, z


def _formulas(values: Array | tuple[float, ...], decimals: int) -> tuple[Formula, ...]:
    return tuple(_f(x, decimals) for x in values)


def _f(x: float, decimals: int) -> Formula:
    return Formula.of(f"{x:.{decimals}f}")
