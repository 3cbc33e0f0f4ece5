"""Cassie's SDF files: its joints, masses, springs, gears and loops."""

from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from mujoco_reference import closed, null_projector, tree_law
from sdf_files import CASSIES, broken_joints, pose_of, quietly


@pytest.mark.parametrize("name", ["cassie_v2", "cassie_reduced", "cassie_simple", "cassie_wo_gearbox_spring"])
def test_every_joint_of_cassie_holds_in_any_configuration_and_four_balls_are_cut(name: str) -> None:
    path = CASSIES / f"{name}.sdf"
    robot = quietly(path)
    balls = [f"{side}-{rod}-joint" for side in ("left", "right") for rod in ("pitch-rod", "plantar-foot")]
    assert sorted(loop.name for loop in robot.loops) == balls
    assert {loop.joint for loop in robot.loops} == {"spherical"}
    text = path.read_text().split("-->", 1)[1]
    for q in np.random.default_rng(1).uniform(-1, 1, (3, robot.nq)):
        assert broken_joints(text, robot, q) == []
    springs = {
        str(one.get("name")): float(str(one.findtext("axis/dynamics/spring_stiffness")))
        for one in ElementTree.fromstring(text).iter("joint")
        if one.find("axis/dynamics/spring_stiffness") is not None
    }
    held = {joint.name: float(joint.stiffness) for joint in robot.joints if joint.stiffness}
    assert held == {name: k for name, k in springs.items() if k}
    assert len(held) >= 2
    assert not any(joint.actuated for joint in robot.joints if joint.name in held)


def test_cassie_weighs_and_resists_as_in_a_pinocchio_model_built_from_the_same_file() -> None:
    path = CASSIES / "cassie_v2.sdf"
    robot = quietly(path)
    root = ElementTree.fromstring(path.read_text().split("-->", 1)[1]).find("model")
    assert root is not None
    theirs, frames = pin.Model(), {}
    links = {one.get("name"): one for one in root.findall("link")}
    at = {"pelvis": (0, pose_of(links["pelvis"].find("pose")))}  # joint, and where its frame was drawn
    cut = {loop.name for loop in robot.loops}
    elements = [one for one in root.findall("joint") if one.get("name") not in cut]
    while elements:
        element = next(one for one in elements if one.findtext("parent") in at)
        elements.remove(element)
        parent, child = str(element.findtext("parent")), str(element.findtext("child"))
        carrier, drawn = at[parent]
        where = pose_of(links[child].find("pose")) @ pose_of(element.find("pose"))
        axis = np.fromstring(str(element.findtext("axis/xyz")), sep=" ")
        X = pin.SE3(np.linalg.inv(drawn) @ where)
        i = theirs.addJoint(carrier, pin.JointModelRevoluteUnaligned(axis), X, str(element.get("name")))
        at[child] = (i, where)
        frames[child] = where
        inertial = links[child].find("inertial")
        assert inertial is not None
        tensor = {tag: float(str(inertial.findtext(f"inertia/{tag}"))) for tag in TENSOR}
        xx, yy, zz, xy, xz, yz = (tensor[tag] for tag in TENSOR)
        body = pin.Inertia(
            float(str(inertial.findtext("mass"))),
            np.zeros(3),
            np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
        )
        place = np.linalg.inv(where) @ pose_of(links[child].find("pose")) @ pose_of(inertial.find("pose"))
        theirs.appendBodyToJoint(i, body, pin.SE3(place))
    data, rng = theirs.createData(), np.random.default_rng(2)
    order = [robot.v_slices[name].start for name in list(theirs.names)[1:]]
    assert robot.nv == theirs.nv == 22
    q, v, a = rng.uniform(-1, 1, (3, 22))
    q_, v_, a_ = q[order], v[order], a[order]
    tau = tree_law(robot, "inverse_dynamics", q, v, a, friction=False)[order]
    expected = pin.rnea(theirs, data, q_, v_, a_)
    assert tau == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def test_cassie_closes_in_configurations_other_than_the_drawn_one() -> None:
    robot = quietly(CASSIES / "cassie_reduced.sdf")
    q = closed(robot, robot.neutral() + 0.05 * np.random.default_rng(3).normal(size=robot.nq))
    assert np.abs(tree_law(robot, "loop_residual", q)).max() < 1e-12
    assert np.abs(q).max() > 0.02
    # 23 coordinates, four rods of three equations each, none of them redundant
    assert np.trace(null_projector(tree_law(robot, "loop_jacobian", q))) == pytest.approx(11)


def test_the_full_cassie_has_its_ten_gears_and_keeps_the_joints_with_springs() -> None:
    robot = quietly(CASSIES / "cassie.sdf")
    ratios = {c.joint: (c.reference, float(c.multiplier)) for c in robot.couplings}
    assert len(ratios) == 10
    # 25 turns of the motor give one of the hip the other way round, 16 one of the knee
    assert ratios["left-roll-op"] == ("left-roll-ip", -0.04)
    assert abs(ratios["left-knee-op"][1]) == 0.0625
    cut = {loop.name for loop in robot.loops}
    assert not cut & {"left-knee-shin-joint", "left-tarsus-spring-joint", "right-knee-shin-joint"}
    assert len(cut) == 6


@pytest.mark.parametrize(
    ("name", "mobility"), [("cassie_v2", 12), ("cassie_reduced", 11), ("cassie_wo_gearbox_spring", 13)]
)
def test_freedoms_of_cassie_are_counted_though_its_numbers_are_rounded(name: str, mobility: int) -> None:
    # foot, crank and rod move in a plane: one equation of each ball is too many (of v2 to 1e-8)
    plan = quietly(CASSIES / f"{name}.sdf").closure()
    assert plan.mobility == mobility
    assert (plan.slack > 0) == (name == "cassie_v2")
    assert np.abs(plan.robot.loop_residual(plan.samples)).max() < max(1e-11, 2 * plan.slack)


def test_named_cuts_are_honoured_and_give_the_same_mechanism() -> None:
    names = ["left-achilles-spring-joint", "right-achilles-spring-joint"]
    chosen, named = (quietly(CASSIES / "cassie_reduced.sdf", cut=cut) for cut in ((), names))
    assert set(names) < {loop.name for loop in named.loops}
    assert len(named.loops) == 4
    assert named.nq - chosen.nq == 2 * (4 - 1)  # two balls in the tree, two hinges out of it
    J = tree_law(named, "loop_jacobian", named.neutral())
    assert np.trace(null_projector(J)) == pytest.approx(11)
    poses = [tree_law(robot, "pose", robot.neutral(), frame="left-foot") for robot in (chosen, named)]
    assert poses[0] == pytest.approx(poses[1], abs=1e-14)
