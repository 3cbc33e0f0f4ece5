"""Loop closures: residual, Jacobian and bias against poses of an independent reference, and Pinocchio."""

import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pose_reference as reference
import pytest
from closed_robots import FREE, SHIPPED, closed_configuration, end_poses, gaps, random_closed, shipped
from law_cases import agree
from law_kinds import KINDS, on_floats
from random_robots import random_state

import rikigaku as rk
from rikigaku.core.errors import BadModel
from rikigaku.formats.state_conversion import to_pinocchio
from rikigaku.laws.closed.loop_equations import loop_mechanism
from rikigaku.model.joints.joint_types import CUT_JOINTS
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Coupling, Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot

Array = np.ndarray
CASES = [(seed, joint) for seed in (3, 8) for joint in CUT_JOINTS]
every_joint = pytest.mark.parametrize(("seed", "joint"), CASES)
# code is made for one robot of each type only
every_joint_and_kind = pytest.mark.parametrize(
    ("kind", "seed", "joint"),
    [(kind, *case) for kind in KINDS for case in CASES if not kind.startswith("native") or case[0] == 3],
)
every_robot = pytest.mark.parametrize("name", SHIPPED)


def pinocchio(robot: Robot) -> tuple[pin.Model, dict[str, int]]:
    """The tree as a Pinocchio model built joint by joint, z axes as in the shipped files."""
    model, ids, places = pin.Model(), {}, {robot.base: (0, np.eye(4))}
    for link in robot.links:
        parent, X = places[link.parent]
        X = X @ reference.steps_pose(link.geometry.before()).real
        if link.joint.type == "fixed":
            places[link.name] = parent, X
            continue
        axis, second = (np.array([float(x) for x in a]) for a in (link.joint.axis, link.joint.second_axis))
        make, axes = {
            "revolute": (pin.JointModelRevoluteUnaligned, (axis,)),
            "prismatic": (pin.JointModelPrismaticUnaligned, (axis,)),
            "universal": (pin.JointModelUniversal, (axis, second)),
            "free": (pin.JointModelFreeFlyer, ()),
        }[link.joint.type]
        ids[link.name] = model.addJoint(parent, make(*axes), pin.SE3(X), link.joint.name)
        places[link.name] = ids[link.name], np.eye(4)
    for k, loop in enumerate(robot.loops):
        for side, end in (("start", loop.start), ("end", loop.end)):
            joint, X = places[end.link]
            X = X @ reference.steps_pose((*end.geometry.before(), *end.geometry.after())).real
            model.addFrame(pin.Frame(f"{side} {k}", joint, pin.SE3(X), pin.FrameType.OP_FRAME))
    return model, ids


def pinocchio_relative(robot: Robot, q: Array) -> list[Array]:
    """For each loop the Jacobian of the start against the end, at the start's origin, in its axes."""
    model, _ = pinocchio(robot)
    data, layout = model.createData(), to_pinocchio(robot, model)
    theirs = layout.q(q)
    pin.computeJointJacobians(model, data, theirs)
    pin.updateFramePlacements(model, data)
    result = []
    for k in range(len(robot.loops)):
        S, E = (model.getFrameId(f"{side} {k}") for side in ("start", "end"))
        X = data.oMf[S].inverse() * data.oMf[E]
        J = pin.getFrameJacobian(model, data, S, pin.LOCAL)
        J = J - X.action @ pin.getFrameJacobian(model, data, E, pin.LOCAL)
        result.append(J @ layout.velocity_map(q))
    return result


@every_joint
def test_a_closed_configuration_has_no_residual_and_an_open_one_has(seed: int, joint: str) -> None:
    robot, q = random_closed(seed, joint)
    for kind in ("floats", "native one"):
        assert np.abs(KINDS[kind](robot, "loop_residual", q)).max() < 1e-13
        assert np.all(KINDS[kind](robot, "loop_alignment", q) > 1 - 1e-13)
    elsewhere = random_state(robot, np.random.default_rng(5))[0]
    assert np.abs(on_floats(robot, "loop_residual", elsewhere)).max() > 1e-2


@every_joint
def test_the_residual_has_one_row_for_each_motion_the_joint_takes_away(seed: int, joint: str) -> None:
    robot, _ = random_closed(seed, joint)
    assert len(robot.loop_rows()) == 6 - len(FREE[joint]) + len(robot.couplings)
    assert len(set(robot.loop_rows())) == len(robot.loop_rows())


@every_joint
def test_the_residual_vanishes_with_the_forbidden_part_of_the_relative_pose(seed: int, joint: str) -> None:
    # to first order near a closed configuration: the same linear map up to an invertible matrix
    robot, q = random_closed(seed, joint)
    T = reference.tangent(robot, q)
    slopes = np.stack([gaps(robot, q + 1e-30j * column).imag / 1e-30 for column in T.T], axis=-1)
    J = on_floats(robot, "loop_jacobian", q)[: len(slopes)]
    together = np.linalg.matrix_rank(np.vstack([J, slopes]), tol=1e-9)
    assert together == np.linalg.matrix_rank(J, tol=1e-9) == np.linalg.matrix_rank(slopes, tol=1e-9)


@every_joint_and_kind
def test_the_jacobian_is_the_derivative_of_the_residual(kind: str, seed: int, joint: str) -> None:
    robot, _ = random_closed(seed, joint)
    q, _, _ = random_state(robot, np.random.default_rng(1))  # open: rates hold everywhere
    J = KINDS[kind](robot, "loop_jacobian", q)
    T, h = reference.tangent(robot, q), 1e-5
    for k, column in enumerate(T.T):
        high, low = (on_floats(robot, "loop_residual", q + step * column) for step in (h, -h))
        assert agree(J[:, k], (high - low) / (2 * h), 1e-8)  # h^2 of numbers of order ten, rounding / h


@every_joint
def test_the_bias_is_the_second_rate_of_the_residual_without_acceleration(seed: int, joint: str) -> None:
    robot, _ = random_closed(seed, joint)
    q, v, _ = random_state(robot, np.random.default_rng(2))
    h = 1e-3
    along = [on_floats(robot, "loop_residual", _moved(robot, q, k * h * v)) for k in (-2, -1, 0, 1, 2)]
    second = (-along[0] + 16 * along[1] - 30 * along[2] + 16 * along[3] - along[4]) / (12 * h * h)
    assert agree(on_floats(robot, "loop_bias", q, v), second, 1e-7)  # rounding / h^2, and h^4


def _moved(robot: Robot, q: Array, step: Array) -> Array:
    return on_floats(robot, "integrate", q, step)


@every_robot
def test_rows_of_shipped_robots_are_gaps_of_pinocchios_frames(name: str) -> None:
    robot = shipped(name)
    q, _, _ = random_state(robot, np.random.default_rng(3))
    model, _ = pinocchio(robot)
    data = model.createData()
    pin.framesForwardKinematics(model, data, to_pinocchio(robot, model).q(q))
    theirs = []
    for k, loop in enumerate(robot.loops):
        S, E = (data.oMf[model.getFrameId(f"{side} {k}")] for side in ("start", "end"))
        theirs += list(S.translation - E.translation)
        if loop.joint == "revolute":
            theirs += [S.rotation[:, 0] @ E.rotation[:, 2], S.rotation[:, 1] @ E.rotation[:, 2]]
    assert agree(robot.loop_residual(q), np.array(theirs))


@every_robot
def test_velocities_the_loops_allow_move_the_ends_as_the_joint_does_in_pinocchio(name: str) -> None:
    robot = shipped(name)
    q = closed_configuration(robot)
    _, sizes, rows = np.linalg.svd(robot.loop_jacobian(q))
    allowed = rows[int((sizes > 1e-9).sum()) :].T
    forbidden = []
    for loop, J in zip(robot.loops, pinocchio_relative(robot, q), strict=True):
        kept = [k for k in range(6) if k not in FREE[loop.joint]]
        assert np.abs(J[kept] @ allowed).max() < 1e-10
        forbidden.append(J[kept])
    assert np.linalg.matrix_rank(np.vstack(forbidden), tol=1e-9) == robot.nv - allowed.shape[1]
    assert allowed.shape[1] == len(robot.independent)  # the mobility the file names


def test_only_joints_of_the_loop_enter_its_rows() -> None:
    # the four-bar on a turntable: its rows are those of the four-bar
    alone, base = rk.load("four_bar"), rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1, m2=1)
    carried = base.join(alone, at="link2", prefix="bar_")
    q = closed_configuration(alone)
    turned = np.concatenate([[0.4, -1.1], q])
    assert np.array_equal(carried.loop_residual(turned + 0.1), alone.loop_residual(q + 0.1))
    J = carried.loop_jacobian(turned)
    assert not J[:, :2].any()
    assert agree(J[:, 2:], alone.loop_jacobian(q))
    mechanism = instantiate(carried, FLOATS, {})
    assert len(loop_mechanism(mechanism, mechanism.loops[0]).bodies) == 3


def test_a_joint_closed_with_axes_reversed_is_seen() -> None:
    robot = rk.Robot("bar", (rk.Link("l", "base", rk.Joint("j", axis=(1, 0, 0))),))
    robot = replace(robot, loops=(Loop("cut", "revolute", LoopEnd("l"), LoopEnd("base")),))
    assert np.abs(robot.loop_residual(np.array([np.pi]))).max() < 1e-15
    assert robot.loop_alignment(np.array([np.pi])) == -1
    assert robot.loop_alignment(np.array([0.0])) == 1


def test_a_gear_is_a_row() -> None:
    arm = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1, m2=1)
    a, b = (joint.name for joint in arm.joints)
    geared = replace(arm, couplings=(Coupling(b, a, Formula.of(-2), Formula.of("0.1")),))
    assert agree(geared.loop_residual(np.array([0.3, 0.5])), np.array([0.5 + 0.6 - 0.1]))
    assert geared.loop_jacobian(np.array([0.3, 0.5])).tolist() == [[2, 1]]
    assert geared.loop_bias(np.array([0.3, 0.5]), np.ones(2)).tolist() == [0]
    assert geared.loop_rows() == (f"gear of {b}",)


def test_an_open_robot_has_no_rows() -> None:
    arm = rk.load("planar_3r")
    q = np.zeros((5, 3))
    shapes = [arm.loop_residual(q).shape, arm.loop_jacobian(q).shape, arm.loop_bias(q, q).shape]
    assert shapes == [(5, 0), (5, 0, 3), (5, 0)]
    assert arm.loop_jacobian(q[0]).shape == (0, 3)
    assert arm.loop_rows() == ()


def test_laws_of_loops_come_without_the_warning_about_the_tree() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rk.load("four_bar").loop_residual(np.zeros(3))


def test_a_helix_cannot_close_a_loop() -> None:
    robot = rk.load("four_bar")
    with pytest.raises(BadModel, match="cut another joint of it: crank_angle"):
        replace(robot, loops=(replace(robot.loops[0], joint="helical"),))


def test_the_reference_sees_the_ends_of_a_loop_together() -> None:
    robot = shipped("three_rrr")
    for S, E in end_poses(robot, closed_configuration(robot)):
        assert np.abs(S[:3, 3] - E[:3, 3]).max() < 1e-12
