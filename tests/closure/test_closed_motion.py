"""Closed robots moving freely: energy stays, loops stay closed, errors fall with the order of the method."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from closed_robots import shipped
from readers import parse_mjcf
from scipy.integrate import solve_ivp
from stabilization_study import closed_motion

import rikigaku as rk
from rikigaku.numbers.formula import Formula
from rikigaku.simulation import onto_loops, vector_fields

Array = np.ndarray
STARTS = {"four_bar": [0.3], "five_bar": [1.2, 1.8], "stewart": [0.7, 0.72, 0.74, 0.7, 0.68, 0.71]}


@cache
def passive(name: str) -> rk.Robot:
    """Without friction; the platform stands on springs of 1500 N/m, relaxed at 0.75 m, in its slides."""
    robot = shipped(name)
    if name != "stewart":
        return robot
    spring = {"stiffness": Formula.of(1500), "rest": Formula.of("0.75")}
    links = [
        replace(x, joint=replace(x.joint, **spring)) if x.joint.name.startswith("slide") else x
        for x in robot.links
    ]
    return replace(robot, links=tuple(links))


@pytest.mark.parametrize("name", STARTS)
def test_a_passive_robot_keeps_its_energy_and_its_loops_for_a_hundred_seconds(name: str) -> None:
    robot = passive(name)
    motion = rk.simulate(robot, robot.assemble(STARTS[name]), duration=100.0)  # nothing set
    assert motion.done
    assert motion.t[-1] == 100.0
    assert motion.kinetic_energy.max() > 1.0  # it falls and swings
    assert np.ptp(motion.energy) < 1e-8 * motion.kinetic_energy.max()
    between = motion.at(np.linspace(0, 100, 3001))
    for q in (motion.q, between.q):
        assert np.abs(robot.loop_residual(q)).max() < 1e-13
    opening = np.einsum("kij,kj->ki", robot.loop_jacobian(between.q), between.v)
    assert np.abs(opening).max() < 1e-11 * np.abs(between.v).max()


@pytest.mark.parametrize(("name", "step"), [("five_bar", 1 / 256), ("stewart", 1 / 128)])
def test_errors_of_the_classical_method_fall_with_the_fourth_power(name: str, step: float) -> None:
    robot = passive(name)
    q = robot.assemble(STARTS[name])
    exact = rk.simulate(robot, q, duration=0.5, rtol=1e-13, atol=1e-15).q[-1]
    ends = [rk.simulate(robot, q, duration=0.5, method="rk4", step=h).q[-1] for h in (step, step / 2)]
    errors = [np.abs(end - exact).max() for end in ends]
    assert 3.5 < np.log2(errors[0] / errors[1]) < 4.5


def test_errors_fall_with_the_eighth_power_of_the_step() -> None:
    robot = shipped("four_bar")
    q = robot.assemble([0.3])
    ends = []
    for step in (0.125, 0.0625, 0.015625):
        motion = closed_motion(robot, q, np.zeros(3), 2.0, step=step)
        assert len(motion.t) == round(2.0 / step) + 1
        ends.append(motion.q[-1])
    errors = [np.abs(end - ends[-1]).max() for end in ends[:2]]
    assert 6.5 < np.log2(errors[0] / errors[1]) < 10.5


def test_the_motion_is_that_of_the_independent_coordinates_alone() -> None:
    robot = shipped("four_bar")
    q = robot.assemble([0.3])
    motion = closed_motion(robot, q, np.zeros(3), 1.0)

    near = [q]

    def field(t: float, y: Array) -> Array:  # one equation in the crank's angle, closed anew at every call
        near[0] = at = robot.assemble(y[:1], near=near[0])
        M, h = robot.reduced.mass_matrix(at)[0, 0], robot.reduced.velocity_forces(at, y[1:])[0]
        return np.array([y[1], -(h + robot.reduced.gravity_forces(at)[0]) / M])

    alone = solve_ivp(field, (0, 1.0), [0.3, 0.0], rtol=1e-9, atol=1e-10, method="DOP853").y[:, -1]
    np.testing.assert_allclose([motion.q[-1][0], motion.v[-1][0]], alone, atol=1e-6)


def test_without_projection_the_loops_open() -> None:
    robot = shipped("four_bar")
    q = robot.assemble([0.3])
    loose = closed_motion(robot, q, np.zeros(3), 20.0, step=0.04, project=False)
    held = closed_motion(robot, q, np.zeros(3), 20.0, step=0.04)
    assert loose.residual.max() > 1e-9 > 1e3 * held.residual.max()


def test_gears_without_loops_are_kept_in_motion_and_their_law_is_that_of_one_coordinate() -> None:
    arm = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1, m2=1)
    first, second = (joint.name for joint in arm.joints)
    robot = replace(arm, couplings=(rk.Coupling(second, first, Formula.of(-2), Formula.of("0.1")),))
    assert robot.closure().independent == (first,)
    swing = rk.simulate(robot, [0.4, -0.7], duration=2.0)
    assert np.abs(swing.q[:, 1] + 2 * swing.q[:, 0] - 0.1).max() < 1e-13
    assert swing.kinetic_energy.max() > 0.1
    assert swing.energy_audit().relative < 1e-8
    q, v = swing.q[20], swing.v[20]
    alone = robot.reduced.forward_dynamics(q, v[:1], np.zeros(1))[0]
    np.testing.assert_allclose(swing.a[20], [alone, -2 * alone], rtol=1e-9)
    tree = robot.tree.forward_dynamics(q, v, np.zeros(2))  # both joints for themselves
    assert abs(tree[0] - alone) > 1e-3


PARALLELOGRAM = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="crank"><joint name="crank" axis="0 1 0"/>
    <geom type="capsule" size=".02" fromto="0 0 0 0 0 .2" mass="0.5"/>
    <body name="coupler" pos="0 0 .2"><joint name="elbow" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .5 0 0" mass="1"/></body></body>
  <body name="rocker" pos=".5 0 0"><joint name="rocker" axis="0 1 0"/>
    <geom type="capsule" size=".02" fromto="0 0 0 0 0 .2" mass="0.8"/></body>
</worldbody><equality><connect body1="coupler" body2="rocker" anchor=".5 0 0"/></equality></mujoco>"""


def test_a_motion_through_a_configuration_where_the_loops_branch_says_so() -> None:
    robot = parse_mjcf(PARALLELOGRAM)
    v = robot.complete(robot.neutral(), [0.5], [0.0]).v
    motion = rk.simulate(robot, robot.neutral(), v, duration=1.0)
    assert robot.assembly_mode([np.pi / 2, -np.pi / 2, np.pi / 2]).mode == (0,)
    (note,) = [x for x in motion.notes if "near a singular configuration" in x]
    there = motion.at(float(note.split()[2])).q
    assert abs(np.cos(there[0])) < 2e-2  # all bars in one line
    before = rk.simulate(robot, robot.neutral(), v, duration=0.4)
    assert before.notes == ()
    assert before.energy_audit().relative < 1e-8


def test_states_near_the_loops_are_brought_onto_them() -> None:
    robot = shipped("stewart")
    q = robot.assemble(np.full(6, 0.75))
    rng = np.random.default_rng(0)
    near = robot.integrate(q, 1e-3 * rng.normal(size=robot.nv))
    closed, v = onto_loops(robot, near, rng.normal(size=robot.nv))
    assert np.abs(robot.loop_residual(closed)).max() < 1e-13
    assert np.abs(robot.loop_jacobian(closed) @ v).max() < 1e-12
    assert np.abs(onto_loops(robot, closed, v)[1] - v).max() < 1e-12


def test_states_far_from_the_loops_are_refused() -> None:
    robot = shipped("four_bar")
    with pytest.raises(rk.errors.CannotClose, match="open by"):
        onto_loops(robot, np.array([0.0, 3.0, -3.0]))
    with pytest.raises(rk.errors.WrongValue, match="duration"):
        closed_motion(robot, robot.assemble([0.3]), np.zeros(3), 0.0)


def test_states_between_steps_have_the_same_bits_one_by_one_and_in_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot = shipped("four_bar")
    swing = rk.simulate(robot, robot.assemble([0.3]), duration=1.0)
    t = np.linspace(0.0, 1.0, 50)
    alone = swing.at(t)
    monkeypatch.setattr(vector_fields, "_MANY", 0)
    together = swing.at(t)
    assert np.array_equal(alone.q, together.q)
    assert np.array_equal(alone.v, together.v)
    assert np.abs(robot.loop_residual(alone.q)).max() < 1e-13
