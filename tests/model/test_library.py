"""The shipped robots: their numbers against what was published, another engine, and physics."""

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from posed_robots import (
    PI,
    ROBOTS,
    Array,
    Numbers,
    frame_pose,
    inertia_about_com,
    link_poses,
    number,
    pose,
    rotation,
    slope,
    whole_body,
)

from rikigaku.core.errors import UnknownName
from rikigaku.library import NAMES, SUFFIX, path
from rikigaku.robot import Robot

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
# Published so, and kept so: its principal moments break the triangle inequality.
UNPHYSICAL = {("puma560", "link3")}


# -- all of them -----------------------------------------------------------------------------------
def test_the_names_are_those_of_the_files() -> None:
    assert sorted(NAMES) == sorted(p.name.removesuffix(SUFFIX) for p in path("ur5").parent.glob("*" + SUFFIX))


def test_an_unknown_robot_raises_an_error_with_a_near_name() -> None:
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


# -- configurations that were published, or follow from published formulas -------------------------------
@pytest.mark.parametrize(
    ("name", "frame", "q", "position"),
    [
        ("puma560", "hand", [0, 0, 0, 0, 0, 0], (0.4521, -0.15005, 0.4318)),  # Corke: zero configuration
        ("puma560", "hand", [0, PI / 2, -PI / 2, 0, 0, 0], (0.0203, -0.15005, 0.8636)),  # ready configuration
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
    # Robotics, Vision and Control, nominal configuration: gravity load, then the diagonal of M with rotors.
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


@pytest.mark.parametrize("name", NAMES)
def test_parents_stand_before_their_children(name: str) -> None:
    robot = ROBOTS[name]
    order = [robot.base, *(link.name for link in robot.links)]
    assert all(order.index(link.parent) < order.index(link.name) for link in robot.links)
