"""A joint type added from outside: a cylindrical joint (translation along z, rotation about z)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import BadModel, RikigakuError, UnknownName, WrongSize, WrongValue
from rikigaku.model.elementary_motions import Prismatic, Revolute
from rikigaku.model.joints.joint_type import JointType, Motion
from rikigaku.model.joints.joint_types import (
    CUT_JOINTS,
    JOINT_TYPES,
    joint_type,
    register_joint_type,
    remove_joint_type,
)
from rikigaku.model.robot_tables import joint_text
from rikigaku.plotting.robot_picture import save_plot

CYLINDRICAL = JointType(
    "cylindrical",
    motions=(Motion(Prismatic), Motion(Revolute)),
    coordinate_suffixes=("_z", "_theta"),
)
GEOMETRY = rk.Placement((0.1, 0, 0.2), (0.3, 0, 0))
BODY = rk.Inertia("com", 2, (0.1, 0.05, 0.2), (0.1, 0.01, 0, 0.12, 0.02, 0.15))
ARM = rk.Link("arm", "plunger", rk.Joint("elbow", axis=(0, 1, 0)), rk.Placement((0, 0.2, 0.1)), BODY)
AXIS = (0, 0.6, 0.8)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    register_joint_type(CYLINDRICAL)
    yield
    remove_joint_type("cylindrical")


def plunger() -> rk.Robot:
    joint = rk.Joint("c", "cylindrical", AXIS, viscous=0.3, rotor=0.02)
    return rk.Robot("plunger", (rk.Link("plunger", "base", joint, GEOMETRY, BODY), ARM))


def composed() -> rk.Robot:
    """The same robot with a prismatic and a revolute joint."""
    slider = rk.Link("slider", "base", rk.Joint("c_z", "prismatic", AXIS, viscous=0.3, rotor=0.02), GEOMETRY)
    spindle = rk.Joint("c_theta", "revolute", AXIS, viscous=0.3, rotor=0.02)
    return rk.Robot("composed", (slider, rk.Link("plunger", "slider", spindle, rk.Placement(), BODY), ARM))


def test_it_moves_as_its_elementary_joints_do() -> None:
    one, two = plunger(), composed()
    q, v, a = two.random_state(3)
    assert (one.nq, one.nv) == (3, 3)
    np.testing.assert_allclose(one.pose(q, "arm"), two.pose(q, "arm"), atol=1e-15)
    np.testing.assert_allclose(one.jacobian(q, "arm"), two.jacobian(q, "arm"), atol=1e-15)
    np.testing.assert_allclose(one.inverse_dynamics(q, v, a), two.inverse_dynamics(q, v, a), rtol=1e-13)
    np.testing.assert_allclose(one.difference(q, one.integrate(q, v)), v, atol=1e-15)


def test_its_inverse_dynamics_are_pinocchios() -> None:
    pin = pytest.importorskip("pinocchio")
    robot = plunger()
    q, v, a = robot.random_state(5)
    model, axis = pin.Model(), np.array(AXIS)
    before = pin.SE3(pin.rpy.rpyToMatrix(0.3, 0, 0), np.array([0.1, 0, 0.2]))
    inertia = pin.Inertia(
        2, np.array([0.1, 0.05, 0.2]), np.array([[0.1, 0.01, 0], [0.01, 0.12, 0.02], [0, 0.02, 0.15]])
    )
    slider = model.addJoint(0, pin.JointModelPrismaticUnaligned(axis), before, "c_z")
    spindle = model.addJoint(slider, pin.JointModelRevoluteUnaligned(axis), pin.SE3.Identity(), "c_theta")
    elbow = model.addJoint(spindle, pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0, 0.2, 0.1])), "elbow")
    for joint in (spindle, elbow):
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    expected = pin.rnea(model, model.createData(), q, v, a) + np.array([0.02, 0.02, 0]) * a
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a, friction=False), expected, rtol=1e-12)


@pytest.mark.parametrize("ending", [".robot.toml", ".urdf", ".xml"])
def test_files_hold_it_or_the_chain_it_is_made_of(tmp_path: Path, ending: str) -> None:
    robot = plunger()
    path = tmp_path / f"plunger{ending}"
    robot.save(path)
    again = rk.load(path)
    expected = ["c", "elbow"] if ending == ".robot.toml" else ["c_z", "c_theta", "elbow"]
    assert [joint.name for joint in again.joints] == expected
    q = robot.random_state(2).q
    np.testing.assert_allclose(again.pose(q, "arm"), robot.pose(q, "arm"), atol=1e-12)


@pytest.mark.parametrize("ending", [".urdf", ".xml"])
@pytest.mark.parametrize("axis", [(0, 0, 1), (0, -1, 0), AXIS])
def test_a_joint_about_axes_of_its_plane_is_written_as_its_chain(
    tmp_path: Path, ending: str, axis: tuple[float, float, float]
) -> None:
    euler = JointType(
        "euler",
        motions=(Motion(Revolute, "plane_z"), Motion(Revolute, "plane_y"), Motion(Prismatic, "plane_x")),
        coordinate_suffixes=("_1", "_2", "_3"),
    )
    register_joint_type(euler)
    try:
        joint = rk.Joint("c", "euler", axis, viscous=0.3)
        robot = rk.Robot("wrist", (rk.Link("plunger", "base", joint, GEOMETRY, BODY), ARM))
        path = tmp_path / f"wrist{ending}"
        robot.save(path)
        again = rk.load(path)
        q, v, a = robot.random_state(2)
        np.testing.assert_allclose(again.pose(q, "arm"), robot.pose(q, "arm"), atol=1e-12)
        expected = robot.inverse_dynamics(q, v, a)
        np.testing.assert_allclose(again.inverse_dynamics(q, v, a), expected, atol=1e-10)
    finally:
        remove_joint_type("euler")


def test_formulas_tables_and_pictures_name_its_coordinates(tmp_path: Path) -> None:
    robot = replace(plunger(), gravity=("gx", "gy", "gz"))
    assert "c_theta" in str(robot.gravity_forces.symbolic[1])
    assert joint_text(robot.joints[0]) == "cylindrical about 0 0.6 0.8"
    save_plot(plunger(), tmp_path / "plunger.png")
    assert (tmp_path / "plunger.png").stat().st_size > 1000


def test_it_is_locked_and_freed_like_any_other() -> None:
    robot = plunger()
    locked = robot.lock("c", [0.2, 0.7])
    np.testing.assert_allclose(locked.pose([0.4], "arm"), robot.pose([0.2, 0.7, 0.4], "arm"), atol=1e-12)
    fixed = replace(robot, links=(replace(robot.links[0], joint=rk.Joint("c", "fixed", AXIS)), ARM))
    assert fixed.free("c", "cylindrical").nq == 3


def test_a_type_that_is_wrong_known_or_shipped_is_refused() -> None:
    with pytest.raises(WrongValue, match="There is a joint type 'cylindrical' already"):
        register_joint_type(CYLINDRICAL)
    remove_joint_type("cylindrical")
    other = replace(CYLINDRICAL, cut=CUT_JOINTS["planar"])
    with pytest.raises(WrongValue, match="There is a cut joint 'cylindrical' with other equations already"):
        register_joint_type(other)
    register_joint_type(CYLINDRICAL)
    with pytest.raises(WrongValue, match="'revolute' belongs to the package"):
        remove_joint_type("revolute")
    with pytest.raises(WrongSize, match="has 2 coordinates; its coordinate_suffixes"):
        replace(CYLINDRICAL, coordinate_suffixes=("_z",))
    with pytest.raises(WrongSize, match="has 2 velocities; its velocity_suffixes"):
        replace(CYLINDRICAL, velocity_suffixes=("_v",))
    with pytest.raises(UnknownName, match="no joint type named 'cylindric'"):
        joint_type("cylindric")
    with pytest.raises(BadModel, match="Did you mean 'cylindrical'"):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint("j", "cylindric")),))
    assert list(JOINT_TYPES)[-1] == "cylindrical"
    assert "cylindrical" in CUT_JOINTS


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        (
            Motion(Revolute, "plan_x"),
            "Joint type 'odd' has no direction named 'plan_x'. Did you mean 'plane_x'",
        ),  # type: ignore[arg-type]
        (Motion(3), r"Joint type 'odd' has the motion Motion\(elementary=3.* Give Motion\(Revolute\)"),  # type: ignore[arg-type]
        (Revolute, r"Joint type 'odd' has the motion .* Give Motion\(Revolute\)"),
    ],
)
def test_motions_that_are_wrong_are_named(motion: Motion, words: str) -> None:
    with pytest.raises(RikigakuError, match=words):
        JointType("odd", motions=(motion,))
