"""Layouts of states: batches and power survive, joints are matched by name, what does not fit is refused."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from interop_reference import KINDS, PUBLIC, ROBOTS, layouts, mujoco_model, random_state, rotation_about
from readers import parse_urdf, read_urdf

from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.formats.state_conversion import to_mujoco, to_pinocchio
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.robot import Robot


def same_up_to_whole_turns(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_allclose(np.exp(1j * one), np.exp(1j * other), rtol=0, atol=1e-12)


def test_batches_come_back_as_they_went(kinds) -> None:
    robot = kinds[0]
    q, v, a = random_state(robot, np.random.default_rng(10), 4, 3)
    angles = [k for joint in robot.joints if joint.type == "revolute" for k in range(*_ends(robot, joint))]
    angles += [robot.q_slices["floor"].stop - 1]
    others = [k for k in range(robot.nq) if k not in angles]
    for layout in layouts(kinds):
        back = layout.from_q(layout.q(q))
        np.testing.assert_array_equal(back[..., others], q[..., others])
        same_up_to_whole_turns(back[..., angles], q[..., angles])
        np.testing.assert_allclose(layout.from_v(q, layout.v(q, v)), v, rtol=0, atol=1e-14)
        np.testing.assert_allclose(layout.from_tau(q, layout.tau(q, a)), a, rtol=0, atol=1e-14)
        np.testing.assert_allclose(layout.from_a(q, v, layout.a(q, v, a)), a, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(layout.q(q)[2, 1], layout.q(q[2, 1]))
        np.testing.assert_allclose(layout.a(q, v, a)[2, 1], layout.a(q[2, 1], v[2, 1], a[2, 1]), atol=1e-15)
        # one q may serve many v, and one v many q
        assert layout.a(q[0, 0], v, a).shape == layout.a(q, v[0, 0], a[0, 0]).shape == v.shape


def _ends(robot: Robot, joint: Joint) -> tuple[int, int]:
    return robot.q_slices[joint.name].start, robot.q_slices[joint.name].stop


def test_power_is_the_same_in_every_layout(kinds) -> None:
    q, v, tau = random_state(kinds[0], np.random.default_rng(11), 5)
    for layout in layouts(kinds):
        power = np.sum(layout.tau(q, tau) * layout.v(q, v), axis=-1)
        np.testing.assert_allclose(power, np.sum(tau * v, axis=-1), rtol=0, atol=1e-13)


def test_a_ball_joint_has_its_quaternion_last_in_pinocchio_and_first_in_mujoco() -> None:
    robot = Robot("ball", (Link("a", "base", Joint("ball", "spherical")),))
    model = pin.Model()
    model.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    assert to_pinocchio(robot, model).q([1, 2, 3, 4]).tolist() == [2, 3, 4, 1]
    body = '<body><joint name="ball" type="ball"/><geom size="1"/></body>'
    other = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    layout = to_mujoco(robot, other)
    assert layout.q([1, 2, 3, 4]).tolist() == layout.from_q([1, 2, 3, 4]).tolist() == [1, 2, 3, 4]
    for kind in (to_pinocchio(robot, model), layout):
        assert kind.v([1, 0, 0, 0], [1, 2, 3]).tolist() == [1, 2, 3]


def test_a_universal_joint_is_two_angles_in_pinocchio() -> None:
    robot = Robot("cardan", (Link("a", "base", Joint("u", "universal")),))
    model = pin.Model()
    axes = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    model.addJoint(0, pin.JointModelUniversal(*axes), pin.SE3.Identity(), "u")
    assert to_pinocchio(robot, model).q([0.1, 0.2]).tolist() == [0.1, 0.2]


HINGE = """<mujoco><worldbody><body>
    <joint name="{name}" ref="{ref}" axis="0 0 1"/><geom size="1"/>
</body></worldbody></mujoco>"""


def test_mujocos_reference_angle_is_our_zero() -> None:
    robot = Robot("hinge", (Link("a", "base", Joint("h")),))
    model = mujoco.MjModel.from_xml_string(HINGE.format(name="h", ref=90))
    layout, data = to_mujoco(robot, model), mujoco.MjData(model)
    data.qpos[:] = layout.q([0.3])
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.xmat[1].reshape(3, 3), rotation_about((0, 0, 1), 0.3), atol=1e-15)
    assert layout.from_q(layout.q([0.3])) == pytest.approx([0.3], abs=1e-15)


def test_joints_of_other_names_are_matched_as_told_and_a_floating_base_by_itself() -> None:
    robot = Robot("hinge", (Link("a", "base", Joint("h")),))
    model = mujoco.MjModel.from_xml_string(HINGE.format(name="scharnier", ref=0))
    assert to_mujoco(robot, model, names={"h": "scharnier"}).their_nq == 1
    path = ROBOTS / PUBLIC[0]
    floating = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    assert "root_joint" in floating.names
    assert to_pinocchio(read_urdf(path, free_base=True), floating).their_nq == floating.nq


def test_joints_without_counterpart_are_named(kinds) -> None:
    robot, model, other = kinds
    fewer = parse_urdf(KINDS.replace('name="turn" type="revolute"', 'name="turn" type="fixed"'))
    for convert, theirs in ((to_pinocchio, model), (to_mujoco, other)):
        with pytest.raises(UnknownName, match="no joint named 'turn'"):
            convert(fewer, theirs)
        with pytest.raises(UnknownName, match="no joint named 'trun'"):
            convert(robot, theirs, names={"turn": "trun"})
        with pytest.raises(UnknownName, match=r"no joint named 'trun'. Did you mean 'turn'"):
            convert(robot, theirs, names={"trun": "turn"})
        with pytest.raises(WrongValue, match="'turn' and another one are both matched with 'turn'"):
            convert(robot, theirs, names={"slide": "turn"})


def test_joints_that_move_otherwise_are_refused(kinds) -> None:
    _, model, other = kinds
    swapped = parse_urdf(KINDS.replace('name="turn" type="revolute"', 'name="turn" type="prismatic"'))
    with pytest.raises(WrongValue, match=r"'turn' is prismatic, but Pinocchio's 'turn' is R"):
        to_pinocchio(swapped, model)
    with pytest.raises(WrongValue, match=r"'turn' is prismatic, but MuJoCo's is a hinge joint"):
        to_mujoco(swapped, other)


def test_a_planar_joint_with_another_normal_is_refused(kinds) -> None:
    tilted = KINDS.replace('<child link="b"/><axis xyz="0 0 1"/>', '<child link="b"/><axis xyz="0 1 0"/>')
    robot = parse_urdf(tilted)
    with pytest.raises(WrongValue, match=r"'floor' has the normal \(0, 1, 0\)"):
        to_pinocchio(robot, pin.buildModelFromXML(tilted))
    with pytest.raises(WrongValue, match=r"'floor' has the normal \(0, 1, 0\)"):
        to_mujoco(robot, mujoco_model(tilted))


def test_arrays_of_the_wrong_size_are_refused(kinds) -> None:
    layout = layouts(kinds)[0]
    q = np.zeros(layout.nq)
    for call, name in (
        (lambda: layout.q(q[1:]), "q"),
        (lambda: layout.from_q(q), "their q"),
        (lambda: layout.v(q, [0.0]), "v"),
        (lambda: layout.tau(q, 1.0), "tau"),
        (lambda: layout.from_a(q, np.zeros(layout.nv), q), "their a"),
    ):
        with pytest.raises(WrongSize, match=rf"^{name} has the shape"):
            call()
