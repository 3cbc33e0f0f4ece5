"""Robots written as URDF with a side file and as MJCF: read back by us, Pinocchio and MuJoCo."""

from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from mujoco_reference import (
    closed,
    data_at,
    dynamics_gap,
    equality_rows,
    full_mass_matrix,
    layout_by_order,
    null_projector,
    tree_law,
)
from random_robots import random_robot
from readers import parse_mjcf
from written_robots import CLOSED, TOLERANCE, forces, reordered, saved, shipped

import rikigaku as rk
from rikigaku.formats.mjcf.mjcf_writer import mjcf_text
from rikigaku.formats.state_conversion import to_pinocchio
from rikigaku.library import NAMES
from rikigaku.robot import Robot


@pytest.mark.parametrize("name", NAMES)
def test_a_urdf_with_its_side_file_is_the_same_robot(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / f"{name}.urdf")
    q, v, a = robot.random_state(1)
    tau = forces(robot, q, v, a)
    assert forces(back, q, v, a) == pytest.approx(tau, abs=TOLERANCE * np.abs(tau).max())
    assert (back.loops, back.frames, back.gravity) == (robot.loops, robot.frames, robot.gravity)
    assert [float(c.multiplier) for c in back.couplings] == [float(c.multiplier) for c in robot.couplings]
    driven = {joint.name.removesuffix("_1").removesuffix("_2") for joint in back.joints if joint.actuated}
    assert driven == {
        joint.name.removesuffix("_1").removesuffix("_2") for joint in robot.joints if joint.actuated
    }
    if robot.loops:
        residual = tree_law(robot, "loop_residual", q)
        assert tree_law(back, "loop_residual", q) == pytest.approx(residual, abs=TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_pinocchio_reads_the_urdf_and_finds_the_same_forces(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / "x.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "x.urdf"))
    model.gravity.linear = np.array([float(g) for g in robot.gravity])
    layout = to_pinocchio(back, model)
    q, v, a = robot.random_state(2)
    theirs = pin.rnea(model, model.createData(), layout.q(q), layout.v(q, v), layout.a(q, v, a))
    for joint in back.joints:  # Pinocchio knows no rotors from a URDF
        theirs = theirs + layout.tau(
            q, np.eye(back.nv)[back.v_slices[joint.name]].sum(0) * float(joint.rotor) * a
        )
    tau = layout.tau(q, forces(robot, q, v, a, friction=False))
    assert tau == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max())


@pytest.mark.parametrize("name", ["panda", "ur5", "scara", "stanford", "iiwa14", "humanoid_17", "sr400"])
def test_pinocchio_reads_the_mjcf_too(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / "x.xml")
    model = pin.buildModelFromMJCF(str(tmp_path / "x.xml"))
    model = model[0] if isinstance(model, tuple) else model
    model.gravity.linear = np.array([float(g) for g in robot.gravity])
    q, v, a = back.random_state(4)
    layout = to_pinocchio(back, model)
    theirs = pin.rnea(model, model.createData(), layout.q(q), layout.v(q, v), layout.a(q, v, a))
    tau = layout.tau(q, forces(back, q, v, a, friction=False))
    assert tau == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "puma560"])
def test_mujoco_reads_the_mjcf_and_finds_the_same_dynamics_and_so_do_we(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / f"{name}.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / f"{name}.xml"))
    q, v, a = robot.random_state(3)
    q_, v_, a_ = (
        reordered(robot, back, x, of) for x, of in ((q, "q_slices"), (v, "v_slices"), (a, "v_slices"))
    )
    tau = reordered(robot, back, forces(robot, q, v, a), "v_slices")
    assert forces(back, q_, v_, a_) == pytest.approx(tau, abs=TOLERANCE * np.abs(tau).max())
    # against MuJoCo directly, through nothing we read: M and bias of the robot as it was
    layout, data = layout_by_order(back, model), data_at(back, model, q_, v_)
    T, order = layout.velocity_map(q_), reordered(robot, back, np.arange(robot.nv), "v_slices").astype(int)
    M = tree_law(robot, "mass_matrix", q)[np.ix_(order, order)]
    theirs = full_mass_matrix(model, data)
    ours = T @ M @ T.T
    assert ours == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max())
    still = np.empty(robot.nv)
    still[order] = layout.from_a(q_, v_, np.zeros(model.nv))
    bias = layout.tau(q_, forces(robot, q, v, still, friction=False)[order])
    assert bias == pytest.approx(data.qfrc_bias, abs=TOLERANCE * max(1.0, np.abs(data.qfrc_bias).max()))
    for frame in robot.frames:
        ours = tree_law(robot, "pose", q, frame=frame.name)
        assert data.site(frame.name).xpos == pytest.approx(ours[:3, 3], abs=1e-12)
    driven = [joint.name for joint in back.joints if joint.actuated]
    # a motor of MJCF drives one coordinate: joints with several have none there
    expected = [joint.name for joint in robot.joints if joint.actuated and joint.nv == 1]
    assert sorted(driven) == sorted(expected)


@pytest.mark.parametrize("name", CLOSED)
def test_loops_written_as_equalities_close_and_move_in_mujoco_as_here(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / "x.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    q = closed_configuration(robot)
    assert np.abs(tree_law(robot, "loop_residual", q)).max() < 1e-12
    q_ = reordered(robot, back, q, "q_slices")
    residual, J = equality_rows(back, model, q_)
    assert np.abs(residual).max() < 1e-11
    order = reordered(robot, back, np.arange(robot.nv), "v_slices").astype(int)
    ours = null_projector(tree_law(robot, "loop_jacobian", q)[:, order])
    assert ours == pytest.approx(null_projector(J), abs=1e-8)
    assert [loop.joint for loop in back.loops] == [loop.joint for loop in robot.loops]
    assert [loop.name for loop in back.loops] == [loop.name for loop in robot.loops]


STARTS = {"four_bar": [0.3, 0.9, 1.4], "five_bar": [np.pi / 2, -0.25, np.pi / 2, 0.25]}


def closed_configuration(robot: Robot) -> np.ndarray:
    if robot.name == "stewart":
        start = [0, 0, 0.7, 1, 0, 0, 0, *[0, 0, 0.78] * 6]
    else:
        start = STARTS.get(robot.name) or (robot.neutral() + 0.01)
    return closed(robot, np.array(start))


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_survive_both_formats(seed: int, tmp_path: Path) -> None:
    kinds = ("revolute", "prismatic", "fixed", "universal")
    robot = random_robot(seed, 7, kinds, drives=True)
    q, v, a = robot.random_state(seed)
    tau = forces(robot, q, v, a)
    for ending in ("urdf", "xml"):
        back = saved(robot, tmp_path / f"x.{ending}")
        q_, v_, a_ = (
            reordered(robot, back, x, of) for x, of in ((q, "q_slices"), (v, "v_slices"), (a, "v_slices"))
        )
        expected = reordered(robot, back, tau, "v_slices")
        assert forces(back, q_, v_, a_) == pytest.approx(expected, abs=TOLERANCE * np.abs(tau).max())
        assert tree_law(back, "pose", q_, frame="tip") == pytest.approx(
            tree_law(robot, "pose", q, frame="tip"), abs=1e-12
        )


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_with_balls_and_a_free_base_go_to_mujoco(seed: int) -> None:
    robot = random_robot(seed, 6, ("revolute", "spherical", "prismatic"), drives=False)
    body = rk.Inertia("com", 3, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.15))
    robot = rk.Robot("r", robot.links, robot.frames, base_inertia=body).on_free_base()
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    back = parse_mjcf(mjcf_text(robot))
    q, v, _ = back.random_state(seed)
    assert max(dynamics_gap(back, model, q, v)) < 1e-11
