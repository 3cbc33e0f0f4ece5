"""Springs in joints: forces, energy and derivatives; against MuJoCo and a balance of free bodies."""

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from closed_robots import shipped
from pose_reference import slope
from random_robots import random_robot, random_state
from readers import parse_mjcf

import rikigaku as rk
from rikigaku.core.errors import BadModel, IgnoredWarning, WrongValue
from rikigaku.formats.mjcf.mjcf_writer import mjcf_text
from rikigaku.numbers.formula import Formula
from rikigaku.rosam.data_writer import robot_data

Array = np.ndarray
KINDS = ("revolute", "prismatic", "helical")


def sprung(robot: rk.Robot, seed: int = 0, **others: object) -> rk.Robot:
    """A spring in every joint of one coordinate; `others`: further fields of all joints."""
    rng = np.random.default_rng(seed)
    links = []
    for link in robot.links:
        k, rest = (Formula.of(f"{x:.2f}") for x in rng.uniform(0.5, 5, 2))
        spring = {"stiffness": k, "rest": rest} if link.joint.type in KINDS else {}
        links.append(replace(link, joint=replace(link.joint, **spring, **others)))
    return replace(robot, name=f"sprung {robot.name}", links=tuple(links))


def resisted(robot: rk.Robot, q: Array) -> Array:
    """k (q - rest) by coordinate, from the data."""
    force = np.zeros((*q.shape[:-1], robot.nv))
    for joint in robot.joints:
        if joint.type in KINDS:
            at, to = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
            force[..., to] = float(joint.stiffness) * (q[..., at] - float(joint.rest))
    return force


@pytest.mark.parametrize("seed", range(3))
def test_springs_add_their_force_to_a_tree_in_both_methods_of_forward_dynamics(seed: int) -> None:
    robot = sprung(random_robot(seed, 6), seed)
    assert sum(joint.type in KINDS for joint in robot.joints) > 1
    q, v, a = random_state(robot, np.random.default_rng(seed), 4)
    tau = robot.inverse_dynamics(q, v, a)
    bare = robot.inverse_dynamics(q, v, a, friction=False)
    rough = replace(
        robot,
        links=tuple(replace(link, joint=replace(link.joint, stiffness=0, rest=0)) for link in robot.links),
    )
    np.testing.assert_allclose(tau, rough.inverse_dynamics(q, v, a) + resisted(robot, q), atol=1e-11)
    np.testing.assert_allclose(bare, rough.inverse_dynamics(q, v, a, friction=False), atol=1e-12)
    for method in ("factors", "articulated"):
        found = robot.forward_dynamics(q, v, tau, method=method)
        smooth = rough.forward_dynamics(q, v, tau - resisted(robot, q), method=method)
        np.testing.assert_allclose(found, smooth, rtol=1e-9, atol=1e-9 * np.abs(smooth).max())
    assert np.abs(robot.gravity_forces(q) - rough.gravity_forces(q)).max() < 1e-12  # gravity alone


def test_power_of_the_actuators_is_what_motion_weight_and_springs_gain() -> None:
    robot = sprung(random_robot(1, 6), 1, viscous=Formula.of(0), coulomb=Formula.of(0))
    q, v, a = random_state(robot, np.random.default_rng(1))
    tau = robot.inverse_dynamics(q, v, a)

    def energy(t: Array) -> Array:
        at = robot.integrate(q, v * t + a * t * t / 2)
        return robot.kinetic_energy(at, v + a * t) + robot.potential_energy(at)

    gained = slope(energy, np.zeros(1), np.ones(1))
    assert tau @ v == pytest.approx(gained, rel=1e-8)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_derivatives_know_the_springs(name: str) -> None:
    robot = sprung(random_robot(2, 5, ("revolute", "prismatic", "helical")), 2)
    q, v, x = random_state(robot, np.random.default_rng(2))
    law = getattr(robot, name)
    found = law.derivative(q, v, x).q
    for k in range(robot.nv):
        step = 1e-6 * np.eye(robot.nv)[k]
        rise = (law(q + step, v, x) - law(q - step, v, x)) / 2e-6
        np.testing.assert_allclose(found[:, k], rise, rtol=1e-5, atol=1e-6 * np.abs(found).max())


def test_formulas_have_the_springs() -> None:
    arm = rk.load("planar_2r")
    first, second = arm.links
    joint = replace(second.joint, stiffness=Formula.of("k"), rest=Formula.of("0.25"))
    robot = replace(arm, links=(first, replace(second, joint=joint)))
    difference = robot.inverse_dynamics.symbolic[1] - arm.inverse_dynamics.symbolic[1]
    q = np.array([0.3, 0.7])
    assert "k" in str(difference)
    numbers = {**arm.declared_values} or dict.fromkeys(arm.free_symbols, 0.5)
    tau = robot.inverse_dynamics(q, 0 * q, 0 * q, k=2.0, **numbers)
    plain = arm.inverse_dynamics(q, 0 * q, 0 * q, **numbers)
    np.testing.assert_allclose(tau - plain, [0, 2.0 * (0.7 - 0.25)], atol=1e-12)


MUJOCO = """<mujoco><compiler angle="{angle}"/><option gravity="0 0 -9.81"/><worldbody>
  <body name="a"><joint name="one" axis="0 1 0" stiffness="30" springref="{one}" ref="{ref}" damping="0.2"/>
    <geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/>
    <body name="b" pos=".2 0 0"><joint name="two" type="slide" axis="1 0 0" stiffness="40" springref="0.1"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/></body></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("angle", ["radian", "degree"])
def test_springs_of_mjcf_are_mujocos_and_come_back_from_a_written_file(angle: str) -> None:
    unit = 1.0 if angle == "radian" else 180 / np.pi
    text = MUJOCO.format(angle=angle, one=0.4 * unit, ref=0.15 * unit)
    robot = parse_mjcf(text)
    assert float(robot.joint("one").rest) == pytest.approx(0.25, abs=1e-12)
    for source in (text, mjcf_text(robot)):
        model = mujoco.MjModel.from_xml_string(source)
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        data = mujoco.MjData(model)
        q, v, tau = np.array([0.3, -0.2]), np.array([0.5, 0.7]), np.array([1.0, -2.0])
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q + model.qpos0, v, tau
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), data.qacc, rtol=1e-9)
        np.testing.assert_allclose(robot.potential_energy(q), data.energy[0], rtol=1e-9)
    with pytest.warns(IgnoredWarning, match="ball"):
        parse_mjcf(text.replace('type="slide" axis="1 0 0"', 'type="ball"'))


def test_a_spring_in_a_joint_of_several_coordinates_is_refused() -> None:
    link = rk.load("stewart").link("platform")
    assert link.joint.type == "free"
    with pytest.raises(BadModel, match="one coordinate"):
        replace(rk.load("stewart"), links=(replace(link, joint=replace(link.joint, stiffness=1)),), loops=())


def test_files_hold_springs_those_of_urdf_beside_it(tmp_path: Path) -> None:
    robot = sprung(shipped("five_bar"))
    for file in ("five.robot.toml", "five.urdf"):
        robot.save(tmp_path / file)
        back = rk.load(tmp_path / file)
        for joint in robot.joints:
            same = back.joint(joint.name)
            assert (same.stiffness, same.rest) == (joint.stiffness, joint.rest)
    side = tmp_path / "five.loops.toml"
    side.write_text(side.read_text().replace("left_motor", "lft_motor"))
    with pytest.raises(BadModel, match="lft_motor"):
        rk.load(tmp_path / "five.urdf")


def test_where_springs_have_no_place_they_are_refused() -> None:
    robot = sprung(shipped("five_bar"))
    with pytest.raises(WrongValue, match="RobotData has no field"):
        robot_data(robot)


def test_actuators_of_a_closed_robot_carry_the_springs_of_its_passive_joints() -> None:
    five = shipped("five_bar")
    robot = sprung(five)
    q = robot.assemble([1.2, 1.8])
    v, a = robot.complete(q, [1.0, 2.0], [3.0, -1.0])
    tau = robot.inverse_dynamics(q, v, a)
    shared = five.actuation_forces(q, v, a, forces=-resisted(robot, q)).tau
    np.testing.assert_allclose(tau, shared, atol=1e-10)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-10)
    np.testing.assert_allclose(robot.actuation_forces(q, v, a).tau, tau, atol=1e-11)
    own = list(robot.closure().structure.independent)
    np.testing.assert_allclose(robot.reduced.inverse_dynamics(q, v[own], a[own]), tau, atol=1e-10)
    f = robot.loop_forces(q, v, a, tau)
    left = robot.tree.inverse_dynamics(q, v, a)
    left[list(robot.closure().structure.actuated)] -= tau
    np.testing.assert_allclose(robot.loop_jacobian(q).T @ f, left, atol=1e-10)


def test_a_leg_on_its_leaf_springs_swings_without_loss() -> None:
    leg = shipped("cassie_leg")
    assert {j.name: float(j.stiffness) for j in leg.joints if j.stiffness} == {
        "shin_spring": 1500,
        "heel": 1250,
    }
    links = tuple(replace(link, joint=replace(link.joint, viscous=0, coulomb=0)) for link in leg.links)
    free = replace(leg, links=links)
    configuration = dict.fromkeys(leg.closure().independent, 0.0) | {"pitch": 0.5, "knee": -1.2, "toe": -1.6}
    q = free.assemble(list(configuration.values()), near=home(free))
    swing = rk.simulate(free, q, duration=0.3)
    assert swing.status == "done"
    T, U = free.kinetic_energy(swing.q, swing.v), free.potential_energy(swing.q)
    assert np.abs(T + U - T[0] - U[0]).max() < 1e-8 * T.max()
    spring = free.q_slices["shin_spring"].start
    assert 1e-4 < np.abs(swing.q[:, spring]).max() < 0.2  # it bends a little, and holds


def home(leg: rk.Robot) -> Array:
    """The closed configuration the file names."""
    q = np.zeros(leg.nq)
    at = {"pitch": 0.5, "knee": -1.2, "toe": -1.6, "ankle": 1.4269743400682238}
    at |= {"crank": -1.4920378964804846, "plantar": 1.4736369224536687}
    for name, x in at.items():
        q[leg.q_slices[name].start] = x
    q[leg.q_slices["achilles"]] = -0.017574074109976356, 0.06889587288751502
    return q
