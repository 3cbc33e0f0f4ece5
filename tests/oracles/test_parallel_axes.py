"""Arms with parallel axes, which take their motion past the bodies between, against Pinocchio."""

import math

import numpy as np
import pinocchio as pin
import pytest
from random_robots import random_inertia

import rikigaku as rk
from rikigaku.laws.tree.newton_euler import inverse_dynamics
from rikigaku.laws.tree.parallel_axes import ParallelRun
from rikigaku.laws.tree.regressor import regressor_parameters
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS

Turn = tuple[str, str, str]
Row = tuple[str, Turn]  # parent, roll pitch yaw

GRAVITY = (rk.Formula.of(1), rk.Formula.of(2), rk.Formula.of("-9.81"))
UP: Turn = ("0", "0", "0")
SQUARE: Turn = ("pi/2", "0", "0")
OTHER_SQUARE: Turn = ("0", "-pi/2", "0")
OPPOSITE: Turn = ("pi", "0", "0")
OPPOSITE_TURNED: Turn = ("0", "pi", "pi/2")
QUARTER: Turn = ("0", "0", "pi/2")
SLANTED: Turn = ("0.3", "0.2", "0.1")

ARMS: dict[str, list[Row]] = {
    "three parallel axes on a column": [("base", UP), ("1", SQUARE), ("2", UP), ("3", UP), ("4", SQUARE)],
    "axes against each other": [("base", UP), ("1", OTHER_SQUARE), ("2", OPPOSITE), ("3", OPPOSITE_TURNED)],
    "frames turned by quarters": [
        ("base", UP),
        ("1", SQUARE),
        ("2", QUARTER),
        ("3", QUARTER),
        ("4", QUARTER),
    ],
    "a branch": [("base", UP), ("1", SQUARE), ("2", UP), ("2", OPPOSITE), ("3", UP), ("4", QUARTER)],
    "two runs": [("base", UP), ("1", SQUARE), ("2", UP), ("3", SQUARE), ("4", UP), ("5", UP)],
    "a slanted column": [("base", UP), ("1", SLANTED), ("2", UP), ("3", OPPOSITE)],
}


def arm(rows: list[Row], rng: np.random.Generator) -> tuple[rk.Robot, list[list[float]]]:
    """A robot with random offsets and inertias, and the offsets."""
    links, offsets = [], []
    for i, (parent, turn) in enumerate(rows, 1):
        xyz = [round(float(x), 3) for x in rng.uniform(-0.5, 0.5, 3)]
        place = rk.Placement(tuple(map(str, xyz)), turn)
        links.append(rk.Link(str(i), parent, rk.Joint(f"j{i}"), place, random_inertia(rng)))
        offsets.append(xyz)
    return rk.Robot("arm", tuple(links), gravity=GRAVITY), offsets


def pinocchio_model(robot: rk.Robot, rows: list[Row], offsets: list[list[float]]) -> pin.Model:
    """The same arm, put together by hand."""
    model, joints = pin.Model(), {"base": 0}
    ten = np.array(regressor_parameters(instantiate(robot, FLOATS, {})), float).reshape(-1, 10)
    for i, ((parent, turn), xyz, (m, x, y, z, xx, xy, xz, yy, yz, zz)) in enumerate(
        zip(rows, offsets, ten, strict=True), 1
    ):
        angles = [float(rk.Formula.of(angle)) for angle in turn]
        place = pin.SE3(pin.rpy.rpyToMatrix(*angles), np.array(xyz))
        joints[str(i)] = model.addJoint(joints[parent], pin.JointModelRZ(), place, f"j{i}")
        inertia = pin.Inertia.FromDynamicParameters(np.array([m, x, y, z, xx, xy, yy, xz, yz, zz]))
        model.appendBodyToJoint(joints[str(i)], inertia, pin.SE3.Identity())
    model.gravity.linear = np.array([float(g) for g in GRAVITY])
    return model


@pytest.mark.parametrize("name", ARMS)
def test_joint_forces_past_parallel_axes_are_pinocchios(name: str) -> None:
    rng = np.random.default_rng(3)
    robot, offsets = arm(ARMS[name], rng)
    model = pinocchio_model(robot, ARMS[name], offsets)
    order = [model.idx_vs[model.getJointId(joint.name)] for joint in robot.joints]
    mechanism = instantiate(robot, FLOATS, {})
    for _ in range(3):
        q, v, a = rng.uniform(-math.pi, math.pi, (3, robot.nv))
        theirs = np.empty((3, robot.nv))
        theirs[:, order] = q, v, a
        expected = pin.rnea(model, model.createData(), *theirs)[order]
        np.testing.assert_allclose(
            inverse_dynamics(mechanism, list(q), list(v), list(a)), expected, rtol=0, atol=1e-11
        )


def test_sums_of_parallel_angles_save_work_without_another_sine(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, _ = arm(ARMS["three parallel axes on a column"], np.random.default_rng(3))
    short = robot.inverse_dynamics.operations
    monkeypatch.setattr(ParallelRun, "saves", False)
    long = rk.Robot("the long way", robot.links, gravity=robot.gravity).inverse_dynamics.operations
    assert short.sincos == long.sincos
    assert short.mul <= long.mul - 8  # four products and four sums for each sum of angles
    assert short.add <= long.add - 8
