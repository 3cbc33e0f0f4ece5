"""The shipped robots: their numbers against what was published, another engine, and physics.

Poses come from a small forward kinematics of our own (NumPy, from the elementary steps of the data classes),
so that nothing here leans on the laws of the package.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

from rikigaku.errors import UnknownName
from rikigaku.model.geometry import Geometry, Steps
from rikigaku.model.inertia import Inertia
from rikigaku.model.library import NAMES, SUFFIX, path
from rikigaku.model.robot import Loop, LoopEnd, Robot
from rikigaku.model.toml import read_toml
from rikigaku.numbers.formula import Formula

Array = NDArray[np.float64]
Numbers = Array | Sequence[float]
PI = math.pi
ROBOTS = {name: read_toml(path(name)) for name in NAMES}
URDFS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"

# nq, nv, total mass with the base [kg]
SIZES = {
    "cassie_leg": (12, 12, 21.821),  # links of the published model, pelvis and left leg
    "delta": (22, 21, 1.86),
    "five_bar": (4, 4, 1.4),
    "four_bar": (3, 3, 2.2),
    "humanoid_17": (17, 17, 64.2),  # table 1 of the paper
    "humanoid_32": (39, 38, 70),
    "humanoid_feet": (19, 19, 64.2),
    "iiwa14": (7, 7, 22.5),
    "panda": (7, 7, 17.451901),
    "planar_2r": (2, 2, 2),
    "planar_3r": (3, 3, 3),
    "puma560": (6, 6, 23.45),  # Armstrong et al. 1986, without link 1
    "rosam_loop": (5, 5, 8.2),
    "rx90": (6, 6, 70),
    "scara": (4, 4, 34.5),
    "space_arm_6": (13, 12, 2646),
    "space_dual_arm": (22, 21, 2802),
    "space_planar_2r": (5, 5, 225),
    "space_target": (7, 6, 150),
    "slider_crank": (3, 3, 1.3),
    "sr400": (8, 8, 200),
    "stanford": (6, 6, 20.77),  # Paul 1981
    "stewart": (25, 24, 28),
    "three_rrr": (7, 7, 2.5),
    "ur5": (6, 6, 20.9939),
}
DEGREES_OF_FREEDOM = {
    "cassie_leg": 7,  # Cassie: 20 with two legs and a floating pelvis, five motors and two springs a leg
    "delta": 3,
    "five_bar": 2,
    "four_bar": 1,
    "rosam_loop": 3,
    "slider_crank": 1,
    "sr400": 6,  # Khalil, Dombre 2002: six motors
    "stewart": 6,
    "three_rrr": 3,
}
# Independent coordinates without a motor: leaf springs.
SPRINGS = {"cassie_leg": ["shin_spring", "heel"]}
# Published so, and kept so: its principal moments break the triangle inequality.
UNPHYSICAL = {("puma560", "link3")}


# -- forward kinematics ----------------------------------------------------------------------------
def number(robot: Robot, formula: Formula) -> float:
    values = {symbol.name: symbol.value for symbol in robot.symbols if symbol.value is not None}
    return float(formula.substitute(values))


def rotation(axis: Array, angle: float) -> Array:
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def quaternion(w: float, x: float, y: float, z: float) -> Array:
    half = math.atan2(math.hypot(x, y, z), w)
    return rotation(np.array([x, y, z]), 2 * half) if half else np.eye(3)


def pose(R: Array | None = None, p: Numbers = (0, 0, 0)) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.eye(3) if R is None else R, p
    return T


def fixed(robot: Robot, steps: Steps) -> Array:
    T = np.eye(4)
    for step in steps:
        unit, amount = np.eye(3)["xyz".index(step.axis[1])], number(robot, step.amount)
        T = T @ (pose(rotation(unit, amount)) if step.axis[0] == "r" else pose(p=amount * unit))
    return T


def placed(robot: Robot, geometry: Geometry) -> Array:
    return fixed(robot, (*geometry.before(), *geometry.after()))


def link_poses(robot: Robot, q: Numbers) -> dict[str, Array]:
    poses = {robot.base: np.eye(4)}
    for link in robot.links:
        joint = link.joint
        part = np.asarray(q, dtype=float)[robot.q_slices.get(joint.name, slice(0, 0))]
        first, second = (
            np.array([number(robot, x) for x in axis]) for axis in (joint.axis, joint.second_axis)
        )
        before, after = fixed(robot, link.geometry.before()), fixed(robot, link.geometry.after())
        poses[link.name] = poses[link.parent] @ before @ motion(joint.type, part, first, second) @ after
    return poses


def motion(kind: str, q: Array, first: Array, second: Array) -> Array:
    match kind:
        case "revolute":
            return pose(rotation(first, q[0]))
        case "prismatic":
            return pose(p=q[0] * first)
        case "universal":
            return pose(rotation(first, q[0]) @ rotation(second, q[1]))
        case "free":
            return pose(quaternion(*q[3:]), q[:3])
        case "planar" if first[2] == 1:  # slides along x and y
            return pose(rotation(first, q[2]), (*q[:2], 0))
    assert kind == "fixed"
    return pose()


def frame_pose(name: str, frame: str, q: Numbers) -> Array:
    robot = ROBOTS[name]
    found = robot.frame(frame)
    return link_poses(robot, q)[found.link] @ placed(robot, found.geometry)


def inertia_about_com(robot: Robot, inertia: Inertia) -> tuple[float, Array, Array]:
    """Mass, centre of mass, and tensor about it, in link axes."""
    assert not any(inertia.rpy)
    m, c = number(robot, inertia.m), np.array([number(robot, x) for x in inertia.position])
    xx, xy, xz, yy, yz, zz = (number(robot, x) for x in inertia.tensor)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if inertia.about == "origin":
        c = c / m
        tensor = tensor - m * (c @ c * np.eye(3) - np.outer(c, c))
    return m, c, tensor


def whole_body(robot: Robot, q: Numbers) -> tuple[float, Array, Array]:
    """Mass, centre of mass and tensor about it, world axes, of all links but the base."""
    poses, bodies = link_poses(robot, q), []
    for link in robot.links:
        if link.inertia is not None:
            m, c, tensor = inertia_about_com(robot, link.inertia)
            T = poses[link.name]
            bodies.append((m, T[:3, :3] @ c + T[:3, 3], T[:3, :3] @ tensor @ T[:3, :3].T))
    masses, centres, tensors = (np.array(column) for column in zip(*bodies, strict=True))
    com = masses @ centres / masses.sum()
    D = centres - com
    spread = np.einsum("b,bi,bj->ij", masses, D, D)
    return float(masses.sum()), com, tensors.sum(axis=0) + np.trace(spread) * np.eye(3) - spread


def moved(robot: Robot, q: Array, k: int, step: float) -> Array:
    """q after a small step along coordinate k of v; a quaternion turns about a body axis."""
    q, joint = q.copy(), next(j for j in robot.joints if robot.v_slices[j.name].stop > k)
    at, i = robot.q_slices[joint.name].start, k - robot.v_slices[joint.name].start
    if joint.type == "free" and i >= 3:
        w, x, y, z = q[at + 3 : at + 7]
        body = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
        q[at + 3 : at + 7] += step / 2 * body[:, i - 3]
    else:
        q[at + i] += step
    return q


def slope(robot: Robot, f: Callable[[Array], Array], q: Numbers) -> Array:
    """Columns: change of f along each coordinate of v, by central differences."""
    h, base = 1e-6, np.array(q, dtype=float)
    columns = [f(moved(robot, base, k, h)) - f(moved(robot, base, k, -h)) for k in range(robot.nv)]
    return np.array(columns).T / (2 * h)


# -- all of them -----------------------------------------------------------------------------------
def test_the_names_are_those_of_the_files() -> None:
    assert sorted(NAMES) == sorted(p.name.removesuffix(SUFFIX) for p in path("ur5").parent.glob("*" + SUFFIX))


def test_an_unknown_robot_is_answered_with_a_near_name() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'puma560'"):
        path("puma650")


@pytest.mark.parametrize("name", NAMES)
def test_the_sizes_and_the_total_mass_are_the_intended_ones(name: str) -> None:
    robot = ROBOTS[name]
    inertias = [robot.base_inertia, *(link.inertia for link in robot.links)]
    mass = sum(number(robot, inertia.m) for inertia in inertias if inertia is not None)
    assert (robot.nq, robot.nv) == SIZES[name][:2]
    assert mass == pytest.approx(SIZES[name][2], rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_robot_is_named_like_its_file_and_tells_its_source_and_symbols(name: str) -> None:
    robot = ROBOTS[name]
    assert robot.name == name
    assert len(robot.source) > 40
    assert set(robot.free_symbols) == {symbol.name for symbol in robot.symbols}
    assert all(symbol.value is not None and symbol.unit for symbol in robot.symbols)


@pytest.mark.parametrize("name", NAMES)
def test_every_inertia_is_that_of_a_possible_body_but_for_the_known_ones(name: str) -> None:
    robot, found = ROBOTS[name], set()
    for link in robot.links:
        if link.inertia is not None:
            m, _, tensor = inertia_about_com(robot, link.inertia)
            second_moments = np.linalg.eigvalsh(np.trace(tensor) / 2 * np.eye(3) - tensor)
            # Rods and sheets have second moments of exactly zero; rounding is relative to the largest.
            if m < 0 or second_moments.min() < -1e-12 * second_moments.max():
                found.add((name, link.name))
    assert found == {known for known in UNPHYSICAL if known[0] == name}


# -- postures that were published, or follow from published formulas -------------------------------
@pytest.mark.parametrize(
    ("name", "frame", "q", "position"),
    [
        ("puma560", "hand", [0, 0, 0, 0, 0, 0], (0.4521, -0.15005, 0.4318)),  # Corke: zero posture
        ("puma560", "hand", [0, PI / 2, -PI / 2, 0, 0, 0], (0.0203, -0.15005, 0.8636)),  # ready posture
        ("panda", "flange", [0, -PI / 4, 0, -3 * PI / 4, 0, PI / 2, PI / 4], (0.3069, 0, 0.5903)),
        ("panda", "hand", [0, -PI / 4, 0, -3 * PI / 4, 0, PI / 2, PI / 4], (0.3069, 0, 0.4869)),
        ("iiwa14", "hand", [0] * 7, (0, 0, 1.306)),
        ("planar_2r", "hand", [0, 0], (0, 0, 1)),
        ("planar_3r", "hand", [-PI / 6, -PI / 3, -PI / 3], (0, 1, 0)),
        ("humanoid_17", "vertex", [0] * 17, (0.135, 0, 1.70)),
        ("humanoid_17", "swing_sole", [0] * 17, (0.27, 0, 0)),
        ("humanoid_feet", "vertex", [0] * 19, (0.135, 0, 1.70)),
        ("humanoid_feet", "swing_toe", [1, 2, 0, *[0] * 16], (0.27, 1.18, 2)),
        ("space_arm_6", "hand", [0, 0, 0, 1, 0, 0, 0, *[0] * 6], (1.7, 0, 2.4)),
        ("space_dual_arm", "right_hand", [0, 0, 0, 1, 0, 0, 0, *[0] * 15], (1.7, -0.7, 2.4)),
        ("space_planar_2r", "hand", [1, 2, 0, PI / 2, -PI / 2], (3, 3.5, 0)),
        ("three_rrr", "hand", [0] * 7, (0, 0, 0)),
    ],
)
def test_a_frame_stands_where_it_should(
    name: str, frame: str, q: list[float], position: tuple[float, ...]
) -> None:
    # Four decimals were printed for the Panda; the others are exact.
    assert frame_pose(name, frame, q)[:3, 3] == pytest.approx(
        position, abs=5e-5 if name == "panda" else 1e-12
    )


def standard_dh(theta: float, d: float, a: float, alpha: float) -> Array:
    turn, twist = rotation(np.array([0, 0, 1]), theta), rotation(np.array([1, 0, 0]), alpha)
    return pose(turn) @ pose(p=(a, 0, d)) @ pose(twist)


def test_the_ur5_follows_the_makers_dh_table() -> None:
    table = [
        (0.089159, 0, PI / 2),
        (0, -0.425, 0),
        (0, -0.39225, 0),
        (0.10915, 0, PI / 2),
        (0.09465, 0, -PI / 2),
    ]
    q = np.random.default_rng(1).uniform(-PI, PI, 6)
    T = pose(rotation(np.array([0, 0, 1]), PI))  # the URDF's base looks the other way
    for angle, (d, a, alpha) in zip(q, [*table, (0.0823, 0, 0)], strict=True):
        T = T @ standard_dh(angle, d, a, alpha)
    assert frame_pose("ur5", "hand", q) == pytest.approx(T, abs=1e-12)


def test_the_iiwa_follows_the_published_dh_table() -> None:
    table = [(0.36, -1), (0, 1), (0.42, 1), (0, -1), (0.4, -1), (0, 1), (0.126, 0)]
    q = np.random.default_rng(2).uniform(-PI, PI, 7)
    T = np.eye(4)
    for angle, (d, quarter) in zip(q, table, strict=True):
        T = T @ standard_dh(angle, d, 0, quarter * PI / 2)
    assert frame_pose("iiwa14", "hand", q) == pytest.approx(T, abs=1e-12)


def test_the_wrists_of_stanford_arm_and_rx90_follow_the_printed_formulas() -> None:
    q1, q2, d3 = 0.7, -1.1, 0.8
    c1, s1, c2, s2 = math.cos(q1), math.sin(q1), math.cos(q2), math.sin(q2)
    paul = (c1 * s2 * d3 - s1 * 0.154, s1 * s2 * d3 + c1 * 0.154, c2 * d3 + 0.412)
    assert frame_pose("stanford", "link6", [q1, q2, d3, 0.3, 0.4, 0.5])[:3, 3] == pytest.approx(
        paul, abs=1e-12
    )
    s23, c23 = math.sin(q2 + 0.9), math.cos(q2 + 0.9)
    reach = s23 * 0.45 - c2 * 0.45
    khalil = (-c1 * reach, -s1 * reach, c23 * 0.45 + s2 * 0.45)
    assert frame_pose("rx90", "link6", [q1, q2, 0.9, 0.3, 0.4, 0.5])[:3, 3] == pytest.approx(
        khalil, abs=1e-12
    )


def test_the_scara_arm_reaches_where_two_links_and_a_quill_reach() -> None:
    q1, q2, d3 = 0.4, -1.3, -0.1
    xy = [0.425 * f(q1) + 0.375 * f(q1 + q2) for f in (math.cos, math.sin)]
    T = frame_pose("scara", "hand", [q1, q2, d3, 0.6])
    assert T[:3, 3] == pytest.approx((*xy, 0.877 + d3 - 0.22), abs=1e-12)
    assert T[:3, 0] == pytest.approx((math.cos(q1 + q2 + 0.6), math.sin(q1 + q2 + 0.6), 0), abs=1e-12)


def test_the_man_sized_humanoid_is_a_man() -> None:
    q = [0.0] * 39
    q[3] = 1.0
    soles = [frame_pose("humanoid_32", f"{side}_sole", q)[:3, 3] for side in ("left", "right")]
    height = frame_pose("humanoid_32", "vertex", q)[2, 3] - soles[0][2]
    centre = whole_body(ROBOTS["humanoid_32"], q)[1]
    assert height == pytest.approx(1.75, abs=1e-12)
    assert soles[0] == pytest.approx(soles[1] * (1, -1, 1), abs=1e-12)
    assert abs(centre[1]) < 1e-12
    # Standing men carry their centre of mass at 55 to 57 % of their height (biomechanics textbooks).
    assert 0.55 < (centre[2] - soles[0][2]) / height < 0.58


# Links of ours; the SDF calls them left-hip-roll, ...
CASSIES_LINKS = ("hip_roll", "hip_yaw", "hip_pitch", "achilles_rod", "knee", "shin", "tarsus", "heel_spring")
CASSIES_LINKS += ("foot_crank", "plantar_rod", "foot")


def test_cassies_leg_has_the_bodies_of_the_makers_sdf_and_stands_as_it_is_drawn_there() -> None:
    """Agility's own SDF is another file than the source; its poses are rounded to 1e-5 m and 1e-4 rad."""
    robot = ROBOTS["cassie_leg"]
    file = URDFS / "cassie_description" / "robots" / "cassie.sdf"
    root = ElementTree.fromstring(file.read_text().split("-->", 1)[1])
    links = {link.get("name"): link for link in root.iter("link")}

    def numbers(link: str, *tags: str) -> list[float]:
        found = links[link].find("/".join(tags))
        assert found is not None
        return [float(x) for x in str(found.text).split()]

    q = np.zeros(robot.nq)
    for joint, value in (("knee", -PI / 4), ("ankle", 58 * PI / 180), ("achilles", PI / 3 - 0.653)):
        q[robot.q_slices[joint].start] = value
    q[robot.q_slices["achilles"].start + 1] = 0.0722
    poses = link_poses(robot, q)
    for ours in ("pelvis", *CASSIES_LINKS):
        theirs = "pelvis" if ours == "pelvis" else f"left-{ours.replace('_', '-')}"
        inertia = robot.link(ours).inertia
        assert inertia is not None
        m, c, tensor = inertia_about_com(robot, inertia)
        assert m == numbers(theirs, "inertial", "mass")[0]
        assert c == pytest.approx(numbers(theirs, "inertial", "pose")[:3], abs=1e-12)
        for tag, (i, j) in {
            "ixx": (0, 0),
            "iyy": (1, 1),
            "izz": (2, 2),
            "ixy": (0, 1),
            "ixz": (0, 2),
        }.items():
            assert tensor[i, j] == pytest.approx(numbers(theirs, "inertial", "inertia", tag)[0], abs=1e-12)
        assert poses[ours][:3, 3] == pytest.approx(numbers(theirs, "pose")[:3], abs=1e-4)


# -- published dynamics ----------------------------------------------------------------------------
def mass_matrix(robot: Robot, q: Numbers) -> Array:
    """M of an arm of one-coordinate joints, from the kinetic energy of its links and rotors."""
    M = np.diag([number(robot, joint.rotor) for joint in robot.joints])
    for link in robot.links:
        assert link.inertia is not None
        m, c, tensor = inertia_about_com(robot, link.inertia)

        def rows(q: Array, name: str = link.name) -> Array:
            return link_poses(robot, q)[name][:3].ravel()

        R, T = rows(np.asarray(q)).reshape(3, 4)[:, :3], slope(robot, rows, q).reshape(3, 4, -1)
        v = np.einsum("iak,a->ik", T, [*c, 1])
        spin = np.einsum("ai,abk->ibk", R, T[:, :3])  # R^T dR, skew
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        M = M + m * v.T @ v + w.T @ tensor @ w
    return M


def test_the_puma_weighs_and_resists_as_corke_printed() -> None:
    robot, q = ROBOTS["puma560"], [0, PI / 4, PI, 0, PI / 4, 0]
    energy = slope(robot, lambda q: np.array([9.81 * 23.45 * whole_body(robot, q)[1][2]]), q)
    # Robotics, Vision and Control, the nominal posture: gravity load, then the diagonal of M with rotors.
    assert energy[0] == pytest.approx([0, 31.6399, 6.0351, 0, 0.0283, 0], abs=6e-5)
    printed = [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941]
    assert np.diag(mass_matrix(robot, q)) == pytest.approx(printed, abs=6e-5)


# -- against another engine ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "file"),
    [("ur5", "ur_description/urdf/ur5_robot.urdf"), ("panda", "panda_description/urdf/panda.urdf")],
)
def test_mass_centre_and_tensor_of_the_whole_arm_agree_with_pinocchio(name: str, file: str) -> None:
    model = pin.buildModelFromUrdf(str(URDFS / file))
    locked = [model.getJointId(joint) for joint in model.names if "finger" in joint]
    model = pin.buildReducedModel(model, locked, pin.neutral(model))
    data, robot = model.createData(), ROBOTS[name]
    assert list(model.names)[1:] == [joint.name for joint in robot.joints]
    for q in np.random.default_rng(3).uniform(-PI, PI, (5, robot.nq)):
        pin.ccrba(model, data, q, np.zeros(robot.nv))
        mass, com, tensor = whole_body(robot, q)
        # The UR5's file rounds pi/2 to 11 decimals.
        assert mass == pytest.approx(data.Ig.mass, rel=1e-12)
        assert com == pytest.approx(data.com[0], abs=1e-11)
        assert tensor == pytest.approx(data.Ig.inertia, abs=1e-10)
    assert list(model.lowerPositionLimit) == pytest.approx([joint.limits.lower for joint in robot.joints])
    assert list(model.effortLimit) == pytest.approx([joint.limits.effort for joint in robot.joints])


# Mass, centre of mass and principal moments in the source's URDF, base first.
IIWA = [
    (5, (-0.1, 0, 0.07), (0.05, 0.06, 0.03)),
    (4, (0, -0.03, 0.12), (0.1, 0.09, 0.02)),
    (4, (0.0003, 0.059, 0.042), (0.05, 0.018, 0.044)),
    (3, (0, 0.03, 0.13), (0.08, 0.075, 0.01)),
    (2.7, (0, 0.067, 0.034), (0.03, 0.01, 0.029)),
    (1.7, (0.0001, 0.021, 0.076), (0.02, 0.018, 0.005)),
    (1.8, (0, 0.0006, 0.0004), (0.005, 0.0036, 0.0047)),
    (0.3, (0, 0, 0.02), (0.001, 0.001, 0.001)),
]


def test_the_iiwa_has_the_masses_of_its_source() -> None:
    robot = ROBOTS["iiwa14"]
    inertias = [robot.base_inertia, *(link.inertia for link in robot.links)]
    for inertia, (mass, centre, moments) in zip(inertias, IIWA, strict=True):
        assert inertia is not None
        m, c, tensor = inertia_about_com(robot, inertia)
        assert (m, tuple(c)) == (mass, centre)
        assert tensor.tolist() == np.diag(moments).tolist()


# -- loops -----------------------------------------------------------------------------------------
def circles_meet(a: tuple[float, float], ra: float, b: tuple[float, float], rb: float) -> tuple[float, float]:
    """The point at distance ra from a and rb from b, on the left of a to b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    gap = math.hypot(dx, dy)
    along = (ra**2 - rb**2 + gap**2) / (2 * gap)
    aside = math.sqrt(ra**2 - along**2)
    return a[0] + (along * dx - aside * dy) / gap, a[1] + (along * dy + aside * dx) / gap


def direction(a: tuple[float, float], b: tuple[float, float]) -> float:
    return math.atan2(b[1] - a[1], b[0] - a[0])


def closed_four_bar(crank: float) -> list[float]:
    B = (0.4 * math.cos(crank), 0.4 * math.sin(crank))
    C = circles_meet(B, 1, (0.9, 0), 0.8)
    return [crank, direction(B, C) - crank, direction((0.9, 0), C)]


def closed_five_bar(left: float, right: float) -> list[float]:
    elbows = [(x + 0.3 * math.cos(angle), 0.3 * math.sin(angle)) for x, angle in ((-0.1, left), (0.1, right))]
    hand = circles_meet(elbows[0], 0.4, elbows[1], 0.4)
    return [left, direction(elbows[0], hand) - left, right, direction(elbows[1], hand) - right]


def closed_stewart(p: Sequence[float], turn: Sequence[float]) -> list[float]:
    unit = np.array(turn) / np.linalg.norm(turn)
    q, R = [*p, *unit], quaternion(*unit)
    for base, ball in zip((1, 7, 9, 15, 17, -1), (3, 5, 11, 13, 19, 21), strict=True):
        b, s = base * PI / 12, ball * PI / 12
        foot, head = (0.6 * math.cos(b), 0.6 * math.sin(b), 0), (0.35 * math.cos(s), 0.35 * math.sin(s), 0)
        leg = np.array(p) + R @ head - foot
        length = float(np.linalg.norm(leg))
        q += [math.atan2(-leg[1], leg[2]), math.asin(leg[0] / length), length]
    return q


def closed_slider_crank(crank: float) -> list[float]:
    rod = -math.asin(0.2 * math.sin(crank) / 0.6)
    return [crank, rod - crank, 0.2 * math.cos(crank) + 0.6 * math.cos(rod)]


def closed_delta(p: Sequence[float]) -> list[float]:
    """Motors and rods for a position of the platform, by circles and spheres that meet."""
    q = [*p, 1.0, 0.0, 0.0, 0.0]
    for leg in range(3):
        R = rotation(np.array([0, 0, 1]), leg * 2 * PI / 3)
        # From the motor to the pair's middle on the platform, in the leg's axes: outward, tangential, up.
        x, t, z = R.T @ np.array(p) + (0.05 - 0.15, 0, -0.7 * math.sin(PI / 3))
        # (x - 0.25 cos q)^2 + t^2 + (z - 0.25 sin q)^2 = 0.7^2, elbow outward
        reach = (x * x + t * t + z * z + 0.25**2 - 0.7**2) / (2 * 0.25)
        motor = math.atan2(z, x) + math.acos(reach / math.hypot(x, z))
        dx, dz = x - 0.25 * math.cos(motor), z - 0.25 * math.sin(motor)
        # The arm's z is -t; a rod turns about it, then out of the arm's plane.
        swing, out = math.atan2(dz, dx) - motor + 2 * PI / 3, math.asin(t / 0.7)
        q += [motor, swing, out, swing, out]
    return q


def closed_sr400(theta: Sequence[float]) -> list[float]:
    one, two, four, five, six, seven = theta
    return [one, two, seven - two + PI / 2, four, five, six, seven, two - seven]


CASSIE = [0, 0, 0.5, -0.017574074109976356, 0.06889587288751502, -1.2, 0, 1.4269743400682238, 0]
CASSIE += [-1.4920378964804846, 1.4736369224536687, -1.6]

CLOSED = [
    *(("slider_crank", closed_slider_crank(crank)) for crank in (0, PI / 2, 2, 4)),
    ("slider_crank", [PI / 2, -1.910633236249019, 0.565685424949238]),
    ("delta", [0, 0, 0, 1, *[0] * 18]),
    ("delta", closed_delta((0, 0, 0))),
    ("delta", closed_delta((0.1, -0.15, -0.1))),
    ("sr400", closed_sr400((0, -PI / 2, 0, 0, 0, 0))),
    ("sr400", closed_sr400((0.3, -1.2, 0.5, -0.6, 0.7, 0.4))),
    ("cassie_leg", CASSIE),
    *(("four_bar", closed_four_bar(crank)) for crank in (0, 1, 2, 3, 4, 5, 6)),
    ("four_bar", [0, 0.914735735869974, 1.432859330376512]),
    ("five_bar", closed_five_bar(0.3, 1.2)),
    ("five_bar", closed_five_bar(PI / 2, PI / 2)),
    ("three_rrr", [0.0] * 7),
    ("rosam_loop", [0, 0.6, 0, math.atan2(4, 3), 1]),
    ("stewart", closed_stewart((0, 0, 0.7), (1, 0, 0, 0))),
    ("stewart", closed_stewart((0.03, -0.05, 0.72), (1, 0.1, -0.05, 0.08))),
]


def gap(robot: Robot, loop: Loop, q: Numbers) -> Array:
    """How far the two ends of a cut joint are from meeting: position, and for a hinge its axis too."""
    poses = link_poses(robot, q)

    def end_pose(end: LoopEnd) -> Array:
        return poses[end.link] @ placed(robot, end.geometry)

    start, end = end_pose(loop.start), end_pose(loop.end)
    offset = start[:3, 3] - end[:3, 3]
    return offset if loop.joint == "spherical" else np.array([*offset, *(start[:3, 2] - end[:3, 2])])


@pytest.mark.parametrize(("name", "q"), CLOSED)
def test_a_closed_posture_closes_every_loop(name: str, q: list[float]) -> None:
    for loop in ROBOTS[name].loops:
        assert gap(ROBOTS[name], loop, q) == pytest.approx(0, abs=1e-13)


@pytest.mark.parametrize(("name", "q"), CLOSED)
def test_the_independent_joints_are_as_many_as_the_freedoms_and_lead_the_others(
    name: str, q: list[float]
) -> None:
    robot = ROBOTS[name]
    J = slope(robot, lambda q: np.concatenate([gap(robot, loop, q) for loop in robot.loops]), q)
    leading = [k for joint in robot.independent for k in range(robot.nv)[robot.v_slices[joint]]]
    following = [k for k in range(robot.nv) if k not in leading]
    freedom = DEGREES_OF_FREEDOM[name]
    # Differences carry 1e-10 of noise; the least true singular value of these postures is above 1e-2.
    assert robot.nv - np.linalg.matrix_rank(J, tol=1e-4) == freedom == len(leading)
    assert np.linalg.matrix_rank(J[:, following], tol=1e-4) == len(following)
    motors = [joint for joint in robot.independent if joint not in SPRINGS.get(name, [])]
    assert [joint.name for joint in robot.joints if joint.actuated] == motors


def test_only_closed_robots_have_loops() -> None:
    assert {name for name, robot in ROBOTS.items() if robot.loops} == set(DEGREES_OF_FREEDOM)


@pytest.mark.parametrize("name", NAMES)
def test_parents_stand_before_their_children(name: str) -> None:
    robot = ROBOTS[name]
    order = [robot.base, *(link.name for link in robot.links)]
    assert all(order.index(link.parent) < order.index(link.name) for link in robot.links)
